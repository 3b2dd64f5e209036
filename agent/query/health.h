/* Is it well? The links by their worst finding, the agent by its sources and
 * processes: a bad cable never makes the agent sick, and a blind agent is never
 * fine.
 */
#pragma once

#include "agent/query/context.h"

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
