#include "agent/process/home.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/folder.h"
#include "agent/base/ring.h"
#include "agent/query/peer.h"

#define LOCK_NAME "petreld.lock"
#define VERSION_NAME "version"
#define RUN_DIR_MODE 0755
#define LOCK_MODE 0600		/* who may open it could hold it */
#define VERSION_MODE 0644
#define LOCK_TRIES 20		/* children of a killed supervisor end soon */
#define LOCK_PAUSE_NS 100000000

/* mkdir -p below root; returns a descriptor of the last folder. What is made
 * is 0755, whatever umask says.
 */
static int folder_make(int root_fd, const char *path)
{
	int at = dup(root_fd);

	while (at >= 0 && *path) {
		char part[CONFIG_TEXT_MAX];
		size_t n = strcspn(path, "/");
		bool is_made;
		int next;

		(void)snprintf(part, sizeof(part), "%.*s", (int)n, path);
		path += n + (path[n] == '/');
		if (n == 0)
			continue;
		is_made = mkdirat(at, part, RUN_DIR_MODE) == 0;
		next = openat(at, part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (next < 0 || (is_made && fchmod(next, RUN_DIR_MODE) < 0)) {
			int err = errno;

			if (next >= 0)
				(void)close(next);
			(void)close(at);
			errno = err;
			return -1;
		}
		(void)close(at);
		at = next;
	}
	return at;
}

static int lock_take(int lock_fd)
{
	static const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };

	for (int i = 0; i < LOCK_TRIES; i++) {
		if (flock(lock_fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK)
			return -errno;
		(void)nanosleep(&pause, NULL);
	}
	return -EADDRINUSE;
}

static void name_from_root(int root_fd, char *ret, size_t cap)
{
	int fd = openat(root_fd, "etc/hostname", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, ret, cap - 1) : -1;

	ret[n > 0 ? n : 0] = '\0';
	ret[strcspn(ret, " \t\r\n")] = '\0';
	if (fd >= 0)
		(void)close(fd);
}

static void switch_name_find(const char *root, const struct config *c,
			     struct home *p)
{
	size_t cap = sizeof(p->switch_name);

	(void)snprintf(p->switch_name, cap, "%.*s", (int)cap - 1, c->name);
	if (!p->switch_name[0] && strcmp(root, "/") != 0)
		name_from_root(p->root_fd, p->switch_name, cap);
	if (!p->switch_name[0])
		(void)gethostname(p->switch_name, cap - 1);
}

/* Which build ran here, and that it is this one now. The run folder lives as
 * long as the run does.
 */
static void version_take(struct home *p)
{
	int fd = folder_file(p->run_dir_fd, VERSION_NAME, VERSION_MODE);
	ssize_t n = fd >= 0 ? read(fd, p->previous_version,
				   sizeof(p->previous_version) - 1) : -1;

	p->previous_version[n > 0 ? n : 0] = '\0';
	p->previous_version[strcspn(p->previous_version, "\r\n")] = '\0';
	if (fd < 0)
		return;		/* the next one is not told of this */
	if (strcmp(p->previous_version, PETREL_VERSION) != 0 &&
	    ftruncate(fd, 0) == 0)
		(void)!pwrite(fd, PETREL_VERSION "\n",
			      sizeof(PETREL_VERSION), 0);
	(void)close(fd);
}

/* Opens run folder and lock file. */
static int run_dir_open(const char *root, const struct config *c,
			struct home *p, struct diag *d)
{
	int rc;

	p->run_dir_fd = folder_make(p->root_fd, c->run_dir);
	if (p->run_dir_fd < 0)
		return diag_set(d, -errno, "[Agent] run_dir = %s (below %s): "
				"%s", c->run_dir, root, strerror(errno));
	rc = folder_check(p->run_dir_fd, c->run_dir, d);
	if (rc < 0)
		return diag_prefix(d, rc, "[Agent] run_dir");
	p->lock_fd = folder_file(p->run_dir_fd, LOCK_NAME, LOCK_MODE);
	return p->lock_fd >= 0 ? 0 :
	       diag_set(d, p->lock_fd, "[Agent] run_dir = %s (below %s): %s: "
			"%s", c->run_dir, root, LOCK_NAME,
			strerror(-p->lock_fd));
}

int home_open(const char *root, const struct config *c, struct home *ret,
	       struct diag *d)
{
	struct home p = { -1, -1, -1, "", "" };
	int rc;

	p.root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p.root_fd < 0)
		return diag_set(d, -errno, "--root %s: %s", root,
				strerror(errno));
	rc = run_dir_open(root, c, &p, d);
	if (rc < 0) {
		home_close(&p);
		return rc;
	}
	rc = lock_take(p.lock_fd);
	if (rc < 0) {
		home_close(&p);
		return diag_set(d, rc, "another petreld holds %s/%s below %s; "
				"stop it first, or set another run_dir",
				c->run_dir, LOCK_NAME, root);
	}
	switch_name_find(root, c, &p);
	version_take(&p);
	*ret = p;
	return 0;
}

void home_close(struct home *p)
{
	if (p->lock_fd >= 0)
		(void)close(p->lock_fd);
	if (p->run_dir_fd >= 0)
		(void)close(p->run_dir_fd);
	if (p->root_fd >= 0)
		(void)close(p->root_fd);
}

int home_share(int run_dir_fd, const struct config *c, struct diag *d)
{
	bool all = c->read == READ_ALL;
	gid_t group = all ? PEER_GROUP_NONE : peer_group();

	return ring_set_share(run_dir_fd, all, group, d);
}
