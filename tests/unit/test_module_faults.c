/* What a module and its contacts do: loose, ageing, misread, changed; and
 * bursts, and a switch at the other end that is down.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "agent/signature/folds.h"
#include "tests/support/port_play.h"
#include "tests/support/quick.h"

static double evidence_of(const struct finding *f, const char *name)
{
	for (unsigned i = 0; i < f->evidence_count; i++)
		if (strcmp(f->evidence[i].name, name) == 0)
			return f->evidence[i].value;
	return -1;
}

/* Lasers at so many mA, with what the temperature does to them, and dBm. */
static void lasers_set(struct play *p, const double ma[4], double dbm)
{
	for (unsigned i = 0; i < 4; i++) {
		inputs_set(&p->k, INPUT_BIAS_UA + i,
			   llround(ma[i] * 1000 * exp((p->temp_c - 50) / 70)));
		inputs_set(&p->k, INPUT_TX_PW + i,
			   llround(1e9 * pow(10, dbm / 10)));
	}
}

static void days(struct play *p, double n, const double ma[4], double dbm)
{
	for (int i = 0; i < n * 1440; i++) {
		p->temp_c = 50 + 20 * sin(i / 1440.0 * 2 * M_PI);
		lasers_set(p, ma, dbm);
		play_once(p);
	}
}

/* Heat alone is none; 15 % more bias than it explains is. */
static void test_tx_decay_is_told_beyond_heat(void **state)
{
	static const double new[] = { 60, 61, 62, 60 };
	static const double old[] = { 60, 61, 71.3, 60 };
	const struct finding *f;
	struct play p;

	(void)state;
	play_init(&p, 60);
	days(&p, 4, new, 0.5);
	assert_int_equal(play_said(&p, SIGNATURE_TX_DECAY, 0), 0);
	days(&p, 0.1, old, 0.5);
	f = play_last(&p, SIGNATURE_TX_DECAY);
	assert_non_null(f);
	assert_int_equal(f->lanes, 1 << 2);
	assert_int_equal(f->end, END_NEAR);
	assert_int_equal(f->action, ACTION_REPLACE_NEAR);
	assert_int_equal(f->severity, SEVERITY_WARN);
	assert_true(fabs(evidence_of(f, "bias_over_percent") - 15) < 5);
	play_fini(&p);
}

/* At constant current the power falls. */
static void test_tx_decay_is_told_by_power(void **state)
{
	static const double ma[] = { 60, 61, 62, 60 };
	struct play p;

	(void)state;
	play_init(&p, 60);
	days(&p, 2, ma, 0.5);
	days(&p, 0.1, ma, -0.9);
	assert_int_equal(play_said(&p, SIGNATURE_TX_DECAY, FINDING_RAISED), 1);
	assert_int_equal(play_last(&p, SIGNATURE_TX_DECAY)->lanes, 0xf);
	days(&p, 0.1, ma, -3);		/* what is lost by it the peer tells */
	assert_int_equal(play_last(&p, SIGNATURE_TX_DECAY)->severity,
			 SEVERITY_WARN);
	play_fini(&p);
}

/* A laser that wears on is told again, at half as much more; the usual bias of
 * a few hours stays as it was while it wears.
 */
static void test_tx_decay_is_told_as_it_goes_on(void **state)
{
	static const double usual[] = { 60, 61, 62, 60 };
	double ma[4], told = 0;
	unsigned updates = 0;
	const struct finding *f;
	struct play p;

	(void)state;
	play_init(&p, 60);
	p.temp_c = 50;
	lasers_set(&p, usual, 0.5);
	play_for(&p, 7 * 3600);
	for (int i = 0; i <= 90; i++) {
		for (int k = 0; k < 4; k++)
			ma[k] = usual[k] * (1 + 0.0038 * i);
		lasers_set(&p, ma, 0.5);
		play_for(&p, i < 90 ? 420 : 4 * 86400);
	}
	updates = play_said(&p, SIGNATURE_TX_DECAY, FINDING_UPDATED);
	f = play_last(&p, SIGNATURE_TX_DECAY);
	told = evidence_of(f, "bias_over_percent");
	print_message("%u updates, the last at %.1f %%\n", updates, told);
	assert_in_range(updates, 2, 5);
	assert_true(told > 22 && f->severity == SEVERITY_WARN);
	assert_int_equal(engine_findings(p.engine, &f), 1);
	told = evidence_of(f, "bias_over_percent");
	print_message("%.1f %% at last\n", told);
	assert_true(told > 31 && told < 36);	/* 34 */
	play_fini(&p);
}

/* One lane sends so many dBm, for two hours. */
static void one_sends(struct play *p, double dbm)
{
	inputs_set(&p->k, INPUT_TX_PW + 1, llround(1e9 * pow(10, dbm / 10)));
	play_for(p, 7200);
}

/* What fell in one reading is told as it is read, and is no wear; what wears is
 * told again at its end of life.
 */
static void test_tx_decay_tells_what_is_read(void **state)
{
	static const double ma[] = { 60, 61, 62, 60 };
	const struct finding *f;
	struct play p;

	(void)state;
	play_init(&p, 60);
	days(&p, 2, ma, 0.5);
	days(&p, 0.1, ma, -9.5);
	f = play_last(&p, SIGNATURE_TX_DECAY);
	assert_non_null(strstr(f->cause, "10.0 dB less since one reading"));
	assert_int_equal(f->cause_id, CAUSE_LASER_POWER_FALLS);
	play_fini(&p);
	play_init(&p, 60);
	days(&p, 2, ma, 0.5);
	one_sends(&p, -0.9);
	f = play_last(&p, SIGNATURE_TX_DECAY);
	assert_non_null(strstr(f->cause, "1.4 dB less than usual: it ages"));
	one_sends(&p, -1.8);
	f = play_last(&p, SIGNATURE_TX_DECAY);
	assert_int_equal(f->state, FINDING_UPDATED);
	assert_non_null(strstr(f->cause, "it is at its end of life"));
	one_sends(&p, -2.7);		/* it does not fail by that */
	assert_null(strstr(play_last(&p, SIGNATURE_TX_DECAY)->cause, "failed"));
	play_fini(&p);
}

/* All lasers die while they get some current, and the peer takes the link down:
 * one finding, from the first reading on, and none once they send again. Those
 * that get none are switched off, and a module that never told what it sends
 * tells nothing.
 */
static void test_tx_decay_that_takes_the_link_down_is_one(void **state)
{
	static const double usual[] = { 60, 61, 62, 60 }, dead[] = { 0.1, 0.1,
		0.1, 0.1 }, off[4];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		const struct finding *f;
		struct play p;

		play_init(&p, 60);
		days(&p, 2, usual, i < 2 ? 0.5 : -40);
		p.up = false;
		p.downs++;
		days(&p, 1.0 / 1440, i == 1 ? off : dead, -40);
		f = play_last(&p, SIGNATURE_LINK_DOWN);
		assert_non_null(f);
		assert_int_equal(f->end, i ? i == 1 ? END_NEAR : END_FAR :
					     END_NEAR);
		assert_int_equal(f->action, i ? i == 1 ? ACTION_FIX_CONFIG :
				 ACTION_CHECK_PEER : ACTION_REPLACE_NEAR);
		days(&p, 0.1, i == 1 ? off : dead, -40);
		assert_int_equal(engine_findings(p.engine, &f), 1);
		assert_int_equal(f->signature, SIGNATURE_LINK_DOWN);
		p.up = p.no_dom = true;	/* not read for a while */
		play_for(&p, 300);
		p.no_dom = false;
		days(&p, 0.1, usual, 0.5);
		assert_int_equal(engine_findings(p.engine, &f), 0);
		assert_int_equal(play_said(&p, SIGNATURE_TX_DECAY, 0), 0);
		play_fini(&p);
	}
}

/* A laser that died, in a module that was pulled out since. */
static void test_tx_decay_is_none_of_an_empty_cage(void **state)
{
	static const double usual[] = { 60, 61, 62, 60 };
	struct play p;

	(void)state;
	play_init(&p, 60);
	inputs_set(&p.k, INPUT_PRESENT, 1);
	days(&p, 2, usual, 0.5);
	p.up = false;
	p.downs++;
	days(&p, 0.1, usual, -40);
	inputs_set(&p.k, INPUT_PRESENT, 0);
	for (unsigned i = 0; i < 4; i++)
		inputs_clear(&p.k, INPUT_TX_PW + i);
	p.no_dom = true;
	play_for(&p, 3600);
	assert_int_equal(play_said(&p, SIGNATURE_TX_DECAY, 0), 0);
	play_fini(&p);
}

/* Four lasers do not age together: what they share fails. */
static void test_tx_decay_of_all_lanes_is_of_what_they_share(void **state)
{
	static const double ma[] = { 60, 61, 62, 60 };
	static const double more[] = { 75, 76, 77, 75 };
	struct play p;

	(void)state;
	play_init(&p, 60);
	days(&p, 2, ma, 0.5);
	days(&p, 0.05, ma, -0.9);
	assert_non_null(strstr(play_last(&p, SIGNATURE_TX_DECAY)->cause,
			       "1.4 dB less than usual is sent, on all lanes "
			       "alike: the cooler, supply or laser that they "
			       "share fails"));
	days(&p, 0.05, more, -0.9);
	assert_non_null(strstr(play_last(&p, SIGNATURE_TX_DECAY)->cause,
			       "above what its temperature explains, on all "
			       "lanes alike: the cooler, supply or laser that "
			       "they share fails; tell the peer"));
	play_fini(&p);
}

/* Half of a warning each: of more current that gives less light it is one. */
static void test_tx_decay_is_told_of_current_and_power(void **state)
{
	static const double ma[] = { 60, 61, 62, 60 };
	static const double more[] = { 64.5, 65.6, 66.7, 64.5 };

	(void)state;
	for (int both = 0; both < 2; both++) {
		struct play p;

		play_init(&p, 60);
		days(&p, 2, ma, 0.5);
		days(&p, 0.05, more, both ? -0.05 : 0.5);
		assert_int_equal(play_said(&p, SIGNATURE_TX_DECAY, 0) > 0,
				 both);
		play_fini(&p);
	}
}

