/* The table of all ports: one row each, in the order of their names. */
#include "agent/query/verbs.h"

#include <math.h>
#include <stdio.h>

#include "agent/query/answer.h"
#include "agent/signature/engine.h"
#include "agent/state/reading.h"
#include "agent/state/state.h"
#include "petrel/link.h"

static const struct answer_column port_columns[] = {
	{ "port", "PORT", CELL_TEXT, false, false },
	{ "st", "ST", CELL_TEXT, false, false },
	{ "speed", "SPEED", CELL_MBPS, true, false },
	{ "media", "MEDIA", CELL_TEXT, false, false },
	{ "peer", "PEER", CELL_TEXT, false, false },
	{ "util", "UTIL%", CELL_PPM, true, false },
	{ "margin", "MARGIN", CELL_MDB, true, false },
	{ "pre_fec_ber", "BER", CELL_E18, true, false },
	{ "rx_min", "RXmin", CELL_PW, true, false },
	{ "temp", "°C", CELL_MC, true, false },
	{ "flaps_24h", "FLAP/24h", CELL_INTEGER, true, false },
	{ "drops_per_s", "DROP", CELL_INTEGER, true, false },
	{ "age", "AGE", CELL_AGE_NS, true, false },
	{ "mark", "!", CELL_TEXT, false, false },
	{ "worst_severity", "", CELL_TEXT, false, true },
	{ "oper_status", "", CELL_TEXT, false, true },
	{ "admin_up", "", CELL_BOOL, false, true },
	{ "in_util", "", CELL_PPM, true, true },
	{ "out_util", "", CELL_PPM, true, true },
	{ "alias", "", CELL_TEXT, false, true },
	{ NULL, NULL, 0, false, false },
};

/* One row under way. */
struct row {
	const struct query_context *ctx;
	struct answer *a;
	uint32_t port;
	struct mono now, oldest;	/* of all values that are shown */
	struct port_facts facts;
	struct engine_view view;
};

static void row_seen(struct row *r, struct mono taken)
{
	if (taken.ns < r->oldest.ns)
		r->oldest = taken;
}

static void row_cell(struct row *r, uint32_t entity, enum quantity q)
{
	row_seen(r, context_cell(r->ctx, r->a, entity, q, 0, r->now));
}

/* up, dn, ad: shut by configuration. */
static const char *state_mark(const struct row *r)
{
	struct state_value admin, oper;

	if (state_value(r->ctx->state, r->port, Q_ADMIN_STATUS, 0, &admin) &&
	    admin.value == 0)
		return "ad";
	if (!state_value(r->ctx->state, r->port, Q_OPER_STATUS, 0, &oper))
		return NULL;
	return oper.value == OPER_UP ? "up" : "dn";
}

/* Name, state, speed, media, and the peer as switch:port. */
static void row_identity(struct row *r)
{
	char peer[2 * ENTITY_NAME_MAX];
	const struct port_facts *f = &r->facts;

	answer_text(r->a, f->name);
	answer_text(r->a, state_mark(r));
	if (f->speed_mbps)
		answer_integer(r->a, (int64_t)f->speed_mbps);
	else
		answer_absent(r->a);
	answer_text(r->a, f->media[0] ? f->media : NULL);
	(void)snprintf(peer, sizeof(peer), "%s%s%s", f->peer_switch,
		       f->peer_switch[0] && f->peer_port[0] ? ":" : "",
		       f->peer_port);
	answer_text(r->a, peer[0] ? peer : NULL);
}

/* Share of the speed, in millionths; negative when unknown. */
static int64_t util_ppm(const struct row *r, enum quantity octets)
{
	double per_s;

	if (!r->facts.speed_mbps ||
	    !state_rate(r->ctx->state, r->port, octets, 0, &per_s))
		return -1;
	return llround(per_s * 8 / (double)r->facts.speed_mbps);
}

static void row_ppm(struct row *r, int64_t ppm)
{
	if (ppm < 0)
		answer_absent(r->a);
	else
		answer_integer(r->a, ppm);
}

/* The busier direction; both are in the JSON. */
static void row_util(struct row *r)
{
	int64_t in = util_ppm(r, Q_IF_IN_OCTETS);
	int64_t out = util_ppm(r, Q_IF_OUT_OCTETS);
	struct state_value v;

	if (state_value(r->ctx->state, r->port, Q_IF_IN_OCTETS, 0, &v))
		row_seen(r, v.age.taken);
	row_ppm(r, in > out ? in : out);
}

