/* The SQLite sink (C12): runs, switches, inventory, findings with their
 * history, events, clocks and gaps. Rows and the cursor into the spool are
 * committed together, and a record that is there already is not applied again,
 * whatever the cursor says. One thread uses it.
 */
#pragma once

#include <stdint.h>
#include "agent/collect/follow.h"
#include "petrel/diag.h"

struct sink;

/* Opens or makes the database. Returns -EIO with d (not a database, another
 * version, no rights).
 */
int sink_open(const char *path, struct sink **ret, struct diag *d);

/* Throws an open transaction away. */
void sink_close(struct sink *s);

/* How far into the spool the database has come. */
int sink_cursor(struct sink *s, struct place *ret, struct diag *d);

/* Applies one entry, within a transaction that is begun when there is none.
 * Returns -EIO with d; then call sink_back().
 */
int sink_entry(struct sink *s, const struct entry *e, struct diag *d);
/* Ends the transaction, with the cursor at a place. */
int sink_commit(struct sink *s, struct place at, struct diag *d);
/* Throws the transaction away. */
void sink_back(struct sink *s);

struct sink_count {
	uint64_t applied, repeats;
	uint64_t unreadable;	/* payloads that could not be decoded */
	uint64_t misnumbered;	/* their number is not their sequence */
};

/* The counts since sink_open(). */
void sink_count(const struct sink *s, struct sink_count *ret);
