/* Faults that enum signature has a name for. Who does what to whom:
 *
 *   dirt       takes light of all colours alike, of few lanes of a ribbon, and
 *              reflects some (IEC 61300-3-35 is why plugs are looked at)
 *   a bend     takes more of longer waves (ITU-T G.657), moves, and settles
 *   a laser    needs more current as it wears; a loop holds its light until
 *              the current is at its end, +50 % (Telcordia GR-468); without a
 *              loop the light falls. In DR modules lanes share a laser
 *   reflection beats with the signal: noise, and no light is lost (the 802.3
 *              task forces' papers on multipath interference)
 *   copper     loses eye by corrosion and kinks; there is no light to see
 *   contact    opens for microseconds, takes the supply and the monitors along
 * Losses from 0.7 to 10 dB are as CorrOpt (SIGCOMM 2017) and dirt's literature
 * have them; the rest of the sizes is chosen.
 */
#include "tests/judge/c_world.h"

#include <math.h>

#define LOOP_END 0.5		/* of current, on top */
#define RELAXES 0.15		/* of a bend */
#define EPISODE_S 90.0

static bool strikes(const struct c_happening *h, unsigned lane)
{
	return !h->lanes || h->lanes >> lane & 1;
}

/* The same to each lane that is struck, but for a tenth or so. */
static void spread(const struct c_moment *m, double *to, double what,
		   double uneven)
{
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		if (strikes(m->h, i))
			to[i] += what * c_kind_own(m->h, i, 1 - uneven, 1);
}

static double slowed(const struct c_moment *m, double s)
{
	return m->is_slow ? 8 * s : s;
}

static void dirt(const struct c_moment *m, struct c_stress *e)
{
	spread(m, e->lost_db, m->size, 0.12);
	spread(m, e->beat, 0.012 * m->size, 0.5);
}

static void bend(const struct c_moment *m, struct c_stress *e)
{
	const struct c_happening *h = m->h;
	double nm = c_kind_own(h, 40, 35, 90), tau = slowed(m, 240);
	double size = m->size * (1 - RELAXES * -expm1(-m->s / tau));
	double slant = h->lane_nm > 0 ? 0 : c_kind_own(h, 41, 0, 0.35);
	unsigned last = h->lane_count - 1;

	for (unsigned i = 0; i <= last; i++)
		e->lost_db[i] += size * exp(-h->lane_nm * (last - i) / nm) *
				 (1 - slant * (last - i) / (last + 1));
	e->fade_db += m->size * c_kind_own(h, 42, 0.03, 0.12);
}

static void reflection(const struct c_moment *m, struct c_stress *e)
{
	double turns = m->s / slowed(m, c_kind_own(m->h, 50, 150, 900));
	double drifts = 1 + 0.25 * sin(2 * M_PI * turns) *
			sin(2 * M_PI * 0.618 * turns + 2);

	spread(m, e->beat, m->size * drifts, 0.25);
}

static void receiver_ages(const struct c_moment *m, struct c_stress *e)
{
	spread(m, e->hiss, m->size, 0.2);
}

static void eye_shuts(const struct c_moment *m, struct c_stress *e)
{
	spread(m, e->shut_db, m->size, 0.2);
}

static void bursts(const struct c_moment *m, struct c_stress *e)
{
	e->burst_per_s += m->size / (m->is_slow ? 4 : 1);
	e->burst_words += exp(c_kind_own(m->h, 60, log(2), log(300)));
	e->burst_symbols += exp(c_kind_own(m->h, 61, log(16), log(60)));
}

static void light_fades(const struct c_moment *m, struct c_stress *e)
{
	spread(m, e->lost_db, m->size, 0.08);
	spread(m, e->beat, 0.015 * m->size, 0.3);
}

static void loop_holds(const struct c_moment *m, struct c_stress *e)
{
	double over = fmin(fmax(m->size - LOOP_END, 0), 0.9);

	spread(m, e->own_bias, fmin(m->size, LOOP_END), 0.1);
	spread(m, e->own_dim_db, 7 * over, 0.1);
}

static void own_fades(const struct c_moment *m, struct c_stress *e)
{
	spread(m, e->own_dim_db, m->size, 0.1);
}

