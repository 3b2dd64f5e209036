#include "agent/collect/fabric.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>
#include <sqlite3.h>

#include "agent/base/array.h"
#include "agent/record/decode.h"
#include "petrel/entity.h"
#include "petrel/platform.h"

#define SWITCH_ENTITY 1u		/* a run's first */
#define VALUES_MAX (1u << 18)
/* Values may be recorded less often than read, but each minute all are. */
#define PACE_LEAST_NS (20 * NS_PER_S)

#define LAST_RUN "(SELECT id FROM runs WHERE switch = ?1" \
	" AND version IS NOT NULL ORDER BY id DESC LIMIT 1)"
#define OF(table, attribute) \
	" json_extract(" #table ".attributes, '$." #attribute "')"

/* The ports of a switch, as asic1:Ethernet0 if two have that name, and the
 * module of each one's cage.
 */
#define OF_PORTS(columns) \
	"WITH module AS (SELECT number, parent, attributes FROM entities" \
	" WHERE run = " LAST_RUN " AND kind = 'module' AND NOT gone)" \
	" SELECT CASE count(*) OVER (PARTITION BY port.name)" \
	" WHEN 1 THEN port.name" \
	" ELSE coalesce(chip.name || ':', '') || port.name END," columns \
	" FROM entities AS port LEFT JOIN entities AS chip" \
	" ON chip.run = port.run AND chip.id = port.parent" \
	" LEFT JOIN module ON module.number =" \
	" CAST(" OF(port, module) " AS INTEGER)" \
	" AND module.parent IN (port.parent, 1)" \
	" WHERE port.run = " LAST_RUN \
	" AND port.kind = 'port' AND NOT port.gone"

static const char *const asks[FABRIC_ASKS] = {
	[FABRIC_SWITCHES] = "SELECT id, switch_id, name, (SELECT version FROM runs"
			    " WHERE switch = switches.id AND version IS NOT NULL"
			    " ORDER BY runs.id DESC LIMIT 1) FROM switches"
			    " ORDER BY name, switch_id LIMIT ?1",
	[FABRIC_RUN] = "SELECT id FROM runs"
		       " WHERE switch = ?1 AND run = ?2",
	[FABRIC_LAST_RUN] = "SELECT id FROM runs"
			    " WHERE switch = ?1 AND version IS NOT NULL"
			    " ORDER BY id DESC LIMIT 1",
	[FABRIC_ENTITIES] = "SELECT id, kind, parent, name, number, attributes"
			    " FROM entities WHERE run = ?1 AND NOT gone"
			    " ORDER BY id",
	/* the agent's own values have no period */
	[FABRIC_SOURCES] = "SELECT number, min(number) OVER (PARTITION BY name),"
			   " CASE WHEN name LIKE 'petrel.%' THEN 0 ELSE pace_ns"
			   " END FROM sources WHERE run = ?1",
	[FABRIC_SITE] = "SELECT (SELECT switch_id FROM switches WHERE id = ?1),"
			OF(entities, platform) "," OF(entities, hwsku) ","
			OF(entities, rack) " FROM entities"
			" WHERE run = " LAST_RUN " AND id = 1",
	[FABRIC_PORTS] = OF_PORTS(OF(port, alias) "," OF(port, module) ","
				  " coalesce(" OF(port, media) ","
				  OF(module, media) ")," OF(port, peer_switch) ","
				  OF(port, peer_port)),
	/* if the module was ever read */
	[FABRIC_MODULES] = "SELECT * FROM ("
			   OF_PORTS(OF(port, module) ","
				    OF(module, vendor) " AS vendor,"
				    OF(module, part) "," OF(module, revision) ","
				    OF(module, serial) " AS serial,"
				    OF(module, firmware) ","
				    OF(module, form_factor))
			   ") WHERE vendor <> '' OR serial <> ''",
	[FABRIC_FINDINGS] = "SELECT switch, record, onset_wall_ns, when_wall_ns"
			    " FROM findings"
			    " WHERE state <> 'cleared' AND record IS NOT NULL"
			    " AND (?1 = 0 OR switch = ?1)",
	/* the newest ones, oldest first; times by each run's clock */
	[FABRIC_EVENTS] = "SELECT * FROM (SELECT run_clocks.wall_ns -"
			  " run_clocks.mono_ns + events.mono_ns AS wall, what,"
			  " value, text, subject FROM events"
			  " JOIN runs ON runs.id = events.run"
			  " JOIN run_clocks ON run_clocks.run = runs.id"
			  " WHERE switch = ?1 AND wall >= ?2"
			  " ORDER BY wall DESC LIMIT ?3) ORDER BY wall",
	[FABRIC_CAPSULES] = "SELECT payload FROM capsules JOIN runs"
			    " ON runs.id = capsules.run WHERE switch = ?1"
			    " AND finding = ?2 ORDER BY part",
};

