/* The database's data for other sinks, read while its own feed writes it:
 * entities of a run whose dictionary has left the spool, and the location of a
 * port in the fabric. One sink adds what the sources of a run gave.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/collect/known.h"
#include "agent/collect/remote_sources.h"
#include "agent/collect/statement.h"

/* keeps: for stored_sources_keep() as well. Returns -EIO with d. */
int stored_open(const char *path, bool keeps, struct statement_set **ret,
		struct diag *d);

/* Gives a run the entities that the database has for it. */
void stored_entities(struct statement_set *s, const char *switch_id,
		     uint64_t run, struct known_run *to);
/* Gives a run the sources that the database has for it, and what they gave. */
void stored_sources(struct statement_set *s, const char *switch_id,
		    uint64_t run, struct remote_sources *to);
/* Keeps what the sources of a run gave. Returns -ENODATA: the database does not
 * have the run yet; -EIO.
 */
int stored_sources_keep(struct statement_set *s, const char *switch_id,
			uint64_t run, struct remote_sources *from);
/* Gives a run's clock the readings that the database has for it. */
void stored_clock(struct statement_set *s, const char *switch_id, uint64_t run,
		  struct run_clock *to);
/* Gives the run of an entry its clock and the name of its switch, if no entry
 * had them yet.
 */
void stored_run(struct statement_set *s, const struct entry *e, struct known *k,
		struct known_run *to);
/* An attribute of a port, or of a switch if port is NULL, from its newest run.
 * Returns -ENODATA.
 */
int stored_attribute(struct statement_set *s, const char *switch_id,
		     const char *port, const char *attribute, char *ret,
		     size_t cap);
