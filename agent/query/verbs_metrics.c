/* Metrics for Prometheus (exposition.h): a table for each kind of entity, with
 * each quantity that the profile shows; findings; and Petrel's own. Old and
 * implausible values are left out, as absent ones are.
 */
#include "agent/query/verbs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/metric.h"
#include "agent/base/names.h"
#include "agent/base/number.h"
#include "agent/process/control.h"
#include "agent/query/coverage.h"
#include "agent/query/message.h"
#include "agent/state/state.h"
#include "petrel/cause.h"

/* --- which entity -------------------------------------------------------- */

#define OF(kind) (1u << ENTITY_##kind)

/* The kinds whose names or numbers identify an entity, including its own kind.
 * A module's entities are also labelled with the port they serve.
 */
static const unsigned labels[ENTITY_KIND_COUNT] = {
	[ENTITY_ASIC] = OF(ASIC),
	[ENTITY_SENSOR] = OF(SENSOR) | OF(ASIC),
	[ENTITY_POOL] = OF(POOL) | OF(ASIC),
	[ENTITY_PORT] = OF(PORT) | OF(ASIC),
	[ENTITY_MODULE] = OF(MODULE) | OF(PORT) | OF(ASIC),
	[ENTITY_LANE] = OF(LANE) | OF(MODULE) | OF(PORT) | OF(ASIC),
	[ENTITY_QUEUE] = OF(QUEUE) | OF(PORT) | OF(SYSTEM_PORT) | OF(ASIC),
	[ENTITY_PRIORITY] = OF(PRIORITY) | OF(PORT) | OF(ASIC),
	[ENTITY_PRIORITY_GROUP] = OF(PRIORITY_GROUP) | OF(PORT) | OF(ASIC),
	[ENTITY_POOL_SHARE] = OF(POOL_SHARE) | OF(POOL) | OF(PORT) | OF(ASIC),
	[ENTITY_DATA_PATH] = OF(DATA_PATH) | OF(MODULE) | OF(PORT) | OF(ASIC),
	[ENTITY_SYSTEM_PORT] = OF(SYSTEM_PORT) | OF(ASIC),
	[ENTITY_FABRIC_PORT] = OF(FABRIC_PORT) | OF(ASIC),
};

/* A quantity, with an index, that some source reads. */
struct metric_column {
	const struct quantity_info *quantity;
	uint16_t index;
};

/* The current answer. */
struct metrics {
	struct query *q;
	enum metric_profile profile;
	const struct inventory_entity *places;
	size_t place_count;
	uint32_t *port_of;		/* by place, for cages and lanes */
	struct metric_column *column;	/* sorted */
	size_t columns;
};

static void port_serves(const struct metrics *m, uint32_t port, uint32_t entity)
{
	const struct inventory_entity *e = state_entity(m->q->ctx->state,
							entity);

	/* the first port of a cage */
	if (e && m->port_of[e - m->places] == ENTITY_NONE)
		m->port_of[e - m->places] = port;
}

/* Finds the port that each cage and each lane serves. */
static bool ports_find(struct metrics *m)
{
	const struct state *s = m->q->ctx->state;
	size_t ports = state_port_count(s);

	m->place_count = state_entities(s, &m->places);
	m->port_of = answer_room(m->q->a, (m->place_count + 1) *
				 sizeof(*m->port_of));
	if (!m->port_of)
		return false;
	memset(m->port_of, 0, (m->place_count + 1) * sizeof(*m->port_of));
	for (size_t i = 0; i < ports; i++) {
		uint32_t port = state_port(s, i);

		port_serves(m, port, state_port_module(s, port));
		for (unsigned n = 0; n < PORT_LANES_MAX; n++)
			port_serves(m, port, state_port_lane(s, port, n));
	}
	return true;
}

/* The entity itself, or the one above it, of that kind. */
static const struct inventory_entity *
ancestor(const struct metrics *m, const struct inventory_entity *e,
	 enum entity_kind kind)
{
	const struct state *s = m->q->ctx->state;
	uint32_t serves = m->port_of[e - m->places];

