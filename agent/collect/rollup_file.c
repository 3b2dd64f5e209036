#include "agent/collect/rollup_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "agent/collect/statement.h"
#include "agent/collect/upkeep.h"
#include "petrel/entity.h"
#include "petrel/quantity.h"

#define SCHEMA_VERSION 1
#define RATE_SCALE "1000.0"	/* rates are in thousandths */
#define MINUTES_AT_ONCE "900"	/* seconds of spans per removal */
#define QUARTERS_AT_ONCE "10800"

struct rollup_file {
	struct statement_set *statements;
	struct upkeep upkeep;
};

/* --- tables --------------------------------------------------------------- */

/* By time first: a minute is written, and removed, in one place. */
#define SPAN_COLUMNS \
	" (end_s INTEGER NOT NULL, switch INTEGER NOT NULL REFERENCES" \
	" switches, series INTEGER NOT NULL, mean INTEGER NOT NULL," \
	" least INTEGER NOT NULL, most INTEGER NOT NULL," \
	" last INTEGER NOT NULL, readings INTEGER NOT NULL," \
	" quality INTEGER NOT NULL, PRIMARY KEY (end_s, switch, series))" \
	" WITHOUT ROWID;"
#define SCALED(column) \
	"CASE rate WHEN 1 THEN " column " / " RATE_SCALE " ELSE " column \
	" END AS " column
/* A view with plain columns; switch is a name. */
#define VIEW_OF(table, view) \
	"CREATE VIEW IF NOT EXISTS " view " AS SELECT" \
	" strftime('%Y-%m-%dT%H:%M:%SZ', end_s, 'unixepoch') AS time," \
	" switches.name AS switch, switch_id, entity, quantity, place, unit," \
	" " SCALED("least") ", " SCALED("most") ", " SCALED("mean") "," \
	" " SCALED("last") ", readings, end_s FROM " table \
	" JOIN switches ON switches.id = " table ".switch JOIN series" \
	" ON series.switch = " table ".switch AND series.id = series;"

static const char schema[] =
	"CREATE TABLE IF NOT EXISTS switches (id INTEGER PRIMARY KEY,"
	" switch_id TEXT NOT NULL UNIQUE, name TEXT NOT NULL);"
	"CREATE TABLE IF NOT EXISTS runs (switch INTEGER NOT NULL REFERENCES"
	" switches, run TEXT NOT NULL, batch_ns INTEGER NOT NULL,"
	" end_s INTEGER NOT NULL, PRIMARY KEY (switch, run)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS series (switch INTEGER NOT NULL REFERENCES"
	" switches, id INTEGER NOT NULL, entity TEXT NOT NULL,"
	" quantity TEXT NOT NULL, place INTEGER NOT NULL, unit TEXT NOT NULL,"
	" rate INTEGER NOT NULL, PRIMARY KEY (switch, id),"
	" UNIQUE (switch, entity, quantity, place)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS minutes" SPAN_COLUMNS
	"CREATE TABLE IF NOT EXISTS quarters" SPAN_COLUMNS
	"CREATE TABLE IF NOT EXISTS cursor"
	" (id INTEGER PRIMARY KEY CHECK (id = 1),"
	" segment INTEGER NOT NULL, place INTEGER NOT NULL);"
	"INSERT OR IGNORE INTO cursor VALUES (1, 0, 0);"
	VIEW_OF("minutes", "rollups_1m")
	VIEW_OF("quarters", "rollups_15m")
	"PRAGMA user_version = 1;";

/* Enumerates the seconds at which spans may end, to join spans to them. */
#define STEPS(name, from, to, step) \
	name " (e) AS (SELECT " from " UNION ALL SELECT e + " step " FROM " \
	name " WHERE e + " step " <= " to ")"
/* For one series, the spans of a table that end at those steps. */
#define SPANS_OF(table, steps, to, span) \
	" SELECT end_s, mean, least, most, last, readings, quality, " span \
	" FROM which CROSS JOIN " steps " CROSS JOIN " table \
	" ON end_s = e AND switch = of AND series = number WHERE e <= " to

