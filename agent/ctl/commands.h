/* The commands of petrel: one row each. Help, completion and the manual's
 * test come from it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "agent/ctl/options.h"
#include "local.pb-c.h"

struct answer;
struct invocation;
struct query_client;

struct command {
	const char *name;
	const char *synopsis;		/* words and options behind petrel */
	const char *help;		/* one line */
	unsigned options;		/* OPTION_BITs beside the global ones */
	unsigned arguments_min, arguments_max;
	int (*run)(const struct invocation *inv);	/* returns an exit code */
	/* Instead of run: takes all words from its name on as they are. */
	int (*run_raw)(int argc, char **argv);
	/* For those that only ask and show: */
	const char *verb;
	bool has_findings;
	/* Fills an answer from the rings when the agent is down; NULL: not
	 * without it.
	 */
	int (*offline)(void *context, struct query_client *client,
		       const Petrel__Request *request, struct answer *a);
};

/* The table; a NULL name ends it. */
const struct command *commands_table(void);
/* NULL when there is none. */
const struct command *command_find(const char *name);
/* Says so, with the nearest; returns -EINVAL. */
int command_unknown(const char *name, struct diag *d);
