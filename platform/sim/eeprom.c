#include "platform/sim/eeprom.h"

#include <string.h>

#define TWO_LEVELS_MAX_BPS 30e9	/* a lane of SFP28, QSFP28 and below */
#define FILE_A2 256u		/* offset of an SFP's second device */

/* Chooses the standard that such a module would have. */
static void eeprom_write(const struct eeprom_module *m, struct eeprom *ret)
{
	const struct plant_port_facts *f = m->facts[0];
	bool two_levels = !f->coherent && (double)f->speed_bps / f->lanes <=
		TWO_LEVELS_MAX_BPS;
	unsigned lanes = module_lanes(m);

	ret->count = 0;
	ret->two_devices = two_levels && lanes == 1;
	if (ret->two_devices)
		eeprom_write_sff8472(m, ret);
	else if (two_levels && lanes <= 4)
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

bool eeprom_write_plant(const struct plant *p, size_t port, struct eeprom *ret)
{
	struct plant_port_facts facts[EEPROM_PORTS_MAX];
	struct plant_port state[EEPROM_PORTS_MAX];
	struct plant_coherent coherent;
	struct eeprom_module m = { 0 };

	for (size_t i = port; i < plant_port_count(p) &&
	     m.ports < EEPROM_PORTS_MAX; i++) {
		plant_port_facts(p, i, &facts[m.ports]);
		if (facts[m.ports].module != facts[0].module)
			break;
		plant_port(p, i, &state[m.ports]);
		m.facts[m.ports] = &facts[m.ports];
		m.state[m.ports] = &state[m.ports];
		m.ports++;
	}
	if (m.ports == 0 || !state[0].present)
		return false;
	if (plant_coherent(p, port, &coherent))
		m.coherent = &coherent;
	eeprom_write(&m, ret);
	return true;
}
