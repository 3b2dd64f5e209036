#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "agent/signature/detector.h"
#include "tests/support/port_play.h"
#include "tests/support/quick.h"

static void flaps(struct play *p, unsigned n, double every_s)
{
	for (unsigned i = 0; i < n; i++) {
		play_drop(p, 2);
		play_for(p, every_s - 2);
	}
}

static void test_flap_burst_is_raised_at_the_third_flap(void **state)
{
	struct play p;
	double third_s;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 300);
	flaps(&p, 2, 60);
	assert_int_equal(play_said(&p, SIGNATURE_FLAP_BURST, 0), 0);
	third_s = p.t_s;
	flaps(&p, 1, 60);
	/* link_down goes on as it. */
	assert_int_equal(play_said(&p, SIGNATURE_FLAP_BURST, FINDING_UPDATED),
			 1);
	assert_in_range(play_last(&p, SIGNATURE_FLAP_BURST)->when.ns,
			(int64_t)(third_s * 1e9),
			(int64_t)((third_s + 1) * 1e9));
	play_fini(&p);
}

/* A link that falls once or twice a day is nothing, and one that falls every
 * few hours is worth a look: one finding, for as long as it goes on. It never
 * comes near a burst.
 */
static void test_flap_burst_of_a_day_is_worth_a_look(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	play_init(&p, quick(10, 60));
	play_for(&p, 300);
	flaps(&p, 4, 43200);
	assert_null(play_last(&p, SIGNATURE_FLAP_BURST));
	play_fini(&p);
	play_init(&p, quick(10, 60));
	play_for(&p, 300);
	flaps(&p, 12, 5400);
	assert_int_equal(play_said(&p, SIGNATURE_FLAP_BURST, FINDING_RAISED),
			 1);
	assert_non_null(strstr(p.said[0].cause, "fell 4 times"));
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_int_equal(open->signature, SIGNATURE_FLAP_BURST);
	assert_int_equal(open->severity, SEVERITY_WATCH);
	assert_int_equal(open->drain, DRAIN_NONE);
	assert_non_null(strstr(open->cause, "fell 12 times in 16 h;"));
	play_for(&p, 86400);
	assert_int_equal(engine_findings(p.engine, &open), 0);
	play_fini(&p);
}

/* A restarted core goes on counting, of a burst and of a day. */
static void test_flap_burst_goes_on_after_a_restart(void **state)
{
	static const enum severity severity[] = { SEVERITY_WARN,
						  SEVERITY_WATCH };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct finding f = { .signature = SIGNATURE_FLAP_BURST,
				     .severity = severity[i] };
		const struct finding *open;
		struct play p;

		play_init(&p, 1);
		(void)snprintf(f.subject, sizeof(f.subject), "%s",
			       p.facts.name);
		(void)snprintf(f.id, sizeof(f.id), "aaaaaaaaaaaa");
		f.when.ns = f.onset.ns = (int64_t)(p.t_s * 1e9);
		evidence_add(&f, "flaps", i ? 7 : 300);
		assert_int_equal(engine_restore(p.engine, &f), 0);
		play_for(&p, 400);
		flaps(&p, 1, 60);
		assert_int_equal(engine_findings(p.engine, &open), 1);
		assert_string_equal(open->id, f.id);
		assert_int_equal(open->severity, severity[i]);
		assert_non_null(strstr(open->cause, i ? "fell 8 times" :
							"fell 301 times"));
		play_fini(&p);
	}
}

/* Twice as many as were told are told. */
static void test_flap_burst_tells_how_many_again(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 300);
	flaps(&p, 10, 3600);
	assert_non_null(strstr(play_last(&p, SIGNATURE_FLAP_BURST)->cause,
			       "fell 8 times in 7 h"));
	play_fini(&p);
	play_init(&p, 10);
	play_for(&p, 300);
	flaps(&p, 10, 360);
	assert_non_null(strstr(play_last(&p, SIGNATURE_FLAP_BURST)->cause,
			       "fell 8 times in 41 min"));
	play_fini(&p);
}

