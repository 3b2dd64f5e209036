/* What a reader of the batches so far knows: the series of each (quantity,
 * index, source, entity) since the reference batch, in the order of the
 * columns' rows. And the packed forms of rows of numbers.
 *
 * Nine of ten columns never change between two references. Such a column is
 * asleep: of each series only value, level and count of readings are kept, as
 * the rest follows from them. Most rows share an entry with others, and an
 * octet tells which; if too many differ, each row has its own. The first change
 * wakes the column.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "agent/record/lists.h"
#include "agent/record/rice.h"
#include "petrel/sample.h"

/* Of one Column; more rows: more columns. */
#define COLUMN_ROWS_MAX RICE_ROWS_MAX
#define COLUMN_NONE UINT32_MAX

enum column_form { COLUMN_SHARED, COLUMN_OWN, COLUMN_AWAKE };

/* An entry that rows of a column asleep share. */
struct asleep_rows {
	int64_t last;
	uint32_t rows;		/* that have it; 0: free */
	uint16_t mark;		/* level and readings, see series_asleep() */
};

struct column_memory {
	uint16_t quantity, index;
	uint8_t source;
	uint8_t form;		/* enum column_form */
	uint32_t count, cap;	/* rows, of the arena */
	uint32_t at;		/* place in which, in last and mark, or in
				 * series: depends on the form */
	uint32_t entity_at;	/* the same for columns of the same rows */
	uint32_t kept_at;
	uint8_t kept_count, kept_cap;
	uint8_t kept_hint;	/* found last */
	uint8_t wholes;		/* times that all rows were read, up to
				 * MARK_READINGS */
	uint32_t list;		/* its last list, LIST_NONE */
	uint32_t number;	/* in order of writing, COLUMN_NONE: not yet */
	uint32_t times;		/* written since the reference */
	uint64_t told;		/* the last batch with values of it */
	enum predictor predictor;	/* PREDICTORS: none yet */
	bool bounded;		/* with that predictor last */
	uint32_t base;		/* column to predict it by, COLUMN_NONE */
};

struct columns {
	struct column_memory *column;
	uint32_t max, count;
	uint32_t written;	/* that have a number */
	uint64_t batch;		/* the one under construction, from 1 */
	uint32_t *entity;	/* arenas of row_max */
	uint8_t *which;		/* index of the entry, for COLUMN_SHARED */
	struct asleep_rows *kept;
	int64_t *last;		/* of COLUMN_OWN */
	uint16_t *mark;
	struct known_series *series;	/* of those awake */
	uint32_t row_max, entity_count, which_count, kept_count, own_count,
		 series_count;
	uint32_t own_most, series_most;	/* that have memory */
	uint32_t *old_entity;	/* for a while: of one column */
	struct known_series *old_series;
	uint32_t slots;
};

/* slots: rows of all columns together, at most. Returns -ENOMEM. */
int columns_init(struct columns *c, uint32_t max, uint32_t slots);
/* Releases what it holds. */
void columns_fini(struct columns *c);
/* A reference batch begins: nothing is known. */
void columns_forget(struct columns *c);

/* The memory of a column, with its rows brought into the column's order. guess:
 * its number last time. Returns -ENOSPC: no room, or an entity is gone that a
 * reader still knows; a reference batch solves both.
 */
int columns_align(struct columns *c, const struct sample_column *column,
		  uint32_t guess, struct column_memory **ret);

/* Gives the column series of its own. Returns -ENOSPC. */
int columns_wake(struct columns *c, struct column_memory *m);

#define MARK_READINGS 3u	/* so many, or more */
#define MARK_LEVEL_SHIFT 2

/* The series of a value that never changed; mark: how often it was read. */
static inline struct known_series series_asleep(int64_t last, uint16_t mark)
{
	unsigned readings = mark & MARK_READINGS;

	if (readings == 0)
		return (struct known_series){ 0 };
	return (struct known_series){
		.last = last, .mean = last, .slope = readings == 1 ? last : 0,
		.before = readings == 2 ? last : 0,
		.level = mark >> MARK_LEVEL_SHIFT, .seen = true };
}

/* One series of a column, awake or not. */
static inline struct known_series columns_get(const struct columns *c,
					      const struct column_memory *m,
					      uint32_t row)
{
	const struct asleep_rows *k;

	if (m->form == COLUMN_AWAKE)
		return c->series[m->at + row];
	if (m->form == COLUMN_OWN)
		return series_asleep(c->last[m->at + row],
				     c->mark[m->at + row]);
	k = &c->kept[m->kept_at + c->which[m->at + row]];
	return series_asleep(k->last, k->mark);
}

/* It was read once more, with the same value. */
void columns_keep(struct columns *c, struct column_memory *m, uint32_t row,
		  const struct known_series *s);

static inline void columns_put(struct columns *c, struct column_memory *m,
			       uint32_t row, const struct known_series *s)
{
	if (m->form == COLUMN_AWAKE)
		c->series[m->at + row] = *s;
	else
		columns_keep(c, m, row, s);
}

/* For a column asleep: has a row that was read before another value in this
 * tick?
 */
bool columns_change(const struct columns *c, const struct column_memory *m,
		    const struct sample_column *column, uint32_t tick);

/* Most octets that n numbers take in any encoding. */
#define PACKED_MAX(n) (14u * (n) + 32u)

/* Encoding 1 of record.proto: differences to the last values, with zero runs.
 * Returns the octets; *ret_plain: octets in encoding 0, *ret_changed: how many
 * differ.
 */
size_t pack_differences(uint8_t *ret, const int64_t *value,
			const struct known_series *series, uint32_t n,
			size_t *ret_plain, uint32_t *ret_changed);
/* Encoding 0. */
size_t pack_plain(uint8_t *ret, const int64_t *value, uint32_t n);
/* Differences from each to the one before, with zero runs. */
size_t pack_spatial(uint8_t *ret, int64_t first_from, const int64_t *value,
		    uint32_t n);
/* Runs of qualities; 0 octets when all are good. */
size_t pack_quality(uint8_t *ret, const uint8_t *quality, uint32_t n);
