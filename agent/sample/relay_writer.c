/* The reader process's side: keeps entities and states of sources, so that they
 * can be sent again, and passes values on at once.
 */
#include "agent/sample/relay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/hash.h"
#include "agent/sample/relay_ring.h"

#define BUCKETS 4096u		/* of the hash of keys */
#define DEPTH_MAX 8u		/* of entities below one another */

enum slot_state {
	SLOT_FREE,
	SLOT_LIVE,
	SLOT_GONE,	/* the other side must be told */
	SLOT_DEAD,	/* below one that is SLOT_GONE: goes with it */
};

enum group_state {
	GROUP_NONE,	/* values belong to no group */
	GROUP_OPEN,
	GROUP_DROPPED,	/* for lack of room; so are its values */
};

/* An entity; its handle is its index. The texts are the slot's own. */
struct relay_slot {
	struct entity_key key;		/* parent: a handle of ours */
	uint8_t driver;
	uint8_t state;			/* enum slot_state */
	bool said;
	uint64_t unsaid;		/* bit: attribute to be sent */
	uint32_t next;			/* of the same bucket */
	char *attribute[ATTRIBUTE_COUNT];
};

struct relay_source {
	enum source_state state;
	bool known, said;
	int64_t interval_ns;
	char reason[SOURCE_REASON_MAX];
};

struct relay_driver {
	struct relay_writer *writer;
	unsigned number;
	struct relay_source source[PLATFORM_SOURCES_MAX];
};

struct relay_writer {
	struct relay_memory *m;
	int event_fd;
	uint64_t signalled;		/* head as of the last signal */
	uint64_t wanted;		/* the reader's, as last answered */
	bool begun;
	enum group_state group;
	uint32_t high;			/* slots 1 to high have been used */
	uint32_t gone;			/* slots that are SLOT_GONE */
	uint32_t scan;			/* all slots below are sent */
	bool sources_unsaid;
	uint32_t bucket[BUCKETS];
	struct relay_driver driver[PLATFORM_DRIVERS_MAX];
	struct relay_slot slot[RELAY_ENTITIES_MAX + 1];
};

_Static_assert(ATTRIBUTE_COUNT <= 64, "attributes fit the mask");

static void text_put(struct writer *w, const char *text)
{
	size_t n = text ? strnlen(text, RELAY_TEXT_MAX) : 0;

	writer_u8(w, (uint8_t)n);
	writer_bytes(w, text, n);
}

/* Wakes the other side if it may have gone to sleep since the last signal. */
static void signal_if_asleep(struct relay_writer *w)
{
	static const uint64_t one = 1;

	if (atomic_load(&w->m->tail) < w->signalled)
		return;
	w->signalled = atomic_load_explicit(&w->m->head, memory_order_relaxed);
	/* EAGAIN: it is signalled already. */
	if (write(w->event_fd, &one, sizeof(one)) < 0)
		return;
}

static bool message_put(struct relay_writer *w, const struct writer *message)
{
	if (!writer_ok(message) ||
	    !relay_put(w->m, message->data, message->pos))
		return false;
	signal_if_asleep(w);
	return true;
}

/* For messages that are not sent again. */
static void message_put_or_drop(struct relay_writer *w,
				const struct writer *message)
{
	if (!message_put(w, message))
		(void)atomic_fetch_add_explicit(&w->m->dropped, 1,
						memory_order_relaxed);
}

static uint32_t *bucket_of(struct relay_writer *w, unsigned driver,
			   const struct entity_key *key)
{
	uint64_t h = (uint64_t)key->kind << 40 ^ (uint64_t)driver << 48 ^
		     (uint64_t)key->parent << 16 ^ key->number;

	h = hash_octets(h, key->name, strlen(key->name));
	h *= UINT64_C(0x9e3779b97f4a7c15);
	return &w->bucket[h >> 52];
}

static void slot_release(struct relay_writer *w, uint32_t handle)
{
	struct relay_slot *slot = &w->slot[handle];
	uint32_t *at = bucket_of(w, slot->driver, &slot->key);

	while (*at != handle)
		at = &w->slot[*at].next;
	*at = slot->next;
	for (unsigned i = 0; i < ATTRIBUTE_COUNT; i++)
		free(slot->attribute[i]);
	memset(slot, 0, sizeof(*slot));
}

static bool slot_is_below(const struct relay_writer *w, uint32_t handle,
			  uint32_t top)
{
	for (unsigned depth = 0; handle && depth < DEPTH_MAX; depth++) {
		handle = w->slot[handle].key.parent;
		if (handle == top)
			return true;
	}
	return false;
}

