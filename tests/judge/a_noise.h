/* Chance that has memory and tails: slow wandering whose power falls as 1/f,
 * and single values that stray further than a normal law lets them.
 */
#pragma once

#include <stdint.h>
#include "platform/sim/draw.h"

#define A_OCTAVES 5

/* Five octaves, each a straight line from one drawn point to the next. */
struct a_wander {
	double value[A_OCTAVES], step[A_OCTAVES];
};

/* Which octaves come to their next point at a tick, a bit each. */
unsigned a_wander_due(uint64_t tick);
/* Begins as if it had wandered for ever. */
void a_wander_init(struct a_wander *w, struct draw *d);
/* One tick on: mean 0, deviation about 1. */
double a_wander_step(struct a_wander *w, unsigned due, struct draw *d);

/* Mean 0, deviation about 1.2: one in 64 strays five times as far. */
double a_heavy(struct draw *d);
/* Even in the logarithm, between two numbers above 0. */
double a_log_between(struct draw *d, double low, double high);
