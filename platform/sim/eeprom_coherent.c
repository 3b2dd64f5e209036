/* What a coherent module has beyond CMIS: the laser's pages 04h and 12h (CMIS
 * tables 8-44, 8-99), its own observables in VDM (128 to 146), and the
 * statistics of pages 34h and 35h (C-CMIS 1.1, tables 5 and 6).
 */
#include "platform/sim/eeprom_page.h"

#include <math.h>

#define GRID_75_GHZ 0x70u		/* grid of the channels */
#define GRIDS_WITH_75 0x80u
#define CHANNEL_LOWEST (-72)
#define CHANNEL_HIGHEST 120
#define POWER_LEAST_DBM (-16.0)
#define POWER_MOST_DBM (-6.0)
#define BIAS_FIRST 128			/* VDM type of X I */
#define BIAS_TYPES PLANT_MODULATOR_BIASES
#define SLOT_FIRST 8u			/* after those of all modules */
#define SET_FIRST 3u
#define SET_LEN 8u
#define U16_MOST 65535.0

static unsigned in_steps(double value, double step, bool is_signed)
{
	return (unsigned)(long)register_steps(value, step, is_signed) & 0xffff;
}

static void put_u32(uint8_t *page, unsigned at, uint32_t value)
{
	put_u16(page, at, value >> 16);
	put_u16(page, at + 2, value & 0xffff);
}

static void put_u64(uint8_t *page, unsigned at, uint64_t value)
{
	put_u32(page, at, (uint32_t)(value >> 32));
	put_u32(page, at + 4, (uint32_t)value);
}

/* --- laser ---------------------------------------------------------------- */

static void abilities_write(uint8_t *page)
{
	put_u8(page, 128, GRIDS_WITH_75);
	put_u16(page, 158, in_steps(CHANNEL_LOWEST, 1, true));
	put_u16(page, 160, in_steps(CHANNEL_HIGHEST, 1, true));
	put_u8(page, 196, 0x80);	/* its power is programmable */
	put_u16(page, 198, in_steps(POWER_LEAST_DBM, 0.01, true));
	put_u16(page, 200, in_steps(POWER_MOST_DBM, 0.01, true));
	put_sum(page, 255, 128, 254);
}

static void laser_write(uint8_t *page, const struct plant_coherent *c)
{
	put_u8(page, 128, GRID_75_GHZ);
	put_u16(page, 136, in_steps(c->channel, 1, true));
	put_u32(page, 168, (uint32_t)lround(c->laser_mhz));
	put_u16(page, 200, in_steps(c->config_dbm, 0.01, true));
}

/* --- statistics ----------------------------------------------------------- */

static void counts_write(uint8_t *page, const struct plant_coherent *c)
{
	put_u64(page, 128, c->bits);
	put_u64(page, 136, c->part_bits);
	put_u64(page, 144, c->corrected);
	put_u64(page, 152, c->corrected_min);
	put_u64(page, 160, c->corrected_max);
	put_u32(page, 168, (uint32_t)c->frames);
	put_u32(page, 172, (uint32_t)c->part_frames);
	put_u32(page, 176, (uint32_t)c->lost_frames);
	put_u32(page, 180, (uint32_t)c->lost_min);
	put_u32(page, 184, (uint32_t)c->lost_max);
}

/* Average, minimum and maximum in consecutive registers. */
static const struct {
	uint8_t at, value;
	bool is_signed;
	double step;
} books[] = {
	{ 140, COHERENT_DGD_PS, false, 0.01 },
	{ 146, COHERENT_SOPMD_PS2, false, 0.01 },
	{ 152, COHERENT_PDL_DB, false, 0.1 },
	{ 158, COHERENT_OSNR_DB, false, 0.1 },
	{ 164, COHERENT_ESNR_DB, false, 0.1 },
	{ 170, COHERENT_CFO_MHZ, true, 1 },
	{ 176, COHERENT_EVM_PERCENT, false, 100.0 / U16_MOST },
	{ 182, COHERENT_TX_DBM, true, 0.01 },
	{ 188, COHERENT_RX_DBM, true, 0.01 },
	{ 194, COHERENT_SIGNAL_DBM, true, 0.01 },
	{ 200, COHERENT_SOP_KRAD_S, false, 1 },
	{ 206, COHERENT_MER_DB, false, 0.1 },
};

