/* Registers to values, on modules of our own making; the real images are
 * tests/system/test_decode.py's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>

#include "petrel/module.h"
#include "platform/module/vdm_type.h"
#include "tests/support/module_bed.h"
#include "tests/support/quick.h"

static void decode(struct bed *b, unsigned parts)
{
	assert_int_equal(said_decode(&b->said, &b->image, parts), 0);
}

static void expect_text(const struct bed *b, enum attribute a, const char *text)
{
	assert_string_equal(b->said.text[a], text);
}

/* --- CMIS ---------------------------------------------------------------- */

static void test_cmis_identity_is_told(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	decode(b, MODULE_IDENTITY);
	expect_text(b, ATTRIBUTE_VENDOR, "PETREL WORKS");
	expect_text(b, ATTRIBUTE_OUI, "02-50-54");
	expect_text(b, ATTRIBUTE_PART, "PW-800G-DR8");
	expect_text(b, ATTRIBUTE_REVISION, "1A");
	expect_text(b, ATTRIBUTE_SERIAL, "PW0000000042");
	expect_text(b, ATTRIBUTE_DATE, "2025-08-31");
	expect_text(b, ATTRIBUTE_FIRMWARE, "2.11");
	expect_text(b, ATTRIBUTE_INACTIVE_FIRMWARE, "2.10");
	expect_text(b, ATTRIBUTE_STANDARD, "CMIS 5.0");
	expect_text(b, ATTRIBUTE_FORM_FACTOR, "OSFP");
	expect_text(b, ATTRIBUTE_CONNECTOR, "MPO 1x16");
	expect_text(b, ATTRIBUTE_MEDIA, "DR8");
	expect_text(b, ATTRIBUTE_CABLE, "optics");
	expect_text(b, ATTRIBUTE_APPLICATIONS, "800GAUI-8-S to 800GBASE-DR8, "
		    "100GAUI-1-S to 100GBASE-DR");
	expect(b, Q_MODULE_POWER_CLASS, 0, 0, 8);
	expect(b, Q_MODULE_MAX_POWER_UW, 0, 0, 16000000);
	expect(b, Q_MODULE_WAVELENGTH_PM, 0, 0, 1311000);
	expect(b, Q_MODULE_HOST_LANES, 0, 0, 8);
	assert_int_equal(b->said.fault_count, 0);
}

static void test_cmis_monitors_are_exact(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	decode(b, MODULE_MONITORS);
	expect(b, Q_MODULE_TEMP_MC, 0, 0, 45500);
	expect(b, Q_MODULE_VCC_UV, 0, 0, 3301200);
	expect(b, Q_MODULE_TEC_CURRENT_PPM, 0, 0, -100009);
	expect(b, Q_MODULE_LASER_TEMP_MC, 0, 0, 52250);
	for (unsigned i = 0; i < 8; i++) {
		expect(b, Q_LANE_TX_POWER_PW, i + 1, 0,
		       (12000 + (int64_t)i) * 100000);
		expect(b, Q_LANE_TX_BIAS_UA, i + 1, 0,
		       (20000 + (int64_t)i) * 2 * 2);	/* multiplier 2 */
		expect(b, Q_LANE_RX_POWER_PW, i + 1, 0,
		       (8000 + (int64_t)i) * 100000);
	}
}

static void test_cmis_thresholds_come_in_their_order(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	decode(b, MODULE_THRESHOLDS);
	expect(b, Q_MODULE_TEMP_THRESHOLD_MC, 0, 0, 75000);
	expect(b, Q_MODULE_TEMP_THRESHOLD_MC, 0, 1, -5000);
	expect(b, Q_MODULE_TEMP_THRESHOLD_MC, 0, 2, 70000);
	expect(b, Q_MODULE_TEMP_THRESHOLD_MC, 0, 3, 0);
	expect(b, Q_MODULE_VCC_THRESHOLD_UV, 0, 0, 3630000);
	expect(b, Q_MODULE_TEC_CURRENT_THRESHOLD_PPM, 0, 1, -1000000);
	expect(b, Q_MODULE_LASER_TEMP_THRESHOLD_MC, 0, 0, 70000);
	expect(b, Q_MODULE_TX_BIAS_THRESHOLD_UA, 0, 0, 130000);
	expect(b, Q_MODULE_RX_POWER_THRESHOLD_PW, 0, 3, 144500000);
}

static void test_cmis_thresholds_that_are_not_set_are_absent(void **state)
{
	struct bed *b = *state;
	uint8_t none[8] = { 0 };

	twin_cmis(&b->image);
	twin_put(&b->image, 0, 0x02, 184, none, sizeof(none));
	twin_seal(&b->image);
	decode(b, MODULE_THRESHOLDS);
	assert_int_equal(said_count(&b->said, Q_MODULE_TX_BIAS_THRESHOLD_UA),
			 0);
	assert_int_equal(said_count(&b->said, Q_MODULE_TEMP_THRESHOLD_MC), 4);
}

static void test_cmis_states_and_controls_are_told(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	decode(b, MODULE_STATUS | MODULE_CONTROLS);
	expect(b, Q_MODULE_STATE, 0, 0, MODULE_READY);
	expect(b, Q_LANE_DATA_PATH_STATE, 5, 0, DATA_PATH_ACTIVATED);
	expect(b, Q_LANE_CONFIG_STATUS, 5, 0, LANE_CONFIG_SUCCESS);
	expect(b, Q_LANE_APPLICATION, 5, 0, 1);
	expect(b, Q_LANE_TX_DISABLED, 8, 0, 1);
	expect(b, Q_LANE_TX_DISABLED, 7, 0, 0);
	expect(b, Q_LANE_TX_CDR_ON, 7, 0, 1);
	expect(b, Q_LANE_TX_CDR_ON, 8, 0, 0);
	assert_int_equal(said_count(&b->said, Q_LANE_RX_CDR_ON), 0);
	expect(b, Q_LANE_LOOPBACK, 1, 3, 0);
	twin_u8(&b->image, 0, 0x13, 183, 0x10);	/* host input of lane 5 */
	decode(b, MODULE_CONTROLS);
	expect(b, Q_LANE_LOOPBACK, 5, 3, 1);
	expect(b, Q_LANE_LOOPBACK, 5, 2, 0);
	expect(b, Q_LANE_LOOPBACK, 4, 3, 0);
}

static void test_cmis_data_path_tells_the_breakout(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	for (unsigned i = 0; i < 8; i++)	/* four ports of two lanes */
		twin_u8(&b->image, 0, 0x11, 206 + i, 0x20 | (i & ~1u) << 1);
	decode(b, MODULE_STATUS);
	expect(b, Q_LANE_DATA_PATH, 1, 0, 1);
	expect(b, Q_LANE_DATA_PATH, 4, 0, 3);
	expect(b, Q_LANE_DATA_PATH, 8, 0, 7);
	expect(b, Q_LANE_APPLICATION, 4, 0, 2);
}

