#include "agent/record/capsule.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record/columns.h"
#include "agent/record/pack.h"

/* Field numbers of record.proto. */
enum { CAPSULE_ID = 1, CAPSULE_PART, CAPSULE_FROM, CAPSULE_TO, CAPSULE_WHEN,
       CAPSULE_MISSING, CAPSULE_TIMES, CAPSULE_SERIES, CAPSULE_NUMBER };
enum { SERIES_ENTITY = 1, SERIES_NAME, SERIES_QUANTITY, SERIES_INDEX,
       SERIES_TIMES, SERIES_VALUES, SERIES_QUALITY };
enum { PART_NUMBER = 1, PART_COUNT };

#define HEAD_MAX 128u		/* octets of a part without times and series */
#define ENTITY_BITS 24u		/* of the key of a series */

#define SINCE_BITS 47u		/* 39 hours */
#define SERIES_BITS 14u
#define QUALITY_BITS 3u

_Static_assert(CAPSULE_SERIES_MAX <= 1u << SERIES_BITS &&
	       SAMPLE_QUALITY_COUNT <= 1u << QUALITY_BITS,
	       "a reading has room for its series and its quality");

struct capsule_reading {
	int64_t value;
	uint64_t since_ns : SINCE_BITS;	/* since the capsule's begin */
	uint64_t series : SERIES_BITS, quality : QUALITY_BITS;
};

static int64_t reading_taken(const struct capsule *c,
			     const struct capsule_reading *r)
{
	return c->from.ns + (int64_t)r->since_ns;
}

struct capsule_series {
	uint32_t entity;
	uint16_t quantity, index;
};

void capsule_init(struct capsule *c, const char *id)
{
	*c = (struct capsule){
		.readings = array_of(sizeof(struct capsule_reading),
				     CAPSULE_READINGS_MAX),
		.series = array_of(sizeof(struct capsule_series),
				   CAPSULE_SERIES_MAX) };
	(void)snprintf(c->id, sizeof(c->id), "%s", id);
	index_map_init(&c->by_key, CAPSULE_SERIES_MAX, 0);
}

void capsule_fini(struct capsule *c)
{
	array_fini(&c->readings);
	array_fini(&c->series);
	index_map_fini(&c->by_key);
}

/* The number of a reading's series, INDEX_NONE: no room. */
static uint32_t series_of(struct capsule *c, const struct decoded_value *v)
{
	uint64_t key = (uint64_t)v->entity << (64 - ENTITY_BITS) |
		       (uint64_t)v->source << 32 |
		       (uint32_t)v->quantity << 16 | v->index;
	uint32_t *at = v->entity >> ENTITY_BITS ? NULL :
		       index_map_at(&c->by_key, key);

	if (!at)
		return INDEX_NONE;
	if (*at == INDEX_NONE) {
		*at = array_add(&c->series, 1);
		if (*at != INDEX_NONE)
			((struct capsule_series *)c->series.items)[*at] =
				(struct capsule_series){
					v->entity, v->quantity, v->index };
	}
	return *at;
}

void capsule_add(struct capsule *c, const struct decoded_value *v)
{
	uint64_t since_ns = (uint64_t)mono_diff_ns(v->age.taken, c->from);
	uint32_t series, at;

	if (v->age.taken.ns < c->from.ns || v->age.taken.ns > c->to.ns)
		return;
	series = since_ns >> SINCE_BITS ? INDEX_NONE : series_of(c, v);
	at = series == INDEX_NONE ? series : array_add(&c->readings, 1);
	if (at == INDEX_NONE) {
		c->missing |= CAPSULE_NO_ROOM;
		return;
	}
	((struct capsule_reading *)c->readings.items)[at] =
		(struct capsule_reading){
			.value = v->value,
			.since_ns = since_ns & (UINT64_MAX >>
						(64 - SINCE_BITS)),
			.series = series & (CAPSULE_SERIES_MAX - 1),
			.quality = v->quality & ((1u << QUALITY_BITS) - 1) };
}

void capsule_each(const struct capsule *c, capsule_value_fn *fn,
		  void *context)
{
	const struct capsule_reading *r = c->readings.items;
	const struct capsule_series *series = c->series.items;

	for (uint32_t i = 0; i < c->readings.count; i++) {
		const struct capsule_series *s = &series[r[i].series];

		fn(context, &(struct capsule_value){
			.entity = s->entity, .quantity = s->quantity,
			.index = s->index, .quality = r[i].quality,
			.is_first = i == 0 || r[i].series != r[i - 1].series,
			.taken = { reading_taken(c, &r[i]) },
			.value = r[i].value });
	}
}

