/* The manual's table of keys is the program's.
 *
 * test_manual --print prints what belongs between the marks of
 * packaging/man/petrel.conf.5.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/config/config.h"

#define PAGE "packaging/man/petrel.conf.5"
#define BEGIN ".\\\" keys: begin"
#define PAGE_MAX (1u << 18)
#define END ".\\\" keys: end"

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

static void test_manual_has_the_table_of_keys(void **state)
{
	char *page = page_read(), *keys = NULL, *from, *to;
	size_t len;
	FILE *f = open_memstream(&keys, &len);

	(void)state;
	if (!page) {
		print_message("SKIP no " PAGE " below this folder\n");
		(void)fclose(f);
		free(keys);
		skip();
	}
	config_print_manual(f);
	(void)fclose(f);
	from = strstr(page, BEGIN);
	assert_non_null(from);
	from = strchr(from, '\n') + 1;
	to = strstr(from, END);
	assert_non_null(to);
	*to = '\0';
	assert_string_equal(from, keys);
	free(page);
	free(keys);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_manual_has_the_table_of_keys),
	};

	if (argc > 1 && strcmp(argv[1], "--print") == 0) {
		config_print_manual(stdout);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
