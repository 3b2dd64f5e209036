/* Ranges that are the same for all media stand here. Slope of the eye by heat:
 * 0.004 to 0.035 dB a degree, 0.01 to 0.06 decade of bit errors at 1e-8.
 * Slow noise of the eye: 0.012
 * to 0.15 dB. Thermal time of a module in its cage: 40 to 180 s. These, and how
 * many sources lack a histogram or wrap at 32 bits, are chosen.
 */
#include "tests/judge/b_build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/judge/b_world.h"

#define INLET_C 27.0
#define ZR_CODEWORDS_PER_S 1e8

static void limits_set(struct world_limits *l, const struct b_media_row *m)
{
	static const double temp[] = { 75, -5, 70, 0 };
	static const double vcc[] = { 3.63, 2.97, 3.465, 3.135 };

	memcpy(l->temp_c, temp, sizeof(temp));
	memcpy(l->vcc_v, vcc, sizeof(vcc));
	for (unsigned i = 0; i < WORLD_EDGE_COUNT; i++) {
		bool is_high = i == WORLD_HIGH_ALARM || i == WORLD_HIGH_WARN;
		bool is_alarm = i == WORLD_HIGH_ALARM || i == WORLD_LOW_ALARM;
		double off = !is_alarm ? 0 : is_high ? 1 : -3;

		l->rx_dbm[i] = (is_high ? m->rx_high_dbm : m->rx_low_dbm) + off;
		l->tx_dbm[i] = (is_high ? m->tx_high_dbm : m->tx_low_dbm) + off;
		l->bias_ma[i] = is_high ? m->bias_ma.high * (1.5 + 0.1 *
				is_alarm) : m->bias_ma.low * (0.4 - 0.1 *
				is_alarm);
	}
	l->known = m->bias_ma.high > 0;
}

/* A port's lanes are alike, but for a few tenths of a decade. */
static void lanes_build(const struct world *w, struct b_port *p)
{
	const struct b_media_row *m = p->media;
	struct b_draw *d = &p->draw;
	double floor = b_draw_between(d, m->log_ber.low, m->log_ber.high);
	double rx, tx = b_draw_between(d, m->tx_dbm.low, m->tx_dbm.high);
	double thermal = b_draw_between(d, m->thermal.low, m->thermal.high);
	double bias = b_draw_between(d, m->bias_ma.low, m->bias_ma.high);

	/* the far module sends like ours, and the path loses */
	rx = b_draw_between(d, m->tx_dbm.low, m->tx_dbm.high) -
	     b_draw_between(d, m->loss_db.low, m->loss_db.high);
	p->line_ber = exp(floor * M_LN10);
	for (unsigned i = 0; i < p->lanes; i++) {
		struct b_lane *l = &p->lane[i];
		double shot = 0.03 + 0.07 * b_draw_unit(d);
		double worse = -0.5 * fabs(b_draw_normal(d)) * (i > 0);

		l->q_db = b_eye_q_db(&w->eye, floor +
				     fmin(fmax(worse, -1.2), 0) *
				     (m->coherent ? 0.1 : 1));
		l->noise.thermal = fmin(thermal * b_draw_between(d, 0.9, 1.1),
					1 - shot);
		l->noise.shot = shot;
		l->noise.flat = 1 - shot - l->noise.thermal;
		l->rx_dbm = rx + 0.35 * b_draw_normal(d);
		l->tx_dbm = tx + 0.3 * b_draw_normal(d);
		l->bias_ma = bias * b_draw_between(d, 0.93, 1.07);
	}
}

static void monitors_build(const struct world *w, struct b_port *p)
{
	struct b_draw *d = &p->draw;
	bool is_optic = p->row->optical;
	double benign = w->c.hard ? 2 : 1;

	p->has_monitors = is_optic || p->medium == B_AEC;
	p->has_vdm = p->row->coherent || (is_optic && !p->media->sfp_monitors &&
					  b_draw_unit(d) < 0.5);
	p->has_snr = p->row->coherent ||
		     (p->has_vdm && b_draw_unit(d) < 0.8);
	p->drift_db = benign * b_draw_log(d, 0.012, 0.15) / sqrt(B_OCTAVES);
	p->rx_drift_db = benign * b_draw_log(d, 0.008, 0.06);
	p->adc_share = b_draw_log(d, 0.002, 0.015);
	p->temp_step_c = b_draw_unit(d) < 0.3 ? 1 : 1.0 / 256;
	p->power_step_mw = p->media->sfp_monitors ? 1e-3 : 1e-4;
	p->vcc_v = b_draw_between(d, 3.24, 3.36);
}

static void chip_build(const struct world *w, struct b_port *p)
{
	struct b_draw *d = &p->draw;
	const struct b_media_row *m = p->media;

	p->code = b_fec_code(p->row->fec);
	p->codewords_per_s = !p->code ? ZR_CODEWORDS_PER_S :
		(double)p->row->speed_mbps * 1e6 * 257 / 256 / 5140;
	p->spread = b_draw_log(d, m->spread.low + 1e-4, m->spread.high);
	p->host_ber = b_draw_log(d, 1e-12, p->code ? 3e-9 : 1e-12);
	p->has_bins = p->code &&
		      b_draw_unit(d) < (m->sfp_monitors ? 0.5 : 0.93);
	p->begins_anew = b_draw_unit(d) < 0.15;
	p->load_share = b_draw_between(d, 0.25, 0.85);
	p->warmth_k = m->warmth_k * b_draw_between(d, 0.75, 1.2);
	p->slope_db_k = b_draw_log(d, 0.004, 0.035);
	p->heat_keep = exp(-w->tick_s / b_draw_log(d, 40, 180));
	p->usual_c = INLET_C + p->warmth_k;
	p->temp_c = p->usual_c;
}

