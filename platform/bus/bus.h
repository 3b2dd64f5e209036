/* The ways to a module's memory, one file each, behind one door: bus_read()
 * checks what is asked for and notes it in the access log (C6).
 */
#pragma once

#include <stdbool.h>

#include "petrel/diag.h"
#include "petrel/module_bus.h"
#include "platform/module/module.h"

#define BUS_WHERE_MAX 192u
#define BUS_FILE_PATH_MAX (BUS_WHERE_MAX + 32u)

struct access_log;

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

struct bus_env {
	int root_fd;
	bool owner;			/* page selects may be written */
	struct access_log *log;		/* borrowed; NULL none */
};

/* One opened way. */
struct bus {
	const struct module_bus *table;
	void *instance;
	struct bus_env env;
	const char *where;		/* for the log; borrowed */
	uint8_t identifier;		/* octet 0, where known; the same */
};

/* Word of a kind, as the map file has it; NULL when there is none. */
const char *bus_kind_name(enum bus_kind kind);

/* The file below the root that it is reached by; returns how that is opened,
 * R_OK or R_OK | W_OK, or 0 where there is none.
 */
int bus_file_of(const struct bus_place *place,
		char ret[static BUS_FILE_PATH_MAX]);

/* Opens the way to a place, which must outlive it. The module need not be
 * there. Returns -EINVAL, -ENOMEM, or what the way itself meets.
 */
int bus_open(const struct bus_env *env, const struct bus_place *place,
	     struct bus *ret, struct diag *d);
/* Also of one that is all zeros. */
void bus_close(struct bus *b);

/* Reads one transaction. Returns as module_bus.read() does, and -EINVAL for
 * one that leaves its page.
 */
int bus_read(const struct bus *b, const struct module_read *r, void *ret,
	     struct diag *d);

/* A positive errno of a device, as module_bus.read() gives it. */
int bus_error(int err);

/* The tables, of which bus_open() takes one. where: see struct bus_place. */
int bus_file_open(const struct bus_env *env, const char *where,
		  struct bus *ret, struct diag *d);
/* The folder of pages. */
int bus_pages_open(const struct bus_env *env, const char *where,
		   struct bus *ret, struct diag *d);
/* An interface of the process' own network namespace. */
int bus_ethtool_open(const struct bus_env *env, const char *where,
		     struct bus *ret, struct diag *d);
/* /dev/i2c-N below root. */
int bus_i2c_open(const struct bus_env *env, const char *where,
		 struct bus *ret, struct diag *d);

/* What was done to modules, a line each, so that a test, or who doubts us, can
 * see that nothing was written and nothing cleared (C6):
 *
 *   read file owner=no type=18h bank=0 page=11h offset=154 len=48 at=/sys/…
 *   write i2c owner=yes type=00h bank=0 page=10h offset=126 len=2 at=12
 *
 * The file that PETREL_ACCESS_LOG names is appended to. An access that was seen
 * before by the same process is not repeated.
 */

struct access_log;

/* One transaction; all of it is borrowed. */
struct access {
	const char *what;		/* read, or write: the page select */
	const char *bus;
	bool owner;
	uint8_t identifier;		/* octet 0; 0 not known yet */
	const struct module_read *read;
	const char *where;
};

/* The log of this process; NULL where the environment names none, or the file
 * cannot be written.
 */
struct access_log *access_log_open(void);
/* NULL is allowed. */
void access_log_close(struct access_log *log);

/* Notes it; log may be NULL. */
void access_log_put(struct access_log *log, const struct access *a);
