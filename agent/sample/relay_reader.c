/* The core's side: checks each message as if anyone could have written it, and
 * passes it to the host.
 */
#include "agent/sample/relay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/sample/relay_ring.h"

#define DRAIN_OCTETS_MAX (2u * RELAY_OCTETS)	/* of one call */
#define DEPTH_MAX 8u

/* A handle of the writer, as the host knows it. */
struct host_handle {
	uint32_t host;		/* the host's handle; 0: none */
	uint32_t parent;	/* the writer's handle */
	uint8_t driver;
};

/* An entity of an earlier generation that was not sent again yet. */
struct left_over {
	uint32_t host, host_parent;
	uint8_t driver;
};

struct relay_reader {
	struct relay_memory *m;
	const struct platform_host *(*host_of)(void *, unsigned);
	void *context;
	uint64_t wanted;
	bool begun;		/* the writer has answered wanted */
	const struct platform_host *group;	/* NULL: values are skipped */
	uint32_t was_fresh[PLATFORM_DRIVERS_MAX];	/* bit: source */
	uint32_t is_fresh[PLATFORM_DRIVERS_MAX];
	uint32_t left_count, left_hint;
	struct left_over left[RELAY_ENTITIES_MAX];
	struct host_handle tie[RELAY_ENTITIES_MAX + 1];
};

_Static_assert(PLATFORM_SOURCES_MAX <= 32, "sources fit the mask");

/* In this order, so that the writer's answer is not skipped. Messages before
 * the answer are of no generation that we know.
 */
static void all_anew(struct relay_reader *r)
{
	r->begun = false;
	relay_skip(r->m);
	r->wanted = atomic_fetch_add(&r->m->wanted, 1) + 1;
}

int relay_reader_new(struct relay_memory *m,
		     const struct platform_host *(*host_of)(void *, unsigned),
		     void *context, struct relay_reader **ret)
{
	struct relay_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->m = m;
	r->host_of = host_of;
	r->context = context;
	all_anew(r);
	*ret = r;
	return 0;
}

void relay_reader_free(struct relay_reader *r)
{
	free(r);
}

/* A text of a message, cut to cap. False when it is malformed. */
static bool text_read(struct cursor *c, char *ret, size_t cap)
{
	size_t n = cursor_u8(c);
	const uint8_t *octets = cursor_bytes(c, n);

	if (!octets || memchr(octets, '\0', n))
		return false;
	if (n >= cap)
		n = cap - 1;
	memcpy(ret, octets, n);
	ret[n] = '\0';
	return true;
}

/* The host of the driver that the message names; NULL with c failed when there
 * is no such driver.
 */
static const struct platform_host *host_read(struct relay_reader *r,
					     struct cursor *c,
					     unsigned *ret_driver)
{
	const struct platform_host *host = NULL;
	unsigned driver = cursor_u8(c);

	if (driver < PLATFORM_DRIVERS_MAX)
		host = r->host_of(r->context, driver);
	if (!host)
		cursor_fail(c);
	*ret_driver = driver;
	return host;
}

static uint32_t handle_read(struct cursor *c)
{
	uint32_t handle = cursor_be32(c);

	if (handle > RELAY_ENTITIES_MAX)
		cursor_fail(c);
	return cursor_ok(c) ? handle : 0;
}

static void left_over_add(struct relay_reader *r, const struct host_handle *t)
{
	if (r->left_count < RELAY_ENTITIES_MAX)
		r->left[r->left_count++] = (struct left_over){
			.host = t->host, .driver = t->driver,
			.host_parent = r->tie[t->parent].host };
}

static int on_begin(struct relay_reader *r, struct cursor *c)
{
	uint64_t wanted;

	(void)cursor_be64(c);		/* generation: for people */
	wanted = cursor_be64(c);
	if (!cursor_ok(c))
		return -EBADMSG;
	if (wanted != r->wanted)
		return 0;
	r->begun = true;
	r->group = NULL;
	for (uint32_t i = 1; i <= RELAY_ENTITIES_MAX; i++)
		if (r->tie[i].host)
			left_over_add(r, &r->tie[i]);
	for (uint32_t i = 1; i <= RELAY_ENTITIES_MAX; i++)
		if (r->tie[i].host || r->tie[i].parent)	/* else untouched */
			r->tie[i] = (struct host_handle){ 0 };
	for (unsigned i = 0; i < PLATFORM_DRIVERS_MAX; i++) {
		r->was_fresh[i] |= r->is_fresh[i];
		r->is_fresh[i] = 0;
	}
	return 0;
}

