/* The ports that a request names: names and aliases of any case, ranges, all;
 * and cages as "cage 3", the ports of that cage, or its module where no port
 * refers to it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/query/context.h"
#include "agent/query/pattern.h"
#include "local.pb-c.h"

struct choice {
	struct pattern pattern;	/* of no item: all ports */
	uint32_t asic;		/* ENTITY_NONE: of all */
};

/* From a text; "" or all: every port. Returns -EINVAL with d. */
int choice_parse(const char *text, struct choice *ret, struct diag *d);
/* From the request's arguments; none, or the word all: every port. Each item
 * must name a port. Returns
 * EXIT_ANSWERED, or the exit code of the error that the answer now holds.
 */
int choice_take(const struct query_context *ctx,
		const Petrel__Request *request, struct answer *a,
		struct choice *ret);
/* Is the port one of them? */
bool choice_has(const struct choice *c, const struct query_context *ctx,
		uint32_t port);

/* The ASIC that the request names, by its name or number; ENTITY_NONE where it
 * names none. Returns as choice_take().
 */
int choice_asic(const struct query_context *ctx,
		const Petrel__Request *request, struct answer *a,
		uint32_t *ret);
/* Is the entity of that ASIC? Of ENTITY_NONE: each is. */
bool choice_is_of(const struct query_context *ctx, uint32_t entity,
		  uint32_t asic);

/* Is the cage one of them? */
bool choice_has_cage(const struct choice *c, uint32_t number);

/* The port of a name or alias, ENTITY_NONE when there is none. */
uint32_t choice_port(const struct query_context *ctx, const char *name);
/* An error that tells the names that look most like it; returns its code. */
int choice_unknown(const struct query_context *ctx, struct answer *a,
		   const char *name);
