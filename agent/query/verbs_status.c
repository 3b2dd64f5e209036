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
#include "agent/query/health.h"
#include "agent/state/state.h"

#define RUN_TEXT_LEN 17
#define GENERATIONS_A_RELOAD 2	/* one odd, while it is written */

/* The copy that a status is made from: one moment, one configuration. */
struct status_copy {
	struct config config;
	uint32_t generation;
};

/* ns 0: it never happened. */
static void age_cell(struct query *q, struct mono then)
{
	answer_known(q->a, then.ns, mono_diff_ns(q->now.mono, then));
}

static void values_cell(struct query *q)
{
	double per_s = 0;
	bool is_known = q->ctx->cost &&
			cost_per_s(&q->ctx->cost->values, &per_s);

	answer_known(q->a, is_known, llround(per_s));
}

static bool switch_says(struct query *q, enum quantity of)
{
	struct state_value v;

	return state_value(q->ctx->state, state_switch(q->ctx->state), of, 0,
			   &v) && v.value;
}

/* What keeps findings of links back; NULL: nothing. */
static const char *in_force(struct query *q)
{
	if (switch_says(q, Q_WARM_REBOOT))
		return "warm or fast reboot: no new findings of links";
	if (switch_says(q, Q_TSA))
		return "TSA, traffic shifted away: no new findings of links";
	return NULL;
}

/* What the memory of the core is too small for. */
static void left_out_cell(struct query *q)
{
	struct state_limits most;
	uint64_t n = state_left_out(q->ctx->state, &most);
	char text[160];

	(void)snprintf(text, sizeof(text), "%llu readings so far: at most %u "
		       "entities (ports, lanes, queues and so on) with %u values "
		       "fit; with fewer drivers in [Platform] driver more would",
		       (unsigned long long)n, most.entities, most.slots);
	answer_text(q->a, n ? text : NULL);
}

/* "12 s ago (run)"; behind the place, what was wrong with the last try. */
static size_t copy_words(struct query *q, const struct control_copy *copy,
			 const char *where, char *text, size_t cap)
{
	static const struct {
		int64_t below_s, s;
		const char *unit;
	} units[] = { { 120, 1, "s" }, { 7200, 60, "min" },
		      { 48 * 3600, 3600, "h" }, { INT64_MAX, 86400, "d" } };
	int64_t s = (q->now.mono.ns - copy->written_ns) / NS_PER_S;
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
static void baselines_cells(struct query *q)
{
	const struct control_memory *m = &q->ctx->control->memory;
	char text[384];
	size_t n = copy_words(q, &m->run, "run", text, sizeof(text) / 2);

	n += (size_t)snprintf(text + n, sizeof(text) - n, ", ");
	(void)copy_words(q, &m->state, "/var/lib/petrel", text + n,
			 sizeof(text) - n);
	answer_text(q->a, text);
	age_cell(q, (struct mono){ m->run.written_ns });
	age_cell(q, (struct mono){ m->state.written_ns });
}

/* One row for the agent as a whole: all processes together. */
static void rows_agent(struct query *q)
{
	const struct status_copy *l = q->own;
	int64_t cpu = 0, memory = 0;
	char run[RUN_TEXT_LEN], refused[DIAG_MAX];

	for (unsigned role = 0; role < ROLE_COUNT; role++) {
		int64_t ppm = health_cpu_ppm(q->ctx, q->now.mono, role);

		cpu += ppm > 0 ? ppm : 0;
		memory += q->ctx->control->process[role].memory_octets;
	}
	(void)snprintf(run, sizeof(run), "%016llx",
		       (unsigned long long)q->ctx->control->run);
	answer_table(q->a, q->shape);
	answer_row(q->a);
	answer_text(q->a, q->ctx->switch_name);
	answer_text_if(q->a, q->ctx->switch_id);
	answer_text(q->a, q->ctx->version);
	answer_text(q->a, run);
	answer_integer(q->a, l->config.insecure);
	answer_integer(q->a, l->generation / GENERATIONS_A_RELOAD);
	answer_integer(q->a, (int64_t)state_port_count(q->ctx->state));
	answer_integer(q->a, cpu);
	answer_integer(q->a, memory);
	values_cell(q);
	answer_integer(q->a, (int64_t)state_values_total(q->ctx->state));
	cells_value(q, state_switch(q->ctx->state), Q_SELF_LATE_TICKS, 0);
	answer_text(q->a, in_force(q));
	answer_text(q->a, q->ctx->budget && q->ctx->budget->text[0] ?
			  q->ctx->budget->text : "within budget");
	left_out_cell(q);
	baselines_cells(q);
	answer_integer(q->a, l->generation);
	if (control_publisher_fault(q->ctx->control, refused))
		answer_note(q->a, "no events for eventd: %s", refused);
	if (control_exporter_fault(q->ctx->control, refused))
		answer_note(q->a, "Prometheus cannot scrape: %s", refused);
	if (control_refused(q->ctx->control, refused))
		answer_note(q->a, "the previous configuration stays in force: "
			    "%s", refused);
	if (l->config.insecure)
		answer_note(q->a, "insecure = yes: records go to the collector "
			    "unsealed and unauthenticated");
}

const struct answer_shape shape_agent = {
	"agent", .single = true, .rows = rows_agent, .columns = {
	{ "name", "switch", CELL_TEXT },
	{ "switch_id", "id", CELL_TEXT },
	{ "version", "version", CELL_TEXT },
	{ "run", "run", CELL_TEXT },
	{ "insecure", "insecure", CELL_BOOL },
	{ "reloads", "reloads", CELL_INTEGER },
	{ "ports", "ports", CELL_INTEGER },
	{ "cpu", "CPU of one core", CELL_PPM },
	{ "memory", "memory", CELL_OCTETS },
	{ "values_per_s", "values a second", CELL_INTEGER },
	{ "values", "", CELL_UNSIGNED },
	{ "late_ticks", "late ticks", CELL_UNSIGNED },
	{ "in_force", "in force", CELL_TEXT },
	{ "budget", "budget", CELL_TEXT },
	{ "left_out", "left out", CELL_TEXT },
	{ "baselines", "baselines kept", CELL_TEXT },
	{ "baselines_run", "", CELL_AGE_NS },
	{ "baselines_state", "", CELL_AGE_NS },
	{ "config_generation", "", CELL_INTEGER },
	{ .key = NULL },
} };

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
		(void)snprintf(text, cap, "exited with status %d",
			       WEXITSTATUS(status));
	return text;
}

