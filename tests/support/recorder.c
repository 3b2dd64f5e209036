#include "tests/support/recorder.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

static struct json_object *line_of(const struct recorder *r, const char *type)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "type", json_object_new_string(type));
	json_object_object_add(o, "t_ns", json_object_new_int64(r->now.ns));
	return o;
}

static void add_int(struct json_object *o, const char *name, int64_t value)
{
	json_object_object_add(o, name, json_object_new_int64(value));
}

static void add_text(struct json_object *o, const char *name, const char *text)
{
	json_object_object_add(o, name,
			       text ? json_object_new_string(text) : NULL);
}

static void line_end(struct recorder *r, struct json_object *o)
{
	fprintf(r->out, "%s\n",
		json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
	json_object_put(o);
}

static void fault(struct recorder *r, const char *what, int64_t value)
{
	struct json_object *o = line_of(r, "fault");

	add_text(o, "what", what);
	add_int(o, "value", value);
	line_end(r, o);
	r->faults++;
}

static bool handle_is_known(const struct recorder *r, uint32_t handle)
{
	return handle == ENTITY_NONE ||
	       (handle <= r->entities && !r->entity_of[handle - 1].gone);
}

static bool key_is(const struct entity_key *a, const struct entity_key *b)
{
	if (a->kind == ENTITY_SWITCH && b->kind == ENTITY_SWITCH)
		return !b->name[0] || strcmp(a->name, b->name) == 0;
	return a->kind == b->kind && a->parent == b->parent &&
	       a->number == b->number && strcmp(a->name, b->name) == 0;
}

/* The switch is one: a name that comes later is its own. */
static uint32_t handle_for(struct recorder *r, enum entity_kind kind)
{
	for (uint32_t i = 0; kind == ENTITY_SWITCH && i < r->entities; i++)
		if (r->entity_of[i].key.kind == ENTITY_SWITCH)
			return i + 1;
	return r->entities < RECORDER_ENTITIES_MAX ? ++r->entities : 0;
}

static int on_entity(void *context, const struct entity_key *key,
		     uint32_t *ret_handle)
{
	struct recorder *r = context;
	struct json_object *o;

	if (!handle_is_known(r, key->parent))
		fault(r, "entity() below a dead parent", key->parent);
	for (uint32_t i = 0; i < r->entities; i++)
		if (!r->entity_of[i].gone &&
		    key_is(&r->entity_of[i].key, key)) {
			*ret_handle = i + 1;
			return 0;
		}
	*ret_handle = handle_for(r, key->kind);
	if (!*ret_handle)
		return -ENOSPC;
	r->entity_of[*ret_handle - 1].key = *key;
	o = line_of(r, "entity");
	add_int(o, "handle", *ret_handle);
	add_text(o, "kind", entity_kind_name(key->kind));
	add_int(o, "parent", key->parent);
	add_int(o, "number", key->number);
	add_text(o, "name", key->name);
	line_end(r, o);
	return 0;
}

static void on_attribute(void *context, uint32_t handle, enum attribute which,
			 const char *text)
{
	struct recorder *r = context;
	struct json_object *o;

	if (!handle_is_known(r, handle))
		fault(r, "attribute() of a dead handle", handle);
	o = line_of(r, "attribute");
	add_int(o, "handle", handle);
	add_text(o, "attribute", attribute_name(which));
	add_text(o, "text", text);
	line_end(r, o);
}

static void children_gone(struct recorder *r, uint32_t handle)
{
	for (uint32_t i = 0; i < r->entities; i++) {
		if (r->entity_of[i].gone ||
		    r->entity_of[i].key.parent != handle)
			continue;
		r->entity_of[i].gone = 1;
		children_gone(r, i + 1);
	}
}

static void on_gone(void *context, uint32_t handle)
{
	struct recorder *r = context;
	struct json_object *o;

	if (handle == ENTITY_NONE || !handle_is_known(r, handle)) {
		fault(r, "gone() of a dead handle", handle);
		return;
	}
	r->entity_of[handle - 1].gone = 1;
	children_gone(r, handle);
	o = line_of(r, "gone");
	add_int(o, "handle", handle);
	line_end(r, o);
}

static const char *source_name(const struct recorder *r, unsigned source)
{
	unsigned i = 0;

	while (i < source && r->driver->sources[i])
		i++;
	return r->driver->sources[i] ? r->driver->sources[i]->name : "?";
}

static void on_group(void *context, unsigned source, uint32_t handle,
		     const struct read_group *age)
{
	struct recorder *r = context;
	struct json_object *o;

	if (handle == ENTITY_NONE || !handle_is_known(r, handle))
		fault(r, "group() of a dead handle", handle);
	r->source = source;
	r->entity = handle;
	if (r->quiet)
		return;
	o = line_of(r, "group");
	add_text(o, "source", source_name(r, source));
	add_int(o, "handle", handle);
	add_int(o, "taken_ns", age->taken.ns);
	add_int(o, "uncertainty_ns", age->uncertainty_ns);
	add_int(o, "window_ns", age->window_ns);
	line_end(r, o);
}

static void on_sample(void *context, enum quantity quantity, unsigned index,
		      int64_t value, enum sample_quality quality)
{
	const struct quantity_info *info = quantity_find((uint16_t)quantity);
	struct recorder *r = context;
	struct json_object *o;

	r->samples++;
	if (r->entity == ENTITY_NONE)
		fault(r, "sample() without a group", quantity);
	if (!info)
		fault(r, "sample() of no quantity", quantity);
	else if (r->entity &&
		 !quantity_fits(info, r->entity_of[r->entity - 1].key.kind))
		fault(r, "sample() of another kind of entity", quantity);
	if (r->quiet)
		return;
	o = line_of(r, "sample");
	add_text(o, "source", source_name(r, r->source));
	add_int(o, "handle", r->entity);
	add_text(o, "quantity", info ? info->name : NULL);
	add_int(o, "index", index);
	add_int(o, "value", value);
	add_int(o, "quality", quality);
	line_end(r, o);
}

static void on_event(void *context, uint32_t handle, enum platform_event what,
		     int64_t value, struct mono when, const char *text)
{
	struct recorder *r = context;
	struct json_object *o = line_of(r, "event");

	if (!handle_is_known(r, handle))
		fault(r, "event() of a dead handle", handle);
	add_int(o, "handle", handle);
	add_text(o, "event", platform_event_name(what));
	add_int(o, "value", value);
	add_int(o, "when_ns", when.ns);
	add_text(o, "text", text);
	line_end(r, o);
}

const char *recorder_state_name(enum source_state state)
{
	static const char *const names[SOURCE_STATE_COUNT] = {
		[SOURCE_IDLE] = "idle",
		[SOURCE_FRESH] = "fresh",
		[SOURCE_WAITING] = "waiting",
		[SOURCE_ABSENT] = "absent",
		[SOURCE_BROKEN] = "broken",
		[SOURCE_UNSUPPORTED] = "unsupported",
		[SOURCE_QUARANTINED] = "quarantined",
		[SOURCE_LIMITED] = "limited",
	};

	return state < SOURCE_STATE_COUNT ? names[state] : "?";
}

static void on_source(void *context, unsigned source, enum source_state state,
		      int64_t interval_ns, const char *reason)
{
	struct recorder *r = context;
	struct json_object *o = line_of(r, "source");

	r->entity = ENTITY_NONE;	/* the next sample needs a group */
	r->waiting[source] = 0;
	add_text(o, "source", source_name(r, source));
	add_text(o, "state", recorder_state_name(state));
	add_int(o, "interval_ns", interval_ns);
	add_text(o, "reason", reason);
	line_end(r, o);
}

void recorder_host(struct recorder *r, struct platform_host *ret)
{
	*ret = (struct platform_host){
		.abi = PLATFORM_ABI,
		.size = sizeof(*ret),
		.context = r,
		.entity = on_entity,
		.attribute = on_attribute,
		.gone = on_gone,
		.group = on_group,
		.sample = on_sample,
		.event = on_event,
		.source = on_source,
	};
}
