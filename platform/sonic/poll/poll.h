/* Reading a source: commands out, rows in, one word to the host at the end.
 *
 *   read() -> POLL_MAPS -> POLL_RUNS -> (POLL_MORE) -> host->source()
 *               ^             |
 *               +-- voided ---+   ids moved: what came is dropped
 */
#pragma once

#include "platform/sonic/switchdb/namespace.h"

/* Once, with the namespace. Returns -ENOMEM. */
int polls_init(struct namespace *s);
/* Releases commands and lists. */
void polls_fini(struct namespace *s);
/* The read hook of a source. */
int poll_read(struct namespace *s, enum sonic_source source, struct mono now,
	      struct diag *d);
/* Starts the polls that waited for the maps. */
void polls_maps_done(struct namespace *s);
/* Asks what was held back while syncd wrote, and, for some seconds after other
 * names came, the sources that have nothing.
 */
void polls_wake(struct namespace *s, struct mono now);
/* When that is wanted. */
struct mono polls_deadline(const struct namespace *s);
