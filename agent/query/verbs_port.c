/* Everything about one port. */
#include "agent/query/verbs.h"

#include <math.h>
#include <stdio.h>

#include "agent/state/series.h"
#include "agent/state/state.h"

#define INDEX_MAX 32		/* for a port's counters: bins, sizes, lanes */
#define QUEUES_MAX 20
#define HISTORY_VALUES 900

const struct answer_shape shape_port = {
	"port", .single = true, .rows = rows_single, .columns = {
	{ "port", "port", CELL_TEXT, AT(port, name) },
	{ "alias", "alias", CELL_TEXT, ATTRIBUTE_ALIAS },
	{ "description", "description", CELL_TEXT, ATTRIBUTE_DESCRIPTION },
	{ "oper_status", "link", CELL_TEXT, Q_OPER_STATUS, column_word },
	{ "admin_up", "enabled", CELL_BOOL, Q_ADMIN_STATUS },
	{ "down_reason", "down because", CELL_TEXT,
	  .from = column_down_reason },
	{ "speed", "speed", CELL_MBPS, Q_SPEED_MBPS },
	{ "media", "media", CELL_TEXT, AT(port, media) },
	{ "lanes", "lanes", CELL_INTEGER, AT(port, lanes) },
	{ "peer_switch", "peer", CELL_TEXT, AT(port, peer_switch) },
	{ "peer_port", "peer's port", CELL_TEXT, AT(port, peer_port) },
	{ "group", "shared group", CELL_TEXT, AT(port, group) },
	{ "role", "role", CELL_TEXT, ATTRIBUTE_ROLE },
	{ "flaps_24h", "flaps in 24 h", CELL_INTEGER, AT(port, flaps_24h) },
	{ "entity", "", CELL_UNSIGNED, .from = column_id },
	{ "asic", "", CELL_TEXT, .from = column_asic },
	{ .key = NULL },
} };

struct port_lane_row {
	int64_t number;		/* as on the port, from 1 */
	struct mono rx_taken;	/* the received light; ns 0: never */
};

/* No rows if the module reports nothing of its lanes: copper. */
static void rows_port_lanes(struct query *q)
{
	uint32_t port = q->of[OF_PORT];
	struct state_value v;

	if (q->of[OF_MODULE] == ENTITY_NONE ||
	    state_port_lane(q->ctx->state, port, 0) == ENTITY_NONE)
		return;
	answer_table(q->a, q->shape);
	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		q->of[OF_ROW] = state_port_lane(q->ctx->state, port, i);
		if (q->of[OF_ROW] == ENTITY_NONE)
			continue;
		if (!state_value(q->ctx->state, q->of[OF_ROW],
				 Q_LANE_RX_POWER_PW, 0, &v))
			v.age.taken.ns = 0;
		cells_members(q, &(struct port_lane_row){ i + 1,
							  v.age.taken });
	}
	q->of[OF_ROW] = port;
}

const struct answer_shape shape_port_lanes = {
	"lanes", .rows = rows_port_lanes, .columns = {
	{ "lane", "LANE", CELL_INTEGER, AT(port_lane, number) },
	{ "rx", "RX dBm", CELL_PW, Q_LANE_RX_POWER_PW },
	{ "rx_headroom", "HEADROOM dB", CELL_MDB, Q_LANE_RX_POWER_PW,
	  column_headroom },
	{ "tx", "TX dBm", CELL_PW, Q_LANE_TX_POWER_PW },
	{ "tx_headroom", "HEADROOM dB", CELL_MDB, Q_LANE_TX_POWER_PW,
	  column_headroom },
	{ "bias", "BIAS mA", CELL_UA, Q_LANE_TX_BIAS_UA },
	{ "pre_fec_ber", "BER", CELL_E18, Q_LANE_PRE_FEC_BER_E18 },
	{ "snr", "SNR dB", CELL_MDB, Q_LANE_SNR_MDB },
	{ "rx_los", "", CELL_BOOL, Q_LANE_RX_LOS },
	{ "tx_fault", "", CELL_BOOL, Q_LANE_TX_FAULT },
	{ "age", "AGE", CELL_AGE_NS, AT(port_lane, rx_taken), member_age },
	{ .key = NULL },
} };

