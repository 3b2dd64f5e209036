/* Encoding 2 of record.proto: what a prediction leaves of each value, in bits.
 *
 * A residual, divided by the column's unit and zigzagged, is a Rice code: its
 * upper part in ones with a 0 behind, its lower k bits as they stand. k follows
 * each series by itself: of ports that differ a hundredfold in traffic, each
 * soon has its own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/record/series.h"
#include "petrel/cursor.h"

/* The numbers are on the wire. */
enum predictor {
	PREDICT_NOTHING,	/* 0 */
	PREDICT_LAST,		/* the value before */
	PREDICT_MEAN,		/* of the values before */
	PREDICT_SLOPE,		/* as much more as lately */
	PREDICT_BASE,		/* in proportion to another column */
	PREDICTORS,
};

#define RICE_ROWS_MAX 1024u
#define RICE_LEVEL_MAX 64u	/* bits of a residual */

/* What stands in front of the bits. */
struct rice_head {
	enum predictor predictor;
	uint32_t base;		/* a column's number; PREDICT_BASE alone */
	int64_t unit;		/* divides all residuals; 1 at least */
	uint32_t level;		/* of series that have none, in bits */
	bool sparse;		/* a bit for each 8 rows: any residual? */
};

/* The value that comes next. base: the same entity's series of that column,
 * which may be NULL for all but PREDICT_BASE.
 */
int64_t rice_predict(enum predictor p, const struct series *s,
		     const struct series *base);

/* For rice_pack(), and what it found. */
struct rice_work {
	uint64_t residual[RICE_ROWS_MAX];
	uint32_t level[RICE_ROWS_MAX];	/* of the series, from then on */
};

/* Codes n values, at most RICE_ROWS_MAX; the series stay as they are. forget:
 * levels are of another predictor and tell nothing. head: predictor and base
 * are given, unit and level are found. Returns the octets, at most
 * PACKED_MAX(n).
 */
size_t rice_pack(uint8_t *ret, struct rice_head *head, bool forget,
		 const int64_t *value, const struct series *series,
		 const struct series *base, uint32_t n,
		 struct rice_work *work);

/* False: out of range. */
bool rice_head_read(struct cursor *c, struct rice_head *ret);

/* Reads one row after another. */
struct rice_reader {
	struct cursor *c;
	uint64_t bits;		/* read ahead, the next one topmost */
	unsigned count;		/* of them */
	uint32_t row;		/* the next one; of a sparse column */
	bool untold;		/* it is as predicted */
};

/* The next value; its level goes into the series, the rest stays. A bad one
 * fails the cursor.
 */
int64_t rice_read(struct rice_reader *r, const struct rice_head *head,
		  bool forget, struct series *s, const struct series *base);
/* Nothing is left but the last octet's empty bits. */
bool rice_end(const struct rice_reader *r);
