#include "agent/base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/base/number.h"
#include "petrel/diag.h"

/* --- without openat2: one component at a time ----------------------------- */

#define WALK_DEPTH_MAX 64	/* folders below the root */
#define WALK_LINKS_MAX 40	/* as the kernel's own limit */

/* The state of a walk: the root, then each folder entered below it. A ".."
 * returns to the one before, and never above the root.
 */
struct path_walk {
	int folder[WALK_DEPTH_MAX];
	size_t depth;			/* folders entered; 0: at the root */
	unsigned links;
	char path[PATH_MAX];
	const char *rest;		/* of path, still to walk: empty, or
					 * begins with a slash */
};

static int walk_at(const struct path_walk *w)
{
	return w->folder[w->depth];
}

static void walk_leave(struct path_walk *w)
{
	close(w->folder[w->depth--]);
}

static void walk_to_root(struct path_walk *w)
{
	while (w->depth > 0)
		walk_leave(w);
}

/* Puts the target of the link before the rest of the path. */
static int walk_link(struct path_walk *w, int link_fd)
{
	char target[PATH_MAX], rest[PATH_MAX];
	ssize_t n = readlinkat(link_fd, "", target, sizeof(target) - 1);
	int len;

	if (n < 0)
		return -errno;
	if (++w->links > WALK_LINKS_MAX)
		return -ELOOP;
	target[n] = '\0';
	if (target[0] == '/')
		walk_to_root(w);
	len = snprintf(rest, sizeof(rest), "%s%s", target, w->rest);
	if (len >= (int)sizeof(rest))
		return -ENAMETOOLONG;
	memcpy(w->path, rest, (size_t)len + 1);
	w->rest = w->path;
	return 0;
}

/* Takes the next component off the path; false if there is none. */
static bool walk_next(struct path_walk *w, char ret[static NAME_MAX + 2])
{
	size_t skip = strspn(w->rest, "/");
	size_t len = strcspn(w->rest + skip, "/");
	size_t after = skip + len;

	if (len == 0)
		return false;
	(void)snprintf(ret, NAME_MAX + 2, "%.*s", (int)len, w->rest + skip);
	w->rest += after;
	return true;
}

static int walk_enter(struct path_walk *w, int fd)
{
	if (w->depth + 1 == WALK_DEPTH_MAX) {
		close(fd);
		return -ENAMETOOLONG;
	}
	w->folder[++w->depth] = fd;
	return 0;
}

/* One component. Returns 0 to continue, 1 if it was the last, which is not
 * entered.
 */
static int walk_step(struct path_walk *w, const char *name)
{
	struct stat st;
	int fd, rc;

	if (strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0) {
		if (w->depth > 0)
			walk_leave(w);
		return 0;
	}
	fd = openat(walk_at(w), name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = fstat(fd, &st) < 0 ? -errno : 0;
	if (rc == 0 && S_ISDIR(st.st_mode))
		return walk_enter(w, fd);
	if (rc == 0 && S_ISLNK(st.st_mode))
		rc = walk_link(w, fd);
	else if (rc == 0)
		rc = w->rest[0] ? -ENOTDIR : 1;
	close(fd);
	return rc;
}

/* openat2() with RESOLVE_IN_ROOT for kernels without it, and for seccomp
 * filters that refuse it.
 */
static int path_walk(int root_fd, const char *path, int flags)
{
	struct path_walk w = { .folder = { root_fd } };
	char name[NAME_MAX + 2] = ".";
	int rc = 0, fd;

	if (!path[0] || strlen(path) >= sizeof(w.path))
		return path[0] ? -ENAMETOOLONG : -ENOENT;
	memcpy(w.path, path, strlen(path) + 1);
	w.rest = w.path;
	while (rc == 0 && walk_next(&w, name))
		rc = walk_step(&w, name);
	if (rc < 0) {
		walk_to_root(&w);
		return rc;
	}
	fd = openat(walk_at(&w), rc > 0 ? name : ".",
		    flags | O_NOFOLLOW | O_CLOEXEC);
	rc = fd < 0 ? -errno : fd;
	walk_to_root(&w);
	return rc;
}

int path_open(int root_fd, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT,
	};
	long fd = syscall(SYS_openat2, root_fd, path, &how, sizeof(how));

	if (fd >= 0)
		return (int)fd;
	/* Since Linux 5.6. RestrictSUIDSGID= of systemd answers ENOSYS; a
	 * container's filter that does not know it, EPERM. EAGAIN: a rename
	 * raced with a ".." of the path.
	 */
	if (errno == ENOSYS || errno == EPERM || errno == EAGAIN)
		return path_walk(root_fd, path, flags);
	return -errno;
}

int path_address(int dir_fd, const char *name, struct sockaddr_un *ret)
{
	int n;

	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	n = snprintf(ret->sun_path, sizeof(ret->sun_path),
		     "/proc/self/fd/%d/%s", dir_fd, name);
	return n < (int)sizeof(ret->sun_path) ? 0 : -ENAMETOOLONG;
}

static int socket_connect(const struct sockaddr_un *address)
{
	int rc, fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			    0);

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)address,
		    sizeof(*address)) == 0)
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

