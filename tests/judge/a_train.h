/* Episodes of a fault that comes and goes: spikes, falls of a link. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Episodes in rows of count, a row every row_s; count 0: one endless row. */
struct a_train {
	double every_s, last_s;	/* in the mean */
	double row_s;
	unsigned count;
	uint64_t key;
};

/* What of a train lies in a stretch of time since its first episode. */
struct a_passed {
	unsigned begun;		/* episodes that began in it */
	double inside_s;	/* how long one lasted in it */
	double longest_s;	/* of the episodes in it, whole */
	bool is_inside;		/* at its end */
};

/* After from_s, to to_s. At most a day's episodes are looked at. */
struct a_passed a_train_pass(const struct a_train *t, double from_s,
			     double to_s);
