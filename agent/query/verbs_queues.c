/* Queues, and the buffers behind them: rates, drops, marks, fill level, peak
 * fill level and its window.
 */
#include "agent/query/verbs.h"

#include <string.h>

#include "agent/state/state.h"

/* SAI's word shortened; unchanged if there is no short one. */
static const char *type_mark(const char *type)
{
	static const struct {
		const char *word, *mark;
	} marks[] = { { "unicast", "uc" }, { "multicast", "mc" },
		      { "unicast_voq", "voq" } };

	for (size_t i = 0; type && i < sizeof(marks) / sizeof(marks[0]); i++)
		if (strcmp(marks[i].word, type) == 0)
			return marks[i].mark;
	return type;
}

static void type_column(struct query *q)
{
	answer_text(q->a, type_mark(query_attribute(q->ctx, q->of[OF_ROW],
						      ATTRIBUTE_QUEUE_TYPE)));
}

/* Values that count as traffic. */
static const struct activity queue_activity[] = {
	{ OF_ROW, Q_QUEUE_FRAMES },
	{ OF_ROW, Q_QUEUE_OCTETS },
	{ OF_ROW, Q_QUEUE_DROPPED_FRAMES },
	{ OF_ROW, Q_QUEUE_ECN_MARKED_FRAMES },
	{ OF_ROW, Q_QUEUE_OCCUPANCY_OCTETS },
	{ OF_ROW, Q_QUEUE_WATERMARK_OCTETS },
	{ OF_PRIORITY, Q_PFC_RX_FRAMES },
	{ OF_PRIORITY, Q_PFC_TX_FRAMES },
	{ .quantity = 0 },
};

const struct answer_shape shape_queues = {
	"queues", .rows = rows_children, .kind = ENTITY_QUEUE,
	.parent = ENTITY_PORT, .active = queue_activity, .things = "queues",
	.columns = {
	{ "port", "PORT", CELL_TEXT, .from = column_name, .of = OF_PORT },
	{ "queue", "Q", CELL_INTEGER, .from = column_number },
	{ "type", "TYPE", CELL_TEXT, .from = type_column },
	{ "rate", "RATE", CELL_BPS, Q_QUEUE_OCTETS, column_rate },
	{ "util", "UTIL%", CELL_PPM, Q_QUEUE_OCTETS, column_rate },
	{ "drop_rate", "DROP", CELL_MILLI, Q_QUEUE_DROPPED_FRAMES,
	  column_rate },
	{ "ecn_marked_per_s", "ECN", CELL_INTEGER, Q_QUEUE_ECN_MARKED_FRAMES,
	  column_rate },
	{ "occupancy", "OCCUP", CELL_OCTETS, Q_QUEUE_OCCUPANCY_OCTETS },
	{ "peak", "PEAK", CELL_OCTETS, Q_QUEUE_WATERMARK_OCTETS },
	{ "peak_window", "OVER", CELL_AGE_NS, Q_QUEUE_WATERMARK_OCTETS,
	  column_window },
	{ "delay_p99", "DLYp99", CELL_NS, Q_QUEUE_DELAY_P99_NS },
	{ "pause_rx_per_s", "PAUSE", CELL_INTEGER, Q_PFC_RX_FRAMES, column_rate,
	  OF_PRIORITY },
	{ "age", "AGE", CELL_AGE_NS, .from = column_age },
	{ "alias", "", CELL_TEXT, ATTRIBUTE_ALIAS, .of = OF_PORT },
	{ "pause_tx_per_s", "", CELL_INTEGER, Q_PFC_TX_FRAMES, column_rate,
	  OF_PRIORITY },
	{ "pause_rx_share", "", CELL_PPM, Q_PFC_RX_PAUSE_US, column_rate,
	  OF_PRIORITY },
	{ "delay_p50", "", CELL_NS, Q_QUEUE_DELAY_P50_NS },
	{ "delay_max", "", CELL_NS, Q_QUEUE_DELAY_MAX_NS },
	{ "dropped_frames", "DROPPED", CELL_UNSIGNED, Q_QUEUE_DROPPED_FRAMES,
	  .wide = true },
	{ "wred_dropped_per_s", "", CELL_INTEGER, Q_QUEUE_WRED_DROPPED_FRAMES,
	  column_rate },
	{ "drops_per_s", "", CELL_INTEGER, Q_QUEUE_DROPPED_FRAMES,
	  column_rate },
	{ "asic", "ASIC", CELL_TEXT, .from = column_asic, .of = OF_PORT,
	  .wide = true },
	{ .key = NULL },
} };

static const enum quantity voq_drops[] = {
	Q_QUEUE_DROPPED_FRAMES, Q_QUEUE_CREDIT_WD_DELETED_FRAMES, 0,
};

/* The chassis port that the queue leads to, on whichever card it is. */
static void towards_column(struct query *q)
{
	const struct inventory_entity *e = state_entity(q->ctx->state,
							q->of[OF_PORT]);

	answer_text(q->a, e ? e->key.name : NULL);
}

/* A queue that has ever dropped something is shown. */
static const struct activity voq_activity[] = {
	{ OF_ROW, Q_QUEUE_FRAMES },
	{ OF_ROW, Q_QUEUE_OCTETS },
	{ OF_ROW, Q_QUEUE_DROPPED_FRAMES, .ever = true },
	{ OF_ROW, Q_QUEUE_CREDIT_WD_DELETED_FRAMES, .ever = true },
	{ .quantity = 0 },
};

