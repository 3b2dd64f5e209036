/* How far a reading is from the thresholds of its module. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/query/context.h"

struct headroom {
	int64_t distance;	/* of power in milli-dB, else as the reading;
				 * negative: beyond
				 */
	const char *edge;	/* "high alarm": the one that is meant */
};

/* The nearest of the module's four thresholds of that quantity, or the alarm
 * or warning that is crossed furthest. False: not known, or no light.
 */
bool headroom_of(const struct query_context *ctx, uint32_t entity,
		 enum quantity q, uint32_t module, struct headroom *ret);
