#include "agent/query/health.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/ring.h"
#include "agent/process/control.h"
#include "agent/query/answer.h"
#include "agent/query/cages.h"
#include "agent/query/cells.h"
#include "agent/query/cost.h"
#include "agent/query/fresh.h"
#include "agent/query/shapes.h"
#include "agent/query/verbs.h"
#include "agent/query/watched.h"
#include "agent/signature/engine.h"
#include "agent/state/state.h"

#define BEAT_OVERDUE_NS (5 * NS_PER_S)
#define UNDELIVERED_NS (60 * NS_PER_S)
#define PPM_OF_NS_PER_S 1000	/* ns of CPU a second to ppm of a core */

__attribute__((format(printf, 4, 5)))
static void say(struct health *ret, const char *word, int code,
		const char *format, ...)
{
	va_list args;

	ret->word = word;
	ret->code = code;
	va_start(args, format);
	(void)vsnprintf(ret->because, sizeof(ret->because), format, args);
	va_end(args);
}

static void say_no_source(const struct query_context *ctx,
			  const struct sources_count *n, struct health *ret)
{
	const char *reason = ctx->drivers_reason;

	if (reason && reason[0])
		say(ret, "unknown", EXIT_AGENT_DOWN, "%s", reason);
	else if (n->first_stale && n->first_stale->reason[0])
		say(ret, "unknown", EXIT_AGENT_DOWN, "no source has delivered "
		    "yet; %zu of %zu: %s", n->same, n->enabled,
		    n->first_stale->reason);
	else
		say(ret, "unknown", EXIT_AGENT_DOWN,
		    "no source has delivered yet");
}

/* One reason is told once, not by each source in turn. */
static void say_stale(const struct sources_count *n, struct mono now,
		      struct health *ret)
{
	const struct state_source *s = n->first_stale;

	if (n->same > 1)
		say(ret, "degraded", EXIT_HEALTH_WARN, "%zu of %zu sources: "
		    "%s", n->same, n->enabled, s->reason);
	else
		say(ret, "degraded", EXIT_HEALTH_WARN, "%s: %s", s->name,
		    s->reason[0] ? s->reason : source_words(s, now));
}

/* With the worst of what is open. */
static void say_findings(const struct query_context *ctx, struct health *ret)
{
	static const struct {
		const char *word;
		int code;
	} words[SEVERITY_COUNT] = {
		[0] = { "fine", EXIT_ANSWERED },
		[SEVERITY_WATCH] = { "fine", EXIT_ANSWERED },
		[SEVERITY_WARN] = { "warn", EXIT_HEALTH_WARN },
		[SEVERITY_CRITICAL] = { "critical", EXIT_HEALTH_CRITICAL },
	};
	const struct finding *open[CONTEXT_FINDINGS_MAX];
	size_t count = context_findings(ctx, open);
	unsigned worst = count ? open[0]->severity : 0;

	if (count == 0)
		say(ret, words[0].word, words[0].code, "%s", "");
	else
		say(ret, words[worst].word, words[worst].code,
		    "%zu open finding%s; %s: %s", count,
		    count == 1 ? "" : "s", open[0]->subject, open[0]->cause);
}

/* Modules stand on their own; whether a link is well only ports tell. */
static void say_no_port(const struct query_context *ctx, struct health *ret)
{
	size_t n = cages_count(ctx);

	if (n == 0)
		say(ret, "unknown", EXIT_AGENT_DOWN, "no port is known yet");
	else
		say(ret, "unknown", EXIT_AGENT_DOWN, "%zu module%s read, but "
		    "no port is known: [Module] map would tell which is in "
		    "which cage", n, n == 1 ? " is" : "s are");
}

/* --- ports ---------------------------------------------------------------- */

/* True when its state is not of now. */
static bool port_age_count(const struct query_context *ctx, uint32_t port,
			   struct mono now, struct health_ports *ret)
{
	struct state_value oper;
	int64_t age_ns;

	if (!state_value(ctx->state, port, Q_OPER_STATUS, 0, &oper) ||
	    oper.quality != QUALITY_STALE)
		return false;
	age_ns = mono_diff_ns(now, oper.age.taken);
	ret->old++;
	ret->old_ns = age_ns > ret->old_ns ? age_ns : ret->old_ns;
	return true;
}

/* Of a port that is down: an empty cage that is enabled wants no link. */
static bool link_is_wanted(const struct query_context *ctx, uint32_t port)
{
	struct state_value present;
	struct engine_view view;

	if (state_value(ctx->state, port, Q_MODULE_PRESENT, 0, &present) ?
	    present.value : state_port_module(ctx->state, port) != ENTITY_NONE)
		return true;
	context_view(ctx, port, &view);
	return view.has_turned;
}

