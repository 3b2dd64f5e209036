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

/* One reading, or what a tier keeps of all readings of a span. The values are
 * in the unit of the quantity; for a counter, its growth per second, in
 * thousandths of that unit.
 */
struct history_value {
	struct wall wall;	/* when the source took it; the end of a span */
	struct mono mono;	/* the same; ns 0: in a run before this one */
	int64_t value;		/* for a span: the mean */
	int64_t min, max;	/* for one reading: the value */
	int64_t span_ns;	/* 0: one reading */
	int64_t age_ns;		/* how old it was when it was recorded */
	uint8_t quality;	/* enum sample_quality; for a span: the worst */
	uint8_t source;		/* that read it; for a span: 0 */
};

/* True: its readings are rates, in thousandths per second. */
static inline bool history_is_rate(const struct quantity_info *q)
{
	return q->kind == KIND_COUNTER;
}

/* How far back readings go. */
struct history_reach {
	struct wall full;	/* each reading; ns 0: nothing */
	struct wall tiers;	/* min, max, mean; ns 0: nothing */
	char why[DIAG_MAX];	/* what is damaged or unreadable; "" */
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
/* "lane 3", "queue 0", or the entity's name; "": there is no such entity. */
void history_of(const struct state *s, uint32_t entity,
		char ret[static ENTITY_NAME_MAX]);
/* Adds a note if there was no row. */
void history_end(struct query *q);
