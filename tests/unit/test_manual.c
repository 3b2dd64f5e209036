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
#include "platform/registry.h"
#include "tests/support/manual_page.h"

#define PAGE "packaging/man/petrel.conf.5"
#define BEGIN ".\\\" keys: begin"
#define END ".\\\" keys: end"

static void keys_print(FILE *f)
{
	struct config_keys *keys;

	if (config_keys_new(registry_built_in(), &keys, NULL) < 0)
		abort();
	config_print_manual(keys, f);
	config_keys_free(keys);
}

static void test_manual_has_the_table_of_keys(void **state)
{
	char *page = manual_page(PAGE), *made = NULL;
	size_t len;
	FILE *f = open_memstream(&made, &len);

	(void)state;
	assert_non_null(f);
	keys_print(f);
	(void)fclose(f);
	manual_page_has(page, BEGIN, END, made);
	free(made);
	free(page);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_manual_has_the_table_of_keys),
	};

	if (argc > 1 && strcmp(argv[1], "--print") == 0) {
		keys_print(stdout);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