static void process_row(struct query *q, unsigned role)
{
	const struct control_process *p = &q->ctx->control->process[role];
	char death[96];
	int64_t ppm = health_cpu_ppm(q->ctx, q->now.mono, role);

	answer_row(q->a);
	answer_text(q->a, role_name((enum role)role));
	answer_text(q->a, health_process(q->ctx, q->now.mono, role));
	answer_known(q->a, p->pid, p->pid);
	answer_known(q->a, p->pid, q->now.mono.ns - p->started_ns);
	answer_integer(q->a, p->restarts);
	answer_known(q->a, ppm >= 0, ppm);
	answer_integer(q->a, p->memory_octets);
	age_cell(q, (struct mono){ p->heartbeat_ns });
	answer_text(q->a, death_words(p, death, sizeof(death)));
}

static void rows_processes(struct query *q)
{
	answer_table(q->a, q->shape);
	for (unsigned role = 0; role < ROLE_COUNT; role++)
		if (!q->ctx->control->process[role].is_off)
			process_row(q, role);
}

const struct answer_shape shape_processes = {
	"processes", .rows = rows_processes, .columns = {
	{ "process", "PROCESS", CELL_TEXT },
	{ "state", "STATE", CELL_TEXT },
	{ "pid", "PID", CELL_INTEGER },
	{ "uptime", "UP", CELL_AGE_NS },
	{ "restarts", "RESTARTS", CELL_INTEGER },
	{ "cpu", "CPU%", CELL_PPM },
	{ "memory", "MEMORY", CELL_OCTETS },
	{ "heartbeat", "", CELL_AGE_NS },
	{ "last_death", "LAST DEATH", CELL_TEXT },
	{ .key = NULL },
} };

/* The reason for people, who read it once: "as sonic.counters". */
static void reason_cell(struct query *q, const struct state_source *first,
			const struct state_source *s)
{
	char words[sizeof(first->name) + 8];

	while (first < s && !source_reason_is_same(first, s))
		first++;
	(void)snprintf(words, sizeof(words), "as %s", first->name);
	answer_text_if(q->a, first < s ? words : s->reason);
}

