/* A CMIS 5.2 module of up to eight lanes, QSFP-DD, with VDM. Tables of OIF-CMIS
 * 05.2: lower memory 8-4 to 8-19, page 00h 8-23, 01h 8-36, 02h 8-47, 10h 8-54,
 * 11h 8-75, VDM 8-147 on.
 */
#include "platform/sim/eeprom_page.h"

#include <math.h>
#include <string.h>

#define ID_QSFP_DD 0x18
#define REVISION 0x52
#define FLAT_MEMORY 0x80
#define STATE_READY (3u << 1 | 1u)	/* no interrupt */
#define DATA_PATH_DEACTIVATED 1u
#define DATA_PATH_ACTIVATED 4u
#define CONFIG_SUCCESS 1u
#define APPLICATION 1u			/* the first that is advertised */
#define MEDIA_MMF 1
#define MEDIA_SMF 2
#define MEDIA_PASSIVE 3
#define MEDIA_ACTIVE 4
#define TECH_VCSEL 0x00			/* 850 nm */
#define TECH_EML 0x06			/* 1310 nm */
#define TECH_COPPER 0x0a		/* unequalized */
#define TECH_TUNABLE 0x10		/* C-band */
#define TECH_RETIMED 0x10		/* copper, near and far end */
#define LANE_BITS 8u
#define VDM_BER 15			/* pre-FEC BER, media input, current */
#define VDM_SNR 5			/* eSNR, media input */
#define VDM_LASER_TEMP 4
#define VDM_BER_MIN 9			/* of media input, as VDM_BER */
#define VDM_BER_MAX 11
#define VDM_BER_AVG 13
#define VDM_SLOT_STATISTICS 2u
#define VDM_SET_BER 0u
#define VDM_SET_SNR 1u
#define VDM_SET_LASER 2u
#define LASER_ABOVE_K 5			/* above its limits */

/* Interface ids of SFF-8024 tables 4-5 to 4-7, by lanes and rate of a lane. */
static unsigned host_id(double lane_bps, unsigned lanes)
{
	bool fast = lane_bps > 60e9;

	switch (lanes) {
	case 8:
		return fast ? 0x51 : 0x11;
	case 4:
		return fast ? 0x4f : 0x0f;
	case 2:
		return fast ? 0x4d : 0x0d;
	default:
		return fast ? 0x4b : 0x0a;
	}
}

static unsigned media_id(const char *media)
{
	static const struct {
		char name[8];
		uint8_t id;
	} rows[] = {
		{ "DR1", 0x14 }, { "FR1", 0x15 }, { "DR4", 0x1c },
		{ "FR4", 0x1d }, { "LR4", 0x43 }, { "LR8", 0x1b },
		{ "ZR", 0x3e }, { "DR8", 0x56 }, { "SR4", 0x11 },
		{ "SR8", 0x10 }, { "AOC", 0x01 }, { "AEC", 0x03 },
		{ "DAC", 0x01 }, { "CR4", 0x01 }, { "CR8", 0x01 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].name, media) == 0)
			return rows[i].id;
	return 0;
}

static bool is_multimode(const struct plant_port_facts *f)
{
	return strncmp(f->media, "SR", 2) == 0 || strcmp(f->media, "AOC") == 0;
}

static unsigned media_type(const struct plant_port_facts *f)
{
	if (!f->monitored)
		return MEDIA_PASSIVE;
	if (!f->optical || strcmp(f->media, "AOC") == 0)
		return MEDIA_ACTIVE;
	return is_multimode(f) ? MEDIA_MMF : MEDIA_SMF;
}

static void applications_write(uint8_t *lower, const struct eeprom_module *m)
{
	const struct plant_port_facts *f = m->facts[0];
	unsigned assign = 0, lane = 0;

	for (unsigned i = 0; i < m->ports; i++) {
		assign |= 1u << lane;
		lane += m->facts[i]->lanes;
	}
	put_u8(lower, 85, media_type(f));
	put_u8(lower, 86, host_id((double)f->speed_bps / f->lanes, f->lanes));
	put_u8(lower, 87, media_id(f->media));
	put_u8(lower, 88, f->lanes << 4 | f->media_lanes);
	put_u8(lower, 89, assign);
	for (unsigned i = 1; i < 8; i++)
		put_u8(lower, 86 + 4 * i, 0xff);	/* end of the list */
}

