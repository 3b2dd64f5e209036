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

#define FETCH_POOL_FETCHERS 2u
#define FETCH_POOL_LOST_MAX 2u	/* processes that a device holds */

struct fetch_pool;

struct fetch_pool_cost {
	uint64_t transactions, octets;	/* since the start */
	int64_t bus_ns;			/* of this round */
	unsigned waiting;		/* cages that the last round missed */
	unsigned lost;			/* processes that cannot be ended yet */
};

/* env and cages are borrowed; budget_ns of bus time a round.
 * Returns -ENOMEM or what epoll says.
 */
int fetch_pool_new(const struct bus_env *env, struct module_cage *cage,
		   size_t count, int64_t budget_ns, struct fetch_pool **ret);
/* Ends all that is under way; tells nothing. NULL is allowed. */
void fetch_pool_free(struct fetch_pool *c);

/* A new round, before its parts are marked as due: counts who still waits
 * from the one before, and gives the buses their time anew. fetch_pool_event()
 * begins it.
 */
void fetch_pool_round(struct fetch_pool *c, struct mono now);

/* Takes what was answered, ends what is overdue, asks for more. */
void fetch_pool_event(struct fetch_pool *c, struct mono now);

/* Readable when there is something for fetch_pool_event(). */
int fetch_pool_fd(const struct fetch_pool *c);
/* When fetch_pool_event() is wanted anyway; INT64_MAX none. */
struct mono fetch_pool_deadline(const struct fetch_pool *c);

/* What it costs. */
struct fetch_pool_cost fetch_pool_cost(const struct fetch_pool *c);
