/* Compares two ports: settings, modules, thresholds, readings and peers;
 * differences first.
 */
#include "agent/query/verbs.h"

#include <stdio.h>
#include <string.h>

/* In the order shown. */
enum aspect { ASPECT_SETTING, ASPECT_MODULE, ASPECT_LIMIT, ASPECT_READING,
	      ASPECT_PEER, ASPECT_COUNT };

static const char *const aspects[ASPECT_COUNT] = {
	"setting", "module", "threshold", "reading", "peer",
};

/* What is compared: a quantity with this many indexes, else an attribute.
 * OF_ROW: of each lane; OF_HOST: of each host lane of the port.
 */
static const struct compared {
	enum aspect aspect;
	const char *what;
	unsigned of;			/* enum of */
	enum quantity quantity;		/* 0: an attribute */
	enum attribute attribute;
	unsigned indexes;		/* 0: not indexed */
} compared[] = {
	{ ASPECT_SETTING, "enabled", OF_PORT, Q_ADMIN_STATUS },
	{ ASPECT_SETTING, "speed", OF_PORT, Q_SPEED_MBPS },
	{ ASPECT_SETTING, "FEC", OF_PORT, Q_FEC_MODE },
	{ ASPECT_SETTING, "MTU", OF_PORT, Q_MTU_OCTETS },
	{ ASPECT_SETTING, "lanes", OF_PORT, Q_LANE_COUNT },
	{ ASPECT_SETTING, "autonegotiation", OF_PORT, Q_AUTONEG_ASKED },
	{ ASPECT_SETTING, "link training", OF_PORT, Q_LINK_TRAINING_ASKED },
	{ ASPECT_SETTING, "asymmetric PFC", OF_PORT, Q_PFC_ASYMMETRIC },
	{ ASPECT_SETTING, "interface type", OF_PORT, 0,
	  ATTRIBUTE_INTERFACE_TYPE },
	{ ASPECT_SETTING, "PFC watchdog", OF_PORT, 0, ATTRIBUTE_PFCWD_ACTION },
	{ ASPECT_SETTING, "role", OF_PORT, 0, ATTRIBUTE_ROLE },
	{ ASPECT_SETTING, "low power", OF_MODULE, Q_MODULE_LOW_POWER },
	{ ASPECT_SETTING, "application of the host lane", OF_HOST,
	  Q_LANE_APPLICATION },
	{ ASPECT_SETTING, "Tx disabled", OF_ROW, Q_LANE_TX_DISABLED },
	{ ASPECT_MODULE, "media", OF_MODULE, 0, ATTRIBUTE_MEDIA },
	{ ASPECT_MODULE, "vendor", OF_MODULE, 0, ATTRIBUTE_VENDOR },
	{ ASPECT_MODULE, "part", OF_MODULE, 0, ATTRIBUTE_PART },
	{ ASPECT_MODULE, "revision", OF_MODULE, 0, ATTRIBUTE_REVISION },
	{ ASPECT_MODULE, "serial", OF_MODULE, 0, ATTRIBUTE_SERIAL },
	{ ASPECT_MODULE, "date", OF_MODULE, 0, ATTRIBUTE_DATE },
	{ ASPECT_MODULE, "firmware", OF_MODULE, 0, ATTRIBUTE_FIRMWARE },
	{ ASPECT_MODULE, "form factor", OF_MODULE, 0, ATTRIBUTE_FORM_FACTOR },
	{ ASPECT_MODULE, "management", OF_MODULE, 0, ATTRIBUTE_STANDARD },
	{ ASPECT_MODULE, "technology", OF_MODULE, 0, ATTRIBUTE_TECHNOLOGY },
	{ ASPECT_MODULE, "connector", OF_MODULE, 0, ATTRIBUTE_CONNECTOR },
	{ ASPECT_MODULE, "cable", OF_MODULE, 0, ATTRIBUTE_CABLE },
	{ ASPECT_MODULE, "cable length m", OF_MODULE, 0,
	  ATTRIBUTE_CABLE_LENGTH },
	{ ASPECT_MODULE, "power class", OF_MODULE, Q_MODULE_POWER_CLASS },
	{ ASPECT_LIMIT, "temperature", OF_MODULE, Q_MODULE_TEMP_THRESHOLD_MC,
	  .indexes = 4 },
	{ ASPECT_LIMIT, "supply", OF_MODULE, Q_MODULE_VCC_THRESHOLD_UV,
	  .indexes = 4 },
	{ ASPECT_LIMIT, "Rx", OF_MODULE, Q_MODULE_RX_POWER_THRESHOLD_PW,
	  .indexes = 4 },
	{ ASPECT_LIMIT, "Tx", OF_MODULE, Q_MODULE_TX_POWER_THRESHOLD_PW,
	  .indexes = 4 },
	{ ASPECT_LIMIT, "bias", OF_MODULE, Q_MODULE_TX_BIAS_THRESHOLD_UA,
	  .indexes = 4 },
	{ ASPECT_READING, "link", OF_PORT, Q_OPER_STATUS },
	{ ASPECT_READING, "margin to the cliff", OF_PORT, Q_MARGIN_MILLI_DB },
	{ ASPECT_READING, "BER before FEC", OF_PORT, Q_PRE_FEC_BER_E18 },
	{ ASPECT_READING, "uncorrectable codewords", OF_PORT,
	  Q_FEC_UNCORRECTABLE_CODEWORDS },
	{ ASPECT_READING, "frames received with errors", OF_PORT,
	  Q_IF_IN_ERRORS },
	{ ASPECT_READING, "frames dropped on receipt", OF_PORT,
	  Q_IF_IN_DISCARDS },
	{ ASPECT_READING, "frames dropped before sending", OF_PORT,
	  Q_IF_OUT_DISCARDS },
	{ ASPECT_READING, "module state", OF_MODULE, Q_MODULE_STATE },
	{ ASPECT_READING, "temperature", OF_MODULE, Q_MODULE_TEMP_MC },
	{ ASPECT_READING, "supply", OF_MODULE, Q_MODULE_VCC_UV },
	{ ASPECT_READING, "Rx", OF_ROW, Q_LANE_RX_POWER_PW },
	{ ASPECT_READING, "Tx", OF_ROW, Q_LANE_TX_POWER_PW },
	{ ASPECT_READING, "bias", OF_ROW, Q_LANE_TX_BIAS_UA },
	{ ASPECT_READING, "SNR", OF_ROW, Q_LANE_SNR_MDB },
	{ ASPECT_READING, "BER of the lane", OF_ROW, Q_LANE_PRE_FEC_BER_E18 },
	{ ASPECT_PEER, "peer", OF_PORT, 0, ATTRIBUTE_PEER_SWITCH },
	{ ASPECT_PEER, "peer's port", OF_PORT, 0, ATTRIBUTE_PEER_PORT },
	{ ASPECT_PEER, "peer's hardware", OF_PORT, 0, ATTRIBUTE_PEER_HWSKU },
	{ ASPECT_PEER, "expected peer", OF_PORT, 0,
	  ATTRIBUTE_EXPECTED_PEER_SWITCH },
	{ ASPECT_PEER, "expected port", OF_PORT, 0,
	  ATTRIBUTE_EXPECTED_PEER_PORT },
};

