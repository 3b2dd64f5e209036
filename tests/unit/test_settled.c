/* petrel-test: no-valgrind IT PLAYS DAYS OF READINGS; ASAN RUNS IT TOO */
/* A level that has done no harm for three days is what the port has; what was
 * normal before stays beside it, and growth from there is seen as ever. Days
 * are played in readings a minute apart.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "agent/signature/memory.h"
#include "agent/signature/settled.h"
#include "tests/support/port_play.h"

#define HOUR 3600.0
#define DAY (24 * HOUR)
#define OCTETS_MAX 65536

/* The finding that is open; there is one. */
static const struct finding *open_one(const struct play *p)
{
	const struct finding *f;

	assert_int_equal(engine_findings(p->engine, &f), 1);
	return f;
}

static double evidence(const struct finding *f, const char *name)
{
	for (unsigned i = 0; i < f->evidence_count; i++)
		if (strcmp(f->evidence[i].name, name) == 0)
			return f->evidence[i].value;
	return NAN;
}

/* Errors at 1e-7 for a day, then at another level for so many hours. */
static void stepped(struct play *p, double log_ber, double hours)
{
	play_init(p, 60);
	play_for(p, DAY);
	p->log_ber = log_ber;
	play_for(p, hours * HOUR);
}

static void assert_accepted(const struct play *p, double log_ber)
{
	const struct finding *f = open_one(p);

	assert_int_equal(f->cause_id, CAUSE_PREEXISTING);
	assert_int_equal(f->severity, SEVERITY_WATCH);
	assert_true(fabs(evidence(f, "baseline_ber_log10") + 7) < 0.05);
	assert_true(fabs(evidence(f, SETTLED_EVIDENCE) - log_ber) < 0.05);
	assert_true(fabs(evidence(f, "excess_decades") - log_ber - 7) < 0.1);
}

static void test_a_harmless_level_is_preexisting_after_three_days(void **state)
{
	struct play p;
	const struct finding *f;
	char id[FINDING_ID_LEN + 1];
	int64_t onset;

	(void)state;
	stepped(&p, -6, 70);
	f = open_one(&p);
	assert_int_not_equal(f->cause_id, CAUSE_PREEXISTING);
	assert_int_equal(f->severity, SEVERITY_WATCH);
	memcpy(id, f->id, sizeof(id));
	onset = f->onset.ns;
	play_for(&p, 6 * HOUR);
	assert_accepted(&p, -6);
	f = open_one(&p);
	assert_string_equal(f->id, id);
	assert_true(f->onset.ns == onset);
	assert_non_null(strstr(f->cause, "(1.0e-07 before)"));
	play_for(&p, 20 * DAY);		/* and stays so */
	assert_accepted(&p, -6);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_CLEARED),
			 0);
	play_fini(&p);
}

/* Under the same id: against the level that was accepted. */
static void test_growth_from_an_accepted_level_is_seen(void **state)
{
	struct play p;
	const struct finding *f;
	char id[FINDING_ID_LEN + 1];

	(void)state;
	stepped(&p, -6, 100);
	memcpy(id, open_one(&p)->id, sizeof(id));
	play_ramp(&p, 6 * HOUR, -5);
	f = open_one(&p);
	assert_string_equal(f->id, id);
	assert_int_not_equal(f->cause_id, CAUSE_PREEXISTING);
	assert_true(f->severity >= SEVERITY_WARN);
	assert_true(fabs(evidence(f, "baseline_ber_log10") + 6) < 0.1);
	play_fini(&p);
}

static void test_of_levels_accepted_the_oldest_normal_is_kept(void **state)
{
	struct play p;

	(void)state;
	stepped(&p, -6, 100);
	p.log_ber = -5.2;
	play_for(&p, HOUR);
	assert_int_not_equal(open_one(&p)->cause_id, CAUSE_PREEXISTING);
	play_for(&p, 100 * HOUR);
	assert_accepted(&p, -5.2);
	play_fini(&p);
}

/* Then the old normal is normal again. */
static void test_an_accepted_level_that_falls_back_ends(void **state)
{
	struct play p;
	const struct finding *f;

	(void)state;
	stepped(&p, -6, 100);
	p.log_ber = -7;
	play_for(&p, DAY);
	assert_int_equal(engine_findings(p.engine, &f), 0);
	p.log_ber = -6;
	play_for(&p, 2 * HOUR);
	assert_int_not_equal(open_one(&p)->cause_id, CAUSE_PREEXISTING);
	play_fini(&p);
}

static void assert_not_accepted(const struct play *p)
{
	const struct finding *f;
	size_t n = engine_findings(p->engine, &f);

	assert_true(n > 0);
	for (size_t i = 0; i < n; i++)
		assert_int_not_equal(f[i].cause_id, CAUSE_PREEXISTING);
}

static void test_a_level_near_harm_is_never_accepted(void **state)
{
	struct play p;

	(void)state;
	stepped(&p, -4.7, 200);
	assert_not_accepted(&p);
	play_fini(&p);
}

