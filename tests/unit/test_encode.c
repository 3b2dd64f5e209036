#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record/decode.h"
#include "agent/record/encode.h"
#include "petrel/quantity.h"
#include "tests/support/samples.h"

/* Counts what anyone in this program allocates, where that can be done. */
#if !defined(__SANITIZE_ADDRESS__) && defined(__GLIBC__)
#define COUNTS_ALLOCATIONS
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
static uint64_t allocations;

void *malloc(size_t n)
{
	allocations++;
	return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	allocations++;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	allocations++;
	return __libc_realloc(p, n);
}
#endif

static const struct encoder_limits limits = {
	.slots = 20000, .columns = 64, .lists = 64, .entities = 2000 };

struct fixture {
	struct record_store store;
	struct encoder *encoder;
};

static int fixture_open(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct record_sink sink;

	record_store_init(&f->store);
	sink = record_store_sink(&f->store);
	*state = f;
	return encoder_new(&limits, &sink, &f->encoder);
}

static int fixture_close(void **state)
{
	struct fixture *f = *state;

	encoder_free(f->encoder);
	record_store_clear(&f->store);
	free(f);
	return 0;
}

/* Four ports of one quantity, of source 5. */
static const uint32_t ports[] = { 10, 11, 12, 20 };
static const uint8_t good[4];
static const struct group_age ages[4] = {
	{ .taken = { 900 }, .uncertainty = 5 << 5 },
	{ .taken = { 900 }, .uncertainty = 3 << 5 },
	{ .taken = { 900 }, .uncertainty = 9 << 5 },
	{ .taken = { 950 }, .uncertainty = 1 << 5 } };

struct tiny {
	int64_t value[4];
	uint64_t is_new;		/* a bit a row */
	struct sample_column column;
	struct group_column group;
};

static void tiny_init(struct tiny *t)
{
	*t = (struct tiny){ .value = { 100, 200, 300, 400 } };
	t->column = (struct sample_column){
		.quantity = Q_IF_IN_OCTETS, .source = 5, .count = 4,
		.entity = ports, .value = t->value, .quality = good,
		.is_new = &t->is_new };
	t->group = (struct group_column){ .source = 5, .count = 4,
					  .entity = ports, .age = ages };
}

static int tiny_encode(struct fixture *f, struct tiny *t, uint32_t tick)
{
	t->column.tick = tick;
	t->is_new = 0xf;
	return encoder_batch(f->encoder, (struct mono){ 1000 }, tick, 3,
			     &t->column, 1, &t->group, 1);
}

static Petrel__Batch *batch_of(const struct stored_record *r)
{
	ProtobufCMessage *m;

	assert_int_equal(r->kind, RECORD_BATCH);
	/* protobuf-c's own decoder, with nothing of ours between. */
	m = protobuf_c_message_unpack(&petrel__batch__descriptor, NULL, r->len,
				      r->payload);
	assert_non_null(m);
	return (Petrel__Batch *)m;
}

static void batch_free(Petrel__Batch *m)
{
	petrel__batch__free_unpacked(m, NULL);
}

static void assert_octets(const ProtobufCBinaryData *is, const char *want,
			  size_t len)
{
	assert_int_equal(is->len, len);
	assert_memory_equal(is->data, want, len);
}

static void test_c09_batch_reads_as_protobuf(void **state)
{
	struct fixture *f = *state;
	Petrel__Batch *m;
	struct tiny t;

	tiny_init(&t);
	assert_int_equal(tiny_encode(f, &t, 1), 0);
	assert_int_equal(f->store.count, 1);
	assert_int_equal(f->store.record[0].flags, RECORD_FLAG_REFERENCE);
	m = batch_of(&f->store.record[0]);
	assert_int_equal(m->mono_ns, 1000);
	assert_int_equal(m->dictionary, 3);
	assert_int_equal(m->number, 1);
	assert_null(m->part);
	assert_int_equal(m->n_lists, 1);
	assert_octets(&m->lists[0]->entities, "\x14\x02\x02\x10", 4);
	assert_int_equal(m->n_groups, 1);
	assert_int_equal(m->groups[0]->source, 5);
	/* 900-1000, twice more the same, then 50 later. */
	assert_octets(&m->groups[0]->taken, "\xc7\x01\x00\x01\x64", 5);
	assert_int_equal(m->groups[0]->uncertainty_ns, 9);
	assert_int_equal(m->n_columns, 1);
	assert_int_equal(m->columns[0]->quantity, Q_IF_IN_OCTETS);
	assert_int_equal(m->columns[0]->source, 5);
	/* In hundreds: 1, 2, 3, 4. */
	assert_int_equal(m->columns[0]->encoding, 2);
	assert_octets(&m->columns[0]->data, "\x30\x64\x03\x24\x68\x00", 6);
	assert_int_equal(m->columns[0]->quality.len, 0);
	batch_free(m);
}

