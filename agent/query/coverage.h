/* What is watched, and so what "no findings" is worth: which signatures can see
 * which ports, and why the others cannot.
 */
#pragma once

#include <stddef.h>
#include "petrel/finding.h"

struct query;
struct query_context;

/* The number of armed, limited, blind and n/a signatures; the names of the
 * blind ones, joined by commas.
 */
struct watched_count {
	unsigned of[WATCH_COUNT];
	char blind[480];
};

void watched_count(const struct query_context *ctx, struct watched_count *ret);

/* Gives the table "watched" for the findings: numbers, and the sentence beside
 * "no findings". shown: how many findings the answer has.
 */
void coverage_summary(struct query *q, size_t shown);

/* The number of ports that a signature sees, by enum watch. */
void coverage_ports(const struct query_context *ctx, enum signature signature,
		    unsigned ret[static WATCH_COUNT]);
