/* C12: minutes and quarters of an hour, each written once. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "agent/collect/database.h"
#include "agent/collect/rollup_file.h"
#include "petrel/quantity.h"
#include "tests/support/spool_load.h"

#define DAY_S INT64_C(1790035200)	/* a whole quarter of an hour */
#define PORTS 3u
#define PLACE(offset) ((struct place){ 1, offset })

struct bed {
	char dir[64], rollups[ROLLUP_PATH_MAX];
	struct collector_config config;
	struct sink_env env;
	struct spool_load load;
	void *sink;
};

static bool is_wanted(const struct quantity_info *q)
{
	return q->id == Q_MARGIN_MILLI_DB || q->id == Q_IF_IN_OCTETS ||
	       q->id == Q_MTU_OCTETS;
}

static void sink_open(struct bed *b)
{
	struct diag d = { "" };

	if (rollup_driver.open(&b->env, &b->sink, &d) < 0)
		fail_msg("%s", d.text);
}

static int setup(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));
	struct collector_config *c = &b->config;
	struct diag d = { "" };

	(void)strcpy(b->dir, "/tmp/petrel-rollup-XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	(void)snprintf(c->database, sizeof(c->database), "%s/petrel.db",
		       b->dir);
	rollup_path(c->database, b->rollups);
	c->rollups = true;
	c->rollup_minutes_ns = c->rollup_quarters_ns =
		INT64_C(3650) * 86400 * NS_PER_S;
	c->rollup_octets = 1u << 30;
	b->env.config = c;
	b->env.database_from = PLACE(UINT64_MAX);
	if (database_open(c->database, &b->env.database, &d) < 0)
		fail_msg("%s", d.text);
	assert_true(spool_load_init(&b->load, PORTS, is_wanted));
	sink_open(b);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;
	char command[96];

	rollup_driver.close(b->sink);
	database_close(b->env.database);
	spool_load_fini(&b->load);
	(void)snprintf(command, sizeof(command), "rm -r %s", b->dir);
	assert_int_equal(system(command), 0);
	free(b);
	return 0;
}

/* The first column of a query's first row. */
static int64_t ask(const struct bed *b, const char *sql)
{
	sqlite3 *db;
	sqlite3_stmt *stmt;
	int64_t value;

	assert_int_equal(sqlite3_open(b->rollups, &db), SQLITE_OK);
	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s", sqlite3_errmsg(db));
	value = sqlite3_step(stmt) == SQLITE_ROW ?
		sqlite3_column_int64(stmt, 0) : -1;
	(void)sqlite3_finalize(stmt);
	(void)sqlite3_close(db);
	return value;
}

/* So many more seconds, from DAY_S on. */
static void play(struct bed *b, unsigned seconds)
{
	struct wall wall = { DAY_S * NS_PER_S + b->load.now.ns - NS_PER_S };

	(void)spool_load_ticks(&b->load, seconds, NS_PER_S, wall);
}

/* Entries from a place, which is their number, up to another. */
static void take(struct bed *b, uint64_t from, uint64_t to)
{
	struct diag d = { "" };
	struct place kept;

	for (uint64_t i = from; i < to && i < b->load.entries; i++)
		if (database_driver.entry(b->env.database, &b->load.entry[i],
					  PLACE(i), &d) ||
		    rollup_driver.entry(b->sink, &b->load.entry[i], PLACE(i),
					&d) < 0)
			fail_msg("%s", d.text);
	(void)database_commit(b->env.database, PLACE(to), &d);
	if (rollup_driver.commit(b->sink, PLACE(to), &kept, &d) < 0)
		fail_msg("%s", d.text);
}

static void take_all(struct bed *b)
{
	(void)rollup_driver.begin(b->sink);
	take(b, 0, b->load.entries);
}

/* All columns in one number. */
static int64_t sum(const struct bed *b, const char *table)
{
	char sql[256];

	(void)snprintf(sql, sizeof(sql), "select sum(end_s %% 100000 + series +"
		       " mean + 3 * least + 7 * most + 11 * last + 13 *"
		       " readings) + 1000000 * count(*) from %s", table);
	return ask(b, sql);
}

