/* Keeps the coarser tiers of the history: reads the ring of samples, folds what
 * is kept of it, and appends rows to files (tier_file.h). The ring outlives all
 * processes, and so does what is not written yet; whoever begins anew goes on
 * behind the last row that is there.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>
#include "agent/spool/disk.h"
#include "petrel/clock.h"

struct ring_set;
struct tiers;

struct tiers_env {
	const struct disk *disk;
	int dir_fd;			/* borrowed, as all of it */
	mode_t mode;			/* of the files */
	const struct ring_set *rings;
	const char *switch_id, *switch_name, *version;
};

/* Looks where the files end. Returns a negative errno. */
int tiers_new(const struct tiers_env *env, struct tiers **ret);
/* NULL is allowed. */
void tiers_free(struct tiers *t);

/* Writes the rows of all spans that the ring has to their end. Returns the
 * first error of the disk, -EDQUOT: no room is left for today; what could not
 * be written is missing.
 */
int tiers_run(struct tiers *t, const struct clock_reading *now);

/* Series that are kept, that had no room, and octets written. */
struct tiers_count {
	size_t series, left_out;
	uint64_t octets;
};
void tiers_count(const struct tiers *t, struct tiers_count *ret);
