#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>

#include "petrel/link.h"
#include "petrel/module.h"
#include "platform/sonic/meaning/text.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* As sonic-utilities' mock of COUNTERS_DB has them (Apache-2.0). */
static const char states[] = "{\"0\": [\"T*\", 1678886400000, 10], "
			     "\"1\": [\"F\", 0, 0]}";
static const char snrs[] = "{\"0\": 36697, \"1\": 35200, \"3\": 36000}";

static void test_lanes_of_a_real_row(void **state)
{
	struct lanes l;

	(void)state;
	assert_int_equal(lanes_parse(LANES_STATE, states, strlen(states), &l),
			 0);
	assert_int_equal(l.present, 0x3);
	assert_true(l.counts);
	assert_int_equal(l.value[0], 1);
	assert_int_equal(l.count[0], 10);
	assert_int_equal(l.value[1], 0);
	assert_int_equal(lanes_parse(LANES_NUMBER, snrs, strlen(snrs), &l), 0);
	assert_int_equal(l.present, 0xb);
	assert_int_equal(l.value[3], 36000);
	assert_false(l.counts);
}

/* 36697 / 256 dB is 143.348 dB: what the chip says, however odd. */
static void test_snr_is_in_thousandths_of_a_db(void **state)
{
	struct lanes l;

	(void)state;
	assert_int_equal(lanes_parse(LANES_SNR, snrs, strlen(snrs), &l), 0);
	assert_int_equal(l.value[0], 143348);
	assert_int_equal(l.value[1], 137500);
}

/* In memory of just that length, so that a sanitizer sees a step too far. */
static void test_every_shorter_length_is_refused(void **state)
{
	(void)state;
	for (size_t len = 0; len < strlen(states); len++) {
		char *cut = malloc(len ? len : 1);
		struct lanes l = { .present = 77 };

		assert_non_null(cut);
		memcpy(cut, states, len);
		assert_int_equal(lanes_parse(LANES_STATE, cut, len, &l),
				 -EINVAL);
		assert_int_equal(l.present, 77);
		free(cut);
	}
}

static void test_lists_that_lie_are_refused(void **state)
{
	static const struct {
		enum lanes_kind kind;
		const char *text;
		int rc;
	} cases[] = {
		{ LANES_STATE, "{}", -ENODATA },
		{ LANES_NUMBER, " { } ", -ENODATA },
		{ LANES_NUMBER, "{\"0\": 1} x", -EINVAL },
		{ LANES_NUMBER, "{\"0\": 1, }", 0 },	/* no harm in it */
		{ LANES_NUMBER, "{\"0\": -1}", -EINVAL },
		{ LANES_NUMBER, "{\"0\": 1e30}", -EINVAL },
		{ LANES_NUMBER, "{\"0\": \"1\"}", -EINVAL },
		{ LANES_NUMBER, "{\"x\": 1}", -EINVAL },
		{ LANES_NUMBER, "{\"-1\": 1}", -EINVAL },
		{ LANES_NUMBER, "{\"16\": 1}", -ENODATA },
		{ LANES_NUMBER, "[1, 2]", -EINVAL },
		{ LANES_STATE, "{\"0\": 1}", -EINVAL },
		{ LANES_STATE, "{\"0\": [\"X\", 0, 0]}", -EINVAL },
		{ LANES_STATE, "{\"0\": [\"TT\", 0, 0]}", -EINVAL },
		{ LANES_STATE, "{\"0\": [\"T\", 0, -3]}", -EINVAL },
		{ LANES_STATE, "{\"0\": [\"T\", 0]}", -EINVAL },
		{ LANES_STATE, "{\"0\": [\"T\", 0, 0, 0]}", -EINVAL },
		{ LANES_STATE, "N/A", -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct lanes l;
		int rc = lanes_parse(cases[i].kind, cases[i].text,
				     strlen(cases[i].text), &l);

		if (rc != cases[i].rc)
			fail_msg("'%s': %d", cases[i].text, rc);
	}
}

static void test_words_of_sonic_are_known(void **state)
{
	static const struct {
		enum words which;
		const char *text;
		int rc;
		int value;
	} cases[] = {
		{ WORDS_MODULE_STATE, "ModuleReady", 0, MODULE_READY },
		{ WORDS_MODULE_STATE, "ModuleOnFire", -EINVAL, 0 },
		{ WORDS_MODULE_FAULT, "No Fault detected", 0, 0 },
		{ WORDS_DATA_PATH, " DataPathActivated ", 0,
		  DATA_PATH_ACTIVATED },
		{ WORDS_DATA_PATH, "N/A", -ENODATA, 0 },
		{ WORDS_LANE_CONFIG, "ConfigInProgress", 0,
		  LANE_CONFIG_IN_PROGRESS },
		{ WORDS_XCVR_STATE, "READY", 0, XCVR_READY },
		/* a word of absence, and one that is a state */
		{ WORDS_XCVR_STATE, "UNKNOWN", 0, XCVR_UNKNOWN },
		{ WORDS_STORM, "stormed", 0, 1 },
		{ WORDS_STORM, "operational", 0, 0 },
		{ WORDS_STORM, "Stormed", -EINVAL, 0 },
		{ WORDS_OPER, "up", 0, OPER_UP },
		{ WORDS_OPER, "down", 0, OPER_DOWN },
		{ WORDS_LEAK, "Yes", 0, 1 },
		{ WORDS_LEAK, "", -ENODATA, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t value = 77;
		int rc = words_parse(cases[i].which, cases[i].text,
				     strlen(cases[i].text), &value);

		if (rc != cases[i].rc || value != (rc ? 77 : cases[i].value))
			fail_msg("'%s': %d, %d", cases[i].text, rc, (int)value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lanes_of_a_real_row),
		cmocka_unit_test(test_snr_is_in_thousandths_of_a_db),
		cmocka_unit_test(test_every_shorter_length_is_refused),
		cmocka_unit_test(test_lists_that_lie_are_refused),
		cmocka_unit_test(test_words_of_sonic_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
