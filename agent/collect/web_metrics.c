#include "agent/collect/web_metrics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include <sqlite3.h>

#include "agent/collect/fabric_answer.h"
#include "agent/collect/sinks.h"
#include "agent/query/answer.h"
#include "petrel/finding.h"
#include "petrel/local.h"
#include "petrel/quantity.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct answer_shape shape_up = { "up", .columns = {
	{ "switch", "", CELL_TEXT },
	{ "switch_up", "1: the switch was heard within silent_after",
	  CELL_INTEGER },
	{ "switch_last_record_timestamp_seconds", "When the last record of the "
	  "switch was kept", CELL_WALL_NS },
	{ .key = NULL },
} };

static const struct answer_shape shape_info = { "info", .columns = {
	{ "switch", "", CELL_TEXT },
	{ "switch_id", "", CELL_TEXT },
	{ "version", "", CELL_TEXT },
	{ "agent_info", "The version of a switch's agent", CELL_INTEGER },
	{ .key = NULL },
} };

#define LABEL(key) { key, "", CELL_TEXT }

static const struct answer_shape shape_site = { "sites", .columns = {
	LABEL("switch"), LABEL("switch_id"), LABEL("platform"), LABEL("hwsku"),
	LABEL("rack"),
	{ "switch_info", "The switch", CELL_INTEGER },
	{ .key = NULL },
} };

static const struct answer_shape shape_port_info = { "ports", .columns = {
	LABEL("switch"), LABEL("port"), LABEL("alias"), LABEL("cage"),
	LABEL("media"), LABEL("peer_switch"), LABEL("peer_port"),
	{ "port_info", "A port, and what is at its other end", CELL_INTEGER },
	{ .key = NULL },
} };

static const struct answer_shape shape_module_info = { "modules", .columns = {
	LABEL("switch"), LABEL("port"), LABEL("cage"), LABEL("vendor"),
	LABEL("part"), LABEL("revision"), LABEL("serial"), LABEL("firmware"),
	LABEL("form_factor"),
	{ "module_info", "The module of a port", CELL_INTEGER },
	{ .key = NULL },
} };

static const struct answer_shape shape_open = { "open", .columns = {
	{ "switch", "", CELL_TEXT },
	{ "severity", "", CELL_TEXT },
	{ "findings", "Open findings", CELL_INTEGER },
	{ .key = NULL },
} };

