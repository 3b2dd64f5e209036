#include "agent/collect/statement.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <sqlite3.h>

#define BUSY_MS 1000

struct statement_set {
	sqlite3 *db;
	bool is_open;		/* the transaction */
	unsigned count;
	sqlite3_stmt *stmt[];
};

int statement_failed(sqlite3 *db, struct diag *d)
{
	int code = sqlite3_errcode(db);

	if (code != SQLITE_NOTADB && code != SQLITE_CORRUPT)
		return diag_set(d, -EIO, "database: %s", sqlite3_errmsg(db));
	return diag_set(d, -EIO, "database: %s; stop the collector and move "
			"%s away: it is made again from what the spool has",
			sqlite3_errmsg(db), sqlite3_db_filename(db, "main"));
}

int statement_exec(sqlite3 *db, const char *text, struct diag *d)
{
	if (sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	return statement_failed(db, d);
}

int statement_pragma(sqlite3 *db, const char *text, int64_t *ret,
		     struct diag *d)
{
	sqlite3_stmt *stmt = NULL;

	if (sqlite3_prepare_v2(db, text, -1, &stmt, NULL) != SQLITE_OK ||
	    sqlite3_step(stmt) != SQLITE_ROW) {
		(void)sqlite3_finalize(stmt);
		return statement_failed(db, d);
	}
	*ret = sqlite3_column_int64(stmt, 0);
	(void)sqlite3_finalize(stmt);
	return 0;
}

static int all_prepare(struct statement_set *s, const char *const *texts,
		       struct diag *d)
{
	for (unsigned i = 0; i < s->count; i++)
		if (sqlite3_prepare_v3(s->db, texts[i], -1,
				       SQLITE_PREPARE_PERSISTENT, &s->stmt[i],
				       NULL) != SQLITE_OK)
			return statement_failed(s->db, d);
	return 0;
}

/* A power cut may lose commits here; the spool restores them. */
static int writer_begin(sqlite3 *db, const struct statement_env *env,
			struct diag *d)
{
	int err = statement_exec(db, "PRAGMA journal_mode = WAL;"
				     "PRAGMA synchronous = NORMAL;", d);

	return err < 0 || !env->schema ? err : env->schema(db, d);
}

int statement_set_open(const struct statement_env *env,
		       struct statement_set **ret, struct diag *d)
{
	struct statement_set *s = calloc(1, sizeof(*s) + env->count *
					 sizeof(s->stmt[0]));
	int flags = env->schema ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE :
		    env->writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
	int err = 0;

	if (!s)
		return diag_set(d, -ENOMEM, "%s: out of memory", env->path);
	s->count = env->count;
	if (sqlite3_open_v2(env->path, &s->db, flags | SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK) {
		err = statement_failed(s->db, d);
		goto fail;
	}
	(void)sqlite3_busy_timeout(s->db, BUSY_MS);
	if (env->schema || env->writes)
		err = writer_begin(s->db, env, d);
	if (err == 0)
		err = all_prepare(s, env->texts, d);
	if (err < 0)
		goto fail;
	*ret = s;
	return 0;
fail:
	statement_set_close(s);
	return diag_prefix(d, err, "%s", env->path);
}

void statement_set_close(struct statement_set *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->count; i++)
		(void)sqlite3_finalize(s->stmt[i]);	/* reported before */
	(void)sqlite3_close(s->db);
	free(s);
}

sqlite3 *statement_db(const struct statement_set *s)
{
	return s->db;
}

const char *statement_text(sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	return text ? text : "";
}

/* A run as hexadecimal text: SQLite's integers are signed. */
static int run_bind(sqlite3_stmt *stmt, int place, uint64_t run, bool or_null)
{
	char text[17];

	if (run == 0 && or_null)
		return SQLITE_OK;	/* what is not bound is NULL */
	(void)snprintf(text, sizeof(text), "%016" PRIx64, run);
	return sqlite3_bind_text(stmt, place, text, -1, SQLITE_TRANSIENT);
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
		} else if (types[i] == 'r' || types[i] == 'R') {
			rc = run_bind(stmt, i + 1, va_arg(args, uint64_t),
				      types[i] == 'R');
		} else {
			rc = sqlite3_bind_int64(stmt, i + 1,
						va_arg(args, int64_t));
		}
	}
	return rc;
}

