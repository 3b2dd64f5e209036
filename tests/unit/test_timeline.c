#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "agent/ctl/timeline.h"

static struct timeline line;
static struct timeline_port port;
static struct trace_sample sample;

/* A sample at that second with that counter. */
static int place(int64_t second, int64_t octets)
{
	memset(&sample, 0, sizeof(sample));
	sample.ts_ns = second * NS_PER_S;
	inputs_set(&sample.tick, INPUT_IN_OCTETS, octets);
	inputs_set(&sample.tick, INPUT_OUT_OCTETS, octets);
	return timeline_place(&line, &port, &sample);
}

static int fresh(void **state)
{
	(void)state;
	memset(&line, 0, sizeof(line));
	memset(&port, 0, sizeof(port));
	for (int i = 100; i < 110; i++)
		assert_int_equal(place(i, i * 1000), 0);
	return 0;
}

static void test_timeline_goes_with_the_trace(void **state)
{
	(void)state;
	assert_int_equal(place(110, 110000), 0);
	assert_int_equal(sample.tick.t.ns, 110 * NS_PER_S);
	assert_int_equal(line.steps, 0);
}

static void test_timeline_refuses_a_repeated_sample(void **state)
{
	(void)state;
	assert_int_equal(place(109, 109000), -EALREADY);
}

static void test_timeline_refuses_a_late_sample(void **state)
{
	(void)state;
	assert_int_equal(place(105, 105000), -ESTALE);
	assert_int_equal(place(110, 110000), 0);
	assert_int_equal(sample.tick.t.ns, 110 * NS_PER_S);
}

static void test_timeline_refuses_a_late_batch(void **state)
{
	(void)state;
	for (int i = 80; i < 109; i++)
		assert_int_equal(place(i, i * 1000), -ESTALE);
	assert_int_equal(line.steps, 0);
}

static void test_timeline_goes_on_when_the_clock_is_set_back(void **state)
{
	struct mono before = port.newest;

	(void)state;
	assert_int_equal(place(50, 110000), 0);
	assert_int_equal(mono_diff_ns(sample.tick.t, before), NS_PER_S);
	assert_int_equal(place(51, 111000), 0);
	assert_int_equal(mono_diff_ns(sample.tick.t, before), 2 * NS_PER_S);
	assert_int_equal(line.steps, 1);
}

static void test_timeline_believes_sequence_over_counters(void **state)
{
	(void)state;
	memset(&sample, 0, sizeof(sample));
	port.has_seq = true;
	port.seq = 1000;
	sample.ts_ns = 50 * NS_PER_S;
	sample.seq = 1001;
	sample.has_seq = true;
	assert_int_equal(timeline_place(&line, &port, &sample), 0);
	sample.ts_ns = 40 * NS_PER_S;
	sample.seq = 999;
	assert_int_equal(timeline_place(&line, &port, &sample), -ESTALE);
}

static void test_timeline_of_a_still_port_follows_a_step_in_time(void **state)
{
	int refused = 0;

	(void)state;
	while (place(20 + refused, 109000) < 0)
		refused++;
	assert_in_range(refused, 5, 30);
}

static void test_timeline_module_reading_is_new_once(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		memset(&sample, 0, sizeof(sample));
		sample.ts_ns = (110 + i) * NS_PER_S;
		/* as two clocks tell it, a little apart */
		sample.dom_ts_ns = 109 * NS_PER_S + 20 * (i % 2);
		sample.has_dom_ts = true;
		inputs_set(&sample.tick, INPUT_TEMP_MC, 50000);
		assert_int_equal(timeline_place(&line, &port, &sample), 0);
		assert_int_equal(sample.tick.dom_new, i == 0);
		assert_int_equal(sample.tick.dom_t.ns, sample.dom_ts_ns);
	}
}

/* Its time moved on, and its monitors are null. */
static void test_timeline_module_reading_fails_once(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++) {
		memset(&sample, 0, sizeof(sample));
		sample.ts_ns = (110 + i) * NS_PER_S;
		sample.dom_ts_ns = (109 + (i + 1) / 2) * NS_PER_S;
		sample.has_dom_ts = true;
		if (i == 0 || i == 3)
			inputs_set(&sample.tick, INPUT_TEMP_MC, 50000);
		assert_int_equal(timeline_place(&line, &port, &sample), 0);
		assert_int_equal(sample.tick.dom_new, i == 0 || i == 3);
		assert_int_equal(sample.tick.dom_failed, i == 1);
	}
}

static void test_timeline_module_reading_is_never_from_the_future(void **state)
{
	(void)state;
	memset(&sample, 0, sizeof(sample));
	sample.ts_ns = 110 * NS_PER_S;
	sample.dom_ts_ns = 999 * NS_PER_S;
	sample.has_dom_ts = true;
	inputs_set(&sample.tick, INPUT_TEMP_MC, 50000);
	assert_int_equal(timeline_place(&line, &port, &sample), 0);
	assert_int_equal(sample.tick.dom_t.ns, 110 * NS_PER_S);
}

#define TEST(name) cmocka_unit_test_setup(name, fresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_timeline_goes_with_the_trace),
		TEST(test_timeline_refuses_a_repeated_sample),
		TEST(test_timeline_refuses_a_late_sample),
		TEST(test_timeline_refuses_a_late_batch),
		TEST(test_timeline_goes_on_when_the_clock_is_set_back),
		TEST(test_timeline_believes_sequence_over_counters),
		TEST(test_timeline_of_a_still_port_follows_a_step_in_time),
		TEST(test_timeline_module_reading_is_new_once),
		TEST(test_timeline_module_reading_fails_once),
		TEST(test_timeline_module_reading_is_never_from_the_future),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
