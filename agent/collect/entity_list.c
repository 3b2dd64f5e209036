#include "agent/collect/entity_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"
#include "petrel/entity.h"

#define NO_CAGE UINT32_MAX
#define NAME_MAX_OCTETS (3 * ENTITY_NAME_MAX)

struct listed_entity {
	bool is_known;
	bool is_named;		/* has its own name */
	bool is_gone;
	uint32_t kind;		/* enum entity_kind */
	uint32_t parent, number, cage;	/* cage: of a port */
	uint32_t first_lane, lanes;	/* of a port, on its module */
	uint32_t serves;	/* id of a port; 0: none; of modules, lanes */
	char *name;		/* NULL: out of memory */
	char *shown;		/* of a port whose name another one has */
};

void entity_list_fini(struct entity_list *l)
{
	for (size_t i = 0; i < l->count; i++) {
		free(l->entity[i].name);
		free(l->entity[i].shown);
	}
	free(l->entity);
}

/* The slot of an entity; NULL above the limit. */
static struct listed_entity *entity_slot(struct entity_list *l, uint32_t id)
{
	size_t count = l->count ? l->count : 64;
	struct listed_entity *grown;

	if (id >= ENTITY_LIST_IDS_MAX)
		return NULL;
	while (count <= id)
		count *= 2;
	if (count == l->count)
		return &l->entity[id];
	grown = realloc(l->entity, count * sizeof(*grown));
	if (!grown)
		return NULL;
	memset(grown + l->count, 0,
	       (count - l->count) * sizeof(*grown));
	l->entity = grown;
	l->count = count;
	return &l->entity[id];
}

/* A number among the attributes, or what holds without it. */
static uint32_t attribute_number(const Petrel__Entity *e, enum attribute which,
				 uint64_t otherwise)
{
	uint64_t number = otherwise;

	for (size_t i = 0; i < e->n_attributes; i++)
		if (e->attributes[i]->key == which &&
		    number_parse(e->attributes[i]->text, 0, NO_CAGE - 1,
				 &number) < 0)
			number = otherwise;
	return (uint32_t)number;
}

static void entity_take(struct entity_list *l, const Petrel__Entity *e)
{
	struct listed_entity *to = entity_slot(l, e->id);

	if (to && e->gone && to->is_known)
		to->is_gone = true;	/* its series keep their name */
	if (!to || (e->gone && to->is_known))
		return;
	free(to->name);
	free(to->shown);
	*to = (struct listed_entity){
		.is_known = true, .is_gone = e->gone, .kind = e->kind,
		.is_named = e->name[0], .parent = e->parent,
		.number = e->number,
		.cage = attribute_number(e, ATTRIBUTE_MODULE, NO_CAGE),
		.first_lane = attribute_number(e, ATTRIBUTE_FIRST_LANE, 1),
		.lanes = attribute_number(e, ATTRIBUTE_LANE_COUNT,
					  PORT_LANES_MAX),
		.name = e->name[0] ? strdup(e->name) : NULL,
	};
}

static uint32_t kind_of(const struct entity_list *l, uint32_t id)
{
	return id < l->count ? l->entity[id].kind : 0;
}

/* Same parent; or the port is below an ASIC, the module below the switch. */
static bool is_on_module(const struct entity_list *l,
			 const struct listed_entity *port,
			 const struct listed_entity *module)
{
	return port->kind == ENTITY_PORT && port->is_named && port->name &&
	       port->cage == module->number &&
	       (port->parent == module->parent ||
		kind_of(l, module->parent) == ENTITY_SWITCH);
}

/* Appended to its parent's name, unless that is the switch. */
static void child_name(const struct entity_list *l,
		       const struct listed_entity *e,
		       char ret[static NAME_MAX_OCTETS])
{
	const char *parent = entity_list_name(l, e->parent);
	const char *kind = entity_kind_name(e->kind);
	bool is_top = kind_of(l, e->parent) == ENTITY_SWITCH;

	(void)snprintf(ret, NAME_MAX_OCTETS, "%s%s%s%u",
		       is_top ? "" : parent ? parent : "?", is_top ? "" : "/",
		       kind ? kind : "?", e->number);
}

/* --- the port of a module and of each of its lanes ------------------------ */

static bool has_lane(const struct listed_entity *port, uint32_t lane)
{
	uint32_t n = lane - port->first_lane;

	return lane >= port->first_lane && n < port->lanes &&
	       n < PORT_LANES_MAX;
}

/* The first port in [from, to) on the module, in natural order; with this lane
 * if lane is not NULL. 0: none.
 */
static uint32_t port_on(const struct entity_list *l,
			const struct listed_entity *module,
			const struct listed_entity *lane, size_t from,
			size_t to, bool even_gone)
{
	size_t first = 0;

	for (size_t i = from; i < to; i++) {
		const struct listed_entity *e = &l->entity[i];

		if ((even_gone || !e->is_gone) && is_on_module(l, e, module) &&
		    (!lane || has_lane(e, lane->number)) &&
		    (!first || strverscmp(e->name, l->entity[first].name) < 0))
			first = i;
	}
	return (uint32_t)first;
}

