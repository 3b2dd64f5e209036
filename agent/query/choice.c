#include "agent/query/choice.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/nearest.h"
#include "agent/query/answer.h"
#include "agent/state/state.h"

#define NEAREST_SHOWN 3
#define WORD_ALL "all"

/* NULL where the port has none. */
static const char *alias_of(const struct query_context *ctx, uint32_t port)
{
	return context_attribute(ctx, port, ATTRIBUTE_ALIAS);
}

/* Does that test hold for the port's name or its alias? */
static bool item_is_of(const struct query_context *ctx, uint32_t port,
		       const struct pattern_item *item)
{
	const char *alias = alias_of(ctx, port);

	return pattern_item_matches(item, context_name(ctx, port)) ||
	       (alias && pattern_item_matches(item, alias));
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

		if ((d < e ? d : e) != distance)
			continue;
		near->len += (size_t)snprintf(near->text + near->len,
					      sizeof(near->text) - near->len,
					      "%s%s", near->count ? ", " : "",
					      e < d ? alias : name);
		near->count++;
	}
}

int choice_unknown(const struct query_context *ctx, struct answer *a,
		   const char *name)
{
	struct near_ports near = { .count = 0 };

	small_letters(name, near.wanted);
	for (unsigned d = 0; d <= NEAREST_WORD_MAX; d++)
		near_ports_add(ctx, d, &near);
	return answer_error(a, EXIT_NO_SUCH, "no port '%.64s'%s%s", name,
			    near.count ? "; nearest: " :
					 "; no port is known yet", near.text);
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

/* The first item that is of no port; NULL when each is of one. */
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
		if (port == n)
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
	return choice_unknown(ctx, a, name);
}
