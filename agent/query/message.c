#include "agent/query/message.h"

#include <errno.h>
#include <stdlib.h>

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

int answer_unpack(const uint8_t *data, size_t len, Petrel__Answer **ret)
{
	ProtobufCMessage *m = unpack(&petrel__answer__descriptor,
				     ANSWER_MEMORY_MAX, data, len);

	if (!m)
		return -EBADMSG;
	*ret = (Petrel__Answer *)m;
	return 0;
}

void answer_unpacked_free(Petrel__Answer *a)
{
	unpacked_free((ProtobufCMessage *)a);
}
