#include "agent/collect/stored.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <sqlite3.h>

#include "petrel/entity.h"

enum question { ASK_ENTITIES, ASK_SOURCES, ASK_CLOCK, ASK_NAME, ASK_PORT,
		ASK_SWITCH, KEEP_SOURCE, QUESTION_COUNT };

#define OF_RUN(table) " FROM " table " JOIN runs ON runs.id = " table ".run" \
	" JOIN switches ON switches.id = switch WHERE switch_id = ?1"
#define OF_ENTITY "SELECT json_extract(attributes, '$.' || ?2)" \
	OF_RUN("entities") " AND gone = 0"

static const char *const questions[QUESTION_COUNT] = {
	[ASK_ENTITIES] =
		"SELECT entities.id, kind, parent, entities.name, number,"
		" json_extract(attributes, '$.module'),"
		" json_extract(attributes, '$.first_lane'),"
		" json_extract(attributes, '$.lane_count')"
		OF_RUN("entities") " AND runs.run = ?2 AND gone = 0",
	[ASK_SOURCES] =
		"SELECT number, sources.name, pace_ns,"
		" (SELECT quantity FROM source_quantities AS gave WHERE"
		" gave.run = sources.run AND gave.name = sources.name)"
		OF_RUN("sources") " AND runs.run = ?2",
	[ASK_CLOCK] =
		"SELECT run_clocks.mono_ns, run_clocks.wall_ns, is_set"
		OF_RUN("run_clocks") " AND runs.run = ?2",
	[ASK_NAME] = "SELECT name FROM switches WHERE switch_id = ?1",
	[ASK_PORT] = OF_ENTITY " AND kind = 'port' AND entities.name = ?3"
		" ORDER BY runs.id DESC LIMIT 1",
	[ASK_SWITCH] = OF_ENTITY " AND kind = 'switch'"
		" ORDER BY runs.id DESC LIMIT 1",
	[KEEP_SOURCE] =
		"INSERT OR REPLACE INTO source_quantities"
		" SELECT runs.id, ?3, ?4"
		" FROM runs JOIN switches ON switches.id = switch"
		" WHERE switch_id = ?1 AND runs.run = ?2 RETURNING quantity",
};

#define PLACES 3	/* attributes of a port: where it is on its module */

int stored_open(const char *path, bool keeps, struct statement_set **ret,
		struct diag *d)
{
	const struct statement_env env = { path, questions, QUESTION_COUNT,
					   NULL, keeps };

	return statement_set_open(&env, ret, d);
}

/* Passes it on as a dictionary of one entity. */
static int entity_give(void *context, sqlite3_stmt *row)
{
	static const enum attribute keys[PLACES] = {
		ATTRIBUTE_MODULE, ATTRIBUTE_FIRST_LANE, ATTRIBUTE_LANE_COUNT,
	};
	int kind = entity_kind_parse(statement_text(row, 1));
	char name[ENTITY_NAME_MAX];
	char text[PLACES][ENTITY_NAME_MAX];
	Petrel__Attribute attribute[PLACES], *attributes[PLACES];
	Petrel__Entity entity, *entities = &entity;
	Petrel__Dictionary m;

	petrel__entity__init(&entity);
	petrel__dictionary__init(&m);
	(void)snprintf(name, sizeof(name), "%s", statement_text(row, 3));
	for (int n = 0; n < PLACES; n++) {
		petrel__attribute__init(&attribute[n]);
		(void)snprintf(text[n], sizeof(text[n]), "%s",
			       statement_text(row, 5 + n));
		attribute[n].key = keys[n];
		attribute[n].text = text[n];
		attributes[n] = &attribute[n];
	}
	entity.id = (uint32_t)sqlite3_column_int64(row, 0);
	entity.kind = kind < 0 ? 0 : (uint32_t)kind;
	entity.parent = (uint32_t)sqlite3_column_int64(row, 2);
	entity.name = name;
	entity.number = (uint32_t)sqlite3_column_int64(row, 4);
	entity.attributes = attributes;
	entity.n_attributes = PLACES;
	m.entities = &entities;
	m.n_entities = 1;
	known_entities(context, &m);
	return 0;
}

