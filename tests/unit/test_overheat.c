/* A module that gets hot while its errors have another cause. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/port_play.h"

/* Errors step up while light and heat are steady; then it warms. */
static void warm_beside_errors(struct play *p, double decades, double heat_k)
{
	play_init(p, 10);
	play_for(p, 7200);
	p->log_ber += decades;
	play_for(p, 600);
	for (unsigned i = 0; i < 60; i++) {
		p->temp_c += heat_k / 60;
		p->log_ber += heat_k * 0.02 / 60;
		play_once(p);
	}
	play_for(p, 1200);
}

static void test_overheat_is_told_beside_errors(void **state)
{
	const struct finding *f, *open;
	struct play p;

	(void)state;
	warm_beside_errors(&p, 2.5, 14);
	f = play_last(&p, SIGNATURE_THERMAL_FEC);
	assert_non_null(f);
	assert_int_equal(f->cause_id, CAUSE_MODULE_HOT);
	assert_non_null(strstr(f->cause, "another cause"));
	assert_int_equal(f->was, 0);
	assert_int_equal(engine_findings(p.engine, &open), 2);
	play_fini(&p);
}

/* Far beyond what load does: something is wrong before errors show it. */
static void test_overheat_is_told_alone_when_great(void **state)
{
	struct play p;

	(void)state;
	for (int great = 0; great < 2; great++) {
		play_init(&p, 10);
		play_for(&p, 7200);
		for (unsigned i = 0; i < 60; i++) {
			p.temp_c += great ? .3 : .2;
			play_once(&p);
		}
		play_for(&p, 600);
		assert_int_equal(play_said(&p, SIGNATURE_THERMAL_FEC,
					   FINDING_RAISED), great);
		if (great)
			assert_non_null(strstr(play_last(&p,
				SIGNATURE_THERMAL_FEC)->cause,
				"errors have not grown yet"));
		play_fini(&p);
	}
}

/* What load does is no fault, and heat alone is told by the errors it makes. */
static void test_overheat_is_silent_else(void **state)
{
	struct play p;

	(void)state;
	warm_beside_errors(&p, 2.5, 6);
	assert_non_null(play_last(&p, SIGNATURE_FEC_TREND));
	assert_null(play_last(&p, SIGNATURE_THERMAL_FEC));
	play_fini(&p);
	warm_beside_errors(&p, 0, 14);
	assert_int_equal(play_said(&p, SIGNATURE_THERMAL_FEC, FINDING_RAISED),
			 1);
	assert_null(strstr(play_last(&p, SIGNATURE_THERMAL_FEC)->cause,
			   "another cause"));
	play_fini(&p);
}

/* It warms on, and errors come by that. */
static void warm_on(struct play *p)
{
	for (unsigned i = 0; i < 30; i++) {
		p->temp_c += .3;
		p->log_ber += .03;
		play_once(p);
	}
}

/* Heat that is told alone, then with its errors, is one fault. */
static void test_overheat_goes_on_with_the_errors_that_it_makes(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 7200);
	for (unsigned i = 0; i < 60; i++) {
		p.temp_c += .3;
		play_once(&p);
	}
	play_for(&p, 600);
	assert_int_equal(p.count, 1);
	warm_on(&p);
	play_for(&p, 1200);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_int_equal(open->signature, SIGNATURE_THERMAL_FEC);
	assert_non_null(strstr(open->cause, "which explains them"));
	for (unsigned i = 0; i < p.count && i < PLAY_SAID_MAX; i++) {
		assert_string_equal(p.said[i].id, open->id);
		assert_int_not_equal(p.said[i].state, FINDING_CLEARED);
	}
	play_fini(&p);
}

/* Errors that swing in a module that was as warm before without them are not
 * named after its heat, neither at their most nor at their least.
 */
static void test_overheat_does_not_make_what_it_did_not(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 7200);
	for (unsigned i = 0; i < 60; i++) {
		p.temp_c += .3;
		play_once(&p);
	}
	play_for(&p, 3600);
	for (unsigned n = 0; n < 6; n++) {
		p.log_ber += n % 2 ? -1.7 : 2;
		play_for(&p, 900);
	}
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_RAISED), 1);
	for (unsigned i = 0; i < p.count && i < PLAY_SAID_MAX; i++) {
		assert_int_equal(p.said[i].was, 0);
		assert_null(strstr(p.said[i].cause, "thermal_fec"));
	}
	play_fini(&p);
}

/* The same where the cause of the errors shows later: the older stays. */
static void test_overheat_takes_errors_in_that_are_named_later(void **state)
{
	const struct finding *open;
	char id[FINDING_ID_LEN + 1];
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 7200);
	for (unsigned i = 0; i < 60; i++) {
		p.temp_c += .3;
		play_once(&p);
	}
	play_for(&p, 600);
	assert_int_equal(p.count, 1);
	memcpy(id, p.said[0].id, sizeof(id));
	p.no_dom = true;
	warm_on(&p);
	play_for(&p, 300);
	assert_int_equal(engine_findings(p.engine, &open), 2);
	p.no_dom = false;
	play_for(&p, 1200);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_string_equal(open->id, id);
	assert_non_null(strstr(open->cause, "which explains them"));
	play_fini(&p);
}

