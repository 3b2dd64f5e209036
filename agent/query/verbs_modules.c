/* Modules in their cages, and their lanes. */
#include "agent/query/verbs.h"

#include <stdio.h>
#include <string.h>

#include "agent/query/answer.h"
#include "agent/query/cells.h"
#include "agent/query/choice.h"
#include "agent/query/faults.h"
#include "agent/query/flags.h"
#include "agent/query/headroom.h"
#include "agent/query/order.h"
#include "agent/query/seat.h"
#include "agent/query/shapes.h"
#include "agent/state/state.h"
#include "petrel/module.h"

#define LANES_TEXT_MAX 96
#define MODULE_LANES_MAX 32u

/* The index of each threshold, and of what a coherent module keeps over its
 * interval.
 */
enum { EDGE_HIGH_ALARM, EDGE_LOW_ALARM, EDGE_HIGH_WARNING, EDGE_LOW_WARNING };
enum { PM_AVERAGE, PM_LEAST, PM_MOST };

/* --- modules ------------------------------------------------------------- */

/* The ports of one cage, in a few columns: Ethernet0,2,4,6. */
struct cage_ports {
	char text[256];
	size_t len;
	char prefix[ENTITY_NAME_MAX];
};

static void cage_ports_add(struct cage_ports *p, const char *name)
{
	const char *asic = strchr(name, ':');	/* "asic1:Ethernet0" */
	size_t before = asic ? (size_t)(asic + 1 - name) : 0;
	size_t letters = before + strcspn(name + before, "0123456789");
	bool same = p->len && strncmp(p->prefix, name, letters) == 0 &&
		    p->prefix[letters] == '\0';
	int n = snprintf(p->text + p->len, sizeof(p->text) - p->len, "%s%s",
			 p->len ? "," : "", same ? name + letters : name);

	if (n > 0 && (size_t)n < sizeof(p->text) - p->len)
		p->len += (size_t)n;
	(void)snprintf(p->prefix, sizeof(p->prefix), "%.*s", (int)letters,
		       name);
}

static void module_ports(const struct query_context *ctx, uint32_t module,
			 struct cage_ports *ret)
{
	size_t n = state_port_count(ctx->state);

	ret->len = 0;
	ret->text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		uint32_t port = state_port(ctx->state, i);

		if (state_port_module(ctx->state, port) == module)
			cage_ports_add(ret, context_name(ctx, port));
	}
}

static void ports_column(struct cells *c, const struct answer_column *col)
{
	struct cage_ports ports;

	(void)col;
	module_ports(c->ctx, c->of[OF_MODULE], &ports);
	answer_text(c->a, ports.len ? ports.text : NULL);
}

/* The threshold that the headroom is to. */
static void nearest_column(struct cells *c, const struct answer_column *col)
{
	struct headroom heat = { .edge = NULL };

	(void)headroom_of(c->ctx, c->of[col->of], (enum quantity)col->what,
			  c->of[OF_MODULE], &heat);
	answer_text(c->a, heat.edge);
}

static void faults_column(struct cells *c, const struct answer_column *col)
{
	faults_cell(c, c->of[col->of]);
}

/* --- what is not as the host wants it ------------------------------------- */

static bool lane_get(const struct cells *c, uint32_t lane, enum quantity q,
		     int64_t *ret)
{
	struct state_value v;

	if (!state_value(c->ctx->state, lane, q, 0, &v))
		return false;
	*ret = v.value;
	return true;
}

static bool lane_is_rejected(const struct cells *c, uint32_t lane)
{
	int64_t status;

	return lane_get(c, lane, Q_LANE_CONFIG_STATUS, &status) &&
	       lane_config_is_rejected(status);
}

static bool lane_is_lit_disabled(const struct cells *c, uint32_t lane)
{
	int64_t off, tx;

	return lane_get(c, lane, Q_LANE_TX_DISABLED, &off) && off &&
	       lane_get(c, lane, Q_LANE_TX_POWER_PW, &tx) &&
	       tx >= LANE_LIT_LEAST_PW;
}

typedef bool lane_test(const struct cells *c, uint32_t lane);

/* The lanes of a module for which that is so: "1,2,3"; "" none. */
static void lanes_list(const struct cells *c, uint32_t module, lane_test *test,
		       char ret[static LANES_TEXT_MAX])
{
	size_t len = 0;

	ret[0] = '\0';
	for (unsigned n = 1; n <= MODULE_LANES_MAX; n++) {
		uint32_t lane = state_child(c->ctx->state, module, ENTITY_LANE,
					    n);

		if (lane == ENTITY_NONE || !test(c, lane) ||
		    len >= LANES_TEXT_MAX)
			continue;
		len += (size_t)snprintf(ret + len, LANES_TEXT_MAX - len,
					"%s%u", len ? "," : "", n);
	}
}

