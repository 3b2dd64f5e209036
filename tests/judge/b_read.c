/* Readings miss in 0.2 % of all cases (hard: 3 %), as pollers under load lose
 * them; a late one is held for two ticks, and comes after the next.
 */
#include "tests/judge/b_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/judge/b_world.h"

#define MISS_SHARE 0.002
#define MISS_SHARE_HARD 0.03
#define LATE_SHARE 0.0003

static void dom_show(const struct world *w, const struct b_port *p,
		     struct world_reading *r)
{
	const struct b_dom *dom = &p->dom[(p->dom_newest + 1) %
					  (w->dom_lag + 1)];

	r->has_dom = dom->is_there;
	if (!r->has_dom)
		return;
	r->dom_t_ns = dom->t_ns;
	r->temp_c = dom->temp_c;
	r->vcc_v = dom->vcc_v;
	r->ber = dom->ber;
	memcpy(r->rx_dbm, dom->rx_dbm, sizeof(r->rx_dbm));
	memcpy(r->tx_dbm, dom->tx_dbm, sizeof(r->tx_dbm));
	memcpy(r->bias_ma, dom->bias_ma, sizeof(r->bias_ma));
	memcpy(r->lane_ber, dom->lane_ber, sizeof(r->lane_ber));
	memcpy(r->snr_db, dom->snr_db, sizeof(r->snr_db));
	r->rx_los = dom->rx_los;
	r->tx_fault = dom->tx_fault;
}

static void dom_hide(struct world_reading *r)
{
	r->temp_c = r->vcc_v = r->ber = NAN;
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++) {
		r->rx_dbm[i] = r->tx_dbm[i] = r->bias_ma[i] = NAN;
		r->lane_ber[i] = r->snr_db[i] = NAN;
	}
}

static void counts_show(const struct b_port *p, struct world_reading *r)
{
	const struct b_counts *c = &p->counts;
	uint64_t mask = p->row->counter_bits == 32 ? UINT32_MAX : UINT64_MAX;

	r->has_counters = true;
	r->has_bins = p->has_bins;
	r->fec_corrected_codewords = c->corrected & mask;
	r->fec_uncorrectable_codewords = c->lost & mask;
	r->fec_symbol_errors = c->symbols & mask;
	r->fec_corrected_bits = c->bits & mask;
	for (unsigned i = 0; p->has_bins && i < WORLD_BINS; i++)
		r->fec_bins[i] = c->bins[i] & mask;
	r->in_octets = c->in_octets & mask;
	r->in_frames = c->in_frames & mask;
	r->in_errors = c->in_errors & mask;
	r->in_discards = c->in_discards & mask;
	r->out_octets = c->out_octets & mask;
	r->out_frames = c->out_frames & mask;
	r->out_discards = c->out_discards & mask;
	r->ecn_marked_frames = c->ecn_frames & mask;
	for (unsigned i = 0; i < WORLD_PRIORITIES; i++) {
		r->pfc_rx_frames[i] = c->pfc_rx[i] & mask;
		r->pfc_tx_frames[i] = c->pfc_tx[i] & mask;
	}
	memcpy(r->queue_peak_octets, c->queue_peak, sizeof(c->queue_peak));
}

static void show(const struct world *w, const struct b_port *p,
		 struct world_reading *r)
{
	const struct b_effect *e = &p->effect;
	uint64_t module = b_hash(w->c.seed ^ 0x5e71a1, e->module ? e->module :
				 p->cage + 1);

	memset(r, 0, sizeof(*r));
	dom_hide(r);
	r->t_ns = p->read_ns + w->clock_ns;
	r->admin_up = !e->admin_down;
	r->oper_up = p->is_up;
	r->present = !e->absent;
	r->down = p->is_up || !w->tells_reason ? DOWN_UNKNOWN : p->reason;
	if (r->present)
		(void)snprintf(r->serial, sizeof(r->serial), "PB%010llX",
			       (unsigned long long)(module >> 24));
	r->link_down_count = p->falls;
	counts_show(p, r);
	dom_show(w, p, r);
}

void b_read_step(struct world *w, struct b_port *p)
{
	double miss = w->c.hard ? MISS_SHARE_HARD : MISS_SHARE;
	struct world_reading late;
	double u = b_draw_unit(&p->draw), v = b_draw_unit(&p->draw);
	bool was_held = p->has_held && p->hold_ticks == 0;

	p->is_read = false;
	if (was_held) {
		late = p->held;
		p->has_held = false;
	} else if (p->has_held) {
		p->hold_ticks--;
	}
	if (p->effect.is_mute || u < fmax(miss, p->effect.miss_share))
		return;
	p->is_read = true;
	show(w, p, &p->now);
	if (was_held) {
		p->now = late;
	} else if (!p->has_held && (p->effect.is_late || v < LATE_SHARE)) {
		p->held = p->now;
		p->has_held = true;
		p->hold_ticks = 1;
		p->is_read = false;
	}
}

bool b_read_get(const struct b_port *p, struct world_reading *ret)
{
	if (p->is_read)
		*ret = p->now;
	return p->is_read;
}
