/* Under which user and with which rights the processes run (C21).
 *
 * If root starts petreld, it runs as [Agent] user, with the groups that the
 * sockets and files of its sources need; if another user starts it (systemd, a
 * developer), it stays that user. This finds the user, hands over ownership,
 * and drops the other rights.
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
#define EXIT_RIGHTS_KEPT 77	/* EX_NOPERM: they could not be dropped */

struct rights {
	uid_t uid;
	gid_t gid;
	gid_t group[RIGHTS_GROUPS_MAX];
	size_t group_count;
	uint64_t reader;	/* 1 << CAP_...: the most it may need */
	bool was_root;		/* root: so all of this applies */
	char user[33];		/* as which petreld runs; empty: no name */
};

/* Finds the user, and what the drivers that may be opened need. Changes
 * nothing. Returns -ENOENT if [Agent] user does not exist, with d.
 */
int rights_find(const struct config *c, const struct registry *drivers,
		int root_fd, struct rights *ret, struct diag *d);

/* Gives a folder of Petrel's and its content to that user, where root created
 * them; follows no link. Does nothing if petreld was not root. Returns a
 * negative errno with d.
 */
int rights_hand_over(const struct rights *r, int dir_fd, const char *name,
		     struct diag *d);

/* The reader's rights once its drivers are open: those that their sources need.
 * opened: bit n, driver n of the registry.
 */
uint64_t rights_of_drivers(const struct config *c,
			   const struct registry *drivers, int root_fd,
			   unsigned opened);

/* Something has appeared that petreld may not open now, but could after a
 * restart; d names it.
 */
bool rights_are_stale(const struct rights *r, const struct config *c,
		      const struct registry *drivers, int root_fd,
		      struct diag *d);

/* How a process of petreld drops what it does not need (C21): user and groups
 * of its start, capabilities, new privileges by exec, and the system calls that
 * only an attacker in it would make.
 */

/* The supervisor: becomes the user of these rights if it was root, keeps the
 * reader's capabilities permitted but not effective, and empties its bounding
 * set if it may. Returns a negative errno with d: petreld must end.
 */
int rights_confine_supervisor(const struct rights *r, struct diag *d);

/* A child: keeps these capabilities (1 << CAP_...), if it has them. Returns a
 * negative errno with d: it must end.
 */
int rights_confine_child(uint64_t keep, struct diag *d);

/* Drops more of them later. Returns the same. */
int rights_confine_more(uint64_t keep, struct diag *d);
