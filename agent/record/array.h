/* Arrays that grow up to a bound, and a map from 64-bit numbers to their
 * indices: bounds what a peer can make the decoder remember.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define INDEX_NONE UINT32_MAX

struct array {
	void *items;
	size_t size;		/* of an item */
	uint32_t count, cap, max;
};

/* An empty one; nothing is allocated yet. */
struct array array_of(size_t size, uint32_t max);
/* Releases what it holds; it is empty then. */
void array_fini(struct array *a);

/* Adds n uninitialised items. Returns the index of the first, or INDEX_NONE at
 * the bound or without memory. Pointers into the array are no longer valid.
 */
uint32_t array_add(struct array *a, size_t n);

/* The item of an array of that type. */
static inline uint32_t *array_u32(const struct array *a, uint32_t i)
{
	return (uint32_t *)a->items + i;
}

static inline int64_t *array_i64(const struct array *a, uint32_t i)
{
	return (int64_t *)a->items + i;
}

static inline uint8_t *array_u8(const struct array *a, uint32_t i)
{
	return (uint8_t *)a->items + i;
}

/* A peer cannot choose where keys go, as the seed is secret. */
struct index_map {
	uint64_t seed;
	uint32_t count, max;
	uint32_t cap;		/* a power of two, 0 at first */
	uint64_t *key;
	uint32_t *index;	/* INDEX_NONE: free */
};

/* max: entries; seed: so that a peer cannot choose keys that collide. */
void index_map_init(struct index_map *m, uint32_t max, uint64_t seed);
/* Releases what it holds; it is empty then. */
void index_map_fini(struct index_map *m);
/* Forgets all keys, keeps the memory. */
void index_map_clear(struct index_map *m);

/* The index of a key; INDEX_NONE: there is none. */
uint32_t index_map_find(const struct index_map *m, uint64_t key);
/* The place of a key's index, INDEX_NONE in it when the key is new: then the
 * caller stores one. NULL at the bound, or without memory. Valid until the
 * next call.
 */
uint32_t *index_map_at(struct index_map *m, uint64_t key);
