/* C5: what wall time a moment of a run was, by the readings of its clocks that
 * the run told. Never backwards: of two moments the later one has the later
 * time, whatever the switch's clock did.
 *
 * A clock that was never set counts for nothing until it is set, which then
 * holds for what was before as well; after RUN_CLOCK_WAIT_NS it is taken as it
 * is. A clock that is set back: time goes on at the rate that it had, as long
 * as the clock says what was said before; then at half of it, until the clock
 * has come past.
 *
 * A collector has a clock of its own: there nothing waits (run_clock_hear).
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
	struct mono last;		/* the latest moment that was asked */
	struct wall said;		/* its time */
	uint64_t steps_back;		/* readings that were refused */
	bool is_ours;			/* the anchor's wall is our own */
};

/* A reading, in the order of the run. */
void run_clock_take(struct run_clock *c, struct clock_reading reading);

/* A reading as a collector hears it, whose own clock says now. One that was
 * never set, or that no clock can show (before 2024, or more than 10 minutes
 * ahead of now), counts as now. What was heard before changes nothing.
 */
void run_clock_hear(struct run_clock *c, struct clock_reading reading,
		    struct wall now);

/* One that goes on by the anchor that it had. */
struct run_clock run_clock_kept(int64_t mono_ns, int64_t wall_ns, bool is_set);

/* Returns 0; -EAGAIN: ask again when more was told. */
int run_clock_wall(struct run_clock *c, struct mono then, struct wall *ret);

/* Puts the wall times of a finding right, where they are not what the clock
 * says; now: of the collector, which holds where nothing was heard.
 */
void run_clock_finding(struct run_clock *c, struct finding *f,
		       struct wall now);
