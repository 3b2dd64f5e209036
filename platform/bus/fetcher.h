/* A process that reads modules for the reader, so that a read that hangs in the
 * kernel holds up nobody else: the reader kills the process or, if that does
 * not work yet, leaves it, and starts another.
 *
 * One question at a time; its answer makes the descriptor readable.
 */
#pragma once

#include "petrel/diag.h"
#include "platform/bus/bus_kind.h"

#define FETCH_READS_MAX 8u

struct fetch_question {
	unsigned cage;			/* the asker's number for it */
	struct bus_place place;
	uint8_t identifier;		/* octet 0, if known */
	unsigned count;
	struct module_read read[FETCH_READS_MAX];
};

struct fetch_answer {
	unsigned cage;
	unsigned done;			/* reads completed, in order */
	int status;			/* of the next read, if any is left */
	int64_t bus_ns;			/* time spent on the reads */
	char reason[DIAG_MAX];		/* if status is below 0 */
	uint8_t octets[FETCH_READS_MAX][MODULE_PAGE_LEN];
};

struct fetcher;

/* Starts the process. env is for opening buses. Returns -ENOMEM, or the error
 * of fork() or socketpair().
 */
int fetcher_new(const struct bus_env *env, struct fetcher **ret);
/* Ends it; never waits. NULL is allowed. Returns the process if it is stuck in
 * a device and has not ended yet, else 0.
 */
int fetcher_free(struct fetcher *f);

/* Readable when there is an answer. */
int fetcher_fd(const struct fetcher *f);

/* Passes it a question. Never waits. Returns -EPIPE if it died. */
int fetcher_ask(struct fetcher *f, const struct fetch_question *q);

/* Takes the answer. Returns -EAGAIN if there is none yet, -EPIPE. */
int fetcher_take(struct fetcher *f, struct fetch_answer *ret);
