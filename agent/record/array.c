#include "agent/record/array.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/hash.h"

#define CAP_FIRST 1024u

struct array array_of(size_t size, uint32_t max)
{
	return (struct array){ .size = size, .max = max };
}

void array_fini(struct array *a)
{
	free(a->items);
	*a = array_of(a->size, a->max);
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

void index_map_init(struct index_map *m, uint32_t max, uint64_t seed)
{
	*m = (struct index_map){ .max = max, .seed = seed };
}

void index_map_fini(struct index_map *m)
{
	free(m->key);
	free(m->index);
	index_map_init(m, m->max, m->seed);
}

void index_map_clear(struct index_map *m)
{
	m->count = 0;
	if (m->cap > 0)
		memset(m->index, 0xff, m->cap * sizeof(*m->index));
}

static uint32_t place_of(const struct index_map *m, uint64_t key)
{
	uint32_t i = (uint32_t)hash_mix(key ^ m->seed) & (m->cap - 1);

	while (m->index[i] != INDEX_NONE && m->key[i] != key)
		i = (i + 1) & (m->cap - 1);
	return i;
}

static bool grow(struct index_map *m)
{
	struct index_map was = *m;

	m->cap = was.cap ? 2 * was.cap : CAP_FIRST;
	m->key = malloc(m->cap * sizeof(*m->key));
	m->index = malloc(m->cap * sizeof(*m->index));
	if (!m->key || !m->index) {
		index_map_fini(m);
		*m = was;
		return false;
	}
	memset(m->index, 0xff, m->cap * sizeof(*m->index));
	for (uint32_t i = 0; i < was.cap; i++)
		if (was.index[i] != INDEX_NONE) {
			uint32_t at = place_of(m, was.key[i]);

			m->key[at] = was.key[i];
			m->index[at] = was.index[i];
		}
	index_map_fini(&was);
	return true;
}

uint32_t index_map_find(const struct index_map *m, uint64_t key)
{
	return m->count > 0 ? m->index[place_of(m, key)] : INDEX_NONE;
}

uint32_t *index_map_at(struct index_map *m, uint64_t key)
{
	uint32_t i;

	if (4 * m->count >= 3 * m->cap && !grow(m))
		return NULL;
	i = place_of(m, key);
	if (m->index[i] == INDEX_NONE) {
		if (m->count == m->max)
			return NULL;
		m->count++;
		m->key[i] = key;
	}
	return &m->index[i];
}
