#include "agent/base/ring.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "agent/base/ring_memory.h"

#define READ_TRIES 1000u	/* a writer cannot overtake that often */
#define LOAD_TRIES 10000u

_Static_assert(RING_MEMORY_READERS == RING_READERS_MAX &&
	       RING_MEMORY_MARKS == RING_MARKS,
	       "the layout is what ring.h promises");

static const char skip_mark[4] = "\xff\xff\xff\xff";	/* as a length */

static struct ring_state words_load(const struct ring_words *w)
{
	return (struct ring_state){
		.next = atomic_load_explicit(&w->next, memory_order_relaxed),
		.head = atomic_load_explicit(&w->head, memory_order_relaxed),
		.first = atomic_load_explicit(&w->first, memory_order_relaxed),
		.tail = atomic_load_explicit(&w->tail, memory_order_relaxed),
		.reference = atomic_load_explicit(&w->reference,
						  memory_order_relaxed),
		.dropped = atomic_load_explicit(&w->dropped,
						memory_order_relaxed),
	};
}

static void words_store(struct ring_words *w, const struct ring_state *s)
{
	atomic_store_explicit(&w->next, s->next, memory_order_relaxed);
	atomic_store_explicit(&w->head, s->head, memory_order_relaxed);
	atomic_store_explicit(&w->first, s->first, memory_order_relaxed);
	atomic_store_explicit(&w->tail, s->tail, memory_order_relaxed);
	atomic_store_explicit(&w->reference, s->reference,
			      memory_order_relaxed);
	atomic_store_explicit(&w->dropped, s->dropped, memory_order_relaxed);
}

/* The words of a generation are rewritten only after the next one is valid, so
 * they were whole if the generation is still the same after the copy. A Petrel
 * writer does not publish LOAD_TRIES times while a few words are copied;
 * ring_state_is_sane() rejects what any other writer left there.
 */
struct ring_state ring_state_load(const struct ring *r)
{
	const struct ring_live *live = r->live;
	struct ring_state s;
	unsigned tries = LOAD_TRIES;
	uint64_t g, again;

	do {
		g = atomic_load_explicit(&live->generation,
					 memory_order_acquire);
		s = words_load(&live->state[g & 1]);
		atomic_thread_fence(memory_order_acquire);
		again = atomic_load_explicit(&live->generation,
					     memory_order_relaxed);
	} while (again != g && --tries > 0);
	return s;
}

void ring_state_publish(struct ring *r, const struct ring_state *s)
{
	uint64_t g = atomic_load_explicit(&r->live->generation,
					  memory_order_relaxed) + 1;

	words_store(&r->live->state[g & 1], s);
	atomic_store_explicit(&r->live->generation, g, memory_order_release);
	/* Dropped records are overwritten only after readers can see this. */
	atomic_thread_fence(memory_order_seq_cst);
}

bool ring_state_is_sane(const struct ring *r, const struct ring_state *s)
{
	return s->first > 0 && s->first <= s->next && s->tail <= s->head &&
	       s->head - s->tail <= r->fixed.bytes &&
	       s->next - s->first <= (s->head - s->tail) / RECORD_HEADER_LEN &&
	       (s->first == s->next) == (s->tail == s->head) &&
	       s->reference < s->next && s->head <= INT64_MAX &&
	       s->head % RING_ALIGN == 0 && s->tail % RING_ALIGN == 0;
}

static uint64_t lap_left(const struct ring *r, uint64_t at)
{
	return r->fixed.bytes - at % r->fixed.bytes;
}

static uint64_t slot_size(uint64_t len)
{
	return (len + RING_ALIGN - 1) / RING_ALIGN * RING_ALIGN;
}

static const uint8_t *octets_at(const struct ring *r,
				const struct ring_part *p, uint64_t at)
{
	return p ? p->octets + (at - p->at) : r->data + at % r->fixed.bytes;
}

/* True if the rest of the lap holds no record. */
static bool lap_is_skipped(const struct ring *r, const struct ring_part *p,
			   uint64_t at)
{
	return lap_left(r, at) < RECORD_HEADER_LEN ||
	       memcmp(octets_at(r, p, at), skip_mark, sizeof(skip_mark)) == 0;
}

static void lap_skip(struct ring *r, uint64_t at)
{
	if (lap_left(r, at) >= RECORD_HEADER_LEN)
		memcpy(r->data + at % r->fixed.bytes, skip_mark,
		       sizeof(skip_mark));
}

