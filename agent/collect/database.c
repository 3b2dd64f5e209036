#include "agent/collect/database.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>
#include <sqlite3.h>

#include "agent/collect/database_tables.h"
#include "agent/collect/statement.h"
#include "agent/collect/upkeep.h"
#include "agent/record/capsule.h"
#include "agent/record/json.h"
#include "agent/record/run_clock.h"
#include "petrel/platform.h"
#include "petrel/quantity.h"

#define SEEN_NS (10 * NS_PER_S)

struct database {
	struct statement_set *statements;
	sqlite3 *db;		/* the statements' connection */
	int64_t run_id;		/* of the previous entry; 0: none */
	uint64_t run;
	char switch_id[SWITCH_NAME_MAX];
	uint64_t applied[STREAM_COUNT];	/* last sequences of that run */
	uint64_t applied_stored[STREAM_COUNT];
	struct run_clock clock;	/* of run clock_id; 0: no run */
	int64_t clock_id;
	struct place committed;
	struct upkeep upkeep;
	struct standing *standing;	/* NULL: not to be kept */
	struct mono seen;		/* when that was kept */
	struct sink_count count;
};

static int schema_make(sqlite3 *db, struct diag *d)
{
	int err = database_schema(db, d);

	return err < 0 ? err : upkeep_views(db, d);
}

int database_open(const char *path, struct database **ret, struct diag *d)
{
	const struct statement_env env = { path, database_statements,
					   STATEMENT_COUNT, schema_make };
	struct database *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return diag_set(d, -ENOMEM, "%s: out of memory", path);
	err = statement_set_open(&env, &s->statements, d);
	if (err < 0) {
		free(s);
		return err;
	}
	s->db = statement_db(s->statements);
	*ret = s;
	return 0;
}

void database_close(struct database *s)
{
	if (!s)
		return;
	database_back(s);
	statement_set_close(s->statements);
	free(s);
}

int database_cursor(struct database *s, struct place *ret, struct diag *d)
{
	return statement_cursor(s->statements, STATEMENT_CURSOR_GET, ret, d);
}

/* --- when switches were seen ---------------------------------------------- */

static int seen_give(void *context, sqlite3_stmt *row)
{
	standing_restore(context, statement_text(row, 0),
			 (struct wall){ sqlite3_column_int64(row, 1) },
			 (struct wall){ sqlite3_column_int64(row, 2) });
	return 0;
}

int database_seen(struct database *s, struct standing *to, struct diag *d)
{
	return statement_each(s->statements, STATEMENT_SEEN_GET, d, seen_give,
			      to, "");
}

int database_seen_keep(struct database *s, struct standing *from,
		       struct diag *d)
{
	size_t count;
	struct standing_switch *list = standing_all(from, &count);
	int err = statement_begin(s->statements, d);

	for (size_t i = 0; i < count && err == 0; i++)
		err = statement_run(s->statements, STATEMENT_SEEN_SET, d,
				    "tii", list[i].switch_id,
				    list[i].heard_wall.ns, list[i].recorded.ns);
	free(list);
	return err < 0 ? err : statement_commit(s->statements, d);
}

/* --- runs ----------------------------------------------------------------- */

/* The key of a run, created when it is new. */
static int run_key(struct database *s, const struct entry *e, int64_t *ret,
		   struct diag *d)
{
	int err = statement_run(s->statements, STATEMENT_SWITCH_ADD, d, "t",
				e->switch_id);

	if (err == 0)
		err = statement_run(s->statements, STATEMENT_RUN_ADD, d, "rt",
				    e->run, e->switch_id);
	if (err == 0)
		err = statement_get(s->statements, STATEMENT_RUN_FIND, ret,
				    NULL, d, "rt", e->run, e->switch_id);
	return err;
}

static int applied_load(struct database *s, struct diag *d)
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

static int applied_store(struct database *s, struct diag *d)
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

/* Makes the run of an entry the current one. */
static int run_enter(struct database *s, const struct entry *e, struct diag *d)
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

/* A run continues under another id. If that switch is new, it takes over all of
 * the former one; else this run alone, with its findings.
 */
