/* Registers that mean something else by revision or by option, and what a
 * module tells of itself beyond its readings.
 */
#include <string.h>

#include "tests/support/module_bed.h"

static void decode(struct bed *b, unsigned parts)
{
	twin_seal(&b->image);
	assert_int_equal(said_decode(&b->said, &b->image, parts), 0);
}

/* --- CMIS by revision ---------------------------------------------------- */

/* CMIS 3 has DataPathPwrUp where 4.0 has DataPathDeinit. */
static void test_cmis_3_powers_up_what_later_ones_put_down(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	twin_u8(&b->image, 0, 0x10, 128, 0x01);
	for (unsigned revision = 0x30; revision <= 0x50; revision += 0x10) {
		bool is_3 = revision == 0x30;

		twin_u8(&b->image, 0, MODULE_LOWER, 1, revision);
		decode(b, MODULE_CONTROLS);
		expect(b, Q_LANE_DATA_PATH_DEINIT, 1, 0, !is_3);
		expect(b, Q_LANE_DATA_PATH_DEINIT, 2, 0, is_3);
		assert_int_equal(said_count(&b->said,
					    Q_LANE_DATA_PATH_DEINIT), 8);
	}
}

/* Before 5.0 nothing stands in 11h:132: it is no signal that is not valid. */
static void test_output_status_is_there_from_cmis_5_on(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	twin_u16(&b->image, 0, 0x11, 132, 0);
	twin_u8(&b->image, 0, MODULE_LOWER, 1, 0x40);
	decode(b, MODULE_STATUS);
	assert_null(said_find(&b->said, Q_LANE_RX_OUTPUT_VALID, 1, 0));
	assert_null(said_find(&b->said, Q_LANE_TX_OUTPUT_VALID, 1, 0));
	twin_u8(&b->image, 0, MODULE_LOWER, 1, 0x53);
	decode(b, MODULE_STATUS);
	expect(b, Q_LANE_RX_OUTPUT_VALID, 1, 0, 0);
}

static void test_cmis_controls_are_told_where_they_are_advertised(void **state)
{
	static const struct {
		unsigned page, octet, gate, bit;	/* gate: of 01h */
		enum quantity quantity;
	} rows[] = {
		{ 0x10, 129, 155, 0, Q_LANE_TX_POLARITY_FLIPPED },
		{ 0x10, 131, 155, 2, Q_LANE_TX_AUTO_SQUELCH_OFF },
		{ 0x10, 132, 155, 3, Q_LANE_TX_SQUELCHED },
		{ 0x10, 137, 156, 0, Q_LANE_RX_POLARITY_FLIPPED },
		{ 0x10, 139, 156, 2, Q_LANE_RX_AUTO_SQUELCH_OFF },
		{ 0x11, 214, 161, 3, Q_LANE_TX_EQ_ADAPTIVE },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		twin_cmis(&b->image);
		twin_u8(&b->image, 0, 0x01, rows[i].gate, 0);
		twin_u8(&b->image, 0, rows[i].page, rows[i].octet, 0x20);
		decode(b, MODULE_CONTROLS);
		assert_int_equal(said_count(&b->said, rows[i].quantity), 0);
		twin_u8(&b->image, 0, 0x01, rows[i].gate, 1u << rows[i].bit);
		decode(b, MODULE_CONTROLS);
		expect(b, rows[i].quantity, 6, 0, 1);
		expect(b, rows[i].quantity, 5, 0, 0);
	}
}

static void test_cmis_equalisers_are_told_by_lane(void **state)
{
	static const struct {
		unsigned octet, gate, bit;
		enum quantity quantity;
	} rows[] = {
		{ 217, 161, 2, Q_LANE_TX_EQ },
		{ 223, 162, 3, Q_LANE_RX_EQ_PRE_CURSOR },
		{ 227, 162, 4, Q_LANE_RX_EQ_POST_CURSOR },
		{ 231, 162, 2, Q_LANE_RX_AMPLITUDE },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		twin_cmis(&b->image);
		for (unsigned n = 0; n < 4; n++)
			twin_u8(&b->image, 0, 0x11, rows[i].octet + n,
				(2 * n + 2) << 4 | (2 * n + 1));
		twin_u8(&b->image, 0, 0x01, rows[i].gate, 1u << rows[i].bit);
		decode(b, MODULE_CONTROLS);
		for (unsigned lane = 1; lane <= 8; lane++)
			expect(b, rows[i].quantity, lane, 0, lane);
	}
}

/* 8h to Bh reject as well, and Dh to Fh for the vendor's reasons. */
static void test_cmis_configuration_is_rejected_by_any_such_code(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	for (unsigned code = 0; code < 16; code++) {
		twin_u8(&b->image, 0, 0x11, 202, code);
		decode(b, MODULE_STATUS);
		expect(b, Q_LANE_CONFIG_STATUS, 1, 0, code);
		assert_int_equal(b->said.fault_count, 0);
		assert_int_equal(lane_config_is_rejected(code),
				 code >= 2 && code != 12);
	}
}

static void test_cmis_tells_what_is_staged_beside_what_is_active(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	twin_u8(&b->image, 0, 0x10, 149, 0x28);
	decode(b, MODULE_CONTROLS | MODULE_STATUS);
	expect(b, Q_LANE_STAGED_APPLICATION, 5, 0, 2);
	expect(b, Q_LANE_STAGED_DATA_PATH, 5, 0, 5);
	expect(b, Q_LANE_APPLICATION, 5, 0, 1);
}

/* 14h holds what its selector says, and nothing where it says nothing. */
static void test_cmis_diagnostics_are_those_that_are_selected(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	twin_u8(&b->image, 0, 0x13, 152, 0x02);
	twin_u16(&b->image, 0, 0x14, 194, 12u << 11 | 300);
	twin_u16(&b->image, 0, 0x14, 210, 0x8015);	/* 21.5 dB, low first */
	twin_u16(&b->image, 0, 0x14, 242, 0x0018);
	decode(b, MODULE_VDM | MODULE_CONTROLS);
	assert_int_equal(said_count(&b->said, Q_LANE_DIAGNOSTIC_BER_E18), 0);
	assert_int_equal(said_count(&b->said, Q_LANE_DIAGNOSTIC_SNR_MDB), 0);
	assert_int_equal(said_count(&b->said, Q_MODULE_DIAGNOSTIC_SELECTED),
			 0);
	expect(b, Q_LANE_GENERATOR_ON, 2, 1, 1);
	expect(b, Q_LANE_GENERATOR_ON, 2, 0, 0);

	twin_u8(&b->image, 0, 0x14, 128, 1);
	decode(b, MODULE_VDM);
	expect(b, Q_MODULE_DIAGNOSTIC_SELECTED, 0, 0, 1);
	expect(b, Q_LANE_DIAGNOSTIC_BER_E18, 2, 0, 300 * INT64_C(1000000));
	assert_int_equal(said_count(&b->said, Q_LANE_DIAGNOSTIC_SNR_MDB), 0);
	/* no errors are good news only where somebody counts them */
	expect(b, Q_LANE_DIAGNOSTIC_BER_E18, 2, 1,
	       21 * INT64_C(10000000000));	/* of the same octets */
	assert_int_equal(said_count(&b->said, Q_LANE_DIAGNOSTIC_BER_E18), 2);
	twin_u8(&b->image, 0, 0x13, 160, 0x01);
	twin_u8(&b->image, 0, 0x13, 168, 0x84);
	decode(b, MODULE_VDM);
	expect(b, Q_LANE_DIAGNOSTIC_BER_E18, 1, 0, 0);
	expect(b, Q_LANE_DIAGNOSTIC_BER_E18, 3, 1, 0);
	expect(b, Q_LANE_DIAGNOSTIC_BER_E18, 8, 1, 0);
	assert_int_equal(said_count(&b->said, Q_LANE_DIAGNOSTIC_BER_E18), 5);

	/* the gated one stands in the same octets */
	twin_u8(&b->image, 0, 0x14, 128, 0x11);
	decode(b, MODULE_VDM);
	expect(b, Q_LANE_DIAGNOSTIC_BER_E18, 2, 0, 300 * INT64_C(1000000));

	twin_u8(&b->image, 0, 0x14, 128, 6);
	decode(b, MODULE_VDM);
	expect(b, Q_LANE_DIAGNOSTIC_SNR_MDB, 2, 0, 21500);
	expect(b, Q_LANE_DIAGNOSTIC_SNR_MDB, 2, 1, 24000);
	assert_int_equal(said_count(&b->said, Q_LANE_DIAGNOSTIC_SNR_MDB), 2);
	assert_int_equal(said_count(&b->said, Q_LANE_DIAGNOSTIC_BER_E18), 0);
}

static void test_cmis_tells_of_vdm_that_is_held_still(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	twin_u8(&b->image, 0, 0x2f, 144, 0x80);
	twin_u8(&b->image, 0, 0x2f, 145, 0x80);
	decode(b, MODULE_VDM);
	expect(b, Q_MODULE_VDM_GROUPS, 0, 0, 2);
	expect(b, Q_MODULE_VDM_FREEZE_ASKED, 0, 0, 1);
	expect(b, Q_MODULE_VDM_FROZEN, 0, 0, 1);
}

static void test_cmis_tells_its_clei(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	decode(b, MODULE_IDENTITY);
	assert_string_equal(b->said.text[ATTRIBUTE_CLEI], "");
	twin_put(&b->image, 0, 0x00, 190, "WOTRCAA123", 10);
	decode(b, MODULE_IDENTITY);
	assert_string_equal(b->said.text[ATTRIBUTE_CLEI], "WOTRCAA123");
}

/* One of the O-band has a technology of its own. */
static void test_coherent_module_says_so_of_its_pages(void **state)
{
	struct bed *b = *state;
	uint8_t octet;

	twin_coherent(&b->image);
	twin_u8(&b->image, 0, 0x00, 212, 0x06);
	assert_int_equal(module_image_get(&b->image, 0, 0x01, 142, &octet, 1),
			 0);
	twin_u8(&b->image, 0, 0x01, 142, octet & 0xefu);
	decode(b, MODULE_PM);
	assert_int_equal(said_count(&b->said, Q_PM_OSNR_MDB), 0);
	twin_u8(&b->image, 0, 0x01, 142, octet | 0x10u);
	decode(b, MODULE_PM);
	assert_int_not_equal(said_count(&b->said, Q_PM_OSNR_MDB), 0);
}

