#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_number_parse_takes_all_or_nothing(void **state)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t value;
	} cases[] = {
		{ "0", 0, 0 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "99999999999999999999999", -ERANGE, 0 },
		{ "0x1F", 0, 31 },
		{ "0xffffffffffffffff", 0, UINT64_MAX },
		{ "0x10000000000000000", -ERANGE, 0 },
		{ "007", 0, 7 },
		{ "", -EINVAL, 0 },	{ "0x", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },	{ "1 ", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },	{ "-1", -EINVAL, 0 },
		{ "1a", -EINVAL, 0 },	{ "N/A", -EINVAL, 0 },
		{ "1.0", -EINVAL, 0 },	{ "0xg", -EINVAL, 0 },
		{ "1\n", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t value = 77;

		assert_int_equal(number_parse(cases[i].text, 0, UINT64_MAX,
					      &value), cases[i].rc);
		assert_true(value == (cases[i].rc ? 77 : cases[i].value));
	}
}

static void test_number_parse_holds_its_limits(void **state)
{
	uint64_t value;

	(void)state;
	assert_int_equal(number_parse("4", 5, 9, &value), -ERANGE);
	assert_int_equal(number_parse("5", 5, 9, &value), 0);
	assert_int_equal(number_parse("9", 5, 9, &value), 0);
	assert_int_equal(number_parse("10", 5, 9, &value), -ERANGE);
	assert_int_equal(number_parse_n("123456", 3, 0, 999, &value), 0);
	assert_int_equal(value, 123);
}

