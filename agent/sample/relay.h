/* Carries the output of the reader's drivers to the core through shared memory.
 *
 * A ring of 512 KiB with an eventfd; one writer, one reader, each may die
 * at any time. The writer assigns its own handles; the receiving side maps them
 * to its host's. When full, the newest value or event is dropped and counted
 * (a later read sends it again); entities, attributes and states of sources are
 * kept by the writer and sent as soon as there is room.
 *
 * A writer that restarts begins a generation, and so does one whose reader
 * restarted or found malformed data: the receiver forgets all handles of the
 * last one, and the writer sends again all that it knows. The host gives the
 * same id for the same key, so ids stay. An entity of an earlier generation
 * that is not sent again is gone once each source of its driver that was fresh
 * before is fresh again: by then all that exists has been sent. A source that
 * stays absent removes nothing.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "petrel/platform.h"

#define RELAY_ENTITIES_MAX 8192u

struct relay_memory;		/* lies in memory that both processes map */

/* Size of the shared memory. */
size_t relay_memory_size(void);
/* Called once, before the fork. */
void relay_memory_init(struct relay_memory *m);

struct relay_writer;
/* Begins a generation. event_fd stays the caller's. Returns -ENOMEM. */
int relay_writer_new(struct relay_memory *m, int event_fd,
		     struct relay_writer **ret);
/* The memory stays as it is. */
void relay_writer_free(struct relay_writer *w);
/* The host for driver number n (its place in the configured order). */
void relay_writer_host(struct relay_writer *w, unsigned driver,
		       struct platform_host *ret);
/* Each tick: sends what found no room, and everything to a new reader. */
void relay_writer_run(struct relay_writer *w);

struct relay_reader;
/* host_of gives the receiving side's host for a driver's number, or NULL. */
int relay_reader_new(struct relay_memory *m,
		     const struct platform_host *(*host_of)(void *, unsigned),
		     void *context, struct relay_reader **ret);
/* The memory stays as it is. */
void relay_reader_free(struct relay_reader *r);
/* Delivers messages; call it when the eventfd is ready, after reading that, and
 * at each tick (one call takes a bounded amount). Returns how many messages;
 * -EBADMSG when the writer wrote malformed data (the ring is emptied, the next
 * generation starts clean).
 */
int relay_reader_drain(struct relay_reader *r);
/* Messages dropped because the ring was full. */
uint64_t relay_dropped(const struct relay_memory *m);
