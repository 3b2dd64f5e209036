/* What the answers are made from: the core fills it once, petrel fills a part
 * of it from the rings when the agent is down.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/clock.h"
#include "petrel/finding.h"
#include "petrel/quantity.h"

struct answer;
struct control;
struct cost;
struct engine;
struct engine_view;
struct history;
struct query_server;
struct port_reading;
struct ring_set;
struct series;
struct state;
struct waiting_room;

/* What is given up to keep to the budgets (C15). */
struct query_budget {
	char text[240];		/* a sentence; "": nothing */
	bool is_lost;		/* all of it, and it is not enough */
};

/* All pointers are borrowed. */
struct query_context {
	const char *switch_name, *switch_id, *version;	/* id "": unknown */
	const struct state *state;
	struct port_reading *reading;	/* NULL: the agent is down */
	const struct engine *engine;	/* NULL: the agent is down, and then */
	const struct finding *findings;	/* these are the open ones */
	size_t finding_count;
	const struct history *history;	/* of events */
	const struct series *series;	/* NULL: no history */
	struct control *control;
	struct ring_set *rings;
	int reload_event_fd;
	/* Why no driver is open; "" or NULL: one is. */
	const char *drivers_reason;
	const struct query_budget *budget;	/* NULL: nobody keeps one */
	const struct cost *cost;		/* NULL: nobody counts it */
	/* The number that engine and series know a port by; false: none yet. */
	bool (*port_number)(void *core, uint32_t entity, uint32_t *ret);
	void *core;
	void (*clock)(struct clock_reading *ret);	/* clock_read */
	struct query_server *server;	/* as soon as there is one */
	struct waiting_room *waiting;	/* verbs_init() makes it */
};

/* The clocks of this answer, and the answer's head from them. */
struct clock_reading context_begin(const struct query_context *ctx,
				   struct answer *a);

#define CONTEXT_FINDINGS_MAX 1024u

/* Findings that are not cleared, worst first. Returns how many of the open
 * ones are in ret.
 */
size_t context_findings(const struct query_context *ctx,
			const struct finding *ret[static CONTEXT_FINDINGS_MAX]);

/* Is the port, by its entity and its name, part of the open finding? */
bool context_is_part(const struct query_context *ctx, const struct finding *f,
		     uint32_t port, const char *name);

/* The worst severity of the open findings that it is part of; 0: none. */
unsigned context_worst(const struct query_context *ctx, uint32_t port,
		       const char *name);

/* What the engine worked out for a port; all absent when it knows it not. */
void context_view(const struct query_context *ctx, uint32_t port,
		  struct engine_view *ret);

/* Text of an entity, or NULL. */
const char *context_attribute(const struct query_context *ctx, uint32_t entity,
			      unsigned attribute);
/* The ASIC that an entity is of, or NULL: there is one only. */
const char *context_asic(const struct query_context *ctx, uint32_t entity);
/* Name of an entity, with its ASIC where it takes that to tell two ports apart;
 * or "".
 */
const char *context_name(const struct query_context *ctx, uint32_t entity);

/* A cell: the newest reading with its age, or absent. Returns when the source
 * took it; ns INT64_MAX when absent.
 */
struct mono context_cell(const struct query_context *ctx, struct answer *a,
			 uint32_t entity, enum quantity q, unsigned index,
			 struct mono now);