/* C3: the one conversion from a source's decimal text. */
static void test_c03_decimal_text_becomes_exact_integers(void **state)
{
	static const struct {
		const char *text;
		uint64_t scale;
		int rc;
		int64_t value;
	} cases[] = {
		{ "-0.0060", 1, 0, 0 },		/* not rounded by its 6 */
		{ "0.06", 1, 0, 0 },
		{ "5.4e-20", UINT64_C(1000000000000000000), 0, 0 },
		{ "-3.25", 1000, 0, -3250 },
		{ "5.4e-09", UINT64_C(1000000000000000000), 0, 5400000000 },
		{ "1e-18", UINT64_C(1000000000000000000), 0, 1 },
		{ "3.3112", 1000000, 0, 3311200 },
		{ "0.0005", 1000, 0, 1 },	/* half away from zero */
		{ "-0.0005", 1000, 0, -1 },
		{ "0.00049999", 1000, 0, 0 },
		{ "36.", 1000, 0, 36000 },
		{ ".5", 10, 0, 5 },
		{ "+7", 1, 0, 7 },
		{ "1E3", 1, 0, 1000 },
		{ "9223372036854775807", 1, 0, INT64_MAX },
		{ "9223372036854775808", 1, -ERANGE, 0 },
		{ "1e300", 1, -ERANGE, 0 },
		{ "0e300", 1, 0, 0 },
		{ "1e-300", 1000, 0, 0 },
		{ "0.1234567890123456789012345", 1000000, 0, 123457 },
		{ "", 1, -EINVAL, 0 },	   { "-", 1, -EINVAL, 0 },
		{ ".", 1, -EINVAL, 0 },	   { "N/A", 1, -EINVAL, 0 },
		{ "nan", 1, -EINVAL, 0 },  { "inf", 1, -EINVAL, 0 },
		{ "-inf", 1, -EINVAL, 0 }, { "1.2.3", 1, -EINVAL, 0 },
		{ "1e", 1, -EINVAL, 0 },   { "1e+", 1, -EINVAL, 0 },
		{ "0x10", 1, -EINVAL, 0 }, { "1 ", 1, -EINVAL, 0 },
		{ "1,5", 1, -EINVAL, 0 },  { "--1", 1, -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t value = 77;
		int rc = number_parse_scaled(cases[i].text,
					     strlen(cases[i].text),
					     cases[i].scale, &value);

		if (rc != cases[i].rc)
			fail_msg("'%s': %d", cases[i].text, rc);
		assert_true(value == (rc ? 77 : cases[i].value));
	}
}

static void test_c03_dbm_becomes_picowatts(void **state)
{
	static const struct {
		const char *text;
		int rc;
		int64_t pw;
	} cases[] = {
		{ "0", 0, 1000000000 },	      { "-10", 0, 100000000 },
		{ "-40.0", 0, 100000 },	      { "3", 0, 1995262315 },
		{ "-3.0103", 0, 500000000 },  { "-inf", 0, 0 },
		{ "-400", 0, 0 },	      { "61", -ERANGE, 0 },
		{ "N/A", -EINVAL, 0 },	      { "", -EINVAL, 0 },
		{ "inf", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t pw = 77;
		int rc = number_parse_dbm(cases[i].text, strlen(cases[i].text),
					  &pw);

		assert_int_equal(rc, cases[i].rc);
		if (rc == 0)
			assert_true(llabs(pw - cases[i].pw) <=
				    cases[i].pw / 1000000);
	}
	assert_true(number_dbm(0) == -INFINITY);
	assert_true(fabs(number_dbm(1000000000)) < 1e-9);
	assert_true(fabs(number_dbm(100000) + 40) < 1e-9);
	assert_int_equal(number_pw(-40000), 100000);
	assert_int_equal(number_pw(327670), INT64_MAX);
	assert_int_equal(number_pw(-327670), 0);
}

static void test_number_durations_need_their_unit(void **state)
{
	uint64_t size;
	int64_t ns;

	(void)state;
	assert_int_equal(number_parse_duration("500ms", &ns), 0);
	assert_int_equal(ns, 500000000);
	assert_int_equal(number_parse_duration("7d", &ns), 0);
	assert_int_equal(ns, INT64_C(604800000000000));
	assert_int_equal(number_parse_duration("10", &ns), -EINVAL);
	assert_int_equal(number_parse_duration("s", &ns), -EINVAL);
	assert_int_equal(number_parse_duration("1.5s", &ns), -EINVAL);
	assert_int_equal(number_parse_duration("-1s", &ns), -EINVAL);
	assert_int_equal(number_parse_duration("999999999d", &ns), -ERANGE);
	assert_int_equal(number_parse_size("64K", 1 << 20, &size), 0);
	assert_int_equal(size, 65536);
	assert_int_equal(number_parse_size("4096", 1 << 20, &size), 0);
	assert_int_equal(number_parse_size("2M", 1 << 20, &size), -ERANGE);
	assert_int_equal(number_parse_size("1k", 1 << 20, &size), -EINVAL);
	assert_int_equal(number_parse_size("99999999999999999999G",
					   UINT64_MAX, &size), -ERANGE);
}

static void test_number_scale_rounds_half_away_from_zero(void **state)
{
	(void)state;
	assert_int_equal(number_scale(5, 1, 2), 3);
	assert_int_equal(number_scale(-5, 1, 2), -3);
	assert_int_equal(number_scale(7, 0, 0), 7);
	assert_int_equal(number_scale(0x2c80, 1000, 256), 44500);
	assert_int_equal(number_scale(INT64_C(3000000000), 3, 7),
			 INT64_C(1285714286));	/* beyond 32 bits */
}

static void test_number_digits_are_all_of_them(void **state)
{
	char text[24];

	(void)state;
	*number_digits(text, 0, 1) = '\0';
	assert_string_equal(text, "0");
	*number_digits(text, 7, 3) = '\0';
	assert_string_equal(text, "007");
	*number_digits(text, UINT64_MAX, 1) = '\0';
	assert_string_equal(text, "18446744073709551615");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_number_parse_takes_all_or_nothing),
		cmocka_unit_test(test_number_parse_holds_its_limits),
		cmocka_unit_test(test_c03_decimal_text_becomes_exact_integers),
		cmocka_unit_test(test_c03_dbm_becomes_picowatts),
		cmocka_unit_test(test_number_durations_need_their_unit),
		cmocka_unit_test(test_number_scale_rounds_half_away_from_zero),
		cmocka_unit_test(test_number_digits_are_all_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
