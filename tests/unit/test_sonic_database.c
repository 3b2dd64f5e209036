#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "platform/sonic/switchdb/database.h"

static const char two_instances[] =
	"{\"INSTANCES\": {"
	" \"redis\": {\"unix_socket_path\": \"/var/run/redis/redis.sock\"},"
	" \"redis4\": {\"unix_socket_path\": \"/var/run/redis/redis4.sock\","
	"              \"password_path\": \"/run/redis/auth/passwd\"}},"
	"\"DATABASES\": {"
	" \"APPL_DB\": {\"id\": 0, \"separator\": \":\","
	"              \"instance\": \"redis\"},"
	" \"STATE_DB\": {\"id\": 66, \"separator\": \"|\","
	"               \"instance\": \"redis4\"}}}";

static int parse(const char *text, struct databases *ret, struct diag *d)
{
	return databases_parse(text, strlen(text), ret, d);
}

static void test_databases_follow_the_file(void **state)
{
	struct databases d;

	(void)state;
	assert_int_equal(parse(two_instances, &d, NULL), 0);
	assert_true(d.of[DATABASE_APPL].known);
	assert_int_equal(d.of[DATABASE_STATE].id, 66);
	assert_int_equal(d.of[DATABASE_STATE].separator, '|');
	assert_string_equal(d.of[DATABASE_STATE].socket,
			    "/var/run/redis/redis4.sock");
	assert_string_equal(d.of[DATABASE_STATE].password,
			    "/run/redis/auth/passwd");
	assert_string_equal(d.of[DATABASE_APPL].password, "");
	assert_false(d.of[DATABASE_COUNTERS].known);
}

static void test_databases_refuse_each_wrong_member_by_name(void **state)
{
	static const struct {
		const char *from, *to, *word;
	} changes[] = {
		{ "\"id\": 66", "\"id\": -1", "STATE_DB has no id" },
		{ "\"id\": 66", "\"id\": \"6\"", "STATE_DB has no id" },
		{ "\"|\"", "\"\"", "separator" },
		{ "\"|\"", "\"||\"", "separator" },
		{ "\"instance\": \"redis4\"", "\"instance\": \"gone\"",
		  "'gone'" },
		{ "\"instance\": \"redis4\"", "\"instance\": 4",
		  "no instance" },
		{ "/var/run/redis/redis4.sock", "redis4.sock", "absolute" },
		{ "\"DATABASES\"", "\"DATABASE\"", "DATABASES" },
		{ "{\"INSTANCES\"", "[\"INSTANCES\"", "not JSON" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const char *at = strstr(two_instances, changes[i].from);
		char text[1024] = "";
		struct databases d = { 0 };
		struct diag why = { "" };

		assert_non_null(at);
		memcpy(text, two_instances, (size_t)(at - two_instances));
		strcat(text, changes[i].to);
		strcat(text, at + strlen(changes[i].from));
		assert_int_equal(parse(text, &d, &why), -EINVAL);
		if (!strstr(why.text, changes[i].word))
			fail_msg("'%s' does not say '%s'", why.text,
				 changes[i].word);
		assert_false(d.of[DATABASE_APPL].known);	/* untouched */
	}
}

static void test_databases_refuse_every_shorter_text(void **state)
{
	struct databases d;

	(void)state;
	for (size_t len = 0; len + 1 < sizeof(two_instances) - 1; len++)
		assert_int_equal(databases_parse(two_instances, len, &d, NULL),
				 -EINVAL);
}

static void test_databases_have_sonics_ids_where_there_is_no_file(void **state)
{
	struct databases d;

	(void)state;
	assert_int_equal(databases_read(-1, "/nowhere", &d, NULL) < 0, 1);
	databases_default(DATABASE_SOCKET_DEFAULT, &d);
	assert_int_equal(d.of[DATABASE_COUNTERS].id, 2);
	assert_int_equal(d.of[DATABASE_FLEX_COUNTER].id, 5);
	assert_int_equal(d.of[DATABASE_CONFIG].separator, '|');
	databases_override(&d, "/tmp/other.sock");
	assert_string_equal(d.of[DATABASE_STATE].socket, "/tmp/other.sock");
	assert_int_equal(d.of[DATABASE_STATE].id, 6);
}

/* A line card names the chassis' server by host and port; a switch that is no
 * chassis does not name it at all.
 */
static void test_databases_know_the_chassis_only_where_it_has_a_socket(
	void **state)
{
	static const char text[] =
		"{\"INSTANCES\": {\"redis_chassis\": {"
		" \"hostname\": \"redis_chassis.server\", \"port\": 6380,"
		" \"unix_socket_path\": \"%s\"}},"
		"\"DATABASES\": {\"CHASSIS_STATE_DB\": {\"id\": 13,"
		" \"separator\": \"|\", \"instance\": \"redis_chassis\"}}}";
	char whole[sizeof(text) + 40];
	struct databases d;

	(void)state;
	(void)snprintf(whole, sizeof(whole), text, "/var/run/chassis.sock");
	assert_int_equal(parse(whole, &d, NULL), 0);
	assert_true(d.of[DATABASE_CHASSIS_STATE].known);
	assert_string_equal(d.of[DATABASE_CHASSIS_STATE].socket,
			    "/var/run/chassis.sock");
	(void)snprintf(whole, sizeof(whole), text, "");
	assert_int_equal(parse(whole, &d, NULL), 0);
	assert_false(d.of[DATABASE_CHASSIS_STATE].known);
	databases_default(DATABASE_SOCKET_DEFAULT, &d);
	assert_false(d.of[DATABASE_CHASSIS_STATE].known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_databases_follow_the_file),
		cmocka_unit_test(
			test_databases_refuse_each_wrong_member_by_name),
		cmocka_unit_test(test_databases_refuse_every_shorter_text),
		cmocka_unit_test(
			test_databases_have_sonics_ids_where_there_is_no_file),
		cmocka_unit_test(
		test_databases_know_the_chassis_only_where_it_has_a_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
