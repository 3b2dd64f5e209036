/* What is watched, and what silence does not mean: which signatures can see
 * which ports, and why not.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/query/context.h"

#define WATCHED_REASONS_MAX 6

/* Why some ports are not fully watched; texts are static. */
struct watched_reason {
	enum watch watch;
	const char *why, *arm;		/* NULL: not told */
	unsigned ports;
};

/* One signature over all ports. */
struct watched {
	enum watch overall;
	unsigned ports[WATCH_COUNT];
	struct watched_reason reason[WATCHED_REASONS_MAX];
	unsigned reason_count;
	bool more_reasons;		/* than were kept */
};

/* Asks the engine about each port. */
void watched_signature(const struct query_context *ctx,
		       enum signature signature, struct watched *ret);

/* The table "watched" for the findings: numbers, and the sentence that stands
 * beside "no findings". shown: how many findings the answer holds.
 */
void watched_summary(const struct query_context *ctx, struct answer *a,
		     size_t shown);

/* How many signatures are armed, limited, blind, n/a; the names of the blind
 * ones, joined by commas.
 */
struct watched_count {
	unsigned of[WATCH_COUNT];
	char blind[480];
};

void watched_count(const struct query_context *ctx, struct watched_count *ret);

/* The tables "watched" (a row per signature) and "watched_by_reason" (for
 * people) of one port.
 */
void watched_port(const struct query_context *ctx, struct answer *a,
		  uint32_t port);
