/* The layout of the relay's memory: only for its writer and its reader.
 *
 * Messages: u16 length, u32 CRC-32 of what follows, then as many octets, big
 * endian, wrapped at the end of the ring. The first octet is the kind. Texts:
 * u8 length, octets.
 *
 *	BEGIN		u64 generation, u64 wanted (the reader's, as answered)
 *	ENTITY		u8 driver, u32 handle, u8 kind, u32 parent, u32 number,
 *			text name
 *	ATTRIBUTE	u8 driver, u32 handle, u8 which, text
 *	GONE		u8 driver, u32 handle
 *	GROUP		u8 driver, u32 handle, u8 source, u8 part,
 *			u64 taken, u64 uncertainty, u64 window
 *	SAMPLE		u16 quantity, u16 index, u64 value, u8 quality
 *	EVENT		u8 driver, u32 handle, u8 what, u64 value, u64 when,
 *			text
 *	SOURCE		u8 driver, u8 source, u8 state, u64 interval, text
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/cursor.h"

#define RELAY_OCTETS (512u << 10)
#define RELAY_MESSAGE_MAX 512u
#define RELAY_TEXT_MAX 255u

enum relay_kind {
	RELAY_BEGIN = 1, RELAY_ENTITY, RELAY_ATTRIBUTE, RELAY_GONE,
	RELAY_GROUP, RELAY_SAMPLE, RELAY_EVENT, RELAY_SOURCE, RELAY_KIND_COUNT,
};

struct relay_memory {
	/* The writer's: octets ever written, and so on. */
	alignas(64) _Atomic uint64_t head;
	_Atomic uint64_t generation;
	_Atomic uint64_t dropped;
	_Atomic uint64_t answered;	/* wanted, of the last BEGIN written */
	/* The reader's: octets ever read; grows when it wants all anew. */
	alignas(64) _Atomic uint64_t tail;
	_Atomic uint64_t wanted;
	alignas(64) uint8_t data[RELAY_OCTETS];
};

/* One writer: false when there is no room. A single store to head publishes the
 * message.
 */
bool relay_put(struct relay_memory *m, const uint8_t *message, size_t len);

/* One reader: copies the oldest message. Returns its length, 0 when there is
 * none, -EBADMSG.
 */
int relay_get(struct relay_memory *m, uint8_t ret[static RELAY_MESSAGE_MAX]);

/* Skips all messages in the ring. */
void relay_skip(struct relay_memory *m);
