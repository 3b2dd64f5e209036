/* Tables of ports, of the links between chips, and of sensors: a row each. */
#include "agent/query/verbs.h"

#include <stdio.h>
#include <string.h>

#include "petrel/card.h"

/* --- ports --------------------------------------------------------------- */

static const enum quantity drops[] = { Q_IF_IN_DISCARDS, Q_IF_OUT_DISCARDS,
				       0 };

/* The busier direction; both are in the JSON. */
static void util_column(struct query *q)
{
	struct state_rate in = { .per_s = -1 }, out = { .per_s = -1 };
	double scale = cells_load_scale(q);
	bool is_known = cells_rate(q, q->of[OF_PORT], Q_IF_IN_OCTETS, &in);

	is_known |= cells_rate(q, q->of[OF_PORT], Q_IF_OUT_OCTETS, &out);
	cells_rate_cell(q, is_known && scale > 0,
			in.per_s > out.per_s ? &in : &out, scale);
}

/* The darkest lane, with its age. */
static void rx_min_column(struct query *q)
{
	struct state_value v, min = { .value = INT64_MAX };

	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		uint32_t lane = state_port_lane(q->ctx->state, q->of[OF_PORT],
						i);

		if (lane != ENTITY_NONE &&
		    state_value(q->ctx->state, lane, Q_LANE_RX_POWER_PW, 0,
				&v) && v.value < min.value)
			min = v;
	}
	answer_known(q->a, min.value != INT64_MAX, min.value);
	if (min.value == INT64_MAX)
		return;
	answer_age(q->a, mono_diff_ns(q->now.mono, min.age.taken), min.quality);
	cells_seen(q, min.age.taken);
}

static unsigned worst_of(const struct query *q)
{
	return query_worst(q->ctx, q->of[OF_PORT], q->facts->name);
}

/* One letter, so that it works without colour; the word is in the JSON. */
static void mark_column(struct query *q)
{
	static const char *const marks[SEVERITY_COUNT] = {
		NULL, "w", "W", "C",
	};

	answer_text(q->a, marks[worst_of(q)]);
}

static void worst_column(struct query *q)
{
	unsigned worst = worst_of(q);

	answer_text(q->a, worst ? severity_name(worst) : NULL);
}

const struct answer_shape shape_ports = {
	"ports", .rows = rows_ports, .columns = {
	{ "port", "PORT", CELL_TEXT, AT(port, name) },
	{ "st", "ST", CELL_TEXT, .from = column_link },
	{ "speed", "SPEED", CELL_MBPS, AT(port, speed_mbps) },
	{ "media", "MEDIA", CELL_TEXT, AT(port, media) },
	{ "peer", "PEER", CELL_PEER, .from = column_peer },
	{ "util", "UTIL%", CELL_PPM, .from = util_column },
	{ "margin", "MARGIN", CELL_MDB, .from = column_margin },
	{ "pre_fec_ber", "BER", CELL_E18, .from = column_ber },
	{ "rx_min", "RXmin", CELL_PW, .from = rx_min_column },
	{ "temp", "°C", CELL_MC, Q_MODULE_TEMP_MC, .of = OF_MODULE },
	{ "flaps_24h", "FLAP/24h", CELL_INTEGER, AT(port, flaps_24h) },
	{ "drop_rate", "DROP", CELL_MILLI, .from = column_rate, .more = drops },
	{ "age", "AGE", CELL_AGE_NS, .from = column_age },
	{ "mark", "!", CELL_TEXT, .from = mark_column },
	{ "worst_severity", "", CELL_TEXT, .from = worst_column },
	{ "oper_status", "", CELL_TEXT, Q_OPER_STATUS, column_word },
	{ "admin_up", "", CELL_BOOL, Q_ADMIN_STATUS },
	{ "in_util", "", CELL_PPM, Q_IF_IN_OCTETS, column_rate },
	{ "out_util", "", CELL_PPM, Q_IF_OUT_OCTETS, column_rate },
	{ "alias", "", CELL_TEXT, ATTRIBUTE_ALIAS },
	{ "drops_per_s", "", CELL_INTEGER, .from = column_rate, .more = drops },
	{ "dropped_frames", "DROPPED", CELL_UNSIGNED, .from = column_total,
	  .more = drops, .wide = true },
	{ "asic", "ASIC", CELL_TEXT, .from = column_asic, .wide = true },
	{ .key = NULL },
} };