static const struct {
	lane_test *test;
	const char *what;
} wants[] = {
	{ lane_is_rejected, "the module rejected the configuration of lanes" },
	{ lane_is_lit_disabled, "light is sent, though Tx is disabled, on "
				"lanes" },
};

#define WANTS (sizeof(wants) / sizeof(wants[0]))

static void lanes_cell(struct cells *c, lane_test *test)
{
	char lanes[LANES_TEXT_MAX];

	lanes_list(c, c->of[OF_MODULE], test, lanes);
	answer_text(c->a, lanes[0] ? lanes : NULL);
}

static void rejected_column(struct cells *c, const struct answer_column *col)
{
	(void)col;
	lanes_cell(c, lane_is_rejected);
}

static void lit_disabled_column(struct cells *c,
				const struct answer_column *col)
{
	(void)col;
	lanes_cell(c, lane_is_lit_disabled);
}

static void wants_note(struct cells *c, const char *who, uint32_t module,
		       struct fault_notes *n)
{
	char lanes[LANES_TEXT_MAX];

	for (size_t i = 0; i < WANTS; i++) {
		lanes_list(c, module, wants[i].test, lanes);
		if (!lanes[0])
			continue;
		if (n->told++ >= FAULT_NOTES_MAX)
			n->left_out++;
		else
			answer_note(c->a, "%s: %s %s", who, wants[i].what,
				    lanes);
	}
}

