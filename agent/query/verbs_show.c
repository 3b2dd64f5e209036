/* All that is known of one entity: what it is, each value with its age, quality
 * and source, what belongs to it, and why the rest is absent.
 */
#include "agent/query/verbs.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/names.h"
#include "agent/base/number.h"
#include "agent/query/answer.h"
#include "agent/query/cells.h"
#include "agent/query/choice.h"
#include "agent/query/shapes.h"
#include "agent/state/state.h"

#define VALUE_TEXT_MAX 64
#define NEAREST_MAX 64		/* names that are compared */

/* --- which entity ------------------------------------------------------ */

static enum entity_kind kind_of(const char *word)
{
	if (strcasecmp(word, "cage") == 0)
		return ENTITY_MODULE;
	for (unsigned i = ENTITY_SWITCH; i < ENTITY_KIND_COUNT; i++)
		if (strcasecmp(word, entity_kind_name(i)) == 0)
			return (enum entity_kind)i;
	return ENTITY_KIND_COUNT;
}

/* A module by the number of its cage. */
static uint32_t module_find(const struct query_context *ctx, uint64_t cage)
{
	const struct inventory_entity *e;
	size_t n = state_entities(ctx->state, &e);

	for (size_t i = 0; i < n; i++)
		if (e[i].id && !e[i].gone && e[i].key.kind == ENTITY_MODULE &&
		    e[i].key.number == cage)
			return e[i].id;
	return ENTITY_NONE;
}

static uint32_t name_find(const struct query_context *ctx, const char *name)
{
	const struct inventory_entity *e;
	size_t n = state_entities(ctx->state, &e);
	uint32_t port = choice_port(ctx, name);

	for (size_t i = 0; i < n && port == ENTITY_NONE; i++)
		if (e[i].id && !e[i].gone && e[i].key.name[0] &&
		    (strcasecmp(e[i].key.name, name) == 0 ||
		     strcasecmp(inventory_shown(&e[i]), name) == 0))
			port = e[i].id;
	return port;
}

/* What belongs to it; a port's lanes are its module's. */
static uint32_t child_find(const struct query_context *ctx, uint32_t parent,
			   enum entity_kind kind, uint64_t number)
{
	const struct inventory_entity *e = state_entity(ctx->state, parent);
	bool is_port = e && e->key.kind == ENTITY_PORT;

	if (is_port && kind == ENTITY_LANE)
		return number < 1 || number > PORT_LANES_MAX ? ENTITY_NONE :
		       state_port_lane(ctx->state, parent,
				       (unsigned)number - 1);
	if (is_port && kind == ENTITY_MODULE)
		return state_port_module(ctx->state, parent);
	return kind == ENTITY_KIND_COUNT ? ENTITY_NONE :
	       state_child(ctx->state, parent, kind, (uint32_t)number);
}

static int unknown(const struct query_context *ctx, struct answer *a,
		   const char *name)
{
	const char *names[NEAREST_MAX], *near;
	const struct inventory_entity *e;
	size_t n = state_entities(ctx->state, &e), count = 0;

	for (size_t i = 0; i < n && count < NEAREST_MAX; i++)
		if (e[i].id && !e[i].gone && e[i].key.name[0])
			names[count++] = e[i].key.name;
	near = nearest_name(name, names, count);
	return answer_error(a, EXIT_NO_SUCH, "nothing is called '%.64s'%s%s; "
			    "expected a port, sensor, pool or ASIC by its "
			    "name, cage N, or switch", name,
			    near ? "; nearest is " : "", near ? near : "");
}

/* A name of several words, such as PSU 1: all the words. */
static uint32_t long_name_find(const struct query_context *ctx,
			       const Petrel__Request *request)
{
	char name[ENTITY_NAME_MAX] = "";
	size_t len = 0;

	for (size_t i = 0; i < request->n_args && len < sizeof(name); i++)
		len += (size_t)snprintf(name + len, sizeof(name) - len, "%s%s",
					len ? " " : "", request->args[i]);
	return name_find(ctx, name);
}

/* The first words name it: the switch, cage N, or a name. Returns how many are
 * taken; 0: none is called so.
 */
static size_t first_find(const struct query_context *ctx,
			 const Petrel__Request *request, uint32_t *ret)
{
	uint64_t number;

	*ret = long_name_find(ctx, request);
	if (*ret != ENTITY_NONE)
		return request->n_args;
	*ret = name_find(ctx, request->args[0]);
	if (*ret != ENTITY_NONE)
		return 1;
	if (kind_of(request->args[0]) == ENTITY_SWITCH) {
		*ret = state_switch(ctx->state);
		return 1;
	}
	if (kind_of(request->args[0]) != ENTITY_MODULE ||
	    request->n_args < 2 ||
	    number_parse(request->args[1], 0, UINT32_MAX, &number) < 0)
		return 0;
	*ret = module_find(ctx, number);
	return *ret == ENTITY_NONE ? 0 : 2;
}

