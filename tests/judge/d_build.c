/* Switches, ports and modules when nothing befalls them.
 *
 * Power, reach and loss: IEEE 802.3 clauses 88, 92, 95, 110, 121 to 124, 138,
 * 151, 162, 167, the CWDM4 and the OIF 400ZR agreement. Bias and case rise:
 * data sheets of modules of 3.5 W (QSFP28) to 17 W (OSFP). Errors before
 * correction of healthy links lie decades apart: most from 1e-9 to 1e-6
 * (chosen), against the 2.4e-4 for which RS(544,514) is meant (clause 124.1).
 * Links with no code must be below 1e-12 (clause 88.1), and are by far.
 * Monitors: SFF-8636 6.2.2 and CMIS 8.2.4 allow 3 K, 3 dB and 10 %, in steps of
 * 0.1 uW. Chosen, for want of a source: how many modules average, round to
 * degrees or show less.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/judge/d_world.h"

#define SLOTS 8
#define LIGHT (D_OPTICAL | D_MONITORS)
#define C4 (D_CODED | D_PAM4)

enum row { LR4_100, CWDM4, SR4, DR4, DR4_TWIN, FR4, LR4_400, SR8, DR8, ZR,
	   DAC_25, DAC_100, DAC_400, AEC, AOC };

static const struct d_media rows[] = {
	[LR4_100] = { "LR4", 4, 100000, FEC_NONE, LIGHT | D_WDM,
		      1.5, 42, { 1, 6.3 }, -21, -16.5, 18 },
	[CWDM4] = { "CWDM4", 4, 100000, FEC_RS528, LIGHT | D_WDM | D_CODED,
		    0.5, 33, { 0.5, 5 }, -13, -7, 17 },
	[SR4] = { "SR4", 4, 100000, FEC_RS528, LIGHT | D_PARALLEL | D_CODED,
		  -0.5, 7, { 0.3, 1.9 }, -14, -8, 13 },
	[DR4] = { "DR4", 4, 400000, FEC_RS544,
		  LIGHT | D_PARALLEL | C4 | D_ONE_LASER,
		  1, 160, { 0.5, 3 }, -9.5, -5.5, 26 },
	[DR4_TWIN] = { "DR4", 4, 400000, FEC_RS544,
		       LIGHT | D_PARALLEL | C4 | D_TWIN,
		       1.5, 85, { 0.5, 3 }, -9.5, -5.6, 30 },
	[FR4] = { "FR4", 4, 400000, FEC_RS544, LIGHT | D_WDM | C4,
		  1.8, 72, { 0.5, 4 }, -9, -5.3, 27 },
	[LR4_400] = { "LR4", 4, 400000, FEC_RS544, LIGHT | D_WDM | C4,
		      2.5, 80, { 1.5, 6.3 }, -8, -5, 28 },
	[SR8] = { "SR8", 8, 400000, FEC_RS544, LIGHT | D_PARALLEL | C4,
		  0, 7.5, { 0.3, 1.9 }, -9, -5.5, 24 },
	[DR8] = { "DR8", 8, 800000, FEC_RS544, LIGHT | D_PARALLEL | C4,
		  1.2, 110, { 0.5, 3 }, -9.5, -5.5, 33 },
	[ZR] = { "ZR", 1, 400000, FEC_RS544, LIGHT | D_COHERENT | C4,
		 -8, 190, { 3, 9 }, -3.4, -2.35, 32 },
	[DAC_25] = { "DAC", 1, 25000, FEC_NONE, D_COPPER, .log_ber_low = -20,
		     .log_ber_high = -16 },
	[DAC_100] = { "DAC", 4, 100000, FEC_RS528, D_COPPER | D_CODED,
		      .log_ber_low = -15, .log_ber_high = -8 },
	[DAC_400] = { "DAC", 4, 400000, FEC_RS544, D_COPPER | C4,
		      .log_ber_low = -11, .log_ber_high = -6.3 },
	[AEC] = { "AEC", 8, 800000, FEC_RS544, D_COPPER | C4 | D_MONITORS,
		  0, 0, { 0, 0 }, -11, -7, 19 },
	[AOC] = { "AOC", 4, 200000, FEC_RS544, LIGHT | D_PARALLEL | C4,
		  0, 7, { 0.2, 0.8 }, -9, -6, 15 },
};

/* Leaf of a training cluster; spine; rack switch of ten years ago; border. */
static const enum row roles[D_ROLES][SLOTS] = {
	{ DR8, DR4_TWIN, DR4_TWIN, AEC, DAC_400, DAC_400, AEC, SR8 },
	{ DR4_TWIN, FR4, FR4, LR4_400, DR4, DR8, DR4_TWIN, AOC },
	{ DAC_25, DAC_100, DAC_100, SR4, CWDM4, CWDM4, LR4_100, DAC_25 },
	{ ZR, LR4_400, FR4, LR4_100, DR4, CWDM4, ZR, DAC_400 },
};

