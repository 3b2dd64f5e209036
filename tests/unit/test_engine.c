#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "agent/signature/detector.h"
#include "agent/signature/hypothesis.h"
#include "tests/support/port_play.h"

static enum watch watch_at(struct play *p, enum signature s, const char *words)
{
	const char *why, *arm;
	enum watch w = engine_watch(p->engine, p->port, s, &why, &arm);

	if (w == WATCH_ARMED) {
		assert_null(why);
		return w;
	}
	assert_non_null(why);
	if (!strstr(why, words))
		fail_msg("'%s' lacks '%s'", why, words);
	return w;
}

static void test_engine_port_of_the_same_name_is_the_same_number(void **state)
{
	struct play p;
	uint32_t again;

	(void)state;
	play_init(&p, 1);
	p.facts.lanes = 2;
	assert_int_equal(engine_port(p.engine, &p.facts, &again), 0);
	assert_int_equal(again, p.port);
	play_fini(&p);
}

static void test_engine_refuses_one_port_too_many(void **state)
{
	struct play p;
	uint32_t port;

	(void)state;
	play_init(&p, 1);	/* one is there */
	for (int i = 1; i < PLAY_PORTS_MAX; i++) {
		(void)snprintf(p.facts.name, sizeof(p.facts.name), "Eth%d", i);
		assert_int_equal(engine_port(p.engine, &p.facts, &port), 0);
	}
	memcpy(p.facts.name, "Eth99", 6);
	assert_int_equal(engine_port(p.engine, &p.facts, &port), -ENOSPC);
	play_fini(&p);
}

static void test_engine_takes_no_reading_twice(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 300);
	play_drop(&p, 1);
	for (int i = 0; i < 10; i++) {	/* the same reading again */
		p.t_s -= p.period_s;
		p.downs++;
		play_once(&p);
	}
	assert_int_equal(play_said(&p, SIGNATURE_FLAP_BURST, 0), 0);
	play_fini(&p);
}

static void test_engine_view_of_a_healthy_port(void **state)
{
	struct play p;
	struct engine_view view;

	(void)state;
	play_init(&p, 1);
	engine_view(p.engine, p.port, &view);
	assert_false(view.has_ber);
	play_for(&p, 30);
	engine_view(p.engine, p.port, &view);
	assert_true(view.has_ber && view.has_margin);
	assert_true(fabs((double)view.pre_fec_ber_e18 / 1e11 - 1) < 0.01);
	assert_in_range(view.margin_milli_db, 1750, 1900);
	play_fini(&p);
}

static void test_engine_view_below_resolution(void **state)
{
	struct play p;
	struct engine_view view;

	(void)state;
	play_init(&p, 1);
	p.log_ber = -17;
	play_for(&p, 30);
	engine_view(p.engine, p.port, &view);
	assert_true(view.has_ber && view.ber_below_resolution);
	assert_int_equal(view.pre_fec_ber_e18, 0);
	play_fini(&p);
}

static void test_engine_view_of_copper_is_in_decades(void **state)
{
	struct play p;
	struct engine_view view;

	(void)state;
	play_init(&p, 1);
	p.facts.optical = false;
	assert_int_equal(engine_port(p.engine, &p.facts, &p.port), 0);
	play_for(&p, 30);
	engine_view(p.engine, p.port, &view);
	assert_in_range(view.margin_milli_db, 3400, 3450);
	play_fini(&p);
}

static void test_engine_view_of_a_link_that_is_down_is_empty(void **state)
{
	struct play p;
	struct engine_view view;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 30);
	p.up = false;
	play_once(&p);
	engine_view(p.engine, p.port, &view);
	assert_false(view.has_ber);
	play_fini(&p);
}

static void test_c08_watch_is_armed_by_what_is_read(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	assert_int_equal(watch_at(&p, SIGNATURE_FEC_TREND, "no counter"),
			 WATCH_BLIND);
	play_for(&p, 30);
	assert_int_equal(watch_at(&p, SIGNATURE_FEC_TREND, "being learned"),
			 WATCH_LIMITED);
	play_for(&p, 120);
	assert_int_equal(watch_at(&p, SIGNATURE_FEC_TREND, ""), WATCH_ARMED);
	assert_int_equal(watch_at(&p, SIGNATURE_FLAP_BURST, ""), WATCH_ARMED);
	assert_int_equal(watch_at(&p, SIGNATURE_LINK_DOWN, "why"),
			 WATCH_LIMITED);
	play_fini(&p);
}

