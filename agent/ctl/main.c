/* petrel: what an engineer types on the switch. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/ctl/client.h"
#include "agent/ctl/dump.h"
#include "agent/ctl/metrics_file.h"
#include "agent/ctl/options.h"
#include "agent/ctl/picture.h"
#include "agent/ctl/runs.h"
#include "petrel/local.h"

/* Verbs that do more than ask and show. */
static const struct {
	const char *name;
	run_fn *run;
} runs[] = {
	{ "record", recorder_run }, { "replay", replay_run },
	{ "decode", decode_run },   { "bugreport", bugreport_run },
	{ "keygen", keygen_run },   { "version", options_version },
	{ "metrics", metrics_run }, { "help", options_help },
	{ "history", history_run }, { "watch", watch_run },
	{ "dump", dump_run },	    { "plot", picture_run },
	{ "report", report_run },
};

/* Otherwise a socket or file could get the number of a closed standard
 * descriptor, and output would go there. Opens /dev/null there with the wrong
 * access mode instead, so that lost output causes an error.
 */
static void standard_open(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY :
							   O_RDONLY) != fd)
			return;
}

/* An answer that could not be written is a failure. */
static int written(int code)
{
	return fflush(stdout) == 0 && !ferror(stdout) ? code : output_failed();
}

static int verb_run(const struct invocation *inv)
{
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		if (strcmp(runs[i].name, inv->verb->name) == 0)
			return runs[i].run(inv);
	return ask_run(inv);
}

static int command_run(struct invocation *inv)
{
	if (option_given(inv, OPTION_VERSION)) {
		inv->verb = verb_find(verb_table, "version");
	} else if (option_given(inv, OPTION_HELP)) { /* help COMMAND */
		inv->argument_count = inv->verb ? 1 : 0;
		inv->argument[0] = inv->verb ? inv->verb->name : NULL;
		inv->verb = verb_find(verb_table, "help");
	}
	if (!inv->verb)
		inv->verb = verb_find(verb_table,
				      option_given(inv, OPTION_COLLECTOR) ?
				      "switches" : "overview");
	return verb_run(inv);
}

int main(int argc, char **argv)
{
	struct invocation inv;
	struct diag d;

	standard_open();
	if (options_parse(argc, argv, &inv, &d) < 0)
		return command_failed(EXIT_USAGE, "%s", d.text);
	return written(command_run(&inv));
}
