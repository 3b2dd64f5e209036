#include "agent/query/history_rows.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/query/verbs.h"
#include "agent/state/state.h"

/* --- which series -------------------------------------------------------- */

/* name, or name:index. */
static int quantity_take(const struct query *q, const char *word,
			 struct history_series *ret)
{
	char name[ENTITY_NAME_MAX];
	size_t len = strcspn(word, ":");
	uint64_t index = 0;
	struct diag d;

	(void)snprintf(name, sizeof(name), "%.*s", (int)len, word);
	if (quantity_parse(name, &ret->info, &d) < 0)
		return answer_error(q->a, EXIT_NO_SUCH, "%s", d.text);
	if (word[len] &&
	    number_parse(word + len + 1, 0, UINT16_MAX, &index) < 0)
		return answer_error(q->a, EXIT_USAGE, "'%.64s'; expected a "
				    "number after the colon", word);
	ret->index = (uint16_t)index;
	return EXIT_ANSWERED;
}

static void series_add(const struct history_series *of, uint32_t entity,
		       struct history_series *ret, size_t *count)
{
	if (entity == ENTITY_NONE || *count == HISTORY_SERIES_MAX)
		return;
	ret[*count] = *of;
	ret[(*count)++].entity = entity;
}

/* The entity's own series; for a port, also those of its module or lanes. */
static void series_of(const struct query *q, const struct history_series *of,
		      struct history_series *ret, size_t *count)
{
	const struct state *s = q->ctx->state;
	uint32_t id = q->of[OF_ROW];
	const struct inventory_entity *e = state_entity(s, id);

	if (!e || quantity_fits(of->info, e->key.kind)) {
		series_add(of, id, ret, count);
		return;
	}
	if (e->key.kind != ENTITY_PORT)
		return;
	if (quantity_fits(of->info, ENTITY_MODULE))
		series_add(of, state_port_module(s, id), ret, count);
	for (unsigned n = 0; n < PORT_LANES_MAX &&
			     quantity_fits(of->info, ENTITY_LANE); n++)
		series_add(of, state_port_lane(s, id, n), ret, count);
}

int history_find(struct query *q, struct history_series
		 ret[static HISTORY_SERIES_MAX], size_t *ret_count)
{
	const Petrel__Request *whole = q->request;
	Petrel__Request words = *whole;
	struct history_series of = { .index = 0 };
	int code;

	*ret_count = 0;
	if (whole->n_args < 2)
		return answer_error(q->a, EXIT_USAGE, "expected an entity and "
				    "a quantity, as in Ethernet0 "
				    "if_in_octets");
	words.n_args--;
	q->request = &words;
	code = show_find(q);
	q->request = whole;
	if (code == EXIT_ANSWERED)
		code = quantity_take(q, whole->args[words.n_args], &of);
	if (code != EXIT_ANSWERED || !of.info)
		return code;
	series_of(q, &of, ret, ret_count);
	return *ret_count > 0 ? EXIT_ANSWERED :
	       answer_error(q->a, EXIT_NO_SUCH, "it has no %s: only a %s has "
			    "it", of.info->name,
			    entity_kind_name(of.info->scope));
}

/* --- tables -------------------------------------------------------------- */

const struct answer_shape shape_history_reach = {
	"history_reach", .single = true, .columns = {
	{ "full", "each reading since", CELL_WALL_NS },
	{ "tiers", "by the minute since", CELL_WALL_NS },
	{ "damage", "damage", CELL_TEXT },
	{ .key = NULL },
} };

