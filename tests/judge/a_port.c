#include "tests/judge/a_port.h"

#include <stdio.h>
#include <string.h>

enum { DRAW_DECK = 0xa01, DRAW_PORT, DRAW_CAGE };

#define BLOCK 4u		/* ports that are alike; a zone has two */
#define PAM4_LANE_MBPS 50000u
#define SHARE_32_BITS 0.12
/* Faster ones would wrap more than once between two slow readings. */
#define NARROW_SLOW_MBPS 200000u
#define STEEP_PER_K 0.003	/* 0.02 decades a kelvin */
#define REFERENCE_ABOVE_ROOM_K 20.0

enum { DR4, FR4, LR4, SR4, SR8, AOC, DAC, AEC, ZR };

/* After the budgets of IEEE 802.3 clauses 95, 124, 138, 151 and of
 * OIF-400ZR; error ratios as healthy links of each are reported.
 */
static const struct a_media media[] = {
	/* optical coherent monitored connector colours parallel cooled */
	[DR4] = { "DR4", true, false, true, true, false, true, false,
		  1.2, 1.8, 68, -12.5, -9.4, -6.7, true },
	[FR4] = { "FR4", true, false, true, true, true, false, false,
		  1.8, 2.4, 61, -13.5, -9.2, -6.7, true },
	[LR4] = { "LR4", true, false, true, true, true, false, true,
		  2.8, 4.2, 74, -15.5, -9.0, -6.7, true },
	[SR4] = { "SR4", true, false, true, true, false, true, false,
		  0.3, 1.1, 7.1, -12.5, -11.5, -8.5, false },
	[SR8] = { "SR8", true, false, true, true, false, true, false,
		  0.4, 1.0, 7.5, -12.5, -9.4, -6.9, true },
	[AOC] = { "AOC", true, false, true, false, false, true, false,
		  0.1, 0.8, 6.9, -12.5, -9.8, -7.4, true },
	[DAC] = { "DAC", false, false, false, false, false, false, false,
		  0, 0, 0, 0, -10.0, -7.5, false },
	[AEC] = { "AEC", false, false, true, false, false, false, false,
		  0, 0, 0, 0, -10.5, -8.0, true },
	[ZR] = { "ZR", true, true, true, true, false, false, true,
		 -9.8, 2.2, 61, -24, -3.1, -2.7, true },
};

/* What stands in a block of ports, and how many cards of it are in the deck. */
struct profile {
	unsigned media, cards, lanes, speed_mbps, breakout;
	enum fec_mode fec;
};

static const struct profile profiles[] = {
	{ DR4, 4, 4, 400000, 1, FEC_RS544 },
	{ FR4, 3, 4, 400000, 1, FEC_RS544 },
	{ DAC, 1, 4, 400000, 1, FEC_RS544 },
	{ SR4, 1, 4, 100000, 1, FEC_RS528 },
	{ ZR, 1, 1, 400000, 1, FEC_NONE },
	{ LR4, 1, 4, 400000, 1, FEC_RS544 },
	{ SR8, 1, 8, 400000, 1, FEC_RS544 },
	{ AEC, 2, 8, 400000, 1, FEC_RS544 },
	{ DAC, 1, 4, 100000, 1, FEC_RS528 },
	{ AOC, 1, 4, 200000, 1, FEC_RS544 },
	{ DR4, 1, 1, 100000, 4, FEC_RS544 },
	{ FR4, 1, 2, 200000, 2, FEC_RS544 },
};

#define PROFILES (sizeof(profiles) / sizeof(profiles[0]))
#define DECK 18u

static void deck_shuffle(uint64_t seed, const struct profile *deck[DECK])
{
	struct draw d;
	unsigned n = 0;

	for (size_t i = 0; i < PROFILES; i++)
		for (unsigned k = 0; k < profiles[i].cards && n < DECK; k++)
			deck[n++] = &profiles[i];
	draw_init(&d, draw_key(seed, DRAW_DECK, 0, 0));
	for (unsigned i = n - 1; i > 0; i--) {
		unsigned k = (unsigned)(draw_u64(&d) % (i + 1));
		const struct profile *p = deck[i];

		deck[i] = deck[k];
		deck[k] = p;
	}
}

static void edges_set(double edge[WORLD_EDGE_COUNT], double high_alarm,
		      double low_alarm, double high_warn, double low_warn)
{
	edge[WORLD_HIGH_ALARM] = high_alarm;
	edge[WORLD_LOW_ALARM] = low_alarm;
	edge[WORLD_HIGH_WARN] = high_warn;
	edge[WORLD_LOW_WARN] = low_warn;
}

static void limits_set(const struct a_media *m, struct world_limits *ret)
{
	double rx = m->tx_dbm - m->path_db;

	ret->known = m->monitored;
	edges_set(ret->temp_c, 75, -5, 70, 0);
	edges_set(ret->vcc_v, 3.63, 2.97, 3.465, 3.135);
	edges_set(ret->rx_dbm, rx + 7, rx - 10, rx + 4, rx - 7);
	edges_set(ret->tx_dbm, m->tx_dbm + 5, m->tx_dbm - 7, m->tx_dbm + 3,
		  m->tx_dbm - 4);
	edges_set(ret->bias_ma, m->bias_ma * 2, m->bias_ma * 0.2,
		  m->bias_ma * 1.8, m->bias_ma * 0.3);
}

