/* All records but the batch: what is packed by hand reads as protobuf. */
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

#include "agent/base/event.h"
#include "agent/record/capped.h"
#include "agent/record/decode.h"
#include "agent/record/encode.h"
#include "agent/record/pack.h"
#include "petrel/platform.h"
#include "tests/support/golden.h"
#include "tests/support/samples.h"

static const struct encoder_limits limits = {
	.slots = 100, .columns = 4, .lists = 4, .entities = 10 };

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

static ProtobufCMessage *unpack(struct fixture *f, uint32_t n,
				enum stream stream, enum record_kind kind,
				uint16_t flags)
{
	const struct stored_record *r = &f->store.record[n];
	ProtobufCMessage *m = NULL;

	assert_true(n < f->store.count);
	assert_int_equal(r->stream, stream);
	assert_int_equal(r->kind, kind);
	assert_int_equal(r->flags, flags);
	assert_int_equal(record_unpack(kind, r->payload, r->len, &m), 0);
	return m;
}

static void test_c09_run_names_the_one_before(void **state)
{
	static const uint64_t last[STREAM_COUNT] = { 5, 0, UINT64_MAX };
	static const struct clock_reading clock = { .mono = { 11 },
						    .wall = { 22 } };
	struct fixture *f = *state;
	Petrel__Run *m;

	struct encoder_origin from = {
		.run = 0xfedcba9876543210, .previous_run = 3,
		.previous_last = last, .switch_id = "", .switch_name = "leaf-1",
		.version = "0.1.0", .clock = &clock };

	assert_int_equal(encoder_run(f->encoder, &from), 0);
	golden_assert("run", f->store.record[0].payload,
		      f->store.record[0].len);
	m = (Petrel__Run *)unpack(f, 0, STREAM_STATES, RECORD_RUN,
				  RECORD_FLAG_REFERENCE);
	assert_true(m->run == 0xfedcba9876543210);
	assert_int_equal(m->previous_run, 3);
	assert_int_equal(m->n_previous_last, STREAM_COUNT);
	assert_memory_equal(m->previous_last, last, sizeof(last));
	assert_string_equal(m->switch_name, "leaf-1");
	assert_string_equal(m->version, "0.1.0");
	assert_true(m->mono_ns == 11 && m->wall_ns == 22);
	record_unpacked_free(&m->base);
}

static void test_c05_clock_record_carries_both_clocks(void **state)
{
	static const struct clock_reading clock = {
		.mono = { 1 }, .wall = { -2 }, .error_ns = -1, .is_set = true };
	struct fixture *f = *state;
	Petrel__Clock *m;

	assert_int_equal(encoder_clock(f->encoder, &clock), 0);
	golden_assert("clock", f->store.record[0].payload,
		      f->store.record[0].len);
	m = (Petrel__Clock *)unpack(f, 0, STREAM_STATES, RECORD_CLOCK, 0);
	assert_true(m->mono_ns == 1 && m->wall_ns == -2 && m->error_ns == -1);
	assert_true(m->is_set && m->number == 1);
	record_unpacked_free(&m->base);
}

static void test_record_event_comes_back(void **state)
{
	struct fixture *f = *state;
	Petrel__Event *m;

	struct event event = { .entity = 9, .what = 2, .value = INT64_MIN,
			       .when = { 5 }, .text = "a text",
			       .subject = "Ethernet8" };

	assert_int_equal(encoder_event(f->encoder, &event), 0);
	event.text = event.subject = NULL;
	assert_int_equal(encoder_event(f->encoder, &event), 0);
	m = (Petrel__Event *)unpack(f, 0, STREAM_STATES, RECORD_EVENT, 0);
	assert_true(m->entity == 9 && m->what == 2 && m->value == INT64_MIN);
	assert_true(m->mono_ns == 5 && m->number == 1);
	assert_string_equal(m->text, "a text");
	assert_string_equal(m->subject, "Ethernet8");
	record_unpacked_free(&m->base);
	m = (Petrel__Event *)unpack(f, 1, STREAM_STATES, RECORD_EVENT, 0);
	assert_string_equal(m->text, "");
	assert_int_equal(m->number, 2);
	record_unpacked_free(&m->base);
}

