/* petrel: what an engineer types on the switch. */
#include <stdio.h>

#include "agent/ctl/command.h"
#include "agent/ctl/commands.h"
#include "agent/ctl/help.h"
#include "agent/ctl/options.h"
#include "petrel/local.h"

int main(int argc, char **argv)
{
	struct invocation inv;
	struct diag d;

	if (options_parse(argc, argv, commands_table(), &inv, &d) < 0) {
		(void)fprintf(stderr, "petrel: %s\n", d.text);
		return EXIT_USAGE;
	}
	if (inv.raw_argv)
		return inv.command->run_raw(inv.raw_argc, inv.raw_argv);
	if (option_given(&inv, OPTION_VERSION))
		inv.command = command_find(inv.table, "version");
	else if (option_given(&inv, OPTION_HELP)) { /* help COMMAND */
		inv.argument_count = inv.command ? 1 : 0;
		inv.argument[0] = inv.command ? inv.command->name : NULL;
		inv.command = command_find(inv.table, "help");
	}
	if (!inv.command)
		inv.command = command_find(inv.table, "overview");
	return inv.command->run(&inv);
}
