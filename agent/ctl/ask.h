/* Asks the agent, and shows what it answers; with the agent down, reads the
 * rings for those commands that can.
 */
#pragma once

#include <limits.h>
#include "local.pb-c.h"
#include "petrel/diag.h"

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

/* Connects and asks. Returns 0, or a negative errno with d. */
int ask_open(const struct agent_place *place, const Petrel__Request *request,
	     struct client **ret, struct diag *d);

/* The exit code of a failure to ask. */
int ask_failed(int err);

/* The exit code of a failure to make a file. */
int ask_file_failed(int err);

/* Handler of commands that ask their verb and show what comes. */
int ask_run(const struct invocation *inv);
/* petrel health: nobody answering is an answer, too. */
int ask_health(const struct invocation *inv);
