/* One screen: whether this switch is well, what is wrong, since when, what to
 * do; what is not watched; how the agent is; and what to type next.
 */
#include "agent/query/verbs.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/joined.h"
#include "agent/process/control.h"
#include "agent/query/health.h"
#include "agent/query/coverage.h"

#define FINDINGS_SHOWN 4	/* what a screen of 24 lines has room for */
#define ID_SHOWN_MIN 4
#define SENTENCE_MAX 480

/* What the sentences are made from. */
struct overview {
	struct query *q;
	struct health links, agent;
	const struct finding *open[QUERY_FINDINGS_MAX];
	size_t count;
};

/* --- sentences ----------------------------------------------------------- */

static size_t of_severity(const struct overview *l, enum severity severity)
{
	size_t n = 0;

	for (size_t i = 0; i < l->count; i++)
		n += l->open[i]->severity == severity;
	return n;
}

/* "critical: leaf1 has 1 critical, 2 warn"; "unknown: leaf1, …". */
static void switch_sentence(const struct overview *l, char *ret, size_t cap)
{
	bool is_known = l->links.code != EXIT_AGENT_DOWN;
	const char *join = " has ";

	(void)snprintf(ret, cap, "%s: %s", l->links.word,
		       l->q->ctx->switch_name);
	if (l->links.because[0] && (!is_known || l->count == 0))
		joined_add(ret, cap, ", ", "%s", l->links.because);
	for (int s = SEVERITY_COUNT - 1; is_known && s > 0; s--) {
		size_t n = of_severity(l, (enum severity)s);

		if (n == 0)
			continue;
		joined_add(ret, cap, join, "%zu %s", n,
			   severity_name((enum severity)s));
		join = ", ";
	}
}

/* "63 of 64 up, 1 down": leaves out states that no port is in. */
static void links_sentence(const struct health_ports *p, bool is_past,
			   char *ret, size_t cap)
{
	const struct {
		size_t n;
		const char *words;
	} rest[] = { { p->down, "down" }, { p->shut, "shut by configuration" },
		     { p->unknown, "not read" } };

	(void)snprintf(ret, cap, "%zu of %zu up", p->up, p->all);
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
		if (rest[i].n)
			joined_add(ret, cap, ", ", "%zu %s", rest[i].n,
				   rest[i].words);
	if (is_past && p->all)
		joined_add(ret, cap, " ", "when the agent stopped");
	else if (p->old == p->all && p->old)
		joined_add(ret, cap, ", ", "%lld s ago",
			   (long long)(p->old_ns / NS_PER_S));
	else if (p->old)
		joined_add(ret, cap, "; ", "%zu not read for %lld s", p->old,
			   (long long)(p->old_ns / NS_PER_S));
}

/* "No findings" proves little: the first lines say what is not seen. */
static void watched_sentence(const struct overview *l,
			     const struct watched_count *w, char *ret,
			     size_t cap)
{
	if (!l->q->ctx->engine)
		(void)snprintf(ret, cap, "nothing, while the agent is down");
	else
		(void)snprintf(ret, cap, "%u of %d signatures armed, %u "
			       "limited, %u blind: see petrel coverage",
			       w->of[WATCH_ARMED], SIGNATURE_COUNT - 1,
			       w->of[WATCH_LIMITED], w->of[WATCH_BLIND]);
}

/* All processes together. */
static void cost_words(const struct query *q, char *ret, size_t cap)
{
	int64_t ppm, memory;

	health_cost(q, &ppm, &memory);
	(void)snprintf(ret, cap, "%.1f %% of a core, %.0f MiB",
		       (double)ppm / 1e4, (double)memory / (1 << 20));
}

/* Says that records are sent in the clear, where users look first (C11). */
static const char *push_words(const struct query *q)
{
	struct config config;
	bool connected = q->ctx->control->push.connected;

	(void)control_config(q->ctx->control, &config);
	if (!config.collector[0][0])
		return "no collector";
	if (config.collector_key[0][0])
		return connected ? "collector connected" :
				   "collector not connected";
	return connected ? "collector connected, not sealed" :
			   "collector not connected, not sealed";
}

