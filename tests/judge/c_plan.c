/* Each signature has its turn, so that all are played as often; of its kinds
 * one is drawn. A fault begins at a tenth to six tenths of the case. A size
 * that would not be felt is drawn anew, somewhat larger each time. One fault in
 * nine is mended before the case ends. Hard: sizes are 0.6 of that. Chosen.
 */
#include "tests/judge/c_world.h"

#include <math.h>
#include <string.h>

#define MENDED_SHARE 0.11
#define HARD_SIZE 0.6
#define TRIES 12
#define LARGER 1.25
#define HEAT_DB_K 0.02
#define SLOW_LASTS 5.0
#define WITHIN 0.9		/* of the case: felt by then */

static double drawn(struct world *w, double low, double high)
{
	return c_chance_even(&w->chance, (struct c_range){ low, high });
}

static bool fits(const struct c_kind *k, const struct c_port *p)
{
	return (k->media >> p->medium & 1) &&
	       (!(k->wants & C_WANTS_HEAT) || p->own_db_k >= HEAT_DB_K) &&
	       (!(k->wants & C_WANTS_ROOM) || p->lanes > 1);
}

/* Neighbours of a plug, or the lanes of one laser. */
static uint8_t lanes_draw(struct world *w, const struct c_kind *k,
			  const struct c_port *p)
{
	unsigned lane = c_chance_below(&w->chance, p->lanes), count = 1;
	bool is_ribbon = C_RIBBON >> p->medium & 1;

	if (p->lanes == 1 || k->scope > C_LASER || k->scope == C_PORT)
		return 0;
	if (k->scope == C_LASER)
		count = p->media->shares_laser;
	/* dirt on a plug of one fibre is on the way of all colours */
	if (k->scope == C_SOME_LANES) {
		if (!is_ribbon && p->row->optical)
			return 0;
		count = 1 + c_chance_below(&w->chance, p->lanes);
	}
	if (count >= p->lanes)
		return 0;
	lane -= lane % count;
	return (uint8_t)(((1u << count) - 1) << lane & ((1u << p->lanes) - 1));
}

static uint64_t struck_with(struct world *w, const struct c_kind *k,
			    const struct c_port *p)
{
	uint64_t ret = 1ull << p->index;

	for (unsigned i = 0; i < w->c.ports; i++) {
		const struct c_port *q = &w->port[i];
		bool is_too = k->scope == C_SWITCH ||
			(k->scope == C_CAGE && q->cage == p->cage) ||
			(k->scope == C_GROUP && q->group == p->group) ||
			(k->scope == C_ZONE && q->zone == p->zone) ||
			(k->scope == C_SCATTERED &&
			 c_chance_unit(&w->chance) < 0.08) ||
			(k->scope == C_RACK && i / 8 == p->index / 8 &&
			 c_chance_unit(&w->chance) < 0.9);

		ret |= is_too ? 1ull << i : 0;
	}
	return ret;
}

/* Ports that it may strike, all of them free; 0: none was found. */
static uint64_t ports_draw(struct world *w, const struct c_kind *k,
			   uint64_t taken)
{
	for (unsigned tries = 0; tries < 3 * w->c.ports; tries++) {
		unsigned port = c_chance_below(&w->chance, w->c.ports);
		uint64_t ports;

		if (taken >> port & 1 || !fits(k, &w->port[port]))
			continue;
		ports = struck_with(w, k, &w->port[port]);
		if (!(ports & taken))
			return ports;
	}
	return 0;
}

static enum c_law law_draw(struct world *w)
{
	uint32_t all = (1u << C_LAW_COUNT) - 1;
	uint32_t laws = w->c.laws & all ? w->c.laws & all : all;
	unsigned law;

	do
		law = c_chance_below(&w->chance, C_LAW_COUNT);
	while (!(laws >> law & 1));
	return (enum c_law)law;
}

static int64_t end_draw(struct world *w, const struct c_kind *k,
			int64_t onset_ns)
{
	int64_t left_ns = w->c.length_ns - onset_ns;
	double lasts_s;

	if (k->lasts_s.high > 0) {
		lasts_s = c_chance_log(&w->chance, k->lasts_s) *
			  (w->is_slow ? SLOW_LASTS : 1);
		return onset_ns + (int64_t)fmin(lasts_s * 1e9,
						0.7 * (double)left_ns);
	}
	if (k->class != C_FAULT || k->from_start ||
	    k->signature == SIGNATURE_MODULE_CHANGED ||
	    c_chance_unit(&w->chance) > MENDED_SHARE)
		return C_NEVER;
	return onset_ns + (int64_t)((double)left_ns * drawn(w, 0.6, 0.95));
}