static void test_cmis_flags_are_told(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	decode(b, MODULE_FLAGS);
	expect(b, Q_LANE_RX_LOS, 3, 0, 1);
	expect(b, Q_LANE_RX_LOS, 4, 0, 0);
	expect(b, Q_LANE_RX_POWER_FLAG, 3, 1, 1);
	expect(b, Q_LANE_RX_POWER_FLAG, 3, 0, 0);
	expect(b, Q_VDM_SNR_FLAG, 1, 3, 1);
	expect(b, Q_VDM_SNR_FLAG, 2, 1, 1);
	expect(b, Q_VDM_SNR_FLAG, 1, 1, 0);
}

static void test_cmis_aux_3_stands_in_for_the_laser(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	twin_u8(&b->image, 0, 0x01, 145, 0x02);	/* aux 2 TEC, aux 3 laser */
	twin_u8(&b->image, 0, 0x01, 159, 0x1b);
	twin_u16(&b->image, 0, MODULE_LOWER, 20, 3277);
	twin_u16(&b->image, 0, MODULE_LOWER, 22, 0x4000);
	twin_seal(&b->image);
	decode(b, MODULE_MONITORS);
	expect(b, Q_MODULE_TEC_CURRENT_PPM, 0, 0, 100009);
	expect(b, Q_MODULE_LASER_TEMP_MC, 0, 0, 64000);
	twin_u8(&b->image, 0, 0x01, 145, 0x04);	/* aux 3 is a voltage */
	twin_u16(&b->image, 0, MODULE_LOWER, 22, 18000);
	twin_seal(&b->image);
	decode(b, MODULE_MONITORS);
	expect(b, Q_MODULE_VCC2_UV, 0, 0, 1800000);
}

static void test_cmis_banks_number_their_lanes_on(void **state)
{
	struct bed *b = *state;

	twin_cmis_banked(&b->image);
	decode(b, MODULE_MONITORS | MODULE_VDM);
	assert_int_equal(said_count(&b->said, Q_LANE_RX_POWER_PW), 32);
	expect(b, Q_LANE_RX_POWER_PW, 9, 0, 8100 * INT64_C(100000));
	expect(b, Q_LANE_RX_POWER_PW, 32, 0, 8307 * INT64_C(100000));
	expect(b, Q_LANE_SNR_MDB, 32, 0, 21027);
}

/* CMIS 5.4: 01h:142 sends the reader on to 01h:174. */
static void test_cmis_banks_may_be_told_elsewhere(void **state)
{
	static const struct {
		unsigned revision, more, lanes;
		int64_t unread;
	} cases[] = {
		{ 0x53, 2, 8, 0 }, { 0x54, 0, 8, 0 }, { 0x54, 2, 24, 0 },
		{ 0x54, 0xe2, 24, 0 }, { 0x54, 3, 32, 0 },
		{ 0x54, 0xe5, 32, 2 }, { 0x54, 0x1f, 32, 28 },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		twin_cmis_banked(&b->image);
		twin_u8(&b->image, 0, MODULE_LOWER, 1, cases[i].revision);
		twin_u8(&b->image, 0, 0x01, 142, 0x63);
		twin_u8(&b->image, 0, 0x01, 174, cases[i].more);
		twin_seal(&b->image);
		decode(b, MODULE_MONITORS | MODULE_IDENTITY);
		assert_int_equal(said_count(&b->said, Q_LANE_RX_POWER_PW),
				 cases[i].lanes);
		assert_int_equal(said_count(&b->said, Q_MODULE_BANKS_UNREAD),
				 cases[i].unread > 0);
		if (cases[i].unread)
			expect(b, Q_MODULE_BANKS_UNREAD, 0, 0,
			       cases[i].unread);
	}
}

/* A date that is none is what the module has, not a day that never was. */
static void test_dates_must_be_days(void **state)
{
	static const struct {
		const char *octets, *text;
	} dates[] = {
		{ "240229  ", "2024-02-29" }, { "230229  ", "230229" },
		{ "241301  ", "241301" }, { "240001  ", "240001" },
		{ "240431  ", "240431" }, { "240100  ", "240100" },
		{ "241231X1", "2024-12-31 X1" }, { "20240131", "20240131" },
		{ "24ab01  ", "24ab01" },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(dates) / sizeof(dates[0]); i++) {
		twin_cmis(&b->image);
		twin_put(&b->image, 0, 0x00, 182, dates[i].octets, 8);
		twin_seal(&b->image);
		decode(b, MODULE_IDENTITY);
		expect_text(b, ATTRIBUTE_DATE, dates[i].text);
	}
}

static void test_cmis_flat_memory_has_no_pages(void **state)
{
	struct bed *b = *state;

	twin_cmis_flat(&b->image);
	twin_u16(&b->image, 0, 0x11, 186, 5000);	/* not to be read */
	twin_u8(&b->image, 0, 0x01, 160, 0x07);
	decode(b, MODULE_ALL_PARTS & ~(unsigned)MODULE_IDENTITY);
	assert_int_equal(said_count(&b->said, Q_LANE_RX_POWER_PW), 0);
	assert_int_equal(said_count(&b->said, Q_MODULE_TEMP_MC), 0);
	twin_cmis(&b->image);		/* all pages are there */
	twin_u8(&b->image, 0, MODULE_LOWER, 2, 0x80);
	decode(b, MODULE_ALL_PARTS & ~(unsigned)MODULE_IDENTITY);
	assert_int_equal(said_count(&b->said, Q_LANE_RX_POWER_PW), 0);
	twin_cmis_flat(&b->image);
	decode(b, MODULE_IDENTITY);
	expect_text(b, ATTRIBUTE_MEDIA, "DAC");
	expect_text(b, ATTRIBUTE_CABLE, "passive copper");
	expect_text(b, ATTRIBUTE_CABLE_LENGTH, "3");
}

static void test_cmis_lanes_that_it_does_not_have_are_absent(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	twin_u8(&b->image, 0, 0x00, 210, 0xf0);
	decode(b, MODULE_MONITORS);
	assert_int_equal(said_count(&b->said, Q_LANE_RX_POWER_PW), 4);
	twin_u8(&b->image, 0, 0x00, 210, 0xff);	/* none at all: not believed */
	decode(b, MODULE_MONITORS);
	assert_int_equal(said_count(&b->said, Q_LANE_RX_POWER_PW), 8);
}

static void test_cmis_what_it_does_not_measure_is_absent(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	twin_u8(&b->image, 0, 0x01, 160, 0x04);	/* Rx power only */
	decode(b, MODULE_MONITORS | MODULE_THRESHOLDS);
	assert_int_equal(said_count(&b->said, Q_LANE_TX_BIAS_UA), 0);
	assert_int_equal(said_count(&b->said, Q_MODULE_TX_BIAS_THRESHOLD_UA),
			 0);
	assert_int_equal(said_count(&b->said, Q_LANE_RX_POWER_PW), 8);
}

