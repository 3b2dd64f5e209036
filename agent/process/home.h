/* Where an agent lives: the switch's root, the run folder below it, and the
 * lock that keeps a second agent from the same rings.
 */
#pragma once

#include "agent/config/config.h"
#include "petrel/diag.h"
#include "petrel/wire.h"

struct home {
	int root_fd, run_dir_fd, lock_fd;
	char switch_name[SWITCH_NAME_MAX];
	char previous_version[32];	/* that ran here; empty: none */
};

/* Opens root and the configured run_dir below it (made when it is not there),
 * takes the lock, finds the switch's name: the configured one, else
 * etc/hostname below a root that is not /, else the host's.
 * Returns -EADDRINUSE when another agent holds the lock, -EPERM when others
 * may write to run_dir; d says it.
 */
int home_open(const char *root, const struct config *c, struct home *ret,
	       struct diag *d);
/* Lets those read the rings whom [Query] read lets ask: everybody, or the group
 * petrel, where there is one. At the start and after each reload. Returns a
 * negative errno with d.
 */
int home_share(int run_dir_fd, const struct config *c, struct diag *d);
/* Closes its descriptors, and with them gives the lock back. */
void home_close(struct home *p);
