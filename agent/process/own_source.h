/* Petrel itself as a source of values (C15). Processes report their cost once a
 * second; reading it more often would give the same values.
 */
#pragma once

#include <stdint.h>
#include "petrel/platform.h"

struct control;
struct query_context;
struct ring_set;

enum { OWN_COST, OWN_SIGNATURE };	/* its sources */

extern const struct platform_driver own_driver;

struct own_source {
	struct platform_host host;	/* state_driver_add() fills it */
	struct mono given;		/* last */
	struct mono seen;		/* the same for what signatures see */
};

/* What it reports; borrowed. */
struct own_values {
	const struct control *control;
	const struct ring_set *rings;
	uint64_t late_ticks, values;
	unsigned slowed;		/* steps */
	int64_t interval_ns;
	const struct query_context *query;
};

/* At each tick: gives the values when a second has passed. */
void own_source_give(struct own_source *s, const struct own_values *v,
		     struct mono now);
