#include "agent/query/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/query/peer.h"

#define BACKLOG 16
#define MODE_ALL 0666
#define MODE_GROUP 0660

/* A unix socket knows no folder descriptor: the kernel's own name for it. */
static int address_make(int dir_fd, const char *name, struct sockaddr_un *ret)
{
	int n;

	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	n = snprintf(ret->sun_path, sizeof(ret->sun_path),
		     "/proc/self/fd/%d/%s", dir_fd, name);
	return n < (int)sizeof(ret->sun_path) ? 0 : -ENAMETOOLONG;
}

static int socket_new(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	return fd;
}

/* Does an agent listen there? A full backlog (EAGAIN) is an agent, too. */
static bool somebody_answers(const struct sockaddr_un *address)
{
	int fd = socket_new();
	bool answers;

	if (fd < 0)
		return false;
	answers = connect(fd, (const struct sockaddr *)address,
			  sizeof(*address)) == 0 || errno == EAGAIN;
	(void)close(fd);
	return answers;
}

/* Connecting needs the right to write to the socket's file. */
int place_share(int dir_fd, const char *name, bool read_all, struct diag *d)
{
	gid_t group = peer_group();

	/* Without that group on this machine, root alone asks. */
	if (!read_all && group != PEER_GROUP_NONE &&
	    fchownat(dir_fd, name, (uid_t)-1, group, AT_SYMLINK_NOFOLLOW) < 0)
		return diag_set(d, -errno, "%s: cannot give it to group "
				PETREL_GROUP ": %s", name, strerror(errno));
	if (fchmodat(dir_fd, name, read_all ? MODE_ALL : MODE_GROUP, 0) < 0)
		return diag_set(d, -errno, "%s: cannot set its mode: %s", name,
				strerror(errno));
	return 0;
}

/* Nobody else takes the name in between: one petreld holds the folder. */
static int place_bind(int dir_fd, const char *name, bool read_all, int fd,
		      struct diag *d)
{
	struct sockaddr_un address;

	if (address_make(dir_fd, name, &address) < 0)
		return diag_set(d, -ENAMETOOLONG, "%s: too long for a socket's "
				"name", name);
	if (somebody_answers(&address))
		return diag_set(d, -EADDRINUSE, "%s: another agent answers on "
				"it; stop that one first", name);
	if (unlinkat(dir_fd, name, 0) < 0 && errno != ENOENT)
		return diag_set(d, -errno, "%s: cannot remove what a dead "
				"agent left: %s", name, strerror(errno));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return diag_set(d, -errno, "%s: cannot make the socket: %s",
				name, strerror(errno));
	if (listen(fd, BACKLOG) < 0)
		return diag_set(d, -errno, "%s: cannot listen: %s", name,
				strerror(errno));
	return place_share(dir_fd, name, read_all, d);
}

int place_take(int dir_fd, const char *name, bool read_all, struct place *ret,
	       struct diag *d)
{
	int fd = socket_new(), rc;
	struct stat st;

	rc = fd < 0 ? diag_set(d, fd, "no socket: %s", strerror(-fd)) :
		      place_bind(dir_fd, name, read_all, fd, d);
	if (rc == 0 && fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		rc = diag_set(d, -errno, "%s: %s", name, strerror(errno));
	if (rc < 0) {
		if (fd >= 0)
			(void)close(fd);
		return rc;
	}
	*ret = (struct place){ .fd = fd, .device = st.st_dev,
			       .inode = st.st_ino };
	return 0;
}

void place_leave(struct place *p, int dir_fd, const char *name)
{
	struct stat st;

	if (p->fd < 0)
		return;
	(void)close(p->fd);
	p->fd = -1;
	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_dev == p->device && st.st_ino == p->inode)
		(void)unlinkat(dir_fd, name, 0);
}
