/* How switches stand with a collector. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/collect/standing.h"

#define SILENT_NS (6 * NS_PER_S)

struct bed {
	struct ledger *ledger;
	struct standing *standing;
};

static int setup(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	assert_int_equal(ledger_new(1, &b->ledger), 0);
	assert_int_equal(standing_new(&b->standing), 0);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;

	standing_free(b->standing);
	ledger_free(b->ledger);
	free(b);
	return 0;
}

static struct mono at(int64_t s)
{
	return (struct mono){ s * NS_PER_S };
}

/* A run that said hello, and whether a record of it was kept. */
static struct run *greeted(struct bed *b, const char *id, uint64_t run,
			   int64_t s, bool is_kept)
{
	struct run *r = ledger_greet(b->ledger, id, id, run, at(s));

	assert_non_null(r);
	r->session = run;
	r->kept.last[STREAM_STATES] = is_kept;
	return r;
}

static struct wall wall_at(int64_t s)
{
	return (struct wall){ (1000000 + s) * NS_PER_S };
}

static size_t look(struct bed *b, int64_t s)
{
	struct clock_reading now = { .mono = at(s), .wall = wall_at(s) };
	size_t count;

	standing_look(b->standing, b->ledger, &now, SILENT_NS);
	free(standing_all(b->standing, &count));
	return count;
}

static void test_c18_who_only_said_hello_is_no_switch(void **state)
{
	struct bed *b = *state;
	struct standing_switch s;

	(void)greeted(b, "leaf1", 1, 10, true);
	(void)greeted(b, "rogue", 2, 10, false);
	assert_int_equal(look(b, 11), 1);
	assert_true(standing_get(b->standing, "leaf1", &s));
	assert_false(standing_get(b->standing, "rogue", &s));
}

static void test_standing_is_that_of_the_run_heard_last(void **state)
{
	struct bed *b = *state;
	struct standing_switch s;

	(void)greeted(b, "leaf1", 1, 10, true);
	(void)greeted(b, "leaf1", 2, 20, false);	/* it was restarted */
	assert_int_equal(look(b, 25), 1);
	assert_true(standing_get(b->standing, "leaf1", &s));
	assert_int_equal(s.run, 2);
	assert_true(s.is_up);
	assert_int_equal(look(b, 26), 1);
	assert_true(standing_get(b->standing, "leaf1", &s));
	assert_false(s.is_up);
}

static bool is_leaf1(void *context, const char *switch_id)
{
	(void)context;
	return strcmp(switch_id, "leaf1") == 0;
}

static void test_standing_who_may_not_come_any_more_goes_when_silent(
	void **state)
{
	struct bed *b = *state;
	struct standing_switch s;

	(void)greeted(b, "leaf1", 1, 10, true);
	(void)greeted(b, "leaf2", 2, 10, true);
	standing_expect(b->standing, is_leaf1, NULL);
	assert_int_equal(look(b, 11), 2);
	assert_int_equal(look(b, 60), 1);
	assert_true(standing_get(b->standing, "leaf1", &s));
}

/* A run that the spool has, of a switch that says nothing after the start. */
static struct run *mute(struct bed *b, const char *id, uint64_t run)
{
	struct run *r = greeted(b, id, run, 10, true);

	r->session = 0;
	return r;
}

static void test_standing_has_the_times_from_before_the_start(void **state)
{
	struct bed *b = *state;
	struct standing_switch s;

	(void)mute(b, "leaf1", 1);
	(void)mute(b, "leaf2", 2);
	(void)mute(b, "leaf3", 3);
	standing_restore(b->standing, "leaf1", wall_at(-500), wall_at(-510));
	standing_restore(b->standing, "leaf2", wall_at(-300), wall_at(-310));
	for (int64_t t = 11; t < 60; t += 24) {
		assert_int_equal(look(b, t), 3);
		assert_true(standing_get(b->standing, "leaf2", &s));
		assert_int_equal(s.heard.ns, 0);
		assert_int_equal(s.heard_wall.ns, wall_at(-300).ns);
		assert_int_equal(s.recorded.ns, wall_at(-310).ns);
		assert_true(standing_get(b->standing, "leaf3", &s));
		assert_int_equal(s.heard_wall.ns, 0);
		assert_int_equal(s.recorded.ns, 0);
	}
	(void)greeted(b, "leaf1", 1, 50, true);
	ledger_find(b->ledger, "leaf1", 1)->heard = at(50);
	(void)look(b, 51);
	assert_true(standing_get(b->standing, "leaf1", &s));
	assert_int_equal(s.heard.ns, at(50).ns);
	assert_int_equal(s.heard_wall.ns, wall_at(50).ns);
}

/* A spool that was mended: the ledger begins anew. */
static void test_standing_has_the_times_when_the_ledger_begins_anew(
	void **state)
{
	struct bed *b = *state;
	struct standing_switch s;

	greeted(b, "leaf1", 1, 10, true)->recorded = wall_at(9);
	assert_int_equal(look(b, 11), 1);
	ledger_clear(b->ledger);
	(void)mute(b, "leaf1", 1);
	assert_int_equal(look(b, 30), 1);
	assert_true(standing_get(b->standing, "leaf1", &s));
	assert_int_equal(s.heard.ns, at(10).ns);
	assert_int_equal(s.heard_wall.ns, wall_at(10).ns);
	assert_int_equal(s.recorded.ns, wall_at(9).ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_c18_who_only_said_hello_is_no_switch, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			test_standing_is_that_of_the_run_heard_last, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
		test_standing_who_may_not_come_any_more_goes_when_silent,
			setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_standing_has_the_times_from_before_the_start,
			setup, teardown),
		cmocka_unit_test_setup_teardown(
		test_standing_has_the_times_when_the_ledger_begins_anew,
			setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
