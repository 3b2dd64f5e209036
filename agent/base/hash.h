/* A hash of octets, to find and to compare them; not against an adversary. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* FNV-1a. seed: 0, or the hash of what comes before. Never 0. */
static inline uint64_t hash_octets(uint64_t seed, const void *octets,
				   size_t len)
{
	uint64_t hash = seed ? seed : UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ ((const uint8_t *)octets)[i]) *
		       UINT64_C(0x100000001b3);
	return hash ? hash : 1;
}

/* Mixes all bits into all others: the last step of splitmix64 (Steele, Lea,
 * Flood: "Fast splittable pseudorandom number generators").
 */
static inline uint64_t hash_mix(uint64_t h)
{
	h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
	return h ^ h >> 31;
}
