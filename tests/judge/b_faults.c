/* Faults that petrel-signatures(7) has a name for.
 *
 * Light that is lost comes to the receiver's noise by b_optics; so does noise
 * that is added. What a laser of our own sends never touches what we receive.
 * Bends lose more of longer waves: for G.652 fibre about e per 56 nm around
 * 1310 nm (chosen; that it grows so is in ITU-T G.657). A laser whose power
 * is held by a loop shows wear in its bias first, and in its light when the
 * loop is at its end (Telcordia GR-468, end of life at +50 %); one at constant
 * bias shows it in its light.
 */
#include "tests/judge/b_effect.h"

#include <math.h>

#include "tests/judge/b_optics.h"

#define BEND_NM 56.0
#define SHAKEN 0.35		/* of the time: fans, doors, hands */
#define LOOP_END 0.45		/* of bias, on top */

static void lanes_add(const struct b_happening *h, double *to, double what)
{
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		if (b_effect_strikes(h, i))
			to[i] += what;
}

/* Lanes of one plug suffer alike, but not the same. */
static void dirt(const struct b_moment *m, struct b_effect *e)
{
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		if (b_effect_strikes(m->h, i))
			e->loss_db[i] += m->h->size *
					 b_effect_own(m->h, i, 0.85, 1);
}

static void bend(const struct b_moment *m, struct b_effect *e)
{
	const struct b_happening *h = m->h;
	double last_nm = 3 * h->step_nm;

	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		e->loss_db[i] += h->size * b_effect_own(h, i, 0.92, 1) *
				 exp((i * h->step_nm - last_nm) / BEND_NM);
	e->wobble_db += h->size * b_effect_own(h, 20, 0.06, 0.2);
}

static void far_fades(const struct b_moment *m, struct b_effect *e)
{
	lanes_add(m->h, e->loss_db, m->h->size * m->growth);
}

static void own_laser_wears(const struct b_moment *m, struct b_effect *e)
{
	bool is_held = b_effect_own(m->h, 0, 0, 1) < 0.5;
	double wear = m->h->size * m->growth;
	double bias = is_held ? fmin(wear, LOOP_END) : 0.05 * wear;
	double lost = is_held ? fmax(wear - LOOP_END, 0) : 0.6 * wear;

	lanes_add(m->h, e->bias_share, bias);
	lanes_add(m->h, e->tx_db, 10 * log10(1 + 1.5 * lost));
}

static void noise_of_signal(const struct b_moment *m, struct b_effect *e)
{
	lanes_add(m->h, e->flat, b_noise_for(m->h->size * m->growth));
}

static void noise_of_receiver(const struct b_moment *m, struct b_effect *e)
{
	lanes_add(m->h, e->thermal, b_noise_for(m->h->size * m->growth));
}

static void bursts(const struct b_moment *m, struct b_effect *e)
{
	e->burst_per_s += m->h->size * m->growth;
	e->burst_codewords = exp(b_effect_own(m->h, 0, log(1.5), log(60)));
	e->burst_symbols = exp(b_effect_own(m->h, 1, log(11), log(40)));
}

static void overheats(const struct b_moment *m, struct b_effect *e)
{
	double lag_s = m->h->pace == PACE_SLOW ? 900 : 200;

	e->heat_k += m->h->size * m->growth * -expm1(-m->s / lag_s);
}

/* A contact opens for microseconds to a millisecond. */
static void loose(const struct b_moment *m, struct b_effect *e)
{
	double turn_s = m->h->pace == PACE_SLOW ? 1800 : 120;
	uint64_t turn = (uint64_t)(m->s / turn_s);

	bursts(m, e);
	e->burst_per_s *= b_hash_unit(m->h->seed, turn) < SHAKEN ?
			  1 / SHAKEN : 0;
	e->burst_codewords = exp(b_effect_own(m->h, 2, log(30), log(2e4)));
	e->is_contact = true;
}

static void crushed(const struct b_moment *m, struct b_effect *e)
{
	noise_of_signal(m, e);
	e->down = m->s < 8;
	e->reason = DOWN_TRAINING;
}

static void weak_lane(const struct b_moment *m, struct b_effect *e)
{
	lanes_add(m->h, e->loss_db, m->h->size);
}

