/* One reading of a source, and of each of its tables: the state of a poll under
 * way, which a table's function gets with a row.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/platform.h"
#include "platform/sonic/meaning/table.h"
#include "platform/sonic/redis/channel.h"
#include "platform/sonic/switchdb/topology.h"

struct namespace;

/* One table in one poll: commands for all its objects. */
struct run {
	struct redis_query query;
	struct namespace *namespace;
	const struct table *table;
	struct field_index index;	/* of the table's fields */
	uint8_t number;			/* of the table: its part of a source */
	uint8_t cage_row;		/* of a module's table: its index */
	struct object_list targets;	/* the n-th command's object */
	bool stale;			/* the list is incomplete */
	uint64_t merges, generation;	/* of the topology it was built for */
	struct read_group age;		/* of the rows, if all share it */
	bool repeated;			/* all rows were passed on before */
	bool age_known;
	int64_t age_late_ns;		/* delay of the row that it is from */
	int64_t given_stamp_ns;		/* of the rows last passed on */
	bool wrote;			/* a row has changed, this time */
	struct mono written;		/* when that was last so; ns 0: never */
	int64_t spacing_ns;		/* between the last two such times */
	int64_t pace_ns;	/* mean of the last of them; 0 unknown */
	unsigned paces;		/* that are in it */
	struct mono read;	/* the reading before this one */
	struct mono write;	/* when syncd wrote what changed since: a guess,
				 * between that and now */
	unsigned filled;		/* targets with a row, at the front */
	unsigned said;			/* rows with values, last time */
};

enum poll_phase { POLL_IDLE, POLL_HELD, POLL_MAPS, POLL_RUNS, POLL_MORE };

/* One reading of a source, from read() to host->source(). */
struct poll {
	struct namespace *namespace;
	/* Called when a query ends; reason: why it failed. */
	void (*query_done)(struct poll *p, const char *reason);
	uint8_t source;			/* enum sonic_source */
	uint8_t phase;			/* enum poll_phase */
	bool voided;			/* ids changed meanwhile: start over */
	bool starting;			/* in read(), which then reports */
	unsigned restarts;
	unsigned pending;		/* queries not done */
	uint32_t serial;
	struct mono asked;
	struct wall wall;		/* the same moment */
	struct mono wanted;		/* when the host asked for it */
	struct mono held_until;		/* POLL_HELD: syncd is about to write */
	unsigned rows, errors;
	unsigned dropped;		/* rows without a usable value */
	unsigned lost;			/* objects whose id has no row */
	char lost_first[OBJECT_NAME_MAX];
	char barred[SOURCE_REASON_MAX];	/* a row that is too large */
	uint64_t barred_until;		/* this number of merges of names */
	bool failed;			/* a connection ended */
	bool unread;			/* a table could not be read */
	bool frozen;			/* the writer of the rows has stopped */
	int64_t row_interval_ns;	/* seen between two last_update_time */
	char reason[SOURCE_REASON_MAX];	/* the first fault */
	int result;			/* of the last reading, for read() */
	struct redis_query guard;	/* time stamps, and the ids again */
	unsigned guard_ports;		/* names with the id that we know */
	char guard_name[OBJECT_NAME_MAX];
};
