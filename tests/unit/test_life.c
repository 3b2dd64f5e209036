/* C8: one test an arrow of a finding's life. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "agent/signature/detector.h"
#include "agent/signature/life.h"
#include "tests/support/port_play.h"

static void grown(struct play *p)
{
	play_init(p, 1);
	play_for(p, 900);
	play_ramp(p, 600, -5.5);
}

static void test_c08_finding_is_raised_once(void **state)
{
	struct play p;
	const struct finding *f;
	char id[FINDING_ID_LEN + 1];

	(void)state;
	grown(&p);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_RAISED), 1);
	f = play_last(&p, SIGNATURE_FEC_TREND);
	assert_string_equal(f->subject, "Ethernet8");
	assert_int_equal(f->cause[0] != '\0', 1);
	assert_in_range(f->end, 1, END_COUNT - 1);
	assert_in_range(f->action, 1, ACTION_COUNT - 1);
	assert_in_range(f->drain, 1, DRAIN_COUNT - 1);
	assert_true(f->confidence > 0 && f->confidence <= 1);
	finding_id_make("leaf1", f->subject, f->signature, f->onset_wall, id);
	assert_string_equal(f->id, id);
	play_fini(&p);
}

static void test_c08_onset_is_before_the_raise_and_near_the_truth(void **state)
{
	struct play p;
	const struct finding *f;

	(void)state;
	grown(&p);
	f = &p.said[0];
	assert_true(f->onset.ns < f->when.ns);
	assert_in_range(f->onset.ns / NS_PER_S, 100000 + 890, 100000 + 1000);
	assert_int_equal(f->when_wall.ns - f->onset_wall.ns,
			 f->when.ns - f->onset.ns);
	play_fini(&p);
}

static void test_c08_worse_is_an_update_with_the_same_id(void **state)
{
	struct play p;

	(void)state;
	grown(&p);
	play_ramp(&p, 600, -3.5);
	assert_true(play_said(&p, SIGNATURE_FEC_TREND, FINDING_UPDATED) > 0);
	for (unsigned i = 1; i < p.count && i < PLAY_SAID_MAX; i++)
		assert_string_equal(p.said[i].id, p.said[0].id);
	assert_int_equal(play_last(&p, SIGNATURE_FEC_TREND)->severity,
			 SEVERITY_CRITICAL);
	play_fini(&p);
}

static void test_c08_quiet_for_the_hold_time_clears(void **state)
{
	struct play p;
	const struct finding *open;

	(void)state;
	grown(&p);
	p.log_ber = -7;
	play_for(&p, 500);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_CLEARED),
			 0);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	play_for(&p, 300);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_CLEARED),
			 1);
	assert_int_equal(engine_findings(p.engine, &open), 0);
	play_fini(&p);
}

static void test_c08_again_soon_keeps_id_and_onset(void **state)
{
	struct play p;
	const struct finding *f;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 60);
	play_drop(&p, 20);
	play_for(&p, 200);
	play_drop(&p, 20);
	f = play_last(&p, SIGNATURE_LINK_DOWN);
	assert_int_equal(play_said(&p, SIGNATURE_LINK_DOWN, FINDING_RAISED), 2);
	assert_string_equal(f->id, p.said[0].id);
	assert_int_equal(f->onset.ns, p.said[0].onset.ns);
	play_fini(&p);
}

static void test_c08_again_later_is_another_finding(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 60);
	play_drop(&p, 20);
	play_for(&p, 3000);
	play_drop(&p, 20);
	assert_string_not_equal(play_last(&p, SIGNATURE_LINK_DOWN)->id,
				p.said[0].id);
	play_fini(&p);
}

/* It comes, is quiet for two hours, and comes again. True: with the same id. */
static bool comes_again_as_it_was(bool swapped)
{
	struct play p;
	bool same;

	grown(&p);
	p.log_ber = -7;
	play_for(&p, 3600);
	if (swapped)
		engine_event(p.engine, p.port, ENGINE_MODULE_SWAPPED, p.k.t,
			     (struct wall){ 1 });
	play_for(&p, 3600);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_CLEARED),
			 1);
	play_ramp(&p, 600, -5.5);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_RAISED), 2);
	same = strcmp(play_last(&p, SIGNATURE_FEC_TREND)->id,
		      p.said[0].id) == 0;
	play_fini(&p);
	return same;
}

