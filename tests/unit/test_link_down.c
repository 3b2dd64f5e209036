#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/port_play.h"

static void up_for_a_while(struct play *p)
{
	play_init(p, 1);
	play_for(p, 300);
}

static void fall(struct play *p, double seconds)
{
	p->up = false;
	p->downs++;
	play_for(p, seconds);
}

static const struct finding *said(const struct play *p)
{
	const struct finding *f = play_last(p, SIGNATURE_LINK_DOWN);

	assert_non_null(f);
	return f;
}

static const struct finding *open_one(const struct play *p)
{
	const struct finding *f;

	assert_int_equal(engine_findings(p->engine, &f), 1);
	return f;
}

/* The port's, whatever others have open. */
static const struct finding *play_open(const struct play *p)
{
	const struct finding *f;
	size_t n = engine_findings(p->engine, &f);

	for (size_t i = 0; i < n; i++)
		if (strcmp(f[i].subject, p->facts.name) == 0)
			return &f[i];
	fail_msg("%s", "the port has no open finding");
	return NULL;
}

static void test_link_down_is_said_at_once_and_warns_when_it_stays(void **state)
{
	struct play p;

	(void)state;
	up_for_a_while(&p);
	fall(&p, 1);
	assert_int_equal(p.count, 1);
	assert_int_equal(said(&p)->severity, SEVERITY_WATCH);
	assert_true(said(&p)->confidence < 0.1f);
	play_for(&p, 3500);		/* the peer may restart */
	assert_int_equal(said(&p)->severity, SEVERITY_WATCH);
	play_for(&p, 120);
	assert_int_equal(said(&p)->severity, SEVERITY_WARN);
	play_fini(&p);
}

/* A peer without power sends no light, and may be in repair. */
static void test_link_down_without_light_may_be_a_peer_that_is_off(void **state)
{
	struct play p;

	(void)state;
	up_for_a_while(&p);
	for (unsigned i = 0; i < 4; i++)
		p.rx_dbm[i] = -60;
	fall(&p, 880);
	assert_string_equal(said(&p)->cause, "no light from the far end; "
			    "perhaps a restart there");
	play_for(&p, 2620);		/* which takes less */
	assert_string_equal(said(&p)->cause, "no light from the far end; "
			    "down for over 15 minutes");
	play_for(&p, 39000);
	assert_int_equal(said(&p)->severity, SEVERITY_WATCH);
	assert_string_equal(open_one(&p)->cause, "no light from the far end; "
			    "down for over an hour; the peer may be switched "
			    "off");
	play_for(&p, 1200);
	assert_int_equal(said(&p)->severity, SEVERITY_WARN);
	assert_string_equal(said(&p)->cause, "no light from the far end; "
			    "down for over 12 hours");
	play_fini(&p);
}

/* Readings of the port and of another one, which is up or not. */
static void both_for(struct play *p, uint32_t other, int seconds, bool its_up)
{
	for (int i = 0; i < seconds; i++) {
		struct inputs k = { .counters_new = true };

		play_once(p);
		k.t = p->k.t;
		inputs_set(&k, INPUT_OPER, its_up ? OPER_UP : OPER_DOWN);
		engine_reading(p->engine, other, &k, (struct wall){ 1 });
	}
}

/* Two links to one peer, of which this port's falls, and stays dark. */
static uint32_t lone_play(struct play *p, const char *port, bool its_up,
			  int seconds)
{
	struct port_facts other;
	uint32_t n;

	play_init(p, 1);
	(void)snprintf(p->facts.peer_switch, ENTITY_NAME_MAX, "spine1");
	(void)snprintf(p->facts.peer_port, ENTITY_NAME_MAX, "%s", port);
	(void)snprintf(p->facts.cage, sizeof(p->facts.cage), "1");
	assert_int_equal(engine_port(p->engine, &p->facts, &p->port), 0);
	other = p->facts;
	(void)snprintf(other.name, sizeof(other.name), "Ethernet16");
	(void)snprintf(other.cage, sizeof(other.cage), "2");
	assert_int_equal(engine_port(p->engine, &other, &n), 0);
	both_for(p, n, 300, true);
	p->up = false;
	p->downs++;
	for (unsigned i = 0; i < 4; i++)
		p->rx_dbm[i] = -60;
	both_for(p, n, seconds, its_up);
	return n;
}

/* The other link shows that the peer is there: no restart is told, and nobody
 * waits as long as for a peer that may be off.
 */
