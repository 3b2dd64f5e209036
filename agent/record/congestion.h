/* Congestion of a queue or a priority group around a finding, from its capsule
 * (C8): how much it held at most, how long, and what it lost; as LANZ reports
 * it, but from readings, which are one interval of the source apart.
 */
#pragma once

#include "agent/record/capsule.h"

struct congestion {
	uint32_t entity;
	/* From the first reading to the last in which it held half of its peak,
	 * or before which it lost something.
	 */
	struct mono from, to;		/* ns 0: it held and lost nothing */
	int64_t peak;			/* in the unit of quantity */
	struct mono peak_when;
	uint16_t quantity;		/* of the peak; 0: none */
	uint64_t lost_frames, lost_octets, marked_frames;
	int64_t delay_ns;		/* the longest; 0: not read */
	unsigned depth;			/* which quantity the peak is of */
};

/* Finds the congestion of all queues and priority groups of a capsule, as an
 * array of struct congestion that array_fini() releases. The capsule must have
 * been put or counted before, which sorts it. Returns -ENOMEM.
 */
int congestion_find(const struct capsule *c, struct array *ret);

/* Gives it to the sink, as a record of its own. Returns the sink's error. */
int congestion_put(const struct congestion *g, const struct capsule *c,
		   const char *name, const struct record_sink *sink);
