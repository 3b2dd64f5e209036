/* C12: rows and cursor go together, and nothing is applied twice. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "agent/collect/database.h"
#include "agent/collect/stored.h"
#include "agent/collect/upkeep.h"
#include "petrel/finding.h"
#include "petrel/platform.h"
#include "petrel/quantity.h"
#include "record.pb-c.h"

#define RUN UINT64_C(0xfedcba9876543210)

struct bed {
	char dir[64], path[96];
	struct database *sink;
};

static struct database *open_sink(const struct bed *b)
{
	struct database *s;
	struct diag d;

	if (database_open(b->path, &s, &d) < 0)
		fail_msg("%s", d.text);
	return s;
}

static int setup(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	(void)strcpy(b->dir, "/tmp/petrel-sink-XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	(void)snprintf(b->path, sizeof(b->path), "%s/petrel.db", b->dir);
	b->sink = open_sink(b);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	static const char *const ends[] = { "", "-wal", "-shm" };
	struct bed *b = *state;
	char path[128];

	database_close(b->sink);
	for (unsigned i = 0; i < 3; i++) {
		(void)snprintf(path, sizeof(path), "%s%s", b->path, ends[i]);
		(void)unlink(path);
	}
	(void)rmdir(b->dir);
	free(b);
	return 0;
}

/* The first column of a query's first row. */
static int64_t ask(const struct bed *b, const char *sql)
{
	sqlite3 *db;
	sqlite3_stmt *stmt;
	int64_t value;

	assert_int_equal(sqlite3_open(b->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	value = sqlite3_column_int64(stmt, 0);
	(void)sqlite3_finalize(stmt);
	(void)sqlite3_close(db);
	return value;
}

/* An entry of one record. */
static struct entry one(struct writer *w, enum stream stream,
			enum record_kind kind, uint64_t sequence, uint64_t last,
			const void *payload, size_t len)
{
	struct record_header h = { .length = (uint32_t)len,
				   .stream = (uint8_t)stream,
				   .kind = (uint8_t)kind,
				   .sequence = sequence, .last = last };
	struct entry e = { .kind = ENTRY_RECORDS, .run = RUN,
			   .switch_id = "leaf1" };

	record_write(w, &h, payload);
	assert_true(writer_ok(w));
	e.body = w->data;
	e.len = w->pos;
	return e;
}

static void apply(struct database *s, enum stream stream, enum record_kind kind,
		  uint64_t sequence, const ProtobufCMessage *m)
{
	uint8_t octets[1024], payload[512];
	struct writer w = writer_of(octets, sizeof(octets));
	size_t len = protobuf_c_message_pack(m, payload);
	struct entry e = one(&w, stream, kind, sequence, sequence, payload,
			     len);
	struct diag d;

	if (database_driver.entry(s, &e, (struct place){ 0 }, &d) < 0)
		fail_msg("%s", d.text);
}

static void event(struct database *s, uint64_t sequence)
{
	Petrel__Event m;
	char text[] = "up";

	petrel__event__init(&m);
	m.entity = 3;
	m.what = EVENT_LINK_UP;
	m.text = text;
	m.number = sequence;
	apply(s, STREAM_STATES, RECORD_EVENT, sequence, &m.base);
}

static void commit(struct database *s, uint64_t segment, uint64_t offset)
{
	struct diag d;

	if (database_commit(s, (struct place){ segment, offset }, &d) < 0)
		fail_msg("%s", d.text);
}

static struct place cursor(struct database *s)
{
	struct place at;

	assert_int_equal(database_cursor(s, &at, NULL), 0);
	return at;
}

static void test_database_begins_before_all(void **state)
{
	struct bed *b = *state;

	assert_int_equal(cursor(b->sink).segment, 0);
	assert_int_equal(ask(b, "select count(*) from runs"), 0);
}

static void test_c12_rows_and_cursor_are_committed_together(void **state)
{
	struct bed *b = *state;

	event(b->sink, 1);
	assert_int_equal(ask(b, "select count(*) from events"), 0);
	commit(b->sink, 1, 100);
	event(b->sink, 2);
	database_back(b->sink);

	assert_int_equal(ask(b, "select count(*) from events"), 1);
	assert_int_equal(ask(b, "select place from cursor"), 100);
	event(b->sink, 2);
	commit(b->sink, 1, 200);
	assert_int_equal(ask(b, "select count(*) from events"), 2);
	assert_int_equal(ask(b, "select max(sequence) from applied"), 2);
}

static void test_c12_record_is_not_applied_twice(void **state)
{
	struct bed *b = *state;
	struct sink_count count;

	event(b->sink, 1);
	event(b->sink, 2);
	commit(b->sink, 1, 200);
	database_close(b->sink);
	b->sink = open_sink(b);		/* as if the cursor were lost */
	event(b->sink, 1);
	event(b->sink, 2);
	event(b->sink, 3);
	commit(b->sink, 1, 300);

	database_driver.count(b->sink, &count);
	assert_int_equal(count.repeats, 2);
	assert_int_equal(ask(b, "select count(*) from events"), 3);
}

/* One event more for each step of the cursor, until it is killed. */
static void commit_for_ever(const struct bed *b)
{
	struct database *s = open_sink(b);
	struct place at = cursor(s);

	for (;;) {
		event(s, ++at.offset);
		commit(s, 1, at.offset);
	}
}

static void test_c12_kill_leaves_rows_and_cursor_in_step(void **state)
{
	struct bed *b = *state;
	int64_t before = -1;

	database_close(b->sink);
	b->sink = NULL;
	/* More often and for longer, where it takes long to begin. */
	for (unsigned i = 0; i < 20 || (i < 200 && before <= 20); i++) {
		struct timespec wait = { 0, 15000000 + 3700000 * (long)i };
		pid_t pid = fork();

		if (pid == 0)
			commit_for_ever(b);
		(void)nanosleep(&wait, NULL);
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, NULL, 0);
		assert_int_equal(ask(b, "select count(*) from events"),
				 ask(b, "select place from cursor"));
		assert_true(ask(b, "select place from cursor") >= before);
		before = ask(b, "select place from cursor");
	}
	assert_true(before > 20);
}

static void test_database_skips_what_it_cannot_read_and_counts_it(void **state)
{
	struct bed *b = *state;
	uint8_t octets[256];
	struct writer w = writer_of(octets, sizeof(octets));
	struct entry e = one(&w, STREAM_STATES, RECORD_EVENT, 1, 1, "\xff\xff",
			     2);
	struct sink_count count;
	struct diag d;

	assert_int_equal(database_driver.entry(b->sink, &e,
					       (struct place){ 0 }, &d), 0);
	event(b->sink, 2);
	commit(b->sink, 1, 100);

	database_driver.count(b->sink, &count);
	assert_int_equal(count.unreadable, 1);
	assert_int_equal(ask(b, "select count(*) from events"), 1);
}

static void test_database_counts_a_record_in_anothers_place(void **state)
{
	struct bed *b = *state;
	Petrel__Event m;
	struct sink_count count;

	petrel__event__init(&m);
	m.what = EVENT_LINK_UP;
	m.number = 5;
	apply(b->sink, STREAM_STATES, RECORD_EVENT, 1, &m.base);
	database_driver.count(b->sink, &count);
	assert_int_equal(count.misnumbered, 1);
}

/* Of later agents: their place counts, and no more. */
static void test_database_passes_over_kinds_that_it_does_not_know(void **state)
{
	struct bed *b = *state;
	uint8_t octets[256];
	struct writer w = writer_of(octets, sizeof(octets));
	struct entry e = one(&w, STREAM_STATES, 255, 1, 1, "abc", 3);
	struct sink_count count;
	struct diag d;

	assert_int_equal(database_driver.entry(b->sink, &e,
					       (struct place){ 0 }, &d), 0);
	event(b->sink, 2);
	commit(b->sink, 1, 100);

	database_driver.count(b->sink, &count);
	assert_int_equal(count.applied, 2);
	assert_int_equal(count.unreadable, 0);
	assert_int_equal(ask(b, "select count(*) from events"), 1);
}

static void test_database_keeps_gaps_by_their_range(void **state)
{
	struct bed *b = *state;
	uint8_t octets[256];
	struct writer w = writer_of(octets, sizeof(octets));
	struct entry e = one(&w, STREAM_SAMPLES, RECORD_GAP, 1, 40, "", 0);
	struct diag d;

	assert_int_equal(database_driver.entry(b->sink, &e,
					       (struct place){ 0 }, &d), 0);
	commit(b->sink, 1, 100);
	assert_int_equal(ask(b, "select last - first + 1 from gaps"
				" where stream = 'samples'"), 40);
}

static void finding(struct database *s, uint64_t sequence, const char *id,
		    enum finding_state finding_state, bool repeated)
{
	Petrel__Finding m;
	char text[32], subject[] = "Ethernet8", cause[] = "because";

	petrel__finding__init(&m);
	(void)snprintf(text, sizeof(text), "%s", id);
	m.id = text;
	m.signature = SIGNATURE_LINK_DOWN;
	m.severity = SEVERITY_WARN;
	m.state = finding_state;
	m.end = END_NEAR;
	m.action = ACTION_OBSERVE;
	m.drain = DRAIN_NONE;
	m.subject = subject;
	m.cause = cause;
	m.number = sequence;
	m.repeated_state = repeated;
	apply(s, STREAM_FINDINGS, RECORD_FINDING, sequence, &m.base);
}

static void clock_told(struct database *s, uint64_t sequence, int64_t mono_s,
		       int64_t wall_s, bool is_set)
{
	Petrel__Clock m;

	petrel__clock__init(&m);
	m.mono_ns = mono_s * NS_PER_S;
	m.wall_ns = wall_s * NS_PER_S;
	m.is_set = is_set;
	m.number = sequence;
	apply(s, STREAM_STATES, RECORD_CLOCK, sequence, &m.base);
}

/* As a switch says it whose clock reads 0 when it boots, and never is set. */
static void finding_unset(struct database *s, uint64_t sequence, int64_t mono_s)
{
	Petrel__Finding m;
	char id[] = "abcdefghijkl", subject[] = "Ethernet8", none[] = "";

	petrel__finding__init(&m);
	m.id = id;
	m.signature = SIGNATURE_LINK_DOWN;
	m.severity = SEVERITY_WARN;
	m.state = FINDING_UPDATED;
	m.end = END_NEAR;
	m.action = ACTION_OBSERVE;
	m.drain = DRAIN_NONE;
	m.subject = subject;
	m.cause = none;
	m.number = sequence;
	m.onset_mono_ns = m.onset_wall_ns = mono_s * NS_PER_S;
	m.when_mono_ns = m.when_wall_ns = (mono_s + 5) * NS_PER_S;
	apply(s, STREAM_FINDINGS, RECORD_FINDING, sequence, &m.base);
}

/* Seconds from a wall time in the database to one of ours. */
static int64_t ago_s(const struct bed *b, const char *sql, struct wall now)
{
	return (now.ns + NS_PER_S / 2 - ask(b, sql)) / NS_PER_S;
}

static void test_c05_finding_of_a_clock_never_set_has_a_time(void **state)
{
	struct bed *b = *state;
	struct wall now = clock_wall_now();

	clock_told(b->sink, 1, 100, 100, false);
	finding_unset(b->sink, 1, 90);
	commit(b->sink, 1, 100);
	assert_int_equal(ago_s(b, "select onset_wall_ns from findings", now),
			 10);
	assert_int_equal(ago_s(b, "select when_wall_ns from transitions", now),
			 5);
}

static void test_c05_clock_is_known_after_a_restart(void **state)
{
	struct bed *b = *state;
	struct wall now = { clock_wall_now().ns / NS_PER_S * NS_PER_S };

	clock_told(b->sink, 1, 1000, now.ns / NS_PER_S - 500, true);
	commit(b->sink, 1, 100);
	database_close(b->sink);
	b->sink = open_sink(b);
	/* a year back, in the run that it was set in */
	clock_told(b->sink, 2, 1100, now.ns / NS_PER_S - 31557600, true);
	finding_unset(b->sink, 1, 1090);
	commit(b->sink, 1, 200);
	assert_int_equal(ago_s(b, "select onset_wall_ns from findings", now),
			 410);
}

static void test_database_keeps_each_finding_and_its_history(void **state)
{
	struct bed *b = *state;

	finding(b->sink, 1, "abcdefghijkl", FINDING_RAISED, false);
	finding(b->sink, 2, "mnopqrstuvwx", FINDING_RAISED, false);
	finding(b->sink, 3, "abcdefghijkl", FINDING_RAISED, true);
	finding(b->sink, 4, "abcdefghijkl", FINDING_CLEARED, false);
	commit(b->sink, 1, 100);

	assert_int_equal(ask(b, "select count(*) from findings"), 2);
	assert_int_equal(ask(b, "select count(*) from transitions"), 3);
	assert_int_equal(ask(b, "select count(*) from findings where "
				"state = 'cleared' and id = 'abcdefghijkl'"),
			 1);
}

static void dictionary(struct database *s, uint64_t sequence, bool snapshot,
		       uint32_t id)
{
	Petrel__Dictionary m;
	Petrel__Entity entity, *entities[] = { &entity };
	char name[] = "Ethernet8";

	petrel__dictionary__init(&m);
	petrel__entity__init(&entity);
	entity.id = id;
	entity.kind = ENTITY_PORT;
	entity.name = name;
	m.snapshot = snapshot;
	m.version = (uint32_t)sequence;
	m.number = sequence;
	m.entities = entities;
	m.n_entities = 1;
	apply(s, STREAM_STATES, RECORD_DICTIONARY, sequence, &m.base);
}

static void test_c02_snapshot_replaces_the_inventory(void **state)
{
	struct bed *b = *state;

	dictionary(b->sink, 1, true, 5);
	dictionary(b->sink, 2, false, 6);
	commit(b->sink, 1, 100);
	assert_int_equal(ask(b, "select count(*) from entities where gone = 0"),
			 2);
	dictionary(b->sink, 3, true, 6);
	commit(b->sink, 1, 200);

	assert_int_equal(ask(b, "select count(*) from entities where gone = 0"),
			 1);
	assert_int_equal(ask(b, "select id from entities where gone = 0"), 6);
}

/* --- what its sources gave ------------------------------------------------ */

static void source(struct database *s, uint64_t sequence, int64_t interval_ns)
{
	char name[] = "sonic.counters";
	Petrel__Dictionary m;
	Petrel__Source one, *sources[] = { &one };

	petrel__dictionary__init(&m);
	petrel__source__init(&one);
	one.number = 3;
	one.name = name;
	one.interval_ns = interval_ns;
	m.version = (uint32_t)sequence;
	m.number = sequence;
	m.sources = sources;
	m.n_sources = 1;
	apply(s, STREAM_STATES, RECORD_DICTIONARY, sequence, &m.base);
}

/* Reading of it: one of each quantity. */
static void source_read(struct remote_sources *s, enum quantity q)
{
	struct decoded_column c = { .batch = { NS_PER_S }, .count = 0,
				    .quantity = (uint16_t)q, .source = 3 };

	remote_sources_column(s, &c);
}

static struct statement_set *open_stored(const struct bed *b, bool keeps)
{
	struct statement_set *i;
	struct diag d;

	if (stored_open(b->path, keeps, &i, &d) < 0)
		fail_msg("%s", d.text);
	return i;
}

/* The sources of the run, as a start finds them. */
static struct remote_sources *sources_of(struct statement_set *i)
{
	struct remote_sources *s;

	assert_int_equal(remote_sources_new(&s), 0);
	stored_sources(i, "leaf1", RUN, s);
	return s;
}

/* The database of the version before: it lacks their table. */
static void older_made(struct bed *b)
{
	sqlite3 *db;

	database_close(b->sink);
	assert_int_equal(sqlite3_open(b->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "DROP TABLE source_quantities", NULL,
				      NULL, NULL), SQLITE_OK);
	(void)sqlite3_close(db);
	b->sink = open_sink(b);
}

static void test_c12_what_sources_gave_is_kept_once(void **state)
{
	struct bed *b = *state;
	struct remote_source_kept kept;
	struct remote_sources *s;
	struct statement_set *i;
	size_t at = 0;

	older_made(b);
	i = open_stored(b, true);
	assert_int_equal(remote_sources_new(&s), 0);
	remote_source_set(s, 3, "sonic.counters", NS_PER_S);
	source_read(s, Q_MTU_OCTETS);		/* slow */
	assert_int_equal(stored_sources_keep(i, "leaf1", RUN, s), -ENODATA);
	source(b->sink, 1, NS_PER_S);
	assert_int_equal(stored_sources_keep(i, "leaf1", RUN, s), -EIO);
	commit(b->sink, 1, 100);
	assert_int_equal(stored_sources_keep(i, "leaf1", RUN, s), 0);
	assert_int_equal(ask(b, "select quantity from source_quantities"),
			 Q_MTU_OCTETS);
	assert_false(remote_source_next(s, &at, &kept));
	source_read(s, Q_IF_IN_OCTETS);
	at = 0;
	assert_true(remote_source_next(s, &at, &kept));
	assert_int_equal(stored_sources_keep(i, "leaf1", RUN, s), 0);
	assert_int_equal(ask(b, "select count(*) from source_quantities"), 1);
	remote_sources_free(s);
	s = sources_of(i);
	source_read(s, Q_IF_IN_OCTETS);		/* as the database has it */
	at = 0;
	assert_false(remote_source_next(s, &at, &kept));
	remote_sources_free(s);
	statement_set_close(i);
}

/* --- who a switch is ------------------------------------------------------ */

static void identity(struct database *s, uint64_t run, const char *id,
		     const char *name, const char *former_id)
{
	uint8_t body[ENTRY_POSITIONS_MAX] = { 0 };
	struct writer w = writer_of(body, sizeof(body));
	struct entry e = { .kind = ENTRY_POSITIONS, .run = run, .body = body };
	struct entry_identity who = { .name = "" };
	struct diag d;

	(void)strcpy(e.switch_id, id);
	(void)strcpy(who.name, name);
	(void)strcpy(who.former_id, former_id);
	w.pos = ENTRY_POSITIONS_LEN;
	entry_identity_write(&w, &who);
	e.len = w.pos;
	if (database_driver.entry(s, &e, (struct place){ 0 }, &d) < 0)
		fail_msg("%s", d.text);
}

static void test_c09_name_of_a_switch_changes_and_nothing_else(void **state)
{
	struct bed *b = *state;

	event(b->sink, 1);
	identity(b->sink, RUN, "leaf1", "spine9", "");
	event(b->sink, 2);
	commit(b->sink, 1, 100);

	assert_int_equal(ask(b, "select count(*) from switches"), 1);
	assert_int_equal(ask(b, "select count(*) from switches where "
				"switch_id = 'leaf1' and name = 'spine9'"), 1);
	assert_int_equal(ask(b, "select count(*) from runs"), 1);
	assert_int_equal(ask(b, "select max(sequence) from applied"), 2);
}

static void test_c09_switch_goes_on_under_its_id(void **state)
{
	struct bed *b = *state;

	event(b->sink, 1);
	finding(b->sink, 1, "abcdefghijkl", FINDING_RAISED, false);
	for (unsigned i = 0; i < 2; i++)	/* each segment says it again */
		identity(b->sink, RUN, "SN1", "leaf1", "leaf1");
	commit(b->sink, 1, 100);

	assert_int_equal(ask(b, "select count(*) from switches"), 1);
	assert_int_equal(ask(b, "select count(*) from runs join switches on "
				"switches.id = switch where "
				"switch_id = 'SN1' and name = 'leaf1'"), 1);
	assert_int_equal(ask(b, "select count(*) from findings join switches "
				"on switches.id = switch where "
				"switch_id = 'SN1'"), 1);
}

/* Two switches had one name; one of them is known by its id already. */
static void test_c09_only_the_run_goes_where_the_switch_is_known(void **state)
{
	struct bed *b = *state;

	identity(b->sink, RUN + 1, "SN1", "leaf1", "");
	event(b->sink, 1);
	finding(b->sink, 1, "abcdefghijkl", FINDING_RAISED, false);
	identity(b->sink, RUN, "SN1", "leaf1", "leaf1");
	commit(b->sink, 1, 100);

	assert_int_equal(ask(b, "select count(*) from switches"), 2);
	assert_int_equal(ask(b, "select count(*) from runs join switches on "
				"switches.id = switch where "
				"switch_id = 'SN1'"), 1);
	assert_int_equal(ask(b, "select count(*) from findings join switches "
				"on switches.id = switch where "
				"switch_id = 'SN1'"), 1);
}

static void test_database_takes_over_tables_of_version_1(void **state)
{
	static const char before[] =
		"DROP VIEW open_findings; DROP VIEW modules; DROP VIEW links;"
		"DROP VIEW finding_capsules;"
		"DROP TABLE switches; CREATE TABLE switches (id INTEGER "
		"PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
		"INSERT INTO switches VALUES (1, 'leaf1');"
		"DROP INDEX open_by_switch;"
		"ALTER TABLE findings DROP COLUMN record;"
		"ALTER TABLE events DROP COLUMN subject;"
		"PRAGMA user_version = 1";
	struct bed *b = *state;
	sqlite3 *db;

	event(b->sink, 1);
	commit(b->sink, 1, 100);
	database_close(b->sink);
	assert_int_equal(sqlite3_open(b->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, before, NULL, NULL, NULL),
			 SQLITE_OK);
	(void)sqlite3_close(db);
	b->sink = open_sink(b);
	event(b->sink, 1);
	event(b->sink, 2);
	commit(b->sink, 1, 200);

	assert_int_equal(ask(b, "select count(*) from events"), 2);
	assert_int_equal(ask(b, "select count(*) from runs join switches on "
				"switches.id = switch where switch_id = "
				"'leaf1' and name = 'leaf1'"), 1);
}

static void test_database_refuses_tables_of_another_version(void **state)
{
	struct bed *b = *state;
	struct database *again;
	struct diag d;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(b->path, &db), SQLITE_OK);
	(void)sqlite3_exec(db, "PRAGMA user_version = 9", NULL, NULL, NULL);
	(void)sqlite3_close(db);

	assert_true(database_open(b->path, &again, &d) < 0);
	assert_non_null(strstr(d.text, "version 9"));
}

