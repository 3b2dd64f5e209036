#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "agent/base/event.h"

static void test_event_change_is_read_as_written(void **state)
{
	char text[CHANGE_TEXT_MAX];
	struct event_change c;

	(void)state;
	change_text(text, "PORT|Ethernet8 speed", "400000", "200000");
	assert_string_equal(text, "PORT|Ethernet8 speed\t400000\t200000");
	change_parse(text, &c);
	assert_string_equal(c.item, "PORT|Ethernet8 speed");
	assert_string_equal(c.from, "400000");
	assert_string_equal(c.to, "200000");
}

static void test_event_change_of_nothing_is_empty(void **state)
{
	char text[CHANGE_TEXT_MAX];
	struct event_change c;

	(void)state;
	change_text(text, NULL, "", "a\tb\nc");
	assert_string_equal(text, "\t\ta b c");
	change_parse("bare words", &c);
	assert_string_equal(c.item, "bare words");
	assert_string_equal(c.from, "");
	assert_string_equal(c.to, "");
	change_parse(NULL, &c);
	assert_string_equal(c.item, "");
}

static void test_event_change_too_long_cuts_the_longest(void **state)
{
	char text[CHANGE_TEXT_MAX], big[1000];
	struct event_change c;

	(void)state;
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	change_text(text, "item", big, "to");
	assert_int_equal(strlen(text), CHANGE_TEXT_MAX - 1);
	change_parse(text, &c);
	assert_string_equal(c.item, "item");
	assert_string_equal(c.to, "to");
	change_parse(big, &c);
	assert_int_equal(strlen(c.item), CHANGE_TEXT_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event_change_is_read_as_written),
		cmocka_unit_test(test_event_change_of_nothing_is_empty),
		cmocka_unit_test(test_event_change_too_long_cuts_the_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
