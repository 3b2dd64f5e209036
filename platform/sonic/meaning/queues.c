/* Queues, priority groups and buffer pools: SAI's statistics, PFC watchdog,
 * watermarks; and fields of high-frequency telemetry, which looks them up here:
 * SONiC does not write these to the database.
 */
#include "platform/sonic/meaning/tables.h"

#include "petrel/quantity.h"
#include "platform/sonic/meaning/counters.h"
#include "platform/sonic/meaning/text.h"

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
	QUEUE("CREDIT_WD_DELETED_PACKETS", Q_QUEUE_CREDIT_WD_DELETED_FRAMES),
	QUEUE("CURR_OCCUPANCY_LEVEL", Q_QUEUE_OCCUPANCY_LEVEL),
	QUEUE("WATERMARK_LEVEL", Q_QUEUE_WATERMARK_LEVEL),
	QUEUE("CURR_OCCUPANCY_BYTES", Q_QUEUE_OCCUPANCY_OCTETS),
	QUEUE("DELAY_WATERMARK_NS", Q_QUEUE_DELAY_NS),
};

static const struct field queue_watermarks[] = {
	QUEUE("SHARED_WATERMARK_BYTES", Q_QUEUE_WATERMARK_OCTETS),
};

#define STREAMED(object_)						\
	ROW("COUNTERS", SONIC_HFT, DATABASE_COUNTERS, object_), .key = KEY_OID
#define PEAKS(object_, group_)						\
	SYNCD("COUNTERS", SONIC_WATERMARKS, object_, group_),		\
	.window = WINDOW_GROUP, .take = counters_row
