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
#include "agent/state/reading.h"
#include "agent/state/state.h"
#include "petrel/link.h"

static const struct answer_column link_columns[] = {
	{ "port", "PORT", CELL_TEXT, false, false },
	{ "st", "ST", CELL_TEXT, false, false },
	{ "since", "SINCE", CELL_AGE_NS, true, false },
	{ "peer", "PEER", CELL_PEER, false, false },
	{ "speed", "SPEED", CELL_MBPS, true, false },
	{ "fec", "FEC", CELL_TEXT, false, false },
	{ "margin", "MARGIN", CELL_MDB, true, false },
	{ "flaps_24h", "FLAP/24h", CELL_INTEGER, true, false },
	{ "note", "NOTE", CELL_TEXT, false, false },
	{ "down_reason", "", CELL_TEXT, false, true },
	{ "expected_switch", "", CELL_TEXT, false, true },
	{ "expected_port", "", CELL_TEXT, false, true },
	{ "peer_is_expected", "", CELL_BOOL, false, true },
	{ "age", "", CELL_AGE_NS, true, true },
	{ "media", "", CELL_TEXT, false, true },
	{ "alias", "", CELL_TEXT, false, true },
	{ "description", "", CELL_TEXT, false, true },
	{ "peer_switch", "", CELL_TEXT, false, true },
	{ "peer_port", "", CELL_TEXT, false, true },
	{ "lanes", "", CELL_INTEGER, true, true },
	{ "link_training", "", CELL_TEXT, false, true },
	{ "peer_type", "", CELL_TEXT, false, true },
	{ "peer_hwsku", "", CELL_TEXT, false, true },
	{ "peer_address", "", CELL_TEXT, false, true },
	{ "asic", "", CELL_TEXT, false, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_links = { "links", link_columns, false };

/* One row under way. */
struct row {
	struct cells c;
	uint32_t port;
	struct port_facts facts;
	struct engine_view view;
};

static bool port_is_up(const struct row *r)
{
	struct state_value v;

	return state_value(r->c.ctx->state, r->port, Q_OPER_STATUS, 0, &v) &&
	       v.value == OPER_UP;
}

/* leaf2 is leaf2.example.net, too. */
static bool is_same_switch(const char *a, const char *b)
{
	size_t n = strcspn(a, "."), m = strcspn(b, ".");

	return n == m && strncasecmp(a, b, n) == 0;
}

/* What the configuration says is there; NULL where it says nothing. */
static const char *expected_of(const struct row *r, enum attribute which)
{
	return context_attribute(r->c.ctx, r->port, which);
}

static bool peer_is_expected(const struct row *r)
{
	const char *name = expected_of(r, ATTRIBUTE_EXPECTED_PEER_SWITCH);
	const char *port = expected_of(r, ATTRIBUTE_EXPECTED_PEER_PORT);
	const struct port_facts *f = &r->facts;

	return (!name || is_same_switch(name, f->peer_switch)) &&
	       (!port || !f->peer_port[0] ||
		strcasecmp(port, f->peer_port) == 0);
}

/* A reason from before is none now. */
static const char *down_reason(const struct row *r)
{
	struct state_value v;

	if (port_is_up(r) || !state_value(r->c.ctx->state, r->port,
					  Q_DOWN_REASON, 0, &v))
		return NULL;
	return cells_down_reason_word((unsigned)v.value);
}

/* Why it is down; and who should be at the other end, if that is another. */
static void note_cell(struct row *r)
{
	const char *why = down_reason(r);
	const char *name = expected_of(r, ATTRIBUTE_EXPECTED_PEER_SWITCH);
	const char *port = expected_of(r, ATTRIBUTE_EXPECTED_PEER_PORT);
	char text[3 * ENTITY_NAME_MAX + 32];
	bool is_expected = peer_is_expected(r);

	(void)snprintf(text, sizeof(text), "%s%s%s%s%s%s", why ? why : "",
		       why && !is_expected ? "; " : "",
		       is_expected ? "" : "expected ",
		       is_expected || !name ? "" : name,
		       is_expected || !port ? "" : ":",
		       is_expected || !port ? "" : port);
	answer_text(r->c.a, text[0] ? text : NULL);
}

static const char *training_word(unsigned value)
{
	return training_status_name((enum training_status)value);
}

static void row_identity(struct row *r)
{
	const struct port_facts *f = &r->facts;
	struct answer *a = r->c.a;

	answer_text(a, f->name);
	cells_link(&r->c, r->port);
	if (r->view.has_turned)
		answer_integer(a, mono_diff_ns(r->c.now, r->view.turned_at));
	else
		answer_absent(a);
	cells_peer(&r->c, f->peer_switch, f->peer_port);
	cells_known(&r->c, f->speed_mbps > 0, (int64_t)f->speed_mbps);
	cells_word(&r->c, r->port, Q_FEC_MODE, cells_fec_word);
}

/* What has no room in 80 columns. */
static void row_json(struct row *r)
{
	const struct port_facts *f = &r->facts;

	answer_text(r->c.a, down_reason(r));
	cells_attribute(&r->c, r->port, ATTRIBUTE_EXPECTED_PEER_SWITCH);
	cells_attribute(&r->c, r->port, ATTRIBUTE_EXPECTED_PEER_PORT);
	cells_known(&r->c, expected_of(r, ATTRIBUTE_EXPECTED_PEER_SWITCH),
		    peer_is_expected(r));
	cells_age(&r->c);
	answer_text(r->c.a, f->media[0] ? f->media : NULL);
	cells_attribute(&r->c, r->port, ATTRIBUTE_ALIAS);
	cells_attribute(&r->c, r->port, ATTRIBUTE_DESCRIPTION);
	answer_text(r->c.a, f->peer_switch[0] ? f->peer_switch : NULL);
	answer_text(r->c.a, f->peer_port[0] ? f->peer_port : NULL);
	cells_known(&r->c, f->lanes > 0, f->lanes);
	cells_word(&r->c, r->port, Q_LINK_TRAINING_STATUS, training_word);
	cells_attribute(&r->c, r->port, ATTRIBUTE_PEER_TYPE);
	cells_attribute(&r->c, r->port, ATTRIBUTE_PEER_HWSKU);
	cells_attribute(&r->c, r->port, ATTRIBUTE_PEER_ADDRESS);
	answer_text(r->c.a, context_asic(r->c.ctx, r->port));
}

static void link_row(struct row *r)
{
	reading_facts(r->c.ctx->state, r->port, &r->facts);
	context_view(r->c.ctx, r->port, &r->view);
	cells_row(&r->c);
	row_identity(r);
	cells_margin(&r->c, r->port, &r->view);
	cells_known(&r->c, r->c.ctx->engine != NULL, r->view.flaps_24h);
	note_cell(r);
	if (answer_row_goes_on(r->c.a))
		row_json(r);
}

/* --- links between chips -------------------------------------------------- */

static const struct answer_column fabric_columns[] = {
	{ "fabric_port", "FABRIC", CELL_TEXT, false, false },
	{ "st", "ST", CELL_TEXT, false, false },
	{ "isolated", "ISOLATED", CELL_BOOL, false, false },
	{ "peer", "PEER", CELL_PEER, false, false },
	{ "in_rate", "IN", CELL_BPS, true, false },
	{ "out_rate", "OUT", CELL_BPS, true, false },
	{ "in_errors", "ERRORS", CELL_UNSIGNED, true, false },
	{ "uncorrectable_codewords", "UNCORR", CELL_UNSIGNED, true, false },
	{ "falls", "FALLS", CELL_UNSIGNED, true, false },
	{ "age", "AGE", CELL_AGE_NS, true, false },
	{ "asic", "", CELL_TEXT, false, true },
	{ "auto_isolated", "", CELL_BOOL, false, true },
	{ "config_isolated", "", CELL_BOOL, false, true },
	{ "corrected_codewords", "", CELL_UNSIGNED, true, true },
	{ "symbol_errors", "", CELL_UNSIGNED, true, true },
	{ "in_cells", "", CELL_UNSIGNED, true, true },
	{ "out_cells", "", CELL_UNSIGNED, true, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_fabric = { "fabric", fabric_columns, false };

static void fabric_row(struct cells *c, const struct inventory_entity *e)
{
	static const enum quantity shown[] = {
		Q_FABRIC_IN_ERRORS, Q_FABRIC_UNCORRECTABLE_CODEWORDS,
		Q_FABRIC_DOWN_COUNT,
	}, json[] = {
		Q_FABRIC_AUTO_ISOLATED, Q_FABRIC_CONFIG_ISOLATED,
		Q_FABRIC_CORRECTED_CODEWORDS, Q_FABRIC_SYMBOL_ERRORS,
		Q_FABRIC_IN_CELLS, Q_FABRIC_OUT_CELLS,
	};
	const char *asic = context_asic(c->ctx, e->id);
	const char *far = e->attribute[ATTRIBUTE_PEER_SWITCH];
	const char *port = e->attribute[ATTRIBUTE_PEER_PORT];
	char name[2 * ENTITY_NAME_MAX];

	(void)snprintf(name, sizeof(name), "%s%s%s", asic ? asic : "",
		       asic ? ":" : "", e->key.name);
	cells_row(c);
	answer_text(c->a, name);
	cells_word(c, e->id, Q_FABRIC_OPER_STATUS, cells_oper_word);
	cells_value(c, e->id, Q_FABRIC_ISOLATED, 0);
	cells_peer(c, far ? far : "", port ? port : "");
	cells_scaled_rate(c, e->id, Q_FABRIC_IN_OCTETS, 8);
	cells_scaled_rate(c, e->id, Q_FABRIC_OUT_OCTETS, 8);
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		cells_value(c, e->id, shown[i], 0);
	cells_age(c);
	answer_text(c->a, asic);
	for (size_t i = 0; i < sizeof(json) / sizeof(json[0]); i++)
		cells_value(c, e->id, json[i], 0);
}

static void fabric_table(struct cells *c, const struct choice *wanted)
{
	const struct inventory_entity *e;
	size_t n = state_entities(c->ctx->state, &e);

	answer_shaped(c->a, &shape_fabric);
	for (size_t i = 0; i < n; i++)
		if (e[i].id != 0 && !e[i].gone &&
		    e[i].key.kind == ENTITY_FABRIC_PORT &&
		    choice_has(wanted, c->ctx, e[i].id))
			fabric_row(c, &e[i]);
}

int verbs_links(void *context, struct query_client *client,
		const Petrel__Request *request, struct answer *a)
{
	const struct query_context *ctx = context;
	struct row r = { .c = { .ctx = ctx, .a = a,
				.now = context_begin(ctx, a).mono } };
	size_t n = state_port_count(ctx->state);
	struct choice wanted;
	int code = choice_take(ctx, request, a, &wanted);

	(void)client;
	if (code != EXIT_ANSWERED)
		return code;
	answer_shaped(a, &shape_links);
	for (size_t i = 0; i < n; i++) {
		r.port = state_port(ctx->state, i);
		if (choice_has(&wanted, ctx, r.port))
			link_row(&r);
	}
	fabric_table(&r.c, &wanted);
	if (n == 0)
		answer_note(a, "no port is known yet: see petrel status for "
			    "what the sources say");
	return order_apply(request, a);
}
