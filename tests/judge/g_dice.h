/* Chance for plant G: a stream that is drawn from, and noise that is a function
 * of its time alone, so that the future can be asked before it comes.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

static inline uint64_t g_hash(uint64_t z)
{
	z += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline uint64_t g_draw(uint64_t *dice)
{
	*dice += UINT64_C(0x9e3779b97f4a7c15);
	return g_hash(*dice);
}

/* From 0 up to 1. */
static inline double g_unit(uint64_t *dice)
{
	return (double)(g_draw(dice) >> 11) * 0x1p-53;
}

static inline double g_between(uint64_t *dice, double low, double high)
{
	return low + (high - low) * g_unit(dice);
}

/* Each decade is as likely as the next; 0 where there is no range. */
static inline double g_log_between(uint64_t *dice, double low, double high)
{
	return low > 0 ? low * pow(high / low, g_unit(dice)) : 0;
}

static inline unsigned g_below(uint64_t *dice, unsigned n)
{
	return (unsigned)((g_draw(dice) >> 32) * n >> 32);
}

static inline bool g_chance(uint64_t *dice, double share)
{
	return g_unit(dice) < share;
}

/* The sum of eight uniforms, of 16 bits each: to 4 sigma near enough. */
static inline double g_normal(uint64_t *dice)
{
	uint64_t a = g_draw(dice), b = g_draw(dice);
	int64_t sum = 0;

	for (int i = 0; i < 64; i += 16)
		sum += (int64_t)(a >> i & 0xffff) + (int64_t)(b >> i & 0xffff);
	/* Each has a variance of 2^32 / 12. */
	return ((double)sum - 4 * 65535.0) * (1.2247448713915890 / 65536);
}

/* Poisson. */
static inline double g_count(uint64_t *dice, double mean)
{
	double u, term, n = 0;

	if (mean > 30)
		return fmax(0, round(mean + sqrt(mean) * g_normal(dice)));
	if (mean < 1e-15)
		return 0;
	u = g_unit(dice);
	term = exp(-mean);
	while (u >= term && n < 200) {
		u -= term;
		n++;
		term *= mean / n;
	}
	return n;
}

/* What lies at a place of an endless row: -1 to 1, and 0 to 1. */
static inline double g_at(uint64_t salt, int64_t place)
{
	uint64_t mixed = (uint64_t)place * UINT64_C(0xd1342543de82ef95);
	uint64_t h = g_hash(salt ^ mixed);

	return (double)((int64_t)h >> 10) * 0x1p-53;
}

static inline double g_share_at(uint64_t salt, int64_t place)
{
	return 0.5 * g_at(salt, place) + 0.5;
}

/* A smooth curve through such points, one a period. */
static inline double g_wave(uint64_t salt, double t_s, double period_s)
{
	double at = t_s / period_s, whole = floor(at), x = at - whole;
	double a = g_at(salt, (int64_t)whole);
	double b = g_at(salt, (int64_t)whole + 1);

	return a + (b - a) * x * x * (3 - 2 * x);
}

/* Noise with memory, of about one rms: waves of equal size, each four times as
 * slow as the one before it, which is a spectrum of 1/f.
 */
static inline double g_wander(uint64_t salt, double t_s, double fastest_s,
			      int waves)
{
	double sum = 0, period_s = fastest_s;

	for (int i = 0; i < waves; i++) {
		sum += g_wave(salt + (unsigned)i, t_s, period_s);
		period_s *= 4;
	}
	return sum * 2 / sqrt(waves);
}
