/* A folder that only its program writes, and the files in it by which one
 * process knows of another (C21): locks, the version, what was learnt.
 */
#pragma once

#include <sys/types.h>
#include "petrel/diag.h"

/* Refuses a folder that others may write to, or that belongs to somebody else
 * than root and the user who runs: whoever may put a name there chooses what
 * is read and locked. Root may be handed any owner's. path is for d, which
 * names owner and mode. Returns -EPERM.
 */
int folder_check(int dir_fd, const char *path, struct diag *d);

/* Opens or makes a file in it, to read and write, of exactly this mode,
 * whatever umask says and whoever made it; no link is followed. Returns the
 * descriptor or a negative errno (-ELOOP: a link; -EINVAL: not a file).
 */
int folder_file(int dir_fd, const char *name, mode_t mode);

/* Reads a whole file of it, of max octets at most; no link is followed, nothing
 * waited for. free() what it gives. Returns -ENOENT; -ELOOP: a link; -EINVAL:
 * not a file, or empty; -EPERM: somebody else's, or one that others may write;
 * -EFBIG; what the disk says.
 */
int folder_read(int dir_fd, const char *name, size_t max, void **ret,
		size_t *ret_len);
/* Opens such a file, for a caller that reads it piece by piece; *ret_size: its
 * octets. Returns the descriptor, or an error as folder_read().
 */
int folder_read_open(int dir_fd, const char *name, size_t max,
		     size_t *ret_size);
