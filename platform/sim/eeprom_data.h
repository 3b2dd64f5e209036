/* The memory of a simulated module as plain data, and who shares the module. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/plant.h"

#define EEPROM_PAGE_LEN 128u
#define EEPROM_PAGES_MAX 24u
#define EEPROM_PORTS_MAX 8u	/* of one module */
#define EEPROM_LOWER 0x100u	/* no page has that number */
#define EEPROM_FILE_MAX (55u * EEPROM_PAGE_LEN)	/* up to page 35h */

/* A module and the ports that share it, in the order of their lanes. */
struct eeprom_module {
	unsigned ports;
	const struct plant_port_facts *facts[EEPROM_PORTS_MAX];
	const struct plant_port *state[EEPROM_PORTS_MAX];
	const struct plant_coherent *coherent;	/* NULL: it is not */
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
