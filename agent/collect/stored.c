#include "agent/collect/stored.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "petrel/entity.h"

enum question { ASK_ENTITIES, ASK_CLOCK, ASK_NAME, ASK_PORT, ASK_SWITCH,
		QUESTION_COUNT };

#define OF_RUN(table) " FROM " table " JOIN runs ON runs.id = " table ".run" \
	" JOIN switches ON switches.id = switch WHERE switch_id = ?1"
#define OF_ENTITY "SELECT json_extract(attributes, '$.' || ?2)" \
	OF_RUN("entities") " AND gone = 0"

static const char *const questions[QUESTION_COUNT] = {
	[ASK_ENTITIES] =
		"SELECT entities.id, kind, parent, entities.name, number,"
		" json_extract(attributes, '$.module')"
		OF_RUN("entities") " AND runs.run = ?2 AND gone = 0",
	[ASK_CLOCK] =
		"SELECT run_clocks.mono_ns, run_clocks.wall_ns, is_set"
		OF_RUN("run_clocks") " AND runs.run = ?2",
	[ASK_NAME] = "SELECT name FROM switches WHERE switch_id = ?1",
	[ASK_PORT] = OF_ENTITY " AND kind = 'port' AND entities.name = ?3"
		" ORDER BY runs.id DESC LIMIT 1",
	[ASK_SWITCH] = OF_ENTITY " AND kind = 'switch'"
		" ORDER BY runs.id DESC LIMIT 1",
};

struct stored {
	sqlite3 *db;
	sqlite3_stmt *ask[QUESTION_COUNT];
};

int stored_open(const char *path, struct stored **ret, struct diag *d)
{
	struct stored *i = calloc(1, sizeof(*i));
	int rc;

	if (!i)
		return diag_set(d, -ENOMEM, "out of memory");
	rc = sqlite3_open_v2(path, &i->db, SQLITE_OPEN_READONLY |
			     SQLITE_OPEN_NOMUTEX, NULL);
	for (unsigned q = 0; rc == SQLITE_OK && q < QUESTION_COUNT; q++)
		rc = sqlite3_prepare_v2(i->db, questions[q], -1, &i->ask[q],
					NULL);
	if (rc != SQLITE_OK) {
		(void)diag_set(d, -EIO, "%s: %s", path, sqlite3_errmsg(i->db));
		stored_close(i);
		return -EIO;
	}
	(void)sqlite3_busy_timeout(i->db, 1000);
	*ret = i;
	return 0;
}

void stored_close(struct stored *i)
{
	if (!i)
		return;
	for (unsigned q = 0; q < QUESTION_COUNT; q++)
		(void)sqlite3_finalize(i->ask[q]);
	(void)sqlite3_close(i->db);
	free(i);
}

/* With its first parameters; reset it when it is read. */
static sqlite3_stmt *asked(struct stored *i, enum question q,
			   const char *first, const char *second)
{
	sqlite3_stmt *stmt = i->ask[q];

	(void)sqlite3_reset(stmt);
	(void)sqlite3_clear_bindings(stmt);
	(void)sqlite3_bind_text(stmt, 1, first, -1, SQLITE_TRANSIENT);
	if (second)
		(void)sqlite3_bind_text(stmt, 2, second, -1,
					SQLITE_TRANSIENT);
	return stmt;
}

static sqlite3_stmt *asked_of_run(struct stored *i, enum question q,
				  const char *switch_id, uint64_t run)
{
	char text[17];

	(void)snprintf(text, sizeof(text), "%016" PRIx64, run);
	return asked(i, q, switch_id, text);
}

static uint32_t kind_of(const char *name)
{
	for (uint32_t kind = 1; name && kind < ENTITY_KIND_COUNT; kind++)
		if (strcmp(entity_kind_name(kind), name) == 0)
			return kind;
	return 0;
}

/* As a dictionary of one entity would say it. */
static void entity_give(sqlite3_stmt *stmt, struct known_run *to)
{
	char text[4][ENTITY_NAME_MAX] = { "" };
	Petrel__Attribute attribute, *attributes = &attribute;
	Petrel__Entity entity, *entities = &entity;
	Petrel__Dictionary m;

	for (int n = 0; n < 4; n++) {
		static const int columns[] = { 1, 3, 5, 4 };
		const unsigned char *found = sqlite3_column_text(stmt,
								 columns[n]);

		(void)snprintf(text[n], sizeof(text[n]), "%s", found ?
			       (const char *)found : "");
	}
	petrel__attribute__init(&attribute);
	petrel__entity__init(&entity);
	petrel__dictionary__init(&m);
	attribute.key = ATTRIBUTE_MODULE;
	attribute.text = text[2];
	entity.id = (uint32_t)sqlite3_column_int64(stmt, 0);
	entity.kind = kind_of(text[0]);
	entity.parent = (uint32_t)sqlite3_column_int64(stmt, 2);
	entity.name = text[1];
	entity.number = (uint32_t)sqlite3_column_int64(stmt, 4);
	entity.attributes = &attributes;
	entity.n_attributes = text[2][0] != '\0';
	m.entities = &entities;
	m.n_entities = 1;
	known_entities(to, &m);
}

void stored_entities(struct stored *i, const char *switch_id,
			uint64_t run, struct known_run *to)
{
	Petrel__Dictionary none;
	sqlite3_stmt *stmt = asked_of_run(i, ASK_ENTITIES, switch_id, run);

	while (sqlite3_step(stmt) == SQLITE_ROW)
		entity_give(stmt, to);
	(void)sqlite3_reset(stmt);
	petrel__dictionary__init(&none);
	known_dictionary(to, &none);	/* which makes the names */
}

void stored_clock(struct stored *i, const char *switch_id, uint64_t run,
		  struct run_clock *to)
{
	sqlite3_stmt *stmt = asked_of_run(i, ASK_CLOCK, switch_id, run);

	if (sqlite3_step(stmt) == SQLITE_ROW)
		*to = run_clock_kept(sqlite3_column_int64(stmt, 0),
				     sqlite3_column_int64(stmt, 1),
				     sqlite3_column_int64(stmt, 2) != 0);
	(void)sqlite3_reset(stmt);
}

static int text_get(sqlite3_stmt *stmt, char *ret, size_t cap)
{
	const unsigned char *found = sqlite3_step(stmt) == SQLITE_ROW ?
				     sqlite3_column_text(stmt, 0) : NULL;

	(void)snprintf(ret, cap, "%s", found ? (const char *)found : "");
	(void)sqlite3_reset(stmt);
	return ret[0] ? 0 : -ENODATA;
}

void stored_switch_name(struct stored *i, const char *switch_id,
			struct known *k, struct known_run *to)
{
	char name[SWITCH_NAME_MAX];

	if (strcmp(known_switch_name(to), switch_id) == 0 &&
	    text_get(asked(i, ASK_NAME, switch_id, NULL), name,
		     sizeof(name)) == 0)
		known_switch_named(k, to, name);
}

int stored_attribute(struct stored *i, const char *switch_id,
			const char *port, const char *attribute, char *ret,
			size_t cap)
{
	sqlite3_stmt *stmt = asked(i, port ? ASK_PORT : ASK_SWITCH, switch_id,
				   attribute);

	if (port)
		(void)sqlite3_bind_text(stmt, 3, port, -1, SQLITE_TRANSIENT);
	return text_get(stmt, ret, cap);
}
