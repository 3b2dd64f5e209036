/* Arrays that grow up to a bound: what a peer may make the decoder remember.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "agent/record/index_map.h"

struct array {
	void *items;
	size_t size;		/* of an item */
	uint32_t count, cap, max;
};

/* An empty one; nothing is allocated yet. */
struct array array_of(size_t size, uint32_t max);
/* Releases what it holds. */
void array_fini(struct array *a);

/* Room for n more, not set to anything. Returns the index of the first, or
 * INDEX_NONE at the bound or without memory. What was borrowed of the array
 * before is no longer valid.
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
