#include "tests/support/recording_host.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "petrel/link.h"

#define ENTITIES_MAX 65536u

#define ENTITY_BUCKETS 4096u
#define NO_VALUE UINT32_MAX
#define VALUE_BUCKETS 65536u

struct open_group {
	bool is_open, is_good;
	unsigned source;
	uint32_t handle;
	struct read_group age;
	uint64_t number;
};

struct recording_host {
	const struct platform_driver *driver;
	struct recording_limits limits;
	struct platform_host host;
	struct mono opened;
	size_t source_count;
	struct recorded_entity *entity;	/* [handle - 1] */
	uint32_t entity_count;
	uint32_t *next_entity;		/* handle, of the same bucket */
	uint32_t *first_entity;		/* [bucket]: handle, by hash */
	struct recorded_value *value;
	uint32_t *next_value;		/* of the same bucket, [value] */
	uint32_t *first_value;		/* [bucket], by hash */
	size_t value_count, value_room;
	struct open_group group;
	uint64_t refused, samples, told[PLATFORM_EVENT_COUNT];
	bool source_told[PLATFORM_SOURCES_MAX];
	enum source_state source_state[PLATFORM_SOURCES_MAX];
	char source_reason[PLATFORM_SOURCES_MAX][SOURCE_REASON_MAX];
	uint64_t fault_count;
	size_t fault_places;
	char fault[RECORDING_FAULTS_MAX][RECORDING_FAULT_LEN];
};

/* Equal but for the numbers in them. */
static bool text_like(const char *a, const char *b)
{
	static const char digits[] = "0123456789";

	for (;; a++, b++) {
		a += strspn(a, digits);
		b += strspn(b, digits);
		if (*a != *b)
			return false;
		if (*a == '\0')
			return true;
	}
}

void recording_host_fault_add(struct recording_host *r, const char *format,
			      ...)
{
	char text[RECORDING_FAULT_LEN];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	r->fault_count++;
	if (r->fault_places == RECORDING_FAULTS_MAX ||
	    (r->fault_places > 0 &&
	     text_like(r->fault[r->fault_places - 1], text)))
		return;
	memcpy(r->fault[r->fault_places++], text, sizeof(text));
}

static bool is_clean_text(const char *text, size_t room)
{
	size_t len = strnlen(text, room);

	if (len == room)
		return false;
	for (size_t i = 0; i < len; i++)
		if (iscntrl((unsigned char)text[i]))
			return false;
	return true;
}

/* A change has three parts, with a tab between them. */
static bool is_event_text(enum platform_event what, const char *text)
{
	unsigned tabs = 0;

	for (const char *at = text; *at; at++) {
		if (*at == '\t')
			tabs++;
		else if (iscntrl((unsigned char)*at))
			return false;
	}
	return tabs == (what >= EVENT_FIRST_CHANGE ? 2 : 0);
}

static struct recorded_entity *living(struct recording_host *r, uint32_t handle)
{
	if (handle == ENTITY_NONE || handle > r->entity_count ||
	    r->entity[handle - 1].gone)
		return NULL;
	return &r->entity[handle - 1];
}

static bool key_is_good(struct recording_host *r, const struct entity_key *key)
{
	if (!entity_kind_name(key->kind)) {
		recording_host_fault_add(r, "entity: kind %d is none",
					 (int)key->kind);
		return false;
	}
	if (!is_clean_text(key->name, sizeof(key->name))) {
		recording_host_fault_add(r, "entity %s: its name has no end or "
					 "control characters",
					 entity_kind_name(key->kind));
		return false;
	}
	if (key->parent != ENTITY_NONE && !living(r, key->parent)) {
		recording_host_fault_add(r, "entity %s '%s' %u: parent %u is "
					 "no living handle",
					 entity_kind_name(key->kind), key->name,
					 key->number, key->parent);
		return false;
	}
	return true;
}

