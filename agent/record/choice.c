#include "agent/record/choice.h"

#include "agent/record/pack.h"

enum { ENCODING_PLAIN, ENCODING_DIFFERENCES, ENCODING_RICE };

/* Both slopes of a series are known with the third batch. */
#define BASE_SOUGHT_AT 2u
#define BASE_SOUGHT_ROWS 64u

static unsigned length_of(int64_t residual)
{
	uint64_t z = pack_zigzag(residual);

	return z ? 64 - (unsigned)__builtin_clzll(z) : 0;
}

/* Bits of what each prediction leaves, without those that tell them apart. */
static void lengths_find(const struct choice_rows *rows,
			 const struct series *base, uint64_t ret[PREDICTORS])
{
	uint64_t nothing = 0, last = 0, mean = 0, slope = 0, by_base = 0;

	for (uint32_t i = 0; i < rows->n; i++) {
		const struct series *s = &rows->series[i];
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

/* The series of a column that has the very rows of this one, and that a reader
 * has read when it comes to this one; else NULL.
 */
static const struct series *base_series(const struct columns *c, uint32_t base,
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
		const struct series *base = base_series(c, i, m, rows);

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

/* What the column had is kept while another is not clearly better: the levels
 * of its series are worth something.
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
	    lengths[m->predictor] < lengths[best] + n / 4)
		best = m->predictor;
	return (enum predictor)best;
}

/* Returns the octets in ret->bits. */
static size_t rice_try(struct columns *c, struct column_memory *m,
		       const struct choice_rows *rows, struct choice *ret,
		       enum predictor *ret_predictor)
{
	const struct series *base = NULL;
	uint64_t lengths[PREDICTORS];
	struct rice_head head = { 0 };

	if (m->times == BASE_SOUGHT_AT && m->predictor >= PREDICT_LAST)
		base_seek(c, m, rows);
	if (m->base != COLUMN_NONE)
		base = base_series(c, m->base, m, rows);
	lengths_find(rows, base, lengths);
	head.predictor = predictor_choose(m, lengths, rows->n);
	if (head.predictor == PREDICT_BASE)
		head.base = c->column[m->base].number;
	*ret_predictor = head.predictor;
	return rice_pack(ret->bits, &head, head.predictor != m->predictor,
			 rows->value, rows->series, base, rows->n, &ret->work);
}

static void series_take(const struct choice_rows *rows, const uint32_t *level)
{
	for (uint32_t i = 0; i < rows->n; i++) {
		series_push(&rows->series[i], rows->value[i]);
		if (level)
			rows->series[i].level = level[i];
	}
}

void choice_make(struct columns *c, struct column_memory *m,
		 const struct choice_rows *rows, struct choice *ret)
{
	enum predictor predictor = PREDICT_NOTHING;
	size_t plain, bits = SIZE_MAX;

	ret->len = pack_differences(ret->varints, rows->value, rows->series,
				    rows->n, &plain, &ret->changed);
	ret->encoding = ENCODING_DIFFERENCES;
	ret->octets = ret->varints;
	if (ret->changed > 0)
		bits = rice_try(c, m, rows, ret, &predictor);
	if (bits < ret->len && bits < plain) {
		ret->len = bits;
		ret->encoding = ENCODING_RICE;
		ret->octets = ret->bits;
		m->predictor = predictor;
	} else if (plain < ret->len) {
		ret->len = pack_plain(ret->varints, rows->value, rows->n);
		ret->encoding = ENCODING_PLAIN;
	}
	series_take(rows, ret->encoding == ENCODING_RICE ? ret->work.level
							: NULL);
	if (m->number == COLUMN_NONE)
		m->number = c->written++;
	m->times++;
	m->told = c->batch;
}
