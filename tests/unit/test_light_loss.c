/* Light that fell, where no errors tell of it, and a lane that always stood
 * apart.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "agent/signature/fec.h"
#include "tests/support/port_play.h"
#include "tests/support/quick.h"

/* Light of a lane falls at once; errors are counted, or it is told at once. */
static void fallen_by(struct play *p, double db, bool counted)
{
	play_init(p, 10);
	p->no_fec = !counted;
	play_for(p, 900);
	p->rx_dbm[0] = -db;
	play_for(p, counted ? 600 : 60);
}

static void test_light_loss_is_told_without_errors(void **state)
{
	struct play p;
	const struct finding *f;

	(void)state;
	fallen_by(&p, 3, false);
	f = play_last(&p, SIGNATURE_CONTAMINATION);
	assert_non_null(f);
	assert_int_equal(f->severity, SEVERITY_WARN);
	assert_int_equal(f->lanes, 1);
	assert_non_null(strstr(f->cause, "errors are not measured"));
	p.rx_dbm[0] = 0;
	play_for(&p, 900);
	assert_int_equal(play_last(&p, SIGNATURE_CONTAMINATION)->state,
			 FINDING_CLEARED);
	play_fini(&p);
}

/* What is told first is not the less likely: light that moves, once it has a
 * name, is that of a bend.
 */
static void test_light_loss_tells_what_is_likelier(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	play_init(&p, 1);
	p.facts.lanes = 1;
	p.no_fec = true;
	play_for(&p, 900);
	for (int t = 0; t < 1200; t++) {
		p.rx_dbm[0] = (t > 300 ? .3 : .02) * (t % 3 - 1) - 4.8;
		play_once(&p);
		if (t == 300)
			assert_int_equal(p.said[p.count - 1].signature,
					 SIGNATURE_CONTAMINATION);
	}
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_int_equal(open->signature, SIGNATURE_BENT_FIBRE);
	assert_int_equal(open->action, ACTION_REPLACE_CABLE);
	play_fini(&p);
}

/* Nothing else would report it while it is young. */
static void test_light_loss_is_told_at_once_without_errors(void **state)
{
	struct play p;

	(void)state;
	fallen_by(&p, 1.3, false);
	assert_int_equal(play_said(&p, SIGNATURE_CONTAMINATION,
				   FINDING_RAISED), 1);
	play_fini(&p);
}

/* Such a loss makes more than two decades of errors. There are none of them:
 * it is the monitor.
 */
static void test_light_loss_is_none_when_errors_deny_it(void **state)
{
	struct play p;

	(void)state;
	fallen_by(&p, 3, true);
	assert_int_equal(p.count, 1);
	assert_int_equal(p.said[0].signature, SIGNATURE_SENSOR_FAULT);
	assert_int_equal(p.said[0].severity, SEVERITY_WATCH);
	play_fini(&p);
}

/* Errors of before the fall deny nothing, wherever in a window it is. */
static void test_light_loss_is_not_denied_by_errors_of_before(void **state)
{
	struct play p;

	(void)state;
	for (int late_s = 0; late_s < 10; late_s++) {
		play_init(&p, 1);
		play_for(&p, 900 + late_s);
		for (unsigned i = 0; i < 4; i++)
			p.rx_dbm[i] = -3;
		p.log_ber = -4.3;
		play_for(&p, 200);
		assert_true(p.count > 0);
		assert_int_equal(play_said(&p, SIGNATURE_SENSOR_FAULT, 0), 0);
		play_fini(&p);
	}
}

/* What was told of the light goes on as the monitor's, also where readings were
 * wrong before, and where errors grow a little afterwards.
 */
static void test_light_loss_that_errors_deny_is_one_finding(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	for (int wrong = 0; wrong < 6; wrong += 5) {
		play_init(&p, 1);
		play_for(&p, 900);
		p.temp_c = -20;
		play_for(&p, wrong);
		p.temp_c = 50;
		p.rx_dbm[0] = -4;
		play_for(&p, 8);
		assert_int_equal(p.said[0].signature, SIGNATURE_CONTAMINATION);
		assert_non_null(strstr(p.said[0].cause, "not known yet"));
		play_for(&p, 60);
		p.log_ber = -6.75;
		play_for(&p, 60);
		p.log_ber = -7;
		play_for(&p, 2000);
		assert_int_equal(engine_findings(p.engine, &f), 1);
		assert_int_equal(f->signature, SIGNATURE_SENSOR_FAULT);
		for (unsigned i = 0; i < p.count; i++)
			assert_string_equal(p.said[i].id, f->id);
		play_fini(&p);
	}
}

static void test_light_loss_small_ones_are_none(void **state)
{
	struct play p;

	(void)state;
	fallen_by(&p, 0.8, false);
	assert_int_equal(p.count, 0);
	play_fini(&p);
}

