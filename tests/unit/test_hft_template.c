#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "platform/sonic/hft/hft_templates.h"
#include "tests/support/ipfix_bytes.h"

#define PORT 1u
#define QUEUE 21u
#define IN_OCTETS 0u
#define PFC_0_RX 103u
#define PACKETS 0u
#define OCCUPANCY 24u
#define EPOCH_NS INT64_C(1790000000000000000)

struct bed {
	struct hft_ids *ids;
	struct hft_templates all;
	struct ipfix_bytes out;
	struct hft_label label[3];
	struct hft_labels labels;
	struct hft_now now;
	unsigned records;	/* that the watcher saw */
};

static int bed_open(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));
	static const char *const names[] = { "Ethernet0", "Ethernet8",
					     "Ethernet0|3" };

	assert_non_null(b);
	assert_int_equal(hft_ids_new(AT_FDCWD, NULL, &b->ids, NULL), 0);
	hft_templates_init(&b->all, b->ids);
	for (uint16_t i = 0; i < 3; i++) {
		b->label[i].label = (uint16_t)(i + 1);
		strcpy(b->label[i].name, names[i]);
	}
	b->labels = (struct hft_labels){ b->label, 3 };
	b->now = (struct hft_now){ { 1000 * NS_PER_S }, { EPOCH_NS } };
	*state = b;
	return 0;
}

static int bed_close(void **state)
{
	struct bed *b = *state;

	hft_templates_fini(&b->all);
	hft_ids_free(b->ids);
	free(b);
	return 0;
}

/* ---- one template ---- */

static void template_begin(struct bed *b, uint16_t id, uint16_t fields)
{
	ipfix_bytes_clear(&b->out);
	ipfix_bytes_message(&b->out, 0);
	ipfix_bytes_template(&b->out, id, fields);
}

/* Compiles what was begun; NULL with the reason in d when it is refused. */
struct compiling {
	struct bed *bed;
	struct hft_template *template;
	struct diag d;
};

static void on_template(void *context, const struct ipfix_template *from)
{
	struct compiling *c = context;

	(void)hft_template_new(from, &c->bed->labels, c->bed->ids,
			       &c->template, &c->d);
}

static struct compiling compile(struct bed *b)
{
	struct compiling c = { b, NULL, { "" } };
	struct ipfix_counts counts = { 0 };
	const struct ipfix_taker to = { &c, on_template, NULL };

	ipfix_walk(b->out.octet, b->out.len, &to, &counts);
	assert_int_equal(counts.templates, 1);
	return c;
}

static void on_record(void *context, const struct hft_template *t)
{
	struct bed *b = context;

	(void)t;
	b->records++;
}

/* Takes numbers of 8 octets as one data set. */
static int take(struct bed *b, struct hft_template *t, const uint64_t *numbers,
		size_t count)
{
	const struct hft_watcher watcher = { b, on_record };
	struct ipfix_set s = { .id = t->id };
	int rc;

	ipfix_bytes_clear(&b->out);
	for (size_t i = 0; i < count; i++)
		ipfix_bytes_number(&b->out, numbers[i], 8);
	s.len = b->out.len;
	s.data = b->out.octet;
	rc = hft_template_take(t, &s, &b->now, &watcher);
	return rc;
}

static int64_t value(const struct hft_template *t, enum quantity quantity,
		     unsigned part)
{
	for (unsigned i = 0; i < t->value_count; i++) {
		int64_t got;

		if (t->values[i].field->quantity == quantity &&
		    t->values[i].field->part == part &&
		    hft_template_value(t, i, &got))
			return got;
	}
	return INT64_MIN;
}

static void test_hft_template_keeps_last_counter_and_largest_gauge(
	void **state)
{
	struct bed *b = *state;
	static const uint64_t records[] = { 1, 10, 300, 2, 20, 900,
					    3, 30, 100 };
	struct hft_template *t;

	template_begin(b, 256, 3);
	ipfix_bytes_element(&b->out, 325, 8);
	ipfix_bytes_stat(&b->out, 3, QUEUE, PACKETS, 8);
	ipfix_bytes_stat(&b->out, 3, QUEUE, OCCUPANCY, 8);
	t = compile(b).template;
	assert_non_null(t);
	assert_int_equal(take(b, t, records, 9), 3);
	assert_int_equal(b->records, 3);
	assert_int_equal(value(t, Q_QUEUE_FRAMES, 0), 30);
	assert_int_equal(value(t, Q_QUEUE_OCCUPANCY_OCTETS, 0), 900);
	hft_template_clear(t);
	assert_int_equal(take(b, t, records + 6, 3), 1);
	assert_int_equal(value(t, Q_QUEUE_OCCUPANCY_OCTETS, 0), 100);
	hft_template_free(t);
}

