/* A thread that syncs: one job at a time, its end told through an eventfd, so
 * that frames are taken in while the disk works.
 */
#pragma once

#include <stdbool.h>

struct sync;

/* event_fd, the caller's, is written to when a job has ended. */
int sync_new(int event_fd, struct sync **ret);

/* Waits for the job under way. */
void sync_free(struct sync *s);

/* fdatasync() of fd, which is closed then; and fsync() of dir_fd unless it is
 * negative. Only while no job is under way.
 */
void sync_ask(struct sync *s, int fd, int dir_fd);

/* True from sync_ask() until sync_take() gave the result. */
bool sync_is_busy(struct sync *s);
/* Takes the result of a job that ended: 0 or a negative errno; -EAGAIN: none
 * has ended.
 */
int sync_take(struct sync *s);
