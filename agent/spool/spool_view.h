/* The sender's view of the spool, for its loop must not wait for a disk: a
 * thread owns the spool and the disk (agent/process/backlog.h); the index of
 * the spool is copied here whenever it changes, and records are requested and
 * fetched in advance. Callers never block.
 *
 * Bounded: a fixed number of reads at a time, each of one piece of a stream;
 * another one waits until one of them is answered.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/spool/spool.h"

struct spool_view;

/* Returns a negative errno. */
int spool_view_new(struct spool_view **ret);
/* Nobody else may use it any more; NULL is allowed. */
void spool_view_free(struct spool_view *v);

/* --- the sender's --- */

/* Readable when a read was answered, or the thread reports something else
 * (spool_view_tell()); spool_view_answered() clears that.
 */
int spool_view_fd(const struct spool_view *v);
/* See spool_view_fd(). */
void spool_view_answered(struct spool_view *v);
/* Gives the thread work. */
void spool_view_call(struct spool_view *v);
/* Forgets what is known of the spool: another one is wanted. */
void spool_view_doubt(struct spool_view *v);

/* The disk has not answered for so long that new records do not wait for those
 * that only it has; or it has answered again.
 */
void spool_view_give_up(struct spool_view *v, bool is_given_up);
/* See spool_view_give_up(). */
bool spool_view_is_given_up(struct spool_view *v);

/* As spool_end(), spool_from() and spool_past(), as of the last copy. */
uint64_t spool_view_end(struct spool_view *v, uint64_t run,
			enum stream stream);
/* See spool_view_end(). */
uint64_t spool_view_from(struct spool_view *v, uint64_t run,
			 enum stream stream, uint64_t sequence);
/* See spool_view_end(). */
bool spool_view_past(struct spool_view *v, uint64_t present,
		     struct spool_run *ret);

/* As spool_read(); -EAGAIN: it is being fetched. With -ESTALE *ret_from is the
 * next sequence that is there; 0: none.
 */
int spool_view_read(struct spool_view *v, uint64_t run, enum stream stream,
		    uint64_t sequence, void *ret, size_t cap,
		    uint64_t *ret_from);
/* As spool_ack(), for a run that is over; for one at a time. */
void spool_view_ack(struct spool_view *v, uint64_t run,
		    const struct positions *held);

/* --- the thread's --- */

/* Waits until it is called. */
void spool_view_wait(struct spool_view *v);
/* Wakes the sender. */
void spool_view_tell(struct spool_view *v);
/* Acknowledges, copies the spool's index, and answers the reads. NULL: there is
 * no spool.
 */
void spool_view_serve(struct spool_view *v, struct spool *s);
