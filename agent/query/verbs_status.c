/* The agent's own status: its processes, its sources, what is queued, and what
 * it costs.
 */
#include "agent/query/verbs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "agent/base/joined.h"
#include "agent/base/ring.h"
#include "agent/process/control.h"
#include "agent/query/health.h"
#include "agent/state/state.h"

#define RUN_TEXT_LEN 17
#define GENERATIONS_A_RELOAD 2	/* one odd, while it is written */

/* The copy that a status is made from: of one moment and one configuration. */
struct status_copy {
	struct config config;
	uint32_t generation;
};

/* What keeps findings of links from being raised as usual; NULL: nothing. */
static const char *in_force(struct query *q)
{
	uint32_t own = state_switch(q->ctx->state);

	if (query_value(q->ctx, own, Q_WARM_REBOOT, 0))
		return "warm or fast reboot: no new findings of links";
	if (query_value(q->ctx, own, Q_TSA, 0))
		return "TSA, traffic shifted away: a link that falls is no "
		       "finding, other findings of links are at watch";
	return NULL;
}

#define LEFT_OUT_MAX 160
#define BASELINES_MAX 384

static void values_per_s(struct query *q)
{
	double per_s = 0;
	bool is_known = q->ctx->cost &&
			cost_per_s(&q->ctx->cost->values, &per_s);

	answer_known(q->a, is_known, llround(per_s));
}

/* How many readings the core has no memory for. */
static const char *left_out_words(const struct query *q,
				  char ret[static LEFT_OUT_MAX])
{
	struct state_limits most;
	uint64_t n = state_left_out(q->ctx->state, &most);

	(void)snprintf(ret, LEFT_OUT_MAX, "%llu readings so far: there is room "
		       "for %u entities (ports, lanes, queues and so on) with "
		       "%u values; use fewer drivers in [Platform] driver",
		       (unsigned long long)n, most.entities, most.slots);
	return n ? ret : NULL;
}

/* Adds "12 s ago (run)"; after the place, the error of the last try. */
static void copy_words(struct query *q, const struct control_copy *copy,
		       const char *where, char *text)
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
	joined_add(text, BASELINES_MAX, ", ", "%s (%s%s%s)", when, where,
		   fault ? ": " : "", fault ? strerror(fault) : "");
}

/* The copies of learnt baselines in the run folder and the state folder. */
static const char *baselines_words(struct query *q,
				   char ret[static BASELINES_MAX])
{
	const struct control_memory *m = &q->ctx->control->memory;

	ret[0] = '\0';
	copy_words(q, &m->run, "run", ret);
	copy_words(q, &m->state, "/var/lib/petrel", ret);
	return ret;
}

static void agent_notes(struct query *q, const struct status_copy *l)
{
	char refused[DIAG_MAX];

	if (control_publisher_fault(q->ctx->control, refused))
		answer_note(q->a, "no events for eventd: %s", refused);
	if (control_exporter_fault(q->ctx->control, refused))
		answer_note(q->a, "Prometheus cannot scrape: %s", refused);
	if (control_text_get(&q->ctx->control->refused, refused))
		answer_note(q->a, "the previous configuration stays in force: "
			    "%s", refused);
	if (l->config.insecure)
		answer_note(q->a, "insecure = yes: records go to the collector "
			    "unsealed and unauthenticated");
}

/* One row for the whole agent: all processes together. */
static void rows_agent(struct query *q)
{
	const struct status_copy *l = q->own;
	const struct control_memory *m = &q->ctx->control->memory;
	const struct query_budget *budget = q->ctx->budget;
	char run[RUN_TEXT_LEN], left_out[LEFT_OUT_MAX], kept[BASELINES_MAX];
	int64_t cpu_ppm, memory;

	health_cost(q, &cpu_ppm, &memory);
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
	answer_integer(q->a, cpu_ppm);
	answer_integer(q->a, memory);
	values_per_s(q);
	answer_integer(q->a, (int64_t)state_values_total(q->ctx->state));
	cells_value(q, state_switch(q->ctx->state), Q_SELF_LATE_TICKS, 0);
	answer_text(q->a, in_force(q));
	answer_text(q->a, budget && budget->text[0] ? budget->text :
						      "within budget");
	answer_text(q->a, left_out_words(q, left_out));
	answer_text(q->a, baselines_words(q, kept));
	cells_age(q, m->run.written_ns);
	cells_age(q, m->state.written_ns);
	answer_integer(q->a, l->generation);
	agent_notes(q, l);
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

/* A wait status in words; NULL if it never died. */
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
	int64_t ppm = health_cpu_ppm(q, role);

	cells_members(q, &(struct process_row){
		.name = role_name((enum role)role),
		.state = health_process(q, role),
		.is_up = p->pid > 0,
		.pid = member_known(p->pid, p->pid),
		.started = { p->pid ? p->started_ns : 0 },
		.uptime_ns = member_known(p->pid, q->now.mono.ns -
						  p->started_ns),
		.restarts = p->restarts,
		.cpu_ppm = member_known(ppm >= 0, ppm),
		.memory = p->memory_octets,
		.heartbeat = { p->heartbeat_ns },
		.death = death_words(p, death, sizeof(death)) });
}