static void lower_write(uint8_t *lower, const struct eeprom_module *m)
{
	const struct plant_port_facts *f = m->facts[0];
	const struct plant_port *p = m->state[0];
	const struct plant_limits *l = &f->limits;

	put_u8(lower, 0, ID_QSFP_DD);
	put_u8(lower, 1, REVISION);
	put_u8(lower, 2, f->monitored ? 0 : FLAT_MEMORY);
	put_u8(lower, 3, STATE_READY);
	put_u8(lower, 39, 1);		/* firmware 1.4 */
	put_u8(lower, 40, 4);
	applications_write(lower, m);
	if (!f->monitored)
		return;
	/* Bits 0 to 3: high alarm first; ours have it last. */
	for (unsigned i = 0; i < 4; i++) {
		unsigned temp = edge_bits(p->temp_c, l->temp_c);
		unsigned vcc = edge_bits(p->vcc_v, l->vcc_v);

		lower[9] |= (uint8_t)((temp >> (3 - i) & 1) << i |
				      (vcc >> (3 - i) & 1) << (4 + i));
	}
	put_u16(lower, 14, register_temp(p->temp_c));
	put_u16(lower, 16, register_vcc(p->vcc_v));
	if (f->optical)
		put_u16(lower, 20, register_temp(p->laser_temp_c));
}

static unsigned technology(const struct plant_port_facts *f)
{
	if (f->coherent)
		return TECH_TUNABLE;
	if (f->optical)
		return is_multimode(f) ? TECH_VCSEL : TECH_EML;
	return f->monitored ? TECH_RETIMED : TECH_COPPER;
}

static void identity_write(uint8_t *page, const struct eeprom_module *m)
{
	const struct plant_port_facts *f = m->facts[0];
	bool copper = !f->optical;
	/* Classes 1, 6 and 8, and their power in steps of 0.25 W. */
	unsigned class = copper ? 0x00 : f->coherent ? 0xe0 : 0xa0;
	unsigned power = copper ? 6 : f->coherent ? 80 : 48;

	put_u8(page, 128, ID_QSFP_DD);
	put_text(page, 129, f->vendor, 16);
	put_text(page, 148, f->part, 16);
	put_text(page, 164, "A1", 2);
	put_text(page, 166, m->state[0]->serial, 16);
	put_text(page, 182, "260105", 8);
	put_u8(page, 200, class);
	put_u8(page, 201, power);
	put_u8(page, 202, copper ? 0x42 : 0);		/* 2 x 1 m */
	/* No connector, LC, MPO. */
	put_u8(page, 203, copper ? 0x23 : f->coherent ? 0x07 : 0x0c);
	put_u8(page, 210, 0xffu << module_lanes(m) & 0xff);
	put_u8(page, 212, technology(f));
	put_sum(page, 222, 128, 221);
}

static void advertisement_write(uint8_t *page, const struct plant_port_facts *f)
{
	put_u8(page, 128, 1);		/* inactive firmware 1.3 */
	put_u8(page, 129, 3);
	put_u8(page, 130, 1);		/* hardware 1.0 */
	if (f->coherent) {
		put_u16(page, 138, 1550 * 20);		/* 0.05 nm */
		put_u16(page, 140, 4000);		/* 0.005 nm */
	} else if (f->optical && !is_multimode(f)) {
		put_u16(page, 138, 1310 * 20);		/* 0.05 nm */
		put_u16(page, 140, 1300);		/* 0.005 nm */
	} else if (f->optical) {
		put_u16(page, 138, 850 * 20);
		put_u16(page, 140, 2000);
	}
	put_u8(page, 142, f->optical ? 0x40 : 0);	/* VDM; one bank */
	/* Tx disable, a tunable laser. */
	put_u8(page, 155, f->coherent ? 0x42 : 0x02);
	put_u8(page, 157, f->optical ? 0x01 : 0);	/* Tx fault */
	put_u8(page, 158, 0x02);			/* Rx LOS */
	put_u8(page, 159, f->optical ? 0x0b : 0x03);	/* T, Vcc, aux 2 */
	put_u8(page, 160, f->optical ? 0x07 : 0);	/* bias, Tx, Rx */
	put_sum(page, 255, 130, 254);
}

static void limits_write(uint8_t *page, const struct plant_port_facts *f)
{
	double laser_c[PLANT_EDGE_COUNT];
	const struct plant_limits *l = &f->limits;

	for (unsigned i = 0; i < PLANT_EDGE_COUNT; i++)
		laser_c[i] = l->temp_c[i] + LASER_ABOVE_K;
	put_edges(page, 128, l->temp_c, register_temp);
	put_edges(page, 136, l->vcc_v, register_vcc);
	if (f->optical) {
		put_edges(page, 152, laser_c, register_temp);
		put_edges(page, 176, l->tx_dbm, register_light_dbm);
		put_edges(page, 184, l->bias_ma, register_bias);
		put_edges(page, 192, l->rx_dbm, register_light_dbm);
	}
	put_sum(page, 255, 128, 254);
}

