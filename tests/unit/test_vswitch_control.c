#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/vswitch/command_lines.h"

struct done {
	unsigned stops, flushes;
	char port[COMMAND_LINE_MAX];
};

static int command_do(void *context, size_t row, const char *argument,
		      struct diag *d)
{
	struct done *done = context;

	if (row == 1) {
		done->flushes++;
		return 0;
	}
	if (strcmp(argument, "Ethernet0") != 0)
		return diag_set(d, -ENOENT, "\"%s\" is no port", argument);
	done->stops++;
	(void)snprintf(done->port, sizeof(done->port), "%s", argument);
	return 0;
}

static const struct command_row rows[] = {
	{ "stop port", true },
	{ "flush", false },
};

/* Gives text by a pipe, in two parts, and returns what was answered. */
static char *answers_to(const char *text, size_t first, struct done *done)
{
	struct command_lines c;
	char *answers = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&answers, &size);
	int fds[2];

	memset(done, 0, sizeof(*done));
	command_init(&c, rows, 2, command_do, done);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], text, first), first);
	assert_int_equal(command_read(&c, fds[0], out), 1);
	assert_int_equal(write(fds[1], text + first, strlen(text) - first),
			 strlen(text) - first);
	assert_int_equal(close(fds[1]), 0);
	while (command_read(&c, fds[0], out) == 1)
		;
	assert_int_equal(close(fds[0]), 0);
	assert_int_equal(fclose(out), 0);
	return answers;
}

static void test_control_does_lines_that_come_in_pieces(void **state)
{
	struct done done;
	char *answers = answers_to("stop port Ethernet0\n\n# no\n flush\n", 9,
				   &done);

	(void)state;
	assert_int_equal(done.stops, 1);
	assert_string_equal(done.port, "Ethernet0");
	assert_int_equal(done.flushes, 1);
	assert_string_equal(answers, "{\"done\":\"stop port Ethernet0\"}\n"
			    "{\"done\":\"flush\"}\n");
	free(answers);
}

static void test_control_names_the_nearest_command(void **state)
{
	struct done done;
	char *answers = answers_to("flusch\nstop port\nflush now\n", 3, &done);

	(void)state;
	assert_int_equal(done.stops + done.flushes, 0);
	assert_non_null(strstr(answers, "'flusch' is not a command; expected "
			       "flush"));
	assert_non_null(strstr(answers, "'stop port' is not a command"));
	assert_non_null(strstr(answers, "'flush now' is not a command"));
	free(answers);
}

static void test_control_answers_are_json_whatever_was_asked(void **state)
{
	struct done done;
	char *answers = answers_to("stop port \"\\\x01\n", 3, &done);

	(void)state;
	assert_string_equal(answers, "{\"error\":\"???\?\? is no port\"}\n");
	free(answers);
}

static void test_control_drops_a_line_that_is_too_long(void **state)
{
	char text[3 * COMMAND_LINE_MAX];
	struct done done;
	char *answers;

	(void)state;
	memset(text, 'x', sizeof(text));
	memcpy(text + sizeof(text) - 8, "\nflush\n", 8);
	answers = answers_to(text, 10, &done);
	assert_int_equal(done.flushes, 1);
	assert_string_equal(answers, "{\"error\":\"the line is too long for a "
			    "command\"}\n{\"done\":\"flush\"}\n");
	free(answers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_control_does_lines_that_come_in_pieces),
		cmocka_unit_test(test_control_names_the_nearest_command),
		cmocka_unit_test(
			test_control_answers_are_json_whatever_was_asked),
		cmocka_unit_test(test_control_drops_a_line_that_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
