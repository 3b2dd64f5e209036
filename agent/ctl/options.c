#include "agent/ctl/options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/base/names.h"
#include "agent/base/number.h"
#include "agent/ctl/json_out.h"
#include "agent/ctl/screen.h"
#include "petrel/local.h"
#include "petrel/quantity.h"

#define NAME_WIDTH 10
#define OPTION_WIDTH 18

static const struct option_info options[OPTION_COUNT] = {
	[OPTION_SOCKET] = { "--socket", "PATH", NULL, "the agent's socket" },
	[OPTION_CONFIG] = { "--config", "FILE", NULL,
			    "the agent's configuration, to find its socket" },
	[OPTION_JSON] = { "--json", NULL, NULL,
			  "one JSON object instead of text" },
	[OPTION_HELP] = { "--help", NULL, "-h", "print what the command does" },
	[OPTION_FOLLOW] = { "--follow", NULL, NULL, "keep printing changes as they happen" },
	[OPTION_AFTER] = { "--after", "CURSOR", NULL,
			   "start after this cursor" },
	[OPTION_LINKS] = { "--links", NULL, NULL, "of the links (default)" },
	[OPTION_AGENT] = { "--agent", NULL, NULL, "of the agent itself" },
	[OPTION_PORTS] = { "--ports", "PORTS", NULL,
			   "such as Ethernet8,16-32/4; for replay: file that "
			   "describes the ports" },
	[OPTION_FOR] = { "--for", "TIME", NULL, "how long, such as 10m" },
	[OPTION_OUT] = { "-o", "PATH", NULL, "file or folder to write" },
	[OPTION_SORT] = { "--sort", "COLUMN", NULL,
			  "sort by that column; -COLUMN: the highest first" },
	[OPTION_TOP] = { "--top", "N", NULL, "show only the first N rows" },
	[OPTION_ALL] = { "--all", NULL, NULL, "show idle ones as well" },
	[OPTION_WIDE] = { "--wide", NULL, NULL,
			  "do not cut columns to fit the terminal" },
	[OPTION_ANONYMISE] = { "--anonymise", NULL, NULL,
			       "replace names of switches and addresses" },
	[OPTION_LIST_REGISTERS] = { "--list-registers", NULL, NULL,
				    "list each register that Petrel reads" },
	[OPTION_ORIGIN] = { "--origin", NULL, NULL,
			    "also show where each value comes from" },
	[OPTION_BENIGN] = { "--benign", NULL, NULL,
			    "what was seen and is not a fault, and why" },
	[OPTION_SINCE] = { "--since", "TIME", NULL,
			   "how far back, such as 2h" },
	[OPTION_ASIC] = { "--asic", "N", NULL,
			  "only that ASIC, on a switch with several" },
	[OPTION_PROFILE] = { "--profile", "NAME", NULL,
			     "findings, links (default), queues or all",
			     " findings links queues all" },
	[OPTION_OPENMETRICS] = { "--openmetrics", NULL, NULL,
				 "OpenMetrics 1.0 instead of the text format" },
	[OPTION_COLLECTOR] = { "--collector", "URL", NULL,
			       "ask that collector about all switches" },
	[OPTION_SWITCH] = { "--switch", "NAME", NULL,
			    "with --collector: only that switch, by name or "
			    "id" },
	[OPTION_TOKEN_FILE] = { "--token-file", "FILE", NULL,
				"with --collector: file with the token" },
	[OPTION_CSV] = { "--csv", NULL, NULL,
			 "comma-separated values, exact" },
	[OPTION_LAST] = { "--last", "TIME", NULL,
			  "past readings, so far back, such as 15m" },
	[OPTION_REDACT] = { "--redact", NULL, NULL,
			    "replace names, serial numbers and addresses" },
	[OPTION_STREAM] = { "--stream", "NAME", NULL,
			    "only findings, states or samples",
			    " findings states samples" },
	[OPTION_QUANTITY] = { "--quantity", "NAME", NULL,
			      "only that quantity, such as lane_rx_power_pw" },
	[OPTION_VERSION] = { "--version", NULL, "-V", NULL },
	[OPTION_COMPLETION] = { "--completion", NULL, NULL, NULL },
};

const struct option_info *option_info(enum option option)
{
	return &options[option];
}

int option_duration(const struct invocation *i, enum option option,
		    int64_t *ret_ns, struct diag *d)
{
	const char *text = i->value[option];

	if (!text || (number_parse_duration(text, ret_ns) == 0 && *ret_ns > 0))
		return 0;
	return diag_set(d, -EINVAL, "%s %.32s: not a time; expected one number "
			"above 0 and one unit, such as 15m, 2h or 1d",
			options[option].name, text);
}

