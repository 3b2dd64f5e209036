/* C11, the collector's end: handshakes of switches whose keys are authorised,
 * and the sealed sessions that follow. Knows which switch each session is of;
 * the intake decides what it may send.
 *
 * Bounded: a session needs an authorised key, and RESPONDER_SESSIONS per key
 * are kept; if a key begins more, a session that never sent a frame is dropped,
 * else the one that was silent longest. An unauthorised peer leaves no state.
 * Work for handshakes is limited as well: RESPONDER_HANDSHAKES a second,
 * RESPONDER_OF_CONNECTION per connection; more are ignored without an answer,
 * and the agent asks again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/seal/authorized.h"
#include "agent/seal/keys.h"
#include "agent/seal/sealed.h"
#include "petrel/clock.h"

#define RESPONDER_SESSIONS 4u
#define RESPONDER_HANDSHAKES 2000u
#define RESPONDER_OF_CONNECTION 4u

struct responder;

struct responder_env {
	void *context;
	/* A key that is not authorised came with a token. Adds the key to the
	 * list, calls responder_authorize(), and returns 0; else a negative
	 * errno. NULL: no enrolment.
	 */
	int (*enrol)(void *context, const char *token, size_t len,
		     const uint8_t key[static NOISE_KEY_LEN]);
	uint64_t (*random)(void *context);
};

/* The result of a HANDSHAKE. */
struct responder_answer {
	uint64_t session;
	uint8_t body[NOISE_SECOND_LEN];
	char key[KEY_TEXT_SIZE];	/* the sender's key; empty: unknown */
};

/* All since the start. */
struct responder_count {
	uint64_t handshakes;	/* answered */
	uint64_t unauthorized;	/* handshakes refused */
	uint64_t excess;	/* handshakes ignored */
	uint64_t forged;	/* frames that did not open */
};

/* env is copied. Returns -ENOMEM, -EIO (no libsodium). */
int responder_new(const struct responder_env *env, struct responder **ret);
/* Erases all keys. */
void responder_free(struct responder *r);

/* The collector's own keys: it answers for each. */
void responder_keys(struct responder *r,
		    uint8_t secret[static KEYS_MAX][NOISE_KEY_LEN],
		    unsigned count);
/* Takes the list over, in place of the previous one. Ends sessions of keys that
 * are not in it, or now belong to another switch. Returns -ENOMEM, and then the
 * previous one stays, and the list is the caller's.
 */
int responder_authorize(struct responder *r, struct authorized *list);

/* A HANDSHAKE: body is message 1. Returns 0 with the answer; otherwise at most
 * the key in *ret is set. -EBADMSG: not for a key of ours; -EACCES: an unknown
 * or expired key; -EAGAIN: ignored; -ENOENT, -ETIME: the token is used up, or
 * too old; or an error of env.enrol.
 */
int responder_handshake(struct responder *r, uint32_t connection,
			struct cursor *body, struct clock_reading now,
			struct responder_answer *ret);

/* A frame of version 4: opens its body in place. ret_id is borrowed until the
 * next call of any function. Returns -ENOENT: no such session; -EBADMSG: it
 * does not open, and is counted.
 */
int responder_open(struct responder *r, const struct envelope *e,
		   uint8_t *frame, size_t len, struct mono now,
		   struct cursor *ret_body, const char **ret_id);
/* Seals a frame of a session: as sealed_write(), or -ENOENT. */
int responder_seal(struct responder *r, uint64_t session, enum frame_kind kind,
		   uint8_t *frame, size_t body_len, size_t *ret_len);

/* Ends the sessions of expired keys. */
void responder_expire(struct responder *r, struct wall now);

/* Some key belongs to the switch with this id. */
bool responder_has_id(const struct responder *r, const char *switch_id);
/* The counts so far. */
void responder_count(const struct responder *r, struct responder_count *ret);