static const char *const texts[ROLLUP_STATEMENTS] = {
	[ROLLUP_CURSOR_GET] = "SELECT segment, place FROM cursor",
	[ROLLUP_CURSOR_SET] = "UPDATE cursor SET segment = ?1, place = ?2",
	[ROLLUP_SWITCH_ADD] = "INSERT INTO switches (switch_id, name) VALUES (?1, ?2)"
		" ON CONFLICT DO UPDATE SET name = excluded.name"
		" WHERE name <> excluded.name",
	[ROLLUP_SWITCH_RENAME] = "UPDATE OR IGNORE switches SET switch_id = ?2"
		" WHERE switch_id = ?1",
	[ROLLUP_SWITCH_GET] = "SELECT id FROM switches WHERE switch_id = ?1",
	[ROLLUP_WRITTEN_GET] = "SELECT batch_ns FROM runs"
		" WHERE switch = ?1 AND run = ?2",
	[ROLLUP_WRITTEN_SET] = "INSERT OR REPLACE INTO runs VALUES (?1, ?2, ?3, ?4)",
	[ROLLUP_SERIES_ADD] = "INSERT OR IGNORE INTO series SELECT ?1,"
		" 1 + coalesce((SELECT max(id) FROM series WHERE switch = ?1),"
		" 0), ?2, ?3, ?4, ?5, ?6",
	[ROLLUP_SERIES_GET] = "SELECT id FROM series WHERE switch = ?1"
		" AND entity = ?2 AND quantity = ?3 AND place = ?4",
	[ROLLUP_MINUTE_ADD] = "INSERT INTO minutes"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
		" ON CONFLICT DO UPDATE SET"
		" mean = CAST(round((1.0 * mean * readings +"
		" 1.0 * excluded.mean * excluded.readings) /"
		" (readings + excluded.readings)) AS INTEGER),"
		" least = min(least, excluded.least),"
		" most = max(most, excluded.most), last = excluded.last,"
		" readings = readings + excluded.readings,"
		" quality = max(quality, excluded.quality)",
	[ROLLUP_QUARTER_MAKE] = "INSERT OR REPLACE INTO quarters"
		" WITH RECURSIVE" STEPS(" steps", "?1 - 840", "?1", "60")
		" SELECT ?1, ?2, number, mean, least, most, (SELECT last FROM"
		" minutes WHERE end_s = at AND switch = ?2 AND"
		" series = number), readings, quality FROM"
		" (SELECT series AS number, CAST(round(sum(1.0 * mean *"
		" readings) / sum(readings)) AS INTEGER) AS mean,"
		" min(least) AS least, max(most) AS most, max(end_s) AS at,"
		" sum(readings) AS readings, max(quality) AS quality"
		" FROM steps CROSS JOIN minutes ON end_s = e AND switch = ?2"
		" GROUP BY series)",
	[ROLLUP_MINUTES_REMOVE] = "DELETE FROM minutes WHERE end_s < min(?1,"
		" (SELECT min(end_s) FROM minutes) + " MINUTES_AT_ONCE ")",
	[ROLLUP_QUARTERS_REMOVE] = "DELETE FROM quarters WHERE end_s < min(?1,"
		" (SELECT min(end_s) FROM quarters) + " QUARTERS_AT_ONCE ")",
	[ROLLUP_RUNS_REMOVE] = "DELETE FROM runs WHERE end_s < ?1",
	[ROLLUP_SERIES_REMOVE] = "DELETE FROM series WHERE switch NOT IN"
		" (SELECT switch FROM runs)",
	[ROLLUP_FIRST_QUARTER] = "SELECT min(end_s) FROM quarters",
	[ROLLUP_LAST_QUARTER] = "SELECT max(end_s) FROM quarters",
	[ROLLUP_FIRST_MINUTE] = "SELECT min(end_s) FROM minutes",
	/* ?5 to ?6 by quarters, ?7 to ?8 by minutes */
	[ROLLUP_SPANS_READ] = "WITH RECURSIVE which (of, number) AS (SELECT"
		" series.switch, series.id FROM series JOIN switches ON"
		" switches.id = series.switch WHERE switch_id = ?1 AND"
		" entity = ?2 AND quantity = ?3 AND place = ?4),"
		STEPS(" q", "?5", "?6", "900") ","
		STEPS(" m", "?7", "?8", "60")
		" SELECT * FROM (SELECT * FROM ("
		SPANS_OF("quarters", "q", "?6", "900") " UNION ALL"
		SPANS_OF("minutes", "m", "?8", "60") ")"
		" ORDER BY end_s DESC LIMIT ?9) ORDER BY end_s",
};

