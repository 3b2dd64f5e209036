/* Modules in their cages, and their lanes. */
#include "agent/query/verbs.h"

#include <ctype.h>
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

#define WORD_MAX 40
#define LANES_TEXT_MAX 96
#define MODULE_LANES_MAX 32u

/* SONiC's word without what the column says already: ModuleReady as ready,
 * DataPathActivated as activated.
 */
static const char *state_word(const char *word, const char *prefix,
			      char ret[static WORD_MAX])
{
	size_t skip = strlen(prefix), i = 0;

	if (!word)
		return NULL;
	if (strncmp(word, prefix, skip) == 0)
		word += skip;
	for (; word[i] && i < WORD_MAX - 1; i++)
		ret[i] = (char)tolower((unsigned char)word[i]);
	ret[i] = '\0';
	return ret;
}

/* --- modules ------------------------------------------------------------- */

static const struct answer_column module_columns[] = {
	{ "cage", "CAGE", CELL_INTEGER, true, false },
	{ "ports", "PORTS", CELL_TEXT, false, false },
	{ "vendor", "VENDOR", CELL_TEXT, false, false },
	{ "part", "PART", CELL_TEXT, false, false },
	{ "serial", "SERIAL", CELL_TEXT, false, false },
	{ "form_factor", "TYPE", CELL_TEXT, false, false },
	{ "firmware", "FW", CELL_TEXT, false, false },
	{ "temp", "TEMP", CELL_MC, true, false },
	{ "temp_headroom", "ROOM", CELL_MC, true, false },
	{ "state", "STATE", CELL_TEXT, false, false },
	{ "age", "AGE", CELL_AGE_NS, true, false },
	{ "temp_nearest_threshold", "", CELL_TEXT, false, true },
	{ "fault_cause", "", CELL_TEXT, false, true },
	{ "firmware_images", "IMAGES", CELL_TEXT, false, true },
	{ "media", "", CELL_TEXT, false, true },
	{ "revision", "", CELL_TEXT, false, true },
	{ "date", "", CELL_TEXT, false, true },
	{ "cable_length_m", "", CELL_TEXT, false, true },
	{ "connector", "", CELL_TEXT, false, true },
	{ "vcc", "", CELL_UV, true, true },
	{ "laser_temp", "", CELL_MC, true, true },
	{ "power_class", "", CELL_INTEGER, true, true },
	{ "low_power", "", CELL_BOOL, false, true },
	{ "lanes", "", CELL_TEXT, false, true },
	{ "reading_faults", "", CELL_TEXT, false, true },
	{ "rejected_lanes", "", CELL_TEXT, false, true },
	{ "lit_disabled_lanes", "", CELL_TEXT, false, true },
	{ "asic", "", CELL_TEXT, false, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_modules = { "modules", module_columns, false };

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

static void module_state_cell(struct cells *c, uint32_t module)
{
	struct state_value v;
	char word[WORD_MAX];

	if (!state_value(c->ctx->state, module, Q_MODULE_STATE, 0, &v)) {
		answer_absent(c->a);
		return;
	}
	cells_seen(c, v.age.taken);
	answer_text(c->a, state_word(cells_module_state_word((unsigned)v.value),
				     "Module", word));
}

static void module_heat(struct cells *c, uint32_t module,
			struct headroom *ret, bool *ret_known)
{
	cells_value(c, module, Q_MODULE_TEMP_MC, 0);
	*ret_known = headroom_of(c->ctx, module, Q_MODULE_TEMP_MC, module,
				 Q_MODULE_TEMP_THRESHOLD_MC, ret);
	cells_known(c, *ret_known, *ret_known ? ret->distance : 0);
}

static const char *fault_word(unsigned value)
{
	return module_fault_cause_name((enum module_fault_cause)value);
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

static void wants_cells(struct cells *c, uint32_t module)
{
	char lanes[LANES_TEXT_MAX];

	for (size_t i = 0; i < WANTS; i++) {
		lanes_list(c, module, wants[i].test, lanes);
		answer_text(c->a, lanes[0] ? lanes : NULL);
	}
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

/* What has no room in 80 columns. */
static void module_json(struct cells *c, uint32_t module)
{
	static const enum attribute texts[] = {
		ATTRIBUTE_FIRMWARE_IMAGES, ATTRIBUTE_MEDIA,
		ATTRIBUTE_REVISION, ATTRIBUTE_DATE, ATTRIBUTE_CABLE_LENGTH,
		ATTRIBUTE_CONNECTOR,
	};
	static const enum quantity values[] = {
		Q_MODULE_VCC_UV, Q_MODULE_LASER_TEMP_MC, Q_MODULE_POWER_CLASS,
		Q_MODULE_LOW_POWER,
	};

	cells_word(c, module, Q_MODULE_FAULT_CAUSE, fault_word);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		cells_attribute(c, module, texts[i]);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		cells_value(c, module, values[i], 0);
	cells_attribute(c, module, ATTRIBUTE_LANE_COUNT);
	faults_cell(c, module);
	wants_cells(c, module);
	answer_text(c->a, context_asic(c->ctx, module));
}

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

static void module_row(struct cells *c, uint32_t module)
{
	static const enum attribute texts[] = {
		ATTRIBUTE_VENDOR, ATTRIBUTE_PART, ATTRIBUTE_SERIAL,
		ATTRIBUTE_FORM_FACTOR, ATTRIBUTE_FIRMWARE,
	};
	struct cage_ports ports;
	struct headroom heat;
	bool heat_known;

	cells_row(c);
	module_ports(c->ctx, module, &ports);
	answer_integer(c->a, state_entity(c->ctx->state, module)->key.number);
	answer_text(c->a, ports.len ? ports.text : NULL);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		cells_attribute(c, module, texts[i]);
	module_heat(c, module, &heat, &heat_known);
	module_state_cell(c, module);
	cells_age(c);
	answer_text(c->a, heat_known ? heat.edge : NULL);
	if (answer_row_goes_on(c->a))
		module_json(c, module);
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
			module_row(&c, seat.module);
			module_faults(&c, seat.module, &notes);
		}
	}
	faults_note_rest(a, &notes);
	modules_note(a, answer_rows(a, 0), without);
	return order_apply(request, a);
}

/* --- lanes --------------------------------------------------------------- */

static const struct answer_column lane_columns[] = {
	{ "port", "PORT", CELL_TEXT, false, false },
	{ "lane", "L", CELL_INTEGER, true, false },
	{ "rx", "RXdBm", CELL_PW, true, false },
	{ "rx_mw_shown", "mW", CELL_MW, true, false },
	{ "rx_headroom", "ROOM", CELL_MDB, true, false },
	{ "tx", "TXdBm", CELL_PW, true, false },
	{ "tx_mw_shown", "mW", CELL_MW, true, false },
	{ "tx_headroom", "ROOM", CELL_MDB, true, false },
	{ "bias", "mA", CELL_UA, true, false },
	{ "bias_headroom", "ROOM", CELL_UA, true, false },
	{ "pre_fec_ber", "BER", CELL_E18, true, false },
	{ "snr", "SNR", CELL_MDB, true, false },
	{ "data_path", "DATAPATH", CELL_TEXT, false, false },
	{ "age", "AGE", CELL_AGE_NS, true, false },
	{ "module_lane", "", CELL_INTEGER, true, true },
	{ "alias", "", CELL_TEXT, false, true },
	{ "rx_los", "", CELL_BOOL, false, true },
	{ "tx_fault", "", CELL_BOOL, false, true },
	{ "tx_disabled", "", CELL_BOOL, false, true },
	{ "application", "", CELL_INTEGER, true, true },
	{ "pre_fec_ber_data_path", "", CELL_INTEGER, true, true },
	{ "reading_faults", "", CELL_TEXT, false, true },
	{ "asic", "", CELL_TEXT, false, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_lanes = { "lanes", lane_columns, false };

/* A lane, as its port counts it; without a port, as its module does. */
struct lane {
	const struct seat *seat;
	uint32_t module, id;
	uint32_t path;	/* whose BER stands for it; ENTITY_NONE: its own */
	unsigned number;		/* from 1 */
};

/* Power in both units with the room to the thresholds. */
static void power_cells(struct cells *c, const struct lane *l, enum quantity q,
			enum quantity thresholds)
{
	cells_value(c, l->id, q, 0);
	cells_value(c, l->id, q, 0);
	headroom_cell(c->ctx, c->a, l->id, q, l->module, thresholds);
}

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

static void data_path_cell(struct cells *c, const struct lane *l)
{
	struct state_value v;
	char word[WORD_MAX];

	if (!state_value(c->ctx->state, l->id, Q_LANE_DATA_PATH_STATE, 0, &v)) {
		answer_absent(c->a);
		return;
	}
	cells_seen(c, v.age.taken);
	answer_text(c->a, state_word(cells_data_path_word((unsigned)v.value),
				     "DataPath", word));
}

/* What has no room in 80 columns. */
static void lane_json(struct cells *c, const struct lane *l)
{
	static const enum quantity values[] = {
		Q_LANE_RX_LOS, Q_LANE_TX_FAULT, Q_LANE_TX_DISABLED,
		Q_LANE_APPLICATION,
	};

	answer_integer(c->a, state_entity(c->ctx->state, l->id)->key.number);
	cells_attribute(c, l->seat->port, ATTRIBUTE_ALIAS);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		cells_value(c, l->id, values[i], 0);
	if (l->path)
		answer_integer(c->a, state_entity(c->ctx->state, l->path)
					     ->key.number);
	else
		answer_absent(c->a);
	faults_cell(c, l->id);
	answer_text(c->a, context_asic(c->ctx, l->seat->module));
}

static void lane_faults(struct cells *c, const struct lane *l,
			struct fault_notes *n)
{
	char who[ENTITY_NAME_MAX + 16];

	(void)snprintf(who, sizeof(who), "%s lane %u",
		       l->seat->name, l->number);
	faults_note(c, who, l->id, n);
}

static void lane_row(struct cells *c, const struct lane *l)
{
	cells_row(c);
	answer_text(c->a, l->seat->name);
	answer_integer(c->a, l->number);
	power_cells(c, l, Q_LANE_RX_POWER_PW, Q_MODULE_RX_POWER_THRESHOLD_PW);
	power_cells(c, l, Q_LANE_TX_POWER_PW, Q_MODULE_TX_POWER_THRESHOLD_PW);
	cells_value(c, l->id, Q_LANE_TX_BIAS_UA, 0);
	headroom_cell(c->ctx, c->a, l->id, Q_LANE_TX_BIAS_UA, l->module,
		      Q_MODULE_TX_BIAS_THRESHOLD_UA);
	cells_value(c, l->path ? l->path : l->id, Q_LANE_PRE_FEC_BER_E18, 0);
	cells_value(c, l->id, Q_LANE_SNR_MDB, 0);
	data_path_cell(c, l);
	cells_age(c);
	if (answer_row_goes_on(c->a))
		lane_json(c, l);
}

/* Returns how many lanes there are that tell something. */
static size_t lane_rows(struct cells *c, const struct seat *seat,
			struct fault_notes *notes)
{
	struct lane l = { .seat = seat, .module = seat->module };
	size_t n = 0;

	for (l.number = 1; l.number <= SEAT_LANES_MAX; l.number++) {
		l.id = seat_lane(c->ctx, seat, l.number - 1);
		if (l.id == ENTITY_NONE)
			continue;
		l.path = path_of(c, &l);
		lane_row(c, &l);
		lane_faults(c, &l, notes);
		n++;
	}
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