static void test_link_down_alone_is_no_restart(void **state)
{
	struct play p;
	uint32_t n = lone_play(&p, "Ethernet504", true, 60);

	(void)state;
	assert_string_equal(said(&p)->cause, "no light from the far end; "
		"another link to that peer is up: its port is shut, the cable "
		"pulled or its module dead");
	assert_int_equal(said(&p)->severity, SEVERITY_WATCH);
	assert_true(said(&p)->confidence > 0.1f);
	p.facts.peer_switch[0] = '\0';	/* LLDP forgets what is down */
	assert_int_equal(engine_port(p.engine, &p.facts, &p.port), 0);
	both_for(&p, n, 14200, true);
	assert_int_equal(said(&p)->severity, SEVERITY_WATCH);
	both_for(&p, n, 300, true);
	assert_int_equal(said(&p)->severity, SEVERITY_WARN);
	assert_string_equal(said(&p)->cause, "no light from the far end; down "
		"for over an hour; another link to that peer is up: its "
		"port is shut, the cable pulled or its module dead");
	for (unsigned i = 0; i < 4; i++)
		p.rx_dbm[i] = 0;
	both_for(&p, n, 900, true);
	assert_string_equal(said(&p)->cause, "light comes from the far end, "
		"but the link does not lock: compare FEC and speed of both "
		"ends; down for over an hour; another link to that peer is "
		"up");
	assert_int_equal(said(&p)->cause_id, CAUSE_LIGHT_AS_USUAL);
	play_fini(&p);
}

/* Three links to other switches fall with it, and come back without it. */
static void test_link_down_that_the_others_left(void **state)
{
	struct wall wall = { 1 };
	struct play p;
	uint32_t stays, n[12];

	(void)state;
	stays = lone_play(&p, "Ethernet504", true, 0);
	for (unsigned i = 0; i < 12; i++) {
		struct port_facts other = p.facts;

		(void)snprintf(other.name, sizeof(other.name), "Eth%u", i);
		(void)snprintf(other.cage, sizeof(other.cage), "3%u", i);
		(void)snprintf(other.peer_switch, ENTITY_NAME_MAX, "leaf%u", i);
		assert_int_equal(engine_port(p.engine, &other, &n[i]), 0);
	}
	for (int t = 0; t < 1200; t++) {
		p.up = t < 60;
		for (unsigned i = 0; i < 4; i++)
			p.rx_dbm[i] = p.up ? 0 : -60;
		both_for(&p, stays, 1, true);
		for (unsigned i = 0; i < 12; i++) {
			struct inputs k = p.k;

			inputs_set(&k, INPUT_OPER, i < 3 && t >= 60 && t < 100 ?
				   OPER_DOWN : OPER_UP);
			engine_reading(p.engine, n[i], &k, wall);
		}
	}
	assert_non_null(strstr(said(&p)->cause,
			       "another link to that peer is up"));
	play_fini(&p);
}

static void test_link_down_knows_a_switch_by_its_ports(void **state)
{
	static const struct {
		const char *port;
		bool is_switch;
	} rows[] = {
		{ "Ethernet504", true }, { "swp3", true }, { "1/1/c4", true },
		{ "eth0", false }, { "ens1f0np0", false }, { "", false },
	};
	struct port_facts facts = { .peer = PEER_UNKNOWN };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		(void)snprintf(facts.peer_port, sizeof(facts.peer_port), "%s",
			       rows[i].port);
		assert_int_equal(port_is_of_fabric(&facts), rows[i].is_switch);
	}
}

/* That of a host may be shut or in repair, while the host is not. */
static void test_link_down_alone_of_a_host(void **state)
{
	struct play p;
	uint32_t n = lone_play(&p, "ens1f0np0", true, 4000);

	(void)state;
	assert_int_equal(open_one(&p)->severity, SEVERITY_WATCH);
	assert_non_null(strstr(open_one(&p)->cause, "down for over an hour; "
			       "another link to that peer is up"));
	for (unsigned i = 0; i < 4; i++)
		p.rx_dbm[i] = 0;	/* light of a host stays for less */
	both_for(&p, n, 60, true);
	assert_int_equal(open_one(&p)->severity, SEVERITY_WARN);
	play_fini(&p);
}

/* A peer takes its links down one after the other, or one does not come back
 * with the others.
 */
