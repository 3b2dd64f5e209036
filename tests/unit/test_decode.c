/* The way back: what went in comes out, or nothing does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record/decode.h"
#include "agent/record/encode.h"
#include "petrel/quantity.h"
#include "tests/support/golden.h"
#include "tests/support/quick.h"
#include "tests/support/samples.h"

#define VALUES_MAX 200000u

struct given {
	size_t count, columns;
	int rc;			/* what the callback returns */
	struct decoded_value *value;
};

static int give(void *context, const struct decoded_column *c)
{
	struct given *g = context;

	assert_true(g->count + c->count <= VALUES_MAX);
	for (uint32_t row = 0; row < c->count; row++)
		g->value[g->count++] = decoded_row(c, row);
	g->columns++;
	return g->rc;
}

static void assert_same(const struct decoded_value *is,
			const struct decoded_value *want)
{
	assert_int_equal(is->batch.ns, want->batch.ns);
	assert_int_equal(is->quantity, want->quantity);
	assert_int_equal(is->index, want->index);
	assert_int_equal(is->source, want->source);
	assert_int_equal(is->entity, want->entity);
	assert_true(is->value == want->value);
	assert_int_equal(is->quality, want->quality);
	assert_true(is->age.taken.ns == want->age.taken.ns);
	assert_true(is->age.window_ns == want->age.window_ns);
	/* The largest of its group. */
	assert_true(is->age.uncertainty_ns >= want->age.uncertainty_ns &&
		    is->age.uncertainty_ns < 1000);
}

struct way {
	struct samples samples;
	struct record_store store;
	struct encoder *encoder;
	struct decoder *decoder;
	struct given given, want;
};

static const struct encoder_limits limits = {
	.slots = 60000, .columns = 64, .lists = 512, .entities = 2000 };

static void way_open(struct way *w, const struct samples_shape *shape,
		     uint64_t seed)
{
	struct record_sink sink;

	memset(w, 0, sizeof(*w));
	record_store_init(&w->store);
	sink = record_store_sink(&w->store);
	samples_init(&w->samples, shape, seed);
	w->given.value = calloc(VALUES_MAX, sizeof(*w->given.value));
	w->want.value = calloc(VALUES_MAX, sizeof(*w->want.value));
	assert_int_equal(encoder_new(&limits, &sink, &w->encoder), 0);
	assert_int_equal(decoder_new(&w->decoder), 0);
}

static void way_close(struct way *w)
{
	encoder_free(w->encoder);
	decoder_free(w->decoder);
	record_store_clear(&w->store);
	samples_fini(&w->samples);
	free(w->given.value);
	free(w->want.value);
}

static void way_send(struct way *w)
{
	w->want.count = samples_expected(&w->samples, w->want.value,
					 VALUES_MAX);
	record_store_clear(&w->store);
	assert_int_equal(encoder_batch(w->encoder, w->samples.now,
				       w->samples.tick, 1, w->samples.column,
				       w->samples.shape.columns,
				       w->samples.group, SAMPLES_SOURCES), 0);
}

static void way_encode(struct way *w)
{
	samples_tick(&w->samples);
	way_send(w);
}

static int way_decode(struct way *w, const struct stored_record *r)
{
	struct diag d = { "" };
	int rc = decoder_batch(w->decoder, r->flags, r->payload, r->len, give,
			       &w->given, &d);

	if (rc == -EBADMSG)
		print_message("# %s\n", d.text);
	return rc;
}

/* A batch tells columns in any order, and each one's rows in theirs. */
static int by_column(const void *a, const void *b)
{
	const struct decoded_value *x = a, *y = b;

	if (x->quantity != y->quantity)
		return x->quantity < y->quantity ? -1 : 1;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return x->entity < y->entity ? -1 : x->entity > y->entity;
}

