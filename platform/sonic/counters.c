/* Rows of objects as samples: counters and watermarks by object id, which syncd
 * writes, and what is so at the time of reading.
 */
#include <string.h>

#include "platform/sonic/space.h"

struct counters_parts {
	struct space *space;
	const struct object *object;
};

uint32_t counters_priority(struct space *s, const struct object *o,
			   unsigned priority)
{
	struct entity_key key = { .kind = ENTITY_PRIORITY,
				  .parent = o->handle, .number = priority };
	uint32_t *handle = &o->port->priority[priority];

	if (*handle == ENTITY_NONE &&
	    s->host->entity(s->host->context, &key, handle) < 0)
		*handle = ENTITY_NONE;
	return *handle;
}

/* Part 0 is the object, 1 to 8 the port's PFC priorities 0 to 7. */
static uint32_t counters_entity(void *context, unsigned part)
{
	const struct counters_parts *parts = context;

	if (part == 0)
		return parts->object->handle;
	return counters_priority(parts->space, parts->object, part - 1);
}

void counters_row(struct poll *p, struct run *r, struct object *o,
		  const struct row *row)
{
	struct counters_parts parts = { r->space, o };
	struct row_target to = {
		.host = r->space->host,
		.source = p->source,
		.quality = QUALITY_GOOD,
		.entity = counters_entity,
		.context = &parts,
	};

	if (!r->age_known && table_get(r->number)->age != AGE_FLEX) {
		r->age = (struct read_group){ .taken = p->asked };
		r->repeated = false;
	} else if (!r->age_known) {
		r->repeated = age_of_flex(r, p, &r->age);
	}
	r->age_known = true;
	to.age = r->age;
	if (!r->repeated)
		(void)row_emit(row, &r->space->index[r->number], &to);
}
