/* The tables of petrel history: which series its words name, and a row for each
 * reading. Where the readings are from is the caller's business.
 */
#pragma once

#include <stdint.h>
#include "agent/query/query.h"

#define HISTORY_SERIES_MAX 16u

/* Of one entity, one quantity and index. */
struct history_series {
	uint32_t entity;
	uint16_t index;
	const struct quantity_info *info;
};

/* A reading, or what is kept of a span; of a counter a rate, in thousandths a
 * second.
 */
struct history_value {
	int64_t wall_ns, value, min, max;
	int64_t span_ns;	/* 0: one reading */
	int64_t age_ns;		/* when it was recorded */
	unsigned quality;
};

/* How far back there is anything; 0: nothing. */
struct history_reach {
	int64_t full_ns, tiers_ns;
	const char *damage;
};

/* The series that the request's words name: the last one is the quantity; of a
 * port also what its module or its lanes have. Returns EXIT_ANSWERED, or an
 * error's exit code.
 */
int history_find(struct query *q, struct history_series
		 ret[static HISTORY_SERIES_MAX], size_t *ret_count);
/* The table of what there is; then, opened, that of the readings. */
void history_begin(struct query *q, const struct history_reach *reach);
/* A row of it. */
void history_row(struct query *q, const struct history_series *s,
		 const struct history_value *v);
/* Says so where there was none. */
void history_end(struct query *q);
