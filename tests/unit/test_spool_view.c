/* The spool as the sender sees it; the thread's part is done by hand here. */
#include "agent/spool/spool_view.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/sim_disk.h"

#define PAYLOAD 1000
#define RECORD (RECORD_HEADER_LEN + PAYLOAD)
#define RUN 7
#define STREAM STREAM_STATES

struct bed {
	struct sim_disk disk;
	struct spool_budget budget;
	struct spool *spool;
	struct spool_view *view;
	uint64_t from;
	uint8_t record[RECORD];
};

static void append(struct bed *b, uint64_t run, uint64_t first, uint64_t last)
{
	const struct spool_run its = { run, run - 1 };
	struct record_header h = { .length = PAYLOAD, .kind = RECORD_EVENT,
				   .stream = STREAM };
	uint8_t payload[PAYLOAD] = { 0 };

	for (uint64_t i = first; i <= last; i++) {
		struct writer w = writer_of(b->record, sizeof(b->record));

		h.sequence = h.last = i;
		record_write(&w, &h, payload);
		assert_int_equal(spool_append(b->spool, &its, b->record,
					      sizeof(b->record),
					      (struct mono){ 1 }), 0);
	}
}

static int setup(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));
	const struct spool_limits limits = {
		.held_octets = 1 << 20, .segment_octets = 5000,
		.day_octets = INT64_C(1) << 40, .budget = &b->budget };

	sim_disk_init(&b->disk);
	assert_int_equal(spool_view_new(&b->view), 0);
	assert_int_equal(spool_open(&b->disk.disk, SIM_DISK_FOLDER, &limits,
				    (struct mono){ 1 }, &b->spool, NULL), 0);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;

	spool_view_free(b->view);
	spool_close(b->spool);
	free(b);
	return 0;
}

static int ask(struct bed *b, uint64_t sequence)
{
	return spool_view_read(b->view, RUN, STREAM, sequence, b->record,
			       sizeof(b->record), &b->from);
}

/* Asked, fetched, and asked again. */
static int got(struct bed *b, uint64_t sequence)
{
	assert_int_equal(ask(b, sequence), -EAGAIN);
	spool_view_serve(b->view, b->spool);
	return ask(b, sequence);
}

static uint64_t sequence_of(const struct bed *b)
{
	struct cursor c = cursor_of(b->record, sizeof(b->record));
	struct record_header h;
	const uint8_t *payload;

	assert_int_equal(record_read(&c, &h, &payload), 0);
	return h.sequence;
}

static void test_what_is_not_known_is_no_gap(void **state)
{
	struct bed *b = *state;

	assert_int_equal(ask(b, 1), -EAGAIN);
	assert_int_equal(ask(b, 1), -EAGAIN);	/* the disk hangs */
	spool_view_serve(b->view, NULL);
	assert_int_equal(ask(b, 1), -ESTALE);
	assert_int_equal(b->from, 0);
	spool_view_doubt(b->view);
	assert_int_equal(ask(b, 2), -EAGAIN);
}

static void test_records_are_fetched_in_advance(void **state)
{
	struct bed *b = *state;
	struct pollfd p = { .fd = spool_view_fd(b->view), .events = POLLIN };

	append(b, RUN, 1, 50);
	assert_int_equal(got(b, 1), RECORD);
	assert_int_equal(poll(&p, 1, 0), 1);
	spool_view_answered(b->view);
	assert_int_equal(poll(&p, 1, 0), 0);
	for (uint64_t i = 1; i <= 50; i++) {
		assert_int_equal(ask(b, i), RECORD);	/* nobody serves */
		assert_int_equal(sequence_of(b), i);
	}
	assert_int_equal(ask(b, 20), RECORD);	/* and back */
	assert_int_equal(sequence_of(b), 20);
	assert_int_equal(got(b, 51), -ESTALE);
}

static void test_a_piece_ends_and_the_next_is_asked_for(void **state)
{
	struct bed *b = *state;
	unsigned served = 0;

	append(b, RUN, 1, 200);
	for (uint64_t i = 1; i <= 200; i++) {
		if (ask(b, i) == -EAGAIN) {
			spool_view_serve(b->view, b->spool);
			served++;
			assert_int_equal(ask(b, i), RECORD);
		}
		assert_int_equal(sequence_of(b), i);
	}
	assert_in_range(served, 3, 8);
}

static void test_a_hole_ends_where_the_next_record_is(void **state)
{
	struct bed *b = *state;

	append(b, RUN, 1, 10);
	append(b, RUN, 21, 30);
	assert_int_equal(got(b, 11), -ESTALE);
	assert_int_equal(b->from, 21);
	append(b, RUN, 31, 31);
	assert_int_equal(got(b, 31), RECORD);
	assert_int_equal(spool_view_end(b->view, RUN, STREAM), 31);
	assert_int_equal(spool_view_from(b->view, RUN, STREAM, 12), 21);
}

/* An answer is good once: what was not there may come. */
static void test_an_answer_of_nothing_is_not_kept(void **state)
{
	struct bed *b = *state;

	assert_int_equal(got(b, 1), -ESTALE);
	append(b, RUN, 1, 1);
	assert_int_equal(got(b, 1), RECORD);
}

static void test_runs_before_are_acknowledged(void **state)
{
	const struct positions all = { { UINT64_MAX, UINT64_MAX,
					 UINT64_MAX } };
	struct bed *b = *state;
	struct spool_run run;

	append(b, RUN - 1, 1, 3);
	append(b, RUN, 1, 3);
	spool_view_serve(b->view, b->spool);
	assert_true(spool_view_past(b->view, RUN, &run));
	assert_int_equal(run.run, RUN - 1);
	spool_view_ack(b->view, RUN - 1, &all);
	assert_true(spool_view_past(b->view, RUN, &run));
	spool_view_serve(b->view, b->spool);
	assert_false(spool_view_past(b->view, RUN, &run));
	assert_int_equal(spool_view_end(b->view, RUN, STREAM), 3);
}

/* More than there is room for wait, and come when they are asked for again. */
static void test_reads_are_bounded(void **state)
{
	struct bed *b = *state;

	append(b, RUN, 1, 200);
	for (uint64_t i = 1; i <= 200; i++)
		assert_int_equal(ask(b, i), -EAGAIN);
	spool_view_serve(b->view, b->spool);
	assert_int_equal(ask(b, 1), RECORD);
	assert_int_equal(got(b, 190), RECORD);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_what_is_not_known_is_no_gap),
		TEST(test_records_are_fetched_in_advance),
		TEST(test_a_piece_ends_and_the_next_is_asked_for),
		TEST(test_a_hole_ends_where_the_next_record_is),
		TEST(test_an_answer_of_nothing_is_not_kept),
		TEST(test_runs_before_are_acknowledged),
		TEST(test_reads_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
