#include "agent/query/choice.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/nearest.h"
#include "agent/base/number.h"
#include "agent/query/answer.h"
#include "agent/state/state.h"

#define NEAREST_SHOWN 3
#define WORD_ALL "all"
#define WORD_CAGE "cage"

/* NULL where the port has none. */
static const char *alias_of(const struct query_context *ctx, uint32_t port)
{
	return context_attribute(ctx, port, ATTRIBUTE_ALIAS);
}

/* --- cages ---------------------------------------------------------------- */

static void cage_name(uint64_t number, char ret[static ENTITY_NAME_MAX])
{
	(void)snprintf(ret, ENTITY_NAME_MAX, WORD_CAGE " %llu",
		       (unsigned long long)number);
}

/* The number of the port's cage; false when it tells none. */
static bool cage_of(const struct query_context *ctx, uint32_t port,
		    uint64_t *ret)
{
	const char *text = context_attribute(ctx, port, ATTRIBUTE_MODULE);

	return text && number_parse(text, 0, UINT32_MAX, ret) == 0;
}

/* Does a port refer to that module? */
static bool module_has_port(const struct query_context *ctx,
			    const struct inventory_entity *module)
{
	size_t n = state_port_count(ctx->state);
	uint64_t number;

	for (size_t i = 0; i < n; i++) {
		uint32_t port = state_port(ctx->state, i);

		if (cage_of(ctx, port, &number) &&
		    number == module->key.number &&
		    state_port_module(ctx->state, port) == module->id)
			return true;
	}
	return false;
}

/* The module with the lowest number from there on. */
static const struct inventory_entity *module_from(
		const struct query_context *ctx, uint64_t number)
{
	const struct inventory_entity *e, *least = NULL;
	size_t n = state_entities(ctx->state, &e);

	for (size_t i = 0; i < n; i++)
		if (e[i].id && !e[i].gone && e[i].key.kind == ENTITY_MODULE &&
		    e[i].key.number >= number &&
		    (!least || e[i].key.number < least->key.number))
			least = &e[i];
	return least;
}

/* That of them to which no port refers; *from moves behind it. */
static const struct inventory_entity *cage_next(const struct query_context *ctx,
						uint64_t *from)
{
	const struct inventory_entity *module;

	while ((module = module_from(ctx, *from))) {
		*from = (uint64_t)module->key.number + 1;
		if (!module_has_port(ctx, module))
			return module;
	}
	return NULL;
}

static bool item_is_of_cage(const struct pattern_item *item, uint64_t number)
{
	char name[ENTITY_NAME_MAX];

	cage_name(number, name);
	return pattern_item_matches(item, name);
}

/* --- ports ---------------------------------------------------------------- */

/* Does that test hold for the port's name, its alias, or that of its cage? */
static bool item_is_of(const struct query_context *ctx, uint32_t port,
		       const struct pattern_item *item)
{
	const char *alias = alias_of(ctx, port);
	uint64_t number;

	return pattern_item_matches(item, context_name(ctx, port)) ||
	       (alias && pattern_item_matches(item, alias)) ||
	       (strncasecmp(item->name, WORD_CAGE, strlen(WORD_CAGE)) == 0 &&
		cage_of(ctx, port, &number) && item_is_of_cage(item, number));
}

bool choice_has(const struct choice *c, const struct query_context *ctx,
		uint32_t port)
{
	const struct pattern *p = &c->pattern;

	for (unsigned i = 0; i < p->count; i++)
		if (item_is_of(ctx, port, &p->item[i]))
			return true;
	return p->count == 0;
}

uint32_t choice_cage_next(const struct choice *c,
			  const struct query_context *ctx, uint64_t *from,
			  char ret_name[static ENTITY_NAME_MAX])
{
	const struct pattern *p = &c->pattern;
	const struct inventory_entity *module;

	while ((module = cage_next(ctx, from))) {
		bool is_wanted = p->count == 0;

		for (unsigned i = 0; i < p->count && !is_wanted; i++)
			is_wanted = item_is_of_cage(&p->item[i],
						    module->key.number);
		if (!is_wanted)
			continue;
		cage_name(module->key.number, ret_name);
		return module->id;
	}
	return ENTITY_NONE;
}

uint32_t choice_port(const struct query_context *ctx, const char *name)
{
	size_t n = state_port_count(ctx->state);
	uint32_t exact = state_port_find(ctx->state, name);

	for (size_t i = 0; i < n && exact == ENTITY_NONE; i++) {
		uint32_t port = state_port(ctx->state, i);
		const char *alias = alias_of(ctx, port);

		if (strcasecmp(context_name(ctx, port), name) == 0 ||
		    (alias && strcasecmp(alias, name) == 0))
			return port;
	}
	return exact;
}

/* --- what looks like it -------------------------------------------------- */

/* Names of ports, the nearest first. */
struct near_ports {
	char wanted[NEAREST_WORD_MAX + 1];	/* in small letters */
	char text[NEAREST_SHOWN * (ENTITY_NAME_MAX + 2) + 1];
	size_t len;
	unsigned count;
};

static void small_letters(const char *text, char ret[NEAREST_WORD_MAX + 1])
{
	size_t i = 0;

	for (; text[i] && i < NEAREST_WORD_MAX; i++)
		ret[i] = (char)tolower((unsigned char)text[i]);
	ret[i] = '\0';
}

