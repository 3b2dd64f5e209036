/* What somebody changed: rows of CONFIG_DB and STATE_DB, followed and told as
 * events; and what is so for the switch as a whole (TSA, a warm reboot). Here
 * is what is kept of them, and the tables; settings.c reads them.
 *
 * Only the tables named in followed.c are read, so nothing else of
 * CONFIG_DB, passwords least of all, ever leaves it. When watch.c hears of a
 * key its row is read at once; all rows are read every minute, as a flush
 * makes no event (every 10 s where there are no events at all). A reload of
 * CONFIG_DB empties it for some seconds: nothing is told until it is whole.
 *
 * A change is what is other than where Petrel began to look. CONFIG_DB begins
 * when it is whole: it says so (CONFIG_READY_KEY), or has rows and no others
 * for some seconds. Nobody says so of STATE_DB: a table that was
 * empty begins with its first rows and those of a minute after.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "platform/sonic/redis/channel.h"
#include "platform/sonic/redis/commands.h"
#include "platform/sonic/config/keys.h"
#include "platform/sonic/redis/lister.h"
#include "platform/sonic/config/rows.h"
#include "platform/sonic/config/watch.h"

#define FOLLOWED_FIELDS_MAX 4
#define FOLLOWED_TABLES_MAX 48
#define SETTINGS_EVENTS_MAX 64		/* told one by one of one reading */
#define SETTINGS_BEGIN_NS (60 * NS_PER_S)	/* a table's other rows */
#define CONFIG_READY_KEY "CONFIG_DB_INITIALIZED"

struct namespace;

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

enum settings_phase {
	SETTINGS_IDLE,
	SETTINGS_LISTING,		/* keys, and whose server it is */
	SETTINGS_ROWS,
};

enum { SETTINGS_CONFIG, SETTINGS_STATE, SETTINGS_DATABASES };

/* What is asked of one of the two databases. */
struct settings_side {
	struct namespace *namespace;
	uint8_t number;			/* SETTINGS_CONFIG … */
	uint8_t database;
	struct watch watch;
	struct lister lister;
	struct query query;
	struct commands commands;
	struct key_list dirty;		/* heard of, not read yet */
	struct key_list asked;		/* rows being read, n-th command's */
	struct row_text row;
	bool full;			/* all keys of it are being read */
	bool too_many;			/* keys: it is not listed */
	bool ready_key;			/* CONFIG_READY_KEY is there */
};

struct settings {
	struct settings_side side[SETTINGS_DATABASES];
	struct rows rows[SETTINGS_DATABASES];
	uint8_t phase;			/* enum settings_phase */
	bool known;			/* all rows were read once */
	bool begun;			/* CONFIG_DB was whole since */
	size_t listed;			/* rows of CONFIG_DB, last time */
	struct mono grown_at;		/* it had others before */
	/* When each table of STATE_DB had its first rows; ns 0: none yet. */
	struct mono first[FOLLOWED_TABLES_MAX];
	bool reloading;			/* CONFIG_DB is being written anew */
	bool reload_heard;		/* CONFIG_READY_KEY was set again */
	bool had_ready_key;
	bool full_due;			/* read all as soon as possible */
	bool failed, refused;		/* refused: it answered, but wrong */
	uint32_t serial;
	unsigned pending;		/* queries */
	unsigned told, untold;		/* events of this reading */
	struct mono full_at;		/* when all was read last */
	struct mono due;		/* what was heard of is read then */
	struct mono modules_due;	/* a module came or went; ns 0: no */
	struct mono modules_last;	/* not later than this */
	struct mono asked_at;
	struct mono empty_since;	/* CONFIG_DB has no row; ns 0: one */
	struct mono warm_since;		/* ns 0: no warm reboot */
	bool derive;			/* tell what follows from rows */
	bool tsa, warm;			/* so, as far as is known */
	char run_id[44];		/* of the server; empty: unknown */
	char reason[SOURCE_REASON_MAX];
};
