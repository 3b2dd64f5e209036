#include "tests/judge/f_sudden.h"

#include <math.h>

#include "tests/judge/f_dice.h"
#include "tests/judge/f_link.h"
#include "tests/judge/f_wear.h"

#define WORST_LOG_BER (-1.6)

static const struct f_port *first_of(const struct world *w,
				     const struct f_event *e)
{
	return &w->state[__builtin_ctzll(e->ports)];
}

static struct truth *truth_of(struct world *w, const struct f_event *e)
{
	return &w->truth[e - w->event];
}

static double life_s(const struct world *w, const struct f_event *e)
{
	return fmin(e->end_s, w->length_s) - e->onset_s;
}

static void burst_add(struct f_event *e, struct f_burst b)
{
	if (e->bursts < F_BURSTS_MAX)
		e->burst[e->bursts++] = b;
}

static bool is_any(const struct f_port *p)
{
	return p->kind != NULL;
}

static bool has_monitors(const struct f_port *p)
{
	return p->kind->monitors;
}

static bool is_counted(const struct f_port *p)
{
	return !p->kind->coherent;
}

static void burst_act(const struct f_burst *b, const struct f_moment *m,
		      struct f_effect *x)
{
	double from = fmax((double)b->at_s, m->t_s - m->tick_s);
	double to = fmin((double)(b->at_s + b->long_s), m->t_s);
	bool begins = (double)b->at_s > m->t_s - m->tick_s;

	if ((double)b->at_s > m->t_s || (!begins && to <= from))
		return;
	if (b->mute) {
		x->dom_missed = true;
		return;
	}
	x->lost_codewords += begins ? (double)b->codewords : 0;
	if (b->falls) {
		x->falls += begins;
		x->down |= (double)(b->at_s + b->long_s) > m->t_s;
	} else if (b->long_s > 0) {
		x->burst_s += to - from;
		x->burst_log_ber = (double)b->log_ber;
	}
}

void f_sudden_act(const struct f_event *e, const struct f_moment *m,
		  struct f_effect *x)
{
	bool was_down = x->down;

	if (m->tick_s <= 0)
		return;
	for (unsigned i = 0; i < e->bursts; i++)
		burst_act(&e->burst[i], m, x);
	if (x->down && !was_down) {
		x->reason = e->reason;
		x->dark |= e->reason == DOWN_RX_LOS;
	}
}

/* --- bursts -------------------------------------------------------------- */

/* A receiver that slips: some codewords are lost at once, and the mean of the
 * errors does not show it.
 */
static void lost_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	double life = life_s(w, e), lost = 0;
	unsigned n = (unsigned)f_log_between(dice, 12, F_BURSTS_MAX);

	for (unsigned i = 0; i < n; i++) {
		double codewords = ceil(f_log_between(dice, 1, 2500));

		lost += codewords;
		burst_add(e, (struct f_burst){
			.at_s = (float)(e->onset_s + (i ? f_between(dice, 0, 1)
							: 0) * life),
			.codewords = (float)codewords });
	}
	e->lost_per_s = lost / fmax(1, life);
	if (f_chance(dice, 0.45))
		truth_of(w, e)->action = ACTION_REPLACE_NEAR;
}

/* One time of shaking: jumps of the errors, falls, readings that fail. */
static double shake_add(struct world *w, struct f_event *e, double at_s,
			uint64_t *dice)
{
	const struct f_port *p = first_of(w, e);
	unsigned n = 1 + f_pick(dice, 6);
	double lost = 0;

	if (p->kind->monitors && f_chance(dice, 0.6))
		burst_add(e, (struct f_burst){
			.at_s = (float)(at_s + f_between(dice, -10, 5)),
			.long_s = (float)f_log_between(dice, 15, 240),
			.mute = true });
	for (unsigned i = 0; i < n; i++) {
		double log_ber = fmin(WORST_LOG_BER, p->fall_log_ber +
				      f_between(dice, -1.4, 0.25));
		double long_s = f_log_between(dice, 0.5, 15);

		burst_add(e, (struct f_burst){
			.at_s = (float)at_s, .long_s = (float)long_s,
			.log_ber = (float)log_ber,
			.falls = f_chance(dice, 0.2) });
		lost += long_s * p->codewords_per_s *
			f_code_loss(&p->code, pow(10, log_ber));
		at_s += long_s + f_log_between(dice, 3, 90);
	}
	return lost;
}

