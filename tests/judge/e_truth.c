/* What is true of a happening: the level at which it first shows, and that at
 * which codewords are lost, are sought first; then when its course comes there.
 */
#include <math.h>
#include <string.h>

#include "tests/judge/e_world.h"

#define EFFECT_DECADES 0.3
#define EFFECT_DB 0.5
#define CLIFF_HZ (1. / 3600)
#define LEVEL_MOST 1.5
#define STEPS 4000
#define NOMINAL_AIR_C 26.0
#define WEIGHT_LEAST 0.25

/* What one happening does to a port in its nominal state. */
struct outcome {
	double log_ber, lost_hz, light_db;
};

static struct outcome outcome_of(const struct world *w,
				 const struct e_happening *h, unsigned port,
				 double level)
{
	const struct e_port *p = &w->state[port];
	double chance[E_BINS], ber, heat;
	struct e_stress s = { .load = 1 };
	struct outcome o = { 0 };

	e_stress_add(h, port, p->media->lanes, level, &s);
	heat = s.of[E_HEAT];
	ber = e_ber(p, &s, NOMINAL_AIR_C + p->rise_k + heat, 0, NULL);
	o.log_ber = log10(ber);
	o.lost_hz = e_codewords_hz(p->media) *
		    e_code(p->media, ber, p->excess, chance) + s.of[E_BURSTS];
	for (unsigned i = 0; i < p->media->lanes; i++)
		o.light_db = fmax(o.light_db, fmax(s.lane[E_LOSS][i],
						   s.lane[E_OWN_LOSS][i]));
	return o;
}

static bool is_past(const struct outcome *o, const struct outcome *before,
		    bool is_cliff)
{
	if (is_cliff)
		return o->lost_hz > CLIFF_HZ;
	return o->light_db > EFFECT_DB ||
	       o->log_ber > before->log_ber + EFFECT_DECADES ||
	       o->lost_hz > before->lost_hz + CLIFF_HZ;
}

/* Least level with that outcome on one of the ports; INFINITY: none. */
static double level_of(const struct world *w, const struct e_happening *h,
		       bool is_cliff)
{
	double least = INFINITY;

	for (unsigned i = 0; i < w->at.ports; i++) {
		struct outcome before, at;
		double low = 0, high = LEVEL_MOST;

		if (!(h->ports >> i & 1))
			continue;
		before = outcome_of(w, h, i, 0);
		at = outcome_of(w, h, i, high);
		if (!is_past(&at, &before, is_cliff))
			continue;
		for (int k = 0; k < 30; k++) {
			double middle = (low + high) / 2;

			at = outcome_of(w, h, i, middle);
			if (is_past(&at, &before, is_cliff))
				high = middle;
			else
				low = middle;
		}
		least = fmin(least, high);
	}
	return least;
}

/* First time that its level is there, in the case or once more as long. */
static int64_t time_of(const struct world *w, const struct e_happening *h,
		       double level)
{
	double load = w->state[h->first].load;
	int64_t last_ns = 2 * w->at.length_ns, low_ns = h->onset_ns;
	int64_t step_ns = (last_ns - h->onset_ns) / STEPS + 1;

	if (h->kind->course == E_SPELLS)
		step_ns = (int64_t)(fmax(h->life_s / 60, 2) * 1e9);
	for (int64_t t = h->onset_ns; t < last_ns && t < h->end_ns;
	     t += step_ns) {
		int64_t high_ns = t;

		if (e_level(h, t, load) < level) {
			low_ns = t;
			continue;
		}
		while (high_ns - low_ns > E_NS / 2) {
			int64_t middle_ns = low_ns + (high_ns - low_ns) / 2;

			if (e_level(h, middle_ns, load) < level)
				low_ns = middle_ns;
			else
				high_ns = middle_ns;
		}
		return high_ns;
	}
	return E_NEVER;
}

static int64_t first_fall(const struct world *w, const struct e_happening *h)
{
	int64_t until_ns, step_ns = 600 * E_NS, t = h->onset_ns;

	if (h->kind->acts & (E_OUT | E_TOUCH))
		return t;
	while (t < w->at.length_ns && !e_falls(h, t, t + step_ns, &until_ns))
		t += step_ns;
	if (t >= w->at.length_ns)
		return E_NEVER;
	while (step_ns > E_NS) {
		step_ns = (step_ns + 1) / 2;
		if (!e_falls(h, t, t + step_ns, &until_ns))
			t += step_ns;
	}
	return t + step_ns;
}

static void times_set(const struct world *w, const struct e_happening *h,
		      struct truth *t)
{
	double level = level_of(w, h, true);
	int64_t fall_ns = first_fall(w, h);

	/* A link that is down loses no codewords. */
	if (level < INFINITY && !(h->kind->acts & E_OUT))
		t->cliff_later_ns = time_of(w, h, level);
	if (t->cliff_later_ns < w->at.length_ns)
		t->cliff_ns = t->cliff_later_ns;
	level = level_of(w, h, false);
	if (level < INFINITY)
		t->effect_ns = time_of(w, h, level);
	if (t->effect_ns >= w->at.length_ns)
		t->effect_ns = E_NEVER;
	if (fall_ns < t->effect_ns)
		t->effect_ns = fall_ns;
}

void e_truth_make(struct world *w, size_t n)
{
	const struct e_happening *h = &w->happening[n];
	const struct e_kind *k = h->kind;
	struct truth *t = &w->truth[n];
	unsigned lanes = w->state[h->first].media->lanes;

	*t = (struct truth){
		.what = k->what,
		.law = k->course == E_LAW && k->sort != E_BENIGN ?
		       e_laws[h->law] : "",
		.benign = k->sort == E_BENIGN, .signature = k->signature,
		.end = k->end, .action = k->action, .ports = h->ports,
		.onset_ns = h->onset_ns, .effect_ns = E_NEVER,
		.cliff_ns = E_NEVER, .cliff_later_ns = E_NEVER,
		.end_ns = h->end_ns,
	};
	if (k->where != E_ALL_LANES)
		for (unsigned i = 0; i < lanes; i++)
			if (h->weight[i] >= WEIGHT_LEAST)
				t->lanes |= (uint8_t)(1u << i);
	if (!t->benign)
		times_set(w, h, t);
}