static void test_link_down_of_a_peer_that_goes_and_comes(void **state)
{
	struct play p;
	uint32_t n = lone_play(&p, "eth0", true, 30);

	(void)state;
	assert_non_null(strstr(open_one(&p)->cause, "is up"));
	both_for(&p, n, 1200, false);
	assert_string_equal(play_open(&p)->cause, "no light from the far end; "
			    "down for over 15 minutes");
	assert_int_equal(play_open(&p)->severity, SEVERITY_WATCH);
	play_fini(&p);
	n = lone_play(&p, "1/1/c4", false, 300);
	assert_int_equal(said(&p)->cause_id, CAUSE_PEER_DOWN);
	both_for(&p, n, 800, true);
	assert_int_equal(open_one(&p)->cause_id, CAUSE_PEER_DOWN);
	both_for(&p, n, 200, true);
	assert_int_equal(open_one(&p)->cause_id, CAUSE_NO_LIGHT);
	assert_non_null(strstr(open_one(&p)->cause, "is up"));
	play_fini(&p);
}

/* What is wrong at this end does not wait for a peer. */
static void test_link_down_of_this_end_warns_soon(void **state)
{
	struct play p;

	(void)state;
	up_for_a_while(&p);
	inputs_set(&p.k, INPUT_DOWN_REASON, DOWN_TX_FAULT);
	fall(&p, 1);
	assert_int_equal(said(&p)->severity, SEVERITY_WATCH);
	assert_true(said(&p)->confidence > 0.1f);
	play_for(&p, 15);
	assert_int_equal(said(&p)->severity, SEVERITY_WARN);
	play_fini(&p);
}

/* What the ends do not agree on is set right, not cleaned; nothing can be read
 * of the light behind a module that does not start.
 */
static void test_link_down_names_settings_and_the_modules_state(void **state)
{
	static const struct {
		enum down_reason reason;
		enum cause_id cause;
		enum action action;
	} rows[] = {
		{ DOWN_FEC_MISMATCH, CAUSE_FEC_MISMATCH, ACTION_FIX_CONFIG },
		{ DOWN_SPEED_MISMATCH, CAUSE_SPEED_MISMATCH,
		  ACTION_FIX_CONFIG },
		{ DOWN_MODULE_STATE, CAUSE_MODULE_STATE_FAILED,
		  ACTION_RESEAT_NEAR },
	};
	struct play p;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		up_for_a_while(&p);
		inputs_set(&p.k, INPUT_DOWN_REASON, rows[i].reason);
		for (unsigned l = 0; l < 4; l++)
			if (rows[i].reason == DOWN_MODULE_STATE)
				p.rx_dbm[l] = -40;
		fall(&p, 80);
		assert_int_equal(said(&p)->cause_id, rows[i].cause);
		assert_int_equal(said(&p)->action, rows[i].action);
		assert_int_equal(said(&p)->severity, SEVERITY_WARN);
		play_fini(&p);
	}
}

/* There is neither light on copper nor anything to clean. */
static void test_link_down_of_copper_is_told_in_its_words(void **state)
{
	static const struct {
		enum down_reason reason;
		const char *words;
		enum action second;
	} rows[] = {
		{ DOWN_RX_LOS, "no signal from the far end",
		  ACTION_RESEAT_NEAR },
		{ DOWN_HIGH_BER, "too many bit errors", ACTION_RESEAT_FAR },
	};
	struct play p;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct finding *f;

		play_init(&p, 1);
		p.facts.optical = false;
		(void)snprintf(p.facts.media, sizeof(p.facts.media), "DAC");
		assert_int_equal(engine_port(p.engine, &p.facts, &p.port), 0);
		p.no_dom = true;
		play_for(&p, 300);
		inputs_set(&p.k, INPUT_DOWN_REASON, rows[i].reason);
		fall(&p, 5);
		f = said(&p);
		assert_non_null(strstr(f->cause, rows[i].words));
		assert_int_equal(f->actions[1], rows[i].second);
		for (unsigned j = 0; j < f->action_count; j++) {
			assert_int_not_equal(f->actions[j], ACTION_CLEAN_NEAR);
			assert_int_not_equal(f->actions[j], ACTION_CLEAN_FAR);
		}
		play_fini(&p);
	}
}

/* Training may take more than one attempt. */
static void test_link_down_in_training_gets_time(void **state)
{
	struct play p;

	(void)state;
	up_for_a_while(&p);
	inputs_set(&p.k, INPUT_DOWN_REASON, DOWN_TRAINING);
	fall(&p, 25);
	assert_int_equal(said(&p)->severity, SEVERITY_WATCH);
	play_for(&p, 10);
	assert_int_equal(said(&p)->severity, SEVERITY_WARN);
	assert_non_null(strstr(said(&p)->cause, "training"));
	play_fini(&p);
}