static void assert_given(const struct way *w)
{
	assert_int_equal(w->given.count, w->want.count);
	qsort(w->given.value, w->given.count, sizeof(*w->given.value),
	      by_column);
	qsort(w->want.value, w->want.count, sizeof(*w->want.value), by_column);
	for (size_t i = 0; i < w->want.count; i++)
		assert_same(&w->given.value[i], &w->want.value[i]);
}

static const struct samples_shape shapes[] = {
	{ .columns = 40, .entities = 64, .fresh_percent = 70,
	  .partly_percent = 20, .change_percent = 25,
	  .odd_quality_percent = 5, .window_varies = true },
	{ .columns = 1, .entities = 1, .fresh_percent = 50,
	  .partly_percent = 50, .change_percent = 50 },
	{ .columns = 30, .entities = 1500, .fresh_percent = 100,
	  .partly_percent = 10, .change_percent = 100,
	  .odd_quality_percent = 30, .window_varies = true },
	{ .columns = 64, .entities = 300, .fresh_percent = 90,
	  .change_percent = 2 },
	/* Columns sleep for some readings, whole and partly, then wake. */
	{ .columns = 60, .entities = 8, .fresh_percent = 80,
	  .partly_percent = 30, .change_percent = 4,
	  .odd_quality_percent = 2 },
};

#define SHAPE_COUNT (sizeof(shapes) / sizeof(shapes[0]))

/* A tick goes out whole, or its reader has lost records and must wait. */
static void tick_follow(struct way *w, struct dice *dice, uint32_t lose_percent,
			bool tell, bool *lost)
{
	uint32_t missed = 0;

	w->given.count = 0;
	way_encode(w);
	for (uint32_t i = 0; i < w->store.count; i++) {
		const struct stored_record *r = &w->store.record[i];
		int rc;

		if (dice_percent(dice, lose_percent)) {
			if (tell)
				decoder_lost(w->decoder);
			*lost = true;
			missed++;
			continue;
		}
		if (r->flags & RECORD_FLAG_REFERENCE)
			*lost = false;
		rc = way_decode(w, r);
		assert_int_equal(rc, *lost ? -EAGAIN : 0);
		missed += rc != 0;
	}
	if (missed == 0)
		assert_given(w);
	else if (missed == w->store.count)
		assert_int_equal(w->given.count, 0);
}

static void encoder_restart(struct way *w)
{
	struct record_sink sink = record_store_sink(&w->store);

	encoder_free(w->encoder);
	assert_int_equal(encoder_new(&limits, &sink, &w->encoder), 0);
}

/* Random columns, lost records, told or not, entities that come and go, and
 * encoders that die: each value that is given is the one that went in.
 */
static void test_c09_decode_gives_what_was_encoded(void **state)
{
	const unsigned ticks = quick(300, 12);
	uint64_t seed = test_seed();

	(void)state;
	for (size_t n = 0; n < SHAPE_COUNT; n++) {
		struct dice dice = { seed + n };
		struct way *w = malloc(sizeof(*w));
		bool lost = false;

		way_open(w, &shapes[n], seed + 100 + n);
		for (unsigned i = 0; i < ticks && (n != 2 || i < 70); i++) {
			uint32_t column = dice_below(&dice, shapes[n].columns);

			if (dice_percent(&dice, 3))
				samples_grow(&w->samples, column);
			if (dice_percent(&dice, 3))
				samples_shrink(&w->samples, column);
			if (dice_percent(&dice, 2))
				encoder_restart(w);
			if (dice_percent(&dice, 3))
				encoder_want_reference(w->encoder);
			tick_follow(w, &dice, i % 100 < 50 ? 0 : 5,
				    dice_percent(&dice, 50), &lost);
		}
		way_close(w);
		free(w);
	}
}

/* Two ports, two ticks: a reference batch and a difference batch. */
struct small {
	uint32_t entity[2];
	uint64_t is_new;
	int64_t value[2];
	uint8_t quality[2];
	struct group_age age[2];
	struct sample_column column;
	struct group_column group;
};