static void test_c09_still_columns_cost_two_octets_together(void **state)
{
	struct fixture *f = *state;
	Petrel__Batch *m;
	struct tiny t;

	tiny_init(&t);
	assert_int_equal(tiny_encode(f, &t, 1), 0);
	assert_int_equal(tiny_encode(f, &t, 2), 0);
	assert_int_equal(f->store.record[1].flags, 0);
	m = batch_of(&f->store.record[1]);
	assert_int_equal(m->n_lists, 0);	/* known since the reference */
	assert_int_equal(m->n_columns + m->n_known, 0);
	assert_octets(&m->still, "\x00\x01", 2);
	batch_free(m);
}

static void test_c09_encoding_is_the_shorter_one(void **state)
{
	struct fixture *f = *state;
	Petrel__Batch *m;
	struct tiny t;

	tiny_init(&t);
	t.column.count = 1;
	assert_int_equal(tiny_encode(f, &t, 1), 0);
	t.value[0] = 3;
	assert_int_equal(tiny_encode(f, &t, 2), 0);
	t.value[0] = 500;
	assert_int_equal(tiny_encode(f, &t, 3), 0);
	m = batch_of(&f->store.record[1]);	/* 3 is shorter than -97 */
	assert_int_equal(m->n_known, 1);
	assert_octets(&m->known[0], "\0\6", 2);
	batch_free(m);
	m = batch_of(&f->store.record[2]);	/* 497, as long as 500 */
	assert_octets(&m->known[0], "\1\xe2\7", 3);
	batch_free(m);
}

static void test_c09_reference_at_start_on_wish_and_every_60th(void **state)
{
	struct fixture *f = *state;
	struct tiny t;

	tiny_init(&t);
	for (uint32_t i = 1; i <= 150; i++) {
		if (i == 131)
			encoder_want_reference(f->encoder);
		assert_int_equal(tiny_encode(f, &t, i), 0);
	}
	for (uint32_t i = 1; i <= 150; i++)
		assert_int_equal(f->store.record[i - 1].flags,
				 i == 1 || i == 61 || i == 121 || i == 131);
}

static void test_c09_refused_record_makes_next_a_reference(void **state)
{
	struct fixture *f = *state;
	struct tiny t;

	tiny_init(&t);
	assert_int_equal(tiny_encode(f, &t, 1), 0);
	f->store.fail_after = 0;
	assert_int_equal(tiny_encode(f, &t, 2), -EIO);
	f->store.fail_after = -1;
	assert_int_equal(tiny_encode(f, &t, 3), 0);
	assert_int_equal(f->store.record[1].flags, RECORD_FLAG_REFERENCE);
}

static void test_c09_nothing_new_makes_no_record(void **state)
{
	struct fixture *f = *state;
	struct tiny t;

	tiny_init(&t);
	assert_int_equal(tiny_encode(f, &t, 1), 0);
	assert_int_equal(encoder_batch(f->encoder, (struct mono){ 2000 }, 2, 3,
				       &t.column, 1, &t.group, 1), 0);
	assert_int_equal(f->store.count, 1);
}

static void test_c04_each_read_group_goes_once_a_batch(void **state)
{
	struct fixture *f = *state;
	struct sample_column columns[3];
	Petrel__Batch *m;
	struct tiny t;

	tiny_init(&t);
	t.is_new = 0xf;
	for (unsigned i = 0; i < 3; i++) {
		columns[i] = t.column;
		columns[i].index = (uint16_t)i;
		columns[i].tick = 1;
	}
	assert_int_equal(encoder_batch(f->encoder, (struct mono){ 1000 }, 1, 3,
				       columns, 3, &t.group, 1), 0);
	m = batch_of(&f->store.record[0]);
	assert_int_equal(m->n_columns, 3);
	assert_int_equal(m->n_groups, 1);
	assert_int_equal(m->n_lists, 1);
	batch_free(m);
}

static void test_c04_value_without_read_group_is_refused(void **state)
{
	struct fixture *f = *state;
	struct tiny t;

	tiny_init(&t);
	t.group.count = 3;
	assert_int_equal(tiny_encode(f, &t, 1), -EINVAL);
	t.group.count = 4;
	t.group.source = 6;
	assert_int_equal(tiny_encode(f, &t, 2), -EINVAL);
	assert_int_equal(f->store.count, 0);
}

