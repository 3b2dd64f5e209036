/* A switch as it is on its first good day: ports, modules, who is where. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/judge/e_world.h"

#define OPTIC (E_LIGHT | E_WARMTH | E_POWERS)
#define PORTS_A_GROUP 8
#define PORTS_A_PEER 4
#define LIMITS_KNOWN 0.85
#define WARM_C 60.0
#define WARM_DB 0.3		/* of noise, beside the heat's */
#define LOST_HOURLY 0.1		/* in a warm hour */
#define OWN_LIGHT_KNOWN 0.9

/* IEEE 802.3 clauses 86, 88, 121, 122, 124, 138, 151; OIF 400ZR; makers'
 * figures of bias and of heat.
 */
static const struct e_media media[] = {
	{ "SR4", 4, 100000, FEC_RS528, OPTIC | E_RIBBON | E_CODED,
	  0, 6.5, -12, 0.3, 2.5, -15, -9, 14 },
	{ "SR8", 8, 400000, FEC_RS544, OPTIC | E_RIBBON | E_CODED | E_PAM4,
	  1, 7.5, -11, 0.3, 2.5, -9, -5.8, 20 },
	{ "DR4", 4, 400000, FEC_RS544, OPTIC | E_RIBBON | E_CODED | E_PAM4,
	  0.8, 95, -9.5, 0.4, 3.5, -11, -6, 22 },
	{ "FR4", 4, 400000, FEC_RS544, OPTIC | E_COLOURS | E_CODED | E_PAM4,
	  1.5, 60, -10, 0.6, 4.5, -10, -5.8, 22 },
	{ "LR4", 4, 400000, FEC_RS544, OPTIC | E_COLOURS | E_CODED | E_PAM4,
	  2.5, 75, -11, 1, 6.5, -9.5, -5.6, 24 },
	{ "LR4", 4, 100000, FEC_NONE, OPTIC | E_COLOURS,
	  1.2, 50, -16, 1, 6.5, -25, -17, 14 },
	{ "ZR", 1, 400000, FEC_RS544, OPTIC | E_COHERENT | E_CODED,
	  -8, 190, -24, 2, 9, -3.8, -2.4, 30 },
	{ "AOC", 4, 100000, FEC_RS528, E_LIGHT | E_WARMTH | E_CODED,
	  0, 6.5, -12, 0.3, 1.5, -14, -9, 10 },
	{ "DAC", 8, 400000, FEC_RS544, E_COPPER | E_CODED | E_PAM4,
	  0, 0, 0, 0, 0, -10.5, -5.8, 2 },
	{ "DAC", 4, 100000, FEC_RS528, E_COPPER | E_CODED,
	  0, 0, 0, 0, 0, -14, -9, 2 },
	{ "ACC", 8, 400000, FEC_RS544,
	  E_COPPER | E_WARMTH | E_CODED | E_PAM4,
	  0, 0, 0, 0, 0, -9.5, -6, 6 },
	{ "AEC", 8, 400000, FEC_RS544,
	  E_COPPER | E_WARMTH | E_CODED | E_PAM4,
	  0, 0, 0, 0, 0, -12, -7.5, 16 },
};

#define MEDIA (sizeof(media) / sizeof(media[0]))

double e_log_between(struct draw *d, struct e_range r)
{
	double u = draw_unit(d);

	if (r.low == 0 && r.high == 0)
		return 0;
	if (r.low < 0)		/* both: of the magnitude */
		return -exp(log(-r.high) + u * (log(-r.low) - log(-r.high)));
	return exp(log(r.low) + u * (log(r.high) - log(r.low)));
}

static void lanes_make(struct e_port *p, struct draw *d)
{
	const struct e_media *m = p->media;
	double span = draw_between(d, m->span_low_db, m->span_high_db);
	double snr = e_snr_of(draw_between(d, m->log_ber_low, m->log_ber_high),
			      m->traits);
	double uneven_db = draw_between(d, 0.05, 0.5);

	for (unsigned i = 0; i < m->lanes; i++) {
		double off = 0.5 * draw_rough(d);

		p->snr[i] = snr * pow(10, fabs(draw_rough(d)) * uneven_db / 10);
		p->tx_dbm[i] = m->tx_dbm + off;
		p->rx_dbm[i] = m->tx_dbm - span + 0.7 * draw_rough(d);
		p->bias_ma[i] = m->bias_ma * (1 + 0.06 * draw_rough(d));
	}
}

