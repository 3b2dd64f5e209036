/* The manual of the JSON is the tables of columns.
 *
 * test_json_manual --print PART prints what belongs between the marks of that
 * part in packaging/man/petrel-json.7 or petrel.1.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/json_manual.h"
#include "tests/support/manual_page.h"

#define PAGE "packaging/man/petrel-json.7"
#define COMMANDS "packaging/man/petrel.1"

static void part_check(const char *page, const char *part)
{
	char begin[64], end[64], *made = NULL;
	size_t len;
	FILE *f = open_memstream(&made, &len);

	(void)snprintf(begin, sizeof(begin), ".\\\" %s: begin", part);
	(void)snprintf(end, sizeof(end), ".\\\" %s: end", part);
	assert_int_equal(json_manual(f, part), 0);
	(void)fclose(f);
	manual_page_has(page, begin, end, made);
	free(made);
}

static void test_manual_has_the_keys_of_every_table(void **state)
{
	char *page = manual_page(PAGE), *commands = manual_page(COMMANDS);

	(void)state;
	part_check(page, "verbs");
	part_check(page, "down");
	part_check(commands, "commands");
	free(page);
	free(commands);
}

static void test_manual_has_every_member_of_a_finding(void **state)
{
	char *page = manual_page(PAGE), *made = NULL, *save = NULL;
	size_t len;
	FILE *f = open_memstream(&made, &len);

	(void)state;
	json_manual_finding(f);
	(void)fclose(f);
	for (char *line = strtok_r(made, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		if (!strstr(page, line))
			fail_msg("no '%s' in " PAGE, line);
	free(made);
	free(page);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_manual_has_the_keys_of_every_table),
		cmocka_unit_test(test_manual_has_every_member_of_a_finding),
	};

	if (argc > 2 && strcmp(argv[1], "--print") == 0)
		return json_manual(stdout, argv[2]) < 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
