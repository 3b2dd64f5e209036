/* Faults that have a name. Ranges are log-uniform over what is published of
 * each: losses of connectors and bends, ageing of lasers, heat of modules.
 */
#include "tests/judge/a_kind.h"

#include <math.h>
#include <string.h>
#include "platform/sim/codewords.h"
#include "tests/judge/a_noise.h"

#define HARD_LOSS 0.6		/* of the size, where the case is hard */
#define HARD_HEAT 0.7
#define HARD_DECADES 0.4	/* less */
#define TARGET_LOW (-3.9)	/* log10 BER at the end of a growth */
#define TARGET_HIGH (-2.2)
#define SPIKE_LOW (-4.3)	/* and in a spike of a bad contact */
#define SPIKE_HIGH (-1.9)
#define HEAT_DECADES 0.5	/* at least, of a module that is too warm */
#define HEAT_MOST_K 40
#define HEAT_FAR 0.5		/* of them go on until codewords are lost */
#define HEAT_FAR_BER (-3.3)
#define KR4_TARGET_BELOW 1.1	/* RS(528,514) fails so much earlier */
#define LINE_TARGET_LOW (-2.1)
#define LINE_TARGET_HIGH (-1.85)
#define DECADES_LEAST 0.7

static bool strikes_lane(const struct a_deed *d, unsigned lane)
{
	return d->lanes == 0 || d->lanes & 1u << lane;
}

static double weaker(const struct a_setting *s, double factor)
{
	return s->c->hard ? factor : 1;
}

static double hard_decades(const struct a_setting *s)
{
	return s->c->hard ? HARD_DECADES : 0;
}

/* One of a port's lanes, or a few, where each has its own fibre. */
static uint8_t lanes_draw(const struct a_port *p, double share_one,
			  struct draw *r)
{
	unsigned lanes = p->link.lanes;
	unsigned first = (unsigned)(draw_u64(r) % lanes);
	double at = draw_unit(r);

	if (lanes == 1 || at > (1 + share_one) / 2)
		return 0;
	if (at < share_one)
		return (uint8_t)(1u << first);
	return (uint8_t)(1u << first | 1u << (first + 1) % lanes);
}

/* Of a growth between two values of 1/Q^2. */
static double z_on_the_way(const struct a_deed *d, const struct a_port *p,
			   const struct a_lane *lane, double z1, double way)
{
	const struct a_link *l = &p->link;
	double y1;

	if (way <= 0)
		return lane->z0;
	if (d->growth.law == A_LAW_NOISE)
		return lane->z0 + (z1 - lane->z0) * way;
	if (d->growth.law == A_LAW_DB)
		return lane->z0 * pow(z1 / lane->z0, way);
	y1 = log10(fmax(eye_ber(l->four_levels, 1 / sqrt(z1)), 1e-16));
	return a_eye_z(l->eye, l->four_levels, lane->log_ber +
		       (y1 - lane->log_ber) *
		       a_law_share(d->growth.law, way));
}

/* Noise that comes with no light lost: size is decades. */
static void noise_strike(const struct a_deed *d, const struct a_port *p,
			 const struct a_stretch *t, struct a_stress *s)
{
	const struct a_link *l = &p->link;
	double way = a_growth_way(&d->growth, a_deed_since_s(d, t->now_ns));

	if (a_deed_is_over(d, t))
		return;
	for (unsigned i = 0; i < l->lanes; i++) {
		const struct a_lane *lane = &l->lane[i];
		double z1 = a_eye_z(l->eye, l->four_levels,
				    lane->log_ber + d->size);

		if (strikes_lane(d, i))
			s->noise[i] += z_on_the_way(d, p, lane, z1, way) -
				lane->z0;
	}
	s->droop_v += d->more * way;
}

static double target_decades(const struct a_port *p,
			     const struct a_setting *s, struct draw *r)
{
	double target = draw_between(r, TARGET_LOW, TARGET_HIGH);

	if (p->link.media->coherent)
		target = draw_between(r, LINE_TARGET_LOW, LINE_TARGET_HIGH);
	else if (p->link.code && p->link.code->corrects < 15)
		target -= KR4_TARGET_BELOW;
	target -= p->link.media->coherent ? 0 : hard_decades(s);
	return fmax(target - p->link.lane[0].log_ber,
		    p->link.media->coherent ? 0.4 : DECADES_LEAST);
}

