/* Batches that no encoder makes: nothing of a bad one is given, and nothing
 * costs more than its bound.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/record/decode.h"
#include "agent/record/encode.h"
#include "agent/record/pack.h"
#include "tests/support/samples.h"

static int count(void *context, const struct decoded_column *c)
{
	*(uint64_t *)context += c->count;
	return 0;
}

/* A batch made by hand: what is not set is right. */
struct making {
	const char *entities, *taken, *windows, *data, *quality;
	const char *known, *still;
	size_t entities_len, taken_len, windows_len, data_len, quality_len;
	size_t known_len, still_len;
	uint32_t list, group_list, column_list, source, quantity, index;
	uint32_t encoding;
	bool no_group;
};

#define OCTETS(field, text) .field = (text), .field##_len = sizeof(text) - 1

/* Entities 1 and 3, both taken now, values 5 and 6. */
static const struct making right = {
	OCTETS(entities, "\2\4"), OCTETS(taken, "\0\1"),
	OCTETS(data, "\xa\xc"), .encoding = 1, .quantity = 7 };

static size_t batch_make(uint8_t *ret, const struct making *m)
{
	struct writer w = writer_of(ret, RECORD_PAYLOAD_MAX);
	size_t message;

	pack_int(&w, 1, 1000);
	message = pack_open(&w, 4);
	pack_uint(&w, 1, m->list);
	pack_octets(&w, 2, m->entities, m->entities_len);
	pack_close(&w, message);
	if (!m->no_group) {
		message = pack_open(&w, 5);
		pack_uint(&w, 2, m->group_list);
		pack_octets(&w, 3, m->taken, m->taken_len);
		pack_octets(&w, 6, m->windows, m->windows_len);
		pack_close(&w, message);
	}
	message = pack_open(&w, 6);
	pack_uint(&w, 1, m->quantity);
	pack_uint(&w, 2, m->index);
	pack_uint(&w, 3, m->source);
	pack_uint(&w, 4, m->column_list);
	pack_uint(&w, 5, m->encoding);
	pack_octets(&w, 6, m->data, m->data_len);
	pack_octets(&w, 7, m->quality, m->quality_len);
	pack_close(&w, message);
	pack_octets(&w, 8, m->still, m->still_len);
	pack_octets(&w, 9, m->known, m->known_len);
	assert_true(writer_ok(&w));
	return w.pos;
}

static int decode(struct decoder *d, uint16_t flags, const void *octets,
		  size_t len, uint64_t *given, struct diag *diag)
{
	*given = 0;
	return decoder_batch(d, flags, octets, len, count, given, diag);
}

/* After a bad batch a good one without reference is not read either. */
static void assert_refused(const struct making *m, const char *why)
{
	uint8_t octets[RECORD_PAYLOAD_MAX];
	struct diag diag = { "" };
	struct decoder *d;
	uint64_t given;
	size_t len;

	assert_int_equal(decoder_new(&d), 0);
	len = batch_make(octets, &right);
	assert_int_equal(decode(d, RECORD_FLAG_REFERENCE, octets, len, &given,
				&diag), 0);
	assert_int_equal(given, 2);
	len = batch_make(octets, m);
	assert_int_equal(decode(d, RECORD_FLAG_REFERENCE, octets, len, &given,
				&diag), -EBADMSG);
	assert_int_equal(given, 0);
	if (!strstr(diag.text, why))
		fail_msg("'%s' does not say '%s'", diag.text, why);
	len = batch_make(octets, &right);
	assert_int_equal(decode(d, 0, octets, len, &given, &diag), -EAGAIN);
	decoder_free(d);
}

