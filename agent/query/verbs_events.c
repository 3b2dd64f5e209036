/* Events, and those that are changes: from the core's memory, or from the rings
 * if the agent is down.
 */
#include "agent/query/verbs.h"

#include <stdio.h>
#include <string.h>

#include "agent/query/follow.h"
#include "agent/state/history.h"
#include "petrel/local.h"
#include "petrel/platform.h"

#define BURST_MAX 64		/* events in one answer to a follower */

#define EVENT_COLUMNS                                                         \
	{ "when", "WHEN", CELL_WALL_NS },                                     \
	{ "what", "WHAT", CELL_TEXT },                                        \
	{ "entity", "ENTITY", CELL_TEXT },                                    \
	{ "from", "FROM", CELL_TEXT },                                        \
	{ "to", "TO", CELL_TEXT },                                            \
	{ "event", "", CELL_TEXT },                                           \
	{ "item", "", CELL_TEXT },                                            \
	{ "value", "", CELL_INTEGER },                                        \
	{ .key = NULL },

/* How an event is worded. from, to: NULL is the event's own text. With
 * HIDES_ITEM the item only tells one change from another.
 */
struct event_words {
	const char *what, *from, *to;
	enum { IS_CHANGE, NO_CHANGE, HIDES_ITEM } how;
};

