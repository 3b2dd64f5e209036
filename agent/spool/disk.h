/* All that is asked of a disk, in one table, so that a test can put one in its
 * place that is full, fails, or loses its power; and what replaces a file as a
 * whole.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* Each as the system call of its name, but for a negative errno. */
struct disk {
	void *context;
	/* O_CLOEXEC and O_NOFOLLOW are added to flags. */
	int (*open)(void *context, int dir_fd, const char *name, int flags,
		    mode_t mode);
	ssize_t (*write)(void *context, int fd, const void *octets, size_t len);
	int (*sync)(void *context, int fd);	/* of a file or a folder */
	int (*close)(void *context, int fd);
	int (*rename)(void *context, int dir_fd, const char *from,
		      const char *to);
	int (*unlink)(void *context, int dir_fd, const char *name);
};

/* What is synced is there after a power cut. */
extern const struct disk disk_durable;
/* For a folder in memory, which no power cut leaves anything of: it waits for
 * nothing.
 */
extern const struct disk disk_volatile;

#define DISK_NAME_MAX 64

/* Puts a file of mode 0600 in the place of the one of this name, or of whatever
 * has it: written whole to NAME.new, synced, renamed, and the folder synced.
 * Whenever it is cut short the old one or the new one is there, whole.
 * Returns a negative errno; the new one may then be there all the same.
 */
int disk_put(const struct disk *d, int dir_fd, const char *name,
	     const void *octets, size_t len);
