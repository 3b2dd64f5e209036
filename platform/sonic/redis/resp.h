/* RESP, the protocol of Redis. Replies are walked as they come: no tree is
 * built, nothing allocated. Commands are formatted for sending.
 *
 * hiredis' reader parses the protocol and calls the four functions here, which
 * hand names and values straight to whoever asked. Only what SONiC's commands
 * answer is taken: one value, or one flat array of strings.
 */
#pragma once

#include <hiredis/read.h>
#include <stdbool.h>
#include <stddef.h>

#define REPLY_ELEMENTS_MAX (1u << 18)	/* of one array */
#define REPLY_OCTETS_MAX (4u << 20)	/* of one element */
#define REPLY_ERROR_MAX 96
/* So many octets at a time are fed without an allocation, however the pieces
 * fall. More: hiredis moves more octets a reply.
 */
#define REPLY_FEED_OCTETS 16384u

enum reply_kind {
	REPLY_NONE,	/* nothing yet */
	REPLY_NIL,
	REPLY_TEXT,	/* a status or string; its text is in error[] */
	REPLY_INTEGER,
	REPLY_ARRAY,
	REPLY_ERROR,	/* Redis refused; error[] tells why */
	REPLY_ODD,	/* nothing that our commands answer */
};

/* What is known of a reply when it is complete. */
struct reply {
	enum reply_kind kind;
	unsigned elements;	/* of an array */
	long long integer;
	char error[REPLY_ERROR_MAX];
};

/* Why a reply is not the one that was asked for: Redis' own words, where it
 * refused. Borrowed as the reply is.
 */
const char *reply_wrong(const struct reply *r);

/* Who takes the content of arrays. name() only where pairs come. */
struct reply_taker {
	void *context;
	bool pairs;	/* name, value, name, … (HGETALL); else values only */
	/* Which value the next one is; below 0: nobody wants it. */
	int (*name)(void *context, const char *text, size_t len,
		    unsigned position);
	/* which: as name() said, or the position where there are no names. */
	void (*value)(void *context, int which, const char *text, size_t len);
	/* A reply that is one text, whole. May be NULL. */
	void (*text)(void *context, const char *text, size_t len);
};

struct reply_reader {
	redisReader *reader;		/* hiredis' own; freed by fini */
	struct reply reply;		/* the one being read */
	bool complete;			/* it was given out: begin another */
	int which;			/* of the value that comes next */
	const struct reply_taker *taker;	/* borrowed; set before next */
};

/* Returns -ENOMEM. r must stay where it is. */
int reply_reader_init(struct reply_reader *r);
/* Releases hiredis' reader; twice does no harm. */
void reply_reader_fini(struct reply_reader *r);

/* Octets from the socket. Returns -ENOMEM, -EMSGSIZE (one element over
 * REPLY_OCTETS_MAX).
 */
int reply_reader_feed(struct reply_reader *r, const char *bytes, size_t len);

/* Goes on with the current reply. Returns 1 when it is complete (in *ret,
 * borrowed until the next call), 0 when more octets are needed, -EPROTO when
 * these are no replies of Redis.
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

/* Octets of commands that are formatted already. */
void commands_add_text(struct commands *c, const char *text, size_t len);

/* A command of its words, up to the NULL. */
void commands_add(struct commands *c, const char *const words[]);

/* The beginning of a command of so many words, which follow. */
void commands_begin(struct commands *c, size_t words);
void commands_word(struct commands *c, const char *word);
