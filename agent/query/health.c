#include "agent/query/health.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/ring.h"
#include "agent/process/control.h"
#include "agent/query/verbs.h"
#include "agent/query/coverage.h"
#include "agent/signature/engine.h"
#include "agent/state/state.h"

#define BEAT_OVERDUE_NS (5 * NS_PER_S)
#define UNDELIVERED_NS (60 * NS_PER_S)
#define PPM_OF_NS_PER_S 1000	/* ns of CPU per second to ppm of a core */

#define MARK_NS (NS_PER_S / 20 * 19)	/* a second, or a little less */

/* --- sources ------------------------------------------------------------- */

/* A pending read does not make a source stale by itself. */
bool source_is_fresh(const struct state_source *s, struct mono now)
{
	if ((s->state != SOURCE_FRESH && s->state != SOURCE_WAITING) ||
	    s->last_fresh.ns == 0)
		return false;
	return s->period_ns == 0 ||
	       mono_diff_ns(now, s->last_fresh) <= state_overdue_ns(s);
}

/* The length of a reason without "(for 7 s)" at its end. */
static size_t reason_len(const char *reason)
{
	const char *since = strstr(reason, " (for ");

	return since ? (size_t)(since - reason) : strlen(reason);
}

bool source_reason_is_same(const struct state_source *a,
			   const struct state_source *b)
{
	size_t len = reason_len(a->reason);

	return len > 0 && len == reason_len(b->reason) &&
	       memcmp(a->reason, b->reason, len) == 0;
}

struct sources_count sources_count(const struct query *q)
{
	struct sources_count n = { .enabled = 0 };
	const struct state_source *source;
	size_t count = state_sources(q->ctx->state, &source);

	for (size_t i = 0; i < count; i++) {
		if (source[i].own)	/* of Petrel itself: proves nothing */
			continue;
		n.delivered |= source[i].last_fresh.ns != 0;
		if (source[i].state == SOURCE_UNSUPPORTED)
			continue;
		n.enabled++;
		if (source_is_fresh(&source[i], q->now.mono)) {
			n.fresh++;
			continue;
		}
		n.limited += source[i].state == SOURCE_LIMITED;
		if (!n.first_stale)
			n.first_stale = &source[i];
		n.same += source_reason_is_same(n.first_stale, &source[i]);
	}
	return n;
}

const char *source_words(const struct state_source *s, struct mono now)
{
	static const char *const words[SOURCE_STATE_COUNT] = {
		[SOURCE_IDLE] = "not asked yet",
		[SOURCE_FRESH] = "fresh",
		[SOURCE_WAITING] = "asked",
		[SOURCE_ABSENT] = "absent",
		[SOURCE_BROKEN] = "broken",
		[SOURCE_UNSUPPORTED] = "unsupported",
		[SOURCE_QUARANTINED] = "quarantined",
		[SOURCE_LIMITED] = "limited",
	};

	if (s->state == SOURCE_FRESH && !source_is_fresh(s, now))
		return "stale";
	return words[s->state];
}

/* --- cost ---------------------------------------------------------------- */

/* The place of the n-th mark. */
static unsigned place_of(unsigned n)
{
	return n % COST_MARKS;
}

static void counter_mark(struct cost_counter *c, struct mono at, int64_t value)
{
	unsigned newest = place_of(c->count - 1);

	if (c->count > 0 && mono_diff_ns(at, c->mark[newest].at) < MARK_NS)
		return;
	if (c->count > 0 && value < c->mark[newest].value)
		c->count = 0;	/* the process was restarted */
	c->mark[place_of(c->count)].at = at;
	c->mark[place_of(c->count)].value = value;
	c->count++;
}

/* CPU time is as of when the process reported it. */
static void cpu_mark(struct cost_counter *c, const struct control_process *p)
{
	int64_t at_ns = atomic_load(&p->heartbeat_ns);
	int64_t cpu_ns = atomic_load(&p->cpu_ns);

	if (at_ns > 0 && at_ns == atomic_load(&p->heartbeat_ns))
		counter_mark(c, (struct mono){ at_ns }, cpu_ns);
}

void cost_tick(struct cost *c, const struct control *control, uint64_t values,
	       struct mono now)
{
	for (unsigned role = 0; role < ROLE_COUNT; role++)
		cpu_mark(&c->cpu[role], &control->process[role]);
	counter_mark(&c->values, now, (int64_t)values);
}