static void test_c12_minute_is_what_was_read_in_it(void **state)
{
	struct bed *b = *state;

	play(b, 150);
	take_all(b);

	/* two minutes, three ports, two quantities: MTU is not kept */
	assert_int_equal(ask(b, "select count(*) from rollups_1m"), 12);
	assert_int_equal(ask(b, "select count(*) from series"), 6);
	assert_int_equal(ask(b, "select count(*) from rollups_1m where"
				" entity = 'Ethernet8' and quantity ="
				" 'margin_milli_db' and time ="
				" '2026-09-22T00:02:00Z' and least = 61 and"
				" most = 120 and mean in (90, 91) and last ="
				" 120 and readings = 60"), 1);
	/* a counter is a rate: one octet a second */
	assert_int_equal(ask(b, "select count(*) from rollups_1m where"
				" quantity = 'if_in_octets' and least = 1.0"
				" and most = 1.0 and last = 1.0"), 6);
	assert_int_equal(ask(b, "select sum(readings) from rollups_1m where"
				" quantity = 'if_in_octets' and entity ="
				" 'Ethernet0'"), 119);
}

static void test_c12_quarter_is_made_of_its_minutes(void **state)
{
	struct bed *b = *state;

	play(b, 960);
	take_all(b);

	assert_int_equal(ask(b, "select count(*) from rollups_15m"), 6);
	assert_int_equal(ask(b, "select count(*) from rollups_15m where"
				" quantity = 'margin_milli_db' and least = 1"
				" and most = 900 and mean in (450, 451) and"
				" last = 900 and readings = 900"), 3);
}

/* Wherever it is killed: what was not committed is made again. */
static void test_c12_restart_writes_each_minute_once(void **state)
{
	struct bed *b = *state;
	int64_t minutes, quarters;

	for (unsigned i = 0; i < 20; i++)
		play(b, 60);	/* each with a reference of its own */
	take_all(b);
	minutes = sum(b, "minutes");
	quarters = sum(b, "quarters");
	for (unsigned turn = 0; turn < 3; turn++) {
		uint64_t stops[] = { 63, 200, 517 + turn * 41, 900,
				     UINT64_MAX };

		rollup_driver.close(b->sink);
		(void)unlink(b->rollups);
		sink_open(b);
		for (unsigned i = 0; i < 5; i++) {
			uint64_t from = rollup_driver.begin(b->sink).offset;
			uint64_t to = stops[i] < b->load.entries ? stops[i] :
				      b->load.entries;

			take(b, from, to);
			/* taken, and not committed */
			for (uint64_t k = to; k < to + 70 &&
				      k < b->load.entries; k++)
				(void)rollup_driver.entry(b->sink,
					&b->load.entry[k], PLACE(k), NULL);
			rollup_driver.close(b->sink);
			sink_open(b);
		}
		assert_int_equal(sum(b, "minutes"), minutes);
		assert_int_equal(sum(b, "quarters"), quarters);
	}
}

static void test_c12_replay_of_all_writes_nothing_twice(void **state)
{
	struct bed *b = *state;
	int64_t before;

	for (unsigned i = 0; i < 5; i++)
		play(b, 70);
	take_all(b);
	before = sum(b, "minutes");
	take_all(b);		/* as if the cursor were lost */

	assert_int_equal(sum(b, "minutes"), before);
}

/* --- reading -------------------------------------------------------------- */

struct spans {
	struct rollup_span span[2000];
	size_t count;
};

static int span_add(void *context, const struct rollup_span *s)
{
	struct spans *spans = context;

	assert_true(spans->count < 2000);
	spans->span[spans->count++] = *s;
	return 0;
}

static void read_spans(const struct bed *b, int64_t from_s, int64_t limit,
		       struct spans *ret)
{
	struct rollup_series series = {
		.entity = "Ethernet8",
		.info = quantity_find(Q_MARGIN_MILLI_DB) };
	struct rollup_file *f;
	struct diag d = { "" };

	ret->count = 0;
	if (rollup_file_open(b->rollups, true, &f, &d) < 0 ||
	    rollup_file_read(f, "ours", &series, from_s, DAY_S + 86400, limit,
			     span_add, ret, &d) < 0)
		fail_msg("%s", d.text);
	rollup_file_close(f);
}