static void test_c19_texts_of_another_build_are_made_clean(void **state)
{
	struct fixture *f = *state;
	struct event event = { .entity = 9, .what = EVENT_PORT_CHANGED,
			       .text = "al\xff" "ias\ta\xc2\x9b\tb\xe2\x80\xae",
			       .subject = "Ethernet\x1b" };
	Petrel__Event *m;

	assert_int_equal(encoder_event(f->encoder, &event), 0);
	m = (Petrel__Event *)unpack(f, 0, STREAM_STATES, RECORD_EVENT, 0);
	assert_string_equal(m->text, "al?ias\ta?\tb?");
	assert_string_equal(m->subject, "Ethernet?");
	record_unpacked_free(&m->base);
}

static void test_c09_gap_names_its_range(void **state)
{
	uint8_t octets[64];
	ProtobufCMessage *message;
	Petrel__Gap *m;
	size_t n;

	(void)state;
	n = gap_encode(STREAM_SAMPLES, 7, 99, octets, sizeof(octets));
	golden_assert("gap", octets, n);
	assert_int_equal(record_unpack(RECORD_GAP, octets, n, &message), 0);
	m = (Petrel__Gap *)message;
	assert_int_equal(m->stream, STREAM_SAMPLES);
	assert_true(m->first == 7 && m->last == 99);
	assert_int_equal(m->reason, GAP_DROPPED);
	record_unpacked_free(message);
	assert_int_equal(gap_encode(STREAM_SAMPLES, 7, 99, octets, 3), 0);
}

/* Port, module and lane, with all that is known of the second. */
static void test_c02_dictionary_comes_back(void **state)
{
	static const struct entity_key port = { .kind = ENTITY_PORT,
						.name = "Ethernet8" };
	static const struct entity_key module = { .kind = ENTITY_MODULE,
						  .parent = 1, .number = 3 };
	static const char *const attribute[ATTRIBUTE_COUNT] = {
		[ATTRIBUTE_VENDOR] = "ACME", [ATTRIBUTE_SERIAL] = "" };
	static const struct encoder_entity entities[] = {
		{ .id = 4, .key = &port },
		{ .id = 5, .key = &module, .attribute = attribute,
		  .gone = true } };
	static const struct encoder_source source = { 7, "sonic.dom", 60 };
	struct fixture *f = *state;
	Petrel__Dictionary *m;

	assert_int_equal(encoder_dictionary(f->encoder, 12, false, entities, 2,
					    &source, 1), 0);
	golden_assert("dictionary", f->store.record[0].payload,
		      f->store.record[0].len);
	m = (Petrel__Dictionary *)unpack(f, 0, STREAM_STATES,
					 RECORD_DICTIONARY, 0);
	assert_true(m->version == 12 && !m->snapshot && !m->part);
	assert_int_equal(m->n_entities, 2);
	assert_int_equal(m->entities[0]->id, 4);
	assert_int_equal(m->entities[0]->kind, ENTITY_PORT);
	assert_string_equal(m->entities[0]->name, "Ethernet8");
	assert_int_equal(m->entities[0]->n_attributes, 0);
	assert_int_equal(m->entities[1]->parent, 1);
	assert_int_equal(m->entities[1]->number, 3);
	assert_true(m->entities[1]->gone && !m->entities[0]->gone);
	assert_int_equal(m->entities[1]->n_attributes, 2);
	assert_int_equal(m->entities[1]->attributes[0]->key, ATTRIBUTE_VENDOR);
	assert_string_equal(m->entities[1]->attributes[0]->text, "ACME");
	assert_string_equal(m->entities[1]->attributes[1]->text, "");
	assert_int_equal(m->n_sources, 1);
	assert_int_equal(m->sources[0]->number, 7);
	assert_string_equal(m->sources[0]->name, "sonic.dom");
	record_unpacked_free(&m->base);
}

#define MANY 3000u