const struct answer_shape shape_port_fec = {
	"fec", .single = true, .rows = rows_single, .columns = {
	{ "fec", "FEC", CELL_TEXT, Q_FEC_MODE, column_word, OF_PORT },
	{ "pre_fec_ber", "BER before FEC", CELL_E18, .from = column_ber },
	{ "margin", "margin to the cliff", CELL_MDB, .from = column_margin },
	{ "uncorrectable", "uncorrectable codewords", CELL_UNSIGNED,
	  Q_FEC_UNCORRECTABLE_CODEWORDS, .of = OF_PORT },
	{ .key = NULL },
} };

/* Highest (or lowest) of the newest values; false if there are none. */
static bool history_edge(const struct query *q, size_t port,
			 enum series_kind kind, bool lowest, int32_t *ret)
{
	int32_t value[HISTORY_VALUES];
	struct mono first;
	size_t n = series_get(q->ctx->series, port, kind, value,
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

/* The history has log10 of power or ratio, in this many parts of a decade; the
 * column's unit is this many decades below one.
 */
static const struct extreme {
	enum series_kind kind;
	bool lowest;
	double parts, decades;		/* 0: not a logarithm */
} extremes[] = {
	{ SERIES_BER_LOG10_MILLI, false, 1000, 18 },
	{ SERIES_IN_PPM, false, 0, 0 },
	{ SERIES_OUT_PPM, false, 0, 0 },
	{ SERIES_RX_MIN_MDBM, true, 10000, 9 },
	{ SERIES_TEMP_MC, false, 0, 0 },
};

/* The extremes in the local history; none without one. */
static void rows_history(struct query *q)
{
	int32_t value[HISTORY_VALUES], edge = 0;
	struct mono first;
	uint32_t port;

	if (!q->ctx->series || !q->ctx->port_number ||
	    !q->ctx->port_number(q->ctx->core, q->of[OF_PORT], &port) ||
	    series_get(q->ctx->series, port, SERIES_IN_PPM, value,
		       HISTORY_VALUES, &first) == 0)
		return;
	answer_table(q->a, q->shape);
	answer_row(q->a);
	answer_integer(q->a, mono_diff_ns(q->now.mono, first));
	for (const struct extreme *e = extremes;
	     e < extremes + sizeof(extremes) / sizeof(extremes[0]); e++) {
		bool is_known = history_edge(q, port, e->kind, e->lowest,
					     &edge);

		answer_known(q->a, is_known, e->parts == 0 ? edge :
			     llround(pow(10, edge / e->parts + e->decades)));
	}
}

const struct answer_shape shape_port_history = {
	"history", .single = true, .rows = rows_history, .columns = {
	{ "window", "over the last", CELL_AGE_NS },
	{ "pre_fec_ber_max", "highest BER", CELL_E18 },
	{ "in_util_max", "highest load in", CELL_PPM },
	{ "out_util_max", "highest load out", CELL_PPM },
	{ "rx_min", "lowest Rx", CELL_PW },
	{ "temp_max", "highest temperature", CELL_MC },
	{ .key = NULL },
} };

/* A counter with its rate and age; only for JSON if it is 0. */
static void counter_row(struct query *q, uint32_t entity, const char *name,
			const struct quantity_info *info, unsigned index)
{
	enum quantity quantity = (enum quantity)info->id;
	struct state_rate rate = { .per_s = 0 };
	struct state_value v;
	bool has_rate;

	if (!state_value(q->ctx->state, entity, quantity, index, &v))
		return;
	has_rate = info->kind == KIND_COUNTER &&
		   state_rate(q->ctx->state, entity, quantity, index, &rate);
	answer_row(q->a);
	if (v.value == 0)
		answer_row_json_only(q->a);
	answer_text(q->a, name);
	answer_integer(q->a, v.value);
	answer_known(q->a, has_rate, llround(rate.per_s));
	answer_integer(q->a, mono_diff_ns(q->now.mono, v.age.taken));
}

/* All indexes of one quantity; number: of its queue or priority. */
static void quantity_rows(struct query *q, const struct quantity_info *info,
			  uint32_t entity, unsigned number)
{
	char name[80];
	bool is_port = info->scope == ENTITY_PORT;
	unsigned indexes = is_port ? INDEX_MAX : 1;

	for (unsigned i = 0; i < indexes; i++) {
		if (is_port && !quantity_is_indexed(info))
			(void)snprintf(name, sizeof(name), "%s", info->name);
		else
			(void)snprintf(name, sizeof(name), "%s[%u]",
				       info->name, is_port ? i : number);
		counter_row(q, entity, name, info, i);
	}
}

/* All counters of the port, or of one kind of entity below it. */
static void counters_of(struct query *q, enum entity_kind kind)
{
	size_t n;
	const struct quantity_info *table = quantity_table(&n);
	unsigned children = kind == ENTITY_PORT ? 1 : QUEUES_MAX;
	uint32_t port = q->of[OF_PORT];

	for (size_t i = 0; i < n; i++) {
		if (table[i].scope != kind || (table[i].kind != KIND_COUNTER &&
					       table[i].kind != KIND_PEAK))
			continue;
		for (unsigned c = 0; c < children; c++) {
			uint32_t entity = kind == ENTITY_PORT ? port :
				state_child(q->ctx->state, port, kind, c);

			if (entity != ENTITY_NONE)
				quantity_rows(q, &table[i], entity, c);
		}
	}
}

static void rows_counters(struct query *q)
{
	answer_table(q->a, q->shape);
	counters_of(q, ENTITY_PORT);
	counters_of(q, ENTITY_PRIORITY);
	counters_of(q, ENTITY_QUEUE);
	counters_of(q, ENTITY_PRIORITY_GROUP);
	answer_note(q->a, "Counters at 0 are left out here; --json has them.");
}

const struct answer_shape shape_port_counters = {
	"counters", .rows = rows_counters, .columns = {
	{ "name", "COUNTER", CELL_TEXT },
	{ "value", "VALUE", CELL_UNSIGNED },
	{ "rate_per_s", "A SECOND", CELL_INTEGER },
	{ "age", "AGE", CELL_AGE_NS },
	{ .key = NULL },
} };

/* The module in its cage, if there is one. */
static void rows_port_module(struct query *q)
{
	if (q->of[OF_MODULE] != ENTITY_NONE)
		rows_single(q);
}

const struct answer_shape shape_port_module = {
	"module", .single = true, .rows = rows_port_module, .columns = {
	{ "vendor", "module", CELL_TEXT, ATTRIBUTE_VENDOR, .of = OF_MODULE },
	{ "part", "part", CELL_TEXT, ATTRIBUTE_PART, .of = OF_MODULE },
	{ "revision", "revision", CELL_TEXT, ATTRIBUTE_REVISION,
	  .of = OF_MODULE, .wide = true },
	{ "serial", "serial", CELL_TEXT, ATTRIBUTE_SERIAL, .of = OF_MODULE },
	{ "firmware", "firmware", CELL_TEXT, ATTRIBUTE_FIRMWARE,
	  .of = OF_MODULE },
	{ "form_factor", "form factor", CELL_TEXT, ATTRIBUTE_FORM_FACTOR,
	  .of = OF_MODULE },
	{ "cable_length_m", "cable length m", CELL_TEXT, ATTRIBUTE_CABLE_LENGTH,
	  .of = OF_MODULE },
	{ "temp", "temperature", CELL_MC, Q_MODULE_TEMP_MC, .of = OF_MODULE },
	{ "temp_high_warn", "warns above", CELL_MC,
	  AT(port, temp_high_warn_mc) },
	{ "vcc", "supply", CELL_UV, Q_MODULE_VCC_UV, .of = OF_MODULE },
	{ "cage", "", CELL_TEXT, ATTRIBUTE_MODULE, .of = OF_PORT },
	{ .key = NULL },
} };

int verbs_port(struct query *q)
{
	const struct finding *open[QUERY_FINDINGS_MAX];
	size_t n = query_findings(q->ctx, open);
	struct port_row row;
	uint32_t port;

	if (q->request->n_args != 1)
		return answer_error(q->a, EXIT_USAGE, "port takes one name");
	port = choice_port(q->ctx, q->request->args[0]);
	if (port == ENTITY_NONE)
		return choice_unknown(q, q->request->args[0]);
	cells_port(q, port, &row);
	for (size_t i = 0; i < n; i++)	/* findings that the port is part of */
		if (query_is_part(q->ctx, open[i], port, row.name))
			answer_finding(q->a, open[i]);
	return verb_tables(q);
}