/* Four octets, high alarm first, a bit per lane. */
static void lane_edges(uint8_t *page, unsigned at, unsigned lane, unsigned bits)
{
	for (unsigned i = 0; i < 4; i++)
		page[(at + i) % EEPROM_PAGE_LEN] |=
			(uint8_t)((bits >> (3 - i) & 1) << lane);
}

static void lane_write(uint8_t *page, unsigned lane,
		       const struct plant_lane *l, const struct plant_limits *s)
{
	page[135 % EEPROM_PAGE_LEN] |= (uint8_t)(l->tx_fault << lane);
	page[147 % EEPROM_PAGE_LEN] |= (uint8_t)(l->rx_los << lane);
	lane_edges(page, 139, lane, edge_bits(dbm_of(l->tx_mw), s->tx_dbm));
	lane_edges(page, 143, lane, edge_bits(l->bias_ma, s->bias_ma));
	lane_edges(page, 149, lane, edge_bits(dbm_of(l->rx_mw), s->rx_dbm));
	put_u16(page, 154 + 2 * lane, register_light(l->tx_mw));
	put_u16(page, 170 + 2 * lane, register_bias(l->bias_ma));
	put_u16(page, 186 + 2 * lane, register_light(l->rx_mw));
}

/* The port that a lane of the module belongs to, and its first lane. */
static const struct plant_port *port_of(const struct eeprom_module *m,
					unsigned lane, unsigned *ret_first)
{
	unsigned first = 0, i = 0;

	while (i + 1 < m->ports && lane >= first + m->facts[i]->lanes)
		first += m->facts[i++]->lanes;
	*ret_first = first;
	return m->state[i];
}

/* l: the optical lane that carries an electrical lane. */
static void host_lane_write(uint8_t *page, unsigned lane, bool up,
			    const struct plant_lane *l)
{
	unsigned half = lane % 2 * 4;

	page[lane / 2] |= (uint8_t)((up ? DATA_PATH_ACTIVATED :
				     DATA_PATH_DEACTIVATED) << half);
	page[132 % EEPROM_PAGE_LEN] |= (uint8_t)((up && !l->rx_los) << lane);
	page[202 % EEPROM_PAGE_LEN + lane / 2] |=
		(uint8_t)(CONFIG_SUCCESS << half);
}

static void lanes_write(uint8_t *page, const struct eeprom_module *m)
{
	unsigned lanes = module_host_lanes(m), first;

	for (unsigned lane = 0; lane < lanes && lane < LANE_BITS; lane++) {
		const struct plant_port *p = port_of(m, lane, &first);
		const struct plant_lane *l = module_lane(m, lane);

		host_lane_write(page, lane, p->admin_up,
				l ? l : module_lane(m, 0));
		put_u8(page, 206 + lane, APPLICATION << 4 | first << 1);
		if (!l)		/* one optical lane for all of these */
			continue;
		page[133 % EEPROM_PAGE_LEN] |=
			(uint8_t)((p->admin_up && !l->tx_fault) << lane);
		if (m->facts[0]->optical)
			lane_write(page, lane, l, &m->facts[0]->limits);
	}
}

static void controls_write(uint8_t *page, const struct eeprom_module *m)
{
	unsigned lanes = module_host_lanes(m), first;

	for (unsigned lane = 0; lane < lanes && lane < LANE_BITS; lane++) {
		bool down = !port_of(m, lane, &first)->admin_up;

		page[128 % EEPROM_PAGE_LEN] |= (uint8_t)(down << lane);
		if (lane < module_lanes(m))
			page[130 % EEPROM_PAGE_LEN] |= (uint8_t)(down << lane);
		put_u8(page, 145 + lane, APPLICATION << 4 | first << 1);
	}
}

/* A descriptor defines its sample: two for each lane, and the laser's
 * temperature of the module, in the place of the first lane.
 */
