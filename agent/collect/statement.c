#include "agent/collect/statement.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <sqlite3.h>

#define SCHEMA_VERSION 3

struct statement_set {
	sqlite3 *db;
	sqlite3_stmt *stmt[STATEMENT_COUNT];
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
	" content TEXT NOT NULL, record BLOB, PRIMARY KEY (switch, id))"
	" WITHOUT ROWID;"
	"CREATE INDEX open_by_switch ON findings (switch)"
	" WHERE state <> 'cleared';"
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

/* What a database of the same version may lack. A capsule's payload is as
 * petrel-record(5) has it; its series stand beside it in short. What wall time
 * a time of a run was goes by run_clocks.
 */
static const char schema_later[] =
	"CREATE TABLE IF NOT EXISTS capsules"
	" (run INTEGER NOT NULL REFERENCES runs, sequence INTEGER NOT NULL,"
	" finding TEXT NOT NULL, part INTEGER NOT NULL, parts INTEGER NOT NULL,"
	" missing INTEGER NOT NULL, from_mono_ns INTEGER, to_mono_ns INTEGER,"
	" when_mono_ns INTEGER, payload BLOB NOT NULL,"
	" PRIMARY KEY (run, sequence)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS capsule_series"
	" (run INTEGER NOT NULL REFERENCES runs, sequence INTEGER NOT NULL,"
	" number INTEGER NOT NULL, entity INTEGER, name TEXT, quantity TEXT,"
	" place INTEGER, readings INTEGER, first INTEGER, least INTEGER,"
	" most INTEGER, last INTEGER,"
	" PRIMARY KEY (run, sequence, number)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS run_clocks"
	" (run INTEGER PRIMARY KEY REFERENCES runs, mono_ns INTEGER,"
	" wall_ns INTEGER, is_set INTEGER);"
	"CREATE VIEW IF NOT EXISTS finding_capsules AS"
	" SELECT switch_id, finding, missing = 0 AS complete,"
	" capsule_series.name AS entity, quantity, place, readings,"
	" first, least, most, last FROM capsule_series"
	" JOIN capsules USING (run, sequence)"
	" JOIN runs ON runs.id = capsules.run"
	" JOIN switches ON switches.id = switch;";

/* From version 1, where the name was all that a switch was known by. */
#define FROM_1 \
	"CREATE TABLE switches_2 (id INTEGER PRIMARY KEY," \
	" switch_id TEXT NOT NULL UNIQUE, name TEXT NOT NULL);" \
	"INSERT INTO switches_2 SELECT id, name, name FROM switches;" \
	"DROP TABLE switches;" \
	"ALTER TABLE switches_2 RENAME TO switches;"

/* From version 2, which had no record of a finding beside its JSON: those that
 * are open come with the next snapshot.
 */
#define FROM_2 \
	"ALTER TABLE findings ADD COLUMN record BLOB;" \
	"CREATE INDEX open_by_switch ON findings (switch)" \
	" WHERE state <> 'cleared';"

/* What makes the tables of this version of those of another; 0: of none. */
static const char *const schema_from[SCHEMA_VERSION] = {
	schema, FROM_1 FROM_2, FROM_2,
};

static const char *const sql[STATEMENT_COUNT] = {
	[STATEMENT_CURSOR_GET] = "SELECT segment, place FROM cursor",
	[STATEMENT_CURSOR_SET] = "UPDATE cursor SET segment = ?1, place = ?2",
	[STATEMENT_SWITCH_ADD] =
		"INSERT OR IGNORE INTO switches (switch_id, name)"
		" VALUES (?1, ?1)",
	[STATEMENT_SWITCH_NAME] =
		"UPDATE switches SET name = ?2 WHERE switch_id = ?1",
	[STATEMENT_SWITCH_RENAME] =
		"UPDATE OR IGNORE switches SET switch_id = ?2"
		" WHERE switch_id = ?1",
	[STATEMENT_RUN_ADD] =
		"INSERT OR IGNORE INTO runs (run, switch)"
		" SELECT ?1, id FROM switches WHERE switch_id = ?2",
	[STATEMENT_RUN_FIND] =
		"SELECT runs.id, switch FROM runs JOIN switches"
		" ON switches.id = switch WHERE run = ?1 AND switch_id = ?2",
	[STATEMENT_FINDINGS_MOVE] =
		"UPDATE OR REPLACE findings SET switch ="
		" (SELECT id FROM switches WHERE switch_id = ?3)"
		" WHERE switch = ?2 AND id IN"
		" (SELECT finding FROM transitions WHERE run = ?1)",
	[STATEMENT_RUN_MOVE] =
		"UPDATE OR IGNORE runs SET switch ="
		" (SELECT id FROM switches WHERE switch_id = ?2)"
		" WHERE id = ?1",
	[STATEMENT_RUN_SET] =
		"UPDATE runs SET previous_run = ?2, version = ?3,"
		" mono_ns = ?4, wall_ns = ?5 WHERE id = ?1",
	[STATEMENT_APPLIED_GET] =
		"SELECT sequence FROM applied WHERE run = ?1 AND stream = ?2",
	[STATEMENT_APPLIED_SET] =
		"INSERT INTO applied VALUES (?1, ?2, ?3)"
		" ON CONFLICT DO UPDATE SET sequence = excluded.sequence",
	[STATEMENT_ENTITIES_GONE] =
		"UPDATE entities SET gone = 1 WHERE run = ?1",
	[STATEMENT_ENTITY_SET] =
		"INSERT OR REPLACE INTO entities"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
	[STATEMENT_FINDING_SET] =
		"INSERT OR REPLACE INTO findings SELECT switch, ?2, ?3, ?4,"
		" ?5, ?6, ?7, ?8, ?9, ?10 FROM runs WHERE id = ?1",
	[STATEMENT_TRANSITION_ADD] =
		"INSERT INTO transitions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
	[STATEMENT_EVENT_ADD] =
		"INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
	[STATEMENT_CLOCK_ADD] =
		"INSERT INTO clock VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
	[STATEMENT_RUN_CLOCK_SET] =
		"INSERT OR REPLACE INTO run_clocks VALUES (?1, ?2, ?3, ?4)",
	[STATEMENT_RUN_CLOCK_GET] =
		"SELECT mono_ns, wall_ns FROM run_clocks"
		" WHERE run = ?1 AND is_set = ?2",
	[STATEMENT_GAP_ADD] = "INSERT INTO gaps VALUES (?1, ?2, ?3, ?4)",
	[STATEMENT_CAPSULE_ADD] =
		"INSERT INTO capsules VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,"
		" ?9, ?10)",
	[STATEMENT_CAPSULE_SERIES_ADD] =
		"INSERT INTO capsule_series VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7,"
		" ?8, ?9, ?10, ?11, ?12)",
};

int statement_exec(sqlite3 *db, const char *text, struct diag *d)
{
	if (sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	return diag_set(d, -EIO, "database: %s", sqlite3_errmsg(db));
}

static int version_get(sqlite3 *db, int *ret, struct diag *d)
{
	sqlite3_stmt *stmt = NULL;

	if (sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &stmt,
			       NULL) != SQLITE_OK ||
	    sqlite3_step(stmt) != SQLITE_ROW) {
		(void)sqlite3_finalize(stmt);
		return diag_set(d, -EIO, "database: %s", sqlite3_errmsg(db));
	}
	*ret = sqlite3_column_int(stmt, 0);
	(void)sqlite3_finalize(stmt);
	return 0;
}

int statement_schema(sqlite3 *db, const char *path, struct diag *d)
{
	char pragma[64];
	int version = 0;
	int err = version_get(db, &version, d);

	if (err < 0)
		return diag_prefix(d, err, "%s", path);
	if (version == SCHEMA_VERSION)
		return statement_exec(db, schema_later, d);
	if (version > SCHEMA_VERSION || version < 0)
		return diag_set(d, -EIO, "%s: tables of version %d; this "
				"collector knows %d", path, version,
				SCHEMA_VERSION);
	(void)snprintf(pragma, sizeof(pragma), "PRAGMA user_version = %d",
		       SCHEMA_VERSION);
	err = statement_exec(db, "BEGIN IMMEDIATE", d);
	if (err == 0)
		err = statement_exec(db, schema_from[version], d);
	if (err == 0)
		err = statement_exec(db, schema_later, d);
	if (err == 0)
		err = statement_exec(db, pragma, d);
	if (err == 0)
		err = statement_exec(db, "COMMIT", d);
	return err < 0 ? diag_prefix(d, err, "%s", path) : 0;
}

int statement_set_new(sqlite3 *db, struct statement_set **ret, struct diag *d)
{
	struct statement_set *s = calloc(1, sizeof(*s));

	if (!s)
		return diag_set(d, -ENOMEM, "database: out of memory");
	s->db = db;
	for (unsigned i = 0; i < STATEMENT_COUNT; i++) {
		if (sqlite3_prepare_v3(db, sql[i], -1,
				       SQLITE_PREPARE_PERSISTENT, &s->stmt[i],
				       NULL) == SQLITE_OK)
			continue;
		(void)diag_set(d, -EIO, "database: %s", sqlite3_errmsg(db));
		statement_set_free(s);
		return -EIO;
	}
	*ret = s;
	return 0;
}

void statement_set_free(struct statement_set *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < STATEMENT_COUNT; i++)
		(void)sqlite3_finalize(s->stmt[i]);	/* told before */
	free(s);
}