/* The largest difference at which readings count as equal: a step, in the unit,
 * else a factor. Readings of other units must be the same.
 */
static const struct {
	double step, factor;
} near[UNIT_COUNT] = {
	[UNIT_PW] = { 0, 1.2589 },	/* 1 dB */
	[UNIT_UA] = { 0, 1.2 },
	[UNIT_E18] = { 0, 10 },
	[UNIT_CODEWORDS] = { 0, 10 },
	[UNIT_FRAMES] = { 0, 10 },
	[UNIT_MC] = { 5000, 0 },
	[UNIT_UV] = { 50000, 0 },
	[UNIT_MDB] = { 1000, 0 },
};

/* One of the two ports. */
struct side {
	uint32_t port, module;
	const char *name;
	struct engine_view view;
	uint32_t hosts;		/* its host lanes, bits … */
	unsigned first_host;	/* … and the one that counts as the first */
};

/* What one of them has. */
struct word {
	bool is_known;
	int64_t value;
	unsigned quality;
	char text[ATTRIBUTE_TEXT_MAX];
};

static bool value_of(const struct query *q, const struct side *s,
		     enum quantity quantity, uint32_t entity, unsigned index,
		     struct state_value *ret)
{
	ret->quality = cells_errors_quality(q, &s->view, quantity);
	if (quantity == Q_MARGIN_MILLI_DB && s->view.has_margin)
		ret->value = s->view.margin_milli_db;
	else if (quantity == Q_PRE_FEC_BER_E18 && s->view.has_ber)
		ret->value = s->view.pre_fec_ber_e18;
	else
		return state_value(q->ctx->state, entity, quantity, index, ret);
	return true;
}

