/* Paths below the switch's root, which a test may put anywhere. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct diag;
struct sockaddr_un;
struct stat;

/* Opens path below root_fd, with its symbolic links held below it too (SONiC's
 * /var/run is one). flags as for open(2), without O_CREAT; O_CLOEXEC is added.
 * Returns a descriptor or a negative errno.
 */
int path_open(int root_fd, const char *path, int flags);

/* Connects a stream socket to path below root_fd without waiting. A path of
 * any length will do. Returns a descriptor or a negative errno.
 */
int path_connect(int root_fd, const char *path);
/* The address of a socket in a folder: however long its path, 107 octets hold
 * it. Returns -ENAMETOOLONG.
 */
int path_address(int dir_fd, const char *name, struct sockaddr_un *ret);

/* The whole file as a string with a NUL behind it; free() it.
 * Returns -EFBIG past max octets, or another negative errno.
 */
int path_read(int root_fd, const char *path, size_t max, char **ret_text,
	      size_t *ret_len);

/* The first line of a small file, cut to cap; "" and false where it cannot be
 * read or is empty.
 */
bool path_line(int root_fd, const char *path, char *ret, size_t cap);

/* What lies there, which need not be readable; false: nothing. */
bool path_stat(int root_fd, const char *path, struct stat *ret);

/* Calls fn for each name of a folder that does not begin with a dot, until one
 * returns other than 0. Returns that, or 0; a negative errno where the folder
 * cannot be listed.
 */
typedef int path_entry_fn(void *context, int dir_fd, const char *name);
int path_each(int root_fd, const char *path, path_entry_fn *fn, void *context);

/* A system call on path below root_fd failed with rc, a negative errno: that in
 * words, and for -EACCES and -EPERM whose the file is and its mode, or that of
 * the first folder on its way that may not be passed.
 */
#define PATH_REASON_MAX 160
void path_reason(int root_fd, const char *path, int rc,
		 char ret[static PATH_REASON_MAX]);

/* The same as a sentence that names the path: "PATH cannot be opened: WHY".
 * Returns rc.
 */
int path_diag(struct diag *d, int root_fd, const char *path, int rc);

/* Whether root_fd is this process' own "/", and so the kernel this one's. */
bool path_is_own_root(int root_fd);
