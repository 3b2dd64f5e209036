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
#include "agent/collect/ledger.h"

struct intake;
struct responder;

struct intake_env {
	struct ledger *ledger;
	void *context;
	/* Puts one entry into the spool. Returns 0, or a negative errno, and
	 * then nothing is in it.
	 */
	int (*append)(void *context, const void *entry, size_t len,
		      struct place *ret_at);
	/* An answer to a peer; may get lost. */
	void (*answer)(void *context, const struct transport_peer *peer,
		       const void *frame, size_t len);
	/* Something is wrong with a peer: who (a switch, or a connection's
	 * number) and what.
	 */
	void (*complain)(void *context, const char *who, const char *what);
	uint64_t (*random)(void *context);
	struct responder *sealed;	/* NULL: takes no sealed frames */
	bool takes_clear;		/* frames that nobody sealed */
};

/* All since the start. */
struct intake_count {
	uint64_t frames, records, octets;	/* kept */
	uint64_t repeats, holes, need_states, gaps;
	uint64_t unknown;	/* of kinds of later agents; kept */
	uint64_t garbage, refused, unknown_sessions;
	uint64_t damaged;	/* check or seal is wrong: no answer */
};

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

#define INTAKE_FAULT_MAX 96

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
