/* FNV-1a, 64 bits: to find things again and to see that a text has changed. It
 * does not withstand an attacker who chooses what is hashed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HASH_SEED UINT64_C(0xcbf29ce484222325)

/* Goes on from a hash, the first time from HASH_SEED. */
static inline uint64_t hash_octets(uint64_t hash, const void *octets,
				   size_t len)
{
	const uint8_t *at = octets;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Mixes the low bits into all bits (splitmix64's finalizer). */
static inline uint64_t hash_mix(uint64_t h)
{
	h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
	return h ^ h >> 31;
}
