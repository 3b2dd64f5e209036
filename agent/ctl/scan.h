/* Reads one JSON value after another from a line in memory, without building
 * a tree: a trace has millions of lines, of which each key is wanted once.
 *
 * Strict as RFC 8259 in structure, with limits of its own; NaN and Infinity,
 * which recorders in other languages write, count as null. Reading goes
 * through struct cursor: an error sticks, and is checked once at the end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "petrel/cursor.h"

#define SCAN_DEPTH_MAX 8
#define SCAN_STRING_MAX 256	/* longer ones are skipped whole, cut if used */

enum scan_type {
	SCAN_END,		/* of the object or array; or an error */
	SCAN_NULL, SCAN_TRUE, SCAN_FALSE, SCAN_NUMBER, SCAN_STRING,
	SCAN_ARRAY, SCAN_OBJECT,	/* opened: read it, or scan_skip() */
};

struct scan {
	struct cursor c;
	unsigned depth;
	bool first;		/* nothing was read of the open object yet */
};

/* A value; text is borrowed from the line (strings: between the quotes). */
struct scan_value {
	enum scan_type type;
	const char *text;
	size_t len;
};

/* Begins at the first octet; keeps the line borrowed. */
struct scan scan_of(const char *line, size_t len);
static inline bool scan_ok(const struct scan *s)
{
	return cursor_ok(&s->c);
}

/* The line is one object. False when it does not begin one. */
bool scan_object(struct scan *s);
/* The next key of the open object; false at its end. */
bool scan_key(struct scan *s, const char **ret_key, size_t *ret_len);
/* The value of the key just read. */
struct scan_value scan_value(struct scan *s);

/* The next value of the open array; SCAN_END at its end. */
struct scan_value scan_element(struct scan *s);
/* Reads to the end of an array or object that a value opened. */
void scan_skip(struct scan *s, const struct scan_value *v);
/* Nothing but blanks is left, and nothing failed. */
bool scan_done(struct scan *s);

/* Undoes escapes and cuts at cap; characters above ASCII become '?'. */
void scan_text(const struct scan_value *v, char *ret, size_t cap);
