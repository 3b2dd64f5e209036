#include "agent/state/series.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define EXACT SERIES_BER_LOG10_MILLI	/* kept as it is given */

static void test_series_keeps_the_newest_when_full(void **state)
{
	struct series *s;
	int32_t got[8];
	struct mono first;

	(void)state;
	assert_int_equal(series_new(2, 4, &s), 0);
	for (int32_t i = 0; i < 6; i++) {
		series_tick(s, (struct mono){ i });
		series_set(s, 1, EXACT, 100 + i);
	}
	assert_int_equal(series_get(s, 1, EXACT, got, 8, &first), 4);
	assert_int_equal(first.ns, 2);
	for (int32_t i = 0; i < 4; i++)
		assert_int_equal(got[i], 102 + i);
	assert_int_equal(series_get(s, 1, EXACT, got, 2, &first), 2);
	assert_int_equal(first.ns, 4);
	assert_int_equal(got[1], 105);
	series_free(s);
}

static void test_series_absent_is_not_zero(void **state)
{
	struct series *s;
	int32_t got[2];
	struct mono first;

	(void)state;
	assert_int_equal(series_new(1, 4, &s), 0);
	series_tick(s, (struct mono){ 1 });
	assert_int_equal(series_get(s, 0, SERIES_IN_PPM, got, 2, &first), 1);
	assert_int_equal(got[0], SERIES_ABSENT);
	assert_int_equal(series_get(s, 7, SERIES_IN_PPM, got, 2, &first), 0);
	series_set(s, 7, SERIES_IN_PPM, 1);	/* no such port: ignored */
	series_free(s);
}

/* So many ticks from a number on; port 0 holds it. */
static void fill(struct series *s, int32_t from, int32_t n)
{
	for (int32_t i = from; i < from + n; i++) {
		series_tick(s, (struct mono){ i });
		series_set(s, 0, EXACT, i);
	}
}

static void assert_newest(const struct series *s, int32_t first, size_t n)
{
	int32_t got[16];
	struct mono when;

	assert_int_equal(series_get(s, 0, EXACT, got, 16, &when), n);
	assert_int_equal(when.ns, first);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(got[i], first + (int32_t)i);
}

static void test_series_resized_keeps_the_newest(void **state)
{
	struct series *s;
	size_t octets;

	(void)state;
	assert_int_equal(series_new(4, 8, &s), 0);
	fill(s, 1, 11);
	octets = series_octets(s);
	assert_int_equal(series_resize(s, 3), 0);
	assert_int_equal(series_depth(s), 3);
	assert_true(series_octets(s) < octets / 2);
	assert_newest(s, 9, 3);
	fill(s, 12, 2);
	assert_newest(s, 11, 3);
	assert_int_equal(series_resize(s, 5), 0);
	assert_newest(s, 11, 3);
	fill(s, 14, 4);
	assert_newest(s, 13, 5);
	assert_int_equal(series_resize(s, 0), 0);	/* one at least */
	assert_newest(s, 17, 1);
	series_free(s);
}

static void test_series_is_as_wide_as_the_ports(void **state)
{
	struct series *s;
	int32_t got[4];
	struct mono first;
	size_t narrow;

	(void)state;
	assert_int_equal(series_new(512, 4, &s), 0);
	narrow = series_octets(s);
	fill(s, 1, 6);
	assert_int_equal(series_octets(s), narrow);
	assert_int_equal(series_get(s, 400, EXACT, got, 4, &first), 4);
	assert_int_equal(got[3], SERIES_ABSENT);
	series_set(s, 400, EXACT, 7);
	assert_true(series_octets(s) > 16 * narrow);
	assert_int_equal(series_get(s, 400, EXACT, got, 4, &first), 4);
	assert_int_equal(got[2], SERIES_ABSENT);
	assert_int_equal(got[3], 7);
	assert_newest(s, 3, 4);
	series_set(s, 512, EXACT, 1);	/* behind the last */
	fill(s, 7, 1);
	assert_newest(s, 4, 4);
	series_free(s);
}

/* What comes back of a value that was set. */
static int32_t kept(enum series_kind kind, int32_t value)
{
	struct series *s;
	int32_t got;
	struct mono first;

	assert_int_equal(series_new(1, 1, &s), 0);
	series_tick(s, (struct mono){ 1 });
	series_set(s, 0, kind, value);
	assert_int_equal(series_get(s, 0, kind, &got, 1, &first), 1);
	series_free(s);
	return got;
}

static void test_series_keeps_the_nearest_step(void **state)
{
	(void)state;
	assert_int_equal(kept(SERIES_BER_LOG10_MILLI, -17999), -17999);
	assert_int_equal(kept(SERIES_IN_PPM, 654321), 654300);
	assert_int_equal(kept(SERIES_OUT_PPM, 1000000), 1000000);
	assert_int_equal(kept(SERIES_RX_MIN_MDBM, -40000), -40000);
	assert_int_equal(kept(SERIES_RX_MIN_MDBM, -3), -4);
	assert_int_equal(kept(SERIES_TEMP_MC, 85496), 85500);
	assert_int_equal(kept(SERIES_TEMP_MC, -12), -10);
	/* what is beyond its ends is told as the end, never as absent */
	assert_int_equal(kept(SERIES_TEMP_MC, 400000), 327670);
	assert_int_equal(kept(SERIES_TEMP_MC, -400000), -327670);
	assert_int_equal(kept(SERIES_IN_PPM, INT32_MAX), 3276700);
	assert_int_equal(kept(SERIES_TEMP_MC, SERIES_ABSENT), SERIES_ABSENT);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_series_keeps_the_newest_when_full),
		cmocka_unit_test(test_series_absent_is_not_zero),
		cmocka_unit_test(test_series_resized_keeps_the_newest),
		cmocka_unit_test(test_series_is_as_wide_as_the_ports),
		cmocka_unit_test(test_series_keeps_the_nearest_step),
	};

	return cmocka_run_group_tests_name("series", tests, NULL, NULL);
}