/* Frees the slots that went with top, once the other side knows. */
static void slots_release_gone(struct relay_writer *w, uint32_t top)
{
	for (uint32_t i = 1; i <= w->high; i++)
		if (w->slot[i].state == SLOT_DEAD && slot_is_below(w, i, top))
			slot_release(w, i);
	slot_release(w, top);
	w->gone--;
}

static bool gone_say(struct relay_writer *w, uint32_t handle)
{
	uint8_t octets[16];
	struct writer m = writer_of(octets, sizeof(octets));

	writer_u8(&m, RELAY_GONE);
	writer_u8(&m, w->slot[handle].driver);
	writer_be32(&m, handle);
	if (w->slot[handle].said && !message_put(w, &m))
		return false;
	slots_release_gone(w, handle);
	return true;
}

static bool attributes_say(struct relay_writer *w, uint32_t handle)
{
	struct relay_slot *slot = &w->slot[handle];
	uint8_t octets[RELAY_MESSAGE_MAX];

	while (slot->unsaid) {
		unsigned which = (unsigned)__builtin_ctzll(slot->unsaid);
		struct writer m = writer_of(octets, sizeof(octets));

		writer_u8(&m, RELAY_ATTRIBUTE);
		writer_u8(&m, slot->driver);
		writer_be32(&m, handle);
		writer_u8(&m, (uint8_t)which);
		text_put(&m, slot->attribute[which]);
		if (!message_put(w, &m))
			return false;
		slot->unsaid &= slot->unsaid - 1;
	}
	return true;
}

static bool entity_say_one(struct relay_writer *w, uint32_t handle)
{
	struct relay_slot *slot = &w->slot[handle];
	uint8_t octets[RELAY_MESSAGE_MAX];
	struct writer m = writer_of(octets, sizeof(octets));

	if (slot->said)
		return true;
	writer_u8(&m, RELAY_ENTITY);
	writer_u8(&m, slot->driver);
	writer_be32(&m, handle);
	writer_u8(&m, (uint8_t)slot->key.kind);
	writer_be32(&m, slot->key.parent);
	writer_be32(&m, slot->key.number);
	text_put(&m, slot->key.name);
	slot->said = message_put(w, &m);
	return slot->said;
}

/* Sends an entity; parents first. */
static bool entity_say(struct relay_writer *w, uint32_t handle)
{
	uint32_t chain[DEPTH_MAX];
	unsigned n = 0;

	for (uint32_t h = handle; h && n < DEPTH_MAX; h = w->slot[h].key.parent)
		chain[n++] = h;
	while (n > 0)
		if (!entity_say_one(w, chain[--n]))
			return false;
	return attributes_say(w, handle);
}

static bool source_say(struct relay_writer *w, unsigned driver, unsigned n)
{
	struct relay_source *source = &w->driver[driver].source[n];
	uint8_t octets[RELAY_MESSAGE_MAX];
	struct writer m = writer_of(octets, sizeof(octets));

	if (source->said || !source->known)
		return true;
	writer_u8(&m, RELAY_SOURCE);
	writer_u8(&m, (uint8_t)driver);
	writer_u8(&m, (uint8_t)n);
	writer_u8(&m, (uint8_t)source->state);
	writer_be64(&m, (uint64_t)source->interval_ns);
	text_put(&m, source->reason);
	source->said = message_put(w, &m);
	return source->said;
}

static bool sources_say(struct relay_writer *w)
{
	for (unsigned i = 0; i < PLATFORM_DRIVERS_MAX; i++)
		for (unsigned n = 0; n < PLATFORM_SOURCES_MAX; n++)
			if (!source_say(w, i, n))
				return false;
	w->sources_unsaid = false;
	return true;
}

static bool begin_say(struct relay_writer *w)
{
	uint8_t octets[32];
	struct writer m = writer_of(octets, sizeof(octets));

	writer_u8(&m, RELAY_BEGIN);
	writer_be64(&m, atomic_load_explicit(&w->m->generation,
					     memory_order_relaxed));
	writer_be64(&m, w->wanted);
	w->begun = message_put(w, &m);
	if (w->begun)
		atomic_store_explicit(&w->m->answered, w->wanted,
				      memory_order_release);
	return w->begun;
}

static void generation_begin(struct relay_writer *w)
{
	(void)atomic_fetch_add(&w->m->generation, 1);
	w->begun = false;
	w->group = GROUP_NONE;
	w->scan = 1;
	w->signalled = 0;
	for (uint32_t i = 1; i <= w->high; i++) {
		struct relay_slot *slot = &w->slot[i];

		slot->said = false;
		for (unsigned a = 0; a < ATTRIBUTE_COUNT; a++)
			if (slot->attribute[a])
				slot->unsaid |= UINT64_C(1) << a;
	}
	for (unsigned i = 0; i < PLATFORM_DRIVERS_MAX; i++)
		for (unsigned n = 0; n < PLATFORM_SOURCES_MAX; n++)
			w->driver[i].source[n].said = false;
	w->sources_unsaid = true;
}

