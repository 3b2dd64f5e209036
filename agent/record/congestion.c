#include "agent/record/congestion.h"

#include <errno.h>
#include <stddef.h>

#include "agent/record/pack.h"
#include "petrel/quantity.h"

/* Field numbers of record.proto. */
enum { CONGESTION_ID = 1, CONGESTION_ENTITY, CONGESTION_NAME, CONGESTION_FROM,
       CONGESTION_TO, CONGESTION_PEAK, CONGESTION_PEAK_WHEN,
       CONGESTION_QUANTITY, CONGESTION_LOST_FRAMES, CONGESTION_LOST_OCTETS,
       CONGESTION_MARKED_FRAMES, CONGESTION_DELAY, CONGESTION_MISSING,
       CONGESTION_NUMBER };

#define OCTETS_MAX 512u			/* of a record */

/* Quantities of buffer depth, best first: a watermark misses nothing between
 * two readings. Watermarks that nobody clears may be older.
 */
static const uint16_t depths[] = {
	Q_QUEUE_WATERMARK_OCTETS, Q_QUEUE_OCCUPANCY_OCTETS,
	Q_QUEUE_SHARED_OCCUPANCY_OCTETS, Q_PG_SHARED_WATERMARK_OCTETS,
	Q_PG_OCCUPANCY_OCTETS, Q_PG_SHARED_OCCUPANCY_OCTETS,
};
#define DEPTHS (sizeof(depths) / sizeof(depths[0]))

/* Counters, and the fields that their growth is added to. */
static const struct {
	uint16_t quantity;
	bool is_loss;
	size_t offset;
} sums[] = {
	{ Q_QUEUE_DROPPED_FRAMES, true,
	  offsetof(struct congestion, lost_frames) },
	{ Q_PG_DROPPED_FRAMES, true,
	  offsetof(struct congestion, lost_frames) },
	{ Q_QUEUE_DROPPED_OCTETS, true,
	  offsetof(struct congestion, lost_octets) },
	{ Q_QUEUE_ECN_MARKED_FRAMES, false,
	  offsetof(struct congestion, marked_frames) },
};
#define SUMS (sizeof(sums) / sizeof(sums[0]))

struct congestion_look {
	struct array *found;
	struct index_map by_entity;
	struct congestion *of;	/* of the series; NULL: it is not used */
	uint64_t before;		/* of the counter */
	bool is_out;			/* of memory */
};

static unsigned depth_of(uint16_t quantity)
{
	unsigned i = 0;

	while (i < DEPTHS && depths[i] != quantity)
		i++;
	return i;
}

static unsigned sum_of(uint16_t quantity)
{
	unsigned i = 0;

	while (i < SUMS && sums[i].quantity != quantity)
		i++;
	return i;
}

static void series_begin(struct congestion_look *l,
			 const struct capsule_value *v)
{
	struct congestion *all = l->found->items;
	uint32_t *at;

	l->of = NULL;
	if (v->quantity != Q_QUEUE_DELAY_NS &&
	    depth_of(v->quantity) == DEPTHS && sum_of(v->quantity) == SUMS)
		return;
	at = index_map_at(&l->by_entity, v->entity);
	if (at && *at == INDEX_NONE) {
		*at = array_add(l->found, 1);
		all = l->found->items;
		if (*at != INDEX_NONE)
			all[*at] = (struct congestion){ .entity = v->entity,
							.depth = DEPTHS };
	}
	l->is_out |= !at || *at == INDEX_NONE;
	if (!l->is_out)
		l->of = all + *at;
}

static void peak_take(void *context, const struct capsule_value *v)
{
	struct congestion_look *l = context;
	unsigned depth = depth_of(v->quantity);
	struct congestion *g;

	if (v->is_first)
		series_begin(l, v);
	g = l->of;
	if (!g)
		return;
	if (v->quantity == Q_QUEUE_DELAY_NS && v->value > g->delay_ns)
		g->delay_ns = v->value;
	if (depth == DEPTHS || depth > g->depth ||
	    (depth == g->depth && v->value <= g->peak))
		return;
	g->depth = depth;
	g->quantity = v->quantity;
	g->peak = v->value;
	g->peak_when = v->taken;
}

static void span_add(struct congestion *g, struct mono when)
{
	if (g->from.ns == 0 || when.ns < g->from.ns)
		g->from = when;
	if (when.ns > g->to.ns)
		g->to = when;
}

/* A counter that restarted adds nothing: its growth is not known. */
static void sum_take(struct congestion_look *l, unsigned n,
		     const struct capsule_value *v)
{
	uint64_t value = (uint64_t)v->value, *sum;

	if (!v->is_first && value > l->before) {
		sum = (uint64_t *)(void *)((char *)l->of + sums[n].offset);
		*sum += value - l->before;
		if (sums[n].is_loss)
			span_add(l->of, v->taken);
	}
	l->before = value;
}

static void span_take(void *context, const struct capsule_value *v)
{
	struct congestion_look *l = context;
	unsigned sum = sum_of(v->quantity);

	if (v->is_first)
		series_begin(l, v);
	if (!l->of)
		return;
	if (v->quantity == l->of->quantity && l->of->peak > 0 &&
	    v->value >= l->of->peak - l->of->peak / 2)
		span_add(l->of, v->taken);
	if (sum < SUMS)
		sum_take(l, sum, v);
}

int congestion_find(const struct capsule *c, struct array *ret)
{
	struct congestion_look l = { .found = ret };

	*ret = array_of(sizeof(struct congestion), CAPSULE_SERIES_MAX);
	index_map_init(&l.by_entity, CAPSULE_SERIES_MAX, 0);
	capsule_each(c, peak_take, &l);
	capsule_each(c, span_take, &l);
	index_map_fini(&l.by_entity);
	return l.is_out ? -ENOMEM : 0;
}

int congestion_put(const struct congestion *g, const struct capsule *c,
		   const char *name, const struct record_sink *sink)
{
	uint8_t octets[OCTETS_MAX];
	struct writer w = writer_of(octets, sizeof(octets));

	pack_text(&w, CONGESTION_ID, c->id);
	pack_uint(&w, CONGESTION_ENTITY, g->entity);
	pack_text(&w, CONGESTION_NAME, name);
	pack_int(&w, CONGESTION_FROM, g->from.ns);
	pack_int(&w, CONGESTION_TO, g->to.ns);
	pack_int(&w, CONGESTION_PEAK, g->peak);
	pack_int(&w, CONGESTION_PEAK_WHEN, g->peak_when.ns);
	pack_uint(&w, CONGESTION_QUANTITY, g->quantity);
	pack_uint(&w, CONGESTION_LOST_FRAMES, g->lost_frames);
	pack_uint(&w, CONGESTION_LOST_OCTETS, g->lost_octets);
	pack_uint(&w, CONGESTION_MARKED_FRAMES, g->marked_frames);
	pack_int(&w, CONGESTION_DELAY, g->delay_ns);
	pack_uint(&w, CONGESTION_MISSING, c->missing);
	pack_uint(&w, CONGESTION_NUMBER,
		  sink->sequence(sink->context, STREAM_FINDINGS));
	if (!writer_ok(&w))
		return -EMSGSIZE;
	return sink->put(sink->context, STREAM_FINDINGS, RECORD_CONGESTION,
			 RECORD_FLAG_REFERENCE, octets, w.pos);
}
