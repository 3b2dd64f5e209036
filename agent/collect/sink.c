#include "agent/collect/sink.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "agent/collect/rows.h"
#include "agent/collect/statement.h"

#define SCHEMA_VERSION 2

struct sink {
	sqlite3 *db;
	struct statement_set *statements;
	bool in_transaction;
	int64_t run_id;		/* of the entry before; 0: none */
	uint64_t run;
	char switch_id[SWITCH_NAME_MAX];
	uint64_t applied[STREAM_COUNT];	/* last sequences of that run */
	uint64_t applied_stored[STREAM_COUNT];
	struct sink_count count;
};

/* run: the key of table runs. A run is hexadecimal text: SQLite's integers
 * have a sign. Times are of their run unless the name says wall. switch_id is
 * what a switch is known by; its name may change.
 */
static const char schema[] =
	"CREATE TABLE switches (id INTEGER PRIMARY KEY,"
	" switch_id TEXT NOT NULL UNIQUE, name TEXT NOT NULL);"
	"CREATE TABLE runs (id INTEGER PRIMARY KEY,"
	" switch INTEGER NOT NULL REFERENCES switches, run TEXT NOT NULL,"
	" previous_run TEXT, version TEXT, mono_ns INTEGER, wall_ns INTEGER,"
	" UNIQUE (switch, run));"
	"CREATE TABLE applied (run INTEGER NOT NULL REFERENCES runs,"
	" stream INTEGER NOT NULL, sequence INTEGER NOT NULL,"
	" PRIMARY KEY (run, stream)) WITHOUT ROWID;"
	"CREATE TABLE entities (run INTEGER NOT NULL REFERENCES runs,"
	" id INTEGER NOT NULL, kind TEXT, parent INTEGER, name TEXT,"
	" number INTEGER, gone INTEGER NOT NULL, attributes TEXT NOT NULL,"
	" PRIMARY KEY (run, id)) WITHOUT ROWID;"
	"CREATE TABLE findings (switch INTEGER NOT NULL REFERENCES switches,"
	" id TEXT NOT NULL, subject TEXT, signature TEXT, severity TEXT,"
	" state TEXT, onset_wall_ns INTEGER, when_wall_ns INTEGER,"
	" content TEXT NOT NULL, PRIMARY KEY (switch, id)) WITHOUT ROWID;"
	"CREATE TABLE transitions (run INTEGER NOT NULL REFERENCES runs,"
	" sequence INTEGER NOT NULL, finding TEXT NOT NULL, state TEXT,"
	" severity TEXT, when_wall_ns INTEGER, content TEXT NOT NULL,"
	" PRIMARY KEY (run, sequence)) WITHOUT ROWID;"
	"CREATE TABLE events (run INTEGER NOT NULL REFERENCES runs,"
	" sequence INTEGER NOT NULL, entity INTEGER, what TEXT,"
	" value INTEGER, mono_ns INTEGER, text TEXT,"
	" PRIMARY KEY (run, sequence)) WITHOUT ROWID;"
	"CREATE TABLE clock (run INTEGER NOT NULL REFERENCES runs,"
	" sequence INTEGER NOT NULL, mono_ns INTEGER, wall_ns INTEGER,"
	" error_ns INTEGER, is_set INTEGER,"
	" PRIMARY KEY (run, sequence)) WITHOUT ROWID;"
	"CREATE TABLE gaps (run INTEGER NOT NULL REFERENCES runs,"
	" stream TEXT NOT NULL, first INTEGER NOT NULL,"
	" last INTEGER NOT NULL, PRIMARY KEY (run, stream, first))"
	" WITHOUT ROWID;"
	"CREATE TABLE cursor (id INTEGER PRIMARY KEY CHECK (id = 1),"
	" segment INTEGER NOT NULL, place INTEGER NOT NULL);"
	"INSERT INTO cursor VALUES (1, 0, 0);";

/* From version 1, where the name was all that a switch was known by. */
static const char schema_from_1[] =
	"CREATE TABLE switches_2 (id INTEGER PRIMARY KEY,"
	" switch_id TEXT NOT NULL UNIQUE, name TEXT NOT NULL);"
	"INSERT INTO switches_2 SELECT id, name, name FROM switches;"
	"DROP TABLE switches;"
	"ALTER TABLE switches_2 RENAME TO switches;";

static int sql_run(struct sink *s, const char *sql, struct diag *d)
{
	if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	return diag_set(d, -EIO, "database: %s", sqlite3_errmsg(s->db));
}

