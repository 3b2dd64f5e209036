/* Modules in their cages, and their lanes. */
#include "agent/query/verbs.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/joined.h"
#include "agent/state/state.h"
#include "petrel/module.h"

#define LANES_TEXT_MAX 96
#define MODULE_LANES_MAX 32u

/* The index of each threshold, and of a coherent module's values over its
 * interval.
 */
enum { EDGE_HIGH_ALARM, EDGE_LOW_ALARM, EDGE_HIGH_WARNING, EDGE_LOW_WARNING };
enum { PM_AVERAGE, PM_LEAST, PM_MOST };

/* --- modules ------------------------------------------------------------- */

/* The ports of one cage, in a few columns: Ethernet0,2,4,6. */
struct cage_ports {
	char text[256];
	char prefix[ENTITY_NAME_MAX];
};

static void cage_ports_add(struct cage_ports *p, const char *name)
{
	const char *asic = strchr(name, ':');	/* "asic1:Ethernet0" */
	size_t before = asic ? (size_t)(asic + 1 - name) : 0;
	size_t letters = before + strcspn(name + before, "0123456789");
	bool same = p->text[0] && strncmp(p->prefix, name, letters) == 0 &&
		    p->prefix[letters] == '\0';

	joined_add(p->text, sizeof(p->text), ",", "%s",
		   same ? name + letters : name);
	(void)snprintf(p->prefix, sizeof(p->prefix), "%.*s", (int)letters,
		       name);
}

static void ports_column(struct query *q)
{
	size_t n = state_port_count(q->ctx->state);
	struct cage_ports ports = { .text = "" };

	for (size_t i = 0; i < n; i++) {
		uint32_t port = state_port(q->ctx->state, i);

		if (state_port_module(q->ctx->state, port) == q->of[OF_MODULE])
			cage_ports_add(&ports, query_name(q->ctx, port));
	}
	answer_text_if(q->a, ports.text);
}

/* --- what is not as the host wants it ------------------------------------- */

static bool lane_get(const struct query *q, uint32_t lane, enum quantity of,
		     int64_t *ret)
{
	struct state_value v;

	if (!state_value(q->ctx->state, lane, of, 0, &v))
		return false;
	*ret = v.value;
	return true;
}

static bool lane_is_rejected(const struct query *q, uint32_t lane)
{
	return lane_config_is_rejected(
			query_value(q->ctx, lane, Q_LANE_CONFIG_STATUS, 0));
}

static bool lane_is_lit_disabled(const struct query *q, uint32_t lane)
{
	return query_value(q->ctx, lane, Q_LANE_TX_DISABLED, 0) &&
	       query_value(q->ctx, lane, Q_LANE_TX_POWER_PW, 0) >=
	       LANE_LIT_LEAST_PW;
}

typedef bool lane_test(const struct query *q, uint32_t lane);

/* The lanes of a module that pass the test: "1,2,3"; "" if none. */
static void lanes_list(const struct query *q, uint32_t module, lane_test *test,
		       char ret[static LANES_TEXT_MAX])
{
	ret[0] = '\0';
	for (unsigned n = 1; n <= MODULE_LANES_MAX; n++) {
		uint32_t lane = state_child(q->ctx->state, module, ENTITY_LANE,
					    n);

		if (lane != ENTITY_NONE && test(q, lane))
			joined_add(ret, LANES_TEXT_MAX, ",", "%u", n);
	}
}

enum want { WANT_REJECTED, WANT_LIT_DISABLED, WANTS };

static const struct {
	lane_test *test;
	const char *what;
} wants[WANTS] = {
	[WANT_REJECTED] = { lane_is_rejected, "the module rejected the "
			    "configuration of host lanes" },
	[WANT_LIT_DISABLED] = { lane_is_lit_disabled, "light is sent, though "
				"Tx is disabled, on lanes" },
};

/* what: an enum want. */
static void lanes_column(struct query *q)
{
	char lanes[LANES_TEXT_MAX];

	lanes_list(q, q->of[OF_MODULE], wants[q->column->what].test, lanes);
	answer_text_if(q->a, lanes);
}

static void wants_note(struct query *q, const char *who, uint32_t module,
		       struct fault_notes *n)
{
	char lanes[LANES_TEXT_MAX];

