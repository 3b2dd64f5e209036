#include "agent/spool/disk.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRESH ".new"
#define FILE_MODE 0600

/* --- system calls --------------------------------------------------------- */

static int file_open(void *context, int dir_fd, const char *name, int flags,
		     mode_t mode)
{
	int fd = openat(dir_fd, name, flags | O_CLOEXEC | O_NOFOLLOW, mode);

	(void)context;	/* not used */
	if (fd < 0)
		return -errno;
	return fd;
}

static ssize_t file_write(void *context, int fd, const void *octets, size_t len)
{
	ssize_t n = write(fd, octets, len);

	(void)context;
	return n < 0 ? -errno : n;
}

static ssize_t file_overwrite(void *context, int fd, const void *octets,
			      size_t len)
{
	ssize_t n = pwrite(fd, octets, len, 0);

	(void)context;
	return n < 0 ? -errno : n;
}

static ssize_t file_read(void *context, int fd, void *ret, size_t len,
			 uint64_t offset)
{
	ssize_t n = pread(fd, ret, len, (off_t)offset);

	(void)context;
	return n < 0 ? -errno : n;
}

static int64_t file_size(void *context, int fd)
{
	struct stat st;

	(void)context;
	return fstat(fd, &st) < 0 ? -errno : st.st_size;
}

static int file_truncate(void *context, int fd, uint64_t len)
{
	(void)context;
	return ftruncate(fd, (off_t)len) < 0 ? -errno : 0;
}

static int file_sync(void *context, int fd)
{
	(void)context;
	return fdatasync(fd) < 0 ? -errno : 0;
}

static int file_sync_not(void *context, int fd)
{
	(void)context;
	(void)fd;
	return 0;
}

static int file_close(void *context, int fd)
{
	(void)context;
	return close(fd) < 0 ? -errno : 0;
}

static int file_rename(void *context, int dir_fd, const char *from,
		       const char *to)
{
	(void)context;
	return renameat(dir_fd, from, dir_fd, to) < 0 ? -errno : 0;
}

static int file_unlink(void *context, int dir_fd, const char *name)
{
	(void)context;
	return unlinkat(dir_fd, name, 0) < 0 ? -errno : 0;
}

static int folder_make(void *context, int dir_fd, const char *name, mode_t mode)
{
	(void)context;
	return mkdirat(dir_fd, name, mode) < 0 ? -errno : 0;
}

static int folder_list(void *context, int dir_fd, disk_name_fn *each, void *to)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int err = dir ? 0 : -errno;

	(void)context;
	if (!dir && fd >= 0)
		(void)close(fd);
	while (dir && (entry = readdir(dir)))
		each(to, entry->d_name);
	if (dir)
		(void)closedir(dir);
	return err;
}

const struct disk disk_durable = {
	.open = file_open, .write = file_write, .overwrite = file_overwrite,
	.read = file_read, .size = file_size, .truncate = file_truncate,
	.sync = file_sync, .close = file_close, .rename = file_rename,
	.unlink = file_unlink, .make = folder_make, .list = folder_list
};

const struct disk disk_volatile = {
	.open = file_open, .write = file_write, .overwrite = file_overwrite,
	.read = file_read, .size = file_size, .truncate = file_truncate,
	.sync = file_sync_not, .close = file_close, .rename = file_rename,
	.unlink = file_unlink, .make = folder_make, .list = folder_list
};

/* --- octets --------------------------------------------------------------- */

int disk_append(const struct disk *d, int fd, const void *octets, size_t len)
{
	const char *at = octets;

	while (len > 0) {
		ssize_t n = d->write(d->context, fd, at, len);

		if (n == -EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? (int)n : -EIO;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

int disk_read(const struct disk *d, int fd, void *ret, size_t len,
	      uint64_t offset)
{
	char *at = ret;

	while (len > 0) {
		ssize_t n = d->read(d->context, fd, at, len, offset);

		if (n == -EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? (int)n : -ENODATA;
		at += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

int disk_folder(const struct disk *d, int dir_fd, const char *name, mode_t mode)
{
	int rc = d->make(d->context, dir_fd, name, mode);

	return rc < 0 && rc != -EEXIST ? rc : d->sync(d->context, dir_fd);
}

/* --- whole files ---------------------------------------------------------- */

/* Errors of a delayed write are reported by sync or close. */
static int fresh_write(const struct disk *d, int dir_fd, const char *fresh,
		       const void *octets, size_t len)
{
	int fd = d->open(d->context, dir_fd, fresh,
			 O_WRONLY | O_CREAT | O_EXCL, FILE_MODE);
	int rc, closed;

	if (fd < 0)
		return fd;
	rc = disk_append(d, fd, octets, len);
	if (rc == 0)
		rc = d->sync(d->context, fd);
	closed = d->close(d->context, fd);
	return rc < 0 ? rc : closed;
}

int disk_put(const struct disk *d, int dir_fd, const char *name,
	     const void *octets, size_t len)
{
	char fresh[DISK_NAME_MAX + sizeof(FRESH)];
	int rc;

	assert(strlen(name) <= DISK_NAME_MAX);
	(void)snprintf(fresh, sizeof(fresh), "%s" FRESH, name);
	(void)d->unlink(d->context, dir_fd, fresh);	/* left by a cut */
	rc = fresh_write(d, dir_fd, fresh, octets, len);
	if (rc == 0)
		rc = d->rename(d->context, dir_fd, fresh, name);
	if (rc < 0) {
		(void)d->unlink(d->context, dir_fd, fresh);
		return rc;
	}
	return d->sync(d->context, dir_fd);
}
