/* Names, units and values as Prometheus takes them, of every quantity. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/metric.h"

static struct metric named(enum quantity q)
{
	struct metric m;

	metric_of(quantity_find((uint16_t)q), &m);
	return m;
}

static void test_names_are_in_base_units(void **state)
{
	static const struct {
		enum quantity quantity;
		const char *name, *unit;
	} rows[] = {
		{ Q_OPER_STATUS, "petrel_oper_status", "" },
		{ Q_SPEED_MBPS, "petrel_speed_bytes_per_second",
		  "bytes_per_second" },
		{ Q_LANE_COUNT, "petrel_lanes", "" },
		{ Q_LINK_DOWN_COUNT, "petrel_link_down_total", "" },
		{ Q_DOWN_CAUSE_BITS, "petrel_down_cause_mask", "mask" },
		{ Q_IF_IN_OCTETS, "petrel_if_in_bytes_total", "bytes" },
		{ Q_IF_IN_ERRORS, "petrel_if_in_errors_total", "" },
		{ Q_FEC_CORRECTED_BITS, "petrel_fec_corrected_bit_errors_total",
		  "bit_errors" },
		{ Q_PRE_FEC_BER_E18, "petrel_pre_fec_ber_ratio", "ratio" },
		{ Q_MARGIN_MILLI_DB, "petrel_margin_decibels", "decibels" },
		{ Q_PFC_RX_PAUSE_US, "petrel_pfc_rx_pause_seconds_total",
		  "seconds" },
		{ Q_LANE_RX_POWER_PW, "petrel_lane_rx_power_watts", "watts" },
		{ Q_LANE_TX_BIAS_UA, "petrel_lane_tx_bias_amperes", "amperes" },
		{ Q_MODULE_TEMP_MC, "petrel_module_temp_celsius", "celsius" },
		{ Q_MODULE_VCC_UV, "petrel_module_vcc_volts", "volts" },
		{ Q_MODULE_READING_FAULTS, "petrel_module_reading_faults", "" },
		{ Q_QUEUE_WATERMARK_OCTETS, "petrel_queue_watermark_bytes",
		  "bytes" },
		{ Q_SELF_CPU_NS, "petrel_self_cpu_seconds_total", "seconds" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct metric m = named(rows[i].quantity);

		assert_string_equal(m.name, rows[i].name);
		assert_string_equal(m.unit, rows[i].unit);
	}
}

/* OpenMetrics: a counter's family is its name without _total. */
static void family_of(const struct quantity_info *q, char *ret, size_t cap)
{
	struct metric m;

	metric_of(q, &m);
	(void)snprintf(ret, cap, "%s", m.name);
	if (m.is_counter)
		ret[strlen(ret) - strlen("_total")] = '\0';
}

static void test_no_two_quantities_are_one_family(void **state)
{
	size_t n;
	const struct quantity_info *q = quantity_table(&n);
	char (*family)[METRIC_NAME_MAX] = calloc(n, sizeof(*family));

	(void)state;
	assert_non_null(family);
	for (size_t i = 0; i < n; i++) {
		family_of(&q[i], family[i], sizeof(family[i]));
		for (size_t k = 0; k < i; k++)
			if (strcmp(family[i], family[k]) == 0)
				fail_msg("%s and %s are both %s", q[i].name,
					 q[k].name, family[i]);
	}
	free(family);
}

static void test_counters_alone_end_in_total(void **state)
{
	size_t n;
	const struct quantity_info *q = quantity_table(&n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct metric m;
		size_t len;

		metric_of(&q[i], &m);
		len = strlen(m.name);
		assert_int_equal(m.is_counter, q[i].kind == KIND_COUNTER);
		assert_int_equal(m.is_counter, len > 6 &&
				 strcmp(m.name + len - 6, "_total") == 0);
		assert_true(len + 1 < sizeof(m.name));
		assert_int_equal(strspn(m.name, "abcdefghijklmnopqrstuvwxyz"
					"0123456789_"), len);
	}
}

