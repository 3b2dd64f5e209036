#include "agent/process/budget.h"

#include <stdbool.h>

unsigned budget_tick(struct budget *b, int64_t took_ns, int64_t interval_ns,
		     uint64_t skipped)
{
	bool is_late = skipped > 0 || took_ns > interval_ns / 4 * 3;

	b->late = is_late ? b->late + 1 : 0;
	b->good = is_late ? 0 : b->good + 1;
	if (b->late >= BUDGET_LATE_TICKS && b->steps < BUDGET_STEPS_MAX) {
		b->steps++;
		b->late = 0;
	} else if (b->good >= BUDGET_GOOD_TICKS && b->steps > 0) {
		b->steps--;
		b->good = 0;
	}
	return b->steps;
}
