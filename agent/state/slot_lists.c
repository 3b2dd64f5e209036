#include "agent/state/slot_lists.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>


bool slots_grown(void *array, uint32_t count, size_t size)
{
	void **at = array;
	void *bigger = reallocarray(*at, count, size);

	if (bigger)
		*at = bigger;
	return bigger != NULL;
}

/* Places in the hash: lists from 1 on, and the sources' read groups after the
 * last possible list.
 */
static uint32_t place_of_list(uint32_t list)
{
	return list + 1;
}

uint32_t slots_place_of_group(uint8_t source)
{
	return COLUMNS_MAX + 1 + source;
}

static uint32_t entity_at(const struct slots *s, const struct hash_entry *e)
{
	if (e->place <= COLUMNS_MAX)
		return s->lists[e->place - 1].entity[e->row];
	return s->group_rows[e->place - COLUMNS_MAX - 1].entity[e->row];
}

struct hash_entry *slots_hash_at(const struct slots *s, uint32_t place,
				 uint32_t entity)
{
	uint32_t h = entity * 0x9e3779b1u ^ place * 0x85ebca6bu;
	uint32_t i = (h ^ h >> 15) & s->mask;
	struct hash_entry *e = &s->hash[i];

	while (e->place && (e->place != place || entity_at(s, e) != entity)) {
		i = (i + 1) & s->mask;
		e = &s->hash[i];
	}
	return e;
}

void slots_hash_set(struct slots *s, uint32_t place, uint32_t entity,
		    uint32_t row)
{
	*slots_hash_at(s, place, entity) =
		(struct hash_entry){ .row = row % ROWS_MAX,
				     .place = place & PLACE_MASK };
}

void slots_hash_build(struct slots *s)
{
	memset(s->hash, 0, ((size_t)s->mask + 1) * sizeof(*s->hash));
	s->entries = 0;
	for (uint32_t n = 0; n < s->list_count; n++)
		for (uint32_t i = 0; i < s->lists[n].count; i++, s->entries++)
			slots_hash_set(s, place_of_list(n),
				       s->lists[n].entity[i], i);
	for (uint32_t g = 0; g < s->group_count; g++)
		for (uint32_t i = 0; i < s->groups[g].count; i++, s->entries++)
			slots_hash_set(s, slots_place_of_group((uint8_t)g),
				       s->group_rows[g].entity[i], i);
}

int slots_hash_room(struct slots *s, uint32_t more)
{
	uint32_t size = s->mask + 1;
	struct hash_entry *larger;

	while (s->entries + more > size / 4 * 3)
		size *= 2;
	if (size == s->mask + 1)
		return 0;
	larger = calloc(size, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	free(s->hash);
	s->hash = larger;
	s->mask = size - 1;
	slots_hash_build(s);
	return 0;
}

/* Also moves the views of all columns that have the list. */
static int list_grow(struct slots *s, uint32_t list)
{
	struct row_list *l = &s->lists[list];
	uint32_t cap = l->cap ? 2 * l->cap : ROWS_FIRST;

	if (!slots_grown(&l->entity, cap, sizeof(*l->entity)))
		return -ENOMEM;
	l->cap = cap;
	for (uint32_t c = 0; c < s->column_count; c++)
		if (s->rows[c].list == list + 1)
			s->columns[c].entity = l->entity;
	return 0;
}

static int list_append(struct slots *s, uint32_t list, uint32_t entity)
{
	struct row_list *l = &s->lists[list];
	int rc = slots_hash_room(s, 1);

	if (rc == 0 && l->count == l->cap)
		rc = list_grow(s, list);
	if (rc < 0)
		return rc;
	l->entity[l->count] = entity;
	slots_hash_set(s, place_of_list(list), entity, l->count++);
	s->entries++;
	return 0;
}

/* A list that begins with the column's entities and this one; if there is none,
 * a new list with the column's. Returns its number, -ENOMEM, -ENOSPC.
 */
static int list_take(struct slots *s, const struct sample_column *c,
		     uint32_t entity)
{
	uint32_t n = c->count, list = 0;
	int rc = 0;

	for (; list < s->list_count; list++) {
		const struct row_list *l = &s->lists[list];

		if (l->count > n && l->entity[n] == entity &&
		    (n == 0 ||
		     memcmp(l->entity, c->entity, n * sizeof(*l->entity)) == 0))
			return (int)list;
	}
	if (s->list_count == COLUMNS_MAX)
		return -ENOSPC;
	s->list_count++;
	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = list_append(s, list, c->entity[i]);
	return rc < 0 ? rc : (int)list;
}

int slots_list_fit(struct slots *s, uint32_t column, uint32_t entity)
{
	struct sample_column *c = &s->columns[column];
	struct column_rows *r = &s->rows[column];
	uint32_t n = c->count;

	if (!r->list ||
	    (n < s->lists[r->list - 1].count && c->entity[n] != entity)) {
		int list = list_take(s, c, entity);

		if (list < 0)
			return list;
		r->list = (uint32_t)list + 1;
		c->entity = s->lists[list].entity;
	}
	return n < s->lists[r->list - 1].count
		       ? 0
		       : list_append(s, r->list - 1, entity);
}

void slots_list_drop(struct row_list *l,
		     bool (*is_live)(void *context, uint32_t id), void *context)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < l->count; i++)
		if (is_live(context, l->entity[i]))
			l->entity[kept++] = l->entity[i];
	l->count = kept;
}

