#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "agent/ctl/trace_read.h"

/* The format's own example, shortened where it repeats. */
static const char example[] =
	"{\"ts_ns\":1767225600009149242,\"port\":\"Ethernet0\",\"oper\":1,"
	"\"admin\":1,\"present\":1,\"serial\":\"SNAC2E709E\","
	"\"link_down_count\":3,\"fec_corrected_cw\":1813941434,"
	"\"fec_uncorrectable_cw\":0,\"fec_symbol_errors\":1828224420,"
	"\"fec_corrected_bits\":1937917884,"
	"\"fec_hist\":[16414272763412,1799770031,14060690,109849,858,6,0,0,0,"
	"0,0,0,0,0,0,0],\"dom_ts_ns\":1767225597000000000,\"temp_c\":48.2,"
	"\"vcc_v\":3.3,\"tx_dbm\":[1.1,0.9],\"tx_bias_ma\":[60.1,61],"
	"\"rx_dbm\":[-3,null],\"vdm_pre_fec_ber\":1.1e-7,"
	"\"in_octets\":69314777445817,\"pfc3_rx_frames\":1573,"
	"\"q3_watermark_bytes\":173942,\"q15_watermark_bytes\":7}";

static int sample_of(const char *line, struct trace_sample *ret)
{
	struct diag d;

	return trace_sample_read(line, strlen(line), ret, &d);
}

static void test_trace_sample_of_the_format_is_read_whole(void **state)
{
	struct trace_sample s;
	const struct inputs *k = &s.tick;

	(void)state;
	assert_int_equal(sample_of(example, &s), 0);
	assert_int_equal(s.ts_ns, 1767225600009149242);
	assert_string_equal(s.port, "Ethernet0");
	assert_string_equal(k->serial, "SNAC2E709E");
	assert_int_equal(k->value[INPUT_OPER], OPER_UP);
	assert_int_equal(k->value[INPUT_LINK_DOWN_COUNT], 3);
	assert_int_equal(k->value[INPUT_FEC_CORRECTED_BITS], 1937917884);
	assert_int_equal(k->value[INPUT_FEC_BIN], 16414272763412);
	assert_int_equal(k->value[INPUT_FEC_BIN + 5], 6);
	assert_true(s.has_dom_ts && s.dom_ts_ns == 1767225597000000000);
	assert_int_equal(k->value[INPUT_TEMP_MC], 48200);
	assert_int_equal(k->value[INPUT_VCC_UV], 3300000);
	assert_int_equal(k->value[INPUT_BIAS_UA + 1], 61000);
	assert_int_equal(k->value[INPUT_RX_PW + 0], 501187234);
	assert_int_equal(inputs_lanes(k, INPUT_RX_PW), 1);
	assert_int_equal(k->value[INPUT_VDM_BER_E18], 110000000000);
	assert_int_equal(k->value[INPUT_IN_OCTETS], 69314777445817);
	assert_int_equal(k->value[INPUT_PFC_RX + 3], 1573);
	assert_int_equal(k->value[INPUT_QUEUE_PEAK + 3], 173942);
	assert_int_equal(k->value[INPUT_QUEUE_PEAK + 15], 7);
	assert_false(inputs_has(k, INPUT_OUT_OCTETS));
}

static void test_trace_every_shorter_line_is_refused(void **state)
{
	struct trace_sample s;
	struct diag d;

	(void)state;
	for (size_t n = 0; n + 1 < sizeof(example); n++)
		assert_int_equal(trace_sample_read(example, n, &s, &d),
				 -EINVAL);
}