double d_log_between(struct draw *d, struct d_range r)
{
	return r.low > 0 ? r.low * pow(r.high / r.low, draw_unit(d)) : 0;
}

static void monitors_make(struct d_port *p)
{
	struct draw *d = &p->chance;
	struct d_monitors *m = &p->monitors;
	unsigned traits = p->media->traits;

	m->light = traits & D_OPTICAL && (strcmp(p->media->name, "AOC") != 0 ||
					  draw_unit(d) < 0.4);
	m->tx = m->light && draw_unit(d) < (traits & D_PAM4 ? 0.97 : 0.8);
	m->bias = m->light && draw_unit(d) < 0.95;
	m->ber = traits & D_COHERENT || ((traits & (D_PAM4 | D_OPTICAL)) ==
		 (D_PAM4 | D_OPTICAL) && draw_unit(d) < 0.5);
	m->snr = m->ber && draw_unit(d) < 0.6;
	m->averages = traits & D_PARALLEL && draw_unit(d) < 0.06;
	m->step_mw = draw_unit(d) < 0.8 ? 1e-4 : 1e-3;
	m->step_k = draw_unit(d) < 0.7 ? 1 / 256. : 1;
	m->noise_db = d_log_between(d, (struct d_range){ 0.005, 0.08 });
	m->misses = d_log_between(d, (struct d_range){ 1e-5, 3e-3 });
	m->dated = draw_unit(d) < 0.5;
	m->temp_off = draw_rough(d);
	for (unsigned i = 0; i < WORLD_LANES_MAX; i++) {
		m->rx_off[i] = 0.6 * draw_rough(d);
		m->tx_off[i] = 0.4 * draw_rough(d);
	}
}

void d_module_make(struct world *w, unsigned port)
{
	struct d_port *p = &w->state[port];
	struct draw *d = &p->chance;
	const struct d_media *m = p->media;
	double base = draw_between(d, m->log_ber_low, m->log_ber_high);
	double span_db = d_log_between(d, m->span_db), more;
	double tx_db = 0.7 * draw_rough(d), bias = exp(0.1 * draw_rough(d));
	double drift = w->at.hard ? 2 : 1;

	monitors_make(p);
	for (unsigned i = 0; i < m->lanes; i++) {
		p->q[i] = d_q_of(fmin(base + 0.6 * draw_rough(d) - 0.4,
				      m->log_ber_high), m->traits & D_PAM4);
		p->tx_dbm[i] = m->tx_dbm + tx_db + 0.4 * draw_rough(d);
		p->rx_dbm[i] = m->tx_dbm + 0.9 * draw_rough(d) - span_db;
		more = 0.05 * draw_rough(d);
		p->bias_ma[i] = m->bias_ma * bias *
				(m->traits & D_ONE_LASER ? 1 : 1 + more);
	}
	p->light_share = m->traits & D_OPTICAL ? draw_between(d, 0.25, 0.95)
					       : 0;
	p->los_dbm = m->traits & D_COHERENT ? -24 : -16;
	p->vcc_v = 3.3 + 0.03 * draw_rough(d);
	p->rise_k = m->rise_k * exp(0.12 * draw_rough(d));
	p->run = d_log_between(d, (struct d_range){ 0.002,
			m->traits & D_PAM4 ? 0.1 : 0.02 });
	p->spikes_hz = d_log_between(d, (struct d_range){ 1e-7, 3e-3 });
	p->db_per_k = d_log_between(d, (struct d_range){ 0.002, 0.03 });
	p->knee_c = draw_between(d, 62, 74);
	p->knee_db_per_k = d_log_between(d, (struct d_range){ 0.03, 0.25 });
	p->wander_db = drift * d_log_between(d, (struct d_range){ 5e-3, 0.08 });
	p->load_db = drift * d_log_between(d, (struct d_range){ 3e-3, 0.12 });
	if (m->traits & (D_OPTICAL | D_MONITORS))
		(void)snprintf(p->now.serial, sizeof(p->now.serial),
			       "D%02u%07u", p->modules % 100, (unsigned)
			       (draw_key(p->key, p->modules, 0, 0) % 9999999));
}

