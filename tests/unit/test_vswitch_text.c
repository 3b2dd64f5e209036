#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/vswitch/value_text.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define RANDOM_VALUES 4000

static void test_number_repr_is_the_shortest_that_reads_back(void **state)
{
	static const struct { double value; const char *text; } cases[] = {
		{ 0.1, "0.1" },		{ 3, "3.0" },
		{ -0.0, "-0.0" },	{ 5.4e-9, "5.4e-09" },
		{ 1e-5, "1e-05" },	{ 0.0001, "0.0001" },
		{ 1e16, "1e+16" },	{ 1e15, "1000000000000000.0" },
		{ 1.0 / 3, "0.3333333333333333" },
		{ 0.1 + 0.2, "0.30000000000000004" },
		{ 47.7265625, "47.7265625" },
		{ 5e-324, "5e-324" },	{ 0, "0.0" },
		{ 7.174648137343064e-43, "7.174648137343064e-43" },
		{ 123456.75, "123456.75" }, { 120, "120.0" },
		{ 1.7976931348623157e308, "1.7976931348623157e+308" },
	};
	char text[NUMBER_REPR_MAX];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		number_repr(cases[i].value, text);
		assert_string_equal(text, cases[i].text);
	}
	number_repr((double)INFINITY, text);
	assert_string_equal(text, "inf");
	number_repr(-(double)INFINITY, text);
	assert_string_equal(text, "-inf");
	number_repr((double)NAN, text);
	assert_string_equal(text, "nan");
}

/* A double from random bits, or a power of two, or a short decimal. */
static double draw(unsigned i)
{
	union { uint64_t bits; double value; } d;

	d.bits = (uint64_t)random() << 33 ^ (uint64_t)random() << 11 ^
		 (uint64_t)random();
	if (i % 4 == 0)
		return ldexp(1, (int)(random() % 2000) - 1000);
	if (i % 4 == 1)
		return (double)(random() % 2048) *
		       pow(10, (double)(random() % 24) - 24);
	if (i % 4 == 2)
		return (double)(random() - random()) / 1000;
	return isfinite(d.value) ? d.value : 0;
}

static const char oracle[] =
	"python3 -c '\n"
	"import sys\n"
	"for line in open(sys.argv[1]):\n"
	"    v = float.fromhex(line)\n"
	"    print(repr(v), float(\"{:.3f}\".format(v)))\n"
	"' %s";

static FILE *oracle_ask(const double *values, size_t count, char *path)
{
	int fd = mkstemp(path);
	char command[sizeof(oracle) + 64];
	FILE *out = fdopen(fd, "w");

	assert_non_null(out);
	for (size_t i = 0; i < count; i++)
		(void)fprintf(out, "%a\n", values[i]);
	assert_int_equal(fclose(out), 0);
	(void)snprintf(command, sizeof(command), oracle, path);
	return popen(command, "r");
}

static void test_texts_are_those_of_python(void **state)
{
	static double values[RANDOM_VALUES];
	char path[] = "/tmp/petrel-repr-XXXXXX", line[512];
	unsigned seed = (unsigned)getpid();
	FILE *in;

	(void)state;
	if (system("python3 -c 0 >/dev/null 2>&1") != 0) {
		print_message("SKIP NO PYTHON3 HERE TO COMPARE WITH\n");
		skip();
	}
	print_message("# seed %u\n", seed);
	srandom(seed);
	for (unsigned i = 0; i < RANDOM_VALUES; i++)
		values[i] = draw(i);
	in = oracle_ask(values, RANDOM_VALUES, path);
	assert_non_null(in);
	for (unsigned i = 0; i < RANDOM_VALUES; i++) {
		char repr[TEXT_VALUE_MAX], rounded[TEXT_VALUE_MAX];
		char *second;

		assert_non_null(fgets(line, sizeof(line), in));
		line[strcspn(line, "\n")] = '\0';
		second = strchr(line, ' ');
		*second++ = '\0';
		number_repr(values[i], repr);
		assert_string_equal(repr, line);
		if (fabs(values[i]) >= 1e12)
			continue;	/* no reading is so large */
		text_rounded(values[i], 3, rounded);
		assert_string_equal(rounded, second);
	}
	(void)pclose(in);
	assert_int_equal(unlink(path), 0);
}

static void test_text_of_light_has_sonics_warts(void **state)
{
	char text[TEXT_VALUE_MAX];

	(void)state;
	text_rounded(text_mw_dbm(0), 3, text);
	assert_string_equal(text, "-inf");
	text_rounded(text_mw_dbm(-1), 3, text);
	assert_string_equal(text, "nan");
	text_rounded(text_mw_dbm(1), 3, text);
	assert_string_equal(text, "0.0");
	/* 0.4 uW: rounded first it is dark, rounded last it is not. */
	text_rounded(text_mw_dbm(text_round(0.0004, 3)), 3, text);
	assert_string_equal(text, "-inf");
	text_rounded(text_mw_dbm(0.0004), 3, text);
	assert_string_equal(text, "-33.979");
	assert_true(text_round(0.4576, 3) == 0.458);
}

static void test_text_of_lua_has_17_digits(void **state)
{
	char text[TEXT_VALUE_MAX];

	(void)state;
	text_lua(0.1, text);
	assert_string_equal(text, "0.10000000000000001");
	text_lua(123456, text);
	assert_string_equal(text, "123456");
	text_lua((double)INFINITY, text);
	assert_string_equal(text, "inf");
	text_lua(-1, text);
	assert_string_equal(text, "-1");
}

static void test_text_of_time_is_utc(void **state)
{
	char text[TEXT_VALUE_MAX];

	(void)state;
	assert_int_equal(setenv("TZ", "XYZ-5", 1), 0);
	text_date(1795168862, DATE_C, text);
	assert_string_equal(text, "Fri Nov 20 10:01:02 2026");
	text_date(1795168862, DATE_ISO, text);
	assert_string_equal(text, "2026-11-20 10:01:02");
	text_date(1795168862, DATE_LOCAL, text);
	assert_string_equal(text, "20261120 15:01:02");
}

static void test_text_of_counter_reaches_64_bits(void **state)
{
	char text[TEXT_VALUE_MAX];

	(void)state;
	assert_int_equal(text_u64(0, text), 1);
	assert_string_equal(text, "0");
	assert_int_equal(text_u64(UINT64_MAX, text), 20);
	assert_string_equal(text, "18446744073709551615");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_number_repr_is_the_shortest_that_reads_back),
		cmocka_unit_test(test_texts_are_those_of_python),
		cmocka_unit_test(test_text_of_light_has_sonics_warts),
		cmocka_unit_test(test_text_of_lua_has_17_digits),
		cmocka_unit_test(test_text_of_time_is_utc),
		cmocka_unit_test(test_text_of_counter_reaches_64_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