static const struct answer_column module_columns[] = {
	{ "cage", "CAGE", CELL_INTEGER, true, false, column_number, OF_MODULE },
	{ "ports", "PORTS", CELL_TEXT, false, false, ports_column },
	{ "vendor", "VENDOR", CELL_TEXT, false, false, column_attribute,
	  OF_MODULE, ATTRIBUTE_VENDOR },
	{ "part", "PART", CELL_TEXT, false, false, column_attribute, OF_MODULE,
	  ATTRIBUTE_PART },
	{ "serial", "SERIAL", CELL_TEXT, false, false, column_attribute,
	  OF_MODULE, ATTRIBUTE_SERIAL },
	{ "form_factor", "TYPE", CELL_TEXT, false, false, column_attribute,
	  OF_MODULE, ATTRIBUTE_FORM_FACTOR },
	{ "firmware", "FW", CELL_TEXT, false, false, column_attribute,
	  OF_MODULE, ATTRIBUTE_FIRMWARE },
	{ "temp", "TEMP", CELL_MC, true, false, column_value, OF_MODULE,
	  Q_MODULE_TEMP_MC },
	{ "temp_headroom", "ROOM", CELL_MC, true, false, column_headroom,
	  OF_MODULE, Q_MODULE_TEMP_MC },
	{ "state", "STATE", CELL_TEXT, false, false, column_word, OF_MODULE,
	  Q_MODULE_STATE, "Module" },
	{ "age", "AGE", CELL_AGE_NS, true, false, column_age },
	{ "temp_nearest_threshold", "", CELL_TEXT, false, true, nearest_column,
	  OF_MODULE, Q_MODULE_TEMP_MC },
	{ "fault_cause", "", CELL_TEXT, false, true, column_word, OF_MODULE,
	  Q_MODULE_FAULT_CAUSE },
	{ "firmware_images", "IMAGES", CELL_TEXT, false, true,
	  column_attribute, OF_MODULE, ATTRIBUTE_FIRMWARE_IMAGES },
	{ "media", "", CELL_TEXT, false, true, column_attribute, OF_MODULE,
	  ATTRIBUTE_MEDIA },
	{ "revision", "", CELL_TEXT, false, true, column_attribute, OF_MODULE,
	  ATTRIBUTE_REVISION },
	{ "date", "", CELL_TEXT, false, true, column_attribute, OF_MODULE,
	  ATTRIBUTE_DATE },
	{ "cable_length_m", "", CELL_TEXT, false, true, column_attribute,
	  OF_MODULE, ATTRIBUTE_CABLE_LENGTH },
	{ "connector", "", CELL_TEXT, false, true, column_attribute, OF_MODULE,
	  ATTRIBUTE_CONNECTOR },
	{ "vcc", "", CELL_UV, true, true, column_value, OF_MODULE,
	  Q_MODULE_VCC_UV },
	{ "laser_temp", "", CELL_MC, true, true, column_value, OF_MODULE,
	  Q_MODULE_LASER_TEMP_MC },
	{ "power_class", "", CELL_INTEGER, true, true, column_value, OF_MODULE,
	  Q_MODULE_POWER_CLASS },
	{ "low_power", "", CELL_BOOL, false, true, column_value, OF_MODULE,
	  Q_MODULE_LOW_POWER },
	{ "lanes", "", CELL_TEXT, false, true, column_attribute, OF_MODULE,
	  ATTRIBUTE_LANE_COUNT },
	{ "temp_high_alarm", "", CELL_MC, true, true, column_value, OF_MODULE,
	  Q_MODULE_TEMP_THRESHOLD_MC, NULL, EDGE_HIGH_ALARM },
	{ "temp_low_alarm", "", CELL_MC, true, true, column_value, OF_MODULE,
	  Q_MODULE_TEMP_THRESHOLD_MC, NULL, EDGE_LOW_ALARM },
	{ "temp_high_warning", "", CELL_MC, true, true, column_value,
	  OF_MODULE, Q_MODULE_TEMP_THRESHOLD_MC, NULL, EDGE_HIGH_WARNING },
	{ "temp_low_warning", "", CELL_MC, true, true, column_value, OF_MODULE,
	  Q_MODULE_TEMP_THRESHOLD_MC, NULL, EDGE_LOW_WARNING },
	{ "osnr", "OSNR", CELL_MDB, true, true, column_value, OF_MODULE,
	  Q_PM_OSNR_MDB, NULL, PM_AVERAGE },
	{ "osnr_min", "", CELL_MDB, true, true, column_value, OF_MODULE,
	  Q_PM_OSNR_MDB, NULL, PM_LEAST },
	{ "osnr_max", "", CELL_MDB, true, true, column_value, OF_MODULE,
	  Q_PM_OSNR_MDB, NULL, PM_MOST },
	{ "q_margin", "Q-MARGIN", CELL_MDB, true, true, column_value,
	  OF_MODULE, Q_PM_Q_MARGIN_MDB, NULL, PM_AVERAGE },
	{ "q_margin_min", "", CELL_MDB, true, true, column_value, OF_MODULE,
	  Q_PM_Q_MARGIN_MDB, NULL, PM_LEAST },
	{ "q_margin_max", "", CELL_MDB, true, true, column_value, OF_MODULE,
	  Q_PM_Q_MARGIN_MDB, NULL, PM_MOST },
	{ "pre_fec_ber", "", CELL_E18, true, true, column_value, OF_MODULE,
	  Q_PM_PRE_FEC_BER_E18, NULL, PM_AVERAGE },
	{ "pre_fec_ber_min", "", CELL_E18, true, true, column_value, OF_MODULE,
	  Q_PM_PRE_FEC_BER_E18, NULL, PM_LEAST },
	{ "pre_fec_ber_max", "", CELL_E18, true, true, column_value, OF_MODULE,
	  Q_PM_PRE_FEC_BER_E18, NULL, PM_MOST },
	{ "cd_ps_per_nm", "CD", CELL_INTEGER, true, true, column_value,
	  OF_MODULE, Q_PM_CD_PS_PER_NM },
	{ "dgd_fs", "", CELL_INTEGER, true, true, column_value, OF_MODULE,
	  Q_PM_DGD_FS },
	{ "pdl", "PDL", CELL_MDB, true, true, column_value, OF_MODULE,
	  Q_PM_PDL_MDB },
	{ "snr_margin", "", CELL_MDB, true, true, column_value, OF_MODULE,
	  Q_PM_SNR_MARGIN_MDB },
	{ "reading_faults", "", CELL_TEXT, false, true, faults_column,
	  OF_MODULE },
	{ "rejected_lanes", "", CELL_TEXT, false, true, rejected_column },
	{ "lit_disabled_lanes", "", CELL_TEXT, false, true,
	  lit_disabled_column },
	{ "asic", "ASIC", CELL_TEXT, false, true, column_asic, OF_MODULE },
	{ .key = NULL },
};
const struct answer_shape shape_modules = { "modules", module_columns, false };

/* What of the modules shown is no reading. */
static void module_faults(struct cells *c, uint32_t module,
			  struct fault_notes *n)
{
	char who[32];

	(void)snprintf(who, sizeof(who), "cage %u",
		       state_entity(c->ctx->state, module)->key.number);
	wants_note(c, who, module, n);
	faults_note(c, who, module, n);
}

