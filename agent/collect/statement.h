/* The sink's SQL: the tables, and one table of prepared statements, bound by a
 * string of types, each run to its end.
 */
#pragma once

#include <stdint.h>
#include "petrel/diag.h"

struct sqlite3;

enum statement {
	STATEMENT_CURSOR_GET, STATEMENT_CURSOR_SET,
	STATEMENT_SWITCH_ADD, STATEMENT_SWITCH_NAME, STATEMENT_SWITCH_RENAME,
	STATEMENT_RUN_ADD, STATEMENT_RUN_FIND, STATEMENT_RUN_SET,
	STATEMENT_FINDINGS_MOVE, STATEMENT_RUN_MOVE,
	STATEMENT_APPLIED_GET, STATEMENT_APPLIED_SET,
	STATEMENT_ENTITIES_GONE, STATEMENT_ENTITY_SET,
	STATEMENT_FINDING_SET, STATEMENT_TRANSITION_ADD,
	STATEMENT_EVENT_ADD, STATEMENT_CLOCK_ADD, STATEMENT_GAP_ADD,
	STATEMENT_RUN_CLOCK_SET, STATEMENT_RUN_CLOCK_GET,
	STATEMENT_CAPSULE_ADD, STATEMENT_CAPSULE_SERIES_ADD,
	STATEMENT_COUNT,
};

struct statement_set;

/* Octets of a column; data NULL: it is absent. */
struct statement_octets {
	const void *data;
	uint64_t len;
};

/* Runs statements that give nothing back. Returns -EIO with d. */
int statement_exec(struct sqlite3 *db, const char *text, struct diag *d);
/* Makes the tables, or brings those of an older version up to this one. Returns
 * -EIO with d, which names path.
 */
int statement_schema(struct sqlite3 *db, const char *path, struct diag *d);

/* Prepares all of them for one database, which outlives the set. */
int statement_set_new(struct sqlite3 *db, struct statement_set **ret,
		      struct diag *d);

/* Before the database is closed. */
void statement_set_free(struct statement_set *s);

/* types: a letter for each parameter, i int64_t, t const char * (NULL is
 * NULL), o const struct statement_octets *. Returns -EIO with d.
 */
int statement_run(struct statement_set *s, enum statement which,
		  struct diag *d, const char *types, ...);
/* The first column of the first row, and the second one if ret_2 is not NULL.
 * Returns -ENODATA when there is no row.
 */
int statement_get(struct statement_set *s, enum statement which,
		  int64_t *ret, int64_t *ret_2, struct diag *d,
		  const char *types, ...);
