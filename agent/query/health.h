/* Is it well? The links by their worst finding, the agent by its sources and
 * processes: a bad cable never makes the agent sick, and a blind agent is never
 * fine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/process/control.h"
#include "agent/state/state.h"

struct query_context;

struct health {
	const char *word;	/* fine warn critical degraded broken unknown */
	char because[320];	/* a sentence, or empty */
	int code;		/* of petrel health */
};

/* How many ports are in each state. */
struct health_ports {
	size_t all, up, down, shut, unknown;
	size_t watched;			/* whose state is known, and of now */
	size_t old;			/* whose state is not of now */
	int64_t old_ns;			/* since when, of the oldest */
	/* Enabled, with a module or with a link that was up while Petrel
	 * looked; and those of them that are down.
	 */
	size_t wanted, wanted_down;
};

/* Counts them. */
void health_ports(const struct query_context *ctx, struct mono now,
		  struct health_ports *ret);

/* By the worst open finding, and a warning when more than half of the wanted
 * ports are down; nothing read is no health, nor is an agent that is
 * down.
 */
void health_links(const struct query_context *ctx, struct mono now,
		  struct health *ret);
/* Of the processes and the sources; ctx->control may be NULL: it is down. */
void health_agent(const struct query_context *ctx, struct mono now,
		  struct health *ret);
/* running, hangs, not running; role: enum role. */
const char *health_process(const struct query_context *ctx, struct mono now,
			   unsigned role);
/* CPU of one of them, in ppm of a core: of its last second where that was
 * sampled, else since it began; negative when not running.
 */
int64_t health_cpu_ppm(const struct query_context *ctx, struct mono now,
		       unsigned role);

/* --- sources ------------------------------------------------------------- */

struct sources_count {
	size_t enabled;			/* all but the unsupported */
	size_t fresh;
	size_t limited;			/* they deliver a part */
	bool delivered;			/* one of them, ever */
	const struct state_source *first_stale;	/* enabled; NULL: none */
	size_t same;			/* not fresh, for the same reason */
};

/* They fail for one reason: it is said once. For how long already is left out
 * of the comparison.
 */
bool source_reason_is_same(const struct state_source *a,
			   const struct state_source *b);

/* True when it answered within three of its periods and a little. A source
 * that only tells events is fresh while it says so.
 */
bool source_is_fresh(const struct state_source *s, struct mono now);

/* Over all sources of the platform; Petrel's own do not count. */
struct sources_count sources_count(const struct state *s, struct mono now);

/* The state in one word; "stale" for one that stopped answering. */
const char *source_words(const struct state_source *s, struct mono now);

/* --- cost ---------------------------------------------------------------- */

/* What Petrel itself costs a second, whatever the interval: over the last ten
 * seconds, or between the last two ticks where those are further apart. One
 * tick says little: processes tell their CPU time once a second, and slow
 * sources bring what they have once in many ticks.
 */
#define COST_SPAN_NS (10 * NS_PER_S)
#define COST_MARKS 16u

/* A counter, as it stood at some moments; the oldest go. */
struct cost_counter {
	unsigned count;			/* ever marked */
	struct {
		struct mono at;
		int64_t value;
	} mark[COST_MARKS];
};

struct cost {
	struct cost_counter cpu[ROLE_COUNT];	/* ns */
	struct cost_counter values;
};

/* At each tick: what the processes tell of their CPU time, and how many values
 * there were so far.
 */
void cost_tick(struct cost *c, const struct control *control, uint64_t values,
	       struct mono now);

/* False: there are no two moments to compare yet. */
bool cost_per_s(const struct cost_counter *c, double *ret_per_s);