bool cost_per_s(const struct cost_counter *c, double *ret_per_s)
{
	unsigned newest = c->count - 1, from = newest - 1;
	int64_t end_ns;

	if (c->count < 2)
		return false;
	end_ns = c->mark[place_of(newest)].at.ns;
	while (from > 0 && newest - from + 1 < COST_MARKS &&
	       end_ns - c->mark[place_of(from - 1)].at.ns <= COST_SPAN_NS)
		from--;
	*ret_per_s = (double)(c->mark[place_of(newest)].value -
			      c->mark[place_of(from)].value) * 1e9 /
		     (double)(end_ns - c->mark[place_of(from)].at.ns);
	return true;
}

/* --- links and agent ------------------------------------------------------ */

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

/* None of the sources is fresh: the first reason, and how many have it. */
static void say_none(const struct sources_count *n, struct health *ret,
		     const char *word, int code, const char *what)
{
	const struct state_source *s = n->first_stale;

	if (s && s->reason[0])
		say(ret, word, code, "%s; %zu of %zu: %s", what, n->same,
		    n->enabled, s->reason);
	else
		say(ret, word, code, "%s", what);
}

static void say_no_source(const struct query_context *ctx,
			  const struct sources_count *n, struct health *ret)
{
	const char *reason = ctx->drivers_reason;

	if (reason && reason[0])
		say(ret, "unknown", EXIT_AGENT_DOWN, "%s", reason);
	else
		say_none(n, ret, "unknown", EXIT_AGENT_DOWN,
			 "no source has delivered yet");
}

/* Says a shared reason once, not for each source. */
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

/* "2 open findings; Ethernet8: the cause of the worst"; "": none is open. */
static size_t findings_words(const struct query_context *ctx, char *ret,
			     size_t cap, unsigned *ret_worst)
{
	const struct finding *open[QUERY_FINDINGS_MAX];
	size_t count = query_findings(ctx, open);

	*ret_worst = count ? open[0]->severity : 0;
	ret[0] = '\0';
	if (count)
		(void)snprintf(ret, cap, "%zu open finding%s; %s: %s", count,
			       count == 1 ? "" : "s", open[0]->subject,
			       open[0]->cause);
	return count;
}

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
	unsigned worst;

	(void)findings_words(ctx, ret->because, sizeof(ret->because), &worst);
	ret->word = words[worst].word;
	ret->code = words[worst].code;
}

/* Modules alone don't show whether a link is well: only ports do. */
static void say_no_port(const struct query_context *ctx, struct health *ret)
{
	size_t n = cages_count(ctx);

	if (n == 0)
		say(ret, "unknown", EXIT_AGENT_DOWN, "no port is known yet");
	else
		say(ret, "unknown", EXIT_AGENT_DOWN, "%zu module%s read, but "
		    "no port is known: [Module] map can say which port is in "
		    "which cage", n, n == 1 ? " is" : "s are");
}

/* --- ports ---------------------------------------------------------------- */

/* Counts a port whose state is stale; true if it is. */
static bool port_age_count(const struct query *q, uint32_t port,
			   struct health_ports *ret)
{
	struct state_value oper;
	int64_t age_ns;

	if (!state_value(q->ctx->state, port, Q_OPER_STATUS, 0, &oper) ||
	    oper.quality != QUALITY_STALE)
		return false;
	age_ns = mono_diff_ns(q->now.mono, oper.age.taken);
	ret->old++;
	ret->old_ns = age_ns > ret->old_ns ? age_ns : ret->old_ns;
	return true;
}

/* For a port that is down: an enabled port without a module wants no link. */
static bool link_is_wanted(const struct query_context *ctx, uint32_t port)
{
	bool has_module = state_port_module(ctx->state, port) != ENTITY_NONE;
	struct engine_view view;

	if (query_value(ctx, port, Q_MODULE_PRESENT, has_module))
		return true;
	query_view(ctx, port, &view);
	return view.has_turned;
}

void health_ports(const struct query *q, struct health_ports *ret)
{
	const struct query_context *ctx = q->ctx;

	*ret = (struct health_ports){ .all = state_port_count(ctx->state) };
	for (size_t i = 0; i < ret->all; i++) {
		uint32_t port = state_port(ctx->state, i);
		const char *mark = query_link_mark(ctx, port);
		bool is_up = mark && strcmp(mark, "up") == 0;
		bool is_down = mark && strcmp(mark, "dn") == 0;
		bool is_missed = is_down && link_is_wanted(ctx, port);

		ret->watched += !port_age_count(q, port, ret) && mark;
		ret->up += is_up;
		ret->down += is_down;
		ret->shut += mark && strcmp(mark, "ad") == 0;
		ret->unknown += mark == NULL;
		ret->wanted += is_up || is_missed;
		ret->wanted_down += is_missed;
	}
}

