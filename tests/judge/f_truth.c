#include "tests/judge/f_truth.h"

#include <math.h>

#include "tests/judge/f_link.h"

#define EFFECT_DECADES 0.3
#define EFFECT_DB 0.5
#define AN_HOUR_S 3600.0
#define POINTS 180			/* looked at within the case */
#define POINTS_LATER 60
#define HALVINGS 22
#define LEAST_S 0.001			/* after the onset */

struct look {
	const struct world *w;
	const struct f_event *e;
	unsigned port;
	int number;
};

typedef bool (look_fn)(const struct look *l, double t_s);

/* A laser that has lost half a dB is struck, though more current hides it. */
static bool light_fell(const struct f_effect *x)
{
	double part = expm1(EFFECT_DB * M_LN10 / 10);

	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		if (fabs(x->loss_db[i]) >= EFFECT_DB ||
		    fabs(x->tx_db[i]) >= EFFECT_DB || x->bias_part[i] >= part)
			return true;
	return false;
}

static bool has_effect(const struct look *l, double t_s)
{
	struct f_effect x, none;
	double is = f_link_mean(l->w, l->port, t_s, l->number, &x);
	double was = f_link_mean(l->w, l->port, t_s, F_NONE, &none);

	return x.down || fabs(is - was) >= EFFECT_DECADES || light_fell(&x);
}

static double lost_per_s(const struct look *l, double t_s, int which)
{
	const struct f_port *p = &l->w->state[l->port];
	struct f_effect x;
	double log_ber = f_link_mean(l->w, l->port, t_s, which, &x);

	if (x.down)
		return 0;
	return p->codewords_per_s * f_code_loss(&p->code, pow(10, log_ber));
}

/* By this fault, alone or with what the port has else. */
static bool is_over(const struct look *l, double t_s)
{
	double alone = lost_per_s(l, t_s, l->number);

	if (alone * AN_HOUR_S >= 1)
		return true;
	return lost_per_s(l, t_s, F_FAULTS) * AN_HOUR_S >= 1 &&
	       f_link_mean(l->w, l->port, t_s, l->number,
			   &(struct f_effect){ 0 }) -
	       f_link_mean(l->w, l->port, t_s, F_NONE,
			   &(struct f_effect){ 0 }) >= EFFECT_DECADES;
}

/* The first time within these; INFINITY. */
static double first_s(const struct look *l, look_fn *is, double from_s,
		      double to_s, unsigned points)
{
	double before_s = from_s, t_s = from_s;

	for (unsigned i = 0; i <= points; i++, before_s = t_s) {
		t_s = from_s + (to_s - from_s) * i / points;
		if (!is(l, t_s))
			continue;
		for (int k = 0; i > 0 && k < HALVINGS; k++) {
			double mid_s = (before_s + t_s) / 2;

			if (is(l, mid_s))
				t_s = mid_s;
			else
				before_s = mid_s;
		}
		return t_s;
	}
	return INFINITY;
}

static int64_t time_ns(double t_s)
{
	return isinf(t_s) ? INT64_MAX : (int64_t)(t_s * 1e9);
}

static void earlier(int64_t *ns, double t_s)
{
	int64_t at_ns = time_ns(t_s);

	*ns = at_ns < *ns ? at_ns : *ns;
}

static void port_look(const struct look *l, struct truth *t)
{
	const struct f_event *e = l->e;
	double from_s = e->onset_s + LEAST_S, length_s = l->w->length_s;
	double to_s = fmin(e->end_s, length_s) - LEAST_S, cliff_s;

	if (to_s <= from_s)
		return;
	earlier(&t->effect_ns, first_s(l, has_effect, from_s, to_s, POINTS));
	cliff_s = first_s(l, is_over, from_s, to_s, POINTS);
	earlier(&t->cliff_ns, cliff_s);
	if (isinf(cliff_s) && e->end_s > length_s)
		cliff_s = first_s(l, is_over, length_s,
				  fmin(e->end_s, 2 * length_s), POINTS_LATER);
	earlier(&t->cliff_later_ns, cliff_s);
}

/* What comes in bursts has its effect with the first of them. */
static void bursts_look(const struct f_event *e, struct truth *t)
{
	double first = INFINITY;

	for (unsigned i = 0; i < e->bursts; i++)
		if (!e->burst[i].mute)
			first = fmin(first, (double)e->burst[i].at_s);
	earlier(&t->effect_ns, fmax(first, e->onset_s));
	if (e->lost_per_s * AN_HOUR_S >= 1) {
		earlier(&t->cliff_ns, fmax(first, e->onset_s));
		t->cliff_later_ns = t->cliff_ns;
	}
}

void f_truth_fill(struct world *w)
{
	for (unsigned i = 0; i < w->events; i++) {
		const struct f_event *e = &w->event[i];

		if (e->row->benign)
			continue;
		if (e->bursts) {
			bursts_look(e, &w->truth[i]);
			continue;
		}
		for (uint64_t left = e->ports; left; left &= left - 1) {
			struct look l = { w, e, (unsigned)
					  __builtin_ctzll(left), (int)i };

			port_look(&l, &w->truth[i]);
		}
	}
}