static void test_grid_of_a_later_cmis_gives_no_frequency(void **state)
{
	struct bed *b = *state;

	twin_coherent(&b->image);
	decode(b, MODULE_CONTROLS);
	assert_non_null(said_find(&b->said, Q_LANE_LASER_CONFIG_FREQUENCY_MHZ,
				  1, 0));
	/* FBOSS: channel 1 of 150 GHz is at 193.2 THz */
	twin_u8(&b->image, 0, 0x12, 128, 0x80);
	twin_u16(&b->image, 0, 0x12, 136, 1);
	decode(b, MODULE_CONTROLS);
	expect(b, Q_LANE_LASER_CONFIG_FREQUENCY_MHZ, 1, 0, 193200000);
	twin_u8(&b->image, 0, 0x12, 128, 0x90);
	twin_u16(&b->image, 0, 0x12, 136, 24);
	decode(b, MODULE_CONTROLS);
	expect(b, Q_LANE_LASER_CONFIG_FREQUENCY_MHZ, 1, 0, 193287500);
	twin_u8(&b->image, 0, 0x12, 128, 0xa0);
	decode(b, MODULE_CONTROLS);
	assert_null(said_find(&b->said, Q_LANE_LASER_CONFIG_FREQUENCY_MHZ, 1,
			      0));
}

/* OIF-ELSFP-CMIS: 100 uA and 10 uW on pages of their own. */
static void elsfp_put(struct bed *b)
{
	twin_cmis(&b->image);
	twin_u8(&b->image, 0, MODULE_LOWER, 0, 0x22);
	twin_u8(&b->image, 0, 0x01, 155, 0);
	twin_u8(&b->image, 0, 0x01, 157, 0);
	twin_u8(&b->image, 0, 0x01, 160, 0);
	for (unsigned i = 0; i < 4; i++) {
		static const uint16_t edges[] = { 9, 1, 8, 2 };

		twin_u16(&b->image, 0, 0x1a, 141 + 2 * i, 1000 * edges[i]);
		twin_u16(&b->image, 0, 0x1a, 149 + 2 * i, 2000 * edges[i]);
	}
	twin_u8(&b->image, 0, 0x1a, 188, 0x04);
	twin_u8(&b->image, 0, 0x1a, 191, 0x80);
	twin_u8(&b->image, 0, 0x1a, 215, 0x02);
	twin_u8(&b->image, 0, 0x1a, 216, 0x10);	/* a warning only */
	twin_u8(&b->image, 0, 0x1a, 220, 0xfd);
	twin_u16(&b->image, 0, 0x1b, 186, 3456);
	twin_u16(&b->image, 0, 0x1b, 214, 10001);
	twin_seal(&b->image);
}

static void test_elsfp_tells_its_lasers(void **state)
{
	struct bed *b = *state;

	elsfp_put(b);
	decode(b, MODULE_ALL_PARTS);
	expect(b, Q_LANE_TX_BIAS_UA, 2, 0, 345600);
	expect(b, Q_LANE_TX_POWER_PW, 8, 0, INT64_C(100010000000));
	assert_int_equal(said_count(&b->said, Q_LANE_TX_POWER_PW), 8);
	expect(b, Q_MODULE_TX_BIAS_THRESHOLD_UA, 0, 0, 900000);
	expect(b, Q_MODULE_TX_BIAS_THRESHOLD_UA, 0, 3, 200000);
	expect(b, Q_MODULE_TX_POWER_THRESHOLD_PW, 0, 1,
	       INT64_C(20000000000));
	expect(b, Q_LANE_TX_BIAS_FLAG, 3, 2, 1);
	expect(b, Q_LANE_TX_BIAS_FLAG, 3, 0, 0);
	expect(b, Q_LANE_TX_POWER_FLAG, 8, 1, 1);
	expect(b, Q_LANE_TX_FAULT, 4, 0, 1);
	expect(b, Q_LANE_TX_FAULT, 5, 0, 0);
	expect(b, Q_LANE_TX_DISABLED, 2, 0, 1);
	expect(b, Q_LANE_TX_DISABLED, 1, 0, 0);
	/* where other modules have them, they are not told twice */
	twin_u8(&b->image, 0, 0x01, 155, 0x02);
	twin_u8(&b->image, 0, 0x01, 157, 0x01);
	twin_u8(&b->image, 0, 0x01, 160, 0x03);
	decode(b, MODULE_ALL_PARTS);
	assert_int_equal(said_count(&b->said, Q_LANE_TX_BIAS_UA), 8);
	assert_int_equal(said_count(&b->said, Q_LANE_TX_POWER_PW), 8);
	assert_int_equal(said_count(&b->said, Q_LANE_TX_FAULT), 8);
	assert_int_equal(said_count(&b->said, Q_LANE_TX_DISABLED), 8);
	assert_int_equal(said_count(&b->said, Q_MODULE_TX_BIAS_THRESHOLD_UA),
			 4);
	/* the pages of any other module are its own */
	elsfp_put(b);
	twin_u8(&b->image, 0, MODULE_LOWER, 0, 0x19);
	decode(b, MODULE_ALL_PARTS);
	assert_int_equal(said_count(&b->said, Q_LANE_TX_BIAS_UA), 0);
}

static void test_coherent_flags_are_each_of_their_bit(void **state)
{
	struct bed *b = *state;

	twin_coherent(&b->image);
	for (unsigned bit = 0; bit < 8; bit++) {
		twin_u8(&b->image, 0, 0x33, 128, 1u << bit);
		twin_u8(&b->image, 0, 0x33, 129, 0xff);
		twin_u8(&b->image, 0, 0x33, 130, 0xff ^ 1u << bit);
		decode(b, MODULE_FLAGS);
		for (unsigned i = 0; i < 8; i++)
			expect(b, Q_LANE_RX_COHERENT_FLAG, 1, i, i != bit);
		for (unsigned i = 0; i < 6; i++)
			expect(b, Q_LANE_TX_COHERENT_FLAG, 1, i, i == bit);
		assert_int_equal(said_count(&b->said, Q_LANE_TX_COHERENT_FLAG),
				 6);
	}
	decode(b, MODULE_ALL_PARTS & ~(unsigned)MODULE_FLAGS);
	assert_int_equal(said_count(&b->said, Q_LANE_RX_COHERENT_FLAG), 0);
	twin_u8(&b->image, 0, 0x00, 212, 0);
	twin_u8(&b->image, 0, 0x01, 142, 0x60);
	decode(b, MODULE_FLAGS);
	assert_int_equal(said_count(&b->said, Q_LANE_RX_COHERENT_FLAG), 0);
}

/* 3Ah is as 34h. */
static void test_coherent_module_counts_what_its_host_sends(void **state)
{
	struct bed *b = *state;

	twin_coherent(&b->image);
	twin_u16(&b->image, 0, 0x3a, 130, 0x0100);	/* 2^40 bits */
	twin_u16(&b->image, 0, 0x3a, 138, 0x0001);	/* 2^32 each time */
	twin_u16(&b->image, 0, 0x3a, 146, 0);
	twin_u16(&b->image, 0, 0x3a, 148, 0x0040);	/* 2^22 wrong */
	twin_u16(&b->image, 0, 0x3a, 152, 0);
	twin_u16(&b->image, 0, 0x3a, 158, 0x2000);
	twin_u16(&b->image, 0, 0x3a, 170, 1000);
	twin_u16(&b->image, 0, 0x3a, 178, 1);
	decode(b, MODULE_PM);
	expect(b, Q_PM_HOST_PRE_FEC_BER_E18, 0, 0, INT64_C(3814697265625));
	expect(b, Q_PM_HOST_PRE_FEC_BER_E18, 0, 1, INT64_C(1907348632813));
	expect(b, Q_PM_HOST_UNCORRECTABLE_FRAMES_E18, 0, 0,
	       INT64_C(1000000000000000));
	expect(b, Q_PM_PRE_FEC_BER_E18, 0, 0, INT64_C(976562500000000));
}

/* Asked for a page that it does not have, a module answers with page 00h. */
static void test_coherent_pages_that_are_not_there_say_nothing(void **state)
{
	static const uint8_t pages[] = { 0x33, 0x3a, 0x42 };
	struct bed *b = *state;
	uint8_t zero[MODULE_PAGE_LEN];

	twin_coherent(&b->image);
	assert_int_equal(module_image_get(&b->image, 0, 0x00, 128, zero,
					  sizeof(zero)), 0);
	for (size_t i = 0; i < sizeof(pages); i++)
		twin_put(&b->image, 0, pages[i], 128, zero, sizeof(zero));
	decode(b, MODULE_ALL_PARTS);
	assert_int_equal(said_count(&b->said, Q_LANE_RX_COHERENT_FLAG), 0);
	assert_int_equal(said_count(&b->said, Q_PM_HOST_PRE_FEC_BER_E18), 0);
	assert_int_equal(said_count(&b->said, Q_PM_OSNR_MDB), 3);
	assert_int_equal(b->said.fault_count, 0);
}

/* As those of 35h are, which the same octets tell of. */
static void test_ratios_of_a_doubted_page_are_estimated(void **state)
{
	struct bed *b = *state;

	for (unsigned doubted = 0; doubted < 2; doubted++) {
		twin_coherent(&b->image);
		if (doubted) {
			twin_u8(&b->image, 0, 0x00, 222, 0x55);
			twin_u8(&b->image, 0, 0x01, 255, 0x55);
		}
		assert_int_equal(said_decode(&b->said, &b->image, MODULE_PM),
				 0);
		assert_int_equal(said_find(&b->said, Q_PM_PRE_FEC_BER_E18, 0,
					   0)->quality,
				 doubted ? QUALITY_ESTIMATED : QUALITY_GOOD);
		assert_int_equal(said_find(&b->said, Q_PM_OSNR_MDB, 0,
					   0)->quality,
				 doubted ? QUALITY_ESTIMATED : QUALITY_GOOD);
	}
}

