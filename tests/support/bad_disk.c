/* A disk that hangs, is full, read-only or broken: preloaded into a program,
 * for files below BAD_DISK_BELOW. What it does is what the file BAD_DISK_SAYS
 * says, which may change at any time: hang, ENOSPC, EROFS, EIO; sync: only that
 * fails; else it works.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int said_errno(char *word, size_t cap)
{
	const char *path = getenv("BAD_DISK_SAYS");
	long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	long n = fd < 0 ? 0 : syscall(SYS_read, fd, word, cap - 1);

	if (fd >= 0)
		(void)syscall(SYS_close, fd);
	word[n > 0 ? n : 0] = '\0';
	return strcmp(word, "ENOSPC") == 0 ? ENOSPC :
	       strcmp(word, "EROFS") == 0 ? EROFS :
	       strcmp(word, "EIO") == 0 ? EIO : 0;
}

static bool is_below(int fd)
{
	const char *below = getenv("BAD_DISK_BELOW");
	char link[64], path[512];
	ssize_t n;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	return below && strncmp(path, below, strlen(below)) == 0;
}

/* 0, once it works; else errno is set. */
static int disk(int fd)
{
	static const struct timespec pause = { .tv_nsec = 10000000 };
	char word[16];
	int err;

	if (!is_below(fd))
		return 0;
	err = said_errno(word, sizeof(word));
	while (strcmp(word, "hang") == 0) {
		(void)nanosleep(&pause, NULL);
		err = said_errno(word, sizeof(word));
	}
	errno = err;
	return err;
}

ssize_t write(int fd, const void *octets, size_t len)
{
	return disk(fd) ? -1 : syscall(SYS_write, fd, octets, len);
}

ssize_t pwrite(int fd, const void *octets, size_t len, off_t offset)
{
	return disk(fd) ? -1 : syscall(SYS_pwrite64, fd, octets, len, offset);
}

ssize_t pwrite64(int fd, const void *octets, size_t len, off_t offset)
{
	return pwrite(fd, octets, len, offset);
}

int ftruncate(int fd, off_t len)
{
	/* one that is full can give octets back */
	return disk(fd) && errno != ENOSPC ? -1 :
	       (int)syscall(SYS_ftruncate, fd, len);
}

int ftruncate64(int fd, off_t len)
{
	return ftruncate(fd, len);
}

int fsync(int fd)
{
	return disk(fd) ? -1 : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	char word[16];

	if (is_below(fd) && said_errno(word, sizeof(word)) == 0 &&
	    strcmp(word, "sync") == 0) {
		errno = EIO;
		return -1;
	}
	return disk(fd) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

/* What is full or read-only can be read. */
static bool is_unreadable(int fd)
{
	char word[16];

	if (!is_below(fd))
		return false;
	(void)said_errno(word, sizeof(word));
	return strcmp(word, "ENOSPC") != 0 && strcmp(word, "EROFS") != 0 &&
	       disk(fd);
}

ssize_t read(int fd, void *ret, size_t len)
{
	return is_unreadable(fd) ? -1 : syscall(SYS_read, fd, ret, len);
}

ssize_t pread(int fd, void *ret, size_t len, off_t offset)
{
	return is_unreadable(fd) ? -1 :
	       syscall(SYS_pread64, fd, ret, len, offset);
}

ssize_t pread64(int fd, void *ret, size_t len, off_t offset)
{
	return pread(fd, ret, len, offset);
}

static int open_at(int dir_fd, const char *name, int flags, mode_t mode)
{
	if ((flags & O_CREAT) && dir_fd >= 0 && disk(dir_fd))
		return -1;
	return (int)syscall(SYS_openat, dir_fd, name, flags, mode);
}

int openat(int dir_fd, const char *name, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = va_arg(args, mode_t);
	va_end(args);
	return open_at(dir_fd, name, flags, mode);
}

int openat64(int dir_fd, const char *name, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = va_arg(args, mode_t);
	va_end(args);
	return open_at(dir_fd, name, flags, mode);
}
