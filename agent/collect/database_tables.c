#include "agent/collect/database_tables.h"

#include <errno.h>
#include <stdio.h>

#include <sqlite3.h>

#include "agent/collect/statement.h"

#define SCHEMA_VERSION 4

/* run: the key of table runs. A run is hexadecimal text: SQLite's integers are
 * signed. Times are in the run's clock unless the name says wall. switch_id
 * identifies a switch; its name may change.
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
	" value INTEGER, mono_ns INTEGER, text TEXT, subject TEXT,"
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

/* What a database of the same version may lack. A capsule's payload is as in
 * petrel-record(5); its series are summarised beside it. run_clocks maps a
 * run's time to wall time. seen has when a switch was last heard, and when its
 * last record was kept; 0: not known. sources: what a run's dictionary names;
 * source_quantities: the quickest quantity that each gave.
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
	"CREATE TABLE IF NOT EXISTS seen"
	" (switch INTEGER PRIMARY KEY REFERENCES switches,"
	" heard_wall_ns INTEGER NOT NULL, record_wall_ns INTEGER NOT NULL);"
	"CREATE TABLE IF NOT EXISTS sources"
	" (run INTEGER NOT NULL REFERENCES runs, number INTEGER NOT NULL,"
	" name TEXT NOT NULL, pace_ns INTEGER NOT NULL,"
	" PRIMARY KEY (run, number)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS source_quantities"
	" (run INTEGER NOT NULL REFERENCES runs, name TEXT NOT NULL,"
	" quantity INTEGER NOT NULL, PRIMARY KEY (run, name)) WITHOUT ROWID;"
	"CREATE INDEX IF NOT EXISTS ports_by_run ON entities (run)"
	" WHERE kind = 'port';"
	"CREATE INDEX IF NOT EXISTS modules_by_run ON entities (run)"
	" WHERE kind = 'module';"
	"CREATE VIEW IF NOT EXISTS finding_capsules AS"
	" SELECT switch_id, finding, missing = 0 AS complete,"
	" capsule_series.name AS entity, quantity, place, readings,"
	" first, least, most, last FROM capsule_series"
	" JOIN capsules USING (run, sequence)"
	" JOIN runs ON runs.id = capsules.run"
	" JOIN switches ON switches.id = switch;";

/* From version 1, which identified a switch by its name only. */
#define FROM_1 \
	"CREATE TABLE switches_2 (id INTEGER PRIMARY KEY," \
	" switch_id TEXT NOT NULL UNIQUE, name TEXT NOT NULL);" \
	"INSERT INTO switches_2 SELECT id, name, name FROM switches;" \
	"DROP TABLE switches;" \
	"ALTER TABLE switches_2 RENAME TO switches;"

/* From version 2, which had no record of a finding beside its JSON: open
 * findings come with the next snapshot.
 */
#define FROM_2 \
	"ALTER TABLE findings ADD COLUMN record BLOB;" \
	"CREATE INDEX open_by_switch ON findings (switch)" \
	" WHERE state <> 'cleared';"

/* From version 3, whose events had only their entity. */
#define FROM_3 "ALTER TABLE events ADD COLUMN subject TEXT;"

/* The upgrade to this version from another one; 0: from none. */
static const char *const schema_from[SCHEMA_VERSION] = {
	schema, FROM_1 FROM_2 FROM_3, FROM_2 FROM_3, FROM_3,
};

const char *const database_statements[STATEMENT_COUNT] = {
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
		"INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
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
	[STATEMENT_SEEN_GET] =
		"SELECT switch_id, heard_wall_ns, record_wall_ns FROM seen"
		" JOIN switches ON switches.id = switch ORDER BY switch_id",
	[STATEMENT_SOURCE_SET] =
		"INSERT INTO sources VALUES (?1, ?2, ?3, ?4)"
		" ON CONFLICT DO UPDATE SET name = excluded.name,"
		" pace_ns = excluded.pace_ns WHERE name <> excluded.name"
		" OR pace_ns <> excluded.pace_ns",
	[STATEMENT_SEEN_SET] =
		"INSERT INTO seen SELECT id, ?2, ?3 FROM switches"
		" WHERE switch_id = ?1 ON CONFLICT DO UPDATE"
		" SET heard_wall_ns = excluded.heard_wall_ns,"
		" record_wall_ns = excluded.record_wall_ns"
		" WHERE heard_wall_ns <> excluded.heard_wall_ns"
		" OR record_wall_ns <> excluded.record_wall_ns",
};

int database_schema(sqlite3 *db, struct diag *d)
{
	char pragma[64];
	int64_t version = 0;
	int err = statement_pragma(db, STATEMENT_VERSION, &version, d);

	if (err < 0)
		return err;
	if (version == SCHEMA_VERSION)
		return statement_exec(db, schema_later, d);
	if (version > SCHEMA_VERSION || version < 0)
		return diag_set(d, -EIO, "tables of version %d; this collector "
				"reads version %d", (int)version,
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
	return err;
}
