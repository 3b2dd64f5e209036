/* The sender's spool: what is held, what goes first, what may be written. */
#include "agent/spool/spool.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/sim_disk.h"

#define PAYLOAD 100
#define RECORD (RECORD_HEADER_LEN + PAYLOAD)
#define DAY_NS (24 * 3600 * NS_PER_S)

struct bed {
	struct sim_disk disk;
	struct spool *spool;
	struct spool_budget budget;
	struct spool_limits limits;
	struct mono now;
	uint16_t flags;
	uint8_t record[RECORD];
};

static const struct spool_run run = { 7, 6 };

static void spool_begin(struct bed *b)
{
	struct diag d = { "" };

	b->limits.budget = &b->budget;
	if (spool_open(&b->disk.disk, SIM_DISK_FOLDER, &b->limits, b->now,
		       &b->spool, &d) < 0)
		fail_msg("%s", d.text);
}

static int setup(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	sim_disk_init(&b->disk);
	b->now.ns = 1;
	b->flags = RECORD_FLAG_REFERENCE;
	b->limits = (struct spool_limits){ .held_octets = 1 << 20,
					   .segment_octets = 1000,
					   .day_octets = INT64_C(1) << 40 };
	spool_begin(b);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;

	spool_close(b->spool);
	free(b);
	return 0;
}

static void open_again(struct bed *b)
{
	spool_close(b->spool);
	spool_begin(b);
}

static void record_make(struct bed *b, enum stream stream, uint64_t sequence)
{
	struct writer w = writer_of(b->record, sizeof(b->record));
	struct record_header h = { .length = PAYLOAD, .kind = RECORD_EVENT,
				   .stream = (uint8_t)stream, .flags = b->flags,
				   .sequence = sequence, .last = sequence };
	uint8_t payload[PAYLOAD];

	memset(payload, (int)sequence, sizeof(payload));
	record_write(&w, &h, payload);
}

static uint64_t last_of(const struct bed *b, enum stream stream)
{
	return spool_last(spool_index(b->spool), 7, stream);
}

static uint64_t from_of(const struct bed *b, enum stream stream,
			uint64_t sequence)
{
	return spool_from(spool_index(b->spool), 7, stream, sequence);
}

static uint64_t end_of(const struct bed *b, uint64_t id, enum stream stream)
{
	return spool_end(spool_index(b->spool), id, stream);
}

static int append(struct bed *b, enum stream stream, uint64_t sequence)
{
	record_make(b, stream, sequence);
	return spool_append(b->spool, &run, b->record, RECORD, b->now);
}

static void append_many(struct bed *b, enum stream stream, uint64_t first,
			uint64_t last)
{
	for (uint64_t n = first; n <= last; n++)
		assert_int_equal(append(b, stream, n), 0);
}

static int read_one(struct bed *b, enum stream stream, uint64_t sequence)
{
	uint8_t octets[RECORD];
	int len = spool_read(b->spool, run.run, stream, sequence, octets,
			     sizeof(octets));

	if (len >= 0) {
		record_make(b, stream, sequence);
		assert_int_equal(len, RECORD);
		assert_memory_equal(octets, b->record, RECORD);
	}
	return len;
}

static void test_spool_reads_what_was_appended_in_any_order(void **state)
{
	struct bed *b = *state;

	append_many(b, STREAM_SAMPLES, 5, 40);
	for (uint64_t n = 5; n <= 40; n++)
		assert_int_equal(read_one(b, STREAM_SAMPLES, n), RECORD);
	assert_int_equal(read_one(b, STREAM_SAMPLES, 9), RECORD);
	assert_int_equal(read_one(b, STREAM_SAMPLES, 4), -ESTALE);
	assert_int_equal(read_one(b, STREAM_SAMPLES, 41), -ESTALE);
	assert_int_equal(read_one(b, STREAM_STATES, 9), -ESTALE);
	assert_int_equal(append(b, STREAM_SAMPLES, 40), -EEXIST);
}

