/* Which detectors a reading asks: those that its news concerns, and no others;
 * and that nothing is said otherwise than when all are asked each time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/signature/ask.h"
#include "tests/support/port_play.h"
#include "tests/support/quick.h"

/* A detector that counts, and says what it is told to. */
static unsigned asked;
static enum severity says;
static bool waits;

static enum severity fake_judge(void *mine, const struct port_view *v)
{
	(void)mine;
	(void)v;
	asked++;
	return says;
}

static void fake_describe(const void *mine, const struct port_view *v,
			  struct finding *f)
{
	(void)mine;
	(void)v;
	f->end = END_NEAR;
	f->action = ACTION_OBSERVE;
	f->cause_id = CAUSE_LINK_FALLS_AGAIN;
	(void)snprintf(f->cause, sizeof(f->cause), "it was told to");
}

static bool fake_waits(const void *mine)
{
	(void)mine;
	return waits;
}

static const struct detector fake = {
	.signature = SIGNATURE_FLAP_BURST,
	.hold_ns = 30 * NS_PER_S,
	.wakes = WAKE_LINK,
	.judge = fake_judge,
	.describe = fake_describe,
	.waits = fake_waits,
};

/* A port of an engine that has no other detector, asked once. */
static void fake_init(struct play *p)
{
	static const struct detector *const table[] = { &fake };

	play_init(p, 1);
	p->engine->table = table;
	p->engine->detectors = 1;
	memset(p->engine->asked_by, 0, sizeof(p->engine->asked_by));
	ask_init(p->engine);
	p->engine->ports[p->port]->awake = ask_all(p->engine);
	asked = 0;
	says = SEVERITY_NONE;
	waits = false;
	play_for(p, 1);
	assert_int_equal(asked, 1);
}

static void test_without_news_it_is_not_asked(void **state)
{
	struct play p;

	(void)state;
	fake_init(&p);
	play_for(&p, 100);
	assert_int_equal(asked, 1);
	play_drop(&p, 5);
	assert_int_equal(asked, 6);
	play_for(&p, 100);		/* it rose, once */
	assert_int_equal(asked, 7);
	play_fini(&p);
}

static void test_what_it_said_is_held_and_ends_in_time(void **state)
{
	const struct finding *f;
	struct play p;

	(void)state;
	fake_init(&p);
	says = SEVERITY_WARN;
	play_drop(&p, 1);
	play_for(&p, 9);
	assert_int_equal(asked, 11);
	says = SEVERITY_NONE;
	play_for(&p, 29);
	assert_int_equal(play_said(&p, SIGNATURE_FLAP_BURST, FINDING_CLEARED),
			 0);
	play_for(&p, 100);
	assert_int_equal(play_said(&p, SIGNATURE_FLAP_BURST, FINDING_CLEARED),
			 1);
	f = play_last(&p, SIGNATURE_FLAP_BURST);
	assert_int_equal(mono_diff_ns(f->when, f->onset) / NS_PER_S, 39);
	assert_int_equal(asked, 41);
	play_fini(&p);
}

static void test_what_speaks_unheard_is_asked_on(void **state)
{
	struct play p;

	(void)state;
	fake_init(&p);
	says = SEVERITY_WARN;
	p.engine->life.cap = 0;		/* no room for a finding */
	play_drop(&p, 1);
	play_for(&p, 10);
	assert_int_equal(asked, 12);
	play_fini(&p);
}

static void test_what_waits_is_asked_on(void **state)
{
	struct play p;

	(void)state;
	fake_init(&p);
	waits = true;
	play_drop(&p, 1);
	play_for(&p, 10);
	assert_int_equal(asked, 12);
	waits = false;
	play_for(&p, 10);
	assert_int_equal(asked, 13);
	play_fini(&p);
}

static void test_another_module_asks_all(void **state)
{
	struct play p;
	struct mono now;

	(void)state;
	fake_init(&p);
	now.ns = (int64_t)(p.t_s * 1e9);
	engine_event(p.engine, p.port, ENGINE_MODULE_SWAPPED, now,
		     (struct wall){ 0 });
	play_for(&p, 10);
	assert_int_equal(asked, 2);
	play_fini(&p);
}

/* --- as if all were asked each time -------------------------------------- */

static uint64_t draw(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random >> 11;
}

/* Something that may befall a port; the rest of its life is quiet. */
static void befall(struct play *p, uint64_t *random)
{
	double amount = (double)(draw(random) % 100) / 100;

	switch (draw(random) % 10) {
	case 0:
		play_drop(p, 1 + 60 * amount);
		break;
	case 1:
		for (unsigned n = 0; n < 4; n++) {
			play_drop(p, 2);
			play_for(p, 20 * amount);
		}
		break;
	case 2:
		play_ramp(p, 600, -6 + 2 * amount);
		break;
	case 3:				/* jumps that end by themselves */
		for (unsigned n = 0; n < 3; n++) {
			p->log_ber += 1.5;
			play_for(p, 20);
			p->log_ber -= 1.5;
			play_for(p, 40 + 500 * amount);
		}
		break;
	case 4:
		p->rx_dbm[draw(random) % 4] -= (float)(3 * amount);
		play_for(p, 120);
		break;
	case 5:
		(void)snprintf(p->k.serial, sizeof(p->k.serial), "SN%u",
			       (unsigned)(draw(random) % 100));
		break;
	case 6:				/* a hung bus, now and then */
		for (unsigned n = 0; n < 12; n++) {
			p->temp_c = -0.004;
			play_for(p, 3);
			p->temp_c = 50;
			play_for(p, 10 * amount);
		}
		break;
	case 7:				/* readings that do not come */
		p->no_dom = true;
		play_for(p, 300 * amount);
		p->no_dom = false;
		break;
	case 8:
		engine_context(p->engine, amount < 0.5 ? 0 : ENGINE_WARM_REBOOT,
			       (struct mono){ (int64_t)(p->t_s * 1e9) });
		break;
	default:
		p->log_ber = -7;
		for (unsigned i = 0; i < 4; i++)
			p->rx_dbm[i] = 0;
	}
}

static void live(struct play *p, uint64_t random, bool all)
{
	play_init(p, 1);
	for (unsigned n = 0; all && n < WAKE_COUNT; n++)
		p->engine->asked_by[n] = p->engine->asked_by[WAKE_COUNT - 1];
	play_for(p, 300);
	for (unsigned n = 0; n < 12; n++) {
		befall(p, &random);
		play_for(p, (double)(draw(&random) % 1200));
	}
	play_for(p, 2000);
	play_fini(p);
}

static void test_it_says_the_same_as_when_all_are_asked(void **state)
{
	const unsigned seeds = quick(12, 2);
	static struct play a, b;
	unsigned said = 0;

	(void)state;
	for (uint64_t n = 1; n <= seeds; n++) {
		live(&a, n * UINT64_C(0x9e3779b97f4a7c15), false);
		live(&b, n * UINT64_C(0x9e3779b97f4a7c15), true);
		assert_int_equal(a.count, b.count);
		assert_memory_equal(a.said, b.said, sizeof(a.said));
		said += a.count;
	}
	assert_in_range(said, 8 * seeds, 170 * seeds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_news_it_is_not_asked),
		cmocka_unit_test(test_what_it_said_is_held_and_ends_in_time),
		cmocka_unit_test(test_what_speaks_unheard_is_asked_on),
		cmocka_unit_test(test_what_waits_is_asked_on),
		cmocka_unit_test(test_another_module_asks_all),
		cmocka_unit_test(test_it_says_the_same_as_when_all_are_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