/* Each chip has its own queues for each port of the chassis. */
const struct answer_shape shape_voqs = {
	"voqs", .rows = rows_children, .kind = ENTITY_QUEUE,
	.parent = ENTITY_SYSTEM_PORT, .active = voq_activity,
	.things = "queues", .columns = {
	{ "system_port", "TOWARDS", CELL_TEXT, .from = towards_column },
	{ "queue", "VOQ", CELL_INTEGER, .from = column_number },
	{ "rate", "RATE", CELL_BPS, Q_QUEUE_OCTETS, column_rate },
	{ "drops_per_s", "DROP", CELL_INTEGER, .from = column_rate,
	  .more = voq_drops },
	{ "dropped_frames", "DROPPED", CELL_UNSIGNED, Q_QUEUE_DROPPED_FRAMES },
	{ "credit_wd_deleted_frames", "CREDIT-WD", CELL_UNSIGNED,
	  Q_QUEUE_CREDIT_WD_DELETED_FRAMES },
	{ "age", "AGE", CELL_AGE_NS, .from = column_age },
	{ "asic", "ASIC", CELL_TEXT, .from = column_asic, .of = OF_PORT,
	  .wide = true },
	{ .key = NULL },
} };

/* --- buffers ------------------------------------------------------------- */

/* The peak as a share of the size, if both are known. */
static void share_column(struct query *q)
{
	uint32_t pool = q->of[OF_ROW];
	int64_t size = query_value(q->ctx, pool, Q_POOL_SIZE_OCTETS, 0);
	struct state_value peak;
	bool is_known = size > 0 &&
			state_value(q->ctx->state, pool,
				    Q_POOL_WATERMARK_OCTETS, 0, &peak);

	answer_known(q->a, is_known, is_known ?
		    (int64_t)((double)peak.value / (double)size * 1e6) : 0);
}

const struct answer_shape shape_pools = {
	"pools", .rows = rows_entities, .kind = ENTITY_POOL, .columns = {
	{ "pool", "POOL", CELL_TEXT, .from = column_asic_name },
	{ "size", "SIZE", CELL_OCTETS, Q_POOL_SIZE_OCTETS },
	{ "peak", "PEAK", CELL_OCTETS, Q_POOL_WATERMARK_OCTETS },
	{ "peak_window", "OVER", CELL_AGE_NS, Q_POOL_WATERMARK_OCTETS,
	  column_window },
	{ "peak_share", "PEAK%", CELL_PPM, .from = share_column },
	{ "headroom_peak", "HEADROOM", CELL_OCTETS,
	  Q_POOL_XOFF_WATERMARK_OCTETS },
	{ "headroom_size", "OF", CELL_OCTETS, Q_POOL_XOFF_SIZE_OCTETS },
	{ "dropped_frames", "DROPPED", CELL_UNSIGNED, Q_POOL_DROPPED_FRAMES },
	{ "age", "AGE", CELL_AGE_NS, .from = column_age },
	{ "asic", "ASIC", CELL_TEXT, .from = column_asic, .wide = true },
	{ .key = NULL },
} };

static const struct activity group_activity[] = {
	{ OF_ROW, Q_PG_SHARED_WATERMARK_OCTETS },
	{ OF_ROW, Q_PG_XOFF_WATERMARK_OCTETS },
	{ OF_ROW, Q_PG_DROPPED_FRAMES },
	{ .quantity = 0 },
};

/* A group that fills up asks the peer to pause its priority. */
const struct answer_shape shape_groups = {
	"groups", .rows = rows_children, .kind = ENTITY_PRIORITY_GROUP,
	.parent = ENTITY_PORT, .active = group_activity,
	.things = "priority groups", .columns = {
	{ "port", "PORT", CELL_TEXT, .from = column_name, .of = OF_PORT },
	{ "group", "PG", CELL_INTEGER, .from = column_number },
	{ "peak", "PEAK", CELL_OCTETS, Q_PG_SHARED_WATERMARK_OCTETS },
	{ "peak_window", "OVER", CELL_AGE_NS, Q_PG_SHARED_WATERMARK_OCTETS,
	  column_window },
	{ "headroom_peak", "HEADROOM", CELL_OCTETS,
	  Q_PG_XOFF_WATERMARK_OCTETS },
	{ "drops_per_s", "DROP", CELL_INTEGER, Q_PG_DROPPED_FRAMES,
	  column_rate },
	{ "dropped_frames", "DROPPED", CELL_UNSIGNED, Q_PG_DROPPED_FRAMES },
	{ "pause_tx_per_s", "PAUSE", CELL_INTEGER, Q_PFC_TX_FRAMES, column_rate,
	  OF_PRIORITY },
	{ "age", "AGE", CELL_AGE_NS, .from = column_age },
	{ "alias", "", CELL_TEXT, ATTRIBUTE_ALIAS, .of = OF_PORT },
	{ "asic", "ASIC", CELL_TEXT, .from = column_asic, .of = OF_PORT,
	  .wide = true },
	{ .key = NULL },
} };