static int run_move(struct database *s, const struct entry *e,
		    const char *former_id, struct diag *d)
{
	int64_t run, former;
	int err = statement_get(s->statements, STATEMENT_RUN_FIND, &run,
				&former, d, "rt", e->run, former_id);

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

static int identity_apply(struct database *s, const struct entry *e,
			  struct diag *d)
{
	struct entry_identity identity;
	int err = applied_store(s, d);

	if (entry_identity_read(e, &identity) < 0)
		return err;
	s->run_id = s->clock_id = 0;	/* it may be the one that moves */
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

/* --- one record as rows --------------------------------------------------- */

/* One record being turned into rows. */
struct row_source {
	struct statement_set *statements;
	int64_t run;
	struct run_clock *clock;
	const struct record_header *h;
	const uint8_t *payload;
	struct diag *d;
};

typedef int row_fn(const struct row_source *s, const ProtobufCMessage *m);

/* Each record contains its own sequence: checks that the two agree. */
static int number_check(const struct row_source *s, uint64_t number)
{
	return number == 0 || number == s->h->sequence ? 0 : -EILSEQ;
}

static int run_rows(const struct row_source *s, const ProtobufCMessage *base)
{
	const Petrel__Run *m = (const Petrel__Run *)base;

	return statement_run(s->statements, STATEMENT_RUN_SET, s->d, "iRtii",
			     s->run, m->previous_run, m->version, m->mono_ns,
			     m->wall_ns);
}

static struct json_object *attributes_json(const Petrel__Entity *e)
{
	struct json_object *o = json_object_new_object();

	for (size_t i = 0; o && i < e->n_attributes; i++) {
		const char *name = attribute_name(e->attributes[i]->key);

		if (name)
			(void)json_object_object_add(o, name,
				json_object_new_string(e->attributes[i]->text));
	}
	return o;
}

static int entity_row(const struct row_source *s, const Petrel__Entity *e)
{
	struct json_object *attributes = attributes_json(e);
	int err;

	if (!attributes)
		return diag_set(s->d, -EIO, "database: out of memory");
	err = statement_run(s->statements, STATEMENT_ENTITY_SET, s->d,
			    "iititiit", s->run, (int64_t)e->id,
			    entity_kind_name(e->kind), (int64_t)e->parent,
			    e->name, (int64_t)e->number,
			    (int64_t)e->gone,
			    json_object_to_json_string_ext(
				    attributes, JSON_C_TO_STRING_PLAIN));
	(void)json_object_put(attributes);
	return err;
}

static int dictionary_rows(const struct row_source *s,
			   const ProtobufCMessage *base)
{
	const Petrel__Dictionary *m = (const Petrel__Dictionary *)base;
	int err = 0;

	if (m->snapshot && (!m->part || m->part->number == 0))
		err = statement_run(s->statements, STATEMENT_ENTITIES_GONE,
				    s->d, "i", s->run);
	for (size_t i = 0; err == 0 && i < m->n_entities; i++)
		err = entity_row(s, m->entities[i]);
	for (size_t i = 0; err == 0 && i < m->n_sources; i++)
		err = statement_run(s->statements, STATEMENT_SOURCE_SET, s->d,
				    "iiti", s->run,
				    (int64_t)m->sources[i]->number,
				    m->sources[i]->name,
				    m->sources[i]->interval_ns);
	return err < 0 ? err : number_check(s, m->number);
}

static int event_rows(const struct row_source *s, const ProtobufCMessage *base)
{
	const Petrel__Event *m = (const Petrel__Event *)base;
	int err = statement_run(s->statements, STATEMENT_EVENT_ADD, s->d,
				"iiitiitt", s->run, (int64_t)s->h->sequence,
				(int64_t)m->entity,
				platform_event_name(m->what), m->value,
				m->mono_ns, m->text, m->subject);

	return err < 0 ? err : number_check(s, m->number);
}

static int clock_rows(const struct row_source *s, const ProtobufCMessage *base)
{
	const Petrel__Clock *m = (const Petrel__Clock *)base;
	int err = statement_run(s->statements, STATEMENT_CLOCK_ADD, s->d,
				"iiiiii", s->run, (int64_t)s->h->sequence,
				m->mono_ns, m->wall_ns, m->error_ns,
				(int64_t)m->is_set);
	const struct clock_reading *anchor = &s->clock->anchor;

	run_clock_hear(s->clock, clock_of_message(m), clock_wall_now());
	if (err == 0)
		err = statement_run(s->statements, STATEMENT_RUN_CLOCK_SET,
				    s->d, "iiii", s->run, anchor->mono.ns,
				    anchor->wall.ns, (int64_t)anchor->is_set);
	return err < 0 ? err : number_check(s, m->number);
}

static int finding_store(const struct row_source *s, const struct finding *f,
			 const char *content, bool is_transition)
{
	struct statement_octets record = { s->payload, s->h->length };
	int err = statement_run(s->statements, STATEMENT_FINDING_SET, s->d,
				"itttttiito", s->run, f->id, f->subject,
				signature_name(f->signature),
				severity_name(f->severity),
				finding_state_name(f->state),
				f->onset_wall.ns, f->when_wall.ns, content,
				&record);

	if (err < 0 || !is_transition)
		return err;
	return statement_run(s->statements, STATEMENT_TRANSITION_ADD, s->d,
			     "iitttit", s->run, (int64_t)s->h->sequence, f->id,
			     finding_state_name(f->state),
			     severity_name(f->severity), f->when_wall.ns,
			     content);
}

static int finding_rows(const struct row_source *s,
			const ProtobufCMessage *base)
{
	const Petrel__Finding *m = (const Petrel__Finding *)base;
	struct json_object *o;
	struct finding f;
	int err = finding_of_message(m, &f);

	if (err < 0)
		return err;
	run_clock_finding(s->clock, &f, clock_wall_now());
	o = finding_json(&f);
	if (!o)
		return -ENOMEM;
	err = finding_store(s, &f, json_object_to_json_string_ext(
				    o, JSON_C_TO_STRING_PLAIN),
			    !m->repeated_state);
	(void)json_object_put(o);
	return err < 0 ? err : number_check(s, m->number);
}

/* Takes what is readable of a damaged one. */
static int capsule_series_row(const struct row_source *s,
			      const Petrel__Capsule *m, size_t i)
{
	const Petrel__CapsuleSeries *series = m->series[i];
	const struct quantity_info *q =
		quantity_find((uint16_t)series->quantity);
	struct capsule_range r;

	(void)capsule_series_range(m, series, &r);
	return statement_run(s->statements, STATEMENT_CAPSULE_SERIES_ADD, s->d,
			     "iiiittiiiiii", s->run, (int64_t)s->h->sequence,
			     (int64_t)i, (int64_t)series->entity, series->name,
			     q ? q->name : NULL, (int64_t)series->index,
			     r.count, r.first, r.least, r.most, r.last);
}

static int capsule_rows(const struct row_source *s,
			const ProtobufCMessage *base)
{
	const Petrel__Capsule *m = (const Petrel__Capsule *)base;
	struct statement_octets payload = { s->payload, s->h->length };
	int err = statement_run(s->statements, STATEMENT_CAPSULE_ADD, s->d,
				"iitiiiiiio", s->run, (int64_t)s->h->sequence,
				m->id, (int64_t)(m->part ? m->part->number : 0),
				(int64_t)(m->part ? m->part->count : 1),
				(int64_t)m->missing, m->from_mono_ns,
				m->to_mono_ns, m->when_mono_ns, &payload);

	for (size_t i = 0; err == 0 && i < m->n_series; i++)
		err = capsule_series_row(s, m, i);
	return err < 0 ? err : number_check(s, m->number);
}

static int gap_row(const struct row_source *s)
{
	return statement_run(s->statements, STATEMENT_GAP_ADD, s->d, "itii",
			     s->run, stream_name(s->h->stream),
			     (int64_t)s->h->sequence, (int64_t)s->h->last);
}

/* For the current run; loaded when a record needs it. */
static int clock_load(struct database *s, struct diag *d)
{
	int64_t mono_ns, wall_ns;

	if (s->clock_id == s->run_id)
		return 0;
	s->clock = (struct run_clock){ .is_ours = false };
	for (int64_t is_set = 0; is_set < 2; is_set++) {
		int err = statement_get(s->statements, STATEMENT_RUN_CLOCK_GET,
					&mono_ns, &wall_ns, d, "ii", s->run_id,
					is_set);

		if (err == 0)
			s->clock = run_clock_kept(mono_ns, wall_ns, is_set);
		else if (err != -ENODATA)
			return err;
	}
	s->clock_id = s->run_id;
	return 0;
}

/* Batches have no rows. Returns -EBADMSG or -ENOMEM: the payload cannot be
 * read, and nothing was written; -EILSEQ: it was, but its number differs from
 * its sequence; -EIO with d.
 */
static int rows_apply(struct database *s, const struct record_header *h,
		      const uint8_t *payload, struct diag *d)
{
	static row_fn *const rows[RECORD_KIND_COUNT] = {
		[RECORD_RUN] = run_rows,
		[RECORD_DICTIONARY] = dictionary_rows,
		[RECORD_EVENT] = event_rows,
		[RECORD_CLOCK] = clock_rows,
		[RECORD_FINDING] = finding_rows,
		[RECORD_CAPSULE] = capsule_rows,
	};
	struct row_source source = { .statements = s->statements,
				     .run = s->run_id, .clock = &s->clock,
				     .h = h,
				     .payload = payload, .d = d };
	ProtobufCMessage *m;
	int err;

	if (h->kind == RECORD_GAP)
		return gap_row(&source);
	if (h->kind >= RECORD_KIND_COUNT || !rows[h->kind])
		return 0;
	err = record_unpack(h->kind, payload, h->length, &m);
	if (err < 0)
		return err;
	err = clock_load(s, d);
	if (err == 0)
		err = rows[h->kind](&source, m);
	record_unpacked_free(m);
	return err;
}

/* --- entries -------------------------------------------------------------- */

/* Context of a walk over the records of an entry. */
struct database_records {
	struct database *to;
	struct diag *d;
};

static int record_apply(void *context, const struct record_header *h,
			const uint8_t *payload)
{
	const struct database_records *r = context;
	struct database *s = r->to;
	int err;

	if (h->last <= s->applied[h->stream]) {
		s->count.repeats++;
		return 0;
	}
	err = rows_apply(s, h, payload, r->d);
	s->count.unreadable += err == -EBADMSG || err == -ENOMEM;
	s->count.misnumbered += err == -EILSEQ;
	if (err == -EIO)
		return err;
	s->applied[h->stream] = h->last;
	s->count.applied++;
	return 0;
}

static int entry_apply(void *sink, const struct entry *e, struct place at,
		       struct diag *d)
{
	struct database *s = sink;
	struct database_records r = { s, d };
	int err = statement_begin(s->statements, d);

	(void)at;
	if (err == 0 && e->kind == ENTRY_POSITIONS)
		return identity_apply(s, e, d);
	if (err < 0 || (e->kind != ENTRY_RECORDS && e->kind != ENTRY_OWN))
		return err;
	err = run_enter(s, e, d);
	return err < 0 ? err : entry_records(e, record_apply, &r);
}

int database_commit(struct database *s, struct place at, struct diag *d)
{
	int err = statement_begin(s->statements, d);

	if (err == 0)
		err = applied_store(s, d);
	if (err == 0)
		err = statement_cursor_commit(s->statements,
					      STATEMENT_CURSOR_SET, at, d);
	if (err == 0)
		s->committed = at;
	return err;
}

void database_back(struct database *s)
{
	statement_back(s->statements);
	s->run_id = s->clock_id = 0;	/* it may be from the transaction */
}

/* --- as a sink ------------------------------------------------------------ */

static int driver_open(const struct sink_env *env, void **ret, struct diag *d)
{
	(void)d;
	env->database->committed = env->database_from;
	env->database->upkeep = (struct upkeep){
		.keep_ns = env->config->keep_ns,
		.octets_max = env->config->database_octets };
	env->database->standing = env->standing;
	*ret = env->database;
	return 0;
}

static struct place driver_begin(void *sink)
{
	struct database *s = sink;

	database_back(s);
	return s->committed;
}

static int driver_commit(void *sink, struct place at, struct place *ret_kept,
			 struct diag *d)
{
	struct database *s = sink;
	struct mono now = clock_mono_now();
	int err = statement_has_begun(s->statements) ||
		  place_is_before(&s->committed, &at) ?
		  database_commit(s, at, d) : 0;

	*ret_kept = at;
	if (err == 0)
		err = upkeep_tend(&s->upkeep, s->db, now, clock_wall_now(), d);
	if (err < 0 || !s->standing || mono_diff_ns(now, s->seen) < SEEN_NS)
		return err;
	s->seen = now;
	return database_seen_keep(s, s->standing, d);
}

static void driver_count(const void *sink, struct sink_count *ret)
{
	*ret = ((const struct database *)sink)->count;
}

const struct sink_driver database_driver = {
	.name = "sqlite", .ticks = true,
	.open = driver_open, .begin = driver_begin, .entry = entry_apply,
	.commit = driver_commit, .count = driver_count,
};
