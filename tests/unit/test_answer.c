#include "agent/query/answer.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/query/message.h"
#include "agent/record/decode.h"

#define ARENA (64u << 10)
#define ROWS 20

static const struct answer_shape things = {
	"things", .columns = {
	{ "name", "NAME", CELL_TEXT },
	{ "value", "VALUE", CELL_UNSIGNED },
	{ "extra", "", CELL_INTEGER },
	{ .key = NULL },
} };

static struct finding sample_finding(void)
{
	struct finding f = {
		.id = "abcdefghijkl", .signature = SIGNATURE_FEC_TREND,
		.severity = SEVERITY_WARN, .state = FINDING_RAISED,
		.end = END_FAR, .action = ACTION_CLEAN_FAR,
		.drain = DRAIN_ADVISE, .entity = 7, .subject = "Ethernet8",
		.lanes = 5, .confidence = 0.5f, .cause = "errors grow",
		.onset = { 11 }, .when = { 12 }, .onset_wall = { 13 },
		.when_wall = { 14 }, .evidence_count = 1, .change_count = 1,
		.cliff = { true, 1, 2, FINDING_NO_UPPER_BOUND },
		.evidence = { { "rx_drop_mdb", 1.5 } },
		.change = { "module swapped" },
	};

	return f;
}

/* An answer with a table of rows, the number of each in its cells. */
static void fill(struct answer *a, unsigned rows)
{
	answer_head(a, "leaf1", 42);
	answer_table(a, &things);
	for (unsigned i = 0; i < rows; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "row%u", i);
		answer_row(a);
		answer_text(a, name);
		answer_integer(a, i);
		answer_age(a, 5, 2);
		answer_absent(a);
	}
}

/* As it arrives at the other end; freed with answer_unpacked_free(). */
static Petrel__Answer *arrived(struct answer *a)
{
	Petrel__Answer *ret;
	uint8_t *data;
	size_t len;

	assert_int_equal(message_pack(&answer_message(a)->base,
				      LOCAL_ANSWER_MAX, &data, &len), 0);
	assert_int_equal(message_length(data), len - MESSAGE_HEAD_LEN);
	assert_int_equal(answer_unpack(data + MESSAGE_HEAD_LEN,
				       len - MESSAGE_HEAD_LEN, &ret), 0);
	free(data);
	return ret;
}

static void test_answer_arrives_as_it_was_given(void **state)
{
	struct finding f = sample_finding(), g;
	Petrel__Answer *m;
	struct answer *a;

	(void)state;
	assert_int_equal(answer_new(ARENA, &a), 0);
	fill(a, ROWS);
	answer_note(a, "%d things", ROWS);
	answer_note(a, "and no more");
	answer_finding(a, &f);
	answer_line(a, "{}");
	answer_cursor(a, "c1");
	m = arrived(a);
	assert_true(m->complete);
	assert_string_equal(m->switch_name, "leaf1");
	assert_int_equal(m->wall_ns, 42);
	assert_int_equal(m->n_tables, 1);
	assert_int_equal(m->tables[0]->rows, ROWS);
	assert_int_equal(m->tables[0]->n_columns, 3);
	assert_string_equal(m->tables[0]->note, "20 things\nand no more");
	assert_string_equal(table_cell(m->tables[0], 19, 0).text, "row19");
	assert_int_equal(table_cell(m->tables[0], 19, 1).value, 19);
	assert_int_equal(table_cell(m->tables[0], 19, 1).age_ns, 5);
	assert_int_equal(table_cell(m->tables[0], 19, 1).quality, 2);
	assert_true(table_cell(m->tables[0], 19, 2).absent);
	assert_string_equal(m->lines[0], "{}");
	assert_string_equal(m->cursor, "c1");
	assert_int_equal(finding_of_message(m->findings[0], &g), 0);
	assert_memory_equal(&f, &g, sizeof(f));
	answer_unpacked_free(m);
	answer_free(a);
}

/* At every size of the arena: rows are whole, or they are not there. */
static void test_answer_for_people_ends_before_what_only_json_has(void **state)
{
	struct answer *a;
	Petrel__Table *t;
	Petrel__Answer *m;

	(void)state;
	assert_int_equal(answer_new(ARENA, &a), 0);
	answer_for_text(a);
	fill(a, ROWS);
	assert_false(answer_row_goes_on(a));
	m = arrived(a);
	t = m->tables[0];
	assert_int_equal(t->n_columns, 2);
	assert_int_equal(t->rows, ROWS);
	assert_int_equal(table_cell(t, 7, 1).value, 7);
	answer_unpacked_free(m);
	answer_clear(a);	/* the next is whole again */
	fill(a, 1);
	assert_int_equal(answer_message(a)->tables[0]->n_columns, 3);
	answer_free(a);
}

static void test_answer_that_was_large_can_be_given_again(void **state)
{
	const size_t octets = 4u << 20;
	struct answer *a;
	Petrel__Answer *m;

	(void)state;
	assert_int_equal(answer_new(octets, &a), 0);
	for (unsigned round = 0; round < 2; round++) {
		fill(a, 6000);
		assert_true(answer_message(a)->complete);
		m = arrived(a);
		assert_int_equal(table_cell(m->tables[0], 5999, 1).value,
				 5999);
		answer_unpacked_free(m);
		answer_release(a);
		assert_int_equal(answer_message(a)->n_tables, 0);
	}
	answer_free(a);
}

