/* How long healthy counts run until a test for change alarms, against the
 * bound that trend.h states for it:
 *
 *   arl_trials [RUNS [SEED]]
 *
 * Each is run at levels low enough to be waited for; the bound is the same
 * function of the level. Exit status 1 when a mean is below its bound by more
 * than two standard errors.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "agent/base/number.h"
#include "agent/signature/trend.h"
#include "platform/sim/draw.h"

#define ADMITTED 1.99526231496888	/* 0.3 decades */
#define SHAPE 20.0
#define BOUNDS_LONGEST 40	/* times the bound, and the run ends */

/* What is healthy. */
struct null {
	const char *name;
	double mean, shape;	/* shape 0: Poisson */
	double shift;		/* that is admitted, a factor */
	double memory;		/* of the mean, which never is above */
};

static const struct null nulls[] = {
	{ "Poisson, few", 0.3, 0, 1, 0 },
	{ "Poisson, many", 300, 0, 1, 0 },
	{ "Poisson, shifted", 30, 0, ADMITTED, 0 },
	{ "negative binomial", 30, SHAPE, 1, 0 },
	{ "negative binomial, many", 3000, SHAPE, 1, 0 },
	{ "negative binomial, shifted", 30, SHAPE, ADMITTED, 0 },
	{ "shifted, with memory", 30, SHAPE, ADMITTED, 0.95 },
};

/* Marsaglia and Tsang. */
static double gamma_draw(struct draw *d, double shape)
{
	double a = shape - 1.0 / 3, c = 1 / sqrt(9 * a);

	for (;;) {
		double x = draw_normal(d), v = 1 + c * x;

		v = v * v * v;
		if (v > 0 && log(draw_unit(d)) <
			     x * x / 2 + a - a * v + a * log(v))
			return a * v;
	}
}

static double count_draw(struct draw *d, const struct null *n, double *low)
{
	double mean = n->mean * n->shift;

	*low = n->memory * *low + (1 - n->memory) * fabs(draw_normal(d));
	if (n->memory > 0)
		mean *= exp(-*low / 4);
	if (n->shape > 0)
		mean *= gamma_draw(d, n->shape) / n->shape;
	return (double)draw_poisson(d, mean);
}

static double ecount_run(struct draw *d, const struct null *n, double ln_level)
{
	struct ecount e = { 0 };
	double t = 0, end = BOUNDS_LONGEST * exp(ln_level), low = 0;

	do {
		double x = count_draw(d, n, &low);

		t++;
		if (ecount_take(&e, x, n->mean * ADMITTED, n->shape) > ln_level)
			return t;
	} while (t < end);
	return t;
}

/* Residuals as ber.c has them: log10 of the count over its own deviation. No
 * shift is admitted.
 */
static double cusum_run(struct draw *d, const struct null *n, double ln_level)
{
	struct cusum_rule rule = { .drift = 1.5f, .low = -3, .high = 6,
				   .level = (float)(ln_level / 3) };
	double t = 0, end = BOUNDS_LONGEST * exp(ln_level), low = 0;
	double sd = sqrt((n->shape > 0 ? 1 / n->shape : 0) + 1 / n->mean) /
		    M_LN10;
	struct cusum c = { 0 };

	do {
		double x = count_draw(d, n, &low) + 0.5;
		double z = log10(x / n->mean) / sd;

		t++;
		if (cusum_take(&c, &rule, z, (struct mono){ 0 }))
			return t;
	} while (t < end);
	return t;
}

static bool judged(const char *test, const struct null *n, double ln_level,
		   uint64_t runs, struct draw *d,
		   double (*run)(struct draw *, const struct null *, double))
{
	double sum = 0, squares = 0, mean, error, bound = exp(ln_level);

	for (uint64_t i = 0; i < runs; i++) {
		double t = run(d, n, ln_level);

		sum += t;
		squares += t * t;
	}
	mean = sum / (double)runs;
	error = sqrt(fmax(squares / (double)runs - mean * mean, 0) /
		     (double)runs);
	printf("%-10s %-27s %8.0f %10.0f +- %-8.0f %s\n", test, n->name, bound,
	       mean, error, mean + 2 * error >= bound ? "" : "TOO SHORT");
	return mean + 2 * error >= bound;
}

int main(int argc, char **argv)
{
	static const double ln_level[] = { 3, 5, 7 };
	uint64_t runs = 200, seed = 1;
	struct draw d;
	bool good = true;

	if ((argc > 1 && number_parse(argv[1], 1, 100000, &runs) < 0) ||
	    (argc > 2 && number_parse(argv[2], 0, UINT64_MAX, &seed) < 0))
		return 64;
	printf("seed %llu\n%-10s %-27s %8s %10s\n", (unsigned long long)seed,
	       "test", "healthy counts", "bound", "mean run");
	draw_init(&d, seed);
	for (size_t i = 0; i < sizeof(nulls) / sizeof(nulls[0]); i++) {
		for (size_t k = 0; k < 3; k++)
			good &= judged("e-detector", &nulls[i], ln_level[k],
				       runs, &d, ecount_run);
		if (nulls[i].mean < 30 || nulls[i].shift > 1)
			continue;	/* not nearly normal, or moved */
		for (size_t k = 0; k < 3; k++)
			good &= judged("cusum", &nulls[i], ln_level[k], runs,
				       &d, cusum_run);
	}
	printf("%s\n", good ? "bounds hold" : "bounds broken");
	return !good;
}