bool ring_slot_parse(const uint8_t octets[static RECORD_HEADER_LEN],
		     uint64_t at, struct ring_slot *ret)
{
	struct cursor c = cursor_of(octets, RECORD_HEADER_LEN);
	uint32_t length = cursor_be32(&c);

	(void)cursor_u8(&c);		/* stream */
	ret->kind = cursor_u8(&c);
	ret->flags = cursor_be16(&c);
	ret->sequence = cursor_be64(&c);
	if (length > RECORD_PAYLOAD_MAX)
		return false;
	ret->at = at;
	ret->length = RECORD_HEADER_LEN + length;
	ret->end = at + slot_size(ret->length);
	return true;
}

/* There may be a record at a place, before the head. */
static bool has_room(const struct ring_state *s, uint64_t at)
{
	return at >= s->tail && at < s->head &&
	       s->head - at >= RECORD_HEADER_LEN;
}

bool ring_slot_at(const struct ring *r, const struct ring_part *p,
		  const struct ring_state *s, uint64_t at,
		  struct ring_slot *ret)
{
	uint8_t octets[RECORD_HEADER_LEN];

	if (has_room(s, at) && lap_is_skipped(r, p, at))
		at += lap_left(r, at);
	if (!has_room(s, at) || lap_left(r, at) < RECORD_HEADER_LEN)
		return false;
	memcpy(octets, octets_at(r, p, at), sizeof(octets));
	return ring_slot_parse(octets, at, ret) &&
	       ret->length <= lap_left(r, at) && ret->end <= s->head;
}

const uint8_t *ring_slot_octets(const struct ring *r,
				const struct ring_part *p,
				const struct ring_slot *slot)
{
	return octets_at(r, p, slot->at);
}

uint64_t ring_run(const struct ring *r)
{
	return r->fixed.run;
}

uint64_t ring_first(const struct ring *r)
{
	return ring_state_load(r).first;
}

uint64_t ring_next(const struct ring *r)
{
	return ring_state_load(r).next;
}

size_t ring_bytes(const struct ring *r)
{
	return r->fixed.bytes;
}

uint64_t ring_dropped(const struct ring *r)
{
	return ring_state_load(r).dropped;
}

bool ring_wants_reference(const struct ring *r)
{
	struct ring_state s = ring_state_load(r);

	return s.reference == 0 || s.reference < s.first;
}

uint64_t ring_mark(const struct ring *r, enum ring_mark mark)
{
	assert((unsigned)mark < RING_MARKS);
	return atomic_load_explicit(&r->live->mark[mark],
				    memory_order_acquire);
}

void ring_mark_set(struct ring *r, enum ring_mark mark, uint64_t value)
{
	assert((unsigned)mark < RING_MARKS);
	atomic_store_explicit(&r->live->mark[mark], value,
			      memory_order_release);
}

void ring_ack(struct ring *r, unsigned n, uint64_t sequence)
{
	uint64_t next = ring_next(r);

	assert(n < RING_READERS_MAX);
	atomic_store_explicit(&r->live->acked[n],
			      sequence < next ? sequence : next - 1,
			      memory_order_release);
}

uint64_t ring_acked(const struct ring *r, unsigned n)
{
	assert(n < RING_READERS_MAX);
	return atomic_load_explicit(&r->live->acked[n], memory_order_acquire);
}

/* Records from first to before that reader 0 has not acknowledged. */
static uint64_t unacknowledged(const struct ring *r, uint64_t first,
			       uint64_t before)
{
	uint64_t kept_from = ring_acked(r, 0) + 1;

	if (kept_from < first)
		kept_from = first;
	return before > kept_from ? before - kept_from : 0;
}

static void drop_all(struct ring_state *s)
{
	s->first = s->next;
	s->tail = s->head;
}

/* Drops whole groups from the tail until the data up to end fits: the oldest
 * record, and those after it until one that can be read on its own.
 */
static void groups_drop(const struct ring *r, struct ring_state *s,
			uint64_t end)
{
	uint64_t first = s->first;
	struct ring_slot slot;
	bool is_head = false;

	while (s->first < s->next &&
	       (end - s->tail > r->fixed.bytes || !is_head)) {
		if (!ring_slot_at(r, NULL, s, s->tail, &slot)) {
			drop_all(s);
			break;
		}
		s->tail = slot.end;
		s->first++;
		is_head = ring_slot_at(r, NULL, s, s->tail, &slot) &&
			  slot.flags & RECORD_FLAG_REFERENCE;
	}
	if (s->first == s->next)
		s->tail = s->head;
	s->dropped += unacknowledged(r, first, s->first);
}

static void record_place(struct ring *r, uint64_t at,
			 const struct record_header *h, const void *payload)
{
	struct writer w = writer_of(r->data + at % r->fixed.bytes,
				    RECORD_HEADER_LEN + h->length);

	record_write(&w, h, payload);
	assert(writer_ok(&w) && w.pos == w.cap);
}

