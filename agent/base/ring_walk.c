/* Readers that go from record to record: in place, or over a copy. */
#include "agent/base/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/ring_memory.h"

_Static_assert(RING_PLACES == RING_REFERENCES_MAX,
	       "the layout is what ring.h promises");

#define COPY_TRIES 8u		/* a writer may drop groups meanwhile */

struct ring_walk ring_walk_of(const struct ring *r, uint64_t first,
			      uint64_t end)
{
	struct ring_state s = ring_state_load(r);
	struct ring_walk w = { .ring = r, .next = first, .end = end };

	if (w.next <= s.first) {
		w.next = s.first;
		w.hint = s.tail;
	}
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

/* Checks what is noted against the record that is there. Reads the file: in
 * place the kernel would have to map a page for a few octets.
 */
static bool reference_check(const struct ring *r, const struct ring_state *s,
			    struct ring_reference *ref)
{
	off_t from = (off_t)(RING_DATA_AT + ref->at % r->fixed.bytes);
	uint8_t octets[RECORD_HEADER_LEN + sizeof(ref->payload)];
	struct ring_slot slot;

	if (ref->sequence < s->first || ref->sequence >= s->next ||
	    ref->at < s->tail || ref->at >= s->head ||
	    pread(r->fd, octets, sizeof(octets), from) !=
		    (ssize_t)sizeof(octets) ||
	    !ring_slot_parse(octets, ref->at, &slot) ||
	    slot.sequence != ref->sequence || slot.end > s->head ||
	    !(slot.flags & RECORD_FLAG_REFERENCE))
		return false;
	memcpy(ref->payload, octets + RECORD_HEADER_LEN, sizeof(ref->payload));
	return true;
}

static int reference_order(const void *left, const void *right)
{
	const struct ring_reference *a = left, *b = right;

	return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

unsigned ring_references(const struct ring *r,
			 struct ring_reference ret[static RING_REFERENCES_MAX])
{
	struct ring_state s = ring_state_load(r);
	unsigned n = 0;

	if (!ring_state_is_sane(r, &s))
		return 0;
	for (unsigned i = 0; i < RING_PLACES; i++) {
		ret[n].sequence = r->places->reference[i].sequence;
		ret[n].at = r->places->reference[i].at;
		n += reference_check(r, &s, &ret[n]);
	}
	qsort(ret, n, sizeof(*ret), reference_order);
	return n;
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
