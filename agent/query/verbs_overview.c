/* One screen: is this switch well, what is wrong, since when, what to do; what
 * nobody watches; how the agent is; and what to type next.
 */
#include "agent/query/verbs.h"

#include <stdio.h>
#include <string.h>

#include "agent/process/control.h"
#include "agent/query/health.h"
#include "agent/query/coverage.h"
#include "agent/state/state.h"

#define FINDINGS_SHOWN 4	/* of which a screen of 24 lines has room */
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
	size_t len = (size_t)snprintf(ret, cap, "%s: %s", l->links.word,
				      l->q->ctx->switch_name);
	const char *join = " has ";

	if (!is_known || l->count == 0)
		(void)snprintf(ret + len, cap - len, "%s%s",
			       l->links.because[0] ? ", " : "",
			       l->links.because);
	for (int s = SEVERITY_COUNT - 1; is_known && s > 0; s--) {
		size_t n = of_severity(l, (enum severity)s);

		if (n == 0)
			continue;
		len += (size_t)snprintf(ret + len, cap - len, "%s%zu %s", join,
					n, severity_name((enum severity)s));
		join = ", ";
	}
}

/* "63 of 64 up, 1 down": states that no port is in are not named. */
static void links_sentence(const struct health_ports *p, char *ret, size_t cap)
{
	const struct {
		size_t n;
		const char *words;
	} rest[] = { { p->down, "down" }, { p->shut, "shut by configuration" },
		     { p->unknown, "not read" } };
	size_t len = (size_t)snprintf(ret, cap, "%zu of %zu up", p->up, p->all);

	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
		if (rest[i].n)
			len += (size_t)snprintf(ret + len, cap - len,
						", %zu %s", rest[i].n,
						rest[i].words);
	if (p->old == p->all && p->old)
		(void)snprintf(ret + len, cap - len, ", %lld s ago",
			       (long long)(p->old_ns / NS_PER_S));
	else if (p->old)
		(void)snprintf(ret + len, cap - len, "; %zu not read for %lld "
			       "s", p->old, (long long)(p->old_ns / NS_PER_S));
}

/* Silence is no health: what nobody can see stands in the first lines. */
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

/* What travels in the clear is said where it is seen first (C11). */
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

/* Since when it has been as bad as it is; nothing where it is well. */
static void since_cell(const struct overview *l)
{
	int64_t oldest_ns = INT64_MAX;

	for (size_t i = 0; i < l->count; i++)
		if (l->open[i]->severity == l->open[0]->severity &&
		    l->open[i]->onset_wall.ns < oldest_ns)
			oldest_ns = l->open[i]->onset_wall.ns;
	answer_known(l->q->a, l->count, oldest_ns);
}

/* The numbers behind the sentences. */
static void overview_json(const struct overview *l,
			  const struct health_ports *p,
			  const struct watched_count *w)
{
	const size_t counts[] = { p->all, p->up, p->down, p->shut, p->unknown };

	answer_text(l->q->a, l->links.word);
	answer_text_if(l->q->a, l->links.because);
	since_cell(l);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		answer_integer(l->q->a, (int64_t)counts[i]);
	for (int s = SEVERITY_COUNT - 1; s > 0; s--)
		answer_integer(l->q->a, (int64_t)of_severity(l, s));
	for (int watch = WATCH_ARMED; watch <= WATCH_BLIND; watch++)
		answer_integer(l->q->a, w->of[watch]);
	answer_text(l->q->a, w->blind);
	answer_text(l->q->a, l->agent.word);
}

static void rows_overview(struct query *q)
{
	const struct overview *l = q->own;
	char text[SENTENCE_MAX];
	struct watched_count watched;
	struct health_ports ports;

	health_ports(q->ctx, q->now.mono, &ports);
	watched_count(q->ctx, &watched);
	answer_table(q->a, q->shape);
	answer_row(q->a);
	switch_sentence(l, text, sizeof(text));
	answer_text(q->a, text);
	links_sentence(&ports, text, sizeof(text));
	answer_text(q->a, text);
	watched_sentence(l, &watched, text, sizeof(text));
	answer_text(q->a, text);
	agent_sentence(l, text, sizeof(text));
	answer_text(q->a, text);
	overview_json(l, &ports, &watched);
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

static void wrong_row(const struct overview *l, const struct finding *f,
		      bool shown)
{
	char words[SENTENCE_MAX];

	answer_row(l->q->a);
	if (!shown)
		answer_row_json_only(l->q->a);
	(void)snprintf(words, sizeof(words), "%s -> %s", f->cause,
		       action_words(f, f->action));
	answer_text(l->q->a, severity_name(f->severity));
	answer_text(l->q->a, f->subject);
	answer_integer(l->q->a, l->q->now.wall.ns - f->onset_wall.ns);
	answer_text(l->q->a, words);
	answer_text(l->q->a, f->id);
	answer_text(l->q->a, signature_name(f->signature));
	answer_integer(l->q->a, f->onset_wall.ns);
	answer_text(l->q->a, f->cause);
	answer_text(l->q->a, action_name(f->action));
	answer_text(l->q->a, drain_name(f->drain));
}

static void rows_wrong(struct query *q)
{
	const struct overview *l = q->own;

	answer_table(q->a, q->shape);
	for (size_t i = 0; i < l->count; i++)
		wrong_row(l, l->open[i], i < FINDINGS_SHOWN);
	if (l->count > FINDINGS_SHOWN)
		answer_note(q->a, "and %zu more: petrel findings",
			    l->count - FINDINGS_SHOWN);
	else if (l->count == 0)
		answer_note(q->a, "%s", l->links.code == EXIT_ANSWERED ?
			    "no findings on what is watched" :
			    "no data on the links yet");
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

/* A beginning of the worst finding's id that no other has. */
static int id_length(const struct overview *l)
{
	size_t len = ID_SHOWN_MIN;

	for (size_t i = 1; i < l->count; i++)
		while (len < FINDING_ID_LEN &&
		       strncmp(l->open[0]->id, l->open[i]->id, len) == 0)
			len++;
	return (int)len;
}

/* What to type next: the worst first, then the agent, then the margins. */
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
	health_links(q->ctx, q->now.mono, &l.links);
	health_agent(q->ctx, q->now.mono, &l.agent);
	q->own = &l;
	return verb_tables(q);
}
