#include "agent/state/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/clean.h"
#include "agent/base/event.h"
#include "agent/state/slots.h"

#define PERIODS_MISSED 3
#define GRACE_NS (2 * NS_PER_S)
#define SLOW_OVERDUE_NS (PERIODS_MISSED * 60 * NS_PER_S)
#define UNCERTAIN_INTERVALS 2	/* of a source; more: its time is unknown */

/* The host's view of a driver: its sources, and the open group. */
struct state_driver {
	struct state *state;
	const struct platform_driver *driver;
	unsigned first_source, source_count;
	bool group_open;
	uint8_t group_source;
	struct slot_group group;
};

struct state {
	struct state_observer observer;
	struct inventory *inventory;
	struct slots *slots;
	uint32_t tick, moved, switch_id;
	struct mono now;
	uint64_t values, refused, left_out;
	struct state_limits limits;
	char switch_name[ENTITY_NAME_MAX];
	unsigned source_count, driver_count;
	struct state_source source[STATE_SOURCES_MAX];
	struct state_driver driver[PLATFORM_DRIVERS_MAX];
	/* The numbers of parts, each + 1; 0: none yet. And the reverse. */
	uint8_t number_of[STATE_SOURCES_MAX][READ_PARTS_MAX];
	bool has_part[STATE_SOURCES_MAX];
	uint8_t part_source[STATE_NUMBERS_MAX - STATE_SOURCES_MAX];
	size_t part_count;
};

int state_new(const struct state_limits *limits,
	      const struct state_observer *observer, struct state **ret)
{
	static const struct entity_key self = { .kind = ENTITY_SWITCH };
	struct state *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return -ENOMEM;
	s->observer = *observer;
	s->limits = *limits;
	rc = inventory_new(limits->entities, limits->first_entity,
			   limits->dictionary_version, &s->inventory);
	if (rc == 0)
		rc = slots_new(limits->slots, &s->slots);
	if (rc == 0)
		rc = inventory_add(s->inventory, &self, 0, &s->switch_id);
	if (rc < 0) {
		state_free(s);
		return rc;
	}
	*ret = s;
	return 0;
}

void state_free(struct state *s)
{
	if (!s)
		return;
	inventory_free(s->inventory);
	slots_free(s->slots);
	free(s);
}

/* Counts input that is not valid, or does not fit. */
static void refuse(struct state *s, int rc)
{
	s->refused++;
	s->left_out += rc == -ENOSPC;
}

static uint32_t entity_of(const struct state *s, uint32_t handle)
{
	return handle == ENTITY_NONE ? s->switch_id : handle;
}

static int host_entity(void *context, const struct entity_key *key,
		       uint32_t *ret_handle)
{
	struct state_driver *d = context;
	struct state *s = d->state;
	struct entity_key own = *key;
	int rc;

	if (key->kind == ENTITY_SWITCH) {
		if (key->name[0])	/* else the driver does not know it */
			clean_octets(s->switch_name, sizeof(s->switch_name),
				     key->name, sizeof(key->name));
		*ret_handle = s->switch_id;
		return 0;
	}
	own.parent = entity_of(s, key->parent);
	if (memchr(own.name, '\0', sizeof(own.name)))
		clean_in_place(own.name);	/* else it is refused */
	rc = inventory_add(s->inventory, &own, s->tick, ret_handle);
	if (rc < 0)
		refuse(s, rc);
	return rc;
}

static void host_attribute(void *context, uint32_t handle,
			   enum attribute which, const char *text)
{
	struct state_driver *d = context;
	char clean[ATTRIBUTE_TEXT_MAX];

	clean_text(clean, sizeof(clean), text);
	(void)inventory_attribute(d->state->inventory,
				  entity_of(d->state, handle), which, clean);
}

static bool is_live(void *context, uint32_t id)
{
	const struct state *s = context;

	return inventory_place(s->inventory, id) >= 0;
}

static void host_gone(void *context, uint32_t handle)
{
	struct state_driver *d = context;
	struct state *s = d->state;

	if (handle == ENTITY_NONE || handle == s->switch_id)
		return;
	if (inventory_gone(s->inventory, handle, s->tick) == 0)
		return;
	slots_drop(s->slots, is_live, s);
	s->moved++;
	d->group_open = false;
}

