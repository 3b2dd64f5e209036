#include "agent/ctl/gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/array.h"

/* A series that two sources bring is read from the one that came first, unless
 * that one is silent for so long.
 */
#define SOURCE_SILENT_NS (90 * NS_PER_S)
#define MILLI 1000.0

int gather_init(struct gather *g, size_t n)
{
	*g = (struct gather){ .count = n };
	g->series = calloc(n + 1, sizeof(*g->series));
	return g->series ? 0 : -ENOMEM;
}

void gather_want(struct gather *g, size_t n, uint16_t quantity,
		 uint16_t index)
{
	const struct quantity_info *q = quantity_find(quantity);

	g->series[n].quantity = quantity;
	g->series[n].index = index;
	g->series[n].is_rate = q && look_back_is_rate(q);
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
		g->series[i].id = 0;
	}
}

void gather_mark(struct gather *g)
{
	for (size_t i = 0; i < g->count; i++)
		g->series[i].kept = g->series[i].place;
}

void gather_back(struct gather *g)
{
	for (size_t i = 0; i < g->count; i++)
		g->series[i].place = g->series[i].kept;
}

int gather_add(struct gather *g, struct gather_series *s,
	       const struct look_back_reading *reading)
{
	struct look_back_reading *more;

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

/* What it grew by a second, in thousandths; false: there is nothing to compare
 * it with.
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

/* It says something new, and is of the source that the series is read from. */
static bool is_next(struct gather_series *s, const struct decoded_value *v)
{
	struct gather_place *p = &s->place;

	if (p->taken.ns && v->age.taken.ns <= p->taken.ns)
		return false;
	if (p->source != v->source && p->source != GATHER_SOURCE_NONE &&
	    mono_diff_ns(v->age.taken, p->taken) < SOURCE_SILENT_NS)
		return false;
	if (p->source != v->source)
		counter_start(&p->counter);
	p->source = v->source;
	p->taken = v->age.taken;
	return true;
}

static int value_take(struct gather *g, struct gather_series *s,
		      const struct decoded_value *v)
{
	int64_t ago_ns = mono_diff_ns(g->clock.mono, v->age.taken);
	struct look_back_reading r = {
		.wall = { g->clock.wall.ns - ago_ns },
		.mono = g->is_past ? (struct mono){ 0 } : v->age.taken,
		.value = v->value, .quality = v->quality,
		.age_ns = mono_diff_ns(v->batch, v->age.taken) };

	if (!is_next(s, v) ||
	    (s->is_rate && !rate_of(s, v->value, v->age.taken, &r.value)) ||
	    r.wall.ns < g->from.ns || r.wall.ns > g->to.ns)
		return 0;
	r.min = r.max = r.value;
	return gather_add(g, s, &r);
}

void gather_ids(const struct gather *g, uint8_t *ret, uint32_t count)
{
	memset(ret, 0, count / 8 + 1);
	for (size_t i = 0; i < g->count; i++)
		if (g->series[i].id && g->series[i].id < count)
			ret[g->series[i].id / 8] |=
				(uint8_t)(1u << g->series[i].id % 8);
}

uint32_t gather_row(const struct decoded_column *c, uint32_t id, uint32_t guess)
{
	uint32_t row = 0;

	if (guess < c->count && c->entity[guess] == id)
		return guess;
	while (row < c->count && c->entity[row] != id)
		row++;
	return row;
}

int gather_column(void *context, const struct decoded_column *c)
{
	struct gather *g = context;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < g->count; i++) {
		struct gather_series *s = &g->series[i];
		struct decoded_value v;
		uint32_t row;

		if (s->quantity != c->quantity || s->index != c->index ||
		    !s->id)
			continue;
		row = gather_row(c, s->id, s->row);
		if (row == c->count)
			continue;
		s->row = row;
		v = decoded_row(c, row);
		rc = value_take(g, s, &v);
	}
	return rc;
}
