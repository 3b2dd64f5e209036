#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/port_play.h"
#include "tests/support/quick.h"

static double first_said_after_s(const struct play *p, double begin_s)
{
	return (double)p->said[0].when.ns / 1e9 - begin_s;
}

static void test_fec_trend_warns_of_fast_growth_in_three_minutes(void **state)
{
	struct play p;
	double begin_s;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	begin_s = p.t_s;
	play_ramp(&p, 1200, -3.6);
	assert_int_equal(p.said[0].signature, SIGNATURE_FEC_TREND);
	assert_true(first_said_after_s(&p, begin_s) <= 180);
	play_fini(&p);
}

static void test_fec_trend_warns_of_slow_growth_in_three_hours(void **state)
{
	const unsigned hours = quick(25, 5);
	struct play p;
	double begin_s;

	(void)state;
	play_init(&p, 60);
	play_for(&p, 86400);
	begin_s = p.t_s;
	play_ramp(&p, hours * 3600, -7 + 3.4 / 25 * hours);
	assert_int_equal(p.said[0].signature, SIGNATURE_FEC_TREND);
	assert_true(first_said_after_s(&p, begin_s) <= 3 * 3600);
	play_fini(&p);
}

static void test_fec_trend_foresees_the_cliff(void **state)
{
	struct play p;
	const struct finding *f;
	double left;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	play_ramp(&p, 600, -5.3);	/* 3.42 decades to go in all */
	f = play_last(&p, SIGNATURE_FEC_TREND);
	left = 600 * (7 - 3.5768) / 1.7 - 600 + (p.t_s -
		(double)f->when.ns / 1e9);
	assert_true(f->cliff.foreseeable);
	assert_true(fabs((double)f->cliff.mid_s / left - 1) < 0.25);
	assert_true((double)f->cliff.low_s < left);
	assert_true((double)f->cliff.high_s > left);
	play_fini(&p);
}

static bool is_open_ended(const struct finding *f)
{
	return f->cliff.foreseeable &&
	       f->cliff.high_s == FINDING_NO_UPPER_BOUND;
}

/* "In 5 h or later" is told again when that halves or doubles, or half of it
 * has passed; noise moves it all the time.
 */
static void test_fec_trend_tells_an_open_date_seldom(void **state)
{
	unsigned dates = 0;
	struct play p;

	(void)state;
	play_init(&p, 60);
	play_for(&p, 86400);
	for (unsigned i = 0; i < 900; i++) {
		p.log_ber = -7 + i * .001 + .1 * sin(i / 9.) +
			    .06 * sin(i / 2.3);
		play_once(&p);
	}
	for (unsigned i = 0; i < p.count && i < PLAY_SAID_MAX; i++)
		dates += is_open_ended(&p.said[i]);
	assert_in_range(dates, 1, 10);
	play_fini(&p);
}

static void test_fec_trend_of_drift_that_the_baseline_follows(void **state)
{
	const unsigned days = quick(8, 5);
	struct play p;

	(void)state;
	play_init(&p, 60);
	play_for(&p, 86400);
	/* 0.125 decades a day */
	play_ramp(&p, days * 86400, -7 + 0.125 * days);
	assert_true(play_said(&p, SIGNATURE_FEC_TREND, FINDING_RAISED) >= 1);
	play_fini(&p);
}

static void test_fec_trend_of_a_step_that_stays(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	p.log_ber = -5.5;
	play_for(&p, 300);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_RAISED), 1);
	assert_non_null(strstr(p.said[0].cause, "stepped up"));
	assert_false(play_last(&p, SIGNATURE_FEC_TREND)->cliff.foreseeable);
	play_fini(&p);
}

/* Steps, one after another, are no growth: none foretells a cliff. What grows
 * after the last one has its own date.
 */
static void test_fec_trend_extrapolates_no_step(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 1800);
	for (unsigned i = 0; i < 3; i++) {
		p.log_ber = -6.2 + 0.7 * i;
		play_for(&p, 3600);
	}
	for (unsigned i = 0; i < p.count; i++)
		assert_false(p.said[i].cliff.foreseeable);
	play_ramp(&p, 1800, -4.3);	/* and 0.7233 to go */
	assert_int_equal(engine_findings(p.engine, &f), 1);
	assert_true(f->cliff.foreseeable);
	assert_true(f->cliff.low_s < 2604 && f->cliff.high_s > 2604);
	play_fini(&p);
}

/* The first window of a step, or a spike, is no growth either. */
static void test_fec_trend_extrapolates_no_window(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 1800);
	p.log_ber = -6.2;
	for (unsigned i = 0; i < 60; i++) {
		p.log_ber += i == 18 || i == 40 ? 1.2 : i == 19 ? -1.2 : 0;
		play_once(&p);
		if (engine_findings(p.engine, &f) > 0)
			assert_false(f->cliff.foreseeable);
		else
			assert_true(i < 18);
	}
	play_fini(&p);
}

/* Where codewords are lost by errors, and again, the cliff has come, whatever
 * the course says.
 */
static void test_fec_trend_loses_codewords_now(void **state)
{
	const struct finding *f;
	int64_t lost = 0;
	struct play p;

	(void)state;
	play_init(&p, 10);
	inputs_set(&p.k, INPUT_FEC_UNCORRECTABLE_CW, lost);
	play_for(&p, 1800);
	play_ramp(&p, 3000, -3.7);
	for (unsigned i = 0; i < 3; i++) {
		inputs_set(&p.k, INPUT_FEC_UNCORRECTABLE_CW, lost);
		play_for(&p, 100);
		assert_int_equal(engine_findings(p.engine, &f), 1);
		assert_int_equal(f->cliff.foreseeable && f->cliff.high_s == 0,
				 i == 2);
		lost++;
	}
	p.log_ber = -5.2;	/* it is past when none was lost for an hour */
	play_for(&p, 600);
	inputs_set(&p.k, INPUT_FEC_UNCORRECTABLE_CW, lost);
	for (unsigned hour = 0; hour < 2; hour++) {
		play_for(&p, 2400);
		assert_int_equal(engine_findings(p.engine, &f), 1);
		assert_int_equal(f->cliff.foreseeable && f->cliff.high_s == 0,
				 hour == 0);
	}
	play_fini(&p);
}

/* What grew in the end is not called a step again, as it moves. */
static void test_fec_trend_that_grew_stays_so(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	p.log_ber = -6.7;
	play_for(&p, 60);
	play_ramp(&p, 300, -6.1);
	play_for(&p, 300);
	p.log_ber = -6.5;
	play_for(&p, 60);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_non_null(strstr(open->cause, "errors grew"));
	play_fini(&p);
}

static void test_fec_trend_is_silent_on_a_brief_step(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	for (int i = 0; i < 5; i++) {
		p.log_ber = -5;
		play_for(&p, 60);
		p.log_ber = -7;
		play_for(&p, 600);
	}
	assert_int_equal(p.count, 0);
	play_fini(&p);
}

static void test_fec_trend_is_silent_on_spikes(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 60);
	play_for(&p, 86400);
	for (int i = 0; i < 20; i++) {
		p.log_ber = -4.5;
		play_once(&p);
		p.log_ber = -7;
		play_for(&p, 1800);
	}
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, 0), 0);
	assert_int_equal(play_said(&p, SIGNATURE_LOOSE_MODULE,
				   FINDING_RAISED), 1);
	play_fini(&p);
}

