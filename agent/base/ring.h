/* One stream of records in one file of /run/petrel (C9), which outlives every
 * process: the core appends, the sender acknowledges, anyone may look.
 *
 * Shared memory, one writer for each word. A record is in the ring from the
 * moment its sequence is published, with one store, after its octets: a kill at
 * any instruction leaves it there whole or not at all. A full ring drops whole
 * reference groups, oldest first, acknowledged or not; a reader that falls
 * behind learns which range it missed and reports it in a gap record.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "petrel/diag.h"
#include "petrel/wire.h"

#define RING_READERS_MAX 4u
#define RING_MARKS 8u
#define RING_REFERENCES_MAX 128u
#define RING_BYTES_MIN (256u << 10)
#define RING_BYTES_MAX (1u << 30)

/* Numbers that outlive the process that writes them; in the ring of states
 * unless stated otherwise.
 */
enum ring_mark {
	RING_MARK_NEXT_ENTITY,
	RING_MARK_DICTIONARY_VERSION,
	RING_MARK_SNAPSHOT_WANTED,	/* the sender's; only grows */
	/* The sender's, in each ring: 1 + the highest sequence ever sent; 0: a
	 * version without this mark began the run.
	 */
	RING_MARK_SENT,
};

struct ring;

/* The three rings of a run. */
struct ring_set {
	uint64_t run;
	uint64_t previous_run;		/* 0: none known */
	uint64_t previous_last[STREAM_COUNT];
	bool fresh;			/* the run began with this open */
	struct ring *ring[STREAM_COUNT];
};

/* Takes over the rings in dir_fd (findings.ring, states.ring, samples.ring), or
 * creates all three with the run new_run when one is missing, cut short, of
 * another version, or of another run; d then says which and why, and *ret keeps
 * what the intact ones say of the previous run. An intact ring keeps its size.
 * bytes: data octets each, RING_BYTES_MIN to RING_BYTES_MAX. Returns 0, or a
 * negative errno with d (no space: -ENOSPC, known at once).
 */
int ring_set_open(int dir_fd, const size_t bytes[static STREAM_COUNT],
		  uint64_t new_run, struct ring_set *ret, struct diag *d);
/* Who may read the files: everybody (0644), or only their owner and a group
 * (0640); (gid_t)-1: their present group. New files are 0600 until this is
 * called. Returns a negative errno with d: the modes are set, unless d says
 * otherwise, but not the group.
 */
int ring_set_share(int dir_fd, bool all, gid_t group, struct diag *d);
/* Unmaps all three; the files stay. */
void ring_set_close(struct ring_set *s);

/* Maps one existing ring read-only, to read it while the agent is down. Returns
 * -ENOENT, -EBADMSG (cut short, another version) with d.
 */
int ring_look(int dir_fd, enum stream stream, struct ring **ret,
	      struct diag *d);
/* Checks the whole ring: 0 when each record from ring_first() to before
 * ring_next() is whole. Else -EBADMSG with d, which names file and record;
 * records before *ret_end are sound; 0: none are.
 */
int ring_check(const struct ring *r, uint64_t *ret_end, struct diag *d);
/* Unmaps the ring of ring_look(); NULL is allowed. */
void ring_close(struct ring *r);

/* Its run. */
uint64_t ring_run(const struct ring *r);
/* Sequence of the oldest record kept; ring_next() when it is empty. */
uint64_t ring_first(const struct ring *r);
/* The sequence that the next append gets. */
uint64_t ring_next(const struct ring *r);
/* Size of its data, in octets. */
size_t ring_bytes(const struct ring *r);

/* Core. Appends a record; gives it ring_next(). Sets last of the header to the
 * sequence. Returns -EMSGSIZE: payload above RECORD_PAYLOAD_MAX or a quarter of
 * the ring; -EBADMSG: another process overwrote its positions. No allocation,
 * no system call.
 */
int ring_append(struct ring *r, enum record_kind kind, uint16_t flags,
		const void *payload, size_t len);

/* True when the next record cannot be read with those kept: nothing was
 * appended yet, or the open group lost its head. The next append must carry
 * RECORD_FLAG_REFERENCE.
 */
bool ring_wants_reference(const struct ring *r);

