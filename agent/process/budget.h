/* C15: when ticks run late again and again, what is cheapest to lose is read
 * less often, step by step; when they are on time for a while, more often
 * again. Says only how many steps; the core does it and says so.
 */
#pragma once

#include <stdint.h>

#define BUDGET_STEPS_MAX 3	/* each halves the reading of slow sources */
#define BUDGET_LATE_TICKS 3	/* in a row: one step down */
#define BUDGET_GOOD_TICKS 60	/* in a row: one step back */

struct budget {
	unsigned steps, late, good;
};

/* A tick ended took_ns after it was due; skipped: ticks lost before it. Late
 * is what skipped one, or took over three quarters of the interval.
 * Returns the steps that hold from now on.
 */
unsigned budget_tick(struct budget *b, int64_t took_ns, int64_t interval_ns,
		     uint64_t skipped);
