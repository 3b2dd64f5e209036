/* The way back: what went in comes out, or nothing does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record/decode.h"
#include "agent/record/encode.h"
#include "agent/record/pack.h"
#include "tests/support/samples.h"

#define VALUES_MAX 200000u

struct given {
	size_t count;
	int rc;			/* what the callback returns */
	struct decoded_value *value;
};

static int give(void *context, const struct decoded_value *v)
{
	struct given *g = context;

	assert_true(g->count < VALUES_MAX);
	g->value[g->count++] = *v;
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

static void way_encode(struct way *w)
{
	samples_tick(&w->samples);
	w->want.count = samples_expected(&w->samples, w->want.value,
					 VALUES_MAX);
	record_store_clear(&w->store);
	assert_int_equal(encoder_batch(w->encoder, w->samples.now,
				       w->samples.tick, 1, w->samples.column,
				       w->samples.shape.columns,
				       w->samples.group, SAMPLES_SOURCES), 0);
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

static void assert_given(const struct way *w)
{
	assert_int_equal(w->given.count, w->want.count);
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
	uint64_t seed = test_seed();

	(void)state;
	for (size_t n = 0; n < SHAPE_COUNT; n++) {
		struct dice dice = { seed + n };
		struct way *w = malloc(sizeof(*w));
		bool lost = false;

		way_open(w, &shapes[n], seed + 100 + n);
		for (unsigned i = 0; i < (n == 2 ? 80u : 300u); i++) {
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c09_decode_gives_what_was_encoded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
