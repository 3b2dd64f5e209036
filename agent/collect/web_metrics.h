/* What Prometheus reads from the collector: the status of each switch, of the
 * collector and of its sinks. Values of the switches' ports are not here: the
 * sinks export those.
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

/* The collector's status; the intake's thread sets it each second. */
struct web_health {
	struct mono said;
	uint64_t spool_octets, spool_octets_max;
	uint64_t records, gaps, refused, same_id;
	uint32_t connections;
	bool is_full;			/* the spool accepts nothing */
	char trouble[96];		/* why nothing is kept; or empty */
};

/* Fills an answer for exposition.h. Returns -EIO with d. */
int web_metrics(const struct fabric_desk *desk, const struct web_health *health,
		struct sinks *sinks, struct answer *ret, struct diag *d);
