/* The command line of petrel, and the tables behind it. */
#include "agent/ctl/options.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>


#define WORDS_MAX (ARGUMENTS_MAX + 8)
#define TEXT_MAX 1024

/* Takes a line apart at blanks, as a shell would. */
static int parse(const char *line, char text[static TEXT_MAX],
		 struct invocation *inv, struct diag *d)
{
	static char program[] = "petrel";
	static char *argv[WORDS_MAX] = { program };	/* inv points there */
	char *save = NULL;
	int argc = 1;

	(void)snprintf(text, TEXT_MAX, "%s", line);
	for (char *word = strtok_r(text, " ", &save); word;
	     word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	return options_parse(argc, argv, inv, d);
}

static void test_options_are_taken_before_and_behind_the_command(void **state)
{
	static const char *const lines[] = {
		"--socket /s --json port Ethernet8",
		"port --socket /s --json Ethernet8",
		"port Ethernet8 --json --socket=/s",
		"--json --socket /s port -- Ethernet8",
	};
	struct invocation inv;
	char text[TEXT_MAX];
	struct diag d;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(parse(lines[i], text, &inv, &d), 0);
		assert_string_equal(inv.verb->name, "port");
		assert_string_equal(inv.value[OPTION_SOCKET], "/s");
		assert_true(option_given(&inv, OPTION_JSON));
		assert_int_equal(inv.argument_count, 1);
		assert_string_equal(inv.argument[0], "Ethernet8");
	}
}

static void test_options_refuse_and_tell_what_would_be_right(void **state)
{
	static const struct {
		const char *line, *told;
	} cases[] = {
		{ "prots", "nearest is ports" },
		{ "PORTS", "nearest is ports" },
		{ "cov", "nearest is coverage" },
		{ "ports --tops", "nearest is --top; see petrel help ports" },
		{ "--jsno ports", "nearest is --json" },
		{ "ports --tpo 3", "nearest is --top" },
		{ "ports --follow",
		  "--follow is not an option of petrel ports" },
		{ "lanes", "usage: petrel lanes PORTS" },
		{ "ports --all", "--all is not an option of petrel ports" },
		{ "port", "usage: petrel port NAME" },
		{ "port a b", "usage: petrel port NAME" },
		{ "--json=yes ports", "--json takes no value" },
		{ "plot Ethernet0 --json", "no JSON; see petrel history" },
		{ "--json watch", "no JSON; see petrel ports, findings" },
		{ "report --json", "no JSON; see petrel findings, port, " },
		{ "ports --socket", "--socket needs PATH" },
		{ "ports --socket=", "--socket needs PATH, not an empty text" },
		{ "replay", "usage: petrel replay" },
		{ "-x ports", "no option '-x'" },
	};
	struct invocation inv;
	char text[TEXT_MAX];
	struct diag d;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i].line, text, &inv, &d), -EINVAL);
		assert_non_null(strstr(d.text, cases[i].told));
	}
}

static void test_options_suggest_what_the_command_takes(void **state)
{
	static const char *const lines[] = { "ports --foo", "port -1" };
	struct invocation inv;
	char text[TEXT_MAX];
	struct diag d;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(parse(lines[i], text, &inv, &d), -EINVAL);
		assert_null(strstr(d.text, "nearest"));
	}
}

static void test_options_take_no_more_words_than_fit(void **state)
{
	char line[TEXT_MAX] = "port", text[TEXT_MAX];
	struct invocation inv;
	struct diag d;

	(void)state;
	for (size_t i = 0; i <= ARGUMENTS_MAX; i++)
		strcat(line, " a");
	assert_int_equal(parse(line, text, &inv, &d), -EINVAL);
	assert_non_null(strstr(d.text, "unexpected argument 'a'"));
}

static void test_options_of_nothing_are_no_command(void **state)
{
	struct invocation inv;
	char text[TEXT_MAX];
	struct diag d;

	(void)state;
	assert_int_equal(parse("", text, &inv, &d), 0);
	assert_null(inv.verb);
}

/* The options that a command takes are those that its synopsis names. */
static void options_are_known(const struct verb *v)
{
	const char *at = v->synopsis;

	while ((at = strpbrk(at, " ["))) {
		size_t len = strcspn(++at, " ]");
		int i = 0;

		if (at[0] != '-')
			continue;
		while (strncmp(option_info((enum option)i)->name, at, len) ||
		       option_info((enum option)i)->name[len])
			assert_true(++i < OPTION_COUNT);
		assert_non_null(option_info((enum option)i)->help);
	}
}

/* What help, completion and dispatch rely on. */
static void test_commands_are_whole_rows(void **state)
{
	(void)state;
	for (const struct verb *v = verb_table; v->name; v++) {
		assert_ptr_equal(verb_find(verb_table, v->name), v);
		assert_int_equal(strncmp(v->synopsis, v->name,
					 strlen(v->name)), 0);
		assert_true(v->arguments_min <= v->arguments_max);
		assert_true(v->arguments_max <= ARGUMENTS_MAX);
		assert_true(v->tables[0] || !v->answer ||	/* documented */
			    strcmp(v->name, "record") == 0 ||
			    strcmp(v->name, "metrics") == 0);
		options_are_known(v);
	}
	assert_true(verb_takes(verb_find(verb_table, "metrics"), "-o"));
	assert_false(verb_takes(verb_find(verb_table, "config"), "-o"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_options_are_taken_before_and_behind_the_command),
		cmocka_unit_test(
			test_options_refuse_and_tell_what_would_be_right),
		cmocka_unit_test(test_options_suggest_what_the_command_takes),
		cmocka_unit_test(test_options_take_no_more_words_than_fit),
		cmocka_unit_test(test_options_of_nothing_are_no_command),
		cmocka_unit_test(test_commands_are_whole_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
