/* Builds an answer of C13: tables of typed cells, findings, lines.
 *
 * Memory is one arena of fixed size, taken once and used again: an answer that
 * does not fit is cut and marked incomplete.
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

/* Gives the cell of q->column, of the row under way (cells.h). */
typedef void column_fn(struct query *q);
/* Opens q->shape, and fills its rows (verbs.h). */
typedef void rows_fn(struct query *q);

/* A column of a table; NULL key ends a table's list. */
struct answer_column {
	const char *key;	/* JSON, without unit */
	const char *heading;	/* text; "": only JSON has the column */
	enum cell_unit unit;
	/* Where it is from: the value of a quantity, or of a text an attribute;
	 * of a row that is a struct, the offset of its member: a text (NULL:
	 * absent) or an int64_t (MEMBER_ABSENT: absent). A function takes what
	 * it wants of that. With neither, the code that fills the table gives
	 * it.
	 */
	unsigned what;
	column_fn *from;
	unsigned of;		/* enum of: which entity of the row */
	unsigned index;		/* of the quantity */
	const void *more;	/* as the function wants */
	bool wide;		/* in text with --wide only */
	bool right;		/* a text aligned right; numbers always are */
};

/* Traffic: a counter that steps, a gauge above 0; with ever, a counter that
 * ever did.
 */
struct activity {
	unsigned of;		/* enum of */
	unsigned quantity;	/* 0 ends the list */
	bool ever;
};

/* A table of an answer; petrel-json(7) lists them all. */
struct answer_shape {
	const char *name;	/* of its member in JSON */
	bool single;		/* one row: an object */
	rows_fn *rows;
	unsigned kind;		/* enum entity_kind of its rows, for rows */
	unsigned parent;	/* and of what they belong to */
	/* Rows without any of it are left out, and counted as such things. */
	const struct activity *active;
	const char *things;
	struct answer_column columns[];
};

/* octets: of the arena. Returns -ENOMEM. */
int answer_new(size_t octets, struct answer **ret);
/* a may be NULL. */
void answer_free(struct answer *a);
/* Empties it for the next answer: code 0, complete. */
void answer_clear(struct answer *a);

/* The same, and gives back to the system what a large answer took. */
void answer_release(struct answer *a);
/* From here on tables end before the columns at their end that only JSON has:
 * their cells are dropped. Until the next answer_clear().
 */
void answer_for_text(struct answer *a);
/* Text has the wide column of that key. The same; key is static. */
void answer_show(struct answer *a, const char *key);
/* The row under way has cells left that somebody will see: false at the
 * columns that were dropped, which then need not be worked out.
 */
bool answer_row_goes_on(const struct answer *a);

/* Opens a table; rows follow. */
void answer_table(struct answer *a, const struct answer_shape *shape);
/* The same, of columns that code made. */
void answer_columns(struct answer *a, const char *name,
		    const struct answer_column *columns, bool single);
/* Opens the next row of the table; its cells are absent until given. */
void answer_row(struct answer *a);
/* The row just begun is for JSON, and not shown in the text. */
void answer_row_json_only(struct answer *a);
/* Cells, left to right; as many as the table has columns. */
void answer_text(struct answer *a, const char *text);	/* NULL: absent */
/* The same, and absent where it is empty. */
void answer_text_if(struct answer *a, const char *text);
/* A cell of any unit but text, in the unit of its column. */
void answer_integer(struct answer *a, int64_t value);
/* The next cell stays absent. */
void answer_absent(struct answer *a);
/* The same, of one that may be absent. */
void answer_known(struct answer *a, bool is_known, int64_t value);
/* Age and quality of the cell just given. */
void answer_age(struct answer *a, int64_t age_ns, unsigned quality);
/* A sentence below the table, and below those said before. */
void answer_note(struct answer *a, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds a finding; f is copied. */
void answer_finding(struct answer *a, const struct finding *f);
/* The same, of a switch that is not the one that answers: then of each. */
void answer_finding_of(struct answer *a, const struct finding *f,
		       const char *switch_name);
/* Adds a line of a trace. */
void answer_line(struct answer *a, const char *line);
/* What --after will say to go on behind this answer. */
void answer_cursor(struct answer *a, const char *cursor);
/* An error instead of content; returns code. */
int answer_error(struct answer *a, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Who answers, and when; wall_ns: CLOCK_REALTIME. */
void answer_head(struct answer *a, const char *switch_name, int64_t wall_ns);

/* The rows of a table of a's in another order: row i becomes what row order[i]
 * was. Where the arena is full the table is left without rows, and the answer
 * is cut.
 */
void answer_order(struct answer *a, Petrel__Table *t, const uint32_t *order);
/* Memory of the answer's, until it is cleared; NULL: cut. */
void *answer_room(struct answer *a, size_t octets);
/* How many rows the n-th table has; 0 where it has none such. */
size_t answer_rows(const struct answer *a, size_t n);

/* The message, for packing; borrowed. */
Petrel__Answer *answer_message(struct answer *a);