int command_failed(int code, const char *format, ...)
{
	va_list args;

	(void)fputs("petrel: ", stderr);
	va_start(args, format);
	(void)vfprintf(stderr, format, args);
	va_end(args);
	(void)fputc('\n', stderr);
	return code;
}

int output_failed(void)
{
	const char *why = "some of it could not be written";

	if (write(STDOUT_FILENO, "\n", 1) < 0)
		why = strerror(errno);
	return command_failed(EXIT_INCOMPLETE, "standard output: %s", why);
}

/* All options of a verb; NULL: no verb yet. */
static uint64_t options_of(const struct verb *verb)
{
	bool is_far = !verb || verb->reach != REACH_NONE;
	uint64_t all = OPTIONS_GLOBAL | (is_far ? OPTIONS_FAR : 0) |
		       (verb ? verb->hidden : 0);

	for (int i = 0; verb && i < OPTION_COUNT; i++)
		if (verb_takes(verb, options[i].name))
			all |= OPTION_BIT(i);
	return all & ~(verb && verb->json_of ? OPTION_BIT(OPTION_JSON) : 0);
}

static bool is_named(const struct option_info *o, const char *text, size_t len)
{
	return (strlen(o->name) == len && strncmp(o->name, text, len) == 0) ||
	       (o->letter && strcmp(o->letter, text) == 0);
}

/* --name, --name=value, -o; ret_value: after '=', or NULL. */
static int option_find(const char *text, const char **ret_value)
{
	size_t len = strcspn(text, "=");

	*ret_value = text[len] ? text + len + 1 : NULL;
	for (int i = 0; i < OPTION_COUNT; i++)
		if (is_named(&options[i], text, len))
			return i;
	return -EINVAL;
}

/* Suggests the nearest option of the command; dashes are not compared. */
static int option_unknown(const char *text, const struct verb *verb,
			  struct diag *d)
{
	uint64_t known = verb ? options_of(verb) : UINT64_MAX;
	const char *names[OPTION_COUNT], *near;
	size_t n = 0;

	for (int i = 0; i < OPTION_COUNT; i++)
		if (known & OPTION_BIT(i) && options[i].name[1] == '-')
			names[n++] = options[i].name + 2;
	near = nearest_name(text + strspn(text, "-"), names, n);
	return diag_set(d, -EINVAL, "no option '%s'%s%s; see petrel help%s%s",
			text, near ? "; nearest is --" : "", near ? near : "",
			verb ? " " : "", verb ? verb->name : "");
}

/* argv[*at] is an option; moves *at past its value. */
static int option_take(char **argv, int argc, int *at, struct invocation *inv,
		       struct diag *d)
{
	const char *text = argv[*at], *value;
	int option = option_find(text, &value);

	if (option < 0)
		return option_unknown(text, inv->verb, d);
	if (value && !options[option].value)
		return diag_set(d, -EINVAL, "%s takes no value",
				options[option].name);
	if (options[option].value && !value && *at + 1 < argc)
		value = argv[++*at];
	if (options[option].value && (!value || !value[0]))
		return diag_set(d, -EINVAL, "%s needs %s%s",
				options[option].name, options[option].value,
				value ? ", not an empty text" : "");
	inv->given |= OPTION_BIT(option);
	inv->value[option] = value;
	return 0;
}

/* Suggests the nearest command. */
static int command_unknown(const char *name, struct diag *d)
{
	char nearest[VERB_NEAREST_MAX];

	verb_nearest(verb_table, name, nearest);
	return diag_set(d, -EINVAL, "no command '%s'%s; see petrel help", name,
			nearest);
}

/* The first word is the command, the rest are its arguments. */
static int word_take(const char *word, struct invocation *inv, struct diag *d)
{
	if (!inv->verb) {
		inv->verb = verb_find(verb_table, word);
		return inv->verb ? 0 : command_unknown(word, d);
	}
	if (inv->argument_count == ARGUMENTS_MAX)
		return diag_set(d, -EINVAL, "unexpected argument '%s'", word);
	inv->argument[inv->argument_count++] = word;
	return 0;
}

