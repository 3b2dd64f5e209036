/* What is seen and is no fault is listed, and only then; findings are what they
 * would be without the list.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "agent/signature/benign.h"
#include "tests/support/port_play.h"

#define CROWD 8

static const struct benign *find(const struct play *p, enum benign_id id)
{
	const struct benign *all;
	size_t n = engine_benign(p->engine, &all);

	for (size_t i = 0; i < n; i++)
		if (all[i].id == id)
			return &all[i];
	return NULL;
}

static size_t count(const struct play *p)
{
	const struct benign *all;

	return engine_benign(p->engine, &all);
}

/* The only one that is listed. */
static const struct benign *only(const struct play *p, enum benign_id id,
				 enum symptom symptom, const char *subject)
{
	const struct benign *b = find(p, id);

	assert_int_equal(count(p), 1);
	assert_non_null(b);
	assert_int_equal(b->symptom, symptom);
	assert_string_equal(b->subject, subject);
	return b;
}

/* Ports of one engine, of cages and peers of their own. */
static void crowd_init(struct play *p)
{
	play_init(&p[0], 1);
	for (unsigned i = 0; i < CROWD; i++) {
		struct port_facts *f = &p[i].facts;

		if (i > 0)
			p[i] = p[0];
		(void)snprintf(f->name, sizeof(f->name), "Ethernet%u", 8 * i);
		(void)snprintf(f->cage, sizeof(f->cage), "%u", i);
		(void)snprintf(f->peer_switch, sizeof(f->peer_switch),
			       "spine%u", i < 3 ? 1 : i);
		assert_int_equal(engine_port(p[0].engine, f, &p[i].port), 0);
	}
}

static void crowd_for(struct play *p, int seconds)
{
	for (int t = 0; t < seconds; t++)
		for (unsigned i = 0; i < CROWD; i++)
			play_once(&p[i]);
}

static void test_a_quiet_port_has_nothing_to_explain(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 7200);
	assert_int_equal(count(&p), 0);
	play_fini(&p);
}

/* A decade in ten kelvin, learned in four days. */
static void test_errors_that_heat_makes_are_listed(void **state)
{
	const struct benign *b;
	struct play p;

	(void)state;
	play_init(&p, 60);
	for (int i = 0; i < 4 * 1440; i++) {
		double day = sin(6.2831853 * i / 1440);

		p.temp_c = 50 + 2 * day;
		p.log_ber = -7 + 0.2 * day;
		play_once(&p);
	}
	assert_int_equal(count(&p), 0);
	p.temp_c = 56;
	p.log_ber = -6.4;
	play_for(&p, 3600);
	b = only(&p, BENIGN_LOAD_HEAT, SYMPTOM_ERRORS, "Ethernet8");
	assert_true(b->size > 0.4f && b->size < 0.8f);
	assert_true(b->until.ns - b->since.ns > 3000 * NS_PER_S);
	assert_int_equal(p.count, 0);
	play_fini(&p);
}

/* A level that came with the link is listed; harm is a finding, and not. */
static void came_back_at(struct play *p, double log_ber)
{
	play_init(p, 1);
	play_for(p, 900);
	play_drop(p, 90);
	p->log_ber = log_ber;
	play_for(p, 300);
}

static void test_errors_after_an_outage_are_listed(void **state)
{
	const struct benign *b;
	struct play p;

	(void)state;
	came_back_at(&p, -6.4);
	b = only(&p, BENIGN_WARM_UP, SYMPTOM_ERRORS, "Ethernet8");
	assert_true(b->size > 0.55f && b->size < 0.65f);
	assert_int_equal(play_said(&p, SIGNATURE_FEC_TREND, 0), 0);
	play_fini(&p);
	came_back_at(&p, -4.5);
	assert_int_equal(count(&p), 0);
	assert_true(play_said(&p, SIGNATURE_FEC_TREND, 0) > 0);
	play_fini(&p);
}

static void test_counters_that_went_back_are_listed(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 300);
	p.bits = p.clean = p.corrected = 0;
	play_for(&p, 300);
	assert_true(only(&p, BENIGN_COUNTERS_CLEARED, SYMPTOM_COUNTERS,
			 "Ethernet8")->size == 1);
	play_fini(&p);
}

/* Of several ports at once they are one event, of the switch; their source
 * may give it in two passes, and counters of a port in both.
 */
static void test_counters_of_many_ports_are_listed_once(void **state)
{
	static struct play p[CROWD];
	struct mono now;

	(void)state;
	crowd_init(p);
	crowd_for(p, 300);
	now = p[0].k.t;
	for (unsigned s = 1; s <= 2; s++) {
		now.ns += NS_PER_S;
		for (unsigned i = s - 1; i < CROWD / 2 * s; i++) {
			p[i].k.t = now;
			inputs_set(&p[i].k, INPUT_FEC_CORRECTED_BITS, 5 / s);
			engine_reading(p->engine, p[i].port, &p[i].k,
				       (struct wall){ 1 });
		}
		engine_tick(p->engine, now, (struct wall){ 1 });
	}
	assert_true(only(p, BENIGN_COUNTERS_CLEARED, SYMPTOM_COUNTERS,
			 "")->size == CROWD);
	play_fini(p);
}

