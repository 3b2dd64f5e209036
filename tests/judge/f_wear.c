#include "tests/judge/f_wear.h"

#include <math.h>

#include "tests/judge/f_dice.h"
#include "tests/judge/f_link.h"

#define MOST_DB 10.0
#define HARD 0.6
/* Laws that a laser does not follow: it neither jumps nor comes back. */
#define JUMPS (UINT32_C(1) << 5 | UINT32_C(1) << 7)
#define DIFFUSIVE (UINT32_C(1) << 3)
#define APC_MOST 0.55		/* more current than that is not given */
#define NEAR_PART 0.6		/* of the faults of one end */

static struct f_port *first_of(struct world *w, const struct f_event *e)
{
	return &w->state[__builtin_ctzll(e->ports)];
}

static struct truth *truth_of(struct world *w, const struct f_event *e)
{
	return &w->truth[e - w->event];
}

static double mild(const struct world *w)
{
	return w->at.hard ? HARD : 1;
}

void f_wear_grows(const struct world *w, struct f_event *e, uint64_t *dice,
		  uint32_t without)
{
	uint32_t laws = w->at.laws ? w->at.laws : UINT32_MAX;
	double span_s = (w->length_s - e->onset_s) *
			f_log_between(dice, 0.2, 1.6);

	if (laws & ~without & ((UINT32_C(1) << 9) - 1))
		laws &= ~without;
	e->growth = f_growth_draw(dice, laws, span_s);
}

/* How many decades of the way to the cliff: of a step less than of a growth.
 */
static double aim(struct world *w, const struct f_event *e, uint64_t *dice)
{
	const struct f_port *p = first_of(w, e);
	double way = p->cliff_log_ber - p->base_log_ber;
	double share = e->growth.law < 0 ? f_between(dice, 0.4, 0.85)
					 : f_log_between(dice, 0.8, 1.6);

	return p->base_log_ber + way * share * (w->at.hard ? 0.7 : 1);
}

static void size_by_noise(struct world *w, struct f_event *e, uint64_t *dice)
{
	e->size = f_link_db_for(w, first_of(w, e), e->part, false,
				aim(w, e, dice), MOST_DB);
}

static void all_lanes(struct f_event *e, uint64_t *dice, double spread)
{
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		e->part[i] = 1 + spread * f_between(dice, -1, 1);
}

static void one_lane(struct world *w, struct f_event *e, uint64_t *dice)
{
	unsigned lane = f_pick(dice, first_of(w, e)->kind->lanes);

	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		e->part[i] = i == lane;
	truth_of(w, e)->lanes = (uint8_t)(1u << lane);
}

static double grown(const struct f_event *e, double t_s)
{
	return e->size * f_growth_at(&e->growth, t_s - e->onset_s);
}

static void noise_act(const struct f_event *e, const struct f_moment *m,
		      struct f_effect *x)
{
	double db = grown(e, m->t_s);

	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		x->lane_snr_db[i] += db * e->part[i];
}

static void light_act(const struct f_event *e, const struct f_moment *m,
		      struct f_effect *x)
{
	double db = grown(e, m->t_s);

	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		x->loss_db[i] += db * e->part[i];
}

/* --- errors without a cause that shows ----------------------------------- */

static bool is_light(const struct f_port *p)
{
	return p->kind->optical;
}

static bool has_plugs(const struct f_port *p)
{
	return p->kind->plugs;
}

/* The receiver's amplifier or its processor ages. */
static void receiver_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	f_wear_grows(w, e, dice, 0);
	all_lanes(e, dice, 0.3);
	size_by_noise(w, e, dice);
}

/* An edge connector oxidises: all lanes, and diffusion is its law. */
static void oxide_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	f_wear_grows(w, e, dice, ~DIFFUSIVE);
	all_lanes(e, dice, 0.15);
	size_by_noise(w, e, dice);
}

/* Two dirty faces reflect: the light that comes twice is noise (MPI), and none
 * of it is missed.
 */
