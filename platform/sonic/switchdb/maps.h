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

/* The maps that are not hashes, of those with the ids of a kind of object: bit
 * n is a map's. Such objects stay, without ids.
 */
uint32_t maps_wrong(const struct namespace *s, enum object_kind kind);
/* The sentence for such a map, in *ret. */
void maps_wrong_text(const struct namespace *s, enum map_query m,
		     char ret[static SOURCE_REASON_MAX]);
