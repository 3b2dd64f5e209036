/* Clients that wait for more: whoever follows findings or events, records a
 * trace, or waits for a reload to end.
 *
 * Bounded by the server's clients. A follower that reads slowly gets larger
 * answers less often; what left the ring meanwhile is told as missing.
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
	struct answer *answer;		/* for what comes later; its own */
	struct waiting waiting[QUERY_CLIENTS_MAX];
};

/* Returns -ENOMEM. */
int follow_room_new(struct waiting_room **ret);
/* NULL is allowed. */
void follow_room_free(struct waiting_room *room);

/* A place for the client of q; NULL when there is none: then the answer is an
 * error, with EXIT_INCOMPLETE.
 */
struct waiting *follow_new(struct query *q, enum follow_kind kind);
/* Begins another answer for it; false when it is busy, or gone (and then its
 * place is free again).
 */
bool follow_begin(struct query_context *ctx, struct waiting *w,
		  struct query *ret);
/* Calls send for each that waits for that. */
void follow_each(struct query_context *ctx, enum follow_kind kind,
		 void (*send)(struct query_context *ctx, struct waiting *w));
