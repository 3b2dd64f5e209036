#include "agent/ctl/gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/array.h"
#include "agent/base/workers.h"

/* A series that two sources report is read from the one that came first, unless
 * that one has been silent for this long.
 */
#define SOURCE_SILENT_NS (90 * NS_PER_S)
#define MILLI 1000.0

int gather_init(struct gather *g, size_t n)
{
	*g = (struct gather){ .count = n };
	g->series = calloc(n + 1, sizeof(*g->series));
	return g->series ? 0 : -ENOMEM;
}

void gather_want(struct gather *g, size_t n, uint32_t entity, uint16_t quantity,
		 uint16_t index)
{
	const struct quantity_info *q = quantity_find(quantity);

	g->series[n].entity = entity;
	g->series[n].quantity = quantity;
	g->series[n].index = index;
	g->series[n].is_rate = q && history_is_rate(q);
}

void gather_fini(struct gather *g)
{
	for (size_t i = 0; i < g->count; i++)
		free(g->series[i].reading);
	free(g->series);
	*g = (struct gather){ .count = 0 };
}

void gather_run(struct gather *g, const struct clock_reading *clock,
		bool is_past)
{
	g->clock = *clock;
	g->is_past = is_past;
	for (size_t i = 0; i < g->count; i++) {
		struct gather_place *p = &g->series[i].place;

		p->taken.ns = 0;
		p->source = GATHER_SOURCE_NONE;
		counter_start(&p->counter);
		g->series[i].id_count = 0;
	}
}

int gather_add(struct gather *g, struct gather_series *s,
	       const struct history_value *reading)
{
	struct history_value *more;

	if (s->place.count == LOOK_BACK_READINGS_MAX)
		return g->rc = -E2BIG;
	more = array_room(s->reading, &s->cap, s->place.count + 1,
			  sizeof(*more));
	if (!more)
		return g->rc = -ENOMEM;
	s->reading = more;
	s->reading[s->place.count++] = *reading;
	return 0;
}

/* The counter's growth per second, in thousandths; false: there is no earlier
 * value to compare with.
 */
static bool rate_of(struct gather_series *s, int64_t value, struct mono taken,
		    int64_t *ret)
{
	int64_t dt_ns = 0;
	uint64_t step = 0;
	double rate;

	if (!counter_stepped(counter_take(&s->place.counter, (uint64_t)value,
					  taken, &step, &dt_ns)) || dt_ns <= 0)
		return false;
	rate = (double)step * MILLI * (double)NS_PER_S / (double)dt_ns;
	*ret = rate < (double)INT64_MAX ? (int64_t)(rate + 0.5) : INT64_MAX;
	return true;
}

/* Whether the value is newer, and from the source the series is read from. */
static bool is_next(struct gather_series *s,
		    const struct history_value *value)
{
	struct gather_place *p = &s->place;

	if (p->taken.ns && value->mono.ns <= p->taken.ns)
		return false;
	if (p->source != value->source && p->source != GATHER_SOURCE_NONE &&
	    mono_diff_ns(value->mono, p->taken) < SOURCE_SILENT_NS)
		return false;
	if (p->source != value->source)
		counter_start(&p->counter);
	p->source = value->source;
	p->taken = value->mono;
	return true;
}

int gather_take(struct gather *g, struct gather_series *s,
		const struct history_value *value)
{
	struct history_value r = *value;

	r.wall.ns = g->clock.wall.ns - mono_diff_ns(g->clock.mono, r.mono);
	if (!is_next(s, value) ||
	    (s->is_rate && !rate_of(s, value->value, value->mono, &r.value)) ||
	    r.wall.ns < g->from.ns || r.wall.ns > g->to.ns)
		return 0;
	if (g->is_past)
		r.mono.ns = 0;
	r.min = r.max = r.value;
	return gather_add(g, s, &r);
}

void gather_id(struct gather_series *s, uint32_t id)
{
	if (s->id_count == GATHER_IDS_MAX)
		memmove(s->ids, s->ids + 1,
			--s->id_count * sizeof(s->ids[0]));
	s->ids[s->id_count++] = id;
}

