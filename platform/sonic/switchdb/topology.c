#include "platform/sonic/switchdb/topology.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/array.h"
#include "agent/base/number.h"
#include "agent/base/sort.h"

/* --- names ---------------------------------------------------------------- */

#define OID_TEXT_MAX 24

void name_list_free(struct name_list *l)
{
	free(l->list);
	memset(l, 0, sizeof(*l));
}

static bool name_list_room(struct name_list *l)
{
	struct named *list =
		l->count == OBJECTS_MAX ? NULL :
		array_room(l->list, &l->cap, l->count + 1, sizeof(*list));

	if (list)
		l->list = list;
	return list;
}

void name_list_add(struct name_list *l, const char *name, size_t len,
		   uint64_t oid)
{
	struct named *n;

	if (len == 0 || len >= OBJECT_NAME_MAX || memchr(name, '\0', len) ||
	    !name_list_room(l)) {
		l->bad++;
		return;
	}
	n = &l->list[l->count++];
	memcpy(n->name, name, len);
	n->name[len] = '\0';
	n->oid = oid;
}

static int named_order(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	return x->oid < y->oid ? -1 : x->oid > y->oid;
}

void name_list_sort(struct name_list *l)
{
	size_t kept = 0;

	if (l->count == 0)
		return;
	sort_in_place(l->list, l->count, sizeof(*l->list), named_order);
	for (size_t i = 1; i < l->count; i++) {
		if (strcmp(l->list[i].name, l->list[kept].name) != 0)
			l->list[++kept] = l->list[i];
		else if (l->list[kept].oid == 0)
			l->list[kept].oid = l->list[i].oid;
	}
	l->count = kept + 1;
}

static int oid_order(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	if (x->oid != y->oid)
		return x->oid < y->oid ? -1 : 1;
	return strcmp(x->name, y->name);
}

bool name_list_twins(struct name_list *l, const char **ret_one,
		     const char **ret_other)
{
	if (l->count > 0)
		qsort(l->list, l->count, sizeof(*l->list), oid_order);
	for (size_t i = 1; i < l->count; i++) {
		if (l->list[i].oid == 0 || l->list[i].oid != l->list[i - 1].oid)
			continue;
		*ret_one = l->list[i - 1].name;
		*ret_other = l->list[i].name;
		return true;
	}
	return false;
}

bool name_is_port(const char *name, size_t len)
{
	static const char prefix[] = "Ethernet";

	return len > strlen(prefix) && !memchr(name, '\0', len) &&
	       memcmp(name, prefix, strlen(prefix)) == 0;
}

/* The key is built from the number, so only the canonical form is valid:
 * sai_serialize_object_id() writes "oid:0x" and hex without leading zeros.
 */
int oid_parse(const char *text, size_t len, uint64_t *ret)
{
	char again[OID_TEXT_MAX];
	uint64_t oid;
	int n;

	if (len < 7 || len >= sizeof(again) || memcmp(text, "oid:", 4) != 0 ||
	    number_parse_n(text + 4, len - 4, 1, UINT64_MAX, &oid) < 0)
		return -EINVAL;
	n = snprintf(again, sizeof(again), "oid:0x%" PRIx64, oid);
	if ((size_t)n != len || memcmp(again, text, len) != 0)
		return -EINVAL;
	*ret = oid;
	return 0;
}

/* --- objects -------------------------------------------------------------- */

void topology_init(struct topology *t, const struct platform_host *host,
		   uint32_t parent)
{
	memset(t, 0, sizeof(*t));
	t->host = host;
	t->parent = parent;
	/* The switch always exists; without memory it has no name. */
	t->set[OBJECT_SWITCH].list = calloc(1, sizeof(struct object));
	t->set[OBJECT_SWITCH].count = t->set[OBJECT_SWITCH].list != NULL;
}

void topology_fini(struct topology *t)
{
	for (size_t i = 0; i < t->set[OBJECT_PORT].count; i++)
		free(t->set[OBJECT_PORT].list[i].port);
	for (size_t k = 0; k < OBJECT_KIND_COUNT; k++) {
		free(t->set[k].list);
		free(t->set[k].other);
	}
	free(t->ports.list);
	for (size_t i = 0; i < t->cage_count; i++)
		free(t->cages[i]);
	memset(t, 0, sizeof(*t));
}

static int object_order(const void *name, const void *object)
{
	return strcmp(name, ((const struct object *)object)->name);
}

struct object *topology_find(const struct topology *t, enum object_kind kind,
			     const char *name)
{
	const struct object_set *set = &t->set[kind];

	if (set->count == 0)
		return NULL;
	return bsearch(name, set->list, set->count, sizeof(*set->list),
		       object_order);
}

