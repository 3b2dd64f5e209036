/* Cases shared out over processes side by side. Owns the list of cases; what
 * they come to is rows.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "tests/judge/rows.h"
#include "tests/judge/trial.h"
#include "tests/judge/world.h"

#define WORKERS_MAX 16

struct task {
	unsigned plant;			/* its number */
	struct world_case at;
};

/* All zero: none. tasks_fini() releases the memory. */
struct tasks {
	struct task *task;
	size_t count, cap;
};

/* One more at the end; ends the program when there is no memory. */
void tasks_add(struct tasks *t, unsigned plant, const struct world_case *at);
void tasks_fini(struct tasks *t);

/* Plays all cases in so many processes (to WORKERS_MAX), each taking every
 * so-many-th, and adds their rows. A case that fails is told on stderr.
 * Returns -EIO when one did, or a process could not be had.
 */
int tasks_run(const struct tasks *t, const struct trial_options *options,
	      unsigned workers, struct rows *rows);
