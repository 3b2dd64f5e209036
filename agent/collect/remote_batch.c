#include "agent/collect/remote_batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>
#include <snappy-c.h>

#include "agent/base/array.h"
#include "petrel/cursor.h"

#define TAG_FIRST 0x0a		/* field 1, octets with their length */
#define TAG_SECOND 0x12
#define TAG_VALUE 0x09		/* field 1, 64 bits */
#define TAG_TIME 0x10		/* field 2, a varint */
#define SAMPLE_OCTETS_MAX 24u
#define HEAD_OCTETS_MAX 11u	/* a tag and a length */

void remote_batch_fini(struct remote_batch *b)
{
	free(b->octets);
	free(b->sample);
	free(b->packed);
}

void remote_batch_empty(struct remote_batch *b)
{
	b->len = b->count = 0;
}

static int label_compare(const void *a, const void *b)
{
	const struct remote_label *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static size_t varint_size(uint64_t value)
{
	size_t n = 1;

	for (; value >= 0x80; value >>= 7)
		n++;
	return n;
}

static void text_write(struct writer *w, uint8_t tag, const char *text)
{
	writer_u8(w, tag);
	writer_varint(w, strlen(text));
	writer_bytes(w, text, strlen(text));
}

size_t remote_labels_write(struct remote_label *labels, size_t count,
			   uint8_t *ret, size_t cap)
{
	struct writer w = writer_of(ret, cap);

	qsort(labels, count, sizeof(*labels), label_compare);
	for (size_t i = 0; i < count; i++) {
		size_t name = strlen(labels[i].name);
		size_t value = strlen(labels[i].value);

		writer_u8(&w, TAG_FIRST);
		writer_varint(&w, name + value + 2 + varint_size(name) +
			      varint_size(value));
		text_write(&w, TAG_FIRST, labels[i].name);
		text_write(&w, TAG_SECOND, labels[i].value);
	}
	return writer_ok(&w) ? w.pos : 0;
}

static void sample_write(struct writer *w, double value, int64_t ms)
{
	uint8_t octets[8];
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	for (unsigned i = 0; i < 8; i++)
		octets[i] = (uint8_t)(bits >> 8 * i);
	writer_u8(w, TAG_SECOND);
	writer_u8(w, (uint8_t)(10 + varint_size((uint64_t)ms)));
	writer_u8(w, TAG_VALUE);
	writer_bytes(w, octets, sizeof(octets));
	writer_u8(w, TAG_TIME);
	writer_varint(w, (uint64_t)ms);
}

int remote_batch_add(struct remote_batch *b, const uint8_t *labels, size_t len,
		     double value, int64_t ms)
{
	uint8_t *octets = array_room(b->octets, &b->cap, b->len + len +
				     SAMPLE_OCTETS_MAX + HEAD_OCTETS_MAX, 1);
	struct remote_sample *sample;
	size_t body = len + 12 + varint_size((uint64_t)ms);
	struct writer w;

	if (!octets)
		return -ENOMEM;
	b->octets = octets;
	sample = array_room(b->sample, &b->sample_cap, b->count + 1,
			    sizeof(*sample));
	if (!sample)
		return -ENOMEM;
	b->sample = sample;
	b->sample[b->count++] = (struct remote_sample){ b->len, ms };
	w = writer_of(octets + b->len, b->cap - b->len);
	writer_u8(&w, TAG_FIRST);
	writer_varint(&w, body);
	writer_bytes(&w, labels, len);
	sample_write(&w, value, ms);
	b->len += w.pos;
	return 0;
}

static size_t sample_end(const struct remote_batch *b, size_t index)
{
	return index + 1 < b->count ? b->sample[index + 1].offset : b->len;
}

const char *remote_batch_pack(struct remote_batch *b, size_t first,
			      size_t last, size_t *ret_len)
{
	size_t from = b->sample[first].offset;
	size_t len = sample_end(b, last - 1) - from;
	size_t room = snappy_max_compressed_length(len);
	char *packed = array_room(b->packed, &b->packed_cap, room, 1);

	if (!packed)
		return NULL;
	b->packed = packed;
	if (snappy_compress((const char *)b->octets + from, len, packed,
			    &room) != SNAPPY_OK)
		return NULL;
	*ret_len = room;
	return packed;
}

static struct json_object *text_json(struct cursor *c)
{
	size_t len;

	(void)cursor_u8(c);	/* its tag */
	len = cursor_varint(c);
	return json_object_new_string_len(
			(const char *)cursor_bytes(c, len), (int)len);
}

/* We wrote them ourselves: no checks needed. */
struct json_object *remote_batch_json(const struct remote_batch *b,
				      size_t index)
{
	const struct remote_sample *s = &b->sample[index];
	struct cursor c = cursor_of(b->octets + s->offset,
				    sample_end(b, index) - s->offset);
	struct json_object *o = json_object_new_object();
	struct json_object *labels = json_object_new_object();
	uint64_t bits;
	double value;

	(void)json_object_object_add(o, "labels", labels);
	(void)cursor_u8(&c);
	(void)cursor_varint(&c);
	while (cursor_u8(&c) == TAG_FIRST) {
		struct json_object *name;

		(void)cursor_varint(&c);
		name = text_json(&c);
		(void)json_object_object_add(labels,
			json_object_get_string(name), text_json(&c));
		(void)json_object_put(name);
	}
	(void)cursor_u8(&c);	/* the sample's length, and the tag */
	(void)cursor_u8(&c);
	bits = cursor_le64(&c);
	memcpy(&value, &bits, sizeof(value));
	(void)json_object_object_add(o, "time_ms",
				     json_object_new_int64(s->ms));
	(void)json_object_object_add(o, "value", bits == REMOTE_STALE_BITS ?
				     NULL : json_object_new_double(value));
	return o;
}
