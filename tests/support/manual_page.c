#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/manual_page.h"

#define PAGE_MAX (1u << 18)

char *manual_page(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = calloc(1, PAGE_MAX);
	bool is_there = f && text && fread(text, 1, PAGE_MAX - 1, f) > 0;

	if (f)
		(void)fclose(f);
	if (is_there)
		return text;
	free(text);
	print_message("SKIP no %s below this folder\n", path);
	skip();
	return NULL;
}

void manual_page_has(const char *page, const char *begin, const char *end,
		     const char *made)
{
	const char *from = strstr(page, begin), *to;
	char *found;

	if (!from)
		fail_msg("no line '%s'", begin);
	from = strchrnul(from, '\n');
	from += *from == '\n';
	to = strstr(from, end);
	if (!to)
		fail_msg("no line '%s' after '%s'", end, begin);
	found = strndup(from, (size_t)(to - from));
	assert_string_equal(found, made);
	free(found);
}

void manual_parts_agree(const char *path, const struct manual_part *parts,
			size_t n)
{
	char *page = manual_page(path);

	for (size_t i = 0; i < n; i++) {
		char *made = NULL;
		size_t len;
		FILE *f = open_memstream(&made, &len);

		assert_non_null(f);
		parts[i].print(f);
		(void)fclose(f);
		manual_page_has(page, parts[i].begin, parts[i].end, made);
		free(made);
	}
	free(page);
}

void manual_part_print(const char *name, const struct manual_part *parts,
		       size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, parts[i].name) == 0)
			parts[i].print(stdout);
}
