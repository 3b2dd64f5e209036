/* A state rebuilt from records: what no record tells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agent/query/recorded.h"
#include "petrel/link.h"
#include "petrel/quantity.h"

#define SWITCH 1u
#define PORT 2u
#define COUNTERS 1u		/* numbers of sources */
#define SIGNATURE 7u

static struct decoded_value value_of(enum quantity quantity, uint8_t source,
				     int64_t value, int64_t at_s)
{
	return (struct decoded_value){ .entity = PORT, .quantity = quantity,
				       .source = source, .value = value,
				       .age.taken = { at_s * NS_PER_S } };
}

/* A tick with the link's state, and with margin and BER if there are any. */
static void tick(struct recorded *r, int64_t at_s, enum oper_status oper,
		 bool has_margin)
{
	struct decoded_value v[] = {
		value_of(Q_OPER_STATUS, COUNTERS, oper, at_s),
		value_of(Q_MARGIN_MILLI_DB, SIGNATURE, 2000, at_s - 1),
		value_of(Q_PRE_FEC_BER_E18, SIGNATURE, 7, at_s - 1),
	};

	recorded_tick(r, (struct mono){ at_s * NS_PER_S }, v,
		      has_margin ? 3 : 1);
}

static bool has(const struct recorded *r, enum quantity quantity)
{
	struct state_value v;

	return state_value(r->state, state_port(r->state, 0), quantity, 0, &v);
}

static int make(void **state)
{
	static struct recorded r;

	assert_int_equal(recorded_init(&r, 16), 0);
	assert_true(recorded_add(&r, &(struct recorded_entity){
		.id = SWITCH, .kind = ENTITY_SWITCH, .name = "leaf1" }));
	assert_true(recorded_add(&r, &(struct recorded_entity){
		.id = PORT, .kind = ENTITY_PORT, .parent = SWITCH,
		.name = "Ethernet0" }));
	*state = &r;
	return 0;
}

static int end(void **state)
{
	recorded_fini(*state);
	return 0;
}

static void test_link_that_is_down_has_no_margin(void **state)
{
	struct recorded *r = *state;

	tick(r, 10, OPER_UP, true);
	assert_true(has(r, Q_MARGIN_MILLI_DB));
	tick(r, 11, OPER_DOWN, false);
	assert_true(has(r, Q_OPER_STATUS));
	assert_false(has(r, Q_MARGIN_MILLI_DB));
	assert_false(has(r, Q_PRE_FEC_BER_E18));
	tick(r, 40, OPER_UP, true);
	assert_true(has(r, Q_MARGIN_MILLI_DB));
}

/* As a collector has them: the newest of each, whenever it came. */
static void test_margin_from_before_the_fall_is_none(void **state)
{
	struct recorded *r = *state;

	tick(r, 100, OPER_DOWN, true);
	assert_true(has(r, Q_OPER_STATUS));
	assert_false(has(r, Q_MARGIN_MILLI_DB));
	assert_false(has(r, Q_PRE_FEC_BER_E18));
}

/* A source and its part by their numbers on the wire; another has no pace. */
static void test_values_are_stale_after_three_periods(void **state)
{
	static const int64_t ages_s[] = { 10, 70 };
	static const enum sample_quality expected[] = { QUALITY_GOOD,
							QUALITY_STALE };
	struct recorded *r = *state;
	struct state_value v;

	recorded_source(r, COUNTERS, COUNTERS, 20 * NS_PER_S);
	recorded_source(r, 70, COUNTERS, 20 * NS_PER_S);
	for (size_t i = 0; i < 2; i++) {
		int64_t now_s = 1000 + 1000 * (int64_t)i;
		struct decoded_value values[] = {
			value_of(Q_OPER_STATUS, COUNTERS, OPER_UP,
				 now_s - ages_s[i]),
			value_of(Q_IF_IN_OCTETS, 70, 5, now_s - ages_s[i]),
			value_of(Q_MARGIN_MILLI_DB, SIGNATURE, 5,
				 now_s - ages_s[i]),
		};

		recorded_tick(r, (struct mono){ now_s * NS_PER_S }, values, 3);
		for (size_t n = 0; n < 3; n++) {
			assert_true(state_value(r->state,
						state_port(r->state, 0),
						(enum quantity[]){
						Q_OPER_STATUS, Q_IF_IN_OCTETS,
						Q_MARGIN_MILLI_DB }[n], 0, &v));
			assert_int_equal(v.quality, n < 2 ? expected[i] :
							    QUALITY_GOOD);
		}
	}
}

#define RUN(test) cmocka_unit_test_setup_teardown(test, make, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(test_link_that_is_down_has_no_margin),
		RUN(test_margin_from_before_the_fall_is_none),
		RUN(test_values_are_stale_after_three_periods),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