/* Returns EXIT_ANSWERED, or the exit code of the error in a. */
static int entity_find(const struct query_context *ctx,
		       const Petrel__Request *request, struct answer *a,
		       uint32_t *ret)
{
	size_t at = request->n_args ? first_find(ctx, request, ret) : 0;

	if (request->n_args == 0)
		return answer_error(a, EXIT_USAGE, "show wants the name of a "
				    "port, sensor, pool or ASIC, cage N, or "
				    "switch");
	if (at == 0)
		return unknown(ctx, a, request->args[0]);
	for (; at < request->n_args; at += 2) {
		const char *word = request->args[at];
		uint64_t number = 0;
		bool is_module = kind_of(word) == ENTITY_MODULE;

		if (!is_module &&
		    (at + 1 == request->n_args ||
		     number_parse(request->args[at + 1], 0, UINT32_MAX,
				  &number) < 0))
			return answer_error(a, EXIT_USAGE, "'%.32s' wants a "
					    "number, as in queue 3", word);
		*ret = child_find(ctx, *ret, kind_of(word), number);
		at -= is_module;	/* it has but one */
		if (*ret == ENTITY_NONE)
			return answer_error(a, EXIT_NO_SUCH, "it has no "
					    "%.32s %llu", word,
					    (unsigned long long)number);
	}
	return EXIT_ANSWERED;
}

/* --- what it is -------------------------------------------------------- */

static void kind_column(struct cells *c, const struct answer_column *col)
{
	const struct inventory_entity *e = state_entity(c->ctx->state,
							c->of[OF_ROW]);

	(void)col;
	answer_text(c->a, e ? entity_kind_name(e->key.kind) : NULL);
}

/* The port that it serves, or the cage that it is in; not that of itself. */
static void subject_column(struct cells *c, const struct answer_column *col)
{
	char room[ENTITY_NAME_MAX];
	const char *name = state_subject(c->ctx->state, c->of[OF_ROW], room);
	const char *own = context_name(c->ctx, c->of[OF_ROW]);

	(void)col;
	answer_text(c->a, name[0] && strcmp(name, own) != 0 ? name : NULL);
}

/* What has a name is not numbered. */
static void own_number_column(struct cells *c, const struct answer_column *col)
{
	if (context_name(c->ctx, c->of[OF_ROW])[0])
		answer_absent(c->a);
	else
		column_number(c, col);
}

static void id_column(struct cells *c, const struct answer_column *col)
{
	answer_integer(c->a, c->of[col->of]);
}

static const struct answer_column entity_columns[] = {
	{ "kind", "kind", CELL_TEXT, false, false, kind_column },
	{ "name", "name", CELL_TEXT, false, false, column_name, OF_ROW },
	{ "number", "number", CELL_INTEGER, false, false, own_number_column,
	  OF_ROW },
	{ "of", "of", CELL_TEXT, false, false, subject_column },
	{ "asic", "ASIC", CELL_TEXT, false, false, column_asic, OF_ROW },
	{ "entity", "id", CELL_UNSIGNED, false, false, id_column, OF_ROW },
	{ .key = NULL },
};
const struct answer_shape shape_entity = { "entity", entity_columns, true };

static const struct answer_column attribute_columns[] = {
	{ "attribute", "ATTRIBUTE", CELL_TEXT, false, false },
	{ "text", "TEXT", CELL_TEXT, false, false },
	{ .key = NULL },
};
const struct answer_shape shape_attributes = {
	"attributes", attribute_columns, false
};

static void attributes_table(struct cells *c)
{
	answer_shaped(c->a, &shape_attributes);
	for (unsigned i = 1; i < ATTRIBUTE_COUNT; i++) {
		const char *text = context_attribute(c->ctx, c->of[OF_ROW], i);

		if (!text || !text[0])
			continue;
		answer_row(c->a);
		answer_text(c->a, attribute_name((enum attribute)i));
		answer_text(c->a, text);
	}
}

/* --- values ------------------------------------------------------------ */

/* How people write a unit; the others are told as they are counted. */
static const struct {
	double scale;
	int digits;
	const char *unit;
} decimals[UNIT_COUNT] = {
	[UNIT_MC] = { 1e3, 1, "°C" },	[UNIT_UV] = { 1e6, 3, "V" },
	[UNIT_UA] = { 1e3, 2, "mA" },	[UNIT_UW] = { 1e6, 1, "W" },
	[UNIT_MDB] = { 1e3, 1, "dB" },	[UNIT_PPM] = { 1e4, 2, "%" },
	[UNIT_MBPS] = { 1e3, 0, "Gb/s" },
};

