/* What cannot be so is never a value: each kind is told apart from what is
 * absent, unsupported or stale, and comes as a quantity that a detector takes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "petrel/module.h"
#include "platform/bus/readings.h"
#include "platform/module/vdm_type.h"
#include "tests/support/module_twin.h"

struct bed {
	struct module_image image;
	struct said said;
	struct readings readings;
};

static int bed_new(void **state)
{
	*state = calloc(1, sizeof(struct bed));
	return *state ? 0 : -1;
}

static int bed_free(void **state)
{
	free(*state);
	return 0;
}

static void judge(struct bed *b, unsigned parts)
{
	struct module_sink sink = readings_begin(&b->readings);

	assert_int_equal(said_decode(&b->said, &b->image, parts), 0);
	assert_int_equal(module_decode(&b->image, parts, &sink, NULL), 0);
	readings_judge(&b->readings, parts);
}

/* The bits of a lane, 0 the module; -1: not judged. */
static int64_t faults(const struct bed *b, unsigned lane,
		      enum reading_of part)
{
	enum quantity q = lane ? Q_LANE_READING_FAULTS :
				 Q_MODULE_READING_FAULTS;

	for (unsigned i = 0; i < b->readings.count; i++) {
		const struct module_value *r = &b->readings.value[i];

		if (r->quantity == q && r->lane == lane && r->index == part)
			return r->value;
	}
	return -1;
}

/* --- the kinds ----------------------------------------------------------- */

/* An octet pair that is put into a good module, and what it must come to. */
struct wrong {
	twin_make *make;
	uint8_t bank;
	uint16_t page;
	uint8_t offset;
	uint16_t raw;
	unsigned part, of;
	unsigned lane;
	enum reading_fault kind;
	enum quantity gone;
};

static const struct wrong wrongs[] = {
	{ twin_cmis, 0, 0x11, 190, 0xffff, MODULE_MONITORS,
	  READING_OF_MONITORS, 3, FAULT_ALL_ONES, Q_LANE_RX_POWER_PW },
	{ twin_cmis, 0, 0x11, 154, 0xffff, MODULE_MONITORS,
	  READING_OF_MONITORS, 1, FAULT_ALL_ONES, Q_LANE_TX_POWER_PW },
	{ twin_cmis_banked, 3, 0x11, 200, 0xffff, MODULE_MONITORS,
	  READING_OF_MONITORS, 32, FAULT_ALL_ONES, Q_LANE_RX_POWER_PW },
	{ twin_cmis, 0, MODULE_LOWER, 14, 0x8000, MODULE_MONITORS,
	  READING_OF_MONITORS, 0, FAULT_LEAST, Q_MODULE_TEMP_MC },
	{ twin_cmis, 0, MODULE_LOWER, 14, 0xffff, MODULE_MONITORS,
	  READING_OF_MONITORS, 0, FAULT_ALL_ONES, Q_MODULE_TEMP_MC },
	{ twin_cmis, 0, MODULE_LOWER, 14, 0xb000, MODULE_MONITORS,
	  READING_OF_MONITORS, 0, FAULT_RANGE, Q_MODULE_TEMP_MC },
	{ twin_cmis, 0, MODULE_LOWER, 16, 0, MODULE_MONITORS,
	  READING_OF_MONITORS, 0, FAULT_ZERO, Q_MODULE_VCC_UV },
	{ twin_cmis, 0, MODULE_LOWER, 16, 0xfff0, MODULE_MONITORS,
	  READING_OF_MONITORS, 0, FAULT_RANGE, Q_MODULE_VCC_UV },
	{ twin_cmis, 0, 0x11, 128, 0x4448, MODULE_STATUS,
	  READING_OF_STATES, 3, FAULT_CODE, Q_LANE_DATA_PATH_STATE },
	{ twin_cmis, 0, 0x24, 144, 0x0000 | 24u << 11 | 1, MODULE_VDM,
	  READING_OF_VDM, 1, FAULT_RANGE, Q_LANE_PRE_FEC_BER_E18 },
	{ twin_coherent, 0, 0x35, 182, 0x7fff, MODULE_PM,
	  READING_OF_VDM, 0, FAULT_RANGE, Q_PM_TX_POWER_PW },
	{ twin_sff8636, 0, MODULE_LOWER, 36, 0xffff, MODULE_MONITORS,
	  READING_OF_MONITORS, 2, FAULT_ALL_ONES, Q_LANE_RX_POWER_PW },
	{ twin_sff8472, 1, MODULE_LOWER, 100, 0xffff, MODULE_MONITORS,
	  READING_OF_MONITORS, 1, FAULT_ALL_ONES, Q_LANE_TX_BIAS_UA },
	{ twin_sff8472, 1, MODULE_LOWER, 98, 0x0800, MODULE_MONITORS,
	  READING_OF_MONITORS, 0, FAULT_RANGE, Q_MODULE_VCC_UV },
};

static void test_each_kind_is_told_and_no_value(void **state)
{
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		const struct wrong *w = &wrongs[i];

		w->make(&b->image);
		judge(b, w->part);
		assert_int_equal(faults(b, w->lane, w->of), 0);
		assert_non_null(said_find(&b->said, w->gone, w->lane, 0));

		twin_u16(&b->image, w->bank, w->page, w->offset, w->raw);
		judge(b, w->part);
		if (faults(b, w->lane, w->of) != 1 << w->kind)
			fail_msg("case %zu: %lld", i, (long long)
				 faults(b, w->lane, w->of));
		assert_int_equal(faults(b, 0, w->of), 1 << w->kind);
		assert_null(said_find(&b->said, w->gone, w->lane, 0));
		assert_int_equal(b->said.fault[0].kind, w->kind);
		assert_int_equal(b->said.fault[0].lane, w->lane);
		assert_int_equal(b->said.fault[0].parts, w->part);
	}
}