/* Each source with its cadence and age, and what is wrong with it. */
static void rows_sources(struct query *q)
{
	const struct state_source *source;
	size_t n = state_sources(q->ctx->state, &source);

	answer_table(q->a, q->shape);
	for (size_t i = 0; i < n; i++) {
		answer_row(q->a);
		answer_text(q->a, source[i].name);
		answer_text(q->a, source_words(&source[i], q->now.mono));
		answer_known(q->a, source[i].period_ns > 0,
			     source[i].period_ns);
		answer_known(q->a, source[i].interval_ns > 0,
			     source[i].interval_ns);
		age_cell(q, source[i].last_taken);
		age_cell(q, source[i].last_fresh);
		answer_integer(q->a, (int64_t)source[i].values);
		answer_text_if(q->a, source[i].reason);
		reason_cell(q, source, &source[i]);
	}
	if (q->ctx->drivers_reason && q->ctx->drivers_reason[0])
		answer_note(q->a, "no platform driver is open: %s",
			    q->ctx->drivers_reason);
}

const struct answer_shape shape_sources = {
	"sources", .rows = rows_sources, .columns = {
	{ "source", "SOURCE", CELL_TEXT },
	{ "state", "STATE", CELL_TEXT },
	{ "period", "ASKED", CELL_AGE_NS },
	{ "interval", "NEW", CELL_AGE_NS },
	{ "age", "AGE", CELL_AGE_NS },
	{ "answered", "", CELL_AGE_NS },
	{ "values", "VALUES", CELL_UNSIGNED },
	{ "reason", "", CELL_TEXT },
	{ "words", "REASON", CELL_TEXT },
	{ .key = NULL },
} };

/* What waits for the collector, and what had to go meanwhile. */
static void rows_streams(struct query *q)
{
	if (!q->ctx->rings)
		return;
	answer_table(q->a, q->shape);
	for (unsigned s = 0; s < STREAM_COUNT; s++) {
		const struct ring *r = q->ctx->rings->ring[s];
		uint64_t next = ring_next(r), acked = ring_acked(r, 0);

		answer_row(q->a);
		answer_text(q->a, stream_name((enum stream)s));
		answer_integer(q->a, (int64_t)(next - 1));
		answer_integer(q->a, (int64_t)(next - 1 - acked));
		answer_integer(q->a, (int64_t)(next - ring_first(r)));
		answer_integer(q->a, (int64_t)ring_bytes(r));
		answer_integer(q->a, (int64_t)ring_dropped(r));
	}
}

const struct answer_shape shape_streams = {
	"streams", .rows = rows_streams, .columns = {
	{ "stream", "STREAM", CELL_TEXT },
	{ "last", "LAST RECORD", CELL_UNSIGNED },
	{ "queued", "NOT ACKNOWLEDGED", CELL_UNSIGNED },
	{ "held", "IN THE RING", CELL_UNSIGNED },
	{ "ring", "RING", CELL_OCTETS },
	{ "dropped", "DROPPED", CELL_UNSIGNED },
	{ .key = NULL },
} };

/* Whether records get away, and if not, why. */
static void rows_collector(struct query *q)
{
	const struct status_copy *l = q->own;
	const struct control_push *p = &q->ctx->control->push;
	char reason[sizeof(p->reason)], key[sizeof(p->own_key)];

	control_push_reason(q->ctx->control, reason, sizeof(reason));
	answer_table(q->a, q->shape);
	answer_row(q->a);
	if (!l->config.collector[0][0]) {
		answer_row_json_only(q->a);
		answer_note(q->a, "no collector is configured: findings stay "
			    "on this switch");
		return;
	}
	answer_text(q->a, l->config.collector[0]);
	answer_integer(q->a, p->connected);
	answer_text_if(q->a, reason);
	age_cell(q, (struct mono){ p->last_ack_ns });
	answer_integer(q->a, (int64_t)p->sent_records);
	answer_integer(q->a, (int64_t)p->sent_octets);
	answer_integer(q->a, (int64_t)p->gap_records);
	answer_integer(q->a, (int64_t)p->renewals);
	answer_integer(q->a, (int64_t)p->damaged);
	answer_integer(q->a, p->sealed);
	answer_text_if(q->a, l->config.collector_key[0]);
	control_push_key(q->ctx->control, key, sizeof(key));
	answer_text_if(q->a, key);
}

