/* C3, C4: a value, how good it is, and when its source took it.
 *
 * A value is an int64_t in the unit of its row in quantity.def. Counters are
 * 64-bit patterns modulo 2^64; gauges are signed. A value that could not be
 * read is absent: it is not passed on, neither as 0 nor as the last value.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/clock.h"

#define READ_PARTS_MAX 256u	/* of a source, see struct read_group */

/* A counter of all ones means "absent" in SAI; drivers do not pass it on. */
#define SAMPLE_COUNTER_ABSENT UINT64_MAX

enum sample_quality {
	QUALITY_GOOD,
	QUALITY_ESTIMATED,
	QUALITY_STALE,
	QUALITY_IMPLAUSIBLE,
	QUALITY_BELOW_RESOLUTION,
	SAMPLE_QUALITY_COUNT,
};

/* The age of the values of one read: once per source table and entity (C4).
 *
 * The values of one entity that a source reads together are a part. A reading
 * of a part replaces the whole reading before it: values that it does not give
 * are absent from then on. Values that are read at another time, or only
 * sometimes, are another part.
 */
struct read_group {
	struct mono taken;	/* when the source took it, not when we asked */
	int64_t uncertainty_ns;	/* taken may be off by this, +- */
	int64_t window_ns;	/* a peak's window, before taken; or 0 */
	uint32_t part;		/* of the source, below READ_PARTS_MAX */
};

/* One quantity and index of one source over many entities: what the state
 * passes to the record. All arrays have count members and are borrowed until
 * the next sample is taken in. sample_is_new() says which rows are new; the
 * others hold the last reading.
 */
struct sample_column {
	uint16_t quantity;
	uint16_t index;
	uint8_t source;			/* agent-wide number of the source */
	uint32_t count;
	const uint32_t *entity;		/* ids, in order of arrival */
	const int64_t *value;
	const uint8_t *quality;
	uint32_t tick;			/* in which rows were last taken in */
	const uint64_t *is_new;		/* a bit per row: it is one of them; 0
					 * after the last row */
};

#define SAMPLE_BITS 64u			/* of a word of is_new */

/* Was it taken in during that tick? */
static inline bool sample_is_new(const struct sample_column *c, uint32_t row,
				 uint32_t tick)
{
	return c->tick == tick &&
	       (c->is_new[row / SAMPLE_BITS] >> row % SAMPLE_BITS & 1);
}

/* Words of is_new for this many rows. */
static inline uint32_t sample_words(uint32_t rows)
{
	return (rows + SAMPLE_BITS - 1) / SAMPLE_BITS;
}

static inline void sample_mark(uint64_t *is_new, uint32_t row, bool is)
{
	uint64_t bit = UINT64_C(1) << row % SAMPLE_BITS;

	if (is)
		is_new[row / SAMPLE_BITS] |= bit;
	else
		is_new[row / SAMPLE_BITS] &= ~bit;
}

/* A span of time in 32 bits: a mantissa of 27, and 5 for its shift. Exact below
 * 134 ms, for a second and for a minute; else at most 2^-26 too long.
 */
#define SPAN_SHIFT_BITS 5
#define SPAN_BITS (32 - SPAN_SHIFT_BITS)

static inline uint32_t span_of(int64_t ns)
{
	uint64_t span = ns > 0 ? (uint64_t)ns : 0;
	uint32_t shift = 0;

	for (; span >> SPAN_BITS; shift++)
		span = (span + 1) >> 1;
	return (uint32_t)span << SPAN_SHIFT_BITS | shift;
}

static inline int64_t span_ns(uint32_t span)
{
	return (int64_t)(span >> SPAN_SHIFT_BITS)
	       << (span & ((1u << SPAN_SHIFT_BITS) - 1));
}

/* A read group as kept. */
struct group_age {
	struct mono taken;
	uint32_t uncertainty, window;	/* span_of() */
};

/* Read groups of one source, kept likewise. Several may share an age. */
struct group_column {
	uint8_t source;
	uint32_t count;
	const uint32_t *entity;
	const struct group_age *age;
	const uint32_t *which;		/* index in age of each; NULL: one age
					 * each, in order */
};

/* The age of a row. */
static inline const struct group_age *group_age_of(const struct group_column *g,
						    uint32_t row)
{
	return &g->age[g->which ? g->which[row] : row];
}