static void test_faults_of_one_lane_are_not_anothers(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	twin_u16(&b->image, 0, 0x11, 190, 0xffff);
	judge(b, MODULE_MONITORS | MODULE_STATUS);
	for (unsigned lane = 1; lane <= 8; lane++)
		assert_int_equal(faults(b, lane, READING_OF_MONITORS),
				 lane == 3);
	assert_int_equal(faults(b, 0, READING_OF_STATES), 0);
}

static void test_page_that_did_not_switch_takes_its_parts_along(void **state)
{
	struct bed *b = *state;
	uint8_t zero[MODULE_PAGE_LEN];

	twin_cmis(&b->image);
	assert_int_equal(module_image_get(&b->image, 0, 0, 128, zero, 128), 0);
	twin_put(&b->image, 0, 0x11, 128, zero, 128);
	judge(b, MODULE_MONITORS | MODULE_STATUS | MODULE_CONTROLS |
	      MODULE_VDM);
	assert_int_equal(faults(b, 0, READING_OF_MONITORS),
			 1 << FAULT_NOT_SWITCHED);
	assert_int_equal(faults(b, 0, READING_OF_STATES),
			 1 << FAULT_NOT_SWITCHED);
	assert_int_equal(faults(b, 0, READING_OF_VDM), 0);
	assert_null(said_find(&b->said, Q_LANE_RX_POWER_PW, 1, 0));
}

static void test_checksum_is_of_the_part_that_it_covers(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	twin_u8(&b->image, 0, 0x02, 200, 1);
	judge(b, MODULE_ALL_PARTS);
	assert_int_equal(faults(b, 0, READING_OF_THRESHOLDS),
			 1 << FAULT_CHECKSUM);
	assert_int_equal(faults(b, 0, READING_OF_IDENTITY), 0);
	assert_int_equal(faults(b, 0, READING_OF_MONITORS), 0);
	assert_int_equal(faults(b, 1, READING_OF_MONITORS), 0);
}

/* --- what a page says of itself ------------------------------------------ */

static void fill(struct bed *b, unsigned bank, unsigned page, unsigned from,
		 unsigned to, uint8_t octet)
{
	for (unsigned i = from; i <= to; i++)
		twin_u8(&b->image, bank, page, i, octet);
}

/* Octets that are all the same, what must be told of them, and what is no value
 * for them; something elsewhere still is.
 */
struct void_case {
	twin_make *make;
	uint8_t bank;
	uint16_t page;
	uint8_t from, to, octet;
	const char *where;
	unsigned of;		/* enum reading_of */
	enum reading_fault kind;
	enum quantity gone, stays;
};

static const struct void_case void_cases[] = {
	{ twin_cmis, 0, 0x11, 128, 255, 0x00, "11h:128",
	  READING_OF_MONITORS, FAULT_CODE, Q_LANE_RX_POWER_PW,
	  Q_MODULE_TEMP_MC },
	{ twin_cmis, 0, 0x11, 128, 255, 0xff, "11h:128",
	  READING_OF_FLAGS, FAULT_CODE, Q_LANE_RX_LOS, Q_MODULE_TEMP_MC },
	{ twin_cmis, 0, 0x11, 128, 131, 0x88, "11h:128",
	  READING_OF_MONITORS, FAULT_CODE, Q_LANE_TX_BIAS_UA,
	  Q_MODULE_TEMP_MC },
	{ twin_cmis_banked, 2, 0x11, 128, 255, 0x00, "bank 2, 11h:128",
	  READING_OF_STATES, FAULT_CODE, Q_LANE_DATA_PATH_STATE,
	  Q_LANE_RX_POWER_PW },
	{ twin_cmis, 0, MODULE_LOWER, 3, 63, 0xff, "00h:3",
	  READING_OF_MONITORS, FAULT_CODE, Q_MODULE_TEMP_FLAG,
	  Q_LANE_RX_POWER_PW },
	{ twin_cmis, 0, 0x24, 128, 255, 0x00, "24h:128",
	  READING_OF_VDM, FAULT_ZERO, Q_LANE_PRE_FEC_BER_E18,
	  Q_LANE_RX_POWER_PW },
	{ twin_cmis, 0, 0x24, 128, 255, 0xff, "24h:128",
	  READING_OF_VDM, FAULT_ALL_ONES, Q_LANE_SNR_MDB,
	  Q_LANE_RX_POWER_PW },
	{ twin_cmis, 0, 0x2c, 128, 255, 0xff, "2Ch:128",
	  READING_OF_FLAGS, FAULT_ALL_ONES, Q_VDM_SNR_FLAG,
	  Q_LANE_SNR_MDB },
	{ twin_cmis, 0, 0x10, 128, 255, 0xff, "10h:128",
	  READING_OF_CONTROLS, FAULT_ALL_ONES, Q_LANE_TX_DISABLED,
	  Q_LANE_RX_POWER_PW },
	{ twin_coherent, 0, 0x35, 128, 255, 0x00, "35h:128",
	  READING_OF_VDM, FAULT_ZERO, Q_PM_OSNR_MDB, Q_PM_PRE_FEC_BER_E18 },
	{ twin_coherent, 0, 0x35, 128, 255, 0xff, "35h:128",
	  READING_OF_VDM, FAULT_ALL_ONES, Q_PM_OSNR_MDB,
	  Q_PM_PRE_FEC_BER_E18 },
	{ twin_sff8636, 0, MODULE_LOWER, 3, 107, 0xff, "00h:22",
	  READING_OF_FLAGS, FAULT_ALL_ONES, Q_LANE_RX_LOS,
	  Q_MODULE_POWER_CLASS },
	{ twin_sff8636, 0, MODULE_LOWER, 22, 57, 0x00, "00h:22",
	  READING_OF_MONITORS, FAULT_ZERO, Q_LANE_RX_POWER_PW,
	  Q_LANE_RX_LOS },
	{ twin_sff8472, 1, MODULE_LOWER, 96, 119, 0xff, "A2h:96",
	  READING_OF_FLAGS, FAULT_ALL_ONES, Q_LANE_RX_LOS,
	  Q_MODULE_TEMP_THRESHOLD_MC },
	{ twin_sff8472, 1, MODULE_LOWER, 96, 119, 0x00, "A2h:96",
	  READING_OF_MONITORS, FAULT_ZERO, Q_LANE_RX_POWER_PW,
	  Q_MODULE_TEMP_THRESHOLD_MC },
};

