#include "agent/record/rice.h"

#include <endian.h>
#include <string.h>

#include "agent/record/pack.h"

/* After so many ones a residual is written out: its length, then its bits. */
#define ESCAPE_ONES 24u
#define LENGTH_BITS 6u

/* One in so many rows may have to be mended. */
#define MENDED_ROWS 8u

/* Rows of a sparse column for which one bit says that all are as predicted. */
#define SPARSE_ROWS 8u

/* Levels are mean lengths in bits, in steps, from 1; 0 is unknown. */
#define LEVEL_STEPS 32u
#define LEVEL_INERTIA 6
#define LOWER_BITS_MAX 63u

/* The step of the series in proportion to the base's step this time. */
static int64_t proportional(const struct known_series *s,
			    const struct known_series *base)
{
	int64_t product;

	if (!base || base->before <= 0 ||
	    __builtin_mul_overflow(s->slope, base->slope, &product))
		return s->slope;
	return product / base->before;
}

static inline __attribute__((always_inline)) int64_t predict(
	enum predictor p, const struct known_series *s,
	const struct known_series *base)
{
	switch (p) {
	case PREDICT_LAST:
		return s->last;
	case PREDICT_MEAN:
		return s->mean;
	case PREDICT_SLOPE:
		return series_sum(s->last, s->slope);
	case PREDICT_BASE:
		return series_sum(s->last, proportional(s, base));
	default:
		return 0;
	}
}

int64_t rice_predict(enum predictor p, const struct known_series *s,
		     const struct known_series *base)
{
	return predict(p, s, base);
}

static unsigned length_of(uint64_t z)
{
	return z ? 64 - (unsigned)__builtin_clzll(z) : 0;
}

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/* The unit of the column, or the grain of the series. */
static int64_t unit_of(const struct rice_head *head,
		       const struct known_series *s)
{
	unsigned length;

	if (head->grain == 0)
		return head->unit;
	length = length_of(magnitude(s->slope) >> 1);
	return length > head->grain ? INT64_C(1) << (length - head->grain) : 1;
}

/* The prediction's distance from the last value, in units. */
static inline __attribute__((always_inline)) int64_t predict_units(
	enum predictor p, int64_t unit, const struct known_series *s,
	const struct known_series *base)
{
	int64_t step = series_difference(predict(p, s, base), s->last);

	return unit == 1 ? step : step / unit;
}

/* The level of the series if it is known, else the column's. */
static uint32_t level_of(uint32_t level, const struct rice_head *head,
			 bool forget)
{
	return forget || level == 0 ? head->level * LEVEL_STEPS + 1 : level;
}

/* Moves the level part of the way to the new length. */
static uint32_t level_next(uint32_t level, uint64_t z)
{
	int32_t is = (int32_t)level - 1;
	int32_t aim = (int32_t)(length_of(z) * LEVEL_STEPS);

	return (uint32_t)(is + (aim - is) / LEVEL_INERTIA) + 1;
}

/* The mean length, so that the upper part is mostly 0 or 1. */
static unsigned lower_bits(uint32_t level)
{
	unsigned bits = (level + LEVEL_STEPS / 4) / LEVEL_STEPS;

	return bits < LOWER_BITS_MAX ? bits : LOWER_BITS_MAX;
}

struct bit_writer {
	uint8_t *at;
	uint64_t bits;		/* not yet written, the newest lowest */
	unsigned count;		/* of bits, below 8 between calls */
};

/* n: at most 56. */
static void bits_put_some(struct bit_writer *w, uint64_t bits, unsigned n)
{
	w->bits = w->bits << n | bits;
	w->count += n;
	while (w->count >= 8) {
		w->count -= 8;
		*w->at++ = (uint8_t)(w->bits >> w->count);
	}
}

static void bits_put(struct bit_writer *w, uint64_t bits, unsigned n)
{
	if (n > 32) {
		bits_put_some(w, bits >> 32 & UINT32_MAX >> (64 - n), n - 32);
		n = 32;
		bits &= UINT32_MAX;
	}
	bits_put_some(w, bits, n);
}

static void rice_put(struct bit_writer *w, uint64_t z, unsigned k)
{
	uint64_t upper = z >> k;
	unsigned length = length_of(z);

	if (upper >= ESCAPE_ONES) {
		bits_put_some(w, (UINT64_C(1) << ESCAPE_ONES) - 1, ESCAPE_ONES);
		bits_put_some(w, length - 1, LENGTH_BITS);
		bits_put(w, z, length);
		return;
	}
	bits_put_some(w, (UINT64_C(2) << upper) - 2, (unsigned)upper + 1);
	bits_put(w, z & ((UINT64_C(1) << k) - 1), k);
}