static void test_link_down_clears_when_it_is_up_again(void **state)
{
	struct play p;

	(void)state;
	up_for_a_while(&p);
	fall(&p, 60);
	p.up = true;
	play_for(&p, 20);
	assert_int_not_equal(said(&p)->state, FINDING_CLEARED);
	play_for(&p, 20);
	assert_int_equal(said(&p)->state, FINDING_CLEARED);
	play_fini(&p);
}

static void test_link_down_by_admin_is_no_finding(void **state)
{
	struct play p;

	(void)state;
	up_for_a_while(&p);
	inputs_set(&p.k, INPUT_ADMIN, 0);
	fall(&p, 600);
	assert_int_equal(p.count, 0);
	play_fini(&p);
}

/* A port that was shut for hours is down from when it is wanted up. */
static void test_link_down_counts_from_when_it_is_wanted(void **state)
{
	struct play p;

	(void)state;
	up_for_a_while(&p);
	inputs_set(&p.k, INPUT_ADMIN, 0);
	fall(&p, 7200);
	inputs_set(&p.k, INPUT_ADMIN, 1);
	play_once(&p);
	assert_int_equal(p.count, 1);
	assert_int_equal(p.said[0].severity, SEVERITY_WATCH);
	assert_true(p.said[0].onset.ns > p.k.t.ns - 2 * NS_PER_S);
	play_fini(&p);
}

static void test_link_down_of_an_unused_port_is_none(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	p.k.serial[0] = '\0';
	inputs_set(&p.k, INPUT_PRESENT, 0);
	p.up = false;
	play_for(&p, 3600);
	assert_int_equal(p.count, 0);
	play_fini(&p);
}

static void test_link_down_never_up_with_a_module_is_only_watched(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	p.up = false;
	play_for(&p, 3600);
	assert_int_equal(said(&p)->severity, SEVERITY_WATCH);
	assert_non_null(strstr(said(&p)->cause, "not seen up"));
	play_fini(&p);
}

static void test_link_down_never_up_is_taken_back_when_it_comes(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	p.up = false;
	play_for(&p, 60);
	assert_non_null(strstr(open_one(&p)->cause, "not seen up"));
	p.up = true;
	play_for(&p, 2);
	assert_null(strstr(open_one(&p)->cause, "not seen up"));
	fall(&p, 15);
	assert_null(strstr(open_one(&p)->cause, "not seen up"));
	p.up = true;
	play_for(&p, 120);
	assert_int_equal(said(&p)->state, FINDING_CLEARED);
	assert_null(strstr(said(&p)->cause, "not seen up"));
	play_fini(&p);
}

/* The agent that comes back did not see it up; the one before did. */
static void test_link_down_was_up_before_a_restart(void **state)
{
	struct play p, next;

	(void)state;
	up_for_a_while(&p);
	fall(&p, 60);
	play_init(&next, 1);
	next.k.t = p.k.t;
	next.up = false;
	assert_int_equal(engine_restore(next.engine, open_one(&p)), 0);
	play_for(&next, 3700);
	assert_int_equal(open_one(&next)->severity, SEVERITY_WARN);
	assert_null(strstr(open_one(&next)->cause, "not seen up"));
	play_fini(&next);
	play_fini(&p);
}

static void test_link_down_without_module_gets_time_for_a_swap(void **state)
{
	struct play p;

	(void)state;
	up_for_a_while(&p);
	inputs_set(&p.k, INPUT_PRESENT, 0);
	fall(&p, 1500);
	assert_int_equal(said(&p)->severity, SEVERITY_WATCH);
	assert_non_null(strstr(said(&p)->cause, "no module"));
	assert_int_equal(said(&p)->end, END_NEAR);
	play_for(&p, 600);
	assert_int_equal(said(&p)->severity, SEVERITY_WARN);
	play_fini(&p);
}

static void test_link_down_names_the_reason_that_the_switch_gives(void **state)
{
	struct play p;

	(void)state;
	up_for_a_while(&p);
	inputs_set(&p.k, INPUT_DOWN_REASON, DOWN_MAC_REMOTE_FAULT);
	fall(&p, 1);
	assert_non_null(strstr(said(&p)->cause, "remote fault"));
	play_fini(&p);
}

static void test_link_down_takes_light_only_from_after_the_fall(void **state)
{
	struct play p;

	(void)state;
	up_for_a_while(&p);
	p.no_dom = true;		/* what stands there is from before */
	fall(&p, 20);
	assert_non_null(strstr(said(&p)->cause, "no source shows why"));
	p.no_dom = false;
	for (unsigned i = 0; i < 4; i++)
		p.rx_dbm[i] = -38;
	play_for(&p, 20);
	assert_non_null(strstr(said(&p)->cause, "no light"));
	assert_int_equal(said(&p)->lanes, 0xf);
	play_fini(&p);
}

