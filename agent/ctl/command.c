#include "agent/ctl/command.h"

#include <errno.h>
#include <string.h>

#include "agent/base/names.h"

#define COMMANDS_MAX 32

const struct command *command_find(const struct command *table,
				   const char *name)
{
	for (const struct command *c = table; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

int command_unknown(const struct command *table, const char *name,
		    struct diag *d)
{
	const char *names[COMMANDS_MAX], *near;
	size_t n = 0;

	for (const struct command *c = table; c->name && n < COMMANDS_MAX; c++)
		names[n++] = c->name;
	near = nearest_name(name, names, n);
	return diag_set(d, -EINVAL, "no command '%s'%s%s; see petrel help",
			name, near ? "; nearest is " : "", near ? near : "");
}