/* Ten minutes held it: what comes back within hours is the same. */
static void test_c08_soon_goes_with_the_hold(void **state)
{
	(void)state;
	assert_true(comes_again_as_it_was(false));
}

static void test_c08_of_another_module_is_another_finding(void **state)
{
	(void)state;
	assert_false(comes_again_as_it_was(true));
}

static void test_c08_hold_doubles_each_time(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 60);
	for (int i = 0; i < 3; i++) {	/* too far apart for flap_burst */
		play_drop(&p, 15);
		play_for(&p, 275);
	}
	play_drop(&p, 15);
	p.count = 0;
	play_for(&p, 100);		/* 30 s held it at first */
	assert_int_equal(p.count, 0);
	play_for(&p, 200);
	assert_int_equal(play_said(&p, SIGNATURE_LINK_DOWN, FINDING_CLEARED),
			 1);
	play_fini(&p);
}

static void test_c08_symptom_is_folded_into_its_cause(void **state)
{
	struct play p;
	const struct finding *f;
	bool told = false;

	(void)state;
	grown(&p);
	play_ramp(&p, 300, -4);		/* near the cliff a link may fall */
	play_drop(&p, 60);
	assert_int_equal(play_said(&p, SIGNATURE_LINK_DOWN, 0), 0);
	f = play_last(&p, SIGNATURE_FEC_TREND);
	assert_int_equal(f->state, FINDING_UPDATED);
	for (unsigned i = 0; i < f->evidence_count; i++)
		told |= strcmp(f->evidence[i].name, "with_link_down") == 0;
	assert_true(told);
	play_drop(&p, 1000);	/* longer than a restart */
	assert_int_equal(play_said(&p, SIGNATURE_LINK_DOWN, 0), 0);
	play_fini(&p);
}

/* Far from it a fall is another fault, when it lasts for longer than a restart
 * of the peer does.
 */
static void test_c08_what_a_cause_does_not_explain_is_told(void **state)
{
	struct play p;

	(void)state;
	grown(&p);
	play_drop(&p, 60);
	assert_int_equal(play_said(&p, SIGNATURE_LINK_DOWN, 0), 0);
	play_drop(&p, 2000);
	assert_int_equal(play_said(&p, SIGNATURE_LINK_DOWN, FINDING_RAISED),
			 1);
	play_fini(&p);
}

/* What is wrong at this end is told at once, whatever else is. */
static void test_c08_a_fall_of_this_end_is_told_beside(void **state)
{
	struct play p;

	(void)state;
	grown(&p);
	inputs_set(&p.k, INPUT_DOWN_REASON, DOWN_TX_FAULT);
	play_drop(&p, 5);
	assert_int_equal(play_said(&p, SIGNATURE_LINK_DOWN, FINDING_RAISED),
			 1);
	play_fini(&p);
}

static void test_c08_symptom_goes_on_as_its_cause(void **state)
{
	struct play p;
	const struct finding *open;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 120);
	for (int i = 0; i < 3; i++) {
		play_drop(&p, 4);
		play_for(&p, 16);
	}
	assert_int_equal(play_said(&p, SIGNATURE_LINK_DOWN, FINDING_RAISED),
			 1);
	assert_int_equal(play_said(&p, SIGNATURE_FLAP_BURST, FINDING_UPDATED),
			 1);
	assert_int_equal(play_said(&p, SIGNATURE_LINK_DOWN, FINDING_CLEARED),
			 0);
	assert_int_equal(engine_findings(p.engine, &open), 1);
	assert_int_equal(open->signature, SIGNATURE_FLAP_BURST);
	assert_int_equal(open->was, SIGNATURE_LINK_DOWN);
	assert_string_equal(open->id, p.said[0].id);
	assert_int_equal(open->onset.ns, p.said[0].onset.ns);
	play_fini(&p);
}

/* Errors near the cliff are a warning; that the link falls all the time by them
 * is worse.
 */
