/* What Prometheus reads, of answers made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/query/answer.h"
#include "agent/query/exposition.h"
#include "petrel/sample.h"

#define ARENA (1u << 20)
#define BOUND 1000

struct bed {
	struct answer *a;
	char *text;
	size_t len;
};

static int set_up(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	assert_int_equal(answer_new(ARENA, &b->a), 0);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *b = *state;

	answer_free(b->a);
	free(b->text);
	free(b);
	return 0;
}

/* Two lanes, the second of which has no light; a threshold of each. */
static void lanes_answer(struct bed *b)
{
	static const struct answer_column columns[] = {
		{ "port", "", CELL_TEXT },
		{ "lane", "", CELL_TEXT },
		{ "lane_rx_power_pw", "", CELL_INTEGER },
		{ "module_temp_threshold_mc", "high_alarm", CELL_INTEGER },
		{ "if_in_octets", "", CELL_INTEGER },
		{ .key = NULL },
	};

	answer_columns(b->a, "lane", columns, false);
	answer_row(b->a);
	answer_text(b->a, "Ethernet\"0\\\n");
	answer_text(b->a, "1");
	answer_integer(b->a, 1500000000);
	answer_integer(b->a, 75000);
	answer_integer(b->a, -1);
	answer_row(b->a);
	answer_text(b->a, NULL);
	answer_text(b->a, "2");
}

static void own_answer(struct bed *b)
{
	static const struct answer_column columns[] = {
		{ "source", "", CELL_TEXT },
		{ "source_values_total", "Values", CELL_UNSIGNED },
		{ "source_info", "a \\ \"b\"", CELL_INTEGER },
		{ "last_timestamp_seconds", "Then", CELL_WALL_NS },
		{ .key = NULL },
	};

	answer_columns(b->a, "sources", columns, false);
	answer_row(b->a);
	answer_text(b->a, "sim.counters");
	answer_integer(b->a, 7);
	answer_integer(b->a, 1);
	answer_integer(b->a, INT64_C(1700000000250000000));
}

static const char *written(struct bed *b, enum exposition how, size_t bound)
{
	FILE *out;

	free(b->text);
	out = open_memstream(&b->text, &b->len);
	assert_non_null(out);
	assert_int_equal(exposition_write(out, how, answer_message(b->a),
					  bound), 0);
	assert_int_equal(fclose(out), 0);
	return b->text;
}

static void test_text_has_help_type_and_samples(void **state)
{
	struct bed *b = *state;
	const char *text;

	lanes_answer(b);
	own_answer(b);
	text = written(b, EXPOSITION_PROMETHEUS, BOUND);
	assert_non_null(strstr(text, "\n# TYPE petrel_lane_rx_power_watts gauge"
			       "\npetrel_lane_rx_power_watts{port=\"Ethernet"
			       "\\\"0\\\\\\n\",lane=\"1\"} 1500000000e-12\n"));
	assert_non_null(strstr(text, "lane=\"1\",threshold=\"high_alarm\"} "
			       "75\n"));
	assert_non_null(strstr(text, "petrel_if_in_bytes_total{port="));
	assert_non_null(strstr(text, "} 18446744073709551615\n"));
	assert_non_null(strstr(text, "# HELP petrel_source_info a \\\\ \"b\"\n"
			       "# TYPE petrel_source_info gauge\n"));
	assert_non_null(strstr(text, "petrel_last_timestamp_seconds{source="
			       "\"sim.counters\"} 1700000000.25\n"));
	assert_null(strstr(text, "# UNIT"));
	assert_null(strstr(text, "# EOF"));
}

static void test_openmetrics_names_families_by_their_stem(void **state)
{
	struct bed *b = *state;
	const char *text;

	lanes_answer(b);
	own_answer(b);
	text = written(b, EXPOSITION_OPENMETRICS, BOUND);
	assert_non_null(strstr(text, "# TYPE petrel_if_in_bytes counter\n"
			       "# UNIT petrel_if_in_bytes bytes\n"
			       "petrel_if_in_bytes_total{"));
	assert_non_null(strstr(text, "# HELP petrel_source a \\\\ \\\"b\\\"\n"
			       "# TYPE petrel_source info\n"
			       "petrel_source_info{"));
	assert_non_null(strstr(text, "# TYPE petrel_source_values counter\n"
			       "petrel_source_values_total{"));
	assert_string_equal(text + b->len - 6, "# EOF\n");
}

