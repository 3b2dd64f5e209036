#include "platform/sonic/meaning/tables.h"

#include <assert.h>

#include "platform/sonic/meaning/fields.h"

#define SYNCD(name_, source_, object_, group_)				\
	.name = (name_), .source = (source_), .object = (object_),	\
	.group = (group_), .database = DATABASE_COUNTERS,		\
	.age = AGE_FLEX, .key = KEY_OID
#define PEAKS(name_, object_, group_)					\
	SYNCD(name_, SONIC_WATERMARKS, object_, group_)
/* Scripts of SONiC's keep these, out of the peaks; not all images run them. */
#define KEPT(name_, object_, group_)					\
	SYNCD(name_, SONIC_KEPT, object_, group_), .sparse = true
#define MODULE(name_, source_, age_)					\
	.name = (name_), .source = (source_), .age = (age_),		\
	.database = DATABASE_STATE, .object = OBJECT_PORT,		\
	.group = FLEX_NONE, .of_module = true
/* When the flags were last set, or cleared. */
#define FLAG_TIMES(name_, of_, facet_)					\
	{ MODULE("TRANSCEIVER_" name_, SONIC_FLAG_CHANGES, AGE_CHANGE),	\
	  .fields = &fields_##of_, .facet = (facet_), .whole = true,	\
	  .sparse = true }
#define ROW(name_, source_, database_, object_)				\
	.name = (name_), .source = (source_), .age = AGE_NOW,		\
	.database = (database_), .object = (object_), .group = FLEX_NONE
#define PORTS(name_, database_)						\
	ROW(name_, SONIC_PORTS, database_, OBJECT_PORT)
#define SENSORS(name_, object_)						\
	ROW(name_, SONIC_SENSORS, DATABASE_STATE, object_),		\
	.whole = true, .optional = true

/* What a card of a chassis writes for all to see, under its slot. */
#define OF_SLOT(name_, object_)						\
	ROW(name_, SONIC_CHASSIS, DATABASE_CHASSIS_STATE, object_),	\
	.whole = true, .optional = true, .late = true, .key = KEY_SLOT

#define TLV(row_)							\
	ROW("EEPROM_INFO", SONIC_SETTINGS, DATABASE_STATE,		\
	    OBJECT_SWITCH),						\
	.key = KEY_ROW, .row = (row_), .optional = true

/* Never asked for: telemetry finds its fields here. */
#define STREAMED(object_, fields_)					\
	{ ROW("COUNTERS", SONIC_HFT, DATABASE_COUNTERS, object_),	\
	  .key = KEY_OID, .fields = (fields_) }

/* VDM has four tables of each kind, one an edge, in the order of Petrel's
 * index: high alarm, low alarm, high warning, low warning.
 */
#define VDM(name_, source_, age_, facet_, edge_)			\
	{ MODULE(name_, source_, age_), .fields = &fields_vdm,		\
	  .facet = (facet_), .edge = (edge_), .whole = true,		\
	  .optional = true, .sparse = true }
#define VDM_EDGE(edge_, word)						\
	[TABLE_VDM_FLAGS + (edge_)] =					\
		VDM("TRANSCEIVER_VDM_" word "_FLAG", SONIC_VDM, AGE_ROW, \
		    FACET_VDM_FLAGS, edge_),				\
	[TABLE_VDM_THRESHOLDS + (edge_)] =				\
		VDM("TRANSCEIVER_VDM_" word "_THRESHOLD",		\
		    SONIC_THRESHOLDS, AGE_CHANGE,			\
		    FACET_VDM_THRESHOLDS, edge_),			\
	[TABLE_VDM_CHANGES + (edge_)] =					\
		VDM("TRANSCEIVER_VDM_" word "_FLAG_CHANGE_COUNT",	\
		    SONIC_FLAG_CHANGES, AGE_CHANGE, FACET_VDM_CHANGES,	\
		    edge_),						\
	[TABLE_VDM_SET + (edge_)] =					\
		VDM("TRANSCEIVER_VDM_" word "_FLAG_SET_TIME",		\
		    SONIC_FLAG_CHANGES, AGE_CHANGE,			\
		    FACET_VDM_SET_TIMES, edge_),			\
	[TABLE_VDM_CLEARED + (edge_)] =					\
		VDM("TRANSCEIVER_VDM_" word "_FLAG_CLEAR_TIME",		\
		    SONIC_FLAG_CHANGES, AGE_CHANGE,			\
		    FACET_VDM_CLEAR_TIMES, edge_)

