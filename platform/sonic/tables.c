#include "platform/sonic/tables.h"

#include <assert.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* --- COUNTERS_DB, COUNTERS:oid:* ------------------------------------------ */

#define PORT(name, quantity, index)					\
	{ "SAI_PORT_STAT_" name, quantity, index, 0, FIELD_COUNTER, 1 }
#define FEC_BIN(n)							\
	PORT("IF_IN_FEC_CODEWORD_ERRORS_S" #n, Q_FEC_CODEWORD_ERRORS, n)
#define SIZE_BIN(range, n)						\
	PORT("ETHER_IN_PKTS_" range "_OCTETS", Q_ETHER_IN_SIZE_FRAMES, n), \
	PORT("ETHER_OUT_PKTS_" range "_OCTETS", Q_ETHER_OUT_SIZE_FRAMES, n)
#define PRIORITY(n)							\
	PFC(n, "RX_PKTS", Q_PFC_RX_FRAMES),				\
	PFC(n, "TX_PKTS", Q_PFC_TX_FRAMES),				\
	PFC(n, "RX_PAUSE_DURATION_US", Q_PFC_RX_PAUSE_US),		\
	PFC(n, "TX_PAUSE_DURATION_US", Q_PFC_TX_PAUSE_US)
#define PFC(n, name, quantity)						\
	{ "SAI_PORT_STAT_PFC_" #n "_" name, quantity, 0, (n) + 1,	\
	  FIELD_COUNTER, 1 }

static const struct field port_counters[] = {
	PORT("IF_IN_OCTETS", Q_IF_IN_OCTETS, 0),
	PORT("IF_IN_UCAST_PKTS", Q_IF_IN_UCAST_FRAMES, 0),
	PORT("IF_IN_NON_UCAST_PKTS", Q_IF_IN_NON_UCAST_FRAMES, 0),
	PORT("IF_IN_MULTICAST_PKTS", Q_IF_IN_MULTICAST_FRAMES, 0),
	PORT("IF_IN_BROADCAST_PKTS", Q_IF_IN_BROADCAST_FRAMES, 0),
	PORT("IF_IN_DISCARDS", Q_IF_IN_DISCARDS, 0),
	PORT("IF_IN_ERRORS", Q_IF_IN_ERRORS, 0),
	PORT("IF_IN_UNKNOWN_PROTOS", Q_IF_IN_UNKNOWN_PROTOS, 0),
	PORT("IF_OUT_OCTETS", Q_IF_OUT_OCTETS, 0),
	PORT("IF_OUT_UCAST_PKTS", Q_IF_OUT_UCAST_FRAMES, 0),
	PORT("IF_OUT_NON_UCAST_PKTS", Q_IF_OUT_NON_UCAST_FRAMES, 0),
	PORT("IF_OUT_MULTICAST_PKTS", Q_IF_OUT_MULTICAST_FRAMES, 0),
	PORT("IF_OUT_BROADCAST_PKTS", Q_IF_OUT_BROADCAST_FRAMES, 0),
	PORT("IF_OUT_DISCARDS", Q_IF_OUT_DISCARDS, 0),
	PORT("IF_OUT_ERRORS", Q_IF_OUT_ERRORS, 0),
	PORT("IF_OUT_QLEN", Q_IF_OUT_QLEN_FRAMES, 0),
	PORT("IP_IN_RECEIVES", Q_IP_IN_RECEIVES, 0),
	PORT("IP_IN_UCAST_PKTS", Q_IP_IN_UCAST_FRAMES, 0),
	PORT("ETHER_RX_OVERSIZE_PKTS", Q_ETHER_RX_OVERSIZE_FRAMES, 0),
	PORT("ETHER_TX_OVERSIZE_PKTS", Q_ETHER_TX_OVERSIZE_FRAMES, 0),
	PORT("ETHER_STATS_JABBERS", Q_ETHER_STATS_JABBERS, 0),
	PORT("ETHER_STATS_FRAGMENTS", Q_ETHER_STATS_FRAGMENTS, 0),
	PORT("ETHER_STATS_UNDERSIZE_PKTS", Q_ETHER_STATS_UNDERSIZE_FRAMES, 0),
	PORT("ETHER_STATS_TX_NO_ERRORS", Q_ETHER_STATS_TX_NO_ERRORS, 0),
	SIZE_BIN("64", 0), SIZE_BIN("65_TO_127", 1),
	SIZE_BIN("128_TO_255", 2), SIZE_BIN("256_TO_511", 3),
	SIZE_BIN("512_TO_1023", 4), SIZE_BIN("1024_TO_1518", 5),
	SIZE_BIN("1519_TO_2047", 6), SIZE_BIN("2048_TO_4095", 7),
	SIZE_BIN("4096_TO_9216", 8), SIZE_BIN("9217_TO_16383", 9),
	PORT("PAUSE_RX_PKTS", Q_PAUSE_RX_FRAMES, 0),
	PORT("PAUSE_TX_PKTS", Q_PAUSE_TX_FRAMES, 0),
	PORT("TRIM_PACKETS", Q_TRIM_FRAMES, 0),
	PORT("DROPPED_TRIM_PACKETS", Q_DROPPED_TRIM_FRAMES, 0),
	PORT("TX_TRIM_PACKETS", Q_TX_TRIM_FRAMES, 0),
	PORT("ECN_MARKED_PACKETS", Q_ECN_MARKED_FRAMES, 0),
	PORT("DOT3_STATS_ALIGNMENT_ERRORS", Q_DOT3_ALIGNMENT_ERRORS, 0),
	PORT("DOT3_STATS_FCS_ERRORS", Q_DOT3_FCS_ERRORS, 0),
	PORT("DOT3_STATS_SINGLE_COLLISION_FRAMES",
	     Q_DOT3_SINGLE_COLLISION_FRAMES, 0),
	PORT("DOT3_STATS_MULTIPLE_COLLISION_FRAMES",
	     Q_DOT3_MULTIPLE_COLLISION_FRAMES, 0),
	PORT("DOT3_STATS_SQE_TEST_ERRORS", Q_DOT3_SQE_TEST_ERRORS, 0),
	PORT("DOT3_STATS_DEFERRED_TRANSMISSIONS",
	     Q_DOT3_DEFERRED_TRANSMISSIONS, 0),
	PORT("DOT3_STATS_LATE_COLLISIONS", Q_DOT3_LATE_COLLISIONS, 0),
	PORT("DOT3_STATS_EXCESSIVE_COLLISIONS", Q_DOT3_EXCESSIVE_COLLISIONS, 0),
	PORT("DOT3_STATS_INTERNAL_MAC_TRANSMIT_ERRORS",
	     Q_DOT3_INTERNAL_MAC_TRANSMIT_ERRORS, 0),
	PORT("DOT3_STATS_INTERNAL_MAC_RECEIVE_ERRORS",
	     Q_DOT3_INTERNAL_MAC_RECEIVE_ERRORS, 0),
	PORT("DOT3_STATS_CARRIER_SENSE_ERRORS", Q_DOT3_CARRIER_SENSE_ERRORS, 0),
	PORT("DOT3_STATS_FRAME_TOO_LONGS", Q_DOT3_FRAME_TOO_LONGS, 0),
	PORT("DOT3_STATS_SYMBOL_ERRORS", Q_DOT3_SYMBOL_ERRORS, 0),
	PORT("IF_IN_FEC_CORRECTABLE_FRAMES", Q_FEC_CORRECTED_CODEWORDS, 0),
	PORT("IF_IN_FEC_NOT_CORRECTABLE_FRAMES",
	     Q_FEC_UNCORRECTABLE_CODEWORDS, 0),
	PORT("IF_IN_FEC_SYMBOL_ERRORS", Q_FEC_SYMBOL_ERRORS, 0),
	PORT("IF_IN_FEC_CORRECTED_BITS", Q_FEC_CORRECTED_BITS, 0),
	FEC_BIN(0), FEC_BIN(1), FEC_BIN(2), FEC_BIN(3), FEC_BIN(4), FEC_BIN(5),
	FEC_BIN(6), FEC_BIN(7), FEC_BIN(8), FEC_BIN(9), FEC_BIN(10),
	FEC_BIN(11), FEC_BIN(12), FEC_BIN(13), FEC_BIN(14), FEC_BIN(15),
	FEC_BIN(16),
	PRIORITY(0), PRIORITY(1), PRIORITY(2), PRIORITY(3), PRIORITY(4),
	PRIORITY(5), PRIORITY(6), PRIORITY(7),
};

static const struct field port_drops[] = {
	PORT("IN_DROPPED_PKTS", Q_IN_DROPPED_FRAMES, 0),
	PORT("OUT_DROPPED_PKTS", Q_OUT_DROPPED_FRAMES, 0),
};

#define QUEUE(name, quantity)						\
	{ "SAI_QUEUE_STAT_" name, quantity, 0, 0, FIELD_COUNTER, 1 }

static const struct field queue_counters[] = {
	QUEUE("PACKETS", Q_QUEUE_FRAMES),
	QUEUE("BYTES", Q_QUEUE_OCTETS),
	QUEUE("DROPPED_PACKETS", Q_QUEUE_DROPPED_FRAMES),
	QUEUE("DROPPED_BYTES", Q_QUEUE_DROPPED_OCTETS),
	QUEUE("TRIM_PACKETS", Q_QUEUE_TRIM_FRAMES),
	QUEUE("DROPPED_TRIM_PACKETS", Q_QUEUE_DROPPED_TRIM_FRAMES),
	QUEUE("TX_TRIM_PACKETS", Q_QUEUE_TX_TRIM_FRAMES),
	QUEUE("WRED_ECN_MARKED_PACKETS", Q_QUEUE_ECN_MARKED_FRAMES),
	QUEUE("WRED_ECN_MARKED_BYTES", Q_QUEUE_ECN_MARKED_OCTETS),
	QUEUE("WRED_DROPPED_PACKETS", Q_QUEUE_WRED_DROPPED_FRAMES),
	QUEUE("WRED_DROPPED_BYTES", Q_QUEUE_WRED_DROPPED_OCTETS),
	QUEUE("CURR_OCCUPANCY_BYTES", Q_QUEUE_OCCUPANCY_OCTETS),
	QUEUE("DELAY_WATERMARK_NS", Q_QUEUE_DELAY_NS),
};

static const struct field queue_watermarks[] = {
	QUEUE("SHARED_WATERMARK_BYTES", Q_QUEUE_WATERMARK_OCTETS),
};

#define GROUP(name, quantity)						\
	{ "SAI_INGRESS_PRIORITY_GROUP_STAT_" name, quantity, 0, 0,	\
	  FIELD_COUNTER, 1 }

static const struct field group_drops[] = {
	GROUP("DROPPED_PACKETS", Q_PG_DROPPED_FRAMES),
};

static const struct field group_watermarks[] = {
	GROUP("SHARED_WATERMARK_BYTES", Q_PG_SHARED_WATERMARK_OCTETS),
	GROUP("XOFF_ROOM_WATERMARK_BYTES", Q_PG_XOFF_WATERMARK_OCTETS),
};

#define POOL(name, quantity)						\
	{ "SAI_BUFFER_POOL_STAT_" name, quantity, 0, 0, FIELD_COUNTER, 1 }

static const struct field pool_watermarks[] = {
	POOL("WATERMARK_BYTES", Q_POOL_WATERMARK_OCTETS),
	POOL("XOFF_ROOM_WATERMARK_BYTES", Q_POOL_XOFF_WATERMARK_OCTETS),
};

/* What only high-frequency telemetry brings: SONiC's own polls do not write it
 * to the database, so it is not asked for there.
 */
static const struct field port_streamed[] = {
	PORT("IN_CURR_OCCUPANCY_BYTES", Q_IN_OCCUPANCY_OCTETS, 0),
	PORT("IN_WATERMARK_BYTES", Q_IN_WATERMARK_OCTETS, 0),
	PORT("IN_SHARED_CURR_OCCUPANCY_BYTES", Q_IN_SHARED_OCCUPANCY_OCTETS, 0),
	PORT("IN_SHARED_WATERMARK_BYTES", Q_IN_SHARED_WATERMARK_OCTETS, 0),
	PORT("OUT_CURR_OCCUPANCY_BYTES", Q_OUT_OCCUPANCY_OCTETS, 0),
	PORT("OUT_WATERMARK_BYTES", Q_OUT_WATERMARK_OCTETS, 0),
	PORT("OUT_SHARED_CURR_OCCUPANCY_BYTES",
	     Q_OUT_SHARED_OCCUPANCY_OCTETS, 0),
	PORT("OUT_SHARED_WATERMARK_BYTES", Q_OUT_SHARED_WATERMARK_OCTETS, 0),
};

static const struct field queue_streamed[] = {
	QUEUE("WATERMARK_BYTES", Q_QUEUE_WATERMARK_TOTAL_OCTETS),
	QUEUE("SHARED_CURR_OCCUPANCY_BYTES", Q_QUEUE_SHARED_OCCUPANCY_OCTETS),
	QUEUE("CURR_OCCUPANCY_CELLS", Q_QUEUE_OCCUPANCY_CELLS),
	QUEUE("WATERMARK_CELLS", Q_QUEUE_WATERMARK_TOTAL_CELLS),
	QUEUE("SHARED_CURR_OCCUPANCY_CELLS", Q_QUEUE_SHARED_OCCUPANCY_CELLS),
	QUEUE("SHARED_WATERMARK_CELLS", Q_QUEUE_WATERMARK_CELLS),
	QUEUE("CURR_OCCUPANCY_LEVEL", Q_QUEUE_OCCUPANCY_LEVEL),
	QUEUE("WATERMARK_LEVEL", Q_QUEUE_WATERMARK_LEVEL),
	QUEUE("CREDIT_WD_DELETED_PACKETS", Q_QUEUE_CREDIT_WD_DELETED_FRAMES),
};

static const struct field group_streamed[] = {
	GROUP("PACKETS", Q_PG_FRAMES),
	GROUP("BYTES", Q_PG_OCTETS),
	GROUP("CURR_OCCUPANCY_BYTES", Q_PG_OCCUPANCY_OCTETS),
	GROUP("WATERMARK_BYTES", Q_PG_WATERMARK_OCTETS),
	GROUP("SHARED_CURR_OCCUPANCY_BYTES", Q_PG_SHARED_OCCUPANCY_OCTETS),
	GROUP("XOFF_ROOM_CURR_OCCUPANCY_BYTES", Q_PG_XOFF_OCCUPANCY_OCTETS),
	GROUP("CURR_OCCUPANCY_CELLS", Q_PG_OCCUPANCY_CELLS),
	GROUP("WATERMARK_CELLS", Q_PG_WATERMARK_CELLS),
	GROUP("SHARED_CURR_OCCUPANCY_CELLS", Q_PG_SHARED_OCCUPANCY_CELLS),
	GROUP("SHARED_WATERMARK_CELLS", Q_PG_SHARED_WATERMARK_CELLS),
	GROUP("XOFF_ROOM_CURR_OCCUPANCY_CELLS", Q_PG_XOFF_OCCUPANCY_CELLS),
	GROUP("XOFF_ROOM_WATERMARK_CELLS", Q_PG_XOFF_WATERMARK_CELLS),
};

static const struct field pool_streamed[] = {
	POOL("CURR_OCCUPANCY_BYTES", Q_POOL_OCCUPANCY_OCTETS),
	POOL("DROPPED_PACKETS", Q_POOL_DROPPED_FRAMES),
	POOL("WRED_DROPPED_PACKETS", Q_POOL_WRED_DROPPED_FRAMES),
	POOL("WRED_DROPPED_BYTES", Q_POOL_WRED_DROPPED_OCTETS),
	POOL("WRED_ECN_MARKED_PACKETS", Q_POOL_ECN_MARKED_FRAMES),
	POOL("WRED_ECN_MARKED_BYTES", Q_POOL_ECN_MARKED_OCTETS),
	POOL("XOFF_ROOM_CURR_OCCUPANCY_BYTES", Q_POOL_XOFF_OCCUPANCY_OCTETS),
	POOL("XOFF_ROOM_CURR_OCCUPANCY_CELLS", Q_POOL_XOFF_OCCUPANCY_CELLS),
	POOL("XOFF_ROOM_WATERMARK_CELLS", Q_POOL_XOFF_WATERMARK_CELLS),
	POOL("CURR_OCCUPANCY_CELLS", Q_POOL_OCCUPANCY_CELLS),
	POOL("WATERMARK_CELLS", Q_POOL_WATERMARK_CELLS),
};

/* --- ports ---------------------------------------------------------------- */

#define TEXT(name, slot) { name, 0, slot, 0, FIELD_TEXT, 1 }

static const struct field port_appl[] = {
	TEXT("alias", PORT_TEXT_ALIAS),
	TEXT("description", PORT_TEXT_DESCRIPTION),
	TEXT("role", PORT_TEXT_ROLE),
	TEXT("index", PORT_TEXT_INDEX),
	TEXT("subport", PORT_TEXT_SUBPORT),
	TEXT("lanes", PORT_TEXT_LANES),
	TEXT("speed", PORT_TEXT_SPEED),
	TEXT("mtu", PORT_TEXT_MTU),
	TEXT("fec", PORT_TEXT_FEC),
	TEXT("admin_status", PORT_TEXT_ADMIN),
	TEXT("oper_status", PORT_TEXT_OPER),
	TEXT("flap_count", PORT_TEXT_FLAPS),
	TEXT("last_down_time", PORT_TEXT_LAST_DOWN),
};

static const struct field port_state[] = {
	TEXT("link_training_status", STATE_TEXT_TRAINING),
	TEXT("fec", STATE_TEXT_FEC),
};

/* The order is that of SAI's sai_port_error_status_t. */
static const struct field port_errors[] = {
	TEXT("mac_local_fault_time", 0),
	TEXT("mac_remote_fault_time", 1),
	TEXT("fec_sync_loss_time", 2),
	TEXT("fec_alignment_loss_time", 3),
	TEXT("high_ser_error_time", 4),
	TEXT("high_ber_error_time", 5),
	TEXT("crc_rate_time", 6),
	TEXT("data_unit_crc_error_time", 7),
	TEXT("data_unit_size_time", 8),
	TEXT("data_unit_misalignment_error_time", 9),
	TEXT("code_group_error_time", 10),
	TEXT("signal_local_error_time", 11),
	TEXT("no_rx_reachability_time", 12),
};

/* --- modules: STATE_DB TRANSCEIVER_* -------------------------------------- */

static const struct field module_info[] = {
	TEXT("type", MODULE_TEXT_TYPE),
	TEXT("type_abbrv_name", MODULE_TEXT_TYPE_SHORT),
	TEXT("manufacturer", MODULE_TEXT_VENDOR),
	TEXT("model", MODULE_TEXT_PART),
	TEXT("vendor_rev", MODULE_TEXT_REVISION),
	TEXT("hardware_rev", MODULE_TEXT_REVISION_OLD),
	TEXT("serial", MODULE_TEXT_SERIAL),
	TEXT("vendor_oui", MODULE_TEXT_OUI),
	TEXT("vendor_date", MODULE_TEXT_DATE),
	TEXT("connector", MODULE_TEXT_CONNECTOR),
	TEXT("cable_type", MODULE_TEXT_CABLE_TYPE),
	TEXT("cable_length", MODULE_TEXT_CABLE_LENGTH),
	TEXT("specification_compliance", MODULE_TEXT_COMPLIANCE),
	TEXT("media_interface_technology", MODULE_TEXT_TECHNOLOGY),
	TEXT("application_advertisement", MODULE_TEXT_APPLICATIONS),
	TEXT("host_lane_count", MODULE_TEXT_HOST_LANES),
	TEXT("media_lane_count", MODULE_TEXT_MEDIA_LANES),
};

static const struct field module_firmware[] = {
	TEXT("active_firmware", 0),
};

#define LANE_DOM(n)							\
	{ "rx" #n "power", Q_LANE_RX_POWER_PW, 0, n, FIELD_DBM, 1 },	\
	{ "tx" #n "power", Q_LANE_TX_POWER_PW, 0, n, FIELD_DBM, 1 },	\
	{ "tx" #n "bias", Q_LANE_TX_BIAS_UA, 0, n, FIELD_SCALED, 1000 }
#define LANES(of) of(1), of(2), of(3), of(4), of(5), of(6), of(7), of(8)

static const struct field module_dom[] = {
	TEXT("last_update_time", TEXT_UPDATED),
	{ "temperature", Q_MODULE_TEMP_MC, 0, 0, FIELD_SCALED, 1000 },
	{ "voltage", Q_MODULE_VCC_UV, 0, 0, FIELD_SCALED, 1000000 },
	{ "laser_temperature", Q_MODULE_LASER_TEMP_MC, 0, 0, FIELD_SCALED,
	  1000 },
	LANES(LANE_DOM),
};

#define EDGES(name, quantity, form, scale)				\
	{ name "highalarm", quantity, 0, 0, form, scale },		\
	{ name "lowalarm", quantity, 1, 0, form, scale },		\
	{ name "highwarning", quantity, 2, 0, form, scale },		\
	{ name "lowwarning", quantity, 3, 0, form, scale }

static const struct field module_thresholds[] = {
	EDGES("temp", Q_MODULE_TEMP_THRESHOLD_MC, FIELD_SCALED, 1000),
	EDGES("vcc", Q_MODULE_VCC_THRESHOLD_UV, FIELD_SCALED, 1000000),
	EDGES("rxpower", Q_MODULE_RX_POWER_THRESHOLD_PW, FIELD_DBM, 1),
	EDGES("txpower", Q_MODULE_TX_POWER_THRESHOLD_PW, FIELD_DBM, 1),
	EDGES("txbias", Q_MODULE_TX_BIAS_THRESHOLD_UA, FIELD_SCALED, 1000),
	EDGES("lasertemp", Q_MODULE_LASER_TEMP_THRESHOLD_MC, FIELD_SCALED,
	      1000),
};

/* Two names each: of today, and of images before 2025-05. */
#define LANE_FLAG(n)							\
	{ "rx" #n "los", Q_LANE_RX_LOS, 0, n, FIELD_BOOL, 1 },		\
	{ "tx" #n "fault", Q_LANE_TX_FAULT, 0, n, FIELD_BOOL, 1 }
#define LANE_STATUS(n)							\
	{ "tx" #n "disable", Q_LANE_TX_DISABLED, 0, n, FIELD_BOOL, 1 },	\
	{ "rxlos" #n, Q_LANE_RX_LOS, 0, n, FIELD_BOOL, 1 },		\
	{ "txfault" #n, Q_LANE_TX_FAULT, 0, n, FIELD_BOOL, 1 }

static const struct field module_flags[] = {
	TEXT("last_update_time", TEXT_UPDATED),
	LANES(LANE_FLAG),
};

static const struct field module_status[] = {
	TEXT("last_update_time", TEXT_UPDATED),
	LANES(LANE_STATUS),
};

/* --- the tables ----------------------------------------------------------- */

#define FIELDS(of) .fields = (of), .count = COUNT(of)
#define FLEX(name_, source_, object_, group_)				\
	.name = (name_), .source = (source_), .object = (object_),	\
	.group = (group_), .database = DATABASE_COUNTERS,		\
	.age = AGE_FLEX, .by_oid = true
#define MODULE(name_, source_, age_)					\
	.name = (name_), .source = (source_), .age = (age_),		\
	.database = DATABASE_STATE, .object = OBJECT_PORT,		\
	.group = FLEX_NONE, .of_module = true
#define STREAMED(object_)						\
	.name = "COUNTERS", .source = SONIC_HFT, .object = (object_),	\
	.group = FLEX_NONE, .database = DATABASE_COUNTERS,		\
	.age = AGE_NOW, .by_oid = true
#define PORTS(name_, database_)						\
	.name = (name_), .source = SONIC_PORTS, .age = AGE_NOW,		\
	.database = (database_), .object = OBJECT_PORT, .group = FLEX_NONE

_Static_assert(TABLE_COUNT <= UINT8_MAX, "struct run keeps it in an octet");

static const struct table tables[TABLE_COUNT] = {
	[TABLE_PORT_COUNTERS] = { FLEX("COUNTERS", SONIC_COUNTERS, OBJECT_PORT,
				       FLEX_PORT),
				  FIELDS(port_counters), .whole = true },
	[TABLE_QUEUE_COUNTERS] = { FLEX("COUNTERS", SONIC_QUEUES, OBJECT_QUEUE,
					FLEX_QUEUE),
				   FIELDS(queue_counters), .whole = true },
	[TABLE_GROUP_DROPS] = { FLEX("COUNTERS", SONIC_QUEUES, OBJECT_GROUP,
				     FLEX_PG_DROP),
				FIELDS(group_drops) },
	[TABLE_PORT_DROPS] = { FLEX("COUNTERS", SONIC_QUEUES, OBJECT_PORT,
				    FLEX_PORT_DROP),
			       FIELDS(port_drops) },
	[TABLE_QUEUE_WATERMARKS] = { FLEX("COUNTERS", SONIC_WATERMARKS,
					  OBJECT_QUEUE, FLEX_QUEUE_WATERMARK),
				     FIELDS(queue_watermarks) },
	[TABLE_GROUP_WATERMARKS] = { FLEX("COUNTERS", SONIC_WATERMARKS,
					  OBJECT_GROUP, FLEX_PG_WATERMARK),
				     FIELDS(group_watermarks) },
	[TABLE_POOL_WATERMARKS] = { FLEX("COUNTERS", SONIC_WATERMARKS,
					 OBJECT_POOL, FLEX_POOL_WATERMARK),
				    FIELDS(pool_watermarks) },
	[TABLE_PORT_APPL] = { PORTS("PORT_TABLE", DATABASE_APPL),
			      FIELDS(port_appl), .whole = true },
	[TABLE_PORT_STATE] = { PORTS("PORT_TABLE", DATABASE_STATE),
			       FIELDS(port_state), .optional = true },
	[TABLE_PORT_ERRORS] = { PORTS("PORT_OPERR_TABLE", DATABASE_STATE),
				FIELDS(port_errors), .whole = true },
	[TABLE_PORT_CONFIG] = { PORTS("PORT", DATABASE_CONFIG),
				FIELDS(port_appl), .whole = true },
	[TABLE_MODULE_INFO] = { MODULE("TRANSCEIVER_INFO", SONIC_TRANSCEIVERS,
				       AGE_NOW),
				FIELDS(module_info), .whole = true },
	[TABLE_MODULE_FIRMWARE] = { MODULE("TRANSCEIVER_FIRMWARE_INFO",
					   SONIC_TRANSCEIVERS, AGE_NOW),
				    FIELDS(module_firmware), .optional = true },
	[TABLE_MODULE_DOM] = { MODULE("TRANSCEIVER_DOM_SENSOR", SONIC_DOM,
				      AGE_ROW),
			       FIELDS(module_dom), .whole = true },
	[TABLE_MODULE_THRESHOLDS] = { MODULE("TRANSCEIVER_DOM_THRESHOLD",
					     SONIC_THRESHOLDS, AGE_CHANGE),
				      FIELDS(module_thresholds),
				      .whole = true },
	/* Images before 2023 keep thresholds with the readings. */
	[TABLE_MODULE_OLD_THRESHOLDS] = { MODULE("TRANSCEIVER_DOM_SENSOR",
						 SONIC_THRESHOLDS, AGE_CHANGE),
					  FIELDS(module_thresholds) },
	[TABLE_MODULE_FLAGS] = { MODULE("TRANSCEIVER_STATUS_FLAG", SONIC_FLAGS,
					AGE_ROW),
				 FIELDS(module_flags) },
	[TABLE_MODULE_STATUS] = { MODULE("TRANSCEIVER_STATUS", SONIC_STATUS,
					 AGE_ROW),
				  FIELDS(module_status) },
	[TABLE_PORT_STREAMED] = { STREAMED(OBJECT_PORT),
				  FIELDS(port_streamed) },
	[TABLE_QUEUE_STREAMED] = { STREAMED(OBJECT_QUEUE),
				   FIELDS(queue_streamed) },
	[TABLE_GROUP_STREAMED] = { STREAMED(OBJECT_GROUP),
				   FIELDS(group_streamed) },
	[TABLE_POOL_STREAMED] = { STREAMED(OBJECT_POOL),
				  FIELDS(pool_streamed) },
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
	};

	assert(group < FLEX_GROUP_COUNT);
	return &groups[group];
}
