#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "agent/signature/trend.h"
#include "tests/support/quick.h"

#define SEED 20260101

static double uniform(void)
{
	return (double)random() / ((double)RAND_MAX + 1) + 1e-12;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307 * uniform());
}

static double poisson(double mean)
{
	double limit = exp(-mean), p = uniform();
	int n = 0;

	for (; p > limit; n++)
		p *= uniform();
	return n;
}

/* A gamma of whole shape, then a Poisson of it: the negative binomial. */
static double negative_binomial(double mean, int shape)
{
	double gamma = 0;

	for (int i = 0; i < shape; i++)
		gamma -= log(uniform());
	return poisson(mean * gamma / shape);
}

static int seeded(void **state)
{
	(void)state;
	srandom(SEED);
	print_message("seed %d\n", SEED);
	return 0;
}

/* Mean run to an alarm on standard normals. */
static double cusum_run(const struct cusum_rule *rule, double shift, int runs)
{
	double total = 0;

	for (int i = 0; i < runs; i++) {
		struct cusum c = { 0 };
		int n = 1;

		while (!cusum_take(&c, rule, normal() + shift,
				   (struct mono){ n }))
			n++;
		total += n;
	}
	return total / runs;
}

static void test_trend_cusum_runs_as_siegmund_says(void **state)
{
	static const struct cusum_rule rules[] = {
		{ .drift = 0.5f, .level = 3, .low = -99, .high = 99 },
		{ .drift = 0.5f, .level = 4, .low = -99, .high = 99 },
		{ .drift = 1.0f, .level = 2, .low = -99, .high = 99 },
	};
	const int runs = (int)quick(2000, 500);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		double d = rules[i].drift, b = rules[i].level + 1.166;
		double right = (exp(2 * d * b) - 2 * d * b - 1) / (2 * d * d);
		double found = cusum_run(&rules[i], 0, runs);

		print_message("drift %.1f level %.0f: ARL %.0f, Siegmund "
			      "%.0f\n", d, (double)rules[i].level, found,
			      right);
		assert_true(fabs(found / right - 1) < 0.12);
	}
}

/* High from its first value on, it never stood at 0. */
static void test_trend_cusum_always_has_a_date(void **state)
{
	static const struct cusum_rule rule = { .drift = 1.5f, .level = 12,
						.low = -3, .high = 6 };
	struct cusum c = { .since = { INT64_MIN } };

	(void)state;
	(void)cusum_take(&c, &rule, 5, (struct mono){ 7 });
	assert_int_equal(c.since.ns, 7);
}

static void test_trend_cusum_sees_a_shift_and_dates_it(void **state)
{
	static const struct cusum_rule rule = { .drift = 1.5f, .level = 12,
						.low = -3, .high = 6 };
	struct cusum c = { 0 };
	int n = 0;

	(void)state;
	for (; n < 1000; n++)
		assert_false(cusum_take(&c, &rule, normal(),
					(struct mono){ n }));
	while (!cusum_take(&c, &rule, 4 + normal(), (struct mono){ n }))
		n++;
	assert_in_range(n, 1002, 1010);
	assert_in_range(c.since.ns, 996, 1001);
}

static void test_trend_cusum_clips_a_spike(void **state)
{
	static const struct cusum_rule rule = { .drift = 1.5f, .level = 12,
						.low = -3, .high = 6 };
	struct cusum c = { 0 };

	(void)state;
	assert_false(cusum_take(&c, &rule, 1e9, (struct mono){ 1 }));
	assert_false(cusum_take(&c, &rule, 1e9, (struct mono){ 2 }));
	assert_true(cusum_take(&c, &rule, 1e9, (struct mono){ 3 }));
	for (int i = 0; i < 100; i++)
		(void)cusum_take(&c, &rule, 1e9, (struct mono){ 4 + i });
	assert_true(c.sum <= 2 * rule.level);
}

/* Healthy streams reach ln A after A windows or later: with A = 400 not
 * oftener than once in 400 windows.
 */
static void ecount_keeps_its_word(double (*draw)(double), double mean,
				  double expected, double shape)
{
	double level = log(400), run = 0, total = 0;
	int alarms = 0;
	struct ecount e = { 0 };

	for (int i = 0; i < 60000; i++) {
		run++;
		if (ecount_take(&e, draw(mean), expected, shape) < level)
			continue;
		e = (struct ecount){ 0 };
		total += run;
		run = 0;
		alarms++;
	}
	print_message("mean %.1f of %.1f: %d alarms, run %.0f\n", mean,
		      expected, alarms, alarms ? total / alarms : INFINITY);
	assert_true(alarms <= 60000 / 400);
}

static double draw_nb(double mean)
{
	return negative_binomial(mean, 4);
}

static void test_trend_ecount_bounds_false_alarms_of_poisson(void **state)
{
	(void)state;
	ecount_keeps_its_word(poisson, 10, 10, 0);
	ecount_keeps_its_word(poisson, 0.3, 0.3, 0);
}

static void test_trend_ecount_bounds_false_alarms_of_wide_counts(void **state)
{
	(void)state;
	ecount_keeps_its_word(draw_nb, 10, 10, 4);
}