static void agent_sentence(const struct overview *l, char *ret, size_t cap)
{
	const struct query *q = l->q;
	struct sources_count n = sources_count(q);
	char cost[64];

	if (!q->ctx->control) {
		(void)snprintf(ret, cap, "down");
		return;
	}
	cost_words(q, cost, sizeof(cost));
	(void)snprintf(ret, cap, "%s%s%s; %zu of %zu sources fresh, %s, %s",
		       l->agent.word, l->agent.because[0] ? ": " : "",
		       l->agent.because, n.fresh, n.enabled, cost,
		       push_words(q));
}

/* --- tables -------------------------------------------------------------- */

/* Since when it has been this bad. */
static int64_t since_ns(const struct overview *l)
{
	int64_t oldest_ns = INT64_MAX;

	for (size_t i = 0; i < l->count; i++)
		if (l->open[i]->severity == l->open[0]->severity &&
		    l->open[i]->onset_wall.ns < oldest_ns)
			oldest_ns = l->open[i]->onset_wall.ns;
	return oldest_ns;
}

/* Sentences, and the numbers in them. */
static void rows_overview(struct query *q)
{
	const struct overview *l = q->own;
	char words[SENTENCE_MAX], links[SENTENCE_MAX], watched[SENTENCE_MAX],
	     agent[SENTENCE_MAX];
	struct watched_count w;
	struct health_ports p;

	health_ports(q, &p);
	watched_count(q->ctx, &w);
	switch_sentence(l, words, sizeof(words));
	links_sentence(&p, !q->ctx->control, links, sizeof(links));
	watched_sentence(l, &w, watched, sizeof(watched));
	agent_sentence(l, agent, sizeof(agent));
	answer_table(q->a, q->shape);
	answer_row(q->a);
	answer_text(q->a, words);
	answer_text(q->a, links);
	answer_text(q->a, watched);
	answer_text(q->a, agent);
	answer_text(q->a, l->links.word);
	answer_text_if(q->a, l->links.because);
	answer_known(q->a, l->count, since_ns(l));
	answer_integer(q->a, (int64_t)p.all);
	answer_integer(q->a, (int64_t)p.up);
	answer_integer(q->a, (int64_t)p.down);
	answer_integer(q->a, (int64_t)p.shut);
	answer_integer(q->a, (int64_t)p.unknown);
	for (int s = SEVERITY_CRITICAL; s > 0; s--)
		answer_integer(q->a, (int64_t)of_severity(l, (enum severity)s));
	for (int watch = WATCH_ARMED; watch <= WATCH_BLIND; watch++)
		answer_integer(q->a, w.of[watch]);
	answer_text(q->a, w.blind);
	answer_text(q->a, l->agent.word);
}

const struct answer_shape shape_overview = {
	"overview", .single = true, .rows = rows_overview, .columns = {
	{ "words", "health", CELL_TEXT },
	{ "links", "links", CELL_TEXT },
	{ "watched", "watched", CELL_TEXT },
	{ "agent", "agent", CELL_TEXT },
	{ "health", "", CELL_TEXT },
	{ "because", "", CELL_TEXT },
	{ "since", "", CELL_WALL_NS },
	{ "ports", "", CELL_INTEGER },
	{ "ports_up", "", CELL_INTEGER },
	{ "ports_down", "", CELL_INTEGER },
	{ "ports_shut", "", CELL_INTEGER },
	{ "ports_unknown", "", CELL_INTEGER },
	{ "critical", "", CELL_INTEGER },
	{ "warn", "", CELL_INTEGER },
	{ "watch", "", CELL_INTEGER },
	{ "armed", "", CELL_INTEGER },
	{ "limited", "", CELL_INTEGER },
	{ "blind", "", CELL_INTEGER },
	{ "blind_signatures", "", CELL_TEXT },
	{ "agent_health", "", CELL_TEXT },
	{ .key = NULL },
} };