static void test_c09_bad_batch_is_refused_whole(void **state)
{
	struct making m;

	(void)state;
#define CASE(why, ...) \
	do { m = right; __VA_ARGS__; assert_refused(&m, why); } while (0)
#define SET(field, text) (m.field = (text), m.field##_len = sizeof(text) - 1)
	CASE("list 0 is empty", SET(entities, ""));
	CASE("no entity", SET(entities, "\0"));		/* entity 0 */
	CASE("no entity", SET(entities, "\2\3\2\1"));	/* 1-2 */
	CASE("no entity", SET(entities, "\x80"));
	CASE("more than 65536 lists", m.list = DECODE_LISTS_MAX);
	CASE("list 1 is not known", m.group_list = 1);
	CASE("list 1 is not known", m.column_list = 1);
	CASE("no read group", m.no_group = true);
	CASE("no read group", m.source = 1);
	CASE("ages", SET(taken, ""));
	CASE("ages", SET(taken, "\0\0"));		/* one too few */
	CASE("ages", SET(taken, "\0\2"));		/* one too many */
	CASE("ages", SET(taken, "\0\1\2"));
	CASE("ages", SET(windows, "\2"));
	CASE("values", SET(data, ""));
	CASE("values", SET(data, "\2"));
	CASE("values", SET(data, "\2\2\2"));
	CASE("values", SET(data, "\2\0\1"));
	CASE("values", SET(data, "\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"));
	CASE("qualities", SET(quality, "\0\1"));
	CASE("qualities", SET(quality, "\0\3"));
	CASE("qualities", SET(quality, "\5\2"));
	CASE("qualities", SET(quality, "\0\0\0\2"));
	CASE("qualities", SET(quality, "\0"));
	CASE("no column has", m.quantity = 65536);
	CASE("no column has", m.index = 65536);
	CASE("values", m.encoding = 0; SET(data, "\2\2\2"));
	/* Encoding 2. Right is "\0" with 2 codes of 1 bit and 6 empty ones. */
#define RICE(why, text) CASE(why, m.encoding = 2; SET(data, text))
	RICE("values", "");
	RICE("values", "\0");			/* no codes */
	RICE("values", "\0\1");			/* not empty bits */
	RICE("values", "\0\0\0");		/* one octet too many */
	RICE("values", "\5\0");			/* predictor */
	RICE("values", "\x80\0");
	RICE("values", "\x10\0\0");		/* unit 0 */
	RICE("values", "\x10\x80\x80\x80\x80\x80\x80\x80\x80\x80\1\0");
	/* A level of 65 bits, and codes for it. */
	RICE("values", "\x20\x41\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
	RICE("values", "\4\0\0");		/* itself as its base */
	RICE("values", "\4\1\0");		/* a base not known */
	RICE("values", "\4\xff\xff\xff\xff\x0f\0");
	RICE("values", "\0\xff\xff\xff\xff");	/* ends within a code */
	RICE("values", "\x40\x01");		/* sparse: not empty bits */
#undef RICE
	CASE("column 1 is not among the 1", SET(known, "\6\0"));
	CASE("not among", SET(known, "\xff\xff\xff\xff\xff\xff\xff\xff\1"));
	/* Encoding 3. Right is "\0\x0a\0\0": 10 bits, none mended, 2 codes. */
#define BOUNDED(text) CASE("values", m.encoding = 3; SET(data, text))
	BOUNDED("\0");
	BOUNDED("\0\x0a");			/* how many are mended? */
	BOUNDED("\0\1\0\0");			/* too few bits */
	BOUNDED("\0\x41\0\0");			/* too many */
	BOUNDED("\x10\2\x0a\0\0");		/* a unit */
	BOUNDED("\0\x0a\1\0");			/* a pair cut short */
	BOUNDED("\0\x0a\1\2\2\0");		/* of a row behind the last */
	BOUNDED("\0\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\0");
#undef BOUNDED
	CASE("values", SET(known, "\2"));
	CASE("values", SET(known, "\2\0"));
	CASE("values", SET(known, "\2\0\0\0"));
	CASE("column 1 is not among the 1", SET(still, "\2\1"));
	CASE("column 1 is not among the 1", SET(still, "\0\2"));
	CASE("not among", SET(still, "\1\1"));
	CASE("within a run", SET(still, "\0"));
	CASE("within a run", SET(still, "\0\0"));
#undef SET
#undef CASE
}

/* What differs from a bad one in an octet is read. */
static void test_c09_right_ones_of_each_sort_are_read(void **state)
{
	static const struct making good[] = {
		{ OCTETS(data, "\0\0"), .encoding = 2 },
		{ OCTETS(data, "\x40\0"), .encoding = 2 },
		{ OCTETS(data, "\0\xa0"), .encoding = 2 },
		{ OCTETS(data, "\x30\7\2\0"), .encoding = 2 },
		{ OCTETS(data, "\0\1"), .encoding = 1,
		  OCTETS(known, "\2\0\0") },
		{ OCTETS(data, "\0\1"), .encoding = 1,
		  OCTETS(still, "\0\1") },
		{ OCTETS(data, "\0\x0a\0\0"), .encoding = 3 },
		{ OCTETS(data, "\0\x0a\1\1\2\0"), .encoding = 3 },
		{ OCTETS(data, "\0\1"), .encoding = 1,
		  OCTETS(known, "\3\0\x0a\0\0") },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		uint8_t octets[RECORD_PAYLOAD_MAX];
		struct making m = good[i];
		struct diag diag = { "" };
		struct decoder *d;
		uint64_t given;
		size_t len;

		m.entities = right.entities;
		m.entities_len = right.entities_len;
		m.taken = right.taken;
		m.taken_len = right.taken_len;
		m.quantity = right.quantity;
		len = batch_make(octets, &m);
		assert_int_equal(decoder_new(&d), 0);
		if (decode(d, 1, octets, len, &given, &diag) < 0)
			fail_msg("%zu: %s", i, diag.text);
		assert_int_equal(given, m.known || m.still ? 4 : 2);
		decoder_free(d);
	}
}

/* An encoding of tomorrow: the column is passed over until the next reference,
 * with all that is said of it by its number.
 */
static void test_c09_unknown_encodings_are_passed_over(void **state)
{
	static const struct {
		const char *known, *still;
		size_t known_len, still_len;
	} more[] = { { 0 }, { OCTETS(known, "\2\0\0") },
		     { OCTETS(still, "\0\1") } };

	(void)state;
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		uint8_t octets[RECORD_PAYLOAD_MAX];
		struct making m = right;
		struct diag diag = { "" };
		struct decoder *d;
		uint64_t given;
		size_t len;

		m.encoding = 9;
		m.known = more[i].known;
		m.known_len = more[i].known_len;
		m.still = more[i].still;
		m.still_len = more[i].still_len;
		assert_int_equal(decoder_new(&d), 0);
		len = batch_make(octets, &m);
		if (decode(d, 1, octets, len, &given, &diag) < 0)
			fail_msg("%zu: %s", i, diag.text);
		assert_int_equal(given, 0);
		len = batch_make(octets, &right);
		assert_int_equal(decode(d, 1, octets, len, &given, &diag), 0);
		assert_int_equal(given, 2);
		decoder_free(d);
	}
}