/* How objects of a kind become entities. */
static const struct {
	enum entity_kind entity;
	enum {
		BY_NAME,	/* an entity of its own */
		BY_SLOT,	/* the same, for a card */
		PART,		/* of a port, or of a system port */
		ALIAS,		/* the port itself, under another id */
		BARE,		/* no entity: used by others' rows */
	} is;
} kinds[OBJECT_KIND_COUNT] = {
	[OBJECT_PORT] = { ENTITY_PORT },
	[OBJECT_QUEUE] = { ENTITY_QUEUE, PART },
	[OBJECT_GROUP] = { ENTITY_PRIORITY_GROUP, PART },
	[OBJECT_POOL] = { ENTITY_POOL },
	[OBJECT_GEARBOX_SYSTEM ... OBJECT_GEARBOX_LINE] = { .is = ALIAS },
	[OBJECT_TEMPERATURE ... OBJECT_CARD] = { ENTITY_SENSOR },
	[OBJECT_CARD_TEMPERATURE ... OBJECT_CARD_CURRENT] = { ENTITY_SENSOR,
							       BY_SLOT },
	[OBJECT_SWITCH] = { .is = BARE },
	[OBJECT_SYSTEM_PORT] = { ENTITY_SYSTEM_PORT },
	[OBJECT_VOQ] = { ENTITY_QUEUE, PART },
	[OBJECT_FABRIC_PORT] = { ENTITY_FABRIC_PORT },
	[OBJECT_LAG_MEMBER] = { .is = ALIAS },
	[OBJECT_CHIP] = { .is = BARE },
};

/* "3|CPU temp" as "slot 3 CPU temp": cards may use the same names. */
static void slot_name(char to[static ENTITY_NAME_MAX], const char *name)
{
	int slot = (int)strcspn(name, "|:");
	char whole[OBJECT_NAME_MAX + sizeof("slot  ")];
	int len = snprintf(whole, sizeof(whole), "slot %.*s %s", slot, name,
			   name[slot] ? name + slot + 1 : "");

	entity_name_fit(to, whole, (size_t)len);
}

/* The owner in "Ethernet0:3" or "PortChannel1|Ethernet0", and the start of its
 * number; NULL: none.
 */
static const struct object *object_owner(const struct topology *t,
					 enum object_kind kind,
					 const char *name,
					 const char **ret_number)
{
	const char *colon = kinds[kind].is == ALIAS ? name + strlen(name) :
						  strrchr(name, ':');
	char owner[OBJECT_NAME_MAX];

	if (!colon)
		return NULL;
	if (kind == OBJECT_LAG_MEMBER)
		name += strcspn(name, "|:") + (strpbrk(name, "|:") != NULL);
	memcpy(owner, name, (size_t)(colon - name));
	owner[colon - name] = '\0';
	*ret_number = colon + (kinds[kind].is != ALIAS);
	return topology_find(t, kind == OBJECT_VOQ ? OBJECT_SYSTEM_PORT :
						     OBJECT_PORT, owner);
}

/* Finds the owner and number in "Ethernet0:3". */
static bool object_place(const struct topology *t, enum object_kind kind,
			 struct object *o)
{
	const char *text;
	const struct object *owner = object_owner(t, kind, o->name, &text);
	uint64_t number = 0;

	if (!owner || owner->handle == ENTITY_NONE ||
	    (owner->port && owner->port->dying) ||
	    (kinds[kind].is != ALIAS &&
	     number_parse(text, 0, UINT16_MAX, &number) < 0))
		return false;
	o->number = (uint32_t)number;
	o->parent = owner->handle;
	o->port = owner->port;
	return true;
}

/* What a sensor is called after, where another table has its name, too. */
static const char *const sensor_words[OBJECT_KIND_COUNT] = {
	[OBJECT_TEMPERATURE] = "temperature",
	[OBJECT_FAN] = "fan",
	[OBJECT_PSU] = "supply",
	[OBJECT_PSU_FAN] = "supply fan",
	[OBJECT_VOLTAGE] = "voltage",
	[OBJECT_CURRENT] = "current",
	[OBJECT_LEAK] = "leak",
	[OBJECT_STORAGE] = "storage",
	[OBJECT_ASIC] = "chip",
	[OBJECT_CARD] = "card",
	[OBJECT_CARD_TEMPERATURE] = "temperature",
	[OBJECT_CARD_VOLTAGE] = "voltage",
	[OBJECT_CARD_CURRENT] = "current",
};

/* A rail's voltage and current may have one name, in two tables: as one sensor
 * the states and limits of one would hide those of the other.
 */
