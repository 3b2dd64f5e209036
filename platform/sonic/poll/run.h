/* One table of a reading: commands for all its objects, and their rows. What is
 * wrong in a reading: the sentence that is told of its source.
 */
#pragma once

#include "platform/sonic/poll/reading.h"

/* Keeps the first sentence of what is wrong in a reading. */
void note_first(struct poll *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds a sentence to those of a reading, if it fits. */
void note_add(struct poll *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A database cannot be asked: notes why. is_needed: the reading failed. */
bool note_unready(struct poll *p, enum database_name database, bool is_needed);

/* Once, with the namespace. Returns -ENOMEM. */
int run_init(struct run *r, struct namespace *s, const struct table *t,
	     unsigned number);
/* Releases what it holds. */
void run_fini(struct run *r);
/* Asks for the table's rows, if there is anything to ask for. What it asks is
 * counted in p->pending until p->query_done().
 */
void run_start(struct poll *p, struct run *r);
