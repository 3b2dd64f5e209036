#include "platform/sim/optics.h"

#include <math.h>
#include <string.h>
#include "platform/sim/draw.h"
#include "platform/sim/codewords.h"

#define REFERENCE_C 45.0
#define DARK_MW 1e-5		/* -50 dBm */
#define BER_WORST 0.3
/* Fast drift of polarisation and connectors, and noise of the monitors. */
#define LIGHT_WANDER_DB 0.03
#define MONITOR_LIGHT 0.008	/* of the reading */
#define MONITOR_BIAS 0.003
/* Slow drift of 1/Q^2: about 0.1 decades of BER. */
#define NOISE_WANDER 0.02
#define CURRENT_POWER_PER_K 0.02	/* dB lost, at constant current */
/* The least share of a line's noise that its amplifiers add. */
#define AMPLIFIED_SHARE 0.03
#define LEVELS_POWER 5		/* of PAM4 and 16QAM, in steps of Q squared */

/* Launch and loss: medians of the budgets of IEEE 802.3 clauses 124 (DR), 151
 * (FR, LR), 167 (SR), and of OIF-400ZR, where amplifiers compensate for the
 * line; error ratios as of new links in the field.
 */
static const struct media rows[] = {
	/* name part optical monitored colours cooled coherent
	 *	tx path bias dark ber
	 */
	{ "DR1", "SIM-100G-DR1", true, true, false, false, false,
	  1.2, 1.4, 68, -14, -9.6, -6.9 },
	{ "DR4", "SIM-400G-DR4", true, true, false, false, false,
	  1.4, 1.5, 66, -14, -9.4, -6.8 },
	{ "DR8", "SIM-800G-DR8", true, true, false, false, false,
	  1.6, 1.6, 70, -14, -9.2, -6.8 },
	{ "FR1", "SIM-100G-FR1", true, true, false, false, false,
	  1.4, 2.0, 60, -14, -9.4, -6.8 },
	{ "FR4", "SIM-400G-FR4", true, true, true, false, false,
	  2.0, 2.2, 62, -15, -9.2, -6.8 },
	{ "LR4", "SIM-400G-LR4", true, true, true, true, false,
	  3.0, 4.0, 72, -17, -9.0, -6.8 },
	{ "LR8", "SIM-400G-LR8", true, true, true, true, false,
	  3.4, 4.4, 74, -17, -9.0, -6.7 },
	{ "SR4", "SIM-100G-SR4", true, true, false, false, false,
	  0.4, 0.9, 7.2, -13, -9.8, -7.2 },
	{ "SR8", "SIM-400G-SR8", true, true, false, false, false,
	  0.5, 0.9, 7.4, -13, -9.4, -7.0 },
	{ "ZR", "SIM-400G-ZR", true, true, false, true, true,
	  -10.0, 2.0, 60, -24, -3.1, -2.6 },
	{ "AOC", "SIM-AOC", true, true, false, false, false,
	  0.2, 0.7, 7.0, -13, -9.8, -7.4 },
	{ "AEC", "SIM-AEC", false, true, false, false, false,
	  0, 0, 0, 0, -10.5, -8.0 },
	{ "DAC", "SIM-DAC", false, false, false, false, false,
	  0, 0, 0, 0, -10.0, -7.5 },
	{ "CR4", "SIM-CR4", false, false, false, false, false,
	  0, 0, 0, 0, -10.0, -7.5 },
	{ "CR8", "SIM-CR8", false, false, false, false, false,
	  0, 0, 0, 0, -10.0, -7.5 },
};

const struct media *media_table(size_t *ret_count)
{
	*ret_count = sizeof(rows) / sizeof(rows[0]);
	return rows;
}

const struct media *media_find(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}

static double mw_of(double dbm)
{
	return exp(dbm * (M_LN10 / 10));
}

/* A lane that has healthy_ber at the reference light. */
static void receiver_draw(struct optic_lane *l, const struct media *m,
			  bool four_levels, struct draw *d)
{
	double q = eye_q(four_levels, l->healthy_ber), z = 1 / (q * q);
	double light = mw_of(l->far_dbm - l->path_db);
	double floor_share = m->optical ? draw_between(d, 0.15, 0.65) : 1;
	double shot_share = m->optical ?
		draw_between(d, m->coherent ? AMPLIFIED_SHARE : 0, 0.1) : 0;

	l->floor = z * floor_share;
	l->shot = z * shot_share * light;
	l->thermal = z * (1 - floor_share - shot_share) * light * light;
}

static void lane_draw(struct optic_lane *l, const struct optic *o,
		      const struct range *ber_log10, struct draw *d)
{
	const struct media *m = o->media;

	l->far_dbm = m->tx_dbm + 0.35 * draw_rough(d);
	l->near_dbm = m->tx_dbm + 0.35 * draw_rough(d);
	l->path_db = fmax(m->path_db + 0.3 * draw_rough(d), 0.1);
	l->bias_ma = m->bias_ma * (1 + 0.05 * draw_rough(d));
	l->healthy_ber = pow(10, draw_between(d, ber_log10->low,
					      ber_log10->high));
	l->wander = draw_u64(d);
	receiver_draw(l, m, o->four_levels, d);
}

