#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "agent/signature/cliff.h"

#define SEED 42
#define LIFE_S 2000.0

static double noise(double sd)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)random() / RAND_MAX;
	return sum * sd;
}

static double law_decades(double share, double from, double to)
{
	return from + share * (to - from);
}

static double law_noise(double share, double from, double to)
{
	double q0 = fec_q(from, true), q1 = fec_q(to, true);
	double z = (1 - share) / (q0 * q0) + share / (q1 * q1);

	return fec_log_ber_of_q(1 / sqrt(z), true);
}

static double law_square(double share, double from, double to)
{
	return from + share * share * (to - from);
}

/* Its middle is at 0.6 of the life. */
static double law_sigmoid(double share, double from, double to)
{
	double low = 1 / (1 + exp(3.0)), high = 1 / (1 + exp(-2.0));

	return from + (to - from) * (1 / (1 + exp(3 - 5 * share)) - low) /
		      (high - low);
}

/* It ends a quarter below the cliff. */
static double law_ending(double share, double from, double to)
{
	return from - 0.75 * (to - from) * expm1(-8 * share);
}

/* Half a life of growth, a window each ten seconds. */
static void grow(struct course *c, double (*law)(double, double, double),
		 double sd, struct cliff *ret)
{
	const struct fec_code *code = fec_code_find(FEC_RS544);

	course_start(c, (struct mono){ NS_PER_S }, 10 * NS_PER_S);
	for (double t = 10; t <= LIFE_S / 2; t += 10)
		course_take(c, law(t / LIFE_S, -7, code->cliff_log_ber) +
			    noise(sd), (struct mono){ (int64_t)(t * 1e9) });
	course_cliff(c, code, (struct mono){ (int64_t)(LIFE_S / 2 * 1e9) },
		     -7, 0.1, ret);
}

static void test_cliff_is_exact_without_noise(void **state)
{
	struct course c = { 0 };
	struct cliff found = { 0 };

	(void)state;
	grow(&c, law_decades, 0, &found);
	assert_true(found.foreseeable);
	assert_in_range(found.mid_s, 970, 1040);
	grow(&c, law_noise, 0, &found);
	assert_in_range(found.mid_s, 950, 1060);
	grow(&c, law_square, 0, &found);
	assert_in_range(found.mid_s, 900, 1100);
	grow(&c, law_sigmoid, 0, &found);
	assert_in_range(found.mid_s, 850, 1150);
}

static void test_cliff_of_growth_that_ends_is_not_known(void **state)
{
	struct course c = { 0 };
	struct cliff found = { 0 };

	(void)state;
	srandom(SEED);
	for (int i = 0; i < 20; i++) {
		grow(&c, law_ending, 0.03, &found);
		assert_false(found.foreseeable);
	}
}

/* Next to the cliff, after growth that came in stairs: the rest is said to take
 * less than the level has stood still.
 */
static void test_cliff_is_withdrawn_when_the_level_stands(void **state)
{
	const struct fec_code *code = fec_code_find(FEC_RS544);
	struct cliff before = { 0 }, found = { 0 };
	struct course c = { 0 };
	double level = -7;
	int since = 0;

	(void)state;
	srandom(SEED);
	course_start(&c, (struct mono){ 0 }, 10 * NS_PER_S);
	for (int i = 0; since < 110; i++) {
		struct mono t = { i * 10 * NS_PER_S };

		level += level < -3.75 && i % 200 < 100 ? 0.011 : 0;
		since += level >= -3.75;
		course_take(&c, level + noise(0.05), t);
		if (since == 20)
			course_cliff(&c, code, t, -7, 0.15, &before);
		else if (since > 100 && since % 5 == 0)
			course_cliff(&c, code, t, -7, 0.15, &found);
		assert_false(found.foreseeable);
	}
	assert_true(before.foreseeable);
	assert_in_range(before.mid_s, 100, 1000);
}

/* Before the middle of a sigmoid it may yet end below: no upper bound. */
static void test_cliff_of_growth_that_may_end_is_open(void **state)
{
	unsigned dated = 0, open = 0;
	struct cliff found;
	struct course c = { 0 };

	(void)state;
	srandom(SEED);
	for (int i = 0; i < 100; i++) {
		grow(&c, law_sigmoid, 0.05, &found);
		dated += found.foreseeable;
		open += found.foreseeable &&
			found.high_s == FINDING_NO_UPPER_BOUND;
	}
	print_message("%u have a date, %u of them no end\n", dated, open);
	assert_true(dated >= 50);
	assert_true(open * 2 >= dated);
}

