/* A visit to another network namespace, to open a socket there: a socket stays
 * where it was opened. Namespaces are named as `ip netns` does it; SONiC makes
 * one for each ASIC of several.
 *
 * Takes CAP_SYS_ADMIN. The namespace is the thread's: no other thread sees it.
 */
#pragma once

#include <stdint.h>

#define NETNS_FOLDER "var/run/netns"

struct netns {
	int home;		/* where the thread came from; -1: it stayed */
};

/* name: "" stays where it is. Returns -EINVAL for a name that is none,
 * -ENOENT where there is no such namespace, -EPERM without the right, another
 * negative errno; the thread is where it was then.
 */
int netns_enter(struct netns *n, int root_fd, const char *name);
/* Back home. */
void netns_leave(struct netns *n);

/* Tells one namespace of a name from the next of that name; 0: none there, or
 * none that may be looked at.
 */
uint64_t netns_identity(int root_fd, const char *name);
