#include "agent/state/inventory.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP_GONE_TICKS 4	/* the dictionary records it by then */
#define PLACES_LEAST 64u
#define PLACES_FIRST 1024u
#define SHARED_MAX 16u

/* The texts of an entity, or of all entities whose only text is the same: a
 * thousand queues are of two types.
 */
struct attribute_texts {
	uint32_t users;
	char *text[ATTRIBUTE_COUNT];
};

struct inventory {
	uint32_t capacity, limit;	/* powers of two; grows up to it */
	uint32_t next_id, version;
	uint32_t live;
	struct inventory_entity *places;	/* id modulo capacity */
	uint32_t *hash;		/* of keys: id, 0 empty; twice the capacity */
	uint32_t *ports;	/* sorted */
	size_t port_count;
	struct attribute_texts
		*shared[SHARED_MAX]; /* with one text; NULL: none */
};

/* For entities without text: most are, as queues and lanes. */
static char *const no_attributes[ATTRIBUTE_COUNT];

/* Its place among the shared texts; NULL: it belongs to one entity. */
static struct attribute_texts **shared_place(struct inventory *v,
					     const struct attribute_texts *t)
{
	for (unsigned i = 0; i < SHARED_MAX; i++)
		if (v->shared[i] == t)
			return &v->shared[i];
	return NULL;
}

static void texts_drop(struct inventory *v, struct attribute_texts *t)
{
	struct attribute_texts **shared;

	if (!t || --t->users > 0)
		return;
	shared = shared_place(v, t);
	if (shared)
		*shared = NULL;
	for (unsigned i = 0; i < ATTRIBUTE_COUNT; i++)
		free(t->text[i]);
	free(t);
}

static void place_empty(struct inventory *v, struct inventory_entity *e)
{
	texts_drop(v, e->texts);
	free(e->shown);
	memset(e, 0, sizeof(*e));
}

void inventory_free(struct inventory *v)
{
	if (!v)
		return;
	for (uint32_t i = 0; v->places && i < v->capacity; i++)
		place_empty(v, &v->places[i]);
	free(v->places);
	free(v->hash);
	free(v->ports);
	free(v);
}

static uint32_t key_hash(const struct entity_key *k)
{
	uint32_t h = (uint32_t)k->kind * 0x9e3779b1u ^ k->parent;

	h = (h ^ k->number) * 0x85ebca6bu;
	for (const char *c = k->name; *c; c++)
		h = (h ^ (unsigned char)*c) * 0x01000193u;
	return h ^ h >> 15;
}

/* The place in the hash of that key, or the empty one where it would go. */
static uint32_t *hash_at(const struct inventory *v,
			 const struct entity_key *key)
{
	uint32_t mask = 2 * v->capacity - 1;
	uint32_t i = key_hash(key) & mask;

	while (v->hash[i] &&
	       !entity_key_is(&inventory_get(v, v->hash[i])->key, key))
		i = (i + 1) & mask;
	return &v->hash[i];
}

static void hash_build(struct inventory *v)
{
	memset(v->hash, 0, 2 * (size_t)v->capacity * sizeof(*v->hash));
	for (uint32_t i = 0; i < v->capacity; i++) {
		const struct inventory_entity *e = &v->places[i];

		if (e->id && !e->gone)
			*hash_at(v, &e->key) = e->id;
	}
}

/* Grows to this capacity: ids whose places differed still have different
 * places. Returns -ENOMEM, and changes nothing.
 */
static int places_take(struct inventory *v, uint32_t capacity)
{
	struct inventory_entity *places = calloc(capacity, sizeof(*places));
	uint32_t *hash = calloc(2 * (size_t)capacity, sizeof(*hash));
	uint32_t *ports = calloc(capacity, sizeof(*ports));

	if (!places || !hash || !ports) {
		free(places);
		free(hash);
		free(ports);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < v->capacity; i++)
		if (v->places[i].id)
			places[v->places[i].id % capacity] = v->places[i];
	for (size_t i = 0; i < v->port_count; i++)
		ports[i] = v->ports[i];
	free(v->places);
	free(v->hash);
	free(v->ports);
	v->places = places;
	v->hash = hash;
	v->ports = ports;
	v->capacity = capacity;
	hash_build(v);
	return 0;
}