/* The link falls as its light does, and stays down. */
static void fallen_with_light(struct play *p, double db)
{
	play_init(p, 10);
	play_for(p, 900);
	p->rx_dbm[0] = -db;
	play_drop(p, 300);
}

/* It is what took the link down, for as long as the far end still sends. */
static void test_light_loss_that_took_the_link_down(void **state)
{
	struct play p;
	const struct finding *f;

	(void)state;
	fallen_with_light(&p, 5);
	f = play_last(&p, SIGNATURE_CONTAMINATION);
	assert_non_null(f);
	assert_int_equal(f->was, SIGNATURE_LINK_DOWN);
	assert_int_equal(f->severity, SEVERITY_WARN);
	p.no_fec = true;		/* it is up again */
	play_for(&p, 1200);
	assert_int_equal(play_said(&p, SIGNATURE_CONTAMINATION,
				   FINDING_CLEARED), 0);
	play_fini(&p);
	fallen_with_light(&p, 25);	/* dark: no lane's, but the far end's */
	assert_null(play_last(&p, SIGNATURE_CONTAMINATION));
	play_fini(&p);
}

/* A link that can live with what was lost is down for something else. */
static void test_light_loss_too_small_to_take_the_link_down(void **state)
{
	struct play p;

	(void)state;
	fallen_with_light(&p, 1.1);
	assert_non_null(play_last(&p, SIGNATURE_LINK_DOWN));
	assert_null(play_last(&p, SIGNATURE_CONTAMINATION));
	play_fini(&p);
}

/* Errors grow while light is steady; light falls at once, so much later. */
static void grow_then_fall(struct play *p, double later_s)
{
	play_init(p, 10);
	play_for(p, 3600);
	play_ramp(p, 600, -5.6);
	play_for(p, later_s);
	p->rx_dbm[0] = -3;
	p->log_ber = -4.6;
	play_for(p, 600);
}

/* Long after is another fault, and what was told stays as it was. */
static void test_light_loss_beside_errors_that_were_there(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	grow_then_fall(&p, 1800);
	assert_int_equal(engine_findings(p.engine, &open), 2);
	assert_int_equal(play_said(&p, SIGNATURE_CONTAMINATION,
				   FINDING_RAISED), 1);
	assert_int_equal(play_last(&p, SIGNATURE_FEC_TREND)->was, 0);
	assert_true(open[0].signature == SIGNATURE_FEC_TREND ||
		    open[1].signature == SIGNATURE_FEC_TREND);
	assert_non_null(strstr(play_last(&p, SIGNATURE_CONTAMINATION)->cause,
			       "errors grew too"));
	play_fini(&p);
}

/* Somebody plugs while errors of another cause stand, and light comes back as
 * low as no clean plug makes it: that is told beside the errors, which keep
 * their words.
 */
static void test_light_loss_of_a_plug_beside_errors(void **state)
{
	struct play p;

	(void)state;
	for (int worse = 0; worse < 2; worse++) {
		const struct finding *open;

		play_init(&p, quick(10, 30));
		play_for(&p, 3600);
		play_ramp(&p, 600, -5.6);
		play_for(&p, 1800);
		for (unsigned i = 0; i < 4; i++)
			p.rx_dbm[i] = -40;
		play_drop(&p, 300);
		for (unsigned i = 0; i < 4; i++)
			p.rx_dbm[i] = i ? 0 : worse ? -1.4 : -0.8;
		play_for(&p, 900);
		assert_int_equal(engine_findings(p.engine, &open), 1 + worse);
		assert_int_equal(play_said(&p, SIGNATURE_CONTAMINATION,
					   FINDING_RAISED), worse);
		open = play_last(&p, SIGNATURE_FEC_TREND);
		assert_non_null(strstr(open->cause, "not loss"));
		assert_int_equal(open->lanes, 0);
		play_fini(&p);
	}
}

/* All lanes are dirty since a plug, as is told; much later light of the first
 * fades, or of all of them.
 */
static unsigned faded_beside_dirt(struct play *p, unsigned lanes)
{
	const struct finding *open;

	play_init(p, 10);
	play_for(p, 3600);
	for (unsigned i = 0; i < 4; i++)
		p->rx_dbm[i] = -40;
	play_drop(p, 300);
	for (unsigned i = 0; i < 4; i++)
		p->rx_dbm[i] = i ? -3 : -1;
	p->log_ber = -4.8;
	play_for(p, 3600);
	assert_int_equal(engine_findings(p->engine, &open), 1);
	for (int t = 0; t < 180; t++) {
		for (unsigned i = 0; i < lanes; i++)
			p->rx_dbm[i] -= 0.01;
		p->log_ber += 0.006;
		play_for(p, 20);
	}
	return (unsigned)engine_findings(p->engine, &open);
}

