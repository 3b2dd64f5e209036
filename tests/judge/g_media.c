#include "tests/judge/g_media.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/judge/g_codes.h"
#include "tests/judge/g_dice.h"
#include "tests/judge/g_world.h"

#define HOTTEST_C 63		/* that a healthy module gets */
#define MARGIN 4		/* times the usual ratio */
#define MARGIN_LOSS 1e-17
#define OPTICS (TRAIT_OPTICAL | TRAIT_MONITORS | TRAIT_WARM)
#define SINGLE (OPTICS | TRAIT_PLUGS)	/* silicon photonics, EML */
#define MPO (SINGLE | TRAIT_PARALLEL)
#define LC (SINGLE | TRAIT_DUPLEX)

/* Typical figures. Launch and receive power: IEEE 802.3 clauses 95, 121, 122,
 * 124, 138, 151, 167 and MSA sheets, mid between their limits. Ratios before
 * correction: from fleets' reports, most links lie two to five decades below
 * the code's threshold (2.4e-4), copper and NRZ lower. Heat: 4 W for 100G,
 * 8 to 10 W for 400G, 14 to 17 W for 800G, 20 W for ZR, at about 1.2 K/W.
 */
static const struct g_media media[] = {
	{ "SR4", 4, 100, MPO, 0, -1.5, 7, { 1e-12, 3e-8 }, 9, 3, 4,
	  FEC_RS528 },
	{ "SR4", 4, 400, MPO, 1, -0.5, 8, { 1e-9, 8e-6 }, 17, 5, 7, FEC_RS544 },
	{ "SR8", 8, 400, MPO, 0.5, -1, 7.5, { 1e-9, 5e-6 }, 18, 4, 4,
	  FEC_RS544 },
	{ "SR8", 8, 800, MPO, 1, -0.5, 8, { 1e-9, 8e-6 }, 23, 6, 8, FEC_RS544 },
	{ "VR4", 4, 400, MPO, 0.5, -0.6, 8, { 1e-9, 6e-6 }, 16, 5, 5,
	  FEC_RS544 },
	{ "DR4", 4, 400, MPO, 1, -0.8, 75, { 1e-9, 6e-6 }, 18, 5, 12,
	  FEC_RS544 },
	{ "DR4", 4, 800, MPO, 1.5, 0, 90, { 1e-8, 1e-5 }, 23, 7, 7, FEC_RS544 },
	{ "FR4", 4, 400, LC, 1, -1.4, 62, { 1e-9, 8e-6 }, 19, 5, 9, FEC_RS544 },
	{ "FR4", 4, 200, LC, 1, -1.5, 55, { 1e-9, 2e-6 }, 14, 4, 2, FEC_RS544 },
	{ "LR4", 4, 400, LC, 2.5, -2.2, 80, { 3e-9, 1e-5 }, 21, 5, 3,
	  FEC_RS544 },
	{ "ZR", 1, 400, LC | TRAIT_COHERENT, -10, -11, 160, { 3e-4, 3e-3 }, 26,
	  4, 2, FEC_RS544 },
	{ "AOC", 8, 400, OPTICS | TRAIT_PARALLEL, 0.5, -0.8, 7.5,
	  { 1e-10, 2e-6 }, 17, 4, 4, FEC_RS544 },
	{ "AOC", 4, 100, OPTICS | TRAIT_PARALLEL, 0, -1, 7, { 1e-12, 1e-8 }, 9,
	  3, 3, FEC_RS528 },
	{ "DAC", 4, 100, TRAIT_COPPER, 0, 0, 0, { 1e-12, 3e-8 }, 2, 1, 3,
	  FEC_RS528 },
	{ "DAC", 8, 400, TRAIT_COPPER, 0, 0, 0, { 1e-11, 1e-6 }, 2, 1, 6,
	  FEC_RS544 },
	{ "DAC", 8, 800, TRAIT_COPPER, 0, 0, 0, { 1e-10, 3e-6 }, 2, 1, 4,
	  FEC_RS544 },
	{ "AEC", 8, 400, TRAIT_COPPER | TRAIT_MONITORS | TRAIT_WARM, 0, 0, 0,
	  { 1e-12, 1e-8 }, 15, 3, 3, FEC_RS544 },
	{ "AEC", 8, 800, TRAIT_COPPER | TRAIT_MONITORS | TRAIT_WARM, 0, 0, 0,
	  { 1e-12, 1e-7 }, 20, 4, 3, FEC_RS544 },
};

