/* petrel metrics: prints metrics for Prometheus, or writes them to a file for
 * node_exporter's textfile collector.
 */
#pragma once

#include "agent/base/metric.h"
#include "local.pb-c.h"
#include "petrel/diag.h"

struct agent_place;
struct invocation;

/* Asks for the metrics of a profile. Returns as ask_once(). */
int metrics_ask(const struct agent_place *place, enum metric_profile profile,
		Petrel__Answer **ret, struct diag *d);

int metrics_run(const struct invocation *inv);
