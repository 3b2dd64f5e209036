#include "agent/collect/upkeep.h"

#include <stddef.h>

#include <sqlite3.h>

#include "agent/collect/statement.h"

#define EVERY_NS (60 * NS_PER_S)
#define ROUNDS_MAX 50		/* of ROWS_PER_ROUND, per call */
#define ROWS_PER_ROUND "2000"
#define AGE_MIN_NS (3600 * NS_PER_S)

/* An attribute as a column. */
#define ATTRIBUTE(of, name) "json_extract(" of ".attributes, '$." name "')"
#define TIME(ns) "strftime('%Y-%m-%dT%H:%M:%SZ', " ns " / 1000000000," \
	" 'unixepoch')"
/* The last run of each switch. */
#define LAST_RUNS "(SELECT max(id) FROM runs GROUP BY switch)"

static const char views[] =
	"DROP VIEW IF EXISTS open_findings;"
	"CREATE VIEW open_findings AS SELECT switches.name AS switch,"
	" findings.id AS id, subject, signature, severity,"
	" " TIME("onset_wall_ns") " AS since,"
	" json_extract(content, '$.cause') AS cause,"
	" json_extract(content, '$.action') AS action,"
	" json_extract(content, '$.drain') AS drain,"
	" json_extract(content, '$.confidence') AS confidence"
	" FROM findings JOIN switches ON switches.id = switch"
	" WHERE state <> 'cleared';"
	"DROP VIEW IF EXISTS modules;"
	"CREATE VIEW modules AS SELECT switches.name AS switch,"
	" entities.number AS cage, " ATTRIBUTE("entities", "vendor")
	" AS vendor, " ATTRIBUTE("entities", "part") " AS part, "
	ATTRIBUTE("entities", "revision") " AS revision, "
	ATTRIBUTE("entities", "serial") " AS serial, "
	ATTRIBUTE("entities", "firmware") " AS firmware, "
	ATTRIBUTE("entities", "form_factor") " AS form_factor, "
	ATTRIBUTE("entities", "media") " AS media"
	" FROM entities JOIN runs ON runs.id = entities.run"
	" JOIN switches ON switches.id = switch"
	" WHERE kind = 'module' AND NOT gone AND runs.id IN " LAST_RUNS ";"
	"DROP VIEW IF EXISTS links;"
	"CREATE VIEW links AS SELECT switches.name AS switch,"
	" entities.name AS port, " ATTRIBUTE("entities", "alias")
	" AS alias, " ATTRIBUTE("entities", "peer_switch")
	" AS peer_switch, " ATTRIBUTE("entities", "peer_port")
	" AS peer_port, " ATTRIBUTE("entities", "media") " AS media, "
	ATTRIBUTE("entities", "fec") " AS fec, "
	ATTRIBUTE("entities", "module") " AS cage"
	" FROM entities JOIN runs ON runs.id = entities.run"
	" JOIN switches ON switches.id = switch"
	" WHERE kind = 'port' AND NOT gone AND runs.id IN " LAST_RUNS ";";

/* Converts a row's run time to wall time. */
#define WALL(moment) "coalesce((SELECT wall_ns - mono_ns FROM run_clocks" \
	" WHERE run = runs.id), runs.wall_ns - runs.mono_ns) + " moment
#define OF_RUN(table, wall) \
	"DELETE FROM " table " WHERE (run, sequence) IN (SELECT " table \
	".run, sequence FROM " table " JOIN runs ON runs.id = " table ".run" \
	" WHERE " wall " < ?1" \
	" LIMIT " ROWS_PER_ROUND ")"
/* Runs that are over: all but the last of each switch. */
#define ENDED_RUNS "(SELECT id FROM runs WHERE id NOT IN " LAST_RUNS \
	" AND " WALL("runs.mono_ns") " < ?1)"

