/* The thread of the sender that keeps the coarser tiers of the history
 * (tiers.h) where [History] says, in a folder that lasts. It shares nothing
 * with the loop but the rings: a disk that hangs holds up this thread alone,
 * and what was not written meanwhile is still in the ring.
 */
#pragma once

struct process_env;
struct tier_thread;

/* Begins it. Returns a negative errno. */
int tier_thread_start(struct process_env *env, struct tier_thread **ret);
/* The configuration is another. */
void tier_thread_changed(struct tier_thread *t);
/* Asks it to end, and waits a moment; NULL is allowed. One that the disk holds
 * up ends with the process.
 */
void tier_thread_stop(struct tier_thread *t);
