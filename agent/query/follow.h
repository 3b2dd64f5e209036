/* Clients that wait for more: those that follow findings or events, record a
 * trace, or wait for a reload to end.
 *
 * Limited by the server's clients. A follower that reads slowly gets larger
 * answers less often; what left the ring meanwhile is reported as missing.
 */
#pragma once

#include "agent/query/query.h"
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
	struct answer *answer;		/* for later answers; owned */
	struct waiting waiting[QUERY_CLIENTS_MAX];
};

/* Makes ctx->waiting; the caller sets ctx->server once there is one. Returns
 * -ENOMEM.
 */
int follow_init(struct query_context *ctx);
/* Frees ctx->waiting; the server must be gone by then. */
void follow_fini(struct query_context *ctx);

/* A place for the client of q; NULL if there is none: then the answer is an
 * error, with EXIT_INCOMPLETE.
 */
struct waiting *follow_new(struct query *q, enum follow_kind kind);
/* Begins another answer for it; false if it is busy, or gone (which frees its
 * place).
 */
bool follow_begin(struct query_context *ctx, struct waiting *w,
		  struct query *ret);
/* Calls send for each client that waits for this kind. */
void follow_each(struct query_context *ctx, enum follow_kind kind,
		 void (*send)(struct query_context *ctx, struct waiting *w));
