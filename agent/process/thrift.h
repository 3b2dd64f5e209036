/* Keeps to the budgets of CPU time, lateness and memory (C15): what is given
 * up, when it comes back, and the sentence that says so.
 */
#pragma once

#include <stdint.h>
#include "agent/process/budget.h"
#include "agent/query/context.h"

struct config;
struct control;
struct query_server;
struct sampler;
struct series;

/* All borrowed; config is looked at each time. */
struct thrift_env {
	const struct control *control;
	const struct config *config;
	struct sampler *sampler;
	struct series *series;
	/* Whose answers have a budget of their own; NULL: none yet. */
	const struct query_server *server;
};

struct thrift {
	struct thrift_env env;
	struct budget budget;
	struct budget_memory memory;
	unsigned slowed;		/* steps that hold for sources */
	struct query_budget told;
};

/* Nothing is given up yet. */
void thrift_init(struct thrift *t, const struct thrift_env *env);
/* After each tick, which was due then. */
void thrift_tick(struct thrift *t, struct mono due, uint64_t skipped);
/* Once a second: processes measure their memory as often. */
void thrift_beat(struct thrift *t);
/* The configuration is another. */
void thrift_reload(struct thrift *t);
