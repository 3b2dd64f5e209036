/* What was: all readings of some series between two times, from the samples
 * that the rings in the run folder hold, and before those from the coarser
 * tiers on disk. It reads files alone, and so needs no agent: who may read the
 * rings may look back.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/ctl/past.h"
#include "petrel/clock.h"
#include "petrel/diag.h"
#include "petrel/quantity.h"

#define LOOK_BACK_SERIES_MAX 256u
#define LOOK_BACK_READINGS_MAX (1u << 20)	/* of a series */

struct look_back;

/* One reading, or what a tier keeps of all readings of a span. The values are
 * in the unit of the quantity; of a counter, what it grew by a second, in
 * thousandths of that unit.
 */
struct look_back_reading {
	struct wall wall;	/* when the source took it; the end of a span */
	struct mono mono;	/* the same; ns 0: in a run before this one */
	int64_t value;		/* of a span: the mean */
	int64_t min, max;	/* of one reading: the value */
	int64_t span_ns;	/* 0: one reading */
	int64_t age_ns;		/* how old it was when it was recorded */
	uint8_t quality;	/* enum sample_quality; of a span: the worst */
};

/* What is wanted, and what there is of it. */
struct look_back_series {
	uint32_t entity;	/* of look_back_past()->state */
	uint16_t quantity, index;
	/* Oldest first, borrowed until the next look_back_read(). A span with
	 * nothing in it has no reading: what is apart further than the source
	 * is slow is a gap.
	 */
	const struct look_back_reading *reading;
	size_t count;
};

/* How far back there is anything, as look_back_read() found it. */
struct look_back_reach {
	struct wall full;	/* each reading; ns 0: nothing */
	struct wall tiers;	/* min, max, mean; ns 0: nothing */
	char why[DIAG_MAX];	/* what is damaged, or cannot be read; "" */
};

/* Looks into run_dir, where the rings are. root_fd: the switch's root, below
 * which the tiers are; below 0: no tiers. Returns -ENOENT: no rings, or another
 * negative errno, with d.
 */
int look_back_open(const char *run_dir, int root_fd, struct look_back **ret,
		   struct diag *d);
/* NULL is allowed. */
void look_back_close(struct look_back *l);

/* Inventory, name of the switch, findings and clock of the rings; without
 * values. Entities are those of its state.
 */
const struct past *look_back_past(const struct look_back *l);

/* Reads n series (LOOK_BACK_SERIES_MAX at most) from from to to in one pass.
 * Where rings and tiers both have a span, the rings' readings are given.
 * Returns a negative errno with d: -ENOMEM, -E2BIG.
 */
int look_back_read(struct look_back *l, struct wall from, struct wall to,
		   struct look_back_series *series, size_t n, struct diag *d);
/* As of the last look_back_read(). */
const struct look_back_reach *look_back_reach(const struct look_back *l);

/* True: its readings are rates, in thousandths a second. */
static inline bool look_back_is_rate(const struct quantity_info *q)
{
	return q->kind == KIND_COUNTER;
}
