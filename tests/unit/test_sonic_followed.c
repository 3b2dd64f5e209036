#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "platform/sonic/switchdb/database.h"
#include "platform/sonic/config/switch_changes.h"

static int find(uint8_t database, const char *key)
{
	return followed_find(database, '|', key, strlen(key));
}

static void test_followed_tables_are_found_by_their_keys(void **state)
{
	const struct followed *f;
	size_t n = followed_tables(&f);
	int port = find(DATABASE_CONFIG, "PORT|Ethernet0");

	(void)state;
	assert_true(port >= 0 && (size_t)port < n);
	assert_string_equal(f[port].table, "PORT");
	assert_int_equal(find(DATABASE_STATE, "PORT|Ethernet0"), -1);
	assert_int_equal(find(DATABASE_CONFIG, "PORT"), -1);
	assert_int_equal(find(DATABASE_CONFIG, "PORTS|Ethernet0"), -1);
	assert_int_equal(find(DATABASE_CONFIG, "POR|Ethernet0"), -1);
	assert_int_not_equal(find(DATABASE_CONFIG, "FEATURE|bgp"),
			     find(DATABASE_STATE, "FEATURE|bgp"));
}

static void test_followed_tables_hold_no_passwords(void **state)
{
	static const char *const others[] = {
		"TACPLUS|global", "TACPLUS_SERVER|10.0.0.1", "RADIUS|global",
		"LDAP|global", "BGP_NEIGHBOR|10.0.0.1", "SNMP_COMMUNITY|public",
		"SNMP_USER|x", "MACSEC_PROFILE|x", "PASSW_HARDENING|POLICIES",
		"LOCAL_USER|admin", "KUBERNETES_MASTER|SERVER", "CONFIG|x",
		"BGP_PEER_RANGE|x", "NTP_KEY|1", "GNMI_CLIENT_CERT|x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_int_equal(find(DATABASE_CONFIG, others[i]), -1);
}

static void test_followed_fields_that_sound_secret_are_not_kept(void **state)
{
	static const char *const secret[] = {
		"passkey", "auth_password", "primary_cak_secret", "Community",
		"private_key", "otel_certs", "api_token",
	};
	static const char *const plain[] = {
		"mtu", "speed", "fec", "admin_status", "tsa_enabled", "state",
		"xoff", "dynamic_th", "green_max_threshold", "pfc_enable",
		"brkout_mode", "hostname", "POLL_INTERVAL", "keepalive",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(secret) / sizeof(secret[0]); i++)
		assert_true(followed_is_secret(secret[i]));
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		assert_false(followed_is_secret(plain[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_followed_tables_are_found_by_their_keys),
		cmocka_unit_test(test_followed_tables_hold_no_passwords),
		cmocka_unit_test(
			test_followed_fields_that_sound_secret_are_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
