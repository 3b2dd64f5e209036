/* One cage: which module is in it, what of it stays as it is, and what is to
 * be read next. Tells the host of modules that come and go. Does no I/O.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/platform.h"
#include "platform/bus/map.h"
#include "platform/bus/readings.h"
#include "platform/module/module.h"

/* Index of a source in the driver's table. */
enum bus_source { BUS_SOURCE_MODULES, BUS_SOURCE_DOM, BUS_SOURCE_VDM,
		  BUS_SOURCE_FLAGS, BUS_SOURCE_COUNT };

/* Read once a module, so that the rest can be read and understood. */
#define CAGE_FIXED_PARTS (MODULE_THRESHOLDS | MODULE_VDM_THRESHOLDS)

#define CAGE_READ_PARTS 6	/* that are read at times of their own */

struct module_cage {
	const struct map_cage *place;	/* borrowed, as is the host */
	const struct platform_host *host;
	uint32_t port[MAP_PORTS_MAX];
	uint32_t module;		/* ENTITY_NONE: the cage is empty */
	uint32_t lane[READINGS_LANES_MAX + 1];
	uint32_t path[READINGS_LANES_MAX + 1];	/* by first host lane */
	bool is_known;			/* its type is: more can be read */
	bool was_asked;			/* what comes later was inserted */
	unsigned due;			/* parts */
	bool is_busy;			/* a question is out */
	bool hangs;			/* the last question had no answer */
	struct mono identity_due;	/* is it still the same? */
	unsigned failures;		/* one after the other */
	struct mono again;		/* not asked before */
	char reason[DIAG_MAX];		/* "" all is well */
	struct module_image fixed;	/* what does not change */
	struct readings_given given[CAGE_READ_PARTS];
};

/* Makes the ports known that sit on it. */
void cage_begin(struct module_cage *c, const struct map_cage *place,
		const struct platform_host *host);

/* The image that a read of parts begins with. */
void cage_image(const struct module_cage *c, unsigned parts,
		struct module_image *ret);

/* Takes in what was read. scratch is the caller's. */
void cage_take(struct module_cage *c, unsigned parts,
	       const struct module_image *m, struct readings *scratch,
	       const struct read_group *age);

/* The read failed: -ENXIO empties the cage, the rest is put off. */
void cage_failed(struct module_cage *c, int err, const char *reason,
		 struct mono now);

/* Forgets the module, and tells so. */
void cage_leave(struct module_cage *c, struct mono now);
