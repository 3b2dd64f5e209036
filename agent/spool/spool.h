/* The sender's spool (C9, C10): what no collector has acknowledged, in segments
 * in one folder, so that it outlives the rings and a power cut.
 *
 * Limited in octets held, and in octets written a day, for it is on flash. When
 * full, it drops whole segments, oldest first, of the least valuable stream:
 * samples before states before findings, and never more valuable records than
 * the new ones. A part of a day's octets is reserved for states and findings;
 * when all is used up, samples and states continue when there is enough for a
 * segment, so that what is kept is contiguous. What is dropped, or was refused,
 * is a hole in the sequences: the push reports it in a gap record.
 *
 * Only records of the present run are appended; those of earlier runs are read
 * and acknowledged. One process uses a folder.
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

/* The contents of a spool. */
struct spool_index {
	size_t count;
	struct segment segment[SPOOL_SEGMENTS_MAX];	/* by number */
};

/* What may be written now, and as of when; all 0 at first. The caller keeps it
 * outside the process, so that a restart does not renew it.
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
	int64_t day_octets;	/* half of it may be saved up */
	struct spool_budget *budget;
};

struct spool_status {
	uint64_t held_octets;
	uint64_t segments;
	uint64_t dropped_records;	/* had been held */
	int refusal;		/* errno of the last append, if it was refused:
				 * EDQUOT, ENOSPC; 0: it was taken */
	int fault;		/* errno of the last failure; 0: none */
};

/* A run that has records here. */
struct spool_run {
	uint64_t run, previous_run;
};

/* Takes over the segments in dir_fd, which stays the caller's: seals unsealed
 * ones, removes invalid ones. Returns a negative errno with d.
 */
int spool_open(const struct disk *disk, int dir_fd,
	       const struct spool_limits *limits, struct mono now,
	       struct spool **ret, struct diag *d);

/* Syncs nothing. */
void spool_close(struct spool *s);

/* Appends the record of a run that comes next in its stream, or one after a
 * hole; it is durable once spool_sync() returned 0. Returns -EDQUOT: no octets
 * left for its stream today; -ENOSPC: full of more valuable records; -EEXIST:
 * it is there; or an error of the disk.
 */
int spool_append(struct spool *s, const struct spool_run *run,
		 const void *record, size_t len, struct mono now);
/* Syncs all that was appended. */
int spool_sync(struct spool *s);

/* Notes that this stream had records up to last, whether they are here or not,
 * so that after a reboot the missing ones are reported. It is synced.
 */
int spool_note_end(struct spool *s, const struct spool_run *run,
		   enum stream stream, uint64_t last);

/* Borrowed; changes with each call that takes the spool itself. */
const struct spool_index *spool_index(const struct spool *s);
/* The last sequence of a stream that is here; 0: none. */
uint64_t spool_last(const struct spool_index *x, uint64_t run,
		    enum stream stream);
/* The last one that existed, as far as is known here. */
uint64_t spool_end(const struct spool_index *x, uint64_t run,
		   enum stream stream);
/* The first one from sequence on; 0: none. */
uint64_t spool_from(const struct spool_index *x, uint64_t run,
		    enum stream stream, uint64_t sequence);

/* Copies a record. Returns its length, -ENOBUFS, or -ESTALE: it is not there,
 * and spool_from() gives the next one.
 */
int spool_read(struct spool *s, uint64_t run, enum stream stream,
	       uint64_t sequence, void *ret, size_t cap);

/* All up to these is safe elsewhere: removes segments that hold no more. */
void spool_ack(struct spool *s, uint64_t run, const struct positions *held);

/* The oldest run that has records here and is not this one; false: none. */
bool spool_past(const struct spool_index *x, uint64_t present,
		struct spool_run *ret);

/* Its status. */
void spool_status(const struct spool *s, struct spool_status *ret);
