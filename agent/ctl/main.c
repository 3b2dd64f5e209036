/* petrel: what an engineer types on the switch. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/ctl/command.h"
#include "agent/ctl/commands.h"
#include "agent/ctl/help.h"
#include "agent/ctl/options.h"
#include "petrel/local.h"

/* A socket or a file would be given the number of a standard descriptor that
 * is closed, and be written into: /dev/null takes its place, the wrong way
 * round, so that what is lost is told.
 */
static void standard_open(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY :
							   O_RDONLY) != fd)
			return;
}

/* What could not be written is no answer. */
static int written(int code)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	(void)fprintf(stderr, "petrel: standard output: %s\n",
		      errno ? strerror(errno) : "cannot be written");
	return EXIT_INCOMPLETE;
}

static int command_run(struct invocation *inv)
{
	if (option_given(inv, OPTION_VERSION)) {
		inv->command = command_find(inv->table, "version");
	} else if (option_given(inv, OPTION_HELP)) { /* help COMMAND */
		inv->argument_count = inv->command ? 1 : 0;
		inv->argument[0] = inv->command ? inv->command->name : NULL;
		inv->command = command_find(inv->table, "help");
	}
	if (!inv->command)
		inv->command = command_find(inv->table, "overview");
	return inv->command->run(inv);
}

int main(int argc, char **argv)
{
	struct invocation inv;
	struct diag d;

	standard_open();
	if (options_parse(argc, argv, commands_table(), &inv, &d) < 0) {
		(void)fprintf(stderr, "petrel: %s\n", d.text);
		return EXIT_USAGE;
	}
	return written(command_run(&inv));
}