static void test_coherent_module_tells_its_laser_and_link(void **state)
{
	struct bed *b = *state;

	twin_coherent(&b->image);
	decode(b, MODULE_ALL_PARTS);
	expect(b, Q_LANE_LASER_CONFIG_FREQUENCY_MHZ, 1, 0, 193250000);
	expect(b, Q_LANE_LASER_FREQUENCY_MHZ, 1, 0, 193250000);
	expect(b, Q_LANE_TX_CONFIG_POWER_PW, 1, 0, 501187234);
	expect(b, Q_LANE_WAVELENGTH_UNLOCKED, 1, 0, 1);
	expect(b, Q_LANE_TUNING, 1, 0, 0);
	expect(b, Q_MODULE_LASER_FREQUENCY_MIN_GHZ, 0, 0, 191300);
	expect(b, Q_MODULE_LASER_FREQUENCY_MAX_GHZ, 0, 0, 196100);
	expect(b, Q_MODULE_TX_POWER_MIN_PW, 0, 0, 100000000);
	expect(b, Q_PM_PRE_FEC_BER_E18, 0, 0, INT64_C(976562500000000));
	assert_int_equal(said_count(&b->said, Q_PM_UNCORRECTABLE_FRAMES_E18),
			 0);	/* no frames: no ratio */
	expect(b, Q_PM_CD_PS_PER_NM, 0, 0, 2000);
	expect(b, Q_PM_OSNR_MDB, 0, 0, 33800);
	expect(b, Q_PM_TX_POWER_PW, 0, 0, 630957344);
	assert_int_equal(said_count(&b->said, Q_LANE_RX_POWER_PW), 1);
	expect_text(b, ATTRIBUTE_MEDIA, "ZR");
}

/* --- VDM ----------------------------------------------------------------- */

static void test_vdm_values_are_exact(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	decode(b, MODULE_VDM);
	expect(b, Q_LANE_SNR_MDB, 1, 0, 21000);
	expect(b, Q_LANE_PRE_FEC_BER_E18, 4, 0, 303 * INT64_C(1000000));
	expect(b, Q_VDM_LTP_MDB, 2, 0, 32004);
	expect(b, Q_VDM_LASER_FREQUENCY_ERROR_MHZ, 0, 0, -250);
	expect(b, Q_VDM_LASER_TEMP_MC, 1, 0, 41500);
	/* type 200 is nobody's; and what 2Fh says of VDM itself */
	assert_int_equal(b->said.count, 26 + 3);
}

/* A dump may have the groups and not 2Fh, which numbers them. */
static void test_vdm_groups_that_were_read_count_without_their_number(
	void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	for (unsigned i = 0; i < b->image.count; i++) {
		struct module_page *p = &b->image.page[i];

		if (p->page == 0x2f)
			p->have[0] = p->have[1] = 0;
	}
	decode(b, MODULE_VDM);
	expect(b, Q_LANE_SNR_MDB, 1, 0, 21000);
	expect(b, Q_VDM_LASER_TEMP_MC, 1, 0, 41500);
	assert_int_equal(b->said.count, 26);
}

static void test_vdm_thresholds_are_those_of_their_set(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	decode(b, MODULE_VDM_THRESHOLDS);
	expect(b, Q_VDM_SNR_THRESHOLD_MDB, 8, 0, 32000);
	expect(b, Q_VDM_SNR_THRESHOLD_MDB, 8, 3, 16000);
	expect(b, Q_VDM_PRE_FEC_BER_THRESHOLD_E18, 1, 0,
	       240 * INT64_C(100000000000000));
	expect(b, Q_VDM_LASER_FREQUENCY_ERROR_THRESHOLD_MHZ, 0, 1, -1000);
	assert_int_equal(said_count(&b->said, Q_VDM_LTP_THRESHOLD_MDB), 0);
}

static void test_vdm_is_there_only_when_it_is_advertised(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	twin_u8(&b->image, 0, 0x01, 142, 0x20);
	twin_seal(&b->image);
	decode(b, MODULE_VDM | MODULE_VDM_THRESHOLDS | MODULE_FLAGS);
	assert_int_equal(said_count(&b->said, Q_LANE_SNR_MDB), 0);
	assert_int_equal(said_count(&b->said, Q_VDM_SNR_FLAG), 0);
	assert_int_equal(b->said.fault_count, 0);
}

