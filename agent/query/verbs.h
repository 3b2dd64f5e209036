/* The questions that petrel may ask, one handler each, and the clients that
 * wait for more: who follows findings, who records a trace, who reloads.
 *
 * A handler answers from memory and never waits. The core calls verbs_tick()
 * and its sisters; until then a waiting client costs nothing.
 */
#pragma once

#include "agent/query/context.h"
#include "agent/query/server.h"

/* The table for query_env, with a NULL name at its end. The context of each
 * handler is a struct query_context.
 */
extern const struct query_verb query_verbs[];

/* Makes ctx->waiting; ctx->server is set by the caller when it is there. */
int verbs_init(struct query_context *ctx);
/* Frees ctx->waiting; the server must be gone by then. */
void verbs_fini(struct query_context *ctx);

/* After a finding was appended to the ring. */
void verbs_findings_changed(struct query_context *ctx);
/* After an event was added to the history. */
void verbs_events_changed(struct query_context *ctx);
/* The table of keys whose new value waits until petreld is started again. */
void verbs_waiting(const struct query_context *ctx, struct answer *a);
/* At the end of each tick, when all its values are in. */
void verbs_tick(struct query_context *ctx);
/* When config_event_fd said that a reload ended. */
void verbs_reload_done(struct query_context *ctx);

/* Handlers, as struct query_verb wants them. Those in commands.c
 * also serve petrel with the agent down: without client, engine and rings.
 */

/* Processes, sources, own cost, what is queued, the collector. */
int verbs_status(void *context, struct query_client *client,
		 const Petrel__Request *request, struct answer *a);
/* A row for each signature: what is watched, what is not, and why. */
int verbs_coverage(void *context, struct query_client *client,
		   const Petrel__Request *request, struct answer *a);
/* Sensors, a row each; args: parts of their names, or none: all. */
int verbs_sensors(void *context, struct query_client *client,
		  const Petrel__Request *request, struct answer *a);
/* args: an entity by its name, and then KIND NUMBER of what belongs to it: all
 * that is known of it.
 */
int verbs_show(void *context, struct query_client *client,
	       const Petrel__Request *request, struct answer *a);
/* Ports, a row each; like the five below, args: which ports, or none: all of
 * them; sorted and cut as the request wants.
 */
int verbs_ports(void *context, struct query_client *client,
		const Petrel__Request *request, struct answer *a);
/* Queues with traffic; all: also the idle ones. */
int verbs_queues(void *context, struct query_client *client,
		 const Petrel__Request *request, struct answer *a);
/* Priority groups with traffic (all: also the idle ones), and the pools. */
int verbs_buffers(void *context, struct query_client *client,
		  const Petrel__Request *request, struct answer *a);
/* The modules in the ports' cages. */
int verbs_modules(void *context, struct query_client *client,
		  const Petrel__Request *request, struct answer *a);
/* The lanes of the ports, and what flags are raised on them. */
int verbs_lanes(void *context, struct query_client *client,
		const Petrel__Request *request, struct answer *a);
/* The ports with what is at their other ends. */
int verbs_links(void *context, struct query_client *client,
		const Petrel__Request *request, struct answer *a);
/* One screen: is this switch well, and what to type next. */
int verbs_overview(void *context, struct query_client *client,
		   const Petrel__Request *request, struct answer *a);
/* args: the name or alias of one port. */
int verbs_port(void *context, struct query_client *client,
	       const Petrel__Request *request, struct answer *a);
/* What is open; args: none, or the beginning of an id. With follow, what
 * changes from then on, or from the cursor after on. With benign, what was
 * seen and is no fault.
 */
int verbs_findings(void *context, struct query_client *client,
		   const Petrel__Request *request, struct answer *a);
/* args: none, or ports; since_ns: how far back. What was changed. */
int verbs_changes(void *context, struct query_client *client,
		  const Petrel__Request *request, struct answer *a);
/* The same of all that happened; with follow, and of what will. */
int verbs_events(void *context, struct query_client *client,
		 const Petrel__Request *request, struct answer *a);
/* args: links (default) or agent; the exit code is the answer. */
int verbs_health(void *context, struct query_client *client,
		 const Petrel__Request *request, struct answer *a);
/* args: show, and origin to have that seen: what is in force. */
int verbs_config(void *context, struct query_client *client,
		 const Petrel__Request *request, struct answer *a);
/* Asks the supervisor, and answers when it is done. */
int verbs_reload(void *context, struct query_client *client,
		 const Petrel__Request *request, struct answer *a);
/* args: a port pattern, or none. Ports at once, then each tick. */
int verbs_trace(void *context, struct query_client *client,
		const Petrel__Request *request, struct answer *a);
