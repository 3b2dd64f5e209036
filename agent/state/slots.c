#include "agent/state/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 4096u
#define SOURCES_MAX 64u
#define QUANTITY_GROUP 0u	/* of the hash: read groups; no row has id 0 */
#define ROWS_FIRST 16u
#define QUANTITY_PLACES 4096u

/* Arrays that grow together; the view's pointers are to them. */
struct column_rows {
	uint32_t cap;
	uint32_t *entity;
	int64_t *value, *previous, *taken, *previous_taken;
	uint8_t *quality;
	uint32_t *tick;
	int64_t window_ns;	/* of its peaks, as last told */
};

struct group_rows {
	uint32_t cap;
	uint32_t *entity;
	struct read_group *group;
	uint32_t *tick;
};

struct hash_entry {
	uint32_t entity;	/* 0: empty */
	uint16_t quantity, index;
	uint32_t row;
	uint16_t column;	/* of a group: its source */
	uint8_t source;
};

struct slots {
	uint32_t limit, used, layout;
	uint32_t mask;
	struct hash_entry *hash;
	uint32_t column_count;
	struct sample_column *columns;	/* the views */
	struct column_rows *rows;
	struct group_column groups[SOURCES_MAX];
	struct group_rows group_rows[SOURCES_MAX];
	uint32_t group_count;		/* highest source + 1 */
	/* Bit n: source n has a column of such a quantity; several share one. */
	uint64_t sources_of[QUANTITY_PLACES];
};

int slots_new(uint32_t limit, struct slots **ret)
{
	struct slots *s = calloc(1, sizeof(*s));
	uint32_t size = 1024;

	if (!s)
		return -ENOMEM;
	while (size < 2 * limit)
		size *= 2;
	s->limit = limit;
	s->mask = size - 1;
	s->hash = calloc(size, sizeof(*s->hash));
	s->columns = calloc(COLUMNS_MAX, sizeof(*s->columns));
	s->rows = calloc(COLUMNS_MAX, sizeof(*s->rows));
	for (uint32_t i = 0; i < SOURCES_MAX; i++)
		s->groups[i].source = (uint8_t)i;
	if (!s->hash || !s->columns || !s->rows) {
		slots_free(s);
		return -ENOMEM;
	}
	*ret = s;
	return 0;
}

void slots_free(struct slots *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->column_count; i++) {
		free(s->rows[i].entity);
		free(s->rows[i].value);
		free(s->rows[i].previous);
		free(s->rows[i].taken);
		free(s->rows[i].previous_taken);
		free(s->rows[i].quality);
		free(s->rows[i].tick);
	}
	for (uint32_t i = 0; i < SOURCES_MAX; i++) {
		free(s->group_rows[i].entity);
		free(s->group_rows[i].group);
		free(s->group_rows[i].tick);
	}
	free(s->hash);
	free(s->columns);
	free(s->rows);
	free(s);
}

static struct hash_entry *hash_at(const struct slots *s, uint32_t entity,
				  uint16_t quantity, uint16_t index,
				  uint8_t source)
{
	uint32_t h = entity * 0x9e3779b1u ^ (uint32_t)quantity * 0x85ebca6bu ^
		     ((uint32_t)index << 8 | source) * 0xc2b2ae35u;
	uint32_t i = (h ^ h >> 15) & s->mask;
	struct hash_entry *e = &s->hash[i];

	while (e->entity && (e->entity != entity || e->quantity != quantity ||
			     e->index != index || e->source != source)) {
		i = (i + 1) & s->mask;
		e = &s->hash[i];
	}
	return e;
}

static bool grown(void *array, uint32_t count, size_t size)
{
	void **at = array;
	void *bigger = reallocarray(*at, count, size);

	if (bigger)
		*at = bigger;
	return bigger != NULL;
}

static int column_grow(struct column_rows *r)
{
	uint32_t cap = r->cap ? 2 * r->cap : ROWS_FIRST;

	if (!grown(&r->entity, cap, sizeof(*r->entity)) ||
	    !grown(&r->value, cap, sizeof(*r->value)) ||
	    !grown(&r->previous, cap, sizeof(*r->previous)) ||
	    !grown(&r->taken, cap, sizeof(*r->taken)) ||
	    !grown(&r->previous_taken, cap, sizeof(*r->previous_taken)) ||
	    !grown(&r->quality, cap, sizeof(*r->quality)) ||
	    !grown(&r->tick, cap, sizeof(*r->tick)))
		return -ENOMEM;
	r->cap = cap;
	return 0;
}

static void column_view(struct sample_column *c, const struct column_rows *r)
{
	c->entity = r->entity;
	c->value = r->value;
	c->quality = r->quality;
	c->tick = r->tick;
}

