/* Which readings are recorded, counted by what the encoder was given. */
#include "agent/record/encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "petrel/quantity.h"
#include "tests/support/samples.h"

#define ROWS 4
#define SPAN_NS (10 * NS_PER_S)

static const struct encoder_limits limits = {
	.slots = 1000, .columns = 8, .lists = 64, .entities = 100 };
static const uint32_t ports[ROWS] = { 10, 11, 12, 20 };
static const struct group_age ages[ROWS];

struct bed {
	struct record_store store;
	struct encoder *encoder;
	int64_t value[ROWS];
	uint8_t quality[ROWS];
	uint64_t is_new;
	struct sample_column column;
	struct group_column group;
	uint32_t tick;
	struct mono now;
};

static int setup(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));
	struct record_sink sink;

	record_store_init(&b->store);
	sink = record_store_sink(&b->store);
	b->now.ns = 1000 * SPAN_NS;
	b->column = (struct sample_column){
		.quantity = Q_IF_IN_OCTETS, .source = 5, .count = ROWS,
		.entity = ports, .value = b->value, .quality = b->quality,
		.is_new = &b->is_new };
	b->group = (struct group_column){ .source = 5, .count = ROWS,
					  .entity = ports, .age = ages };
	*state = b;
	return encoder_new(&limits, &sink, &b->encoder);
}

static int teardown(void **state)
{
	struct bed *b = *state;

	encoder_free(b->encoder);
	record_store_clear(&b->store);
	free(b);
	return 0;
}

/* A second of it: these rows are read. Returns how many are recorded. */
static uint64_t second(struct bed *b, uint64_t rows)
{
	struct encoder_count before, after;

	encoder_count(b->encoder, &before);
	b->column.tick = ++b->tick;
	b->is_new = rows;
	b->value[0]++;
	assert_int_equal(encoder_batch(b->encoder, b->now, b->tick, 1,
				       &b->column, 1, &b->group, 1), 0);
	encoder_count(b->encoder, &after);
	b->now.ns += NS_PER_S;
	return after.values - before.values;
}

static void test_of_a_span_the_first_reading_is_recorded(void **state)
{
	struct bed *b = *state;
	encoder_pace(b->encoder, CLASS_FAST, SPAN_NS);
	for (unsigned i = 0; i < 30; i++) {
		uint64_t n = second(b, 0xf);

		assert_int_equal(n, i % 10 == 0 ? ROWS : 0);
	}
	assert_int_equal(b->store.count, 3);	/* nothing new: no record */
	encoder_pace(b->encoder, CLASS_FAST, 0);
	assert_int_equal(second(b, 0xf), ROWS);
	assert_int_equal(second(b, 0xf), ROWS);
}

/* Rows that are read one after another. */
static void test_no_row_is_left_out(void **state)
{
	struct bed *b = *state;
	unsigned recorded[ROWS] = { 0 };

	encoder_pace(b->encoder, CLASS_FAST, SPAN_NS);
	for (unsigned i = 0; i < 40; i++)
		recorded[i % ROWS] += second(b, 1u << i % ROWS);
	for (unsigned i = 0; i < ROWS; i++)
		assert_int_equal(recorded[i], 4);
}

static void test_other_classes_go_on(void **state)
{
	struct bed *b = *state;

	encoder_pace(b->encoder, CLASS_SLOW, SPAN_NS);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(second(b, 0xf), ROWS);
}

static void test_a_flag_that_changes_is_recorded(void **state)
{
	struct bed *b = *state;

	b->column.quantity = Q_OPER_STATUS;
	encoder_pace(b->encoder, CLASS_FAST, SPAN_NS);
	assert_int_equal(second(b, 0xf), ROWS);
	assert_int_equal(second(b, 0xf), 1);	/* row 0 differs each time */
	b->value[2] = 7;
	assert_int_equal(second(b, 0xf), 2);
}

static void test_a_reading_that_is_not_good_is_recorded(void **state)
{
	struct bed *b = *state;

	encoder_pace(b->encoder, CLASS_FAST, SPAN_NS);
	assert_int_equal(second(b, 0xf), ROWS);
	b->quality[3] = QUALITY_GOOD + 1;
	assert_int_equal(second(b, 0xf), 1);
}

static void test_peaks_are_recorded(void **state)
{
	struct bed *b = *state;

	b->column.quantity = Q_IN_WATERMARK_OCTETS;
	for (unsigned i = 0; i < CLASS_COUNT; i++)
		encoder_pace(b->encoder, i, SPAN_NS);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(second(b, 0xf), ROWS);
}

static void test_a_reference_has_all(void **state)
{
	struct bed *b = *state;

	encoder_pace(b->encoder, CLASS_FAST, SPAN_NS);
	assert_int_equal(second(b, 0xf), ROWS);
	encoder_want_reference(b->encoder);
	assert_int_equal(second(b, 0xf), ROWS);
	assert_int_equal(b->store.record[1].flags, RECORD_FLAG_REFERENCE);
	assert_int_equal(second(b, 0xf), 0);
}

/* Fewer rows, and more again: none of it lasts longer than a span. */
static void test_rows_that_come_and_go(void **state)
{
	struct bed *b = *state;

	encoder_pace(b->encoder, CLASS_FAST, SPAN_NS);
	assert_int_equal(second(b, 0xf), ROWS);
	b->column.count = 2;
	(void)second(b, 0x3);	/* a reference: a row is gone */
	b->column.count = ROWS;
	(void)second(b, 0xf);
	b->now.ns += SPAN_NS;
	assert_int_equal(second(b, 0xf), ROWS);
	assert_int_equal(second(b, 0xf), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_of_a_span_the_first_reading_is_recorded),
		TEST(test_no_row_is_left_out),
		TEST(test_other_classes_go_on),
		TEST(test_a_flag_that_changes_is_recorded),
		TEST(test_a_reading_that_is_not_good_is_recorded),
		TEST(test_peaks_are_recorded),
		TEST(test_a_reference_has_all),
		TEST(test_rows_that_come_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