static void test_c02_large_dictionary_goes_in_numbered_parts(void **state)
{
	static const char *const attribute[ATTRIBUTE_COUNT] = {
		[ATTRIBUTE_VENDOR] = "a vendor with a rather long name",
		[ATTRIBUTE_SERIAL] = "0123456789abcdef0123456789" };
	struct encoder_entity *entities = calloc(MANY, sizeof(*entities));
	struct entity_key *key = calloc(MANY, sizeof(*key));
	struct fixture *f = *state;
	uint32_t id = 0;

	for (uint32_t i = 0; i < MANY; i++) {
		key[i] = (struct entity_key){ .kind = ENTITY_MODULE,
					      .number = i };
		entities[i] = (struct encoder_entity){
			.id = i + 1, .key = &key[i], .attribute = attribute };
	}
	assert_int_equal(encoder_dictionary(f->encoder, 1, true, entities, MANY,
					    NULL, 0), 0);
	assert_true(f->store.count >= 4);
	for (uint32_t i = 0; i < f->store.count; i++) {
		Petrel__Dictionary *m = (Petrel__Dictionary *)
			unpack(f, i, STREAM_STATES, RECORD_DICTIONARY,
			       i == 0 ? RECORD_FLAG_REFERENCE : 0);

		assert_true(m->snapshot && m->version == 1);
		assert_int_equal(m->part->number, i);
		assert_int_equal(m->part->count, f->store.count);
		assert_int_equal(m->number, i + 1);
		for (size_t n = 0; n < m->n_entities; n++)
			assert_int_equal(m->entities[n]->id, ++id);
		record_unpacked_free(&m->base);
	}
	assert_int_equal(id, MANY);
	free(entities);
	free(key);
}

static void finding_make(struct finding *f)
{
	*f = (struct finding){
		.id = "abcdefghij27", .signature = SIGNATURE_FLAP_BURST,
		.severity = SEVERITY_CRITICAL, .state = FINDING_UPDATED,
		.end = END_PATH, .action = ACTION_REPLACE_FAR,
		.drain = DRAIN_URGE, .entity = 77, .subject = "Ethernet8",
		.lanes = 0x81, .confidence = 0.75f,
		.cause = "the link went down 9 times in 5 minutes",
		.onset = { 1 }, .when = { 2 }, .onset_wall = { 3 },
		.when_wall = { -4 },
		.cliff = { true, 10, 20, FINDING_NO_UPPER_BOUND },
		.evidence_count = 2,
		.evidence = { { "flaps", 9 }, { "rx_drop_mdb", -0.5 } },
		.change_count = 1, .change = { "module swapped" } };
}

static void test_c08_finding_comes_back(void **state)
{
	struct fixture *f = *state;
	struct finding in, out;
	Petrel__Finding *m;

	finding_make(&in);
	assert_int_equal(encoder_finding(f->encoder, &in, true), 0);
	golden_assert("finding", f->store.record[0].payload,
		      f->store.record[0].len);
	m = (Petrel__Finding *)unpack(f, 0, STREAM_FINDINGS, RECORD_FINDING,
				      RECORD_FLAG_REFERENCE);
	assert_true(m->repeated_state && m->number == 1);
	memset(&out, 0xa5, sizeof(out));
	assert_int_equal(finding_of_message(m, &out), 0);
	assert_string_equal(out.id, in.id);
	assert_string_equal(out.subject, in.subject);
	assert_string_equal(out.cause, in.cause);
	assert_true(out.signature == in.signature && out.state == in.state &&
		    out.severity == in.severity && out.end == in.end &&
		    out.action == in.action && out.drain == in.drain);
	assert_true(out.entity == 77 && out.lanes == 0x81);
	assert_true(out.confidence == in.confidence);
	assert_true(out.onset.ns == 1 && out.when.ns == 2 &&
		    out.onset_wall.ns == 3 && out.when_wall.ns == -4);
	assert_memory_equal(&out.cliff.low_s, &in.cliff.low_s,
			    3 * sizeof(int64_t));
	assert_true(out.cliff.foreseeable);
	assert_int_equal(out.evidence_count, 2);
	assert_string_equal(out.evidence[1].name, "rx_drop_mdb");
	assert_true(out.evidence[1].value == -0.5);
	assert_int_equal(out.change_count, 1);
	assert_string_equal(out.change[0], "module swapped");
	record_unpacked_free(&m->base);
}

