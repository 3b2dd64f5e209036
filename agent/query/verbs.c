#include "agent/query/verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/process/control.h"
#include "agent/query/answer.h"
#include "agent/query/follow.h"
#include "agent/query/trace.h"

const struct query_verb query_verbs[] = {
	{ "status", false, verbs_status },
	{ "coverage", false, verbs_coverage },
	{ "ports", false, verbs_ports },
	{ "port", false, verbs_port },
	{ "overview", false, verbs_overview },
	{ "queues", false, verbs_queues },
	{ "buffers", false, verbs_buffers },
	{ "modules", false, verbs_modules },
	{ "lanes", false, verbs_lanes },
	{ "links", false, verbs_links },
	{ "sensors", false, verbs_sensors },
	{ "show", false, verbs_show },
	{ "findings", false, verbs_findings },
	{ "changes", false, verbs_changes },
	{ "events", false, verbs_events },
	{ "health", false, verbs_health },
	{ "trace", false, verbs_trace },
	{ "config", false, verbs_config },
	{ "reload", true, verbs_reload },
	{ NULL, false, NULL },
};

int verbs_init(struct query_context *ctx)
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

void verbs_fini(struct query_context *ctx)
{
	if (!ctx->waiting)
		return;
	answer_free(ctx->waiting->answer);
	free(ctx->waiting);
	ctx->waiting = NULL;
}

void verbs_findings_changed(struct query_context *ctx)
{
	follow_findings_send(ctx);
}

/* Also serves who was busy when the last finding came. */
void verbs_tick(struct query_context *ctx)
{
	follow_findings_send(ctx);
	verbs_events_changed(ctx);
	for (unsigned i = 0; i < QUERY_CLIENTS_MAX; i++)
		if (ctx->waiting->waiting[i].kind == FOLLOW_TRACE)
			trace_send(ctx, &ctx->waiting->waiting[i]);
}

/* --- reload -------------------------------------------------------------- */

/* A number that was asked for before another is done with it, too. */
static bool reload_is_done(const struct control *c, uint32_t asked)
{
	return (int32_t)(c->reload_done - asked) >= 0;
}

static int reload_answer(const struct query_context *ctx, struct answer *a)
{
	int32_t result = ctx->control->reload_result;

	if (result < 0)
		return answer_error(a, EXIT_USAGE, "%.*s; the configuration "
				    "before stays in force", DIAG_MAX - 1,
				    ctx->control->reload_diag.text);
	verbs_waiting(ctx, a);
	return EXIT_ANSWERED;
}

static void reload_send(struct query_context *ctx, struct waiting *w)
{
	struct answer *a = ctx->waiting->answer;
	struct query_client *c = follow_client(ctx, w);

	if (!c || !reload_is_done(ctx->control, w->reload))
		return;
	answer_clear(a);
	(void)context_begin(ctx, a);
	answer_message(a)->code = (uint32_t)reload_answer(ctx, a);
	w->kind = FOLLOW_NOTHING;
	(void)query_answer(c, a, false);
}

void verbs_reload_done(struct query_context *ctx)
{
	for (unsigned i = 0; i < QUERY_CLIENTS_MAX; i++)
		if (ctx->waiting->waiting[i].kind == FOLLOW_RELOAD)
			reload_send(ctx, &ctx->waiting->waiting[i]);
}

int verbs_reload(void *context, struct query_client *client,
		 const Petrel__Request *request, struct answer *a)
{
	static const uint64_t one = 1;
	struct query_context *ctx = context;
	struct waiting *w;

	(void)request;
	(void)context_begin(ctx, a);
	w = follow_new(ctx, FOLLOW_RELOAD, client);
	if (!w)
		return answer_error(a, EXIT_INCOMPLETE, "too many clients wait "
				    "already; at most %d", QUERY_CLIENTS_MAX);
	w->reload = ++ctx->control->reload_asked;
	if (write(ctx->reload_event_fd, &one, sizeof(one)) < 0) {
		w->kind = FOLLOW_NOTHING;
		return answer_error(a, EXIT_INCOMPLETE, "the supervisor cannot "
				    "be asked");
	}
	return QUERY_LATER;
}
