#include "agent/query/port_choice.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/joined.h"
#include "agent/base/names.h"
#include "agent/base/number.h"
#include "agent/query/answer.h"
#include "agent/query/query.h"
#include "agent/state/state.h"

#define NEAREST_SHOWN 3
#define NAMES_MAX 256
#define WORD_ALL "all"
#define SPACE_MAX (2 * ATTRIBUTE_TEXT_MAX)	/* an ASIC and a name */

/* --- cages ---------------------------------------------------------------- */

static void cage_name(uint64_t number, char ret[static ENTITY_NAME_MAX])
{
	(void)snprintf(ret, ENTITY_NAME_MAX, CAGE_WORD " %llu",
		       (unsigned long long)number);
}

static int cage_order(const void *left, const void *right)
{
	const struct seat *a = left, *b = right;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->module < b->module ? -1 : a->module > b->module;
}

static void modules_list(const struct query_context *ctx, struct cages *ret)
{
	const struct inventory_entity *e;
	size_t at = 0;

	ret->count = 0;
	while (ret->count < CAGES_MAX &&
	       (e = query_next(ctx, ENTITY_MODULE, &at))) {
		struct seat *seat = &ret->list[ret->count++];

		seat->port = ENTITY_NONE;
		seat->module = e->id;
		seat->number = e->key.number;
		cage_name(seat->number, seat->name);
	}
	qsort(ret->list, ret->count, sizeof(ret->list[0]), cage_order);
}

/* Finds all cages without a port. */
static void cages_find(const struct query_context *ctx, struct cages *ret)
{
	size_t n = state_port_count(ctx->state), kept = 0;

	modules_list(ctx, ret);
	for (size_t i = 0; i < n; i++) {
		uint32_t port = state_port(ctx->state, i);
		uint32_t id = state_port_module(ctx->state, port);
		const struct inventory_entity *e =
			state_entity(ctx->state, id);
		struct seat key = { .module = id,
				    .number = e ? e->key.number : 0 };
		struct seat *found = bsearch(&key, ret->list, ret->count,
					     sizeof(key), cage_order);

		if (found)
			found->port = port;
	}
	for (size_t i = 0; i < ret->count; i++)
		if (ret->list[i].port == ENTITY_NONE)
			ret->list[kept++] = ret->list[i];
	ret->count = kept;
}

size_t cages_count(const struct query_context *ctx)
{
	struct cages cages;

	cages_find(ctx, &cages);
	return cages.count;
}

/* The number of the port's cage; false if it has none. */
static bool cage_of(const struct query_context *ctx, uint32_t port,
		    uint64_t *ret)
{
	const char *text = query_attribute(ctx, port, ATTRIBUTE_MODULE);

	return text && number_parse(text, 0, UINT32_MAX, ret) == 0;
}

static bool item_is_of_cage(const struct pattern_item *item, uint64_t number)
{
	char name[ENTITY_NAME_MAX];

	cage_name(number, name);
	return pattern_item_matches(item, name);
}

/* --- ports ---------------------------------------------------------------- */

/* Tests a name of the port, with its ASIC before it if it has one. */
typedef bool name_test_fn(const void *wanted, const char *name);

static bool name_is_of(const struct query_context *ctx, uint32_t port,
		       const char *name, name_test_fn *test, const void *wanted)
{
	const char *asic = query_asic(ctx, port);
	char text[SPACE_MAX];

	if (!name || test(wanted, name))
		return name != NULL;
	if (!asic)
		return false;
	(void)snprintf(text, sizeof(text), "%s:%s", asic, name);
	return test(wanted, text);
}

/* Whether the test holds for the port's name or its alias. */
static bool port_passes(const struct query_context *ctx, uint32_t port,
			name_test_fn *test, const void *wanted)
{
	const struct inventory_entity *e = state_entity(ctx->state, port);

	return e && (name_is_of(ctx, port, e->key.name, test, wanted) ||
		     name_is_of(ctx, port, e->attribute[ATTRIBUTE_ALIAS], test,
				wanted));
}

static bool item_test(const void *item, const char *name)
{
	return pattern_item_matches(item, name);
}