#define MEDIA (sizeof(media) / sizeof(media[0]))

/* What makers' modules show, and how well. Steps: CMIS 4.0 table 8-6 allows
 * 1/256 K, some sensors have whole degrees. NAN refresh: as the pace has it.
 */
static const struct g_vendor {
	unsigned shows;
	double temp_step_k, light_noise_db, period_s;
} vendors[] = {
	{ TRAIT_SHOWS_BER | TRAIT_SHOWS_SNR, 1.0 / 256, 0.02, 0 },
	{ TRAIT_SHOWS_SNR, 1.0 / 256, 0.04, 0 },
	{ TRAIT_SHOWS_BER, 0.25, 0.03, 0 },
	{ 0, 1.0 / 256, 0.05, 0 },
	{ 0, 1, 0.1, 30 },
};

#define VENDORS (sizeof(vendors) / sizeof(vendors[0]))

static const struct g_media *media_draw(struct world *w, const double *liked)
{
	double all = 0, at;

	for (size_t i = 0; i < MEDIA; i++)
		all += liked[i];
	at = all * g_unit(&w->dice);
	for (size_t i = 0; i < MEDIA - 1; i++) {
		at -= liked[i];
		if (at < 0)
			return &media[i];
	}
	return &media[MEDIA - 1];
}

static void air_fill(struct world *w)
{
	for (unsigned i = 0; i < G_ZONES; i++)
		w->zone[i] = (struct g_zone){
			.salt = g_draw(&w->dice),
			.air_c = g_between(&w->dice, 26, 38),
			.daily_k = g_log_between(&w->dice, 0.4, 2.5),
			.noon_s = g_between(&w->dice, 46800, 57600),
		};
	/* A collective's phases and checkpoints, to whole jobs. */
	for (unsigned i = 0; i < G_JOBS; i++)
		w->job[i] = (struct g_job){
			.salt = g_draw(&w->dice),
			.phase_s = g_log_between(&w->dice, 120, 3600),
		};
}

static void quality_fill(struct world *w, struct g_port *p)
{
	uint64_t *d = &w->dice;
	const struct g_media *m = p->media;
	bool pam4 = m->fec == FEC_RS544, is_copper = p->traits & TRAIT_COPPER;
	double ber = g_log_between(d, m->ber.low, m->ber.high);
	double q = g_eyes_q(&w->eyes, pam4, ber), harder = w->at.hard ? 2 : 1;

	for (unsigned i = 0; i < m->lanes; i++)
		p->q[i] = q * (1 + 0.012 * g_normal(d));
	/* Floors of PAM4 receivers lie at 1e-7 or so: much is relative. */
	p->thermal = is_copper ? 1 : g_between(d, 0.35, 0.65);
	p->shot = is_copper ? 0 : g_between(d, 0.02, 0.1);
	/* Precoding breaks most runs of a DFE; a link in service has margin. */
	p->chain = is_copper ? g_between(d, 0.02, 0.15) :
			       g_between(d, 0, 0.03);
	while (g_codes_loss(m->fec, ber * MARGIN, p->chain) > MARGIN_LOSS &&
	       !(p->traits & TRAIT_COHERENT) && p->chain > 1e-3)
		p->chain *= 0.8;
	p->host_ber = g_log_between(d, 1e-12, 1e-9);
	p->wander_q = harder * g_log_between(d, 0.0015, 0.006);
	p->wander_db = harder * g_log_between(d, 0.01, 0.06);
	p->impulse_rate = g_log_between(d, 1e-4, 0.05) * harder;
	p->relink_s = g_log_between(d, is_copper ? 1.5 : 2.5, 18);
}

