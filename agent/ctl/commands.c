#include "agent/ctl/commands.h"

#include "agent/ctl/ask.h"
#include "agent/ctl/help.h"
#include "agent/ctl/offline.h"
#include "agent/ctl/options.h"
#include "agent/ctl/recorder.h"
#include "agent/ctl/replay.h"
#include "agent/query/verbs.h"

static const struct command commands[] = {
	{ .name = "status", .synopsis = "status",
	  .help = "processes, sources and their age, own cost, what is queued",
	  .run = ask_run, .verb = "status", .offline = offline_status },
	{ .name = "coverage", .synopsis = "coverage",
	  .help = "what is watched, what is not, and what would arm it",
	  .run = ask_run, .verb = "coverage" },
	{ .name = "ports", .synopsis = "ports",
	  .help = "all ports, one line each",
	  .run = ask_run, .verb = "ports", .offline = verbs_ports },
	{ .name = "port", .synopsis = "port NAME",
	  .help = "everything about one port, by name or alias",
	  .arguments_min = 1, .arguments_max = 1,
	  .run = ask_run, .verb = "port", .has_findings = true },
	{ .name = "findings",
	  .synopsis = "findings [ID] [--follow [--after CURSOR]]",
	  .help = "what is wrong, why, and what to do",
	  .options = OPTION_BIT(OPTION_FOLLOW) | OPTION_BIT(OPTION_AFTER),
	  .arguments_max = 1, .run = ask_run, .verb = "findings",
	  .has_findings = true, .offline = verbs_findings },
	{ .name = "health", .synopsis = "health [--links | --agent]",
	  .help = "one line, and an exit code for scripts",
	  .options = OPTION_BIT(OPTION_LINKS) | OPTION_BIT(OPTION_AGENT),
	  .run = ask_health, .verb = "health" },
	{ .name = "config", .synopsis = "config show [--origin]",
	  .help = "the configuration in force, and where it comes from",
	  .options = OPTION_BIT(OPTION_ORIGIN), .arguments_min = 1,
	  .arguments_max = 1, .run = ask_run, .verb = "config" },
	{ .name = "reload", .synopsis = "reload",
	  .help = "read the configuration anew, and wait for it",
	  .run = ask_run, .verb = "reload" },
	{ .name = "record",
	  .synopsis = "record [--ports PORTS] [--for TIME] -o DIR",
	  .help = "write a trace that petrel replay reads",
	  .options = OPTION_BIT(OPTION_PORTS) | OPTION_BIT(OPTION_FOR) |
		     OPTION_BIT(OPTION_OUT),
	  .run = recorder_run, .verb = "trace" },
	{ .name = "replay",
	  .synopsis = "replay [--ports PORTS] [--config FILE] [--json] SAMPLES",
	  .help = "the agent's detectors over a recorded trace",
	  .options = OPTION_BIT(OPTION_PORTS), .run_raw = replay_main },
	{ .name = "version", .synopsis = "version", .help = "petrel's version",
	  .run = help_version },
	{ .name = "help", .synopsis = "help [COMMAND]",
	  .help = "what a command does",
	  .options = OPTION_BIT(OPTION_COMPLETION),
	  .arguments_max = 1, .run = help_run },
	{ .name = NULL },
};

const struct command *commands_table(void)
{
	return commands;
}
