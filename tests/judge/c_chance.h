/* Chance for plant C: streams that may be drawn from, and marks that come out
 * alike each time that they are asked for.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct c_range {
	double low, high;
};

struct c_chance {
	uint64_t a, b, c, count;
	double spare;			/* normal, of the pair drawn last */
	bool has_spare;
};

void c_chance_init(struct c_chance *c, uint64_t seed, uint64_t stream);
/* In [0, 1). */
double c_chance_unit(struct c_chance *c);
/* In [0, n); n above 0. */
unsigned c_chance_below(struct c_chance *c, unsigned n);
double c_chance_even(struct c_chance *c, struct c_range r);
/* Evenly in the logarithm; both ends above 0. */
double c_chance_log(struct c_chance *c, struct c_range r);
/* Mean 0, deviation 1. */
double c_chance_normal(struct c_chance *c);
/* Student's t of four degrees of freedom, scaled to deviation 1. */
double c_chance_heavy(struct c_chance *c);
/* Of the mean given: exponential, above 0. */
double c_chance_wait(struct c_chance *c, double mean);
uint64_t c_chance_poisson(struct c_chance *c, double mean);

/* Depends on both alone. */
uint64_t c_mark(uint64_t a, uint64_t b);
/* The same, in [0, 1). */
double c_mark_unit(uint64_t a, uint64_t b);