void rows_processes(struct query *q)
{
	answer_table(q->a, q->shape);
	for (unsigned role = 0; role < ROLE_COUNT; role++)
		if (!q->ctx->control->process[role].is_off)
			process_row(q, role);
}

const struct answer_shape shape_processes = {
	"processes", .rows = rows_processes, .columns = {
	{ "process", "PROCESS", CELL_TEXT, AT(process, name) },
	{ "state", "STATE", CELL_TEXT, AT(process, state) },
	{ "pid", "PID", CELL_INTEGER, AT(process, pid) },
	{ "uptime", "UP", CELL_AGE_NS, AT(process, uptime_ns) },
	{ "restarts", "RESTARTS", CELL_INTEGER, AT(process, restarts) },
	{ "cpu", "CPU%", CELL_PPM, AT(process, cpu_ppm) },
	{ "memory", "MEMORY", CELL_OCTETS, AT(process, memory) },
	{ "heartbeat", "", CELL_AGE_NS, AT(process, heartbeat), member_age },
	{ "last_death", "LAST DEATH", CELL_TEXT, AT(process, death) },
	{ .key = NULL },
} };

#define REASON_WORDS_MAX (2 * SOURCE_NAME_MAX + 8)

/* The reason for people, shown once in full, then as "as sonic.counters". */
static const char *reason_words(const struct state_source *first,
				const struct state_source *s,
				char ret[static REASON_WORDS_MAX])
{
	while (first < s && !source_reason_is_same(first, s))
		first++;
	(void)snprintf(ret, REASON_WORDS_MAX, "as %s", first->name);
	return first < s ? ret : member_text(s->reason);
}

/* Each source with its period and age, and what is wrong with it. */
void rows_sources(struct query *q)
{
	const struct state_source *source;
	size_t n = state_sources(q->ctx->state, &source);
	char words[REASON_WORDS_MAX];

	answer_table(q->a, q->shape);
	for (const struct state_source *s = source; s < source + n; s++)
		cells_members(q, &(struct source_row){
			.name = s->name,
			.state = source_words(s, q->now.mono),
			.is_fresh = source_is_fresh(s, q->now.mono),
			.is_supported = s->state != SOURCE_UNSUPPORTED,
			.period_ns = member_known(s->period_ns > 0,
						  s->period_ns),
			.interval_ns = member_known(s->interval_ns > 0,
						    s->interval_ns),
			.taken = s->last_taken,
			.fresh = s->last_fresh,
			.values = (int64_t)s->values,
			.reason = member_text(s->reason),
			.words = reason_words(source, s, words) });
	if (q->ctx->drivers_reason && q->ctx->drivers_reason[0])
		answer_note(q->a, "no platform driver is open: %s",
			    q->ctx->drivers_reason);
}

const struct answer_shape shape_sources = {
	"sources", .rows = rows_sources, .columns = {
	{ "source", "SOURCE", CELL_TEXT, AT(source, name) },
	{ "state", "STATE", CELL_TEXT, AT(source, state) },
	{ "period", "ASKED", CELL_AGE_NS, AT(source, period_ns) },
	{ "interval", "NEW", CELL_AGE_NS, AT(source, interval_ns) },
	{ "age", "AGE", CELL_AGE_NS, AT(source, taken), member_age },
	{ "answered", "", CELL_AGE_NS, AT(source, fresh), member_age },
	{ "values", "VALUES", CELL_UNSIGNED, AT(source, values) },
	{ "reason", "", CELL_TEXT, AT(source, reason) },
	{ "words", "REASON", CELL_TEXT, AT(source, words) },
	{ .key = NULL },
} };

/* What waits for the collector, and what was dropped meanwhile. */
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