/* Once it was mended it is over in minutes, and nothing is told of 0.0 dB. */
static void test_tx_decay_is_over_when_it_was_mended(void **state)
{
	static const double ma[] = { 60, 61, 62, 60 };
	struct play p;

	(void)state;
	play_init(&p, 60);
	days(&p, 2, ma, 0.5);
	one_sends(&p, -36);
	lasers_set(&p, ma, 0.5);
	play_for(&p, 900);
	assert_int_equal(play_last(&p, SIGNATURE_TX_DECAY)->state,
			 FINDING_CLEARED);
	assert_non_null(strstr(play_last(&p, SIGNATURE_TX_DECAY)->cause,
			       "36.5 dB less since one reading"));
	play_fini(&p);
}

/* A clock that steps by years makes the last reading usual, and no more. */
static void test_tx_decay_is_none_of_a_clock_step(void **state)
{
	static const double ma[] = { 60, 61, 62, 60 };
	struct play p;

	(void)state;
	play_init(&p, 60);
	days(&p, 2, ma, 0.5);
	p.t_s += 25.0 * 365 * 86400;
	for (int i = 0; i < 60; i++) {
		lasers_set(&p, ma, 0.6);
		play_once(&p);
	}
	assert_null(play_last(&p, SIGNATURE_TX_DECAY));
	play_fini(&p);
}

/* One that leaves its siblings is told before all would be. */
static void test_tx_decay_is_told_of_one_below_its_siblings(void **state)
{
	static const double ma[] = { 60, 61, 62, 60 };
	const struct finding *f;
	struct play p;

	(void)state;
	play_init(&p, 60);
	days(&p, 2, ma, 0.5);
	days(&p, 0.1, ma, 0.2);
	assert_int_equal(play_said(&p, SIGNATURE_TX_DECAY, 0), 0);
	inputs_set(&p.k, INPUT_TX_PW + 1, llround(1e9 * pow(10, -0.027)));
	play_for(&p, 1200);
	f = play_last(&p, SIGNATURE_TX_DECAY);
	assert_non_null(f);
	assert_int_equal(f->lanes, 1 << 1);
	assert_int_equal(f->severity, SEVERITY_WATCH);
	play_fini(&p);
}

/* The reader of modules hung while one was swapped, and told the one before,
 * which sent more, a few times anew: that was never usual of this one.
 */
/* Monitors that wander by tenths of a dB, each by itself, show no wear; a lane
 * that falls by far more than that does.
 */
static void test_tx_decay_is_not_what_monitors_wander(void **state)
{
	double off[4] = { 0 };
	unsigned seed = 5;
	struct play p;

	(void)state;
	play_init(&p, 60);
	for (int i = 0; i < 4 * 1440 + 60; i++) {
		bool falls = i >= 4 * 1440;

		if (i == 4 * 1440)
			assert_null(play_last(&p, SIGNATURE_TX_DECAY));
		p.temp_c = 50;
		for (unsigned n = 0; n < 4; n++) {
			seed = seed * 1103515245u + 12345u;
			off[n] = .9 * off[n] +
				 .15 * ((seed >> 8) % 2001 / 1000.0 - 1);
			inputs_set(&p.k, INPUT_BIAS_UA + n, 60000);
			inputs_set(&p.k, INPUT_TX_PW + n, llround(1e9 *
				pow(10, (off[n] - (falls && n == 2 ? 2 : 0)) /
				    10)));
		}
		play_once(&p);
	}
	assert_non_null(play_last(&p, SIGNATURE_TX_DECAY));
	assert_int_equal(play_last(&p, SIGNATURE_TX_DECAY)->lanes, 1 << 2);
	play_fini(&p);
}

static void test_tx_decay_is_not_what_the_module_before_sent(void **state)
{
	static const double ma[] = { 60, 61, 62, 60 };
	struct play p;

	(void)state;
	play_init(&p, 60);
	days(&p, 0.1, ma, 1.8);
	p.k.serial[2] = '2';
	days(&p, 4.9 / 1440, ma, 1.8);
	days(&p, 0.2, ma, 0.2);
	assert_int_equal(play_said(&p, SIGNATURE_TX_DECAY, 0), 0);
	play_fini(&p);
}

/* A few readings that are believed and wrong are no wear; what stays is. */
static void test_tx_decay_is_not_a_few_wrong_readings(void **state)
{
	static const double ma[] = { 60, 61, 62, 60 };
	struct play p;

	(void)state;
	play_init(&p, 60);
	lasers_set(&p, ma, 0.5);
	play_for(&p, 86400);
	for (int i = 0; i < 4; i++) {
		lasers_set(&p, ma, i < 2 ? -9 : -25);
		play_for(&p, 60);
	}
	lasers_set(&p, ma, 0.5);
	play_for(&p, 3600);
	assert_int_equal(play_said(&p, SIGNATURE_TX_DECAY, 0), 0);
	lasers_set(&p, ma, -9);
	play_for(&p, 600);
	assert_int_equal(play_said(&p, SIGNATURE_TX_DECAY, 0) > 0, 1);
	play_fini(&p);
}

/* A laser at constant current does not follow the heat: that it stays when the
 * room cools is no wear.
 */
static void test_tx_decay_is_not_a_current_that_is_held(void **state)
{
	static const double ma[] = { 60, 61, 62, 60 };
	struct play p;

	(void)state;
	play_init(&p, 60);
	p.temp_c = 50;
	lasers_set(&p, ma, 0.5);
	p.temp_c = 65;
	play_for(&p, 86400);
	for (; p.temp_c > 45; p.temp_c -= 1)
		play_for(&p, 600);
	play_for(&p, 3600);
	assert_int_equal(play_said(&p, SIGNATURE_TX_DECAY, 0), 0);
	play_fini(&p);
}

/* One lane needs less than before: that wears none of the others. */
static void test_tx_decay_is_not_of_a_sibling_that_fell(void **state)
{
	static const double before[] = { 60, 61, 62, 60 };
	static const double after[] = { 62.4, 61, 54, 60 };
	struct play p;

	(void)state;
	play_init(&p, 60);
	lasers_set(&p, before, 0.5);
	play_for(&p, 86400);
	lasers_set(&p, after, 0.5);
	play_for(&p, 7200);
	assert_int_equal(play_said(&p, SIGNATURE_TX_DECAY, 0), 0);
	play_fini(&p);
}

static void reading(struct play *p, bool bad)
{
	double temp_c = p->temp_c;

	if (bad)
		p->temp_c = -60;
	play_once(p);
	p->temp_c = temp_c;
}

static void jump(struct play *p, double seconds)
{
	p->log_ber = -4.5;
	play_for(p, seconds);
	p->log_ber = -7;
	play_for(p, 120);
}

/* Two jumps that end by themselves are one loose module, and no growth. */
static void test_loose_module_is_told_by_the_second_jump(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 1800);
	jump(&p, 12);
	assert_int_equal(p.count, 0);
	jump(&p, 12);
	assert_int_equal(play_said(&p, SIGNATURE_LOOSE_MODULE,
				   FINDING_RAISED), 1);
	assert_int_equal(play_last(&p, SIGNATURE_LOOSE_MODULE)->action,
			 ACTION_RESEAT_NEAR);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, 0), 0);
	assert_non_null(strstr(play_last(&p, SIGNATURE_LOOSE_MODULE)->cause,
			       "jumped 2 times and"));
	for (int i = 0; i < 4; i++)	/* not all of them are kept */
		jump(&p, 12);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_non_null(strstr(open->cause, "jumped 4 times or more and"));
	play_for(&p, 3 * 3600);
	assert_int_equal(play_said(&p, SIGNATURE_LOOSE_MODULE,
				   FINDING_CLEARED), 1);
	play_fini(&p);
}

/* Jumps from a level to another one, with so many codewords lost in each. */
static bool is_loose(double from, double to, int64_t lost)
{
	struct play p;
	bool ret;

	play_init(&p, 1);
	p.log_ber = from;
	inputs_set(&p.k, INPUT_FEC_UNCORRECTABLE_CW, 0);
	play_for(&p, 1800);
	for (int i = 1; i <= 4; i++) {
		p.log_ber = to;
		inputs_set(&p.k, INPUT_FEC_UNCORRECTABLE_CW, i * lost);
		play_for(&p, 12);
		p.log_ber = from;
		play_for(&p, 200);
	}
	ret = play_last(&p, SIGNATURE_LOOSE_MODULE) != NULL;
	play_fini(&p);
	return ret;
}

/* A contact that opens loses codewords at once. A control loop that hunts, a
 * module that tunes itself, a laser that hops: FEC corrects what they do.
 */
static void test_loose_module_loses_codewords(void **state)
{
	(void)state;
	assert_false(is_loose(-7, -4.5, 0));
	assert_true(is_loose(-7, -4.5, 100));
	/* nearly, and from next to nothing: a contact open for part of it */
	assert_true(is_loose(-8.7, -4.3, 0));
	assert_false(is_loose(-8, -4.3, 0));
	assert_false(is_loose(-9.5, -5.2, 0));
}

/* Twenty jumps so far apart; codewords are lost in the first two. */
static void jumps_lose_twice(struct play *p, double apart_s)
{
	play_init(p, 1);
	inputs_set(&p->k, INPUT_FEC_UNCORRECTABLE_CW, 0);
	play_for(p, 1800);
	for (int i = 1; i <= 20; i++) {
		inputs_set(&p->k, INPUT_FEC_UNCORRECTABLE_CW,
			   i < 3 ? i * 100 : 200);
		jump(p, 12);
		play_for(p, apart_s);
	}
}

/* Once it is told, the same contact need not lose codewords in each jump. */
static void test_loose_module_goes_on_by_its_jumps(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	jumps_lose_twice(&p, 120);
	assert_int_equal(play_said(&p, SIGNATURE_LOOSE_MODULE,
				   FINDING_CLEARED), 0);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_int_equal(open->signature, SIGNATURE_LOOSE_MODULE);
	assert_non_null(strstr(open->cause, "errors jumped"));
	play_fini(&p);
}

/* They come so often that they are no contact that opens; that codewords were
 * lost is still told, and is no other fault.
 */
static void test_loose_module_goes_on_as_its_symptom(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	jumps_lose_twice(&p, 0);
	assert_int_equal(play_said(&p, SIGNATURE_LOOSE_MODULE,
				   FINDING_CLEARED), 0);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_int_equal(open->signature, SIGNATURE_FEC_UNCORRECTABLE);
	assert_int_equal(open->was, SIGNATURE_LOOSE_MODULE);
	assert_string_equal(open->id, p.said[0].id);
	play_fini(&p);
}