static bool sensor_is_named(const struct topology *t, enum object_kind kind,
			    const char *name)
{
	for (unsigned k = 0; k < OBJECT_KIND_COUNT; k++) {
		const struct object *o;

		if (k == kind || !sensor_words[k] ||
		    kinds[k].is != kinds[kind].is)
			continue;
		o = topology_find(t, (enum object_kind)k, name);
		if (o && o->handle != ENTITY_NONE)
			return true;
	}
	return false;
}

static void sensor_rename(char name[static ENTITY_NAME_MAX],
			  enum object_kind kind)
{
	char whole[ENTITY_NAME_MAX + 16];
	int len = snprintf(whole, sizeof(whole), "%s %s", name,
			   sensor_words[kind]);

	entity_name_fit(name, whole, (size_t)len);
}

static void object_introduce(struct topology *t, enum object_kind kind,
			     struct object *o)
{
	struct entity_key key = { .kind = kinds[kind].entity,
				  .parent = t->parent };

	if (kinds[kind].is == BARE)
		return;
	if (kinds[kind].is == ALIAS) {
		o->handle = o->parent;
		return;
	}
	if (kinds[kind].is == PART) {
		key.parent = o->parent;
		key.number = o->number;
	} else if (kinds[kind].is == BY_SLOT) {
		slot_name(key.name, o->name);
	} else {
		memcpy(key.name, o->name, sizeof(o->name));
	}
	if (sensor_words[kind] && sensor_is_named(t, kind, o->name))
		sensor_rename(key.name, kind);
	o->handle = ENTITY_NONE;
	if (t->host->entity(t->host->context, &key, &o->handle) < 0)
		o->handle = ENTITY_NONE;	/* the host reported it */
}

static bool object_create(struct topology *t, enum object_kind kind,
			  const struct named *n, struct object *ret)
{
	*ret = (struct object){ .oid = n->oid, .last_oid = n->oid };
	memcpy(ret->name, n->name, sizeof(ret->name));
	if (kinds[kind].is == PART || kinds[kind].is == ALIAS) {
		if (!object_place(t, kind, ret))
			return false;
	} else if (kind == OBJECT_PORT) {
		ret->port = calloc(1, sizeof(*ret->port));
		if (!ret->port)
			return false;
		ret->port->link = (struct port_link){
			.oper = -1, .admin = -1, .speed_mbps = -1,
			.mtu_octets = -1, .training = -1, .last_oper = -1,
			.autoneg = -1, .tx_ready = -1, .agreed_mbps = -1,
			.set_fec = { -1, -1, { 0 } },
			.set_mbps = { -1, -1, { 0 } },
			.xcvr_state = -1,
			.plugged = -1,
		};
	}
	object_introduce(t, kind, ret);
	return true;
}

/* Keeps an object that was found again, with the same id or another. */
static void object_keep(struct topology *t, enum object_kind kind,
			struct object *o, uint64_t oid)
{
	if (o->last_oid && oid && o->last_oid != oid)
		t->renumbered++;
	if (o->oid != oid)
		t->generation++;
	o->oid = oid;
	o->last_oid = oid ? oid : o->last_oid;
	o->missing.ns = 0;
	if (o->handle == ENTITY_NONE)
		object_introduce(t, kind, o);
}

/* Handles an object that was not found. Returns false if it is gone. */
static bool object_miss(struct topology *t, enum object_kind kind,
			struct object *o, struct mono now)
{
	const char *number;

	if (o->oid) {
		o->oid = 0;
		t->generation++;
	}
	if (o->missing.ns == 0)
		o->missing = now;
	if (kind == OBJECT_LAG_MEMBER)
		t->host->attribute(t->host->context, o->handle, ATTRIBUTE_LAG,
				   "");
	if (now.ns - o->missing.ns < OBJECT_HOLD_NS &&
	    !(kind == OBJECT_PORT && t->settled))
		return true;
	t->generation++;
	if (kind == OBJECT_PORT) {
		assert(o->port);
		o->port->dying = true;	/* its children go first */
		return true;
	}
	/* A queue went with its system port. */
	if (o->handle != ENTITY_NONE && kinds[kind].is != ALIAS &&
	    (kind != OBJECT_VOQ || object_owner(t, kind, o->name, &number)))
		t->host->gone(t->host->context, o->handle);
	return false;
}

/* Walks the old list and the new names side by side, both sorted. */
static size_t lists_merge(struct topology *t, enum object_kind kind,
			  const struct name_list *found, bool complete,
			  struct mono now, struct object *to)
{
	const struct object_set *old = &t->set[kind];
	size_t o = 0, f = 0, n = 0;

