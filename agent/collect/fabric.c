#include "agent/collect/fabric.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>
#include <sqlite3.h>

#include "agent/base/array.h"
#include "agent/record/decode.h"
#include "petrel/entity.h"

#define SWITCH_ENTITY 1u		/* a run's first */
#define VALUES_MAX (1u << 18)
#define BUSY_MS 1000

enum ask { ASK_SWITCHES, ASK_RUN, ASK_LAST_RUN, ASK_ENTITIES, ASK_PORTS,
	   ASK_FINDINGS, ASK_COUNT };

static const char *const asks[ASK_COUNT] = {
	[ASK_SWITCHES] = "SELECT id, switch_id, name, (SELECT version FROM runs"
			 " WHERE switch = switches.id AND version IS NOT NULL"
			 " ORDER BY runs.id DESC LIMIT 1) FROM switches"
			 " ORDER BY name, switch_id LIMIT ?1",
	[ASK_RUN] = "SELECT id FROM runs"
		    " WHERE switch = ?1 AND run = ?2",
	[ASK_LAST_RUN] = "SELECT id FROM runs"
			 " WHERE switch = ?1 AND version IS NOT NULL"
			 " ORDER BY id DESC LIMIT 1",
	[ASK_ENTITIES] = "SELECT id, kind, parent, name, number, attributes"
			 " FROM entities WHERE run = ?1 AND NOT gone"
			 " ORDER BY id",
	[ASK_PORTS] = "SELECT name, json_extract(attributes, '$.peer_switch'),"
		      " json_extract(attributes, '$.peer_port'),"
		      " json_extract(attributes, '$.media') FROM entities"
		      " WHERE run = (SELECT id FROM runs WHERE switch = ?1"
		      " AND version IS NOT NULL ORDER BY id DESC LIMIT 1)"
		      " AND kind = 'port' AND NOT gone",
	[ASK_FINDINGS] = "SELECT switch, record, onset_wall_ns, when_wall_ns"
			 " FROM findings"
			 " WHERE state <> 'cleared' AND record IS NOT NULL"
			 " AND (?1 = 0 OR switch = ?1)",
};

struct fabric {
	sqlite3 *db;
	sqlite3_stmt *ask[ASK_COUNT];
	const struct known *known;
	struct fabric_switch *list;
	size_t count, cap;
};

static int failed(struct fabric *f, struct diag *d)
{
	return diag_set(d, -EIO, "database: %s", sqlite3_errmsg(f->db));
}

int fabric_open(const char *database, const struct known *known,
		struct fabric **ret, struct diag *d)
{
	struct fabric *f = calloc(1, sizeof(*f));
	int rc;

	if (!f)
		return diag_set(d, -ENOMEM, "out of memory");
	f->known = known;
	rc = sqlite3_open_v2(database, &f->db, SQLITE_OPEN_READONLY |
			     SQLITE_OPEN_NOMUTEX, NULL);
	if (rc == SQLITE_OK)
		(void)sqlite3_busy_timeout(f->db, BUSY_MS);
	for (unsigned i = 0; rc == SQLITE_OK && i < ASK_COUNT; i++)
		rc = sqlite3_prepare_v3(f->db, asks[i], -1,
					SQLITE_PREPARE_PERSISTENT, &f->ask[i],
					NULL);
	if (rc != SQLITE_OK) {
		rc = failed(f, d);
		fabric_close(f);
		return diag_prefix(d, rc, "%s", database);
	}
	*ret = f;
	return 0;
}

void fabric_close(struct fabric *f)
{
	if (!f)
		return;
	for (unsigned i = 0; i < ASK_COUNT; i++)
		(void)sqlite3_finalize(f->ask[i]);	/* told before */
	(void)sqlite3_close(f->db);
	free(f->list);
	free(f);
}

/* A row of an answer, as text; never NULL. */
static const char *text_of(sqlite3_stmt *stmt, int column)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);

	return text ? text : "";
}

/* The end of a walk over rows. */
static int walked(struct fabric *f, sqlite3_stmt *stmt, int rc, struct diag *d)
{
	int err = rc == SQLITE_DONE || rc == SQLITE_ROW ? 0 : failed(f, d);

	(void)sqlite3_reset(stmt);	/* repeats the error just told */
	(void)sqlite3_clear_bindings(stmt);
	return err;
}

/* --- the list ------------------------------------------------------------- */

static bool switch_add(struct fabric *f, sqlite3_stmt *stmt)
{
	struct fabric_switch *list = array_room(f->list, &f->cap, f->count + 1,
						sizeof(*list));
	struct fabric_switch *s;

	if (!list)
		return false;
	f->list = list;
	s = &list[f->count++];
	s->row = sqlite3_column_int64(stmt, 0);
	(void)snprintf(s->switch_id, sizeof(s->switch_id), "%s",
		       text_of(stmt, 1));
	(void)snprintf(s->name, sizeof(s->name), "%s", text_of(stmt, 2));
	(void)snprintf(s->version, sizeof(s->version), "%s",
		       text_of(stmt, 3));
	return true;
}