static int version_get(struct sink *s, int *ret, struct diag *d)
{
	sqlite3_stmt *stmt = NULL;

	if (sqlite3_prepare_v2(s->db, "PRAGMA user_version", -1, &stmt,
			       NULL) != SQLITE_OK ||
	    sqlite3_step(stmt) != SQLITE_ROW) {
		(void)sqlite3_finalize(stmt);
		return diag_set(d, -EIO, "database: %s", sqlite3_errmsg(s->db));
	}
	*ret = sqlite3_column_int(stmt, 0);
	(void)sqlite3_finalize(stmt);
	return 0;
}

static int schema_settle(struct sink *s, const char *path, struct diag *d)
{
	char sql[64];
	int version = 0;
	int err = version_get(s, &version, d);

	if (err < 0)
		return diag_prefix(d, err, "%s", path);
	if (version == SCHEMA_VERSION)
		return 0;
	if (version > SCHEMA_VERSION || version < 0)
		return diag_set(d, -EIO, "%s: tables of version %d; this "
				"collector knows %d", path, version,
				SCHEMA_VERSION);
	(void)snprintf(sql, sizeof(sql), "PRAGMA user_version = %d",
		       SCHEMA_VERSION);
	err = sql_run(s, "BEGIN IMMEDIATE", d);
	if (err == 0)
		err = sql_run(s, version == 1 ? schema_from_1 : schema, d);
	if (err == 0)
		err = sql_run(s, sql, d);
	if (err == 0)
		err = sql_run(s, "COMMIT", d);
	return err < 0 ? diag_prefix(d, err, "%s", path) : 0;
}

int sink_open(const char *path, struct sink **ret, struct diag *d)
{
	struct sink *s = calloc(1, sizeof(*s));
	int err = -EIO;

	if (!s)
		return diag_set(d, -ENOMEM, "%s: out of memory", path);
	if (sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE |
			    SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK) {
		(void)diag_set(d, err, "%s: %s", path, sqlite3_errmsg(s->db));
		goto fail;
	}
	(void)sqlite3_busy_timeout(s->db, 1000);
	/* the spool makes good what a power cut takes from here */
	err = sql_run(s, "PRAGMA journal_mode = WAL;"
			 "PRAGMA synchronous = NORMAL;", d);
	if (err == 0)
		err = schema_settle(s, path, d);
	if (err == 0)
		err = statement_set_new(s->db, &s->statements, d);
	if (err < 0)
		goto fail;
	*ret = s;
	return 0;
fail:
	sink_close(s);
	return err;
}

void sink_close(struct sink *s)
{
	if (!s)
		return;
	sink_back(s);
	statement_set_free(s->statements);
	(void)sqlite3_close(s->db);
	free(s);
}

int sink_cursor(struct sink *s, struct place *ret, struct diag *d)
{
	int64_t segment, offset;
	int err = statement_get(s->statements, STATEMENT_CURSOR_GET, &segment,
				&offset, d, "");

	if (err < 0)
		return err;
	*ret = (struct place){ (uint64_t)segment, (uint64_t)offset };
	return 0;
}

/* The key of a run, made when it is new. */
static int run_key(struct sink *s, const struct entry *e, int64_t *ret,
		   struct diag *d)
{
	char run[17];
	int err;

	(void)snprintf(run, sizeof(run), "%016" PRIx64, e->run);
	err = statement_run(s->statements, STATEMENT_SWITCH_ADD, d, "t",
			    e->switch_id);
	if (err == 0)
		err = statement_run(s->statements, STATEMENT_RUN_ADD, d, "tt",
				    run, e->switch_id);
	if (err == 0)
		err = statement_get(s->statements, STATEMENT_RUN_FIND, ret,
				    NULL, d, "tt", run, e->switch_id);
	return err;
}

static int applied_load(struct sink *s, struct diag *d)
{
	for (unsigned i = 0; i < STREAM_COUNT; i++) {
		int64_t last = 0;
		int err = statement_get(s->statements, STATEMENT_APPLIED_GET,
					&last, NULL, d, "ii", s->run_id,
					(int64_t)i);

		if (err < 0 && err != -ENODATA)
			return err;
		s->applied[i] = s->applied_stored[i] = (uint64_t)last;
	}
	return 0;
}

static int applied_store(struct sink *s, struct diag *d)
{
	for (unsigned i = 0; i < STREAM_COUNT && s->run_id; i++) {
		int err;

		if (s->applied[i] == s->applied_stored[i])
			continue;
		err = statement_run(s->statements, STATEMENT_APPLIED_SET, d,
				    "iii", s->run_id, (int64_t)i,
				    (int64_t)s->applied[i]);
		if (err < 0)
			return err;
		s->applied_stored[i] = s->applied[i];
	}
	return 0;
}

