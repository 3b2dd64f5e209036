/* Everything about one port. */
#include "agent/query/verbs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/query/answer.h"
#include "agent/query/cells.h"
#include "agent/query/choice.h"
#include "agent/query/shapes.h"
#include "agent/query/watched.h"
#include "agent/signature/engine.h"
#include "agent/state/series.h"
#include "agent/state/port_reading.h"
#include "agent/state/state.h"

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

/* The number that other answers and records refer to. */
static void entity_column(struct cells *c, const struct answer_column *col)
{
	answer_integer(c->a, c->of[col->of]);
}

/* The same that detectors go by. */
static void group_column(struct cells *c, const struct answer_column *col)
{
	(void)col;
	answer_text(c->a, c->facts->group[0] ? c->facts->group : NULL);
}

static const struct answer_column identity_columns[] = {
	{ "port", "port", CELL_TEXT, false, false, column_port },
	{ "alias", "alias", CELL_TEXT, false, false, column_attribute, OF_PORT,
	  ATTRIBUTE_ALIAS },
	{ "description", "description", CELL_TEXT, false, false,
	  column_attribute, OF_PORT, ATTRIBUTE_DESCRIPTION },
	{ "oper_status", "link", CELL_TEXT, false, false, column_word, OF_PORT,
	  Q_OPER_STATUS },
	{ "admin_up", "enabled", CELL_BOOL, false, false, column_value,
	  OF_PORT, Q_ADMIN_STATUS },
	{ "down_reason", "down because", CELL_TEXT, false, false,
	  column_down_reason },
	{ "speed", "speed", CELL_MBPS, false, false, column_value, OF_PORT,
	  Q_SPEED_MBPS },
	{ "media", "media", CELL_TEXT, false, false, column_media },
	{ "lanes", "lanes", CELL_INTEGER, false, false, column_lanes },
	{ "peer_switch", "peer", CELL_TEXT, false, false, column_peer_switch },
	{ "peer_port", "peer's port", CELL_TEXT, false, false,
	  column_peer_port },
	{ "group", "shared group", CELL_TEXT, false, false,
	  group_column },
	{ "role", "role", CELL_TEXT, false, false, column_attribute, OF_PORT,
	  ATTRIBUTE_ROLE },
	{ "flaps_24h", "flaps in 24 h", CELL_INTEGER, false, false,
	  column_flaps },
	{ "entity", "", CELL_UNSIGNED, false, true, entity_column, OF_PORT },
	{ "asic", "", CELL_TEXT, false, true, column_asic, OF_PORT },
	{ .key = NULL },
};
const struct answer_shape shape_port = { "port", identity_columns, true };

static void high_warning_column(struct cells *c,
				const struct answer_column *col)
{
	const struct port_thresholds *t = &c->facts->thresholds;

	(void)col;
	cells_known(c, t->known, t->temp_mc[HIGH_WARN]);
}

/* The module in its cage, if there is one. */
static const struct answer_column module_columns[] = {
	{ "vendor", "module", CELL_TEXT, false, false, column_attribute,
	  OF_MODULE, ATTRIBUTE_VENDOR },
	{ "part", "part", CELL_TEXT, false, false, column_attribute, OF_MODULE,
	  ATTRIBUTE_PART },
	{ "revision", "revision", CELL_TEXT, false, true, column_attribute,
	  OF_MODULE, ATTRIBUTE_REVISION },
	{ "serial", "serial", CELL_TEXT, false, false, column_attribute,
	  OF_MODULE, ATTRIBUTE_SERIAL },
	{ "firmware", "firmware", CELL_TEXT, false, false, column_attribute,
	  OF_MODULE, ATTRIBUTE_FIRMWARE },
	{ "form_factor", "form factor", CELL_TEXT, false, false,
	  column_attribute, OF_MODULE, ATTRIBUTE_FORM_FACTOR },
	{ "cable_length_m", "cable length m", CELL_TEXT, false, false,
	  column_attribute, OF_MODULE, ATTRIBUTE_CABLE_LENGTH },
	{ "temp", "temperature", CELL_MC, false, false, column_value,
	  OF_MODULE, Q_MODULE_TEMP_MC },
	{ "temp_high_warn", "warns above", CELL_MC, false, false,
	  high_warning_column },
	{ "vcc", "supply", CELL_UV, false, false, column_value, OF_MODULE,
	  Q_MODULE_VCC_UV },
	{ "cage", "", CELL_TEXT, false, true, column_attribute, OF_PORT,
	  ATTRIBUTE_MODULE },
	{ .key = NULL },
};
const struct answer_shape shape_port_module = {
	"module", module_columns, true
};

/* Lanes are numbered as on the port, from 1. */
static void lane_number_column(struct cells *c, const struct answer_column *col)
{
	const unsigned *n = c->own;

	(void)col;
	answer_integer(c->a, *n + 1);
}

