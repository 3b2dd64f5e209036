/* C8: a finding of queues takes the queues along, and how each of them fared;
 * one of a link the rest.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/process/capsules.h"
#include "agent/record/congestion.h"
#include "petrel/quantity.h"
#include "tests/support/played.h"

#define SCENARIO "switch name=few ports=4 speed=400G lanes=4 media=DR4 " \
		 "fec=rs544 seed=3 dom=1s queues=8\n" \
		 "at 95s Ethernet8 microburst rate=2 peak=90% for=20s\n"
#define RAISED_AT 100
#define TICKS 150
#define QUEUES_MAX 64

struct capsules_bed {
	struct played_root root;
	struct played played;
	struct capsules capsules;
	struct mono when;
	uint32_t port;
	/* What the sampler saw, of each queue. */
	unsigned count;
	struct congestion truth[QUEUES_MAX];
	uint64_t dropped[QUEUES_MAX];
	/* What the records say. */
	unsigned capsules_read, congestions, queues, pools, modules;
};

static bool is_queue_of(const struct capsules_bed *b,
			const struct inventory_entity *e)
{
	return e->id && e->key.kind == ENTITY_QUEUE && e->key.parent == b->port;
}

static struct congestion *truth_of(struct capsules_bed *b, uint32_t id)
{
	unsigned i = 0;

	while (i < b->count && b->truth[i].entity != id)
		i++;
	assert_true(i < QUEUES_MAX);
	if (i == b->count)
		b->truth[b->count++] = (struct congestion){ .entity = id };
	return &b->truth[i];
}

static void queue_see(struct capsules_bed *b, uint32_t id)
{
	const struct state *s = b->played.state;
	struct congestion *t = truth_of(b, id);
	uint64_t *before = &b->dropped[t - b->truth];
	struct state_value v;

	if (state_value(s, id, Q_QUEUE_WATERMARK_OCTETS, 0, &v) &&
	    v.value > t->peak) {
		t->peak = v.value;
		t->peak_when = v.age.taken;
	}
	if (state_value(s, id, Q_QUEUE_DROPPED_FRAMES, 0, &v)) {
		t->lost_frames += *before ? (uint64_t)v.value + 1 - *before : 0;
		*before = (uint64_t)v.value + 1;
	}
}

/* A tick; what is seen counts from 60 s before to 30 s after. */
static void tick(struct capsules_bed *b, unsigned t)
{
	const struct inventory_entity *e;
	size_t n;

	if (t == RAISED_AT)
		b->when = b->played.now;
	played_tick(&b->played, 1000);
	n = state_entities(b->played.state, &e);
	for (size_t i = 0; i < n && t >= RAISED_AT - 60 && t <= RAISED_AT + 30;
	     i++)
		if (is_queue_of(b, &e[i]))
			queue_see(b, e[i].id);
}

static int capsules_setup(void **state)
{
	struct capsules_bed *b = calloc(1, sizeof(*b));
	char path[128];
	FILE *f;

	assert_non_null(b);
	played_root_make(&b->root);
	(void)snprintf(path, sizeof(path), "%s/scenario", b->root.path);
	f = fopen(path, "w");
	assert_non_null(f);
	(void)fputs(SCENARIO, f);
	(void)fclose(f);
	played_make(&b->played, path, b->root.run_fd, 4u << 20, false);
	played_tick(&b->played, 1000);
	b->port = state_port_find(b->played.state, "Ethernet8");
	assert_int_not_equal(b->port, ENTITY_NONE);
	for (unsigned t = 1; t < TICKS; t++)
		tick(b, t);
	b->capsules = (struct capsules){ .state = b->played.state,
					 .journal = b->played.journal,
					 .rings = &b->played.rings };
	*state = b;
	return 0;
}

static int capsules_teardown(void **state)
{
	struct capsules_bed *b = *state;

	capsules_fini(&b->capsules);
	played_free(&b->played);
	played_root_remove(&b->root);
	free(b);
	return 0;
}