/* The module's lane that stands for host lane n of the port, from 0. */
static uint32_t host_lane(const struct query *q, const struct side *s,
			  unsigned n)
{
	unsigned lane = s->first_host + n;

	return lane < SEAT_LANES_MAX && s->hosts >> lane & 1 ?
	       state_child(q->ctx->state, s->module, ENTITY_LANE, lane + 1) :
	       ENTITY_NONE;
}

static uint32_t entity_of(const struct query *q, const struct side *s,
			  const struct compared *c, unsigned lane)
{
	switch (c->of) {
	case OF_PORT:
		return s->port;
	case OF_MODULE:
		return s->module;
	case OF_HOST:
		return host_lane(q, s, lane);
	default:
		return state_port_lane(q->ctx->state, s->port, lane);
	}
}

/* lane: from 0, for quantities of lanes. */
static struct word told_of(const struct query *q, const struct side *s,
			   const struct compared *c, unsigned lane,
			   unsigned index)
{
	uint32_t entity = entity_of(q, s, c, lane);
	struct word t = { .is_known = false };
	struct state_value v;
	const char *text;

	if (entity == ENTITY_NONE)
		return t;
	if (!c->quantity) {
		text = query_attribute(q->ctx, entity, c->attribute);
		t.is_known = text && text[0];
		(void)snprintf(t.text, sizeof(t.text), "%s", text ? text : "");
	} else if (value_of(q, s, c->quantity, entity, index, &v)) {
		t.is_known = true;
		t.value = v.value;
		t.quality = v.quality;
		show_value_text(quantity_find((uint16_t)c->quantity), v.value,
				t.text);
	}
	return t;
}

static bool is_near(enum quantity quantity, int64_t a, int64_t b)
{
	unsigned unit = quantity_find((uint16_t)quantity)->unit;
	double low = (double)(a < b ? a : b), high = (double)(a < b ? b : a);

	return high - low <= near[unit].step ||
	       (near[unit].factor > 0 && high <= low * near[unit].factor);
}

static bool told_differ(const struct compared *c, const struct word *a,
			const struct word *b)
{
	if (a->is_known != b->is_known || !c->quantity)
		return strcmp(a->text, b->text) != 0;
	return a->value != b->value && (c->aspect != ASPECT_READING ||
					!is_near(c->quantity, a->value,
						 b->value));
}

/* --- rows ----------------------------------------------------------------- */

struct comparison {
	struct side side[2];
	bool differs;			/* which rows to show now */
	bool settings_differ;
};

static bool is_of_lanes(const struct compared *c)
{
	return c->of == OF_ROW || c->of == OF_HOST;
}

static void told_cell(struct query *q, const struct word *t)
{
	answer_text(q->a, t->is_known ? t->text : NULL);
	if (t->is_known)
		answer_age(q->a, 0, t->quality);
}