static void test_hft_template_puts_priorities_behind_their_port(void **state)
{
	struct bed *b = *state;
	static const uint64_t record[] = { 1, 2, 3, 4 };
	struct hft_template *t;

	template_begin(b, 256, 4);
	ipfix_bytes_stat(&b->out, 1, PORT, PFC_0_RX, 8);
	ipfix_bytes_stat(&b->out, 2, PORT, IN_OCTETS, 8);
	ipfix_bytes_stat(&b->out, 1, PORT, IN_OCTETS, 8);
	ipfix_bytes_stat(&b->out, 1, PORT, IN_OCTETS, 8);	/* twice */
	t = compile(b).template;
	assert_int_equal(take(b, t, record, 4), 1);
	assert_int_equal(t->value_count, 3);
	assert_int_equal(t->object_count, 2);
	assert_string_equal(t->objects[0].label.name, "Ethernet0");
	assert_int_equal(t->objects[0].count, 2);
	assert_int_equal(t->values[t->objects[0].first].field->part, 0);
	assert_int_equal(value(t, Q_PFC_RX_FRAMES, 1), 1);
	hft_template_free(t);
}

static void test_hft_template_counts_fields_of_nobody_and_nothing(void **state)
{
	struct bed *b = *state;
	struct hft_template *t;

	template_begin(b, 256, 4);
	ipfix_bytes_stat(&b->out, 9, PORT, IN_OCTETS, 8);	/* no label */
	ipfix_bytes_stat(&b->out, 1, 99, IN_OCTETS, 8);
	ipfix_bytes_stat(&b->out, 1, PORT, 0x20000000, 8);
	ipfix_bytes_stat(&b->out, 1, 0x20000001, IN_OCTETS, 8);
	t = compile(b).template;
	assert_int_equal(t->value_count, 0);
	assert_int_equal(t->unknown_labels, 1);
	assert_int_equal(t->unknown_numbers, 3);
	assert_int_equal(t->record_len, 32);
	hft_template_free(t);
}

static void test_hft_template_reads_short_fields_from_the_right(void **state)
{
	struct bed *b = *state;
	static const uint8_t octets[] = { 0x12, 0x34, 0x01, 0x02, 0x03 };
	struct ipfix_set s = { 0, 256, octets, sizeof(octets) };
	struct hft_template *t;

	template_begin(b, 256, 2);
	ipfix_bytes_stat(&b->out, 1, PORT, IN_OCTETS, 2);
	ipfix_bytes_stat(&b->out, 2, PORT, IN_OCTETS, 3);
	t = compile(b).template;
	assert_int_equal(hft_template_take(t, &s, &b->now, NULL), 1);
	assert_int_equal(t->last[0], 0x1234);
	assert_int_equal(t->last[1], 0x010203);
	hft_template_free(t);
}

static void test_hft_template_takes_all_ones_as_absent(void **state)
{
	struct bed *b = *state;
	static const uint64_t record[] = { UINT64_MAX, UINT64_MAX };
	struct hft_template *t;

	template_begin(b, 256, 2);
	ipfix_bytes_stat(&b->out, 3, QUEUE, PACKETS, 8);
	ipfix_bytes_stat(&b->out, 3, QUEUE, OCCUPANCY, 8);
	t = compile(b).template;
	assert_int_equal(take(b, t, record, 2), 1);
	assert_true(value(t, Q_QUEUE_FRAMES, 0) == INT64_MIN);
	assert_true(value(t, Q_QUEUE_OCCUPANCY_OCTETS, 0) == INT64_MIN);
	hft_template_free(t);
}

static void test_hft_template_refuses_lengths_that_no_value_has(void **state)
{
	struct bed *b = *state;
	static const uint16_t wrong[] = { 0, 9, 65535 };
	struct compiling c;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		template_begin(b, 256, 1);
		ipfix_bytes_stat(&b->out, 1, PORT, IN_OCTETS, wrong[i]);
		c = compile(b);
		assert_null(c.template);
		assert_non_null(strstr(c.d.text, "octets long"));
	}
	template_begin(b, 256, 2);		/* of IANA's, and too long */
	ipfix_bytes_element(&b->out, 82, 40000);
	ipfix_bytes_element(&b->out, 82, 40000);
	c = compile(b);
	assert_null(c.template);
	assert_non_null(strstr(c.d.text, "longer than a message"));
}

