/* Whether something is done as often as was asked for. Where it is not, that
 * is told: once when it begins, once when it ends.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/clock.h"

enum pace_news { PACE_NONE, PACE_BEHIND, PACE_CAUGHT_UP };

struct pace {
	const char *what;		/* in the log; many of it */
	int64_t period_ns;		/* as asked */
	struct mono since;		/* when the count began; 0: not yet */
	unsigned count;
	bool behind;
	int64_t mean_ns;		/* of the last count that was whole */
};

/* what lives as long as p. */
void pace_init(struct pace *p, const char *what, int64_t period_ns);
/* Takes note that it was done; what there is to tell. */
enum pace_news pace_note(struct pace *p, struct mono now);
/* The same, and tells it to the log. */
void pace_tell(struct pace *p, struct mono now);
/* It is not to be done now: the time until it is again is no delay. */
void pace_pause(struct pace *p);
