/* Folds readings into the rows of the tiers: for each series of a quantity that
 * is kept (quantity_is_kept()) the mean, the least and the highest of a minute,
 * and of a quarter of an hour. Counters become rates first.
 *
 * Series are limited, to FOLD_SERIES_MAX at first; when the limit is reached,
 * whole columns of the quantities that matter least (quantity_kept_rank()) are
 * dropped, and counted.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "agent/history/tier_file.h"
#include "agent/record/decode.h"
#include "petrel/sample.h"

#define FOLD_SERIES_MAX 32768u

struct quantity_info;
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

/* Ends the span of a tier, at end; a minute is added to the present quarter.
 * False: nothing was read in it.
 */
bool tier_fold_close(struct tier_fold *f, enum tier tier, struct mono end,
		     struct tier_row *ret);

/* The values of a series in a span. */
struct tier_span {
	double sum;
	int64_t least, highest, last;
	uint32_t count;		/* readings; 0: none */
	uint8_t quality;
};

/* Identifies a series: its column's number and its row there do not change. */
struct tier_place {
	const struct quantity_info *info;
	uint32_t column, row, entity;
	uint16_t index;
};

/* Ends the minute without a row: calls fn for each series that was read in it.
 * fn NULL: only forgets it. Ends early, and returns it, if fn returns not 0.
 */
typedef int tier_span_fn(void *context, const struct tier_place *place,
			 const struct tier_span *span);
int tier_fold_take(struct tier_fold *f, tier_span_fn *fn, void *context);

/* Limits the series from now on. */
void tier_fold_limit(struct tier_fold *f, size_t series);
/* Series that are kept, and that had no room. */
void tier_fold_count(const struct tier_fold *f, size_t *ret_series,
		     size_t *ret_left_out);