int inventory_new(uint32_t capacity, uint32_t first_id, uint32_t version,
		  struct inventory **ret)
{
	struct inventory *v = calloc(1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	v->limit = PLACES_LEAST;
	while (v->limit < capacity)
		v->limit *= 2;
	v->next_id = first_id ? first_id : 1;
	v->version = version;
	if (places_take(v, v->limit < PLACES_FIRST ? v->limit :
						     PLACES_FIRST) < 0) {
		inventory_free(v);
		return -ENOMEM;
	}
	*ret = v;
	return 0;
}

/* Mostly an ASIC; "": the switch. */
static const char *parent_name(const struct inventory *v,
			       const struct inventory_entity *e)
{
	const struct inventory_entity *parent = inventory_get(v, e->key.parent);

	return parent ? parent->key.name : "";
}

static int port_compare(const struct inventory *v, uint32_t a, uint32_t b)
{
	const struct inventory_entity *x = inventory_get(v, a);
	const struct inventory_entity *y = inventory_get(v, b);

	int order;

	assert(x && y);
	order = strverscmp(x->key.name, y->key.name);
	return order ? order : strverscmp(parent_name(v, x), parent_name(v, y));
}

/* Port n of the list, in which ports of the same name are neighbours. */
static void port_name(struct inventory *v, size_t n)
{
	struct inventory_entity *e = &v->places[v->ports[n] % v->capacity];
	bool is_one_of_two = false;

	for (size_t i = n ? n - 1 : 1; i <= n + 1 && i < v->port_count;
	     i += 2) {
		const struct inventory_entity *other =
			inventory_get(v, v->ports[i]);

		assert(other);
		is_one_of_two |= strcmp(other->key.name, e->key.name) == 0;
	}
	if (is_one_of_two == (e->shown != NULL))
		return;
	free(e->shown);
	e->shown = NULL;
	if (is_one_of_two && asprintf(&e->shown, "%s:%s", parent_name(v, e),
				      e->key.name) < 0)
		e->shown = NULL;	/* no memory: the bare name is shown */
}

static void port_insert(struct inventory *v, uint32_t id)
{
	size_t i = v->port_count++;

	for (; i > 0 && port_compare(v, v->ports[i - 1], id) > 0; i--)
		v->ports[i] = v->ports[i - 1];
	v->ports[i] = id;
	for (size_t n = i ? i - 1 : 0; n <= i + 1 && n < v->port_count; n++)
		port_name(v, n);
}

static void ports_drop_gone(struct inventory *v)
{
	size_t kept = 0;

	for (size_t i = 0; i < v->port_count; i++) {
		const struct inventory_entity *e =
			inventory_get(v, v->ports[i]);

		if (e && !e->gone)
			v->ports[kept++] = v->ports[i];
	}
	v->port_count = kept;
	for (size_t i = 0; i < kept; i++)
		port_name(v, i);
}

static bool key_is_valid(const struct inventory *v,
			 const struct entity_key *key)
{
	if (key->kind < ENTITY_SWITCH || key->kind >= ENTITY_KIND_COUNT)
		return false;
	if (!memchr(key->name, '\0', sizeof(key->name)))
		return false;
	return key->parent == ENTITY_NONE ||
	       inventory_place(v, key->parent) >= 0;
}

/* The next id whose place is free; 0 when none is. */
static uint32_t id_draw(struct inventory *v, uint32_t tick)
{
	for (uint32_t tried = 0; tried < v->capacity; tried++) {
		uint32_t id = v->next_id++;
		struct inventory_entity *e = &v->places[id % v->capacity];

		if (id == ENTITY_NONE)
			continue;
		if (e->id &&
		    (!e->gone || tick - e->gone_tick < KEEP_GONE_TICKS))
			continue;
		place_empty(v, e);
		return id;
	}
	return 0;
}

/* Keeps an eighth free for entities that are gone. Returns -ENOSPC (limit),
 * -ENOMEM.
 */
static int room_make(struct inventory *v)
{
	if (v->live < v->capacity - v->capacity / 8)
		return 0;
	if (v->capacity == v->limit)
		return -ENOSPC;
	return places_take(v, 2 * v->capacity);
}

int inventory_add(struct inventory *v, const struct entity_key *key,
		  uint32_t tick, uint32_t *ret_id)
{
	struct inventory_entity *e;
	uint32_t id;

	if (!key_is_valid(v, key))
		return -EINVAL;
	id = *hash_at(v, key);
	if (!id) {
		int rc = room_make(v);

		if (rc < 0)
			return rc;
		id = id_draw(v, tick);
		if (!id)
			return -ENOSPC;
		e = &v->places[id % v->capacity];
		e->id = id;
		e->key = *key;
		e->attribute = no_attributes;
		e->changed = ++v->version;
		v->live++;
		*hash_at(v, key) = id;
		if (key->kind == ENTITY_PORT)
			port_insert(v, id);
	}
	*ret_id = id;
	return 0;
}

/* The place of the shared texts with this text, else one for them: empty, or
 * with texts that only one entity has; NULL: there is none.
 */
static struct attribute_texts **
shared_find(struct inventory *v, enum attribute which, const char *text)
{
	struct attribute_texts **place = NULL;

	for (unsigned i = 0; i < SHARED_MAX; i++) {
		struct attribute_texts *t = v->shared[i];

		if (t && t->text[which] && strcmp(t->text[which], text) == 0)
			return &v->shared[i];
		if (!t || (t->users == 1 && !place))
			place = &v->shared[i];
	}
	return place;
}

/* The first text of an entity: shared with others while it is the only one.
 * Returns NULL without memory.
 */
static struct attribute_texts *
texts_first(struct inventory *v, enum attribute which, const char *text)
{
	struct attribute_texts **shared = shared_find(v, which, text);
	struct attribute_texts *t = shared ? *shared : NULL;

	if (t && t->text[which] && strcmp(t->text[which], text) == 0) {
		t->users++;
		return t;
	}
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->users = 1;
	t->text[which] = strdup(text);
	if (!t->text[which]) {
		free(t);
		return NULL;
	}
	if (shared)
		*shared = t;
	return t;
}

/* Gives the entity its own texts, to be changed. False: no memory. */
static bool texts_part(struct inventory *v, struct inventory_entity *e)
{
	struct attribute_texts **shared = shared_place(v, e->texts), *own;

	if (!shared)
		return true;
	if (e->texts->users == 1) {
		*shared = NULL;
		return true;
	}
	own = calloc(1, sizeof(*own));
	if (!own)
		return false;
	own->users = 1;
	for (unsigned i = 0; i < ATTRIBUTE_COUNT; i++) {
		if (!e->texts->text[i])
			continue;
		own->text[i] = strdup(e->texts->text[i]);
		if (own->text[i])
			continue;
		texts_drop(v, own);
		return false;
	}
	texts_drop(v, e->texts);
	e->texts = own;
	e->attribute = own->text;
	return true;
}

/* text: NULL none. False: no memory, the old text stays. */
static bool text_set(struct inventory *v, struct inventory_entity *e,
		     enum attribute which, const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if ((text && !copy) || !texts_part(v, e)) {
		free(copy);
		return false;
	}
	free(e->texts->text[which]);
	e->texts->text[which] = copy;
	return true;
}

bool inventory_attribute(struct inventory *v, uint32_t id,
			 enum attribute which, const char *text)
{
	int32_t place = inventory_place(v, id);
	char cut[ATTRIBUTE_TEXT_MAX];
	struct inventory_entity *e;
	const char *was;

