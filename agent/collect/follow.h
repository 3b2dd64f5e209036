/* Reads a spool's entries in order, from a place on, with its own descriptors:
 * at the start of the collector, in each sink, in --print, also from another
 * process while the spool grows.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/collect/entry.h"
#include "agent/spool/disk.h"

#define STORE_HEADER_LEN 16u
#define STORE_MAGIC 0x5054524au	/* PTRJ */
#define STORE_VERSION 1u

/* Where an entry begins, or where the last one ended. */
struct place {
	uint64_t segment;	/* 0: before all */
	uint64_t offset;
};

/* True when a is before b in the spool. */
bool place_is_before(const struct place *a, const struct place *b);

struct follow;

/* disk and dir_fd stay the caller's. If a segment is gone by now, the next one
 * is used.
 */
int follow_open(const struct disk *disk, int dir_fd, struct place from,
		struct follow **ret);

/* The folder stays open. */
void follow_close(struct follow *f);

/* The next entry, borrowed until the next call; the place after it is
 * follow_place(). Reads nothing at or after end, if that is not NULL. Returns
 * -EAGAIN: no whole entry yet; -EBADMSG: skipped octets that are no entry (bit
 * rot): call again.
 */
int follow_next(struct follow *f, const struct place *end, struct entry *ret);

/* Where the next entry begins. */
struct place follow_place(const struct follow *f);
