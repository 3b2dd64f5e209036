#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "platform/sonic/hft/hft_ipfix.h"
#include "tests/support/ipfix_bytes.h"

#define SETS_MAX 16u
#define BLOCKS_MAX 32u

/* What a walk brought. */
struct seen {
	struct ipfix_counts counts;
	struct ipfix_set sets[SETS_MAX];
	unsigned set_count;
	struct ipfix_template templates[SETS_MAX];
	unsigned template_count;
};

static void on_template(void *context, const struct ipfix_template *t)
{
	struct seen *s = context;

	if (s->template_count < SETS_MAX)
		s->templates[s->template_count++] = *t;
}

static void on_data(void *context, const struct ipfix_set *set)
{
	struct seen *s = context;
	volatile uint8_t sum = 0;

	for (size_t i = 0; i < set->len; i++)	/* ASan looks at each */
		sum = (uint8_t)(sum + set->data[i]);
	if (s->set_count < SETS_MAX)
		s->sets[s->set_count++] = *set;
}

static struct seen walk(const void *octets, size_t len)
{
	struct seen s = { .set_count = 0 };
	const struct ipfix_taker to = { &s, on_template, on_data };
	uint8_t *copy = malloc(len ? len : 1);	/* so that ASan sees its end */

	assert_non_null(copy);
	memcpy(copy, octets, len);
	ipfix_walk(copy, len, &to, &s.counts);
	free(copy);
	return s;
}

/* Two messages: a template and two data sets, then one of another domain. */
static void stream_make(struct ipfix_bytes *b)
{
	ipfix_bytes_clear(b);
	ipfix_bytes_message(b, 3);
	ipfix_bytes_template(b, 256, 2);
	ipfix_bytes_element(b, 325, 8);
	ipfix_bytes_stat(b, 7, 1, 0, 8);
	ipfix_bytes_set(b, 256);
	ipfix_bytes_number(b, 1000, 8);
	ipfix_bytes_number(b, 42, 8);
	ipfix_bytes_set(b, 257);
	ipfix_bytes_number(b, 2000, 8);
	ipfix_bytes_message(b, 4);
	ipfix_bytes_set(b, 256);
	ipfix_bytes_number(b, 3000, 8);
}

static void test_ipfix_walks_messages_back_to_back(void **state)
{
	struct ipfix_bytes b;
	struct ipfix_field f;
	struct seen s;

	(void)state;
	stream_make(&b);
	s = walk(b.octet, b.len);

	assert_int_equal(s.counts.messages, 2);
	assert_int_equal(s.counts.bad_messages + s.counts.bad_sets, 0);
	assert_int_equal(s.template_count, 1);
	assert_int_equal(s.templates[0].count, 2);
	assert_int_equal(s.set_count, 3);
	assert_int_equal(s.sets[0].domain, 3);
	assert_int_equal(s.sets[0].id, 256);
	assert_int_equal(s.sets[0].len, 16);
	assert_int_equal(s.sets[1].id, 257);
	assert_int_equal(s.sets[2].domain, 4);
	f = (struct ipfix_field){ 0 };
	ipfix_walk(b.octet, b.len, &(struct ipfix_taker){ &s, on_template,
							  NULL }, &s.counts);
	f = ipfix_field_read(&s.templates[1].fields);
	assert_int_equal(f.element, 325);
	assert_int_equal(f.enterprise, 0);
	f = ipfix_field_read(&s.templates[1].fields);
	assert_int_equal(f.element, 7);
	assert_int_equal(f.enterprise, 1u << 16);
	assert_int_equal(f.length, 8);
}

/* Only whole messages are taken, and what is left over is told. */
static void test_ipfix_takes_whole_messages_of_every_shorter_length(
	void **state)
{
	struct ipfix_bytes b;

	(void)state;
	stream_make(&b);
	for (size_t len = 0; len < b.len; len++) {
		struct seen s = walk(b.octet, len);
		unsigned whole = len >= b.message;

		assert_int_equal(s.counts.messages, whole);
		assert_int_equal(s.set_count, 2 * whole);
		assert_int_equal(s.counts.bad_messages,
				 len != 0 && len != b.message);
	}
}

static void test_ipfix_bad_set_ends_its_message_alone(void **state)
{
	static const uint16_t lies[] = { 0, 3, 21, 4000, 65535 };
	struct ipfix_bytes b;

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct seen s;

		ipfix_bytes_clear(&b);
		ipfix_bytes_message(&b, 0);
		ipfix_bytes_set(&b, 300);
		ipfix_bytes_number(&b, 1, 8);
		ipfix_bytes_set(&b, 301);
		ipfix_bytes_number(&b, 2, 8);
		ipfix_bytes_number(&b, 2, 8);
		ipfix_bytes_poke(&b, b.set + 2, lies[i]);
		b.set = 0;
		ipfix_bytes_message(&b, 0);
		ipfix_bytes_set(&b, 302);
		ipfix_bytes_number(&b, 3, 8);
		s = walk(b.octet, b.len);
		assert_int_equal(s.counts.bad_sets, 1);
		assert_int_equal(s.counts.messages, 2);
		assert_int_equal(s.sets[0].id, 300);
		assert_int_equal(s.sets[s.set_count - 1].id, 302);
		assert_int_equal(s.set_count, 2);
	}
}