/* --- to records ----------------------------------------------------------- */

static void readings_swap(struct capsule_reading *a, struct capsule_reading *b)
{
	struct capsule_reading old = *a;

	*a = *b;
	*b = old;
}

/* The place of each reading: by series, within a series in the order in which
 * they came. begin: the begin of each series, afterwards its end.
 */
static void places_find(const struct capsule *c, uint32_t *begin,
			uint32_t *place)
{
	const struct capsule_reading *r = c->readings.items;
	uint32_t sum = 0;

	for (uint32_t i = 0; i < c->readings.count; i++)
		begin[r[i].series]++;
	for (uint32_t s = 0; s < c->series.count; s++) {
		uint32_t count = begin[s];

		begin[s] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < c->readings.count; i++)
		place[i] = begin[r[i].series]++;
}

/* Sorts by series, then by time. In place, as the C library's sort takes as
 * much memory again; readings mostly come in the order of time.
 */
static int readings_sort(struct capsule *c)
{
	struct capsule_reading *r = c->readings.items;
	uint32_t n = c->readings.count;
	uint32_t *begin = calloc((size_t)c->series.count + n + 1,
				 sizeof(*begin));
	uint32_t *place = begin ? begin + c->series.count : NULL;

	if (!begin)
		return -ENOMEM;
	places_find(c, begin, place);
	for (uint32_t i = 0; i < n; i++)
		while (place[i] != i) {
			uint32_t to = place[i];

			readings_swap(&r[i], &r[to]);
			place[i] = place[to];
			place[to] = to;
		}
	free(begin);
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t k = i; k > 0 && r[k].series == r[k - 1].series &&
				     r[k].since_ns < r[k - 1].since_ns; k--)
			readings_swap(&r[k], &r[k - 1]);
	return 0;
}

/* One pass over all readings; the first only counts the parts. */
struct capsule_packing {
	struct capsule *c;
	const struct record_sink *sink;
	const char *(*name)(void *context, uint32_t entity);
	void *context;
	/* Of one series: its readings, and the same packed. */
	int64_t *taken, *value;
	uint8_t *mark, *times, *values, *quality;
	uint8_t *before;		/* times of the series before */
	size_t before_len;
	uint8_t *octets;		/* of the part */
	uint32_t time_count;		/* in the part */
	struct writer w;
	uint32_t part, parts;		/* parts 0: being counted */
};

static void part_begin(struct capsule_packing *p)
{
	p->w = writer_of(p->octets, RECORD_PAYLOAD_MAX - HEAD_MAX);
	p->before_len = 0;
	p->time_count = 0;
}

static int part_end(struct capsule_packing *p)
{
	const struct capsule *c = p->c;
	uint32_t number = p->part++;
	size_t part;

	if (p->parts == 0)
		return 0;
	p->w.cap = RECORD_PAYLOAD_MAX;
	pack_text(&p->w, CAPSULE_ID, c->id);
	if (p->parts > 1) {
		part = pack_open(&p->w, CAPSULE_PART);
		pack_uint(&p->w, PART_NUMBER, number);
		pack_uint(&p->w, PART_COUNT, p->parts);
		pack_close(&p->w, part);
	}
	pack_int(&p->w, CAPSULE_FROM, c->from.ns);
	pack_int(&p->w, CAPSULE_TO, c->to.ns);
	pack_int(&p->w, CAPSULE_WHEN, c->when.ns);
	pack_uint(&p->w, CAPSULE_MISSING, c->missing);
	pack_uint(&p->w, CAPSULE_NUMBER,
		  p->sink->sequence(p->sink->context, STREAM_FINDINGS));
	return p->sink->put(p->sink->context, STREAM_FINDINGS, RECORD_CAPSULE,
			    RECORD_FLAG_REFERENCE, p->octets, p->w.pos);
}

