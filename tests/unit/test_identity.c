#include "agent/process/identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define START_NS (1000 * NS_PER_S)

static const struct control_identity nobody;

static struct mono at(int64_t after_ns)
{
	return (struct mono){ START_NS + after_ns };
}

static void begin(struct identity *i, const struct control_identity *kept)
{
	identity_init(i, &nobody, kept, at(0));
}

static void keep(struct control_identity *kept, const char *id,
		 const char *serial, const char *mac)
{
	memset(kept, 0, sizeof(*kept));
	(void)snprintf(kept->id, sizeof(kept->id), "%s", id);
	(void)snprintf(kept->serial, sizeof(kept->serial), "%s", serial);
	(void)snprintf(kept->mac, sizeof(kept->mac), "%s", mac);
}

static void test_c09_the_serial_number_is_the_id(void **state)
{
	struct identity_told told = { .host = "host", .serial = "ABC123",
				      .mac = "02:00:00:00:00:01",
				      .machine_id = "m" };
	struct identity i;

	(void)state;
	begin(&i, &nobody);
	assert_true(identity_take(&i, &told, at(0)));
	assert_string_equal(i.is.id, "ABC123");
	assert_string_equal(i.is.name, "host");
	assert_false(identity_take(&i, &told, at(NS_PER_S)));
}

static void test_c09_a_mac_waits_for_a_serial_number(void **state)
{
	struct identity_told told = { .host = "host",
				      .mac = "02-00-00-00-00-0A" };
	struct identity i;

	(void)state;
	begin(&i, &nobody);
	(void)identity_take(&i, &told, at(NS_PER_S));
	assert_string_equal(i.is.id, "");
	assert_false(identity_take(&i, &told, at(NS_PER_S + IDENTITY_MAC_NS -
						 1)));
	assert_true(identity_take(&i, &told, at(NS_PER_S + IDENTITY_MAC_NS)));
	assert_string_equal(i.is.id, "02:00:00:00:00:0a");
}

static void test_c09_with_nothing_the_machine_id_is_taken(void **state)
{
	struct identity_told told = { .host = "host", .machine_id = "m1" };
	struct identity i;

	(void)state;
	begin(&i, &nobody);
	(void)identity_take(&i, &told, at(0));
	assert_false(identity_take(&i, &told, at(IDENTITY_WAIT_NS - 1)));
	assert_true(identity_take(&i, &told, at(IDENTITY_WAIT_NS)));
	assert_string_equal(i.is.id, "m1");
	begin(&i, &nobody);
	told.machine_id = "";
	assert_true(identity_take(&i, &told, at(IDENTITY_WAIT_NS)));
	assert_string_equal(i.is.id, "host");
}

static void test_c09_an_id_stays_for_its_run(void **state)
{
	struct identity_told told = { .host = "host", .machine_id = "m1" };
	struct identity i;

	(void)state;
	begin(&i, &nobody);
	(void)identity_take(&i, &told, at(IDENTITY_WAIT_NS));
	told.serial = "ABC123";
	assert_false(identity_take(&i, &told, at(2 * IDENTITY_WAIT_NS)));
	assert_string_equal(i.is.id, "m1");
}

static void test_c09_a_poor_start_takes_what_was_kept(void **state)
{
	struct identity_told told = { .host = "host",
				      .mac = "02:00:00:00:00:01" };
	struct control_identity kept;
	struct identity i;

	(void)state;
	keep(&kept, "ABC123", "ABC123", "02:00:00:00:00:01");
	begin(&i, &kept);
	assert_true(identity_take(&i, &told, at(0)));
	assert_string_equal(i.is.id, "ABC123");
	told.mac = NULL;
	begin(&i, &kept);
	(void)identity_take(&i, &told, at(0));
	assert_string_equal(i.is.id, "");
	assert_true(identity_take(&i, &told, at(IDENTITY_WAIT_NS)));
	assert_string_equal(i.is.id, "ABC123");
}

static void test_c09_a_better_source_makes_no_second_switch(void **state)
{
	struct identity_told told = { .host = "host", .serial = "ABC123",
				      .mac = "02:00:00:00:00:01" };
	struct control_identity kept;
	struct identity i;

	(void)state;
	keep(&kept, "02:00:00:00:00:01", "", "02:00:00:00:00:01");
	begin(&i, &kept);
	assert_true(identity_take(&i, &told, at(0)));
	assert_string_equal(i.is.id, "02:00:00:00:00:01");
	keep(&kept, "m1", "", "");
	begin(&i, &kept);
	assert_true(identity_take(&i, &told, at(0)));
	assert_string_equal(i.is.id, "m1");
}

