/* The table of all ports: one row each, in the order of their names. */
#include "agent/query/verbs.h"

#include <math.h>

#include "agent/query/answer.h"
#include "agent/query/cells.h"
#include "agent/query/choice.h"
#include "agent/query/order.h"
#include "agent/query/shapes.h"
#include "agent/signature/engine.h"
#include "agent/state/reading.h"
#include "agent/state/state.h"

static const struct answer_column port_columns[] = {
	{ "port", "PORT", CELL_TEXT, false, false },
	{ "st", "ST", CELL_TEXT, false, false },
	{ "speed", "SPEED", CELL_MBPS, true, false },
	{ "media", "MEDIA", CELL_TEXT, false, false },
	{ "peer", "PEER", CELL_PEER, false, false },
	{ "util", "UTIL%", CELL_PPM, true, false },
	{ "margin", "MARGIN", CELL_MDB, true, false },
	{ "pre_fec_ber", "BER", CELL_E18, true, false },
	{ "rx_min", "RXmin", CELL_PW, true, false },
	{ "temp", "°C", CELL_MC, true, false },
	{ "flaps_24h", "FLAP/24h", CELL_INTEGER, true, false },
	{ "drop_rate", "DROP", CELL_MILLI, true, false },
	{ "age", "AGE", CELL_AGE_NS, true, false },
	{ "mark", "!", CELL_TEXT, false, false },
	{ "worst_severity", "", CELL_TEXT, false, true },
	{ "oper_status", "", CELL_TEXT, false, true },
	{ "admin_up", "", CELL_BOOL, false, true },
	{ "in_util", "", CELL_PPM, true, true },
	{ "out_util", "", CELL_PPM, true, true },
	{ "alias", "", CELL_TEXT, false, true },
	{ "drops_per_s", "", CELL_INTEGER, true, true },
	{ "dropped_frames", "DROPPED", CELL_UNSIGNED, true, true },
	{ "asic", "", CELL_TEXT, false, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_ports = { "ports", port_columns, false };

/* One row under way. */
struct row {
	struct cells c;
	uint32_t port;
	struct port_facts facts;
	struct engine_view view;
};

/* Name, state, speed, media, and the peer as switch:port. */
static void row_identity(struct row *r)
{
	const struct port_facts *f = &r->facts;
	struct answer *a = r->c.a;

	answer_text(a, f->name);
	cells_link(&r->c, r->port);
	cells_known(&r->c, f->speed_mbps > 0, (int64_t)f->speed_mbps);
	answer_text(a, f->media[0] ? f->media : NULL);
	cells_peer(&r->c, f->peer_switch, f->peer_port);
}

/* Of the speed, in millionths: bits a microsecond. */
static double util_scale(const struct row *r)
{
	return r->facts.speed_mbps ? 8 / (double)r->facts.speed_mbps : 0;
}

/* The busier direction; both are in the JSON. */
static void row_util(struct row *r)
{
	struct state_rate in = { .per_s = -1 }, out = { .per_s = -1 };
	bool is_known = cells_rate_of(&r->c, r->port, Q_IF_IN_OCTETS, &in);

	is_known |= cells_rate_of(&r->c, r->port, Q_IF_OUT_OCTETS, &out);
	cells_rate_cell(&r->c, is_known && r->facts.speed_mbps,
			in.per_s > out.per_s ? &in : &out, util_scale(r));
}

/* The darkest lane, with its age. */
static void row_rx_min(struct row *r)
{
	struct state_value v, min = { .value = INT64_MAX };
	bool any = false;

	for (unsigned i = 0; i < PORT_LANES_MAX; i++) {
		uint32_t lane = state_port_lane(r->c.ctx->state, r->port, i);

		if (lane == ENTITY_NONE ||
		    !state_value(r->c.ctx->state, lane, Q_LANE_RX_POWER_PW, 0,
				 &v) ||
		    v.value >= min.value)
			continue;
		min = v;
		any = true;
	}
	if (!any) {
		answer_absent(r->c.a);
		return;
	}
	answer_integer(r->c.a, min.value);
	answer_age(r->c.a, mono_diff_ns(r->c.now, min.age.taken), min.quality);
	cells_seen(&r->c, min.age.taken);
}

/* One letter, so that it needs no colour; the word is in the JSON. */
static void row_worst(struct row *r)
{
	static const char *const marks[SEVERITY_COUNT] = {
		NULL, "w", "W", "C",
	};
	unsigned worst = context_worst(r->c.ctx, r->port, r->facts.name);

	answer_text(r->c.a, marks[worst]);
	answer_text(r->c.a, worst ? severity_name(worst) : NULL);
}

static const enum quantity drops[] = { Q_IF_IN_DISCARDS, Q_IF_OUT_DISCARDS };

/* What has no room in 80 columns. */
static void row_json(struct row *r)
{
	cells_word(&r->c, r->port, Q_OPER_STATUS, cells_oper_word);
	cells_value(&r->c, r->port, Q_ADMIN_STATUS, 0);
	cells_scaled_rate(&r->c, r->port, Q_IF_IN_OCTETS, util_scale(r));
	cells_scaled_rate(&r->c, r->port, Q_IF_OUT_OCTETS, util_scale(r));
	cells_attribute(&r->c, r->port, ATTRIBUTE_ALIAS);
	cells_rate(&r->c, r->port, drops, 2);
	cells_total(&r->c, r->port, drops, 2);
	answer_text(r->c.a, context_asic(r->c.ctx, r->port));
}

static void port_row(const struct query_context *ctx, struct answer *a,
		     uint32_t port, struct mono now)
{
	struct row r = { .c = { .ctx = ctx, .a = a, .now = now },
			 .port = port };

	reading_facts(ctx->state, port, &r.facts);
	context_view(ctx, port, &r.view);
	cells_row(&r.c);
	row_identity(&r);
	row_util(&r);
	cells_margin(&r.c, port, &r.view);
	cells_ber(&r.c, port, &r.view);
	row_rx_min(&r);
	cells_value(&r.c, state_port_module(ctx->state, port), Q_MODULE_TEMP_MC,
		    0);
	cells_known(&r.c, ctx->engine != NULL, r.view.flaps_24h);
	cells_rate_milli(&r.c, port, drops, 2);
	cells_age(&r.c);
	row_worst(&r);
	if (answer_row_goes_on(a))
		row_json(&r);
}

int verbs_ports(void *context, struct query_client *client,
		const Petrel__Request *request, struct answer *a)
{
	const struct query_context *ctx = context;
	struct clock_reading now = context_begin(ctx, a);
	size_t n = state_port_count(ctx->state);
	struct choice wanted;
	int code = choice_take(ctx, request, a, &wanted);

	(void)client;
	if (code != EXIT_ANSWERED)
		return code;
	answer_shaped(a, &shape_ports);
	for (size_t i = 0; i < n; i++) {
		uint32_t port = state_port(ctx->state, i);

		if (choice_has(&wanted, ctx, port))
			port_row(ctx, a, port, now.mono);
	}
	if (n == 0)
		answer_note(a, "no port is known yet: see petrel status for "
			    "what the sources say");
	return order_apply(request, a);
}
