/* Looks back into the coarser tiers on disk (tier_file.h), older than what the
 * rings hold. Entities are matched by name: their ids are only valid in the run
 * that wrote them.
 */
#pragma once

#include <stdint.h>
#include "agent/ctl/gather.h"
#include "agent/history/tier_file.h"
#include "agent/state/state.h"
#include "petrel/diag.h"

struct look_tiers_env {
	struct gather *gather;		/* what is wanted; takes the readings */
	const struct state *state;	/* of the series' entities */
	uint64_t run;			/* of the rings */
};

/* Reads the files in dir_fd from gather->from to until, with several workers.
 * *ret_since: when the oldest one begins, ns 0: there is none; d: what is
 * damaged, or "". Returns -ENOMEM, -E2BIG.
 */
int look_tiers_read(const struct look_tiers_env *env, int dir_fd,
		    struct wall until, struct wall *ret_since, struct diag *d);

/* --- one file after another ----------------------------------------------- */

struct look_tiers;

/* Returns -ENOMEM. */
int look_tiers_new(const struct look_tiers_env *env, struct look_tiers **ret);
/* NULL is allowed. */
void look_tiers_free(struct look_tiers *l);
/* Reads a file, which walk must not have begun, into a part of the gather.
 * Returns -ENOMEM, -E2BIG.
 */
int look_tiers_file(struct look_tiers *l, struct gather *part,
		    struct tier_walk *walk, struct wall from,
		    struct wall until);
