#include "agent/record/columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record/pack.h"

int columns_init(struct columns *c, uint32_t max, uint32_t slots)
{
	/* Twice: a column that grows leaves its old place behind. */
	*c = (struct columns){ .max = max, .slots = slots,
			       .row_max = 2 * slots };
	c->column = calloc(max, sizeof(*c->column));
	c->entity = calloc(c->row_max, sizeof(*c->entity));
	c->last = calloc(c->row_max, sizeof(*c->last));
	c->mark = calloc(c->row_max, sizeof(*c->mark));
	c->series = calloc(c->row_max, sizeof(*c->series));
	c->old_entity = calloc(slots, sizeof(*c->old_entity));
	c->old_series = calloc(slots, sizeof(*c->old_series));
	if (!c->column || !c->entity || !c->last || !c->mark || !c->series ||
	    !c->old_entity || !c->old_series)
		return -ENOMEM;
	return 0;
}

void columns_fini(struct columns *c)
{
	free(c->column);
	free(c->entity);
	free(c->last);
	free(c->mark);
	free(c->series);
	free(c->old_entity);
	free(c->old_series);
}

void columns_forget(struct columns *c)
{
	c->count = 0;
	c->written = 0;
	c->row_count = 0;
	c->entity_count = 0;
	c->series_count = 0;
}

static bool is_of(const struct column_memory *m, const struct sample_column *s)
{
	return m->quantity == s->quantity && m->index == s->index &&
	       m->source == s->source;
}

static struct column_memory *column_find(struct columns *c,
					 const struct sample_column *s,
					 uint32_t guess)
{
	if (guess < c->count && is_of(&c->column[guess], s))
		return &c->column[guess];
	for (uint32_t i = 0; i < c->count; i++)
		if (is_of(&c->column[i], s))
			return &c->column[i];
	if (c->count == c->max)
		return NULL;
	c->column[c->count] = (struct column_memory){
		.quantity = s->quantity, .index = s->index,
		.source = s->source, .at = c->row_count, .list = LIST_NONE,
		.number = COLUMN_NONE, .predictor = PREDICTORS,
		.base = COLUMN_NONE };
	return &c->column[c->count++];
}

/* Row of an entity in the old order, count when it is new. The order is nearly
 * the same, so the search begins behind the one found last.
 */
static uint32_t old_row(const struct columns *c, uint32_t count,
			uint32_t entity, uint32_t *hint)
{
	for (uint32_t n = 0, i = *hint; n < count; n++, i++) {
		if (i >= count)
			i = 0;
		if (c->old_entity[i] == entity) {
			*hint = i + 1;
			return i;
		}
	}
	return count;
}

/* Places for its rows, none of which was read. */
static int rows_place(struct columns *c, struct column_memory *m,
		      uint32_t count)
{
	if (count > c->row_max - c->row_count)
		return -ENOSPC;
	m->at = c->row_count;
	m->cap = count;
	c->row_count += count;
	memset(c->mark + m->at, 0, count * sizeof(*c->mark));
	return 0;
}

/* Its rows' entities: those of a column before that has the same, or others. */
static int entities_place(struct columns *c, struct column_memory *m,
			  const struct sample_column *s)
{
	size_t len = s->count * sizeof(*c->entity);

	for (const struct column_memory *o = m; o-- > c->column;) {
		if (o->count != s->count ||
		    memcmp(c->entity + o->entity_at, s->entity, len) != 0)
			continue;
		m->entity_at = o->entity_at;
		return 0;
	}
	if (s->count > c->row_max - c->entity_count)
		return -ENOSPC;
	m->entity_at = c->entity_count;
	c->entity_count += s->count;
	memcpy(c->entity + m->entity_at, s->entity, len);
	return 0;
}

static int series_place(struct columns *c, struct column_memory *m)
{
	if (m->cap > c->row_max - c->series_count)
		return -ENOSPC;
	m->series_at = c->series_count;
	c->series_count += m->cap;
	return 0;
}

int columns_wake(struct columns *c, struct column_memory *m)
{
	int rc = series_place(c, m);

	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < m->count; i++)
		c->series[m->series_at + i] = columns_get(c, m, i);
	m->awake = true;
	return 0;
}

