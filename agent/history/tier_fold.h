/* Readings folded into the rows of the tiers: of each series of a quantity that
 * is kept (quantity_is_kept()) the mean, the least and the highest of a minute,
 * and of a quarter of an hour. Counters become rates first.
 *
 * FOLD_SERIES_MAX series at most; the rest is not kept, and counted.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "agent/history/tier_file.h"
#include "agent/record/decode.h"
#include "petrel/sample.h"

#define FOLD_SERIES_MAX 32768u

struct tier_fold;

/* Returns -ENOMEM. */
int tier_fold_new(struct tier_fold **ret);
/* NULL is allowed. */
void tier_fold_free(struct tier_fold *f);

/* A decoded_fn of struct tier_fold. */
int tier_fold_column(void *context, const struct decoded_column *c);

/* A row, as an encoder takes it; borrowed until the next call. */
struct tier_row {
	const struct sample_column *columns;
	const struct group_column *groups;
	size_t column_count, group_count;
	uint32_t tick;
};

/* The span of a tier is over, at end; a minute goes into the quarter that is
 * under way. False: nothing was read in it.
 */
bool tier_fold_close(struct tier_fold *f, enum tier tier, struct mono end,
		     struct tier_row *ret);

/* Series that are kept, and that had no room. */
void tier_fold_count(const struct tier_fold *f, size_t *ret_series,
		     size_t *ret_left_out);