static void value_text(const struct quantity_info *q, int64_t value,
		       char ret[static VALUE_TEXT_MAX])
{
	const char *word = quantity_word((enum quantity)q->id, value);

	if (word)
		(void)snprintf(ret, VALUE_TEXT_MAX, "%s", word);
	else if (q->unit == UNIT_BOOL)
		(void)snprintf(ret, VALUE_TEXT_MAX, value ? "yes" : "no");
	else if (q->unit == UNIT_PW && value > 0)
		(void)snprintf(ret, VALUE_TEXT_MAX, "%.2f dBm",
			       number_dbm(value));
	else if (q->unit == UNIT_E18)
		(void)snprintf(ret, VALUE_TEXT_MAX, "%.2g",
			       (double)value / 1e18);
	else if (decimals[q->unit].scale > 0)
		(void)snprintf(ret, VALUE_TEXT_MAX, "%.*f %s",
			       decimals[q->unit].digits,
			       (double)value / decimals[q->unit].scale,
			       decimals[q->unit].unit);
	else if (q->kind == KIND_COUNTER || q->kind == KIND_PEAK)
		(void)snprintf(ret, VALUE_TEXT_MAX, "%llu",
			       (unsigned long long)value);
	else
		(void)snprintf(ret, VALUE_TEXT_MAX, "%lld", (long long)value);
}

/* The row under way: a value as one source reads it. */
struct shown {
	const struct sample_column *column;
	const struct quantity_info *quantity;
	struct state_value v;
};

static void quantity_column(struct cells *c, const struct answer_column *col)
{
	const struct shown *s = c->own;

	(void)col;
	answer_text(c->a, s->quantity->name);
}

static void index_column(struct cells *c, const struct answer_column *col)
{
	const struct shown *s = c->own;
	char words[VALUE_TEXT_MAX];

	(void)col;
	quantity_index_words(s->quantity, s->column->index, words,
			     sizeof(words));
	answer_text(c->a, words[0] ? words : NULL);
}

static void shown_column(struct cells *c, const struct answer_column *col)
{
	const struct shown *s = c->own;
	char text[VALUE_TEXT_MAX];

	(void)col;
	value_text(s->quantity, s->v.value, text);
	answer_text(c->a, text);
	answer_age(c->a, 0, s->v.quality);
}

static void exact_column(struct cells *c, const struct answer_column *col)
{
	const struct shown *s = c->own;

	(void)col;
	answer_integer(c->a, s->v.value);
}

static void unit_column(struct cells *c, const struct answer_column *col)
{
	const struct shown *s = c->own;

	(void)col;
	answer_text(c->a, quantity_unit_name((enum quantity_unit)
					     s->quantity->unit));
}

static void index_number_column(struct cells *c,
				const struct answer_column *col)
{
	const struct shown *s = c->own;

	(void)col;
	cells_known(c, quantity_is_indexed(s->quantity), s->column->index);
}

static void value_age_column(struct cells *c, const struct answer_column *col)
{
	const struct shown *s = c->own;

	(void)col;
	answer_integer(c->a, mono_diff_ns(c->now, s->v.age.taken));
}

static void source_column(struct cells *c, const struct answer_column *col)
{
	const struct shown *s = c->own;
	const struct state_source *sources;
	size_t n = state_sources(c->ctx->state, &sources);
	unsigned at = state_source_of(c->ctx->state, s->column->source);

	(void)col;
	answer_text(c->a, at < n ? sources[at].name : NULL);
}

static const struct answer_column value_columns[] = {
	{ "quantity", "QUANTITY", CELL_TEXT, false, false, quantity_column },
	{ "index_name", "INDEX", CELL_TEXT, false, false, index_column },
	{ "shown", "VALUE", CELL_TEXT, true, false, shown_column },
	{ "age", "AGE", CELL_AGE_NS, true, false, value_age_column },
	{ "source", "SOURCE", CELL_TEXT, false, false, source_column },
	{ "value", "EXACT", CELL_INTEGER, true, true, exact_column },
	{ "unit", "UNIT", CELL_TEXT, false, true, unit_column },
	{ "index", "", CELL_INTEGER, true, true, index_number_column },
	{ .key = NULL },
};
const struct answer_shape shape_values = { "values", value_columns, false };

/* In the order of their ids; what two sources read, from both. */
static void values_table(struct cells *c)
{
	const struct sample_column *columns;
	size_t n = state_columns(c->ctx->state, &columns), quantities;
	const struct quantity_info *q = quantity_table(&quantities);
	struct shown s;

	answer_shaped(c->a, &shape_values);
	c->own = &s;
	for (size_t i = 0; i < quantities; i++) {
		for (size_t k = 0; k < n; k++) {
			s.column = &columns[k];
			s.quantity = &q[i];
			if (columns[k].quantity == q[i].id &&
			    state_value_from(c->ctx->state, c->of[OF_ROW],
					     &columns[k], &s.v))
				cells_fill(c, value_columns);
		}
	}
	c->own = NULL;
}