static void test_a_level_that_grows_is_never_accepted(void **state)
{
	struct play p;

	(void)state;
	stepped(&p, -6.5, 1);
	play_ramp(&p, 10 * DAY, -5.5);
	assert_not_accepted(&p);
	play_fini(&p);
}

static void test_a_level_that_loses_frames_is_never_accepted(void **state)
{
	struct play p;

	(void)state;
	stepped(&p, -6, 1);
	for (int64_t i = 1; i < 100; i++) {
		inputs_set(&p.k, INPUT_FEC_UNCORRECTABLE_CW, i);
		play_for(&p, HOUR);
	}
	assert_not_accepted(&p);
	play_fini(&p);
}

static void test_a_level_that_was_not_seen_for_hours_waits_anew(void **state)
{
	struct play p;

	(void)state;
	stepped(&p, -6, 60);
	p.t_s += 3 * HOUR;
	play_for(&p, 20 * HOUR);
	assert_not_accepted(&p);
	play_for(&p, 60 * HOUR);
	assert_accepted(&p, -6);
	play_fini(&p);
}

/* Another engine goes on. remembers: it has the first one's memory. */
static void restart(struct play *p, bool remembers, struct play *next)
{
	static uint8_t octets[OCTETS_MAX];
	struct mono now = { (int64_t)(p->t_s * 1e9) };
	struct wall wall = { (int64_t)((1767225600 + p->t_s) * 1e9) };
	struct finding open = *open_one(p);
	const char *why;
	ssize_t len = memory_write(p->engine, now, wall, octets,
				   sizeof(octets));

	assert_true(len > 0);
	play_init(next, 60);
	next->t_s = p->t_s;
	next->bits = p->bits;
	next->clean = p->clean;
	next->corrected = p->corrected;
	next->log_ber = p->log_ber;
	if (remembers)
		assert_int_equal(engine_recall(next->engine, octets,
					       (size_t)len, now, wall, &why),
				 0);
	assert_int_equal(engine_port(next->engine, &next->facts, &next->port),
			 0);
	assert_int_equal(engine_restore(next->engine, &open), 0);
	play_fini(p);
}

static void test_the_days_count_over_a_restart(void **state)
{
	struct play p[3];

	(void)state;
	stepped(&p[0], -6, 40);
	restart(&p[0], true, &p[1]);
	play_for(&p[1], 36 * HOUR);
	assert_accepted(&p[1], -6);
	restart(&p[1], true, &p[2]);
	play_for(&p[2], HOUR);
	assert_accepted(&p[2], -6);
	play_fini(&p[2]);
}

static void test_without_memory_the_finding_tells_what_was_normal(void **state)
{
	struct play p, next;

	(void)state;
	stepped(&p, -6, 100);
	restart(&p, false, &next);
	play_for(&next, 5 * HOUR);
	assert_accepted(&next, -6);
	play_fini(&next);
}

/* Of a ring that was tampered with. */
static void test_evidence_that_can_be_no_level_is_left(void **state)
{
	static const double bad[] = { INFINITY, -INFINITY, NAN, 1e300 };
	const struct finding *f;
	struct finding told;
	struct play p;

	(void)state;
	stepped(&p, -6, 100);
	told = *open_one(&p);
	play_fini(&p);
	for (unsigned i = 0; i < 8; i++) {
		const char *name = i < 4 ? "baseline_ber_log10" :
					   SETTLED_EVIDENCE;
		struct finding wrong = told;

		for (unsigned n = 0; n < wrong.evidence_count; n++)
			if (strcmp(wrong.evidence[n].name, name) == 0)
				wrong.evidence[n].value = bad[i % 4];
		play_init(&p, 60);
		assert_int_equal(engine_restore(p.engine, &wrong), 0);
		play_for(&p, 2 * DAY);
		assert_int_equal(engine_findings(p.engine, &f), 0);
		p.log_ber = -6;
		play_for(&p, HOUR);
		assert_int_equal(engine_findings(p.engine, &f), 1);
		play_fini(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		test_a_harmless_level_is_preexisting_after_three_days),
		cmocka_unit_test(test_growth_from_an_accepted_level_is_seen),
		cmocka_unit_test(
		test_of_levels_accepted_the_oldest_normal_is_kept),
		cmocka_unit_test(test_an_accepted_level_that_falls_back_ends),
		cmocka_unit_test(test_a_level_near_harm_is_never_accepted),
		cmocka_unit_test(test_a_level_that_grows_is_never_accepted),
		cmocka_unit_test(
		test_a_level_that_loses_frames_is_never_accepted),
		cmocka_unit_test(
		test_a_level_that_was_not_seen_for_hours_waits_anew),
		cmocka_unit_test(test_the_days_count_over_a_restart),
		cmocka_unit_test(
		test_without_memory_the_finding_tells_what_was_normal),
		cmocka_unit_test(test_evidence_that_can_be_no_level_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