static void test_spool_is_there_again(void **state)
{
	struct bed *b = *state;
	struct spool_run past;

	append_many(b, STREAM_STATES, 1, 20);
	append_many(b, STREAM_STATES, 31, 32);
	open_again(b);

	assert_int_equal(last_of(b, STREAM_STATES), 32);
	assert_int_equal(from_of(b, STREAM_STATES, 1), 1);
	assert_int_equal(from_of(b, STREAM_STATES, 20), 20);
	assert_int_equal(from_of(b, STREAM_STATES, 21), 31);
	assert_int_equal(from_of(b, STREAM_STATES, 33), 0);
	assert_int_equal(read_one(b, STREAM_STATES, 32), RECORD);
	assert_false(spool_past(spool_index(b->spool), 7, &past));
	assert_true(spool_past(spool_index(b->spool), 8, &past));
	assert_int_equal(past.run, 7);
	assert_int_equal(past.previous_run, 6);
	append_many(b, STREAM_STATES, 33, 34);
	assert_int_equal(read_one(b, STREAM_STATES, 34), RECORD);
}

static void test_spool_lets_go_what_is_acknowledged(void **state)
{
	struct bed *b = *state;
	struct positions held = { { 0, 12, 0 } };
	struct spool_status status;

	append_many(b, STREAM_STATES, 1, 20);
	append_many(b, STREAM_FINDINGS, 1, 3);
	spool_ack(b->spool, 7, &held);

	/* segments of ten records; what is not whole stays */
	assert_true(from_of(b, STREAM_STATES, 1) > 1);
	assert_int_equal(from_of(b, STREAM_STATES, 13), 13);
	held = (struct positions){ { 3, 20, 0 } };
	spool_ack(b->spool, 7, &held);
	spool_status(b->spool, &status);
	assert_int_equal(status.segments, 0);
	assert_int_equal(status.held_octets, 0);
	assert_int_equal(status.dropped_records, 0);
}

static void test_spool_full_drops_samples_before_states(void **state)
{
	struct bed *b = *state;
	struct spool_status status;

	b->limits.held_octets = 5000;
	open_again(b);
	append_many(b, STREAM_FINDINGS, 1, 3);
	append_many(b, STREAM_STATES, 1, 8);
	append_many(b, STREAM_SAMPLES, 1, 100);

	assert_int_equal(from_of(b, STREAM_FINDINGS, 1), 1);
	assert_int_equal(from_of(b, STREAM_STATES, 1), 1);
	assert_true(from_of(b, STREAM_SAMPLES, 1) > 70);
	assert_int_equal(last_of(b, STREAM_SAMPLES), 100);
	spool_status(b->spool, &status);
	assert_true(status.held_octets <= 5000);
	assert_int_equal(status.dropped_records,
			 from_of(b, STREAM_SAMPLES, 1) - 1);
	append_many(b, STREAM_FINDINGS, 4, 30);
	assert_int_equal(from_of(b, STREAM_FINDINGS, 1), 1);
	spool_status(b->spool, &status);
	b->limits.held_octets = status.held_octets;
	open_again(b);
	while (last_of(b, STREAM_SAMPLES) > 0)
		assert_int_equal(append(b, STREAM_FINDINGS,
					1 + last_of(b, STREAM_FINDINGS)), 0);
	assert_int_equal(append(b, STREAM_SAMPLES, 101), -ENOSPC);
	spool_status(b->spool, &status);
	assert_int_equal(status.refusal, ENOSPC);
}

/* What is dropped begins and ends where a reader may begin. */
static void test_spool_begins_segments_of_samples_at_references(void **state)
{
	struct bed *b = *state;

	b->limits.held_octets = 4000;
	open_again(b);
	for (uint64_t n = 1; n <= 100; n++) {
		b->flags = n % 5 == 1 ? RECORD_FLAG_REFERENCE : 0;
		assert_int_equal(append(b, STREAM_SAMPLES, n), 0);
	}

	assert_int_equal(from_of(b, STREAM_SAMPLES, 1) % 5, 1);
}

