/* What a reader of the batches so far knows: the series of each (quantity,
 * index, source, entity) since the reference batch, in the order of the
 * columns' rows. And the packed forms of rows of numbers.
 */
#pragma once

#include <stdint.h>
#include "agent/record/lists.h"
#include "agent/record/rice.h"
#include "petrel/sample.h"

/* Of one Column; more rows: more columns. */
#define COLUMN_ROWS_MAX RICE_ROWS_MAX
#define COLUMN_NONE UINT32_MAX

struct column_memory {
	uint16_t quantity, index;
	uint8_t source;
	uint32_t count, cap;	/* rows, of the arena */
	uint32_t at;
	uint32_t list;		/* that it had last, LIST_NONE */
	uint32_t number;	/* in order written, COLUMN_NONE: not yet */
	uint32_t times;		/* written since the reference */
	uint64_t told;		/* the last batch that tells values of it */
	enum predictor predictor;	/* PREDICTORS: none yet */
	uint32_t base;		/* column to predict it by, COLUMN_NONE */
};

struct columns {
	struct column_memory *column;
	uint32_t max, count;
	uint32_t written;	/* that have a number */
	uint64_t batch;		/* the one that is being made, from 1 */
	uint32_t *entity;	/* arenas of row_max */
	struct series *series;
	uint32_t row_max, row_count;
	uint32_t *old_entity;	/* for a while: of one column */
	struct series *old_series;
	uint32_t slots;
};

/* slots: rows of all columns together, at most. Returns -ENOMEM. */
int columns_init(struct columns *c, uint32_t max, uint32_t slots);
/* Releases what it holds. */
void columns_fini(struct columns *c);
/* A reference batch begins: nothing is known. */
void columns_forget(struct columns *c);

/* The memory of a column, its rows brought into the column's order. guess: its
 * number last time. Returns -ENOSPC: no room, or an entity left that a reader
 * still knows; a reference batch makes it good.
 */
int columns_align(struct columns *c, const struct sample_column *column,
		  uint32_t guess, struct column_memory **ret);

/* Most octets that n numbers take in any encoding. */
#define PACKED_MAX(n) (12u * (n) + 24u)

/* Encoding 1 of record.proto: differences to the last values, with zero runs.
 * Returns the octets; *ret_plain what encoding 0 would take, *ret_changed how
 * many differ.
 */
size_t pack_differences(uint8_t *ret, const int64_t *value,
			const struct series *series, uint32_t n,
			size_t *ret_plain, uint32_t *ret_changed);
/* Encoding 0. */
size_t pack_plain(uint8_t *ret, const int64_t *value, uint32_t n);
/* Differences from each to the one before, with zero runs. */
size_t pack_spatial(uint8_t *ret, int64_t first_from, const int64_t *value,
		    uint32_t n);
/* Runs of qualities; 0 octets when all are good. */
size_t pack_quality(uint8_t *ret, const uint8_t *quality, uint32_t n);