/* What is wrong with which file, and what to do. */
static void test_database_that_is_none_is_named(void **state)
{
	struct bed *b = *state;
	struct database *again;
	struct statement_set *i;
	struct diag d;
	char path[128];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/other", b->dir);
	f = fopen(path, "w");
	assert_non_null(f);
	(void)fprintf(f, "%4096s", "no database");
	(void)fclose(f);
	assert_true(database_open(path, &again, &d) < 0);
	(void)unlink(path);
	assert_ptr_equal(strstr(d.text, path), d.text);
	assert_non_null(strstr(d.text, "/other away"));
	assert_true(stored_open(path, false, &i, &d) < 0);
	assert_ptr_equal(strstr(d.text, path), d.text);
	assert_null(strstr(d.text + 1, path));
}

/* What is written to a file that is gone would be lost. */
static void test_database_that_was_removed_takes_nothing(void **state)
{
	struct entry e = { .kind = ENTRY_RECORDS, .run = RUN,
			   .switch_id = "leaf1" };
	struct bed *b = *state;
	struct diag d = { "" };
	char aside[128];

	event(b->sink, 1);
	commit(b->sink, 1, 100);
	(void)snprintf(aside, sizeof(aside), "%s-aside", b->path);
	assert_int_equal(rename(b->path, aside), 0);
	assert_true(database_driver.entry(b->sink, &e, (struct place){ 0 },
					  &d) < 0);
	assert_non_null(strstr(d.text, "was removed or replaced"));
	assert_int_equal(rename(aside, b->path), 0);
	event(b->sink, 2);
	commit(b->sink, 1, 200);
	assert_int_equal(ask(b, "select count(*) from events"), 2);
}