/* Readings that failed were the old module's. */
static void test_sensor_fault_ends_with_its_module(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 1800);
	for (int i = 0; i < 40; i++)
		reading(&p, i % 4 == 0);
	assert_int_equal(play_said(&p, SIGNATURE_SENSOR_FAULT, FINDING_RAISED),
			 1);
	engine_event(p.engine, p.port, ENGINE_MODULE_SWAPPED, p.k.t,
		     (struct wall){ 1 });
	for (int i = 0; i < 60; i++) {
		play_once(&p);
		for (size_t n = engine_findings(p.engine, &open); n-- > 0;)
			assert_int_not_equal(open[n].signature,
					     SIGNATURE_SENSOR_FAULT);
	}
	play_fini(&p);
}

/* Falls and failed readings of the old module are not held against the new. */
static void test_loose_module_ends_with_all_it_did(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 1800);
	for (int i = 0; i < 8; i++) {
		jump(&p, 12 * (i < 3));
		play_drop(&p, 4 * (i > 3));
		reading(&p, i > 3);
		play_for(&p, 20);
		reading(&p, i > 3);
		play_for(&p, 120 * (i < 3));
	}
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_int_equal(open->signature, SIGNATURE_LOOSE_MODULE);
	engine_event(p.engine, p.port, ENGINE_MODULE_SWAPPED, p.k.t,
		     (struct wall){ 1 });
	play_for(&p, 1800);
	assert_int_equal(play_said(&p, SIGNATURE_FLAP_BURST, 0), 0);
	assert_int_equal(play_said(&p, SIGNATURE_SENSOR_FAULT, 0), 0);
	play_fini(&p);
}

/* What stays is no jump. */
static void test_loose_module_is_not_what_stays(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 1800);
	jump(&p, 300);
	jump(&p, 300);
	assert_int_equal(play_said(&p, SIGNATURE_LOOSE_MODULE, 0), 0);
	play_fini(&p);
}

/* What is there for a third of the time is no contact. */
static void test_loose_module_is_open_seldom(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 1800);
	for (int i = 0; i < 30; i++) {
		p.log_ber = -4.5;
		play_for(&p, 20);
		p.log_ber = -7;
		play_for(&p, 40);
	}
	assert_int_equal(play_said(&p, SIGNATURE_LOOSE_MODULE, 0), 0);
	play_fini(&p);
}

/* … nor is what goes up and down, however short its top is. */
static void test_loose_module_is_quiet_between(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 1800);
	for (int i = 0; i < 30; i++) {
		p.log_ber = -6.4;
		play_for(&p, 20);
		p.log_ber = -5.6;
		play_for(&p, 10);
		p.log_ber = -6.4;
		play_for(&p, 20);
		p.log_ber = -7;
		play_for(&p, 50);
	}
	assert_int_equal(play_said(&p, SIGNATURE_LOOSE_MODULE, 0), 0);
	play_fini(&p);
}

/* Errors that jump as light falls are what moves the light. */
static void test_loose_module_is_not_light_that_moves(void **state)
{
	for (int lost_db = 0; lost_db < 3; lost_db += 2) {
		struct play p;

		(void)state;
		play_init(&p, 1);
		play_for(&p, 1800);
		for (int i = 0; i < 6; i++) {
			p.rx_dbm[0] = (float)-lost_db;
			p.log_ber = -5.5;
			play_for(&p, 12);
			p.rx_dbm[0] = 0;
			p.log_ber = -7;
			play_for(&p, 200);
		}
		assert_int_equal(play_said(&p, SIGNATURE_LOOSE_MODULE, 0) > 0,
				 lost_db == 0);
		play_fini(&p);
	}
}

/* Another fault made more errors before: it jumps from there. */
static void test_loose_module_jumps_above_another_fault(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 1800);
	p.log_ber = -5.6;
	play_for(&p, 600);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_RAISED), 1);
	for (int i = 0; i < 3; i++) {
		p.log_ber = -4.2;
		play_for(&p, 12);
		p.log_ber = -5.6;
		play_for(&p, 200);
	}
	assert_int_equal(play_said(&p, SIGNATURE_LOOSE_MODULE, FINDING_RAISED),
			 1);
	play_fini(&p);
}

/* Where a jump does no harm it must be larger. */
static bool harmless_jumps(double to)
{
	struct play p;
	bool ret;

	play_init(&p, 1);
	p.log_ber = -9.9;
	play_for(&p, 1800);
	for (int i = 0; i < 2; i++) {
		p.log_ber = to;
		play_for(&p, 10);
		p.log_ber = -9.9;
		play_for(&p, 300);
	}
	ret = play_last(&p, SIGNATURE_LOOSE_MODULE) != NULL;
	play_fini(&p);
	return ret;
}

static void test_loose_module_that_does_no_harm(void **state)
{
	(void)state;
	assert_false(harmless_jumps(-8.75));
	assert_true(harmless_jumps(-7.5));
}

static void lose_for(struct play *p, int64_t *lost, int64_t more,
		     double seconds)
{
	*lost += more;
	inputs_set(&p->k, INPUT_FEC_UNCORRECTABLE_CW, *lost);
	play_for(p, seconds);
}

static void lose(struct play *p, int64_t *lost, int64_t more)
{
	lose_for(p, lost, more, 60);
}

/* Lost at 1e-7, where none should be in ages; once is an accident, and a few
 * are allowed.
 */
static void test_fec_uncorrectable_is_told_of_bursts(void **state)
{
	const struct finding *f;
	struct play p;
	int64_t lost = 0;

	(void)state;
	play_init(&p, 1);
	lose(&p, &lost, 5);
	play_for(&p, 900);
	lose(&p, &lost, 1);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_UNCORRECTABLE, 0), 0);
	lose(&p, &lost, 1);
	f = play_last(&p, SIGNATURE_FEC_UNCORRECTABLE);
	assert_non_null(f);
	assert_int_equal(f->severity, SEVERITY_WATCH);
	play_for(&p, 60);
	lose(&p, &lost, 1);
	f = play_last(&p, SIGNATURE_FEC_UNCORRECTABLE);
	assert_int_equal(f->severity, SEVERITY_WATCH);
	/* above 8 an hour, which 802.3 allows at 400 Gb/s */
	play_for(&p, 60);
	lose(&p, &lost, 7);
	f = play_last(&p, SIGNATURE_FEC_UNCORRECTABLE);
	assert_int_equal(f->severity, SEVERITY_CRITICAL);
	assert_true(fabs(evidence_of(f, "uncorrectable_codewords") - 10) < .1);
	play_for(&p, 3 * 3600);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_UNCORRECTABLE,
				   FINDING_CLEARED), 1);
	play_fini(&p);
}

/* Many at once, and no more: for the shift. */
static void test_fec_uncorrectable_of_one_burst_is_a_warning(void **state)
{
	struct play p;
	int64_t lost = 0;

	(void)state;
	play_init(&p, 1);
	lose(&p, &lost, 5);
	play_for(&p, 900);
	lose(&p, &lost, 30);
	assert_int_equal(play_last(&p, SIGNATURE_FEC_UNCORRECTABLE)->severity,
			 SEVERITY_WARN);
	play_fini(&p);
}

/* A port of 10 Gb/s whose FEC is that mode, at half load. */
static void sfp_init(struct play *p, enum fec_mode fec)
{
	play_init(p, 1);
	p->no_fec = true;
	p->facts.fec = fec;
	p->facts.speed_mbps = 10000;
	p->facts.lanes = 1;
	(void)snprintf(p->facts.media, sizeof(p->facts.media), "10GBASE-SR");
	assert_int_equal(engine_port(p->engine, &p->facts, &p->port), 0);
}

/* Seconds, with so many frames with errors in each tenth. */
static void frames_for(struct play *p, double seconds, enum input counter,
		       int64_t errors)
{
	for (int i = 0; i < seconds; i++) {
		if (i % 10 == 5)
			p->k.value[counter] += errors;
		inputs_set(&p->k, counter, p->k.value[counter]);
		inputs_set(&p->k, INPUT_IN_OCTETS,
			   p->k.value[INPUT_IN_OCTETS] + 625000000);
		play_once(p);
	}
}

/* Without FEC, received frames with errors are what is lost. */
static void test_fec_uncorrectable_without_fec_counts_frames(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	sfp_init(&p, FEC_NONE);
	frames_for(&p, 600, INPUT_IN_ERRORS, 0);
	frames_for(&p, 20, INPUT_IN_ERRORS, 3);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_UNCORRECTABLE, 0), 0);
	frames_for(&p, 30, INPUT_IN_ERRORS, 10);
	f = play_last(&p, SIGNATURE_FEC_UNCORRECTABLE);
	assert_non_null(f);
	assert_int_equal(f->severity, SEVERITY_WARN);
	assert_int_equal(f->cause_id, CAUSE_FRAME_CHECKSUMS);
	assert_non_null(strstr(f->cause, "(wrong checksum or length); the port "
			       "has no FEC"));
	frames_for(&p, 100, INPUT_IN_ERRORS, 900);
	assert_int_equal(play_last(&p, SIGNATURE_FEC_UNCORRECTABLE)->severity,
			 SEVERITY_CRITICAL);
	frames_for(&p, 3 * 3600, INPUT_IN_ERRORS, 0);
	assert_int_equal(play_last(&p, SIGNATURE_FEC_UNCORRECTABLE)->state,
			 FINDING_CLEARED);
	play_fini(&p);
}

/* What FC-FEC does not correct is lost as well. */
static void test_fec_uncorrectable_of_fc_fec(void **state)
{
	const struct finding *open, *f;
	struct play p;

	(void)state;
	sfp_init(&p, FEC_FC);
	frames_for(&p, 600, INPUT_IN_ERRORS, 0);
	frames_for(&p, 600, INPUT_IN_ERRORS, 60);
	f = play_last(&p, SIGNATURE_FEC_UNCORRECTABLE);
	assert_non_null(f);
	assert_int_equal(f->severity, SEVERITY_CRITICAL);
	assert_non_null(strstr(f->cause, "; FC-FEC could not correct them"));
	play_fini(&p);
	sfp_init(&p, FEC_FC);
	frames_for(&p, 3600, INPUT_IN_ERRORS, 0);
	p.rx_dbm[0] = -1.6;
	frames_for(&p, 600, INPUT_IN_ERRORS, 60);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_int_equal(open->severity, SEVERITY_CRITICAL);
	assert_non_null(strstr(open->cause, "1.6 dB, frames are lost"));
	play_fini(&p);
}