static void test_light_loss_of_a_lane_that_fades_beside_dirt(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	assert_int_equal(faded_beside_dirt(&p, 1), 2);
	f = play_last(&p, SIGNATURE_FAR_LASER);
	assert_non_null(f);
	assert_int_equal(f->lanes, 1);
	assert_string_equal(strchr(f->cause, ':'),
			    ": the far transmitter fades");
	assert_null(strstr(f->cause, "by 3."));	/* what it lost since */
	assert_int_equal(play_last(&p, SIGNATURE_CONTAMINATION)->state,
			 FINDING_UPDATED);
	play_fini(&p);
	assert_int_equal(faded_beside_dirt(&p, 4), 1);	/* which of them? */
	play_fini(&p);
}

/* Errors had wandered a little for long when light fell: no fault of their
 * own, and what both show since then is one.
 */
static void test_light_loss_after_errors_that_wandered(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 3600);
	play_ramp(&p, 300, -6.8);
	play_for(&p, 1500);
	p.rx_dbm[0] -= 1.2;
	play_ramp(&p, 60, -5.8);
	play_for(&p, 1800);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_non_null(strstr(open->cause, "explains the errors"));
	play_fini(&p);
}

/* Errors are named by the light that fades with them. When a lane that is read
 * as whole falls at once, later, or all of them do, that is no fault which they
 * had before.
 */
static void light_makes_them_all(float whole_db, float all_db, double decades)
{
	const struct finding *open;
	struct play p;

	play_init(&p, 10);
	play_for(&p, 3600);
	for (int t = 0; t < 240; t++) {
		for (unsigned i = 0; i < 3; i++)
			p.rx_dbm[i] -= 0.005;
		p.log_ber += 0.008;
		play_for(&p, 30);
	}
	assert_non_null(play_last(&p, SIGNATURE_FAR_LASER));
	p.rx_dbm[3] -= (double)whole_db;
	for (unsigned i = 0; i < 4; i++)
		p.rx_dbm[i] -= (double)all_db;
	p.log_ber += decades;
	play_for(&p, 3600);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	play_fini(&p);
}

static void test_light_loss_of_errors_that_light_makes(void **state)
{
	(void)state;
	light_makes_them_all(0.6f, 0, 0);
	light_makes_them_all(0, 1.5f, 0.5);
}

/* Somebody plugs while the link is down for a quarter of an hour: what the
 * errors and the light show since then is one fault.
 */
static void test_light_loss_of_a_long_outage_is_one_fault(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 3600);
	p.no_dom = true;
	play_drop(&p, 900);
	p.rx_dbm[0] = -1.5;
	p.log_ber = -5.3;
	play_for(&p, 100);		/* the module is read a little later */
	p.no_dom = false;
	play_for(&p, 3600);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_int_equal(open->signature, SIGNATURE_CONTAMINATION);
	play_fini(&p);
}

/* Errors grew by far more than the light that is lost, slowly and later, can
 * make: both are told.
 */
static void test_light_loss_beside_errors_that_it_does_not_make(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 3600);
	play_ramp(&p, 600, -4.4);
	for (unsigned i = 0; i < 360; i++) {
		for (unsigned n = 0; n < 4; n++)
			p.rx_dbm[n] -= 0.8 / 360;
		play_once(&p);
	}
	play_for(&p, 900);
	assert_int_equal(play_last(&p, SIGNATURE_FEC_TREND)->was, 0);
	assert_int_equal(play_said(&p, SIGNATURE_FAR_LASER, FINDING_RAISED),
			 1);
	play_fini(&p);
}

/* Links that fall again and again for want of light have it read, too. */
static void test_light_loss_of_a_link_that_keeps_falling(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 60);
	play_for(&p, 7200);
	p.rx_dbm[0] = -4;
	for (unsigned i = 0; i < 60; i++) {
		p.downs += 3;
		play_once(&p);
	}
	assert_non_null(play_last(&p, SIGNATURE_CONTAMINATION));
	assert_null(play_last(&p, SIGNATURE_FLAP_BURST));
	play_fini(&p);
}

/* The errors come: the same finding goes on, under the name that it has. */
/* A slow source shows the loss two or three readings after the errors that it
 * makes: that is one finding.
 */
static void test_light_loss_that_is_read_late_is_one(void **state)
{
	(void)state;
	for (int lag = 20; lag <= 30; lag += 5) {
		const struct finding *f;
		struct play p;

		play_init(&p, 1);
		p.log_ber = -8.7;
		for (int t = 0; t < 2400; t++) {
			p.no_dom = t % 10 != 0;
			p.log_ber = t < 1803 ? -8.7 : -3.8;
			p.rx_dbm[1] = t < 1803 + lag ? 0 : -3;
			play_once(&p);
		}
		assert_int_equal(engine_findings(p.engine, &f), 1);
		assert_int_equal(f->signature, SIGNATURE_CONTAMINATION);
		play_fini(&p);
	}
}

