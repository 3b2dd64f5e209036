/* The command line of petrel, taken apart by two tables: the commands, and
 * the options.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "petrel/diag.h"

#define ARGUMENTS_MAX 256

enum option {
	OPTION_SOCKET, OPTION_CONFIG, OPTION_JSON, OPTION_HELP,
	OPTION_FOLLOW, OPTION_AFTER, OPTION_LINKS, OPTION_AGENT,
	OPTION_PORTS, OPTION_FOR, OPTION_OUT, OPTION_COMPLETION,
	OPTION_VERSION, OPTION_SORT, OPTION_TOP, OPTION_ALL, OPTION_WIDE,
	OPTION_ANONYMISE, OPTION_LIST_REGISTERS,
	OPTION_SINCE, OPTION_ORIGIN, OPTION_ASIC, OPTION_BENIGN,
	OPTION_COUNT,
};

#define OPTION_BIT(option) (1u << (option))
/* What every command understands. */
#define OPTIONS_GLOBAL                                                        \
	(OPTION_BIT(OPTION_SOCKET) | OPTION_BIT(OPTION_CONFIG) |              \
	 OPTION_BIT(OPTION_JSON) | OPTION_BIT(OPTION_HELP) |                  \
	 OPTION_BIT(OPTION_VERSION))

/* Of those that show a table of many rows. */
#define OPTIONS_TABLE                                                         \
	(OPTION_BIT(OPTION_SORT) | OPTION_BIT(OPTION_TOP) |                   \
	 OPTION_BIT(OPTION_WIDE) | OPTION_BIT(OPTION_ASIC))

struct option_info {
	const char *name;	/* --follow, or -o */
	const char *value;	/* what is to follow, NULL: nothing */
	const char *letter;	/* a short name; NULL: none */
	const char *help;	/* NULL: not shown */
};

/* A command line that was understood. Texts are the caller's argv. */
struct invocation {
	const struct command *table;	/* of all commands */
	const struct command *command;	/* NULL: none given */
	unsigned given;			/* OPTION_BITs */
	const char *value[OPTION_COUNT];
	const char *argument[ARGUMENTS_MAX];
	unsigned argument_count;
};

/* The row of an option. */
const struct option_info *option_info(enum option option);
/* Was it on the command line? */
static inline bool option_given(const struct invocation *i, enum option option)
{
	return i->given & OPTION_BIT(option);
}

/* Returns -EINVAL with d. */
int options_parse(int argc, char **argv, const struct command *table,
		  struct invocation *ret, struct diag *d);
