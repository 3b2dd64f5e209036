/* C5: the wall time of a moment of a run, from the clock readings that the run
 * recorded. Never backwards: of two moments the later one has the later time,
 * whatever the switch's clock did.
 *
 * A clock that was never set is ignored until it is set, and then applies to
 * the time before as well; after RUN_CLOCK_WAIT_NS it is taken as it is. When a
 * clock is set back, time goes on at its old rate while the clock is behind its
 * last accepted reading; then at half that rate until the clock has caught up.
 *
 * A collector has its own clock: there nothing waits (run_clock_hear).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/clock.h"

struct finding;

#define RUN_CLOCK_WAIT_NS (600 * NS_PER_S)

/* All 0: nothing was told. */
struct run_clock {
	struct clock_reading anchor;	/* of the line; mono.ns 0: none */
	struct mono first;		/* of the first reading */
	struct mono last;		/* the latest moment asked for */
	struct wall said;		/* its time */
	uint64_t steps_back;		/* readings that were refused */
	bool is_ours;			/* the anchor's wall is our own */
};

/* A reading, in the order of the run. */
void run_clock_take(struct run_clock *c, struct clock_reading reading);

/* A reading that arrives at a collector, whose own clock says now. A clock that
 * was never set and shows another time than now, or an impossible one (before
 * 2024, or more than 10 minutes ahead of now), counts as now. Readings heard
 * before change nothing.
 */
void run_clock_hear(struct run_clock *c, struct clock_reading reading,
		    struct wall now);

/* A clock that goes on from a kept anchor. */
struct run_clock run_clock_kept(int64_t mono_ns, int64_t wall_ns, bool is_set);

/* Returns 0; -EAGAIN: ask again when more was told. */
int run_clock_wall(struct run_clock *c, struct mono then, struct wall *ret);

/* Corrects the wall times of a finding that differ from this clock; now: the
 * collector's time, used where no reading was heard.
 */
void run_clock_finding(struct run_clock *c, struct finding *f,
		       struct wall now);