/* The ports of a module follow each other, more or less: its lanes are looked
 * for from the first to the last of them.
 */
static void module_serves(struct entity_list *l, uint32_t id)
{
	struct listed_entity *module = &l->entity[id];
	size_t from = l->count, to = 0;

	module->serves = port_on(l, module, NULL, 0, l->count, false);
	for (size_t i = 0; module->serves && i < l->count; i++)
		if (is_on_module(l, &l->entity[i], module)) {
			from = i < from ? i : from;
			to = i + 1;
		}
	for (size_t i = 0; i < l->count; i++) {
		struct listed_entity *e = &l->entity[i];

		if (e->kind == ENTITY_LANE && e->parent == id)
			e->serves = port_on(l, module, e, from, to, false);
	}
}

/* Its first port's name, else the cage's. */
static void module_name(const struct entity_list *l,
			const struct listed_entity *module,
			char ret[static NAME_MAX_OCTETS])
{
	uint32_t port = port_on(l, module, NULL, 0, l->count, true);

	if (port)
		(void)snprintf(ret, NAME_MAX_OCTETS, "%s",
			       l->entity[port].name);
	else
		(void)snprintf(ret, NAME_MAX_OCTETS, "cage %u",
			       module->number);
}

/* --- ports of the same name, on two ASICs --------------------------------- */

static int name_order(const void *left, const void *right)
{
	const struct listed_entity *a, *b;

	memcpy(&a, left, sizeof(a));
	memcpy(&b, right, sizeof(b));
	return strcmp(a->name, b->name);
}

/* As on the switch (inventory_shown()): with the ASIC's name. */
static void twin_shown(const struct entity_list *l, struct listed_entity *e,
		       bool is_twin)
{
	const char *parent = entity_list_name(l, e->parent);

	if (is_twin == (e->shown != NULL))
		return;
	free(e->shown);
	e->shown = NULL;
	if (is_twin && asprintf(&e->shown, "%s:%s", parent ? parent : "",
				e->name) < 0)
		e->shown = NULL;	/* no memory: the bare name */
}

static void twins_show(const struct entity_list *l)
{
	struct listed_entity **port = calloc(l->count + 1, sizeof(struct
						listed_entity *));
	size_t n = 0;

	for (size_t i = 0; port && i < l->count; i++)
		if (l->entity[i].kind == ENTITY_PORT && l->entity[i].name &&
		    !l->entity[i].is_gone)
			port[n++] = &l->entity[i];
	if (n)
		qsort(port, n, sizeof(struct listed_entity *), name_order);
	for (size_t i = 0; i < n; i++)
		twin_shown(l, port[i],
			   (i && name_order(&port[i], &port[i - 1]) == 0) ||
			   (i + 1 < n &&
			    name_order(&port[i], &port[i + 1]) == 0));
	free(port);
}

static const char *shown_of(const struct listed_entity *e)
{
	return e->shown ? e->shown : e->name;
}

/* A port that appears later names its module, and all entities below that. */
void entity_list_names(struct entity_list *l)
{
	char text[NAME_MAX_OCTETS];

	for (size_t i = 0; i < l->count; i++)
		if (l->entity[i].kind == ENTITY_MODULE &&
		    !l->entity[i].is_gone)
			module_serves(l, (uint32_t)i);
	for (size_t i = 0; i < l->count; i++) {
		struct listed_entity *e = &l->entity[i];

		if (!e->is_known || e->is_named)
			continue;
		if (e->kind == ENTITY_SWITCH)
			(void)strcpy(text, "switch");
		else if (e->kind == ENTITY_MODULE)
			module_name(l, e, text);
		else
			child_name(l, e, text);
		if (e->name && strcmp(e->name, text) == 0)
			continue;
		free(e->name);
		e->name = strdup(text);
	}
	twins_show(l);
}

void entity_list_take(struct entity_list *l, const Petrel__Dictionary *m)
{
	bool is_all = m->snapshot && (!m->part || m->part->number == 0);

	for (size_t i = 0; is_all && i < l->count; i++)
		l->entity[i].is_gone = true;
	for (size_t i = 0; i < m->n_entities; i++)
		entity_take(l, m->entities[i]);
}

const char *entity_list_name(const struct entity_list *l, uint32_t id)
{
	return id < l->count ? l->entity[id].name : NULL;
}

bool entity_list_get(const struct entity_list *l, uint32_t id,
		     struct known_entity *ret)
{
	const struct listed_entity *e;

	if (id >= l->count || !l->entity[id].is_known)
		return false;
	e = &l->entity[id];
	*ret = (struct known_entity){ e->kind, e->parent, e->number, e->is_gone,
				      e->is_named ? shown_of(e) : NULL,
				      e->serves ?
				      shown_of(&l->entity[e->serves]) : NULL };
	return true;
}
