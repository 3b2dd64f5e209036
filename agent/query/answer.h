/* Builds an answer of C13: tables of typed cells, findings, lines.
 *
 * Memory is one arena of fixed size, allocated once and reused: an answer that
 * does not fit is truncated and marked incomplete.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "local.pb-c.h"
#include "petrel/finding.h"
#include "petrel/local.h"

struct answer;
struct query;

/* Gives the cell of q->column in the current row (cells.h). */
typedef void column_fn(struct query *q);
/* Opens q->shape, and fills its rows (verbs.h). */
typedef void rows_fn(struct query *q);

/* A column of a table; NULL key ends a table's list. */
struct answer_column {
	const char *key;	/* JSON, without unit */
	const char *heading;	/* text; "": only for JSON */
	enum cell_unit unit;
	/* The source: the value of a quantity, or an attribute for text; with
	 * OF_MEMBER the offset of a member of the row's struct: a text (NULL:
	 * absent) or an int64_t (MEMBER_ABSENT: absent). A function uses what
	 * it needs. With neither, the code that fills the table gives the cell.
	 */
	unsigned what;
	column_fn *from;
	unsigned of;		/* enum of: which entity of the row */
	unsigned index;		/* of the quantity */
	const void *more;	/* for the function */
	bool wide;		/* in text only with --wide */
	bool right;		/* aligns text right, as numbers are */
};

/* What counts as traffic: a counter that advances, a gauge above 0; with ever,
 * a counter that is not 0.
 */
struct activity {
	unsigned of;		/* enum of */
	unsigned quantity;	/* 0 ends the list */
	bool ever;
};

/* A table of an answer; petrel-json(7) lists them all. */
struct answer_shape {
	const char *name;	/* of its member in JSON */
	bool single;		/* one row: a JSON object */
	rows_fn *rows;
	unsigned kind;		/* enum entity_kind of its rows */
	unsigned parent;	/* and of their parents */
	/* Rows without any of this are left out, and counted as things. */
	const struct activity *active;
	const char *things;
	struct answer_column columns[];
};

/* octets: size of the arena. Returns -ENOMEM. */
int answer_new(size_t octets, struct answer **ret);
/* a may be NULL. */
void answer_free(struct answer *a);
/* Empties it for the next answer: code 0, complete. */
void answer_clear(struct answer *a);

/* The same, and releases the memory of a large answer to the system. */
void answer_release(struct answer *a);
/* From here on, until the next answer_clear(), tables drop trailing columns
 * that are only for JSON, with their cells.
 */
void answer_for_text(struct answer *a);
/* Text has the wide column of that key, too. The same; key is static. */
void answer_show(struct answer *a, const char *key);
/* Whether the current row has more cells to show: false at the dropped columns,
 * whose cells then need not be computed.
 */
bool answer_row_goes_on(const struct answer *a);

/* Opens a table; rows follow. */
void answer_table(struct answer *a, const struct answer_shape *shape);
/* The same, with columns made by code. */
void answer_columns(struct answer *a, const char *name,
		    const struct answer_column *columns, bool single);
/* Opens the next row of the table; its cells are absent until given. */
void answer_row(struct answer *a);
/* Marks the row just begun as only for JSON. */
void answer_row_json_only(struct answer *a);
/* Cells, left to right; at most as many as the table has columns. */
void answer_text(struct answer *a, const char *text);	/* NULL: absent */
/* The same, but absent if it is empty. */
void answer_text_if(struct answer *a, const char *text);
/* A cell of any unit but text, in its column's unit. */
void answer_integer(struct answer *a, int64_t value);
/* The next cell stays absent. */
void answer_absent(struct answer *a);
/* The same for a value that may be absent. */
void answer_known(struct answer *a, bool is_known, int64_t value);
/* In a column of integers, a value that may be a 64-bit pattern. */
void answer_pattern(struct answer *a, bool is_pattern, int64_t value);
/* Age and quality of the cell just given. */
void answer_age(struct answer *a, int64_t age_ns, unsigned quality);
/* A note below the table, after earlier notes. */
void answer_note(struct answer *a, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds a finding; f is copied. */
void answer_finding(struct answer *a, const struct finding *f);
/* The same for a finding of another switch: then each finding needs one. */
void answer_finding_of(struct answer *a, const struct finding *f,
		       const char *switch_name);
/* Adds a line of a trace. */
void answer_line(struct answer *a, const char *line);
/* The cursor for --after, to continue after this answer. */
void answer_cursor(struct answer *a, const char *cursor);
/* An error in place of content; returns code. */
int answer_error(struct answer *a, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Sets who answers, and when; wall_ns: CLOCK_REALTIME. */
void answer_head(struct answer *a, const char *switch_name, int64_t wall_ns);

/* Reorders the rows of a table in a: row i becomes the old row order[i]. If the
 * arena is full, the table loses its rows and the answer is truncated.
 */
void answer_order(struct answer *a, Petrel__Table *t, const uint32_t *order);
/* Memory of the answer, until it is cleared; NULL: truncated. */
void *answer_room(struct answer *a, size_t octets);
/* The number of rows of the n-th table; 0 if there is no such table. */
size_t answer_rows(const struct answer *a, size_t n);

/* The message, for packing; borrowed. */
Petrel__Answer *answer_message(struct answer *a);
