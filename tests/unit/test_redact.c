#include "agent/ctl/redact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* What is left of a text; the caller frees it. */
static char *redacted(struct redact *r, const char *text)
{
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	assert_int_equal(redact_text(r, text, strlen(text), f), 0);
	assert_int_equal(fclose(f), 0);
	return out;
}

static void assert_becomes(const char *text, const char *wanted)
{
	struct redact *r;
	char *out;

	assert_int_equal(redact_new(false, &r), 0);
	out = redacted(r, text);
	assert_string_equal(out, wanted);
	free(out);
	redact_free(r);
}

static void test_redact_takes_passwords_however_they_are_written(void **state)
{
	static const char *const cases[][2] = {
		{ "password = s3cret word\nname = leaf1\n",
		  "password = <redacted>\nname = leaf1\n" },
		{ "snmp_Password:s3cret", "snmp_Password:<redacted>" },
		{ "{\"auth_token\":\"s3c\\\"ret\",\"port\":1}",
		  "{\"auth_token\":\"<redacted>\",\"port\":1}" },
		{ "{\"passkey\": \"s3cret\"}",
		  "{\"passkey\": \"<redacted>\"}" },
		{ "{\"secret\":12345,\"port\":1}",
		  "{\"secret\":<redacted>,\"port\":1}" },
		{ "{\"to\":\"{\\\"psk\\\": \\\"s3cret\\\"}\"}",
		  "{\"to\":\"{\\\"psk\\\": \\\"<redacted>\\\"}\"}" },
		{ "user x password 7 0822455D0A16",
		  "user x password <redacted>" },
		{ "private_key = 'ab cd'", "private_key = '<redacted>'" },
		{ "api-key", "api-key" },
		{ "password =", "password =" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_becomes(cases[i][0], cases[i][1]);
}

static void test_redact_takes_snmp_communities(void **state)
{
	(void)state;
	assert_becomes("snmp-server community s3cret RO",
		       "snmp-server community <redacted>");
	assert_becomes("SNMP_COMMUNITY|s3cret TYPE",
		       "SNMP_COMMUNITY|<redacted> TYPE");
	assert_becomes("{\"SNMP_COMMUNITY\":{\"s3cret\":{\"TYPE\":\"RO\"}},"
		       "\"x\":1}",
		       "{\"SNMP_COMMUNITY\":<redacted>},\"x\":1}");
	assert_becomes("rocommunity: s3cret", "rocommunity: <redacted>");
}

static void test_redact_takes_what_a_url_or_a_header_carries(void **state)
{
	(void)state;
	assert_becomes("url = https://joe:s3cret@host/x?y",
		       "url = https://<redacted>@host/x?y");
	assert_becomes("url = https://joe:s3@cret@host/x@y",
		       "url = https://<redacted>@host/x@y");
	assert_becomes("url = tcp://host:4717/a@b", "url = tcp://host:4717/a@b");
	assert_becomes("\"Authorization: Bearer s3cret\"",
		       "\"Authorization:<redacted>\"");
	assert_becomes("admin:$6$salt$s3crethash:19000:",
		       "admin:<redacted>:19000:");
	assert_becomes("costs $5 or $6 each", "costs $5 or $6 each");
}

static void test_redact_takes_a_key_with_all_its_lines(void **state)
{
	struct redact *r;
	char *out;

	(void)state;
	assert_becomes("before\n-----BEGIN OPENSSH PRIVATE KEY-----\nczNjcmV0\n"
		       "czNjcmV0\n-----END OPENSSH PRIVATE KEY-----\nbehind\n",
		       "before\n<redacted>\n\n\n\nbehind\n");
	assert_becomes("{\"k\":\"-----BEGIN PRIVATE KEY-----\\nczNj\\n-----END "
		       "PRIVATE KEY-----\"}",
		       "{\"k\":\"<redacted>-----END PRIVATE KEY-----\"}");
	assert_becomes("-----BEGIN CERTIFICATE-----\nMIIB\n",
		       "-----BEGIN CERTIFICATE-----\nMIIB\n");
	/* a key without an end does not reach into the next file */
	assert_int_equal(redact_new(false, &r), 0);
	free(redacted(r, "-----BEGIN RSA PRIVATE KEY-----\nczNj\n"));
	out = redacted(r, "name = leaf1\n");
	assert_string_equal(out, "name = leaf1\n");
	free(out);
	assert_int_equal(redact_secrets(r), 1);
	redact_free(r);
}

static void test_redact_leaves_what_is_no_secret(void **state)
{
	static const char *const texts[] = {
		"{\"port\":\"Ethernet0\",\"rx_dbm\":-1.5}\n",
		"[Push]\ncollector = tcp://192.0.2.1:4717\n",
		"Public-Key: x\n", "", "\n\n", "no end of the last line",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_becomes(texts[i], texts[i]);
}

static void test_anonymise_calls_the_same_by_the_same_word(void **state)
{
	struct redact *r;
	char *out;

	(void)state;
	assert_int_equal(redact_new(true, &r), 0);
	redact_name(r, "leaf1");
	redact_name(r, "leaf1-mgmt");
	redact_name(r, "x");
	out = redacted(r, "leaf1 leaf10 Leaf1: x leaf1-mgmt myleaf1\n"
		       "192.0.2.1:80 [2001:db8::1]:4717 192.0.2.1, 127.0.0.1 "
		       "00:11:22:33:44:55 12:34:56 1.2.3 ::1 fe80::1.\n"
		       "\"host\":\"leaf1\"");
	assert_string_equal(out,
		"host-1 leaf10 host-1: x host-2 myleaf1\n"
		"address-1:80 [address-2]:4717 address-1, 127.0.0.1 "
		"address-3 12:34:56 1.2.3 ::1 address-4.\n"
		"\"host\":\"host-1\"");
	assert_int_equal(redact_names(r), 6);
	free(out);
	redact_free(r);
}

static void test_names_stay_without_anonymise(void **state)
{
	struct redact *r;
	char *out;

	(void)state;
	assert_int_equal(redact_new(false, &r), 0);
	redact_name(r, "leaf1");
	out = redacted(r, "leaf1 192.0.2.1");
	assert_string_equal(out, "leaf1 192.0.2.1");
	assert_int_equal(redact_names(r), 0);
	free(out);
	redact_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_redact_takes_passwords_however_they_are_written),
		cmocka_unit_test(test_redact_takes_snmp_communities),
		cmocka_unit_test(
			test_redact_takes_what_a_url_or_a_header_carries),
		cmocka_unit_test(test_redact_takes_a_key_with_all_its_lines),
		cmocka_unit_test(test_redact_leaves_what_is_no_secret),
		cmocka_unit_test(
			test_anonymise_calls_the_same_by_the_same_word),
		cmocka_unit_test(test_names_stay_without_anonymise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