static unsigned distance_to(const struct near_ports *near, const char *name)
{
	char small[NEAREST_WORD_MAX + 1];

	small_letters(name, small);
	return nearest_distance(near->wanted, small);
}

static void near_add(struct near_ports *near, const char *name)
{
	near->len += (size_t)snprintf(near->text + near->len,
				      sizeof(near->text) - near->len, "%s%s",
				      near->count ? ", " : "", name);
	near->count++;
}

/* Adds the ports at that distance, while there is room; by whichever of name
 * and alias is nearer.
 */
static void near_ports_add(const struct query_context *ctx, unsigned distance,
			   struct near_ports *near)
{
	size_t n = state_port_count(ctx->state);

	for (size_t i = 0; i < n && near->count < NEAREST_SHOWN; i++) {
		uint32_t port = state_port(ctx->state, i);
		const char *name = context_name(ctx, port);
		const char *alias = alias_of(ctx, port);
		unsigned d = distance_to(near, name);
		unsigned e = alias ? distance_to(near, alias) : NEAREST_NONE;

		if ((d < e ? d : e) == distance)
			near_add(near, e < d ? alias : name);
	}
}

static void near_cages_add(const struct query_context *ctx, unsigned distance,
			   struct near_ports *near)
{
	static const struct choice all = { .pattern = { .count = 0 } };
	char cage[ENTITY_NAME_MAX];
	uint64_t from = 0;

	while (near->count < NEAREST_SHOWN &&
	       choice_cage_next(&all, ctx, &from, cage) != ENTITY_NONE)
		if (distance_to(near, cage) == distance)
			near_add(near, cage);
}

static int unknown_tell(const struct query_context *ctx, struct answer *a,
			const char *name, bool with_cages)
{
	struct near_ports near = { .count = 0 };

	small_letters(name, near.wanted);
	for (unsigned d = 0; d <= NEAREST_WORD_MAX; d++) {
		near_ports_add(ctx, d, &near);
		if (with_cages)
			near_cages_add(ctx, d, &near);
	}
	return answer_error(a, EXIT_NO_SUCH, "no port '%.64s'%s%s", name,
			    near.count ? "; nearest: " :
					 "; no port is known yet", near.text);
}

int choice_unknown(const struct query_context *ctx, struct answer *a,
		   const char *name)
{
	return unknown_tell(ctx, a, name, false);
}

/* --- a request's --------------------------------------------------------- */

/* All arguments as one list. False when it is too long. */
static bool arguments_join(const Petrel__Request *request,
			   char ret[static LOCAL_REQUEST_MAX])
{
	size_t len = 0;

	ret[0] = '\0';
	for (size_t i = 0; i < request->n_args; i++) {
		int n = snprintf(ret + len, LOCAL_REQUEST_MAX - len, "%s%s",
				 len ? "," : "", request->args[i]);

		if (n < 0 || (size_t)n >= LOCAL_REQUEST_MAX - len)
			return false;
		len += (size_t)n;
	}
	return true;
}

/* As it was written, for the error. */
static void item_text(const struct pattern_item *item, char *ret, size_t cap)
{
	if (!item->is_range)
		(void)snprintf(ret, cap, "%s", item->name);
	else
		(void)snprintf(ret, cap, "%s%u-%u", item->name, item->first,
			       item->last);
}

/* A cage to which no port refers. */
static bool item_is_of_any_cage(const struct query_context *ctx,
				const struct pattern_item *item)
{
	const struct inventory_entity *module;
	uint64_t from = 0;

	while ((module = cage_next(ctx, &from)))
		if (item_is_of_cage(item, module->key.number))
			return true;
	return false;
}

/* The first item that is of no port or cage; NULL when each is of one. */
static const struct pattern_item *item_of_none(const struct query_context *ctx,
					       const struct pattern *p)
{
	size_t n = state_port_count(ctx->state);

	for (unsigned i = 0; i < p->count; i++) {
		size_t port = 0;

		while (port < n &&
		       !item_is_of(ctx, state_port(ctx->state, port),
				   &p->item[i]))
			port++;
		if (port == n && !item_is_of_any_cage(ctx, &p->item[i]))
			return &p->item[i];
	}
	return NULL;
}

int choice_parse(const char *text, struct choice *ret, struct diag *d)
{
	return pattern_parse(strcasecmp(text, WORD_ALL) == 0 ? "" : text,
			     &ret->pattern, d);
}

int choice_take(const struct query_context *ctx,
		const Petrel__Request *request, struct answer *a,
		struct choice *ret)
{
	char text[LOCAL_REQUEST_MAX], name[ENTITY_NAME_MAX + 24];
	const struct pattern_item *unknown;
	struct diag d;

	if (!arguments_join(request, text))
		return answer_error(a, EXIT_USAGE, "the names of the ports "
				    "are longer than %u octets",
				    LOCAL_REQUEST_MAX);
	if (choice_parse(text, ret, &d) < 0)
		return answer_error(a, EXIT_USAGE, "%s", d.text);
	unknown = item_of_none(ctx, &ret->pattern);
	if (!unknown)
		return EXIT_ANSWERED;
	item_text(unknown, name, sizeof(name));
	return unknown_tell(ctx, a, name, true);
}
