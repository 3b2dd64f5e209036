#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "platform/sonic/switchdb/database.h"

#define FILE_PATH "/var/run/redis/sonic-db/database_global.json"

static int parse(const char *json, struct database_global *ret, struct diag *d)
{
	return database_global_parse(json, strlen(json), FILE_PATH, ret, d);
}

static void test_namespaces_are_found_beside_the_file(void **state)
{
	struct database_global n;
	struct diag d = { "" };

	(void)state;
	assert_int_equal(parse("{\"INCLUDES\": ["
		"{\"include\": \"database_config.json\"},"
		"{\"namespace\": \"asic0\", \"include\": "
		"\"../../redis0/sonic-db/database_config.json\"},"
		"{\"container_name\": \"dpu0\", \"include\": \"x\"},"
		"{\"namespace\": \"asic1\", \"include\": \"/etc/a.json\"}"
		"], \"VERSION\": \"1.0\"}", &n, &d), 0);
	assert_int_equal(n.count, 2);
	assert_string_equal(n.of[0].name, "asic0");
	assert_string_equal(n.of[0].config, "/var/run/redis/sonic-db/"
			    "../../redis0/sonic-db/database_config.json");
	assert_string_equal(n.of[1].name, "asic1");
	assert_string_equal(n.of[1].config, "/etc/a.json");
}

static void test_namespaces_refuse_what_is_wrong_with_a_reason(void **state)
{
	static const struct {
		const char *json, *word;
	} bad[] = {
		{ "", "not JSON: it ends too early" },
		{ "[]", "INCLUDES" },
		{ "{\"INCLUDES\": {}}", "INCLUDES" },
		{ "{\"INCLUDES\": [{\"namespace\": \"asic7\"}]}", "asic7" },
		{ "{\"INCLUDES\": [{\"namespace\": \"asic0\", \"include\": "
		  "\"a\"}, {\"namespace\": \"asic0\", \"include\": \"b\"}]}",
		  "twice" },
		{ "{\"INCLUDES\": [{\"namespace\": \"asic-of-a-name-that-is-far-"
		  "too-long\", \"include\": \"a\"}]}",
		  "too long" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct database_global n = { .count = 77 };
		struct diag d = { "" };

		assert_int_equal(parse(bad[i].json, &n, &d), -EINVAL);
		if (!strstr(d.text, bad[i].word))
			fail_msg("'%s' lacks '%s'", d.text, bad[i].word);
		assert_int_equal(n.count, 77);
	}
}

static void test_namespaces_are_bounded(void **state)
{
	struct database_global n;
	struct diag d = { "" };
	char json[4096] = "{\"INCLUDES\": [";

	(void)state;
	for (int i = 0; i <= DATABASE_GLOBAL_MAX; i++) {
		char one[80];

		(void)snprintf(one, sizeof(one), "%s{\"namespace\": \"asic%d\","
			       "\"include\": \"a\"}", i ? "," : "", i);
		strcat(json, one);
	}
	strcat(json, "]}");
	assert_int_equal(parse(json, &n, &d), -EINVAL);
	assert_non_null(strstr(d.text, "more than 16"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_namespaces_are_found_beside_the_file),
		cmocka_unit_test(
			test_namespaces_refuse_what_is_wrong_with_a_reason),
		cmocka_unit_test(test_namespaces_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
