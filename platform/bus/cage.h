/* One cage: which module is in it, which of its data are fixed, and what to
 * read next. Reports modules that come and go to the host. Does no I/O.
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

/* Read once per module: the other parts cannot be read or decoded without. */
#define CAGE_FIXED_PARTS (MODULE_THRESHOLDS | MODULE_VDM_THRESHOLDS)

#define CAGE_READ_PARTS 6	/* each is read at its own times */

struct module_cage {
	const struct map_cage *place;	/* borrowed, as is the host */
	const struct platform_host *host;
	uint32_t port[MAP_PORTS_MAX];
	uint32_t module;		/* ENTITY_NONE: the cage is empty */
	uint32_t lane[READINGS_LANES_MAX + 1];
	uint32_t path[READINGS_LANES_MAX + 1];	/* by first host lane */
	bool is_known;			/* its type is; more can be read */
	bool was_asked;			/* a later module was inserted */
	unsigned due;			/* parts */
	bool is_busy;			/* a question is pending */
	bool hangs;			/* the last question was not answered */
	struct mono identity_due;	/* next check for another module */
	unsigned failures;		/* in a row */
	struct mono again;		/* not asked before this time */
	char reason[DIAG_MAX];		/* "": all is well */
	struct module_image fixed;	/* what does not change */
	struct readings_given given[CAGE_READ_PARTS];
};

/* Reports the ports of the cage to the host. */
void cage_begin(struct module_cage *c, const struct map_cage *place,
		const struct platform_host *host);

/* The image to begin a read of parts with. */
void cage_image(const struct module_cage *c, unsigned parts,
		struct module_image *ret);

/* Takes the result of a read. scratch is the caller's. */
void cage_take(struct module_cage *c, unsigned parts,
	       const struct module_image *m, struct readings *scratch,
	       const struct read_group *age);

/* The read failed: -ENXIO means an empty cage; other errors delay the rest. */
void cage_failed(struct module_cage *c, int err, const char *reason,
		 struct mono now);

/* Forgets the module and reports it gone. */
void cage_leave(struct module_cage *c, struct mono now);
