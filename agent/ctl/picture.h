/* Pictures of one port: its past errors, light, heat and load, from
 * look_back.h, with the thresholds of its module and the onsets of its
 * findings. For petrel plot, and for the past in petrel watch.
 */
#pragma once

#include <stdint.h>
#include "agent/ctl/screen.h"
#include "petrel/diag.h"

struct agent_place;
struct invocation;
struct chart;

struct picture_wish {
	const char *port;
	/* Words of picture.c, or names of quantities; none: the most telling
	 * ones, and those of the port's findings. Borrowed.
	 */
	const char *const *words;
	unsigned word_count;
	int64_t since_ns;	/* 0: as far back as each reading is kept, but
				 * at most 15 minutes
				 */
	/* A finding: shows its capsule, over the capsule's time; NULL: shows
	 * since_ns.
	 */
	const char *capsule_of;
};

/* Takes one of count pictures. A result other than 0 stops the rest. */
typedef int picture_fn(void *context, const struct chart *p, unsigned count);

/* Gives each picture, the top one first. d: what of the past cannot be read, or
 * "". Returns -ENODEV: no such port, -EINVAL: no such quantity, -ENOENT: no
 * rings, or no such capsule, or another negative errno, with d.
 */
int picture_each(const struct agent_place *place,
		 const struct picture_wish *wish, picture_fn *fn, void *context,
		 struct diag *d);
/* Draws them in this many rows, or in as many as they need. Returns an exit
 * code; d says why it is not 0.
 */
int picture_draw(const struct agent_place *place,
		 const struct picture_wish *wish, unsigned rows,
		 const struct screen *s, struct diag *d);

/* petrel plot. Returns the exit code. */
int picture_run(const struct invocation *inv);