/* Cut, two of them could become one. */
static void test_trace_names_that_are_too_long_are_refused(void **state)
{
	static const char *const keys[] = { "port", "sensor" };
	struct trace_sample s;
	struct port_facts f;
	char line[128];
	struct diag d;

	(void)state;
	for (int octets = ENTITY_NAME_MAX - 1; octets <= ENTITY_NAME_MAX;
	     octets++) {
		int rc = octets < ENTITY_NAME_MAX ? 0 : -EINVAL, len = 0;

		for (size_t i = 0; i < 2; i++) {
			len = snprintf(line, sizeof(line),
				       "{\"ts_ns\":1,\"%s\":\"%0*d\"}",
				       keys[i], octets, 7);
			assert_int_equal(trace_sample_read(line, (size_t)len,
							   &s, &d), rc);
		}
		len = snprintf(line, sizeof(line), "{\"port\":\"%0*d\"}",
			       octets, 7);
		assert_int_equal(trace_port_read(line, (size_t)len, &f, &d),
				 rc);
	}
	assert_string_equal(d.text, "port has 64 octets; at most 63");
}

static void test_trace_null_and_missing_are_absent(void **state)
{
	struct trace_sample s;

	(void)state;
	assert_int_equal(sample_of("{\"ts_ns\":1,\"port\":\"E\",\"oper\":null,"
				   "\"fec_hist\":null,\"temp_c\":null,"
				   "\"rx_dbm\":null,\"vcc_v\":NaN}", &s), 0);
	for (int f = 0; f < INPUT_COUNT; f++)
		assert_false(inputs_has(&s.tick, (unsigned)f));
}

static void test_trace_unknown_keys_are_passed_over(void **state)
{
	struct trace_sample s;

	(void)state;
	assert_int_equal(sample_of("{\"a\":{\"b\":[1,{\"c\":[]}]},\"ts_ns\":5,"
				   "\"port\":\"E\",\"z\":\"\\\"}\"} ", &s), 0);
	assert_int_equal(s.ts_ns, 5);
}

static void test_trace_numbers_that_are_none_refuse_the_line(void **state)
{
	static const char *const bad[] = {
		"{\"ts_ns\":1,\"port\":\"E\",\"temp_c\":\"N/A\"}",
		"{\"ts_ns\":1,\"port\":\"E\",\"fec_corrected_bits\":1x}",
		"{\"ts_ns\":1,\"port\":\"E\",\"rx_dbm\":[1,\"a\"]}",
		"{\"ts_ns\":1,\"port\":\"E\",\"rx_dbm\":[1,2,3,4,5,6,7,8,9]}",
		"{\"ts_ns\":1,\"port\":\"E\",\"fec_hist\":3}",
		"{\"ts_ns\":1,\"port\":7}",
		"{\"ts_ns\":1}", "{\"port\":\"E\"}", "[]", "",
		"{\"ts_ns\":1,\"port\":\"E\"}{}",
		"{\"ts_ns\":1,\"port\":\"E\",}",
		"{\"a\":[[[[[[[[[[1]]]]]]]]]],\"ts_ns\":1,\"port\":\"E\"}",
	};
	struct trace_sample s;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (sample_of(bad[i], &s) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
}

static void test_trace_counters_keep_64_bits_and_absent_ones(void **state)
{
	struct trace_sample s;

	(void)state;
	assert_int_equal(sample_of("{\"ts_ns\":1,\"port\":\"E\","
				   "\"in_octets\":18446744073709551614,"
				   "\"out_octets\":18446744073709551615,"
				   "\"in_pkts\":-1,\"out_pkts\":1e3}", &s), 0);
	assert_true((uint64_t)s.tick.value[INPUT_IN_OCTETS] == UINT64_MAX - 1);
	assert_false(inputs_has(&s.tick, INPUT_OUT_OCTETS));
	assert_false(inputs_has(&s.tick, INPUT_IN_FRAMES));
	assert_int_equal(s.tick.value[INPUT_OUT_FRAMES], 1000);
}

/* Why, in words that are true of the line. */
static void test_trace_says_what_is_wrong_with_a_line(void **state)
{
	static const struct { const char *line, *said; } rows[] = {
		{ "{\"ts_ns\":1,\"port\":\"E\"",
		  "expected a JSON object on a line: it is cut after octet "
		  "21" },
		{ "{\"a\":[[[[[[[[[[1]]]]]]]]]],\"ts_ns\":1}",
		  "expected a JSON object on a line: more than 8 levels" },
		{ "{\"ts_ns\":1,\"port\":\"E\",}",
		  "expected a JSON object on a line: valid up to octet 22 of "
		  "23" },
		{ "{\"ts_ns\":-5,\"port\":\"E\"}",
		  "no ts_ns; expected the time in ns since 1970" },
		{ "{\"ts_ns\":4611686018427387904,\"port\":\"E\"}",
		  "ts_ns is 4611686018427387904; expected the time in ns "
		  "since 1970" },
		{ "{\"ts_ns\":1,\"port\":\"E\",\"oper\":2}",
		  "oper is '2'; expected 1 (up) or 0 (down)" },
	};
	struct trace_sample s;
	struct diag d;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(trace_sample_read(rows[i].line,
						   strlen(rows[i].line), &s,
						   &d), -EINVAL);
		assert_string_equal(d.text, rows[i].said);
	}
}

