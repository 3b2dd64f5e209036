/* Numbers of 64 bits to numbers of 32: where the decoder keeps what. Grows up
 * to its bound; order of growth is nobody's to choose, as the seed is secret.
 */
#pragma once

#include <stdint.h>

#define INDEX_NONE UINT32_MAX

struct index_map {
	uint64_t seed;
	uint32_t count, max;
	uint32_t cap;		/* a power of two, 0 at first */
	uint64_t *key;
	uint32_t *index;	/* INDEX_NONE: free */
};

/* max: entries; seed: so that a peer cannot choose keys that collide. */
void index_map_init(struct index_map *m, uint32_t max, uint64_t seed);
/* Releases what it holds. */
void index_map_fini(struct index_map *m);
/* Forgets all keys, keeps the memory. */
void index_map_clear(struct index_map *m);

/* The place of a key's index, INDEX_NONE in it when the key is new: then the
 * caller stores one. NULL at the bound, or without memory. Valid until the
 * next call.
 */
uint32_t *index_map_at(struct index_map *m, uint64_t key);
