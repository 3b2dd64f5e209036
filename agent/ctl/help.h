/* What petrel says of itself; all from the tables of commands and options. */
#pragma once

#include "agent/ctl/screen.h"

struct command;
struct invocation;

/* The list of commands. */
void help_usage(const struct screen *s, const struct command *table);
/* petrel help, petrel help COMMAND, petrel help --completion. */
int help_run(const struct invocation *inv);
/* petrel version. */
int help_version(const struct invocation *inv);