/* Fretted contacts: wind, heat and hands move them (Alibaba HPN and others
 * found that a reseat helps these).
 */
static void loose_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	double life = life_s(w, e), lost = 0;
	unsigned n = 3 + f_pick(dice, 10);

	e->reason = DOWN_MAC_LOCAL_FAULT;
	for (unsigned i = 0; i < n && e->bursts + 8 < F_BURSTS_MAX; i++)
		lost += shake_add(w, e, e->onset_s + life *
				  (i ? f_between(dice, 0, 0.97) : 0), dice);
	e->lost_per_s = lost / fmax(1, life);
}

/* The link falls in runs; nothing is wrong with it while it is up. */
static void flaps_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	static const enum down_reason reason[] = {
		DOWN_MAC_REMOTE_FAULT, DOWN_MAC_REMOTE_FAULT,
		DOWN_MAC_LOCAL_FAULT, DOWN_FEC_ALIGNMENT_LOSS, DOWN_RX_LOS,
	};
	unsigned runs = 1 + f_pick(dice, 4);
	double life = life_s(w, e);

	e->reason = reason[f_pick(dice, first_of(w, e)->kind->optical ? 5 : 4)];
	for (unsigned i = 0; i < runs; i++) {
		unsigned n = 4 + f_pick(dice, 11);
		double at_s = e->onset_s + life * 0.9 * i / runs;
		double gap_s = f_log_between(dice, 6, 80);

		for (unsigned k = 0; k < n; k++) {
			double long_s = f_log_between(dice, 0.3, 12);

			burst_add(e, (struct f_burst){
				.at_s = (float)at_s, .long_s = (float)long_s,
				.falls = true });
			at_s += long_s + gap_s * f_log_between(dice, 0.4, 2.5);
		}
	}
}

/* --- down ---------------------------------------------------------------- */

enum down_mode { SILENT_PEER, NO_LIGHT, PULLED, OWN_TX, TX_OFF };

struct way_down {
	enum down_reason reason;
	enum down_mode mode;
	enum fault_end end;
	enum action action;
};

static const struct way_down light_ways[] = {
	{ DOWN_NO_MODULE, PULLED, END_NEAR, ACTION_REPLACE_NEAR },
	{ DOWN_RX_LOS, NO_LIGHT, END_PATH, ACTION_CHECK_PEER },
	{ DOWN_RX_LOS, NO_LIGHT, END_PATH, ACTION_REPLACE_CABLE },
	{ DOWN_TX_FAULT, OWN_TX, END_NEAR, ACTION_REPLACE_NEAR },
	{ DOWN_TX_DISABLED, TX_OFF, END_NEAR, ACTION_FIX_CONFIG },
	{ DOWN_MAC_REMOTE_FAULT, SILENT_PEER, END_FAR, ACTION_CHECK_PEER },
	{ DOWN_MAC_LOCAL_FAULT, SILENT_PEER, END_FAR, ACTION_CHECK_PEER },
	{ DOWN_FEC_ALIGNMENT_LOSS, SILENT_PEER, END_FAR, ACTION_CHECK_PEER },
	{ DOWN_FEC_SYNC_LOSS, SILENT_PEER, END_FAR, ACTION_CHECK_PEER },
};
static const struct way_down copper_ways[] = {
	{ DOWN_TRAINING, SILENT_PEER, END_PATH, ACTION_REPLACE_CABLE },
	{ DOWN_NO_CARRIER, SILENT_PEER, END_FAR, ACTION_CHECK_PEER },
	{ DOWN_MAC_REMOTE_FAULT, SILENT_PEER, END_FAR, ACTION_CHECK_PEER },
};

