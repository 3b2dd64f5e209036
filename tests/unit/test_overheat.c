/* A module that gets hot while its errors have another cause. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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
			p.temp_c += great ? .3 : .15;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overheat_is_told_beside_errors),
		cmocka_unit_test(test_overheat_is_told_alone_when_great),
		cmocka_unit_test(test_overheat_is_silent_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
