/* What is read from where: one row a table of SONiC's databases. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/clock.h"
#include "platform/sonic/switchdb/database.h"
#include "platform/sonic/meaning/field.h"

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
	SONIC_KEPT,		/* watermarks that scripts of SONiC's keep */
	SONIC_CHANGES,		/* read by settings.c, not by the polls */
	SONIC_PUBLISH,		/* writes: findings, where that is asked for */
	SONIC_HFT,
	SONIC_CHASSIS,
	SONIC_FABRIC,
	SONIC_SOURCE_COUNT,
};

/* What a source is without: many switches have nothing for it, and that is no
 * fault. The sentence is told then; NULL: every switch has it.
 */
const char *source_nothing(enum sonic_source source);
/* What a source lacks when it has no row, where that can be said better than by
 * its table; NULL: it cannot.
 */
const char *source_absent(enum sonic_source source);

/* Groups of syncd's flex counter: who writes a table, and how often. */
enum flex_group {
	FLEX_PORT,
	FLEX_PORT_DROP,
	FLEX_QUEUE,
	FLEX_QUEUE_WATERMARK,
	FLEX_PG_DROP,
	FLEX_PG_WATERMARK,
	FLEX_POOL_WATERMARK,
	FLEX_WRED_PORT,
	FLEX_WRED_QUEUE,
	FLEX_PFCWD,
	FLEX_PHY,
	FLEX_FABRIC,
	FLEX_SWITCH,
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
	OBJECT_GEARBOX_SYSTEM,	/* a port's gearbox, by GB_COUNTERS_DB */
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
	OBJECT_CARD,		/* of a chassis; the host's word on it */
	OBJECT_CARD_TEMPERATURE,	/* a card's own: "3|CPU", by slot */
	OBJECT_CARD_VOLTAGE,
	OBJECT_CARD_CURRENT,
	OBJECT_SWITCH,		/* one, which has no name */
	OBJECT_SYSTEM_PORT,	/* "Linecard1|Asic0|Ethernet4", of any card */
	OBJECT_VOQ,		/* virtual output queue towards one of them */
	OBJECT_FABRIC_PORT,
	OBJECT_LAG_MEMBER,	/* a port: "PortChannel1|Ethernet0" */
	OBJECT_CHIP,		/* one, which has an id; the switch by it */
	OBJECT_KIND_COUNT,
};

/* How an object's key is made. */
enum table_key {
	KEY_NAME,
	KEY_OID,
	KEY_DIGITS,	/* of the port's name: 200 of Ethernet200 */
	KEY_FIXED,	/* the table is the key */
	KEY_ROW,	/* the table's own */
	KEY_PARTS,	/* the name, with the database's own separator in it */
	KEY_SLOT,	/* the name goes on where the table's ends */
};

/* How the age of a row is known, and when a row is a repeat. */
enum table_age {
	AGE_FLEX,	/* syncd's time stamp, else its group's interval */
	AGE_ROW,	/* last_update_time; without it, changed content */
	AGE_CHANGE,	/* seldom changes: handed over when it does */
	AGE_NOW,	/* written when it happens: true when it is read */
};

/* What a peak covers. */
enum table_window {
	WINDOW_NONE,
	WINDOW_GROUP,	/* the group's interval: it is read and cleared */
	WINDOW_PERIOD,	/* SONiC's telemetry interval */
};