static void test_c08_cause_is_as_bad_as_its_symptom(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 1800);
	p.log_ber = -4.3;
	play_for(&p, 900);
	assert_int_equal(play_last(&p, SIGNATURE_FEC_TREND)->severity,
			 SEVERITY_WARN);
	for (int i = 0; i < 10; i++) {
		play_drop(&p, 4);
		play_for(&p, 16);
	}
	assert_int_equal(play_said(&p, SIGNATURE_FLAP_BURST, 0), 0);
	assert_int_equal(play_last(&p, SIGNATURE_FEC_TREND)->severity,
			 SEVERITY_CRITICAL);
	play_fini(&p);
}

static void light_of_all(struct play *p, float dbm)
{
	for (unsigned i = 0; i < 4; i++)
		p->rx_dbm[i] = dbm;
}

/* Light goes and comes back every quarter of an hour, and takes the link down
 * each time: link_down that goes on as the loss of light comes again too.
 */
static void test_c08_hold_doubles_for_what_went_on_as_its_cause(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 600);
	for (int i = 0; i < 12; i++) {
		light_of_all(&p, -12);
		play_drop(&p, 40);
		light_of_all(&p, 0);
		play_for(&p, 860);
	}
	assert_int_equal(play_said(&p, SIGNATURE_LINK_DOWN, FINDING_RAISED),
			 2);
	assert_true(play_said(&p, SIGNATURE_BENT_FIBRE, FINDING_CLEARED) +
		    play_said(&p, SIGNATURE_CONTAMINATION, FINDING_CLEARED) <=
		    2);
	assert_int_equal(play_said(&p, SIGNATURE_FLAP_BURST, 0), 0);
	assert_int_equal(play_said(&p, SIGNATURE_SENSOR_FAULT, 0), 0);
	play_fini(&p);
}

static void test_c08_restored_finding_keeps_its_id_when_seen_again(void **state)
{
	struct play p, next;
	const struct finding *open;

	(void)state;
	grown(&p);
	(void)engine_findings(p.engine, &open);
	play_init(&next, 1);
	next.t_s = p.t_s;
	next.log_ber = p.log_ber;
	assert_int_equal(engine_restore(next.engine, open), 0);
	play_ramp(&next, 900, -4.5);
	assert_int_equal(play_said(&next, SIGNATURE_FEC_TREND, FINDING_RAISED),
			 0);
	assert_true(play_said(&next, SIGNATURE_FEC_TREND, FINDING_UPDATED) > 0);
	assert_string_equal(play_last(&next, SIGNATURE_FEC_TREND)->id,
			    open->id);
	play_fini(&p);
	play_fini(&next);
}

static void test_c08_restored_finding_clears_when_not_seen(void **state)
{
	struct play p, next;
	const struct finding *open;

	(void)state;
	grown(&p);
	(void)engine_findings(p.engine, &open);
	play_init(&next, 1);
	next.t_s = p.t_s;
	assert_int_equal(engine_restore(next.engine, open), 0);
	play_for(&next, 500);
	assert_int_equal(next.count, 0);
	play_for(&next, 300);
	assert_int_equal(next.count, 1);
	assert_int_equal(next.said[0].state, FINDING_CLEARED);
	assert_string_equal(next.said[0].id, open->id);
	play_fini(&p);
	play_fini(&next);
}

static void test_c08_restore_of_an_unknown_port_is_refused(void **state)
{
	struct play p;
	struct finding f = { .signature = SIGNATURE_LINK_DOWN,
			     .subject = "Ethernet999" };

	(void)state;
	play_init(&p, 1);
	assert_int_equal(engine_restore(p.engine, &f), -ENOENT);
	memcpy(f.subject, "Ethernet8", sizeof("Ethernet8"));
	f.signature = SIGNATURE_PFC_STORM;
	assert_int_equal(engine_restore(p.engine, &f), -ENOENT);
	play_fini(&p);
}

/* Errors that grew and light that was lost may have one name; an earlier run
 * told both, and no memory says which detector told which.
 */