static const struct answer_shape shape_active = { "active", .columns = {
	{ "switch", "", CELL_TEXT },
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

static const struct answer_shape shape_seen = { "seen", .columns = {
	{ "signature", "", CELL_TEXT },
	{ "state", "", CELL_TEXT },
	{ "signature_ports", "Ports of all switches together that a signature "
	  "sees (armed), sees in part (limited), cannot see (blind); of a "
	  "silent switch those that it last reported",
	  CELL_INTEGER },
	{ .key = NULL },
} };

static const struct answer_shape shape_collector_own = { "own", .columns = {
	{ "version", "", CELL_TEXT },
	{ "collector_build_info", "The version of petrel-collector",
	  CELL_INTEGER },
	{ .key = NULL },
} };

static const struct answer_shape shape_intake = { "intake", .columns = {
	{ "spool_bytes", "Size of the spool", CELL_INTEGER },
	{ "spool_limit_bytes", "Maximum size of the spool", CELL_INTEGER },
	{ "spool_full", "1: the spool accepts nothing, because a sink is "
			"behind",
	  CELL_INTEGER },
	{ "spool_failed", "1: the spool cannot be written, or its disk does "
			  "not answer",
	  CELL_INTEGER },
	{ "kept_records_total", "Records kept since the start", CELL_UNSIGNED },
	{ "gap_records_total", "Records that report records that no agent can "
	  "send any more", CELL_UNSIGNED },
	{ "refused_frames_total", "Frames that were refused", CELL_UNSIGNED },
	{ "same_id_frames_total", "Frames of a switch whose id another agent "
	  "has too", CELL_UNSIGNED },
	{ "connections", "Connections of agents", CELL_INTEGER },
	{ .key = NULL },
} };

static const struct answer_shape shape_sinks = { "sinks", .columns = {
	{ "sink", "", CELL_TEXT },
	{ "sink_up", "1: the sink works", CELL_INTEGER },
	{ "sink_given_up", "1: the spool no longer waits for the sink",
	  CELL_INTEGER },
	{ "sink_lag_seconds", "How long the oldest record has waited for the "
			      "sink", CELL_NS },
	{ "sink_applied_total", "What the sink accepted", CELL_UNSIGNED },
	{ "sink_refused_total", "What the sink's engine refused for good",
	  CELL_UNSIGNED },
	{ "sink_held_back_total", "What is above a limit of the configuration",
	  CELL_UNSIGNED },
	{ "sink_retries_total", "How often the sink was tried again",
	  CELL_UNSIGNED },
	{ "sink_replays_total", "How often records were sent again that the "
				"engine had lost",
	  CELL_UNSIGNED },
	{ .key = NULL },
} };

/* A switch that is silent and may not connect has no metrics. */
static bool is_shown(const struct fabric_desk *desk,
		     const struct fabric_switch *s)
{
	struct standing_switch st;

	return standing_get(desk->standing, s->switch_id, &st);
}

/* The switches that have metrics, in memory that the caller frees; NULL: out of
 * memory.
 */
static struct fabric_switch *shown_list(const struct fabric_desk *desk,
					const struct fabric_switch *list,
					int n, int *ret_n)
{
	struct fabric_switch *shown = calloc((size_t)n + 1, sizeof(*shown));

	*ret_n = 0;
	for (int i = 0; shown && i < n; i++)
		if (is_shown(desk, &list[i]))
			shown[(*ret_n)++] = list[i];
	return shown;
}

static void switches_add(const struct fabric_desk *desk, struct answer *a,
			 const struct fabric_switch *list, int n)
{
	answer_table(a, &shape_up);
	for (int i = 0; i < n; i++) {
		struct standing_switch st = { .is_up = false };

		if (!standing_get(desk->standing, list[i].switch_id, &st))
			continue;	/* not any more */
		answer_row(a);
		answer_text(a, list[i].shown);
		answer_integer(a, st.is_up);
		answer_known(a, st.recorded.ns, st.recorded.ns);
	}
	answer_table(a, &shape_info);
	for (int i = 0; i < n; i++) {
		answer_row(a);
		answer_text(a, list[i].shown);
		answer_text(a, list[i].switch_id);
		answer_text(a, list[i].version);
		answer_integer(a, 1);
	}
}

/* Rows of labels, whose metric is always 1. */
struct label_rows {
	struct answer *a;
	const char *shown;		/* the switch */
};

static int labels_add(void *context, sqlite3_stmt *row)
{
	const struct label_rows *r = context;

	answer_row(r->a);
	answer_text(r->a, r->shown);
	for (int i = 0; i < sqlite3_column_count(row); i++)
		answer_text_if(r->a, statement_text(row, i));
	answer_integer(r->a, 1);
	return 0;
}

/* What the exporter of each switch calls the same. */
static int ports_add(const struct fabric_desk *desk, struct answer *a,
		     const struct fabric_switch *list, int n, struct diag *d)
{
	static const struct answer_shape *const shapes[] = {
		[FABRIC_SITE] = &shape_site,
		[FABRIC_PORTS] = &shape_port_info,
		[FABRIC_MODULES] = &shape_module_info,
	};
	int err = 0;

	for (unsigned what = 0; what < COUNT(shapes); what++) {
		answer_table(a, shapes[what]);
		for (int i = 0; err == 0 && i < n; i++)
			err = statement_each(fabric_asks(desk->fabric), what, d,
					     labels_add, &(struct label_rows){
						     a, list[i].shown },
					     "i", list[i].row);
	}
	return err;
}

/* Collects open findings, and counts them per switch. */
struct open_count {
	const struct fabric_desk *desk;
	struct answer *a;
	const struct fabric_switch *list;
	int64_t (*of)[SEVERITY_COUNT];
};

static void finding_add(void *context, const struct fabric_switch *s,
			  const struct finding *f)
{
	struct open_count *c = context;

	if (!is_shown(c->desk, s))
		return;
	c->of[s - c->list][f->severity]++;
	answer_row(c->a);
	answer_text(c->a, s->shown);
	answer_text(c->a, f->id);
	answer_text(c->a, signature_name(f->signature));
	answer_text(c->a, severity_name(f->severity));
	answer_text_if(c->a, finding_port(f, NULL));
	answer_text(c->a, f->subject);
	answer_text(c->a, cause_name(f->cause_id));
	answer_text(c->a, fault_end_name(f->end));
	answer_text(c->a, action_name(f->action));
	answer_text(c->a, drain_name(f->drain));
	answer_integer(c->a, 1);
	answer_integer(c->a, f->onset_wall.ns);
	answer_integer(c->a, llround((double)f->confidence * 1e6));
}

static int findings_add(const struct fabric_desk *desk, struct answer *a,
			const struct fabric_switch *list, int n,
			struct diag *d)
{
	struct open_count c = { .desk = desk, .a = a, .list = list };
	int err;

	c.of = calloc((size_t)n + 1, sizeof(*c.of));
	if (!c.of)
		return diag_set(d, -ENOMEM, "out of memory");
	answer_table(a, &shape_active);
	err = fabric_findings(desk->fabric, NULL, finding_add, &c, d);
	answer_table(a, &shape_open);
	for (int i = 0; err == 0 && i < n; i++)
		for (int s = SEVERITY_WATCH; s < SEVERITY_COUNT &&
		     is_shown(desk, &list[i]); s++) {
			answer_row(a);
			answer_text(a, list[i].shown);
			answer_text(a, severity_name((enum severity)s));
			answer_integer(a, c.of[i][s]);
		}
	free(c.of);
	return err;
}

static void sinks_add(struct sinks *sinks, struct answer *a)
{
	struct sink_figures f;

	answer_table(a, &shape_sinks);
	for (unsigned i = 0; sinks_figures(sinks, i, &f); i++) {
		answer_row(a);
		answer_text(a, f.name);
		answer_integer(a, !f.is_down);
		answer_integer(a, f.is_given_up);
		answer_integer(a, f.lag_ns);
		answer_integer(a, (int64_t)f.count.applied);
		answer_integer(a, (int64_t)f.count.refused);
		answer_integer(a, (int64_t)f.count.held_back);
		answer_integer(a, (int64_t)f.retries);
		answer_integer(a, (int64_t)f.count.replays);
	}
}

static void own_add(const struct web_health *h, struct answer *a)
{
	answer_table(a, &shape_collector_own);
	answer_row(a);
	answer_text(a, PETREL_VERSION);
	answer_integer(a, 1);
	answer_table(a, &shape_intake);
	answer_row(a);
	answer_integer(a, (int64_t)h->spool_octets);
	answer_integer(a, (int64_t)h->spool_octets_max);
	answer_integer(a, h->is_full);
	answer_integer(a, h->trouble[0] && !h->is_full);
	answer_integer(a, (int64_t)h->records);
	answer_integer(a, (int64_t)h->gaps);
	answer_integer(a, (int64_t)h->refused);
	answer_integer(a, (int64_t)h->same_id);
	answer_integer(a, h->connections);
}

/* Ports that each signature sees, over all switches that report it. */
static void seen_add(const struct fabric_desk *desk, struct answer *a,
		     const struct fabric_switch *list, int n)
{
	static const struct { enum quantity quantity; const char *state; }
	states[] = {
		{ Q_SELF_ARMED_PORTS, "armed" },
		{ Q_SELF_LIMITED_PORTS, "limited" },
		{ Q_SELF_BLIND_PORTS, "blind" },
	};

	answer_table(a, &shape_seen);
	for (size_t k = 0; k < COUNT(states); k++)
		for (int s = 1; s < SIGNATURE_SWITCH_SILENT; s++) {
			int64_t ports = fabric_sum(desk->fabric, list, n,
						   states[k].quantity, s);

			if (ports < 0)
				continue;	/* no switch reports it */
			answer_row(a);
			answer_text(a, signature_name((enum signature)s));
			answer_text(a, states[k].state);
			answer_integer(a, ports);
		}
}

/* What is of switches. */
static int fleet_add(const struct fabric_desk *desk, struct answer *a,
		     const struct fabric_switch *list, int n, struct diag *d)
{
	int count, err;
	struct fabric_switch *shown = shown_list(desk, list, n, &count);

	if (!shown)
		return diag_set(d, -ENOMEM, "out of memory");
	switches_add(desk, a, shown, count);
	err = ports_add(desk, a, shown, count, d);
	if (err == 0)
		err = findings_add(desk, a, list, n, d);
	if (err == 0)
		seen_add(desk, a, shown, count);
	free(shown);
	return err;
}

int web_metrics(const struct fabric_desk *desk, const struct web_health *health,
		struct sinks *sinks, struct answer *ret, struct diag *d)
{
	const struct fabric_switch *list;
	int n = fabric_switches(desk->fabric, &list, d);

	answer_clear(ret);
	answer_head(ret, "", clock_wall_now().ns);
	own_add(health, ret);
	sinks_add(sinks, ret);
	return n < 0 ? n : fleet_add(desk, ret, list, n, d);
}