static void test_spool_writes_no_more_than_a_day_allows(void **state)
{
	struct bed *b = *state;
	uint64_t samples = 1, states = 1, findings = 1;

	b->limits.day_octets = 100000;
	b->limits.segment_octets = 6000;
	b->budget = (struct spool_budget){ .octets = 0 };
	open_again(b);
	while (append(b, STREAM_SAMPLES, samples) == 0)
		samples++;
	while (append(b, STREAM_STATES, states) == 0)
		states++;
	while (append(b, STREAM_FINDINGS, findings) == 0)
		findings++;
	/* a half lies saved; of it a quarter is kept from samples */
	assert_in_range(samples * RECORD, 36000, 38000);
	assert_in_range(states * RECORD, 5000, 7000);
	assert_in_range(findings * RECORD, 5000, 7000);
	assert_int_equal(append(b, STREAM_FINDINGS, findings), -EDQUOT);
	b->now.ns += DAY_NS / 24;
	assert_int_equal(append(b, STREAM_FINDINGS, findings), 0);
	assert_int_equal(append(b, STREAM_SAMPLES, samples), -EDQUOT);
	b->now.ns += 10 * DAY_NS;
	while (append(b, STREAM_FINDINGS, ++findings) == 0)
		;
	assert_true(b->budget.written < 2 * 50000 + 5000);
}

static void test_spool_writes_no_more_after_each_boot(void **state)
{
	struct bed *b = *state;
	uint64_t samples = 1;

	b->limits.day_octets = 100000;
	b->limits.segment_octets = 6000;
	for (unsigned boot = 0; boot < 5; boot++) {
		b->budget = (struct spool_budget){ .octets = 0 };
		open_again(b);
		while (append(b, STREAM_SAMPLES, samples) == 0)
			samples++;
		assert_int_equal(append(b, STREAM_STATES, boot + 1), 0);
	}

	assert_true(samples * RECORD < 51000);
}

/* The first hour's samples are not lost to single ones of every hour since. */
static void test_spool_goes_on_with_a_whole_segment(void **state)
{
	struct bed *b = *state;
	uint64_t holes = 0;

	b->limits.day_octets = 400000;
	b->limits.segment_octets = 5000;
	b->budget = (struct spool_budget){ .octets = 0 };
	open_again(b);
	for (uint64_t n = 1; n <= 16500; n++) {
		b->now.ns += NS_PER_S;
		b->flags = n % 10 == 1 ? RECORD_FLAG_REFERENCE : 0;
		(void)append(b, STREAM_SAMPLES, n);
	}
	for (uint64_t n = 1; (n = from_of(b, STREAM_SAMPLES, n)) > 0; n++)
		holes += from_of(b, STREAM_SAMPLES, n + 1) > n + 1;

	assert_int_equal(from_of(b, STREAM_SAMPLES, 1), 1);
	assert_in_range(holes, 5, 15);
}

/* Of a run that is over nobody else knows how far it went. */
static void test_spool_knows_the_end_of_what_is_not_there(void **state)
{
	struct bed *b = *state;
	struct positions held = { { UINT64_MAX, 99, UINT64_MAX } };
	struct spool_status status;
	struct spool_run past;

	append_many(b, STREAM_STATES, 1, 20);
	assert_int_equal(spool_note_end(b->spool, &run, STREAM_STATES, 20), 0);
	assert_int_equal(spool_note_end(b->spool, &run, STREAM_STATES, 50), 0);
	assert_int_equal(spool_note_end(b->spool, &run, STREAM_STATES, 100),
			 0);
	spool_status(b->spool, &status);
	assert_int_equal(status.segments, 4);	/* one is a note */
	open_again(b);

	assert_int_equal(end_of(b, 7, STREAM_STATES), 100);
	assert_int_equal(last_of(b, STREAM_STATES), 20);
	assert_int_equal(from_of(b, STREAM_STATES, 21), 0);
	assert_int_equal(read_one(b, STREAM_STATES, 100), -ESTALE);
	append_many(b, STREAM_STATES, 90, 100);
	assert_int_equal(read_one(b, STREAM_STATES, 100), RECORD);
	spool_ack(b->spool, 7, &held);
	assert_true(spool_past(spool_index(b->spool), 8, &past));
	held.last[STREAM_STATES] = 100;
	spool_ack(b->spool, 7, &held);
	assert_false(spool_past(spool_index(b->spool), 8, &past));
}

