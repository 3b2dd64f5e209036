#include "agent/record/decoder.h"

#include <errno.h>
#include <string.h>

/* The next number of a sequence with zero runs. */
static int64_t run_next(struct cursor *c, uint64_t *zeros)
{
	int64_t value;

	if (*zeros > 0) {
		(*zeros)--;
		return 0;
	}
	value = cursor_zigzag(c);
	if (value == 0)
		*zeros = cursor_varint(c);
	return value;
}

/* The sequence ended exactly. */
static bool is_used_up(const struct cursor *c, uint64_t zeros)
{
	return cursor_ok(c) && cursor_left(c) == 0 && zeros == 0;
}

bool values_spatial(struct cursor c, int64_t first_from, int64_t *ret,
		    uint32_t n)
{
	int64_t before = first_from;
	uint64_t zeros = 0;

	for (uint32_t i = 0; i < n; ) {
		before = series_sum(before, run_next(&c, &zeros));
		ret[i++] = before;
		for (; zeros > 0 && i < n; zeros--)
			ret[i++] = before;
	}
	return is_used_up(&c, zeros);
}

static bool differences_read(struct decoder *d, struct cursor *c,
			     uint32_t column, int64_t *ret, uint32_t n)
{
	const uint32_t *view = view_of(d, column);
	uint64_t zeros = 0;

	for (uint32_t i = 0; i < n; i++) {
		int64_t step = run_next(c, &zeros);
		struct known_series *s;

		ret[i] = 0;
		if (view[i] & VIEW_PASSED)
			continue;
		s = series_at(&d->series, view[i]);
		ret[i] = series_sum(s->last, step);
		series_push(s, ret[i]);
	}
	return is_used_up(c, zeros);
}

static bool plain_read(struct decoder *d, struct cursor *c, uint32_t column,
		       int64_t *ret, uint32_t n)
{
	const uint32_t *view = view_of(d, column);

	for (uint32_t i = 0; i < n; i++) {
		ret[i] = cursor_zigzag(c);
		if (!(view[i] & VIEW_PASSED))
			series_push(series_at(&d->series, view[i]), ret[i]);
	}
	return is_used_up(c, 0);
}

/* The base has the same entities, row by row. */
static bool base_is_fit(const struct decoder *d, uint32_t base, uint32_t column)
{
	return base != column && column_at(&d->columns, base)->list ==
		       column_at(&d->columns, column)->list;
}

/* A base that was not wanted is wanted when the records are read again. */
static bool base_is_unread(struct decoder *d, uint32_t base)
{
	const struct known_column *b = column_at(&d->columns, base);

	if (b->unread && !b->wanted) {
		d->wants_more |= d->telling_count < TELLING_MAX;
		if (d->telling_count < TELLING_MAX)
			d->telling[d->telling_count++] = b->key;
	}
	return b->unread;
}

/* Rows from one on whose series lie in a row, and those of the base; 0: it is
 * passed. Series of one list were mostly made one after the other.
 */
static uint32_t in_a_row(const uint32_t *view, const uint32_t *base,
			 uint32_t from, uint32_t n)
{
	uint32_t i = from + 1;

	if (view[from] & VIEW_PASSED)
		return 0;
	while (i < n && view[i] == view[i - 1] + 1 &&
	       (!base || base[i] == base[i - 1] + 1))
		i++;
	return i - from;
}

static bool rice_column_read(struct decoder *d, struct cursor *c,
			     uint32_t column, bool bounded, int64_t *ret,
			     uint32_t n)
{
	struct known_column *k = column_at(&d->columns, column);
	const uint32_t *view = view_of(d, column), *base_view = NULL;
	struct rice_reader r = { .c = c };
	struct rice_head head;
	bool forget;

	if (!rice_head_read(c, bounded, &head) || !rice_begin(&r, &head))
		return false;
	if (head.predictor == PREDICT_BASE) {
		if (head.base >= d->columns.count)
			return false;
		k->unread = base_is_unread(d, head.base);
		if (k->unread)
			return true;
		if (!base_is_fit(d, head.base, column))
			return false;
		base_view = view_of(d, head.base);
	}
	forget = head.predictor != k->predictor || bounded != k->bounded;
	k->predictor = head.predictor;
	k->bounded = bounded;
	for (uint32_t i = 0, run; i < n; i += run) {
		/* the entity may be followed only since a later list */
		bool based = base_view && !(base_view[i] & VIEW_PASSED);

		run = in_a_row(view, based ? base_view : NULL, i,
			       based || !base_view ? n : i + 1);
		if (run == 0) {
			run = 1;
			ret[i] = 0;
			rice_pass(&r, &head, forget, level_at(d, view[i]));
			continue;
		}
		rice_read(&r, &head, forget, series_at(&d->series, view[i]),
			  based ? series_at(&d->series, base_view[i]) : NULL,
			  ret + i, run);
	}
	return rice_end(&r);
}

static bool exact_read(struct decoder *d, struct cursor *c, uint32_t column,
		       int64_t *ret, uint32_t n)
{
	return rice_column_read(d, c, column, false, ret, n);
}

static bool bounded_read(struct decoder *d, struct cursor *c, uint32_t column,
			 int64_t *ret, uint32_t n)
{
	return rice_column_read(d, c, column, true, ret, n);
}

/* Reads n values of a column, and updates its series. False: there are not n,
 * or the data is malformed.
 */
typedef bool encoding_fn(struct decoder *d, struct cursor *c, uint32_t column,
			 int64_t *ret, uint32_t n);

/* By number (C9): new ones are added, none is changed. */
static encoding_fn *const encodings[] = { plain_read, differences_read,
					 exact_read, bounded_read };

#define ENCODING_COUNT (sizeof(encodings) / sizeof(encodings[0]))

bool values_quality(struct cursor c, uint8_t *ret, uint32_t n)
{
	uint32_t i = 0;

	if (c.len == 0) {
		memset(ret, QUALITY_GOOD, n);
		return true;
	}
	while (cursor_left(&c) > 0) {
		uint64_t quality = cursor_varint(&c);
		uint64_t run = cursor_varint(&c);

		if (!cursor_ok(&c) || quality >= SAMPLE_QUALITY_COUNT ||
		    run == 0 || run > n - i)
			return false;
		memset(ret + i, (int)quality, run);
		i += (uint32_t)run;
	}
	return i == n && cursor_ok(&c);
}

int values_read(struct decoder *d, uint64_t encoding, struct cursor *c,
		uint32_t column, int64_t *ret, uint32_t n, struct diag *diag)
{
	struct known_column *k = column_at(&d->columns, column);

	k->settled = false;
	k->unread |= encoding >= ENCODING_COUNT;
	if (k->unread)
		return 0;
	if (!encodings[encoding](d, c, column, ret, n))
		return diag_set(diag, -EBADMSG, "quantity 0x%04x: values do "
				"not fit list %u", k->key.quantity, k->list);
	return 0;
}
