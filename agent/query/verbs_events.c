/* What happened, and what of it was a change: from the core's memory, or from
 * the rings when the agent is down.
 */
#include "agent/query/verbs.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "agent/query/answer.h"
#include "agent/query/choice.h"
#include "agent/query/follow.h"
#include "agent/query/shapes.h"
#include "agent/state/history.h"
#include "agent/state/state.h"
#include "petrel/local.h"
#include "petrel/platform.h"

#define BURST_MAX 64		/* events in one answer to a follower */

static const struct answer_column columns[] = {
	{ "when", "WHEN", CELL_WALL_NS, false, false },
	{ "what", "WHAT", CELL_TEXT, false, false },
	{ "entity", "ENTITY", CELL_TEXT, false, false },
	{ "from", "FROM", CELL_TEXT, false, false },
	{ "to", "TO", CELL_TEXT, false, false },
	{ "event", "", CELL_TEXT, false, true },
	{ "item", "", CELL_TEXT, false, true },
	{ "value", "", CELL_INTEGER, true, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_changes = { "changes", columns, false };
const struct answer_shape shape_events = { "events", columns, false };

static const struct answer_column memory_columns[] = {
	{ "kept", "", CELL_UNSIGNED, true, true },
	{ "dropped", "", CELL_UNSIGNED, true, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_memory = { "memory", memory_columns, true };

/* How an event is put in words. from, to: NULL is the event's own text. The
 * item of HIDES_ITEM only tells one change from another.
 */
static const struct words {
	const char *what, *from, *to;
	enum { IS_CHANGE, NO_CHANGE, HIDES_ITEM } how;
} words[PLATFORM_EVENT_COUNT] = {
	[EVENT_LINK_UP] = { "link", "down", "up", IS_CHANGE },
	[EVENT_LINK_DOWN] = { "link", "up", "down", IS_CHANGE },
	[EVENT_MODULE_INSERTED] = { "module", "", NULL, IS_CHANGE },
	[EVENT_MODULE_REMOVED] = { "module", NULL, "", IS_CHANGE },
	[EVENT_COUNTERS_CLEARED] = { "counters cleared", "", NULL, IS_CHANGE },
	[EVENT_SOURCE_RESTARTED] = { "object ids", "", NULL, IS_CHANGE },
	[EVENT_OVERRUN] = { "overrun", "", NULL, NO_CHANGE },
	[EVENT_CONFIG_RELOADED] = { "petrel reload", "", NULL, IS_CHANGE },
	[EVENT_PROCESS_DIED] = { "process died", "", NULL, NO_CHANGE },
	[EVENT_FIRMWARE_CHANGED] = { "firmware", NULL, NULL, IS_CHANGE },
	[EVENT_PORT_CHANGED] = { "port", NULL, NULL, IS_CHANGE },
	[EVENT_SETTING_CHANGED] = { "setting", NULL, NULL, IS_CHANGE },
	[EVENT_SETTINGS_RELOADED] = { "config reload", NULL, NULL, IS_CHANGE },
	[EVENT_SERVICE_RESTARTED] = { "service", NULL, NULL, IS_CHANGE },
	[EVENT_REBOOTED] = { "reboot", NULL, NULL, HIDES_ITEM },
	[EVENT_BGP_CHANGED] = { "bgp", NULL, NULL, IS_CHANGE },
	[EVENT_TSA_CHANGED] = { "tsa", NULL, NULL, IS_CHANGE },
	[EVENT_NEIGHBOR_CHANGED] = { "peer", NULL, NULL, IS_CHANGE },
	[EVENT_PETREL_CHANGED] = { "petrel", NULL, NULL, IS_CHANGE },
	[EVENT_CARD_CHANGED] = { "card", NULL, NULL, IS_CHANGE },
};

/* What of the history is asked for. */
struct events_asked {
	const struct query_context *ctx;
	struct choice ports;
	bool changes;			/* no mere happenings */
	struct mono since;
};

/* A port that is gone still has its name. */
static bool is_of(const struct events_asked *asked, const char *subject)
{
	uint32_t port = choice_port(asked->ctx, subject);

	return port == ENTITY_NONE ?
	       pattern_matches(&asked->ports.pattern, subject) :
	       choice_has(&asked->ports, asked->ctx, port);
}

static bool is_asked(const struct events_asked *asked,
		     const struct history_event *e)
{
	if (e->what >= PLATFORM_EVENT_COUNT || e->when.ns < asked->since.ns ||
	    (asked->changes && words[e->what].how == NO_CHANGE))
		return false;
	return asked->ports.pattern.count == 0 || is_of(asked, e->subject);
}

static const char *or_none(const char *text)
{
	return text && text[0] ? text : NULL;
}

static void event_row(struct answer *a, const struct history_event *e,
		      const struct clock_reading *now)
{
	const struct words *w = &words[e->what];
	char what[CHANGE_TEXT_MAX + 32];
	struct change c = { "", "", "" };

	if (e->what >= EVENT_FIRST_CHANGE)
		change_parse(e->text, &c);
	else if (!w->from)
		(void)snprintf(c.from, sizeof(c.from), "%s", e->text);
	else if (!w->to)
		(void)snprintf(c.to, sizeof(c.to), "%s", e->text);
	(void)snprintf(what, sizeof(what), "%s%s%s", w->what ? w->what : "?",
		       c.item[0] && w->how != HIDES_ITEM ? " " : "",
		       w->how == HIDES_ITEM ? "" : c.item);
	answer_row(a);
	answer_integer(a, now->wall.ns + mono_diff_ns(e->when, now->mono));
	answer_text(a, what);
	answer_text(a, or_none(e->subject));
	answer_text(a, or_none(w->from && w->from[0] ? w->from : c.from));
	answer_text(a, or_none(w->to && w->to[0] ? w->to : c.to));
	answer_text(a, platform_event_name((enum platform_event)e->what));
	answer_text(a, or_none(c.item));
	answer_integer(a, e->value);
}

/* Returns an exit code; 0: *ret is what is asked. */
static int asked_take(const struct query_context *ctx,
		      const Petrel__Request *request, bool changes,
		      struct mono now, struct answer *a,
		      struct events_asked *ret)
{
	*ret = (struct events_asked){ .ctx = ctx, .changes = changes,
				      .since.ns = INT64_MIN };
	if (request->since_ns > 0)
		ret->since.ns = now.ns - request->since_ns;
	return choice_take(ctx, request, a, &ret->ports);
}

static unsigned rows_give(const struct events_asked *asked, struct answer *a,
			  const struct clock_reading *now,
			  const struct answer_shape *shape)
{
	const struct history *all = asked->ctx->history;
	uint16_t order[HISTORY_EVENTS_MAX];
	size_t count = history_by_time(all, order);
	unsigned shown = 0;

	answer_shaped(a, shape);
	for (size_t n = 0; n < count; n++) {
		const struct history_event *e =
			history_get(all, history_first(all) + order[n]);

		if (!is_asked(asked, e))
			continue;
		event_row(a, e, now);
		shown++;
	}
	return shown;
}

/* The table, and how far back it goes. */
static int events_give(const struct query_context *ctx,
		       const Petrel__Request *request, bool changes,
		       struct answer *a)
{
	struct clock_reading now = context_begin(ctx, a);
	uint64_t dropped = history_first(ctx->history) - 1;
	struct events_asked asked;
	int code = asked_take(ctx, request, changes, now.mono, a, &asked);
	unsigned shown;

	if (code)
		return code;
	answer_shaped(a, &shape_memory);
	answer_row(a);
	answer_integer(a, (int64_t)(history_next(ctx->history) - 1 - dropped));
	answer_integer(a, (int64_t)dropped);
	shown = rows_give(&asked, a, &now, changes ? &shape_changes :
						     &shape_events);
	if (shown == 0)
		answer_note(a, "none%s", request->since_ns ?
			    " in that time" : " since the agent looks");
	if (dropped)
		answer_note(a, "%llu older events are not kept: the collector "
			    "has them", (unsigned long long)dropped);
	return EXIT_ANSWERED;
}

int verbs_changes(void *context, struct query_client *client,
		  const Petrel__Request *request, struct answer *a)
{
	(void)client;
	return events_give(context, request, true, a);
}

/* --- followers ------------------------------------------------------------ */

/* What came since the follower's last answer; true when there was any. */
static bool burst_read(const struct query_context *ctx, struct waiting *w,
		       struct answer *a)
{
	struct clock_reading now = context_begin(ctx, a);
	struct events_asked asked = { .ctx = ctx, .since.ns = INT64_MIN };
	struct diag d;
	unsigned shown = 0;

	if (w->ports[0])	/* it was well when it was asked */
		(void)pattern_parse(w->ports, &asked.ports.pattern, &d);
	if (w->next < history_first(ctx->history)) {
		answer_message(a)->complete = false;
		w->next = history_first(ctx->history);
		shown++;
	}
	answer_shaped(a, &shape_events);
	for (; w->next < history_next(ctx->history) && shown < BURST_MAX;
	     w->next++) {
		const struct history_event *e =
			history_get(ctx->history, w->next);

		if (!is_asked(&asked, e))
			continue;
		event_row(a, e, &now);
		shown++;
	}
	return shown > 0;
}

static void events_send(struct query_context *ctx, struct waiting *w)
{
	struct answer *a = ctx->waiting->answer;
	struct query_client *c = follow_client(ctx, w);

	while (c && w->next < history_next(ctx->history)) {
		answer_clear(a);
		if (burst_read(ctx, w, a))
			(void)query_answer(c, a, true);
		c = follow_client(ctx, w);
	}
}

void verbs_events_changed(struct query_context *ctx)
{
	for (unsigned i = 0; i < QUERY_CLIENTS_MAX; i++)
		if (ctx->waiting->waiting[i].kind == FOLLOW_EVENTS)
			events_send(ctx, &ctx->waiting->waiting[i]);
}

/* The words of the request as one pattern. */
static bool ports_keep(const Petrel__Request *request, struct waiting *w)
{
	size_t len = 0;

	if (request->n_args == 1 && strcasecmp(request->args[0], "all") == 0)
		return true;
	for (size_t i = 0; i < request->n_args && len < FOLLOW_PORTS_MAX; i++) {
		int n = snprintf(w->ports + len, sizeof(w->ports) - len,
				 "%s%s", i ? "," : "", request->args[i]);

		len += n > 0 ? (size_t)n : 0;
	}
	return len < FOLLOW_PORTS_MAX;
}

/* First what is asked of the past, if anything; then each as it comes. */
static int events_follow(struct query_context *ctx, struct query_client *client,
			 const Petrel__Request *request, struct answer *a)
{
	struct clock_reading now = context_begin(ctx, a);
	struct events_asked asked;
	struct waiting *w;
	int code = asked_take(ctx, request, false, now.mono, a, &asked);

	if (code)
		return code;
	w = follow_new(ctx, FOLLOW_EVENTS, client);
	if (!w)
		return answer_error(a, EXIT_INCOMPLETE, "too many clients "
				    "follow already; at most %d",
				    QUERY_CLIENTS_MAX);
	if (!ports_keep(request, w)) {
		w->kind = FOLLOW_NOTHING;
		return answer_error(a, EXIT_USAGE, "the names of the ports "
				    "are longer than %d octets",
				    FOLLOW_PORTS_MAX - 1);
	}
	w->next = history_next(ctx->history);
	if (request->since_ns > 0)
		(void)rows_give(&asked, a, &now, &shape_events);
	(void)query_answer(client, a, true);
	return QUERY_LATER;
}

int verbs_events(void *context, struct query_client *client,
		 const Petrel__Request *request, struct answer *a)
{
	if (request->follow)
		return events_follow(context, client, request, a);
	return events_give(context, request, false, a);
}