static void test_rollups_have_no_hole_between_quarters_and_minutes(void **state)
{
	struct bed *b = *state;
	static struct spans s;
	static const char *const removals[] = {
		/* older than half an hour and something */
		"delete from minutes where end_s < 1790035200 + 2000",
		/* all, after a pause: the present quarter is not made yet */
		"delete from minutes where end_s <= 1790035200 + 3600",
	};
	static const size_t left[] = { 3 + 21, 4 + 6 };

	play(b, 4000);
	take_all(b);
	read_spans(b, DAY_S - 86400, 1000, &s);
	assert_int_equal(s.count, 66);
	read_spans(b, DAY_S + 600, 1000, &s);
	assert_int_equal(s.count, 56);
	read_spans(b, DAY_S, 7, &s);
	assert_int_equal(s.count, 7);
	assert_int_equal(s.span[6].end_s, DAY_S + 66 * 60);

	for (unsigned n = 0; n < 2; n++) {
		int64_t end_s = DAY_S;
		sqlite3 *db;

		assert_int_equal(sqlite3_open(b->rollups, &db), SQLITE_OK);
		assert_int_equal(sqlite3_exec(db, removals[n], NULL, NULL,
					      NULL), SQLITE_OK);
		(void)sqlite3_close(db);
		read_spans(b, DAY_S, 1000, &s);
		for (size_t i = 0; i < s.count; i++) {
			assert_int_equal(s.span[i].end_s - s.span[i].span_s,
					 end_s);
			end_s = s.span[i].end_s;
		}
		assert_int_equal(s.count, left[n]);
		assert_int_equal(end_s, DAY_S + 66 * 60);
	}
}

static void test_rollups_end_by_age_and_by_size(void **state)
{
	struct bed *b = *state;
	struct rollup_bounds bounds = { 1800 * NS_PER_S, 3600 * NS_PER_S,
					1u << 30 };
	struct clock_reading now = { .mono.ns = 100 * NS_PER_S };
	struct rollup_file *f;
	struct diag d = { "" };

	play(b, 4000);
	take_all(b);
	now.wall.ns = (DAY_S + 66 * 60) * NS_PER_S;
	assert_int_equal(rollup_file_open(b->rollups, false, &f, &d), 0);
	for (unsigned i = 0; i < 4; i++) {
		now.mono.ns += 61 * NS_PER_S;
		assert_int_equal(rollup_file_tend(f, &bounds, now, &d), 0);
	}
	assert_int_equal(ask(b, "select count(*) from minutes"), 31 * 6);
	assert_int_equal(ask(b, "select min(end_s) from quarters") - DAY_S,
			 900);
	bounds.octets_max = 1;	/* a tenth less long */
	now.mono.ns += 61 * NS_PER_S;
	assert_int_equal(rollup_file_tend(f, &bounds, now, &d), 0);
	rollup_file_close(f);
	assert_int_equal(ask(b, "select count(*) from minutes"), 28 * 6);
}

static void test_rollups_refuse_a_file_of_another_version(void **state)
{
	struct bed *b = *state;
	struct rollup_file *f;
	struct diag d = { "" };
	sqlite3 *db;

	assert_int_equal(sqlite3_open(b->rollups, &db), SQLITE_OK);
	(void)sqlite3_exec(db, "pragma user_version = 7", NULL, NULL, NULL);
	(void)sqlite3_close(db);
	assert_int_equal(rollup_file_open(b->rollups, false, &f, &d), -EIO);
	assert_non_null(strstr(d.text, "version 7"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_c12_minute_is_what_was_read_in_it),
		TEST(test_c12_quarter_is_made_of_its_minutes),
		TEST(test_c12_restart_writes_each_minute_once),
		TEST(test_c12_replay_of_all_writes_nothing_twice),
		TEST(test_rollups_have_no_hole_between_quarters_and_minutes),
		TEST(test_rollups_end_by_age_and_by_size),
		TEST(test_rollups_refuse_a_file_of_another_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