/* Eight kelvin in ten minutes, at a decade for ten of them. */
/* The module warms in ten minutes, and its errors as is usual. */
static void heated_by(struct play *p, double k)
{
	play_init(p, 1);
	play_for(p, 1800);
	for (int i = 0; i < 600; i++) {
		p->temp_c += k / 600;
		p->log_ber += k / 10 / 600;
		play_once(p);
	}
	play_for(p, 1800);
}

/* What a load does is no fault. */
static void test_fec_trend_is_silent_on_heat(void **state)
{
	struct play p;

	(void)state;
	heated_by(&p, 6);
	assert_int_equal(p.count, 0);
	play_fini(&p);
}

static void test_fec_trend_tells_one_module_that_is_hot(void **state)
{
	struct play p;
	const struct finding *f;

	(void)state;
	heated_by(&p, 10);
	f = play_last(&p, SIGNATURE_THERMAL_FEC);
	assert_non_null(f);
	assert_int_equal(f->action, ACTION_FIX_AIRFLOW);
	play_fini(&p);
}

/* Far below harm, too, when it is so hot that they will come; not when errors
 * say that the thermometer is wrong.
 */
static void test_fec_trend_tells_heat_that_does_no_harm_yet(void **state)
{
	const double makes[] = { 0.3, 0 };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const struct finding *f;
		struct play p;

		play_init(&p, 1);
		p.log_ber = -9;
		play_for(&p, 3600);
		for (int s = 0; s < 600; s++) {
			p.temp_c += 12.0 / 600;
			p.log_ber += makes[i] / 600;
			play_once(&p);
		}
		play_for(&p, 900);
		f = play_last(&p, SIGNATURE_THERMAL_FEC);
		assert_int_equal(f != NULL, i == 0);
		if (f)
			assert_int_equal(f->severity, SEVERITY_WATCH);
		play_fini(&p);
	}
}

static void test_fec_trend_learns_the_heat_of_its_module(void **state)
{
	struct play p;
	double day;

	(void)state;
	play_init(&p, 60);
	for (int i = 0; i < 4 * 1440; i++) {
		day = sin(6.2831853 * i / 1440);
		p.temp_c = 50 + 5 * day;
		p.log_ber = -7 + 0.5 * day;	/* 0.1 decades a kelvin */
		play_once(&p);
	}
	assert_int_equal(p.count, 0);
	/* Growth of half a decade is then seen at once, hot or cold. */
	p.log_ber += 0.5;
	play_for(&p, 3600);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_RAISED), 1);
	play_fini(&p);
}

static void test_fec_trend_waits_for_heat_to_be_read(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 1800);
	p.no_dom = true;	/* the module is hot, and not read yet */
	play_ramp(&p, 120, -6.4);
	assert_int_equal(p.count, 0);
	p.no_dom = false;
	p.temp_c = 56;
	play_for(&p, 600);
	assert_int_equal(p.count, 0);
	play_fini(&p);
}

/* Few errors that grow a little are none of anybody's business; that half a
 * decibel of the eye is gone is to be watched, whatever date it has.
 */
static void test_fec_trend_watches_what_is_harmless(void **state)
{
	(void)state;
	for (int much = 0; much < 2; much++) {
		struct play p;

		play_init(&p, 1);
		p.log_ber = -11;
		play_for(&p, 900);
		play_ramp(&p, 900, much ? -8.5 : -9.8);
		assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND,
					   FINDING_RAISED), much);
		for (unsigned i = 0; i < p.count; i++)
			assert_int_equal(p.said[i].severity, SEVERITY_WATCH);
		play_fini(&p);
	}
}

/* At the last safe level, and by its noise now and then below: so it was. */
static void test_fec_trend_preexisting_is_not_over_by_noise(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 60);
	for (unsigned i = 0; i < 1200; i++) {
		p.log_ber = -3.80 - 0.06 * (i % 7 == 6);
		play_once(&p);
	}
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_RAISED), 1);
	for (unsigned i = 0; i < p.count; i++)
		assert_int_equal(p.said[i].severity, SEVERITY_WATCH);
	play_fini(&p);
}

/* A link with little margin passes the last safe level by its own swings: that
 * is said of it, but it is no alarm until it grows or costs frames.
 */
static void test_fec_trend_of_little_margin_hardly_grew(void **state)
{
	static const struct {
		double log_ber;
		bool loses, alarms;
		const char *words;
	} rows[] = {
		{ -3.80, false, false, "little margin" },
		{ -3.80, true, true, "little margin" },
		{ -3.60, false, true, "stepped up" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct finding *f;
		struct play p;
		int64_t lost = 0;

		play_init(&p, 60);
		inputs_set(&p.k, INPUT_FEC_UNCORRECTABLE_CW, 0);
		p.log_ber = -4.05;
		play_for(&p, 3600);
		play_ramp(&p, 36000, -3.88);
		play_for(&p, 36000);
		assert_int_equal(p.count, 0);
		p.log_ber = rows[i].log_ber;
		for (int k = 0; k < 30; k++) {
			lost += 3 * rows[i].loses;
			inputs_set(&p.k, INPUT_FEC_UNCORRECTABLE_CW, lost);
			play_once(&p);
		}
		f = play_last(&p, SIGNATURE_FEC_TREND);
		assert_non_null(f);
		assert_int_equal(f->severity >= SEVERITY_WARN, rows[i].alarms);
		assert_int_equal(f->drain != DRAIN_NONE, rows[i].alarms);
		assert_non_null(strstr(f->cause, rows[i].words));
		play_fini(&p);
	}
}

/* What was so before anybody looked is no alarm … */
static void test_fec_trend_that_was_so_at_first_is_preexisting(void **state)
{
	const char *why, *arm;
	const struct finding *f;
	struct play p;

	(void)state;
	play_init(&p, 1);
	p.log_ber = -3.7;
	play_for(&p, 600);
	assert_int_equal(engine_watch(p.engine, p.port, SIGNATURE_FEC_TREND,
				      &why, &arm), WATCH_ARMED);
	f = play_last(&p, SIGNATURE_FEC_TREND);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_RAISED), 1);
	assert_int_equal(f->severity, SEVERITY_WATCH);
	assert_int_equal(f->cause_id, CAUSE_PREEXISTING);
	/* … until it grows, or has been well and comes again. */
	play_ramp(&p, 900, -3.3);
	f = play_last(&p, SIGNATURE_FEC_TREND);
	assert_true(f->severity >= SEVERITY_WARN);
	assert_int_not_equal(f->cause_id, CAUSE_PREEXISTING);
	p.log_ber = -7;
	play_for(&p, 1800);
	p.log_ber = -3.7;
	play_for(&p, 300);
	f = play_last(&p, SIGNATURE_FEC_TREND);
	assert_int_equal(f->severity, SEVERITY_WARN);
	play_fini(&p);
}

/* Above the last safe level it is for the shift; critical are frames that are
 * lost, and a level at which one an hour is.
 */
static void test_fec_trend_is_critical_when_frames_are_lost(void **state)
{
	const struct finding *open;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		int64_t lost = 0;
		struct play p;

		play_init(&p, 1);
		inputs_set(&p.k, INPUT_FEC_UNCORRECTABLE_CW, lost);
		play_for(&p, 900);
		p.log_ber = i == 1 ? -3.5 : -3.7;
		for (unsigned s = 0; s < 300; s++) {
			lost += i == 2 && s % 60 == 59;
			inputs_set(&p.k, INPUT_FEC_UNCORRECTABLE_CW, lost);
			play_once(&p);
		}
		assert_int_equal(engine_findings(p.engine, &open), 1);
		assert_int_equal(open->severity, i ? SEVERITY_CRITICAL :
						     SEVERITY_WARN);
		assert_int_equal(open->drain, i ? DRAIN_URGE : DRAIN_ADVISE);
		play_fini(&p);
	}
}

