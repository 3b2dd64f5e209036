#include "agent/ctl/options.h"

#include <errno.h>
#include <string.h>

#include "agent/base/names.h"
#include "agent/ctl/command.h"

static const struct option_info options[OPTION_COUNT] = {
	[OPTION_SOCKET] = { "--socket", "PATH", NULL, "the agent's socket" },
	[OPTION_CONFIG] = { "--config", "FILE", NULL,
			    "the agent's configuration, to find its socket" },
	[OPTION_JSON] = { "--json", NULL, NULL,
			  "one JSON object instead of text" },
	[OPTION_HELP] = { "--help", NULL, "-h", "what the command does" },
	[OPTION_FOLLOW] = { "--follow", NULL, NULL,
			    "keep printing changes as they happen" },
	[OPTION_AFTER] = { "--after", "CURSOR", NULL,
			   "start after this cursor" },
	[OPTION_LINKS] = { "--links", NULL, NULL, "of the links (default)" },
	[OPTION_AGENT] = { "--agent", NULL, NULL, "of the agent itself" },
	[OPTION_PORTS] = { "--ports", "PORTS", NULL,
			   "such as Ethernet8,16-32/4" },
	[OPTION_FOR] = { "--for", "TIME", NULL, "how long, such as 10m" },
	[OPTION_OUT] = { "-o", "PATH", NULL, "file or folder to write" },
	[OPTION_SORT] = { "--sort", "COLUMN", NULL,
			  "by that column; -COLUMN: the highest first" },
	[OPTION_TOP] = { "--top", "N", NULL, "the first N rows only" },
	[OPTION_ALL] = { "--all", NULL, NULL, "also those that are idle" },
	[OPTION_WIDE] = { "--wide", NULL, NULL,
			  "do not cut columns to fit the terminal" },
	[OPTION_ANONYMISE] = { "--anonymise", NULL, NULL,
			       "replace names of switches and addresses" },
	[OPTION_LIST_REGISTERS] = { "--list-registers", NULL, NULL,
				    "each register that Petrel reads" },
	[OPTION_ORIGIN] = { "--origin", NULL, NULL,
			    "and where each value comes from" },
	[OPTION_BENIGN] = { "--benign", NULL, NULL,
			    "what was seen and is no fault, and why" },
	[OPTION_SINCE] = { "--since", "TIME", NULL,
			   "how far back, such as 2h" },
	[OPTION_ASIC] = { "--asic", "N", NULL,
			  "of that ASIC only, on a switch of several" },
	[OPTION_VERSION] = { "--version", NULL, "-V", NULL },
	[OPTION_COMPLETION] = { "--completion", NULL, NULL, NULL },
};

const struct option_info *option_info(enum option option)
{
	return &options[option];
}

static bool is_named(const struct option_info *o, const char *text, size_t len)
{
	return (strlen(o->name) == len && strncmp(o->name, text, len) == 0) ||
	       (o->letter && strcmp(o->letter, text) == 0);
}

/* --name, --name=value, -o; ret_value: behind '=', or NULL. */
static int option_find(const char *text, const char **ret_value)
{
	size_t len = strcspn(text, "=");

	*ret_value = text[len] ? text + len + 1 : NULL;
	for (int i = 0; i < OPTION_COUNT; i++)
		if (is_named(&options[i], text, len))
			return i;
	return -EINVAL;
}

/* With the nearest that there is. */
static int option_unknown(const char *text, struct diag *d)
{
	const char *names[OPTION_COUNT], *near;

	for (int i = 0; i < OPTION_COUNT; i++)
		names[i] = options[i].name;
	near = nearest_name(text, names, OPTION_COUNT);
	return diag_set(d, -EINVAL, "no option '%s'%s%s; see petrel help", text,
			near ? "; nearest is " : "", near ? near : "");
}

/* argv[*at] is an option; moves *at over its value. */
static int option_take(char **argv, int argc, int *at, struct invocation *inv,
		       struct diag *d)
{
	const char *text = argv[*at], *value;
	int option = option_find(text, &value);

	if (option < 0)
		return option_unknown(text, d);
	if (value && !options[option].value)
		return diag_set(d, -EINVAL, "%s takes no value",
				options[option].name);
	if (options[option].value && !value && *at + 1 < argc)
		value = argv[++*at];
	if (options[option].value && !value)
		return diag_set(d, -EINVAL, "%s wants %s", options[option].name,
				options[option].value);
	inv->given |= OPTION_BIT(option);
	inv->value[option] = value;
	return 0;
}

/* The first word is the command, the rest are its arguments. */
static int word_take(const char *word, struct invocation *inv, struct diag *d)
{
	if (!inv->command) {
		inv->command = command_find(inv->table, word);
		if (inv->command)
			return 0;
		return command_unknown(inv->table, word, d);
	}
	if (inv->argument_count == ARGUMENTS_MAX)
		return diag_set(d, -EINVAL, "too many words: '%s'", word);
	inv->argument[inv->argument_count++] = word;
	return 0;
}

/* Does the command know all that was said? */
static int invocation_check(const struct invocation *inv, struct diag *d)
{
	unsigned known = OPTIONS_GLOBAL |
			 (inv->command ? inv->command->options : 0);

	for (int i = 0; i < OPTION_COUNT; i++)
		if (inv->given & OPTION_BIT(i) && !(known & OPTION_BIT(i)))
			return diag_set(d, -EINVAL,
					"%s is not an option of petrel "
					"%s",
					options[i].name,
					inv->command ? inv->command->name : "");
	if (!inv->command || option_given(inv, OPTION_HELP) ||
	    option_given(inv, OPTION_VERSION))
		return 0;
	if (inv->argument_count < inv->command->arguments_min ||
	    inv->argument_count > inv->command->arguments_max)
		return diag_set(d, -EINVAL, "usage: petrel %s",
				inv->command->synopsis);
	return 0;
}

int options_parse(int argc, char **argv, const struct command *table,
		  struct invocation *ret, struct diag *d)
{
	struct invocation inv = { .table = table };
	bool words_only = false;
	int rc = 0;

	for (int i = 1; i < argc && rc == 0; i++) {
		if (!words_only && strcmp(argv[i], "--") == 0)
			words_only = true;
		else if (!words_only && argv[i][0] == '-' && argv[i][1])
			rc = option_take(argv, argc, &i, &inv, d);
		else
			rc = word_take(argv[i], &inv, d);
	}
	if (rc == 0)
		rc = invocation_check(&inv, d);
	if (rc == 0)
		*ret = inv;
	return rc;
}
