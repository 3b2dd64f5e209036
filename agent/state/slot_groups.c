#include "agent/state/slots.h"

#include <errno.h>

#include "agent/state/slot_lists.h"

static int group_grow(struct group_rows *r)
{
	uint32_t cap = r->cap ? 2 * r->cap : ROWS_FIRST;

	if (!slots_grown(&r->entity, cap, sizeof(*r->entity)) ||
	    !slots_grown(&r->which, cap, sizeof(*r->which)) ||
	    !slots_grown(&r->number, cap, sizeof(*r->number)) ||
	    (r->cap == 0 && ages_init(&r->ages) < 0))
		return -ENOMEM;
	r->cap = cap;
	return 0;
}

/* Returns the row, or a negative errno. */
static int group_add(struct slots *s, uint32_t entity, uint8_t source)
{
	struct group_rows *r = &s->group_rows[source];
	struct group_column *g = &s->groups[source];
	uint32_t row = g->count;
	int rc;

	if (row == ROWS_MAX || s->used == s->limit)
		return -ENOSPC;
	rc = slots_hash_room(s, 1);
	if (rc < 0)
		return rc;
	if (row == r->cap && group_grow(r) < 0)
		return -ENOMEM;
	g->entity = r->entity;
	g->age = r->ages.age;
	g->which = r->which;
	r->entity[row] = entity;
	r->which[row] = AGE_NEVER;
	r->number[row] = MARK_BEFORE_FIRST;
	r->guess = row;
	g->count++;
	s->used++;
	s->entries++;
	if (source >= s->group_count)
		s->group_count = source + 1u;
	slots_hash_set(s, slots_place_of_group(source), entity, row);
	return (int)row;
}

/* The numbers of the group's readings are used up and start over. */
static void numbers_end(struct slots *s, uint8_t source, uint32_t entity)
{
	uint32_t row;


	for (uint32_t i = 0; i < s->column_count; i++) {
		struct column_rows *r = &s->rows[i];

		if (s->columns[i].source == source &&
		    slots_row_find(s, i, entity, &row))
			r->mark[row] = slots_mark_is(r->mark[row], MARK_LAST) ?
				       MARK_BEFORE_FIRST : MARK_NONE;
	}
}

/* Begins the next reading of a group. Returns -ENOMEM, and changes nothing. */
static int group_turn(struct slots *s, const struct slot_group *group,
		      const struct read_group *reading)
{
	struct group_rows *r = &s->group_rows[group->source];
	uint32_t old = r->which[group->row], which;
	const struct group_age *before = &r->ages.age[old];
	const struct group_age age = { reading->taken,
				       span_of(reading->uncertainty_ns),
				       span_of(reading->window_ns) };
	const struct age_step step = {
		.interval = old == AGE_NEVER ? 0 :
			    span_of(mono_diff_ns(age.taken, before->taken)),
		.previous_uncertainty = before->uncertainty };
	int rc = ages_take(&r->ages, &age, &step, &which);

	if (rc < 0)
		return rc;
	s->groups[group->source].age = r->ages.age;
	ages_release(&r->ages, old);
	r->which[group->row] = which;
	if (r->number[group->row] == MARK_LAST) {
		numbers_end(s, group->source, group->entity);
		r->number[group->row] = MARK_BEFORE_FIRST;
	}
	r->number[group->row] = (uint16_t)(r->number[group->row] + MARK_STEP);
	return 1;
}

int slots_group(struct slots *s, uint32_t entity, uint8_t source,
		const struct read_group *group, struct slot_group *ret)
{
	uint32_t row;

	if (!slots_group_find(s, source, entity, &row)) {
		int added = group_add(s, entity, source);

		if (added < 0)
			return added;
		row = (uint32_t)added;
	}
	*ret = (struct slot_group){ source, entity, row };
	if (group_age_of(&s->groups[source], row)->taken.ns == group->taken.ns)
		return 0;
	return group_turn(s, ret, group);
}
