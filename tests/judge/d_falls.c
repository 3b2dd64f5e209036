/* When links are down: listed once, so that a fall between readings counts. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "tests/judge/d_world.h"

#define HOUR_S 3600.0

static int down_add(struct world *w, unsigned port, int64_t from_ns,
		    int64_t to_ns, enum down_reason reason)
{
	struct d_port *p = &w->state[port];
	struct d_down *more;

	if (to_ns <= from_ns || from_ns >= w->at.length_ns)
		return 0;
	if ((p->downs & (p->downs - 1)) == 0) {
		more = reallocarray(p->down, p->downs ? p->downs * 2 : 1,
				    sizeof(*more));
		if (!more)
			return -ENOMEM;
		p->down = more;
	}
	if (reason == DOWN_RX_LOS && !w->port[port].optical)
		reason = DOWN_NO_CARRIER;
	p->down[p->downs++] = (struct d_down){ from_ns, to_ns, reason };
	return 0;
}

/* Of a group they come together: chance is the fault's, not the port's. */
static int falls_add(struct world *w, const struct d_fault *f, unsigned port)
{
	struct draw d = { .state = draw_key(f->key, 7, 0, 0) };
	bool spells = f->kind->course == D_SPELLS;
	/* Oftener, as more than half of the time is no spell. */
	double mean_ns = HOUR_S * 1e9 / f->size[D_FALLS] / (spells ? 2.5 : 1);
	int64_t t_ns = f->from_ns, lasts_ns;
	int rc = 0;

	while (rc == 0 && t_ns < f->end_ns && t_ns < w->at.length_ns) {
		lasts_ns = (int64_t)(1e9 * d_log_between(&d,
						f->kind->size[D_DOWN]));
		if (!spells || d_spell(f, t_ns))
			rc = down_add(w, port, t_ns, t_ns + lasts_ns,
				      f->kind->reason);
		t_ns += lasts_ns + (int64_t)(mean_ns * -log(draw_unit(&d)));
	}
	return rc;
}

static int port_falls(struct world *w, const struct d_fault *f, unsigned port)
{
	/* Who cleans or mends, unplugs. */
	int64_t out_ns = (int64_t)(1e9 * (30 + 60 * key_unit(f->key)));
	int rc = down_add(w, port, f->onset_ns, f->from_ns, DOWN_RX_LOS);

	if (rc == 0 && f->end_ns != INT64_MAX && f->kind->class != D_BENIGN)
		rc = down_add(w, port, f->end_ns - out_ns, f->end_ns,
			      DOWN_RX_LOS);
	if (rc < 0 || f->kind->reason == DOWN_UNKNOWN)
		return rc;
	return f->size[D_FALLS] > 0 ? falls_add(w, f, port) :
	       down_add(w, port, f->from_ns, f->end_ns, f->kind->reason);
}

int d_falls(struct world *w, const struct d_fault *f)
{
	int rc = 0;

	for (unsigned i = 0; i < w->at.ports && rc == 0; i++)
		if (f->ports >> i & 1)
			rc = port_falls(w, f, i);
	return rc;
}

static int earlier(const void *a, const void *b)
{
	const struct d_down *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

void d_falls_sort(struct world *w)
{
	for (unsigned i = 0; i < w->at.ports; i++)
		if (w->state[i].downs)
			qsort(w->state[i].down, w->state[i].downs,
			      sizeof(struct d_down), earlier);
}