static void test_c08_two_of_one_name_are_both_restored(void **state)
{
	struct play p;
	const struct finding *open;
	struct finding of_light = { .signature = SIGNATURE_LANE_IMBALANCE,
				    .severity = SEVERITY_WARN,
				    .subject = "Ethernet8", .id = "AAAA" };
	struct finding of_errors = of_light, of_lane = of_light;

	(void)state;
	play_init(&p, 1);
	evidence_add(&of_light, "rx_drop_db", 4);
	evidence_add(&of_errors, "excess_decades", 3);
	evidence_add(&of_errors, "rx_drop_db", 4);
	memcpy(of_errors.id, "BBBB", sizeof("BBBB"));
	memcpy(of_lane.id, "CCCC", sizeof("CCCC"));
	assert_int_equal(engine_restore(p.engine, &of_light), 0);
	assert_int_equal(engine_restore(p.engine, &of_errors), 0);
	assert_int_equal(engine_restore(p.engine, &of_lane), 0);
	assert_int_equal(engine_findings(p.engine, &open), 3);
	play_fini(&p);
}

/* It would stay open at the collector for ever. */
static void test_c08_whose_place_is_taken_ends(void **state)
{
	struct play p;
	struct finding f = { .signature = SIGNATURE_LINK_DOWN,
			     .severity = SEVERITY_WARN,
			     .subject = "Ethernet8", .id = "AAAA" };

	(void)state;
	play_init(&p, 1);
	assert_int_equal(engine_restore(p.engine, &f), 0);
	assert_int_equal(engine_restore(p.engine, &f), 0);
	memcpy(f.id, "BBBB", sizeof("BBBB"));
	assert_int_equal(engine_restore(p.engine, &f), -EEXIST);
	engine_lost(p.engine, &f, (struct mono){ NS_PER_S },
		    (struct wall){ NS_PER_S });
	assert_int_equal(p.count, 1);
	assert_int_equal(p.said[0].state, FINDING_CLEARED);
	assert_string_equal(p.said[0].cause,
			    "another finding goes on in its place");
	play_fini(&p);
}

static void test_c08_port_gone_clears_its_findings(void **state)
{
	struct play p;
	const struct finding *open;

	(void)state;
	grown(&p);
	engine_port_gone(p.engine, p.port, p.k.t, (struct wall){ 1 });
	assert_int_equal(engine_findings(p.engine, &open), 0);
	assert_int_equal(play_last(&p, SIGNATURE_FEC_TREND)->state,
			 FINDING_CLEARED);
	play_once(&p);			/* and says nothing more */
	assert_int_equal(engine_findings(p.engine, &open), 0);
	play_fini(&p);
}

static void test_c08_another_module_ends_what_was_of_the_old_one(void **state)
{
	struct play p;

	(void)state;
	grown(&p);
	memcpy(p.k.serial, "SN2", 4);
	play_once(&p);
	assert_int_equal(play_last(&p, SIGNATURE_FEC_TREND)->state,
			 FINDING_CLEARED);
	assert_string_equal(play_last(&p, SIGNATURE_FEC_TREND)->cause,
			    "another module was inserted");
	play_fini(&p);
}

static void test_c08_changes_before_onset_are_named(void **state)
{
	struct play p;
	const struct finding *f;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 300);
	engine_event(p.engine, ENGINE_ALL_PORTS, ENGINE_RELOAD, p.k.t,
		     (struct wall){ 1 });
	play_for(&p, 600);
	play_ramp(&p, 600, -5.5);
	f = &p.said[0];
	assert_int_equal(f->change_count, 1);
	assert_non_null(strstr(f->change[0], "configuration reloaded"));
	play_fini(&p);
}

static void test_c08_changes_long_before_onset_are_not(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 100);
	engine_event(p.engine, ENGINE_ALL_PORTS, ENGINE_RELOAD, p.k.t,
		     (struct wall){ 1 });
	play_for(&p, 1200);
	play_ramp(&p, 600, -5.5);
	assert_int_equal(p.said[0].change_count, 0);
	play_fini(&p);
}

static void test_c08_nothing_flaps_at_the_gate(void **state)
{
	struct play p;

	(void)state;
	grown(&p);
	p.count = 0;
	for (int i = 0; i < 60; i++) {	/* above and below, each minute */
		p.log_ber = i % 2 ? -7 : -6.2;
		play_for(&p, 60);
	}
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_RAISED), 0);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, FINDING_CLEARED),
			 0);
	assert_in_range(p.count, 0, 8);
	play_fini(&p);
}

