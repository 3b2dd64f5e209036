#include "agent/signature/site.h"

#include <math.h>
#include <stdlib.h>

#define ROOM_K 3.0f		/* a room may do that: who stands alone cannot
				 * tell */

static int float_order(const void *a, const void *b)
{
	const float *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

float site_middle(float *value, size_t n)
{
	if (n < SITE_LEAST)
		return NAN;
	qsort(value, n, sizeof(*value), float_order);
	return value[n / 2];
}

/* How warm modules are above usual. */
static float heat_middle(struct engine *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->count; i++) {
		const struct engine_port *p = e->ports[i];
		float k = heat_above(&p->heat, &p->front);

		if (!p->gone && !isnan(k))
			e->values[n++] = k;
	}
	return site_middle(e->values, n);
}

/* Decades that errors are above normal, of those ports that are up. */
static float excess_middle(struct engine *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->count; i++) {
		const struct engine_port *p = e->ports[i];

		if (!p->gone && p->front.link == LINK_IS_UP &&
		    p->ber.t.ns != INT64_MIN && ber_learned(&p->ber))
			e->values[n++] = (float)p->ber.residual.excess;
	}
	return site_middle(e->values, n);
}

/* How old the modules' last readings are, in seconds. */
static float age_middle(struct engine *e, struct mono now)
{
	size_t n = 0;

	for (size_t i = 0; i < e->count; i++) {
		const struct front *f = &e->ports[i]->front;

		if (!e->ports[i]->gone && f->seen[NEED_TEMP].ns != INT64_MIN)
			e->values[n++] = (float)mono_diff_ns(now,
				f->seen[NEED_TEMP]) / (float)NS_PER_S;
	}
	return site_middle(e->values, n);
}

static float missed_middle(struct engine *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->count; i++)
		if (!e->ports[i]->gone && e->ports[i]->cadence.missed.count)
			e->values[n++] = cadence_missed(&e->ports[i]->cadence);
	return site_middle(e->values, n);
}

void site_look(struct engine *e, struct mono now)
{
	float age = age_middle(e, now), missed = missed_middle(e);
	float heat = heat_middle(e), excess = excess_middle(e);

	e->site.module_age_ns = age > 0 ? (int64_t)(age * 1e9f) : 0;
	e->site.missed = missed;
	e->site.heat_k = isnan(heat) ? ROOM_K : fmaxf(heat, 0);
	e->site.excess = excess > 0 ? excess : 0;
}