static void test_f16_is_exact_down_to_its_unit(void **state)
{
	static const struct {
		unsigned raw;
		int64_t e18;
		enum sample_quality quality;
	} cases[] = {
		{ 0x0000, 0, QUALITY_GOOD },
		{ 31u << 11, 0, QUALITY_GOOD },		/* 0 of any power */
		{ 6u << 11 | 1, 1, QUALITY_GOOD },
		{ 6u << 11 | 0x7ff, 2047, QUALITY_GOOD },
		{ 5u << 11 | 10, 1, QUALITY_GOOD },
		{ 5u << 11 | 19, 1, QUALITY_GOOD },	/* cut off */
		{ 5u << 11 | 9, 0, QUALITY_BELOW_RESOLUTION },
		{ 1, 0, QUALITY_BELOW_RESOLUTION },
		{ 24u << 11 | 1, INT64_C(1000000000000000000), QUALITY_GOOD },
		{ 21u << 11 | 1000, INT64_C(1000000000000000000),
		  QUALITY_GOOD },
		{ 21u << 11 | 1001, 0, QUALITY_IMPLAUSIBLE },
		{ 24u << 11 | 2, 0, QUALITY_IMPLAUSIBLE },
		{ 25u << 11 | 1, 0, QUALITY_IMPLAUSIBLE },
		{ 0xffff, 0, QUALITY_IMPLAUSIBLE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t e18 = 0;

		assert_int_equal(vdm_f16_e18(cases[i].raw, &e18),
				 cases[i].quality);
		assert_int_equal(e18, cases[i].e18);
	}
}

/* --- SFF-8636 ------------------------------------------------------------ */

static void test_qsfp_is_decoded(void **state)
{
	struct bed *b = *state;

	twin_sff8636(&b->image);
	decode(b, MODULE_ALL_PARTS);
	expect_text(b, ATTRIBUTE_STANDARD, "SFF-8636 rev 2.8 or later");
	expect_text(b, ATTRIBUTE_MEDIA, "CWDM4");
	expect_text(b, ATTRIBUTE_DATE, "2024-02-29 A1");
	expect(b, Q_MODULE_TEMP_MC, 0, 0, 31250);
	expect(b, Q_MODULE_VCC_UV, 0, 0, 3289000);
	expect(b, Q_LANE_RX_POWER_PW, 4, 0, 500300000);
	expect(b, Q_LANE_TX_BIAS_UA, 2, 0, 35002);
	expect(b, Q_LANE_TX_POWER_PW, 3, 0, 900200000);
	expect(b, Q_MODULE_RX_POWER_THRESHOLD_PW, 0, 0, 2238700000);
	expect(b, Q_MODULE_POWER_CLASS, 0, 0, 5);
	expect(b, Q_MODULE_BIT_RATE_MBPS, 0, 0, 25750);
	expect(b, Q_LANE_TX_DISABLED, 2, 0, 1);
	expect(b, Q_LANE_TX_CDR_ON, 1, 0, 1);
	expect(b, Q_LANE_RX_CDR_ON, 3, 0, 0);
	assert_int_equal(b->said.fault_count, 0);
}

/* Its four host lanes stay; SR1 may also be SR4 of 400 Gb/s. */
static void test_qsfp_of_one_wavelength_has_one_lane_of_light(void **state)
{
	static const struct {
		uint8_t code;
		unsigned lanes;
	} rows[] = {
		{ 0x06, 4 }, { 0x24, 4 }, { 0x25, 1 }, { 0x26, 1 }, { 0x27, 1 },
		{ 0x28, 1 }, { 0x29, 4 }, { 0x2a, 4 }, { 0x2b, 1 }, { 0x2c, 1 },
		{ 0x2d, 1 }, { 0x2e, 1 }, { 0x2f, 1 }, { 0x30, 4 }, { 0x33, 4 },
		{ 0x34, 1 }, { 0x35, 1 }, { 0x36, 4 }, { 0x66, 4 }, { 0xff, 4 },
	};
	static const enum quantity of_host[] = {
		Q_LANE_HOST_LOS_FLAG, Q_LANE_TX_CDR_ON, Q_LANE_RX_CDR_ON,
		Q_LANE_HOST_CDR_LOL_FLAG, Q_LANE_TX_EQ_FAULT_FLAG,
		Q_LANE_RX_DISABLED,
	};
	static const enum quantity of_media[] = {
		Q_LANE_RX_POWER_PW, Q_LANE_TX_POWER_PW, Q_LANE_TX_BIAS_UA,
		Q_LANE_RX_LOS, Q_LANE_TX_FAULT, Q_LANE_TX_DISABLED,
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		twin_sff8636(&b->image);
		twin_u8(&b->image, 0, 0x00, 129, 0x0c);
		twin_u8(&b->image, 0, 0x00, 192, rows[i].code);
		twin_u8(&b->image, 0, 0x00, 193, 0x08);
		twin_u16(&b->image, 0, 0x00, 194, 0xffff);
		decode(b, MODULE_ALL_PARTS);
		for (size_t k = 0; k < sizeof(of_host) / sizeof(*of_host); k++)
			assert_int_equal(said_count(&b->said, of_host[k]), 4);
		for (size_t k = 0; k < sizeof(of_media) / sizeof(*of_media);
		     k++)
			assert_int_equal(said_count(&b->said, of_media[k]),
					 rows[i].lanes);
	}
}

static void test_qsfp_flags_count_from_the_top(void **state)
{
	struct bed *b = *state;

	twin_sff8636(&b->image);
	decode(b, MODULE_FLAGS);
	expect(b, Q_LANE_RX_LOS, 1, 0, 1);
	expect(b, Q_LANE_HOST_LOS_FLAG, 4, 0, 1);
	expect(b, Q_MODULE_TEMP_FLAG, 0, 1, 1);
	expect(b, Q_MODULE_TEMP_FLAG, 0, 0, 0);
	expect(b, Q_LANE_RX_POWER_FLAG, 1, 1, 1);
	expect(b, Q_LANE_RX_POWER_FLAG, 2, 3, 1);
	expect(b, Q_LANE_RX_POWER_FLAG, 2, 1, 0);
	expect(b, Q_LANE_RX_POWER_FLAG, 3, 2, 1);
}

static void test_qsfp_that_is_not_ready_gives_stale_values(void **state)
{
	struct bed *b = *state;

	twin_sff8636(&b->image);
	twin_u8(&b->image, 0, MODULE_LOWER, 2, 0x01);
	decode(b, MODULE_MONITORS);
	assert_int_equal(said_find(&b->said, Q_MODULE_TEMP_MC, 0, 0)->quality,
			 QUALITY_STALE);
}

/* Its speeds are told where nothing of Ethernet is. */
static void test_fibre_channel_is_told_of_a_module_for_it(void **state)
{
	struct bed *b = *state;

	twin_sff8472(&b->image);
	twin_u8(&b->image, 0, MODULE_LOWER, 10, 0x70);
	twin_u8(&b->image, 0, MODULE_LOWER, 3, 0x10);
	twin_u8(&b->image, 0, MODULE_LOWER, 6, 0);
	twin_u8(&b->image, 0, MODULE_LOWER, 36, 0);
	decode(b, MODULE_IDENTITY);
	expect_text(b, ATTRIBUTE_APPLICATIONS, "10GBASE-SR");
	twin_u8(&b->image, 0, MODULE_LOWER, 3, 0);
	decode(b, MODULE_IDENTITY);
	expect_text(b, ATTRIBUTE_APPLICATIONS, "16GFC, 8GFC, 4GFC");
	expect_text(b, ATTRIBUTE_MEDIA, "16GFC");
	twin_sff8636(&b->image);
	twin_u8(&b->image, 0, 0x00, 131, 0);
	twin_u8(&b->image, 0, 0x00, 138, 0x08);
	twin_u8(&b->image, 0, 0x00, 192, 0);
	decode(b, MODULE_IDENTITY);
	expect_text(b, ATTRIBUTE_APPLICATIONS, "32GFC");
}

/* Codes that name 100G for four lanes and 25G for one. */
static void test_extended_code_is_by_the_number_of_lanes(void **state)
{
	static const struct {
		unsigned code;
		const char *four, *one;
	} codes[] = {
		{ 0x02, "100GBASE-SR4", "25GBASE-SR" },
		{ 0x03, "100GBASE-LR4", "25GBASE-LR" },
		{ 0x18, "100G AOC", "25G AOC" },
		{ 0x41, "200GBASE-SR4", "50GBASE-SR" },
		{ 0x45, "50GBASE-LR", "50GBASE-LR" },
		{ 0x2e, "100G-ER1-40", "100G-ER1-40" },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		twin_sff8636(&b->image);
		twin_u8(&b->image, 0, 0x00, 192, codes[i].code);
		twin_u8(&b->image, 0, 0x00, 131, 0);
		decode(b, MODULE_IDENTITY);
		expect_text(b, ATTRIBUTE_APPLICATIONS, codes[i].four);
		twin_sff8472(&b->image);
		twin_u8(&b->image, 0, MODULE_LOWER, 36, codes[i].code);
		twin_u8(&b->image, 0, MODULE_LOWER, 3, 0);
		twin_u8(&b->image, 0, MODULE_LOWER, 6, 0);
		decode(b, MODULE_IDENTITY);
		expect_text(b, ATTRIBUTE_APPLICATIONS, codes[i].one);
	}
}

static void test_sfp_cable_is_by_what_each_octet_tells(void **state)
{
	static const struct {
		unsigned connector, ethernet_1g, cable, code;
		const char *text;
	} sfps[] = {
		{ 0x07, 0x00, 0x00, 0x02, "optics" },
		{ 0x00, 0x08, 0x00, 0x00, "BASE-T" },
		{ 0x07, 0x09, 0x00, 0x00, "optics" },
		{ 0x22, 0x00, 0x00, 0x00, "BASE-T" },
		{ 0x07, 0x00, 0x00, 0x1e, "BASE-T" },
		{ 0x21, 0x00, 0x04, 0x0c, "passive copper" },
		{ 0x21, 0x00, 0x08, 0x00, "active copper" },
		{ 0x23, 0x00, 0x00, 0x08, "active copper" },
		{ 0x23, 0x00, 0x08, 0x18, "active optical cable" },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(sfps) / sizeof(sfps[0]); i++) {
		twin_sff8472(&b->image);
		twin_u8(&b->image, 0, MODULE_LOWER, 2, sfps[i].connector);
		twin_u8(&b->image, 0, MODULE_LOWER, 6, sfps[i].ethernet_1g);
		twin_u8(&b->image, 0, MODULE_LOWER, 8, sfps[i].cable);
		twin_u8(&b->image, 0, MODULE_LOWER, 36, sfps[i].code);
		decode(b, MODULE_IDENTITY);
		expect_text(b, ATTRIBUTE_CABLE, sfps[i].text);
	}
}

/* SFF-8436 has no bit for it: zeroes are taken for no monitor, not for dark. */
static void test_old_qsfp_sends_what_it_measures(void **state)
{
	struct bed *b = *state;

	twin_sff8636(&b->image);
	twin_u8(&b->image, 0, MODULE_LOWER, 1, 0);
	twin_u8(&b->image, 0, 0x00, 220, 0x08);
	twin_u16(&b->image, 0, 0x03, 192, 20000);
	twin_seal(&b->image);
	decode(b, MODULE_MONITORS | MODULE_THRESHOLDS);
	expect(b, Q_LANE_TX_POWER_PW, 3, 0, 900200000);
	expect(b, Q_MODULE_TX_POWER_THRESHOLD_PW, 0, 0, 2000000000);
	for (unsigned i = 0; i < 8; i++) {
		twin_u8(&b->image, 0, MODULE_LOWER, 50 + i, 0);
		twin_u8(&b->image, 0, 0x03, 192 + i, 0);
	}
	decode(b, MODULE_MONITORS | MODULE_THRESHOLDS);
	assert_int_equal(said_count(&b->said, Q_LANE_TX_POWER_PW), 0);
	assert_int_equal(said_count(&b->said, Q_MODULE_TX_POWER_THRESHOLD_PW),
			 0);
	/* one that says that it measures is believed */
	twin_u8(&b->image, 0, 0x00, 220, 0x0c);
	twin_seal(&b->image);
	decode(b, MODULE_MONITORS);
	expect(b, Q_LANE_TX_POWER_PW, 3, 0, 0);
}

/* Neither thresholds of what it does not measure, nor a fault of an equaliser
 * that does not adapt.
 */
static void test_qsfp_tells_no_more_than_it_advertises(void **state)
{
	struct bed *b = *state;

	twin_sff8636(&b->image);
	twin_u8(&b->image, 0, MODULE_LOWER, 1, 8);
	twin_u8(&b->image, 0, MODULE_LOWER, 4, 0x20);
	for (unsigned i = 0; i < 4; i++) {
		twin_u16(&b->image, 0, 0x03, 128 + 2 * i, "4132"[i] << 8);
		twin_u16(&b->image, 0, 0x03, 144 + 2 * i, "4132"[i] << 8);
	}
	for (unsigned has = 0; has < 2; has++) {
		twin_u8(&b->image, 0, 0x00, 220, has ? 0x3c : 0x0c);
		twin_u8(&b->image, 0, 0x00, 193, has ? 0x08 : 0xf7);
		twin_seal(&b->image);
		decode(b, MODULE_ALL_PARTS);
		assert_int_equal(said_count(&b->said,
					    Q_MODULE_TEMP_THRESHOLD_MC),
				 has * 4);
		assert_int_equal(said_count(&b->said,
					    Q_MODULE_VCC_THRESHOLD_UV),
				 has * 4);
		assert_int_equal(said_count(&b->said, Q_LANE_TX_EQ_FAULT_FLAG),
				 has * 4);
		assert_int_equal(said_count(&b->said, Q_MODULE_TEMP_MC), has);
	}
	expect(b, Q_LANE_TX_EQ_FAULT_FLAG, 2, 0, 1);
}

/* Light without a connector: nothing else tells some of these cables. */
static void test_qsfp_that_cannot_be_unplugged_is_an_optical_cable(void **state)
{
	struct bed *b = *state;

	twin_sff8636(&b->image);
	twin_u8(&b->image, 0, 0x00, 130, 0x23);
	decode(b, MODULE_IDENTITY);
	expect_text(b, ATTRIBUTE_CABLE, "active optical cable");
	expect_text(b, ATTRIBUTE_MEDIA, "AOC");
}

/* Many leave the lower memory all ones: no power, no light, no state. */
static void test_passive_copper_with_a_blank_lower_memory_says_nothing(
	void **state)
{
	static const enum quantity none[] = {
		Q_MODULE_MAX_POWER_UW, Q_MODULE_LOW_POWER, Q_LANE_RX_LOS,
		Q_MODULE_TEMP_MC, Q_LANE_RX_POWER_PW,
	};
	struct bed *b = *state;

	twin_sff8636(&b->image);
	for (unsigned octet = 3; octet < 127; octet++)
		twin_u8(&b->image, 0, MODULE_LOWER, octet, 0xff);
	twin_u8(&b->image, 0, 0x00, 147, 0xa0);
	twin_seal(&b->image);
	decode(b, MODULE_ALL_PARTS);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_int_equal(said_count(&b->said, none[i]), 0);
	assert_int_equal(b->said.fault_count, 0);
}

static void test_passive_copper_measures_nothing(void **state)
{
	struct bed *b = *state;

	twin_sff8636(&b->image);
	twin_u8(&b->image, 0, 0x00, 147, 0xa0);
	twin_seal(&b->image);
	decode(b, MODULE_MONITORS | MODULE_THRESHOLDS);
	assert_int_equal(b->said.count, 0);
}

/* --- SFF-8472 ------------------------------------------------------------ */

static void test_sfp_is_decoded(void **state)
{
	struct bed *b = *state;

	twin_sff8472(&b->image);
	decode(b, MODULE_ALL_PARTS);
	expect_text(b, ATTRIBUTE_MEDIA, "SR");
	expect_text(b, ATTRIBUTE_SERIAL, "PW0000000044");
	expect(b, Q_MODULE_TEMP_MC, 0, 0, 27500);
	expect(b, Q_MODULE_VCC_UV, 0, 0, 3310000);
	expect(b, Q_LANE_TX_BIAS_UA, 1, 0, 7000);
	expect(b, Q_LANE_TX_POWER_PW, 1, 0, 600000000);
	expect(b, Q_LANE_RX_POWER_PW, 1, 0, 550000000);
	expect(b, Q_MODULE_TEMP_THRESHOLD_MC, 0, 1, -13000);
	expect(b, Q_LANE_TX_DISABLED, 1, 0, 1);
	expect(b, Q_LANE_TX_FAULT, 1, 0, 0);
	expect(b, Q_LANE_RX_LOS, 1, 0, 1);
	expect(b, Q_MODULE_TEMP_FLAG, 0, 1, 1);
	expect(b, Q_LANE_TX_POWER_FLAG, 1, 0, 1);
	expect(b, Q_LANE_RX_POWER_FLAG, 1, 3, 1);
	expect(b, Q_LANE_RX_POWER_FLAG, 1, 1, 0);
	expect(b, Q_MODULE_WAVELENGTH_PM, 0, 0, 850000);
	assert_int_equal(b->said.fault_count, 0);
}

/* The standard's formulas, worked out by hand from the twin's constants. */
static void test_sfp_external_calibration_is_the_standards(void **state)
{
	struct bed *b = *state;

	twin_sff8472_external(&b->image);
	decode(b, MODULE_MONITORS);
	/* 2 * 50^2 + 0.5 * 50 + 10 = 5035 times 0.1 uW */
	expect(b, Q_LANE_RX_POWER_PW, 1, 0, 503500000);
	/* 2.5 * 3500 + 40 = 8790 times 2 uA */
	expect(b, Q_LANE_TX_BIAS_UA, 1, 0, 17580);
	expect(b, Q_LANE_TX_POWER_PW, 1, 0, 598000000);
	/* 0.5 * 27.5 C - 1 C: the offset is signed */
	expect(b, Q_MODULE_TEMP_MC, 0, 0, 12750);
	expect(b, Q_MODULE_VCC_UV, 0, 0, 3320000);
}

static void test_sfp_without_diagnostics_has_no_values(void **state)
{
	struct bed *b = *state;

	twin_sff8472(&b->image);
	twin_u8(&b->image, 0, MODULE_LOWER, 92, 0x00);
	decode(b, MODULE_MONITORS | MODULE_THRESHOLDS);
	assert_int_equal(b->said.count, 0);
}

/* --- judgement ----------------------------------------------------------- */

static void test_all_ones_are_told_and_no_value(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	twin_u16(&b->image, 0, 0x11, 190, 0xffff);
	twin_u16(&b->image, 0, MODULE_LOWER, 14, 0x8000);
	twin_u16(&b->image, 0, MODULE_LOWER, 16, 0);
	twin_u16(&b->image, 0, 0x24, 128, 0xffff);
	twin_u16(&b->image, 0, 0x24, 144, 0xffff);
	decode(b, MODULE_MONITORS | MODULE_VDM);
	assert_null(said_find(&b->said, Q_LANE_RX_POWER_PW, 3, 0));
	assert_non_null(said_find(&b->said, Q_LANE_RX_POWER_PW, 4, 0));
	assert_non_null(strstr(said_fault(&b->said, "11h:190"),
			       "lane_rx_power_pw of lane 3 reads 0xffff"));
	assert_non_null(said_fault(&b->said, "00h:14"));
	assert_non_null(said_fault(&b->said, "00h:16"));
	assert_non_null(said_fault(&b->said, "24h:128"));
	assert_non_null(strstr(said_fault(&b->said, "24h:144"), "limit"));
	assert_null(said_find(&b->said, Q_LANE_PRE_FEC_BER_E18, 1, 0));
	assert_int_equal(b->said.fault_count, 5);
}

static void test_zero_light_is_a_value_but_blank_monitors_are_none(void **state)
{
	struct bed *b = *state;
	uint8_t blank[4] = { 0 };

	twin_cmis(&b->image);
	twin_u16(&b->image, 0, 0x11, 186, 0);
	twin_u16(&b->image, 0, MODULE_LOWER, 14, 0);
	decode(b, MODULE_MONITORS);
	expect(b, Q_LANE_RX_POWER_PW, 1, 0, 0);
	expect(b, Q_MODULE_TEMP_MC, 0, 0, 0);	/* 0 C is a temperature */
	twin_put(&b->image, 0, MODULE_LOWER, 14, blank, sizeof(blank));
	decode(b, MODULE_MONITORS);
	assert_null(said_find(&b->said, Q_MODULE_TEMP_MC, 0, 0));
}

static void test_states_that_nobody_defined_are_told(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	twin_u8(&b->image, 0, 0x11, 128, 0x4a);
	decode(b, MODULE_STATUS);
	assert_null(said_find(&b->said, Q_LANE_DATA_PATH_STATE, 1, 0));
	expect(b, Q_LANE_DATA_PATH_STATE, 2, 0, DATA_PATH_ACTIVATED);
	assert_non_null(said_fault(&b->said, "11h:128"));
}

static void test_wrong_checksum_is_told_and_leaves_no_value(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	twin_u8(&b->image, 0, 0x02, 129, 1);
	decode(b, MODULE_THRESHOLDS | MODULE_IDENTITY);
	assert_non_null(strstr(said_fault(&b->said, "02h:255"),
			       "octets 128 to 254 sum up to"));
	assert_int_equal(b->said.fault_count, 1);
	assert_int_equal(said_count(&b->said, Q_MODULE_VCC_THRESHOLD_UV), 0);
	assert_int_equal(said_find(&b->said, Q_MODULE_WAVELENGTH_PM, 0, 0)
			 ->quality, QUALITY_GOOD);

	/* a name is a name, and what is advertised may not be so */
	twin_cmis(&b->image);
	twin_u8(&b->image, 0, 0x00, 201, 65);
	twin_u8(&b->image, 0, 0x01, 170, 1);
	decode(b, MODULE_ALL_PARTS);
	assert_int_equal(said_count(&b->said, Q_MODULE_MAX_POWER_UW), 0);
	assert_int_equal(said_count(&b->said, Q_MODULE_WAVELENGTH_PM), 0);
	expect_text(b, ATTRIBUTE_SERIAL, "PW0000000042");
	assert_int_equal(said_find(&b->said, Q_LANE_RX_POWER_PW, 1, 0)
			 ->quality, QUALITY_ESTIMATED);
}

static void test_bias_of_an_unknown_multiplier_is_not_told(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	twin_u8(&b->image, 0, 0x01, 160, 0x1f);
	twin_seal(&b->image);
	decode(b, MODULE_ALL_PARTS);
	assert_int_equal(said_count(&b->said, Q_LANE_TX_BIAS_UA), 0);
	assert_int_equal(said_count(&b->said, Q_MODULE_TX_BIAS_THRESHOLD_UA),
			 0);
	assert_int_equal(said_count(&b->said, Q_LANE_TX_BIAS_FLAG), 32);
	assert_int_equal(said_count(&b->said, Q_LANE_RX_POWER_PW), 8);
}

/* Other pages and banks may hold anything, and drivers read them all. */
static void test_pages_that_are_not_advertised_are_not_judged(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	twin_u8(&b->image, 0, 0x04, 200, 7);
	twin_u8(&b->image, 1, 0x11, 131, 0x90);
	twin_u8(&b->image, 3, 0x10, 200, 7);
	decode(b, MODULE_ALL_PARTS);
	assert_int_equal(b->said.fault_count, 0);
	twin_cmis_banked(&b->image);
	for (unsigned i = 128; i < 132; i++)
		twin_u8(&b->image, 1, 0x11, i, 0x90);
	decode(b, MODULE_ALL_PARTS);
	assert_non_null(said_fault(&b->said, "bank 1, 11h:128"));
}

/* A memory of 128 octets at 256 addresses. */
static void test_page_that_repeats_the_lower_memory_gives_nothing(void **state)
{
	static twin_make *const makes[] = { twin_cmis, twin_cmis_flat,
					    twin_sff8636 };
	struct bed *b = *state;
	uint8_t lower[MODULE_PAGE_LEN];

	for (size_t i = 0; i < sizeof(makes) / sizeof(makes[0]); i++) {
		makes[i](&b->image);
		for (unsigned n = 0; n < 16; n++)	/* the vendor's own */
			twin_u8(&b->image, 0, MODULE_LOWER, 64 + n, 0x31 + n);
		assert_int_equal(module_image_get(&b->image, 0, MODULE_LOWER,
						  0, lower, sizeof(lower)), 0);
		lower[22]++;	/* what it measures has changed since */
		twin_put(&b->image, 0, 0x00, 128, lower, sizeof(lower));
		decode(b, MODULE_IDENTITY | MODULE_MONITORS);
		expect_text(b, ATTRIBUTE_VENDOR, "");
		expect_text(b, ATTRIBUTE_PART, "");
		assert_int_equal(said_count(&b->said, Q_MODULE_POWER_CLASS),
				 0);
		assert_non_null(strstr(said_fault(&b->said, "00h:128"),
				       "repeats the lower memory"));
	}
}

/* All ones repeat nothing, whatever there is beside them: nobody answered. */
static void test_page_00h_of_an_idle_bus_is_all_ones(void **state)
{
	static twin_make *const makes[] = { twin_cmis, twin_sff8636 };
	struct bed *b = *state;
	uint8_t ones[MODULE_PAGE_LEN];

	memset(ones, 0xff, sizeof(ones));
	for (size_t i = 0; i < sizeof(makes) / sizeof(makes[0]); i++) {
		makes[i](&b->image);
		twin_put(&b->image, 0, MODULE_LOWER, 24, ones, 102);
		twin_put(&b->image, 0, 0x00, 128, ones, sizeof(ones));
		decode(b, MODULE_IDENTITY);
		expect_text(b, ATTRIBUTE_VENDOR, "");
		assert_non_null(strstr(said_fault(&b->said, "00h:128"),
				       "are all ones, as on an undriven bus"));
	}
}

static void test_page_that_did_not_switch_gives_nothing(void **state)
{
	struct bed *b = *state;
	uint8_t zero[MODULE_PAGE_LEN];

	twin_cmis(&b->image);
	assert_int_equal(module_image_get(&b->image, 0, 0x00, 128, zero,
					  sizeof(zero)), 0);
	twin_put(&b->image, 0, 0x11, 128, zero, sizeof(zero));
	decode(b, MODULE_MONITORS | MODULE_STATUS);
	assert_int_equal(said_count(&b->said, Q_LANE_RX_POWER_PW), 0);
	assert_int_equal(said_count(&b->said, Q_LANE_DATA_PATH_STATE), 0);
	assert_non_null(strstr(said_fault(&b->said, "11h:128"),
			       "repeats page 00h"));
	expect(b, Q_MODULE_TEMP_MC, 0, 0, 45500);
}

static void test_sfp_that_mirrors_a0_has_no_diagnostics(void **state)
{
	struct bed *b = *state;
	uint8_t a0[MODULE_PAGE_LEN];

	twin_sff8472(&b->image);
	assert_int_equal(module_image_get(&b->image, 0, MODULE_LOWER, 0, a0,
					  sizeof(a0)), 0);
	twin_put(&b->image, 1, MODULE_LOWER, 0, a0, sizeof(a0));
	decode(b, MODULE_MONITORS | MODULE_THRESHOLDS | MODULE_STATUS);
	assert_int_equal(b->said.count, 0);
	assert_non_null(strstr(said_fault(&b->said, "A2h:0"), "repeats A0h"));
}

static void test_texts_of_an_idle_bus_are_told(void **state)
{
	struct bed *b = *state;
	uint8_t ones[16];

	memset(ones, 0xff, sizeof(ones));
	twin_cmis(&b->image);
	twin_put(&b->image, 0, 0x00, 129, ones, sizeof(ones));
	decode(b, MODULE_IDENTITY);
	expect_text(b, ATTRIBUTE_VENDOR, "");
	assert_non_null(said_fault(&b->said, "00h:129"));
}

static void test_texts_are_harmless(void **state)
{
	static const char nasty[16] = "A\033[31mB\x01\xe9\x85 ";
	struct bed *b = *state;

	twin_cmis(&b->image);
	twin_put(&b->image, 0, 0x00, 148, nasty, sizeof(nasty));
	decode(b, MODULE_IDENTITY);
	expect_text(b, ATTRIBUTE_PART, "A?[31mB?\xc3\xa9?");
}

/* Two registers may hold the same quantity; never do both count. */
static void test_nothing_is_told_twice(void **state)
{
	static const uint8_t aux[] = { 0x00, 0x01, 0x02, 0x03, 0x05, 0x07 };
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(aux); i++) {
		twin_cmis(&b->image);
		twin_u8(&b->image, 0, 0x01, 145, aux[i]);
		twin_u8(&b->image, 0, 0x01, 159, 0x1f);
		decode(b, MODULE_ALL_PARTS);
		for (size_t k = 0; k < b->said.count; k++) {
			const struct said_value *v = &b->said.value[k];

			assert_ptr_equal(v, said_find(&b->said,
				(enum quantity)v->quantity, v->lane,
				v->index));
		}
	}
}