	while (e && e->key.kind != kind)
		e = state_entity(s, e->key.parent);
	return e || kind != ENTITY_PORT ? e : state_entity(s, serves);
}

static void label_cells(const struct metrics *m,
			const struct inventory_entity *e)
{
	char number[24];

	for (unsigned kind = 0; kind < ENTITY_KIND_COUNT; kind++) {
		const struct inventory_entity *of;

		if (!(labels[e->key.kind] & 1u << kind))
			continue;
		of = ancestor(m, e, (enum entity_kind)kind);
		if (of && !of->key.name[0]) {
			*number_digits(number, of->key.number, 1) = '\0';
			answer_text(m->q->a, number);
		} else {
			answer_text(m->q->a, of ? inventory_shown(of) : NULL);
		}
	}
}

/* Returns the number of label columns. */
static size_t label_columns(enum entity_kind kind, struct answer_column *ret)
{
	size_t n = 0;

	for (unsigned of = 0; of < ENTITY_KIND_COUNT; of++)
		if (labels[kind] & 1u << of)
			ret[n++] = (struct answer_column){
				metric_label((enum entity_kind)of), "",
				CELL_TEXT };
	return n;
}

/* --- values -------------------------------------------------------------- */

static int column_order(const void *left, const void *right)
{
	const struct metric_column *a = left, *b = right;

	if (a->quantity->id != b->quantity->id)
		return a->quantity->id < b->quantity->id ? -1 : 1;
	return (int)a->index - (int)b->index;
}

/* Lists once each what any source reads and the profile shows, and what Petrel
 * itself computes.
 */
static bool columns_find(struct metrics *m)
{
	static const enum quantity own[] = { Q_PRE_FEC_BER_E18,
					     Q_MARGIN_MILLI_DB };
	const struct sample_column *c;
	size_t n = state_columns(m->q->ctx->state, &c), kept = 0;

	m->column = answer_room(m->q->a, (n + 2) * sizeof(*m->column));
	for (size_t i = 0; m->column && i < n + 2; i++) {
		const struct quantity_info *q =
			quantity_find(i < n ? c[i].quantity : own[i - n]);

		if (q && metric_is_shown(m->profile, q))
			m->column[m->columns++] = (struct metric_column){
				q, i < n ? c[i].index : 0 };
	}
	if (!m->column)
		return false;
	qsort(m->column, m->columns, sizeof(*m->column), column_order);
	for (size_t i = 0; i < m->columns; i++)
		if (i == 0 || column_order(&m->column[i], &m->column[i - 1]))
			m->column[kept++] = m->column[i];
	m->columns = kept;
	return true;
}

/* The engine's values of the port's errors. */
static void view_cell(const struct metrics *m, uint32_t port,
		      enum quantity quantity)
{
	struct engine_view v;
	bool is_now;

	query_view(m->q->ctx, port, &v);
	is_now = cells_errors_quality(m->q, &v, quantity) != QUALITY_STALE;
	if (quantity == Q_PRE_FEC_BER_E18)
		answer_known(m->q->a, v.has_ber && is_now, v.pre_fec_ber_e18);
	else
		answer_known(m->q->a, v.has_margin && is_now,
			     v.margin_milli_db);
}

static void value_cell(const struct metrics *m, uint32_t entity,
		       const struct metric_column *c)
{
	enum quantity quantity = (enum quantity)c->quantity->id;
	struct state_value v;

	if (c->quantity->scope == ENTITY_PORT && c->index == 0 &&
	    (quantity == Q_PRE_FEC_BER_E18 || quantity == Q_MARGIN_MILLI_DB))
		view_cell(m, entity, quantity);
	else if (state_value(m->q->ctx->state, entity, quantity, c->index,
			     &v) &&
		 v.quality != QUALITY_STALE && v.quality != QUALITY_IMPLAUSIBLE)
		answer_integer(m->q->a, v.value);
	else
		answer_absent(m->q->a);
}