/* What does not come up again is no flap, however often it fell before. */
static void test_flap_burst_hides_no_link_that_stays_down(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 300);
	flaps(&p, 5, 3600);
	play_drop(&p, 7200);
	assert_non_null(play_last(&p, SIGNATURE_LINK_DOWN));
	assert_true(play_last(&p, SIGNATURE_LINK_DOWN)->severity >=
		    SEVERITY_WARN);
	play_fini(&p);
}

static void test_flap_burst_counts_what_falls_between_readings(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 60);
	play_for(&p, 600);
	p.downs += 4;			/* up again when it is read */
	play_once(&p);
	assert_int_equal(play_said(&p, SIGNATURE_FLAP_BURST, FINDING_RAISED),
			 1);
	play_fini(&p);
}

static void test_flap_burst_believes_no_count_that_cannot_be(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 300);
	p.downs += 100000;		/* a jump of the counter */
	play_once(&p);
	p.downs = 0;			/* and a restart */
	play_once(&p);
	assert_int_equal(play_said(&p, SIGNATURE_FLAP_BURST, 0), 0);
	play_fini(&p);
}

static void test_flap_burst_spreads_flaps_over_a_gap(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 300);
	p.t_s += 7200;
	p.downs += 4;			/* in two hours: no burst */
	play_for(&p, 60);
	assert_int_equal(play_said(&p, SIGNATURE_FLAP_BURST, 0), 0);
	play_fini(&p);
}

/* Twice it falls by itself; before that once, with so many others, of which it
 * is read first.
 */
static void fall_with(struct play *p, unsigned others)
{
	struct play other[4];

	play_init(p, 1);
	(void)snprintf(p->facts.group, sizeof(p->facts.group), "core0");
	assert_int_equal(engine_port(p->engine, &p->facts, &p->port), 0);
	for (unsigned i = 0; i < 4; i++) {
		other[i] = *p;
		(void)snprintf(other[i].facts.name,
			       sizeof(other[i].facts.name), "Ethernet%u",
			       16 + 8 * i);
		(void)snprintf(other[i].facts.group,
			       sizeof(other[i].facts.group), "core%u", i + 1);
		assert_int_equal(engine_port(p->engine, &other[i].facts,
					     &other[i].port), 0);
	}
	for (unsigned t = 0; t < 480; t++) {
		bool all = t < 360;

		p->up = t % 60 >= 5 || t < 300;
		p->downs += t >= 300 && t % 60 == 0;
		for (unsigned i = 0; i < 4; i++)
			other[i].up = p->up || !all || i >= others;
		play_once(p);
		for (unsigned i = 0; i < 4; i++)
			play_once(&other[i]);
	}
}

static void test_flap_burst_is_none_of_what_falls_with_others(void **state)
{
	(void)state;
	for (unsigned others = 0; others <= 4; others += 4) {
		struct play p;

		fall_with(&p, others);
		assert_int_equal(play_said(&p, SIGNATURE_FLAP_BURST, 0) > 0,
				 !others);
		play_fini(&p);
	}
}

static void test_flap_burst_does_not_count_admin_downs(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 300);
	for (int i = 0; i < 5; i++) {
		inputs_set(&p.k, INPUT_ADMIN, 0);
		play_drop(&p, 10);
		inputs_set(&p.k, INPUT_ADMIN, 1);
		play_for(&p, 10);
	}
	assert_int_equal(play_said(&p, SIGNATURE_FLAP_BURST, 0), 0);
	play_fini(&p);
}

static void test_flap_burst_is_a_symptom_where_errors_are_loud(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	play_ramp(&p, 300, -5);
	flaps(&p, 6, 60);
	assert_int_equal(play_said(&p, SIGNATURE_FLAP_BURST, 0), 0);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_RAISED), 1);
	play_fini(&p);
}

