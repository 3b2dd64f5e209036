/* The status of each switch at this collector: when it was heard, and whether
 * it is silent. The intake's thread reads the ledger from time to time; any
 * thread may ask. The ledger does not know when a switch was heard before the
 * start: the database keeps these times, and they are put back at the start.
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
	struct mono heard;	/* last frame; ns 0: not since the start */
	struct wall heard_wall;	/* the same, or before the start; ns 0: never */
	struct wall recorded;	/* last record kept; ns 0: never */
	bool is_up;
	bool is_told;		/* anything of it was ever kept */
};

/* Returns -ENOMEM. */
int standing_new(struct standing **ret);
/* s may be NULL. */
void standing_free(struct standing *s);

/* Sets the test for whether a switch may connect at all: one that may not, and
 * is silent, is left out. Before the first look; without a test all may.
 */
typedef bool standing_expected_fn(void *context, const char *switch_id);
void standing_expect(struct standing *s, standing_expected_fn *fn,
		     void *context);

/* Puts back when a switch was seen before the start; before the first look, in
 * the order of their ids. Out of memory it is left out.
 */
void standing_restore(struct standing *s, const char *switch_id,
		      struct wall heard, struct wall recorded);

/* When the last record of a switch was kept before the start; ns 0: not known.
 * Any thread may ask.
 */
struct wall standing_before(const struct standing *s, const char *switch_id);

/* Reads all runs: for each switch the one that was heard last, which is up
 * unless it was silent for silent_ns, counted at the earliest from the start. A
 * peer that only ever sent HELLO is not a switch. Out of memory nothing
 * changes.
 */
void standing_look(struct standing *s, const struct ledger *l,
		   const struct clock_reading *now, int64_t silent_ns);

/* Finds a switch; false: the ledger does not know it. */
bool standing_get(struct standing *s, const char *switch_id,
		  struct standing_switch *ret);
/* All, by id, in memory that the caller frees; NULL: none, or no memory. */
struct standing_switch *standing_all(struct standing *s, size_t *ret_count);
