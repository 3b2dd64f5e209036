/* Clients that wait for more: whoever follows findings or a trace, and
 * whoever waits for a reload to end.
 *
 * Bounded by the server's clients. A follower that reads slowly gets larger
 * answers less often; what left the ring meanwhile is told as missing.
 */
#pragma once

#include "agent/query/context.h"
#include "agent/query/server.h"

#define FOLLOW_PORTS_MAX 256	/* text of a trace's port pattern */

enum follow_kind { FOLLOW_NOTHING, FOLLOW_FINDINGS, FOLLOW_TRACE,
		   FOLLOW_RELOAD, FOLLOW_EVENTS };

struct waiting {
	enum follow_kind kind;
	uint64_t client;		/* number */
	uint64_t next, hint;		/* findings: sequence wanted next;
					 * events: number */
	uint32_t reload;		/* the number that must be done */
	char ports[FOLLOW_PORTS_MAX];	/* trace, events: pattern, or all */
};

struct waiting_room {
	struct answer *answer;		/* for what comes later; its own */
	struct waiting waiting[QUERY_CLIENTS_MAX];
};

/* A free place for a client; NULL when there is none. */
struct waiting *follow_new(struct query_context *ctx, enum follow_kind kind,
			   const struct query_client *client);
/* The client of a place, ready for an answer; NULL when it is busy, or gone
 * (and then the place is free again).
 */
struct query_client *follow_client(struct query_context *ctx,
				   struct waiting *w);

/* First answer to findings --follow. Returns QUERY_LATER or an exit code. */
int follow_findings(struct query_context *ctx, struct query_client *client,
		    const Petrel__Request *request, struct answer *a);
/* Sends what was appended since to those who follow. */
void follow_findings_send(struct query_context *ctx);
/* The answer's cursor: the newest finding of the stream. */
void follow_cursor(const struct query_context *ctx, struct answer *a);
