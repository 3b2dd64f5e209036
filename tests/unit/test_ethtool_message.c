#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include "platform/linux/ethtool_message.h"
#include "tests/support/netlink_bytes.h"

#define SEEDS "tests/fuzz/corpus/linux_netlink/"
#define FAMILY 21u		/* any: the parser does not look at it */

static void begin(struct netlink_bytes *b, uint8_t command)
{
	const struct genlmsghdr head = { .cmd = command, .version = 1 };

	b->len = 0;
	netlink_bytes_begin(b, FAMILY, 0, 1, &head, sizeof(head));
}

/* RS in force; 4 lanes; corrected bits only as a sum. */
static void fec_make(struct netlink_bytes *b)
{
	const uint64_t corrected[] = { 1000, 100, 200, 300, 400 };
	const uint64_t uncorrectable[] = { 6, 0, 1, 2, 3 };
	const uint64_t bits[] = { 5000 };
	size_t nest;

	begin(b, ETHTOOL_MSG_FEC_GET_REPLY);
	netlink_bytes_u8(b, ETHTOOL_A_FEC_AUTO, 0);
	netlink_bytes_u32(b, ETHTOOL_A_FEC_ACTIVE,
			  ETHTOOL_LINK_MODE_FEC_RS_BIT);
	nest = netlink_bytes_open(b, ETHTOOL_A_FEC_STATS);
	netlink_bytes_put(b, ETHTOOL_A_FEC_STAT_CORRECTED, corrected,
			  sizeof(corrected));
	netlink_bytes_put(b, ETHTOOL_A_FEC_STAT_UNCORR, uncorrectable,
			  sizeof(uncorrectable));
	netlink_bytes_put(b, ETHTOOL_A_FEC_STAT_CORR_BITS, bits, sizeof(bits));
	netlink_bytes_close(b, nest);
}

static void test_ethtool_message_reads_fec_by_lane(void **state)
{
	struct netlink_bytes b;
	struct ethtool_fec fec;

	(void)state;
	fec_make(&b);
	assert_int_equal(ethtool_message_fec(&b.head, &fec), 0);
	assert_int_equal(fec.active_bit, ETHTOOL_LINK_MODE_FEC_RS_BIT);
	assert_true(fec.corrected.known);
	assert_int_equal(fec.corrected.total, 1000);
	assert_int_equal(fec.corrected.lanes, 4);
	assert_int_equal(fec.corrected.lane[3], 400);
	assert_int_equal(fec.uncorrectable.total, 6);
	assert_int_equal(fec.uncorrectable.lane[2], 2);
	assert_int_equal(fec.corrected_bits.total, 5000);
	assert_int_equal(fec.corrected_bits.lanes, 0);
}

static void test_ethtool_message_reads_a_kernels_fec(void **state)
{
	/* ETHTOOL_MSG_FEC_GET of netdevsim with FEC counters, Linux 6.1;
	 * ethtool -I --show-fec: active None; corrected_blocks 1050, lanes
	 * 1000 50 0 0; uncorrectable_blocks 7, lanes 0 7 0 0.
	 */
	struct netlink_bytes b;
	struct ethtool_fec fec;

	(void)state;
	assert_true(netlink_bytes_load(&b, SEEDS "fec_Ethernet4"));
	assert_int_equal(ethtool_message_fec(&b.head, &fec), 0);
	assert_int_equal(fec.active_bit, 0);
	assert_int_equal(fec.corrected.total, 1050);
	assert_int_equal(fec.corrected.lanes, 4);
	assert_int_equal(fec.corrected.lane[0], 1000);
	assert_int_equal(fec.corrected.lane[1], 50);
	assert_int_equal(fec.uncorrectable.total, 7);
	assert_int_equal(fec.uncorrectable.lane[1], 7);
	assert_true(fec.corrected_bits.known);
	assert_int_equal(fec.corrected_bits.total, 0);
}

