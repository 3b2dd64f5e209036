#include "agent/sample/relay_ring.h"

#include <errno.h>
#include <libdeflate.h>
#include <string.h>

#include "agent/sample/relay.h"

#define HEAD_LEN 6u		/* of a message: its length and its check */

static uint32_t check_of(const uint8_t *message, size_t len)
{
	return libdeflate_crc32(0, message, len);
}

static void ring_copy_in(struct relay_memory *m, uint64_t at,
			 const uint8_t *octets, size_t n)
{
	size_t pos = at % RELAY_OCTETS;
	size_t first = n < RELAY_OCTETS - pos ? n : RELAY_OCTETS - pos;

	memcpy(m->data + pos, octets, first);
	memcpy(m->data, octets + first, n - first);
}

static void ring_copy_out(const struct relay_memory *m, uint64_t at,
			  uint8_t *octets, size_t n)
{
	size_t pos = at % RELAY_OCTETS;
	size_t first = n < RELAY_OCTETS - pos ? n : RELAY_OCTETS - pos;

	memcpy(octets, m->data + pos, first);
	memcpy(octets + first, m->data, n - first);
}

bool relay_put(struct relay_memory *m, const uint8_t *message, size_t len)
{
	uint64_t head = atomic_load_explicit(&m->head, memory_order_relaxed);
	uint64_t used = head - atomic_load(&m->tail);
	uint8_t octets[HEAD_LEN];
	struct writer w = writer_of(octets, sizeof(octets));

	if (used > RELAY_OCTETS || RELAY_OCTETS - used < HEAD_LEN + len)
		return false;
	writer_be16(&w, (uint16_t)len);
	writer_be32(&w, check_of(message, len));
	ring_copy_in(m, head, octets, HEAD_LEN);
	ring_copy_in(m, head + HEAD_LEN, message, len);
	atomic_store(&m->head, head + HEAD_LEN + len);
	return true;
}

/* Copies the message before checking it: the writer may change it at any time.
 */
int relay_get(struct relay_memory *m, uint8_t ret[static RELAY_MESSAGE_MAX])
{
	uint64_t tail = atomic_load_explicit(&m->tail, memory_order_relaxed);
	uint64_t used = atomic_load(&m->head) - tail;
	uint8_t octets[HEAD_LEN];
	struct cursor c;
	uint32_t check;
	uint16_t len;

	if (used == 0)
		return 0;
	if (used < HEAD_LEN || used > RELAY_OCTETS)
		return -EBADMSG;
	ring_copy_out(m, tail, octets, HEAD_LEN);
	c = cursor_of(octets, HEAD_LEN);
	len = cursor_be16(&c);
	check = cursor_be32(&c);
	if (len == 0 || len > RELAY_MESSAGE_MAX || len > used - HEAD_LEN)
		return -EBADMSG;
	ring_copy_out(m, tail + HEAD_LEN, ret, len);
	if (check_of(ret, len) != check)
		return -EBADMSG;
	atomic_store(&m->tail, tail + HEAD_LEN + len);
	return len;
}

void relay_skip(struct relay_memory *m)
{
	atomic_store(&m->tail, atomic_load(&m->head));
}

size_t relay_memory_size(void)
{
	return sizeof(struct relay_memory);
}

void relay_memory_init(struct relay_memory *m)
{
	/* The half megabyte after them is not touched until it is needed. */
	memset(m, 0, offsetof(struct relay_memory, data));
}

uint64_t relay_dropped(const struct relay_memory *m)
{
	return atomic_load_explicit(&m->dropped, memory_order_relaxed);
}
