/* A healthy lane errs between 1e-13 and 2e-6 before correction, a coherent line
 * below 6e-3, as published for links in service; a lane that would not is built
 * anew, as a link that fails its acceptance is. Chosen: feeling for heat, slow
 * noise, lags, monitors' errors (CMIS allows 2 dB, 3 K and 10 % of bias), and
 * which sources lack histograms, VDM or 64 bits.
 */
#include "tests/judge/c_world.h"

#include <math.h>
#include <stdio.h>

#define ROOM_C 24.0
#define BER_LEAST 1e-13
#define BER_MOST 2e-6
#define BER_MOST_LINE 6e-3
#define SENSE_SHOT 0.12

static double even(struct c_port *p, double low, double high)
{
	return c_chance_even(&p->chance, (struct c_range){ low, high });
}

static double logs(struct c_port *p, double low, double high)
{
	return c_chance_log(&p->chance, (struct c_range){ low, high });
}

static double within(struct c_port *p, struct c_range r)
{
	return c_chance_even(&p->chance, r);
}

static void limits_set(struct world_limits *l, const struct c_media_row *m)
{
	static const double temp_c[] = { 75, -5, 70, 0 };
	static const double vcc_v[] = { 3.6, 3.0, 3.5, 3.1 };
	bool is_optic = m->threshold_k > 0;

	l->known = is_optic;
	for (unsigned i = 0; i < WORLD_EDGE_COUNT; i++) {
		bool is_high = i == WORLD_HIGH_ALARM || i == WORLD_HIGH_WARN;
		bool is_alarm = i == WORLD_HIGH_ALARM || i == WORLD_LOW_ALARM;

		l->temp_c[i] = temp_c[i];
		l->vcc_v[i] = vcc_v[i];
		l->rx_dbm[i] = is_high ? m->rx_high_dbm + is_alarm :
					 m->rx_low_dbm - 3 * is_alarm;
		l->tx_dbm[i] = is_high ? m->tx_high_dbm + is_alarm :
					 m->tx_low_dbm - 3 * is_alarm;
		l->bias_ma[i] = is_high ? m->bias_ma.high * (1.7 + 0.2 *
				is_alarm) : m->bias_ma.low * 0.3;
	}
}

/* What comes in, and what a receiver needs of it. */
static void eye_build(struct c_port *p, struct c_lane *l, double rx_dbm)
{
	const struct c_media_row *m = p->media;
	struct c_eye *e = &l->eye;
	bool is_optic = p->row->optical;

	e->is_electric = !is_optic;
	e->q_least = m->q_least;
	e->ber_share = m->ber_share;
	e->beat = within(p, m->beat);
	e->shot = is_optic ? SENSE_SHOT * even(p, 0.3, 1) : 0;
	e->hiss = 1 - e->beat - e->shot;
	e->margin_db = rx_dbm - (is_optic ? within(p, m->sense_dbm) : 0);
}

static bool is_sound(const struct c_port *p, const struct c_lane *l)
{
	static const struct c_strain none;
	double ber = c_eye_ber(&l->eye, &none);

	return ber > (p->row->coherent ? 1e-5 : p->row->speed_mbps < 200000 ?
		      0 : BER_LEAST) &&
	       ber < (p->row->coherent ? BER_MOST_LINE : BER_MOST);
}

static void lanes_build(struct c_port *p)
{
	const struct c_media_row *m = p->media;
	double far_dbm = within(p, m->tx_dbm), own_dbm = within(p, m->tx_dbm);
	double lost_db = within(p, m->loss_db), bias_ma = within(p, m->bias_ma);

	for (unsigned i = 0; i < p->lanes; i++) {
		struct c_lane *l = &p->lane[i];

		for (unsigned tries = 0; tries < 200; tries++) {
			l->rx_dbm = far_dbm - lost_db +
				    0.5 * c_chance_normal(&p->chance);
			eye_build(p, l, l->rx_dbm);
			if (is_sound(p, l))
				break;
			far_dbm += l->eye.margin_db < 3 ? 0.1 : -0.05;
		}
		l->tx_dbm = own_dbm + 0.4 * c_chance_normal(&p->chance);
		l->bias_ma = bias_ma * even(p, 0.9, 1.1);
		l->threshold_ma = l->bias_ma * even(p, 0.12, 0.35);
		l->rx_error_db = 0.6 * c_chance_normal(&p->chance);
		l->rx_error_db_k = 0.012 * c_chance_normal(&p->chance);
	}
}