static void test_what_a_page_says_of_itself_counts_for_all_of_it(void **state)
{
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(void_cases) / sizeof(void_cases[0]);
	     i++) {
		const struct void_case *c = &void_cases[i];
		size_t before;

		c->make(&b->image);
		judge(b, MODULE_ALL_PARTS);
		before = said_count(&b->said, c->gone);
		assert_true(before > 0);
		assert_null(said_fault(&b->said, c->where));
		fill(b, c->bank, c->page, c->from, c->to, c->octet);
		judge(b, MODULE_ALL_PARTS);
		if (!said_fault(&b->said, c->where))
			fail_msg("case %zu: nothing of %s", i, c->where);
		assert_true(faults(b, 0, c->of) & 1 << c->kind);
		assert_int_equal(b->said.fault_count, 1);
		if (said_count(&b->said, c->gone) >= before)
			fail_msg("case %zu: a value", i);
		if (!said_count(&b->said, c->stays))
			fail_msg("case %zu: no value", i);
	}
}

/* Some of its lanes may be in a state that a later standard has, and a link
 * without an errored frame has a page of zeroes.
 */
static void test_a_page_that_can_be_so_is_believed(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	fill(b, 0, 0x11, 128, 130, 0x88);
	judge(b, MODULE_MONITORS | MODULE_STATUS);
	assert_int_equal(said_count(&b->said, Q_LANE_RX_POWER_PW), 8);
	assert_int_equal(said_count(&b->said, Q_LANE_DATA_PATH_STATE), 2);

	twin_cmis(&b->image);
	for (unsigned slot = 0; slot < 24; slot++)
		twin_u8(&b->image, 0, 0x20, 129 + 2 * slot, 23);
	fill(b, 0, 0x24, 128, 255, 0);
	judge(b, MODULE_VDM);
	assert_int_equal(faults(b, 0, READING_OF_VDM), 0);
	assert_true(said_count(&b->said, Q_VDM_FERC_E18) > 0);

	/* all lanes off, and little else was read */
	twin_cmis(&b->image);
	twin_u8(&b->image, 0, 0x10, 130, 0xff);
	twin_u8(&b->image, 0, 0x10, 138, 0xff);
	for (unsigned i = 0; i < b->image.count; i++)
		if (b->image.page[i].page == 0x10) {
			b->image.page[i].have[0] = 0x404;
			b->image.page[i].have[1] = 0;
		}
	judge(b, MODULE_CONTROLS);
	assert_int_equal(said_find(&b->said, Q_LANE_TX_DISABLED, 1, 0)->value,
			 1);
}

/* Reading flags alone, the owner asks for the states beside them. */
static void test_flags_alone_are_judged_by_their_states(void **state)
{
	struct bed *b = *state;
	struct module_read read[64];
	bool has_states = false;
	size_t n;

	twin_cmis(&b->image);
	module_image_forget(&b->image, MODULE_FLAGS | MODULE_STATUS);
	n = module_plan(&b->image, MODULE_FLAGS, true, read, 64);
	for (size_t i = 0; i < n; i++)
		has_states |= read[i].page == 0x11 && read[i].offset == 128;
	assert_true(has_states);
}

static void test_page_00h_of_another_module_is_told(void **state)
{
	static twin_make *const makes[] = { twin_cmis, twin_sff8636 };
	struct bed *b = *state;

	for (unsigned i = 0; i < 2; i++) {
		makes[i](&b->image);
		judge(b, MODULE_IDENTITY);
		assert_int_equal(b->said.fault_count, 0);
		twin_u8(&b->image, 0, 0x00, 128, 0x0d);
		twin_seal(&b->image);
		judge(b, MODULE_IDENTITY);
		assert_non_null(strstr(said_fault(&b->said, "00h:128"),
				       "should equal octet 0"));
		assert_int_equal(faults(b, 0, READING_OF_IDENTITY),
				 1 << FAULT_NOT_SWITCHED);
	}
}

/* --- thresholds ---------------------------------------------------------- */

/* High alarm, low alarm, high warning, low warning of received light as they
 * stand, those of them that are used, and whether something is told.
 */
