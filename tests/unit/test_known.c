/* The newest values are those of the last batch, after a gap and after a new
 * run as well.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/collect/known.h"
#include "agent/record/encode.h"
#include "petrel/quantity.h"

#define ENTITIES 4

struct bed {
	struct known *known;
	struct encoder *encoder;
	uint64_t run, sequence;
	uint32_t tick;
	bool is_lost;		/* batches go nowhere */
	const char *id;		/* of the switch; NULL: leaf1 */
};

static int batch_put(void *context, enum stream stream, enum record_kind kind,
		     uint16_t flags, const void *payload, size_t len)
{
	static uint8_t octets[RECORD_HEADER_LEN + RECORD_PAYLOAD_MAX];
	struct writer w = writer_of(octets, sizeof(octets));
	struct bed *b = context;
	struct record_header h = { .length = (uint32_t)len,
				   .stream = (uint8_t)stream,
				   .kind = (uint8_t)kind, .flags = flags };
	struct entry e = { .kind = ENTRY_RECORDS, .run = b->run,
			   .switch_id = "leaf1", .body = octets };

	if (b->id)
		(void)strcpy(e.switch_id, b->id);
	h.sequence = h.last = ++b->sequence;
	if (b->is_lost)
		return 0;
	record_write(&w, &h, payload);
	e.len = w.pos;
	return known_entry(b->known, &e);
}

static uint64_t batch_sequence(void *context, enum stream stream)
{
	(void)stream;
	return ((struct bed *)context)->sequence + 1;
}

static int setup(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));
	struct encoder_limits limits = { .slots = 64, .columns = 4,
					 .lists = 4, .entities = 16 };
	struct record_sink sink = { b, batch_put, batch_sequence };

	b->run = 7;
	assert_int_equal(known_new(&b->known), 0);
	assert_int_equal(encoder_new(&limits, &sink, &b->encoder), 0);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;

	encoder_free(b->encoder);
	known_free(b->known);
	free(b);
	return 0;
}

static void batch(struct bed *b, int64_t base)
{
	uint32_t entity[ENTITIES];
	uint64_t is_new = (UINT64_C(1) << ENTITIES) - 1;
	int64_t value[ENTITIES];
	uint8_t quality[ENTITIES] = { QUALITY_GOOD };
	struct group_age groups[ENTITIES];
	struct sample_column column = { Q_IF_IN_OCTETS, 0, 0, ENTITIES, entity,
					value, quality, ++b->tick, &is_new };
	struct group_column group = { 0, ENTITIES, entity, groups, NULL };

	for (unsigned i = 0; i < ENTITIES; i++) {
		entity[i] = i + 2;
		value[i] = base + i;
		groups[i] = (struct group_age){ .taken = { base } };
	}
	assert_int_equal(encoder_batch(b->encoder, (struct mono){ base },
				       b->tick, 1, &column, 1, &group, 1), 0);
}

static int get(struct bed *b, uint32_t entity, struct known_value *ret)
{
	return known_value(b->known, "leaf1", entity, Q_IF_IN_OCTETS, 0, ret);
}

static void test_newest_is_the_last_batchs(void **state)
{
	struct bed *b = *state;
	struct known_value v;

	assert_int_equal(get(b, 3, &v), -ENODATA);
	batch(b, 1000);
	batch(b, 2000);

	assert_int_equal(get(b, 3, &v), 0);
	assert_int_equal(v.value, 2001);
	assert_int_equal(v.taken.ns, 2000);
	assert_int_equal(v.quality, QUALITY_GOOD);
	assert_int_equal(get(b, 99, &v), -ENODATA);
}

static void test_newest_waits_for_a_reference_after_a_gap(void **state)
{
	struct bed *b = *state;
	uint8_t octets[64];
	struct writer w = writer_of(octets, sizeof(octets));
	struct record_header h = { .stream = STREAM_SAMPLES,
				   .kind = RECORD_GAP, .sequence = 2,
				   .last = 2 };
	struct entry e = { .kind = ENTRY_RECORDS, .run = 7,
			   .switch_id = "leaf1", .body = octets };
	struct known_value v;

	batch(b, 1000);
	b->is_lost = true;
	batch(b, 5000);
	b->is_lost = false;
	record_write(&w, &h, "");
	e.len = w.pos;
	assert_int_equal(known_entry(b->known, &e), 0);
	batch(b, 6000);
	assert_int_equal(get(b, 2, &v), 0);
	assert_int_equal(v.value, 1000);	/* no wrong one */
	encoder_want_reference(b->encoder);
	batch(b, 7000);

	assert_int_equal(get(b, 2, &v), 0);
	assert_int_equal(v.value, 7000);
}

static void test_newest_forgets_the_run_before(void **state)
{
	struct bed *b = *state;
	struct known_count count;
	struct known_value v;

	batch(b, 1000);
	b->run = 8;
	batch(b, 2000);		/* cannot be read without its reference */
	assert_int_equal(get(b, 2, &v), -ENODATA);
	encoder_want_reference(b->encoder);
	batch(b, 3000);

	assert_int_equal(get(b, 2, &v), 0);
	assert_int_equal(v.value, 3000);
	known_count(b->known, &count);
	assert_int_equal(count.values, ENTITIES);
	assert_int_equal(count.switches, 1);
}