/* Modules that have a row. */
struct told {
	size_t count;
	uint32_t module[CAGES_MAX];
};

/* Several ports may be on one. */
static bool is_first_of(struct told *told, uint32_t module)
{
	for (size_t i = 0; i < told->count; i++)
		if (told->module[i] == module)
			return false;
	if (told->count < CAGES_MAX)
		told->module[told->count++] = module;
	return true;
}

/* Says that ports are without a module, so that nobody looks for them. */
static void modules_note(struct answer *a, size_t rows, size_t without)
{
	if (without)
		answer_note(a, "%zu port%s without a module that tells of "
			    "itself", without, without == 1 ? "" : "s");
	else if (rows == 0)
		answer_note(a, "no module is known");
}

int verbs_modules(void *context, struct query_client *client,
		  const Petrel__Request *request, struct answer *a)
{
	const struct query_context *ctx = context;
	struct cells c = { .ctx = ctx, .a = a,
			   .now = context_begin(ctx, a).mono };
	struct fault_notes notes = { 0, 0 };
	struct told told = { .count = 0 };
	struct choice wanted;
	struct seats seats;
	struct seat seat;
	size_t without = 0;
	int code = choice_take(ctx, request, a, &wanted);

	(void)client;
	if (code != EXIT_ANSWERED)
		return code;
	answer_shaped(a, &shape_modules);
	seats_begin(&seats, ctx, &wanted);
	while (seats_next(&seats, &seat)) {
		if (seat.module == ENTITY_NONE) {
			without++;
		} else if (is_first_of(&told, seat.module)) {
			c.of[OF_ROW] = c.of[OF_MODULE] = seat.module;
			cells_fill(&c, module_columns);
			module_faults(&c, seat.module, &notes);
		}
	}
	faults_note_rest(a, &notes);
	modules_note(a, answer_rows(a, 0), without);
	return order_apply(request, a);
}

/* --- lanes --------------------------------------------------------------- */

/* A lane, as its port counts it; without a port, as its module does. */
struct lane {
	const struct seat *seat;
	uint32_t module, id;
	uint32_t path;	/* whose BER stands for it; ENTITY_NONE: its own */
	unsigned number;		/* from 1 */
};

/* Many modules count BER by data path alone. */
static uint32_t path_of(const struct cells *c, const struct lane *l)
{
	int64_t number, ber;
	uint32_t path;

	if (lane_get(c, l->id, Q_LANE_PRE_FEC_BER_E18, &ber) ||
	    !lane_get(c, l->id, Q_LANE_DATA_PATH, &number))
		return ENTITY_NONE;
	path = state_child(c->ctx->state, l->module, ENTITY_DATA_PATH,
			   (uint32_t)number);
	return path && lane_get(c, path, Q_LANE_PRE_FEC_BER_E18, &ber) ?
	       path : ENTITY_NONE;
}

static void seat_column(struct cells *c, const struct answer_column *col)
{
	const struct lane *l = c->own;

	(void)col;
	answer_text(c->a, l->seat->name);
}

static void lane_number_column(struct cells *c, const struct answer_column *col)
{
	const struct lane *l = c->own;

	(void)col;
	answer_integer(c->a, l->number);
}

static void lane_ber_column(struct cells *c, const struct answer_column *col)
{
	const struct lane *l = c->own;

	(void)col;
	cells_value(c, l->path ? l->path : l->id, Q_LANE_PRE_FEC_BER_E18, 0);
}

static void ber_path_column(struct cells *c, const struct answer_column *col)
{
	const struct lane *l = c->own;

	(void)col;
	if (l->path)
		answer_integer(c->a, state_entity(c->ctx->state, l->path)
					     ->key.number);
	else
		answer_absent(c->a);
}

