/* What is read from where: one row a table of SONiC's databases. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/clock.h"
#include "platform/sonic/database.h"
#include "platform/sonic/field.h"

#define PORT_PRIORITIES_MAX 8
#define MODULE_LANES_MAX 8

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
	SONIC_SETTINGS,		/* by settings.c; no table of tables.c */
	SONIC_SOURCE_COUNT,
};

/* Groups of syncd's flex counter: who writes a table, and how often. */
enum flex_group {
	FLEX_PORT,
	FLEX_PORT_DROP,
	FLEX_QUEUE,
	FLEX_QUEUE_WATERMARK,
	FLEX_PG_DROP,
	FLEX_PG_WATERMARK,
	FLEX_POOL_WATERMARK,
	FLEX_GROUP_COUNT,
	FLEX_NONE = FLEX_GROUP_COUNT,
};

struct flex_group_info {
	const char *name;	/* in FLEX_COUNTER_DB and COUNTERS:TIME_STAMP */
	int64_t interval_ns;	/* SONiC's default, where nothing is told */
};

/* A group's row; group is below FLEX_GROUP_COUNT. */
const struct flex_group_info *flex_group_info(enum flex_group group);

/* What a key names. */
enum object_kind {
	OBJECT_PORT,
	OBJECT_QUEUE,
	OBJECT_GROUP,		/* priority group */
	OBJECT_POOL,
	OBJECT_KIND_COUNT,
};

/* How the age of a row is known, and when a row is a repeat. */
enum table_age {
	AGE_FLEX,	/* syncd's time stamp, else its group's interval */
	AGE_ROW,	/* last_update_time; without it, changed content */
	AGE_CHANGE,	/* seldom changes: handed over when it does */
	AGE_NOW,	/* written when it happens: true when it is read */
};

enum table_number {
	TABLE_PORT_COUNTERS,
	TABLE_QUEUE_COUNTERS,
	TABLE_GROUP_DROPS,
	TABLE_PORT_DROPS,
	TABLE_QUEUE_WATERMARKS,
	TABLE_GROUP_WATERMARKS,
	TABLE_POOL_WATERMARKS,
	TABLE_PORT_APPL,
	TABLE_PORT_STATE,
	TABLE_MODULE_INFO,
	TABLE_MODULE_FIRMWARE,
	TABLE_MODULE_DOM,
	TABLE_MODULE_THRESHOLDS,
	TABLE_MODULE_OLD_THRESHOLDS,
	TABLE_MODULE_FLAGS,
	TABLE_MODULE_STATUS,
	TABLE_POLLED_COUNT,
	/* The rest is read by others than the polls. */
	TABLE_PORT_ERRORS = TABLE_POLLED_COUNT,
	TABLE_PORT_CONFIG,
	TABLE_COUNT,
};

struct table {
	const char *name;	/* before the separator */
	uint8_t source;		/* enum sonic_source */
	uint8_t database;	/* enum database_name */
	uint8_t object;		/* enum object_kind */
	uint8_t group;		/* enum flex_group */
	uint8_t age;		/* enum table_age */
	bool by_oid;		/* the key is an object id, not a name */
	bool whole;		/* HGETALL; else HMGET of the fields */
	bool of_module;		/* parts are module and lanes; one row a cage */
	bool optional;		/* the source does without */
	uint16_t count;
	const struct field *fields;
};

/* A table's row. */
const struct table *table_get(enum table_number number);

/* Slots of texts. By agreement slot 0 is last_update_time where AGE_ROW is. */
enum { TEXT_UPDATED };

enum port_text {	/* APPL_DB PORT_TABLE, CONFIG_DB PORT */
	PORT_TEXT_ALIAS,
	PORT_TEXT_DESCRIPTION,
	PORT_TEXT_ROLE,
	PORT_TEXT_INDEX,
	PORT_TEXT_SUBPORT,
	PORT_TEXT_LANES,
	PORT_TEXT_SPEED,
	PORT_TEXT_MTU,
	PORT_TEXT_FEC,
	PORT_TEXT_ADMIN,
	PORT_TEXT_OPER,
	PORT_TEXT_FLAPS,
	PORT_TEXT_LAST_DOWN,
	PORT_TEXT_COUNT,
};

enum { STATE_TEXT_TRAINING, STATE_TEXT_FEC };	/* STATE_DB PORT_TABLE */

enum module_text {	/* TRANSCEIVER_INFO */
	MODULE_TEXT_TYPE,
	MODULE_TEXT_TYPE_SHORT,
	MODULE_TEXT_VENDOR,
	MODULE_TEXT_PART,
	MODULE_TEXT_REVISION,
	MODULE_TEXT_REVISION_OLD,
	MODULE_TEXT_SERIAL,
	MODULE_TEXT_OUI,
	MODULE_TEXT_DATE,
	MODULE_TEXT_CONNECTOR,
	MODULE_TEXT_CABLE_TYPE,
	MODULE_TEXT_CABLE_LENGTH,
	MODULE_TEXT_COMPLIANCE,
	MODULE_TEXT_TECHNOLOGY,
	MODULE_TEXT_APPLICATIONS,
	MODULE_TEXT_HOST_LANES,
	MODULE_TEXT_MEDIA_LANES,
	MODULE_TEXT_COUNT,
};
