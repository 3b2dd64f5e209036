/* Plays a scenario into Redis: the schedule, the effects of commands, and the
 * loss and return of a redis-server.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/diag.h"
#include "platform/vswitch/groups.h"

struct player_options {
	const char *scenario;		/* NULL: 64 healthy ports */
	const char *root, *redis;	/* one of them is set */
	const char *totals, *journal;	/* files, or NULL */
	struct cadences cadences;
	double speed;			/* plant seconds per second */
	unsigned asics;
	int64_t for_ns;			/* 0: until a signal */
	bool end_on_loss;
	bool has_voqs;			/* a VOQ switch */
};

/* Runs until a signal, the end of the time, or a loss that ends it. Returns 0,
 * or a negative errno with the reason.
 */
int player_run(const struct player_options *o, struct diag *d);
