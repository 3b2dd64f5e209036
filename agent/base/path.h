/* Paths below the switch's root, which a test may put anywhere. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Opens path below root_fd, with its symbolic links held below it too (SONiC's
 * /var/run is one). flags as for open(2); O_CLOEXEC is added.
 * Returns a descriptor or a negative errno.
 */
int path_open(int root_fd, const char *path, int flags);

/* Connects a stream socket to path below root_fd without waiting. A path of
 * any length will do. Returns a descriptor or a negative errno.
 */
int path_connect(int root_fd, const char *path);

/* The whole file as a string with a NUL behind it; free() it.
 * Returns -EFBIG past max octets, or another negative errno.
 */
int path_read(int root_fd, const char *path, size_t max, char **ret_text,
	      size_t *ret_len);

/* Whether root_fd is this process' own "/", and so the kernel this one's. */
bool path_is_own_root(int root_fd);