/* --- bad input ----------------------------------------------------------- */

static void test_empty_image_is_an_error(void **state)
{
	struct bed *b = *state;

	memset(&b->image, 0, sizeof(b->image));
	assert_int_equal(said_decode(&b->said, &b->image, MODULE_ALL_PARTS),
			 -ENODATA);
}

static void test_unknown_type_is_an_error_that_names_it(void **state)
{
	struct bed *b = *state;
	struct module_sink sink;
	struct diag d;

	twin_cmis(&b->image);
	twin_u8(&b->image, 0, MODULE_LOWER, 0, 0x42);
	sink = said_sink(&b->said);
	assert_int_equal(module_decode(&b->image, MODULE_ALL_PARTS, &sink, &d),
			 -EOPNOTSUPP);
	assert_non_null(strstr(d.text, "00h:0 is 0x42"));
	assert_int_equal(b->said.count, 0);
}

static void test_type_octet_that_lies_does_no_harm(void **state)
{
	struct bed *b = *state;

	for (twin_make *const *make = twins; *make; make++) {
		for (unsigned type = 0; type < 256; type++) {
			int rc;

			(*make)(&b->image);
			twin_u8(&b->image, 0, MODULE_LOWER, 0, type);
			rc = said_decode(&b->said, &b->image,
					 MODULE_ALL_PARTS);
			assert_true(rc == 0 || rc == -EOPNOTSUPP);
		}
	}
}