	for (size_t i = 0; i < WANTS; i++) {
		lanes_list(q, module, wants[i].test, lanes);
		if (!lanes[0])
			continue;
		if (n->told++ >= FAULT_NOTES_MAX)
			n->left_out++;
		else
			answer_note(q->a, "%s: %s %s", who, wants[i].what,
				    lanes);
	}
}

/* Notes what is wrong with a module that is shown. */
static void module_faults(struct query *q, uint32_t module,
			  struct fault_notes *n)
{
	char who[32];

	(void)snprintf(who, sizeof(who), "cage %u",
		       state_entity(q->ctx->state, module)->key.number);
	wants_note(q, who, module, n);
	cells_fault_notes(q, who, module, n);
}

/* Several ports may share a module: whether it already has a row. */
static bool is_told(const uint32_t *told, size_t count, uint32_t module)
{
	for (size_t i = 0; i < count; i++)
		if (told[i] == module)
			return true;
	return false;
}

/* Says how many notes were left out. */
static void notes_left_out(const struct query *q, const struct fault_notes *n)
{
	if (n->left_out)
		answer_note(q->a, "%zu more implausible readings: see --json",
			    n->left_out);
}

static void rows_modules(struct query *q)
{
	struct fault_notes notes = { 0, 0 };
	uint32_t told[CAGES_MAX];
	size_t count = 0, without = 0;
	struct seats seats;
	struct seat seat;

	answer_table(q->a, q->shape);
	seats_begin(&seats, q);
	while (seats_next(&seats, &seat)) {
		if (seat.module == ENTITY_NONE) {
			without++;
		} else if (count < CAGES_MAX &&
			   !is_told(told, count, seat.module)) {
			told[count++] = seat.module;
			q->of[OF_ROW] = q->of[OF_MODULE] = seat.module;
			cells_row(q);
			module_faults(q, seat.module, &notes);
		}
	}
	notes_left_out(q, &notes);
	/* so that nobody looks for them */
	if (without)
		answer_note(q->a, "%zu port%s without a module that "
			    "identifies itself", without,
			    without == 1 ? "" : "s");
	else if (count == 0)
		query_note_none(q, "module");
}