const struct answer_shape shape_collector = {
	"collector", .single = true, .rows = rows_collector, .columns = {
	{ "collector", "collector", CELL_TEXT },
	{ "connected", "connected", CELL_BOOL },
	{ "reason", "because", CELL_TEXT },
	{ "acknowledged", "last acknowledged", CELL_AGE_NS },
	{ "sent_records", "records sent", CELL_UNSIGNED },
	{ "sent", "sent", CELL_OCTETS },
	{ "gap_records", "gap records", CELL_UNSIGNED },
	{ "renewals", "renewals", CELL_UNSIGNED },
	{ "damaged_frames", "damaged frames", CELL_UNSIGNED },
	{ "sealed", "sealed", CELL_BOOL },
	{ "collector_key", "collector's key", CELL_TEXT },
	{ "own_key", "this switch's key", CELL_TEXT },
	{ .key = NULL },
} };

/* One by one: how it is reached, and what was last wrong. */
static void rows_collectors(struct query *q)
{
	const struct config *c = &((const struct status_copy *)q->own)->config;

	answer_table(q->a, q->shape);
	for (unsigned i = 0; i < CONFIG_COLLECTORS_MAX; i++) {
		const struct control_uplink *u =
			&q->ctx->control->push.uplink[i];
		char error[sizeof(u->error)];

		if (!c->collector[i][0])
			continue;
		control_uplink_error(q->ctx->control, i, error, sizeof(error));
		answer_row(q->a);
		answer_text(q->a, c->collector[i]);
		answer_integer(q->a, u->connected);
		age_cell(q, (struct mono){ u->last_ack_ns });
		answer_text_if(q->a, config_vrf(c, i));
		answer_text_if(q->a, config_source(c, i));
		answer_integer(q->a, (int64_t)c->dscp);
		answer_text_if(q->a, error);
		age_cell(q, (struct mono){ error[0] ? u->error_ns : 0 });
	}
}

const struct answer_shape shape_collectors = {
	"collectors", .rows = rows_collectors, .columns = {
	{ "collector", "COLLECTOR", CELL_TEXT },
	{ "connected", "CONNECTED", CELL_BOOL },
	{ "acknowledged", "ACKNOWLEDGED", CELL_AGE_NS },
	{ "vrf", "VRF", CELL_TEXT },
	{ "source", "SOURCE", CELL_TEXT },
	{ "dscp", "DSCP", CELL_UNSIGNED },
	{ "error", "LAST ERROR", CELL_TEXT },
	{ "error_age", "AGO", CELL_AGE_NS },
	{ .key = NULL },
} };

static const char *spool_words(const struct control_spool *s, struct mono now,
			       char *room, size_t cap)
{
	int64_t since_ns = s->busy_ns;	/* once: it changes meanwhile */
	int64_t busy_ns = since_ns ? now.ns - since_ns : 0;
	int fault = s->fault;

	if (busy_ns >= DISK_HUNG_NS) {
		(void)snprintf(room, cap, "the disk has not answered for "
			       "%lld s", (long long)(busy_ns / NS_PER_S));
		return room;
	}
	if (fault)
		return strerror(fault);
	if (s->refusal == EDQUOT)
		return "the octets that may be written in a day are spent";
	return s->refusal ? "full" : NULL;
}

/* What waits on flash for the collector. */
static void rows_spool(struct query *q)
{
	const struct status_copy *l = q->own;
	const struct control_spool *s = &q->ctx->control->spool;
	int64_t left = s->budget.octets;
	char words[64];

	answer_table(q->a, q->shape);
	answer_row(q->a);
	if (!l->config.collector[0][0] || !l->config.spool_octets) {
		answer_row_json_only(q->a);
		return;
	}
	answer_integer(q->a, (int64_t)s->held_octets);
	answer_integer(q->a, (int64_t)l->config.spool_octets);
	answer_integer(q->a, (int64_t)s->segments);
	answer_integer(q->a, (int64_t)s->dropped_records);
	answer_integer(q->a, (int64_t)s->budget.written);
	answer_integer(q->a, left > 0 ? left : 0);
	answer_text(q->a, spool_words(s, q->now.mono, words, sizeof(words)));
}

const struct answer_shape shape_spool = {
	"spool", .single = true, .rows = rows_spool, .columns = {
	{ "held", "held in the spool", CELL_OCTETS },
	{ "limit", "of at most", CELL_OCTETS },
	{ "segments", "segments", CELL_UNSIGNED },
	{ "dropped_records", "records dropped", CELL_UNSIGNED },
	{ "written", "written to flash", CELL_OCTETS },
	{ "left", "may be written now", CELL_OCTETS },
	{ "fault", "spool fault", CELL_TEXT },
	{ .key = NULL },
} };

int verbs_status(struct query *q)
{
	struct status_copy l;

	l.generation = control_config(q->ctx->control, &l.config);
	q->own = &l;
	return verb_tables(q);
}
