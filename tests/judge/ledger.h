/* The log of all runs: a line a plant and condition, of counts that can be
 * added up, so that runs of several revisions can be pooled.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "tests/judge/report.h"
#include "tests/judge/rows.h"

struct ledger_run {
	const char *path;		/* of the log */
	const char *head;		/* the revision; "unknown" */
	const char *scope;		/* all, or part: of the cases */
	uint64_t first_seed;
	unsigned seeds;
};

/* Appends a line. Returns a negative errno. */
int ledger_append(const struct ledger_run *run, const struct rows *rows,
		  unsigned plant, const char *plant_name, bool hard,
		  unsigned without);

/* A table of the last `runs` of each plant and condition, added up. */
int ledger_pooled(const char *path, unsigned runs, struct report *r);