/* A plug is taken out and put in again, and loses so much more; hours later
 * errors step up, and the light does not move. What is said of them?
 */
static void replugged(double db, char ret[static 160])
{
	const struct finding *f;
	struct play p;

	play_init(&p, 50);
	play_for(&p, 20000);
	play_drop(&p, 50);		/* or longer: till the next reading */
	for (unsigned i = 0; i < 4; i++)
		p.rx_dbm[i] -= db;
	p.log_ber += 0.4;
	play_for(&p, 7200);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, 0), 0);
	assert_int_equal(play_said(&p, SIGNATURE_CONTAMINATION, 0), 0);
	p.log_ber += 0.9;
	play_for(&p, 3600);
	assert_int_equal(engine_findings(p.engine, &f), 1);
	(void)snprintf(ret, 160, "%s", f->cause);
	play_fini(&p);
}

static void test_light_loss_of_a_plug_put_in_again_is_none(void **state)
{
	char cause[160];

	(void)state;
	replugged(0.4, cause);
	assert_non_null(strstr(cause, "light is steady"));
	replugged(0.7, cause);		/* more than a good plug loses */
	assert_null(strstr(cause, "light is steady"));
}

/* Put in again it loses more, and errors step up with that, far from harm: that
 * is to be known, and no work for this shift. More than a clean plug loses is.
 */
static void test_light_loss_of_a_plug_is_far_from_harm(void **state)
{
	(void)state;
	for (unsigned dirty = 0; dirty < 2; dirty++) {
		const struct finding *f;
		struct play p;

		play_init(&p, 10);
		p.log_ber = -9.3;
		play_for(&p, 7200);
		for (unsigned i = 0; i < 4; i++)
			p.rx_dbm[i] = -40;
		play_drop(&p, 100);
		for (unsigned i = 0; i < 4; i++)
			p.rx_dbm[i] = dirty ? -1.6 : -0.6;
		p.log_ber = dirty ? -7.2 : -7.8;
		play_for(&p, 7200);
		assert_int_equal(engine_findings(p.engine, &f), 1);
		assert_int_equal(f->severity, dirty ? SEVERITY_WARN :
				 SEVERITY_WATCH);
		play_fini(&p);
	}
}

/* Put in again, it loses far more light, and errors grow within what a plug
 * may change: both together are no accident.
 */
static void test_light_loss_of_a_plug_that_is_dirty_now(void **state)
{
	(void)state;
	for (int dirty = 0; dirty < 2; dirty++) {
		struct play p;

		play_init(&p, 60);
		play_for(&p, 20000);
		play_drop(&p, 120);
		for (unsigned i = 0; i < 4; i++)
			p.rx_dbm[i] -= dirty ? 1.2 : 0.8;
		p.log_ber += 0.8;
		play_for(&p, 7200);
		assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND,
					   FINDING_RAISED), dirty);
		play_fini(&p);
	}
}

static void test_light_loss_goes_on_with_its_errors(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	play_init(&p, 10);
	play_for(&p, 900);
	p.no_fec = true;		/* their source stalls */
	p.rx_dbm[0] = -1.2;
	play_for(&p, 300);
	assert_int_equal(p.count, 1);
	assert_int_equal(p.said[0].state, FINDING_RAISED);
	p.no_fec = false;
	p.log_ber = -4.9;
	play_for(&p, 600);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_string_equal(open->id, p.said[0].id);
	assert_int_equal(open->signature, SIGNATURE_CONTAMINATION);
	assert_non_null(strstr(open->cause, "errors stepped up"));
	for (unsigned i = 1; i < p.count; i++)
		assert_int_equal(p.said[i].state, FINDING_UPDATED);
	play_fini(&p);
}

/* One lane fades, and errors with it; another wanders meanwhile. */
static void test_light_loss_that_fades_began_with_its_errors(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	play_init(&p, 60);
	play_for(&p, 10 * 3600);
	for (int i = 0; i < 180; i++) {
		p.rx_dbm[2] = -2.0 * i / 180;
		p.rx_dbm[1] = i >= 60 && i < 63 ? -0.5 : 0;
		p.log_ber = log10((3e-7 + pow(10, fec_log_ber_shifted(-7,
					p.rx_dbm[2], true))) / 4);
		play_once(&p);
	}
	play_for(&p, 1800);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	print_message("%s\n", open->cause);
	assert_int_equal(open->signature, SIGNATURE_FAR_LASER);
	play_fini(&p);
}

