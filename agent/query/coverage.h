/* What is watched, and what silence does not mean: which signatures can see
 * which ports, and why not.
 */
#pragma once

#include <stddef.h>
#include "petrel/finding.h"

struct query;
struct query_context;

/* How many signatures are armed, limited, blind, n/a; the names of the blind
 * ones, joined by commas.
 */
struct watched_count {
	unsigned of[WATCH_COUNT];
	char blind[480];
};

void watched_count(const struct query_context *ctx, struct watched_count *ret);

/* The table "watched" for the findings: numbers, and the sentence that stands
 * beside "no findings". shown: how many findings the answer holds.
 */
void coverage_summary(struct query *q, size_t shown);

/* How many ports a signature sees, by enum watch. */
void coverage_ports(const struct query_context *ctx, enum signature signature,
		    unsigned ret[static WATCH_COUNT]);