static void test_database_has_views_with_plain_columns(void **state)
{
	struct bed *b = *state;

	finding(b->sink, 1, "abcdefghijkl", FINDING_RAISED, false);
	finding(b->sink, 2, "mnopqrstuvwx", FINDING_RAISED, false);
	finding(b->sink, 3, "mnopqrstuvwx", FINDING_CLEARED, false);
	dictionary(b->sink, 1, true, 5);
	commit(b->sink, 1, 100);
	assert_int_equal(ask(b, "select count(*) from open_findings"
				" where id = 'abcdefghijkl'"
				" and switch = 'leaf1'"), 1);
	assert_int_equal(ask(b, "select count(*) from open_findings"), 1);
	assert_int_equal(ask(b, "select count(*) from links"), 1);
	assert_int_equal(ask(b, "select count(*) from modules"), 0);
}

/* A capsule of one series with three readings. */
static void capsule(struct database *s, uint64_t sequence)
{
	static uint8_t octets[] = { 2, 2, 2 };
	ProtobufCBinaryData times = { 3, octets };
	char id[] = "mnopqrstuvwx", name[] = "Ethernet8";
	Petrel__CapsuleSeries one, *series[] = { &one };
	Petrel__Capsule m;

	petrel__capsule__init(&m);
	petrel__capsule_series__init(&one);
	m.id = id;
	m.times = &times;
	m.n_times = 1;
	m.series = series;
	m.n_series = 1;
	m.number = sequence;
	one.name = name;
	one.quantity = Q_OPER_STATUS;
	one.values = times;
	apply(s, STREAM_FINDINGS, RECORD_CAPSULE, sequence, &m.base);
}