/* The host's time counts as the driver's: it must not search. */
static uint32_t *entity_bucket(const struct recording_host *r,
			       const struct entity_key *key)
{
	uint32_t hash = (uint32_t)key->kind * 2654435761u ^ key->parent;

	hash = hash * 2654435761u ^ key->number;
	for (const char *at = key->name; *at; at++)
		hash = hash * 31 + (unsigned char)*at;
	hash *= 2654435761u;
	return &r->first_entity[(hash >> 12) % ENTITY_BUCKETS];
}

static int host_entity(void *context, const struct entity_key *key,
		       uint32_t *ret_handle)
{
	struct recording_host *r = context;
	uint32_t room = r->limits.entities ? r->limits.entities : ENTITIES_MAX;
	uint32_t *bucket;

	if (!key_is_good(r, key))
		return -EINVAL;
	bucket = entity_bucket(r, key);
	for (uint32_t h = *bucket; h; h = r->next_entity[h - 1])
		if (!r->entity[h - 1].gone &&
		    entity_key_is(&r->entity[h - 1].key, key)) {
			*ret_handle = h;
			return 0;
		}
	if (r->entity_count >= room) {
		r->refused++;
		return -ENOSPC;
	}
	r->entity[r->entity_count].key = *key;
	r->next_entity[r->entity_count] = *bucket;
	*ret_handle = *bucket = ++r->entity_count;
	return 0;
}

static void host_attribute(void *context, uint32_t handle, enum attribute which,
			   const char *text)
{
	struct recording_host *r = context;
	struct recorded_entity *e = living(r, handle);

	if (!e || !attribute_name(which)) {
		recording_host_fault_add(r, "attribute %d of handle %u: no such "
					 "attribute or no living handle",
					 (int)which, handle);
		return;
	}
	if (text && !is_clean_text(text, 65536))
		recording_host_fault_add(r, "attribute %s of '%s': control "
					 "characters", attribute_name(which),
					 e->key.name);
	free(e->attribute[which]);
	e->attribute[which] = text && *text ? strdup(text) : NULL;
}

/* Children go with it, which are younger: one pass is enough. */
static void host_gone(void *context, uint32_t handle)
{
	struct recording_host *r = context;

	if (!living(r, handle)) {
		recording_host_fault_add(r, "gone: %u is no living handle",
					 handle);
		return;
	}
	r->entity[handle - 1].gone = true;
	for (uint32_t i = handle; i < r->entity_count; i++) {
		uint32_t parent = r->entity[i].key.parent;

		if (parent != ENTITY_NONE && r->entity[parent - 1].gone)
			r->entity[i].gone = true;
	}
	if (r->group.handle != ENTITY_NONE && !living(r, r->group.handle))
		r->group.is_open = false;
}

static bool age_is_good(struct recording_host *r, unsigned source,
			const struct read_group *age)
{
	const char *name = r->driver->sources[source]->name;
	int64_t oldest_ns = r->opened.ns - r->limits.oldest_ns;
	struct mono now = clock_mono_now();

	if (age->uncertainty_ns < 0 || age->window_ns < 0) {
		recording_host_fault_add(r, "%s: a group's uncertainty %lld ns "
					 "or window %lld ns is negative", name,
					 (long long)age->uncertainty_ns,
					 (long long)age->window_ns);
		return false;
	}
	if (mono_diff_ns(age->taken, now) > 0)
		recording_host_fault_add(r, "%s: a group was taken %lld ns in "
					 "the future", name,
					 (long long)mono_diff_ns(age->taken,
								 now));
	if (age->taken.ns < oldest_ns - age->uncertainty_ns)
		recording_host_fault_add(r, "%s: a group was taken %lld ns "
					 "before what is credible", name,
					 (long long)(oldest_ns -
						     age->taken.ns));
	return true;
}

