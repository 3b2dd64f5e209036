/* All operations on a disk, in one table, so that a test can replace it by one
 * that is full, fails, or loses power: for the sender's spool, the collector's,
 * and the replacement of whole files (disk_put()).
 *
 * A power cut may have these effects, and all code must survive them: data
 * written since the last sync of its file is there in part, in any order, or as
 * zeros; names created, changed and removed since the last sync of their folder
 * are so, each independently, or not.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef void disk_name_fn(void *to, const char *name);

/* Each as the system call of its name, but returns a negative errno. */
struct disk {
	void *context;
	/* Adds O_CLOEXEC and O_NOFOLLOW to flags. */
	int (*open)(void *context, int dir_fd, const char *name, int flags,
		    mode_t mode);
	/* Appends: files are opened with O_APPEND, or are new. */
	ssize_t (*write)(void *context, int fd, const void *octets, size_t len);
	/* Overwrites the start of the file: pwrite(2) at 0. */
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

/* Synced data survives a power cut. */
extern const struct disk disk_durable;
/* For a folder in memory, which a power cut erases anyway: it waits for
 * nothing.
 */
extern const struct disk disk_volatile;

#define DISK_NAME_MAX 64

/* Writes all of it, or returns a negative errno; then a part may be written. */
int disk_append(const struct disk *d, int fd, const void *octets, size_t len);
/* Reads len octets. Returns -ENODATA: the file is shorter, or -errno. */
int disk_read(const struct disk *d, int fd, void *ret, size_t len,
	      uint64_t offset);

/* Creates a folder of this name, unless the name exists. What is synced in it
 * survives a power cut only if its own name does: that is synced, whoever
 * created it. Returns a negative errno.
 */
int disk_folder(const struct disk *d, int dir_fd, const char *name,
		mode_t mode);

/* Replaces the file of this name, or whatever has the name, by one of mode
 * 0600: written whole to NAME.new, synced, renamed, and the folder synced.
 * Whenever it is interrupted the old or the new file is there, whole. Returns a
 * negative errno; the new one may be there all the same.
 */
int disk_put(const struct disk *d, int dir_fd, const char *name,
	     const void *octets, size_t len);
