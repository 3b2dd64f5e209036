#include "agent/query/cells.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/query/answer.h"
#include "agent/query/headroom.h"
#include "agent/signature/engine.h"
#include "agent/state/port_reading.h"
#include "agent/state/state.h"
#include "petrel/link.h"

#define MILLI 1000.0
#define BITS_PER_OCTET 8
#define WINDOWS_MISSED 3	/* of errors: then what they told is old */
#define WORD_MAX 40

void cells_row(struct cells *c)
{
	c->oldest.ns = INT64_MAX;
	answer_row(c->a);
}

void cells_fill(struct cells *c, const struct answer_column *columns)
{
	cells_row(c);
	for (; columns->key && answer_row_goes_on(c->a); columns++)
		columns->from(c, columns);
}

void cells_port_row(struct cells *c, uint32_t port,
		    const struct answer_column *columns)
{
	struct port_facts facts;
	struct engine_view view;

	port_reading_facts(c->ctx->state, port, &facts);
	context_view(c->ctx, port, &view);
	c->of[OF_ROW] = c->of[OF_PORT] = port;
	c->of[OF_MODULE] = state_port_module(c->ctx->state, port);
	c->facts = &facts;
	c->view = &view;
	cells_fill(c, columns);
	c->facts = NULL;
	c->view = NULL;
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

/* Texts that are empty are not known. */
static void text_cell(struct cells *c, const char *text)
{
	answer_text(c->a, text && text[0] ? text : NULL);
}

/* --- from the state ---------------------------------------------------- */

static uint32_t entity_of(const struct cells *c,
			  const struct answer_column *col)
{
	return c->of[col->of];
}

/* The reading that the column is of; it is seen. */
static bool reading_of(struct cells *c, const struct answer_column *col,
		       struct state_value *ret)
{
	uint32_t entity = entity_of(c, col);

	if (entity == ENTITY_NONE ||
	    !state_value(c->ctx->state, entity, (enum quantity)col->what, 0,
			 ret))
		return false;
	cells_seen(c, ret->age.taken);
	return true;
}

void column_value(struct cells *c, const struct answer_column *col)
{
	cells_value(c, entity_of(c, col), (enum quantity)col->what,
		    col->index);
}

/* SONiC's word without what the column says already: ModuleReady as ready. */
static const char *word_short(const char *word, const char *prefix,
			      char ret[static WORD_MAX])
{
	size_t skip = strlen(prefix), i = 0;

	if (strncmp(word, prefix, skip) == 0)
		word += skip;
	for (; word[i] && i < WORD_MAX - 1; i++)
		ret[i] = (char)tolower((unsigned char)word[i]);
	ret[i] = '\0';
	return ret;
}

void column_word(struct cells *c, const struct answer_column *col)
{
	struct state_value v;
	char brief[WORD_MAX];
	const char *word;

	if (!reading_of(c, col, &v)) {
		answer_absent(c->a);
		return;
	}
	word = quantity_word((enum quantity)col->what, v.value);
	if (word && col->more)
		word = word_short(word, col->more, brief);
	answer_text(c->a, word);
	answer_age(c->a, mono_diff_ns(c->now, v.age.taken), v.quality);
}

void column_attribute(struct cells *c, const struct answer_column *col)
{
	answer_text(c->a, entity_of(c, col) == ENTITY_NONE ? NULL :
			  context_attribute(c->ctx, entity_of(c, col),
					    col->what));
}

void column_name(struct cells *c, const struct answer_column *col)
{
	text_cell(c, context_name(c->ctx, entity_of(c, col)));
}

void column_number(struct cells *c, const struct answer_column *col)
{
	const struct inventory_entity *e = state_entity(c->ctx->state,
							entity_of(c, col));

	cells_known(c, e, e ? e->key.number : 0);
}

void column_asic(struct cells *c, const struct answer_column *col)
{
	answer_text(c->a, context_asic(c->ctx, entity_of(c, col)));
}

void column_age(struct cells *c, const struct answer_column *col)
{
	(void)col;
	if (c->oldest.ns == INT64_MAX)
		answer_absent(c->a);
	else
		answer_integer(c->a, mono_diff_ns(c->now, c->oldest));
}

void column_window(struct cells *c, const struct answer_column *col)
{
	struct state_value v = { .value = 0 };
	bool is_known = reading_of(c, col, &v);

	cells_known(c, is_known && v.age.window_ns > 0, v.age.window_ns);
}

void column_headroom(struct cells *c, const struct answer_column *col)
{
	struct headroom h = { .distance = 0 };
	bool is_known = headroom_of(c->ctx, entity_of(c, col),
				    (enum quantity)col->what,
				    c->of[OF_MODULE], &h);

	cells_known(c, is_known, h.distance);
}

/* --- rates and totals --------------------------------------------------- */

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

/* The quantities of a column, ended by 0: its list, or what it is of. */
static const enum quantity *quantities_of(const struct answer_column *col,
					  enum quantity one[static 2])
{
	if (col->more)
		return col->more;
	one[0] = (enum quantity)col->what;
	one[1] = (enum quantity)0;
	return one;
}

/* Of several counters, each over its own interval: as good as the worst. */
static bool rate_sum(struct cells *c, uint32_t entity, const enum quantity *q,
		     struct state_rate *ret)
{
	struct state_rate rate;
	bool is_known = false;

	*ret = (struct state_rate){ .taken = { INT64_MAX } };
	for (; *q; q++) {
		if (!cells_rate_of(c, entity, *q, &rate))
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

double cells_load_scale(const struct cells *c)
{
	struct state_value v;

	return state_value(c->ctx->state, c->of[OF_PORT], Q_SPEED_MBPS, 0,
			   &v) && v.value > 0 ?
	       BITS_PER_OCTET / (double)v.value : 0;
}

/* From a second's count to the unit of the column; 0: not known. */
static double rate_scale(const struct cells *c,
			 const struct answer_column *col, enum quantity q)
{
	bool is_time = quantity_find((uint16_t)q)->unit == UNIT_US;

	switch (col->unit) {
	case CELL_BPS:
		return BITS_PER_OCTET;
	case CELL_PPM:	/* microseconds a second are millionths */
		return is_time ? 1 : cells_load_scale(c);
	case CELL_MILLI:
		return MILLI;
	default:
		return 1;
	}
}

void column_rate(struct cells *c, const struct answer_column *col)
{
	enum quantity one[2];
	const enum quantity *q = quantities_of(col, one);
	struct state_rate rate;
	bool is_known = rate_sum(c, entity_of(c, col), q, &rate);
	double scale = rate_scale(c, col, q[0]);

	if (col->unit == CELL_BPS || col->unit == CELL_PPM) {
		cells_rate_cell(c, is_known, &rate, scale);
		return;
	}
	rate.per_s = ceil(rate.per_s * scale);	/* one is not none */
	cells_rate_cell(c, is_known, &rate, 1);
}

void column_total(struct cells *c, const struct answer_column *col)
{
	enum quantity one[2];
	uint32_t entity = entity_of(c, col);
	bool is_known = false;
	uint64_t sum = 0;

	for (const enum quantity *q = quantities_of(col, one); *q; q++) {
		struct state_value v;

		if (entity == ENTITY_NONE ||
		    !state_value(c->ctx->state, entity, *q, 0, &v))
			continue;
		cells_seen(c, v.age.taken);
		sum += (uint64_t)v.value;
		is_known = true;
	}
	cells_known(c, is_known, (int64_t)sum);
}

/* --- of ports ----------------------------------------------------------- */

void column_port(struct cells *c, const struct answer_column *col)
{
	(void)col;
	answer_text(c->a, c->facts->name);
}

void column_speed(struct cells *c, const struct answer_column *col)
{
	(void)col;
	cells_known(c, c->facts->speed_mbps > 0,
		    (int64_t)c->facts->speed_mbps);
}

void column_media(struct cells *c, const struct answer_column *col)
{
	(void)col;
	text_cell(c, c->facts->media);
}

void column_lanes(struct cells *c, const struct answer_column *col)
{
	(void)col;
	cells_known(c, c->facts->lanes > 0, c->facts->lanes);
}

void cells_peer(struct cells *c, const char *peer_switch,
		const char *peer_port)
{
	char peer[2 * ENTITY_NAME_MAX];

	(void)snprintf(peer, sizeof(peer), "%s%s%s",
		       peer_switch ? peer_switch : "",
		       peer_switch && peer_switch[0] && peer_port &&
		       peer_port[0] ? ":" : "", peer_port ? peer_port : "");
	text_cell(c, peer);
}

void column_peer(struct cells *c, const struct answer_column *col)
{
	(void)col;
	cells_peer(c, c->facts->peer_switch, c->facts->peer_port);
}

void column_peer_switch(struct cells *c, const struct answer_column *col)
{
	(void)col;
	text_cell(c, c->facts->peer_switch);
}

void column_peer_port(struct cells *c, const struct answer_column *col)
{
	(void)col;
	text_cell(c, c->facts->peer_port);
}

void column_flaps(struct cells *c, const struct answer_column *col)
{
	(void)col;
	cells_known(c, c->ctx->engine != NULL, c->view->flaps_24h);
}

/* Age and quality of what the engine made of the last window of errors. */
static void ber_age(struct cells *c, enum sample_quality quality)
{
	int64_t age_ns = mono_diff_ns(c->now, c->view->ber_taken);

	answer_age(c->a, age_ns,
		   age_ns > WINDOWS_MISSED * c->view->ber_window_ns ?
			   QUALITY_STALE : quality);
}

/* What the engine says now: a link that is down has neither. From the rings of
 * a dead agent, what its core wrote there.
 */
void column_margin(struct cells *c, const struct answer_column *col)
{
	(void)col;
	if (!c->ctx->engine) {
		cells_value(c, c->of[OF_PORT], Q_MARGIN_MILLI_DB, 0);
		return;
	}
	cells_known(c, c->view->has_margin, c->view->margin_milli_db);
	if (c->view->has_margin)
		ber_age(c, QUALITY_ESTIMATED);
}

void column_ber(struct cells *c, const struct answer_column *col)
{
	(void)col;
	if (!c->ctx->engine) {
		cells_value(c, c->of[OF_PORT], Q_PRE_FEC_BER_E18, 0);
		return;
	}
	cells_known(c, c->view->has_ber, c->view->pre_fec_ber_e18);
	if (c->view->has_ber)
		ber_age(c, c->view->ber_below_resolution ?
			   QUALITY_BELOW_RESOLUTION : QUALITY_GOOD);
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

void column_link(struct cells *c, const struct answer_column *col)
{
	struct state_value oper;

	(void)col;
	answer_text(c->a, cells_link_mark(c->ctx, c->of[OF_PORT]));
	if (state_value(c->ctx->state, c->of[OF_PORT], Q_OPER_STATUS, 0,
			&oper))
		answer_age(c->a, mono_diff_ns(c->now, oper.age.taken),
			   oper.quality);
}

/* A port that was never read is not up. */
static bool port_is_up(const struct cells *c)
{
	struct state_value v;

	return state_value(c->ctx->state, c->of[OF_PORT], Q_OPER_STATUS, 0,
			   &v) && v.value == OPER_UP;
}

const char *cells_down_reason(const struct cells *c)
{
	struct state_value v;

	if (port_is_up(c) || !state_value(c->ctx->state, c->of[OF_PORT],
					  Q_DOWN_REASON, 0, &v))
		return NULL;
	return quantity_word(Q_DOWN_REASON, v.value);
}

void column_down_reason(struct cells *c, const struct answer_column *col)
{
	(void)col;
	answer_text(c->a, cells_down_reason(c));
}
