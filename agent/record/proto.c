#include "agent/record/proto.h"

enum { WIRE_VARINT, WIRE_FIXED64, WIRE_OCTETS, WIRE_FIXED32 = 5 };

#define WIRE_BITS 3u
#define NUMBER_MAX ((1u << 29) - 1)

static bool value_read(struct cursor *c, unsigned wire, struct proto_field *f)
{
	f->has_octets = false;
	f->value = 0;
	switch (wire) {
	case WIRE_VARINT:
		f->value = cursor_varint(c);
		return true;
	case WIRE_FIXED64:
		f->value = cursor_le64(c);
		return true;
	case WIRE_FIXED32:
		f->value = cursor_le32(c);
		return true;
	case WIRE_OCTETS:
		f->has_octets = true;
		f->octets = cursor_sub(c, cursor_varint(c));
		return true;
	default:
		return false;
	}
}

bool proto_next(struct cursor *c, struct proto_field *ret)
{
	uint64_t key;

	if (cursor_left(c) == 0)
		return false;
	key = cursor_varint(c);
	ret->number = (uint32_t)(key >> WIRE_BITS);
	if (key >> WIRE_BITS == 0 || key >> WIRE_BITS > NUMBER_MAX ||
	    !value_read(c, key & ((1u << WIRE_BITS) - 1), ret))
		cursor_fail(c);
	return cursor_ok(c);
}

bool proto_fields(struct cursor c, uint32_t octets, unsigned n,
		  struct proto_field *ret)
{
	struct proto_field f = { .value = 0 };

	for (unsigned i = 0; i < n; i++)
		ret[i] = (struct proto_field){ .value = 0 };
	while (proto_next(&c, &f)) {
		if (f.number >= n)
			continue;
		if (f.has_octets != (octets >> f.number & 1))
			return false;
		ret[f.number] = f;
	}
	return cursor_ok(&c);
}
