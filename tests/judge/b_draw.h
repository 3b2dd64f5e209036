/* Chance for plant B: a generator a port, and hashes for what has to come out
 * alike each time that it is asked. Nothing here keeps state of its own.
 */
#pragma once

#include <stdint.h>

struct b_draw {
	uint64_t state[4];
};

void b_draw_init(struct b_draw *d, uint64_t seed);
uint64_t b_draw_u64(struct b_draw *d);
/* In [0, 1). */
double b_draw_unit(struct b_draw *d);
/* In [0, n); 0 where n is 0. */
unsigned b_draw_below(struct b_draw *d, unsigned n);
double b_draw_between(struct b_draw *d, double low, double high);
/* Evenly in the logarithm; both above 0. */
double b_draw_log(struct b_draw *d, double low, double high);
/* Mean 0, deviation 1. Out to 8 deviations: good enough for noise. */
double b_draw_normal(struct b_draw *d);
/* Poisson's; rounded normal for a mean over 30. */
uint64_t b_draw_count(struct b_draw *d, double mean);

/* A number that depends on both alone. */
uint64_t b_hash(uint64_t a, uint64_t b);
/* The same, in [0, 1). */
double b_hash_unit(uint64_t a, uint64_t b);