/* A port whose module warns below -8 dBm and alarms below -10 dBm. */
static void limits_init(struct play *p, double dbm)
{
	static const int64_t rx_pw[THRESHOLD_EDGE_COUNT] = {
		[HIGH_ALARM] = 3162000000, [LOW_ALARM] = 100000000,
		[HIGH_WARN] = 1995000000, [LOW_WARN] = 158489000,
	};

	play_init(p, 10);
	p->facts.thresholds.known = true;
	memcpy(p->facts.thresholds.rx_pw, rx_pw, sizeof(rx_pw));
	assert_int_equal(engine_port(p->engine, &p->facts, &p->port), 0);
	for (unsigned i = 0; i < 4; i++)
		p->rx_dbm[i] = dbm;
}

/* Low from the first reading on, while errors are fine: by the module's own
 * limit.
 */
static void test_light_is_low_at_first_sight(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	limits_init(&p, -7.5);
	p.rx_dbm[1] = -8.5;
	play_for(&p, 120);
	f = play_last(&p, SIGNATURE_CONTAMINATION);
	assert_non_null(f);
	assert_int_equal(f->severity, SEVERITY_WATCH);
	assert_int_equal(f->cause_id, CAUSE_PREEXISTING);
	assert_int_equal(f->lanes, 1 << 1);
	assert_non_null(strstr(f->cause, "is at -8.5 dBm, and the module's own "
			       "low warning is -8.0 dBm; when it fell is not "
			       "known"));
	p.rx_dbm[1] = -8.5 - 2;		/* and it falls: told as any loss */
	p.log_ber = -5.6;
	play_for(&p, 600);
	assert_int_equal(play_said(&p, SIGNATURE_CONTAMINATION,
				   FINDING_RAISED), 1);
	assert_null(strstr(p.said[p.count - 1].cause, "low warning"));
	play_fini(&p);
	limits_init(&p, -10.5);
	play_for(&p, 120);
	assert_non_null(strstr(play_last(&p, SIGNATURE_CONTAMINATION)->cause,
			       "own low alarm is -10.0 dBm"));
	play_fini(&p);
}

/* Not: light that is fine; limits that are not known, or fillers; a lane
 * without light; a port that is down.
 */
static void test_light_that_is_not_low_at_first_sight(void **state)
{
	struct play p;

	(void)state;
	for (int i = 0; i < 5; i++) {
		limits_init(&p, i ? -8.5 : -7.5);
		if (i == 1)
			p.facts.thresholds.known = false;
		if (i == 2)
			p.facts.thresholds.rx_pw[HIGH_WARN] = 0;
		assert_int_equal(engine_port(p.engine, &p.facts, &p.port), 0);
		if (i == 3)
			for (unsigned n = 0; n < 4; n++)
				p.rx_dbm[n] = n ? -7 : -18;
		p.up = i != 4;
		play_for(&p, 600);
		assert_int_equal(play_said(&p, SIGNATURE_CONTAMINATION, 0), 0);
		play_fini(&p);
	}
}

/* One lane that is low and stands apart is one finding; all that are low are
 * another fault than the one that is lower still.
 */
static void test_light_that_is_low_on_one_lane_is_that_lanes(void **state)
{
	const struct finding *open;

	(void)state;
	for (int all = 0; all < 2; all++) {
		struct play p;

		limits_init(&p, all ? -8.5 : -5);
		p.rx_dbm[2] = -9.5 - 2 * all;
		p.log_ber = -5.8;
		play_for(&p, 900);
		assert_int_equal(engine_findings(p.engine, &open), 1 + all);
		if (!all)
			assert_int_equal(open->signature,
					 SIGNATURE_LANE_IMBALANCE);
		play_fini(&p);
	}
}

static void test_lane_imbalance_of_one_that_always_was(void **state)
{
	struct play p;
	const struct finding *f;

	(void)state;
	play_init(&p, 10);
	p.rx_dbm[2] = -2.6;
	p.log_ber = -5.8;
	play_for(&p, 30);
	assert_int_equal(p.count, 0);
	play_for(&p, 120);
	f = play_last(&p, SIGNATURE_LANE_IMBALANCE);
	assert_non_null(f);
	assert_int_equal(f->lanes, 1 << 2);
	assert_int_equal(f->severity, SEVERITY_WATCH);
	play_fini(&p);
}

