/* Noise_IK_25519_ChaChaPoly_BLAKE2b (C11), on libsodium: a handshake of two
 * messages after which both ends have two keys, one per direction, and know
 * each other's static key. The agent begins and knows the collector's key from
 * its configuration; the collector learns the agent's from the first message.
 *
 *	message 1  e, es, s, ss, payload	agent to collector
 *	message 2  e, ee, se, payload		collector to agent
 *
 * Knows nothing of frames, sessions or files.
 *
 * Source: The Noise Protocol Framework, revision 34, sections 5 and 7.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define NOISE_KEY_LEN 32u
#define NOISE_HASH_LEN 64u
#define NOISE_TAG_LEN 16u
#define NOISE_FIRST_LEN (2 * NOISE_KEY_LEN + 2 * NOISE_TAG_LEN) /* + payload */
#define NOISE_SECOND_LEN (NOISE_KEY_LEN + NOISE_TAG_LEN)	/* + payload */

struct noise_pair {
	uint8_t secret[NOISE_KEY_LEN];
	uint8_t public[NOISE_KEY_LEN];
};

/* One direction: a key, and the number of the next message under it. */
struct noise_cipher {
	uint8_t key[NOISE_KEY_LEN];
	uint64_t next;
};

/* The state of one end, from its first message to its second. Plain data. */
struct noise {
	uint8_t hash[NOISE_HASH_LEN];
	uint8_t chain[NOISE_HASH_LEN];
	struct noise_cipher cipher;	/* during the handshake */
	struct noise_pair own, once;	/* static; ephemeral */
	uint8_t peer[NOISE_KEY_LEN];	/* static: configured, or learnt */
	uint8_t peer_once[NOISE_KEY_LEN];
};

/* Initialises libsodium; may be called again. Returns -EIO. */
int noise_start(void);

/* Erases all keys in it. */
void noise_forget(void *secrets, size_t len);

/* The public key for a secret one. */
void noise_pair_of(const uint8_t secret[static NOISE_KEY_LEN],
		   struct noise_pair *ret);
/* A new random pair. */
void noise_pair_draw(struct noise_pair *ret);

/* The agent's end; peer is the collector's public key. once: the ephemeral
 * pair, which is generated if NULL; tests pass it.
 */
void noise_begin(struct noise *n, const void *prologue, size_t len,
		 const struct noise_pair *own,
		 const uint8_t peer[static NOISE_KEY_LEN],
		 const struct noise_pair *once);
/* The collector's end. */
void noise_expect(struct noise *n, const void *prologue, size_t len,
		  const struct noise_pair *own, const struct noise_pair *once);

/* Message 1: NOISE_FIRST_LEN + len octets. Returns -EPROTO when the peer's key
 * cannot be used for a shared secret.
 */
int noise_first_write(struct noise *n, const void *payload, size_t len,
		      uint8_t *ret);
/* Returns -EBADMSG: not for this key, or changed in transit. Then n is
 * unusable.
 *
 * ret_payload: of len - NOISE_FIRST_LEN octets; n->peer is the sender's key.
 */
int noise_first_read(struct noise *n, const uint8_t *message, size_t len,
		     uint8_t *ret_payload);
/* Message 2, without a payload: NOISE_SECOND_LEN octets. Returns -EPROTO. */
int noise_second_write(struct noise *n, const void *payload, size_t len,
		       uint8_t *ret);
/* As noise_first_read(). */
int noise_second_read(struct noise *n, const uint8_t *message, size_t len,
		      uint8_t *ret_payload);

/* The two directions, the agent's first, after the second message. */
void noise_split(const struct noise *n, struct noise_cipher *ret_of_agent,
		 struct noise_cipher *ret_of_collector);

/* Seals len octets in place under the message's number; a tag follows. */
void noise_seal(const uint8_t key[static NOISE_KEY_LEN], uint64_t number,
		const void *clear, size_t clear_len, uint8_t *octets,
		size_t len);
/* Opens len octets, including the tag, in place. Returns -EBADMSG, and then the
 * octets are unchanged.
 */
int noise_open(const uint8_t key[static NOISE_KEY_LEN], uint64_t number,
	       const void *clear, size_t clear_len, uint8_t *octets,
	       size_t len);
