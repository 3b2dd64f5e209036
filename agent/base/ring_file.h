/* The file behind a ring: opened, checked, made. For ring_set.c and ring.c
 * alone.
 */
#pragma once

#include <sys/types.h>

#include "agent/base/ring_memory.h"
#include "petrel/diag.h"

#define RING_MAGIC UINT64_C(0x5054524c52494e47)	/* PTRLRING */
#define RING_VERSION 1u
#define RING_NAME_MAX 24

/* samples.ring and the like. */
void ring_file_name(enum stream stream, char ret[static RING_NAME_MAX]);

/* Maps a ring that is there. Returns -ENOENT, -EBADMSG (not a ring, cut short,
 * other version) with d, which names the file.
 */
int ring_file_open(int dir_fd, enum stream stream, bool read_only,
		   struct ring **ret, struct diag *d);

/* Unmaps; NULL is allowed. */
void ring_file_close(struct ring *r);

/* Every record from first to next is there, whole, in order.
 * Returns -EBADMSG with d; *ret_end is then the first that is not. A writer
 * that overtakes is no damage. ret_end may be NULL.
 */
int ring_file_verify(const struct ring *r, uint64_t *ret_end, struct diag *d);

/* Makes an empty ring under a name of its own, with its room taken; mapped.
 * ring_file_publish() gives it its name.
 */
int ring_file_make(int dir_fd, const struct ring_fixed *fixed,
		   struct ring **ret, struct diag *d);
/* Puts the made ring in the place of the one that has the name. */
int ring_file_publish(int dir_fd, enum stream stream, struct diag *d);

/* Who may read the file; see ring_set_share(). */
int ring_file_share(int dir_fd, enum stream stream, bool all, gid_t group,
		    struct diag *d);
