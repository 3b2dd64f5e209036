#include "agent/base/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OTHERS_WRITE (S_IWGRP | S_IWOTH)

static bool owner_is_fit(const struct stat *st)
{
	return geteuid() == 0 || st->st_uid == 0 || st->st_uid == geteuid();
}

int folder_check(int dir_fd, const char *path, struct diag *d)
{
	struct stat st;

	if (fstat(dir_fd, &st) < 0)
		return diag_set(d, -errno, "%s: %s", path, strerror(errno));
	if (owner_is_fit(&st) && !(st.st_mode & OTHERS_WRITE))
		return 0;
	return diag_set(d, -EPERM, "%s belongs to uid %u with mode %04o; "
			"expected a folder of root or uid %u to which nobody "
			"else may write (0755)", path, (unsigned)st.st_uid,
			(unsigned)st.st_mode & 07777, (unsigned)geteuid());
}

static int file_fit(int fd, mode_t mode)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if ((st.st_mode & 07777) != mode && fchmod(fd, mode) < 0)
		return -errno;
	return 0;
}

int folder_file(int dir_fd, const char *name, mode_t mode)
{
	int fd = openat(dir_fd, name, O_RDWR | O_CREAT | O_CLOEXEC |
			O_NOFOLLOW | O_NONBLOCK, mode);
	int rc;

	if (fd < 0)
		return -errno;
	rc = file_fit(fd, mode);
	if (rc < 0) {
		(void)close(fd);
		return rc;
	}
	return fd;
}

/* The file's size, which is not 0, if it may be read. */
static ssize_t size_fit(int fd, size_t max)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size <= 0)
		return -EINVAL;
	if (!owner_is_fit(&st) || (st.st_mode & OTHERS_WRITE))
		return -EPERM;
	if ((uintmax_t)st.st_size > max)
		return -EFBIG;
	return (ssize_t)st.st_size;
}

/* Returns how many octets were read, up to cap. */
static ssize_t all_read(int fd, char *to, size_t cap)
{
	size_t len = 0;

	while (len < cap) {
		ssize_t n = read(fd, to + len, cap - len);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			break;
		len += n > 0 ? (size_t)n : 0;
	}
	return (ssize_t)len;
}

int folder_read_open(int dir_fd, const char *name, size_t max,
		     size_t *ret_size)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
			O_NONBLOCK | O_NOCTTY);
	ssize_t n = fd < 0 ? 0 : size_fit(fd, max);

	if (fd < 0)
		return errno == ENXIO ? -EINVAL : -errno;	/* a socket */
	if (n < 0) {
		(void)close(fd);	/* read-only */
		return (int)n;
	}
	*ret_size = (size_t)n;
	return fd;
}

int folder_read(int dir_fd, const char *name, size_t max, void **ret,
		size_t *ret_len)
{
	size_t size = 0;
	int fd = folder_read_open(dir_fd, name, max, &size);
	char *octets;
	ssize_t n;

	if (fd < 0)
		return fd;
	octets = size > 0 ? malloc(size) : NULL;
	n = octets ? all_read(fd, octets, size) : -ENOMEM;
	(void)close(fd);	/* read-only */
	if (n < 0) {
		free(octets);
		return (int)n;
	}
	*ret = octets;
	*ret_len = (size_t)n;
	return 0;
}