/* No finding: as few as IEEE 802.3 allows, those of a link that came up, frames
 * whose checksum is right, and those of a port that may have FEC.
 */
static void test_fec_uncorrectable_without_fec_is_patient(void **state)
{
	static const enum fec_mode others[] = { FEC_AUTO, FEC_RS528 };
	const struct finding *f;
	struct play p;

	(void)state;
	sfp_init(&p, FEC_NONE);
	for (int i = 0; i < 20; i++) {	/* one in 1.2e12 bits */
		frames_for(&p, 10, INPUT_IN_ERRORS, 1);
		frames_for(&p, 230, INPUT_IN_ERRORS, 0);
	}
	for (int i = 0; i < 8; i++) {
		play_drop(&p, 1);
		frames_for(&p, 20, INPUT_IN_ERRORS, 500);
		frames_for(&p, 60, INPUT_IN_ERRORS, 0);
	}
	assert_null(play_last(&p, SIGNATURE_FEC_UNCORRECTABLE));
	inputs_set(&p.k, INPUT_FCS_ERRORS, 0);
	frames_for(&p, 900, INPUT_IN_ERRORS, 500);	/* too long */
	assert_null(play_last(&p, SIGNATURE_FEC_UNCORRECTABLE));
	frames_for(&p, 100, INPUT_FCS_ERRORS, 500);
	f = play_last(&p, SIGNATURE_FEC_UNCORRECTABLE);
	assert_non_null(strstr(f->cause, "(wrong checksum);"));
	play_fini(&p);
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		sfp_init(&p, others[i]);
		frames_for(&p, 900, INPUT_IN_ERRORS, 500);
		assert_int_equal(p.count, 0);
		play_fini(&p);
	}
}

/* Light that takes frames is one fault, as urgent as the frames make it. */
static void test_fec_uncorrectable_without_fec_is_of_the_light(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	sfp_init(&p, FEC_NONE);
	frames_for(&p, 3600, INPUT_FCS_ERRORS, 0);
	p.rx_dbm[0] = -1.6;
	frames_for(&p, 600, INPUT_FCS_ERRORS, 20);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_int_equal(open->signature, SIGNATURE_BENT_FIBRE);
	assert_int_equal(open->severity, SEVERITY_CRITICAL);
	assert_non_null(strstr(open->cause, "1.6 dB, frames are lost"));
	assert_non_null(strstr(open->cause, "(or contamination, "));
	play_fini(&p);
}

/* A few a minute are not in each window; that is no news each time. */
static void test_fec_uncorrectable_without_fec_of_few_frames(void **state)
{
	struct play p;

	(void)state;
	sfp_init(&p, FEC_NONE);
	p.facts.lanes = 4;
	(void)snprintf(p.facts.media, sizeof(p.facts.media), "40GBASE-SR4");
	assert_int_equal(engine_port(p.engine, &p.facts, &p.port), 0);
	frames_for(&p, 3600, INPUT_FCS_ERRORS, 0);
	p.rx_dbm[0] = -1.6;
	frames_for(&p, 60, INPUT_FCS_ERRORS, 0);
	assert_non_null(strstr(p.said[0].cause, "no frames were lost so far"));
	for (int i = 0; i < 20; i++) {
		frames_for(&p, 10, INPUT_FCS_ERRORS, 2);
		frames_for(&p, 120, INPUT_FCS_ERRORS, 0);
	}
	assert_in_range(p.count, 2, 3);	/* with fec_uncorrectable, perhaps */
	assert_non_null(strstr(p.said[1].cause, "frames are lost"));
	play_fini(&p);
}

/* Also where somebody plugged: frames tell that it is worse. */
static void test_fec_uncorrectable_without_fec_is_of_the_plug(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	for (int lost = 0; lost < 2; lost++) {
		sfp_init(&p, FEC_NONE);
		frames_for(&p, 3600, INPUT_FCS_ERRORS, 0);
		play_drop(&p, 60);
		p.rx_dbm[0] = -4.5;
		frames_for(&p, 600, INPUT_FCS_ERRORS, lost * 20);
		assert_int_equal(engine_findings(p.engine, &open), lost);
		if (lost)
			assert_int_equal(open->signature,
					 SIGNATURE_CONTAMINATION);
		play_fini(&p);
	}
}

/* While light and frames are lost, it is one finding, though at times no cause
 * is likelier than all others.
 */
static void test_fec_uncorrectable_without_fec_is_one_finding(void **state)
{
	uint32_t draw = 1;
	struct play p;

	(void)state;
	play_init(&p, 60);
	p.no_fec = true;
	p.facts.fec = FEC_NONE;
	p.facts.speed_mbps = 100000;
	(void)snprintf(p.facts.media, sizeof(p.facts.media), "LR4");
	assert_int_equal(engine_port(p.engine, &p.facts, &p.port), 0);
	frames_for(&p, 240, INPUT_FCS_ERRORS, 0);
	for (int i = 0; i < 300; i++) {
		for (unsigned lane = 0; lane < 4; lane++) {
			draw = draw * 1664525 + 1013904223;
			p.rx_dbm[lane] = -3 - 0.15 * lane +
					 0.8 * (draw / 4294967296.0 - 0.5);
		}
		frames_for(&p, 1, INPUT_FCS_ERRORS, 0);
		p.k.value[INPUT_FCS_ERRORS] += 9000;
	}
	for (unsigned i = 0; i < p.count; i++)
		if (p.said[i].state == FINDING_CLEARED)
			assert_non_null(strstr(p.said[i].cause, "part of"));
	assert_int_equal(play_said(&p, SIGNATURE_CONTAMINATION, 0) +
			 play_said(&p, SIGNATURE_BENT_FIBRE, 0) > 0, true);
	play_fini(&p);
}

/* What a port without FEC is blind to has words. */
static void test_fec_uncorrectable_without_fec_is_limited(void **state)
{
	const char *why, *arm;
	struct play p;

	(void)state;
	sfp_init(&p, FEC_NONE);
	play_for(&p, 60);
	assert_int_equal(engine_watch(p.engine, p.port,
				      SIGNATURE_FEC_UNCORRECTABLE, &why, &arm),
			 WATCH_BLIND);
	assert_string_equal(why, "the port has no Reed-Solomon FEC, and "
			    "received frames with errors are not read");
	frames_for(&p, 60, INPUT_IN_ERRORS, 0);
	assert_int_equal(engine_watch(p.engine, p.port,
				      SIGNATURE_FEC_UNCORRECTABLE, &why, &arm),
			 WATCH_LIMITED);
	assert_string_equal(why, "the port has no Reed-Solomon FEC: errors are "
			    "seen only in received frames that they damage");
	assert_string_equal(arm, "FEC at both ends");
	play_fini(&p);
}

/* Frames were lost all the time, and are not since the link came up anew: its
 * cable was changed. Where it did not, they may rest.
 */
static void test_fec_uncorrectable_without_fec_ends_with_the_cable(void **state)
{
	(void)state;
	for (int changed = 0; changed < 2; changed++) {
		struct play p;

		sfp_init(&p, FEC_NONE);
		frames_for(&p, 600, INPUT_IN_ERRORS, 0);
		frames_for(&p, 600, INPUT_IN_ERRORS, 30);
		if (changed)
			play_drop(&p, 120);
		frames_for(&p, 2400, INPUT_IN_ERRORS, 0);
		assert_int_equal(play_last(&p, SIGNATURE_FEC_UNCORRECTABLE)->
				 state == FINDING_CLEARED, changed);
		play_fini(&p);
	}
}

/* Bursts, and the link falls with each. */
static void burst_and_fall(struct play *p, enum down_reason reason, int times)
{
	int64_t lost = 0;

	play_init(p, 1);
	lose(p, &lost, 5);
	play_for(p, 900);
	for (int i = 0; i < times; i++) {
		lose(p, &lost, 30);
		inputs_set(&p->k, INPUT_DOWN_REASON, reason);
		play_drop(p, 8);
		inputs_clear(&p->k, INPUT_DOWN_REASON);
		play_for(p, 200);
	}
}

static void test_loose_module_bursts_and_falls(void **state)
{
	struct play p;

	(void)state;
	burst_and_fall(&p, DOWN_FEC_SYNC_LOSS, 3);	/* frames are lost */
	assert_int_equal(play_last(&p, SIGNATURE_LOOSE_MODULE)->severity,
			 SEVERITY_CRITICAL);
	play_fini(&p);
	burst_and_fall(&p, DOWN_FEC_SYNC_LOSS, 2);
	assert_int_equal(play_last(&p, SIGNATURE_LOOSE_MODULE)->severity,
			 SEVERITY_WARN);
	assert_true(evidence_of(play_last(&p, SIGNATURE_LOOSE_MODULE),
				"falls_then") > 1.9);
	play_for(&p, 3 * 3600);
	assert_int_equal(play_last(&p, SIGNATURE_LOOSE_MODULE)->state,
			 FINDING_CLEARED);
	play_fini(&p);
	burst_and_fall(&p, DOWN_MAC_REMOTE_FAULT, 2);	/* the peer's */
	assert_null(play_last(&p, SIGNATURE_LOOSE_MODULE));
	play_fini(&p);
}

/* Falls that a finding has told are over with it, or would have, had they been
 * more.
 */
static void takes_its_falls(int n)
{
	const struct finding *open;
	int64_t lost = 0;
	struct play p;

	play_init(&p, 10);
	lose(&p, &lost, 5);
	play_for(&p, 900);
	for (int i = 0; i < n; i++) {
		lose(&p, &lost, 30);
		inputs_set(&p.k, INPUT_DOWN_REASON, DOWN_FEC_SYNC_LOSS);
		play_drop(&p, 10);
		inputs_clear(&p.k, INPUT_DOWN_REASON);
		play_for(&p, 2400);
	}
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_int_equal(open->signature, SIGNATURE_LOOSE_MODULE);
	play_for(&p, 2 * 3600);
	assert_int_equal(engine_findings(p.engine, &open), 0);
	play_drop(&p, 10);
	play_for(&p, 600);
	assert_int_equal(play_said(&p, SIGNATURE_FLAP_BURST, FINDING_RAISED),
			 0);
	play_fini(&p);
}

static void test_loose_module_takes_its_falls_with_it(void **state)
{
	(void)state;
	takes_its_falls(8);
	takes_its_falls(3);
}


