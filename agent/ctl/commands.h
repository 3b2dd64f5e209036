/* The table of petrel's commands. */
#pragma once

#include "agent/ctl/command.h"

/* One row each; a NULL name ends it. */
const struct command *commands_table(void);