static double flaps_of(const struct finding *f)
{
	for (unsigned i = 0; i < f->evidence_count; i++)
		if (strcmp(f->evidence[i].name, "flaps") == 0)
			return f->evidence[i].value;
	return 0;
}

/* Falls that errors explain are counted by the finding of the errors, as long
 * as the link falls; they are none by themselves once the errors are gone.
 */
static void test_flap_burst_is_counted_with_loud_errors(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	play_init(&p, quick(10, 30));
	play_for(&p, 7200);
	play_ramp(&p, 300, -4.2);
	play_for(&p, 20 * 3600);
	flaps(&p, 12, 900);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_non_null(strstr(open->cause, ", the link fell 12 times in 4 h; "
			       "received light"));
	assert_int_equal(flaps_of(open), 12);
	assert_true(flaps_of(play_last(&p, open->signature)) >= 4);
	flaps(&p, 6, 60);
	p.log_ber = -7;
	play_for(&p, 2 * 3600);
	assert_int_equal(engine_findings(p.engine, &open), 0);
	assert_null(play_last(&p, SIGNATURE_FLAP_BURST));
	play_fini(&p);
}

/* The errors' finding forgets falls that are over. */
static void test_flap_burst_ends_beside_loud_errors(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	play_init(&p, quick(10, 30));
	play_for(&p, 7200);
	play_ramp(&p, 300, -4.2);
	play_for(&p, 300);
	flaps(&p, 12, 900);
	play_for(&p, 7 * 3600);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_null(strstr(open->cause, "fell"));
	play_fini(&p);
}

/* One that was always up for a quarter of an hour holds after some hours. */
static void test_flap_burst_of_a_day_ends_when_the_link_holds(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 300);
	flaps(&p, 20, 900);
	play_for(&p, 2700);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_non_null(strstr(open->cause, "in 5 h, last 60 min ago;"));
	play_for(&p, 3600);
	assert_int_equal(engine_findings(p.engine, &open), 0);
	flaps(&p, 1, 900);
	assert_int_equal(engine_findings(p.engine, &open), 0);
	flaps(&p, 2, 900);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	play_fini(&p);
}

/* Errors so few take no link down. */
static void test_flap_burst_is_told_beside_errors_far_from_harm(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	play_ramp(&p, 300, -6);
	flaps(&p, 6, 60);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_RAISED), 1);
	assert_non_null(strstr(play_last(&p, SIGNATURE_FLAP_BURST)->cause,
			       "errors were higher than usual"));
	play_fini(&p);
}

/* fec_trend is not said yet: it waits for the module's temperature. */
static void test_flap_burst_waits_where_errors_are_loud(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	p.no_dom = true;
	play_ramp(&p, 100, -5);
	flaps(&p, 4, 20);
	assert_int_equal(p.said[0].signature, SIGNATURE_LINK_DOWN);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, 0), 0);
	assert_int_equal(play_said(&p, SIGNATURE_FLAP_BURST, 0), 0);
	play_fini(&p);
}

/* Falls, three in a minute, between two readings of the module, then light is
 * less by so much.
 */
static void fall_unread(struct play *p, double db)
{
	play_init(p, 1);
	for (unsigned i = 0; i < 900; i++) {
		p->no_dom = i % 30 != 0;
		play_once(p);
	}
	p->no_dom = true;
	flaps(p, 3, 12);
	assert_null(play_last(p, SIGNATURE_FLAP_BURST));
	for (unsigned i = 0; i < 4; i++)
		p->rx_dbm[i] = -db;
	p->no_dom = false;
	play_for(p, 4);
}

/* A loss of light shows when the module is read next; that one is waited for,
 * and no longer than it takes.
 */
static void test_flap_burst_waits_for_light(void **state)
{
	struct play p;

	(void)state;
	fall_unread(&p, 0);
	assert_non_null(play_last(&p, SIGNATURE_FLAP_BURST));
	play_fini(&p);
	fall_unread(&p, 5);
	flaps(&p, 9, 12);
	assert_null(play_last(&p, SIGNATURE_FLAP_BURST));
	play_fini(&p);
}