_Static_assert(TABLE_COUNT <= UINT8_MAX, "struct run keeps it in an octet");

static const struct table tables[TABLE_COUNT] = {
	[TABLE_PORT_COUNTERS] = { SYNCD("COUNTERS", SONIC_COUNTERS, OBJECT_PORT,
					FLEX_PORT),
				  .fields = &fields_port_counters,
				  .whole = true },
	[TABLE_QUEUE_COUNTERS] = { SYNCD("COUNTERS", SONIC_QUEUES, OBJECT_QUEUE,
					 FLEX_QUEUE),
				   .fields = &fields_queue_counters,
				   .whole = true },
	/* Only a VOQ switch has them; they are counted with the queues. */
	[TABLE_VOQ_COUNTERS] = { SYNCD("COUNTERS", SONIC_QUEUES, OBJECT_VOQ,
				       FLEX_QUEUE),
				 .fields = &fields_queue_counters,
				 .whole = true },
	[TABLE_GROUP_DROPS] = { SYNCD("COUNTERS", SONIC_QUEUES, OBJECT_GROUP,
				      FLEX_PG_DROP),
				.fields = &fields_group_drops },
	[TABLE_PORT_DROPS] = { SYNCD("COUNTERS", SONIC_QUEUES, OBJECT_PORT,
				     FLEX_PORT_DROP),
			       .fields = &fields_port_drops },
	[TABLE_QUEUE_WATERMARKS] = { PEAKS("COUNTERS", OBJECT_QUEUE,
					   FLEX_QUEUE_WATERMARK),
				     .fields = &fields_queue_watermarks,
				     .window = WINDOW_GROUP },
	[TABLE_GROUP_WATERMARKS] = { PEAKS("COUNTERS", OBJECT_GROUP,
					   FLEX_PG_WATERMARK),
				     .fields = &fields_group_watermarks,
				     .window = WINDOW_GROUP },
	[TABLE_POOL_WATERMARKS] = { PEAKS("COUNTERS", OBJECT_POOL,
					  FLEX_POOL_WATERMARK),
				    .fields = &fields_pool_watermarks,
				    .window = WINDOW_GROUP },
	[TABLE_QUEUE_USER] = { KEPT("USER_WATERMARKS", OBJECT_QUEUE,
			 FLEX_QUEUE_WATERMARK),
		    .fields = &fields_queue_user },
	[TABLE_QUEUE_PERIODIC] = { KEPT("PERIODIC_WATERMARKS", OBJECT_QUEUE,
			 FLEX_QUEUE_WATERMARK),
		    .fields = &fields_queue_periodic,
		    .window = WINDOW_PERIOD },
	[TABLE_QUEUE_PERSISTENT] = { KEPT("PERSISTENT_WATERMARKS", OBJECT_QUEUE,
			 FLEX_QUEUE_WATERMARK),
		    .fields = &fields_queue_persistent },
	[TABLE_GROUP_USER] = { KEPT("USER_WATERMARKS", OBJECT_GROUP,
			 FLEX_PG_WATERMARK),
		    .fields = &fields_group_user },
	[TABLE_GROUP_PERIODIC] = { KEPT("PERIODIC_WATERMARKS", OBJECT_GROUP,
			 FLEX_PG_WATERMARK),
		    .fields = &fields_group_periodic,
		    .window = WINDOW_PERIOD },
	[TABLE_GROUP_PERSISTENT] = { KEPT("PERSISTENT_WATERMARKS", OBJECT_GROUP,
			 FLEX_PG_WATERMARK),
		    .fields = &fields_group_persistent },
	[TABLE_POOL_USER] = { KEPT("USER_WATERMARKS", OBJECT_POOL,
			 FLEX_POOL_WATERMARK),
		    .fields = &fields_pool_user },
	[TABLE_POOL_PERIODIC] = { KEPT("PERIODIC_WATERMARKS", OBJECT_POOL,
			 FLEX_POOL_WATERMARK),
		    .fields = &fields_pool_periodic,
		    .window = WINDOW_PERIOD },
	[TABLE_POOL_PERSISTENT] = { KEPT("PERSISTENT_WATERMARKS", OBJECT_POOL,
			 FLEX_POOL_WATERMARK),
		    .fields = &fields_pool_persistent },
	[TABLE_QUEUE_PFCWD] = { SYNCD("COUNTERS", SONIC_PFCWD, OBJECT_QUEUE,
				      FLEX_PFCWD),
				.fields = &fields_queue_pfcwd,
				.sparse = true },
	[TABLE_FABRIC_COUNTERS] = { SYNCD("COUNTERS", SONIC_FABRIC,
					  OBJECT_FABRIC_PORT, FLEX_FABRIC),
				    .fields = &fields_fabric_counters },
	[TABLE_PORT_RATES] = { SYNCD("RATES", SONIC_RATES, OBJECT_PORT,
				     FLEX_PORT),
			       .fields = &fields_port_rates, .sparse = true },
	[TABLE_PORT_PHY] = { SYNCD("PORT_PHY_ATTR", SONIC_PHY, OBJECT_PORT,
				   FLEX_PHY),
			     .fields = &fields_port_phy, .whole = true,
			     .sparse = true },
	[TABLE_GEARBOX_SYSTEM] = { ROW("COUNTERS", SONIC_GEARBOX,
				       DATABASE_GB_COUNTERS,
				       OBJECT_GEARBOX_SYSTEM),
				   .fields = &fields_gearbox, .key = KEY_OID,
				   .whole = true, .optional = true },
	[TABLE_GEARBOX_LINE] = { ROW("COUNTERS", SONIC_GEARBOX,
				     DATABASE_GB_COUNTERS, OBJECT_GEARBOX_LINE),
				 .fields = &fields_gearbox, .key = KEY_OID,
				 .facet = FACET_GEARBOX_LINE, .whole = true,
				 .optional = true },
	[TABLE_PORT_APPL] = { PORTS("PORT_TABLE", DATABASE_APPL),
			      .fields = &fields_port_appl, .whole = true },
	[TABLE_PORT_STATE] = { PORTS("PORT_TABLE", DATABASE_STATE),
			       .fields = &fields_port_state,
			       .optional = true },
	[TABLE_PORT_ERRORS] = { PORTS("PORT_OPERR_TABLE", DATABASE_STATE),
				.fields = &fields_port_errors, .whole = true },
	[TABLE_PORT_CONFIG] = { PORTS("PORT", DATABASE_CONFIG),
				.fields = &fields_port_appl, .whole = true },
	[TABLE_PORT_CAUSES] = { ROW("PORT_OPERR_TABLE", SONIC_CAUSES,
				    DATABASE_STATE, OBJECT_PORT),
				.fields = &fields_port_causes,
				.sparse = true },
	[TABLE_PORT_XCVR] = { ROW("TRANSCEIVER_STATUS_SW", SONIC_STATUS,
				  DATABASE_STATE, OBJECT_PORT),
			      .fields = &fields_port_xcvr, .optional = true },
	/* Images before 2024-11 keep it with the status. */
	[TABLE_PORT_OLD_XCVR] = { ROW("TRANSCEIVER_STATUS", SONIC_STATUS,
				      DATABASE_STATE, OBJECT_PORT),
				  .fields = &fields_port_xcvr,
				  .optional = true, .sparse = true },
	[TABLE_PORT_LLDP] = { ROW("LLDP_ENTRY_TABLE", SONIC_NEIGHBORS,
				  DATABASE_APPL, OBJECT_PORT),
			      .fields = &fields_port_lldp, .optional = true },
	[TABLE_PORT_NEIGHBOR] = { ROW("DEVICE_NEIGHBOR", SONIC_NEIGHBORS,
				      DATABASE_CONFIG, OBJECT_PORT),
				  .fields = &fields_port_neighbor,
				  .optional = true },
	[TABLE_LAG_APPL] = { ROW("LAG_MEMBER_TABLE", SONIC_NEIGHBORS,
				 DATABASE_APPL, OBJECT_LAG_MEMBER),
			     .fields = &fields_lag_appl, .key = KEY_PARTS,
			     .optional = true },
	[TABLE_LAG_STATE] = { ROW("LAG_MEMBER_TABLE", SONIC_NEIGHBORS,
				  DATABASE_STATE, OBJECT_LAG_MEMBER),
			      .fields = &fields_lag_state, .key = KEY_PARTS,
			      .optional = true },
	[TABLE_PORT_PFCWD] = { ROW("PFC_WD", SONIC_SETTINGS, DATABASE_CONFIG,
				   OBJECT_PORT),
			       .fields = &fields_port_pfcwd,
			       .optional = true },
	[TABLE_PORT_QOS] = { ROW("PORT_QOS_MAP", SONIC_SETTINGS,
				 DATABASE_CONFIG, OBJECT_PORT),
			     .fields = &fields_port_qos, .optional = true },
	[TABLE_PORT_GEARBOX] = { ROW("_GEARBOX_TABLE:interface",
				     SONIC_SETTINGS, DATABASE_APPL,
				     OBJECT_PORT),
				 .fields = &fields_port_gearbox,
				 .key = KEY_DIGITS, .optional = true,
				 .sparse = true },
	[TABLE_POOL_APPL] = { ROW("BUFFER_POOL_TABLE", SONIC_SETTINGS,
				  DATABASE_APPL, OBJECT_POOL),
			      .fields = &fields_pool_appl, .optional = true },
	[TABLE_POOL_CONFIG] = { ROW("BUFFER_POOL", SONIC_SETTINGS,
				    DATABASE_CONFIG, OBJECT_POOL),
				.fields = &fields_pool_config,
				.optional = true },
	[TABLE_SWITCH] = { ROW("DEVICE_METADATA", SONIC_SETTINGS,
			       DATABASE_CONFIG, OBJECT_SWITCH),
			   .fields = &fields_switch, .key = KEY_ROW,
			   .row = "localhost" },
	/* ONIE's TlvInfo: the serial number, the base MAC. */
	[TABLE_EEPROM_SERIAL] = { TLV("0x23"),
				  .fields = &fields_eeprom_serial },
	[TABLE_EEPROM_MAC] = { TLV("0x24"), .fields = &fields_eeprom_mac },
	[TABLE_CHASSIS_INFO] = { ROW("CHASSIS_INFO", SONIC_SETTINGS,
				     DATABASE_STATE, OBJECT_SWITCH),
				 .fields = &fields_chassis, .key = KEY_ROW,
				 .row = "chassis 1", .optional = true },
	[TABLE_MODULE_INFO] = { MODULE("TRANSCEIVER_INFO", SONIC_TRANSCEIVERS,
				       AGE_NOW),
				.fields = &fields_module_info, .whole = true },
	[TABLE_MODULE_FIRMWARE] = { MODULE("TRANSCEIVER_FIRMWARE_INFO",
					   SONIC_TRANSCEIVERS, AGE_NOW),
				    .fields = &fields_module_firmware,
				    .optional = true },
	[TABLE_MODULE_DOM] = { MODULE("TRANSCEIVER_DOM_SENSOR", SONIC_DOM,
				      AGE_ROW),
			       .fields = &fields_module_dom, .whole = true },
	[TABLE_MODULE_HEAT] = { MODULE("TRANSCEIVER_DOM_TEMPERATURE",
				       SONIC_HEAT, AGE_ROW),
				.fields = &fields_module_heat,
				.sparse = true },
	[TABLE_MODULE_THRESHOLDS] = { MODULE("TRANSCEIVER_DOM_THRESHOLD",
					     SONIC_THRESHOLDS, AGE_CHANGE),
				      .fields = &fields_module_thresholds,
				      .whole = true },
	/* Images before 2023 keep thresholds with the readings. */
	[TABLE_MODULE_OLD_THRESHOLDS] = { MODULE("TRANSCEIVER_DOM_SENSOR",
						 SONIC_THRESHOLDS, AGE_CHANGE),
					  .fields = &fields_module_thresholds,
					  .sparse = true },
	[TABLE_MODULE_FLAGS] = { MODULE("TRANSCEIVER_STATUS_FLAG", SONIC_FLAGS,
					AGE_ROW),
				 .fields = &fields_module_flags,
				 .whole = true },
	[TABLE_MODULE_DOM_FLAGS] = { MODULE("TRANSCEIVER_DOM_FLAG", SONIC_FLAGS,
					    AGE_ROW),
				     .fields = &fields_module_dom_flags,
				     .whole = true, .optional = true,
				     .sparse = true },
	[TABLE_MODULE_STATUS] = { MODULE("TRANSCEIVER_STATUS", SONIC_STATUS,
					 AGE_ROW),
				  .fields = &fields_module_status,
				  .whole = true },
	[TABLE_MODULE_FLAG_CHANGES] = {
		MODULE("TRANSCEIVER_STATUS_FLAG_CHANGE_COUNT",
		       SONIC_FLAG_CHANGES, AGE_CHANGE),
		.fields = &fields_module_flags, .facet = FACET_CHANGES,
		.whole = true, .sparse = true },
	[TABLE_MODULE_DOM_FLAG_CHANGES] = {
		MODULE("TRANSCEIVER_DOM_FLAG_CHANGE_COUNT", SONIC_FLAG_CHANGES,
		       AGE_CHANGE),
		.fields = &fields_module_dom_flags, .facet = FACET_CHANGES,
		.whole = true, .sparse = true },
	[TABLE_MODULE_FLAG_SET] = FLAG_TIMES("STATUS_FLAG_SET_TIME",
					     module_flags, FACET_SET_TIMES),
	[TABLE_MODULE_FLAG_CLEARED] = FLAG_TIMES("STATUS_FLAG_CLEAR_TIME",
						 module_flags,
						 FACET_CLEAR_TIMES),
	[TABLE_MODULE_DOM_FLAG_SET] = FLAG_TIMES("DOM_FLAG_SET_TIME",
						 module_dom_flags,
						 FACET_SET_TIMES),
	[TABLE_MODULE_DOM_FLAG_CLEARED] = FLAG_TIMES("DOM_FLAG_CLEAR_TIME",
						     module_dom_flags,
						     FACET_CLEAR_TIMES),
	[TABLE_MODULE_PM] = { MODULE("TRANSCEIVER_PM", SONIC_PM, AGE_ROW),
			      .fields = &fields_module_pm, .whole = true,
			      .sparse = true },
	/* Images of 2024 keep them with the readings. */
	[TABLE_VDM_OLD_VALUES] = VDM("TRANSCEIVER_DOM_SENSOR", SONIC_VDM,
				     AGE_ROW, FACET_VDM_VALUES, 0),
	[TABLE_VDM_VALUES] = VDM("TRANSCEIVER_VDM_REAL_VALUE", SONIC_VDM,
				 AGE_ROW, FACET_VDM_VALUES, 0),
	VDM_EDGE(0, "HALARM"),
	VDM_EDGE(1, "LALARM"),
	VDM_EDGE(2, "HWARN"),
	VDM_EDGE(3, "LWARN"),
	[TABLE_TEMPERATURE] = { SENSORS("TEMPERATURE_INFO", OBJECT_TEMPERATURE),
				.fields = &fields_temperature },
	[TABLE_FAN] = { SENSORS("FAN_INFO", OBJECT_FAN),
			.fields = &fields_fan },
	[TABLE_PSU] = { SENSORS("PSU_INFO", OBJECT_PSU),
			.fields = &fields_psu },
	[TABLE_PSU_FAN] = { SENSORS("PSU_FAN_INFO", OBJECT_PSU_FAN),
			    .fields = &fields_psu_fan },
	[TABLE_VOLTAGE] = { SENSORS("VOLTAGE_INFO", OBJECT_VOLTAGE),
			    .fields = &fields_voltage },
	[TABLE_CURRENT] = { SENSORS("CURRENT_INFO", OBJECT_CURRENT),
			    .fields = &fields_current },
	[TABLE_LEAK] = { SENSORS("LIQUID_COOLING_INFO", OBJECT_LEAK),
			 .fields = &fields_leak },
	[TABLE_STORAGE] = { SENSORS("STORAGE_INFO", OBJECT_STORAGE),
			    .fields = &fields_storage },
	[TABLE_ASIC_TEMPERATURE] = { SENSORS("ASIC_TEMPERATURE_INFO",
					     OBJECT_ASIC),
				     .fields = &fields_asic_temperature,
				     .key = KEY_FIXED },
	[TABLE_CARD] = { ROW("CHASSIS_MODULE_TABLE", SONIC_CHASSIS,
			     DATABASE_STATE, OBJECT_CARD),
			 .fields = &fields_card, .whole = true,
			 .optional = true },
	[TABLE_CARD_MIDPLANE] = { ROW("CHASSIS_MIDPLANE_TABLE", SONIC_CHASSIS,
				      DATABASE_STATE, OBJECT_CARD),
				  .fields = &fields_card_midplane,
				  .optional = true },
	[TABLE_CARD_HOST] = { ROW("CHASSIS_MODULE_TABLE", SONIC_CHASSIS,
				  DATABASE_CHASSIS_STATE, OBJECT_CARD),
			      .fields = &fields_card_host, .optional = true,
			      .late = true },
	[TABLE_CARD_TEMPERATURE] = { OF_SLOT("TEMPERATURE_INFO",
					     OBJECT_CARD_TEMPERATURE),
				     .fields = &fields_temperature },
	[TABLE_CARD_VOLTAGE] = { OF_SLOT("VOLTAGE_INFO", OBJECT_CARD_VOLTAGE),
				 .fields = &fields_voltage },
	[TABLE_CARD_CURRENT] = { OF_SLOT("CURRENT_INFO", OBJECT_CARD_CURRENT),
				 .fields = &fields_current },
	[TABLE_FABRIC_STATE] = { ROW("FABRIC_PORT_TABLE", SONIC_FABRIC,
				     DATABASE_STATE, OBJECT_FABRIC_PORT),
				 .fields = &fields_fabric_state,
				 .optional = true },
	[TABLE_SWITCH_DROPS] = { SYNCD("COUNTERS", SONIC_FABRIC, OBJECT_CHIP,
				       FLEX_SWITCH),
				 .fields = &fields_switch_drops,
				 .optional = true },
	[TABLE_PORT_STREAMED] = STREAMED(OBJECT_PORT, &fields_port_streamed),
	[TABLE_QUEUE_STREAMED] = STREAMED(OBJECT_QUEUE,
					  &fields_queue_streamed),
	[TABLE_GROUP_STREAMED] = STREAMED(OBJECT_GROUP,
					  &fields_group_streamed),
	[TABLE_POOL_STREAMED] = STREAMED(OBJECT_POOL, &fields_pool_streamed),
};