static void down_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	const struct way_down *way = first_of(w, e)->kind->optical ?
		&light_ways[f_pick(dice, 9)] : &copper_ways[f_pick(dice, 3)];
	struct truth *t = truth_of(w, e);

	if (way->mode == PULLED && first_of(w, e)->kind->twin)
		way = &light_ways[1];	/* its twin would be gone as well */
	e->mode = way->mode;
	e->reason = way->reason;
	t->end = way->end;
	t->action = way->action;
	if (f_chance(dice, 0.4))
		e->end_s = e->onset_s + (w->length_s - e->onset_s) *
			   f_log_between(dice, 0.15, 0.8);
}

static void down_act(const struct f_event *e, const struct f_moment *m,
		     struct f_effect *x)
{
	(void)m;
	x->down = true;
	x->reason = e->reason;
	x->dark |= e->mode == NO_LIGHT;
	x->absent |= e->mode == PULLED;
	x->off |= e->mode == TX_OFF || e->mode == OWN_TX;
	x->tx_fault |= e->mode == OWN_TX;
}

/* --- monitors and modules ------------------------------------------------ */

enum { NONSENSE_NOW_AND_THEN, MUTE };

/* The two wires to the module, or its controller. */
static void sensor_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	(void)w;
	e->mode = f_chance(dice, 0.65) ? NONSENSE_NOW_AND_THEN : MUTE;
	e->size = e->mode == MUTE ? f_between(dice, 0.7, 1)
				  : f_log_between(dice, 0.08, 0.9);
	e->growth.bend = 1 + f_pick(dice, F_NONSENSES - 1);
}

static void sensor_act(const struct f_event *e, const struct f_moment *m,
		       struct f_effect *x)
{
	/* One throw each ten seconds: as often as modules are read. */
	uint64_t turn = e->dice + (uint64_t)(m->t_s / 10);

	if (!f_chance(&turn, e->size))
		return;
	if (e->mode == MUTE)
		x->dom_missed = true;
	else
		x->nonsense = (enum f_nonsense)e->growth.bend;
}

void f_sudden_swap_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	bool worse = !e->row->benign;
	double wide = worse ? 1.2 : 0.35;

	(void)w;
	e->more = f_log_between(dice, 25, 300);	/* the cage is empty */
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		e->part[i] = wide * 0.4 * f_normal(dice);
	e->size = wide * f_between(dice, -0.6, worse ? 0.9 : 0.5);
	e->end_s = e->onset_s + e->more;
}

void f_sudden_swap_act(const struct f_event *e, const struct f_moment *m,
		       struct f_effect *x)
{
	if (m->t_s < e->onset_s + e->more) {
		x->down = x->absent = true;
		x->reason = DOWN_NO_MODULE;
		return;
	}
	x->module = e->dice;
	x->snr_db += e->size;
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++) {
		x->tx_db[i] += e->part[i];
		x->bias_part[i] += 0.15 * e->part[WORLD_LANES_MAX - 1 - i];
		x->loss_db[i] += 0.2 * e->part[i];
	}
	x->heat_c += 3 * e->part[0];
}

/* --- groups -------------------------------------------------------------- */

/* A clock or a supply fails for a moment, or for good: all links at once. */
static void group_falls_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	unsigned n = f_chance(dice, 0.4) ? 1 : 2 + f_pick(dice, 5);

	e->reason = DOWN_FEC_ALIGNMENT_LOSS;
	for (unsigned i = 0; i < n; i++)
		burst_add(e, (struct f_burst){
			.at_s = (float)(e->onset_s + life_s(w, e) * 0.9 * i /
					n),
			.long_s = (float)(n == 1 ? 4 * life_s(w, e) :
					  f_log_between(dice, 5, 400)),
			.falls = true });
}