/* What was spooled over a reboot comes beside what is new. */
static void test_newest_stays_when_the_run_before_comes_later(void **state)
{
	struct bed *b = *state;
	uint8_t octets[64], payload[16];
	struct writer w = writer_of(octets, sizeof(octets));
	struct record_header h = { .stream = STREAM_STATES, .kind = RECORD_RUN,
				   .sequence = 1, .last = 1 };
	struct entry e = { .kind = ENTRY_RECORDS, .run = 7,
			   .switch_id = "leaf1", .body = octets };
	Petrel__Run run;
	struct known_value v;

	petrel__run__init(&run);
	run.previous_run = 6;
	h.length = (uint32_t)petrel__run__pack(&run, payload);
	record_write(&w, &h, payload);
	e.len = w.pos;
	assert_int_equal(known_entry(b->known, &e), 0);
	batch(b, 1000);
	b->run = 6;
	encoder_want_reference(b->encoder);
	batch(b, 2000);

	assert_int_equal(get(b, 2, &v), 0);
	assert_int_equal(v.value, 1000);
}

static void test_c09_newest_go_on_under_the_id_of_the_switch(void **state)
{
	struct bed *b = *state;
	uint8_t body[ENTRY_POSITIONS_MAX] = { 0 };
	struct writer w = writer_of(body, sizeof(body));
	struct entry e = { .kind = ENTRY_POSITIONS, .run = 7,
			   .switch_id = "SN1", .body = body };
	struct entry_identity who = { "leaf1", "leaf1" };
	struct known_count count;
	struct known_value v;

	batch(b, 1000);
	w.pos = ENTRY_POSITIONS_LEN;
	entry_identity_write(&w, &who);
	e.len = w.pos;
	assert_int_equal(known_entry(b->known, &e), 0);
	b->id = "SN1";
	batch(b, 2000);		/* a difference to what leaf1 said */

	assert_int_equal(known_value(b->known, "SN1", 2, Q_IF_IN_OCTETS, 0,
				    &v), 0);
	assert_int_equal(v.value, 2000);
	assert_int_equal(get(b, 2, &v), -ENODATA);
	known_count(b->known, &count);
	assert_int_equal(count.switches, 1);
}

static const char *shown(const struct bed *b, const char *id, const char *name)
{
	uint8_t body[ENTRY_POSITIONS_MAX] = { 0 };
	struct writer w = writer_of(body, sizeof(body));
	struct entry e = { .kind = ENTRY_POSITIONS, .run = 9, .body = body };
	struct entry_identity who = { .former_id = "" };

	(void)strcpy(e.switch_id, id);
	(void)strcpy(who.name, name);
	w.pos = ENTRY_POSITIONS_LEN;
	entry_identity_write(&w, &who);
	e.len = w.pos;
	return known_switch_shown(known_find(b->known, &e));
}

static void test_two_switches_of_one_name_are_told_apart(void **state)
{
	struct bed *b = *state;

	assert_string_equal(shown(b, "SN1", "leaf1"), "leaf1");
	assert_string_equal(shown(b, "SN2", "leaf2"), "leaf2");
	assert_string_equal(shown(b, "SN3", "leaf1"), "leaf1/SN3");
	assert_string_equal(shown(b, "SN1", "leaf1"), "leaf1/SN1");
	assert_string_equal(shown(b, "SN2", "leaf2"), "leaf2");
	assert_string_equal(shown(b, "SN2", "leaf3"), "leaf3");
}

static void test_name_that_one_switch_has_again_is_shown_alone(void **state)
{
	struct bed *b = *state;

	(void)shown(b, "SN1", "leaf1");
	assert_string_equal(shown(b, "SN3", "leaf1"), "leaf1/SN3");
	assert_string_equal(shown(b, "SN3", "leaf3"), "leaf3");
	assert_string_equal(known_switch_shown(known_switch_find(b->known,
								 "SN1")),
			    "leaf1");
}

/* Of the runs before, and of those after, which say only the id. */
static void test_c09_name_is_that_of_all_runs_of_a_switch(void **state)
{
	struct bed *b = *state;
	struct entry e = { .kind = ENTRY_RECORDS, .run = 7,
			   .switch_id = "SN1", .body = (const uint8_t *)"" };

	assert_int_equal(known_entry(b->known, &e), 0);
	assert_null(known_switch_find(b->known, "SN1"));
	(void)shown(b, "SN1", "leaf1");
	(void)shown(b, "SN1", "leaf2");
	assert_string_equal(known_switch_name(known_find(b->known, &e)),
			    "leaf2");
	e.run = 8;
	assert_string_equal(known_switch_name(known_find(b->known, &e)),
			    "leaf2");
}

/* One peer that makes up switches keeps no other out. */
static void test_c18_newest_forgets_who_is_silent_for_longest(void **state)
{
	struct bed *b = *state;
	struct entry e = { .kind = ENTRY_RECORDS, .run = 1,
			   .body = (const uint8_t *)"" };
	struct known_count count;
	struct known_value v;

	for (unsigned i = 0; i < KNOWN_RUNS_MAX + 10; i++) {
		(void)snprintf(e.switch_id, sizeof(e.switch_id), "rogue%u", i);
		assert_int_equal(known_entry(b->known, &e), 0);
	}
	batch(b, 1000);

	assert_int_equal(get(b, 2, &v), 0);
	known_count(b->known, &count);
	assert_int_equal(count.switches, KNOWN_RUNS_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_newest_is_the_last_batchs),
		TEST(test_newest_waits_for_a_reference_after_a_gap),
		TEST(test_newest_forgets_the_run_before),
		TEST(test_c18_newest_forgets_who_is_silent_for_longest),
		TEST(test_newest_stays_when_the_run_before_comes_later),
		TEST(test_c09_newest_go_on_under_the_id_of_the_switch),
		TEST(test_two_switches_of_one_name_are_told_apart),
		TEST(test_name_that_one_switch_has_again_is_shown_alone),
		TEST(test_c09_name_is_that_of_all_runs_of_a_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
