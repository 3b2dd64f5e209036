#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "agent/signature/growth.h"

#define SEED 7
#define POINTS 40
#define NOISE_SD 0.02

static double line(double t)
{
	return t + 0.02;
}

static double power(double t)
{
	return pow(t + 0.02, 1.7);
}

static double faster(double t)
{
	return expm1(1.5 * (t + 0.02));
}

static double tiring(double t)
{
	return -expm1(-1.2 * (t + 0.02));
}

static double sigmoid(double t)
{
	return 1 / (1 + exp(3.5 - 4 * t)) - 1 / (1 + exp(3.5));
}

static double ended(double t)
{
	return pow(fmin(t, 0.75) + 0.02, 1.4);
}

static double noise(void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)random() / RAND_MAX;
	return sum * NOISE_SD;
}

/* Seen from 0 to 1; the goal is what the law is at `at`. Decades alone: on the
 * other scales nothing is seen.
 */
static void grow(double (*law)(double), double at, double much,
		 struct growth *ret)
{
	*ret = (struct growth){ .n = POINTS, .noise = NOISE_SD * NOISE_SD };
	for (unsigned i = 0; i < POINTS; i++) {
		double t = (i + 0.5) / POINTS;

		ret->t[i] = t;
		for (unsigned k = 0; k < GROWTH_SCALE_COUNT; k++) {
			ret->seen[k].y[i] = 2 * law(t) + much * noise();
			ret->seen[k].weight[i] = 1;
			ret->seen[k].goal = 2 * law(at);
		}
	}
}

/* The law with the most evidence. */
static void best_of(const struct growth *g, struct growth_fit *ret)
{
	double most = -INFINITY;

	for (unsigned i = 0; i < growth_law_count; i++) {
		struct growth_fit f;

		if (growth_fit(g, i, &f) && growth_evidence(&f) > most) {
			most = growth_evidence(&f);
			*ret = f;
		}
	}
	assert_true(isfinite(most));
}

static void test_growth_finds_each_law(void **state)
{
	static double (*const laws[])(double) = {
		line, power, faster, tiring, sigmoid,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++) {
		struct growth_node node[GROWTH_NODES];
		struct growth_fit f = { 0 };
		struct growth g;

		grow(laws[i], 1.6, 0, &g);
		g.noise = 1e-8;
		best_of(&g, &f);
		growth_reaches(&g, &f, node);
		assert_true(fabs(node[GROWTH_NODES / 2].t - 1.6) < 0.01);
		assert_true(f.rss < 1e-6);
		for (unsigned k = 0; k < POINTS; k++)
			assert_true(fabs(growth_residual(&g, &f, k)) < 1e-3);
	}
}

/* A growth that has ended has no date, however far it had come. */
static void test_growth_knows_that_it_has_ended(void **state)
{
	struct growth_node node[GROWTH_NODES];
	struct growth_fit f = { 0 };
	struct growth g;

	(void)state;
	srandom(SEED);
	grow(ended, 0.75, 0.5, &g);
	for (unsigned k = 0; k < GROWTH_SCALE_COUNT; k++)
		g.seen[k].goal *= 1.2;
	best_of(&g, &f);
	growth_reaches(&g, &f, node);
	for (unsigned k = 0; k < GROWTH_NODES; k++)
		assert_false(isfinite(node[k].t));
}

/* A sum of squares would give it to the law with the most parameters. */
static void test_growth_prefers_the_simple_law(void **state)
{
	unsigned simple = 0, fitted_worse = 0;

	(void)state;
	srandom(SEED);
	print_message("seed %d\n", SEED);
	for (unsigned i = 0; i < 100; i++) {
		struct growth_fit straight, bent;
		struct growth g;

		grow(line, 2, 1, &g);
		assert_true(growth_fit(&g, 0, &straight));
		assert_true(growth_fit(&g, 1, &bent));
		simple += growth_evidence(&straight) > growth_evidence(&bent);
		fitted_worse += straight.rss > bent.rss;
	}
	print_message("straight in %u of 100, with a worse fit in %u\n",
		      simple, fitted_worse);
	assert_true(simple >= 85);
	assert_true(fitted_worse >= 50);
}

/* The nodes' doubt is the scatter of the estimates, were it made often. */
static void test_growth_doubt_is_its_scatter(void **state)
{
	double sum = 0, squares = 0, said = 0, mean;
	const unsigned times = 400;

	(void)state;
	srandom(SEED);
	print_message("seed %d\n", SEED);
	for (unsigned i = 0; i < times; i++) {
		struct growth_node node[GROWTH_NODES];
		struct growth_fit f;
		struct growth g;

		grow(line, 2, 1, &g);
		assert_true(growth_fit(&g, 0, &f));
		growth_reaches(&g, &f, node);
		sum += node[3].t;
		squares += node[3].t * node[3].t;
		said += (node[2].t - node[4].t) / 1.4;
	}
	mean = sum / times;
	print_message("scatter %.4f, said %.4f\n",
		      sqrt(squares / times - mean * mean),
		      fabs(said / times));
	assert_true(fabs(mean - 2) < 0.02);
	said = fabs(said / times) / sqrt(squares / times - mean * mean);
	assert_true(said > 0.7 && said < 1.4);
}

static void test_growth_doubt_goes_with_the_noise(void **state)
{
	struct growth_node less[GROWTH_NODES], more[GROWTH_NODES];
	double wide, narrow, sum = 0;
	struct growth_fit f;
	struct growth g;

	(void)state;
	srandom(SEED);
	grow(line, 2, 1, &g);
	assert_true(growth_fit(&g, 0, &f));
	growth_reaches(&g, &f, less);
	assert_true(growth_doubt(&f, 4 * g.noise));
	growth_reaches(&g, &f, more);
	narrow = fabs(less[4].t - less[2].t);
	wide = fabs(more[4].t - more[2].t);
	for (unsigned i = 0; i < GROWTH_NODES; i++)
		sum += more[i].weight;
	assert_true(wide > 1.5 * narrow && wide < 2.5 * narrow);
	assert_true(fabs(sum - 1) < 1e-9);
}

static void test_growth_that_ends_below_never_reaches(void **state)
{
	struct growth_node node[GROWTH_NODES];
	struct growth_fit f = { 0 };
	struct growth g;

	(void)state;
	grow(sigmoid, 1, 0, &g);
	g.noise = 1e-8;
	for (unsigned k = 0; k < GROWTH_SCALE_COUNT; k++)
		g.seen[k].goal = 2.2;	/* it ends at 2 */
	best_of(&g, &f);
	growth_reaches(&g, &f, node);
	assert_true(isinf(node[GROWTH_NODES / 2].t));
}

static void test_growth_of_a_fall_is_none(void **state)
{
	struct growth_fit f;
	struct growth g;

	(void)state;
	grow(line, 2, 0, &g);
	for (unsigned i = 0; i < POINTS; i++)
		g.seen[GROWTH_DECADES].y[i] *= -1;
	assert_false(growth_fit(&g, 0, &f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growth_finds_each_law),
		cmocka_unit_test(test_growth_knows_that_it_has_ended),
		cmocka_unit_test(test_growth_prefers_the_simple_law),
		cmocka_unit_test(test_growth_doubt_is_its_scatter),
		cmocka_unit_test(test_growth_doubt_goes_with_the_noise),
		cmocka_unit_test(test_growth_that_ends_below_never_reaches),
		cmocka_unit_test(test_growth_of_a_fall_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