/* What a step leaves above normal is no growth from there. */
static void test_cliff_after_a_step(void **state)
{
	const struct fec_code *code = fec_code_find(FEC_RS544);
	struct cliff found = { 0 };
	struct course c = { 0 };

	(void)state;
	srandom(SEED);
	course_start(&c, (struct mono){ 0 }, 10 * NS_PER_S);
	for (int i = 0; i < 200; i++)
		course_take(&c, -6 + i * 0.006 + noise(0.03),
			    (struct mono){ i * 10 * NS_PER_S });
	course_cliff(&c, code, (struct mono){ 2000 * NS_PER_S }, -7, 0.15,
		     &found);
	assert_true(found.foreseeable);
	assert_in_range(found.mid_s, 1500, 2600);	/* 2038 */
	assert_true(found.low_s <= 2038 && found.high_s >= 2038);
}

/* Flat for most of the time after a step, and then it grew: the date is that of
 * the growth, as if the level after the step were normal.
 */
static void test_cliff_of_growth_some_time_after_a_step(void **state)
{
	const struct fec_code *code = fec_code_find(FEC_RS544);
	struct cliff found = { 0 };
	struct course c = { 0 };

	(void)state;
	srandom(SEED);
	course_start(&c, (struct mono){ 0 }, 10 * NS_PER_S);
	for (int i = 0; i < 700; i++) {
		course_take(&c, -5 + (i > 400 ? (i - 400) * 0.003 : 0) +
			    noise(0.02), (struct mono){ i * 10 * NS_PER_S });
		if (i != 400)
			continue;
		course_cliff(&c, code, (struct mono){ 4000 * NS_PER_S }, -7,
			     0.15, &found);
		assert_false(found.foreseeable);
	}
	course_cliff(&c, code, (struct mono){ 7000 * NS_PER_S }, -7, 0.15,
		     &found);
	assert_true(found.foreseeable);
	assert_in_range(found.mid_s, 900, 2600);	/* 1744 */
	assert_true(found.low_s <= 1744 && found.high_s >= 1744);
}

/* A window far from those before it is off the course, up or down; fast growth
 * is not, nor is the scatter of a level that wanders.
 */
static void test_cliff_course_is_left_by_a_step(void **state)
{
	struct course calm = { 0 }, fast = { 0 }, wild = { 0 };

	(void)state;
	course_start(&calm, (struct mono){ 0 }, 10 * NS_PER_S);
	course_start(&fast, (struct mono){ 0 }, 10 * NS_PER_S);
	course_start(&wild, (struct mono){ 0 }, 10 * NS_PER_S);
	assert_true(course_off(&calm, -3, 0.3) == 0);
	for (int i = 0; i < 20; i++) {
		struct mono t = { i * 10 * NS_PER_S };

		course_take(&calm, -6 + i * 0.005, t);
		course_take(&fast, -6 + i * 0.2, t);
		course_take(&wild, i % 2 ? -6 : -5.7, t);
	}
	assert_true(fabs(course_off(&calm, -5.4, 0.3) - 0.51) < 1e-3);
	assert_true(fabs(course_off(&calm, -6.4, 0.3) + 0.49) < 1e-3);
	assert_true(course_off(&calm, -5.7, 0.3) == 0);
	assert_true(course_off(&fast, -6 + 20 * 0.2, 0.3) == 0);
	assert_true(course_off(&wild, -5, 0.3) == 0);
}

/* It began below what was taken for normal: that is not, or not learned. */
static void test_cliff_of_an_unknown_normal(void **state)
{
	const struct fec_code *code = fec_code_find(FEC_RS544);
	struct cliff found = { 0 };
	struct course c = { 0 };

	(void)state;
	course_start(&c, (struct mono){ 0 }, 10 * NS_PER_S);
	for (int i = 0; i < 100; i++)
		course_take(&c, -7 + i * 0.017,
			    (struct mono){ i * 10 * NS_PER_S });
	course_cliff(&c, code, (struct mono){ 1000 * NS_PER_S }, 0, 0.15,
		     &found);
	assert_true(found.foreseeable);
	assert_in_range(found.mid_s, 800, 1500);	/* 1013 */
}

