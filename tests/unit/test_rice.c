/* Encodings 2 and 3 through encoder and decoder: columns made so that each
 * prediction is the best for some, with edges thrown in.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record/decode.h"
#include "agent/record/encode.h"
#include "agent/record/columns.h"
#include "agent/record/rice.h"
#include "petrel/quantity.h"
#include "tests/support/golden.h"
#include "tests/support/quick.h"
#include "tests/support/samples.h"

#define ROWS 100u
#define COLUMNS 8u
#define TICKS 200u

struct world {
	struct dice dice;
	uint32_t entity[ROWS];
	uint64_t is_new[COLUMNS][ROWS / SAMPLE_BITS + 1];
	uint8_t quality[COLUMNS][ROWS];
	int64_t value[COLUMNS][ROWS];
	struct group_age age[ROWS];
	struct sample_column column[COLUMNS];
	struct group_column group;
	struct decoder *decoder;
	uint32_t now;
	bool rests;		/* now and then all stands still for a while */
	uint64_t given, wrong, octets, seen[PREDICTORS], units, sparse;
	bool bounded, is_reference;	/* traffic is; the batch is */
	int64_t had[COLUMNS][ROWS];	/* by a reader of the batches before */
	uint64_t off, off_at_reference, grains, rounded;
};

/* In a world with bounded traffic: what columns are of. The last two count no
 * traffic.
 */
static const uint16_t names[COLUMNS] = {
	Q_IF_IN_OCTETS, Q_IF_OUT_OCTETS, Q_IF_IN_UCAST_FRAMES, Q_QUEUE_OCTETS,
	Q_QUEUE_FRAMES, Q_PG_OCTETS, Q_IF_IN_DISCARDS,
	Q_QUEUE_WATERMARK_OCTETS,
};
#define TRAFFIC 6u

static const int64_t edges[] = { 0, 1, -1, INT64_MAX, INT64_MIN,
				 INT64_MIN + 1, INT64_C(1) << 62, 1 << 24 };

static void head_see(struct world *w, unsigned encoding, const uint8_t *data,
		     size_t len)
{
	struct cursor c = cursor_of(data, len);
	struct rice_head head;

	if (encoding < 2)
		return;
	assert_true(rice_head_read(&c, encoding == 3, &head));
	w->grains += head.grain > 0;
	w->seen[head.predictor]++;
	w->units += head.unit > 1;
	w->sparse += head.sparse;
}

static bool row_is_new(const struct world *w, uint32_t column, uint32_t row)
{
	return w->is_new[column][row / SAMPLE_BITS] >> row % SAMPLE_BITS & 1;
}

static uint64_t apart(int64_t a, int64_t b)
{
	int64_t d = series_difference(a, b);

	return d < 0 ? -(uint64_t)d : (uint64_t)d;
}

/* To the nearest 64 octets, and what is not empty is not told to be. */
static bool fill_is_wrong(int64_t is, int64_t value)
{
	if (is <= 0 || is > INT64_MAX - FILL_OCTETS)
		return value != is;
	return value % FILL_OCTETS != 0 || value <= 0 ||
	       apart(value, is) > (is < FILL_OCTETS ? FILL_OCTETS - 1 :
						       FILL_OCTETS / 2);
}

/* Of traffic: short by at most 1/1024 of what it moved by, as a reader sees it,
 * and never too much: the counter would seem to fall when it is exact again.
 */
static bool value_is_wrong(struct world *w, uint32_t column, uint32_t row,
			   int64_t value)
{
	int64_t is = w->value[column][row], had = w->had[column][row];

	w->had[column][row] = value;
	if (w->bounded && quantity_is_fill(names[column])) {
		w->rounded += value != is;
		return fill_is_wrong(is, value);
	}
	w->off += value != is;
	w->off_at_reference += value != is && w->is_reference;
	if (!w->bounded || column >= TRAFFIC)
		return value != is;
	return series_difference(is, value) < 0 ||
	       apart(value, is) > apart(is, had) / 1024;
}