static void host_group(void *context, unsigned source, uint32_t handle,
		       const struct read_group *age)
{
	struct recording_host *r = context;

	r->group.is_open = true;
	r->group.is_good = false;
	r->group.number++;
	if (source >= r->source_count) {
		recording_host_fault_add(r, "group: %u is no source", source);
		return;
	}
	if (age->part >= READ_PARTS_MAX)
		recording_host_fault_add(r, "group of %s: no source has a part "
					 "%u",
					 r->driver->sources[source]->name,
					 age->part);
	if (r->driver->sources[source]->blocks != r->limits.blocking)
		recording_host_fault_add(r, "group: source %s speaks in the "
					 "wrong process",
					 r->driver->sources[source]->name);
	if (!living(r, handle)) {
		recording_host_fault_add(r, "group of %s: %u is no living "
					 "handle",
					 r->driver->sources[source]->name,
					 handle);
		return;
	}
	r->group.source = source;
	r->group.handle = handle;
	r->group.age = *age;
	r->group.is_good = age_is_good(r, source, age);
}

/* Words of the enumerations; what is not here has none to check. */
static bool enumeration_is_good(enum quantity quantity, int64_t value)
{
	if (value < 0 || value > INT32_MAX)
		return false;
	switch (quantity) {
	case Q_OPER_STATUS:
	case Q_FEC_MODE:
	case Q_DOWN_REASON:
	case Q_LINK_TRAINING_STATUS:
		return quantity_word(quantity, value) != NULL;
	default:
		return true;
	}
}

/* The promise that this value breaks; NULL when it breaks none. */
static const char *value_fault(const struct recording_host *r,
			       const struct quantity_info *row, int64_t value,
			       enum sample_quality quality)
{
	const struct recorded_entity *e = &r->entity[r->group.handle - 1];

	if (!quantity_fits(row, e->key.kind))
		return "belongs to another kind of entity";
	if ((unsigned)quality >= SAMPLE_QUALITY_COUNT)
		return "has a quality that there is not";
	if (row->kind == KIND_COUNTER &&
	    (uint64_t)value == SAMPLE_COUNTER_ABSENT)
		return "is absent, yet handed over";
	if (row->kind == KIND_PEAK && r->group.age.window_ns == 0)
		return "is a peak over no window";
	if (row->unit == UNIT_BOOL && value != 0 && value != 1)
		return "is neither 0 nor 1";
	if (row->unit == UNIT_ENUM &&
	    !enumeration_is_good((enum quantity)row->id, value))
		return "is not in its enumeration";
	return NULL;
}

/* The bucket of a value of the open group. */
static uint32_t *bucket_of(struct recording_host *r, enum quantity quantity,
			   unsigned index)
{
	uint32_t hash = r->group.handle * 2654435761u;

	hash = (hash ^ (uint32_t)quantity << 8 ^ index) * 2654435761u;
	hash = (hash ^ hash >> 15 ^ r->group.source) * 2246822519u;
	return &r->first_value[(hash >> 12) % VALUE_BUCKETS];
}

static struct recorded_value *value_find(struct recording_host *r,
					 enum quantity quantity, unsigned index)
{
	uint32_t i = *bucket_of(r, quantity, index);

	for (; i != NO_VALUE; i = r->next_value[i]) {
		struct recorded_value *v = &r->value[i];

		if (v->quantity == quantity && v->index == index &&
		    v->source == r->group.source &&
		    v->handle == r->group.handle)
			return v;
	}
	return NULL;
}

static void *grown(void *old, size_t room, size_t each)
{
	void *more = reallocarray(old, room, each);

	if (!more)
		abort();	/* a test without memory is no test */
	return more;
}

static struct recorded_value *value_add(struct recording_host *r,
					uint32_t *first)
{
	if (r->value_count == r->value_room) {
		r->value_room = r->value_room ? 2 * r->value_room : 4096;
		r->value = grown(r->value, r->value_room, sizeof(*r->value));
		r->next_value = grown(r->next_value, r->value_room,
				      sizeof(*r->next_value));
	}
	r->next_value[r->value_count] = *first;
	*first = (uint32_t)r->value_count;
	return &r->value[r->value_count++];
}