static void books_write(uint8_t *page, const struct plant_coherent *c)
{
	const struct plant_stretch *cd = &c->value[COHERENT_CD_PS_PER_NM];

	put_u32(page, 128, (uint32_t)lround(cd->avg));
	put_u32(page, 132, (uint32_t)lround(cd->min));
	put_u32(page, 136, (uint32_t)lround(cd->max));
	for (size_t i = 0; i < sizeof(books) / sizeof(books[0]); i++) {
		const struct plant_stretch *s = &c->value[books[i].value];
		double step = books[i].step;
		bool is_signed = books[i].is_signed;

		put_u16(page, books[i].at, in_steps(s->avg, step, is_signed));
		put_u16(page, books[i].at + 2,
			in_steps(s->min, step, is_signed));
		put_u16(page, books[i].at + 4,
			in_steps(s->max, step, is_signed));
	}
}

/* --- VDM ------------------------------------------------------------------ */

static const struct {
	uint8_t type, value, set;	/* set: of its thresholds */
	bool is_signed;
	double step;
} observables[] = {
	{ 134, COHERENT_CD_PS_PER_NM, 0, true, 1 },
	{ 135, COHERENT_CD_PS_PER_NM, 1, true, 20 },
	{ 136, COHERENT_DGD_PS, 2, false, 0.01 },
	{ 137, COHERENT_SOPMD_PS2, 3, false, 0.01 },
	{ 138, COHERENT_PDL_DB, 4, false, 0.1 },
	{ 139, COHERENT_OSNR_DB, 5, false, 0.1 },
	{ 140, COHERENT_ESNR_DB, 6, false, 0.1 },
	{ 141, COHERENT_CFO_MHZ, 7, true, 1 },
	{ 142, COHERENT_EVM_PERCENT, 8, false, 100.0 / U16_MOST },
	{ 143, COHERENT_TX_DBM, 9, true, 0.01 },
	{ 144, COHERENT_RX_DBM, 10, true, 0.01 },
	{ 145, COHERENT_SIGNAL_DBM, 10, true, 0.01 },
	{ 146, COHERENT_SOP_KRAD_S, 11, false, 1 },
};

#define SET_BIAS 12u
#define OBSERVABLES (sizeof(observables) / sizeof(observables[0]))

/* Thresholds of a modulator's bias, by edge. */
static const double bias_edges[PLANT_EDGE_COUNT] = { 95, 5, 90, 10 };

static unsigned set_at(unsigned set)
{
	return 128 + SET_LEN * (SET_FIRST + set);
}

static void slot_write(const struct eeprom_vdm *v, unsigned slot,
		       unsigned type, unsigned set, unsigned raw)
{
	put_u8(v->descriptor, 128 + 2 * slot, (SET_FIRST + set) << 4);
	put_u8(v->descriptor, 129 + 2 * slot, type);
	put_u16(v->sample, 128 + 2 * slot, raw);
}

void eeprom_write_coherent_vdm(const struct plant_coherent *c,
			       const struct eeprom_vdm *v)
{
	const double share = 100.0 / U16_MOST;
	unsigned slot = SLOT_FIRST;

	for (unsigned i = 0; i < BIAS_TYPES; i++)
		slot_write(v, slot++, BIAS_FIRST + i, SET_BIAS,
			   in_steps(c->bias_percent[i], share, false));
	for (unsigned e = 0; e < PLANT_EDGE_COUNT; e++)
		put_u16(v->limits, set_at(SET_BIAS) + 2 * e,
			in_steps(bias_edges[e], share, false));
	for (size_t i = 0; i < OBSERVABLES; i++) {
		const double *edge = plant_coherent_edges(
			(enum plant_coherent_value)observables[i].value);
		double step = observables[i].step;
		bool is_signed = observables[i].is_signed;

		slot_write(v, slot++, observables[i].type, observables[i].set,
			   in_steps(c->value[observables[i].value].now, step,
				    is_signed));
		for (unsigned e = 0; e < PLANT_EDGE_COUNT; e++)
			put_u16(v->limits, set_at(observables[i].set) + 2 * e,
				in_steps(edge[e], step, is_signed));
	}
}

void eeprom_write_coherent(const struct plant_coherent *c, struct eeprom *ret)
{
	abilities_write(eeprom_page_add(ret, 0, 0x04));
	laser_write(eeprom_page_add(ret, 0, 0x12), c);
	counts_write(eeprom_page_add(ret, 0, 0x34), c);
	books_write(eeprom_page_add(ret, 0, 0x35), c);
}