/* A module whose readings are wild shows no cause. */
static void test_link_down_takes_no_light_from_wild_readings(void **state)
{
	struct play p;

	(void)state;
	up_for_a_while(&p);
	p.temp_c = -60;
	play_for(&p, 20);
	p.temp_c = 50;			/* one that is not, among them */
	for (unsigned i = 0; i < 4; i++)
		p.rx_dbm[i] = -38;
	fall(&p, 20);
	assert_non_null(strstr(said(&p)->cause, "no source shows why"));
	play_fini(&p);
}

static void test_link_down_with_less_light_than_usual(void **state)
{
	struct play p;

	(void)state;
	up_for_a_while(&p);
	p.rx_dbm[1] = -6;
	fall(&p, 20);
	assert_non_null(strstr(said(&p)->cause, "less light"));
	assert_int_equal(said(&p)->lanes, 1 << 1);
	play_fini(&p);
}

static void test_link_down_with_light_as_usual_is_the_peers(void **state)
{
	struct play p;

	(void)state;
	up_for_a_while(&p);
	fall(&p, 20);
	assert_non_null(strstr(said(&p)->cause, "as usual"));
	assert_int_equal(said(&p)->end, END_FAR);
	play_fini(&p);
}

/* All ones for limits say nothing: light below them is no dark. */
static void test_link_down_takes_no_filler_for_a_limit(void **state)
{
	static const int64_t fillers_pw[] = { 6553500000, 0 };
	struct play p;

	(void)state;
	for (size_t n = 0; n < 2; n++) {
		up_for_a_while(&p);
		p.facts.thresholds.known = true;
		for (unsigned i = 0; i < THRESHOLD_EDGE_COUNT; i++)
			p.facts.thresholds.rx_pw[i] = fillers_pw[n];
		assert_int_equal(engine_port(p.engine, &p.facts, &p.port), 0);
		fall(&p, 20);
		assert_non_null(strstr(said(&p)->cause, "as usual"));
		play_fini(&p);
	}
}

static void test_link_down_of_our_own_laser(void **state)
{
	struct play p;

	(void)state;
	up_for_a_while(&p);
	inputs_set(&p.k, INPUT_TX_FAULT + 3, 1);
	fall(&p, 20);
	assert_non_null(strstr(said(&p)->cause, "transmitter"));
	assert_int_equal(said(&p)->action, ACTION_REPLACE_NEAR);
	assert_int_equal(said(&p)->lanes, 1 << 3);
	play_fini(&p);
}

/* A module that is pulled out is told beside the fault that it had. */
static void test_link_down_of_an_empty_cage_beside_a_fault(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	play_init(&p, 1);
	inputs_set(&p.k, INPUT_PRESENT, 1);
	play_for(&p, 900);
	p.log_ber = -5;
	play_for(&p, 900);
	assert_int_equal(engine_findings(p.engine, &f), 1);
	assert_int_equal(f->signature, SIGNATURE_FEC_TREND);
	inputs_set(&p.k, INPUT_PRESENT, 0);
	p.no_dom = true;
	fall(&p, 20);
	f = play_last(&p, SIGNATURE_LINK_DOWN);
	assert_non_null(f);
	assert_int_equal(f->cause_id, CAUSE_NO_MODULE);
	assert_int_equal(f->severity, SEVERITY_WATCH);
	play_fini(&p);
}

/* One laser of this module is dead, by its own power: no fault of the peer,
 * whatever the reason that the switch gives. Of all at once it is something
 * else, where no current shows that they should send.
 */
static void test_link_down_of_a_laser_that_sends_nothing(void **state)
{
	(void)state;
	for (int all = 0; all < 2; all++) {
		struct play p;

		up_for_a_while(&p);
		inputs_set(&p.k, INPUT_DOWN_REASON, DOWN_MAC_LOCAL_FAULT);
		for (unsigned i = 0; i < 4; i++)
			inputs_set(&p.k, INPUT_TX_PW + i,
				   all || i == 2 ? 200000 : 1000000000);
		fall(&p, 20);
		if (all) {
			assert_int_equal(said(&p)->action, ACTION_CHECK_PEER);
		} else {
			assert_non_null(strstr(said(&p)->cause,
					       "sends nothing"));
			assert_int_equal(said(&p)->action,
					 ACTION_REPLACE_NEAR);
			assert_int_equal(said(&p)->severity, SEVERITY_WARN);
			assert_int_equal(said(&p)->lanes, 1 << 2);
		}
		play_fini(&p);
	}
}

