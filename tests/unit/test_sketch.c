#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "agent/base/sketch.h"

#define VALUES 5000u

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return *seed >> 11;
}

/* Spread over all powers of two up to the sketch's end. */
static int64_t wide(uint64_t *seed)
{
	unsigned bits = (unsigned)(next(seed) % 34);	/* below 2^33 */

	return (int64_t)(next(seed) & ((UINT64_C(1) << bits) - 1));
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t seed_of_run(void)
{
	uint64_t seed = (uint64_t)time(NULL);

	print_message("seed %llu\n", (unsigned long long)seed);
	return seed;
}

static void test_sketch_quantile_is_within_its_error(void **state)
{
	static const unsigned permilles[] = { 1, 10, 250, 500, 900, 990, 999 };
	uint64_t seed = seed_of_run();
	int64_t *all = calloc(VALUES, sizeof(*all)), got;
	struct sketch s;

	(void)state;
	sketch_clear(&s);
	for (size_t i = 0; i < VALUES; i++) {
		all[i] = wide(&seed);
		sketch_add(&s, all[i]);
	}
	qsort(all, VALUES, sizeof(*all), by_value);
	for (size_t i = 0; i < sizeof(permilles) / sizeof(permilles[0]); i++) {
		size_t rank = (VALUES * permilles[i] + 999) / 1000;
		int64_t want = all[rank - 1];

		assert_int_equal(sketch_quantile(&s, permilles[i], &got), 0);
		if (llabs(got - want) * SKETCH_ERROR_DIVISOR > want)
			fail_msg("%u permille: %lld, want %lld", permilles[i],
				 (long long)got, (long long)want);
	}
	assert_int_equal(sketch_quantile(&s, 1000, &got), 0);
	assert_int_equal(got, all[VALUES - 1]);
	free(all);
}

static void test_sketch_of_both_is_the_merge_of_each(void **state)
{
	uint64_t seed = seed_of_run();
	struct sketch part[2], whole;

	(void)state;
	sketch_clear(&whole);
	sketch_clear(&part[0]);
	sketch_clear(&part[1]);
	for (size_t i = 0; i < VALUES; i++) {
		int64_t value = wide(&seed);

		sketch_add(&whole, value);
		sketch_add(&part[next(&seed) % 2], value);
	}
	sketch_merge(&part[0], &part[1]);
	assert_memory_equal(&part[0], &whole, sizeof(whole));
}

/* Each value alone: the only quantile is itself, whatever its size. */
static void test_sketch_of_few_is_the_same(void **state)
{
	struct sketch whole = { 0 }, merged = { 0 };
	struct sketch_few few = { 0 };
	uint64_t seed = 11;

	(void)state;
	for (unsigned i = 0; i < SKETCH_FEW; i++) {
		int64_t value = (int64_t)(next(&seed) >> (i % 50 + 10)) - 5;

		sketch_add(&whole, value);
		assert_true(sketch_few_add(&few, value));
	}
	assert_false(sketch_few_add(&few, 1));
	sketch_few_merge(&merged, &few);
	assert_memory_equal(&merged, &whole, sizeof(whole));
}

static void test_sketch_keeps_every_size_within_its_error(void **state)
{
	struct sketch s;
	int64_t got;

	(void)state;
	for (int64_t v = 1; v < SKETCH_VALUE_MAX; v += 1 + v / 37) {
		sketch_clear(&s);
		sketch_add(&s, v);
		sketch_add(&s, v + v);	/* so that the maximum is no help */
		sketch_add(&s, v + v);
		assert_int_equal(sketch_quantile(&s, 333, &got), 0);
		assert_true(llabs(got - v) * SKETCH_ERROR_DIVISOR <= v);
	}
}

static void test_sketch_tells_no_quantile_from_too_few(void **state)
{
	struct sketch s;
	int64_t got;

	(void)state;
	sketch_clear(&s);
	assert_int_equal(sketch_quantile(&s, 500, &got), -ENODATA);
	assert_int_equal(sketch_quantile(&s, 1000, &got), -ENODATA);
	for (int i = 0; i < 99; i++)
		sketch_add(&s, 40);
	assert_int_equal(sketch_quantile(&s, 990, &got), -ENODATA);
	sketch_add(&s, 40);
	assert_int_equal(sketch_quantile(&s, 990, &got), 0);
	assert_int_equal(got, 40);
}

static void test_sketch_bounds_values_beyond_its_ends(void **state)
{
	struct sketch s;
	int64_t got;

	(void)state;
	sketch_clear(&s);
	sketch_add(&s, -5);
	sketch_add(&s, -5);
	assert_int_equal(sketch_quantile(&s, 500, &got), 0);
	assert_int_equal(got, 0);
	for (int i = 0; i < 4; i++)
		sketch_add(&s, INT64_MAX);
	assert_int_equal(sketch_quantile(&s, 500, &got), 0);
	assert_true(got == INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sketch_quantile_is_within_its_error),
		cmocka_unit_test(test_sketch_of_both_is_the_merge_of_each),
		cmocka_unit_test(test_sketch_of_few_is_the_same),
		cmocka_unit_test(test_sketch_keeps_every_size_within_its_error),
		cmocka_unit_test(test_sketch_tells_no_quantile_from_too_few),
		cmocka_unit_test(test_sketch_bounds_values_beyond_its_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
