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
	unsigned rows;		/* of all; 0: as many as they take */
};

/* Returns an exit code; why it is not 0 goes to d. */
int picture_draw(const struct agent_place *place,
		 const struct picture_wish *wish, const struct screen *s,
		 struct diag *d);

/* petrel plot. Returns the exit code. */
int picture_run(const struct invocation *inv);
