/* C8: what goes into a capsule comes out of its records. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/record/congestion.h"
#include "petrel/quantity.h"

#define PARTS_MAX 32

struct bed {
	struct capsule capsule;
	ProtobufCMessage *part[PARTS_MAX];
	unsigned parts;
	/* What came out of a series. */
	unsigned count, bad;
	int64_t first_ns, last_ns, sum;
};

static int part_put(void *context, enum stream stream, enum record_kind kind,
		    uint16_t flags, const void *payload, size_t len)
{
	struct bed *b = context;

	assert_int_equal(stream, STREAM_FINDINGS);
	assert_int_equal(kind, RECORD_CAPSULE);
	assert_int_equal(flags, RECORD_FLAG_REFERENCE);
	assert_true(len <= RECORD_PAYLOAD_MAX && b->parts < PARTS_MAX);
	assert_int_equal(record_unpack(kind, payload, len,
				       &b->part[b->parts++]), 0);
	return 0;
}

static uint64_t part_sequence(void *context, enum stream stream)
{
	(void)stream;
	return 100 + ((struct bed *)context)->parts;
}

static const char *entity_name(void *context, uint32_t entity)
{
	(void)context;
	return entity == 1 ? "Ethernet8" : "Ethernet8/lane1";
}

static int setup(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));

	capsule_init(&b->capsule, "abcdefghijkl");
	b->capsule.from.ns = 1000 * NS_PER_S;
	b->capsule.when.ns = 1060 * NS_PER_S;
	b->capsule.to.ns = 1090 * NS_PER_S;
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;

	for (unsigned i = 0; i < b->parts; i++)
		record_unpacked_free(b->part[i]);
	capsule_fini(&b->capsule);
	free(b);
	return 0;
}

static void add(struct bed *b, uint32_t entity, uint16_t quantity,
		int64_t taken_ns, int64_t value, enum sample_quality quality)
{
	capsule_add(&b->capsule, &(struct decoded_value){
		.entity = entity, .quantity = quantity, .value = value,
		.quality = (uint8_t)quality, .age.taken = { taken_ns } });
}

static void put(struct bed *b)
{
	const struct record_sink sink = { b, part_put, part_sequence };

	assert_int_equal(capsule_put(&b->capsule, &sink, entity_name, b), 0);
}

static const Petrel__Capsule *part(const struct bed *b, unsigned n)
{
	assert_true(n < b->parts);
	return (const Petrel__Capsule *)b->part[n];
}

static void reading_take(void *context, struct mono taken, int64_t value,
			 enum sample_quality quality)
{
	struct bed *b = context;

	if (b->count++ == 0)
		b->first_ns = taken.ns;
	assert_true(b->count == 1 || taken.ns >= b->last_ns);
	b->last_ns = taken.ns;
	b->sum = (int64_t)((uint64_t)b->sum + (uint64_t)value);
	b->bad += quality != QUALITY_GOOD;
}

/* What came mixed up: values tell of which series and time they are. */
static void ordered_take(void *context, const struct capsule_value *v)
{
	struct bed *b = context;

	assert_int_equal(v->value,
			 v->entity * NS_PER_S * 10000 + v->taken.ns);
	assert_true(b->count == 0 || v->is_first ||
		    v->taken.ns > b->last_ns);
	b->last_ns = v->taken.ns;
	b->sum += v->is_first;
	b->count++;
}

static void test_c08_capsule_orders_series_and_times(void **state)
{
	struct bed *b = *state;

	for (int64_t i = 0; i < 90; i++)
		for (uint32_t e = 1; e <= 5; e++) {
			/* 7 and 90 have no common divisor: each once */
			int64_t ns = (1000 + (i * 7 + e) % 90) * NS_PER_S;

			add(b, e, 7, ns, e * NS_PER_S * 10000 + ns,
			    QUALITY_GOOD);
		}
	put(b);
	capsule_each(&b->capsule, ordered_take, b);
	assert_int_equal(b->count, 5 * 90);
	assert_int_equal(b->sum, 5);
}