/* --- links --------------------------------------------------------------- */

/* leaf2 and leaf2.example.net are the same. */
static bool is_same_switch(const char *a, const char *b)
{
	size_t n = strcspn(a, "."), m = strcspn(b, ".");

	return n == m && strncasecmp(a, b, n) == 0;
}

/* The peer according to the configuration; NULL if not configured. */
static const char *expected_of(const struct query *q, enum attribute which)
{
	return query_attribute(q->ctx, q->of[OF_PORT], which);
}

static bool peer_is_expected(const struct query *q)
{
	const char *name = expected_of(q, ATTRIBUTE_EXPECTED_PEER_SWITCH);
	const char *port = expected_of(q, ATTRIBUTE_EXPECTED_PEER_PORT);
	const struct port_facts *f = q->facts;

	return (!name || is_same_switch(name, f->peer_switch)) &&
	       (!port || !f->peer_port[0] ||
		strcasecmp(port, f->peer_port) == 0);
}

static void expected_column(struct query *q)
{
	answer_known(q->a, expected_of(q, ATTRIBUTE_EXPECTED_PEER_SWITCH),
		    peer_is_expected(q));
}

/* Why it is down; and the expected peer, if another one is connected. */
static void note_column(struct query *q)
{
	const char *why = cells_down_reason(q);
	const char *name = expected_of(q, ATTRIBUTE_EXPECTED_PEER_SWITCH);
	const char *port = expected_of(q, ATTRIBUTE_EXPECTED_PEER_PORT);
	char text[3 * ENTITY_NAME_MAX + 32];
	bool is_expected = peer_is_expected(q);

	(void)snprintf(text, sizeof(text), "%s%s%s%s%s%s", why ? why : "",
		       why && !is_expected ? "; " : "",
		       is_expected ? "" : "expected ",
		       is_expected || !name ? "" : name,
		       is_expected || !port ? "" : ":",
		       is_expected || !port ? "" : port);
	answer_text_if(q->a, text);
}

const struct answer_shape shape_links = {
	"links", .rows = rows_ports, .columns = {
	{ "port", "PORT", CELL_TEXT, AT(port, name) },
	{ "st", "ST", CELL_TEXT, .from = column_link },
	{ "since", "SINCE", CELL_AGE_NS, AT(port, turned_at), member_age },
	{ "peer", "PEER", CELL_PEER, .from = column_peer },
	{ "speed", "SPEED", CELL_MBPS, AT(port, speed_mbps) },
	{ "fec", "FEC", CELL_TEXT, Q_FEC_MODE, column_word },
	{ "margin", "MARGIN", CELL_MDB, .from = column_margin },
	{ "flaps_24h", "FLAP/24h", CELL_INTEGER, AT(port, flaps_24h) },
	{ "note", "NOTE", CELL_TEXT, .from = note_column },
	{ "down_reason", "", CELL_TEXT, .from = column_down_reason },
	{ "expected_switch", "", CELL_TEXT, ATTRIBUTE_EXPECTED_PEER_SWITCH },
	{ "expected_port", "", CELL_TEXT, ATTRIBUTE_EXPECTED_PEER_PORT },
	{ "peer_is_expected", "", CELL_BOOL, .from = expected_column },
	{ "age", "", CELL_AGE_NS, .from = column_age },
	{ "media", "", CELL_TEXT, AT(port, media) },
	{ "alias", "", CELL_TEXT, ATTRIBUTE_ALIAS },
	{ "description", "", CELL_TEXT, ATTRIBUTE_DESCRIPTION },
	{ "peer_switch", "", CELL_TEXT, AT(port, peer_switch) },
	{ "peer_port", "", CELL_TEXT, AT(port, peer_port) },
	{ "lanes", "", CELL_INTEGER, AT(port, lanes) },
	{ "link_training", "", CELL_TEXT, Q_LINK_TRAINING_STATUS, column_word },
	{ "peer_type", "", CELL_TEXT, ATTRIBUTE_PEER_TYPE },
	{ "peer_hwsku", "", CELL_TEXT, ATTRIBUTE_PEER_HWSKU },
	{ "peer_address", "", CELL_TEXT, ATTRIBUTE_PEER_ADDRESS },
	{ "asic", "ASIC", CELL_TEXT, .from = column_asic, .wide = true },
	{ .key = NULL },
} };

