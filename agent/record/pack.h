/* Protobuf's wire format written straight into a buffer: no tree is built and
 * nothing is allocated. Any protobuf decoder of record.proto reads it.
 *
 * As proto3 requires, a field that is 0, false or empty is left out. When the
 * buffer is full the writer's overflow sticks.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "petrel/cursor.h"

/* uint32, uint64, bool. */
void pack_uint(struct writer *w, unsigned field, uint64_t value);
/* int64: as it stands, without zigzag. */
void pack_int(struct writer *w, unsigned field, int64_t value);
/* fixed64. */
void pack_fixed64(struct writer *w, unsigned field, uint64_t value);
/* float. */
void pack_float(struct writer *w, unsigned field, float value);
/* double. */
void pack_double(struct writer *w, unsigned field, double value);
/* bytes. */
void pack_octets(struct writer *w, unsigned field, const void *octets,
		 size_t n);
/* string; text may be NULL. */
void pack_text(struct writer *w, unsigned field, const char *text);

/* Begins a message or packed field within; returns the mark for its end. */
size_t pack_open(struct writer *w, unsigned field);
/* Ends what pack_open() began. */
void pack_close(struct writer *w, size_t mark);

/* v as zigzag: small for small magnitudes. */
static inline uint64_t pack_zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

/* Octets of a varint: 1 for each 7 bits begun. */
static inline size_t pack_varint_len(uint64_t v)
{
	return ((63u - (unsigned)__builtin_clzll(v | 1)) * 9 + 73) / 64;
}

/* For loops whose room was checked before: returns the place behind. */
static inline uint8_t *pack_varint(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}
