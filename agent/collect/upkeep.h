/* Additions to the database's tables: views with plain columns, for people and
 * their tools, and the removal of old rows.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/clock.h"
#include "petrel/diag.h"

struct sqlite3;

/* All 0 at first. */
struct upkeep {
	int64_t keep_ns;	/* older rows are removed */
	uint64_t octets_max;	/* above it, younger rows too */
	int64_t age_ns;		/* in force; 0: keep_ns */
	struct mono done;	/* the last time; ns 0: never */
	uint64_t removed;	/* rows */
};

/* Recreates the views open_findings, modules, links. Returns -EIO with d. */
int upkeep_views(struct sqlite3 *db, struct diag *d);

/* Whether it is time, once a minute; then chooses age_ns. */
bool upkeep_is_due(struct upkeep *u, struct sqlite3 *db, struct mono now);
/* Removes old rows, once a minute; keeps open findings and what belongs to the
 * last run of a switch. Returns -EIO with d.
 */
int upkeep_tend(struct upkeep *u, struct sqlite3 *db, struct mono now,
		struct wall wall, struct diag *d);