static void test_flap_burst_ends_when_the_link_holds(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 300);
	flaps(&p, 4, 30);
	play_for(&p, 1500);
	assert_int_equal(play_said(&p, SIGNATURE_FLAP_BURST, FINDING_CLEARED),
			 1);
	play_fini(&p);
}

static void test_flap_burst_is_counted_once_by_two_sources(void **state)
{
	struct play p;
	struct engine_view view;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 60);
	for (int i = 0; i < 2; i++) {	/* the count lags the edge */
		p.up = false;
		play_for(&p, 3);
		p.downs++;
		p.up = true;
		play_for(&p, 20);
	}
	engine_view(p.engine, p.port, &view);
	assert_int_equal(view.flaps_24h, 2);
	assert_int_equal(play_said(&p, SIGNATURE_FLAP_BURST, 0), 0);
	play_fini(&p);
}

/* The falls last from the first to the last of them, not until now. */
static void test_flap_burst_tells_how_long_they_took(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 300);
	flaps(&p, 6, 15);
	play_for(&p, 500);
	assert_int_equal(engine_findings(p.engine, &f), 1);
	assert_non_null(strstr(f->cause, "fell 6 times in 75 s"));
	play_fini(&p);
}

static void test_flap_burst_forgets_flaps_after_a_day(void **state)
{
	struct play p;
	struct engine_view view;

	(void)state;
	play_init(&p, 60);
	play_for(&p, 600);
	play_drop(&p, 120);
	play_for(&p, 20 * 3600);
	engine_view(p.engine, p.port, &view);
	assert_int_equal(view.flaps_24h, 1);
	play_for(&p, 5 * 3600);
	engine_view(p.engine, p.port, &view);
	assert_int_equal(view.flaps_24h, 0);
	play_fini(&p);
}

/* Somebody puts the module in again: falls of before had the old contact, and
 * this one is no fall. Those that come after it count.
 */
static void test_flap_burst_begins_anew_with_the_contact(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	for (int reseated = 0; reseated < 2; reseated++) {
		play_init(&p, quick(1, 20));
		play_for(&p, 300);
		flaps(&p, 3, 5400);
		p.up = false;
		p.downs++;
		inputs_set(&p.k, INPUT_PRESENT, !reseated);
		play_for(&p, 60);
		inputs_set(&p.k, INPUT_PRESENT, 1);
		p.up = true;
		play_for(&p, 3600);
		assert_int_equal(engine_findings(p.engine, &open), !reseated);
		flaps(&p, 4, 3600);
		assert_int_equal(engine_findings(p.engine, &open), 1);
		assert_int_equal(open->signature, SIGNATURE_FLAP_BURST);
		play_fini(&p);
	}
}

/* The reason of most falls is told, with what to do, and so is the light that
 * does not come where the switch gives none; not what one of many says.
 */
static void test_flap_burst_tells_the_reason(void **state)
{
	static const struct {
		enum down_reason reason[4];
		float dbm;
		enum action action;
		const char *words;
	} cases[] = {
		{ { DOWN_TRAINING, DOWN_HIGH_BER, DOWN_TRAINING,
		    DOWN_TRAINING }, 0, ACTION_REPLACE_CABLE,
		  "in 180 s; link training does not finish; errors were normal "
		  "in between" },
		{ { DOWN_UNKNOWN, DOWN_UNKNOWN, DOWN_UNKNOWN, DOWN_TRAINING },
		  0, ACTION_CHECK_PEER, "errors were normal in between: " },
		{ { DOWN_UNKNOWN }, -36, ACTION_CHECK_PEER,
		  "; no light from the far end; errors were normal" },
	};

	(void)state;
	for (size_t n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
		const struct finding *f;
		struct play p;

		play_init(&p, 1);
		play_for(&p, 300);
		for (unsigned i = 0; i < 4; i++) {
			inputs_set(&p.k, INPUT_DOWN_REASON, cases[n].reason[i]);
			for (unsigned k = 0; k < 4; k++)
				p.rx_dbm[k] = cases[n].dbm;
			play_drop(&p, 4);
			inputs_clear(&p.k, INPUT_DOWN_REASON);
			memset(p.rx_dbm, 0, sizeof(p.rx_dbm));
			play_for(&p, 56);
		}
		assert_int_equal(engine_findings(p.engine, &f), 1);
		assert_int_equal(f->signature, SIGNATURE_FLAP_BURST);
		print_message("%s\n", f->cause);
		assert_non_null(strstr(f->cause, cases[n].words));
		assert_int_equal(f->action, cases[n].action);
		play_fini(&p);
	}
}

