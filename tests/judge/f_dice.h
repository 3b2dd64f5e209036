/* Chance, as a function of a seed: splitmix64. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* The next 64 bits of a stream. */
static inline uint64_t f_dice(uint64_t *stream)
{
	uint64_t z = (*stream += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* From 0 to below 1. */
static inline double f_uniform(uint64_t *stream)
{
	return (double)(f_dice(stream) >> 11) * 0x1p-53;
}

static inline double f_between(uint64_t *stream, double low, double high)
{
	return low + (high - low) * f_uniform(stream);
}

/* As likely in each octave; low is above 0. */
static inline double f_log_between(uint64_t *stream, double low, double high)
{
	return low * exp(log(high / low) * f_uniform(stream));
}

static inline bool f_chance(uint64_t *stream, double likely)
{
	return f_uniform(stream) < likely;
}

/* From 0 to count - 1. */
static inline unsigned f_pick(uint64_t *stream, unsigned count)
{
	return (unsigned)(f_dice(stream) >> 32) % count;
}

/* Near enough to normal within 3.4 sigma: the four parts of one draw. */
static inline double f_normal(uint64_t *stream)
{
	uint64_t z = f_dice(stream);
	uint64_t sum = (z & 0xffff) + (z >> 16 & 0xffff) + (z >> 32 & 0xffff) +
		       (z >> 48);

	return ((double)sum - 131070.0) * (1 / 37837.2);
}

/* Normal mostly; one in fifty is four times as far out. */
static inline double f_heavy(uint64_t *stream)
{
	double z = f_normal(stream);

	return f_chance(stream, 0.02) ? 4 * z : z;
}
