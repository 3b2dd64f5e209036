/* Reads bytes that come from outside, and writes bytes that go there.
 *
 * Each read is checked against the end. After a failure all reads give 0, so a
 * parser needs one cursor_ok(), before the first use of a value. One read per
 * statement: C does not order initialisers or arguments.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	const uint8_t *data;	/* borrowed */
	size_t len;
	size_t pos;
	bool failed;
};

/* Covers len octets, which stay the caller's. */
struct cursor cursor_of(const void *data, size_t len);
/* True while no read has gone past the end. */
static inline bool cursor_ok(const struct cursor *c)
{
	return !c->failed;
}

/* Octets not yet read; 0 after a failure. */
static inline size_t cursor_left(const struct cursor *c)
{
	return c->failed ? 0 : c->len - c->pos;
}

/* Marks the input as bad, for a value that is out of its range. */
void cursor_fail(struct cursor *c);

/* One octet. */
uint8_t cursor_u8(struct cursor *c);
/* Network order, for the wire, netlink attributes and module registers. */
uint16_t cursor_be16(struct cursor *c);
/* The same, four octets. */
uint32_t cursor_be32(struct cursor *c);
/* The same, eight. */
uint64_t cursor_be64(struct cursor *c);
/* Little endian, for the few formats that are. */
/* The same, four octets. */
uint32_t cursor_le32(struct cursor *c);
/* The same, eight. */
uint64_t cursor_le64(struct cursor *c);
/* A base-128 varint of any length up to 64 bits; a longer one fails. */
uint64_t cursor_varint_any(struct cursor *c);
/* The same; one and two octets, the most common lengths, are inline. */
static inline uint64_t cursor_varint(struct cursor *c)
{
	if (!c->failed && c->pos < c->len && c->data[c->pos] < 0x80)
		return c->data[c->pos++];
	if (!c->failed && c->len - c->pos > 1 && c->data[c->pos + 1] < 0x80) {
		c->pos += 2;
		return (c->data[c->pos - 2] & 0x7fu) |
		       (uint64_t)c->data[c->pos - 1] << 7;
	}
	return cursor_varint_any(c);
}

/* The same, with zigzag undone. */
int64_t cursor_zigzag(struct cursor *c);
/* n octets in place, or NULL; borrowed from the input. */
static inline const uint8_t *cursor_bytes(struct cursor *c, size_t n)
{
	const uint8_t *at;

	if (c->failed || n > c->len - c->pos) {
		c->failed = true;
		return NULL;
	}
	at = c->data + c->pos;
	c->pos += n;
	return at;
}

/* A cursor over the next n octets; failed when there are fewer. */
static inline struct cursor cursor_sub(struct cursor *c, size_t n)
{
	const uint8_t *at = cursor_bytes(c, n);

	return (struct cursor){ .data = at, .len = at ? n : 0,
				.failed = !at };
}

/* The counterpart for writing: after an overflow nothing more is written. */
struct writer {
	uint8_t *data;		/* borrowed */
	size_t cap;
	size_t pos;
	bool overflow;
};

/* Covers cap octets, which stay the caller's. */
struct writer writer_of(void *data, size_t cap);
/* True while everything has fitted. */
bool writer_ok(const struct writer *w);
/* One octet. */
void writer_u8(struct writer *w, uint8_t value);
/* Network order. */
void writer_be16(struct writer *w, uint16_t value);
/* The same, four octets. */
void writer_be32(struct writer *w, uint32_t value);
/* The same, eight. */
void writer_be64(struct writer *w, uint64_t value);
/* Base 128, least significant group first; 1 to 10 octets. */
void writer_varint(struct writer *w, uint64_t value);
/* A signed value; small magnitudes stay short. */
void writer_zigzag(struct writer *w, int64_t value);
/* n octets, all or none. */
void writer_bytes(struct writer *w, const void *bytes, size_t n);