/* Each octet of each page turned over: an answer, and in no way out of the
 * image (the sanitizer looks).
 */
static void test_each_flipped_octet_does_no_harm(void **state)
{
	struct bed *b = *state;

	for (twin_make *const *make = twins; *make; make++) {
		(*make)(&b->image);
		for (unsigned p = 0; p < b->image.count; p++) {
			/* the first say what the others have */
			unsigned step = p < 3 ? 1 : quick(1, 5);

			for (unsigned i = p % step; i < MODULE_PAGE_LEN;
			     i += step) {
				b->image.page[p].octets[i] ^= 0xff;
				(void)said_decode(&b->said, &b->image,
						  MODULE_ALL_PARTS);
				b->image.page[p].octets[i] ^= 0xff;
			}
		}
	}
}

/* Without an octet nothing is made of it, and the rest stays the same. */
static void test_each_missing_octet_takes_only_its_values(void **state)
{
	struct bed *b = *state;
	size_t whole;

	twin_cmis(&b->image);
	decode(b, MODULE_MONITORS);
	whole = b->said.count;
	for (unsigned p = 0; p < b->image.count; p++) {
		struct module_page *page = &b->image.page[p];

		if (page->page != 0x11)
			continue;
		for (unsigned i = 154 - 128; i < 202 - 128; i++) {
			uint64_t bit = UINT64_C(1) << i % 64;

			page->have[i / 64] &= ~bit;
			decode(b, MODULE_MONITORS);
			assert_int_equal(b->said.count, whole - 1);
			page->have[i / 64] |= bit;
		}
	}
}

