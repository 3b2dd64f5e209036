/* A connection to an SQLite file with a table of prepared statements, bound by
 * a string of types, each run to completion. One thread uses it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/collect/follow.h"
#include "petrel/diag.h"

struct sqlite3;
struct sqlite3_stmt;
struct statement_set;

struct statement_env {
	const char *path;
	const char *const *texts;
	unsigned count;
	/* Creates the tables, if missing. NULL: read-only unless writes, and
	 * the file must exist.
	 */
	int (*schema)(struct sqlite3 *db, struct diag *d);
	bool writes;		/* into tables of another connection */
};

/* Octets of a column; data NULL: it is absent. */
struct statement_octets {
	const void *data;
	uint64_t len;
};

/* Returns -EIO with d, which names the file. */
int statement_set_open(const struct statement_env *env,
		       struct statement_set **ret, struct diag *d);
/* Rolls an open transaction back. NULL is allowed. */
void statement_set_close(struct statement_set *s);
/* Borrowed. */
struct sqlite3 *statement_db(const struct statement_set *s);

/* What SQLite said last, and what to do about it. Returns -EIO with d. */
int statement_failed(struct sqlite3 *db, struct diag *d);
/* Runs statements that return no rows. Returns -EIO with d. */
int statement_exec(struct sqlite3 *db, const char *text, struct diag *d);

/* The number that a pragma gives, such as the version of the tables. Returns
 * -EIO with d.
 */
#define STATEMENT_VERSION "PRAGMA user_version"
int statement_pragma(struct sqlite3 *db, const char *text, int64_t *ret,
		     struct diag *d);

/* which: in the table. types: a letter for each parameter, i int64_t, t const
 * char * (NULL is NULL), o const struct statement_octets *, r a run, R the same
 * (0 is NULL). Returns -EIO with d.
 */
int statement_run(struct statement_set *s, unsigned which, struct diag *d,
		  const char *types, ...);
/* The first column of the first row, and the second one if ret_2 is not NULL.
 * Returns -ENODATA when there is no row.
 */
int statement_get(struct statement_set *s, unsigned which, int64_t *ret,
		  int64_t *ret_2, struct diag *d, const char *types, ...);

/* Takes one row; a nonzero result ends the walk, and is returned. */
typedef int statement_row_fn(void *context, struct sqlite3_stmt *row);
/* Each row. */
int statement_each(struct statement_set *s, unsigned which, struct diag *d,
		   statement_row_fn *fn, void *context, const char *types, ...);
/* Text of a row, never NULL; borrowed until fn returns. */
const char *statement_text(struct sqlite3_stmt *row, int column);

/* Begins the transaction, if it is not open yet. Returns -EIO with d, also if
 * the file was removed or replaced: what goes there is lost.
 */
int statement_begin(struct statement_set *s, struct diag *d);
bool statement_has_begun(const struct statement_set *s);
int statement_commit(struct statement_set *s, struct diag *d);
/* Rolls the transaction back, if it is open. */
void statement_back(struct statement_set *s);

/* The place in the spool up to which all is applied; which: reads it. */
int statement_cursor(struct statement_set *s, unsigned which,
		     struct place *ret, struct diag *d);
/* Commits the transaction, with the cursor at a place; which: sets it. */
int statement_cursor_commit(struct statement_set *s, unsigned which,
			    struct place at, struct diag *d);