static void module_build(const struct world *w, struct c_port *p)
{
	double benign = w->c.hard ? 2 : 1;
	bool is_optic = p->row->optical;

	p->has_monitors = C_MONITORED >> p->medium & 1;
	p->is_coarse = p->row->speed_mbps < 200000;
	p->has_vdm = p->row->coherent ||
		     (is_optic && !p->is_coarse && even(p, 0, 1) < 0.45);
	p->has_snr = p->has_vdm && even(p, 0, 1) < 0.7;
	p->warmth_k = p->media->warmth_k * even(p, 0.7, 1.25);
	p->temp_c = ROOM_C + p->warmth_k;
	p->lag_s = logs(p, 45, 240);
	p->own_db_k = logs(p, 0.003, 0.05);
	p->far_db_k = logs(p, 0.003, 0.03);
	p->knee_c = even(p, 58, 72);
	p->far_swing_k = benign * logs(p, 0.3, 2.5);
	p->far_phase = even(p, 0, 1);
	p->trap_db = benign * logs(p, 0.006, 0.06);
	p->sway_db = benign * logs(p, 0.01, 0.06);
	p->adc_share = logs(p, 0.002, 0.02);
	p->vcc_v = even(p, 3.23, 3.36);
	p->dom_phase = even(p, 0, 1);
}

static void chip_build(struct c_port *p)
{
	const struct c_media_row *m = p->media;
	double interleaved = m->speed_mbps >= 200000 ? 0.3 : 1;

	p->code = c_code_of(m->fec);
	p->words_per_s = (double)m->speed_mbps * 1e6 / (514 * 10) * 257 / 256;
	p->run = interleaved * logs(p, m->run.low, m->run.high);
	p->host_ber = logs(p, 1e-13, 2e-9);
	p->has_bins = even(p, 0, 1) < (p->is_coarse ? 0.4 : 0.9);
	p->clears_at_fall = even(p, 0, 1) < 0.12;
	p->busy = even(p, 0.15, 0.9);
}

/* What chip and module have counted since they were started. */
static void past_build(struct c_port *p)
{
	struct c_counts *c = &p->counts;
	double age_s = logs(p, 300, 2e7);

	c->corrected = c_chance_poisson(&p->chance, age_s * 3e3);
	c->lost = even(p, 0, 1) < 0.4 ? (uint64_t)logs(p, 1, 20000) : 0;
	c->symbols = c->corrected + c->corrected / 70;
	c->bits = c->symbols + c->symbols / 13;
	c->bins[0] = (uint64_t)(age_s * p->words_per_s);
	c->bins[1] = c->corrected;
	c->in_octets = (uint64_t)(age_s * 2e9);
	c->in_frames = c->in_octets / 1700;
	c->out_octets = (uint64_t)(age_s * 2e9);
	c->out_frames = c->out_octets / 1700;
	c->in_errors = c->lost / 2;
	p->falls = (uint64_t)logs(p, 1, 40);
}

static enum c_medium medium_of(const struct c_role *r, unsigned index,
			       unsigned ports, const char **ret_peer)
{
	unsigned at = index * 16 / ports, sum = 0, i = 0;

	while (i < 3 && r->block[i + 1].share &&
	       at >= (sum += r->block[i].share))
		i++;
	*ret_peer = r->block[i].peer;
	return r->block[i].medium;
}

static void names_set(struct world *w, struct c_port *p, const char *peer,
		      bool tells_groups)
{
	struct world_port *row = &w->row[p->index];

	(void)snprintf(row->name, sizeof(row->name), "Ethernet%u",
		       p->index * 8);
	(void)snprintf(row->cage, sizeof(row->cage), "osfp%u", p->cage + 1);
	(void)snprintf(row->zone, sizeof(row->zone), "air%u", p->zone + 1);
	if (tells_groups)
		(void)snprintf(row->group, sizeof(row->group), "serdes%u",
			       p->group);
	if (even(p, 0, 1) < 0.1)
		return;			/* LLDP is off over there */
	(void)snprintf(row->peer_switch, sizeof(row->peer_switch), "%s-%u",
		       peer, 1 + p->index / 2);
	(void)snprintf(row->peer_port, sizeof(row->peer_port), "Ethernet%u",
		       p->index % 2 * 8);
}

