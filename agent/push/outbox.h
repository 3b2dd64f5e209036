/* What is owed to one collector of one run: where its records are, in the
 * rings, in the spool or in neither; and stream by stream what was sent in this
 * session, what is acknowledged, and when that moved. Judges the positions that
 * a collector names: they are never above what was sent, nor below what it said
 * before in the session.
 *
 * The highest sequence that was ever sent stands in the ring, so that a sender
 * that was killed does not take the answer to its own records for a lie. A run
 * that is over has no rings: all that is left of it is in the spool.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/base/ring.h"
#include "agent/spool/spool_view.h"
#include "petrel/clock.h"
#include "petrel/wire.h"

struct outbox {
	struct ring_set *rings;	/* the caller's; NULL: the run is over */
	unsigned reader;	/* its number in the rings */
	struct spool_view *spool;	/* the caller's; NULL: none */
	struct spool_run run;
	uint64_t hint[STREAM_COUNT];	/* ring_read()'s */
	uint64_t forgone;	/* samples up to here nobody can read */
	uint64_t sent[STREAM_COUNT];	/* highest, in this session */
	uint64_t acked[STREAM_COUNT];	/* in this session */
	struct mono moved[STREAM_COUNT];	/* or owed nothing, or waited */
	bool is_fetched[STREAM_COUNT];	/* the next one, from the spool */
};

/* o says rings, reader, spool and run, and nothing else. */
void outbox_init(struct outbox *o);

/* The sequence behind the last one that there is. */
uint64_t outbox_next(const struct outbox *o, enum stream stream);
/* The first one that there is; outbox_next(): none. */
uint64_t outbox_first(const struct outbox *o, enum stream stream);
/* Copies a record. Returns its length; -EAGAIN: there is none yet, or it is
 * being fetched; -ESTALE: the sequences up to *ret_last are nowhere.
 */
int outbox_read(struct outbox *o, enum stream stream, uint64_t sequence,
		void *ret, size_t cap, uint64_t *ret_last);
/* The samples that there are cannot be read: the collector lacks their
 * dictionary, and nobody has it any more.
 */
void outbox_forgo_samples(struct outbox *o);

/* True while something is not acknowledged. */
bool outbox_owes(const struct outbox *o);
/* True when a stream owes and did not move for so long, and it was not the disk
 * that it waited for.
 */
bool outbox_is_stuck(struct outbox *o, struct mono now, int64_t limit_ns);

/* In words what is wrong with the positions of a WELCOME; NULL: nothing. */
const char *outbox_welcome_fault(const struct outbox *o,
				 const struct positions *held);
/* A session begins with what the collector holds. Returns whether that is more
 * than was known.
 */
bool outbox_begin(struct outbox *o, const struct positions *held,
		  struct mono now);

/* Records of a stream up to last go out. */
void outbox_sent(struct outbox *o, enum stream stream, uint64_t last);

/* In words what is wrong with the positions of an ACK; NULL: nothing. */
const char *outbox_ack_fault(const struct outbox *o,
			     const struct positions *held);
/* They are in force. The spool is let go by whoever knows all collectors. */
void outbox_ack(struct outbox *o, const struct positions *held,
		struct mono now);
