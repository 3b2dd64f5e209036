#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "petrel/finding.h"

/* As they were given out: a word is never moved, only added at the end. */
static const char *const causes[CAUSE_COUNT] = {
	NULL, "not_loss", "light_not_read_since", "light_not_read",
	"more_than_one_fits", "dirty_connector", "bent_fibre",
	"far_laser_fades", "module_hot", "weak_lane", "copper_worn",
	"error_bursts", "bad_contact", "laser_bias_rises",
	"laser_power_falls", "lane_differs", "readings_impossible",
	"readings_missed", "module_changed", "shared_errors", "shared_falls",
	"fan", "sensor_temperature", "supply", "sensor_voltage",
	"sensor_current", "warm_air", "link_falls_again", "no_module",
	"no_light", "low_light", "light_as_usual", "tx_fault", "tx_disabled",
	"no_carrier", "training", "local_fault", "remote_fault",
	"fec_sync_lost", "fec_not_aligned", "symbol_errors", "bit_errors",
	"frame_checksums", "cell_checksums", "cell_size", "cells_out_of_step",
	"code_groups", "no_signal", "far_end_unreachable", "peer_down",
	"not_shown", "fec_mismatch", "speed_mismatch", "module_state_failed",
	"shut_here", "switch_silent", "preexisting",
	"lane_errors", "follows_traffic", "readings_still", "bursts_together",
	"shared_module",
};

static void test_c08_causes_keep_their_numbers(void **state)
{
	(void)state;
	assert_null(cause_name(0));
	assert_null(cause_name(CAUSE_COUNT));
	for (unsigned i = 1; i < CAUSE_COUNT; i++) {
		assert_string_equal(cause_name(i), causes[i]);
		for (unsigned k = 1; k < i; k++)
			assert_string_not_equal(causes[i], causes[k]);
	}
}

/* Each cause has a way out, and no step twice. */
static void test_c08_each_cause_has_actions_in_order(void **state)
{
	const enum action *actions = NULL;

	(void)state;
	for (unsigned i = 1; i < CAUSE_COUNT; i++) {
		size_t n = cause_actions(i, &actions);

		assert_in_range(n, 1, FINDING_ACTIONS_MAX);
		for (size_t k = 0; k < n; k++) {
			assert_non_null(action_name(actions[k]));
			for (size_t j = 0; j < k; j++)
				assert_int_not_equal(actions[j], actions[k]);
		}
	}
	assert_int_equal(cause_actions(0, &actions), 0);
	assert_int_equal(cause_actions(CAUSE_COUNT, &actions), 0);
}

/* What the detector asks for is the first, and stands once. */
static void test_finding_actions_begin_with_its_action(void **state)
{
	struct finding f = { .cause_id = CAUSE_DIRTY_CONNECTOR,
			     .action = ACTION_CLEAN_NEAR };

	(void)state;
	finding_actions(&f, CONNECTOR_FIBRE);
	assert_int_equal(f.action_count, 5);
	assert_int_equal(f.actions[0], ACTION_CLEAN_NEAR);
	assert_int_equal(f.actions[1], ACTION_CLEAN_FAR);
	assert_int_equal(f.actions[2], ACTION_RESEAT_NEAR);
	f.action = ACTION_RESEAT_NEAR;
	finding_actions(&f, CONNECTOR_FIBRE);
	assert_int_equal(f.action_count, 5);
	assert_int_equal(f.actions[0], ACTION_RESEAT_NEAR);
	assert_int_equal(f.actions[1], ACTION_CLEAN_NEAR);
	f.action = ACTION_OBSERVE;	/* the last of five has no room */
	finding_actions(&f, CONNECTOR_FIBRE);
	assert_int_equal(f.action_count, FINDING_ACTIONS_MAX);
	f.cause_id = 0;
	finding_actions(&f, CONNECTOR_FIBRE);
	assert_int_equal(f.action_count, 1);
}

/* Frames are lost: what comes after waiting is what to do now. */
static void test_finding_actions_of_what_cannot_wait(void **state)
{
	struct finding f = { .cause_id = CAUSE_LIGHT_NOT_READ_SINCE,
			     .action = ACTION_OBSERVE,
			     .severity = SEVERITY_WARN };

	(void)state;
	finding_actions(&f, CONNECTOR_FIBRE);
	assert_int_equal(f.action, ACTION_OBSERVE);
	assert_int_equal(f.action_count, 3);
	f.severity = SEVERITY_CRITICAL;
	finding_actions(&f, CONNECTOR_FIXED);
	assert_int_equal(f.action, ACTION_RESEAT_NEAR);
	assert_int_equal(f.actions[0], ACTION_RESEAT_NEAR);
	assert_int_equal(f.action_count, 1);
	f.action = ACTION_OBSERVE;
	f.cause_id = CAUSE_SWITCH_SILENT;	/* has no other */
	finding_actions(&f, CONNECTOR_FIBRE);
	assert_int_equal(f.action, ACTION_OBSERVE);
	assert_int_equal(f.action_count, 1);
}