static const struct {
	uint16_t edge[4];
	unsigned used;		/* bit n: edge n */
	const char *where;	/* NULL: nothing is told */
} edge_cases[] = {
	{ { 40000, 100, 30000, 200 }, 15, NULL },
	{ { 40000, 100, 40000, 100 }, 15, NULL },
	{ { 40000, 100, 0, 0 }, 3, NULL },
	{ { 0, 0, 30000, 200 }, 12, NULL },
	{ { 0, 0, 0, 0 }, 0, NULL },
	{ { 100, 40000, 30000, 200 }, 0, "02h:192" },
	{ { 300, 300, 300, 300 }, 0, "02h:192" },
	{ { 40000, 100, 200, 30000 }, 3, "02h:196" },
	{ { 40000, 100, 41000, 200 }, 3, "02h:196" },
	{ { 40000, 100, 30000, 90 }, 3, "02h:196" },
	{ { 0xffff, 100, 30000, 200 }, 14, "02h:192" },
	{ { 0xffff, 0xffff, 0xffff, 0xffff }, 0, "02h:192" },
};

static void test_thresholds_that_cannot_be_are_told_and_not_used(void **state)
{
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(edge_cases) / sizeof(edge_cases[0]);
	     i++) {
		unsigned used = 0;

		twin_cmis(&b->image);
		for (unsigned k = 0; k < 4; k++)
			twin_u16(&b->image, 0, 0x02, 192 + 2 * k,
				 edge_cases[i].edge[k]);
		twin_seal(&b->image);
		judge(b, MODULE_THRESHOLDS);
		for (unsigned k = 0; k < 4; k++)
			used |= (unsigned)!!said_find(&b->said,
				Q_MODULE_RX_POWER_THRESHOLD_PW, 0, k) << k;
		if (used != edge_cases[i].used ||
		    !edge_cases[i].where != !b->said.fault_count)
			fail_msg("case %zu: %u, %zu", i, used,
				 b->said.fault_count);
		if (edge_cases[i].where)
			assert_non_null(said_fault(&b->said,
						   edge_cases[i].where));
		assert_int_equal(said_count(&b->said,
					    Q_MODULE_TEMP_THRESHOLD_MC), 4);
	}
}

static void test_vdm_thresholds_are_judged_the_same_way(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	twin_u16(&b->image, 0, 0x28, 128, 0x0d00);	/* below low alarm */
	judge(b, MODULE_VDM | MODULE_VDM_THRESHOLDS);
	assert_int_equal(said_count(&b->said, Q_VDM_SNR_THRESHOLD_MDB), 0);
	assert_int_equal(b->said.fault_count, 1);
	assert_non_null(said_fault(&b->said, "28h:128"));
	assert_int_equal(faults(b, 0, READING_OF_THRESHOLDS),
			 1 << FAULT_RANGE);
	/* what no high one is set for has its low ones */
	twin_cmis(&b->image);
	twin_u16(&b->image, 0, 0x28, 128, 0);
	twin_u16(&b->image, 0, 0x28, 132, 0);
	judge(b, MODULE_VDM | MODULE_VDM_THRESHOLDS);
	assert_int_equal(said_count(&b->said, Q_VDM_SNR_THRESHOLD_MDB), 16);
	assert_int_equal(b->said.fault_count, 0);
}

/* --- what is in the file, but not what tells whether the module has it ---- */

static void page_drop(struct bed *b, unsigned page)
{
	for (unsigned i = 0; i < b->image.count; i++)
		if (b->image.page[i].page == page)
			b->image.page[i] =
				b->image.page[--b->image.count];
}

static void test_without_the_advertisement_values_are_estimated(void **state)
{
	struct bed *b = *state;
	const struct said_value *v;

	twin_cmis(&b->image);
	page_drop(b, 0x01);
	fill(b, 0, 0x11, 154, 169, 0);	/* it may not measure that */
	judge(b, MODULE_ALL_PARTS);
	v = said_find(&b->said, Q_LANE_RX_POWER_PW, 3, 0);
	assert_non_null(v);
	assert_int_equal(v->quality, QUALITY_ESTIMATED);
	assert_int_equal(v->value, 800200000);
	v = said_find(&b->said, Q_MODULE_TEMP_MC, 0, 0);
	assert_int_equal(v->quality, QUALITY_ESTIMATED);
	v = said_find(&b->said, Q_MODULE_TEMP_THRESHOLD_MC, 0, 0);
	assert_int_equal(v->quality, QUALITY_ESTIMATED);
	v = said_find(&b->said, Q_LANE_SNR_MDB, 1, 0);
	assert_int_equal(v->quality, QUALITY_ESTIMATED);
	v = said_find(&b->said, Q_LANE_DATA_PATH_STATE, 1, 0);
	assert_int_equal(v->quality, QUALITY_GOOD);
	/* what its octets mean, or by what they count, page 01h tells */
	assert_int_equal(said_count(&b->said, Q_MODULE_LASER_TEMP_MC), 0);
	assert_int_equal(said_count(&b->said, Q_MODULE_TEC_CURRENT_PPM), 0);
	assert_int_equal(said_count(&b->said, Q_LANE_TX_BIAS_UA), 0);
	assert_int_equal(said_count(&b->said, Q_LANE_TX_POWER_PW), 0);
	assert_int_equal(said_count(&b->said, Q_LANE_RX_LOS), 0);

	/* a page that is blank advertises as little as none */
	twin_cmis(&b->image);
	fill(b, 0, 0x01, 128, 255, 0);
	judge(b, MODULE_ALL_PARTS);
	v = said_find(&b->said, Q_LANE_RX_POWER_PW, 3, 0);
	assert_int_equal(v->quality, QUALITY_ESTIMATED);
	assert_non_null(said_fault(&b->said, "01h:128"));
}

/* --- what is none -------------------------------------------------------- */