enum table_number {
	TABLE_PORT_COUNTERS,
	TABLE_QUEUE_COUNTERS,
	TABLE_VOQ_COUNTERS,
	TABLE_GROUP_DROPS,
	TABLE_PORT_DROPS,
	TABLE_QUEUE_WATERMARKS,
	TABLE_GROUP_WATERMARKS,
	TABLE_POOL_WATERMARKS,
	TABLE_QUEUE_USER,
	TABLE_QUEUE_PERIODIC,
	TABLE_QUEUE_PERSISTENT,
	TABLE_GROUP_USER,
	TABLE_GROUP_PERIODIC,
	TABLE_GROUP_PERSISTENT,
	TABLE_POOL_USER,
	TABLE_POOL_PERIODIC,
	TABLE_POOL_PERSISTENT,
	TABLE_QUEUE_PFCWD,
	TABLE_FABRIC_COUNTERS,
	TABLE_PORT_RATES,
	TABLE_PORT_PHY,
	TABLE_GEARBOX_SYSTEM,
	TABLE_GEARBOX_LINE,
	TABLE_PORT_APPL,
	TABLE_PORT_STATE,
	TABLE_PORT_CAUSES,
	TABLE_PORT_XCVR,
	TABLE_PORT_OLD_XCVR,
	TABLE_PORT_LLDP,
	TABLE_PORT_NEIGHBOR,
	TABLE_LAG_APPL,
	TABLE_LAG_STATE,
	TABLE_PORT_PFCWD,
	TABLE_PORT_QOS,
	TABLE_PORT_GEARBOX,
	TABLE_POOL_APPL,
	TABLE_POOL_CONFIG,
	TABLE_SWITCH,
	TABLE_CHASSIS_INFO,
	TABLE_EEPROM_SERIAL,
	TABLE_EEPROM_MAC,
	TABLE_MODULE_INFO,
	TABLE_MODULE_FIRMWARE,
	TABLE_MODULE_DOM,
	TABLE_MODULE_HEAT,
	TABLE_MODULE_THRESHOLDS,
	TABLE_MODULE_OLD_THRESHOLDS,
	TABLE_MODULE_FLAGS,
	TABLE_MODULE_DOM_FLAGS,
	TABLE_MODULE_STATUS,
	TABLE_MODULE_FLAG_CHANGES,
	TABLE_MODULE_DOM_FLAG_CHANGES,
	TABLE_MODULE_FLAG_SET,
	TABLE_MODULE_FLAG_CLEARED,
	TABLE_MODULE_DOM_FLAG_SET,
	TABLE_MODULE_DOM_FLAG_CLEARED,
	TABLE_MODULE_PM,
	TABLE_VDM_OLD_VALUES,
	TABLE_VDM_VALUES,
	TABLE_VDM_FLAGS,		/* four, one an edge */
	TABLE_VDM_THRESHOLDS = TABLE_VDM_FLAGS + 4,
	TABLE_VDM_CHANGES = TABLE_VDM_THRESHOLDS + 4,
	TABLE_VDM_SET = TABLE_VDM_CHANGES + 4,
	TABLE_VDM_CLEARED = TABLE_VDM_SET + 4,
	TABLE_TEMPERATURE = TABLE_VDM_CLEARED + 4,
	TABLE_FAN,
	TABLE_PSU,
	TABLE_PSU_FAN,
	TABLE_VOLTAGE,
	TABLE_CURRENT,
	TABLE_LEAK,
	TABLE_STORAGE,
	TABLE_ASIC_TEMPERATURE,
	TABLE_CARD,
	TABLE_CARD_MIDPLANE,
	TABLE_CARD_HOST,
	TABLE_CARD_TEMPERATURE,
	TABLE_CARD_VOLTAGE,
	TABLE_CARD_CURRENT,
	TABLE_FABRIC_STATE,
	TABLE_SWITCH_DROPS,
	TABLE_POLLED_COUNT,
	/* The rest is read by others than the polls. */
	TABLE_PORT_ERRORS = TABLE_POLLED_COUNT,
	TABLE_PORT_CONFIG,
	TABLE_PORT_STREAMED,
	TABLE_QUEUE_STREAMED,
	TABLE_GROUP_STREAMED,
	TABLE_POOL_STREAMED,
	TABLE_COUNT,
};

