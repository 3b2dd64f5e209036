#include "platform/sim/eeprom.h"

#include <math.h>
#include <string.h>
#include "platform/sim/eeprom_page.h"

#define NRZ_LANE_MAX_BPS 30e9	/* QSFP28 and below: four lanes of 25G */
#define SFP_LANE_MAX_BPS 60e9	/* SFP56 */
#define ALL_ONES 65535
#define FILE_A2 256u		/* of an SFP: where its second device begins */

uint8_t *eeprom_page_add(struct eeprom *e, unsigned bank, unsigned page)
{
	struct eeprom_page *p = &e->page[e->count++];

	memset(p, 0, sizeof(*p));
	p->bank = (uint8_t)bank;
	p->page = (uint16_t)page;
	return p->octets;
}

void put_u8(uint8_t *page, unsigned at, unsigned value)
{
	page[at % EEPROM_PAGE_LEN] = (uint8_t)value;
}

void put_u16(uint8_t *page, unsigned at, unsigned value)
{
	put_u8(page, at, value >> 8);
	put_u8(page, at + 1, value & 0xff);
}

void put_text(uint8_t *page, unsigned at, const char *text, size_t len)
{
	size_t n = strlen(text);

	memset(&page[at % EEPROM_PAGE_LEN], ' ', len);
	memcpy(&page[at % EEPROM_PAGE_LEN], text, n < len ? n : len);
}

void put_sum(uint8_t *page, unsigned at, unsigned first, unsigned last)
{
	unsigned sum = 0;

	for (unsigned i = first; i <= last; i++)
		sum += page[i % EEPROM_PAGE_LEN];
	put_u8(page, at, sum);
}

static unsigned steps(double value, double per_unit)
{
	double n = round(value * per_unit);

	return n > ALL_ONES ? ALL_ONES : n > 0 ? (unsigned)n : 0;
}

unsigned register_temp(double c)
{
	return (unsigned)lround(c * 256) & ALL_ONES;
}

unsigned register_vcc(double v)
{
	return steps(v, 1e4);
}

unsigned register_light(double mw)
{
	return steps(mw, 1e4);
}

unsigned register_light_dbm(double dbm)
{
	return register_light(pow(10, dbm / 10));
}

unsigned register_bias(double ma)
{
	return steps(ma, 500);
}

void put_edges(uint8_t *page, unsigned at,
	       const double edge[PLANT_EDGE_COUNT], unsigned (*to)(double))
{
	for (unsigned i = 0; i < PLANT_EDGE_COUNT; i++)
		put_u16(page, at + 2 * i, to(edge[i]));
}

unsigned edge_bits(double value, const double edge[PLANT_EDGE_COUNT])
{
	return (value > edge[PLANT_HIGH_ALARM]) << 3 |
	       (value < edge[PLANT_LOW_ALARM]) << 2 |
	       (value > edge[PLANT_HIGH_WARN]) << 1 |
	       (value < edge[PLANT_LOW_WARN]);
}

const struct plant_lane *module_lane(const struct eeprom_module *m,
				     unsigned lane)
{
	for (unsigned i = 0; i < m->ports; i++) {
		if (lane < m->facts[i]->lanes)
			return &m->state[i]->lane[lane];
		lane -= m->facts[i]->lanes;
	}
	return NULL;
}

unsigned module_lanes(const struct eeprom_module *m)
{
	unsigned lanes = 0;

	for (unsigned i = 0; i < m->ports; i++)
		lanes += m->facts[i]->lanes;
	return lanes;
}

/* What such a module would come as. */
void eeprom_write(const struct eeprom_module *m, struct eeprom *ret)
{
	const struct plant_port_facts *f = m->facts[0];
	double lane_bps = (double)f->speed_bps / f->lanes;
	unsigned lanes = module_lanes(m);

	ret->count = 0;
	ret->two_devices = lanes == 1 && lane_bps <= SFP_LANE_MAX_BPS;
	if (ret->two_devices)
		eeprom_write_sff8472(m, ret);
	else if (lanes <= 4 && lane_bps <= NRZ_LANE_MAX_BPS)
		eeprom_write_sff8636(m, ret);
	else
		eeprom_write_cmis(m, ret);
}

static const struct eeprom_page *page_find(const struct eeprom *e,
					   unsigned bank, unsigned page)
{
	for (unsigned i = 0; i < e->count; i++)
		if (e->page[i].bank == bank && e->page[i].page == page)
			return &e->page[i];
	return NULL;
}

bool eeprom_read(const struct eeprom *e, unsigned bank, unsigned page,
		 unsigned offset, void *ret, size_t n)
{
	const struct eeprom_page *p = page_find(e, bank, page);
	size_t at = offset % EEPROM_PAGE_LEN;

	if (!p || at + n > EEPROM_PAGE_LEN)
		return false;
	memcpy(ret, &p->octets[at], n);
	return true;
}

/* An SFP: A0h, then A2h and its pages. Others: lower memory, then all pages
 * from 00h on.
 */
static size_t place_of(const struct eeprom *e, const struct eeprom_page *p)
{
	size_t at = p->page == EEPROM_LOWER ? 0 :
		(p->page + 1u) * EEPROM_PAGE_LEN;

	return e->two_devices && p->bank > 0 ? FILE_A2 + at : at;
}

size_t eeprom_file(const struct eeprom *e, uint8_t ret[static EEPROM_FILE_MAX])
{
	const struct eeprom_page *first = page_find(e, 0, 0);
	size_t len = 0;

	for (unsigned i = 0; i < e->count; i++) {
		size_t end = place_of(e, &e->page[i]) + EEPROM_PAGE_LEN;

		len = end > len && end <= EEPROM_FILE_MAX ? end : len;
	}
	for (size_t at = 0; at < len && first; at += EEPROM_PAGE_LEN)
		memcpy(&ret[at], first->octets, EEPROM_PAGE_LEN);
	for (unsigned i = 0; i < e->count; i++) {
		size_t at = place_of(e, &e->page[i]);

		if (at + EEPROM_PAGE_LEN <= len &&
		    (e->two_devices || e->page[i].bank == 0))
			memcpy(&ret[at], e->page[i].octets, EEPROM_PAGE_LEN);
	}
	return len;
}