/* Records dropped before reader 0 acknowledged them; over the whole run. */
uint64_t ring_dropped(const struct ring *r);

/* The value of a mark; 0 in a new run. */
uint64_t ring_mark(const struct ring *r, enum ring_mark mark);
/* Only for the mark's one writer. */
void ring_mark_set(struct ring *r, enum ring_mark mark, uint64_t value);

/* Any process. Copies the record of that sequence, header and payload; a writer
 * that overtakes never tears it. *hint (0 at first) speeds up the next call.
 * Returns its length; -EAGAIN: not yet appended; -ESTALE: dropped, and
 * ring_first() says what is there; -ENOBUFS: cap is too small (needs
 * RECORD_HEADER_LEN + RECORD_PAYLOAD_MAX at most); -EBADMSG: the record is
 * damaged.
 */
int ring_read(const struct ring *r, uint64_t sequence, uint64_t *hint,
	      void *ret, size_t cap);

/* A walk over what the ring holds when it begins. It stops at its end, which is
 * no further away than a ring has room for, or where the ring is damaged.
 */
struct ring_walk {
	const struct ring *ring;
	uint64_t next, end;	/* sequences; excludes end */
	uint64_t hint;		/* place of the next; 0: unknown */
	const struct ring_part *part;	/* it walks this copy; NULL: in place */
};

/* From first, or from the oldest record if that is newer, to before end or
 * ring_next(), whichever is less.
 */
struct ring_walk ring_walk_of(const struct ring *r, uint64_t first,
			      uint64_t end);
/* The next record, as ring_read() copies it: its length; 0 at the end;
 * -ENOBUFS, -EBADMSG: the walk is over.
 */
int ring_walk_next(struct ring_walk *w, void *ret, size_t cap);
/* The same, parsed: the payload is in room. False: the walk is over. */
bool ring_walk_record(struct ring_walk *w, uint8_t room[static RECORD_MAX],
		      struct record_header *ret, const uint8_t **ret_payload);

/* The next record in place, unchecked: *ret_payload is borrowed, and changes
 * once a writer overtakes; ring_walk_is_whole() tells afterwards. For readers
 * that accept any octets. False: the walk is over.
 */
bool ring_walk_borrow(struct ring_walk *w, struct record_header *ret,
		      const uint8_t **ret_payload);
/* The last borrowed record was not overwritten during its use. */
bool ring_walk_is_whole(const struct ring_walk *w);

/* A reference whose place the ring notes. */
struct ring_reference {
	uint64_t sequence, at;		/* at: the hint of a walk to it */
	uint8_t payload[16];		/* its first octets */
};
/* The newest references of a ring of ring_look(), by sequence; those that a
 * version before this one appended are not noted. Returns their number.
 */
unsigned ring_references(const struct ring *r,
			 struct ring_reference ret[static RING_REFERENCES_MAX]);

/* A copy of some records. Reading them in place is slower for a program that
 * runs once: the kernel maps each page when it is first read.
 */
struct ring_part {
	uint8_t *octets;		/* owned */
	size_t room;
	uint64_t at, end;		/* places in the ring */
};
/* Copies the records of a ring of ring_look(), from where the walk is to before
 * the place until (the hint of another walk; 0: to the end), and walks there;
 * from the oldest record if that is newer. The room of part is used again.
 * Returns -ENOMEM, -EBADMSG or what reading the file returns.
 */
int ring_part_copy(struct ring_walk *w, uint64_t until,
		   struct ring_part *part);
void ring_part_fini(struct ring_part *p);

/* Sender: upstream holds all records up to sequence durably for reader n. */
void ring_ack(struct ring *r, unsigned n, uint64_t sequence);
/* The last sequence that reader n acknowledged, at most ring_next() - 1. */
uint64_t ring_acked(const struct ring *r, unsigned n);

/* A copy of a ring's file: the octets that hold records, in order, older ones
 * first; the second piece may be empty.
 */
struct ring_copy {
	uint64_t run;
	struct {
		size_t at, end;
		size_t lost;	/* octets behind end that the file lacks */
	} piece[2];
	bool is_torn;	/* its positions are damaged: all data */
};
/* Returns -EBADMSG with d: no ring header. */
int ring_copy_of(const void *octets, size_t n, struct ring_copy *ret,
		 struct diag *d);