/* By the medium's name, in each way in which it is written. */
static void test_lane_imbalance_acts_by_the_medium(void **state)
{
	static const struct {
		const char *media;
		bool is_wdm;
	} rows[] = {
		{ "FR4", true }, { "400GBASE-FR4", true }, { "100GBASE-LR4",
		  true }, { "400G-LR4-10", true }, { "400G-ER4-30", true },
		{ "100G-CWDM4", true }, { "40GE-SWDM4", true },
		{ "DR4", false }, { "100G-PSM4", false }, { "PLR4", false },
		{ "100GBASE-FR1 or 400GBASE-DR4-2", false }, { "", false },
		{ "2xFR4", true }, { "2xDR4", false }, { "xFR4", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct play p;

		play_init(&p, 10);
		(void)snprintf(p.facts.media, sizeof(p.facts.media), "%.15s",
			       rows[i].media);
		assert_int_equal(engine_port(p.engine, &p.facts, &p.port), 0);
		p.rx_dbm[2] = -3.2;
		play_for(&p, 150);
		assert_int_equal(play_last(&p, SIGNATURE_LANE_IMBALANCE)->
				 actions[0], rows[i].is_wdm ?
				 ACTION_RESEAT_NEAR : ACTION_CLEAN_NEAR);
		play_fini(&p);
	}
}

static void media_set(struct play *p, const char *media, uint8_t lanes)
{
	play_init(p, 10);
	(void)snprintf(p->facts.media, sizeof(p->facts.media), "%s", media);
	p->facts.lanes = lanes;
	p->facts.speed_mbps = 100000u * lanes;
	assert_int_equal(engine_port(p->engine, &p->facts, &p->port), 0);
}

/* The first four of eight lanes lose more light on longer waves. */
static enum signature named_after_a_bend(const char *media)
{
	struct play p;
	enum signature name;

	media_set(&p, media, 8);
	play_for(&p, 1200);
	for (unsigned i = 0; i < 4; i++)
		p.rx_dbm[i] = -1.36 - 0.49 * i;
	p.log_ber = -5.2;
	play_for(&p, 1200);
	name = p.said[p.count - 1].signature;
	play_fini(&p);
	return name;
}

static void test_light_of_one_fibre_of_several(void **state)
{
	(void)state;
	assert_int_equal(named_after_a_bend("2xFR4"), SIGNATURE_BENT_FIBRE);
	assert_int_equal(named_after_a_bend("400GBASE-FR4"),
			 SIGNATURE_BENT_FIBRE);
	assert_int_equal(named_after_a_bend("2xDR4"), SIGNATURE_BENT_FIBRE);
	assert_int_equal(named_after_a_bend("DR8"), SIGNATURE_CONTAMINATION);
	assert_int_equal(named_after_a_bend("4x200G-DR2"),
			 SIGNATURE_CONTAMINATION);	/* in one plug */
	assert_int_not_equal(named_after_a_bend("FR8"), SIGNATURE_BENT_FIBRE);
}

/* Four lanes of one plug have less light than four of another: none stands
 * apart from its own.
 */
static void test_lane_imbalance_is_within_a_plug(void **state)
{
	(void)state;
	for (int one = 0; one < 2; one++) {
		struct play p;

		media_set(&p, one ? "DR8" : "2xFR4", 8);
		for (unsigned i = 0; i < 3; i++)
			p.rx_dbm[i] = -3.5;
		p.rx_dbm[3] = one ? 0 : -3.5;
		play_for(&p, 150);
		assert_int_equal(play_said(&p, SIGNATURE_LANE_IMBALANCE,
					   FINDING_RAISED), one);
		play_fini(&p);
	}
}

/* Monitors of light may be off by as much: it is told where errors bear it
 * out.
 */
static void test_lane_imbalance_by_light_alone_is_large(void **state)
{
	(void)state;
	for (int more = 0; more < 3; more++) {
		struct play p;

		play_init(&p, 10);
		p.rx_dbm[2] = more == 1 ? -3.2 : -2.6;
		p.log_ber = more == 2 ? -5.8 : -7;
		play_for(&p, 150);
		assert_int_equal(play_said(&p, SIGNATURE_LANE_IMBALANCE,
					   FINDING_RAISED), more > 0);
		play_fini(&p);
	}
}

static void lanes_read(struct play *p, unsigned worse, int64_t ber_e18,
		       int64_t snr_mdb)
{
	for (unsigned i = 0; i < 4; i++) {
		inputs_set(&p->k, INPUT_LANE_BER_E18 + i,
			   i == worse ? ber_e18 : 100000000000);
		inputs_set(&p->k, INPUT_SNR_MDB + i,
			   i == worse ? snr_mdb : 22000);
	}
}

/* A lane that left its siblings a minute after it was first seen did not always
 * differ, though nobody knows yet what errors are usual.
 */
static void test_lane_imbalance_is_none_of_a_young_fault(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 10);
	lanes_read(&p, 1, 100000000000, 22000);
	play_for(&p, 60);
	lanes_read(&p, 1, 700000000000000, 15500);
	p.rx_dbm[1] = -4;
	p.log_ber = -3.7;
	play_for(&p, 600);
	assert_null(play_last(&p, SIGNATURE_LANE_IMBALANCE));
	assert_non_null(play_last(&p, SIGNATURE_CONTAMINATION));
	play_fini(&p);
}


