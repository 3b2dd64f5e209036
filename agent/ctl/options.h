/* The command line of petrel, parsed with two tables: the verbs, and the
 * options; help and completion use the same tables.
 */
#pragma once

#include <stdbool.h>
#include "agent/query/verbs.h"
#include "petrel/diag.h"

/* Options of commands that a collector answers. */
#define OPTIONS_FAR                                                           \
	(OPTION_BIT(OPTION_COLLECTOR) | OPTION_BIT(OPTION_SWITCH) |           \
	 OPTION_BIT(OPTION_TOKEN_FILE))

/* Options of every command; --json unless it is for people alone. */
#define OPTIONS_GLOBAL                                                        \
	(OPTION_BIT(OPTION_SOCKET) | OPTION_BIT(OPTION_CONFIG) |              \
	 OPTION_BIT(OPTION_JSON) | OPTION_BIT(OPTION_HELP) |                  \
	 OPTION_BIT(OPTION_VERSION))

struct option_info {
	const char *name;	/* --follow, or -o */
	const char *value;	/* what the value is; NULL: none */
	const char *letter;	/* a short name; NULL: none */
	const char *help;	/* NULL: not shown */
	const char *words;	/* values offered for completion; NULL: none */
};

/* A parsed command line. Texts are the caller's argv. */
struct invocation {
	const struct verb *verb;	/* NULL: none given */
	uint64_t given;			/* OPTION_BITs */
	const char *value[OPTION_COUNT];
	const char *argument[ARGUMENTS_MAX];
	unsigned argument_count;
};

/* The row of an option. */
const struct option_info *option_info(enum option option);
/* The duration of an option, if it is given; else *ret_ns stays. Returns
 * -EINVAL with d if it is not above 0, or no duration.
 */
int option_duration(const struct invocation *i, enum option option,
		    int64_t *ret_ns, struct diag *d);

/* Whether an option was on the command line. */
static inline bool option_given(const struct invocation *i, enum option option)
{
	return i->given & OPTION_BIT(option);
}

/* Says why standard output failed. That is seen only after all was printed,
 * when its errno is gone: another octet fails for the same reason. Returns
 * EXIT_INCOMPLETE.
 */
int output_failed(void);

/* Says why a command fails; returns code. */
int command_failed(int code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Returns -EINVAL with d. */
int options_parse(int argc, char **argv, struct invocation *ret,
		  struct diag *d);

/* petrel help, petrel help COMMAND, petrel help --completion. */
int options_help(const struct invocation *inv);
/* petrel version. */
int options_version(const struct invocation *inv);
