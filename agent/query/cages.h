/* Modules in cages that no port refers to, as under the module driver without a
 * map: they are told under the name "cage 3".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/query/context.h"
#include "petrel/entity.h"

#define CAGES_MAX 1024u		/* no switch has as many */
#define CAGE_WORD "cage"

/* By number. */
struct cages {
	size_t count;
	struct cage {
		uint32_t module, number;
		bool has_port;		/* false of all that are found */
	} list[CAGES_MAX];
};

/* Finds them all. */
void cages_find(const struct query_context *ctx, struct cages *ret);

/* How many there are. */
size_t cages_count(const struct query_context *ctx);

/* The name of a cage. */
void cage_name(uint64_t number, char ret[static ENTITY_NAME_MAX]);
