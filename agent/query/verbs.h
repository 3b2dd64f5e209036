/* What the rows of the table of verbs (verb_table.h) are answered with. A verb
 * answers from memory and never waits; clients that wait for more (who follows,
 * who records, who reloads) cost nothing until the core calls verbs_tick() or
 * one of its sisters.
 */

#include "agent/query/cells.h"
#include "agent/query/port_choice.h"
#pragma once

/* Answers q->request, from the core or from what petrel read off the rings;
 * q has context, client, request and answer. Returns as verb->answer.
 */
int verb_answer(const struct verb *v, struct query *q);
/* All tables of q->verb, in its order, sorted as the request wants. */
int verb_tables(struct query *q);
/* The first table by the request's column, rows without a value last; then the
 * first so many of them. Returns an exit code.
 */
int verb_order(struct query *q);

/* Makes ctx->waiting; ctx->server is set by the caller when it is there. */
int verbs_init(struct query_context *ctx);
/* Frees ctx->waiting; the server must be gone by then. */
void verbs_fini(struct query_context *ctx);
/* For the server, with a struct query_context. */
int verbs_handle(void *context, const struct verb *v,
		 struct query_client *client, const Petrel__Request *request,
		 struct answer *a);

/* After a finding was appended to the ring. */
void verbs_findings_changed(struct query_context *ctx);
/* After an event was added to the history. */
void verbs_events_changed(struct query_context *ctx);
/* When the samples of a tick are all in; verbs_tick() does it. */
void verbs_samples_taken(struct query_context *ctx);
/* When config_event_fd said that a reload ended. */
void verbs_reload_done(struct query_context *ctx);

/* --- rows ---------------------------------------------------------------- */

/* One row; a row for each port that is wanted; for each entity of the shape's
 * kind, by q->wanted where it is of ports, else by parts of its name; for each
 * entity of that kind that belongs to a wanted one of its parent's kind; and
 * how many rows were left out.
 */
rows_fn rows_single, rows_ports, rows_entities, rows_children, rows_folded;

/* Sets the row's entity to what the request's words name. Returns
 * EXIT_ANSWERED, or an error's exit code.
 */
int show_find(struct query *q);
/* A value as petrel show prints it, with its unit. */
#define VALUE_TEXT_MAX 64
void show_value_text(const struct quantity_info *q, int64_t value,
		     char ret[static VALUE_TEXT_MAX]);

struct Petrel__Capsule;
/* A part of the capsule of a finding, if it is that one's: its rows, and behind
 * the last part a note. *ret_parts counts, from 0 on.
 */
void verbs_capsule_part(struct query *q, const struct Petrel__Capsule *m,
			const char *id, unsigned *ret_parts);

/* Lines of a trace: of the ports that are wanted, and of what they and the
 * sensors brought in the tick that q->now is of.
 */
void verbs_trace_ports(struct query *q);
void verbs_trace_tick(struct query *q);

/* What has its own code, in the files verbs_*.c. */
int verbs_compare(struct query *q);
int verbs_config(struct query *q);
int verbs_events(struct query *q);
int verbs_findings(struct query *q);
int verbs_health(struct query *q);
int verbs_metrics(struct query *q);
int verbs_overview(struct query *q);
int verbs_port(struct query *q);
int verbs_record(struct query *q);
int verbs_reload(struct query *q);
int verbs_show(struct query *q);
int verbs_status(struct query *q);
int verbs_switches(struct query *q);
int verbs_coverage(struct query *q);

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

/* What metrics has beside the values of quantities; from the middle on, what is
 * of ports, and not in the profile findings. NULL behind the last.
 */
#define METRICS_OWN_OF_PORTS 9u
#define METRICS_OWN_COUNT 12u
extern const struct answer_shape *const metrics_own[METRICS_OWN_COUNT + 1];
extern const struct answer_shape shape_switches;
