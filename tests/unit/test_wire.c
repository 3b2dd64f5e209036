#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "petrel/wire.h"
#include "tests/support/golden.h"

static const struct record_header sample = {
	.length = 5, .stream = STREAM_STATES, .kind = RECORD_EVENT,
	.flags = RECORD_FLAG_REFERENCE, .sequence = 0x0102030405060708,
	.last = 0x0102030405060708 };

static size_t sample_write(uint8_t *ret, size_t cap)
{
	struct writer w = writer_of(ret, cap);

	record_write(&w, &sample, "hello");
	assert_true(writer_ok(&w));
	return w.pos;
}

static void test_c09_record_header_is_as_pinned(void **state)
{
	uint8_t octets[64], pinned[64];
	struct record_header h;
	const uint8_t *payload;
	struct cursor c;
	size_t n;

	(void)state;
	n = sample_write(octets, sizeof(octets));
	assert_int_equal(n, RECORD_HEADER_LEN + 5);
	golden_assert("record_event", octets, n);
	n = golden_read("record_event", pinned, sizeof(pinned));
	c = cursor_of(pinned, n);
	assert_int_equal(record_read(&c, &h, &payload), 0);
	assert_int_equal(h.length, 5);
	assert_int_equal(h.stream, STREAM_STATES);
	assert_int_equal(h.kind, RECORD_EVENT);
	assert_int_equal(h.flags, RECORD_FLAG_REFERENCE);
	assert_true(h.sequence == sample.sequence && h.last == sample.last);
	assert_memory_equal(payload, "hello", 5);
	assert_int_equal(cursor_left(&c), 0);
}

static void test_c09_record_refuses_every_shorter_length(void **state)
{
	uint8_t octets[64];
	size_t n;

	(void)state;
	n = sample_write(octets, sizeof(octets));
	for (size_t len = 0; len < n; len++) {
		struct cursor c = cursor_of(octets, len);
		struct record_header h;
		const uint8_t *payload;

		assert_int_equal(record_read(&c, &h, &payload), -EBADMSG);
	}
}

