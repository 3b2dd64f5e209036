/* The entities of a run, by their ids, and the name of each: a port has its own
 * name; a module that of the first port on it, else "cage 3"; any other its
 * parent's with kind and number appended, as Ethernet8/queue3.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/record/decode.h"

#define ENTITY_LIST_IDS_MAX (1u << 20)	/* higher ids get no name */

struct listed_entity;

/* All 0 at first. */
struct entity_list {
	struct listed_entity *entity;	/* by id */
	size_t count;
};

/* One entity; name: its own, NULL if it is known by its number. Ports of a
 * breakout share a module: it serves the first of them, a lane the one that has
 * it.
 */
struct known_entity {
	uint32_t kind, parent, number;	/* enum entity_kind */
	bool is_gone;
	const char *name;
	const char *port;	/* that a module or a lane serves; NULL: none */
};

/* Releases what it holds. */
void entity_list_fini(struct entity_list *l);

/* Takes entities, without naming them. */
void entity_list_take(struct entity_list *l, const Petrel__Dictionary *m);
/* Makes names that are missing, or have changed. */
void entity_list_names(struct entity_list *l);

/* NULL when it is not known. */
const char *entity_list_name(const struct entity_list *l, uint32_t id);
/* False: it is not known. */
bool entity_list_get(const struct entity_list *l, uint32_t id,
		     struct known_entity *ret);