/* A fault that all ports share is not one port's: there may be no finding. */
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

void health_links(const struct query *q, struct health *ret)
{
	const struct query_context *ctx = q->ctx;
	struct sources_count n = sources_count(q);
	struct health_ports ports;

	health_ports(q, &ports);
	if (!ctx->control)
		say(ret, "unknown", EXIT_AGENT_DOWN, "the agent is down");
	else if (!n.delivered)
		say_no_source(ctx, &n, ret);
	else if (n.fresh + n.limited == 0)
		say_none(&n, ret, "unknown", EXIT_AGENT_DOWN,
			 "no source delivers any more");
	else if (ports.all == 0)
		say_no_port(ctx, ret);
	else if (ports.unknown == ports.all)	/* other values are fresh */
		say(ret, "unknown", EXIT_AGENT_DOWN, "no port was read: the "
		    "state of links is not known");
	else if (ports.watched == 0)
		say(ret, "unknown", EXIT_AGENT_DOWN, "no port is read any "
		    "more: the state of links is %lld s old",
		    (long long)(ports.old_ns / NS_PER_S));
	else
		say_findings(ctx, ret);
	if (ret->code != EXIT_AGENT_DOWN)
		say_down(&ports, ret);
}

/* A new process has no heartbeat yet: its start counts. */
const char *health_process(const struct query *q, unsigned role)
{
	const struct control_process *p = &q->ctx->control->process[role];
	int64_t beat_ns = p->heartbeat_ns;

	if (p->pid == 0)
		return "not running";
	if (q->now.mono.ns - (beat_ns > p->started_ns ? beat_ns :
							p->started_ns) >
	    BEAT_OVERDUE_NS)
		return "hangs";
	return "running";
}

int64_t health_cpu_ppm(const struct query *q, unsigned role)
{
	const struct control_process *p = &q->ctx->control->process[role];
	const struct cost *cost = q->ctx->cost;
	int64_t age_ns = q->now.mono.ns - p->started_ns;
	double ns_per_s;

	if (p->pid == 0 || age_ns <= 0)
		return -1;
	if (cost && cost_per_s(&cost->cpu[role], &ns_per_s))
		return llround(ns_per_s / PPM_OF_NS_PER_S);
	return llround((double)p->cpu_ns / (double)age_ns * 1e6);
}

void health_cost(const struct query *q, int64_t *ret_cpu_ppm,
		 int64_t *ret_octets)
{
	*ret_cpu_ppm = *ret_octets = 0;
	for (unsigned role = 0; role < ROLE_COUNT; role++) {
		int64_t ppm = health_cpu_ppm(q, role);

		*ret_cpu_ppm += ppm > 0 ? ppm : 0;
		*ret_octets += q->ctx->control->process[role].memory_octets;
	}
}

