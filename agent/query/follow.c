#include "agent/query/follow.h"

#include <errno.h>
#include <stdlib.h>

#include "petrel/local.h"

int follow_init(struct query_context *ctx)
{
	struct waiting_room *room = calloc(1, sizeof(*room));

	if (!room)
		return -ENOMEM;
	if (answer_new(QUERY_ANSWER_OCTETS / 4, &room->answer) < 0) {
		free(room);
		return -ENOMEM;
	}
	ctx->waiting = room;
	return 0;
}

void follow_fini(struct query_context *ctx)
{
	if (ctx->waiting)
		answer_free(ctx->waiting->answer);
	free(ctx->waiting);
	ctx->waiting = NULL;
}

struct waiting *follow_new(struct query *q, enum follow_kind kind)
{
	for (unsigned i = 0; i < QUERY_CLIENTS_MAX; i++) {
		struct waiting *w = &q->ctx->waiting->waiting[i];

		if (w->kind != FOLLOW_NOTHING &&
		    query_client_find(q->ctx->server, w->client))
			continue;
		*w = (struct waiting){
			.kind = kind,
			.client = query_client_number(q->client) };
		return w;
	}
	(void)answer_error(q->a, EXIT_INCOMPLETE, "too many clients wait "
			   "already; at most %d", QUERY_CLIENTS_MAX);
	return NULL;
}

bool follow_begin(struct query_context *ctx, struct waiting *w,
		  struct query *ret)
{
	struct query_client *c = query_client_find(ctx->server, w->client);

	if (!c)
		w->kind = FOLLOW_NOTHING;
	if (!c || query_client_is_busy(c))
		return false;
	*ret = (struct query){ .ctx = ctx, .client = c,
			       .a = ctx->waiting->answer };
	answer_clear(ret->a);
	query_begin(ret);
	return true;
}

void follow_each(struct query_context *ctx, enum follow_kind kind,
		 void (*send)(struct query_context *ctx, struct waiting *w))
{
	for (unsigned i = 0; i < QUERY_CLIENTS_MAX; i++)
		if (ctx->waiting->waiting[i].kind == kind)
			send(ctx, &ctx->waiting->waiting[i]);
}