static void warms(const struct c_moment *m, struct c_stress *e)
{
	double works = 0.6 + 0.4 * m->load;

	e->own_k += m->size * works * -expm1(-m->s / slowed(m, 150));
}

/* Quiet and bad times take turns, as doors, fans and hands have it. */
static bool is_shaken(const struct c_happening *h, double s, bool is_slow)
{
	uint64_t turn = (uint64_t)(s / EPISODE_S / (is_slow ? 20 : 1));

	return c_mark_unit(h->mark, 0x500 + turn) < 0.4 || !turn;
}

static void contact(const struct c_moment *m, struct c_stress *e)
{
	if (!is_shaken(m->h, m->s, m->is_slow))
		return;
	bursts(m, e);
	e->burst_words *= 6;
	e->sag_v += c_kind_own(m->h, 70, 0.01, 0.09);
	e->dom_miss_share = c_kind_own(m->h, 71, 0.1, 0.6);
}

static void contact_lay(struct world *w, const struct c_happening *h,
			struct c_port *p)
{
	double s = 0;

	for (unsigned i = 0; i < 24; i++) {
		double off_s = c_kind_own(h, 0x600 + i, 0.4, 5);

		s += (w->is_slow ? 6000 : 250) *
		     -log(1 - c_mark_unit(h->mark, 0x700 + i));
		if (!is_shaken(h, s, w->is_slow))
			continue;
		c_kind_lay(p, h, (struct c_outage){
			.from_ns = h->onset_ns + (int64_t)(s * 1e9),
			.to_ns = h->onset_ns + (int64_t)((s + off_s) * 1e9),
			.reason = i % 3 ? DOWN_FEC_SYNC_LOSS :
					  DOWN_MAC_LOCAL_FAULT,
			.is_noisy = true });
	}
}

static void core_noise(const struct c_moment *m, struct c_stress *e)
{
	e->host_ber += 1e-10 * expm1(M_LN10 * fmin(m->size, 6.2));
}

static void air_warms(const struct c_moment *m, struct c_stress *e)
{
	e->air_k += m->size * -expm1(-m->s / slowed(m, 200));
}

static void supply_fails(const struct c_moment *m, struct c_stress *e)
{
	e->sag_v += m->size;
	e->air_k += 1.5 * -expm1(-m->s / slowed(m, 200));
}

static void lies(const struct c_moment *m, struct c_stress *e, enum c_lie lie)
{
	int64_t turn = m->t_ns / (m->is_slow ? 300 : 30) / C_SECOND_NS;

	if (c_mark_unit(m->h->mark, 0x900 + (uint64_t)turn) > m->size)
		return;
	e->lie = lie;
	e->lie_size = c_kind_own(m->h, 80, 0, 1);
}

static void thermistor(const struct c_moment *m, struct c_stress *e)
{
	lies(m, e, C_LIE_THERMISTOR);
}

static void light_lies(const struct c_moment *m, struct c_stress *e)
{
	lies(m, e, C_LIE_LIGHT);
}

static void bias_lies(const struct c_moment *m, struct c_stress *e)
{
	lies(m, e, C_LIE_BIAS);
}

static void registers_lie(const struct c_moment *m, struct c_stress *e)
{
	lies(m, e, c_mark_unit(m->h->mark, 81) < 0.5 ? C_LIE_ALL_ONES :
						       C_LIE_NOISE);
}

static void bus_fails(const struct c_moment *m, struct c_stress *e)
{
	e->dom_miss_share = fmax(e->dom_miss_share, m->size);
}

static double swap_s(const struct c_happening *h)
{
	return c_kind_own(h, 90, 25, 180);
}

static void other_part(const struct c_moment *m, struct c_stress *e)
{
	if (m->s < swap_s(m->h))
		return;
	e->part = m->h->mark;
	e->own_k -= 10 * exp(-(m->s - swap_s(m->h)) / 300);
	spread(m, e->shut_db, m->size, 0.3);
	spread(m, e->own_dim_db, c_kind_own(m->h, 91, -0.4, 1.5), 0.1);
}

/* --- falls --------------------------------------------------------------- */