static void test_c09_nothing_is_given_before_a_reference(void **state)
{
	uint8_t octets[RECORD_PAYLOAD_MAX];
	struct decoder *d;
	uint64_t given;
	size_t len;

	(void)state;
	len = batch_make(octets, &right);
	assert_int_equal(decoder_new(&d), 0);
	assert_int_equal(decode(d, 0, octets, len, &given, NULL), -EAGAIN);
	assert_int_equal(decode(d, 1, octets, len, &given, NULL), 0);
	assert_int_equal(given, 2);
	decoder_lost(d);
	assert_int_equal(decode(d, 0, octets, len, &given, NULL), -EAGAIN);
	assert_int_equal(given, 0);
	decoder_free(d);
}

/* A list said twice in a group, and one forgotten by the next reference. */
static void test_c09_lists_live_until_the_next_reference(void **state)
{
	struct making more = right;
	uint8_t octets[RECORD_PAYLOAD_MAX];
	struct decoder *d;
	uint64_t given;
	size_t len;

	(void)state;
	assert_int_equal(decoder_new(&d), 0);
	len = batch_make(octets, &right);
	assert_int_equal(decode(d, 1, octets, len, &given, NULL), 0);
	assert_int_equal(decode(d, 0, octets, len, &given, NULL), -EBADMSG);
	more.list = 1;
	assert_int_equal(decode(d, 1, octets, len, &given, NULL), 0);
	len = batch_make(octets, &more);
	assert_int_equal(decode(d, 0, octets, len, &given, NULL), 0);
	assert_int_equal(decode(d, 1, octets, len, &given, NULL), -EBADMSG);
	decoder_free(d);
}