/* A cliff within the day is for the shift, one within the hour is critical. */
/* Errors that are too many and stay so have neither grown nor stepped up, and
 * nobody knows the light from before them: at first, after an outage.
 */
static void test_fec_trend_of_a_level_that_stays(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const struct finding *open;
		int64_t lost = 0;
		struct play p;

		play_init(&p, 1);
		p.log_ber = -3.5;
		if (i == 1)
			play_drop(&p, 10);
		for (unsigned s = 0; s < 1800; s++) {
			inputs_set(&p.k, INPUT_FEC_UNCORRECTABLE_CW, ++lost);
			play_once(&p);
		}
		assert_int_equal(engine_findings(p.engine, &open), 1);
		assert_int_equal(open->severity, SEVERITY_CRITICAL);
		assert_int_equal(open->drain, DRAIN_URGE);
		assert_true(play_said(&p, SIGNATURE_FEC_TREND, 0) <= 3);
		assert_int_equal(open->cause_id, i ? CAUSE_LIGHT_NOT_READ :
						     CAUSE_PREEXISTING);
		assert_non_null(strstr(open->cause, i ? "errors are at" :
							"errors were at"));
		play_fini(&p);
	}
}

/* So many codewords are never lost by chance where errors are below the last
 * safe level: at first, after an outage, and after a step.
 */
static void test_fec_trend_below_the_limit_loses_frames(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		const struct finding *f;
		int64_t lost = 0;
		struct play p;

		play_init(&p, 1);
		p.log_ber = i == 2 ? -7 : -3.95;
		inputs_set(&p.k, INPUT_FEC_UNCORRECTABLE_CW, lost);
		if (i == 2)
			play_for(&p, 900);
		else if (i == 1)
			play_drop(&p, 10);
		p.log_ber = -3.95;
		for (unsigned s = 0; s < 300; s++) {
			inputs_set(&p.k, INPUT_FEC_UNCORRECTABLE_CW, lost);
			play_once(&p);
			lost += 500;
		}
		f = play_last(&p, SIGNATURE_FEC_UNCORRECTABLE);
		assert_non_null(f);
		assert_int_equal(f->severity, SEVERITY_CRITICAL);
		f = play_last(&p, SIGNATURE_FEC_TREND);
		assert_non_null(f);
		assert_int_equal(f->severity, SEVERITY_CRITICAL);
		assert_int_equal(f->drain, DRAIN_URGE);
		assert_non_null(strstr(f->cause, "codewords are lost"));
		play_fini(&p);
	}
}

static void test_fec_trend_is_critical_within_the_hour(void **state)
{
	const struct finding *f;
	bool for_shift = false;
	unsigned critical = 0;
	struct play p;

	(void)state;
	play_init(&p, 60);
	play_for(&p, 86400);
	for (unsigned i = 0; i < 20 * 60; i++) {
		play_ramp(&p, 60, p.log_ber + 3.4 / (20 * 60));
		if (engine_findings(p.engine, &f) == 0)
			continue;
		for_shift |= f->severity == SEVERITY_WARN &&
			     f->cliff.foreseeable && f->cliff.mid_s > 7200;
		critical += f->severity == SEVERITY_CRITICAL;
	}
	assert_true(for_shift);
	assert_in_range(critical, 30, 75);
	play_fini(&p);
}

/* A port, and five of its kind that have fewer errors, and are read so many
 * times as often.
 */
static void with_others(struct play *p, struct play other[static 5],
			unsigned often)
{
	for (unsigned i = 0; i < 5; i++) {
		other[i] = *p;
		other[i].log_ber = -7;
		inputs_clear(&other[i].k, INPUT_VDM_BER_E18);
		(void)snprintf(other[i].facts.name,
			       sizeof(other[i].facts.name), "Ethernet%u",
			       16 + 8 * i);
		assert_int_equal(engine_port(p->engine, &other[i].facts,
					     &other[i].port), 0);
	}
	p->period_s *= often;
	for (unsigned t = 0; t < 300; t++) {
		int64_t *ber = &p->k.value[INPUT_VDM_BER_E18];

		*ber += *ber / 100 * (t % 2 ? 1 : -1);
		play_once(p);
		for (unsigned i = 0; i < 5 * often; i++)
			play_once(&other[i % 5]);
	}
}

/* Ports of its kind tell what it should have been. */
static void test_fec_trend_compares_with_ports_of_its_kind(void **state)
{
	const struct finding *f;
	struct play p, other[5];

	(void)state;
	play_init(&p, 1);
	p.log_ber = -4.3;
	with_others(&p, other, 1);
	assert_int_equal(p.count, 1);
	f = play_last(&p, SIGNATURE_FEC_TREND);
	assert_string_equal(f->subject, "Ethernet8");
	assert_int_equal(f->severity, SEVERITY_WATCH);
	assert_int_equal(f->cause_id, CAUSE_PREEXISTING);
	assert_non_null(strstr(f->cause, "times those of ports of its kind"));
	play_fini(&p);
}

/* Errors of a line and those between a module and the switch do not compare. */
static void test_fec_trend_compares_lines_with_lines(void **state)
{
	struct play p, other[5];

	(void)state;
	play_init(&p, 10);
	(void)snprintf(p.facts.media, sizeof(p.facts.media), "ZR");
	assert_int_equal(engine_port(p.engine, &p.facts, &p.port), 0);
	inputs_set(&p.k, INPUT_VDM_BER_E18, (int64_t)(1e18 * 3e-3));
	with_others(&p, other, 6);
	assert_int_equal(p.count, 0);
	play_fini(&p);
}

/* Far below harm a date alone is no warning: what wanders has one. */
static void test_fec_trend_wandering_far_below_harm_is_watched(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	p.log_ber = -7.5;
	play_for(&p, 900);
	for (int s = 0; s < 580; s += 10)	/* faster and faster */
		play_ramp(&p, 10, -7.5 + 0.05 * expm1(s / 250.0));
	assert_non_null(play_last(&p, SIGNATURE_FEC_TREND));
	for (unsigned i = 0; i < p.count; i++)
		assert_int_equal(p.said[i].severity, SEVERITY_WATCH);
	play_ramp(&p, 1200, -5);
	assert_int_equal(play_last(&p, SIGNATURE_FEC_TREND)->severity,
			 SEVERITY_CRITICAL);
	play_fini(&p);
}

/* A date counts when it is no further off than some ages of the growth. */
static void test_fec_trend_of_a_minute_foretells_no_hour(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	p.log_ber = -6.4;
	play_for(&p, 20);
	play_ramp(&p, 180, -6.2);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_true(open->cliff.foreseeable);
	assert_int_equal(open->severity, SEVERITY_WATCH);
	play_ramp(&p, 360, -5.8);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_true(open->severity > SEVERITY_WATCH);
	play_fini(&p);
}

/* A link that came up bad while Petrel looked is no old story. */
static void test_fec_trend_needs_no_training_at_the_cliff(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	p.log_ber = -3.7;
	play_drop(&p, 10);
	play_for(&p, 90);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_RAISED), 1);
	assert_int_equal(play_last(&p, SIGNATURE_FEC_TREND)->severity,
			 SEVERITY_WARN);
	assert_int_equal(play_last(&p, SIGNATURE_FEC_TREND)->drain,
			 DRAIN_ADVISE);
	play_fini(&p);
}