static int schema_make(sqlite3 *db, struct diag *d)
{
	int64_t version = 0;
	int err = statement_pragma(db, STATEMENT_VERSION, &version, d);

	if (err == 0 && version != 0 && version != SCHEMA_VERSION)
		err = diag_set(d, -EIO, "tables of version %d; this collector "
			       "reads version %d", (int)version,
			       SCHEMA_VERSION);
	if (err == 0 && version == 0)
		err = statement_exec(db, schema, d);
	return err;
}

void rollup_path(const char *database, char ret[static ROLLUP_PATH_MAX])
{
	size_t len = strlen(database);

	if (len > 3 && strcmp(database + len - 3, ".db") == 0)
		len -= 3;
	(void)snprintf(ret, ROLLUP_PATH_MAX, "%.*s-rollups.db", (int)len,
		       database);
}

int rollup_file_open(const char *path, bool reads_only,
		     struct rollup_file **ret, struct diag *d)
{
	const struct statement_env env = { path, texts, ROLLUP_STATEMENTS,
					   reads_only ? NULL : schema_make };
	struct rollup_file *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return diag_set(d, -ENOMEM, "%s: out of memory", path);
	err = statement_set_open(&env, &f->statements, d);
	if (err < 0) {
		free(f);
		return err;
	}
	*ret = f;
	return 0;
}

void rollup_file_close(struct rollup_file *f)
{
	if (!f)
		return;
	statement_set_close(f->statements);
	free(f);
}

struct statement_set *rollup_file_statements(const struct rollup_file *f)
{
	return f->statements;
}

/* The path of names, from the top down. */
#define DEPTH_MAX 8
bool rollup_entity(rollup_entity_fn *fn, const void *of, uint32_t id,
		   char ret[static ROLLUP_ENTITY_MAX])
{
	struct known_entity level[DEPTH_MAX];
	unsigned depth = 0;
	size_t len = 0;

	for (; depth < DEPTH_MAX && fn(of, id, &level[depth]) &&
	     level[depth].kind != ENTITY_SWITCH; depth++)
		id = level[depth].parent;
	if (depth == DEPTH_MAX || (depth == 0 && !fn(of, id, &level[0])))
		return false;
	(void)strcpy(ret, "switch");
	while (depth-- > 0 && len < ROLLUP_ENTITY_MAX) {
		const struct known_entity *e = &level[depth];
		const char *kind = entity_kind_name((enum entity_kind)e->kind);

		len += (size_t)(e->name && e->name[0] ?
			snprintf(ret + len, ROLLUP_ENTITY_MAX - len, "%s%s",
				 len ? "/" : "", e->name) :
			snprintf(ret + len, ROLLUP_ENTITY_MAX - len, "%s%s %u",
				 len ? "/" : "", kind ? kind : "?",
				 e->number));
	}
	return len < ROLLUP_ENTITY_MAX;
}

/* --- size ----------------------------------------------------------------- */

