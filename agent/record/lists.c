#include "agent/record/lists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024u

int lists_init(struct lists *l, uint32_t max, uint32_t entity_max)
{
	*l = (struct lists){ .max = max, .entity_max = entity_max };
	l->list = calloc(max, sizeof(*l->list));
	l->entity = calloc(entity_max, sizeof(*l->entity));
	l->row = calloc(entity_max, sizeof(*l->row));
	l->bucket = calloc(BUCKETS, sizeof(*l->bucket));
	if (!l->list || !l->entity || !l->row || !l->bucket)
		return -ENOMEM;
	lists_forget(l);
	return 0;
}

void lists_fini(struct lists *l)
{
	free(l->list);
	free(l->entity);
	free(l->row);
	free(l->bucket);
}

void lists_forget(struct lists *l)
{
	l->count = 0;
	l->entity_count = 0;
	for (uint32_t i = 0; i < BUCKETS; i++)
		l->bucket[i] = LIST_NONE;
}

static uint32_t hash_of(const uint32_t *entity, uint32_t count)
{
	uint64_t h = count;

	for (uint32_t i = 0; i < count; i++)
		h = (h ^ entity[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(h >> 32);
}

static bool list_is(const struct lists *l, uint32_t n, const uint32_t *entity,
		    uint32_t count)
{
	return n < l->count && l->list[n].count == count &&
	       memcmp(l->entity + l->list[n].at, entity,
		      count * sizeof(*entity)) == 0;
}

static int list_add(struct lists *l, const uint32_t *entity, uint32_t count,
		    uint32_t hash, uint32_t *ret)
{
	uint32_t *bucket = &l->bucket[hash % BUCKETS];

	if (l->count == l->max || count > l->entity_max - l->entity_count)
		return -ENOSPC;
	memcpy(l->entity + l->entity_count, entity, count * sizeof(*entity));
	l->list[l->count] = (struct list){ .at = l->entity_count,
					   .count = count, .next = *bucket,
					   .hash = hash };
	l->entity_count += count;
	*bucket = l->count;
	*ret = l->count++;
	return 0;
}

int lists_find(struct lists *l, const uint32_t *entity, uint32_t count,
	       uint32_t guess, uint32_t *ret)
{
	uint32_t hash, n;

	if (list_is(l, guess, entity, count)) {
		*ret = guess;
		return 0;
	}
	hash = hash_of(entity, count);
	for (n = l->bucket[hash % BUCKETS]; n != LIST_NONE; n = l->list[n].next)
		if (l->list[n].hash == hash && list_is(l, n, entity, count)) {
			*ret = n;
			return 0;
		}
	return list_add(l, entity, count, hash, ret);
}
