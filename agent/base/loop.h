/* One thread, one epoll, one clock reading per wake-up.
 *
 * In a wake-up descriptors come first, then timers, then the descriptors of
 * loop_fd_last(), by which strangers come in.
 *
 * Deadlines are absolute: a late wake-up skips the periods that it missed and
 * counts them; it never bursts. Handlers never wait.
 */
#pragma once

#include <stdint.h>
#include "petrel/clock.h"

struct loop;

typedef void loop_fd_fn(void *context, uint32_t events, struct mono now);
/* skipped: periods that passed unserved before this one. */
typedef void loop_timer_fn(void *context, struct mono now, uint64_t skipped);

/* max_fds, max_timers bound it; nothing is allocated later. */
int loop_new(unsigned max_fds, unsigned max_timers, struct loop **ret);
/* NULL is allowed; descriptors stay open, they are not the loop's. */
void loop_free(struct loop *l);

/* Watches fd for events (EPOLLIN …); the loop does not own it. A second call
 * for the same fd changes events and handler. events 0: stay, watch nothing.
 * Returns -ENOSPC at the bound.
 */
int loop_fd_set(struct loop *l, int fd, uint32_t events, loop_fd_fn *fn,
		void *context);
/* From now on it has its turn after all others and after the timers of a
 * wake-up. fd is watched already.
 */
void loop_fd_last(struct loop *l, int fd);
/* Before fd is closed. */
void loop_fd_remove(struct loop *l, int fd);

/* A timer; period_ns 0: fires once, then waits for loop_timer_at(). Returns
 * its number or -ENOSPC.
 */
int loop_timer_add(struct loop *l, struct mono due, int64_t period_ns,
		   loop_timer_fn *fn, void *context);
/* Sets when it fires next, and from then on how often. */
void loop_timer_at(struct loop *l, int timer, struct mono due,
		   int64_t period_ns);
/* Stays known, never fires until loop_timer_at(). */
void loop_timer_stop(struct loop *l, int timer);

/* The clock reading of this wake-up. */
struct mono loop_now(const struct loop *l);

/* Until loop_stop(); returns 0 or a negative errno of epoll. */
int loop_run(struct loop *l);
/* One wake-up: waits for at most timeout_ns. */
int loop_once(struct loop *l, int64_t timeout_ns);
/* loop_run() returns after this wake-up. */
void loop_stop(struct loop *l);

/* The first multiple of the period past now, which is not before due. */
int64_t loop_next_due_ns(int64_t due_ns, int64_t period_ns, int64_t now_ns);