/* The record that tells the end may be gone with the power, the end not. */
static void test_spool_end_outlives_a_power_cut(void **state)
{
	struct bed *b = *state;
	struct sim_disk *found = calloc(1, sizeof(*found));

	append_many(b, STREAM_STATES, 1, 3);
	assert_int_equal(spool_note_end(b->spool, &run, STREAM_STATES, 3), 0);
	(void)sim_disk_cut(&b->disk, 1, found);	/* what was synced alone */
	spool_close(b->spool);
	b->disk = *found;
	b->disk.disk.context = &b->disk;
	free(found);
	spool_begin(b);

	assert_int_equal(end_of(b, 7, STREAM_STATES), 3);
}

static void test_spool_knows_the_end_of_what_it_dropped(void **state)
{
	static const struct spool_run next = { 8, 7 };
	struct bed *b = *state;

	b->limits.held_octets = 3000;
	open_again(b);
	append_many(b, STREAM_SAMPLES, 1, 15);
	for (uint64_t n = 1; n <= 40; n++) {
		record_make(b, STREAM_SAMPLES, n);
		assert_int_equal(spool_append(b->spool, &next, b->record,
					      RECORD, b->now), 0);
	}

	assert_int_equal(last_of(b, STREAM_SAMPLES), 0);
	assert_int_equal(end_of(b, 7, STREAM_SAMPLES), 15);
	assert_int_equal(end_of(b, 8, STREAM_SAMPLES), 40);
}

static void test_spool_counts_what_a_sync_writes(void **state)
{
	struct bed *b = *state;
	uint64_t before;

	assert_int_equal(append(b, STREAM_FINDINGS, 1), 0);
	before = b->budget.written;
	assert_int_equal(spool_sync(b->spool), 0);
	assert_true(b->budget.written - before >= 3 * 4096 - RECORD);
	before = b->budget.written;
	assert_int_equal(spool_sync(b->spool), 0);
	assert_int_equal(b->budget.written, before);
}

static void test_spool_goes_on_when_the_disk_does(void **state)
{
	static const int faults[] = { -EIO, -ENOSPC, -EROFS };
	struct bed *b = *state;
	struct spool_status status;
	uint64_t next = 1;

	for (unsigned i = 0; i < 3; i++) {
		append_many(b, STREAM_STATES, next, next + 3);
		assert_int_equal(spool_sync(b->spool), 0);
		b->disk.fail_at = b->disk.done;
		b->disk.fault = faults[i];
		b->disk.is_for_good = true;
		assert_true(append(b, STREAM_STATES, next + 4) < 0);
		assert_true(append(b, STREAM_STATES, next + 4) < 0);
		spool_status(b->spool, &status);
		assert_int_equal(status.fault, -faults[i]);
		b->disk.fail_at = SIM_DISK_NEVER;
		next = last_of(b, STREAM_STATES) + 1;
		assert_int_equal(next % 4, 1);	/* what was synced stands */
		append_many(b, STREAM_STATES, next, next + 3);
		next += 4;
		assert_int_equal(spool_sync(b->spool), 0);
		spool_status(b->spool, &status);
		assert_int_equal(status.fault, 0);
	}
	for (uint64_t n = 1; n < next; n++)
		assert_int_equal(read_one(b, STREAM_STATES, n), RECORD);
}

/* A sync that failed may have lost what it should have kept. */
static void test_spool_forgets_what_a_failed_sync_covered(void **state)
{
	struct bed *b = *state;

	append_many(b, STREAM_STATES, 1, 3);
	assert_int_equal(spool_sync(b->spool), 0);
	append_many(b, STREAM_STATES, 4, 6);
	b->disk.fail_at = b->disk.done;
	b->disk.fault = -EIO;
	assert_int_equal(spool_sync(b->spool), -EIO);

	assert_int_equal(last_of(b, STREAM_STATES), 3);
	append_many(b, STREAM_STATES, 4, 6);
	assert_int_equal(spool_sync(b->spool), 0);
	assert_int_equal(read_one(b, STREAM_STATES, 6), RECORD);
}