/* A table of a kind, with as many of the columns as fit. Returns how many were
 * taken.
 */
static size_t kind_table(const struct metrics *m, enum entity_kind kind,
			 size_t first)
{
	struct answer_column columns[TABLE_COLUMNS_MAX + 1];
	const struct metric_column *of[TABLE_COLUMNS_MAX];
	char index[TABLE_COLUMNS_MAX][METRIC_LABEL_MAX];
	size_t labels_n = label_columns(kind, columns), n = labels_n, at = 0;
	size_t i = first;
	const struct inventory_entity *e;

	for (; i < m->columns && n < TABLE_COLUMNS_MAX; i++) {
		if (!quantity_fits(m->column[i].quantity, kind))
			continue;
		of[n] = &m->column[i];
		metric_index(of[n]->quantity, of[n]->index, index[n]);
		columns[n] = (struct answer_column){ of[n]->quantity->name,
						     index[n], CELL_INTEGER };
		n++;
	}
	columns[n].key = NULL;
	if (n > labels_n)
		answer_columns(m->q->a, entity_kind_name(kind), columns, false);
	while (n > labels_n && (e = query_next(m->q->ctx, kind, &at))) {
		answer_row(m->q->a);
		label_cells(m, e);
		for (size_t k = labels_n; k < n; k++)
			value_cell(m, e->id, of[k]);
	}
	return i - first;
}

/* --- identities ---------------------------------------------------------- */

static void info_column(struct query *q)
{
	answer_integer(q->a, 1);
}

struct about_row {
	const char *version, *name, *id;
};

static void rows_about(struct query *q)
{
	answer_table(q->a, q->shape);
	q->of[OF_ROW] = state_switch(q->ctx->state);
	cells_members(q, &(struct about_row){
		      q->ctx->version, q->ctx->switch_name,
		      member_text(q->ctx->switch_id) });
}

static const struct answer_shape shape_build = {
	"build", .single = true, .rows = rows_about, .columns = {
	{ "version", "", CELL_TEXT, AT(about, version) },
	{ "build_info", "The version of petreld", CELL_INTEGER,
	  .from = info_column },
	{ .key = NULL },
} };

static const struct answer_shape shape_switch = {
	"switch_info", .single = true, .rows = rows_about, .columns = {
	{ "switch", "", CELL_TEXT, AT(about, name) },
	{ "switch_id", "", CELL_TEXT, AT(about, id) },
	{ "platform", "", CELL_TEXT, ATTRIBUTE_PLATFORM },
	{ "hwsku", "", CELL_TEXT, ATTRIBUTE_HWSKU },
	{ "rack", "", CELL_TEXT, ATTRIBUTE_RACK },
	{ "switch_info", "The switch", CELL_INTEGER, .from = info_column },
	{ .key = NULL },
} };

/* In wall time, in whole milliseconds, so that the same moment is the same
 * sample in the next scrape. ns 0: it never happened.
 */
static void then_cell(struct query *q, struct mono then)
{
	int64_t wall_ns = q->now.wall.ns - mono_diff_ns(q->now.mono, then);

	answer_known(q->a, then.ns, wall_ns - wall_ns % NS_PER_MS);
}

/* The same for a member of the row's struct. */
static void then_column(struct query *q)
{
	const void *at = (const char *)q->row + q->column->what;

	then_cell(q, *(const struct mono *)at);
}

static void cage_column(struct query *q)
{
	const struct inventory_entity *e = state_entity(q->ctx->state,
							q->of[OF_MODULE]);
	char number[24];

	*number_digits(number, e ? e->key.number : 0, 1) = '\0';
	answer_text(q->a, e ? number : NULL);
}

static const struct answer_shape shape_port_info = {
	"port_info", .rows = rows_ports, .columns = {
	{ "port", "", CELL_TEXT, AT(port, name) },
	{ "alias", "", CELL_TEXT, ATTRIBUTE_ALIAS },
	{ "cage", "", CELL_TEXT, .from = cage_column },
	{ "media", "", CELL_TEXT, AT(port, media) },
	{ "peer_switch", "", CELL_TEXT, AT(port, peer_switch) },
	{ "peer_port", "", CELL_TEXT, AT(port, peer_port) },
	{ "port_info", "A port, and what is at its other end",
	  CELL_INTEGER, .from = info_column },
	{ .key = NULL },
} };

