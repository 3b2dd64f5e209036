#include "agent/query/cells.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/state/port_reading.h"
#include "petrel/link.h"
#include "petrel/module.h"

#define MILLI 1000.0
#define BITS_PER_OCTET 8
#define WINDOWS_MISSED 3	/* windows of errors until the last is stale */
#define WORD_MAX 40
#define FAULT_WORDS_MAX 128

/* --- rows and their values ----------------------------------------------- */

/* Gives a member of the row's struct. */
static void member_cell(struct query *q, const struct answer_column *c)
{
	const void *at = (const char *)q->row + c->what;
	int64_t value;

	if (c->unit == CELL_TEXT) {
		answer_text(q->a, *(const char *const *)at);
		return;
	}
	value = *(const int64_t *)at;
	answer_known(q->a, value != MEMBER_ABSENT, value);
}

void cells_row(struct query *q)
{
	const struct answer_column *c = q->shape->columns;

	q->oldest.ns = INT64_MAX;
	answer_row(q->a);
	for (; c->key && answer_row_goes_on(q->a); c++) {
		q->column = c;
		if (c->from)
			c->from(q);
		else if (c->of == OF_MEMBER)
			member_cell(q, c);
		else if (c->unit == CELL_TEXT)
			answer_text(q->a, query_attribute(
					    q->ctx, q->of[c->of], c->what));
		else
			column_value(q);
	}
}

void cells_members(struct query *q, const void *row)
{
	const void *before = q->row;

	q->row = row;
	cells_row(q);
	q->row = before;
}

void cells_port(struct query *q, uint32_t port, struct port_row *ret)
{
	const struct port_facts *f = &ret->facts;
	const struct engine_view *v = &ret->view;
	const int64_t *temp_mc = f->thresholds.temp_mc;
	unsigned lanes;

	port_reading_facts(q->ctx->state, port, &ret->facts);
	query_view(q->ctx, port, &ret->view);
	q->of[OF_ROW] = q->of[OF_PORT] = port;
	q->of[OF_MODULE] = state_port_module(q->ctx->state, port);
	q->facts = f;
	q->view = v;
	q->row = ret;
	ret->name = f->name;
	ret->media = member_text(f->media);
	ret->group = member_text(f->group);
	ret->peer_switch = member_text(f->peer_switch);
	ret->peer_port = member_text(f->peer_port);
	ret->speed_mbps = member_known(f->speed_mbps > 0,
				       (int64_t)f->speed_mbps);
	lanes = port_reading_lanes(q->ctx->state, port);
	ret->lanes = member_known(lanes > 0, lanes);
	ret->flaps_24h = member_known(q->ctx->engine != NULL, v->flaps_24h);
	/* All zeros, or all ones, mean that it has none. */
	ret->temp_high_warn_mc = member_known(
		f->thresholds.known && temp_mc[HIGH_WARN] > temp_mc[LOW_WARN],
		temp_mc[HIGH_WARN]);
	ret->turned_at.ns = v->has_turned ? v->turned_at.ns : 0;
}

void cells_port_row(struct query *q, uint32_t port)
{
	struct port_row row;

	cells_port(q, port, &row);
	cells_row(q);
	q->facts = NULL;
	q->view = NULL;
	q->row = NULL;
}

void cells_seen(struct query *q, struct mono taken)
{
	if (taken.ns < q->oldest.ns)
		q->oldest = taken;
}

/* Counts the reading for the row's age; false: there is none. */
static bool value_get(struct query *q, uint32_t entity, enum quantity quantity,
		      unsigned index, struct state_value *ret)
{
	if (entity == ENTITY_NONE ||
	    !state_value(q->ctx->state, entity, quantity, index, ret))
		return false;
	cells_seen(q, ret->age.taken);
	return true;
}

/* Age and quality of the cell just given. */
static void age_give(struct query *q, struct mono taken, unsigned quality)
{
	answer_age(q->a, mono_diff_ns(q->now.mono, taken), quality);
}

void cells_value(struct query *q, uint32_t entity, enum quantity quantity,
		 unsigned index)
{
	struct state_value v;

	if (!value_get(q, entity, quantity, index, &v)) {
		answer_absent(q->a);
		return;
	}
	answer_integer(q->a, v.value);
	age_give(q, v.age.taken, v.quality);
}

