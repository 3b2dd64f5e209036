/* What --print remembers of each run while it reads: names of entities, and
 * the decoder that follows its batches. Of more than KNOWN_RUNS_MAX runs the
 * one that said nothing for longest is forgotten.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/collect/entry.h"
#include "agent/record/decode.h"

#define KNOWN_RUNS_MAX 20000u
#define KNOWN_ENTITY_MAX (1u << 20)	/* higher ids have no name */

struct known;

struct known_entity {
	bool is_known;
	bool is_named;			/* by itself, not by its number */
	uint32_t kind;			/* enum entity_kind */
	uint32_t parent, number, cage;	/* cage: of a port */
	char *name;			/* NULL: out of memory */
};

struct known_run {
	struct entry_identity identity;	/* as it was said last */
	struct decoder *decoder;	/* NULL until the first batch */
	struct known_entity *entity;	/* by id */
	size_t entity_count;
};

/* Knows nothing yet. */
int known_new(struct known **ret);

/* With all decoders and names. */
void known_free(struct known *k);

/* The run of an entry, with what an ENTRY_POSITIONS says of its switch; NULL:
 * out of memory. Borrowed until the next call.
 */
struct known_run *known_find(struct known *k, const struct entry *e);

/* Takes the names out of a dictionary: a port's own; a module's is that of the
 * first port on it, else "cage 3"; else the parent's with kind and number
 * behind it, as Ethernet8/queue3.
 */
void known_dictionary(struct known_run *r, const Petrel__Dictionary *m);

/* NULL when it is not known. */
const char *known_name(const struct known_run *r, uint32_t entity);