static void test_c08_capsule_gives_back_what_it_took(void **state)
{
	struct bed *b = *state;
	const Petrel__Capsule *m;

	for (int64_t s = 1000; s <= 1090; s++) {
		add(b, 1, 7, s * NS_PER_S + 5, s < 1060 ? 3 : -3,
		    s == 1070 ? QUALITY_STALE : QUALITY_GOOD);
		add(b, 2, 8, s * NS_PER_S + 5, INT64_MAX - s, QUALITY_GOOD);
	}
	put(b);
	assert_int_equal(b->parts, 1);
	m = part(b, 0);
	assert_string_equal(m->id, "abcdefghijkl");
	assert_int_equal(m->number, 100);
	assert_int_equal(m->missing, 0);
	assert_int_equal(m->n_series, 2);
	assert_int_equal(m->n_times, 1);	/* both were read at once */
	assert_string_equal(m->series[1]->name, "Ethernet8/lane1");
	assert_int_equal(capsule_series_read(m, m->series[0], reading_take, b),
			 0);
	assert_int_equal(b->count, 90);		/* 1090 s + 5 ns is behind it */
	assert_int_equal(b->first_ns, 1000 * NS_PER_S + 5);
	assert_int_equal(b->sum, 60 * 3 - 30 * 3);
	assert_int_equal(b->bad, 1);
}

/* Spikes in both directions are seen; nothing is drawn where nothing was read.
 */
static void test_c08_course_shows_what_is_far_from_the_first(void **state)
{
	char course[CAPSULE_COURSE_COLUMNS + 1];
	struct bed *b = *state;
	struct capsule_range range;
	const Petrel__Capsule *m;

	for (int64_t s = 1000; s < 1080; s++) {
		add(b, 1, 7, s * NS_PER_S, s == 1031 ? 0 : s == 1050 ? 700 :
		    300, QUALITY_GOOD);
		add(b, 2, 8, s * NS_PER_S, s < 1040 ? 1 : 10000000,
		    QUALITY_GOOD);
		add(b, 3, 9, s * NS_PER_S, s < 1040 ? 100 : 10000,
		    QUALITY_GOOD);
	}
	put(b);
	m = part(b, 0);
	assert_int_equal(capsule_series_range(m, m->series[0], &range), 0);
	assert_int_equal(capsule_series_course(m, m->series[0], &range, false,
					       course), 0);
	assert_string_equal(course, "333333033337333333  ");
	assert_int_equal(capsule_series_range(m, m->series[1], &range), 0);
	assert_int_equal(capsule_series_course(m, m->series[1], &range, true,
					       course), 0);
	assert_string_equal(course, "000000007777777777  ");
	range = (struct capsule_range){ .first = 1, .least = 1,
					.most = 10000000 };
	assert_int_equal(capsule_series_course(m, m->series[2], &range, true,
					       course), 0);
	assert_string_equal(course, "222222224444444444  ");
}

static void test_c08_capsule_above_a_record_comes_in_parts(void **state)
{
	uint64_t random = 1;
	struct bed *b = *state;
	unsigned series = 0;

	for (uint32_t entity = 1; entity <= 300; entity++)
		for (int64_t s = 1000; s < 1090; s++) {
			random = random * 6364136223846793005u + 1;
			add(b, entity, 7, s * NS_PER_S, (int64_t)random,
			    QUALITY_GOOD);
		}
	put(b);
	assert_true(b->parts > 2);
	for (unsigned i = 0; i < b->parts; i++) {
		assert_int_equal(part(b, i)->part->number, i);
		assert_int_equal(part(b, i)->part->count, b->parts);
		for (size_t n = 0; n < part(b, i)->n_series; n++, series++) {
			b->last_ns = 0;
			assert_int_equal(capsule_series_read(part(b, i),
				part(b, i)->series[n], reading_take, b), 0);
			assert_int_equal(b->count % 90, 0);
		}
	}
	assert_int_equal(series, 300);
	assert_int_equal(b->count, 300 * 90);
}