static void growth_draw(struct a_deed *d, const struct a_port *p,
			const struct a_setting *s, struct draw *r)
{
	d->lanes = lanes_draw(p, 0.35, r);
	/* The port's BER is the mean of its lanes. */
	d->size = target_decades(p, s, r);
	if (d->lanes != 0)
		d->size += log10((double)p->link.lanes /
				 __builtin_popcount(d->lanes));
	a_growth_draw(&d->growth, s->c->laws, s->length_s, r);
	if (isfinite(a_growth_gone_s(&d->growth)))
		a_deed_last(d, a_growth_gone_s(&d->growth));
}

static void step_draw(struct a_deed *d, const struct a_port *p,
		      const struct a_setting *s, struct draw *r)
{
	(void)p;
	d->size = a_log_between(r, 1, 3) - hard_decades(s);
	memset(&d->growth, 0, sizeof(d->growth));
}

/* Light that is lost at our receiver, by a law: size is dB. */
static void fade_strike(const struct a_deed *d, const struct a_port *p,
			const struct a_stretch *t, struct a_stress *s)
{
	double way = a_growth_way(&d->growth, a_deed_since_s(d, t->now_ns));
	double u = pow(10, d->size / 10);

	if (a_deed_is_over(d, t))
		return;
	for (unsigned i = 0; i < p->link.lanes; i++) {
		const struct a_lane *l = &p->link.lane[i];
		double z1 = l->z0 * (l->floor + u * (l->shot +
						     u * l->thermal));

		if (!strikes_lane(d, i))
			continue;
		if (d->growth.law == A_LAW_DB)
			s->loss_db[i] += d->size * way;
		else
			s->loss_db[i] += a_link_loss_db(l,
				z_on_the_way(d, p, l, z1, way));
	}
}

static void fade_draw(struct a_deed *d, const struct a_port *p,
		      const struct a_setting *s, struct draw *r)
{
	growth_draw(d, p, s, r);
	d->size = a_log_between(r, 1.2, 5) * weaker(s, HARD_LOSS);
}

static void dirt_draw(struct a_deed *d, const struct a_port *p,
		      const struct a_setting *s, struct draw *r)
{
	d->lanes = p->link.media->parallel ? lanes_draw(p, 0.6, r) : 0;
	d->size = a_log_between(r, 1, 5) * weaker(s, HARD_LOSS);
}

static void dirt_strike(const struct a_deed *d, const struct a_port *p,
			const struct a_stretch *t, struct a_stress *s)
{
	for (unsigned i = 0; i < p->link.lanes && !a_deed_is_over(d, t); i++)
		if (strikes_lane(d, i))
			s->loss_db[i] += d->size;
}

static void bend_draw(struct a_deed *d, const struct a_port *p,
		      const struct a_setting *s, struct draw *r)
{
	(void)p;
	d->size = a_log_between(r, 1, 5) * weaker(s, HARD_LOSS);
	d->more = a_log_between(r, 0.12, 0.5) * weaker(s, HARD_LOSS);
}

/* Long waves leave a bent fibre first; the lanes of a ribbon lie alike. */
static void bend_strike(const struct a_deed *d, const struct a_port *p,
			const struct a_stretch *t, struct a_stress *s)
{
	unsigned lanes = p->link.lanes;

	if (a_deed_is_over(d, t))
		return;
	for (unsigned i = 0; i < lanes; i++) {
		double part = lanes > 1 ? (double)i / (lanes - 1) : 0.5;

		s->loss_db[i] += d->size * (p->link.media->colours ?
			0.65 + 0.7 * part : 0.9 + 0.2 * key_unit(d->key + i));
	}
	s->shake_db = fmax(s->shake_db, d->more);
}

static void laser_draw(struct a_deed *d, const struct a_port *p,
		       const struct a_setting *s, struct draw *r)
{
	growth_draw(d, p, s, r);
	d->size = a_log_between(r, 0.25, 1) * weaker(s, HARD_LOSS);
	d->more = a_log_between(r, 0.3, 2.5) * weaker(s, HARD_LOSS);
	if (p->link.constant_current) {
		d->size = 0;
		d->more = fmax(d->more, 0.8);
	}
}

