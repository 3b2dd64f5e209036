/* The collector's durable spool: segment files in one folder, bounded in
 * octets. Appends; says what to sync; drops the oldest segments once all sinks
 * have passed them. follow.h reads it.
 *
 * When it is full, and a sink is still behind, it refuses (-ENOSPC), so that
 * the agents keep what they have. It drops nothing that a sink has not read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/collect/follow.h"
#include "petrel/diag.h"

#define STORE_SEGMENT_OCTETS_MAX (64u << 20)
#define STORE_SEGMENTS 16u	/* segments within the limit */

struct store;

/* What store_open() found. */
struct store_found {
	uint64_t segments, entries;
	uint64_t torn_octets;	/* cut off the end of the last segment */
	uint64_t rotten;	/* places where octets were skipped */
};

typedef void store_entry_fn(void *context, const struct entry *e,
			    struct place at);

struct store_env {
	const char *path;	/* the folder's; for messages */
	uint64_t octets_max;
	uint64_t first_number;	/* of a new first segment; at least this */
	store_entry_fn *each;
	void *context;
};

/* Opens or creates the folder, takes its lock, hands each entry of the last two
 * segments to each() in order (its place is where it begins), cuts a torn tail
 * off. Earlier segments have nothing that the head of these lacks. Returns
 * -EADDRINUSE when another collector holds the lock, -EPROTONOSUPPORT when the
 * newest segment is of another version; with d.
 */
int store_open(const struct store_env *env, struct store_found *found,
	       struct store **ret, struct diag *d);
/* The same in a folder that is open, and without a lock. Both stay the
 * caller's.
 */
int store_attach(const struct disk *disk, int dir_fd,
		 const struct store_env *env, struct store_found *found,
		 struct store **ret, struct diag *d);

/* After a failed write or sync: cuts the newest segment to its durable part,
 * and hands the entries out as store_open() does. If it fails, call it again
 * before anything else.
 */
int store_mend(struct store *s, struct place durable,
	       const struct store_env *env, struct store_found *found,
	       struct diag *d);

/* Releases the lock. Syncs nothing. */
void store_close(struct store *s);

/* The folder, borrowed. */
int store_dir_fd(const struct store *s);

/* Appends entries, all or nothing. *ret_at is where they begin.
 * Returns -ENOSPC (full, or the disk is), -EIO …
 */
int store_append(struct store *s, const void *entries, size_t len,
		 struct place *ret_at);
/* The same for a segment's head, which may exceed the limit: without it nothing
 * can be appended.
 */
int store_append_head(struct store *s, const void *entries, size_t len);

/* The place after the last entry. */
struct place store_end(const struct store *s);

/* True when the segment is full: store_roll(), then append the positions. */
bool store_wants_roll(const struct store *s);
/* Syncs the segment and begins the next. */
int store_roll(struct store *s);

/* What is to be synced so that all before store_end() is durable. */
struct store_job {
	const struct disk *disk;
	int fd, dir_fd;		/* dir_fd -1: not the folder */
};

/* Good until store_roll(). */
struct store_job store_job(struct store *s);
/* Any thread. */
int store_job_do(const struct store_job *j);

/* Removes segments while the spool is above its limit, all before the segment
 * that the slowest sink reads. Returns how many.
 */
unsigned store_trim(struct store *s, uint64_t sink_segment);

/* Of all segments. */
uint64_t store_octets(const struct store *s);