static void vdm_write(const struct eeprom_vdm *v, const struct eeprom_module *m)
{
	uint8_t *descriptor = v->descriptor, *sample = v->sample;
	unsigned lanes = module_lanes(m);

	for (unsigned lane = 0; lane < lanes && lane < LANE_BITS; lane++) {
		const struct plant_lane *l = module_lane(m, lane);
		unsigned at = 128 + 4 * lane;

		put_u8(descriptor, at, VDM_SET_BER << 4 | lane);
		put_u8(descriptor, at + 1, VDM_BER);
		put_u16(sample, at, register_f16(l->pre_fec_ber));
		put_u8(descriptor, at + 2, VDM_SET_SNR << 4 | lane);
		put_u8(descriptor, at + 3, VDM_SNR);
		put_u16(sample, at + 2, (unsigned)lround(fmax(l->snr_db, 0) *
							 256));
	}
	put_u8(descriptor, 254, VDM_SET_LASER << 4);
	put_u8(descriptor, 255, VDM_LASER_TEMP);
	put_u16(sample, 254, register_temp(m->state[0]->laser_temp_c));
}

static void vdm_limits_write(uint8_t *page, bool coherent)
{
	static const double ber[] = { 2.4e-4, 0, 1.0e-4, 0 };
	static const double snr_db[] = { 40, 13, 38, 15 };
	static const double laser_c[] = { 85, -5, 80, 0 };
	const double *b = coherent ? plant_coherent_edges(COHERENT_BER) : ber;
	const double *s = coherent ? plant_coherent_edges(COHERENT_ESNR_DB) :
				     snr_db;

	for (unsigned i = 0; i < 4; i++) {
		put_u16(page, 128 + 8 * VDM_SET_BER + 2 * i,
			register_f16(b[i]));
		put_u16(page, 128 + 8 * VDM_SET_SNR + 2 * i,
			(unsigned)lround(s[i] * 256));
	}
	put_edges(page, 128 + 8 * VDM_SET_LASER, laser_c, register_temp);
}

/* Interval statistics of a coherent module; the others have none. */
static void vdm_statistics_write(const struct eeprom_vdm *v,
				 const struct plant_coherent *c)
{
	const struct plant_stretch *ber = &c->value[COHERENT_BER];
	const struct { unsigned type; double value; } rows[] = {
		{ VDM_BER_MIN, ber->min }, { VDM_BER_MAX, ber->max },
		{ VDM_BER_AVG, ber->avg },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned at = 128 + 2 * (VDM_SLOT_STATISTICS + i);

		put_u8(v->descriptor, at, VDM_SET_BER << 4);
		put_u8(v->descriptor, at + 1, rows[i].type);
		put_u16(v->sample, at, register_f16(rows[i].value));
	}
}

static void vdm_pages_write(const struct eeprom_module *m, struct eeprom *ret)
{
	struct eeprom_vdm v = {
		.descriptor = eeprom_page_add(ret, 0, 0x20),
		.sample = eeprom_page_add(ret, 0, 0x24),
		.limits = eeprom_page_add(ret, 0, 0x28),
	};

	vdm_write(&v, m);
	vdm_limits_write(v.limits, m->facts[0]->coherent);
	if (m->coherent) {
		vdm_statistics_write(&v, m->coherent);
		eeprom_write_coherent_vdm(m->coherent, &v);
	}
	(void)eeprom_page_add(ret, 0, 0x2c);	/* no flags */
	(void)eeprom_page_add(ret, 0, 0x2f);	/* one group */
}

/* A bus that hangs reads as all ones. */
static void garbage(struct eeprom *e)
{
	for (unsigned i = 0; i < e->count; i++) {
		struct eeprom_page *p = &e->page[i];

		if (p->page == EEPROM_LOWER)
			memset(&p->octets[3], 0xff, 82);
		else if (p->page >= 0x10 && p->page != 0x20 &&
			 p->page != 0x28 && p->page != 0x2f)
			memset(p->octets, 0xff, sizeof(p->octets));
	}
}

void eeprom_write_cmis(const struct eeprom_module *m, struct eeprom *ret)
{
	const struct plant_port_facts *f = m->facts[0];

	lower_write(eeprom_page_add(ret, 0, EEPROM_LOWER), m);
	identity_write(eeprom_page_add(ret, 0, 0x00), m);
	if (!f->monitored)
		return;		/* copper: flat memory */
	advertisement_write(eeprom_page_add(ret, 0, 0x01), f);
	limits_write(eeprom_page_add(ret, 0, 0x02), f);
	controls_write(eeprom_page_add(ret, 0, 0x10), m);
	lanes_write(eeprom_page_add(ret, 0, 0x11), m);
	if (f->optical)
		vdm_pages_write(m, ret);
	if (m->coherent)
		eeprom_write_coherent(m->coherent, ret);
	if (!m->state[0]->dom_readable)
		garbage(ret);
}