static void cause_with(double rx_db, bool optical, enum signature name,
		       const char *words)
{
	struct play p;
	const struct finding *f;

	play_init(&p, 1);
	p.facts.optical = optical;
	assert_int_equal(engine_port(p.engine, &p.facts, &p.port), 0);
	play_for(&p, 900);
	for (int i = 0; i < 600; i++) {
		for (unsigned lane = 0; lane < 4; lane++)
			p.rx_dbm[lane] += rx_db / 600;
		p.log_ber += 1.5 / 600;
		play_once(&p);
	}
	assert_in_range(p.count, 1, PLAY_SAID_MAX);
	f = &p.said[p.count - 1];
	if (f->signature != name || !strstr(f->cause, words))
		fail_msg("%s: '%s' lacks '%s'", signature_name(f->signature),
			 f->cause, words);
	play_fini(&p);
}

static void test_fec_trend_tells_what_it_goes_with(void **state)
{
	(void)state;
	cause_with(0, true, SIGNATURE_FEC_TREND, "light is steady");
	cause_with(-0.8, true, SIGNATURE_FAR_LASER, "falls slowly");
	cause_with(0, false, SIGNATURE_COPPER_DEGRADE, "copper");
}

/* Nothing is measured while the link is down: that is no end of it, and no new
 * beginning.
 */
static void test_fec_trend_keeps_its_name_while_unmeasured(void **state)
{
	struct play p;
	unsigned unnamed;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 3600);
	for (unsigned i = 0; i < 4; i++)
		p.rx_dbm[i] = -2.5;
	p.log_ber = -3.9;
	play_for(&p, 3600);
	assert_int_not_equal(p.said[p.count - 1].signature,
			     SIGNATURE_FEC_TREND);
	unnamed = play_said(&p, SIGNATURE_FEC_TREND, 0);
	for (unsigned i = 0; i < 3; i++) {
		play_drop(&p, 3600);
		play_for(&p, 120);
	}
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, 0), unnamed);
	play_fini(&p);
}

/* A laser that dies within minutes takes the link down before it has a name;
 * its light tells on.
 */
static void test_fec_trend_light_tells_on_while_the_link_is_down(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	for (int i = -900; i < 300; i++) {
		for (unsigned lane = 0; lane < 4 && i > 0; lane++)
			p.rx_dbm[lane] -= 0.05;
		p.log_ber += p.up && i > 0 ? 0.05 : 0;
		p.no_dom = i % 10 != 0;
		if (i == 85) {
			assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND,
						   FINDING_RAISED), 1);
			assert_int_equal(play_said(&p, SIGNATURE_FAR_LASER, 0),
					 0);
			p.up = false;
			p.downs++;
		}
		play_once(&p);
	}
	assert_int_equal(p.said[p.count - 1].signature, SIGNATURE_FAR_LASER);
	play_fini(&p);
}

/* The course is looked at seldom, and time passes between two looks. */
static void test_fec_trend_counts_down_to_the_cliff(void **state)
{
	const struct finding *f;
	int64_t before_s = 0;
	unsigned seen = 0, down = 0;
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 1800);
	for (int i = 0; i < 300; i++) {
		p.log_ber += 2.4 / 300;
		play_once(&p);
		if (!engine_findings(p.engine, &f) || !f->cliff.foreseeable)
			continue;
		down += before_s - f->cliff.mid_s == 10;
		before_s = f->cliff.mid_s;
		seen++;
	}
	assert_true(seen > 50 && down > seen / 3);
	play_fini(&p);
}

/* When the middle has passed and no cliff came, the course is looked at again:
 * there is no "in 0 s" that goes on.
 */
static void test_fec_trend_looks_again_when_the_date_is_over(void **state)
{
	const struct finding *f;
	unsigned due = 0, over = 0;
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 1800);
	for (int i = 0; i < 500; i++) {
		p.log_ber += i < 450 ? 3.35 / 450 : 0;
		play_once(&p);
		if (i < 445 || !engine_findings(p.engine, &f) ||
		    !f->cliff.foreseeable)
			continue;
		due += f->cliff.mid_s > 0;
		over += f->cliff.mid_s == 0;
	}
	print_message("%u due, %u over\n", due, over);
	assert_true(due > 0);
	assert_int_equal(over, 0);
	play_fini(&p);
}

/* Climbs by 2 decades, and falls again. Returns how often there was a date. */
static unsigned dates_of_a_swing(struct play *p)
{
	const struct finding *f;
	unsigned dates = 0;

	for (int i = 0; i < 120; i++) {
		p->log_ber += i < 60 ? 2.0 / 60 : -1.6 / 60;
		play_once(p);
		dates += i < 60 && engine_findings(p->engine, &f) &&
			 f->cliff.foreseeable;
	}
	p->log_ber -= 0.4;
	return dates;
}

/* Where errors went back twice, the next rise foretells nothing. */
static void test_fec_trend_that_swings_has_no_date(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 1800);
	assert_true(dates_of_a_swing(&p) > 10);
	(void)dates_of_a_swing(&p);
	(void)dates_of_a_swing(&p);
	assert_int_equal(dates_of_a_swing(&p), 0);
	play_fini(&p);
}

/* A link that its errors took down, and that stays down, is told as such. */
static void test_fec_trend_says_that_the_link_is_down(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 1800);
	p.log_ber = -3.5;
	play_for(&p, 300);
	assert_int_equal(engine_findings(p.engine, &f), 1);
	assert_null(strstr(f->cause, "the link is down"));
	play_drop(&p, 60);
	assert_int_equal(engine_findings(p.engine, &f), 1);
	assert_null(strstr(f->cause, "the link is down"));
	p.up = false;
	play_for(&p, 120);
	assert_int_equal(engine_findings(p.engine, &f), 1);
	assert_non_null(strstr(f->cause, ", the link is down; received light "
			       "is steady"));
	play_fini(&p);
}

/* Nothing is measured, as the link is down or the counters are not read: the
 * date comes nearer all the same, and is told once.
 */
static void test_fec_trend_date_passes_unmeasured(void **state)
{
	(void)state;
	for (unsigned down = 0; down < 2; down++) {
		const struct finding *f;
		struct play p;
		unsigned said;

		play_init(&p, 10);
		play_for(&p, 1800);
		for (int i = 0; i < 150; i++) {
			p.log_ber += 0.02;
			play_once(&p);
		}
		assert_int_equal(engine_findings(p.engine, &f), 1);
		assert_true(f->cliff.foreseeable && f->cliff.mid_s > 0);
		p.up = !down;
		p.no_fec = !down;
		play_for(&p, 900);
		assert_int_equal(engine_findings(p.engine, &f), 1);
		assert_true(f->cliff.foreseeable);
		assert_int_equal(f->cliff.high_s, 0);
		said = play_said(&p, SIGNATURE_FEC_TREND, 0);
		play_for(&p, 1800);
		assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, 0), said);
		play_fini(&p);
	}
}

/* A fault stands that is near the cliff. Later the link is down, and that is
 * the light of all lanes.
 */