/* Two that are cleared one after the other are two acts, though no tick came
 * between them: a slow trace has one in minutes.
 */
static void test_counters_of_two_acts_are_listed_apart(void **state)
{
	static struct play p[CROWD];

	(void)state;
	crowd_init(p);
	crowd_for(p, 300);
	for (unsigned i = 0; i < 2; i++)
		engine_event(p->engine, p[i].port, ENGINE_COUNTERS_CLEARED,
			     (struct mono){ p->k.t.ns + 300 * NS_PER_S * i },
			     (struct wall){ 1 });
	assert_true(only(p, BENIGN_COUNTERS_CLEARED, SYMPTOM_COUNTERS,
			 "Ethernet0")->size == 1);
	play_fini(p);
}

static void test_counters_that_are_said_to_be_cleared_are_listed(void **state)
{
	static struct play p[CROWD];

	(void)state;
	crowd_init(p);
	crowd_for(p, 300);
	engine_event(p->engine, ENGINE_ALL_PORTS, ENGINE_COUNTERS_CLEARED,
		     p->k.t, (struct wall){ 1 });
	for (unsigned i = 0; i < CROWD; i++)
		p[i].bits = p[i].clean = p[i].corrected = 0;
	crowd_for(p, 300);
	(void)only(p, BENIGN_COUNTERS_CLEARED, SYMPTOM_COUNTERS, "");
	play_fini(p);
}

/* They stay a finding, which says watch. */
static void test_links_of_one_peer_are_listed_with_it(void **state)
{
	static struct play p[CROWD];
	const struct finding *f;

	(void)state;
	crowd_init(p);
	crowd_for(p, 300);
	for (unsigned i = 0; i < 3; i++)
		p[i].up = false;
	crowd_for(p, 60);
	assert_true(only(p, BENIGN_PEER, SYMPTOM_FALLS, "spine1")->size == 3);
	assert_int_equal(engine_findings(p->engine, &f), 1);
	assert_int_equal(f->signature, SIGNATURE_LINK_DOWN);
	assert_int_equal(f->severity, SEVERITY_WATCH);
	play_fini(p);
}

static void test_links_of_a_rack_are_listed_once(void **state)
{
	static struct play p[CROWD];
	const struct finding *f;

	(void)state;
	crowd_init(p);
	crowd_for(p, 300);
	for (unsigned i = 2; i < CROWD; i++)
		p[i].up = false;
	crowd_for(p, 60);
	assert_true(only(p, BENIGN_RACK, SYMPTOM_FALLS, "")->size == 6);
	assert_int_equal(engine_findings(p->engine, &f), 1);
	assert_int_equal(f->severity, SEVERITY_WATCH);
	play_fini(p);
}

/* All links of a core fell: that is a finding, and no peer is to blame. */
static void test_what_ports_share_is_no_peer(void **state)
{
	static struct play p[CROWD];
	const struct finding *f;
	uint32_t port;

	(void)state;
	crowd_init(p);
	for (unsigned i = 0; i < CROWD; i++) {
		(void)snprintf(p[i].facts.group, sizeof(p[i].facts.group),
			       "core%u", i / 4);
		assert_int_equal(engine_port(p->engine, &p[i].facts, &port),
				 0);
	}
	crowd_for(p, 300);
	for (unsigned i = 0; i < 4; i++)
		p[i].up = false;
	crowd_for(p, 60);
	assert_int_equal(engine_findings(p->engine, &f), 1);
	assert_int_equal(f->signature, SIGNATURE_SHARED_COMPONENT);
	assert_int_equal(count(p), 0);
	play_fini(p);
}

static void test_one_link_alone_is_not_listed(void **state)
{
	static struct play p[CROWD];

	(void)state;
	crowd_init(p);
	crowd_for(p, 300);
	p[5].up = false;
	crowd_for(p, 60);
	assert_int_equal(count(p), 0);
	play_fini(p);
}

static void test_errors_of_most_ports_are_listed_once(void **state)
{
	static struct play p[CROWD];

	(void)state;
	crowd_init(p);
	crowd_for(p, 900);
	for (unsigned i = 0; i < CROWD; i++)
		p[i].log_ber += 0.5;
	crowd_for(p, 60);
	assert_true(only(p, BENIGN_RACK, SYMPTOM_ERRORS, "")->size > 0.4f);
	play_fini(p);
}

/* A warm reboot: what is not said then is listed. */
static void test_what_a_restart_took_down_is_listed(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 300);
	engine_context(p.engine, ENGINE_WARM_REBOOT, p.k.t);
	play_for(&p, 60);
	assert_int_equal(count(&p), 0);
	play_drop(&p, 20);
	(void)only(&p, BENIGN_RESTART, SYMPTOM_FALLS, "Ethernet8");
	assert_int_equal(p.count, 0);
	play_fini(&p);
}