/* json-c ends there, and what follows would not be seen. */
static void test_trace_line_with_a_nul_octet_is_refused(void **state)
{
	static const char line[] = "{\"ts_ns\":1,\"port\":\"E\"}\0{}";
	struct trace_sample s;
	struct diag d;

	(void)state;
	assert_int_equal(trace_sample_read(line, sizeof(line) - 1, &s, &d),
			 -EINVAL);
	assert_string_equal(d.text, "octet 23 of the line is NUL");
}

static void test_trace_errors_of_the_histogram_alone(void **state)
{
	static const char head[] = "{\"ts_ns\":1,\"port\":\"E\",";
	struct trace_sample s;
	char line[128];

	(void)state;
	(void)snprintf(line, sizeof(line), "%s\"fec_hist\":[900,7,null,2]}",
		       head);
	assert_int_equal(sample_of(line, &s), 0);
	assert_int_equal(s.tick.value[INPUT_FEC_SYMBOL_ERRORS], 7 + 3 * 2);
	(void)snprintf(line, sizeof(line), "%s\"fec_hist\":[900,7,2],"
		       "\"fec_corrected_bits\":12}", head);
	assert_int_equal(sample_of(line, &s), 0);
	assert_false(inputs_has(&s.tick, INPUT_FEC_SYMBOL_ERRORS));
	(void)snprintf(line, sizeof(line), "%s\"fec_hist\":[900,7,"
		       "9223372036854775807]}", head);
	assert_int_equal(sample_of(line, &s), 0);
	assert_false(inputs_has(&s.tick, INPUT_FEC_SYMBOL_ERRORS));
}

static void test_trace_events_of_port_and_switch(void **state)
{
	struct trace_sample s;

	(void)state;
	assert_int_equal(sample_of("{\"ts_ns\":1,\"event\":\"module_swapped\","
				   "\"port\":\"E\"}", &s), 0);
	assert_true(s.is_event && s.event == ENGINE_MODULE_SWAPPED);
	assert_int_equal(sample_of("{\"ts_ns\":1,\"event\":\"reload\"}", &s),
			 0);
	assert_true(s.is_event && s.event == ENGINE_RELOAD && !s.port[0]);
	assert_int_equal(sample_of("{\"ts_ns\":1,\"event\":\"moon\"}", &s), 0);
	assert_int_equal(s.event, ENGINE_EVENT_COUNT);
}