/* A real one has the low 32 bits of the count of a sub-interval. */
static void test_minimum_far_above_the_average_is_no_ratio(void **state)
{
	static const struct {
		uint16_t least;		/* of 2^16 bits of a sub-interval */
		bool is_used;
	} rows[] = { { 63, true }, { 640, true }, { 720, false } };
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct said_value *least, *most;

		twin_coherent(&b->image);	/* 2^-10 on average */
		twin_u16(&b->image, 0, 0x34, 140, 1);
		twin_u16(&b->image, 0, 0x34, 142, 0);
		twin_u16(&b->image, 0, 0x34, 158, rows[i].least);
		twin_u16(&b->image, 0, 0x34, 166, 6400);
		decode(b, MODULE_PM);
		least = said_find(&b->said, Q_PM_PRE_FEC_BER_E18, 0, 1);
		most = said_find(&b->said, Q_PM_PRE_FEC_BER_E18, 0, 2);
		expect(b, Q_PM_PRE_FEC_BER_E18, 0, 0,
		       INT64_C(976562500000000));
		assert_int_equal(least != NULL, rows[i].is_used);
		assert_int_equal(most != NULL, rows[i].is_used);
		assert_int_equal(b->said.fault_count, !rows[i].is_used);
	}
}

/* 42h:128 to 140; a blank page tells nothing. */
static void test_coherent_module_has_what_its_page_tells(void **state)
{
	static const struct {
		enum quantity quantity;
		uint8_t octet, bit;
	} rows[] = {
		{ Q_PM_CD_PS_PER_NM, 130, 6 }, { Q_PM_DGD_FS, 130, 2 },
		{ Q_PM_SOPMD_FS2, 138, 2 }, { Q_PM_PDL_MDB, 131, 2 },
		{ Q_PM_OSNR_MDB, 132, 6 }, { Q_PM_ESNR_MDB, 132, 2 },
		{ Q_PM_CFO_MHZ, 133, 6 }, { Q_PM_EVM_PPM, 133, 2 },
		{ Q_PM_TX_POWER_PW, 134, 2 },
		{ Q_PM_SOP_ROC_KRAD_PER_S, 134, 6 },
		{ Q_PM_RX_TOTAL_POWER_PW, 135, 6 },
		{ Q_PM_RX_SIGNAL_POWER_PW, 135, 2 }, { Q_PM_MER_MDB, 139, 2 },
		{ Q_PM_CLOCK_RECOVERY_LOOP_PPM, 138, 6 },
		{ Q_PM_SOPMD_LOW_FS2, 131, 6 },
		{ Q_PM_SNR_MARGIN_MDB, 139, 6 }, { Q_PM_Q_FACTOR_MDB, 140, 6 },
		{ Q_PM_Q_MARGIN_MDB, 140, 2 },
	};
	const size_t n = sizeof(rows) / sizeof(rows[0]);
	struct bed *b = *state;

	twin_coherent(&b->image);
	for (unsigned octet = 128; octet < 242; octet++)
		twin_u8(&b->image, 0, 0x35, octet, 1);
	for (unsigned octet = 128; octet < 144; octet++)
		twin_u8(&b->image, 0, 0x42, octet, 0);
	decode(b, MODULE_PM);
	for (size_t k = 0; k < n; k++)
		assert_int_equal(said_count(&b->said, rows[k].quantity), 3);
	for (size_t i = 0; i < 3 * n; i++) {
		twin_u8(&b->image, 0, 0x42, rows[i / 3].octet,
			1u << (rows[i / 3].bit - i % 3));
		decode(b, MODULE_PM);
		for (size_t k = 0; k < n; k++)
			assert_int_equal(said_count(&b->said,
						    rows[k].quantity),
					 k == i / 3);
		expect(b, rows[i / 3].quantity, 0, i % 3,
		       said_find(&b->said, rows[i / 3].quantity, 0,
				 i % 3)->value);
		twin_u8(&b->image, 0, 0x42, rows[i / 3].octet, 0);
	}
}

/* 12h:231 has a bit for each event of the first lane. */
static void test_laser_flags_are_each_of_their_bit(void **state)
{
	static const enum quantity flags[] = {
		Q_LANE_TUNING_COMPLETE_FLAG, Q_LANE_WAVELENGTH_UNLOCKED_FLAG,
		Q_LANE_INVALID_CHANNEL_FLAG, Q_LANE_TUNING_NOT_ACCEPTED_FLAG,
		Q_LANE_FINE_TUNING_OOR_FLAG, Q_LANE_TX_POWER_OOR_FLAG,
	};
	struct bed *b = *state;

	twin_coherent(&b->image);
	twin_u8(&b->image, 0, 0x04, 129, 0x80);
	twin_u8(&b->image, 0, 0x04, 196, 0x80);
	for (unsigned bit = 0; bit < 6; bit++) {
		twin_u8(&b->image, 0, 0x12, 231, 1u << bit);
		decode(b, MODULE_FLAGS);
		for (unsigned i = 0; i < 6; i++)
			expect(b, flags[i], 1, 0, i == bit);
	}
}

/* Only what 04h:129 and 196 tell of; that page only where 01h:155 does. */
static void test_laser_has_what_its_page_advertises(void **state)
{
	static const struct {
		enum quantity quantity;
		uint8_t fine, power;	/* it needs that bit */
	} rows[] = {
		{ Q_LANE_LASER_GRID_MHZ, 0, 0 },
		{ Q_LANE_LASER_CHANNEL, 0, 0 },
		{ Q_LANE_LASER_FREQUENCY_MHZ, 0, 0 },
		{ Q_LANE_TUNING_COMPLETE_FLAG, 0, 0 },
		{ Q_LANE_WAVELENGTH_UNLOCKED_FLAG, 0, 0 },
		{ Q_LANE_FINE_TUNING_ON, 1, 0 },
		{ Q_LANE_FINE_TUNING_MHZ, 1, 0 },
		{ Q_LANE_FINE_TUNING_OOR_FLAG, 1, 0 },
		{ Q_LANE_TX_CONFIG_POWER_PW, 0, 1 },
		{ Q_LANE_TX_POWER_OOR_FLAG, 0, 1 },
		{ Q_MODULE_TX_POWER_MIN_PW, 0, 1 },
		{ Q_MODULE_TX_POWER_MAX_PW, 0, 1 },
	};
	struct bed *b = *state;

	for (unsigned has = 0; has < 8; has++) {
		bool fine = has & 1, power = has & 2, tunable = has & 4;

		twin_coherent(&b->image);
		twin_u8(&b->image, 0, 0x01, 155, tunable ? 0x42 : 0x02);
		twin_u8(&b->image, 0, 0x04, 129, fine ? 0x80 : 0x7f);
		twin_u8(&b->image, 0, 0x04, 196, power ? 0x80 : 0x7f);
		decode(b, MODULE_ALL_PARTS);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			assert_int_equal(said_count(&b->said,
						    rows[i].quantity),
					 tunable && fine >= rows[i].fine &&
					 power >= rows[i].power);
		assert_int_equal(said_count(&b->said,
					    Q_MODULE_LASER_GRID_SUPPORTED),
				 tunable ? 10 : 0);
	}
}

static void test_laser_tells_its_channel_and_what_is_beside_it(void **state)
{
	static const int64_t spacings[] = {
		3125, 6250, 12500, 25000, 50000, 100000, 33333, 75000, 150000,
	};
	/* of channel -60, which 33, 75 and 150 GHz count in parts */
	static const int64_t mhz[] = {
		192912500, 192725000, 192350000, 191600000, 190100000,
		187100000, 191100000, 191600000, 191675000,
	};
	struct bed *b = *state;

	twin_coherent(&b->image);
	twin_u16(&b->image, 0, 0x12, 136, (uint16_t)-60);
	twin_u16(&b->image, 0, 0x12, 152, (uint16_t)-1250);
	for (unsigned grid = 0; grid < 9; grid++) {
		twin_u8(&b->image, 0, 0x12, 128, grid << 4 | (grid & 1));
		decode(b, MODULE_CONTROLS);
		expect(b, Q_LANE_LASER_GRID_MHZ, 1, 0, spacings[grid]);
		expect(b, Q_LANE_LASER_CHANNEL, 1, 0, -60);
		expect(b, Q_LANE_LASER_CONFIG_FREQUENCY_MHZ, 1, 0, mhz[grid]);
		expect(b, Q_LANE_FINE_TUNING_ON, 1, 0, grid & 1);
		expect(b, Q_LANE_FINE_TUNING_MHZ, 1, 0, -1250);
	}
	twin_u8(&b->image, 0, 0x12, 128, 0xf0);	/* none is selected */
	decode(b, MODULE_CONTROLS);
	assert_int_equal(said_count(&b->said, Q_LANE_LASER_GRID_MHZ), 0);
}

/* Each grid has its ends, and only the grids that are supported count. */
static void test_laser_reaches_as_far_as_one_of_its_grids(void **state)
{
	struct bed *b = *state;

	twin_coherent(&b->image);
	for (unsigned grid = 0; grid < 9; grid++) {
		twin_u16(&b->image, 0, 0x04, 130 + 4 * grid, (uint16_t)-60);
		twin_u16(&b->image, 0, 0x04, 132 + 4 * grid, 60);
	}
	twin_u8(&b->image, 0, 0x04, 128, 0x10);	/* 50 GHz */
	decode(b, MODULE_IDENTITY);
	expect(b, Q_MODULE_LASER_FREQUENCY_MIN_GHZ, 0, 0, 190100);
	expect(b, Q_MODULE_LASER_FREQUENCY_MAX_GHZ, 0, 0, 196100);
	expect(b, Q_MODULE_LASER_GRID_SUPPORTED, 0, 4, 1);
	expect(b, Q_MODULE_LASER_GRID_SUPPORTED, 0, 7, 0);
	twin_u8(&b->image, 0, 0x04, 128, 0x90);
	twin_u16(&b->image, 0, 0x04, 160, 160);
	decode(b, MODULE_IDENTITY);
	expect(b, Q_MODULE_LASER_FREQUENCY_MIN_GHZ, 0, 0, 190100);
	expect(b, Q_MODULE_LASER_FREQUENCY_MAX_GHZ, 0, 0, 197100);
	twin_u8(&b->image, 0, 0x04, 128, 0);
	twin_u8(&b->image, 0, 0x04, 129, 0x40);	/* 150 GHz, by 25 GHz */
	decode(b, MODULE_IDENTITY);
	expect(b, Q_MODULE_LASER_FREQUENCY_MIN_GHZ, 0, 0, 191675);
	expect(b, Q_MODULE_LASER_GRID_SUPPORTED, 0, 8, 1);
	twin_u16(&b->image, 0, 0x04, 166, (uint16_t)-39);
	twin_u16(&b->image, 0, 0x04, 168, 81);
	twin_u8(&b->image, 0, 0x04, 129, 0x20);	/* 300 GHz, by 12.5 GHz */
	decode(b, MODULE_IDENTITY);
	expect(b, Q_MODULE_LASER_FREQUENCY_MIN_GHZ, 0, 0, 192500);
	expect(b, Q_MODULE_LASER_FREQUENCY_MAX_GHZ, 0, 0, 194000);
	expect(b, Q_MODULE_LASER_GRID_SUPPORTED, 0, 8, 0);
	expect(b, Q_MODULE_LASER_GRID_SUPPORTED, 0, 9, 1);
	twin_u8(&b->image, 0, 0x04, 129, 0);
	decode(b, MODULE_IDENTITY);
	assert_int_equal(said_count(&b->said,
				    Q_MODULE_LASER_FREQUENCY_MIN_GHZ), 0);
	/* a dump that ends before its last grid does not tell how far */
	twin_u8(&b->image, 0, 0x04, 128, 0x90);
	for (unsigned i = 0; i < b->image.count; i++)
		if (b->image.page[i].page == 0x04)
			b->image.page[i].have[0] = UINT64_C(0xffffffff);
	decode(b, MODULE_IDENTITY);
	assert_int_equal(said_count(&b->said,
				    Q_MODULE_LASER_FREQUENCY_MAX_GHZ), 0);
}

