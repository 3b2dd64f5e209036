/* Where an agent lives: the switch's root, the run folder below it, and the
 * lock that keeps a second agent from the same rings.
 */
#pragma once

#include "agent/config/config.h"
#include "petrel/diag.h"
#include "petrel/wire.h"

#define HOME_LOCK_NAME "petreld.lock"

struct home {
	int root_fd, run_dir_fd, lock_fd;
	char switch_name[SWITCH_NAME_MAX];
	char previous_version[32];	/* that ran here; empty: none */
};

/* Opens root and the configured run_dir below it (made when it is not there),
 * takes the lock, finds the switch's name: the configured one, else
 * etc/hostname below a root that is not /, else the host's.
 * Root hands the run folder over to the user that petreld runs as: one that
 * holds something, and not the lock of an earlier petreld, is refused then.
 * Returns -EADDRINUSE when another agent holds the lock; d names it.
 */
int home_open(const char *root, const struct config *c, struct home *ret,
	       struct diag *d);
/* Closes its descriptors, and with them gives the lock back. */
void home_close(struct home *p);