/* Checks that the command takes all options and arguments given. */
static int invocation_check(const struct invocation *inv, struct diag *d)
{
	uint64_t known = options_of(inv->verb);

	if (inv->verb && inv->given & OPTION_BIT(OPTION_JSON) & ~known)
		return diag_set(d, -EINVAL, "%s: no JSON; see petrel %s",
				inv->verb->name, inv->verb->json_of);
	for (int i = 0; i < OPTION_COUNT; i++)
		if (inv->given & OPTION_BIT(i) && !(known & OPTION_BIT(i)))
			return diag_set(d, -EINVAL, "%s is not an option of petrel "
					"%s", options[i].name,
					inv->verb ? inv->verb->name : "");
	if (!inv->verb || option_given(inv, OPTION_HELP) ||
	    option_given(inv, OPTION_VERSION))
		return 0;
	if (inv->argument_count < inv->verb->arguments_min ||
	    inv->argument_count > inv->verb->arguments_max)
		return diag_set(d, -EINVAL, "usage: petrel %s",
				inv->verb->synopsis);
	return 0;
}

int options_parse(int argc, char **argv, struct invocation *ret,
		  struct diag *d)
{
	struct invocation inv = { .given = 0 };
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

/* --- help ----------------------------------------------------------------- */

/* The list of commands. */
static void usage_print(const struct screen *s)
{
	(void)fprintf(s->out, "usage: petrel [--socket PATH | --config FILE] "
		      "[--json] [COMMAND ...]\n\n");
	for (const struct verb *v = verb_table; v->name; v++) {
		(void)fprintf(s->out, "  %-*s  ", NAME_WIDTH, v->name);
		screen_wrap(s, NAME_WIDTH + 4, NAME_WIDTH + 4, v->help);
	}
	(void)fprintf(s->out, "\nWithout a command: overview. More of each: "
		      "petrel help COMMAND, and petrel(1).\n");
}

/* Options without help are for Petrel's developers only. */
static void option_line(const struct screen *s, const struct option_info *o)
{
	char text[64];

	if (!o->help)
		return;
	(void)snprintf(text, sizeof(text), "%s%s%s", o->name,
		       o->value ? " " : "", o->value ? o->value : "");
	(void)fprintf(s->out, "  %-*s  ", OPTION_WIDTH, text);
	screen_wrap(s, OPTION_WIDTH + 4, OPTION_WIDTH + 4, o->help);
}

static void options_print(const struct screen *s, uint64_t which)
{
	for (int i = 0; i < OPTION_COUNT; i++)
		if (which & OPTION_BIT(i))
			option_line(s, &options[i]);
}

/* A shell variable, as several commands use the list. */
static void quantities_print(FILE *out)
{
	size_t n;
	const struct quantity_info *q = quantity_table(&n);

	(void)fputs("\tlocal quantities='", out);
	for (size_t i = 0; i < n; i++)
		(void)fprintf(out, " %s", q[i].name);
	(void)fputs("'\n", out);
}

/* Words that may follow a command, or (v is NULL) may be one. */
static void words_case(FILE *out, const struct verb *v)
{
	bool is_help = !v || strcmp(v->name, "help") == 0;

	(void)fprintf(out, "\t%s) words='", v ? v->name : "*");
	for (const struct verb *n = verb_table; is_help && n->name; n++)
		(void)fprintf(out, " %s", n->name);
	if (v && v->words)
		(void)fputs(v->words, out);
	for (int i = 0; i < OPTION_COUNT; i++)
		if (options_of(v) & OPTION_BIT(i) && options[i].help)
			(void)fprintf(out, " %s", options[i].name);
	(void)fprintf(out, "'%s", v && v->takes_quantity ? "$quantities" : "");
	if (v && v->words_of)
		(void)fprintf(out, " of='%s'", v->words_of);
	(void)fputs(" ;;\n", out);
}

/* Columns for --sort of a command. */
static void columns_case(FILE *out, const struct verb *v)
{
	if (!verb_takes(v, "--sort"))
		return;
	(void)fprintf(out, "\t\t%s) words='", v->name);
	for (const struct answer_column *c = v->tables[0]->columns; c->key; c++)
		(void)fprintf(out, " %s", c->key);
	(void)fputs("' ;;\n", out);
}

/* Values of an option that has a few. */
static void values_cases(FILE *out)
{
	(void)fputs("\tcase ${COMP_WORDS[COMP_CWORD-1]} in\n"
		    "\t--quantity) of= words=$quantities ;;\n", out);
	for (int i = 0; i < OPTION_COUNT; i++)
		if (options[i].words)
			(void)fprintf(out, "\t%s) of= words='%s' ;;\n",
				      options[i].name, options[i].words);
	(void)fputs("\tesac\n", out);
}

/* packaging/completion/petrel is this output; a test compares the two. */
static void completion_print(FILE *out)
{
	(void)fputs("# bash completion for petrel(1); made by "
		    "'petrel help --completion'.\n"
		    "_petrel()\n{\n"
		    "\tlocal word=${COMP_WORDS[COMP_CWORD]} words= of= i\n"
		    "\tlocal command= where=()\n", out);
	quantities_print(out);
	(void)fputs(
		    "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
		    "\t\tcase ${COMP_WORDS[i]} in\n"
		    "\t\t--socket|--config|--collector|--switch|--token-file)\n"
		    "\t\t\twhere+=(\"${COMP_WORDS[@]:i:2}\"); ((i++)) ;;\n"
		    "\t\t-*) ;;\n"
		    "\t\t*) command=${COMP_WORDS[i]}; break ;;\n"
		    "\t\tesac\n\tdone\n"
		    "\tcase $command in\n", out);
	for (const struct verb *v = verb_table; v->name; v++)
		words_case(out, v);
	words_case(out, NULL);
	(void)fputs("\tesac\n"
		    "\tif [[ ${COMP_WORDS[COMP_CWORD-1]} == --sort ]]; then\n"
		    "\t\tof= words=\n\t\tcase $command in\n", out);
	for (const struct verb *v = verb_table; v->name; v++)
		columns_case(out, v);
	(void)fputs("\t\tesac\n"
		    "\t\t[[ $word == -* ]] && words=${words// / -}\n"
		    "\tfi\n", out);
	values_cases(out);
	(void)fputs("\t[[ $word == -* ]] && of=\n"
		    "\tfor i in $of; do\n"
		    "\t\twords+=\" $(petrel \"${where[@]}\" $i "
		    "2>/dev/null | sed -n '/^[A-Z]* /d;"
		    "s/^\\([[:alnum:]][^ ]*\\)  .*/\\1/p')\"\n"
		    "\tdone\n"
		    "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- "
		    "\"$word\")\n"
		    "}\n"
		    "complete -o default -F _petrel petrel\n", out);
}

static void options_json(struct json_out *j, uint64_t which)
{
	json_out_begin(j, "options", '[');
	for (int i = 0; i < OPTION_COUNT; i++) {
		const struct option_info *info = &options[i];

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

/* Help for one command, or for all. */
static void help_json(const struct verb *one)
{
	struct json_out j;

	json_out_own(&j, "help", EXIT_ANSWERED, NULL);
	json_out_begin(&j, "commands", '[');
	for (const struct verb *v = one ? one : verb_table; v->name; v++) {
		json_out_begin(&j, NULL, '{');
		json_out_text(&j, "command", v->name);
		json_out_text(&j, "synopsis", v->synopsis);
		json_out_text(&j, "help", v->help);
		options_json(&j, options_of(v));
		json_out_end(&j, '}');
		if (one)
			break;
	}
	json_out_end(&j, ']');
	(void)json_out_close(&j);	/* main() checks standard output */
}

int options_help(const struct invocation *inv)
{
	const char *name = inv->argument_count ? inv->argument[0] : NULL;
	const struct verb *v = name ? verb_find(verb_table, name) : NULL;
	struct screen s = screen_of(stdout);
	struct diag d;

	if (name && !v) {
		(void)command_unknown(name, &d);
		return command_failed(EXIT_USAGE, "%s", d.text);
	}
	if (option_given(inv, OPTION_COMPLETION)) {
		completion_print(stdout);
	} else if (option_given(inv, OPTION_JSON)) {
		help_json(v);
	} else if (v) {
		(void)printf("usage: petrel %s\n%s\n\n", v->synopsis, v->help);
		options_print(&s, options_of(v));
		if (v->json_of)
			(void)printf("\nNo --json; see petrel %s.\n",
				     v->json_of);
		(void)puts("\nMore in petrel(1).");
	} else {
		usage_print(&s);
		(void)fputc('\n', stdout);
		options_print(&s, options_of(NULL));
	}
	return EXIT_ANSWERED;
}

int options_version(const struct invocation *inv)
{
	struct json_out j;

	if (!option_given(inv, OPTION_JSON)) {
		(void)puts("petrel " PETREL_VERSION);
		return EXIT_ANSWERED;
	}
	json_out_own(&j, "version", EXIT_ANSWERED, NULL);
	json_out_text(&j, "version", PETREL_VERSION);
	(void)json_out_close(&j);
	return EXIT_ANSWERED;
}