/* From the onset on; s 0: to its end. */
static void down(const struct c_happening *h, struct c_port *p, double s,
		 struct c_outage o)
{
	o.from_ns = h->onset_ns;
	o.to_ns = s > 0 ? h->onset_ns + (int64_t)(s * 1e9) : C_NEVER;
	c_kind_lay(p, h, o);
}

/* Somebody had the plug in hand, or not. */
static void handled(struct world *w, const struct c_happening *h,
		    struct c_port *p)
{
	(void)w;
	if (c_mark_unit(h->mark, 100) < 0.6)
		down(h, p, c_kind_own(h, 101, 12, 70), (struct c_outage){
			.reason = DOWN_RX_LOS, .is_dark = true });
}

static void retrained(struct world *w, const struct c_happening *h,
		      struct c_port *p)
{
	(void)w;
	down(h, p, c_kind_own(h, 101, 3, 12), (struct c_outage){
		.reason = DOWN_TRAINING });
}

static void swapped(struct world *w, const struct c_happening *h,
		    struct c_port *p)
{
	(void)w;
	down(h, p, swap_s(h), (struct c_outage){ .reason = DOWN_NO_MODULE,
		.is_absent = true, .is_dark = true });
}

/* A burst of falls: 8 to 90, the times between them Pareto's, which have the
 * long tail that flapping links are known for.
 */
static void flaps(struct world *w, const struct c_happening *h,
		  struct c_port *p)
{
	unsigned n = (unsigned)h->size;
	double s = 0;

	(void)w;
	for (unsigned i = 0; i < n; i++) {
		double gap = 6 * pow(1 - c_mark_unit(h->mark, 0x300 + i), -0.7);
		double off_s = c_kind_own(h, 0x400 + i, 0.3, 5);

		c_kind_lay(p, h, (struct c_outage){
			.from_ns = h->onset_ns + (int64_t)(s * 1e9),
			.to_ns = h->onset_ns + (int64_t)((s + off_s) * 1e9),
			.reason = h->kind->end == END_PATH ? DOWN_TRAINING :
				  DOWN_MAC_REMOTE_FAULT });
		s += off_s + fmin(gap, 150);
	}
}

#define STAYS(name, ...) \
static void name(struct world *w, const struct c_happening *h, \
		 struct c_port *p) \
{ \
	(void)w; \
	down(h, p, 0, (struct c_outage){ __VA_ARGS__ }); \
}
STAYS(cut, .reason = DOWN_RX_LOS, .is_dark = true)
STAYS(gone, .reason = DOWN_NO_MODULE, .is_absent = true, .is_dark = true)
STAYS(remote, .reason = DOWN_MAC_REMOTE_FAULT)
STAYS(local, .reason = DOWN_MAC_LOCAL_FAULT)
STAYS(other_code, .reason = DOWN_FEC_ALIGNMENT_LOSS, .is_noisy = true)
STAYS(other_speed, .reason = DOWN_SIGNAL_LOCAL)
STAYS(path_stuck, .reason = DOWN_TX_DISABLED, .is_unlit = true)
STAYS(laser_dead, .reason = DOWN_TX_FAULT, .is_unlit = true)
STAYS(untrained, .reason = DOWN_TRAINING)
STAYS(peer_dark, .reason = DOWN_RX_LOS, .is_dark = true)

#define ROW(word, scope_, signature_, end_, action_, media_, low_, high_) \
	.what = word, .class = C_FAULT, .scope = scope_, \
	.signature = SIGNATURE_##signature_, .end = end_, \
	.action = ACTION_##action_, .media = media_, .size = { low_, high_ }
#define ACTION_NOBODY_KNOWS 0
#define DOWN(word, end_, action_, media_, lay_) \
	{ ROW(word, C_PORT, LINK_DOWN, end_, action_, media_, 1, 1), \
	  .is_down = true, .lay = lay_ }

