/* The layout of a ring in memory, whoever mapped it, and the two operations
 * that any process does with it: taking the state of one instant and finding a
 * record. Only for ring.c, ring_walk.c and ring_file.c.
 *
 *	0	fixed part, big endian, CRC-32 at its end; never changes
 *	128	live part: words that other processes read while one writes
 *	1024	places of the newest references; zeros: none
 *	4096	data: records at virtual offsets, modulo the size of the data
 *
 * Virtual offsets only grow, in steps of 8. A record is contiguous: if the rest
 * of a lap is too short, four octets of ones stand in place of its length, or
 * nothing if the rest is shorter than a header.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/wire.h"

#define RING_FIXED_LEN 72u
#define RING_LIVE_AT 128u
#define RING_PLACES_AT 1024u
#define RING_DATA_AT 4096u
#define RING_ALIGN 8u

/* The same values as in ring.h; ring.c asserts that. */
#define RING_MEMORY_READERS 4u
#define RING_MEMORY_MARKS 8u
#define RING_PLACES 128u

#define RING_MAGIC UINT64_C(0x5054524c52494e47)	/* PTRLRING */
#define RING_VERSION 1u
#define RING_NAME_MAX 24

struct ring_fixed {
	uint64_t bytes;			/* of the data */
	uint64_t run, previous_run;
	uint64_t previous_last[STREAM_COUNT];
	uint32_t stream;
};

/* What an append publishes, with one store. */
struct ring_state {
	uint64_t next, head;	/* sequence and place of the next append */
	uint64_t first, tail;		/* the oldest record's */
	uint64_t reference;		/* sequence of the newest reference */
	uint64_t dropped;
};

struct ring_words {
	_Atomic uint64_t next, head, first, tail, reference, dropped;
};

struct ring_live {
	/* Writer: state[generation % 2] is valid, the other is next. */
	_Atomic uint64_t generation;
	struct ring_words state[2];
	_Atomic uint64_t mark[RING_MEMORY_MARKS];
	_Atomic uint64_t acked[RING_MEMORY_READERS];	/* the readers' */
};

/* Where the newest references are. A hint: what it says is checked against the
 * record found there.
 */
struct ring_places {
	struct {
		_Atomic uint64_t sequence, at;
	} reference[RING_PLACES];
};

struct ring {
	struct ring_fixed fixed;
	int fd;				/* of ring_look(), else -1 */
	void *base;			/* the mapping */
	size_t mapped;
	struct ring_live *live;
	struct ring_places *places;
	uint8_t *data;
};

struct ring_part;

/* Where a record is. */
struct ring_slot {
	uint64_t at, end;		/* virtual offsets */
	uint64_t sequence;
	uint32_t length;		/* header and payload */
	uint8_t kind;
	uint16_t flags;
};

/* The current state, from one instant. */
struct ring_state ring_state_load(const struct ring *r);
/* Writer: makes s the current state. */
void ring_state_publish(struct ring *r, const struct ring_state *s);
/* False when no Petrel writer can have left this state. True: there are no more
 * records from first to next than the ring has room for.
 */
bool ring_state_is_sane(const struct ring *r, const struct ring_state *s);

/* What a record's header says of a record there; only length is checked. */
bool ring_slot_parse(const uint8_t octets[static RECORD_HEADER_LEN],
		     uint64_t at, struct ring_slot *ret);
/* The record at virtual offset at, or after the skipped rest of a lap. False
 * when there is none before s->head, or it is invalid. p: a copy from s->tail
 * to s->head; NULL: in place.
 */
bool ring_slot_at(const struct ring *r, const struct ring_part *p,
		  const struct ring_state *s, uint64_t at,
		  struct ring_slot *ret);
/* Its octets, header and payload. */
const uint8_t *ring_slot_octets(const struct ring *r,
				const struct ring_part *p,
				const struct ring_slot *slot);
/* Finds a record, walking from from. */
bool ring_slot_find(const struct ring *r, const struct ring_part *p,
		    const struct ring_state *s, uint64_t from,
		    uint64_t sequence, struct ring_slot *ret);

/* samples.ring and the like. */
void ring_file_name(enum stream stream, char ret[static RING_NAME_MAX]);
