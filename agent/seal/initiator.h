/* C11, the agent's end: begins a sealed session with the one collector whose
 * key it knows, and seals and opens the frames of it. Owns no file and no
 * socket.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "agent/seal/sealed.h"

struct initiator;

#define SEAL_TOKEN_MAX 33u	/* octets of a token, with its NUL */
#define HANDSHAKE_LEN (ENVELOPE_LEN + NOISE_FIRST_LEN + SEAL_TOKEN_MAX)

/* collector: its public key. token: of an enrolment; NULL: none. All is copied.
 * Returns -ENOMEM, -EIO (no libsodium).
 */
int initiator_new(const struct noise_pair *own,
		  const uint8_t collector[static NOISE_KEY_LEN],
		  const char *token, struct initiator **ret);
/* Its keys are forgotten. */
void initiator_free(struct initiator *i);

/* A new HANDSHAKE; what was agreed on before is over. Returns -EPROTO: the
 * collector's key is none.
 */
int initiator_handshake(struct initiator *i, uint8_t ret[static HANDSHAKE_LEN],
			size_t *ret_len);
/* The body of a HANDSHAKE_ANSWER, which named a session. Returns -EBADMSG: not
 * of that collector, or not to the last HANDSHAKE.
 */
int initiator_answer(struct initiator *i, uint64_t session,
		     struct cursor *body);
/* Nothing is agreed on any more. NULL is allowed. */
void initiator_reset(struct initiator *i);

/* Of the session that both ends have keys of; NULL where there is none, or i
 * is.
 */
struct sealed *initiator_sealed(struct initiator *i);