static void test_fec_trend_takes_no_link_that_went_dark(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 1800);
	p.log_ber = -3.5;
	p.rx_dbm[1] = -3;
	play_for(&p, 900);
	assert_int_equal(play_said(&p, SIGNATURE_LINK_DOWN, 0), 0);
	p.up = false;
	play_for(&p, 900);	/* light still comes: errors took it down */
	assert_int_equal(play_said(&p, SIGNATURE_LINK_DOWN, 0), 0);
	p.rx_dbm[0] = p.rx_dbm[2] = p.rx_dbm[3] = -40;
	play_for(&p, 900);	/* nor is it all of the light */
	assert_int_equal(play_said(&p, SIGNATURE_LINK_DOWN, 0), 0);
	p.rx_dbm[1] = -40;
	play_for(&p, 900);
	assert_int_equal(play_said(&p, SIGNATURE_LINK_DOWN, FINDING_RAISED), 1);
	assert_non_null(strstr(play_last(&p, SIGNATURE_LINK_DOWN)->cause,
			       "no light from the far end"));
	play_fini(&p);
}

/* Light that faded slowly goes out in the end. */
static void test_fec_trend_takes_the_link_of_a_laser_that_ends(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, quick(10, 30));
	play_for(&p, 1800);
	for (int i = 1; i <= 80; i++) {
		for (unsigned k = 0; k < 4; k++)
			p.rx_dbm[k] = -0.05 * i;
		p.log_ber = -7 + 0.045 * i;
		play_for(&p, 60);
	}
	p.up = false;
	for (unsigned k = 0; k < 4; k++)
		p.rx_dbm[k] = -40;
	play_for(&p, 1800);
	assert_int_equal(play_said(&p, SIGNATURE_LINK_DOWN, 0), 0);
	play_fini(&p);
}

/* Errors stand on a link that goes down while light comes. */
static unsigned link_told_beside(double log_ber, const char *reason)
{
	struct play p;
	unsigned told;

	play_init(&p, 10);
	for (unsigned i = 0; i < 4; i++)
		inputs_set(&p.k, INPUT_BIAS_UA + i, 70000);
	play_for(&p, 1800);
	p.log_ber = log_ber;
	play_for(&p, 900);
	p.up = false;
	if (strcmp(reason, "laser off") == 0)
		for (unsigned i = 0; i < 4; i++)
			inputs_set(&p.k, INPUT_BIAS_UA + i, 0);
	else if (strcmp(reason, "remote fault") == 0)
		inputs_set(&p.k, INPUT_DOWN_REASON, DOWN_MAC_REMOTE_FAULT);
	play_for(&p, 1800);
	told = play_said(&p, SIGNATURE_LINK_DOWN, FINDING_RAISED);
	play_fini(&p);
	return told;
}

/* What this end does not send, and what the peer does not receive while this
 * one loses nothing, is another fault than errors here.
 */
static void test_fec_trend_leaves_the_link_to_others(void **state)
{
	(void)state;
	assert_int_equal(link_told_beside(-3.5, ""), 0);
	assert_int_equal(link_told_beside(-3.5, "remote fault"), 0);
	assert_int_equal(link_told_beside(-3.5, "laser off"), 1);
	assert_int_equal(link_told_beside(-4.2, "remote fault"), 1);
	assert_int_equal(link_told_beside(-4.2, ""), 0);
}

/* One lane fades; then the light of all goes out. */
static void test_fec_trend_takes_no_lanes_that_did_not_fade(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 1800);
	for (int i = 1; i <= 80; i++) {
		p.rx_dbm[2] = -0.05 * i;
		p.log_ber = -7 + 0.045 * i;
		play_for(&p, 60);
	}
	p.up = false;
	for (unsigned k = 0; k < 4; k++)
		p.rx_dbm[k] = -40;
	play_for(&p, 1800);
	assert_int_equal(play_said(&p, SIGNATURE_LINK_DOWN, FINDING_RAISED), 1);
	play_fini(&p);
}

/* Light of all lanes goes to that, at once or in 16 readings. */
static void light_goes(struct play *p, double dbm, bool slowly)
{
	double step = (dbm - (double)p->rx_dbm[0]) / (slowly ? 16 : 1);

	do {
		for (unsigned k = 0; k < 4; k++)
			p->rx_dbm[k] += step;
		if (slowly)
			play_for(p, 10);
	} while (fabs((double)p->rx_dbm[0] - dbm) > 0.01);
}

/* Light that fell twice and came back, each time by itself, is told as such the
 * third time.
 */
static void test_fec_trend_says_that_light_returns(void **state)
{
	(void)state;
	for (int n = 0; n < 6; n++) {
		const struct finding *f;
		static struct play p;
		int i = n % 3;

		if (i == 0) {
			play_init(&p, 10);
			play_for(&p, 1800);
		}
		p.log_ber = -3.6;
		light_goes(&p, -4, n > 2);
		play_for(&p, 300);
		assert_int_equal(engine_findings(p.engine, &f), 1);
		assert_int_equal(!!strstr(f->cause, "comes back by itself"),
				 i == 2);
		light_goes(&p, 0, n > 2);
		play_for(&p, 60 * (i == 2));	/* errors are late */
		assert_int_equal(engine_findings(p.engine, &f), 1);
		assert_int_equal(!!strstr(f->cause, "comes back by itself"),
				 i == 2);
		p.log_ber = -7;
		play_for(&p, 1800);
		if (i == 2)
			play_fini(&p);
	}
}

/* A laser that hops: light jumps down and back by the same amount. Errors are
 * measured later than light, which was not steady.
 */
static void test_fec_trend_of_light_that_jumped_is_not_steady(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 1800);
	for (int i = 0; i < 2; i++) {
		p.rx_dbm[0] = -3;
		p.log_ber = -3.9;
		play_for(&p, 120);
		p.rx_dbm[0] = 0;
		p.log_ber = -4.4;	/* of both, in a long window */
		play_for(&p, 300);
	}
	for (unsigned i = 0; i < p.count; i++)
		assert_null(strstr(p.said[i].cause, "is steady"));
	play_fini(&p);
}

/* Errors of copper, so young that no name is sure. Is heat a cause of them? */
static bool may_be_heat(const char *media)
{
	bool may;
	struct play p;

	play_init(&p, 10);
	p.facts.optical = false;
	(void)snprintf(p.facts.media, sizeof(p.facts.media), "%s", media);
	assert_int_equal(engine_port(p.engine, &p.facts, &p.port), 0);
	p.no_dom = true;
	play_for(&p, 1800);
	p.log_ber += 1.5;
	play_for(&p, 120);
	assert_int_equal(p.count, 1);
	may = strstr(p.said[0].cause, "thermal_fec") != NULL;
	play_fini(&p);
	return may;
}

static void test_fec_trend_of_a_passive_cable_is_no_heat(void **state)
{
	(void)state;
	assert_true(may_be_heat("AEC"));
	assert_false(may_be_heat("DAC"));
}

static bool is_named_copper(const struct play *p)
{
	const struct finding *open;

	assert_int_equal(engine_findings(p->engine, &open), 1);
	return open->signature == SIGNATURE_COPPER_DEGRADE;
}

static void copper_for_an_hour(struct play *p)
{
	play_init(p, 10);
	p->facts.optical = false;
	assert_int_equal(engine_port(p->engine, &p->facts, &p->port), 0);
	play_for(p, 3600);
}

/* Young errors of copper, at the limit of what is critical: the words stay with
 * the severity, and do not follow each window.
 */
static void test_fec_trend_of_copper_keeps_its_words(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	copper_for_an_hour(&p);
	p.log_ber = -3.4;
	play_for(&p, 200);
	assert_int_equal(engine_findings(p.engine, &f), 1);
	assert_int_equal(f->severity, SEVERITY_CRITICAL);
	assert_non_null(strstr(f->cause, "too many to wait"));
	p.log_ber = -4.2;
	play_for(&p, 60);
	assert_int_equal(engine_findings(p.engine, &f), 1);
	assert_int_equal(f->severity, SEVERITY_CRITICAL);
	assert_non_null(strstr(f->cause, "too many to wait"));
	play_fini(&p);
}