static void wrong_row(struct query *q, const struct finding *f)
{
	/* Below 0: the clock was set back since. */
	int64_t for_ns = q->now.wall.ns - f->onset_wall.ns;
	char words[SENTENCE_MAX];

	(void)snprintf(words, sizeof(words), "%s -> %s", f->cause,
		       action_words(f, f->action));
	answer_row(q->a);
	answer_text(q->a, severity_name(f->severity));
	answer_text(q->a, f->subject);
	answer_known(q->a, for_ns >= 0, for_ns);
	answer_text(q->a, words);
	answer_text(q->a, f->id);
	answer_text(q->a, signature_name(f->signature));
	answer_integer(q->a, f->onset_wall.ns);
	answer_text(q->a, f->cause);
	answer_text(q->a, action_name(f->action));
	answer_text(q->a, drain_name(f->drain));
}

static void rows_wrong(struct query *q)
{
	const struct overview *l = q->own;

	answer_table(q->a, q->shape);
	for (size_t i = 0; i < l->count; i++) {
		wrong_row(q, l->open[i]);
		if (i >= FINDINGS_SHOWN)
			answer_row_json_only(q->a);
	}
	if (l->count > FINDINGS_SHOWN)
		answer_note(q->a, "and %zu more: petrel findings",
			    l->count - FINDINGS_SHOWN);
	else if (l->count == 0)
		answer_note(q->a, "%s", !q->ctx->control ?
			    "no findings when the agent stopped" :
			    l->links.code == EXIT_AGENT_DOWN ?
			    "no data from the links" :
			    "no findings on what is watched");
}

const struct answer_shape shape_wrong = {
	"wrong", .rows = rows_wrong, .columns = {
	{ "severity", "WRONG", CELL_TEXT },
	{ "port", "PORT", CELL_TEXT },
	{ "for", "FOR", CELL_AGE_NS },
	{ "words", "WHY -> WHAT TO DO", CELL_TEXT },
	{ "id", "", CELL_TEXT },
	{ "signature", "", CELL_TEXT },
	{ "since", "", CELL_WALL_NS, .right = true },
	{ "cause", "", CELL_TEXT },
	{ "action", "", CELL_TEXT },
	{ "drain", "", CELL_TEXT },
	{ .key = NULL },
} };

/* The length at which the worst finding's id is unique. */
static int id_length(const struct overview *l)
{
	size_t len = ID_SHOWN_MIN;

	for (size_t i = 1; i < l->count; i++)
		while (len < FINDING_ID_LEN &&
		       strncmp(l->open[0]->id, l->open[i]->id, len) == 0)
			len++;
	return (int)len;
}

/* What to type next: the worst finding, else the agent, else the margins. */
static void rows_next(struct query *q)
{
	const struct overview *l = q->own;
	char next[64] = "petrel ports --sort margin --top 10";

	if (l->count)
		(void)snprintf(next, sizeof(next), "petrel findings %.*s",
			       id_length(l), l->open[0]->id);
	else if (l->links.code != EXIT_ANSWERED ||
		 l->agent.code != EXIT_ANSWERED)
		(void)snprintf(next, sizeof(next), "petrel status");
	answer_table(q->a, q->shape);
	answer_row(q->a);
	answer_text(q->a, next);
	answer_text(q->a, "petrel help");
}

const struct answer_shape shape_next = {
	"next", .single = true, .rows = rows_next, .columns = {
	{ "next", "next", CELL_TEXT },
	{ "help", "all commands", CELL_TEXT },
	{ .key = NULL },
} };

int verbs_overview(struct query *q)
{
	struct overview l = { .q = q };

	l.count = query_findings(q->ctx, l.open);
	health_links(q, &l.links);
	health_agent(q, &l.agent);
	q->own = &l;
	return verb_tables(q);
}
