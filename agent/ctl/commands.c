#include "agent/ctl/commands.h"

#include "agent/ctl/ask.h"
#include "agent/ctl/bugreport.h"
#include "agent/ctl/decode_file.h"
#include "agent/ctl/help.h"
#include "agent/ctl/keygen.h"
#include "agent/ctl/offline.h"
#include "agent/ctl/options.h"
#include "agent/ctl/recorder.h"
#include "agent/ctl/replay.h"
#include "agent/query/shapes.h"
#include "agent/query/verbs.h"

/* A table of ports, or of what belongs to ports. */
#define TABLE_COMMAND(word, what, more, line, least, all, shape)              \
	{ .name = #word,                                                      \
	  .synopsis = #word what " [--sort COLUMN] [--top N] [--asic N] "     \
		      "[--wide]",                                             \
	  .help = line, .options = OPTIONS_TABLE | (more),                    \
	  .arguments_min = (least), .arguments_max = ARGUMENTS_MAX,           \
	  .words_of = "ports", .table = &(shape),                             \
	  .run = ask_run, .verb = #word, .report = (all),                     \
	  .offline = verbs_##word }

static const struct command commands[] = {
	{ .name = "overview", .synopsis = "overview",
	  .help = "how well this switch is (petrel without a command)",
	  .run = ask_run, .verb = "overview", .report = "",
	  .offline = verbs_overview },
	{ .name = "status", .synopsis = "status",
	  .help = "processes, sources and their age, own cost, what is queued",
	  .run = ask_run, .verb = "status", .offline = offline_status },
	{ .name = "coverage", .synopsis = "coverage",
	  .help = "what is watched, what is not, and what would arm it",
	  .run = ask_run, .verb = "coverage", .report = "" },
	TABLE_COMMAND(ports, " [PORTS ...]", 0, "ports, one line each", 0, "",
		      shape_ports),
	{ .name = "port", .synopsis = "port NAME",
	  .help = "everything about one port, by name or alias",
	  .arguments_min = 1, .arguments_max = 1, .words_of = "ports",
	  .run = ask_run, .verb = "port", .has_findings = true },
	TABLE_COMMAND(links, " [PORTS ...]", 0,
		      "the peers, since when links are up or down, margins", 0,
		      NULL, shape_links),	/* the report asks itself */
	TABLE_COMMAND(modules, " [PORTS ...]", 0,
		      "the modules: part, serial, firmware, temperature", 0, "",
		      shape_modules),
	TABLE_COMMAND(lanes, " PORTS ...", 0,
		      "light, bias, errors and flags of each lane", 1, "all",
		      shape_lanes),
	TABLE_COMMAND(queues, " [PORTS ...] [--all]", OPTION_BIT(OPTION_ALL),
		      "rate, drops, ECN marks, occupancy, delay of each queue",
		      0, "--all", shape_queues),
	TABLE_COMMAND(buffers, " [PORTS ...] [--all]", OPTION_BIT(OPTION_ALL),
		      "pools and priority groups: peaks, headroom, drops", 0,
		      "--all", shape_groups),
	{ .name = "sensors",
	  .synopsis = "sensors [NAME ...] [--sort COLUMN] [--top N] "
		      "[--asic N] [--wide]",
	  .help = "fans, supplies, temperatures, voltages, with their limits",
	  .options = OPTIONS_TABLE, .arguments_max = ARGUMENTS_MAX,
	  .words_of = "sensors", .table = &shape_sensors,
	  .run = ask_run, .verb = "sensors", .report = "",
	  .offline = verbs_sensors },
	{ .name = "show",
	  .synopsis = "show ENTITY [KIND NUMBER ...] [--all] [--wide]",
	  .help = "all that is known of a port, cage, lane, queue, sensor ...",
	  .options = OPTION_BIT(OPTION_ALL) | OPTION_BIT(OPTION_WIDE),
	  .arguments_min = 1, .arguments_max = ARGUMENTS_MAX,
	  .words_of = "ports", .run = ask_run, .verb = "show",
	  .offline = verbs_show },
	{ .name = "findings",
	  .synopsis = "findings [ID | --benign] [--follow [--after CURSOR]]",
	  .help = "what is wrong, why, and what to do",
	  .options = OPTION_BIT(OPTION_FOLLOW) | OPTION_BIT(OPTION_AFTER) |
		     OPTION_BIT(OPTION_BENIGN),
	  .arguments_max = 1, .words_of = "findings",
	  .run = ask_run, .verb = "findings",
	  .has_findings = true, .report = "", .offline = verbs_findings },
	{ .name = "changes", .synopsis = "changes [PORTS ...] [--since TIME]",
	  .help = "changes of settings, modules, links, software",
	  .options = OPTION_BIT(OPTION_SINCE),
	  .arguments_max = ARGUMENTS_MAX, .words_of = "ports",
	  .run = ask_run, .verb = "changes", .report = "",
	  .offline = verbs_changes },
	{ .name = "events",
	  .synopsis = "events [PORTS ...] [--since TIME] [--follow]",
	  .help = "events, as they happen",
	  .options = OPTION_BIT(OPTION_SINCE) | OPTION_BIT(OPTION_FOLLOW),
	  .arguments_max = ARGUMENTS_MAX, .words_of = "ports",
	  .run = ask_run, .verb = "events", .report = "",
	  .offline = verbs_events },
	{ .name = "health", .synopsis = "health [--links | --agent]",
	  .help = "health in one line, and as an exit code for scripts",
	  .options = OPTION_BIT(OPTION_LINKS) | OPTION_BIT(OPTION_AGENT),
	  .run = ask_health, .verb = "health", .report = "--agent" },
	{ .name = "config", .synopsis = "config show [--origin]",
	  .help = "the configuration in force, and where it comes from",
	  .options = OPTION_BIT(OPTION_ORIGIN), .arguments_min = 1,
	  .arguments_max = 1, .words = " show", .run = ask_run,
	  .verb = "config", .report = "show" },
	{ .name = "reload", .synopsis = "reload",
	  .help = "reload the configuration, and wait until it is in force",
	  .run = ask_run, .verb = "reload" },
	{ .name = "record",
	  .synopsis = "record [--ports PORTS] [--for TIME] -o DIR",
	  .help = "write a trace that petrel replay reads",
	  .options = OPTION_BIT(OPTION_PORTS) | OPTION_BIT(OPTION_FOR) |
		     OPTION_BIT(OPTION_OUT),
	  .run = recorder_run, .verb = "trace" },
	{ .name = "replay",
	  .synopsis = "replay [--ports PORTS] [--config FILE] [--json] SAMPLES",
	  .help = "run the agent's detectors over a recorded trace",
	  .options = OPTION_BIT(OPTION_PORTS),
	  .arguments_min = 1, .arguments_max = 1, .run = replay_run },
	{ .name = "bugreport",
	  .synopsis = "bugreport [-o PATH] [--anonymise]",
	  .help = "everything a bug report needs, without secrets",
	  .options = OPTION_BIT(OPTION_OUT) | OPTION_BIT(OPTION_ANONYMISE),
	  .run = bugreport_run },
	{ .name = "decode",
	  .synopsis = "decode [--json] FILE ... | --list-registers",
	  .help = "a module's memory from a file, on any machine",
	  .options = OPTION_BIT(OPTION_LIST_REGISTERS),
	  .arguments_max = ARGUMENTS_MAX, .run = decode_run },
	{ .name = "keygen", .synopsis = "keygen FILE",
	  .help = "make a key: the secret one into FILE, the public one shown",
	  .arguments_min = 1, .arguments_max = 1, .run = keygen_run },
	{ .name = "version", .synopsis = "version", .help = "petrel's version",
	  .report = "",
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
