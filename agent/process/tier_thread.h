/* The thread of the sender that writes the coarser tiers of the history
 * (tiers.h) to the folder that [History] names, on a disk. It shares only the
 * rings with the loop: a disk that hangs blocks this thread alone, and what was
 * not written meanwhile is still in the ring.
 */
#pragma once

struct process_env;
struct tier_thread;

/* Starts it. Returns a negative errno. */
int tier_thread_start(struct process_env *env, struct tier_thread **ret);
/* The configuration has changed. */
void tier_thread_changed(struct tier_thread *t);
/* Asks it to end, and waits a moment; NULL is allowed. A thread that the disk
 * blocks ends with the process.
 */
void tier_thread_stop(struct tier_thread *t);