static void test_c08_capsule_without_readings_is_told_all_the_same(void **state)
{
	struct bed *b = *state;

	b->capsule.missing = CAPSULE_BEGINS_LATE;
	put(b);
	assert_int_equal(b->parts, 1);
	assert_int_equal(part(b, 0)->missing, CAPSULE_BEGINS_LATE);
	assert_int_equal(part(b, 0)->n_series, 0);
}

static void test_c08_capsule_above_its_bound_says_so(void **state)
{
	struct bed *b = *state;

	for (uint32_t i = 0; i < CAPSULE_READINGS_MAX + 1; i++)
		add(b, 1, 7, b->capsule.from.ns + i, 1, QUALITY_GOOD);
	assert_int_equal(b->capsule.missing, CAPSULE_NO_ROOM);
}

/* A time that has no room in a reading is no other time. */
static void test_c08_reading_of_days_later_is_left_out(void **state)
{
	struct bed *b = *state;

	b->capsule.to.ns = INT64_MAX;
	add(b, 1, 7, b->capsule.from.ns + (INT64_C(1) << 47) - 1, 5,
	    QUALITY_GOOD);
	assert_int_equal(b->capsule.missing, 0);
	add(b, 1, 7, b->capsule.from.ns + (INT64_C(1) << 47), 6, QUALITY_GOOD);
	assert_int_equal(b->capsule.missing, CAPSULE_NO_ROOM);
	assert_int_equal(b->capsule.readings.count, 1);
}

static int congestion_take(void *context, enum stream stream,
			   enum record_kind kind, uint16_t flags,
			   const void *payload, size_t len)
{
	struct bed *b = context;

	assert_int_equal(stream, STREAM_FINDINGS);
	assert_int_equal(kind, RECORD_CONGESTION);
	assert_int_equal(flags, RECORD_FLAG_REFERENCE);
	assert_int_equal(record_unpack(kind, payload, len,
				       &b->part[b->parts++]), 0);
	return 0;
}

/* A queue that fills from 1050 s to 1070 s, and whose counter of losses begins
 * anew between; one that is empty.
 */
static void queues_add(struct bed *b)
{
	for (int64_t s = 1000; s < 1090; s++) {
		bool is_full = s >= 1050 && s <= 1070;
		int64_t ns = s * NS_PER_S, lost = s < 1060 ? 500 : 0;

		lost += s < 1055 ? 0 : s < 1060 ? 7 : s < 1065 ? 0 : 4;
		add(b, 9, Q_QUEUE_OCCUPANCY_OCTETS, ns, 99999, QUALITY_GOOD);
		add(b, 9, Q_QUEUE_WATERMARK_OCTETS, ns,
		    s == 1058 ? 8000 : is_full ? 4000 : 3999, QUALITY_GOOD);
		add(b, 9, Q_QUEUE_DROPPED_FRAMES, ns, lost, QUALITY_GOOD);
		add(b, 9, Q_QUEUE_DROPPED_OCTETS, ns, 100 * lost,
		    QUALITY_GOOD);
		add(b, 9, Q_QUEUE_ECN_MARKED_FRAMES, ns, 3 * (s - 1000),
		    QUALITY_GOOD);
		add(b, 9, Q_QUEUE_DELAY_NS, ns, is_full ? 70 : 5,
		    QUALITY_GOOD);
		add(b, 8, Q_QUEUE_WATERMARK_OCTETS, ns, 0, QUALITY_GOOD);
	}
}