static void test_cliff_interval_holds_the_truth(void **state)
{
	static double (*const laws[])(double, double, double) = {
		law_decades, law_noise, law_square,
	};
	unsigned held = 0, n = 0, near = 0;
	struct course c = { 0 };
	struct cliff found = { 0 };

	(void)state;
	srandom(SEED);
	print_message("seed %d\n", SEED);
	for (int i = 0; i < 300; i++) {
		grow(&c, laws[i % 3], 0.05, &found);
		n += found.foreseeable;
		held += found.foreseeable && found.low_s <= 1000 &&
			found.high_s >= 1000;
		near += found.foreseeable && found.mid_s > 800 &&
			found.mid_s < 1200;
	}
	print_message("interval holds %u of %u, %u are near\n", held, n,
		      near);
	assert_true(n >= 295);
	assert_true(held >= n * 85 / 100);
	assert_true(near >= n * 90 / 100);
}

static void test_cliff_of_no_growth_has_no_date(void **state)
{
	const struct fec_code *code = fec_code_find(FEC_RS544);
	struct course c = { 0 };
	struct cliff found = { 0 };

	(void)state;
	srandom(SEED);
	course_start(&c, (struct mono){ 0 }, 10 * NS_PER_S);
	for (int i = 1; i < 200; i++)
		course_take(&c, -5 + noise(0.05),
			    (struct mono){ i * 10 * NS_PER_S });
	course_cliff(&c, code, (struct mono){ 2000 * NS_PER_S }, -7, 0.15,
		     &found);
	assert_false(found.foreseeable);
}

static void test_cliff_wants_enough_points(void **state)
{
	const struct fec_code *code = fec_code_find(FEC_RS544);
	struct course c = { 0 };
	struct cliff found = { 0 };

	(void)state;
	course_start(&c, (struct mono){ 0 }, 10 * NS_PER_S);
	for (int i = 0; i < 5; i++)
		course_take(&c, -6 + 0.1 * i,
			    (struct mono){ i * 10 * NS_PER_S });
	course_cliff(&c, code, (struct mono){ 50 * NS_PER_S }, -7, 0.1,
		     &found);
	assert_false(found.foreseeable);
}

static void test_cliff_that_is_past_is_now(void **state)
{
	const struct fec_code *code = fec_code_find(FEC_RS544);
	struct course c = { 0 };
	struct cliff found = { 0 };

	(void)state;
	course_start(&c, (struct mono){ 0 }, 10 * NS_PER_S);
	for (int i = 0; i < 40; i++)
		course_take(&c, -6 + 0.07 * i,
			    (struct mono){ i * 10 * NS_PER_S });
	course_cliff(&c, code, (struct mono){ 400 * NS_PER_S }, -6, 0.1,
		     &found);
	assert_true(found.foreseeable);
	assert_int_equal(found.mid_s, 0);
}

static void test_cliff_course_covers_all_of_a_long_growth(void **state)
{
	struct course c = { 0 };

	(void)state;
	course_start(&c, (struct mono){ 0 }, NS_PER_S);
	for (int i = 0; i < 10000; i++)
		course_take(&c, -7 + i * 1e-4, (struct mono){ i * NS_PER_S });
	assert_true(c.slot_ns * COURSE_SLOTS >= 10000 * NS_PER_S);
	assert_true(c.used > COURSE_SLOTS / 2 - 10);
	assert_true(fabs(c.mean[0] + 7) < 0.02);
	assert_true(fabs(c.mean[c.used - 1] + 6) < 0.02);
}

static void test_cliff_course_ignores_what_is_before_it(void **state)
{
	struct course c = { 0 };

	(void)state;
	course_start(&c, (struct mono){ 100 * NS_PER_S }, NS_PER_S);
	course_take(&c, -3, (struct mono){ 50 * NS_PER_S });
	assert_int_equal(c.used, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cliff_is_exact_without_noise),
		cmocka_unit_test(test_cliff_of_growth_that_ends_is_not_known),
		cmocka_unit_test(
			test_cliff_is_withdrawn_when_the_level_stands),
		cmocka_unit_test(test_cliff_of_growth_that_may_end_is_open),
		cmocka_unit_test(test_cliff_after_a_step),
		cmocka_unit_test(test_cliff_of_growth_some_time_after_a_step),
		cmocka_unit_test(test_cliff_course_is_left_by_a_step),
		cmocka_unit_test(test_cliff_of_an_unknown_normal),
		cmocka_unit_test(test_cliff_interval_holds_the_truth),
		cmocka_unit_test(test_cliff_of_no_growth_has_no_date),
		cmocka_unit_test(test_cliff_wants_enough_points),
		cmocka_unit_test(test_cliff_that_is_past_is_now),
		cmocka_unit_test(test_cliff_course_covers_all_of_a_long_growth),
		cmocka_unit_test(test_cliff_course_ignores_what_is_before_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
