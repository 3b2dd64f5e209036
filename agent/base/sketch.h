/* A distribution of values in fixed memory: counts in 256 buckets whose width
 * grows with the value (relative error).
 *
 * Values 0 to 7 have a bucket each; above, each power of two has 8. A quantile
 * is the middle of its bucket, so its error is at most 1/16 of it up to
 * SKETCH_VALUE_MAX; larger values share the last bucket. The maximum is exact.
 * Merging two sketches gives the sketch of all their values, octet for octet.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SKETCH_BUCKETS 256u
/* The last bucket holds all values above. */
#define SKETCH_VALUE_MAX ((INT64_C(15) << 30) - 1)
#define SKETCH_ERROR_DIVISOR 16		/* error of a quantile: 1/16 */

struct sketch {
	uint64_t count;
	int64_t max;			/* 0 while count is 0 */
	uint16_t bucket[SKETCH_BUCKETS];	/* saturates */
};

/* The same for a few values, one octet each: the bucket of the value. */
#define SKETCH_FEW 64u

struct sketch_few {
	int64_t max;			/* 0 while count is 0 */
	uint8_t count;
	uint8_t bucket[SKETCH_FEW];
};

/* As sketch_add(). False: it is full. */
bool sketch_few_add(struct sketch_few *s, int64_t value);

/* Adds all its values. */
void sketch_few_merge(struct sketch *to, const struct sketch_few *from);

/* Empties it. */
void sketch_clear(struct sketch *s);

/* Adds one value; below 0 counts as 0. */
void sketch_add(struct sketch *s, int64_t value);

/* Adds all values of another sketch. */
void sketch_merge(struct sketch *to, const struct sketch *from);

/* The least value that at least permille of 1000 do not exceed.
 *
 * permille: 1 to 1000 Returns -ENODATA below 1000 / (1000 - permille) values
 * (for 1000: one): with fewer, the quantile would just be the maximum.
 */
int sketch_quantile(const struct sketch *s, unsigned permille, int64_t *ret);