static void compared_row(struct query *q, struct comparison *m,
			 const struct compared *c, unsigned lane,
			 unsigned index)
{
	struct word a = told_of(q, &m->side[0], c, lane, index);
	struct word b = told_of(q, &m->side[1], c, lane, index);
	const struct quantity_info *info = quantity_find((uint16_t)c->quantity);
	bool differs = told_differ(c, &a, &b);
	char words[VALUE_TEXT_MAX] = "", what[VALUE_TEXT_MAX + 64];

	if ((!a.is_known && !b.is_known) || differs != m->differs)
		return;
	m->settings_differ |= differs && c->aspect == ASPECT_SETTING;
	if (c->indexes)
		quantity_index_words(info, index, words, sizeof(words));
	(void)snprintf(what, sizeof(what), "%s%s%s", c->what,
		       words[0] ? ", " : "", words);
	answer_row(q->a);
	answer_text(q->a, differs ? "*" : "");
	answer_text(q->a, aspects[c->aspect]);
	answer_text(q->a, what);
	answer_known(q->a, is_of_lanes(c), lane + 1);
	told_cell(q, &a);
	told_cell(q, &b);
	answer_integer(q->a, differs);
	answer_known(q->a, c->quantity && a.is_known, a.value);
	answer_known(q->a, c->quantity && b.is_known, b.value);
	answer_text(q->a, !info ? NULL :
		    quantity_unit_name((enum quantity_unit)info->unit));
}

/* For all lanes and indexes. */
static void compared_rows(struct query *q, struct comparison *m)
{
	for (size_t i = 0; i < sizeof(compared) / sizeof(compared[0]); i++) {
		const struct compared *c = &compared[i];
		unsigned lanes = is_of_lanes(c) ? PORT_LANES_MAX : 1;
		unsigned indexes = c->indexes ? c->indexes : 1;

		for (unsigned n = 0; n < lanes * indexes; n++)
			compared_row(q, m, c, n / indexes, n % indexes);
	}
}

/* The headings are the ports' names. */
const struct answer_shape shape_compare = { "compare", .columns = {
	{ "mark", "*", CELL_TEXT },
	{ "aspect", "OF", CELL_TEXT },
	{ "what", "WHAT", CELL_TEXT },
	{ "lane", "LANE", CELL_INTEGER },
	{ "first", "FIRST", CELL_TEXT },
	{ "second", "SECOND", CELL_TEXT },
	{ "differs", "", CELL_BOOL },
	{ "first_value", "", CELL_INTEGER },
	{ "second_value", "", CELL_INTEGER },
	{ "unit", "", CELL_TEXT },
	{ .key = NULL },
} };

#define COLUMN_FIRST 4
#define COLUMNS 11

static void table_begin(struct query *q, const struct comparison *m)
{
	struct answer_column columns[COLUMNS];

	memcpy(columns, shape_compare.columns, sizeof(columns));
	columns[COLUMN_FIRST].heading = m->side[0].name;
	columns[COLUMN_FIRST + 1].heading = m->side[1].name;
	answer_columns(q->a, shape_compare.name, columns, false);
}

int verbs_compare(struct query *q)
{
	struct comparison m = { .settings_differ = false };

	if (q->request->n_args != 2)
		return answer_error(q->a, EXIT_USAGE, "compare takes two "
				    "ports");
	for (unsigned i = 0; i < 2; i++) {
		struct side *s = &m.side[i];

		s->port = choice_port(q->ctx, q->request->args[i]);
		if (s->port == ENTITY_NONE)
			return choice_unknown(q, q->request->args[i]);
		s->module = state_port_module(q->ctx->state, s->port);
		s->name = query_name(q->ctx, s->port);
		s->hosts = seat_all_hosts(q->ctx, &(struct seat){
						.port = s->port,
						.module = s->module },
					  &s->first_host);
		query_view(q->ctx, s->port, &s->view);
	}
	table_begin(q, &m);
	m.differs = true;
	compared_rows(q, &m);
	m.differs = false;
	compared_rows(q, &m);
	answer_note(q->a, "* differs: settings, modules and thresholds that "
		    "are not the same; light by 1 dB, errors ten times, bias "
		    "by a fifth, temperature by 5 °C");
	return m.settings_differ ? EXIT_DIFFERS : EXIT_ANSWERED;
}
