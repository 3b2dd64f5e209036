#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "agent/base/ring.h"
#include "tests/support/ring_folder.h"

static void test_c09_sequences_begin_at_1_without_holes(void **state)
{
	struct ring_set s;
	struct ring *r;

	set_open(state, 7, &s);
	r = s.ring[STREAM_STATES];
	assert_true(s.fresh && s.run == 7 && s.previous_run == 0);
	assert_int_equal(ring_first(r), 1);
	assert_int_equal(ring_next(r), 1);
	for (unsigned i = 1; i <= 100; i++) {
		append(r, i == 1 ? RECORD_FLAG_REFERENCE : 0);
		assert_int_equal(ring_next(r), i + 1);
	}
	check_all(r);
	ring_set_close(&s);
}

static void test_ring_goes_on_with_next_sequence_after_restart(void **state)
{
	struct ring_set s;

	set_open(state, 7, &s);
	for (unsigned i = 0; i < 20; i++)
		append(s.ring[STREAM_SAMPLES], i % 10 ? 0 : 1);
	ring_mark_set(s.ring[0], RING_MARK_NEXT_ENTITY, 4711);
	ring_ack(s.ring[STREAM_SAMPLES], 1, 15);
	ring_set_close(&s);

	set_open(state, 8, &s);
	assert_false(s.fresh);
	assert_int_equal(s.run, 7);
	assert_int_equal(ring_next(s.ring[STREAM_SAMPLES]), 21);
	assert_int_equal(ring_mark(s.ring[0], RING_MARK_NEXT_ENTITY), 4711);
	assert_int_equal(ring_acked(s.ring[STREAM_SAMPLES], 1), 15);
	assert_false(ring_wants_reference(s.ring[STREAM_SAMPLES]));
	append(s.ring[STREAM_SAMPLES], 0);
	check_all(s.ring[STREAM_SAMPLES]);
	ring_set_close(&s);
}

/* Groups of ten: what is dropped ends before a reference, always. */
static void test_c09_full_ring_drops_whole_groups_oldest_first(void **state)
{
	uint64_t first = 1, dropped = 0;
	struct ring_set s;
	struct ring *r;

	set_open(state, 7, &s);
	r = s.ring[STREAM_SAMPLES];
	for (unsigned i = 0; i < 3000; i++) {
		append(r, i % 10 ? 0 : RECORD_FLAG_REFERENCE);
		if (ring_first(r) != first) {
			assert_int_equal(ring_first(r) % 10, 1);
			dropped += ring_first(r) - first;
			first = ring_first(r);
		}
		assert_int_equal(ring_dropped(r), dropped);
	}
	assert_true(dropped > 2000);
	assert_true(ring_next(r) - ring_first(r) > 140);
	check_all(r);
	ring_set_close(&s);
}

static void test_ring_counts_unacknowledged_drops(void **state)
{
	uint64_t before = 0;
	struct ring_set s;
	struct ring *r;

	set_open(state, 7, &s);
	r = s.ring[STREAM_SAMPLES];
	for (unsigned i = 0; i < 1000; i++) {
		append(r, RECORD_FLAG_REFERENCE);
		if (ring_next(r) != 501)
			continue;
		before = ring_dropped(r);
		assert_int_equal(before, ring_first(r) - 1);
		ring_ack(r, 0, 500);
	}
	assert_int_equal(ring_dropped(r), before + ring_first(r) - 501);
	ring_ack(r, 0, UINT64_MAX);	/* no more than there is */
	assert_int_equal(ring_acked(r, 0), 1000);
	ring_set_close(&s);
}

static void test_ring_wants_reference_when_head_is_lost(void **state)
{
	struct ring_set s;
	struct ring *r;

	set_open(state, 7, &s);
	r = s.ring[STREAM_STATES];
	assert_true(ring_wants_reference(r));	/* nothing yet */
	append(r, RECORD_FLAG_REFERENCE);
	assert_false(ring_wants_reference(r));
	while (ring_first(r) == 1)
		append(r, 0);
	/* All of the one group went, but for the record that pushed it out. */
	assert_int_equal(ring_first(r), ring_next(r) - 1);
	assert_true(ring_wants_reference(r));
	append(r, 0);			/* those who followed can read it */
	assert_true(ring_wants_reference(r));
	append(r, RECORD_FLAG_REFERENCE);
	assert_false(ring_wants_reference(r));
	check_all(r);
	ring_set_close(&s);
}

