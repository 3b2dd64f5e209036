/* A manual page against what the code prints, in a test of cmocka. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* The page as text, to be freed. Where it is not below this folder the test is
 * skipped, with that reason.
 */
char *manual_page(const char *path);

/* Fails the test unless just made stands between two lines of the page, which
 * begin so.
 */
void manual_page_has(const char *page, const char *begin, const char *end,
		     const char *made);

/* A part of a page: what is printed stands between two marks. */
struct manual_part {
	const char *name, *begin, *end;
	void (*print)(FILE *out);
};

/* Fails the test unless each part of the page is what is printed. */
void manual_parts_agree(const char *path, const struct manual_part *parts,
			size_t n);
/* Prints the part of a name. */
void manual_part_print(const char *name, const struct manual_part *parts,
		       size_t n);
