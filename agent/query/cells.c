#include "agent/query/cells.h"

#include <math.h>
#include <stdio.h>

#include "agent/query/answer.h"
#include "agent/signature/engine.h"
#include "agent/state/state.h"
#include "petrel/link.h"
#include "petrel/module.h"

#define MILLI 1000.0
#define WINDOWS_MISSED 3	/* of errors: then what they told is old */

void cells_row(struct cells *c)
{
	c->oldest.ns = INT64_MAX;
	answer_row(c->a);
}

void cells_seen(struct cells *c, struct mono taken)
{
	if (taken.ns < c->oldest.ns)
		c->oldest = taken;
}

void cells_value(struct cells *c, uint32_t entity, enum quantity q,
		 unsigned index)
{
	cells_seen(c, context_cell(c->ctx, c->a, entity, q, index, c->now));
}

void cells_known(struct cells *c, bool is_known, int64_t value)
{
	if (is_known)
		answer_integer(c->a, value);
	else
		answer_absent(c->a);
}

bool cells_rate_of(struct cells *c, uint32_t entity, enum quantity q,
		   struct state_rate *ret)
{
	struct state_value v;

	if (entity == ENTITY_NONE ||
	    !state_value(c->ctx->state, entity, q, 0, &v))
		return false;
	cells_seen(c, v.age.taken);
	return state_rate(c->ctx->state, entity, q, 0, ret);
}

void cells_rate_cell(struct cells *c, bool is_known,
		     const struct state_rate *rate, double scale)
{
	cells_known(c, is_known && scale > 0, llround(rate->per_s * scale));
	if (is_known && scale > 0)
		answer_age(c->a, mono_diff_ns(c->now, rate->taken),
			   rate->quality);
}

/* Of several counters, each over its own interval: as good as the worst. */
static bool rate_sum(struct cells *c, uint32_t entity, const enum quantity *q,
		     unsigned count, struct state_rate *ret)
{
	struct state_rate rate;
	bool is_known = false;

	*ret = (struct state_rate){ .taken = { INT64_MAX } };
	for (unsigned i = 0; i < count; i++) {
		if (!cells_rate_of(c, entity, q[i], &rate))
			continue;
		ret->per_s += rate.per_s;
		if (rate.taken.ns < ret->taken.ns)
			ret->taken = rate.taken;
		if (rate.quality != QUALITY_GOOD)
			ret->quality = rate.quality;
		is_known = true;
	}
	return is_known;
}

static void rate_up(struct cells *c, uint32_t entity, const enum quantity *q,
		    unsigned count, double scale)
{
	struct state_rate rate;
	bool is_known = rate_sum(c, entity, q, count, &rate);

	rate.per_s = ceil(rate.per_s * scale);
	cells_rate_cell(c, is_known, &rate, 1);
}

void cells_rate(struct cells *c, uint32_t entity, const enum quantity *q,
		unsigned count)
{
	rate_up(c, entity, q, count, 1);
}

void cells_rate_milli(struct cells *c, uint32_t entity, const enum quantity *q,
		      unsigned count)
{
	rate_up(c, entity, q, count, MILLI);
}

void cells_total(struct cells *c, uint32_t entity, const enum quantity *q,
		 unsigned count)
{
	bool is_known = false;
	uint64_t sum = 0;

	for (unsigned i = 0; i < count; i++) {
		struct state_value v;

		if (entity == ENTITY_NONE ||
		    !state_value(c->ctx->state, entity, q[i], 0, &v))
			continue;
		cells_seen(c, v.age.taken);
		sum += (uint64_t)v.value;
		is_known = true;
	}
	cells_known(c, is_known, (int64_t)sum);
}

void cells_scaled_rate(struct cells *c, uint32_t entity, enum quantity q,
		       double scale)
{
	struct state_rate rate = { .per_s = 0 };
	bool is_known = cells_rate_of(c, entity, q, &rate);

	cells_rate_cell(c, is_known, &rate, scale);
}