/* While its loss is young, that is what is said; where it makes all of the
 * errors, that too.
 */
static void test_fec_trend_of_a_young_loss_says_so(void **state)
{
	(void)state;
	for (unsigned all = 0; all < 2; all++) {
		const struct finding *f;
		struct play p;

		play_init(&p, 10);
		play_for(&p, 1800);
		p.rx_dbm[0] -= 1.0;
		p.log_ber += all ? 1.6 : 2.6;
		play_for(&p, 150);
		f = play_last(&p, SIGNATURE_FEC_TREND);
		assert_non_null(f);
		assert_non_null(strstr(f->cause, all ? "which explains them" :
				       "more readings will tell"));
		play_for(&p, 300);
		assert_non_null(play_last(&p, SIGNATURE_CONTAMINATION));
		play_fini(&p);
	}
}

/* Errors grew by so little that a loss which does not count would make them: it
 * is not said at first that light is steady, and not at all where it fell by
 * about so much.
 */
static void test_fec_trend_of_few_errors_waits_for_light(void **state)
{
	(void)state;
	for (unsigned small = 0; small < 2; small++) {
		struct play p;

		play_init(&p, 10);
		play_for(&p, 3600);
		p.log_ber += 0.45;
		for (unsigned i = 0; i < 4; i++)
			p.rx_dbm[i] = small ? -0.25 : 0;
		p.no_dom = true;
		while (!p.count)
			play_once(&p);
		p.no_dom = false;
		play_for(&p, 20);
		assert_non_null(strstr(play_last(&p,
			SIGNATURE_FEC_TREND)->cause, "too small to be seen"));
		play_for(&p, 1800);
		assert_non_null(strstr(play_last(&p,
			SIGNATURE_FEC_TREND)->cause,
			small ? "too small to be seen" : "light is steady"));
		play_fini(&p);
	}
}

/* Errors a decade from the cliff take the link down: that is the cliff. */
static void test_fec_trend_that_took_the_link_down_is_critical(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 1800);
	p.log_ber = -4.3;
	play_for(&p, 900);
	f = play_last(&p, SIGNATURE_FEC_TREND);
	assert_int_equal(f->severity, SEVERITY_WARN);
	p.up = false;
	play_for(&p, 90);
	f = play_last(&p, SIGNATURE_FEC_TREND);
	assert_int_equal(f->severity, SEVERITY_CRITICAL);
	assert_true(f->cliff.foreseeable);
	assert_int_equal(f->cliff.high_s, 0);
	for (unsigned k = 0; k < 4; k++)
		p.rx_dbm[k] = -40;	/* another fault: there is no date */
	play_for(&p, 900);
	assert_int_equal(engine_findings(p.engine, &f), 2);
	assert_false(play_last(&p, SIGNATURE_FEC_TREND)->cliff.foreseeable);
	play_fini(&p);
}

/* Errors of copper that go by themselves, and come again when all was quiet for
 * long, are no wear: after the second time they have no name.
 */
static void test_fec_trend_that_goes_by_itself_is_no_wear(void **state)
{
	struct play p;

	(void)state;
	copper_for_an_hour(&p);
	for (int i = 0; i < 4; i++) {
		p.log_ber += 1.5;
		play_for(&p, 1800);
		if (i < 1)
			assert_true(is_named_copper(&p));
		if (i > 1) {
			assert_false(is_named_copper(&p));
			assert_non_null(strstr(play_last(&p,
				SIGNATURE_FEC_TREND)->cause, "on copper"));
		}
		p.log_ber -= 1.5;
		play_for(&p, 7200);
	}
	play_fini(&p);
}

/* Errors of copper that lose frames are not watched until they have a name. */
static void test_fec_trend_of_copper_cannot_wait(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	copper_for_an_hour(&p);
	p.log_ber += 1.5;
	play_for(&p, 150);
	f = play_last(&p, SIGNATURE_FEC_TREND);
	assert_int_equal(f->action, ACTION_OBSERVE);
	p.log_ber = -3.4;
	play_for(&p, 120);
	f = play_last(&p, SIGNATURE_FEC_TREND);
	assert_int_equal(f->severity, SEVERITY_CRITICAL);
	assert_int_equal(f->action, ACTION_REPLACE_CABLE);
	assert_non_null(strstr(f->cause, "too many to wait"));
	play_fini(&p);
}

/* Errors that swung while there were few, and have become twice as much since,
 * stay: the cable wears.
 */
static void test_fec_trend_that_outgrew_its_swings_is_wear(void **state)
{
	struct play p;

	(void)state;
	copper_for_an_hour(&p);
	for (int i = 0; i < 3; i++) {
		p.log_ber += .8;
		play_for(&p, 600);
		p.log_ber -= .6;
		play_for(&p, 300);
		p.log_ber -= .2;
	}
	p.log_ber += .8;
	play_for(&p, 1200);
	assert_false(is_named_copper(&p));
	p.log_ber += 1.5;
	play_for(&p, 1800);
	assert_true(is_named_copper(&p));
	play_fini(&p);
}

static void test_fec_trend_names_the_lane_that_lost_light(void **state)
{
	struct play p;
	const struct finding *f;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	p.rx_dbm[2] = -1;
	p.log_ber = -5;
	play_for(&p, 300);
	f = play_last(&p, SIGNATURE_CONTAMINATION);
	assert_non_null(f);
	assert_int_equal(f->lanes, 1 << 2);
	assert_int_equal(f->end, END_PATH);
	assert_int_equal(f->action, ACTION_CLEAN_NEAR);
	play_fini(&p);
}

/* By the errors that the module counts of each. */
static void test_fec_trend_names_the_lanes_with_errors(void **state)
{
	static const struct {
		uint8_t lanes;
		const char *told;
	} cases[] = { { 1 << 1, " on lane 2;" }, { 5, " on lanes 1, 3;" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct finding *f;
		struct play p;

		play_init(&p, quick(1, 5));
		play_for(&p, 900);
		for (unsigned lane = 0; lane < 4; lane++)
			inputs_set(&p.k, INPUT_LANE_BER_E18 + lane,
				   cases[i].lanes >> lane & 1 ?
				   INT64_C(10000000000000) : 10000000);
		play_ramp(&p, 1200, -5.2);
		f = play_last(&p, SIGNATURE_FEC_TREND);
		if (!f || !strstr(f->cause, cases[i].told))
			fail_msg("'%s'", f ? f->cause : "silent");
		assert_int_equal(f->lanes, cases[i].lanes);
		play_fini(&p);
	}
}

static void test_fec_trend_takes_no_garbage_for_heat_or_light(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	for (int i = 0; i < 300; i++) {		/* a hung bus */
		play_once(&p);
		inputs_set(&p.k, INPUT_TEMP_MC, -4);
		inputs_set(&p.k, INPUT_VCC_UV, 6553500);
		p.k.dom_new = true;
		p.k.t.ns += NS_PER_S / 2;
		engine_reading(p.engine, p.port, &p.k, (struct wall){ 1 });
	}
	play_ramp(&p, 600, -5.5);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_RAISED), 1);
	assert_non_null(strstr(play_last(&p, SIGNATURE_FEC_TREND)->cause,
			       "light is steady"));
	play_fini(&p);
}

