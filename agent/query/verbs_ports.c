/* The table of all ports: one row each, in the order of their names. */
#include "agent/query/verbs.h"

#include "agent/query/answer.h"
#include "agent/query/cells.h"
#include "agent/query/choice.h"
#include "agent/query/order.h"
#include "agent/query/shapes.h"
#include "agent/signature/engine.h"
#include "agent/state/port_reading.h"
#include "agent/state/state.h"

static const enum quantity drops[] = { Q_IF_IN_DISCARDS, Q_IF_OUT_DISCARDS,
				       0 };

/* The busier direction; both are in the JSON. */
static void util_column(struct cells *c, const struct answer_column *col)
{
	struct state_rate in = { .per_s = -1 }, out = { .per_s = -1 };
	double scale = cells_load_scale(c);
	bool is_known = cells_rate_of(c, c->of[OF_PORT], Q_IF_IN_OCTETS, &in);

	(void)col;
	is_known |= cells_rate_of(c, c->of[OF_PORT], Q_IF_OUT_OCTETS, &out);
	cells_rate_cell(c, is_known && scale > 0,
			in.per_s > out.per_s ? &in : &out, scale);
}

/* The darkest lane, with its age. */
static void rx_min_column(struct cells *c, const struct answer_column *col)
{
	struct state_value v, min = { .value = INT64_MAX };

	(void)col;
	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		uint32_t lane = state_port_lane(c->ctx->state, c->of[OF_PORT],
						i);

		if (lane != ENTITY_NONE &&
		    state_value(c->ctx->state, lane, Q_LANE_RX_POWER_PW, 0,
				&v) && v.value < min.value)
			min = v;
	}
	cells_known(c, min.value != INT64_MAX, min.value);
	if (min.value == INT64_MAX)
		return;
	answer_age(c->a, mono_diff_ns(c->now, min.age.taken), min.quality);
	cells_seen(c, min.age.taken);
}

static unsigned worst_of(const struct cells *c)
{
	return context_worst(c->ctx, c->of[OF_PORT], c->facts->name);
}

/* One letter, so that it needs no colour; the word is in the JSON. */
static void mark_column(struct cells *c, const struct answer_column *col)
{
	static const char *const marks[SEVERITY_COUNT] = {
		NULL, "w", "W", "C",
	};

	(void)col;
	answer_text(c->a, marks[worst_of(c)]);
}

static void worst_column(struct cells *c, const struct answer_column *col)
{
	unsigned worst = worst_of(c);

	(void)col;
	answer_text(c->a, worst ? severity_name(worst) : NULL);
}

static const struct answer_column port_columns[] = {
	{ "port", "PORT", CELL_TEXT, false, false, column_port },
	{ "st", "ST", CELL_TEXT, false, false, column_link },
	{ "speed", "SPEED", CELL_MBPS, true, false, column_speed },
	{ "media", "MEDIA", CELL_TEXT, false, false, column_media },
	{ "peer", "PEER", CELL_PEER, false, false, column_peer },
	{ "util", "UTIL%", CELL_PPM, true, false, util_column },
	{ "margin", "MARGIN", CELL_MDB, true, false, column_margin },
	{ "pre_fec_ber", "BER", CELL_E18, true, false, column_ber },
	{ "rx_min", "RXmin", CELL_PW, true, false, rx_min_column },
	{ "temp", "°C", CELL_MC, true, false, column_value, OF_MODULE,
	  Q_MODULE_TEMP_MC },
	{ "flaps_24h", "FLAP/24h", CELL_INTEGER, true, false, column_flaps },
	{ "drop_rate", "DROP", CELL_MILLI, true, false, column_rate, OF_PORT,
	  0, drops },
	{ "age", "AGE", CELL_AGE_NS, true, false, column_age },
	{ "mark", "!", CELL_TEXT, false, false, mark_column },
	{ "worst_severity", "", CELL_TEXT, false, true, worst_column },
	{ "oper_status", "", CELL_TEXT, false, true, column_word, OF_PORT,
	  Q_OPER_STATUS },
	{ "admin_up", "", CELL_BOOL, false, true, column_value, OF_PORT,
	  Q_ADMIN_STATUS },
	{ "in_util", "", CELL_PPM, true, true, column_rate, OF_PORT,
	  Q_IF_IN_OCTETS },
	{ "out_util", "", CELL_PPM, true, true, column_rate, OF_PORT,
	  Q_IF_OUT_OCTETS },
	{ "alias", "", CELL_TEXT, false, true, column_attribute, OF_PORT,
	  ATTRIBUTE_ALIAS },
	{ "drops_per_s", "", CELL_INTEGER, true, true, column_rate, OF_PORT,
	  0, drops },
	{ "dropped_frames", "DROPPED", CELL_UNSIGNED, true, true, column_total,
	  OF_PORT, 0, drops },
	{ "asic", "ASIC", CELL_TEXT, false, true, column_asic, OF_PORT },
	{ .key = NULL },
};
const struct answer_shape shape_ports = { "ports", port_columns, false };

int verbs_ports(void *context, struct query_client *client,
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
	answer_shaped(a, &shape_ports);
	for (size_t i = 0; i < n; i++)
		if (choice_has(&wanted, ctx, state_port(ctx->state, i)))
			cells_port_row(&c, state_port(ctx->state, i),
				       port_columns);
	if (n == 0)
		answer_note(a, "no port is known yet: see petrel status for "
			    "what the sources say");
	return order_apply(request, a);
}
