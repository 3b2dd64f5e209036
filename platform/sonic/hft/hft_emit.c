#include "platform/sonic/hft/hft_emit.h"

#include <stdlib.h>

#include "agent/base/array.h"
#include "platform/sonic/meaning/counters.h"

#define PART_DELAYS (READ_PARTS_MAX - 1)

/* ---- the plan ---- */

static bool run_add(struct hft_plan *plan, const struct hft_run *run)
{
	struct hft_run *list = array_room(plan->list, &plan->cap,
					  plan->count + 1, sizeof(*list));

	if (!list)
		return false;
	plan->list = list;
	plan->list[plan->count++] = *run;
	return true;
}

/* An object's values, split where another part (a priority) begins. */
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

		if (t->state != HFT_CURRENT && t->state != HFT_OLD)
			continue;
		for (unsigned o = 0; o < t->object_count; o++)
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

/* ---- emitting ---- */

/* True if an earlier run with data has the same sample. */
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

/* When the data of a template were taken, and the time they cover. */
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

/* A template is a part: each has its own interval. */
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

/* --- delays --------------------------------------------------------------- */

static const enum quantity place_quantities[HFT_DELAY_PLACES] = {
	[HFT_PLACE_DELAY] = Q_QUEUE_DELAY_NS,
	[HFT_PLACE_OCCUPANCY] = Q_QUEUE_OCCUPANCY_OCTETS,
	[HFT_PLACE_WATERMARK] = Q_QUEUE_WATERMARK_OCTETS,
	[HFT_PLACE_SENT] = Q_QUEUE_OCTETS,
};

static int place_of(const struct hft_template *t, const struct hft_object *o,
		    enum quantity quantity)
{
	for (unsigned i = o->first; i < o->first + o->count; i++)
		if (t->values[i].field->quantity == quantity)
			return (int)i;
	return -1;
}

void hft_delay_resolve(struct hft_template *t, struct delays *all,
		       struct mono now)
{
	for (unsigned i = 0; i < t->object_count; i++) {
		struct hft_object *o = &t->objects[i];

		if (o->kind != OBJECT_QUEUE || o->handle == ENTITY_NONE)
			continue;
		for (unsigned p = 0; p < HFT_DELAY_PLACES; p++)
			o->place[p] = place_of(t, o, place_quantities[p]);
		if (o->place[HFT_PLACE_DELAY] >= 0 ||
		    o->place[HFT_PLACE_OCCUPANCY] >= 0 ||
		    o->place[HFT_PLACE_WATERMARK] >= 0)
			o->delay = delays_get(all, o->handle, now);
	}
}

static int64_t value_of(const struct hft_template *t,
			const struct hft_object *o, enum hft_delay_place which)
{
	int64_t value;

	if (o->place[which] < 0 ||
	    !hft_template_last(t, (unsigned)o->place[which], &value))
		return -1;
	return value;
}

void hft_delay_record(void *context, const struct hft_template *t)
{
	(void)context;	/* the objects have all it needs */
	for (unsigned i = 0; i < t->object_count; i++) {
		const struct hft_object *o = &t->objects[i];
		struct delay_reading r = { .taken = t->taken };

		if (!o->delay)
			continue;
		r.delay_ns = value_of(t, o, HFT_PLACE_DELAY);
		r.occupancy_octets = value_of(t, o, HFT_PLACE_OCCUPANCY);
		r.watermark_octets = value_of(t, o, HFT_PLACE_WATERMARK);
		r.sent_octets = value_of(t, o, HFT_PLACE_SENT);
		r.speed_mbps = o->port ? o->port->link.speed_mbps : -1;
		delay_take(o->delay, &r);
	}
}