static void test_c08_database_has_the_series_of_a_capsule(void **state)
{
	struct bed *b = *state;

	capsule(b->sink, 1);
	commit(b->sink, 1, 100);
	assert_int_equal(ask(b, "select count(*) from finding_capsules where "
				"complete and readings = 3 and least = 1 and "
				"most = 3 and last = 3 and entity = "
				"'Ethernet8' and quantity = 'oper_status'"), 1);
	assert_int_equal(ask(b, "select length(payload) > 10 from capsules"),
			 1);
}

static void test_database_forgets_what_is_old_and_not_open(void **state)
{
	struct bed *b = *state;
	struct upkeep u = { .keep_ns = 7200 * NS_PER_S,
			    .octets_max = UINT64_MAX };
	struct mono now = { NS_PER_S };
	sqlite3 *db;

	finding(b->sink, 1, "abcdefghijkl", FINDING_RAISED, false);
	finding(b->sink, 2, "mnopqrstuvwx", FINDING_CLEARED, false);
	capsule(b->sink, 3);
	commit(b->sink, 1, 100);
	assert_int_equal(ask(b, "select count(*) from capsule_series"), 1);
	(void)ask(b, "update runs set wall_ns = 0, mono_ns = 0 returning 1");
	assert_int_equal(sqlite3_open(b->path, &db), SQLITE_OK);
	assert_int_equal(upkeep_tend(&u, db, now, (struct wall){ 0 }, NULL),
			 0);
	assert_int_equal(ask(b, "select count(*) from transitions"), 2);
	now.ns += 61 * NS_PER_S;
	assert_int_equal(upkeep_tend(&u, db, now, (struct wall){ INT64_MAX },
				     NULL), 0);
	(void)sqlite3_close(db);
	assert_int_equal(ask(b, "select count(*) from transitions"), 0);
	assert_int_equal(ask(b, "select count(*) from findings"), 1);
	assert_int_equal(ask(b, "select count(*) from capsules"), 0);
	assert_int_equal(ask(b, "select count(*) from capsule_series"), 0);
	assert_int_equal(u.removed, 5);
}

