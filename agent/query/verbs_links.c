/* Links: a port, what is at its other end, and how the two get on. */
#include "agent/query/verbs.h"

#include <stdio.h>
#include <string.h>

#include "agent/query/answer.h"
#include "agent/query/cells.h"
#include "agent/query/choice.h"
#include "agent/query/order.h"
#include "agent/query/shapes.h"
#include "agent/signature/engine.h"
#include "agent/state/port_reading.h"
#include "agent/state/state.h"

/* leaf2 is leaf2.example.net, too. */
static bool is_same_switch(const char *a, const char *b)
{
	size_t n = strcspn(a, "."), m = strcspn(b, ".");

	return n == m && strncasecmp(a, b, n) == 0;
}

/* What the configuration says is there; NULL where it says nothing. */
static const char *expected_of(const struct cells *c, enum attribute which)
{
	return context_attribute(c->ctx, c->of[OF_PORT], which);
}

static bool peer_is_expected(const struct cells *c)
{
	const char *name = expected_of(c, ATTRIBUTE_EXPECTED_PEER_SWITCH);
	const char *port = expected_of(c, ATTRIBUTE_EXPECTED_PEER_PORT);
	const struct port_facts *f = c->facts;

	return (!name || is_same_switch(name, f->peer_switch)) &&
	       (!port || !f->peer_port[0] ||
		strcasecmp(port, f->peer_port) == 0);
}

static void expected_column(struct cells *c, const struct answer_column *col)
{
	(void)col;
	cells_known(c, expected_of(c, ATTRIBUTE_EXPECTED_PEER_SWITCH),
		    peer_is_expected(c));
}

/* Why it is down; and who should be at the other end, if that is another. */
static void note_column(struct cells *c, const struct answer_column *col)
{
	const char *why = cells_down_reason(c);
	const char *name = expected_of(c, ATTRIBUTE_EXPECTED_PEER_SWITCH);
	const char *port = expected_of(c, ATTRIBUTE_EXPECTED_PEER_PORT);
	char text[3 * ENTITY_NAME_MAX + 32];
	bool is_expected = peer_is_expected(c);

	(void)col;
	(void)snprintf(text, sizeof(text), "%s%s%s%s%s%s", why ? why : "",
		       why && !is_expected ? "; " : "",
		       is_expected ? "" : "expected ",
		       is_expected || !name ? "" : name,
		       is_expected || !port ? "" : ":",
		       is_expected || !port ? "" : port);
	answer_text(c->a, text[0] ? text : NULL);
}

static void since_column(struct cells *c, const struct answer_column *col)
{
	(void)col;
	if (c->view->has_turned)
		answer_integer(c->a, mono_diff_ns(c->now,
						  c->view->turned_at));
	else
		answer_absent(c->a);
}

static const struct answer_column link_columns[] = {
	{ "port", "PORT", CELL_TEXT, false, false, column_port },
	{ "st", "ST", CELL_TEXT, false, false, column_link },
	{ "since", "SINCE", CELL_AGE_NS, true, false, since_column },
	{ "peer", "PEER", CELL_PEER, false, false, column_peer },
	{ "speed", "SPEED", CELL_MBPS, true, false, column_speed },
	{ "fec", "FEC", CELL_TEXT, false, false, column_word, OF_PORT,
	  Q_FEC_MODE },
	{ "margin", "MARGIN", CELL_MDB, true, false, column_margin },
	{ "flaps_24h", "FLAP/24h", CELL_INTEGER, true, false, column_flaps },
	{ "note", "NOTE", CELL_TEXT, false, false, note_column },
	{ "down_reason", "", CELL_TEXT, false, true, column_down_reason },
	{ "expected_switch", "", CELL_TEXT, false, true, column_attribute,
	  OF_PORT, ATTRIBUTE_EXPECTED_PEER_SWITCH },
	{ "expected_port", "", CELL_TEXT, false, true, column_attribute,
	  OF_PORT, ATTRIBUTE_EXPECTED_PEER_PORT },
	{ "peer_is_expected", "", CELL_BOOL, false, true, expected_column },
	{ "age", "", CELL_AGE_NS, true, true, column_age },
	{ "media", "", CELL_TEXT, false, true, column_media },
	{ "alias", "", CELL_TEXT, false, true, column_attribute, OF_PORT,
	  ATTRIBUTE_ALIAS },
	{ "description", "", CELL_TEXT, false, true, column_attribute, OF_PORT,
	  ATTRIBUTE_DESCRIPTION },
	{ "peer_switch", "", CELL_TEXT, false, true, column_peer_switch },
	{ "peer_port", "", CELL_TEXT, false, true, column_peer_port },
	{ "lanes", "", CELL_INTEGER, true, true, column_lanes },
	{ "link_training", "", CELL_TEXT, false, true, column_word, OF_PORT,
	  Q_LINK_TRAINING_STATUS },
	{ "peer_type", "", CELL_TEXT, false, true, column_attribute, OF_PORT,
	  ATTRIBUTE_PEER_TYPE },
	{ "peer_hwsku", "", CELL_TEXT, false, true, column_attribute, OF_PORT,
	  ATTRIBUTE_PEER_HWSKU },
	{ "peer_address", "", CELL_TEXT, false, true, column_attribute, OF_PORT,
	  ATTRIBUTE_PEER_ADDRESS },
	{ "asic", "ASIC", CELL_TEXT, false, true, column_asic, OF_PORT },
	{ .key = NULL },
};
const struct answer_shape shape_links = { "links", link_columns, false };