void gather_ids(const struct gather *g, uint8_t *ret, uint32_t count)
{
	memset(ret, 0, count / 8 + 1);
	for (size_t i = 0; i < g->count; i++)
		for (uint32_t n = 0; n < g->series[i].id_count; n++) {
			uint32_t id = g->series[i].ids[n];

			if (id < count)
				ret[id / 8] |= (uint8_t)(1u << id % 8);
		}
}

static bool is_of(const struct gather_series *s, uint32_t id)
{
	for (uint32_t n = s->id_count; n > 0; n--)
		if (s->ids[n - 1] == id)
			return true;
	return false;
}

/* Most often it is the one of the previous column. */
bool gather_row(struct gather_series *s, const struct decoded_column *c,
		uint32_t *ret)
{
	uint32_t row = s->row;

	if (!s->id_count || s->quantity != c->quantity || s->index != c->index)
		return false;
	if (row >= c->count || !is_of(s, c->entity[row]))
		row = 0;
	while (row < c->count && !is_of(s, c->entity[row]))
		row++;
	if (row == c->count)
		return false;
	*ret = s->row = row;
	return true;
}

static int part_make(const struct gather *g, struct gather *ret)
{
	int rc = gather_init(ret, g->count);

	for (size_t i = 0; rc == 0 && i < g->count; i++) {
		const struct gather_series *s = &g->series[i];

		gather_want(ret, i, s->entity, s->quantity, s->index);
		ret->series[i].id_count = s->id_count;
		memcpy(ret->series[i].ids, s->ids, sizeof(s->ids));
	}
	return rc;
}

void gather_mark(struct gather *part)
{
	for (size_t i = 0; i < part->count; i++)
		part->series[i].kept = part->series[i].place.count;
}

void gather_back(struct gather *part)
{
	for (size_t i = 0; i < part->count; i++)
		part->series[i].place.count = part->series[i].kept;
}

int gather_column(void *context, const struct decoded_column *c)
{
	struct gather *part = context;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < part->count; i++) {
		struct gather_series *s = &part->series[i];
		struct mono taken;
		uint32_t row;

		if (!gather_row(s, c, &row))
			continue;
		taken.ns = c->taken_ns[row];
		rc = gather_add(part, s, &(struct history_value){
			.mono = taken, .value = c->value[row],
			.age_ns = mono_diff_ns(c->batch, taken),
			.quality = c->quality[row], .source = c->source });
	}
	return rc;
}

/* One series after another. */
static int part_take(struct gather *g, const struct gather *part,
		     const struct gather_work *work)
{
	int rc = part->rc;

	for (size_t i = 0; rc == 0 && i < part->count; i++) {
		const struct gather_series *s = &part->series[i];

		for (size_t n = 0; rc == 0 && n < s->place.count; n++)
			rc = work->take(g, &g->series[i], &s->reading[n]);
	}
	return rc;
}

struct gather_run {
	const struct gather_work *work;
	struct gather *parts;		/* by piece */
	int rc[WORKERS_MAX];
};

/* A worker_fn of struct gather_run. */
static void piece_read(void *context, unsigned worker, unsigned piece)
{
	struct gather_run *r = context;

	if (r->rc[worker] == 0)
		r->rc[worker] = r->work->read(r->work->context, worker, piece,
					      &r->parts[piece]);
}

int gather_pieces(struct gather *g, const struct gather_work *work,
		  unsigned pieces)
{
	unsigned workers = workers_count(pieces);
	struct gather_run r = { .work = work,
				.parts = calloc(pieces + 1, sizeof(*r.parts)) };
	int rc = r.parts ? 0 : -ENOMEM;

	for (unsigned n = 0; rc == 0 && n < pieces; n++)
		rc = part_make(g, &r.parts[n]);
	for (unsigned w = 0; rc == 0 && w < workers; w++)
		rc = work->begin(work->context, w);
	if (rc == 0)
		workers_run(workers, pieces, piece_read, &r);
	for (unsigned w = 0; rc == 0 && w < workers; w++)
		rc = r.rc[w];
	for (unsigned n = 0; rc == 0 && n < pieces; n++)
		rc = part_take(g, &r.parts[n], work);
	for (unsigned n = 0; r.parts && n < pieces; n++)
		gather_fini(&r.parts[n]);
	free(r.parts);
	return rc;
}
