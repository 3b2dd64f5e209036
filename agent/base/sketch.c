#include "agent/base/sketch.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define SUB_BITS 3			/* 8 buckets per power of two */
#define SUB_COUNT (1u << SUB_BITS)

void sketch_clear(struct sketch *s)
{
	memset(s, 0, sizeof(*s));
}

static unsigned bucket_of(int64_t value)
{
	unsigned top;

	if (value < (int64_t)SUB_COUNT)
		return value < 0 ? 0 : (unsigned)value;
	if (value > SKETCH_VALUE_MAX)
		return SKETCH_BUCKETS - 1;
	top = 63u - (unsigned)__builtin_clzll((uint64_t)value);
	return (top - SUB_BITS + 1) * SUB_COUNT +
	       ((unsigned)(value >> (top - SUB_BITS)) & (SUB_COUNT - 1));
}

/* The middle of a bucket's range. */
static int64_t bucket_middle(unsigned bucket)
{
	unsigned shift;
	int64_t low;

	if (bucket < 2 * SUB_COUNT)
		return bucket;
	shift = bucket / SUB_COUNT - 1;
	low = (int64_t)(SUB_COUNT + bucket % SUB_COUNT) << shift;
	return low + (INT64_C(1) << (shift - 1));
}

static void bucket_add(uint16_t *bucket, uint16_t count)
{
	if (__builtin_add_overflow(*bucket, count, bucket))
		*bucket = UINT16_MAX;
}

void sketch_add(struct sketch *s, int64_t value)
{
	s->count++;
	bucket_add(&s->bucket[bucket_of(value)], 1);
	if (value > s->max)
		s->max = value;
}

bool sketch_few_add(struct sketch_few *s, int64_t value)
{
	if (s->count == SKETCH_FEW)
		return false;
	s->bucket[s->count++] = (uint8_t)bucket_of(value);
	if (value > s->max)
		s->max = value;
	return true;
}

void sketch_few_merge(struct sketch *to, const struct sketch_few *from)
{
	to->count += from->count;
	if (from->max > to->max)
		to->max = from->max;
	for (unsigned i = 0; i < from->count; i++)
		bucket_add(&to->bucket[from->bucket[i]], 1);
}

void sketch_merge(struct sketch *to, const struct sketch *from)
{
	to->count += from->count;
	if (from->max > to->max)
		to->max = from->max;
	for (unsigned i = 0; i < SKETCH_BUCKETS; i++)
		bucket_add(&to->bucket[i], from->bucket[i]);
}

int sketch_quantile(const struct sketch *s, unsigned permille, int64_t *ret)
{
	uint64_t rank = (s->count * permille + 999) / 1000, below = 0;
	unsigned i = 0;

	assert(permille >= 1 && permille <= 1000);
	if (s->count == 0 ||
	    (permille < 1000 && s->count * (1000 - permille) < 1000))
		return -ENODATA;
	while (i < SKETCH_BUCKETS - 1 && below + s->bucket[i] < rank)
		below += s->bucket[i++];
	*ret = bucket_middle(i);
	if (*ret > s->max || i == SKETCH_BUCKETS - 1 || permille == 1000)
		*ret = s->max;
	return 0;
}