void health_ports(const struct query_context *ctx, struct mono now,
		  struct health_ports *ret)
{
	*ret = (struct health_ports){ .all = state_port_count(ctx->state) };
	for (size_t i = 0; i < ret->all; i++) {
		uint32_t port = state_port(ctx->state, i);
		const char *mark = cells_link_mark(ctx, port);
		bool is_up = mark && strcmp(mark, "up") == 0;
		bool is_down = mark && strcmp(mark, "dn") == 0;
		bool is_missed = is_down && link_is_wanted(ctx, port);

		ret->watched += !port_age_count(ctx, port, now, ret) && mark;
		ret->up += is_up;
		ret->down += is_down;
		ret->shut += mark && strcmp(mark, "ad") == 0;
		ret->unknown += mark == NULL;
		ret->wanted += is_up || is_missed;
		ret->wanted_down += is_missed;
	}
}

/* A fault that all have is no port's own: no finding may tell of it. */
static void say_down(const struct health_ports *p, struct health *ret)
{
	char findings[sizeof(ret->because)];
	bool is_worse = ret->code > EXIT_HEALTH_WARN;

	if (2 * p->wanted_down <= p->wanted)
		return;
	(void)snprintf(findings, sizeof(findings), "%s", ret->because);
	say(ret, is_worse ? ret->word : "warn",
	    is_worse ? ret->code : EXIT_HEALTH_WARN,
	    "%zu of %zu enabled port%s down%s%.200s", p->wanted_down,
	    p->wanted, p->wanted == 1 ? " is" : "s are",
	    findings[0] ? "; " : "", findings);
}

void health_links(const struct query_context *ctx, struct mono now,
		  struct health *ret)
{
	struct sources_count n = sources_count(ctx->state, now);
	struct health_ports ports;

	health_ports(ctx, now, &ports);
	if (!ctx->control)
		say(ret, "unknown", EXIT_AGENT_DOWN, "the agent is down");
	else if (!n.delivered)
		say_no_source(ctx, &n, ret);
	else if (n.fresh + n.limited == 0)
		say(ret, "unknown", EXIT_AGENT_DOWN,
		    "no source delivers any more");
	else if (ports.all == 0)
		say_no_port(ctx, ret);
	else if (ports.unknown == ports.all)	/* fresh, of other things */
		say(ret, "unknown", EXIT_AGENT_DOWN, "no port was read: "
		    "whether one is up is not known");
	else
		say_findings(ctx, ret);
	if (ret->code != EXIT_AGENT_DOWN)
		say_down(&ports, ret);
}

/* A process that just began has not yet beaten: its start counts. */
const char *health_process(const struct query_context *ctx, struct mono now,
			   unsigned role)
{
	const struct control_process *p = &ctx->control->process[role];
	int64_t beat_ns = p->heartbeat_ns;

	if (p->pid == 0)
		return "not running";
	if (now.ns - (beat_ns > p->started_ns ? beat_ns : p->started_ns) >
	    BEAT_OVERDUE_NS)
		return "hangs";
	return "running";
}

int64_t health_cpu_ppm(const struct query_context *ctx, struct mono now,
		       unsigned role)
{
	const struct control_process *p = &ctx->control->process[role];
	int64_t age_ns = now.ns - p->started_ns;
	double ns_per_s;

	if (p->pid == 0 || age_ns <= 0)
		return -1;
	if (ctx->cost && cost_per_s(&ctx->cost->cpu[role], &ns_per_s))
		return llround(ns_per_s / PPM_OF_NS_PER_S);
	return llround((double)p->cpu_ns / (double)age_ns * 1e6);
}

/* Says which process is not well; false when all are. */
static bool process_is_sick(const struct query_context *ctx, struct mono now,
			    struct health *ret)
{
	for (unsigned role = 0; role < ROLE_COUNT; role++) {
		const char *state = health_process(ctx, now, role);

		if (strcmp(state, "running") == 0)
			continue;
		say(ret, "degraded", EXIT_HEALTH_WARN, "%s: %s",
		    role_name((enum role)role), state);
		return true;
	}
	return false;
}

static bool anything_is_owed(const struct query_context *ctx)
{
	for (unsigned s = 0; ctx->rings && s < STREAM_COUNT; s++)
		if (ring_acked(ctx->rings->ring[s], 0) + 1 <
		    ring_next(ctx->rings->ring[s]))
			return true;
	return false;
}

/* C18: records wait for a collector, and none was taken for a minute. */
static bool nothing_is_delivered(const struct query_context *ctx,
				 struct mono now, struct health *ret)
{
	const struct control *c = ctx->control;
	int64_t since_ns = c->push.progress_ns;
	char reason[sizeof(c->push.reason)];
	struct config config;