static void repeat_check(struct recording_host *r,
			 const struct recorded_value *v, int64_t value)
{
	int64_t back_ns = mono_diff_ns(v->age.taken, r->group.age.taken);
	const char *name = quantity_find((uint16_t)v->quantity)->name;
	const char *who = r->entity[v->handle - 1].key.name;

	if (v->group == r->group.number)
		recording_host_fault_add(r, "%s[%u] of '%s' comes twice in one "
					 "group", name, v->index, who);
	if (back_ns > 0)
		recording_host_fault_add(r, "%s[%u] of '%s' goes %lld ns back "
					 "in time", name, v->index, who,
					 (long long)back_ns);
	/* A reading may be continued; what it holds stays (C4). */
	if (back_ns == 0 && v->age.part == r->group.age.part &&
	    v->value != value)
		recording_host_fault_add(r, "%s[%u] of '%s' is %lld and then "
					 "%lld in one reading: the second is "
					 "lost", name, v->index, who,
					 (long long)v->value,
					 (long long)value);
}

static void value_keep(struct recording_host *r, enum quantity quantity,
		       unsigned index, int64_t value,
		       enum sample_quality quality)
{
	struct recorded_value *v = value_find(r, quantity, index);

	if (v)
		repeat_check(r, v, value);
	else
		v = value_add(r, bucket_of(r, quantity, index));
	*v = (struct recorded_value){ .handle = r->group.handle,
				      .source = r->group.source,
				      .index = index, .quantity = quantity,
				      .value = value, .quality = quality,
				      .age = r->group.age,
				      .group = r->group.number };
}

static void host_sample(void *context, enum quantity quantity, unsigned index,
			int64_t value, enum sample_quality quality)
{
	struct recording_host *r = context;
	const struct quantity_info *row = quantity_find((uint16_t)quantity);
	const char *fault;

	r->samples++;
	if (!r->group.is_open) {
		recording_host_fault_add(r, "sample of quantity 0x%04x without "
					 "an open group", (unsigned)quantity);
		return;
	}
	if (!row || index > UINT16_MAX) {
		recording_host_fault_add(r, "sample: quantity 0x%04x index %u "
					 "is not known", (unsigned)quantity,
					 index);
		return;
	}
	if (index && !quantity_is_indexed(row))
		recording_host_fault_add(r, "%s[%u]: its help names no index",
					 row->name, index);
	if (!r->group.is_good)
		return;
	fault = value_fault(r, row, value, quality);
	if (fault)
		recording_host_fault_add(r, "%s[%u] of '%s': %lld %s",
					 row->name, index,
				r->entity[r->group.handle - 1].key.name,
					 (long long)value, fault);
	value_keep(r, quantity, index, value, quality);
}

static void host_event(void *context, uint32_t handle, enum platform_event what,
		       int64_t value, struct mono when, const char *text)
{
	struct recording_host *r = context;

	(void)value;
	if ((int)what < 1 || what >= PLATFORM_EVENT_COUNT) {
		recording_host_fault_add(r, "event %d is none", (int)what);
		return;
	}
	if (handle != ENTITY_NONE && !living(r, handle))
		recording_host_fault_add(r, "event %d: %u is no living handle",
					 (int)what, handle);
	if (mono_diff_ns(when, clock_mono_now()) > 0)
		recording_host_fault_add(r, "event %d lies in the future",
					 (int)what);
	if (text && !is_event_text(what, text))
		recording_host_fault_add(r, "event %d: control characters",
					 (int)what);
	r->told[what]++;
}

static bool needs_reason(enum source_state state)
{
	return state == SOURCE_ABSENT || state == SOURCE_BROKEN ||
	       state == SOURCE_UNSUPPORTED || state == SOURCE_QUARANTINED ||
	       state == SOURCE_LIMITED;
}

