/* The ways to a module's memory, one file each, behind one door: bus_read()
 * checks what is asked for and notes it in the access log (C6). bus_kind.h has
 * which there are.
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

/* One opened way. */
struct bus {
	const struct module_bus *table;
	void *instance;
	struct bus_env env;
	const char *where;		/* for the log; borrowed */
	uint8_t identifier;		/* octet 0, where known; the same */
};

/* Also of one that is all zeros. */
void bus_close(struct bus *b);

/* Reads one transaction. Returns as module_bus.read() does, and -EINVAL for
 * one that leaves its page.
 */
int bus_read(const struct bus *b, const struct module_read *r, void *ret,
	     struct diag *d);

/* A positive errno of a device, as module_bus.read() gives it. */
int bus_error(int err);

/* What was done to modules, a line each, so that a test, or who doubts us, can
 * see that nothing was written and nothing cleared (C6):
 *
 *   read file owner=no type=18h bank=0 page=11h offset=154 len=48 at=/sys/…
 *   write i2c owner=yes type=00h bank=0 page=10h offset=126 len=2 at=12
 *
 * The file that PETREL_ACCESS_LOG names is appended to. An access that was seen
 * before by the same process is not repeated.
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

/* The log of this process; NULL where the environment names none, or the file
 * cannot be written.
 */
struct access_log *access_log_open(void);
/* NULL is allowed. */
void access_log_close(struct access_log *log);

/* Notes it; log may be NULL. */
void access_log_put(struct access_log *log, const struct access *a);