static void test_ipfix_bad_message_ends_the_rest(void **state)
{
	static const uint16_t lies[][2] = { { 0, 9 }, { 2, 15 }, { 2, 0 },
					    { 2, 9999 } };
	struct ipfix_bytes b;

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct seen s;

		stream_make(&b);
		ipfix_bytes_poke(&b, lies[i][0], lies[i][1]);
		s = walk(b.octet, b.len);
		assert_int_equal(s.counts.bad_messages, 1);
		assert_int_equal(s.counts.messages, 0);
		assert_int_equal(s.set_count + s.template_count, 0);
	}
}

static void test_ipfix_refuses_templates_that_lie(void **state)
{
	struct ipfix_bytes b;
	struct seen s;

	(void)state;
	ipfix_bytes_clear(&b);
	ipfix_bytes_message(&b, 0);
	ipfix_bytes_template(&b, 256, 1);
	ipfix_bytes_element(&b, 325, 8);
	ipfix_bytes_number(&b, 257, 2);		/* a second, of 9 fields */
	ipfix_bytes_number(&b, 9, 2);
	ipfix_bytes_element(&b, 325, 8);
	s = walk(b.octet, b.len);
	assert_int_equal(s.template_count, 1);
	assert_int_equal(s.counts.bad_sets, 1);

	ipfix_bytes_clear(&b);
	ipfix_bytes_message(&b, 0);
	ipfix_bytes_template(&b, 255, 1);	/* ids begin at 256 */
	ipfix_bytes_element(&b, 325, 8);
	s = walk(b.octet, b.len);
	assert_int_equal(s.template_count, 0);
	assert_int_equal(s.counts.bad_sets, 1);
}

static void test_ipfix_lets_padding_and_other_sets_pass(void **state)
{
	struct ipfix_bytes b;
	struct seen s;

	(void)state;
	ipfix_bytes_clear(&b);
	ipfix_bytes_message(&b, 0);
	ipfix_bytes_template(&b, 256, 1);
	ipfix_bytes_element(&b, 325, 8);
	ipfix_bytes_number(&b, 0, 3);		/* padding */
	ipfix_bytes_set(&b, 3);			/* options */
	ipfix_bytes_number(&b, 1, 8);
	ipfix_bytes_set(&b, 5);			/* reserved */
	ipfix_bytes_template(&b, 258, 0);	/* withdrawn */
	s = walk(b.octet, b.len);
	assert_int_equal(s.counts.bad_sets + s.counts.bad_messages, 0);
	assert_int_equal(s.counts.skipped_sets, 2);
	assert_int_equal(s.template_count, 2);
	assert_int_equal(s.templates[1].count, 0);
}

/* Blocks of vectors by their names: of ours, of SONiC's own tests. */
static const struct expected {
	const char *name;
	unsigned messages, templates, data_sets, bad_messages;
} expected[] = {
	{ "template 1", 1, 1, 0, 0 },
	{ "templates 2", 2, 2, 0, 0 },
	{ "records 4", 2, 0, 4, 0 },
	{ "cut short", 0, 0, 0, 1 },
	{ "unknown template", 1, 0, 1, 0 },
	{ "padding", 1, 0, 1, 0 },
	{ "template_256_bytes", 1, 1, 0, 0 },
	{ "template_257_bytes", 1, 1, 0, 0 },
	{ "template_bytes 44", 1, 1, 0, 0 },
	{ "template_bytes 88", 2, 2, 0, 0 },
	{ "valid_records_bytes", 2, 0, 4, 0 },
	{ "invalid_len_record", 0, 0, 0, 1 },
	{ "unknown_record", 1, 0, 1, 0 },
};

static void block_check(const struct hex_block *b)
{
	struct seen s = walk(b->octet, b->len);

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const struct expected *e = &expected[i];

		if (!strstr(b->name, e->name))
			continue;
		assert_int_equal(s.counts.messages, e->messages);
		assert_int_equal(s.template_count, e->templates);
		assert_int_equal(s.set_count, e->data_sets);
		assert_int_equal(s.counts.bad_messages, e->bad_messages);
		assert_int_equal(s.counts.bad_sets, 0);
		return;
	}
	fail_msg("nothing is expected of '%s'", b->name);
}

static void blocks_check(const char *path, int least)
{
	struct hex_block *blocks = calloc(BLOCKS_MAX, sizeof(*blocks));
	int n = hex_blocks_read(path, blocks, BLOCKS_MAX);

	if (n == -ENOENT) {
		free(blocks);
		print_message("SKIP no %s\n", path);
		skip();
	}
	assert_true(n >= least);
	for (int i = 0; i < n; i++)
		block_check(&blocks[i]);
	free(blocks);
}

static void test_ipfix_reads_vectors_of_our_own(void **state)
{
	(void)state;
	blocks_check("tests/data/hft/ipfix_vectors.hex", 7);
}

static void test_ipfix_reads_vectors_of_sonic(void **state)
{
	const char *shared = getenv("PETREL_SHARED");
	char path[512];

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/data/hft/ipfix_vectors.hex",
		       shared ? shared : "../shared");
	blocks_check(path, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ipfix_walks_messages_back_to_back),
		cmocka_unit_test(
		test_ipfix_takes_whole_messages_of_every_shorter_length),
		cmocka_unit_test(test_ipfix_bad_set_ends_its_message_alone),
		cmocka_unit_test(test_ipfix_bad_message_ends_the_rest),
		cmocka_unit_test(test_ipfix_refuses_templates_that_lie),
		cmocka_unit_test(test_ipfix_lets_padding_and_other_sets_pass),
		cmocka_unit_test(test_ipfix_reads_vectors_of_our_own),
		cmocka_unit_test(test_ipfix_reads_vectors_of_sonic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
