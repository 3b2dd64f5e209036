#include "agent/process/detect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "petrel/platform.h"

#define TEST_ENTITIES 64
#define TEST_PORTS 4u
#define TEST_SLOTS 256

/* A detector stage over a state of its own, with what an earlier core left. */
struct bed {
	struct state *state;
	struct platform_host host, given;
	uint32_t port[TEST_PORTS];
	unsigned early, derived;	/* bit error ratios that were given */
	struct engine *engine;
	struct series *series;
	struct detect *detect;
	struct finding open[2];
	struct finding said[4];
	size_t count;
	int64_t now_ns;
};

static const struct platform_source source = {
	.abi = PLATFORM_ABI, .size = sizeof(source), .name = "ports",
	.period_ms = 1000 };
static const struct platform_source *const sources[] = { &source, NULL };
static const struct platform_driver driver = {
	.abi = PLATFORM_ABI, .size = sizeof(driver), .name = "test",
	.sources = sources };

static void on_finding(void *context, const struct finding *f)
{
	struct bed *b = context;

	if (b->count < 4)
		b->said[b->count++] = *f;
}

static struct finding left_open(const char *subject, const char *id)
{
	struct finding f = { .signature = SIGNATURE_LINK_DOWN,
			     .severity = SEVERITY_WARN };

	(void)snprintf(f.subject, sizeof(f.subject), "%s", subject);
	(void)snprintf(f.id, sizeof(f.id), "%s", id);
	return f;
}

/* Whether the detectors know the bit error ratios of all ports by now. */
static bool all_are_known(struct bed *b)
{
	struct engine_view v;
	uint32_t number;

	for (unsigned i = 0; i < TEST_PORTS; i++) {
		if (!detect_number(b->detect, b->port[i], &number))
			return false;
		engine_view(b->engine, number, &v);
		if (!v.has_ber)
			return false;
	}
	return true;
}

static void derived_group(void *context, unsigned of, uint32_t entity,
			  const struct read_group *group)
{
	struct bed *b = context;

	b->host.group(b->host.context, of, entity, group);
}

static void derived_sample(void *context, enum quantity quantity,
			   unsigned index, int64_t value,
			   enum sample_quality quality)
{
	struct bed *b = context;

	b->derived++;
	b->early += !all_are_known(b);
	b->host.sample(b->host.context, quantity, index, value, quality);
}

static int setup(void **state)
{
	static struct bed b;
	static const struct state_limits limits = {
		.entities = TEST_ENTITIES, .slots = TEST_SLOTS,
		.first_entity = 1 };
	static const struct state_observer observer;
	unsigned first;

	memset(&b, 0, sizeof(b));
	b.open[0] = left_open("Ethernet0", "aaaaaaaaaaaa");
	b.open[1] = left_open("OldName4", "bbbbbbbbbbbb");
	b.now_ns = 1000 * NS_PER_S;
	assert_int_equal(state_new(&limits, &observer, &b.state), 0);
	assert_int_equal(state_driver_add(b.state, &driver, &first, &b.host),
			 0);
	b.given = (struct platform_host){ .abi = PLATFORM_ABI,
		.size = sizeof(b.given), .context = &b,
		.group = derived_group, .sample = derived_sample };
	assert_int_equal(engine_new(4, "leaf1", on_finding, &b, &b.engine), 0);
	assert_int_equal(series_new(4, 4, &b.series), 0);
	assert_int_equal(detect_new(&(struct detect_env){
		.state = b.state, .engine = b.engine, .series = b.series,
		.host = &b.given, .open = b.open, .open_count = 2 },
		&b.detect), 0);
	*state = &b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;

	detect_free(b->detect);
	series_free(b->series);
	engine_free(b->engine);
	state_free(b->state);
	return 0;
}

static uint32_t port_come(struct bed *b, const char *name)
{
	struct entity_key key = { .kind = ENTITY_PORT };
	uint32_t handle;

	(void)snprintf(key.name, sizeof(key.name), "%s", name);
	assert_int_equal(b->host.entity(b->host.context, &key, &handle), 0);
	return handle;
}

static void ticks(struct bed *b, unsigned n)
{
	while (n-- > 0) {
		b->now_ns += NS_PER_S;
		detect_tick(b->detect, (struct mono){ b->now_ns },
			    (struct wall){ b->now_ns });
	}
}

