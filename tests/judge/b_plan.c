/* Faults begin at 12 to 60 % of the case, benign changes at 8 to 85 %; a
 * fault's size is drawn against the port's own margin, from well short of the
 * cliff to well beyond. Hard: half of that. A fault in eight is mended before
 * the case ends. All of this is chosen.
 */
#include "tests/judge/b_plan.h"

#include <math.h>
#include <string.h>

#include "tests/judge/b_truth.h"
#include "tests/judge/b_world.h"

#define SLOW_LASTS 6.0		/* works take longer where a tick is longer */
#define MENDED_SHARE 0.12
#define LOSS_MAX_DB 8.0
#define HEAT_SLOPE_MIN 0.014	/* dB a degree */
#define WIDE_SHARE 0.3		/* of worlds, each */

/* At which log10 of errors a code loses a codeword an hour. */
static double cliff_log_ber(const struct b_port *p)
{
	return !p->code ? -1.88 : p->code->mends > 7 ? -3.57 : -4.49;
}

static double margin_db(const struct world *w, const struct b_port *p,
			uint8_t lanes)
{
	double least = 100;

	for (unsigned i = 0; i < p->lanes; i++)
		if (!lanes || lanes >> i & 1)
			least = fmin(least, p->lane[i].q_db);
	return least - b_eye_q_db(&w->eye, cliff_log_ber(p));
}

/* The loss of light that costs the eye so much; noise that goes with the
 * signal leaves no loss without its price.
 */
static double loss_for(const struct b_noise *noise, double penalty_db)
{
	double low = 0, high = LOSS_MAX_DB;

	for (unsigned i = 0; i < 30; i++) {
		double mid = (low + high) / 2;

		*(b_noise_penalty_db(noise, mid, 0, 0) < penalty_db ?
		  &low : &high) = mid;
	}
	return low;
}

static double size_draw(struct world *w, const struct b_kind *k,
			const struct b_port *p, uint8_t lanes)
{
	bool is_hard = w->c.hard && k->class != B_BENIGN;
	double high = k->size.high, size;

	if (!(high > 0))
		return 0;
	if (is_hard && k->unit == B_PLAIN)
		high = sqrt(k->size.low * high);
	size = b_draw_log(&w->draw, k->size.low, high);
	if (k->unit == B_PLAIN)
		return size;
	size *= is_hard ? 0.5 : 1;
	if (k->unit == B_AS_HEAT)
		return size;
	size *= margin_db(w, p, lanes);
	if (k->unit == B_AS_LOSS)
		size = fmax(loss_for(&p->lane[0].noise, size),
			    is_hard ? 0.6 : 0.9);
	return fmax(size, 0.2);
}

static uint8_t lanes_draw(struct world *w, const struct b_kind *k,
			  const struct b_port *p)
{
	double u = b_draw_unit(&w->draw);
	uint8_t lane = (uint8_t)(1u << b_draw_below(&w->draw, p->lanes));
	uint8_t other = (uint8_t)(1u << b_draw_below(&w->draw, p->lanes));

	if (k->scope == B_LANE || (k->scope == B_LANES && u < 0.4))
		return p->lanes > 1 ? lane : 0;
	if (k->scope == B_LANES && u < 0.6 && p->lanes > 2)
		return lane | other;
	return 0;
}

static enum b_law law_draw(struct world *w)
{
	uint32_t all = (1u << B_LAW_COUNT) - 1;
	uint32_t laws = w->c.laws & all ? w->c.laws & all : all;
	unsigned law;

	do
		law = b_draw_below(&w->draw, B_LAW_COUNT);
	while (!(laws >> law & 1));
	return (enum b_law)law;
}

static int64_t end_draw(struct world *w, const struct b_kind *k,
			int64_t onset_ns)
{
	int64_t left_ns = w->c.length_ns - onset_ns;
	double lasts_s;

	if (k->lasts_s.high > 0) {
		lasts_s = b_draw_log(&w->draw, k->lasts_s.low, k->lasts_s.high);
		lasts_s *= w->c.pace == PACE_SLOW ? SLOW_LASTS : 1;
		return onset_ns + (int64_t)fmin(lasts_s * 1e9,
						0.6 * (double)left_ns);
	}
	if (k->class == B_FAULT && !k->from_start &&
	    k->signature != SIGNATURE_MODULE_CHANGED &&
	    b_draw_unit(&w->draw) < MENDED_SHARE)
		return onset_ns + (int64_t)((double)left_ns *
			b_draw_between(&w->draw, 0.5, 0.9));
	return INT64_MAX;
}

