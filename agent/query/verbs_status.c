/* The agent about itself: its processes, its sources, what is queued, and what
 * it costs.
 */
#include "agent/query/verbs.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "agent/base/ring.h"
#include "agent/process/control.h"
#include "agent/query/answer.h"
#include "agent/query/cost.h"
#include "agent/query/fresh.h"
#include "agent/query/health.h"
#include "agent/query/shapes.h"
#include "agent/state/state.h"

#define RUN_TEXT_LEN 17
#define GENERATIONS_A_RELOAD 2	/* one odd, while it is written */

/* The copy that a status is made from: one moment, one configuration. */
struct look {
	const struct query_context *ctx;
	struct answer *a;
	struct mono now;
	struct config config;
	uint32_t generation;
};

static const struct answer_column agent_columns[] = {
	{ "name", "switch", CELL_TEXT, false, false },
	{ "switch_id", "id", CELL_TEXT, false, false },
	{ "version", "version", CELL_TEXT, false, false },
	{ "run", "run", CELL_TEXT, false, false },
	{ "insecure", "insecure", CELL_BOOL, false, false },
	{ "reloads", "reloads", CELL_INTEGER, false, false },
	{ "ports", "ports", CELL_INTEGER, false, false },
	{ "cpu", "CPU of one core", CELL_PPM, false, false },
	{ "memory", "memory", CELL_OCTETS, false, false },
	{ "values_per_s", "values a second", CELL_INTEGER, false, false },
	{ "values", "", CELL_UNSIGNED, false, true },
	{ "late_ticks", "late ticks", CELL_UNSIGNED, false, false },
	{ "in_force", "in force", CELL_TEXT, false, false },
	{ "budget", "budget", CELL_TEXT, false, false },
	{ "left_out", "left out", CELL_TEXT, false, false },
	{ "baselines", "baselines kept", CELL_TEXT, false, false },
	{ "baselines_run", "", CELL_AGE_NS, false, true },
	{ "baselines_state", "", CELL_AGE_NS, false, true },
	{ "config_generation", "", CELL_INTEGER, false, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_agent = { "agent", agent_columns, true };

/* ns 0: it never happened. */
static void age_cell(const struct look *l, struct mono then)
{
	if (then.ns)
		answer_integer(l->a, mono_diff_ns(l->now, then));
	else
		answer_absent(l->a);
}

static void values_cell(const struct look *l)
{
	double per_s;

	if (l->ctx->cost && cost_per_s(&l->ctx->cost->values, &per_s))
		answer_integer(l->a, llround(per_s));
	else
		answer_absent(l->a);
}

static bool switch_says(const struct look *l, enum quantity q)
{
	struct state_value v;

	return state_value(l->ctx->state, state_switch(l->ctx->state), q, 0,
			   &v) && v.value;
}

/* What keeps findings of links back; NULL: nothing. */
static const char *in_force(const struct look *l)
{
	if (switch_says(l, Q_WARM_REBOOT))
		return "warm or fast reboot: no new findings of links";
	if (switch_says(l, Q_TSA))
		return "TSA, traffic shifted away: no new findings of links";
	return NULL;
}

/* What the memory of the core is too small for. */
static void left_out_cell(const struct look *l)
{
	struct state_limits most;
	uint64_t n = state_left_out(l->ctx->state, &most);
	char text[160];

	(void)snprintf(
		text, sizeof(text),
		"%llu readings so far: at most %u "
		"ports, lanes, queues and the like, and %u values of "
		"them, are kept; with fewer sources in [Platform] driver "
		"more would fit",
		(unsigned long long)n, most.entities, most.slots);
	answer_text(l->a, n ? text : NULL);
}

/* "12 s ago (run)"; behind the place, what was wrong with the last try. */
static size_t copy_words(const struct look *l, const struct control_copy *copy,
			 const char *where, char *text, size_t cap)
{
	static const struct {
		int64_t below_s, s;
		const char *unit;
	} units[] = { { 120, 1, "s" }, { 7200, 60, "min" },
		      { 48 * 3600, 3600, "h" }, { INT64_MAX, 86400, "d" } };
	int64_t s = (l->now.ns - copy->written_ns) / NS_PER_S;
	char when[32] = "not yet";
	int fault = copy->fault;
	size_t i = 0;

	while (s >= units[i].below_s)
		i++;
	if (copy->written_ns)
		(void)snprintf(when, sizeof(when), "%lld %s ago",
			       (long long)(s / units[i].s), units[i].unit);
	return (size_t)snprintf(text, cap, "%s (%s%s%s)", when, where,
				fault ? ": " : "",
				fault ? strerror(fault) : "");
}

/* Of what the engine has learnt, in the run folder and in the state folder. */
static void baselines_cells(const struct look *l)
{
	const struct control_memory *m = &l->ctx->control->memory;
	char text[384];
	size_t n = copy_words(l, &m->run, "run", text, sizeof(text) / 2);

	n += (size_t)snprintf(text + n, sizeof(text) - n, ", ");
	(void)copy_words(l, &m->state, "/var/lib/petrel", text + n,
			 sizeof(text) - n);
	answer_text(l->a, text);
	age_cell(l, (struct mono){ m->run.written_ns });
	age_cell(l, (struct mono){ m->state.written_ns });
}

/* One row for the agent as a whole: all processes together. */
static void agent_table(const struct look *l)
{
	int64_t cpu = 0, memory = 0;
	char run[RUN_TEXT_LEN], refused[DIAG_MAX];

	for (unsigned role = 0; role < ROLE_COUNT; role++) {
		int64_t ppm = health_cpu_ppm(l->ctx, l->now, role);

		cpu += ppm > 0 ? ppm : 0;
		memory += l->ctx->control->process[role].memory_octets;
	}
	(void)snprintf(run, sizeof(run), "%016llx",
		       (unsigned long long)l->ctx->control->run);
	answer_shaped(l->a, &shape_agent);
	answer_row(l->a);
	answer_text(l->a, l->ctx->switch_name);
	answer_text(l->a, l->ctx->switch_id && l->ctx->switch_id[0] ?
			  l->ctx->switch_id : NULL);
	answer_text(l->a, l->ctx->version);
	answer_text(l->a, run);
	answer_integer(l->a, l->config.insecure);
	answer_integer(l->a, l->generation / GENERATIONS_A_RELOAD);
	answer_integer(l->a, (int64_t)state_port_count(l->ctx->state));
	answer_integer(l->a, cpu);
	answer_integer(l->a, memory);
	values_cell(l);
	answer_integer(l->a, (int64_t)state_values_total(l->ctx->state));
	(void)context_cell(l->ctx, l->a, state_switch(l->ctx->state),
			   Q_SELF_LATE_TICKS, 0, l->now);
	answer_text(l->a, in_force(l));
	answer_text(l->a, l->ctx->budget && l->ctx->budget->text[0] ?
			  l->ctx->budget->text : "kept");
	left_out_cell(l);
	baselines_cells(l);
	answer_integer(l->a, l->generation);
	if (control_publisher_fault(l->ctx->control, refused))
		answer_note(l->a, "no events for eventd: %s", refused);
	if (control_refused(l->ctx->control, refused))
		answer_note(l->a, "the configuration before stays in force: "
			    "%s", refused);
	if (l->config.insecure)
		answer_note(l->a, "insecure = yes: records go to the collector "
			    "unsealed and unauthenticated");
}

static const struct answer_column process_columns[] = {
	{ "process", "PROCESS", CELL_TEXT, false, false },
	{ "state", "STATE", CELL_TEXT, false, false },
	{ "pid", "PID", CELL_INTEGER, true, false },
	{ "uptime", "UP", CELL_AGE_NS, true, false },
	{ "restarts", "RESTARTS", CELL_INTEGER, true, false },
	{ "cpu", "CPU%", CELL_PPM, true, false },
	{ "memory", "MEMORY", CELL_OCTETS, true, false },
	{ "heartbeat", "", CELL_AGE_NS, true, true },
	{ "last_death", "LAST DEATH", CELL_TEXT, false, false },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_processes = {
	"processes", process_columns, false
};

/* A wait status in words; NULL when it never died. */
static const char *death_words(const struct control_process *p, char *text,
			       size_t cap)
{
	int status = p->last_status;

	if (p->restarts == 0 && status == 0)
		return NULL;
	if (WIFSIGNALED(status))
		(void)snprintf(text, cap, "killed by signal %d (%s)",
			       WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		(void)snprintf(text, cap, "left with exit status %d",
			       WEXITSTATUS(status));
	return text;
}

static void process_row(const struct look *l, unsigned role)
{
	const struct control_process *p = &l->ctx->control->process[role];
	char death[96];
	int64_t ppm = health_cpu_ppm(l->ctx, l->now, role);

	answer_row(l->a);
	answer_text(l->a, role_name((enum role)role));
	answer_text(l->a, health_process(l->ctx, l->now, role));
	if (p->pid) {
		answer_integer(l->a, p->pid);
		answer_integer(l->a, l->now.ns - p->started_ns);
	} else {
		answer_absent(l->a);
		answer_absent(l->a);
	}
	answer_integer(l->a, p->restarts);
	if (ppm >= 0)
		answer_integer(l->a, ppm);
	else
		answer_absent(l->a);
	answer_integer(l->a, p->memory_octets);
	if (p->heartbeat_ns)
		answer_integer(l->a, l->now.ns - p->heartbeat_ns);
	else
		answer_absent(l->a);
	answer_text(l->a, death_words(p, death, sizeof(death)));
}

static const struct answer_column source_columns[] = {
	{ "source", "SOURCE", CELL_TEXT, false, false },
	{ "state", "STATE", CELL_TEXT, false, false },
	{ "period", "ASKED", CELL_AGE_NS, true, false },
	{ "interval", "NEW", CELL_AGE_NS, true, false },
	{ "age", "AGE", CELL_AGE_NS, true, false },
	{ "answered", "", CELL_AGE_NS, true, true },
	{ "values", "VALUES", CELL_UNSIGNED, true, false },
	{ "reason", "", CELL_TEXT, false, true },
	{ "words", "REASON", CELL_TEXT, false, false },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_sources = { "sources", source_columns, false };

/* 0 means unknown there. */
static void positive_cell(const struct look *l, int64_t value)
{
	if (value > 0)
		answer_integer(l->a, value);
	else
		answer_absent(l->a);
}

/* The reason for people, who read it once: "as sonic.counters". */
static void reason_cell(const struct look *l, const struct state_source *first,
			const struct state_source *s)
{
	char words[sizeof(first->name) + 8];

	while (first < s && !source_reason_is_same(first, s))
		first++;
	(void)snprintf(words, sizeof(words), "as %s", first->name);
	answer_text(l->a, first < s ? words : s->reason[0] ? s->reason : NULL);
}

/* Each source with its cadence and age, and what is wrong with it. */
static void sources_table(const struct look *l)
{
	const struct state_source *source;
	size_t n = state_sources(l->ctx->state, &source);

	answer_shaped(l->a, &shape_sources);
	for (size_t i = 0; i < n; i++) {
		answer_row(l->a);
		answer_text(l->a, source[i].name);
		answer_text(l->a, source_words(&source[i], l->now));
		positive_cell(l, source[i].period_ns);
		positive_cell(l, source[i].interval_ns);
		age_cell(l, source[i].last_taken);
		age_cell(l, source[i].last_fresh);
		answer_integer(l->a, (int64_t)source[i].values);
		answer_text(l->a, source[i].reason[0] ? source[i].reason :
							NULL);
		reason_cell(l, source, &source[i]);
	}
	if (l->ctx->drivers_reason && l->ctx->drivers_reason[0])
		answer_note(l->a, "no platform driver is open: %s",
			    l->ctx->drivers_reason);
}

static const struct answer_column stream_columns[] = {
	{ "stream", "STREAM", CELL_TEXT, false, false },
	{ "last", "LAST RECORD", CELL_UNSIGNED, true, false },
	{ "queued", "NOT ACKNOWLEDGED", CELL_UNSIGNED, true, false },
	{ "held", "IN THE RING", CELL_UNSIGNED, true, false },
	{ "ring", "RING", CELL_OCTETS, true, false },
	{ "dropped", "DROPPED", CELL_UNSIGNED, true, false },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_streams = { "streams", stream_columns, false };

/* What waits for the collector, and what had to go meanwhile. */
static void streams_table(const struct look *l)
{
	if (!l->ctx->rings)
		return;
	answer_shaped(l->a, &shape_streams);
	for (unsigned s = 0; s < STREAM_COUNT; s++) {
		const struct ring *r = l->ctx->rings->ring[s];
		uint64_t next = ring_next(r), acked = ring_acked(r, 0);

		answer_row(l->a);
		answer_text(l->a, stream_name((enum stream)s));
		answer_integer(l->a, (int64_t)(next - 1));
		answer_integer(l->a, (int64_t)(next - 1 - acked));
		answer_integer(l->a, (int64_t)(next - ring_first(r)));
		answer_integer(l->a, (int64_t)ring_bytes(r));
		answer_integer(l->a, (int64_t)ring_dropped(r));
	}
}

static const struct answer_column collector_columns[] = {
	{ "collector", "collector", CELL_TEXT, false, false },
	{ "connected", "connected", CELL_BOOL, false, false },
	{ "reason", "because", CELL_TEXT, false, false },
	{ "acknowledged", "last acknowledged", CELL_AGE_NS, false, false },
	{ "sent_records", "records sent", CELL_UNSIGNED, false, false },
	{ "sent", "sent", CELL_OCTETS, false, false },
	{ "gap_records", "gap records", CELL_UNSIGNED, false, false },
	{ "renewals", "renewals", CELL_UNSIGNED, false, false },
	{ "damaged_frames", "damaged frames", CELL_UNSIGNED, false, false },
	{ "sealed", "sealed", CELL_BOOL, false, false },
	{ "collector_key", "collector's key", CELL_TEXT, false, false },
	{ "own_key", "this switch's key", CELL_TEXT, false, false },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_collector = {
	"collector", collector_columns, true
};

/* Whether records get away, and if not, why. */
static void collector_table(const struct look *l)
{
	const struct control_push *p = &l->ctx->control->push;
	char reason[sizeof(p->reason)], key[sizeof(p->own_key)];

	control_push_reason(l->ctx->control, reason, sizeof(reason));
	answer_shaped(l->a, &shape_collector);
	answer_row(l->a);
	if (!l->config.collector[0][0]) {
		answer_row_json_only(l->a);
		answer_note(l->a, "no collector is configured: findings stay "
			    "on this switch");
		return;
	}
	answer_text(l->a, l->config.collector[0]);
	answer_integer(l->a, p->connected);
	answer_text(l->a, reason[0] ? reason : NULL);
	age_cell(l, (struct mono){ p->last_ack_ns });
	answer_integer(l->a, (int64_t)p->sent_records);
	answer_integer(l->a, (int64_t)p->sent_octets);
	answer_integer(l->a, (int64_t)p->gap_records);
	answer_integer(l->a, (int64_t)p->renewals);
	answer_integer(l->a, (int64_t)p->damaged);
	answer_integer(l->a, p->sealed);
	answer_text(l->a, l->config.collector_key[0][0] ?
			  l->config.collector_key[0] : NULL);
	control_push_key(l->ctx->control, key, sizeof(key));
	answer_text(l->a, key[0] ? key : NULL);
}

static const struct answer_column spool_columns[] = {
	{ "held", "held in the spool", CELL_OCTETS, false, false },
	{ "limit", "of at most", CELL_OCTETS, false, false },
	{ "segments", "segments", CELL_UNSIGNED, false, false },
	{ "dropped_records", "records dropped", CELL_UNSIGNED, false, false },
	{ "written", "written to flash", CELL_OCTETS, false, false },
	{ "left", "may be written now", CELL_OCTETS, false, false },
	{ "fault", "spool fault", CELL_TEXT, false, false },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_spool = { "spool", spool_columns, true };

static const char *spool_words(const struct control_spool *s)
{
	int fault = s->fault;

	if (fault)
		return strerror(fault);
	if (s->refusal == EDQUOT)
		return "the octets that may be written in a day are spent";
	return s->refusal ? "full" : NULL;
}

/* What waits on flash for the collector. */
static void spool_table(const struct look *l)
{
	const struct control_spool *s = &l->ctx->control->spool;
	int64_t left = s->budget.octets;

	answer_shaped(l->a, &shape_spool);
	answer_row(l->a);
	if (!l->config.collector[0][0] || !l->config.spool_octets) {
		answer_row_json_only(l->a);
		return;
	}
	answer_integer(l->a, (int64_t)s->held_octets);
	answer_integer(l->a, (int64_t)l->config.spool_octets);
	answer_integer(l->a, (int64_t)s->segments);
	answer_integer(l->a, (int64_t)s->dropped_records);
	answer_integer(l->a, (int64_t)s->budget.written);
	answer_integer(l->a, left > 0 ? left : 0);
	answer_text(l->a, spool_words(s));
}

int verbs_status(void *context, struct query_client *client,
		 const Petrel__Request *request, struct answer *a)
{
	struct look l = { .ctx = context, .a = a };

	(void)client;
	(void)request;
	l.now = context_begin(l.ctx, a).mono;
	l.generation = control_config(l.ctx->control, &l.config);
	agent_table(&l);
	answer_shaped(a, &shape_processes);
	for (unsigned role = 0; role < ROLE_COUNT; role++)
		process_row(&l, role);
	sources_table(&l);
	streams_table(&l);
	collector_table(&l);
	spool_table(&l);
	return EXIT_ANSWERED;
}