/* In turns of about so many seconds each, it falls in most. */
static void flaps(const struct b_moment *m, struct b_effect *e)
{
	double turn_s = m->h->size * (m->h->pace == PACE_SLOW ? 2 : 1);
	double from_s = (double)(m->from_ns - m->h->onset_ns) / 1e9;
	int64_t first = (int64_t)(fmax(from_s, 0) / turn_s);

	for (int64_t i = first; i <= (int64_t)(m->s / turn_s); i++) {
		uint64_t at = b_hash(m->h->seed, (uint64_t)i);
		double fall_s = turn_s * ((double)i +
				0.6 * b_hash_unit(at, 1));
		double up_s = fall_s + 0.3 + 6 * b_hash_unit(at, 2);

		if (i && b_hash_unit(at, 0) > 0.75)
			continue;
		e->falls += fall_s > from_s && fall_s <= m->s;
		if (fall_s <= m->s && m->s < up_s) {
			e->down = true;
			e->reason = DOWN_MAC_REMOTE_FAULT;
		}
	}
}

static void cut(const struct b_moment *m, struct b_effect *e)
{
	(void)m;
	e->down = e->is_dark = true;
	e->reason = DOWN_RX_LOS;
}

static void pulled(const struct b_moment *m, struct b_effect *e)
{
	(void)m;
	e->down = e->absent = true;
	e->reason = DOWN_NO_MODULE;
}

/* Stays down for a reason that light does not show. */
static void stuck(const struct b_moment *m, struct b_effect *e)
{
	static const enum down_reason reasons[] = {
		DOWN_MAC_LOCAL_FAULT, DOWN_MAC_REMOTE_FAULT,
		DOWN_FEC_SYNC_LOSS, DOWN_FEC_ALIGNMENT_LOSS,
		DOWN_SIGNAL_LOCAL, DOWN_UNKNOWN,
	};
	unsigned which = (unsigned)b_effect_own(m->h, 0, 0, 5.999);

	e->down = true;
	e->reason = reasons[which];
}

static void trains_for_ever(const struct b_moment *m, struct b_effect *e)
{
	(void)m;
	e->down = true;
	e->reason = DOWN_TRAINING;
}

static void peer_dead(const struct b_moment *m, struct b_effect *e)
{
	e->down = true;
	e->is_dark = b_effect_own(m->h, 0, 0, 1) < 0.7;
	e->reason = e->is_dark ? DOWN_RX_LOS : DOWN_NO_CARRIER;
}

static void own_laser_dies(const struct b_moment *m, struct b_effect *e)
{
	lanes_add(m->h, e->tx_db, 60);
	lanes_add(m->h, e->bias_share, -0.999);
	e->down = true;
	e->reason = DOWN_TX_FAULT;
}

/* Jitter of a core's clock: errors between chip and module, on all its ports,
 * from a thousandth of a millionth up by that many decades.
 */
static void core_noise(const struct b_moment *m, struct b_effect *e)
{
	e->host_ber += 1e-9 * expm1(M_LN10 * fmin(m->h->size * m->growth, 6));
}

static void fan_stops(const struct b_moment *m, struct b_effect *e)
{
	double lag_s = m->h->pace == PACE_SLOW ? 900 : 240;

	e->air_k += m->h->size * -expm1(-m->s / lag_s);
}

static void supply_sags(const struct b_moment *m, struct b_effect *e)
{
	e->vcc_v -= m->h->size * m->growth;
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		e->flat[i] += b_noise_for(2.5 * m->h->size * m->growth);
}

/* The monitor's own converter: a turn of ten seconds or a minute reads wrong
 * more often than not.
 */
static void monitor_fails(const struct b_moment *m, struct b_effect *e)
{
	int64_t turn = m->t_ns / (m->h->pace == PACE_SLOW ? 60000000000ll :
							    10000000000ll);
	uint64_t at = b_hash(m->h->seed, (uint64_t)turn);

	if (b_hash_unit(at, 0) > m->h->size)
		return;
	e->garbage = (enum b_garbage)(1 + at % 3);
}

static void bus_fails(const struct b_moment *m, struct b_effect *e)
{
	int64_t turn = m->t_ns / (m->h->pace == PACE_SLOW ? 60000000000ll :
							    10000000000ll);

	e->dom_fails = b_hash_unit(m->h->seed, (uint64_t)turn) < m->h->size;
}

static void swapped_for_worse(const struct b_moment *m, struct b_effect *e)
{
	if (m->s < 90) {
		e->down = e->absent = true;
		e->reason = DOWN_NO_MODULE;
		return;
	}
	b_effect_module(m->h, e);
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		e->flat[i] += b_noise_for(m->h->size);
}

