/* The sink of roll-ups: folds the samples of each run into minutes, and writes
 * finished ones to the file (rollup_file.h), which builds the quarters.
 *
 * Open minutes are in memory only. So the cursor that is committed with rows is
 * where reading must begin to fold them again: at the reference batch before
 * the open minutes. The file has the last batch that was written of each run;
 * batches up to there are only decoded, so that counters continue.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "agent/collect/known.h"
#include "agent/collect/rollup_file.h"
#include "agent/collect/sink.h"
#include "agent/collect/statement.h"
#include "agent/collect/stored.h"
#include "agent/history/tier_fold.h"
#include "petrel/quantity.h"

#define QUIET_NS (90 * NS_PER_S)	/* then its minute is finished */
#define SILENT_NS (900 * NS_PER_S)	/* its reference is not waited for */
#define CURSOR_EVERY_NS (10 * NS_PER_S)

/* The numbers of a column's series in the file, by its rows; 0: not known. */
struct series_numbers {
	uint32_t count;
	int64_t *number;
};

/* A run's data, attached to its entry in known. */
struct rollup_run {
	struct known_run *names;
	char switch_id[SWITCH_NAME_MAX];
	uint64_t run;
	int64_t of;		/* the switch in the file; 0: not asked yet */
	struct tier_fold *fold;
	struct series_numbers *column;
	uint32_t columns;
	int64_t minute;		/* the open one, by its number; 0: none */
	struct mono batch;	/* the newest; and the newest in the file */
	struct mono written;
	struct place reference;	/* entry of its last reference batch */
	struct place needed;	/* of the batch before the open minute */
	struct mono heard;
	LIST_ENTRY(rollup_run) of_runs;
};

struct rollup {
	struct rollup_file *file;
	struct statement_set *rows;	/* the file's */
	struct statement_set *stored;
	struct known *known;
	LIST_HEAD(, rollup_run) runs;
	struct rollup_bounds bounds;
	struct place from;		/* the cursor in the file */
	struct mono committed;
	bool has_rows;			/* since */
	struct sink_count count;
};

static void run_forget(void *attached)
{
	struct rollup_run *r = attached;

	LIST_REMOVE(r, of_runs);
	for (uint32_t i = 0; i < r->columns; i++)
		free(r->column[i].number);
	free(r->column);
	tier_fold_free(r->fold);
	free(r);
}

/* --- as a sink: open ------------------------------------------------------ */

static void rollup_close(void *sink)
{
	struct rollup *w = sink;

	if (!w)
		return;
	known_free(w->known);
	statement_set_close(w->stored);
	rollup_file_close(w->file);
	free(w);
}

static int rollup_open(const struct sink_env *env, void **ret, struct diag *d)
{
	const struct collector_config *c = env->config;
	char path[ROLLUP_PATH_MAX];
	struct rollup *w;
	int err;

	if (!c->rollups)
		return 0;
	w = calloc(1, sizeof(*w));
	if (!w)
		return diag_set(d, -ENOMEM, "out of memory");
	w->bounds = (struct rollup_bounds){ c->rollup_minutes_ns,
					    c->rollup_quarters_ns,
					    c->rollup_octets };
	rollup_path(c->database, path);
	err = stored_open(c->database, false, &w->stored, d);
	if (err == 0)
		err = rollup_file_open(path, false, &w->file, d);
	if (err == 0) {
		w->rows = rollup_file_statements(w->file);
		err = statement_cursor(w->rows, ROLLUP_CURSOR_GET, &w->from, d);
	}
	if (err < 0) {
		rollup_close(w);
		return err;
	}
	/* Reads again the dictionaries that the database does not have yet. */
	if (place_is_before(&env->database_from, &w->from))
		w->from = env->database_from;
	*ret = w;
	return 0;
}

static struct place rollup_begin(void *sink)
{
	struct rollup *w = sink;

	statement_back(w->rows);
	known_free(w->known);
	w->known = NULL;
	if (known_new(&w->known) == 0)
		known_attach(w->known, run_forget);
	w->has_rows = false;
	return w->from;
}

