/* The cages, the way to each, and the ports that belong to it.
 *
 * A map file lists them, one cage per line ('#' begins a comment):
 *
 *   CAGE KIND WHERE [PORT …]
 *
 *   1  file    /sys/bus/i2c/devices/17-0050/eeprom  Ethernet0
 *   2  pages   /sys/module/sx_core/asic0/module1    Ethernet4 Ethernet6
 *   3  ethtool swp3                                 swp3
 *   4  i2c     12
 *
 * CAGE is the number of the module entity: on SONiC the index of CONFIG_DB.
 * Without a file: the cages of NVIDIA's sx_core, S3IP and optoe (by port_name)
 * below root, else the interfaces of this machine that belong to a device.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "petrel/entity.h"
#include "platform/bus/bus_kind.h"

#define MAP_CAGES_MAX 512u
#define MAP_PORTS_MAX 8u	/* of one cage */

struct map_cage {
	uint32_t number;
	struct bus_place place;
	unsigned port_count;
	char port[MAP_PORTS_MAX][ENTITY_NAME_MAX];	/* in lane order */
};

struct map {
	size_t count;
	struct map_cage *cage;		/* by number, each once */
};

/* file: below root; NULL searches for cages. Returns -ENODATA if there is no
 * cage, -EINVAL with file and line, -ENOENT, -ENOMEM.
 */
int map_read(int root_fd, const char *file, struct map *ret, struct diag *d);
void map_fini(struct map *m);

/* The same for text; name is for messages. */
int map_parse(const char *text, const char *name, struct map *ret,
	      struct diag *d);