static void test_hft_template_takes_padding_but_no_part_of_a_record(
	void **state)
{
	struct bed *b = *state;
	static const uint64_t record[] = { 7, 0 };
	static const uint64_t ragged[] = { 7, 1 };
	struct hft_template *t;

	template_begin(b, 256, 2);
	ipfix_bytes_stat(&b->out, 1, PORT, IN_OCTETS, 8);
	ipfix_bytes_stat(&b->out, 2, PORT, IN_OCTETS, 2);
	t = compile(b).template;
	assert_int_equal(take(b, t, record, 2), 1);
	assert_int_equal(take(b, t, ragged, 2), -EBADMSG);
	assert_int_equal(take(b, t, record, 1), -EBADMSG);
	assert_int_equal(t->records, 1);
	hft_template_free(t);
}

/* ---- time ---- */

static struct mono time_of(struct bed *b, const struct hft_time_place *p,
			   struct hft_clock *c, uint64_t a, uint64_t z)
{
	ipfix_bytes_clear(&b->out);
	ipfix_bytes_number(&b->out, a, p->s_length ? 4 : 8);
	ipfix_bytes_number(&b->out, z, 4);
	return hft_time_of(p, c, b->out.octet, &b->now);
}

static void test_c04_hft_time_of_the_epoch_is_its_age(void **state)
{
	struct bed *b = *state;
	const struct hft_time_place ns = { 0, 8, 0, 0 }, both = { 4, 4, 0, 4 };
	struct hft_clock c = { 0 };
	const int64_t mono = b->now.mono.ns;

	assert_true(time_of(b, &ns, &c, EPOCH_NS - 30 * NS_PER_MS, 0).ns ==
		    mono - 30 * NS_PER_MS);
	assert_true(time_of(b, &both, &c, (EPOCH_NS / NS_PER_S) - 2,
			    NS_PER_S / 2).ns == mono - 3 * NS_PER_S / 2);
	assert_false(c.known);
	/* An hour ahead: another clock than ours. */
	assert_true(time_of(b, &ns, &c, EPOCH_NS + 3600 * NS_PER_S, 0).ns ==
		    mono);
	assert_true(c.known);
}

/* A template has both, of 4 and of 8 octets: the seconds are up to 1 s old. */
static void test_c04_hft_time_of_64_bits_goes_before_seconds(void **state)
{
	struct bed *b = *state;
	const struct hft_time_place both = { 4, 8, 0, 4 };
	struct hft_clock c = { false, 0, { 0 } };
	uint8_t record[12];
	struct mono taken;

	ipfix_bytes_clear(&b->out);
	ipfix_bytes_number(&b->out, EPOCH_NS / NS_PER_S, 4);
	ipfix_bytes_number(&b->out, EPOCH_NS - 37 * NS_PER_MS, 8);
	memcpy(record, b->out.octet, sizeof(record));

	taken = hft_time_of(&both, &c, record, &b->now);

	assert_true(taken.ns == b->now.mono.ns - 37 * NS_PER_MS);
}

static void test_c04_hft_time_of_the_chip_is_held_against_ours(void **state)
{
	struct bed *b = *state;
	const struct hft_time_place ns = { 0, 8, 0, 0 }, none = { 0 };
	struct hft_clock c = { 0 };
	const int64_t mono = b->now.mono.ns;

	assert_true(time_of(b, &ns, &c, 500, 0).ns == mono);
	/* 20 ms later by the chip, but 50 ms of ours: 30 ms on the way. */
	b->now.mono.ns += 50 * NS_PER_MS;
	assert_in_range(time_of(b, &ns, &c, 500 + 20 * NS_PER_MS, 0).ns,
			mono + 20 * NS_PER_MS, mono + 21 * NS_PER_MS);
	/* The chip began anew: not hours ago. */
	b->now.mono.ns += 3600 * NS_PER_S;
	assert_true(time_of(b, &ns, &c, 3, 0).ns == b->now.mono.ns);
	assert_true(time_of(b, &none, &c, 3, 0).ns == b->now.mono.ns);
	assert_true(time_of(b, &ns, &c, UINT64_MAX, 0).ns == b->now.mono.ns);
}

/* ---- the life of templates ---- */

