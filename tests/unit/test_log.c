/* Where a line of the log goes, and in which form: read back from a pipe that
 * stands in for standard error.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "petrel/log.h"

struct capture {
	int saved_fd, read_fd;
	char text[4096];
};

static void capture_begin(struct capture *c)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	c->saved_fd = dup(STDERR_FILENO);
	assert_true(c->saved_fd >= 0);
	assert_true(dup2(ends[1], STDERR_FILENO) >= 0);
	(void)close(ends[1]);
	c->read_fd = ends[0];
}

/* All that was written meanwhile; the pipe holds more than any test writes. */
static const char *capture_end(struct capture *c)
{
	ssize_t n;

	assert_true(dup2(c->saved_fd, STDERR_FILENO) >= 0);
	(void)close(c->saved_fd);
	n = read(c->read_fd, c->text, sizeof(c->text) - 1);
	(void)close(c->read_fd);
	assert_true(n >= 0);
	c->text[n] = '\0';
	return c->text;
}

static void test_log_heads_lines_with_program_and_pid(void **state)
{
	struct capture c;
	char expected[128];

	(void)state;
	log_open("petreld", LOG_TARGET_STDERR, LOG_PRIORITY_INFO);
	capture_begin(&c);
	log_warn("push", "peer=%s down", "c1");
	(void)snprintf(expected, sizeof(expected),
		       "petreld[%d]: push: peer=c1 down\n", (int)getpid());
	assert_string_equal(capture_end(&c), expected);
}

static void test_log_gives_journal_the_priority(void **state)
{
	struct capture c;

	(void)state;
	log_open("petreld", LOG_TARGET_JOURNAL, LOG_PRIORITY_INFO);
	capture_begin(&c);
	log_err("ring", "cut short");
	log_notice("ring", "made anew");
	assert_string_equal(capture_end(&c),
			    "<3>ring: cut short\n<5>ring: made anew\n");
}

static void test_log_leaves_out_what_is_less_than_asked(void **state)
{
	struct capture c;

	(void)state;
	log_open("petreld", LOG_TARGET_JOURNAL, LOG_PRIORITY_WARNING);
	capture_begin(&c);
	log_notice("core", "not shown");
	log_warn("core", "shown");
	assert_string_equal(capture_end(&c), "<4>core: shown\n");
	assert_false(log_is_on(LOG_PRIORITY_NOTICE));
	assert_true(log_is_on(LOG_PRIORITY_WARNING));
}

static int counted(int *calls)
{
	return ++*calls;
}

static void test_log_builds_no_string_unless_shown(void **state)
{
	struct capture c;
	int calls = 0;

	(void)state;
	log_open("petreld", LOG_TARGET_JOURNAL, LOG_PRIORITY_WARNING);
	capture_begin(&c);
	log_debug("core", "n=%d", counted(&calls));
	assert_int_equal(calls, 0);
	log_warn("core", "n=%d", counted(&calls));
	assert_int_equal(calls, 1);
	(void)capture_end(&c);
}

static void test_log_cuts_a_line_that_is_too_long(void **state)
{
	char longer[3000];
	struct capture c;
	const char *text;

	(void)state;
	memset(longer, 'z', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	log_open("petreld", LOG_TARGET_JOURNAL, LOG_PRIORITY_INFO);
	capture_begin(&c);
	log_info("x", "%s", longer);
	log_info("x", "next");
	text = capture_end(&c);
	assert_non_null(strstr(text, "z\n<6>x: next\n"));
	assert_in_range(strcspn(text, "\n"), 1000, 1100);
}

static void test_log_target_is_journal_then_terminal_then_syslog(void **state)
{
	(void)state;
	assert_int_equal(setenv("JOURNAL_STREAM", "8:1", 1), 0);
	assert_int_equal(log_target_guess(true), LOG_TARGET_JOURNAL);
	assert_int_equal(log_target_guess(false), LOG_TARGET_JOURNAL);
	assert_int_equal(unsetenv("JOURNAL_STREAM"), 0);
	assert_int_equal(log_target_guess(true), LOG_TARGET_STDERR);
	assert_int_equal(log_target_guess(false), LOG_TARGET_SYSLOG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_log_heads_lines_with_program_and_pid),
		cmocka_unit_test(test_log_gives_journal_the_priority),
		cmocka_unit_test(test_log_leaves_out_what_is_less_than_asked),
		cmocka_unit_test(test_log_builds_no_string_unless_shown),
		cmocka_unit_test(test_log_cuts_a_line_that_is_too_long),
		cmocka_unit_test(
			test_log_target_is_journal_then_terminal_then_syslog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
