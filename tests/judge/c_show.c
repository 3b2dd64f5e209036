/* Monitors as CMIS and SFF-8636 hold them and SONiC shows them: a degree / 256
 * (or a whole one), 0.1 uW (or 1 uW), 2 uA, 100 uV; light in dBm to 0.001,
 * -inf where there is none. xcvrd sweeps over all modules; each has its turn.
 * Of readings 0.3 % miss (hard: 3 %), and one in 5,000 comes late.
 */
#include "tests/judge/c_world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MISS_SHARE 0.003
#define MISS_SHARE_HARD 0.03
#define LATE_SHARE 0.0002
#define LEAST_DBM (-40.0)
#define SNR_OVER_MARGIN_DB 14.0

static double stepped(double x, double step)
{
	return step * floor(x / step + 0.5);
}

static double light_told(struct c_port *p, double dbm)
{
	double step_mw = p->is_coarse ? 1e-3 : 1e-4;
	double mw = pow(10, dbm / 10) *
		    (1 + p->adc_share * c_chance_normal(&p->chance));

	mw = stepped(mw, step_mw);
	return mw > 0 ? fmax(stepped(10 * log10(mw), 1e-3), LEAST_DBM) :
			LEAST_DBM;
}

/* A laser's threshold goes with exp(T / T0), the rest of its current little. */
static double bias_told(struct c_port *p, const struct c_lane *l, unsigned i)
{
	double k = p->temp_c - 24 - p->warmth_k;
	double grown = l->threshold_ma * expm1(k / p->media->threshold_k);

	return stepped((l->bias_ma * (1 + p->stress.own_bias[i]) + grown) *
		       (1 + 0.3 * p->adc_share *
			c_chance_normal(&p->chance)), p->is_coarse ? 2e-3 :
								     4e-3);
}

static double ber_told(struct c_port *p, double ber)
{
	double x = ber * (1 + 0.03 * c_chance_normal(&p->chance));

	/* F16 of CMIS: eleven bits of mantissa */
	return x < 1e-14 ? 0 : stepped(x, pow(10, floor(log10(x)) - 3));
}

static void lane_tell(struct c_port *p, unsigned i, struct c_dom *dom)
{
	const struct c_lane *l = &p->lane[i];
	bool is_lit = !p->out || (!p->out->is_admin && !p->out->is_unlit);
	double k = p->temp_c - 24 - p->warmth_k;
	double dbm = l->tx_dbm - p->stress.own_dim_db[i] -
		     4.3 * fmax(k - 15, 0) / p->media->threshold_k;

	dom->rx_dbm[i] = light_told(p, l->light_dbm + l->rx_error_db +
				    l->rx_error_db_k * k);
	dom->tx_dbm[i] = is_lit ? light_told(p, dbm) : LEAST_DBM;
	dom->bias_ma[i] = is_lit ? bias_told(p, l, i) : 0;
	if (l->light_dbm < p->media->rx_low_dbm - 5)
		dom->rx_los |= (uint8_t)(1u << i);
	if (p->out && p->out->reason == DOWN_TX_FAULT)
		dom->tx_fault |= (uint8_t)(1u << i);
	if (p->has_vdm && p->is_up)
		dom->lane_ber[i] = ber_told(p, l->ber);
	if (p->has_snr && p->is_up)
		dom->snr_db[i] = stepped(SNR_OVER_MARGIN_DB -
			3.2 * log10(fmax(l->ber, 1e-15)) / 3 +
			0.1 * c_chance_normal(&p->chance), 1.0 / 256);
}

static void unknown_set(struct c_dom *dom)
{
	dom->temp_c = dom->vcc_v = dom->ber = NAN;
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++) {
		dom->rx_dbm[i] = dom->tx_dbm[i] = dom->bias_ma[i] = NAN;
		dom->lane_ber[i] = dom->snr_db[i] = NAN;
	}
	dom->rx_los = dom->tx_fault = 0;
}

static void registers_lie(struct c_port *p, struct c_dom *dom)
{
	enum c_lie lie = p->stress.lie;
	bool is_noise = lie == C_LIE_NOISE, is_ones = lie == C_LIE_ALL_ONES;
	struct c_range any = { 0, 1 };

	dom->temp_c = is_noise ? -128 + 255 * c_chance_even(&p->chance, any) :
		      is_ones ? -1.0 / 256 : 0;
	dom->vcc_v = is_noise ? 6.5 * c_chance_even(&p->chance, any) :
		     is_ones ? 6.5535 : 0;
	for (unsigned i = 0; p->row->optical && i < p->lanes; i++) {
		double u = c_chance_even(&p->chance, any);

		dom->rx_dbm[i] = dom->tx_dbm[i] =
			is_noise ? LEAST_DBM + 48 * u :
			is_ones ? 8.165 : LEAST_DBM;
		dom->bias_ma[i] = is_noise ? 131 * u : is_ones ? 131.07 : 0;
	}
}

/* One quantity alone is wrong. */
static void monitor_lies(struct c_port *p, struct c_dom *dom)
{
	double size = p->stress.lie_size;

	switch (p->stress.lie) {
	case C_LIE_THERMISTOR:
		dom->temp_c = size < 0.4 ? -128 : size < 0.7 ? 127.996 :
			      -40 - 60 * size;
		break;
	case C_LIE_LIGHT:
		for (unsigned i = 0; i < p->lanes; i++)
			dom->rx_dbm[i] = size < 0.5 ? 8.165 : LEAST_DBM;
		break;
	case C_LIE_BIAS:
		for (unsigned i = 0; i < p->lanes; i++)
			dom->bias_ma[i] = size < 0.5 ? 0 : 131.07;
		break;
	case C_LIE_ALL_ONES:
	case C_LIE_ALL_ZEROS:
	case C_LIE_NOISE:
		registers_lie(p, dom);
		break;
	case C_LIE_NONE:
		break;
	}
}