int path_connect(int root_fd, const char *path)
{
	const char *name = strrchr(path, '/');
	struct sockaddr_un address;
	char folder[512];
	int dir_fd, rc;

	if (!name || (size_t)(name - path) >= sizeof(folder))
		return -ENAMETOOLONG;
	memcpy(folder, path, (size_t)(name - path));
	folder[name - path] = '\0';
	dir_fd = path_open(root_fd, name == path ? "/" : folder,
			   O_PATH | O_DIRECTORY);
	if (dir_fd < 0)
		return dir_fd;
	rc = path_address(dir_fd, name + 1, &address);
	if (rc == 0)
		rc = socket_connect(&address);
	close(dir_fd);
	return rc;
}

static int file_read(int fd, char *text, size_t max, size_t *ret_len)
{
	size_t len = 0;
	ssize_t n;

	do {
		n = read(fd, text + len, max + 1 - len);
		if (n < 0)
			return -errno;
		len += (size_t)n;
		if (len > max)
			return -EFBIG;
	} while (n > 0);
	text[len] = '\0';
	*ret_len = len;
	return 0;
}

int path_read(int root_fd, const char *path, size_t max, char **ret_text,
	      size_t *ret_len)
{
	int rc, fd = path_open(root_fd, path, O_RDONLY | O_NONBLOCK);
	char *text;

	if (fd < 0)
		return fd;
	text = malloc(max + 2);
	rc = text ? file_read(fd, text, max, ret_len) : -ENOMEM;
	close(fd);
	if (rc < 0)
		free(text);
	else
		*ret_text = text;
	return rc;
}

bool path_line(int root_fd, const char *path, char *ret, size_t cap)
{
	int fd = path_open(root_fd, path, O_RDONLY | O_NONBLOCK);
	ssize_t n = fd >= 0 ? read(fd, ret, cap - 1) : -1;

	if (fd >= 0)
		close(fd);
	ret[n > 0 ? n : 0] = '\0';
	ret[strcspn(ret, "\n")] = '\0';
	return ret[0] != '\0';
}

bool path_stat(int root_fd, const char *path, struct stat *ret)
{
	int fd = path_open(root_fd, path, O_PATH);
	bool ok = fd >= 0 && fstat(fd, ret) == 0;

	if (fd >= 0)
		close(fd);
	return ok;
}

int path_each(int root_fd, const char *path, path_entry_fn *fn, void *context)
{
	int rc = 0, fd = path_open(root_fd, path, O_RDONLY | O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (fd < 0)
		return fd;
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while (rc == 0 && (e = readdir(dir)) != NULL)
		if (e->d_name[0] != '.')
			rc = fn(context, fd, e->d_name);
	closedir(dir);
	return rc;
}

#define ACCOUNT_LINE_MAX 4096

/* The name of a user or a group, from this machine's own file; a name service
 * is not asked because it may block. If there is no name: the number.
 */
static void account_write(const char *file, unsigned id, char *ret, size_t cap)
{
	FILE *f = fopen(file, "re");
	char line[ACCOUNT_LINE_MAX];
	uint64_t number;

	(void)snprintf(ret, cap, "%u", id);
	while (f && fgets(line, sizeof(line), f)) {
		char *rest = line, *name = strsep(&rest, ":");

		(void)strsep(&rest, ":");	/* the password */
		if (!rest || number_parse(strsep(&rest, ":"), id, id,
					  &number) < 0)
			continue;
		(void)snprintf(ret, cap, "%.32s", name);
		break;
	}
	if (f)
		(void)fclose(f);	/* read-only */
}

/* For the path, else for the longest part of it that can be reached. */
static bool first_refused(int root_fd, const char *path, struct stat *ret)
{
	char part[PATH_MAX];
	int n = snprintf(part, sizeof(part), "%s", path), fd;

	while (n > 0 && n < (int)sizeof(part)) {
		fd = path_open(root_fd, part, O_PATH);
		if (fd >= 0 || fd != -EACCES)
			break;
		while (n > 0 && part[--n] != '/')
			;
		part[n] = '\0';
		if (n == 0)
			(void)snprintf(part, sizeof(part), "/");
	}
	if (n < 0 || n >= (int)sizeof(part))
		return false;
	return path_stat(root_fd, part, ret);
}

void path_reason(int root_fd, const char *path, int rc,
		 char ret[static PATH_REASON_MAX])
{
	char owner[40], group[40];
	struct stat st;

	(void)snprintf(ret, PATH_REASON_MAX, "%s", strerror(-rc));
	if ((rc != -EACCES && rc != -EPERM) ||
	    !first_refused(root_fd, path, &st))
		return;
	account_write("/etc/passwd", st.st_uid, owner, sizeof(owner));
	account_write("/etc/group", st.st_gid, group, sizeof(group));
	(void)snprintf(ret, PATH_REASON_MAX,
		       "%s (owner %s, group %s, mode %04o)", strerror(-rc),
		       owner, group, st.st_mode & 07777);
}

int path_diag(struct diag *d, int root_fd, const char *path, int rc)
{
	char why[PATH_REASON_MAX];

	path_reason(root_fd, path, rc, why);
	return diag_set(d, rc, "%s cannot be opened: %s", path, why);
}

bool path_is_own_root(int root_fd)
{
	struct stat given, own;

	return fstat(root_fd, &given) == 0 && stat("/", &own) == 0 &&
	       given.st_dev == own.st_dev && given.st_ino == own.st_ino;
}
