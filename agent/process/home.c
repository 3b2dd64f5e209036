#include "agent/process/home.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/clean.h"

#define LOCK_NAME "petreld.lock"
#define VERSION_NAME "version"
#define LOCK_TRIES 20		/* children of a killed supervisor end soon */
#define LOCK_PAUSE_NS 100000000

/* mkdir -p below root; returns a descriptor of the last folder. */
static int folder_make(int root_fd, const char *path)
{
	int at = dup(root_fd);

	while (at >= 0 && *path) {
		char part[CONFIG_TEXT_MAX];
		size_t n = strcspn(path, "/");
		int next;

		(void)snprintf(part, sizeof(part), "%.*s", (int)n, path);
		path += n + (path[n] == '/');
		if (n == 0)
			continue;
		(void)mkdirat(at, part, 0755);	/* exists, or openat tells */
		next = openat(at, part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (next < 0) {
			int err = errno;

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
	clean_in_place(p->switch_name);
}

/* Which build ran here, and that it is this one now. The run folder lives as
 * long as the run does.
 */
static void version_take(struct home *p)
{
	int fd = openat(p->run_dir_fd, VERSION_NAME,
			O_RDWR | O_CREAT | O_CLOEXEC, 0644);
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

int home_open(const char *root, const struct config *c, struct home *ret,
	       struct diag *d)
{
	struct home p = { -1, -1, -1, "", "" };
	int rc;

	p.root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p.root_fd < 0)
		return diag_set(d, -errno, "--root %s: %s", root,
				strerror(errno));
	p.run_dir_fd = folder_make(p.root_fd, c->run_dir);
	if (p.run_dir_fd >= 0)
		p.lock_fd = openat(p.run_dir_fd, LOCK_NAME,
				   O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (p.lock_fd < 0) {
		rc = diag_set(d, -errno, "[Agent] run_dir = %s (below %s): %s",
			      c->run_dir, root, strerror(errno));
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