/* Gives each row that a question about a run has. */
static void run_ask(struct statement_set *s, unsigned question,
		    const char *switch_id, uint64_t run, statement_row_fn *give,
		    void *to)
{
	(void)statement_each(s, question, NULL, give, to, "tr", switch_id, run);
}

void stored_entities(struct statement_set *s, const char *switch_id,
		     uint64_t run, struct known_run *to)
{
	Petrel__Dictionary none;

	run_ask(s, ASK_ENTITIES, switch_id, run, entity_give, to);
	petrel__dictionary__init(&none);
	known_dictionary(to, &none);	/* builds the names */
}

static int source_give(void *context, sqlite3_stmt *row)
{
	const char *name = statement_text(row, 1);

	remote_source_set(context, (unsigned)sqlite3_column_int64(row, 0),
			  name, sqlite3_column_int64(row, 2));
	remote_source_gave(context, name,
			   (uint16_t)sqlite3_column_int64(row, 3));
	return 0;
}

void stored_sources(struct statement_set *s, const char *switch_id,
		    uint64_t run, struct remote_sources *to)
{
	run_ask(s, ASK_SOURCES, switch_id, run, source_give, to);
}

int stored_sources_keep(struct statement_set *s, const char *switch_id,
			uint64_t run, struct remote_sources *from)
{
	struct remote_source_kept gave;
	size_t at = 0;
	int err = 0;

	while (err == 0 && remote_source_next(from, &at, &gave)) {
		int64_t quantity;

		err = statement_begin(s, NULL);
		if (err == 0)
			err = statement_get(s, KEEP_SOURCE, &quantity, NULL,
					    NULL, "trti", switch_id, run,
					    gave.name, (int64_t)gave.quantity);
	}
	if (err == 0 && statement_has_begun(s))
		err = statement_commit(s, NULL);
	if (err < 0)
		statement_back(s);
	else
		remote_sources_kept(from);
	return err;
}

static int clock_give(void *context, sqlite3_stmt *row)
{
	*(struct run_clock *)context =
		run_clock_kept(sqlite3_column_int64(row, 0),
			       sqlite3_column_int64(row, 1),
			       sqlite3_column_int64(row, 2) != 0);
	return 1;
}

void stored_clock(struct statement_set *s, const char *switch_id, uint64_t run,
		  struct run_clock *to)
{
	run_ask(s, ASK_CLOCK, switch_id, run, clock_give, to);
}

/* A text of the first row. */
struct stored_text {
	char *ret;
	size_t cap;
};

static int text_give(void *context, sqlite3_stmt *row)
{
	const struct stored_text *to = context;

	(void)snprintf(to->ret, to->cap, "%s", statement_text(row, 0));
	return 1;
}

static void switch_name_give(struct statement_set *s, const char *switch_id,
			     struct known *k, struct known_run *to)
{
	char name[SWITCH_NAME_MAX] = "";
	struct stored_text text = { name, sizeof(name) };

	if (strcmp(known_switch_name(to), switch_id) != 0)
		return;
	(void)statement_each(s, ASK_NAME, NULL, text_give, &text, "t",
			     switch_id);
	if (name[0])
		known_switch_named(k, to, name);
}

void stored_run(struct statement_set *s, const struct entry *e, struct known *k,
		struct known_run *to)
{
	if (!known_clock(to)->anchor.mono.ns)
		stored_clock(s, e->switch_id, e->run, known_clock(to));
	switch_name_give(s, e->switch_id, k, to);
}

int stored_attribute(struct statement_set *s, const char *switch_id,
		     const char *port, const char *attribute, char *ret,
		     size_t cap)
{
	struct stored_text text = { ret, cap };

	ret[0] = '\0';
	if (port)
		(void)statement_each(s, ASK_PORT, NULL, text_give, &text, "ttt",
				     switch_id, attribute, port);
	else
		(void)statement_each(s, ASK_SWITCH, NULL, text_give, &text,
				     "tt", switch_id, attribute);
	return ret[0] ? 0 : -ENODATA;
}
