/* Encodings 2 and 3 of record.proto: what a prediction leaves of each value, in
 * bits; exact, or within a share of what the value grew by.
 *
 * A residual, divided by the column's unit and zigzagged, is a Rice code: its
 * upper part in ones with a 0 behind, its lower k bits as they stand. k follows
 * each series by itself: of ports that differ a hundredfold in traffic, each
 * soon has its own.
 *
 * Encoding 3 counts in grains, a power of two for each series: its last
 * difference divided by 2^RICE_GRAIN_BITS, or less. At most one part in
 * RICE_SHARE of what a value grew by is then wrong; where it would be more the
 * value is mended, and where many would be the encoding is not used. Errors do
 * not add up: the next value counts from what the reader has, which is never
 * more than there was.
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
	int64_t mean;		/* of the values, the newest one a quarter */
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

/* The next value, in whatever encoding it came. */
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
	PREDICT_SLOPE,		/* as much more as lately */
	PREDICT_BASE,		/* in proportion to another column */
	PREDICTORS,
};

#define RICE_ROWS_MAX 1024u
#define RICE_LEVEL_MAX 64u	/* bits of a residual */
#define RICE_GRAIN_BITS 10u
#define RICE_SHARE 1024u

/* What stands in front of the bits. */
struct rice_head {
	enum predictor predictor;
	uint32_t base;		/* a column's number; PREDICT_BASE alone */
	int64_t unit;		/* divides all residuals; 1 at least */
	uint32_t level;		/* of series that have none, in bits */
	bool sparse;		/* a bit for each 8 rows: any residual? */
	unsigned grain;		/* bits of a last difference; 0: exact */
};

/* The value that comes next. base: the same entity's series of that column,
 * which may be NULL for all but PREDICT_BASE.
 */
int64_t rice_predict(enum predictor p, const struct known_series *s,
		     const struct known_series *base);

/* For rice_pack(), and what it found. */
struct rice_work {
	uint64_t residual[RICE_ROWS_MAX];
	uint32_t level[RICE_ROWS_MAX];	/* of the series, from then on */
	int64_t value[RICE_ROWS_MAX];	/* as a reader has them */
	uint32_t mended[RICE_ROWS_MAX];	/* rows; bounded alone */
	uint32_t mended_count;
};

/* Codes n values, at most RICE_ROWS_MAX; the series stay as they are. forget:
 * levels are of another predictor and tell nothing. head: predictor, base and
 * grain are given, unit and level are found. Returns the octets, at most
 * PACKED_MAX(n); SIZE_MAX: too many values would have to be mended.
 */
size_t rice_pack(uint8_t *ret, struct rice_head *head, bool forget,
		 const int64_t *value, const struct known_series *series,
		 const struct known_series *base, uint32_t n,
		 struct rice_work *work);

/* bounded: of encoding 3. False: out of range. */
bool rice_head_read(struct cursor *c, bool bounded, struct rice_head *ret);

/* Reads one row after another. */
struct rice_reader {
	struct cursor *c;
	struct cursor mended;	/* of encoding 3: rows and what they lack */
	uint64_t mended_left;	/* pairs of it */
	uint64_t to_mended;	/* rows before the next one of them */
	uint64_t bits;		/* read ahead, the next one topmost */
	unsigned count;		/* of them */
	uint32_t row;		/* the next one; of a sparse column */
	bool untold;		/* it is as predicted */
};

/* What follows the head; false: it is cut short. */
bool rice_begin(struct rice_reader *r, const struct rice_head *head);

/* The next value; its level goes into the series, the rest stays. A bad one
 * fails the cursor.
 */
int64_t rice_read(struct rice_reader *r, const struct rice_head *head,
		  bool forget, struct known_series *s,
		  const struct known_series *base);
/* Passes over the next value of a series of which the level alone is known. */
void rice_pass(struct rice_reader *r, const struct rice_head *head,
	       bool forget, uint32_t *level);
/* Nothing is left but the last octet's empty bits. */
bool rice_end(const struct rice_reader *r);