/* The number of a source's part, assigned at its first reading: the first part
 * gets the source's own. Returns -EINVAL, -ENOSPC.
 */
static int number_take(struct state *s, unsigned source, uint32_t part)
{
	uint8_t *number;

	if (part >= READ_PARTS_MAX)
		return -EINVAL;
	number = &s->number_of[source][part];
	if (*number)
		return *number - 1;
	if (s->has_part[source] &&
	    s->part_count == STATE_NUMBERS_MAX - STATE_SOURCES_MAX)
		return -ENOSPC;
	if (s->has_part[source]) {
		s->part_source[s->part_count] = (uint8_t)source;
		source = STATE_SOURCES_MAX + (unsigned)s->part_count++;
		inventory_touch(s->inventory);
	} else {
		s->has_part[source] = true;
	}
	*number = (uint8_t)(source + 1);
	return (int)source;
}

unsigned state_source_of(const struct state *s, uint8_t number)
{
	return number < STATE_SOURCES_MAX ? number :
	       s->part_source[number - STATE_SOURCES_MAX];
}

size_t state_parts(const struct state *s, const uint8_t **ret_source)
{
	*ret_source = s->part_source;
	return s->part_count;
}

static void host_group(void *context, unsigned source, uint32_t handle,
		       const struct read_group *age)
{
	struct state_driver *d = context;
	struct state *s = d->state;
	uint32_t id = entity_of(s, handle);
	struct state_source *from;
	int rc;

	d->group_open = false;
	if (source >= d->source_count ||
	    inventory_place(s->inventory, id) < 0) {
		s->refused++;
		return;
	}
	d->group_source = (uint8_t)(d->first_source + source);
	rc = number_take(s, d->group_source, age->part);
	/* A source without its own clock may repeat a time: only the same time
	 * for the same entity is a repeated reading (C4).
	 */
	if (rc >= 0)
		rc = slots_group(s->slots, id, (uint8_t)rc, age, &d->group);
	if (rc < 0) {
		refuse(s, rc);
		return;
	}
	d->group_open = true;
	from = &s->source[d->group_source];
	if (age->taken.ns > from->last_taken.ns)
		from->last_taken = age->taken;
}

static void host_sample(void *context, enum quantity quantity, unsigned index,
			int64_t value, enum sample_quality quality)
{
	struct state_driver *d = context;
	struct state *s = d->state;
	int rc;

	if (!d->group_open)
		return;
	rc = slots_put(s->slots, &d->group, (uint16_t)quantity,
		       (uint16_t)index, value, (uint8_t)quality, s->tick);
	if (rc < 0)
		refuse(s, rc);
	if (rc <= 0)
		return;
	s->values++;
	s->source[d->group_source].values++;
}

/* Of a module that leaves: few drivers keep its serial number. */
static const char *event_serial(const struct state *s, uint32_t module)
{
	const struct inventory_entity *e = inventory_get(s->inventory, module);

	return e ? e->attribute[ATTRIBUTE_SERIAL] : NULL;
}

static void host_event(void *context, uint32_t handle,
		       enum platform_event what, int64_t value,
		       struct mono when, const char *text)
{
	struct state_driver *d = context;
	const struct state_observer *o = &d->state->observer;
	uint32_t entity = entity_of(d->state, handle);
	char clean[CHANGE_TEXT_MAX];

	if (!o->event)
		return;
	if (what == EVENT_MODULE_REMOVED && (!text || !text[0]))
		text = event_serial(d->state, entity);
	event_text_clean(clean, sizeof(clean), what, text);
	o->event(o->context, entity, what, value, when, clean);
}

static void host_source(void *context, unsigned source,
			enum source_state state, int64_t interval_ns,
			const char *reason)
{
	struct state_driver *d = context;
	struct state *s = d->state;
	struct state_source *to;
	enum source_state was;

	if (source >= d->source_count)
		return;
	to = &s->source[d->first_source + source];
	was = to->state;
	to->state = state;
	if (interval_ns > 0 && interval_ns != to->interval_ns) {
		to->interval_ns = interval_ns;
		inventory_touch(s->inventory);
	}
	if (state == SOURCE_FRESH)
		to->last_fresh = clock_mono_now();
	clean_text(to->reason, sizeof(to->reason), reason);
	if (s->observer.source)
		s->observer.source(s->observer.context,
				   d->first_source + source, was);
}

