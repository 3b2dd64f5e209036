/* The tables of each verb's answer, for whoever has to list them: the manual
 * of the JSON is printed from here.
 */
#pragma once

#include "agent/query/answer.h"

#define SHAPES_MAX 8

/* A verb, and the tables that its answer may have, in their order. */
struct verb_shapes {
	const char *verb;
	const struct answer_shape *shape[SHAPES_MAX];	/* the rest NULL */
	bool has_findings;		/* and the list of them */
};

/* A NULL verb ends the list. */
extern const struct verb_shapes verb_shapes[];

/* Each beside the code that fills it. */
extern const struct answer_shape shape_agent, shape_processes, shape_sources,
	shape_streams, shape_collector, shape_spool;
extern const struct answer_shape shape_coverage, shape_reasons, shape_limits,
	shape_watched, shape_watched_by_reason, shape_benign;
extern const struct answer_shape shape_ports, shape_links, shape_modules,
	shape_lanes, shape_flags, shape_queues, shape_folded, shape_groups,
	shape_pools, shape_voqs, shape_fabric;
extern const struct answer_shape shape_port, shape_port_module,
	shape_port_fec, shape_port_lanes, shape_port_history,
	shape_port_counters, shape_port_watched;
extern const struct answer_shape shape_sensors, shape_entity,
	shape_attributes, shape_values, shape_children, shape_absent;
extern const struct answer_shape shape_changes, shape_events, shape_memory;
extern const struct answer_shape shape_overview, shape_wrong, shape_next;
extern const struct answer_shape shape_health, shape_config, shape_waiting;