/* Whether records are delivered, and if not, why. */
static void rows_collector(struct query *q)
{
	const struct status_copy *l = q->own;
	const struct control_push *p = &q->ctx->control->push;
	char reason[DIAG_MAX], key[DIAG_MAX];

	answer_table(q->a, q->shape);
	answer_row(q->a);
	if (!l->config.collector[0][0]) {
		answer_row_json_only(q->a);
		answer_note(q->a, "no collector is configured: findings stay "
			    "on this switch");
		return;
	}
	(void)control_text_get(&p->reason, reason);
	(void)control_text_get(&p->own_key, key);
	answer_text(q->a, l->config.collector[0]);
	answer_integer(q->a, p->connected);
	answer_text_if(q->a, reason);
	cells_age(q, p->last_ack_ns);
	answer_integer(q->a, (int64_t)p->sent_records);
	answer_integer(q->a, (int64_t)p->sent_octets);
	answer_integer(q->a, (int64_t)p->gap_records);
	answer_integer(q->a, (int64_t)p->renewals);
	answer_integer(q->a, (int64_t)p->damaged);
	answer_integer(q->a, p->sealed);
	answer_text_if(q->a, l->config.collector_key[0]);
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

/* Each collector: how it is reached, and its last error. */
static void rows_collectors(struct query *q)
{
	const struct config *c = &((const struct status_copy *)q->own)->config;

	answer_table(q->a, q->shape);
	for (unsigned i = 0; i < CONFIG_COLLECTORS_MAX; i++) {
		const struct control_uplink *u =
			&q->ctx->control->push.uplink[i];
		char error[DIAG_MAX];

		if (!c->collector[i][0])
			continue;
		(void)control_text_get(&u->error, error);
		answer_row(q->a);
		answer_text(q->a, c->collector[i]);
		answer_integer(q->a, u->connected);
		cells_age(q, u->last_ack_ns);
		answer_text_if(q->a, config_vrf(c, i));
		answer_text_if(q->a, config_source(c, i));
		answer_integer(q->a, (int64_t)c->dscp);
		answer_text_if(q->a, error);
		cells_age(q, error[0] ? u->error_ns : 0);
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
	int64_t since_ns = s->busy_ns;	/* read once: it changes meanwhile */
	int64_t busy_ns = since_ns ? now.ns - since_ns : 0;
	int fault = s->fault;

	if (busy_ns >= DISK_HUNG_NS) {
		(void)snprintf(room, cap, "the disk has not answered for "
			       "%lld s", (long long)(busy_ns / NS_PER_S));
		return room;
	}
	if (fault) {
		(void)snprintf(room, cap, "/var/lib/petrel/spool: %s",
			       strerror(fault));
		return room;
	}
	if (s->refusal == EDQUOT)
		return "spool_per_day is used up";
	return s->refusal ? "full" : NULL;
}

/* What waits on flash for the collector. */
static void rows_spool(struct query *q)
{
	const struct status_copy *l = q->own;
	const struct control_spool *s = &q->ctx->control->spool;
	int64_t left = s->budget.octets;
	char words[96];

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
	{ "left", "may write now", CELL_OCTETS },
	{ "fault", "spool fault", CELL_TEXT },
	{ .key = NULL },
} };

/* The fault of the tiers, else what had no room. */
static const char *tiers_words(const struct control_tiers_kept *k)
{
	if (k->fault[0])
		return k->fault;
	if (k->left_out)
		return "not all series are kept: [History] per_day is too small";
	return k->is_short ? "shorter than configured: [History] size is used "
			     "up" : NULL;
}

/* The coarser tiers of the history. */
static void rows_tiers(struct query *q)
{
	const struct config *c = &((const struct status_copy *)q->own)->config;
	struct control_tiers_kept k = { .folder = "" };

	answer_table(q->a, q->shape);
	answer_row(q->a);
	(void)control_tiers_get(q->ctx->control, &k);
	if (!k.folder[0])
		answer_row_json_only(q->a);
	answer_text_if(q->a, k.folder);
	answer_text_if(q->a, tiers_words(&k));
	answer_integer(q->a, (int64_t)k.held_octets);
	answer_integer(q->a, (int64_t)c->tiers_octets);
	answer_integer(q->a, (int64_t)k.written_octets);
	answer_integer(q->a, (int64_t)c->tiers_day_octets);
	answer_known(q->a, k.minutes_s, k.minutes_s * NS_PER_S);
	answer_known(q->a, k.quarters_s, k.quarters_s * NS_PER_S);
	answer_integer(q->a, (int64_t)k.series);
	answer_integer(q->a, (int64_t)k.left_out);
}

const struct answer_shape shape_tiers = {
	"tiers", .single = true, .rows = rows_tiers, .columns = {
	{ "folder", "history in files", CELL_TEXT },
	{ "fault", "history fault", CELL_TEXT },
	{ "held", "held in files", CELL_OCTETS },
	{ "limit", "of at most", CELL_OCTETS },
	{ "written", "written today", CELL_OCTETS },
	{ "day_limit", "of at most a day", CELL_OCTETS },
	{ "minutes", "by the minute since", CELL_WALL_NS },
	{ "quarters", "by 15 minutes since", CELL_WALL_NS },
	{ "series", "series", CELL_INTEGER },
	{ "left_out", "", CELL_INTEGER },
	{ .key = NULL },
} };

int verbs_status(struct query *q)
{
	struct status_copy l;

	l.generation = control_config(q->ctx->control, &l.config);
	q->own = &l;
	return verb_tables(q);
}