const struct f_row f_sudden_rows[] = {
	{ .what = "slips", .signature = SIGNATURE_FEC_UNCORRECTABLE,
	  .action = ACTION_RESEAT_NEAR, .weight = 1.3, .suits = is_counted,
	  .make = lost_make, .act = f_sudden_act },
	{ .what = "bad_contact", .signature = SIGNATURE_LOOSE_MODULE,
	  .end = END_NEAR, .action = ACTION_RESEAT_NEAR, .weight = 1.5,
	  .suits = is_counted, .make = loose_make, .act = f_sudden_act },
	{ .what = "flaps", .signature = SIGNATURE_FLAP_BURST,
	  .action = ACTION_CHECK_PEER, .weight = 1.2, .suits = is_any,
	  .make = flaps_make, .act = f_sudden_act },
	{ .what = "link_down", .signature = SIGNATURE_LINK_DOWN,
	  .weight = 1.5, .suits = is_any, .make = down_make,
	  .act = down_act },
	{ .what = "monitors_fail", .signature = SIGNATURE_SENSOR_FAULT,
	  .end = END_NEAR, .action = ACTION_RESEAT_NEAR, .weight = 1.2,
	  .suits = has_monitors, .make = sensor_make, .act = sensor_act },
	{ .what = "other_module", .signature = SIGNATURE_MODULE_CHANGED,
	  .end = END_NEAR, .action = ACTION_OBSERVE, .of_module = true,
	  .lasting = true, .weight = 0.9, .suits = has_monitors,
	  .make = f_sudden_swap_make, .act = f_sudden_swap_act },
	{ 0 },
};

const struct f_row f_group_rows[] = {
	{ .what = "shared_noise", .signature = SIGNATURE_SHARED_COMPONENT,
	  .end = END_NEAR, .action = ACTION_REPLACE_NEAR, .weight = 2,
	  .make = f_wear_shared_make, .act = f_wear_shared_act },
	{ .what = "shared_falls", .signature = SIGNATURE_SHARED_COMPONENT,
	  .end = END_NEAR, .action = ACTION_REPLACE_NEAR, .weight = 1,
	  .make = group_falls_make, .act = f_sudden_act },
	{ 0 },
};

/* --- air ----------------------------------------------------------------- */

#define STANDS_AT 0.1			/* of its speed: it has failed */

double f_sudden_fan(const struct f_event *e, double t_s)
{
	double grown = f_growth_at(&e->growth, t_s - e->onset_s);

	if (e->mode == 0 || t_s < e->onset_s || t_s >= e->end_s)
		return 1;
	return fmax(0.02, 1 - fmin(1, grown) * e->more);
}

/* A bearing that wears slows the fan, or it stops. */
static void fan_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	e->mode = 1;
	e->more = f_between(dice, 0.55, 1);
	e->size = (w->at.hard ? 0.7 : 1) * f_between(dice, 3, 11);
	if (f_chance(dice, 0.5)) {
		f_wear_grows(w, e, dice, 0);
		e->growth.span_s *= 0.7;
	} else {
		e->more = 1 - STANDS_AT / 2;
	}
}

/* Blanks that miss, exhaust that comes around: warm air, and no fan shows it.
 */
static void warm_air_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	e->size = (w->at.hard ? 0.7 : 1) * f_between(dice, 6, 15);
	if (f_chance(dice, 0.4))
		f_wear_grows(w, e, dice, 0);
}

static double air_heat(const struct f_event *e, double t_s)
{
	double grown = fmin(1.3, f_growth_at(&e->growth,
					     t_s - e->onset_s));

	/* Air takes a few minutes. */
	return t_s < e->end_s ? e->size * grown *
				-expm1(-(t_s - e->onset_s) / 200) : 0;
}

static void supply_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	(void)w;
	e->size = f_between(dice, 0.12, 0.6) *
		  (f_chance(dice, 0.8) ? -1 : 0.5);
}

double f_sudden_supply(const struct f_event *e, double t_s)
{
	return t_s >= e->onset_s && t_s < e->end_s ? 1 + e->size : 1;
}

const struct f_row f_air_rows[] = {
	{ .what = "fan", .signature = SIGNATURE_ENVIRONMENT,
	  .action = ACTION_FIX_AIRFLOW, .weight = 2, .make = fan_make,
	  .heat = air_heat },
	{ .what = "warm_air", .signature = SIGNATURE_ENVIRONMENT,
	  .action = ACTION_FIX_AIRFLOW, .weight = 1.5,
	  .make = warm_air_make, .heat = air_heat },
	{ .what = "supply", .signature = SIGNATURE_ENVIRONMENT,
	  .action = ACTION_REPLACE_NEAR, .weight = 0.4, .make = supply_make },
	{ 0 },
};