static void host_source(void *context, unsigned source, enum source_state state,
			int64_t interval_ns, const char *reason)
{
	struct recording_host *r = context;

	if (source >= r->source_count || state >= SOURCE_STATE_COUNT ||
	    interval_ns < 0) {
		recording_host_fault_add(r, "source %u in state %d every %lld "
					 "ns: out of range", source,
					 (int)state, (long long)interval_ns);
		return;
	}
	if (r->driver->sources[source]->blocks != r->limits.blocking)
		recording_host_fault_add(r, "source %s speaks in the wrong "
					 "process",
					 r->driver->sources[source]->name);
	if (needs_reason(state) && (!reason || *reason == '\0'))
		recording_host_fault_add(r, "source %s: state %d without a "
					 "reason",
					 r->driver->sources[source]->name,
					 (int)state);
	r->source_told[source] = true;
	r->source_state[source] = state;
	(void)snprintf(r->source_reason[source], SOURCE_REASON_MAX, "%s",
		       reason ? reason : "");
}

const char *recording_host_reason(const struct recording_host *r,
				  unsigned source)
{
	return r->source_reason[source];
}

int recording_host_new(const struct platform_driver *driver,
		       const struct recording_limits *limits,
		       struct recording_host **ret)
{
	struct recording_host *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->entity = calloc(ENTITIES_MAX, sizeof(*r->entity));
	r->next_entity = calloc(ENTITIES_MAX, sizeof(*r->next_entity));
	r->first_entity = calloc(ENTITY_BUCKETS, sizeof(*r->first_entity));
	r->first_value = malloc(VALUE_BUCKETS * sizeof(*r->first_value));
	if (!r->entity || !r->next_entity || !r->first_entity ||
	    !r->first_value) {
		recording_host_free(r);
		return -ENOMEM;
	}
	memset(r->first_value, 0xff, VALUE_BUCKETS * sizeof(*r->first_value));
	r->driver = driver;
	r->limits = *limits;
	r->opened = clock_mono_now();
	while (driver->sources[r->source_count] &&
	       r->source_count < PLATFORM_SOURCES_MAX)
		r->source_count++;
	r->host = (struct platform_host){
		.abi = PLATFORM_ABI, .size = sizeof(r->host), .context = r,
		.entity = host_entity, .attribute = host_attribute,
		.gone = host_gone, .group = host_group,
		.sample = host_sample, .event = host_event,
		.source = host_source,
	};
	*ret = r;
	return 0;
}

void recording_host_free(struct recording_host *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->entity_count; i++)
		for (int a = 0; a < ATTRIBUTE_COUNT; a++)
			free(r->entity[i].attribute[a]);
	free(r->entity);
	free(r->next_entity);
	free(r->first_entity);
	free(r->first_value);
	free(r->next_value);
	free(r->value);
	free(r);
}

const struct platform_host *recording_host_get(struct recording_host *r)
{
	return &r->host;
}

const struct recorded_entity *recording_host_entity(
	const struct recording_host *r, uint32_t handle)
{
	if (handle == ENTITY_NONE || handle > r->entity_count)
		return NULL;
	return &r->entity[handle - 1];
}

uint32_t recording_host_find(const struct recording_host *r,
			     enum entity_kind kind, const char *name)
{
	for (uint32_t i = 0; i < r->entity_count; i++)
		if (!r->entity[i].gone && r->entity[i].key.kind == kind &&
		    strcmp(r->entity[i].key.name, name) == 0)
			return i + 1;
	return ENTITY_NONE;
}

size_t recording_host_values(const struct recording_host *r,
			     const struct recorded_value **ret)
{
	*ret = r->value;
	return r->value_count;
}

uint64_t recording_host_refused(const struct recording_host *r)
{
	return r->refused;
}

uint64_t recording_host_events(const struct recording_host *r,
			       enum platform_event what)
{
	return r->told[what];
}

uint64_t recording_host_samples(const struct recording_host *r)
{
	return r->samples;
}

bool recording_host_source(const struct recording_host *r, unsigned source,
			   enum source_state *ret)
{
	*ret = r->source_state[source];
	return r->source_told[source];
}

void recording_host_source_clear(struct recording_host *r, unsigned source)
{
	r->source_told[source] = false;
}

uint64_t recording_host_faults(const struct recording_host *r)
{
	return r->fault_count;
}

const char *recording_host_fault(const struct recording_host *r, size_t n)
{
	return n < r->fault_places ? r->fault[n] : NULL;
}