static void test_c08_watch_is_limited_without_module_readings(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	p.no_dom = true;
	play_for(&p, 150);
	assert_int_equal(watch_at(&p, SIGNATURE_FEC_TREND, "temperature"),
			 WATCH_LIMITED);
	p.facts.optical = false;	/* copper has none to read */
	assert_int_equal(engine_port(p.engine, &p.facts, &p.port), 0);
	assert_int_equal(watch_at(&p, SIGNATURE_FEC_TREND, ""), WATCH_ARMED);
	play_fini(&p);
}

static void test_c08_watch_says_when_readings_stop(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 150);
	p.no_fec = true;
	play_for(&p, 120);
	assert_int_equal(watch_at(&p, SIGNATURE_FEC_TREND, ""), WATCH_ARMED);
	play_for(&p, 120);
	assert_int_equal(watch_at(&p, SIGNATURE_FEC_TREND, "stopped"),
			 WATCH_LIMITED);
	play_fini(&p);
}

/* Counters that are there would arm nothing. */
static void test_c08_watch_of_a_link_that_is_down_waits_for_it(void **state)
{
	const char *why, *arm;
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 150);
	p.no_fec = true;
	play_drop(&p, 240);
	assert_int_equal(engine_watch(p.engine, p.port, SIGNATURE_FEC_TREND,
				      &why, &arm), WATCH_LIMITED);
	assert_string_equal(arm, "a link that is up");
	play_fini(&p);
}

/* A dead source is no health: also where nothing of the port is read. */
static void test_c08_watch_is_blind_when_nothing_is_read(void **state)
{
	struct play p;
	struct mono now;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 150);
	now = p.k.t;
	for (int i = 0; i < 30; i++) {
		now.ns += NS_PER_S;
		engine_tick(p.engine, now, (struct wall){ now.ns });
	}
	assert_int_equal(watch_at(&p, SIGNATURE_FEC_TREND, ""), WATCH_ARMED);
	for (int i = 0; i < 60; i++) {
		now.ns += NS_PER_S;
		engine_tick(p.engine, now, (struct wall){ now.ns });
	}
	assert_int_equal(watch_at(&p, SIGNATURE_FEC_TREND, "no longer read"),
			 WATCH_BLIND);
	assert_int_equal(watch_at(&p, SIGNATURE_LINK_DOWN, "no longer read"),
			 WATCH_BLIND);
	assert_int_equal(watch_at(&p, SIGNATURE_ENVIRONMENT, "no longer read"),
			 WATCH_BLIND);
	play_fini(&p);
}

static void test_c08_watch_without_fec_does_not_apply(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	p.facts.fec = FEC_NONE;
	assert_int_equal(engine_port(p.engine, &p.facts, &p.port), 0);
	play_for(&p, 150);
	assert_int_equal(watch_at(&p, SIGNATURE_FEC_TREND, "no Reed-Solomon"),
			 WATCH_NA);
	play_fini(&p);
}

static bool has_detector(enum signature signature)
{
	const struct detector *const *table;
	size_t count = detectors(&table);

	for (size_t i = 0; i < count; i++)
		if (table[i]->signature == signature)
			return true;
	return false;
}

static void test_c08_watch_is_never_armed_without_a_detector(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 150);
	for (int s = 1; s < SIGNATURE_COUNT; s++)
		if (s != SIGNATURE_SWITCH_SILENT &&
		    !engine_is_wide((enum signature)s) &&
		    !hypothesis_find((enum signature)s) &&
		    !has_detector((enum signature)s))
			assert_int_equal(watch_at(&p, (enum signature)s,
						  "not in this version"),
					 WATCH_BLIND);
	assert_int_equal(watch_at(&p, SIGNATURE_SHARED_COMPONENT,
				  "what this port shares with others is not"),
			 WATCH_BLIND);
	assert_int_equal(watch_at(&p, SIGNATURE_SWITCH_SILENT, "collector"),
			 WATCH_NA);
	play_fini(&p);
}

static void test_engine_module_swapped_learns_anew(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	engine_event(p.engine, p.port, ENGINE_MODULE_SWAPPED, p.k.t,
		     (struct wall){ 0 });
	p.log_ber = -5.5;		/* and that is what it is like */
	play_for(&p, 920);
	assert_int_equal(p.count, 2);	/* that it came, for a while */
	assert_int_equal(play_said(&p, SIGNATURE_MODULE_CHANGED, 0), 2);
	play_fini(&p);
}