static int bind(sqlite3_stmt *stmt, const char *types, va_list args)
{
	int rc = SQLITE_OK;

	for (int i = 0; types[i] && rc == SQLITE_OK; i++) {
		const struct statement_octets *octets;

		if (types[i] == 'o') {
			octets = va_arg(args, const struct statement_octets *);
			rc = sqlite3_bind_blob64(stmt, i + 1, octets->data,
						 octets->len,
						 SQLITE_TRANSIENT);
		} else if (types[i] == 't') {
			rc = sqlite3_bind_text(stmt, i + 1,
					       va_arg(args, const char *), -1,
					       SQLITE_TRANSIENT);
		} else {
			rc = sqlite3_bind_int64(stmt, i + 1,
						va_arg(args, int64_t));
		}
	}
	return rc;
}

/* One step; a row's first columns. */
static int step(struct statement_set *s, enum statement which, int64_t *ret,
		int64_t *ret_2, struct diag *d, const char *types,
		va_list args)
{
	sqlite3_stmt *stmt = s->stmt[which];
	int rc = bind(stmt, types, args);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW && ret)
		*ret = sqlite3_column_int64(stmt, 0);
	if (rc == SQLITE_ROW && ret_2)
		*ret_2 = sqlite3_column_int64(stmt, 1);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		(void)diag_set(d, -EIO, "database: %s", sqlite3_errmsg(s->db));
	(void)sqlite3_reset(stmt);	/* repeats the error just told */
	(void)sqlite3_clear_bindings(stmt);
	if (rc == SQLITE_ROW)
		return 0;
	return rc == SQLITE_DONE ? -ENODATA : -EIO;
}

int statement_run(struct statement_set *s, enum statement which,
		  struct diag *d, const char *types, ...)
{
	va_list args;
	int err;

	va_start(args, types);
	err = step(s, which, NULL, NULL, d, types, args);
	va_end(args);
	return err == -ENODATA ? 0 : err;
}

int statement_get(struct statement_set *s, enum statement which,
		  int64_t *ret, int64_t *ret_2, struct diag *d,
		  const char *types, ...)
{
	va_list args;
	int err;

	va_start(args, types);
	err = step(s, which, ret, ret_2, d, types, args);
	va_end(args);
	return err;
}
