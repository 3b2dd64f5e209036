#include "platform/sonic/meaning/counters.h"

#include "platform/sonic/poll/age.h"
#include "platform/sonic/switchdb/namespace.h"

struct counters_parts {
	struct namespace *namespace;
	const struct object *object;
};

uint32_t counters_entity_of(struct namespace *s, uint32_t handle,
			    struct port *port, unsigned part)
{
	struct entity_key key = { .kind = ENTITY_PRIORITY, .parent = handle,
				  .number = part - 1 };
	uint32_t *priority;

	if (part == 0)
		return handle;
	if (!port || part > PORT_PRIORITIES_MAX)
		return ENTITY_NONE;
	priority = &port->priority[part - 1];
	if (*priority == ENTITY_NONE &&
	    s->host->entity(s->host->context, &key, priority) < 0)
		*priority = ENTITY_NONE;
	return *priority;
}

static uint32_t counters_entity(void *context, unsigned part)
{
	const struct counters_parts *parts = context;

	return counters_entity_of(parts->namespace, parts->object->handle,
				  parts->object->port, part);
}

/* What a queue's row says of its delay. */
static void delay_row(struct namespace *s, const struct object *o,
		      const struct run *r, const struct row *row)
{
	const struct field_index *x = &r->index;
	struct delay_reading reading = { .taken = r->age.taken,
					 .delay_ns = -1,
					 .occupancy_octets = -1,
					 .watermark_octets = -1,
					 .sent_octets = -1,
					 .speed_mbps = o->port ?
						o->port->link.speed_mbps : -1 };
	struct delay *d;

	(void)row_value(row, x, Q_QUEUE_DELAY_NS, &reading.delay_ns);
	(void)row_value(row, x, Q_QUEUE_OCCUPANCY_OCTETS,
			&reading.occupancy_octets);
	(void)row_value(row, x, Q_QUEUE_WATERMARK_OCTETS,
			&reading.watermark_octets);
	(void)row_value(row, x, Q_QUEUE_OCTETS, &reading.sent_octets);
	if (!delay_reading_is_any(&reading))
		return;
	d = delays_get(&s->delays, o->handle, r->age.taken);
	if (!d)
		return;
	delay_take(d, &reading);
	delay_tell(d, s->host);
}

/* The age of a run's rows: one for all, unless Redis stalls amid them. */
static void row_age(struct run *r, const struct poll *p)
{
	int64_t late_ns = age_late_ns(r, p);

	if (r->age_known && late_ns == r->age_late_ns)
		return;
	r->age_late_ns = late_ns;
	r->age_known = true;
	r->repeated = r->table->age == AGE_FLEX &&
		      age_of_flex(r, p, &r->age);
	if (r->table->age != AGE_FLEX)
		r->age = (struct read_group){
			.taken = { p->asked.ns + late_ns / 2 },
			.uncertainty_ns = late_ns / 2 };
}

void counters_row(struct poll *p, struct run *r, struct object *o,
		  const struct row *row)
{
	struct counters_parts parts = { r->namespace, o };
	struct row_target to = {
		.host = r->namespace->host,
		.source = p->source,
		.quality = QUALITY_GOOD,
		.entity = counters_entity,
		.context = &parts,
	};

	row_age(r, p);
	to.age = r->age;
	to.age.part = r->number;
	if (r->repeated ||
	    row_emit(row, &r->index, &to) == 0)
		return;
	if (r->table->object == OBJECT_QUEUE)
		delay_row(r->namespace, o, r, row);
}

static uint32_t own_entity(void *context, unsigned part)
{
	const struct object *o = context;

	return part == 0 ? o->handle : ENTITY_NONE;
}

void counters_row_aged(struct poll *p, const struct run *r, struct object *o,
		       const struct row *row, const struct read_group *age)
{
	struct row_target to = {
		.host = r->namespace->host,
		.source = p->source,
		.entity = own_entity,
		.context = o,
		.quality = QUALITY_GOOD,
		.age = *age,
	};

	to.age.part = r->number;
	(void)row_emit(row, &r->index, &to);
}
