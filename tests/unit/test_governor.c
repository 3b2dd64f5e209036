#include "agent/process/governor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define INTERVAL_NS INT64_C(1000000000)

static unsigned ticks(struct governor_time *b, unsigned n, int64_t took_ns,
		      uint64_t skipped)
{
	unsigned steps = b->steps;

	for (unsigned i = 0; i < n; i++)
		steps = governor_time_take(b, &(struct governor_time_use){
			.interval_ns = INTERVAL_NS, .took_ns = took_ns,
			.skipped = skipped });
	return steps;
}

static void test_c15_one_late_tick_slows_nothing(void **state)
{
	struct governor_time b = { 0 };

	(void)state;
	assert_int_equal(ticks(&b, 2, INTERVAL_NS, 0), 0);
	assert_int_equal(ticks(&b, 1, 0, 0), 0);
	assert_int_equal(ticks(&b, 2, INTERVAL_NS, 0), 0);
}

static void test_c15_late_ticks_in_a_row_slow_step_by_step(void **state)
{
	struct governor_time b = { 0 };

	(void)state;
	assert_int_equal(ticks(&b, GOVERNOR_OVER_TICKS, INTERVAL_NS, 0), 1);
	assert_int_equal(ticks(&b, GOVERNOR_OVER_TICKS, 0, 1), 2);
	assert_int_equal(ticks(&b, 100, INTERVAL_NS, 0), GOVERNOR_STEPS_MAX);
}

static void test_c15_recovers_when_ticks_are_on_time(void **state)
{
	struct governor_time b = { .steps = 2 };

	(void)state;
	assert_int_equal(ticks(&b, GOVERNOR_GOOD_TICKS - 1, 1, 0), 2);
	assert_int_equal(ticks(&b, 1, 1, 0), 1);
	assert_int_equal(ticks(&b, GOVERNOR_GOOD_TICKS, INTERVAL_NS / 2, 0), 0);
	assert_int_equal(ticks(&b, 1000, 1, 0), 0);
}

/* Ticks of a fifth of a second, each with so much CPU time. */
static unsigned dear_ticks(struct governor_time *b, unsigned n, int64_t each_ns)
{
	struct governor_time_use use = { .interval_ns = INTERVAL_NS / 5,
				  .cpu_ns = b->cpu_ns + 1,
				  .cpu_limit_ns = INTERVAL_NS / 10 };
	unsigned steps = b->steps;

	for (unsigned i = 0; i < n; i++) {
		use.cpu_ns += each_ns;
		steps = governor_time_take(b, &use);
	}
	return steps;
}

static void test_c15_cpu_time_over_its_budget_slows(void **state)
{
	struct governor_time b = { 0 };

	(void)state;
	assert_int_equal(dear_ticks(&b, 50, INTERVAL_NS / 51), 0);
	assert_int_equal(dear_ticks(&b, 50, INTERVAL_NS / 49), 3);
	assert_int_equal(b.cause, GOVERNOR_CPU);
	assert_int_equal(dear_ticks(&b, 5 + GOVERNOR_GOOD_TICKS, 1), 2);
}

/* Processes tell their CPU time once a second: one dear second is one, however
 * many ticks it has.
 */
static void test_c15_cpu_time_counts_by_seconds(void **state)
{
	struct governor_time b = { 0 };
	struct governor_time_use use = { .interval_ns = INTERVAL_NS / 10,
				  .cpu_limit_ns = INTERVAL_NS / 10,
				  .cpu_ns = 1 };
	unsigned steps = 0;

	(void)state;
	for (unsigned i = 1; i <= 10 * (1 + GOVERNOR_OVER_TICKS); i++) {
		use.cpu_ns += i % 10 ? 0 : INTERVAL_NS;
		assert_int_equal(steps, 0);
		steps = governor_time_take(&b, &use);
	}
	assert_int_equal(steps, 1);
}

static void test_c15_cpu_time_without_a_budget_slows_nothing(void **state)
{
	struct governor_time b = { 0 };
	struct governor_time_use use = { .interval_ns = INTERVAL_NS,
					 .cpu_ns = 1 };

	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		use.cpu_ns += 100 * INTERVAL_NS;
		assert_int_equal(governor_time_take(&b, &use), 0);
	}
}

static unsigned measures(struct governor_memory *b, unsigned n, int64_t octets,
			 int64_t back_octets)
{
	unsigned steps = b->steps;

	for (unsigned i = 0; i < n; i++)
		steps = governor_memory_take(b, &(struct governor_memory_use){
			.octets = octets, .limit_octets = 1000,
			.back_octets = back_octets });
	return steps;
}

static void test_c15_memory_halves_history_before_sources(void **state)
{
	struct governor_memory b = { 0 };
	unsigned steps;

	(void)state;
	assert_int_equal(measures(&b, 2, 1001, 0), 0);
	assert_int_equal(measures(&b, 1, 1000, 0), 0);	/* the bound fits */
	for (unsigned n = 1; n <= GOVERNOR_HISTORY_STEPS; n++) {
		steps = measures(&b, GOVERNOR_OVER_TICKS, 1001, 0);
		assert_int_equal(governor_history_steps(steps), n);
		assert_int_equal(governor_source_steps(steps), 0);
	}
	steps = measures(&b, GOVERNOR_OVER_TICKS, 1001, 0);
	assert_int_equal(governor_history_steps(steps), GOVERNOR_HISTORY_STEPS);
	assert_int_equal(governor_source_steps(steps), 1);
	assert_int_equal(measures(&b, 100, 1001, 0), GOVERNOR_MEMORY_STEPS_MAX);
	assert_true(b.is_over);
}

/* Else it would be given and taken back each minute. */
static void test_c15_memory_gives_back_only_what_fits(void **state)
{
	struct governor_memory b = { .steps = 2 };

	(void)state;
	assert_int_equal(measures(&b, 10 * GOVERNOR_GOOD_TICKS, 700, 301), 2);
	assert_int_equal(measures(&b, GOVERNOR_GOOD_TICKS - 1, 700, 300), 2);
	assert_int_equal(measures(&b, 1, 700, 300), 1);
	assert_int_equal(measures(&b, GOVERNOR_GOOD_TICKS, 700, 300), 0);
}

static void test_c15_memory_without_a_limit_is_kept(void **state)
{
	struct governor_memory b = { 0 };

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(
			governor_memory_take(&b,
					     &(struct governor_memory_use){
						     .octets = INT64_MAX / 2 }),
			0);
	assert_false(b.is_over);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c15_one_late_tick_slows_nothing),
		cmocka_unit_test(
			test_c15_late_ticks_in_a_row_slow_step_by_step),
		cmocka_unit_test(test_c15_recovers_when_ticks_are_on_time),
		cmocka_unit_test(test_c15_cpu_time_over_its_budget_slows),
		cmocka_unit_test(test_c15_cpu_time_counts_by_seconds),
		cmocka_unit_test(
			test_c15_cpu_time_without_a_budget_slows_nothing),
		cmocka_unit_test(test_c15_memory_halves_history_before_sources),
		cmocka_unit_test(test_c15_memory_gives_back_only_what_fits),
		cmocka_unit_test(test_c15_memory_without_a_limit_is_kept),
	};

	return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
