/* RESP, the protocol of Redis. Replies are processed as they arrive: no tree is
 * built, nothing allocated. Commands are formatted for sending.
 *
 * hiredis' reader parses the protocol and calls the four functions here, which
 * pass names and values straight to the caller. Only the replies to SONiC's
 * commands are supported: one value, or one flat array of strings.
 */
#pragma once

#include <hiredis/read.h>
#include <stdbool.h>
#include <stddef.h>

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

/* Receives the content of arrays. name() is only for pairs. */
struct reply_taker {
	void *context;
	bool pairs;	/* name, value, name, … (HGETALL); else values only */
	/* The index of the next value; below 0: skip it. */
	int (*name)(void *context, const char *text, size_t len,
		    unsigned position);
	/* which: the result of name(), or the position without names. */
	void (*value)(void *context, int which, const char *text, size_t len);
	/* A reply that is one text, whole. May be NULL. */
	void (*text)(void *context, const char *text, size_t len);
};

struct reply_reader {
	redisReader *reader;		/* hiredis' own; freed by fini */
	struct reply reply;		/* the current one */
	bool complete;			/* it was returned: begin another */
	int which;			/* index of the next value */
	const struct reply_taker *taker;	/* borrowed; set before next */
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
