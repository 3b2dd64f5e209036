/* Who stands at the other end of a connection. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#define PETREL_GROUP "petrel"
#define PEER_GROUP_NONE ((gid_t)-1)

struct query_peer {
	pid_t pid;
	uid_t uid;
	gid_t gid;
	bool in_group;		/* of group petrel, by any of its groups */
};

/* The group's number; PEER_GROUP_NONE where this machine has none. */
gid_t peer_group(void);

/* As the kernel knows it. Returns 0 or a negative errno.
 * Source: unix(7), SO_PEERCRED; socket(7), SO_PEERGROUPS.
 */
int peer_read(int fd, struct query_peer *ret);

/* Root, group petrel, and whoever the agent itself runs as: but nobody is not
 * somebody, though a petreld that root started by hand runs as that.
 */
bool peer_is_trusted(const struct query_peer *p);
