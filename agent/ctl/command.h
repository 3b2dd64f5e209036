/* One command of petrel: a row of the table in commands.c. Help, completion
 * and the manual's test come from it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "local.pb-c.h"
#include "petrel/diag.h"

struct answer;
struct answer_shape;
struct invocation;
struct query_client;

struct command {
	const char *name;
	const char *synopsis;		/* words and options behind petrel */
	const char *help;		/* one line */
	unsigned options;		/* OPTION_BITs of its own */
	unsigned arguments_min, arguments_max;
	const char *words;		/* arguments that may be completed */
	/* So may the first words of what this command prints; NULL: no. */
	const char *words_of;
	const struct answer_shape *table;	/* its columns, for --sort */
	/* Returns an exit code. */
	int (*run)(const struct invocation *inv);
	/* For those that only ask and show: */
	const char *verb;
	bool has_findings;
	/* For petrel bugreport, which takes along what the command prints as
	 * JSON: its argument, "" for none; NULL: not taken along.
	 */
	const char *report;
	/* Fills an answer from the rings when the agent is down; NULL: not
	 * without it.
	 */
	int (*offline)(void *context, struct query_client *client,
		       const Petrel__Request *request, struct answer *a);
};

/* The row of a name in a table that a NULL name ends; NULL: none. */
const struct command *command_find(const struct command *table,
				   const char *name);

/* Says that there is none, with the nearest; returns -EINVAL. */
int command_unknown(const struct command *table, const char *name,
		    struct diag *d);