static void reflection_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	all_lanes(e, dice, 0.2);
	size_by_noise(w, e, dice);
	if (!f_chance(dice, NEAR_PART))
		truth_of(w, e)->action = ACTION_CLEAN_FAR;
}

/* --- the path ------------------------------------------------------------ */

#define HANDLED 1u

/* IEC 61300-3-35: dust on a core takes light of every colour alike; of a
 * ribbon's connector it strikes the fibres that it lies on.
 */
static void dirt_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	const struct f_port *p = first_of(w, e);
	struct truth *t = truth_of(w, e);
	unsigned struck = 1 + f_pick(dice, p->kind->lanes > 2 ? 3 : 1);
	unsigned at = f_pick(dice, p->kind->lanes);
	double most_db;

	all_lanes(e, dice, 0.02);
	for (unsigned i = 0; !p->kind->one_fibre && i < p->kind->lanes; i++) {
		unsigned lane = (at + i) % p->kind->lanes;

		e->part[lane] = i ? f_between(dice, 0.25, 1) : 1;
		if (i >= struck)
			e->part[lane] = 0;
		else
			t->lanes |= (uint8_t)(1u << lane);
	}
	most_db = f_link_db_for(w, p, e->part, true, p->fall_log_ber - 0.25,
				MOST_DB);
	e->size = fmin(most_db, mild(w) * f_log_between(dice, 1, 4.2));
	if (f_chance(dice, 0.55)) {
		e->mode = HANDLED;
		e->more = f_log_between(dice, 8, 120);
	} else if (f_chance(dice, 0.4)) {
		t->action = ACTION_CLEAN_FAR;
	}
}

static void dirt_act(const struct f_event *e, const struct f_moment *m,
		     struct f_effect *x)
{
	light_act(e, m, x);
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		x->lane_snr_db[i] += 0.06 * e->size * e->part[i];
	if (e->mode == HANDLED && m->t_s < e->onset_s + e->more) {
		x->down = x->dark = true;
		x->reason = DOWN_RX_LOS;
	}
}

/* Bends lose more of longer waves: by half to twice over the 60 nm of CWDM
 * (G.652 and G.657, from what they allow at 1550 and 1625 nm). The fibres of a
 * ribbon lie at different radii. What is bent still moves.
 */
static void bend_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	const struct f_port *p = first_of(w, e);
	double per_nm = 1 / f_between(dice, 75, 140), most_db;

	for (unsigned i = 0; i < p->kind->lanes; i++)
		e->part[i] = p->kind->one_fibre ?
			     exp(per_nm * i * p->kind->wave_step_nm) :
			     f_between(dice, 0.75, 1.3);
	most_db = f_link_db_for(w, p, e->part, true, p->cliff_log_ber + 0.25,
				MOST_DB);
	e->size = fmin(most_db, mild(w) * f_log_between(dice, 0.9, 3.2));
	e->more = f_log_between(dice, 0.05, 0.25);
	e->period_s = w->length_s / f_log_between(dice, 8, 60);
}

/* Someone, or the air, moves it from time to time. */
static void bend_act(const struct f_event *e, const struct f_moment *m,
		     struct f_effect *x)
{
	uint64_t turn = e->dice +
			(uint64_t)((m->t_s - e->onset_s) / e->period_s);
	double db = e->size * (1 + 1.2 * e->more * (2 * f_uniform(&turn) - 1));

	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		x->loss_db[i] += db * e->part[i];
	x->sway_db += e->size * e->more;
}

/* --- lasers -------------------------------------------------------------- */

/* The far module's: all lanes that one laser feeds, or a colour. */
static void far_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	const struct f_port *p = first_of(w, e);

	f_wear_grows(w, e, dice, JUMPS);
	all_lanes(e, dice, 0.08);
	if (p->kind->lanes > 1 && f_chance(dice, 0.4))
		one_lane(w, e, dice);
	e->size = fmax(1.2, f_link_db_for(w, p, e->part, true,
					  aim(w, e, dice), MOST_DB));
}

