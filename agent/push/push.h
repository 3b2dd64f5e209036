/* From the rings and the spool to one collector (C10): session, window,
 * heartbeat, cumulative acknowledgement, gap records. A state machine that owns
 * no clock and no socket of its own: the sender process drives it.
 *
 * Lost connection, silent peer, SESSION_UNKNOWN: begins anew with HELLO and
 * goes on from what the collector says it holds. A record that is neither in a
 * ring nor in the spool is told in a gap record in its place.
 *
 * C11: with a collector's key every session begins with a HANDSHAKE, and
 * nothing but that is said or believed in the clear.
 *
 * C18: no state lasts longer than some heartbeats without progress while
 * something is owed; then the connection is renewed, its socket too.
 */
#pragma once

#include <stddef.h>
#include "agent/push/push_env.h"

struct push;

/* env is copied; what it points to must live as long. */
int push_new(const struct push_env *env, struct push **ret);

/* Says nothing to the collector: its positions are what counts. */
void push_free(struct push *p);
/* A frame came in. Garbage is counted and ends the session. A sealed frame is
 * opened where it is.
 */
void push_receive(struct push *p, void *frame, size_t len, struct mono now);
/* Something was appended, or time passed: sends what the window allows.
 * Returns when to be called again at the latest.
 */
struct mono push_run(struct push *p, struct mono now);

/* For the status page and the log. */
void push_status(const struct push *p, struct push_status *ret);
