/* Queues, and the buffers behind them: rates, drops, marks, how full, how full
 * at worst and over which time.
 */
#include "agent/query/verbs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "agent/query/answer.h"
#include "agent/query/cells.h"
#include "agent/query/choice.h"
#include "agent/query/order.h"
#include "agent/query/shapes.h"
#include "agent/state/state.h"

#define CHILDREN_MAX 64		/* queues or priority groups of a port */
#define BITS_PER_OCTET 8
#define PPM_OF_US_PER_S 1	/* microseconds a second are millionths */

/* A peak, and its own window, which its cell does not carry. */
static void peak_cells(struct cells *c, uint32_t entity, enum quantity q)
{
	struct state_value v;

	if (!state_value(c->ctx->state, entity, q, 0, &v)) {
		answer_absent(c->a);
		answer_absent(c->a);
		return;
	}
	cells_seen(c, v.age.taken);
	answer_integer(c->a, v.value);
	answer_age(c->a, mono_diff_ns(c->now, v.age.taken), v.quality);
	cells_known(c, v.age.window_ns > 0, v.age.window_ns);
}

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

static const struct answer_column queue_columns[] = {
	{ "port", "PORT", CELL_TEXT, false, false },
	{ "queue", "Q", CELL_INTEGER, true, false },
	{ "type", "TYPE", CELL_TEXT, false, false },
	{ "rate", "RATE", CELL_BPS, true, false },
	{ "util", "UTIL%", CELL_PPM, true, false },
	{ "drop_rate", "DROP", CELL_MILLI, true, false },
	{ "ecn_marked_per_s", "ECN", CELL_INTEGER, true, false },
	{ "occupancy", "OCCUP", CELL_OCTETS, true, false },
	{ "peak", "PEAK", CELL_OCTETS, true, false },
	{ "peak_window", "OVER", CELL_AGE_NS, true, false },
	{ "delay_p99", "DLYp99", CELL_NS, true, false },
	{ "pause_rx_per_s", "PAUSE", CELL_INTEGER, true, false },
	{ "age", "AGE", CELL_AGE_NS, true, false },
	{ "alias", "", CELL_TEXT, false, true },
	{ "pause_tx_per_s", "", CELL_INTEGER, true, true },
	{ "pause_rx_share", "", CELL_PPM, true, true },
	{ "delay_p50", "", CELL_NS, true, true },
	{ "delay_max", "", CELL_NS, true, true },
	{ "dropped_frames", "DROPPED", CELL_UNSIGNED, true, true },
	{ "wred_dropped_per_s", "", CELL_INTEGER, true, true },
	{ "drops_per_s", "", CELL_INTEGER, true, true },
	{ "asic", "", CELL_TEXT, false, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_queues = { "queues", queue_columns, false };

/* One queue, and the priority that it serves. */
struct queue {
	uint32_t port, id, priority;
	unsigned number;
	int64_t speed_mbps;		/* of the port; 0 unknown */
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

static const enum quantity queue_drops[] = { Q_QUEUE_DROPPED_FRAMES };

static void queue_rates(struct cells *c, const struct queue *q)
{
	static const enum quantity marks[] = { Q_QUEUE_ECN_MARKED_FRAMES };
	/* Bits a microsecond are millionths of the speed. */
	double scale = q->speed_mbps > 0 ?
		       BITS_PER_OCTET / (double)q->speed_mbps : 0;

	cells_scaled_rate(c, q->id, Q_QUEUE_OCTETS, BITS_PER_OCTET);
	cells_scaled_rate(c, q->id, Q_QUEUE_OCTETS, scale);
	cells_rate_milli(c, q->id, queue_drops, 1);
	cells_rate(c, q->id, marks, 1);
}

/* What has no room in 80 columns. */
static void queue_json(struct cells *c, const struct queue *q)
{
	static const enum quantity pauses[] = { Q_PFC_TX_FRAMES };
	static const enum quantity wred[] = { Q_QUEUE_WRED_DROPPED_FRAMES };

	cells_attribute(c, q->port, ATTRIBUTE_ALIAS);
	cells_rate(c, q->priority, pauses, 1);
	cells_scaled_rate(c, q->priority, Q_PFC_RX_PAUSE_US, PPM_OF_US_PER_S);
	cells_value(c, q->id, Q_QUEUE_DELAY_P50_NS, 0);
	cells_value(c, q->id, Q_QUEUE_DELAY_MAX_NS, 0);
	cells_value(c, q->id, Q_QUEUE_DROPPED_FRAMES, 0);
	cells_rate(c, q->id, wred, 1);
	cells_rate(c, q->id, queue_drops, 1);
	answer_text(c->a, context_asic(c->ctx, q->port));
}

static void queue_row(struct cells *c, const struct queue *q)
{
	static const enum quantity paused[] = { Q_PFC_RX_FRAMES };

	cells_row(c);
	answer_text(c->a, context_name(c->ctx, q->port));
	answer_integer(c->a, q->number);
	answer_text(c->a, type_mark(q->type));
	queue_rates(c, q);
	cells_value(c, q->id, Q_QUEUE_OCCUPANCY_OCTETS, 0);
	peak_cells(c, q->id, Q_QUEUE_WATERMARK_OCTETS);
	cells_value(c, q->id, Q_QUEUE_DELAY_P99_NS, 0);
	cells_rate(c, q->priority, paused, 1);
	cells_age(c);
	if (answer_row_goes_on(c->a))
		queue_json(c, q);
}

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

static int64_t speed_of(const struct query_context *ctx, uint32_t port)
{
	struct state_value v;

	return state_value(ctx->state, port, Q_SPEED_MBPS, 0, &v) ? v.value : 0;
}

static void queue_rows(struct cells *c, uint32_t port, bool all,
		       struct folded *folded)
{
	const struct query_context *ctx = c->ctx;
	struct queue q = { .port = port, .speed_mbps = speed_of(ctx, port) };

	for (q.number = 0; q.number < CHILDREN_MAX; q.number++) {
		q.id = state_child(ctx->state, port, ENTITY_QUEUE, q.number);
		if (q.id == ENTITY_NONE)
			continue;
		q.type = context_attribute(ctx, q.id, ATTRIBUTE_QUEUE_TYPE);
		q.priority = queue_priority(ctx, &q);
		if (!fold(folded, queue_activity(ctx, &q), all))
			queue_row(c, &q);
	}
}

/* --- virtual output queues ------------------------------------------------ */

static const struct answer_column voq_columns[] = {
	{ "system_port", "TOWARDS", CELL_TEXT, false, false },
	{ "queue", "VOQ", CELL_INTEGER, true, false },
	{ "rate", "RATE", CELL_BPS, true, false },
	{ "drops_per_s", "DROP", CELL_INTEGER, true, false },
	{ "dropped_frames", "DROPPED", CELL_UNSIGNED, true, false },
	{ "credit_wd_deleted_frames", "CREDIT-WD", CELL_UNSIGNED, true, false },
	{ "age", "AGE", CELL_AGE_NS, true, false },
	{ "asic", "", CELL_TEXT, false, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_voqs = { "voqs", voq_columns, false };

/* Each chip has queues of its own towards each port of the chassis. */
static void voq_row(struct cells *c, const struct inventory_entity *towards,
		    uint32_t id, unsigned number)
{
	static const enum quantity drops[] = {
		Q_QUEUE_DROPPED_FRAMES, Q_QUEUE_CREDIT_WD_DELETED_FRAMES,
	};

	cells_row(c);
	answer_text(c->a, towards->key.name);
	answer_integer(c->a, number);
	cells_scaled_rate(c, id, Q_QUEUE_OCTETS, BITS_PER_OCTET);
	cells_rate(c, id, drops, 2);
	cells_value(c, id, Q_QUEUE_DROPPED_FRAMES, 0);
	cells_value(c, id, Q_QUEUE_CREDIT_WD_DELETED_FRAMES, 0);
	cells_age(c);
	answer_text(c->a, context_asic(c->ctx, towards->id));
}

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

			if (id != ENTITY_NONE &&
			    !fold(folded, voq_activity(c->ctx, id), all))
				voq_row(c, &e[i], id, q);
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

static const struct answer_column pool_columns[] = {
	{ "pool", "POOL", CELL_TEXT, false, false },
	{ "size", "SIZE", CELL_OCTETS, true, false },
	{ "peak", "PEAK", CELL_OCTETS, true, false },
	{ "peak_window", "OVER", CELL_AGE_NS, true, false },
	{ "peak_share", "PEAK%", CELL_PPM, true, false },
	{ "headroom_peak", "HEADROOM", CELL_OCTETS, true, false },
	{ "headroom_size", "OF", CELL_OCTETS, true, false },
	{ "dropped_frames", "DROPPED", CELL_UNSIGNED, true, false },
	{ "age", "AGE", CELL_AGE_NS, true, false },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_pools = { "pools", pool_columns, false };

/* The peak as a share of the size, where both are known. */
static void share_cell(struct cells *c, uint32_t pool)
{
	struct state_value peak, size;
	bool is_known = state_value(c->ctx->state, pool,
				    Q_POOL_WATERMARK_OCTETS, 0, &peak) &&
			state_value(c->ctx->state, pool, Q_POOL_SIZE_OCTETS, 0,
				    &size) && size.value > 0;

	cells_known(c, is_known, is_known ?
		    (int64_t)((double)peak.value / (double)size.value * 1e6) :
		    0);
}

static void pool_row(struct cells *c, const struct inventory_entity *pool)
{
	cells_row(c);
	answer_text(c->a, pool->key.name);
	cells_value(c, pool->id, Q_POOL_SIZE_OCTETS, 0);
	peak_cells(c, pool->id, Q_POOL_WATERMARK_OCTETS);
	share_cell(c, pool->id);
	cells_value(c, pool->id, Q_POOL_XOFF_WATERMARK_OCTETS, 0);
	cells_value(c, pool->id, Q_POOL_XOFF_SIZE_OCTETS, 0);
	cells_value(c, pool->id, Q_POOL_DROPPED_FRAMES, 0);
	cells_age(c);
}

/* Returns how many there are. */
static size_t pools_table(struct cells *c)
{
	const struct inventory_entity *e;
	size_t n = state_entities(c->ctx->state, &e), pools = 0;

	answer_shaped(c->a, &shape_pools);
	for (size_t i = 0; i < n; i++) {
		if (e[i].id == 0 || e[i].gone || e[i].key.kind != ENTITY_POOL)
			continue;
		pool_row(c, &e[i]);
		pools++;
	}
	return pools;
}

static const struct answer_column group_columns[] = {
	{ "port", "PORT", CELL_TEXT, false, false },
	{ "group", "PG", CELL_INTEGER, true, false },
	{ "peak", "PEAK", CELL_OCTETS, true, false },
	{ "peak_window", "OVER", CELL_AGE_NS, true, false },
	{ "headroom_peak", "HEADROOM", CELL_OCTETS, true, false },
	{ "drops_per_s", "DROP", CELL_INTEGER, true, false },
	{ "dropped_frames", "DROPPED", CELL_UNSIGNED, true, false },
	{ "pause_tx_per_s", "PAUSE", CELL_INTEGER, true, false },
	{ "age", "AGE", CELL_AGE_NS, true, false },
	{ "alias", "", CELL_TEXT, false, true },
	{ "asic", "", CELL_TEXT, false, true },
	{ NULL, NULL, 0, false, false },
};
const struct answer_shape shape_groups = { "groups", group_columns, false };

/* A group that fills asks the far end to pause its priority. */
static void group_row(struct cells *c, uint32_t port, uint32_t id,
		      unsigned number)
{
	static const enum quantity drops[] = { Q_PG_DROPPED_FRAMES };
	static const enum quantity pauses[] = { Q_PFC_TX_FRAMES };

	cells_row(c);
	answer_text(c->a, context_name(c->ctx, port));
	answer_integer(c->a, number);
	peak_cells(c, id, Q_PG_SHARED_WATERMARK_OCTETS);
	cells_value(c, id, Q_PG_XOFF_WATERMARK_OCTETS, 0);
	cells_rate(c, id, drops, 1);
	cells_value(c, id, Q_PG_DROPPED_FRAMES, 0);
	cells_rate(c, state_child(c->ctx->state, port, ENTITY_PRIORITY, number),
		   pauses, 1);
	cells_age(c);
	cells_attribute(c, port, ATTRIBUTE_ALIAS);
	answer_text(c->a, context_asic(c->ctx, port));
}

static void group_rows(struct cells *c, uint32_t port, bool all,
		       struct folded *folded)
{
	static const enum quantity shown[] = { Q_PG_SHARED_WATERMARK_OCTETS,
					       Q_PG_XOFF_WATERMARK_OCTETS,
					       Q_PG_DROPPED_FRAMES };

	for (unsigned n = 0; n < CHILDREN_MAX; n++) {
		uint32_t id = state_child(c->ctx->state, port,
					  ENTITY_PRIORITY_GROUP, n);

		if (id != ENTITY_NONE &&
		    !fold(folded, activity_of(c->ctx, id, shown, 3), all))
			group_row(c, port, id, n);
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
	pools = pools_table(&c);
	if (pools + folded.idle + folded.unread == 0 &&
	    answer_rows(a, 0) == 0)
		answer_note(a, "no buffer is known: the platform tells of "
			    "none");
	return order_apply(request, a);
}
