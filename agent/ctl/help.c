#include "agent/ctl/help.h"

#include <stdio.h>

#include "agent/ctl/command.h"
#include "agent/ctl/json_out.h"
#include "agent/ctl/options.h"
#include "agent/query/answer.h"
#include "petrel/clock.h"
#include "petrel/local.h"

#define NAME_WIDTH 10
#define OPTION_WIDTH 18

void help_usage(const struct screen *s, const struct command *table)
{
	(void)fprintf(s->out, "usage: petrel [--socket PATH | --config FILE] "
		      "[--json] [COMMAND ...]\n\n");
	for (const struct command *c = table; c->name; c++) {
		(void)fprintf(s->out, "  %-*s  ", NAME_WIDTH, c->name);
		screen_wrap(s, NAME_WIDTH + 4, NAME_WIDTH + 4, c->help);
	}
	(void)fprintf(s->out, "\nWithout a command: overview. More of each: "
		      "petrel help COMMAND, and petrel(1).\n");
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

/* What may stand behind a command, or instead of one. */
static void words_case(FILE *out, const struct command *table,
		       const struct command *c)
{
	bool is_help = !c || c->run == help_run;

	(void)fprintf(out, "\t%s) words='", c ? c->name : "*");
	for (const struct command *n = table; is_help && n->name; n++)
		(void)fprintf(out, " %s", n->name);
	if (c && c->words)
		(void)fputs(c->words, out);
	words_print(out, (c ? c->options : 0) | OPTIONS_GLOBAL);
	(void)fprintf(out, "'%s%s ;;\n", c && c->words_of ? " of=" : "",
		      c && c->words_of ? c->words_of : "");
}

/* What --sort of a command takes. */
static void columns_case(FILE *out, const struct command *c)
{
	if (!c->table)
		return;
	(void)fprintf(out, "\t\t%s) words='", c->name);
	for (const struct answer_column *a = c->table->columns; a->key; a++)
		(void)fprintf(out, " %s", a->key);
	(void)fputs("' ;;\n", out);
}

/* packaging/completion/petrel is this, word for word; a test compares. */
static void completion_print(FILE *out, const struct command *table)
{
	(void)fputs("# bash completion for petrel(1); made by "
		    "'petrel help --completion'.\n"
		    "_petrel()\n{\n"
		    "\tlocal word=${COMP_WORDS[COMP_CWORD]} words= of= i\n"
		    "\tlocal command= rows where=()\n"
		    "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
		    "\t\tcase ${COMP_WORDS[i]} in\n"
		    "\t\t--socket|--config)\n"
		    "\t\t\twhere=(\"${COMP_WORDS[@]:i:2}\"); ((i++)) ;;\n"
		    "\t\t-*) ;;\n"
		    "\t\t*) command=${COMP_WORDS[i]}; break ;;\n"
		    "\t\tesac\n\tdone\n"
		    "\tcase $command in\n", out);
	for (const struct command *c = table; c->name; c++)
		words_case(out, table, c);
	words_case(out, table, NULL);
	(void)fputs("\tesac\n"
		    "\tif [[ ${COMP_WORDS[COMP_CWORD-1]} == --sort ]]; then\n"
		    "\t\tof=\n\t\tcase $command in\n", out);
	for (const struct command *c = table; c->name; c++)
		columns_case(out, c);
	(void)fputs("\t\tesac\n\tfi\n"
		    "\tif [[ $of && $word != -* ]] &&\n"
		    "\t\t\trows=$(petrel \"${where[@]}\" $of "
		    "2>/dev/null); then\n"
		    "\t\twords+=\" $(sed -n '/^[A-Z]* /d;"
		    "s/^\\([[:alnum:]][^ ]*\\)  .*/\\1/p' <<<\"$rows\")\"\n"
		    "\tfi\n"
		    "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- "
		    "\"$word\")\n"
		    "}\n"
		    "complete -o default -F _petrel petrel\n", out);
}

static void options_json(struct json_out *j, unsigned which)
{
	json_out_begin(j, "options", '[');
	for (int i = 0; i < OPTION_COUNT; i++) {
		const struct option_info *info = option_info((enum option)i);

		if (!(which & OPTION_BIT(i)) || !info->help)
			continue;
		json_out_begin(j, NULL, '{');
		json_out_text(j, "option", info->name);
		json_out_text(j, "value", info->value);
		json_out_text(j, "help", info->help);
		json_out_end(j, '}');
	}
	json_out_end(j, ']');
}

static void head_json(struct json_out *j, const char *command)
{
	json_out_open(j, stdout, &(struct json_head){
		      .command = command, .wall_ns = clock_wall_now().ns,
		      .complete = true });
}

/* Of one command, or of all. */
static void help_json(const struct command *table, const struct command *one)
{
	struct json_out j;

	head_json(&j, "help");
	json_out_begin(&j, "commands", '[');
	for (const struct command *c = one ? one : table; c->name; c++) {
		json_out_begin(&j, NULL, '{');
		json_out_text(&j, "command", c->name);
		json_out_text(&j, "synopsis", c->synopsis);
		json_out_text(&j, "help", c->help);
		options_json(&j, c->options | OPTIONS_GLOBAL);
		json_out_end(&j, '}');
		if (one)
			break;
	}
	json_out_end(&j, ']');
	(void)json_out_close(&j);	/* main() looks at standard output */
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
	c = inv->argument_count ?
	    command_find(inv->table, inv->argument[0]) : NULL;
	if (inv->argument_count && !c) {
		(void)command_unknown(inv->table, inv->argument[0], &d);
		(void)fprintf(stderr, "petrel: %s\n", d.text);
		return EXIT_USAGE;
	}
	if (option_given(inv, OPTION_JSON)) {
		help_json(inv->table, c);
	} else if (c) {
		command_print(&s, c);
	} else {
		help_usage(&s, inv->table);
		(void)fputc('\n', stdout);
		options_print(&s, OPTIONS_GLOBAL);
	}
	return EXIT_ANSWERED;
}

int help_version(const struct invocation *inv)
{
	struct json_out j;

	if (!option_given(inv, OPTION_JSON)) {
		(void)puts("petrel " PETREL_VERSION);
		return EXIT_ANSWERED;
	}
	head_json(&j, "version");
	json_out_text(&j, "version", PETREL_VERSION);
	(void)json_out_close(&j);
	return EXIT_ANSWERED;
}
