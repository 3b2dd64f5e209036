/* C12: lines of the file of JSON lines are whole, whatever the disk does. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "agent/collect/line_file.h"

struct bed {
	char dir[32], path[64];
	struct line_file *file;
	struct json_object *line;	/* 10 octets with its end */
};

static int setup(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	(void)strcpy(b->dir, "/tmp/petrel-line-XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	(void)snprintf(b->path, sizeof(b->path), "%s/x.ndjson", b->dir);
	b->line = json_tokener_parse("{\"n\":123}");
	assert_int_equal(line_file_new(b->path, 0, &b->file, NULL), 0);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;

	line_file_free(b->file);
	(void)json_object_put(b->line);
	(void)unlink(b->path);
	assert_int_equal(rmdir(b->dir), 0);
	free(b);
	return 0;
}

/* A file may be as long as this; 0: as it likes. */
static void room(rlim_t octets)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = octets ? octets : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void check_file(const struct bed *b, const char *want)
{
	char text[256] = "";
	FILE *in = fopen(b->path, "re");

	assert_non_null(in);
	assert_true(fread(text, 1, sizeof(text) - 1, in) < sizeof(text));
	(void)fclose(in);
	assert_string_equal(text, want);
}

static void write_file(const struct bed *b, const char *text)
{
	FILE *out = fopen(b->path, "we");

	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

#define LINE "{\"n\":123}\n"

static void test_lines_line_that_does_not_fit_leaves_nothing(void **state)
{
	struct bed *b = *state;
	struct diag d = { "" };
	int err;

	assert_int_equal(line_file_put(b->file, b->line, &d), 0);
	check_file(b, LINE);			/* it waits for no flush */
	room(14);
	err = line_file_put(b->file, b->line, &d);
	room(0);
	assert_int_equal(err, -EFBIG);
	assert_non_null(strstr(d.text, strerror(EFBIG)));
	check_file(b, LINE);
	assert_int_equal(line_file_put(b->file, b->line, &d), 0);
	check_file(b, LINE LINE);
}

static void test_lines_line_torn_by_a_crash_is_cut_off(void **state)
{
	struct bed *b = *state;
	struct diag d = { "" };

	write_file(b, LINE "{\"n\":1");
	assert_int_equal(line_file_put(b->file, b->line, &d), 0);
	check_file(b, LINE LINE);
}

static void test_lines_what_is_none_of_ours_stays(void **state)
{
	struct bed *b = *state;
	struct diag d = { "" };

	write_file(b, "a note");
	assert_int_equal(line_file_put(b->file, b->line, &d), 0);
	check_file(b, "a note\n" LINE);
}

static void test_lines_full_disk_is_called_that(void **state)
{
	struct bed *b = *state;
	struct diag d = { "" };
	struct line_file *full;

	assert_int_equal(line_file_new("/dev/full", 0, &full, &d), 0);
	assert_int_equal(line_file_put(full, b->line, &d), -ENOSPC);
	assert_string_equal(d.text, "/dev/full: No space left on device");
	line_file_free(full);
	write_file(b, "");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_lines_##name, setup, \
						teardown)
	const struct CMUnitTest tests[] = {
		T(line_that_does_not_fit_leaves_nothing),
		T(line_torn_by_a_crash_is_cut_off),
		T(what_is_none_of_ours_stays),
		T(full_disk_is_called_that),
	};

	(void)signal(SIGXFSZ, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
