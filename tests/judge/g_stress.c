#include "tests/judge/g_stress.h"

#include <math.h>

#include "tests/judge/g_air.h"
#include "tests/judge/g_dice.h"
#include "tests/judge/g_world.h"

#define FALLING (HOLD_DOWN | HOLD_DARK | HOLD_SHUT | HOLD_ABSENT)
#define CLUSTER 6		/* touches come in clusters */
#define CLUSTERS_SHARE 0.6
#define FADED 12		/* rises after the end */

struct pulses {
	unsigned starts;
	double inside_s, over_s;
	bool is_inside;
};

static int64_t slot_at(const struct g_event *e, double t_s)
{
	return (int64_t)floor((t_s - e->onset_s) / e->gap_s);
}

/* The pulse of a slot, if there is one. */
static bool pulse_get(const struct g_event *e, int64_t slot,
		      struct g_span *ret)
{
	double long_s;

	if (slot < 0)
		return false;
	if (slot >= CLUSTER &&
	    g_share_at(e->salt, slot / CLUSTER) > CLUSTERS_SHARE)
		return false;
	ret->from_s = e->onset_s;
	if (slot)
		ret->from_s += e->gap_s * ((double)slot + 0.7 *
					   g_share_at(e->salt + 1, slot));
	long_s = -e->pulse_s * log(1 - 0.99 * g_share_at(e->salt + 2, slot));
	ret->to_s = ret->from_s + fmin(long_s, 0.8 * e->gap_s);
	return ret->from_s < e->end_s;
}

static struct pulses pulses_within(const struct g_event *e, struct g_span at)
{
	struct pulses sum = { 0 };
	struct g_span p;

	for (int64_t k = slot_at(e, at.from_s) - 2; k <= slot_at(e, at.to_s);
	     k++) {
		double both_s;

		if (!pulse_get(e, k, &p) || p.from_s > at.to_s)
			continue;
		sum.starts += p.from_s > at.from_s;
		sum.is_inside |= p.to_s > at.to_s;
		both_s = fmin(p.to_s, at.to_s) - fmax(p.from_s, at.from_s);
		sum.inside_s += fmax(both_s, 0);
		if (p.to_s > at.from_s)
			sum.over_s = fmin(p.to_s, at.to_s);
	}
	return sum;
}

static double band_share(const struct world *w, const struct g_event *e,
			 unsigned port, double t_s)
{
	double centre = 0.25 + 0.5 * g_share_at(e->salt, 0);
	double off = (g_air_load(w, port, t_s) - centre) / 0.1;

	return exp(-off * off);
}

static double retuned_share(const struct g_event *e, double t_s)
{
	int64_t slot = slot_at(e, t_s);
	double since_s = t_s - e->onset_s - e->gap_s *
		((double)slot + 0.5 * g_share_at(e->salt + 1, slot));

	if (since_s < 0 || (slot && g_share_at(e->salt, slot) > 0.7))
		return 0;
	return exp(-since_s / e->pulse_s);
}

/* A step comes and goes with its rise; restless, it trembles; with a gap, it is
 * touched now and then.
 */
static double step_share(const struct g_event *e, double t_s)
{
	double since_s = fmin(t_s, e->end_s) - e->onset_s, share = 1;

	if (e->rise_s > 0)
		share = -expm1(-since_s / e->rise_s);
	if (t_s > e->end_s)
		share *= e->rise_s > 0 ? exp(-(t_s - e->end_s) / e->rise_s) : 0;
	if (e->restless > 0)
		share *= 1 + e->restless * g_wander(e->salt + 3, t_s, 4, 4);
	if (e->gap_s > 0)
		share *= 0.55 + 0.9 * g_share_at(e->salt + 4, slot_at(e, t_s));
	return fmax(share, 0);
}

static double share_at(const struct world *w, const struct g_event *e,
		       unsigned port, double t_s, double temp_c)
{
	unsigned next = port ? port - 1 : w->at.ports - 1;
	double since_s = t_s - e->onset_s, wave;

	switch (e->kind->shape) {
	case SHAPE_STEP:
		return step_share(e, t_s);
	case SHAPE_GROW:
		return g_growth_at(&e->growth, since_s);
	case SHAPE_AFTER:
		return t_s >= e->end_s;
	case SHAPE_SWINGS:
		return 0.5 - 0.5 * cos(2 * M_PI * since_s / e->gap_s);
	case SHAPE_BY_HEAT:	/* the gap is in kelvin */
		wave = sin(M_PI * temp_c / e->gap_s);
		return wave * wave;
	case SHAPE_IN_BAND:
		return band_share(w, e, port, t_s);
	case SHAPE_BY_NEIGHBOUR:
		return g_air_load(w, next, t_s);
	case SHAPE_HOPS:
		return g_share_at(e->salt, slot_at(e, t_s)) < 0.45;
	case SHAPE_RETUNES:
		return retuned_share(e, t_s);
	case SHAPE_RIPPLES:
		return fmod(since_s, e->gap_s) < 0.35 * e->gap_s;
	default:
		return 0;
	}
}

