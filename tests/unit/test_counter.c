#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agent/base/counter.h"

static struct mono second(int s)
{
	return (struct mono){ s * NS_PER_S };
}

/* Ten readings of rate a second, the last one at `last`. */
static void run_up(struct counter *c, uint64_t last, uint64_t rate)
{
	uint64_t step;
	int64_t dt_ns;

	counter_start(c);
	for (int i = 0; i < 10; i++)
		(void)counter_take(c, last - (9 - (unsigned)i) * rate,
				   second(i), &step, &dt_ns);
}

static void test_counter_first_reading_is_no_step(void **state)
{
	struct counter c;
	uint64_t step = 7;
	int64_t dt_ns = 7;

	(void)state;
	counter_start(&c);
	assert_int_equal(counter_take(&c, 1000, second(1), &step, &dt_ns),
			 COUNTER_FIRST);
	assert_int_equal(step, 7);
	assert_int_equal(dt_ns, 7);
}

static void test_counter_gives_step_and_time(void **state)
{
	struct counter c;
	uint64_t step;
	int64_t dt_ns;

	(void)state;
	run_up(&c, 1000, 100);
	assert_int_equal(counter_take(&c, 1300, second(12), &step, &dt_ns),
			 COUNTER_STEP);
	assert_int_equal(step, 300);
	assert_int_equal(dt_ns, 3 * NS_PER_S);
}

static void test_counter_wraps_at_32_bits(void **state)
{
	struct counter c;
	uint64_t step;
	int64_t dt_ns;

	(void)state;
	run_up(&c, UINT32_MAX - 50, 100);
	assert_int_equal(counter_take(&c, 49, second(10), &step, &dt_ns),
			 COUNTER_WRAP);
	assert_int_equal(step, 100);
}

static void test_counter_wraps_at_64_bits(void **state)
{
	struct counter c;
	uint64_t step;
	int64_t dt_ns;

	(void)state;
	run_up(&c, UINT64_MAX - 50, 100);
	assert_int_equal(counter_take(&c, 49, second(10), &step, &dt_ns),
			 COUNTER_WRAP);
	assert_int_equal(step, 100);
}

static void test_counter_restart_is_no_wrap_at_that_rate(void **state)
{
	struct counter c;
	uint64_t step = 7;
	int64_t dt_ns;

	(void)state;
	run_up(&c, (UINT64_C(1) << 31) + 1000, 100);
	assert_int_equal(counter_take(&c, 5, second(10), &step, &dt_ns),
			 COUNTER_RESTART);
	assert_int_equal(step, 7);
}

static void test_counter_restart_below_half_of_its_width(void **state)
{
	struct counter c;
	uint64_t step;
	int64_t dt_ns;

	(void)state;
	run_up(&c, 1000000, 100000);
	assert_int_equal(counter_take(&c, 5, second(10), &step, &dt_ns),
			 COUNTER_RESTART);
	assert_int_equal(counter_take(&c, 25, second(11), &step, &dt_ns),
			 COUNTER_STEP);
	assert_int_equal(step, 20);
}

/* … and no rate so small that a processor is slow to work with it. */
static void test_counter_that_stands_has_no_rate(void **state)
{
	const uint64_t last = (UINT64_C(1) << 31) + 1000;
	struct counter c;
	uint64_t step;
	int64_t dt_ns;

	(void)state;
	run_up(&c, last, 100);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(counter_take(&c, last, second(10 + i), &step,
					      &dt_ns), COUNTER_STEP);
	assert_true(c.rate_per_s == 0);
	assert_int_equal(counter_take(&c, last + 100, second(1010), &step,
				      &dt_ns), COUNTER_STEP);
	assert_true(c.rate_per_s > 0);
}

/* Where a counter just goes on, both ways of taking it agree, in the upper half
 * of its width too.
 */
static void test_counter_both_ways_agree(void **state)
{
	const uint64_t from[] = { 1000, UINT64_C(1) << 31, UINT64_C(1) << 32 };
	uint64_t step;
	int64_t dt_ns;

	(void)state;
	for (size_t n = 0; n < sizeof(from) / sizeof(from[0]); n++) {
		struct counter a, b;

		run_up(&a, from[n], 100);
		b = a;
		for (int i = 10; i < 20; i++) {
			int64_t value = (int64_t)from[n] + 300 * i;

			assert_true(counter_goes_on(&b, value));
			assert_int_equal(counter_take(&a, (uint64_t)value,
					 second(i), &step, &dt_ns),
					 COUNTER_STEP);
			assert_float_equal(counter_step_to(&b, value,
					   second(i)), (double)step, 0);
			assert_float_equal(a.rate_per_s, b.rate_per_s, 0);
		}
		assert_int_equal(a.last, b.last);
		assert_int_equal(a.t.ns, b.t.ns);
		/* a step that is no int64_t */
		assert_false(counter_goes_on(&b, INT64_MIN));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counter_first_reading_is_no_step),
		cmocka_unit_test(test_counter_gives_step_and_time),
		cmocka_unit_test(test_counter_wraps_at_32_bits),
		cmocka_unit_test(test_counter_wraps_at_64_bits),
		cmocka_unit_test(test_counter_restart_is_no_wrap_at_that_rate),
		cmocka_unit_test(test_counter_both_ways_agree),
		cmocka_unit_test(test_counter_restart_below_half_of_its_width),
		cmocka_unit_test(test_counter_that_stands_has_no_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
