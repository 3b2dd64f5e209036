#include "agent/base/event.h"
#include "agent/state/state.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/state/port_reading.h"
#include "agent/state/slots.h"
#include "tests/support/quick.h"

/* A driver of two sources, and a state that it speaks to. */
static const struct platform_source counters = { .name = "counters",
						 .period_ms = 1000 };
static const struct platform_source dom = { .name = "dom",
					    .period_ms = 10000 };
static const struct platform_source *const sources[] = { &counters, &dom,
							 NULL };
static const struct platform_driver driver = { .name = "test",
					       .sources = sources };

struct bench {
	struct state *state;
	struct platform_host host;
	unsigned events;
	char event[CHANGE_TEXT_MAX];	/* the last one's text */
};

static void event_count(void *context, uint32_t entity,
			enum platform_event what, int64_t value,
			struct mono when, const char *text)
{
	struct bench *b = context;

	(void)entity;
	(void)what;
	(void)value;
	(void)when;
	(void)snprintf(b->event, sizeof(b->event), "%s", text);
	b->events++;
}

static void bench_make(struct bench *b, uint32_t entities, uint32_t slots)
{
	struct state_limits limits = { .entities = entities, .slots = slots };
	struct state_observer observer = { b, event_count, NULL };
	unsigned first;

	b->events = 0;
	assert_int_equal(state_new(&limits, &observer, &b->state), 0);
	assert_int_equal(state_driver_add(b->state, &driver, &first, &b->host),
			 0);
	assert_int_equal(first, 0);
	state_tick(b->state, (struct mono){ NS_PER_S });
}

static uint32_t entity(struct bench *b, enum entity_kind kind, uint32_t parent,
		       const char *name, uint32_t number)
{
	struct entity_key key = { .kind = kind, .parent = parent,
				  .number = number };
	uint32_t id;

	(void)snprintf(key.name, sizeof(key.name), "%s", name);
	assert_int_equal(b->host.entity(b->host.context, &key, &id), 0);
	return id;
}

static void give(struct bench *b, unsigned source, uint32_t id,
		 int64_t taken_ns, enum quantity q, unsigned index,
		 int64_t value)
{
	struct read_group age = { .taken = { taken_ns } };

	b->host.group(b->host.context, source, id, &age);
	b->host.sample(b->host.context, q, index, value, QUALITY_GOOD);
}

static void test_c02_same_key_same_id_swapped_module_another(void **state)
{
	struct bench b;
	uint32_t first, again, lane, swapped;

	(void)state;
	bench_make(&b, 64, 64);
	first = entity(&b, ENTITY_MODULE, ENTITY_NONE, "", 1);
	lane = entity(&b, ENTITY_LANE, first, "", 1);
	again = entity(&b, ENTITY_MODULE, ENTITY_NONE, "", 1);
	assert_int_equal(first, again);
	b.host.gone(b.host.context, first);
	assert_true(state_entity(b.state, lane)->gone);
	swapped = entity(&b, ENTITY_MODULE, ENTITY_NONE, "", 1);
	assert_int_not_equal(swapped, first);
	assert_true(swapped > lane);
	state_free(b.state);
}

static void test_c02_ids_never_come_back(void **state)
{
	struct bench b;
	uint32_t last = 0;

	(void)state;
	bench_make(&b, 64, 64);
	for (unsigned i = 0; i < 1000; i++) {
		uint32_t id = entity(&b, ENTITY_MODULE, ENTITY_NONE, "", 1);

		assert_true(id > last);
		last = id;
		b.host.gone(b.host.context, id);
		state_tick(b.state, (struct mono){ i });
		state_tick(b.state, (struct mono){ i });
		state_tick(b.state, (struct mono){ i });
		state_tick(b.state, (struct mono){ i });
	}
	state_free(b.state);
}

static void test_c02_full_inventory_is_refused_not_overrun(void **state)
{
	struct bench b;
	struct entity_key key = { .kind = ENTITY_PORT };
	unsigned made = 0;
	uint32_t id;

	(void)state;
	bench_make(&b, 64, 64);
	for (unsigned i = 0; i < 100; i++) {
		(void)snprintf(key.name, sizeof(key.name), "Ethernet%u", i);
		if (b.host.entity(b.host.context, &key, &id) == 0)
			made++;
	}
	assert_in_range(made, 50, 63);
	assert_true(state_refused(b.state) > 0);
	state_free(b.state);
}

static void test_c04_repeated_reading_is_not_a_new_one(void **state)
{
	struct bench b;
	struct state_value v;
	uint32_t port;

	(void)state;
	bench_make(&b, 64, 64);
	port = entity(&b, ENTITY_PORT, ENTITY_NONE, "Ethernet0", 0);
	give(&b, 1, port, 5, Q_IF_IN_OCTETS, 0, 100);
	assert_true(state_value(b.state, port, Q_IF_IN_OCTETS, 0, &v));
	assert_true(v.is_new);
	state_tick(b.state, (struct mono){ 2 * NS_PER_S });
	give(&b, 1, port, 5, Q_IF_IN_OCTETS, 0, 200);	/* the same time */
	assert_true(state_value(b.state, port, Q_IF_IN_OCTETS, 0, &v));
	assert_false(v.is_new);
	assert_int_equal(v.value, 100);
	give(&b, 1, port, 6, Q_IF_IN_OCTETS, 0, 200);
	assert_true(state_value(b.state, port, Q_IF_IN_OCTETS, 0, &v));
	assert_true(v.is_new);
	assert_int_equal(v.value, 200);
	assert_int_equal(v.age.taken.ns, 6);
	state_free(b.state);
}