static const struct answer_column lane_columns[] = {
	{ "port", "PORT", CELL_TEXT, false, false, seat_column },
	{ "lane", "L", CELL_INTEGER, true, false, lane_number_column },
	{ "rx", "RXdBm", CELL_PW, true, false, column_value, OF_ROW,
	  Q_LANE_RX_POWER_PW },
	{ "rx_mw_shown", "mW", CELL_MW, true, false, column_value, OF_ROW,
	  Q_LANE_RX_POWER_PW },
	{ "rx_headroom", "ROOM", CELL_MDB, true, false, column_headroom, OF_ROW,
	  Q_LANE_RX_POWER_PW },
	{ "tx", "TXdBm", CELL_PW, true, false, column_value, OF_ROW,
	  Q_LANE_TX_POWER_PW },
	{ "tx_mw_shown", "mW", CELL_MW, true, false, column_value, OF_ROW,
	  Q_LANE_TX_POWER_PW },
	{ "tx_headroom", "ROOM", CELL_MDB, true, false, column_headroom, OF_ROW,
	  Q_LANE_TX_POWER_PW },
	{ "bias", "mA", CELL_UA, true, false, column_value, OF_ROW,
	  Q_LANE_TX_BIAS_UA },
	{ "bias_headroom", "ROOM", CELL_UA, true, false, column_headroom,
	  OF_ROW, Q_LANE_TX_BIAS_UA },
	{ "pre_fec_ber", "BER", CELL_E18, true, false, lane_ber_column },
	{ "snr", "SNR", CELL_MDB, true, false, column_value, OF_ROW,
	  Q_LANE_SNR_MDB },
	{ "data_path", "DATAPATH", CELL_TEXT, false, false, column_word, OF_ROW,
	  Q_LANE_DATA_PATH_STATE, "DataPath" },
	{ "age", "AGE", CELL_AGE_NS, true, false, column_age },
	{ "module_lane", "", CELL_INTEGER, true, true, column_number, OF_ROW },
	{ "alias", "", CELL_TEXT, false, true, column_attribute, OF_PORT,
	  ATTRIBUTE_ALIAS },
	{ "rx_los", "", CELL_BOOL, false, true, column_value, OF_ROW,
	  Q_LANE_RX_LOS },
	{ "tx_fault", "", CELL_BOOL, false, true, column_value, OF_ROW,
	  Q_LANE_TX_FAULT },
	{ "tx_disabled", "", CELL_BOOL, false, true, column_value, OF_ROW,
	  Q_LANE_TX_DISABLED },
	{ "application", "", CELL_INTEGER, true, true, column_value, OF_ROW,
	  Q_LANE_APPLICATION },
	{ "pre_fec_ber_data_path", "", CELL_INTEGER, true, true,
	  ber_path_column },
	{ "pre_fec_ber_min", "", CELL_E18, true, true, column_value, OF_ROW,
	  Q_VDM_PRE_FEC_BER_MIN_E18 },
	{ "pre_fec_ber_max", "", CELL_E18, true, true, column_value, OF_ROW,
	  Q_VDM_PRE_FEC_BER_MAX_E18 },
	{ "pre_fec_ber_avg", "", CELL_E18, true, true, column_value, OF_ROW,
	  Q_VDM_PRE_FEC_BER_AVG_E18 },
	{ "host_pre_fec_ber", "", CELL_E18, true, true, column_value, OF_ROW,
	  Q_VDM_HOST_PRE_FEC_BER_E18 },
	{ "ferc", "FERC", CELL_E18, true, true, column_value, OF_ROW,
	  Q_VDM_FERC_E18 },
	{ "ferc_max", "", CELL_E18, true, true, column_value, OF_ROW,
	  Q_VDM_FERC_MAX_E18 },
	{ "host_snr", "HOST-SNR", CELL_MDB, true, true, column_value, OF_ROW,
	  Q_VDM_HOST_SNR_MDB },
	{ "ltp", "LTP", CELL_MDB, true, true, column_value, OF_ROW,
	  Q_VDM_LTP_MDB },
	{ "host_ltp", "", CELL_MDB, true, true, column_value, OF_ROW,
	  Q_VDM_HOST_LTP_MDB },
	{ "laser_frequency_mhz", "MHz", CELL_INTEGER, true, true, column_value,
	  OF_ROW, Q_LANE_LASER_FREQUENCY_MHZ },
	{ "laser_frequency_error_mhz", "", CELL_INTEGER, true, true,
	  column_value, OF_ROW, Q_VDM_LASER_FREQUENCY_ERROR_MHZ },
	{ "rx_high_alarm", "", CELL_PW, true, true, column_value, OF_MODULE,
	  Q_MODULE_RX_POWER_THRESHOLD_PW, NULL, EDGE_HIGH_ALARM },
	{ "rx_low_alarm", "", CELL_PW, true, true, column_value, OF_MODULE,
	  Q_MODULE_RX_POWER_THRESHOLD_PW, NULL, EDGE_LOW_ALARM },
	{ "rx_high_warning", "", CELL_PW, true, true, column_value, OF_MODULE,
	  Q_MODULE_RX_POWER_THRESHOLD_PW, NULL, EDGE_HIGH_WARNING },
	{ "rx_low_warning", "", CELL_PW, true, true, column_value, OF_MODULE,
	  Q_MODULE_RX_POWER_THRESHOLD_PW, NULL, EDGE_LOW_WARNING },
	{ "tx_high_alarm", "", CELL_PW, true, true, column_value, OF_MODULE,
	  Q_MODULE_TX_POWER_THRESHOLD_PW, NULL, EDGE_HIGH_ALARM },
	{ "tx_low_alarm", "", CELL_PW, true, true, column_value, OF_MODULE,
	  Q_MODULE_TX_POWER_THRESHOLD_PW, NULL, EDGE_LOW_ALARM },
	{ "tx_high_warning", "", CELL_PW, true, true, column_value, OF_MODULE,
	  Q_MODULE_TX_POWER_THRESHOLD_PW, NULL, EDGE_HIGH_WARNING },
	{ "tx_low_warning", "", CELL_PW, true, true, column_value, OF_MODULE,
	  Q_MODULE_TX_POWER_THRESHOLD_PW, NULL, EDGE_LOW_WARNING },
	{ "bias_high_alarm", "", CELL_UA, true, true, column_value, OF_MODULE,
	  Q_MODULE_TX_BIAS_THRESHOLD_UA, NULL, EDGE_HIGH_ALARM },
	{ "bias_low_alarm", "", CELL_UA, true, true, column_value, OF_MODULE,
	  Q_MODULE_TX_BIAS_THRESHOLD_UA, NULL, EDGE_LOW_ALARM },
	{ "bias_high_warning", "", CELL_UA, true, true, column_value,
	  OF_MODULE, Q_MODULE_TX_BIAS_THRESHOLD_UA, NULL, EDGE_HIGH_WARNING },
	{ "bias_low_warning", "", CELL_UA, true, true, column_value, OF_MODULE,
	  Q_MODULE_TX_BIAS_THRESHOLD_UA, NULL, EDGE_LOW_WARNING },
	{ "reading_faults", "", CELL_TEXT, false, true, faults_column, OF_ROW },
	{ "asic", "ASIC", CELL_TEXT, false, true, column_asic, OF_MODULE },
	{ .key = NULL },
};
const struct answer_shape shape_lanes = { "lanes", lane_columns, false };