static void bias_set(struct play *p, int64_t ua)
{
	for (unsigned i = 0; i < 4; i++)
		inputs_set(&p->k, INPUT_BIAS_UA + i, ua);
}

/* A laser that is off at this end is no fault of the peer; a module that never
 * reported a current says nothing by that.
 */
static void test_link_down_of_a_laser_that_is_off(void **state)
{
	(void)state;
	for (int reported = 0; reported < 2; reported++) {
		struct play p;

		play_init(&p, 1);
		bias_set(&p, reported * 70000);
		play_for(&p, 300);
		bias_set(&p, 0);
		fall(&p, 30);
		assert_int_equal(said(&p)->cause_id, reported ?
				 CAUSE_TX_DISABLED : CAUSE_LIGHT_AS_USUAL);
		/* It may be starting: a while yet. */
		assert_int_equal(said(&p)->severity, SEVERITY_WATCH);
		play_for(&p, 3600);
		assert_int_equal(said(&p)->severity, SEVERITY_WARN);
		assert_int_equal(said(&p)->end, reported ? END_NEAR : END_FAR);
		play_fini(&p);
	}
}

/* A peer that restarts darkens all lanes. */
static void test_link_down_of_some_dark_lanes_is_no_restart(void **state)
{
	struct play p;

	(void)state;
	up_for_a_while(&p);
	p.rx_dbm[2] = -40;
	fall(&p, 30);
	assert_int_equal(said(&p)->severity, SEVERITY_WARN);
	assert_string_equal(said(&p)->cause,
			    "no light on some lanes from the far end");
	assert_int_equal(said(&p)->cause_id, CAUSE_NO_LIGHT);
	assert_int_equal(said(&p)->action, ACTION_CLEAN_NEAR);
	assert_int_equal(said(&p)->lanes, 1 << 2);
	play_fini(&p);
}

/* Of a link that was never up, no light is usual. */
static void test_link_down_never_up_with_light(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	p.up = false;
	play_for(&p, 60);
	assert_int_equal(said(&p)->cause_id, CAUSE_LIGHT_AS_USUAL);
	assert_null(strstr(said(&p)->cause, "as usual"));
	play_fini(&p);
}

static void test_link_down_of_many_ports_at_once_is_a_restart(void **state)
{
	struct play p;
	uint32_t port[4];
	struct wall wall = { 0 };

	(void)state;
	play_init(&p, 1);
	for (unsigned i = 0; i < 4; i++) {
		(void)snprintf(p.facts.name, sizeof(p.facts.name), "Eth%u", i);
		if (i < 3)
			assert_int_equal(engine_port(p.engine, &p.facts,
						     &port[i]), 0);
	}
	for (int t = 0; t < 400; t++) {
		p.up = t < 100;
		play_once(&p);
		for (unsigned i = 0; i < 3; i++)
			engine_reading(p.engine, port[i], &p.k, wall);
	}
	for (unsigned i = 0; i < p.count; i++)
		assert_int_equal(p.said[i].severity, SEVERITY_WATCH);
	assert_true(p.count >= 4);
	play_fini(&p);
}

/* Eight links fall at once, and come up one after the other, as after a restart
 * of what is at their far ends. What is told of the last ones goes on while the
 * first has just come up.
 */
static void test_link_down_of_many_ends_one_by_one(void **state)
{
	uint32_t port[8];
	struct wall wall = { 0 };
	unsigned told = 0;
	struct play p;

	(void)state;
	play_init(&p, 1);
	for (unsigned i = 1; i < 8; i++) {
		(void)snprintf(p.facts.name, sizeof(p.facts.name), "Eth%u", i);
		assert_int_equal(engine_port(p.engine, &p.facts, &port[i]), 0);
	}
	for (int t = 0; t < 330; t++) {
		if (t == 250)
			told = p.count;
		p.up = t < 100 || t > 300;
		play_once(&p);
		for (unsigned i = 1; i < 8; i++) {
			struct inputs k = p.k;

			if (t >= 100 && t < 300 + 3 * (int)i)
				inputs_set(&k, INPUT_OPER, OPER_DOWN);
			engine_reading(p.engine, port[i], &k, wall);
		}
	}
	assert_true(told > 0);
	assert_int_equal(p.count, told);
	play_fini(&p);
}

/* --- ports of one cage ---------------------------------------------------- */