static void tx_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	const struct f_port *p = first_of(w, e);

	f_wear_grows(w, e, dice, JUMPS);
	all_lanes(e, dice, 0.08);
	if (p->kind->lanes > 1 && f_chance(dice, p->keeps_power ? 0.7 : 0.3))
		one_lane(w, e, dice);
	e->size = mild(w) * f_log_between(dice, 1.5, 6);
}

/* Less light for the same current, or more current for the same light until
 * there is no more.
 */
static void tx_act(const struct f_event *e, const struct f_moment *m,
		   struct f_effect *x)
{
	const struct f_port *p = &m->world->state[m->port];
	double db = grown(e, m->t_s);

	for (unsigned i = 0; i < WORLD_LANES_MAX; i++) {
		double lost_db = db * e->part[i];
		double more = expm1(lost_db * M_LN10 / 10);

		if (p->keeps_power) {
			more = fmin(more, APC_MOST);
			x->bias_part[i] += more;
			lost_db -= 10 * log1p(more) / M_LN10;
		}
		x->tx_db[i] -= lost_db;
	}
}

/* --- heat ---------------------------------------------------------------- */

static bool may_overheat(const struct f_port *p)
{
	return p->kind->monitors && !p->kind->coherent &&
	       p->ber_per_c >= 0.014;
}

/* Dust and cables before the cage, or a heat sink that rests badly. */
static void heat_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	const struct f_port *p = first_of(w, e);
	struct truth *t = truth_of(w, e);

	e->size = (w->at.hard ? 0.75 : 1) * f_between(dice, 12, 28);
	e->size = fmin(34, fmax(e->size, 0.42 / p->ber_per_c));
	if (f_chance(dice, 0.5)) {
		f_wear_grows(w, e, dice, 0);
		return;
	}
	if (f_chance(dice, 0.35)) {
		t->what = "heat_sink_off";
		t->action = ACTION_RESEAT_NEAR;
	}
}

static void heat_act(const struct f_event *e, const struct f_moment *m,
		     struct f_effect *x)
{
	x->heat_c += grown(e, m->t_s);
}

/* --- copper and single lanes --------------------------------------------- */

static bool is_copper(const struct f_port *p)
{
	return !p->kind->optical;
}

/* Worn contacts, a cracked shield: a pair or all of them. */
static void copper_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	if (f_chance(dice, 0.65))
		f_wear_grows(w, e, dice, 0);
	all_lanes(e, dice, 0.6);
	size_by_noise(w, e, dice);
}

static bool may_lose_lane(const struct f_port *p)
{
	return p->kind->lanes > 1 && p->kind->optical &&
	       (p->kind->one_fibre || p->monitor.lanes_told);
}

#define OF_LIGHT 1u

/* A colour that its mirror misses, or a lane whose amplifier is weak: the
 * latter only where the module tells of lanes, as else nobody could know.
 */
static void lane_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	const struct f_port *p = first_of(w, e);
	struct truth *t = truth_of(w, e);
	double most_db;

	one_lane(w, e, dice);
	if (!f_chance(dice, NEAR_PART)) {
		t->end = END_FAR;
		t->action = ACTION_REPLACE_FAR;
	}
	if (p->kind->one_fibre &&
	    (!p->monitor.lanes_told || f_chance(dice, 0.5))) {
		e->mode = OF_LIGHT;
		most_db = f_link_db_for(w, p, e->part, true,
					p->fall_log_ber - 0.2, MOST_DB);
		e->size = fmin(most_db, mild(w) * f_log_between(dice, 2, 6));
		return;
	}
	t->what = "lane_receiver";
	t->end = END_NEAR;
	t->action = ACTION_REPLACE_NEAR;
	if (f_chance(dice, 0.4))
		f_wear_grows(w, e, dice, 0);
	size_by_noise(w, e, dice);
}