static void test_values_are_exact_decimals(void **state)
{
	static const struct {
		struct metric_scale scale;
		int64_t raw;
		bool is_unsigned;
		const char *text;
	} rows[] = {
		{ { 1, 0 }, 0, false, "0" },
		{ { 1, 0 }, -7, false, "-7" },
		{ { 1, 0 }, -1, true, "18446744073709551615" },
		{ { 1, 0 }, INT64_MIN, false, "-9223372036854775808" },
		{ { 1, -3 }, 45125, false, "45.125" },
		{ { 1, -3 }, -45000, false, "-45" },
		{ { 1, -3 }, -50, false, "-0.05" },
		{ { 1, -6 }, 3300000, false, "3.3" },
		{ { 1, -9 }, 1, false, "0.000000001" },
		{ { 1, -12 }, 543211000, false, "543211000e-12" },
		{ { 1, -18 }, 0, false, "0" },
		{ { 125, 3 }, 400000, false, "50000000000" },
		{ { 125, 3 }, INT64_MAX, false, "18446744073709551615e3" },
		{ { 1, 9 }, 193100, false, "193100000000000" },
	};
	char text[METRIC_VALUE_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t len = metric_text(rows[i].scale, rows[i].raw,
					 rows[i].is_unsigned, text);

		assert_string_equal(text, rows[i].text);
		assert_int_equal(len, strlen(text));
	}
}

/* A random run: the text reads back as the double. */
static void test_text_and_double_say_the_same(void **state)
{
	static const enum quantity of[] = { Q_LANE_RX_POWER_PW, Q_SPEED_MBPS,
					    Q_IF_IN_OCTETS, Q_MODULE_TEMP_MC,
					    Q_PRE_FEC_BER_E18 };
	char text[METRIC_VALUE_MAX];

	(void)state;
	srand(7);
	for (int i = 0; i < 10000; i++) {
		struct metric m = named(of[i % 5]);
		int64_t raw = (int64_t)((uint64_t)rand() << (rand() % 24));
		double read;

		(void)metric_text(m.scale, raw, m.is_unsigned, text);
		read = strtod(text, NULL);
		assert_true(fabs(read - metric_value(&m, raw)) <=
			    fabs(read) * 1e-15);
	}
}

static void test_an_index_is_a_word_where_it_has_one(void **state)
{
	char text[METRIC_LABEL_MAX];

	(void)state;
	metric_index(quantity_find(Q_MODULE_TEMP_THRESHOLD_MC), 2, text);
	assert_string_equal(text, "high_warning");
	metric_index(quantity_find(Q_FEC_CODEWORD_ERRORS), 15, text);
	assert_string_equal(text, "15");
	metric_index(quantity_find(Q_SELF_CPU_NS), 2, text);
	assert_string_equal(text, "core");
	metric_index(quantity_find(Q_IF_IN_OCTETS), 0, text);
	assert_string_equal(text, "");
}

/* "Index 0 to N: …": a word for each of them, none behind, and none that is
 * several, because a comma is missing.
 */
static void test_each_index_of_a_list_has_its_own_word(void **state)
{
	char text[METRIC_LABEL_MAX], number[16];

	(void)state;
	for (uint32_t id = 0; id <= UINT16_MAX; id++) {
		const struct quantity_info *q = quantity_find((uint16_t)id);
		const char *list = q ? strcasestr(q->help, "index 0 to ") :
				   NULL;
		unsigned last = list ? (unsigned)atoi(list + 11) : 0;

		list = list ? list + 11 + strspn(list + 11, "0123456789") : "";
		for (unsigned i = 0; *list == ':' && i <= last + 1; i++) {
			(void)snprintf(number, sizeof(number), "%u", i);
			metric_index(q, i, text);
			assert_in_range(strlen(text), 1, 32);
			if (i > last)
				assert_string_equal(text, number);
			else
				assert_string_not_equal(text, number);
		}
		for (unsigned i = 0; q && i < 256; i++) {
			metric_index(q, i, text);
			assert_in_range(strlen(text), 0, 32);
		}
	}
	metric_index(quantity_find(Q_DOWN_CAUSE_COUNT), 2, text);
	assert_string_equal(text, "fec_sync_loss");
}

static void test_a_label_for_each_kind_but_the_switch(void **state)
{
	(void)state;
	assert_null(metric_label(ENTITY_SWITCH));
	assert_string_equal(metric_label(ENTITY_MODULE), "cage");
	assert_string_equal(metric_label(ENTITY_PRIORITY_GROUP),
			    "priority_group");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_in_base_units),
		cmocka_unit_test(test_no_two_quantities_are_one_family),
		cmocka_unit_test(test_counters_alone_end_in_total),
		cmocka_unit_test(test_values_are_exact_decimals),
		cmocka_unit_test(test_text_and_double_say_the_same),
		cmocka_unit_test(test_an_index_is_a_word_where_it_has_one),
		cmocka_unit_test(test_each_index_of_a_list_has_its_own_word),
		cmocka_unit_test(test_a_label_for_each_kind_but_the_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
