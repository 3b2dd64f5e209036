/* The memory of a simulated module, as the standards lay it out: what a module
 * with such light, current and heat would hold. Written only from the
 * standards; nothing here knows how Petrel reads it.
 *
 * A page is 128 octets. The lower memory is a page of its own; an SFP's second
 * device (A2h) is bank 1.
 */
#pragma once

#include "platform/sim/eeprom_page.h"

/* Reads n octets of one page; offset 0 to 127 of the lower memory, 128 to 255
 * of a page. Returns false if the module has no such page.
 */
bool eeprom_read(const struct eeprom *e, unsigned bank, unsigned page,
		 unsigned offset, void *ret, size_t n);

/* The pages as SONiC's optoe driver gives them in one file; missing pages in
 * between repeat page 0, as in real modules. Returns the length.
 */
size_t eeprom_file(const struct eeprom *e, uint8_t ret[static EEPROM_FILE_MAX]);

/* Writes all pages of a plant's module, as it is now. port: the first of those
 * that share it. Returns false if the cage is empty.
 */
bool eeprom_write_plant(const struct plant *p, size_t port, struct eeprom *ret);
