/* sfc64 of PractRand (Doty-Humphrey), normals by Marsaglia's polar method,
 * Poisson numbers by inversion, from a mean of 60 on by a rounded normal.
 */
#include "tests/judge/c_chance.h"

#include <math.h>

#define WARM_UP 12
#define LARGE_MEAN 60.0

static uint64_t next(struct c_chance *c)
{
	uint64_t ret = c->a + c->b + c->count++;

	c->a = c->b ^ (c->b >> 11);
	c->b = c->c + (c->c << 3);
	c->c = ((c->c << 24) | (c->c >> 40)) + ret;
	return ret;
}

void c_chance_init(struct c_chance *c, uint64_t seed, uint64_t stream)
{
	*c = (struct c_chance){ .a = seed, .b = stream,
				.c = c_mark(seed, stream), .count = 1 };
	for (unsigned i = 0; i < WARM_UP; i++)
		(void)next(c);		/* as its author asks for */
}

double c_chance_unit(struct c_chance *c)
{
	return (double)(next(c) >> 11) * 0x1p-53;
}

unsigned c_chance_below(struct c_chance *c, unsigned n)
{
	return (unsigned)(c_chance_unit(c) * n);
}

double c_chance_even(struct c_chance *c, struct c_range r)
{
	return r.low + (r.high - r.low) * c_chance_unit(c);
}

double c_chance_log(struct c_chance *c, struct c_range r)
{
	return r.low * pow(r.high / r.low, c_chance_unit(c));
}

double c_chance_normal(struct c_chance *c)
{
	double x, y, square;

	if (c->has_spare) {
		c->has_spare = false;
		return c->spare;
	}
	do {
		x = 2 * c_chance_unit(c) - 1;
		y = 2 * c_chance_unit(c) - 1;
		square = x * x + y * y;
	} while (square >= 1 || square <= 0);
	square = sqrt(-2 * log(square) / square);
	c->spare = y * square;
	c->has_spare = true;
	return x * square;
}

double c_chance_heavy(struct c_chance *c)
{
	/* a chi square of four degrees is twice the sum of two waits */
	double chi = 2 * (c_chance_wait(c, 1) + c_chance_wait(c, 1));

	return c_chance_normal(c) / sqrt(chi / 4) / M_SQRT2;
}

double c_chance_wait(struct c_chance *c, double mean)
{
	return -mean * log(1 - c_chance_unit(c));
}

uint64_t c_chance_poisson(struct c_chance *c, double mean)
{
	double p, sum, u;
	uint64_t n = 0;

	if (!(mean > 0))
		return 0;
	if (mean > LARGE_MEAN)
		return (uint64_t)fmax(mean + sqrt(mean) * c_chance_normal(c) +
				      0.5, 0);
	u = c_chance_unit(c);
	p = sum = exp(-mean);
	while (u > sum && ((double)n < mean || p > 1e-17)) {
		p *= mean / (double)++n;
		sum += p;
	}
	return n;
}

uint64_t c_mark(uint64_t a, uint64_t b)
{
	uint64_t x = a * 0xa0761d6478bd642full ^
		     (b + 0xe7037ed1a0b428dbull) * 0x8ebc6af09c88c6e3ull;

	/* the finaliser of MurmurHash3, twice */
	for (unsigned i = 0; i < 2; i++) {
		x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdull;
		x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ull;
		x ^= x >> 33;
	}
	return x;
}

double c_mark_unit(uint64_t a, uint64_t b)
{
	return (double)(c_mark(a, b) >> 11) * 0x1p-53;
}
