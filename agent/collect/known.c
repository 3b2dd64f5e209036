#include "agent/collect/known.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHAINS 4096u
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
	for (size_t i = 0; i < n->run.name_count; i++)
		free(n->run.name[i]);
	free(n->run.name);
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

/* Where the name of an entity stands; NULL above the bound. */
static char **name_slot(struct known_run *r, uint32_t id)
{
	size_t count = r->name_count ? r->name_count : 64;
	char **grown;

	if (id >= KNOWN_ENTITY_MAX)
		return NULL;
	while (count <= id)
		count *= 2;
	if (count == r->name_count)
		return &r->name[id];
	grown = realloc(r->name, count * sizeof(*grown));
	if (!grown)
		return NULL;
	memset(grown + r->name_count, 0,
	       (count - r->name_count) * sizeof(*grown));
	r->name = grown;
	r->name_count = count;
	return &r->name[id];
}

static void name_set(char **slot, const char *text)
{
	free(*slot);
	*slot = strdup(text);
}

static void entity_name(struct known_run *r, const Petrel__Entity *e)
{
	const char *parent = known_name(r, e->parent);
	const char *kind = entity_kind_name(e->kind);
	char **slot = name_slot(r, e->id);
	char text[NAME_MAX_OCTETS];

	if (!slot)
		return;
	if (e->name[0])
		(void)snprintf(text, sizeof(text), "%s", e->name);
	else
		(void)snprintf(text, sizeof(text), "%s/%s%u",
			       parent ? parent : "?", kind ? kind : "?",
			       e->number);
	name_set(slot, text);
}

void known_dictionary(struct known_run *r, const Petrel__Dictionary *m)
{
	for (size_t i = 0; i < m->n_entities; i++)
		entity_name(r, m->entities[i]);
}

const char *known_name(const struct known_run *r, uint32_t entity)
{
	return entity < r->name_count ? r->name[entity] : NULL;
}
