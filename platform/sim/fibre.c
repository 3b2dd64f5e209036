#include "platform/sim/fibre.h"

#include <math.h>
#include <string.h>

#define LINE_BPS 478.75e9	/* 400ZR, OIF-400ZR-02.0, 10.3 */
#define SYMBOL_HZ 59.84375e9
#define OSNR_HZ 12.5e9		/* 0.1 nm at 1550 nm */
#define POLARISATIONS 2
#define CODE_LIMIT_BER 1.25e-2	/* of the concatenated code */
#define CODE_STEEPNESS 60	/* of the loss around its limit */
#define FRAME_BITS 2631680	/* 256 rows of 10,280 */
#define CD_PER_KM 16.8		/* ps/nm, G.652 at 1550 nm */
#define COLOURS 64
#define COLOUR_STEP 3		/* 75 GHz */
#define COLOUR_FIRST (-72)	/* 191.3 THz */
#define GHZ_OF_CHANNEL_0 193100.0
#define GHZ_PER_CHANNEL 25.0
#define TX_AIM_DBM (-10.0)
#define BER_SPREAD 0.02		/* of the count in one part */
#define SNR_SPREAD_DB 0.05
#define LIGHT_SPREAD_DB 0.01
/* The largest count that the counter of an interval holds. */
#define FRAMES_MAX 4294967295.0

/* Limits of a module for such a line; order HA LA HW LW. */
static const double edges[PLANT_COHERENT_COUNT][PLANT_EDGE_COUNT] = {
	[COHERENT_CD_PS_PER_NM] = { 2400, -2400, 2200, -2200 },
	[COHERENT_DGD_PS] = { 28, 0, 23, 0 },
	[COHERENT_SOPMD_PS2] = { 500, 0, 350, 0 },
	[COHERENT_PDL_DB] = { 3.5, 0, 2.5, 0 },
	[COHERENT_OSNR_DB] = { 60, 24, 58, 26 },
	[COHERENT_ESNR_DB] = { 40, 13.5, 38, 14 },
	[COHERENT_CFO_MHZ] = { 3600, -3600, 3000, -3000 },
	[COHERENT_EVM_PERCENT] = { 22, 0, 20, 0 },
	[COHERENT_TX_DBM] = { -5, -15, -6, -14 },
	[COHERENT_RX_DBM] = { 2, -22, 0, -20 },
	[COHERENT_SIGNAL_DBM] = { 2, -22, 0, -20 },
	[COHERENT_SOP_KRAD_S] = { 50, 0, 40, 0 },
	[COHERENT_MER_DB] = { 40, 13.5, 38, 14 },
	[COHERENT_BER] = { 1.25e-2, 0, 1.1e-2, 0 },
	[COHERENT_LOST_FRAMES] = { 1e-3, 0, 1e-6, 0 },
};

const double *plant_coherent_edges(enum plant_coherent_value which)
{
	return edges[which];
}

void fibre_draw(struct fibre *c, size_t number, uint64_t line_key,
		uint64_t module_key)
{
	struct draw d;

	memset(c, 0, sizeof(*c));
	draw_init(&d, line_key);
	c->km = draw_between(&d, 20, 110);
	c->dgd_ps = 0.4 * sqrt(c->km) * draw_between(&d, 0.5, 1.5);
	c->pdl_db = draw_between(&d, 0.3, 1.1);
	c->sop_krad_s = draw_between(&d, 1, 6);
	c->wander = draw_u64(&d);
	draw_init(&d, module_key);
	c->cfo_mhz = draw_between(&d, -800, 800);
	for (unsigned i = 0; i < PLANT_MODULATOR_BIASES; i++)
		c->bias_percent[i] = draw_between(&d, 35, 65);
	c->host_ber = pow(10, draw_between(&d, -11, -9));
	c->channel = COLOUR_FIRST + COLOUR_STEP * (int)(number % COLOURS);
}

double fibre_host_ber(const struct fibre *c, double decades)
{
	return fmin(c->host_ber * pow(10, decades), 0.3);
}

/* Share of frames lost at that bit error ratio. */
static double lost_share(double ber)
{
	return fmin(pow(ber / CODE_LIMIT_BER, CODE_STEEPNESS), 1);
}

bool fibre_is_lost(double ber)
{
	return ber > CODE_LIMIT_BER;
}

static double dbm(double mw)
{
	return mw > 0 ? fmax(10 * log10(mw), -40) : -40;
}

/* Noise of the amplifiers in the signal's band, referred to 0.1 nm. */
static double osnr_db(double ase)
{
	if (ase <= 0)
		return 0;	/* no light */
	return 10 * log10(SYMBOL_HZ / (POLARISATIONS * OSNR_HZ) / ase);
}

