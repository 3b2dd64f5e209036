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

/* By the worst open finding; nothing read is no health, nor is an agent that is
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