/* 0.3 decades of benign shift: twice the mean, and that is what is admitted. */
static void test_trend_ecount_bounds_false_alarms_of_a_shift(void **state)
{
	(void)state;
	ecount_keeps_its_word(poisson, 10 * 1.9953, 10 * 1.9953, 0);
	ecount_keeps_its_word(draw_nb, 10 * 1.9953, 10 * 1.9953, 4);
}

static void test_trend_ecount_sees_a_tenfold_step_at_once(void **state)
{
	struct ecount e = { 0 };

	(void)state;
	for (int i = 0; i < 100; i++)
		(void)ecount_take(&e, poisson(10), 20, 20);
	assert_true(ecount_take(&e, 1000, 20, 20) > 23.5);
}

/* Windows with no more than is expected take it back, if there is any. */
static void test_trend_ecount_forgets_what_was(void **state)
{
	struct ecount e = { 0 };
	double most, least = ecount_take(&e, 20, 20, 20);

	(void)state;
	assert_true(least < 0);
	most = ecount_take(&e, 1000, 20, 20);
	for (int i = 0; i < 3; i++) {
		double now = ecount_take(&e, 20, 20, 20);

		assert_true(now < most && now > least);
		most = now;
	}
	for (int i = 0; i < 1000; i++)
		most = ecount_take(&e, 10, 20, 20);
	assert_float_equal(most, least, 1e-9);
}

static void ring_fill(struct trend_ring *r, unsigned n, double slope,
		      double noise)
{
	trend_ring_start(r);
	for (unsigned i = 0; i < n * 4; i++)
		(void)trend_ring_take(r, slope * (i / 4) + noise * normal(),
				      (struct mono){ i * NS_PER_S },
				      4 * NS_PER_S);
}

static void test_trend_rank_finds_slope_of_growth(void **state)
{
	struct trend_ring r;
	struct rank_trend found;

	(void)state;
	ring_fill(&r, 41, 0.25, 0);
	assert_int_equal(r.count, 40);
	assert_true(rank_trend(&r, &found));
	assert_true(fabs(found.slope - 0.25) < 1e-6);
	/* S = n(n-1)/2, variance n(n-1)(2n+5)/18: 8.2 sigma at n = 40. */
	assert_true(found.z > 8.9 && found.z < 9.3);
}

static void test_trend_rank_is_calm_on_noise(void **state)
{
	struct trend_ring r;
	struct rank_trend found;
	unsigned beyond = 0;

	(void)state;
	for (int i = 0; i < 400; i++) {
		ring_fill(&r, 49, 0, 1);
		assert_true(rank_trend(&r, &found));
		beyond += fabs(found.z) > 1.96;
	}
	print_message("%u of 400 beyond 1.96 sigma\n", beyond);
	assert_in_range(beyond, 4, 40);
}

static void test_trend_rank_doubts_what_wanders(void **state)
{
	struct trend_ring r;
	struct rank_trend found;
	unsigned beyond = 0;

	(void)state;
	for (int i = 0; i < 200; i++) {
		double x = 0;

		trend_ring_start(&r);
		for (int64_t t = 0; t < 49; t++) {
			x = 0.8 * x + normal();
			(void)trend_ring_take(&r, x, (struct mono){ t }, 1);
		}
		(void)rank_trend(&r, &found);
		beyond += fabs(found.z) > 4.5;
	}
	assert_in_range(beyond, 0, 6);
}

static void test_trend_ring_leaves_gaps_empty(void **state)
{
	struct trend_ring r;
	struct rank_trend found;

	(void)state;
	trend_ring_start(&r);
	for (int64_t t = 0; t < 60; t++)
		if (t < 20 || t > 30)
			(void)trend_ring_take(&r, (double)t,
					      (struct mono){ t }, 1);
	assert_int_equal(r.count, RING_SLOTS);
	assert_true(isnan(r.mean[RING_SLOTS - 1 - (58 - 25)]));
	assert_true(rank_trend(&r, &found));
	assert_true(fabs(found.slope - 1) < 1e-6);
}

static void test_trend_rank_wants_eight_slots(void **state)
{
	struct trend_ring r;
	struct rank_trend found;

	(void)state;
	ring_fill(&r, 8, 1, 0);
	assert_false(rank_trend(&r, &found));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trend_cusum_runs_as_siegmund_says),
		cmocka_unit_test(test_trend_cusum_always_has_a_date),
		cmocka_unit_test(test_trend_cusum_sees_a_shift_and_dates_it),
		cmocka_unit_test(test_trend_cusum_clips_a_spike),
		cmocka_unit_test(
			test_trend_ecount_bounds_false_alarms_of_poisson),
		cmocka_unit_test(
			test_trend_ecount_bounds_false_alarms_of_wide_counts),
		cmocka_unit_test(
			test_trend_ecount_bounds_false_alarms_of_a_shift),
		cmocka_unit_test(test_trend_ecount_sees_a_tenfold_step_at_once),
		cmocka_unit_test(test_trend_ecount_forgets_what_was),
		cmocka_unit_test(test_trend_rank_finds_slope_of_growth),
		cmocka_unit_test(test_trend_rank_is_calm_on_noise),
		cmocka_unit_test(test_trend_rank_doubts_what_wanders),
		cmocka_unit_test(test_trend_ring_leaves_gaps_empty),
		cmocka_unit_test(test_trend_rank_wants_eight_slots),
	};

	return cmocka_run_group_tests(tests, seeded, NULL);
}
