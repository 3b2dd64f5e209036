/* The memory of a simulated module as plain data, and functions that put values
 * into its pages, for the writers of the three standards.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/plant.h"

#define EEPROM_PAGE_LEN 128u
#define EEPROM_PAGES_MAX 24u
#define EEPROM_PORTS_MAX 8u	/* of one module */
#define EEPROM_LOWER 0x100u	/* no page has this number */
#define EEPROM_FILE_MAX (55u * EEPROM_PAGE_LEN)	/* up to page 35h */

/* A module and the ports that share it, in the order of their lanes. */
struct eeprom_module {
	unsigned ports;
	const struct plant_port_facts *facts[EEPROM_PORTS_MAX];
	const struct plant_port *state[EEPROM_PORTS_MAX];
	const struct plant_coherent *coherent;	/* NULL: not coherent */
};

struct eeprom_page {
	uint8_t bank;
	uint16_t page;
	uint8_t octets[EEPROM_PAGE_LEN];
};

struct eeprom {
	bool two_devices;		/* an SFP */
	unsigned count;
	struct eeprom_page page[EEPROM_PAGES_MAX];
};

/* Adds a page of zeros; the writers need fewer than EEPROM_PAGES_MAX. */
uint8_t *eeprom_page_add(struct eeprom *e, unsigned bank, unsigned page);

/* All of these take the octet's address from 0 to 255, as in the standards;
 * page is the result of eeprom_page_add().
 */
void put_u8(uint8_t *page, unsigned at, unsigned value);
/* Big-endian, as in all three standards. */
void put_u16(uint8_t *page, unsigned at, unsigned value);
/* Padded with blanks. */
void put_text(uint8_t *page, unsigned at, const char *text, size_t len);
/* Writes the sum of octets first to last at an octet. */
void put_sum(uint8_t *page, unsigned at, unsigned first, unsigned last);

/* Registers, rounded and clamped to their range. */
unsigned register_temp(double c);	/* 1/256 C */
unsigned register_vcc(double v);	/* 100 uV */
unsigned register_light(double mw);	/* 0.1 uW */
unsigned register_light_dbm(double dbm);
unsigned register_bias(double ma);	/* 2 uA */
/* Steps of any size, clamped to 16 bits. */
double register_steps(double value, double step, bool is_signed);
/* Five bits of exponent over 1e-24, eleven of mantissa. CMIS table 8-147. */
unsigned register_f16(double value);
double register_f16_value(unsigned octets);

/* A power in the unit of its limits. */
double dbm_of(double mw);

/* Four thresholds in the standards' order, two octets each. */
void put_edges(uint8_t *page, unsigned at,
	       const double edge[PLANT_EDGE_COUNT], unsigned (*to)(double));

/* Bits for a value beyond its limits: 3 high alarm, 2 low alarm, 1 high
 * warning, 0 low warning.
 */
unsigned edge_bits(double value, const double edge[PLANT_EDGE_COUNT]);

/* An optical lane of the whole module, from 0; NULL after the last. */
const struct plant_lane *module_lane(const struct eeprom_module *m,
				     unsigned lane);
/* The number of optical lanes of the module, … */
unsigned module_lanes(const struct eeprom_module *m);
/* … and of electrical ones. */
unsigned module_host_lanes(const struct eeprom_module *m);

/* Three pages of VDM: descriptors, samples and thresholds. */
struct eeprom_vdm {
	uint8_t *descriptor, *sample, *limits;
};

/* The writers. */
void eeprom_write_cmis(const struct eeprom_module *m, struct eeprom *ret);
/* What a coherent module has in addition: pages, and slots of VDM. */
void eeprom_write_coherent(const struct plant_coherent *c, struct eeprom *ret);
void eeprom_write_coherent_vdm(const struct plant_coherent *c,
			       const struct eeprom_vdm *v);
/* QSFP28 and QSFP+. */
void eeprom_write_sff8636(const struct eeprom_module *m, struct eeprom *ret);
/* SFP to SFP28. */
void eeprom_write_sff8472(const struct eeprom_module *m, struct eeprom *ret);