/* One group of a source: temperature, and voltage unless it is 0. */
static void reading(struct bench *b, uint32_t id, int64_t taken_ns,
		    uint32_t part, int64_t temp_mc, int64_t vcc_uv)
{
	struct read_group age = { .taken = { taken_ns }, .part = part };

	b->host.group(b->host.context, 0, id, &age);
	if (temp_mc)
		b->host.sample(b->host.context, Q_MODULE_TEMP_MC, 0, temp_mc,
			       QUALITY_GOOD);
	if (vcc_uv)
		b->host.sample(b->host.context, Q_MODULE_VCC_UV, 0, vcc_uv,
			       QUALITY_GOOD);
}

static bool has(const struct bench *b, uint32_t id, enum quantity q)
{
	struct state_value v;

	return state_value(b->state, id, q, 0, &v);
}

/* What a reading does not hold is absent, and does not stay as it was; nor in
 * any of the 32,766 readings after which a reading's number comes back.
 */
static void test_c03_reading_replaces_the_last_one_whole(void **state)
{
	struct bench b;
	uint32_t module;

	(void)state;
	bench_make(&b, 64, 64);
	module = entity(&b, ENTITY_MODULE, ENTITY_NONE, "", 1);
	reading(&b, module, 1, 0, 45000, 3300000);
	assert_true(has(&b, module, Q_MODULE_VCC_UV));
	for (int i = 0; i < 70000; i++) {
		state_tick(b.state, (struct mono){ (2 + i) * NS_PER_S });
		reading(&b, module, 2 + i, 0, 45000, 0);
		assert_true(has(&b, module, Q_MODULE_TEMP_MC));
		assert_false(has(&b, module, Q_MODULE_VCC_UV));
	}
	reading(&b, module, 99999, 0, 0, 3300000);
	assert_false(has(&b, module, Q_MODULE_TEMP_MC));
	assert_true(has(&b, module, Q_MODULE_VCC_UV));
	state_free(b.state);
}

static bool is_new(const struct bench *b, uint32_t id)
{
	struct state_value v;

	assert_true(state_value(b->state, id, Q_MODULE_TEMP_MC, 0, &v));
	return v.is_new;
}

/* New is what came in this tick, also where rows moved up meanwhile. */
static void test_c04_new_is_of_this_tick(void **state)
{
	uint32_t module[130];
	struct bench b;

	(void)state;
	bench_make(&b, 256, 512);
	for (uint32_t i = 0; i < 130; i++) {
		module[i] = entity(&b, ENTITY_MODULE, ENTITY_NONE, "", i);
		reading(&b, module[i], 1, 0, 45000, 0);
		assert_true(is_new(&b, module[i]));
	}
	state_tick(b.state, (struct mono){ 2 * NS_PER_S });
	assert_false(is_new(&b, module[0]));
	for (uint32_t i = 1; i < 130; i += 2)
		reading(&b, module[i], 2, 0, 45000, 0);
	b.host.gone(b.host.context, module[0]);
	state_tick(b.state, (struct mono){ 3 * NS_PER_S });
	for (uint32_t i = 2; i < 130; i += 2)
		reading(&b, module[i], 3, 0, 45000, 0);
	for (uint32_t i = 1; i < 130; i++)
		assert_int_equal(is_new(&b, module[i]), i % 2 == 0);
	b.host.gone(b.host.context, module[5]);
	for (uint32_t i = 6; i < 130; i++)
		assert_int_equal(is_new(&b, module[i]), i % 2 == 0);
	state_free(b.state);
}

/* Of another part it says nothing. */
static void test_c04_parts_of_a_source_stand_apart(void **state)
{
	const struct group_column *groups;
	struct bench b;
	uint32_t module;
	const uint8_t *source;

	(void)state;
	bench_make(&b, 64, 64);
	module = entity(&b, ENTITY_MODULE, ENTITY_NONE, "", 1);
	reading(&b, module, 1, 0, 45000, 0);
	reading(&b, module, 9, 7, 0, 3300000);
	assert_true(has(&b, module, Q_MODULE_TEMP_MC));
	assert_true(has(&b, module, Q_MODULE_VCC_UV));
	assert_int_equal(state_parts(b.state, &source), 1);
	assert_int_equal(source[0], 0);
	assert_int_equal(state_source_of(b.state, STATE_SOURCES_MAX), 0);
	/* Each has its own time on the wire, too. */
	assert_int_equal(state_groups(b.state, &groups), STATE_SOURCES_MAX + 1);
	assert_int_equal(group_age_of(&groups[0], 0)->taken.ns, 1);
	assert_int_equal(group_age_of(&groups[STATE_SOURCES_MAX],
				      0)->taken.ns, 9);
	reading(&b, module, 10, READ_PARTS_MAX, 0, 1);
	assert_int_equal(state_refused(b.state), 1);
	state_free(b.state);
}

/* One entity, twice, with one time: the second half is kept (C4), and another
 * driver's group in between changes nothing.
 */
