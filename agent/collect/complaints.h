/* Logs what is wrong with agents' frames: once a day per agent and reason, and
 * with a limit per second over all.
 */
#pragma once

#include <stdint.h>

#define COMPLAINTS_SLOTS 1024u

/* All 0 at first. */
struct complaints {
	unsigned count;			/* since the last second */
	unsigned seconds;
	uint64_t told[COMPLAINTS_SLOTS];	/* who, and why */
};

/* Logs one, within the limits. */
void complaints_add(struct complaints *c, const char *who, const char *what);
/* Each second: logs how many were left out. */
void complaints_second(struct complaints *c);