/* Gone entities are sent first: their keys may have come back meanwhile. */
static bool gone_say_all(struct relay_writer *w)
{
	for (uint32_t i = 1; w->gone > 0 && i <= w->high; i++)
		if (w->slot[i].state == SLOT_GONE && !gone_say(w, i))
			return false;
	return true;
}

/* Sends all that must come before anything else. False when there is no room
 * for all of it.
 */
static bool catch_up(struct relay_writer *w)
{
	uint64_t wanted = atomic_load_explicit(&w->m->wanted,
					       memory_order_acquire);

	if (wanted != w->wanted) {
		w->wanted = wanted;
		generation_begin(w);
	}
	if (!w->begun && !begin_say(w))
		return false;
	if (!gone_say_all(w))
		return false;
	for (; w->scan <= w->high; w->scan++)
		if (w->slot[w->scan].state == SLOT_LIVE &&
		    !entity_say(w, w->scan))
			return false;
	return !w->sources_unsaid || sources_say(w);
}

void relay_writer_run(struct relay_writer *w)
{
	(void)catch_up(w);
}

static bool handle_is_live(const struct relay_writer *w, uint32_t handle)
{
	return handle > 0 && handle <= w->high &&
	       w->slot[handle].state == SLOT_LIVE;
}

static uint32_t slot_free_find(const struct relay_writer *w)
{
	for (uint32_t i = 1; i <= RELAY_ENTITIES_MAX; i++)
		if (w->slot[i].state == SLOT_FREE)
			return i;
	return 0;
}

static void unsaid_from(struct relay_writer *w, uint32_t handle)
{
	if (handle < w->scan)
		w->scan = handle;
}

static int host_entity(void *context, const struct entity_key *key,
		       uint32_t *ret_handle)
{
	struct relay_driver *d = context;
	struct relay_writer *w = d->writer;
	uint32_t *bucket, handle;

	if (key->kind < ENTITY_SWITCH || key->kind >= ENTITY_KIND_COUNT ||
	    strnlen(key->name, ENTITY_NAME_MAX) == ENTITY_NAME_MAX ||
	    (key->parent != ENTITY_NONE && !handle_is_live(w, key->parent)))
		return -EINVAL;
	bucket = bucket_of(w, d->number, key);
	for (handle = *bucket; handle; handle = w->slot[handle].next)
		if (w->slot[handle].state == SLOT_LIVE &&
		    w->slot[handle].driver == d->number &&
		    entity_key_is(&w->slot[handle].key, key))
			break;
	if (!handle) {
		handle = slot_free_find(w);
		if (!handle)
			return -ENOSPC;
		w->slot[handle] = (struct relay_slot){
			.key = *key, .driver = (uint8_t)d->number,
			.state = SLOT_LIVE, .next = *bucket };
		*bucket = handle;
		if (handle > w->high)
			w->high = handle;
		unsaid_from(w, handle);
		(void)catch_up(w);
	}
	*ret_handle = handle;
	return 0;
}

static void host_attribute(void *context, uint32_t handle,
			   enum attribute which, const char *text)
{
	struct relay_driver *d = context;
	struct relay_writer *w = d->writer;
	const char *was, *is = text ? text : "";
	struct relay_slot *slot;
	char *copy;

	if (!handle_is_live(w, handle) || which < 1 || which >= ATTRIBUTE_COUNT)
		return;
	slot = &w->slot[handle];
	was = slot->attribute[which] ? slot->attribute[which] : "";
	if (strncmp(was, is, ATTRIBUTE_TEXT_MAX - 1) == 0)
		return;
	copy = strndup(is, ATTRIBUTE_TEXT_MAX - 1);
	if (!copy)
		return;		/* the next read sends it again */
	free(slot->attribute[which]);
	slot->attribute[which] = copy;
	slot->unsaid |= UINT64_C(1) << which;
	unsaid_from(w, handle);
	(void)catch_up(w);
}

static void host_gone(void *context, uint32_t handle)
{
	struct relay_driver *d = context;
	struct relay_writer *w = d->writer;

	if (!handle_is_live(w, handle))
		return;
	for (uint32_t i = 1; i <= w->high; i++)
		if (w->slot[i].state == SLOT_LIVE &&
		    slot_is_below(w, i, handle))
			w->slot[i].state = SLOT_DEAD;
	w->slot[handle].state = SLOT_GONE;
	w->gone++;
	w->group = GROUP_NONE;
	(void)catch_up(w);
}

