/* What is kept of the rows that are followed, of one namespace. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "platform/sonic/config/rows.h"
#include "platform/sonic/redis/channel.h"
#include "platform/sonic/redis/lister.h"

#define FOLLOWED_TABLES_MAX 48
#define FOLLOWING_EVENTS_MAX 64		/* told one by one of one reading */
#define FOLLOWING_BEGIN_NS (60 * NS_PER_S)	/* a table's other rows */

struct namespace;
struct following_side;

/* Who hears of the keys of a database that are written. */
struct key_watch {
	struct channel channel;
	struct following_side *side;	/* what is heard of goes there */
	struct redis_query ask;		/* which events there are; for them */
	struct commands commands;
	char event[24];			/* of the message being read */
	uint64_t connects;		/* that was set up */
	bool live;			/* subscribed, and events are on */
	bool refused;			/* the server makes no such events */
	char setting[24];		/* notify-keyspace-events */
};

enum following_phase {
	FOLLOWING_IDLE,
	FOLLOWING_LISTING,		/* keys, and whose server it is */
	FOLLOWING_ROWS,
};

enum { FOLLOWING_CONFIG, FOLLOWING_STATE, FOLLOWING_DATABASES };

/* What is asked of one of the two databases. */
struct following_side {
	struct namespace *namespace;
	uint8_t number;			/* FOLLOWING_CONFIG … */
	uint8_t database;
	struct key_watch watch;
	struct lister lister;
	struct redis_query query;
	struct commands commands;
	struct key_list dirty;		/* heard of, not read yet */
	struct key_list asked;		/* rows being read, n-th command's */
	struct row_text row;
	bool full;			/* all keys of it are being read */
	bool too_many;			/* keys: it is not listed */
	bool ready_key;			/* CONFIG_READY_KEY is there */
};

struct following {
	struct following_side side[FOLLOWING_DATABASES];
	struct rows rows[FOLLOWING_DATABASES];
	uint8_t phase;			/* enum following_phase */
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