static void test_ethtool_message_tells_uncounted_from_zero(void **state)
{
	const uint64_t unset = UINT64_MAX, zero = 0;
	struct netlink_bytes b;
	struct ethtool_fec fec;
	size_t nest;

	(void)state;
	begin(&b, ETHTOOL_MSG_FEC_GET_REPLY);
	nest = netlink_bytes_open(&b, ETHTOOL_A_FEC_STATS);
	netlink_bytes_put(&b, ETHTOOL_A_FEC_STAT_CORRECTED, &unset, 8);
	netlink_bytes_put(&b, ETHTOOL_A_FEC_STAT_UNCORR, &zero, 8);
	netlink_bytes_put(&b, ETHTOOL_A_FEC_STAT_CORR_BITS, NULL, 0);
	netlink_bytes_close(&b, nest);
	assert_int_equal(ethtool_message_fec(&b.head, &fec), 0);
	assert_false(fec.corrected.known);
	assert_true(fec.uncorrectable.known);
	assert_int_equal(fec.uncorrectable.total, 0);
	assert_false(fec.corrected_bits.known);
}

static void test_ethtool_message_keeps_to_eight_lanes(void **state)
{
	uint64_t many[20];
	struct netlink_bytes b;
	struct ethtool_fec fec;
	size_t nest;

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		many[i] = i;
	begin(&b, ETHTOOL_MSG_FEC_GET_REPLY);
	nest = netlink_bytes_open(&b, ETHTOOL_A_FEC_STATS);
	netlink_bytes_put(&b, ETHTOOL_A_FEC_STAT_CORRECTED, many, sizeof(many));
	netlink_bytes_close(&b, nest);
	assert_int_equal(ethtool_message_fec(&b.head, &fec), 0);
	assert_int_equal(fec.corrected.lanes, ETHTOOL_MESSAGE_LANES_MAX);
	assert_int_equal(fec.corrected.lane[7], 8);
}

static void test_ethtool_message_refuses_an_odd_array(void **state)
{
	struct netlink_bytes b;
	struct ethtool_fec fec;
	size_t nest;

	(void)state;
	begin(&b, ETHTOOL_MSG_FEC_GET_REPLY);
	nest = netlink_bytes_open(&b, ETHTOOL_A_FEC_STATS);
	netlink_bytes_put(&b, ETHTOOL_A_FEC_STAT_UNCORR, "123456789012", 12);
	netlink_bytes_close(&b, nest);
	assert_int_equal(ethtool_message_fec(&b.head, &fec), -EBADMSG);
	begin(&b, ETHTOOL_MSG_FEC_GET_REPLY);
	netlink_bytes_put(&b, ETHTOOL_A_FEC_ACTIVE, "12", 2);
	assert_int_equal(ethtool_message_fec(&b.head, &fec), -EBADMSG);
}

static void test_ethtool_message_survives_every_shorter_length(void **state)
{
	struct netlink_bytes whole, b;
	struct ethtool_fec fec;
	size_t len = 0;
	int rc;

	(void)state;
	fec_make(&whole);
	for (b = whole; netlink_bytes_cut(&b, len); b = whole, len++) {
		rc = ethtool_message_fec(&b.head, &fec);
		if (len < sizeof(struct genlmsghdr))
			assert_int_equal(rc, -EBADMSG);
		else
			assert_true(rc == 0 || rc == -EBADMSG);
		/* The statistics come last, and no part of them stands. */
		if (rc == 0)
			assert_false(fec.corrected.known);
	}
	assert_true(len > 100);
}

static void test_ethtool_message_reads_a_kernels_settings(void **state)
{
	/* ETHTOOL_MSG_LINKMODES_GET of a veth: ethtool showed 10000Mb/s. */
	struct netlink_bytes b;
	struct ethtool_settings s;

	(void)state;
	assert_true(netlink_bytes_load(&b, SEEDS "linkmodes_Ethernet0"));
	assert_int_equal(ethtool_message_settings(&b.head, &s), 0);
	assert_int_equal(s.speed_mbps, 10000);
	assert_int_equal(s.lanes, 0);
}

static void test_ethtool_message_tells_an_unknown_speed(void **state)
{
	struct netlink_bytes b;
	struct ethtool_settings s;

	(void)state;
	begin(&b, ETHTOOL_MSG_LINKMODES_GET_REPLY);
	netlink_bytes_u32(&b, ETHTOOL_A_LINKMODES_SPEED, UINT32_MAX);
	netlink_bytes_u32(&b, ETHTOOL_A_LINKMODES_LANES, 4);
	assert_int_equal(ethtool_message_settings(&b.head, &s), 0);
	assert_int_equal(s.speed_mbps, 0);
	assert_int_equal(s.lanes, 4);
}