static double evidence_of(const struct finding *f, const char *name)
{
	for (unsigned i = 0; i < f->evidence_count; i++)
		if (strcmp(f->evidence[i].name, name) == 0)
			return f->evidence[i].value;
	return -1;
}

/* What is asked for is told as it is then, though nothing new was said. */
static void test_c08_finding_is_a_view(void **state)
{
	const struct finding *f;
	struct play p;
	unsigned said;
	double s;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 900);
	p.up = false;
	play_for(&p, 960);
	said = p.count;
	assert_int_equal(engine_findings(p.engine, &f), 1);
	assert_int_equal(f->signature, SIGNATURE_LINK_DOWN);
	s = evidence_of(f, "down_s");
	assert_true(s >= 956 && s <= 960);
	play_for(&p, 600);
	assert_int_equal(p.count, said);
	assert_int_equal(engine_findings(p.engine, &f), 1);
	s = evidence_of(f, "down_s");
	assert_true(s >= 1556 && s <= 1560);
	p.up = true;
	play_for(&p, 200);
	assert_int_equal(engine_findings(p.engine, &f), 0);
	assert_true(evidence_of(play_last(&p, SIGNATURE_LINK_DOWN),
				"down_s") > 650);
	play_fini(&p);
}

/* One finding whose view the test writes itself, to see what of it is news. */
struct news {
	struct life life;
	struct life_slot slot;
	struct changes changes;
	struct finding view;		/* severity aside: say() has it */
	int64_t t_s;
	unsigned count;
	enum severity described;	/* how bad it was when it was asked */
};

static void news_describe(const struct verdict *w, struct finding *f)
{
	struct news *n = (void *)(uintptr_t)w->mine;

	n->described = f->severity;
	f->end = END_PATH;
	f->action = ACTION_CLEAN_NEAR;
	f->onset.ns = 100000 * NS_PER_S;
	f->drain = n->view.drain;
	f->lanes = n->view.lanes;
	f->cliff = n->view.cliff;
	f->cause_id = n->view.cause_id;
	memcpy(f->cause, n->view.cause, sizeof(f->cause));
}

static void news_count(void *context, const struct finding *f)
{
	struct news *n = context;

	n->count += f->state == FINDING_UPDATED;
}

/* Says it each minute for so long; returns the updates that it brought. */
static unsigned news_say(struct news *n, enum severity severity, int64_t s)
{
	const struct life_subject subject = { .slots = &n->slot };
	unsigned before = n->count;

	for (int64_t end_s = n->t_s + s; n->t_s < end_s; n->t_s += 60) {
		struct mono now = { (100000 + n->t_s) * NS_PER_S };
		struct verdict w = { .name = "Ethernet8", .kind = SUBJECT_PORT,
				     .signature = SIGNATURE_CONTAMINATION,
				     .severity = severity,
				     .hold_ns = 600 * NS_PER_S, .now = now,
				     .changes = &n->changes,
				     .describe = news_describe, .mine = n };

		life_take(&n->life, &subject, 0, &w);
	}
	return n->count - before;
}

static void news_open(struct news *n)
{
	memset(n, 0, sizeof(*n));
	assert_int_equal(life_init(&n->life, 1, "leaf1", news_count, n), 0);
	life_slot_start(&n->slot);
	n->view.drain = DRAIN_NONE;
	(void)strcpy(n->view.cause, "errors grew");
	assert_int_equal(news_say(n, SEVERITY_WARN, 600), 0);
}

/* Words and lanes that come and go all day are told a few times, a cause as
 * soon as it changes.
 */
static void test_c08_other_words_are_news_ever_more_rarely(void **state)
{
	unsigned first = 0, last = 0;
	struct news n;

	(void)state;
	news_open(&n);
	for (unsigned i = 0; i < 24 * 30; i++) {
		unsigned told;

		(void)strcpy(n.view.cause, i % 2 ? "errors grew" :
			     "errors grew (or contamination, 9 %)");
		n.view.lanes = i % 3;
		told = news_say(&n, SEVERITY_WARN, 120);
		*(i < 30 ? &first : &last) += told;
	}
	assert_in_range(first, 3, 12);
	assert_in_range(last, 3, 20);
	n.view.cause_id = CAUSE_BENT_FIBRE;
	assert_int_equal(news_say(&n, SEVERITY_WARN, 120), 1);
	n.view.cause_id = CAUSE_FAR_LASER_FADES;
	assert_int_equal(news_say(&n, SEVERITY_WARN, 120), 1);
	last = 0;
	/* … but not back to what it was. */
	for (unsigned i = 0; i < 24 * 30; i++) {
		n.view.cause_id = i % 2 ? CAUSE_FAR_LASER_FADES :
					  CAUSE_BENT_FIBRE;
		last += news_say(&n, SEVERITY_WARN, 120);
	}
	assert_in_range(last, 1, 10);
	life_fini(&n.life);
}