/* --- auxiliary monitors of CMIS ------------------------------------------ */

#define NONE INT64_MIN

/* 01h:145: bit 0 aux 1 is a cooler, else the vendor's; 1: aux 2 is a cooler,
 * else a laser; 2: aux 3 is a supply, else a laser. 01h:159 bits 2 to 4: which
 * of the three is there. Aux 2 reads 50 and aux 3 60 degrees; as coolers aux 1
 * a tenth, aux 2 39.06 percent.
 */
static void test_each_auxiliary_monitor_is_told_once(void **state)
{
	static const struct {
		uint8_t kinds, there;
		int64_t laser, laser_2, cooler, cooler_2;
	} cases[] = {
		{ 0x0, 0x1c, 50000, 60000, NONE, NONE },
		{ 0x1, 0x1c, 50000, 60000, 100009, NONE },
		{ 0x0, 0x10, 60000, NONE, NONE, NONE },
		{ 0x0, 0x08, 50000, NONE, NONE, NONE },
		{ 0x2, 0x1c, 60000, NONE, 390637, NONE },
		{ 0x2, 0x10, 60000, NONE, NONE, NONE },
		{ 0x3, 0x1c, 60000, NONE, 100009, 390637 },
		{ 0x3, 0x18, 60000, NONE, 390637, NONE },
		{ 0x4, 0x1c, 50000, NONE, NONE, NONE },
		{ 0x4, 0x10, NONE, NONE, NONE, NONE },
		{ 0x7, 0x1c, NONE, NONE, 100009, 390637 },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct {
			enum quantity value, flag;
			int64_t want;
		} rows[] = {
			{ Q_MODULE_LASER_TEMP_MC, Q_MODULE_LASER_TEMP_FLAG,
			  cases[i].laser },
			{ Q_MODULE_LASER_2_TEMP_MC, Q_MODULE_LASER_2_TEMP_FLAG,
			  cases[i].laser_2 },
			{ Q_MODULE_TEC_CURRENT_PPM, Q_MODULE_TEC_CURRENT_FLAG,
			  cases[i].cooler },
			{ Q_MODULE_TEC_2_CURRENT_PPM,
			  Q_MODULE_TEC_2_CURRENT_FLAG, cases[i].cooler_2 },
		};

		twin_cmis(&b->image);
		twin_u8(&b->image, 0, 0x01, 145, cases[i].kinds);
		twin_u8(&b->image, 0, 0x01, 159, 0x03 | cases[i].there);
		twin_u16(&b->image, 0, MODULE_LOWER, 18, 3277);
		twin_u16(&b->image, 0, MODULE_LOWER, 20, 0x3200);
		twin_u16(&b->image, 0, MODULE_LOWER, 22, 0x3c00);
		decode(b, MODULE_MONITORS | MODULE_FLAGS);
		for (size_t k = 0; k < 4; k++) {
			bool is_there = rows[k].want != NONE;

			assert_int_equal(said_count(&b->said, rows[k].value),
					 is_there);
			assert_int_equal(said_count(&b->said, rows[k].flag),
					 4 * is_there);
			if (is_there)
				expect(b, rows[k].value, 0, 0, rows[k].want);
		}
	}
}

static void test_second_laser_has_its_own_thresholds(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	twin_u8(&b->image, 0, 0x01, 159, 0x1f);
	twin_u16(&b->image, 0, 0x02, 160, 0x5000);
	twin_u16(&b->image, 0, 0x02, 162, 0x0a00);
	twin_u8(&b->image, 0, MODULE_LOWER, 11, 0x01);
	decode(b, MODULE_THRESHOLDS | MODULE_FLAGS);
	expect(b, Q_MODULE_LASER_TEMP_THRESHOLD_MC, 0, 0, 70000);
	expect(b, Q_MODULE_LASER_2_TEMP_THRESHOLD_MC, 0, 0, 80000);
	expect(b, Q_MODULE_LASER_2_TEMP_THRESHOLD_MC, 0, 1, 10000);
	expect(b, Q_MODULE_LASER_TEMP_FLAG, 0, 0, 0);
	expect(b, Q_MODULE_LASER_2_TEMP_FLAG, 0, 0, 1);
}

/* --- what it tells of itself --------------------------------------------- */

static void test_cmis_tells_its_reach_and_what_power_it_measures(void **state)
{
	static const uint8_t lengths[] = { 0x42, 0, 50, 35, 0 };
	static const int64_t far[] = { 50000, 100000, 200000, 500000 };
	struct bed *b = *state;

	twin_cmis(&b->image);
	twin_put(&b->image, 0, 0x01, 132, lengths, sizeof(lengths));
	twin_u16(&b->image, 0, 0x01, 140, 1300);
	twin_u8(&b->image, 0, 0x01, 146, 75);
	twin_u8(&b->image, 0, 0x01, 147, 0xfb);
	twin_u8(&b->image, 0, 0x01, 151, 0x10);
	decode(b, MODULE_IDENTITY);
	expect(b, Q_MODULE_REACH_M, 0, 0, 2000);
	expect(b, Q_MODULE_REACH_M, 0, 4, 100);
	expect(b, Q_MODULE_REACH_M, 0, 3, 70);
	assert_int_equal(said_count(&b->said, Q_MODULE_REACH_M), 3);
	expect(b, Q_MODULE_WAVELENGTH_TOLERANCE_PM, 0, 0, 6500);
	expect(b, Q_MODULE_CASE_TEMP_LIMIT_MC, 0, 0, 75000);
	expect(b, Q_MODULE_CASE_TEMP_LIMIT_MC, 0, 1, -5000);
	expect(b, Q_MODULE_RX_POWER_AVERAGE, 0, 0, 1);

	twin_u8(&b->image, 0, 0x01, 132, 0x05);	/* tenths of a km */
	twin_u8(&b->image, 0, 0x01, 151, 0);
	decode(b, MODULE_IDENTITY);
	expect(b, Q_MODULE_REACH_M, 0, 0, 500);
	expect(b, Q_MODULE_RX_POWER_AVERAGE, 0, 0, 0);

	twin_u8(&b->image, 0, 0x01, 132, 0x88);	/* tens of km */
	decode(b, MODULE_IDENTITY);
	expect(b, Q_MODULE_REACH_M, 0, 0, 80000);
	twin_u8(&b->image, 0, 0x01, 132, 0xc8);	/* not in CMIS 5.2 */
	decode(b, MODULE_IDENTITY);
	assert_null(said_find(&b->said, Q_MODULE_REACH_M, 0, 0));
	twin_u8(&b->image, 0, MODULE_LOWER, 1, 0x53);
	for (unsigned code = 0; code < 4; code++) {	/* hundreds of km */
		twin_u8(&b->image, 0, 0x01, 137, code << 6);
		decode(b, MODULE_IDENTITY);
		expect(b, Q_MODULE_REACH_M, 0, 0, 8 * far[code]);
	}
}

static void test_copper_tells_its_attenuation_and_no_wavelength(void **state)
{
	static const uint8_t decibel[] = { 5, 7, 9, 13, 20 };
	struct bed *b = *state;

	twin_cmis_flat(&b->image);
	twin_put(&b->image, 0, 0x00, 204, decibel, sizeof(decibel));
	decode(b, MODULE_IDENTITY);
	for (unsigned i = 0; i < 5; i++)
		expect(b, Q_MODULE_ATTENUATION_MDB, 0, i + 1,
		       decibel[i] * 1000);

	twin_sff8636(&b->image);
	twin_u8(&b->image, 0, 0x00, 147, 0xa0);
	twin_put(&b->image, 0, 0x00, 186, decibel, 4);
	twin_u8(&b->image, 0, 0x00, 145, decibel[4]);
	decode(b, MODULE_IDENTITY);
	for (unsigned i = 0; i < 5; i++)
		expect(b, Q_MODULE_ATTENUATION_MDB, 0, i, decibel[i] * 1000);
	assert_null(said_find(&b->said, Q_MODULE_WAVELENGTH_PM, 0, 0));
	assert_null(said_find(&b->said, Q_MODULE_WAVELENGTH_TOLERANCE_PM, 0,
			      0));
}

static void test_copper_of_an_sfp_tells_its_attenuation_too(void **state)
{
	struct bed *b = *state;

	twin_sff8472(&b->image);
	twin_u16(&b->image, 0, MODULE_LOWER, 14, 9 << 8 | 14);
	for (unsigned cable = 0; cable <= 8; cable += 4) {
		twin_u8(&b->image, 0, MODULE_LOWER, 8, cable);
		decode(b, MODULE_IDENTITY);
		if (cable != 4) {
			assert_int_equal(said_count(&b->said,
					 Q_MODULE_ATTENUATION_MDB), 0);
			continue;
		}
		expect(b, Q_MODULE_ATTENUATION_MDB, 0, 3, 9000);
		expect(b, Q_MODULE_ATTENUATION_MDB, 0, 4, 14000);
		assert_int_equal(said_count(&b->said, Q_MODULE_REACH_M), 0);
	}
}

