/* One segment file of the sender's spool, petrel-spool(5): records of one
 * stream of one run, in sequence without a hole, as they are on the wire. Big
 * endian:
 *
 *	u32 magic	u16 version	u8 stream	u8 0
 *	u64 number	u64 run		u64 the run before it
 *	u64 sequence of its first record	u32 0
 *	u32 CRC-32 of all of this before it
 *	records
 *
 * and once all of that is synced, the seal after it:
 *
 *	u32 magic	u32 0		u64 sequence of its last record
 *	u64 octets before the seal	u32 0
 *	u32 CRC-32 of the header and of the seal before it
 *
 * So only a segment without a seal is read in full when a spool is opened. A
 * sealed segment without records is a note: this run and stream had records up
 * to that sequence.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/spool/disk.h"
#include "petrel/wire.h"

#define SEGMENT_HEADER_LEN 48u
#define SEGMENT_SEAL_LEN 32u

/* Segment files are called %016x.seg, by number, from 1. */
#define SEGMENT_NAME_LEN 20
void segment_name(uint64_t number, char ret[static SEGMENT_NAME_LEN + 1]);

/* The numbers of all segments in a folder, in order; *ret is the caller's to
 * free. Returns how many, or a negative errno.
 */
int segment_list(const struct disk *d, int dir_fd, uint64_t **ret);

struct segment {
	uint64_t number;
	uint64_t run, previous_run;
	uint64_t first, last;	/* sequences; last < first: nothing in it */
	uint64_t octets;	/* of the file, up to the last whole record */
	enum stream stream;
	bool is_sealed;
};

/* Creates the file of a segment and writes its header; *s has number, run,
 * stream and first. Returns its descriptor or a negative errno, and then there
 * is no such file, or one that segment_look() refuses.
 */
int segment_make(const struct disk *d, int dir_fd, struct segment *s);
/* Syncs it and seals it; the seal itself is not synced. */
int segment_seal(const struct disk *d, int fd, struct segment *s);
/* Creates a note; *s has number, run, stream, and first and last, which are
 * equal. Its content is synced, its name is not.
 */
int segment_note(const struct disk *d, int dir_fd, struct segment *s);
bool segment_is_note(const struct segment *s);

/* Reads the segment of this number; cuts off a torn tail, and seals it. Returns
 * -EBADMSG: it has no whole header, or no record.
 */
int segment_look(const struct disk *d, int dir_fd, uint64_t number,
		 struct segment *ret);

/* Reads the record at an offset into ret: its length; -ENOBUFS, -EBADMSG (no
 * record there), or an error of the disk.
 */
int segment_record(const struct disk *d, int fd, uint64_t offset, void *ret,
		   size_t cap, struct record_header *ret_header);

/* Parses the octets of a segment's file, of any number; octets: where its
 * records end, if all of them are whole. Returns -EBADMSG: no header.
 */
int segment_of(const uint8_t *octets, size_t n, struct segment *ret);
