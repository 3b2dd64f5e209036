#include "agent/query/pattern.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* Which of Ethernet0 to Ethernet39 match, as numbers with blanks. */
static void matching(const char *text, char ret[static 256])
{
	struct pattern p;
	struct diag d;
	size_t len = 0;

	ret[0] = '\0';
	assert_int_equal(pattern_parse(text, &p, &d), 0);
	for (int i = 0; i < 40; i++) {
		char name[ENTITY_NAME_MAX];

		(void)snprintf(name, sizeof(name), "Ethernet%d", i);
		if (pattern_matches(&p, name))
			len += (size_t)snprintf(ret + len, 256 - len, "%s%d",
						len ? " " : "", i);
	}
}

static void test_pattern_names_what_it_says(void **state)
{
	static const struct {
		const char *text, *numbers;
	} cases[] = {
		{ "Ethernet8", "8" },
		{ "Ethernet8,16-32/4", "8 16 20 24 28 32" },
		{ "Ethernet8,9,10", "8 9 10" },
		{ "Ethernet0-3", "0 1 2 3" },
		{ "Ethernet36-100/2,0", "0 36 38" },
		{ "Ethernet5-5", "5" },
		{ " Ethernet8 ,\t9,\r\n16-18 \n", "8 9 16 17 18" },
		{ "Ethernet30-34/3,eth1", "30 33" },
	};
	char numbers[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		matching(cases[i].text, numbers);
		assert_string_equal(numbers, cases[i].numbers);
	}
}

static void test_pattern_keeps_names_with_dashes_and_slashes(void **state)
{
	static const char *const names[] = {
		"Ethernet-Rec0", "Eth1/2", "swp1s0", "mgmt", "Ethernet-IB1",
		"a-b/c", "port-",
	};
	struct pattern p;
	struct diag d;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(pattern_parse(names[i], &p, &d), 0);
		assert_true(pattern_matches(&p, names[i]));
		assert_false(pattern_matches(&p, "Ethernet1"));
	}
}

static void test_pattern_takes_no_other_writing_of_a_number(void **state)
{
	struct pattern p;
	struct diag d;

	(void)state;
	assert_int_equal(pattern_parse("Ethernet0-20", &p, &d), 0);
	assert_true(pattern_matches(&p, "Ethernet0"));
	assert_false(pattern_matches(&p, "Ethernet08"));
	assert_false(pattern_matches(&p, "Ethernet"));
	assert_false(pattern_matches(&p, "Ethernet1.100"));
	assert_false(pattern_matches(&p, "Ethernet0x8"));
}

static void test_pattern_takes_any_case(void **state)
{
	struct pattern p;
	struct diag d;

	(void)state;
	assert_int_equal(pattern_parse("etp1A,ETHERNET8-12/2", &p, &d), 0);
	assert_true(pattern_matches(&p, "Etp1a"));
	assert_true(pattern_matches(&p, "Ethernet10"));
	assert_false(pattern_matches(&p, "Ethernet11"));
}

static void test_pattern_refuses_and_names_the_item(void **state)
{
	static const struct {
		const char *text, *told;
	} cases[] = {
		{ "Ethernet8-4", "'Ethernet8-4'" },
		{ "Ethernet8-16/0", "'Ethernet8-16/0'" },
		{ "Ethernet0-9999999", "'Ethernet0-9999999'" },
		{ "Ethernet8,,9", "''" },
		{ "Ethernet8,", "ends in a comma" },
		{ ",", "''" },
		{ " ", "''" },
	};
	struct pattern p;
	struct diag d;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(pattern_parse(cases[i].text, &p, &d), -EINVAL);
		assert_non_null(strstr(d.text, cases[i].told));
	}
}

static void test_pattern_is_bounded(void **state)
{
	char text[4 * (PATTERN_ITEMS_MAX + 1) + 1], name[ENTITY_NAME_MAX + 2];
	struct pattern p;

	(void)state;
	text[0] = '\0';
	for (int i = 0; i < PATTERN_ITEMS_MAX; i++)
		strcat(text, i ? ",e1" : "e1");
	assert_int_equal(pattern_parse(text, &p, NULL), 0);
	strcat(text, ",e1");
	assert_int_equal(pattern_parse(text, &p, NULL), -EINVAL);
	memset(name, 'x', sizeof(name));
	name[ENTITY_NAME_MAX - 1] = '\0';
	assert_int_equal(pattern_parse(name, &p, NULL), 0);
	name[ENTITY_NAME_MAX - 1] = 'x';
	name[ENTITY_NAME_MAX] = '\0';
	assert_int_equal(pattern_parse(name, &p, NULL), -EINVAL);
}

static void test_pattern_of_nothing_has_no_items(void **state)
{
	struct pattern p;

	(void)state;
	assert_int_equal(pattern_parse("", &p, NULL), 0);
	assert_int_equal(p.count, 0);
	assert_false(pattern_matches(&p, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pattern_names_what_it_says),
		cmocka_unit_test(
			test_pattern_keeps_names_with_dashes_and_slashes),
		cmocka_unit_test(
			test_pattern_takes_no_other_writing_of_a_number),
		cmocka_unit_test(test_pattern_takes_any_case),
		cmocka_unit_test(test_pattern_refuses_and_names_the_item),
		cmocka_unit_test(test_pattern_is_bounded),
		cmocka_unit_test(test_pattern_of_nothing_has_no_items),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
