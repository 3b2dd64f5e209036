/* C12: where the spool's entries go. One table has all kinds of sink; each
 * configured one has a feed (feed.h): its own thread, place, back-off and
 * figures, so that one that is down does not delay others.
 */
#pragma once

#include "agent/collect/sink.h"

struct sinks;

/* What in the configuration would keep a sink from starting: tokens, names.
 * Contacts no engine. Returns a negative errno with d.
 */
int sinks_check(const struct collector_config *config, struct diag *d);

/* Opens each configured one, and starts its thread, which reads nothing until
 * sinks_allow().
 */
int sinks_open(const struct sink_env *env, struct sinks **ret, struct diag *d);
/* Commits what each has, waits for no engine, and ends. NULL is allowed. */
void sinks_close(struct sinks *s);

/* All before this place is synced and may be read. */
void sinks_allow(struct sinks *s, struct place end);

/* The first segment that a sink still needs; ignores those given up. */
uint64_t sinks_segment(struct sinks *s);

/* The index-th sink; false after the last. */
bool sinks_figures(struct sinks *s, unsigned index, struct sink_figures *ret);
