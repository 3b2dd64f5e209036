#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "agent/signature/baseline.h"

#define SEED 7

static double noise(double sd)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)random() / RAND_MAX;
	return sum * sd;
}

static int seeded(void **state)
{
	(void)state;
	srandom(SEED);
	print_message("seed %d\n", SEED);
	return 0;
}

static double temp_at(int minute)
{
	return 50 + 5 * sin(6.2831853 * minute / 1440);
}

/* A day of minutes; slope decades a kelvin. */
static void day(struct baseline *b, int days, double slope)
{
	baseline_start(b);
	for (int i = 0; i < days * 1440; i++)
		baseline_learn(b, -7 + slope * (temp_at(i) - 50) + noise(0.05),
			       temp_at(i), 60, 0.5, 1);
}

static void test_baseline_learns_level_and_slope(void **state)
{
	struct baseline b;

	(void)state;
	for (double slope = 0; slope < 0.11; slope += 0.05) {
		day(&b, 3, slope);
		assert_true(fabs((double)b.mean + 7) < 0.08);
		assert_true(fabs((double)b.slope - slope) < 0.012);
		assert_true((double)b.slope_sd < 0.02);
	}
}

static void test_baseline_slope_keeps_to_what_modules_have(void **state)
{
	struct baseline b;

	(void)state;
	day(&b, 3, 0.3);
	assert_true((double)b.slope <= 0.1201);
	day(&b, 3, -0.3);
	assert_true((double)b.slope >= -0.0201);
}

static void test_baseline_young_one_doubts_heat(void **state)
{
	struct baseline b;
	struct residual r;

	(void)state;
	baseline_start(&b);
	for (int i = 0; i < 60; i++)
		baseline_learn(&b, -7, 50, 10, 0.5, 1);
	baseline_residual(&b, -6.5, 57, 1e6, &r);	/* 7 K, half a decade */
	assert_true(r.excess - r.slack < 0);
	baseline_residual(&b, -6.5, 50, 1e6, &r);
	assert_true(r.excess - r.slack > 0.45);
	assert_true(r.slack < 1e-6);
}

static void test_baseline_few_errors_are_their_own_noise(void **state)
{
	struct baseline b;
	struct residual few, many;

	(void)state;
	day(&b, 1, 0.05);
	baseline_residual(&b, -6.5, 50, 1, &few);
	baseline_residual(&b, -6.5, 50, 1e9, &many);
	assert_true(few.sd > 3 * many.sd);
}

static void test_baseline_is_not_pulled_by_one_outlier(void **state)
{
	struct baseline b;

	(void)state;
	day(&b, 1, 0.05);
	baseline_learn(&b, 0, 50, 60, 0.5, 1);
	assert_true(fabs((double)b.mean + 7) < 0.08);
}

static void test_baseline_without_temperature_has_no_slack(void **state)
{
	struct baseline b;
	struct residual r;

	(void)state;
	baseline_start(&b);
	for (int i = 0; i < 600; i++)
		baseline_learn(&b, -7 + noise(0.05), (double)NAN, 10, 0.5, 1);
	baseline_residual(&b, -6, (double)NAN, 1e6, &r);
	assert_true(fabs(r.excess - 1) < 0.02);
	assert_true(r.slack < 1e-9);
	assert_true((double)b.temp_s <= 0);
}

static void test_baseline_seeded_one_stands_where_it_was(void **state)
{
	struct baseline b;
	struct residual r;

	(void)state;
	baseline_seed(&b, -7.5);
	baseline_residual(&b, -6.5, (double)NAN, 1e6, &r);
	assert_true(fabs(r.excess - 1) < 1e-5);
	assert_true(r.sd < 0.2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_baseline_learns_level_and_slope),
		cmocka_unit_test(
			test_baseline_slope_keeps_to_what_modules_have),
		cmocka_unit_test(test_baseline_young_one_doubts_heat),
		cmocka_unit_test(
			test_baseline_few_errors_are_their_own_noise),
		cmocka_unit_test(test_baseline_is_not_pulled_by_one_outlier),
		cmocka_unit_test(
			test_baseline_without_temperature_has_no_slack),
		cmocka_unit_test(test_baseline_seeded_one_stands_where_it_was),
	};

	return cmocka_run_group_tests(tests, seeded, NULL);
}
