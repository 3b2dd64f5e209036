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

static void *unpack(const ProtobufCMessageDescriptor *what, size_t memory,
		    const uint8_t *data, size_t len)
{
	struct capped capped;

	capped_init(&capped, memory);
	return protobuf_c_message_unpack(what, &capped.allocator, len, data);
}

int request_unpack(const uint8_t *data, size_t len, Petrel__Request **ret)
{
	*ret = unpack(&petrel__request__descriptor, REQUEST_MEMORY_MAX, data,
		      len);
	return *ret ? 0 : -EBADMSG;
}

int answer_unpack(const uint8_t *data, size_t len, Petrel__Answer **ret)
{
	*ret = unpack(&petrel__answer__descriptor, ANSWER_MEMORY_MAX, data,
		      len);
	return *ret ? 0 : -EBADMSG;
}

/* What was unpacked with a limit is from malloc(), protobuf-c's default. */
void request_free(Petrel__Request *r)
{
	petrel__request__free_unpacked(r, NULL);
}

void answer_unpacked_free(Petrel__Answer *a)
{
	petrel__answer__free_unpacked(a, NULL);
}

/* --- tables -------------------------------------------------------------- */

bool unit_is_text(uint32_t unit)
{
	return unit == CELL_TEXT || unit == CELL_PEER ||
	       unit >= CELL_UNIT_COUNT;
}

/* A list is complete or absent; without marks there must be values. */
static bool column_is_sound(const Petrel__TableColumn *c, size_t rows)
{
	if ((c->n_mark && c->n_mark != rows) ||
	    (c->n_value && c->n_value != rows) ||
	    (c->n_age_ns && c->n_age_ns != rows) ||
	    (rows && !c->n_mark && !c->n_value))
		return false;
	for (size_t i = 0; i < rows && unit_is_text(c->unit); i++) {
		int64_t place = c->n_value ? c->value[i] : 0;

		if ((!c->n_mark || c->mark[i]) &&
		    (place < 0 || (uint64_t)place >= c->n_words))
			return false;
	}
	return true;
}

bool table_is_sound(const Petrel__Table *t)
{
	if (t->n_columns > TABLE_COLUMNS_MAX || (t->single && t->rows > 1) ||
	    (t->rows && t->n_columns == 0) ||
	    (t->n_json_only && t->n_json_only != t->rows))
		return false;
	for (size_t i = 0; i < t->n_columns; i++)
		if (!column_is_sound(t->columns[i], t->rows))
			return false;
	return true;
}

bool table_row_is_json_only(const Petrel__Table *t, size_t row)
{
	return t->json_only && t->json_only[row];
}

struct cell table_cell(const Petrel__Table *t, size_t row, size_t column)
{
	const Petrel__TableColumn *c = t->columns[column];
	uint32_t mark = c->mark ? c->mark[row] : 1;
	struct cell ret = { .absent = mark == 0, .text = "" };

	if (ret.absent)
		return ret;
	ret.is_pattern = (mark & LOCAL_MARK_PATTERN) != 0;
	ret.quality = (mark & ~LOCAL_MARK_PATTERN) - 1;
	ret.value = c->value ? c->value[row] : 0;
	ret.age_ns = c->age_ns ? c->age_ns[row] : 0;
	if (unit_is_text(c->unit))
		ret.text = c->words[ret.value];
	return ret;
}
