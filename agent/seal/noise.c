#include "agent/seal/noise.h"

#include <errno.h>
#include <string.h>

#include <sodium.h>

#define BLOCK_LEN 128u		/* of BLAKE2b, for HMAC */
#define NONCE_LEN 12u

static const char protocol[] = "Noise_IK_25519_ChaChaPoly_BLAKE2b";

int noise_start(void)
{
	return sodium_init() < 0 ? -EIO : 0;
}

void noise_forget(void *secrets, size_t len)
{
	sodium_memzero(secrets, len);
}

void noise_pair_of(const uint8_t secret[static NOISE_KEY_LEN],
		   struct noise_pair *ret)
{
	memcpy(ret->secret, secret, NOISE_KEY_LEN);
	(void)crypto_scalarmult_base(ret->public, secret); /* cannot fail */
}

void noise_pair_draw(struct noise_pair *ret)
{
	uint8_t secret[NOISE_KEY_LEN];

	randombytes_buf(secret, sizeof(secret));
	noise_pair_of(secret, ret);
	noise_forget(secret, sizeof(secret));
}

/* --- one message under a key ---------------------------------------------- */

/* Four octets of 0, then the number, little endian (section 12.3). */
static void nonce_of(uint64_t number, uint8_t ret[static NONCE_LEN])
{
	memset(ret, 0, NONCE_LEN);
	for (unsigned i = 0; i < 8; i++)
		ret[4 + i] = (uint8_t)(number >> 8 * i);
}

void noise_seal(const uint8_t key[static NOISE_KEY_LEN], uint64_t number,
		const void *clear, size_t clear_len, uint8_t *octets,
		size_t len)
{
	uint8_t nonce[NONCE_LEN];

	nonce_of(number, nonce);
	(void)crypto_aead_chacha20poly1305_ietf_encrypt(
		octets, NULL, octets, len, clear, clear_len, NULL, nonce, key);
}

int noise_open(const uint8_t key[static NOISE_KEY_LEN], uint64_t number,
	       const void *clear, size_t clear_len, uint8_t *octets,
	       size_t len)
{
	uint8_t nonce[NONCE_LEN];

	nonce_of(number, nonce);
	if (crypto_aead_chacha20poly1305_ietf_decrypt(octets, NULL, NULL,
						      octets, len, clear,
						      clear_len, nonce,
						      key) != 0)
		return -EBADMSG;
	return 0;
}

/* --- the symmetric state (section 5.2) ------------------------------------ */

static void hash_mix(struct noise *n, const void *data, size_t len)
{
	crypto_generichash_state s;

	(void)crypto_generichash_init(&s, NULL, 0, NOISE_HASH_LEN);
	(void)crypto_generichash_update(&s, n->hash, NOISE_HASH_LEN);
	(void)crypto_generichash_update(&s, data, len);
	(void)crypto_generichash_final(&s, n->hash, NOISE_HASH_LEN);
}

static void keyed_hash(uint8_t pad, const uint8_t key[static NOISE_HASH_LEN],
		       const uint8_t *data, size_t len,
		       uint8_t ret[static NOISE_HASH_LEN])
{
	crypto_generichash_state s;
	uint8_t block[BLOCK_LEN];

	memset(block, pad, sizeof(block));
	for (unsigned i = 0; i < NOISE_HASH_LEN; i++)
		block[i] ^= key[i];
	(void)crypto_generichash_init(&s, NULL, 0, NOISE_HASH_LEN);
	(void)crypto_generichash_update(&s, block, sizeof(block));
	(void)crypto_generichash_update(&s, data, len);
	(void)crypto_generichash_final(&s, ret, NOISE_HASH_LEN);
	noise_forget(block, sizeof(block));
}