static void lane_faults(struct cells *c, const struct lane *l,
			struct fault_notes *n)
{
	char who[ENTITY_NAME_MAX + 16];

	(void)snprintf(who, sizeof(who), "%s lane %u",
		       l->seat->name, l->number);
	faults_note(c, who, l->id, n);
}

/* Returns how many lanes there are that tell something. */
static size_t lane_rows(struct cells *c, const struct seat *seat,
			struct fault_notes *notes)
{
	struct lane l = { .seat = seat, .module = seat->module };
	size_t n = 0;

	c->of[OF_PORT] = seat->port;
	c->of[OF_MODULE] = seat->module;
	for (l.number = 1; l.number <= SEAT_LANES_MAX; l.number++) {
		l.id = seat_lane(c->ctx, seat, l.number - 1);
		if (l.id == ENTITY_NONE)
			continue;
		l.path = path_of(c, &l);
		c->of[OF_ROW] = l.id;
		c->own = &l;
		cells_fill(c, lane_columns);
		lane_faults(c, &l, notes);
		n++;
	}
	c->own = NULL;
	return n;
}

int verbs_lanes(void *context, struct query_client *client,
		const Petrel__Request *request, struct answer *a)
{
	const struct query_context *ctx = context;
	struct cells c = { .ctx = ctx, .a = a,
			   .now = context_begin(ctx, a).mono };
	struct fault_notes notes = { 0, 0 };
	struct choice wanted;
	struct seats seats;
	struct seat seat;
	size_t without = 0;
	int code = choice_take(ctx, request, a, &wanted);

	(void)client;
	if (code != EXIT_ANSWERED)
		return code;
	answer_shaped(a, &shape_lanes);
	seats_begin(&seats, ctx, &wanted);
	while (seats_next(&seats, &seat))
		without += lane_rows(&c, &seat, &notes) == 0 &&
			   seat.port != ENTITY_NONE;
	faults_note_rest(a, &notes);
	if (without)
		answer_note(a, "%zu port%s without lanes that tell anything: "
			    "copper, or an empty cage", without,
			    without == 1 ? "" : "s");
	code = order_apply(request, a);
	if (code == EXIT_ANSWERED)
		flags_table(ctx, &wanted, a);
	return code;
}
