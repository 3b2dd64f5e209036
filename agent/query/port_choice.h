/* What a request names: ports by name and alias of any case, ranges, all; cages
 * as "cage 3", the ports of that cage, or its module where no port refers to
 * it; the ASIC. And what sits where: modules, their lanes and flags are told
 * seat by seat.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"
#include "petrel/entity.h"

struct port_choice;
struct query;
struct query_context;

/* From a text; "" or all: every port. Returns -EINVAL with d. */
int choice_parse(const char *text, struct port_choice *ret, struct diag *d);
/* Sets q->wanted to the ports that the request's arguments name; none, or the
 * word all: every port. Each item must name a port. Returns EXIT_ANSWERED, or
 * the exit code of the error that the answer now holds.
 */
int choice_take(struct query *q);
/* The same of the ASIC alone, by its name or number. */
int choice_take_asic(struct query *q);
/* Entities of that kind have a row under a name that a request may give. */
bool choice_names_kind(enum entity_kind kind);
/* Is the port one of them? */
bool choice_has(const struct port_choice *c, const struct query_context *ctx,
		uint32_t port);
/* Is the entity of that ASIC? Of ENTITY_NONE: each is. */
bool choice_is_of(const struct query_context *ctx, uint32_t entity,
		  uint32_t asic);

/* The port of a name or alias, ENTITY_NONE when there is none. */
uint32_t choice_port(const struct query_context *ctx, const char *name);
/* An error that tells the names that look most like it; returns its code. */
int choice_unknown(const struct query *q, const char *name);

/* --- cages and seats ----------------------------------------------------- */

#define CAGES_MAX 1024u		/* no switch has as many */
#define CAGE_WORD "cage"

/* Modules in cages that no port refers to, as under the module driver without a
 * map; by number. They are told under the name "cage 3".
 */
struct cages {
	size_t count;
	struct cage_module {
		uint32_t module, number;
		bool has_port;		/* false of all that are found */
	} list[CAGES_MAX];
};

/* How many there are. */
size_t cages_count(const struct query_context *ctx);

#define SEAT_LANES_MAX 32u	/* of a cage; four banks */

/* Where a module sits: on a port, or in a cage that no port refers to. */
struct seat {
	uint32_t port;		/* ENTITY_NONE: none refers to the cage */
	uint32_t module;	/* ENTITY_NONE: nothing is known of one */
	char name[ENTITY_NAME_MAX];
};

/* A walk: the ports first, in their order, then such cages by number. */
struct seats {
	const struct query *q;
	size_t next_port, next_cage;
	struct cages cages;
};

/* Of what q->wanted names; borrows q. */
void seats_begin(struct seats *s, const struct query *q);
/* The next; false behind the last. */
bool seats_next(struct seats *s, struct seat *ret);
/* Its lane n, from 0; ENTITY_NONE when nothing is told of it. */
uint32_t seat_lane(const struct query_context *ctx, const struct seat *seat,
		   unsigned n);