static void test_engine_counters_cleared_is_no_step(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	p.downs = 7;
	play_for(&p, 900);
	engine_event(p.engine, ENGINE_ALL_PORTS, ENGINE_COUNTERS_CLEARED,
		     p.k.t, (struct wall){ 0 });
	p.downs = 0;
	p.bits = p.clean = p.corrected = 0;
	play_for(&p, 900);
	assert_int_equal(p.count, 0);
	play_fini(&p);
}

/* Six falls and a minute down, and an error rate that goes through the roof. */
static void trouble(struct play *p)
{
	for (int i = 0; i < 6; i++) {
		play_drop(p, 2);
		play_for(p, 4);
	}
	play_drop(p, 60);
	p->log_ber = -4;
	play_for(p, 60);
}

static void test_engine_says_nothing_of_links_during_tsa(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	engine_context(p.engine, ENGINE_TSA, p.k.t);
	trouble(&p);
	assert_int_equal(p.count, 0);
	p.log_ber = -7;
	play_for(&p, 300);
	engine_context(p.engine, 0, p.k.t);
	play_for(&p, 900);
	assert_int_equal(p.count, 0);	/* nor of its falls afterwards */
	trouble(&p);
	assert_true(play_said(&p, SIGNATURE_FLAP_BURST, FINDING_UPDATED) > 0);
	play_fini(&p);
}

static void test_engine_says_nothing_of_links_during_a_warm_reboot(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	engine_context(p.engine, ENGINE_WARM_REBOOT, p.k.t);
	trouble(&p);
	assert_int_equal(p.count, 0);
	play_fini(&p);
}

static void test_engine_link_that_stays_down_after_tsa_is_said(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	engine_context(p.engine, ENGINE_TSA, p.k.t);
	p.up = false;
	play_for(&p, 60);
	assert_int_equal(p.count, 0);
	engine_context(p.engine, 0, p.k.t);
	play_for(&p, 60);
	assert_int_equal(play_said(&p, SIGNATURE_LINK_DOWN, FINDING_RAISED), 1);
	play_fini(&p);
}

/* Nobody's traffic is hurt, but who drained the switch wants to see it. */
static void test_engine_errors_during_tsa_are_at_watch(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	engine_context(p.engine, ENGINE_TSA, p.k.t);
	p.log_ber = -3.8;
	play_for(&p, 300);
	assert_non_null(play_last(&p, SIGNATURE_FEC_TREND));
	assert_int_equal(play_last(&p, SIGNATURE_FEC_TREND)->severity,
			 SEVERITY_WATCH);
	engine_context(p.engine, 0, p.k.t);
	play_for(&p, 60);
	assert_true(play_last(&p, SIGNATURE_FEC_TREND)->severity >
		    SEVERITY_WATCH);
	engine_context(p.engine, ENGINE_TSA, p.k.t);
	play_for(&p, 3600);		/* it stays as bad as was told */
	assert_true(play_last(&p, SIGNATURE_FEC_TREND)->severity >
		    SEVERITY_WATCH);
	play_fini(&p);
}

static void test_engine_finding_from_before_tsa_stays(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	p.up = false;
	play_for(&p, 60);
	engine_context(p.engine, ENGINE_TSA, p.k.t);
	play_for(&p, 60);
	assert_int_equal(play_said(&p, SIGNATURE_LINK_DOWN, FINDING_RAISED), 1);
	assert_int_equal(play_said(&p, SIGNATURE_LINK_DOWN, FINDING_CLEARED),
			 0);
	play_fini(&p);
}

static void test_engine_coverage_tells_of_tsa(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 150);
	assert_int_equal(watch_at(&p, SIGNATURE_FEC_TREND, ""), WATCH_ARMED);
	engine_context(p.engine, ENGINE_TSA, p.k.t);
	assert_int_equal(watch_at(&p, SIGNATURE_LINK_DOWN, "TSA"),
			 WATCH_LIMITED);
	assert_int_equal(watch_at(&p, SIGNATURE_FEC_TREND, ""), WATCH_ARMED);
	engine_context(p.engine, ENGINE_WARM_REBOOT | ENGINE_TSA, p.k.t);
	assert_int_equal(watch_at(&p, SIGNATURE_FEC_TREND, "reboot"),
			 WATCH_LIMITED);
	engine_context(p.engine, 0, p.k.t);
	assert_int_equal(watch_at(&p, SIGNATURE_FEC_TREND, ""), WATCH_ARMED);
	play_fini(&p);
}

