#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "platform/sonic/meaning/text.h"

#define UNTOUCHED 12345
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct expectation {
	const char *text;
	int rc;
	int64_t value;	/* UNTOUCHED where rc is below 0 */
};

static void check(const struct expectation *e, int rc, int64_t value)
{
	if (rc != e->rc || value != e->value)
		fail_msg("'%s' gave %d, %lld; expected %d, %lld", e->text, rc,
			 (long long)value, e->rc, (long long)e->value);
}

static void test_text_number_takes_warts_and_refuses_junk(void **state)
{
	static const struct expectation list[] = {
		{ "45.5", 0, 45500 },	     { "45.5C", 0, 45500 },
		{ "3.3Volts", 0, 3300 },     { "3.3 Volts", 0, 3300 },
		{ "55.5mA", 0, 55500 },	     { " 7 ", 0, 7000 },
		{ "55%", 0, 55000 },	     { "5500 RPM", 0, 5500000 },
		{ "-0.0039", 0, -4 },	     { "5.4e-01", 0, 540 },
		{ "N/A", -ENODATA, UNTOUCHED }, { "", -ENODATA, UNTOUCHED },
		{ "nan", -ENODATA, UNTOUCHED }, { "-nan", -ENODATA, UNTOUCHED },
		{ "inf", -ENODATA, UNTOUCHED },
		{ "never", -ENODATA, UNTOUCHED },
		{ "-inf", -ENODATA, UNTOUCHED }, { "C", -EINVAL, UNTOUCHED },
		{ "hot", -EINVAL, UNTOUCHED },
		{ "12frames", -EINVAL, UNTOUCHED },
		{ "1 2", -EINVAL, UNTOUCHED }, { "0x", -EINVAL, UNTOUCHED },
		{ "1e300", -ERANGE, UNTOUCHED },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(list); i++) {
		int64_t value = UNTOUCHED;
		int rc = text_number(list[i].text, strlen(list[i].text), 1000,
				     &value);

		check(&list[i], rc, value);
	}
}

static void test_c03_dbm_becomes_pw_and_no_light_zero(void **state)
{
	static const struct expectation list[] = {
		{ "0", 0, 1000000000 },		{ "-30.0dBm", 0, 1000000 },
		{ "-inf", 0, 0 },		{ "-infdBm", 0, 0 },
		{ "3.0103", 0, 2000000020 },	{ "nan", -ENODATA, UNTOUCHED },
		{ "N/A", -ENODATA, UNTOUCHED }, { "dark", -EINVAL, UNTOUCHED },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(list); i++) {
		int64_t value = UNTOUCHED;
		int rc = text_dbm(list[i].text, strlen(list[i].text), &value);

		if (strcmp(list[i].text, "3.0103") == 0)
			assert_in_range(value, 1999999000, 2000001000);
		else
			check(&list[i], rc, value);
	}
}

static void test_c03_counter_of_all_ones_is_absent(void **state)
{
	static const struct expectation list[] = {
		{ "0", 0, 0 },
		{ "18446744073709551614", 0, -2 },
		{ "18446744073709551615", -ENODATA, UNTOUCHED },
		{ "18446744073709551616", -ERANGE, UNTOUCHED },
		{ "-1", -EINVAL, UNTOUCHED },
		{ "1.0", -EINVAL, UNTOUCHED },
		{ "N/A", -ENODATA, UNTOUCHED },
		{ "", -ENODATA, UNTOUCHED },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(list); i++) {
		int64_t value = UNTOUCHED;
		int rc = text_counter(list[i].text, strlen(list[i].text),
				      &value);

		check(&list[i], rc, value);
	}
}

static void test_text_bool_knows_pythons_and_cs_words(void **state)
{
	static const struct expectation list[] = {
		{ "True", 0, 1 },  { "false", 0, 0 }, { "up", 0, 1 },
		{ "down", 0, 0 },  { "1", 0, 1 },     { "0", 0, 0 },
		{ "enable", 0, 1 }, { "off", 0, 0 },
		{ "OK", 0, 1 },	   { "Not OK", 0, 0 }, { "NOT OK", 0, 0 },
		{ "Present", 0, 1 }, { "not present", 0, 0 },
		{ "N/A", -ENODATA, UNTOUCHED },
		{ "2", -EINVAL, UNTOUCHED },
		{ "Truely", -EINVAL, UNTOUCHED },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(list); i++) {
		int64_t value = UNTOUCHED;
		int rc = text_bool(list[i].text, strlen(list[i].text), &value);

		check(&list[i], rc, value);
	}
}

/* Seconds from `date -u -d … +%s`. */
static void test_text_utc_reads_both_forms(void **state)
{
	static const struct expectation list[] = {
		{ "Fri Nov 20 10:01:02 2026", 0, 1795168862 },
		{ "Sat Jan 18 00:08:42 2025", 0, 1737158922 },
		{ "Thu Feb 29 23:59:59 2024", 0, 1709251199 },
		{ "Fri Mar  1 00:00:00 2024", 0, 1709251200 },
		{ "2025-01-17 19:51:12", 0, 1737143472 },
		{ "1970-01-01 00:00:00", 0, 0 },
		{ "never", -ENODATA, UNTOUCHED },
		{ "", -ENODATA, UNTOUCHED },
		{ "2025-13-17 19:51:12", -EINVAL, UNTOUCHED },
		{ "Fri Foo 20 10:01:02 2026", -EINVAL, UNTOUCHED },
		{ "Fri Nov 20 10:01:0x 2026", -EINVAL, UNTOUCHED },
		{ "2025-01-17", -EINVAL, UNTOUCHED },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(list); i++) {
		int64_t value = UNTOUCHED;
		int rc = text_utc(list[i].text, strlen(list[i].text), &value);

		check(&list[i], rc, value);
	}
}

static void test_text_copy_trims_and_cuts(void **state)
{
	char to[6];

	(void)state;
	text_copy(to, sizeof(to), " ab  ", 5);
	assert_string_equal(to, "ab");
	text_copy(to, sizeof(to), "abcdefgh", 8);
	assert_string_equal(to, "abcde");
	text_copy(to, sizeof(to), "N/A", 3);
	assert_string_equal(to, "");
	text_copy(to, sizeof(to), "none", 4);
	assert_string_equal(to, "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_number_takes_warts_and_refuses_junk),
		cmocka_unit_test(test_c03_dbm_becomes_pw_and_no_light_zero),
		cmocka_unit_test(test_c03_counter_of_all_ones_is_absent),
		cmocka_unit_test(test_text_bool_knows_pythons_and_cs_words),
		cmocka_unit_test(test_text_utc_reads_both_forms),
		cmocka_unit_test(test_text_copy_trims_and_cuts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