/* Errors that are those of bursts are told as bursts. Where light was lost that
 * loses codewords, these are part of the light, the light of the errors, and so
 * the errors of no burst.
 */
static void test_folds_errors_of_bursts(void **state)
{
	struct light light;
	struct ber ber = { .code = fec_code_find(FEC_RS544), .log_ber = -8,
			   .lost_codewords = 3000, .codewords = 8e9,
			   .bits = 50000 };
	struct port_view v = { .ber = &ber, .light = &light };

	(void)state;
	ber.t.ns = 1;
	light_start(&light);
	assert_true(folds_into(SIGNATURE_FEC_TREND, SIGNATURE_FEC_UNCORRECTABLE,
			       &v));
	assert_true(folds_into(SIGNATURE_FEC_TREND, SIGNATURE_LOOSE_MODULE,
			       &v));
	light.lane[0].usual_dbm = -1;
	light.lane[0].now_dbm = -5;
	assert_true(folds_into(SIGNATURE_FEC_UNCORRECTABLE,
			       SIGNATURE_CONTAMINATION, &v));
	assert_false(folds_into(SIGNATURE_FEC_TREND,
				SIGNATURE_FEC_UNCORRECTABLE, &v));
	light_start(&light);
	ber.bits = 5e6;
	assert_false(folds_into(SIGNATURE_FEC_TREND,
				SIGNATURE_FEC_UNCORRECTABLE, &v));
	ber.lost_codewords = 1;		/* as by errors in runs */
	for (int near = 0; near < 2; near++) {
		ber.log_ber = near ? -4.2 : -5;
		assert_int_equal(folds_into(SIGNATURE_FEC_UNCORRECTABLE,
					    SIGNATURE_FEC_TREND, &v), near);
		assert_false(folds_into(SIGNATURE_FEC_UNCORRECTABLE,
					SIGNATURE_LANE_IMBALANCE, &v));
	}
}

/* What is lost in a microsecond is no contact that opens, nor what is lost all
 * the time; nor do errors grow where they are those of the bursts.
 */
static void test_fec_uncorrectable_is_what_bursts_are(void **state)
{
	(void)state;
	for (int often = 0; often < 2; often++) {
		int64_t lost = 0;
		struct play p;

		play_init(&p, 1);
		p.log_ber = -10;
		play_for(&p, 1800);
		for (int i = 0; i < 40; i++) {
			lose_for(&p, &lost, often ? 3000 : 300,
				 often ? 10 : 260);
		}
		assert_int_equal(play_said(&p, SIGNATURE_LOOSE_MODULE, 0), 0);
		assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, 0), 0);
		assert_int_equal(play_said(&p, SIGNATURE_FEC_UNCORRECTABLE,
					   FINDING_RAISED), 1);
		play_fini(&p);
	}
}

/* Readings fail while codewords are lost; always: they fail anyway. */
static bool bursts_and_fails(bool always)
{
	int64_t lost = 0;
	struct play p;
	bool ret;

	play_init(&p, 10);
	lose(&p, &lost, 5);
	for (int i = 0; i < 2400; i++) {
		bool bursts = i % 120 < 12;

		if (bursts)
			inputs_set(&p.k, INPUT_FEC_UNCORRECTABLE_CW, ++lost);
		reading(&p, (always || bursts) && i % 3 == 0);
	}
	ret = play_last(&p, SIGNATURE_LOOSE_MODULE) != NULL;
	play_fini(&p);
	return ret;
}

/* As many codewords as come in tens of microseconds, or in seconds, now and
 * then: a contact.
 */
static void test_loose_module_opens(void **state)
{
	static const struct {
		int64_t lost;
		const char *words;
	} cases[] = {
		{ 3000, "codewords were lost in 3 bursts, as many in one as "
		  "come in 38 us: bad contact of the module" },
		{ 57000000, "as many in one as come in 680 ms" },
		{ 570000, "as many in one as come in 7.3 ms" },
	};

	(void)state;
	for (size_t n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
		const struct finding *f;
		int64_t lost = 0;
		struct play p;

		play_init(&p, 1);
		p.log_ber = -10;
		play_for(&p, 1800);
		for (int i = 0; i < 6; i++)
			lose_for(&p, &lost, cases[n].lost, 150);
		f = play_last(&p, SIGNATURE_LOOSE_MODULE);
		assert_non_null(f);
		assert_int_equal(f->action, ACTION_RESEAT_NEAR);
		assert_non_null(strstr(f->cause, cases[n].words));
		play_fini(&p);
	}
}

/* The module is taken out for so long, and put back. */
static void reseat(struct play *p, double seconds)
{
	inputs_set(&p->k, INPUT_PRESENT, 0);
	p->no_dom = true;
	play_drop(p, seconds);
	inputs_set(&p->k, INPUT_PRESENT, 1);
	p->no_dom = false;
}

/* A contact that was made anew is not told of any longer, unless codewords are
 * lost again: it is known. One that opens for a moment is not made anew.
 */
static void test_loose_module_is_reseated(void **state)
{
	(void)state;
	for (int seconds = 4; seconds <= 24; seconds += 20) {
		int64_t lost = 0;
		struct play p;

		burst_and_fall(&p, DOWN_FEC_SYNC_LOSS, 3);
		reseat(&p, seconds);
		play_for(&p, 1200);
		assert_int_equal(play_last(&p, SIGNATURE_LOOSE_MODULE)->state ==
				 FINDING_CLEARED, seconds > 10);
		assert_int_equal(engine_findings(p.engine, &(
				 const struct finding *){ NULL }),
				 seconds < 10);
		lose(&p, &lost, 1000);
		assert_true(play_last(&p, SIGNATURE_LOOSE_MODULE)->state !=
			    FINDING_CLEARED);
		play_fini(&p);
	}
}

/* The link falls for so long, and the module is out of its cage for a part. */
static void blink(struct play *p, double out_s, double down_s)
{
	inputs_set(&p->k, INPUT_DOWN_REASON, DOWN_MAC_REMOTE_FAULT);
	reseat(p, out_s);
	p->up = false;
	play_for(p, down_s - out_s);
	p->up = true;
	inputs_clear(&p->k, INPUT_DOWN_REASON);
	play_for(p, 120);
}

/* Nobody takes a module out for a second: its contact opens, whatever the
 * reason that the switch gives. Nor is that a new contact, however long the
 * link is down then; a module that a hand takes out has one.
 */
static void test_loose_module_is_out_for_a_moment(void **state)
{
	(void)state;
	for (int by_hand = 0; by_hand < 2; by_hand++) {
		const struct finding *f;
		struct play p;

		play_init(&p, 1);
		play_for(&p, 900);
		blink(&p, by_hand ? 15 : 1, 18);
		assert_null(play_last(&p, SIGNATURE_LOOSE_MODULE));
		blink(&p, by_hand ? 15 : 1, 18);
		f = play_last(&p, SIGNATURE_LOOSE_MODULE);
		if (by_hand) {
			assert_null(f);
		} else {
			assert_non_null(f);
			assert_int_equal(f->action, ACTION_RESEAT_NEAR);
			assert_non_null(strstr(f->cause, "fell 2 times, 2 of "
					       "them as the module was out of "
					       "its cage for a moment"));
		}
		play_fini(&p);
	}
}

/* Readings of half a minute, and a burst in two hours after three soon: it is
 * told all the time, by its number, and as bad as before.
 */
static void test_loose_module_stays_as_bad(void **state)
{
	int64_t lost = 0;
	struct play p;

	(void)state;
	play_init(&p, 30);
	p.log_ber = -10;
	play_for(&p, 7200);
	for (int i = 0; i < 6; i++) {
		lose_for(&p, &lost, 30000, i < 3 ? 600 : 3000);
		for (int n = 0; i >= 3 && n < 180; n++) {
			p.period_s = n % 2 ? 29.5 : 30.5;
			play_once(&p);
		}
	}
	for (unsigned i = 0, said = 0; i < p.count; i++) {
		const struct finding *f = &p.said[i];

		if (f->signature != SIGNATURE_LOOSE_MODULE)
			continue;
		assert_null(strstr(f->cause, " 0 bursts"));
		assert_true(f->state != FINDING_CLEARED);
		said += f->severity == SEVERITY_CRITICAL;
		assert_true(said == 0 || f->severity == SEVERITY_CRITICAL);
	}
	assert_int_equal(play_last(&p, SIGNATURE_LOOSE_MODULE)->severity,
			 SEVERITY_CRITICAL);
	play_fini(&p);
}

/* A contact that rested and loses codewords again is the same, whatever fails
 * beside them; after two days nobody knows.
 */
static void test_loose_module_is_known_for_a_day(void **state)
{
	(void)state;
	for (int days = 0; days < 3; days += 2) {
		unsigned before;
		int64_t lost = 0;
		struct play p;

		burst_and_fall(&p, DOWN_FEC_SYNC_LOSS, 2);
		before = play_said(&p, SIGNATURE_FEC_UNCORRECTABLE,
				   FINDING_RAISED);
		play_for(&p, 7200);
		p.period_s = quick(1, 10);
		play_for(&p, days * 86400);
		p.period_s = 1;
		assert_int_equal(play_said(&p, SIGNATURE_LOOSE_MODULE,
					   FINDING_CLEARED), 1);
		lose(&p, &lost, 1000);
		for (int i = 0; i < 4; i++) {
			lose(&p, &lost, 30);
			play_for(&p, 100);
		}
		assert_int_equal(play_said(&p, SIGNATURE_FEC_UNCORRECTABLE,
					   FINDING_RAISED) - before, days > 0);
		play_fini(&p);
	}
}

static void test_loose_module_of_one_burst(void **state)
{
	int64_t lost = 0;
	struct play p;

	(void)state;
	burst_and_fall(&p, DOWN_FEC_SYNC_LOSS, 2);
	play_for(&p, 7200);
	lose(&p, &lost, 1000);
	assert_int_equal(play_last(&p, SIGNATURE_LOOSE_MODULE)->state,
			 FINDING_RAISED);
	assert_string_equal(play_last(&p, SIGNATURE_LOOSE_MODULE)->cause,
			    "codewords were lost in 1 burst, as when the bad "
			    "contact was found: bad contact of the module");
	play_fini(&p);
}

static void test_loose_module_bursts_and_fails(void **state)
{
	(void)state;
	assert_true(bursts_and_fails(false));
	assert_false(bursts_and_fails(true));
}

