/* petrel-scenario(5) has the tables of the parser, word for word (C16). When
 * one changes, `test_scenario_manual --print` prints what belongs there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "platform/sim/scenario.h"
#include "platform/sim/scenario_text.h"
#include "tests/support/scenario_manual.h"

#define PAGE "packaging/man/petrel-scenario.5"
#define CAP 65536u
#define MARK ".\\\" table "

/* The items of one table in a text: from its mark to the list's end or the
 * next mark. Cuts the text there.
 */
static char *table_cut(char *text, const char *name)
{
	char mark[64], *begin, *end, *next;

	(void)snprintf(mark, sizeof(mark), MARK "%s\n", name);
	begin = strstr(text, mark);
	if (!begin)
		fail_msg("no table '%s'", name);
	begin += strlen(mark);
	end = strstr(begin, ".El\n");
	next = strstr(begin, MARK);
	if (next && (!end || next < end))
		end = next;
	return strndup(begin, end ? (size_t)(end - begin) : strlen(begin));
}

static char *page_read(void)
{
	char *text = calloc(1, CAP);
	FILE *f = fopen(PAGE, "re");

	assert_non_null(text);
	if (!f)
		fail_msg("%s cannot be read", PAGE);
	assert_true(fread(text, 1, CAP - 1, f) > 0);
	(void)fclose(f);
	return text;
}

static void table_check(const char *name)
{
	char *page = page_read(), *made = calloc(1, CAP), *a, *b;

	assert_non_null(made);
	assert_true(scenario_manual(made, CAP) < CAP);
	a = table_cut(page, name);
	b = table_cut(made, name);
	assert_true(strlen(b) > 0);
	assert_string_equal(a, b);
	free(a);
	free(b);
	free(made);
	free(page);
}

static void test_c16_manual_has_the_keys_of_switch(void **state)
{
	(void)state;
	table_check("switch");
}

static void test_c16_manual_has_the_keys_of_port(void **state)
{
	(void)state;
	table_check("port");
}

static void test_c16_manual_has_the_table_of_faults(void **state)
{
	(void)state;
	table_check("faults");
}

static void test_c16_manual_has_the_keys_of_faults(void **state)
{
	(void)state;
	table_check("keys");
}

static void test_c16_manual_has_the_media(void **state)
{
	(void)state;
	table_check("media");
}

static void test_c16_manual_shows_a_scenario_that_is_read(void **state)
{
	char *page = page_read(), *begin, *end;
	struct scenario *s = NULL;
	struct diag d = { "" };

	(void)state;
	begin = strstr(page, "-offset indent\n");
	assert_non_null(begin);
	begin += strlen("-offset indent\n");
	end = strstr(begin, ".Ed\n");
	assert_non_null(end);
	if (scenario_read(begin, (size_t)(end - begin), "example", &s, &d) < 0)
		fail_msg("%s", d.text);
	assert_int_equal(s->fault_count, 3);
	scenario_free(s);
	free(page);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c16_manual_has_the_keys_of_switch),
		cmocka_unit_test(test_c16_manual_has_the_keys_of_port),
		cmocka_unit_test(test_c16_manual_has_the_table_of_faults),
		cmocka_unit_test(test_c16_manual_has_the_keys_of_faults),
		cmocka_unit_test(test_c16_manual_has_the_media),
		cmocka_unit_test(
			test_c16_manual_shows_a_scenario_that_is_read),
	};
	char text[CAP];

	if (argc > 1 && strcmp(argv[1], "--print") == 0) {
		(void)scenario_manual(text, sizeof(text));
		return fputs(text, stdout) < 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
