#include "agent/history/tier_fold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/counter.h"
#include "agent/record/array.h"
#include "petrel/quantity.h"

#define COLUMNS_MAX 1024u
#define SOURCE_SILENT_NS (90 * NS_PER_S)
#define SHARE_BITS 8		/* coarse values are kept to 1/256: 0.02 dB */

struct fold_series {
	struct counter counter;
	struct mono taken;
	uint8_t source;
	struct tier_span span[TIER_COUNT];
};

/* A quantity and index, of all entities. */
struct fold_column {
	const struct quantity_info *info;
	uint16_t index;
	uint32_t count, cap;
	uint32_t hint;		/* place of the row before */
	unsigned rank;
	bool is_out;		/* it has no room */
	uint32_t left_out;	/* rows it would have */
	uint32_t *entity;
	struct fold_series *series;
	/* Input of an encoder. */
	int64_t *value[TIER_SOURCES];
	uint8_t *quality;
	uint64_t *is_new;
};

struct tier_fold {
	struct fold_column column[COLUMNS_MAX];
	uint32_t column_count;
	size_t series, limit;
	uint32_t *entity;		/* all, once */
	uint32_t *which;		/* all 0: they have one age */
	uint32_t entities, entity_cap;
	struct index_map known;		/* of entities */
	uint32_t tick;
	struct group_age age;
	struct group_column group[TIER_SOURCES];
	struct sample_column out[COLUMNS_MAX * TIER_SOURCES];
};

int tier_fold_new(struct tier_fold **ret)
{
	struct tier_fold *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->limit = FOLD_SERIES_MAX;
	index_map_init(&f->known, FOLD_SERIES_MAX, (uintptr_t)f);
	*ret = f;
	return 0;
}

static void column_free(struct fold_column *c)
{
	free(c->entity);
	free(c->series);
	free(c->quality);
	free(c->is_new);
	for (unsigned k = 0; k < TIER_SOURCES; k++)
		free(c->value[k]);
}

void tier_fold_free(struct tier_fold *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; i < f->column_count; i++)
		column_free(&f->column[i]);
	index_map_fini(&f->known);
	free(f->entity);
	free(f->which);
	free(f);
}

/* --- columns and series -------------------------------------------------- */

/* Grows an array of cap items to more; new items are 0. False: no memory. */
static bool grow(void *array, size_t size, uint32_t cap, uint32_t more)
{
	void *old, *new;

	memcpy(&old, array, sizeof(old));
	new = reallocarray(old, more, size);
	if (!new)
		return false;
	memset((char *)new + cap * size, 0, (more - cap) * size);
	memcpy(array, &new, sizeof(new));
	return true;
}

static bool column_grow(struct fold_column *c)
{
	uint32_t more = c->cap ? 2 * c->cap : SAMPLE_BITS;
	bool grown = grow(&c->entity, sizeof(*c->entity), c->cap, more) &&
		     grow(&c->series, sizeof(*c->series), c->cap, more) &&
		     grow(&c->quality, 1, c->cap, more) &&
		     grow(&c->is_new, sizeof(*c->is_new),
			  sample_words(c->cap), sample_words(more));

	for (unsigned k = 0; k < TIER_SOURCES; k++)
		grown = grown && grow(&c->value[k], sizeof(*c->value[k]),
				      c->cap, more);
	if (grown)
		c->cap = more;
	return grown;
}

static bool entity_know(struct tier_fold *f, uint32_t id)
{
	uint32_t *index = index_map_at(&f->known, id);
	uint32_t more = f->entity_cap ? 2 * f->entity_cap : SAMPLE_BITS;

	if (!index)
		return false;
	if (*index != INDEX_NONE)
		return true;
	if (f->entities == f->entity_cap) {
		if (!grow(&f->entity, sizeof(*f->entity), f->entity_cap,
			  more) ||
		    !grow(&f->which, sizeof(*f->which), f->entity_cap, more))
			return false;
		f->entity_cap = more;
	}
	*index = f->entities;
	f->entity[f->entities++] = id;
	return true;
}

static struct fold_column *column_find(struct tier_fold *f, uint16_t quantity,
				       uint16_t index)
{
	const struct quantity_info *info = quantity_find(quantity);
	uint32_t i = 0;

	while (i < f->column_count && (f->column[i].info != info ||
				       f->column[i].index != index))
		i++;
	if (i == f->column_count) {
		if (!info || i == COLUMNS_MAX)
			return NULL;
		f->column[f->column_count++] =
			(struct fold_column){ .info = info, .index = index,
				.rank = quantity_kept_rank(quantity) };
	}
	return &f->column[i];
}