/* Falls between two readings, in each interval; so many codewords are lost with
 * each.
 */
static void falls_each(struct play *p, unsigned n, int64_t lost)
{
	for (unsigned i = 0; i < n; i++) {
		p->downs++;
		p->k.value[INPUT_FEC_UNCORRECTABLE_CW] += lost;
		play_once(p);
	}
}

/* It falls before any window is settled. What was corrected in between shows
 * whether errors take it down; what is lost in a fall does not.
 */
static void test_flap_burst_without_a_settled_window(void **state)
{
	static const struct {
		double log_ber;
		int64_t lost;
		enum signature signature;
		enum drain drain;
		const char *words;
	} cases[] = {
		{ -3, 1000000, SIGNATURE_FEC_TREND, DRAIN_URGE,
		  "codewords are lost, the link fell 20 times in 1 h;" },
		{ -4.05, 100000, SIGNATURE_FEC_TREND, DRAIN_URGE,
		  "codewords are lost, the link fell 20 times in 1 h;" },
		{ -7, 1000000, SIGNATURE_FLAP_BURST, DRAIN_ADVISE,
		  "in 190 s; errors were normal in between:" },
		{ -7, 50000000, SIGNATURE_FLAP_BURST, DRAIN_ADVISE,
		  "in 190 s; errors were normal in between:" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct finding *f;
		struct play p;

		play_init(&p, 10);
		inputs_set(&p.k, INPUT_FEC_UNCORRECTABLE_CW, 0);
		play_for(&p, 900);
		p.log_ber = cases[i].log_ber;
		falls_each(&p, 20, cases[i].lost);
		assert_int_equal(engine_findings(p.engine, &f), 1);
		assert_int_equal(f->signature, cases[i].signature);
		assert_int_equal(f->severity, SEVERITY_CRITICAL);
		assert_int_equal(f->drain, cases[i].drain);
		print_message("%s\n", f->cause);
		assert_non_null(strstr(f->cause, cases[i].words));
		assert_int_equal(play_said(&p, SIGNATURE_FEC_UNCORRECTABLE, 0),
				 0);
		play_fini(&p);
	}
}

/* What is not measured is not normal. */
static void test_flap_burst_says_what_was_not_measured(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 900);
	p.no_fec = true;
	falls_each(&p, 3, 0);
	f = play_last(&p, SIGNATURE_FLAP_BURST);
	assert_non_null(f);
	assert_non_null(strstr(f->cause, "normal before, and not measured"));
	play_fini(&p);
	/* Errors as the link falls; it may be over after one. */
	play_init(&p, 60);
	play_for(&p, 900);
	p.log_ber = -3;
	falls_each(&p, 2, 0);
	assert_int_equal(p.count, 0);
	falls_each(&p, 1, 0);
	f = play_last(&p, SIGNATURE_FLAP_BURST);
	assert_non_null(f);
	assert_non_null(strstr(f->cause, "errors were far above usual"));
	play_fini(&p);
}