/* Index, or left_count. The order is nearly that of last time, so the search
 * begins after the one found last.
 */
static uint32_t left_over_find(const struct relay_reader *r, uint32_t host)
{
	for (uint32_t n = 0; n < r->left_count; n++) {
		uint32_t i = (r->left_hint + n) % r->left_count;

		if (r->left[i].host == host)
			return i;
	}
	return r->left_count;
}

/* It was sent again. The entry stays in its place, empty, to keep the order
 * that left_over_find() relies on.
 */
static void left_over_strike(struct relay_reader *r, uint32_t host)
{
	uint32_t i = left_over_find(r, host);

	if (i == r->left_count)
		return;
	r->left[i].host = 0;
	r->left_hint = i + 1;
}

/* Ends entities not sent again, once the driver's sources were all read. */
static void left_over_settle(struct relay_reader *r, unsigned driver,
			     const struct platform_host *host)
{
	uint32_t kept = 0;

	if (r->left_count == 0 ||
	    (r->was_fresh[driver] & ~r->is_fresh[driver]) != 0)
		return;
	for (uint32_t i = 0; i < r->left_count; i++) {
		const struct left_over *l = &r->left[i];

		/* Entities below one that is gone go with it. */
		if (l->host && l->driver == driver &&
		    (!l->host_parent ||
		     left_over_find(r, l->host_parent) == r->left_count))
			host->gone(host->context, l->host);
	}
	for (uint32_t i = 0; i < r->left_count; i++)
		if (r->left[i].host && r->left[i].driver != driver)
			r->left[kept++] = r->left[i];
	r->left_count = kept;
	r->left_hint = 0;
}

static int on_entity(struct relay_reader *r, struct cursor *c)
{
	struct entity_key key = { 0 };
	unsigned driver;
	const struct platform_host *host = host_read(r, c, &driver);
	uint32_t handle = handle_read(c), parent, id;

	key.kind = cursor_u8(c);
	parent = handle_read(c);
	key.number = cursor_be32(c);
	if (!host || !text_read(c, key.name, sizeof(key.name)) || !handle ||
	    key.kind < ENTITY_SWITCH ||
	    key.kind >= ENTITY_KIND_COUNT)
		return -EBADMSG;
	key.parent = parent ? r->tie[parent].host : ENTITY_NONE;
	r->tie[handle] = (struct host_handle){ .parent = parent,
					       .driver = (uint8_t)driver };
	if ((parent && !key.parent) ||
	    host->entity(host->context, &key, &id) < 0)
		return 0;	/* refused by the host, which counts it */
	r->tie[handle].host = id;
	left_over_strike(r, id);
	return 0;
}

static int on_attribute(struct relay_reader *r, struct cursor *c)
{
	char text[ATTRIBUTE_TEXT_MAX];
	unsigned driver, which;
	const struct platform_host *host = host_read(r, c, &driver);
	uint32_t handle = handle_read(c);

	which = cursor_u8(c);
	if (!host || !text_read(c, text, sizeof(text)) || which < 1 ||
	    which >= ATTRIBUTE_COUNT)
		return -EBADMSG;
	if (r->tie[handle].host)
		host->attribute(host->context, r->tie[handle].host, which,
				text);
	return 0;
}

static bool tie_is_below(const struct relay_reader *r, uint32_t handle,
			 uint32_t top)
{
	for (unsigned depth = 0; handle && depth < DEPTH_MAX; depth++) {
		handle = r->tie[handle].parent;
		if (handle == top)
			return true;
	}
	return false;
}

static int on_gone(struct relay_reader *r, struct cursor *c)
{
	unsigned driver;
	const struct platform_host *host = host_read(r, c, &driver);
	uint32_t handle = handle_read(c);

	if (!host || !cursor_ok(c))
		return -EBADMSG;
	r->group = NULL;
	if (!r->tie[handle].host)
		return 0;
	host->gone(host->context, r->tie[handle].host);
	for (uint32_t i = 1; i <= RELAY_ENTITIES_MAX; i++)
		if (r->tie[i].host && tie_is_below(r, i, handle))
			r->tie[i].host = 0;
	r->tie[handle].host = 0;
	return 0;
}

