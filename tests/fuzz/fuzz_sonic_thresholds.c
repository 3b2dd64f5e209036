/* What follows from rows of CONFIG_DB, whatever they say: a line of the input
 * is a key, then a field and its value, apart by blanks.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "platform/sonic/meaning/tables.h"
#include "platform/sonic/switchdb/namespace.h"

#define PORTS 2
#define QUEUES 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bed {
	struct platform_host host;
	struct namespace *namespace;
	uint32_t handles;
	bool open;		/* a group is */
};

static int on_entity(void *context, const struct entity_key *key, uint32_t *ret)
{
	struct bed *b = context;

	assert(memchr(key->name, '\0', sizeof(key->name)));
	*ret = ++b->handles;
	return 0;
}

static void on_attribute(void *context, uint32_t handle, enum attribute which,
			 const char *text)
{
	const struct bed *b = context;

	assert(handle > 0 && handle <= b->handles && attribute_name(which));
	assert(strlen(text) < ATTRIBUTE_TEXT_MAX);
}

static void on_group(void *context, unsigned source, uint32_t handle,
		     const struct read_group *age)
{
	struct bed *b = context;

	(void)age;
	assert(source == SONIC_CHANGES);
	assert(handle > 0 && handle <= b->handles);
	b->open = true;
}

static void on_sample(void *context, enum quantity quantity, unsigned index,
		      int64_t value, enum sample_quality quality)
{
	const struct bed *b = context;

	(void)value;
	assert(b->open && quality == QUALITY_GOOD && index < 3);
	assert(quantity_find((uint16_t)quantity));
}

static void merge(struct bed *b, enum object_kind kind, const char *end)
{
	struct name_list names = { .count = 0 };
	const char *const ports[PORTS] = { "Ethernet0", "Ethernet8" };

	for (unsigned i = 0; i < PORTS; i++)
		for (char n = '0'; n < '0' + (end[0] ? QUEUES : 1); n++) {
			char name[16];

			(void)snprintf(name, sizeof(name), "%s%s%.1s",
				       ports[i], end, end[0] ? &n : "");
			name_list_add(&names, name, strlen(name), 1);
		}
	name_list_sort(&names);
	(void)topology_merge(&b->namespace->topology, kind, &names, true,
			     (struct mono){ 1 });
	name_list_free(&names);
}

/* The next word of a line; "" at its end. */
static const char *word(const char **at, const char *end, size_t *ret_len)
{
	const char *from = *at;

	while (*at < end && **at != ' ')
		(*at)++;
	*ret_len = (size_t)(*at - from);
	*at += *at < end;
	return from;
}

static void line_take(struct rows *rows, const char *at, const char *end)
{
	struct row_text text;
	char key[KEY_OCTETS_MAX] = "";
	size_t len;
	const char *from = word(&at, end, &len);

	if (len == 0 || len >= sizeof(key) || memchr(from, '\0', len))
		return;
	memcpy(key, from, len);
	row_text_clear(&text);
	while (at < end) {
		from = word(&at, end, &len);
		row_text_name(&text, from, len);
		from = word(&at, end, &len);
		row_text_value(&text, from, len);
	}
	rows_take(rows, key, 0, 1, &text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data, *end = at + size;
	struct bed b = { .namespace = calloc(1, sizeof(*b.namespace)) };
	struct following *t = &b.namespace->following;

	b.host = (struct platform_host){
		.context = &b, .entity = on_entity, .attribute = on_attribute,
		.group = on_group, .sample = on_sample };
	b.namespace->host = &b.host;
	databases_default(DATABASE_SOCKET_DEFAULT, &b.namespace->databases);
	topology_init(&b.namespace->topology, &b.host, ENTITY_NONE);
	merge(&b, OBJECT_PORT, "");
	merge(&b, OBJECT_QUEUE, ":");
	merge(&b, OBJECT_GROUP, ":");
	while (at < end) {
		const char *line = memchr(at, '\n', (size_t)(end - at));

		line = line ? line : end;
		line_take(&t->rows[FOLLOWING_CONFIG], at, line);
		at = line + 1;
	}
	for (unsigned i = 0; i < PORTS; i++)
		memcpy(b.namespace->topology.set[OBJECT_PORT]
			       .list[i]
			       .port->peer,
		       "leaf1", 6);
	t->derive = t->known = b.namespace->maps.known = true;
	thresholds_give(b.namespace);
	assert(!t->derive);
	rows_free(&t->rows[FOLLOWING_CONFIG]);
	topology_fini(&b.namespace->topology);
	free(b.namespace);
	return 0;
}
