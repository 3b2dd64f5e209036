/* Where an agent lives: the switch's root, the run folder below it, and the
 * lock that keeps a second agent from the same rings.
 */
#pragma once

#include "agent/process/control.h"
#include "petrel/diag.h"

#define HOME_LOCK_NAME "petreld.lock"
#define HOME_STATE_DIR "var/lib/petrel"	/* below the root */

struct home {
	int root_fd, run_dir_fd, lock_fd;
	char host_name[SWITCH_NAME_MAX];
	char machine_id[SWITCH_NAME_MAX];	/* empty: none */
	/* Who the switch is, as this run said before, and as an earlier one
	 * did; id empty: nobody said.
	 */
	struct control_identity is, kept;
	char previous_version[32];	/* that ran here; empty: none */
};

/* Opens root and the configured run_dir below it (made when it is not there),
 * takes the lock, finds the host's name and machine-id: those in etc/
 * below a root that is not /, else this machine's.
 * Root hands the run folder over to the user that petreld runs as: one that
 * holds something, and not the lock of an earlier petreld, is refused then.
 * Returns -EADDRINUSE when another agent holds the lock, -EPERM when others
 * may write to run_dir; d says it.
 */
int home_open(const char *root, const struct config *c, struct home *ret,
	       struct diag *d);
/* What a petreld that ends, or cannot begin, leaves in its run folder for who
 * asks in vain: when, and why. It leaves nothing where another one lives.
 */
void home_last_words(const char *root, const char *run_dir, const char *why);
/* Keeps who the switch is: in the run folder, where this run finds it again,
 * and in var/lib/petrel, if that is there and may be written, for later ones.
 */
void home_remember(int root_fd, int run_dir_fd,
		   const struct control_identity *identity);
/* Lets those read the rings whom [Query] read lets ask: everybody, or the group
 * petrel, where there is one. At the start and after each reload. Returns a
 * negative errno with d.
 */
int home_share(int run_dir_fd, const struct config *c, struct diag *d);
/* Closes its descriptors, and with them gives the lock back. */
void home_close(struct home *p);
