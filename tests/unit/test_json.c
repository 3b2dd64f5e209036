#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/record/json.h"

static const struct finding full = {
	.id = "abcdefghijkl", .signature = SIGNATURE_FEC_TREND,
	.severity = SEVERITY_WARN, .state = FINDING_RAISED,
	.end = END_NEAR, .action = ACTION_RESEAT_NEAR,
	.drain = DRAIN_ADVISE, .subject = "Ethernet8", .lanes = 0x5,
	.confidence = 0.75f, .cause = "a \"quoted\" cause",
	.when_wall = { 1767225600009149242 },
	.onset_wall = { 1767225600000000000 },
	.cliff = { true, 60, 120, 240 },
	.evidence_count = 1, .evidence = { { "rx_drop_db", 1.25 } },
	.change_count = 1, .change = { "link fell 3 s before" },
};

#define OLD_MEMBERS \
	"{\"ts_ns\":1767225600009149242,\"port\":\"Ethernet8\"," \
	"\"signature\":\"fec_trend\",\"severity\":\"warn\"," \
	"\"state\":\"raised\",\"id\":\"abcdefghijkl\"," \
	"\"lanes\":[1,3],\"cause\":\"a \\\"quoted\\\" cause\"," \
	"\"confidence\":0.75,\"end\":\"near\"," \
	"\"action\":\"reseat_near\"," \
	"\"cliff_s\":{\"low\":60,\"mid\":120,\"high\":240}," \
	"\"evidence\":{\"rx_drop_db\":1.25},\"drain\":\"advise\"," \
	"\"onset_ns\":1767225600000000000," \
	"\"onset_ns_str\":\"1767225600000000000\"," \
	"\"action_words\":\"reseat the module of this port\"," \
	"\"changes\":[\"link fell 3 s before\"]," \
	"\"ts_ns_str\":\"1767225600009149242\","

/* DESIGN 5.2: lines grow, and what was there stays as it was. */
static void test_json_finding_has_the_designs_fields(void **state)
{
	struct json_object *o = finding_json(&full);

	(void)state;
	assert_string_equal(
		json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
		OLD_MEMBERS "\"subject\":\"Ethernet8\",\"ports\":[],"
		"\"port_count\":0,\"actions\":[]}");
	json_object_put(o);
}

/* Of a group: "port" is its first port; all that came later, in its order. */
static void test_json_finding_grows_at_its_end(void **state)
{
	struct finding f = full;
	struct json_object *o, *port;

	(void)state;
	(void)strcpy(f.subject, "core0");
	(void)strcpy(f.into, "bcdefghijklm");
	f.kind = SUBJECT_GROUP;
	f.cause_id = CAUSE_BAD_CONTACT;
	finding_port_add(&f, "Ethernet8");
	finding_port_add(&f, "Ethernet0");
	f.port_count = 3;
	finding_actions(&f, CONNECTOR_FIBRE);
	o = finding_json(&f);
	assert_string_equal(
		json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
		OLD_MEMBERS "\"subject\":\"core0\",\"subject_kind\":\"group\","
		"\"ports\":[\"Ethernet8\",\"Ethernet0\"],\"port_count\":3,"
		"\"cause_id\":\"bad_contact\","
		"\"actions\":[\"reseat_near\",\"replace_near\"],"
		"\"into\":\"bcdefghijklm\"}");
	json_object_put(o);
	f.ports_kept = f.port_count = 0;	/* it hit none */
	o = finding_json(&f);
	assert_true(json_object_object_get_ex(o, "port", &port));
	assert_string_equal(json_object_get_string(port), "core0");
	json_object_put(o);
}

static void test_c03_an_integer_has_a_twin_from_2_53_on(void **state)
{
	struct json_object *o = json_object_new_object();

	(void)state;
	assert_true(json_add_integer(o, "a", (INT64_C(1) << 53) - 1));
	assert_true(json_add_integer(o, "b", INT64_C(1) << 53));
	assert_true(json_add_integer(o, "c", INT64_MIN));
	assert_true(json_add_unsigned(o, "d", UINT64_MAX));
	assert_true(json_add_unsigned(o, "e", 7));
	assert_string_equal(
		json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
		"{\"a\":9007199254740991,"
		"\"b\":9007199254740992,\"b_str\":\"9007199254740992\","
		"\"c\":-9223372036854775808,"
		"\"c_str\":\"-9223372036854775808\","
		"\"d\":18446744073709551615,"
		"\"d_str\":\"18446744073709551615\",\"e\":7}");
	json_object_put(o);
}

static void test_json_no_cliff_is_null(void **state)
{
	struct finding f = full;
	struct json_object *o, *cliff;

	(void)state;
	f.cliff.foreseeable = false;
	o = finding_json(&f);
	assert_true(json_object_object_get_ex(o, "cliff_s", &cliff));
	assert_null(cliff);
	json_object_put(o);
}

static void test_json_no_upper_bound_is_null(void **state)
{
	struct finding f = full;
	struct json_object *o, *cliff, *high;

	(void)state;
	f.cliff.high_s = FINDING_NO_UPPER_BOUND;
	o = finding_json(&f);
	assert_true(json_object_object_get_ex(o, "cliff_s", &cliff));
	assert_true(json_object_object_get_ex(cliff, "high", &high));
	assert_null(high);
	json_object_put(o);
}

static void test_json_line_is_one_line_and_tells_a_full_disk(void **state)
{
	struct json_object *o = finding_json(&full);
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	FILE *fullp = fopen("/dev/full", "w");

	(void)state;
	assert_int_equal(json_line(out, o), 0);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(text[len - 1], '\n');
	assert_ptr_equal(strchr(text, '\n'), text + len - 1);
	assert_int_equal(setvbuf(fullp, NULL, _IONBF, 0), 0);
	assert_true(json_line(fullp, o) < 0);
	(void)fclose(fullp);
	free(text);
	json_object_put(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_finding_has_the_designs_fields),
		cmocka_unit_test(test_json_finding_grows_at_its_end),
		cmocka_unit_test(test_c03_an_integer_has_a_twin_from_2_53_on),
		cmocka_unit_test(test_json_no_cliff_is_null),
		cmocka_unit_test(test_json_no_upper_bound_is_null),
		cmocka_unit_test(
		test_json_line_is_one_line_and_tells_a_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