static const struct answer_shape shape_port_events = {
	"port_events", .rows = rows_ports, .columns = {
	{ "port", "", CELL_TEXT, AT(port, name) },
	{ "link_change_timestamp_seconds", "When the link last went up or down",
	  CELL_WALL_NS, AT(port, turned_at), then_column },
	{ .key = NULL },
} };

/* Absent if the module was never read. */
static void module_info_column(struct query *q)
{
	uint32_t module = q->of[OF_MODULE];

	answer_known(q->a, query_attribute(q->ctx, module, ATTRIBUTE_VENDOR) ||
		     query_attribute(q->ctx, module, ATTRIBUTE_SERIAL), 1);
}

static const struct answer_shape shape_module_info = {
	"module_info", .rows = rows_ports, .columns = {
	{ "port", "", CELL_TEXT, AT(port, name) },
	{ "cage", "", CELL_TEXT, .from = cage_column },
	{ "vendor", "", CELL_TEXT, ATTRIBUTE_VENDOR, .of = OF_MODULE },
	{ "part", "", CELL_TEXT, ATTRIBUTE_PART, .of = OF_MODULE },
	{ "revision", "", CELL_TEXT, ATTRIBUTE_REVISION, .of = OF_MODULE },
	{ "serial", "", CELL_TEXT, ATTRIBUTE_SERIAL, .of = OF_MODULE },
	{ "firmware", "", CELL_TEXT, ATTRIBUTE_FIRMWARE, .of = OF_MODULE },
	{ "form_factor", "", CELL_TEXT, ATTRIBUTE_FORM_FACTOR,
	  .of = OF_MODULE },
	{ "module_info", "The module of a port", CELL_INTEGER,
	  .from = module_info_column },
	{ .key = NULL },
} };

/* --- findings ------------------------------------------------------------ */

static void finding_row(struct query *q, const struct finding *f)
{
	struct answer *a = q->a;

	answer_row(a);
	answer_text(a, f->id);
	answer_text(a, signature_name(f->signature));
	answer_text(a, severity_name(f->severity));
	answer_text(a, finding_port(f, NULL));
	answer_text_if(a, f->subject);
	answer_text(a, cause_name(f->cause_id));
	answer_text(a, fault_end_name(f->end));
	answer_text(a, action_name(f->action));
	answer_text(a, drain_name(f->drain));
	answer_integer(a, 1);
	answer_integer(a, f->onset_wall.ns);
	answer_integer(a, llround((double)f->confidence * 1e6));
}

static void rows_findings(struct query *q)
{
	const struct finding *open[QUERY_FINDINGS_MAX];
	size_t n = query_findings(q->ctx, open);

	answer_table(q->a, q->shape);
	for (size_t i = 0; i < n; i++)
		finding_row(q, open[i]);
}

static const struct answer_shape shape_open = {
	"open", .rows = rows_findings, .columns = {
	{ "finding_id", "", CELL_TEXT },
	{ "signature", "", CELL_TEXT },
	{ "severity", "", CELL_TEXT },
	{ "port", "", CELL_TEXT },
	{ "subject", "", CELL_TEXT },
	{ "cause", "", CELL_TEXT },
	{ "end", "", CELL_TEXT },
	{ "action", "", CELL_TEXT },
	{ "drain", "", CELL_TEXT },
	{ "finding_active", "1: the finding is open", CELL_INTEGER },
	{ "finding_onset_timestamp_seconds", "When the fault began",
	  CELL_WALL_NS },
	{ "finding_confidence_ratio", "Confidence of the cause", CELL_PPM },
	{ .key = NULL },
} };