struct table {
	const char *name;	/* before the separator */
	const char *row;	/* behind it, of KEY_ROW */
	uint8_t source;		/* enum sonic_source */
	uint8_t database;	/* enum database_name */
	uint8_t object;		/* enum object_kind */
	uint8_t group;		/* enum flex_group */
	uint8_t age;		/* enum table_age */
	uint8_t key;		/* enum table_key */
	uint8_t window;		/* enum table_window */
	uint8_t facet;		/* enum facet, of its fields */
	uint8_t edge;		/* 0 to 3, of VDM's thresholds and flags */
	bool whole;		/* HGETALL; else HMGET of the fields */
	bool of_module;		/* parts are module and lanes; one row a cage */
	bool optional;		/* the source does without */
	bool sparse;		/* objects without a row are let be for long */
	bool late;		/* the others name its objects */
	const struct fields *fields;
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
	PORT_TEXT_AUTONEG,
	PORT_TEXT_TRAINING,
	PORT_TEXT_PFC_ASYMMETRIC,
	PORT_TEXT_GEARBOX_SYSTEM,
	PORT_TEXT_GEARBOX_LINE,
	PORT_TEXT_INTERFACE_TYPE,
	PORT_TEXT_CORE,
	PORT_TEXT_COUNT,
};

enum state_text {	/* STATE_DB PORT_TABLE */
	STATE_TEXT_TRAINING,
	STATE_TEXT_FEC,
	STATE_TEXT_TX_READY,
	STATE_TEXT_NETDEV,
	STATE_TEXT_SPEED,
	STATE_TEXT_REMOTE_SPEEDS,
};

enum lldp_text {	/* LLDP_ENTRY_TABLE */
	LLDP_TEXT_SWITCH,
	LLDP_TEXT_PORT,
	LLDP_TEXT_PORT_KIND,
	LLDP_TEXT_PORT_DESCRIPTION,
	LLDP_TEXT_CHASSIS,
};

enum { NEIGHBOR_TEXT_SWITCH, NEIGHBOR_TEXT_PORT };	/* DEVICE_NEIGHBOR */

enum { GEARBOX_TEXT_NAME, GEARBOX_TEXT_PHY };	/* _GEARBOX_TABLE:interface */

enum { POOL_TEXT_TYPE, POOL_TEXT_MODE };	/* BUFFER_POOL */

enum { FIRMWARE_TEXT_ACTIVE, FIRMWARE_TEXT_SPARE };

enum switch_text {	/* DEVICE_METADATA */
	SWITCH_TEXT_HOSTNAME,
	SWITCH_TEXT_HWSKU,
	SWITCH_TEXT_PLATFORM,
	SWITCH_TEXT_TYPE,
	SWITCH_TEXT_SUB_ROLE,
	SWITCH_TEXT_MAC,
	SWITCH_TEXT_ASIC_NAME,
	SWITCH_TEXT_ASIC_ID,
	SWITCH_TEXT_SWITCH_TYPE,
	SWITCH_TEXT_REGION,
	SWITCH_TEXT_RACK,
	SWITCH_TEXT_DEPLOYMENT,
	SWITCH_TEXT_BUFFER_MODEL,
	SWITCH_TEXT_COUNT,
};

enum chassis_text {	/* CHASSIS_INFO, EEPROM_INFO */
	CHASSIS_TEXT_SERIAL,
	CHASSIS_TEXT_SERIAL_OLD,
	CHASSIS_TEXT_MAC,
	CHASSIS_TEXT_COUNT,
};

enum sensor_text {	/* *_INFO */
	SENSOR_TEXT_UPDATED,
	SENSOR_TEXT_MODEL,
	SENSOR_TEXT_SERIAL,
	SENSOR_TEXT_REVISION,
};

enum fabric_text {		/* FABRIC_PORT_TABLE */
	FABRIC_TEXT_SWITCH,
	FABRIC_TEXT_PORT,
};

enum card_text {		/* CHASSIS_MODULE_TABLE, of both databases */
	CARD_TEXT_DESCRIPTION,
	CARD_TEXT_SLOT,
	CARD_TEXT_SERIAL,
	CARD_TEXT_HOSTNAME,
	CARD_TEXT_ADDRESS,
};

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
	MODULE_TEXT_POWER_CLASS,
	MODULE_TEXT_CMIS,
	MODULE_TEXT_FIRMWARE_OLD,
	MODULE_TEXT_FIRMWARE_SPARE_OLD,
	MODULE_TEXT_COUNT,
};
