/* All that is known of one entity: its identity, each value with its age,
 * quality and source, its children, and why other values are absent.
 */
#include "agent/query/verbs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/joined.h"
#include "agent/base/names.h"
#include "agent/base/number.h"
#include "agent/state/state.h"

#define NEAREST_MAX 64		/* names to compare */

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
	size_t at = 0;

	while ((e = query_next(ctx, ENTITY_MODULE, &at)))
		if (e->key.number == cage)
			return e->id;
	return ENTITY_NONE;
}

static uint32_t name_find(const struct query_context *ctx, const char *name)
{
	const struct inventory_entity *e;
	uint32_t port = choice_port(ctx, name);
	size_t at = 0;

	while (port == ENTITY_NONE &&
	       (e = query_next(ctx, ENTITY_KIND_COUNT, &at)))
		if (e->key.name[0] &&
		    (strcasecmp(e->key.name, name) == 0 ||
		     strcasecmp(inventory_shown(e), name) == 0))
			port = e->id;
	return port;
}

/* A child of the entity; a port's lanes are those of its module. */
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
	return state_child(ctx->state, parent, kind, (uint32_t)number);
}

static int unknown(const struct query *q, const char *name)
{
	const char *names[NEAREST_MAX], *near;
	const struct inventory_entity *e;
	size_t at = 0, count = 0;

	while (count < NEAREST_MAX &&
	       (e = query_next(q->ctx, ENTITY_KIND_COUNT, &at)))
		if (e->key.name[0])
			names[count++] = e->key.name;
	near = nearest_name(name, names, count);
	return answer_error(q->a, EXIT_NO_SUCH, "nothing is named '%.64s'%s%s; "
			    "expected the name of a port, sensor, pool or "
			    "ASIC, cage N, or switch", name,
			    near ? "; nearest is " : "", near ? near : "");
}

/* For a name of several words, such as PSU 1: tries all words. */
static uint32_t long_name_find(const struct query_context *ctx,
			       const Petrel__Request *request)
{
	char name[ENTITY_NAME_MAX] = "";

	for (size_t i = 0; i < request->n_args; i++)
		joined_add(name, sizeof(name), " ", "%s", request->args[i]);
	return name_find(ctx, name);
}

/* Finds what the first words name: the switch, cage N, or a name. Returns how
 * many words were used; 0: there is no such entity.
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

static int kind_unknown(const struct query *q, const char *name,
			const char *word)
{
	const char *names[ENTITY_KIND_COUNT] = { CAGE_WORD }, *near;

	for (unsigned i = ENTITY_SWITCH; i < ENTITY_KIND_COUNT; i++)
		names[i] = entity_kind_name(i);
	near = nearest_name(word, names, ENTITY_KIND_COUNT);
	return answer_error(q->a, EXIT_NO_SUCH, "%.64s has no '%.32s'%s%s; "
			    "expected a kind and a number, as in queue 3",
			    name, word, near ? "; nearest is " : "",
			    near ? near : "");
}

int show_find(struct query *q)
{
	const Petrel__Request *r = q->request;
	uint32_t *row = &q->of[OF_ROW];
	size_t at = r->n_args ? first_find(q->ctx, r, row) : 0;

	if (r->n_args == 0)
		return answer_error(q->a, EXIT_USAGE, "expected the name of "
				    "a port, sensor, pool or ASIC, cage N, or "
				    "switch");
	if (at == 0 && r->n_args > 1 &&
	    kind_of(r->args[0]) == ENTITY_MODULE)
		return answer_error(q->a, EXIT_NO_SUCH, "no cage '%.32s'; "
				    "petrel modules lists them", r->args[1]);
	if (at == 0)
		return unknown(q, r->args[0]);
	for (; at < r->n_args; at += 2) {
		enum entity_kind kind = kind_of(r->args[at]);
		uint64_t number = 0;

		if (kind == ENTITY_KIND_COUNT)
			return kind_unknown(q, r->args[0], r->args[at]);
		if (kind != ENTITY_MODULE &&
		    (at + 1 == r->n_args ||
		     number_parse(r->args[at + 1], 0, UINT32_MAX,
				  &number) < 0))
			return answer_error(q->a, EXIT_USAGE, "'%.32s' needs "
					    "a number, as in queue 3",
					    r->args[at]);
		*row = child_find(q->ctx, *row, kind, number);
		if (*row == ENTITY_NONE)
			return answer_error(q->a, EXIT_NO_SUCH, "%.64s has no "
					    "%.32s %llu", r->args[0],
					    r->args[at],
					    (unsigned long long)number);
		at -= kind == ENTITY_MODULE;	/* there is only one */
	}
	return EXIT_ANSWERED;
}

/* --- what it is -------------------------------------------------------- */

static void kind_column(struct query *q)
{
	const struct inventory_entity *e = state_entity(q->ctx->state,
							q->of[OF_ROW]);

	answer_text(q->a, e ? entity_kind_name(e->key.kind) : NULL);
}