static void test_fec_trend_is_silent_over_restarts(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	for (int i = 0; i < 5; i++) {
		p.bits = p.corrected = p.clean = 0;	/* a restart */
		play_for(&p, 200);
		p.t_s += 700;				/* missing samples */
		play_for(&p, 200);
		play_drop(&p, 90);
		play_for(&p, 900);
	}
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, 0), 0);
	play_fini(&p);
}

static void test_fec_trend_uses_what_counts_there_are(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 60);
	p.no_fec = true;		/* only the module's own gauge */
	for (int i = 0; i < 600; i++) {
		inputs_set(&p.k, INPUT_VDM_BER_E18, (int64_t)(1e18 * 1e-7));
		play_once(&p);
	}
	for (int i = 0; i < 600; i++) {
		inputs_set(&p.k, INPUT_VDM_BER_E18,
			 (int64_t)(1e18 * pow(10, -7 + i / 300.0)));
		play_once(&p);
	}
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_RAISED), 1);
	play_fini(&p);
}

/* Up to 0.3 decades are benign to the test whose false alarms are bounded, and
 * without it nothing is a warning.
 */
static void test_fec_trend_of_a_small_step_is_no_warning(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 7200);
	p.log_ber += 0.43;
	play_for(&p, 1800);
	assert_true(p.count > 0);
	for (unsigned i = 0; i < p.count; i++)
		assert_true(p.said[i].severity < SEVERITY_WARN);
	play_fini(&p);
}

/* Healthy links step by most of a decade and stay there for hours. It warns
 * where that took much of the margin, or is near harm.
 */
static void test_fec_trend_warns_of_a_step_by_what_it_takes(void **state)
{
	static const struct {
		double from, by;
		bool warns;
	} steps[] = { { -7.0, 0.8, false }, { -7.0, 1.6, true },
		      { -5.4, 0.7, true } };

	(void)state;
	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct play p;
		bool warned = false;

		play_init(&p, 1);
		p.log_ber = steps[i].from;
		play_for(&p, 3600);
		p.log_ber += steps[i].by;
		play_for(&p, 1800);
		assert_true(p.count > 0);
		for (unsigned n = 0; n < p.count; n++)
			warned |= p.said[n].severity >= SEVERITY_WARN;
		assert_int_equal(warned, steps[i].warns);
		play_fini(&p);
	}
}

/* A coherent line ends in the module, which tells its errors; 400ZR mends
 * 1.25e-2 of them.
 */
static void test_fec_trend_of_a_coherent_line(void **state)
{
	struct play p;
	bool dated = false;
	uint32_t port;

	(void)state;
	play_init(&p, 60);
	p.no_fec = true;
	p.facts.fec = FEC_NONE;
	(void)snprintf(p.facts.media, sizeof(p.facts.media), "ZR");
	assert_int_equal(engine_port(p.engine, &p.facts, &port), 0);
	for (int i = 0; i < 1200; i++) {
		double up = i < 600 ? 0 : (i - 600) / 500.0;

		inputs_set(&p.k, INPUT_VDM_BER_E18,
			   (int64_t)(1e18 * pow(10, -3 + up)));
		play_once(&p);
	}
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_RAISED), 1);
	for (unsigned i = 0; i < p.count; i++)
		dated |= p.said[i].cliff.foreseeable;
	assert_true(dated);
	play_fini(&p);
}

/* Ten hours of a coherent line at a level, of which it grows in five. */
static void line_play(struct play *p, double level, double decades)
{
	uint32_t port;

	play_init(p, 60);
	p->no_fec = true;
	p->facts.fec = FEC_NONE;
	(void)snprintf(p->facts.media, sizeof(p->facts.media), "ZR");
	assert_int_equal(engine_port(p->engine, &p->facts, &port), 0);
	for (int i = 0; i < 1200; i++) {
		double up = i < 600 ? 0 : fmin((i - 600) / 300.0, 1) * decades;
		double noise = i % 2 ? .005 : -.005;

		inputs_set(&p->k, INPUT_VDM_BER_E18,
			   (int64_t)(1e18 * pow(10, level + up + noise)));
		play_once(p);
		if (i < 600)
			assert_int_equal(p->count, 0);
	}
}

/* A line that always has many errors has little room up to the last safe level:
 * growth is told while some of it is left.
 */
static void test_fec_trend_of_a_line_with_little_room(void **state)
{
	struct play p;

	(void)state;
	line_play(&p, -2.35, .24);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_RAISED), 1);
	play_fini(&p);
}

/* … and warned of while the test with a bound says so too. */
static void test_fec_trend_of_little_room_warns_by_the_bound(void **state)
{
	struct play p;

	(void)state;
	line_play(&p, -2.3, .28);
	assert_int_equal(p.said[p.count - 2].severity, SEVERITY_WARN);
	assert_int_equal(p.said[p.count - 1].severity, SEVERITY_WATCH);
	play_fini(&p);
}

/* What came while nothing was read has two onsets, of light and of errors, but
 * is one fault.
 */
static void test_fec_trend_of_a_gap_is_one_finding(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	play_init(&p, 60);
	play_for(&p, 86400);
	p.log_ber += .25;	/* noise: a change seems to begin here */
	play_for(&p, 180);
	p.t_s += 7200;
	p.rx_dbm[1] -= 2.5;
	p.log_ber = -4.6;
	play_for(&p, 7200);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_int_equal(open->signature, SIGNATURE_CONTAMINATION);
	for (unsigned i = 0; i < p.count; i++)
		assert_string_equal(p.said[i].id, open->id);
	play_fini(&p);
}

/* An amplified line whose light swings, and whose errors do not, is fine. */
static void test_fec_trend_of_a_coherent_line_that_swings(void **state)
{
	struct play p;
	uint32_t port;

	(void)state;
	play_init(&p, 60);
	p.no_fec = true;
	p.facts.fec = FEC_NONE;
	(void)snprintf(p.facts.media, sizeof(p.facts.media), "ZR");
	assert_int_equal(engine_port(p.engine, &p.facts, &port), 0);
	for (int i = 0; i < 1200; i++) {
		for (unsigned lane = 0; lane < 4; lane++)
			p.rx_dbm[lane] = i < 600 ? 0 : -1.6;
		inputs_set(&p.k, INPUT_VDM_BER_E18,
			   (int64_t)(1e18 * pow(10, -3 + .005 * (i % 2))));
		play_once(&p);
	}
	assert_int_equal(p.count, 0);
	play_fini(&p);
}

/* More light than usual is no loss, and is not called steady. */
static void test_fec_trend_of_light_that_rose(void **state)
{
	struct play p;
	const struct finding *f;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 7200);
	for (unsigned i = 0; i < 4; i++)
		p.rx_dbm[i] += 3.5;
	p.log_ber = -4.5;
	play_for(&p, 900);
	f = play_last(&p, SIGNATURE_FEC_TREND);
	assert_non_null(f);
	assert_non_null(strstr(f->cause, "received light rose"));
	assert_int_equal(f->action, ACTION_CHECK_PEER);
	play_fini(&p);
}

/* Light that is about as low as what counts as lost: one of both is said. */
static void test_fec_trend_says_one_of_steady_and_lost(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 7200);
	p.log_ber += 1.5;
	for (unsigned i = 0; i < 600; i++) {
		for (unsigned lane = 0; lane < 4; lane++)
			p.rx_dbm[lane] = i / 10 % 2 ? -.36 : -.26;
		play_once(&p);
	}
	assert_in_range(p.count, 2, PLAY_SAID_MAX);
	for (unsigned i = 0; i < p.count; i++) {
		assert_null(strstr(p.said[i].cause, "steady"));
		assert_int_equal(p.said[i].action, ACTION_CLEAN_NEAR);
	}
	play_fini(&p);
}