/* One that differed while it began, by errors or by its ratio alone, and no
 * longer does.
 */
static void test_lane_imbalance_ends_with_the_beginning(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	for (int by_errors = 0; by_errors < 2; by_errors++) {
		play_init(&p, 10);
		p.log_ber = -5.3;
		lanes_read(&p, 1, by_errors ? 700000000000000 : 5000000000000,
			   15500);
		play_for(&p, 60);
		lanes_read(&p, 1, by_errors ? 100000000000 : 5000000000000,
			   22000);
		for (unsigned i = 0; i < 4 && !by_errors; i++)
			inputs_set(&p.k, INPUT_LANE_BER_E18 + i, 5000000000000);
		play_for(&p, 1200);
		f = play_last(&p, SIGNATURE_LANE_IMBALANCE);
		if (f)
			assert_int_equal(f->state, FINDING_CLEARED);
		play_fini(&p);
	}
}

/* By what the module counts on each lane. */
static void test_lane_imbalance_by_errors_of_the_lane(void **state)
{
	struct play p;
	const struct finding *f;

	(void)state;
	play_init(&p, 10);
	for (unsigned i = 0; i < 4; i++)
		inputs_set(&p.k, INPUT_LANE_BER_E18 + i,
			   i == 1 ? 40000000000000 : 1000000000000);
	play_for(&p, 120);
	f = play_last(&p, SIGNATURE_LANE_IMBALANCE);
	assert_non_null(f);
	assert_int_equal(f->lanes, 1 << 1);
	play_fini(&p);
}

/* Few errors on all of them, and a hundred times as many on one: that is half a
 * dB, as lanes of a healthy module differ.
 */
static void test_lane_imbalance_is_none_of_few_errors(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 10);
	lanes_read(&p, 1, 200000000000, 18000);	/* and its noise is theirs */
	for (unsigned i = 0; i < 4; i++)
		if (i != 1)
			inputs_set(&p.k, INPUT_LANE_BER_E18 + i, 1000000000);
	play_for(&p, 120);
	assert_null(play_last(&p, SIGNATURE_LANE_IMBALANCE));
	play_fini(&p);
}

/* Among five ports of its kind that are well, with errors of that level and a
 * lane with so much less light.
 */
static void among_others(struct play *p, double log_ber, double lane_dbm)
{
	struct play other[5];

	play_init(p, 10);
	for (unsigned i = 0; i < 5; i++) {
		other[i] = *p;
		(void)snprintf(other[i].facts.name,
			       sizeof(other[i].facts.name), "Ethernet%u",
			       16 + 8 * i);
		assert_int_equal(engine_port(p->engine, &other[i].facts,
					     &other[i].port), 0);
	}
	p->log_ber = log_ber;
	p->rx_dbm[1] = lane_dbm;
	for (unsigned t = 0; t < 100; t++) {
		play_once(p);
		for (unsigned i = 0; i < 5; i++)
			play_once(&other[i]);
	}
}

/* A lane that makes the errors which the port always had is told for them. */
static void test_lane_imbalance_explains_old_errors(void **state)
{
	const struct finding *open;
	struct play p;

	(void)state;
	among_others(&p, -4.6, -1.4);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_int_equal(open->signature, SIGNATURE_LANE_IMBALANCE);
	assert_int_equal(open->lanes, 1 << 1);
	assert_int_equal(open->severity, SEVERITY_WATCH);
	assert_non_null(strstr(open->cause, "less light"));
	/* What grows then is not the lane's. */
	p.log_ber = -3.4;
	play_for(&p, 300);
	assert_int_equal(engine_findings(p.engine, &open), 2);
	play_fini(&p);
	/* So little less light does not make so many. */
	among_others(&p, -4.2, -0.8);
	assert_null(play_last(&p, SIGNATURE_LANE_IMBALANCE));
	play_fini(&p);
}

/* Errors that swing about the limit below which other ports are not asked do
 * not end it.
 */
static void test_lane_imbalance_goes_on_at_the_limit(void **state)
{
	struct play p;

	(void)state;
	among_others(&p, -4.8, -1.4);
	assert_int_equal(play_said(&p, SIGNATURE_LANE_IMBALANCE,
				   FINDING_RAISED), 1);
	for (int i = 0; i < 4; i++) {
		p.log_ber = i % 2 ? -4.8 : -5;
		play_for(&p, 1500);
	}
	assert_int_equal(play_said(&p, SIGNATURE_LANE_IMBALANCE,
				   FINDING_CLEARED), 0);
	play_fini(&p);
}