static void test_c09_entity_that_leaves_makes_a_reference(void **state)
{
	struct fixture *f = *state;
	struct tiny t;

	tiny_init(&t);
	assert_int_equal(tiny_encode(f, &t, 1), 0);
	t.column.count = 3;
	assert_int_equal(tiny_encode(f, &t, 2), 0);
	t.column.count = 4;		/* comes back, with what was before */
	assert_int_equal(tiny_encode(f, &t, 3), 0);
	assert_int_equal(f->store.record[1].flags, RECORD_FLAG_REFERENCE);
	assert_int_equal(f->store.record[2].flags, 0);
}

static const struct samples_shape large = {
	.columns = 12, .entities = 1500, .fresh_percent = 100,
	.change_percent = 100 };

static void test_c09_large_batch_goes_in_numbered_parts(void **state)
{
	struct fixture *f = *state;
	struct samples s;

	samples_init(&s, &large, 1);
	samples_tick(&s);
	samples_tick(&s);
	assert_int_equal(encoder_batch(f->encoder, s.now, s.tick, 1, s.column,
				       s.shape.columns, s.group,
				       SAMPLES_SOURCES), 0);
	assert_true(f->store.count > 1);
	for (uint32_t i = 0; i < f->store.count; i++) {
		const struct stored_record *r = &f->store.record[i];
		Petrel__Batch *m = batch_of(r);

		assert_true(r->len <= RECORD_PAYLOAD_MAX);
		assert_int_equal(r->flags, i == 0 ? RECORD_FLAG_REFERENCE : 0);
		assert_non_null(m->part);
		assert_int_equal(m->part->number, i);
		assert_int_equal(m->part->count, f->store.count);
		assert_int_equal(m->number, i + 1);
		assert_true(m->n_columns > 0 && m->n_groups > 0);
		batch_free(m);
	}
	samples_fini(&s);
}

/* More lists than there is room for: a new group, not an error. */
static void test_encode_begins_anew_when_lists_are_full(void **state)
{
	static const struct samples_shape shape = {
		.columns = 60, .entities = 40, .fresh_percent = 100,
		.partly_percent = 100, .change_percent = 10 };
	struct fixture *f = *state;
	struct encoder_count c;
	struct samples s;

	samples_init(&s, &shape, 1);
	for (unsigned i = 0; i < 30; i++) {
		samples_tick(&s);
		assert_int_equal(encoder_batch(f->encoder, s.now, s.tick, 1,
					       s.column, s.shape.columns,
					       s.group, SAMPLES_SOURCES), 0);
	}
	encoder_count(f->encoder, &c);
	assert_int_equal(c.batches, 30);
	assert_true(c.references > 10);
	samples_fini(&s);
}

static int swallow(void *context, enum stream stream, enum record_kind kind,
		   uint16_t flags, const void *payload, size_t len)
{
	uint64_t *octets = context;

	(void)stream;
	(void)kind;
	(void)flags;
	(void)payload;
	*octets += len;
	return 0;
}

static void test_encode_allocates_nothing_in_1000_rounds(void **state)
{
#ifdef COUNTS_ALLOCATIONS
	static const struct samples_shape shape = {
		.columns = 40, .entities = 64, .fresh_percent = 90,
		.partly_percent = 10, .change_percent = 25,
		.odd_quality_percent = 1 };
	uint64_t octets = 0, before;
	struct record_sink sink = { .context = &octets, .put = swallow };
	struct encoder *e;
	struct samples s;

	(void)state;
	samples_init(&s, &shape, 1);
	assert_int_equal(encoder_new(&limits, &sink, &e), 0);
	before = allocations;
	for (unsigned i = 0; i < 1000; i++) {
		samples_tick(&s);
		if (encoder_batch(e, s.now, s.tick, 1, s.column,
				  s.shape.columns, s.group, SAMPLES_SOURCES))
			fail();
	}
	assert_int_equal(allocations - before, 0);
	assert_true(octets > 1000000);
	encoder_free(e);
	samples_fini(&s);
#else
	(void)state;
	(void)swallow;
	print_message("# SKIP ALLOCATIONS ARE THE SANITIZER'S HERE\n");
	skip();
#endif
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_c09_batch_reads_as_protobuf),
		TEST(test_c09_still_columns_cost_two_octets_together),
		TEST(test_c09_encoding_is_the_shorter_one),
		TEST(test_c09_reference_at_start_on_wish_and_every_60th),
		TEST(test_c09_refused_record_makes_next_a_reference),
		TEST(test_c09_nothing_new_makes_no_record),
		TEST(test_c04_each_read_group_goes_once_a_batch),
		TEST(test_c04_value_without_read_group_is_refused),
		TEST(test_c09_entity_that_leaves_makes_a_reference),
		TEST(test_c09_large_batch_goes_in_numbered_parts),
		TEST(test_encode_begins_anew_when_lists_are_full),
		TEST(test_encode_allocates_nothing_in_1000_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