static void test_what_fell_with_a_reload_is_listed(void **state)
{
	struct play p;

	(void)state;
	play_init(&p, 1);
	play_for(&p, 300);
	engine_event(p.engine, ENGINE_ALL_PORTS, ENGINE_RELOAD, p.k.t,
		     (struct wall){ 1 });
	play_drop(&p, 20);
	(void)only(&p, BENIGN_RESTART, SYMPTOM_FALLS, "Ethernet8");
	assert_int_equal(play_said(&p, SIGNATURE_LINK_DOWN, FINDING_RAISED), 1);
	play_fini(&p);
}

static void note_of(struct benigns *b, enum benign_id id, unsigned subject,
		    int64_t s, float size)
{
	struct benign seen = { .id = id, .symptom = SYMPTOM_FALLS,
			       .since = { s * NS_PER_S },
			       .until = { s * NS_PER_S }, .size = size };
	char name[16];

	(void)snprintf(name, sizeof(name), "spine%u", subject);
	benign_note(b, name, &seen);
}

static void note(struct benigns *b, unsigned subject, int64_t s, float size)
{
	note_of(b, BENIGN_PEER, subject, s, size);
}

static void test_what_is_seen_again_soon_is_the_same(void **state)
{
	struct benigns b = { .count = 0 };

	(void)state;
	note(&b, 1, 1000, 3);
	note(&b, 1, 1300, 2);
	note(&b, 2, 1300, 2);
	assert_int_equal(b.count, 2);
	assert_true(b.list[0].size == 3);
	assert_int_equal(b.list[0].since.ns, 1000 * NS_PER_S);
	assert_int_equal(b.list[0].until.ns, 1300 * NS_PER_S);
	note(&b, 1, 2000, 4);
	assert_int_equal(b.count, 3);
}

static void test_the_oldest_makes_room(void **state)
{
	struct benigns b = { .count = 0 };
	bool first = false, last = false;

	(void)state;
	for (unsigned i = 0; i <= BENIGN_MAX; i++)
		note(&b, i, 1000 + i, 1);
	assert_int_equal(b.count, BENIGN_MAX);
	for (size_t i = 0; i < b.count; i++) {
		first |= strcmp(b.list[i].subject, "spine0") == 0;
		last |= strcmp(b.list[i].subject, "spine256") == 0;
	}
	assert_true(!first && last);
}

/* All ports of a large switch may be warm. */
static void test_heat_makes_room_first(void **state)
{
	struct benigns b = { .count = 0 };
	bool peer = false;

	(void)state;
	note(&b, 1, 900, 1);
	for (unsigned i = 0; i < 2 * BENIGN_MAX; i++)
		note_of(&b, BENIGN_LOAD_HEAT, i, 1000 + i, 1);
	for (size_t i = 0; i < b.count; i++)
		peer |= b.list[i].id == BENIGN_PEER;
	assert_true(peer);
}

static void test_each_has_its_words(void **state)
{
	(void)state;
	for (unsigned i = 1; i < BENIGN_COUNT; i++)
		assert_true(benign_name((enum benign_id)i) &&
			    benign_words((enum benign_id)i));
	for (unsigned i = 1; i < SYMPTOM_COUNT; i++)
		assert_non_null(symptom_name((enum symptom)i));
	assert_null(benign_name(BENIGN_COUNT));
	assert_null(symptom_name(SYMPTOM_COUNT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_quiet_port_has_nothing_to_explain),
		cmocka_unit_test(test_errors_that_heat_makes_are_listed),
		cmocka_unit_test(test_errors_after_an_outage_are_listed),
		cmocka_unit_test(test_counters_that_went_back_are_listed),
		cmocka_unit_test(test_counters_of_many_ports_are_listed_once),
		cmocka_unit_test(test_counters_of_two_acts_are_listed_apart),
		cmocka_unit_test(
		test_counters_that_are_said_to_be_cleared_are_listed),
		cmocka_unit_test(test_links_of_one_peer_are_listed_with_it),
		cmocka_unit_test(test_links_of_a_rack_are_listed_once),
		cmocka_unit_test(test_what_ports_share_is_no_peer),
		cmocka_unit_test(test_one_link_alone_is_not_listed),
		cmocka_unit_test(test_errors_of_most_ports_are_listed_once),
		cmocka_unit_test(test_what_a_restart_took_down_is_listed),
		cmocka_unit_test(test_what_fell_with_a_reload_is_listed),
		cmocka_unit_test(test_what_is_seen_again_soon_is_the_same),
		cmocka_unit_test(test_the_oldest_makes_room),
		cmocka_unit_test(test_heat_makes_room_first),
		cmocka_unit_test(test_each_has_its_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