static void test_trace_sensor_of_the_switch(void **state)
{
	struct trace_sample s;

	(void)state;
	assert_int_equal(sample_of("{\"ts_ns\":1,\"sensor\":\"fan3\","
				   "\"kind\":\"fan\",\"value\":4200.5,"
				   "\"low\":3000,\"high\":null,\"ok\":0,"
				   "\"zone\":\"front\"}", &s), 0);
	assert_string_equal(s.sensor.name, "fan3");
	assert_string_equal(s.sensor.zone, "front");
	assert_int_equal(s.sensor.kind, SENSOR_FAN);
	assert_true(s.shown.value > 4200.4 && s.shown.value < 4200.6);
	assert_true(s.shown.low > 2999 && s.shown.low < 3001);
	assert_true(s.shown.high != s.shown.high);	/* not known */
	assert_true(s.shown.failed);
	assert_false(s.shown.absent);
	assert_int_equal(sample_of("{\"ts_ns\":1,\"sensor\":\"fan3\","
				   "\"kind\":\"moon\",\"present\":0}", &s), 0);
	assert_int_equal(s.sensor.kind, SENSOR_KIND_COUNT);
	assert_true(s.shown.absent);
	assert_int_equal(sample_of("{\"ts_ns\":1,\"sensor\":\"fan3\","
				   "\"value\":\"quick\"}", &s), -EINVAL);
	assert_int_equal(sample_of("{\"ts_ns\":1,\"sensor\":\"fan3\","
				   "\"kind\":\"psu\",\"ok\":1}", &s), 0);
	assert_false(s.shown.failed);
}

static void test_trace_down_reason_by_word_and_number(void **state)
{
	struct trace_sample s;

	(void)state;
	assert_int_equal(sample_of("{\"ts_ns\":1,\"port\":\"E\","
				   "\"down_reason\":\"rx_los\"}", &s), 0);
	assert_int_equal(s.tick.value[INPUT_DOWN_REASON], DOWN_RX_LOS);
	assert_int_equal(sample_of("{\"ts_ns\":1,\"port\":\"E\","
				   "\"down_reason\":17}", &s), 0);
	assert_int_equal(s.tick.value[INPUT_DOWN_REASON], 17);
	assert_int_equal(sample_of("{\"ts_ns\":1,\"port\":\"E\","
				   "\"down_reason\":\"gremlins\"}", &s), 0);
	assert_false(inputs_has(&s.tick, INPUT_DOWN_REASON));
}

static int port_of(const char *line, struct port_facts *ret, struct diag *d)
{
	return trace_port_read(line, strlen(line), ret, d);
}

static void test_trace_port_is_read_whole(void **state)
{
	struct port_facts f;
	struct diag d;

	(void)state;
	assert_int_equal(port_of(
		"{\"port\":\"Ethernet0\",\"media\":\"DR4\",\"lanes\":4,"
		"\"speed_gbps\":400,\"fec\":\"rs544\",\"group\":\"core0\","
		"\"q_buffer_bytes\":24000000,\"optical\":true,"
		"\"counter_bits\":32,\"thresholds\":{\"temp_high_alarm\":75.0,"
		"\"rx_low_alarm\":-10,\"bias_low_warn\":15.0},"
		"\"role\":\"uplink\","
		"\"peer\":{\"switch\":\"leaf2\",\"port\":\"Ethernet4\"}}",
		&f, &d), 0);
	assert_string_equal(f.name, "Ethernet0");
	assert_int_equal(f.lanes, 4);
	assert_int_equal(f.speed_mbps, 400000);
	assert_int_equal(f.fec, FEC_RS544);
	assert_true(f.optical && f.media_known);
	assert_int_equal(f.counter_bits, 32);
	assert_true(f.thresholds.known);
	assert_int_equal(f.thresholds.temp_mc[HIGH_ALARM], 75000);
	assert_int_equal(f.thresholds.rx_pw[LOW_ALARM], 100000000);
	assert_int_equal(f.thresholds.bias_ua[LOW_WARN], 15000);
	assert_int_equal(f.peer, PEER_SWITCH);
	assert_string_equal(f.peer_switch, "leaf2");
	assert_string_equal(f.peer_port, "Ethernet4");
	assert_int_equal(f.queue_buffer_octets, 24000000);
}

static void test_trace_port_of_copper_by_its_media(void **state)
{
	struct port_facts f;
	struct diag d;

	(void)state;
	assert_int_equal(port_of("{\"port\":\"E\",\"media\":\"DAC\","
				 "\"thresholds\":null}", &f, &d), 0);
	assert_true(f.media_known && !f.optical && !f.thresholds.known);
	assert_int_equal(f.peer, PEER_UNKNOWN);
}