static void test_ethtool_message_reads_a_kernels_state(void **state)
{
	/* ETHTOOL_MSG_LINKSTATE_GET of a veth whose peer is down. */
	struct netlink_bytes b;
	struct ethtool_state s;

	(void)state;
	assert_true(netlink_bytes_load(&b, SEEDS "linkstate_Ethernet0"));
	assert_int_equal(ethtool_message_state(&b.head, &s), 0);
	assert_false(s.is_up);
	assert_int_equal(s.ext_state, -1);
}

static void test_ethtool_message_refuses_another_answer(void **state)
{
	struct netlink_bytes b;
	struct ethtool_state s;
	struct ethtool_settings settings;

	(void)state;
	fec_make(&b);
	assert_int_equal(ethtool_message_state(&b.head, &s), -ENOMSG);
	assert_int_equal(ethtool_message_settings(&b.head, &settings),
			 -ENOMSG);
}

struct mode_row {
	uint32_t bit;
	bool automatic;
	uint32_t speed_mbps, lanes;
	int rc;
	enum fec_mode mode;
	bool sure;
};

static void test_ethtool_message_tells_one_rs_code_from_the_other(void **state)
{
	static const struct mode_row rows[] = {
		{ ETHTOOL_LINK_MODE_FEC_NONE_BIT, false, 0, 0, 0, FEC_NONE,
		  true },
		{ ETHTOOL_LINK_MODE_FEC_BASER_BIT, false, 25000, 1, 0, FEC_FC,
		  true },
		{ ETHTOOL_LINK_MODE_FEC_LLRS_BIT, false, 50000, 1, 0,
		  FEC_RS272, true },
		{ ETHTOOL_LINK_MODE_FEC_RS_BIT, false, 100000, 4, 0, FEC_RS528,
		  true },
		{ ETHTOOL_LINK_MODE_FEC_RS_BIT, false, 100000, 2, 0, FEC_RS544,
		  true },
		{ ETHTOOL_LINK_MODE_FEC_RS_BIT, false, 100000, 0, 0, FEC_RS528,
		  false },
		{ ETHTOOL_LINK_MODE_FEC_RS_BIT, false, 400000, 0, 0, FEC_RS544,
		  true },
		{ ETHTOOL_LINK_MODE_FEC_RS_BIT, false, 0, 0, 0, FEC_RS528,
		  false },
		{ 0, true, 0, 0, 0, FEC_AUTO, true },
		{ 0, false, 0, 0, -ENODATA, FEC_NONE, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct ethtool_fec fec = {
			.active_bit = rows[i].bit,
			.automatic = rows[i].automatic,
		};
		const struct ethtool_settings settings = {
			rows[i].speed_mbps, rows[i].lanes,
		};
		enum fec_mode mode;
		bool sure;

		assert_int_equal(ethtool_message_fec_mode(&fec, &settings,
							  &mode, &sure),
				 rows[i].rc);
		if (rows[i].rc < 0)
			continue;
		assert_int_equal(mode, rows[i].mode);
		assert_int_equal(sure, rows[i].sure);
	}
}

static void test_ethtool_message_maps_why_a_link_is_down(void **state)
{
	static const struct {
		int ext_state, ext_substate;
		enum down_reason reason;
	} rows[] = {
		{ -1, -1, DOWN_NO_CARRIER },
		{ ETHTOOL_LINK_EXT_STATE_AUTONEG, 1, DOWN_NO_CARRIER },
		{ ETHTOOL_LINK_EXT_STATE_AUTONEG, 5, DOWN_FEC_MISMATCH },
		{ ETHTOOL_LINK_EXT_STATE_AUTONEG, 6, DOWN_SPEED_MISMATCH },
		{ ETHTOOL_LINK_EXT_STATE_NO_CABLE, -1, DOWN_NO_MODULE },
		{ ETHTOOL_LINK_EXT_STATE_LINK_TRAINING_FAILURE, 2,
		  DOWN_TRAINING },
		{ ETHTOOL_LINK_EXT_STATE_LINK_TRAINING_FAILURE, 4,
		  DOWN_MAC_REMOTE_FAULT },
		{ ETHTOOL_LINK_EXT_STATE_LINK_LOGICAL_MISMATCH, 5,
		  DOWN_FEC_SYNC_LOSS },
		{ ETHTOOL_LINK_EXT_STATE_LINK_LOGICAL_MISMATCH, 2,
		  DOWN_FEC_ALIGNMENT_LOSS },
		{ ETHTOOL_LINK_EXT_STATE_BAD_SIGNAL_INTEGRITY, 1,
		  DOWN_HIGH_BER },
		{ 250, 250, DOWN_NO_CARRIER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct ethtool_state s = {
			false, rows[i].ext_state, rows[i].ext_substate,
		};

		assert_int_equal(ethtool_message_down_reason(&s),
				 rows[i].reason);
	}
}

static void test_ethtool_message_request_is_what_the_kernel_reads(void **state)
{
	/* genlmsghdr; a nest of 20; ifindex 3; flags: statistics. */
	static const uint8_t expected[] = {
		ETHTOOL_MSG_FEC_GET, 1, 0, 0,
		20, 0, 1, 0x80, 8, 0, 1, 0, 3, 0, 0, 0, 8, 0, 3, 0, 4, 0, 0, 0,
	};
	uint8_t body[64];
	size_t len = ethtool_message_request(ETHTOOL_MSG_FEC_GET,
					     ETHTOOL_A_FEC_HEADER, 3,
					     ETHTOOL_FLAG_STATS, body,
					     sizeof(body));

	(void)state;
	assert_int_equal(len, sizeof(expected));
	assert_memory_equal(body, expected, sizeof(expected));
	assert_int_equal(ethtool_message_request(1, 1, 1, 0, body, 10), 0);
}

static void test_ethtool_message_asks_for_octets_of_a_page(void **state)
{
	const struct ethtool_octets want = { 0x50, 1, 3, 128, 100 };
	uint8_t at[96];

	(void)state;
	assert_int_equal(ethtool_message_eeprom_request(7, &want, at, 50), 0);
	assert_int_equal(ethtool_message_eeprom_request(7, &want, at,
							sizeof(at)), 56);
	assert_int_equal(at[0], ETHTOOL_MSG_MODULE_EEPROM_GET);
	/* Each attribute has its head of four octets before its value. */
	assert_int_equal(at[12], 7);
	assert_int_equal(at[20], 128);
	assert_int_equal(at[28], 100);
	assert_int_equal(at[32], 5);
	assert_int_equal(at[36], 3);
	assert_int_equal(at[44], 1);
	assert_int_equal(at[52], 0x50);
}

static void test_ethtool_message_takes_octets_of_the_length_asked(void **state)
{
	static const uint8_t octets[] = { 0x18, 0x52, 0x00 };
	struct netlink_bytes b;
	uint8_t got[4];

	(void)state;
	begin(&b, ETHTOOL_MSG_MODULE_EEPROM_GET_REPLY);
	netlink_bytes_put(&b, ETHTOOL_A_MODULE_EEPROM_DATA, octets,
			  sizeof(octets));
	assert_int_equal(ethtool_message_eeprom(&b.head, got, 3), 0);
	assert_memory_equal(got, octets, 3);
	assert_int_equal(ethtool_message_eeprom(&b.head, got, 4), -ENODATA);
	assert_int_equal(ethtool_message_eeprom(&b.head, got, 2), -ENODATA);
	begin(&b, ETHTOOL_MSG_MODULE_EEPROM_GET_REPLY);
	assert_int_equal(ethtool_message_eeprom(&b.head, got, 3), -EBADMSG);
	begin(&b, ETHTOOL_MSG_FEC_GET_REPLY);
	assert_int_equal(ethtool_message_eeprom(&b.head, got, 3), -ENOMSG);
}

int main(void)
{
#define T(name) cmocka_unit_test(test_ethtool_message_##name)
	const struct CMUnitTest tests[] = {
		T(reads_fec_by_lane),
		T(reads_a_kernels_fec),
		T(tells_uncounted_from_zero),
		T(keeps_to_eight_lanes),
		T(refuses_an_odd_array),
		T(survives_every_shorter_length),
		T(reads_a_kernels_settings),
		T(tells_an_unknown_speed),
		T(reads_a_kernels_state),
		T(refuses_another_answer),
		T(tells_one_rs_code_from_the_other),
		T(maps_why_a_link_is_down),
		T(request_is_what_the_kernel_reads),
		cmocka_unit_test(
			test_ethtool_message_asks_for_octets_of_a_page),
		cmocka_unit_test(
		    test_ethtool_message_takes_octets_of_the_length_asked),
	};
#undef T
	return cmocka_run_group_tests(tests, NULL, NULL);
}