struct fabric {
	struct statement_set *asks;
	struct rollup_file *rollups;	/* NULL: there are none */
	const struct known *known;
	struct fabric_switch *list;
	size_t count, cap;
};

int fabric_open(const char *database, const struct known *known,
		struct fabric **ret, struct diag *d)
{
	const struct statement_env env = { database, asks, FABRIC_ASKS, NULL };
	struct fabric *f = calloc(1, sizeof(*f));
	char rollups[ROLLUP_PATH_MAX];
	int err;

	if (!f)
		return diag_set(d, -ENOMEM, "out of memory");
	f->known = known;
	err = statement_set_open(&env, &f->asks, d);
	if (err < 0) {
		fabric_close(f);
		return err;
	}
	rollup_path(database, rollups);
	(void)rollup_file_open(rollups, true, &f->rollups, NULL);
	*ret = f;
	return 0;
}

void fabric_close(struct fabric *f)
{
	if (!f)
		return;
	statement_set_close(f->asks);
	rollup_file_close(f->rollups);
	free(f->list);
	free(f);
}

/* --- the list ------------------------------------------------------------- */

static int switch_add(void *context, sqlite3_stmt *row)
{
	struct fabric *f = context;
	struct fabric_switch *list = array_room(f->list, &f->cap, f->count + 1,
						sizeof(*list));
	struct fabric_switch *s;

	if (!list)
		return -ENOMEM;
	f->list = list;
	s = &list[f->count++];
	s->row = sqlite3_column_int64(row, 0);
	(void)snprintf(s->switch_id, sizeof(s->switch_id), "%s",
		       statement_text(row, 1));
	(void)snprintf(s->name, sizeof(s->name), "%s", statement_text(row, 2));
	(void)snprintf(s->version, sizeof(s->version), "%s",
		       statement_text(row, 3));
	return 0;
}

/* Sorted by name: equal names are adjacent. */
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
	int err;

	f->count = 0;
	err = statement_each(f->asks, FABRIC_SWITCHES, d, switch_add, f, "i",
			     (int64_t)FABRIC_SWITCHES_MAX);
	if (err == -ENOMEM)
		return diag_set(d, err, "out of memory");
	if (err < 0)
		return err;
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
		return diag_set(d, -EEXIST, "%zu switches are named %.64s; "
				"give the id of one, such as %s", same, name,
				found->switch_id);
	if (!found)
		return diag_set(d, -ENOENT, "no switch '%.64s'; petrel "
				"switches lists all %zu", name, f->count);
	*ret = found;
	return 0;
}

/* --- one switch ----------------------------------------------------------- */

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

static int entity_take(void *context, sqlite3_stmt *row)
{
	struct recorded *r = context;
	int kind = entity_kind_parse(statement_text(row, 1));
	struct recorded_entity e = {
		.id = (uint32_t)sqlite3_column_int64(row, 0),
		.kind = kind < 0 ? ENTITY_KIND_COUNT : (uint32_t)kind,
		.parent = (uint32_t)sqlite3_column_int64(row, 2),
		.number = (uint32_t)sqlite3_column_int64(row, 4),
		.name = statement_text(row, 3),
	};

	if (recorded_add(r, &e))
		attributes_take(r, e.id, statement_text(row, 5));
	return 0;
}