static int64_t onset_draw(struct world *w, const struct b_kind *k)
{
	bool is_benign = k->class == B_BENIGN;

	if (k->from_start)
		return 0;
	return (int64_t)((double)w->c.length_ns *
			 b_draw_between(&w->draw, is_benign ? 0.08 : 0.12,
					is_benign ? 0.85 : 0.6));
}

/* Of the ports struck the first one settles the size. */
static void strike(struct world *w, const struct b_kind *k, uint64_t ports,
		   int64_t onset_ns)
{
	const struct b_port *p = &w->port[__builtin_ctzll(ports)];
	struct b_happening *h = &w->plan[w->plan_count];

	if (w->plan_count == B_PLAN_MAX)
		return;
	h->kind = k;
	h->ports = ports;
	h->lanes = lanes_draw(w, k, p);
	h->zone = p->zone;
	h->onset_ns = onset_ns;
	h->end_ns = end_draw(w, k, onset_ns);
	h->law = law_draw(w);
	h->size = size_draw(w, k, p, h->lanes);
	h->span_s = (double)(w->c.length_ns - onset_ns) / 1e9 *
		    b_draw_log(&w->draw, 0.35, 1.5);
	h->step_nm = p->media->step_nm;
	h->pace = w->c.pace;
	h->length_ns = w->c.length_ns;
	h->seed = b_draw_u64(&w->draw);
	for (uint64_t left = ports; left && k->apply; left &= left - 1) {
		struct b_port *q = &w->port[__builtin_ctzll(left)];

		if (q->plan_count < B_PORT_PLAN_MAX)
			q->plan[q->plan_count++] = (uint16_t)w->plan_count;
	}
	w->plan_count++;
}

static bool fits(const struct b_kind *k, const struct b_port *p)
{
	bool feels_heat = p->slope_db_k >= HEAT_SLOPE_MIN &&
			  p->line_ber > 3 * p->host_ber;

	return k->media >> p->medium & 1 &&
	       (k->unit != B_AS_HEAT || feels_heat) &&
	       (k->scope != B_LANE || p->lanes > 1);
}

static uint64_t all_ports(const struct world *w)
{
	return w->c.ports == 64 ? UINT64_MAX : (1ull << w->c.ports) - 1;
}

/* Whom it strikes beside the port that was drawn. */
static uint64_t struck_with(struct world *w, const struct b_kind *k,
			    unsigned port)
{
	const struct b_port *p = &w->port[port];
	uint64_t ret = 1ull << port;

	if (k->scope == B_SWITCH)
		return all_ports(w);
	for (unsigned i = 0; i < w->c.ports; i++) {
		const struct b_port *q = &w->port[i];

		if ((k->scope == B_MODULE && q->cage == p->cage) ||
		    (k->scope == B_GROUP && q->group == p->group) ||
		    (k->scope == B_ZONE && q->zone == p->zone) ||
		    (k->scope == B_RACK && b_draw_unit(&w->draw) < 0.35))
			ret |= 1ull << i;
	}
	return ret;
}

/* Ports that a kind strikes, none of which is struck; 0: none was found. */
static uint64_t ports_draw(struct world *w, const struct b_kind *k,
			   uint64_t struck)
{
	for (unsigned tries = 0; tries < 4 * w->c.ports; tries++) {
		unsigned port = b_draw_below(&w->draw, w->c.ports);
		uint64_t ports;

		if (struck >> port & 1 || !fits(k, &w->port[port]))
			continue;
		ports = struck_with(w, k, port);
		if (!(ports & struck))
			return ports;
	}
	return 0;
}

/* A row of the signature, or of all where there is none. */
static const struct b_kind *fault_draw(struct world *w, unsigned signature)
{
	const struct b_kind *found = NULL;
	double seen = 0;

	if (w->c.mix == MIX_STRANGE)
		return &b_strange[signature % b_strange_count];
	for (unsigned i = 0; i < b_fault_count; i++)
		if (b_faults[i].signature == (enum signature)signature &&
		    b_draw_unit(&w->draw) * ++seen < 1)
			found = &b_faults[i];
	return found;
}

static bool is_wide(const struct b_kind *k)
{
	return k->scope == B_GROUP || k->scope == B_ZONE;
}

static bool comes_in_bursts(const struct b_kind *k)
{
	return k->signature == SIGNATURE_FEC_UNCORRECTABLE ||
	       k->signature == SIGNATURE_LOOSE_MODULE;
}

/* Not beside the first: what hides it, mends it, or bursts as well. */
static bool goes_with(const struct b_kind *k, const struct b_kind *first)
{
	return k->signature != first->signature && !is_wide(k) &&
	       !k->is_down && !k->from_start &&
	       k->signature != SIGNATURE_MODULE_CHANGED &&
	       !(comes_in_bursts(k) && comes_in_bursts(first));
}

