/* A stream of batches that is kept: what the encoder makes today of the same
 * columns, octet by octet, and what a reader must have of it. The reader that
 * was written from petrel-record(5) alone reads the same files. With --golden
 * it writes them.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record/decode.h"
#include "agent/record/encode.h"
#include "agent/record/rice.h"
#include "petrel/quantity.h"
#include "petrel/wire.h"
#include "tests/support/samples.h"

#define RECORDS_PATH "tests/data/stream/records.hex"
#define VALUES_PATH "tests/data/stream/values.txt"
#define ROWS 4u
#define COLUMNS 7u
#define TICKS 66u		/* past the second reference */
#define BOUNDED_FROM 10u

struct stream_world {
	struct dice dice;
	uint32_t entity[ROWS];
	uint64_t is_new[COLUMNS];
	uint8_t quality[COLUMNS][ROWS];
	int64_t value[COLUMNS][ROWS];
	struct group_age age[ROWS];
	struct sample_column column[COLUMNS];
	struct group_column group;
	struct decoder *decoder;
	decoded_fn *give;		/* of records_read() */
	uint64_t sequence;
	FILE *records, *values;
};

static const uint16_t names[COLUMNS] = {
	Q_IF_IN_OCTETS, Q_IF_IN_UCAST_FRAMES, Q_IF_IN_DISCARDS,
	Q_LANE_PRE_FEC_BER_E18, Q_QUEUE_WATERMARK_OCTETS, Q_MODULE_TEMP_MC,
	Q_SPEED_MBPS,
};

static int64_t noise(struct stream_world *w, uint32_t width)
{
	return (int64_t)dice_below(&w->dice, width) - width / 2;
}

static void row_step(struct stream_world *w, uint32_t i, uint32_t tick)
{
	int64_t frames = 80000 * (1 + i) + noise(w, 6000 * (i + 1));

	if (tick == 30 && i == 2)
		w->value[0][i] = 5;	/* it began anew */
	if (tick < 40 || i != 1)	/* its traffic ends */
		w->value[0][i] += frames * 1400 + noise(w, 900);
	w->value[1][i] += tick < 40 || i != 1 ? frames : 0;
	w->value[2][i] += dice_percent(&w->dice, 4);
	w->value[3][i] = 3000000000 + 1000000 * i + noise(w, 800000);
	w->value[4][i] = 256 * (int64_t)dice_below(&w->dice, 4000);
	w->value[5][i] += dice_percent(&w->dice, 20) ? noise(w, 300) : 0;
	w->value[6][i] = 400000;
	w->age[i] = (struct group_age){
		.taken = { 1000000000 + tick * NS_PER_S - 1000 * (int64_t)i },
		.uncertainty = span_of(500), .window = span_of(0) };
}

/* Now and then a column comes in part, or is not good throughout. */
static void world_step(struct stream_world *w, uint32_t tick)
{
	for (uint32_t i = 0; i < ROWS; i++)
		row_step(w, i, tick);
	for (uint32_t c = 0; c < COLUMNS; c++) {
		w->column[c].tick = tick + 1;
		w->column[c].count = c == 3 && tick < 20 ? ROWS - 1 : ROWS;
		w->is_new[c] = c == 5 && tick % 7 == 3 ? 0x5 :
			       (UINT64_C(1) << w->column[c].count) - 1;
		for (uint32_t i = 0; i < ROWS; i++)
			w->quality[c][i] = c == 5 && tick % 11 == 4 && i == 2 ?
					   QUALITY_STALE : QUALITY_GOOD;
	}
}

static int give(void *context, const struct decoded_column *c)
{
	struct stream_world *w = context;

	fprintf(w->values, "%ju %u %u %u", (uintmax_t)w->sequence, c->quantity,
		c->index, c->source);
	for (uint32_t i = 0; i < c->count; i++)
		fprintf(w->values, " %u:%jd:%u:%jd", c->entity[i],
			(intmax_t)c->value[i], c->quality[i],
			(intmax_t)c->taken_ns[i]);
	fputc('\n', w->values);
	return 0;
}

static int put(void *context, enum stream stream, enum record_kind kind,
	       uint16_t flags, const void *payload, size_t len)
{
	static uint8_t octets[RECORD_HEADER_LEN + RECORD_PAYLOAD_MAX];
	struct stream_world *w = context;
	struct writer out = writer_of(octets, sizeof(octets));
	struct record_header h = { .length = (uint32_t)len,
				   .stream = (uint8_t)stream,
				   .kind = (uint8_t)kind, .flags = flags };
	struct diag d = { "" };

	h.sequence = h.last = ++w->sequence;
	record_write(&out, &h, payload);
	for (size_t i = 0; i < out.pos; i++)
		fprintf(w->records, "%02x", octets[i]);
	fputc('\n', w->records);
	if (decoder_batch(w->decoder, flags, payload, len, give, w, &d) < 0)
		fail_msg("%s", d.text);
	return 0;
}