/* --- ages ----------------------------------------------------------------- */

#define AGES_FIRST 4u

static bool grown(void *array, uint32_t count, size_t size)
{
	void **at = array;
	void *bigger = reallocarray(*at, count, size);

	if (bigger)
		*at = bigger;
	return bigger != NULL;
}

static int grow(struct ages *a)
{
	uint32_t cap = a->cap ? 2 * a->cap : AGES_FIRST;

	if (!grown(&a->age, cap, sizeof(*a->age)) ||
	    !grown(&a->step, cap, sizeof(*a->step)) ||
	    !grown(&a->users, cap, sizeof(*a->users)))
		return -ENOMEM;
	a->cap = cap;
	return 0;
}

int ages_init(struct ages *a)
{
	if (grow(a) < 0)
		return -ENOMEM;
	a->age[AGE_NEVER] = (struct group_age){ .taken = { INT64_MIN } };
	a->step[AGE_NEVER] = (struct age_step){ .interval = 0 };
	a->users[AGE_NEVER] = 0;
	a->used = 1;
	return 0;
}

void ages_fini(struct ages *a)
{
	free(a->age);
	free(a->step);
	free(a->users);
}

static bool is_so(const struct ages *a, uint32_t which,
		  const struct group_age *age, const struct age_step *step)
{
	const struct group_age *kept = &a->age[which];

	return a->users[which] > 0 && kept->taken.ns == age->taken.ns &&
	       kept->uncertainty == age->uncertainty &&
	       kept->window == age->window &&
	       a->step[which].interval == step->interval &&
	       a->step[which].previous_uncertainty ==
		       step->previous_uncertainty;
}

int ages_take(struct ages *a, const struct group_age *age,
	      const struct age_step *step, uint32_t *ret)
{
	uint32_t which = a->recent;

	if (is_so(a, which, age, step)) {
		a->users[which]++;
		*ret = which;
		return 0;
	}
	which = a->free;
	if (which != AGE_NEVER) {
		a->free = a->step[which].interval;
	} else {
		if (a->used == a->cap && grow(a) < 0)
			return -ENOMEM;
		which = a->used++;
	}
	a->age[which] = *age;
	a->step[which] = *step;
	a->users[which] = 1;
	a->recent = which;
	*ret = which;
	return 0;
}

void ages_release(struct ages *a, uint32_t which)
{
	if (which == AGE_NEVER || --a->users[which] > 0)
		return;
	a->step[which].interval = a->free;
	a->free = which;
}