/* The port that it serves, or the cage that it is in; absent for itself. */
static void subject_column(struct query *q)
{
	char room[ENTITY_NAME_MAX];
	const char *name = state_subject(q->ctx->state, q->of[OF_ROW], room);
	const char *own = query_name(q->ctx, q->of[OF_ROW]);

	answer_text(q->a, name[0] && strcmp(name, own) != 0 ? name : NULL);
}

/* An entity with a name shows no number. */
static void own_number_column(struct query *q)
{
	if (query_name(q->ctx, q->of[OF_ROW])[0])
		answer_absent(q->a);
	else
		column_number(q);
}

const struct answer_shape shape_entity = {
	"entity", .single = true, .rows = rows_single, .columns = {
	{ "kind", "kind", CELL_TEXT, .from = kind_column },
	{ "name", "name", CELL_TEXT, .from = column_name },
	{ "number", "number", CELL_INTEGER, .from = own_number_column },
	{ "of", "of", CELL_TEXT, .from = subject_column },
	{ "asic", "ASIC", CELL_TEXT, .from = column_asic },
	{ "entity", "id", CELL_UNSIGNED, .from = column_id },
	{ .key = NULL },
} };

static void rows_attributes(struct query *q)
{
	answer_table(q->a, q->shape);
	for (unsigned i = 1; i < ATTRIBUTE_COUNT; i++) {
		const char *text = query_attribute(q->ctx, q->of[OF_ROW], i);

		if (!text || !text[0])
			continue;
		answer_row(q->a);
		answer_text(q->a, attribute_name((enum attribute)i));
		answer_text(q->a, text);
	}
}

const struct answer_shape shape_attributes = {
	"attributes", .rows = rows_attributes, .columns = {
	{ "attribute", "ATTRIBUTE", CELL_TEXT },
	{ "text", "TEXT", CELL_TEXT },
	{ .key = NULL },
} };

/* --- values ------------------------------------------------------------ */

/* Units as people write them; other values are shown unscaled. */
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

bool show_is_scaled(const struct quantity_info *q)
{
	return q->unit == UNIT_PW || q->unit == UNIT_E18 ||
	       decimals[q->unit].scale > 0;
}

/* 0 has no sign. */
static double rounded(int64_t value, double scale, int digits)
{
	double steps = pow(10, digits);

	return rint((double)value / scale * steps) / steps + 0.0;
}

void show_value_text(const struct quantity_info *q, int64_t value,
		     char ret[static VALUE_TEXT_MAX])
{
	const char *word = quantity_word((enum quantity)q->id, value);

	if (word)
		(void)snprintf(ret, VALUE_TEXT_MAX, "%s", word);
	else if (q->unit == UNIT_BOOL)
		(void)snprintf(ret, VALUE_TEXT_MAX, value ? "yes" : "no");
	else if (q->unit == UNIT_PW && value <= 0)
		(void)snprintf(ret, VALUE_TEXT_MAX, "dark");
	else if (q->unit == UNIT_PW)
		(void)snprintf(ret, VALUE_TEXT_MAX, "%.2f dBm",
			       number_dbm(value));
	else if (q->unit == UNIT_E18)
		(void)snprintf(ret, VALUE_TEXT_MAX, value ? "%.1e" : "%.0f",
			       (double)value / 1e18);
	else if (decimals[q->unit].scale > 0)
		(void)snprintf(ret, VALUE_TEXT_MAX, "%.*f %s",
			       decimals[q->unit].digits,
			       rounded(value, decimals[q->unit].scale,
				       decimals[q->unit].digits),
			       decimals[q->unit].unit);
	else if (quantity_is_unsigned(q))
		(void)snprintf(ret, VALUE_TEXT_MAX, "%llu",
			       (unsigned long long)value);
	else
		(void)snprintf(ret, VALUE_TEXT_MAX, "%lld", (long long)value);
}

/* A value as one source reads it. */
static void value_row(struct query *q, const struct quantity_info *info,
		      const struct sample_column *c,
		      const struct state_value *v)
{
	const struct state_source *sources;
	size_t n = state_sources(q->ctx->state, &sources);
	unsigned at = state_source_of(q->ctx->state, c->source);
	char text[VALUE_TEXT_MAX];

	answer_row(q->a);
	answer_text(q->a, info->name);
	quantity_index_words(info, c->index, text, sizeof(text));
	answer_text_if(q->a, text);
	show_value_text(info, v->value, text);
	answer_text(q->a, text);
	answer_age(q->a, 0, v->quality);
	answer_integer(q->a, mono_diff_ns(q->now.mono, v->age.taken));
	answer_text(q->a, at < n ? sources[at].name : NULL);
	answer_pattern(q->a, quantity_is_unsigned(info), v->value);
	answer_text(q->a, quantity_unit_name((enum quantity_unit)info->unit));
	answer_known(q->a, quantity_is_indexed(info), c->index);
}

