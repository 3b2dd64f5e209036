/* The entities of a run: which exist, their names, and their texts. Gives out
 * ids that are never reused (C2); a place in the table is reused only some
 * ticks after its entity went.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/entity.h"

struct inventory;
struct attribute_texts;

/* An entity and what is known of it. */
struct inventory_entity {
	uint32_t id;			/* 0: an empty place */
	struct entity_key key;		/* parent: an id */
	bool gone;
	uint32_t changed;		/* version of its last change */
	uint32_t gone_tick;
	char *const *attribute;		/* ATTRIBUTE_COUNT, NULL unknown */
	struct attribute_texts *texts;	/* owner of these; NULL: it has none */
	char *shown;			/* owned: see inventory_shown() */
};

/* The name for people: of a port whose name is not unique with the ASIC, as
 * "asic1:Ethernet0".
 */
static inline const char *inventory_shown(const struct inventory_entity *e)
{
	return e->shown ? e->shown : e->key.name;
}

/* capacity: at most; rounded up to a power of two, and taken as it is needed.
 * Returns -ENOMEM.
 */
int inventory_new(uint32_t capacity, uint32_t first_id, uint32_t version,
		  struct inventory **ret);
/* NULL is allowed. */
void inventory_free(struct inventory *v);

/* The id of a key, made when it is new. Returns -EINVAL, -ENOSPC. */
int inventory_add(struct inventory *v, const struct entity_key *key,
		  uint32_t tick, uint32_t *ret_id);
/* Returns true when the text changed. */
bool inventory_attribute(struct inventory *v, uint32_t id,
			 enum attribute which, const char *text);
/* Marks it gone, with all its children. Returns how many went. */
size_t inventory_gone(struct inventory *v, uint32_t id, uint32_t tick);

/* NULL when unknown or its place was reused. */
const struct inventory_entity *inventory_get(const struct inventory *v,
					     uint32_t id);
/* The live entity of a key; ENTITY_NONE. */
uint32_t inventory_find(const struct inventory *v,
			const struct entity_key *key);
/* All places, empty ones (id 0) among them. */
size_t inventory_places(const struct inventory *v,
			const struct inventory_entity **ret);
/* Place of a live id in that array, or -1. */
int32_t inventory_place(const struct inventory *v, uint32_t id);

/* The version of the dictionary: grows with each change. */
uint32_t inventory_version(const struct inventory *v);
/* The id that the next entity would get. */
uint32_t inventory_next(const struct inventory *v);
/* Something other than an entity (a source) changed the dictionary. */
void inventory_touch(struct inventory *v);

/* Live ports, sorted by name, numbers by their value. */
size_t inventory_ports(const struct inventory *v, const uint32_t **ret);
