#include "tests/judge/f_cage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/judge/f_dice.h"
#include "tests/judge/f_link.h"
#include "tests/judge/f_world.h"

#define SLICE 4			/* neighbours are of one kind */
#define AN_HOUR_S 3600.0
#define FALLS_AT 0.02		/* codewords lost, and the link is too */

/* Powers and currents as data sheets of 2018 to 2024 have them: 802.3 clauses
 * 95, 122, 124, 151 and the CWDM4 and 400ZR agreements. The bit error ratios
 * are those of fleets, from the day of delivery to years later.
 */
static const struct f_kind kinds[] = {
	{ .media = "DR4", .speed_mbps = 400000, .lanes = 4, .fec = FEC_RS544,
	  .optical = true, .pam4 = true, .plugs = true, .monitors = true,
	  .wave_nm = 1311, .rx_dbm = 0.3, .rx_spread_db = 0.9, .tx_dbm = 1.6,
	  .los_dbm = -10, .bias_ma = { 60, 130 }, .log_ber = { -10, -5.8 },
	  .rise_c = { 18, 30 }, .power_kept = 0.1, .lanes_told = 0.5,
	  .weight = 22 },
	{ .media = "FR4", .speed_mbps = 400000, .lanes = 4, .fec = FEC_RS544,
	  .optical = true, .pam4 = true, .one_fibre = true, .plugs = true,
	  .monitors = true, .wave_nm = 1271, .wave_step_nm = 20,
	  .rx_dbm = -0.6, .rx_spread_db = 1.1, .tx_dbm = 1.8, .los_dbm = -12,
	  .bias_ma = { 45, 85 }, .log_ber = { -9.5, -5.6 },
	  .rise_c = { 20, 32 }, .power_kept = 0.7, .lanes_told = 0.5,
	  .weight = 18 },
	{ .media = "FR4", .speed_mbps = 400000, .lanes = 4, .fec = FEC_RS544,
	  .optical = true, .pam4 = true, .one_fibre = true, .twin = true,
	  .plugs = true, .monitors = true, .wave_nm = 1271,
	  .wave_step_nm = 20, .rx_dbm = -0.4, .rx_spread_db = 1,
	  .tx_dbm = 1.9, .los_dbm = -12, .bias_ma = { 50, 110 },
	  .log_ber = { -9, -5.7 }, .rise_c = { 24, 34 }, .power_kept = 0.5,
	  .lanes_told = 0.8, .weight = 8 },
	{ .media = "LR4", .speed_mbps = 400000, .lanes = 4, .fec = FEC_RS544,
	  .optical = true, .pam4 = true, .one_fibre = true, .plugs = true,
	  .monitors = true, .wave_nm = 1271, .wave_step_nm = 20,
	  .rx_dbm = -3, .rx_spread_db = 1.6, .tx_dbm = 2.4, .los_dbm = -13,
	  .bias_ma = { 55, 95 }, .log_ber = { -8.5, -5.4 },
	  .rise_c = { 22, 34 }, .power_kept = 0.8, .lanes_told = 0.5,
	  .weight = 7 },
	{ .media = "FR4", .speed_mbps = 100000, .lanes = 4, .fec = FEC_RS528,
	  .optical = true, .one_fibre = true, .plugs = true, .monitors = true,
	  .wave_nm = 1271, .wave_step_nm = 20, .rx_dbm = -1.5,
	  .rx_spread_db = 1.3, .tx_dbm = 0.5, .los_dbm = -14,
	  .bias_ma = { 30, 55 }, .log_ber = { -12, -7 }, .rise_c = { 10, 18 },
	  .power_kept = 0.7, .weight = 8 },
	{ .media = "SR4", .speed_mbps = 100000, .lanes = 4, .fec = FEC_RS528,
	  .optical = true, .plugs = true, .monitors = true, .wave_nm = 850,
	  .rx_dbm = -1.2, .rx_spread_db = 0.9, .tx_dbm = 0.2, .los_dbm = -13,
	  .bias_ma = { 5.5, 8.5 }, .log_ber = { -12, -7.5 },
	  .rise_c = { 8, 15 }, .power_kept = 0.3, .weight = 11 },
	{ .media = "ZR", .speed_mbps = 400000, .lanes = 1, .fec = FEC_RS544,
	  .optical = true, .coherent = true, .one_fibre = true, .plugs = true,
	  .monitors = true, .wave_nm = 1550, .rx_dbm = -10,
	  .rx_spread_db = 2, .tx_dbm = -9, .los_dbm = -24,
	  .bias_ma = { 110, 220 }, .log_ber = { -3.4, -2.35 },
	  .rise_c = { 26, 36 }, .power_kept = 1, .weight = 6 },
	{ .media = "AOC", .speed_mbps = 400000, .lanes = 8, .fec = FEC_RS544,
	  .optical = true, .pam4 = true, .monitors = true, .wave_nm = 850,
	  .rx_dbm = 0.2, .rx_spread_db = 0.8, .tx_dbm = 0.9, .los_dbm = -10,
	  .bias_ma = { 6, 8.5 }, .log_ber = { -9, -5.8 },
	  .rise_c = { 14, 24 }, .power_kept = 0.2, .lanes_told = 0.2,
	  .weight = 5 },
	{ .media = "DAC", .speed_mbps = 100000, .lanes = 4, .fec = FEC_RS528,
	  .log_ber = { -12, -7.5 }, .weight = 5 },
	{ .media = "DAC", .speed_mbps = 400000, .lanes = 8, .fec = FEC_RS544,
	  .pam4 = true, .log_ber = { -9.5, -5.6 }, .weight = 6 },
	{ .media = "AEC", .speed_mbps = 400000, .lanes = 8, .fec = FEC_RS544,
	  .pam4 = true, .monitors = true, .log_ber = { -11, -6.8 },
	  .rise_c = { 14, 24 }, .weight = 6 },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static const struct f_kind *kind_draw(uint64_t *dice)
{
	double sum = 0, at;

	for (size_t i = 0; i < KINDS; i++)
		sum += kinds[i].weight;
	at = sum * f_uniform(dice);
	for (size_t i = 0; i + 1 < KINDS; i++) {
		at -= kinds[i].weight;
		if (at < 0)
			return &kinds[i];
	}
	return &kinds[KINDS - 1];
}

/* --- one port ------------------------------------------------------------ */

static struct f_drift drift_of(double sigma, double memory_s, double tick_s)
{
	double keep = exp(-tick_s / memory_s);

	return (struct f_drift){ keep, sigma * sqrt(1 - keep * keep), 0 };
}

/* What the receiver's noise is made of: that of its amplifier, shot noise, and
 * what grows with the light: laser noise, reflections, and a closed eye.
 */
static void receiver_fill(struct world *w, struct f_port *p)
{
	const struct f_kind *k = p->kind;
	double log_ber = f_between(&p->dice, k->log_ber[0], k->log_ber[1]);

	if (f_chance(&p->dice, 0.5))	/* most are good */
		log_ber = (log_ber + k->log_ber[0]) / 2;
	p->code = f_code_of(k->fec, k->coherent, k->optical ?
			    f_log_between(&p->dice, 0.003, 0.06) :
			    f_log_between(&p->dice, 0.03, 0.25));
	p->codewords_per_s = (double)k->speed_mbps * 1e6 *
			     (k->fec == FEC_RS528 ? 1.03125 : 1.0625) /
			     p->code.bits;
	p->cliff_log_ber = f_code_log_ber(&p->code, 1 / (AN_HOUR_S *
						p->codewords_per_s));
	p->fall_log_ber = f_code_log_ber(&p->code, FALLS_AT);
	p->base_log_ber = fmin(log_ber, p->cliff_log_ber -
			       (k->coherent ? 0.35 : 0.8));
	p->thermal = f_between(&p->dice, 0.15, 0.55);
	p->shot = f_between(&p->dice, 0.03, 0.15);
	p->floor = 1 - p->thermal - p->shot;
	p->bits_more = f_log_between(&p->dice, 0.01, 0.15);
	for (unsigned i = 0; i < k->lanes; i++)
		p->lane_db[i] = k->lanes > 1 ? 0.22 * f_normal(&p->dice) : 0;
	f_link_level(w, p, p->base_log_ber);
	p->ber_per_c = f_log_between(&p->dice, 0.004, 0.04);
	if (k->coherent)
		p->ber_per_c *= 0.2;
	if (f_chance(&p->dice, 0.12))
		p->ber_per_c *= -0.5;
}

static void light_fill(struct f_port *p)
{
	const struct f_kind *k = p->kind;
	uint64_t *dice = &p->dice;
	double rx = k->rx_dbm + k->rx_spread_db * f_normal(dice);
	double tx = k->tx_dbm + 0.5 * f_normal(dice);
	double bias = f_between(dice, k->bias_ma[0], k->bias_ma[1]);
	double tolerance = f_log_between(dice, 0.1, 0.9);

	for (unsigned i = 0; i < k->lanes; i++) {
		p->rx_dbm[i] = fmax(rx + 0.45 * f_normal(dice),
				    k->los_dbm + 4);
		p->tx_dbm[i] = tx + 0.3 * f_normal(dice);
		p->bias_ma[i] = bias * (1 + 0.03 * f_normal(dice));
		p->monitor.offset_db[i] = tolerance * f_normal(dice);
	}
	p->keeps_power = f_chance(dice, k->power_kept);
	p->bias_per_c = p->keeps_power ? f_between(dice, 0.001, 0.007)
				       : f_between(dice, 0, 0.001);
	p->tx_per_c = p->keeps_power ? f_between(dice, -0.003, 0.003)
				     : f_between(dice, -0.02, -0.003);
}

/* SFF-8636 and CMIS have units of 1/256 degree, 0.1 uW, 2 uA and 100 uV; what
 * converts and what computes are coarser.
 */
static void monitor_fill(struct world *w, struct f_port *p)
{
	static const double temp_step_c[] = { 1 / 256., 1 / 256., 0.0625, 0.1,
					      0.5, 1 };
	static const double bias_step_ma[] = { 0.002, 0.004, 0.01, 0.1 };
	struct f_monitor *m = &p->monitor;
	uint64_t *dice = &p->dice;

	m->temp_step_c = temp_step_c[f_pick(dice, 6)];
	m->temp_noise_c = f_log_between(dice, 0.03, 0.25);
	m->rx_step_mw = f_log_between(dice, 1e-4, 6e-3);
	m->tx_step_mw = f_log_between(dice, 1e-4, 6e-3);
	if (p->kind->coherent)
		m->rx_step_mw = m->tx_step_mw = 1e-4;
	m->light_db = f_log_between(dice, 0.006, 0.07);
	m->bias_step_ma = bias_step_ma[f_pick(dice, 4)];
	m->bias_noise = f_log_between(dice, 0.0003, 0.004);
	m->vcc_v = 3.3 + 0.035 * f_normal(dice);
	m->lanes_told = f_chance(dice, p->kind->lanes_told);
	m->phase_s = f_between(dice, 0, w->at.pace == PACE_FAST ? 10 : 30);
	p->dom_due_s = m->phase_s;
}

static void noise_fill(struct world *w, struct f_port *p)
{
	double wide = w->at.hard ? 2 : 1, dt = w->tick_s;
	uint64_t *dice = &p->dice;

	p->slow = drift_of(wide * f_log_between(dice, 0.01, 0.06),
			   f_log_between(dice, 3600, 40000), dt);
	p->quick = drift_of(f_log_between(dice, 0.005, 0.04),
			    f_log_between(dice, 40, 900), dt);
	p->light = drift_of(wide * f_log_between(dice, 0.005, 0.05),
			    f_log_between(dice, 1200, 20000), dt);
	p->sway = drift_of(1, f_log_between(dice, 30, 400), dt);
	for (unsigned i = 0; i < p->kind->lanes; i++)
		p->lane[i] = drift_of(wide * f_log_between(dice, 0.004, 0.03),
				      f_log_between(dice, 600, 8000), dt);
}

static void heat_fill(struct world *w, struct f_port *p)
{
	const struct f_kind *k = p->kind;
	uint64_t *dice = &p->dice;

	p->rise_c = f_between(dice, k->rise_c[0], k->rise_c[1]);
	p->load_c = f_log_between(dice, 0.8, 6);
	p->lag_s = f_log_between(dice, 90, 400);
	p->load = w->load * f_log_between(dice, 0.5, 1.6);
	p->ref_c = w->zone[p->zone].inlet_c + p->rise_c + p->load_c * p->load;
	p->temp_c = p->ref_c;
	p->train_s = f_log_between(dice, 1, 15);
	p->frame_octets = f_between(dice, 700, 4200);
}

/* --- what is known of it ------------------------------------------------- */

static void edges_set(double ret[static WORLD_EDGE_COUNT], double low_alarm,
		      double low, double high, double high_alarm)
{
	ret[WORLD_LOW_ALARM] = low_alarm;
	ret[WORLD_LOW_WARN] = low;
	ret[WORLD_HIGH_WARN] = high;
	ret[WORLD_HIGH_ALARM] = high_alarm;
}

static void limits_fill(struct world_port *port, struct f_port *p)
{
	const struct f_kind *k = p->kind;
	struct world_limits *l = &port->limits;
	double bias = k->bias_ma[1];

	l->known = k->optical && f_chance(&p->dice, 0.85);
	if (!l->known)
		return;
	edges_set(l->temp_c, -5, 0, 70, 75);
	edges_set(l->vcc_v, 2.97, 3.13, 3.47, 3.63);
	edges_set(l->rx_dbm, k->los_dbm + 0.5, k->los_dbm + 2.5,
		  k->rx_dbm + 4.5, k->rx_dbm + 5.5);
	edges_set(l->tx_dbm, k->tx_dbm - 5, k->tx_dbm - 4, k->tx_dbm + 3,
		  k->tx_dbm + 4);
	edges_set(l->bias_ma, bias * 0.1, bias * 0.2, bias * 1.6, bias * 1.8);
}

static void facts_fill(struct world *w, struct f_port *p)
{
	struct world_port *port = &w->port[p->number];
	const struct f_kind *k = p->kind;
	size_t cap = WORLD_NAME_MAX;

	(void)snprintf(port->name, cap, "Ethernet%u", p->number * 8);
	(void)snprintf(port->media, sizeof(port->media), "%s", k->media);
	(void)snprintf(port->group, cap, "core%u", p->group);
	(void)snprintf(port->zone, cap, "air%u", p->zone);
	(void)snprintf(port->peer_switch, cap, "spine%u", p->peer);
	(void)snprintf(port->peer_port, cap, "Ethernet%u",
		       p->number / w->peers * 8);
	if (k->twin)
		(void)snprintf(port->cage, cap, "cage%u", p->number / 2);
	port->optical = k->optical;
	port->coherent = k->coherent;
	port->lanes = k->lanes;
	port->speed_mbps = k->speed_mbps;
	port->fec = k->fec;
	port->counter_bits = k->fec == FEC_RS528 && f_chance(&p->dice, 0.3) ?
			     32 : 64;
	if (w->at.pace == PACE_FAST && f_chance(&p->dice, 0.12))
		port->dom_period_ns = 60 * INT64_C(1000000000);
	limits_fill(port, p);
}

/* Counters have run for months before the case. */
static void counters_start(struct world *w, struct f_port *p)
{
	struct world_reading *r = &p->now;
	double up_s = f_log_between(&p->dice, 1e4, 1e7);
	double words = up_s * p->codewords_per_s;

	r->admin_up = r->oper_up = r->present = true;
	r->link_down_count = f_pick(&p->dice, 40);
	r->fec_bins[0] = (uint64_t)words;
	r->fec_bins[1] = (uint64_t)(words * 5000 * pow(10, p->base_log_ber));
	r->fec_corrected_codewords = r->fec_bins[1];
	r->fec_symbol_errors = r->fec_corrected_bits = r->fec_bins[1];
	r->fec_uncorrectable_codewords = f_pick(&p->dice, 3);
	r->in_octets = (uint64_t)(up_s * w->load * 1e9);
	r->out_octets = r->in_octets / 2;
	r->in_frames = r->in_octets / 1500;
	r->out_frames = r->out_octets / 1500;
	(void)snprintf(r->serial, sizeof(r->serial), "%c%c%09u",
		       'A' + (char)f_pick(&p->dice, 26),
		       'A' + (char)f_pick(&p->dice, 26),
		       f_pick(&p->dice, 1000000000));
}

static void port_fill(struct world *w, struct f_port *p)
{
	p->zone = p->number * w->zones / w->at.ports;
	p->peer = p->number % w->peers;
	p->dice = w->at.seed * UINT64_C(0x9e3779b97f4a7c15) + p->number * 7919;
	(void)f_dice(&p->dice);
	receiver_fill(w, p);
	light_fill(p);
	monitor_fill(w, p);
	noise_fill(w, p);
	heat_fill(w, p);
	facts_fill(w, p);
	counters_start(w, p);
}

/* Two ports of a module have its heat, its monitors and its number. */
static void twin_fill(struct f_port *p, const struct f_port *other)
{
	p->rise_c = other->rise_c;
	p->load_c = other->load_c;
	p->lag_s = other->lag_s;
	p->ref_c = other->ref_c;
	p->temp_c = other->temp_c;
	p->keeps_power = other->keeps_power;
	p->monitor.temp_step_c = other->monitor.temp_step_c;
	p->monitor.vcc_v = other->monitor.vcc_v;
	p->monitor.lanes_told = other->monitor.lanes_told;
	memcpy(p->now.serial, other->now.serial, sizeof(p->now.serial));
}

/* --- what they share ----------------------------------------------------- */

static void zones_fill(struct world *w)
{
	double wide = w->at.hard ? 2 : 1;
	double inlet_c = f_between(&w->dice, 20, 31);
	double day_c = wide * f_log_between(&w->dice, 0.3, 2.5);
	double at_s = f_between(&w->dice, 0, F_DAY_S);

	w->zones = w->at.ports < 8 ? 1 : w->at.ports < 24 ? 2 : 5;
	for (unsigned i = 0; i < w->zones; i++) {
		struct f_zone *z = &w->zone[i];

		z->inlet_c = inlet_c + 1.5 * f_normal(&w->dice);
		z->day_c = day_c;
		z->day_at_s = at_s;
		z->rpm = f_between(&w->dice, 7000, 14000);
		z->wander = drift_of(wide * f_log_between(&w->dice, 0.1, 0.5),
				     3000, w->tick_s);
	}
}

void f_cages_fill(struct world *w)
{
	const struct f_kind *kind = NULL;
	unsigned share = f_chance(&w->dice, 0.7) ? 8 : 4;

	w->bins = f_chance(&w->dice, 0.65);
	w->reasons = f_chance(&w->dice, 0.7);
	w->peers = w->at.ports < 4 ? 1 : w->at.ports < 16 ? 4 : 8;
	w->load = f_between(&w->dice, 0.08, 0.5);
	w->load_day = f_between(&w->dice, 0, 0.5);
	w->load_at_s = f_between(&w->dice, 0, F_DAY_S);
	zones_fill(w);
	for (unsigned i = 0; i < w->at.ports; i++) {
		struct f_port *p = &w->state[i];

		if (i % SLICE == 0)
			kind = kind_draw(&w->dice);
		if (kind->twin && i % 2 == 0 && i + 1 == w->at.ports)
			kind = &kinds[0];
		p->kind = kind;
		p->number = i;
		p->group = i / share;
		port_fill(w, p);
		if (kind->twin && i % 2)
			twin_fill(p, p - 1);
	}
}
