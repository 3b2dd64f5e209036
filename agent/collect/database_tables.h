/* The tables of the database, and the statements that fill them. */
#pragma once

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
	STATEMENT_SEEN_GET, STATEMENT_SEEN_SET,
	STATEMENT_COUNT,
};

extern const char *const database_statements[STATEMENT_COUNT];

/* Creates the tables, or upgrades those of an older version to this one.
 * Returns -EIO with d, which names path.
 */
int database_schema(struct sqlite3 *db, const char *path, struct diag *d);
