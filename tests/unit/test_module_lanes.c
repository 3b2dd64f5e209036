/* Which host lanes are behind a media lane: by applications, and by the active
 * control set.
 */
#include <string.h>

#include "platform/module/application.h"
#include "tests/support/module_bed.h"

/* Descriptor number: host and media lanes, and where both may begin. */
static void application_put(struct bed *b, unsigned number, uint8_t lanes,
			    uint8_t host_first, unsigned media_first)
{
	uint8_t octets[] = { 0x4f, 0x1c, lanes, host_first };

	twin_put(&b->image, 0, MODULE_LOWER, 86 + (number - 1) * 4, octets,
		 sizeof(octets));
	twin_u8(&b->image, 0, MODULE_LOWER, 86 + number * 4, 0xff);
	twin_u8(&b->image, 0, 0x01, 176 + number - 1, media_first);
}

/* Application and data path (its first lane, from 0) of each host lane. */
static void active_put(struct bed *b, unsigned bank, const char *applications,
		       const char *paths)
{
	for (unsigned i = 0; i < 8; i++)
		twin_u8(&b->image, bank, 0x11, APPLICATION_ACTIVE_SET + i,
			(unsigned)(applications[i] - '0') << 4 |
			(unsigned)(paths[i] - '0') << 1);
}

/* What is said of media lanes from first on, 0 for nothing. */
static void expect_hosts(struct bed *b, unsigned first, unsigned count,
			 const uint32_t *hosts)
{
	const struct said_value *v;

	twin_seal(&b->image);
	assert_int_equal(said_decode(&b->said, &b->image, MODULE_STATUS), 0);
	for (unsigned i = 0; i < count; i++) {
		v = said_find(&b->said, Q_LANE_HOST_LANES, first + i, 0);
		if ((v ? v->value : 0) != hosts[i])
			fail_msg("lane %u: %x, expected %x", first + i,
				 v ? (unsigned)v->value : 0, hosts[i]);
	}
}

#define HOSTS(first, ...) \
	expect_hosts(b, (first), sizeof((uint32_t[]){ __VA_ARGS__ }) / 4, \
		     (const uint32_t[]){ __VA_ARGS__ })

static void test_one_data_path_is_behind_all_of_its_media_lanes(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	application_put(b, 1, 0x84, 0x01, 0x01);	/* 400G-FR4 */
	active_put(b, 0, "11111111", "00000000");
	HOSTS(1, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);
	application_put(b, 1, 0x81, 0x01, 0x01);	/* 400ZR */
	HOSTS(1, 0xff, 0);
}

/* Sixteen host lanes do not fit in the descriptor's count. */
static void test_host_lanes_may_be_told_by_their_code(void **state)
{
	static const uint8_t codes[] = { 0x10, 0x55, 0x56 };
	struct bed *b = *state;

	twin_cmis(&b->image);
	application_put(b, 1, 0x08, 0x01, 0x01);
	active_put(b, 0, "11111111", "00000000");
	HOSTS(1, 0, 0, 0, 0, 0, 0, 0, 0);
	for (size_t i = 0; i < sizeof(codes); i++) {
		twin_u8(&b->image, 0, MODULE_LOWER, 86, codes[i]);
		HOSTS(1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);
	}
}

static void test_each_of_two_data_paths_has_its_media_lanes(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	application_put(b, 1, 0x84, 0x01, 0x01);
	application_put(b, 2, 0x42, 0x11, 0x05);
	application_put(b, 3, 0x21, 0x55, 0x0f);
	active_put(b, 0, "22222222", "00004444");
	HOSTS(1, 0x0f, 0x0f, 0xf0, 0xf0);
	active_put(b, 0, "22223333", "00004466");
	HOSTS(1, 0x0f, 0x0f, 0x30, 0xc0);
	/* where media lanes begin was not read: one after the other */
	application_put(b, 2, 0x42, 0x11, 0);
	application_put(b, 3, 0x21, 0x55, 0);
	HOSTS(1, 0x0f, 0x0f, 0x30, 0xc0);
}

static void test_with_as_many_on_both_sides_they_go_lane_by_lane(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	application_put(b, 1, 0x88, 0x01, 0x01);
	application_put(b, 2, 0x44, 0x11, 0x11);
	application_put(b, 3, 0x11, 0xff, 0xff);
	active_put(b, 0, "11111111", "00000000");
	HOSTS(1, 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80);
	active_put(b, 0, "22223333", "00004567");
	HOSTS(1, 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80);
	/* both instances on other lanes of the fibre */
	application_put(b, 2, 0x44, 0x11, 0x22);
	active_put(b, 0, "22222222", "00004444");
	HOSTS(2, 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40);
}

/* 400ZR carries four of 100GAUI-2 on one carrier: its lane is of all. */
static void test_multiplexed_data_paths_share_a_media_lane(void **state)
{
	struct bed *b = *state;

	twin_coherent(&b->image);
	application_put(b, 1, 0x81, 0x01, 0x01);
	application_put(b, 2, 0x21, 0x55, 0x01);
	application_put(b, 3, 0x11, 0xff, 0x01);
	active_put(b, 0, "22222222", "00224466");
	HOSTS(1, 0xff);
	active_put(b, 0, "22000022", "00000066");
	HOSTS(1, 0xc3);
	active_put(b, 0, "33333333", "01234567");
	HOSTS(1, 0xff);
}