static uint32_t entity_of(const struct query *q)
{
	return q->of[q->column->of];
}

static enum quantity quantity_of(const struct query *q)
{
	return (enum quantity)q->column->what;
}

void column_value(struct query *q)
{
	cells_value(q, entity_of(q), quantity_of(q), q->column->index);
}

/* SONiC's word without what the column already says: ModuleReady as ready. */
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

void column_word(struct query *q)
{
	struct state_value v;
	char brief[WORD_MAX];
	const char *word;

	if (!value_get(q, entity_of(q), quantity_of(q), 0, &v)) {
		answer_absent(q->a);
		return;
	}
	word = quantity_word(quantity_of(q), v.value);
	if (word && q->column->more)
		word = word_short(word, q->column->more, brief);
	answer_text(q->a, word);
	age_give(q, v.age.taken, v.quality);
}

void cells_age(struct query *q, int64_t then_ns)
{
	answer_known(q->a, then_ns, q->now.mono.ns - then_ns);
}

void member_age(struct query *q)
{
	const void *at = (const char *)q->row + q->column->what;
	const struct mono *then = at;

	cells_age(q, then->ns);
}

void column_name(struct query *q)
{
	answer_text_if(q->a, query_name(q->ctx, entity_of(q)));
}

void column_number(struct query *q)
{
	const struct inventory_entity *e = state_entity(q->ctx->state,
							entity_of(q));

	answer_known(q->a, e, e ? e->key.number : 0);
}

void column_id(struct query *q)
{
	answer_integer(q->a, entity_of(q));
}

void column_asic(struct query *q)
{
	answer_text(q->a, query_asic(q->ctx, entity_of(q)));
}

void column_asic_name(struct query *q)
{
	const struct inventory_entity *e = state_entity(q->ctx->state,
							entity_of(q));
	const char *asic = query_asic(q->ctx, entity_of(q));
	char name[2 * ENTITY_NAME_MAX];

	(void)snprintf(name, sizeof(name), "%s%s%s", asic ? asic : "",
		       asic ? ":" : "", e ? e->key.name : "");
	answer_text(q->a, name);
}

void column_age(struct query *q)
{
	answer_known(q->a, q->oldest.ns != INT64_MAX,
		     mono_diff_ns(q->now.mono, q->oldest));
}

void column_window(struct query *q)
{
	struct state_value v = { .value = 0 };
	bool is_known = value_get(q, entity_of(q), quantity_of(q), 0, &v);

	answer_known(q->a, is_known && v.age.window_ns > 0, v.age.window_ns);
}

/* --- rates and totals --------------------------------------------------- */

bool cells_rate(struct query *q, uint32_t entity, enum quantity quantity,
		struct state_rate *ret)
{
	struct state_value v;

	if (entity != ENTITY_NONE &&
	    state_rate(q->ctx->state, entity, quantity, 0, ret)) {
		cells_seen(q, ret->taken);
		return true;
	}
	(void)value_get(q, entity, quantity, 0, &v);	/* for its age */
	return false;
}

void cells_rate_cell(struct query *q, bool is_known,
		     const struct state_rate *rate, double scale)
{
	is_known = is_known && scale > 0;
	answer_known(q->a, is_known, llround(rate->per_s * scale));
	if (is_known)
		age_give(q, rate->taken, rate->quality);
}

/* The quantities of a column, ended by 0: its list, or its only one. */
static const enum quantity *quantities_of(const struct query *q,
					  enum quantity one[static 2])
{
	if (q->column->more)
		return q->column->more;
	one[0] = quantity_of(q);
	one[1] = (enum quantity)0;
	return one;
}

/* The sum of several counters' rates; takes the worst quality, oldest time. */
static bool rate_sum(struct query *q, const enum quantity *of,
		     struct state_rate *ret)
{
	struct state_rate rate;
	bool is_known = false;

