/* Paths below the switch's root, which a test may move anywhere. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct diag;
struct sockaddr_un;
struct stat;

/* Opens path below root_fd, and resolves its symbolic links below it too
 * (SONiC's /var/run is one). flags as for open(2), without O_CREAT; O_CLOEXEC
 * is added. Returns a descriptor or a negative errno.
 */
int path_open(int root_fd, const char *path, int flags);

/* Connects a stream socket to path below root_fd without blocking. A path may
 * be of any length. Returns a descriptor or a negative errno.
 */
int path_connect(int root_fd, const char *path);
/* The address of a socket in a folder; it fits into 107 octets however long the
 * folder's path is. Returns -ENAMETOOLONG.
 */
int path_address(int dir_fd, const char *name, struct sockaddr_un *ret);

/* The whole file as a NUL-terminated string; the caller frees it. Returns
 * -EFBIG above max octets, or another negative errno.
 */
int path_read(int root_fd, const char *path, size_t max, char **ret_text,
	      size_t *ret_len);

/* The first line of a small file, cut to cap; "" and false if it cannot be read
 * or is empty.
 */
bool path_line(int root_fd, const char *path, char *ret, size_t cap);

/* What is there, readable or not; false: nothing. */
bool path_stat(int root_fd, const char *path, struct stat *ret);

/* Calls fn for each name in a folder that does not begin with a dot, until one
 * call returns nonzero. Returns that, or 0; a negative errno if the folder
 * cannot be listed.
 */
typedef int path_entry_fn(void *context, int dir_fd, const char *name);
int path_each(int root_fd, const char *path, path_entry_fn *fn, void *context);

/* Explains why a system call on path below root_fd failed with rc, a negative
 * errno; for -EACCES and -EPERM also owner and mode of the file, or of the
 * first folder on the path that may not be searched.
 */
#define PATH_REASON_MAX 160
void path_reason(int root_fd, const char *path, int rc,
		 char ret[static PATH_REASON_MAX]);

/* The same as a sentence that names the path: "PATH cannot be opened: WHY".
 * Returns rc.
 */
int path_diag(struct diag *d, int root_fd, const char *path, int rc);

/* Whether root_fd is this process' own "/", and so belongs to this kernel. */
bool path_is_own_root(int root_fd);
