/* Asks the agent, and shows what it answers; with the agent down, reads the
 * rings for those commands that can. One connection, one request, answers until
 * the last (C13).
 */
#pragma once

#include <limits.h>
#include <stdint.h>
#include "agent/ctl/remote.h"
#include "agent/ctl/render.h"
#include "agent/query/query.h"
#include "local.pb-c.h"
#include "petrel/diag.h"

#define CLIENT_TIMEOUT_NS INT64_C(5000000000)	/* for an answer from memory */

struct client;
struct invocation;

/* Where the agent is. */
struct agent_place {
	char socket[PATH_MAX];
	char run_dir[PATH_MAX];		/* where its rings are */
};

/* From --socket, else --config, else the default file and what is built in.
 * Returns a negative errno with d only for a file that was named.
 */
int ask_place(const struct invocation *inv, struct agent_place *ret,
	      struct diag *d);

/* Connects and asks. Returns -ENOENT (no socket), -ECONNREFUSED (nobody behind
 * it), -EACCES, -EMSGSIZE (above LOCAL_REQUEST_MAX), or another negative errno,
 * with d.
 */
int client_open(const struct agent_place *place,
		const Petrel__Request *request, struct client **ret,
		struct diag *d);
/* Ends the connection; c may be NULL. */
void client_close(struct client *c);
/* To poll for an answer; the client owns it. */
int client_fd(const struct client *c);
/* The next answer, freed with answer_unpacked_free(). timeout_ns: without an
 * octet of it; below 0: waits as long as it takes. Returns -ETIMEDOUT, -EPIPE
 * (the agent ended the connection), -EBADMSG, with d.
 */
int client_answer(struct client *c, int64_t timeout_ns, Petrel__Answer **ret,
		  struct diag *d);

/* One question with one answer, which is sound; freed as above. Returns as
 * client_open() and client_answer().
 */
int ask_once(const struct agent_place *place, const Petrel__Request *request,
	     int64_t timeout_ns, Petrel__Answer **ret, struct diag *d);

/* The exit code of a failure to ask, and of a failure to make a file. */
int ask_failed(int err);
int ask_file_failed(int err);

/* A question under way, and how its answers are shown. */
struct ask {
	const struct verb *verb;
	struct screen screen;
	struct render_how how;
	struct agent_place place;
	struct remote_place far;	/* url NULL: of this switch */
	Petrel__Request request;
	char *args[ARGUMENTS_MAX + 1];	/* and a word for an option */
	int64_t timeout_ns;
};

/* Waits for the next answer and shows it. ret_code: its exit code; of one that
 * is well but cut EXIT_INCOMPLETE, of another what it was before. Returns as
 * client_answer(), and -EIO: it cannot be written.
 */
int ask_answer(const struct ask *q, struct client *c, int64_t timeout_ns,
	       int *ret_code, bool *ret_more, struct diag *d);
/* When asking failed with err: what the rings have of it, else why not. Returns
 * the exit code.
 */
int ask_unanswered(const struct ask *q, int err, const char *why);
/* protobuf-c wants char *; it only reads them. NULL: "". */
char *ask_word(const char *text);

/* Runs a command that asks its verb and shows what comes. */
int ask_run(const struct invocation *inv);
