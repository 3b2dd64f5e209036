/* What is owed to one collector, stream by stream: what was ever sent of this
 * run, what was sent in this session, what is acknowledged, and when that
 * moved. Judges the positions that a collector names: they are never above what
 * was sent, nor below what it said before in the session.
 *
 * The highest sequence that was ever sent stands in the ring, so that a sender
 * that was killed does not take the answer to its own records for a lie.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/base/ring.h"
#include "petrel/clock.h"
#include "petrel/wire.h"

struct debt {
	struct ring_set *rings;		/* the caller's */
	unsigned reader;
	uint64_t sent[STREAM_COUNT];	/* highest, in this session */
	uint64_t acked[STREAM_COUNT];	/* in this session */
	struct mono moved[STREAM_COUNT];	/* or owed nothing */
};

/* The rings stay the caller's. */
void debt_init(struct debt *d, struct ring_set *rings, unsigned reader);

/* True while a ring holds what reader has not acknowledged. */
bool debt_is_owed(const struct debt *d);

/* In words what is wrong with the positions of a WELCOME; NULL: nothing. */
const char *debt_welcome_fault(const struct debt *d,
			       const struct positions *held);
/* A session begins with what the collector holds. Returns whether that is more
 * than was known.
 */
bool debt_begin(struct debt *d, const struct positions *held, struct mono now);

/* Records of a stream up to last go out. */
void debt_sent(struct debt *d, enum stream stream, uint64_t last);

/* In words what is wrong with the positions of an ACK; NULL: nothing. */
const char *debt_ack_fault(const struct debt *d, const struct positions *held);
/* They are in force. */
void debt_ack(struct debt *d, const struct positions *held, struct mono now);

/* True when a stream owes and did not move for so long. */
bool debt_is_stuck(struct debt *d, struct mono now, int64_t limit_ns);
