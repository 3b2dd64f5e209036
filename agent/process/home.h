/* Where an agent lives: the switch's root, the run folder below it, and the
 * lock that keeps a second agent off the same rings.
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
	/* The switch's identity, as this run recorded it, and as an earlier one
	 * did; id empty: none.
	 */
	struct control_identity is, kept;
	char previous_version[32];	/* build that ran here; empty: none */
};

/* Opens root and the configured run_dir below it (created if missing), takes
 * the lock, finds the host's name and machine-id: those in etc/ below a root
 * that is not /, else this machine's. Root gives the run folder to the user
 * that petreld runs as; a folder that holds something, but not the lock of an
 * earlier petreld, is then refused. Returns -EADDRINUSE when another agent
 * holds the lock, -EPERM when others may write to run_dir; d says which.
 */
int home_open(const char *root, const struct config *c, struct home *ret,
	       struct diag *d);
/* Leaves a message in the run folder of a petreld that ends, or cannot begin:
 * when, and why. Leaves none if another petreld runs there.
 */
void home_last_words(const char *root, const char *run_dir, const char *why);
/* Saves the switch's identity: in the run folder for this run, and for later
 * runs in var/lib/petrel, if that exists and may be written.
 */
void home_remember(int root_fd, int run_dir_fd,
		   const struct control_identity *identity);
/* Gives read access to the rings to those whom [Query] read allows: everybody,
 * or the group petrel, if it exists. At the start and after each reload.
 * Returns a negative errno with d.
 */
int home_share(int run_dir_fd, const struct config *c, struct diag *d);
/* Closes its descriptors, which releases the lock. */
void home_close(struct home *p);