/* Two of three fail while bursts are, for hours: one contact does it. What
 * fails far from bursts fails by itself.
 */
static void test_sensor_fault_of_a_contact_comes_with_bursts(void **state)
{
	struct cadence c = { .near = { 100, 65 }, .far = { 100, 2 } };
	struct front front;
	struct port_view v = { .cadence = &c, .front = &front };

	(void)state;
	front_start(&front);
	for (unsigned i = 0; i < LAST_KEPT; i++)
		last_add(&c.missed, i % 3);
	assert_true(folds_into(SIGNATURE_SENSOR_FAULT, SIGNATURE_LOOSE_MODULE,
			       &v));
	c.far.failed = 40;
	assert_false(folds_into(SIGNATURE_SENSOR_FAULT, SIGNATURE_LOOSE_MODULE,
				&v));
	front.drops_by_hour[1] = 3;	/* but for a link that falls of it */
	assert_true(folds_into(SIGNATURE_SENSOR_FAULT, SIGNATURE_LOOSE_MODULE,
			       &v));
}

/* Falls of half a minute, one in 200 s, and readings of the module that fail:
 * one in two while the link is up, or all while it is down.
 */
static void fall_and_miss(struct play *p, bool while_up, int64_t reason)
{
	play_init(p, 10);
	play_for(p, 1800);
	for (unsigned i = 0; i < 15; i++) {
		inputs_set(&p->k, INPUT_DOWN_REASON, reason);
		p->no_dom = true;
		play_drop(p, 30);
		p->no_dom = false;
		inputs_clear(&p->k, INPUT_DOWN_REASON);
		for (unsigned n = 0; n < 17; n++) {
			p->no_dom = while_up && n % 2 == 1;
			play_for(p, 10);
		}
		p->no_dom = false;
	}
}

/* A module that is not latched falls, and is not read. One that starts anew is
 * not read while its link is down; one whose peer falls has both by accident.
 */
static void test_loose_module_that_is_not_latched(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	fall_and_miss(&p, true, DOWN_SIGNAL_LOCAL);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_int_equal(open->signature, SIGNATURE_LOOSE_MODULE);
	assert_int_equal(open->action, ACTION_RESEAT_NEAR);
	assert_non_null(strstr(open->cause, "failed while it was up"));
	play_for(&p, 6 * 3600);
	assert_int_equal(engine_findings(p.engine, &open), 0);
	play_fini(&p);
	fall_and_miss(&p, false, DOWN_FEC_ALIGNMENT_LOSS);
	assert_null(play_last(&p, SIGNATURE_LOOSE_MODULE));
	play_fini(&p);
	fall_and_miss(&p, true, DOWN_MAC_REMOTE_FAULT);
	assert_null(play_last(&p, SIGNATURE_LOOSE_MODULE));
	play_fini(&p);
}

/* The link falls for want of a signal from the module: bad contact, unless the
 * module is read then and gets no light.
 */
static void test_loose_module_that_gives_no_signal(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	fall_and_miss(&p, false, DOWN_SIGNAL_LOCAL);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_int_equal(open->signature, SIGNATURE_LOOSE_MODULE);
	assert_non_null(strstr(open->cause, "gave no signal"));
	play_fini(&p);
	play_init(&p, 10);
	play_for(&p, 1800);
	for (unsigned i = 0; i < 8; i++) {
		inputs_set(&p.k, INPUT_DOWN_REASON, DOWN_SIGNAL_LOCAL);
		for (unsigned n = 0; n < 4; n++)
			p.rx_dbm[n] -= 40;
		play_drop(&p, 30);
		for (unsigned n = 0; n < 4; n++)
			p.rx_dbm[n] += 40;
		inputs_clear(&p.k, INPUT_DOWN_REASON);
		play_for(&p, 170);
	}
	assert_null(play_last(&p, SIGNATURE_LOOSE_MODULE));
	play_fini(&p);
}

/* The reader hung for a while between falls: readings stopped once. */
static void test_loose_module_is_none_of_a_reader_that_hangs(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 1800);
	for (unsigned i = 0; i < 4; i++) {
		play_drop(&p, 10);
		p.no_dom = i == 1;
		play_for(&p, 400);
	}
	assert_null(play_last(&p, SIGNATURE_LOOSE_MODULE));
	play_fini(&p);
}

/* What was long ago counts less than what is. */
static void test_cadence_forgets_readings_of_old(void **state)
{
	struct inputs k = { .dom_new = true };
	struct front f = { .dom_bad = 0 };
	struct cadence c = { .gaps = 0 };
	struct ber b = { .closed = false };

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		f.t.ns = k.dom_t.ns = (i + 1) * 10 * NS_PER_S;
		f.dom_bad += i >= 1900;
		cadence_take(&c, &f, &k, &b, 0, 0, false);
	}
	assert_int_equal(c.near.all, 0);
	assert_in_range(c.far.all, 1, LAST_KEPT);
	assert_true(c.far.failed * 2 > c.far.all);
}

/* Who writes a module's readings down does so a little early or late; who looks
 * there sees the newest.
 */
static const struct reader {
	int written_s, looks_s;		/* each */
	unsigned fails;		/* one reading in so many; 0: none does */
	unsigned least, most;		/* told missing, of the last */
} readers[] = {
	{ 10, 10, 0, 0, 4 },		/* in step */
	{ 10, 10, 1, 50, 120 },		/* … and half of the time dead */
	{ 60, 60, 0, 0, 4 },
	{ 60, 10, 0, 0, 0 }, { 60, 10, 3, 35, 45 },
	{ 60, 20, 3, 35, 45 }, { 10, 1, 3, 35, 45 },
};

#define IN_STEP 50		/* the first so many are not, and all come */

/* In milliseconds. */
static int64_t written_ms(const struct reader *r, int64_t n)
{
	uint32_t mixed = (uint32_t)n * 2654435761u;

	mixed = (mixed ^ mixed >> 15) * 2246822519u;
	mixed ^= mixed >> 13;
	return n * r->written_s * 1000 + mixed % 997 - 498 -
	       (n < IN_STEP ? r->written_s * 500 : 0);
}

static bool fails(const struct reader *r, int64_t n)
{
	if (n < IN_STEP)
		return false;
	return r->fails == 1 ? n / 20 % 2 : r->fails && n % r->fails == 0;
}

/* The newest that was written by then. */
static int64_t newest(const struct reader *r, int64_t now_ms)
{
	int64_t n = now_ms / (r->written_s * 1000) + 1;

	while (fails(r, n) || written_ms(r, n) > now_ms)
		n--;
	return n;
}

static unsigned missed_by(const struct reader *r)
{
	struct front f = { .link = LINK_IS_UP, .period_ns = NS_PER_S };
	struct cadence c = { .gaps = 0 };
	struct ber b = { .closed = false };
	int64_t seen = 0;

	for (int64_t s = 100; s < 400 * r->written_s; s++) {
		int64_t n = s % r->looks_s ? seen : newest(r, s * 1000);
		struct inputs k = { .dom_new = n != seen };

		seen = n;
		k.dom_t.ns = written_ms(r, n) * NS_PER_MS;
		f.t.ns = k.t.ns = s * NS_PER_S;
		cadence_take(&c, &f, &k, &b, 0, 0, false);
	}
	return last_set(&c.missed);
}

/* Temperature comes a second after all else, flags three later, each 10 s. */
static void test_cadence_of_many_sources(void **state)
{
	struct front f = { .link = LINK_IS_UP, .period_ns = NS_PER_S };
	struct cadence c = { .gaps = 0 };
	struct ber b = { .closed = false };

	(void)state;
	for (int64_t s = 100; s < 2000; s++) {
		int64_t in = s % 10;
		bool fails = s > 1500 && s / 10 % 3;
		struct inputs k = { .dom_new = !fails &&
				    (in == 0 || in == 1 || in == 4) };

		f.t.ns = k.t.ns = k.dom_t.ns = s * NS_PER_S;
		cadence_take(&c, &f, &k, &b, 0, 0, false);
		if (s == 1500)
			assert_int_equal(last_set(&c.missed), 0);
	}
	assert_true(last_set(&c.missed) > 25);
}

/* A reading that fails as the first codewords are lost is near them. */
static void test_cadence_of_the_first_burst(void **state)
{
	struct inputs k = { .dom_new = true };
	struct front f = { .dom_bad = 1, .t.ns = NS_PER_S };
	struct cadence c = { .gaps = 0 };
	struct ber b = { .closed = true, .code = fec_code_find(FEC_RS544),
			 .log_ber = -8, .lost_codewords = 9,
			 .codewords = 1e9 };

	(void)state;
	cadence_take(&c, &f, &k, &b, 0, 0, false);
	assert_int_equal(c.near.failed, 1);
	assert_int_equal(c.far.all, 0);
}

static void test_cadence_is_not_the_readers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		assert_in_range(missed_by(&readers[i]), readers[i].least,
				readers[i].most);
}

/* Errors step up for one second of a window: what they lose is no burst. */
static void test_fec_uncorrectable_is_not_of_a_second(void **state)
{
	int64_t lost = 5;
	struct play p;

	(void)state;
	play_init(&p, 1);
	lose(&p, &lost, 0);
	play_for(&p, 1800);
	for (int i = 0; i < 5; i++) {
		p.log_ber = -3.4;
		lose_for(&p, &lost, 500, 1);
		p.log_ber = -7;
		play_for(&p, 60);
	}
	assert_int_equal(play_said(&p, SIGNATURE_FEC_UNCORRECTABLE, 0), 0);
	for (int i = 0; i < 5; i++)
		lose(&p, &lost, 500);
	assert_true(play_said(&p, SIGNATURE_FEC_UNCORRECTABLE, 0) +
		    play_said(&p, SIGNATURE_LOOSE_MODULE, 0) > 0);
	play_fini(&p);
}

/* Where a line ends in the module, the FEC between it and the switch may lose
 * codewords by itself: not while the line is near its own cliff.
 */