static void heat_fill(struct world *w, struct g_port *p)
{
	uint64_t *d = &w->dice;
	const struct g_zone *z = &w->zone[p->zone];
	double room_k;

	p->rise_k = p->media->rise_k * g_between(d, 0.85, 1.2);
	p->load_k = p->media->load_k * g_between(d, 0.7, 1.15);
	p->near_k = p->load_k * g_between(d, 0.08, 0.25);
	p->lag_s = g_log_between(d, 60, 240);
	p->warm_per_k = g_log_between(d, 0.0001, 0.0009);
	/* Fans keep it below its warning with some kelvin to spare. */
	room_k = HOTTEST_C - z->air_c - z->daily_k - p->load_k - p->near_k;
	p->rise_k = fmin(p->rise_k, room_k);
	p->knee_c = g_between(d, HOTTEST_C - 1, HOTTEST_C + 5);
	if (p->traits & TRAIT_OPTICAL)
		p->far_db_per_k = g_between(d, 0, 0.012);
	p->knee_per_k2 = g_log_between(d, 0.0002, 0.0012);
	p->busy = g_between(d, 0.3, 0.95);
}

static void monitors_fill(struct world *w, struct g_port *p)
{
	uint64_t *d = &w->dice;
	const struct g_media *m = p->media;
	double base_db = 0.8 * g_normal(d), path_db = g_between(d, -0.8, 0.8);

	for (unsigned i = 0; i < m->lanes; i++) {
		/* True spread, and +-2 dB that monitors are allowed. */
		p->rx_dbm[i] = m->rx_dbm + path_db + 0.6 * g_normal(d);
		p->tx_dbm[i] = m->tx_dbm + 0.4 * base_db + 0.4 * g_normal(d);
		p->bias_ma[i] = m->bias_ma * (1 + 0.06 * g_normal(d));
	}
	p->vcc_v = g_between(d, 3.26, 3.36);
	p->temp_error_k = g_between(d, -2, 2);
	p->bias_room = g_between(d, 0.2, 0.5);
	p->temp_step_k = vendors[p->vendor].temp_step_k;
	p->light_noise_db = vendors[p->vendor].light_noise_db *
			    g_log_between(d, 0.6, 1.6);
	p->dom_period_s = w->at.pace == PACE_FAST ? 10 : 60;
	if (vendors[p->vendor].period_s > p->dom_period_s)
		p->dom_period_s = vendors[p->vendor].period_s;
	p->dom_phase_s = g_unit(d) * p->dom_period_s;
}

/* Alarms and warnings about what is typical, as makers write them. */
static void limits_fill(struct world *w, const struct g_port *p,
			struct world_limits *l)
{
	const struct g_media *m = p->media;

	if (!(p->traits & TRAIT_MONITORS) || g_chance(&w->dice, 0.12))
		return;
	*l = (struct world_limits){
		.known = true,
		.temp_c = { 75, -5, 70, 0 },
		.vcc_v = { 3.63, 2.97, 3.465, 3.135 },
		.rx_dbm = { m->rx_dbm + 7, m->rx_dbm - 11, m->rx_dbm + 5,
			    m->rx_dbm - 8 },
		.tx_dbm = { m->tx_dbm + 6, m->tx_dbm - 6, m->tx_dbm + 4,
			    m->tx_dbm - 4 },
		.bias_ma = { m->bias_ma * 1.9, m->bias_ma * 0.3,
			     m->bias_ma * 1.7, m->bias_ma * 0.5 },
	};
	if (p->traits & TRAIT_OPTICAL)
		return;
	for (unsigned i = 0; i < WORLD_EDGE_COUNT; i++)
		l->rx_dbm[i] = l->tx_dbm[i] = l->bias_ma[i] = (double)NAN;
}