/* Chips and modules have counted before the case begins. */
static void counts_begin(struct b_port *p)
{
	struct b_draw *d = &p->draw;
	double age = b_draw_log(d, 100, 3e7);

	p->counts.corrected = b_draw_count(d, age * 1e3);
	p->counts.lost = b_draw_unit(d) < 0.3 ? b_draw_below(d, 4000) : 0;
	p->counts.symbols = p->counts.corrected + p->counts.corrected / 90;
	p->counts.bits = p->counts.symbols + p->counts.symbols / 17;
	p->counts.bins[0] = b_draw_count(d, age * p->codewords_per_s);
	p->counts.bins[1] = p->counts.corrected;
	p->counts.in_octets = b_draw_count(d, age * 1e9);
	p->counts.in_frames = p->counts.in_octets / 2100;
	p->counts.out_octets = b_draw_count(d, age * 1e9);
	p->counts.out_frames = p->counts.out_octets / 2100;
	p->falls = b_draw_below(d, 12);
}

static void names_set(struct world *w, struct b_port *p, bool knows_groups)
{
	struct world_port *row = &w->row[p->index];
	struct b_draw *d = &p->draw;
	unsigned rack = b_draw_below(d, 12);

	(void)snprintf(row->name, sizeof(row->name), "Ethernet%u",
		       p->index * 4);
	(void)snprintf(row->cage, sizeof(row->cage), "cage%u", p->cage + 1);
	(void)snprintf(row->zone, sizeof(row->zone), "zone%u", p->zone);
	if (knows_groups)
		(void)snprintf(row->group, sizeof(row->group), "core%u",
			       p->group);
	if (b_draw_unit(d) < 0.15)
		return;
	(void)snprintf(row->peer_switch, sizeof(row->peer_switch), "%s%02u",
		       p->media->lanes && p->row->optical ? "spine" : "host",
		       rack);
	(void)snprintf(row->peer_port, sizeof(row->peer_port), "Ethernet%u",
		       4 * b_draw_below(d, 64));
}

static void port_build(struct world *w, unsigned index, enum b_medium medium,
		       unsigned cage)
{
	struct world_port *row = &w->row[index];
	struct b_port *p = &w->port[index];
	const struct b_media_row *m = b_media_row(medium);
	unsigned a_zone = (w->c.ports + B_ZONES - 1) / B_ZONES;

	p->row = row;
	p->media = m;
	p->medium = medium;
	p->index = index;
	p->cage = cage;
	p->lanes = m->lanes;
	p->group = index / 8;
	p->zone = index / a_zone;
	p->seed = b_hash(w->c.seed, 0x1000 + index);
	b_draw_init(&p->draw, p->seed);
	(void)snprintf(row->media, sizeof(row->media), "%s", m->media);
	row->optical = B_LIGHT >> medium & 1;
	row->coherent = m->coherent;
	row->lanes = m->lanes;
	row->speed_mbps = m->speed_mbps;
	row->fec = m->fec;
	row->counter_bits = m->sfp_monitors && b_draw_unit(&p->draw) < 0.5 ?
			    32 : 64;
	limits_set(&row->limits, m);
	lanes_build(w, p);
	monitors_build(w, p);
	chip_build(w, p);
	counts_begin(p);
}

/* Two ports of one module are as warm as each other. SONiC shows monitors of
 * the first one alone; other sources of both.
 */
static void module_share(struct b_port *p, const struct b_port *first)
{
	p->warmth_k = first->warmth_k;
	p->usual_c = first->usual_c;
	p->temp_c = first->temp_c;
	p->slope_db_k = first->slope_db_k;
	p->heat_keep = first->heat_keep;
	p->vcc_v = first->vcc_v;
	p->temp_step_c = first->temp_step_c;
	p->has_vdm = first->has_vdm;
	p->has_snr = first->has_snr;
	p->has_monitors = b_draw_unit(&p->draw) < 0.5;
}

void b_build(struct world *w)
{
	bool knows_groups = b_draw_unit(&w->draw) < 0.85;
	unsigned cage = 0, i = 0;

	w->tells_reason = b_draw_unit(&w->draw) < 0.75;
	while (i < w->c.ports) {
		enum b_medium medium = b_media_draw(&w->draw);

		if (b_media_row(medium)->ports > 1 && i + 1 == w->c.ports)
			medium = B_DR4;
		port_build(w, i++, medium, cage);
		if (b_media_row(medium)->ports > 1) {
			port_build(w, i++, medium, cage);
			module_share(&w->port[i - 1], &w->port[i - 2]);
		}
		cage++;
	}
	for (i = 0; i < w->c.ports; i++)
		names_set(w, &w->port[i], knows_groups);
}
