#include "tests/judge/g_live.h"

#include <math.h>
#include <string.h>

#include "tests/judge/g_air.h"
#include "tests/judge/g_codes.h"
#include "tests/judge/g_dice.h"
#include "tests/judge/g_media.h"
#include "tests/judge/g_world.h"

#define DB 0.23025850929940458	/* of power, as a natural logarithm */
#define USUAL_C 45.0
#define LASER_DB_PER_K 0.012	/* at a constant current */
#define HOTTEST_C 105.0		/* a module switches itself off above */
#define WORST_BER 0.3
#define BURST_BITS 300		/* wrong in a codeword that a burst breaks */

static double of_port(const struct g_stress *s, enum g_channel channel)
{
	return s->port[channel - G_LANE_CHANNELS];
}

static void stress_sum(const struct world *w, unsigned port, struct g_span at,
		       const struct g_event *without, struct g_live *l)
{
	const struct g_port *p = &w->built[port];
	double usual_c = l->usual_c = g_air_module_c(w, port, at.to_s);

	memset(&l->stress, 0, sizeof(l->stress));
	for (unsigned i = 0; i < p->events; i++) {
		const struct g_event *e = &w->event[p->event[i]];

		if (e != without)
			g_stress_add(w, e, port, at, usual_c, &l->stress);
	}
	l->temp_c = fmin(HOTTEST_C, usual_c + of_port(&l->stress, G_HEAT_K) +
			 of_port(&l->stress, G_AIR_K));
}

static void light_set(const struct g_port *p, double t_s, struct g_live *l)
{
	const struct g_stress *s = &l->stress;

	for (unsigned i = 0; i < p->media->lanes; i++) {
		double drive = s->lane[G_BIAS][i];
		double beyond = drive - p->bias_room;

		l->rx_db[i] = -s->lane[G_LOSS_DB][i] + p->wander_db *
			      g_wander(p->salt + 64 * (i + 1), t_s, 240, 3);
		/* The far end's lasers do the same work, and get as warm. */
		l->rx_db[i] -= p->far_db_per_k * (l->usual_c - USUAL_C);
		l->tx_db[i] = -s->lane[G_TX_DB][i];
		if (p->traits & TRAIT_KEEPS_CURRENT)
			l->tx_db[i] -= LASER_DB_PER_K * (l->temp_c - USUAL_C);
		l->bias[i] = 1 + drive;
		/* The driver's end: what the laser lacks is light lost. */
		if (beyond > 0 && p->traits & TRAIT_KEEPS_POWER) {
			l->bias[i] = 1 + p->bias_room;
			l->tx_db[i] -= 2 * log(1 + beyond) / DB;
		}
	}
}

/* What heat and time leave of the eye, for all lanes. */
static double eye_left(const struct g_port *p, double t_s,
		       const struct g_live *l)
{
	double over_k = fmax(l->temp_c - p->knee_c, 0), left;
	/* Now and then something settles anew: no wave but a step. */
	int64_t day = (int64_t)floor(t_s / 40000 + (double)(p->salt & 7) / 8);

	left = 1 + p->wander_q * g_wander(p->salt, t_s, 8, 7);
	left += p->wander_q * g_at(p->salt + 32, day);
	if (p->traits & TRAIT_WARM)
		left -= p->warm_per_k * (l->temp_c - USUAL_C) +
			p->knee_per_k2 * over_k * over_k;
	return fmax(left, 0.05);
}

static void eyes_set(const struct world *w, const struct g_port *p, double t_s,
		     struct g_live *l)
{
	const struct g_stress *s = &l->stress;
	double left = eye_left(p, t_s, l), sum = 0;
	double relative = 1 - p->thermal - p->shot;
	bool pam4 = p->media->fec == FEC_RS544;

	for (unsigned i = 0; i < p->media->lanes; i++) {
		double light = exp(DB * l->rx_db[i]);
		double noise = p->thermal + s->lane[G_NOISE][i] +
			       p->shot * light + (relative +
			       s->lane[G_REFLECT][i]) * light * light;
		double closed = fmin(s->lane[G_CLOSE][i], 0.95);
		double own = 1 + 0.7 * p->wander_q *
			     g_wander(p->salt + 64 * (i + 1) + 32, t_s, 30, 5);

		l->q[i] = p->q[i] * left * own * light * (1 - closed) /
			  sqrt(fmax(noise, 0.1));
		l->ber[i] = g_eyes_ber(&w->eyes, pam4, l->q[i]);
		sum += l->ber[i];
	}
	l->mean_ber = fmin(sum / p->media->lanes, WORST_BER);
	l->log_ber = log10(l->mean_ber);
}

static void loss_set(const struct world *w, unsigned port, struct g_live *l)
{
	const struct g_port *p = &w->built[port];
	double rate = g_live_rate(w, port);
	double burst_ber = l->stress.lost_rate * BURST_BITS /
			   ((double)w->port[port].speed_mbps * 1e6);

	if (l->stress.is_ruined)
		l->code_loss = 1;
	else if (p->traits & TRAIT_COHERENT)
		l->code_loss = g_codes_line_loss(l->log_ber);
	else
		l->code_loss = g_codes_loss(p->media->fec, l->mean_ber,
					    l->chain);
	l->loss = fmin(1, l->code_loss + l->stress.lost_rate / rate);
	l->log_ber = log10(l->mean_ber + burst_ber);
}

void g_live_at(const struct world *w, unsigned port, struct g_span at,
	       const struct g_event *without, struct g_live *ret)
{
	const struct g_port *p = &w->built[port];

	ret->at_s = at.to_s;
	stress_sum(w, port, at, without, ret);
	ret->load = ret->stress.hold & HOLD_IDLE ? 0 :
						   g_air_load(w, port, at.to_s);
	light_set(p, at.to_s, ret);
	eyes_set(w, p, at.to_s, ret);
	ret->chain = fmin(p->chain + of_port(&ret->stress, G_CHAIN), 0.7);
	loss_set(w, port, ret);
}

double g_live_rate(const struct world *w, unsigned port)
{
	return g_codes_rate(w->port[port].fec, w->port[port].speed_mbps);
}
