/* Where a module sits: on a port, or in a cage that no port refers to. Modules,
 * their lanes and flags are told seat by seat: the ports first, in their order,
 * then such cages by number, under the name "cage 3".
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "agent/query/cages.h"
#include "agent/query/choice.h"
#include "agent/query/context.h"
#include "petrel/entity.h"

#define SEAT_LANES_MAX 32u	/* of a cage; four banks */

struct seat {
	uint32_t port;		/* ENTITY_NONE: none refers to the cage */
	uint32_t module;	/* ENTITY_NONE: nothing is known of one */
	char name[ENTITY_NAME_MAX];
};

struct seats {
	const struct query_context *ctx;
	const struct choice *wanted;
	size_t next_port, next_cage;
	struct cages cages;
};

/* Borrows both. */
void seats_begin(struct seats *s, const struct query_context *ctx,
		 const struct choice *wanted);
/* The next that is wanted; false behind the last. */
bool seats_next(struct seats *s, struct seat *ret);

/* Its lane n, from 0; ENTITY_NONE when nothing is told of it. */
uint32_t seat_lane(const struct query_context *ctx, const struct seat *seat,
		   unsigned n);
