#include "agent/query/recorded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define RECORDED_ENTITIES_MAX 16384u
#define RECORDED_SLOTS_MAX (1u << 18)
#define SOURCES PLATFORM_SOURCES_MAX
#define HANDLE_SWITCH UINT32_MAX	/* in the map: the switch itself */

/* The state's driver: the records. Each source of the agent is one here, by its
 * number, since two of them may report the same entity.
 */
static const struct platform_source record_source = {
	.abi = PLATFORM_ABI, .size = sizeof(record_source),
	.name = "samples", .help = "records of the last agent",
};
static const struct platform_source *const record_sources[SOURCES + 1] = {
	[0 ... SOURCES - 1] = &record_source,
};
static const struct platform_driver record_driver = {
	.abi = PLATFORM_ABI, .size = sizeof(record_driver), .name = "record",
	.sources = record_sources,
};

int recorded_init(struct recorded *r, uint32_t ids)
{
	static const struct state_limits limits = {
		.entities = RECORDED_ENTITIES_MAX, .slots = RECORDED_SLOTS_MAX,
		.first_entity = 1,
	};
	static const struct state_observer observer = { .context = NULL };
	unsigned first;
	int rc = -ENOMEM;

	*r = (struct recorded){ .ids = ids };
	for (unsigned i = 0; i <= STATE_NUMBERS_MAX; i++)
		r->source_of[i] = (uint8_t)(i % SOURCES);
	r->handle = calloc(ids, sizeof(*r->handle));
	if (r->handle)
		rc = state_new(&limits, &observer, &r->state);
	if (rc == 0)
		rc = state_driver_add(r->state, &record_driver, &first,
				      &r->host);
	if (rc < 0)
		recorded_fini(r);
	return rc;
}

void recorded_fini(struct recorded *r)
{
	free(r->handle);
	state_free(r->state);
	r->handle = NULL;
	r->state = NULL;
}

bool recorded_has(const struct recorded *r, uint32_t id)
{
	return id < r->ids && r->handle[id];
}

bool recorded_add(struct recorded *r, const struct recorded_entity *e)
{
	struct entity_key key = { .kind = (enum entity_kind)e->kind,
				  .number = e->number };
	uint32_t parent = e->parent < r->ids ? r->handle[e->parent] : 0;
	uint32_t handle;

	if (e->id >= r->ids || e->kind >= ENTITY_KIND_COUNT)
		return false;
	if (e->kind == ENTITY_SWITCH) {
		r->handle[e->id] = HANDLE_SWITCH;
		return true;
	}
	key.parent = parent == HANDLE_SWITCH ? ENTITY_NONE : parent;
	(void)snprintf(key.name, sizeof(key.name), "%s", e->name);
	if (r->host.entity(r->host.context, &key, &handle) < 0)
		return false;
	r->handle[e->id] = handle;
	return true;
}

/* Known, and not the switch. */
static bool is_part(const struct recorded *r, uint32_t id)
{
	return recorded_has(r, id) && r->handle[id] != HANDLE_SWITCH;
}

void recorded_source(struct recorded *r, unsigned number, unsigned first,
		     int64_t pace_ns)
{
	if (number > STATE_NUMBERS_MAX || first >= SOURCES)
		return;
	r->source_of[number] = (uint8_t)first;
	r->host.source(r->host.context, first, SOURCE_FRESH, pace_ns, NULL);
}

void recorded_attribute(struct recorded *r, uint32_t id, uint32_t attribute,
			const char *text)
{
	if (is_part(r, id) && attribute < ATTRIBUTE_COUNT)
		r->host.attribute(r->host.context, r->handle[id],
				  (enum attribute)attribute, text);
}

void recorded_gone(struct recorded *r, uint32_t id)
{
	if (is_part(r, id))
		r->host.gone(r->host.context, r->handle[id]);
	if (id < r->ids)
		r->handle[id] = 0;
}

bool recorded_takes(const struct recorded *r, uint32_t id, uint8_t quality)
{
	return is_part(r, id) && quality < SAMPLE_QUALITY_COUNT;
}

/* --- values --------------------------------------------------------------- */

/* By read group, which is source and entity; within that, by its time. */
static int group_order(const struct decoded_value *a,
		       const struct decoded_value *b)
{
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->entity != b->entity)
		return a->entity < b->entity ? -1 : 1;
	return (a->age.taken.ns > b->age.taken.ns) -
	       (a->age.taken.ns < b->age.taken.ns);
}

static int value_order(const void *left, const void *right)
{
	const struct decoded_value *a = left, *b = right;
	int order = group_order(a, b);

	if (order)
		return order;
	if (a->quantity != b->quantity)
		return a->quantity < b->quantity ? -1 : 1;
	return (int)a->index - (int)b->index;
}

/* The number of a source on the wire is a source and a part here: each has its
 * own read groups.
 */
static void group_open(struct recorded *r, const struct decoded_value *v)
{
	unsigned source = r->source_of[v->source];
	struct read_group age = v->age;

	age.part = v->source == source ? 0 : v->source;
	r->host.group(r->host.context, source, r->handle[v->entity], &age);
}

/* The agent then gives the group of margin and BER empty. */
static void margin_end(struct recorded *r, struct mono when, uint32_t port)
{
	group_open(r, &(struct decoded_value){ .source = r->margins,
					       .entity = port,
					       .age.taken = when });
}

void recorded_tick(struct recorded *r, struct mono when,
		   struct decoded_value *value, size_t count)
{
	const struct decoded_value *last = NULL;

	qsort(value, count, sizeof(value[0]), value_order);
	state_tick(r->state, when);
	for (size_t i = 0; i < count; i++) {
		const struct decoded_value *v = &value[i];

		if (!last || group_order(last, v) != 0)
			group_open(r, v);
		r->host.sample(r->host.context, (enum quantity)v->quantity,
			       v->index, v->value,
			       (enum sample_quality)v->quality);
		last = v;
		if (v->quantity == Q_MARGIN_MILLI_DB) {
			r->has_margins = true;
			r->margins = v->source;
		}
	}
	for (size_t i = 0; i < count && r->has_margins; i++)
		if (value[i].quantity == Q_OPER_STATUS &&
		    value[i].value != OPER_UP)
			margin_end(r, when, value[i].entity);
}