const struct answer_shape shape_modules = {
	"modules", .rows = rows_modules, .columns = {
	{ "cage", "CAGE", CELL_INTEGER, .from = column_number },
	{ "ports", "PORTS", CELL_TEXT, .from = ports_column },
	{ "vendor", "VENDOR", CELL_TEXT, ATTRIBUTE_VENDOR },
	{ "part", "PART", CELL_TEXT, ATTRIBUTE_PART },
	{ "serial", "SERIAL", CELL_TEXT, ATTRIBUTE_SERIAL },
	{ "form_factor", "TYPE", CELL_TEXT, ATTRIBUTE_FORM_FACTOR },
	{ "firmware", "FW", CELL_TEXT, ATTRIBUTE_FIRMWARE },
	{ "temp", "TEMP", CELL_MC, Q_MODULE_TEMP_MC },
	{ "temp_headroom", "ROOM", CELL_MC, Q_MODULE_TEMP_MC, column_headroom },
	{ "state", "STATE", CELL_TEXT, Q_MODULE_STATE, column_word,
	  .more = "Module" },
	{ "age", "AGE", CELL_AGE_NS, .from = column_age },
	{ "temp_nearest_threshold", "", CELL_TEXT, Q_MODULE_TEMP_MC,
	  column_threshold },
	{ "fault_cause", "", CELL_TEXT, Q_MODULE_FAULT_CAUSE, column_word },
	{ "firmware_images", "IMAGES", CELL_TEXT, ATTRIBUTE_FIRMWARE_IMAGES,
	  .wide = true },
	{ "media", "", CELL_TEXT, ATTRIBUTE_MEDIA },
	{ "revision", "", CELL_TEXT, ATTRIBUTE_REVISION },
	{ "date", "", CELL_TEXT, ATTRIBUTE_DATE },
	{ "cable_length_m", "", CELL_TEXT, ATTRIBUTE_CABLE_LENGTH },
	{ "connector", "", CELL_TEXT, ATTRIBUTE_CONNECTOR },
	{ "vcc", "", CELL_UV, Q_MODULE_VCC_UV },
	{ "laser_temp", "", CELL_MC, Q_MODULE_LASER_TEMP_MC },
	{ "laser_2_temp", "", CELL_MC, Q_MODULE_LASER_2_TEMP_MC },
	{ "power_class", "", CELL_INTEGER, Q_MODULE_POWER_CLASS },
	{ "low_power", "", CELL_BOOL, Q_MODULE_LOW_POWER },
	{ "lanes", "", CELL_TEXT, ATTRIBUTE_LANE_COUNT },
	{ "temp_high_alarm", "", CELL_MC, Q_MODULE_TEMP_THRESHOLD_MC,
	  .index = EDGE_HIGH_ALARM },
	{ "temp_low_alarm", "", CELL_MC, Q_MODULE_TEMP_THRESHOLD_MC,
	  .index = EDGE_LOW_ALARM },
	{ "temp_high_warning", "", CELL_MC, Q_MODULE_TEMP_THRESHOLD_MC,
	  .index = EDGE_HIGH_WARNING },
	{ "temp_low_warning", "", CELL_MC, Q_MODULE_TEMP_THRESHOLD_MC,
	  .index = EDGE_LOW_WARNING },
	{ "osnr", "OSNR", CELL_MDB, Q_PM_OSNR_MDB, .index = PM_AVERAGE,
	  .wide = true },
	{ "osnr_min", "", CELL_MDB, Q_PM_OSNR_MDB, .index = PM_LEAST },
	{ "osnr_max", "", CELL_MDB, Q_PM_OSNR_MDB, .index = PM_MOST },
	{ "q_margin", "Q-MARGIN", CELL_MDB, Q_PM_Q_MARGIN_MDB,
	  .index = PM_AVERAGE, .wide = true },
	{ "q_margin_min", "", CELL_MDB, Q_PM_Q_MARGIN_MDB, .index = PM_LEAST },
	{ "q_margin_max", "", CELL_MDB, Q_PM_Q_MARGIN_MDB, .index = PM_MOST },
	{ "pre_fec_ber", "", CELL_E18, Q_PM_PRE_FEC_BER_E18,
	  .index = PM_AVERAGE },
	{ "pre_fec_ber_min", "", CELL_E18, Q_PM_PRE_FEC_BER_E18,
	  .index = PM_LEAST },
	{ "pre_fec_ber_max", "", CELL_E18, Q_PM_PRE_FEC_BER_E18,
	  .index = PM_MOST },
	{ "cd_ps_per_nm", "CD", CELL_INTEGER, Q_PM_CD_PS_PER_NM, .wide = true },
	{ "dgd_fs", "", CELL_INTEGER, Q_PM_DGD_FS },
	{ "pdl", "PDL", CELL_MDB, Q_PM_PDL_MDB, .wide = true },
	{ "snr_margin", "", CELL_MDB, Q_PM_SNR_MARGIN_MDB },
	{ "reading_faults", "", CELL_TEXT, .from = column_faults },
	{ "rejected_lanes", "", CELL_TEXT, WANT_REJECTED, lanes_column },
	{ "lit_disabled_lanes", "", CELL_TEXT, WANT_LIT_DISABLED,
	  lanes_column },
	{ "asic", "ASIC", CELL_TEXT, .from = column_asic, .wide = true },
	{ .key = NULL },
} };

/* --- lanes --------------------------------------------------------------- */

/* Of the host lanes behind a lane, the one whose data path is farthest from
 * carrying traffic; ENTITY_NONE if nothing is known of them.
 */
static uint32_t lane_host(const struct query *q, const struct seat *seat,
			  unsigned n)
{
	uint32_t hosts = seat_hosts(q->ctx, seat, n), worst = ENTITY_NONE;
	unsigned most = 0;

	for (unsigned i = 0; i < MODULE_LANES_MAX; i++) {
		uint32_t lane = hosts >> i & 1 ?
			state_child(q->ctx->state, q->of[OF_MODULE],
				    ENTITY_LANE, i + 1) : ENTITY_NONE;
		unsigned distance = 0;	/* of one without a state */
		int64_t state;

		if (lane == ENTITY_NONE)
			continue;
		if (lane_get(q, lane, Q_LANE_DATA_PATH_STATE, &state))
			distance = 1 + data_path_distance(state);
		if (worst == ENTITY_NONE || distance > most) {
			most = distance;
			worst = lane;
		}
	}
	return worst;
}

struct lane_row {
	const char *port;
	int64_t number;		/* as on its port, else as on its module */
	int64_t ber_path;	/* that has its BER */
};

