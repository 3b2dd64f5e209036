/* Sensors, fans and supplies of the switch: STATE_DB, written by pmon. */
#include <string.h>

#include "platform/sonic/switchdb/namespace.h"

void sensors_keep(struct namespace *s)
{
	for (unsigned k = OBJECT_TEMPERATURE; k <= OBJECT_CARD; k++) {
		const struct object_set *set = &s->topology.set[k];

		for (size_t i = 0; i < set->count; i++)
			name_list_add(&s->maps.others[k], set->list[i].name,
				      strlen(set->list[i].name), 0);
	}
}

static uint32_t sensor_entity(void *context, unsigned part)
{
	const struct object *o = context;

	return part == 0 ? o->handle : ENTITY_NONE;
}

/* What kind of part it is, and which. */
static void sensor_texts(const struct namespace *s, const struct table *t,
			 const struct object *o, const struct row *row)
{
	static const struct {
		enum sensor_text text;
		enum attribute attribute;
	} map[] = {
		{ SENSOR_TEXT_MODEL, ATTRIBUTE_PART },
		{ SENSOR_TEXT_SERIAL, ATTRIBUTE_SERIAL },
		{ SENSOR_TEXT_REVISION, ATTRIBUTE_REVISION },
	};
	const struct platform_host *host = s->host;

	host->attribute(host->context, o->handle, ATTRIBUTE_LABEL, t->name);
	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
		if (row->text[map[i].text][0])
			host->attribute(host->context, o->handle,
					map[i].attribute,
					row->text[map[i].text]);
}

void sensors_row(struct poll *p, struct run *r, struct object *o,
		 const struct row *row)
{
	const struct field_index *x = &r->namespace->index[r->number];
	struct row_target to = {
		.host = r->namespace->host,
		.source = p->source,
		.entity = sensor_entity,
		.context = o,
		.quality = QUALITY_GOOD,
		.age = { .part = r->number },
	};

	sensor_texts(r->namespace, table_get(r->number), o, row);
	if (!age_of_sensor(p, o, row, x, &to.age))
		(void)row_emit(row, x, &to);
}
