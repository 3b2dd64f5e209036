/* What a request names: ports by name and alias in any case, ranges, all; cages
 * as "cage 3", meaning the ports of that cage, or its module if no port refers
 * to it; the ASIC. And seats: modules, their lanes and flags are shown seat by
 * seat.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"
#include "petrel/entity.h"

struct Petrel__Request;
struct port_choice;
struct query;
struct query_context;

/* Parses a text; "" or all: every port. Returns -EINVAL with d. */
int choice_parse(const char *text, struct port_choice *ret, struct diag *d);
/* Sets q->wanted to the ports that the request's arguments name; none, or the
 * word all: every port. Each item must match a port. Returns EXIT_ANSWERED, or
 * the exit code of the error that the answer now has.
 */
int choice_take(struct query *q);
/* Joins the arguments into one list; false: it is too long. */
bool choice_join(const struct Petrel__Request *request, char *ret, size_t cap);
/* Takes only the ASIC, by its name or number. */
int choice_take_asic(struct query *q);
/* Whether entities of that kind have rows that a request may name. */
bool choice_names_kind(enum entity_kind kind);
/* Whether the port is one of them. */
bool choice_has(const struct port_choice *c, const struct query_context *ctx,
		uint32_t port);
/* The next port of q->wanted in the order of their names; *at: 0 for the first,
 * after it its place among all ports + 1. False: there is none.
 */
bool choice_next(const struct query *q, size_t *at, uint32_t *ret);
/* Whether the entity belongs to that ASIC. ENTITY_NONE: any does. */
bool choice_is_of(const struct query_context *ctx, uint32_t entity,
		  uint32_t asic);

/* The port with a name or alias; ENTITY_NONE if there is none. */
uint32_t choice_port(const struct query_context *ctx, const char *name);
/* An error that suggests the most similar names; returns its code. */
int choice_unknown(const struct query *q, const char *name);
/* The same without an answer. Returns -ENODEV. */
int choice_unknown_say(const struct query_context *ctx, const char *name,
		       struct diag *d);

/* --- cages and seats ----------------------------------------------------- */

#define CAGES_MAX 1024u		/* no switch has as many */
#define CAGE_WORD "cage"
#define SEAT_LANES_MAX 32u	/* per cage; four banks */

/* Where a module sits: on a port, or in a cage that no port refers to. */
struct seat {
	uint32_t port;		/* ENTITY_NONE: no port refers to the cage */
	uint32_t module;	/* ENTITY_NONE: no module is known */
	uint32_t number;	/* of such a cage */
	char name[ENTITY_NAME_MAX];
};

/* Modules in cages that no port refers to, as with the module driver without a
 * map; sorted by number. Each is called "cage 3" or so.
 */
struct cages {
	size_t count;
	struct seat list[CAGES_MAX];
};

/* Returns how many there are. */
size_t cages_count(const struct query_context *ctx);

/* A walk: the ports first, in their order, then those cages by number. */
struct seats {
	const struct query *q;
	size_t next_port, next_cage;
	struct cages cages;
};

/* Begins the walk of what q->wanted names; borrows q. */
void seats_begin(struct seats *s, const struct query *q);
/* The next one; false after the last. */
bool seats_next(struct seats *s, struct seat *ret);
/* The host lanes of its module behind its lane n, bit i for lane i + 1; 0 for
 * an unknown lane. A module that is known only from a database does not tell:
 * then its counts of lanes divide them, as they divide its lanes among ports.
 */
uint32_t seat_hosts(const struct query_context *ctx, const struct seat *seat,
		    unsigned n);
/* All its host lanes, as bits; *ret_first: the bit of the one that counts as
 * its first.
 */
uint32_t seat_all_hosts(const struct query_context *ctx,
			const struct seat *seat, unsigned *ret_first);
/* Its lane n, counted from 0; ENTITY_NONE if the lane is unknown. */
uint32_t seat_lane(const struct query_context *ctx, const struct seat *seat,
		   unsigned n);