/* The module is not read each time. */
static void play_read_seldom(struct play *p, unsigned readings)
{
	for (unsigned i = 0; i < readings; i++) {
		p->no_dom = i % 3 != 0;
		play_once(p);
	}
}

/* A module that warms up with a job, again and again: one finding says so, and
 * nothing says that its errors have another cause before that was looked for.
 */
static void test_overheat_is_told_once_with_its_errors(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 60);
	play_for(&p, 86400);
	for (unsigned load = 0; load < 3; load++) {
		p.temp_c += 13;
		p.log_ber += .33;
		play_read_seldom(&p, 90 + load);
		p.temp_c -= 13;
		p.log_ber -= .33;
		play_read_seldom(&p, 90);
	}
	assert_int_equal(play_said(&p, SIGNATURE_THERMAL_FEC, FINDING_RAISED),
			 3);
	for (unsigned i = 0; i < p.count && i < PLAY_SAID_MAX; i++) {
		assert_int_equal(p.said[i].signature, SIGNATURE_THERMAL_FEC);
		assert_null(strstr(p.said[i].cause, "another cause"));
		assert_null(strstr(p.said[i].cause, "not known yet"));
	}
	play_fini(&p);
}

/* Errors come while the module is hot, and is not read: their cause is looked
 * for before it is said to be another.
 */
static void test_overheat_waits_for_a_look_at_errors(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 7200);
	p.temp_c += 13;
	play_for(&p, 600);
	assert_int_equal(p.count, 0);
	p.no_dom = true;
	p.log_ber += 2.5;
	play_for(&p, 400);
	assert_non_null(play_last(&p, SIGNATURE_FEC_TREND));
	p.no_dom = false;
	play_once(&p);
	assert_null(play_last(&p, SIGNATURE_THERMAL_FEC));
	play_for(&p, 600);
	assert_non_null(strstr(play_last(&p, SIGNATURE_THERMAL_FEC)->cause,
			       "another cause"));
	play_fini(&p);
}

static void limits_set(struct play *p, int64_t high_mc)
{
	p->facts.thresholds.known = true;
	p->facts.thresholds.temp_mc[HIGH_ALARM] = high_mc;
	p->facts.thresholds.temp_mc[LOW_ALARM] = -5000;
	assert_int_equal(engine_port(p->engine, &p->facts, &p->port), 0);
}

/* A module is never learned to be fine above its own limit. */
static void test_overheat_above_its_own_limit(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	for (int from_the_first = 0; from_the_first < 2; from_the_first++) {
		play_init(&p, 10);
		limits_set(&p, 75000);
		p.temp_c = from_the_first ? 78 : 66;
		play_for(&p, 1200);
		assert_int_equal(p.count, from_the_first);
		p.temp_c = 78;
		play_for(&p, 600);
		f = play_last(&p, SIGNATURE_THERMAL_FEC);
		assert_non_null(f);
		assert_int_equal(f->severity, from_the_first ? SEVERITY_WATCH :
							       SEVERITY_WARN);
		assert_non_null(strstr(f->cause, "at 78 C"));
		assert_non_null(strstr(f->cause, "alarm limit is 75 C"));
		p.temp_c = 74;		/* near below: it stands */
		play_for(&p, 3600);
		assert_int_equal(play_said(&p, SIGNATURE_THERMAL_FEC,
					   FINDING_CLEARED), 0);
		p.temp_c = 72;
		play_for(&p, 1200);
		assert_int_equal(play_said(&p, SIGNATURE_THERMAL_FEC,
					   FINDING_CLEARED), 1);
		play_fini(&p);
	}
}

/* Errors of heat above the limit are worth a shift. */
static void test_overheat_with_errors_tells_the_limit(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	play_init(&p, 10);
	limits_set(&p, 63000);
	play_for(&p, 7200);
	for (unsigned i = 0; i < 60; i++) {
		p.temp_c += .25;
		p.log_ber += .012;
		play_once(&p);
	}
	play_for(&p, 1200);
	assert_int_equal(engine_findings(p.engine, &f), 1);
	assert_non_null(strstr(f->cause, "which explains them"));
	assert_non_null(strstr(f->cause, "at its own alarm limit"));
	assert_int_equal(f->severity, SEVERITY_WARN);
	play_fini(&p);
}

/* A module that is hot by far more than load makes is somebody's work, though
 * its errors do no harm yet; and how warm it is, is told.
 */
