/* Looks back: all readings of some series between two times, from the samples
 * in the rings of the run folder, and before those from the coarser tiers on
 * disk. It only reads files and needs no agent: whoever may read the rings may
 * look back.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/ctl/gather.h"
#include "agent/ctl/past.h"
#include "agent/record/decode.h"
#include "petrel/clock.h"
#include "petrel/diag.h"
#include "petrel/quantity.h"

#define LOOK_BACK_SERIES_MAX 256u

struct look_back;

/* A wanted series, and the readings found. */
struct look_back_series {
	uint32_t entity;	/* of look_back_past()->state */
	uint16_t quantity, index;
	/* Oldest first, borrowed until the next look_back_read(). A span
	 * without readings is left out: readings further apart than their
	 * source's period are a gap.
	 */
	const struct history_value *reading;
	size_t count;
};

/* Opens run_dir, where the rings are, and the state folder under the same root;
 * values: reads the newest values, too. Returns -ENOENT: no rings, or another
 * negative errno, with d.
 */
int look_back_open(const char *run_dir, bool values, struct look_back **ret,
		   struct diag *d);
/* NULL is allowed. */
void look_back_close(struct look_back *l);

/* Inventory, name of the switch, findings and clock of the rings, and when the
 * newest batch was made. Entity ids are those of its state.
 */
const struct past *look_back_past(const struct look_back *l);

/* Reads n series (at most LOOK_BACK_SERIES_MAX) from from to to in one pass.
 * Where rings and tiers both have a span, the rings' readings are given.
 * Returns a negative errno with d: -ENOMEM, -E2BIG.
 */
int look_back_read(struct look_back *l, struct wall from, struct wall to,
		   struct look_back_series *series, size_t n, struct diag *d);

/* The time of a capsule. */
struct look_back_capsule {
	struct wall from, to;
};

/* As look_back_read(), from the capsule of a finding. Returns -ENOENT with d:
 * the ring has no capsule of it.
 */
int look_back_capsule(struct look_back *l, const char *id,
		      struct look_back_series *series, size_t n,
		      struct look_back_capsule *ret, struct diag *d);
/* Gives each column of those quantities that the ring of samples has from that
 * time on, and some from before it, in the order of time, some more than once.
 * Returns -ENOMEM, or what fn returned.
 */
int look_back_columns(struct look_back *l, struct mono from,
		      const uint16_t *quantities, size_t n, decoded_fn *fn,
		      void *context);
/* As of the last look_back_read(). */
const struct history_reach *look_back_reach(const struct look_back *l);
