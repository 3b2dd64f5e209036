/* xoshiro256++ 1.0, seeded by splitmix64 (Blackman and Vigna, 2019). */
#include "tests/judge/b_draw.h"

#include <math.h>

#define SMALL_MEAN 1e-3		/* two events at once are left out */
#define LARGE_MEAN 30.0

static uint64_t mixed(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

uint64_t b_hash(uint64_t a, uint64_t b)
{
	return mixed(mixed(a + 0x9e3779b97f4a7c15ull) +
		     b * 0xd1342543de82ef95ull + 0x2545f4914f6cdd1dull);
}

static double unit_of(uint64_t bits)
{
	return (double)(bits >> 11) * 0x1p-53;
}

double b_hash_unit(uint64_t a, uint64_t b)
{
	return unit_of(b_hash(a, b));
}

void b_draw_init(struct b_draw *d, uint64_t seed)
{
	for (unsigned i = 0; i < 4; i++)
		d->state[i] = b_hash(seed, i);
}

static uint64_t rotated(uint64_t x, unsigned by)
{
	return (x << by) | (x >> (64 - by));
}

uint64_t b_draw_u64(struct b_draw *d)
{
	uint64_t *s = d->state, ret = rotated(s[0] + s[3], 23) + s[0];
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotated(s[3], 45);
	return ret;
}

double b_draw_unit(struct b_draw *d)
{
	return unit_of(b_draw_u64(d));
}

unsigned b_draw_below(struct b_draw *d, unsigned n)
{
	return (unsigned)(b_draw_unit(d) * n);
}

double b_draw_between(struct b_draw *d, double low, double high)
{
	return low + (high - low) * b_draw_unit(d);
}

double b_draw_log(struct b_draw *d, double low, double high)
{
	return low * exp(log(high / low) * b_draw_unit(d));
}

/* Coins tossed at once are near a normal; a draw between fills the steps. */
double b_draw_normal(struct b_draw *d)
{
	uint64_t a = b_draw_u64(d), b = b_draw_u64(d);
	int heads = __builtin_popcountll(a) - 32;

	return ((double)heads + unit_of(b) - 0.5) / sqrt(16.0 + 1.0 / 12.0);
}

static uint64_t count_small(struct b_draw *d, double mean)
{
	double p = exp(-mean), u = b_draw_unit(d);
	uint64_t n = 0;

	while (u > p && n < 200) {
		u -= p;
		p *= mean / (double)++n;
	}
	return n;
}

uint64_t b_draw_count(struct b_draw *d, double mean)
{
	double x;

	if (!(mean > 0))
		return 0;
	if (mean < SMALL_MEAN)
		return b_draw_unit(d) < mean;
	if (mean < LARGE_MEAN)
		return count_small(d, mean);
	x = mean + sqrt(mean) * b_draw_normal(d) + 0.5;
	return x > 0 ? (uint64_t)x : 0;
}
