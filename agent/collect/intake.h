/* Frames of agents in, answers out: sessions, what is kept, what is refused.
 *
 * Owns no socket, file or clock: it is driven. A frame is kept whole or, where
 * one octet of it is wrong, not at all; its records are judged one by one by
 * the ledger. What is kept is acknowledged once it is synced.
 *
 * A sealed frame (C11) is of the switch whose key sealed it: no other can be
 * spoken for in it. Of a switch that has a key no frame is taken in the clear.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/collect/intake_env.h"

struct intake;

/* env is copied; what it points to must live as long. */
int intake_new(const struct intake_env *env, struct intake **ret);

/* The ledger stays the caller's. */
void intake_free(struct intake *i);

/* One frame of one peer: judged, kept, answered. It may be anything; one that
 * is sealed is opened where it is.
 */
void intake_frame(struct intake *i, const struct transport_peer *peer,
		  void *frame, size_t len, struct mono now);
/* A frame that the transport had to drop. */
void intake_dropped(struct intake *i, const char *why);

/* Something that is of no frame was put into the spool: it is to be synced. */
void intake_appended(struct intake *i);

/* All frames are refused from now on, and this is said. */
void intake_stop(struct intake *i, const char *why);
/* They are taken again, into a ledger that has no sessions and nothing that was
 * not durable.
 */
void intake_begin_anew(struct intake *i);

/* A sync begins: what was kept until now is covered by it. Returns false when
 * there is nothing to sync; then whoever waits for an ACK has got it.
 */
bool intake_sync_begin(struct intake *i);
/* It ended well: acknowledges. */
void intake_sync_done(struct intake *i);

/* The counts so far. */
void intake_count(const struct intake *i, struct intake_count *ret);
