/* A file of data that takes long to learn, in two folders: one that outlives
 * the process (in memory), and one that outlives a reboot (on flash, with a
 * daily limit on writes). The caller interprets the octets.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/clock.h"
#include "petrel/diag.h"

#define KEEP_NAME "memory"
#define KEEP_REFUSED_NAME "memory.refused"

/* Flash written in any 24 hours, at most (the share of state in the design's
 * budget): half of it may be saved up, and half is earned per day.
 */
#define KEEP_DAY_OCTETS (8 * 1024 * 1024)
#define KEEP_SAVED_OCTETS (KEEP_DAY_OCTETS / 2)
/* The cost of a file beside its pages: inode, folder, journal. */
#define KEEP_PAGE_OCTETS 4096
#define KEEP_EXTRA_OCTETS (3 * KEEP_PAGE_OCTETS)
#define KEEP_OCTETS_MAX (KEEP_SAVED_OCTETS - KEEP_EXTRA_OCTETS)

/* Is it whole, and when was it written? *ret_why: why not. */
typedef int keep_check_fn(const void *octets, size_t len,
			  struct wall *ret_wall, const char **ret_why);

struct keep_copy {
	void *octets;		/* the caller frees them */
	size_t len;
	struct wall wall;	/* when they were written */
};

/* Reads the file in this folder, if it is whole and has the right owner. A
 * refused one is renamed to KEEP_REFUSED_NAME. Returns -ENOENT, or another
 * negative errno with d, which names the file.
 */
int keep_read(int dir_fd, keep_check_fn *check, struct keep_copy *ret,
	      struct diag *d);

/* Renames it to KEEP_REFUSED_NAME. */
void keep_refuse(int dir_fd);

/* How often it may be written to flash. */
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

/* age_ns: of the existing copy; negative: there is none. Writes before that
 * copy are unknown, and not counted.
 */
void keep_pace_init(struct keep_pace *p, int64_t age_ns, struct mono now);

/* Whether len octets may be written now; if so they count as written. One more
 * copy is reserved for the end.
 */
bool keep_pace_take(struct keep_pace *p, size_t len, enum keep_reason reason,
		    struct mono now);
