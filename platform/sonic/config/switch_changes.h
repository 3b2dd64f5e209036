/* Changes by operators: rows of CONFIG_DB and STATE_DB, followed and reported
 * as events; and states of the whole switch (TSA, a warm reboot). The tables
 * are here; following_read.c reads them. Also changes of ports and modules'
 * firmware, and restarted services, as far as tables that are read anyway show
 * them.
 *
 * Only the tables named in switch_changes.c are read, so nothing else of
 * CONFIG_DB, least of all passwords, ever leaves it. When watch.c hears of a
 * key its row is read at once; all rows are read every minute, as a flush makes
 * no event (every 10 s if there are no events at all). A reload of CONFIG_DB
 * empties it for some seconds: nothing is reported until it is complete.
 *
 * Changes are relative to a baseline. That of CONFIG_DB is taken when it is
 * complete: it says so (CONFIG_READY_KEY), or has rows and gets no more for
 * some seconds. STATE_DB has no such key: the baseline of an empty table is its
 * first rows and those of the next minute.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/platform.h"

struct namespace;
struct poll;
struct object;
struct cage;
struct kept_row;
struct following_side;

#define FOLLOWED_FIELDS_MAX 4
#define CONFIG_READY_KEY "CONFIG_DB_INITIALIZED"
#define CONFIG_READY_WRONG						\
	CONFIG_READY_KEY " is not a string (WRONGTYPE): whether "	\
	"CONFIG_DB is complete is not known"

/* A followed table. */
struct followed {
	const char *table;
	uint8_t database;		/* DATABASE_CONFIG or DATABASE_STATE */
	uint8_t event;			/* enum platform_event; 0: none */
	bool key_only;			/* the event's item is the row's key */
	bool derive;			/* other states follow from it */
	bool first_only;		/* one event per row: for the first
					 * field below that differs */
	/* NULL: all fields, and rows that appear and disappear. */
	const char *fields[FOLLOWED_FIELDS_MAX];
};

/* The tables. */
size_t followed_tables(const struct followed **ret);
/* The index of a key's table, -1 for none. */
int followed_find(uint8_t database, char separator, const char *key,
		  size_t len);
/* The same for a key of one side. */
int following_table(const struct following_side *side, const char *key,
		    size_t len);
/* Fields that are never kept or reported, whatever their table. */
bool followed_is_secret(const char *field);

/* An event of the whole namespace. */
void changes_tell(const struct namespace *s, enum platform_event what,
		  struct mono when, const char *item, const char *from,
		  const char *to);
/* Reports changes of speed, MTU, FEC, lanes, admin state. */
void changes_port(struct poll *p, const struct object *o);
/* The version running in a module, "" for unknown. */
void changes_firmware(const struct namespace *s, struct cage *c,
		      const char *version, struct mono when);
/* The cause of the last reboot, as the switch recorded it; once. */
void changes_reboot(const struct namespace *s);
/* Reports a change of a followed row: a row_changed_fn; context: its side. */
void changes_row(void *context, const struct kept_row *row, const char *field,
		 const char *from, const char *to);
/* Reports changes too many to list one by one, and states of the switch. */
void changes_rest(struct namespace *s);