/* Gives rows until fn returns other than 0, which is returned. */
static int rows_step(struct statement_set *s, unsigned which, struct diag *d,
		     statement_row_fn *fn, void *context, const char *types,
		     va_list args)
{
	sqlite3_stmt *stmt = s->stmt[which];
	int err = 0, rc = bind(stmt, types, args);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	while (rc == SQLITE_ROW && (err = fn(context, stmt)) == 0)
		rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		err = statement_failed(s->db, d);
	(void)sqlite3_reset(stmt);	/* repeats the error reported before */
	(void)sqlite3_clear_bindings(stmt);
	return err;
}

/* A row's first columns. */
struct first_row {
	int64_t *ret, *ret_2;
};

static int first_take(void *context, sqlite3_stmt *row)
{
	const struct first_row *f = context;

	if (f->ret)
		*f->ret = sqlite3_column_int64(row, 0);
	if (f->ret_2)
		*f->ret_2 = sqlite3_column_int64(row, 1);
	return 1;
}

int statement_run(struct statement_set *s, unsigned which, struct diag *d,
		  const char *types, ...)
{
	struct first_row none = { NULL, NULL };
	va_list args;
	int err;

	va_start(args, types);
	err = rows_step(s, which, d, first_take, &none, types, args);
	va_end(args);
	return err < 0 ? err : 0;
}

int statement_get(struct statement_set *s, unsigned which, int64_t *ret,
		  int64_t *ret_2, struct diag *d, const char *types, ...)
{
	struct first_row first = { ret, ret_2 };
	va_list args;
	int err;

	va_start(args, types);
	err = rows_step(s, which, d, first_take, &first, types, args);
	va_end(args);
	return err == 0 ? -ENODATA : err < 0 ? err : 0;
}

int statement_each(struct statement_set *s, unsigned which, struct diag *d,
		   statement_row_fn *fn, void *context, const char *types, ...)
{
	va_list args;
	int err;

	va_start(args, types);
	err = rows_step(s, which, d, fn, context, types, args);
	va_end(args);
	return err;
}

/* --- transactions --------------------------------------------------------- */

int statement_begin(struct statement_set *s, struct diag *d)
{
	int moved = 0, err;

	if (s->is_open)
		return 0;
	if (sqlite3_file_control(s->db, "main", SQLITE_FCNTL_HAS_MOVED,
				 &moved) == SQLITE_OK && moved)
		return diag_set(d, -EIO, "database: %s was removed or "
				"replaced; restart the collector: it is made "
				"again from what the spool has",
				sqlite3_db_filename(s->db, "main"));
	err = statement_exec(s->db, "BEGIN IMMEDIATE", d);
	s->is_open = err == 0;
	return err;
}

bool statement_has_begun(const struct statement_set *s)
{
	return s->is_open;
}

int statement_commit(struct statement_set *s, struct diag *d)
{
	int err = statement_exec(s->db, "COMMIT", d);

	s->is_open &= err < 0;
	return err;
}

void statement_back(struct statement_set *s)
{
	if (s->is_open)		/* or it has ended already */
		(void)statement_exec(s->db, "ROLLBACK", NULL);
	s->is_open = false;
}

int statement_cursor(struct statement_set *s, unsigned which,
		     struct place *ret, struct diag *d)
{
	int64_t segment = 0, offset = 0;
	int err = statement_get(s, which, &segment, &offset, d, "");

	if (err == 0)
		*ret = (struct place){ (uint64_t)segment, (uint64_t)offset };
	return err;
}

int statement_cursor_commit(struct statement_set *s, unsigned which,
			    struct place at, struct diag *d)
{
	int err = statement_begin(s, d);

	if (err == 0)
		err = statement_run(s, which, d, "ii", (int64_t)at.segment,
				    (int64_t)at.offset);
	return err < 0 ? err : statement_commit(s, d);
}