/* Codewords that its errors lose are urgent; those of a burst are another's. */
static void test_lane_imbalance_is_urgent_by_its_errors(void **state)
{
	static const struct {
		double log_ber;
		enum severity severity;
	} rows[] = {
		{ -6.5, SEVERITY_WATCH }, { -3.8, SEVERITY_CRITICAL },
	};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct play p;

		play_init(&p, 10);
		p.rx_dbm[2] = -3.5;
		p.log_ber = rows[i].log_ber;
		for (int64_t lost = 0; lost < 900; lost += 10) {
			inputs_set(&p.k, INPUT_FEC_UNCORRECTABLE_CW, lost);
			play_for(&p, 10);
		}
		assert_int_equal(play_last(&p, SIGNATURE_LANE_IMBALANCE)->
				 severity, rows[i].severity);
		play_fini(&p);
	}
}

static void test_lane_imbalance_is_none_of_lanes_alike(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 10);
	p.rx_dbm[0] = 0.9;
	p.rx_dbm[3] = -0.8;
	for (unsigned i = 0; i < 4; i++) {
		inputs_set(&p.k, INPUT_LANE_BER_E18 + i,
			   1000000000 * (1 + 2 * i));
		inputs_set(&p.k, INPUT_SNR_MDB + i, 21000 + 300 * (int)i);
	}
	play_for(&p, 300);
	assert_int_equal(p.count, 0);
	play_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_light_loss_is_told_without_errors),
		cmocka_unit_test(
			test_light_loss_is_told_at_once_without_errors),
		cmocka_unit_test(test_light_loss_is_none_when_errors_deny_it),
		cmocka_unit_test(
			test_light_loss_is_not_denied_by_errors_of_before),
		cmocka_unit_test(
			test_light_loss_that_errors_deny_is_one_finding),
		cmocka_unit_test(test_light_loss_small_ones_are_none),
		cmocka_unit_test(test_light_loss_that_took_the_link_down),
		cmocka_unit_test(
		test_light_loss_too_small_to_take_the_link_down),
		cmocka_unit_test(
			test_light_loss_of_a_plug_put_in_again_is_none),
		cmocka_unit_test(test_light_loss_that_is_read_late_is_one),
		cmocka_unit_test(test_light_loss_of_a_plug_that_is_dirty_now),
		cmocka_unit_test(test_light_loss_of_a_plug_is_far_from_harm),
		cmocka_unit_test(
			test_light_loss_that_fades_began_with_its_errors),
		cmocka_unit_test(test_light_loss_goes_on_with_its_errors),
		cmocka_unit_test(
			test_light_loss_beside_errors_that_it_does_not_make),
		cmocka_unit_test(test_light_loss_of_a_link_that_keeps_falling),
		cmocka_unit_test(test_light_loss_tells_what_is_likelier),
		cmocka_unit_test(test_light_loss_beside_errors_that_were_there),
		cmocka_unit_test(test_light_loss_of_a_plug_beside_errors),
		cmocka_unit_test(
			test_light_loss_of_a_lane_that_fades_beside_dirt),
		cmocka_unit_test(test_light_loss_after_errors_that_wandered),
		cmocka_unit_test(test_light_loss_of_errors_that_light_makes),
		cmocka_unit_test(test_light_loss_of_a_long_outage_is_one_fault),
		cmocka_unit_test(test_light_is_low_at_first_sight),
		cmocka_unit_test(test_light_that_is_not_low_at_first_sight),
		cmocka_unit_test(
			test_light_that_is_low_on_one_lane_is_that_lanes),
		cmocka_unit_test(test_lane_imbalance_of_one_that_always_was),
		cmocka_unit_test(test_lane_imbalance_acts_by_the_medium),
		cmocka_unit_test(test_lane_imbalance_by_light_alone_is_large),
		cmocka_unit_test(test_light_of_one_fibre_of_several),
		cmocka_unit_test(test_lane_imbalance_is_within_a_plug),
		cmocka_unit_test(test_lane_imbalance_is_none_of_a_young_fault),
		cmocka_unit_test(test_lane_imbalance_ends_with_the_beginning),
		cmocka_unit_test(test_lane_imbalance_by_errors_of_the_lane),
		cmocka_unit_test(test_lane_imbalance_is_none_of_few_errors),
		cmocka_unit_test(test_lane_imbalance_explains_old_errors),
		cmocka_unit_test(test_lane_imbalance_goes_on_at_the_limit),
		cmocka_unit_test(test_lane_imbalance_is_urgent_by_its_errors),
		cmocka_unit_test(test_lane_imbalance_is_none_of_lanes_alike),
	};

	return cmocka_run_group_tests_name("light loss", tests, NULL, NULL);
}