static int column_find(struct slots *s, uint16_t quantity, uint16_t index,
		       uint8_t source)
{
	uint32_t i = 0;

	for (; i < s->column_count; i++)
		if (s->columns[i].quantity == quantity &&
		    s->columns[i].index == index &&
		    s->columns[i].source == source)
			return (int)i;
	if (i == COLUMNS_MAX)
		return -ENOSPC;
	s->columns[i].quantity = quantity;
	s->columns[i].index = index;
	s->columns[i].source = source;
	s->column_count++;
	s->sources_of[quantity % QUANTITY_PLACES] |= UINT64_C(1) << source;
	return (int)i;
}

static int slot_add(struct slots *s, struct hash_entry *e, uint32_t entity,
		    uint16_t quantity, uint16_t index, uint8_t source)
{
	int column;
	struct column_rows *r;
	uint32_t row;

	if (s->used == s->limit)
		return -ENOSPC;
	column = column_find(s, quantity, index, source);
	if (column < 0)
		return column;
	r = &s->rows[column];
	row = s->columns[column].count;
	if (row == r->cap && column_grow(r) < 0)
		return -ENOMEM;
	r->entity[row] = entity;
	r->value[row] = r->previous[row] = 0;
	r->taken[row] = r->previous_taken[row] = 0;
	column_view(&s->columns[column], r);
	s->columns[column].count++;
	s->used++;
	s->layout++;
	*e = (struct hash_entry){ .entity = entity, .quantity = quantity,
				  .index = index, .row = row,
				  .column = (uint16_t)column,
				  .source = source };
	return 0;
}

int slots_put(struct slots *s, uint32_t entity, uint16_t quantity,
	      uint16_t index, uint8_t source, int64_t value, uint8_t quality,
	      uint32_t tick, int64_t taken_ns)
{
	struct hash_entry *e = hash_at(s, entity, quantity, index, source);
	struct column_rows *r;

	if (!e->entity) {
		int rc = slot_add(s, e, entity, quantity, index, source);

		if (rc < 0)
			return rc;
	}
	r = &s->rows[e->column];
	if (taken_ns > r->taken[e->row]) {
		r->previous[e->row] = r->value[e->row];
		r->previous_taken[e->row] = r->taken[e->row];
	}
	r->value[e->row] = value;
	r->taken[e->row] = taken_ns;
	r->quality[e->row] = quality;
	r->tick[e->row] = tick;
	return 0;
}

static int group_add(struct slots *s, struct hash_entry *e, uint32_t entity,
		     uint8_t source)
{
	struct group_rows *r = &s->group_rows[source];
	struct group_column *g = &s->groups[source];
	uint32_t cap = r->cap ? 2 * r->cap : ROWS_FIRST;

	if (s->used == s->limit)
		return -ENOSPC;
	if (g->count == r->cap) {
		if (!grown(&r->entity, cap, sizeof(*r->entity)) ||
		    !grown(&r->group, cap, sizeof(*r->group)) ||
		    !grown(&r->tick, cap, sizeof(*r->tick)))
			return -ENOMEM;
		r->cap = cap;
	}
	g->entity = r->entity;
	g->group = r->group;
	g->tick = r->tick;
	*e = (struct hash_entry){ .entity = entity, .quantity = QUANTITY_GROUP,
				  .source = source, .row = g->count,
				  .column = source };
	r->entity[g->count] = entity;
	r->group[g->count] = (struct read_group){ .taken = { INT64_MIN } };
	r->tick[g->count] = 0;
	g->count++;
	s->used++;
	if (source >= s->group_count)
		s->group_count = source + 1u;
	return 0;
}

int slots_group(struct slots *s, uint32_t entity, uint8_t source,
		const struct read_group *group, uint32_t tick)
{
	struct hash_entry *e;
	struct group_rows *r;
	bool is_new;

	if (source >= SOURCES_MAX)
		return -EINVAL;
	e = hash_at(s, entity, QUANTITY_GROUP, 0, source);
	if (!e->entity) {
		int rc = group_add(s, e, entity, source);

		if (rc < 0)
			return rc;
	}
	r = &s->group_rows[source];
	is_new = r->group[e->row].taken.ns != group->taken.ns;
	if (is_new) {
		r->group[e->row] = *group;
		r->tick[e->row] = tick;
	}
	return is_new;
}

static void column_drop(struct slots *s, uint32_t column,
			bool (*is_live)(void *context, uint32_t id),
			void *context)
{
	struct column_rows *r = &s->rows[column];
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->columns[column].count; i++) {
		if (!is_live(context, r->entity[i]))
			continue;
		r->entity[kept] = r->entity[i];
		r->value[kept] = r->value[i];
		r->previous[kept] = r->previous[i];
		r->taken[kept] = r->taken[i];
		r->previous_taken[kept] = r->previous_taken[i];
		r->quality[kept] = r->quality[i];
		r->tick[kept] = r->tick[i];
		kept++;
	}
	s->columns[column].count = kept;
}

