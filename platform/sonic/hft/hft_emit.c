#include "platform/sonic/hft/hft_emit.h"

#include <stdlib.h>

#include "platform/sonic/meaning/counters.h"

#define PART_DELAYS (READ_PARTS_MAX - 1)

static bool speaks(const struct hft_template *t)
{
	return t->state == HFT_CURRENT || t->state == HFT_OLD;
}

/* ---- the plan ---- */

static bool run_add(struct hft_plan *plan, const struct hft_run *run)
{
	if (plan->count == plan->cap) {
		size_t cap = plan->cap ? 2 * plan->cap : 256;
		struct hft_run *list = realloc(plan->list,
					       cap * sizeof(*list));

		if (!list)
			return false;
		plan->list = list;
		plan->cap = cap;
	}
	plan->list[plan->count++] = *run;
	return true;
}

/* An object's values, cut where another part (a priority) begins. */
static bool object_plan(struct hft_plan *plan, struct hft_template *t,
			const struct hft_object *o, struct namespace *namespace)
{
	unsigned end = o->first + o->count, at = o->first;
	bool good = true;

	while (at < end && good) {
		unsigned part = t->values[at].field->part;
		struct hft_run run = { .template = t, .object = o,
				       .first = at };

		while (at < end && t->values[at].field->part == part)
			at++;
		run.count = at - run.first;
		run.entity = counters_entity_of(namespace, o->handle, o->port,
						part);
		if (run.entity != ENTITY_NONE)
			good = run_add(plan, &run);
	}
	return good;
}

static int run_order(const void *a, const void *b)
{
	const struct hft_run *x = a, *y = b;

	if (x->entity != y->entity)
		return x->entity < y->entity ? -1 : 1;
	return (int)x->template->state - (int)y->template->state;
}

bool hft_plan_make(struct hft_plan *plan, const struct hft_templates *all,
		   struct namespace *namespace)
{
	plan->count = 0;
	for (size_t i = 0; i < all->count; i++) {
		struct hft_template *t = all->list[i];

		for (unsigned o = 0; o < t->object_count && speaks(t); o++)
			if (t->objects[o].handle != ENTITY_NONE &&
			    !object_plan(plan, t, &t->objects[o], namespace)) {
				plan->count = 0;
				return false;
			}
	}
	if (plan->count > 0)
		qsort(plan->list, plan->count, sizeof(*plan->list), run_order);
	return true;
}

void hft_plan_free(struct hft_plan *plan)
{
	free(plan->list);
	*plan = (struct hft_plan){ 0 };
}

/* ---- handing over ---- */

/* The same sample in one of the runs before, of which something came. */
static bool is_told(const struct hft_run *first, const struct hft_run *run,
		    const struct field *f)
{
	for (; first < run; first++)
		for (unsigned i = 0; i < first->count; i++) {
			const struct field *other =
				first->template->values[first->first + i].field;

			if (first->template->records > 0 &&
			    other->quantity == f->quantity &&
			    other->index == f->index)
				return true;
		}
	return false;
}

/* When what came of a template was taken, and what it covers. */
static struct read_group template_age(const struct hft_template *t)
{
	struct mono began = t->told.ns ? t->told : t->first_taken;

	return (struct read_group){
		.taken = t->taken, .uncertainty_ns = HFT_UNCERTAINTY_NS,
		.window_ns = began.ns < t->taken.ns ? t->taken.ns - began.ns
						    : 0,
		.part = t->id % PART_DELAYS };
}

static unsigned run_emit(const struct hft_run *first, const struct hft_run *run,
			 const struct platform_host *host)
{
	const struct hft_template *t = run->template;
	unsigned given = 0;
	int64_t value;

	for (unsigned i = run->first; i < run->first + run->count; i++) {
		const struct field *f = t->values[i].field;

		if (!hft_template_value(t, i, &value) || is_told(first, run, f))
			continue;
		host->sample(host->context, (enum quantity)f->quantity,
			     f->index, value, QUALITY_GOOD);
		given++;
	}
	return given;
}

/* A template is a part: each is sent at its own pace. */
static unsigned runs_emit(const struct hft_run *run, size_t count,
			  const struct platform_host *host)
{
	struct read_group newest = { .taken = { INT64_MIN } };
	unsigned given = 0;

	for (size_t i = 0; i < count; i++) {
		struct read_group age = template_age(run[i].template);

		if (run[i].template->records == 0)
			continue;
		host->group(host->context, SONIC_HFT, run->entity, &age);
		given += run_emit(run, &run[i], host);
		if (age.taken.ns > newest.taken.ns)
			newest = age;
	}
	newest.part = PART_DELAYS;
	for (size_t i = 0; given > 0 && i < count; i++)
		if (run[i].object->delay &&
		    delay_is_untold(run[i].object->delay)) {
			host->group(host->context, SONIC_HFT, run->entity,
				    &newest);
			delay_tell(run[i].object->delay, host);
		}
	return given;
}

unsigned hft_plan_emit(const struct hft_plan *plan,
		       const struct hft_templates *all,
		       const struct platform_host *host)
{
	unsigned given = 0;

	for (size_t i = 0, n; i < plan->count; i += n) {
		for (n = 1; i + n < plan->count; n++)
			if (plan->list[i + n].entity != plan->list[i].entity)
				break;
		given += runs_emit(&plan->list[i], n, host);
	}
	for (size_t i = 0; i < all->count; i++)
		if (all->list[i]->records > 0)
			hft_template_clear(all->list[i]);
	return given;
}
