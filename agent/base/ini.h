/* Text of [Section] and key = value lines; # and ; begin a comment. Knows the
 * form only, no names.
 */
#pragma once

#include <stddef.h>
#include "petrel/diag.h"

#define INI_LINE_MAX 1024u

/* Takers of the lines. Texts are borrowed for the call; both return 0, or a
 * negative errno with d, which ends the parse.
 */
struct ini_taker {
	void *context;
	int (*heading)(void *context, const char *section, struct diag *d);
	int (*value)(void *context, const char *section, const char *key,
		     const char *value, unsigned line, struct diag *d);
};

/* Passes on each heading and each value. Returns -EINVAL with d: file, line,
 * what is wrong; or what the taker returned, with file and line before it.
 */
int ini_read(const char *text, size_t len, const char *file,
	     const struct ini_taker *to, struct diag *d);

/* Whether a text may be shown, sent, and written to databases: UTF-8 without
 * control characters other than tabs. Returns -EINVAL with d.
 */
int ini_text_check(const char *text, struct diag *d);
