/* Who reads the cages: a few fetchers that take turns, so that a module which
 * hangs holds up none of the others. One that does not answer in time is
 * killed, and its cage left alone for a while.
 *
 * The time that the buses were busy is bounded in each round; cages that were
 * not reached come first in the next.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "platform/bus/cage.h"
#include "platform/bus/fetcher.h"

#define CREW_FETCHERS 2u
#define CREW_LOST_MAX 2u	/* processes that a device holds */

struct crew;

struct crew_cost {
	uint64_t transactions, octets;	/* since the start */
	int64_t bus_ns;			/* of this round */
	unsigned waiting;		/* cages that the last round missed */
	unsigned lost;			/* processes that cannot be ended yet */
};

/* env and cages are borrowed; budget_ns of bus time a round.
 * Returns -ENOMEM or what epoll says.
 */
int crew_new(const struct bus_env *env, struct cage *cage, size_t count,
	     int64_t budget_ns, struct crew **ret);
/* Ends all that is under way; tells nothing. NULL is allowed. */
void crew_free(struct crew *c);

/* A new round, before its parts are marked as due: counts who still waits
 * from the one before, and gives the buses their time anew. crew_event()
 * begins it.
 */
void crew_round(struct crew *c, struct mono now);

/* Takes what was answered, ends what is overdue, asks for more. */
void crew_event(struct crew *c, struct mono now);

/* Readable when there is something for crew_event(). */
int crew_fd(const struct crew *c);
/* When crew_event() is wanted anyway; INT64_MAX none. */
struct mono crew_deadline(const struct crew *c);

/* What it costs. */
struct crew_cost crew_cost(const struct crew *c);
