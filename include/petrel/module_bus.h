/* How the pages of a module are fetched (C6, C7).
 *
 * Only the reader uses a bus. It never writes: the page select belongs to the
 * owner of the module, so a bus offers only pages that its kernel driver
 * (optoe, ethtool netlink) selects and restores itself. A bus without such a
 * driver (i2c-dev) gives only the lower memory, unless the configuration says
 * that Petrel owns the modules.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"

#define MODULE_PAGE_LEN 128u	/* upper memory; the lower is as long */
#define MODULE_LOWER 0x100u	/* the lower memory; not a page number */

struct module_bus {
	uint32_t abi;
	uint32_t size;
	const char *name;	/* optoe, ethtool, i2c-dev, file */

	/* Reads n octets that lie within one page. offset counts within the
	 * 256-octet address space: 0 to 127 lower, 128 to 255 the page.
	 * Returns 0, -ENXIO (no module), -EIO, -ETIMEDOUT (the module holds
	 * the bus), -EOPNOTSUPP (no such page here), -ENODATA (the cage is
	 * being emptied), -ESTALE (the page did not switch). May block.
	 */
	int (*read)(void *instance, unsigned bank, unsigned page,
		    unsigned offset, void *ret, size_t n, struct diag *d);
	void (*close)(void *instance);	/* NULL: nothing to release */
};