static void host_group(void *context, unsigned source, uint32_t handle,
		       const struct read_group *age)
{
	struct relay_driver *d = context;
	struct relay_writer *w = d->writer;
	uint8_t octets[64];
	struct writer m = writer_of(octets, sizeof(octets));

	w->group = GROUP_NONE;
	if (!handle_is_live(w, handle) || source >= PLATFORM_SOURCES_MAX ||
	    age->part >= READ_PARTS_MAX)
		return;
	(void)catch_up(w);
	writer_u8(&m, RELAY_GROUP);
	writer_u8(&m, (uint8_t)d->number);
	writer_be32(&m, handle);
	writer_u8(&m, (uint8_t)source);
	writer_u8(&m, (uint8_t)age->part);
	writer_be64(&m, (uint64_t)age->taken.ns);
	writer_be64(&m, (uint64_t)age->uncertainty_ns);
	writer_be64(&m, (uint64_t)age->window_ns);
	/* If the entity could not be sent, the group has no room either. */
	w->group = w->begun && w->slot[handle].said && message_put(w, &m)
			   ? GROUP_OPEN : GROUP_DROPPED;
}

static void host_sample(void *context, enum quantity quantity, unsigned index,
			int64_t value, enum sample_quality quality)
{
	struct relay_driver *d = context;
	struct relay_writer *w = d->writer;
	uint8_t octets[32];
	struct writer m = writer_of(octets, sizeof(octets));

	if (index > UINT16_MAX || quality >= SAMPLE_QUALITY_COUNT ||
	    w->group == GROUP_NONE)
		return;
	if (w->group == GROUP_DROPPED)
		m.overflow = true;	/* drop, even if there is room again */
	writer_u8(&m, RELAY_SAMPLE);
	writer_be16(&m, (uint16_t)quantity);
	writer_be16(&m, (uint16_t)index);
	writer_be64(&m, (uint64_t)value);
	writer_u8(&m, (uint8_t)quality);
	message_put_or_drop(w, &m);
}

static void host_event(void *context, uint32_t handle,
		       enum platform_event what, int64_t value,
		       struct mono when, const char *text)
{
	struct relay_driver *d = context;
	struct relay_writer *w = d->writer;
	uint8_t octets[RELAY_MESSAGE_MAX];
	struct writer m = writer_of(octets, sizeof(octets));

	if (what < 1 || what >= PLATFORM_EVENT_COUNT ||
	    (handle != ENTITY_NONE && !handle_is_live(w, handle)))
		return;
	(void)catch_up(w);
	writer_u8(&m, RELAY_EVENT);
	writer_u8(&m, (uint8_t)d->number);
	writer_be32(&m, handle);
	writer_u8(&m, (uint8_t)what);
	writer_be64(&m, (uint64_t)value);
	writer_be64(&m, (uint64_t)when.ns);
	text_put(&m, text);
	message_put_or_drop(w, &m);
}

static void host_source(void *context, unsigned source,
			enum source_state state, int64_t interval_ns,
			const char *reason)
{
	struct relay_driver *d = context;
	struct relay_source *s;

	if (source >= PLATFORM_SOURCES_MAX || state >= SOURCE_STATE_COUNT)
		return;
	s = &d->source[source];
	*s = (struct relay_source){ .state = state, .known = true,
				    .interval_ns = interval_ns };
	(void)strncpy(s->reason, reason ? reason : "", sizeof(s->reason) - 1);
	d->writer->sources_unsaid = true;
	d->writer->group = GROUP_NONE;
	(void)catch_up(d->writer);
}

int relay_writer_new(struct relay_memory *m, int event_fd,
		     struct relay_writer **ret)
{
	struct relay_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->m = m;
	w->event_fd = event_fd;
	w->wanted = atomic_load(&m->wanted);
	for (unsigned i = 0; i < PLATFORM_DRIVERS_MAX; i++) {
		w->driver[i].writer = w;
		w->driver[i].number = i;
	}
	generation_begin(w);
	*ret = w;
	return 0;
}

void relay_writer_free(struct relay_writer *w)
{
	if (!w)
		return;
	for (uint32_t i = 1; i <= w->high; i++)
		for (unsigned a = 0; a < ATTRIBUTE_COUNT; a++)
			free(w->slot[i].attribute[a]);
	free(w);
}

void relay_writer_host(struct relay_writer *w, unsigned driver,
		       struct platform_host *ret)
{
	*ret = (struct platform_host){
		.abi = PLATFORM_ABI, .size = sizeof(*ret),
		.context = &w->driver[driver], .entity = host_entity,
		.attribute = host_attribute, .gone = host_gone,
		.group = host_group, .sample = host_sample,
		.event = host_event, .source = host_source,
	};
}
