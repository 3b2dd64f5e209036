/* What the reader's drivers say, carried to the core through shared memory.
 *
 * A ring of 512 KiB with an eventfd; one writer, one reader, each may die
 * at any time. The writer gives out handles by itself; the receiving side ties
 * them to its host's. Full: the newest value or event is dropped and counted
 * (a later read says it again); entities, attributes and states of sources are
 * kept by the writer and said as soon as there is room.
 *
 * A writer that begins anew begins a generation, and so does one whose reader
 * began anew or found nonsense: the receiver forgets all handles of the one
 * before, and the writer says again all that it knows. The host gives the same
 * id for the same key, so ids stay. An entity of an earlier generation that
 * was not said again is gone as soon as each source of its driver that was
 * fresh before is fresh again: by then all that exists has been said. A source
 * that stays absent takes nothing away.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "petrel/platform.h"

#define RELAY_ENTITIES_MAX 8192u

struct relay_memory;		/* lies in memory that both processes map */

/* Size of the shared memory. */
size_t relay_memory_size(void);
/* Once, by whoever forks. */
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
/* Each tick: says what found no room, and all of it to a reader that is new. */
void relay_writer_run(struct relay_writer *w);

struct relay_reader;
/* host_of gives the receiving side's host for a driver's number, or NULL. */
int relay_reader_new(struct relay_memory *m,
		     const struct platform_host *(*host_of)(void *, unsigned),
		     void *context, struct relay_reader **ret);
/* The memory stays as it is. */
void relay_reader_free(struct relay_reader *r);
/* Delivers what is there; call it when the eventfd, read before, is ready, and
 * at each tick (one call takes a bounded amount). Returns how many messages;
 * -EBADMSG when the writer wrote nonsense (the ring is emptied, the next
 * generation starts clean).
 */
int relay_reader_drain(struct relay_reader *r);
/* Messages dropped because the ring was full. */
uint64_t relay_dropped(const struct relay_memory *m);