/* Many modules count BER only per data path. */
static uint32_t path_of(const struct query *q)
{
	uint32_t lane = q->of[OF_ROW], path;
	int64_t number, ber;

	if (lane_get(q, lane, Q_LANE_PRE_FEC_BER_E18, &ber) ||
	    !lane_get(q, q->of[OF_HOST], Q_LANE_DATA_PATH, &number))
		return ENTITY_NONE;
	path = state_child(q->ctx->state, q->of[OF_MODULE], ENTITY_DATA_PATH,
			   (uint32_t)number);
	return path && lane_get(q, path, Q_LANE_PRE_FEC_BER_E18, &ber) ?
	       path : ENTITY_NONE;
}

/* Returns how many lanes are known. */
static size_t seat_rows(struct query *q, const struct seat *seat,
			struct fault_notes *notes)
{
	struct lane_row row = { .port = seat->name };
	char who[ENTITY_NAME_MAX + 16];
	size_t n = 0;

	q->of[OF_PORT] = seat->port;
	q->of[OF_MODULE] = seat->module;
	for (unsigned number = 1; number <= SEAT_LANES_MAX; number++) {
		uint32_t lane = seat_lane(q->ctx, seat, number - 1), path;

		if (lane == ENTITY_NONE)
			continue;
		q->of[OF_ROW] = lane;
		q->of[OF_HOST] = lane_host(q, seat, number - 1);
		path = path_of(q);
		q->of[OF_PATH] = path ? path : lane;
		row.number = number;
		row.ber_path = path ? state_entity(q->ctx->state,
						   path)->key.number :
				      MEMBER_ABSENT;
		cells_members(q, &row);
		(void)snprintf(who, sizeof(who), "%s lane %u", seat->name,
			       number);
		cells_fault_notes(q, who, lane, notes);
		n++;
	}
	return n;
}

static void rows_lanes(struct query *q)
{
	struct fault_notes notes = { 0, 0 };
	struct seats seats;
	struct seat seat;
	size_t without = 0;

	answer_table(q->a, q->shape);
	seats_begin(&seats, q);
	while (seats_next(&seats, &seat))
		without += seat_rows(q, &seat, &notes) == 0 &&
			   seat.port != ENTITY_NONE;
	notes_left_out(q, &notes);
	if (without)
		answer_note(q->a, "%zu port%s without lane readings: copper, "
			    "an empty cage, or lanes that no source has",
			    without,
			    without == 1 ? "" : "s");
}

