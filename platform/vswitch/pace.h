/* Checks whether something is done as often as requested. If not, this is
 * reported: once when it begins, once when it ends.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/clock.h"

enum pace_news { PACE_NONE, PACE_BEHIND, PACE_CAUGHT_UP };

struct pace {
	const char *what;		/* in the log; a plural */
	int64_t period_ns;		/* as requested */
	struct mono since;		/* start of the count; 0: not yet */
	unsigned count;
	bool behind;
	int64_t mean_ns;		/* of the last complete count */
};

/* what must live as long as p. */
void pace_init(struct pace *p, const char *what, int64_t period_ns);
/* Notes that it was done; returns the news. */
enum pace_news pace_note(struct pace *p, struct mono now);
/* The same, and logs the news. */
void pace_tell(struct pace *p, struct mono now);
/* Pauses: the time until it is done again does not count as delay. */
void pace_pause(struct pace *p);