/* Says which process is not well; false if all are. */
static bool process_is_sick(const struct query *q, struct health *ret)
{
	for (unsigned role = 0; role < ROLE_COUNT; role++) {
		const char *state = health_process(q, role);

		if (strcmp(state, "running") == 0 ||
		    q->ctx->control->process[role].is_off)
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

/* C18: records wait for a collector that has accepted none for a minute. */
static bool nothing_is_delivered(const struct query *q, struct health *ret)
{
	const struct control *c = q->ctx->control;
	int64_t since_ns = c->push.progress_ns, for_ns;
	char reason[DIAG_MAX];
	struct config config;

	if (since_ns == 0)
		since_ns = c->process[ROLE_SUPERVISOR].started_ns;
	for_ns = q->now.mono.ns - since_ns;
	if (for_ns < UNDELIVERED_NS || !anything_is_owed(q->ctx))
		return false;
	(void)control_config(c, &config);
	if (!config.collector[0][0])
		return false;
	(void)control_text_get(&c->push.reason, reason);
	say(ret, "degraded", EXIT_HEALTH_WARN, "nothing was delivered to %s "
	    "for %lld s: %s", config.collector[0],
	    (long long)(for_ns / NS_PER_S),
	    reason[0] ? reason : "the collector acknowledges nothing");
	return true;
}

void health_agent(const struct query *q, struct health *ret)
{
	const struct query_context *ctx = q->ctx;
	struct sources_count n = sources_count(q);
	struct state_limits most;
	uint64_t left_out = state_left_out(ctx->state, &most);
	const struct query_budget *budget = ctx->budget;

	if (!ctx->control)
		say(ret, "unknown", EXIT_AGENT_DOWN, "the agent is down");
	else if (!n.delivered)
		say_no_source(ctx, &n, ret);
	else if (n.fresh + n.limited == 0)
		say_none(&n, ret, "broken", EXIT_HEALTH_CRITICAL,
			 "no source delivers any more");
	else if (process_is_sick(q, ret) || nothing_is_delivered(q, ret))
		return;
	else if (left_out)
		say(ret, "degraded", EXIT_HEALTH_WARN, "no room for %llu "
		    "readings: see petrel status",
		    (unsigned long long)left_out);
	else if (budget && budget->is_lost)
		say(ret, "degraded", EXIT_HEALTH_WARN, "over budget: %s",
		    budget->text);
	else if (n.first_stale)
		say_stale(&n, q->now.mono, ret);
	else
		say(ret, "fine", EXIT_ANSWERED, "%s",
		    budget ? budget->text : "");
}

/* --- petrel health ------------------------------------------------------- */

const struct answer_shape shape_health = {
	"health", .single = true, .columns = {
	{ "of", "", CELL_TEXT },
	{ "health", "", CELL_TEXT },
	{ "because", "", CELL_TEXT },
	{ "words", "health", CELL_TEXT },
	{ "ports", "", CELL_INTEGER },
	{ "ports_watched", "", CELL_INTEGER },
	{ "ports_wanted", "", CELL_INTEGER },
	{ "ports_wanted_down", "", CELL_INTEGER },
	{ "signatures", "", CELL_INTEGER },
	{ "signatures_armed", "", CELL_INTEGER },
	{ "findings", "", CELL_INTEGER },
	{ "worst", "", CELL_TEXT },
	{ .key = NULL },
} };

/* One line for people, which begins with how much of the switch is watched; the
 * same in parts for programs. A finding stays open while its port is not read,
 * so unknown links may have findings.
 */
static void health_row(struct query *q, const char *of, const struct health *h)
{
	char words[2 * sizeof(h->because) + 160], scope[96] = "";
	char findings[sizeof(h->because)];
	struct watched_count signatures = { 0 };
	struct health_ports p;
	unsigned worst;
	size_t open = findings_words(q->ctx, findings, sizeof(findings),
				     &worst);
	bool is_of_links = strcmp(of, "links") == 0;
	bool adds = h->code == EXIT_AGENT_DOWN && open && is_of_links;

	health_ports(q, &p);
	if (q->ctx->engine)
		watched_count(q->ctx, &signatures);
	else
		p.watched = 0;
	if (is_of_links && p.all)
		(void)snprintf(scope, sizeof(scope), " (%zu of %zu ports "
			       "watched, %u of %d signatures armed)", p.watched,
			       p.all, signatures.of[WATCH_ARMED],
			       SIGNATURE_COUNT - 1);
	(void)snprintf(words, sizeof(words), "%s%s%s%s%s%s", h->word, scope,
		       h->because[0] ? ": " : "", h->because,
		       adds ? "; " : "", adds ? findings : "");
	answer_table(q->a, &shape_health);
	answer_row(q->a);
	answer_text(q->a, of);
	answer_text(q->a, h->word);
	answer_text_if(q->a, h->because);
	answer_text(q->a, words);
	answer_integer(q->a, (int64_t)p.all);
	answer_integer(q->a, (int64_t)p.watched);
	answer_integer(q->a, (int64_t)p.wanted);
	answer_integer(q->a, (int64_t)p.wanted_down);
	answer_integer(q->a, SIGNATURE_COUNT - 1);
	answer_integer(q->a, signatures.of[WATCH_ARMED]);
	answer_integer(q->a, (int64_t)open);
	answer_text(q->a, open ? severity_name((enum severity)worst) : NULL);
}

int verbs_health(struct query *q)
{
	const char *of = q->request->n_args ? q->request->args[0] : "links";
	struct health health;

	if (strcmp(of, "links") == 0)
		health_links(q, &health);
	else if (strcmp(of, "agent") == 0)
		health_agent(q, &health);
	else
		return answer_error(q->a, EXIT_USAGE, "no health of '%s'; "
				    "expected links or agent", of);
	health_row(q, of, &health);
	return health.code;
}