void cells_word(struct cells *c, uint32_t entity, enum quantity q,
		const char *(*word)(unsigned))
{
	struct state_value v;

	if (entity == ENTITY_NONE ||
	    !state_value(c->ctx->state, entity, q, 0, &v)) {
		answer_absent(c->a);
		return;
	}
	cells_seen(c, v.age.taken);
	answer_text(c->a, word((unsigned)v.value));
	answer_age(c->a, mono_diff_ns(c->now, v.age.taken), v.quality);
}

void cells_attribute(struct cells *c, uint32_t entity, enum attribute which)
{
	answer_text(c->a, entity == ENTITY_NONE ? NULL :
			  context_attribute(c->ctx, entity, which));
}

void cells_peer(struct cells *c, const char *peer_switch,
		const char *peer_port)
{
	char peer[2 * ENTITY_NAME_MAX];

	(void)snprintf(peer, sizeof(peer), "%s%s%s",
		       peer_switch ? peer_switch : "",
		       peer_switch && peer_switch[0] && peer_port &&
		       peer_port[0] ? ":" : "", peer_port ? peer_port : "");
	answer_text(c->a, peer[0] ? peer : NULL);
}

/* Age and quality of what the engine made of the last window of errors. */
static void ber_age(struct cells *c, const struct engine_view *view,
		    enum sample_quality quality)
{
	int64_t age_ns = mono_diff_ns(c->now, view->ber_taken);

	answer_age(c->a, age_ns,
		   age_ns > WINDOWS_MISSED * view->ber_window_ns ?
			   QUALITY_STALE : quality);
}

void cells_margin(struct cells *c, uint32_t port,
		  const struct engine_view *view)
{
	if (!c->ctx->engine) {
		cells_value(c, port, Q_MARGIN_MILLI_DB, 0);
		return;
	}
	cells_known(c, view->has_margin, view->margin_milli_db);
	if (view->has_margin)
		ber_age(c, view, QUALITY_ESTIMATED);
}

void cells_ber(struct cells *c, uint32_t port, const struct engine_view *view)
{
	if (!c->ctx->engine) {
		cells_value(c, port, Q_PRE_FEC_BER_E18, 0);
		return;
	}
	cells_known(c, view->has_ber, view->pre_fec_ber_e18);
	if (view->has_ber)
		ber_age(c, view, view->ber_below_resolution ?
				 QUALITY_BELOW_RESOLUTION : QUALITY_GOOD);
}

void cells_age(struct cells *c)
{
	if (c->oldest.ns == INT64_MAX)
		answer_absent(c->a);
	else
		answer_integer(c->a, mono_diff_ns(c->now, c->oldest));
}

const char *cells_link_mark(const struct query_context *ctx, uint32_t port)
{
	struct state_value admin, oper;

	if (state_value(ctx->state, port, Q_ADMIN_STATUS, 0, &admin) &&
	    admin.value == 0)
		return "ad";
	if (!state_value(ctx->state, port, Q_OPER_STATUS, 0, &oper) ||
	    oper.value == OPER_UNKNOWN)
		return NULL;	/* the switch itself does not know */
	return oper.value == OPER_UP ? "up" : "dn";
}

void cells_link(struct cells *c, uint32_t port)
{
	struct state_value oper;

	answer_text(c->a, cells_link_mark(c->ctx, port));
	if (state_value(c->ctx->state, port, Q_OPER_STATUS, 0, &oper))
		answer_age(c->a, mono_diff_ns(c->now, oper.age.taken),
			   oper.quality);
}

const char *cells_oper_word(unsigned value)
{
	return oper_status_name((enum oper_status)value);
}

const char *cells_fec_word(unsigned value)
{
	return fec_mode_name((enum fec_mode)value);
}

const char *cells_down_reason_word(unsigned value)
{
	return down_reason_name((enum down_reason)value);
}

const char *cells_module_state_word(unsigned value)
{
	return module_state_name((enum module_state)value);
}

const char *cells_data_path_word(unsigned value)
{
	return data_path_state_name((enum data_path_state)value);
}
