#include "agent/collect/message_json.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "agent/record/json.h"

/* One value as protobuf-c keeps it in memory. */
static void value_read(const void *at, void *ret, size_t size)
{
	memcpy(ret, at, size);
}

static struct json_object *hex_json(uint64_t value)
{
	char text[17];

	(void)snprintf(text, sizeof(text), "%016" PRIx64, value);
	return json_object_new_string(text);
}

static struct json_object *scalar_json(const ProtobufCFieldDescriptor *f,
				       const void *at)
{
	union {
		uint32_t u32;
		int32_t i32;
		uint64_t u64;
		int64_t i64;
		float f;
		double d;
		const char *text;
		const ProtobufCMessage *message;
		protobuf_c_boolean b;
	} v;

	switch (f->type) {
	case PROTOBUF_C_TYPE_UINT32:
		value_read(at, &v.u32, sizeof(v.u32));
		return json_object_new_int64(v.u32);
	case PROTOBUF_C_TYPE_UINT64:
		value_read(at, &v.u64, sizeof(v.u64));
		return json_object_new_uint64(v.u64);
	case PROTOBUF_C_TYPE_FIXED64:	/* the number of a run: a name */
		value_read(at, &v.u64, sizeof(v.u64));
		return hex_json(v.u64);
	case PROTOBUF_C_TYPE_INT64:
		value_read(at, &v.i64, sizeof(v.i64));
		return json_object_new_int64(v.i64);
	case PROTOBUF_C_TYPE_FLOAT:
		value_read(at, &v.f, sizeof(v.f));
		return json_object_new_double((double)v.f);
	case PROTOBUF_C_TYPE_DOUBLE:
		value_read(at, &v.d, sizeof(v.d));
		return json_object_new_double(v.d);
	case PROTOBUF_C_TYPE_BOOL:
		value_read(at, &v.b, sizeof(v.b));
		return json_object_new_boolean(v.b);
	case PROTOBUF_C_TYPE_STRING:
		value_read(at, &v.text, sizeof(v.text));
		return json_object_new_string(v.text);
	case PROTOBUF_C_TYPE_MESSAGE:
		value_read(at, &v.message, sizeof(v.message));
		return v.message ? message_json(v.message) : NULL;
	default:
		return NULL;
	}
}

static size_t scalar_size(const ProtobufCFieldDescriptor *f)
{
	switch (f->type) {
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_FLOAT:
		return 4;
	case PROTOBUF_C_TYPE_STRING:
	case PROTOBUF_C_TYPE_MESSAGE:
		return sizeof(void *);
	default:
		return 8;
	}
}

static void list_add(struct json_object *o, const ProtobufCMessage *m,
		     const ProtobufCFieldDescriptor *f)
{
	const uint8_t *base = (const uint8_t *)m;
	struct json_object *list = json_object_new_array();
	const uint8_t *values;
	size_t count;

	value_read(base + f->quantifier_offset, &count, sizeof(count));
	value_read(base + f->offset, &values, sizeof(values));
	for (size_t i = 0; list && i < count; i++)
		(void)json_object_array_add(list,
			scalar_json(f, values + i * scalar_size(f)));
	(void)json_object_object_add(o, f->name, list);
}

static void field_add(struct json_object *o, const ProtobufCMessage *m,
		      const ProtobufCFieldDescriptor *f)
{
	const void *at = (const uint8_t *)m + f->offset;
	uint64_t u64;
	int64_t i64;

	if (f->type == PROTOBUF_C_TYPE_BYTES)
		return;
	if (f->label == PROTOBUF_C_LABEL_REPEATED) {
		list_add(o, m, f);
	} else if (f->type == PROTOBUF_C_TYPE_UINT64) {
		value_read(at, &u64, sizeof(u64));
		(void)json_add_unsigned(o, f->name, u64);
	} else if (f->type == PROTOBUF_C_TYPE_INT64) {
		value_read(at, &i64, sizeof(i64));
		(void)json_add_integer(o, f->name, i64);
	} else {
		struct json_object *value = scalar_json(f, at);

		if (value)
			(void)json_object_object_add(o, f->name, value);
	}
}

struct json_object *message_json(const ProtobufCMessage *m)
{
	struct json_object *o = json_object_new_object();

	for (unsigned i = 0; o && i < m->descriptor->n_fields; i++)
		field_add(o, m, &m->descriptor->fields[i]);
	return o;
}
