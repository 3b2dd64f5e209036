/* A process that reads modules for the reader, so that one which hangs in the
 * kernel holds up nobody: the reader kills it, or, where not even that works
 * yet, leaves it, and starts another.
 *
 * One question at a time; its answer makes the descriptor readable.
 */
#pragma once

#include "petrel/diag.h"
#include "platform/bus/bus_kind.h"

#define FETCH_READS_MAX 8u

struct fetch_question {
	unsigned cage;			/* the asker's own number of it */
	struct bus_place place;
	uint8_t identifier;		/* octet 0, where known */
	unsigned count;
	struct module_read read[FETCH_READS_MAX];
};

struct fetch_answer {
	unsigned cage;
	unsigned done;			/* of the reads, in their order */
	int status;			/* of the next, where not all are */
	int64_t bus_ns;			/* time that the reads took */
	char reason[DIAG_MAX];		/* of a status below 0 */
	uint8_t octets[FETCH_READS_MAX][MODULE_PAGE_LEN];
};

struct fetcher;

/* Starts the process. env is what it opens buses with. Returns -ENOMEM, or
 * what fork() and socketpair() say.
 */
int fetcher_new(const struct bus_env *env, struct fetcher **ret);
/* Ends it; never waits. NULL is allowed. Returns the process where it has not
 * ended yet: one that a device holds; else 0.
 */
int fetcher_free(struct fetcher *f);

/* Readable when there is an answer. */
int fetcher_fd(const struct fetcher *f);

/* Hands it a question. Never waits. Returns -EPIPE when it died. */
int fetcher_ask(struct fetcher *f, const struct fetch_question *q);

/* Takes the answer. Returns -EAGAIN while there is none, -EPIPE. */
int fetcher_take(struct fetcher *f, struct fetch_answer *ret);