/* Nothing is cleaned where nothing can be opened. */
static void test_finding_actions_follow_the_connector(void **state)
{
	static const struct {
		enum connector connector;
		enum action first, second, third;
		unsigned count;
	} rows[] = {
		{ CONNECTOR_UNKNOWN, ACTION_CLEAN_NEAR, ACTION_CLEAN_FAR,
		  ACTION_RESEAT_NEAR, 5 },
		{ CONNECTOR_FIXED, ACTION_RESEAT_NEAR, ACTION_RESEAT_FAR,
		  ACTION_REPLACE_CABLE, 3 },
		{ CONNECTOR_RJ45, ACTION_RESEAT_NEAR, ACTION_RESEAT_FAR,
		  ACTION_REPLACE_CABLE, 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct finding f = { .cause_id = CAUSE_BIT_ERRORS,
				     .action = ACTION_CLEAN_NEAR };

		finding_actions(&f, rows[i].connector);
		assert_int_equal(f.action, rows[i].first);
		assert_int_equal(f.actions[0], rows[i].first);
		assert_int_equal(f.actions[1], rows[i].second);
		assert_int_equal(f.actions[2], rows[i].third);
		assert_int_equal(f.action_count, rows[i].count);
	}
}

/* No cleaning heals one of the wavelengths on a fibre; what all of them lost is
 * dirt there, too.
 */
static void test_finding_actions_of_one_wavelength(void **state)
{
	struct finding f = { .cause_id = CAUSE_WEAK_LANE,
			     .action = ACTION_CLEAN_NEAR };

	(void)state;
	finding_actions(&f, CONNECTOR_ONE_FIBRE);
	assert_int_equal(f.action, ACTION_RESEAT_NEAR);
	assert_int_equal(f.action_count, 4);
	assert_int_equal(f.actions[1], ACTION_RESEAT_FAR);
	assert_int_equal(f.actions[2], ACTION_REPLACE_NEAR);
	assert_int_equal(f.actions[3], ACTION_REPLACE_FAR);
	f.cause_id = CAUSE_LANE_DIFFERS;
	f.action = ACTION_REPLACE_NEAR;
	finding_actions(&f, CONNECTOR_ONE_FIBRE);
	assert_int_equal(f.actions[1], ACTION_RESEAT_NEAR);
	f.cause_id = CAUSE_DIRTY_CONNECTOR;
	f.action = ACTION_CLEAN_NEAR;
	finding_actions(&f, CONNECTOR_ONE_FIBRE);
	assert_int_equal(f.action, ACTION_CLEAN_NEAR);
}

static void test_finding_ports_come_back_in_order(void **state)
{
	struct finding f = { .subject = "core0" };
	const char *port;

	(void)state;
	memset(f.ports, 'x', sizeof(f.ports));	/* of one before */
	assert_null(finding_port(&f, NULL));
	finding_port_add(&f, "Ethernet8");
	finding_port_add(&f, "Ethernet0");
	finding_port_add(&f, "Ethernet8");
	assert_int_equal(f.port_count, 2);
	port = finding_port(&f, NULL);
	assert_string_equal(port, "Ethernet8");
	port = finding_port(&f, port);
	assert_string_equal(port, "Ethernet0");
	assert_null(finding_port(&f, port));
	assert_true(finding_has_port(&f, "Ethernet0"));
	assert_true(finding_has_port(&f, "core0"));
	assert_false(finding_has_port(&f, "Ethernet"));
}

/* Beyond either bound ports are counted, and none is cut off. */
static void ports_fill(int width, unsigned count, unsigned kept)
{
	struct finding f = { .subject = "psu1" };
	const char *port = NULL;
	char name[ENTITY_NAME_MAX];

	for (unsigned i = 0; i < count; i++) {
		(void)snprintf(name, sizeof(name), "E%0*u", width, i);
		finding_port_add(&f, name);
	}
	finding_port_add(&f, "a");	/* would have room again */
	assert_int_equal(f.port_count, count + 1);
	assert_int_equal(f.ports_kept, kept);
	for (unsigned i = 0; i < kept; i++) {
		(void)snprintf(name, sizeof(name), "E%0*u", width, i);
		port = finding_port(&f, port);
		assert_string_equal(port, name);
	}
	assert_null(finding_port(&f, port));
}

static void test_finding_ports_are_bounded(void **state)
{
	(void)state;
	ports_fill(1, 100, FINDING_PORTS_MAX);
	ports_fill(47, 100, FINDING_PORTS_OCTETS / 49);
	ports_fill(30, 30, FINDING_PORTS_OCTETS / 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c08_causes_keep_their_numbers),
		cmocka_unit_test(test_c08_each_cause_has_actions_in_order),
		cmocka_unit_test(test_finding_actions_begin_with_its_action),
		cmocka_unit_test(test_finding_actions_of_what_cannot_wait),
		cmocka_unit_test(test_finding_actions_follow_the_connector),
		cmocka_unit_test(test_finding_actions_of_one_wavelength),
		cmocka_unit_test(test_finding_ports_come_back_in_order),
		cmocka_unit_test(test_finding_ports_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