/* Of a group, ended in another; with all that came later than the one above. */
static void test_c08_finding_of_ports_comes_back(void **state)
{
	struct fixture *f = *state;
	struct finding in, out;
	Petrel__Finding *m;

	finding_make(&in);
	in.kind = SUBJECT_GROUP;
	in.cause_id = CAUSE_SHARED_ERRORS;
	finding_actions(&in, CONNECTOR_FIBRE);
	(void)strcpy(in.into, "bcdefghijk27");
	finding_port_add(&in, "Ethernet12");
	finding_port_add(&in, "Ethernet4");
	in.port_count = 70;
	assert_int_equal(encoder_finding(f->encoder, &in, false), 0);
	golden_assert("finding_of_ports", f->store.record[0].payload,
		      f->store.record[0].len);
	m = (Petrel__Finding *)unpack(f, 0, STREAM_FINDINGS, RECORD_FINDING,
				      RECORD_FLAG_REFERENCE);
	memset(&out, 0xa5, sizeof(out));
	assert_int_equal(finding_of_message(m, &out), 0);
	assert_int_equal(out.kind, SUBJECT_GROUP);
	assert_int_equal(out.cause_id, CAUSE_SHARED_ERRORS);
	assert_string_equal(out.into, "bcdefghijk27");
	assert_int_equal(out.action_count, 2);
	assert_memory_equal(out.actions, in.actions, 2 * sizeof(enum action));
	assert_int_equal(out.port_count, 70);
	assert_int_equal(out.ports_kept, 2);
	assert_string_equal(finding_port(&out, NULL), "Ethernet12");
	assert_true(finding_has_port(&out, "Ethernet4"));
	record_unpacked_free(&m->base);
}

/* As long as it can be: one record takes it. */
static void test_c08_finding_of_many_ports_has_room(void **state)
{
	struct fixture *f = *state;
	struct finding in;
	char name[16];

	finding_make(&in);
	memset(in.cause, 'c', sizeof(in.cause) - 1);
	in.evidence_count = FINDING_EVIDENCE_MAX;
	for (unsigned i = 0; i < FINDING_EVIDENCE_MAX; i++)
		memset(&in.evidence[i], 'e', sizeof(in.evidence[i].name) - 1);
	in.change_count = FINDING_CHANGES_MAX;
	for (unsigned i = 0; i < FINDING_CHANGES_MAX; i++)
		memset(in.change[i], 'w', sizeof(in.change[i]) - 1);
	for (unsigned i = 0; i < FINDING_PORTS_MAX; i++) {
		(void)snprintf(name, sizeof(name), "Ethernet%03u", i);
		finding_port_add(&in, name);
	}
	assert_int_equal(in.ports_kept, FINDING_PORTS_MAX);
	assert_int_equal(encoder_finding(f->encoder, &in, false), 0);
	in.action_count = FINDING_ACTIONS_MAX + 1;
	assert_int_equal(encoder_finding(f->encoder, &in, false), -EINVAL);
}

/* A cause and a subject of a later build: known as not known. */
static void test_c08_finding_of_a_later_agent_is_read(void **state)
{
	char id[] = "abcdefghij27", name[] = "E0";
	char *ports[FINDING_PORTS_MAX + 8];
	Petrel__Finding m;
	struct finding f;

	(void)state;
	petrel__finding__init(&m);
	m.id = id;
	m.signature = m.severity = m.state = m.end = m.action = m.drain = 1;
	m.cause_id = m.kind = 4711;
	for (unsigned i = 0; i < FINDING_PORTS_MAX + 8; i++)
		ports[i] = name;
	m.ports = ports;
	m.n_ports = FINDING_PORTS_MAX + 8;
	assert_int_equal(finding_of_message(&m, &f), 0);
	assert_true(f.cause_id == 0 && f.kind == 0);
	assert_true(f.port_count == 1 && f.ports_kept == 1);
}

/* A message as finding_of_message() gets it, with one field spoilt. */
static int finding_try(void (*spoil)(Petrel__Finding *))
{
	Petrel__Finding m;
	struct finding f;
	char id[] = "abcdefghij27", text[] = "x";

	petrel__finding__init(&m);
	m.id = id;
	m.signature = m.severity = m.state = m.end = m.action = m.drain = 1;
	m.subject = m.cause = text;
	spoil(&m);
	return finding_of_message(&m, &f);
}

static char bad_id[] = "abcdefghij2!", short_id[] = "abc";

static void nothing(Petrel__Finding *m) { (void)m; }
static void signature(Petrel__Finding *m) { m->signature = SIGNATURE_COUNT; }
static void severity(Petrel__Finding *m) { m->severity = 0; }
static void finding_state(Petrel__Finding *m) { m->state = UINT32_MAX; }
static void end(Petrel__Finding *m) { m->end = END_COUNT; }
static void action(Petrel__Finding *m) { m->action = 4711; }
static void drain(Petrel__Finding *m) { m->drain = 0; }
static void lanes(Petrel__Finding *m) { m->lanes = 256; }
static void confidence(Petrel__Finding *m) { m->confidence = 1.5f; }
static void not_a_number(Petrel__Finding *m) { m->confidence = NAN; }
static void id_octets(Petrel__Finding *m) { m->id = bad_id; }
static void id_len(Petrel__Finding *m) { m->id = short_id; }
static void evidence(Petrel__Finding *m) { m->n_evidence = 13; }
static void changes(Petrel__Finding *m) { m->n_changes = 9; }
static void into(Petrel__Finding *m) { m->into = bad_id; }
static void actions(Petrel__Finding *m) { m->n_actions = 6; }
static void next_action(Petrel__Finding *m)
{
	m->lanes = ACTION_COUNT;
	m->actions = &m->lanes;
	m->n_actions = 1;
}

