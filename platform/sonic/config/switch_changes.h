/* What somebody changed: rows of CONFIG_DB and STATE_DB, followed and told as
 * events; and what is so for the switch as a whole (TSA, a warm reboot). Here
 * are the tables; following_read.c reads them. What changed of ports and of
 * modules' firmware, and who was started anew, as far as the tables show it
 * that are read anyway.
 *
 * Only the tables named in switch_changes.c are read, so nothing else of
 * CONFIG_DB, passwords least of all, ever leaves it. When watch.c hears of a
 * key its row is read at once; all rows are read every minute, as a flush makes
 * no event (every 10 s where there are no events at all). A reload of CONFIG_DB
 * empties it for some seconds: nothing is told until it is whole.
 *
 * A change is what is other than where Petrel began to look. CONFIG_DB begins
 * when it is whole: it says so (CONFIG_READY_KEY), or has rows and no others
 * for some seconds. Nobody says so of STATE_DB: a table that was empty begins
 * with its first rows and those of a minute after.
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

#define FOLLOWED_FIELDS_MAX 4
#define CONFIG_READY_KEY "CONFIG_DB_INITIALIZED"

/* A table that is followed. */
struct followed {
	const char *table;
	uint8_t database;		/* DATABASE_CONFIG or DATABASE_STATE */
	uint8_t event;			/* enum platform_event; 0: none */
	bool key_only;			/* the event's item is the row's key */
	bool derive;			/* other things follow from it */
	bool first_only;		/* one event a row: of the first field
					 * below that differs */
	/* NULL: all of them, and rows that come and go. */
	const char *fields[FOLLOWED_FIELDS_MAX];
};

/* The tables. */
size_t followed_tables(const struct followed **ret);
/* The number of the one that a key is of, -1 for none. */
int followed_find(uint8_t database, char separator, const char *key,
		  size_t len);
/* Fields that are never kept nor told, whatever their table. */
bool followed_is_secret(const char *field);

/* An event that is of all of the namespace. */
void changes_tell(const struct namespace *s, enum platform_event what,
		  struct mono when, const char *item, const char *from,
		  const char *to);
/* Tells what is other than before: speed, MTU, FEC, lanes, admin state. */
void changes_port(struct poll *p, const struct object *o);
/* The version that runs in a module, "" for unknown. */
void changes_firmware(const struct namespace *s, struct cage *c,
		      const char *version, struct mono when);
/* Why the switch was last started, as it wrote it down; once. */
void changes_reboot(const struct namespace *s);
/* A followed row differs from what it was: a row_changed_fn; context: its
 * side.
 */
void changes_row(void *context, const struct kept_row *row, const char *field,
		 const char *from, const char *to);
/* What was too much to be told one by one, and what is so for the switch. */
void changes_rest(struct namespace *s);
