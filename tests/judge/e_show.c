/* What the sources show: monitors read when they are due, in steps and with
 * noise; counters of as many bits as they have; readings that miss or are late.
 */
#include <math.h>
#include <string.h>

#include "tests/judge/e_world.h"

#define MISSING_HARD 0.03
#define MISSING 0.0005
#define LATE 0.0002
#define LATE_HARD 0.001
#define OLD_NS (60 * E_NS)
#define TX_FAULT_DB 15.0
#define MW_PER_UW 1e-3

/* Least step: 0.1 uW. */
static double power_told(struct e_port *p, double dbm)
{
	double uw = pow(10, (dbm + p->dom_noise_db *
			     draw_rough(&p->chance)) / 10) / MW_PER_UW;

	uw = round(uw * 10) / 10;
	return uw < 0.1 ? E_DARK_DBM : 10 * log10(uw * MW_PER_UW);
}

static void lanes_tell(struct e_port *p, struct world_reading *r)
{
	const struct e_stress *s = &p->stress;
	bool lit = p->now.admin_up;

	for (unsigned i = 0; i < p->media->lanes; i++) {
		double rx = p->rx_dbm[i] - s->lane[E_LOSS][i];
		double own_db = s->lane[E_OWN_LOSS][i];
		double tx = lit ? p->tx_dbm[i] - own_db : E_DARK_DBM - 10;

		r->rx_dbm[i] = power_told(p, rx);
		if (rx < p->media->los_dbm)
			r->rx_los |= (uint8_t)(1u << i);
		if (p->tells_own_light)
			r->tx_dbm[i] = power_told(p, tx);
		if (own_db > TX_FAULT_DB)
			r->tx_fault |= (uint8_t)(1u << i);
		r->bias_ma[i] = lit ? p->bias_ma[i] *
			(1 + s->lane[E_BIAS][i] + 0.004 * (p->temp_c - 45) +
			 0.003 * draw_rough(&p->chance)) : 0;
	}
}

static void errors_tell(struct e_port *p, struct world_reading *r)
{
	if (!p->now.oper_up)
		return;
	if (p->tells_ber)
		r->ber = p->ber * exp(0.03 * draw_rough(&p->chance));
	for (unsigned i = 0; p->tells_snr && i < p->media->lanes; i++) {
		double ber = fmax(p->lane_ber[i], 1e-15);

		r->snr_db[i] = 10 * log10(e_snr_of(log10(ber), p->traits)) +
			       0.1 * draw_rough(&p->chance);
		r->lane_ber[i] = p->lane_ber[i];
	}
}

static void junk_tell(struct e_port *p, struct world_reading *r)
{
	double worst = draw_unit(&p->chance);

	if (draw_unit(&p->chance) > p->stress.of[E_AMOUNT])
		return;
	r->temp_c = worst < 0.5 ? 127.996 : worst < 0.8 ? -128 : 0;
	r->vcc_v = worst < 0.5 ? 6.5535 : 0;
	if (worst < 0.3)
		return;
	for (unsigned i = 0; i < p->media->lanes; i++)
		if (!isnan(r->rx_dbm[i]))
			r->rx_dbm[i] = worst < 0.5 ? 8.1647 : E_DARK_DBM;
}

static void dom_make(struct world *w, struct e_port *p,
		     struct world_reading *r)
{
	memset(r, 0, sizeof(*r));
	r->has_dom = true;
	r->dom_t_ns = w->now_ns;
	r->ber = (double)NAN;
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		r->rx_dbm[i] = r->tx_dbm[i] = r->bias_ma[i] = r->lane_ber[i] =
			r->snr_db[i] = (double)NAN;
	r->temp_c = p->dom_step_k * round((p->temp_c + 0.1 *
			draw_rough(&p->chance)) / p->dom_step_k);
	r->vcc_v = round((p->vcc_v - p->stress.of[E_SAG] + 0.002 *
			  draw_rough(&p->chance)) * 1e4) / 1e4;
	if (p->traits & E_POWERS)
		lanes_tell(p, r);
	errors_tell(p, r);
	if (p->stress.acts & E_JUNK)
		junk_tell(p, r);
}