/* --- links between chips -------------------------------------------------- */

/* With its ASIC: each has a PORT3. */
static void fabric_name_column(struct cells *c, const struct answer_column *col)
{
	const struct inventory_entity *e = state_entity(c->ctx->state,
							c->of[OF_ROW]);
	const char *asic = context_asic(c->ctx, c->of[OF_ROW]);
	char name[2 * ENTITY_NAME_MAX];

	(void)col;
	(void)snprintf(name, sizeof(name), "%s%s%s", asic ? asic : "",
		       asic ? ":" : "", e ? e->key.name : "");
	answer_text(c->a, name);
}

static void fabric_peer_column(struct cells *c, const struct answer_column *col)
{
	(void)col;
	cells_peer(c, context_attribute(c->ctx, c->of[OF_ROW],
					ATTRIBUTE_PEER_SWITCH),
		   context_attribute(c->ctx, c->of[OF_ROW],
				     ATTRIBUTE_PEER_PORT));
}

static const struct answer_column fabric_columns[] = {
	{ "fabric_port", "FABRIC", CELL_TEXT, false, false,
	  fabric_name_column },
	{ "st", "ST", CELL_TEXT, false, false, column_word, OF_ROW,
	  Q_FABRIC_OPER_STATUS },
	{ "isolated", "ISOLATED", CELL_BOOL, false, false, column_value, OF_ROW,
	  Q_FABRIC_ISOLATED },
	{ "peer", "PEER", CELL_PEER, false, false, fabric_peer_column },
	{ "in_rate", "IN", CELL_BPS, true, false, column_rate, OF_ROW,
	  Q_FABRIC_IN_OCTETS },
	{ "out_rate", "OUT", CELL_BPS, true, false, column_rate, OF_ROW,
	  Q_FABRIC_OUT_OCTETS },
	{ "in_errors", "ERRORS", CELL_UNSIGNED, true, false, column_value,
	  OF_ROW, Q_FABRIC_IN_ERRORS },
	{ "uncorrectable_codewords", "UNCORR", CELL_UNSIGNED, true, false,
	  column_value, OF_ROW, Q_FABRIC_UNCORRECTABLE_CODEWORDS },
	{ "falls", "FALLS", CELL_UNSIGNED, true, false, column_value, OF_ROW,
	  Q_FABRIC_DOWN_COUNT },
	{ "age", "AGE", CELL_AGE_NS, true, false, column_age },
	{ "asic", "ASIC", CELL_TEXT, false, true, column_asic, OF_ROW },
	{ "auto_isolated", "", CELL_BOOL, false, true, column_value, OF_ROW,
	  Q_FABRIC_AUTO_ISOLATED },
	{ "config_isolated", "", CELL_BOOL, false, true, column_value, OF_ROW,
	  Q_FABRIC_CONFIG_ISOLATED },
	{ "corrected_codewords", "", CELL_UNSIGNED, true, true, column_value,
	  OF_ROW, Q_FABRIC_CORRECTED_CODEWORDS },
	{ "symbol_errors", "", CELL_UNSIGNED, true, true, column_value, OF_ROW,
	  Q_FABRIC_SYMBOL_ERRORS },
	{ "in_cells", "", CELL_UNSIGNED, true, true, column_value, OF_ROW,
	  Q_FABRIC_IN_CELLS },
	{ "out_cells", "", CELL_UNSIGNED, true, true, column_value, OF_ROW,
	  Q_FABRIC_OUT_CELLS },
	{ .key = NULL },
};
const struct answer_shape shape_fabric = { "fabric", fabric_columns, false };

static void fabric_table(struct cells *c, const struct choice *wanted)
{
	const struct inventory_entity *e;
	size_t n = state_entities(c->ctx->state, &e);

	answer_shaped(c->a, &shape_fabric);
	for (size_t i = 0; i < n; i++) {
		c->of[OF_ROW] = e[i].id;
		if (e[i].id != 0 && !e[i].gone &&
		    e[i].key.kind == ENTITY_FABRIC_PORT &&
		    choice_has(wanted, c->ctx, e[i].id))
			cells_fill(c, fabric_columns);
	}
}

int verbs_links(void *context, struct query_client *client,
		const Petrel__Request *request, struct answer *a)
{
	const struct query_context *ctx = context;
	struct cells c = { .ctx = ctx, .a = a,
			   .now = context_begin(ctx, a).mono };
	size_t n = state_port_count(ctx->state);
	struct choice wanted;
	int code = choice_take(ctx, request, a, &wanted);

	(void)client;
	if (code != EXIT_ANSWERED)
		return code;
	answer_shaped(a, &shape_links);
	for (size_t i = 0; i < n; i++)
		if (choice_has(&wanted, ctx, state_port(ctx->state, i)))
			cells_port_row(&c, state_port(ctx->state, i),
				       link_columns);
	fabric_table(&c, &wanted);
	if (n == 0)
		answer_note(a, "no port is known yet: see petrel status for "
			    "what the sources say");
	return order_apply(request, a);
}
