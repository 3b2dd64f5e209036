#include "tests/judge/c_kind.h"

#include <math.h>

#include "tests/judge/c_world.h"

#define GROWTH_MAX 1.4

double c_kind_own(const struct c_happening *h, unsigned which, double low,
		  double high)
{
	return low + (high - low) * c_mark_unit(h->mark, which);
}

void c_kind_add(struct c_stress *e, const struct c_happening *h, int64_t t_ns,
		double load, bool is_slow)
{
	struct c_moment m = { .h = h, .t_ns = t_ns, .load = load,
			      .is_slow = is_slow, .size = h->size };

	if (!h->kind->apply || t_ns < h->onset_ns || t_ns >= h->end_ns)
		return;
	m.s = (double)(t_ns - h->onset_ns) / 1e9;
	if (h->kind->grows)
		m.size *= fmin(c_law_growth(h->law, m.s / h->span_s, h->mark),
			       GROWTH_MAX);
	h->kind->apply(&m, e);
}

void c_kind_lay(struct c_port *p, const struct c_happening *h,
		struct c_outage o)
{
	if (o.to_ns > h->end_ns)
		o.to_ns = h->end_ns;
	if (o.from_ns >= o.to_ns || p->outages == C_OUTAGES_MAX)
		return;
	p->outage[p->outages++] = o;
}