/* Ethernet8 and Ethernet9 share a cage; the link of the second falls so much
 * later, and is up again for the last seconds.
 */
static void cage_play(struct play *p, double seconds, double later,
		      double up_last)
{
	struct wall wall = { 0 };
	uint32_t second;

	play_init(p, 1);
	(void)strcpy(p->facts.cage, "3");
	assert_int_equal(engine_port(p->engine, &p->facts, &p->port), 0);
	(void)strcpy(p->facts.name, "Ethernet9");
	assert_int_equal(engine_port(p->engine, &p->facts, &second), 0);
	for (double t = -100; t < seconds; t++) {
		struct inputs k;

		p->up = t < 0;
		play_once(p);
		k = p->k;
		inputs_set(&k, INPUT_OPER, t < later || t >= seconds - up_last ?
			 OPER_UP : OPER_DOWN);
		engine_reading(p->engine, second, &k, wall);
	}
}

static size_t open_count(const struct play *p)
{
	const struct finding *open;

	return engine_findings(p->engine, &open);
}

static void test_link_down_of_one_cage_is_one_finding(void **state)
{
	struct play p;

	(void)state;
	cage_play(&p, 30, 1, 0);
	assert_int_equal(open_count(&p), 1);
	assert_string_equal(said(&p)->subject, "Ethernet8");
	assert_non_null(strstr(said(&p)->cause, "2 ports of the cage"));
	assert_int_equal(said(&p)->kind, SUBJECT_PORT);
	assert_int_equal(said(&p)->port_count, 2);
	assert_string_equal(finding_port(said(&p), NULL), "Ethernet8");
	assert_true(finding_has_port(said(&p), "Ethernet9"));
	play_fini(&p);
}

/* One port of it sees the end a little later. */
static void test_module_changed_of_one_cage_ends_once(void **state)
{
	struct wall wall = { 0 };
	uint32_t second;
	struct play p;

	(void)state;
	play_init(&p, 1);
	(void)strcpy(p.facts.cage, "3");
	assert_int_equal(engine_port(p.engine, &p.facts, &p.port), 0);
	(void)strcpy(p.facts.name, "Ethernet9");
	assert_int_equal(engine_port(p.engine, &p.facts, &second), 0);
	for (int t = 0; t < 1200; t++) {
		struct inputs k;

		p.k.serial[2] = t < 100 ? '1' : '2';
		play_once(&p);
		k = p.k;
		k.t.ns += (t == 100 ? 6 : 4) * NS_PER_S / 10;
		engine_reading(p.engine, second, &k, wall);
	}
	assert_int_equal(play_said(&p, SIGNATURE_MODULE_CHANGED,
				   FINDING_RAISED), 1);
	assert_int_equal(open_count(&p), 0);
	play_fini(&p);
}

static void test_link_down_of_one_cage_at_other_times_is_two(void **state)
{
	struct play p;

	(void)state;
	cage_play(&p, 40, 20, 0);
	assert_int_equal(open_count(&p), 2);
	assert_int_equal(said(&p)->port_count, 1);
	play_fini(&p);
}

/* Both were open, as from before a restart: the later one ends. */
static void test_link_down_of_one_cage_that_was_open_ends(void **state)
{
	struct finding f = { .signature = SIGNATURE_LINK_DOWN,
			     .severity = SEVERITY_WATCH };
	struct play p;

	(void)state;
	cage_play(&p, -90, 0, 0);
	for (unsigned i = 8; i < 10; i++) {
		(void)snprintf(f.subject, sizeof(f.subject), "Ethernet%u", i);
		(void)snprintf(f.id, sizeof(f.id), "aaaaaaaaaaa%u", i);
		assert_int_equal(engine_restore(p.engine, &f), 0);
	}
	p.up = false;
	for (unsigned i = 0; i < 2; i++) {
		struct inputs k;

		play_once(&p);
		k = p.k;
		engine_reading(p.engine, 1, &k, (struct wall){ 0 });
	}
	assert_int_equal(open_count(&p), 1);
	assert_string_equal(said(&p)->subject, "Ethernet9");
	assert_int_equal(said(&p)->state, FINDING_CLEARED);
	assert_non_null(strstr(said(&p)->cause, "part of link_down aaaa"));
	assert_string_equal(said(&p)->into, "aaaaaaaaaaa8");
	play_fini(&p);
}

