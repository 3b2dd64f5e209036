/* RESP, the protocol of Redis. Replies are processed as they arrive: no tree is
 * built, nothing allocated. Commands are formatted for sending.
 *
 * hiredis' reader parses the protocol and calls the four functions here, which
 * pass names and values straight to the query. Only the replies to SONiC's
 * commands are supported: one value, or one flat array of strings.
 */
#pragma once

#include <hiredis/read.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/clock.h"

#define REPLY_ELEMENTS_MAX (1u << 18)	/* of one array */
#define REPLY_OCTETS_MAX (4u << 20)	/* of one element */
#define REPLY_ERROR_MAX 96
/* This many octets can be fed without an allocation, whatever the pieces. With
 * more, hiredis moves more octets per reply.
 */
#define REPLY_FEED_OCTETS 16384u

enum reply_kind {
	REPLY_NONE,	/* nothing yet */
	REPLY_NIL,
	REPLY_TEXT,	/* a status or string; its text is in error[] */
	REPLY_INTEGER,
	REPLY_ARRAY,
	REPLY_ERROR,	/* Redis rejected it; error[] says why */
	REPLY_ODD,	/* not a reply to any of our commands */
};

/* What remains of a complete reply. */
struct reply {
	enum reply_kind kind;
	unsigned elements;	/* of an array */
	long long integer;
	char error[REPLY_ERROR_MAX];
};

/* Why a reply is not the expected one: Redis' own words, if it is an error.
 * Borrowed like the reply.
 */
const char *reply_wrong(const struct reply *r);
/* True if the key is there, but is of another type than the command is for: it
 * has nothing to read, and all other keys are as they were.
 */
bool reply_is_wrong_type(const struct reply *r);

struct commands;
struct redis_query;

/* q->written and q->answered say which command, or which reply, it is.
 *
 * Redis may send any kind of reply to any command. A kind without a function
 * here is skipped, and reply() gets REPLY_ODD instead of REPLY_ARRAY.
 */
struct query_ops {
	/* Writes the next command, when it is due to be sent. NULL: the query
	 * has its commands as text.
	 */
	void (*write)(struct redis_query *q, struct commands *to);
	/* The index of the next value; below 0: skip it. Required if pairs is
	 * set, and only then.
	 */
	int (*name)(struct redis_query *q, const char *text, size_t len,
		    unsigned position);
	/* A value of an array. which: the result of name(), or the position
	 * without names. NULL: the reply must not be an array.
	 */
	void (*value)(struct redis_query *q, int which, const char *text,
		      size_t len);
	/* The reply is a text, not an array. May be NULL. */
	void (*text)(struct redis_query *q, const char *text, size_t len);
	/* A reply is complete. False: Redis never answers this command like
	 * this. Then queries and replies are out of step, and the connection
	 * ends; an error from Redis (REPLY_ERROR) is a valid answer.
	 */
	bool (*reply)(struct redis_query *q, const struct reply *r);
	/* All replies have arrived (reason NULL), or none will arrive any more.
	 * The query may be sent again from here.
	 */
	void (*done)(struct redis_query *q, const char *reason);
};

/* A value() for arrays whose values are not needed. */
void query_skip_value(struct redis_query *q, int which, const char *text,
		      size_t len);

/* Commands that are sent together. Plain data of the caller; it must stay where
 * it is until done().
 */
struct redis_query {
	const struct query_ops *ops;
	void *context;
	const char *commands;		/* borrowed until done(); or write() */
	size_t len;
	unsigned count;			/* of commands, and so of replies */
	bool pairs;			/* HGETALL: name, value, name, … */

	/* For the channel. */
	unsigned written, answered;	/* commands; by write(), replies */
	uint64_t end;			/* offset after its last octet sent */
	bool oversize;			/* the next answer exceeds all limits */
	struct mono due;
	struct redis_query *next;
};

struct reply_reader {
	redisReader *reader;		/* hiredis' own; freed by fini */
	struct reply reply;		/* the current one */
	bool complete;			/* it was returned: begin another */
	int which;			/* index of the next value */
	struct redis_query *query;	/* gets the content; NULL: nobody */
};

/* Returns -ENOMEM. r must stay where it is. */
int reply_reader_init(struct reply_reader *r);
/* Releases hiredis' reader; calling it twice is harmless. */
void reply_reader_fini(struct reply_reader *r);

/* Octets from the socket. Returns -ENOMEM, -EMSGSIZE (one element over
 * REPLY_OCTETS_MAX).
 */
int reply_reader_feed(struct reply_reader *r, const char *bytes, size_t len);

/* Continues the current reply. Returns 1 if it is complete (in *ret, borrowed
 * until the next call), 0 if more octets are needed, -EPROTO if these are not
 * replies of Redis.
 */
int reply_reader_next(struct reply_reader *r, const struct reply **ret);

#define COMMAND_KEY_MAX 128

/* Commands, formatted for sending. */
struct commands {
	char *data;
	size_t len, cap;
	unsigned count;		/* commands in it */
	bool failed;		/* no memory, or a key too long */
};

/* Empty again; the memory is kept. */
void commands_clear(struct commands *c);
/* Releases the memory too. */
void commands_free(struct commands *c);

/* Adds commands that are formatted already. */
void commands_add_text(struct commands *c, const char *text, size_t len);

/* Adds a command of these words, up to the NULL. */
void commands_add(struct commands *c, const char *const words[]);

/* Begins a command of that many words, which follow. */
void commands_begin(struct commands *c, size_t words);
void commands_word(struct commands *c, const char *word);