/* Two carriers: the first two of four instances are on the first. */
static void test_multiplexed_data_paths_fill_one_carrier_first(void **state)
{
	struct bed *b = *state;

	twin_coherent(&b->image);
	twin_u8(&b->image, 0, 0x00, 210, 0xfc);
	application_put(b, 1, 0x21, 0x55, 0x03);
	active_put(b, 0, "11111111", "00224466");
	HOSTS(1, 0x0f, 0xf0);
}

/* A module seen with 01h:177 of 55h for instances on each lane. */
static void test_beginnings_that_are_missing_are_no_multiplexer(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	application_put(b, 1, 0x44, 0x11, 0x11);
	application_put(b, 2, 0x11, 0xff, 0x55);
	active_put(b, 0, "22222222", "01234567");
	HOSTS(1, 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80);
}

/* Modules seen: four of 100GAUI-2 as one data path; eight of 100GAUI-1. */
static void test_instances_numbered_as_one_data_path_are_split(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	application_put(b, 1, 0x84, 0x01, 0x01);
	application_put(b, 2, 0x21, 0x55, 0x0f);
	application_put(b, 3, 0x11, 0xff, 0xff);
	active_put(b, 0, "22222222", "00000000");
	HOSTS(1, 0x03, 0x0c, 0x30, 0xc0);
	active_put(b, 0, "33333333", "00004444");
	HOSTS(1, 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80);
}

static void test_lanes_without_data_path_are_as_in_application_1(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	application_put(b, 1, 0x84, 0x01, 0x01);
	application_put(b, 2, 0x42, 0x11, 0x05);
	active_put(b, 0, "00000000", "00000000");
	HOSTS(1, 0xff, 0xff, 0xff, 0xff);
	active_put(b, 0, "00002222", "00004444");
	HOSTS(1, 0x0f, 0x0f, 0xf0, 0xf0);
	/* an application that is not advertised */
	application_put(b, 1, 0x88, 0x01, 0x01);
	active_put(b, 0, "22229999", "00004444");
	HOSTS(5, 0x10, 0x20, 0x40, 0x80);
	twin_u8(&b->image, 0, MODULE_LOWER, 86, 0xff);
	active_put(b, 0, "00000000", "00000000");
	HOSTS(1, 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80);
}

static void test_host_lanes_of_later_banks_are_numbered_on(void **state)
{
	struct bed *b = *state;

	twin_cmis_banked(&b->image);
	application_put(b, 1, 0x84, 0x01, 0x01);
	application_put(b, 2, 0x42, 0x11, 0x05);
	active_put(b, 1, "22222222", "00004444");
	active_put(b, 3, "11111111", "00000000");
	HOSTS(9, 0x0f00, 0x0f00, 0xf000, 0xf000);
	HOSTS(25, 0xff000000, 0xff000000, 0xff000000, 0xff000000);
}

/* No descriptor may lead beyond a bank's lanes. */
static void test_any_descriptor_stays_within_its_bank(void **state)
{
	static const uint8_t octets[] = { 0x00, 0x0f, 0xf0, 0xff, 0x1f, 0xf1,
					  0x84, 0x48, 0x77 };
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(octets) * sizeof(octets); i++) {
		twin_cmis_banked(&b->image);
		application_put(b, 1, octets[i % sizeof(octets)], 0xff,
				octets[i / sizeof(octets)]);
		active_put(b, 2, "11111111", i % 2 ? "01234567" : "77777777");
		said_decode(&b->said, &b->image, MODULE_STATUS);
		for (size_t n = 0; n < b->said.count; n++) {
			const struct said_value *v = &b->said.value[n];

			if (v->quantity == Q_LANE_HOST_LANES)
				assert_int_equal((v->value >>
						  (v->lane - 1) / 8 * 8 &
						  0xff) <<
						 (v->lane - 1) / 8 * 8,
						 v->value);
		}
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bed_new, bed_free)
	const struct CMUnitTest tests[] = {
		TEST(test_one_data_path_is_behind_all_of_its_media_lanes),
		TEST(test_host_lanes_may_be_told_by_their_code),
		TEST(test_each_of_two_data_paths_has_its_media_lanes),
		TEST(test_with_as_many_on_both_sides_they_go_lane_by_lane),
		TEST(test_multiplexed_data_paths_share_a_media_lane),
		TEST(test_multiplexed_data_paths_fill_one_carrier_first),
		TEST(test_beginnings_that_are_missing_are_no_multiplexer),
		TEST(test_instances_numbered_as_one_data_path_are_split),
		TEST(test_lanes_without_data_path_are_as_in_application_1),
		TEST(test_host_lanes_of_later_banks_are_numbered_on),
		TEST(test_any_descriptor_stays_within_its_bank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
