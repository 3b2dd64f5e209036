/* One table of a reading: commands for all its objects, and their rows. What is
 * wrong in a reading: the sentence that is told of its source.
 */
#pragma once

#include "platform/sonic/poll/reading.h"

/* What is wrong in a reading: the sentence that is told of its source. */

/* Keeps the first sentence of what is wrong in a reading. */
void note_first(struct poll *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds a sentence to those of a reading, while they fit. */
void note_add(struct poll *p, const char *text);
/* A row that nothing was taken of; why: the first of them is told. */
void note_dropped(struct poll *p, const struct object *o, const char *why);
/* Leaves the row alone that no bounds hold: all others of its database come
 * over the same connection, which it ends.
 */
void note_oversize(struct poll *p, struct run *r, struct object *o);
/* Adds what is implausible of names. by_ids: it reads by these. */
void note_names(struct poll *p, bool by_ids);
/* Adds that objects have no row: it may come yet. */
void note_lost(struct poll *p);

/* Once, with the namespace. Returns -ENOMEM. */
int run_init(struct run *r, struct namespace *s, const struct table *t,
	     unsigned number);
/* Releases what it holds. */
void run_fini(struct run *r);
/* Asks for the table's rows, if there is anything to ask for. What it asks is
 * counted in p->pending until p->query_done().
 */
void run_start(struct poll *p, struct run *r);
