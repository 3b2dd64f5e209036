/* The drivers that there are: those of this build, then those from outside,
 * which lie in a folder of root's as two files each.
 *
 *	NAME.driver	what petreld must know of it without running it: its
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

/* One of them by its name; NULL when there is none. */
const struct platform_driver *registry_find(const char *name);

/* Reads the folder below root_fd; -1: no folder. What is wrong there is left
 * out: d then says which file and why. Returns -ENOMEM.
 */
int registry_new(int root_fd, struct registry **ret, struct diag *d);
/* NULL is allowed. Code that was loaded stays. */
void registry_free(struct registry *r);

/* All drivers, NULL-terminated. Of one from outside that is not loaded there
 * are name, sources and options, and functions that do nothing.
 */
const struct platform_driver *const *registry_drivers(
	const struct registry *r);

/* Loads the code of driver n, where it is not there yet. Returns -EPERM
 * (somebody else may write it), -ELIBBAD (no such driver, another version, not
 * what its .driver file says) and the like with d.
 */
int registry_load(struct registry *r, unsigned n, struct diag *d);
