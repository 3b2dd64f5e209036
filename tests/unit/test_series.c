#include "agent/state/series.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_series_keeps_the_newest_when_full(void **state)
{
	struct series *s;
	int32_t got[8];
	struct mono first;

	(void)state;
	assert_int_equal(series_new(2, 4, &s), 0);
	for (int32_t i = 0; i < 6; i++) {
		series_tick(s, (struct mono){ i });
		series_set(s, 1, SERIES_TEMP_MC, 100 + i);
	}
	assert_int_equal(series_get(s, 1, SERIES_TEMP_MC, got, 8, &first), 4);
	assert_int_equal(first.ns, 2);
	for (int32_t i = 0; i < 4; i++)
		assert_int_equal(got[i], 102 + i);
	assert_int_equal(series_get(s, 1, SERIES_TEMP_MC, got, 2, &first), 2);
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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_series_keeps_the_newest_when_full),
		cmocka_unit_test(test_series_absent_is_not_zero),
	};

	return cmocka_run_group_tests_name("series", tests, NULL, NULL);
}
