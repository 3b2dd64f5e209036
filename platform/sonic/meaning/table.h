/* A table of SONiC's databases: where its rows are, which fields they have, and
 * which function takes a row. meaning/ has lists of them by subject.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "platform/sonic/meaning/field.h"
#include "platform/sonic/switchdb/database.h"

#define PORT_PRIORITIES_MAX 8
#define MODULE_LANES_MAX 8	/* xcvrd publishes the first bank's */
#define MODULE_LANES_TOLD_MAX 32	/* of a module, as it says of itself */

struct object;
struct poll;
struct run;

enum sonic_source {
	SONIC_COUNTERS,
	SONIC_QUEUES,
	SONIC_WATERMARKS,
	SONIC_PORTS,
	SONIC_TRANSCEIVERS,
	SONIC_DOM,
	SONIC_THRESHOLDS,
	SONIC_FLAGS,
	SONIC_STATUS,
	SONIC_PFCWD,
	SONIC_CAUSES,
	SONIC_RATES,
	SONIC_PHY,
	SONIC_GEARBOX,
	SONIC_HEAT,
	SONIC_VDM,
	SONIC_FLAG_CHANGES,
	SONIC_PM,
	SONIC_SENSORS,
	SONIC_NEIGHBORS,
	SONIC_SETTINGS,
	SONIC_KEPT,		/* watermarks kept by scripts of SONiC */
	SONIC_CHANGES,		/* read by following_read.c, not by the polls */
	SONIC_PUBLISH,		/* writes: findings, if configured */
	SONIC_HFT,
	SONIC_CHASSIS,
	SONIC_FABRIC,
	SONIC_SOURCE_COUNT,
};

/* Groups of syncd's flex counter: the writer of a table, and its interval. */
enum flex_group {
	FLEX_PORT,
	FLEX_WRED_PORT,
	FLEX_QUEUE,
	FLEX_WRED_QUEUE,
	FLEX_PG_DROP,
	FLEX_PORT_DROP,
	FLEX_QUEUE_WATERMARK,
	FLEX_PG_WATERMARK,
	FLEX_POOL_WATERMARK,
	FLEX_PFCWD,
	FLEX_PHY,
	FLEX_FABRIC,
	FLEX_SWITCH,
	FLEX_GROUP_COUNT,
	FLEX_NONE = FLEX_GROUP_COUNT,
};

/* The object of a key. */
enum object_kind {
	OBJECT_PORT,
	OBJECT_QUEUE,
	OBJECT_GROUP,		/* priority group */
	OBJECT_POOL,
	OBJECT_GEARBOX_SYSTEM,	/* a port's gearbox, in GB_COUNTERS_DB */
	OBJECT_GEARBOX_LINE,
	OBJECT_TEMPERATURE,	/* these are sensors */
	OBJECT_FAN,
	OBJECT_PSU,
	OBJECT_PSU_FAN,
	OBJECT_VOLTAGE,
	OBJECT_CURRENT,
	OBJECT_LEAK,
	OBJECT_STORAGE,
	OBJECT_ASIC,
	OBJECT_CARD,		/* of a chassis; as the host reports it */
	OBJECT_CARD_TEMPERATURE,	/* a card's own: "3|CPU", by slot */
	OBJECT_CARD_VOLTAGE,
	OBJECT_CARD_CURRENT,
	OBJECT_SWITCH,		/* only one, without a name */
	OBJECT_SYSTEM_PORT,	/* "Linecard1|Asic0|Ethernet4", of any card */
	OBJECT_VOQ,		/* virtual output queue towards a system port */
	OBJECT_FABRIC_PORT,
	OBJECT_LAG_MEMBER,	/* a port: "PortChannel1|Ethernet0" */
	OBJECT_CHIP,		/* only one, with an id; the switch by it */
	OBJECT_KIND_COUNT,
};