/* A0h:19 has a multiplier above six bits. */
static void test_cable_of_an_sfp_tells_tenths_of_a_metre(void **state)
{
	static const struct {
		uint8_t metres, next;
		const char *length;
	} cases[] = {
		{ 3, 0, "3" },
		{ 3, 25, "2.5" },		/* rounded up in A0h:18 */
		{ 0, 5, "0.5" },
		{ 0xff, 0x80 | 30, "300" },
		{ 0xff, 0, "255" },
		{ 3, 3, "3" },			/* no 0.3 m */
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		twin_sff8472(&b->image);
		twin_u8(&b->image, 0, MODULE_LOWER, 8, 0x04);
		twin_u8(&b->image, 0, MODULE_LOWER, 18, cases[i].metres);
		twin_u8(&b->image, 0, MODULE_LOWER, 19, cases[i].next);
		decode(b, MODULE_IDENTITY);
		assert_string_equal(b->said.text[ATTRIBUTE_CABLE_LENGTH],
				    cases[i].length);
	}
}

static const enum quantity light[] = {
	Q_LANE_RX_POWER_PW, Q_LANE_TX_POWER_PW, Q_LANE_TX_BIAS_UA,
	Q_LANE_RX_POWER_FLAG, Q_LANE_TX_POWER_FLAG, Q_LANE_TX_BIAS_FLAG,
	Q_MODULE_RX_POWER_THRESHOLD_PW, Q_MODULE_TX_POWER_THRESHOLD_PW,
	Q_MODULE_TX_BIAS_THRESHOLD_UA,
};
#define LIGHT (sizeof(light) / sizeof(light[0]))

static void test_linear_copper_is_active(void **state)
{
	static const uint8_t technologies[] = { 0x0a, 0x0b, 0x0f, 0x12, 0x14 };
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(technologies); i++) {
		twin_cmis_flat(&b->image);
		twin_u8(&b->image, 0, 0x00, 212, technologies[i]);
		decode(b, MODULE_IDENTITY);
		assert_string_equal(b->said.text[ATTRIBUTE_CABLE],
				    i < 2 ? "passive copper" : "active copper");
		assert_string_equal(b->said.text[ATTRIBUTE_MEDIA],
				    i < 2 ? "DAC" : "ACC");
	}
	twin_u8(&b->image, 0, 0x00, 212, 0x0c);
	decode(b, MODULE_IDENTITY);
	assert_string_equal(b->said.text[ATTRIBUTE_MEDIA], "AEC");
}

/* 00h:93, a bit for classes 5 to 7 and one for class 8. */
static void test_qsfp_of_high_power_wants_to_be_allowed(void **state)
{
	static const struct {
		uint8_t class, allowed;
		int may;		/* -1: it need not ask */
	} cases[] = {
		{ 0xc0, 0x00, -1 }, { 0xcd, 0x08, 0 }, { 0xcd, 0x04, 1 },
		{ 0x03, 0x0c, 1 },  { 0x20, 0x04, 0 }, { 0x23, 0x08, 1 },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		twin_sff8636(&b->image);
		twin_u8(&b->image, 0, 0x00, 129, cases[i].class);
		twin_u8(&b->image, 0, MODULE_LOWER, 93, cases[i].allowed);
		twin_seal(&b->image);
		decode(b, MODULE_CONTROLS);
		assert_int_equal(said_count(&b->said, Q_MODULE_HIGH_POWER),
				 cases[i].may >= 0);
		if (cases[i].may >= 0)
			expect(b, Q_MODULE_HIGH_POWER, 0, 0, cases[i].may);
	}
	twin_u8(&b->image, 0, 0x00, 147, 0xa0);
	twin_seal(&b->image);
	decode(b, MODULE_CONTROLS);
	assert_int_equal(said_count(&b->said, Q_MODULE_HIGH_POWER), 0);
}

/* Zeros where light would be measured do not mean dark. */
static void test_active_copper_of_a_qsfp_has_no_light(void **state)
{
	static const struct {
		uint8_t technology;
		const char *media;
		bool has_light;
	} cases[] = {
		{ 0x90, "CWDM4", true },  { 0xc0, "AEC", false },
		{ 0xe0, "AEC", false },	  { 0xf0, "ACC", false },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		twin_sff8636(&b->image);
		twin_u8(&b->image, 0, 0x00, 147, cases[i].technology);
		for (unsigned n = 34; n < 58; n += 2)
			twin_u16(&b->image, 0, MODULE_LOWER, n, 0);
		for (unsigned n = 0; n < 12; n++)
			twin_u16(&b->image, 0, 0x03, 176 + 2 * n,
				 "4132"[n % 4] << 8);
		twin_seal(&b->image);
		decode(b, MODULE_ALL_PARTS);
		assert_string_equal(b->said.text[ATTRIBUTE_MEDIA],
				    cases[i].media);
		expect(b, Q_MODULE_TEMP_MC, 0, 0, 31250);
		assert_true(said_find(&b->said, Q_LANE_RX_LOS, 1, 0));
		for (unsigned n = 0; n < LIGHT; n++)
			assert_int_equal(said_count(&b->said, light[n]) > 0,
					 cases[i].has_light);
	}
}

/* An active cable of an SFP is optical if it ends in fibre or has a wavelength;
 * a passive one may lack its bit.
 */
static void test_cable_of_an_sfp_without_a_code_of_its_own(void **state)
{
	static const struct {
		uint8_t technology, connector, code;
		uint16_t wavelength;
		const char *media, *cable;
	} cases[] = {
		{ 0x08, 0x0b, 0, 0, "AOC", "active optical cable" },
		{ 0x08, 0x23, 0, 850, "AOC", "active optical cable" },
		{ 0x08, 0x23, 0, 0x0400, "AEC", "active copper" },
		{ 0x08, 0x23, 0, 0x0001, "AEC", "active copper" },
		{ 0x08, 0x21, 0, 850, "AEC", "active copper" },
		{ 0x08, 0x23, 0x08, 850, "AEC", "active copper" },
		{ 0, 0x21, 0, 0, "DAC", "passive copper" },
		{ 0, 0x23, 0x0b, 0, "DAC", "passive copper" },
		{ 0, 0x23, 0x40, 0, "DAC", "passive copper" },
		{ 0, 0x07, 0x02, 850, "SR", "optics" },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool is_cable = strcmp(cases[i].cable, "optics") != 0;

		twin_sff8472(&b->image);
		twin_u8(&b->image, 0, MODULE_LOWER, 2, cases[i].connector);
		twin_u8(&b->image, 0, MODULE_LOWER, 3, 0);
		twin_u8(&b->image, 0, MODULE_LOWER, 8, cases[i].technology);
		twin_u8(&b->image, 0, MODULE_LOWER, 18, 7);
		twin_u8(&b->image, 0, MODULE_LOWER, 36, cases[i].code);
		twin_u16(&b->image, 0, MODULE_LOWER, 60, cases[i].wavelength);
		decode(b, MODULE_IDENTITY);
		assert_string_equal(b->said.text[ATTRIBUTE_MEDIA],
				    cases[i].media);
		assert_string_equal(b->said.text[ATTRIBUTE_CABLE],
				    cases[i].cable);
		assert_string_equal(b->said.text[ATTRIBUTE_CABLE_LENGTH],
				    is_cable ? "7" : "");
		assert_int_equal(said_find(&b->said, Q_MODULE_REACH_M, 0, 4) !=
				 NULL, !is_cable);
	}
}

static void test_qsfp_tells_its_reach_and_what_power_it_measures(void **state)
{
	static const uint8_t lengths[] = { 2, 35, 82, 33, 50 };
	struct bed *b = *state;

	twin_sff8636(&b->image);
	twin_put(&b->image, 0, 0x00, 142, lengths, sizeof(lengths));
	twin_u8(&b->image, 0, 0x00, 190, 75);
	twin_u8(&b->image, 0, 0x00, 220, 0x34);
	decode(b, MODULE_IDENTITY);
	expect(b, Q_MODULE_REACH_M, 0, 0, 2000);
	expect(b, Q_MODULE_REACH_M, 0, 3, 70);
	expect(b, Q_MODULE_REACH_M, 0, 2, 82);
	expect(b, Q_MODULE_REACH_M, 0, 1, 33);
	expect(b, Q_MODULE_REACH_M, 0, 4, 100);	/* OM4 counts 2 m */
	assert_string_equal(b->said.text[ATTRIBUTE_CABLE_LENGTH], "");
	expect(b, Q_MODULE_CASE_TEMP_LIMIT_MC, 0, 0, 75000);
	expect(b, Q_MODULE_RX_POWER_AVERAGE, 0, 0, 0);
	twin_u8(&b->image, 0, 0x00, 220, 0x3c);
	decode(b, MODULE_IDENTITY);
	expect(b, Q_MODULE_RX_POWER_AVERAGE, 0, 0, 1);
}

/* The octet of OM4, 2 m each, is the length of a cable in metres. */
static void test_length_of_an_optical_cable_is_no_reach(void **state)
{
	struct bed *b = *state;

	twin_sff8636(&b->image);
	twin_u8(&b->image, 0, 0x00, 146, 30);
	twin_u8(&b->image, 0, 0x00, 192, 0x18);
	decode(b, MODULE_IDENTITY);
	assert_null(said_find(&b->said, Q_MODULE_REACH_M, 0, 4));
	assert_string_equal(b->said.text[ATTRIBUTE_CABLE_LENGTH], "30");
	/* it may be either where what the module is was not read */
	for (unsigned i = 0; i < b->image.count; i++)
		if (b->image.page[i].page == 0x00)
			b->image.page[i].have[0] &= ~(UINT64_C(1) << 19);
	decode(b, MODULE_IDENTITY);
	assert_string_equal(b->said.text[ATTRIBUTE_CABLE_LENGTH], "");
}

