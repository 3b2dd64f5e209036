/* One table of a reading: commands for all its objects, and their rows. */
#pragma once

#include "platform/sonic/poll/reading.h"

/* Once, with the namespace. Returns -ENOMEM. */
int run_init(struct run *r, struct namespace *s, const struct table *t,
	     unsigned number);
/* Releases what it holds. */
void run_fini(struct run *r);
/* Asks for the table's rows, if there is anything to ask for. What it asks is
 * counted in p->pending until p->query_done().
 */
void run_start(struct poll *p, struct run *r);
