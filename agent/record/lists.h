/* Entity lists of one reference group, each with a number: a column over the
 * same entities as another, or as last time, costs only that number.
 *
 * All memory is taken at lists_init(); when it is full, a new reference group
 * must begin.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define LIST_NONE UINT32_MAX

struct list {
	uint32_t at, count;	/* its entities, in the arena */
	uint32_t next;		/* of the same bucket, LIST_NONE: last */
	uint32_t hash;
	bool is_written;	/* into the group's records */
};

struct lists {
	struct list *list;
	uint32_t max, count;
	uint32_t *entity;	/* the arena */
	uint32_t *row;		/* beside it, the user's: where the entity was
				 * found last in another array */
	uint32_t entity_max, entity_count;
	uint32_t *bucket;
};

/* Returns -ENOMEM. */
int lists_init(struct lists *l, uint32_t max, uint32_t entity_max);
/* Releases what it holds. */
void lists_fini(struct lists *l);
/* A reference group begins. */
void lists_forget(struct lists *l);

/* The number of the list of these entities; guess, the number that it had
 * last time, saves the search. Returns 0 or -ENOSPC.
 */
int lists_find(struct lists *l, const uint32_t *entity, uint32_t count,
	       uint32_t guess, uint32_t *ret);
