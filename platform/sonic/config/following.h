/* State of the followed rows of one namespace. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "platform/sonic/config/rows.h"
#include "platform/sonic/redis/channel.h"
#include "platform/sonic/redis/lister.h"

#define FOLLOWED_TABLES_MAX 48
#define FOLLOWING_EVENTS_MAX 64		/* reported one by one per reading */
#define FOLLOWING_BEGIN_NS (60 * NS_PER_S)	/* a table's other rows */

struct namespace;
struct following_side;

/* Subscribes to writes of a database's keys. */
struct key_watch {
	struct channel channel;
	struct following_side *side;	/* heard keys go there */
	struct redis_query ask;		/* for the setting; then subscribes */
	struct redis_query pushes;	/* gets the messages */
	char event[24];			/* of the message being read */
	uint64_t connects;		/* the connection it was set up on */
	bool live;			/* subscribed, and events are on */
	bool refused;			/* the server does not publish them */
	char setting[24];		/* notify-keyspace-events */
};

enum following_phase {
	FOLLOWING_IDLE,
	FOLLOWING_LISTING,		/* keys, and the server's identity */
	FOLLOWING_ROWS,
};

enum { FOLLOWING_CONFIG, FOLLOWING_STATE, FOLLOWING_DATABASES };

/* Queries to one of the two databases. */
struct following_side {
	struct namespace *namespace;
	uint8_t number;			/* FOLLOWING_CONFIG … */
	uint8_t database;
	struct key_watch watch;
	struct lister lister;
	struct redis_query query;
	struct key_list dirty;		/* heard of, not yet read */
	struct key_list asked;		/* rows being read, one per command */
	struct row_text row;
	bool full;			/* all its keys are being read */
	bool too_many;			/* too many keys to list */
	bool ready_key;			/* CONFIG_READY_KEY exists */
};

struct following {
	struct following_side side[FOLLOWING_DATABASES];
	struct rows rows[FOLLOWING_DATABASES];
	uint8_t phase;			/* enum following_phase */
	bool known;			/* all rows were read once */
	bool begun;			/* CONFIG_DB has been complete */
	size_t listed;			/* rows of CONFIG_DB, last time */
	struct mono grown_at;		/* of the last change */
	/* When each table of STATE_DB had its first rows; ns 0: none yet. */
	struct mono first[FOLLOWED_TABLES_MAX];
	bool reloading;			/* CONFIG_DB is being rewritten */
	bool reload_heard;		/* CONFIG_READY_KEY was set again */
	bool had_ready_key;
	bool full_due;			/* read all as soon as possible */
	bool failed, refused;		/* refused: a wrong answer */
	uint32_t serial;
	unsigned pending;		/* queries */
	unsigned told, untold;		/* events of this reading */
	struct mono full_at;		/* last reading of all */
	struct mono due;		/* to read the heard keys */
	struct mono modules_due;	/* a module came or went; ns 0: no */
	struct mono modules_last;	/* the latest time for it */
	struct mono asked_at;
	struct mono empty_since;	/* CONFIG_DB has no row; ns 0: one */
	struct mono warm_since;		/* ns 0: no warm reboot */
	bool derive;			/* evaluate derived states */
	bool tsa, warm;			/* true, as far as is known */
	char run_id[44];		/* of the server; empty: unknown */
	char reason[SOURCE_REASON_MAX];
	char wrong[SOURCE_REASON_MAX];	/* the first row that is not a hash */
};