static void test_c08_congestion_is_what_the_readings_say(void **state)
{
	struct bed *b = *state;
	const struct record_sink sink = { b, congestion_take, part_sequence };
	const Petrel__Congestion *m;
	const struct congestion *g;
	struct array found;

	queues_add(b);
	put(b);
	assert_int_equal(b->parts, 1);
	assert_int_equal(congestion_find(&b->capsule, &found), 0);
	assert_int_equal(found.count, 2);
	g = found.items;
	assert_int_equal(g[1].from.ns, 0);	/* the empty one */
	b->capsule.missing = CAPSULE_HAS_HOLES;
	assert_int_equal(congestion_put(&g[0], &b->capsule, "Ethernet8/queue3",
					&sink), 0);
	array_fini(&found);
	m = (const Petrel__Congestion *)b->part[1];
	assert_string_equal(m->id, "abcdefghijkl");
	assert_string_equal(m->name, "Ethernet8/queue3");
	assert_int_equal(m->entity, 9);
	assert_int_equal(m->from_mono_ns, 1050 * NS_PER_S);
	assert_int_equal(m->to_mono_ns, 1070 * NS_PER_S);
	assert_int_equal(m->peak, 8000);
	assert_int_equal(m->peak_mono_ns, 1058 * NS_PER_S);
	assert_int_equal(m->quantity, Q_QUEUE_WATERMARK_OCTETS);
	assert_int_equal(m->lost_frames, 7 + 4);
	assert_int_equal(m->lost_octets, 1100);
	assert_int_equal(m->marked_frames, 3 * 89);
	assert_int_equal(m->delay_ns, 70);
	assert_int_equal(m->missing, CAPSULE_HAS_HOLES);
	assert_int_equal(m->number, 101);
}

/* Octets of anybody's. */
static void test_capsule_series_refuses_what_cannot_be(void **state)
{
	static const uint8_t octets[] = { 0, 100, 2 };
	struct bed *b = *state;
	ProtobufCBinaryData times = { 2, (uint8_t *)(uintptr_t)octets };
	struct capsule_range range = { .count = 1 };
	char course[CAPSULE_COURSE_COLUMNS + 1];
	Petrel__CapsuleSeries s;
	Petrel__Capsule m;

	petrel__capsule__init(&m);
	petrel__capsule_series__init(&s);
	s.values = times;
	assert_int_equal(capsule_series_read(&m, &s, reading_take, b),
			 -EBADMSG);	/* no times */
	m.times = &times;
	m.n_times = 1;
	assert_int_equal(capsule_series_read(&m, &s, reading_take, b), 0);
	assert_int_equal(b->count, 101);
	s.values.len = 3;		/* one value more than times */
	assert_int_equal(capsule_series_read(&m, &s, reading_take, b),
			 -EBADMSG);
	s.values.len = 1;		/* cut short */
	assert_int_equal(capsule_series_read(&m, &s, reading_take, b),
			 -EBADMSG);
	s.values = times;
	s.quality = (ProtobufCBinaryData){ 2, (uint8_t *)(uintptr_t)octets };
	assert_int_equal(capsule_series_read(&m, &s, reading_take, b),
			 -EBADMSG);	/* of one value less */
	s.quality.len = 0;
	m.from_mono_ns = 1;		/* it ends before it begins */
	assert_int_equal(capsule_series_course(&m, &s, &range, false, course),
			 -EBADMSG);
	m.from_mono_ns = INT64_MIN;	/* and after a time beyond all */
	m.to_mono_ns = INT64_MAX;
	assert_int_equal(capsule_series_course(&m, &s, &range, false, course),
			 -EBADMSG);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_c08_capsule_orders_series_and_times),
		TEST(test_c08_capsule_gives_back_what_it_took),
		TEST(test_c08_course_shows_what_is_far_from_the_first),
		TEST(test_c08_capsule_above_a_record_comes_in_parts),
		TEST(test_c08_capsule_without_readings_is_told_all_the_same),
		TEST(test_c08_capsule_above_its_bound_says_so),
		TEST(test_c08_reading_of_days_later_is_left_out),
		TEST(test_c08_congestion_is_what_the_readings_say),
		TEST(test_capsule_series_refuses_what_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
