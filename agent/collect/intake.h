/* Frames of agents in, answers out: sessions, what is kept, what is refused.
 *
 * Owns no socket, file or clock: the caller drives it. A frame is kept whole
 * or, if one octet of it is wrong, not at all; the ledger judges its records
 * one by one. What is kept is acknowledged once it is synced.
 *
 * A sealed frame (C11) belongs to the switch whose key sealed it, and cannot
 * name another. Frames in the clear are refused for a switch that has a key.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "agent/collect/intake_env.h"

struct intake;

/* env is copied; what it points to must live as long. */
int intake_new(const struct intake_env *env, struct intake **ret);

/* The ledger stays the caller's. */
void intake_free(struct intake *i);

/* One frame of one peer: judged, kept, answered. It may be anything; a sealed
 * one is opened in place.
 */
void intake_frame(struct intake *i, const struct transport_peer *peer,
		  void *frame, size_t len, struct mono now);
/* A frame that the transport had to drop. */
void intake_dropped(struct intake *i, const char *why);

/* Something other than a frame was put into the spool: it is to be synced. */
void intake_appended(struct intake *i);

/* Refuses all frames from now on, and logs why. */
void intake_stop(struct intake *i, const char *why);
/* Accepts them again, into a ledger without sessions and without what was not
 * durable.
 */
void intake_begin_anew(struct intake *i);

/* A sync begins: it covers all that was kept until now. Returns false when
 * there is nothing to sync; then whoever waits for an ACK has got it.
 */
bool intake_sync_begin(struct intake *i);
/* The sync succeeded: sends the ACKs. */
void intake_sync_done(struct intake *i);

/* The counts so far. */
void intake_count(const struct intake *i, struct intake_count *ret);