/* A row of a session with one template of one port. */
static void configure(struct bed *b, unsigned session, uint16_t id,
		      uint32_t stat)
{
	struct hft_config config = { .session = session, .labels = &b->labels };

	template_begin(b, id, 2);
	ipfix_bytes_element(&b->out, 325, 8);
	ipfix_bytes_stat(&b->out, 1, PORT, stat, 8);
	config.ipfix = b->out.octet;
	config.len = b->out.len;
	hft_templates_configure(&b->all, &config, b->now.mono, NULL);
}

static void switch_off(struct bed *b, unsigned session)
{
	const struct hft_config config = { .session = session,
					   .labels = &b->labels };

	hft_templates_configure(&b->all, &config, b->now.mono, NULL);
}

static void later(struct bed *b, int64_t ns)
{
	b->now.mono.ns += ns;
	hft_templates_tick(&b->all, b->now.mono);
}

static struct hft_template *find(const struct bed *b, uint16_t id)
{
	return hft_templates_find(&b->all, 0, id);
}

static void test_hft_old_template_stays_until_data_of_the_new(void **state)
{
	struct bed *b = *state;

	configure(b, 1, 256, 0);
	configure(b, 2, 300, 0);
	hft_templates_used(&b->all, find(b, 256), b->now.mono);
	configure(b, 1, 257, 1);
	assert_int_equal(find(b, 256)->state, HFT_OLD);
	assert_int_equal(find(b, 257)->state, HFT_CURRENT);
	hft_templates_used(&b->all, find(b, 256), b->now.mono);
	assert_int_equal(find(b, 256)->state, HFT_OLD);
	hft_templates_used(&b->all, find(b, 257), b->now.mono);
	assert_int_equal(find(b, 256)->state, HFT_RETIRED);
	assert_int_equal(find(b, 300)->state, HFT_CURRENT);
	later(b, HFT_FORGET_NS);
	assert_null(find(b, 256));
}

static void test_hft_schema_that_changes_in_place_is_held(void **state)
{
	struct bed *b = *state;

	configure(b, 1, 256, 0);
	configure(b, 1, 256, 1);
	assert_int_equal(find(b, 256)->state, HFT_HELD);
	assert_int_equal(b->all.held, 1);
	configure(b, 1, 256, 1);	/* the same row again */
	later(b, HFT_HOLD_NS - 1);
	assert_int_equal(find(b, 256)->state, HFT_HELD);
	later(b, 1);
	assert_int_equal(find(b, 256)->state, HFT_CURRENT);
	assert_int_equal(find(b, 256)->fields[1].enterprise, 1 << 16 | 1);
}

static void test_hft_names_that_change_are_a_change_of_schema(void **state)
{
	struct bed *b = *state;

	configure(b, 1, 256, 0);
	strcpy(b->label[0].name, "Ethernet16");
	configure(b, 1, 256, 0);
	assert_int_equal(find(b, 256)->state, HFT_HELD);
	b->labels.count = 0;		/* and then they are gone */
	configure(b, 1, 256, 0);
	later(b, HFT_HOLD_NS);
	assert_int_equal(find(b, 256)->state, HFT_CURRENT);
	assert_int_equal(find(b, 256)->value_count, 0);
}

static void test_hft_change_of_mind_is_held_too(void **state)
{
	struct bed *b = *state;

	configure(b, 1, 256, 0);
	configure(b, 1, 256, 1);
	configure(b, 1, 256, 0);	/* data of both may be on their way */
	assert_int_equal(find(b, 256)->state, HFT_HELD);
	later(b, HFT_HOLD_NS);
	assert_int_equal(find(b, 256)->state, HFT_CURRENT);
	assert_int_equal(find(b, 256)->fields[1].enterprise, 1 << 16);
}

static void test_hft_stream_that_is_off_retires_its_templates(void **state)
{
	struct bed *b = *state;

	configure(b, 1, 256, 0);
	switch_off(b, 2);
	assert_int_equal(find(b, 256)->state, HFT_CURRENT);
	switch_off(b, 1);
	assert_int_equal(find(b, 256)->state, HFT_RETIRED);
	configure(b, 1, 256, 0);	/* on again, the same */
	assert_int_equal(find(b, 256)->state, HFT_CURRENT);
	switch_off(b, 1);
	configure(b, 1, 256, 1);	/* on again, another */
	assert_int_equal(find(b, 256)->state, HFT_HELD);
}