static void test_c04_reading_is_continued_with_the_same_time(void **state)
{
	struct read_group age = { .taken = { 5 } };
	struct platform_host other;
	struct bench b;
	struct state_value v;
	uint32_t module, port;
	unsigned first;

	(void)state;
	bench_make(&b, 64, 64);
	assert_int_equal(state_driver_add(b.state, &driver, &first, &other), 0);
	module = entity(&b, ENTITY_MODULE, ENTITY_NONE, "", 1);
	port = entity(&b, ENTITY_PORT, ENTITY_NONE, "Ethernet0", 0);
	reading(&b, module, 5, 0, 45000, 0);
	other.group(other.context, 0, port, &age);
	b.host.sample(b.host.context, Q_MODULE_STATE, 0, 3, QUALITY_GOOD);
	assert_true(has(&b, module, Q_MODULE_STATE));
	assert_false(has(&b, port, Q_MODULE_STATE));
	state_tick(b.state, (struct mono){ 2 * NS_PER_S });
	reading(&b, module, 5, 0, 46000, 3300000);
	assert_true(state_value(b.state, module, Q_MODULE_VCC_UV, 0, &v));
	assert_true(v.is_new);
	assert_true(state_value(b.state, module, Q_MODULE_TEMP_MC, 0, &v));
	assert_int_equal(v.value, 45000);
	assert_false(v.is_new);
	state_free(b.state);
}

/* An open group follows its entity, whose place moves when another goes. */
static void test_c04_open_group_follows_its_entity(void **state)
{
	struct read_group age = { .taken = { 5 } };
	struct platform_host other;
	uint32_t first, second, third;
	struct bench b;
	unsigned source;

	(void)state;
	bench_make(&b, 64, 64);
	assert_int_equal(state_driver_add(b.state, &driver, &source, &other),
			 0);
	first = entity(&b, ENTITY_MODULE, ENTITY_NONE, "", 1);
	second = entity(&b, ENTITY_MODULE, ENTITY_NONE, "", 2);
	third = entity(&b, ENTITY_MODULE, ENTITY_NONE, "", 3);
	reading(&b, first, 5, 0, 45000, 0);
	reading(&b, third, 5, 0, 45000, 0);
	reading(&b, second, 5, 0, 45000, 0);
	state_tick(b.state, (struct mono){ 2 * NS_PER_S });
	age.taken.ns = 6;
	b.host.group(b.host.context, 0, third, &age);
	other.gone(other.context, first);
	b.host.sample(b.host.context, Q_MODULE_TEMP_MC, 0, 46000, QUALITY_GOOD);
	assert_true(has(&b, third, Q_MODULE_TEMP_MC));
	other.gone(other.context, third);
	b.host.sample(b.host.context, Q_MODULE_TEMP_MC, 0, 47000, QUALITY_GOOD);
	assert_false(has(&b, third, Q_MODULE_TEMP_MC));
	assert_int_equal(state_refused(b.state), 1);
	state_free(b.state);
}

/* A counter that was not in the reading before has no step. */
static void test_c03_rate_is_of_two_readings_in_a_row(void **state)
{
	struct state_rate rate;
	struct bench b;
	uint32_t port;

	(void)state;
	bench_make(&b, 64, 64);
	port = entity(&b, ENTITY_PORT, ENTITY_NONE, "Ethernet0", 0);
	give(&b, 0, port, NS_PER_S, Q_IF_IN_OCTETS, 0, 10);
	give(&b, 0, port, 2 * NS_PER_S, Q_IF_OUT_OCTETS, 0, 10);
	give(&b, 0, port, 3 * NS_PER_S, Q_IF_IN_OCTETS, 0, 30);
	assert_false(state_rate(b.state, port, Q_IF_IN_OCTETS, 0, &rate));
	give(&b, 0, port, 4 * NS_PER_S, Q_IF_IN_OCTETS, 0, 40);
	assert_true(state_rate(b.state, port, Q_IF_IN_OCTETS, 0, &rate));
	assert_float_equal(rate.per_s, 10.0, 1e-9);
	assert_int_equal(rate.taken.ns, 4 * NS_PER_S);
	state_free(b.state);
}

/* A time that may be off by more than two intervals of its source is none. */
static void test_c04_rate_wants_times_that_are_known(void **state)
{
	struct read_group age = { .taken = { 10 * NS_PER_S } };
	struct state_rate rate;
	struct bench b;
	uint32_t port;

	(void)state;
	bench_make(&b, 64, 64);
	port = entity(&b, ENTITY_PORT, ENTITY_NONE, "Ethernet0", 0);
	state_source_period(b.state, 0, NS_PER_S);
	give(&b, 0, port, NS_PER_S, Q_IF_IN_OCTETS, 0, 10);
	age.uncertainty_ns = 2 * NS_PER_S + NS_PER_MS;
	b.host.group(b.host.context, 0, port, &age);
	b.host.sample(b.host.context, Q_IF_IN_OCTETS, 0, 20, QUALITY_GOOD);
	assert_false(state_rate(b.state, port, Q_IF_IN_OCTETS, 0, &rate));
	give(&b, 0, port, 20 * NS_PER_S, Q_IF_IN_OCTETS, 0, 300);
	assert_false(state_rate(b.state, port, Q_IF_IN_OCTETS, 0, &rate));
	give(&b, 0, port, 21 * NS_PER_S, Q_IF_IN_OCTETS, 0, 310);
	assert_true(state_rate(b.state, port, Q_IF_IN_OCTETS, 0, &rate));
	assert_float_equal(rate.per_s, 10.0, 1e-9);
	state_free(b.state);
}

static void test_c04_span_is_exact_where_it_matters(void **state)
{
	static const int64_t exact[] = { 0, 1, 999, 134217727, 500000000,
					 NS_PER_S, 60 * NS_PER_S };

	(void)state;
	for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++)
		assert_int_equal(span_ns(span_of(exact[i])), exact[i]);
	for (int64_t ns = 7; ns < INT64_C(1) << 57; ns = ns * 3 + 1) {
		int64_t more = span_ns(span_of(ns)) - ns;

		assert_true(more >= 0 && more <= ns >> 26);
	}
	assert_int_equal(span_of(-1), 0);
}