static void laser_strike(const struct a_deed *d, const struct a_port *p,
			 const struct a_stretch *t, struct a_stress *s)
{
	double way = a_growth_way(&d->growth, a_deed_since_s(d, t->now_ns));
	double share = a_law_share(d->growth.law, way);

	for (unsigned i = 0; i < p->link.lanes && !a_deed_is_over(d, t); i++) {
		if (!strikes_lane(d, i))
			continue;
		s->bias_share[i] += d->size * share;
		s->tx_loss_db[i] += d->more * share;
	}
}

static double heat_decades(const struct a_port *p, double heat_k)
{
	static const struct a_stress none;
	double usual = p->link.reference_k;

	return log10(a_link_ber(&p->link, &none, usual + heat_k, NULL, NULL) /
		     a_link_ber(&p->link, &none, usual, NULL, NULL));
}

static void heat_draw(struct a_deed *d, const struct a_port *p,
		      const struct a_setting *s, struct draw *r)
{
	double least = HEAT_DECADES * weaker(s, HARD_HEAT);

	d->size = a_log_between(r, 9, 26) * weaker(s, HARD_HEAT);
	if (draw_unit(r) < HEAT_FAR && !s->c->hard)
		least = HEAT_FAR_BER - p->link.lane[0].log_ber;
	while (d->size < HEAT_MOST_K && heat_decades(p, d->size) < least)
		d->size *= 1.1;
	d->growth.ramp_s = s->slow ? a_log_between(r, 600, 21600) :
		a_log_between(r, 90, 900);
}

static void air_draw(struct a_deed *d, const struct a_port *p,
		     const struct a_setting *s, struct draw *r)
{
	(void)p;
	d->size = a_log_between(r, 5, 14) * weaker(s, HARD_HEAT);
	d->growth.ramp_s = s->slow ? a_log_between(r, 200, 1800) :
		a_log_between(r, 90, 500);
}

/* Follows its cause as the first order does. */
static void heat_strike(const struct a_deed *d, const struct a_port *p,
			const struct a_stretch *t, struct a_stress *s)
{
	double since = a_deed_since_s(d, t->now_ns);

	(void)p;
	s->heat_k += d->size * -expm1(-since / d->growth.ramp_s);
}

static void supply_draw(struct a_deed *d, const struct a_port *p,
			const struct a_setting *s, struct draw *r)
{
	(void)p;
	(void)s;
	(void)r;
	d->size = 0;
}

static void supply_strike(const struct a_deed *d, const struct a_port *p,
			  const struct a_stretch *t, struct a_stress *s)
{
	(void)d;	/* the sensor shows it; modules have a rail of theirs */
	(void)p;
	(void)t;
	(void)s;
}

static void bursts_draw(struct a_deed *d, const struct a_port *p,
			const struct a_setting *s, struct draw *r)
{
	double lost_hz = s->slow ? a_log_between(r, 3e-4, 0.3) :
		a_log_between(r, 0.01, 3);

	if (s->c->hard)
		lost_hz *= 0.4;
	d->more = draw_between(r, 0.6, 0.9);
	d->size = lost_hz / pow(d->more, p->link.code->corrects);
}

static void bursts_strike(const struct a_deed *d, const struct a_port *p,
			  const struct a_stretch *t, struct a_stress *s)
{
	(void)p;
	if (a_deed_is_over(d, t))
		return;
	s->burst_hz = d->size;
	s->burst_tail = d->more;
}

static void loose_draw(struct a_deed *d, const struct a_port *p,
		       const struct a_setting *s, struct draw *r)
{
	d->size = draw_between(r, SPIKE_LOW, SPIKE_HIGH) - hard_decades(s) -
		p->link.lane[0].log_ber;
	d->more = draw_between(r, 0.05, 0.35);	/* falls an episode */
	d->train = (struct a_train){
		.every_s = s->slow ? a_log_between(r, 600, 14400) :
			a_log_between(r, 90, 500),
		.last_s = a_log_between(r, 0.8, 9),
		.key = draw_u64(r),
	};
}