	while (o < old->count || f < found->count) {
		int order = o == old->count ? 1 :
			    f == found->count ? -1 :
			    strcmp(old->list[o].name, found->list[f].name);

		if (order > 0) {
			if (object_create(t, kind, &found->list[f++], &to[n])) {
				n++;
				t->generation++;
			}
			continue;
		}
		to[n] = old->list[o++];
		if (to[n].port && to[n].port->dying && kind != OBJECT_PORT) {
			f += order == 0;	/* goes with its port */
			continue;
		}
		if (order == 0)
			object_keep(t, kind, &to[n++], found->list[f++].oid);
		else if (!complete || object_miss(t, kind, &to[n], now))
			n++;
	}
	return n;
}

/* True if the names are unchanged, as they nearly always are. */
static bool names_are_known(const struct object_set *set, enum object_kind kind,
			    const struct name_list *found)
{
	if (set->count != found->count)
		return false;
	for (size_t i = 0; i < set->count; i++) {
		const struct object *o = &set->list[i];

		if (strcmp(o->name, found->list[i].name) != 0 ||
		    (o->port && o->port->dying && kind != OBJECT_PORT))
			return false;
	}
	return true;
}

/* Updates the list in place; the one before it is no longer needed. */
static void names_keep(struct topology *t, enum object_kind kind,
		       const struct name_list *found)
{
	struct object_set *set = &t->set[kind];

	for (size_t i = 0; i < set->count; i++)
		object_keep(t, kind, &set->list[i], found->list[i].oid);
	free(set->other);
	set->other = NULL;
}

/* Builds a new list; the old one stays until the names are known. */
static int names_merge(struct topology *t, enum object_kind kind,
		       const struct name_list *found, bool complete,
		       struct mono now)
{
	struct object_set *set = &t->set[kind];
	size_t most = set->count + found->count;
	struct object *list = calloc(most + 1, sizeof(*list)), *less;

	if (!list)
		return -ENOMEM;
	set->count = lists_merge(t, kind, found, complete, now, list);
	less = realloc(list, (set->count + 1) * sizeof(*list));
	free(set->other);
	set->other = set->list;
	set->list = less ? less : list;
	return 0;
}

int topology_merge(struct topology *t, enum object_kind kind,
		   const struct name_list *found, bool complete,
		   struct mono now)
{
	int rc = 0;

	if (names_are_known(&t->set[kind], kind, found))
		names_keep(t, kind, found);
	else
		rc = names_merge(t, kind, found, complete, now);
	t->merges += rc == 0;
	return rc;
}

void topology_forget_ids(struct topology *t, enum object_kind kind)
{
	struct object_set *set = &t->set[kind];

	for (size_t i = 0; i < set->count; i++) {
		t->generation += set->list[i].oid != 0;
		set->list[i].oid = 0;
	}
}

void topology_merged(struct topology *t)
{
	struct object_set *set = &t->set[OBJECT_PORT];
	size_t kept = 0;

	for (size_t i = 0; i < set->count; i++) {
		struct object *o = &set->list[i];

		if (!o->port->dying) {
			set->list[kept++] = *o;
			continue;
		}
		if (o->handle != ENTITY_NONE)
			t->host->gone(t->host->context, o->handle);
		free(o->port);
	}
	set->count = kept;
}

bool object_list_room(struct object_list *l, size_t want)
{
	struct object **list = array_room(l->list, &l->cap, want,
					  sizeof(struct object *));

	if (list)
		l->list = list;
	return list || want == 0;
}

static int target_order(const void *a, const void *b)
{
	const struct object *o = *(struct object *const *)a;
	const struct object *other = *(struct object *const *)b;
	const struct port *x = o->port, *y = other->port;

	if (x->cage->number != y->cage->number)
		return x->cage->number < y->cage->number ? -1 : 1;
	if (x->subport != y->subport)
		return x->subport < y->subport ? -1 : 1;
	if (x->first_serdes != y->first_serdes)
		return x->first_serdes < y->first_serdes ? -1 : 1;
	return strcmp(o->name, other->name);
}

size_t topology_targets(const struct topology *t, const struct table *table,
			struct object **ret, size_t max)
{
	const struct object_set *set = &t->set[table->object];
	size_t n = 0;

	for (size_t i = 0; i < set->count && n < max; i++) {
		struct object *o = &set->list[i];

		if ((o->handle == ENTITY_NONE &&
		     kinds[table->object].is != BARE) ||
		    (table->key == KEY_OID && !o->oid) ||
		    (o->barred == table && t->merges < o->barred_until) ||
		    (table->of_module && !o->port->cage))
			continue;
		ret[n++] = o;
	}
	if (table->of_module && n > 0)
		sort_in_place(ret, n, sizeof(*ret), target_order);
	return n;
}
