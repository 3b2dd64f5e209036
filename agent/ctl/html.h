/* A page of HTML in one file: it loads nothing, needs no script, and is
 * readable on a phone and on paper. Each text that is not Petrel's own goes
 * through html_text(), which escapes all markup.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include "local.pb-c.h"

struct redact;

struct html {
	FILE *out;
	struct redact *redact;	/* NULL: nothing is replaced; borrowed */
};

void html_begin(const struct html *p, const char *title);
void html_end(const struct html *p);

/* Writes a text from outside: cleaned, with its names replaced, and escaped for
 * content and for attributes in double quotes.
 */
void html_text(const struct html *p, const char *text);
/* <tag class="name">text</tag>; name NULL: without. */
void html_element(const struct html *p, const char *tag, const char *name,
		  const char *text);
/* An entry of a list of terms. */
void html_term(const struct html *p, const char *term, const char *text);

/* A table of an answer, with its notes; a list of terms if it has one row or
 * with all its columns, without absent values. Writes nothing if it has no row.
 */
void html_table(const struct html *p, const Petrel__Table *t, bool with_all);
