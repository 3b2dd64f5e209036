/* What xcvrd publishes of a register that nobody drove is told as that, and is
 * no value; what it says is not there is absent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "petrel/module.h"
#include "platform/sonic/meaning/field.h"
#include "platform/sonic/meaning/tables.h"

#define MODULE_DOM (&module_values_tables.list[0])
#define MODULE_THRESHOLDS (&module_values_tables.list[2])
#define MODULE_VDM (&module_values_tables.list[14])

struct bed {
	struct field_index index;
	struct row row;
	struct judged judged;
	int64_t value[ROW_PARTS_MAX], faults[ROW_PARTS_MAX];
	unsigned part;
	enum quantity wanted;
};

static int bed_new(void **state)
{
	*state = calloc(1, sizeof(struct bed));
	return *state ? 0 : -1;
}

static int bed_free(void **state)
{
	struct bed *b = *state;

	field_index_fini(&b->index);
	free(b);
	return 0;
}

static uint32_t entity_of(void *context, unsigned part)
{
	(void)context;
	return part + 1;
}

static void on_group(void *context, unsigned source, uint32_t handle,
		     const struct read_group *age)
{
	struct bed *b = context;

	(void)source;
	(void)age;
	b->part = handle - 1;
}

static void on_sample(void *context, enum quantity quantity, unsigned index,
		      int64_t value, enum sample_quality quality)
{
	struct bed *b = context;

	(void)quality;
	if (quantity == Q_MODULE_READING_FAULTS ||
	    quantity == Q_LANE_READING_FAULTS) {
		assert_int_equal(index, READING_OF_MONITORS);
		b->faults[b->part] = value;
	}
	if (quantity == b->wanted)
		b->value[b->part] = value;
}

static void row_begin(struct bed *b, const struct table *t)
{
	memset(&b->row, 0, sizeof(b->row));
	field_index_fini(&b->index);
	assert_int_equal(field_index_init(&b->index, &t->fields), 0);
	row_clear(&b->row);
}

static void say(struct bed *b, const char *name, const char *text)
{
	int which = field_find(&b->index, name, strlen(name), 0);

	assert_true(which >= 0);
	row_take(&b->row, &b->index, (unsigned)which, text, strlen(text));
}

/* Judges and hands over; -1 stands for what was not said. */
static void judge(struct bed *b, enum quantity wanted, bool is_reading)
{
	const struct platform_host host = {
		.context = b, .group = on_group, .sample = on_sample };
	struct row_target to = {
		.host = &host, .entity = entity_of, .judged = &b->judged,
		.judged_index = READING_OF_MONITORS };

	for (unsigned i = 0; i < ROW_PARTS_MAX; i++)
		b->value[i] = b->faults[i] = -1;
	b->wanted = wanted;
	judge_row(&b->row, &b->index, is_reading, &b->judged);
	(void)row_emit(&b->row, &b->index, &to);
}

static void test_texts_that_cannot_be_are_told_and_no_value(void **state)
{
	static const struct {
		const char *name, *text;
		unsigned part;
		enum quantity quantity;
		enum reading_fault kind;
	} cases[] = {
		{ "temperature", "nan", 0, Q_MODULE_TEMP_MC,
		  FAULT_NOT_FINITE },
		{ "temperature", "-inf", 0, Q_MODULE_TEMP_MC,
		  FAULT_NOT_FINITE },
		{ "temperature", "-0.004", 0, Q_MODULE_TEMP_MC,
		  FAULT_ALL_ONES },
		{ "temperature", "-0.00390625", 0, Q_MODULE_TEMP_MC,
		  FAULT_ALL_ONES },
		{ "temperature", "-128.0", 0, Q_MODULE_TEMP_MC, FAULT_LEAST },
		{ "temperature", "-70.5", 0, Q_MODULE_TEMP_MC, FAULT_RANGE },
		{ "temperature", "warm", 0, Q_MODULE_TEMP_MC, FAULT_CODE },
		{ "voltage", "6.5535", 0, Q_MODULE_VCC_UV, FAULT_ALL_ONES },
		{ "voltage", "6.554", 0, Q_MODULE_VCC_UV, FAULT_ALL_ONES },
		{ "voltage", "6.4", 0, Q_MODULE_VCC_UV, FAULT_RANGE },
		{ "rx3power", "8.165", 3, Q_LANE_RX_POWER_PW, FAULT_ALL_ONES },
		{ "rx3power", "inf", 3, Q_LANE_RX_POWER_PW,
		  FAULT_NOT_FINITE },
		{ "tx8power", "8.165", 8, Q_LANE_TX_POWER_PW, FAULT_ALL_ONES },
		{ "tx2bias", "131.07", 2, Q_LANE_TX_BIAS_UA, FAULT_ALL_ONES },
		{ "tx2bias", "524.28", 2, Q_LANE_TX_BIAS_UA, FAULT_ALL_ONES },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		row_begin(b, MODULE_DOM);
		say(b, cases[i].name, cases[i].text);
		judge(b, cases[i].quantity, true);
		if (b->faults[cases[i].part] != 1 << cases[i].kind)
			fail_msg("%s=%s: %lld", cases[i].name, cases[i].text,
				 (long long)b->faults[cases[i].part]);
		assert_int_equal(b->judged.fault[0], 1 << cases[i].kind);
		assert_int_equal(b->value[cases[i].part], -1);
	}
}