const struct table *table_get(enum table_number number)
{
	assert(number < TABLE_COUNT);
	return &tables[number];
}

const struct flex_group_info *flex_group_info(enum flex_group group)
{
	static const struct flex_group_info groups[FLEX_GROUP_COUNT] = {
		[FLEX_PORT] = { "PORT_STAT_COUNTER", 1 * NS_PER_S },
		[FLEX_PORT_DROP] = { "PORT_BUFFER_DROP_STAT", 60 * NS_PER_S },
		[FLEX_QUEUE] = { "QUEUE_STAT_COUNTER", 10 * NS_PER_S },
		[FLEX_QUEUE_WATERMARK] = { "QUEUE_WATERMARK_STAT_COUNTER",
					   60 * NS_PER_S },
		[FLEX_PG_DROP] = { "PG_DROP_STAT_COUNTER", 10 * NS_PER_S },
		[FLEX_PG_WATERMARK] = { "PG_WATERMARK_STAT_COUNTER",
					60 * NS_PER_S },
		[FLEX_POOL_WATERMARK] = { "BUFFER_POOL_WATERMARK_STAT_COUNTER",
					  60 * NS_PER_S },
		[FLEX_WRED_PORT] = { "WRED_ECN_PORT_STAT_COUNTER",
				     1 * NS_PER_S },
		[FLEX_WRED_QUEUE] = { "WRED_ECN_QUEUE_STAT_COUNTER",
				      10 * NS_PER_S },
		[FLEX_PFCWD] = { "PFC_WD", 100 * NS_PER_MS },
		[FLEX_PHY] = { "PORT_PHY_ATTR", 10 * NS_PER_S },
		[FLEX_FABRIC] = { "FABRIC_PORT_STAT_COUNTER", 10 * NS_PER_S },
		[FLEX_SWITCH] = { "SWITCH_DEBUG_COUNTER", 60 * NS_PER_S },
	};

	assert(group < FLEX_GROUP_COUNT);
	return &groups[group];
}