static void loose_strike(const struct a_deed *d, const struct a_port *p,
			 const struct a_stretch *t, struct a_stress *s)
{
	double now = a_deed_since_s(d, t->now_ns);
	struct a_passed at = a_train_pass(&d->train,
		a_deed_since_s(d, t->before_ns), now);

	(void)p;
	if (a_deed_is_over(d, t) || at.inside_s <= 0)
		return;
	s->spike_s = at.inside_s;
	s->spike_decades = d->size;
	s->dom_missing = fmax(s->dom_missing, 0.6);
	if (at.begun > 0 && key_unit(d->key ^ (uint64_t)(now * 16)) < d->more)
		s->falls++;
}

/* What a copper link does besides: it trains anew, more often when worse. */
static void copper_draw(struct a_deed *d, const struct a_port *p,
			const struct a_setting *s, struct draw *r)
{
	growth_draw(d, p, s, r);
	d->lanes = 0;
	if (draw_unit(r) < 0.25)
		step_draw(d, p, s, r);
	d->train = (struct a_train){
		.every_s = s->length_s * draw_between(r, 0.05, 0.4),
		.last_s = 3,
		.key = draw_u64(r),
	};
}

static void copper_strike(const struct a_deed *d, const struct a_port *p,
			  const struct a_stretch *t, struct a_stress *s)
{
	double now = a_deed_since_s(d, t->now_ns);
	double way = a_growth_way(&d->growth, now);

	noise_strike(d, p, t, s);
	if (way < 0.6 || now < d->train.every_s || a_deed_is_over(d, t))
		return;
	s->falls += a_train_pass(&d->train, a_deed_since_s(d, t->before_ns),
				 now).begun;
	s->reason = DOWN_TRAINING;
}

static void lane_draw(struct a_deed *d, const struct a_port *p,
		      const struct a_setting *s, struct draw *r)
{
	d->lanes = (uint8_t)(1u << draw_u64(r) % p->link.lanes);
	d->size = d->kind->detail ? a_log_between(r, 1.6, 4.5) :
		draw_between(r, 1.5, 3);
	d->size *= weaker(s, 0.75);
	memset(&d->growth, 0, sizeof(d->growth));
}

static void flap_draw(struct a_deed *d, const struct a_port *p,
		      const struct a_setting *s, struct draw *r)
{
	(void)p;
	d->train = (struct a_train){
		.every_s = s->slow ? a_log_between(r, 10, 150) :
			a_log_between(r, 8, 60),
		.last_s = a_log_between(r, 0.5, 4),
		.count = 5 + (unsigned)(draw_u64(r) % 14),
		.key = draw_u64(r),
	};
	d->train.row_s = fmax(s->length_s * draw_between(r, 0.15, 1),
			      (d->train.count + 2) * d->train.every_s);
}

static void flap_strike(const struct a_deed *d, const struct a_port *p,
			const struct a_stretch *t, struct a_stress *s)
{
	struct a_passed at = a_train_pass(&d->train,
		a_deed_since_s(d, t->before_ns), a_deed_since_s(d, t->now_ns));

	(void)p;
	if (a_deed_is_over(d, t))
		return;
	s->falls += at.begun;
	s->down |= at.is_inside;
	s->reason = (enum down_reason)d->kind->detail;
}

static void down_draw(struct a_deed *d, const struct a_port *p,
		      const struct a_setting *s, struct draw *r)
{
	(void)p;
	if (draw_unit(r) < 0.5)
		a_deed_last(d, s->length_s * a_log_between(r, 0.05, 0.4));
}

static void down_strike(const struct a_deed *d, const struct a_port *p,
			const struct a_stretch *t, struct a_stress *s)
{
	(void)p;
	if (a_deed_is_over(d, t))
		return;
	s->down = true;
	s->reason = (enum down_reason)d->kind->detail;
	s->dark |= s->reason == DOWN_RX_LOS || s->reason == DOWN_NO_CARRIER;
	s->absent |= s->reason == DOWN_NO_MODULE;
	s->tx_dark |= s->reason == DOWN_TX_FAULT;
}

static void shared_draw(struct a_deed *d, const struct a_port *p,
			const struct a_setting *s, struct draw *r)
{
	growth_draw(d, p, s, r);
	d->lanes = 0;
	if (draw_unit(r) < 0.5)
		memset(&d->growth, 0, sizeof(d->growth));
	d->size = a_log_between(r, 0.9, 3) - hard_decades(s) / 2;
	d->more = draw_unit(r) < 0.5 ? 0 : a_log_between(r, 0.03, 0.12);
}