/* What is left when the one that said it is up says it itself. */
static void test_link_down_of_one_cage_outlasts_who_said_it(void **state)
{
	struct play p;

	(void)state;
	cage_play(&p, 30, 0, 0);
	for (unsigned i = 0; i < 60; i++) {
		struct inputs k;

		p.up = true;
		play_once(&p);
		k = p.k;
		inputs_set(&k, INPUT_OPER, OPER_DOWN);
		engine_reading(p.engine, 1, &k, (struct wall){ 0 });
	}
	assert_int_equal(open_count(&p), 1);
	assert_string_equal(said(&p)->subject, "Ethernet9");
	play_fini(&p);
}

static void test_link_down_of_an_empty_cage_reseats_nothing(void **state)
{
	struct play p;

	(void)state;
	up_for_a_while(&p);
	inputs_set(&p.k, INPUT_PRESENT, 0);
	inputs_set(&p.k, INPUT_DOWN_REASON, DOWN_NO_MODULE);
	fall(&p, 60);
	assert_int_equal(said(&p)->action, ACTION_OBSERVE);
	assert_int_equal(said(&p)->cause_id, CAUSE_NO_MODULE);
	assert_int_equal(said(&p)->action_count, 2);
	assert_int_equal(said(&p)->actions[1], ACTION_REPLACE_NEAR);
	play_for(&p, 2000);
	assert_int_equal(said(&p)->severity, SEVERITY_WARN);
	assert_int_equal(said(&p)->action, ACTION_REPLACE_NEAR);
	assert_string_equal(said(&p)->cause, "no module in the cage");
	play_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		test_link_down_is_said_at_once_and_warns_when_it_stays),
		cmocka_unit_test(
		test_link_down_without_light_may_be_a_peer_that_is_off),
		cmocka_unit_test(test_link_down_takes_no_filler_for_a_limit),
		cmocka_unit_test(test_link_down_alone_is_no_restart),
		cmocka_unit_test(test_link_down_that_the_others_left),
		cmocka_unit_test(test_link_down_knows_a_switch_by_its_ports),
		cmocka_unit_test(test_link_down_alone_of_a_host),
		cmocka_unit_test(test_link_down_of_a_peer_that_goes_and_comes),
		cmocka_unit_test(test_link_down_of_this_end_warns_soon),
		cmocka_unit_test(test_link_down_of_copper_is_told_in_its_words),
		cmocka_unit_test(
			test_link_down_names_settings_and_the_modules_state),
		cmocka_unit_test(test_link_down_in_training_gets_time),
		cmocka_unit_test(test_link_down_clears_when_it_is_up_again),
		cmocka_unit_test(test_link_down_by_admin_is_no_finding),
		cmocka_unit_test(test_link_down_counts_from_when_it_is_wanted),
		cmocka_unit_test(test_link_down_of_an_unused_port_is_none),
		cmocka_unit_test(
		test_link_down_never_up_with_a_module_is_only_watched),
		cmocka_unit_test(
			test_link_down_never_up_is_taken_back_when_it_comes),
		cmocka_unit_test(test_link_down_was_up_before_a_restart),
		cmocka_unit_test(
		test_link_down_without_module_gets_time_for_a_swap),
		cmocka_unit_test(
		test_link_down_names_the_reason_that_the_switch_gives),
		cmocka_unit_test(
		test_link_down_takes_light_only_from_after_the_fall),
		cmocka_unit_test(
			test_link_down_takes_no_light_from_wild_readings),
		cmocka_unit_test(test_link_down_with_less_light_than_usual),
		cmocka_unit_test(
		test_link_down_with_light_as_usual_is_the_peers),
		cmocka_unit_test(test_link_down_of_our_own_laser),
		cmocka_unit_test(
			test_link_down_of_an_empty_cage_beside_a_fault),
		cmocka_unit_test(test_link_down_of_a_laser_that_sends_nothing),
		cmocka_unit_test(test_link_down_of_a_laser_that_is_off),
		cmocka_unit_test(
		test_link_down_of_some_dark_lanes_is_no_restart),
		cmocka_unit_test(test_link_down_never_up_with_light),
		cmocka_unit_test(
		test_link_down_of_many_ports_at_once_is_a_restart),
		cmocka_unit_test(test_link_down_of_many_ends_one_by_one),
		cmocka_unit_test(test_link_down_of_one_cage_is_one_finding),
		cmocka_unit_test(test_module_changed_of_one_cage_ends_once),
		cmocka_unit_test(
		test_link_down_of_one_cage_at_other_times_is_two),
		cmocka_unit_test(
		test_link_down_of_one_cage_that_was_open_ends),
		cmocka_unit_test(
		test_link_down_of_one_cage_outlasts_who_said_it),
		cmocka_unit_test(
		test_link_down_of_an_empty_cage_reseats_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
