/* How each switch stands with this collector: when it was heard, and whether
 * it is silent. The intake's thread looks at the ledger once in a while; any
 * thread may ask.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/collect/ledger.h"
#include "petrel/clock.h"

struct standing;

struct standing_switch {
	char switch_id[SWITCH_NAME_MAX], name[SWITCH_NAME_MAX];
	uint64_t run;
	struct mono heard;	/* a frame of it; ns 0: not since the start */
	struct wall recorded;	/* a record was kept; ns 0: the same */
	bool is_up;
	bool is_told;		/* something of it was ever kept */
};

/* Returns -ENOMEM. */
int standing_new(struct standing **ret);
/* s may be NULL. */
void standing_free(struct standing *s);

/* Whether a switch may come at all: one that may not, and is silent, is none
 * any more. Before the first look; without it all may.
 */
typedef bool standing_expected_fn(void *context, const char *switch_id);
void standing_expect(struct standing *s, standing_expected_fn *fn,
		     void *context);

/* Looks at all runs: of each switch the one that was heard last, which is up
 * unless it was silent for silent_ns; from the start on, all may still come.
 * Who only ever said hello is no switch.
 * Out of memory all is as it was.
 */
void standing_look(struct standing *s, const struct ledger *l, struct mono now,
		   int64_t silent_ns);

/* A switch; false: the ledger does not know it. */
bool standing_get(struct standing *s, const char *switch_id,
		  struct standing_switch *ret);
/* All, by id, in memory that the caller frees; NULL: none, or no memory. */
struct standing_switch *standing_all(struct standing *s, size_t *ret_count);
