/* Keeps to the budgets of CPU time, lateness and memory (C15): when ticks run
 * late or cost too much again and again, what is cheapest to lose is read less
 * often, step by step; when all is well for a while, more often again. Where
 * memory is exceeded, history goes before sources. Says so in one sentence.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/query/query.h"

#define GOVERNOR_STEPS_MAX 3	/* each halves the reading of slow sources */
#define GOVERNOR_OVER_TICKS 3	/* in a row: one step down; of CPU, spans */
#define GOVERNOR_GOOD_TICKS 60	/* in a row: one step back */

enum governor_cause {
	GOVERNOR_KEPT,
	GOVERNOR_LATE,
	GOVERNOR_CPU,
	GOVERNOR_CAUSE_COUNT
};

struct governor_time {
	unsigned steps, over, good;
	enum governor_cause cause;	/* of the last step down */
	int64_t cpu_ns, span_ns;	/* used before this span; its length */
	bool is_dear;			/* the last whole span was */
	bool is_weighed;		/* it ended with the last tick */
};

/* What a tick cost. */
struct governor_time_use {
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
unsigned governor_time_take(struct governor_time *b,
			    const struct governor_time_use *use);

#define GOVERNOR_HISTORY_STEPS 3 /* of memory's: each halves the history */
#define GOVERNOR_MEMORY_STEPS_MAX (GOVERNOR_HISTORY_STEPS + GOVERNOR_STEPS_MAX)

/* Of memory; further steps slow sources as above. */
struct governor_memory {
	unsigned steps, over, good;
	bool is_over;			/* now */
};

/* What the processes hold together. */
struct governor_memory_use {
	int64_t octets, limit_octets;	/* limit 0: none */
	int64_t back_octets;	/* what undoing the last step would take */
};

/* Once for each measurement. A step is undone only where what it takes again
 * fits. Returns the steps that hold from now on.
 */
unsigned governor_memory_take(struct governor_memory *b,
			    const struct governor_memory_use *use);

/* How often history is halved, and slow sources are, in so many steps. */
unsigned governor_history_steps(unsigned memory_steps);
/* The rest of them. */
unsigned governor_source_steps(unsigned memory_steps);

struct config;
struct control;
struct query_server;
struct sampler;
struct series;

/* All borrowed; config is looked at each time. */
struct governor_env {
	const struct control *control;
	const struct config *config;
	struct sampler *sampler;
	struct series *series;
	/* Whose answers have a budget of their own; NULL: none yet. */
	const struct query_server *server;
};

struct governor {
	struct governor_env env;
	struct governor_time budget;
	struct governor_memory memory;
	unsigned slowed;		/* steps that hold for sources */
	struct query_budget told;
};

/* Nothing is given up yet. */
void governor_init(struct governor *t, const struct governor_env *env);
/* After each tick, which was due then. */
void governor_tick(struct governor *t, struct mono due, uint64_t skipped);
/* Once a second: processes measure their memory as often. */
void governor_beat(struct governor *t);
/* The configuration is another. */
void governor_reload(struct governor *t);
