/* One connection to one database: pipelined, never waiting.
 *
 * Queries are written in one go and answered in order. A reply that is
 * overdue, a closed socket or nonsense ends the connection: each query that
 * waits is told why, nothing that comes late is ever handed over, and the next
 * attempt waits for a back-off that only an answer resets.
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

/* What a connection says first: the password, where the switch has one, and
 * which database is meant.
 */
struct greeting {
	char text[GREETING_MAX];	/* commands; holds the password */
	size_t len;
	unsigned count;			/* of commands; SELECT is the last */
};

/* Writes the commands for a database. The file with the password is read anew,
 * as each start of the switch draws another.
 * Returns a negative errno with d: the password cannot be read.
 */
int greeting_write(int root_fd, const struct database *database,
		   struct greeting *ret, struct diag *d);

/* Forgets the password. */
void greeting_forget(struct greeting *g);

#define CHANNEL_OVERDUE_NS (2 * NS_PER_S)	/* for all of a query */
#define CHANNEL_BACKOFF_MIN_NS (1 * NS_PER_S)
#define CHANNEL_BACKOFF_MAX_NS (15 * NS_PER_S)

struct channel;
struct redis_query;

/* q->written and q->answered say which command, or which reply, it is.
 *
 * Redis may answer any command with any shape of reply. What has no function
 * here is skipped, and reply() is told REPLY_ODD instead of REPLY_ARRAY.
 */
struct query_ops {
	/* Writes the next command, when it is its turn to be sent. NULL: the
	 * query has its commands as text.
	 */
	void (*write)(struct redis_query *q, struct commands *to);
	/* Content of the array that is answered; as in struct reply_taker.
	 * value() may be NULL: no array is an answer. name() must be there
	 * where pairs are asked for, and only there.
	 */
	int (*name)(struct redis_query *q, const char *text, size_t len,
		    unsigned position);
	void (*value)(struct redis_query *q, int which, const char *text,
		      size_t len);
	/* The reply is a text, not an array. May be NULL. */
	void (*text)(struct redis_query *q, const char *text, size_t len);
	/* A reply is complete. False: Redis never answers this command
	 * so. Its answers and our questions are out of step then, and the
	 * connection ends; what Redis refuses (REPLY_ERROR) is an answer.
	 */
	bool (*reply)(struct redis_query *q, const struct reply *r);
	/* All replies came (reason NULL), or none will come any more. The
	 * query may be asked again from here.
	 */
	void (*done)(struct redis_query *q, const char *reason);
};

/* A value() for arrays whose values are of no use. */
void query_skip_value(struct redis_query *q, int which, const char *text,
		      size_t len);

/* Commands that go out together. Plain data of whoever asks; it must stay
 * where it is until done().
 */
struct redis_query {
	const struct query_ops *ops;
	void *context;
	const char *commands;		/* borrowed until done(); or write() */
	size_t len;
	unsigned count;			/* of commands, so of replies */
	bool pairs;			/* HGETALL */

	/* The channel's. */
	unsigned written, answered;	/* commands; by write(), replies */
	uint64_t end;			/* of what is sent, its last octet */
	bool oversize;			/* the next answer is past all bounds */
	struct mono due;
	struct redis_query *next;
};

/* Who subscribed hears of what nobody asked for: the elements of a message, by
 * their places. A channel that subscribed can ask nothing else.
 */
typedef void channel_pushed_fn(struct channel *c, unsigned position,
			       const char *text, size_t len);

struct channel {
	const char *word;		/* COUNTERS_DB */
	struct database database;
	int root_fd, epoll_fd;		/* borrowed */
	int fd;				/* -1: down */
	uint32_t wanted;		/* events asked of epoll */
	struct reply_reader replies;
	struct reply_taker taker;
	struct redis_query *first, *last;	/* asked, not yet answered */
	struct redis_query *unwritten;	/* the first not wholly in out */
	size_t text_pos;		/* of its text */
	struct commands out;		/* what is being sent */
	size_t out_pos;
	uint64_t sent;			/* octets, ever */
	struct redis_query hello;	/* the first of each connection */
	struct greeting greeting;	/* its commands */
	bool refused;			/* Redis does not take them */
	bool held;			/* more is asked before it is sent */
	uint64_t connects;		/* grows: what was read before is old */
	struct mono now;		/* of the wake-up being served */
	struct mono retry;		/* no attempt before this */
	struct mono down_since;		/* ns 0: up, as far as is known */
	int64_t backoff_ns;
	char reason[SOURCE_REASON_MAX];	/* why it is down */
	channel_pushed_fn *pushed;	/* NULL: only answers may come */
	void *owner;			/* of pushed() */
};

/* Nothing is connected yet. epoll_fd: where the socket's readiness goes, with
 * the channel as its pointer.
 */
void channel_init(struct channel *c, const char *word, int root_fd,
		  int epoll_fd);
/* Ends the connection; no query is told. */
void channel_fini(struct channel *c);

/* Another place for the database: ends the connection, telling queries. */
void channel_move(struct channel *c, const struct database *database);

/* While it is down: looks where its database is now, as the host's
 * database_config.json or the operator's word (socket, or NULL) has it.
 */
void channel_follow(struct channel *c, enum database_name name,
		    const char *socket);

/* Connects when it is down and the back-off is over.
 * Returns -ENODATA with d: why, and since when.
 */
int channel_ready(struct channel *c, struct mono now, struct diag *d);

/* Sends a query's commands, or as much as fits. The channel must be ready. */
void channel_ask(struct channel *c, struct redis_query *q, struct mono now);
/* The same of commands, which must stay until done(). */
void channel_ask_all(struct channel *c, struct redis_query *q,
		     const struct commands *all, struct mono now);

/* What is asked from here on is sent together, when it is released. */
void channel_hold(struct channel *c);
void channel_release(struct channel *c);

/* The socket is ready: takes what is there, sends what is left. */
void channel_event(struct channel *c, uint32_t events, struct mono now);

/* Ends the connection when a reply is overdue. */
void channel_check(struct channel *c, struct mono now);

/* When channel_check() is wanted; INT64_MAX: not. */
struct mono channel_deadline(const struct channel *c);
