#include "agent/record/choice.h"

#include "agent/record/pack.h"

enum { ENCODING_PLAIN, ENCODING_DIFFERENCES, ENCODING_RICE, ENCODING_BOUNDED };

/* From the third batch on both slopes of a series are known. */
#define BASE_SOUGHT_AT 2u
#define BASE_SOUGHT_ROWS 64u

static unsigned length_of(int64_t residual)
{
	uint64_t z = pack_zigzag(residual);

	return z ? 64 - (unsigned)__builtin_clzll(z) : 0;
}

/* Bits of the residuals of each predictor, without coding overhead. */
static void lengths_find(const struct choice_rows *rows,
			 const struct known_series *base,
			 uint64_t ret[PREDICTORS])
{
	uint64_t nothing = 0, last = 0, mean = 0, slope = 0, by_base = 0;

	for (uint32_t i = 0; i < rows->n; i++) {
		const struct known_series *s = &rows->series[i];
		int64_t value = rows->value[i];
		int64_t step = series_difference(value, s->last);

		nothing += length_of(value);
		last += length_of(step);
		mean += length_of(series_difference(value, s->mean));
		slope += length_of(series_difference(step, s->slope));
		if (base)
			by_base += length_of(series_difference(value,
				rice_predict(PREDICT_BASE, s, &base[i])));
	}
	ret[PREDICT_NOTHING] = nothing;
	ret[PREDICT_LAST] = last;
	ret[PREDICT_MEAN] = mean;
	ret[PREDICT_SLOPE] = slope;
	ret[PREDICT_BASE] = base ? by_base : UINT64_MAX;
}

/* The series of a column that has the same rows as this one, and that a reader
 * reads before it; else NULL.
 */
static const struct known_series *base_series(const struct columns *c,
					      uint32_t base,
					      const struct column_memory *m,
					      const struct choice_rows *rows)
{
	const struct column_memory *b = &c->column[base];

	if (b == m || !rows->by_number || b->told != c->batch ||
	    b->list != rows->list || b->count != rows->n || m->count != rows->n)
		return NULL;
	return b->form == COLUMN_AWAKE ? c->series + b->at : NULL;
}

static void base_seek(const struct columns *c, struct column_memory *m,
		      const struct choice_rows *rows)
{
	struct choice_rows some = *rows;
	uint64_t lengths[PREDICTORS], least = UINT64_MAX, by_base;

	if (some.n > BASE_SOUGHT_ROWS)
		some.n = BASE_SOUGHT_ROWS;
	for (uint32_t i = 0; i < c->count; i++) {
		const struct known_series *base = base_series(c, i, m, rows);

		if (!base || c->column[i].predictor < PREDICT_SLOPE)
			continue;
		lengths_find(&some, base, lengths);
		by_base = lengths[PREDICT_BASE];
		if (by_base < least &&
		    by_base + some.n / 4 < lengths[PREDICT_SLOPE]) {
			least = by_base;
			m->base = i;
		}
	}
}

/* Keeps the column's predictor unless another is clearly better, as the levels
 * of its series would be lost.
 */
static enum predictor predictor_choose(const struct column_memory *m,
				       const uint64_t lengths[PREDICTORS],
				       uint32_t n)
{
	unsigned best = PREDICT_NOTHING;

	for (unsigned p = PREDICT_LAST; p < PREDICTORS; p++)
		if (lengths[p] < lengths[best])
			best = p;
	if (m->predictor < PREDICTORS &&
	    lengths[m->predictor] != UINT64_MAX &&
	    lengths[m->predictor] < lengths[best] + n / 12)
		best = m->predictor;
	return (enum predictor)best;
}

static size_t rice_pack_as(const struct column_memory *m, bool bounded,
			   struct rice_head head,
			   const struct choice_rows *rows,
			   const struct known_series *base, struct choice *ret)
{
	bool forget = head.predictor != m->predictor || bounded != m->bounded;

	ret->encoding = bounded ? ENCODING_BOUNDED : ENCODING_RICE;
	head.grain = bounded ? RICE_GRAIN_BITS : 0;
	return rice_pack(ret->bits, &head, forget, rows->value, rows->series,
			 base, rows->n, &ret->work);
}

/* Returns the octets in ret->bits. */
static size_t rice_try(struct columns *c, struct column_memory *m,
		       const struct choice_rows *rows, struct choice *ret)
{
	const struct known_series *base = NULL;
	uint64_t lengths[PREDICTORS];
	struct rice_head head = { 0 };
	size_t len = SIZE_MAX;

	if (m->times == BASE_SOUGHT_AT && m->predictor >= PREDICT_LAST)
		base_seek(c, m, rows);
	if (m->base != COLUMN_NONE)
		base = base_series(c, m->base, m, rows);
	lengths_find(rows, base, lengths);
	head.predictor = predictor_choose(m, lengths, rows->n);
	if (head.predictor == PREDICT_BASE)
		head.base = c->column[m->base].number;
	ret->predictor = head.predictor;
	if (rows->bounded)
		len = rice_pack_as(m, true, head, rows, base, ret);
	return len != SIZE_MAX ? len :
				 rice_pack_as(m, false, head, rows, base, ret);
}

/* Updates the series to what a reader knows; work: NULL but for bits. */
static void series_take(const struct choice_rows *rows,
			const struct rice_work *work)
{
	for (uint32_t i = 0; i < rows->n; i++) {
		series_push(&rows->series[i],
			    work ? work->value[i] : rows->value[i]);
		if (work)
			rows->series[i].level = work->level[i];
	}
}

void choice_make(struct columns *c, struct column_memory *m,
		 const struct choice_rows *rows, struct choice *ret)
{
	size_t plain, bits = SIZE_MAX;

	ret->len = pack_differences(ret->varints, rows->value, rows->series,
				    rows->n, &plain, &ret->changed);
	if (ret->changed > 0)
		bits = rice_try(c, m, rows, ret);
	ret->octets = ret->varints;
	if (bits < ret->len && bits < plain) {
		ret->len = bits;
		ret->octets = ret->bits;
		m->predictor = ret->predictor;
		m->bounded = ret->encoding == ENCODING_BOUNDED;
	} else if (plain < ret->len) {
		ret->len = pack_plain(ret->varints, rows->value, rows->n);
		ret->encoding = ENCODING_PLAIN;
	} else {
		ret->encoding = ENCODING_DIFFERENCES;
	}
	series_take(rows, ret->octets == ret->bits ? &ret->work : NULL);
	if (m->number == COLUMN_NONE)
		m->number = c->written++;
	m->times++;
	m->told = c->batch;
}