/* What a healthy port loses is far below one codeword an hour, or else it
 * would not have been taken into service: its errors then come in shorter runs.
 */
static void service_test(struct e_port *p)
{
	struct e_stress none = { .load = 1 };
	double ber = e_ber(p, &none, WARM_C, WARM_DB, NULL), chance[E_BINS];

	while (p->excess > 1e-3 &&
	       3600 * e_codewords_hz(p->media) *
	       e_code(p->media, ber, p->excess, chance) > LOST_HOURLY)
		p->excess *= 0.7;
}

void e_module_make(struct world *w, unsigned port)
{
	struct e_port *p = &w->state[port];
	const struct e_media *m = p->media;
	struct draw d;

	draw_init(&d, draw_key(p->key, 11, p->modules, 0));
	lanes_make(p, &d);
	p->slope = m->traits & E_COHERENT ? 1 : draw_between(&d, 1.6, 2);
	p->light_share = draw_between(&d, 0.35, 0.95);
	p->vcc_v = 3.3 + 0.03 * draw_rough(&d);
	p->rise_k = m->rise_k * draw_between(&d, 0.8, 1.2);
	p->inertia_s = e_log_between(&d, (struct e_range){ 60, 600 });
	p->db_per_k = e_log_between(&d, (struct e_range){ 0.003, 0.05 }) *
		      (draw_unit(&d) < 0.2 ? -0.3 : 1);
	p->knee_c = draw_between(&d, 62, 75);
	p->excess = e_log_between(&d, (struct e_range){ 0.01, 0.4 });
	p->wander_db = e_log_between(&d, (struct e_range){ 0.01, 0.12 }) *
		       (w->at.hard ? 2 : 1);
	p->spikes_hz = e_log_between(&d, (struct e_range){ 1e-6, 3e-4 });
	p->spike_tail = draw_between(&d, 1.5, 3);
	service_test(p);
	p->dom_noise_db = e_log_between(&d, (struct e_range){ 0.01, 0.15 });
	p->dom_step_k = draw_unit(&d) < 0.15 ? 1 : 1. / 256;
	p->tells_ber = m->traits & E_COHERENT || draw_unit(&d) < 0.3;
	p->tells_snr = m->traits & (E_PAM4 | E_COHERENT) && draw_unit(&d) < 0.3;
	p->tells_own_light = draw_unit(&d) < OWN_LIGHT_KNOWN;
	(void)snprintf(p->now.serial, sizeof(p->now.serial), "E%08X",
		       (unsigned)draw_u64(&d));
}

static void limits_make(const struct e_media *m, struct world_limits *l)
{
	/* High alarm, low alarm, high warning, low warning. */
	static const double temp_c[] = { 78, -5, 73, 0 };
	static const double vcc_v[] = { 3.63, 2.97, 3.465, 3.135 };
	static const double tx_db[] = { 6, -6, 4, -4 };
	static const double bias[] = { 1.9, 0.1, 1.7, 0.2 };

	l->known = true;
	for (unsigned i = 0; i < WORLD_EDGE_COUNT; i++) {
		l->temp_c[i] = temp_c[i];
		l->vcc_v[i] = vcc_v[i];
		l->tx_dbm[i] = m->tx_dbm + tx_db[i];
		l->bias_ma[i] = m->bias_ma * bias[i];
	}
	l->rx_dbm[WORLD_HIGH_ALARM] = m->tx_dbm + 5;
	l->rx_dbm[WORLD_HIGH_WARN] = m->tx_dbm + 4;
	l->rx_dbm[WORLD_LOW_ALARM] = m->los_dbm + 1;
	l->rx_dbm[WORLD_LOW_WARN] = m->los_dbm + 2;
}

