#include "agent/base/ring_memory.h"

#include <string.h>

#define LOAD_TRIES 10000u

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

/* The words of a generation are written again only after the next one holds,
 * so they were whole if the generation is still the same after the copy. A
 * writer of ours does not publish LOAD_TRIES times while a few words are
 * copied; what another left there is judged by ring_state_is_sane().
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
	/* What was dropped is overwritten only after this is seen. */
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

uint64_t ring_lap_left(const struct ring *r, uint64_t at)
{
	return r->fixed.bytes - at % r->fixed.bytes;
}

uint64_t ring_slot_size(uint64_t len)
{
	return (len + RING_ALIGN - 1) / RING_ALIGN * RING_ALIGN;
}

/* True where the rest of the lap holds no record. */
static bool lap_is_skipped(const struct ring *r, uint64_t at)
{
	return ring_lap_left(r, at) < RECORD_HEADER_LEN ||
	       memcmp(r->data + at % r->fixed.bytes, skip_mark,
		      sizeof(skip_mark)) == 0;
}

void ring_lap_skip(struct ring *r, uint64_t at)
{
	if (ring_lap_left(r, at) >= RECORD_HEADER_LEN)
		memcpy(r->data + at % r->fixed.bytes, skip_mark,
		       sizeof(skip_mark));
}

bool ring_slot_at(const struct ring *r, const struct ring_state *s,
		  uint64_t at, struct ring_slot *ret)
{
	uint8_t octets[RECORD_HEADER_LEN];
	struct cursor c;
	uint32_t length;
	uint16_t flags;

	if (at >= s->tail && at < s->head && lap_is_skipped(r, at))
		at += ring_lap_left(r, at);
	if (at < s->tail || at >= s->head ||
	    ring_lap_left(r, at) < RECORD_HEADER_LEN)
		return false;
	memcpy(octets, r->data + at % r->fixed.bytes, sizeof(octets));
	c = cursor_of(octets, sizeof(octets));
	length = cursor_be32(&c);
	(void)cursor_be16(&c);		/* stream and kind */
	flags = cursor_be16(&c);
	ret->sequence = cursor_be64(&c);
	if (length > RECORD_PAYLOAD_MAX)
		return false;
	ret->at = at;
	ret->length = RECORD_HEADER_LEN + length;
	ret->end = at + ring_slot_size(ret->length);
	ret->reference = flags & RECORD_FLAG_REFERENCE;
	return ret->length <= ring_lap_left(r, at) && ret->end <= s->head;
}