/* Worse is told each time, better ever later: two hours of each, all day. */
static void test_c08_what_rises_again_is_lowered_later(void **state)
{
	unsigned told[6];
	struct news n;

	(void)state;
	news_open(&n);
	for (unsigned i = 0; i < 6; i++) {
		told[i] = news_say(&n, SEVERITY_CRITICAL, 7200);
		told[i] += news_say(&n, SEVERITY_WARN, 7200);
	}
	assert_int_equal(told[0], 2);
	assert_int_equal(told[1], 2);
	assert_int_equal(told[4] + told[5], 0);
	assert_int_equal(news_say(&n, SEVERITY_WARN, 9 * 3600), 1);
	life_fini(&n.life);
}

/* Words and actions depend on how bad it is. */
static void test_c08_is_described_as_bad_as_it_is(void **state)
{
	struct news n;

	(void)state;
	memset(&n, 0, sizeof(n));
	assert_int_equal(life_init(&n.life, 1, "leaf1", news_count, &n), 0);
	life_slot_start(&n.slot);
	(void)news_say(&n, SEVERITY_WARN, 60);
	assert_int_equal(n.described, SEVERITY_WARN);
	(void)news_say(&n, SEVERITY_CRITICAL, 60);
	assert_int_equal(n.described, SEVERITY_CRITICAL);
	life_fini(&n.life);
}

/* The same for the drain, for half an hour. */
static void test_c08_drain_is_held(void **state)
{
	struct news n;

	(void)state;
	news_open(&n);
	n.view.drain = DRAIN_URGE;
	assert_int_equal(news_say(&n, SEVERITY_WARN, 120), 1);
	for (unsigned i = 0; i < 20; i++) {
		n.view.drain = i % 2 ? DRAIN_URGE : DRAIN_ADVISE;
		assert_int_equal(news_say(&n, SEVERITY_WARN, 1200), 0);
		assert_int_equal(n.life.pool[0].drain, DRAIN_URGE);
	}
	n.view.drain = DRAIN_ADVISE;
	assert_int_equal(news_say(&n, SEVERITY_WARN, 2400), 0);
	assert_int_equal(n.life.pool[0].drain, DRAIN_ADVISE);
	n.view.drain = DRAIN_URGE;
	assert_int_equal(news_say(&n, SEVERITY_WARN, 120), 0);
	life_fini(&n.life);
}

/* … but no longer than the finding is as bad. */
static void test_c08_drain_is_lowered_with_the_severity(void **state)
{
	struct news n;

	(void)state;
	news_open(&n);
	n.view.drain = DRAIN_URGE;
	(void)news_say(&n, SEVERITY_CRITICAL, 600);
	n.view.drain = DRAIN_NONE;
	(void)news_say(&n, SEVERITY_WATCH, 1740);
	assert_int_equal(n.life.pool[0].severity, SEVERITY_CRITICAL);
	assert_int_equal(n.life.pool[0].drain, DRAIN_URGE);
	(void)news_say(&n, SEVERITY_WATCH, 180);
	assert_int_equal(n.life.pool[0].severity, SEVERITY_WATCH);
	assert_int_equal(n.life.pool[0].drain, DRAIN_NONE);
	life_fini(&n.life);
}

