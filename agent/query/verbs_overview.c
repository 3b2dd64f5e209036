/* One screen: is this switch well, what is wrong, since when, what to do; what
 * nobody watches; how the agent is; and what to type next.
 */
#include "agent/query/verbs.h"

#include <stdio.h>
#include <string.h>

#include "agent/process/control.h"
#include "agent/query/answer.h"
#include "agent/query/cells.h"
#include "agent/query/fresh.h"
#include "agent/query/health.h"
#include "agent/query/shapes.h"
#include "agent/query/watched.h"
#include "agent/state/state.h"

#define FINDINGS_SHOWN 4	/* of which a screen of 24 lines has room */
#define ID_SHOWN_MIN 4
#define SENTENCE_MAX 480

/* One answer under way. */
struct look {
	const struct query_context *ctx;
	struct answer *a;
	struct clock_reading now;
	struct health links, agent;
	const struct finding *open[CONTEXT_FINDINGS_MAX];
	size_t count;
};

static const struct answer_column overview_columns[] = {
	{ "words", "health", CELL_TEXT, false, false },
	{ "links", "links", CELL_TEXT, false, false },
	{ "watched", "watched", CELL_TEXT, false, false },
	{ "agent", "agent", CELL_TEXT, false, false },
	{ "health", "", CELL_TEXT, false, true },
	{ "because", "", CELL_TEXT, false, true },
	{ "since", "", CELL_WALL_NS, true, true },
	{ "ports", "", CELL_INTEGER, true, true },
	{ "ports_up", "", CELL_INTEGER, true, true },
	{ "ports_down", "", CELL_INTEGER, true, true },
	{ "ports_shut", "", CELL_INTEGER, true, true },
	{ "ports_unknown", "", CELL_INTEGER, true, true },
	{ "critical", "", CELL_INTEGER, true, true },
	{ "warn", "", CELL_INTEGER, true, true },
	{ "watch", "", CELL_INTEGER, true, true },
	{ "armed", "", CELL_INTEGER, true, true },
	{ "limited", "", CELL_INTEGER, true, true },
	{ "blind", "", CELL_INTEGER, true, true },
	{ "blind_signatures", "", CELL_TEXT, false, true },
	{ "agent_health", "", CELL_TEXT, false, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_overview = {
	"overview", overview_columns, true
};

/* --- sentences ----------------------------------------------------------- */

static size_t of_severity(const struct look *l, enum severity severity)
{
	size_t n = 0;

	for (size_t i = 0; i < l->count; i++)
		n += l->open[i]->severity == severity;
	return n;
}

/* "critical: leaf1 has 1 critical, 2 warn"; "unknown: leaf1, …". */
static void switch_sentence(const struct look *l, char *ret, size_t cap)
{
	bool is_known = l->links.code != EXIT_AGENT_DOWN;
	size_t len = (size_t)snprintf(ret, cap, "%s: %s", l->links.word,
				      l->ctx->switch_name);
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
static void watched_sentence(const struct look *l,
			     const struct watched_count *w, char *ret,
			     size_t cap)
{
	if (!l->ctx->engine)
		(void)snprintf(ret, cap, "nothing, while the agent is down");
	else
		(void)snprintf(ret, cap, "%u of %d signatures armed, %u "
			       "limited, %u blind: see petrel coverage",
			       w->of[WATCH_ARMED], SIGNATURE_COUNT - 1,
			       w->of[WATCH_LIMITED], w->of[WATCH_BLIND]);
}

/* All processes together. */
static void cost_words(const struct look *l, char *ret, size_t cap)
{
	double memory = 0, cpu = 0;

	for (unsigned role = 0; role < ROLE_COUNT; role++) {
		int64_t ppm = health_cpu_ppm(l->ctx, l->now.mono, role);

		cpu += ppm > 0 ? (double)ppm : 0;
		memory += (double)l->ctx->control->process[role].memory_octets;
	}
	(void)snprintf(ret, cap, "%.1f %% of a core, %.0f MiB", cpu / 1e4,
		       memory / (1 << 20));
}

/* What travels in the clear is said where it is seen first (C11). */
static const char *push_words(const struct look *l)
{
	struct config config;
	bool connected = l->ctx->control->push.connected;

	(void)control_config(l->ctx->control, &config);
	if (!config.collector[0][0])
		return "no collector";
	if (config.collector_key[0][0])
		return connected ? "collector connected" :
				   "collector not connected";
	return connected ? "collector connected, not sealed" :
			   "collector not connected, not sealed";
}

static void agent_sentence(const struct look *l, char *ret, size_t cap)
{
	struct sources_count n = sources_count(l->ctx->state, l->now.mono);
	char cost[64];

	if (!l->ctx->control) {
		(void)snprintf(ret, cap, "down");
		return;
	}
	cost_words(l, cost, sizeof(cost));
	(void)snprintf(ret, cap, "%s%s%s; %zu of %zu sources fresh, %s, %s",
		       l->agent.word, l->agent.because[0] ? ": " : "",
		       l->agent.because, n.fresh, n.enabled, cost,
		       push_words(l));
}

/* --- tables -------------------------------------------------------------- */

/* Since when it has been as bad as it is; nothing where it is well. */
static void since_cell(const struct look *l)
{
	int64_t oldest_ns = INT64_MAX;

	for (size_t i = 0; i < l->count; i++)
		if (l->open[i]->severity == l->open[0]->severity &&
		    l->open[i]->onset_wall.ns < oldest_ns)
			oldest_ns = l->open[i]->onset_wall.ns;
	if (l->count)
		answer_integer(l->a, oldest_ns);
	else
		answer_absent(l->a);
}

/* The numbers behind the sentences. */
static void overview_json(const struct look *l, const struct health_ports *p,
			  const struct watched_count *w)
{
	const size_t counts[] = { p->all, p->up, p->down, p->shut, p->unknown };

	answer_text(l->a, l->links.word);
	answer_text(l->a, l->links.because[0] ? l->links.because : NULL);
	since_cell(l);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		answer_integer(l->a, (int64_t)counts[i]);
	for (int s = SEVERITY_COUNT - 1; s > 0; s--)
		answer_integer(l->a, (int64_t)of_severity(l, s));
	for (int watch = WATCH_ARMED; watch <= WATCH_BLIND; watch++)
		answer_integer(l->a, w->of[watch]);
	answer_text(l->a, w->blind);
	answer_text(l->a, l->agent.word);
}

static void overview_table(const struct look *l)
{
	char text[SENTENCE_MAX];
	struct watched_count watched;
	struct health_ports ports;

	health_ports(l->ctx, l->now.mono, &ports);
	watched_count(l->ctx, &watched);
	answer_shaped(l->a, &shape_overview);
	answer_row(l->a);
	switch_sentence(l, text, sizeof(text));
	answer_text(l->a, text);
	links_sentence(&ports, text, sizeof(text));
	answer_text(l->a, text);
	watched_sentence(l, &watched, text, sizeof(text));
	answer_text(l->a, text);
	agent_sentence(l, text, sizeof(text));
	answer_text(l->a, text);
	overview_json(l, &ports, &watched);
}

static const struct answer_column wrong_columns[] = {
	{ "severity", "WRONG", CELL_TEXT, false, false },
	{ "port", "PORT", CELL_TEXT, false, false },
	{ "for", "FOR", CELL_AGE_NS, true, false },
	{ "words", "WHY -> WHAT TO DO", CELL_TEXT, false, false },
	{ "id", "", CELL_TEXT, false, true },
	{ "signature", "", CELL_TEXT, false, true },
	{ "since", "", CELL_WALL_NS, true, true },
	{ "cause", "", CELL_TEXT, false, true },
	{ "action", "", CELL_TEXT, false, true },
	{ "drain", "", CELL_TEXT, false, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_wrong = { "wrong", wrong_columns, false };

static void wrong_row(const struct look *l, const struct finding *f, bool shown)
{
	char words[SENTENCE_MAX];

	answer_row(l->a);
	if (!shown)
		answer_row_json_only(l->a);
	(void)snprintf(words, sizeof(words), "%s -> %s", f->cause,
		       action_words(f, f->action));
	answer_text(l->a, severity_name(f->severity));
	answer_text(l->a, f->subject);
	answer_integer(l->a, l->now.wall.ns - f->onset_wall.ns);
	answer_text(l->a, words);
	answer_text(l->a, f->id);
	answer_text(l->a, signature_name(f->signature));
	answer_integer(l->a, f->onset_wall.ns);
	answer_text(l->a, f->cause);
	answer_text(l->a, action_name(f->action));
	answer_text(l->a, drain_name(f->drain));
}

static void wrong_table(const struct look *l)
{
	answer_shaped(l->a, &shape_wrong);
	for (size_t i = 0; i < l->count; i++)
		wrong_row(l, l->open[i], i < FINDINGS_SHOWN);
	if (l->count > FINDINGS_SHOWN)
		answer_note(l->a, "and %zu more: petrel findings",
			    l->count - FINDINGS_SHOWN);
	else if (l->count == 0)
		answer_note(l->a, "%s", l->links.code == EXIT_ANSWERED ?
			    "nothing is wrong that is watched" :
			    "nothing is known of the links");
}

/* A beginning of the worst finding's id that no other has. */
static int id_length(const struct look *l)
{
	size_t len = ID_SHOWN_MIN;

	for (size_t i = 1; i < l->count; i++)
		while (len < FINDING_ID_LEN &&
		       strncmp(l->open[0]->id, l->open[i]->id, len) == 0)
			len++;
	return (int)len;
}

static const struct answer_column next_columns[] = {
	{ "next", "next", CELL_TEXT, false, false },
	{ "help", "all commands", CELL_TEXT, false, false },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_next = { "next", next_columns, true };

/* What to type next: the worst first, then the agent, then the margins. */
static void next_table(const struct look *l)
{
	char next[64] = "petrel ports --sort margin --top 10";

	if (l->count)
		(void)snprintf(next, sizeof(next), "petrel findings %.*s",
			       id_length(l), l->open[0]->id);
	else if (l->links.code != EXIT_ANSWERED ||
		 l->agent.code != EXIT_ANSWERED)
		(void)snprintf(next, sizeof(next), "petrel status");
	answer_shaped(l->a, &shape_next);
	answer_row(l->a);
	answer_text(l->a, next);
	answer_text(l->a, "petrel help");
}

int verbs_overview(void *context, struct query_client *client,
		   const Petrel__Request *request, struct answer *a)
{
	struct look l = { .ctx = context, .a = a };

	(void)client;
	(void)request;
	l.now = context_begin(l.ctx, a);
	l.count = context_findings(l.ctx, l.open);
	health_links(l.ctx, l.now.mono, &l.links);
	health_agent(l.ctx, l.now.mono, &l.agent);
	overview_table(&l);
	wrong_table(&l);
	next_table(&l);
	return EXIT_ANSWERED;
}