static void test_fec_uncorrectable_beside_a_line(void **state)
{
	static const struct {
		double log_ber;
		unsigned lost, shows;
	} cases[] = { { -2.4, 500, 1 }, { -2.0, 500, 0 }, { -2.4, 1, 0 } };

	(void)state;
	for (size_t n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
		const struct finding *f;
		int64_t lost = 7;
		struct play p;

		play_init(&p, 10);
		(void)snprintf(p.facts.media, sizeof(p.facts.media), "ZR");
		assert_int_equal(engine_port(p.engine, &p.facts, &p.port), 0);
		inputs_set(&p.k, INPUT_VDM_BER_E18,
			   (int64_t)(1e18 * pow(10, cases[n].log_ber)));
		lose(&p, &lost, 0);
		play_for(&p, 3600);
		p.no_dom = true;	/* lost between two readings of it */
		lose(&p, &lost, cases[n].lost);
		p.no_dom = false;
		lose(&p, &lost, cases[n].lost > 1 ? cases[n].lost : 0);
		f = play_last(&p, SIGNATURE_FEC_UNCORRECTABLE);
		assert_int_equal(f != NULL, cases[n].shows);
		if (f) {
			assert_int_equal(f->end, END_NEAR);
			assert_string_equal(f->cause, "1000 codewords were "
				"lost between the switch and the module, whose "
				"line has no part in it");
		}
		play_fini(&p);
	}
}

/* Near the cliff random errors explain it. */
static void test_fec_uncorrectable_is_not_near_the_cliff(void **state)
{
	struct play p;
	int64_t lost = 0;

	(void)state;
	play_init(&p, 1);
	p.log_ber = -3.6;
	play_for(&p, 900);
	for (int i = 0; i < 5; i++)
		lose(&p, &lost, 100);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_UNCORRECTABLE, 0), 0);
	play_fini(&p);
}

/* At the last safe level of a code that corrects few symbols, one codeword now
 * and then is lost by errors that come in pairs. Far below they are bursts.
 */
static void test_fec_uncorrectable_is_not_of_pairs(void **state)
{
	(void)state;
	for (int is_far = 0; is_far < 2; is_far++) {
		struct play p;
		int64_t lost = 0;

		play_init(&p, 10);
		p.facts.fec = FEC_RS528;
		p.facts.speed_mbps = 100000;
		assert_int_equal(engine_port(p.engine, &p.facts, &p.port), 0);
		p.log_ber = (is_far ? -6 : -4.75) - log10(4);	/* of 400G */
		play_for(&p, 900);
		for (int i = 0; i < 3; i++)
			lose(&p, &lost, 1);
		assert_int_equal(play_said(&p, SIGNATURE_FEC_UNCORRECTABLE,
					   FINDING_RAISED), is_far);
		play_fini(&p);
	}
}

/* Five of 120 are accidents, six a fault. */
static void test_sensor_fault_is_told_of_six_in_120(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 10);
	/* A driver that says of each lane that its monitors are fine. */
	for (unsigned i = 0; i < 4; i++)
		inputs_set(&p.k, INPUT_LANE_READING_FAULTS + i, 0);
	for (int i = 0; i < 360; i++)
		reading(&p, i % 24 == 23);	/* 5 in 120 */
	assert_int_equal(play_said(&p, SIGNATURE_SENSOR_FAULT, 0), 0);
	for (int i = 0; i < 120; i++)
		reading(&p, i % 20 == 19);
	assert_int_equal(play_said(&p, SIGNATURE_SENSOR_FAULT,
				   FINDING_RAISED), 1);
	assert_int_equal(p.count, 1);
	play_for(&p, 7200);
	assert_int_equal(play_said(&p, SIGNATURE_SENSOR_FAULT,
				   FINDING_CLEARED), 1);
	play_fini(&p);
}

/* They came often, and come no more but for a stray: it is over before 120 of
 * them are good. Readings that fail seldom are not over so soon.
 */
static void test_sensor_fault_is_over_when_readings_are_good(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 60);
	for (int i = 0; i < 360; i++)
		reading(&p, i >= 240 && i % 3 != 0);
	for (int i = 0; i < 36; i++)
		reading(&p, i == 12);
	assert_int_equal(play_said(&p, SIGNATURE_SENSOR_FAULT,
				   FINDING_CLEARED), 1);
	play_fini(&p);
	play_init(&p, 60);
	for (int i = 0; i < 480; i++)
		reading(&p, i >= 240 && i % 15 == 0);
	assert_int_equal(play_said(&p, SIGNATURE_SENSOR_FAULT,
				   FINDING_RAISED), 1);
	play_for(&p, 1800);
	assert_int_equal(play_said(&p, SIGNATURE_SENSOR_FAULT,
				   FINDING_CLEARED), 0);
	play_fini(&p);
}

/* What does not apply to a port says nothing of it. */
static void test_sensor_fault_is_not_of_passive_copper(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 10);
	p.facts.optical = false;
	p.facts.media_known = true;
	assert_int_equal(engine_port(p.engine, &p.facts, &p.port), 0);
	for (int i = 0; i < 240; i++)
		reading(&p, i % 4 == 3);
	assert_int_equal(p.count, 0);
	(void)snprintf(p.facts.media, sizeof(p.facts.media), "AEC");
	assert_int_equal(engine_port(p.engine, &p.facts, &p.port), 0);
	for (int i = 0; i < 240; i++)
		reading(&p, i % 4 == 3);
	assert_int_equal(play_said(&p, SIGNATURE_SENSOR_FAULT, 0), 1);
	play_fini(&p);
}

/* Of a module whose readings cannot be trusted none is. */
static void test_tx_decay_is_not_of_a_module_misread(void **state)
{
	static const double new[] = { 60, 61, 62, 60 };
	static const double wild[] = { 95, 90, 99, 93 };
	struct play p;

	(void)state;
	play_init(&p, 60);
	lasers_set(&p, new, 0.5);
	play_for(&p, 86400);
	for (int i = 0; i < 40; i++)
		reading(&p, i % 5 == 0);
	lasers_set(&p, wild, 0.5);
	for (int i = 0; i < 40; i++)
		reading(&p, i % 5 == 0);
	assert_non_null(play_last(&p, SIGNATURE_SENSOR_FAULT));
	assert_int_equal(play_said(&p, SIGNATURE_TX_DECAY, 0), 0);
	play_fini(&p);
}

static void test_module_changed_is_told_for_a_while(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	(void)snprintf(p.k.serial, sizeof(p.k.serial), "SN2");
	play_for(&p, 60);
	f = play_last(&p, SIGNATURE_MODULE_CHANGED);
	assert_non_null(f);
	assert_int_equal(f->severity, SEVERITY_WATCH);
	assert_non_null(strstr(f->cause, "SN2"));
	play_for(&p, 1000);
	assert_int_equal(play_said(&p, SIGNATURE_MODULE_CHANGED,
				   FINDING_CLEARED), 1);
	play_fini(&p);
}

/* Whoever says so may be earlier than the new one's serial number. */
static void test_module_changed_before_it_is_read(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	p.k.serial[0] = '\0';
	engine_event(p.engine, p.port, ENGINE_MODULE_SWAPPED, p.k.t,
		     (struct wall){ 0 });
	play_for(&p, 20);
	f = play_last(&p, SIGNATURE_MODULE_CHANGED);
	assert_string_equal(f->cause, "another module was inserted: the "
			    "baseline is learned again");
	(void)snprintf(p.k.serial, sizeof(p.k.serial), "SN2");
	play_for(&p, 60);
	f = play_last(&p, SIGNATURE_MODULE_CHANGED);
	assert_non_null(strstr(f->cause, ", SN2:"));
	assert_int_equal(play_said(&p, SIGNATURE_MODULE_CHANGED,
				   FINDING_RAISED), 1);
	play_fini(&p);
}

/* The link is down while a module is swapped: that is part of it, but not when
 * it stays down.
 */
static void test_module_changed_takes_the_link_down(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	(void)snprintf(p.k.serial, sizeof(p.k.serial), "SN2");
	p.up = false;
	p.downs++;
	play_for(&p, 240);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_int_equal(open->signature, SIGNATURE_MODULE_CHANGED);
	play_for(&p, 240);
	assert_int_equal(play_last(&p, SIGNATURE_LINK_DOWN)->state,
			 FINDING_RAISED);
	play_fini(&p);
}

/* The second link is played beside the first, up or down. */
static void both_for(struct play *p, uint32_t other, int seconds, bool up,
		     bool other_up)
{
	for (int i = 0; i < seconds; i++) {
		struct inputs k = { .t = { (int64_t)(p->t_s * 1e9) },
				    .counters_new = true };

		p->up = up;
		play_once(p);
		inputs_set(&k, INPUT_OPER, other_up ? OPER_UP : OPER_DOWN);
		engine_reading(p->engine, other, &k, (struct wall){ 1 });
		engine_tick(p->engine, k.t, (struct wall){ 1 });
	}
}

static void peer_play(bool other_falls, const char *cage, struct play *p)
{
	struct port_facts other;
	uint32_t n;

	play_init(p, 1);
	(void)snprintf(p->facts.peer_switch, ENTITY_NAME_MAX, "spine1");
	(void)snprintf(p->facts.cage, sizeof(p->facts.cage), "1");
	assert_int_equal(engine_port(p->engine, &p->facts, &p->port), 0);
	other = p->facts;
	(void)snprintf(other.name, sizeof(other.name), "Ethernet16");
	(void)snprintf(other.cage, sizeof(other.cage), "%s", cage);
	assert_int_equal(engine_port(p->engine, &other, &n), 0);
	both_for(p, n, 900, true, true);
	both_for(p, n, 3700, false, !other_falls);
}

/* All links to one switch at once: it is that switch, and may only restart. */
static void test_link_down_of_a_peer_that_is_down(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	peer_play(true, "2", &p);
	f = play_last(&p, SIGNATURE_LINK_DOWN);
	assert_non_null(f);
	assert_int_equal(f->severity, SEVERITY_WATCH);
	assert_int_equal(f->end, END_FAR);
	assert_non_null(strstr(f->cause, "all 2 links to it fell at once"));
	assert_int_equal(f->cause_id, CAUSE_PEER_DOWN);
	assert_int_equal(f->port_count, 2);
	assert_string_equal(finding_port(f, NULL), f->subject);
	play_fini(&p);
	peer_play(false, "2", &p);
	f = play_last(&p, SIGNATURE_LINK_DOWN);
	assert_int_equal(f->severity, SEVERITY_WARN);
	assert_int_equal(f->port_count, 1);
	assert_null(strstr(f->cause, "at once"));
	play_fini(&p);
	peer_play(true, "1", &p);	/* of one module: perhaps that */
	f = play_last(&p, SIGNATURE_LINK_DOWN);
	assert_null(strstr(f->cause, "at once"));
	play_fini(&p);
}

