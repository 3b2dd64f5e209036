#include "tests/support/samples.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t dice_next(struct dice *d)
{
	uint64_t h = d->state += UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
	return h ^ h >> 31;
}

uint32_t dice_below(struct dice *d, uint32_t n)
{
	return (uint32_t)((dice_next(d) >> 32) * n >> 32);
}

bool dice_percent(struct dice *d, uint32_t percent)
{
	return dice_below(d, 100) < percent;
}

uint64_t test_seed(void)
{
	const char *text = getenv("PETREL_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 0)
			     : (uint64_t)time(NULL) ^ (uint64_t)clock() << 32;

	printf("# seed %ju\n", (uintmax_t)seed);
	return seed;
}

/* Rows have room for two more than there are entities. */
static void column_make(struct samples *s, uint32_t n)
{
	uint32_t cap = s->shape.entities + 2;
	struct sample_column *c = &s->column[n];
	uint32_t *entity = calloc(cap, sizeof(*entity));
	uint32_t count = dice_percent(&s->dice, 60)
				 ? s->shape.entities
				 : 1 + dice_below(&s->dice, s->shape.entities);

	for (uint32_t i = 0; i < count; i++)
		entity[i] = 1 + i;
	for (uint32_t i = 0; n % 5 == 4 && i < count; i++) {
		uint32_t other = dice_below(&s->dice, count), was = entity[i];

		entity[i] = entity[other];
		entity[other] = was;
	}
	*c = (struct sample_column){
		.quantity = (uint16_t)(0x100 + n / 3),
		.index = (uint16_t)(n % 3),
		.source = (uint8_t)(n % SAMPLES_SOURCES), .count = count,
		.entity = entity, .value = calloc(cap, sizeof(*c->value)),
		.quality = calloc(cap, sizeof(*c->quality)),
		.is_new = calloc(sample_words(cap), sizeof(*c->is_new)) };
}

static void group_make(struct samples *s, uint32_t n)
{
	uint32_t cap = s->shape.entities + 2;
	struct group_column *g = &s->group[n];
	uint32_t *entity = calloc(cap, sizeof(*entity));

	for (uint32_t i = 0; i < cap; i++)
		entity[i] = n == 1 ? cap - i : 1 + i;
	*g = (struct group_column){ .source = (uint8_t)n, .count = cap,
				    .entity = entity,
				    .age = calloc(cap, sizeof(*g->age)) };
}

void samples_init(struct samples *s, const struct samples_shape *shape,
		  uint64_t seed)
{
	*s = (struct samples){ .shape = *shape, .dice = { seed },
			       .now = { 1000000007 } };
	s->column = calloc(shape->columns, sizeof(*s->column));
	for (uint32_t i = 0; i < shape->columns; i++)
		column_make(s, i);
	for (uint32_t i = 0; i < SAMPLES_SOURCES; i++)
		group_make(s, i);
}

/* The contract's arrays are const to whoever reads them; these are ours. */
static void *ours(const void *p)
{
	return (void *)(uintptr_t)p;
}

void samples_fini(struct samples *s)
{
	for (uint32_t i = 0; i < s->shape.columns; i++) {
		free(ours(s->column[i].entity));
		free(ours(s->column[i].value));
		free(ours(s->column[i].quality));
		free(ours(s->column[i].is_new));
	}
	for (uint32_t i = 0; i < SAMPLES_SOURCES; i++) {
		free(ours(s->group[i].entity));
		free(ours(s->group[i].age));
	}
	free(s->column);
}

static int64_t value_next(struct dice *d, int64_t was)
{
	switch (dice_below(d, 8)) {
	case 0:
		return (int64_t)dice_next(d);	/* anything, wraps too */
	case 1:
		return -was;
	case 2:
		return 0;
	default:
		return (int64_t)((uint64_t)was + dice_below(d, 100000));
	}
}

static void column_tick(struct samples *s, struct sample_column *c)
{
	const struct samples_shape *shape = &s->shape;
	bool partly = dice_percent(&s->dice, shape->partly_percent);
	uint64_t *is_new = ours(c->is_new);
	int64_t *value = ours(c->value);
	uint8_t *quality = ours(c->quality);

	if (!dice_percent(&s->dice, shape->fresh_percent))
		return;
	c->tick = s->tick;
	for (uint32_t i = 0; i < c->count; i++) {
		sample_mark(is_new, i, !partly || !dice_percent(&s->dice, 50));
		if (!sample_is_new(c, i, s->tick))
			continue;
		if (dice_percent(&s->dice, shape->change_percent))
			value[i] = value_next(&s->dice, value[i]);
		quality[i] = QUALITY_GOOD;
		if (dice_percent(&s->dice, shape->odd_quality_percent))
			quality[i] = (uint8_t)dice_below(&s->dice,
							 SAMPLE_QUALITY_COUNT);
	}
}

static void group_tick(struct samples *s, struct group_column *g)
{
	struct group_age *age = ours(g->age);
	int64_t taken = s->now.ns - dice_below(&s->dice, 5000000);

	for (uint32_t i = 0; i < g->count; i++) {
		if (dice_percent(&s->dice, 10))
			taken += (int64_t)dice_below(&s->dice, 2000) - 900;
		age[i] = (struct group_age){
			.taken = { taken },
			.uncertainty = span_of(dice_below(&s->dice, 1000)) };
		if (g->source == 2)
			age[i].window = span_of(60000000000);
		if (g->source == 3 && s->shape.window_varies)
			age[i].window = span_of(dice_below(&s->dice, 3));
	}
}

void samples_tick(struct samples *s)
{
	s->tick++;
	s->now.ns += 1000000000 + dice_below(&s->dice, 1000);
	for (uint32_t i = 0; i < SAMPLES_SOURCES; i++)
		group_tick(s, &s->group[i]);
	for (uint32_t i = 0; i < s->shape.columns; i++)
		column_tick(s, &s->column[i]);
}

void samples_grow(struct samples *s, uint32_t column)
{
	struct sample_column *c = &s->column[column];
	uint32_t *entity = ours(c->entity);

	if (c->count != s->shape.entities)
		return;		/* the next id is in the middle of nowhere */
	entity[c->count] = c->count + 1;
	c->count++;
}

void samples_shrink(struct samples *s, uint32_t column)
{
	struct sample_column *c = &s->column[column];

	if (c->count > 1)
		sample_mark(ours(c->is_new), --c->count, false);
}

static const struct group_age *age_of(const struct samples *s, uint8_t source,
				       uint32_t entity)
{
	const struct group_column *g = &s->group[source];

	for (uint32_t i = 0; i < g->count; i++)
		if (g->entity[i] == entity)
			return &g->age[i];
	abort();
}

struct read_group samples_age(const struct group_age *age)
{
	return (struct read_group){
		.taken = age->taken, .window_ns = span_ns(age->window),
		.uncertainty_ns = span_ns(age->uncertainty) };
}

size_t samples_expected(const struct samples *s, struct decoded_value *ret,
			size_t cap)
{
	size_t n = 0;

	for (uint32_t k = 0; k < s->shape.columns; k++) {
		const struct sample_column *c = &s->column[k];

		for (uint32_t i = 0; i < c->count; i++) {
			if (!sample_is_new(c, i, s->tick))
				continue;
			assert(n < cap);
			ret[n++] = (struct decoded_value){
				.batch = s->now, .entity = c->entity[i],
				.age = samples_age(age_of(s, c->source,
							  c->entity[i])),
				.quantity = c->quantity, .index = c->index,
				.source = c->source, .quality = c->quality[i],
				.value = c->value[i] };
		}
	}
	return n;
}

void record_store_init(struct record_store *s)
{
	memset(s, 0, sizeof(*s));
	s->fail_after = -1;
	for (unsigned i = 0; i < STREAM_COUNT; i++)
		s->next[i] = 1;
}

void record_store_clear(struct record_store *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		free(s->record[i].payload);
	s->count = 0;
}

static int store_put(void *context, enum stream stream, enum record_kind kind,
		     uint16_t flags, const void *payload, size_t len)
{
	struct record_store *s = context;
	struct stored_record *r = &s->record[s->count];

	if (s->fail_after == 0)
		return -EIO;
	if (s->fail_after > 0)
		s->fail_after--;
	assert(s->count < STORE_RECORDS_MAX && len <= RECORD_PAYLOAD_MAX);
	*r = (struct stored_record){ .stream = stream, .kind = kind,
				     .flags = flags, .len = len,
				     .payload = malloc(len ? len : 1) };
	memcpy(r->payload, payload, len);
	s->count++;
	s->next[stream]++;
	return 0;
}

static uint64_t store_sequence(void *context, enum stream stream)
{
	struct record_store *s = context;

	return s->next[stream];
}

struct record_sink record_store_sink(struct record_store *s)
{
	return (struct record_sink){ .context = s, .put = store_put,
				     .sequence = store_sequence };
}