/* A column is kept with all of its rows, or not at all. */
static void column_drop(struct tier_fold *f, struct fold_column *c)
{
	f->series -= c->count;
	column_free(c);
	*c = (struct fold_column){ .info = c->info, .index = c->index,
				   .rank = c->rank, .is_out = true,
				   .left_out = c->count };
}

/* The column to drop first; c, which may be NULL, if none goes before it. */
static struct fold_column *column_last(struct tier_fold *f,
				       struct fold_column *c)
{
	for (uint32_t i = 0; i < f->column_count; i++)
		if (f->column[i].count > 0 &&
		    (!c || f->column[i].rank > c->rank))
			c = &f->column[i];
	return c;
}

/* Makes room for one more row of a column. False: c itself was dropped. */
static bool room_make(struct tier_fold *f, struct fold_column *c)
{
	while (f->series >= f->limit) {
		struct fold_column *last = column_last(f, c);

		column_drop(f, last);
		if (last == c)
			return false;
	}
	return true;
}

/* Rows come in the order of the batch before. NULL: no room. */
static struct fold_series *series_find(struct tier_fold *f,
				       struct fold_column *c, uint32_t id)
{
	uint32_t i = c->hint + 1 < c->count ? c->hint + 1 : 0;

	for (uint32_t n = 0; n < c->count; n++, i = i + 1 < c->count ?
	     i + 1 : 0)
		if (c->entity[i] == id) {
			c->hint = i;
			return &c->series[i];
		}
	if (!room_make(f, c))
		return NULL;
	if (!entity_know(f, id) || (c->count == c->cap && !column_grow(c))) {
		column_drop(f, c);
		return NULL;
	}
	f->series++;
	c->hint = c->count++;
	c->entity[c->hint] = id;
	return &c->series[c->hint];
}

/* --- folding ------------------------------------------------------------- */

static void span_add(struct tier_span *s, const struct tier_span *more)
{
	if (s->count == 0 || more->least < s->least)
		s->least = more->least;
	if (s->count == 0 || more->highest > s->highest)
		s->highest = more->highest;
	if (s->count == 0 || more->quality > s->quality)
		s->quality = more->quality;
	s->last = more->last;
	s->sum += more->sum;
	s->count += more->count;
}

/* Takes each reading once; of two sources the one that came first. */
static bool is_next(struct fold_series *s, const struct decoded_value *v)
{
	if (s->taken.ns && (v->age.taken.ns <= s->taken.ns ||
			    (v->source != s->source &&
			     mono_diff_ns(v->age.taken, s->taken) <
				     SOURCE_SILENT_NS)))
		return false;
	if (v->source != s->source)
		counter_start(&s->counter);
	s->source = v->source;
	s->taken = v->age.taken;
	return true;
}

static void value_fold(struct fold_series *s, bool is_rate,
		       const struct decoded_value *v)
{
	int64_t value = v->value, dt_ns = 0;
	uint64_t step = 0;

	if (!is_next(s, v))
		return;
	if (is_rate) {
		if (!counter_stepped(counter_take(&s->counter,
						  (uint64_t)v->value,
						  v->age.taken, &step,
						  &dt_ns)) || dt_ns <= 0)
			return;
		value = (int64_t)((double)step * 1e3 * (double)NS_PER_S /
				  (double)dt_ns);
	}
	span_add(&s->span[TIER_MINUTE], &(struct tier_span){
		 (double)value, value, value, value, 1, v->quality });
}

int tier_fold_column(void *context, const struct decoded_column *c)
{
	struct tier_fold *f = context;
	struct fold_column *to;

	if (!quantity_is_kept(c->quantity))
		return 0;
	to = column_find(f, c->quantity, c->index);
	if (to && to->is_out && c->count > to->left_out)
		to->left_out = c->count;
	for (uint32_t row = 0; to && !to->is_out && row < c->count; row++) {
		struct fold_series *s = series_find(f, to, c->entity[row]);
		struct decoded_value v = decoded_row(c, row);

		if (s)
			value_fold(s, to->info->kind == KIND_COUNTER, &v);
	}
	return 0;
}

/* --- rows ---------------------------------------------------------------- */

