/* Queues, and the buffers behind them: rates, drops, marks, how full, how full
 * at worst and over which time.
 */
#include "agent/query/verbs.h"

#include <stdio.h>
#include <string.h>

#include "agent/query/answer.h"
#include "agent/query/cells.h"
#include "agent/query/choice.h"
#include "agent/query/order.h"
#include "agent/query/shapes.h"
#include "agent/state/state.h"

#define CHILDREN_MAX 64		/* queues or priority groups of a port */

/* --- idle ---------------------------------------------------------------- */

enum activity { ACTIVITY_UNREAD, ACTIVITY_NONE, ACTIVITY_SOME };

/* A counter that steps, a gauge above 0. */
static bool is_active(const struct query_context *ctx, uint32_t entity,
		      enum quantity q)
{
	struct state_value v;
	struct state_rate rate;

	if (quantity_find((uint16_t)q)->kind == KIND_COUNTER)
		return state_rate(ctx->state, entity, q, 0, &rate) &&
		       rate.per_s > 0;
	return state_value(ctx->state, entity, q, 0, &v) && v.value > 0;
}

/* What any of these show is traffic. */
static enum activity activity_of(const struct query_context *ctx,
				 uint32_t entity, const enum quantity *q,
				 unsigned count)
{
	struct state_value v;

	for (unsigned i = 0; i < count; i++)
		if (is_active(ctx, entity, q[i]))
			return ACTIVITY_SOME;
	for (unsigned i = 0; i < count; i++)
		if (state_value(ctx->state, entity, q[i], 0, &v))
			return ACTIVITY_NONE;
	return ACTIVITY_UNREAD;
}

/* How many rows were left out, and why. */
struct folded {
	size_t idle, unread;
};

