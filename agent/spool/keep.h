/* A file of what would take long to learn again, in two folders: one that
 * outlives the process (in memory), and one that outlives the machine's boot
 * (on flash, of which a day may write so much). What the octets mean is for
 * others to say.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/clock.h"
#include "petrel/diag.h"

#define KEEP_NAME "memory"
#define KEEP_REFUSED_NAME "memory.refused"

/* Flash written in any 24 hours, at most (state's share of the design's
 * budget): half of it may lie saved, and half comes in a day.
 */
#define KEEP_DAY_OCTETS (8 * 1024 * 1024)
#define KEEP_SAVED_OCTETS (KEEP_DAY_OCTETS / 2)
/* What a file costs beside its pages: inode, folder, journal. */
#define KEEP_PAGE_OCTETS 4096
#define KEEP_EXTRA_OCTETS (3 * KEEP_PAGE_OCTETS)
#define KEEP_OCTETS_MAX (KEEP_SAVED_OCTETS - KEEP_EXTRA_OCTETS)

/* Is it whole, and when was it written? *ret_why: why not. */
typedef int keep_check_fn(const void *octets, size_t len,
			  struct wall *ret_wall, const char **ret_why);

struct keep_copy {
	void *octets;		/* free() them */
	size_t len;
	struct wall wall;	/* when they were written */
};

/* Reads the file in this folder, if it is whole and nobody else's. One that is
 * refused goes out of the way, to KEEP_REFUSED_NAME. Returns -ENOENT, or
 * another negative errno with d, which names the file.
 */
int keep_read(int dir_fd, keep_check_fn *check, struct keep_copy *ret,
	      struct diag *d);

/* Puts it out of the way. */
void keep_refuse(int dir_fd);

/* How often it may go to flash. */
enum keep_reason {
	KEEP_ROUTINE,		/* each hour */
	KEEP_PRESSING,		/* a finding began or ended: each minute */
	KEEP_AT_THE_END,	/* at once */
};

struct keep_pace {
	int64_t octets;		/* that may be written; as of */
	struct mono counted;
	bool has_last;
	struct mono last;	/* copied, or tried */
};

/* age_ns: of the copy that is there; negative: there is none. What was not
 * written before it is not known, and not counted.
 */
void keep_pace_init(struct keep_pace *p, int64_t age_ns, struct mono now);

/* May len octets be written now? Then they count as written. One copy more is
 * held back for the end.
 */
bool keep_pace_take(struct keep_pace *p, size_t len, enum keep_reason reason,
		    struct mono now);