/* Rounds to the bits that are worth keeping: the rest is noise. */
static int64_t rounded(int64_t value, bool is_coarse)
{
	int bits = value > 0 ? 64 - __builtin_clzll((uint64_t)value) : 0;
	int drop = bits - 1 - SHARE_BITS;

	if (!is_coarse || drop <= 0)
		return value;
	return (value + (INT64_C(1) << (drop - 1))) >> drop << drop;
}

static bool is_coarse(const struct quantity_info *q)
{
	return q->kind == KIND_COUNTER || q->kind == KIND_PEAK ||
	       q->unit == UNIT_PW || q->unit == UNIT_UA ||
	       q->unit == UNIT_E18;
}

static bool column_row(struct fold_column *c, enum tier tier)
{
	bool any = false, coarse = is_coarse(c->info);

	for (uint32_t i = 0; i < c->count; i++) {
		struct tier_span *s = &c->series[i].span[tier];
		int64_t mean;

		sample_mark(c->is_new, i, s->count > 0);
		if (s->count == 0)
			continue;
		any = true;
		mean = rounded((int64_t)(s->sum / s->count +
					 (s->sum < 0 ? -0.5 : 0.5)), coarse);
		c->value[TIER_MEAN][i] = mean;
		c->value[TIER_BELOW][i] = rounded(mean - s->least, coarse);
		c->value[TIER_ABOVE][i] = rounded(s->highest - mean, coarse);
		c->quality[i] = s->quality;
		if (tier == TIER_MINUTE)
			span_add(&c->series[i].span[TIER_QUARTER], s);
		*s = (struct tier_span){ .count = 0 };
	}
	return any;
}

bool tier_fold_close(struct tier_fold *f, enum tier tier, struct mono end,
		     struct tier_row *ret)
{
	size_t n = 0;

	f->tick++;
	f->age = (struct group_age){ .taken = end,
				     .window = span_of(
					     tier_forms[tier].span_ns) };
	for (uint32_t i = 0; i < f->column_count; i++) {
		struct fold_column *c = &f->column[i];
		bool any = column_row(c, tier);

		if (c->is_out)
			continue;
		for (unsigned k = 0; k < TIER_SOURCES; k++)
			f->out[n++] = (struct sample_column){
				.quantity = c->info->id, .index = c->index,
				.source = (uint8_t)k, .count = c->count,
				.entity = c->entity, .value = c->value[k],
				.quality = c->quality, .is_new = c->is_new,
				.tick = any ? f->tick : 0 };
	}
	for (unsigned k = 0; k < TIER_SOURCES; k++)
		f->group[k] = (struct group_column){
			.source = (uint8_t)k, .count = f->entities,
			.entity = f->entity, .age = &f->age,
			.which = f->which };
	*ret = (struct tier_row){ .columns = f->out, .groups = f->group,
				  .column_count = n,
				  .group_count = TIER_SOURCES,
				  .tick = f->tick };
	return n > 0;
}

int tier_fold_take(struct tier_fold *f, tier_span_fn *fn, void *context)
{
	struct tier_place p;
	int err = 0;

	for (p.column = 0; p.column < f->column_count; p.column++) {
		struct fold_column *c = &f->column[p.column];

		p.info = c->info;
		p.index = c->index;
		for (p.row = 0; p.row < c->count; p.row++) {
			struct fold_series *s = &c->series[p.row];
			struct tier_span *span = &s->span[TIER_MINUTE];

			p.entity = c->entity[p.row];
			if (span->count && fn && err == 0)
				err = fn(context, &p, span);
			span->count = 0;
			span->sum = 0;
		}
	}
	return err;
}

void tier_fold_limit(struct tier_fold *f, size_t series)
{
	bool is_wider = series > f->limit;

	f->limit = series < FOLD_SERIES_MAX ? series : FOLD_SERIES_MAX;
	for (uint32_t i = 0; i < f->column_count; i++) {
		struct fold_column *c = &f->column[i];

		if (is_wider && c->is_out)
			*c = (struct fold_column){ .info = c->info,
						   .index = c->index,
						   .rank = c->rank };
	}
	while (f->series > f->limit) {
		struct fold_column *last = column_last(f, NULL);

		if (!last)
			break;
		column_drop(f, last);
	}
}

void tier_fold_count(const struct tier_fold *f, size_t *ret_series,
		     size_t *ret_left_out)
{
	*ret_series = f->series;
	*ret_left_out = 0;
	for (uint32_t i = 0; i < f->column_count; i++)
		*ret_left_out += f->column[i].left_out;
}
