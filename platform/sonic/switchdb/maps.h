/* Names and object ids of ports, queues, groups and pools.
 *
 * Two steps: the maps of COUNTERS_DB, the ports' keys of CONFIG_DB and APPL_DB
 * and the groups of FLEX_COUNTER_DB at once; then CONFIG_DB's row of each port.
 * If a query fails the maps are incomplete: nothing is removed then, and they
 * are read again soon.
 */
#pragma once

#include "platform/sonic/switchdb/namespace.h"

/* Call once, with the namespace. done: called when all is read, at once if no
 * query could be sent. Returns -ENOMEM.
 */
int maps_init(struct namespace *s, void (*done)(struct namespace *s));
/* Releases the names and lists. */
void maps_fini(struct namespace *s);
/* True if names and ids are old, or known to be wrong. */
bool maps_due(const struct namespace *s, struct mono now);
/* Sends the queries. */
void maps_start(struct namespace *s, struct mono now);
