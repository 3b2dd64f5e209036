#include "agent/ctl/help.h"

#include <json-c/json.h>
#include <stdio.h>

#include "agent/ctl/command.h"
#include "agent/ctl/options.h"
#include "agent/record/json.h"
#include "petrel/local.h"

#define NAME_WIDTH 10
#define OPTION_WIDTH 18

void help_usage(const struct screen *s, const struct command *table)
{
	(void)fprintf(s->out, "usage: petrel [--socket PATH] [--json] COMMAND "
		      "…\n\n");
	for (const struct command *c = table; c->name; c++) {
		(void)fprintf(s->out, "  %-*s  ", NAME_WIDTH, c->name);
		screen_wrap(s, NAME_WIDTH + 4, NAME_WIDTH + 4, c->help);
	}
}

/* Options without help are for the project's own use. */
static void option_line(const struct screen *s, enum option option)
{
	const struct option_info *o = option_info(option);
	char text[64];

	if (!o->help)
		return;
	(void)snprintf(text, sizeof(text), "%s%s%s", o->name,
		       o->value ? " " : "", o->value ? o->value : "");
	(void)fprintf(s->out, "  %-*s  ", OPTION_WIDTH, text);
	screen_wrap(s, OPTION_WIDTH + 4, OPTION_WIDTH + 4, o->help);
}

static void options_print(const struct screen *s, unsigned which)
{
	for (int i = 0; i < OPTION_COUNT; i++)
		if (which & OPTION_BIT(i))
			option_line(s, (enum option)i);
}

/* petrel help COMMAND. */
static void command_print(const struct screen *s, const struct command *c)
{
	(void)fprintf(s->out, "usage: petrel %s\n%s\n\n", c->synopsis, c->help);
	options_print(s, c->options | OPTIONS_GLOBAL);
	(void)fprintf(s->out, "\nMore in petrel(1).\n");
}

/* The words of a set of options, each with a blank before it. */
static void words_print(FILE *out, unsigned which)
{
	for (int i = 0; i < OPTION_COUNT; i++)
		if (which & OPTION_BIT(i) && option_info((enum option)i)->help)
			(void)fprintf(out, " %s",
				      option_info((enum option)i)->name);
}

/* packaging/completion/petrel is this, word for word; a test compares. */
static void completion_print(FILE *out, const struct command *table)
{
	(void)fputs("# bash completion for petrel(1); made by "
		    "'petrel help --completion'.\n"
		    "_petrel()\n{\n"
		    "\tlocal word=${COMP_WORDS[COMP_CWORD]} command= i\n"
		    "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
		    "\t\tcase ${COMP_WORDS[i]} in\n"
		    "\t\t--socket|--config) ((i++)) ;;\n"
		    "\t\t-*) ;;\n"
		    "\t\t*) command=${COMP_WORDS[i]}; break ;;\n"
		    "\t\tesac\n\tdone\n"
		    "\tcase $command in\n", out);
	for (const struct command *c = table; c->name; c++) {
		(void)fprintf(out, "\t%s) command='", c->name);
		words_print(out, c->options | OPTIONS_GLOBAL);
		(void)fprintf(out, "' ;;\n");
	}
	(void)fprintf(out, "\t*) command='");
	for (const struct command *c = table; c->name; c++)
		(void)fprintf(out, " %s", c->name);
	words_print(out, OPTIONS_GLOBAL);
	(void)fputs("' ;;\n\tesac\n"
		    "\tmapfile -t COMPREPLY < <(compgen -W \"$command\" -- "
		    "\"$word\")\n"
		    "}\n"
		    "complete -o default -F _petrel petrel\n", out);
}

int help_run(const struct invocation *inv)
{
	struct screen s = screen_of(stdout);
	const struct command *c;
	struct diag d;

	if (option_given(inv, OPTION_COMPLETION)) {
		completion_print(stdout, inv->table);
		return EXIT_ANSWERED;
	}
	if (inv->argument_count == 0) {
		help_usage(&s, inv->table);
		(void)fputc('\n', stdout);
		options_print(&s, OPTIONS_GLOBAL);
		return EXIT_ANSWERED;
	}
	c = command_find(inv->table, inv->argument[0]);
	if (!c) {
		(void)command_unknown(inv->table, inv->argument[0], &d);
		(void)fprintf(stderr, "petrel: %s\n", d.text);
		return EXIT_USAGE;
	}
	command_print(&s, c);
	return EXIT_ANSWERED;
}

int help_version(const struct invocation *inv)
{
	struct json_object *o;

	if (!option_given(inv, OPTION_JSON)) {
		(void)puts("petrel " PETREL_VERSION);
		return EXIT_ANSWERED;
	}
	o = json_object_new_object();
	(void)json_object_object_add(
		o, "schema", json_object_new_string("petrel/version/1"));
	(void)json_object_object_add(o, "version",
				     json_object_new_string(PETREL_VERSION));
	(void)json_line(stdout, o);
	json_object_put(o);
	return EXIT_ANSWERED;
}
