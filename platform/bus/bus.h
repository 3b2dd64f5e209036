/* The ways to a module's memory, one file each, behind one interface:
 * bus_read() checks each request and writes it to the access log (C6).
 * bus_kind.h lists them.
 */
#pragma once

#include <stdbool.h>

#include "petrel/diag.h"
#include "petrel/module_bus.h"
#include "platform/module/module.h"

struct access_log;

struct bus_env {
	int root_fd;
	bool owner;			/* page selects may be written */
	struct access_log *log;		/* borrowed; NULL none */
};

/* An open way to a module. */
struct bus {
	const struct module_bus *table;
	void *instance;
	struct bus_env env;
	const char *where;		/* for the log; borrowed */
	uint8_t identifier;		/* the same: octet 0, where known */
};

/* b may be all zeros. */
void bus_close(struct bus *b);

/* Reads one transaction. Returns as module_bus.read() does, and -EINVAL for a
 * transaction that crosses its page.
 */
int bus_read(const struct bus *b, const struct module_read *r, void *ret,
	     struct diag *d);

/* Turns a positive errno of a device into what module_bus.read() returns. */
int bus_error(int err);

/* Accesses to modules, a line each, so that a test, or anyone in doubt, can see
 * that nothing was written and nothing cleared (C6):
 *
 *   read file owner=no type=18h bank=0 page=11h offset=154 len=48 at=/sys/…
 *   write i2c owner=yes type=00h bank=0 page=10h offset=126 len=2 at=12
 *
 * Lines are appended to the file that PETREL_ACCESS_LOG names. A process logs
 * an access only once.
 */

/* One transaction; all of it is borrowed. */
struct access {
	const char *what;		/* read, or write: the page select */
	const char *bus;
	bool owner;
	uint8_t identifier;		/* octet 0; 0 not known yet */
	const struct module_read *read;
	const char *where;
};

/* The log of this process; NULL if the environment does not name one, or the
 * file cannot be written.
 */
struct access_log *access_log_open(void);
/* NULL is allowed. */
void access_log_close(struct access_log *log);

/* Logs the access; log may be NULL. */
void access_log_put(struct access_log *log, const struct access *a);