static void test_overheat_that_is_great_is_a_warning(void **state)
{
	(void)state;
	for (int great = 0; great < 2; great++) {
		const struct finding *f;
		struct play p;

		play_init(&p, 10);
		p.log_ber = -8;
		play_for(&p, 7200);
		for (unsigned i = 0; i < 60; i++) {
			p.temp_c += great ? .32 : .2;
			p.log_ber += .015;
			play_once(&p);
		}
		play_for(&p, 3600);
		assert_int_equal(engine_findings(p.engine, &f), 1);
		assert_int_equal(f->signature, SIGNATURE_THERMAL_FEC);
		assert_non_null(strstr(f->cause, great ?
				       "at 69 C, 19 K warmer" :
				       "at 62 C, 12 K warmer"));
		assert_int_equal(f->severity, great ? SEVERITY_WARN :
						      SEVERITY_WATCH);
		play_fini(&p);
	}
}

/* The errors of the ports of one hot module are one finding, of all of them; it
 * is as bad as on the worst.
 */
static void test_overheat_of_a_breakout_with_errors(void **state)
{
	const struct finding *open;
	struct play p;
	uint32_t port;

	(void)state;
	play_init(&p, 10);
	(void)snprintf(p.facts.cage, sizeof(p.facts.cage), "cage 1");
	assert_int_equal(engine_port(p.engine, &p.facts, &p.port), 0);
	for (unsigned i = 0; i < 1000; i++) {
		if (i >= 700 && i < 760) {
			p.temp_c += .25;
			p.log_ber += .015;
		}
		play_once(&p);
		for (unsigned j = 1; j < 3; j++) {
			struct inputs k = p.k;

			if (j == 2)	/* near the last safe level */
				inputs_set(&k, INPUT_FEC_CORRECTED_BITS,
					   (int64_t)(p.bits * 40));
			(void)snprintf(p.facts.name, sizeof(p.facts.name),
				       "Ethernet%u", 8 + j);
			assert_int_equal(engine_port(p.engine, &p.facts,
						     &port), 0);
			engine_reading(p.engine, port, &k,
				       (struct wall){ k.t.ns });
		}
	}
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_int_equal(open->signature, SIGNATURE_THERMAL_FEC);
	assert_non_null(strstr(open->cause, "errors"));
	assert_string_equal(open->subject, "Ethernet8");
	assert_int_equal(open->port_count, 3);
	assert_true(finding_has_port(open, "Ethernet10"));
	assert_int_equal(open->severity, SEVERITY_WARN);
	play_fini(&p);
}

/* Zeros and other fillers are no limits. */
static void test_overheat_needs_a_limit_that_can_be(void **state)
{
	static const int64_t limits[] = { 0, 1000, -5000, -128000 };
	struct play p;

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		play_init(&p, 10);
		limits_set(&p, limits[i]);
		p.temp_c = 78;
		play_for(&p, 1200);
		assert_int_equal(p.count, 0);
		play_fini(&p);
	}
}

/* What the ports of one module see alike is told once. */
static void test_overheat_of_a_breakout_is_one_finding(void **state)
{
	const struct finding *open;
	struct play p;
	uint32_t first;

	(void)state;
	play_init(&p, 10);
	(void)snprintf(p.facts.cage, sizeof(p.facts.cage), "cage 1");
	limits_set(&p, 75000);
	first = p.port;
	for (unsigned i = 0; i < 120; i++) {
		struct inputs k;

		p.temp_c = i < 40 ? 60 : 80;
		play_once(&p);
		k = p.k;
		for (unsigned j = 1; j < 4; j++) {
			uint32_t port;

			(void)snprintf(p.facts.name, sizeof(p.facts.name),
				       "Ethernet%u", 8 + j);
			assert_int_equal(engine_port(p.engine, &p.facts,
						     &port), 0);
			engine_reading(p.engine, port, &k,
				       (struct wall){ k.t.ns });
		}
		(void)snprintf(p.facts.name, sizeof(p.facts.name),
			       "Ethernet8");
	}
	assert_int_equal(p.port, first);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_int_equal(open->signature, SIGNATURE_THERMAL_FEC);
	assert_int_equal(open->port_count, 4);
	play_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overheat_waits_for_a_look_at_errors),
		cmocka_unit_test(test_overheat_is_told_once_with_its_errors),
		cmocka_unit_test(test_overheat_is_told_beside_errors),
		cmocka_unit_test(test_overheat_is_told_alone_when_great),
		cmocka_unit_test(test_overheat_is_silent_else),
		cmocka_unit_test(
		test_overheat_goes_on_with_the_errors_that_it_makes),
		cmocka_unit_test(test_overheat_does_not_make_what_it_did_not),
		cmocka_unit_test(
		test_overheat_takes_errors_in_that_are_named_later),
		cmocka_unit_test(test_overheat_above_its_own_limit),
		cmocka_unit_test(test_overheat_with_errors_tells_the_limit),
		cmocka_unit_test(test_overheat_that_is_great_is_a_warning),
		cmocka_unit_test(test_overheat_of_a_breakout_with_errors),
		cmocka_unit_test(test_overheat_needs_a_limit_that_can_be),
		cmocka_unit_test(test_overheat_of_a_breakout_is_one_finding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