int state_driver_add(struct state *s, const struct platform_driver *driver,
		     unsigned *ret_first, struct platform_host *ret_host)
{
	struct state_driver *d = &s->driver[s->driver_count];
	unsigned n = 0;

	if (s->driver_count == PLATFORM_DRIVERS_MAX)
		return -ENOSPC;
	while (driver->sources[n])
		n++;
	if (n > PLATFORM_SOURCES_MAX || s->source_count + n > STATE_SOURCES_MAX)
		return -ENOSPC;
	*d = (struct state_driver){ .state = s, .driver = driver,
				    .first_source = s->source_count,
				    .source_count = n };
	for (unsigned i = 0; i < n; i++) {
		struct state_source *source = &s->source[s->source_count++];

		(void)snprintf(source->name, sizeof(source->name), "%s.%s",
			       driver->name, driver->sources[i]->name);
		source->own = !driver->open;
		source->period_ns = driver->sources[i]->period_ms * NS_PER_MS;
	}
	s->driver_count++;
	inventory_touch(s->inventory);
	*ret_first = d->first_source;
	*ret_host = (struct platform_host){
		.abi = PLATFORM_ABI, .size = sizeof(*ret_host), .context = d,
		.entity = host_entity, .attribute = host_attribute,
		.gone = host_gone, .group = host_group, .sample = host_sample,
		.event = host_event, .source = host_source };
	return 0;
}

uint64_t state_refused(const struct state *s)
{
	return s->refused;
}

uint64_t state_left_out(const struct state *s, struct state_limits *ret)
{
	*ret = s->limits;
	return s->left_out;
}

void state_tick(struct state *s, struct mono now)
{
	s->tick++;
	s->now = now;
}

uint32_t state_tick_number(const struct state *s)
{
	return s->tick;
}

uint64_t state_values_total(const struct state *s)
{
	return s->values;
}

uint32_t state_dictionary_version(const struct state *s)
{
	return inventory_version(s->inventory);
}

uint32_t state_next_entity(const struct state *s)
{
	return inventory_next(s->inventory);
}

size_t state_entities(const struct state *s,
		      const struct inventory_entity **ret)
{
	return inventory_places(s->inventory, ret);
}

const struct inventory_entity *state_entity(const struct state *s, uint32_t id)
{
	return inventory_get(s->inventory, id);
}

uint32_t state_switch(const struct state *s)
{
	return s->switch_id;
}

const char *state_switch_name(const struct state *s)
{
	return s->switch_name;
}

size_t state_sources(const struct state *s, const struct state_source **ret)
{
	*ret = s->source;
	return s->source_count;
}

void state_source_period(struct state *s, unsigned source, int64_t period_ns)
{
	if (source < s->source_count)
		s->source[source].period_ns = period_ns;
}

uint32_t state_layout(const struct state *s)
{
	return s->moved;
}

size_t state_columns(const struct state *s, const struct sample_column **ret)
{
	return slots_columns(s->slots, ret);
}

size_t state_groups(const struct state *s, const struct group_column **ret)
{
	return slots_groups(s->slots, ret);
}

const struct slots *state_slots(const struct state *s)
{
	return s->slots;
}

int64_t state_pace_ns(const struct state_source *s)
{
	return s->period_ns > s->interval_ns ? s->period_ns : s->interval_ns;
}

int64_t state_overdue_ns(const struct state_source *s)
{
	int64_t period_ns = state_pace_ns(s);

	return period_ns ? PERIODS_MISSED * period_ns + GRACE_NS : INT64_MAX;
}

int64_t state_stale_after_ns(const struct state_source *s,
			     const struct quantity_info *q)
{
	int64_t most_ns = state_overdue_ns(s);

	if (q && q->speed == CLASS_STATIC)
		return INT64_MAX;
	return q && q->speed == CLASS_SLOW && most_ns < SLOW_OVERDUE_NS ?
	       SLOW_OVERDUE_NS : most_ns;
}

/* The quality of a value, considering its age. */
static enum sample_quality quality_of(const struct state *s, unsigned source,
				      uint16_t quantity,
				      const struct slot_value *v)
{
	const struct state_source *from = &s->source[source];
	int64_t age_ns = s->now.ns - v->taken.ns;

	if (v->quality == QUALITY_IMPLAUSIBLE ||
	    age_ns <= state_overdue_ns(from) ||
	    age_ns <= state_stale_after_ns(from, quantity_find(quantity)))
		return v->quality;
	return QUALITY_STALE;
}

