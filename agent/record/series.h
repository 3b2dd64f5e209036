/* What both ends know of one series (quantity, index, source, entity) since
 * the reference batch. All differences are modulo 2^64, as counters are.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct series {
	int64_t last;		/* value; 0 at first */
	int64_t mean;		/* of the values, the newest one a quarter */
	int64_t slope, before;	/* its last two differences, newest first */
	uint32_t level;		/* of its residuals, see rice.h; 0 unknown */
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
static inline void series_push(struct series *s, int64_t value)
{
	s->before = s->slope;
	s->slope = series_difference(value, s->last);
	s->mean = s->seen ? series_sum(s->mean,
				       series_difference(value, s->mean) / 4)
			  : value;
	s->last = value;
	s->seen = true;
}