static void values_now(const struct fibre *c, const struct fibre_moment *m,
		       double ret[])
{
	const struct plant_lane *l = m->lane;
	double slow = key_wander(c->wander, m->t_s);
	double turn = key_wander(~c->wander, m->t_s);
	double snr_db = l->snr_db + SNR_SPREAD_DB * draw_rough(m->monitor);
	double dgd = c->dgd_ps * fmax(1 + 0.2 * turn +
				      0.03 * draw_rough(m->monitor), 0.05);

	ret[COHERENT_CD_PS_PER_NM] = c->km * CD_PER_KM + 2 * slow +
		draw_rough(m->monitor);
	ret[COHERENT_DGD_PS] = dgd;
	ret[COHERENT_SOPMD_PS2] = dgd * dgd * 0.8;
	ret[COHERENT_PDL_DB] = fmax(c->pdl_db + 0.1 * turn +
				    0.05 * draw_rough(m->monitor), 0);
	ret[COHERENT_OSNR_DB] = fmax(osnr_db(m->ase) +
				     0.1 * draw_rough(m->monitor), 0);
	ret[COHERENT_ESNR_DB] = fmax(snr_db, 0);
	ret[COHERENT_MER_DB] = fmax(snr_db - 0.1, 0);
	ret[COHERENT_CFO_MHZ] = c->cfo_mhz + 40 * slow +
		8 * draw_rough(m->monitor);
	ret[COHERENT_EVM_PERCENT] = fmin(100 * pow(10, -snr_db / 20), 100);
	ret[COHERENT_TX_DBM] = dbm(l->tx_mw) +
		LIGHT_SPREAD_DB * draw_rough(m->monitor);
	ret[COHERENT_SIGNAL_DBM] = dbm(l->rx_mw) +
		LIGHT_SPREAD_DB * draw_rough(m->monitor);
	ret[COHERENT_RX_DBM] = ret[COHERENT_SIGNAL_DBM] +
		10 * log10(1 + m->ase);
	ret[COHERENT_SOP_KRAD_S] = c->sop_krad_s *
		(1 + 0.3 * fabs(draw_normal(m->monitor)));
	ret[COHERENT_BER] = l->pre_fec_ber *
		(1 + BER_SPREAD * draw_rough(m->monitor));
	ret[COHERENT_LOST_FRAMES] = lost_share(ret[COHERENT_BER]);
}

static uint64_t frames(double bits)
{
	return (uint64_t)fmin(bits / FRAME_BITS, FRAMES_MAX);
}

static void counts_add(struct plant_coherent *o, bool is_first, double bits,
		       const double value[])
{
	uint64_t wrong = (uint64_t)(value[COHERENT_BER] * bits);
	uint64_t lost = (uint64_t)(value[COHERENT_LOST_FRAMES] *
				   (double)frames(bits));

	o->part_bits = (uint64_t)bits;
	o->part_frames = frames(bits);
	o->bits += o->part_bits;
	o->frames += o->part_frames;
	o->corrected += wrong;
	o->lost_frames += lost;
	if (is_first || wrong < o->corrected_min)
		o->corrected_min = wrong;
	if (is_first || wrong > o->corrected_max)
		o->corrected_max = wrong;
	if (is_first || lost < o->lost_min)
		o->lost_min = lost;
	if (is_first || lost > o->lost_max)
		o->lost_max = lost;
}

void fibre_step(struct fibre *c, const struct fibre_moment *m)
{
	struct plant_coherent *o = &c->open;
	double value[PLANT_COHERENT_COUNT];

	values_now(c, m, value);
	counts_add(o, c->parts == 0, LINE_BPS * m->dt_s, value);
	for (unsigned i = 0; i < PLANT_COHERENT_COUNT; i++) {
		struct plant_stretch *s = &o->value[i];

		s->now = value[i];
		s->min = c->parts ? fmin(s->min, value[i]) : value[i];
		s->max = c->parts ? fmax(s->max, value[i]) : value[i];
		s->avg = c->parts ? s->avg + value[i] : value[i];
	}
	c->parts++;
}

void fibre_take(struct fibre *c)
{
	double colour_ghz = GHZ_OF_CHANNEL_0 + c->channel * GHZ_PER_CHANNEL;

	c->shown = c->open;
	for (unsigned i = 0; i < PLANT_COHERENT_COUNT && c->parts > 0; i++)
		c->shown.value[i].avg /= c->parts;
	c->shown.channel = c->channel;
	c->shown.config_ghz = colour_ghz;
	/* Offset to the far laser; half of it is this one's. */
	c->shown.laser_mhz = colour_ghz * 1000 +
		c->shown.value[COHERENT_CFO_MHZ].now / 2;
	c->shown.config_dbm = TX_AIM_DBM;
	memcpy(c->shown.bias_percent, c->bias_percent, sizeof(c->bias_percent));
	memset(&c->open, 0, sizeof(c->open));
	c->parts = 0;
}