	if (place < 0 || which <= 0 || which >= ATTRIBUTE_COUNT)
		return false;
	e = &v->places[place];
	was = e->attribute[which] ? e->attribute[which] : "";
	(void)snprintf(cut, sizeof(cut), "%s", text ? text : "");
	if (strcmp(was, cut) == 0)
		return false;
	if (!e->texts) {
		e->texts = texts_first(v, which, cut);
		if (!e->texts)
			return false;	/* the driver tells it again */
		e->attribute = e->texts->text;
	} else if (!text_set(v, e, which, cut[0] ? cut : NULL)) {
		return false;
	}
	e->changed = ++v->version;
	return true;
}

static size_t children_gone(struct inventory *v, uint32_t id, uint32_t tick)
{
	struct inventory_entity *e = &v->places[id % v->capacity];
	size_t n = 1;

	e->gone = true;
	e->gone_tick = tick;
	e->changed = v->version;
	v->live--;
	for (uint32_t i = 0; i < v->capacity; i++)
		if (v->places[i].id && !v->places[i].gone &&
		    v->places[i].key.parent == id)
			n += children_gone(v, v->places[i].id, tick);
	return n;
}

size_t inventory_gone(struct inventory *v, uint32_t id, uint32_t tick)
{
	size_t n;

	if (inventory_place(v, id) < 0)
		return 0;
	v->version++;
	n = children_gone(v, id, tick);
	ports_drop_gone(v);
	hash_build(v);
	return n;
}

const struct inventory_entity *inventory_get(const struct inventory *v,
					     uint32_t id)
{
	const struct inventory_entity *e = &v->places[id % v->capacity];

	return id && e->id == id ? e : NULL;
}

int32_t inventory_place(const struct inventory *v, uint32_t id)
{
	const struct inventory_entity *e = inventory_get(v, id);

	return e && !e->gone ? (int32_t)(e - v->places) : -1;
}

uint32_t inventory_find(const struct inventory *v,
			const struct entity_key *key)
{
	return *hash_at(v, key);
}

size_t inventory_places(const struct inventory *v,
			const struct inventory_entity **ret)
{
	*ret = v->places;
	return v->capacity;
}

uint32_t inventory_version(const struct inventory *v)
{
	return v->version;
}

uint32_t inventory_next(const struct inventory *v)
{
	return v->next_id;
}

void inventory_touch(struct inventory *v)
{
	v->version++;
}

size_t inventory_ports(const struct inventory *v, const uint32_t **ret)
{
	*ret = v->ports;
	return v->port_count;
}