static void happening_draw(struct world *w, const struct c_kind *k,
			   uint64_t ports, int64_t onset_ns)
{
	const struct c_port *p = &w->port[__builtin_ctzll(ports)];
	bool is_weaker = w->c.hard && k->class != C_BENIGN && k->apply;
	struct c_happening *h = &w->plan[w->plans];

	*h = (struct c_happening){
		.kind = k, .ports = ports, .onset_ns = onset_ns,
		.mark = c_mark(w->c.seed, 0x5eed00 + w->plans),
		.lanes = lanes_draw(w, k, p), .law = law_draw(w),
		.size = !(k->size.high > 0) ? 1 :
			c_chance_log(&w->chance, k->size) *
			(is_weaker ? HARD_SIZE : 1),
		.lane_nm = p->media->step_nm, .lane_count = p->lanes,
	};
	h->end_ns = end_draw(w, k, onset_ns);
	h->span_s = (double)(w->c.length_ns - onset_ns) / 1e9 *
		    c_chance_log(&w->chance, (struct c_range){ 0.3, 1.4 });
}

static void ports_link(struct world *w, unsigned index, bool is_linked)
{
	const struct c_happening *h = &w->plan[index];

	for (uint64_t left = h->ports; left; left &= left - 1) {
		struct c_port *p = &w->port[__builtin_ctzll(left)];

		if (!is_linked)
			p->plans--;
		else if (p->plans < C_PORT_PLAN_MAX)
			p->plan[p->plans++] = (uint16_t)index;
	}
}

static void falls_lay(struct world *w, const struct c_happening *h)
{
	for (uint64_t left = h->ports; left && h->kind->lay;
	     left &= left - 1)
		h->kind->lay(w, h, &w->port[__builtin_ctzll(left)]);
}

/* Is it felt in time? What shows in readings alone need not be. */
static bool is_felt(const struct world *w, const struct truth *t,
		    const struct c_kind *k)
{
	int64_t by_ns = (int64_t)((double)w->c.length_ns * WITHIN);

	if (k->class == C_BENIGN || k->is_of_readings)
		return true;
	return t->effect_ns < by_ns;
}

/* False: it would not be felt, whatever its size. */
static bool strike(struct world *w, const struct c_kind *k, uint64_t ports,
		   int64_t onset_ns)
{
	double larger = 1;

	if (w->plans == C_PLAN_MAX || !ports)
		return false;
	for (unsigned tries = 0; tries < TRIES; tries++) {
		happening_draw(w, k, ports, onset_ns);
		if (k->size.high > k->size.low && !k->is_down &&
		    k->class != C_BENIGN && !k->is_of_readings)
			w->plan[w->plans].size *= larger;
		ports_link(w, w->plans, true);
		c_truth_tell(w, w->plans);
		if (is_felt(w, &w->truth[w->plans], k)) {
			falls_lay(w, &w->plan[w->plans++]);
			return true;
		}
		ports_link(w, w->plans, false);
		larger *= LARGER;
	}
	return false;
}

static int64_t onset_draw(struct world *w, const struct c_kind *k)
{
	if (k->from_start)
		return 0;
	return (int64_t)((double)w->c.length_ns *
			 (k->class == C_BENIGN ? drawn(w, 0.06, 0.88) :
						 drawn(w, 0.1, 0.6)));
}

static bool is_wide(const struct c_kind *k)
{
	return k->scope >= C_GROUP;
}

/* A signature's kinds by turns, so that some seeds in a row play them all; of
 * all kinds any one where there is no signature. NULL: it has none.
 */
static const struct c_kind *kind_draw(struct world *w,
				      const struct c_kind *rows,
				      enum signature signature, uint64_t turn)
{
	unsigned count = 0, wanted;

	for (const struct c_kind *k = rows; k->what; k++)
		count += !signature || k->signature == signature;
	if (!count)
		return NULL;
	wanted = signature ? (unsigned)((turn + w->c.seed + 5 * w->c.pace) %
					count) :
			     c_chance_below(&w->chance, count);
	for (const struct c_kind *k = rows; k->what; k++)
		if (!signature || k->signature == signature)
			if (!wanted--)
				return k;
	return NULL;
}

