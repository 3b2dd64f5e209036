#include "tests/judge/b_effect.h"

#include <math.h>

bool b_effect_strikes(const struct b_happening *h, unsigned lane)
{
	return !h->lanes || h->lanes >> lane & 1;
}

double b_effect_own(const struct b_happening *h, unsigned which, double low,
		    double high)
{
	return low + (high - low) * b_hash_unit(h->seed, 1000 + which);
}

void b_effect_module(const struct b_happening *h, struct b_effect *e)
{
	e->module = h->seed | 1;
	e->heat_k += b_effect_own(h, 70, -2, 2);
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++) {
		e->q_db[i] += b_effect_own(h, 30 + i, -0.15, 0.3);
		e->tx_db[i] += b_effect_own(h, 40 + i, -0.4, 0.4);
		e->bias_share[i] += b_effect_own(h, 50 + i, -0.08, 0.08);
	}
}

void b_effect_add(struct b_effect *e, const struct b_happening *h,
		  int64_t from_ns, int64_t t_ns)
{
	struct b_moment m = { .from_ns = from_ns, .t_ns = t_ns, .h = h };

	if (!h->kind->apply || t_ns < h->onset_ns || t_ns >= h->end_ns)
		return;
	m.s = (double)(t_ns - h->onset_ns) / 1e9;
	m.growth = h->kind->grows ?
		   b_law_growth(h->law, m.s / h->span_s, h->seed) : 1;
	h->kind->apply(&m, e);
}