static void test_hft_domains_keep_their_ids_apart(void **state)
{
	struct bed *b = *state;
	struct hft_config config = { .session = 1, .labels = &b->labels };

	ipfix_bytes_clear(&b->out);
	for (uint32_t domain = 0; domain < 2; domain++) {
		ipfix_bytes_message(&b->out, domain);
		ipfix_bytes_template(&b->out, 256, 1);
		ipfix_bytes_stat(&b->out, 1, PORT, domain, 8);
	}
	config.ipfix = b->out.octet;
	config.len = b->out.len;
	hft_templates_configure(&b->all, &config, b->now.mono, NULL);
	assert_int_equal(b->all.count, 2);
	assert_int_equal(b->all.held, 0);
	assert_int_equal(hft_templates_find(&b->all, 1, 256)
				 ->fields[0].enterprise, 1 << 16 | 1);
	assert_null(hft_templates_find(&b->all, 2, 256));
}

static void test_hft_row_with_a_bad_template_keeps_the_good_ones(void **state)
{
	struct bed *b = *state;
	struct hft_config config = { .session = 1, .labels = &b->labels };
	struct diag d = { "" };

	template_begin(b, 256, 1);
	ipfix_bytes_stat(&b->out, 1, PORT, 0, 0);
	ipfix_bytes_template(&b->out, 257, 1);
	ipfix_bytes_stat(&b->out, 1, PORT, 0, 8);
	config.ipfix = b->out.octet;
	config.len = b->out.len;
	hft_templates_configure(&b->all, &config, b->now.mono, &d);
	assert_null(find(b, 256));
	assert_non_null(find(b, 257));
	assert_int_equal(b->all.refused, 1);
	assert_non_null(strstr(d.text, "template 256"));
}

/* ---- data before their template ---- */

struct play {
	unsigned given;
	uint16_t wanted;
	struct mono came;
};

static bool on_play(void *context, const struct ipfix_set *s,
		    const struct hft_now *came)
{
	struct play *p = context;

	if (s->id != p->wanted)
		return false;
	assert_int_equal(s->data[0], 5);
	p->came = came->mono;
	p->given++;
	return true;
}

static void test_hft_backlog_is_bounded_and_keeps_its_times(void **state)
{
	struct bed *b = *state;
	static const uint8_t octets[1000] = { 5 };
	struct ipfix_set s = { 1, 256, octets, sizeof(octets) };
	struct hft_backlog backlog = { 0 };
	struct play play = { .wanted = 257 };
	unsigned kept = 0;

	while (hft_backlog_add(&backlog, &s, &b->now)) {
		s.id ^= 1;		/* 256 and 257 in turn */
		assert_in_range(++kept, 1, HFT_BACKLOG_OCTETS / 1000);
	}
	assert_in_range(kept, 240, 262);
	assert_int_equal(hft_backlog_play(&backlog, b->now.mono, on_play,
					  &play), 0);
	assert_int_equal(play.given, kept / 2);
	assert_true(play.came.ns == b->now.mono.ns);
	b->now.mono.ns += HFT_BACKLOG_NS;
	assert_int_equal(hft_backlog_play(&backlog, b->now.mono, on_play,
					  &play), kept - kept / 2);
	assert_int_equal(backlog.len, 0);
	hft_backlog_fini(&backlog);
}

#define T(name) cmocka_unit_test_setup_teardown(name, bed_open, bed_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_hft_template_keeps_last_counter_and_largest_gauge),
		T(test_hft_template_puts_priorities_behind_their_port),
		T(test_hft_template_counts_fields_of_nobody_and_nothing),
		T(test_hft_template_reads_short_fields_from_the_right),
		T(test_hft_template_takes_all_ones_as_absent),
		T(test_hft_template_refuses_lengths_that_no_value_has),
		T(test_hft_template_takes_padding_but_no_part_of_a_record),
		T(test_c04_hft_time_of_the_epoch_is_its_age),
		T(test_c04_hft_time_of_64_bits_goes_before_seconds),
		T(test_c04_hft_time_of_the_chip_is_held_against_ours),
		T(test_hft_old_template_stays_until_data_of_the_new),
		T(test_hft_schema_that_changes_in_place_is_held),
		T(test_hft_names_that_change_are_a_change_of_schema),
		T(test_hft_change_of_mind_is_held_too),
		T(test_hft_stream_that_is_off_retires_its_templates),
		T(test_hft_domains_keep_their_ids_apart),
		T(test_hft_row_with_a_bad_template_keeps_the_good_ones),
		T(test_hft_backlog_is_bounded_and_keeps_its_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
