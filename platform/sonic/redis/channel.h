/* One connection to one database: pipelined, never waiting.
 *
 * Queries are written at once and answered in order. An overdue reply, a closed
 * socket or a malformed reply ends the connection: each waiting query gets the
 * reason, late replies are never passed on, and the next attempt waits for a
 * back-off that only an answer resets.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/clock.h"
#include "petrel/diag.h"
#include "petrel/platform.h"
#include "platform/sonic/redis/resp.h"
#include "platform/sonic/switchdb/database.h"

#define GREETING_PASSWORD_MAX 512	/* octets; SONiC's has 44 */
#define GREETING_MAX (GREETING_PASSWORD_MAX + 96)

/* The first commands of a connection: the password, if the switch has one, and
 * the number of the database.
 */
struct greeting {
	char text[GREETING_MAX];	/* commands; holds the password */
	size_t len;
	unsigned count;			/* of commands; SELECT is the last */
};

/* Writes the commands for a database. Reads the password file each time, as
 * each start of the switch generates a new password. Returns a negative errno
 * with d: the password cannot be read.
 */
int greeting_write(int root_fd, const struct database *database,
		   struct greeting *ret, struct diag *d);

/* Forgets the password. */
void greeting_forget(struct greeting *g);

#define CHANNEL_OVERDUE_NS (2 * NS_PER_S)	/* for all of a query */
#define CHANNEL_BACKOFF_MIN_NS (1 * NS_PER_S)
#define CHANNEL_BACKOFF_MAX_NS (15 * NS_PER_S)

struct channel {
	const char *word;		/* COUNTERS_DB */
	struct database database;
	int root_fd, epoll_fd;		/* borrowed */
	int fd;				/* -1: down */
	uint32_t wanted;		/* events requested from epoll */
	struct reply_reader replies;
	struct redis_query *first, *last;	/* asked, not yet answered */
	struct redis_query *unwritten;	/* the first not completely in out */
	size_t text_pos;		/* in its text */
	struct commands out;		/* what is being sent */
	size_t out_pos;
	uint64_t sent;			/* octets, ever */
	struct redis_query hello;	/* the first of each connection */
	struct greeting greeting;	/* its commands */
	bool refused;			/* Redis rejects them */
	bool held;			/* until channel_release() */
	uint64_t connects;		/* grows: data read before are old */
	struct mono now;		/* of the current wake-up */
	struct mono retry;		/* no attempt before this */
	struct mono down_since;		/* ns 0: up, as far as is known */
	int64_t backoff_ns;
	char reason[SOURCE_REASON_MAX];	/* why it is down */
	/* Gets unsolicited messages: their elements, by position. The channel
	 * can send no other queries then. NULL: only answers are expected.
	 */
	struct redis_query *subscriber;
};

/* Does not connect yet. epoll_fd watches the socket, with the channel as its
 * pointer.
 */
void channel_init(struct channel *c, const char *word, int root_fd,
		  int epoll_fd);
/* Ends the connection, without telling queries. */
void channel_fini(struct channel *c);

/* The database has moved: ends the connection, telling queries. */
void channel_move(struct channel *c, const struct database *database);

/* If it is down: finds the database's present address, from the host's
 * database_config.json or the operator's setting (socket, or NULL).
 */
void channel_follow(struct channel *c, enum database_name name,
		    const char *socket);

/* Connects if it is down and the back-off is over. Returns -ENODATA with d:
 * why, and since when.
 */
int channel_ready(struct channel *c, struct mono now, struct diag *d);

/* Sends a query's commands, or as much as fits. If the channel is not ready,
 * done() is called at once.
 */
void channel_ask(struct channel *c, struct redis_query *q, struct mono now);

/* Sends the queries since held was set, all together. */
void channel_release(struct channel *c);

/* The socket is ready: takes what has arrived, sends what is left. */
void channel_event(struct channel *c, uint32_t events, struct mono now);

/* Ends the connection if a reply is overdue. */
void channel_check(struct channel *c, struct mono now);

/* The next time for channel_check(); INT64_MAX: never. */
struct mono channel_deadline(const struct channel *c);
