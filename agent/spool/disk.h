/* All that is asked of a disk, in one table, so that a test can put one in its
 * place that is full, fails, or loses its power: by the sender's spool, the
 * collector's, and whatever replaces a file as a whole (disk_put()).
 *
 * What a power cut may do, and all of this must stand: what was written since
 * the last sync of its file is there in part, in any order, or as zeros; names
 * made, changed and taken away since the last sync of their folder are so, each
 * for itself, or not.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef void disk_name_fn(void *to, const char *name);

/* Each as the system call of its name, but for a negative errno. */
struct disk {
	void *context;
	/* O_CLOEXEC and O_NOFOLLOW are added to flags. */
	int (*open)(void *context, int dir_fd, const char *name, int flags,
		    mode_t mode);
	/* Appends: files are opened with O_APPEND, or are new. */
	ssize_t (*write)(void *context, int fd, const void *octets, size_t len);
	/* Over what the file begins with: pwrite(2) at 0. */
	ssize_t (*overwrite)(void *context, int fd, const void *octets,
			     size_t len);
	ssize_t (*read)(void *context, int fd, void *ret, size_t len,
			uint64_t offset);	/* pread(2) */
	int64_t (*size)(void *context, int fd);
	int (*truncate)(void *context, int fd, uint64_t len);
	int (*sync)(void *context, int fd);	/* of a file or a folder */
	int (*close)(void *context, int fd);
	int (*rename)(void *context, int dir_fd, const char *from,
		      const char *to);
	int (*unlink)(void *context, int dir_fd, const char *name);
	int (*make)(void *context, int dir_fd, const char *name,
		    mode_t mode);	/* a folder: mkdirat(2) */
	/* Each name in a folder, in no order. Returns 0 or a negative errno. */
	int (*list)(void *context, int dir_fd, disk_name_fn *each, void *to);
};

/* What is synced is there after a power cut. */
extern const struct disk disk_durable;
/* For a folder in memory, which no power cut leaves anything of: it waits for
 * nothing.
 */
extern const struct disk disk_volatile;

#define DISK_NAME_MAX 64

/* Writes all of it, or returns a negative errno; a part may then be there. */
int disk_append(const struct disk *d, int fd, const void *octets, size_t len);
/* Reads len octets. Returns -ENODATA: the file ends before, or -errno. */
int disk_read(const struct disk *d, int fd, void *ret, size_t len,
	      uint64_t offset);

/* Makes a folder of this name, unless something has it. What is synced in it is
 * there after a power cut only where its own name is: that is synced, whoever
 * made it. Returns a negative errno.
 */
int disk_folder(const struct disk *d, int dir_fd, const char *name,
		mode_t mode);

/* Puts a file of mode 0600 in the place of the one of this name, or of whatever
 * has it: written whole to NAME.new, synced, renamed, and the folder synced.
 * Whenever it is cut short the old one or the new one is there, whole.
 * Returns a negative errno; the new one may then be there all the same.
 */
int disk_put(const struct disk *d, int dir_fd, const char *name,
	     const void *octets, size_t len);