/* Sorted by name: who has another's name stands beside it. */
static void shown_make(struct fabric *f)
{
	for (size_t i = 0; i < f->count; i++) {
		struct fabric_switch *s = &f->list[i];
		bool is_twin =
			(i > 0 && strcmp(s->name, s[-1].name) == 0) ||
			(i + 1 < f->count && strcmp(s->name, s[1].name) == 0);

		(void)snprintf(s->shown, sizeof(s->shown), "%s%s%s", s->name,
			       is_twin ? "/" : "", is_twin ? s->switch_id : "");
	}
}

int fabric_switches(struct fabric *f, const struct fabric_switch **ret,
		    struct diag *d)
{
	sqlite3_stmt *stmt = f->ask[ASK_SWITCHES];
	bool has_room = true;
	int rc, err;

	f->count = 0;
	(void)sqlite3_bind_int64(stmt, 1, FABRIC_SWITCHES_MAX);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW && has_room)
		has_room = switch_add(f, stmt);
	err = walked(f, stmt, rc, d);
	if (err < 0)
		return err;
	if (!has_room)
		return diag_set(d, -ENOMEM, "out of memory");
	shown_make(f);
	*ret = f->list;
	return (int)f->count;
}

int fabric_find(const struct fabric *f, const char *name,
		const struct fabric_switch **ret, struct diag *d)
{
	const struct fabric_switch *found = NULL;
	size_t same = 0;

	for (size_t i = 0; i < f->count; i++) {
		const struct fabric_switch *s = &f->list[i];

		if (strcmp(s->switch_id, name) == 0 ||
		    strcmp(s->shown, name) == 0) {
			*ret = s;
			return 0;
		}
		if (strcmp(s->name, name) != 0)
			continue;
		found = s;
		same++;
	}
	if (same > 1)
		return diag_set(d, -EEXIST, "%zu switches are called %.64s; "
				"give the id of one, such as %s", same, name,
				found->switch_id);
	if (!found)
		return diag_set(d, -ENOENT, "no switch '%.64s'; petrel "
				"switches lists all %zu", name, f->count);
	*ret = found;
	return 0;
}

/* --- one switch ----------------------------------------------------------- */

static uint32_t kind_of(const char *name)
{
	for (unsigned k = 0; k < ENTITY_KIND_COUNT; k++) {
		const char *kind = entity_kind_name((enum entity_kind)k);

		if (kind && strcmp(kind, name) == 0)
			return k;
	}
	return ENTITY_KIND_COUNT;
}

static void attributes_take(struct recorded *r, uint32_t id, const char *text)
{
	struct json_object *o;

	if (strcmp(text, "{}") == 0)
		return;
	o = json_tokener_parse(text);
	for (unsigned a = 0; o && a < ATTRIBUTE_COUNT; a++) {
		const char *name = attribute_name((enum attribute)a);
		struct json_object *value = NULL;

		if (name && json_object_object_get_ex(o, name, &value))
			recorded_attribute(r, id, a,
					   json_object_get_string(value));
	}
	(void)json_object_put(o);
}

static int entities_read(struct fabric *f, int64_t run, struct recorded *r,
			 struct diag *d)
{
	sqlite3_stmt *stmt = f->ask[ASK_ENTITIES];
	int rc;

	(void)sqlite3_bind_int64(stmt, 1, run);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		struct recorded_entity e = {
			.id = (uint32_t)sqlite3_column_int64(stmt, 0),
			.kind = kind_of(text_of(stmt, 1)),
			.parent = (uint32_t)sqlite3_column_int64(stmt, 2),
			.number = (uint32_t)sqlite3_column_int64(stmt, 4),
			.name = text_of(stmt, 3),
		};

		if (recorded_add(r, &e))
			attributes_take(r, e.id, text_of(stmt, 5));
	}
	return walked(f, stmt, rc, d);
}

/* The run that the newest values are of; else the last one. */
static int run_read(struct fabric *f, const struct fabric_switch *s,
		    const struct known_switch *k, int64_t *ret, struct diag *d)
{
	sqlite3_stmt *stmt = f->ask[k ? ASK_RUN : ASK_LAST_RUN];
	char text[17];
	int rc, err;

	(void)sqlite3_bind_int64(stmt, 1, s->row);
	if (k) {
		(void)snprintf(text, sizeof(text), "%016" PRIx64, k->run);
		(void)sqlite3_bind_text(stmt, 2, text, -1, SQLITE_TRANSIENT);
	}
	rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		*ret = sqlite3_column_int64(stmt, 0);
	err = walked(f, stmt, rc, d);
	if (err == 0 && rc == SQLITE_DONE)
		err = diag_set(d, -ENODATA, "nothing is known of %s", s->shown);
	return err;
}

/* Newest values, and those before them, as two ticks of a state. */
struct values {
	const struct recorded *recorded;
	struct decoded_value *now, *before;
	size_t count, before_count, cap;
	int64_t shift_ns;	/* from the run's clock to this machine's */
};