/* Scripts of SONiC compute these from the peaks; not all images run them. */
#define KEPT(name_, object_, group_, fields_, first_, kept_)		\
	SYNCD(name_, SONIC_KEPT, object_, group_),			\
	FIELDS(fields_, .shift = Q_##kept_##_WATERMARK_OCTETS -		\
				 Q_##first_##_WATERMARK_OCTETS),	\
	.sparse = true, .take = counters_row
#define KEPT_QUEUE(name, kept)						\
	KEPT(name, OBJECT_QUEUE, FLEX_QUEUE_WATERMARK, queue_watermarks, \
	     QUEUE, QUEUE_##kept)
#define KEPT_GROUP(name, kept)						\
	KEPT(name, OBJECT_GROUP, FLEX_PG_WATERMARK, group_watermarks,	\
	     PG_SHARED, PG_SHARED_##kept)
#define KEPT_POOL(name, kept)						\
	KEPT(name, OBJECT_POOL, FLEX_POOL_WATERMARK, pool_watermarks,	\
	     POOL, POOL_##kept)

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

/* PFC watchdog's, in the same rows: its own scripts write them, at its own
 * interval. SAI_QUEUE_ATTR_PAUSE_STATUS is polled for it (Broadcom).
 */
#define STORM(name, quantity)						\
	{ "PFC_WD_QUEUE_STATS_" name, quantity, 0, 0, FIELD_COUNTER, 1 }

static const struct field queue_pfcwd[] = {
	{ "PFC_WD_STATUS", Q_QUEUE_STORM, 0, 0, FIELD_WORD, WORDS_STORM },
	STORM("DEADLOCK_DETECTED", Q_QUEUE_STORMS_DETECTED),
	STORM("DEADLOCK_RESTORED", Q_QUEUE_STORMS_RESTORED),
	STORM("TX_PACKETS", Q_QUEUE_STORM_TX_FRAMES),
	STORM("TX_DROPPED_PACKETS", Q_QUEUE_STORM_TX_DROPPED_FRAMES),
	STORM("RX_PACKETS", Q_QUEUE_STORM_RX_FRAMES),
	STORM("RX_DROPPED_PACKETS", Q_QUEUE_STORM_RX_DROPPED_FRAMES),
	{ "SAI_QUEUE_ATTR_PAUSE_STATUS", Q_QUEUE_PAUSED, 0, 0, FIELD_BOOL, 1 },
};

/* Drops of ports' buffers are polled with those of queues. */
static const struct field port_drops[] = {
	{ "SAI_PORT_STAT_IN_DROPPED_PKTS", Q_IN_DROPPED_FRAMES, 0, 0,
	  FIELD_COUNTER, 1 },
	{ "SAI_PORT_STAT_OUT_DROPPED_PKTS", Q_OUT_DROPPED_FRAMES, 0, 0,
	  FIELD_COUNTER, 1 },
};

/* --- only in high-frequency telemetry ------------------------------------- */

static const struct field queue_streamed[] = {
	QUEUE("WATERMARK_BYTES", Q_QUEUE_WATERMARK_TOTAL_OCTETS),
	QUEUE("SHARED_CURR_OCCUPANCY_BYTES", Q_QUEUE_SHARED_OCCUPANCY_OCTETS),
	QUEUE("CURR_OCCUPANCY_CELLS", Q_QUEUE_OCCUPANCY_CELLS),
	QUEUE("WATERMARK_CELLS", Q_QUEUE_WATERMARK_TOTAL_CELLS),
	QUEUE("SHARED_CURR_OCCUPANCY_CELLS", Q_QUEUE_SHARED_OCCUPANCY_CELLS),
	QUEUE("SHARED_WATERMARK_CELLS", Q_QUEUE_WATERMARK_CELLS),
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

/* --- tables --------------------------------------------------------------- */

static const struct table tables[] = {
	{ SYNCD("COUNTERS", SONIC_QUEUES, OBJECT_QUEUE, FLEX_QUEUE),
	  FIELDS(queue_counters), .whole = true, .take = counters_late_row },
	/* Only a VOQ switch has them; they are polled with the queues. */
	{ SYNCD("COUNTERS", SONIC_QUEUES, OBJECT_VOQ, FLEX_QUEUE),
	  FIELDS(queue_counters), .whole = true, .take = counters_late_row },
	{ SYNCD("COUNTERS", SONIC_QUEUES, OBJECT_GROUP, FLEX_PG_DROP),
	  FIELDS(group_drops), .take = counters_late_row },
	{ SYNCD("COUNTERS", SONIC_QUEUES, OBJECT_PORT, FLEX_PORT_DROP),
	  FIELDS(port_drops), .take = counters_late_row },
	{ PEAKS(OBJECT_QUEUE, FLEX_QUEUE_WATERMARK), FIELDS(queue_watermarks) },
	{ PEAKS(OBJECT_GROUP, FLEX_PG_WATERMARK), FIELDS(group_watermarks) },
	{ PEAKS(OBJECT_POOL, FLEX_POOL_WATERMARK), FIELDS(pool_watermarks) },
	{ KEPT_QUEUE("USER_WATERMARKS", USER) },
	{ KEPT_QUEUE("PERIODIC_WATERMARKS", PERIODIC),
	  .window = WINDOW_PERIOD },
	{ KEPT_QUEUE("PERSISTENT_WATERMARKS", PERSISTENT) },
	{ KEPT_GROUP("USER_WATERMARKS", USER) },
	{ KEPT_GROUP("PERIODIC_WATERMARKS", PERIODIC),
	  .window = WINDOW_PERIOD },
	{ KEPT_GROUP("PERSISTENT_WATERMARKS", PERSISTENT) },
	{ KEPT_POOL("USER_WATERMARKS", USER) },
	{ KEPT_POOL("PERIODIC_WATERMARKS", PERIODIC),
	  .window = WINDOW_PERIOD },
	{ KEPT_POOL("PERSISTENT_WATERMARKS", PERSISTENT) },
	{ SYNCD("COUNTERS", SONIC_PFCWD, OBJECT_QUEUE, FLEX_PFCWD),
	  FIELDS(queue_pfcwd), .sparse = true, .take = counters_row },
	{ STREAMED(OBJECT_QUEUE), FIELDS(queue_streamed) },
	{ STREAMED(OBJECT_GROUP), FIELDS(group_streamed) },
	{ STREAMED(OBJECT_POOL), FIELDS(pool_streamed) },
};

const struct table_list queues_tables = TABLE_LIST(tables);
