/* Names and object ids: which ports, queues, groups and pools there are.
 *
 * Two steps: the maps of COUNTERS_DB, the ports' keys of CONFIG_DB and APPL_DB
 * and the groups of FLEX_COUNTER_DB at once; then CONFIG_DB's row of each port.
 * What cannot be asked leaves the maps incomplete: nothing is taken away then,
 * and they are read again soon.
 */
#pragma once

#include "platform/sonic/switchdb/namespace.h"

/* Once, with the namespace. done: called when all is read, at once if nothing
 * could be asked. Returns -ENOMEM.
 */
int maps_init(struct namespace *s, void (*done)(struct namespace *s));
/* Releases what was read. */
void maps_fini(struct namespace *s);
/* Names and ids are old, or known to be wrong. */
bool maps_due(const struct namespace *s, struct mono now);
/* Asks. */
void maps_start(struct namespace *s, struct mono now);
