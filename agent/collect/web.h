/* The collector's HTTP: its answers, /metrics, /healthz, /readyz. A thread of
 * its own, which reads the database over its own connection.
 */
#pragma once

#include "agent/collect/known.h"
#include "agent/collect/standing.h"
#include "agent/config/config.h"
#include "petrel/diag.h"

struct web;
struct web_health;		/* web_metrics.h */

struct web_env {
	const struct collector_config *config;
	const struct known *known;
	struct standing *standing;
	struct sinks *sinks;
};

/* Listens as configured; *ret NULL: not configured. Returns a negative errno
 * with d.
 */
int web_open(const struct web_env *env, struct web **ret, struct diag *d);
/* Ends the thread. w may be NULL. */
void web_close(struct web *w);
/* Whether the settings would allow it to listen. */
int web_check(const struct collector_config *config, struct diag *d);

/* Sets the present health. w may be NULL. */
void web_health_set(struct web *w, const struct web_health *health);
/* Reads key, certificate and token again; logs the result. w may be NULL. */
void web_reload(struct web *w);
/* The port that it listens on; 0: w is NULL. */
unsigned web_port(const struct web *w);