static void sensor_draw(struct a_deed *d, const struct a_port *p,
			const struct a_setting *s, struct draw *r)
{
	(void)p;
	d->size = a_log_between(r, 0.3, 1) * weaker(s, 0.7);
}

static void garbage_strike(const struct a_deed *d, const struct a_port *p,
			   const struct a_stretch *t, struct a_stress *s)
{
	(void)p;
	if (!a_deed_is_over(d, t))
		s->dom_garbage = fmax(s->dom_garbage, d->size);
}

static void missing_strike(const struct a_deed *d, const struct a_port *p,
			   const struct a_stretch *t, struct a_stress *s)
{
	(void)p;
	if (!a_deed_is_over(d, t))
		s->dom_missing = fmax(s->dom_missing, d->size);
}

#define DOWN(word, far, act, bits, scope, why) \
	{ "down_" word, SIGNATURE_LINK_DOWN, far, act, bits, scope, false, \
	  why, down_draw, down_strike }

static const struct a_kind rows[] = {
	/* name signature end action needs scope grows detail draw strike */
	{ "receiver_noise", SIGNATURE_FEC_TREND, END_NEAR, ACTION_REPLACE_NEAR,
	  A_HOST_CODE_LIGHT, A_PORT, true, 0, growth_draw, noise_strike },
	{ "far_modulator", SIGNATURE_FEC_TREND, END_FAR, ACTION_REPLACE_FAR,
	  A_HOST_CODE_LIGHT, A_PORT, true, 0, growth_draw, noise_strike },
	{ "reflection", SIGNATURE_FEC_TREND, END_PATH, ACTION_CLEAN_NEAR,
	  A_HOST_CODE_LIGHT | A_CONNECTOR, A_PORT, false, 0, step_draw,
	  noise_strike },
	{ "line_noise", SIGNATURE_FEC_TREND, END_PATH, 0, A_COHERENT, A_PORT,
	  true, 0, growth_draw, noise_strike },
	{ "bursts", SIGNATURE_FEC_UNCORRECTABLE, END_NEAR,
	  ACTION_REPLACE_NEAR, A_FEC, A_PORT, false, 0, bursts_draw,
	  bursts_strike },
	{ "dirt_near", SIGNATURE_CONTAMINATION, END_NEAR, ACTION_CLEAN_NEAR,
	  A_CONNECTOR, A_PORT, false, 0, dirt_draw, dirt_strike },
	{ "dirt_far", SIGNATURE_CONTAMINATION, END_FAR, ACTION_CLEAN_FAR,
	  A_CONNECTOR, A_PORT, false, 0, dirt_draw, dirt_strike },
	{ "bend", SIGNATURE_BENT_FIBRE, END_PATH, ACTION_REPLACE_CABLE,
	  A_CONNECTOR, A_PORT, false, 0, bend_draw, bend_strike },
	{ "far_laser_fades", SIGNATURE_FAR_LASER, END_FAR, ACTION_REPLACE_FAR,
	  A_CONNECTOR, A_PORT, true, 0, fade_draw, fade_strike },
	{ "near_laser_ages", SIGNATURE_TX_DECAY, END_NEAR,
	  ACTION_REPLACE_NEAR, A_OPTICAL, A_PORT, true, 0, laser_draw,
	  laser_strike },
	{ "module_overheats", SIGNATURE_THERMAL_FEC, END_NEAR,
	  ACTION_FIX_AIRFLOW, A_MODULE | A_FEC | A_STEEP, A_CAGE, false, 0,
	  heat_draw, heat_strike },
	{ "bad_contact", SIGNATURE_LOOSE_MODULE, END_NEAR,
	  ACTION_RESEAT_NEAR, A_MODULE | A_FEC, A_CAGE, false, 0, loose_draw,
	  loose_strike },
	{ "copper_wears", SIGNATURE_COPPER_DEGRADE, END_PATH,
	  ACTION_REPLACE_CABLE, A_COPPER, A_PORT, true, 0, copper_draw,
	  copper_strike },
	{ "lane_weak_light", SIGNATURE_LANE_IMBALANCE, END_NEAR,
	  ACTION_REPLACE_NEAR, A_OPTICAL | A_LANES, A_PORT, false, 1,
	  lane_draw, dirt_strike },
	{ "lane_noisy", SIGNATURE_LANE_IMBALANCE, END_NEAR,
	  ACTION_REPLACE_NEAR, A_OPTICAL | A_LANES, A_PORT, false, 0,
	  lane_draw, noise_strike },
	{ "far_end_flaps", SIGNATURE_FLAP_BURST, END_FAR, ACTION_CHECK_PEER,
	  0, A_PORT, false, DOWN_MAC_REMOTE_FAULT, flap_draw, flap_strike },
	{ "near_end_flaps", SIGNATURE_FLAP_BURST, END_NEAR,
	  ACTION_RESEAT_NEAR, 0, A_PORT, false, DOWN_MAC_LOCAL_FAULT,
	  flap_draw, flap_strike },
	DOWN("no_module", END_NEAR, ACTION_RESEAT_NEAR, A_MODULE, A_CAGE,
	     DOWN_NO_MODULE),
	DOWN("no_light", END_PATH, ACTION_CHECK_PEER, A_OPTICAL, A_PORT,
	     DOWN_RX_LOS),
	DOWN("remote_fault", END_FAR, ACTION_CHECK_PEER, 0, A_PORT,
	     DOWN_MAC_REMOTE_FAULT),
	DOWN("local_fault", END_NEAR, ACTION_RESEAT_NEAR, 0, A_PORT,
	     DOWN_MAC_LOCAL_FAULT),
	DOWN("fec_mismatch", END_FAR, ACTION_FIX_CONFIG, A_FEC, A_PORT,
	     DOWN_FEC_ALIGNMENT_LOSS),
	DOWN("speed_mismatch", END_FAR, ACTION_FIX_CONFIG, 0, A_PORT,
	     DOWN_FEC_SYNC_LOSS),
	DOWN("state_machine", END_NEAR, ACTION_RESEAT_NEAR,
	     A_MODULE | A_OPTICAL, A_CAGE, DOWN_TX_FAULT),
	DOWN("training", END_PATH, ACTION_REPLACE_CABLE, A_COPPER, A_PORT,
	     DOWN_TRAINING),
	DOWN("peer_down", END_FAR, ACTION_CHECK_PEER, 0, A_PORT,
	     DOWN_NO_CARRIER),
	{ "component_fails", SIGNATURE_SHARED_COMPONENT, END_NEAR, 0, A_FEC,
	  A_GROUP, true, 0, shared_draw, noise_strike },
	{ "fan_dies", SIGNATURE_ENVIRONMENT, 0, ACTION_FIX_AIRFLOW, 0, A_ZONE,
	  false, A_BOX_FAN_DEAD, air_draw, heat_strike },
	{ "fan_slows", SIGNATURE_ENVIRONMENT, 0, ACTION_FIX_AIRFLOW, 0,
	  A_ZONE, false, A_BOX_FAN_SLOW, air_draw, heat_strike },
	{ "air_blocked", SIGNATURE_ENVIRONMENT, 0, ACTION_FIX_AIRFLOW, 0,
	  A_ZONE, false, A_BOX_AIR, air_draw, heat_strike },
	{ "supply_fails", SIGNATURE_ENVIRONMENT, 0, 0, 0, A_ZONE, false,
	  A_BOX_SUPPLY, supply_draw, supply_strike },
	{ "monitor_garbage", SIGNATURE_SENSOR_FAULT, END_NEAR,
	  ACTION_RESEAT_NEAR, A_MODULE, A_CAGE, false, 0, sensor_draw,
	  garbage_strike },
	{ "monitor_silent", SIGNATURE_SENSOR_FAULT, END_NEAR,
	  ACTION_RESEAT_NEAR, A_MODULE, A_CAGE, false, 0, sensor_draw,
	  missing_strike },
	{ "other_module", SIGNATURE_MODULE_CHANGED, END_NEAR, ACTION_OBSERVE,
	  A_MODULE, A_CAGE, false, 0, a_swap_draw, a_swap_strike },
};

const struct a_kind *a_faults(size_t *ret_count)
{
	*ret_count = sizeof(rows) / sizeof(rows[0]);
	return rows;
}