void optic_draw(struct optic *o, const struct media *media,
		const struct range *ber_log10, bool four_levels, double drift,
		uint64_t key)
{
	struct range ber = *ber_log10;
	struct draw d;

	if (isnan(ber.low))
		ber = (struct range){ media->ber_low_log10,
				      media->ber_high_log10 };
	draw_init(&d, key);
	memset(o, 0, sizeof(*o));
	o->media = media;
	o->four_levels = four_levels;
	o->drift = drift;
	o->constant_current = draw_unit(&d) < 0.3 && !media->cooled;
	o->bias_k = draw_between(&d, 60, 95);
	o->noise_per_k = draw_between(&d, 0.002, 0.012);
	for (unsigned i = 0; i < PLANT_LANES_MAX; i++)
		lane_draw(&o->lane[i], o, &ber, &d);
}

/* Our own laser, as its module reports it. n: the lane of the port. */
static void laser_state(const struct optic *o, const struct optic_lane *l,
			const struct optic_moment *m, unsigned n,
			struct plant_lane *ret)
{
	double warm_k = o->media->cooled ? 0 : m->temp_c - REFERENCE_C;
	double bias = l->bias_ma * (1 + m->stress->bias[n]);
	double dbm = l->near_dbm - m->stress->near_db[n];

	if (o->constant_current)
		dbm -= CURRENT_POWER_PER_K * warm_k;
	else
		bias *= exp(warm_k / o->bias_k);
	ret->bias_ma = bias * (1 + MONITOR_BIAS * draw_rough(m->monitor));
	ret->tx_mw = mw_of(dbm) * (1 + MONITOR_LIGHT * draw_rough(m->monitor));
}

/* Noise over signal, 1/Q^2, without the increase by decades. */
static double noise_of(const struct optic *o, const struct optic_lane *l,
		       const struct optic_moment *m, unsigned n,
		       double light_mw)
{
	double z = l->floor, aim;

	if (o->media->optical)
		z += l->thermal / (light_mw * light_mw) + l->shot / light_mw;
	z *= exp(o->noise_per_k * (m->temp_c - REFERENCE_C) +
		 o->drift * NOISE_WANDER * key_wander(l->wander, m->t_s));
	if (m->stress->grow[n] > 0) {
		/* Noise grows linearly, so the BER grows ever faster. */
		aim = eye_q(o->four_levels, m->stress->grow_to[n]);
		z += m->stress->grow[n] * fmax(1 / (aim * aim) - z, 0);
	}
	return z;
}

static double light_of(const struct optic *o, const struct optic_lane *l,
		       const struct optic_moment *m, unsigned n)
{
	const struct stress *s = m->stress;
	double dbm = l->far_dbm - s->far_db[n] - l->path_db - s->path_db[n];

	if (s->dark || !o->media->optical)
		return 0;
	dbm += LIGHT_WANDER_DB * o->drift * key_wander(~l->wander, m->t_s);
	if (s->shake_db > 0)
		dbm += s->shake_db * draw_normal(m->monitor);
	return mw_of(dbm);
}

static void lane_state(const struct optic *o, const struct optic_lane *l,
		       const struct optic_moment *m, unsigned n,
		       struct plant_lane *ret)
{
	double light = light_of(o, l, m, n), q;

	ret->rx_mw = light * (1 + MONITOR_LIGHT * draw_rough(m->monitor));
	ret->rx_los = o->media->optical && light < mw_of(o->media->dark_dbm);
	q = 1 / sqrt(noise_of(o, l, m, n, fmax(light, DARK_MW)));
	ret->pre_fec_ber = eye_ber(o->four_levels, q);
	if (m->stress->decades > 0) {
		ret->pre_fec_ber = fmin(ret->pre_fec_ber *
					pow(10, m->stress->decades),
					BER_WORST);
		q = eye_q(o->four_levels, ret->pre_fec_ber);
	}
	ret->snr_db = eye_snr_db(o->four_levels, q) +
		0.02 * draw_rough(m->monitor);
}

void optic_state(const struct optic *o, unsigned first, unsigned lanes,
		 const struct optic_moment *m, struct plant_lane *ret)
{
	for (unsigned n = 0; n < lanes; n++) {
		const struct optic_lane *l = &o->lane[first + n];

		memset(&ret[n], 0, sizeof(ret[n]));
		lane_state(o, l, m, n, &ret[n]);
		if (m->laser_on && o->media->optical)
			laser_state(o, l, m, n, &ret[n]);
	}
}

double optic_ase(const struct optic *o, unsigned n, double light_mw)
{
	if (light_mw < DARK_MW)
		return 0;
	return o->lane[n].shot / light_mw / LEVELS_POWER;
}

static void edges_set(double edge[PLANT_EDGE_COUNT], double high_alarm,
		      double low_alarm, double high_warn, double low_warn)
{
	edge[PLANT_HIGH_ALARM] = high_alarm;
	edge[PLANT_LOW_ALARM] = low_alarm;
	edge[PLANT_HIGH_WARN] = high_warn;
	edge[PLANT_LOW_WARN] = low_warn;
}

void optic_limits(const struct media *m, struct plant_limits *ret)
{
	double rx_dbm = m->tx_dbm - m->path_db;

	memset(ret, 0, sizeof(*ret));
	edges_set(ret->temp_c, 75, -5, 70, 0);
	edges_set(ret->vcc_v, 3.63, 2.97, 3.465, 3.135);
	if (!m->optical)
		return;
	edges_set(ret->rx_dbm, rx_dbm + 7, rx_dbm - 10, rx_dbm + 4, rx_dbm - 7);
	edges_set(ret->tx_dbm, m->tx_dbm + 5, m->tx_dbm - 7, m->tx_dbm + 3,
		  m->tx_dbm - 4);
	edges_set(ret->bias_ma, m->bias_ma * 2, m->bias_ma * 0.2,
		  m->bias_ma * 1.8, m->bias_ma * 0.3);
}