/* A0h:18 counts 10 m of OM4, and 1 m of copper, an AOC's length too. */
static void test_sfp_counts_copper_in_metres(void **state)
{
	static const struct {
		uint8_t place, octet;
		int copper;
		const char *length;
	} cases[] = {
		{ 36, 0x1c, 30, "" },		/* 10GBASE-T short reach */
		{ 6, 0x08, 30, "" },		/* 1000BASE-T */
		{ 2, 0x22, 30, "" },		/* RJ45 */
		{ 36, 0x18, 0, "30" },		/* 25G AOC */
		{ 8, 0x04, 0, "30" },		/* passive copper */
		{ 8, 0x08, 0, "30" },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		twin_sff8472(&b->image);
		twin_u8(&b->image, 0, MODULE_LOWER, 18, 30);
		twin_u8(&b->image, 0, MODULE_LOWER, cases[i].place,
			cases[i].octet);
		decode(b, MODULE_IDENTITY);
		assert_null(said_find(&b->said, Q_MODULE_REACH_M, 0, 4));
		assert_string_equal(b->said.text[ATTRIBUTE_CABLE_LENGTH],
				    cases[i].length);
		if (cases[i].copper)
			expect(b, Q_MODULE_REACH_M, 0, 6, cases[i].copper);
		else
			assert_null(said_find(&b->said, Q_MODULE_REACH_M, 0,
					      6));
	}
}

static void test_sfp_tells_its_reach_once_for_each_fibre(void **state)
{
	static const uint8_t lengths[] = { 10, 100, 8, 3, 40, 30 };
	struct bed *b = *state;

	twin_sff8472(&b->image);
	twin_put(&b->image, 0, MODULE_LOWER, 14, lengths, sizeof(lengths));
	decode(b, MODULE_IDENTITY);
	expect(b, Q_MODULE_REACH_M, 0, 0, 10000);
	expect(b, Q_MODULE_REACH_M, 0, 2, 80);
	expect(b, Q_MODULE_REACH_M, 0, 1, 30);
	expect(b, Q_MODULE_REACH_M, 0, 4, 400);
	expect(b, Q_MODULE_REACH_M, 0, 3, 300);
	assert_int_equal(said_count(&b->said, Q_MODULE_REACH_M), 5);
	/* below a kilometre only the hundreds of metres tell */
	twin_u8(&b->image, 0, MODULE_LOWER, 14, 0);
	twin_u8(&b->image, 0, MODULE_LOWER, 15, 5);
	decode(b, MODULE_IDENTITY);
	expect(b, Q_MODULE_REACH_M, 0, 0, 500);
}

/* --- options ------------------------------------------------------------- */

/* The pin's level decides unless it is overridden. */
static void test_qsfp_low_power_wants_the_override_too(void **state)
{
	static const struct {
		unsigned octet;
		int64_t value;
	} cases[] = { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 3, 1 }, { 7, 1 } };
	struct bed *b = *state;

	twin_sff8636(&b->image);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		twin_u8(&b->image, 0, MODULE_LOWER, 93, cases[i].octet);
		decode(b, MODULE_CONTROLS);
		expect(b, Q_MODULE_LOW_POWER, 0, 0, cases[i].value);
	}
}

static void test_qsfp_with_one_cdr_tells_of_that(void **state)
{
	struct bed *b = *state;

	twin_sff8636(&b->image);
	twin_u8(&b->image, 0, MODULE_LOWER, 98, 0xff);
	twin_u8(&b->image, 0, 0x00, 129, 0x04);
	decode(b, MODULE_CONTROLS);
	expect(b, Q_LANE_RX_CDR_ON, 1, 0, 1);
	assert_null(said_find(&b->said, Q_LANE_TX_CDR_ON, 1, 0));
	twin_u8(&b->image, 0, 0x00, 129, 0x08);
	decode(b, MODULE_CONTROLS);
	expect(b, Q_LANE_TX_CDR_ON, 1, 0, 1);
	assert_null(said_find(&b->said, Q_LANE_RX_CDR_ON, 1, 0));
}

/* The host may use the pin or the bit; either turns the laser off. */
static void test_sfp_turned_off_by_its_pin_or_its_bit_is_off(void **state)
{
	static const uint8_t octets[] = { 0x00, 0x80, 0x40, 0xc0 };
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(octets); i++) {
		twin_sff8472(&b->image);
		twin_u8(&b->image, 1, MODULE_LOWER, 110, octets[i]);
		decode(b, MODULE_STATUS);
		expect(b, Q_LANE_TX_DISABLED, 1, 0, octets[i] != 0);
	}
}

static void test_sfp_that_inverts_loss_of_signal_is_heard_so(void **state)
{
	struct bed *b = *state;

	twin_sff8472(&b->image);
	twin_u8(&b->image, 0, MODULE_LOWER, 93, 0xf0);
	twin_u8(&b->image, 1, MODULE_LOWER, 110, 0x02);
	twin_u8(&b->image, 0, MODULE_LOWER, 65, 0x1a);
	decode(b, MODULE_STATUS);
	expect(b, Q_LANE_RX_LOS, 1, 0, 1);
	twin_u8(&b->image, 0, MODULE_LOWER, 65, 0x1c);
	decode(b, MODULE_STATUS);
	expect(b, Q_LANE_RX_LOS, 1, 0, 0);
	assert_int_equal(said_count(&b->said, Q_LANE_RX_LOS), 1);
}

static void test_sfp_with_a_cooled_laser_tells_of_it(void **state)
{
	struct bed *b = *state;

	twin_sff8472(&b->image);
	twin_u16(&b->image, 1, MODULE_LOWER, 106, 0x2d80);
	twin_u16(&b->image, 1, MODULE_LOWER, 108, 0xff38);
	twin_u16(&b->image, 1, MODULE_LOWER, 40, 0x3c00);
	twin_u16(&b->image, 1, MODULE_LOWER, 48, 2000);
	decode(b, MODULE_MONITORS | MODULE_THRESHOLDS);
	assert_null(said_find(&b->said, Q_MODULE_LASER_TEMP_MC, 0, 0));
	twin_u8(&b->image, 0, MODULE_LOWER, 64, 0x04);
	decode(b, MODULE_MONITORS | MODULE_THRESHOLDS);
	expect(b, Q_MODULE_LASER_TEMP_MC, 0, 0, 45500);
	expect(b, Q_MODULE_TEC_CURRENT_UA, 0, 0, -20000);
	expect(b, Q_MODULE_LASER_TEMP_THRESHOLD_MC, 0, 0, 60000);
	expect(b, Q_MODULE_TEC_CURRENT_THRESHOLD_UA, 0, 0, 200000);
	/* a tunable one may have its wavelength there */
	twin_u8(&b->image, 0, MODULE_LOWER, 65, 0x40);
	decode(b, MODULE_MONITORS);
	assert_null(said_find(&b->said, Q_MODULE_LASER_TEMP_MC, 0, 0));
}

/* A2h:110, 118, 119: only where A0h:64, 65 and 93 say that they are there. */
static void test_sfp_tells_its_rate_its_power_and_its_cdrs(void **state)
{
	static const int64_t rates[] = { 1, 0, 0, 1 };
	struct bed *b = *state;

	twin_sff8472(&b->image);
	twin_u8(&b->image, 1, MODULE_LOWER, 110, 0x10);
	twin_u8(&b->image, 1, MODULE_LOWER, 118, 0x0a);
	twin_u8(&b->image, 1, MODULE_LOWER, 119, 0x01);
	twin_u8(&b->image, 0, MODULE_LOWER, 64, 0);
	twin_u8(&b->image, 0, MODULE_LOWER, 65, 0);
	decode(b, MODULE_STATUS);
	assert_int_equal(said_count(&b->said, Q_MODULE_RATE_HIGH), 0);
	assert_null(said_find(&b->said, Q_MODULE_LOW_POWER, 0, 0));
	assert_null(said_find(&b->said, Q_LANE_RX_CDR_UNLOCKED, 1, 0));
	twin_u8(&b->image, 0, MODULE_LOWER, 64, 0x0a);
	twin_u8(&b->image, 0, MODULE_LOWER, 65, 0x20);
	twin_u8(&b->image, 0, MODULE_LOWER, 93, 0xf8);
	decode(b, MODULE_STATUS);
	for (unsigned i = 0; i < 4; i++)
		expect(b, Q_MODULE_RATE_HIGH, 0, i, rates[i]);
	expect(b, Q_MODULE_LOW_POWER, 0, 0, 1);
	expect(b, Q_MODULE_HIGH_POWER, 0, 0, 1);
	expect(b, Q_LANE_HOST_CDR_UNLOCKED, 1, 0, 0);
	expect(b, Q_LANE_RX_CDR_UNLOCKED, 1, 0, 1);
}

/* A0h:64 asks for a power level; of level 4 A2h:66 says how much it is. */
static void test_sfp_tells_its_power_level(void **state)
{
	static const struct {
		unsigned octet;
		int64_t level;
	} cases[] = {
		{ 0x00, 1 }, { 0x02, 2 }, { 0x20, 3 }, { 0x22, 3 },
		{ 0x40, 4 }, { 0x62, 4 }, { 0x1d, 1 },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		twin_sff8472(&b->image);
		twin_u8(&b->image, 0, MODULE_LOWER, 64, cases[i].octet);
		twin_u8(&b->image, 1, MODULE_LOWER, 66, 32);
		decode(b, MODULE_ALL_PARTS);
		expect(b, Q_MODULE_POWER_CLASS, 0, 0, cases[i].level);
		assert_int_equal(said_count(&b->said, Q_MODULE_MAX_POWER_UW),
				 cases[i].level == 4);
		if (cases[i].level != 4)
			continue;
		expect(b, Q_MODULE_MAX_POWER_UW, 0, 0, 3200000);
		expect(b, Q_MODULE_HIGH_POWER, 0, 0, 0);
		/* there are constants at 66 */
		twin_u8(&b->image, 0, MODULE_LOWER, 92, 0x58);
		decode(b, MODULE_IDENTITY);
		assert_null(said_find(&b->said, Q_MODULE_MAX_POWER_UW, 0, 0));
	}
}