static void test_c08_a_finding_of_a_port_that_is_gone_ends(void **state)
{
	struct bed *b = *state;

	ticks(b, 100);			/* the databases are not there yet */
	assert_int_equal(b->count, 0);
	(void)port_come(b, "Ethernet0");
	ticks(b, 58);
	assert_int_equal(b->count, 0);
	ticks(b, 5);
	assert_int_equal(b->count, 1);
	assert_string_equal(b->said[0].id, "bbbbbbbbbbbb");
	assert_int_equal(b->said[0].state, FINDING_CLEARED);
	assert_string_equal(b->said[0].cause, "the port is gone");
	(void)port_come(b, "OldName4");	/* and stays ended */
	ticks(b, 20);
	assert_int_equal(b->count, 1);
}

static void test_c08_a_port_that_comes_back_brings_nothing_old(void **state)
{
	struct bed *b = *state;
	const struct finding *open;
	uint32_t port = port_come(b, "Ethernet0");

	ticks(b, 2);
	assert_int_equal(engine_findings(b->engine, &open), 1);
	b->host.gone(b->host.context, port);
	ticks(b, 20);
	assert_int_equal(engine_findings(b->engine, &open), 0);
	assert_int_equal(b->said[0].state, FINDING_CLEARED);
	(void)port_come(b, "Ethernet0");
	ticks(b, 20);
	assert_int_equal(engine_findings(b->engine, &open), 0);
}

static void test_c09_a_new_word_for_the_switch_is_in_new_ids_only(
	void **state)
{
	struct bed *b = *state;
	const struct finding *open;

	(void)port_come(b, "Ethernet0");
	ticks(b, 2);
	engine_switch(b->engine, "ABC123");
	ticks(b, 2);
	assert_int_equal(engine_findings(b->engine, &open), 1);
	assert_string_equal(open[0].id, "aaaaaaaaaaaa");
	assert_int_equal(b->count, 0);
}

/* A second of a port's counters: 2,000,000 codewords, some with errors. */
static void counters_give(struct bed *b, uint32_t port, int64_t second)
{
	const struct platform_host *h = &b->host;
	struct read_group group = { .taken = { b->now_ns + NS_PER_S } };

	h->group(h->context, 0, port, &group);
	h->sample(h->context, Q_OPER_STATUS, 0, 1, QUALITY_GOOD);
	h->sample(h->context, Q_SPEED_MBPS, 0, 400000, QUALITY_GOOD);
	h->sample(h->context, Q_FEC_MODE, 0, FEC_RS544, QUALITY_GOOD);
	h->sample(h->context, Q_FEC_CORRECTED_CODEWORDS, 0, 900 * second,
		  QUALITY_GOOD);
	h->sample(h->context, Q_FEC_CORRECTED_BITS, 0, 1000 * second,
		  QUALITY_GOOD);
	h->sample(h->context, Q_FEC_UNCORRECTABLE_CODEWORDS, 0, 0,
		  QUALITY_GOOD);
}

/* A new slot has all places looked up anew: one after another, 512 ports would
 * hold the core up for longer than its watchdog waits.
 */
static void test_ports_that_begin_to_err_cost_one_look_up(void **state)
{
	struct bed *b = *state;
	char name[16];

	for (unsigned i = 0; i < TEST_PORTS; i++) {
		(void)snprintf(name, sizeof(name), "Ethernet%u", 8 * i);
		b->port[i] = port_come(b, name);
	}
	for (int64_t second = 1; second < 30; second++) {
		state_tick(b->state, (struct mono){ b->now_ns + NS_PER_S });
		for (unsigned i = 0; i < TEST_PORTS; i++)
			counters_give(b, b->port[i], second);
		ticks(b, 1);
	}
	assert_true(b->derived > TEST_PORTS);
	assert_int_equal(b->early, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_c08_a_finding_of_a_port_that_is_gone_ends, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			test_c08_a_port_that_comes_back_brings_nothing_old,
			setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_c09_a_new_word_for_the_switch_is_in_new_ids_only,
			setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_ports_that_begin_to_err_cost_one_look_up, setup,
			teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