/* In the order of ids; a quantity that two sources read has two rows. */
static void rows_values(struct query *q)
{
	const struct sample_column *columns;
	size_t n = state_columns(q->ctx->state, &columns), quantities;
	const struct quantity_info *info = quantity_table(&quantities);
	struct state_value v;

	answer_table(q->a, q->shape);
	for (size_t i = 0; i < quantities; i++)
		for (size_t k = 0; k < n; k++)
			if (columns[k].quantity == info[i].id &&
			    state_value_from(q->ctx->state, q->of[OF_ROW],
					     &columns[k], &v))
				value_row(q, &info[i], &columns[k], &v);
}

const struct answer_shape shape_values = {
	"values", .rows = rows_values, .columns = {
	{ "quantity", "QUANTITY", CELL_TEXT },
	{ "index_name", "INDEX", CELL_TEXT },
	{ "shown", "VALUE", CELL_TEXT, .right = true },
	{ "age", "AGE", CELL_AGE_NS },
	{ "source", "SOURCE", CELL_TEXT },
	{ "value", "EXACT", CELL_INTEGER, .wide = true },
	{ "unit", "UNIT", CELL_TEXT, .wide = true },
	{ "index", "", CELL_INTEGER },
	{ .key = NULL },
} };

/* --- what belongs to it ------------------------------------------------ */

static void rows_kinds(struct query *q)
{
	answer_table(q->a, q->shape);
	for (unsigned kind = 0; kind < ENTITY_KIND_COUNT; kind++) {
		const struct inventory_entity *e;
		uint32_t first = UINT32_MAX;
		size_t count = 0, at = 0;

		while ((e = query_next(q->ctx, kind, &at))) {
			if (e->key.parent != q->of[OF_ROW])
				continue;
			count++;
			if (!e->key.name[0] && e->key.number < first)
				first = e->key.number;
		}
		if (count == 0)
			continue;
		answer_row(q->a);
		answer_text(q->a, entity_kind_name((enum entity_kind)kind));
		answer_integer(q->a, (int64_t)count);
		answer_known(q->a, first != UINT32_MAX, first);
	}
}

const struct answer_shape shape_children = {
	"children", .rows = rows_kinds, .columns = {
	{ "kind", "HAS", CELL_TEXT },
	{ "count", "COUNT", CELL_INTEGER },
	{ "first", "FROM", CELL_INTEGER },
	{ .key = NULL },
} };

/* --- what is absent ---------------------------------------------------- */

/* Why a quantity that other entities of its kind may have is not read for this
 * one. NULL: it is read. ret: room for a text.
 */
static const char *absence_of(const struct query *q,
			      const struct quantity_info *info,
			      char ret[static 2 * SOURCE_REASON_MAX])
{
	const struct sample_column *columns;
	const struct state_source *sources, *of = NULL;
	size_t n = state_columns(q->ctx->state, &columns);
	const char *why = "no source on this switch reports it";

	if (q->ctx->engine &&
	    (info->id == Q_PRE_FEC_BER_E18 || info->id == Q_MARGIN_MILLI_DB))
		return "computed by Petrel: see petrel port";
	(void)state_sources(q->ctx->state, &sources);
	for (size_t i = 0; i < n; i++) {
		struct state_value v;

		if (columns[i].quantity != info->id)
			continue;
		if (state_value_from(q->ctx->state, q->of[OF_ROW], &columns[i],
				     &v))
			return NULL;
		of = &sources[state_source_of(q->ctx->state,
					      columns[i].source)];
		why = "reports it for others, but not for this one";
	}
	if (!of)
		return why;
	(void)snprintf(ret, 2 * SOURCE_REASON_MAX, "%s: %s", of->name,
		       of->reason[0] ? of->reason : why);
	return ret;
}

/* In text only if all is requested. */
static void rows_absent(struct query *q)
{
	const struct inventory_entity *e = state_entity(q->ctx->state,
							q->of[OF_ROW]);
	char text[2 * SOURCE_REASON_MAX];
	size_t n, absent = 0;
	const struct quantity_info *info = quantity_table(&n);

	answer_table(q->a, q->shape);
	for (size_t i = 0; e && i < n; i++) {
		const char *why;

		if (!quantity_fits(&info[i], e->key.kind))
			continue;
		why = absence_of(q, &info[i], text);
		if (!why)
			continue;
		absent++;
		answer_row(q->a);
		if (!q->request->all)
			answer_row_json_only(q->a);
		answer_text(q->a, info[i].name);
		answer_text(q->a, why);
	}
	if (absent && !q->request->all)
		answer_note(q->a, "%zu more quantities are absent; --all lists "
			    "them, each with the reason", absent);
}

const struct answer_shape shape_absent = {
	"absent", .rows = rows_absent, .columns = {
	{ "quantity", "ABSENT", CELL_TEXT },
	{ "because", "BECAUSE", CELL_TEXT },
	{ .key = NULL },
} };

int verbs_show(struct query *q)
{
	int code = show_find(q);

	return code == EXIT_ANSWERED ? verb_tables(q) : code;
}