static void lane_act(const struct f_event *e, const struct f_moment *m,
		     struct f_effect *x)
{
	if (e->mode == OF_LIGHT)
		light_act(e, m, x);
	else
		noise_act(e, m, x);
}

/* --- what ports share ---------------------------------------------------- */

/* A supply that ripples, a clock that jitters, a gearbox that ages. */
void f_wear_shared_make(struct world *w, struct f_event *e, uint64_t *dice)
{
	double db = 0;
	unsigned n = 0;

	if (f_chance(dice, 0.6))
		f_wear_grows(w, e, dice, 0);
	all_lanes(e, dice, 0);
	for (uint64_t left = e->ports; left; left &= left - 1) {
		struct f_event one = *e;

		one.ports = left & -left;
		db += f_link_db_for(w, first_of(w, &one), e->part, false,
				    aim(w, &one, dice), MOST_DB);
		n++;
	}
	e->size = db / fmax(1, n);
}

void f_wear_shared_act(const struct f_event *e, const struct f_moment *m,
		       struct f_effect *x)
{
	uint64_t mine = e->dice + m->port;

	x->snr_db += grown(e, m->t_s) * f_log_between(&mine, 0.6, 1.4);
}

const struct f_row f_wear_rows[] = {
	{ .what = "receiver_ages", .signature = SIGNATURE_FEC_TREND,
	  .action = ACTION_REPLACE_NEAR, .weight = 2.2, .suits = is_light,
	  .make = receiver_make, .act = noise_act },
	{ .what = "edge_oxide", .signature = SIGNATURE_FEC_TREND,
	  .action = ACTION_RESEAT_NEAR, .weight = 0.5, .suits = is_light,
	  .make = oxide_make, .act = noise_act },
	{ .what = "reflection", .signature = SIGNATURE_FEC_TREND,
	  .action = ACTION_CLEAN_NEAR, .weight = 0.5, .suits = has_plugs,
	  .make = reflection_make, .act = noise_act },
	{ .what = "dirt", .signature = SIGNATURE_CONTAMINATION,
	  .end = END_PATH, .action = ACTION_CLEAN_NEAR, .weight = 2.2,
	  .suits = has_plugs, .make = dirt_make, .act = dirt_act },
	{ .what = "bend", .signature = SIGNATURE_BENT_FIBRE, .end = END_PATH,
	  .action = ACTION_REPLACE_CABLE, .weight = 1.4, .suits = is_light,
	  .make = bend_make, .act = bend_act },
	{ .what = "far_laser_ages", .signature = SIGNATURE_FAR_LASER,
	  .end = END_FAR, .action = ACTION_REPLACE_FAR, .weight = 2,
	  .suits = has_plugs, .make = far_make, .act = light_act },
	{ .what = "laser_ages", .signature = SIGNATURE_TX_DECAY,
	  .end = END_NEAR, .action = ACTION_REPLACE_NEAR, .weight = 1.4,
	  .suits = is_light, .make = tx_make, .act = tx_act },
	{ .what = "module_hot", .signature = SIGNATURE_THERMAL_FEC,
	  .end = END_NEAR, .action = ACTION_FIX_AIRFLOW, .of_module = true,
	  .weight = 1.3, .suits = may_overheat, .make = heat_make,
	  .act = heat_act },
	{ .what = "copper_wear", .signature = SIGNATURE_COPPER_DEGRADE,
	  .end = END_PATH, .action = ACTION_REPLACE_CABLE, .weight = 2.5,
	  .suits = is_copper, .make = copper_make, .act = noise_act },
	{ .what = "lane_lost_light", .signature = SIGNATURE_LANE_IMBALANCE,
	  .end = END_NEAR, .action = ACTION_REPLACE_NEAR, .weight = 1.4,
	  .suits = may_lose_lane, .make = lane_make, .act = lane_act },
	{ 0 },
};