	if (since_ns == 0)
		since_ns = c->process[ROLE_SUPERVISOR].started_ns;
	if (now.ns - since_ns < UNDELIVERED_NS || !anything_is_owed(ctx))
		return false;
	(void)control_config(c, &config);
	if (!config.collector[0][0])
		return false;
	control_push_reason(c, reason, sizeof(reason));
	say(ret, "degraded", EXIT_HEALTH_WARN, "nothing was delivered to %s "
	    "for %lld s: %s", config.collector[0],
	    (long long)((now.ns - since_ns) / NS_PER_S),
	    reason[0] ? reason : "it acknowledges nothing");
	return true;
}

void health_agent(const struct query_context *ctx, struct mono now,
		  struct health *ret)
{
	struct sources_count n = sources_count(ctx->state, now);
	struct state_limits most;
	uint64_t left_out = state_left_out(ctx->state, &most);
	const struct query_budget *budget = ctx->budget;

	if (!ctx->control)
		say(ret, "unknown", EXIT_AGENT_DOWN, "the agent is down");
	else if (!n.delivered)
		say_no_source(ctx, &n, ret);
	else if (n.fresh + n.limited == 0)
		say(ret, "broken", EXIT_HEALTH_CRITICAL,
		    "no source delivers any more");
	else if (process_is_sick(ctx, now, ret) ||
		 nothing_is_delivered(ctx, now, ret))
		return;
	else if (left_out)
		say(ret, "degraded", EXIT_HEALTH_WARN, "%llu readings had no "
		    "room: see petrel status", (unsigned long long)left_out);
	else if (budget && budget->is_lost)
		say(ret, "degraded", EXIT_HEALTH_WARN, "not enough: %s",
		    budget->text);
	else if (n.first_stale)
		say_stale(&n, now, ret);
	else
		say(ret, "fine", EXIT_ANSWERED, "%s",
		    budget ? budget->text : "");
}

/* --- petrel health ------------------------------------------------------- */

static const struct answer_column health_columns[] = {
	{ "of", "", CELL_TEXT, false, true },
	{ "health", "", CELL_TEXT, false, true },
	{ "because", "", CELL_TEXT, false, true },
	{ "words", "health", CELL_TEXT, false, false },
	{ "ports", "", CELL_INTEGER, true, true },
	{ "ports_watched", "", CELL_INTEGER, true, true },
	{ "ports_wanted", "", CELL_INTEGER, true, true },
	{ "ports_wanted_down", "", CELL_INTEGER, true, true },
	{ "signatures", "", CELL_INTEGER, true, true },
	{ "signatures_armed", "", CELL_INTEGER, true, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_health = { "health", health_columns, true };

/* One line for people, how much of the switch it is of first; the same in parts
 * for programs.
 */
static void health_row(const struct query_context *ctx, struct answer *a,
		       const char *of, const struct health *h, struct mono now)
{
	char words[sizeof(h->because) + 160], scope[96] = "";
	struct watched_count signatures = { 0 };
	struct health_ports p;

	health_ports(ctx, now, &p);
	if (ctx->engine)
		watched_count(ctx, &signatures);
	else
		p.watched = 0;
	if (strcmp(of, "links") == 0 && p.all)
		(void)snprintf(scope, sizeof(scope), " (%zu of %zu ports "
			       "watched, %u of %d signatures armed)", p.watched,
			       p.all, signatures.of[WATCH_ARMED],
			       SIGNATURE_COUNT - 1);
	(void)snprintf(words, sizeof(words), "%s%s%s%s", h->word, scope,
		       h->because[0] ? ": " : "", h->because);
	answer_row(a);
	answer_text(a, of);
	answer_text(a, h->word);
	answer_text(a, h->because[0] ? h->because : NULL);
	answer_text(a, words);
	answer_integer(a, (int64_t)p.all);
	answer_integer(a, (int64_t)p.watched);
	answer_integer(a, (int64_t)p.wanted);
	answer_integer(a, (int64_t)p.wanted_down);
	answer_integer(a, SIGNATURE_COUNT - 1);
	answer_integer(a, signatures.of[WATCH_ARMED]);
}

struct health_of {
	const char *name;
	void (*judge)(const struct query_context *ctx, struct mono now,
		      struct health *ret);
};

int verbs_health(void *context, struct query_client *client,
		 const Petrel__Request *request, struct answer *a)
{
	static const struct health_of kinds[] = { { "links", health_links },
						  { "agent", health_agent } };
	const struct query_context *ctx = context;
	struct mono now = context_begin(ctx, a).mono;
	const char *of = request->n_args ? request->args[0] : "links";
	struct health health;

	(void)client;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(of, kinds[i].name) != 0)
			continue;
		kinds[i].judge(ctx, now, &health);
		answer_shaped(a, &shape_health);
		health_row(ctx, a, of, &health, now);
		return health.code;
	}
	return answer_error(a, EXIT_USAGE, "health is of links or agent, not "
			    "'%s'", of);
}