static void test_engine_port_shut_by_configuration_is_no_finding(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	inputs_set(&p.k, INPUT_ADMIN, 0);
	for (int i = 0; i < 6; i++) {
		play_drop(&p, 20);
		play_for(&p, 10);
	}
	p.up = false;
	play_for(&p, 300);
	assert_int_equal(p.count, 0);
	play_fini(&p);
}

/* A page that lists counters of errors does not say that none was read. */
static void test_c08_errors_that_are_counted_are_not_called_unread(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 3);
	assert_int_equal(watch_at(&p, SIGNATURE_FEC_TREND,
				  "counted, but there is no error ratio"),
			 WATCH_LIMITED);
	play_fini(&p);
}

static void test_c08_changes_are_named_the_newest_of_many(void **state)
{
	struct play p;
	const struct finding *f;
	char words[32];

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	for (int i = 0; i < 2 * FINDING_CHANGES_MAX; i++) {
		(void)snprintf(words, sizeof(words), "mtu: %d to 1", i);
		engine_changed(p.engine, p.port, words, p.k.t);
	}
	engine_changed(p.engine, p.port, "told late",
		       (struct mono){ p.k.t.ns - 60 * NS_PER_S });
	engine_changed(p.engine, p.port + 1, "of another port", p.k.t);
	p.up = false;
	play_for(&p, 60);
	f = &p.said[0];
	assert_int_equal(f->change_count, FINDING_CHANGES_MAX);
	(void)snprintf(words, sizeof(words), "mtu: %d to 1",
		       2 * FINDING_CHANGES_MAX - 1);
	/* And not the fall, which is what the finding tells of. */
	assert_non_null(strstr(f->change[FINDING_CHANGES_MAX - 1], words));
	play_fini(&p);
}

static void test_engine_allocates_nothing_for_readings(void **state)
{
	struct play p;
	size_t before;

	(void)state;
	play_init(&p, 1);
	play_once(&p);
	before = mallinfo2().uordblks;
	play_for(&p, 900);
	play_ramp(&p, 900, -4);
	play_drop(&p, 30);
	assert_true(p.count > 0);
	assert_int_equal(mallinfo2().uordblks, before);
	play_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_c08_errors_that_are_counted_are_not_called_unread),
		cmocka_unit_test(
		test_engine_port_of_the_same_name_is_the_same_number),
		cmocka_unit_test(test_engine_refuses_one_port_too_many),
		cmocka_unit_test(test_c08_watch_is_blind_when_nothing_is_read),
		cmocka_unit_test(test_engine_takes_no_reading_twice),
		cmocka_unit_test(test_engine_view_of_a_healthy_port),
		cmocka_unit_test(test_engine_view_below_resolution),
		cmocka_unit_test(test_engine_view_of_copper_is_in_decades),
		cmocka_unit_test(
		test_engine_view_of_a_link_that_is_down_is_empty),
		cmocka_unit_test(test_c08_watch_is_armed_by_what_is_read),
		cmocka_unit_test(
		test_c08_watch_is_limited_without_module_readings),
		cmocka_unit_test(test_c08_watch_says_when_readings_stop),
		cmocka_unit_test(
			test_c08_watch_of_a_link_that_is_down_waits_for_it),
		cmocka_unit_test(test_c08_watch_without_fec_does_not_apply),
		cmocka_unit_test(
		test_c08_watch_is_never_armed_without_a_detector),
		cmocka_unit_test(test_engine_module_swapped_learns_anew),
		cmocka_unit_test(test_engine_says_nothing_of_links_during_tsa),
		cmocka_unit_test(
			test_engine_says_nothing_of_links_during_a_warm_reboot),
		cmocka_unit_test(
			test_engine_link_that_stays_down_after_tsa_is_said),
		cmocka_unit_test(test_engine_errors_during_tsa_are_at_watch),
		cmocka_unit_test(test_engine_finding_from_before_tsa_stays),
		cmocka_unit_test(test_engine_coverage_tells_of_tsa),
		cmocka_unit_test(
			test_engine_port_shut_by_configuration_is_no_finding),
		cmocka_unit_test(
			test_c08_changes_are_named_the_newest_of_many),
		cmocka_unit_test(test_engine_counters_cleared_is_no_step),
		cmocka_unit_test(test_engine_allocates_nothing_for_readings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