static void raised(struct capsules_bed *b, enum signature signature,
		  uint32_t entity)
{
	struct finding f = { .id = "abcdefghijkl", .signature = signature,
			     .state = FINDING_RAISED, .entity = entity,
			     .when = b->when };

	capsules_finding(&b->capsules, &f);
	for (unsigned i = 0; i < 60; i++)
		capsules_step(&b->capsules, b->played.now);
	assert_false(b->capsules.is_open);
}

static void series_see(struct capsules_bed *b, const Petrel__CapsuleSeries *s)
{
	const struct inventory_entity *e =
		state_entity(b->played.state, s->entity);

	assert_non_null(e);
	b->queues += e->key.kind == ENTITY_QUEUE;
	b->pools += e->key.kind == ENTITY_POOL;
	b->modules += e->key.kind == ENTITY_MODULE ||
		      e->key.kind == ENTITY_LANE;
	assert_true(e->key.kind != ENTITY_QUEUE || e->key.parent == b->port);
}

/* What was told of a queue is what the sampler saw of it. */
static void congestion_see(struct capsules_bed *b, const Petrel__Congestion *m)
{
	const struct congestion *t = truth_of(b, m->entity);

	assert_string_equal(m->id, "abcdefghijkl");
	assert_int_equal(m->missing, 0);
	assert_int_equal(m->quantity, Q_QUEUE_WATERMARK_OCTETS);
	assert_int_equal(m->peak, t->peak);
	assert_int_equal(m->peak_mono_ns, t->peak_when.ns);
	assert_int_equal(m->lost_frames, t->lost_frames);
	assert_in_range(m->peak_mono_ns, m->from_mono_ns, m->to_mono_ns);
	b->congestions++;
}

static void records_see(struct capsules_bed *b)
{
	struct ring_walk w = ring_walk_of(
		b->played.rings.ring[STREAM_FINDINGS], 0, UINT64_MAX);
	const uint8_t *payload;
	struct record_header h;
	ProtobufCMessage *m;

	while (ring_walk_borrow(&w, &h, &payload)) {
		if (h.kind != RECORD_CAPSULE && h.kind != RECORD_CONGESTION)
			continue;
		assert_int_equal(record_unpack(h.kind, payload, h.length, &m),
				 0);
		if (h.kind == RECORD_CAPSULE) {
			const Petrel__Capsule *c = (Petrel__Capsule *)m;

			b->capsules_read++;
			for (size_t i = 0; i < c->n_series; i++)
				series_see(b, c->series[i]);
		} else {
			congestion_see(b, (Petrel__Congestion *)m);
		}
		record_unpacked_free(m);
	}
}

static void test_c08_finding_of_a_queue_takes_its_queues(void **state)
{
	struct capsules_bed *b = *state;
	uint32_t queue = ENTITY_NONE;
	int64_t most = -1, late_ns = 0;

	for (unsigned i = 0; i < b->count; i++)
		if (b->truth[i].peak > most) {
			most = b->truth[i].peak;
			queue = b->truth[i].entity;
			late_ns = mono_diff_ns(b->truth[i].peak_when, b->when);
		}
	assert_true(most > 0);
	/* The burst of the scenario, from 95 s on for 20 s. */
	assert_true(late_ns >= -6 * NS_PER_S && late_ns <= 16 * NS_PER_S);
	raised(b, SIGNATURE_CONGESTION, queue);
	records_see(b);
	assert_true(b->capsules_read >= 1);
	assert_true(b->congestions >= 1);
	assert_true(b->queues >= b->count);
	assert_int_equal(b->modules, 0);
}

static void test_c08_finding_of_a_link_tells_of_no_congestion(void **state)
{
	struct capsules_bed *b = *state;

	raised(b, SIGNATURE_LINK_DOWN, b->port);
	records_see(b);
	assert_true(b->capsules_read >= 1);
	assert_true(b->queues >= b->count);
	assert_int_equal(b->congestions, 0);
	assert_int_equal(b->pools, 0);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, capsules_setup, capsules_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_c08_finding_of_a_queue_takes_its_queues),
		TEST(test_c08_finding_of_a_link_tells_of_no_congestion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
