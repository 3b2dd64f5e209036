/* What the database has besides its rows: views with plain columns, for people
 * and their tools, and an end for what is old.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/clock.h"
#include "petrel/diag.h"

struct sqlite3;

/* All 0 at first. */
struct upkeep {
	int64_t keep_ns;	/* what is older goes */
	uint64_t octets_max;	/* above it, ever younger rows go */
	int64_t age_ns;		/* in force; 0: keep_ns */
	struct mono done;	/* the last time; ns 0: never */
	uint64_t removed;	/* rows */
};

/* Makes the views anew: open_findings, modules, links. Returns -EIO with d. */
int upkeep_views(struct sqlite3 *db, struct diag *d);

/* Is it time, once a minute? Then age_ns is chosen. */
bool upkeep_is_due(struct upkeep *u, struct sqlite3 *db, struct mono now);
/* Removes what is to go, once a minute; open findings and what belongs to the
 * last run of a switch stay. Returns -EIO with d.
 */
int upkeep_tend(struct upkeep *u, struct sqlite3 *db, struct mono now,
		struct wall wall, struct diag *d);
