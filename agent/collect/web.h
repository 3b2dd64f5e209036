/* The collector's HTTP: its answers (api.h), /healthz, /readyz. A thread of its
 * own, which reads the database by a connection of its own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/collect/known.h"
#include "agent/collect/standing.h"
#include "agent/config/config.h"
#include "petrel/diag.h"

struct sinks;
struct web;

struct web_env {
	const struct collector_config *config;
	const struct known *known;
	struct standing *standing;
	struct sinks *sinks;
};

/* How the collector does; the intake's thread says it each second. */
struct web_health {
	struct mono said;
	uint64_t spool_octets, spool_octets_max;
	uint64_t records, gaps, refused;
	uint32_t connections;
	bool is_full;			/* the spool takes nothing */
};

/* Listens where the configuration says; *ret NULL: nowhere. Returns a negative
 * errno with d.
 */
int web_open(const struct web_env *env, struct web **ret, struct diag *d);
/* Ends the thread. w may be NULL. */
void web_close(struct web *w);
/* The settings of a configuration are such that it could listen. */
int web_check(const struct collector_config *config, struct diag *d);

/* As of now. w may be NULL. */
void web_health_set(struct web *w, const struct web_health *health);
/* Reads key, certificate and token again; the log says what came of it. w may
 * be NULL.
 */
void web_reload(struct web *w);
/* The port that it listens on; 0: w is NULL. */
unsigned web_port(const struct web *w);