static void test_c09_record_refuses_every_flipped_bit(void **state)
{
	uint8_t octets[64];
	size_t n;

	(void)state;
	n = sample_write(octets, sizeof(octets));
	for (size_t bit = 0; bit < 8 * n; bit++) {
		struct cursor c = cursor_of(octets, n);
		struct record_header h;
		const uint8_t *payload;

		if (bit / 8 >= 28 && bit / 8 < RECORD_HEADER_LEN)
			continue;	/* reserved: 0 today */
		octets[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_int_equal(record_read(&c, &h, &payload), -EBADMSG);
		octets[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

/* Well formed, but not a record of ours. */
static void test_c09_record_refuses_what_no_agent_writes(void **state)
{
	static const struct record_header bad[] = {
		{ .stream = STREAM_COUNT, .kind = 1, .sequence = 1, .last = 1 },
		{ .kind = 0, .sequence = 1, .last = 1 },
		{ .kind = RECORD_EVENT, .sequence = 0, .last = 0 },
		{ .kind = RECORD_GAP, .sequence = 5, .last = 4 },
		{ .kind = RECORD_EVENT, .sequence = 5, .last = 6 },
	};
	static const struct record_header gap = {
		.kind = RECORD_GAP, .sequence = 5, .last = 9 };
	struct record_header h;
	const uint8_t *payload;

	(void)state;
	for (size_t i = 0; i <= sizeof(bad) / sizeof(bad[0]); i++) {
		bool is_gap = i == sizeof(bad) / sizeof(bad[0]);
		uint8_t octets[64];
		struct writer w = writer_of(octets, sizeof(octets));
		struct cursor c;

		record_write(&w, is_gap ? &gap : &bad[i], NULL);
		c = cursor_of(octets, w.pos);
		assert_int_equal(record_read(&c, &h, &payload),
				 is_gap ? 0 : -EBADMSG);
	}
	assert_int_equal(h.last, 9);
}

/* An older program carries what a later agent says. */
static void test_c09_record_of_an_unknown_kind_is_read(void **state)
{
	static const unsigned kinds[] = { RECORD_KIND_COUNT, 200, UINT8_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct record_header h = { .length = 3, .stream = STREAM_STATES,
					   .kind = (uint8_t)kinds[i],
					   .sequence = 4, .last = 4 };
		uint8_t octets[RECORD_HEADER_LEN + 3];
		struct writer w = writer_of(octets, sizeof(octets));
		const uint8_t *payload;
		struct cursor c;

		record_write(&w, &h, "abc");
		c = cursor_of(octets, w.pos);
		assert_int_equal(record_read(&c, &h, &payload), 0);
		assert_int_equal(h.kind, kinds[i]);
		assert_memory_equal(payload, "abc", 3);
		assert_null(record_kind_name(h.kind));
	}
}

static void test_c10_record_is_written_whole_or_not(void **state)
{
	uint8_t octets[RECORD_HEADER_LEN + 5];

	(void)state;
	for (size_t cap = 0; cap < sizeof(octets); cap++) {
		struct writer w = writer_of(octets, cap);

		record_write(&w, &sample, "hello");
		assert_false(writer_ok(&w));
		assert_int_equal(w.pos, 0);
	}
}

static void test_c10_envelope_is_as_pinned(void **state)
{
	static const char *const names[] = { "envelope_data",
					     "envelope_data_2" };
	struct envelope e = { .kind = FRAME_DATA,
			      .session = 0xa1a2a3a4a5a6a7a8, .length = 3 };

	(void)state;
	for (uint8_t version = 1; version <= WIRE_VERSION; version++) {
		const char *name = names[version - 1];
		uint8_t octets[64], pinned[64];
		struct writer w = writer_of(octets, sizeof(octets));
		struct envelope back;
		struct cursor c;

		e.version = version;
		envelope_write(&w, &e, "abc");
		assert_int_equal(w.pos, ENVELOPE_LEN);
		writer_bytes(&w, "abc", 3);
		golden_assert(name, octets, w.pos);
		c = cursor_of(pinned, golden_read(name, pinned,
						  sizeof(pinned)));
		assert_int_equal(envelope_read(&c, &back), 0);
		assert_int_equal(back.version, version);
		assert_int_equal(back.kind, FRAME_DATA);
		assert_true(back.session == e.session && back.length == 3);
		assert_int_equal(cursor_left(&c), 3);
	}
}

static int envelope_try(const uint8_t *octets, size_t len)
{
	struct cursor c = cursor_of(octets, len);
	struct envelope e;

	return envelope_read(&c, &e);
}

static void test_c10_envelope_refuses_garbage(void **state)
{
	static const struct envelope e = { .version = 1, .kind = FRAME_PING,
					   .length = 8 };
	uint8_t octets[ENVELOPE_LEN + 8] = { 0 };
	struct writer w = writer_of(octets, sizeof(octets));

	(void)state;
	envelope_write(&w, &e, octets + ENVELOPE_LEN);
	assert_int_equal(envelope_try(octets, sizeof(octets)), 0);
	for (size_t len = 0; len < sizeof(octets); len++)
		assert_int_equal(envelope_try(octets, len), -EBADMSG);
	octets[4] = WIRE_VERSION + 1;
	assert_int_equal(envelope_try(octets, sizeof(octets)),
			 -EPROTONOSUPPORT);
	octets[4] = 0;
	assert_int_equal(envelope_try(octets, sizeof(octets)),
			 -EPROTONOSUPPORT);
	octets[4] = 1;
	octets[0]++;			/* magic */
	assert_int_equal(envelope_try(octets, sizeof(octets)), -EBADMSG);
	octets[0]--;
	octets[5] = 0;			/* kind */
	assert_int_equal(envelope_try(octets, sizeof(octets)), -EBADMSG);
	octets[5] = FRAME_KIND_COUNT;
	assert_int_equal(envelope_try(octets, sizeof(octets)), -EBADMSG);
}

/* A number in an ACK is as good as a record: no flipped bit gets through. */
static void test_c10_frame_of_version_2_refuses_every_flipped_bit(void **state)
{
	static const struct envelope e = { .version = 2, .kind = FRAME_ACK,
					   .session = 77, .length = 25 };
	uint8_t octets[ENVELOPE_LEN + 25];
	struct writer w = writer_of(octets, sizeof(octets));

	(void)state;
	memset(octets, 7, sizeof(octets));
	envelope_write(&w, &e, octets + ENVELOPE_LEN);
	assert_int_equal(envelope_try(octets, sizeof(octets)), 0);
	for (size_t bit = 0; bit < 8 * sizeof(octets); bit++) {
		int expected = bit / 8 < 4 ? -EBADMSG :
			       bit / 8 == 4 ? -EPROTONOSUPPORT : -EILSEQ;

		octets[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_int_equal(envelope_try(octets, sizeof(octets)),
				 expected);
		octets[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (size_t len = ENVELOPE_LEN; len < sizeof(octets); len++)
		assert_int_equal(envelope_try(octets, len), -EILSEQ);
}

static void test_c10_positions_come_back(void **state)
{
	static const struct positions p = { .last = { 1, UINT64_MAX, 3 } };
	uint8_t octets[8 * STREAM_COUNT];
	struct writer w = writer_of(octets, sizeof(octets));
	struct positions back;
	struct cursor c;

	(void)state;
	positions_write(&w, &p);
	assert_true(writer_ok(&w));
	c = cursor_of(octets, w.pos);
	assert_int_equal(positions_read(&c, &back), 0);
	assert_memory_equal(&back, &p, sizeof(p));
	c = cursor_of(octets, w.pos - 1);
	assert_int_equal(positions_read(&c, &back), -EBADMSG);
}

/* What is sent fits what the peer accepts, seal included. */
static void test_c10_largest_record_fits_a_frame(void **state)
{
	(void)state;
	assert_int_equal(ENVELOPE_LEN + RECORD_HEADER_LEN + RECORD_PAYLOAD_MAX +
			 WIRE_TAG_LEN, WIRE_FRAME_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c09_record_header_is_as_pinned),
		cmocka_unit_test(test_c09_record_refuses_every_shorter_length),
		cmocka_unit_test(test_c09_record_refuses_every_flipped_bit),
		cmocka_unit_test(test_c09_record_refuses_what_no_agent_writes),
		cmocka_unit_test(test_c09_record_of_an_unknown_kind_is_read),
		cmocka_unit_test(test_c10_record_is_written_whole_or_not),
		cmocka_unit_test(test_c10_envelope_is_as_pinned),
		cmocka_unit_test(test_c10_envelope_refuses_garbage),
		cmocka_unit_test(
			test_c10_frame_of_version_2_refuses_every_flipped_bit),
		cmocka_unit_test(test_c10_positions_come_back),
		cmocka_unit_test(test_c10_largest_record_fits_a_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
