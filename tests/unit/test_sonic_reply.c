#include <errno.h>
#include <hiredis/sds.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "platform/sonic/meaning/counters.h"
#include "platform/sonic/meaning/field.h"
#include "platform/sonic/meaning/tables.h"
#include "platform/sonic/redis/resp.h"

#define PORT_COUNTERS (&counters_tables.list[0])
#define PORT_DROPS (&queues_tables.list[3])
#define MODULE_DOM (&module_values_tables.list[0])

struct bed {
	struct reply_reader reader;
	struct redis_query query;
	struct field_index index;
	struct row row;
};

static int take_name(struct redis_query *q, const char *text, size_t len,
		     unsigned position)
{
	struct bed *b = q->context;

	return field_find(&b->index, text, len, position);
}

static void take_value(struct redis_query *q, int which, const char *text,
		       size_t len)
{
	struct bed *b = q->context;

	if ((unsigned)which < b->index.count)
		row_take(&b->row, &b->index, (unsigned)which, text, len);
}

static const struct query_ops ops = { .name = take_name, .value = take_value };

static void bed_init(struct bed *b, const struct table *t, bool pairs)
{
	memset(b, 0, sizeof(*b));
	assert_int_equal(reply_reader_init(&b->reader), 0);
	b->query = (struct redis_query){ .ops = &ops, .context = b,
					 .pairs = pairs };
	b->reader.query = &b->query;
	assert_int_equal(
		field_index_init(&b->index, &t->fields), 0);
}

static void bed_fini(struct bed *b)
{
	reply_reader_fini(&b->reader);
	field_index_fini(&b->index);
}

/* Feeds in pieces of step octets; returns the kind of the first reply. */
static enum reply_kind fed(struct bed *b, const char *bytes, size_t step)
{
	const struct reply *r = NULL;
	size_t len = strlen(bytes);
	enum reply_kind kind = REPLY_NONE;

	for (size_t at = 0; at < len; at += step) {
		size_t n = len - at < step ? len - at : step;

		assert_int_equal(reply_reader_feed(&b->reader, bytes + at, n),
				 0);
		if (reply_reader_next(&b->reader, &r) == 1)
			kind = r->kind;
	}
	return kind;
}

static const char dom[] =
	"*8\r\n$11\r\ntemperature\r\n$5\r\n45.5C\r\n$8\r\nrx1power\r\n"
	"$4\r\n-inf\r\n$7\r\ntx1bias\r\n$3\r\nN/A\r\n$7\r\nunknown\r\n"
	"$1\r\n1\r\n";

static void test_reply_gives_the_same_row_however_cut(void **state)
{
	(void)state;
	for (size_t step = 1; step < sizeof(dom); step++) {
		struct bed b;
		int64_t temp_mc;

		bed_init(&b, MODULE_DOM, true);
		assert_int_equal(fed(&b, dom, step), REPLY_ARRAY);
		assert_int_equal(b.row.values, 2);
		assert_int_equal(b.row.bad, 0);
		assert_true(row_value(&b.row, &b.index, Q_MODULE_TEMP_MC,
				      &temp_mc));
		assert_int_equal(temp_mc, 45500);
		bed_fini(&b);
	}
}

static void test_reply_is_incomplete_at_shorter_lengths(void **state)
{
	(void)state;
	for (size_t len = 0; len + 1 < sizeof(dom); len++) {
		const struct reply *r;
		struct bed b;

		bed_init(&b, MODULE_DOM, true);
		assert_int_equal(reply_reader_feed(&b.reader, dom, len), 0);
		assert_int_equal(reply_reader_next(&b.reader, &r), 0);
		bed_fini(&b);
	}
}

static void test_reply_of_hmget_goes_by_position(void **state)
{
	struct bed b;

	(void)state;
	bed_init(&b, PORT_DROPS, false);
	assert_int_equal(fed(&b, "*2\r\n$-1\r\n$2\r\n42\r\n", 3), REPLY_ARRAY);
	assert_false(row_has(&b.row, 0));
	assert_true(row_has(&b.row, 1));
	assert_int_equal(b.row.value[1], 42);
	bed_fini(&b);
}

static void test_reply_tells_errors_and_wrong_types(void **state)
{
	static const struct {
		const char *bytes;
		enum reply_kind kind;
	} list[] = {
		{ "-WRONGTYPE Operation\r\n", REPLY_ERROR },
		{ "+OK\r\n", REPLY_TEXT },
		{ "$-1\r\n", REPLY_NIL },
		{ "*-1\r\n", REPLY_NIL },
		{ ":7\r\n", REPLY_INTEGER },
		{ "*0\r\n", REPLY_ARRAY },
		{ "*2\r\n$1\r\na\r\n*1\r\n$1\r\nb\r\n", REPLY_ODD },
		{ "*2\r\n:1\r\n:2\r\n", REPLY_ODD },
		{ "*2\r\n$-1\r\n$1\r\n7\r\n", REPLY_ARRAY },	/* no name */
		{ "*3\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n", REPLY_ODD },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		struct bed b;

		bed_init(&b, MODULE_DOM, true);
		assert_int_equal(fed(&b, list[i].bytes, 1000), list[i].kind);
		assert_int_equal(b.row.values, 0);
		bed_fini(&b);
	}
}

