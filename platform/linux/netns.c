#include "platform/linux/netns.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NETNS_PATH_MAX 128

/* False: no name of a namespace. */
static bool path_make(char path[static NETNS_PATH_MAX], const char *name)
{
	int n = snprintf(path, NETNS_PATH_MAX, NETNS_FOLDER "/%s", name);

	return n < NETNS_PATH_MAX && name[0] && name[0] != '.' &&
	       !strchr(name, '/');
}

/* SONiC's are links to /proc/PID/ns/net: those lead out of the root. */
static int there_open(int root_fd, const char *name)
{
	char path[NETNS_PATH_MAX];
	int fd;

	if (!path_make(path, name))
		return -EINVAL;
	fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	return fd;
}

/* The way back is tried before the way there. */
static int go(int home, int there)
{
	if (setns(home, CLONE_NEWNET) < 0 || setns(there, CLONE_NEWNET) < 0)
		return -errno;
	return 0;
}

int netns_enter(struct netns *n, int root_fd, const char *name)
{
	int there, rc;

	n->home = -1;
	if (!name[0])
		return 0;
	there = there_open(root_fd, name);
	if (there < 0)
		return there;
	n->home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	rc = n->home < 0 ? -errno : go(n->home, there);
	close(there);
	if (rc < 0 && n->home >= 0)
		close(n->home);
	if (rc < 0)
		n->home = -1;
	return rc;
}

void netns_leave(struct netns *n)
{
	int rc;

	if (n->home < 0)
		return;
	rc = setns(n->home, CLONE_NEWNET);
	assert(rc == 0);	/* it went the other way a moment ago */
	(void)rc;
	close(n->home);
	n->home = -1;
}

uint64_t netns_identity(int root_fd, const char *name)
{
	char path[NETNS_PATH_MAX];
	struct stat st;

	if (!path_make(path, name) || fstatat(root_fd, path, &st, 0) < 0)
		return 0;
	return (uint64_t)st.st_dev << 32 ^ st.st_ino;
}