/* Nor does a later start find it: no sync to come tells whether it is there. */
static void test_spool_takes_away_what_a_failed_sync_covered(void **state)
{
	struct bed *b = *state;

	append_many(b, STREAM_STATES, 1, 3);
	assert_int_equal(spool_sync(b->spool), 0);
	append_many(b, STREAM_STATES, 4, 6);
	b->disk.fail_at = b->disk.done;
	b->disk.fault = -EIO;
	assert_int_equal(spool_sync(b->spool), -EIO);
	open_again(b);

	assert_int_equal(last_of(b, STREAM_STATES), 3);
}

/* The disk made a name, and would not take it away again. */
static void test_spool_begins_where_a_begin_failed(void **state)
{
	struct bed *b = *state;

	for (unsigned i = 0; i < 2; i++) {
		b->disk.fail_at = b->disk.done + 1;
		b->disk.fault = -EIO;
		b->disk.is_for_good = true;
		assert_true(i ? append(b, STREAM_STATES, 1) < 0 :
			    spool_note_end(b->spool, &run, STREAM_FINDINGS,
					   9) < 0);
		b->disk.fail_at = SIM_DISK_NEVER;
	}
	assert_int_equal(spool_note_end(b->spool, &run, STREAM_FINDINGS, 9),
			 0);
	assert_int_equal(append(b, STREAM_STATES, 1), 0);
	assert_int_equal(spool_sync(b->spool), 0);
	assert_int_equal(read_one(b, STREAM_STATES, 1), RECORD);
}

static void test_spool_takes_rot_for_a_hole(void **state)
{
	struct bed *b = *state;

	append_many(b, STREAM_STATES, 1, 20);
	assert_int_equal(spool_sync(b->spool), 0);
	b->disk.file[0].octets[48 + 3 * RECORD + 50] ^= 1;

	assert_int_equal(read_one(b, STREAM_STATES, 3), RECORD);
	assert_int_equal(read_one(b, STREAM_STATES, 4), -ESTALE);
	assert_true(from_of(b, STREAM_STATES, 4) > 4);
	assert_int_equal(read_one(b, STREAM_STATES, 20), RECORD);
}

static void test_spool_takes_no_foreign_file(void **state)
{
	struct bed *b = *state;
	static const char text[] = "somebody else's, with a name like ours, and "
				   "long enough for a header and more";

	assert_int_equal(disk_put(&b->disk.disk, SIM_DISK_FOLDER,
				  "0000000000000009.seg", text, sizeof(text)),
			 0);
	append_many(b, STREAM_STATES, 1, 2);
	open_again(b);

	assert_null(sim_disk_file(&b->disk, "0000000000000009.seg"));
	assert_int_equal(read_one(b, STREAM_STATES, 2), RECORD);
	append_many(b, STREAM_STATES, 3, 3);
	assert_non_null(sim_disk_file(&b->disk, "000000000000000a.seg"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_spool_reads_what_was_appended_in_any_order),
		TEST(test_spool_is_there_again),
		TEST(test_spool_lets_go_what_is_acknowledged),
		TEST(test_spool_full_drops_samples_before_states),
		TEST(test_spool_begins_segments_of_samples_at_references),
		TEST(test_spool_writes_no_more_than_a_day_allows),
		TEST(test_spool_writes_no_more_after_each_boot),
		TEST(test_spool_goes_on_with_a_whole_segment),
		TEST(test_spool_knows_the_end_of_what_is_not_there),
		TEST(test_spool_end_outlives_a_power_cut),
		TEST(test_spool_knows_the_end_of_what_it_dropped),
		TEST(test_spool_counts_what_a_sync_writes),
		TEST(test_spool_goes_on_when_the_disk_does),
		TEST(test_spool_forgets_what_a_failed_sync_covered),
		TEST(test_spool_takes_away_what_a_failed_sync_covered),
		TEST(test_spool_begins_where_a_begin_failed),
		TEST(test_spool_takes_rot_for_a_hole),
		TEST(test_spool_takes_no_foreign_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
