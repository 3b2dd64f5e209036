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
	double memory = 0, cpu = 0;

	for (unsigned role = 0; role < ROLE_COUNT; role++) {
		int64_t ppm = health_cpu_ppm(q->ctx, q->now.mono, role);

		cpu += ppm > 0 ? (double)ppm : 0;
		memory += (double)q->ctx->control->process[role].memory_octets;
	}
	(void)snprintf(ret, cap, "%.1f %% of a core, %.0f MiB", cpu / 1e4,
		       memory / (1 << 20));
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
	struct sources_count n = sources_count(q->ctx->state, q->now.mono);
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

/* Since when it has been this bad; absent if it is well. */
static int64_t since_ns(const struct overview *l)
{
	int64_t oldest_ns = INT64_MAX;

	for (size_t i = 0; i < l->count; i++)
		if (l->open[i]->severity == l->open[0]->severity &&
		    l->open[i]->onset_wall.ns < oldest_ns)
			oldest_ns = l->open[i]->onset_wall.ns;
	return l->count ? oldest_ns : MEMBER_ABSENT;
}

/* Sentences, and the numbers in them. */
struct overview_row {
	const char *words, *links, *watched, *agent, *health, *because, *blind,
		   *agent_health;
	int64_t since_ns, ports, up, down, shut, unknown;
	int64_t of_severity[SEVERITY_COUNT], of_watch[WATCH_COUNT];
};

static void rows_overview(struct query *q)
{
	const struct overview *l = q->own;
	char words[SENTENCE_MAX], links[SENTENCE_MAX], watched[SENTENCE_MAX],
	     agent[SENTENCE_MAX];
	struct watched_count w;
	struct health_ports p;
	struct overview_row row;

	health_ports(q->ctx, q->now.mono, &p);
	watched_count(q->ctx, &w);
	switch_sentence(l, words, sizeof(words));
	links_sentence(&p, !q->ctx->control, links, sizeof(links));
	watched_sentence(l, &w, watched, sizeof(watched));
	agent_sentence(l, agent, sizeof(agent));
	row = (struct overview_row){
		.words = words, .links = links, .watched = watched,
		.agent = agent, .health = l->links.word,
		.because = member_text(l->links.because),
		.since_ns = since_ns(l), .ports = (int64_t)p.all,
		.up = (int64_t)p.up, .down = (int64_t)p.down,
		.shut = (int64_t)p.shut, .unknown = (int64_t)p.unknown,
		.blind = w.blind, .agent_health = l->agent.word };
	for (int s = 0; s < SEVERITY_COUNT; s++)
		row.of_severity[s] =
			(int64_t)of_severity(l, (enum severity)s);
	for (int watch = 0; watch < WATCH_COUNT; watch++)
		row.of_watch[watch] = w.of[watch];
	answer_table(q->a, q->shape);
	cells_members(q, &row);
}

const struct answer_shape shape_overview = {
	"overview", .single = true, .rows = rows_overview, .columns = {
	{ "words", "health", CELL_TEXT, AT(overview, words) },
	{ "links", "links", CELL_TEXT, AT(overview, links) },
	{ "watched", "watched", CELL_TEXT, AT(overview, watched) },
	{ "agent", "agent", CELL_TEXT, AT(overview, agent) },
	{ "health", "", CELL_TEXT, AT(overview, health) },
	{ "because", "", CELL_TEXT, AT(overview, because) },
	{ "since", "", CELL_WALL_NS, AT(overview, since_ns) },
	{ "ports", "", CELL_INTEGER, AT(overview, ports) },
	{ "ports_up", "", CELL_INTEGER, AT(overview, up) },
	{ "ports_down", "", CELL_INTEGER, AT(overview, down) },
	{ "ports_shut", "", CELL_INTEGER, AT(overview, shut) },
	{ "ports_unknown", "", CELL_INTEGER, AT(overview, unknown) },
	{ "critical", "", CELL_INTEGER,
	  AT(overview, of_severity[SEVERITY_CRITICAL]) },
	{ "warn", "", CELL_INTEGER, AT(overview, of_severity[SEVERITY_WARN]) },
	{ "watch", "", CELL_INTEGER,
	  AT(overview, of_severity[SEVERITY_WATCH]) },
	{ "armed", "", CELL_INTEGER, AT(overview, of_watch[WATCH_ARMED]) },
	{ "limited", "", CELL_INTEGER, AT(overview, of_watch[WATCH_LIMITED]) },
	{ "blind", "", CELL_INTEGER, AT(overview, of_watch[WATCH_BLIND]) },
	{ "blind_signatures", "", CELL_TEXT, AT(overview, blind) },
	{ "agent_health", "", CELL_TEXT, AT(overview, agent_health) },
	{ .key = NULL },
} };

struct wrong_row {
	const char *severity, *port, *words, *id, *signature, *cause, *action,
		   *drain;
	int64_t for_ns, since_ns;
};

static void wrong_row(struct query *q, const struct finding *f)
{
	/* Below 0: the clock was set back since. */
	int64_t for_ns = q->now.wall.ns - f->onset_wall.ns;
	char words[SENTENCE_MAX];

	(void)snprintf(words, sizeof(words), "%s -> %s", f->cause,
		       action_words(f, f->action));
	cells_members(q, &(struct wrong_row){
		.severity = severity_name(f->severity), .port = f->subject,
		.for_ns = member_known(for_ns >= 0, for_ns), .words = words,
		.id = f->id, .signature = signature_name(f->signature),
		.since_ns = f->onset_wall.ns, .cause = f->cause,
		.action = action_name(f->action),
		.drain = drain_name(f->drain) });
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
	{ "severity", "WRONG", CELL_TEXT, AT(wrong, severity) },
	{ "port", "PORT", CELL_TEXT, AT(wrong, port) },
	{ "for", "FOR", CELL_AGE_NS, AT(wrong, for_ns) },
	{ "words", "WHY -> WHAT TO DO", CELL_TEXT, AT(wrong, words) },
	{ "id", "", CELL_TEXT, AT(wrong, id) },
	{ "signature", "", CELL_TEXT, AT(wrong, signature) },
	{ "since", "", CELL_WALL_NS, AT(wrong, since_ns), .right = true },
	{ "cause", "", CELL_TEXT, AT(wrong, cause) },
	{ "action", "", CELL_TEXT, AT(wrong, action) },
	{ "drain", "", CELL_TEXT, AT(wrong, drain) },
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

struct next_row {
	const char *next, *help;
};

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
	cells_members(q, &(struct next_row){ next, "petrel help" });
}

const struct answer_shape shape_next = {
	"next", .single = true, .rows = rows_next, .columns = {
	{ "next", "next", CELL_TEXT, AT(next, next) },
	{ "help", "all commands", CELL_TEXT, AT(next, help) },
	{ .key = NULL },
} };

int verbs_overview(struct query *q)
{
	struct overview l = { .q = q };

	l.count = query_findings(q->ctx, l.open);
	health_links(q->ctx, q->now.mono, &l.links);
	health_agent(q->ctx, q->now.mono, &l.agent);
	q->own = &l;
	return verb_tables(q);
}
