/* C12: where the spool's entries go. One table has all kinds of sink; each that
 * is configured has a feed (feed.h): a thread, a place in the spool, back-off
 * and figures of its own, so that one that is down holds up no other.
 */
#pragma once

#include "agent/collect/sink.h"

struct sinks;

/* What of the configuration would keep a sink from starting: tokens, names.
 * Asks no engine. Returns a negative errno with d.
 */
int sinks_check(const struct collector_config *config, struct diag *d);

/* Opens each that is configured, and starts its thread, which reads nothing
 * before sinks_allow().
 */
int sinks_open(const struct sink_env *env, struct sinks **ret, struct diag *d);
/* Commits what each has, waiting for no engine, and ends. NULL is allowed. */
void sinks_close(struct sinks *s);

/* All before this place is synced and may be read. */
void sinks_allow(struct sinks *s, struct place end);

/* The first segment that a sink still needs, of those that are not given up.
 */
uint64_t sinks_segment(struct sinks *s);

/* The index-th sink; false behind the last. */
bool sinks_figures(struct sinks *s, unsigned index, struct sink_figures *ret);
