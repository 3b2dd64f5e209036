/* When a switch is silent, and when the collector cannot know that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/collect/database.h"
#include "agent/collect/silence.h"
#include "agent/collect/sink.h"

#define SILENT_S 6
#define START_S 100

struct bed {
	char dir[64], path[96];
	struct database *database;	/* NULL: there is no file */
	struct silence *silence;
	size_t said;			/* findings, raised or cleared */
};

/* What it says goes to the database, as over the spool. */
static int entry_said(void *context, const void *octets, size_t len)
{
	struct cursor c = cursor_of(octets, len);
	struct bed *b = context;
	struct diag d = { "" };
	struct entry e;

	b->said++;
	assert_int_equal(entry_read(&c, &e), 0);
	if (b->database &&
	    (database_driver.entry(b->database, &e, (struct place){ 0 },
				   &d) < 0 ||
	     database_commit(b->database, (struct place){ 1, b->said },
			     &d) < 0))
		fail_msg("%s", d.text);
	return 0;
}

static struct clock_reading at(int64_t s)
{
	return (struct clock_reading){
		.mono = { s * NS_PER_S },
		.wall = { (1800000000 + s) * NS_PER_S } };
}

static void begin(struct bed *b, int64_t s)
{
	struct silence_env env = { .database = b->path, .run = (uint64_t)s,
				   .silent_ns = SILENT_S * NS_PER_S,
				   .context = b, .append = entry_said };

	silence_free(b->silence);
	assert_int_equal(silence_new(&env, at(s), &b->silence), 0);
}

static void database_make(struct bed *b)
{
	struct diag d = { "" };

	if (database_open(b->path, &b->database, &d) < 0)
		fail_msg("%s", d.text);
}

static int setup(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	(void)strcpy(b->dir, "/tmp/petrel-silence-XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	(void)snprintf(b->path, sizeof(b->path), "%s/petrel.db", b->dir);
	database_make(b);
	begin(b, START_S);
	*state = b;
	return 0;
}

static void database_hide(struct bed *b)
{
	char aside[128];

	database_close(b->database);
	b->database = NULL;
	(void)snprintf(aside, sizeof(aside), "%s-aside", b->path);
	assert_int_equal(rename(b->path, aside), 0);
}

static void database_back_again(struct bed *b)
{
	char aside[128];

	(void)snprintf(aside, sizeof(aside), "%s-aside", b->path);
	assert_int_equal(rename(aside, b->path), 0);
	database_make(b);
}

static int teardown(void **state)
{
	static const char *const ends[] = { "", "-wal", "-shm", "-aside" };
	struct bed *b = *state;
	char path[128];

	silence_free(b->silence);
	database_close(b->database);
	for (unsigned i = 0; i < 4; i++) {
		(void)snprintf(path, sizeof(path), "%s%s", b->path, ends[i]);
		(void)unlink(path);
	}
	(void)rmdir(b->dir);
	free(b);
	return 0;
}

/* How many findings it says of a switch that is heard, or not. */
static size_t judge(struct bed *b, int64_t s, bool is_up)
{
	struct standing_switch one = { .switch_id = "leaf1", .name = "leaf1",
				       .is_up = is_up, .is_told = true };
	struct clock_reading now = at(s);
	size_t before = b->said;

	silence_judge(b->silence, &one, 1, &now);
	return b->said - before;
}

static void test_silence_is_told_once_and_ends_once(void **state)
{
	struct bed *b = *state;

	assert_int_equal(judge(b, START_S + SILENT_S - 1, false), 0);
	assert_int_equal(judge(b, START_S + SILENT_S, false), 1);
	assert_int_equal(judge(b, START_S + SILENT_S + 1, false), 0);
	assert_int_equal(judge(b, START_S + SILENT_S + 2, true), 1);
	assert_int_equal(judge(b, START_S + SILENT_S + 3, true), 0);
}

/* The collector refused all: an agent waits up to 10 s before it tries again.
 */
static void test_silence_is_not_of_those_who_were_refused(void **state)
{
	struct bed *b = *state;

	silence_hold(b->silence, at(200).mono);
	assert_int_equal(judge(b, 200, false), 0);
	silence_hold(b->silence, at(201).mono);
	assert_int_equal(judge(b, 201 + SILENT_S + 9, false), 0);
	assert_int_equal(judge(b, 201 + SILENT_S + 10, false), 1);
	silence_hold(b->silence, at(220).mono);
	assert_int_equal(judge(b, 221, true), 1);
}

/* A finding from before the start ends though the first look found no file. */
static void test_silence_from_before_is_taken_over_late(void **state)
{
	struct bed *b = *state;

	assert_int_equal(judge(b, 110, false), 1);
	database_hide(b);
	begin(b, 200);
	assert_int_equal(judge(b, 210, false), 0);
	database_back_again(b);
	assert_int_equal(judge(b, 211, false), 0);	/* it is open */
	assert_int_equal(judge(b, 212, true), 1);
}

static void test_silence_does_not_wait_for_ever(void **state)
{
	struct bed *b = *state;

	database_hide(b);
	assert_int_equal(judge(b, START_S + SILENT_S + 60, false), 0);
	assert_int_equal(judge(b, START_S + SILENT_S + 61, false), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_silence_is_told_once_and_ends_once),
		TEST(test_silence_is_not_of_those_who_were_refused),
		TEST(test_silence_from_before_is_taken_over_late),
		TEST(test_silence_does_not_wait_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