/* HMAC (RFC 2104) with BLAKE2b. */
static void hmac(const uint8_t key[static NOISE_HASH_LEN], const uint8_t *data,
		 size_t len, uint8_t ret[static NOISE_HASH_LEN])
{
	uint8_t inner[NOISE_HASH_LEN];

	keyed_hash(0x36, key, data, len, inner);
	keyed_hash(0x5c, key, inner, sizeof(inner), ret);
	noise_forget(inner, sizeof(inner));
}

/* HKDF with two outputs (section 4.3). */
static void hkdf(const uint8_t chain[static NOISE_HASH_LEN],
		 const uint8_t *input, size_t len,
		 uint8_t ret_one[static NOISE_HASH_LEN],
		 uint8_t ret_two[static NOISE_HASH_LEN])
{
	uint8_t key[NOISE_HASH_LEN], second[NOISE_HASH_LEN + 1];
	static const uint8_t first = 1;

	hmac(chain, input, len, key);
	hmac(key, &first, 1, ret_one);
	memcpy(second, ret_one, NOISE_HASH_LEN);
	second[NOISE_HASH_LEN] = 2;
	hmac(key, second, sizeof(second), ret_two);
	noise_forget(key, sizeof(key));
	noise_forget(second, sizeof(second));
}

/* Mixes the shared secret of a secret and a public key into the chain. Returns
 * -EPROTO for a public key of small order, whose shared secret anybody knows.
 */
static int secret_mix(struct noise *n, const struct noise_pair *own,
		      const uint8_t peer[static NOISE_KEY_LEN])
{
	uint8_t agreed[NOISE_KEY_LEN], chain[NOISE_HASH_LEN];
	uint8_t key[NOISE_HASH_LEN];

	if (crypto_scalarmult(agreed, own->secret, peer) != 0)
		return -EPROTO;
	hkdf(n->chain, agreed, sizeof(agreed), chain, key);
	memcpy(n->chain, chain, NOISE_HASH_LEN);
	memcpy(n->cipher.key, key, NOISE_KEY_LEN);
	n->cipher.next = 0;
	noise_forget(agreed, sizeof(agreed));
	noise_forget(chain, sizeof(chain));
	noise_forget(key, sizeof(key));
	return 0;
}

/* at: len octets, sealed in place, and room for the tag. */
static void part_seal(struct noise *n, uint8_t *at, size_t len)
{
	noise_seal(n->cipher.key, n->cipher.next++, n->hash, NOISE_HASH_LEN,
		   at, len);
	hash_mix(n, at, len + NOISE_TAG_LEN);
}

/* len: includes the tag. */
static int part_open(struct noise *n, const uint8_t *at, size_t len,
		     uint8_t *ret)
{
	uint8_t nonce[NONCE_LEN];

	nonce_of(n->cipher.next++, nonce);
	if (crypto_aead_chacha20poly1305_ietf_decrypt(
		    ret, NULL, NULL, at, len, n->hash, NOISE_HASH_LEN, nonce,
		    n->cipher.key) != 0)
		return -EBADMSG;
	hash_mix(n, at, len);
	return 0;
}

/* --- the handshake -------------------------------------------------------- */

static void state_begin(struct noise *n, const void *prologue, size_t len,
			const struct noise_pair *own,
			const struct noise_pair *once)
{
	memset(n, 0, sizeof(*n));
	memcpy(n->hash, protocol, sizeof(protocol) - 1);
	memcpy(n->chain, n->hash, NOISE_HASH_LEN);
	n->own = *own;
	if (once)
		n->once = *once;
	else
		noise_pair_draw(&n->once);
	hash_mix(n, prologue, len);
}

void noise_begin(struct noise *n, const void *prologue, size_t len,
		 const struct noise_pair *own,
		 const uint8_t peer[static NOISE_KEY_LEN],
		 const struct noise_pair *once)
{
	state_begin(n, prologue, len, own, once);
	memcpy(n->peer, peer, NOISE_KEY_LEN);
	hash_mix(n, peer, NOISE_KEY_LEN);
}