static void rows_severities(struct query *q)
{
	const struct finding *open[QUERY_FINDINGS_MAX];
	size_t n = query_findings(q->ctx, open);

	answer_table(q->a, q->shape);
	for (int s = 1; s < SEVERITY_COUNT; s++) {
		int64_t count = 0;

		for (size_t i = 0; i < n; i++)
			count += (int)open[i]->severity == s;
		answer_row(q->a);
		answer_text(q->a, severity_name((enum severity)s));
		answer_integer(q->a, count);
	}
}

static const struct answer_shape shape_severities = {
	"severities", .rows = rows_severities, .columns = {
	{ "severity", "", CELL_TEXT },
	{ "findings", "Open findings", CELL_INTEGER },
	{ .key = NULL },
} };

static void rows_signature_ports(struct query *q)
{
	unsigned ports[WATCH_COUNT];

	answer_table(q->a, q->shape);
	for (int s = 1; s < SIGNATURE_COUNT; s++) {
		coverage_ports(q->ctx, (enum signature)s, ports);
		for (int w = WATCH_ARMED; w < WATCH_COUNT; w++) {
			answer_row(q->a);
			answer_text(q->a, signature_name((enum signature)s));
			answer_text(q->a, watch_name((enum watch)w));
			answer_integer(q->a, ports[w]);
		}
	}
}

static const struct answer_shape shape_signature_ports = {
	"signature_ports", .rows = rows_signature_ports, .columns = {
	{ "signature", "", CELL_TEXT },
	{ "state", "", CELL_TEXT },
	{ "signature_ports", "Ports by how well a signature sees them: armed, "
	  "limited, blind, n/a",
	  CELL_INTEGER },
	{ .key = NULL },
} };

/* --- Petrel's own -------------------------------------------------------- */

static const struct answer_shape shape_own_sources = {
	"own_sources", .rows = rows_sources, .columns = {
	{ "source", "", CELL_TEXT, AT(source, name) },
	{ "source_fresh", "1: the source answers as often as it is asked",
	  CELL_INTEGER, AT(source, is_fresh) },
	{ "source_supported", "0: this switch has no such source",
	  CELL_INTEGER, AT(source, is_supported) },
	{ "source_values_total", "Values that the source gave", CELL_UNSIGNED,
	  AT(source, values) },
	{ "source_period_seconds", "How often the source is asked", CELL_NS,
	  AT(source, period_ns) },
	{ "source_last_taken_timestamp_seconds", "When the source's newest "
	  "value was taken", CELL_WALL_NS, AT(source, taken), then_column },
	{ .key = NULL },
} };

static const struct answer_shape shape_own_processes = {
	"own_processes", .rows = rows_processes, .columns = {
	{ "process", "", CELL_TEXT, AT(process, name) },
	{ "process_up", "1: this process of petreld runs", CELL_INTEGER,
	  AT(process, is_up) },
	{ "process_restarts_total", "How often the process was restarted",
	  CELL_UNSIGNED, AT(process, restarts) },
	{ "process_start_time_seconds", "When the process was started",
	  CELL_WALL_NS, AT(process, started), then_column },
	{ .key = NULL },
} };

static void rows_exporter(struct query *q)
{
	const struct control_exporter *x = &q->ctx->control->exporter;

	if (q->ctx->control->process[ROLE_EXPORTER].is_off)
		return;
	answer_table(q->a, q->shape);
	answer_row(q->a);
	answer_integer(q->a, (int64_t)x->requests);
	answer_integer(q->a, (int64_t)x->refused);
	answer_integer(q->a, (int64_t)x->overdue);
	answer_integer(q->a, x->connections);
}

static const struct answer_shape shape_exporter = {
	"exporter", .single = true, .rows = rows_exporter, .columns = {
	{ "exporter_requests_total", "Requests to the exporter",
	  CELL_UNSIGNED },
	{ "exporter_refused_requests_total", "Requests that the exporter "
					     "refused",
	  CELL_UNSIGNED },
	{ "exporter_overdue_connections_total", "Connections that the exporter "
	  "closed because they were too slow", CELL_UNSIGNED },
	{ "exporter_connections", "Connections to the exporter", CELL_INTEGER },
	{ .key = NULL },
} };

