#include "agent/collect/known.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"
#include "petrel/entity.h"

#define CHAINS 4096u
#define NO_CAGE UINT32_MAX
#define NAME_MAX_OCTETS (3 * ENTITY_NAME_MAX)

struct known_node {
	struct known_run run;
	uint64_t number;
	char switch_id[SWITCH_NAME_MAX];
	uint64_t found;		/* known's finds by then */
	struct known_node *next;
};

struct known {
	size_t count;
	uint64_t finds;
	struct known_node *chain[CHAINS];
};

int known_new(struct known **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? 0 : -ENOMEM;
}

static void node_free(struct known_node *n)
{
	decoder_free(n->run.decoder);
	for (size_t i = 0; i < n->run.entity_count; i++)
		free(n->run.entity[i].name);
	free(n->run.entity);
	free(n);
}

void known_free(struct known *k)
{
	for (unsigned i = 0; k && i < CHAINS; i++) {
		struct known_node *next;

		for (struct known_node *n = k->chain[i]; n; n = next) {
			next = n->next;
			node_free(n);
		}
	}
	free(k);
}

static struct known_node *node_find(const struct known *k, const char *id,
				    uint64_t run)
{
	struct known_node *n = k->chain[run % CHAINS];

	while (n && (n->number != run || strcmp(n->switch_id, id) != 0))
		n = n->next;
	return n;
}

/* The one that was found last longest ago. */
static void node_forget(struct known *k)
{
	struct known_node **least = NULL, *n;

	for (unsigned i = 0; i < CHAINS; i++)
		for (struct known_node **at = &k->chain[i]; *at;
		     at = &(*at)->next)
			if (!least || (*at)->found < (*least)->found)
				least = at;
	if (!least)
		return;
	n = *least;
	*least = n->next;
	node_free(n);
	k->count--;
}

static struct known_node *node_add(struct known *k, const struct entry *e)
{
	struct known_node **chain = &k->chain[e->run % CHAINS];
	struct known_node *n;

	if (k->count >= KNOWN_RUNS_MAX)
		node_forget(k);
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	n->number = e->run;
	(void)strcpy(n->switch_id, e->switch_id);
	(void)strcpy(n->run.identity.name, e->switch_id);
	n->next = *chain;
	*chain = n;
	k->count++;
	return n;
}

struct known_run *known_find(struct known *k, const struct entry *e)
{
	struct known_node *n = node_find(k, e->switch_id, e->run);
	struct entry_identity identity;
	bool is_said = entry_identity_read(e, &identity) == 0;

	if (!n && is_said && identity.former_id[0])
		n = node_find(k, identity.former_id, e->run);
	if (n && strcmp(n->switch_id, e->switch_id) != 0)
		(void)strcpy(n->switch_id, e->switch_id);
	if (!n)
		n = node_add(k, e);
	if (!n)
		return NULL;
	n->found = ++k->finds;
	if (is_said)
		n->run.identity = identity;
	return &n->run;
}

/* Where an entity stands; NULL above the bound. */
static struct known_entity *entity_slot(struct known_run *r, uint32_t id)
{
	size_t count = r->entity_count ? r->entity_count : 64;
	struct known_entity *grown;

	if (id >= KNOWN_ENTITY_MAX)
		return NULL;
	while (count <= id)
		count *= 2;
	if (count == r->entity_count)
		return &r->entity[id];
	grown = realloc(r->entity, count * sizeof(*grown));
	if (!grown)
		return NULL;
	memset(grown + r->entity_count, 0,
	       (count - r->entity_count) * sizeof(*grown));
	r->entity = grown;
	r->entity_count = count;
	return &r->entity[id];
}

static void entity_take(struct known_run *r, const Petrel__Entity *e)
{
	struct known_entity *to = entity_slot(r, e->id);
	uint64_t cage = NO_CAGE;

	if (!to || (e->gone && to->is_known))
		return;
	for (size_t i = 0; i < e->n_attributes; i++)
		if (e->attributes[i]->key == ATTRIBUTE_MODULE)
			(void)number_parse(e->attributes[i]->text, 0,
					   NO_CAGE - 1, &cage);
	free(to->name);
	*to = (struct known_entity){
		.is_known = true, .kind = e->kind,
		.is_named = e->name[0], .parent = e->parent,
		.number = e->number, .cage = (uint32_t)cage,
		.name = e->name[0] ? strdup(e->name) : NULL,
	};
}

static uint32_t kind_of(const struct known_run *r, uint32_t id)
{
	return id < r->entity_count ? r->entity[id].kind : 0;
}

/* Its ports hang below the same entity; or below an ASIC, it below the switch.
 */
static bool is_on_module(const struct known_run *r,
			 const struct known_entity *port,
			 const struct known_entity *module)
{
	return port->kind == ENTITY_PORT && port->is_named && port->name &&
	       port->cage == module->number &&
	       (port->parent == module->parent ||
		kind_of(r, module->parent) == ENTITY_SWITCH);
}

/* The first port's name, in the order of people; else the cage's. */
static void module_name(const struct known_run *r,
			const struct known_entity *module,
			char ret[static NAME_MAX_OCTETS])
{
	const char *first = NULL;

	for (size_t i = 0; i < r->entity_count; i++) {
		const struct known_entity *e = &r->entity[i];

		if (is_on_module(r, e, module) &&
		    (!first || strverscmp(e->name, first) < 0))
			first = e->name;
	}
	if (first)
		(void)snprintf(ret, NAME_MAX_OCTETS, "%s", first);
	else
		(void)snprintf(ret, NAME_MAX_OCTETS, "cage %u",
			       module->number);
}

/* Behind its parent's, unless that is the switch. */
static void child_name(const struct known_run *r, const struct known_entity *e,
		       char ret[static NAME_MAX_OCTETS])
{
	const char *parent = known_name(r, e->parent);
	const char *kind = entity_kind_name(e->kind);
	bool is_top = kind_of(r, e->parent) == ENTITY_SWITCH;

	(void)snprintf(ret, NAME_MAX_OCTETS, "%s%s%s%u",
		       is_top ? "" : parent ? parent : "?", is_top ? "" : "/",
		       kind ? kind : "?", e->number);
}

/* A port that came later names its module, and so all that is below. */
static void names_make(struct known_run *r)
{
	char text[NAME_MAX_OCTETS];

	for (size_t i = 0; i < r->entity_count; i++) {
		struct known_entity *e = &r->entity[i];

		if (!e->is_known || e->is_named)
			continue;
		if (e->kind == ENTITY_SWITCH)
			(void)strcpy(text, "switch");
		else if (e->kind == ENTITY_MODULE)
			module_name(r, e, text);
		else
			child_name(r, e, text);
		if (e->name && strcmp(e->name, text) == 0)
			continue;
		free(e->name);
		e->name = strdup(text);
	}
}

void known_dictionary(struct known_run *r, const Petrel__Dictionary *m)
{
	for (size_t i = 0; i < m->n_entities; i++)
		entity_take(r, m->entities[i]);
	names_make(r);
}

const char *known_name(const struct known_run *r, uint32_t entity)
{
	return entity < r->entity_count ? r->entity[entity].name : NULL;
}