static uint64_t next_sequence(void *context, enum stream stream)
{
	(void)stream;
	return ((struct stream_world *)context)->sequence + 1;
}

static void world_init(struct stream_world *w, FILE *records, FILE *values)
{
	*w = (struct stream_world){ .dice = { 20261123 }, .records = records,
				    .values = values };
	for (uint32_t i = 0; i < ROWS; i++)
		w->entity[i] = 10 + 3 * i;
	for (uint32_t c = 0; c < COLUMNS; c++)
		w->column[c] = (struct sample_column){
			.quantity = names[c], .source = c < 3 ? 1 : 2,
			.index = c == 4 ? 2 : 0, .entity = w->entity,
			.value = w->value[c], .quality = w->quality[c],
			.is_new = &w->is_new[c] };
	assert_int_equal(decoder_new(&w->decoder), 0);
}

/* Writes records and values. */
static void stream_make(FILE *records, FILE *values)
{
	static const struct encoder_limits limits = {
		.slots = 400, .columns = 16, .lists = 64, .entities = 64 };
	static struct stream_world w;
	struct record_sink sink = { &w, put, next_sequence };
	struct group_column groups[2];
	struct encoder *e;

	world_init(&w, records, values);
	assert_int_equal(encoder_new(&limits, &sink, &e), 0);
	for (uint32_t n = 0; n < 2; n++)
		groups[n] = (struct group_column){
			.source = (uint8_t)(n + 1), .count = ROWS,
			.entity = w.entity, .age = w.age };
	for (uint32_t t = 0; t < TICKS; t++) {
		world_step(&w, t);
		encoder_bound_traffic(e, t >= BOUNDED_FROM);
		assert_int_equal(encoder_batch(e, (struct mono){ 1000000000 +
				 t * NS_PER_S }, t + 1, 1, w.column, COLUMNS,
				 groups, 2), 0);
	}
	encoder_free(e);
	decoder_free(w.decoder);
}

static void assert_is_file(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "r");
	char *kept = malloc(len + 2);
	size_t n;

	assert_non_null(f);
	n = fread(kept, 1, len + 2, f);
	fclose(f);
	if (n != len || memcmp(kept, text, len) != 0)
		fail_msg("%s is not what is made today: a decoder of before "
			 "would not read it", path);
	free(kept);
}

static void test_c09_the_stream_is_as_pinned(void **state)
{
	char *text[2];
	size_t len[2];
	FILE *records = open_memstream(&text[0], &len[0]);
	FILE *values = open_memstream(&text[1], &len[1]);

	(void)state;
	stream_make(records, values);
	fclose(records);
	fclose(values);
	assert_is_file(RECORDS_PATH, text[0], len[0]);
	assert_is_file(VALUES_PATH, text[1], len[1]);
	free(text[0]);
	free(text[1]);
}

/* The lines of one quantity. */
static size_t lines_of(uint16_t quantity, char *ret, size_t cap)
{
	FILE *f = fopen(VALUES_PATH, "r");
	char line[512];
	size_t n = 0;
	unsigned is;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%*u %u", &is) == 1 && is == quantity) {
			assert_true(n + strlen(line) < cap);
			n += (size_t)snprintf(ret + n, cap - n, "%s", line);
		}
	fclose(f);
	return n;
}

/* All records once. */
static void records_read(struct stream_world *w)
{
	static char line[4 * RECORD_PAYLOAD_MAX];
	static uint8_t octets[RECORD_HEADER_LEN + RECORD_PAYLOAD_MAX];
	FILE *f = fopen(RECORDS_PATH, "r");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		size_t len = strlen(line) / 2;
		struct record_header h;
		const uint8_t *payload;
		struct cursor c = cursor_of(octets, len);

		for (size_t i = 0; i < len; i++)
			assert_int_equal(sscanf(line + 2 * i, "%2hhx",
						&octets[i]), 1);
		assert_int_equal(record_read(&c, &h, &payload), 0);
		w->sequence = h.sequence;
		assert_int_equal(decoder_batch(w->decoder, h.flags, payload,
					       h.length, w->give, w, NULL), 0);
	}
	fclose(f);
}