/* Makes the run of an entry the one that is worked on. */
static int run_enter(struct sink *s, const struct entry *e, struct diag *d)
{
	int err;

	if (s->run_id && s->run == e->run &&
	    strcmp(s->switch_id, e->switch_id) == 0)
		return 0;
	err = applied_store(s, d);
	if (err == 0)
		err = run_key(s, e, &s->run_id, d);
	if (err == 0)
		err = applied_load(s, d);
	if (err < 0)
		return err;
	s->run = e->run;
	(void)strcpy(s->switch_id, e->switch_id);
	return 0;
}

/* A run that goes on under another id. Where that switch is new, all of the
 * former one is it; else this run alone, with what it found.
 */
static int run_move(struct sink *s, const struct entry *e,
		    const char *former_id, struct diag *d)
{
	int64_t run, former;
	char text[17];
	int err;

	(void)snprintf(text, sizeof(text), "%016" PRIx64, e->run);
	err = statement_get(s->statements, STATEMENT_RUN_FIND, &run, &former,
			    d, "tt", text, former_id);
	if (err < 0)
		return err == -ENODATA ? 0 : err;
	err = statement_run(s->statements, STATEMENT_SWITCH_RENAME, d, "tt",
			    former_id, e->switch_id);
	if (err == 0)
		err = statement_run(s->statements, STATEMENT_FINDINGS_MOVE, d,
				    "iit", run, former, e->switch_id);
	if (err == 0)
		err = statement_run(s->statements, STATEMENT_RUN_MOVE, d, "it",
				    run, e->switch_id);
	return err;
}

static int identity_apply(struct sink *s, const struct entry *e,
			  struct diag *d)
{
	struct entry_identity identity;
	int err = applied_store(s, d);

	if (entry_identity_read(e, &identity) < 0)
		return err;
	s->run_id = 0;		/* it may be what moves */
	if (err == 0 && identity.former_id[0])
		err = run_move(s, e, identity.former_id, d);
	if (err == 0)
		err = statement_run(s->statements, STATEMENT_SWITCH_ADD, d,
				    "t", e->switch_id);
	if (err == 0)
		err = statement_run(s->statements, STATEMENT_SWITCH_NAME, d,
				    "tt", e->switch_id, identity.name);
	return err;
}

static int record_apply(struct sink *s, const struct record_header *h,
			const uint8_t *payload, struct diag *d)
{
	int err;

	if (h->last <= s->applied[h->stream]) {
		s->count.repeats++;
		return 0;
	}
	err = rows_apply(s->statements, s->run_id, h, payload, d);
	s->count.unreadable += err == -EBADMSG || err == -ENOMEM;
	s->count.misnumbered += err == -EILSEQ;
	if (err == -EIO)
		return err;
	s->applied[h->stream] = h->last;
	s->count.applied++;
	return 0;
}

int sink_entry(struct sink *s, const struct entry *e, struct diag *d)
{
	struct cursor c = cursor_of(e->body, e->len);
	int err = 0;

	if (!s->in_transaction) {
		err = sql_run(s, "BEGIN IMMEDIATE", d);
		s->in_transaction = err == 0;
	}
	if (err == 0 && e->kind == ENTRY_POSITIONS)
		return identity_apply(s, e, d);
	if (err < 0 || e->kind != ENTRY_RECORDS)
		return err;
	err = run_enter(s, e, d);
	while (err == 0 && cursor_left(&c) > 0) {
		struct record_header h;
		const uint8_t *payload;

		if (record_read(&c, &h, &payload) < 0)
			break;		/* the entry's CRC was good */
		err = record_apply(s, &h, payload, d);
	}
	return err;
}

int sink_commit(struct sink *s, struct place at, struct diag *d)
{
	int err = 0;

	if (!s->in_transaction)
		err = sql_run(s, "BEGIN IMMEDIATE", d);
	if (err < 0)
		return err;
	s->in_transaction = true;
	err = applied_store(s, d);
	if (err == 0)
		err = statement_run(s->statements, STATEMENT_CURSOR_SET, d,
				    "ii", (int64_t)at.segment,
				    (int64_t)at.offset);
	if (err == 0)
		err = sql_run(s, "COMMIT", d);
	if (err == 0)
		s->in_transaction = false;
	return err;
}

void sink_back(struct sink *s)
{
	if (s->in_transaction)
		(void)sql_run(s, "ROLLBACK", NULL);	/* or it is gone */
	s->in_transaction = false;
	s->run_id = 0;		/* it may have been made in there */
}

void sink_count(const struct sink *s, struct sink_count *ret)
{
	*ret = s->count;
}