static void value_take(void *context, uint32_t entity, uint16_t quantity,
		       uint16_t index, const struct known_value *k)
{
	struct values *v = context;
	struct decoded_value value = { .entity = entity, .quantity = quantity,
				       .index = index, .source = k->source,
				       .quality = k->quality,
				       .value = k->value };

	if (v->count == v->cap ||
	    !recorded_takes(v->recorded, entity, k->quality))
		return;
	value.age.taken.ns = k->taken.ns + v->shift_ns;
	v->now[v->count++] = value;
	if (!k->before_taken.ns)
		return;
	value.age.taken.ns = k->before_taken.ns + v->shift_ns;
	value.value = k->before;
	v->before[v->before_count++] = value;
}

static int values_read(struct fabric *f, const struct fabric_switch *s,
		       struct known_switch *k, struct recorded *r)
{
	struct values v = { .recorded = r,
			    .shift_ns = mono_diff_ns(k->came, k->batch) };

	v.cap = k->values < VALUES_MAX ? k->values : VALUES_MAX;
	v.now = calloc(2 * v.cap + 1, sizeof(*v.now));
	if (!v.now)
		return -ENOMEM;
	v.before = v.now + v.cap;
	(void)known_switch(f->known, s->switch_id, k, value_take, &v);
	if (v.before_count)
		recorded_tick(r, mono_after(k->came, -1), v.before,
			      v.before_count);
	if (v.count)
		recorded_tick(r, k->came, v.now, v.count);
	free(v.now);
	return 0;
}

int fabric_view_make(struct fabric *f, const struct fabric_switch *s,
		     struct fabric_view *ret, struct diag *d)
{
	struct known_switch known;
	struct fabric_view v = { .ctx = { .clock = clock_read,
					   .is_far = true } };
	bool has_values = known_switch(f->known, s->switch_id, &known, NULL,
				       NULL) == 0 && known.batch.ns;
	int64_t run = 0;
	int err = run_read(f, s, has_values ? &known : NULL, &run, d);

	if (err < 0)
		return err;
	if (recorded_init(&v.recorded, KNOWN_ENTITY_MAX) < 0)
		return diag_set(d, -ENOMEM, "out of memory");
	err = entities_read(f, run, &v.recorded, d);
	if (err == 0 && has_values &&
	    values_read(f, s, &known, &v.recorded) < 0)
		err = diag_set(d, -ENOMEM, "out of memory");
	if (err < 0) {
		recorded_fini(&v.recorded);
		return err;
	}
	*ret = v;
	ret->ctx.switch_name = s->name;
	ret->ctx.switch_id = s->switch_id;
	ret->ctx.version = s->version;
	ret->ctx.state = ret->recorded.state;
	return 0;
}

void fabric_view_fini(struct fabric_view *v)
{
	recorded_fini(&v->recorded);
}

int fabric_ports(struct fabric *f, const struct fabric_switch *s,
		 fabric_port_fn *fn, void *context, struct diag *d)
{
	sqlite3_stmt *stmt = f->ask[ASK_PORTS];
	int rc;

	(void)sqlite3_bind_int64(stmt, 1, s->row);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		struct fabric_port p = { text_of(stmt, 0), text_of(stmt, 1),
					 text_of(stmt, 2), text_of(stmt, 3) };

		fn(context, s, &p);
	}
	return walked(f, stmt, rc, d);
}

int64_t fabric_sum(const struct fabric *f, const struct fabric_switch *list,
		   int count, uint16_t quantity, uint16_t index)
{
	struct known_value v;
	int64_t sum = -1;

	for (int i = 0; i < count; i++)
		if (known_value(f->known, list[i].switch_id, SWITCH_ENTITY,
				quantity, index, &v) == 0)
			sum = (sum < 0 ? 0 : sum) + v.value;
	return sum;
}

/* --- findings ------------------------------------------------------------- */

static const struct fabric_switch *switch_of(const struct fabric *f,
					     int64_t row)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->list[i].row == row)
			return &f->list[i];
	return NULL;
}

static void finding_give(const struct fabric_switch *s, sqlite3_stmt *stmt,
			 fabric_finding_fn *fn, void *context)
{
	const void *record = sqlite3_column_blob(stmt, 1);
	size_t len = (size_t)sqlite3_column_bytes(stmt, 1);
	ProtobufCMessage *m;
	struct finding finding;

	if (!s || record_unpack(RECORD_FINDING, record, len, &m) < 0)
		return;
	if (finding_of_message((const Petrel__Finding *)m, &finding) == 0) {
		finding.onset_wall.ns = sqlite3_column_int64(stmt, 2);
		finding.when_wall.ns = sqlite3_column_int64(stmt, 3);
		fn(context, s, &finding);
	}
	record_unpacked_free(m);
}

int fabric_findings(struct fabric *f, const struct fabric_switch *s,
		    fabric_finding_fn *fn, void *context, struct diag *d)
{
	sqlite3_stmt *stmt = f->ask[ASK_FINDINGS];
	int rc;

	(void)sqlite3_bind_int64(stmt, 1, s ? s->row : 0);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
		finding_give(switch_of(f, sqlite3_column_int64(stmt, 0)), stmt,
			     fn, context);
	return walked(f, stmt, rc, d);
}
