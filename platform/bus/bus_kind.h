/* The ways to a module's memory, and how to open one. */
#pragma once

#include "platform/bus/bus.h"

#define BUS_WHERE_MAX 192u
#define BUS_FILE_PATH_MAX (BUS_WHERE_MAX + 32u)

enum bus_kind {
	BUS_FILE,	/* a file of all pages, as optoe and S3IP lay it out */
	BUS_PAGES,	/* a folder of pages, as NVIDIA's sx_core does */
	BUS_ETHTOOL,	/* ethtool netlink, by interface */
	BUS_I2C,	/* i2c-dev, by number of the bus */
	BUS_KIND_COUNT,
};

/* Where a module is reached. */
struct bus_place {
	enum bus_kind kind;
	char where[BUS_WHERE_MAX];	/* path below root, interface, number */
};

/* Name of a kind, as in the map file; NULL if there is none. */
const char *bus_kind_name(enum bus_kind kind);

/* The file below the root that gives access to it. Returns how it is opened,
 * R_OK or R_OK | W_OK, or 0 if there is none.
 */
int bus_file_of(const struct bus_place *place,
		char ret[static BUS_FILE_PATH_MAX]);

/* Opens the way to a place, which must outlive it. The module need not be
 * present. Returns -EINVAL, -ENOMEM, or the error of the way.
 */
int bus_open(const struct bus_env *env, const struct bus_place *place,
	     struct bus *ret, struct diag *d);
/* bus_open() calls one of these. where: see struct bus_place. */
int bus_file_open(const struct bus_env *env, const char *where,
		  struct bus *ret, struct diag *d);
/* A folder of pages. */
int bus_pages_open(const struct bus_env *env, const char *where,
		   struct bus *ret, struct diag *d);
/* An interface of the process' own network namespace. */
int bus_ethtool_open(const struct bus_env *env, const char *where,
		     struct bus *ret, struct diag *d);
/* /dev/i2c-N below root. */
int bus_i2c_open(const struct bus_env *env, const char *where,
		 struct bus *ret, struct diag *d);
