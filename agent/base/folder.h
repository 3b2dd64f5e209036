/* A folder that only its program writes, and the files in it by which processes
 * share state (C21): locks, the version, what was learnt.
 */
#pragma once

#include <sys/types.h>
#include "petrel/diag.h"

/* Refuses a folder that others may write to, or that belongs to anyone but root
 * and the current user: whoever may create a name there chooses what is read
 * and locked. Root may use a folder of any owner. path is for d, which names
 * owner and mode. Returns -EPERM.
 */
int folder_check(int dir_fd, const char *path, struct diag *d);

/* Opens or creates a file in it, for reading and writing, with exactly this
 * mode, whatever the umask and the creator; follows no link. Returns the
 * descriptor or a negative errno (-ELOOP: a link; -EINVAL: not a file).
 */
int folder_file(int dir_fd, const char *name, mode_t mode);

/* Reads a whole file in it, at most max octets; follows no link and never
 * blocks. The caller frees the result. Returns -ENOENT; -ELOOP: a link;
 * -EINVAL: not a file, or empty; -EPERM: another owner, or others may write it;
 * -EFBIG; or an error of the disk.
 */
int folder_read(int dir_fd, const char *name, size_t max, void **ret,
		size_t *ret_len);
/* Opens such a file for a caller that reads it in pieces; *ret_size: its
 * octets. Returns the descriptor, or an error as folder_read().
 */
int folder_read_open(int dir_fd, const char *name, size_t max,
		     size_t *ret_size);
