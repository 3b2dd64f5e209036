#include "tests/judge/a_link.h"

#include <math.h>
#include "platform/sim/codewords.h"

#define LOG_BER_LEAST (-16.0)
#define LOG_BER_MOST (-0.5)
#define BER_WORST 0.3
#define DB_TO_E (M_LN10 / 10)
/* OIF-400ZR: the line's code holds to here, and then fails at once. */
#define LINE_LIMIT_BER 1.25e-2
#define LINE_STEEPNESS 60
#define LINE_FRAME_HZ 181900.0
/* Errors grow the faster with heat, the warmer it is: a square in it. */
#define BENDS_K 30.0
#define HOST_LIMIT_BER 1e-2	/* no alignment of lanes beyond */

void a_eye_init(struct a_eye *e)
{
	double step = (LOG_BER_MOST - LOG_BER_LEAST) / A_EYE_STEPS;

	for (unsigned four = 0; four < 2; four++)
		for (unsigned i = 0; i <= A_EYE_STEPS; i++) {
			double q = eye_q(four, pow(10, LOG_BER_LEAST +
						   i * step));

			e->z[four][i] = 1 / (q * q);
		}
}

double a_eye_z(const struct a_eye *e, bool four_levels, double log_ber)
{
	double at = (log_ber - LOG_BER_LEAST) * A_EYE_STEPS /
		(LOG_BER_MOST - LOG_BER_LEAST);
	const double *z = e->z[four_levels];
	unsigned low;

	at = fmin(fmax(at, 0), A_EYE_STEPS - 1e-9);
	low = (unsigned)at;
	return z[low] + (z[low + 1] - z[low]) * (at - low);
}

static void lane_plug(struct a_link *l, struct a_lane *lane, double log_ber,
		      struct draw *d)
{
	const struct a_media *m = l->media;

	lane->log_ber = log_ber + 0.25 * draw_rough(d);
	lane->z0 = a_eye_z(l->eye, l->four_levels, lane->log_ber);
	lane->floor = m->optical ? draw_between(d, 0.15, 0.65) : 1;
	lane->shot = m->optical ? draw_between(d, 0, 0.1) : 0;
	lane->thermal = 1 - lane->floor - lane->shot;
	lane->tx_dbm = m->tx_dbm + 0.35 * draw_rough(d);
	lane->rx_dbm = m->tx_dbm + 0.35 * draw_rough(d) -
		fmax(m->path_db + 0.4 * draw_rough(d), 0.1);
	lane->bias_ma = m->bias_ma * (1 + 0.05 * draw_rough(d));
}

void a_link_plug(struct a_link *l, uint64_t key)
{
	struct draw d;
	double log_ber;

	draw_init(&d, key);
	log_ber = draw_between(&d, l->media->log_ber_low,
			       l->media->log_ber_high);
	/* 0.01 to 0.1 decades a kelvin, log-uniform. */
	l->noise_per_k = exp(draw_between(&d, log(0.0015), log(0.013)));
	if (!l->media->monitored)
		l->noise_per_k = 0.0005;
	l->constant_current = !l->media->cooled && draw_unit(&d) < 0.3;
	l->bias_k = draw_between(&d, 60, 95);
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		lane_plug(l, &l->lane[i], log_ber, &d);
}

static double noise_of(const struct a_link *l, const struct a_stress *s,
		       double heat, const struct a_drift *drift, unsigned n)
{
	const struct a_lane *lane = &l->lane[n];
	double z = 1, db = s->loss_db[n], u;

	if (l->media->optical) {
		db -= drift ? drift->light_db[n] : 0;
		u = exp(db * DB_TO_E);
		z = lane->floor + u * (lane->shot + u * lane->thermal);
	}
	z *= lane->z0 * heat * (drift ? 1 + drift->noise[n] : 1);
	return z + s->noise[n];
}

double a_link_ber(const struct a_link *l, const struct a_stress *s,
		  double heat_k, const struct a_drift *drift,
		  double ret_z[WORLD_LANES_MAX])
{
	double warm_k = heat_k - l->reference_k, steep = fmax(warm_k, 0);
	double heat = exp(l->noise_per_k * (warm_k + steep * steep / BENDS_K));
	double factor = s->decades != 0 ? exp(s->decades * M_LN10) : 1;
	double sum = 0;

	for (unsigned i = 0; i < l->lanes; i++) {
		double z = noise_of(l, s, heat, drift, i), ber;

		ber = eye_ber(l->four_levels, 1 / sqrt(z)) * factor;
		ber = s->dark || ber > BER_WORST ? BER_WORST : ber;
		if (ret_z)
			ret_z[i] = z;
		sum += ber;
	}
	return fmax(sum / l->lanes, 1e-18);
}

double a_link_loss_db(const struct a_lane *l, double z)
{
	double c = l->floor - fmax(z / l->z0, 1);
	double u;

	if (l->thermal <= 0)
		return 0;
	u = (sqrt(l->shot * l->shot - 4 * l->thermal * c) - l->shot) /
		(2 * l->thermal);
	return fmax(10 * log10(u), 0);
}

double a_link_loss(const struct a_link *l, double ber)
{
	double chance[PLANT_FEC_BINS];

	if (l->code)
		return code_distribution(l->code, code_symbol_error(ber),
					 chance);
	if (l->media->coherent)
		return fmin(pow(ber / LINE_LIMIT_BER, LINE_STEEPNESS), 1);
	return 0;
}

double a_link_codeword_hz(const struct a_link *l)
{
	return l->code ? l->code_hz : l->media->coherent ? LINE_FRAME_HZ : 0;
}

double a_link_loss_now(const struct a_link *l, const struct a_stress *s,
		       double ber)
{
	double loss;

	if (s->spike_s > 0)
		ber = fmin(ber * exp(s->spike_decades * M_LN10), BER_WORST);
	loss = a_link_loss(l, ber);
	if (l->code && s->burst_hz > 0)
		loss += s->burst_hz / l->code_hz *
			pow(s->burst_tail, l->code->corrects);
	return fmin(loss, 1);
}

bool a_link_is_lost(const struct a_link *l, const struct a_stress *s,
		    double ber)
{
	bool is_lit = false;

	for (unsigned i = 0; i < l->lanes; i++)
		is_lit |= l->lane[i].rx_dbm - s->loss_db[i] >
			l->media->dark_dbm;
	if (s->dark || (l->media->optical && !is_lit))
		return true;
	return ber > (l->media->coherent ? LINE_LIMIT_BER : HOST_LIMIT_BER);
}
