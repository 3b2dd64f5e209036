/* Reads the cages: a few fetchers take turns, so that a module that hangs does
 * not hold up the others. A fetcher that does not answer in time is killed, and
 * its cage left alone for a while.
 *
 * Each round has a limit on the time that the buses are busy; cages that were
 * not reached come first in the next round.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "platform/bus/cage.h"
#include "platform/bus/fetcher.h"

#define FETCH_POOL_FETCHERS 2u
#define FETCH_POOL_LOST_MAX 2u	/* processes stuck in a device */

struct fetch_pool;

struct fetch_pool_cost {
	uint64_t transactions, octets;	/* since the start */
	int64_t bus_ns;			/* of this round */
	unsigned waiting;		/* cages that the last round skipped */
	unsigned lost;			/* processes that cannot be ended yet */
};

/* env and cages are borrowed; budget_ns of bus time per round. Returns -ENOMEM
 * or the error of epoll.
 */
int fetch_pool_new(const struct bus_env *env, struct module_cage *cage,
		   size_t count, int64_t budget_ns, struct fetch_pool **ret);
/* Ends everything under way and reports nothing. NULL is allowed. */
void fetch_pool_free(struct fetch_pool *c);

/* Begins a round, before its parts are marked as due: counts the cages still
 * waiting from the last one, and renews the budget of bus time.
 * fetch_pool_event() starts it.
 */
void fetch_pool_round(struct fetch_pool *c, struct mono now);

/* Takes answers, ends what is overdue, asks for more. */
void fetch_pool_event(struct fetch_pool *c, struct mono now);

/* Readable if there is work for fetch_pool_event(). */
int fetch_pool_fd(const struct fetch_pool *c);
/* When to call fetch_pool_event() in any case; INT64_MAX none. */
struct mono fetch_pool_deadline(const struct fetch_pool *c);

/* The cost so far. */
struct fetch_pool_cost fetch_pool_cost(const struct fetch_pool *c);
