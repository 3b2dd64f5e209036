/* Reads a spool's entries in order, from a place on, with descriptors of its
 * own: at the start of the collector, by each sink, by --print, also from
 * another process while the spool grows.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/collect/entry.h"

#define SEGMENT_HEADER_LEN 16u
#define SEGMENT_MAGIC 0x5054524au	/* PTRJ */
#define SEGMENT_VERSION 1u

/* Segment files are called %016x.seg, by number, from 1. */
#define SEGMENT_NAME_LEN 20
void segment_name(uint64_t number, char ret[static SEGMENT_NAME_LEN + 1]);

/* The numbers of all segments in a folder, in order; *ret is the caller's to
 * free. Returns how many, or a negative errno.
 */
int segment_list(int dir_fd, uint64_t **ret);

/* Where an entry begins, or where the last one ended. */
struct place {
	uint64_t segment;	/* 0: before all */
	uint64_t offset;
};

/* True when a comes first in the spool. */
bool place_is_before(const struct place *a, const struct place *b);

struct follow;

/* dir_fd stays the caller's. A segment that is gone by now: the next one. */
int follow_open(int dir_fd, struct place from, struct follow **ret);

/* The folder stays open. */
void follow_close(struct follow *f);

/* The next entry, borrowed until the next call; the place behind it is
 * follow_place(). Reads nothing at or behind end, if that is not NULL.
 * Returns -EAGAIN: nothing whole is there yet; -EBADMSG: octets were skipped
 * that are no entry (bit rot): call again.
 */
int follow_next(struct follow *f, const struct place *end, struct entry *ret);

/* Where the next entry begins. */
struct place follow_place(const struct follow *f);