/* Whether it names the port, or its cage. */
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

bool choice_has(const struct port_choice *c, const struct query_context *ctx,
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

bool choice_next(const struct query *q, size_t *at, uint32_t *ret)
{
	while (*at < state_port_count(q->ctx->state)) {
		*ret = state_port(q->ctx->state, (*at)++);
		if (choice_has(&q->wanted, q->ctx, *ret))
			return true;
	}
	return false;
}

static bool name_test(const void *wanted, const char *name)
{
	return strcasecmp(wanted, name) == 0;
}

/* Whether two ports, on two ASICs, have that name. ret[0] is the first one, or
 * ENTITY_NONE.
 */
static bool name_is_twofold(const struct query_context *ctx, const char *name,
			    uint32_t ret[2])
{
	size_t n = state_port_count(ctx->state), count = 0;

	ret[0] = ENTITY_NONE;
	for (size_t i = 0; i < n && count < 2; i++)
		if (port_passes(ctx, state_port(ctx->state, i), name_test,
				name))
			ret[count++] = state_port(ctx->state, i);
	return count == 2 && query_asic(ctx, ret[0]);
}

uint32_t choice_port(const struct query_context *ctx, const char *name)
{
	uint32_t exact = state_port_find(ctx->state, name), two[2];

	if (exact != ENTITY_NONE && !query_asic(ctx, exact))
		return exact;
	if (name_is_twofold(ctx, name, two) && exact != ENTITY_NONE)
		return ENTITY_NONE;
	return exact != ENTITY_NONE ? exact : two[0];
}

/* --- what looks like it -------------------------------------------------- */

/* Names of ports, the nearest first. */
struct near_ports {
	char wanted[NEAREST_WORD_MAX + 1];	/* in lower case */
	char text[NEAREST_SHOWN * (ENTITY_NAME_MAX + 2) + 1];
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
	joined_add(near->text, sizeof(near->text), ", ", "%s", name);
	near->count++;
}

/* Adds the ports at that distance, while there is room; the nearer of name and
 * alias counts.
 */
static void near_ports_add(const struct query_context *ctx, unsigned distance,
			   struct near_ports *near)
{
	size_t n = state_port_count(ctx->state);

	for (size_t i = 0; i < n && near->count < NEAREST_SHOWN; i++) {
		uint32_t port = state_port(ctx->state, i);
		const char *name = query_name(ctx, port);
		const char *alias = query_attribute(ctx, port,
						    ATTRIBUTE_ALIAS);
		unsigned d = distance_to(near, name);
		unsigned e = alias ? distance_to(near, alias) : NEAREST_NONE;

		if ((d < e ? d : e) == distance)
			near_add(near, e < d ? alias : name);
	}
}

static void near_cages_add(const struct cages *cages, unsigned distance,
			   struct near_ports *near)
{
	for (size_t i = 0; i < cages->count && near->count < NEAREST_SHOWN; i++)
		if (distance_to(near, cages->list[i].name) == distance)
			near_add(near, cages->list[i].name);
}

static int unknown_say(const struct query_context *ctx, const char *name,
		       const struct cages *cages, struct diag *d)
{
	struct near_ports near = { .count = 0 };
	bool are_some = state_port_count(ctx->state) ||
			(cages && cages->count);

	small_letters(name, near.wanted);
	for (unsigned n = 0; n <= strlen(near.wanted) / 2; n++) {
		near_ports_add(ctx, n, &near);
		if (cages)
			near_cages_add(cages, n, &near);
	}
	return diag_set(d, -ENODEV, "no port '%.64s'%s%s", name,
			near.count ? "; nearest: " :
			are_some ? "; petrel ports lists them" :
				   "; no port is known yet", near.text);
}

int choice_unknown_say(const struct query_context *ctx, const char *name,
		       struct diag *d)
{
	uint32_t two[2];

	if (name_is_twofold(ctx, name, two))
		return diag_set(d, -ENODEV, "more than one port is '%.64s'; "
				"expected one of %s, %s", name,
				query_name(ctx, two[0]),
				query_name(ctx, two[1]));
	return unknown_say(ctx, name, NULL, d);
}

int choice_unknown(const struct query *q, const char *name)
{
	struct diag d;

	(void)choice_unknown_say(q->ctx, name, &d);
	return answer_error(q->a, EXIT_NO_SUCH, "%s", d.text);
}

/* --- a request's --------------------------------------------------------- */

/* What goes between two words: cage 3 is one name. */
static const char *joint_of(const char *word, const char *next)
{
	size_t n = strlen(word), cage = strlen(CAGE_WORD);

	if (n == 0 || word[n - 1] == ',' || next[0] == ',')
		return "";
	return n >= cage && strcasecmp(word + n - cage, CAGE_WORD) == 0 &&
	       (n == cage || word[n - cage - 1] == ',') ? " " : ",";
}

bool choice_join(const Petrel__Request *request, char *ret, size_t cap)
{
	size_t len = 0;

	ret[0] = '\0';
	for (size_t i = 0; i < request->n_args; i++) {
		const char *next = request->args[i];
		int n = snprintf(ret + len, cap - len, "%s%s",
				 joint_of(ret, next), next);

		if (n < 0 || (size_t)n >= cap - len)
			return false;
		len += (size_t)n;
	}
	return true;
}

static bool item_is_of_any_cage(const struct cages *cages,
				const struct pattern_item *item)
{
	for (size_t i = 0; i < cages->count; i++)
		if (pattern_item_matches(item, cages->list[i].name))
			return true;
	return false;
}

bool choice_names_kind(enum entity_kind kind)
{
	return kind == ENTITY_PORT || kind == ENTITY_SYSTEM_PORT ||
	       kind == ENTITY_FABRIC_PORT;
}

/* The first item that matches no port or cage; NULL if each matches. */
static const struct pattern_item *item_of_none(const struct query_context *ctx,
					       const struct cages *cages,
					       const struct pattern *p)
{
	const struct inventory_entity *e;

	for (unsigned i = 0; i < p->count; i++) {
		size_t at = 0;

		do
			e = query_next(ctx, ENTITY_KIND_COUNT, &at);
		while (e && !(choice_names_kind(e->key.kind) &&
			      item_is_of(ctx, e->id, &p->item[i])));
		if (!e && !item_is_of_any_cage(cages, &p->item[i]))
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

int choice_take_asic(struct query *q)
{
	const char *asked = q->request->asic;
	const struct inventory_entity *e;
	char names[NAMES_MAX] = "";
	size_t at = 0;

	q->wanted.asic = ENTITY_NONE;
	while (asked[0] && (e = query_next(q->ctx, ENTITY_ASIC, &at))) {
		if (asic_is_called(e->key.name, asked))
			q->wanted.asic = e->id;
		joined_add(names, sizeof(names), "", " %s", e->key.name);
	}
	if (!asked[0] || q->wanted.asic != ENTITY_NONE)
		return EXIT_ANSWERED;
	return answer_error(q->a, EXIT_NO_SUCH, "no ASIC '%.32s'%s%s", asked,
			    names[0] ? "; this switch has" :
				       ": this switch has one ASIC only",
			    names);
}

int choice_parse(const char *text, struct port_choice *ret, struct diag *d)
{
	ret->asic = ENTITY_NONE;
	return pattern_parse(strcasecmp(text, WORD_ALL) == 0 ? "" : text,
			     &ret->pattern, d);
}

/* A blank may be part of a name, so it does not end one. */
static bool begins_with_a_port(const struct query_context *ctx,
			       const char *name)
{
	size_t len = strcspn(name, " \t\r\n");
	char first[ENTITY_NAME_MAX];

	(void)snprintf(first, sizeof(first), "%.*s", (int)len, name);
	return name[len] && choice_port(ctx, first) != ENTITY_NONE;
}

int choice_take(struct query *q)
{
	char text[LOCAL_REQUEST_MAX], name[ENTITY_NAME_MAX + 24];
	const struct pattern_item *unknown;
	struct cages cages;
	struct diag d;
	int code;

	if (!choice_join(q->request, text, sizeof(text)))
		return answer_error(q->a, EXIT_USAGE, "the names of the ports "
				    "are longer than %u octets",
				    LOCAL_REQUEST_MAX);
	if (choice_parse(text, &q->wanted, &d) < 0)
		return answer_error(q->a, EXIT_USAGE, "%s", d.text);
	code = choice_take_asic(q);
	if (code != EXIT_ANSWERED || q->wanted.pattern.count == 0)
		return code;
	cages_find(q->ctx, &cages);
	unknown = item_of_none(q->ctx, &cages, &q->wanted.pattern);
	if (!unknown)
		return EXIT_ANSWERED;
	(void)snprintf(name, sizeof(name), unknown->is_range ? "%s%u-%u" : "%s",
		       unknown->name, unknown->first, unknown->last);
	if (begins_with_a_port(q->ctx, name))
		return answer_error(q->a, EXIT_NO_SUCH, "no port '%.64s'; join "
				    "several by commas", name);
	(void)unknown_say(q->ctx, name, &cages, &d);
	return answer_error(q->a, EXIT_NO_SUCH, "%s", d.text);
}

/* --- seats --------------------------------------------------------------- */

void seats_begin(struct seats *s, const struct query *q)
{
	s->q = q;
	s->next_port = s->next_cage = 0;
	cages_find(q->ctx, &s->cages);
}

/* The cages follow the ports. */
static bool cage_next(struct seats *s, struct seat *ret)
{
	const struct port_choice *wanted = &s->q->wanted;

	while (s->next_cage < s->cages.count) {
		*ret = s->cages.list[s->next_cage++];
		if ((wanted->pattern.count == 0 ||
		     pattern_matches(&wanted->pattern, ret->name)) &&
		    choice_is_of(s->q->ctx, ret->module, wanted->asic))
			return true;
	}
	return false;
}

bool seats_next(struct seats *s, struct seat *ret)
{
	if (!choice_next(s->q, &s->next_port, &ret->port))
		return cage_next(s, ret);
	ret->module = state_port_module(s->q->ctx->state, ret->port);
	(void)strcpy(ret->name, query_name(s->q->ctx, ret->port));
	return true;
}

uint32_t seat_lane(const struct query_context *ctx, const struct seat *seat,
		   unsigned n)
{
	if (seat->port != ENTITY_NONE)
		return n < PORT_LANES_MAX ?
		       state_port_lane(ctx->state, seat->port, n) :
		       ENTITY_NONE;
	return state_child(ctx->state, seat->module, ENTITY_LANE, n + 1);
}

uint32_t seat_hosts(const struct query_context *ctx, const struct seat *seat,
		    unsigned n)
{
	uint32_t lane = seat_lane(ctx, seat, n);
	uint32_t told = (uint32_t)query_value(ctx, lane, Q_LANE_HOST_LANES, 0);
	int64_t hosts = query_value(ctx, seat->module, Q_MODULE_HOST_LANES, 0);
	int64_t media = query_value(ctx, seat->module, Q_MODULE_MEDIA_LANES, 0);
	unsigned number = lane == ENTITY_NONE ? 0 :
			  state_entity(ctx->state, lane)->key.number;

	if (told || number < 1 || number > SEAT_LANES_MAX)
		return told;
	if (media < 1 || media >= hosts || hosts > SEAT_LANES_MAX ||
	    number > media)
		return UINT32_C(1) << (number - 1);
	return (uint32_t)((UINT64_C(1) << number * hosts / media) -
			  (UINT64_C(1) << (number - 1) * hosts / media));
}

uint32_t seat_all_hosts(const struct query_context *ctx,
			const struct seat *seat, unsigned *ret_first)
{
	uint32_t hosts = 0, more;

	*ret_first = 0;
	for (unsigned n = 0; n < SEAT_LANES_MAX; n++) {
		more = seat_hosts(ctx, seat, n);
		if (more && !hosts && (unsigned)__builtin_ctz(more) >= n)
			*ret_first = (unsigned)__builtin_ctz(more) - n;
		hosts |= more;
	}
	return hosts;
}
