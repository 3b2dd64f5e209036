/* One thread, one epoll, one clock reading per wake-up.
 *
 * In a wake-up descriptors come first, then timers, then the descriptors of
 * loop_fd_last(), which carry traffic from strangers.
 *
 * Deadlines are absolute: a late wake-up skips the periods that it missed and
 * counts them; it never bursts. Handlers never block.
 */
#pragma once

#include <stdint.h>
#include "petrel/clock.h"

struct loop;

typedef void loop_fd_fn(void *context, uint32_t events, struct mono now);
/* skipped: periods missed before this one. */
typedef void loop_timer_fn(void *context, struct mono now, uint64_t skipped);

/* Limited to max_fds and max_timers; nothing is allocated later. */
int loop_new(unsigned max_fds, unsigned max_timers, struct loop **ret);
/* NULL is allowed; does not close the descriptors. */
void loop_free(struct loop *l);

/* Watches fd for events (EPOLLIN …); the loop does not own it. A second call
 * for the same fd changes events and handler. events 0: keeps fd, watches
 * nothing. Returns -ENOSPC at the limit.
 */
int loop_fd_set(struct loop *l, int fd, uint32_t events, loop_fd_fn *fn,
		void *context);
/* Serves fd, which is watched already, after all others and after the timers of
 * a wake-up from now on.
 */
void loop_fd_last(struct loop *l, int fd);
/* Call it before fd is closed. */
void loop_fd_remove(struct loop *l, int fd);

/* A timer; period_ns 0: fires once, then waits for loop_timer_at(). Returns
 * its number or -ENOSPC.
 */
int loop_timer_add(struct loop *l, struct mono due, int64_t period_ns,
		   loop_timer_fn *fn, void *context);
/* Sets when it fires next, and its period from then on. */
void loop_timer_at(struct loop *l, int timer, struct mono due,
		   int64_t period_ns);
/* Keeps the timer, which does not fire until loop_timer_at(). */
void loop_timer_stop(struct loop *l, int timer);

/* The clock reading of this wake-up. */
struct mono loop_now(const struct loop *l);

/* Runs until loop_stop(); returns 0 or a negative errno of epoll. */
int loop_run(struct loop *l);
/* One wake-up: waits for at most timeout_ns. */
int loop_once(struct loop *l, int64_t timeout_ns);
/* loop_run() returns after this wake-up. */
void loop_stop(struct loop *l);

/* The first multiple of the period after now, but not before due. */
int64_t loop_next_due_ns(int64_t due_ns, int64_t period_ns, int64_t now_ns);
