/* Whether all is well. Links are judged by their worst finding, the agent by
 * its sources and processes: a bad cable never makes the agent unwell, and a
 * blind agent is never fine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/process/control.h"
#include "agent/state/state.h"

struct query;

struct health {
	const char *word;	/* fine warn critical degraded broken unknown */
	char because[320];	/* a sentence, or empty */
	int code;		/* of petrel health */
};

/* How many ports are in each state. */
struct health_ports {
	size_t all, up, down, shut, unknown;
	size_t watched;			/* whose state is known and current */
	size_t old;			/* whose state is stale */
	int64_t old_ns;			/* age of the oldest */
	/* Enabled, with a module or a link that was up since Petrel started;
	 * and those of them that are down.
	 */
	size_t wanted, wanted_down;
};

/* Counts them. */
void health_ports(const struct query *q, struct health_ports *ret);

/* By the worst open finding, with a warning if more than half of the wanted
 * ports are down; unknown if nothing was read or the agent is down.
 */
void health_links(const struct query *q, struct health *ret);
/* By the processes and the sources; ctx->control NULL: it is down. */
void health_agent(const struct query *q, struct health *ret);
/* running, hangs, not running; role: enum role. */
const char *health_process(const struct query *q, unsigned role);
/* CPU time of one process, in ppm of a core: of its last second if sampled,
 * else since it started; negative if it is not running.
 */
int64_t health_cpu_ppm(const struct query *q, unsigned role);
/* CPU time and memory of all of them together. */
void health_cost(const struct query *q, int64_t *ret_cpu_ppm,
		 int64_t *ret_octets);

/* --- sources ------------------------------------------------------------- */

struct sources_count {
	size_t enabled;			/* all except unsupported ones */
	size_t fresh;
	size_t limited;			/* they deliver only a part */
	bool delivered;			/* any of them, ever */
	const struct state_source *first_stale;	/* enabled; NULL: none */
	size_t same;			/* not fresh, with the same reason */
};

/* Whether they fail for the same reason, which is then said once. Ignores for
 * how long.
 */
bool source_reason_is_same(const struct state_source *a,
			   const struct state_source *b);

/* Whether it answered within three of its periods and a little. A source that
 * only sends events is fresh while it says so.
 */
bool source_is_fresh(const struct state_source *s, struct mono now);

/* Counts all sources of the platform, without Petrel's own. */
struct sources_count sources_count(const struct query *q);

/* The state in one word; "stale" if it stopped answering. */
const char *source_words(const struct state_source *s, struct mono now);

/* --- cost ---------------------------------------------------------------- */

/* The CPU time that Petrel itself uses per second: over the last ten seconds,
 * or between the last two marks if they are further apart. One tick says
 * little: processes report their CPU time once a second, and slow sources
 * deliver once in many ticks.
 */
#define COST_SPAN_NS (10 * NS_PER_S)
#define COST_MARKS 16u

/* Values of a counter at some moments; the oldest are dropped. */
struct cost_counter {
	unsigned count;			/* marks ever made */
	struct {
		struct mono at;
		int64_t value;
	} mark[COST_MARKS];
};

struct cost {
	struct cost_counter cpu[ROLE_COUNT];	/* ns */
	struct cost_counter values;
};

/* At each tick: takes the CPU time that the processes report, and the number of
 * values so far.
 */
void cost_tick(struct cost *c, const struct control *control, uint64_t values,
	       struct mono now);

/* False: there are not two marks to compare yet. */
bool cost_per_s(const struct cost_counter *c, double *ret_per_s);