void noise_expect(struct noise *n, const void *prologue, size_t len,
		  const struct noise_pair *own, const struct noise_pair *once)
{
	state_begin(n, prologue, len, own, once);
	hash_mix(n, own->public, NOISE_KEY_LEN);
}

int noise_first_write(struct noise *n, const void *payload, size_t len,
		      uint8_t *ret)
{
	uint8_t *at = ret + NOISE_KEY_LEN;
	int err;

	memcpy(ret, n->once.public, NOISE_KEY_LEN);
	hash_mix(n, ret, NOISE_KEY_LEN);
	err = secret_mix(n, &n->once, n->peer);
	if (err < 0)
		return err;
	memcpy(at, n->own.public, NOISE_KEY_LEN);
	part_seal(n, at, NOISE_KEY_LEN);
	err = secret_mix(n, &n->own, n->peer);
	if (err < 0)
		return err;
	at += NOISE_KEY_LEN + NOISE_TAG_LEN;
	if (len > 0)
		memcpy(at, payload, len);
	part_seal(n, at, len);
	return 0;
}

int noise_first_read(struct noise *n, const uint8_t *message, size_t len,
		     uint8_t *ret_payload)
{
	const uint8_t *at = message + NOISE_KEY_LEN;
	int err;

	if (len < NOISE_FIRST_LEN)
		return -EBADMSG;
	memcpy(n->peer_once, message, NOISE_KEY_LEN);
	hash_mix(n, message, NOISE_KEY_LEN);
	err = secret_mix(n, &n->own, n->peer_once);
	if (err == 0)
		err = part_open(n, at, NOISE_KEY_LEN + NOISE_TAG_LEN, n->peer);
	if (err == 0)
		err = secret_mix(n, &n->own, n->peer);
	at += NOISE_KEY_LEN + NOISE_TAG_LEN;
	if (err == 0)
		err = part_open(n, at, len - (size_t)(at - message),
				ret_payload);
	return err < 0 ? -EBADMSG : 0;
}

int noise_second_write(struct noise *n, const void *payload, size_t len,
		       uint8_t *ret)
{
	int err;

	memcpy(ret, n->once.public, NOISE_KEY_LEN);
	hash_mix(n, ret, NOISE_KEY_LEN);
	err = secret_mix(n, &n->once, n->peer_once);
	if (err == 0)
		err = secret_mix(n, &n->once, n->peer);
	if (err < 0)
		return err;
	if (len > 0)
		memcpy(ret + NOISE_KEY_LEN, payload, len);
	part_seal(n, ret + NOISE_KEY_LEN, len);
	return 0;
}

int noise_second_read(struct noise *n, const uint8_t *message, size_t len,
		      uint8_t *ret_payload)
{
	int err;

	if (len < NOISE_SECOND_LEN)
		return -EBADMSG;
	memcpy(n->peer_once, message, NOISE_KEY_LEN);
	hash_mix(n, message, NOISE_KEY_LEN);
	err = secret_mix(n, &n->once, n->peer_once);
	if (err == 0)
		err = secret_mix(n, &n->own, n->peer_once);
	if (err == 0)
		err = part_open(n, message + NOISE_KEY_LEN,
				len - NOISE_KEY_LEN, ret_payload);
	return err < 0 ? -EBADMSG : 0;
}

void noise_split(const struct noise *n, struct noise_cipher *ret_of_agent,
		 struct noise_cipher *ret_of_collector)
{
	uint8_t one[NOISE_HASH_LEN], two[NOISE_HASH_LEN];

	hkdf(n->chain, NULL, 0, one, two);
	memcpy(ret_of_agent->key, one, NOISE_KEY_LEN);
	memcpy(ret_of_collector->key, two, NOISE_KEY_LEN);
	ret_of_agent->next = ret_of_collector->next = 0;
	noise_forget(one, sizeof(one));
	noise_forget(two, sizeof(two));
}
