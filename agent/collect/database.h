/* The SQLite sink (C12): runs, switches, inventory, findings with their
 * history, events, clocks and gaps. Rows and the cursor into the spool are
 * committed together, and a record that is already there is not applied again,
 * whatever the cursor says. One thread uses it.
 */
#pragma once

#include "agent/collect/sink.h"
#include "agent/collect/standing.h"

/* Opens or creates the database. Returns -EIO with d (not a database, another
 * version, no rights).
 */
int database_open(const char *path, struct database **ret, struct diag *d);

/* Rolls an open transaction back. */
void database_close(struct database *s);

/* The database's place in the spool. */
int database_cursor(struct database *s, struct place *ret, struct diag *d);

/* When each switch was seen before the start, into an empty standing. */
int database_seen(struct database *s, struct standing *to, struct diag *d);
/* Keeps when each switch was seen. No transaction may be open. */
int database_seen_keep(struct database *s, struct standing *from,
		       struct diag *d);

/* Commits the transaction, with the cursor at a place. */
int database_commit(struct database *s, struct place at, struct diag *d);
/* Rolls the transaction back. */
void database_back(struct database *s);