static void traffic_make(struct e_port *p, struct draw *d, bool trains)
{
	p->load = e_log_between(d, (struct e_range){ 0.02, 0.6 });
	p->day_share = draw_between(d, 0, 0.5);
	p->beat_s = trains ? e_log_between(d, (struct e_range){ 4, 400 }) : 0;
	p->duty = draw_between(d, 0.2, 0.7);
	p->frame_octets = e_log_between(d, (struct e_range){ 250, 4200 });
	p->queue_octets = e_log_between(d, (struct e_range){ 5e3, 3e5 });
	p->traits |= trains ? E_JOBS : 0;
}

static void where_is(struct world *w, unsigned i, unsigned role)
{
	struct world_port *q = &w->port[i];
	bool is_fabric = role == 0 || i >= w->at.ports / 2;

	(void)snprintf(q->name, sizeof(q->name), "Ethernet%u", i * 8);
	(void)snprintf(q->group, sizeof(q->group), "core%u", i / PORTS_A_GROUP);
	(void)snprintf(q->zone, sizeof(q->zone), "zone%u",
		       i * E_ZONES / w->at.ports);
	(void)snprintf(q->cage, sizeof(q->cage), "cage%u", i);
	if (!is_fabric)
		return;
	(void)snprintf(q->peer_switch, sizeof(q->peer_switch), "%s%u",
		       role == 0 ? "leaf" : "spine", i / PORTS_A_PEER);
	(void)snprintf(q->peer_port, sizeof(q->peer_port), "Ethernet%u",
		       i % PORTS_A_PEER * 8);
	w->state[i].traits |= E_FABRIC;
}

/* Media come in runs of a peer, as people buy them. */
static void port_make(struct world *w, unsigned i, unsigned role)
{
	struct e_port *p = &w->state[i];
	struct world_port *q = &w->port[i];
	uint64_t seed = w->at.seed;
	struct draw d;

	p->key = draw_key(seed, 1, i, 0);
	draw_init(&d, p->key);
	p->media = &media[(size_t)(MEDIA * key_unit(
				   draw_key(seed, 2, i / PORTS_A_PEER, 0)))];
	p->traits = p->media->traits;
	where_is(w, i, role);
	memcpy(q->media, p->media->name, strlen(p->media->name) + 1);
	q->optical = p->traits & E_LIGHT;
	q->coherent = p->traits & E_COHERENT;
	q->lanes = p->media->lanes;
	q->speed_mbps = p->media->speed_mbps;
	q->fec = p->media->fec;
	q->counter_bits = role == 3 ? 32 : 64;
	p->dom_every_ns = (w->at.pace == PACE_FAST ? 10 : 60) * E_NS;
	if (draw_unit(&d) < 0.1)	/* slow modules on a shared bus */
		q->dom_period_ns = p->dom_every_ns *= 3;
	if (p->traits & E_WARMTH && draw_unit(&d) < LIMITS_KNOWN)
		limits_make(p->media, &q->limits);
	traffic_make(p, &d, role < 2);
	draw_init(&p->chance, draw_key(p->key, 12, 0, 0));
	e_module_make(w, i);
	p->temp_c = e_air_c(w, i) + p->rise_k;
	p->now.admin_up = p->now.oper_up = p->now.present = true;
	p->now.link_down_count = (uint64_t)e_log_between(&d,
						(struct e_range){ 1, 300 });
	/* Below what makes a counter of 32 bits begin anew soon. */
	p->now.in_octets = draw_u64(&d) >> 24;
	p->now.out_octets = draw_u64(&d) >> 24;
	p->dom_due_ns = (int64_t)(draw_unit(&d) * (double)p->dom_every_ns);
}

void e_rack_make(struct world *w)
{
	struct draw d;
	unsigned role;

	draw_init(&d, draw_key(w->at.seed, 3, 0, 0));
	role = (unsigned)(4 * draw_unit(&d));
	w->day_k = draw_between(&d, 0.5, 4);
	w->day_phase = draw_unit(&d);
	w->tells_reasons = draw_unit(&d) < 0.7;
	draw_init(&w->chance, draw_u64(&d));
	for (unsigned i = 0; i < w->at.ports; i++)
		port_make(w, i, role);
}