/* What is shown is, where it is hard, the reading before. */
void e_dom_step(struct world *w, unsigned port)
{
	struct e_port *p = &w->state[port];
	int64_t every_ns = p->dom_every_ns;
	struct world_reading old = p->dom;

	if (!p->now.present)
		p->has_dom = false;
	if (!(p->traits & E_WARMTH) || !p->now.present ||
	    w->now_ns < p->dom_due_ns)
		return;
	if (w->at.hard && every_ns < OLD_NS)
		every_ns = OLD_NS;
	while (p->dom_due_ns <= w->now_ns)
		p->dom_due_ns += every_ns;
	if (p->stress.acts & E_STALE)
		return;
	p->dom_failed = draw_unit(&p->chance) < p->stress.of[E_MISSES];
	if (p->dom_failed)
		return;
	if (p->stress.acts & E_FROZEN && p->has_dom) {
		p->shown.dom_t_ns = w->now_ns;
		return;
	}
	dom_make(w, p, &p->dom);
	p->shown = w->at.hard && p->has_dom ? old : p->dom;
	p->has_dom = true;
}

/* All counters lie side by side. */
static void wrap(struct world_reading *r)
{
	uint64_t *at[] = {
		&r->fec_corrected_codewords, &r->fec_uncorrectable_codewords,
		&r->fec_symbol_errors, &r->fec_corrected_bits, &r->in_octets,
		&r->in_frames, &r->in_errors, &r->in_discards, &r->out_octets,
		&r->out_frames, &r->out_discards, &r->ecn_marked_frames,
	};

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		*at[i] &= UINT32_MAX;
	for (unsigned i = 0; i < WORLD_BINS; i++)
		r->fec_bins[i] &= UINT32_MAX;
	for (unsigned i = 0; i < WORLD_PRIORITIES; i++) {
		r->pfc_rx_frames[i] &= UINT32_MAX;
		r->pfc_tx_frames[i] &= UINT32_MAX;
	}
}

static void reading_make(struct world *w, unsigned port,
			 struct world_reading *ret)
{
	struct e_port *p = &w->state[port];
	const struct world_reading *m = &p->shown;

	*ret = p->now;
	ret->t_ns = w->now_ns + w->clock_ns;
	ret->has_counters = true;
	ret->has_bins = w->port[port].fec == FEC_RS544;
	if (w->port[port].counter_bits == 32)
		wrap(ret);
	if (!ret->present)
		ret->serial[0] = '\0';
	ret->temp_c = ret->vcc_v = ret->ber = (double)NAN;
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++)
		ret->rx_dbm[i] = ret->tx_dbm[i] = ret->bias_ma[i] =
			ret->lane_ber[i] = ret->snr_db[i] = (double)NAN;
	ret->has_dom = p->has_dom && !p->dom_failed;
	if (!ret->has_dom)
		return;
	ret->dom_t_ns = m->dom_t_ns + w->clock_ns;
	ret->temp_c = m->temp_c;
	ret->vcc_v = m->vcc_v;
	ret->ber = m->ber;
	memcpy(ret->rx_dbm, m->rx_dbm, sizeof(m->rx_dbm));
	memcpy(ret->tx_dbm, m->tx_dbm, sizeof(m->tx_dbm));
	memcpy(ret->bias_ma, m->bias_ma, sizeof(m->bias_ma));
	memcpy(ret->lane_ber, m->lane_ber, sizeof(m->lane_ber));
	memcpy(ret->snr_db, m->snr_db, sizeof(m->snr_db));
	ret->rx_los = m->rx_los;
	ret->tx_fault = m->tx_fault;
}

/* One that is late comes two ticks later, instead of that tick's own. */
bool e_read(struct world *w, unsigned port, struct world_reading *ret)
{
	struct e_port *p = &w->state[port];
	double u = draw_unit(&p->chance);

	if (p->stress.acts & E_SILENT) {
		p->held_for = 0;
		return false;
	}
	if (p->held_for && --p->held_for == 0) {
		*ret = p->held;
		return true;
	}
	if (u < (w->at.hard ? MISSING_HARD : MISSING))
		return false;
	reading_make(w, port, ret);
	if (!p->held_for && u > 1 - (w->at.hard ? LATE_HARD : LATE)) {
		p->held = *ret;
		p->held_for = 2;
		return false;
	}
	return true;
}
