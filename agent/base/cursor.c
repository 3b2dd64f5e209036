#include "petrel/cursor.h"

#include <string.h>

struct cursor cursor_of(const void *data, size_t len)
{
	return (struct cursor){ .data = data, .len = len };
}

void cursor_fail(struct cursor *c)
{
	c->failed = true;
}

static uint64_t read_be(struct cursor *c, size_t n)
{
	const uint8_t *at = cursor_bytes(c, n);
	uint64_t value = 0;

	for (size_t i = 0; at && i < n; i++)
		value = value << 8 | at[i];
	return value;
}

static uint64_t read_le(struct cursor *c, size_t n)
{
	const uint8_t *at = cursor_bytes(c, n);
	uint64_t value = 0;

	for (size_t i = n; at && i > 0; i--)
		value = value << 8 | at[i - 1];
	return value;
}

uint8_t cursor_u8(struct cursor *c)
{
	return (uint8_t)read_be(c, 1);
}

uint16_t cursor_be16(struct cursor *c)
{
	return (uint16_t)read_be(c, 2);
}

uint32_t cursor_be32(struct cursor *c)
{
	return (uint32_t)read_be(c, 4);
}

uint64_t cursor_be64(struct cursor *c)
{
	return read_be(c, 8);
}

uint32_t cursor_le32(struct cursor *c)
{
	return (uint32_t)read_le(c, 4);
}

uint64_t cursor_le64(struct cursor *c)
{
	return read_le(c, 8);
}

uint64_t cursor_varint_any(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && cursor_left(c); shift += 7) {
		uint8_t octet = c->data[c->pos++];

		if (shift == 63 && octet > 1)
			break;
		value |= (uint64_t)(octet & 0x7f) << shift;
		if (!(octet & 0x80))
			return value;
	}
	c->failed = true;
	return 0;
}

int64_t cursor_zigzag(struct cursor *c)
{
	uint64_t z = cursor_varint(c);

	return (int64_t)(z >> 1 ^ (~(z & 1) + 1));
}

struct writer writer_of(void *data, size_t cap)
{
	return (struct writer){ .data = data, .cap = cap };
}

bool writer_ok(const struct writer *w)
{
	return !w->overflow;
}

void writer_bytes(struct writer *w, const void *bytes, size_t n)
{
	if (w->overflow || n > w->cap - w->pos) {
		w->overflow = true;
		return;
	}
	if (n > 0)
		memcpy(w->data + w->pos, bytes, n);
	w->pos += n;
}

static void write_be(struct writer *w, uint64_t value, size_t n)
{
	uint8_t octets[8];

	for (size_t i = 0; i < n; i++)
		octets[i] = (uint8_t)(value >> 8 * (n - 1 - i));
	writer_bytes(w, octets, n);
}

void writer_u8(struct writer *w, uint8_t value)
{
	write_be(w, value, 1);
}

void writer_be16(struct writer *w, uint16_t value)
{
	write_be(w, value, 2);
}

void writer_be32(struct writer *w, uint32_t value)
{
	write_be(w, value, 4);
}

void writer_be64(struct writer *w, uint64_t value)
{
	write_be(w, value, 8);
}

void writer_varint(struct writer *w, uint64_t value)
{
	uint8_t octets[10];
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		octets[n++] = (uint8_t)(value | 0x80);
	octets[n++] = (uint8_t)value;
	writer_bytes(w, octets, n);
}

void writer_zigzag(struct writer *w, int64_t value)
{
	writer_varint(w, (uint64_t)value << 1 ^ -(uint64_t)(value < 0));
}