/* One quantity is read as it is among all, and what tells it is found. */
static void test_what_is_wanted_is_read_alone(void **state)
{
	static char want[65536];
	unsigned again = 0;

	(void)state;
	for (uint32_t c = 0; c < COLUMNS; c++) {
		struct stream_world w = { .give = give };
		char *text = NULL;
		size_t len;

		assert_int_equal(decoder_new(&w.decoder), 0);
		decoder_want(w.decoder, names[c]);
		for (;;) {
			free(text);
			w.values = open_memstream(&text, &len);
			records_read(&w);
			fclose(w.values);
			if (!decoder_wants_more(w.decoder))
				break;
			again++;
		}
		decoder_free(w.decoder);
		assert_int_equal(len, lines_of(names[c], want, sizeof(want)));
		assert_memory_equal(text, want, len);
		free(text);
	}
	assert_true(again > 0);		/* frames tell octets */
}

/* A line a row. */
static int give_rows(void *context, const struct decoded_column *c)
{
	struct stream_world *w = context;

	for (uint32_t i = 0; i < c->count; i++)
		fprintf(w->values, "%ju %u %u %u %u:%jd:%u:%jd\n",
			(uintmax_t)w->sequence, c->quantity, c->index,
			c->source, c->entity[i], (intmax_t)c->value[i],
			c->quality[i], (intmax_t)c->taken_ns[i]);
	return 0;
}

/* What the kept values say of the entities that have their bits. */
static void rows_of(FILE *values, const uint8_t *ids)
{
	FILE *f = fopen(VALUES_PATH, "r");
	char line[512], *at, *row;
	unsigned id;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		row = line;
		for (unsigned word = 0; word < 4; word++)
			row = strchr(row + 1, ' ');
		*row++ = '\0';
		for (row = strtok_r(row, " \n", &at); row;
		     row = strtok_r(NULL, " \n", &at)) {
			assert_int_equal(sscanf(row, "%u:", &id), 1);
			if (ids[id / 8] >> id % 8 & 1)
				fprintf(values, "%s %s\n", line, row);
		}
	}
	fclose(f);
}

/* Each choice of entities is read as it is among all. */
static void test_what_is_followed_is_read_alone(void **state)
{
	(void)state;
	for (unsigned choice = 0; choice < 1u << ROWS; choice++) {
		struct stream_world w = { .give = give_rows };
		uint8_t ids[(10 + 3 * ROWS) / 8 + 1] = { 0 };
		char *text[2];
		size_t len[2];
		FILE *want = open_memstream(&text[0], &len[0]);

		for (unsigned i = 0; i < ROWS; i++)
			if (choice >> i & 1)
				ids[(10 + 3 * i) / 8] |=
					(uint8_t)(1u << (10 + 3 * i) % 8);
		assert_int_equal(decoder_new(&w.decoder), 0);
		decoder_follow(w.decoder, ids, 8 * sizeof(ids));
		w.values = open_memstream(&text[1], &len[1]);
		records_read(&w);
		rows_of(want, ids);
		fclose(w.values);
		fclose(want);
		assert_int_equal(len[1], len[0]);
		assert_memory_equal(text[1], text[0], len[0]);
		decoder_free(w.decoder);
		free(text[0]);
		free(text[1]);
	}
}

/* It gave its memory back: it goes on with the next reference. */
static void test_decoder_that_rests_waits_for_a_reference(void **state)
{
	struct stream_world w = { .give = give };
	char *text;
	size_t len;

	(void)state;
	assert_int_equal(decoder_new(&w.decoder), 0);
	for (unsigned round = 0; round < 2; round++) {
		w.values = open_memstream(&text, &len);
		records_read(&w);
		fclose(w.values);
		assert_is_file(VALUES_PATH, text, len);
		free(text);
		decoder_rest(w.decoder);
	}
	assert_int_equal(decoder_batch(w.decoder, 0, "", 0, give, &w, NULL),
			 -EAGAIN);
	decoder_free(w.decoder);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c09_the_stream_is_as_pinned),
		cmocka_unit_test(test_what_is_wanted_is_read_alone),
		cmocka_unit_test(test_what_is_followed_is_read_alone),
		cmocka_unit_test(test_decoder_that_rests_waits_for_a_reference),
	};

	if (argc > 1 && strcmp(argv[1], "--golden") == 0) {
		FILE *records = fopen(RECORDS_PATH, "w");
		FILE *values = fopen(VALUES_PATH, "w");

		if (!records || !values)
			return 1;
		stream_make(records, values);
		return fclose(records) || fclose(values);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
