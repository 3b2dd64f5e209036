#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/names.h"
#include "petrel/entity.h"
#include "petrel/finding.h"
#include "petrel/link.h"
#include "petrel/module.h"
#include "petrel/platform.h"
#include "petrel/quantity.h"
#include "petrel/wire.h"

/* As the design fixes them, in the order of their numbers. */
#define SIGNATURES \
	"fec_trend fec_uncorrectable contamination bent_fibre far_laser " \
	"tx_decay thermal_fec loose_module copper_degrade lane_imbalance " \
	"flap_burst link_down shared_component environment microburst " \
	"congestion lossless_drop pfc_storm uplink_imbalance rhythm_change " \
	"config_mismatch sensor_fault module_changed switch_silent"
#define SEVERITIES "watch warn critical"
#define ACTIONS \
	"observe clean_near clean_far reseat_near reseat_far replace_cable " \
	"replace_near replace_far fix_airflow fix_config check_peer"

#define NAMER(name) \
	static const char *name##_of(unsigned value) { return name(value); }

#define WORDER(name, quantity)						\
	static const char *name##_of(unsigned value)			\
	{								\
		return quantity_word(quantity, value);			\
	}

/* Two letters that changed places are one mistake. */
static void test_names_distance_counts_mistakes(void **state)
{
	static const struct {
		const char *word, *other;
		unsigned distance;
	} cases[] = {
		{ "", "", 0 }, { "top", "top", 0 }, { "", "top", 3 },
		{ "tp", "top", 1 }, { "tops", "top", 1 }, { "tap", "top", 1 },
		{ "tpo", "top", 1 }, { "otp", "top", 1 }, { "pot", "top", 2 },
		{ "ca", "abc", 3 }, { "prots", "ports", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(nearest_distance(cases[i].word,
						  cases[i].other),
				 cases[i].distance);
		assert_int_equal(nearest_distance(cases[i].other,
						  cases[i].word),
				 cases[i].distance);
	}
}

NAMER(signature_name)
NAMER(severity_name)
NAMER(finding_state_name)
NAMER(fault_end_name)
NAMER(drain_name)
NAMER(action_name)
NAMER(watch_name)
NAMER(cause_name)
NAMER(subject_kind_name)
NAMER(entity_kind_name)
NAMER(attribute_name)
NAMER(stream_name)
NAMER(record_kind_name)
WORDER(oper_status_name, Q_OPER_STATUS)
WORDER(fec_mode_name, Q_FEC_MODE)
WORDER(training_status_name, Q_LINK_TRAINING_STATUS)
NAMER(quantity_unit_name)
NAMER(platform_event_name)
WORDER(module_state_name, Q_MODULE_STATE)
WORDER(module_fault_cause_name, Q_MODULE_FAULT_CAUSE)
WORDER(data_path_state_name, Q_LANE_DATA_PATH_STATE)
WORDER(xcvr_state_name, Q_MODULE_XCVR_STATE)

static const char *action_words_of(unsigned value)
{
	const struct finding f = { .signature = SIGNATURE_FEC_TREND };

	return action_words(&f, (enum action)value);
}

struct namer {
	const char *what;
	const char *(*of)(unsigned value);
	unsigned first, count;
};

static const struct namer namers[] = {
	{ "signature", signature_name_of, 1, SIGNATURE_COUNT },
	{ "severity", severity_name_of, 1, SEVERITY_COUNT },
	{ "finding_state", finding_state_name_of, 1, FINDING_STATE_COUNT },
	{ "fault_end", fault_end_name_of, 1, END_COUNT },
	{ "drain", drain_name_of, 1, DRAIN_COUNT },
	{ "action", action_name_of, 1, ACTION_COUNT },
	{ "action_words", action_words_of, 1, ACTION_COUNT },
	{ "watch", watch_name_of, 1, WATCH_COUNT },
	{ "cause", cause_name_of, 1, CAUSE_COUNT },
	{ "subject_kind", subject_kind_name_of, 1, SUBJECT_KIND_COUNT },
	{ "entity_kind", entity_kind_name_of, 1, ENTITY_KIND_COUNT },
	{ "attribute", attribute_name_of, 1, ATTRIBUTE_COUNT },
	{ "stream", stream_name_of, 0, STREAM_COUNT },
	{ "record_kind", record_kind_name_of, 1, RECORD_KIND_COUNT },
	{ "oper_status", oper_status_name_of, OPER_UP,
	  OPER_LOWER_LAYER_DOWN + 1 },
	{ "fec_mode", fec_mode_name_of, 0, FEC_MODE_COUNT },
	{ "training_status", training_status_name_of, 0,
	  TRAINING_STATUS_COUNT },
	{ "unit", quantity_unit_name_of, 0, UNIT_COUNT },
	{ "event", platform_event_name_of, 1, PLATFORM_EVENT_COUNT },
	{ "module_state", module_state_name_of, 1, MODULE_STATE_COUNT },
	{ "module_fault_cause", module_fault_cause_name_of, 0,
	  MODULE_FAULT_CAUSE_COUNT },
	{ "data_path_state", data_path_state_name_of, 1,
	  DATA_PATH_STATE_COUNT },
	{ "xcvr_state", xcvr_state_name_of, 0, XCVR_STATE_COUNT },
};

/* Every enumerator has a word, no two the same, and nothing else has one. */
static void test_names_are_complete_and_distinct(void **state)
{
	(void)state;
	for (size_t n = 0; n < sizeof(namers) / sizeof(namers[0]); n++) {
		const struct namer *e = &namers[n];

		for (unsigned i = 0; i < e->first; i++)
			assert_null(e->of(i));
		assert_null(e->of(e->count));
		assert_null(e->of(UINT32_MAX));
		for (unsigned i = e->first; i < e->count; i++) {
			if (!e->of(i))
				fail_msg("%s %u has no word", e->what, i);
			for (unsigned k = e->first; k < i; k++)
				assert_string_not_equal(e->of(i), e->of(k));
		}
	}
}

static void test_names_of_down_reasons_are_complete(void **state)
{
	(void)state;
	for (unsigned i = 0; i < DOWN_REASON_COUNT; i++) {
		if (i > DOWN_SPEED_MISMATCH && i < DOWN_MAC_LOCAL_FAULT)
			assert_null(quantity_word(Q_DOWN_REASON, i));
		else
			assert_non_null(quantity_word(Q_DOWN_REASON, i));
	}
}

static void assert_list(const char *want, const char *(*of)(unsigned),
			unsigned first, unsigned count)
{
	char is[1024] = "";

	for (unsigned i = first; i < count; i++) {
		if (i > first)
			strcat(is, " ");
		strcat(is, of(i));
	}
	assert_string_equal(is, want);
}

static void test_c08_fixed_lists_are_verbatim(void **state)
{
	(void)state;
	assert_list(SIGNATURES, signature_name_of, 1, SIGNATURE_COUNT);
	assert_list(SEVERITIES, severity_name_of, 1, SEVERITY_COUNT);
	assert_list(ACTIONS, action_name_of, 1, ACTION_COUNT);
	assert_list("none advise urge", drain_name_of, 1, DRAIN_COUNT);
	assert_list("near far path", fault_end_name_of, 1, END_COUNT);
	assert_list("raised updated cleared", finding_state_name_of, 1,
		    FINDING_STATE_COUNT);
	assert_list("port switch sensor group zone lane queue",
		    subject_kind_name_of, 1, SUBJECT_KIND_COUNT);
	assert_list("armed limited blind n/a", watch_name_of, 1, WATCH_COUNT);
}

static void test_names_of_modules_parse_back(void **state)
{
	(void)state;
	assert_int_equal(quantity_word_value(Q_MODULE_STATE, "ModuleReady"),
			 MODULE_READY);
	assert_int_equal(quantity_word_value(Q_LANE_DATA_PATH_STATE,
					     "DataPathTxTurnOn"),
			 DATA_PATH_TX_TURN_ON);
	assert_int_equal(quantity_word_value(Q_LANE_CONFIG_STATUS,
					     "ConfigInProgress"),
			 LANE_CONFIG_IN_PROGRESS);
	assert_int_equal(quantity_word_value(Q_MODULE_XCVR_STATE, "READY"),
			 XCVR_READY);
	assert_int_equal(quantity_word_value(Q_MODULE_FAULT_CAUSE,
					     "TEC runaway"),
			 MODULE_FAULT_TEC_RUNAWAY);
	assert_int_equal(quantity_word_value(Q_MODULE_STATE, "N/A"), -EINVAL);
	assert_int_equal(quantity_word_value(Q_IF_IN_OCTETS, "up"), -EINVAL);
	assert_null(quantity_word(Q_LANE_CONFIG_STATUS,
				  LANE_CONFIG_STATUS_COUNT));
}

static void test_names_parse_finds_each_word(void **state)
{
	static const char *const words[] = { NULL, "one", "two" };

	(void)state;
	assert_int_equal(names_parse(words, 3, "one"), 1);
	assert_int_equal(names_parse(words, 3, "two"), 2);
	assert_int_equal(names_parse(words, 2, "two"), -EINVAL);
	assert_int_equal(names_parse(words, 3, "tw"), -EINVAL);
	assert_null(names_get(words, 3, 0));
	assert_null(names_get(words, 3, 3));
	for (unsigned i = 0; i < FEC_MODE_COUNT; i++)
		assert_int_equal(fec_mode_parse(quantity_word(Q_FEC_MODE, i),
						0, 0), i);
	assert_int_equal(fec_mode_parse("rs", 100000, 4), FEC_RS528);
	assert_int_equal(fec_mode_parse("rs", 100000, 2), FEC_RS544);
	assert_int_equal(fec_mode_parse("rs", 100000, 0), FEC_RS528);
	assert_int_equal(fec_mode_parse("rs", 200000, 8), FEC_RS544);
	assert_int_equal(fec_mode_parse("rs", 400000, 0), FEC_RS544);
	assert_int_equal(fec_mode_parse("N/A", 50000, 1), -EINVAL);
}

/* C8: twelve base-32 characters, the same on every machine and build. */
static void test_c08_finding_id_is_pinned(void **state)
{
	char id[FINDING_ID_LEN + 1], other[FINDING_ID_LEN + 1];
	struct wall onset = { 1700000000123456789 };

	(void)state;
	finding_id_make("leaf-1", "Ethernet8", SIGNATURE_FEC_TREND, onset, id);
	assert_int_equal(strlen(id), FINDING_ID_LEN);
	assert_int_equal(strspn(id, "abcdefghijklmnopqrstuvwxyz234567"),
			 FINDING_ID_LEN);
	assert_string_equal(id, "we6l6d23bjfy");
	finding_id_make("leaf-1E", "thernet8", SIGNATURE_FEC_TREND, onset,
			other);
	assert_string_not_equal(id, other);
	finding_id_make("leaf-1", "Ethernet8", SIGNATURE_LINK_DOWN, onset,
			other);
	assert_string_not_equal(id, other);
	onset.ns++;
	finding_id_make("leaf-1", "Ethernet8", SIGNATURE_FEC_TREND, onset,
			other);
	assert_string_not_equal(id, other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_complete_and_distinct),
		cmocka_unit_test(test_names_of_down_reasons_are_complete),
		cmocka_unit_test(test_c08_fixed_lists_are_verbatim),
		cmocka_unit_test(test_names_of_modules_parse_back),
		cmocka_unit_test(test_names_parse_finds_each_word),
		cmocka_unit_test(test_names_distance_counts_mistakes),
		cmocka_unit_test(test_c08_finding_id_is_pinned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
