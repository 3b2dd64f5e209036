/* C11: the frames of one sealed session, at either end: bodies sealed and
 * opened in place, each under its own number, which is never used twice. See
 * petrel/wire.h for the format.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "agent/seal/noise.h"
#include "petrel/wire.h"

/* Limit of frames in one direction under one key; then the session ends. */
#define SEALED_NUMBERS (UINT64_C(1) << 60)

struct sealed {
	uint64_t session;
	struct noise_cipher out, in;
};

/* frame: ENVELOPE_LEN octets of room, then the body, then room for the tag.
 * Returns -EOVERFLOW: no numbers are left.
 */
int sealed_write(struct sealed *s, enum frame_kind kind, uint8_t *frame,
		 size_t body_len, size_t *ret_len);

/* The same, or in the clear if s is NULL: e except for its length. Returns the
 * frame's length, 0 on -EOVERFLOW.
 */
size_t sealed_or_clear_write(struct sealed *s, struct envelope e,
			     uint8_t *frame, size_t body_len);

/* e: from envelope_read() before the body. Returns -EBADMSG, and then nothing
 * changed: it was not sealed for this session by its other end, or it was
 * changed, or it or a later one was opened before.
 */
int sealed_read(struct sealed *s, const struct envelope *e, uint8_t *frame,
		size_t len, struct cursor *ret_body);