/* Twelve links, of which so many fall at once, as their modules share them. */
struct rack {
	unsigned ports;			/* that fall */
	const char *group, *cage;	/* of all but the first */
	int64_t reason;			/* of each */
	double step_s;			/* between two readings */
	bool whole;			/* no other link is of their cores */
	bool dark;			/* no light comes, as read later */
};

static void rack_start(const struct rack *r, struct play *p,
		       uint32_t n[static 12])
{
	play_init(p, r->step_s);
	(void)snprintf(p->facts.group, sizeof(p->facts.group), "core0");
	(void)snprintf(p->facts.cage, sizeof(p->facts.cage), "1");
	assert_int_equal(engine_port(p->engine, &p->facts, &p->port), 0);
	for (unsigned i = 1; i < 12; i++) {
		struct port_facts other = p->facts;

		(void)snprintf(other.name, sizeof(other.name), "Other%u", i);
		(void)snprintf(other.group, sizeof(other.group), "%s",
			       r->whole && i >= r->ports ? "core9" : r->group);
		(void)snprintf(other.cage, sizeof(other.cage), "%s", r->cage);
		assert_int_equal(engine_port(p->engine, &other, &n[i]), 0);
	}
}

/* Of a link that fell at 900 s: its module is read 300 s later. */
static void dark_set(struct inputs *k, double s)
{
	k->dom_new = s > 1200;
	k->dom_t = k->t;
	for (unsigned i = 0; i < 4 && k->dom_new; i++)
		inputs_set(k, INPUT_RX_PW + i, 1);
}

/* The first falls for its reading, the others show it a reading later. */
static void rack_play(const struct rack *r, struct play *p)
{
	uint32_t n[12];

	rack_start(r, p, n);
	for (double s = 0; s < 4600; s += r->step_s) {
		bool was_up = p->up;

		p->up = s < 900;
		p->no_dom = s >= 900 && (!r->dark || s <= 1200);
		for (unsigned i = 0; i < 4; i++)
			p->rx_dbm[i] = r->dark && !p->up ? -60 : 0;
		if (!p->up)
			inputs_set(&p->k, INPUT_DOWN_REASON, r->reason);
		play_once(p);
		for (unsigned i = 1; i < 12; i++) {
			struct inputs k = { .t = p->k.t, .counters_new = true };

			inputs_set(&k, INPUT_OPER, was_up || i >= r->ports ?
				   OPER_UP : OPER_DOWN);
			inputs_set(&k, INPUT_DOWN_REASON, r->reason);
			if (r->dark && i < r->ports)
				dark_set(&k, s);
			engine_reading(p->engine, n[i], &k, (struct wall){ 1 });
		}
	}
}

/* No link's fault; of four, one finding. */
static bool is_rack(const struct rack *r)
{
	const struct finding *f;
	bool is_watch, is_one;
	size_t open;
	struct play p;

	rack_play(r, &p);
	open = engine_findings(p.engine, &f);
	is_watch = f->severity == SEVERITY_WATCH;
	is_one = is_watch && r->ports >= 4;
	if (is_one || strcmp(r->cage, "1") == 0)
		assert_int_equal(f->port_count, r->ports);
	else
		assert_int_equal(open, r->ports);
	if (is_one)
		assert_int_equal(open, 1);
	assert_true(!strstr(f->cause, "; 4 links fell at once") == !is_one);
	assert_null(strstr(f->cause, "swap"));
	play_fini(&p);
	return is_watch;
}

/* Two of different cores and modules may be; of one module they may be that
 * one's, and one that this end takes down is no rack's. All of a core may be
 * that core's, but for the light that no longer comes; some of them are not.
 */
static void test_link_down_of_a_rack_that_is_down(void **state)
{
	struct rack r = { 4, "core1", "", DOWN_UNKNOWN, quick(1, 4), false,
			  false };

	(void)state;
	assert_true(is_rack(&r));
	r.ports = 2;
	assert_true(is_rack(&r));
	r.reason = DOWN_MAC_REMOTE_FAULT;	/* it has power, and restarts */
	assert_true(is_rack(&r));
	r.reason = DOWN_TX_FAULT;
	assert_false(is_rack(&r));
	r.reason = DOWN_RX_LOS;
	r.cage = "1";
	assert_false(is_rack(&r));
	r.ports = 4;
	r.cage = "";
	r.group = "core0";
	assert_true(is_rack(&r));
	r.whole = true;
	assert_false(is_rack(&r));
	r.dark = true;
	assert_true(is_rack(&r));
}

/* Where readings are slow, others show it when the first has long been down. */
static void test_link_down_of_a_rack_read_slowly(void **state)
{
	const struct rack r = { 4, "core1", "", DOWN_UNKNOWN, 100, false,
				false };

	(void)state;
	assert_true(is_rack(&r));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tx_decay_is_told_beyond_heat),
		cmocka_unit_test(test_tx_decay_is_told_by_power),
		cmocka_unit_test(test_tx_decay_is_told_as_it_goes_on),
		cmocka_unit_test(
			test_tx_decay_that_takes_the_link_down_is_one),
		cmocka_unit_test(test_tx_decay_is_none_of_an_empty_cage),
		cmocka_unit_test(test_tx_decay_tells_what_is_read),
		cmocka_unit_test(
			test_tx_decay_of_all_lanes_is_of_what_they_share),
		cmocka_unit_test(test_tx_decay_is_told_of_current_and_power),
		cmocka_unit_test(test_tx_decay_is_over_when_it_was_mended),
		cmocka_unit_test(test_tx_decay_is_none_of_a_clock_step),
		cmocka_unit_test(test_tx_decay_is_not_what_monitors_wander),
		cmocka_unit_test(
			test_tx_decay_is_told_of_one_below_its_siblings),
		cmocka_unit_test(
			test_tx_decay_is_not_what_the_module_before_sent),
		cmocka_unit_test(test_tx_decay_is_not_a_few_wrong_readings),
		cmocka_unit_test(test_tx_decay_is_not_a_current_that_is_held),
		cmocka_unit_test(test_tx_decay_is_not_of_a_sibling_that_fell),
		cmocka_unit_test(test_loose_module_is_open_seldom),
		cmocka_unit_test(test_loose_module_is_quiet_between),
		cmocka_unit_test(test_loose_module_is_not_light_that_moves),
		cmocka_unit_test(test_loose_module_that_does_no_harm),
		cmocka_unit_test(test_loose_module_bursts_and_falls),
		cmocka_unit_test(test_folds_errors_of_bursts),
		cmocka_unit_test(test_fec_uncorrectable_is_what_bursts_are),
		cmocka_unit_test(test_loose_module_opens),
		cmocka_unit_test(test_loose_module_is_reseated),
		cmocka_unit_test(test_loose_module_is_out_for_a_moment),
		cmocka_unit_test(test_loose_module_takes_its_falls_with_it),
		cmocka_unit_test(test_loose_module_stays_as_bad),
		cmocka_unit_test(test_loose_module_is_known_for_a_day),
		cmocka_unit_test(test_loose_module_of_one_burst),
		cmocka_unit_test(test_loose_module_bursts_and_fails),
		cmocka_unit_test(test_loose_module_that_is_not_latched),
		cmocka_unit_test(test_loose_module_that_gives_no_signal),
		cmocka_unit_test(
			test_loose_module_is_none_of_a_reader_that_hangs),
		cmocka_unit_test(
			test_sensor_fault_of_a_contact_comes_with_bursts),
		cmocka_unit_test(test_cadence_forgets_readings_of_old),
		cmocka_unit_test(test_cadence_is_not_the_readers),
		cmocka_unit_test(test_cadence_of_the_first_burst),
		cmocka_unit_test(test_fec_uncorrectable_beside_a_line),
		cmocka_unit_test(test_fec_uncorrectable_is_not_of_a_second),
		cmocka_unit_test(test_cadence_of_many_sources),
		cmocka_unit_test(test_loose_module_is_told_by_the_second_jump),
		cmocka_unit_test(test_loose_module_loses_codewords),
		cmocka_unit_test(test_loose_module_goes_on_by_its_jumps),
		cmocka_unit_test(test_sensor_fault_ends_with_its_module),
		cmocka_unit_test(test_loose_module_ends_with_all_it_did),
		cmocka_unit_test(test_loose_module_goes_on_as_its_symptom),
		cmocka_unit_test(test_loose_module_jumps_above_another_fault),
		cmocka_unit_test(test_loose_module_is_not_what_stays),
		cmocka_unit_test(test_fec_uncorrectable_is_told_of_bursts),
		cmocka_unit_test(
			test_fec_uncorrectable_of_one_burst_is_a_warning),
		cmocka_unit_test(test_fec_uncorrectable_is_not_near_the_cliff),
		cmocka_unit_test(test_fec_uncorrectable_is_not_of_pairs),
		cmocka_unit_test(
			test_fec_uncorrectable_without_fec_counts_frames),
		cmocka_unit_test(test_fec_uncorrectable_of_fc_fec),
		cmocka_unit_test(test_fec_uncorrectable_without_fec_is_patient),
		cmocka_unit_test(test_fec_uncorrectable_without_fec_is_limited),
		cmocka_unit_test(
			test_fec_uncorrectable_without_fec_is_of_the_light),
		cmocka_unit_test(
			test_fec_uncorrectable_without_fec_is_of_the_plug),
		cmocka_unit_test(
			test_fec_uncorrectable_without_fec_of_few_frames),
		cmocka_unit_test(
			test_fec_uncorrectable_without_fec_is_one_finding),
		cmocka_unit_test(
			test_fec_uncorrectable_without_fec_ends_with_the_cable),
		cmocka_unit_test(test_sensor_fault_is_told_of_six_in_120),
		cmocka_unit_test(
			test_sensor_fault_is_over_when_readings_are_good),
		cmocka_unit_test(test_sensor_fault_is_not_of_passive_copper),
		cmocka_unit_test(test_tx_decay_is_not_of_a_module_misread),
		cmocka_unit_test(test_module_changed_is_told_for_a_while),
		cmocka_unit_test(test_module_changed_before_it_is_read),
		cmocka_unit_test(test_module_changed_takes_the_link_down),
		cmocka_unit_test(test_link_down_of_a_peer_that_is_down),
		cmocka_unit_test(test_link_down_of_a_rack_that_is_down),
		cmocka_unit_test(test_link_down_of_a_rack_read_slowly),
	};

	return cmocka_run_group_tests_name("module_faults", tests, NULL, NULL);
}
