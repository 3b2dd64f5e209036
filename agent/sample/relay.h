/* What the reader's drivers say, carried to the core through shared memory.
 *
 * A ring of fixed size with an eventfd; one writer, one reader, each may die
 * at any time. The writer gives out handles by itself; the receiving side ties
 * them to its host's. Full: the newest message is dropped and counted (and a
 * later read says it again). A writer that begins anew begins a generation:
 * the receiver forgets all handles of the one before, and inventory comes
 * again.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "petrel/platform.h"

#define RELAY_OCTETS (512u << 10)
#define RELAY_ENTITIES_MAX 8192u

struct relay_memory;		/* lies in memory that both processes map */

/* Size of the shared memory. */
size_t relay_memory_size(void);
/* Once, by whoever forks. */
void relay_memory_init(struct relay_memory *m);

struct relay_writer;
int relay_writer_new(struct relay_memory *m, int event_fd,
		     struct relay_writer **ret);
void relay_writer_free(struct relay_writer *w);
/* The host for driver number n (its place in the configured order). */
void relay_writer_host(struct relay_writer *w, unsigned driver,
		       struct platform_host *ret);

struct relay_reader;
/* host_of gives the receiving side's host for a driver's number, or NULL. */
int relay_reader_new(struct relay_memory *m,
		     const struct platform_host *(*host_of)(void *, unsigned),
		     void *context, struct relay_reader **ret);
void relay_reader_free(struct relay_reader *r);
/* Delivers what is there. Returns how many messages; -EBADMSG when the writer
 * wrote nonsense (the ring is emptied, the next generation starts clean).
 */
int relay_reader_drain(struct relay_reader *r);
/* Messages dropped because the ring was full. */
uint64_t relay_dropped(const struct relay_memory *m);
