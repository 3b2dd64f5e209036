#include "agent/query/choice.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/names.h"
#include "agent/base/number.h"
#include "agent/query/answer.h"
#include "agent/query/cages.h"
#include "agent/state/state.h"

#define NEAREST_SHOWN 3
#define NAMES_MAX 256
#define WORD_ALL "all"
#define SPACE_MAX (2 * ATTRIBUTE_TEXT_MAX)	/* an ASIC and a name */

/* NULL where the port has none. */
static const char *alias_of(const struct query_context *ctx, uint32_t port)
{
	return context_attribute(ctx, port, ATTRIBUTE_ALIAS);
}

/* --- cages ---------------------------------------------------------------- */

/* The number of the port's cage; false when it tells none. */
static bool cage_of(const struct query_context *ctx, uint32_t port,
		    uint64_t *ret)
{
	const char *text = context_attribute(ctx, port, ATTRIBUTE_MODULE);

	return text && number_parse(text, 0, UINT32_MAX, ret) == 0;
}

static bool item_is_of_cage(const struct pattern_item *item, uint64_t number)
{
	char name[ENTITY_NAME_MAX];

	cage_name(number, name);
	return pattern_item_matches(item, name);
}

/* --- ports ---------------------------------------------------------------- */

/* A name of the port's, with the ASIC before it where there is one. */
typedef bool name_test_fn(const void *wanted, const char *name);

static bool name_is_of(const struct query_context *ctx, uint32_t port,
		       const char *name, name_test_fn *test, const void *wanted)
{
	const char *asic = context_asic(ctx, port);
	char text[SPACE_MAX];

	if (!name || test(wanted, name))
		return name != NULL;
	if (!asic)
		return false;
	(void)snprintf(text, sizeof(text), "%s:%s", asic, name);
	return test(wanted, text);
}

/* Does that test hold for the port's name or its alias? */
static bool port_passes(const struct query_context *ctx, uint32_t port,
			name_test_fn *test, const void *wanted)
{
	const struct inventory_entity *e = state_entity(ctx->state, port);

	return e && (name_is_of(ctx, port, e->key.name, test, wanted) ||
		     name_is_of(ctx, port, alias_of(ctx, port), test, wanted));
}

static bool item_test(const void *item, const char *name)
{
	return pattern_item_matches(item, name);
}

/* Does it name the port, or its cage? */
static bool item_is_of(const struct query_context *ctx, uint32_t port,
		       const struct pattern_item *item)
{
	uint64_t number;

	return port_passes(ctx, port, item_test, item) ||
	       (strncasecmp(item->name, CAGE_WORD, strlen(CAGE_WORD)) == 0 &&
		cage_of(ctx, port, &number) && item_is_of_cage(item, number));
}

bool choice_is_of(const struct query_context *ctx, uint32_t entity,
		  uint32_t asic)
{
	const struct inventory_entity *e = state_entity(ctx->state, entity);

	while (e && asic != ENTITY_NONE && e->id != asic)
		e = state_entity(ctx->state, e->key.parent);
	return e || asic == ENTITY_NONE;
}

bool choice_has(const struct choice *c, const struct query_context *ctx,
		uint32_t port)
{
	const struct pattern *p = &c->pattern;

	if (!choice_is_of(ctx, port, c->asic))
		return false;
	for (unsigned i = 0; i < p->count; i++)
		if (item_is_of(ctx, port, &p->item[i]))
			return true;
	return p->count == 0;
}

bool choice_has_cage(const struct choice *c, uint32_t number)
{
	const struct pattern *p = &c->pattern;

	for (unsigned i = 0; i < p->count; i++)
		if (item_is_of_cage(&p->item[i], number))
			return true;
	return p->count == 0;
}

static bool name_test(const void *wanted, const char *name)
{
	return strcasecmp(wanted, name) == 0;
}

/* Two ports have that name, on two ASICs. */
static bool name_is_twofold(const struct query_context *ctx, const char *name,
			    uint32_t ret[2])
{
	size_t n = state_port_count(ctx->state), count = 0;

	for (size_t i = 0; i < n && count < 2; i++)
		if (port_passes(ctx, state_port(ctx->state, i), name_test,
				name))
			ret[count++] = state_port(ctx->state, i);
	return count == 2 && context_asic(ctx, ret[0]);
}