/* The finding of the light tells the falls, where no errors are measured. */
static void test_flap_burst_is_told_by_lost_light(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 900);
	p.no_fec = true;
	p.rx_dbm[0] = -5;
	falls_each(&p, 60, 0);
	assert_int_equal(engine_findings(p.engine, &f), 1);
	assert_int_equal(f->signature, SIGNATURE_CONTAMINATION);
	assert_int_equal(f->severity, SEVERITY_CRITICAL);
	assert_int_equal(f->drain, DRAIN_ADVISE);
	print_message("%s\n", f->cause);
	assert_non_null(strstr(f->cause, ", the link fell 60 times in 1 h"));
	play_fini(&p);
}

/* A link that never stays up from the first: one lane gets less light than its
 * siblings, reading by reading. Where all get the same, or the peer's lasers
 * start one by one, nothing says that.
 */
static void test_flap_burst_of_a_lane_that_was_always_weak(void **state)
{
	static const float dbm[] = { -3.5f, 0, -30 };

	(void)state;
	for (size_t n = 0; n < sizeof(dbm) / sizeof(dbm[0]); n++) {
		const struct finding *f;
		struct play p;

		play_init(&p, 10);
		p.rx_dbm[2] = dbm[n];
		for (unsigned i = 0; i < 20; i++) {
			play_once(&p);
			play_drop(&p, 10);
		}
		assert_int_equal(engine_findings(p.engine, &f), 1);
		if (n == 0) {
			assert_int_equal(f->signature,
					 SIGNATURE_LANE_IMBALANCE);
			assert_int_equal(f->severity, SEVERITY_CRITICAL);
			assert_int_equal(f->lanes, 1 << 2);
			assert_int_equal(f->action, ACTION_CLEAN_NEAR);
		} else {
			assert_int_equal(f->signature, SIGNATURE_FLAP_BURST);
		}
		play_fini(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flap_burst_begins_anew_with_the_contact),
		cmocka_unit_test(test_flap_burst_tells_the_reason),
		cmocka_unit_test(
			test_flap_burst_of_a_lane_that_was_always_weak),
		cmocka_unit_test(test_flap_burst_is_raised_at_the_third_flap),
		cmocka_unit_test(test_flap_burst_of_a_day_is_worth_a_look),
		cmocka_unit_test(test_flap_burst_tells_how_many_again),
		cmocka_unit_test(test_flap_burst_goes_on_after_a_restart),
		cmocka_unit_test(test_flap_burst_hides_no_link_that_stays_down),
		cmocka_unit_test(
			test_flap_burst_counts_what_falls_between_readings),
		cmocka_unit_test(
			test_flap_burst_believes_no_count_that_cannot_be),
		cmocka_unit_test(test_flap_burst_spreads_flaps_over_a_gap),
		cmocka_unit_test(
			test_flap_burst_is_none_of_what_falls_with_others),
		cmocka_unit_test(test_flap_burst_does_not_count_admin_downs),
		cmocka_unit_test(
			test_flap_burst_is_a_symptom_where_errors_are_loud),
		cmocka_unit_test(test_flap_burst_is_counted_with_loud_errors),
		cmocka_unit_test(test_flap_burst_ends_beside_loud_errors),
		cmocka_unit_test(
		test_flap_burst_of_a_day_ends_when_the_link_holds),
		cmocka_unit_test(
		test_flap_burst_is_told_beside_errors_far_from_harm),
		cmocka_unit_test(test_flap_burst_waits_where_errors_are_loud),
		cmocka_unit_test(test_flap_burst_waits_for_light),
		cmocka_unit_test(test_flap_burst_ends_when_the_link_holds),
		cmocka_unit_test(
		test_flap_burst_is_counted_once_by_two_sources),
		cmocka_unit_test(test_flap_burst_tells_how_long_they_took),
		cmocka_unit_test(test_flap_burst_without_a_settled_window),
		cmocka_unit_test(test_flap_burst_says_what_was_not_measured),
		cmocka_unit_test(test_flap_burst_is_told_by_lost_light),
		cmocka_unit_test(test_flap_burst_forgets_flaps_after_a_day),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