/* --- rows ----------------------------------------------------------------- */

/* A minute being written to the file. */
struct minute {
	struct rollup *w;
	struct rollup_run *run;
	int64_t end_s;
	struct diag *d;
};

static bool entity_known(const void *names, uint32_t id,
			 struct known_entity *ret)
{
	return known_entity(names, id, ret);
}

/* The place of a series' number; NULL: no memory. */
static int64_t *number_slot(struct rollup_run *r, const struct tier_place *p)
{
	struct series_numbers *c;

	if (p->column >= r->columns) {
		c = reallocarray(r->column, p->column + 1, sizeof(*c));
		if (!c)
			return NULL;
		memset(c + r->columns, 0,
		       (p->column + 1 - r->columns) * sizeof(*c));
		r->column = c;
		r->columns = p->column + 1;
	}
	c = &r->column[p->column];
	if (p->row >= c->count) {
		uint32_t count = p->row < 32 ? 64 : 2 * p->row;
		int64_t *number = reallocarray(c->number, count,
					       sizeof(*number));

		if (!number)
			return NULL;
		memset(number + c->count, 0,
		       (count - c->count) * sizeof(*number));
		c->number = number;
		c->count = count;
	}
	return &c->number[p->row];
}

/* The number of a series of a switch, created when it is new. */
static int series_number(struct rollup *w, int64_t of,
			 const struct rollup_series *s, int64_t *ret,
			 struct diag *d)
{
	int64_t is_rate = s->info->kind == KIND_COUNTER, index = s->index;
	int err = statement_get(w->rows, ROLLUP_SERIES_GET, ret, NULL, d,
				"itti", of, s->entity, s->info->name, index);

	if (err != -ENODATA)
		return err;
	err = statement_run(w->rows, ROLLUP_SERIES_ADD, d, "ittiti", of,
			    s->entity, s->info->name, index,
			    quantity_unit_name((enum quantity_unit)
					       s->info->unit), is_rate);
	return err < 0 ? err :
	       statement_get(w->rows, ROLLUP_SERIES_GET, ret, NULL, d, "itti",
			     of, s->entity, s->info->name, index);
}

/* A series without a name yet is left out until it has one. */
static int span_write(void *context, const struct tier_place *p,
		      const struct tier_span *s)
{
	const struct minute *m = context;
	int64_t *number = number_slot(m->run, p);
	struct rollup_series series = { .info = p->info, .index = p->index };
	double mean = s->sum / s->count + (s->sum < 0 ? -0.5 : 0.5);
	int err = 0;

	if (!number)
		return diag_set(m->d, -ENOMEM, "out of memory");
	if (*number == 0) {
		if (!rollup_entity(entity_known, m->run->names, p->entity,
				   series.entity)) {
			m->w->count.held_back++;
			return 0;
		}
		err = series_number(m->w, m->run->of, &series, number, m->d);
	}
	m->w->count.applied++;
	return err < 0 ? err :
	       statement_run(m->w->rows, ROLLUP_MINUTE_ADD, m->d, "iiiiiiiii",
			     m->end_s, m->run->of, *number, (int64_t)mean,
			     s->least, s->highest, s->last, (int64_t)s->count,
			     (int64_t)s->quality);
}

static int64_t quarter_end(int64_t minute)
{
	return (minute * ROLLUP_MINUTE_S / ROLLUP_QUARTER_S + 1) *
	       ROLLUP_QUARTER_S;
}

/* The number of the run's switch, created when it is new. */
static int switch_find(struct rollup *w, struct rollup_run *r, struct diag *d)
{
	int err = statement_begin(w->rows, d);

	if (err == 0)
		err = statement_run(w->rows, ROLLUP_SWITCH_ADD, d, "tt",
				    r->switch_id, known_switch_name(r->names));
	return err < 0 ? err : statement_get(w->rows, ROLLUP_SWITCH_GET, &r->of,
					     NULL, d, "t", r->switch_id);
}