static uint64_t divisor(uint64_t a, uint64_t b)
{
	while (b > 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The common divisor, as a device's register counts in steps. */
static int64_t unit_find(const int64_t *value,
			 const struct known_series *series, uint32_t n)
{
	uint64_t unit = 0;

	for (uint32_t i = 0; i < n && unit != 1; i++) {
		int64_t step = series_difference(value[i], series[i].last);

		if (step != 0)
			unit = divisor(magnitude(step), unit);
	}
	return unit > 0 && unit <= INT64_MAX ? (int64_t)unit : 1;
}

/* The step in units, rounded down: if a reader were ahead of a counter, the
 * counter would seem to fall when it pauses or is sent exactly.
 */
static int64_t step_units(int64_t step, int64_t unit)
{
	int64_t units = step / unit;

	return step % unit < 0 ? units - 1 : units;
}

/* Is the value that a reader has near enough? */
static bool is_near(int64_t value, int64_t read, int64_t step)
{
	return magnitude(series_difference(value, read)) <=
	       magnitude(step) / RICE_SHARE;
}

/* The residuals, zigzag; returns the mean of their lengths. */
static uint32_t residuals_find(const struct rice_head *head,
			       const int64_t *value,
			       const struct known_series *series,
			       const struct known_series *base, uint32_t n,
			       struct rice_work *work)
{
	uint64_t lengths = 0;

	work->mended_count = 0;
	for (uint32_t i = 0; i < n; i++) {
		int64_t step = series_difference(value[i], series[i].last);
		int64_t unit = unit_of(head, &series[i]);
		int64_t units = step_units(step, unit);
		int64_t foreseen = predict_units(head->predictor, unit,
						 &series[i],
						 base ? &base[i] : NULL);

		work->residual[i] = pack_zigzag(series_difference(units,
								  foreseen));
		lengths += length_of(work->residual[i]);
		work->value[i] = series_sum(series[i].last,
			(int64_t)((uint64_t)units * (uint64_t)unit));
		if (!is_near(value[i], work->value[i], step))
			work->mended[work->mended_count++] = i;
	}
	return n > 0 ? (uint32_t)(lengths / n) : 0;
}

/* The first octet: the predictor, and what follows. */
#define HEAD_PREDICTOR 0x0fu
#define HEAD_UNIT 0x10u
#define HEAD_LEVEL 0x20u
#define HEAD_SPARSE 0x40u

static uint8_t *head_put(uint8_t *p, const struct rice_head *head)
{
	*p++ = (uint8_t)(head->predictor | (head->unit > 1 ? HEAD_UNIT : 0) |
			 (head->level > 0 ? HEAD_LEVEL : 0) |
			 (head->sparse ? HEAD_SPARSE : 0));
	if (head->predictor == PREDICT_BASE)
		p = pack_varint(p, head->base);
	if (head->unit > 1)
		p = pack_varint(p, (uint64_t)head->unit);
	if (head->level > 0)
		*p++ = (uint8_t)head->level;
	if (head->grain > 0)
		*p++ = (uint8_t)head->grain;
	return p;
}

/* Writes what the mended values lack, which makes them exact. */
static uint8_t *mended_put(uint8_t *p, const int64_t *value,
			   struct rice_work *work)
{
	uint32_t behind = 0;

	p = pack_varint(p, work->mended_count);
	for (uint32_t i = 0; i < work->mended_count; i++) {
		uint32_t row = work->mended[i];

		p = pack_varint(p, row - behind);
		p = pack_varint(p, pack_zigzag(series_difference(value[row],
							work->value[row])));
		work->value[row] = value[row];
		behind = row + 1;
	}
	return p;
}

/* Does any series lack a level of its own? */
static bool level_is_wanted(const struct known_series *series, uint32_t n)
{
	uint32_t i = 0;

	while (i < n && series[i].level > 0)
		i++;
	return i < n;
}

static bool is_sparse(const uint64_t *residual, uint32_t n)
{
	uint32_t zeros = 0;

	for (uint32_t i = 0; i < n; i++)
		zeros += residual[i] == 0;
	return zeros > n - n / 4;
}

/* Has any row of the group that begins at from a residual? */
static bool any_of(const uint64_t *residual, uint32_t from, uint32_t n)
{
	uint64_t any = 0;

	for (uint32_t i = from; i < n && i < from + SPARSE_ROWS; i++)
		any |= residual[i];
	return any != 0;
}

size_t rice_pack(uint8_t *ret, struct rice_head *head, bool forget,
		 const int64_t *value, const struct known_series *series,
		 const struct known_series *base, uint32_t n,
		 struct rice_work *work)
{
	struct bit_writer w = { 0 };
	bool told = true;

	head->unit = head->grain ? 1 : unit_find(value, series, n);
	head->level = residuals_find(head, value, series, base, n, work);
	if (work->mended_count > n / MENDED_ROWS)
		return SIZE_MAX;
	if (!forget && !level_is_wanted(series, n))
		head->level = 0;
	head->sparse = is_sparse(work->residual, n);
	w.at = head_put(ret, head);
	if (head->grain)
		w.at = mended_put(w.at, value, work);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t level = level_of(series[i].level, head, forget);

		if (head->sparse && i % SPARSE_ROWS == 0) {
			told = any_of(work->residual, i, n);
			bits_put_some(&w, told, 1);
		}
		work->level[i] = level;
		if (!told)
			continue;
		rice_put(&w, work->residual[i], lower_bits(level));
		work->level[i] = level_next(level, work->residual[i]);
	}
	if (w.count > 0)
		bits_put_some(&w, 0, 8 - w.count);
	return (size_t)(w.at - ret);
}

bool rice_head_read(struct cursor *c, bool bounded, struct rice_head *ret)
{
	unsigned first = cursor_u8(c), flags = first & ~HEAD_PREDICTOR;
	unsigned predictor = first & HEAD_PREDICTOR;
	uint64_t base = 0, unit = 1, level = 0, grain = 0;

	if (predictor == PREDICT_BASE)
		base = cursor_varint(c);
	if (flags & HEAD_UNIT)
		unit = cursor_varint(c);
	if (flags & HEAD_LEVEL)
		level = cursor_u8(c);
	if (bounded)
		grain = cursor_u8(c);
	if (!cursor_ok(c) || flags & ~(HEAD_UNIT | HEAD_LEVEL | HEAD_SPARSE) ||
	    predictor >= PREDICTORS || base >= UINT32_MAX || unit == 0 ||
	    unit > INT64_MAX || level > RICE_LEVEL_MAX ||
	    (bounded && (grain < 2 || grain > 64 || unit != 1)))
		return false;
	*ret = (struct rice_head){ (enum predictor)predictor, (uint32_t)base,
				   (int64_t)unit, (uint32_t)level,
				   flags & HEAD_SPARSE, (unsigned)grain };
	return true;
}

bool rice_begin(struct rice_reader *r, const struct rice_head *head)
{
	if (head->grain == 0)
		return true;
	r->mended_left = cursor_varint(r->c);
	r->mended = *r->c;
	for (uint64_t i = 0; i < r->mended_left && cursor_ok(r->c); i++) {
		(void)cursor_varint(r->c);
		(void)cursor_varint(r->c);
	}
	if (cursor_ok(r->c) && r->mended_left)
		r->to_mended = cursor_varint(&r->mended);
	return cursor_ok(r->c);
}

/* What the row lacks if it is a mended one, else 0. */
static int64_t mended_get(struct rice_reader *r)
{
	int64_t lacks;

	if (r->mended_left == 0 || r->to_mended-- > 0)
		return 0;
	lacks = cursor_zigzag(&r->mended);
	if (--r->mended_left > 0)
		r->to_mended = cursor_varint(&r->mended);
	return lacks;
}

/* Fills in as many octets as fit or are left: eight are read at once if so many
 * are left. What does not fit whole is there too, uncounted, until it is filled
 * in again. At most 56 bits may be there before.
 */
static inline void bits_fill(struct rice_reader *r)
{
	size_t room = (63 - r->count) / 8, left = cursor_left(r->c);
	const uint8_t *at = r->c->data + r->c->pos;
	size_t n = room < left ? room : left;
	uint64_t bits = 0;

	if (left >= sizeof(bits)) {
		memcpy(&bits, at, sizeof(bits));
		bits = be64toh(bits);
	} else {
		for (size_t i = 0; i < n; i++)
			bits |= (uint64_t)at[i] << (56 - 8 * i);
	}
	r->c->pos += n;
	r->bits |= bits >> r->count;
	r->count += 8 * (unsigned)n;
}

/* n: 1 to 56. */
static uint64_t bits_get_some(struct rice_reader *r, unsigned n)
{
	uint64_t bits;

	if (r->count < n)
		bits_fill(r);
	if (r->count < n) {
		cursor_fail(r->c);
		r->count = n;		/* missing bits are 0 */
	}
	bits = r->bits >> (64 - n);
	r->bits <<= n;
	r->count -= n;
	return bits;
}

static uint64_t bits_get(struct rice_reader *r, unsigned n)
{
	uint64_t upper = n > 32 ? bits_get_some(r, n - 32) : 0;
	unsigned rest = n > 32 ? 32 : n;

	return rest ? upper << rest | bits_get_some(r, rest) : 0;
}

/* The same as rice_get(), whatever is left. */
static __attribute__((noinline)) uint64_t rice_get_any(struct rice_reader *r,
						       unsigned k)
{
	unsigned upper = (unsigned)__builtin_clzll(~r->bits | 1);

	if (upper < ESCAPE_ONES) {
		(void)bits_get_some(r, upper + 1);
		return (uint64_t)upper << k | bits_get(r, k);
	}
	(void)bits_get_some(r, ESCAPE_ONES);
	return bits_get(r, (unsigned)bits_get_some(r, LENGTH_BITS) + 1);
}

/* A residual that could have been shorter is accepted. */
static inline uint64_t rice_get(struct rice_reader *r, unsigned k)
{
	unsigned upper, n;
	uint64_t lower;

	if (r->count <= 32)
		bits_fill(r);
	upper = (unsigned)__builtin_clzll(~r->bits | 1);
	n = upper + 1 + k;
	if (upper >= ESCAPE_ONES || n > r->count)
		return rice_get_any(r, k);
	lower = r->bits << (upper + 1) >> 1 >> (63 - k);
	r->bits <<= n;
	r->count -= n;
	return (uint64_t)upper << k | lower;
}

/* In zigzag; updates the level. */
static inline __attribute__((always_inline)) uint64_t residual_read(
	struct rice_reader *r, const struct rice_head *head, bool forget,
	uint32_t *level)
{
	uint64_t z = 0;

	*level = level_of(*level, head, forget);
	if (head->sparse && r->row++ % SPARSE_ROWS == 0)
		r->untold = !bits_get_some(r, 1);
	if (!r->untold) {
		z = rice_get(r, lower_bits(*level));
		*level = level_next(*level, z);
	}
	return z;
}

void rice_pass(struct rice_reader *r, const struct rice_head *head,
	       bool forget, uint32_t *level)
{
	(void)residual_read(r, head, forget, level);
	if (head->grain)
		(void)mended_get(r);
}

/* With a predictor that the compiler knows. */
static inline __attribute__((always_inline)) void rows_read(
	struct rice_reader *r, const struct rice_head *head, enum predictor p,
	bool forget, struct known_series *s, const struct known_series *base,
	int64_t *ret, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t z = residual_read(r, head, forget, &s[i].level), units;
		int64_t unit = unit_of(head, &s[i]);

		units = (uint64_t)predict_units(p, unit, &s[i],
						base ? &base[i] : NULL) +
			(z >> 1 ^ (z & 1 ? UINT64_MAX : 0));
		ret[i] = series_sum(s[i].last,
				    (int64_t)(units * (uint64_t)unit));
		if (head->grain)
			ret[i] = series_sum(ret[i], mended_get(r));
		series_push(&s[i], ret[i]);
	}
}

void rice_read(struct rice_reader *r, const struct rice_head *head,
	       bool forget, struct known_series *s,
	       const struct known_series *base, int64_t *ret, uint32_t n)
{
	if (head->predictor == PREDICT_LAST)
		rows_read(r, head, PREDICT_LAST, forget, s, base, ret, n);
	else if (head->predictor == PREDICT_MEAN)
		rows_read(r, head, PREDICT_MEAN, forget, s, base, ret, n);
	else if (head->predictor == PREDICT_SLOPE)
		rows_read(r, head, PREDICT_SLOPE, forget, s, base, ret, n);
	else if (head->predictor == PREDICT_BASE)
		rows_read(r, head, PREDICT_BASE, forget, s, base, ret, n);
	else
		rows_read(r, head, PREDICT_NOTHING, forget, s, base, ret, n);
}

bool rice_end(const struct rice_reader *r)
{
	return cursor_ok(r->c) && cursor_left(r->c) == 0 && r->count < 8 &&
	       r->bits == 0 && r->mended_left == 0;
}