static int rows_move(struct columns *c, struct column_memory *m,
		     const struct sample_column *s)
{
	uint32_t count = m->count, hint = 0, found = 0;
	int rc = 0;

	if (s->count > c->slots)
		return -ENOSPC;
	if (!m->awake)
		rc = columns_wake(c, m);
	memcpy(c->old_entity, c->entity + m->entity_at,
	       count * sizeof(*c->entity));
	memcpy(c->old_series, c->series + m->series_at,
	       count * sizeof(*c->series));
	if (rc == 0 && s->count > m->cap) {
		rc = rows_place(c, m, s->count);
		if (rc == 0)
			rc = series_place(c, m);
	}
	if (rc == 0)
		rc = entities_place(c, m, s);
	if (rc < 0)
		return rc;
	m->count = s->count;
	for (uint32_t i = 0; i < s->count; i++) {
		uint32_t old = old_row(c, count, s->entity[i], &hint);

		c->series[m->series_at + i] = old < count ?
					      c->old_series[old] :
					      (struct series){ 0 };
		found += old < count;
	}
	return found == count ? 0 : -ENOSPC;
}

/* A column that is new: asleep. */
static int rows_begin(struct columns *c, struct column_memory *m,
		      const struct sample_column *s)
{
	int rc = rows_place(c, m, s->count);

	if (rc == 0)
		rc = entities_place(c, m, s);
	if (rc == 0)
		m->count = s->count;
	return rc;
}

int columns_align(struct columns *c, const struct sample_column *column,
		  uint32_t guess, struct column_memory **ret)
{
	struct column_memory *m = column_find(c, column, guess);
	int rc;

	if (!m)
		return -ENOSPC;
	if (m->count != column->count ||
	    memcmp(c->entity + m->entity_at, column->entity,
		   m->count * sizeof(*c->entity)) != 0) {
		rc = m->cap == 0 ? rows_begin(c, m, column) :
				   rows_move(c, m, column);
		if (rc < 0)
			return rc;
	}
	*ret = m;
	return 0;
}

static uint8_t *zeros_put(uint8_t *p, uint32_t *zeros)
{
	if (*zeros == 0)
		return p;
	*p++ = 0;
	p = pack_varint(p, *zeros - 1);
	*zeros = 0;
	return p;
}

size_t pack_differences(uint8_t *ret, const int64_t *value,
			const struct series *series, uint32_t n,
			size_t *ret_plain, uint32_t *ret_changed)
{
	uint8_t *p = ret;
	size_t plain = 0;
	uint32_t zeros = 0, changed = 0;

	for (uint32_t i = 0; i < n; i++) {
		int64_t d = series_difference(value[i], series[i].last);

		plain += pack_varint_len(pack_zigzag(value[i]));
		if (d == 0) {
			zeros++;
			continue;
		}
		changed++;
		p = zeros_put(p, &zeros);
		p = pack_varint(p, pack_zigzag(d));
	}
	p = zeros_put(p, &zeros);
	*ret_plain = plain;
	*ret_changed = changed;
	return (size_t)(p - ret);
}

size_t pack_plain(uint8_t *ret, const int64_t *value, uint32_t n)
{
	uint8_t *p = ret;

	for (uint32_t i = 0; i < n; i++)
		p = pack_varint(p, pack_zigzag(value[i]));
	return (size_t)(p - ret);
}

size_t pack_spatial(uint8_t *ret, int64_t first_from, const int64_t *value,
		    uint32_t n)
{
	uint8_t *p = ret;
	uint32_t zeros = 0;
	int64_t before = first_from;

	for (uint32_t i = 0; i < n; i++) {
		int64_t d = series_difference(value[i], before);

		before = value[i];
		if (d == 0) {
			zeros++;
			continue;
		}
		p = zeros_put(p, &zeros);
		p = pack_varint(p, pack_zigzag(d));
	}
	p = zeros_put(p, &zeros);
	return (size_t)(p - ret);
}

size_t pack_quality(uint8_t *ret, const uint8_t *quality, uint32_t n)
{
	uint8_t *p = ret, any = 0;

	for (uint32_t i = 0; i < n; i++)
		any |= quality[i];
	for (uint32_t i = 0, run; any && i < n; i += run) {
		for (run = 1; i + run < n && quality[i + run] == quality[i];)
			run++;
		p = pack_varint(p, quality[i]);
		p = pack_varint(p, run);
	}
	return (size_t)(p - ret);
}
