/* What a value of the busy scenario costs on the wire, and of what that is
 * made: the simulated switch without the clock, state, encoder, and every
 * record read back.
 *
 * The entropy beside it is an estimate: for each column the classes (lengths
 * in bits) of what a predictor leaves, with their own entropy, and the bits
 * below the first one of each, which are taken to be noise. The best predictor
 * of each column counts.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record/decode.h"
#include "agent/record/encode.h"
#include "agent/record/pack.h"
#include "agent/state/state.h"
#include "platform/sim/sim.h"

#define TICKS 300u
#define WARM_UP 5u
#define COLUMNS_MAX 1024u
#define ROWS_MAX 2048u
#define CLASSES 65
#define ENCODINGS 8

enum predictor { LAST, SLOPE, MEAN, PREDICTORS };

struct row {
	int64_t last, slope, mean;
	uint32_t seen;
};

struct column_bits {
	uint16_t quantity, index;
	uint8_t source;
	uint64_t seen[PREDICTORS][CLASSES], values;
	struct row row[ROWS_MAX];
};

enum part { LISTS, GROUPS, HEADERS, QUALITY, DATA, FRAME = DATA + ENCODINGS,
	    PARTS };

struct bench {
	struct state *state;
	struct platform_host host;
	void *sim;
	struct encoder *encoder;
	struct decoder *decoder;
	struct column_bits *column;
	uint32_t columns;
	uint64_t values, changed, noisy;
	uint64_t part[2][PARTS], total[2], in[2][ENCODINGS], batches[2];
	uint64_t given, number;
};

static const char *option(void *context, const char *key)
{
	return strcmp(key, "scenario") == 0 ? context : NULL;
}

static int give(void *context, const struct decoded_value *v)
{
	(void)v;
	((struct bench *)context)->given++;
	return 0;
}

static void column_account(struct bench *b, unsigned r,
			   const Petrel__Column *c)
{
	size_t all = petrel__column__get_packed_size(c);
	unsigned e = c->encoding < ENCODINGS ? c->encoding : ENCODINGS - 1;

	b->part[r][DATA + e] += c->data.len;
	b->in[r][e]++;
	b->part[r][QUALITY] += c->quality.len;
	b->part[r][HEADERS] += all - c->data.len - c->quality.len +
			       1 + pack_varint_len(all);
}

static void record_account(struct bench *b, unsigned r,
			   const Petrel__Batch *m, size_t len)
{
	uint64_t known = 0;

	for (size_t i = 0; i < m->n_lists; i++)
		b->part[r][LISTS] +=
			petrel__entity_list__get_packed_size(m->lists[i]) + 3;
	for (size_t i = 0; i < m->n_groups; i++)
		b->part[r][GROUPS] +=
			petrel__group__get_packed_size(m->groups[i]) + 2;
	for (size_t i = 0; i < m->n_columns; i++)
		column_account(b, r, m->columns[i]);
	for (size_t i = 0; i < m->n_known; i++) {
		unsigned e = m->known[i].data[0] & 3;
		size_t head = m->known[i].data[0] & 0x80 ? 2 : 1;

		b->part[r][DATA + e] += m->known[i].len - head;
		b->in[r][e]++;
		b->part[r][HEADERS] += head + 1 +
				       pack_varint_len(m->known[i].len);
	}
	b->part[r][HEADERS] += m->still.len + 2;
	b->total[r] += len + RECORD_HEADER_LEN;
	for (unsigned i = 0; i < FRAME; i++)
		known += b->part[r][i];
	b->part[r][FRAME] = b->total[r] - known;
}

static int put(void *context, enum stream stream, enum record_kind kind,
	       uint16_t flags, const void *payload, size_t len)
{
	struct bench *b = context;
	struct diag d = { "" };
	ProtobufCMessage *m;
	unsigned r;

	(void)stream;
	b->number++;
	if (decoder_batch(b->decoder, flags, payload, len, give, b, &d) < 0 ||
	    record_unpack(kind, payload, len, &m) < 0) {
		fprintf(stderr, "bench_wire: %s\n", d.text);
		abort();
	}
	r = flags & RECORD_FLAG_REFERENCE ||
	    (((Petrel__Batch *)m)->part && b->batches[0] < b->batches[1]);
	record_account(b, r, (Petrel__Batch *)m, len);
	record_unpacked_free(m);
	return 0;
}

static uint64_t sequence(void *context, enum stream stream)
{
	(void)stream;
	return ((struct bench *)context)->number + 1;
}

static void bench_open(struct bench *b, const char *scenario)
{
	static const struct encoder_limits limits = {
		.slots = 65536, .columns = 4096, .lists = 4096,
		.entities = 16384 };
	struct state_limits state = { .entities = 16384, .slots = 65536 };
	struct state_observer observer = { 0 };
	struct record_sink sink = { b, put, sequence };
	struct platform_env env = { .abi = PLATFORM_ABI, .size = sizeof(env),
				    .root_fd = -1, .option = option,
				    .option_context = (void *)scenario,
				    .host = &b->host };
	struct diag d = { "" };
	unsigned first;

	if (state_new(&state, &observer, &b->state) < 0 ||
	    state_driver_add(b->state, &sim_driver, &first, &b->host) < 0 ||
	    sim_driver.open(&env, &b->sim, &d) < 0 ||
	    sim_driver.inventory(b->sim, &d) < 0 ||
	    encoder_new(&limits, &sink, &b->encoder) < 0 ||
	    decoder_new(&b->decoder) < 0) {
		fprintf(stderr, "bench_wire: %s\n", d.text);
		exit(1);
	}
	b->column = calloc(COLUMNS_MAX, sizeof(*b->column));
	if (!b->column)
		exit(1);
}

static void sources_read(struct bench *b, struct mono now, uint32_t tick)
{
	struct diag d;

	for (unsigned i = 0; sim_driver.sources[i]; i++) {
		const struct platform_source *s = sim_driver.sources[i];

		if (!s->blocks && s->read && s->period_ms > 0 &&
		    tick * 1000 % s->period_ms == 0)
			while (s->read(b->sim, now, &d) == -ENODATA)
				;
	}
}

static unsigned class_of(int64_t residual)
{
	uint64_t z = pack_zigzag(residual);

	return z ? 64 - (unsigned)__builtin_clzll(z) : 0;
}

static int64_t less(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static void value_see(struct bench *b, struct column_bits *c, struct row *r,
		      int64_t value)
{
	int64_t slope = less(value, r->last), mean = r->mean / 8;

	if (r->seen++ > 1) {
		c->seen[LAST][class_of(slope)]++;
		c->seen[SLOPE][class_of(less(slope, r->slope))]++;
		c->seen[MEAN][class_of(less(slope, mean))]++;
		c->values++;
		b->changed += slope != 0;
		b->noisy += slope != 0 && llabs(slope - r->slope) >=
						  llabs(slope) / 100;
		r->mean += less(slope, mean);
	} else {
		r->mean = slope * 8;
	}
	r->slope = slope;
	r->last = value;
}

static void columns_see(struct bench *b, const struct sample_column *all,
			size_t n, uint32_t tick)
{
	for (size_t i = 0; i < n && i < COLUMNS_MAX; i++) {
		struct column_bits *c = &b->column[i];

		c->quantity = all[i].quantity;
		c->index = all[i].index;
		c->source = all[i].source;
		for (uint32_t k = 0; k < all[i].count && k < ROWS_MAX; k++)
			if (all[i].tick[k] == tick)
				value_see(b, c, &c->row[k], all[i].value[k]);
	}
	b->columns = (uint32_t)n;
}

static void tick_run(struct bench *b, struct mono now)
{
	const struct sample_column *columns;
	const struct group_column *groups;
	struct encoder_count c;
	size_t n, n_groups;
	uint32_t tick;

	state_tick(b->state, now);
	tick = state_tick_number(b->state);
	sources_read(b, now, tick);
	n = state_columns(b->state, &columns);
	n_groups = state_groups(b->state, &groups);
	encoder_count(b->encoder, &c);
	if (encoder_batch(b->encoder, now, tick, 1, columns, n, groups,
			  n_groups) < 0)
		abort();
	columns_see(b, columns, n, tick);
}

static double column_entropy(const struct column_bits *c, unsigned predictor)
{
	double bits = 0;

	for (unsigned k = 0; k < CLASSES; k++) {
		double n = (double)c->seen[predictor][k];

		if (n > 0)
			bits += n * (log2((double)c->values / n) +
				     (k > 1 ? k - 1 : 0));
	}
	return bits;
}

static double entropy_print(const struct bench *b)
{
	double all[PREDICTORS] = { 0 }, best = 0, values = 0;

	for (uint32_t i = 0; i < b->columns; i++) {
		double least = INFINITY, bits[PREDICTORS];

		for (unsigned p = 0; p < PREDICTORS; p++) {
			bits[p] = column_entropy(&b->column[i], p);
			all[p] += bits[p];
			least = fmin(least, bits[p]);
		}
		best += least;
		values += (double)b->column[i].values;
		if (getenv("VERBOSE"))
			printf("0x%04x.%u s%u n=%.0f  %.2f %.2f %.2f bits, changed %.2f\n",
			       b->column[i].quantity, b->column[i].index,
			       b->column[i].source, (double)b->column[i].values / (TICKS - 2),
			       bits[0] / (double)b->column[i].values, bits[1] / (double)b->column[i].values,
			       bits[2] / (double)b->column[i].values,
			       1 - (double)b->column[i].seen[0][0] / (double)b->column[i].values);
	}
	printf("entropy: last %.3f slope %.3f mean %.3f best %.3f octets a value\n",
	       all[0] / 8 / values, all[1] / 8 / values, all[2] / 8 / values, best / 8 / values);
	return best;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] :
				      "tests/data/scenarios/busy.scenario";
	struct bench *b = calloc(1, sizeof(*b));
	struct mono now = clock_mono_now();
	struct encoder_count c;

	if (!b)
		return 1;
	bench_open(b, path);
	for (unsigned i = 0; i < TICKS; i++, now.ns += NS_PER_S) {
		b->batches[i % 60 == 0]++;
		b->batches[0] = i % 60 != 0;
		b->batches[1] = i % 60 == 0;
		tick_run(b, now);
	}
	encoder_count(b->encoder, &c);
	entropy_print(b);
	printf("values %.0f a tick, changed %.3f noisy %.3f: %.3f octets a value\n",
	       (double)c.values / TICKS,
	       (double)b->changed / (double)c.values,
	       (double)b->noisy / (double)c.values,
	       (double)c.octets / (double)c.values);
	for (unsigned r = 0; r < 2; r++)
		for (unsigned i = 0; i < PARTS; i++)
			if (b->part[r][i])
				printf("%s part %u: %.4f (%lu cols)\n", r ? "ref" : "dif", i,
				       (double)b->part[r][i] / (double)c.values,
				       i >= DATA && i < FRAME ? b->in[r][i - DATA] : 0);
	return 0;
}