static void small_init(struct small *s)
{
	*s = (struct small){ .entity = { 5, 9 }, .is_new = 3,
			     .value = { INT64_MAX, -1000 },
			     .quality = { QUALITY_GOOD, QUALITY_STALE } };
	s->age[0] = (struct group_age){ { 1900 }, span_of(11), span_of(60) };
	s->age[1] = (struct group_age){ { 2100 }, span_of(7), span_of(30) };
	s->column = (struct sample_column){
		.quantity = Q_QUEUE_WATERMARK_OCTETS, .index = 1, .source = 2,
		.count = 2, .entity = s->entity, .value = s->value,
		.quality = s->quality, .tick = 1, .is_new = &s->is_new };
	s->group = (struct group_column){ .source = 2, .count = 2,
					  .entity = s->entity,
					  .age = s->age };
}

/* Counters are patterns modulo 2^64: the step over the top is one like any. */
static void small_step(struct small *s)
{
	s->column.tick = 2;
	s->value[0] = INT64_MIN;
	s->quality[1] = QUALITY_GOOD;
}

static int small_encode(struct encoder *e, const struct small *s)
{
	return encoder_batch(e, (struct mono){ 2000 }, s->column.tick, 6,
			     &s->column, 1, &s->group, 1);
}

static void small_check(const struct given *g, const struct small *s)
{
	assert_int_equal(g->count, 2);
	for (unsigned i = 0; i < 2; i++) {
		struct decoded_value want = {
			.batch = { 2000 }, .age = samples_age(&s->age[i]),
			.entity = s->entity[i], .quantity = s->column.quantity,
			.index = 1, .source = 2, .quality = s->quality[i],
			.value = s->value[i] };

		assert_same(&g->value[i], &want);
	}
}

static void test_c09_batches_are_as_pinned_both_ways(void **state)
{
	static const char *const names[] = { "batch_reference",
					     "batch_known" };
	struct record_store *store = malloc(sizeof(*store));
	struct decoded_value values[4];
	struct record_sink sink;
	struct encoder *e;
	struct decoder *d;
	struct small s;

	(void)state;
	record_store_init(store);
	sink = record_store_sink(store);
	small_init(&s);
	assert_int_equal(encoder_new(&limits, &sink, &e), 0);
	assert_int_equal(decoder_new(&d), 0);
	for (unsigned i = 0; i < 2; i++) {
		struct given g = { .value = values };
		uint8_t octets[256];
		size_t n;

		assert_int_equal(small_encode(e, &s), 0);
		golden_assert(names[i], store->record[i].payload,
			      store->record[i].len);
		n = golden_read(names[i], octets, sizeof(octets));
		assert_int_equal(decoder_batch(d, i == 0, octets, n, give, &g,
					       NULL), 0);
		small_check(&g, &s);
		small_step(&s);
	}
	encoder_free(e);
	decoder_free(d);
	record_store_clear(store);
	free(store);
}

/* What encoders of before wrote: a column by name with encoding 1. */
static void test_c09_octets_of_before_are_still_read(void **state)
{
	static const char *const names[] = { "batch_reference",
					     "batch_difference" };
	struct decoded_value values[4];
	struct decoder *d;
	struct small s;

	(void)state;
	small_init(&s);
	assert_int_equal(decoder_new(&d), 0);
	for (unsigned i = 0; i < 2; i++) {
		struct given g = { .value = values };
		uint8_t octets[256];
		size_t n = golden_read(names[i], octets, sizeof(octets));

		assert_int_equal(decoder_batch(d, i == 0, octets, n, give, &g,
					       NULL), 0);
		small_check(&g, &s);
		small_step(&s);
	}
	decoder_free(d);
}