static void test_c09_a_disk_in_another_chassis_is_another_switch(void **state)
{
	struct identity_told told = { .host = "host", .serial = "OTHER9",
				      .mac = "02:00:00:00:00:02" };
	struct control_identity kept;
	struct identity i;

	(void)state;
	keep(&kept, "ABC123", "ABC123", "02:00:00:00:00:01");
	begin(&i, &kept);
	(void)identity_take(&i, &told, at(0));
	assert_string_equal(i.is.id, "");
	assert_true(identity_take(&i, &told, at(IDENTITY_MAC_NS)));
	assert_string_equal(i.is.id, "OTHER9");
	told.mac = "02:00:00:00:00:01";		/* another board's serial */
	begin(&i, &kept);
	assert_true(identity_take(&i, &told, at(0)));
	assert_string_equal(i.is.id, "ABC123");
}

static void test_the_name_follows_and_the_id_does_not(void **state)
{
	struct identity_told told = { .host = "host", .platform = "leaf1",
				      .serial = "ABC123" };
	struct identity i;

	(void)state;
	begin(&i, &nobody);
	(void)identity_take(&i, &told, at(0));
	assert_string_equal(i.is.name, "leaf1");
	told.platform = "";		/* its database is being filled */
	assert_false(identity_take(&i, &told, at(1)));
	told.platform = "leaf2";
	assert_true(identity_take(&i, &told, at(2)));
	assert_string_equal(i.is.name, "leaf2");
	told.configured = "mine";
	assert_true(identity_take(&i, &told, at(3)));
	assert_string_equal(i.is.name, "mine");
	told.configured = "";
	assert_true(identity_take(&i, &told, at(4)));
	assert_string_equal(i.is.name, "leaf2");
	assert_string_equal(i.is.id, "ABC123");
}

/* A core that is started again knows no less than the one before. */
static void test_the_name_stays_until_the_platform_speaks(void **state)
{
	struct identity_told told = { .host = "host" };
	struct control_identity is;
	struct identity i;

	(void)state;
	keep(&is, "ABC123", "", "");
	(void)snprintf(is.name, sizeof(is.name), "leaf1");
	identity_init(&i, &is, &nobody, at(0));
	assert_false(identity_take(&i, &told, at(0)));
	assert_string_equal(i.is.name, "leaf1");
	assert_true(identity_take(&i, &told, at(IDENTITY_WAIT_NS)));
	assert_string_equal(i.is.name, "host");
}

static void test_no_number_is_not_a_serial_number(void **state)
{
	static const char *const none[] = {
		"", " ", "To be filled by O.E.M.", "not specified", "None",
		"0123456789", "00000000", "0000-0000", "XXXXXXXX", "N/A", "---",
		"Default string", "System Serial Number", "\xff\xfe", "A\tB",
	};
	char serial[LABEL_SERIAL_MAX];

	(void)state;
	for (size_t n = 0; n < sizeof(none) / sizeof(none[0]); n++) {
		label_serial(none[n], serial);
		if (serial[0])
			fail_msg("'%s' is taken", none[n]);
	}
	label_serial(NULL, serial);
	assert_string_equal(serial, "");
	label_serial(" TH0F6N2RCET0007600NG \n", serial);
	assert_string_equal(serial, "TH0F6N2RCET0007600NG");
}

static void test_nobodys_mac_is_none(void **state)
{
	static const char *const none[] = {
		"", "00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01",
		"02:00:00:00:00", "02:00:00:00:00:0", "hello", "02.00.00.00.00.01",
	};
	char mac[LABEL_MAC_MAX];

	(void)state;
	for (size_t n = 0; n < sizeof(none) / sizeof(none[0]); n++) {
		label_mac(none[n], mac);
		if (mac[0])
			fail_msg("'%s' is taken", none[n]);
	}
	label_mac("0C:29:EF:CF:AC:A0", mac);
	assert_string_equal(mac, "0c:29:ef:cf:ac:a0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c09_the_serial_number_is_the_id),
		cmocka_unit_test(test_c09_a_mac_waits_for_a_serial_number),
		cmocka_unit_test(test_c09_with_nothing_the_machine_id_is_taken),
		cmocka_unit_test(test_c09_an_id_stays_for_its_run),
		cmocka_unit_test(test_c09_a_poor_start_takes_what_was_kept),
		cmocka_unit_test(
			test_c09_a_better_source_makes_no_second_switch),
		cmocka_unit_test(
			test_c09_a_disk_in_another_chassis_is_another_switch),
		cmocka_unit_test(test_the_name_follows_and_the_id_does_not),
		cmocka_unit_test(test_the_name_stays_until_the_platform_speaks),
		cmocka_unit_test(test_no_number_is_not_a_serial_number),
		cmocka_unit_test(test_nobodys_mac_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