static void test_absent_unsupported_and_stale_are_no_faults(void **state)
{
	struct bed *b = *state;
	const struct said_value *v;

	/* absent: nobody read that page */
	twin_cmis(&b->image);
	for (unsigned i = 0; i < b->image.count; i++)
		if (b->image.page[i].page == 0x11)
			memset(b->image.page[i].have, 0,
			       sizeof(b->image.page[i].have));
	judge(b, MODULE_MONITORS);
	assert_null(said_find(&b->said, Q_LANE_RX_POWER_PW, 1, 0));
	assert_int_equal(faults(b, 0, READING_OF_MONITORS), 0);
	assert_int_equal(faults(b, 1, READING_OF_MONITORS), -1);

	/* unsupported: what is there is no reading, whatever it says */
	twin_cmis(&b->image);
	twin_u8(&b->image, 0, 0x01, 160, 0x03);
	twin_u16(&b->image, 0, 0x11, 186, 0xffff);
	twin_seal(&b->image);
	judge(b, MODULE_MONITORS);
	assert_null(said_find(&b->said, Q_LANE_RX_POWER_PW, 1, 0));
	assert_int_equal(faults(b, 1, READING_OF_MONITORS), 0);

	/* stale: a value, and not of now */
	twin_sff8636(&b->image);
	twin_u8(&b->image, 0, MODULE_LOWER, 2, 0x01);
	judge(b, MODULE_MONITORS);
	v = said_find(&b->said, Q_LANE_RX_POWER_PW, 1, 0);
	assert_non_null(v);
	assert_int_equal(v->quality, QUALITY_STALE);
	assert_int_equal(faults(b, 1, READING_OF_MONITORS), 0);
}

static void test_parts_that_were_not_read_are_not_judged(void **state)
{
	struct bed *b = *state;

	twin_cmis(&b->image);
	judge(b, MODULE_MONITORS);
	for (unsigned part = 0; part < READING_OF_COUNT; part++)
		assert_int_equal(faults(b, 0, part),
				 part == READING_OF_MONITORS ? 0 : -1);
}

static void test_faults_have_their_place_beside_all_values(void **state)
{
	struct bed *b = *state;
	struct module_sink sink = readings_begin(&b->readings);

	for (unsigned i = 0; i < READINGS_MAX; i++)
		sink.value(sink.context, Q_LANE_RX_POWER_PW, 1 + i % 32, 0, i,
			   QUALITY_GOOD);
	sink.implausible(sink.context, &(struct module_doubt){
		FAULT_RANGE, MODULE_VDM, 32, "27h:254",
		"more than is possible" });
	readings_judge(&b->readings, MODULE_ALL_PARTS);
	assert_int_equal(faults(b, 32, READING_OF_VDM), 1 << FAULT_RANGE);
	assert_int_equal(faults(b, 31, READING_OF_VDM), 0);
	assert_int_equal(faults(b, 0, READING_OF_STATES), 0);
	assert_in_range(b->readings.count, 0, READINGS_MAX);
}

/* --- an SFP's constants -------------------------------------------------- */

static void test_constants_that_are_no_numbers_give_no_value(void **state)
{
	static const uint8_t nan[] = { 0x7f, 0xc0, 0, 0 };
	static const uint8_t blank[20];
	struct bed *b = *state;

	twin_sff8472_external(&b->image);
	twin_put(&b->image, 1, MODULE_LOWER, 60, nan, sizeof(nan));
	twin_seal(&b->image);
	judge(b, MODULE_MONITORS);
	assert_null(said_find(&b->said, Q_LANE_RX_POWER_PW, 1, 0));
	assert_non_null(said_find(&b->said, Q_LANE_TX_POWER_PW, 1, 0));
	assert_int_equal(faults(b, 1, READING_OF_MONITORS),
			 1 << FAULT_NOT_FINITE);

	twin_sff8472_external(&b->image);
	twin_put(&b->image, 1, MODULE_LOWER, 56, blank, sizeof(blank));
	twin_seal(&b->image);
	judge(b, MODULE_MONITORS);
	assert_null(said_find(&b->said, Q_LANE_RX_POWER_PW, 1, 0));
	assert_int_equal(faults(b, 1, READING_OF_MONITORS), 1 << FAULT_RANGE);
}

static void test_constants_that_are_all_zero_are_told_once(void **state)
{
	static const uint8_t blank[36];
	struct bed *b = *state;

	twin_sff8472_external(&b->image);
	twin_put(&b->image, 1, MODULE_LOWER, 56, blank, sizeof(blank));
	twin_seal(&b->image);
	judge(b, MODULE_ALL_PARTS);
	assert_null(said_find(&b->said, Q_MODULE_TEMP_MC, 0, 0));
	assert_null(said_find(&b->said, Q_LANE_RX_POWER_PW, 1, 0));
	assert_null(said_find(&b->said, Q_MODULE_TEMP_THRESHOLD_MC, 0, 0));
	assert_non_null(said_find(&b->said, Q_MODULE_TEMP_FLAG, 0, 0));
	assert_int_equal(b->said.fault_count, 1);
	assert_string_equal(b->said.fault[0].where, "A2h:56");
	assert_int_equal(b->said.fault[0].kind, FAULT_ZERO);
	/* of others these octets are no constants */
	twin_u8(&b->image, 0, MODULE_LOWER, 92, 0x68);
	twin_seal(&b->image);
	judge(b, MODULE_ALL_PARTS);
	assert_non_null(said_find(&b->said, Q_MODULE_TEMP_MC, 0, 0));
	assert_int_equal(b->said.fault_count, 0);
}