static void parts_add(const struct g_event *e, double share,
		      struct g_stress *s)
{
	for (unsigned i = 0; i < G_PARTS && e->size[i] != 0; i++) {
		enum g_channel channel = e->kind->part[i].channel;
		double size = e->size[i] * share;

		if (channel >= G_LANE_CHANNELS) {
			s->port[channel - G_LANE_CHANNELS] += size;
			continue;
		}
		for (unsigned k = 0; k < WORLD_LANES_MAX; k++)
			s->lane[channel][k] += size * e->share[k];
	}
}

static void hold_add(const struct g_event *e, unsigned hold, struct g_stress *s)
{
	s->hold |= hold;
	if (hold & FALLING)
		s->reason = e->kind->reason;
	s->is_ruined |= !e->kind->benign && hold & (HOLD_RUINED | HOLD_DARK);
}

static void falls_add(const struct g_event *e, const struct pulses *p,
		      struct g_stress *s)
{
	if (!(e->kind->hold & FALLING))
		return;
	s->falls += p->starts - (p->starts && p->is_inside);
	s->down_s += p->inside_s;
	s->over_s = fmax(s->over_s, p->over_s);
	if (p->starts || p->is_inside)
		s->reason = e->kind->reason;
}

static void pulses_add(const struct g_event *e, struct g_span at,
		       struct g_stress *s)
{
	struct pulses p = pulses_within(e, at);
	double lost = 0;

	for (unsigned i = 0; i < G_PARTS; i++)
		if (e->size[i] != 0 && e->kind->part[i].channel == G_LOST)
			lost = e->size[i];
	s->bursts += lost > 0 ? p.starts : 0;
	s->lost += lost * p.starts;
	if (at.to_s < e->end_s)	/* as it will be, in the mean */
		s->lost_rate += lost * CLUSTERS_SHARE / e->gap_s;
	parts_add(e, p.is_inside, s);
	falls_add(e, &p, s);
	/* Who reads within such a moment fails, though it is over. */
	if (p.starts && e->kind->hold & HOLD_NO_DOM)
		s->hold |= HOLD_NO_DOM;
	if (p.is_inside)
		hold_add(e, e->kind->hold, s);
}

static void spell_add(const struct g_event *e, struct g_span at,
		      struct g_stress *s)
{
	struct pulses whole = { .starts = 1, .over_s = e->end_s,
				.inside_s = e->end_s - e->onset_s };

	if (at.to_s < e->end_s)
		hold_add(e, e->kind->hold, s);
	else if (e->onset_s > at.from_s)
		falls_add(e, &whole, s);
	if (at.to_s >= e->end_s && e->kind->mark & MARK_SERIAL)
		s->modules++;
}

void g_stress_add(const struct world *w, const struct g_event *e,
		  unsigned port, struct g_span at, double temp_c,
		  struct g_stress *s)
{
	const struct g_port *p = &w->built[port];
	double after_s = at.to_s - e->end_s;

	if (at.to_s < e->onset_s)
		return;
	if (e->kind->mark & MARK_WARM_UP && after_s >= 0)
		s->port[G_HEAT_K - G_LANE_CHANNELS] -=
			0.8 * p->rise_k * exp(-after_s / p->lag_s);
	if (e->kind->shape == SHAPE_PULSES) {
		pulses_add(e, at, s);
		return;
	}
	spell_add(e, at, s);
	if (e->kind->shape == SHAPE_AFTER || after_s < FADED * e->rise_s ||
	    after_s < 0)
		parts_add(e, share_at(w, e, port, at.to_s, temp_c), s);
}

double g_stress_zone(const struct world *w, unsigned zone,
		     enum g_channel channel, double t_s)
{
	double sum = 0;

	for (size_t i = 0; i < w->events; i++) {
		const struct g_event *e = &w->event[i];
		unsigned port = (unsigned)__builtin_ctzll(e->ports);

		if (e->kind->scope < SCOPE_ZONE || t_s < e->onset_s ||
		    (e->kind->scope == SCOPE_ZONE &&
		     w->built[port].zone != zone))
			continue;
		for (unsigned k = 0; k < G_PARTS && e->size[k] != 0; k++)
			if (e->kind->part[k].channel == channel)
				sum += e->size[k] * step_share(e, t_s);
	}
	return sum;
}