static int give(void *context, const struct decoded_column *c)
{
	struct world *w = context;
	uint32_t column = c->quantity;

	if (w->bounded)
		for (column = 0; names[column] != c->quantity; column++)
			assert_true(column < COLUMNS - 1);
	assert_true(column < COLUMNS);
	for (uint32_t i = 0; i < c->count; i++) {
		uint32_t row = c->entity[i] - 1;

		assert_true(row < ROWS);
		w->given++;
		w->wrong += value_is_wrong(w, column, row, c->value[i]) ||
			    c->quality[i] != w->quality[column][row] ||
			    !row_is_new(w, column, row);
	}
	return 0;
}

static int put(void *context, enum stream stream, enum record_kind kind,
	       uint16_t flags, const void *payload, size_t len)
{
	struct world *w = context;
	struct diag diag = { "" };
	ProtobufCMessage *m;
	const Petrel__Batch *b;

	(void)stream;
	w->octets += len;
	w->is_reference = flags & RECORD_FLAG_REFERENCE;
	if (decoder_batch(w->decoder, flags, payload, len, give, w, &diag) < 0)
		fail_msg("%s", diag.text);
	assert_int_equal(record_unpack(kind, payload, len, &m), 0);
	b = (const Petrel__Batch *)m;
	for (size_t i = 0; i < b->n_columns; i++)
		head_see(w, b->columns[i]->encoding, b->columns[i]->data.data,
			 b->columns[i]->data.len);
	for (size_t i = 0; i < b->n_known; i++)
		head_see(w, b->known[i].data[0] % 4, b->known[i].data + 1,
			 b->known[i].len - 1);
	record_unpacked_free(m);
	return 0;
}

static int64_t noise(struct world *w, uint32_t width)
{
	return (int64_t)dice_below(&w->dice, width) - width / 2;
}

/* Adds modulo 2^64. */
static void add(int64_t *value, int64_t step)
{
	*value = (int64_t)((uint64_t)*value + (uint64_t)step);
}

/* frozen: the column by which another is predicted stays as it was. */
static void row_step(struct world *w, uint32_t i, bool frozen)
{
	int64_t load = 1000000 * (1 + i) + noise(w, 60000 * (i + 1));
	uint32_t edge = dice_below(&w->dice, 8);

	w->value[0][i] = noise(w, 1 << 20);
	add(&w->value[1][i], noise(w, 50));
	w->value[2][i] = 3000000 + 1000 * i + noise(w, 900);
	add(&w->value[3][i], 77777 * (i + 1) + noise(w, 20));
	if (!frozen)
		add(&w->value[4][i], load);
	add(&w->value[5][i], 1500 * load + noise(w, 1000));
	w->value[6][i] = 100000 * (7000 + i + noise(w, 200));
	if (dice_percent(&w->dice, 3))
		w->value[7][i] = dice_percent(&w->dice, 50)
			? edges[edge] : (int64_t)dice_next(&w->dice);
}

/* odd_percent: of columns with rows absent, and of values with an odd quality
 * or an edge.
 */
static void world_step(struct world *w, uint32_t odd_percent)
{
	bool frozen = dice_percent(&w->dice, odd_percent);

	w->now++;
	if (w->rests && w->now % 12 < w->now / 12 % 10)
		odd_percent = 0;
	else
		for (uint32_t i = 0; i < ROWS; i++)
			row_step(w, i, frozen);
	for (uint32_t c = 0; c < COLUMNS; c++) {
		bool partly = dice_percent(&w->dice, odd_percent);
		bool odd = dice_percent(&w->dice, odd_percent);

		for (uint32_t i = 0; i < ROWS; i++) {
			w->quality[c][i] = odd && i % 9 == 0 ? QUALITY_STALE
							     : QUALITY_GOOD;
			sample_mark(w->is_new[c], i, !partly ||
				    dice_percent(&w->dice, 50));
			if (odd && dice_percent(&w->dice, odd_percent))
				w->value[c][i] =
					edges[dice_below(&w->dice, 8)];
		}
	}
}