static void names_fill(struct world *w, unsigned i)
{
	struct g_port *p = &w->built[i];
	struct world_port *o = &w->port[i];
	bool to_host = p->traits & TRAIT_TO_HOST;

	(void)snprintf(o->name, sizeof(o->name), "Ethernet%u", i * 8);
	(void)snprintf(o->group, sizeof(o->group), "gearbox%u", p->group);
	(void)snprintf(o->zone, sizeof(o->zone), "zone%u", p->zone);
	(void)snprintf(o->cage, sizeof(o->cage), "cage%u", p->cage);
	(void)snprintf(o->peer_switch, sizeof(o->peer_switch), "%s%u",
		       to_host ? "gpu" : "spine", p->peer);
	(void)snprintf(o->peer_port, sizeof(o->peer_port), "%s%u",
		       to_host ? "rail" : "Ethernet",
		       i % 8 * (to_host ? 1 : 8));
	strcpy(o->media, p->media->name);
	o->optical = p->traits & TRAIT_OPTICAL;
	o->coherent = p->traits & TRAIT_COHERENT;
	o->lanes = p->media->lanes;
	o->speed_mbps = p->media->gbps * UINT64_C(1000);
	o->fec = p->media->fec;
	o->counter_bits = 64;
	if (p->media->gbps == 100 && g_chance(&w->dice, 0.3))
		o->counter_bits = 32;
	if (vendors[p->vendor].period_s > 0)
		o->dom_period_ns = (int64_t)(p->dom_period_s * 1e9);
	limits_fill(w, p, &o->limits);
}

static void port_fill(struct world *w, unsigned i, const struct g_media *m,
		      unsigned vendor)
{
	struct g_port *p = &w->built[i];
	unsigned lasers = g_chance(&w->dice, 0.5) ? TRAIT_KEEPS_POWER :
						    TRAIT_KEEPS_CURRENT;

	p->media = m;
	p->vendor = vendor;
	p->traits = m->traits;
	if (p->traits & TRAIT_OPTICAL)
		p->traits |= lasers | (p->traits & TRAIT_COHERENT ? 0u :
				       vendors[vendor].shows);
	p->salt = g_draw(&w->dice);
	p->zone = i * G_ZONES / w->at.ports;
	p->group = i / (w->at.ports < 8 ? 1 : w->at.ports < 32 ?
			w->at.ports / 4 : 8);
	p->cage = w->cages;
	p->peer = i / 4;
	p->traits |= p->peer % 3 != 0 ? TRAIT_TO_HOST : 0u;
	p->job = g_below(&w->dice, G_JOBS);
	quality_fill(w, p);
	heat_fill(w, p);
	monitors_fill(w, p);
	names_fill(w, i);
	w->state[i].dice = g_draw(&w->dice);
	w->state[i].up = true;
	w->state[i].dom_round = INT64_MIN;
}

/* The second port of a twin module shares its heat and its electronics. */
static void twin_join(struct g_port *p, const struct g_port *first)
{
	p->rise_k = first->rise_k;
	p->load_k = first->load_k;
	p->near_k = first->near_k;
	p->lag_s = first->lag_s;
	p->zone = first->zone;
	p->job = first->job;
	p->vcc_v = first->vcc_v;
	p->temp_error_k = first->temp_error_k;
	p->dom_phase_s = first->dom_phase_s;
}

void g_media_fill(struct world *w)
{
	double liked[MEDIA];
	unsigned port = 0;

	air_fill(w);
	w->shows_bins = g_chance(&w->dice, 0.85);
	w->tells_reasons = g_chance(&w->dice, 0.65);
	/* Each site buys some media more than others. */
	for (size_t i = 0; i < MEDIA; i++)
		liked[i] = media[i].weight * g_log_between(&w->dice, 0.3, 3);
	while (port < w->at.ports) {
		const struct g_media *m = media_draw(w, liked);
		unsigned vendor = g_below(&w->dice, VENDORS);
		bool is_twin = m->gbps == 400 && m->lanes == 4 &&
			       port % 4 < 3 && port + 1 < w->at.ports &&
			       g_chance(&w->dice, 0.25);

		port_fill(w, port, m, vendor);
		if (is_twin) {
			port_fill(w, port + 1, m, vendor);
			twin_join(&w->built[port + 1], &w->built[port]);
		}
		port += is_twin ? 2 : 1;
		w->cages++;
	}
}
