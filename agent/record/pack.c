#include "agent/record/pack.h"

#include <string.h>

/* Wire types. Source: protobuf's encoding guide. */
enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_LENGTH = 2, WIRE_FIXED32 = 5 };

#define LENGTH_RESERVED 3u	/* octets for a length until it is known */

static void tag(struct writer *w, unsigned field, unsigned type)
{
	writer_varint(w, field << 3 | type);
}

void pack_uint(struct writer *w, unsigned field, uint64_t value)
{
	if (value == 0)
		return;
	tag(w, field, WIRE_VARINT);
	writer_varint(w, value);
}

void pack_int(struct writer *w, unsigned field, int64_t value)
{
	pack_uint(w, field, (uint64_t)value);
}

/* Little endian, unlike Petrel's own formats. */
static void put_le(struct writer *w, uint64_t value, unsigned octets)
{
	for (unsigned i = 0; i < octets; i++)
		writer_u8(w, (uint8_t)(value >> 8 * i));
}

void pack_fixed64(struct writer *w, unsigned field, uint64_t value)
{
	if (value == 0)
		return;
	tag(w, field, WIRE_FIXED64);
	put_le(w, value, 8);
}

void pack_float(struct writer *w, unsigned field, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	if (bits == 0)
		return;
	tag(w, field, WIRE_FIXED32);
	put_le(w, bits, 4);
}

void pack_double(struct writer *w, unsigned field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	pack_fixed64(w, field, bits);
}

void pack_octets(struct writer *w, unsigned field, const void *octets,
		 size_t n)
{
	if (n == 0)
		return;
	tag(w, field, WIRE_LENGTH);
	writer_varint(w, n);
	writer_bytes(w, octets, n);
}

void pack_text(struct writer *w, unsigned field, const char *text)
{
	pack_octets(w, field, text, text ? strlen(text) : 0);
}

size_t pack_open(struct writer *w, unsigned field)
{
	static const uint8_t room[LENGTH_RESERVED];

	tag(w, field, WIRE_LENGTH);
	writer_bytes(w, room, sizeof(room));
	return w->pos;
}

/* Writes the length in the fewest octets, and moves the content up. */
void pack_close(struct writer *w, size_t mark)
{
	size_t n = w->pos - mark, at = mark - LENGTH_RESERVED;
	uint8_t *p;

	if (w->overflow)
		return;
	p = pack_varint(w->data + at, n);
	if (p != w->data + mark)
		memmove(p, w->data + mark, n);
	w->pos = (size_t)(p - w->data) + n;
}
