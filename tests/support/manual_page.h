/* A manual page against what the code prints, in a test of cmocka. */
#pragma once

/* The page as text, to be freed. Where it is not below this folder the test is
 * skipped, with that reason.
 */
char *manual_page(const char *path);

/* Fails the test unless just made stands between two lines of the page, which
 * begin so.
 */
void manual_page_has(const char *page, const char *begin, const char *end,
		     const char *made);