/* Each page cut short after each octet. */
static void test_each_shorter_page_is_answered(void **state)
{
	struct bed *b = *state;
	const unsigned step = quick(1, 3);
	size_t whole;

	for (twin_make *const *make = twins; *make; make++) {
		(*make)(&b->image);
		decode(b, MODULE_ALL_PARTS);
		whole = b->said.count;
		for (unsigned p = 0; p < b->image.count; p += 3) {
			uint64_t *have = b->image.page[p].have;

			for (unsigned n = MODULE_PAGE_LEN; n-- > 0;) {
				have[n / 64] &= ~(UINT64_C(1) << n % 64);
				if (n % step)
					continue;
				(void)said_decode(&b->said, &b->image,
						  MODULE_ALL_PARTS);
				assert_true(b->said.count <= whole +
					    SAID_FAULTS_MAX);
			}
			have[0] = have[1] = UINT64_MAX;
		}
	}
}

int main(void)
{
#define BED(test) cmocka_unit_test_setup_teardown(test, bed_new, bed_free)
	const struct CMUnitTest tests[] = {
		BED(test_cmis_identity_is_told),
		BED(test_cmis_monitors_are_exact),
		BED(test_cmis_thresholds_come_in_their_order),
		BED(test_cmis_thresholds_that_are_not_set_are_absent),
		BED(test_cmis_states_and_controls_are_told),
		BED(test_cmis_data_path_tells_the_breakout),
		BED(test_cmis_flags_are_told),
		BED(test_cmis_aux_3_stands_in_for_the_laser),
		BED(test_cmis_banks_number_their_lanes_on),
		BED(test_cmis_banks_may_be_told_elsewhere),
		BED(test_dates_must_be_days),
		BED(test_cmis_flat_memory_has_no_pages),
		BED(test_cmis_lanes_that_it_does_not_have_are_absent),
		BED(test_cmis_what_it_does_not_measure_is_absent),
		BED(test_coherent_module_tells_its_laser_and_link),
		BED(test_vdm_values_are_exact),
		BED(test_vdm_groups_that_were_read_count_without_their_number),
		BED(test_vdm_thresholds_are_those_of_their_set),
		BED(test_vdm_is_there_only_when_it_is_advertised),
		BED(test_f16_is_exact_down_to_its_unit),
		BED(test_qsfp_is_decoded),
		BED(test_qsfp_of_one_wavelength_has_one_lane_of_light),
		BED(test_qsfp_flags_count_from_the_top),
		BED(test_qsfp_that_is_not_ready_gives_stale_values),
		BED(test_fibre_channel_is_told_of_a_module_for_it),
		BED(test_extended_code_is_by_the_number_of_lanes),
		BED(test_sfp_cable_is_by_what_each_octet_tells),
		BED(test_old_qsfp_sends_what_it_measures),
		BED(test_qsfp_tells_no_more_than_it_advertises),
		BED(test_qsfp_that_cannot_be_unplugged_is_an_optical_cable),
		BED(test_passive_copper_with_a_blank_lower_memory_says_nothing),
		BED(test_passive_copper_measures_nothing),
		BED(test_sfp_is_decoded),
		BED(test_sfp_external_calibration_is_the_standards),
		BED(test_sfp_without_diagnostics_has_no_values),
		BED(test_all_ones_are_told_and_no_value),
		BED(test_zero_light_is_a_value_but_blank_monitors_are_none),
		BED(test_states_that_nobody_defined_are_told),
		BED(test_wrong_checksum_is_told_and_leaves_no_value),
		BED(test_pages_that_are_not_advertised_are_not_judged),
		BED(test_bias_of_an_unknown_multiplier_is_not_told),
		BED(test_page_that_repeats_the_lower_memory_gives_nothing),
		BED(test_page_00h_of_an_idle_bus_is_all_ones),
		BED(test_page_that_did_not_switch_gives_nothing),
		BED(test_sfp_that_mirrors_a0_has_no_diagnostics),
		BED(test_texts_of_an_idle_bus_are_told),
		BED(test_texts_are_harmless),
		BED(test_nothing_is_told_twice),
		BED(test_empty_image_is_an_error),
		BED(test_unknown_type_is_an_error_that_names_it),
		BED(test_type_octet_that_lies_does_no_harm),
		BED(test_each_flipped_octet_does_no_harm),
		BED(test_each_missing_octet_takes_only_its_values),
		BED(test_each_shorter_page_is_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
