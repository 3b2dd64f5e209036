/* Plays a scenario into Redis: what is due when, what a command changes, and
 * what happens when a redis-server goes away and comes back.
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
	double speed;			/* plant seconds a second */
	unsigned asics;
	int64_t for_ns;			/* 0: until a signal */
	bool end_on_loss;
	bool has_voqs;			/* a VOQ switch */
};

/* Until a signal, the end of the time, or a loss that shall end it. Returns 0,
 * or a negative errno with the reason.
 */
int player_run(const struct player_options *o, struct diag *d);
