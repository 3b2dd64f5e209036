/* What a value costs from the state's columns to the ring, and back.
 *
 * About 20,000 values a tick: 64 ports with 120 numbers each, 8 queues, 8
 * priorities and 8 lanes a port. Of the values 25 % change, most in columns
 * that change throughout, as traffic counters do, by a rate of their own with
 * 1 % of noise. Prints one line a figure.
 */
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/base/ring.h"
#include "agent/record/decode.h"
#include "agent/record/encode.h"
#include "tests/support/samples.h"

#define PORTS 64u
#define TICKS 600u
#define COLUMNS_MAX 160u
#define NOISE_PERCENT 1
#define BUSY_COLUMNS_PERCENT 23u	/* change throughout */
#define STRAY_PERCENT 4u		/* changing values of the others */

struct sort {	/* of entity */
	uint32_t first, count, columns;
	uint8_t source;
};

static const struct sort sorts[] = {
	{ 1, PORTS, 120, 0 },
	{ 1000, 8 * PORTS, 12, 1 },
	{ 2000, 8 * PORTS, 8, 2 },
	{ 3000, 8 * PORTS, 4, 3 },
};

#define SORTS (sizeof(sorts) / sizeof(sorts[0]))

struct load {
	struct dice dice;
	uint32_t tick, columns;
	struct sample_column column[COLUMNS_MAX];
	struct group_column group[SORTS];
	int64_t *value[COLUMNS_MAX], *rate[COLUMNS_MAX];
	uint64_t *is_new[COLUMNS_MAX];
	struct group_age *ages[SORTS];
	bool is_busy[COLUMNS_MAX];
	double entropy_bits;
	uint64_t values, changed;
};

static void sort_make(struct load *l, unsigned n)
{
	const struct sort *s = &sorts[n];
	uint32_t *entity = calloc(s->count, sizeof(*entity));
	uint8_t *quality = calloc(s->count, 1);

	for (uint32_t i = 0; i < s->count; i++)
		entity[i] = s->first + i;
	l->ages[n] = calloc(s->count, sizeof(*l->ages[n]));
	l->group[n] = (struct group_column){ s->source, s->count, entity,
					     l->ages[n], NULL };
	for (uint32_t k = 0; k < s->columns; k++) {
		uint32_t c = l->columns++;

		l->value[c] = calloc(s->count, sizeof(int64_t));
		l->rate[c] = calloc(s->count, sizeof(int64_t));
		l->is_new[c] = calloc(sample_words(s->count),
				      sizeof(uint64_t));
		l->is_busy[c] = c * BUSY_COLUMNS_PERCENT / 100 !=
				(c + 1) * BUSY_COLUMNS_PERCENT / 100;
		for (uint32_t i = 0; i < s->count; i++)
			l->rate[c][i] = 100 + (int64_t)(dice_next(&l->dice) >>
					(32 + dice_below(&l->dice, 20)));
		l->column[c] = (struct sample_column){
			(uint16_t)(0x100 + k), 0, s->source, s->count, entity,
			l->value[c], quality, 0, l->is_new[c] };
	}
}

/* Uniform noise over 2 % of the rate: that many equally likely steps. */
static void value_step(struct load *l, int64_t *value, int64_t rate)
{
	uint32_t width = (uint32_t)(rate * 2 * NOISE_PERCENT / 100) + 1;

	*value += rate + dice_below(&l->dice, width) - width / 2;
	l->entropy_bits += log2(width);
	l->changed++;
}

static void load_tick(struct load *l, struct mono now)
{
	double stray = STRAY_PERCENT / 100.0;
	double which = -stray * log2(stray) - (1 - stray) * log2(1 - stray);

	l->tick++;
	for (unsigned n = 0; n < SORTS; n++)
		for (uint32_t i = 0; i < sorts[n].count; i++)
			l->ages[n][i].taken.ns = now.ns - 2000000 * (n + 1);
	for (uint32_t c = 0; c < l->columns; c++) {
		l->column[c].tick = l->tick;
		for (uint32_t i = 0; i < l->column[c].count; i++) {
			sample_mark(l->is_new[c], i, true);
			l->values++;
			if (!l->is_busy[c])
				l->entropy_bits += which;
			if (l->is_busy[c] ||
			    dice_percent(&l->dice, STRAY_PERCENT))
				value_step(l, &l->value[c][i], l->rate[c][i]);
		}
	}
}