const struct b_kind b_faults[] = {
{ "dirt_near", B_FAULT, B_LANES, SIGNATURE_CONTAMINATION, END_NEAR,
	ACTION_CLEAN_NEAR, B_PLUGS, B_AS_LOSS, { 0.5, 1.7 }, .apply = dirt },
{ "dirt_far", B_FAULT, B_LANES, SIGNATURE_CONTAMINATION, END_FAR,
	ACTION_CLEAN_FAR, B_PLUGS, B_AS_LOSS, { 0.5, 1.7 }, .apply = dirt },
{ "bend", B_FAULT, B_PORT, SIGNATURE_BENT_FIBRE, END_PATH, ACTION_REPLACE_CABLE,
	B_PLUGS, B_AS_LOSS, { 0.5, 1.7 }, .apply = bend },
{ "far_wear", B_FAULT, B_LANES, SIGNATURE_FAR_LASER, END_FAR,
	ACTION_REPLACE_FAR, B_LIGHT, B_AS_LOSS, { 0.6, 2 }, .grows = true,
	.apply = far_fades },
{ "own_wear", B_FAULT, B_LANES, SIGNATURE_TX_DECAY, END_NEAR,
	ACTION_REPLACE_NEAR, B_LIGHT, B_PLAIN, { 0.4, 1.2 }, .grows = true,
	.apply = own_laser_wears },
{ "reflection", B_FAULT, B_LANES, SIGNATURE_FEC_TREND, END_PATH,
	ACTION_CLEAN_NEAR, B_PLUGS, B_AS_NOISE, { 0.5, 1.6 }, .grows = true,
	.apply = noise_of_signal },
{ "reflection_step", B_FAULT, B_LANES, SIGNATURE_FEC_TREND, END_PATH,
	ACTION_CLEAN_NEAR, B_PLUGS, B_AS_NOISE, { 0.4, 1.2 },
	.apply = noise_of_signal },
{ "receiver_noise", B_FAULT, B_PORT, SIGNATURE_FEC_TREND, END_NEAR,
	ACTION_REPLACE_NEAR, B_LIGHT, B_AS_NOISE, { 0.5, 1.6 }, .grows = true,
	.apply = noise_of_receiver },
{ "far_snr", B_FAULT, B_LANES, SIGNATURE_FEC_TREND, END_FAR,
	ACTION_REPLACE_FAR, B_LIGHT, B_AS_NOISE, { 0.5, 1.6 }, .grows = true,
	.apply = noise_of_signal },
{ "bursts", B_FAULT, B_PORT, SIGNATURE_FEC_UNCORRECTABLE, END_NEAR,
	ACTION_REPLACE_NEAR, B_ANY & ~B_BIT(B_ZR), B_PLAIN, { 0.003, 0.5 },
	.apply = bursts },
{ "bursts_far", B_FAULT, B_PORT, SIGNATURE_FEC_UNCORRECTABLE, END_FAR,
	ACTION_REPLACE_FAR, B_LIGHT & ~B_BIT(B_ZR), B_PLAIN, { 0.01, 2 },
	.grows = true, .apply = bursts },
{ "overheat", B_FAULT, B_MODULE, SIGNATURE_THERMAL_FEC, END_NEAR,
	ACTION_FIX_AIRFLOW, B_MONITORED, B_AS_HEAT, { 8, 30 },
	.apply = overheats },
{ "overheat_slow", B_FAULT, B_MODULE, SIGNATURE_THERMAL_FEC, END_NEAR,
	ACTION_FIX_AIRFLOW, B_MONITORED, B_AS_HEAT, { 8, 30 }, .grows = true,
	.apply = overheats },
{ "loose", B_FAULT, B_MODULE, SIGNATURE_LOOSE_MODULE, END_NEAR,
	ACTION_RESEAT_NEAR, B_MONITORED & ~B_BIT(B_ZR), B_PLAIN,
	{ 0.01, 0.1 }, .apply = loose },
{ "copper_wear", B_FAULT, B_LANES, SIGNATURE_COPPER_DEGRADE, END_PATH,
	ACTION_REPLACE_CABLE, B_COPPER, B_AS_NOISE, { 0.5, 1.6 },
	.grows = true, .apply = noise_of_signal },
{ "copper_crushed", B_FAULT, B_LANES, SIGNATURE_COPPER_DEGRADE, END_PATH,
	ACTION_REPLACE_CABLE, B_COPPER, B_AS_NOISE, { 0.4, 1.2 },
	.apply = crushed },
{ "weak_lane", B_FAULT, B_LANE, SIGNATURE_LANE_IMBALANCE, END_NEAR,
	ACTION_REPLACE_NEAR, B_LIGHT & ~B_BIT(B_ZR), B_AS_LOSS, { 0.6, 1.1 },
	.from_start = true, .apply = weak_lane },
{ "flapping", B_FAULT, B_PORT, SIGNATURE_FLAP_BURST, END_FAR, ACTION_CHECK_PEER,
	B_ANY, B_PLAIN, { 12, 60 }, { 600, 2400 }, .is_down = true,
	.apply = flaps },
{ "fibre_cut", B_FAULT, B_PORT, SIGNATURE_LINK_DOWN, END_PATH,
	ACTION_REPLACE_CABLE, B_LIGHT, .is_down = true, .apply = cut },
{ "module_pulled", B_FAULT, B_MODULE, SIGNATURE_LINK_DOWN, END_NEAR,
	ACTION_RESEAT_NEAR, B_ANY, .is_down = true, .apply = pulled },
{ "stuck", B_FAULT, B_PORT, SIGNATURE_LINK_DOWN, END_FAR, ACTION_CHECK_PEER,
	B_ANY, .is_down = true, .apply = stuck },
{ "training", B_FAULT, B_PORT, SIGNATURE_LINK_DOWN, END_PATH,
	ACTION_REPLACE_CABLE, B_COPPER, .is_down = true,
	.apply = trains_for_ever },
{ "peer_dead", B_FAULT, B_PORT, SIGNATURE_LINK_DOWN, END_FAR, ACTION_CHECK_PEER,
	B_LIGHT, .is_down = true, .apply = peer_dead },
{ "own_laser_dead", B_FAULT, B_PORT, SIGNATURE_LINK_DOWN, END_NEAR,
	ACTION_REPLACE_NEAR, B_LIGHT, .is_down = true,
	.apply = own_laser_dies },
{ "core_jitter", B_FAULT, B_GROUP, SIGNATURE_SHARED_COMPONENT, END_NEAR,
	ACTION_REPLACE_NEAR, B_ANY, B_PLAIN, { 3, 5.4 }, .grows = true,
	.apply = core_noise },
{ "core_step", B_FAULT, B_GROUP, SIGNATURE_SHARED_COMPONENT, END_NEAR,
	ACTION_REPLACE_NEAR, B_ANY, B_PLAIN, { 3, 5.2 }, .apply = core_noise },
{ "core_bursts", B_FAULT, B_GROUP, SIGNATURE_SHARED_COMPONENT, END_NEAR,
	ACTION_REPLACE_NEAR, B_ANY, B_PLAIN, { 0.01, 0.5 }, .apply = bursts },
{ "fan_dead", B_FAULT, B_ZONE, SIGNATURE_ENVIRONMENT, END_NEAR,
	ACTION_FIX_AIRFLOW, B_ANY, B_PLAIN, { 6, 15 }, .apply = fan_stops },
{ "air_blocked", B_FAULT, B_ZONE, SIGNATURE_ENVIRONMENT, END_NEAR,
	ACTION_FIX_AIRFLOW, B_ANY, B_PLAIN, { 5, 14 }, .apply = fan_stops },
{ "supply_sags", B_FAULT, B_ZONE, SIGNATURE_ENVIRONMENT, END_NEAR,
	ACTION_REPLACE_NEAR, B_ANY, B_PLAIN, { 0.1, 0.25 }, .grows = true,
	.apply = supply_sags },
{ "monitor_wild", B_FAULT, B_MODULE, SIGNATURE_SENSOR_FAULT, END_NEAR,
	ACTION_REPLACE_NEAR, B_MONITORED, B_PLAIN, { 0.3, 0.9 },
	.apply = monitor_fails },
{ "bus_dead", B_FAULT, B_MODULE, SIGNATURE_SENSOR_FAULT, END_NEAR,
	ACTION_REPLACE_NEAR, B_MONITORED, B_PLAIN, { 0.6, 0.95 },
	.apply = bus_fails },
{ "swapped_worse", B_FAULT, B_MODULE, SIGNATURE_MODULE_CHANGED, END_NEAR,
	ACTION_OBSERVE, B_ANY, B_AS_NOISE, { 0.2, 0.6 },
	.apply = swapped_for_worse },
};
const unsigned b_fault_count = sizeof(b_faults) / sizeof(b_faults[0]);
