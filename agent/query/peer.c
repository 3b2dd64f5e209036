#include "agent/query/peer.h"

#include <errno.h>
#include <grp.h>
#include <sys/socket.h>
#include <unistd.h>

#define PEER_GROUPS_MAX 64
#define UID_NOBODY 65534	/* the kernel's for who has no number */
#define GROUP_TEXT_MAX 4096	/* its line: longer, and it is not seen */

gid_t peer_group(void)
{
	char text[GROUP_TEXT_MAX];
	struct group g, *found = NULL;

	if (getgrnam_r(PETREL_GROUP, &g, text, sizeof(text), &found) != 0)
		return PEER_GROUP_NONE;
	return found ? found->gr_gid : PEER_GROUP_NONE;
}

static bool is_in_group(int fd, gid_t own, gid_t wanted)
{
	gid_t groups[PEER_GROUPS_MAX];
	socklen_t len = sizeof(groups);

	if (wanted == PEER_GROUP_NONE)
		return false;
	if (own == wanted)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &len) < 0)
		return false;
	for (size_t i = 0; i < len / sizeof(groups[0]); i++)
		if (groups[i] == wanted)
			return true;
	return false;
}

/* Trusted whatever groups it is in. */
static bool is_own(uid_t uid)
{
	return uid == 0 || (uid == geteuid() && uid != UID_NOBODY);
}

int peer_read(int fd, struct query_peer *ret)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return -errno;
	*ret = (struct query_peer){
		.pid = cred.pid, .uid = cred.uid, .gid = cred.gid,
		.in_group = !is_own(cred.uid) &&
			    is_in_group(fd, cred.gid, peer_group()) };
	return 0;
}

bool peer_is_trusted(const struct query_peer *p)
{
	return is_own(p->uid) || p->in_group;
}