static void test_c08_finding_of_no_agent_is_refused(void **state)
{
	static void (*const spoilers[])(Petrel__Finding *) = {
		signature, severity, finding_state, end, action, drain, lanes,
		confidence, not_a_number, id_octets, id_len, evidence, changes,
		into, actions, next_action,
	};

	(void)state;
	assert_int_equal(finding_try(nothing), 0);
	for (size_t i = 0; i < sizeof(spoilers) / sizeof(spoilers[0]); i++)
		assert_int_equal(finding_try(spoilers[i]), -EBADMSG);
}

/* 159 octets fit; what is cut is cut before a character of UTF-8. */
static void test_c08_long_texts_are_cut_between_characters(void **state)
{
	Petrel__Finding m;
	char id[] = "abcdefghij27", cause[400] = "";
	struct finding f;

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		strcat(cause, "\xe2\x82\xac");		/* three octets each */
	petrel__finding__init(&m);
	m.id = id;
	m.signature = m.severity = m.state = m.end = m.action = m.drain = 1;
	m.cause = cause;
	assert_int_equal(finding_of_message(&m, &f), 0);
	assert_int_equal(strlen(f.cause), 159);
	m.cause = cause + 1;		/* two octets, then threes */
	assert_int_equal(finding_of_message(&m, &f), 0);
	assert_int_equal(strlen(f.cause), 158);
}

static void test_record_unpack_refuses_every_other_kind(void **state)
{
	ProtobufCMessage *m;

	(void)state;
	assert_int_equal(record_unpack(0, "", 0, &m), -EBADMSG);
	assert_int_equal(record_unpack(RECORD_KIND_COUNT, "", 0, &m),
			 -EBADMSG);
	assert_int_equal(record_unpack(RECORD_EVENT, "\xff", 1, &m), -EBADMSG);
	assert_int_equal(record_unpack(RECORD_EVENT, "", 0, &m), 0);
	record_unpacked_free(m);
	record_unpacked_free(NULL);
}

/* Empty submessages: 2 octets each, 100 times as much in memory. */
static void test_c10_unpacking_ends_at_its_bound_of_memory(void **state)
{
	size_t len = 40000;
	uint8_t *octets = malloc(len);
	struct capped capped;
	ProtobufCMessage *m;

	(void)state;
	for (size_t i = 0; i < len; i += 2) {
		octets[i] = 4 << 3 | 2;		/* an entity */
		octets[i + 1] = 0;
	}
	capped_init(&capped, 256 << 10);
	assert_null(protobuf_c_message_unpack(&petrel__dictionary__descriptor,
					      &capped.allocator, len, octets));
	assert_true(capped.refused);
	assert_int_equal(record_unpack(RECORD_DICTIONARY, octets, len, &m), 0);
	record_unpacked_free(m);
	assert_int_equal(record_unpack(RECORD_DICTIONARY, octets,
				       RECORD_PAYLOAD_MAX + 1, &m), -EBADMSG);
	free(octets);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_c09_run_names_the_one_before),
		TEST(test_c05_clock_record_carries_both_clocks),
		TEST(test_record_event_comes_back),
		TEST(test_c19_texts_of_another_build_are_made_clean),
		TEST(test_c09_gap_names_its_range),
		TEST(test_c02_dictionary_comes_back),
		TEST(test_c02_large_dictionary_goes_in_numbered_parts),
		TEST(test_c08_finding_comes_back),
		TEST(test_c08_finding_of_ports_comes_back),
		TEST(test_c08_finding_of_many_ports_has_room),
		TEST(test_c08_finding_of_a_later_agent_is_read),
		TEST(test_c08_finding_of_no_agent_is_refused),
		TEST(test_c08_long_texts_are_cut_between_characters),
		TEST(test_record_unpack_refuses_every_other_kind),
		TEST(test_c10_unpacking_ends_at_its_bound_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