static void test_answer_is_cut_at_a_whole_row(void **state)
{
	size_t complete = 0, cut = 0;

	(void)state;
	for (size_t size = 0; size < 12000; size += 8) {
		const Petrel__Answer *m;
		struct answer *a;

		assert_int_equal(answer_new(size, &a), 0);
		fill(a, ROWS);
		m = answer_message(a);
		*(m->complete ? &complete : &cut) += 1;
		for (size_t t = 0; t < m->n_tables; t++)
			for (size_t i = 0; i < m->tables[t]->rows; i++) {
				assert_false(table_cell(m->tables[t], i,
							0).absent);
				assert_int_equal(table_cell(m->tables[t], i,
							    1).value, i);
			}
		assert_true(!m->complete || m->tables[0]->rows == ROWS);
		answer_free(a);
	}
	assert_true(complete > 0);
	assert_true(cut > 0);
}

static void test_answer_adds_nothing_behind_a_cut(void **state)
{
	struct answer *a;
	size_t rows;

	(void)state;
	assert_int_equal(answer_new(4096, &a), 0);
	fill(a, 1000);
	assert_false(answer_message(a)->complete);
	rows = answer_message(a)->tables[0]->rows;
	answer_line(a, "late");
	answer_table(a, &things);
	answer_row(a);
	answer_text(a, "late");
	assert_int_equal(answer_message(a)->n_tables, 1);
	assert_int_equal(answer_message(a)->n_lines, 0);
	assert_int_equal(answer_message(a)->tables[0]->rows, rows);
	answer_free(a);
}

/* What is small enough to fit does not slip in behind what was not. */
static void test_answer_stays_cut_for_small_things(void **state)
{
	char large[5000];
	struct answer *a;

	(void)state;
	assert_int_equal(answer_new(4096, &a), 0);
	memset(large, 'x', sizeof(large));
	large[sizeof(large) - 1] = '\0';
	answer_line(a, "first");
	answer_line(a, large);
	answer_line(a, "late");
	assert_false(answer_message(a)->complete);
	assert_int_equal(answer_message(a)->n_lines, 1);
	answer_free(a);
}

static void test_answer_is_as_new_when_cleared(void **state)
{
	struct answer *a;

	(void)state;
	assert_int_equal(answer_new(4096, &a), 0);
	fill(a, 1000);
	answer_clear(a);
	fill(a, 2);
	assert_true(answer_message(a)->complete);
	assert_int_equal(answer_message(a)->tables[0]->rows, 2);
	answer_free(a);
}

static void test_error_takes_the_place_of_the_content(void **state)
{
	struct answer *a;

	(void)state;
	assert_int_equal(answer_new(ARENA, &a), 0);
	fill(a, 3);
	assert_int_equal(answer_error(a, EXIT_NO_SUCH, "no port '%s'", "x"),
			 EXIT_NO_SUCH);
	assert_int_equal(answer_message(a)->code, EXIT_NO_SUCH);
	assert_string_equal(answer_message(a)->error, "no port 'x'");
	assert_string_equal(answer_message(a)->switch_name, "leaf1");
	assert_int_equal(answer_message(a)->wall_ns, 42);
	assert_int_equal(answer_message(a)->n_tables, 0);
	answer_free(a);
}

static void test_message_above_its_bound_is_not_packed(void **state)
{
	struct answer *a;
	uint8_t *data;
	size_t len;

	(void)state;
	assert_int_equal(answer_new(ARENA, &a), 0);
	fill(a, ROWS);
	assert_int_equal(message_pack(&answer_message(a)->base, 100, &data,
				      &len), -EMSGSIZE);
	answer_free(a);
}

/* 1 MiB of empty tables would become many times that. */
static void test_message_that_swells_is_refused(void **state)
{
	size_t len = 2u << 20;
	uint8_t *data = malloc(len);
	Petrel__Answer *m;

	(void)state;
	for (size_t i = 0; i < len; i += 2) {
		data[i] = 0x3a;		/* field 7, tables: */
		data[i + 1] = 0;	/* of no octets */
	}
	assert_int_equal(answer_unpack(data, len, &m), -EBADMSG);
	assert_int_equal(answer_unpack(data, 200, &m), 0);
	assert_int_equal(m->n_tables, 100);
	answer_unpacked_free(m);
	free(data);
}

/* Empty arguments: two octets each on the way, many more once unpacked. */
static void test_request_that_swells_is_refused(void **state)
{
	static const struct {
		size_t len;
		int rc;
	} rows[] = { { 200, 0 }, { 60000, -EBADMSG } };
	uint8_t octets[60000];
	Petrel__Request *r;

	(void)state;
	for (size_t i = 0; i < sizeof(octets); i++)
		octets[i] = i % 2 == 0 ? 2 << 3 | 2 : 0;	/* args */
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(request_unpack(octets, rows[i].len, &r),
				 rows[i].rc);
		if (rows[i].rc == 0) {
			assert_int_equal(r->n_args, rows[i].len / 2);
			request_free(r);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answer_arrives_as_it_was_given),
		cmocka_unit_test(
			test_answer_for_people_ends_before_what_only_json_has),
		cmocka_unit_test(
			test_answer_that_was_large_can_be_given_again),
		cmocka_unit_test(test_answer_is_cut_at_a_whole_row),
		cmocka_unit_test(test_answer_adds_nothing_behind_a_cut),
		cmocka_unit_test(test_answer_stays_cut_for_small_things),
		cmocka_unit_test(test_answer_is_as_new_when_cleared),
		cmocka_unit_test(test_error_takes_the_place_of_the_content),
		cmocka_unit_test(test_message_above_its_bound_is_not_packed),
		cmocka_unit_test(test_request_that_swells_is_refused),
		cmocka_unit_test(test_message_that_swells_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
