/* Petrel's verbs: the command line, petreld's socket, help, the completion and
 * petrel-json(7) come from their table. A new verb is a row there, and a shape
 * that says where its cells come from.
 *
 * A verb answers from memory and never waits; clients that wait for more (to
 * follow, to record, to reload) cost nothing until the core calls verbs_tick()
 * or a similar function.
 */
#pragma once

#include "agent/query/cells.h"
#include "agent/query/port_choice.h"

extern const struct verb verb_table[];

/* Answers q->request, from the core or from what petrel read from the rings; q
 * has context, client, request and answer. Returns as verb->answer.
 */
int verb_answer(const struct verb *v, struct query *q);
/* Makes all tables of q->verb, in its order, sorted as the request wants. */
int verb_tables(struct query *q);
/* Sorts the first table by the request's column, rows without a value last;
 * then keeps as many as it wants. Returns an exit code.
 */
int verb_order(struct query *q);

/* For the server; context is a struct query_context. */
int verbs_handle(void *context, const struct verb *v,
		 struct query_client *client, const Petrel__Request *request,
		 struct answer *a);

/* At the end of each tick, with all its values: serves waiting clients. */
void verbs_tick(struct query_context *ctx);
/* After a finding was appended to the ring. */
void verbs_findings_changed(struct query_context *ctx);
/* After an event was added to the history. */
void verbs_events_changed(struct query_context *ctx);
/* When all samples of a tick are in; verbs_tick() calls it. */
void verbs_samples_taken(struct query_context *ctx);
/* When config_event_fd reports that a reload ended. */
void verbs_reload_done(struct query_context *ctx);

/* --- rows ---------------------------------------------------------------- */

/* One row; a row for each wanted port; for each entity of the shape's kind, by
 * q->wanted if it is a kind of port, else by parts of its name; for each entity
 * of that kind below a wanted one of its parent's kind; and how many rows were
 * left out.
 */
rows_fn rows_single, rows_ports, rows_entities, rows_children, rows_folded;

/* One for each process of the agent that is not off, and for each source. */
rows_fn rows_processes, rows_sources;
struct process_row {
	const char *name, *state, *death;
	int64_t is_up, pid, uptime_ns, restarts, cpu_ppm, memory;
	struct mono heartbeat, started;
};
struct source_row {
	const char *name, *state, *reason, *words;
	int64_t is_fresh, is_supported, period_ns, interval_ns, values;
	struct mono taken, fresh;
};

/* Sets the row's entity to the one that the request's words name. Returns
 * EXIT_ANSWERED, or an error's exit code.
 */
int show_find(struct query *q);
/* A value as petrel show prints it, with its unit. */
#define VALUE_TEXT_MAX 64
/* Whether that is another unit than the quantity's own. */
bool show_is_scaled(const struct quantity_info *q);
void show_value_text(const struct quantity_info *q, int64_t value,
		     char ret[static VALUE_TEXT_MAX]);

struct Petrel__Capsule;
/* Adds a part of a finding's capsule, if it is that finding's: its rows, and a
 * note after the last part. *ret_parts counts, from 0 on.
 */
void verbs_capsule_part(struct query *q, const struct Petrel__Capsule *m,
			const char *id, unsigned *ret_parts);

/* Lines of a trace: the wanted ports; and the readings of these and of the
 * sensors in the tick of q->now.
 */
void verbs_trace_ports(struct query *q);
void verbs_trace_tick(struct query *q);

/* Verbs with their own code, in the files verbs_*.c. */
answer_fn verbs_compare, verbs_config, verbs_coverage, verbs_events,
	  verbs_findings, verbs_health, verbs_metrics, verbs_overview,
	  verbs_port, verbs_record, verbs_reload, verbs_show, verbs_status;

extern const struct answer_shape shape_agent, shape_processes, shape_sources,
	shape_streams, shape_collector, shape_collectors, shape_spool,
	shape_tiers;
extern const struct answer_shape shape_coverage, shape_reasons, shape_limits,
	shape_watched, shape_watched_by_reason, shape_benign,
	shape_congestion, shape_capsule;
extern const struct answer_shape shape_ports, shape_links, shape_fabric,
	shape_queues, shape_voqs, shape_groups, shape_pools, shape_sensors;
extern const struct answer_shape shape_modules, shape_lanes, shape_flags;
extern const struct answer_shape shape_port, shape_port_module,
	shape_port_fec, shape_port_lanes, shape_port_history,
	shape_port_counters, shape_port_watched;
extern const struct answer_shape shape_entity, shape_attributes, shape_values,
	shape_children, shape_absent;
extern const struct answer_shape shape_history, shape_history_reach;
extern const struct answer_shape shape_compare;
extern const struct answer_shape shape_changes, shape_events, shape_memory;
extern const struct answer_shape shape_overview, shape_wrong, shape_next;
extern const struct answer_shape shape_health, shape_config, shape_waiting;
extern const struct answer_shape shape_folded;

/* What metrics has besides the values of quantities; those from
 * METRICS_OWN_OF_PORTS on are of ports, and not in the profile findings. NULL
 * after the last.
 */
#define METRICS_OWN_OF_PORTS 9u
#define METRICS_OWN_COUNT 12u
extern const struct answer_shape *const metrics_own[METRICS_OWN_COUNT + 1];
extern const struct answer_shape shape_switches;
