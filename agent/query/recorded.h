/* A state made again from what records say: entities of a dictionary, values of
 * batches. Answers are then made from it as from the agent's own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/record/decode.h"
#include "agent/state/state.h"

struct recorded {
	struct state *state;
	struct platform_host host;	/* of state */
	uint32_t *handle;		/* by id; 0 unknown */
	uint32_t ids;			/* entity ids that are followed */
};

/* An entity as a dictionary has it. */
struct recorded_entity {
	uint32_t id, kind, parent, number;
	const char *name;
};

/* ids: entities from there on are passed over. Returns -ENOMEM. */
int recorded_init(struct recorded *r, uint32_t ids);
/* With the state, unless the caller took it and left NULL. */
void recorded_fini(struct recorded *r);

/* Is an entity of that id there? */
bool recorded_has(const struct recorded *r, uint32_t id);
/* Makes it known, its parent first. False: it cannot be. */
bool recorded_add(struct recorded *r, const struct recorded_entity *e);
/* An attribute of it, by its number; one that is none is passed over. */
void recorded_attribute(struct recorded *r, uint32_t id, uint32_t attribute,
			const char *text);
/* It is no more. */
void recorded_gone(struct recorded *r, uint32_t id);
/* Can its values be told? Not the switch's own. */
bool recorded_takes(const struct recorded *r, uint32_t id, uint8_t quality);

/* A tick: hands values to the state the way a driver does, each read group
 * once, with all that belongs to it. Sorts them.
 */
void recorded_tick(struct recorded *r, struct mono when,
		   struct decoded_value *value, size_t count);