static const struct answer_column folded_columns[] = {
	{ "idle", "", CELL_INTEGER, true, true },
	{ "never_read", "", CELL_INTEGER, true, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_folded = { "folded", folded_columns, true };

/* True when the row is left out; counts it then. */
static bool fold(struct folded *f, enum activity activity, bool all)
{
	f->unread += !all && activity == ACTIVITY_UNREAD;
	f->idle += !all && activity == ACTIVITY_NONE;
	return !all && activity != ACTIVITY_SOME;
}

static void folded_table(struct answer *a, const struct folded *f,
			 const char *what)
{
	answer_shaped(a, &shape_folded);
	answer_row(a);
	answer_integer(a, (int64_t)f->idle);
	answer_integer(a, (int64_t)f->unread);
	if (f->idle && f->unread)
		answer_note(a, "not shown: %zu idle %s, and %zu of which "
			    "nothing was read; --all shows them", f->idle, what,
			    f->unread);
	else if (f->idle)
		answer_note(a, "not shown: %zu idle %s; --all shows them",
			    f->idle, what);
	else if (f->unread)
		answer_note(a, "not shown: %zu %s of which nothing was read; "
			    "--all shows them", f->unread, what);
}

/* --- queues -------------------------------------------------------------- */

/* One queue, and the priority that it serves. */
struct queue {
	uint32_t port, id, priority;
	unsigned number;
	const char *type;		/* unicast and so on; NULL unknown */
};

/* SAI's word in few columns; as it is where there is no short one. */
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

static void type_column(struct cells *c, const struct answer_column *col)
{
	(void)col;
	answer_text(c->a, type_mark(context_attribute(c->ctx, c->of[OF_ROW],
						      ATTRIBUTE_QUEUE_TYPE)));
}

static const struct answer_column queue_columns[] = {
	{ "port", "PORT", CELL_TEXT, false, false, column_name, OF_PORT },
	{ "queue", "Q", CELL_INTEGER, true, false, column_number, OF_ROW },
	{ "type", "TYPE", CELL_TEXT, false, false, type_column },
	{ "rate", "RATE", CELL_BPS, true, false, column_rate, OF_ROW,
	  Q_QUEUE_OCTETS },
	{ "util", "UTIL%", CELL_PPM, true, false, column_rate, OF_ROW,
	  Q_QUEUE_OCTETS },
	{ "drop_rate", "DROP", CELL_MILLI, true, false, column_rate, OF_ROW,
	  Q_QUEUE_DROPPED_FRAMES },
	{ "ecn_marked_per_s", "ECN", CELL_INTEGER, true, false, column_rate,
	  OF_ROW, Q_QUEUE_ECN_MARKED_FRAMES },
	{ "occupancy", "OCCUP", CELL_OCTETS, true, false, column_value, OF_ROW,
	  Q_QUEUE_OCCUPANCY_OCTETS },
	{ "peak", "PEAK", CELL_OCTETS, true, false, column_value, OF_ROW,
	  Q_QUEUE_WATERMARK_OCTETS },
	{ "peak_window", "OVER", CELL_AGE_NS, true, false, column_window,
	  OF_ROW, Q_QUEUE_WATERMARK_OCTETS },
	{ "delay_p99", "DLYp99", CELL_NS, true, false, column_value, OF_ROW,
	  Q_QUEUE_DELAY_P99_NS },
	{ "pause_rx_per_s", "PAUSE", CELL_INTEGER, true, false, column_rate,
	  OF_PRIORITY, Q_PFC_RX_FRAMES },
	{ "age", "AGE", CELL_AGE_NS, true, false, column_age },
	{ "alias", "", CELL_TEXT, false, true, column_attribute, OF_PORT,
	  ATTRIBUTE_ALIAS },
	{ "pause_tx_per_s", "", CELL_INTEGER, true, true, column_rate,
	  OF_PRIORITY, Q_PFC_TX_FRAMES },
	{ "pause_rx_share", "", CELL_PPM, true, true, column_rate, OF_PRIORITY,
	  Q_PFC_RX_PAUSE_US },
	{ "delay_p50", "", CELL_NS, true, true, column_value, OF_ROW,
	  Q_QUEUE_DELAY_P50_NS },
	{ "delay_max", "", CELL_NS, true, true, column_value, OF_ROW,
	  Q_QUEUE_DELAY_MAX_NS },
	{ "dropped_frames", "DROPPED", CELL_UNSIGNED, true, true, column_value,
	  OF_ROW, Q_QUEUE_DROPPED_FRAMES },
	{ "wred_dropped_per_s", "", CELL_INTEGER, true, true, column_rate,
	  OF_ROW, Q_QUEUE_WRED_DROPPED_FRAMES },
	{ "drops_per_s", "", CELL_INTEGER, true, true, column_rate, OF_ROW,
	  Q_QUEUE_DROPPED_FRAMES },
	{ "asic", "ASIC", CELL_TEXT, false, true, column_asic, OF_PORT },
	{ .key = NULL },
};
const struct answer_shape shape_queues = { "queues", queue_columns, false };

/* SONiC maps priority n to queue n (MAP_PFC_PRIORITY_TO_QUEUE as shipped); a
 * multicast queue has no priority that can be paused.
 */
static uint32_t queue_priority(const struct query_context *ctx,
			       const struct queue *q)
{
	if (q->type && strcmp(q->type, "multicast") == 0)
		return ENTITY_NONE;
	return state_child(ctx->state, q->port, ENTITY_PRIORITY, q->number);
}

static enum activity queue_activity(const struct query_context *ctx,
				    const struct queue *q)
{
	static const enum quantity shown[] = {
		Q_QUEUE_FRAMES, Q_QUEUE_OCTETS, Q_QUEUE_DROPPED_FRAMES,
		Q_QUEUE_ECN_MARKED_FRAMES, Q_QUEUE_OCCUPANCY_OCTETS,
		Q_QUEUE_WATERMARK_OCTETS,
	};
	static const enum quantity pauses[] = { Q_PFC_RX_FRAMES,
						Q_PFC_TX_FRAMES };

	enum activity own = activity_of(ctx, q->id, shown,
					sizeof(shown) / sizeof(shown[0]));

	if (own != ACTIVITY_SOME && q->priority != ENTITY_NONE &&
	    activity_of(ctx, q->priority, pauses, 2) == ACTIVITY_SOME)
		return ACTIVITY_SOME;
	return own;
}

static void queue_rows(struct cells *c, uint32_t port, bool all,
		       struct folded *folded)
{
	const struct query_context *ctx = c->ctx;
	struct queue q = { .port = port };

	c->of[OF_PORT] = port;
	for (q.number = 0; q.number < CHILDREN_MAX; q.number++) {
		q.id = state_child(ctx->state, port, ENTITY_QUEUE, q.number);
		if (q.id == ENTITY_NONE)
			continue;
		q.type = context_attribute(ctx, q.id, ATTRIBUTE_QUEUE_TYPE);
		q.priority = queue_priority(ctx, &q);
		c->of[OF_ROW] = q.id;
		c->of[OF_PRIORITY] = q.priority;
		if (!fold(folded, queue_activity(ctx, &q), all))
			cells_fill(c, queue_columns);
	}
}

/* --- virtual output queues ------------------------------------------------ */

static const enum quantity voq_drops[] = {
	Q_QUEUE_DROPPED_FRAMES, Q_QUEUE_CREDIT_WD_DELETED_FRAMES, 0,
};

/* Of the port of the chassis that it leads to, wherever that is. */
static void towards_column(struct cells *c, const struct answer_column *col)
{
	const struct inventory_entity *e = state_entity(c->ctx->state,
							c->of[OF_PORT]);

	(void)col;
	answer_text(c->a, e ? e->key.name : NULL);
}

/* Each chip has queues of its own towards each port of the chassis. */
static const struct answer_column voq_columns[] = {
	{ "system_port", "TOWARDS", CELL_TEXT, false, false, towards_column },
	{ "queue", "VOQ", CELL_INTEGER, true, false, column_number, OF_ROW },
	{ "rate", "RATE", CELL_BPS, true, false, column_rate, OF_ROW,
	  Q_QUEUE_OCTETS },
	{ "drops_per_s", "DROP", CELL_INTEGER, true, false, column_rate,
	  OF_ROW, 0, voq_drops },
	{ "dropped_frames", "DROPPED", CELL_UNSIGNED, true, false,
	  column_value, OF_ROW, Q_QUEUE_DROPPED_FRAMES },
	{ "credit_wd_deleted_frames", "CREDIT-WD", CELL_UNSIGNED, true, false,
	  column_value, OF_ROW, Q_QUEUE_CREDIT_WD_DELETED_FRAMES },
	{ "age", "AGE", CELL_AGE_NS, true, false, column_age },
	{ "asic", "ASIC", CELL_TEXT, false, true, column_asic, OF_PORT },
	{ .key = NULL },
};
const struct answer_shape shape_voqs = { "voqs", voq_columns, false };

/* One that has dropped something is shown, however long ago that was. */
static enum activity voq_activity(const struct query_context *ctx, uint32_t id)
{
	static const enum quantity shown[] = {
		Q_QUEUE_FRAMES, Q_QUEUE_OCTETS, Q_QUEUE_DROPPED_FRAMES,
		Q_QUEUE_CREDIT_WD_DELETED_FRAMES,
	};
	struct state_value v;

	for (unsigned i = 2; i < 4; i++)
		if (state_value(ctx->state, id, shown[i], 0, &v) && v.value)
			return ACTIVITY_SOME;
	return activity_of(ctx, id, shown, 4);
}

static void voqs_table(struct cells *c, const struct choice *wanted, bool all,
		       struct folded *folded)
{
	const struct inventory_entity *e;
	size_t n = state_entities(c->ctx->state, &e);

	answer_shaped(c->a, &shape_voqs);
	for (size_t i = 0; i < n; i++) {
		if (e[i].id == 0 || e[i].gone ||
		    e[i].key.kind != ENTITY_SYSTEM_PORT ||
		    !choice_has(wanted, c->ctx, e[i].id))
			continue;
		for (unsigned q = 0; q < CHILDREN_MAX; q++) {
			uint32_t id = state_child(c->ctx->state, e[i].id,
						  ENTITY_QUEUE, q);

			c->of[OF_PORT] = e[i].id;
			c->of[OF_ROW] = id;
			if (id != ENTITY_NONE &&
			    !fold(folded, voq_activity(c->ctx, id), all))
				cells_fill(c, voq_columns);
		}
	}
}

int verbs_queues(void *context, struct query_client *client,
		 const Petrel__Request *request, struct answer *a)
{
	const struct query_context *ctx = context;
	struct cells c = { .ctx = ctx, .a = a,
			   .now = context_begin(ctx, a).mono };
	size_t n = state_port_count(ctx->state);
	struct folded folded = { 0 };
	struct choice wanted;
	int code = choice_take(ctx, request, a, &wanted);

	(void)client;
	if (code != EXIT_ANSWERED)
		return code;
	answer_shaped(a, &shape_queues);
	for (size_t i = 0; i < n; i++)
		if (choice_has(&wanted, ctx, state_port(ctx->state, i)))
			queue_rows(&c, state_port(ctx->state, i), request->all,
				   &folded);
	voqs_table(&c, &wanted, request->all, &folded);
	if (answer_rows(a, 0) == 0 &&
	    answer_rows(a, 1) == 0 &&
	    folded.idle + folded.unread == 0)
		answer_note(a, "no queue is known: the platform tells of none");
	folded_table(a, &folded, "queues");
	return order_apply(request, a);
}

/* --- buffers ------------------------------------------------------------- */

/* The peak as a share of the size, where both are known. */
static void share_column(struct cells *c, const struct answer_column *col)
{
	struct state_value peak, size;
	uint32_t pool = c->of[OF_ROW];
	bool is_known = state_value(c->ctx->state, pool,
				    Q_POOL_WATERMARK_OCTETS, 0, &peak) &&
			state_value(c->ctx->state, pool, Q_POOL_SIZE_OCTETS, 0,
				    &size) && size.value > 0;

	(void)col;
	cells_known(c, is_known, is_known ?
		    (int64_t)((double)peak.value / (double)size.value * 1e6) :
		    0);
}

static const struct answer_column pool_columns[] = {
	{ "pool", "POOL", CELL_TEXT, false, false, column_name, OF_ROW },
	{ "size", "SIZE", CELL_OCTETS, true, false, column_value, OF_ROW,
	  Q_POOL_SIZE_OCTETS },
	{ "peak", "PEAK", CELL_OCTETS, true, false, column_value, OF_ROW,
	  Q_POOL_WATERMARK_OCTETS },
	{ "peak_window", "OVER", CELL_AGE_NS, true, false, column_window,
	  OF_ROW, Q_POOL_WATERMARK_OCTETS },
	{ "peak_share", "PEAK%", CELL_PPM, true, false, share_column },
	{ "headroom_peak", "HEADROOM", CELL_OCTETS, true, false, column_value,
	  OF_ROW, Q_POOL_XOFF_WATERMARK_OCTETS },
	{ "headroom_size", "OF", CELL_OCTETS, true, false, column_value,
	  OF_ROW, Q_POOL_XOFF_SIZE_OCTETS },
	{ "dropped_frames", "DROPPED", CELL_UNSIGNED, true, false,
	  column_value, OF_ROW, Q_POOL_DROPPED_FRAMES },
	{ "age", "AGE", CELL_AGE_NS, true, false, column_age },
	{ .key = NULL },
};
const struct answer_shape shape_pools = { "pools", pool_columns, false };

/* Returns how many there are. */
static size_t pools_table(struct cells *c, uint32_t asic)
{
	const struct inventory_entity *e;
	size_t n = state_entities(c->ctx->state, &e), pools = 0;

	answer_shaped(c->a, &shape_pools);
	for (size_t i = 0; i < n; i++) {
		if (e[i].id == 0 || e[i].gone || e[i].key.kind != ENTITY_POOL ||
		    !choice_is_of(c->ctx, e[i].id, asic))
			continue;
		c->of[OF_ROW] = e[i].id;
		cells_fill(c, pool_columns);
		pools++;
	}
	return pools;
}

/* A group that fills asks the far end to pause its priority. */
static const struct answer_column group_columns[] = {
	{ "port", "PORT", CELL_TEXT, false, false, column_name, OF_PORT },
	{ "group", "PG", CELL_INTEGER, true, false, column_number, OF_ROW },
	{ "peak", "PEAK", CELL_OCTETS, true, false, column_value, OF_ROW,
	  Q_PG_SHARED_WATERMARK_OCTETS },
	{ "peak_window", "OVER", CELL_AGE_NS, true, false, column_window,
	  OF_ROW, Q_PG_SHARED_WATERMARK_OCTETS },
	{ "headroom_peak", "HEADROOM", CELL_OCTETS, true, false, column_value,
	  OF_ROW, Q_PG_XOFF_WATERMARK_OCTETS },
	{ "drops_per_s", "DROP", CELL_INTEGER, true, false, column_rate,
	  OF_ROW, Q_PG_DROPPED_FRAMES },
	{ "dropped_frames", "DROPPED", CELL_UNSIGNED, true, false,
	  column_value, OF_ROW, Q_PG_DROPPED_FRAMES },
	{ "pause_tx_per_s", "PAUSE", CELL_INTEGER, true, false, column_rate,
	  OF_PRIORITY, Q_PFC_TX_FRAMES },
	{ "age", "AGE", CELL_AGE_NS, true, false, column_age },
	{ "alias", "", CELL_TEXT, false, true, column_attribute, OF_PORT,
	  ATTRIBUTE_ALIAS },
	{ "asic", "ASIC", CELL_TEXT, false, true, column_asic, OF_PORT },
	{ .key = NULL },
};
const struct answer_shape shape_groups = { "groups", group_columns, false };

static void group_rows(struct cells *c, uint32_t port, bool all,
		       struct folded *folded)
{
	static const enum quantity shown[] = { Q_PG_SHARED_WATERMARK_OCTETS,
					       Q_PG_XOFF_WATERMARK_OCTETS,
					       Q_PG_DROPPED_FRAMES };

	for (unsigned n = 0; n < CHILDREN_MAX; n++) {
		uint32_t id = state_child(c->ctx->state, port,
					  ENTITY_PRIORITY_GROUP, n);

		c->of[OF_ROW] = id;
		c->of[OF_PORT] = port;
		c->of[OF_PRIORITY] = state_child(c->ctx->state, port,
						 ENTITY_PRIORITY, n);
		if (id != ENTITY_NONE &&
		    !fold(folded, activity_of(c->ctx, id, shown, 3), all))
			cells_fill(c, group_columns);
	}
}

int verbs_buffers(void *context, struct query_client *client,
		  const Petrel__Request *request, struct answer *a)
{
	const struct query_context *ctx = context;
	struct cells c = { .ctx = ctx, .a = a,
			   .now = context_begin(ctx, a).mono };
	size_t n = state_port_count(ctx->state), pools;
	struct folded folded = { 0 };
	struct choice wanted;
	int code = choice_take(ctx, request, a, &wanted);

	(void)client;
	if (code != EXIT_ANSWERED)
		return code;
	answer_shaped(a, &shape_groups);
	for (size_t i = 0; i < n; i++)
		if (choice_has(&wanted, ctx, state_port(ctx->state, i)))
			group_rows(&c, state_port(ctx->state, i), request->all,
				   &folded);
	folded_table(a, &folded, "priority groups");
	pools = pools_table(&c, wanted.asic);
	if (pools + folded.idle + folded.unread == 0 &&
	    answer_rows(a, 0) == 0)
		answer_note(a, "no buffer is known: the platform tells of "
			    "none");
	return order_apply(request, a);
}
