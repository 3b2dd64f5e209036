/* One table of a reading: commands for all its objects, and their rows. Also
 * the faults of a reading: the sentence reported for its source.
 */
#pragma once

#include "platform/sonic/poll/reading.h"

/* Keeps the first fault of a reading, as a sentence. */
void note_first(struct poll *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds a sentence to those of a reading, if it fits. */
void note_add(struct poll *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A database cannot be read: notes why. is_needed: the reading failed. */
bool note_unready(struct poll *p, enum database_name database, bool is_needed);

/* Call once, with the namespace. Returns -ENOMEM. */
int run_init(struct run *r, struct namespace *s, const struct table *t,
	     unsigned number);
/* Releases its memory. */
void run_fini(struct run *r);
/* Reads the table's rows, if it has any objects. Its query counts in p->pending
 * until p->query_done().
 */
void run_start(struct poll *p, struct run *r);
/* Without a stamp: guesses when syncd wrote rows that have changed since the
 * reading before. It writes at a pace of its own, mostly somewhat slower than
 * its interval: readings each second see a change after one second, or two.
 */
void run_guess_write(struct run *r, struct mono asked);
/* Takes the time between two readings that saw a change. */
void run_pace(struct run *r, int64_t spacing_ns);
