/* From the rings and the spool to one collector (C10): session, window,
 * heartbeat, cumulative acknowledgement, gap records. A state machine without
 * its own clock and socket: the sender process drives it.
 *
 * Lost connection, silent peer, SESSION_UNKNOWN: starts again with HELLO and
 * continues from the positions that the collector reports. A record that is
 * neither in a ring nor in the spool is replaced by a gap record.
 *
 * C11: with a collector's key every session begins with a HANDSHAKE, and
 * nothing else is sent or accepted in the clear.
 *
 * C18: no state lasts longer than some heartbeats without progress while
 * something is owed; then the connection is renewed, with a new socket.
 */
#pragma once

#include <stddef.h>
#include "agent/push/push_env.h"

struct push;

/* env is copied; what it points to must live as long. */
int push_new(const struct push_env *env, struct push **ret);

/* Sends nothing to the collector: only its positions count. */
void push_free(struct push *p);
/* A frame came in. Garbage is counted and ends the session. A sealed frame is
 * opened in place.
 */
void push_receive(struct push *p, void *frame, size_t len, struct mono now);
/* Something was appended, or time passed: sends what the window allows. Returns
 * when to call it again at the latest.
 */
struct mono push_run(struct push *p, struct mono now);

/* For the status page and the log. */
void push_status(const struct push *p, struct push_status *ret);
