#include "agent/base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

int path_open(int root_fd, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT,
	};
	long fd = syscall(SYS_openat2, root_fd, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

/* The socket's folder is opened, and the name reached through it: sun_path
 * holds 107 octets, however long the root.
 */
static int address_of(int dir_fd, const char *name, struct sockaddr_un *ret)
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
	rc = address_of(dir_fd, name + 1, &address);
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

bool path_is_own_root(int root_fd)
{
	struct stat given, own;

	return fstat(root_fd, &given) == 0 && stat("/", &own) == 0 &&
	       given.st_dev == own.st_dev && given.st_ino == own.st_ino;
}
