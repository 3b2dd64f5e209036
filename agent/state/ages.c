#include "agent/state/ages.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

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