/* Finishes the open minute; next: the one that begins, 0: none. */
static int minute_end(struct rollup *w, struct rollup_run *r, int64_t next,
		      struct diag *d)
{
	struct minute m = { w, r, (r->minute + 1) * ROLLUP_MINUTE_S, d };
	int err = switch_find(w, r, d);

	if (err == 0)
		err = tier_fold_take(r->fold, span_write, &m);
	if (err == 0)
		err = statement_run(w->rows, ROLLUP_WRITTEN_SET, d, "irii",
				    r->of, r->run, r->batch.ns, m.end_s);
	if (err == 0 && (next == 0 ||
			 quarter_end(next) != quarter_end(r->minute)))
		err = statement_run(w->rows, ROLLUP_QUARTER_MAKE, d, "ii",
				    quarter_end(r->minute), r->of);
	r->written = r->batch;
	r->minute = 0;
	w->has_rows = true;
	return err;
}

/* --- samples -------------------------------------------------------------- */

/* The record being processed. */
struct rollup_record {
	struct rollup *w;
	struct rollup_run *run;
	struct known_run *names;
	struct place at;		/* of its entry */
	struct diag *d;
	int err;			/* of the file */
};

/* The first column of a batch: determines the minute. */
static int batch_begin(struct rollup_record *r, struct mono batch)
{
	struct rollup_run *run = r->run;
	struct wall wall;
	int64_t minute = 0;
	int err = 0;

	if (run_clock_wall(known_clock(r->names), batch, &wall) == 0)
		minute = wall.ns / (ROLLUP_MINUTE_S * NS_PER_S);
	if (run->minute && minute > run->minute)
		err = minute_end(r->w, run, minute, r->d);
	if (batch.ns > run->written.ns && run->minute == 0) {
		(void)tier_fold_take(run->fold, NULL, NULL);
		run->minute = minute;
		run->needed = run->reference.segment ? run->reference : r->at;
	}
	run->batch = batch;
	return err;
}

static int column_take(void *context, const struct decoded_column *c)
{
	struct rollup_record *r = context;

	if (c->batch.ns != r->run->batch.ns)
		r->err = batch_begin(r, c->batch);
	return r->err < 0 ? r->err : tier_fold_column(r->run->fold, c);
}

static int record_take(void *context, const struct record_header *h,
		       const uint8_t *payload)
{
	struct rollup_record *r = context;
	bool is_batch = h->kind == RECORD_BATCH;
	int err = 0;

	if (is_batch && !r->run->fold)
		err = tier_fold_new(&r->run->fold);
	if (err == 0)
		err = known_samples(r->names, h, payload, column_take, r);
	r->w->count.unreadable += err == -EBADMSG;
	if (is_batch && h->flags & RECORD_FLAG_REFERENCE)
		r->run->reference = r->at;
	if (r->err < 0)
		return r->err;
	return err == -ENOMEM ? diag_set(r->d, err, "out of memory") : 0;
}

/* --- entries -------------------------------------------------------------- */

/* What the database has on a run that began before the place. */
static int run_recall(struct rollup *w, struct rollup_run *r,
		      struct known_run *names, struct diag *d)
{
	int err = switch_find(w, r, d);

	r->written.ns = 0;
	if (err == 0)
		err = statement_get(w->rows, ROLLUP_WRITTEN_GET, &r->written.ns,
				    NULL, d, "ir", r->of, r->run);
	stored_entities(w->stored, r->switch_id, r->run, names);
	stored_clock(w->stored, r->switch_id, r->run, known_clock(names));
	return err == -ENODATA ? 0 : err;
}

static int run_of(struct rollup *w, const struct entry *e,
		  struct known_run *names, struct rollup_run **ret,
		  struct diag *d)
{
	void **attached = known_attached(names);
	struct rollup_run *r = *attached;