static void limits_make(struct world_port *p, const struct d_media *m)
{
	static const double temp_c[] = { 75, -5, 70, 0 };
	static const double vcc_v[] = { 3.63, 2.97, 3.465, 3.135 };
	static const double above_db[] = { 3, -6.5, 2, -4.5 };
	static const double bias[] = { 1.75, 0.3, 1.5, 0.5 };

	p->limits.known = true;
	for (unsigned i = 0; i < WORLD_EDGE_COUNT; i++) {
		p->limits.temp_c[i] = temp_c[i];
		p->limits.vcc_v[i] = vcc_v[i];
		p->limits.tx_dbm[i] = m->tx_dbm + above_db[i];
		p->limits.rx_dbm[i] = m->tx_dbm + above_db[i] -
				      (above_db[i] < 0 ? m->span_db.high : -1);
		p->limits.bias_ma[i] = m->bias_ma * bias[i];
	}
}

static void port_tell(struct world *w, unsigned port)
{
	struct world_port *p = &w->port[port];
	const struct d_media *m = w->state[port].media;
	unsigned quarter = w->at.ports / 4 + (w->at.ports < 4);
	uint64_t make = w->at.seed / D_ROLES;

	p->optical = m->traits & D_OPTICAL;
	p->coherent = m->traits & D_COHERENT;
	p->lanes = m->lanes;
	p->speed_mbps = m->speed_mbps;
	p->fec = m->fec;
	(void)snprintf(p->name, sizeof(p->name), "Ethernet%u", port * 8);
	(void)snprintf(p->media, sizeof(p->media), "%s", m->name);
	(void)snprintf(p->cage, sizeof(p->cage), "cage%u",
		       m->traits & D_TWIN ? port / 2 * 2 : port);
	if (make % 4)			/* most switches tell it */
		(void)snprintf(p->group, sizeof(p->group), "core%u",
			       port / quarter);
	if (make % 3)
		(void)snprintf(p->zone, sizeof(p->zone), "zone%u",
			       port / w->zone_ports);
	if (w->at.seed % D_ROLES == 3 && port % 3 == 0)
		return;			/* no LLDP over that border */
	(void)snprintf(p->peer_switch, sizeof(p->peer_switch), "%s%u",
		       m->traits & D_COPPER ? "host" : "spine", port / 4);
	(void)snprintf(p->peer_port, sizeof(p->peer_port), "Ethernet%u",
		       port % 4 * 8);
}

static void port_make(struct world *w, unsigned port)
{
	static const int64_t periods_s[PACE_COUNT][4] = {
		{ 10, 10, 30, 60 }, { 60, 60, 120, 300 } };
	bool job = w->at.seed % D_ROLES < 2;
	struct d_port *s = &w->state[port];
	struct draw *d = &s->chance;
	/* Whole cages of twins: by pairs of ports. */
	const struct d_media *m = &rows[roles[w->at.seed % D_ROLES]
					     [port / 2 * 2 * SLOTS /
					      w->at.ports]];
	int64_t period_ns;

	s->media = m;
	s->key = draw_key(w->at.seed, port, 1000, 0);
	draw_init(d, s->key);
	port_tell(w, port);
	d_module_make(w, port);
	if (m->traits & D_MONITORS && draw_unit(d) < 0.8)
		limits_make(&w->port[port], m);
	s->load = d_log_between(d, (struct d_range){ job ? 0.2 : 0.01, 0.75 });
	if (draw_unit(d) < 0.07)
		s->load = 1e-5;		/* a spare */
	s->period_s = d_log_between(d, (struct d_range){ 8, 240 });
	s->duty = job ? draw_between(d, 0.3, 0.9) : 1;
	s->frame_octets = d_log_between(d, (struct d_range){ 300, 4200 });
	w->port[port].counter_bits = m->fec == FEC_NONE && draw_unit(d) < 0.1 ?
				     32 : 64;
	period_ns = D_NS * periods_s[w->at.pace][(int)(draw_unit(d) * 4)];
	if (w->at.hard && period_ns < 60 * D_NS)
		period_ns = 60 * D_NS;
	s->monitors.phase_ns = (int64_t)(draw_unit(d) * (double)period_ns);
	s->monitors.period_ns = w->port[port].dom_period_ns = period_ns;
	s->now.admin_up = s->now.oper_up = s->now.present = true;
	s->now.link_down_count = s->key % 9;
	s->now.has_counters = true;
	s->now.has_bins = m->fec == FEC_RS544 && draw_unit(d) < 0.75;
	s->air_c = s->temp_c = w->air_c + s->rise_k * 0.8;
}

void d_build(struct world *w)
{
	w->zone_ports = (w->at.ports + D_ZONES - 1) / D_ZONES;
	draw_init(&w->chance, draw_key(w->at.seed, 0, 1, 0));
	w->tells_reasons = w->at.seed / D_ROLES % 2 == 0;
	w->air_c = draw_between(&w->chance, 22, 32);
	w->air_day_c = (w->at.hard ? 2 : 1) *
		       d_log_between(&w->chance, (struct d_range){ 0.3, 3 });
	for (unsigned i = 0; i < w->at.ports; i++)
		port_make(w, i);
}
