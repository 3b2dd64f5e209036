/* Under whose name and with which rights the processes run (C21).
 *
 * Who starts petreld as root gets it as [Agent] user, with the groups that the
 * sockets and files of its sources ask for; who starts it as somebody else
 * (systemd, a developer) gets it as that. This finds out, hands over, and gives
 * up the rest.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "petrel/diag.h"

struct config;
struct registry;

#define RIGHTS_GROUPS_MAX 32

/* petreld's exit statuses beside 0, 64 and 78; see petreld(8). */
#define EXIT_RIGHTS_CHANGED 75	/* EX_TEMPFAIL: start it again */
#define EXIT_RIGHTS_KEPT 77	/* EX_NOPERM: they could not be given up */

struct rights {
	uid_t uid;
	gid_t gid;
	gid_t group[RIGHTS_GROUPS_MAX];
	size_t group_count;
	uint64_t reader;	/* 1 << CAP_...: what it may need at most */
	bool was_root;		/* so all of this is to be taken */
	char user[33];		/* as which petreld runs; empty: no name */
};

/* Finds out who to be, and what the drivers that may be opened need. Changes
 * nothing. Returns -ENOENT where [Agent] user names nobody, with d.
 */
int rights_find(const struct config *c, const struct registry *drivers,
		int root_fd, struct rights *ret, struct diag *d);

/* Gives a folder of Petrel's and what lies in it to that user, where root has
 * made them; no link is followed. Nothing where petreld was not root.
 * Returns a negative errno with d.
 */
int rights_hand_over(const struct rights *r, int dir_fd, const char *name,
		     struct diag *d);

/* The reader's, once its drivers are open: those that their sources ask for.
 * opened: bit n, driver n of the registry.
 */
uint64_t rights_of_drivers(const struct config *c,
			   const struct registry *drivers, int root_fd,
			   unsigned opened);

/* Something has appeared that petreld may not open and could if it were
 * started again; d names it.
 */
bool rights_are_stale(const struct rights *r, const struct config *c,
		      const struct registry *drivers, int root_fd,
		      struct diag *d);

/* How a process of petreld gives up what it need not have (C21): user and
 * groups of its start, capabilities, new privileges by exec, and the system
 * calls that only somebody who took it over would make.
 */

/* The supervisor: becomes the user of these rights where it was root, keeps the
 * reader's capabilities for it, none of them in effect, and empties its
 * bounding set where it may.
 * Returns a negative errno with d: petreld must end.
 */
int rights_confine_supervisor(const struct rights *r, struct diag *d);

/* A child: these capabilities (1 << CAP_...), of those that it has.
 * Returns a negative errno with d: it must end.
 */
int rights_confine_child(uint64_t keep, struct diag *d);

/* Fewer of them, later. The same. */
int rights_confine_more(uint64_t keep, struct diag *d);
