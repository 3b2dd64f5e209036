/* All drivers: those of this build, then external ones, which are two files
 * each in a folder that root owns.
 *
 *	NAME.driver	what petreld must know about it without running it: its
 *			sources and options; see petreld(8)
 *	NAME.so		the code: a struct platform_driver of the name
 *			petrel_driver. It runs in the reader alone.
 *
 * A driver's number is its place in the list; all processes have the same.
 */
#pragma once

#include "petrel/platform.h"

#define REGISTRY_FOLDER "/usr/lib/petrel/drivers"	/* below the root */

struct registry;

/* The drivers of this build, NULL-terminated. */
const struct platform_driver *const *registry_built_in(void);

/* One of them by its name; NULL if there is none. */
const struct platform_driver *registry_find(const char *name);

/* Reads the folder below root_fd; -1: no folder. Faulty files are skipped: d
 * then says which file and why. Returns -ENOMEM.
 */
int registry_new(int root_fd, struct registry **ret, struct diag *d);
/* NULL is allowed. Loaded code stays in memory. */
void registry_free(struct registry *r);

/* All drivers, NULL-terminated. An external one that is not loaded has its
 * name, sources and options, and functions that do nothing.
 */
const struct platform_driver *const *registry_drivers(
	const struct registry *r);

/* Loads the code of driver n, unless it is loaded. Returns -EPERM (others may
 * write it), -ELIBBAD (no such driver, another version, not what its .driver
 * file says) and the like with d.
 */
int registry_load(struct registry *r, unsigned n, struct diag *d);