static void test_constants_that_were_not_read_leave_the_value_out(void **state)
{
	struct bed *b = *state;

	twin_sff8472_external(&b->image);
	for (unsigned i = 0; i < b->image.count; i++)
		if (b->image.page[i].bank == 1 &&
		    b->image.page[i].page == MODULE_LOWER)
			b->image.page[i].have[1] &= ~(UINT64_C(0xff) << 12);
	judge(b, MODULE_MONITORS);
	assert_null(said_find(&b->said, Q_LANE_TX_BIAS_UA, 1, 0));
	assert_non_null(said_find(&b->said, Q_LANE_RX_POWER_PW, 1, 0));
	assert_int_equal(faults(b, 1, READING_OF_MONITORS), 0);
}

static void test_an_offset_does_not_make_light_of_less_than_none(void **state)
{
	struct bed *b = *state;
	const struct said_value *v;

	twin_sff8472_external(&b->image);
	twin_u16(&b->image, 1, MODULE_LOWER, 82, 0x8001);
	twin_seal(&b->image);
	judge(b, MODULE_MONITORS);
	v = said_find(&b->said, Q_LANE_TX_POWER_PW, 1, 0);
	assert_non_null(v);
	assert_int_equal(v->value, 0);
	/* nor of more than a laser sends */
	twin_u16(&b->image, 1, MODULE_LOWER, 80, 0xffff);
	twin_u16(&b->image, 1, MODULE_LOWER, 102, 0xfffe);
	twin_seal(&b->image);
	judge(b, MODULE_MONITORS);
	assert_null(said_find(&b->said, Q_LANE_TX_POWER_PW, 1, 0));
	assert_int_equal(faults(b, 1, READING_OF_MONITORS), 1 << FAULT_RANGE);
}

/* --- whose VDM it is ----------------------------------------------------- */

static void descriptor(struct bed *b, unsigned slot, unsigned nibble,
		       unsigned type)
{
	twin_u8(&b->image, 0, 0x20, 128 + 2 * slot, nibble);
	twin_u8(&b->image, 0, 0x20, 129 + 2 * slot, type);
	twin_u16(&b->image, 0, 0x24, 128 + 2 * slot, 0x5000);
}

/* Eight lanes in data paths of so many host lanes, with an application of so
 * many media lanes.
 */
static void paths(struct bed *b, unsigned host, unsigned media)
{
	twin_cmis(&b->image);
	fill(b, 0, 0x20, 128, 255, 0);
	fill(b, 0, 0x21, 128, 255, 0);
	twin_u8(&b->image, 0, MODULE_LOWER, 88, host << 4 | media);
	for (unsigned lane = 0; lane < 8; lane++)
		twin_u8(&b->image, 0, 0x11, 206 + lane,
			0x10 | lane / host * host << 1);
}

static void test_vdm_is_told_of_whose_it_is(void **state)
{
	static const struct {
		unsigned host, media, nibble, type, owner;
	} cases[] = {
		{ 8, 8, 0, 15, MODULE_PATH + 1 },	/* not lane 1's */
		{ 8, 8, 15, 15, MODULE_PATH + 1 },
		{ 4, 4, 4, 15, MODULE_PATH + 5 },
		{ 4, 4, 15, 15, 0 },		/* of both: the module's */
		{ 1, 1, 6, 15, 7 },		/* the path is that lane */
		{ 2, 1, 2, 9, 3 },		/* media's side of it is */
		{ 2, 1, 2, 10, MODULE_PATH + 3 },	/* the host's is not */
		{ 8, 8, 3, 5, 4 },
		{ 8, 8, 0, 2, 0 },
		{ 8, 8, 15, 3, 0 },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		paths(b, cases[i].host, cases[i].media);
		descriptor(b, 0, cases[i].nibble, cases[i].type);
		judge(b, MODULE_VDM);
		assert_int_equal(said_count(&b->said, vdm_type_find(
					    cases[i].type)->value), 1);
		if (!said_find(&b->said, vdm_type_find(cases[i].type)->value,
			       cases[i].owner, 0))
			fail_msg("case %zu", i);
	}
	/* one for each lane, whatever the standard says */
	paths(b, 4, 4);
	for (unsigned lane = 0; lane < 8; lane++)
		descriptor(b, lane, lane, 15);
	judge(b, MODULE_VDM);
	for (unsigned lane = 1; lane <= 8; lane++)
		assert_non_null(said_find(&b->said, Q_LANE_PRE_FEC_BER_E18,
					  lane, 0));
}

static void expect_owner(struct bed *b, unsigned type, unsigned owner)
{
	judge(b, MODULE_VDM);
	if (!said_find(&b->said, vdm_type_find(type)->value, owner, 0))
		fail_msg("type %u is not of %u", type, owner);
}

/* 100GAUI-2 to 100GBASE-DR, four times: the third host lane is the second of
 * light.
 */
static void test_vdm_of_a_path_is_of_its_media_lane(void **state)
{
	struct bed *b = *state;

	paths(b, 2, 1);
	twin_u8(&b->image, 0, MODULE_LOWER, 89, 0x55);
	twin_u8(&b->image, 0, 0x01, 176, 0x0f);
	twin_seal(&b->image);
	for (unsigned n = 0; n < 4; n++) {
		descriptor(b, n, 2 * n, 15);
		descriptor(b, 4 + n, 2 * n, 16);
	}
	for (unsigned n = 0; n < 4; n++) {
		expect_owner(b, 15, n + 1);
		expect_owner(b, 16, MODULE_PATH + 2 * n + 1);
	}
	assert_int_equal(said_count(&b->said, Q_LANE_PRE_FEC_BER_E18), 4);
	/* all on one wavelength: then each is its path's */
	twin_u8(&b->image, 0, 0x01, 176, 0x01);
	twin_u8(&b->image, 0, 0x00, 210, 0xfe);
	twin_seal(&b->image);
	for (unsigned n = 0; n < 4; n++)
		expect_owner(b, 15, MODULE_PATH + 2 * n + 1);
	for (unsigned n = 1; n < 4; n++)
		descriptor(b, n, 0, 0);
	expect_owner(b, 15, 1);
}