/* The date of a cliff is news when it left what was told, not for its noise. */
static void test_c08_date_within_what_was_told_is_none(void **state)
{
	struct news n;

	(void)state;
	news_open(&n);
	n.view.cliff = (struct cliff){ true, 36000, 72000, 144000 };
	assert_int_equal(news_say(&n, SEVERITY_WARN, 120), 1);
	for (unsigned i = 0; i < 20; i++) {
		n.view.cliff.mid_s = i % 2 ? 60000 : 90000;
		assert_int_equal(news_say(&n, SEVERITY_WARN, 120), 0);
	}
	n.view.cliff.mid_s = 40000;
	assert_int_equal(news_say(&n, SEVERITY_WARN, 120), 1);
	n.view.cliff = (struct cliff){ true, 35000, 40000, 45000 };
	assert_int_equal(news_say(&n, SEVERITY_WARN, 600), 1);
	n.view.cliff = (struct cliff){ true, 0, 30000,
				       FINDING_NO_UPPER_BOUND };
	(void)news_say(&n, SEVERITY_WARN, 20000);
	assert_in_range(news_say(&n, SEVERITY_WARN, 36000), 0, 2);
	life_fini(&n.life);
}

/* "In ten hours or later" is told by its lower end alone. */
static void test_c08_open_date_is_its_lower_end(void **state)
{
	struct news n;

	(void)state;
	news_open(&n);
	n.view.cliff = (struct cliff){ true, 36000, 72000,
				       FINDING_NO_UPPER_BOUND };
	assert_int_equal(news_say(&n, SEVERITY_WARN, 120), 1);
	n.view.cliff.mid_s = 300000;
	assert_int_equal(news_say(&n, SEVERITY_WARN, 600), 0);
	n.view.cliff.low_s = 15000;
	assert_int_equal(news_say(&n, SEVERITY_WARN, 600), 1);
	life_fini(&n.life);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c08_finding_is_raised_once),
		cmocka_unit_test(
			test_c08_onset_is_before_the_raise_and_near_the_truth),
		cmocka_unit_test(test_c08_worse_is_an_update_with_the_same_id),
		cmocka_unit_test(test_c08_quiet_for_the_hold_time_clears),
		cmocka_unit_test(test_c08_again_soon_keeps_id_and_onset),
		cmocka_unit_test(test_c08_again_later_is_another_finding),
		cmocka_unit_test(test_c08_soon_goes_with_the_hold),
		cmocka_unit_test(test_c08_of_another_module_is_another_finding),
		cmocka_unit_test(test_c08_hold_doubles_each_time),
		cmocka_unit_test(test_c08_symptom_is_folded_into_its_cause),
		cmocka_unit_test(
			test_c08_what_a_cause_does_not_explain_is_told),
		cmocka_unit_test(test_c08_a_fall_of_this_end_is_told_beside),
		cmocka_unit_test(test_c08_symptom_goes_on_as_its_cause),
		cmocka_unit_test(test_c08_cause_is_as_bad_as_its_symptom),
		cmocka_unit_test(
			test_c08_hold_doubles_for_what_went_on_as_its_cause),
		cmocka_unit_test(
			test_c08_restored_finding_keeps_its_id_when_seen_again),
		cmocka_unit_test(
			test_c08_restored_finding_clears_when_not_seen),
		cmocka_unit_test(
			test_c08_restore_of_an_unknown_port_is_refused),
		cmocka_unit_test(
			test_c08_two_of_one_name_are_both_restored),
		cmocka_unit_test(test_c08_whose_place_is_taken_ends),
		cmocka_unit_test(test_c08_port_gone_clears_its_findings),
		cmocka_unit_test(
			test_c08_another_module_ends_what_was_of_the_old_one),
		cmocka_unit_test(test_c08_changes_before_onset_are_named),
		cmocka_unit_test(test_c08_changes_long_before_onset_are_not),
		cmocka_unit_test(test_c08_nothing_flaps_at_the_gate),
		cmocka_unit_test(test_c08_finding_is_a_view),
		cmocka_unit_test(
			test_c08_other_words_are_news_ever_more_rarely),
		cmocka_unit_test(test_c08_what_rises_again_is_lowered_later),
		cmocka_unit_test(test_c08_is_described_as_bad_as_it_is),
		cmocka_unit_test(test_c08_drain_is_held),
		cmocka_unit_test(test_c08_drain_is_lowered_with_the_severity),
		cmocka_unit_test(test_c08_date_within_what_was_told_is_none),
		cmocka_unit_test(test_c08_open_date_is_its_lower_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
