/* Everything about one port. */
#include "agent/query/verbs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/query/answer.h"
#include "agent/query/cells.h"
#include "agent/query/choice.h"
#include "agent/query/headroom.h"
#include "agent/query/shapes.h"
#include "agent/query/watched.h"
#include "agent/signature/engine.h"
#include "agent/state/series.h"
#include "agent/state/reading.h"
#include "agent/state/state.h"
#include "petrel/link.h"

#define INDEX_MAX 32		/* of a port's counters: bins, sizes, lanes */
#define QUEUES_MAX 20
#define HISTORY_VALUES 900

/* One answer under way. */
struct look {
	const struct query_context *ctx;
	struct answer *a;
	uint32_t port, module;
	struct mono now;
	struct port_facts facts;
	struct engine_view view;
};

static void look_cell(const struct look *l, uint32_t entity, enum quantity q,
		      unsigned index)
{
	(void)context_cell(l->ctx, l->a, entity, q, index, l->now);
}

static void look_attribute(const struct look *l, uint32_t entity,
			   enum attribute which)
{
	answer_text(l->a, entity == ENTITY_NONE ? NULL :
			  context_attribute(l->ctx, entity, which));
}

/* The word of a reading that is an enumeration. */
static void look_word(const struct look *l, enum quantity q,
		      const char *(*word)(unsigned))
{
	struct state_value v;

	if (!state_value(l->ctx->state, l->port, q, 0, &v)) {
		answer_absent(l->a);
		return;
	}
	answer_text(l->a, word((unsigned)v.value));
	answer_age(l->a, mono_diff_ns(l->now, v.age.taken), v.quality);
}

/* A port that was never read is not up. */
static bool port_is_up(const struct look *l)
{
	struct state_value v;

	return state_value(l->ctx->state, l->port, Q_OPER_STATUS, 0, &v) &&
	       v.value == OPER_UP;
}

/* Facts hold empty text for what is not known; an answer, nothing. */
static const char *nonempty(const char *text)
{
	return text[0] ? text : NULL;
}