static void rows_delivery(struct query *q)
{
	const struct control *c = q->ctx->control;
	struct config config;
	char text[DIAG_MAX];

	(void)control_config(q->ctx->control, &config);
	answer_table(q->a, q->shape);
	answer_row(q->a);
	answer_integer(q->a, control_text_get(&q->ctx->control->refused, text));
	answer_integer(q->a, q->ctx->budget && q->ctx->budget->is_lost);
	if (!config.collector[0][0])
		return;		/* findings stay on the switch */
	answer_integer(q->a, c->push.connected);
	then_cell(q, (struct mono){ c->push.last_ack_ns });
	answer_integer(q->a, (int64_t)c->push.sent_records);
	answer_integer(q->a, (int64_t)c->push.sent_octets);
	answer_integer(q->a, (int64_t)c->push.gap_records);
	answer_integer(q->a, (int64_t)c->spool.held_octets);
	answer_integer(q->a, (int64_t)config.spool_octets);
	answer_integer(q->a, (int64_t)c->spool.dropped_records);
	answer_integer(q->a, c->spool.fault != 0);
}

static const struct answer_shape shape_delivery = {
	"delivery", .single = true, .rows = rows_delivery, .columns = {
	{ "config_refused", "1: the previous configuration stays in force",
	  CELL_INTEGER },
	{ "over_budget", "1: Petrel exceeds its budget with all slow sources "
			 "slowed",
	  CELL_INTEGER },
	{ "collector_connected", "1: the collector answers", CELL_INTEGER },
	{ "collector_acknowledged_timestamp_seconds",
	  "When the collector last acknowledged records", CELL_WALL_NS },
	{ "sent_records_total", "Records sent to the collector",
	  CELL_UNSIGNED },
	{ "sent_bytes_total", "Bytes sent to the collector", CELL_UNSIGNED },
	{ "gap_records_total", "Records that report lost records to the "
	  "collector", CELL_UNSIGNED },
	{ "spool_bytes", "Size of the spool on flash", CELL_INTEGER },
	{ "spool_limit_bytes", "Maximum size of the spool", CELL_INTEGER },
	{ "spool_dropped_records_total", "Records that the spool dropped",
	  CELL_UNSIGNED },
	{ "spool_failed", "1: the spool cannot be written", CELL_INTEGER },
	{ .key = NULL },
} };

/* --- the answer ---------------------------------------------------------- */

const struct answer_shape *const metrics_own[METRICS_OWN_COUNT + 1] = {
	&shape_build, &shape_switch, &shape_open, &shape_severities,
	&shape_signature_ports, &shape_own_sources, &shape_own_processes,
	&shape_delivery, &shape_exporter,
	&shape_port_info, &shape_port_events, &shape_module_info,
};

int verbs_metrics(struct query *q)
{
	struct metrics m = { .q = q };
	const char *name = q->request->n_args ? q->request->args[0] : "";
	int profile = names_parse(metric_profiles, PROFILE_COUNT, name);

	if (profile < 0)
		return answer_error(q->a, EXIT_USAGE, "no profile '%.32s'; "
				    "expected findings, links, queues or all",
				    name);
	m.profile = (enum metric_profile)profile;
	for (size_t i = 0; i < (m.profile == PROFILE_FINDINGS ?
				METRICS_OWN_OF_PORTS : METRICS_OWN_COUNT);
	     i++) {
		q->shape = metrics_own[i];
		q->shape->rows(q);
	}
	if (!ports_find(&m) || !columns_find(&m))
		return EXIT_ANSWERED;	/* incomplete, and marked so */
	for (unsigned kind = ENTITY_SWITCH; kind < ENTITY_KIND_COUNT; kind++)
		for (size_t at = 0; at < m.columns;)
			at += kind_table(&m, (enum entity_kind)kind, at);
	return EXIT_ANSWERED;
}