const struct c_kind c_faults[] = {
{ ROW("reflection", C_SOME_LANES, FEC_TREND, END_PATH, CLEAN_NEAR,
	C_SINGLEMODE & C_PLUGS & C_DIRECT, 0.12, 1.5), .grows = true,
	.apply = reflection },
{ ROW("receiver_ages", C_PORT, FEC_TREND, END_NEAR, REPLACE_NEAR, C_LIGHT, 0.8,
	20), .grows = true, .apply = receiver_ages },
{ ROW("modulator_drifts", C_LASER, FEC_TREND, END_FAR, REPLACE_FAR,
	C_SINGLEMODE, 0.6, 5), .grows = true, .apply = eye_shuts },
{ ROW("clock_jitters", C_PORT, FEC_TREND, END_NEAR, REPLACE_NEAR, C_LIGHT, 0.5,
	2.5), .apply = eye_shuts },
{ ROW("mode_hops", C_PORT, FEC_UNCORRECTABLE, END_FAR, REPLACE_FAR,
	C_LIGHT & C_DIRECT, 0.004, 0.6), .apply = bursts },
{ ROW("upsets", C_PORT, FEC_UNCORRECTABLE, END_NEAR, REPLACE_NEAR, C_DIRECT,
	0.004, 0.6), .grows = true, .apply = bursts },
{ ROW("dust_near", C_SOME_LANES, CONTAMINATION, END_NEAR, CLEAN_NEAR, C_PLUGS,
	0.7, 7), .apply = dirt, .lay = handled },
{ ROW("dust_far", C_SOME_LANES, CONTAMINATION, END_FAR, CLEAN_FAR, C_PLUGS, 0.7,
	7), .apply = dirt, .lay = handled },
{ ROW("film_grows", C_PORT, CONTAMINATION, END_NEAR, CLEAN_NEAR, C_PLUGS, 0.8,
	8), .grows = true, .apply = dirt },
{ ROW("macrobend", C_PORT, BENT_FIBRE, END_PATH, REPLACE_CABLE, C_PLUGS, 0.7,
	8), .apply = bend },
{ ROW("pinched", C_PORT, BENT_FIBRE, END_PATH, REPLACE_CABLE, C_PLUGS, 0.8, 10),
	.grows = true, .apply = bend },
{ ROW("far_laser_fades", C_LASER, FAR_LASER, END_FAR, REPLACE_FAR, C_LIGHT,
	0.8, 10), .grows = true, .apply = light_fades },
{ ROW("own_loop_ends", C_LASER, TX_DECAY, END_NEAR, REPLACE_NEAR, C_LIGHT, 0.7,
	1.3), .grows = true, .apply = loop_holds },
{ ROW("own_light_fades", C_LASER, TX_DECAY, END_NEAR, REPLACE_NEAR, C_LIGHT,
	0.8, 7), .grows = true, .apply = own_fades },
{ ROW("pad_dries", C_CAGE, THERMAL_FEC, END_NEAR, FIX_AIRFLOW, C_MONITORED, 8,
	32), .wants = C_WANTS_HEAT, .grows = true, .apply = warms },
{ ROW("cage_blocked", C_CAGE, THERMAL_FEC, END_NEAR, FIX_AIRFLOW, C_MONITORED,
	8, 32), .wants = C_WANTS_HEAT, .apply = warms },
{ ROW("half_seated", C_CAGE, LOOSE_MODULE, END_NEAR, RESEAT_NEAR,
	C_MONITORED & C_DIRECT, 0.01, 0.4), .apply = contact,
	.lay = contact_lay },
{ ROW("corrodes", C_SOME_LANES, COPPER_DEGRADE, END_PATH, REPLACE_CABLE,
	C_COPPER, 0.6, 6), .grows = true, .apply = eye_shuts },
{ ROW("kinked", C_SOME_LANES, COPPER_DEGRADE, END_PATH, REPLACE_CABLE, C_COPPER,
	0.6, 3.5), .apply = eye_shuts, .lay = retrained },
{ ROW("low_lane", C_ONE_LANE, LANE_IMBALANCE, 0, NOBODY_KNOWS,
	C_LIGHT & C_DIRECT, 1.2, 4), .wants = C_WANTS_ROOM, .from_start = true,
	.apply = light_fades },
{ ROW("odd_lane", C_ONE_LANE, LANE_IMBALANCE, 0, NOBODY_KNOWS,
	C_LIGHT & C_DIRECT, 0.7, 3), .wants = C_WANTS_ROOM, .from_start = true,
	.apply = eye_shuts },
{ ROW("peer_flaps", C_PORT, FLAP_BURST, END_FAR, CHECK_PEER, C_ANY, 8, 90),
	.lasts_s = { 300, 2400 }, .is_down = true, .lay = flaps },
{ ROW("trains_again", C_PORT, FLAP_BURST, END_PATH, REPLACE_CABLE, C_COPPER, 8,
	90), .lasts_s = { 300, 2400 }, .is_down = true, .lay = flaps },
DOWN("fibre_cut", END_PATH, REPLACE_CABLE, C_LIGHT, cut),
DOWN("module_gone", END_NEAR, RESEAT_NEAR, C_ANY, gone),
DOWN("remote_fault", END_FAR, CHECK_PEER, C_ANY, remote),
DOWN("local_fault", 0, NOBODY_KNOWS, C_ANY, local),
DOWN("fec_mismatch", 0, FIX_CONFIG, C_ANY, other_code),
DOWN("speed_mismatch", 0, FIX_CONFIG, C_ANY, other_speed),
DOWN("data_path_stuck", END_NEAR, RESEAT_NEAR, C_LIGHT, path_stuck),
DOWN("own_laser_dead", END_NEAR, REPLACE_NEAR, C_LIGHT, laser_dead),
DOWN("never_trains", END_PATH, REPLACE_CABLE, C_COPPER, untrained),
DOWN("peer_down", END_FAR, CHECK_PEER, C_LIGHT, peer_dark),
{ ROW("rail_ripples", C_GROUP, SHARED_COMPONENT, END_NEAR, REPLACE_NEAR, C_ANY,
	3, 6), .grows = true, .apply = core_noise },
{ ROW("clock_wanders", C_GROUP, SHARED_COMPONENT, END_NEAR, REPLACE_NEAR, C_ANY,
	3, 6), .apply = core_noise },
{ ROW("gearbox_upsets", C_GROUP, SHARED_COMPONENT, END_NEAR, REPLACE_NEAR,
	C_DIRECT, 0.01, 0.5), .apply = bursts },
{ ROW("rotor_stops", C_ZONE, ENVIRONMENT, END_NEAR, FIX_AIRFLOW, C_ANY, 4, 14),
	.is_of_readings = true, .apply = air_warms },
{ ROW("hot_air_returns", C_ZONE, ENVIRONMENT, END_NEAR, FIX_AIRFLOW, C_ANY, 12,
	20), .is_of_readings = true, .apply = air_warms },
{ ROW("supply_fails", C_ZONE, ENVIRONMENT, END_NEAR, REPLACE_NEAR, C_ANY, 0.03,
	0.1), .is_of_readings = true, .apply = supply_fails },
{ ROW("thermistor_opens", C_CAGE, SENSOR_FAULT, END_NEAR, REPLACE_NEAR,
	C_MONITORED, 0.3, 0.95), .is_of_readings = true, .apply = thermistor },
{ ROW("light_monitor", C_CAGE, SENSOR_FAULT, END_NEAR, REPLACE_NEAR, C_LIGHT,
	0.3, 0.95), .is_of_readings = true, .apply = light_lies },
{ ROW("bias_monitor", C_CAGE, SENSOR_FAULT, END_NEAR, REPLACE_NEAR, C_LIGHT,
	0.3, 0.95), .is_of_readings = true, .apply = bias_lies },
{ ROW("registers_lie", C_CAGE, SENSOR_FAULT, END_NEAR, REPLACE_NEAR,
	C_MONITORED, 0.3, 0.95), .is_of_readings = true,
	.apply = registers_lie },
{ ROW("bus_fails", C_CAGE, SENSOR_FAULT, END_NEAR, REPLACE_NEAR, C_MONITORED,
	0.55, 0.97), .is_of_readings = true, .apply = bus_fails },
{ ROW("worse_part", C_CAGE, MODULE_CHANGED, END_NEAR, OBSERVE, C_ANY, 0.4,
	1.5), .apply = other_part, .lay = swapped },
{ .what = NULL },
};