struct out {
	struct ring *ring;	/* NULL: into nothing */
	struct decoder *decoder;
	uint64_t decode_ns, given;
};

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int count(void *context, const struct decoded_column *c)
{
	((struct out *)context)->given += c->count;
	return 0;
}

static int put(void *context, enum stream stream, enum record_kind kind,
	       uint16_t flags, const void *payload, size_t len)
{
	struct out *o = context;

	(void)stream;
	return o->ring ? ring_append(o->ring, kind, flags, payload, len) : 0;
}

static int put_decode(void *context, enum stream stream, enum record_kind kind,
		      uint16_t flags, const void *payload, size_t len)
{
	struct out *o = context;
	uint64_t start = cpu_ns();
	int rc = decoder_batch(o->decoder, flags, payload, len, count, o, NULL);

	(void)stream;
	(void)kind;
	o->decode_ns += cpu_ns() - start;
	return rc;
}

static uint64_t sequence(void *context, enum stream stream)
{
	struct out *o = context;

	(void)stream;
	return o->ring ? ring_next(o->ring) : 0;
}

/* CPU of TICKS batches into o, without that of making the load. */
static uint64_t batches(struct out *o, bool decode, struct load *l,
			struct encoder_count *ret)
{
	static const struct encoder_limits limits = {
		.slots = 65536, .columns = 1024, .lists = 1024,
		.entities = 8192 };
	struct record_sink sink = { o, decode ? put_decode : put, sequence };
	struct mono now = { 1000000000 };
	struct encoder *e;
	uint64_t spent = 0;

	if (encoder_new(&limits, &sink, &e) < 0)
		abort();
	for (unsigned i = 0; i < TICKS; i++, now.ns += NS_PER_S) {
		uint64_t start;

		load_tick(l, now);
		start = cpu_ns();
		if (encoder_batch(e, now, l->tick, 1, l->column, l->columns,
				  l->group, SORTS) < 0)
			abort();
		spent += cpu_ns() - start;
	}
	encoder_count(e, ret);
	encoder_free(e);
	return spent;
}

static struct ring *ring_make(struct ring_set *s)
{
	static const size_t bytes[STREAM_COUNT] = { 1u << 20, 1u << 20,
						    8u << 20 };
	char path[] = "/dev/shm/bench_record.XXXXXX";
	struct diag d = { "" };
	int fd = mkdtemp(path) ? open(path, O_RDONLY | O_DIRECTORY) : -1;

	if (fd < 0 || ring_set_open(fd, bytes, 1, s, &d) < 0) {
		fprintf(stderr, "%s\n", d.text);
		exit(1);
	}
	(void)unlinkat(fd, "findings.ring", 0);
	(void)unlinkat(fd, "states.ring", 0);
	(void)unlinkat(fd, "samples.ring", 0);
	(void)close(fd);
	(void)rmdir(path);
	return s->ring[STREAM_SAMPLES];
}

int main(void)
{
	struct load *l = calloc(1, sizeof(*l));
	struct out nothing = { 0 }, ring = { 0 }, back = { 0 };
	struct encoder_count c, unused;
	struct ring_set set;
	uint64_t encode_ns, append_ns;
	double values;

	l->dice.state = 1;
	for (unsigned n = 0; n < SORTS; n++)
		sort_make(l, n);
	ring.ring = ring_make(&set);
	if (decoder_new(&back.decoder) < 0)
		return 1;
	encode_ns = batches(&nothing, false, l, &unused);
	append_ns = batches(&ring, false, l, &c);
	(void)batches(&back, true, l, &unused);
	values = (double)c.values;
	printf("record: values a tick %.0f, changing %.1f %%, noise %d %%\n",
	       values / TICKS, 100.0 * (double)l->changed / (double)l->values,
	       NOISE_PERCENT);
	printf("record: encode %.1f ns a value; with append to the ring %.1f "
	       "(reach: 60)\n", (double)encode_ns / values,
	       (double)append_ns / values);
	printf("record: decode %.1f ns a value\n",
	       (double)back.decode_ns / (double)back.given);
	printf("record: %.3f octets a value, of %.3f that the changes' entropy "
	       "asks for\n", (double)c.octets / values,
	       l->entropy_bits / 8 / (double)l->values);
	decoder_free(back.decoder);
	ring_set_close(&set);
	return back.given == c.values ? 0 : 1;
}
