/* A state rebuilt from records: entities from dictionaries, values from
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
	uint32_t *handle;		/* by id; 0: unknown */
	uint32_t ids;			/* ids from here on are ignored */
	bool has_margins;		/* from margins, a source's number */
	uint8_t margins;
	uint8_t source_of[STATE_NUMBERS_MAX + 1];	/* here, by number */
};

/* An entity as in a dictionary. */
struct recorded_entity {
	uint32_t id, kind, parent, number;
	const char *name;
};

/* ids: entities from that id on are ignored. Returns -ENOMEM. */
int recorded_init(struct recorded *r, uint32_t ids);
/* Also frees the state, unless the caller took it and set it to NULL. */
void recorded_fini(struct recorded *r);

/* Whether an entity of that id is known. */
bool recorded_has(const struct recorded *r, uint32_t id);
/* Adds it, after its parent. False: it cannot be added. */
bool recorded_add(struct recorded *r, const struct recorded_entity *e);
/* The number that a source or a part of it has in records: the first number of
 * that source, and how often it has something new (0: not known), so that
 * values become stale.
 */
void recorded_source(struct recorded *r, unsigned number, unsigned first,
		     int64_t pace_ns);
/* An attribute of it, by its number; an unknown one is ignored. */
void recorded_attribute(struct recorded *r, uint32_t id, uint32_t attribute,
			const char *text);
/* Removes it. */
void recorded_gone(struct recorded *r, uint32_t id);
/* Whether it can take values: not for the switch itself. */
bool recorded_takes(const struct recorded *r, uint32_t id, uint8_t quality);

/* Passes the values of a tick to the state as a driver does, each read group
 * once with all its values. Sorts them. What no record tells: a link that is
 * down has neither margin nor BER.
 */
void recorded_tick(struct recorded *r, struct mono when,
		   struct decoded_value *value, size_t count);