int rollup_file_tend(struct rollup_file *f, const struct rollup_bounds *b,
		     struct clock_reading now, struct diag *d)
{
	static const enum rollup_statement removals[] = {
		ROLLUP_MINUTES_REMOVE, ROLLUP_QUARTERS_REMOVE,
		ROLLUP_RUNS_REMOVE,
	};
	struct upkeep *u = &f->upkeep;
	int64_t quarters_ns;
	int err = 0;

	u->keep_ns = b->minutes_ns;
	u->octets_max = b->octets_max;
	if (!upkeep_is_due(u, statement_db(f->statements), now.mono))
		return 0;
	quarters_ns = (int64_t)((double)b->quarters_ns * (double)u->age_ns /
				(double)u->keep_ns);
	for (size_t i = 0; err == 0 &&
	     i < sizeof(removals) / sizeof(removals[0]); i++)
		err = statement_run(f->statements, removals[i], d, "i",
				    (now.wall.ns - (i ? quarters_ns :
						    u->age_ns)) / NS_PER_S);
	return err < 0 ? err :
	       statement_run(f->statements, ROLLUP_SERIES_REMOVE, d, "");
}

/* --- reading -------------------------------------------------------------- */

struct span_reader {
	rollup_span_fn *fn;
	void *context;
};

static int span_take(void *context, sqlite3_stmt *row)
{
	const struct span_reader *r = context;
	int64_t v[8];

	for (int i = 0; i < 8; i++)
		v[i] = sqlite3_column_int64(row, i);
	return r->fn(r->context, &(struct rollup_span){
			.end_s = v[0], .mean = v[1], .least = v[2],
			.most = v[3], .last = v[4], .readings = v[5],
			.quality = v[6], .span_s = v[7] });
}

/* The first end of a quarter, or a minute, that is not before s. */
static int64_t end_of(int64_t s, int64_t span_s)
{
	return (s + span_s - 1) / span_s * span_s;
}

int rollup_file_reach(struct rollup_file *f, int64_t *ret_quarter_s,
		      int64_t *ret_minute_s, struct diag *d)
{
	int err = statement_get(f->statements, ROLLUP_FIRST_QUARTER,
				ret_quarter_s, NULL, d, "");

	return err < 0 ? err : statement_get(f->statements, ROLLUP_FIRST_MINUTE,
					     ret_minute_s, NULL, d, "");
}

int rollup_file_read(struct rollup_file *f, const char *switch_id,
		     const struct rollup_series *s, int64_t from_s,
		     int64_t to_s, int64_t limit, rollup_span_fn *fn,
		     void *context, struct diag *d)
{
	struct span_reader r = { fn, context };
	int64_t quarter_s, last_s = 0, minute_s, first_s, border_s;
	int err = rollup_file_reach(f, &quarter_s, &minute_s, d);

	if (err == 0)
		err = statement_get(f->statements, ROLLUP_LAST_QUARTER, &last_s,
				    NULL, d, "");
	if (err < 0 || (!quarter_s && !minute_s))
		return err;
	first_s = quarter_s ? quarter_s - ROLLUP_QUARTER_S :
			      minute_s - ROLLUP_MINUTE_S;
	if (from_s < first_s)
		from_s = first_s;
	/* the quarter in which the minutes begin is complete, if it is made */
	border_s = end_of(minute_s ? minute_s : to_s, ROLLUP_QUARTER_S);
	if (minute_s && border_s > last_s)
		border_s -= ROLLUP_QUARTER_S;
	if (minute_s && (!quarter_s || from_s >= minute_s - ROLLUP_MINUTE_S))
		border_s = from_s;
	return statement_each(f->statements, ROLLUP_SPANS_READ, d, span_take,
			      &r, "ttti" "iiiii", switch_id, s->entity,
			      s->info->name, (int64_t)s->index,
			      end_of(from_s + 1, ROLLUP_QUARTER_S), border_s,
			      end_of(border_s + 1, ROLLUP_MINUTE_S), to_s,
			      limit);
}
