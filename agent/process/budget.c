#include "agent/process/budget.h"

#include <stdbool.h>

#include "petrel/clock.h"

/* CPU time is weighed over a second: processes tell theirs in steps. */
static bool is_dear(struct budget *b, const struct budget_use *use)
{
	int64_t used_ns = use->cpu_ns - b->cpu_ns;

	b->span_ns += use->interval_ns * (1 + (int64_t)use->skipped);
	b->is_weighed = b->span_ns >= NS_PER_S;
	if (!b->is_weighed)
		return b->is_dear;
	b->is_dear = b->cpu_ns > 0 && use->cpu_limit_ns > 0 &&
		     used_ns / 1000 >
		     use->cpu_limit_ns / 1000 * b->span_ns / NS_PER_S;
	b->cpu_ns = use->cpu_ns;
	b->span_ns = 0;
	return b->is_dear;
}

static enum budget_cause judge(struct budget *b, const struct budget_use *use)
{
	bool dear = is_dear(b, use);

	if (use->skipped > 0 || use->took_ns > use->interval_ns / 4 * 3)
		return BUDGET_LATE;
	return dear ? BUDGET_CPU : BUDGET_KEPT;
}

unsigned budget_tick(struct budget *b, const struct budget_use *use)
{
	enum budget_cause cause = judge(b, use);
	bool is_over = cause != BUDGET_KEPT;

	if (cause == BUDGET_CPU && !b->is_weighed)
		return b->steps;	/* that second has counted */
	b->over = is_over ? b->over + 1 : 0;
	b->good = is_over ? 0 : b->good + 1;
	if (b->over >= BUDGET_OVER_TICKS && b->steps < BUDGET_STEPS_MAX) {
		b->steps++;
		b->over = 0;
		b->cause = cause;
	} else if (b->good >= BUDGET_GOOD_TICKS && b->steps > 0) {
		b->steps--;
		b->good = 0;
	}
	return b->steps;
}

unsigned budget_memory_take(struct budget_memory *b,
			    const struct budget_memory_use *use)
{
	int64_t limit = use->limit_octets;
	bool fits = limit <= 0 || use->octets + use->back_octets <= limit;

	b->is_over = limit > 0 && use->octets > limit;
	b->over = b->is_over ? b->over + 1 : 0;
	b->good = fits && !b->is_over ? b->good + 1 : 0;
	if (b->over >= BUDGET_OVER_TICKS &&
	    b->steps < BUDGET_MEMORY_STEPS_MAX) {
		b->steps++;
		b->over = 0;
	} else if (b->good >= BUDGET_GOOD_TICKS && b->steps > 0) {
		b->steps--;
		b->good = 0;
	}
	return b->steps;
}

unsigned budget_history_steps(unsigned memory_steps)
{
	return memory_steps < BUDGET_HISTORY_STEPS ? memory_steps :
						     BUDGET_HISTORY_STEPS;
}

unsigned budget_source_steps(unsigned memory_steps)
{
	return memory_steps - budget_history_steps(memory_steps);
}

const char *budget_cause_words(enum budget_cause cause)
{
	static const char *const words[BUDGET_CAUSE_COUNT] = {
		[BUDGET_KEPT] = "the budget is kept",
		[BUDGET_LATE] = "ticks run late",
		[BUDGET_CPU] = "cpu_budget is passed",
	};

	return words[cause];
}