/* Another cause, on the same port, while the first is seen. */
static void strike_again(struct world *w, const struct b_kind *first,
			 uint64_t ports, int64_t onset_ns)
{
	unsigned port = (unsigned)__builtin_ctzll(ports);
	int64_t onset = onset_ns + (int64_t)((double)w->c.length_ns *
		b_draw_between(&w->draw, 0.1, 0.5));

	for (unsigned tries = 0; tries < 200; tries++) {
		const struct b_kind *k = &b_faults[
			b_draw_below(&w->draw, b_fault_count)];

		if (!goes_with(k, first) || !fits(k, &w->port[port]))
			continue;
		strike(w, k, struck_with(w, k, port), onset);
		return;
	}
}

/* Somebody mends it: unplugs, cleans, plugs in. */
static void mended_plan(struct world *w, uint64_t ports)
{
	const struct b_happening *h = &w->plan[w->plan_count - 1];

	if (h->kind->class != B_FAULT || h->kind->is_down ||
	    is_wide(h->kind) || h->end_ns > w->c.length_ns)
		return;
	for (unsigned i = 0; i < b_benign_count; i++)
		if (!strcmp(b_benign[i].what, "recabling"))
			strike(w, &b_benign[i], ports, h->end_ns);
}

/* One core, or the air of one zone, in so many worlds. */
static uint64_t wide_plan(struct world *w, unsigned most)
{
	double u = b_draw_unit(&w->draw);
	const struct b_kind *k;
	uint64_t ports;

	if (w->c.mix != MIX_FAULTS || u > 2 * WIDE_SHARE)
		return 0;
	k = fault_draw(w, u < WIDE_SHARE ? SIGNATURE_SHARED_COMPONENT :
					   SIGNATURE_ENVIRONMENT);
	ports = ports_draw(w, k, 0);
	if (!ports || (unsigned)__builtin_popcountll(ports) > most)
		return 0;
	strike(w, k, ports, onset_draw(w, k));
	return ports;
}

/* Till nearly half of the ports are struck; signatures take turns. */
static uint64_t faults_plan(struct world *w)
{
	unsigned most = w->c.ports > 1 ? w->c.ports / 2 : 1;
	unsigned turn = b_draw_below(&w->draw, SIGNATURE_COUNT);
	uint64_t struck = wide_plan(w, most);

	for (unsigned i = 0; i < 4 * w->c.ports; i++) {
		const struct b_kind *k = fault_draw(w, turn++ %
						    SIGNATURE_COUNT);
		uint64_t ports;
		int64_t onset_ns;

		if (!k || is_wide(k) || (w->c.mix == MIX_TWO && k->is_down))
			continue;
		ports = ports_draw(w, k, struck);
		if (!ports || (unsigned)__builtin_popcountll(struck | ports) >
			      most)
			continue;
		struck |= ports;
		onset_ns = onset_draw(w, k);
		strike(w, k, ports, onset_ns);
		if (w->c.mix == MIX_TWO)
			strike_again(w, k, ports, onset_ns);
		else
			mended_plan(w, ports);
	}
	return struck;
}

static void benign_strike(struct world *w, const struct b_kind *k,
			  uint64_t struck)
{
	uint64_t ports = ports_draw(w, k, struck);

	if (ports)
		strike(w, k, ports, onset_draw(w, k));
}

/* What befalls a whole switch, or a rack of its peers, asks nobody. */
static void switch_plan(struct world *w)
{
	for (unsigned i = 0; i < b_benign_count; i++) {
		const struct b_kind *k = &b_benign[i];
		double share = w->c.mix == MIX_HEALTHY || k->from_start ? 1 :
			       0.35;

		if (k->scope < B_RACK || b_draw_unit(&w->draw) > share)
			continue;
		benign_strike(w, k, 0);
	}
}

/* Each kind once where all are healthy, then any on a third of the ports. */
static void benign_plan(struct world *w, uint64_t struck)
{
	unsigned more = (w->c.ports - (unsigned)__builtin_popcountll(struck)) /
			3;

	for (unsigned i = 0; i < b_benign_count &&
			     w->c.mix == MIX_HEALTHY; i++)
		if (b_benign[i].scope < B_RACK)
			benign_strike(w, &b_benign[i], struck);
	for (unsigned i = 0; i < more; i++) {
		const struct b_kind *k = &b_benign[
			b_draw_below(&w->draw, b_benign_count)];

		if (k->scope < B_RACK)
			benign_strike(w, k, struck);
	}
}

void b_plan(struct world *w)
{
	uint64_t struck = w->c.mix == MIX_HEALTHY ? 0 : faults_plan(w);

	switch_plan(w);
	benign_plan(w, struck);
	for (unsigned i = 0; i < w->plan_count; i++)
		b_truth_tell(w, i);
}
