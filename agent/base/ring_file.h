/* The file behind a ring: its layout, its making and its checks. For ring.c
 * and ring_set.c alone.
 *
 *	0	fixed part, big endian, CRC-32 at its end; never changes
 *	128	live part: words that other processes read while one writes
 *	4096	data: records at virtual offsets, modulo the size of the data
 *
 * Virtual offsets only grow, in steps of 8. A record lies in one piece: where
 * the rest of a lap is too short, RING_SKIP stands there, or, below the length
 * of a header, nothing.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include "agent/base/ring.h"

#define RING_MAGIC UINT64_C(0x5054524c52494e47)	/* PTRLRING */
#define RING_VERSION 1u
#define RING_FIXED_LEN 72u
#define RING_LIVE_AT 128u
#define RING_DATA_AT 4096u
#define RING_ALIGN 8u
#define RING_SKIP UINT32_MAX	/* in the place of a record's length */
#define RING_NAME_MAX 24

struct ring_fixed {
	uint64_t bytes;			/* of the data */
	uint64_t run, previous_run;
	uint64_t previous_last[STREAM_COUNT];
	uint32_t stream;
};

/* What an append publishes, all of it with one store. */
struct ring_state {
	uint64_t next, head;		/* the next append's sequence and place */
	uint64_t first, tail;		/* the oldest record's */
	uint64_t reference;		/* sequence of the newest reference */
	uint64_t dropped;
};

struct ring_words {
	_Atomic uint64_t next, head, first, tail, reference, dropped;
};

struct ring_live {
	/* Writer: state[generation % 2] holds, the other is being made. */
	_Atomic uint64_t generation;
	struct ring_words state[2];
	_Atomic uint64_t mark[RING_MARKS];
	_Atomic uint64_t acked[RING_READERS_MAX];	/* each its reader's */
};

struct ring {
	struct ring_fixed fixed;
	void *base;			/* the mapping */
	size_t mapped;
	struct ring_live *live;
	uint8_t *data;
};

/* A record in its place. */
struct ring_slot {
	uint64_t at, end;		/* virtual offsets */
	uint64_t sequence;
	uint32_t length;		/* header and payload */
	bool reference;
};

/* The state that holds now, from one instant. */
struct ring_state ring_state_load(const struct ring *r);
void ring_state_publish(struct ring *r, const struct ring_state *s);
/* False when no writer of ours can have left it like this. */
bool ring_state_is_sane(const struct ring *r, const struct ring_state *s);

/* The record at virtual offset at, or behind what is skipped there. False
 * when there is none before s->head, or nonsense.
 */
bool ring_slot_at(const struct ring *r, const struct ring_state *s,
		  uint64_t at, struct ring_slot *ret);

void ring_file_name(enum stream stream, char ret[static RING_NAME_MAX]);

/* Maps a ring that is there. Returns -ENOENT, -EBADMSG (not a ring, cut short,
 * other version) with d, which names the file.
 */
int ring_file_open(int dir_fd, enum stream stream, bool read_only,
		   struct ring **ret, struct diag *d);

/* Every record from first to next is there, whole, in order.
 * Returns -EBADMSG with d.
 */
int ring_file_verify(const struct ring *r, struct diag *d);

/* Makes an empty ring under a name of its own, with its room taken; mapped.
 * ring_file_publish() gives it its name.
 */
int ring_file_make(int dir_fd, const struct ring_fixed *fixed,
		   struct ring **ret, struct diag *d);
int ring_file_publish(int dir_fd, enum stream stream, struct diag *d);