/* The engine's word; from the rings, what the core wrote there. */
static void row_fec(struct row *r)
{
	const struct engine_view *v = &r->view;

	if (v->has_margin)
		answer_integer(r->a, v->margin_milli_db);
	else
		row_cell(r, r->port, Q_MARGIN_MILLI_DB);
	if (!v->has_ber) {
		row_cell(r, r->port, Q_PRE_FEC_BER_E18);
		return;
	}
	answer_integer(r->a, v->pre_fec_ber_e18);
	answer_age(r->a, 0, v->ber_below_resolution ? QUALITY_BELOW_RESOLUTION :
						      QUALITY_GOOD);
}

/* The darkest lane, with its age. */
static void row_rx_min(struct row *r)
{
	struct state_value v, min = { .value = INT64_MAX };
	bool any = false;

	for (unsigned i = 0; i < r->facts.lanes; i++) {
		uint32_t lane = state_port_lane(r->ctx->state, r->port, i);

		if (lane == ENTITY_NONE ||
		    !state_value(r->ctx->state, lane, Q_LANE_RX_POWER_PW, 0,
				 &v) ||
		    v.value >= min.value)
			continue;
		min = v;
		any = true;
	}
	if (!any) {
		answer_absent(r->a);
		return;
	}
	answer_integer(r->a, min.value);
	answer_age(r->a, mono_diff_ns(r->now, min.age.taken), min.quality);
	row_seen(r, min.age.taken);
}

/* Frames thrown away a second, both ways; rounded up: one is not none. */
static void row_drops(struct row *r)
{
	double in = 0, out = 0;
	bool has_in = state_rate(r->ctx->state, r->port, Q_IF_IN_DISCARDS, 0,
				 &in);
	bool has_out = state_rate(r->ctx->state, r->port, Q_IF_OUT_DISCARDS, 0,
				  &out);

	if (has_in || has_out)
		answer_integer(r->a, (int64_t)ceil(in + out));
	else
		answer_absent(r->a);
}

/* As old as the oldest value beside it (C4). */
static void row_age(struct row *r)
{
	if (r->oldest.ns == INT64_MAX)
		answer_absent(r->a);
	else
		answer_integer(r->a, mono_diff_ns(r->now, r->oldest));
}

/* One letter, so that it needs no colour; the word is in the JSON. */
static void row_worst(struct row *r)
{
	static const char *const marks[SEVERITY_COUNT] = {
		NULL, "w", "W", "C",
	};
	unsigned worst = context_worst(r->ctx, r->facts.name);

	answer_text(r->a, marks[worst]);
	answer_text(r->a, worst ? severity_name(worst) : NULL);
}

/* What has no room in 80 columns. */
static void row_json(struct row *r)
{
	struct state_value v;

	if (state_value(r->ctx->state, r->port, Q_OPER_STATUS, 0, &v))
		answer_text(r->a, oper_status_name((enum oper_status)v.value));
	else
		answer_absent(r->a);
	(void)context_cell(r->ctx, r->a, r->port, Q_ADMIN_STATUS, 0, r->now);
	row_ppm(r, util_ppm(r, Q_IF_IN_OCTETS));
	row_ppm(r, util_ppm(r, Q_IF_OUT_OCTETS));
	answer_text(r->a, context_attribute(r->ctx, r->port, ATTRIBUTE_ALIAS));
}

static void port_row(const struct query_context *ctx, struct answer *a,
		     uint32_t port, struct mono now)
{
	struct row r = { .ctx = ctx, .a = a, .port = port, .now = now,
			 .oldest = { INT64_MAX } };

	reading_facts(ctx->state, port, &r.facts);
	context_view(ctx, port, &r.view);
	answer_row(a);
	row_identity(&r);
	row_util(&r);
	row_fec(&r);
	row_rx_min(&r);
	row_cell(&r, state_port_module(ctx->state, port), Q_MODULE_TEMP_MC);
	if (ctx->engine)
		answer_integer(a, r.view.flaps_24h);
	else
		answer_absent(a);
	row_drops(&r);
	row_age(&r);
	row_worst(&r);
	row_json(&r);
}

int verbs_ports(void *context, struct query_client *client,
		const Petrel__Request *request, struct answer *a)
{
	const struct query_context *ctx = context;
	struct clock_reading now = context_begin(ctx, a);
	size_t n = state_port_count(ctx->state);

	(void)client;
	(void)request;
	answer_table(a, "ports", port_columns, false);
	for (size_t i = 0; i < n; i++)
		port_row(ctx, a, state_port(ctx->state, i), now.mono);
	if (n == 0)
		answer_note(a, "no port is known yet: see petrel status for "
			    "what the sources say");
	return EXIT_ANSWERED;
}
