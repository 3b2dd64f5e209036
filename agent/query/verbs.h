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
void verbs_fini(struct query_context *ctx);

/* After a finding was appended to the ring. */
void verbs_findings_changed(struct query_context *ctx);
/* At the end of each tick, when all its values are in. */
void verbs_tick(struct query_context *ctx);
/* When config_event_fd said that a reload ended. */
void verbs_reload_done(struct query_context *ctx);

/* Handlers. Those without client also serve petrel with the agent down. */
int verbs_status(void *context, struct query_client *client,
		 const Petrel__Request *request, struct answer *a);
int verbs_coverage(void *context, struct query_client *client,
		   const Petrel__Request *request, struct answer *a);
int verbs_ports(void *context, struct query_client *client,
		const Petrel__Request *request, struct answer *a);
int verbs_port(void *context, struct query_client *client,
	       const Petrel__Request *request, struct answer *a);
int verbs_findings(void *context, struct query_client *client,
		   const Petrel__Request *request, struct answer *a);
int verbs_health(void *context, struct query_client *client,
		 const Petrel__Request *request, struct answer *a);
int verbs_reload(void *context, struct query_client *client,
		 const Petrel__Request *request, struct answer *a);
int verbs_trace(void *context, struct query_client *client,
		const Petrel__Request *request, struct answer *a);