static const char *const removals[] = {
	OF_RUN("events", WALL("events.mono_ns")),
	OF_RUN("clock", WALL("clock.mono_ns")),
	OF_RUN("transitions", "transitions.when_wall_ns"),
	OF_RUN("capsules", WALL("capsules.when_mono_ns")),
	"DELETE FROM capsule_series WHERE (run, sequence, number) IN (SELECT"
	" s.run, s.sequence, number FROM capsule_series AS s LEFT JOIN"
	" capsules USING (run, sequence) WHERE finding IS NULL"
	" LIMIT " ROWS_PER_ROUND ")",
	"DELETE FROM findings WHERE (switch, id) IN (SELECT switch, id"
	" FROM findings WHERE state = 'cleared' AND when_wall_ns < ?1"
	" LIMIT " ROWS_PER_ROUND ")",
	"DELETE FROM gaps WHERE (run, stream, first) IN (SELECT run, stream,"
	" first FROM gaps WHERE run IN " ENDED_RUNS " LIMIT " ROWS_PER_ROUND
	")",
	"DELETE FROM sources WHERE (run, number) IN (SELECT run, number"
	" FROM sources WHERE run IN " ENDED_RUNS " LIMIT " ROWS_PER_ROUND
	")",
	"DELETE FROM source_quantities WHERE (run, name) IN (SELECT run, name"
	" FROM source_quantities WHERE run IN " ENDED_RUNS
	" LIMIT " ROWS_PER_ROUND ")",
	"DELETE FROM entities WHERE (run, id) IN (SELECT run, id"
	" FROM entities WHERE run IN " ENDED_RUNS " LIMIT " ROWS_PER_ROUND
	")",
};

int upkeep_views(sqlite3 *db, struct diag *d)
{
	return statement_exec(db, views, d);
}

/* Removes rows older than a wall time; only a part if there are very many. */
static int rows_remove(struct upkeep *u, sqlite3 *db, const char *sql,
		       int64_t before_ns, struct diag *d)
{
	sqlite3_stmt *stmt;
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
	int removed = 1;

	if (rc != SQLITE_OK)
		return statement_failed(db, d);
	(void)sqlite3_bind_int64(stmt, 1, before_ns);
	for (unsigned i = 0; i < ROUNDS_MAX && removed > 0; i++) {
		rc = sqlite3_step(stmt);
		removed = rc == SQLITE_DONE ? sqlite3_changes(db) : 0;
		u->removed += (uint64_t)removed;
		(void)sqlite3_reset(stmt);
	}
	(void)sqlite3_finalize(stmt);
	return rc == SQLITE_DONE ? 0 : statement_failed(db, d);
}

/* Octets in use: free pages are reused. 0: not known. */
static uint64_t octets_used(sqlite3 *db)
{
	int64_t pages = 0, unused = 0, size = 0;

	(void)statement_pragma(db, "PRAGMA page_count", &pages, NULL);
	(void)statement_pragma(db, "PRAGMA freelist_count", &unused, NULL);
	(void)statement_pragma(db, "PRAGMA page_size", &size, NULL);
	return (uint64_t)((pages - unused) * size);
}

/* Shortens it by a tenth if the database is too large, or extends it again. */
static void age_choose(struct upkeep *u, sqlite3 *db)
{
	uint64_t used = octets_used(db);

	if (u->age_ns == 0)
		u->age_ns = u->keep_ns;
	if (used > u->octets_max)
		u->age_ns -= u->age_ns / 10;
	else if (used < u->octets_max / 10 * 8)
		u->age_ns += u->age_ns / 10;
	if (u->age_ns > u->keep_ns)
		u->age_ns = u->keep_ns;
	if (u->age_ns < AGE_MIN_NS && AGE_MIN_NS < u->keep_ns)
		u->age_ns = AGE_MIN_NS;
}

bool upkeep_is_due(struct upkeep *u, sqlite3 *db, struct mono now)
{
	if (u->done.ns != 0 && mono_diff_ns(now, u->done) < EVERY_NS)
		return false;
	u->done = now;
	age_choose(u, db);
	return true;
}

int upkeep_tend(struct upkeep *u, sqlite3 *db, struct mono now,
		struct wall wall, struct diag *d)
{
	int err = 0;

	if (!upkeep_is_due(u, db, now))
		return 0;
	for (size_t i = 0; err == 0 &&
	     i < sizeof(removals) / sizeof(removals[0]); i++)
		err = rows_remove(u, db, removals[i], wall.ns - u->age_ns, d);
	return err;
}
