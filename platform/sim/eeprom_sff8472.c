/* An SFP to SFP28 module. SFF-8472 revision 12.4: A0h table 4-1, A2h tables 9-5
 * to 9-12; internally calibrated.
 */
#include "platform/sim/eeprom_page.h"

#include <string.h>

#define A2 1u			/* bank of the second device */
#define ID_SFP 0x03
#define CONNECTOR_LC 0x07
#define CONNECTOR_COPPER 0x21
#define CABLE_PASSIVE 0x04
#define CABLE_ACTIVE 0x08
#define DIAGNOSTICS 0x68	/* there, internal calibration, average power */
#define SLOPE_ONE 0x0100
#define FLOAT_ONE_HIGH 0x3f80	/* of an IEEE 754 single 1.0 */
#define STATUS_TX_DISABLED 0x80
#define STATUS_TX_FAULT 0x04
#define STATUS_RX_LOS 0x02

static void base_write(uint8_t *a0, const struct eeprom_module *m)
{
	const struct plant_port_facts *f = m->facts[0];

	put_u8(a0, 0, ID_SFP);
	put_u8(a0, 1, 0x04);
	put_u8(a0, 2, f->optical ? CONNECTOR_LC : CONNECTOR_COPPER);
	put_u8(a0, 8, f->optical ? 0 :
	       f->monitored ? CABLE_ACTIVE : CABLE_PASSIVE);
	put_u8(a0, 11, 0x06);			/* 64B/66B */
	put_u8(a0, 12, 0xff);			/* more than 25.4 Gb/s */
	put_u8(a0, 14, f->optical ? 10 : 0);	/* km */
	put_u8(a0, 18, f->optical ? 0 : 2);	/* m of copper */
	put_text(a0, 20, f->vendor, 16);
	put_text(a0, 40, f->part, 16);
	put_text(a0, 56, "A1", 4);
	put_u16(a0, 60, !f->optical ? 0 :
		strncmp(f->media, "SR", 2) == 0 ? 850 : 1310);
	put_sum(a0, 63, 0, 62);
	put_u8(a0, 65, 0x1a);			/* disable, fault, LOS */
	put_u8(a0, 66, (unsigned)(f->speed_bps / 250000000u));
	put_text(a0, 68, m->state[0]->serial, 16);
	put_text(a0, 84, "260105", 8);
	put_u8(a0, 92, f->monitored ? DIAGNOSTICS : 0);
	put_u8(a0, 93, f->monitored ? 0xf0 : 0);	/* has flags */
	put_u8(a0, 94, 0x08);
	put_sum(a0, 95, 64, 94);
}

static void limits_write(uint8_t *a2, const struct plant_port_facts *f)
{
	const struct plant_limits *l = &f->limits;

	put_edges(a2, 0, l->temp_c, register_temp);
	put_edges(a2, 8, l->vcc_v, register_vcc);
	if (f->optical) {
		put_edges(a2, 16, l->bias_ma, register_bias);
		put_edges(a2, 24, l->tx_dbm, register_light_dbm);
		put_edges(a2, 32, l->rx_dbm, register_light_dbm);
	}
	put_u16(a2, 68, FLOAT_ONE_HIGH);	/* Rx_PWR(1) */
	for (unsigned at = 76; at < 92; at += 4)
		put_u16(a2, at, SLOPE_ONE);
	put_sum(a2, 95, 0, 94);
}

/* Alarms in two octets, warnings four further; high before low: temperature,
 * supply, bias, Tx, then Rx in the second.
 */
static void flags_write(uint8_t *a2, const struct plant_port *p,
			const struct plant_limits *l)
{
	const struct plant_lane *lane = &p->lane[0];
	const unsigned bits[] = {
		edge_bits(p->temp_c, l->temp_c), edge_bits(p->vcc_v, l->vcc_v),
		edge_bits(lane->bias_ma, l->bias_ma),
		edge_bits(dbm_of(lane->tx_mw), l->tx_dbm),
		edge_bits(dbm_of(lane->rx_mw), l->rx_dbm),
	};

	for (unsigned i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		unsigned shift = 6 - 2 * (i % 4);

		a2[112 + i / 4] |= (uint8_t)((bits[i] >> 2) << shift);
		a2[116 + i / 4] |= (uint8_t)((bits[i] & 3) << shift);
	}
}

static void monitors_write(uint8_t *a2, const struct eeprom_module *m)
{
	const struct plant_port *p = m->state[0];
	const struct plant_lane *l = &p->lane[0];

	put_u16(a2, 96, register_temp(p->temp_c));
	put_u16(a2, 98, register_vcc(p->vcc_v));
	put_u8(a2, 110, p->admin_up ? 0 : STATUS_TX_DISABLED);
	if (!m->facts[0]->optical)
		return;
	put_u16(a2, 100, register_bias(l->bias_ma));
	put_u16(a2, 102, register_light(l->tx_mw));
	put_u16(a2, 104, register_light(l->rx_mw));
	a2[110] |= (uint8_t)((l->tx_fault ? STATUS_TX_FAULT : 0) |
			     (l->rx_los ? STATUS_RX_LOS : 0));
	flags_write(a2, p, &m->facts[0]->limits);
}

void eeprom_write_sff8472(const struct eeprom_module *m, struct eeprom *ret)
{
	uint8_t *a2;

	base_write(eeprom_page_add(ret, 0, EEPROM_LOWER), m);
	(void)eeprom_page_add(ret, 0, 0x00);	/* vendor-specific */
	if (!m->facts[0]->monitored)
		return;		/* copper: no second device */
	a2 = eeprom_page_add(ret, A2, EEPROM_LOWER);
	limits_write(a2, m->facts[0]);
	monitors_write(a2, m);
	(void)eeprom_page_add(ret, A2, 0x00);	/* for the user */
	if (!m->state[0]->dom_readable)	/* a bus that hangs reads as ones */
		memset(&a2[96], 0xff, 24);
}