static void dom_take(const struct world *w, struct c_port *p)
{
	struct c_dom *last = &p->dom[p->dom_newest], *dom;
	bool is_absent = p->out && p->out->is_absent;

	if (p->stress.is_frozen && last->is_there && !is_absent) {
		last->t_ns = p->stress.is_stale ? last->t_ns :
						  w->now_ns + w->clock_ns;
		return;
	}
	p->dom_newest = (p->dom_newest + 1) % C_RING;
	dom = &p->dom[p->dom_newest];
	unknown_set(dom);
	dom->t_ns = w->now_ns + w->clock_ns;
	dom->is_there = p->has_monitors && !is_absent &&
			c_chance_unit(&p->chance) >= p->stress.dom_miss_share;
	if (!dom->is_there)
		return;
	dom->temp_c = stepped(p->temp_c + 0.08 * c_chance_normal(&p->chance),
			      p->is_coarse ? 1 : 1.0 / 256);
	dom->vcc_v = stepped(p->vcc_v - p->stress.sag_v +
			     0.003 * c_chance_normal(&p->chance), 1e-4);
	if (p->has_vdm && p->is_up)
		dom->ber = ber_told(p, p->mean_ber);
	for (unsigned i = 0; p->row->optical && i < p->lanes; i++)
		lane_tell(p, i, dom);
	monitor_lies(p, dom);
}

static void dom_show(const struct world *w, const struct c_port *p,
		     struct world_reading *r)
{
	const struct c_dom *dom = &p->dom[(p->dom_newest + C_RING -
					   w->dom_lag) % C_RING];

	/* who pulls a module takes its rows along */
	r->has_dom = dom->is_there && r->present;
	r->temp_c = dom->temp_c;
	r->vcc_v = dom->vcc_v;
	r->ber = dom->ber;
	r->dom_t_ns = dom->t_ns;
	memcpy(r->rx_dbm, dom->rx_dbm, sizeof(r->rx_dbm));
	memcpy(r->tx_dbm, dom->tx_dbm, sizeof(r->tx_dbm));
	memcpy(r->bias_ma, dom->bias_ma, sizeof(r->bias_ma));
	memcpy(r->lane_ber, dom->lane_ber, sizeof(r->lane_ber));
	memcpy(r->snr_db, dom->snr_db, sizeof(r->snr_db));
	r->rx_los = dom->rx_los;
	r->tx_fault = dom->tx_fault;
}

static void counts_show(const struct c_port *p, struct world_reading *r)
{
	const struct c_counts *c = &p->counts;
	uint64_t mask = UINT64_MAX >> (64 - p->row->counter_bits);

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
	r->ecn_marked_frames = c->marked & mask;
	for (unsigned i = 0; i < WORLD_PRIORITIES; i++) {
		r->pfc_rx_frames[i] = c->pause_in[i] & mask;
		r->pfc_tx_frames[i] = c->pause_out[i] & mask;
	}
	memcpy(r->queue_peak_octets, c->peak_octets, sizeof(c->peak_octets));
}

static void show(const struct world *w, const struct c_port *p,
		 struct world_reading *r)
{
	uint64_t part = c_mark(w->c.seed, p->stress.part ? p->stress.part :
							   p->cage);

	memset(r, 0, sizeof(*r));
	r->t_ns = p->read_ns + w->clock_ns;
	r->admin_up = !p->out || !p->out->is_admin;
	r->oper_up = p->is_up;
	r->present = !p->out || !p->out->is_absent;
	r->down = p->is_up || !w->tells_reason ? DOWN_UNKNOWN : p->reason;
	if (r->present)
		(void)snprintf(r->serial, sizeof(r->serial), "C%09llu",
			       (unsigned long long)(part % 1000000000));
	r->link_down_count = p->falls;
	counts_show(p, r);
	dom_show(w, p, r);
}

static bool is_due(struct world *w, struct c_port *p)
{
	double turns = (double)w->now_ns / 1e9 / w->dom_s + p->dom_phase;
	int64_t turn = (int64_t)floor(turns) + 1;
	bool ret = turn != p->dom_turn;

	p->dom_turn = turn;
	return ret;
}

void c_show_step(struct world *w, struct c_port *p)
{
	double miss = fmax(w->c.hard ? MISS_SHARE_HARD : MISS_SHARE,
			   p->stress.miss_share);
	uint64_t tick = (uint64_t)(w->now_ns / w->tick_ns);
	struct world_reading late;
	bool was_held, is_late;

	p->is_read = false;
	if (is_due(w, p))
		dom_take(w, p);
	if (p->stress.is_mute || (tick + p->index) % w->count_every ||
	    c_chance_unit(&p->chance) < miss)
		return;
	p->is_read = true;
	show(w, p, &p->now);
	was_held = p->held_until_ns && p->held_until_ns <= w->now_ns;
	is_late = !p->held_until_ns && (p->stress.is_late ||
		  c_chance_unit(&p->chance) < LATE_SHARE);
	if (was_held) {
		late = p->held;
		p->now = late;
		p->held_until_ns = 0;
	} else if (is_late) {
		p->held = p->now;
		p->held_until_ns = w->now_ns + 2 * w->tick_ns * w->count_every;
		p->is_read = false;
	}
}

bool c_show_get(const struct c_port *p, struct world_reading *ret)
{
	if (p->is_read)
		*ret = p->now;
	return p->is_read;
}
