#include "tests/judge/g_truth.h"

#include <math.h>

#include "tests/judge/g_live.h"
#include "tests/judge/g_world.h"

#define EFFECT_DECADES 0.3
#define EFFECT_DB 0.5
#define HOUR_S 3600.0
#define STEPS 1000		/* of a case, before a tick is looked for */
#define FALLING (HOLD_DOWN | HOLD_DARK | HOLD_SHUT | HOLD_ABSENT)

/* With a fault and without it, at the same time. */
struct pair {
	const struct world *w;
	const struct g_event *e;
	unsigned port;
	struct g_live with, but;
};

static void pair_at(struct pair *p, double from_s, double to_s)
{
	struct g_span at = { from_s, to_s };

	g_live_at(p->w, p->port, at, NULL, &p->with);
	g_live_at(p->w, p->port, at, p->e, &p->but);
}

static bool has_effect(const struct pair *p)
{
	const struct g_stress *with = &p->with.stress, *but = &p->but.stress;

	if (fabs(p->with.log_ber - p->but.log_ber) > EFFECT_DECADES ||
	    with->falls > but->falls ||
	    (with->hold & FALLING && !(but->hold & FALLING)))
		return true;
	for (unsigned i = 0; i < p->w->port[p->port].lanes; i++)
		if (fabs(p->with.rx_db[i] - p->but.rx_db[i]) > EFFECT_DB ||
		    fabs(p->with.tx_db[i] - p->but.tx_db[i]) > EFFECT_DB)
			return true;
	return false;
}

/* More than one an hour, and at least half of it by this fault. */
static bool is_past_cliff(const struct pair *p)
{
	double an_hour = 1 / (HOUR_S * g_live_rate(p->w, p->port));

	return p->with.loss >= an_hour && (p->but.loss < an_hour ||
					   p->with.loss > 2 * p->but.loss);
}

/* The first tick of a span that shows it. */
static double first_tick(struct pair *p, double from_s, double to_s,
			 bool (*shows)(const struct pair *p))
{
	double tick_s = p->w->tick_s, t = from_s + tick_s;

	while (t < to_s) {
		pair_at(p, t - tick_s, t);
		if (shows(p))
			return t;
		t += tick_s;
	}
	return to_s;
}

/* From the onset to twice the case's length. */
static void port_scan(struct pair *p, double *effect_s, double *cliff_s)
{
	const struct world *w = p->w;
	double step_s = fmax(w->tick_s, w->length_s / STEPS);
	double from_s = p->e->onset_s - 1e-6;

	*effect_s = *cliff_s = (double)INFINITY;
	for (unsigned i = 0; i < 2 * STEPS; i++) {
		double t = p->e->onset_s + i * step_s;
		bool effect, cliff;

		if (t >= 2 * w->length_s || (t > w->length_s && *cliff_s < t))
			return;
		pair_at(p, from_s, t);
		effect = isinf(*effect_s) && t < w->length_s && has_effect(p);
		cliff = isinf(*cliff_s) && is_past_cliff(p);
		if (effect)
			*effect_s = first_tick(p, from_s, t, has_effect);
		if (cliff)
			*cliff_s = first_tick(p, from_s, t, is_past_cliff);
		if (*effect_s <= t && *cliff_s <= t)
			return;
		from_s = t;
	}
}

static int64_t as_ns(double t_s, double limit_s, int64_t onset_ns)
{
	int64_t t_ns;

	if (!(t_s < limit_s))
		return INT64_MAX;
	t_ns = (int64_t)(t_s * 1e9);
	return t_ns > onset_ns ? t_ns : onset_ns;
}

static void event_scan(const struct world *w, const struct g_event *e,
		       struct truth *t)
{
	double effect_s = (double)INFINITY, cliff_s = (double)INFINITY;

	for (unsigned i = 0; i < w->at.ports; i++) {
		struct pair p = { .w = w, .e = e, .port = i };
		double effect, cliff;

		if (!(e->ports >> i & 1))
			continue;
		port_scan(&p, &effect, &cliff);
		effect_s = fmin(effect_s, effect);
		cliff_s = fmin(cliff_s, cliff);
	}
	t->effect_ns = as_ns(effect_s, w->length_s, t->onset_ns);
	t->cliff_ns = as_ns(cliff_s, w->length_s, t->onset_ns);
	t->cliff_later_ns = as_ns(cliff_s, 2 * w->length_s, t->onset_ns);
}

void g_truth_fill(struct world *w)
{
	for (size_t i = 0; i < w->events; i++)
		if (!w->event[i].kind->benign)
			event_scan(w, &w->event[i], &w->truth[i]);
}