static void world_init(struct world *w, uint64_t seed)
{
	memset(w, 0, sizeof(*w));
	w->dice.state = seed;
	for (uint32_t i = 0; i < ROWS; i++)
		w->entity[i] = i + 1;
	for (uint32_t c = 0; c < COLUMNS; c++)
		w->column[c] = (struct sample_column){
			.quantity = (uint16_t)c, .count = ROWS,
			.entity = w->entity, .value = w->value[c],
			.quality = w->quality[c],
			.is_new = w->is_new[c] };
	w->group = (struct group_column){ .count = ROWS, .entity = w->entity,
					  .age = w->age };
	assert_int_equal(decoder_new(&w->decoder), 0);
}

/* Columns in another order each tick when shuffled. */
static void world_run(struct world *w, uint32_t odd_percent, bool shuffled)
{
	static const struct encoder_limits limits = {
		.slots = 4000, .columns = 16, .lists = 512, .entities = 400 };
	struct record_sink sink = { .context = w, .put = put };
	struct encoder *e;
	uint64_t want = 0;

	assert_int_equal(encoder_new(&limits, &sink, &e), 0);
	encoder_bound_traffic(e, w->bounded);
	for (uint32_t c = 0; w->bounded && c < COLUMNS; c++)
		w->column[c].quantity = names[c];
	for (uint32_t t = 0; t < TICKS; t++) {
		world_step(w, odd_percent);
		if (shuffled) {
			uint32_t n = dice_below(&w->dice, COLUMNS);
			struct sample_column c = w->column[0];

			w->column[0] = w->column[n];
			w->column[n] = c;
		}
		for (uint32_t c = 0; c < COLUMNS; c++)
			w->column[c].tick = w->now;
		for (uint32_t c = 0; c < COLUMNS; c++)
			for (uint32_t i = 0; i < ROWS; i++)
				want += row_is_new(w, c, i);
		assert_int_equal(encoder_batch(e, (struct mono){ 1000 + t },
					       w->now, 1, w->column, COLUMNS,
					       &w->group, 1), 0);
	}
	assert_int_equal(w->wrong, 0);
	assert_int_equal(w->given, want);
	encoder_free(e);
	decoder_free(w->decoder);
}

static void test_c09_each_prediction_is_taken_where_it_is_best(void **state)
{
	struct world *w = malloc(sizeof(*w));

	(void)state;
	world_init(w, test_seed());
	world_run(w, 0, false);
	for (unsigned p = 0; p < PREDICTORS; p++)
		if (w->seen[p] < TICKS / 2)
			fail_msg("predictor %u: %llu times", p,
				 (unsigned long long)w->seen[p]);
	assert_true(w->units > TICKS / 2);
	assert_true(w->sparse > 0);
	/* 3.2 octets a value as varints of differences. */
	assert_true(w->octets < w->given * 2);
	free(w);
}

static void test_c09_edges_and_absent_rows_come_back_whole(void **state)
{
	uint64_t seed = test_seed();

	(void)state;
	for (unsigned n = 0; n < 12; n += quick(1, 5)) {
		struct world *w = malloc(sizeof(*w));

		world_init(w, seed + n);
		world_run(w, 5 * n, n % 2 == 0);
		free(w);
	}
}

/* A column that stood still for any time goes on from what both ends know. */
static void test_c09_columns_go_on_after_a_rest(void **state)
{
	uint64_t seed = test_seed();

	(void)state;
	for (unsigned n = 0; n < 4; n++) {
		struct world *w = malloc(sizeof(*w));

		world_init(w, seed + n);
		w->rests = true;
		world_run(w, 5 * n, false);
		free(w);
	}
}

/* Traffic takes half of the octets, how full a buffer is is rounded; all else,
 * and of traffic every reference, is exact; edges, resets and rows that come
 * and go keep the bound.
 */
