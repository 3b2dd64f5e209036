/* Whether certificates can be used now. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/http/certificate.h"

/* openssl req -x509 -new -key KEY -days 2 -subj /CN=x, of this time: */
#define FROM_S INT64_C(1795906122)
#define TO_S INT64_C(1796078922)

static const char pem[] =
	"-----BEGIN CERTIFICATE-----\n"
	"MIIBbDCCAROgAwIBAgIUJCKYg49wKT/NaYZ5YbyJW/va2zEwCgYIKoZIzj0EAwIw\n"
	"DDEKMAgGA1UEAwwBeDAeFw0yNjExMjgyMjQ4NDJaFw0yNjExMzAyMjQ4NDJaMAwx\n"
	"CjAIBgNVBAMMAXgwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATRD1IzYy/ZB4tM\n"
	"4dEr5z/wTpjK6Y9cH5ZE6IDDQgY/6C5T4VpEj2tuumJfELN9LEeMVFjG1ZkBVoni\n"
	"Zvb+/IMQo1MwUTAdBgNVHQ4EFgQUfuFhK32avZhhJ4PHAgWCoXasg60wHwYDVR0j\n"
	"BBgwFoAUfuFhK32avZhhJ4PHAgWCoXasg60wDwYDVR0TAQH/BAUwAwEB/zAKBggq\n"
	"hkjOPQQDAgNHADBEAiAD0tTKiY6bFze/xeQWv1vbxBzqf+rREdI2rjIFPK2v6gIg\n"
	"Eda5he7HMQbcqW4nvpjWn0Jwu+5gxcbRLQF6Ay5aics=\n"
	"-----END CERTIFICATE-----\n";

static struct wall at(int64_t s)
{
	return (struct wall){ s * NS_PER_S };
}

static void test_certificate_is_valid_from_its_first_second_to_its_last(
	void **state)
{
	struct diag d = { "" };

	(void)state;
	assert_int_equal(certificate_check(pem, at(FROM_S), &d), 0);
	assert_int_equal(certificate_check(pem, at(TO_S), &d), 0);
	assert_int_equal(certificates_check(pem, at(TO_S), &d), 0);
	assert_true(certificate_check(pem, at(FROM_S - 1), &d) < 0);
	assert_non_null(strstr(d.text, "is valid from 2026-11-28 on"));
	assert_true(certificate_check(pem, at(TO_S + 1), &d) < 0);
	assert_non_null(strstr(d.text, "expired on 2026-11-30"));
	assert_true(certificates_check(pem, at(TO_S + 1), &d) < 0);
	assert_non_null(strstr(d.text, "expired on 2026-11-30"));
}

static void test_certificate_that_is_none_is_told(void **state)
{
	char text[sizeof(pem)];
	struct diag d = { "" };

	(void)state;
	assert_true(certificate_check("", at(FROM_S), &d) < 0);
	assert_non_null(strstr(d.text, "no certificate in it"));
	assert_true(certificates_check("hello", at(FROM_S), &d) < 0);
	assert_non_null(strstr(d.text, "no certificate in it"));
	for (size_t len = 0; len < sizeof(pem) - 30; len += 41) {
		memcpy(text, pem, len);
		text[len] = '\0';
		assert_true(certificate_check(text, at(FROM_S), &d) < 0);
		assert_true(certificates_check(text, at(FROM_S), &d) < 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		test_certificate_is_valid_from_its_first_second_to_its_last),
		cmocka_unit_test(test_certificate_that_is_none_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
