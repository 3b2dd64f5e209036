#include "agent/query/message.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "agent/query/rows.h"
#include "agent/record/capped.h"
#include "petrel/cursor.h"

int message_pack(const ProtobufCMessage *m, size_t max, uint8_t **ret,
		 size_t *ret_len)
{
	size_t len = protobuf_c_message_get_packed_size(m);
	struct writer w;
	uint8_t *data;

	if (len > max)
		return -EMSGSIZE;
	data = malloc(MESSAGE_HEAD_LEN + len);
	if (!data)
		return -ENOMEM;
	w = writer_of(data, MESSAGE_HEAD_LEN);
	writer_be32(&w, (uint32_t)len);
	(void)protobuf_c_message_pack(m, data + MESSAGE_HEAD_LEN);
	*ret = data;
	*ret_len = MESSAGE_HEAD_LEN + len;
	return 0;
}

int answer_pack(Petrel__Answer *a, size_t max, uint8_t **ret, size_t *ret_len)
{
	uint8_t *data = malloc(MESSAGE_HEAD_LEN + max);
	struct writer head = writer_of(data, MESSAGE_HEAD_LEN), w;

	if (!data)
		return -ENOMEM;
	w = writer_of(data + MESSAGE_HEAD_LEN, max);
	rows_pack(a, &w);
	if (!writer_ok(&w)) {
		free(data);
		return -EMSGSIZE;
	}
	writer_be32(&head, (uint32_t)w.pos);
	*ret = data;
	*ret_len = MESSAGE_HEAD_LEN + w.pos;
	return 0;
}

uint32_t message_length(const uint8_t head[static MESSAGE_HEAD_LEN])
{
	struct cursor c = cursor_of(head, MESSAGE_HEAD_LEN);

	return cursor_be32(&c);
}

static ProtobufCMessage *unpack(const ProtobufCMessageDescriptor *what,
				size_t memory, const uint8_t *data, size_t len)
{
	struct capped capped;

	capped_init(&capped, memory);
	return protobuf_c_message_unpack(what, &capped.allocator, len, data);
}

/* What was capped is malloc()'s, which is protobuf-c's default. */
static void unpacked_free(ProtobufCMessage *m)
{
	if (m)
		protobuf_c_message_free_unpacked(m, NULL);
}

int request_unpack(const uint8_t *data, size_t len, Petrel__Request **ret)
{
	ProtobufCMessage *m = unpack(&petrel__request__descriptor,
				     REQUEST_MEMORY_MAX, data, len);

	if (!m)
		return -EBADMSG;
	*ret = (Petrel__Request *)m;
	return 0;
}

void request_free(Petrel__Request *r)
{
	unpacked_free((ProtobufCMessage *)r);
}

/* --- answers ------------------------------------------------------------- */

/* An answer is ten thousand small objects that live and die together: they lie
 * one behind the other in a few large pieces, and go with them. The first
 * object of the first piece is the answer itself.
 */
struct piece {
	struct piece *next;
	_Alignas(max_align_t) unsigned char data[];
};

#define PIECE_OCTETS (256u << 10)
#define PIECE_ALIGN (sizeof(max_align_t))

struct pieces {
	ProtobufCAllocator allocator;
	struct piece *first, *last;
	size_t room;			/* in the last */
	unsigned char *at;
	size_t left;			/* of the bound */
};

static bool piece_add(struct pieces *p, size_t octets)
{
	size_t size = octets > PIECE_OCTETS ? octets : PIECE_OCTETS;
	struct piece *piece;

	if (size > p->left)
		return false;
	piece = malloc(sizeof(*piece) + size);
	if (!piece)
		return false;
	piece->next = NULL;
	if (p->last)
		p->last->next = piece;
	else
		p->first = piece;
	p->last = piece;
	p->left -= size;
	p->room = size;
	p->at = piece->data;
	return true;
}

static void *pieces_alloc(void *data, size_t size)
{
	struct pieces *p = data;
	size_t octets = (size + PIECE_ALIGN - 1) / PIECE_ALIGN * PIECE_ALIGN;
	void *object;

	if (octets < size || (octets > p->room && !piece_add(p, octets)))
		return NULL;
	object = p->at;
	p->at += octets;
	p->room -= octets;
	return object;
}

static void pieces_keep(void *data, void *object)
{
	(void)data;
	(void)object;
}

static void pieces_free(struct piece *first)
{
	while (first) {
		struct piece *next = first->next;

		free(first);
		first = next;
	}
}

int answer_unpack(const uint8_t *data, size_t len, Petrel__Answer **ret)
{
	struct pieces p = { .left = ANSWER_MEMORY_MAX };
	Petrel__Answer *a;
	int rc;

	p.allocator.alloc = pieces_alloc;
	p.allocator.free = pieces_keep;
	p.allocator.allocator_data = &p;
	rc = rows_unpack(data, len, &p.allocator, &a);
	if (rc < 0) {
		pieces_free(p.first);
		return rc;
	}
	assert((unsigned char *)a == p.first->data);
	*ret = a;
	return 0;
}

void answer_unpacked_free(Petrel__Answer *a)
{
	unsigned char *object = (unsigned char *)a;

	if (a)
		pieces_free((struct piece *)(void *)(object -
				offsetof(struct piece, data)));
}
