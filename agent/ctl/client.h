/* Asks the agent, and shows what it answers; when the agent is down, answers
 * from the rings for those commands that can. One connection, one request,
 * answers until the last (C13).
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

/* From --socket, else --config, else the default file and built-in defaults.
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
/* For poll(2); the client owns it. */
int client_fd(const struct client *c);
/* The next answer, which is sound; freed with answer_unpacked_free().
 * timeout_ns: the longest time without any octet; below 0: no limit. Returns
 * -ETIMEDOUT, -EPIPE (the agent closed the connection), -EBADMSG, with d.
 */
int client_answer(struct client *c, int64_t timeout_ns, Petrel__Answer **ret,
		  struct diag *d);

/* A question of a verb, with n words; both borrowed. */
void ask_request(Petrel__Request *ret, const char *verb, char **args, size_t n);
/* One question with one answer, freed as above. Returns errors as client_open()
 * and client_answer().
 */
int ask_once(const struct agent_place *place, const Petrel__Request *request,
	     Petrel__Answer **ret, struct diag *d);

/* The exit code of a failure to ask, and of a failure to make a file. */
int ask_failed(int err);
int ask_file_failed(int err);
/* Why nobody answers: in d what the last agent said when it ended, if it did;
 * err, d: of asking.
 */
void ask_why_down(const struct agent_place *place, int err, struct diag *d);
/* Whether an agent runs and writes the rings; else d says why not. */
bool ask_runs(const struct agent_place *place, struct diag *d);
/* A descriptor that is readable once a signal asks to end, with hangs_up also
 * once the terminal is gone; -1: errno.
 */
int ask_end_fd(bool hangs_up);

/* A question in progress, and how its answers are shown. */
struct ask {
	const struct verb *verb;
	struct screen screen;
	struct render_how how;
	struct agent_place place;
	struct remote_place far;	/* url NULL: of this switch */
	Petrel__Request request;
	char *args[ARGUMENTS_MAX + 1];	/* and a word per option */
	int64_t timeout_ns;
};

/* From a command line: q must not be moved. Returns -EINVAL, or an error as
 * ask_place(), with d.
 */
int ask_make(struct ask *q, const struct invocation *inv, struct diag *d);
/* Shows why there is no answer; returns code. */
int ask_error_show(const struct ask *q, int code, const char *why);
/* Waits for the next answer and shows it. ret_code: its exit code; if it is
 * sound but truncated EXIT_INCOMPLETE, else unchanged. Returns errors as
 * client_answer(), and -EIO: it cannot be written.
 */
int ask_answer(const struct ask *q, struct client *c, int64_t timeout_ns,
	       int *ret_code, bool *ret_more, struct diag *d);
/* After asking failed with err: shows what the rings have, else why there is no
 * answer. Returns the exit code.
 */
int ask_unanswered(const struct ask *q, int err, const char *why);
/* protobuf-c wants char *, but only reads it. NULL: "". */
char *ask_word(const char *text);

/* Runs a command: sends its verb and shows the answers. */
int ask_run(const struct invocation *inv);