static void test_c09_traffic_keeps_its_bound(void **state)
{
	struct world *exact = malloc(sizeof(*exact));
	struct world *w = malloc(sizeof(*w));
	uint64_t seed = test_seed();

	(void)state;
	for (unsigned n = 0; n < 12; n += quick(1, 5)) {
		world_init(exact, seed + n);
		world_run(exact, n, false);
		world_init(w, seed + n);
		w->bounded = true;
		w->rests = n > 6;
		world_run(w, n, false);
		assert_int_equal(w->off_at_reference, 0);
		assert_true(w->off > w->given / 8 && w->grains > TICKS);
		assert_true(w->rounded > 0);
		if (n == 0)
			assert_true(w->octets < exact->octets * 3 / 4);
	}
	assert_int_equal(exact->off, 0);
	free(exact);
	free(w);
}

/* By hand: steps of 10, so 1, 2, 3, -1, 5; as zigzag 2, 4, 6, 1, 10, which are
 * 2 bits long in the mean; each has its lower 2 bits as they stand.
 */
static void test_c09_rice_octets_are_as_pinned(void **state)
{
	static const int64_t value[] = { 10, 20, 30, -10, 50 };
	struct rice_head head = { .predictor = PREDICT_NOTHING };
	struct known_series series[5] = { { 0 } };
	struct rice_work *work = malloc(sizeof(*work));
	uint8_t octets[128];
	size_t len;

	(void)state;
	len = rice_pack(octets, &head, true, value, series, NULL, 5, work);
	golden_assert("rice_units", octets, len);
	len = rice_pack(octets, &head, false, value, series, NULL, 5, work);
	golden_assert("rice_units", octets, len);	/* unknown levels */
	free(work);
}

/* Rows that move by a little beside rows that move by a lot: each has a level
 * of its own, which goes to where its residuals are.
 */
static void test_c09_each_row_finds_its_own_level(void **state)
{
	struct rice_head head = { .predictor = PREDICT_LAST, .unit = 1 };
	struct rice_work *work = malloc(sizeof(*work));
	struct known_series series[ROWS] = { { 0 } };
	struct dice dice = { .state = test_seed() };
	uint8_t octets[ROWS * 16];
	int64_t value[ROWS];
	size_t last = 0;

	(void)state;
	for (uint32_t t = 0; t < 60; t++) {
		for (uint32_t i = 0; i < ROWS; i++)
			value[i] = series[i].last +
				   dice_below(&dice, i % 2 ? 1 << 20 : 2);
		last = rice_pack(octets, &head, t == 0, value, series, NULL,
				 ROWS, work);
		for (uint32_t i = 0; i < ROWS; i++) {
			series_push(&series[i], value[i]);
			series[i].level = work->level[i];
		}
	}
	/* 1 to 2 bits and 21 to 22; at one level for all 21 and more. */
	if (last > ROWS * 14 / 8)
		fail_msg("%zu octets for %u rows", last, ROWS);
	free(work);
}

/* What is kept of a column asleep is enough to have its series again. */
static void test_series_asleep_is_what_readings_of_one_value_leave(void **state)
{
	static const int64_t values[] = { 0, 1, -7, INT64_MAX, INT64_MIN };

	(void)state;
	for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
		struct known_series pushed = { 0 };

		for (uint16_t n = 0; n < 7; n++) {
			uint16_t mark = n < MARK_READINGS ? n : MARK_READINGS;
			struct known_series s = series_asleep(values[v], mark);

			assert_int_equal(s.last, pushed.last);
			assert_int_equal(s.mean, pushed.mean);
			assert_int_equal(s.slope, pushed.slope);
			assert_int_equal(s.before, pushed.before);
			assert_int_equal(s.seen, pushed.seen);
			series_push(&pushed, values[v]);
		}
	}
	assert_int_equal(series_asleep(5, 33 << MARK_LEVEL_SHIFT | 1).level,
			 33);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c09_rice_octets_are_as_pinned),
		cmocka_unit_test(
			test_c09_each_prediction_is_taken_where_it_is_best),
		cmocka_unit_test(test_c09_each_row_finds_its_own_level),
		cmocka_unit_test(
			test_c09_edges_and_absent_rows_come_back_whole),
		cmocka_unit_test(test_c09_columns_go_on_after_a_rest),
		cmocka_unit_test(test_c09_traffic_keeps_its_bound),
		cmocka_unit_test(
			test_series_asleep_is_what_readings_of_one_value_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
