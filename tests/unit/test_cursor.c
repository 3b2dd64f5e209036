#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "petrel/cursor.h"

static void test_cursor_reads_both_byte_orders(void **state)
{
	static const uint8_t octets[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct cursor c = cursor_of(octets, 8);

	(void)state;
	assert_int_equal(cursor_u8(&c), 1);
	assert_int_equal(cursor_be16(&c), 0x0203);
	assert_int_equal(cursor_left(&c), 5);
	c = cursor_of(octets, 8);
	assert_int_equal(cursor_be32(&c), 0x01020304);
	assert_int_equal(cursor_le32(&c), 0x08070605);
	c = cursor_of(octets, 8);
	assert_true(cursor_be64(&c) == 0x0102030405060708);
	c = cursor_of(octets, 8);
	assert_true(cursor_le64(&c) == 0x0807060504030201);
	assert_true(cursor_ok(&c));
}

static void test_cursor_failure_sticks_and_reads_0(void **state)
{
	static const uint8_t octets[] = { 0xff, 0xff, 0xff };
	struct cursor c = cursor_of(octets, 3);

	(void)state;
	assert_int_equal(cursor_be32(&c), 0);
	assert_false(cursor_ok(&c));
	assert_int_equal(cursor_left(&c), 0);
	assert_int_equal(cursor_u8(&c), 0);	/* though there would be one */
	assert_null(cursor_bytes(&c, 0));
	assert_false(cursor_ok(&c));
}

static void test_cursor_lengths_near_the_top_do_not_wrap(void **state)
{
	static const uint8_t octets[4];
	struct cursor c = cursor_of(octets, 4), sub;

	(void)state;
	(void)cursor_u8(&c);
	assert_null(cursor_bytes(&c, SIZE_MAX));
	c = cursor_of(octets, 4);
	(void)cursor_u8(&c);
	sub = cursor_sub(&c, SIZE_MAX - 1);
	assert_false(cursor_ok(&sub));
	assert_int_equal(cursor_left(&sub), 0);
}

static void test_cursor_sub_ends_where_it_was_told(void **state)
{
	static const uint8_t octets[] = { 1, 2, 3, 4 };
	struct cursor c = cursor_of(octets, 4), sub = cursor_sub(&c, 2);

	(void)state;
	assert_int_equal(cursor_be16(&sub), 0x0102);
	assert_int_equal(cursor_u8(&sub), 0);
	assert_false(cursor_ok(&sub));
	assert_int_equal(cursor_be16(&c), 0x0304);	/* the outer goes on */
	assert_true(cursor_ok(&c));
}

static void test_cursor_varints_come_back(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit <= 64; bit++)
		for (int add = -1; add <= 1; add++) {
			uint64_t value = (bit < 64 ? UINT64_C(1) << bit : 0) +
					 (uint64_t)add;
			uint8_t octets[20];
			struct writer w = writer_of(octets, sizeof(octets));
			struct cursor c;

			writer_varint(&w, value);
			writer_zigzag(&w, (int64_t)value);
			c = cursor_of(octets, w.pos);
			assert_true(cursor_varint(&c) == value);
			assert_true(cursor_zigzag(&c) == (int64_t)value);
			assert_true(cursor_ok(&c) && cursor_left(&c) == 0);
			for (size_t len = 0; len < w.pos; len++) {
				c = cursor_of(octets, len);
				(void)cursor_varint(&c);
				(void)cursor_varint(&c);
				assert_false(cursor_ok(&c));
			}
		}
}

static void test_cursor_refuses_varint_above_64_bits(void **state)
{
	static const uint8_t high[] = { 0xff, 0xff, 0xff, 0xff, 0xff,
					0xff, 0xff, 0xff, 0xff, 0x02 };
	static const uint8_t overlong[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
					    0x80, 0x80, 0x80, 0x80, 0x00 };
	struct cursor c = cursor_of(high, sizeof(high));

	(void)state;
	assert_int_equal(cursor_varint(&c), 0);
	assert_false(cursor_ok(&c));
	c = cursor_of(overlong, sizeof(overlong));
	assert_int_equal(cursor_varint(&c), 0);
	assert_false(cursor_ok(&c));
}

static void test_writer_overflow_sticks(void **state)
{
	uint8_t octets[4] = { 9, 9, 9, 9 };
	struct writer w = writer_of(octets, 3);

	(void)state;
	writer_be16(&w, 0x0102);
	writer_be16(&w, 0x0304);	/* not even its first half */
	writer_u8(&w, 5);
	assert_false(writer_ok(&w));
	assert_int_equal(w.pos, 2);
	assert_memory_equal(octets, "\1\2\x9\x9", 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cursor_reads_both_byte_orders),
		cmocka_unit_test(test_cursor_failure_sticks_and_reads_0),
		cmocka_unit_test(test_cursor_lengths_near_the_top_do_not_wrap),
		cmocka_unit_test(test_cursor_sub_ends_where_it_was_told),
		cmocka_unit_test(test_cursor_varints_come_back),
		cmocka_unit_test(test_cursor_refuses_varint_above_64_bits),
		cmocka_unit_test(test_writer_overflow_sticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
