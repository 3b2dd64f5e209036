/* Reads a source: commands out, rows in, one report to the host at the end.
 *
 *   read() -> POLL_MAPS -> POLL_RUNS -> (POLL_MORE) -> host->source()
 *               ^             |
 *               +-- voided ---+   ids changed: data are dropped
 */
#pragma once

#include "platform/sonic/switchdb/namespace.h"

/* Call once, with the namespace. Returns -ENOMEM. */
int polls_init(struct namespace *s);
/* Releases commands and lists. */
void polls_fini(struct namespace *s);
/* The read hook of a source. */
int poll_read(struct namespace *s, enum sonic_source source, struct mono now,
	      struct diag *d);
/* Starts the polls that waited for the maps. */
void polls_maps_done(struct namespace *s);
/* Sends what was held back while syncd wrote and, for some seconds after new
 * names, reads sources without data.
 */
void polls_wake(struct namespace *s, struct mono now);
/* The next time for polls_wake(). */
struct mono polls_deadline(const struct namespace *s);
