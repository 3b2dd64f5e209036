/* C5: wall times of a run, whatever its clock did. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/record/run_clock.h"
#include "petrel/finding.h"

#define YEAR_S INT64_C(31557600)
#define NOW_S INT64_C(1800000000)
#define NEVER (-1)

static void tell(struct run_clock *c, int64_t mono_s, int64_t wall_s,
		 bool is_set)
{
	run_clock_take(c, (struct clock_reading){
		.mono = { mono_s * NS_PER_S }, .wall = { wall_s * NS_PER_S },
		.error_ns = -1, .is_set = is_set });
}

/* At a collector, where it is now_s. */
static void hear(struct run_clock *c, int64_t mono_s, int64_t wall_s,
		 bool is_set, int64_t now_s)
{
	run_clock_hear(c, (struct clock_reading){
		.mono = { mono_s * NS_PER_S }, .wall = { wall_s * NS_PER_S },
		.error_ns = -1, .is_set = is_set },
		(struct wall){ now_s * NS_PER_S });
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

static void test_c05_collector_reads_a_clock_never_set_by_its_own(void **state)
{
	struct run_clock c = { .steps_back = 0 };

	(void)state;
	hear(&c, 10, 5, false, NOW_S);		/* 1970 */
	assert_int_equal(asked(&c, 20), NOW_S + 10);
	hear(&c, 70, 65, false, NOW_S + 63);	/* three seconds on its way */
	assert_int_equal(asked(&c, 80), NOW_S + 70);
	hear(&c, 130, 125, false, NOW_S + 118);	/* this one came sooner */
	assert_int_equal(asked(&c, 140), NOW_S + 128);
	hear(&c, 190, NOW_S + 177, true, NOW_S + 180);	/* set late */
	assert_int_equal(asked(&c, 200), NOW_S + 187);
}

/* As without NTP in the kernel: the switch and the collector tell the same. */
static void test_c05_clock_never_set_that_agrees_is_kept(void **state)
{
	struct run_clock c = { .steps_back = 0 };
	struct clock_reading r = { .mono = { NS_PER_S },
				   .wall = { NOW_S * NS_PER_S } };
	struct wall now, said;

	(void)state;
	for (unsigned late_ms = 3; late_ms < 5000; late_ms *= 3) {
		now.ns = r.wall.ns + late_ms * NS_PER_MS;
		run_clock_hear(&c, r, now);
		assert_int_equal(run_clock_wall(&c, r.mono, &said), 0);
		assert_true(said.ns == r.wall.ns);
		r.mono.ns += 60 * NS_PER_S;
		r.wall.ns += 60 * NS_PER_S;
	}
}

static void test_c05_collector_takes_no_time_from_the_future(void **state)
{
	struct run_clock c = { .steps_back = 0 };

	(void)state;
	hear(&c, 10, NOW_S + YEAR_S, true, NOW_S);
	assert_int_equal(asked(&c, 20), NOW_S + 10);
	hear(&c, 70, NOW_S + 599, true, NOW_S);
	assert_int_equal(asked(&c, 70), NOW_S + 599);
}

static void test_c05_collector_goes_on_when_a_clock_steps_back(void **state)
{
	struct run_clock c = { .steps_back = 0 };

	(void)state;
	hear(&c, 10, NOW_S, true, NOW_S);
	assert_int_equal(asked(&c, 20), NOW_S + 10);
	hear(&c, 70, NOW_S + 60 - YEAR_S, true, NOW_S + 60);
	hear(&c, 130, 120, false, NOW_S + 120);	/* and is not set any more */
	assert_int_equal(asked(&c, 140), NOW_S + 130);
}

/* A sink that begins anew reads the spool from further back. */
static void test_c05_what_was_heard_before_changes_nothing(void **state)
{
	struct run_clock c;

	(void)state;
	c = run_clock_kept(70 * NS_PER_S, NOW_S * NS_PER_S, false);
	hear(&c, 10, 5, false, NOW_S + 5);
	hear(&c, 70, 65, false, NOW_S + 6);
	assert_int_equal(asked(&c, 80), NOW_S + 10);
	assert_int_equal(asked(&c, 15), NOW_S - 55);
	c = run_clock_kept(70 * NS_PER_S, NOW_S * NS_PER_S, true);
	hear(&c, 10, NOW_S - 60, true, NOW_S + 5);
	assert_int_equal(c.steps_back, 0);
}

static struct finding found(int64_t onset_s, int64_t when_s,
			    int64_t mono_to_wall_s)
{
	return (struct finding){
		.onset = { onset_s * NS_PER_S }, .when = { when_s * NS_PER_S },
		.onset_wall = { (onset_s + mono_to_wall_s) * NS_PER_S },
		.when_wall = { (when_s + mono_to_wall_s) * NS_PER_S } };
}

static void check_finding(struct run_clock *c, struct finding f,
			  int64_t onset_s, int64_t when_s)
{
	run_clock_finding(c, &f, (struct wall){ (NOW_S + 200) * NS_PER_S });
	assert_int_equal(f.onset_wall.ns / NS_PER_S, onset_s);
	assert_int_equal(f.when_wall.ns / NS_PER_S, when_s);
}

static void test_c05_finding_has_the_times_of_its_run(void **state)
{
	struct run_clock c = { .steps_back = 0 };
	struct finding f = found(150, 160, NOW_S);

	(void)state;
	/* nothing was heard: as it says, where that can be */
	check_finding(&c, f, NOW_S + 150, NOW_S + 160);
	check_finding(&c, found(150, 160, 0), NOW_S + 190, NOW_S + 200);
	/* set back by a year before its end */
	hear(&c, 100, NOW_S + 100, true, NOW_S + 100);
	f.when_wall.ns -= YEAR_S * NS_PER_S;
	check_finding(&c, f, NOW_S + 150, NOW_S + 160);
	/* of a boot before this one there is no time but its own */
	check_finding(&c, found(-500, 160, NOW_S), NOW_S - 500, NOW_S + 160);
}

static void test_c05_finding_that_agrees_stays_as_it_is(void **state)
{
	struct run_clock c = { .steps_back = 0 };
	struct finding f = found(150, 160, NOW_S);

	(void)state;
	hear(&c, 100, NOW_S + 100, true, NOW_S + 100);
	f.when_wall.ns += 99 * NS_PER_MS;
	run_clock_finding(&c, &f, f.when_wall);
	assert_int_equal(f.when_wall.ns, (NOW_S + 160) * NS_PER_S +
					 99 * NS_PER_MS);
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
		cmocka_unit_test(
			test_c05_collector_reads_a_clock_never_set_by_its_own),
		cmocka_unit_test(
			test_c05_collector_takes_no_time_from_the_future),
		cmocka_unit_test(
			test_c05_collector_goes_on_when_a_clock_steps_back),
		cmocka_unit_test(
			test_c05_clock_never_set_that_agrees_is_kept),
		cmocka_unit_test(
			test_c05_what_was_heard_before_changes_nothing),
		cmocka_unit_test(test_c05_finding_has_the_times_of_its_run),
		cmocka_unit_test(test_c05_finding_that_agrees_stays_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