static const struct answer_column identity_columns[] = {
	{ "port", "port", CELL_TEXT, false, false },
	{ "alias", "alias", CELL_TEXT, false, false },
	{ "description", "description", CELL_TEXT, false, false },
	{ "oper_status", "link", CELL_TEXT, false, false },
	{ "admin_up", "enabled", CELL_BOOL, false, false },
	{ "down_reason", "down because", CELL_TEXT, false, false },
	{ "speed", "speed", CELL_MBPS, false, false },
	{ "media", "media", CELL_TEXT, false, false },
	{ "lanes", "lanes", CELL_INTEGER, false, false },
	{ "peer_switch", "peer", CELL_TEXT, false, false },
	{ "peer_port", "peer's port", CELL_TEXT, false, false },
	{ "group", "shares a component in", CELL_TEXT, false, false },
	{ "role", "role", CELL_TEXT, false, false },
	{ "flaps_24h", "flaps in 24 h", CELL_INTEGER, false, false },
	{ "entity", "", CELL_UNSIGNED, false, true },
	{ "asic", "", CELL_TEXT, false, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_port = { "port", identity_columns, true };

/* Who the port is, and what is at its other end. */
static void identity_table(const struct look *l)
{
	const struct port_facts *f = &l->facts;

	answer_shaped(l->a, &shape_port);
	answer_row(l->a);
	answer_text(l->a, f->name);
	look_attribute(l, l->port, ATTRIBUTE_ALIAS);
	look_attribute(l, l->port, ATTRIBUTE_DESCRIPTION);
	look_word(l, Q_OPER_STATUS, cells_oper_word);
	look_cell(l, l->port, Q_ADMIN_STATUS, 0);
	if (port_is_up(l))	/* a reason from before is none now */
		answer_absent(l->a);
	else
		look_word(l, Q_DOWN_REASON, cells_down_reason_word);
	look_cell(l, l->port, Q_SPEED_MBPS, 0);
	answer_text(l->a, nonempty(f->media));
	if (f->lanes)
		answer_integer(l->a, f->lanes);
	else
		answer_absent(l->a);
	answer_text(l->a, nonempty(f->peer_switch));
	answer_text(l->a, nonempty(f->peer_port));
	answer_text(l->a, nonempty(f->group));
	look_attribute(l, l->port, ATTRIBUTE_ROLE);
	answer_integer(l->a, l->view.flaps_24h);
	answer_integer(l->a, l->port);
	answer_text(l->a, context_asic(l->ctx, l->port));
}

static const struct answer_column module_columns[] = {
	{ "vendor", "module", CELL_TEXT, false, false },
	{ "part", "part", CELL_TEXT, false, false },
	{ "revision", "revision", CELL_TEXT, false, true },
	{ "serial", "serial", CELL_TEXT, false, false },
	{ "firmware", "firmware", CELL_TEXT, false, false },
	{ "form_factor", "form factor", CELL_TEXT, false, false },
	{ "cable_length_m", "cable length m", CELL_TEXT, false, false },
	{ "temp", "temperature", CELL_MC, false, false },
	{ "temp_high_warn", "warns above", CELL_MC, false, false },
	{ "vcc", "supply", CELL_UV, false, false },
	{ "cage", "", CELL_TEXT, false, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_port_module = {
	"module", module_columns, true
};

/* The module in its cage, if there is one. */
static void module_table(const struct look *l)
{
	const struct port_thresholds *t = &l->facts.thresholds;

	if (l->module == ENTITY_NONE)
		return;
	answer_shaped(l->a, &shape_port_module);
	answer_row(l->a);
	look_attribute(l, l->module, ATTRIBUTE_VENDOR);
	look_attribute(l, l->module, ATTRIBUTE_PART);
	look_attribute(l, l->module, ATTRIBUTE_REVISION);
	look_attribute(l, l->module, ATTRIBUTE_SERIAL);
	look_attribute(l, l->module, ATTRIBUTE_FIRMWARE);
	look_attribute(l, l->module, ATTRIBUTE_FORM_FACTOR);
	look_attribute(l, l->module, ATTRIBUTE_CABLE_LENGTH);
	look_cell(l, l->module, Q_MODULE_TEMP_MC, 0);
	if (t->known)
		answer_integer(l->a, t->temp_mc[HIGH_WARN]);
	else
		answer_absent(l->a);
	look_cell(l, l->module, Q_MODULE_VCC_UV, 0);
	look_attribute(l, l->port, ATTRIBUTE_MODULE);
}

static const struct answer_column lane_columns[] = {
	{ "lane", "LANE", CELL_INTEGER, true, false },
	{ "rx", "RX dBm", CELL_PW, true, false },
	{ "rx_headroom", "HEADROOM dB", CELL_MDB, true, false },
	{ "tx", "TX dBm", CELL_PW, true, false },
	{ "tx_headroom", "HEADROOM dB", CELL_MDB, true, false },
	{ "bias", "BIAS mA", CELL_UA, true, false },
	{ "pre_fec_ber", "BER", CELL_E18, true, false },
	{ "snr", "SNR dB", CELL_MDB, true, false },
	{ "rx_los", "", CELL_BOOL, false, true },
	{ "tx_fault", "", CELL_BOOL, false, true },
	{ "age", "AGE", CELL_AGE_NS, true, false },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_port_lanes = { "lanes", lane_columns, false };

/* Lanes are numbered as on the port, from 1. */
static void lane_row(const struct look *l, unsigned n)
{
	uint32_t lane = state_port_lane(l->ctx->state, l->port, n);
	struct state_value v;

	answer_row(l->a);
	answer_integer(l->a, n + 1);
	look_cell(l, lane, Q_LANE_RX_POWER_PW, 0);
	headroom_cell(l->ctx, l->a, lane, Q_LANE_RX_POWER_PW, l->module,
		      Q_MODULE_RX_POWER_THRESHOLD_PW);
	look_cell(l, lane, Q_LANE_TX_POWER_PW, 0);
	headroom_cell(l->ctx, l->a, lane, Q_LANE_TX_POWER_PW, l->module,
		      Q_MODULE_TX_POWER_THRESHOLD_PW);
	look_cell(l, lane, Q_LANE_TX_BIAS_UA, 0);
	look_cell(l, lane, Q_LANE_PRE_FEC_BER_E18, 0);
	look_cell(l, lane, Q_LANE_SNR_MDB, 0);
	look_cell(l, lane, Q_LANE_RX_LOS, 0);
	look_cell(l, lane, Q_LANE_TX_FAULT, 0);
	if (lane != ENTITY_NONE &&
	    state_value(l->ctx->state, lane, Q_LANE_RX_POWER_PW, 0, &v))
		answer_integer(l->a, mono_diff_ns(l->now, v.age.taken));
	else
		answer_absent(l->a);
}

/* Nothing where the module tells nothing of its lanes: copper. */
static void lanes_table(const struct look *l)
{
	if (l->module == ENTITY_NONE ||
	    state_port_lane(l->ctx->state, l->port, 0) == ENTITY_NONE)
		return;
	answer_shaped(l->a, &shape_port_lanes);
	for (unsigned i = 0; i < PORT_LANES_MAX; i++)
		if (state_port_lane(l->ctx->state, l->port, i) != ENTITY_NONE)
			lane_row(l, i);
}

static const struct answer_column fec_columns[] = {
	{ "fec", "FEC", CELL_TEXT, false, false },
	{ "pre_fec_ber", "BER before FEC", CELL_E18, false, false },
	{ "margin", "margin to the cliff", CELL_MDB, false, false },
	{ "uncorrectable", "uncorrectable codewords", CELL_UNSIGNED, false,
	  false },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_port_fec = { "fec", fec_columns, true };

static void fec_table(const struct look *l)
{
	struct cells c = { .ctx = l->ctx, .a = l->a, .now = l->now };

	answer_shaped(l->a, &shape_port_fec);
	cells_row(&c);
	look_word(l, Q_FEC_MODE, cells_fec_word);
	cells_ber(&c, l->port, &l->view);
	cells_margin(&c, l->port, &l->view);
	look_cell(l, l->port, Q_FEC_UNCORRECTABLE_CODEWORDS, 0);
}

static const struct answer_column history_columns[] = {
	{ "window", "over the last", CELL_AGE_NS, false, false },
	{ "pre_fec_ber_max", "highest BER", CELL_E18, false, false },
	{ "in_util_max", "highest load in", CELL_PPM, false, false },
	{ "out_util_max", "highest load out", CELL_PPM, false, false },
	{ "rx_min", "lowest Rx", CELL_PW, false, false },
	{ "temp_max", "highest temperature", CELL_MC, false, false },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_port_history = {
	"history", history_columns, true
};

/* Highest (or lowest) of the newest values; false when none is there. */
static bool history_edge(const struct look *l, size_t port,
			 enum series_kind kind, bool lowest, int32_t *ret)
{
	int32_t value[HISTORY_VALUES];
	struct mono first;
	size_t n = series_get(l->ctx->series, port, kind, value,
			      HISTORY_VALUES, &first);
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (value[i] == SERIES_ABSENT ||
		    (any && (lowest ? value[i] >= *ret : value[i] <= *ret)))
			continue;
		*ret = value[i];
		any = true;
	}
	return any;
}

/* unit: from the history's short number to the unit of the column. */
static void history_cell(const struct look *l, size_t port,
			 enum series_kind kind, bool lowest,
			 int64_t (*unit)(int32_t))
{
	int32_t edge;

	if (history_edge(l, port, kind, lowest, &edge))
		answer_integer(l->a, unit(edge));
	else
		answer_absent(l->a);
}

static int64_t unit_same(int32_t value)
{
	return value;
}

static int64_t unit_ber(int32_t log10_milli)
{
	return llround(pow(10, log10_milli / 1000.0 + 18));
}

static int64_t unit_pw(int32_t mdbm)
{
	return llround(pow(10, mdbm / 10000.0 + 9));
}

/* The extremes of what the local history holds; none without one. */
static void history_table(const struct look *l)
{
	int32_t value[HISTORY_VALUES];
	struct mono first;
	uint32_t port;

	if (!l->ctx->series || !l->ctx->port_number ||
	    !l->ctx->port_number(l->ctx->core, l->port, &port) ||
	    series_get(l->ctx->series, port, SERIES_IN_PPM, value,
		       HISTORY_VALUES, &first) == 0)
		return;
	answer_shaped(l->a, &shape_port_history);
	answer_row(l->a);
	answer_integer(l->a, mono_diff_ns(l->now, first));
	history_cell(l, port, SERIES_BER_LOG10_MILLI, false, unit_ber);
	history_cell(l, port, SERIES_IN_PPM, false, unit_same);
	history_cell(l, port, SERIES_OUT_PPM, false, unit_same);
	history_cell(l, port, SERIES_RX_MIN_MDBM, true, unit_pw);
	history_cell(l, port, SERIES_TEMP_MC, false, unit_same);
}

static const struct answer_column counter_columns[] = {
	{ "name", "COUNTER", CELL_TEXT, false, false },
	{ "value", "VALUE", CELL_UNSIGNED, true, false },
	{ "rate_per_s", "A SECOND", CELL_INTEGER, true, false },
	{ "age", "AGE", CELL_AGE_NS, true, false },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_port_counters = {
	"counters", counter_columns, false
};

/* A counter with its rate and age; at 0 it is for JSON only. */
static void counter_row(const struct look *l, uint32_t entity,
			const char *name, const struct quantity_info *info,
			unsigned index)
{
	enum quantity q = (enum quantity)info->id;
	struct state_value v;
	struct state_rate rate;

	if (!state_value(l->ctx->state, entity, q, index, &v))
		return;
	answer_row(l->a);
	if (v.value == 0)
		answer_row_json_only(l->a);
	answer_text(l->a, name);
	answer_integer(l->a, v.value);
	if (info->kind == KIND_COUNTER &&
	    state_rate(l->ctx->state, entity, q, index, &rate))
		answer_integer(l->a, llround(rate.per_s));
	else
		answer_absent(l->a);
	answer_integer(l->a, mono_diff_ns(l->now, v.age.taken));
}

/* All indexes of one quantity; number: which queue or priority it is of. */
static void quantity_rows(const struct look *l, const struct quantity_info *q,
			  uint32_t entity, unsigned number)
{
	char name[80];
	bool is_port = q->scope == ENTITY_PORT;
	unsigned indexes = is_port ? INDEX_MAX : 1;

	for (unsigned i = 0; i < indexes; i++) {
		if (is_port && !quantity_is_indexed(q))
			(void)snprintf(name, sizeof(name), "%s", q->name);
		else
			(void)snprintf(name, sizeof(name), "%s[%u]", q->name,
				       is_port ? i : number);
		counter_row(l, entity, name, q, i);
	}
}

/* All counters of one kind of entity below the port, or of the port. */
static void counters_of(const struct look *l, enum entity_kind kind)
{
	size_t n;
	const struct quantity_info *table = quantity_table(&n);
	unsigned children = kind == ENTITY_PORT ? 1 : QUEUES_MAX;

	for (size_t i = 0; i < n; i++) {
		if (table[i].scope != kind || (table[i].kind != KIND_COUNTER &&
					       table[i].kind != KIND_PEAK))
			continue;
		for (unsigned c = 0; c < children; c++) {
			uint32_t entity = kind == ENTITY_PORT ? l->port :
				state_child(l->ctx->state, l->port, kind, c);

			if (entity != ENTITY_NONE)
				quantity_rows(l, &table[i], entity, c);
		}
	}
}

static void counters_table(const struct look *l)
{
	answer_shaped(l->a, &shape_port_counters);
	counters_of(l, ENTITY_PORT);
	counters_of(l, ENTITY_PRIORITY);
	counters_of(l, ENTITY_QUEUE);
	counters_of(l, ENTITY_PRIORITY_GROUP);
	answer_note(l->a, "Counters at 0 are left out here; --json has them.");
}

/* The open ones that this port is part of. */
static void port_findings(const struct look *l)
{
	const struct finding *open[CONTEXT_FINDINGS_MAX];
	size_t n = context_findings(l->ctx, open);

	for (size_t i = 0; i < n; i++)
		if (context_is_part(l->ctx, open[i], l->port, l->facts.name))
			answer_finding(l->a, open[i]);
}

int verbs_port(void *context, struct query_client *client,
	       const Petrel__Request *request, struct answer *a)
{
	const struct query_context *ctx = context;
	struct look l = { .ctx = ctx, .a = a };

	(void)client;
	l.now = context_begin(ctx, a).mono;
	if (request->n_args != 1)
		return answer_error(a, EXIT_USAGE, "port wants one name");
	l.port = choice_port(ctx, request->args[0]);
	if (l.port == ENTITY_NONE)
		return choice_unknown(ctx, a, request->args[0]);
	l.module = state_port_module(ctx->state, l.port);
	reading_facts(ctx->state, l.port, &l.facts);
	context_view(ctx, l.port, &l.view);
	identity_table(&l);
	module_table(&l);
	fec_table(&l);
	lanes_table(&l);
	history_table(&l);
	counters_table(&l);
	port_findings(&l);
	watched_port(ctx, a, l.port);
	return EXIT_ANSWERED;
}