static void test_absent_is_absent(void **state)
{
	struct bed *b = *state;
	const char *text;

	lanes_answer(b);
	text = written(b, EXPOSITION_PROMETHEUS, BOUND);
	assert_null(strstr(text, "lane=\"2\""));
}

/* Three samples fit, and no family is told in part. */
static void test_families_beyond_the_bound_are_left_out(void **state)
{
	struct bed *b = *state;
	const char *text;

	lanes_answer(b);
	own_answer(b);
	text = written(b, EXPOSITION_PROMETHEUS, 3);
	assert_non_null(strstr(text, "\npetrel_if_in_bytes_total{"));
	assert_null(strstr(text, "petrel_source_values_total"));
	assert_non_null(strstr(text, "\npetrel_complete 0\n"));
	text = written(b, EXPOSITION_PROMETHEUS, 6);
	assert_non_null(strstr(text, "petrel_source_values_total"));
	assert_non_null(strstr(text, "\npetrel_complete 1\n"));
}

static void test_a_family_of_two_tables_stands_together(void **state)
{
	static const struct answer_column columns[] = {
		{ "data_path", "", CELL_TEXT },
		{ "lane_rx_power_pw", "", CELL_INTEGER },
		{ .key = NULL },
	};
	struct bed *b = *state;
	const char *at;

	lanes_answer(b);
	own_answer(b);
	answer_columns(b->a, "data_path", columns, false);
	answer_row(b->a);
	answer_text(b->a, "1");
	answer_integer(b->a, 1);
	at = strstr(written(b, EXPOSITION_PROMETHEUS, BOUND),
		    "# TYPE petrel_lane_rx_power_watts");
	assert_non_null(at);
	assert_null(strstr(at + 1, "# TYPE petrel_lane_rx_power_watts"));
	assert_non_null(strstr(at, "1500000000e-12\npetrel_lane_rx_power_watts"
			       "{data_path=\"1\"} 1e-12\n"));
}

static void test_nobody_answers_is_up_0_and_nothing_else(void **state)
{
	struct bed *b = *state;
	FILE *out = open_memstream(&b->text, &b->len);

	assert_int_equal(exposition_write(out, EXPOSITION_OPENMETRICS, NULL,
					  BOUND), 0);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(b->text, "\npetrel_up 0\n# EOF\n"));
	assert_null(strstr(b->text, "petrel_complete"));
}

static void test_the_form_is_the_one_that_is_rather_had(void **state)
{
	static const struct {
		const char *accept;
		enum exposition how;
	} rows[] = {
		{ NULL, EXPOSITION_PROMETHEUS },
		{ "", EXPOSITION_PROMETHEUS },
		{ "*/*", EXPOSITION_PROMETHEUS },
		{ "text/html, */*;q=0.1", EXPOSITION_PROMETHEUS },
		/* Prometheus 2.42, and 3 */
		{ "application/openmetrics-text;version=1.0.0,"
		  "application/openmetrics-text;version=0.0.1;q=0.75,"
		  "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		  EXPOSITION_OPENMETRICS },
		{ "text/plain;version=0.0.4;q=0.5 , "
		  "Application/OpenMetrics-Text;q=0.4",
		  EXPOSITION_PROMETHEUS },
		{ "application/openmetrics-text;q=0", EXPOSITION_PROMETHEUS },
		{ "application/openmetrics-text;q=x", EXPOSITION_PROMETHEUS },
		{ ",,;q=", EXPOSITION_PROMETHEUS },
		{ "application/openmetrics-textile", EXPOSITION_PROMETHEUS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(exposition_accepted(rows[i].accept),
				 rows[i].how);
}

#define BED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BED(test_text_has_help_type_and_samples),
		BED(test_openmetrics_names_families_by_their_stem),
		BED(test_absent_is_absent),
		BED(test_families_beyond_the_bound_are_left_out),
		BED(test_a_family_of_two_tables_stands_together),
		BED(test_nobody_answers_is_up_0_and_nothing_else),
		cmocka_unit_test(
			test_the_form_is_the_one_that_is_rather_had),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