/* How to build an object's key. */
enum table_key {
	KEY_NAME,
	KEY_OID,
	KEY_INDEX,	/* the port's index, which is its cage's number */
	KEY_DIGITS,	/* of the port's name: 200 of Ethernet200 */
	KEY_FIXED,	/* the table is the key */
	KEY_ROW,	/* the table's row */
	KEY_PARTS,	/* the name, with the database's own separator in it */
	KEY_SLOT,	/* the name continues the table's name */
};

/* How to find the age of a row, and recognise a repeat. */
enum table_age {
	AGE_FLEX,	/* syncd's time stamp, else its group's interval */
	AGE_ROW,	/* last_update_time; without it, changed content */
	AGE_CHANGE,	/* seldom changes: passed on when it does, and else
			 * every few minutes */
	AGE_NOW,	/* written when it happens: valid when read */
};

/* The window of a peak. */
enum table_window {
	WINDOW_NONE,
	WINDOW_GROUP,	/* the group's interval: read and cleared */
	WINDOW_PERIOD,	/* SONiC's telemetry interval */
};

struct table {
	const char *name;	/* before the separator */
	const char *row;	/* after it, for KEY_ROW */
	uint8_t source;		/* enum sonic_source */
	uint8_t database;	/* enum database_name */
	uint8_t object;		/* enum object_kind */
	uint8_t group;		/* enum flex_group */
	uint8_t age;		/* enum table_age */
	uint8_t key;		/* enum table_key */
	uint8_t window;		/* enum table_window */
	uint8_t judged;		/* 1 + enum reading_of; 0: not judged */
	bool whole;		/* HGETALL; else HMGET of the fields */
	bool of_module;		/* parts are module and lanes; a row per cage */
	bool optional;		/* the source works without it */
	bool sparse;		/* objects without a row are retried rarely */
	bool late;		/* read after all others */
	struct fields fields;
	/* Makes its values those of the fields' quantities first, where one
	 * field says what another means. NULL: they are.
	 */
	void (*settle)(struct row *row, const struct field_index *x);
	/* Takes a row. NULL: the table is never read. */
	void (*take)(struct poll *p, struct run *r, struct object *o,
		     const struct row *row);
	/* True if an object's row is needed now; NULL: always. */
	bool (*wanted)(const struct poll *p, struct object *o);
};

/* The tables of a subject. */
struct table_list {
	const struct table *list;
	unsigned count;
};

#define TABLE_LIST(of) { (of), sizeof(of) / sizeof((of)[0]) }
#define FIELDS(of, ...)							\
	.fields = { .list = (of), .count = sizeof(of) / sizeof((of)[0]), \
		    ##__VA_ARGS__ }

/* Rows of syncd, by object id. */
#define SYNCD(name_, source_, object_, group_)				\
	.name = (name_), .source = (source_), .object = (object_),	\
	.group = (group_), .database = DATABASE_COUNTERS,		\
	.age = AGE_FLEX, .key = KEY_OID
/* Rows that are valid when read. */
#define ROW(name_, source_, database_, object_)				\
	.name = (name_), .source = (source_), .age = AGE_NOW,		\
	.database = (database_), .object = (object_), .group = FLEX_NONE
/* Rows of a module, which xcvrd writes for its cage. */
#define MODULE(name_, source_, age_)					\
	.name = (name_), .source = (source_), .age = (age_),		\
	.database = DATABASE_STATE, .object = OBJECT_PORT,		\
	.group = FLEX_NONE, .of_module = true

/* Fields of several subjects. Slot 0 is last_update_time for AGE_ROW. */
enum { TEXT_UPDATED };

/* A text; or one that is also an attribute of the row's entity. */
#define FIELD_AS_TEXT(name, slot) { name, 0, slot, 0, FIELD_TEXT, 0 }
#define FIELD_ATTRIBUTE(name, slot, attribute)				\
	{ name, 0, slot, 0, FIELD_TEXT, 1 + (attribute) }
#define FIELD_UPDATED FIELD_AS_TEXT("last_update_time", TEXT_UPDATED)
#define FIELD_LANES_OF(of)						\
	of(1), of(2), of(3), of(4), of(5), of(6), of(7), of(8)