/* --- links between chips -------------------------------------------------- */

static void fabric_peer_column(struct query *q)
{
	cells_peer(q, query_attribute(q->ctx, q->of[OF_ROW],
					ATTRIBUTE_PEER_SWITCH),
		   query_attribute(q->ctx, q->of[OF_ROW],
				     ATTRIBUTE_PEER_PORT));
}

const struct answer_shape shape_fabric = {
	"fabric", .rows = rows_entities, .kind = ENTITY_FABRIC_PORT,
	.columns = {
	{ "fabric_port", "FABRIC", CELL_TEXT, .from = column_asic_name },
	{ "st", "ST", CELL_TEXT, Q_FABRIC_OPER_STATUS, column_word },
	{ "isolated", "ISOLATED", CELL_BOOL, Q_FABRIC_ISOLATED },
	{ "peer", "PEER", CELL_PEER, .from = fabric_peer_column },
	{ "in_rate", "IN", CELL_BPS, Q_FABRIC_IN_OCTETS, column_rate },
	{ "out_rate", "OUT", CELL_BPS, Q_FABRIC_OUT_OCTETS, column_rate },
	{ "in_errors", "ERRORS", CELL_UNSIGNED, Q_FABRIC_IN_ERRORS },
	{ "uncorrectable_codewords", "UNCORR", CELL_UNSIGNED,
	  Q_FABRIC_UNCORRECTABLE_CODEWORDS },
	{ "falls", "FALLS", CELL_UNSIGNED, Q_FABRIC_DOWN_COUNT },
	{ "age", "AGE", CELL_AGE_NS, .from = column_age },
	{ "asic", "ASIC", CELL_TEXT, .from = column_asic, .wide = true },
	{ "auto_isolated", "", CELL_BOOL, Q_FABRIC_AUTO_ISOLATED },
	{ "config_isolated", "", CELL_BOOL, Q_FABRIC_CONFIG_ISOLATED },
	{ "corrected_codewords", "", CELL_UNSIGNED,
	  Q_FABRIC_CORRECTED_CODEWORDS },
	{ "symbol_errors", "", CELL_UNSIGNED, Q_FABRIC_SYMBOL_ERRORS },
	{ "in_cells", "", CELL_UNSIGNED, Q_FABRIC_IN_CELLS },
	{ "out_cells", "", CELL_UNSIGNED, Q_FABRIC_OUT_CELLS },
	{ .key = NULL },
} };

/* --- sensors ------------------------------------------------------------- */

/* The index of each edge. */
enum { TEMP_CRITICAL, TEMP_HIGH, TEMP_LOW, TEMP_CRITICAL_LOW };
enum { LIMIT_CRITICAL_HIGH, LIMIT_HIGH, LIMIT_LOW, LIMIT_CRITICAL_LOW };
enum { SEEN_LOWEST, SEEN_HIGHEST };

/* States that a part reports, worst first. */
static const struct {
	enum quantity quantity;
	int64_t value;
	const char *word;
} states[] = {
	{ Q_SENSOR_PRESENT, 0, "absent" },
	{ Q_SENSOR_WELL, 0, "failed" },
	{ Q_LEAK_DETECTED, 1, "leak" },
	{ Q_SUPPLY_OVERLOAD, 1, "overload" },
	{ Q_FAN_UNDER_SPEED, 1, "slow" },
	{ Q_FAN_OVER_SPEED, 1, "fast" },
	{ Q_SENSOR_WARNING, 1, "warns" },
	{ Q_CARD_STATE, CARD_EMPTY, "absent" },
	{ Q_CARD_STATE, CARD_OFFLINE, "off" },
	{ Q_CARD_STATE, CARD_POWERED_DOWN, "off" },
	{ Q_CARD_STATE, CARD_PRESENT, "starting" },
	{ Q_CARD_STATE, CARD_FAULT, "failed" },
};