static void test_trace_media_that_are_copper(void **state)
{
	static const struct { const char *media; bool optical; } rows[] = {
		{ "400GBASE-CR4", false }, { "CR", false }, { "ACC", false },
		{ "100G-KR4", false }, { "DAC25", false },
		{ "passive copper", false }, { "10GBASE-T", false },
		{ "DR4", true }, { "400GBASE-DR4", true }, { "AOC", true },
		{ "100G-CRAB", true }, { "1.6T DR8", true }, { "TR4", true },
		{ "T-FR4", true }, { "unknown", true },
	};
	struct port_facts f;
	struct diag d;
	char line[80];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		(void)snprintf(line, sizeof(line),
			       "{\"port\":\"E\",\"media\":\"%s\"}",
			       rows[i].media);
		assert_int_equal(port_of(line, &f, &d), 0);
		if (f.optical != rows[i].optical)
			fail_msg("%s", rows[i].media);
	}
}

static void test_trace_port_with_numbers_for_names(void **state)
{
	struct port_facts f;
	struct diag d;

	(void)state;
	assert_int_equal(port_of("{\"port\":\"E\",\"group\":2,\"cage\":17,"
				 "\"zone\":[]}", &f, &d), 0);
	assert_string_equal(f.group, "2");
	assert_string_equal(f.cage, "17");
	assert_string_equal(f.zone, "");
	assert_int_equal(f.lanes, 0);
	assert_int_equal(f.fec, FEC_AUTO);
}

static void test_trace_port_refuses_what_is_wrong(void **state)
{
	struct port_facts f;
	struct diag d;

	(void)state;
	assert_int_equal(port_of("{\"port\":\"E\",\"fec\":\"magic\"}", &f, &d),
			 -EINVAL);
	assert_non_null(strstr(d.text, "magic"));
	assert_int_equal(port_of("{\"media\":\"DR4\"}", &f, &d), -EINVAL);
	assert_int_equal(port_of("{\"port\":\"E\",\"lanes\":99}", &f, &d),
			 -EINVAL);
	assert_int_equal(port_of("{\"port\":\"E\",\"lanes\":4", &f, &d),
			 -EINVAL);
	assert_int_equal(port_of("{\"port\":\"E\",\"speed_gbps\":-4}", &f,
				 &d), -EINVAL);
	assert_string_equal(d.text, "speed_gbps is '-4'; expected 0 to "
			    "100000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trace_sample_of_the_format_is_read_whole),
		cmocka_unit_test(test_trace_every_shorter_line_is_refused),
		cmocka_unit_test(
			test_trace_names_that_are_too_long_are_refused),
		cmocka_unit_test(test_trace_null_and_missing_are_absent),
		cmocka_unit_test(test_trace_unknown_keys_are_passed_over),
		cmocka_unit_test(
		test_trace_numbers_that_are_none_refuse_the_line),
		cmocka_unit_test(
		test_trace_counters_keep_64_bits_and_absent_ones),
		cmocka_unit_test(test_trace_says_what_is_wrong_with_a_line),
		cmocka_unit_test(test_trace_line_with_a_nul_octet_is_refused),
		cmocka_unit_test(test_trace_errors_of_the_histogram_alone),
		cmocka_unit_test(test_trace_events_of_port_and_switch),
		cmocka_unit_test(test_trace_sensor_of_the_switch),
		cmocka_unit_test(test_trace_down_reason_by_word_and_number),
		cmocka_unit_test(test_trace_port_is_read_whole),
		cmocka_unit_test(test_trace_port_of_copper_by_its_media),
		cmocka_unit_test(test_trace_media_that_are_copper),
		cmocka_unit_test(test_trace_port_with_numbers_for_names),
		cmocka_unit_test(test_trace_port_refuses_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