static uint64_t mask_of(unsigned first, unsigned count, unsigned ports)
{
	uint64_t mask = 0;

	for (unsigned i = first; i < first + count && i < ports; i++)
		mask |= UINT64_C(1) << i;
	return mask;
}

/* A zone is two blocks beside each other, a group two that are far apart. */
static void place(struct a_port *p, const struct profile *f, unsigned ports)
{
	unsigned blocks = (ports + BLOCK - 1) / BLOCK;
	unsigned block = p->number / BLOCK;
	unsigned half = blocks > 1 ? (blocks + 1) / 2 : 1;
	unsigned cage = p->number / f->breakout;
	unsigned in_zone = blocks > 4 ? 2 : 1;
	struct world_port *w = &p->facts;

	p->cage = mask_of(cage * f->breakout, f->breakout, ports);
	p->peer = mask_of(block * BLOCK, BLOCK, ports);
	p->zone = mask_of(block / in_zone * in_zone * BLOCK, in_zone * BLOCK,
			  ports);
	p->group = mask_of(block % half * BLOCK, BLOCK, ports) |
		mask_of((block % half + half) * BLOCK, BLOCK, ports);
	(void)snprintf(w->name, sizeof(w->name), "Ethernet%u", p->number * 8);
	(void)snprintf(w->group, sizeof(w->group), "core%u", block % half);
	(void)snprintf(w->zone, sizeof(w->zone), "zone%u", block / in_zone);
	(void)snprintf(w->cage, sizeof(w->cage), "cage%u",
		       p->number - p->number % f->breakout);
	(void)snprintf(w->peer_switch, sizeof(w->peer_switch), "spine%u",
		       block);
	(void)snprintf(w->peer_port, sizeof(w->peer_port), "Ethernet%u",
		       p->number % BLOCK * 8);
}

static unsigned bits_of(const struct a_port *p)
{
	const struct a_media *m = p->link.media;
	unsigned is = m->optical ? A_OPTICAL : A_COPPER;

	is |= m->monitored ? A_MODULE : 0;
	is |= p->link.lanes > 1 ? A_LANES : 0;
	is |= p->link.code ? A_FEC : 0;
	is |= p->link.code && m->optical ? A_HOST_CODE_LIGHT : 0;
	is |= m->coherent ? A_COHERENT : 0;
	is |= p->link.noise_per_k > STEEP_PER_K ? A_STEEP : 0;
	return is | (m->connector ? A_CONNECTOR : 0);
}

static void port_draw(struct a_port *p, const struct profile *f,
		      const struct world_case *c, struct draw *d)
{
	const struct a_media *m = &media[f->media];
	struct world_port *w = &p->facts;
	struct a_link *l = &p->link;

	(void)snprintf(w->media, sizeof(w->media), "%s", m->name);
	w->optical = m->optical;
	w->coherent = m->coherent;
	w->lanes = f->lanes;
	w->speed_mbps = f->speed_mbps;
	w->fec = f->fec;
	w->counter_bits = draw_unit(d) < SHARE_32_BITS &&
		(c->pace == PACE_FAST || f->speed_mbps <= NARROW_SLOW_MBPS) ?
		32 : 64;
	limits_set(m, &w->limits);
	l->media = m;
	l->speed_bps = (uint64_t)f->speed_mbps * 1000000;
	l->lanes = f->lanes;
	l->four_levels = f->speed_mbps / f->lanes >= PAM4_LANE_MBPS;
	l->code = f->fec == FEC_NONE ? NULL :
		code_find(f->fec == FEC_RS528 ? "rs528" : "rs544");
	l->code_hz = l->code ? code_rate(l->code, l->speed_bps) : 0;
	l->reference_k = REFERENCE_ABOVE_ROOM_K;
	p->has_bins = l->code && draw_unit(d) <
		(f->fec == FEC_RS528 ? 0.5 : 0.85);
	p->has_reason = draw_unit(d) < 0.75;
	p->has_lane_ber = m->states_ber && draw_unit(d) < 0.5;
	p->temp_step_c = draw_unit(d) < 0.2 ? 1 : 1.0 / 256;
	a_heat_draw(&p->heat, c->pace == PACE_SLOW ? 60 : 1, d);
}

void a_ports_draw(const struct world_case *c, const struct a_eye *eye,
		  struct a_port *port)
{
	const struct profile *deck[DECK];

	deck_shuffle(c->seed, deck);
	for (unsigned i = 0; i < c->ports; i++) {
		const struct profile *f = deck[i / BLOCK % DECK];
		struct a_port *p = &port[i];
		struct draw d;

		p->number = i;
		p->key = draw_key(c->seed, DRAW_PORT, i, 0);
		draw_init(&d, p->key);
		p->link.eye = eye;
		port_draw(p, f, c, &d);
		place(p, f, c->ports);
		a_link_plug(&p->link, draw_key(c->seed, DRAW_CAGE,
					       i / f->breakout, i));
		p->is = bits_of(p);
	}
}

double a_port_heat_k(const struct a_port *p, const struct a_room *room,
		     double room_now_c, const struct a_stress *s, double t_s)
{
	return room_now_c - room->mean_c + a_heat_k(&p->heat, t_s) + s->heat_k;
}
