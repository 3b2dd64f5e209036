/* What is owed to one collector for one run: where its records are, in the
 * rings, in the spool or in neither; and per stream what was sent in this
 * session, what is acknowledged, and when that moved. Checks the positions that
 * a collector names: they are never above what was sent, nor below what it
 * named before in the session.
 *
 * The ring records the highest sequence that was ever sent, so that a restarted
 * sender does not refuse the answer to its own records. A run that is over has
 * no rings: all that is left of it is in the spool.
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
	uint64_t forgone;	/* samples up to here are unreadable */
	uint64_t sent[STREAM_COUNT];	/* highest, in this session */
	uint64_t acked[STREAM_COUNT];	/* in this session */
	struct mono moved[STREAM_COUNT];	/* or owed nothing, or waited */
	bool is_fetched[STREAM_COUNT];	/* next record, from the spool */
};

/* o has rings, reader, spool and run, and nothing else. */
void outbox_init(struct outbox *o);

/* The sequence after the last existing one. */
uint64_t outbox_next(const struct outbox *o, enum stream stream);
/* The first existing one; outbox_next(): none. */
uint64_t outbox_first(const struct outbox *o, enum stream stream);
/* Copies a record. Returns its length; -EAGAIN: there is none yet, or it is
 * being fetched; -ESTALE: the sequences up to *ret_last no longer exist.
 */
int outbox_read(struct outbox *o, enum stream stream, uint64_t sequence,
		void *ret, size_t cap, uint64_t *ret_last);
/* The existing samples cannot be read: the collector lacks their dictionary,
 * and it no longer exists.
 */
void outbox_forgo_samples(struct outbox *o);

/* True while something is not acknowledged. */
bool outbox_owes(const struct outbox *o);
/* True when a stream owes and did not move for this long, and was not waiting
 * for the disk.
 */
bool outbox_is_stuck(struct outbox *o, struct mono now, int64_t limit_ns);

/* What is wrong with the positions of a WELCOME, in words; NULL: nothing. */
const char *outbox_welcome_fault(const struct outbox *o,
				 const struct positions *held);
/* A session begins with the collector's positions. Returns whether they are
 * beyond those known.
 */
bool outbox_begin(struct outbox *o, const struct positions *held,
		  struct mono now);

/* Records of a stream up to last are sent. */
void outbox_sent(struct outbox *o, enum stream stream, uint64_t last);

/* What is wrong with the positions of an ACK, in words; NULL: nothing. */
const char *outbox_ack_fault(const struct outbox *o,
			     const struct positions *held);
/* Applies them. The caller, who knows all collectors, releases the spool. */
void outbox_ack(struct outbox *o, const struct positions *held,
		struct mono now);