/* Of the light that comes in. */
static void lane_age_column(struct cells *c, const struct answer_column *col)
{
	struct state_value v = { .value = 0 };
	bool is_known = state_value(c->ctx->state, c->of[OF_ROW],
				    (enum quantity)col->what, 0, &v);

	cells_known(c, is_known, mono_diff_ns(c->now, v.age.taken));
}

static const struct answer_column lane_columns[] = {
	{ "lane", "LANE", CELL_INTEGER, true, false, lane_number_column },
	{ "rx", "RX dBm", CELL_PW, true, false, column_value, OF_ROW,
	  Q_LANE_RX_POWER_PW },
	{ "rx_headroom", "HEADROOM dB", CELL_MDB, true, false, column_headroom,
	  OF_ROW, Q_LANE_RX_POWER_PW },
	{ "tx", "TX dBm", CELL_PW, true, false, column_value, OF_ROW,
	  Q_LANE_TX_POWER_PW },
	{ "tx_headroom", "HEADROOM dB", CELL_MDB, true, false, column_headroom,
	  OF_ROW, Q_LANE_TX_POWER_PW },
	{ "bias", "BIAS mA", CELL_UA, true, false, column_value, OF_ROW,
	  Q_LANE_TX_BIAS_UA },
	{ "pre_fec_ber", "BER", CELL_E18, true, false, column_value, OF_ROW,
	  Q_LANE_PRE_FEC_BER_E18 },
	{ "snr", "SNR dB", CELL_MDB, true, false, column_value, OF_ROW,
	  Q_LANE_SNR_MDB },
	{ "rx_los", "", CELL_BOOL, false, true, column_value, OF_ROW,
	  Q_LANE_RX_LOS },
	{ "tx_fault", "", CELL_BOOL, false, true, column_value, OF_ROW,
	  Q_LANE_TX_FAULT },
	{ "age", "AGE", CELL_AGE_NS, true, false, lane_age_column, OF_ROW,
	  Q_LANE_RX_POWER_PW },
	{ .key = NULL },
};
const struct answer_shape shape_port_lanes = { "lanes", lane_columns, false };

/* Nothing where the module tells nothing of its lanes: copper. */
static void lanes_table(struct cells *c)
{
	if (c->of[OF_MODULE] == ENTITY_NONE ||
	    state_port_lane(c->ctx->state, c->of[OF_PORT], 0) == ENTITY_NONE)
		return;
	answer_shaped(c->a, &shape_port_lanes);
	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		c->of[OF_ROW] = state_port_lane(c->ctx->state, c->of[OF_PORT],
						i);
		c->own = &i;
		if (c->of[OF_ROW] != ENTITY_NONE)
			cells_fill(c, lane_columns);
	}
	c->own = NULL;
}

static const struct answer_column fec_columns[] = {
	{ "fec", "FEC", CELL_TEXT, false, false, column_word, OF_PORT,
	  Q_FEC_MODE },
	{ "pre_fec_ber", "BER before FEC", CELL_E18, false, false, column_ber },
	{ "margin", "margin to the cliff", CELL_MDB, false, false,
	  column_margin },
	{ "uncorrectable", "uncorrectable codewords", CELL_UNSIGNED, false,
	  false, column_value, OF_PORT, Q_FEC_UNCORRECTABLE_CODEWORDS },
	{ .key = NULL },
};
const struct answer_shape shape_port_fec = { "fec", fec_columns, true };

/* A table of one row. */
static void single_table(struct cells *c, const struct answer_shape *shape)
{
	answer_shaped(c->a, shape);
	cells_fill(c, shape->columns);
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
	struct cells c;

	(void)client;
	l.now = context_begin(ctx, a).mono;
	if (request->n_args != 1)
		return answer_error(a, EXIT_USAGE, "port wants one name");
	l.port = choice_port(ctx, request->args[0]);
	if (l.port == ENTITY_NONE)
		return choice_unknown(ctx, a, request->args[0]);
	l.module = state_port_module(ctx->state, l.port);
	port_reading_facts(ctx->state, l.port, &l.facts);
	context_view(ctx, l.port, &l.view);
	c = (struct cells){ .ctx = ctx, .a = a, .now = l.now,
			    .of = { l.port, l.port, l.module },
			    .facts = &l.facts, .view = &l.view };
	single_table(&c, &shape_port);
	if (l.module != ENTITY_NONE)
		single_table(&c, &shape_port_module);
	single_table(&c, &shape_port_fec);
	lanes_table(&c);
	history_table(&l);
	counters_table(&l);
	port_findings(&l);
	watched_port(ctx, a, l.port);
	return EXIT_ANSWERED;
}