static void test_ring_refuses_what_is_too_large(void **state)
{
	static uint8_t payload[RECORD_PAYLOAD_MAX + 1];
	static uint8_t octets[RECORD_MAX];
	uint64_t hint = 0;
	struct ring_set s;
	struct ring *r;

	set_open(state, 7, &s);
	r = s.ring[STREAM_STATES];
	assert_int_equal(ring_append(r, RECORD_EVENT, 1, payload,
				     RECORD_PAYLOAD_MAX + 1), -EMSGSIZE);
	assert_int_equal(ring_append(r, RECORD_EVENT, 1, payload,
				     RECORD_PAYLOAD_MAX), 0);
	assert_int_equal(ring_append(r, RECORD_EVENT, 1, payload, 0), 0);
	assert_int_equal(ring_read(r, 1, &hint, octets, RECORD_MAX - 1),
			 -ENOBUFS);
	assert_int_equal(ring_read(r, 1, &hint, octets, RECORD_MAX),
			 RECORD_MAX);
	assert_int_equal(ring_read(r, 2, &hint, octets, RECORD_MAX),
			 RECORD_HEADER_LEN);
	ring_set_close(&s);
}

static void test_ring_reads_with_any_hint(void **state)
{
	struct ring_set s;
	struct ring *r;

	set_open(state, 7, &s);
	r = s.ring[STREAM_STATES];
	for (unsigned i = 0; i < 400; i++)
		append(r, RECORD_FLAG_REFERENCE);
	for (uint64_t hint = 0; hint < 800000; hint += 4096 + 8) {
		uint64_t h = hint;

		assert_true(check(r, ring_next(r) - 1, &h) > 0);
		h = hint;
		assert_true(check(r, ring_first(r), &h) > 0);
	}
	ring_set_close(&s);
}

static void test_c09_ring_carries_kinds_that_nobody_knows_yet(void **state)
{
	uint8_t octets[RECORD_HEADER_LEN + 3];
	struct record_header h;
	const uint8_t *payload;
	struct ring_set s;
	uint64_t hint = 0, end;
	struct cursor c;

	set_open(state, 7, &s);
	assert_int_equal(ring_append(s.ring[STREAM_STATES], 200,
				     RECORD_FLAG_REFERENCE, "abc", 3), 0);
	assert_int_equal(ring_check(s.ring[STREAM_STATES], &end, NULL), 0);
	assert_int_equal(ring_read(s.ring[STREAM_STATES], 1, &hint, octets,
				   sizeof(octets)), (int)sizeof(octets));
	c = cursor_of(octets, sizeof(octets));
	assert_int_equal(record_read(&c, &h, &payload), 0);
	assert_int_equal(h.kind, 200);
	ring_set_close(&s);
}

static void test_ring_look_reads_but_does_not_write(void **state)
{
	struct diag d = { "" };
	struct ring_set s;
	struct ring *r;

	assert_int_equal(ring_look(dir_of(state), STREAM_FINDINGS, &r, &d),
			 -ENOENT);
	assert_non_null(strstr(d.text, "findings.ring"));
	set_open(state, 7, &s);
	append(s.ring[STREAM_FINDINGS], RECORD_FLAG_REFERENCE);
	assert_int_equal(ring_look(dir_of(state), STREAM_FINDINGS, &r, &d), 0);
	check_all(r);
	append(s.ring[STREAM_FINDINGS], 0);
	assert_int_equal(ring_next(r), 3);	/* it sees the writer's work */
	check_all(r);
	assert_int_equal(ring_run(r), 7);
	ring_close(r);
	ring_set_close(&s);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, ring_folder_make, \
					ring_folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_c09_sequences_begin_at_1_without_holes),
		TEST(test_ring_goes_on_with_next_sequence_after_restart),
		TEST(test_c09_full_ring_drops_whole_groups_oldest_first),
		TEST(test_ring_counts_unacknowledged_drops),
		TEST(test_ring_wants_reference_when_head_is_lost),
		TEST(test_ring_refuses_what_is_too_large),
		TEST(test_ring_reads_with_any_hint),
		TEST(test_c09_ring_carries_kinds_that_nobody_knows_yet),
		TEST(test_ring_look_reads_but_does_not_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
