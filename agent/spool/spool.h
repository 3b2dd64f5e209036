/* The sender's spool (C9, C10): what no collector has acknowledged, in segments
 * in one folder, so that it outlives the rings and the machine's power.
 *
 * Bounded in octets held, and in octets written a day, for it lies on flash.
 * Full, it drops whole segments, oldest first, of the stream that is worth
 * least: samples before states before findings, and never what is worth more
 * than what comes. Of a day's octets a part is kept back for states and
 * findings; where all is used up, samples and states go on when there is enough
 * for a segment, so that what is kept hangs together. What is dropped, or was
 * not taken, is a hole in the sequences: the push tells it in a gap record.
 *
 * Of one run at a time records are taken: the present one's; of the runs before
 * it what is there is read and acknowledged. One process uses a folder.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/spool/disk.h"
#include "agent/spool/segment.h"
#include "petrel/clock.h"
#include "petrel/diag.h"
#include "petrel/wire.h"

#define SPOOL_SEGMENTS_MAX 1024u

struct spool;

/* What lies in a spool. */
struct spool_index {
	size_t count;
	struct segment segment[SPOOL_SEGMENTS_MAX];	/* by number */
};

/* What may be written now, and as of when; all 0 at first. Lives where the
 * caller likes: beyond the process, so that its death does not renew it.
 */
struct spool_budget {
	int64_t octets;
	struct mono counted;
	uint64_t written;	/* in all, of the flash: with what a file
				 * costs beside its content */
};

struct spool_limits {
	uint64_t held_octets;
	uint64_t segment_octets;	/* then the next one is begun */
	int64_t day_octets;	/* half of it may lie saved */
	struct spool_budget *budget;
};

struct spool_status {
	uint64_t held_octets;
	uint64_t segments;
	uint64_t dropped_records;	/* had been held */
	int refusal;		/* errno of the last append, if it was refused:
				 * EDQUOT, ENOSPC; 0: it was taken */
	int fault;		/* errno of the last failure; 0: it works */
};

/* A run that has records here. */
struct spool_run {
	uint64_t run, previous_run;
};

/* Takes over the segments that lie in dir_fd, which stays the caller's: seals
 * those that are not, removes what is none. Returns a negative errno with d.
 */
int spool_open(const struct disk *disk, int dir_fd,
	       const struct spool_limits *limits, struct mono now,
	       struct spool **ret, struct diag *d);

/* Syncs nothing. */
void spool_close(struct spool *s);

/* Appends the record of a run that comes next in its stream, or one behind a
 * hole; it is kept once spool_sync() returned 0. Returns -EDQUOT: no octets
 * left for its stream today; -ENOSPC: full of what is worth more; -EEXIST: it
 * is there; or what the disk says.
 */
int spool_append(struct spool *s, const struct spool_run *run,
		 const void *record, size_t len, struct mono now);
/* Makes all that was appended outlive a power cut. */
int spool_sync(struct spool *s);

/* Of this stream there were records up to last, whether they are here or not:
 * so that after a reboot the missing ones are told. It outlives a power cut.
 */
int spool_note_end(struct spool *s, const struct spool_run *run,
		   enum stream stream, uint64_t last);

/* Borrowed; changes with each call that takes the spool itself. */
const struct spool_index *spool_index(const struct spool *s);
/* The last sequence of a stream that is there; 0: none. */
uint64_t spool_last(const struct spool_index *x, uint64_t run,
		    enum stream stream);
/* The last one that there was, as far as is known here. */
uint64_t spool_end(const struct spool_index *x, uint64_t run,
		   enum stream stream);
/* The first one from sequence on; 0: none. */
uint64_t spool_from(const struct spool_index *x, uint64_t run,
		    enum stream stream, uint64_t sequence);

/* Copies a record. Returns its length, -ENOBUFS, or -ESTALE: it is not there,
 * and spool_from() says what is.
 */
int spool_read(struct spool *s, uint64_t run, enum stream stream,
	       uint64_t sequence, void *ret, size_t cap);

/* All up to these is safe elsewhere: segments that hold no more go. */
void spool_ack(struct spool *s, uint64_t run, const struct positions *held);

/* The oldest run that has records here and is not this one; false: none. */
bool spool_past(const struct spool_index *x, uint64_t present,
		struct spool_run *ret);

/* How it stands. */
void spool_status(const struct spool *s, struct spool_status *ret);
