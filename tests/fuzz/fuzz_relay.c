/* Anything in the relay's ring: the core's host must only ever be told what is
 * within the enumerations. Input: messages as they lie in the ring.
 */
#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent/sample/relay.h"
#include "agent/sample/relay_ring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static int on_entity(void *context, const struct entity_key *key, uint32_t *ret)
{
	uint32_t *next = context;

	assert(key->kind >= 1 && key->kind < ENTITY_KIND_COUNT);
	assert(memchr(key->name, '\0', sizeof(key->name)));
	assert(key->parent <= *next);
	*ret = ++*next;
	return 0;
}

static void on_attribute(void *context, uint32_t id, enum attribute which,
			 const char *text)
{
	assert(id > 0 && id <= *(uint32_t *)context);
	assert(which >= 1 && which < ATTRIBUTE_COUNT);
	assert(strlen(text) < ATTRIBUTE_TEXT_MAX);
}

static void on_gone(void *context, uint32_t id)
{
	assert(id > 0 && id <= *(uint32_t *)context);
}

static void on_group(void *context, unsigned source, uint32_t id,
		     const struct read_group *age)
{
	(void)age;
	assert(source < PLATFORM_SOURCES_MAX);
	assert(id > 0 && id <= *(uint32_t *)context);
}

static void on_sample(void *context, enum quantity quantity, unsigned index,
		      int64_t value, enum sample_quality quality)
{
	(void)context;
	(void)value;
	assert((unsigned)quantity <= UINT16_MAX && index <= UINT16_MAX);
	assert(quality < SAMPLE_QUALITY_COUNT);
}

static void on_event(void *context, uint32_t id, enum platform_event what,
		     int64_t value, struct mono when, const char *text)
{
	(void)value;
	(void)when;
	assert(id <= *(uint32_t *)context);
	assert(what >= 1 && what < PLATFORM_EVENT_COUNT);
	assert(strlen(text) <= RELAY_TEXT_MAX);
}

static void on_source(void *context, unsigned source, enum source_state state,
		      int64_t interval_ns, const char *reason)
{
	(void)context;
	(void)interval_ns;
	assert(source < PLATFORM_SOURCES_MAX && state < SOURCE_STATE_COUNT);
	assert(!reason || strlen(reason) < SOURCE_REASON_MAX);
}

static const struct platform_host *host_of(void *context, unsigned driver)
{
	return driver < 2 ? context : NULL;
}

/* Messages with their length before each, as many as are whole. */
static void messages_put(struct relay_memory *m, const uint8_t *data,
			 size_t len)
{
	struct cursor c = cursor_of(data, len);

	while (cursor_left(&c) > 2) {
		size_t n = cursor_be16(&c);
		const uint8_t *octets = cursor_bytes(&c, n);

		if (!octets || n > RELAY_MESSAGE_MAX ||
		    !relay_put(m, octets, n))
			break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct relay_memory memory;
	uint32_t entities = 0;
	struct platform_host host = {
		.context = &entities, .entity = on_entity,
		.attribute = on_attribute, .gone = on_gone, .group = on_group,
		.sample = on_sample, .event = on_event, .source = on_source };
	struct relay_reader *r;

	/* As if the ring's end came soon. */
	memory.head = memory.tail = RELAY_OCTETS - len % RELAY_OCTETS / 2;
	memory.wanted = 0;
	if (relay_reader_new(&memory, host_of, &host, &r) < 0)
		return 0;
	messages_put(&memory, data, len);
	while (relay_reader_drain(r) > 0)
		continue;
	assert(memory.head == memory.tail);
	relay_reader_free(r);
	return 0;
}
