#include "platform/sim/draw.h"

#include <math.h>

#include "agent/base/hash.h"

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)
#define OCTAVES 5
#define OCTAVE_SHORTEST_S 16.0
#define OCTAVE_RATIO 8.0
/* Smooth noise between lattice points of deviation 1 has 0.86 on average. */
#define OCTAVE_DEVIATION 0.86
#define POISSON_NORMAL_FROM 30.0

uint64_t draw_key(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t key = hash_mix(seed + GOLDEN);

	key = hash_mix(key ^ (a + GOLDEN));
	key = hash_mix(key ^ (b + 2 * GOLDEN));
	return hash_mix(key ^ (c + 3 * GOLDEN));
}

uint64_t draw_u64(struct draw *d)
{
	d->state += GOLDEN;
	return hash_mix(d->state);
}

static double unit_of(uint64_t bits)
{
	return ((double)(bits >> 11) + 0.5) * 0x1p-53;
}

static double rough_of(uint64_t bits)
{
	double sum = 0;

	for (int i = 0; i < 4; i++)
		sum += (double)(bits >> (16 * i) & 0xffff);
	/* A sum of four uniforms has mean 2 and variance 1/3. */
	return (sum / 65536 + 4 * 0.5 / 65536 - 2) * 1.7320508;
}

double draw_unit(struct draw *d)
{
	return unit_of(draw_u64(d));
}

double draw_between(struct draw *d, double low, double high)
{
	return low + (high - low) * draw_unit(d);
}

double draw_normal(struct draw *d)
{
	double radius = sqrt(-2 * log(draw_unit(d)));

	return radius * cos(2 * M_PI * draw_unit(d));
}

double draw_rough(struct draw *d)
{
	return rough_of(draw_u64(d));
}

static uint64_t poisson_search(struct draw *d, double mean)
{
	double p = exp(-mean), below = p, u = draw_unit(d);
	uint64_t n = 0;

	while (u > below && p > 0 && n < 1000) {
		p *= mean / (double)++n;
		below += p;
	}
	return n;
}

uint64_t draw_poisson(struct draw *d, double mean)
{
	double z, value;

	if (!(mean > 0))
		return 0;
	if (mean < POISSON_NORMAL_FROM)
		return poisson_search(d, mean);
	z = draw_normal(d);
	value = mean + sqrt(mean) * z + (z * z - 1) / 6 + 0.5;
	return value > 0 ? (uint64_t)value : 0;
}

double key_unit(uint64_t key)
{
	return unit_of(hash_mix(key + GOLDEN));
}

static double lattice(uint64_t key, uint64_t octave, int64_t point)
{
	return rough_of(hash_mix(
		key ^ hash_mix((uint64_t)point * OCTAVES + octave)));
}

double key_wander(uint64_t key, double t_s)
{
	double sum = 0, period = OCTAVE_SHORTEST_S;

	for (uint64_t octave = 0; octave < OCTAVES; octave++) {
		double at = t_s / period, below = floor(at), x = at - below;
		double low = lattice(key, octave, (int64_t)below);
		double high = lattice(key, octave, (int64_t)below + 1);

		sum += low + (high - low) * x * x * (3 - 2 * x);
		period *= OCTAVE_RATIO;
	}
	return sum / (sqrt(OCTAVES) * OCTAVE_DEVIATION);
}