/* SFF-8690: A2h page 02h, where A0h:65 and A0h:64 say that it is there. */
static void tuning_put(struct bed *b, unsigned first, unsigned last,
		       int spacing)
{
	twin_sff8472(&b->image);
	twin_u8(&b->image, 0, MODULE_LOWER, 64, 0x10);
	twin_u8(&b->image, 0, MODULE_LOWER, 65, 0x40);
	twin_u16(&b->image, 1, 0x02, 132, first / 10000);
	twin_u16(&b->image, 1, 0x02, 134, first % 10000);
	twin_u16(&b->image, 1, 0x02, 136, last / 10000);
	twin_u16(&b->image, 1, 0x02, 138, last % 10000);
	twin_u16(&b->image, 1, 0x02, 140, (uint16_t)spacing);
	twin_u16(&b->image, 1, 0x02, 144, 33);
	twin_u8(&b->image, 1, 0x02, 168, 0x10);
	twin_u8(&b->image, 1, 0x02, 172, 0x20);
}

static void test_sfp_tells_how_its_laser_is_tuned(void **state)
{
	struct bed *b = *state;

	tuning_put(b, 1913500, 1961000, 500);
	decode(b, MODULE_ALL_PARTS);
	expect(b, Q_MODULE_LASER_FREQUENCY_MIN_GHZ, 0, 0, 191350);
	expect(b, Q_MODULE_LASER_FREQUENCY_MAX_GHZ, 0, 0, 196100);
	expect(b, Q_LANE_LASER_GRID_MHZ, 1, 0, 50000);
	expect(b, Q_LANE_LASER_CHANNEL, 1, 0, 33);
	expect(b, Q_LANE_LASER_CONFIG_FREQUENCY_MHZ, 1, 0, 192950000);
	expect(b, Q_LANE_TUNING, 1, 0, 1);
	expect(b, Q_LANE_WAVELENGTH_UNLOCKED, 1, 0, 0);
	expect(b, Q_LANE_INVALID_CHANNEL_FLAG, 1, 0, 0);
	expect(b, Q_LANE_WAVELENGTH_UNLOCKED_FLAG, 1, 0, 1);
	expect(b, Q_MODULE_TEC_FAULT, 0, 0, 0);
	expect(b, Q_MODULE_TEC_FAULT_FLAG, 0, 0, 0);
	twin_u8(&b->image, 1, 0x02, 168, 0x40);
	twin_u8(&b->image, 1, 0x02, 172, 0x40);
	twin_u16(&b->image, 1, 0x02, 152, (uint16_t)-12);
	decode(b, MODULE_ALL_PARTS);
	expect(b, Q_MODULE_TEC_FAULT, 0, 0, 1);
	expect(b, Q_MODULE_TEC_FAULT_FLAG, 0, 0, 1);
	expect(b, Q_LANE_WAVELENGTH_UNLOCKED_FLAG, 1, 0, 0);
	expect(b, Q_VDM_LASER_FREQUENCY_ERROR_MHZ, 1, 0, -1200);
	/* channels may count down */
	tuning_put(b, 1961000, 1913500, -500);
	decode(b, MODULE_ALL_PARTS);
	expect(b, Q_MODULE_LASER_FREQUENCY_MIN_GHZ, 0, 0, 191350);
	expect(b, Q_MODULE_LASER_FREQUENCY_MAX_GHZ, 0, 0, 196100);
	expect(b, Q_LANE_LASER_CONFIG_FREQUENCY_MHZ, 1, 0, 194500000);
	/* without a grid there is only a number */
	tuning_put(b, 0, 0, 0);
	decode(b, MODULE_ALL_PARTS);
	expect(b, Q_LANE_LASER_CHANNEL, 1, 0, 33);
	assert_null(said_find(&b->said, Q_LANE_LASER_CONFIG_FREQUENCY_MHZ, 1,
			      0));
	assert_null(said_find(&b->said, Q_MODULE_LASER_FREQUENCY_MIN_GHZ, 0,
			      0));
	for (unsigned i = 0; i < 2; i++) {	/* fixed; without pages */
		tuning_put(b, 1913500, 1961000, 500);
		twin_u8(&b->image, 0, MODULE_LOWER, 65 - i, 0);
		decode(b, MODULE_ALL_PARTS);
		assert_null(said_find(&b->said, Q_LANE_LASER_CHANNEL, 1, 0));
		assert_null(said_find(&b->said, Q_LANE_TUNING, 1, 0));
	}
}

/* --- parameters of a QSFP, pages 20h and 21h ----------------------------- */

/* The number of a parameter, the channel it is of, its type, what it reads. */
static void param_put(struct bed *b, unsigned n, unsigned what, unsigned type,
		      unsigned raw)
{
	twin_u16(&b->image, 0, 0x20, 152 + 2 * n, raw);
	twin_u8(&b->image, 0, 0x20, 200 + 2 * n, what);
	twin_u8(&b->image, 0, 0x20, 201 + 2 * n, type);
}

static void params_put(struct bed *b)
{
	static const uint8_t zero[128];
	static const uint8_t edges[] = { 30, 0, 15, 0, 28, 0, 17, 0 };

	twin_sff8636(&b->image);
	twin_put(&b->image, 0, 0x20, 128, zero, sizeof(zero));
	twin_put(&b->image, 0, 0x21, 128, zero, sizeof(zero));
	twin_put(&b->image, 0, 0x21, 128 + 5 * 8, edges, sizeof(edges));
	param_put(b, 0, 0x54, 1, 0x1480);	/* SNR of channel 1: 20.5 dB */
	param_put(b, 3, 0x07, 12, 17u << 11 | 25);	/* BER of channel 4 */
	param_put(b, 4, 0x05, 1, 0xffff);	/* of channel 2 */
	param_put(b, 5, 0x04, 6, 0x1234);	/* cooler: another unit */
	param_put(b, 6, 0x00, 1, 0x1480);	/* of no channel */
	param_put(b, 23, 0x06, 3, 0x0100);
	twin_u8(&b->image, 0, 0x20, 128, 0x40);	/* low alarm of the first */
	twin_u8(&b->image, 0, 0x20, 129, 0x08);	/* high alarm of the fourth */
	twin_u8(&b->image, 0, 0x00, 195, 0x01);
}

static void test_qsfp_tells_its_parameters(void **state)
{
	struct bed *b = *state;

	params_put(b);
	decode(b, MODULE_VDM | MODULE_VDM_THRESHOLDS | MODULE_FLAGS);
	expect(b, Q_LANE_SNR_MDB, 1, 0, 20500);
	expect(b, Q_LANE_PRE_FEC_BER_E18, 4, 0, INT64_C(2500000000000));
	expect(b, Q_VDM_LTP_MDB, 3, 0, 1000);
	assert_int_equal(said_count(&b->said, Q_LANE_SNR_MDB), 1);
	assert_non_null(said_fault(&b->said, "20h:160"));
	expect(b, Q_VDM_SNR_THRESHOLD_MDB, 1, 0, 30000);
	expect(b, Q_VDM_SNR_THRESHOLD_MDB, 1, 1, 15000);
	expect(b, Q_VDM_SNR_FLAG, 1, 0, 0);
	expect(b, Q_VDM_SNR_FLAG, 1, 1, 1);
	expect(b, Q_VDM_PRE_FEC_BER_FLAG, 4, 0, 1);
	for (unsigned i = 0; i < b->image.count; i++)
		if (b->image.page[i].page == 0)	/* not read: nobody knows */
			b->image.page[i].have[1] &= ~(UINT64_C(1) << 3);
	decode(b, MODULE_VDM);
	assert_null(said_find(&b->said, Q_LANE_SNR_MDB, 1, 0));
	twin_u8(&b->image, 0, 0x00, 195, 0x00);
	decode(b, MODULE_VDM);
	assert_null(said_find(&b->said, Q_LANE_SNR_MDB, 1, 0));
}

/* Two channels share the set: what is wrong with it is told once. */
static void test_qsfp_thresholds_that_cannot_be_so_are_not_used(void **state)
{
	static const uint8_t swapped[] = { 15, 0, 30, 0, 17, 0, 28, 0 };
	static const uint8_t beyond[] = { 30, 0, 15, 0, 31, 0, 17, 0 };
	struct bed *b = *state;

	params_put(b);
	param_put(b, 1, 0x55, 1, 0x1480);	/* SNR of channel 2 */
	decode(b, MODULE_VDM_THRESHOLDS);
	assert_int_equal(said_count(&b->said, Q_VDM_SNR_THRESHOLD_MDB), 8);
	assert_int_equal(b->said.fault_count, 0);
	twin_put(&b->image, 0, 0x21, 128 + 5 * 8, swapped, sizeof(swapped));
	decode(b, MODULE_VDM_THRESHOLDS);
	assert_int_equal(said_count(&b->said, Q_VDM_SNR_THRESHOLD_MDB), 0);
	assert_non_null(said_fault(&b->said, "21h:168"));
	assert_int_equal(b->said.fault_count, 1);
	twin_put(&b->image, 0, 0x21, 128 + 5 * 8, beyond, sizeof(beyond));
	decode(b, MODULE_VDM_THRESHOLDS);
	assert_int_equal(said_count(&b->said, Q_VDM_SNR_THRESHOLD_MDB), 4);
	expect(b, Q_VDM_SNR_THRESHOLD_MDB, 2, 0, 30000);
	assert_int_equal(b->said.fault_count, 1);
}

/* What reading clears stands before what is read: nobody reads on into it. */
static void test_qsfp_flags_of_parameters_are_their_owners(void **state)
{
	struct bed *b = *state;
	struct module_read reads[16];
	size_t n;

	for (unsigned owner = 0; owner < 2; owner++) {
		bool clears = false, values = false;

		params_put(b);
		twin_seal(&b->image);
		module_image_forget(&b->image, MODULE_VDM | MODULE_FLAGS);
		n = module_plan(&b->image, MODULE_VDM | MODULE_FLAGS, owner,
				reads, 16);
		for (size_t i = 0; i < n; i++) {
			clears |= reads[i].page == 0x20 && reads[i].clears &&
				  reads[i].offset < 140;
			values |= reads[i].page == 0x20 &&
				  reads[i].offset <= 152 &&
				  reads[i].offset + reads[i].len >= 200;
		}
		assert_int_equal(clears, owner);
		assert_true(values);
	}
}

/* --- firmware by CDB ----------------------------------------------------- */

static const char *images(struct bed *b)
{
	decode(b, MODULE_IDENTITY);
	assert_int_equal(b->said.fault_count, 0);
	return b->said.text[ATTRIBUTE_FIRMWARE_IMAGES];
}