static void state_column(struct query *q)
{
	const char *word = NULL;
	struct state_value v;

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (!state_value(q->ctx->state, q->of[OF_ROW],
				 states[i].quantity, 0, &v))
			continue;
		cells_seen(q, v.age.taken);
		if (v.value == states[i].value) {
			word = states[i].word;
			break;
		}
		/* Being there does not mean being well. */
		if (states[i].quantity != Q_SENSOR_PRESENT)
			word = "ok";
	}
	answer_text(q->a, word);
}

const struct answer_shape shape_sensors = {
	"sensors", .rows = rows_entities, .kind = ENTITY_SENSOR, .columns = {
	{ "sensor", "SENSOR", CELL_TEXT, .from = column_name },
	{ "temp", "°C", CELL_MC, Q_SENSOR_TEMP_MC },
	{ "temp_high", "HIGH", CELL_MC, Q_SENSOR_TEMP_THRESHOLD_MC,
	  .index = TEMP_HIGH },
	{ "fan_speed", "FAN%", CELL_PPM, Q_FAN_SPEED_PPM },
	{ "fan_rpm", "RPM", CELL_INTEGER, Q_SENSOR_FAN_RPM },
	{ "voltage", "V", CELL_UV, Q_SENSOR_VOLTAGE_UV },
	{ "current", "mA", CELL_UA, Q_SENSOR_CURRENT_UA },
	{ "power", "W", CELL_UW, Q_SENSOR_POWER_UW },
	{ "state", "STATE", CELL_TEXT, .from = state_column },
	{ "age", "AGE", CELL_AGE_NS, .from = column_age },
	{ "label", "LABEL", CELL_TEXT, ATTRIBUTE_LABEL, .wide = true },
	{ "temp_critical", "CRIT", CELL_MC, Q_SENSOR_TEMP_THRESHOLD_MC,
	  .index = TEMP_CRITICAL, .wide = true },
	{ "temp_low", "LOW", CELL_MC, Q_SENSOR_TEMP_THRESHOLD_MC,
	  .index = TEMP_LOW, .wide = true },
	{ "temp_critical_low", "", CELL_MC, Q_SENSOR_TEMP_THRESHOLD_MC,
	  .index = TEMP_CRITICAL_LOW },
	{ "temp_lowest_seen", "", CELL_MC, Q_SENSOR_TEMP_SEEN_MC,
	  .index = SEEN_LOWEST },
	{ "temp_highest_seen", "", CELL_MC, Q_SENSOR_TEMP_SEEN_MC,
	  .index = SEEN_HIGHEST },
	{ "fan_target", "", CELL_PPM, Q_FAN_TARGET_PPM },
	{ "fan_tolerance", "", CELL_PPM, Q_FAN_TOLERANCE_PPM },
	{ "voltage_critical_high", "", CELL_UV, Q_SENSOR_VOLTAGE_THRESHOLD_UV,
	  .index = LIMIT_CRITICAL_HIGH },
	{ "voltage_high", "", CELL_UV, Q_SENSOR_VOLTAGE_THRESHOLD_UV,
	  .index = LIMIT_HIGH },
	{ "voltage_low", "", CELL_UV, Q_SENSOR_VOLTAGE_THRESHOLD_UV,
	  .index = LIMIT_LOW },
	{ "voltage_critical_low", "", CELL_UV, Q_SENSOR_VOLTAGE_THRESHOLD_UV,
	  .index = LIMIT_CRITICAL_LOW },
	{ "current_critical_high", "", CELL_UA, Q_SENSOR_CURRENT_THRESHOLD_UA,
	  .index = LIMIT_CRITICAL_HIGH },
	{ "current_high", "", CELL_UA, Q_SENSOR_CURRENT_THRESHOLD_UA,
	  .index = LIMIT_HIGH },
	{ "power_critical", "", CELL_UW, Q_SENSOR_POWER_THRESHOLD_UW },
	{ "input_voltage", "", CELL_UV, Q_SUPPLY_INPUT_VOLTAGE_UV },
	{ "input_current", "", CELL_UA, Q_SUPPLY_INPUT_CURRENT_UA },
	{ "disk_life_left", "", CELL_PPM, Q_STORAGE_HEALTH_PPM },
	{ "asic", "ASIC", CELL_TEXT, .from = column_asic, .wide = true },
	{ .key = NULL },
} };
