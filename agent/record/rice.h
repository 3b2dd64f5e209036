/* Encodings 2 and 3 of record.proto: the residual of a prediction for each
 * value, in bits; exact, or within a share of the value's growth.
 *
 * A residual, divided by the column's unit and zigzagged, is a Rice code: its
 * upper part in ones followed by a 0, its lower k bits unchanged. k adapts to
 * each series: if ports differ a hundredfold in traffic, each soon has its own.
 *
 * Encoding 3 counts in grains, a power of two for each series: its last
 * difference divided by 2^RICE_GRAIN_BITS, or less. The error is at most one
 * part in RICE_SHARE of a value's growth; where it would be larger the value is
 * mended, and if too many would be, the encoding is not used. Errors do not add
 * up: the next value counts from what the reader has, which is never more than
 * the true value.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/cursor.h"

/* What both ends know of one series (quantity, index, source, entity) since
 * the reference batch. All differences are modulo 2^64, as counters are.
 */
struct known_series {
	int64_t last;		/* value; 0 at first */
	int64_t mean;		/* of the values; the newest weighs a quarter */
	int64_t slope, before;	/* its last two differences, newest first */
	uint32_t level;		/* of its residuals, in bits; 0 unknown */
	bool seen;
};

static inline int64_t series_sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t series_difference(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* Adds the next value, whatever its encoding. */
static inline void series_push(struct known_series *s, int64_t value)
{
	s->before = s->slope;
	s->slope = series_difference(value, s->last);
	s->mean = s->seen ? series_sum(s->mean,
				       series_difference(value, s->mean) / 4)
			  : value;
	s->last = value;
	s->seen = true;
}

/* The numbers are on the wire. */
enum predictor {
	PREDICT_NOTHING,	/* 0 */
	PREDICT_LAST,		/* the value before */
	PREDICT_MEAN,		/* of the values before */
	PREDICT_SLOPE,		/* grows as lately */
	PREDICT_BASE,		/* in proportion to another column */
	PREDICTORS,
};

#define RICE_ROWS_MAX 1024u
#define RICE_LEVEL_MAX 64u	/* bits of a residual */
#define RICE_GRAIN_BITS 10u
#define RICE_SHARE 1024u

/* The header before the bits. */
struct rice_head {
	enum predictor predictor;
	uint32_t base;		/* a column's number; PREDICT_BASE alone */
	int64_t unit;		/* divides all residuals; 1 at least */
	uint32_t level;		/* of series that have none, in bits */
	bool sparse;		/* a bit for each 8 rows: any residual? */
	unsigned grain;		/* bits of a last difference; 0: exact */
};

/* Predicts the next value. base: the same entity's series in the base column;
 * may be NULL except for PREDICT_BASE.
 */
int64_t rice_predict(enum predictor p, const struct known_series *s,
		     const struct known_series *base);

/* Work space and results of rice_pack(). */
struct rice_work {
	uint64_t residual[RICE_ROWS_MAX];
	uint32_t level[RICE_ROWS_MAX];	/* of the series, from then on */
	int64_t value[RICE_ROWS_MAX];	/* as a reader has them */
	uint32_t mended[RICE_ROWS_MAX];	/* rows; only if bounded */
	uint32_t mended_count;
};

/* Codes n values, at most RICE_ROWS_MAX; the series do not change. forget:
 * levels are of another predictor, so not used. head: predictor, base and grain
 * are given, unit and level are set. Returns the octets, at most PACKED_MAX(n);
 * SIZE_MAX: too many values would have to be mended.
 */
size_t rice_pack(uint8_t *ret, struct rice_head *head, bool forget,
		 const int64_t *value, const struct known_series *series,
		 const struct known_series *base, uint32_t n,
		 struct rice_work *work);

/* bounded: encoding 3. False: out of range. */
bool rice_head_read(struct cursor *c, bool bounded, struct rice_head *ret);

/* Reads one row after another. */
struct rice_reader {
	struct cursor *c;
	struct cursor mended;	/* of encoding 3: rows and what they lack */
	uint64_t mended_left;	/* pairs left in it */
	uint64_t to_mended;	/* rows before the next mended one */
	uint64_t bits;		/* read ahead, the next one topmost */
	unsigned count;		/* of bits */
	uint32_t row;		/* the next one, in a sparse column */
	bool untold;		/* it is as predicted */
};

/* Begins after the head; false: the data is cut short. */
bool rice_begin(struct rice_reader *r, const struct rice_head *head);

/* The next n values, which are pushed to their series: these, and those of the
 * base (NULL: there is none), lie in a row. A bad value fails the cursor.
 */
void rice_read(struct rice_reader *r, const struct rice_head *head,
	       bool forget, struct known_series *s,
	       const struct known_series *base, int64_t *ret, uint32_t n);
/* Skips the next value of a series of which only the level is known. */
void rice_pass(struct rice_reader *r, const struct rice_head *head,
	       bool forget, uint32_t *level);
/* True when only unused bits of the last octet are left. */
bool rice_end(const struct rice_reader *r);
