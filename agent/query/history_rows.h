/* The tables of petrel history: which series its words name, and a row for each
 * reading. The caller provides the readings.
 */
#pragma once

#include <stdint.h>
#include "agent/query/query.h"

#define HISTORY_SERIES_MAX 16u

/* One quantity and index of one entity. */
struct history_series {
	uint32_t entity;
	uint16_t index;
	const struct quantity_info *info;
};

/* A reading, or a summary of a span; for a counter a rate, in thousandths per
 * second.
 */
struct history_value {
	int64_t wall_ns, value, min, max;
	int64_t span_ns;	/* 0: one reading */
	int64_t age_ns;		/* when it was recorded */
	unsigned quality;
};

/* How far back readings go; 0: there are none. */
struct history_reach {
	int64_t full_ns, tiers_ns;
	const char *damage;
};

/* The series that the request's words name, the last of which is the quantity;
 * for a port also those of its module or its lanes. Returns EXIT_ANSWERED, or
 * an error's exit code.
 */
int history_find(struct query *q, struct history_series
		 ret[static HISTORY_SERIES_MAX], size_t *ret_count);
/* Gives the table of the reach; then opens that of the readings. */
void history_begin(struct query *q, const struct history_reach *reach);
/* Adds a row to it. */
void history_row(struct query *q, const struct history_series *s,
		 const struct history_value *v);
/* Adds a note if there was no row. */
void history_end(struct query *q);
