/* What modules tell, by monitors that round, stray and miss; and readings. */
#include <math.h>
#include <string.h>

#include "tests/judge/d_world.h"

#define MISSED 0.003		/* of all readings; where hard: */
#define MISSED_HARD 0.03
#define BIAS_PER_K 0.004	/* uncooled lasers want more when warm */

static double rounded_dbm(double mw, double step_mw)
{
	mw = fmin(round(mw / step_mw) * step_mw, 6.5535);
	return mw > 0 ? 10 * log10(mw) : D_DARK_DBM;
}

static void light_read(struct d_port *p, struct world_reading *d,
		       unsigned lanes)
{
	const struct d_monitors *m = &p->monitors;
	bool is_down = !p->now.oper_up;
	bool far_dark = is_down && p->reason == DOWN_RX_LOS;
	bool dark = is_down && (p->reason == DOWN_TX_FAULT ||
				p->reason == DOWN_TX_DISABLED ||
				p->reason == DOWN_ADMIN);
	double warm = 1 + BIAS_PER_K * (p->temp_c - 50), mean = 0;
	double rx_mw[WORLD_LANES_MAX], rx, tx;

	for (unsigned i = 0; i < lanes; i++) {
		rx = p->rx_dbm[i] - p->stress.of[D_LOSS][i];
		tx = p->tx_dbm[i] - p->stress.of[D_TX][i] + m->tx_off[i] +
		     m->noise_db * draw_rough(&p->chance) / 2;
		d->rx_los |= (uint8_t)((far_dark || rx < p->los_dbm) << i);
		d->tx_fault |= (uint8_t)((is_down &&
			p->reason == DOWN_TX_FAULT) << i);
		rx += m->rx_off[i] + m->noise_db * draw_rough(&p->chance);
		rx_mw[i] = far_dark ? 0 : pow(10, rx / 10);
		mean += rx_mw[i] / lanes;
		if (m->tx)
			d->tx_dbm[i] = rounded_dbm(dark ? 0 : pow(10, tx / 10),
						    m->step_mw);
		if (m->bias)
			d->bias_ma[i] = dark ? 0 : round(p->bias_ma[i] * warm *
				(1 + p->stress.of[D_BIAS][i]) * (1 + 1e-3 *
				draw_rough(&p->chance)) / 0.004) * 0.004;
	}
	for (unsigned i = 0; i < lanes && m->light; i++)
		d->rx_dbm[i] = rounded_dbm(m->averages ? mean : rx_mw[i],
					   m->step_mw);
}

static void quality_read(struct d_port *p, struct world_reading *d,
			 unsigned lanes)
{
	double q;

	if (!p->monitors.ber || !p->now.oper_up)
		return;
	d->ber = p->ber * exp(0.03 * draw_rough(&p->chance));
	for (unsigned i = 0; i < lanes && p->monitors.snr; i++) {
		d->lane_ber[i] = p->lane_ber[i] *
				 exp(0.05 * draw_rough(&p->chance));
		q = d_q_of(log10(p->lane_ber[i]), p->media->traits & D_PAM4);
		/* Of four levels: 5 Q^2. */
		d->snr_db[i] = 7 + 20 * log10(q) +
			       0.05 * draw_rough(&p->chance);
	}
}

/* Registers of ones or zeros, light that jumps: no line is as it is told. */
static void lies_tell(struct d_port *p, struct world_reading *d,
		      unsigned lanes)
{
	double u = draw_unit(&p->chance);

	for (unsigned i = 0; i < lanes && p->stress.acts & D_JUMPS; i++)
		if (!isnan(d->rx_dbm[i]))
			d->rx_dbm[i] = fmax(D_DARK_DBM, d->rx_dbm[i] +
					    5 * draw_rough(&p->chance));
	if (!(p->stress.acts & D_GARBAGE) || u > 0.6)
		return;
	d->temp_c = u < 0.2 ? 255.996 : u < 0.4 ? -128 : 0;
	d->vcc_v = u < 0.4 ? 6.5535 : 0;
	for (unsigned i = 0; i < lanes; i++)
		if (!isnan(d->rx_dbm[i]))
			d->rx_dbm[i] = u < 0.4 ? 8.165 : D_DARK_DBM;
}

static void dom_clear(struct world_reading *d)
{
	memset(d, 0, sizeof(*d));
	d->temp_c = d->vcc_v = d->ber = NAN;
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		d->rx_dbm[i] = d->tx_dbm[i] = d->bias_ma[i] =
			d->snr_db[i] = d->lane_ber[i] = NAN;
}

static void dom_read(const struct world *w, struct d_port *p, unsigned lanes)
{
	const struct d_monitors *m = &p->monitors;
	struct world_reading *d = &p->dom;

	dom_clear(d);
	d->has_dom = true;
	d->dom_t_ns = w->now_ns / D_NS * D_NS + w->clock_ns;
	d->temp_c = round((p->temp_c + m->temp_off + 0.05 *
			   draw_rough(&p->chance)) / m->step_k) * m->step_k;
	d->vcc_v = round((p->vcc_v - p->stress.of[D_SAG][0] + 0.003 *
			  draw_rough(&p->chance)) * 1e4) / 1e4;
	if (p->media->traits & D_OPTICAL)
		light_read(p, d, lanes);
	quality_read(p, d, lanes);
	lies_tell(p, d, lanes);
}

void d_dom_step(struct world *w, unsigned port)
{
	struct d_port *p = &w->state[port];
	const struct d_monitors *m = &p->monitors;

	if (w->before_ns == 0) {
		dom_clear(&p->dom);
		p->shown = p->dom;
	}
	if (!(p->media->traits & D_MONITORS) ||
	    (w->now_ns + m->phase_ns) / m->period_ns ==
	    (w->before_ns + m->phase_ns) / m->period_ns)
		return;
	/* The reader hangs: no new row, or the old one under a new time. */
	if (w->stalled && m->dated)
		(w->at.hard ? &p->shown : &p->dom)->dom_t_ns =
			w->now_ns / D_NS * D_NS + w->clock_ns;
	if (w->stalled)
		return;
	p->shown = p->dom;
	if (!p->now.present)
		dom_clear(&p->dom);
	else if (draw_unit(&p->chance) < m->misses +
					 p->stress.of[D_MISSES][0])
		p->dom.has_dom &= m->dated;
	else
		dom_read(w, p, w->port[port].lanes);
}

bool d_read(struct world *w, unsigned port, struct world_reading *ret)
{
	const struct d_port *p = &w->state[port];
	double chance = key_unit(draw_key(p->key, (uint64_t)w->now_ns, 0, 0));

	if (w->silent || chance < (w->at.hard ? MISSED_HARD : MISSED))
		return false;
	*ret = w->at.hard ? p->shown : p->dom;
	memcpy(ret, &p->now, offsetof(struct world_reading, has_dom));
	ret->t_ns = p->read_ns + w->clock_ns;
	ret->down = !ret->oper_up && (w->tells_reasons || !ret->admin_up) ?
		    p->reason : DOWN_UNKNOWN;
	if (!ret->present)
		ret->serial[0] = '\0';
	ret->has_dom &= ret->present;
	if (ret->dom_t_ns > ret->t_ns)
		ret->dom_t_ns = ret->t_ns;
	for (uint64_t *n = &ret->fec_corrected_codewords;
	     n < ret->queue_peak_octets; n++)
		*n &= UINT64_MAX >> (64 - w->port[port].counter_bits);
	return true;
}