static void port_build(struct world *w, unsigned index,
		       const struct c_role *role, bool tells_groups)
{
	struct c_port *p = &w->port[index];
	struct world_port *row = &w->row[index];
	const char *peer;

	p->index = index;
	p->row = row;
	p->medium = medium_of(role, index, w->c.ports, &peer);
	p->media = c_media_row(p->medium);
	p->lanes = p->media->lanes;
	p->group = index / role->group;
	/* air goes by columns of two cages, one over the other */
	p->zone = index / 2 * role->zones / ((w->c.ports + 1) / 2);
	p->cage = p->medium == C_DR4 ? index / role->cage :
				       WORLD_PORTS_MAX + index;
	c_chance_init(&p->chance, w->c.seed, 0xc000 + index);
	(void)snprintf(row->media, sizeof(row->media), "%s", p->media->media);
	row->optical = C_LIGHT >> p->medium & 1;
	row->coherent = p->medium == C_ZR;
	row->lanes = p->lanes;
	row->speed_mbps = p->media->speed_mbps;
	row->fec = p->media->fec;
	row->counter_bits = row->speed_mbps < 200000 && even(p, 0, 1) < 0.5 ?
			    32 : 64;
	limits_set(&row->limits, p->media);
	lanes_build(p);
	module_build(w, p);
	chip_build(p);
	past_build(p);
	names_set(w, p, peer, tells_groups);
}

/* Ports of one module are as warm as each other, and read at one time. */
static void cages_share(struct world *w)
{
	for (unsigned i = 1; i < w->c.ports; i++) {
		struct c_port *p = &w->port[i], *q = p - 1;

		if (p->cage != q->cage)
			continue;
		p->warmth_k = q->warmth_k;
		p->temp_c = q->temp_c;
		p->lag_s = q->lag_s;
		p->vcc_v = q->vcc_v;
		p->dom_phase = q->dom_phase;
		/* SONiC shows monitors of a module's first port alone */
		p->has_monitors = even(p, 0, 1) < 0.4;
	}
}

/* How its source polls: SONiC reads counters each second by default, some each
 * ten; xcvrd sweeps over all modules in a minute, longer where there are many.
 */
static void habits_build(struct world *w)
{
	static const double fast_s[] = { 10, 30, 60, 60 };
	static const double slow_s[] = { 60, 60, 120, 300 };
	unsigned which = c_chance_below(&w->chance, 4);

	w->is_slow = w->c.pace == PACE_SLOW;
	w->tick_s = w->is_slow ? 60 : 1;
	w->tick_ns = (int64_t)w->tick_s * C_SECOND_NS;
	w->dom_s = w->is_slow ? slow_s[which] : fast_s[which];
	w->dom_lag = w->c.hard ? (unsigned)ceil(60 / w->dom_s) : 0;
	w->count_every = !w->is_slow && c_chance_unit(&w->chance) < 0.3 ? 10 :
									  1;
	w->tells_reason = c_chance_unit(&w->chance) < 0.7;
}

void c_build(struct world *w)
{
	/* six seeds in a row play all six roles */
	const struct c_role *role = c_media_role(w->c.seed + 3 * w->c.pace +
						 w->c.mix);
	bool tells_groups;

	habits_build(w);
	tells_groups = c_chance_unit(&w->chance) < 0.8;
	w->zones = role->zones;
	for (unsigned i = 0; i < w->c.ports; i++)
		port_build(w, i, role, tells_groups);
	cages_share(w);
	for (unsigned i = 0; i < w->c.ports; i++) {
		static const struct c_stress none;
		double ber[WORLD_LANES_MAX];

		w->row[i].dom_period_ns = (int64_t)w->dom_s * C_SECOND_NS;
		w->port[i].usual_ber = c_life_ber(&w->port[i], &none, 0, 0, 0,
						  ber);
	}
}
