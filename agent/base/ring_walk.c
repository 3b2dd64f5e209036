/* Readers that go from record to record: in place, or over a copy. */
#include "agent/base/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/base/ring_memory.h"

#define COPY_TRIES 8u		/* a writer may drop groups meanwhile */

struct ring_walk ring_walk_of(const struct ring *r, uint64_t first,
			      uint64_t end)
{
	struct ring_state s = ring_state_load(r);
	struct ring_walk w = { .ring = r, .next = first, .end = end };

	if (w.next < s.first)
		w.next = s.first;
	if (w.end > s.next)
		w.end = s.next;
	if (!ring_state_is_sane(r, &s))
		w.end = w.next;
	return w;
}

int ring_walk_next(struct ring_walk *w, void *ret, size_t cap)
{
	while (w->next < w->end) {
		int rc = ring_read(w->ring, w->next, &w->hint, ret, cap);
		uint64_t first = rc == -ESTALE ? ring_first(w->ring) : 0;

		w->next = first > w->next ? first : w->next + 1;
		if (rc != -ESTALE) {
			if (rc < 0)
				w->end = w->next;
			return rc;
		}
	}
	return 0;
}

bool ring_walk_record(struct ring_walk *w, uint8_t room[static RECORD_MAX],
		      struct record_header *ret, const uint8_t **ret_payload)
{
	int len = ring_walk_next(w, room, RECORD_MAX);
	struct cursor c = cursor_of(room, len > 0 ? (size_t)len : 0);

	return len > 0 && record_read(&c, ret, ret_payload) == 0;
}

/* The state as the walk sees it: of its copy, else the ring's. */
static struct ring_state walk_state(const struct ring_walk *w)
{
	if (!w->part)
		return ring_state_load(w->ring);
	return (struct ring_state){ .next = w->end, .first = w->next,
				    .tail = w->part->at,
				    .head = w->part->end };
}

bool ring_walk_borrow(struct ring_walk *w, struct record_header *ret,
		      const uint8_t **ret_payload)
{
	struct ring_state s = walk_state(w);
	struct ring_slot slot = { 0 };

	if (w->next < s.first) {
		w->next = s.first;
		w->hint = 0;
	}
	if (w->next >= w->end ||
	    (!w->part && !ring_state_is_sane(w->ring, &s)) ||
	    (!ring_slot_find(w->ring, w->part, &s, w->hint, w->next, &slot) &&
	     !ring_slot_find(w->ring, w->part, &s, s.tail, w->next, &slot)))
		return false;
	w->next++;
	w->hint = slot.end;
	*ret = (struct record_header){
		.length = slot.length - RECORD_HEADER_LEN, .kind = slot.kind,
		.stream = (uint8_t)w->ring->fixed.stream, .flags = slot.flags,
		.sequence = slot.sequence, .last = slot.sequence };
	*ret_payload = ring_slot_octets(w->ring, w->part, &slot) +
		       RECORD_HEADER_LEN;
	return true;
}

bool ring_walk_is_whole(const struct ring_walk *w)
{
	atomic_thread_fence(memory_order_acquire);
	return w->part || ring_first(w->ring) < w->next;
}

void ring_walk_to_reference(struct ring_walk *w)
{
	struct ring_state s = ring_state_load(w->ring);
	const struct ring_places *p = w->ring->places;
	struct ring_walk found = *w;
	struct ring_slot slot;

	found.next = w->end;
	for (unsigned i = 0; i < RING_PLACES; i++) {
		uint64_t sequence = p->reference[i].sequence;
		uint64_t at = p->reference[i].at;

		if (sequence < w->next || sequence >= found.next ||
		    !ring_slot_at(w->ring, NULL, &s, at, &slot) ||
		    slot.sequence != sequence ||
		    !(slot.flags & RECORD_FLAG_REFERENCE))
			continue;
		found.next = sequence;
		found.hint = at;
	}
	if (found.next < w->end)
		*w = found;
}

/* --- a copy --------------------------------------------------------------- */

static int part_fit(struct ring_part *p, uint64_t at, uint64_t end)
{
	size_t octets = (size_t)(end - at);
	uint8_t *larger;

	p->at = at;
	p->end = end;
	if (octets <= p->room)
		return 0;
	larger = realloc(p->octets, octets);
	if (!larger)
		return -ENOMEM;
	p->octets = larger;
	p->room = octets;
	return 0;
}

/* Reads the laps that the part lies in: one ends where the file does. */
static int part_fill(const struct ring *r, struct ring_part *p)
{
	uint64_t at = p->at;

	while (at < p->end) {
		off_t from = (off_t)(RING_DATA_AT + at % r->fixed.bytes);
		ssize_t got = pread(r->fd, p->octets + (at - p->at),
				    (size_t)(p->end - at), from);

		if (got <= 0)
			return got < 0 ? -errno : -EBADMSG;
		at += (uint64_t)got;
	}
	return 0;
}

int ring_part_copy(struct ring_walk *w, uint64_t until,
		   struct ring_part *part)
{
	struct ring_state s = ring_state_load(w->ring);

	for (unsigned i = 0; i < COPY_TRIES; i++) {
		uint64_t end = until && until < s.head ? until : s.head;
		int rc;

		if (w->hint < s.tail) {
			w->hint = s.tail;
			w->next = s.first;
		}
		if (!ring_state_is_sane(w->ring, &s))
			return -EBADMSG;
		if (end < w->hint)
			end = w->hint;
		rc = part_fit(part, w->hint, end);
		if (rc == 0)
			rc = part_fill(w->ring, part);
		if (rc < 0)
			return rc;
		s = ring_state_load(w->ring);
		if (s.tail <= part->at) {
			w->part = part;
			return 0;
		}
	}
	return -EBADMSG;
}

void ring_part_fini(struct ring_part *p)
{
	free(p->octets);
	*p = (struct ring_part){ 0 };
}
