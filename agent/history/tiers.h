/* Keeps the coarser tiers of the history: reads the ring of samples, folds what
 * is kept of it, and appends rows to files (tier_file.h). The ring outlives all
 * processes, and with it samples that are not written yet; after a restart
 * tiers go on after the last row in the files.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "agent/history/tier_file.h"
#include "agent/spool/disk.h"
#include "petrel/clock.h"

struct ring_set;
struct tiers;

struct tiers_env {
	const struct disk *disk;
	int dir_fd;			/* borrowed, as are all members */
	mode_t mode;			/* of the files */
	uint64_t held_octets;		/* at most, by all files */
	uint64_t day_octets;		/* written in a day of UTC, at most */
	const struct ring_set *rings;
	const char *switch_id, *switch_name, *version;
};

/* Finds where the files end, and how much was written today. Returns a negative
 * errno.
 */
int tiers_new(const struct tiers_env *env, const struct clock_reading *now,
	      struct tiers **ret);
/* NULL is allowed. */
void tiers_free(struct tiers *t);

/* Writes the rows of all spans that are complete in the ring. Returns the first
 * error of the disk, -EDQUOT: today's limit is reached; rows that could not be
 * written are missing.
 */
int tiers_run(struct tiers *t, const struct clock_reading *now);

struct tiers_count {
	size_t series, left_out;	/* that are kept; that had no room */
	uint64_t held, written;		/* octets: of all files; today */
	uint64_t began_s[TIER_COUNT];	/* of the oldest file; 0: none */
	bool is_short;		/* the oldest rows went for lack of room */
};
/* Reads the folder. Returns a negative errno. */
int tiers_count(const struct tiers *t, struct tiers_count *ret);