/* The second begins a tenth to a half of the case after the first. */
static void strike_again(struct world *w, const struct c_kind *first,
			 uint64_t ports, int64_t onset_ns)
{
	const struct c_port *p = &w->port[__builtin_ctzll(ports)];

	for (unsigned tries = 0; tries < 200; tries++) {
		const struct c_kind *k = kind_draw(w, c_faults, 0, 0);
		int64_t after_ns = (int64_t)((double)w->c.length_ns *
					     drawn(w, 0.1, 0.5));

		if (k->signature != first->signature && !k->is_down &&
		    !k->from_start && !is_wide(k) && fits(k, p) &&
		    onset_ns + after_ns < w->c.length_ns * 17 / 20 &&
		    strike(w, k, ports, onset_ns + after_ns))
			return;
	}
}

/* What many ports share: the air or a supply in half of the worlds, a core in
 * most, that there are enough of them to judge.
 */
static void wide_plan(struct world *w, uint64_t *struck)
{
	static const struct {
		enum signature signature;
		double share;
	} rows[] = { { SIGNATURE_ENVIRONMENT, 0.5 },
		     { SIGNATURE_SHARED_COMPONENT, 0.8 } };

	for (unsigned i = 0; i < 2; i++) {
		const struct c_kind *k = kind_draw(w, c_faults,
						   rows[i].signature, 0);
		uint64_t ports;

		if (c_chance_unit(&w->chance) > rows[i].share)
			continue;
		ports = ports_draw(w, k, *struck);
		if ((unsigned)__builtin_popcountll(*struck | ports) >
		    w->c.ports / 2)
			continue;
		if (strike(w, k, ports, onset_draw(w, k)))
			*struck |= ports;
	}
}

static uint64_t faults_plan(struct world *w)
{
	bool is_strange = w->c.mix == MIX_STRANGE, is_two = w->c.mix == MIX_TWO;
	unsigned turn = c_chance_below(&w->chance, SIGNATURE_COUNT);
	uint64_t struck = 0;

	if (w->c.mix == MIX_FAULTS)
		wide_plan(w, &struck);
	for (unsigned i = 0; i < 6 * w->c.ports; i++) {
		const struct c_kind *k = kind_draw(w, is_strange ?
			c_strangers : c_faults, is_strange ? 0 :
			(enum signature)(turn++ % (SIGNATURE_COUNT - 1) + 1),
			i / (SIGNATURE_COUNT - 1));
		uint64_t ports;
		int64_t onset_ns;

		if (!k || (!is_strange && is_wide(k)) ||
		    (is_two && (k->is_down || k->scope == C_CAGE)))
			continue;
		ports = ports_draw(w, k, struck);
		if ((unsigned)__builtin_popcountll(struck | ports) >
		    w->c.ports / 2)
			continue;
		onset_ns = onset_draw(w, k) * (is_two ? 3 : 4) / 4;
		if (!strike(w, k, ports, onset_ns))
			continue;
		struck |= ports;
		if (is_two)
			strike_again(w, k, ports, onset_ns);
	}
	return struck;
}

/* A kind alone where all are healthy; then any, on a third of the ports. */
static void benign_plan(struct world *w, uint64_t struck)
{
	bool is_healthy = w->c.mix == MIX_HEALTHY;
	unsigned kinds = 0, more = w->c.ports / 4;

	for (const struct c_kind *k = c_benign; k->what; k++, kinds++) {
		double share = is_healthy || k->from_start ? 1 : 0.3;

		if ((is_wide(k) || is_healthy) &&
		    c_chance_unit(&w->chance) < share)
			(void)strike(w, k, ports_draw(w, k, is_wide(k) ? 0 :
						      struck),
				     onset_draw(w, k));
	}
	for (unsigned i = 0; i < more; i++) {
		const struct c_kind *k = &c_benign[c_chance_below(&w->chance,
								  kinds)];

		if (!is_wide(k))
			(void)strike(w, k, ports_draw(w, k, struck),
				     onset_draw(w, k));
	}
}

void c_plan(struct world *w)
{
	uint64_t struck = w->c.mix == MIX_HEALTHY ? 0 : faults_plan(w);

	benign_plan(w, struck);
	/* cliffs count what came onto a port later on too */
	for (unsigned i = 0; i < w->plans; i++)
		if (w->plan[i].kind->class != C_BENIGN)
			c_truth_tell(w, i);
}
