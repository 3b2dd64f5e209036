/* C15: when ticks run late or cost too much again and again, what is cheapest
 * to lose is read less often, step by step; when all is well for a while, more
 * often again. Where memory is passed, history goes before sources. Says only
 * how many steps; the core does it and says so.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define BUDGET_STEPS_MAX 3	/* each halves the reading of slow sources */
#define BUDGET_OVER_TICKS 3	/* in a row: one step down; of CPU, spans */
#define BUDGET_GOOD_TICKS 60	/* in a row: one step back */

enum budget_cause { BUDGET_KEPT, BUDGET_LATE, BUDGET_CPU, BUDGET_CAUSE_COUNT };

struct budget {
	unsigned steps, over, good;
	enum budget_cause cause;	/* of the last step down */
	int64_t cpu_ns, span_ns;	/* used before this span; its length */
	bool is_dear;			/* the last whole span was */
	bool is_weighed;		/* it ended with the last tick */
};

/* What a tick cost. */
struct budget_use {
	int64_t interval_ns;
	int64_t took_ns;	/* it ended so long after it was due */
	uint64_t skipped;	/* ticks lost before it */
	int64_t cpu_ns;		/* all processes' CPU time, ever */
	int64_t cpu_limit_ns;	/* of it, a second; 0 none */
};

/* Late is a tick that skipped one, or took over three quarters of the
 * interval. A process that was started again has used less than before: such a
 * tick says nothing of the CPU. Returns the steps that hold from now on.
 */
unsigned budget_tick(struct budget *b, const struct budget_use *use);

#define BUDGET_HISTORY_STEPS 3	/* of memory's: each halves the history */
#define BUDGET_MEMORY_STEPS_MAX (BUDGET_HISTORY_STEPS + BUDGET_STEPS_MAX)

/* Of memory; further steps slow sources as above. */
struct budget_memory {
	unsigned steps, over, good;
	bool is_over;			/* now */
};

/* What the processes hold together. */
struct budget_memory_use {
	int64_t octets, limit_octets;	/* limit 0: none */
	int64_t back_octets;	/* what undoing the last step would take */
};

/* Once for each measurement. A step is undone only where what it takes again
 * fits. Returns the steps that hold from now on.
 */
unsigned budget_memory_take(struct budget_memory *b,
			    const struct budget_memory_use *use);

/* How often history is halved, and slow sources are, in so many steps. */
unsigned budget_history_steps(unsigned memory_steps);
/* The rest of them. */
unsigned budget_source_steps(unsigned memory_steps);

/* What was not kept, for a sentence: "ticks run late". */
const char *budget_cause_words(enum budget_cause cause);
