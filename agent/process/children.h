/* The supervisor's children: forked, watched by their heartbeat, forked again
 * after a death with a back-off.
 *
 * A child that shows no heartbeat for CHILD_HANG_NS is killed; a reader that
 * even a kill does not end (it waits for a bus) is left behind, at most
 * CHILD_ABANDON_MAX of them, and another takes over.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include "agent/process/control.h"

#define CHILD_HANG_NS (15 * NS_PER_S)
#define CHILD_ABANDON_MAX 2
#define CHILD_BACK_OFF_MAX_NS (5 * NS_PER_S)

struct children {
	struct process_env *env;
	sigset_t mask;			/* the children's signal mask */
	int abandoned;
	bool stopping;
	struct {
		pid_t pid;
		struct mono again;	/* when to fork, after a death */
		int64_t back_off_ns;
		bool killed;		/* for a hang; it should end soon */
	} child[ROLE_COUNT];
};

/* After a SIGCHLD: takes note of who died. */
void children_reap(struct children *c, struct mono now);
/* Starts who is due, kills who hangs. */
void children_tend(struct children *c, struct mono now);
/* True while somebody waits to be started again. */
bool children_wait(const struct children *c);
/* Ends them all and waits for it. */
void children_stop(struct children *c);