/* Notes where a reference is, after the one before it. */
static void place_note(struct ring *r, uint64_t before, uint64_t sequence,
		       uint64_t at)
{
	struct ring_places *p = r->places;
	unsigned n = 0;

	while (n + 1 < RING_PLACES &&
	       atomic_load_explicit(&p->reference[n].sequence,
				    memory_order_relaxed) != before)
		n++;
	n = (n + 1) % RING_PLACES;
	atomic_store_explicit(&p->reference[n].sequence, sequence,
			      memory_order_relaxed);
	atomic_store_explicit(&p->reference[n].at, at, memory_order_relaxed);
}

int ring_append(struct ring *r, enum record_kind kind, uint16_t flags,
		const void *payload, size_t len)
{
	struct ring_state s = ring_state_load(r);
	uint64_t size = slot_size(RECORD_HEADER_LEN + len), at = s.head;
	struct record_header h = {
		.length = (uint32_t)len, .stream = (uint8_t)r->fixed.stream,
		.kind = (uint8_t)kind, .flags = flags, .sequence = s.next,
		.last = s.next };

	if (len > RECORD_PAYLOAD_MAX || size > r->fixed.bytes / 4)
		return -EMSGSIZE;
	if (!ring_state_is_sane(r, &s))
		return -EBADMSG;
	if (lap_left(r, at) < size)
		at += lap_left(r, at);
	if (at + size - s.tail > r->fixed.bytes) {
		groups_drop(r, &s, at + size);
		ring_state_publish(r, &s);
	}
	if (at != s.head)
		lap_skip(r, s.head);
	record_place(r, at, &h, payload);
	if (flags & RECORD_FLAG_REFERENCE) {
		place_note(r, s.reference, s.next, at);
		s.reference = s.next;
	}
	s.next++;
	s.head = at + size;
	ring_state_publish(r, &s);
	return 0;
}

bool ring_slot_find(const struct ring *r, const struct ring_part *p,
		    const struct ring_state *s, uint64_t from,
		    uint64_t sequence, struct ring_slot *ret)
{
	uint64_t at = from;

	do {
		if (!ring_slot_at(r, p, s, at, ret) || ret->sequence > sequence)
			return false;
		at = ret->end;
	} while (ret->sequence < sequence);
	return true;
}

static int slot_copy(const struct ring *r, const struct ring_slot *slot,
		     uint64_t sequence, void *ret, size_t cap)
{
	struct cursor c = cursor_of(ret, slot->length);
	struct record_header h;
	const uint8_t *payload;

	if (slot->length > cap)
		return -ENOBUFS;
	memcpy(ret, r->data + slot->at % r->fixed.bytes, slot->length);
	if (record_read(&c, &h, &payload) < 0 || h.sequence != sequence ||
	    h.stream != r->fixed.stream || cursor_left(&c) > 0)
		return -EBADMSG;
	return (int)slot->length;
}

static int read_from(const struct ring *r, const struct ring_state *s,
		     uint64_t from, uint64_t sequence, struct ring_slot *slot,
		     void *ret, size_t cap)
{
	if (!ring_slot_find(r, NULL, s, from, sequence, slot))
		return -EBADMSG;
	return slot_copy(r, slot, sequence, ret, cap);
}

/* One try. *ret_again: a writer dropped the record's group during the read. */
static int read_once(const struct ring *r, uint64_t sequence, uint64_t *hint,
		     void *ret, size_t cap, bool *ret_again)
{
	struct ring_state s = ring_state_load(r), after;
	struct ring_slot slot = { 0 };
	int rc;

	*ret_again = false;
	if (!ring_state_is_sane(r, &s))
		return -EBADMSG;
	if (sequence >= s.next)
		return -EAGAIN;
	if (sequence < s.first)
		return -ESTALE;
	rc = read_from(r, &s, *hint, sequence, &slot, ret, cap);
	if (rc == -EBADMSG)	/* the hint is stale or bogus */
		rc = read_from(r, &s, s.tail, sequence, &slot, ret, cap);
	atomic_thread_fence(memory_order_acquire);
	after = ring_state_load(r);
	*ret_again = rc == -EBADMSG && after.first != s.first;
	if (sequence < after.first)
		return -ESTALE;
	if (rc > 0)
		*hint = slot.end;
	return rc;
}

int ring_read(const struct ring *r, uint64_t sequence, uint64_t *hint,
	      void *ret, size_t cap)
{
	bool again = true;
	int rc = -EBADMSG;

	for (unsigned i = 0; again && i < READ_TRIES; i++)
		rc = read_once(r, sequence, hint, ret, cap, &again);
	return rc;
}