static void group_drop(struct slots *s, uint32_t source,
		       bool (*is_live)(void *context, uint32_t id),
		       void *context)
{
	struct group_rows *r = &s->group_rows[source];
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->groups[source].count; i++) {
		if (!is_live(context, r->entity[i]))
			continue;
		r->entity[kept] = r->entity[i];
		r->group[kept] = r->group[i];
		r->tick[kept] = r->tick[i];
		kept++;
	}
	s->groups[source].count = kept;
}

static void hash_build(struct slots *s)
{
	memset(s->hash, 0, ((size_t)s->mask + 1) * sizeof(*s->hash));
	s->used = 0;
	for (uint32_t c = 0; c < s->column_count; c++) {
		const struct sample_column *v = &s->columns[c];

		for (uint32_t i = 0; i < v->count; i++, s->used++)
			*hash_at(s, v->entity[i], v->quantity, v->index,
				 v->source) = (struct hash_entry){
				.entity = v->entity[i],
				.quantity = v->quantity, .index = v->index,
				.row = i, .column = (uint16_t)c,
				.source = v->source };
	}
	for (uint32_t g = 0; g < s->group_count; g++)
		for (uint32_t i = 0; i < s->groups[g].count; i++, s->used++)
			*hash_at(s, s->groups[g].entity[i], QUANTITY_GROUP, 0,
				 (uint8_t)g) = (struct hash_entry){
				.entity = s->groups[g].entity[i],
				.row = i, .column = (uint16_t)g,
				.source = (uint8_t)g };
}

void slots_drop(struct slots *s, bool (*is_live)(void *context, uint32_t id),
		void *context)
{
	for (uint32_t c = 0; c < s->column_count; c++)
		column_drop(s, c, is_live, context);
	for (uint32_t g = 0; g < s->group_count; g++)
		group_drop(s, g, is_live, context);
	hash_build(s);
	s->layout++;
}

uint32_t slots_layout(const struct slots *s)
{
	return s->layout;
}

bool slots_find(const struct slots *s, uint32_t entity, uint16_t quantity,
		uint16_t index, struct slot_place *ret)
{
	uint64_t left = s->sources_of[quantity % QUANTITY_PLACES];
	int64_t newest = INT64_MIN;

	for (; left; left &= left - 1) {
		uint8_t source = (uint8_t)__builtin_ctzll(left);
		const struct hash_entry *e = hash_at(s, entity, quantity, index,
						     source);

		if (!e->entity || s->rows[e->column].taken[e->row] <= newest)
			continue;
		newest = s->rows[e->column].taken[e->row];
		*ret = (struct slot_place){ e->column, e->row };
	}
	return newest != INT64_MIN;
}

bool slots_twin(const struct slots *s, struct slot_place at, uint8_t source,
		struct slot_place *ret)
{
	const struct sample_column *c = &s->columns[at.column];
	const struct hash_entry *e = hash_at(s, c->entity[at.row], c->quantity,
					     c->index, source);

	if (!e->entity)
		return false;
	*ret = (struct slot_place){ e->column, e->row };
	return true;
}

void slots_get(const struct slots *s, struct slot_place at,
	       struct slot_value *ret)
{
	const struct column_rows *r = &s->rows[at.column];

	*ret = (struct slot_value){
		.value = r->value[at.row], .previous = r->previous[at.row],
		.taken_ns = r->taken[at.row],
		.previous_taken_ns = r->previous_taken[at.row],
		.quality = r->quality[at.row], .tick = r->tick[at.row],
		.window_ns = r->window_ns };
}

void slots_window(struct slots *s, uint32_t entity, uint16_t quantity,
		  uint16_t index, uint8_t source, int64_t window_ns)
{
	const struct hash_entry *e = hash_at(s, entity, quantity, index,
					     source);

	if (e->entity)
		s->rows[e->column].window_ns = window_ns;
}

bool slots_group_of(const struct slots *s, struct slot_place at,
		    struct read_group *ret)
{
	uint8_t source = s->columns[at.column].source;
	const struct hash_entry *e = hash_at(s, s->columns[at.column].
					     entity[at.row],
					     QUANTITY_GROUP, 0, source);

	if (!e->entity)
		return false;
	*ret = s->group_rows[source].group[e->row];
	return true;
}

uint8_t slots_source(const struct slots *s, struct slot_place at)
{
	return s->columns[at.column].source;
}

size_t slots_columns(const struct slots *s, const struct sample_column **ret)
{
	*ret = s->columns;
	return s->column_count;
}

size_t slots_groups(const struct slots *s, const struct group_column **ret)
{
	*ret = s->groups;
	return s->group_count;
}

uint32_t slots_count(const struct slots *s)
{
	return s->used;
}
