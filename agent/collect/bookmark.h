/* Where a sink resumes after a restart: a small file in the spool's folder. A
 * kill leaves the old or the new one; after a power cut it may be older.
 */
#pragma once

#include "agent/collect/follow.h"
#include "petrel/diag.h"

#define BOOKMARK_START_MAX 32

struct bookmark {
	struct place at;	/* all before it was accepted */
	struct place kept;	/* reading begins there: <= at */
	char engine_start[BOOKMARK_START_MAX];	/* "": not known */
};

/* A bookmark of the spool's begin if none can be read. ret_more, if not NULL:
 * the sink's own text, to be freed, or NULL.
 */
void bookmark_read(const struct disk *disk, int dir_fd, const char *name,
		   struct bookmark *ret, char **ret_more);
/* disk: disk_volatile, because nothing waits for it. more: what its sink saves
 * besides, as text; NULL: nothing. Returns a negative errno with d.
 */
int bookmark_write(const struct disk *disk, int dir_fd, const char *name,
		   const struct bookmark *b, const char *more, struct diag *d);
