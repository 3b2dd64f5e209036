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
#define MANUAL_COLUMNS 72

/* One sentence, on lines that fit a manual's source. */
static void words_print(FILE *out, const char *text, size_t len)
{
	const char *end = text + len;
	size_t column = 0;

	while (text < end) {
		size_t n = strcspn(text, " ");

		if (column > 0 && column + 1 + n > MANUAL_COLUMNS) {
			fputc('\n', out);
			column = 0;
		}
		if (n > (size_t)(end - text))
			n = (size_t)(end - text);
		fprintf(out, "%s%.*s", column ? " " : "", (int)n, text);
		column += n + (column > 0);
		text += n;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

/* Each sentence on a line of its own, as mdoc wants it. */
static void sentences_print(FILE *out, const char *text)
{
	const char *end;

	while ((end = strstr(text, ". ")) != NULL) {
		words_print(out, text, (size_t)(end + 1 - text));
		text = end + 2;
	}
	words_print(out, text, strlen(text));
}

static void table_print(const struct config_table *t, FILE *out)
{
	const char *section = "";

	for (size_t i = 0; i < t->count; i++) {
		const struct config_key *k = &t->keys[i];

		if (strcmp(section, k->section) != 0)
			fprintf(out, "%s.Ss \\&[%s]\\&\n.Bl -tag -width Ds\n",
				section[0] ? ".El\n" : "", k->section);
		section = k->section;
		fprintf(out, ".It Ic %s\n", k->is.key);
		sentences_print(out, k->is.help);
		if (k->is.at_start)
			sentences_print(out, "A change takes effect when "
					"petreld is started again.");
		if (k->is.value && k->is.value[0])
			fprintf(out, "Default:\n.Ql %s .\n", k->is.value);
	}
	fprintf(out, ".El\n");
}

static void keys_print(FILE *f)
{
	struct config_keys *keys;

	if (config_keys_new(registry_built_in(), &keys, NULL) < 0)
		abort();
	table_print(config_keys_table(keys), f);
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
