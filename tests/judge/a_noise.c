#include "tests/judge/a_noise.h"

#include <math.h>

/* Ticks from one point to the next: at a reading a minute to 43 hours. */
static const unsigned periods[A_OCTAVES] = { 2, 12, 72, 432, 2592 };

/* Straight lines between points of deviation 1 have 0.82 on average. */
#define LINE_DEVIATION 0.82
#define SCALE (1 / (2.236 * LINE_DEVIATION))
#define STRAY_MASK 63u
#define STRAY_FACTOR 5.0

unsigned a_wander_due(uint64_t tick)
{
	unsigned due = 0;

	for (unsigned k = 0; k < A_OCTAVES; k++)
		due |= (unsigned)(tick % periods[k] == 0) << k;
	return due;
}

void a_wander_init(struct a_wander *w, struct draw *d)
{
	for (unsigned k = 0; k < A_OCTAVES; k++) {
		w->value[k] = draw_rough(d);
		w->step[k] = (draw_rough(d) - w->value[k]) / periods[k];
	}
}

double a_wander_step(struct a_wander *w, unsigned due, struct draw *d)
{
	double sum = 0;

	for (unsigned k = 0; due != 0 && k < A_OCTAVES; k++)
		if (due & 1u << k)
			w->step[k] = (draw_rough(d) - w->value[k]) /
				periods[k];
	for (unsigned k = 0; k < A_OCTAVES; k++) {
		w->value[k] += w->step[k];
		sum += w->value[k];
	}
	return sum * SCALE;
}

double a_heavy(struct draw *d)
{
	double value = draw_rough(d);

	return (draw_u64(d) & STRAY_MASK) == 0 ? STRAY_FACTOR * value : value;
}

double a_log_between(struct draw *d, double low, double high)
{
	return exp(draw_between(d, log(low), log(high)));
}
