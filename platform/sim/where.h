/* Which ports a statement means: Ethernet8, Ethernet0-28/4, all, with ".LANE"
 * at the end for one lane.
 */
#pragma once

#include <stdint.h>
#include "petrel/diag.h"
#include "platform/sim/faults.h"

#define WHERE_PREFIX "Ethernet"

/* The ports that exist: 0, step, 2 * step …, count of them. */
struct where_switch {
	unsigned count, step, lanes;
};

/* Sets a bit in ports for each port that is meant, and *ret_lane from 1, or 0
 * where no lane is named. Returns -EINVAL with d.
 */
int where_parse(const char *text, const struct where_switch *w,
		uint64_t ports[FAULT_PORTS_MAX / 64], unsigned *ret_lane,
		struct diag *d);
