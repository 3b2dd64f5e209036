/* What is kept of a struct over a restart: a table of its fields by name, at
 * the end of the file that the struct belongs to.
 *
 * The format describes itself: first, for each table, the names, kinds and
 * counts of its fields (its shape), then rows of values. A field that the
 * reader lacks, or has with another kind or count, is skipped; a field that the
 * writer lacked keeps its initial value. A row with an impossible value is
 * refused.
 *
 * Times are written as ages, as the monotonic clock of another run means
 * nothing; INT64_MIN and 0 are kept as such.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/clock.h"
#include "petrel/cursor.h"

#define KEPT_PATH_MAX 64

/* On disk: never changed, never used again. */
enum kept_kind {
	KEPT_UNSIGNED = 1,		/* bool and enumerations, too */
	KEPT_SPAN,			/* nanoseconds, not negative */
	KEPT_FLOAT, KEPT_NUMBER,	/* float; double */
	KEPT_TIME,
	KEPT_LOOK,			/* a time that is moved by the gap when
					 * nothing ran */
	KEPT_WALL, KEPT_TEXT,
	KEPT_KIND_COUNT,
	KEPT_PART,			/* a struct, or an array of them */
	KEPT_NOT,			/* left out, for the reason why_not */
};

struct kept;

struct kept_field {
	const char *name;
	enum kept_kind kind;
	uint16_t offset, width, count;	/* width: of one of count */
	bool may_lack;			/* may be NAN, or INT64_MIN */
	double most;			/* beyond +-most it is impossible; 0:
					 * the limit of its kind */
	const struct kept *part;
	const char *why_not;
};

struct kept {
	const char *name;
	size_t size;			/* of the struct */
	const struct kept_field *field;
	size_t fields;
};

#define KEPT_OF(s, f) (((s *)0)->f)
#define KEPT_KIND(x) _Generic((x), int64_t: KEPT_SPAN, float: KEPT_FLOAT, \
	double: KEPT_NUMBER, struct mono: KEPT_TIME, struct wall: KEPT_WALL, \
	default: KEPT_UNSIGNED)
#define KEPT_MOST(x) _Generic((x), bool: 1.0, default: 0.0)
#define KEPT_ROW(s, f, first, k) .name = #f, .kind = (k), \
	.offset = offsetof(s, f), .width = sizeof(first), \
	.count = sizeof(KEPT_OF(s, f)) / sizeof(first)

/* One field; one with a bound; one that may be NAN, or INT64_MIN as a time. */
#define KEEP(s, f) { KEPT_ROW(s, f, KEPT_OF(s, f), KEPT_KIND(KEPT_OF(s, f))), \
	.most = KEPT_MOST(KEPT_OF(s, f)) }
#define KEEP_TO(s, f, m) { KEPT_ROW(s, f, KEPT_OF(s, f), \
	KEPT_KIND(KEPT_OF(s, f))), .most = (m) }
#define KEEP_OPT(s, f) { KEPT_ROW(s, f, KEPT_OF(s, f), \
	KEPT_KIND(KEPT_OF(s, f))), .may_lack = true }
/* An array of such. */
#define KEEP_ALL(s, f) { KEPT_ROW(s, f, KEPT_OF(s, f)[0], \
	KEPT_KIND(KEPT_OF(s, f)[0])), .may_lack = true }
#define KEEP_ALL_TO(s, f, m) { KEPT_ROW(s, f, KEPT_OF(s, f)[0], \
	KEPT_KIND(KEPT_OF(s, f)[0])), .most = (m) }
#define KEEP_LOOK(s, f, lacks) { KEPT_ROW(s, f, KEPT_OF(s, f), KEPT_LOOK), \
	.may_lack = (lacks) }
#define KEEP_TEXT(s, f) { KEPT_ROW(s, f, KEPT_OF(s, f), KEPT_TEXT) }
/* A struct with a table of its own, and an array of such. */
#define KEEP_PART(s, f, t) { KEPT_ROW(s, f, KEPT_OF(s, f), KEPT_PART), \
	.part = &(t) }
#define KEEP_PARTS(s, f, t) { KEPT_ROW(s, f, KEPT_OF(s, f)[0], KEPT_PART), \
	.part = &(t) }
#define KEEP_NOT(s, f, why) { KEPT_ROW(s, f, KEPT_OF(s, f), KEPT_NOT), \
	.why_not = (why) }

#define KEPT_TABLE(s, word, rows) { .name = (word), .size = sizeof(s), \
	.field = (rows), .fields = sizeof(rows) / sizeof((rows)[0]) }

/* A field of the innermost struct; of: the part that it is in, or NULL. */
struct kept_at {
	const struct kept_field *field;
	const struct kept_at *of;
	size_t offset, stride;		/* from the outermost struct's begin */
	unsigned count;
};

typedef void kept_each_fn(void *context, const struct kept_at *at);

/* Calls fn for each kept field; fields of a part come in its place. */
void kept_each(const struct kept *t, kept_each_fn *fn, void *context);
/* Its path: lane.usual_dbm. */
void kept_path(const struct kept_at *at, char ret[static KEPT_PATH_MAX]);

/* The most octets of a shape, and of a row. */
size_t kept_shape_most(const struct kept *t);
size_t kept_row_most(const struct kept *t);

/* Writes the shape, and a row. */
void kept_shape_write(struct writer *w, const struct kept *t);
void kept_row_write(struct writer *w, const struct kept *t, const void *from,
		    struct mono now);

/* A field as it was written, and where it goes. */
struct kept_column {
	enum kept_kind kind;
	unsigned count;
	const struct kept_field *field;	/* NULL: it is left out */
	size_t offset, stride;
};

/* Reads one field of a shape; t NULL: there is no such table. c may fail. */
void kept_column_read(struct cursor *c, const struct kept *t,
		      struct kept_column *ret);

/* From ages to times. */
struct kept_clock {
	struct mono then;		/* when written, on the present clock */
	int64_t gap_ns;			/* since */
};

/* Reads one row; to NULL: only checks it. False: it is cut off, or a value in
 * it is impossible; then *to is not usable.
 */
bool kept_row_read(struct cursor *c, const struct kept_column *column,
		   size_t columns, const struct kept_clock *clock, void *to);