/* Of two data paths of four lanes only the second is in use. */
static void test_vdm_of_lanes_that_are_idle(void **state)
{
	struct bed *b = *state;

	paths(b, 4, 4);
	fill(b, 0, 0x11, 206, 209, 0);
	twin_u8(&b->image, 0, MODULE_LOWER, 89, 0x11);
	descriptor(b, 0, 0, 15);
	descriptor(b, 1, 4, 15);
	descriptor(b, 2, 0, 77);
	expect_owner(b, 15, MODULE_PATH + 1);
	expect_owner(b, 15, MODULE_PATH + 5);
	expect_owner(b, 77, 0);
	/* one for each lane: only those show it that begin no path */
	descriptor(b, 1, 1, 15);
	expect_owner(b, 15, 1);
	expect_owner(b, 15, 2);
	/* so is it told of what the module has once, or each of its lanes */
	paths(b, 1, 1);
	descriptor(b, 0, 0, 77);
	expect_owner(b, 77, 0);
	descriptor(b, 1, 1, 77);
	expect_owner(b, 77, 1);
	expect_owner(b, 77, 2);
}

/* Which entity each was given to, by bit. */
struct given {
	uint64_t lanes, paths;
};

static uint32_t entity_of(void *context, unsigned lane)
{
	struct given *g = context;

	*(lane > MODULE_PATH ? &g->paths : &g->lanes) |=
		UINT64_C(1) << lane % MODULE_PATH;
	return ENTITY_NONE;
}

static void test_data_paths_are_entities_of_their_own(void **state)
{
	static const struct read_group age;
	struct bed *b = *state;
	struct readings_given before = { { 0 } };
	struct given g = { 0, 0 };
	struct module_sink sink;

	paths(b, 4, 4);
	descriptor(b, 0, 4, 15);
	descriptor(b, 1, 6, 5);
	descriptor(b, 2, 0, 2);
	sink = readings_begin(&b->readings);
	assert_int_equal(module_decode(&b->image, MODULE_VDM, &sink, NULL), 0);
	readings_give(&b->readings, NULL, 0, entity_of, &g, &age, &before);
	assert_int_equal(g.lanes, 1u << 7 | 1u);
	assert_int_equal(g.paths, 1u << 5);
	/* Who said something before and nothing now is given empty, once. */
	(void)readings_begin(&b->readings);
	for (int left = 1; left >= 0; left--) {
		g = (struct given){ 0, 0 };
		readings_give(&b->readings, NULL, 0, entity_of, &g, &age,
			      &before);
		assert_int_equal(g.lanes, left ? 1u << 7 | 1u : 0);
		assert_int_equal(g.paths, left ? 1u << 5 : 0);
	}
	/* but not what is a lane's alone */
	assert_false(quantity_fits(quantity_find(Q_LANE_RX_POWER_PW),
				   ENTITY_DATA_PATH));
}

/* --- types of VDM -------------------------------------------------------- */

/* What FBOSS' own tests expect of modules in use, and what real ones hold. */
static void test_vdm_types_are_read_as_those_do_who_use_them(void **state)
{
	static const struct {
		unsigned type, raw;
		enum quantity quantity;
		int64_t value;
	} cases[] = {
		{ 100, 0xaef7, Q_VDM_PAM4_SIGMA_0, 1783 },
		{ 101, 0xaf33, Q_VDM_PAM4_SIGMA_1, 1843 },
		{ 102, 0xb0d9, Q_VDM_PAM4_SIGMA_2, 2170 },
		{ 103, 0xb0d5, Q_VDM_PAM4_SIGMA_3, 2130 },
		{ 104, 0xad30, Q_VDM_MPI, 1328 },
		{ 105, 0xaa28, Q_VDM_CUSTOM_105, 552 },
		{ 106, 2, Q_VDM_FEC_TAIL_MAX, 2 },
		{ 107, 1, Q_VDM_FEC_TAIL, 1 },
		{ 108, 3, Q_VDM_HOST_FEC_TAIL_MAX, 3 },
		{ 109, 1, Q_VDM_HOST_FEC_TAIL, 1 },
		{ 148, 0x0074, Q_VDM_CLOCK_RECOVERY_LOOP_PPM, 3540 },
		{ 148, 0xff8c, Q_VDM_CLOCK_RECOVERY_LOOP_PPM, -3540 },
		{ 149, 0x0045, Q_VDM_SOPMD_LOW_FS2, 69000000 },
		{ 150, 0x0029, Q_VDM_SNR_MARGIN_MDB, 4100 },
		{ 150, 0xffff, Q_VDM_SNR_MARGIN_MDB, -100 },
		{ 151, 0x006b, Q_VDM_Q_FACTOR_MDB, 10700 },
		{ 152, 0x002a, Q_VDM_Q_MARGIN_MDB, 4200 },
		/* half of all bits, and all frames */
		{ 15, 0xa9f4, Q_LANE_PRE_FEC_BER_E18,
		  INT64_C(500000000000000000) },
		{ 23, 0xabe8, Q_VDM_FERC_E18, INT64_C(1000000000000000000) },
		{ 84, 3000, Q_VDM_ELS_INPUT_POWER_PW, MODULE_LIGHT_MOST_PW },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct vdm_type *t = vdm_type_find(cases[i].type);
		int64_t value = 0;

		assert_non_null(t);
		assert_int_equal(t->value, cases[i].quantity);
		assert_int_equal(vdm_type_convert(t, cases[i].raw, &value),
				 QUALITY_GOOD);
		assert_int_equal(value, cases[i].value);
	}
}

