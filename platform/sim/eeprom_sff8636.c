/* A QSFP28 or QSFP+ module. SFF-8636 revision 2.10a: lower memory table 6-1 on,
 * page 00h table 6-14, page 03h table 6-28.
 */
#include "platform/sim/eeprom_page.h"

#include <string.h>

#define ID_QSFP28 0x11
#define REVISION 0x08
#define FLAT_MEMORY 0x04
#define NO_INTERRUPT 0x02
#define LANES 4u
#define TECH_VCSEL 0x00
#define TECH_1310_DFB 0x40
#define TECH_COPPER 0xa0
#define TECH_COPPER_ACTIVE 0xe0
#define CODE_AOC 0x01		/* SFF-8024 table 4-4 */
#define CODE_SR4 0x02
#define CODE_LR4 0x03
#define CODE_CWDM4 0x06
#define CODE_CR4 0x0b

static unsigned extended_code(const struct plant_port_facts *f)
{
	static const struct {
		char name[8];
		uint8_t code;
	} rows[] = {
		{ "AOC", CODE_AOC }, { "SR4", CODE_SR4 }, { "LR4", CODE_LR4 },
		{ "FR4", CODE_CWDM4 }, { "CR4", CODE_CR4 }, { "DAC", CODE_CR4 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].name, f->media) == 0)
			return rows[i].code;
	return 0;
}

static unsigned technology(const struct plant_port_facts *f)
{
	if (!f->optical)
		return f->monitored ? TECH_COPPER_ACTIVE : TECH_COPPER;
	return strncmp(f->media, "SR", 2) == 0 ? TECH_VCSEL : TECH_1310_DFB;
}

/* Lanes 1 and 3 are in the high half of their octet. */
static void lane_bits(uint8_t *lower, unsigned at, unsigned lane, unsigned bits)
{
	lower[at + lane / 2] |= (uint8_t)(bits << (lane % 2 ? 0 : 4));
}

static void lane_write(uint8_t *lower, unsigned lane,
		       const struct plant_lane *l, const struct plant_limits *s)
{
	lower[3] |= (uint8_t)(l->rx_los << lane);
	lower[4] |= (uint8_t)(l->tx_fault << lane);
	lane_bits(lower, 9, lane, edge_bits(dbm_of(l->rx_mw), s->rx_dbm));
	lane_bits(lower, 11, lane, edge_bits(l->bias_ma, s->bias_ma));
	lane_bits(lower, 13, lane, edge_bits(dbm_of(l->tx_mw), s->tx_dbm));
	put_u16(lower, 34 + 2 * lane, register_light(l->rx_mw));
	put_u16(lower, 42 + 2 * lane, register_bias(l->bias_ma));
	put_u16(lower, 50 + 2 * lane, register_light(l->tx_mw));
}

static void lower_write(uint8_t *lower, const struct eeprom_module *m)
{
	const struct plant_port_facts *f = m->facts[0];
	const struct plant_port *p = m->state[0];
	const struct plant_limits *l = &f->limits;

	put_u8(lower, 0, ID_QSFP28);
	put_u8(lower, 1, REVISION);
	put_u8(lower, 2, NO_INTERRUPT | (f->monitored ? 0 : FLAT_MEMORY));
	if (!f->monitored)
		return;
	put_u8(lower, 6, edge_bits(p->temp_c, l->temp_c) << 4);
	put_u8(lower, 7, edge_bits(p->vcc_v, l->vcc_v) << 4);
	put_u16(lower, 22, register_temp(p->temp_c));
	put_u16(lower, 26, register_vcc(p->vcc_v));
	for (unsigned i = 0; f->optical && i < LANES && module_lane(m, i); i++)
		lane_write(lower, i, module_lane(m, i), l);
	put_u8(lower, 86, p->admin_up ? 0 : 0x0f);
	put_u8(lower, 98, f->optical ? 0xff : 0);	/* all CDRs are on */
}

static void identity_write(uint8_t *page, const struct eeprom_module *m)
{
	const struct plant_port_facts *f = m->facts[0];

	put_u8(page, 128, ID_QSFP28);
	put_u8(page, 129, f->optical ? 0xcc : 0);	/* 3.5 W, CDRs */
	put_u8(page, 130, f->optical ? 0x0c : 0x23);
	put_u8(page, 131, 0x80);		/* see the extended code */
	put_u8(page, 139, 0x05);		/* 64B/66B */
	put_u8(page, 140, 0xff);		/* more than 25.4 Gb/s */
	put_u8(page, 146, f->optical ? 0 : 2);	/* metres */
	put_u8(page, 147, technology(f));
	put_text(page, 148, f->vendor, 16);
	put_text(page, 168, f->part, 16);
	put_text(page, 184, "A1", 2);
	put_u16(page, 186, !f->optical ? 0 :
		technology(f) == TECH_VCSEL ? 850 * 20 : 1310 * 20);
	put_u8(page, 190, 70);
	put_sum(page, 191, 128, 190);
	put_u8(page, 192, extended_code(f));
	put_u8(page, 195, 0x10);		/* Tx disable */
	put_text(page, 196, m->state[0]->serial, 16);
	put_text(page, 212, "260105", 8);
	put_u8(page, 220, f->optical ? 0x3c : f->monitored ? 0x30 : 0);
	put_u8(page, 222, (unsigned)(f->speed_bps / f->lanes / 250000000u));
	put_sum(page, 223, 192, 222);
}

static void limits_write(uint8_t *page, const struct plant_port_facts *f)
{
	const struct plant_limits *l = &f->limits;

	put_edges(page, 128, l->temp_c, register_temp);
	put_edges(page, 144, l->vcc_v, register_vcc);
	if (!f->optical)
		return;
	put_edges(page, 176, l->rx_dbm, register_light_dbm);
	put_edges(page, 184, l->bias_ma, register_bias);
	put_edges(page, 192, l->tx_dbm, register_light_dbm);
}

void eeprom_write_sff8636(const struct eeprom_module *m, struct eeprom *ret)
{
	uint8_t *lower = eeprom_page_add(ret, 0, EEPROM_LOWER);

	lower_write(lower, m);
	identity_write(eeprom_page_add(ret, 0, 0x00), m);
	if (!m->facts[0]->monitored)
		return;		/* copper: flat memory */
	limits_write(eeprom_page_add(ret, 0, 0x03), m->facts[0]);
	if (!m->state[0]->dom_readable)	/* a bus that hangs reads as ones */
		memset(&lower[3], 0xff, 79);
}