/* What is older than three periods of its source is marked, unless it is told
 * only when it changes.
 */
static void test_c04_old_values_are_marked(void **state)
{
	struct state_value v;
	struct bench b;
	uint32_t port, module;

	(void)state;
	bench_make(&b, 64, 64);
	port = entity(&b, ENTITY_PORT, ENTITY_NONE, "Ethernet0", 0);
	module = entity(&b, ENTITY_MODULE, ENTITY_NONE, "", 1);
	state_source_period(b.state, 0, NS_PER_S);
	give(&b, 0, port, NS_PER_S, Q_IF_IN_OCTETS, 0, 10);
	give(&b, 0, module, NS_PER_S, Q_MODULE_TEMP_THRESHOLD_MC, 0, 75000);
	give(&b, 0, module, NS_PER_S, Q_MODULE_TEMP_MC, 0, 45000);
	state_tick(b.state, (struct mono){ 6 * NS_PER_S });
	assert_true(state_value(b.state, port, Q_IF_IN_OCTETS, 0, &v));
	assert_int_equal(v.quality, QUALITY_GOOD);
	state_tick(b.state, (struct mono){ 7 * NS_PER_S });
	assert_true(state_value(b.state, port, Q_IF_IN_OCTETS, 0, &v));
	assert_int_equal(v.quality, QUALITY_STALE);
	assert_true(state_value(b.state, module, Q_MODULE_TEMP_MC, 0, &v));
	assert_int_equal(v.quality, QUALITY_GOOD);	/* read once a minute */
	state_tick(b.state, (struct mono){ 182 * NS_PER_S });
	assert_true(state_value(b.state, module, Q_MODULE_TEMP_MC, 0, &v));
	assert_int_equal(v.quality, QUALITY_STALE);
	assert_true(state_value(b.state, module, Q_MODULE_TEMP_THRESHOLD_MC, 0,
				&v));
	assert_int_equal(v.quality, QUALITY_GOOD);
	state_free(b.state);
}

static void test_c03_rate_needs_two_readings_and_no_reset(void **state)
{
	struct bench b;
	struct state_rate rate;
	uint32_t port;

	(void)state;
	bench_make(&b, 64, 64);
	port = entity(&b, ENTITY_PORT, ENTITY_NONE, "Ethernet0", 0);
	give(&b, 0, port, NS_PER_S, Q_IF_IN_OCTETS, 0, -10);	/* 2^64 - 10 */
	assert_false(state_rate(b.state, port, Q_IF_IN_OCTETS, 0, &rate));
	give(&b, 0, port, 3 * NS_PER_S, Q_IF_IN_OCTETS, 0, 10);	/* a wrap */
	assert_true(state_rate(b.state, port, Q_IF_IN_OCTETS, 0, &rate));
	assert_float_equal(rate.per_s, 10.0, 1e-9);
	assert_int_equal(rate.interval_ns, 2 * NS_PER_S);
	give(&b, 0, port, 4 * NS_PER_S, Q_IF_IN_OCTETS, 0, 2);	/* a reset */
	assert_false(state_rate(b.state, port, Q_IF_IN_OCTETS, 0, &rate));
	state_free(b.state);
}

static void test_state_columns_hold_what_was_taken_in(void **state)
{
	const struct sample_column *columns;
	const struct group_column *groups;
	struct bench b;
	uint32_t a, c;
	size_t n;

	(void)state;
	bench_make(&b, 64, 64);
	a = entity(&b, ENTITY_PORT, ENTITY_NONE, "Ethernet0", 0);
	c = entity(&b, ENTITY_PORT, ENTITY_NONE, "Ethernet4", 0);
	give(&b, 0, a, 7, Q_IF_IN_OCTETS, 0, 1);
	give(&b, 0, c, 7, Q_IF_IN_OCTETS, 0, 2);
	give(&b, 0, c, 8, Q_FEC_CODEWORD_ERRORS, 3, 9);
	n = state_columns(b.state, &columns);
	assert_int_equal(n, 2);
	assert_int_equal(columns[0].quantity, Q_IF_IN_OCTETS);
	assert_int_equal(columns[0].count, 2);
	assert_int_equal(columns[0].entity[1], c);
	assert_int_equal(columns[0].value[1], 2);
	assert_int_equal(columns[1].index, 3);
	assert_true(state_groups(b.state, &groups) >= 1);
	assert_int_equal(groups[0].count, 2);
	assert_int_equal(group_age_of(&groups[0], 1)->taken.ns, 8);
	b.host.gone(b.host.context, a);
	assert_int_equal(state_columns(b.state, &columns), 2);
	assert_int_equal(columns[0].count, 1);
	assert_int_equal(columns[0].entity[0], c);
	assert_int_equal(columns[0].value[0], 2);
	state_free(b.state);
}