uint32_t choice_port(const struct query_context *ctx, const char *name)
{
	size_t n = state_port_count(ctx->state);
	uint32_t exact = state_port_find(ctx->state, name), two[2];

	if (context_asic(ctx, exact) && name_is_twofold(ctx, name, two))
		return ENTITY_NONE;
	for (size_t i = 0; i < n && exact == ENTITY_NONE; i++)
		if (port_passes(ctx, state_port(ctx->state, i), name_test,
				name))
			exact = state_port(ctx->state, i);
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

static void near_cages_add(const struct cages *cages, unsigned distance,
			   struct near_ports *near)
{
	char name[ENTITY_NAME_MAX];

	for (size_t i = 0; i < cages->count && near->count < NEAREST_SHOWN;
	     i++) {
		cage_name(cages->list[i].number, name);
		if (distance_to(near, name) == distance)
			near_add(near, name);
	}
}

static int unknown_tell(const struct query_context *ctx, struct answer *a,
			const char *name, const struct cages *cages)
{
	struct near_ports near = { .count = 0 };

	small_letters(name, near.wanted);
	for (unsigned d = 0; d <= NEAREST_WORD_MAX; d++) {
		near_ports_add(ctx, d, &near);
		if (cages)
			near_cages_add(cages, d, &near);
	}
	return answer_error(a, EXIT_NO_SUCH, "no port '%.64s'%s%s", name,
			    near.count ? "; nearest: " :
					 "; no port is known yet", near.text);
}

int choice_unknown(const struct query_context *ctx, struct answer *a,
		   const char *name)
{
	uint32_t two[2];

	if (name_is_twofold(ctx, name, two))
		return answer_error(a, EXIT_NO_SUCH, "more than one port is "
				    "'%.64s'; expected like %s, %s", name,
				    context_name(ctx, two[0]),
				    context_name(ctx, two[1]));
	return unknown_tell(ctx, a, name, NULL);
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

static bool item_is_of_any_cage(const struct cages *cages,
				const struct pattern_item *item)
{
	for (size_t i = 0; i < cages->count; i++)
		if (item_is_of_cage(item, cages->list[i].number))
			return true;
	return false;
}

/* What has a row under a name of its own in some table. */
static bool kind_is_named(enum entity_kind kind)
{
	return kind == ENTITY_PORT || kind == ENTITY_SYSTEM_PORT ||
	       kind == ENTITY_FABRIC_PORT;
}

/* The first item that is of no port or cage; NULL when each is of one. */
static const struct pattern_item *item_of_none(const struct query_context *ctx,
					       const struct cages *cages,
					       const struct pattern *p)
{
	const struct inventory_entity *e;
	size_t n = state_entities(ctx->state, &e);

	for (unsigned i = 0; i < p->count; i++) {
		size_t at = 0;

		while (at < n && (e[at].id == 0 || e[at].gone ||
				  !kind_is_named(e[at].key.kind) ||
				  !item_is_of(ctx, e[at].id, &p->item[i])))
			at++;
		if (at == n && !item_is_of_any_cage(cages, &p->item[i]))
			return &p->item[i];
	}
	return NULL;
}

/* asic1, or 1. */
static bool asic_is_called(const char *name, const char *asked)
{
	const char *number = name + strcspn(name, "0123456789");

	return strcasecmp(name, asked) == 0 || strcmp(number, asked) == 0;
}

static int asic_unknown(struct answer *a, const char *asked, const char *names)
{
	return names[0] ?
	       answer_error(a, EXIT_NO_SUCH, "no ASIC '%.32s'; this switch "
			    "has%s", asked, names) :
	       answer_error(a, EXIT_NO_SUCH, "no ASIC '%.32s': this switch has "
			    "one ASIC, without a number", asked);
}

int choice_asic(const struct query_context *ctx,
		const Petrel__Request *request, struct answer *a,
		uint32_t *ret)
{
	const struct inventory_entity *e;
	size_t n = state_entities(ctx->state, &e), len = 0;
	char names[NAMES_MAX] = "";

	*ret = ENTITY_NONE;
	for (size_t i = 0; request->asic[0] && i < n; i++) {
		if (e[i].id == 0 || e[i].gone || e[i].key.kind != ENTITY_ASIC)
			continue;
		if (asic_is_called(e[i].key.name, request->asic))
			*ret = e[i].id;
		if (len < sizeof(names))
			len += (size_t)snprintf(names + len,
						sizeof(names) - len, " %s",
						e[i].key.name);
	}
	return request->asic[0] && *ret == ENTITY_NONE ?
	       asic_unknown(a, request->asic, names) : EXIT_ANSWERED;
}

int choice_parse(const char *text, struct choice *ret, struct diag *d)
{
	ret->asic = ENTITY_NONE;
	return pattern_parse(strcasecmp(text, WORD_ALL) == 0 ? "" : text,
			     &ret->pattern, d);
}

int choice_take(const struct query_context *ctx,
		const Petrel__Request *request, struct answer *a,
		struct choice *ret)
{
	char text[LOCAL_REQUEST_MAX], name[ENTITY_NAME_MAX + 24];
	const struct pattern_item *unknown;
	struct cages cages;
	struct diag d;
	int code;

	if (!arguments_join(request, text))
		return answer_error(a, EXIT_USAGE, "the names of the ports "
				    "are longer than %u octets",
				    LOCAL_REQUEST_MAX);
	if (choice_parse(text, ret, &d) < 0)
		return answer_error(a, EXIT_USAGE, "%s", d.text);
	code = choice_asic(ctx, request, a, &ret->asic);
	if (code != EXIT_ANSWERED || ret->pattern.count == 0)
		return code;
	cages_find(ctx, &cages);
	unknown = item_of_none(ctx, &cages, &ret->pattern);
	if (!unknown)
		return EXIT_ANSWERED;
	item_text(unknown, name, sizeof(name));
	return unknown_tell(ctx, a, name, &cages);
}
