/* What Prometheus reads of the collector: how each switch stands, and how the
 * collector and its sinks do. Values of the switches' ports are not here: those
 * are the sinks' to give.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/clock.h"
#include "petrel/diag.h"

struct answer;
struct fabric_desk;
struct sinks;

#define WEB_METRICS_MAX 500000u	/* samples */

/* How the collector does; the intake's thread says it each second. */
struct web_health {
	struct mono said;
	uint64_t spool_octets, spool_octets_max;
	uint64_t records, gaps, refused;
	uint32_t connections;
	bool is_full;			/* the spool takes nothing */
	char trouble[96];		/* why nothing is kept; empty: it is */
};

/* Fills an answer as exposition.h takes it. Returns -EIO with d. */
int web_metrics(const struct fabric_desk *desk, const struct web_health *health,
		struct sinks *sinks, struct answer *ret, struct diag *d);