const char *source_nothing(enum sonic_source source)
{
	static const char *const words[SONIC_SOURCE_COUNT] = {
		[SONIC_PFCWD] = "no queue is watched for PFC storms; "
				"`pfcwd start_default` would begin it",
		[SONIC_CAUSES] = "no cause of a link down is told yet "
				 "(PORT_OPERR_TABLE, from release 202505 on)",
		[SONIC_RATES] = "SONiC has no RATES of its ports yet",
		[SONIC_PHY] = "the chip's lanes are not polled; "
			      "`counterpoll phy enable` would, where SAI can",
		[SONIC_GEARBOX] = "no port has a gearbox",
		[SONIC_HEAT] = "xcvrd runs no fast thread for temperatures "
			       "(--dom_temperature_poll_interval)",
		[SONIC_VDM] = "no module has VDM, or xcvrd does not read it",
		[SONIC_FLAG_CHANGES] = "xcvrd counts no changes of flags "
				       "(from release 202505 on)",
		[SONIC_FLAGS] = "SONiC has no flags of modules by themselves "
				"(from release 202505 on)",
		[SONIC_STATUS] = "xcvrd tells no status of modules "
				 "(from release 202211 on)",
		[SONIC_PM] = "no coherent module is plugged",
		[SONIC_SENSORS] = "STATE_DB has no sensors: is pmon running?",
		[SONIC_CHASSIS] = "this switch is no chassis: STATE_DB has no "
				  "CHASSIS_MODULE_TABLE",
		[SONIC_FABRIC] = "no fabric ports, and no chip counts its "
				 "drops: this is no VOQ or fabric switch",
		[SONIC_NEIGHBORS] = "no peer is known: no LLDP entry, and no "
				    "DEVICE_NEIGHBOR in CONFIG_DB",
		[SONIC_SETTINGS] = "CONFIG_DB has no DEVICE_METADATA",
		[SONIC_KEPT] = "SONiC keeps no user, periodic or persistent "
			       "watermarks",
	};

	return words[source];
}

const char *source_absent(enum sonic_source source)
{
	return source == SONIC_WATERMARKS ?
	       "no queue, priority group or pool has a watermark: SAI counts "
	       "none, or no buffer is configured" : NULL;
}
