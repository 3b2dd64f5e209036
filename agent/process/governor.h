/* Enforces the budgets of CPU time, lateness and memory (C15): when ticks run
 * late or cost too much repeatedly, the least valuable sources are read less
 * often, step by step; after a good while, more often again. When memory is
 * exceeded, history is cut before sources. Logs one sentence on it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/query/query.h"

#define GOVERNOR_STEPS_MAX 3	/* each halves the rate of slow sources */
#define GOVERNOR_OVER_TICKS 3	/* in a row: one step more; CPU: spans */
#define GOVERNOR_GOOD_TICKS 60	/* in a row: one step less */

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
	bool is_dear;			/* the last whole span was so */
	bool is_weighed;		/* that span ended with the last tick */
};

/* What a tick cost. */
struct governor_time_use {
	int64_t interval_ns;
	int64_t took_ns;	/* from the time it was due to its end */
	uint64_t skipped;	/* ticks lost before it */
	int64_t cpu_ns;		/* all processes' CPU time so far */
	int64_t cpu_limit_ns;	/* allowed, per second; 0: none */
};

/* A tick is late if it skipped one, or took over three quarters of the
 * interval. After a restart a process has used less than before: such a tick
 * gives no CPU figure. Returns the steps in force from now on.
 */
unsigned governor_time_take(struct governor_time *b,
			    const struct governor_time_use *use);

#define GOVERNOR_HISTORY_STEPS 3 /* of memory's: each halves the history */
#define GOVERNOR_MEMORY_STEPS_MAX (GOVERNOR_HISTORY_STEPS + GOVERNOR_STEPS_MAX)

/* For memory; further steps slow sources as above. */
struct governor_memory {
	unsigned steps, over, good;
	bool is_over;			/* now */
};

/* What all processes hold together. */
struct governor_memory_use {
	int64_t octets, limit_octets;	/* limit 0: none */
	int64_t back_octets;	/* what undoing the last step would use */
};

/* Once per measurement. Undoes a step only if the memory that it uses again
 * fits. Returns the steps in force from now on.
 */
unsigned governor_memory_take(struct governor_memory *b,
			    const struct governor_memory_use *use);

/* How many of so many memory steps halve the history. */
unsigned governor_history_steps(unsigned memory_steps);
/* How many of them slow sources. */
unsigned governor_source_steps(unsigned memory_steps);

struct config;
struct control;
struct query_server;
struct sampler;
struct series;

/* All borrowed; config is read each time. */
struct governor_env {
	const struct control *control;
	const struct config *config;
	struct sampler *sampler;
	struct series *series;
	/* Its answers have their own budget; NULL: none yet. */
	const struct query_server *server;
};

struct governor {
	struct governor_env env;
	struct governor_time budget;
	struct governor_memory memory;
	unsigned slowed;		/* steps in force for sources */
	struct query_budget told;
};

/* No step is in force yet. */
void governor_init(struct governor *t, const struct governor_env *env);
/* After each tick; due: when the tick was due. */
void governor_tick(struct governor *t, struct mono due, uint64_t skipped);
/* Once a second, as often as processes measure their memory. */
void governor_beat(struct governor *t);
/* The configuration has changed. */
void governor_reload(struct governor *t);
