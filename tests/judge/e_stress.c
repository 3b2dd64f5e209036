/* What acts on a port: happenings, each at its level, added up. */
#include <math.h>
#include <string.h>

#include "tests/judge/e_world.h"

#define QUIVER_SHARE 0.25
#define TOUCH_S 20.0		/* a plug is out */
#define MEND_S 120.0
#define UNPLUGGED_DB 60.0

/* Of what should be shared evenly, the first has more than the others. */
static double skewed(const struct e_happening *h, unsigned port, double level)
{
	int n = __builtin_popcountll(h->ports);
	double moved = fmin(h->size[E_AMOUNT] * level, 0.95);

	return port == h->first ? 1 + moved * fmin(n - 1, 2) : 1 - moved;
}

static double load_factor(const struct e_happening *h, unsigned port,
			  double level)
{
	unsigned acts = h->kind->acts;

	if (!(level > 0))
		return 1;
	if (acts & E_SKEW)
		return skewed(h, port, level);
	if (acts & E_AWAY)
		return 0.01;
	return acts & E_LOADED ? h->size[E_AMOUNT] : 1;
}

void e_stress_add(const struct e_happening *h, unsigned port, unsigned lanes,
		  double level, struct e_stress *s)
{
	const double *size = h->size;

	for (unsigned i = 0; i < E_HEAT; i++)
		for (unsigned k = 0; k < lanes && size[i] != 0; k++)
			s->lane[i][k] += size[i] * level * h->weight[k];
	for (unsigned i = E_HEAT; i < E_PARTS; i++)
		s->of[i] += i == E_FALLS || i == E_DOWN ? 0 : size[i] * level;
	s->load *= load_factor(h, port, level);
	if (level > 0)
		s->acts |= h->kind->acts;
}

/* Is a plug out, by a touch or as a part is exchanged? */
static bool is_unplugged(const struct e_happening *h, int64_t t_ns)
{
	bool is_mended = h->end_ns != E_NEVER && h->kind->sort != E_BENIGN &&
			 h->kind->action > ACTION_OBSERVE &&
			 h->kind->action < ACTION_FIX_AIRFLOW;

	if (t_ns >= h->end_ns)
		return is_mended &&
		       (double)(t_ns - h->end_ns) / 1e9 < MEND_S;
	return h->kind->acts & E_TOUCH &&
	       (double)(t_ns - h->onset_ns) / 1e9 < TOUCH_S;
}

static void hold_down(const struct e_happening *h, unsigned lanes,
		      int64_t t_ns, struct e_stress *s)
{
	bool out = is_unplugged(h, t_ns);

	for (unsigned i = 0; i < lanes && out; i++)
		s->lane[E_LOSS][i] += UNPLUGGED_DB;
	if (out || (h->kind->acts & E_OUT && t_ns < h->end_ns)) {
		s->is_out = true;
		s->reason = h->kind->reason;
	}
}

static void falls_add(struct world *w, const struct e_happening *h,
		      struct e_port *p)
{
	int64_t until_ns = 0;
	unsigned n = e_falls(h, w->before_ns, w->now_ns, &until_ns);

	/* One that is still down is counted when the link is seen to fall. */
	if (n && until_ns > w->now_ns)
		n--;
	p->now.link_down_count += n;
	if (until_ns > w->now_ns ||
	    (e_falls(h, w->now_ns - (int64_t)(1e10 * h->size[E_DOWN]),
		     w->now_ns, &until_ns) && until_ns > w->now_ns)) {
		p->stress.is_out = true;
		p->stress.reason = h->kind->reason;
	}
}

void e_stress_now(struct world *w, unsigned port, double load)
{
	struct e_port *p = &w->state[port];
	struct e_stress *s = &p->stress;

	memset(s, 0, sizeof(*s));
	s->load = 1;
	for (size_t i = 0; i < w->actives; i++) {
		const struct e_happening *h = &w->happening[w->active[i]];
		double level;

		if (!(h->ports >> port & 1))
			continue;
		level = e_level(h, w->now_ns, load);
		if (h->kind->acts & E_QUIVER)
			level *= 1 + QUIVER_SHARE *
				 key_wander(h->key, (double)w->now_ns / 1e9);
		e_stress_add(h, port, p->media->lanes, fmax(level, 0), s);
		hold_down(h, p->media->lanes, w->now_ns, s);
		falls_add(w, h, p);
	}
}