const struct answer_shape shape_history = {
	"history", .columns = {
	{ "time", "TIME", CELL_WALL_NS },
	{ "of", "OF", CELL_TEXT },
	{ "shown", "VALUE", CELL_TEXT, .right = true },
	{ "shown_min", "MIN", CELL_TEXT, .right = true },
	{ "shown_max", "MAX", CELL_TEXT, .right = true },
	{ "span", "OVER", CELL_AGE_NS },
	{ "quantity", "", CELL_TEXT },
	{ "index", "", CELL_INTEGER },
	{ "value", "", CELL_INTEGER },
	{ "value_min", "", CELL_INTEGER },
	{ "value_max", "", CELL_INTEGER },
	{ "rate", "", CELL_MILLI },
	{ "rate_min", "", CELL_MILLI },
	{ "rate_max", "", CELL_MILLI },
	{ "unit", "", CELL_TEXT },
	{ "age", "", CELL_AGE_NS },
	{ .key = NULL },
} };

/* Thousandths per second, shown for people: octets as bits. */
static void rate_text(const struct quantity_info *q, int64_t milli,
		      char ret[static VALUE_TEXT_MAX])
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T" };
	bool is_octets = q->unit == UNIT_OCTETS;
	double rate = (double)milli / 1e3 * (is_octets ? 8 : 1);
	unsigned n = 0;

	for (; rate >= 1e4 && n < 4; n++)
		rate /= 1e3;
	(void)snprintf(ret, VALUE_TEXT_MAX, "%.*f%s%s%s",
		       rate < 10 && rate > 0 ? 2 : 1, rate,
		       n || is_octets ? " " : "", prefixes[n],
		       is_octets ? "b/s" : "/s");
}

static void shown_cell(struct query *q, const struct quantity_info *info,
		       int64_t value)
{
	char text[VALUE_TEXT_MAX];

	if (history_is_rate(info))
		rate_text(info, value, text);
	else
		show_value_text(info, value, text);
	answer_text(q->a, text);
}

void history_of(const struct state *s, uint32_t entity,
		char ret[static ENTITY_NAME_MAX])
{
	const struct inventory_entity *e = state_entity(s, entity);

	(void)snprintf(ret, ENTITY_NAME_MAX, "%s", e ? e->key.name : "");
	if (e && !ret[0])
		(void)snprintf(ret, ENTITY_NAME_MAX, "%s %u",
			       entity_kind_name(e->key.kind), e->key.number);
}

void history_begin(struct query *q, const struct history_reach *reach)
{
	answer_table(q->a, &shape_history_reach);
	answer_row(q->a);
	answer_known(q->a, reach->full.ns, reach->full.ns);
	answer_known(q->a, reach->tiers.ns, reach->tiers.ns);
	answer_text_if(q->a, reach->why);
	answer_table(q->a, &shape_history);
}

void history_row(struct query *q, const struct history_series *s,
		 const struct history_value *v)
{
	bool is_rate = history_is_rate(s->info);
	const int64_t values[] = { v->value, v->min, v->max };
	char of[ENTITY_NAME_MAX];

	answer_row(q->a);
	answer_integer(q->a, v->wall.ns);
	history_of(q->ctx->state, s->entity, of);
	answer_text_if(q->a, of);
	shown_cell(q, s->info, v->value);
	answer_age(q->a, 0, v->quality);
	for (unsigned i = 1; i < 3; i++)
		if (v->span_ns)
			shown_cell(q, s->info, values[i]);
		else
			answer_absent(q->a);
	answer_known(q->a, v->span_ns, v->span_ns);
	answer_text(q->a, s->info->name);
	answer_known(q->a, quantity_is_indexed(s->info), s->index);
	for (unsigned i = 0; i < 3; i++)
		if (is_rate)
			answer_absent(q->a);
		else
			answer_pattern(q->a, quantity_is_unsigned(s->info),
				       values[i]);
	for (unsigned i = 0; i < 3; i++)
		answer_known(q->a, is_rate, values[i]);
	answer_text(q->a, quantity_unit_name(
			    (enum quantity_unit)s->info->unit));
	answer_integer(q->a, v->age_ns);
}

void history_end(struct query *q)
{
	if (answer_rows(q->a, answer_message(q->a)->n_tables - 1) == 0)
		answer_note(q->a, "no reading in this time");
}
