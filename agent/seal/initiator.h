/* C11, the agent's end: begins a sealed session with the one collector whose
 * key it knows, and seals and opens its frames. Owns no file and no socket.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "agent/seal/sealed.h"

struct initiator;

#define SEAL_TOKEN_MAX 33u	/* octets of a token, with its NUL */
#define HANDSHAKE_LEN (ENVELOPE_LEN + NOISE_FIRST_LEN + SEAL_TOKEN_MAX)

/* collector: its public key. token: for enrolment; NULL: none. All is copied.
 * Returns -ENOMEM, -EIO (no libsodium).
 */
int initiator_new(const struct noise_pair *own,
		  const uint8_t collector[static NOISE_KEY_LEN],
		  const char *token, struct initiator **ret);
/* Erases its keys. */
void initiator_free(struct initiator *i);

/* A new HANDSHAKE; discards the former keys. Returns -EPROTO: the collector's
 * key is invalid.
 */
int initiator_handshake(struct initiator *i, uint8_t ret[static HANDSHAKE_LEN],
			size_t *ret_len);
/* The body of a HANDSHAKE_ANSWER, which named a session. Returns -EBADMSG: not
 * from that collector, or not for the last HANDSHAKE.
 */
int initiator_answer(struct initiator *i, uint64_t session,
		     struct cursor *body);
/* Discards the session's keys. NULL is allowed. */
void initiator_reset(struct initiator *i);

/* The session for which both ends have keys; NULL if there is none, or i is
 * NULL.
 */
struct sealed *initiator_sealed(struct initiator *i);
