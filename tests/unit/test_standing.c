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

static size_t look(struct bed *b, int64_t s)
{
	size_t count;

	standing_look(b->standing, b->ledger, at(s), SILENT_NS);
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