const struct answer_shape shape_lanes = {
	"lanes", .rows = rows_lanes, .columns = {
	{ "port", "PORT", CELL_TEXT, AT(lane, port) },
	{ "lane", "L", CELL_INTEGER, AT(lane, number) },
	{ "rx", "RXdBm", CELL_PW, Q_LANE_RX_POWER_PW },
	{ "rx_mw_shown", "mW", CELL_MW, Q_LANE_RX_POWER_PW },
	{ "rx_headroom", "ROOM", CELL_MDB, Q_LANE_RX_POWER_PW,
	  column_headroom },
	{ "tx", "TXdBm", CELL_PW, Q_LANE_TX_POWER_PW },
	{ "tx_mw_shown", "mW", CELL_MW, Q_LANE_TX_POWER_PW },
	{ "tx_headroom", "ROOM", CELL_MDB, Q_LANE_TX_POWER_PW,
	  column_headroom },
	{ "bias", "mA", CELL_UA, Q_LANE_TX_BIAS_UA },
	{ "bias_headroom", "ROOM", CELL_UA, Q_LANE_TX_BIAS_UA,
	  column_headroom },
	{ "pre_fec_ber", "BER", CELL_E18, Q_LANE_PRE_FEC_BER_E18,
	  .of = OF_PATH },
	{ "snr", "SNR", CELL_MDB, Q_LANE_SNR_MDB },
	{ "data_path", "DATAPATH", CELL_TEXT, Q_LANE_DATA_PATH_STATE,
	  column_word, OF_HOST, .more = "DataPath" },
	{ "age", "AGE", CELL_AGE_NS, .from = column_age },
	{ "module_lane", "", CELL_INTEGER, .from = column_number },
	{ "alias", "", CELL_TEXT, ATTRIBUTE_ALIAS, .of = OF_PORT },
	{ "rx_los", "", CELL_BOOL, Q_LANE_RX_LOS },
	{ "tx_fault", "", CELL_BOOL, Q_LANE_TX_FAULT },
	{ "tx_disabled", "", CELL_BOOL, Q_LANE_TX_DISABLED },
	{ "application", "", CELL_INTEGER, Q_LANE_APPLICATION, .of = OF_HOST },
	{ "pre_fec_ber_data_path", "", CELL_INTEGER, AT(lane, ber_path) },
	{ "pre_fec_ber_min", "", CELL_E18, Q_VDM_PRE_FEC_BER_MIN_E18 },
	{ "pre_fec_ber_max", "", CELL_E18, Q_VDM_PRE_FEC_BER_MAX_E18 },
	{ "pre_fec_ber_avg", "", CELL_E18, Q_VDM_PRE_FEC_BER_AVG_E18 },
	{ "host_pre_fec_ber", "", CELL_E18, Q_VDM_HOST_PRE_FEC_BER_E18 },
	{ "ferc", "FERC", CELL_E18, Q_VDM_FERC_E18, .wide = true },
	{ "ferc_max", "", CELL_E18, Q_VDM_FERC_MAX_E18 },
	{ "host_snr", "HOST-SNR", CELL_MDB, Q_VDM_HOST_SNR_MDB, .wide = true },
	{ "ltp", "LTP", CELL_MDB, Q_VDM_LTP_MDB, .wide = true },
	{ "host_ltp", "", CELL_MDB, Q_VDM_HOST_LTP_MDB },
	{ "laser_frequency_mhz", "MHz", CELL_INTEGER,
	  Q_LANE_LASER_FREQUENCY_MHZ, .wide = true },
	{ "laser_frequency_error_mhz", "", CELL_INTEGER,
	  Q_VDM_LASER_FREQUENCY_ERROR_MHZ },
	{ "rx_high_alarm", "", CELL_PW, Q_MODULE_RX_POWER_THRESHOLD_PW,
	  .of = OF_MODULE, .index = EDGE_HIGH_ALARM },
	{ "rx_low_alarm", "", CELL_PW, Q_MODULE_RX_POWER_THRESHOLD_PW,
	  .of = OF_MODULE, .index = EDGE_LOW_ALARM },
	{ "rx_high_warning", "", CELL_PW, Q_MODULE_RX_POWER_THRESHOLD_PW,
	  .of = OF_MODULE, .index = EDGE_HIGH_WARNING },
	{ "rx_low_warning", "", CELL_PW, Q_MODULE_RX_POWER_THRESHOLD_PW,
	  .of = OF_MODULE, .index = EDGE_LOW_WARNING },
	{ "tx_high_alarm", "", CELL_PW, Q_MODULE_TX_POWER_THRESHOLD_PW,
	  .of = OF_MODULE, .index = EDGE_HIGH_ALARM },
	{ "tx_low_alarm", "", CELL_PW, Q_MODULE_TX_POWER_THRESHOLD_PW,
	  .of = OF_MODULE, .index = EDGE_LOW_ALARM },
	{ "tx_high_warning", "", CELL_PW, Q_MODULE_TX_POWER_THRESHOLD_PW,
	  .of = OF_MODULE, .index = EDGE_HIGH_WARNING },
	{ "tx_low_warning", "", CELL_PW, Q_MODULE_TX_POWER_THRESHOLD_PW,
	  .of = OF_MODULE, .index = EDGE_LOW_WARNING },
	{ "bias_high_alarm", "", CELL_UA, Q_MODULE_TX_BIAS_THRESHOLD_UA,
	  .of = OF_MODULE, .index = EDGE_HIGH_ALARM },
	{ "bias_low_alarm", "", CELL_UA, Q_MODULE_TX_BIAS_THRESHOLD_UA,
	  .of = OF_MODULE, .index = EDGE_LOW_ALARM },
	{ "bias_high_warning", "", CELL_UA, Q_MODULE_TX_BIAS_THRESHOLD_UA,
	  .of = OF_MODULE, .index = EDGE_HIGH_WARNING },
	{ "bias_low_warning", "", CELL_UA, Q_MODULE_TX_BIAS_THRESHOLD_UA,
	  .of = OF_MODULE, .index = EDGE_LOW_WARNING },
	{ "reading_faults", "", CELL_TEXT, .from = column_faults },
	{ "asic", "ASIC", CELL_TEXT, .from = column_asic, .of = OF_MODULE,
	  .wide = true },
	{ .key = NULL },
} };
