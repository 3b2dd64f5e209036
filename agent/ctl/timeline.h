/* Orders the samples of a trace: maps wall times that may step, repeat and come
 * late to a time that only grows.
 *
 * A clock that is set back and a sample that comes late look alike in time;
 * they differ in the counters, which don't depend on the clock: a late sample
 * has lower ones. One mapping serves all ports, since they share the clock.
 */
#pragma once

#include <stdint.h>
#include "agent/ctl/trace_read.h"
#include "petrel/clock.h"

#define TIMELINE_MARKS 6

struct timeline {
	int64_t offset_ns;	/* monotonic minus the trace's time */
	uint64_t steps, late, repeated;
};

/* The state of one port. */
struct timeline_port {
	struct mono newest;
	int64_t period_ns;
	int64_t dom_ts_ns;		/* of the last module reading */
	int64_t late_ts_ns;		/* of the last refused sample */
	uint64_t seq;
	uint64_t mark[TIMELINE_MARKS];	/* counters that order samples */
	unsigned late_run;		/* refused in a row, each newer */
	uint8_t has_mark;
	bool started, has_dom, has_seq;
};

/* Places a sample: writes tick.t, tick.dom_t and tick.dom_new.
 * Returns -ESTALE for one that is late, -EALREADY for a repeated one.
 */
int timeline_place(struct timeline *l, struct timeline_port *p,
		   struct trace_sample *s);
