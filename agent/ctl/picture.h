/* Pictures of one port: what was of its errors, light, heat and load, from
 * look_back.h, with the thresholds of its module and the onsets of its
 * findings. petrel plot, and what petrel watch shows of the past.
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
	/* Words of picture.c, or names of quantities; none: what tells most of
	 * a port, and what its finding speaks of. Borrowed.
	 */
	const char *const *words;
	unsigned word_count;
	int64_t since_ns;	/* 0: as far back as there is each reading, and
				 * 15 minutes at most
				 */
	/* A finding: what its capsule has, over the time of that; NULL: what
	 * there is of since_ns.
	 */
	const char *capsule_of;
};

/* One of count pictures. What it returns but 0 ends the giving. */
typedef int picture_fn(void *context, const struct chart *p, unsigned count);

/* Gives each, the uppermost first. d: what of the past cannot be read, or "".
 * Returns -ENODEV: no such port, -EINVAL: no such quantity, -ENOENT: no rings,
 * or no such capsule, or another negative errno, with d.
 */
int picture_each(const struct agent_place *place,
		 const struct picture_wish *wish, picture_fn *fn, void *context,
		 struct diag *d);
/* Draws them so many rows high, or as many as they take. Returns an exit code;
 * why it is not 0 goes to d.
 */
int picture_draw(const struct agent_place *place,
		 const struct picture_wish *wish, unsigned rows,
		 const struct screen *s, struct diag *d);

/* petrel plot. Returns the exit code. */
int picture_run(const struct invocation *inv);
