#include "agent/query/rows.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/query/answer.h"
#include "agent/query/message.h"

#define ROWS 200
#define LONG_TEXT 300		/* its length takes two octets */

static const struct answer_column columns[] = {
	{ "port", "PORT", CELL_TEXT, false, false },
	{ "rate", "RATE", CELL_BPS, true, false },
	{ "peak", "PEAK", CELL_OCTETS, true, false },
	{ "note", "", CELL_TEXT, false, true },
	{ NULL, NULL, 0, false, false },
};

/* Numbers of all lengths and both signs. */
static int64_t number(unsigned n)
{
	uint64_t value = UINT64_C(0x9e3779b97f4a7c15) * (n + 1);

	return n % 7 == 0 ? 0 : (int64_t)(value >> n % 64);
}

static struct answer *answer_make(void)
{
	char text[LONG_TEXT + 1];
	struct answer *a;

	assert_int_equal(answer_new(1u << 20, &a), 0);
	answer_head(a, "sw1", 1767225600000000000);
	answer_table(a, "queues", columns, false);
	for (unsigned i = 0; i < ROWS; i++) {
		memset(text, 'a' + (int)(i % 26), sizeof(text));
		text[i * LONG_TEXT / ROWS] = '\0';
		answer_row(a);
		if (i % 9 == 0)
			answer_row_json_only(a);
		answer_text(a, i % 5 ? text : NULL);
		answer_integer(a, number(i));
		answer_integer(a, -number(i + 1));
		answer_age(a, number(i + 2), i % 4);
	}
	answer_note(a, "a note");
	answer_table(a, "empty", columns, false);
	answer_line(a, "a line");
	answer_cursor(a, "a cursor");
	return a;
}

/* As protobuf-c has it, which is what all of this is compared with. */
static size_t general(const Petrel__Answer *a, uint8_t **ret)
{
	size_t len = petrel__answer__get_packed_size(a);

	*ret = malloc(len);
	assert_non_null(*ret);
	return petrel__answer__pack(a, *ret);
}

static void assert_same(const Petrel__Answer *a, const Petrel__Answer *b)
{
	uint8_t *x, *y;
	size_t m = general(a, &x), n = general(b, &y);

	assert_int_equal(m, n);
	assert_memory_equal(x, y, n);
	free(x);
	free(y);
}

static void test_rows_are_protobuf_to_any_reader(void **state)
{
	struct answer *a = answer_make();
	Petrel__Answer *back;
	uint8_t *data;
	size_t len;

	(void)state;
	assert_int_equal(answer_pack(answer_message(a), answer_octets_max(a),
				     &data, &len), 0);
	assert_int_equal(message_length(data), len - MESSAGE_HEAD_LEN);
	back = petrel__answer__unpack(NULL, len - MESSAGE_HEAD_LEN,
				      data + MESSAGE_HEAD_LEN);
	assert_non_null(back);
	assert_same(answer_message(a), back);
	petrel__answer__free_unpacked(back, NULL);
	free(data);
	answer_free(a);
}

static void test_rows_of_any_writer_are_read(void **state)
{
	struct answer *a = answer_make();
	Petrel__Answer *back;
	uint8_t *data;
	size_t len = general(answer_message(a), &data);

	(void)state;
	assert_int_equal(answer_unpack(data, len, &back), 0);
	assert_int_equal(back->n_tables, 2);
	assert_int_equal(back->tables[0]->n_rows, ROWS);
	assert_same(answer_message(a), back);
	answer_unpacked_free(back);
	free(data);
	answer_free(a);
}

/* Cut anywhere it is no answer, or one whose rows are whole. */
static void test_rows_cut_short_are_no_answer(void **state)
{
	struct answer *a = answer_make();
	uint8_t *data;
	size_t len = general(answer_message(a), &data), sound = 0;

	(void)state;
	for (size_t n = 0; n < len; n += n < 2000 ? 1 : 97) {
		uint8_t *part = malloc(n + 1);
		Petrel__Answer *back;

		assert_non_null(part);
		memcpy(part, data, n);
		if (answer_unpack(part, n, &back) == 0) {
			sound++;
			answer_unpacked_free(back);
		}
		free(part);
	}
	assert_in_range(sound, 1, 100);
	free(data);
	answer_free(a);
}

static void test_rows_wider_than_their_table_are_refused(void **state)
{
	struct answer *a = answer_make();
	Petrel__Answer *back;
	uint8_t *data;
	size_t len;

	(void)state;
	answer_message(a)->tables[0]->n_head--;
	len = general(answer_message(a), &data);
	assert_int_equal(answer_unpack(data, len, &back), -EBADMSG);
	free(data);
	answer_free(a);
}

static void test_rows_of_a_later_agent_are_read_without_its_fields(void **s)
{
	/* tables { head { key: "k" } rows { cells { value: 1, 9: 5,
	 * 10: "xy" } 7: fixed32 } }
	 */
	static const uint8_t later[] = {
		0x3a, 0x18, 0x12, 0x03, 0x0a, 0x01, 'k', 0x1a, 0x11,
		0x0a, 0x08, 0x10, 0x02, 0x48, 0x05, 0x52, 0x02, 'x', 'y',
		0x3d, 1, 2, 3, 4, 0x10, 0x01 };
	Petrel__Answer *a;

	(void)s;
	assert_int_equal(answer_unpack(later, sizeof(later), &a), 0);
	assert_int_equal(a->tables[0]->n_rows, 1);
	assert_true(a->tables[0]->rows[0]->json_only);
	assert_int_equal(a->tables[0]->rows[0]->n_cells, 1);
	assert_int_equal(a->tables[0]->rows[0]->cells[0]->value, 1);
	assert_string_equal(a->tables[0]->rows[0]->cells[0]->text, "");
	answer_unpacked_free(a);
}

static void test_rows_that_do_not_fit_are_not_packed(void **state)
{
	struct answer *a = answer_make();
	uint8_t *data;
	size_t len;

	(void)state;
	for (size_t max = 0; max < 20000; max += 501)
		assert_int_equal(answer_pack(answer_message(a), max, &data,
					     &len), -EMSGSIZE);
	answer_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_protobuf_to_any_reader),
		cmocka_unit_test(test_rows_of_any_writer_are_read),
		cmocka_unit_test(test_rows_cut_short_are_no_answer),
		cmocka_unit_test(test_rows_wider_than_their_table_are_refused),
		cmocka_unit_test(
		    test_rows_of_a_later_agent_are_read_without_its_fields),
		cmocka_unit_test(test_rows_that_do_not_fit_are_not_packed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
