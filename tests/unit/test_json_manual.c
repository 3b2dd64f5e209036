/* The manual of the JSON is the tables of columns.
 *
 * test_json_manual --print PART prints what belongs between the marks of that
 * part in packaging/man/petrel-json.7.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/ctl/commands.h"
#include "agent/query/shapes.h"
#include "tests/support/json_manual.h"

#define PAGE "packaging/man/petrel-json.7"
#define PAGE_MAX (1u << 18)

/* The page as text to be freed; NULL when it is not there. */
static char *page_read(void)
{
	FILE *f = fopen(PAGE, "r");
	char *text = calloc(1, PAGE_MAX);
	bool is_there = f && fread(text, 1, PAGE_MAX - 1, f) > 0;

	if (f)
		(void)fclose(f);
	if (is_there)
		return text;
	free(text);
	return NULL;
}

static void part_check(const char *page, const char *part)
{
	char begin[64], end[64], *made = NULL, *found;
	const char *from, *to;
	size_t len;
	FILE *f = open_memstream(&made, &len);

	(void)snprintf(begin, sizeof(begin), ".\\\" %s: begin\n", part);
	(void)snprintf(end, sizeof(end), ".\\\" %s: end\n", part);
	assert_int_equal(json_manual(f, part), 0);
	(void)fclose(f);
	from = strstr(page, begin);
	to = strstr(page, end);
	assert_non_null(from);
	assert_non_null(to);
	from += strlen(begin);
	found = strndup(from, (size_t)(to - from));
	assert_string_equal(found, made);
	free(found);
	free(made);
}

static void test_manual_has_the_keys_of_every_table(void **state)
{
	static const char *const parts[] = { "verbs", "down" };
	char *page = page_read();

	(void)state;
	if (!page) {
		print_message("SKIP no " PAGE " below this folder\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		part_check(page, parts[i]);
	free(page);
}

static void test_manual_has_every_member_of_a_finding(void **state)
{
	char *page = page_read(), *made = NULL, *save = NULL;
	size_t len;
	FILE *f = open_memstream(&made, &len);

	(void)state;
	json_manual_finding(f);
	(void)fclose(f);
	for (char *line = strtok_r(made, "\n", &save); page && line;
	     line = strtok_r(NULL, "\n", &save))
		if (!strstr(page, line))
			fail_msg("no '%s' in " PAGE, line);
	free(made);
	free(page);
}

static bool is_described(const char *verb)
{
	for (const struct verb_shapes *v = verb_shapes; v->verb; v++)
		if (strcmp(v->verb, verb) == 0)
			return true;
	return false;
}

/* Of those that ask, all but reload, which has an envelope alone, and record,
 * whose lines are a trace.
 */
static void test_manual_leaves_out_no_command_that_asks(void **state)
{
	(void)state;
	for (const struct command *c = commands_table(); c->name; c++)
		if (c->verb && strcmp(c->verb, "reload") != 0 &&
		    strcmp(c->verb, "trace") != 0)
			assert_true(is_described(c->verb));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_manual_has_the_keys_of_every_table),
		cmocka_unit_test(test_manual_has_every_member_of_a_finding),
		cmocka_unit_test(test_manual_leaves_out_no_command_that_asks),
	};

	if (argc > 2 && strcmp(argv[1], "--print") == 0)
		return json_manual(stdout, argv[2]) < 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