static void test_reply_refuses_what_is_too_large(void **state)
{
	static char piece[1 << 16];
	const struct reply *r;
	struct bed b;
	int rc = 0;

	(void)state;
	bed_init(&b, MODULE_DOM, true);
	assert_int_equal(reply_reader_feed(&b.reader, "*2000000000\r\n", 13),
			 0);
	assert_int_equal(reply_reader_next(&b.reader, &r), -EPROTO);
	bed_fini(&b);

	bed_init(&b, MODULE_DOM, true);
	assert_int_equal(reply_reader_feed(&b.reader, "$99999999\r\n", 11), 0);
	for (unsigned i = 0; i < 1000 && rc == 0; i++)
		rc = reply_reader_feed(&b.reader, piece, sizeof(piece));
	assert_int_equal(rc, -EMSGSIZE);
	bed_fini(&b);
}

static void test_field_is_found_wherever_it_stands(void **state)
{
	const struct table *t = PORT_COUNTERS;
	struct field_index x;

	(void)state;
	assert_int_equal(field_index_init(&x, &t->fields), 0);
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < t->fields.count; i++) {
			const char *name = t->fields.list[i].name;

			/* Another order each round. */
			assert_int_equal(field_find(&x, name, strlen(name),
						    (i * (2 * round + 1)) %
						    t->fields.count), (int)i);
		}
	assert_int_equal(field_find(&x, "SAI_PORT_STAT_IF_IN_OCTET", 25, 0),
			 -1);
	assert_int_equal(field_find(&x, "", 0, 0), -1);
	assert_int_equal(field_find(&x, "SAI_PORT_STAT_IF_IN_OCTETS!", 27,
				    FIELDS_MAX + 9), -1);
	field_index_fini(&x);
}

static void test_row_keeps_junk_out_and_names_it(void **state)
{
	const struct table *t = MODULE_DOM;
	struct field_index x;
	struct row row;

	(void)state;
	memset(&row, 0, sizeof(row));
	assert_int_equal(field_index_init(&x, &t->fields), 0);
	row_take(&row, &x, 1, "warm", 4);
	row_take(&row, &x, 2, "3.3", 3);
	row_take(&row, &x, 0, "Fri Nov 20 10:01:02 2026", 24);
	assert_int_equal(row.values, 1);
	assert_int_equal(row.texts, 1);
	assert_int_equal(row.bad, 1);
	assert_string_equal(row.bad_field->name, "temperature");
	assert_string_equal(row.bad_text, "warm");
	row_clear(&row);
	assert_int_equal(row.values + row.texts + row.bad, 0);
	assert_string_equal(row.text[0], "");
	field_index_fini(&x);
}

/* Redis writes in small pieces until it is busy: a full read comes late. */
static void test_reply_feeds_allocate_nothing_however_they_fall(void **state)
{
	static char bytes[REPLY_FEED_OCTETS];
	static const char one[] = "$8\r\n12345678\r\n";
	const struct reply *r;
	size_t room, given = 0;
	struct bed b;

	(void)state;
	bed_init(&b, PORT_COUNTERS, false);
	room = sdsalloc(b.reader.reader->buf);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = one[i % (sizeof(one) - 1)];
	assert_int_equal(sizeof(bytes) % (sizeof(one) - 1), 4);
	assert_int_equal(reply_reader_feed(&b.reader, one, 7), 0);
	assert_int_equal(reply_reader_next(&b.reader, &r), 0);
	assert_int_equal(reply_reader_feed(&b.reader, one + 7, 7), 0);
	assert_int_equal(reply_reader_feed(&b.reader, bytes, sizeof(bytes)), 0);
	while (reply_reader_next(&b.reader, &r) == 1)
		given++;
	assert_int_equal(given, 1 + sizeof(bytes) / (sizeof(one) - 1));
	assert_int_equal(reply_reader_feed(&b.reader, one + 4, 10), 0);
	assert_int_equal(reply_reader_feed(&b.reader, bytes, sizeof(bytes)), 0);
	assert_int_equal(sdsalloc(b.reader.reader->buf), room);
	bed_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reply_gives_the_same_row_however_cut),
		cmocka_unit_test(test_reply_is_incomplete_at_shorter_lengths),
		cmocka_unit_test(test_reply_of_hmget_goes_by_position),
		cmocka_unit_test(test_reply_tells_errors_and_wrong_types),
		cmocka_unit_test(test_reply_refuses_what_is_too_large),
		cmocka_unit_test(test_field_is_found_wherever_it_stands),
		cmocka_unit_test(test_row_keeps_junk_out_and_names_it),
		cmocka_unit_test(
			test_reply_feeds_allocate_nothing_however_they_fall),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