static void test_state_takes_no_sample_without_a_group(void **state)
{
	struct read_group age = { .taken = { 1 } };
	struct bench b;
	uint32_t port;

	(void)state;
	bench_make(&b, 64, 64);
	port = entity(&b, ENTITY_PORT, ENTITY_NONE, "Ethernet0", 0);
	b.host.sample(b.host.context, Q_IF_IN_OCTETS, 0, 1, QUALITY_GOOD);
	b.host.group(b.host.context, 9, port, &age);	/* no such source */
	b.host.sample(b.host.context, Q_IF_IN_OCTETS, 0, 1, QUALITY_GOOD);
	b.host.group(b.host.context, 0, 4711, &age);	/* no such handle */
	b.host.sample(b.host.context, Q_IF_IN_OCTETS, 0, 1, QUALITY_GOOD);
	assert_int_equal(state_values_total(b.state), 0);
	assert_int_equal(state_refused(b.state), 2);
	state_free(b.state);
}

static void test_state_slots_are_bounded(void **state)
{
	struct state_limits most;
	struct bench b;
	uint32_t port;

	(void)state;
	bench_make(&b, 64, 8);
	port = entity(&b, ENTITY_PORT, ENTITY_NONE, "Ethernet0", 0);
	for (unsigned i = 0; i < 17; i++)
		give(&b, 0, port, i + 1, Q_FEC_CODEWORD_ERRORS, i, 1);
	assert_int_equal(state_values_total(b.state), 7);
	assert_int_equal(state_refused(b.state), 10);
	assert_int_equal(state_left_out(b.state, &most), 10);
	assert_int_equal(most.slots, 8);
	state_free(b.state);
}

/* Drivers and answers may go through entities in any order. */
static void test_state_finds_each_value_in_any_order(void **state)
{
	enum { INDEXES = 3 };
	const unsigned count = quick(3000, 400);
	struct bench b;
	uint32_t *id = calloc(count, sizeof(*id));
	struct state_value v;

	(void)state;
	bench_make(&b, 8192, 65536);
	for (unsigned i = 0; i < count; i++)
		id[i] = entity(&b, ENTITY_QUEUE, ENTITY_NONE, "", i);
	for (unsigned round = 1; round <= 2; round++)
		for (unsigned i = 0; i < count * INDEXES; i++) {
			unsigned n = i * 1013 % (count * INDEXES);

			give(&b, 0, id[n % count], round,
			     Q_FEC_CODEWORD_ERRORS, n / count, n * round);
		}
	for (unsigned i = 0; i < count; i += 3)
		b.host.gone(b.host.context, id[i]);
	for (unsigned i = count * INDEXES; i-- > 0;) {
		unsigned n = i * 2027 % (count * INDEXES);
		bool is_there = state_value(b.state, id[n % count],
					    Q_FEC_CODEWORD_ERRORS, n / count,
					    &v);

		assert_int_equal(is_there, n % count % 3 != 0);
		if (is_there)
			assert_int_equal(v.value, n * 2);
	}
	assert_int_equal(state_refused(b.state), 0);
	state_free(b.state);
	free(id);
}

