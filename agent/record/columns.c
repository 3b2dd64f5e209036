#include "agent/record/columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/record/pack.h"

/* Entries shared by the rows of a column: at first, at most, and at least so
 * many rows for each.
 */
#define KEPT_FIRST 8u
#define KEPT_MAX 128u
#define KEPT_ROWS 4u

int columns_init(struct columns *c, uint32_t max, uint32_t slots)
{
	/* Twice, as a column that grows does not free its old place. */
	*c = (struct columns){ .max = max, .slots = slots,
			       .row_max = 2 * slots };
	c->column = calloc(max, sizeof(*c->column));
	c->entity = calloc(c->row_max, sizeof(*c->entity));
	c->which = calloc(c->row_max, sizeof(*c->which));
	c->kept = calloc(c->row_max, sizeof(*c->kept));
	c->last = calloc(c->row_max, sizeof(*c->last));
	c->mark = calloc(c->row_max, sizeof(*c->mark));
	c->series = calloc(c->row_max, sizeof(*c->series));
	c->old_entity = calloc(slots, sizeof(*c->old_entity));
	c->old_series = calloc(slots, sizeof(*c->old_series));
	if (!c->column || !c->entity || !c->which || !c->kept || !c->last ||
	    !c->mark || !c->series || !c->old_entity || !c->old_series)
		return -ENOMEM;
	return 0;
}

void columns_fini(struct columns *c)
{
	free(c->column);
	free(c->entity);
	free(c->which);
	free(c->kept);
	free(c->last);
	free(c->mark);
	free(c->series);
	free(c->old_entity);
	free(c->old_series);
}

/* Returns pages of an arena to the system that an earlier reference group used
 * but the one that ends did not.
 */
static void arena_trim(void *arena, size_t each, uint32_t used, uint32_t *most)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = ((uintptr_t)arena + used * each + page - 1) &
			 ~(page - 1);
	uintptr_t to = ((uintptr_t)arena + *most * each) & ~(page - 1);

	if (to > from)
		(void)madvise((void *)from, to - from, MADV_DONTNEED);
	*most = used;
}

void columns_forget(struct columns *c)
{
	arena_trim(c->series, sizeof(*c->series), c->series_count,
		   &c->series_most);
	arena_trim(c->last, sizeof(*c->last), c->own_count, &c->own_most);
	c->count = 0;
	c->written = 0;
	c->entity_count = 0;
	c->which_count = 0;
	c->kept_count = 0;
	c->own_count = 0;
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
		.source = s->source, .list = LIST_NONE, .number = COLUMN_NONE,
		.predictor = PREDICTORS, .base = COLUMN_NONE };
	return &c->column[c->count++];
}

/* Row of an entity in the old order, count when it is new. The order is nearly
 * the same, so the search begins after the one found last.
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

/* The place of its entities: that of a column with the same, or a new one. */
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

/* Takes places for so many rows from one of the arenas. */
static int rows_place(const struct columns *c, uint32_t *used, uint32_t rows,
		      uint32_t *ret)
{
	if (rows > c->row_max - *used)
		return -ENOSPC;
	*ret = *used;
	*used += rows;
	return 0;
}

int columns_wake(struct columns *c, struct column_memory *m)
{
	uint32_t at;
	int rc = rows_place(c, &c->series_count, m->cap, &at);

	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < m->count; i++)
		c->series[at + i] = columns_get(c, m, i);
	m->at = at;
	m->form = COLUMN_AWAKE;
	return 0;
}

/* Gives each row its own entry. A column does so once, so there is always room.
 */
static void rows_part(struct columns *c, struct column_memory *m)
{
	uint32_t at = c->own_count;

	for (uint32_t i = 0; i < m->count; i++) {
		const struct asleep_rows *k =
			&c->kept[m->kept_at + c->which[m->at + i]];

		c->last[at + i] = k->last;
		c->mark[at + i] = k->mark;
	}
	c->own_count += m->cap;
	m->at = at;
	m->form = COLUMN_OWN;
}

/* More room for shared entries. False: they would take more than they save. */
static bool kept_grow(struct columns *c, struct column_memory *m)
{
	uint32_t cap = m->kept_cap ? 2u * m->kept_cap : KEPT_FIRST, at;
	uint32_t most = m->count / KEPT_ROWS;

	if (cap > KEPT_FIRST && (cap > most || cap > KEPT_MAX))
		return false;
	if (rows_place(c, &c->kept_count, cap, &at) < 0)
		return false;
	memcpy(c->kept + at, c->kept + m->kept_at,
	       m->kept_count * sizeof(*c->kept));
	m->kept_at = at;
	m->kept_cap = (uint8_t)cap;
	return true;
}

/* The number of a kept entry with these values, else of a free one; kept_count
 * if there is neither.
 */
static unsigned kept_find(const struct columns *c, struct column_memory *m,
			  int64_t last, uint16_t mark)
{
	const struct asleep_rows *k = c->kept + m->kept_at;
	unsigned is_free = m->kept_count;

	if (k[m->kept_hint].last == last && k[m->kept_hint].mark == mark &&
	    k[m->kept_hint].rows > 0)
		return m->kept_hint;
	for (unsigned i = 0; i < m->kept_count; i++) {
		if (k[i].rows == 0)
			is_free = i;
		else if (k[i].last == last && k[i].mark == mark)
			return m->kept_hint = (uint8_t)i;
	}
	return is_free;
}