/* Of a clock that was never set all would be older than anything. */
static void test_c05_what_is_old_is_so_by_the_mapped_clock(void **state)
{
	struct bed *b = *state;
	struct upkeep u = { .keep_ns = 86400 * NS_PER_S,
			    .octets_max = UINT64_MAX };
	struct diag d = { "" };
	sqlite3 *db;

	clock_told(b->sink, 1, 100, 100, false);
	event(b->sink, 2);
	commit(b->sink, 1, 100);
	(void)ask(b, "update runs set wall_ns = 0, mono_ns = 0 returning 1");
	assert_int_equal(sqlite3_open(b->path, &db), SQLITE_OK);
	assert_int_equal(upkeep_tend(&u, db, (struct mono){ 1 },
				     clock_wall_now(), &d), 0);
	(void)sqlite3_close(db);
	assert_int_equal(ask(b, "select count(*) from events"), 1);
}

static void test_database_too_large_keeps_less(void **state)
{
	struct bed *b = *state;
	struct upkeep u = { .keep_ns = 100 * 3600 * NS_PER_S,
			    .octets_max = 1 };
	sqlite3 *db;

	assert_int_equal(sqlite3_open(b->path, &db), SQLITE_OK);
	for (int64_t i = 1; i < 60; i++)
		assert_int_equal(upkeep_tend(&u, db,
			(struct mono){ i * 61 * NS_PER_S },
			(struct wall){ 0 }, NULL), 0);
	assert_int_equal(u.age_ns, 3600 * NS_PER_S);
	u.octets_max = UINT64_MAX;
	assert_int_equal(upkeep_tend(&u, db,
		(struct mono){ 9999 * NS_PER_S }, (struct wall){ 0 }, NULL),
		0);
	assert_int_equal(u.age_ns, 3960 * NS_PER_S);
	(void)sqlite3_close(db);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_database_begins_before_all),
		TEST(test_c12_rows_and_cursor_are_committed_together),
		TEST(test_c12_record_is_not_applied_twice),
		TEST(test_c12_kill_leaves_rows_and_cursor_in_step),
		TEST(test_database_skips_what_it_cannot_read_and_counts_it),
		TEST(test_database_counts_a_record_in_anothers_place),
		TEST(test_database_passes_over_kinds_that_it_does_not_know),
		TEST(test_database_keeps_gaps_by_their_range),
		TEST(test_database_keeps_each_finding_and_its_history),
		TEST(test_c02_snapshot_replaces_the_inventory),
		TEST(test_c12_what_sources_gave_is_kept_once),
		TEST(test_c09_name_of_a_switch_changes_and_nothing_else),
		TEST(test_c09_switch_goes_on_under_its_id),
		TEST(test_c09_only_the_run_goes_where_the_switch_is_known),
		TEST(test_database_has_views_with_plain_columns),
		TEST(test_c08_database_has_the_series_of_a_capsule),
		TEST(test_database_forgets_what_is_old_and_not_open),
		TEST(test_c05_finding_of_a_clock_never_set_has_a_time),
		TEST(test_c05_clock_is_known_after_a_restart),
		TEST(test_c05_what_is_old_is_so_by_the_mapped_clock),
		TEST(test_database_too_large_keeps_less),
		TEST(test_database_takes_over_tables_of_version_1),
		TEST(test_database_refuses_tables_of_another_version),
		TEST(test_database_that_is_none_is_named),
		TEST(test_database_that_was_removed_takes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