static void test_state_ports_are_sorted_by_their_numbers(void **state)
{
	static const char *const names[] = { "Ethernet16", "Ethernet8",
					     "Ethernet0", "Ethernet100" };
	static const char *const sorted[] = { "Ethernet0", "Ethernet8",
					      "Ethernet16", "Ethernet100" };
	struct bench b;

	(void)state;
	bench_make(&b, 64, 8);
	for (size_t i = 0; i < 4; i++)
		(void)entity(&b, ENTITY_PORT, ENTITY_NONE, names[i], 0);
	assert_int_equal(state_port_count(b.state), 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(
			state_entity(b.state, state_port(b.state, i))->key.name,
			sorted[i]);
	b.host.attribute(b.host.context, state_port(b.state, 1),
			 ATTRIBUTE_ALIAS, "etp2");
	assert_int_equal(state_port_find(b.state, "etp2"),
			 state_port(b.state, 1));
	assert_int_equal(state_port_find(b.state, "etp3"), ENTITY_NONE);
	state_free(b.state);
}

/* Four ports share one module of eight lanes: two lanes each. */
static void test_c02_breakout_ports_read_their_own_lanes(void **state)
{
	struct bench b;
	struct port_reading *r;
	struct inputs t;
	uint32_t module, ports[4];

	(void)state;
	bench_make(&b, 128, 256);
	module = entity(&b, ENTITY_MODULE, ENTITY_NONE, "", 9);
	for (unsigned i = 0; i < 8; i++)
		give(&b, 1, entity(&b, ENTITY_LANE, module, "", i + 1), 5,
		     Q_LANE_RX_POWER_PW, 0, 1000 + i);
	give(&b, 1, module, 5, Q_MODULE_TEMP_MC, 0, 45000);
	for (unsigned i = 0; i < 4; i++) {
		char text[16];

		(void)snprintf(text, sizeof(text), "Ethernet%u", 2 * i);
		ports[i] = entity(&b, ENTITY_PORT, ENTITY_NONE, text, 0);
		b.host.attribute(b.host.context, ports[i], ATTRIBUTE_MODULE,
				 "9");
		(void)snprintf(text, sizeof(text), "%u", 2 * i + 1);
		b.host.attribute(b.host.context, ports[i],
				 ATTRIBUTE_FIRST_LANE, text);
		b.host.attribute(b.host.context, ports[i],
				 ATTRIBUTE_LANE_COUNT, "2");
	}
	assert_int_equal(port_reading_new(b.state, &r), 0);
	assert_true(port_reading_get(r, 3, &t));
	assert_int_equal(inputs_lanes(&t, INPUT_RX_PW), 3);
	assert_int_equal(t.value[INPUT_RX_PW + 0], 1006);
	assert_int_equal(t.value[INPUT_RX_PW + 1], 1007);
	assert_true(inputs_has(&t, INPUT_TEMP_MC));
	assert_true(t.dom_new);
	assert_false(t.counters_new);
	state_tick(b.state, (struct mono){ 2 * NS_PER_S });
	assert_false(port_reading_get(r, 3, &t));	/* nothing new came */
	port_reading_free(r);
	state_free(b.state);
}

static void test_reading_leaves_stale_values_out(void **state)
{
	struct read_group age = { .taken = { 5 } };
	struct bench b;
	struct port_reading *r;
	struct inputs t;
	uint32_t port;

	(void)state;
	bench_make(&b, 64, 64);
	port = entity(&b, ENTITY_PORT, ENTITY_NONE, "Ethernet0", 0);
	b.host.group(b.host.context, 0, port, &age);
	b.host.sample(b.host.context, Q_IF_IN_OCTETS, 0, 1, QUALITY_GOOD);
	b.host.sample(b.host.context, Q_IF_OUT_OCTETS, 0, 1,
		      QUALITY_IMPLAUSIBLE);
	b.host.sample(b.host.context, Q_LINK_TRANSITIONS, 0, 6, QUALITY_GOOD);
	assert_int_equal(port_reading_new(b.state, &r), 0);
	assert_true(port_reading_get(r, 0, &t));
	assert_true(inputs_has(&t, INPUT_IN_OCTETS));
	assert_false(inputs_has(&t, INPUT_OUT_OCTETS));
	assert_int_equal(t.value[INPUT_LINK_DOWN_COUNT], 3);
	port_reading_free(r);
	state_free(b.state);
}

/* Counters of a port from one source: the one with most, while it answers. */
static void test_reading_does_not_mix_sources(void **state)
{
	struct bench b;
	struct port_reading *r;
	struct inputs t;
	uint32_t port;

	(void)state;
	bench_make(&b, 64, 64);
	port = entity(&b, ENTITY_PORT, ENTITY_NONE, "Ethernet0", 0);
	give(&b, 0, port, 500, Q_IF_IN_OCTETS, 0, 10);
	give(&b, 0, port, 500, Q_IF_OUT_OCTETS, 0, 20);
	give(&b, 1, port, 900, Q_IF_IN_OCTETS, 0, 11);
	assert_int_equal(port_reading_new(b.state, &r), 0);
	assert_true(port_reading_get(r, 0, &t));
	assert_int_equal(t.value[INPUT_IN_OCTETS], 10);
	assert_int_equal(t.t.ns, 500);
	b.host.source(b.host.context, 0, SOURCE_ABSENT, 0, "gone");
	assert_true(port_reading_get(r, 0, &t));
	assert_int_equal(t.value[INPUT_IN_OCTETS], 11);
	b.host.source(b.host.context, 0, SOURCE_FRESH, 0, NULL);
	assert_true(port_reading_get(r, 0, &t));
	assert_int_equal(t.value[INPUT_IN_OCTETS], 10);
	port_reading_free(r);
	state_free(b.state);
}

/* A counter and a peak are seen once; a gauge stays; a counter whose time is
 * not known is never seen, but that it came is told.
 */
static void test_c04_reading_shows_counters_once(void **state)
{
	struct read_group stalled = { .taken = { 9 * NS_PER_S },
				      .uncertainty_ns = 9 * NS_PER_S };
	struct bench b;
	struct port_reading *r;
	struct inputs t;
	uint32_t port;

	(void)state;
	bench_make(&b, 64, 64);
	port = entity(&b, ENTITY_PORT, ENTITY_NONE, "Ethernet0", 0);
	state_source_period(b.state, 0, NS_PER_S);
	assert_int_equal(port_reading_new(b.state, &r), 0);
	give(&b, 1, port, NS_PER_S, Q_ADMIN_STATUS, 0, 1);
	give(&b, 0, port, NS_PER_S, Q_IF_IN_OCTETS, 0, 10);
	assert_true(port_reading_get(r, 0, &t));
	assert_true(inputs_has(&t, INPUT_IN_OCTETS));
	state_tick(b.state, (struct mono){ 2 * NS_PER_S });
	give(&b, 1, port, 2 * NS_PER_S, Q_ADMIN_STATUS, 0, 1);
	assert_true(port_reading_get(r, 0, &t));
	assert_false(inputs_has(&t, INPUT_IN_OCTETS));
	assert_true(inputs_has(&t, INPUT_ADMIN));
	assert_int_equal(inputs_taken(&t, INPUT_ADMIN).ns, 2 * NS_PER_S);
	state_tick(b.state, (struct mono){ 3 * NS_PER_S });
	give(&b, 0, port, 3 * NS_PER_S, Q_IF_IN_OCTETS, 0, 20);
	assert_true(port_reading_get(r, 0, &t));
	assert_true(inputs_has(&t, INPUT_ADMIN));
	assert_int_equal(inputs_taken(&t, INPUT_ADMIN).ns, 2 * NS_PER_S);
	assert_int_equal(inputs_taken(&t, INPUT_IN_OCTETS).ns, 3 * NS_PER_S);
	state_tick(b.state, (struct mono){ 30 * NS_PER_S });
	b.host.group(b.host.context, 0, port, &stalled);
	b.host.sample(b.host.context, Q_IF_IN_OCTETS, 0, 300, QUALITY_GOOD);
	assert_true(port_reading_get(r, 0, &t));
	assert_false(inputs_has(&t, INPUT_IN_OCTETS));
	assert_true(t.time_unknown);
	port_reading_free(r);
	state_free(b.state);
}

/* Whatever driver says it: a CSI in C1, a direction turned, no UTF-8. */
#define DIRTY "a\xc2\x9b" "b\xe2\x80\xae" "c\xff" "d\ne"
#define CLEAN "a?b?c?d e"

static void test_c19_text_is_clean_behind_the_host(void **state)
{
	const struct state_source *source;
	struct bench b;
	uint32_t id;

	(void)state;
	bench_make(&b, 64, 64);
	id = entity(&b, ENTITY_PORT, ENTITY_NONE, DIRTY, 0);
	assert_string_equal(state_entity(b.state, id)->key.name, CLEAN);
	assert_int_equal(entity(&b, ENTITY_PORT, ENTITY_NONE, DIRTY, 0), id);
	b.host.attribute(b.host.context, id, ATTRIBUTE_ALIAS, DIRTY);
	assert_string_equal(
		state_entity(b.state, id)->attribute[ATTRIBUTE_ALIAS], CLEAN);
	(void)entity(&b, ENTITY_SWITCH, ENTITY_NONE, DIRTY, 0);
	assert_string_equal(state_switch_name(b.state), CLEAN);
	b.host.source(b.host.context, 0, SOURCE_ABSENT, 0, DIRTY);
	(void)state_sources(b.state, &source);
	assert_string_equal(source[0].reason, CLEAN);
	b.host.event(b.host.context, id, EVENT_OVERRUN, 0,
		     (struct mono){ 1 }, DIRTY "\tx");
	assert_string_equal(b.event, CLEAN " x");
	/* A change has three parts, and no more. */
	b.host.event(b.host.context, id, EVENT_PORT_CHANGED, 0,
		     (struct mono){ 1 }, "alias\t" DIRTY "\t\x1b\tx");
	assert_string_equal(b.event, "alias\t" CLEAN "\t? x");
	state_free(b.state);
}

static void test_state_tells_its_observer_of_events(void **state)
{
	struct bench b;

	(void)state;
	bench_make(&b, 64, 64);
	b.host.event(b.host.context, ENTITY_NONE, EVENT_OVERRUN, 1,
		     (struct mono){ 1 }, "");
	assert_int_equal(b.events, 1);
	state_free(b.state);
}

static void test_state_tells_which_module_left(void **state)
{
	struct bench b;
	uint32_t id;

	(void)state;
	bench_make(&b, 64, 64);
	id = entity(&b, ENTITY_MODULE, ENTITY_NONE, "", 1);
	for (unsigned i = 0; i < 2; i++) {
		b.host.event(b.host.context, id, EVENT_MODULE_REMOVED, 1,
			     (struct mono){ 1 }, i ? "" : NULL);
		assert_string_equal(b.event, i ? "S1" : "");
		b.host.attribute(b.host.context, id, ATTRIBUTE_SERIAL, "S1");
	}
	b.host.event(b.host.context, id, EVENT_MODULE_REMOVED, 1,
		     (struct mono){ 1 }, "S2");
	assert_string_equal(b.event, "S2");
	state_free(b.state);
}

/* Quantity n has every n-th entity, the last one all of them backwards; each
 * value says whose it is.
 */
#define LISTED_ENTITIES 600u
#define LISTED_QUANTITIES 6u

static bool is_listed(uint32_t entity, uint16_t quantity)
{
	return quantity == LISTED_QUANTITIES || entity % quantity == 0;
}

static bool is_third(void *context, uint32_t id)
{
	(void)context;
	return id % 3 == 0;
}

/* One value of a reading that was taken at 5 ns. */
static void slot_put(struct slots *s, uint32_t entity, uint16_t quantity,
		     int64_t value)
{
	struct read_group age = { .taken = { 5 } };
	struct slot_group group;

	assert_true(slots_group(s, entity, 0, &age, &group) >= 0);
	assert_true(slots_put(s, &group, quantity, 0, value, QUALITY_GOOD,
			      1) >= 0);
}

static void listed_put(struct slots *s, uint32_t entity, uint16_t quantity)
{
	if (is_listed(entity, quantity))
		slot_put(s, entity, quantity, entity * 10 + quantity);
}

static void listed_check(const struct slots *s, bool dropped)
{
	for (uint32_t e = 1; e <= LISTED_ENTITIES; e++) {
		for (uint16_t q = 1; q <= LISTED_QUANTITIES; q++) {
			struct slot_place at;
			struct slot_value v;
			bool is_there = is_listed(e, q) &&
					(!dropped || is_third(NULL, e));

			assert_int_equal(slots_find(s, e, q, 0, &at), is_there);
			if (!is_there)
				continue;
			slots_get(s, at, 1, &v);
			assert_int_equal(v.value, e * 10 + q);
		}
	}
}

/* A thousand queues are of two types. */
static void test_state_entities_share_their_only_text(void **state)
{
	const struct inventory_entity *e[40];
	uint32_t handle[40];
	struct bench b;

	(void)state;
	bench_make(&b, 64, 64);
	for (uint32_t i = 0; i < 40; i++) {
		handle[i] = entity(&b, ENTITY_QUEUE, ENTITY_NONE, "", i);
		/* Of 20 each its own, which leave no room. */
		b.host.attribute(b.host.context, handle[i],
				 ATTRIBUTE_QUEUE_TYPE, i < 20 ?
				 (char[]){ (char)('a' + i), '\0' } : "voq");
	}
	b.host.attribute(b.host.context, handle[30], ATTRIBUTE_LABEL, "x");
	b.host.attribute(b.host.context, handle[31], ATTRIBUTE_QUEUE_TYPE,
			 "all");
	b.host.attribute(b.host.context, handle[32], ATTRIBUTE_QUEUE_TYPE,
			 NULL);
	for (uint32_t i = 0; i < 40; i++)
		e[i] = state_entity(b.state, handle[i]);
	assert_ptr_equal(e[20]->attribute, e[39]->attribute);
	assert_string_equal(e[0]->attribute[ATTRIBUTE_QUEUE_TYPE], "a");
	assert_string_equal(e[39]->attribute[ATTRIBUTE_QUEUE_TYPE], "voq");
	assert_null(e[39]->attribute[ATTRIBUTE_LABEL]);
	assert_string_equal(e[30]->attribute[ATTRIBUTE_QUEUE_TYPE], "voq");
	assert_string_equal(e[30]->attribute[ATTRIBUTE_LABEL], "x");
	assert_string_equal(e[31]->attribute[ATTRIBUTE_QUEUE_TYPE], "all");
	assert_null(e[32]->attribute[ATTRIBUTE_QUEUE_TYPE]);
	for (uint32_t i = 20; i < 40; i++)
		b.host.gone(b.host.context, handle[i]);
	state_free(b.state);
}

static void test_state_columns_share_their_entities(void **state)
{
	const struct sample_column *c;
	struct slots *s;

	(void)state;
	assert_int_equal(slots_new(65536, &s), 0);
	for (uint32_t e = 1; e <= LISTED_ENTITIES; e++)
		for (uint16_t q = 1; q < LISTED_QUANTITIES; q++)
			listed_put(s, e, q);
	for (uint32_t e = LISTED_ENTITIES; e > 0; e--)
		listed_put(s, e, LISTED_QUANTITIES);
	listed_check(s, false);
	for (uint32_t e = 4; e <= LISTED_ENTITIES; e += 4)
		slot_put(s, e, 99, 1);
	assert_int_equal(slots_columns(s, &c), LISTED_QUANTITIES + 1);
	assert_ptr_equal(c[LISTED_QUANTITIES].entity, c[3].entity);
	slots_drop(s, is_third, NULL);
	listed_check(s, true);
	for (uint32_t e = 1; e <= LISTED_ENTITIES; e++)
		for (uint16_t q = 1; q <= LISTED_QUANTITIES; q++)
			listed_put(s, e, q);
	listed_check(s, false);
	slots_free(s);
}

/* A column ends before its list does. */
static void test_state_shorter_column_has_no_more(void **state)
{
	struct slot_place at;
	struct slots *s;

	(void)state;
	assert_int_equal(slots_new(64, &s), 0);
	for (uint32_t e = 1; e <= 8; e++)
		slot_put(s, e, 1, 1);
	for (uint32_t e = 1; e <= 4; e++)
		slot_put(s, e, 2, 1);
	assert_int_equal(slots_count(s), 12 + 8);	/* and read groups */
	assert_false(slots_find(s, 8, 2, 0, &at));
	assert_true(slots_find(s, 8, 1, 0, &at));
	/* Its next entity is another than the list's. */
	slot_put(s, 6, 2, 7);
	assert_false(slots_find(s, 5, 2, 0, &at));
	assert_true(slots_find(s, 6, 2, 0, &at));
	assert_true(slots_find(s, 5, 1, 0, &at));
	slots_free(s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_c02_same_key_same_id_swapped_module_another),
		cmocka_unit_test(test_c02_ids_never_come_back),
		cmocka_unit_test(
			test_c02_full_inventory_is_refused_not_overrun),
		cmocka_unit_test(test_c04_repeated_reading_is_not_a_new_one),
		cmocka_unit_test(test_c03_reading_replaces_the_last_one_whole),
		cmocka_unit_test(test_c04_new_is_of_this_tick),
		cmocka_unit_test(test_c04_parts_of_a_source_stand_apart),
		cmocka_unit_test(
			test_c04_reading_is_continued_with_the_same_time),
		cmocka_unit_test(test_c04_open_group_follows_its_entity),
		cmocka_unit_test(test_c03_rate_is_of_two_readings_in_a_row),
		cmocka_unit_test(test_c04_rate_wants_times_that_are_known),
		cmocka_unit_test(test_c04_span_is_exact_where_it_matters),
		cmocka_unit_test(test_c04_old_values_are_marked),
		cmocka_unit_test(test_c03_rate_needs_two_readings_and_no_reset),
		cmocka_unit_test(test_state_columns_hold_what_was_taken_in),
		cmocka_unit_test(test_state_takes_no_sample_without_a_group),
		cmocka_unit_test(test_state_slots_are_bounded),
		cmocka_unit_test(test_state_finds_each_value_in_any_order),
		cmocka_unit_test(test_state_entities_share_their_only_text),
		cmocka_unit_test(test_state_columns_share_their_entities),
		cmocka_unit_test(test_state_shorter_column_has_no_more),
		cmocka_unit_test(test_state_ports_are_sorted_by_their_numbers),
		cmocka_unit_test(test_c02_breakout_ports_read_their_own_lanes),
		cmocka_unit_test(test_reading_leaves_stale_values_out),
		cmocka_unit_test(test_reading_does_not_mix_sources),
		cmocka_unit_test(test_c04_reading_shows_counters_once),
		cmocka_unit_test(test_c19_text_is_clean_behind_the_host),
		cmocka_unit_test(test_state_tells_its_observer_of_events),
		cmocka_unit_test(test_state_tells_which_module_left),
	};

	return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}