/* --- what belongs to it ------------------------------------------------ */

static const struct answer_column child_columns[] = {
	{ "kind", "HAS", CELL_TEXT, false, false },
	{ "count", "COUNT", CELL_INTEGER, true, false },
	{ "first", "FROM", CELL_INTEGER, true, false },
	{ .key = NULL },
};
const struct answer_shape shape_children = { "children", child_columns, false };

static void children_table(struct cells *c)
{
	const struct inventory_entity *e;
	size_t n = state_entities(c->ctx->state, &e);

	answer_shaped(c->a, &shape_children);
	for (unsigned kind = 0; kind < ENTITY_KIND_COUNT; kind++) {
		uint32_t first = UINT32_MAX;
		size_t count = 0;

		for (size_t i = 0; i < n; i++) {
			if (e[i].id == 0 || e[i].gone ||
			    e[i].key.kind != kind ||
			    e[i].key.parent != c->of[OF_ROW])
				continue;
			count++;
			if (!e[i].key.name[0] && e[i].key.number < first)
				first = e[i].key.number;
		}
		if (count == 0)
			continue;
		answer_row(c->a);
		answer_text(c->a, entity_kind_name((enum entity_kind)kind));
		answer_integer(c->a, (int64_t)count);
		cells_known(c, first != UINT32_MAX, first);
	}
}

/* --- what is absent ---------------------------------------------------- */

static const struct answer_column absent_columns[] = {
	{ "quantity", "ABSENT", CELL_TEXT, false, false },
	{ "because", "BECAUSE", CELL_TEXT, false, false },
	{ .key = NULL },
};
const struct answer_shape shape_absent = { "absent", absent_columns, false };

/* Why a quantity that others of its kind may have is not read of it. NULL: it
 * is read. ret: room for a text.
 */
static const char *absence_of(const struct cells *c,
			      const struct quantity_info *q,
			      char ret[static 2 * SOURCE_REASON_MAX])
{
	const struct sample_column *columns;
	const struct state_source *sources, *of = NULL;
	size_t n = state_columns(c->ctx->state, &columns);
	const char *why = "no source of this switch gives it";

	if (c->ctx->engine &&
	    (q->id == Q_PRE_FEC_BER_E18 || q->id == Q_MARGIN_MILLI_DB))
		return "worked out by Petrel: see petrel port";
	(void)state_sources(c->ctx->state, &sources);
	for (size_t i = 0; i < n; i++) {
		struct state_value v;

		if (columns[i].quantity != q->id)
			continue;
		if (state_value_from(c->ctx->state, c->of[OF_ROW], &columns[i],
				     &v))
			return NULL;
		of = &sources[state_source_of(c->ctx->state,
					      columns[i].source)];
		why = "gives it of others, not of this one";
	}
	if (!of)
		return why;
	(void)snprintf(ret, 2 * SOURCE_REASON_MAX, "%s: %s", of->name,
		       of->reason[0] ? of->reason : why);
	return ret;
}

/* is_shown: also in the text. */
static void absent_table(struct cells *c, bool is_shown)
{
	const struct inventory_entity *e = state_entity(c->ctx->state,
							c->of[OF_ROW]);
	char text[2 * SOURCE_REASON_MAX];
	size_t n, absent = 0;
	const struct quantity_info *q = quantity_table(&n);

	answer_shaped(c->a, &shape_absent);
	for (size_t i = 0; e && i < n; i++) {
		const char *why;

		if (!quantity_fits(&q[i], e->key.kind))
			continue;
		why = absence_of(c, &q[i], text);
		if (!why)
			continue;
		absent++;
		answer_row(c->a);
		if (!is_shown)
			answer_row_json_only(c->a);
		answer_text(c->a, q[i].name);
		answer_text(c->a, why);
	}
	if (absent && !is_shown)
		answer_note(c->a, "%zu more quantities of its kind are absent; "
			    "--all lists them, each with the reason", absent);
}

int verbs_show(void *context, struct query_client *client,
	       const Petrel__Request *request, struct answer *a)
{
	const struct query_context *ctx = context;
	struct cells c = { .ctx = ctx, .a = a,
			   .now = context_begin(ctx, a).mono };
	int code = entity_find(ctx, request, a, &c.of[OF_ROW]);

	(void)client;
	if (code != EXIT_ANSWERED)
		return code;
	answer_shaped(a, &shape_entity);
	cells_fill(&c, entity_columns);
	attributes_table(&c);
	values_table(&c);
	children_table(&c);
	absent_table(&c, request->all);
	return EXIT_ANSWERED;
}