static void test_what_is_absent_or_dark_is_no_fault(void **state)
{
	struct bed *b = *state;

	row_begin(b, MODULE_DOM);
	say(b, "temperature", "45.5");
	say(b, "voltage", "N/A");
	say(b, "rx1power", "-inf");
	say(b, "rx2power", "N/A");
	say(b, "tx2power", "0.5");
	judge(b, Q_LANE_RX_POWER_PW, true);
	assert_int_equal(b->faults[0], 0);
	assert_int_equal(b->faults[1], 0);
	assert_int_equal(b->faults[2], 0);
	assert_int_equal(b->value[1], 0);	/* dark is a reading */
	assert_int_equal(b->value[2], -1);
	assert_int_equal(b->faults[3], -1);	/* nothing was said of it */
}

static void test_ratios_of_bits_and_of_frames_end_apart(void **state)
{
	struct bed *b = *state;

	row_begin(b, MODULE_VDM);
	say(b, "errored_frames_curr_media_input1", "0.8");
	say(b, "prefec_ber_curr_media_input2", "0.8");
	say(b, "prefec_ber_curr_media_input3", "0.5");
	judge(b, Q_VDM_FERC_E18, true);
	assert_int_equal(b->value[1], INT64_C(800000000000000000));
	assert_int_equal(b->faults[1], 0);
	assert_int_equal(b->faults[2], 1 << FAULT_RANGE);
	assert_int_equal(b->faults[3], 0);
}

static void test_thresholds_may_stand_where_no_reading_can_be(void **state)
{
	struct bed *b = *state;

	row_begin(b, MODULE_THRESHOLDS);
	say(b, "temphighalarm", "-128.0");
	say(b, "vcchighalarm", "nan");
	say(b, "prefecberhighalarm", "1.0");
	judge(b, Q_MODULE_TEMP_THRESHOLD_MC, false);
	assert_int_equal(b->value[0], -128000);
	assert_int_equal(b->judged.fault[0], 1 << FAULT_NOT_FINITE);
}

static const struct table *table_of(const char *name)
{
	for (unsigned i = 0; i < tables_count(); i++)
		if (strcmp(table_get(i)->name, name) == 0)
			return table_get(i);
	fail_msg("no table %s", name);
	return NULL;
}

/* What no share of a speed can be is revolutions a minute. */
static void test_fan_speed_is_percent_or_revolutions(void **state)
{
	static const struct {
		const char *text;
		int64_t ppm, rpm;
	} rows[] = {
		{ "0", 0, -1 },
		{ "62.5", 625000, -1 },
		{ "104", 1040000, -1 },
		{ "8190", -1, 8190 },
	};
	struct bed *b = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		row_begin(b, table_of("FAN_INFO"));
		say(b, "speed", rows[i].text);
		judge(b, Q_FAN_SPEED_PPM, false);
		assert_int_equal(b->value[0], rows[i].ppm);
		judge(b, Q_SENSOR_FAN_RPM, false);
		assert_int_equal(b->value[0], rows[i].rpm);
		say(b, "speed_target", rows[i].text);
		judge(b, Q_FAN_TARGET_PPM, false);
		assert_int_equal(b->value[0], rows[i].ppm);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bed_new, bed_free)
	const struct CMUnitTest tests[] = {
		TEST(test_texts_that_cannot_be_are_told_and_no_value),
		TEST(test_what_is_absent_or_dark_is_no_fault),
		TEST(test_ratios_of_bits_and_of_frames_end_apart),
		TEST(test_thresholds_may_stand_where_no_reading_can_be),
		TEST(test_fan_speed_is_percent_or_revolutions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
