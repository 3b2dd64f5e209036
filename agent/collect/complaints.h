/* What is wrong with what agents say, in the log: once a day for each of them
 * and each reason, and not much in a second, whoever speaks.
 */
#pragma once

#include <stdint.h>

#define COMPLAINTS_SLOTS 1024u

/* All 0: there was none. */
struct complaints {
	unsigned count;			/* since the last second */
	unsigned seconds;
	uint64_t told[COMPLAINTS_SLOTS];	/* who, and why */
};

/* Another one. */
void complaints_add(struct complaints *c, const char *who, const char *what);
/* Each second: how many were not told. */
void complaints_second(struct complaints *c);