static const struct event_words words[PLATFORM_EVENT_COUNT] = {
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

/* The part of the history that is requested. */
struct events_asked {
	const struct query_context *ctx;
	const struct port_choice *ports;
	bool changes;			/* only events that are changes */
	struct mono since;
};

/* A port that is gone still matches by name. */
static bool is_of(const struct events_asked *asked, const char *subject)
{
	uint32_t port = choice_port(asked->ctx, subject);

	return port == ENTITY_NONE ?
	       pattern_matches(&asked->ports->pattern, subject) :
	       choice_has(asked->ports, asked->ctx, port);
}

static bool is_asked(const struct events_asked *asked,
		     const struct history_event *e)
{
	if (e->what >= PLATFORM_EVENT_COUNT || e->when.ns < asked->since.ns ||
	    (asked->changes && words[e->what].how == NO_CHANGE))
		return false;
	return asked->ports->pattern.count == 0 || is_of(asked, e->subject);
}

static void event_row(struct query *q, const struct history_event *e)
{
	const struct event_words *w = &words[e->what];
	char what[CHANGE_TEXT_MAX + 32];
	struct event_change c = { "", "", "" };

	if (e->what >= EVENT_FIRST_CHANGE)
		change_parse(e->text, &c);
	else if (!w->from)
		(void)snprintf(c.from, sizeof(c.from), "%s", e->text);
	else if (!w->to)
		(void)snprintf(c.to, sizeof(c.to), "%s", e->text);
	(void)snprintf(what, sizeof(what), "%s%s%s", w->what ? w->what : "?",
		       c.item[0] && w->how != HIDES_ITEM ? " " : "",
		       w->how == HIDES_ITEM ? "" : c.item);
	answer_row(q->a);
	answer_integer(q->a, q->now.wall.ns + mono_diff_ns(e->when,
							   q->now.mono));
	answer_text(q->a, what);
	answer_text_if(q->a, e->subject);
	answer_text_if(q->a, w->from && w->from[0] ? w->from : c.from);
	answer_text_if(q->a, w->to && w->to[0] ? w->to : c.to);
	answer_text(q->a, platform_event_name((enum platform_event)e->what));
	answer_text_if(q->a, c.item);
	answer_integer(q->a, e->value);
}

/* How many events are kept, and how many were dropped. */
static void rows_memory(struct query *q)
{
	uint64_t dropped = history_first(q->ctx->history) - 1;

	answer_table(q->a, q->shape);
	answer_row(q->a);
	answer_integer(q->a, (int64_t)(history_next(q->ctx->history) - 1 -
				       dropped));
	answer_integer(q->a, (int64_t)dropped);
}

/* Adds past events. */
static unsigned past_rows(struct query *q, const struct answer_shape *shape)
{
	const struct history *all = q->ctx->history;
	struct events_asked asked = { .ctx = q->ctx, .ports = &q->wanted,
				      .changes = shape == &shape_changes,
				      .since.ns = INT64_MIN };
	uint16_t order[HISTORY_EVENTS_MAX];
	size_t count = history_by_time(all, order);
	unsigned shown = 0;

	if (q->request->since_ns > 0)
		asked.since.ns = q->now.mono.ns - q->request->since_ns;
	answer_table(q->a, shape);
	for (size_t n = 0; n < count; n++) {
		const struct history_event *e =
			history_get(all, history_first(all) + order[n]);

		if (!is_asked(&asked, e))
			continue;
		event_row(q, e);
		shown++;
	}
	return shown;
}

static void rows_events(struct query *q)
{
	uint64_t dropped = history_first(q->ctx->history) - 1;

	if (past_rows(q, q->shape) == 0)
		answer_note(q->a, "none%s", q->request->since_ns ?
			    " in that time" : q->ctx->is_far ? "" :
			    " since the agent started");
	if (dropped)
		answer_note(q->a, "%llu older events were dropped; a collector "
			    "keeps them", (unsigned long long)dropped);
}

const struct answer_shape shape_changes = {
	"changes", .rows = rows_events, .columns = { EVENT_COLUMNS } };
const struct answer_shape shape_events = {
	"events", .rows = rows_events, .columns = { EVENT_COLUMNS } };

const struct answer_shape shape_memory = {
	"memory", .single = true, .rows = rows_memory, .columns = {
	{ "kept", "", CELL_UNSIGNED },
	{ "dropped", "", CELL_UNSIGNED },
	{ .key = NULL },
} };

/* --- followers ------------------------------------------------------------ */

/* Adds what came since the follower's last answer; true if there was any. */
static bool burst_read(struct query *q, struct waiting *w)
{
	const struct history *all = q->ctx->history;
	struct events_asked asked = { .ctx = q->ctx, .ports = &q->wanted,
				      .since.ns = INT64_MIN };
	struct diag d;
	unsigned shown = 0;

	/* it was checked with the request */
	(void)choice_parse(w->ports, &q->wanted, &d);
	if (w->next < history_first(all)) {
		answer_message(q->a)->complete = false;
		w->next = history_first(all);
		shown++;
	}
	answer_table(q->a, &shape_events);
	for (; w->next < history_next(all) && shown < BURST_MAX; w->next++) {
		const struct history_event *e = history_get(all, w->next);

		if (!is_asked(&asked, e))
			continue;
		event_row(q, e);
		shown++;
	}
	return shown > 0;
}

static void events_send(struct query_context *ctx, struct waiting *w)
{
	struct query q;

	while (w->next < history_next(ctx->history) &&
	       follow_begin(ctx, w, &q))
		if (burst_read(&q, w))
			(void)query_answer(q.client, q.a, true);
}

void verbs_events_changed(struct query_context *ctx)
{
	follow_each(ctx, FOLLOW_EVENTS, events_send);
}

/* To follow: first the requested past, if any; then each event as it comes. */
int verbs_events(struct query *q)
{
	struct waiting *w;

	if (!q->request->follow)
		return verb_tables(q);
	w = follow_new(q, FOLLOW_EVENTS);
	if (!w)
		return EXIT_INCOMPLETE;
	if (!choice_join(q->request, w->ports, sizeof(w->ports))) {
		w->kind = FOLLOW_NOTHING;
		return answer_error(q->a, EXIT_USAGE, "the names of the ports "
				    "are longer than %d octets",
				    FOLLOW_PORTS_MAX - 1);
	}
	w->next = history_next(q->ctx->history);
	if (q->request->since_ns > 0)
		(void)past_rows(q, &shape_events);
	(void)query_answer(q->client, q->a, true);
	return QUERY_LATER;
}