/* Times are not repeated if they are as those of the series before. */
static void series_pack(struct capsule_packing *p,
			const struct capsule_reading *r, size_t n)
{
	const struct capsule_series *s =
		(const struct capsule_series *)p->c->series.items + r->series;
	size_t mark, times, values;

	for (size_t i = 0; i < n; i++) {
		p->taken[i] = reading_taken(p->c, &r[i]);
		p->value[i] = r[i].value;
		p->mark[i] = r[i].quality;
	}
	times = pack_spatial(p->times, p->c->from.ns, p->taken, (uint32_t)n);
	values = pack_spatial(p->values, 0, p->value, (uint32_t)n);
	if (p->time_count == 0 || times != p->before_len ||
	    memcmp(p->times, p->before, times) != 0) {
		pack_octets(&p->w, CAPSULE_TIMES, p->times, times);
		memcpy(p->before, p->times, times);
		p->before_len = times;
		p->time_count++;
	}
	mark = pack_open(&p->w, CAPSULE_SERIES);
	pack_uint(&p->w, SERIES_ENTITY, s->entity);
	pack_text(&p->w, SERIES_NAME, p->name(p->context, s->entity));
	pack_uint(&p->w, SERIES_QUANTITY, s->quantity);
	pack_uint(&p->w, SERIES_INDEX, s->index);
	pack_uint(&p->w, SERIES_TIMES, p->time_count - 1);
	pack_octets(&p->w, SERIES_VALUES, p->values, values);
	pack_octets(&p->w, SERIES_QUALITY, p->quality,
		    pack_quality(p->quality, p->mark, (uint32_t)n));
	pack_close(&p->w, mark);
}

/* Returns -EMSGSIZE: it does not fit into a part of its own. */
static int series_put(struct capsule_packing *p,
		      const struct capsule_reading *r, size_t n)
{
	size_t pos = p->w.pos;
	int rc;

	series_pack(p, r, n);
	if (writer_ok(&p->w))
		return 0;
	if (pos == 0)
		return -EMSGSIZE;
	p->w.pos = pos;
	p->w.overflow = false;
	rc = part_end(p);
	part_begin(p);
	if (rc == 0)
		series_pack(p, r, n);
	return rc < 0 || writer_ok(&p->w) ? rc : -EMSGSIZE;
}

/* How many readings from one on are of its series. */
static size_t series_length(const struct capsule *c, size_t from)
{
	const struct capsule_reading *all = c->readings.items;
	size_t n = 1;

	while (from + n < c->readings.count &&
	       all[from + n].series == all[from].series)
		n++;
	return n;
}

static int pass(struct capsule_packing *p)
{
	const struct capsule_reading *all = p->c->readings.items;
	int rc = 0;

	p->part = 0;
	part_begin(p);
	for (size_t i = 0, n; rc == 0 && i < p->c->readings.count; i += n) {
		n = series_length(p->c, i);
		rc = series_put(p, all + i, n);
	}
	return rc < 0 ? rc : part_end(p);
}

/* Room for the longest series, in one piece; NULL: no memory. */
static void *room_make(struct capsule_packing *p, size_t longest)
{
	size_t packed = PACKED_MAX(longest);
	int64_t *room = malloc(longest * (2 * sizeof(*room) + 1) + 4 * packed +
			       RECORD_PAYLOAD_MAX);

	if (!room)
		return NULL;
	p->taken = room;
	p->value = room + longest;
	p->mark = (uint8_t *)(room + 2 * longest);
	p->times = p->mark + longest;
	p->before = p->times + packed;
	p->values = p->before + packed;
	p->quality = p->values + packed;
	p->octets = p->quality + packed;
	return room;
}

int capsule_put(struct capsule *c, const struct record_sink *sink,
		const char *(*name)(void *context, uint32_t entity),
		void *context)
{
	struct capsule_packing p = { .c = c, .sink = sink, .name = name,
				     .context = context };
	size_t longest = 1;
	void *room;
	int rc = readings_sort(c);

	for (size_t i = 0, n; i < c->readings.count; i += n) {
		n = series_length(c, i);
		longest = n > longest ? n : longest;
	}
	if (longest > RECORD_PAYLOAD_MAX)	/* a time is an octet or more */
		return -EMSGSIZE;
	room = rc == 0 ? room_make(&p, longest) : NULL;
	if (!room)
		return -ENOMEM;
	rc = pass(&p);
	p.parts = p.part;
	if (rc == 0)
		rc = pass(&p);
	free(room);
	return rc;
}

/* --- from records --------------------------------------------------------- */

struct run_reading {
	struct cursor c;
	int64_t last;
	uint64_t same;
};

static int64_t run_next(struct run_reading *r)
{
	uint64_t z;

	if (r->same > 0) {
		r->same--;
		return r->last;
	}
	z = cursor_varint(&r->c);
	if (z == 0)
		r->same = cursor_varint(&r->c);
	r->last = (int64_t)((uint64_t)r->last +
			    (z >> 1 ^ (z & 1 ? UINT64_MAX : 0)));
	return r->last;
}

static bool run_goes_on(const struct run_reading *r)
{
	return cursor_ok(&r->c) && (r->same > 0 || cursor_left(&r->c) > 0);
}

