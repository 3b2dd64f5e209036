#include "platform/driver_file.h"

#include <errno.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "petrel/clock.h"

#define FILE_NAME "oven.driver"
#define HEAT "[Source heat]\n"

static int read_text(const char *text, struct driver_file **ret,
		     struct diag *d)
{
	return driver_file_new(FILE_NAME, 4, text, strlen(text), ret, d);
}

static void test_c07_a_file_gives_sources_and_options(void **state)
{
	static const char text[] =
		"# of an oven\n" HEAT "help = Warm\nperiod = 500ms\n"
		"rights = net_admin, sys_rawio\n[Source fan]\n"
		"[Option level]\nform = number\nmin = 1\nmax = 100\nvalue = 7\n"
		"help = How warm.\n[Option mode]\nform = word\n"
		"words = low, high\nat_start = no\n"
		"[Option pause]\nform = duration\nmin = 1s\nmax = 1h\n";
	const struct platform_driver *driver;
	const struct option_key *o;
	struct driver_file *f;
	struct diag d = { "" };

	(void)state;
	if (read_text(text, &f, &d) < 0)
		fail_msg("%s", d.text);
	driver = &f->driver;
	assert_string_equal(driver->name, "oven");
	assert_string_equal(driver->sources[0]->name, "heat");
	assert_int_equal(driver->sources[0]->period_ms, 500);
	assert_true(driver->sources[0]->blocks);
	assert_true(driver->sources[0]->rights ==
		    (UINT64_C(1) << CAP_NET_ADMIN |
		     UINT64_C(1) << CAP_SYS_RAWIO));
	assert_int_equal(driver->sources[1]->period_ms, 10000);
	assert_null(driver->sources[2]);
	o = driver->options;
	assert_string_equal(o[0].key, "level");
	assert_int_equal(o[0].form, OPTION_NUMBER);
	assert_int_equal(o[0].max, 100);
	assert_string_equal(o[0].value, "7");
	assert_true(o[0].at_start);
	assert_int_equal(o[1].word_count, 2);
	assert_string_equal(o[1].words[1], "high");
	assert_false(o[1].at_start);
	assert_true(o[2].min == NS_PER_S);
	assert_null(o[3].key);
	driver_file_free(f);
}

static void test_c07_what_a_file_may_not_say_is_told_with_its_line(void **state)
{
	static const struct {
		const char *text, *expected;
	} rows[] = {
		{ "", "no [Source NAME]" },
		{ "[Option a]\n", "no [Source NAME]" },
		{ "[Sourze a]\n", FILE_NAME ":1: [Sourze a]: expected" },
		{ "[Source A]\n", ":1: [Source A]: expected" },
		{ HEAT "periud = 1s\n", ":2: unknown key 'periud'" },
		{ HEAT "form = bool\n", ":2: unknown key 'form'" },
		{ HEAT "period = 1\n", ":2: period = 1: expected a time" },
		{ HEAT "help = a\nhelp = b\n", ":3: help is given twice" },
		{ HEAT "rights = root\n", "[Source heat]: rights = root: " },
		{ HEAT "[Option a]\nform = long\n", ":3: form = long: expec" },
		{ HEAT "[Option a]\nform = auto_or_list\n", ":3: form = auto" },
		{ HEAT "[Option a]\nform = size\nmax = x\n",
		  "[Option a]: max = x: expected a size" },
		{ HEAT "[Option a]\nform = number\nmax = 5\nvalue = 6\n",
		  "[Option a]: a = 6: expected a number from 0 to 5" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct driver_file *f = NULL;
		struct diag d = { "" };

		assert_int_equal(read_text(rows[i].text, &f, &d), -EINVAL);
		if (!strstr(d.text, rows[i].expected) ||
		    !strstr(d.text, FILE_NAME))
			fail_msg("'%s' lacks '%s'", d.text, rows[i].expected);
	}
}

static void test_c07_no_list_grows_past_its_room(void **state)
{
	char *text = calloc(1, 64 * 1024);
	struct driver_file *f = NULL;
	struct diag d = { "" };

	(void)state;
	assert_non_null(text);
	for (unsigned i = 0; i < 33; i++)
		(void)strcat(text, HEAT);
	assert_int_equal(read_text(text, &f, &d), -EINVAL);
	(void)strcpy(text, HEAT);
	for (unsigned i = 0; i < 17; i++)
		(void)strcat(text, "[Option a]\nwords = a,b,c,d,e,f,g,h,i\n");
	assert_int_equal(read_text(text, &f, &d), -EINVAL);
	assert_non_null(strstr(d.text, "too many"));
	free(text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c07_a_file_gives_sources_and_options),
		cmocka_unit_test(
			test_c07_what_a_file_may_not_say_is_told_with_its_line),
		cmocka_unit_test(test_c07_no_list_grows_past_its_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
