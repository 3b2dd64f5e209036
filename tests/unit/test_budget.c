#include "agent/process/budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define INTERVAL_NS INT64_C(1000000000)

static unsigned ticks(struct budget *b, unsigned n, int64_t took_ns,
		      uint64_t skipped)
{
	unsigned steps = b->steps;

	for (unsigned i = 0; i < n; i++)
		steps = budget_tick(b, took_ns, INTERVAL_NS, skipped);
	return steps;
}

static void test_c15_one_late_tick_slows_nothing(void **state)
{
	struct budget b = { 0 };

	(void)state;
	assert_int_equal(ticks(&b, 2, INTERVAL_NS, 0), 0);
	assert_int_equal(ticks(&b, 1, 0, 0), 0);
	assert_int_equal(ticks(&b, 2, INTERVAL_NS, 0), 0);
}

static void test_c15_late_ticks_in_a_row_slow_step_by_step(void **state)
{
	struct budget b = { 0 };

	(void)state;
	assert_int_equal(ticks(&b, BUDGET_LATE_TICKS, INTERVAL_NS, 0), 1);
	assert_int_equal(ticks(&b, BUDGET_LATE_TICKS, 0, 1), 2);
	assert_int_equal(ticks(&b, 100, INTERVAL_NS, 0), BUDGET_STEPS_MAX);
}

static void test_c15_recovers_when_ticks_are_on_time(void **state)
{
	struct budget b = { .steps = 2 };

	(void)state;
	assert_int_equal(ticks(&b, BUDGET_GOOD_TICKS - 1, 1, 0), 2);
	assert_int_equal(ticks(&b, 1, 1, 0), 1);
	assert_int_equal(ticks(&b, BUDGET_GOOD_TICKS, INTERVAL_NS / 2, 0), 0);
	assert_int_equal(ticks(&b, 1000, 1, 0), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c15_one_late_tick_slows_nothing),
		cmocka_unit_test(
			test_c15_late_ticks_in_a_row_slow_step_by_step),
		cmocka_unit_test(test_c15_recovers_when_ticks_are_on_time),
	};

	return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