int capsule_series_read(const Petrel__Capsule *part,
			const Petrel__CapsuleSeries *s,
			capsule_reading_fn *fn, void *context)
{
	struct run_reading times, values;
	struct cursor quality = cursor_of(s->quality.data, s->quality.len);
	uint64_t kind = QUALITY_GOOD, left = s->quality.len ? 0 : UINT64_MAX;

	if (s->times >= part->n_times)
		return -EBADMSG;
	times = (struct run_reading){
		cursor_of(part->times[s->times].data,
			  part->times[s->times].len), part->from_mono_ns, 0 };
	values = (struct run_reading){
		cursor_of(s->values.data, s->values.len), 0, 0 };
	for (unsigned n = 0; run_goes_on(&values); n++) {
		int64_t taken_ns, value = run_next(&values);

		if (!run_goes_on(&times) || n == CAPSULE_READINGS_MAX)
			return -EBADMSG;
		taken_ns = run_next(&times);
		if (left == 0) {
			kind = cursor_varint(&quality);
			left = cursor_varint(&quality);
		}
		if (!cursor_ok(&quality) || !cursor_ok(&values.c) ||
		    !cursor_ok(&times.c) || left == 0 ||
		    kind >= SAMPLE_QUALITY_COUNT)
			return -EBADMSG;
		left--;
		fn(context, (struct mono){ taken_ns }, value,
		   (enum sample_quality)kind);
	}
	return 0;
}

static void range_take(void *context, struct mono taken, int64_t value,
		       enum sample_quality quality)
{
	struct capsule_range *r = context;

	(void)taken;
	(void)quality;
	if (r->count++ == 0)
		r->first = r->least = r->most = value;
	if (value < r->least)
		r->least = value;
	if (value > r->most)
		r->most = value;
	r->last = value;
}

int capsule_series_range(const Petrel__Capsule *m,
			 const Petrel__CapsuleSeries *s,
			 struct capsule_range *ret)
{
	*ret = (struct capsule_range){ .count = 0 };
	return capsule_series_read(m, s, range_take, ret);
}

/* A course under construction. */
struct capsule_line {
	int64_t from_ns, column_ns;
	double first, least, most;
	bool is_log;
	double height[CAPSULE_COURSE_COLUMNS];	/* NAN: none yet */
};

static double course_height(const struct capsule_line *c, int64_t value)
{
	return c->is_log ? log10(fmax((double)value, 1)) : (double)value;
}

static void course_take(void *context, struct mono taken, int64_t value,
			enum sample_quality quality)
{
	struct capsule_line *c = context;
	double height = course_height(c, value), *was;
	int64_t since_ns;

	(void)quality;
	if (__builtin_sub_overflow(taken.ns, c->from_ns, &since_ns) ||
	    since_ns < 0 ||
	    since_ns / c->column_ns >= (int64_t)CAPSULE_COURSE_COLUMNS)
		return;
	was = &c->height[since_ns / c->column_ns];
	if (isnan(*was) || fabs(height - c->first) > fabs(*was - c->first))
		*was = height;
}

int capsule_series_course(const Petrel__Capsule *m,
			  const Petrel__CapsuleSeries *s,
			  const struct capsule_range *range, bool is_log,
			  char ret[static CAPSULE_COURSE_COLUMNS + 1])
{
	struct capsule_line c = { .from_ns = m->from_mono_ns,
				  .is_log = is_log };
	int64_t time_ns;
	double span;
	int rc;

	if (__builtin_sub_overflow(m->to_mono_ns, m->from_mono_ns, &time_ns) ||
	    time_ns < 0)
		return -EBADMSG;
	c.column_ns = time_ns / CAPSULE_COURSE_COLUMNS + 1;
	c.first = course_height(&c, range->first);
	c.least = course_height(&c, range->least);
	c.most = course_height(&c, range->most);
	span = c.most > c.least ? c.most - c.least : 1;
	for (unsigned i = 0; i < CAPSULE_COURSE_COLUMNS; i++)
		c.height[i] = NAN;
	rc = capsule_series_read(m, s, course_take, &c);
	for (unsigned i = 0; i < CAPSULE_COURSE_COLUMNS; i++)
		ret[i] = isnan(c.height[i]) ? ' ' : (char)('0' + lround(
			 (c.height[i] - c.least) / span *
			 (CAPSULE_COURSE_HEIGHTS - 1)));
	ret[CAPSULE_COURSE_COLUMNS] = '\0';
	return rc;
}