/* 64 KiB that stand for hundreds of millions of values. */
static void test_c09_amplification_ends_at_its_bounds(void **state)
{
	uint8_t *octets = malloc(RECORD_PAYLOAD_MAX);
	struct writer w = writer_of(octets, RECORD_PAYLOAD_MAX);
	size_t message = pack_open(&w, 4), packed;
	struct diag diag = { "" };
	struct decoder *d;
	clock_t start = clock();
	uint64_t given;

	(void)state;
	packed = pack_open(&w, 2);
	for (unsigned i = 0; i < 40000; i++)
		writer_u8(&w, 2);
	pack_close(&w, packed);
	pack_close(&w, message);
	message = pack_open(&w, 5);
	pack_octets(&w, 3, "\0\xbf\xb8\2", 4);	/* 40,000 zeros */
	pack_close(&w, message);
	for (unsigned i = 0; w.pos + 64 < w.cap; i++) {
		message = pack_open(&w, 6);
		pack_uint(&w, 1, 1 + i);
		pack_uint(&w, 5, 1);
		pack_octets(&w, 6, "\0\xbf\xb8\2", 4);
		pack_close(&w, message);
	}
	assert_int_equal(decoder_new(&d), 0);
	assert_int_equal(decode(d, 1, octets, w.pos, &given, &diag), -EBADMSG);
	assert_int_equal(given, 0);
	assert_non_null(strstr(diag.text, "more than 1048576 "));
	assert_true(clock() - start < 5 * CLOCKS_PER_SEC);
	decoder_free(d);
	free(octets);
}

static const struct samples_shape shape = {
	.columns = 8, .entities = 20, .fresh_percent = 90,
	.partly_percent = 20, .change_percent = 50,
	.odd_quality_percent = 10, .window_varies = true };

static const struct encoder_limits limits = {
	.slots = 1000, .columns = 16, .lists = 64, .entities = 100 };

/* Real batches cut at every length, and with random octets changed. */
static void test_c09_spoilt_batches_give_nothing_or_all(void **state)
{
	struct dice dice = { test_seed() };
	struct record_store *store = malloc(sizeof(*store));
	struct record_sink sink;
	struct encoder *e;
	struct decoder *d;
	struct samples s;
	unsigned bad = 0;
	uint64_t given;

	(void)state;
	record_store_init(store);
	sink = record_store_sink(store);
	samples_init(&s, &shape, dice.state);
	assert_int_equal(encoder_new(&limits, &sink, &e), 0);
	assert_int_equal(decoder_new(&d), 0);
	samples_tick(&s);
	assert_int_equal(encoder_batch(e, s.now, s.tick, 1, s.column,
				       s.shape.columns, s.group,
				       SAMPLES_SOURCES), 0);
	for (size_t len = 0; len < store->record[0].len; len++) {
		uint8_t *copy = malloc(len ? len : 1);	/* its exact size */
		int rc;

		memcpy(copy, store->record[0].payload, len);
		rc = decode(d, 1, copy, len, &given, NULL);
		assert_true(rc == 0 || (rc == -EBADMSG && given == 0));
		bad += rc != 0;
		free(copy);
	}
	for (unsigned i = 0; i < 20000; i++) {
		size_t len = store->record[0].len;
		uint8_t *copy = malloc(len);
		int rc;

		memcpy(copy, store->record[0].payload, len);
		for (uint32_t n = 1 + dice_below(&dice, 4); n > 0; n--)
			copy[dice_below(&dice, (uint32_t)len)] =
				(uint8_t)dice_next(&dice);
		rc = decode(d, 1, copy, len, &given, NULL);
		assert_true(rc == 0 || (rc == -EBADMSG && given == 0));
		bad += rc != 0;
		free(copy);
	}
	assert_true(bad > 1000);
	encoder_free(e);
	decoder_free(d);
	samples_fini(&s);
	record_store_clear(store);
	free(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c09_bad_batch_is_refused_whole),
		cmocka_unit_test(test_c09_right_ones_of_each_sort_are_read),
		cmocka_unit_test(test_c09_unknown_encodings_are_passed_over),
		cmocka_unit_test(test_c09_nothing_is_given_before_a_reference),
		cmocka_unit_test(test_c09_lists_live_until_the_next_reference),
		cmocka_unit_test(test_c09_amplification_ends_at_its_bounds),
		cmocka_unit_test(test_c09_spoilt_batches_give_nothing_or_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
