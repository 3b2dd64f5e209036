#include "agent/ctl/object.h"

#include <json-c/json.h>
#include <stdio.h>

#include "agent/base/clean.h"
#include "agent/ctl/cell.h"
#include "petrel/wire.h"

#define SCHEMA_MAX 64

struct json_object *object_new(const struct object_head *e)
{
	struct json_object *o = json_object_new_object();
	char schema[SCHEMA_MAX], when[48], name[SWITCH_NAME_MAX] = "";

	if (!o)
		return NULL;
	(void)snprintf(schema, sizeof(schema), "petrel/%s/1", e->command);
	wall_rfc3339(e->wall_ns, when, sizeof(when));
	if (e->switch_name)
		clean_text(name, sizeof(name), e->switch_name);
	(void)json_object_object_add(o, "schema",
				     json_object_new_string(schema));
	(void)json_object_object_add(o, "switch", e->switch_name ?
				     json_object_new_string(name) : NULL);
	(void)json_object_object_add(o, "time", json_object_new_string(when));
	(void)json_object_object_add(o, "complete",
				     json_object_new_boolean(e->complete));
	(void)json_object_object_add(o, "code", json_object_new_int(e->code));
	return o;
}