/* The rows read so far share entries. While all rows are read once more, they
 * move to new entries one by one, and entries are there twice.
 */
static bool rows_share(const struct column_memory *m, uint32_t row,
		       uint16_t mark)
{
	return (mark & MARK_READINGS) > 1 || row >= KEPT_ROWS * m->kept_cap;
}

/* Moves a row to its shared entry. False: there is no room for it. */
static bool row_share(struct columns *c, struct column_memory *m, uint32_t row,
		      int64_t last, uint16_t mark)
{
	unsigned n = kept_find(c, m, last, mark);
	struct asleep_rows *k;

	if (n == m->kept_cap && !(rows_share(m, row, mark) && kept_grow(c, m)))
		return false;
	k = c->kept + m->kept_at;
	if (n == m->kept_count)
		k[m->kept_count++].rows = 0;
	if (k[n].rows == 0) {
		k[n].last = last;
		k[n].mark = mark;
	}
	k[n].rows++;
	k[c->which[m->at + row]].rows--;
	c->which[m->at + row] = (uint8_t)n;
	m->kept_hint = (uint8_t)n;
	return true;
}

static uint16_t mark_next(uint16_t mark, const struct known_series *s)
{
	unsigned readings = mark & MARK_READINGS;

	return (uint16_t)(s->level << MARK_LEVEL_SHIFT |
			  (readings < MARK_READINGS ? readings + 1 :
						      readings));
}

void columns_keep(struct columns *c, struct column_memory *m, uint32_t row,
		  const struct known_series *s)
{
	if (m->form == COLUMN_SHARED) {
		const struct asleep_rows *k =
			&c->kept[m->kept_at + c->which[m->at + row]];
		uint16_t mark = mark_next(k->mark, s);

		if ((k->last == s->last && k->mark == mark) ||
		    row_share(c, m, row, s->last, mark))
			return;
		rows_part(c, m);
	}
	c->last[m->at + row] = s->last;
	c->mark[m->at + row] = mark_next(c->mark[m->at + row], s);
}

static bool own_change(const struct columns *c, const struct column_memory *m,
		       const struct sample_column *column, uint32_t tick)
{
	const int64_t *last = c->last + m->at;
	const uint16_t *mark = c->mark + m->at;

	for (uint32_t i = 0; i < column->count; i++)
		if (column->value[i] != last[i] && mark[i] & MARK_READINGS &&
		    sample_is_new(column, i, tick))
			return true;
	return false;
}

bool columns_change(const struct columns *c, const struct column_memory *m,
		    const struct sample_column *column, uint32_t tick)
{
	const uint8_t *which = c->which + m->at;
	const struct asleep_rows *k = c->kept + m->kept_at;

	if (m->form == COLUMN_OWN)
		return own_change(c, m, column, tick);
	for (uint32_t i = 0; i < column->count; i++)
		if (column->value[i] != k[which[i]].last &&
		    k[which[i]].mark & MARK_READINGS &&
		    sample_is_new(column, i, tick))
			return true;
	return false;
}

static int rows_move(struct columns *c, struct column_memory *m,
		     const struct sample_column *s)
{
	uint32_t count = m->count, hint = 0, found = 0;
	int rc = 0;

	if (s->count > c->slots)
		return -ENOSPC;
	if (m->form != COLUMN_AWAKE)
		rc = columns_wake(c, m);
	if (rc < 0)
		return rc;
	memcpy(c->old_entity, c->entity + m->entity_at,
	       count * sizeof(*c->entity));
	memcpy(c->old_series, c->series + m->at, count * sizeof(*c->series));
	if (s->count > m->cap) {
		rc = rows_place(c, &c->series_count, s->count, &m->at);
		m->cap = s->count;
	}
	if (rc == 0)
		rc = entities_place(c, m, s);
	if (rc < 0)
		return rc;
	m->count = s->count;
	for (uint32_t i = 0; i < s->count; i++) {
		uint32_t old = old_row(c, count, s->entity[i], &hint);

		c->series[m->at + i] = old < count ? c->old_series[old] :
						     (struct known_series){ 0 };
		found += old < count;
	}
	return found == count ? 0 : -ENOSPC;
}

/* A new column: asleep, with one entry for all rows: not read. */
static int rows_begin(struct columns *c, struct column_memory *m,
		      const struct sample_column *s)
{
	int rc = rows_place(c, &c->which_count, s->count, &m->at);

	if (rc == 0)
		rc = entities_place(c, m, s);
	if (rc == 0 && !kept_grow(c, m))
		rc = -ENOSPC;
	if (rc < 0)
		return rc;
	m->count = m->cap = s->count;
	memset(c->which + m->at, 0, s->count);
	m->kept_count = 1;
	c->kept[m->kept_at] = (struct asleep_rows){ .rows = s->count };
	return 0;
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
			const struct known_series *series, uint32_t n,
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