/* The newest slot that is there, and its source. */
static bool value_find(const struct state *s, uint32_t entity, enum quantity q,
		       unsigned index, struct slot_value *ret,
		       unsigned *ret_source)
{
	struct slot_place at;

	if (!slots_find(s->slots, entity, (uint16_t)q, (uint16_t)index, &at))
		return false;
	slots_get(s->slots, at, s->tick, ret);
	*ret_source = state_source_of(s, slots_source(s->slots, at));
	return ret->is_there;
}

/* Member by member: a struct that is built elsewhere first costs more than the
 * search for it.
 */
static void value_give(const struct state *s, unsigned source,
		       uint16_t quantity, const struct slot_value *v,
		       struct state_value *ret)
{
	ret->value = v->value;
	ret->age.taken = v->taken;
	ret->age.uncertainty_ns = v->uncertainty_ns;
	ret->age.window_ns = v->window_ns;
	ret->age.part = 0;
	ret->quality = quality_of(s, source, quantity, v);
	ret->is_new = v->is_new;
}

bool state_value(const struct state *s, uint32_t entity, enum quantity q,
		 unsigned index, struct state_value *ret)
{
	struct slot_value v;
	unsigned source;

	if (!value_find(s, entity, q, index, &v, &source))
		return false;
	value_give(s, source, (uint16_t)q, &v, ret);
	return true;
}

bool state_value_from(const struct state *s, uint32_t entity,
		      const struct sample_column *column,
		      struct state_value *ret)
{
	struct slot_place at;
	struct slot_value v;

	if (!slots_find(s->slots, entity, column->quantity, column->index,
			&at) ||
	    !slots_twin(s->slots, at, column->source, &at))
		return false;
	slots_get(s->slots, at, s->tick, &v);
	if (v.is_there)
		value_give(s, state_source_of(s, column->source),
			   column->quantity, &v, ret);
	return v.is_there;
}

bool state_time_is_known(const struct state *s, unsigned source,
			 int64_t uncertainty_ns)
{
	int64_t pace_ns = state_pace_ns(&s->source[source]);

	return pace_ns == 0 || uncertainty_ns <= UNCERTAIN_INTERVALS * pace_ns;
}

bool state_rate(const struct state *s, uint32_t entity, enum quantity q,
		unsigned index, struct state_rate *ret)
{
	struct slot_value v;
	unsigned source;
	uint64_t step;

	if (!value_find(s, entity, q, index, &v, &source) || !v.has_previous)
		return false;
	step = (uint64_t)v.value - (uint64_t)v.previous;
	if (v.interval_ns == 0 || step > INT64_MAX ||	/* backwards: a reset */
	    !state_time_is_known(s, source, v.uncertainty_ns) ||
	    !state_time_is_known(s, source, v.previous_uncertainty_ns))
		return false;
	*ret = (struct state_rate){
		.per_s = (double)step * 1e9 / (double)v.interval_ns,
		.interval_ns = v.interval_ns, .taken = v.taken,
		.quality = quality_of(s, source, (uint16_t)q, &v) };
	return true;
}

size_t state_port_count(const struct state *s)
{
	const uint32_t *ports;

	return inventory_ports(s->inventory, &ports);
}

uint32_t state_port(const struct state *s, size_t n)
{
	const uint32_t *ports;
	size_t count = inventory_ports(s->inventory, &ports);

	return n < count ? ports[n] : ENTITY_NONE;
}

uint32_t state_port_find(const struct state *s, const char *name)
{
	const uint32_t *ports;
	size_t count = inventory_ports(s->inventory, &ports);

	for (size_t i = 0; i < count; i++) {
		const struct inventory_entity *e =
			inventory_get(s->inventory, ports[i]);
		const char *alias = e->attribute[ATTRIBUTE_ALIAS];

		if (strcmp(e->key.name, name) == 0 ||
		    (alias && strcmp(alias, name) == 0))
			return ports[i];
	}
	return ENTITY_NONE;
}

uint32_t state_child(const struct state *s, uint32_t parent,
		     enum entity_kind kind, uint32_t number)
{
	struct entity_key key = { .kind = kind, .parent = parent,
				  .number = number };

	return inventory_find(s->inventory, &key);
}
