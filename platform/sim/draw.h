/* Repeatable randomness: every draw is a function of a key, so that the plant
 * gives the same answer when asked twice. No state outlives a step.
 */
#pragma once

#include <stdint.h>

/* A key from a seed and what is drawn; any changed argument changes it. */
uint64_t draw_key(uint64_t seed, uint64_t a, uint64_t b, uint64_t c);

/* A stream of draws, begun by a key. */
struct draw {
	uint64_t state;
};

static inline void draw_init(struct draw *d, uint64_t key)
{
	d->state = key;
}

/* 64 uniform bits. */
uint64_t draw_u64(struct draw *d);
/* Above 0, below 1. */
double draw_unit(struct draw *d);
/* Uniform between low and high. */
double draw_between(struct draw *d, double low, double high);
/* Mean 0, deviation 1, by Box and Muller: accurate tails. */
double draw_normal(struct draw *d);
/* Mean 0, deviation 1, never above 3.5: a sum of four uniforms. Cheap. */
double draw_rough(struct draw *d);
/* A Poisson count; from a mean of 30 on a normal corrected for its skew. */
uint64_t draw_poisson(struct draw *d, double mean);

/* The number from 0 to 1 that belongs to a key. */
double key_unit(uint64_t key);

/* Slow drift of about deviation 1 at time t: five octaves of smooth noise from
 * a quarter of a minute to most of a day, which together fall off as 1/f.
 */
double key_wander(uint64_t key, double t_s);
