/* What Petrel itself costs a second, whatever the interval: over the last ten
 * seconds, or between the last two ticks where those are further apart. One
 * tick says little: processes tell their CPU time once a second, and slow
 * sources bring what they have once in many ticks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/process/control.h"

#define COST_SPAN_NS (10 * NS_PER_S)
#define COST_MARKS 16u

/* A counter, as it stood at some moments; the oldest go. */
struct cost_counter {
	unsigned count;			/* ever marked */
	struct {
		struct mono at;
		int64_t value;
	} mark[COST_MARKS];
};

struct cost {
	struct cost_counter cpu[ROLE_COUNT];	/* ns */
	struct cost_counter values;
};

/* At each tick: what the processes tell of their CPU time, and how many values
 * there were so far.
 */
void cost_tick(struct cost *c, const struct control *control, uint64_t values,
	       struct mono now);

/* False: there are no two moments to compare yet. */
bool cost_per_s(const struct cost_counter *c, double *ret_per_s);