static void cdb_put(struct bed *b)
{
	twin_cmis(&b->image);
	twin_cdb(&b->image);
}

static void test_cdb_tells_the_images_of_the_firmware(void **state)
{
	struct bed *b = *state;

	cdb_put(b);
	assert_string_equal(images(b), "A 2.11.3 running committed, B 2.10.300,"
			    " factory 1.0.7");
	/* B runs before it is committed; it is another version, as 00h:39 */
	twin_u8(&b->image, 0, 0x9f, 136, 0x12);
	twin_u16(&b->image, 0, MODULE_LOWER, 39, 0x020a);
	twin_cdb_seal(&b->image);
	assert_string_equal(images(b), "A 2.11.3 committed, B 2.10.300 running,"
			    " factory 1.0.7");
}

static void test_cdb_tells_which_image_is_empty_or_not_told(void **state)
{
	struct bed *b = *state;

	cdb_put(b);
	twin_u8(&b->image, 0, 0x9f, 136, 0x43);
	twin_u8(&b->image, 0, 0x9f, 137, 0x01);
	twin_cdb_seal(&b->image);
	assert_string_equal(images(b), "A 2.11.3 running committed, B empty");
	/* a reply that ends before the factory's */
	cdb_put(b);
	twin_u8(&b->image, 0, 0x9f, 134, 77);
	twin_cdb_seal(&b->image);
	assert_string_equal(images(b), "A 2.11.3 running committed, B 2.10.300");
}

/* What is not the whole reply of this command says nothing. */
static void test_cdb_reply_that_is_none_is_not_told(void **state)
{
	static const struct {
		unsigned page, octet, value;
		bool is_sealed;
	} rows[] = {
		{ 0x9f, 128, 0x00, true },	/* another command */
		{ 0x9f, 129, 0x01, true },
		{ 0x9f, 131, 0x01, true },	/* with octets of its own */
		{ 0x9f, 132, 0x01, true },
		{ 0x9f, 133, 0xff, false },	/* check codes */
		{ 0x9f, 135, 0x00, false },
		{ 0x9f, 176, 0x02, false },	/* one octet is another */
		{ 0x9f, 245, 0x01, false },
		{ 0x9f, 134, 0, true },		/* lengths */
		{ 0x9f, 134, 1, true },
		{ 0x9f, 134, 121, true },
		{ 0x9f, 137, 0x00, true },	/* none is told */
		{ 0x01, 163, 0x3f, false },	/* no CDB */
		{ 0x01, 163, 0xc0, false },
		{ MODULE_LOWER, 37, 0x00, false },
		{ MODULE_LOWER, 37, 0x81, false },	/* busy */
		{ MODULE_LOWER, 37, 0x41, false },	/* failed */
		{ MODULE_LOWER, 37, 0x46, false },	/* wants a password */
		{ MODULE_LOWER, 39, 0x03, false },	/* from before */
		{ MODULE_LOWER, 40, 0x0a, false },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cdb_put(b);
		twin_u8(&b->image, 0, rows[i].page, rows[i].octet,
			rows[i].value);
		if (rows[i].is_sealed)
			twin_cdb_seal(&b->image);
		if (images(b)[0])
			fail_msg("row %zu: %s", i, images(b));
	}
	/* a page that nobody wrote is no fault of the module's */
	cdb_put(b);
	for (unsigned octet = 128; octet < 256; octet++)
		twin_u8(&b->image, 0, 0x9f, octet, 0xff);
	assert_string_equal(images(b), "");
}

static bool plan_has(const struct bed *b, unsigned page, unsigned octet)
{
	struct module_read reads[32];
	size_t n = module_plan(&b->image, MODULE_IDENTITY | MODULE_MONITORS,
			       false, reads, 32);

	for (size_t i = 0; i < n; i++)
		if (reads[i].page == page && reads[i].offset <= octet &&
		    octet - reads[i].offset < reads[i].len)
			return true;
	return false;
}

static void page_drop(struct bed *b, unsigned page, unsigned octet)
{
	for (unsigned i = 0; i < b->image.count; i++)
		if (b->image.page[i].page == page && !b->image.page[i].bank)
			b->image.page[i].have[octet % 128 / 64] &=
				~(UINT64_C(1) << octet % 64);
}

static void test_cdb_is_read_where_the_module_has_it(void **state)
{
	struct bed *b = *state;

	cdb_put(b);
	page_drop(b, 0x9f, 245);
	page_drop(b, MODULE_LOWER, 37);
	assert_string_equal(images(b), "");
	assert_true(plan_has(b, 0x9f, 245));
	assert_true(plan_has(b, MODULE_LOWER, 37));
	twin_u8(&b->image, 0, 0x01, 163, 0x00);
	twin_seal(&b->image);
	assert_false(plan_has(b, 0x9f, 245));
	assert_false(plan_has(b, MODULE_LOWER, 37));
}

/* --- what a wrong checksum covers ---------------------------------------- */

/* 01h:160 tells of power and bias, and by what the bias is multiplied. */
static void test_advertisement_in_doubt_is_none(void **state)
{
	struct bed *b = *state;
	uint8_t octet;

	twin_cmis(&b->image);
	twin_seal(&b->image);
	assert_int_equal(module_image_get(&b->image, 0, 0x01, 160, &octet, 1),
			 0);
	twin_u8(&b->image, 0, 0x01, 160, octet ^ 0x10 ^ 0x04);
	assert_int_equal(said_decode(&b->said, &b->image, MODULE_ALL_PARTS),
			 0);
	assert_int_equal(said_count(&b->said, Q_LANE_TX_BIAS_UA), 0);
	assert_int_equal(said_count(&b->said, Q_MODULE_TX_BIAS_THRESHOLD_UA),
			 0);
	assert_int_equal(said_find(&b->said, Q_LANE_RX_POWER_PW, 1, 0)->quality,
			 QUALITY_ESTIMATED);
	page_drop(b, 0x11, 186);
	assert_true(plan_has(b, 0x11, 186));
}

/* A0h:92 tells how an SFP is calibrated: its readings mean nothing else. */
static void test_calibration_in_doubt_gives_no_reading(void **state)
{
	struct bed *b = *state;

	twin_sff8472(&b->image);
	twin_seal(&b->image);
	twin_u8(&b->image, 0, MODULE_LOWER, 92, 0x58);
	assert_int_equal(said_decode(&b->said, &b->image, MODULE_MONITORS), 0);
	assert_int_equal(said_count(&b->said, Q_LANE_RX_POWER_PW), 0);
	assert_int_equal(said_count(&b->said, Q_MODULE_TEMP_MC), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bed_new, bed_free)
	const struct CMUnitTest tests[] = {
		TEST(test_cmis_3_powers_up_what_later_ones_put_down),
		TEST(test_output_status_is_there_from_cmis_5_on),
		TEST(test_cmis_controls_are_told_where_they_are_advertised),
		TEST(test_cmis_equalisers_are_told_by_lane),
		TEST(test_cmis_configuration_is_rejected_by_any_such_code),
		TEST(test_cmis_tells_what_is_staged_beside_what_is_active),
		TEST(test_cmis_diagnostics_are_those_that_are_selected),
		TEST(test_cmis_tells_of_vdm_that_is_held_still),
		TEST(test_cmis_tells_its_clei),
		TEST(test_coherent_module_says_so_of_its_pages),
		TEST(test_grid_of_a_later_cmis_gives_no_frequency),
		TEST(test_elsfp_tells_its_lasers),
		TEST(test_coherent_flags_are_each_of_their_bit),
		TEST(test_coherent_module_counts_what_its_host_sends),
		TEST(test_coherent_pages_that_are_not_there_say_nothing),
		TEST(test_ratios_of_a_doubted_page_are_estimated),
		TEST(test_minimum_far_above_the_average_is_no_ratio),
		TEST(test_coherent_module_has_what_its_page_tells),
		TEST(test_laser_flags_are_each_of_their_bit),
		TEST(test_laser_has_what_its_page_advertises),
		TEST(test_laser_tells_its_channel_and_what_is_beside_it),
		TEST(test_laser_reaches_as_far_as_one_of_its_grids),
		TEST(test_each_auxiliary_monitor_is_told_once),
		TEST(test_second_laser_has_its_own_thresholds),
		TEST(test_cmis_tells_its_reach_and_what_power_it_measures),
		TEST(test_copper_tells_its_attenuation_and_no_wavelength),
		TEST(test_copper_of_an_sfp_tells_its_attenuation_too),
		TEST(test_cable_of_an_sfp_tells_tenths_of_a_metre),
		TEST(test_linear_copper_is_active),
		TEST(test_qsfp_of_high_power_wants_to_be_allowed),
		TEST(test_active_copper_of_a_qsfp_has_no_light),
		TEST(test_cable_of_an_sfp_without_a_code_of_its_own),
		TEST(test_qsfp_tells_its_reach_and_what_power_it_measures),
		TEST(test_length_of_an_optical_cable_is_no_reach),
		TEST(test_sfp_counts_copper_in_metres),
		TEST(test_sfp_tells_its_reach_once_for_each_fibre),
		TEST(test_qsfp_low_power_wants_the_override_too),
		TEST(test_qsfp_with_one_cdr_tells_of_that),
		TEST(test_sfp_turned_off_by_its_pin_or_its_bit_is_off),
		TEST(test_sfp_that_inverts_loss_of_signal_is_heard_so),
		TEST(test_sfp_with_a_cooled_laser_tells_of_it),
		TEST(test_sfp_tells_its_rate_its_power_and_its_cdrs),
		TEST(test_sfp_tells_its_power_level),
		TEST(test_sfp_tells_how_its_laser_is_tuned),
		TEST(test_qsfp_tells_its_parameters),
		TEST(test_qsfp_thresholds_that_cannot_be_so_are_not_used),
		TEST(test_qsfp_flags_of_parameters_are_their_owners),
		TEST(test_cdb_tells_the_images_of_the_firmware),
		TEST(test_cdb_tells_which_image_is_empty_or_not_told),
		TEST(test_cdb_reply_that_is_none_is_not_told),
		TEST(test_cdb_is_read_where_the_module_has_it),
		TEST(test_advertisement_in_doubt_is_none),
		TEST(test_calibration_in_doubt_gives_no_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