static int on_group(struct relay_reader *r, struct cursor *c)
{
	struct read_group age;
	unsigned driver, source;
	const struct platform_host *host = host_read(r, c, &driver);
	uint32_t handle = handle_read(c);

	source = cursor_u8(c);
	age.part = cursor_u8(c);
	age.taken.ns = (int64_t)cursor_be64(c);
	age.uncertainty_ns = (int64_t)cursor_be64(c);
	age.window_ns = (int64_t)cursor_be64(c);
	if (!host || !cursor_ok(c) || source >= PLATFORM_SOURCES_MAX)
		return -EBADMSG;
	r->group = r->tie[handle].host ? host : NULL;
	if (r->group)
		host->group(host->context, source, r->tie[handle].host, &age);
	return 0;
}

static int on_sample(struct relay_reader *r, struct cursor *c)
{
	unsigned quantity = cursor_be16(c);
	unsigned index = cursor_be16(c);
	int64_t value = (int64_t)cursor_be64(c);
	unsigned quality = cursor_u8(c);

	if (!cursor_ok(c) || quality >= SAMPLE_QUALITY_COUNT)
		return -EBADMSG;
	if (r->group)
		r->group->sample(r->group->context, quantity, index, value,
				 quality);
	return 0;
}

static int on_event(struct relay_reader *r, struct cursor *c)
{
	char text[RELAY_TEXT_MAX + 1];
	unsigned driver, what;
	const struct platform_host *host = host_read(r, c, &driver);
	uint32_t handle = handle_read(c);
	struct mono when;
	int64_t value;

	what = cursor_u8(c);
	value = (int64_t)cursor_be64(c);
	when.ns = (int64_t)cursor_be64(c);
	if (!host || !text_read(c, text, sizeof(text)) || what < 1 ||
	    what >= PLATFORM_EVENT_COUNT)
		return -EBADMSG;
	if (!handle || r->tie[handle].host)
		host->event(host->context, r->tie[handle].host, what, value,
			    when, text);
	return 0;
}

static int on_source(struct relay_reader *r, struct cursor *c)
{
	char reason[SOURCE_REASON_MAX];
	unsigned driver, source, state;
	const struct platform_host *host = host_read(r, c, &driver);
	int64_t interval_ns;

	source = cursor_u8(c);
	state = cursor_u8(c);
	interval_ns = (int64_t)cursor_be64(c);
	if (!host || !text_read(c, reason, sizeof(reason)) ||
	    source >= PLATFORM_SOURCES_MAX || state >= SOURCE_STATE_COUNT)
		return -EBADMSG;
	r->group = NULL;
	host->source(host->context, source, state, interval_ns,
		     reason[0] ? reason : NULL);
	if (state == SOURCE_FRESH) {
		r->is_fresh[driver] |= 1u << source;
		left_over_settle(r, driver, host);
	}
	return 0;
}

typedef int message_fn(struct relay_reader *r, struct cursor *c);

static int deliver(struct relay_reader *r, const uint8_t *octets, size_t len)
{
	static message_fn *const handlers[RELAY_KIND_COUNT] = {
		[RELAY_BEGIN] = on_begin,   [RELAY_ENTITY] = on_entity,
		[RELAY_ATTRIBUTE] = on_attribute, [RELAY_GONE] = on_gone,
		[RELAY_GROUP] = on_group,   [RELAY_SAMPLE] = on_sample,
		[RELAY_EVENT] = on_event,   [RELAY_SOURCE] = on_source,
	};
	struct cursor c = cursor_of(octets, len);
	unsigned kind = cursor_u8(&c);
	int rc;

	if (kind >= RELAY_KIND_COUNT || !handlers[kind])
		return -EBADMSG;
	if (!r->begun && kind != RELAY_BEGIN)
		return 0;	/* from before the writer knew of us */
	rc = handlers[kind](r, &c);
	return rc < 0 ? rc : cursor_left(&c) > 0 ? -EBADMSG : 0;
}

/* If the writer had answered before we began to read, and the answer was not in
 * the ring, it was malformed: we must ask again, or none would ever come.
 */
int relay_reader_drain(struct relay_reader *r)
{
	bool is_answered = atomic_load_explicit(&r->m->answered,
						memory_order_acquire) ==
			   r->wanted;
	uint8_t octets[RELAY_MESSAGE_MAX];
	size_t taken = 0;
	int n = 0, count = 0;

	while (taken < DRAIN_OCTETS_MAX && (n = relay_get(r->m, octets)) > 0 &&
	       deliver(r, octets, (size_t)n) >= 0) {
		taken += (size_t)n;
		count++;
	}
	if (taken >= DRAIN_OCTETS_MAX || (n == 0 && (r->begun || !is_answered)))
		return count;
	all_anew(r);
	return -EBADMSG;
}