/* A link that is up has codewords: without any nothing was measured, which is
 * not the least BER of all, neither shown nor learned.
 */
static void test_counters_that_stand_still_are_no_ber(void **state)
{
	struct play p;
	struct engine_view before, v;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 600);
	engine_view(p.engine, p.port, &before);
	assert_true(before.pre_fec_ber_e18 > 0);
	p.stands = true;
	play_for(&p, 600);
	engine_view(p.engine, p.port, &v);
	assert_int_equal(v.pre_fec_ber_e18, before.pre_fec_ber_e18);
	assert_int_equal(v.ber_taken.ns, before.ber_taken.ns);
	p.stands = false;
	play_for(&p, 600);
	engine_view(p.engine, p.port, &v);
	assert_true(v.ber_taken.ns > before.ber_taken.ns);
	assert_int_equal(p.count, 0);
	play_fini(&p);
}

/* A source that is read faster than it reads its counters hides no growth. */
static void test_fec_trend_of_a_slow_source(void **state)
{
	(void)state;
	for (unsigned times = 2; times <= 30; times += 14) {
		const struct finding *f;
		struct play p;

		play_init(&p, 1);
		p.times = times;
		play_for(&p, 1200);
		assert_int_equal(p.count, 0);
		p.log_ber = -4.7;
		play_for(&p, 120 + 12 * times);
		f = play_last(&p, SIGNATURE_FEC_TREND);
		assert_non_null(f);
		assert_int_equal(f->severity, SEVERITY_WARN);
		play_fini(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters_that_stand_still_are_no_ber),
		cmocka_unit_test(test_fec_trend_of_a_slow_source),
		cmocka_unit_test(
		test_fec_trend_warns_of_fast_growth_in_three_minutes),
		cmocka_unit_test(
		test_fec_trend_warns_of_slow_growth_in_three_hours),
		cmocka_unit_test(test_fec_trend_foresees_the_cliff),
		cmocka_unit_test(test_fec_trend_tells_an_open_date_seldom),
		cmocka_unit_test(
		test_fec_trend_of_drift_that_the_baseline_follows),
		cmocka_unit_test(test_fec_trend_of_a_step_that_stays),
		cmocka_unit_test(test_fec_trend_extrapolates_no_step),
		cmocka_unit_test(test_fec_trend_extrapolates_no_window),
		cmocka_unit_test(test_fec_trend_loses_codewords_now),
		cmocka_unit_test(test_fec_trend_that_grew_stays_so),
		cmocka_unit_test(test_fec_trend_is_silent_on_a_brief_step),
		cmocka_unit_test(test_fec_trend_is_silent_on_spikes),
		cmocka_unit_test(test_fec_trend_is_silent_on_heat),
		cmocka_unit_test(test_fec_trend_tells_one_module_that_is_hot),
		cmocka_unit_test(
		test_fec_trend_tells_heat_that_does_no_harm_yet),
		cmocka_unit_test(test_fec_trend_learns_the_heat_of_its_module),
		cmocka_unit_test(
		test_fec_trend_waits_for_heat_to_be_read),
		cmocka_unit_test(
		test_fec_trend_watches_what_is_harmless),
		cmocka_unit_test(
		test_fec_trend_preexisting_is_not_over_by_noise),
		cmocka_unit_test(test_fec_trend_of_little_margin_hardly_grew),
		cmocka_unit_test(
		test_fec_trend_that_was_so_at_first_is_preexisting),
		cmocka_unit_test(
		test_fec_trend_is_critical_when_frames_are_lost),
		cmocka_unit_test(test_fec_trend_below_the_limit_loses_frames),
		cmocka_unit_test(test_fec_trend_of_a_level_that_stays),
		cmocka_unit_test(test_fec_trend_is_critical_within_the_hour),
		cmocka_unit_test(
		test_fec_trend_compares_with_ports_of_its_kind),
		cmocka_unit_test(test_fec_trend_compares_lines_with_lines),
		cmocka_unit_test(
		test_fec_trend_wandering_far_below_harm_is_watched),
		cmocka_unit_test(test_fec_trend_of_a_minute_foretells_no_hour),
		cmocka_unit_test(test_fec_trend_needs_no_training_at_the_cliff),
		cmocka_unit_test(test_fec_trend_of_a_passive_cable_is_no_heat),
		cmocka_unit_test(
			test_fec_trend_light_tells_on_while_the_link_is_down),
		cmocka_unit_test(test_fec_trend_counts_down_to_the_cliff),
		cmocka_unit_test(
			test_fec_trend_looks_again_when_the_date_is_over),
		cmocka_unit_test(test_fec_trend_that_swings_has_no_date),
		cmocka_unit_test(test_fec_trend_says_that_the_link_is_down),
		cmocka_unit_test(test_fec_trend_leaves_the_link_to_others),
		cmocka_unit_test(
			test_fec_trend_takes_no_lanes_that_did_not_fade),
		cmocka_unit_test(test_fec_trend_says_that_light_returns),
		cmocka_unit_test(
			test_fec_trend_of_light_that_jumped_is_not_steady),
		cmocka_unit_test(test_fec_trend_date_passes_unmeasured),
		cmocka_unit_test(test_fec_trend_takes_no_link_that_went_dark),
		cmocka_unit_test(
			test_fec_trend_takes_the_link_of_a_laser_that_ends),
		cmocka_unit_test(
			test_fec_trend_keeps_its_name_while_unmeasured),
		cmocka_unit_test(test_fec_trend_tells_what_it_goes_with),
		cmocka_unit_test(test_fec_trend_that_goes_by_itself_is_no_wear),
		cmocka_unit_test(test_fec_trend_of_copper_keeps_its_words),
		cmocka_unit_test(test_fec_trend_of_a_young_loss_says_so),
		cmocka_unit_test(test_fec_trend_of_few_errors_waits_for_light),
		cmocka_unit_test(
			test_fec_trend_that_took_the_link_down_is_critical),
		cmocka_unit_test(
			test_fec_trend_that_outgrew_its_swings_is_wear),
		cmocka_unit_test(test_fec_trend_of_copper_cannot_wait),
		cmocka_unit_test(test_fec_trend_names_the_lane_that_lost_light),
		cmocka_unit_test(test_fec_trend_names_the_lanes_with_errors),
		cmocka_unit_test(
		test_fec_trend_takes_no_garbage_for_heat_or_light),
		cmocka_unit_test(test_fec_trend_is_silent_over_restarts),
		cmocka_unit_test(test_fec_trend_uses_what_counts_there_are),
		cmocka_unit_test(test_fec_trend_of_a_coherent_line),
		cmocka_unit_test(test_fec_trend_of_light_that_rose),
		cmocka_unit_test(test_fec_trend_of_a_gap_is_one_finding),
		cmocka_unit_test(
		test_fec_trend_of_a_coherent_line_that_swings),
		cmocka_unit_test(test_fec_trend_says_one_of_steady_and_lost),
		cmocka_unit_test(test_fec_trend_of_a_line_with_little_room),
		cmocka_unit_test(
		test_fec_trend_of_little_room_warns_by_the_bound),
		cmocka_unit_test(test_fec_trend_of_a_small_step_is_no_warning),
		cmocka_unit_test(
		test_fec_trend_warns_of_a_step_by_what_it_takes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