	*ret = (struct state_rate){ .taken = { INT64_MAX } };
	for (; *of; of++) {
		if (!cells_rate(q, entity_of(q), *of, &rate))
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

double cells_load_scale(const struct query *q)
{
	int64_t mbps = query_value(q->ctx, q->of[OF_PORT], Q_SPEED_MBPS, 0);

	return mbps > 0 ? BITS_PER_OCTET / (double)mbps : 0;
}

void column_rate(struct query *q)
{
	enum quantity one[2];
	const enum quantity *of = quantities_of(q, one);
	struct state_rate rate;
	bool is_known = rate_sum(q, of, &rate);
	double scale = q->column->unit == CELL_MILLI ? MILLI : 1;

	if (q->column->unit == CELL_BPS) {
		scale = BITS_PER_OCTET;
	} else if (q->column->unit == CELL_PPM) {
		/* microseconds per second are millionths */
		if (quantity_find((uint16_t)of[0])->unit != UNIT_US)
			scale = cells_load_scale(q);
	} else {
		rate.per_s = ceil(rate.per_s * scale);	/* low is not 0 */
		scale = 1;
	}
	cells_rate_cell(q, is_known, &rate, scale);
}

void column_total(struct query *q)
{
	enum quantity one[2];
	bool is_known = false;
	struct state_value v;
	uint64_t sum = 0;

	for (const enum quantity *of = quantities_of(q, one); *of; of++) {
		if (!value_get(q, entity_of(q), *of, 0, &v))
			continue;
		sum += (uint64_t)v.value;
		is_known = true;
	}
	answer_known(q->a, is_known, (int64_t)sum);
}

/* --- thresholds ---------------------------------------------------------- */

/* The distance from the reading of a column to the nearest of the module's four
 * thresholds for its quantity, or to the one that is exceeded most.
 */
struct headroom {
	int64_t distance;	/* of power in milli-dB, else as the reading;
				 * negative: exceeded
				 */
	unsigned threshold;
};

/* One threshold; a pair in the wrong order was never set. */
static bool threshold_get(const struct query *q, unsigned index, int64_t *ret)
{
	enum quantity of = module_thresholds_of(quantity_of(q));
	uint32_t module = q->of[OF_MODULE];
	struct state_value high, low;
	unsigned pair = index & ~1u;

	if (!state_value(q->ctx->state, module, of, pair, &high) ||
	    !state_value(q->ctx->state, module, of, pair + 1, &low))
		return false;
	*ret = index == pair ? high.value : low.value;
	return high.value > low.value;
}

/* From the reading to the threshold; positive: within it. */
static bool distance_to(int64_t value, int64_t threshold, unsigned index,
			bool is_power, int64_t *ret)
{
	int64_t up;

	if (is_power && (value <= 0 || threshold <= 0))
		return false;
	up = is_power ? llround(1000 * (number_dbm(threshold) -
					number_dbm(value))) :
			threshold - value;
	*ret = index % 2 == 0 ? up : -up;
	return true;
}

/* False: not known, or no light. */
static bool headroom_get(const struct query *q, struct headroom *ret)
{
	bool is_power = quantity_find((uint16_t)quantity_of(q))->unit ==
			UNIT_PW;
	uint32_t entity = entity_of(q);
	struct state_value v;
	bool any = false;

	if (entity == ENTITY_NONE || q->of[OF_MODULE] == ENTITY_NONE ||
	    !state_value(q->ctx->state, entity, quantity_of(q), 0, &v))
		return false;
	for (unsigned i = 0; i < MODULE_EDGES; i++) {
		int64_t threshold, distance;

		if (!threshold_get(q, i, &threshold) ||
		    !distance_to(v.value, threshold, i, is_power, &distance) ||
		    (any && distance >= ret->distance))
			continue;
		*ret = (struct headroom){ distance, i };
		any = true;
	}
	return any;
}

void column_headroom(struct query *q)
{
	struct headroom h = { .distance = 0 };
	bool is_known = headroom_get(q, &h);

	answer_known(q->a, is_known, h.distance);
}

void column_threshold(struct query *q)
{
	char words[WORD_MAX];
	struct headroom h;

	if (!headroom_get(q, &h)) {
		answer_absent(q->a);
		return;
	}
	quantity_index_words(quantity_find((uint16_t)module_thresholds_of(
				     quantity_of(q))),
			     h.threshold, words, sizeof(words));
	answer_text(q->a, words);
}

/* --- what is implausible -------------------------------------------------- */

/* What is implausible in one part of the memory; false: it was not checked. */
static bool fault_get(const struct query *q, uint32_t entity, unsigned part,
		      int64_t *ret)
{
	const struct inventory_entity *e = state_entity(q->ctx->state, entity);
	bool is_lane = e && e->key.kind == ENTITY_LANE;
	struct state_value v;

	if (!state_value(q->ctx->state, entity, is_lane ?
			 Q_LANE_READING_FAULTS : Q_MODULE_READING_FAULTS, part,
			 &v))
		return false;
	*ret = v.value;
	return true;
}

void column_faults(struct query *q)
{
	char words[FAULT_WORDS_MAX];
	bool is_judged = false;
	int64_t all = 0, bits;

	for (unsigned i = 0; i < READING_OF_COUNT; i++) {
		if (!fault_get(q, entity_of(q), i, &bits))
			continue;
		is_judged = true;
		all |= bits;
	}
	reading_faults_text(all, words, sizeof(words));
	answer_text(q->a, is_judged ? words : NULL);
}

void cells_fault_notes(struct query *q, const char *who, uint32_t entity,
		       struct fault_notes *n)
{
	char words[FAULT_WORDS_MAX];
	int64_t bits;

	for (unsigned i = 0; i < READING_OF_COUNT; i++) {
		if (!fault_get(q, entity, i, &bits) || !bits)
			continue;
		if (n->told++ >= FAULT_NOTES_MAX) {
			n->left_out++;
			continue;
		}
		reading_faults_text(bits, words, sizeof(words));
		answer_note(q->a, "%s: %s implausible: %s", who,
			    reading_of_name((enum reading_of)i), words);
	}
}

/* --- of ports ----------------------------------------------------------- */

void cells_peer(struct query *q, const char *peer_switch,
		const char *peer_port)
{
	char peer[2 * ENTITY_NAME_MAX];

	(void)snprintf(peer, sizeof(peer), "%s%s%s",
		       peer_switch ? peer_switch : "",
		       peer_switch && peer_switch[0] && peer_port &&
		       peer_port[0] ? ":" : "", peer_port ? peer_port : "");
	answer_text_if(q->a, peer);
}

void column_peer(struct query *q)
{
	cells_peer(q, q->facts->peer_switch, q->facts->peer_port);
}

enum sample_quality cells_errors_quality(const struct query *q,
					 const struct engine_view *v,
					 enum quantity of)
{
	if (mono_diff_ns(q->now.mono, v->ber_taken) >
	    WINDOWS_MISSED * v->ber_window_ns)
		return QUALITY_STALE;
	if (of == Q_MARGIN_MILLI_DB)
		return QUALITY_ESTIMATED;
	return v->ber_below_resolution ? QUALITY_BELOW_RESOLUTION :
					 QUALITY_GOOD;
}

/* The engine's current value: a link that is down has neither margin nor BER.
 * With a dead agent, the value that its core wrote to the rings.
 */
static void engine_cell(struct query *q, bool is_known, int64_t value,
			enum quantity of)
{
	if (!q->ctx->engine) {
		cells_value(q, q->of[OF_PORT], of, 0);
		return;
	}
	answer_known(q->a, is_known, value);
	if (!is_known)
		return;
	cells_seen(q, q->view->ber_taken);
	age_give(q, q->view->ber_taken, cells_errors_quality(q, q->view, of));
}

void column_margin(struct query *q)
{
	engine_cell(q, q->view->has_margin, q->view->margin_milli_db,
		    Q_MARGIN_MILLI_DB);
}

void column_ber(struct query *q)
{
	engine_cell(q, q->view->has_ber, q->view->pre_fec_ber_e18,
		    Q_PRE_FEC_BER_E18);
}

void column_link(struct query *q)
{
	struct state_value oper;

	answer_text(q->a, query_link_mark(q->ctx, q->of[OF_PORT]));
	if (state_value(q->ctx->state, q->of[OF_PORT], Q_OPER_STATUS, 0,
			&oper))
		age_give(q, oper.age.taken, oper.quality);
}

/* A port that was never read counts as not up. */
const char *cells_down_reason(const struct query *q)
{
	uint32_t port = q->of[OF_PORT];

	return query_value(q->ctx, port, Q_OPER_STATUS, 0) == OPER_UP ? NULL :
	       quantity_word(Q_DOWN_REASON, query_value(q->ctx, port,
							Q_DOWN_REASON, -1));
}

void column_down_reason(struct query *q)
{
	answer_text(q->a, cells_down_reason(q));
}
