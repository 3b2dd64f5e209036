/* C5: wall times of a run, whatever its clock did. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/record/run_clock.h"

#define YEAR_S INT64_C(31557600)
#define NOW_S INT64_C(1800000000)
#define NEVER (-1)

static void tell(struct run_clock *c, int64_t mono_s, int64_t wall_s,
		 bool is_set)
{
	run_clock_take(c, &(struct clock_reading){
		.mono = { mono_s * NS_PER_S }, .wall = { wall_s * NS_PER_S },
		.error_ns = -1, .is_set = is_set });
}

/* In seconds; NEVER: not yet. */
static int64_t asked(struct run_clock *c, int64_t mono_s)
{
	struct wall wall = { 0 };
	int rc = run_clock_wall(c, (struct mono){ mono_s * NS_PER_S }, &wall);

	assert_true(rc == 0 || rc == -EAGAIN);
	return rc ? NEVER : wall.ns / NS_PER_S;
}

static void test_c05_nothing_is_known_before_a_reading(void **state)
{
	struct run_clock c = { .steps_back = 0 };

	(void)state;
	assert_int_equal(asked(&c, 100), NEVER);
	tell(&c, 100, NOW_S, true);
	assert_int_equal(asked(&c, 100), NOW_S);
	assert_int_equal(asked(&c, 130), NOW_S + 30);
}

static void test_c05_clock_set_late_holds_for_what_was_before(void **state)
{
	struct run_clock c = { .steps_back = 0 };

	(void)state;
	tell(&c, 10, 5, false);		/* 1970 */
	assert_int_equal(asked(&c, 20), NEVER);
	tell(&c, 70, 65, false);
	tell(&c, 100, NOW_S, true);
	assert_int_equal(asked(&c, 20), NOW_S - 80);
	assert_int_equal(asked(&c, 110), NOW_S + 10);
}

static void test_c05_clock_never_set_is_taken_after_ten_minutes(void **state)
{
	struct run_clock c = { .steps_back = 0 };

	(void)state;
	tell(&c, 10, 1000, false);
	assert_int_equal(asked(&c, 609), NEVER);
	assert_int_equal(asked(&c, 610), 1600);
	tell(&c, 620, 1610, false);
	assert_int_equal(asked(&c, 630), 1620);
	tell(&c, 700, NOW_S, true);	/* set after all: forwards */
	assert_int_equal(asked(&c, 700), NOW_S);
}

/* What waited is given once the ten minutes are over, and not before. */
static void test_c05_ten_minutes_are_those_of_the_clock(void **state)
{
	struct run_clock c = { .steps_back = 0 };

	(void)state;
	tell(&c, 10, 1000, false);
	assert_int_equal(asked(&c, 20), NEVER);
	tell(&c, 610, 1600, false);
	assert_int_equal(asked(&c, 20), 1010);
}

static void test_c05_step_back_by_a_year_turns_no_time_back(void **state)
{
	struct run_clock c = { .steps_back = 0 };
	int64_t before = 0;

	(void)state;
	tell(&c, 100, NOW_S, true);
	for (int64_t s = 100; s < 160; s++)
		before = asked(&c, s);
	tell(&c, 160, NOW_S - YEAR_S, true);
	for (int64_t s = 160; s < 1000; s++) {
		int64_t now = asked(&c, s);

		assert_int_equal(now, before + 1);
		before = now;
	}
	assert_int_equal(c.steps_back, 1);
	tell(&c, 1000, NOW_S + 950, true);	/* and right again */
	assert_int_equal(asked(&c, 1000), NOW_S + 950);
}

static void test_c05_small_step_back_is_caught_up_at_half_the_rate(void **state)
{
	struct run_clock c = { .steps_back = 0 };

	(void)state;
	tell(&c, 100, NOW_S, true);
	assert_int_equal(asked(&c, 160), NOW_S + 60);
	tell(&c, 160, NOW_S + 50, true);	/* ten seconds back */
	assert_int_equal(asked(&c, 160), NOW_S + 60);
	assert_int_equal(asked(&c, 170), NOW_S + 65);
	assert_int_equal(asked(&c, 180), NOW_S + 70);
	assert_int_equal(asked(&c, 190), NOW_S + 80);
	assert_int_equal(c.steps_back, 0);
}

/* Streams of a run are not in step with each other. */
static void test_c05_earlier_moment_is_no_later(void **state)
{
	struct run_clock c = { .steps_back = 0 };

	(void)state;
	tell(&c, 100, NOW_S, true);
	assert_int_equal(asked(&c, 110), NOW_S + 10);
	tell(&c, 120, NOW_S + 500, true);	/* a step forwards */
	assert_int_equal(asked(&c, 105), NOW_S + 10);
	assert_int_equal(asked(&c, 120), NOW_S + 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c05_nothing_is_known_before_a_reading),
		cmocka_unit_test(
			test_c05_clock_set_late_holds_for_what_was_before),
		cmocka_unit_test(
			test_c05_clock_never_set_is_taken_after_ten_minutes),
		cmocka_unit_test(test_c05_ten_minutes_are_those_of_the_clock),
		cmocka_unit_test(
			test_c05_step_back_by_a_year_turns_no_time_back),
		cmocka_unit_test(
			test_c05_small_step_back_is_caught_up_at_half_the_rate),
		cmocka_unit_test(test_c05_earlier_moment_is_no_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