	*ret = r;
	if (r)
		return 0;
	r = calloc(1, sizeof(*r));
	if (!r)
		return diag_set(d, -ENOMEM, "out of memory");
	r->names = names;
	r->run = e->run;
	(void)strcpy(r->switch_id, e->switch_id);
	LIST_INSERT_HEAD(&w->runs, r, of_runs);
	*attached = *ret = r;
	return run_recall(w, r, names, d);
}

/* The switch's identity; a run may continue under another id. */
static int identity_take(struct rollup *w, const struct entry *e,
			 struct known_run *names, struct diag *d)
{
	struct rollup_run *r = *known_attached(names);
	struct entry_identity identity;
	int err;

	if (entry_identity_read(e, &identity) < 0 || !identity.former_id[0])
		return 0;
	if (r)
		(void)strcpy(r->switch_id, e->switch_id);
	err = statement_begin(w->rows, d);
	return err < 0 ? err : statement_run(w->rows, ROLLUP_SWITCH_RENAME, d,
					     "tt", identity.former_id,
					     e->switch_id);
}

static int rollup_entry(void *sink, const struct entry *e, struct place at,
			struct diag *d)
{
	struct rollup *w = sink;
	struct rollup_record r = { .w = w, .at = at, .d = d };
	int err;

	if (e->kind == ENTRY_OWN)
		return 0;	/* no samples, and no run of the switch */
	r.names = w->known ? known_find(w->known, e) : NULL;
	if (!r.names)
		return diag_set(d, -ENOMEM, "out of memory");
	if (e->kind == ENTRY_POSITIONS)
		return identity_take(w, e, r.names, d);
	err = run_of(w, e, r.names, &r.run, d);
	if (err < 0)
		return err;
	r.run->heard = clock_mono_now();
	return entry_records(e, record_take, &r);
}

/* --- commit --------------------------------------------------------------- */

/* Finishes minutes that get no more samples; finds where reading must begin so
 * that the others, and later ones, can be folded again.
 */
static int runs_look(struct rollup *w, struct place *at, struct diag *d)
{
	struct mono now = clock_mono_now();
	int err = 0;

	for (struct rollup_run *r = LIST_FIRST(&w->runs); r && err == 0;
	     r = LIST_NEXT(r, of_runs)) {
		int64_t quiet_ns = mono_diff_ns(now, r->heard);
		const struct place *needs = &r->reference;

		if (r->minute && quiet_ns >= QUIET_NS)
			err = minute_end(w, r, 0, d);
		if (r->minute)
			needs = &r->needed;
		if (needs->segment > 0 && quiet_ns < SILENT_NS &&
		    place_is_before(needs, at))
			*at = *needs;
	}
	return err;
}

/* The cursor advances with rows, and sometimes without. */
static int rollup_commit(void *sink, struct place at, struct place *ret_kept,
			 struct diag *d)
{
	struct rollup *w = sink;
	struct clock_reading now;
	int err = runs_look(w, &at, d);

	clock_read(&now);
	if (err == 0 && (w->has_rows || mono_diff_ns(now.mono, w->committed) >
					CURSOR_EVERY_NS)) {
		err = statement_cursor_commit(w->rows, ROLLUP_CURSOR_SET, at,
					      d);
		if (err < 0)
			return err;
		w->from = at;
		w->committed = now.mono;
		w->has_rows = false;
		err = rollup_file_tend(w->file, &w->bounds, now, d);
	}
	*ret_kept = w->from;
	return err;
}

static void rollup_count(const void *sink, struct sink_count *ret)
{
	const struct rollup *w = sink;
	const struct rollup_run *r;

	*ret = w->count;
	LIST_FOREACH(r, &w->runs, of_runs) {
		size_t series, left_out = 0;

		if (r->fold)
			tier_fold_count(r->fold, &series, &left_out);
		ret->held_back += left_out;
	}
}

const struct sink_driver rollup_driver = {
	.name = "rollups", .ticks = true,
	.open = rollup_open, .close = rollup_close, .begin = rollup_begin,
	.entry = rollup_entry, .commit = rollup_commit, .count = rollup_count,
};
