#include "tests/judge/f_growth.h"

#include <math.h>

#include "tests/judge/f_dice.h"

#define MOST 2.5

/* Dust, creep, a fan's bearing: so much a day. */
static double linear(const struct f_growth *g, double x)
{
	(void)g;
	return x;
}

/* Dark-line defects of a laser: faster the more there are. */
static double exponential(const struct f_growth *g, double x)
{
	double k = 2 + 2 * g->bend;

	return expm1(k * fmin(x, 1.5)) / expm1(k);
}

/* Two things that each grow and meet. */
static double quadratic(const struct f_growth *g, double x)
{
	(void)g;
	return x * x;
}

/* Oxide and other diffusion. */
static double diffusive(const struct f_growth *g, double x)
{
	(void)g;
	return sqrt(x);
}

/* Moisture and glue that take up what they can. */
static double saturating(const struct f_growth *g, double x)
{
	double k = 2.5 + 2 * g->bend;

	return -expm1(-k * x) / -expm1(-k);
}

/* Cracks: at rest, then a step; each has its own height. */
static double staircase(const struct f_growth *g, double x)
{
	uint64_t s = g->seed;
	unsigned steps = 3 + (unsigned)(g->rest * 6);
	double sum = 0, done = 0;

	for (unsigned i = 0; i < steps; i++) {
		double height = f_between(&s, 0.4, 1.6);
		double at = (i + f_uniform(&s)) / steps;

		sum += height;
		done += x >= at ? height : 0;
	}
	return done / sum;
}

/* Grows, rests for a while, grows on. */
static double halting(const struct f_growth *g, double x)
{
	double from = 0.2 + 0.4 * g->bend, rest = 0.1 + 0.3 * g->rest;
	double rate = 1 / (1 - rest);

	if (x < from)
		return x * rate;
	return x < from + rest ? from * rate : (x - rest) * rate;
}

/* Grows, goes back by half and more, and comes again. */
static double returning(const struct f_growth *g, double x)
{
	double from = 0.25 + 0.25 * g->bend, back = 0.1 + 0.15 * g->rest;
	double top = 0.45 + 0.2 * g->bend, low = top * (0.2 + 0.4 * g->rest);

	if (x < from)
		return top * x / from;
	if (x < from + back)
		return top + (low - top) * (x - from) / back;
	return low + (1 - low) * (x - from - back) / (1 - from - back);
}

/* Grows to a part of what it would have come to, and stays. */
static double stopping(const struct f_growth *g, double x)
{
	return fmin(x, 0.35 + 0.45 * g->rest);
}

static double (*const shape[])(const struct f_growth *g, double x) = {
	linear, exponential, quadratic, diffusive, saturating, staircase,
	halting, returning, stopping,
};

#define LAWS (sizeof(shape) / sizeof(shape[0]))

const char *const f_growth_laws[LAWS + 1] = {
	"linear", "exponential", "quadratic", "diffusive", "saturating",
	"staircase", "halting", "returning", "stopping", NULL,
};

struct f_growth f_growth_draw(uint64_t *stream, uint32_t mask, double span_s)
{
	struct f_growth g = { .span_s = span_s };
	uint32_t all = (UINT32_C(1) << LAWS) - 1;
	unsigned n;

	mask &= all;
	if (!mask)
		mask = all;
	n = f_pick(stream, (unsigned)__builtin_popcount(mask));
	while (n--)
		mask &= mask - 1;
	g.law = __builtin_ctz(mask);
	g.bend = f_uniform(stream);
	g.rest = f_uniform(stream);
	g.seed = f_dice(stream);
	return g;
}

double f_growth_at(const struct f_growth *g, double since_s)
{
	if (since_s < 0)
		return 0;
	if (g->law < 0)
		return 1;
	return fmin(MOST, shape[g->law](g, since_s / g->span_s));
}

const char *f_growth_name(const struct f_growth *g)
{
	return g->law < 0 ? "" : f_growth_laws[g->law];
}