/* C3: nothing of 64 bits is lost on the way, whichever step it was. */
static void test_c03_values_keep_all_64_bits(void **state)
{
	static const int64_t edge[] = { 0, -1, 1, INT64_MIN, INT64_MAX,
					INT64_MIN + 1, 1LL << 32, -5 };
	struct way *w = malloc(sizeof(*w));

	(void)state;
	way_open(w, &shapes[1], 1);
	for (uint32_t i = 0; i < 64; i++) {
		struct small s;

		small_init(&s);
		s.value[0] = edge[i / 8];
		s.value[1] = edge[i % 8];
		s.column.tick = i + 1;
		record_store_clear(&w->store);
		assert_int_equal(small_encode(w->encoder, &s), 0);
		w->given.count = 0;
		assert_int_equal(way_decode(w, &w->store.record[0]), 0);
		small_check(&w->given, &s);
	}
	way_close(w);
	free(w);
}

/* A record that is missing is noticed though nobody tells. */
/* The next tick; the values of every column are so many near that one. */
static void all_set(struct way *w, int64_t value, uint32_t kinds)
{
	samples_tick(&w->samples);
	for (uint32_t c = 0; c < w->samples.shape.columns; c++) {
		const struct sample_column *column = &w->samples.column[c];

		for (uint32_t i = 0; i < column->count; i++)
			((int64_t *)(uintptr_t)column->value)[i] =
				value + i * kinds / column->count * 7;
	}
}

static void wake_check(uint32_t kinds, unsigned asleep)
{
	static const struct samples_shape shape = {
		.columns = 4, .entities = 400, .fresh_percent = 100 };
	struct way w;

	way_open(&w, &shape, 1);
	for (unsigned n = 0; n < asleep + 4; n++) {
		all_set(&w, n < asleep ? 100000 :
			    100000 * (int64_t)(n - asleep + 2), kinds);
		way_send(&w);
		w.given.count = 0;
		for (size_t i = 0; i < w.store.count; i++)
			assert_int_equal(way_decode(&w, &w.store.record[i]), 0);
		assert_given(&w);
	}
	way_close(&w);
}

/* However often they were read asleep; the first step is as large as the value
 * was, so that a slope that is not known to both ends is wrong. And however
 * many rows have the same.
 */
static void test_columns_wake_with_what_their_reader_knows(void **state)
{
	static const uint32_t kinds[] = { 1, 3, 30, 130, 400 };

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (unsigned asleep = 1; asleep < 7; asleep += quick(1, 3))
			wake_check(kinds[i], asleep);
}

static void test_c09_decode_waits_after_a_hole(void **state)
{
	struct way *w = malloc(sizeof(*w));

	(void)state;
	way_open(w, &shapes[3], 1);
	for (unsigned i = 1; i <= 70; i++) {
		w->given.count = 0;
		way_encode(w);
		assert_int_equal(w->store.count, 1);
		if (i == 5)
			continue;
		assert_int_equal(way_decode(w, &w->store.record[0]),
				 i > 5 && i < 61 ? -EAGAIN : 0);
		assert_int_equal(w->given.count > 0, i < 5 || i >= 61);
	}
	way_close(w);
	free(w);
}

static void test_decode_stops_when_its_taker_says_so(void **state)
{
	struct way *w = malloc(sizeof(*w));

	(void)state;
	way_open(w, &shapes[3], 1);
	way_encode(w);
	w->given.rc = -ECANCELED;
	assert_int_equal(way_decode(w, &w->store.record[0]), -ECANCELED);
	assert_int_equal(w->given.columns, 1);
	w->given.rc = 0;
	w->given.count = 0;
	way_encode(w);			/* the batch was read all the same */
	assert_int_equal(way_decode(w, &w->store.record[0]), 0);
	assert_given(w);
	way_close(w);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c09_decode_gives_what_was_encoded),
		cmocka_unit_test(test_c09_batches_are_as_pinned_both_ways),
		cmocka_unit_test(test_c09_octets_of_before_are_still_read),
		cmocka_unit_test(test_c03_values_keep_all_64_bits),
		cmocka_unit_test(
			test_columns_wake_with_what_their_reader_knows),
		cmocka_unit_test(test_c09_decode_waits_after_a_hole),
		cmocka_unit_test(test_decode_stops_when_its_taker_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