static int source_take(void *context, sqlite3_stmt *row)
{
	int64_t pace_ns = sqlite3_column_int64(row, 2);

	if (pace_ns > 0 && pace_ns < PACE_LEAST_NS)
		pace_ns = PACE_LEAST_NS;
	recorded_source(context, (unsigned)sqlite3_column_int64(row, 0),
			(unsigned)sqlite3_column_int64(row, 1), pace_ns);
	return 0;
}

/* The run of the newest values; else the last one. */
static int run_read(struct fabric *f, const struct fabric_switch *s,
		    const struct known_switch *k, int64_t *ret, struct diag *d)
{
	int err = k ? statement_get(f->asks, FABRIC_RUN, ret, NULL, d, "ir",
				    s->row, k->run) :
		      statement_get(f->asks, FABRIC_LAST_RUN, ret, NULL, d, "i",
				    s->row);

	return err == -ENODATA ? diag_set(d, err, "no data from %s",
					  s->shown) : err;
}

/* The newest values, and the previous ones, as two ticks of a state. */
struct values {
	const struct recorded *recorded;
	struct decoded_value *now, *before;
	size_t count, before_count, cap;
	int64_t shift_ns;	/* from the run's clock to this one's */
};

/* A moment of the run's clock on this one's; before the boot: at the boot. */
static struct mono moment_here(const struct values *v, struct mono then)
{
	int64_t ns = then.ns + v->shift_ns;

	return (struct mono){ ns > 0 ? ns : 1 };
}

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
	value.age.taken = moment_here(v, k->taken);
	v->now[v->count++] = value;
	if (!k->before_taken.ns)
		return;
	value.age.taken = moment_here(v, k->before_taken);
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
	if (recorded_init(&v.recorded, ENTITY_LIST_IDS_MAX) < 0)
		return diag_set(d, -ENOMEM, "out of memory");
	err = statement_each(f->asks, FABRIC_ENTITIES, d, entity_take,
			     &v.recorded, "i", run);
	if (err == 0)
		err = statement_each(f->asks, FABRIC_SOURCES, d, source_take,
				     &v.recorded, "i", run);
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

/* A walk over findings, and who receives them. */
struct giving {
	const struct fabric *fabric;
	fabric_finding_fn *fn;
	void *context;
};

static int finding_give(void *context, sqlite3_stmt *row)
{
	const struct giving *g = context;
	const struct fabric_switch *s =
		switch_of(g->fabric, sqlite3_column_int64(row, 0));
	const void *record = sqlite3_column_blob(row, 1);
	size_t len = (size_t)sqlite3_column_bytes(row, 1);
	ProtobufCMessage *m;
	struct finding finding;

	if (!s || record_unpack(RECORD_FINDING, record, len, &m) < 0)
		return 0;
	if (finding_of_message((const Petrel__Finding *)m, &finding) == 0) {
		finding.onset_wall.ns = sqlite3_column_int64(row, 2);
		finding.when_wall.ns = sqlite3_column_int64(row, 3);
		g->fn(g->context, s, &finding);
	}
	record_unpacked_free(m);
	return 0;
}

int fabric_findings(struct fabric *f, const struct fabric_switch *s,
		    fabric_finding_fn *fn, void *context, struct diag *d)
{
	struct giving g = { f, fn, context };

	return statement_each(f->asks, FABRIC_FINDINGS, d, finding_give, &g,
			      "i", s ? s->row : (int64_t)0);
}

struct statement_set *fabric_asks(const struct fabric *f)
{
	return f->asks;
}

struct rollup_file *fabric_rollups(const struct fabric *f)
{
	return f->rollups;
}