static void test_vdm_ratios_end_where_there_is_no_more(void **state)
{
	int64_t value = 7;

	(void)state;
	assert_int_equal(vdm_type_convert(vdm_type_find(15), 0xa9f5, &value),
			 QUALITY_IMPLAUSIBLE);
	assert_int_equal(vdm_type_fault(vdm_type_find(15), 0xa9f5),
			 FAULT_RANGE);
	assert_int_equal(vdm_type_convert(vdm_type_find(23), 0xabe9, &value),
			 QUALITY_IMPLAUSIBLE);
	assert_int_equal(vdm_type_fault(vdm_type_find(23), 0xffff),
			 FAULT_ALL_ONES);
	assert_int_equal(vdm_type_fault(vdm_type_find(4), 0x8000),
			 FAULT_LEAST);
	/* hundredths of a dBm go up to more than all numbers of pW */
	assert_int_equal(vdm_type_convert(vdm_type_find(143), 0x7fff, &value),
			 QUALITY_IMPLAUSIBLE);
	assert_int_equal(vdm_type_convert(vdm_type_find(143), 3001, &value),
			 QUALITY_IMPLAUSIBLE);
	assert_int_equal(vdm_type_fault(vdm_type_find(143), 0x7fff),
			 FAULT_RANGE);
}

static void test_vdm_types_of_one_side_stand_together(void **state)
{
	static const enum quantity flags[][2] = {
		{ Q_VDM_FEC_TAIL, Q_VDM_FEC_TAIL_FLAG },
		{ Q_VDM_HOST_FEC_TAIL_MAX, Q_VDM_HOST_FEC_TAIL_MAX_FLAG },
	};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const struct vdm_type *t = vdm_type_find(107 + i);

		assert_int_equal(t->value, flags[i][0]);
		assert_int_equal(t->flag, flags[i][1]);
		assert_int_equal(t->threshold - t->value, 0x100);
	}
}

static void attribute_keep(void *context, uint32_t handle,
			   enum attribute which, const char *text)
{
	char (*said)[ATTRIBUTE_TEXT_MAX] = context;

	(void)handle;
	(void)snprintf(said[which], ATTRIBUTE_TEXT_MAX, "%s", text);
}

/* A text that was not read stays; images of which CDB has another answer by now
 * do not.
 */
static void test_images_go_with_their_answer(void **state)
{
	static char said[ATTRIBUTE_COUNT][ATTRIBUTE_TEXT_MAX];
	struct platform_host host = { .context = said,
				      .attribute = attribute_keep };
	static struct readings r;

	(void)state;
	(void)readings_begin(&r);
	(void)snprintf(r.text[ATTRIBUTE_VENDOR], ATTRIBUTE_TEXT_MAX, "one");
	(void)snprintf(r.text[ATTRIBUTE_FIRMWARE_IMAGES], ATTRIBUTE_TEXT_MAX,
		       "A 1.2.3");
	readings_give_texts(&r, &host, 1);
	assert_string_equal(said[ATTRIBUTE_FIRMWARE_IMAGES], "A 1.2.3");
	(void)readings_begin(&r);
	readings_give_texts(&r, &host, 1);
	assert_string_equal(said[ATTRIBUTE_VENDOR], "one");
	assert_string_equal(said[ATTRIBUTE_FIRMWARE_IMAGES], "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bed_new, bed_free)
	const struct CMUnitTest tests[] = {
		TEST(test_each_kind_is_told_and_no_value),
		TEST(test_faults_of_one_lane_are_not_anothers),
		TEST(test_page_that_did_not_switch_takes_its_parts_along),
		TEST(test_checksum_is_of_the_part_that_it_covers),
		TEST(test_what_a_page_says_of_itself_counts_for_all_of_it),
		TEST(test_a_page_that_can_be_so_is_believed),
		TEST(test_flags_alone_are_judged_by_their_states),
		TEST(test_page_00h_of_another_module_is_told),
		TEST(test_thresholds_that_cannot_be_are_told_and_not_used),
		TEST(test_vdm_thresholds_are_judged_the_same_way),
		TEST(test_without_the_advertisement_values_are_estimated),
		TEST(test_absent_unsupported_and_stale_are_no_faults),
		TEST(test_parts_that_were_not_read_are_not_judged),
		TEST(test_faults_have_their_place_beside_all_values),
		TEST(test_constants_that_are_no_numbers_give_no_value),
		TEST(test_constants_that_are_all_zero_are_told_once),
		TEST(test_constants_that_were_not_read_leave_the_value_out),
		TEST(test_an_offset_does_not_make_light_of_less_than_none),
		TEST(test_vdm_is_told_of_whose_it_is),
		TEST(test_vdm_of_a_path_is_of_its_media_lane),
		TEST(test_vdm_of_lanes_that_are_idle),
		TEST(test_data_paths_are_entities_of_their_own),
		TEST(test_vdm_types_are_read_as_those_do_who_use_them),
		TEST(test_vdm_ratios_end_where_there_is_no_more),
		TEST(test_vdm_types_of_one_side_stand_together),
		cmocka_unit_test(test_images_go_with_their_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
