#include "agent/record/array.h"

#include <stdlib.h>

struct array array_of(size_t size, uint32_t max)
{
	return (struct array){ .size = size, .max = max };
}

void array_fini(struct array *a)
{
	free(a->items);
}

uint32_t array_add(struct array *a, size_t n)
{
	uint32_t at = a->count;
	void *items;
	size_t cap;

	if (n > a->max - a->count)
		return INDEX_NONE;
	if (n > a->cap - a->count) {
		cap = 2 * ((size_t)a->count + n);
		if (cap > a->max)
			cap = a->max;
		items = realloc(a->items, cap * a->size);
		if (!items)
			return INDEX_NONE;
		a->items = items;
		a->cap = (uint32_t)cap;
	}
	a->count += (uint32_t)n;
	return at;
}
