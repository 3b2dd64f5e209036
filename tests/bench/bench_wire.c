/* What a value of the busy scenario costs on the wire, and of what that is
 * made: the simulated switch without the clock, state, encoder, and every
 * record read back; exact, and with traffic within a bound.
 *
 * The entropy beside it is an estimate: for each column the classes (lengths
 * in bits) of what a predictor leaves, with their own entropy, and the bits
 * below the first one of each, which are taken to be noise. The best predictor
 * of each column counts. It sees each series by itself, in its own unit: what
 * one column tells of another, and what one series' level tells of itself, the
 * encoder may save beyond.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record/decode.h"
#include "agent/record/encode.h"
#include "agent/record/pack.h"
#include "agent/seal/sealed.h"
#include "agent/state/state.h"
#include "petrel/quantity.h"
#include "platform/driver.h"
#include "tests/support/wire_others.h"

#define TICKS 300u
#define OTHER_TICKS 60u		/* that others' encodings are made of */
#define COLUMNS_MAX 1024u
#define ROWS_MAX 2048u
#define CLASSES 65
#define ENCODINGS 8
#define QUANTITIES_SHOWN 12u

enum predictor { LAST, SLOPE, MEAN, PREDICTORS };

struct row {
	int64_t last, slope, mean;
	uint32_t seen;
};

struct column_bits {
	uint16_t quantity, index;
	uint8_t source;
	uint64_t seen[PREDICTORS][CLASSES], values, unit;
	struct row row[ROWS_MAX];
};

enum part { LISTS, GROUPS, HEADERS, QUALITY, DATA, FRAME = DATA + ENCODINGS,
	    PARTS };

/* A column as a reader numbers it, and what a quantity's cost. */
struct column_told {
	uint16_t quantity, index;
	uint8_t source;
};

struct quantity_cost {
	uint16_t quantity;
	uint64_t octets, values;
};

struct bench {
	struct state *state;
	struct platform_host host;
	void *sim;
	struct encoder *encoder;
	struct decoder *decoder;
	struct column_bits *column;
	uint32_t columns;
	struct column_told told[COLUMNS_MAX];
	struct quantity_cost cost[UINT16_MAX + 1];
	uint32_t told_count;
	uint64_t values, changed, noisy;
	bool is_reference;		/* the batch in hand */
	uint64_t part[2][PARTS], total[2];
	uint64_t given, number;
	uint64_t frames, clear_octets, sealed_octets;
	struct sealed sealed;
	bool has_others;
	struct wire_others others;
};

static const char *option(void *context, const char *key)
{
	return strcmp(key, "scenario") == 0 ? context : NULL;
}

static int give(void *context, const struct decoded_column *c)
{
	struct bench *b = context;

	b->given += c->count;
	b->cost[c->quantity].quantity = c->quantity;
	b->cost[c->quantity].values += c->count;
	return 0;
}

/* Columns are numbered in the order in which they came since the reference. */
static void column_number(struct bench *b, const Petrel__Column *c)
{
	struct column_told t = { (uint16_t)c->quantity, (uint16_t)c->index,
				 (uint8_t)c->source };

	for (uint32_t i = 0; i < b->told_count; i++)
		if (b->told[i].quantity == t.quantity &&
		    b->told[i].index == t.index &&
		    b->told[i].source == t.source)
			return;
	if (b->told_count < COLUMNS_MAX)
		b->told[b->told_count++] = t;
}

static void column_account(struct bench *b, unsigned r,
			   const Petrel__Column *c)
{
	size_t all = petrel__column__get_packed_size(c);
	unsigned e = c->encoding < ENCODINGS ? c->encoding : ENCODINGS - 1;

	b->part[r][DATA + e] += c->data.len;
	b->part[r][QUALITY] += c->quality.len;
	b->part[r][HEADERS] += all - c->data.len - c->quality.len +
			       1 + pack_varint_len(all);
	b->cost[(uint16_t)c->quantity].octets += all;
	column_number(b, c);
}

static void known_account(struct bench *b, unsigned r,
			  const ProtobufCBinaryData *known)
{
	struct cursor c = cursor_of(known->data, known->len);
	uint64_t head = cursor_varint(&c);
	unsigned e = head & 3;

	if (head / 4 < b->told_count)
		b->cost[b->told[head / 4].quantity].octets += known->len;
	b->part[r][DATA + e] += cursor_left(&c);
	b->part[r][HEADERS] += known->len - cursor_left(&c) + 1 +
			       pack_varint_len(known->len);
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
	for (size_t i = 0; i < m->n_known; i++)
		known_account(b, r, &m->known[i]);
	b->part[r][HEADERS] += m->still.len + 2;
	b->total[r] += len + RECORD_HEADER_LEN;
	for (unsigned i = 0; i < FRAME; i++)
		known += b->part[r][i];
	b->part[r][FRAME] = b->total[r] - known;
}

static void frame_account(struct bench *b, const void *payload, size_t len)
{
	static uint8_t frame[WIRE_FRAME_MAX];
	size_t body_len = RECORD_HEADER_LEN + len, sealed_len;

	if (body_len > WIRE_BODY_MAX)
		abort();
	memcpy(frame + ENVELOPE_LEN + RECORD_HEADER_LEN, payload, len);
	if (sealed_write(&b->sealed, FRAME_DATA, frame, body_len,
			 &sealed_len) < 0)
		abort();
	b->frames++;
	b->clear_octets += ENVELOPE_LEN + body_len;
	b->sealed_octets += sealed_len;
}

static int put(void *context, enum stream stream, enum record_kind kind,
	       uint16_t flags, const void *payload, size_t len)
{
	struct bench *b = context;
	struct diag d = { "" };
	ProtobufCMessage *m;

	(void)stream;
	b->number++;
	if (decoder_batch(b->decoder, flags, payload, len, give, b, &d) < 0 ||
	    record_unpack(kind, payload, len, &m) < 0) {
		fprintf(stderr, "bench_wire: %s\n", d.text);
		abort();
	}
	if (flags & RECORD_FLAG_REFERENCE)
		b->told_count = 0;
	record_account(b, b->is_reference, (Petrel__Batch *)m, len);
	frame_account(b, payload, len);
	record_unpacked_free(m);
	return 0;
}

static uint64_t sequence(void *context, enum stream stream)
{
	(void)stream;
	return ((struct bench *)context)->number + 1;
}

static void bench_open(struct bench *b, char *scenario, bool bounded)
{
	static const struct encoder_limits limits = {
		.slots = 65536, .columns = 4096, .lists = 4096,
		.entities = 16384 };
	struct state_limits state = { .entities = 16384, .slots = 65536 };
	struct state_observer observer = { 0 };
	struct record_sink sink = { b, put, sequence };
	struct platform_env env = { .abi = PLATFORM_ABI, .size = sizeof(env),
				    .root_fd = -1, .option = option,
				    .option_context = scenario,
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
	encoder_bound_traffic(b->encoder, bounded);
	b->column = calloc(COLUMNS_MAX, sizeof(*b->column));
	if (!b->column)
		exit(1);
}

static void bench_close(struct bench *b)
{
	sim_driver.close(b->sim);
	encoder_free(b->encoder);
	decoder_free(b->decoder);
	state_free(b->state);
	free(b->column);
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

static uint64_t divisor(uint64_t a, uint64_t b)
{
	while (b > 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static void value_see(struct bench *b, struct column_bits *c, struct row *r,
		      int64_t value)
{
	int64_t slope = less(value, r->last), mean = less(value, r->mean);

	if (slope != 0 && c->unit != 1)
		c->unit = divisor(c->unit, (uint64_t)llabs(slope));
	if (r->seen++ > 1) {
		c->seen[LAST][class_of(slope)]++;
		c->seen[SLOPE][class_of(less(slope, r->slope))]++;
		c->seen[MEAN][class_of(mean)]++;
		c->values++;
		b->values++;
		b->changed += slope != 0;
		b->noisy += slope != 0 && llabs(slope - r->slope) >=
						  llabs(slope) / 100;
	}
	r->mean = r->seen > 1 ? r->mean + mean / 4 : value;
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
			if (sample_is_new(&all[i], k, tick))
				value_see(b, c, &c->row[k], all[i].value[k]);
	}
	b->columns = (uint32_t)n;
}

static void name_make(const struct bench *b, uint32_t entity, char *ret,
		      size_t cap)
{
	const struct inventory_entity *e = state_entity(b->state, entity);
	char room[ENTITY_NAME_MAX];

	if (e && e->key.name[0])
		(void)snprintf(ret, cap, "%s", e->key.name);
	else if (e)
		(void)snprintf(ret, cap, "%s/%s%u",
			       state_subject(b->state, e->key.parent, room),
			       entity_kind_name(e->key.kind), e->key.number);
}

/* What the batch holds, as others would send it. */
static void others_see(struct bench *b, const struct sample_column *c,
		       uint32_t tick, struct wall wall)
{
	char name[2 * ENTITY_NAME_MAX] = "";

	for (uint32_t k = 0; k < c->count; k++) {
		struct decoded_value v = { .entity = c->entity[k],
					   .quantity = c->quantity,
					   .index = c->index,
					   .value = c->value[k] };

		if (!sample_is_new(c, k, tick))
			continue;
		name_make(b, v.entity, name, sizeof(name));
		wire_others_add(&b->others, name, &v, wall, tick);
	}
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
	for (size_t i = 0; i < n && b->has_others && tick <= OTHER_TICKS; i++)
		others_see(b, &columns[i], tick, clock_wall_now());
}

/* A class that lies below the unit is nothing. */
static double column_entropy(const struct column_bits *c, unsigned predictor)
{
	unsigned below = c->unit ? class_of((int64_t)c->unit) - 2 : 0;
	double bits = 0, n, nothing = 0;

	for (unsigned k = 0; k < CLASSES; k++) {
		n = (double)c->seen[predictor][k];
		if (k <= below)
			nothing += n;
		else if (n > 0)
			bits += n * (log2((double)c->values / n) +
				     (double)(k - below - 1));
	}
	if (nothing > 0)
		bits += nothing * log2((double)c->values / nothing);
	return bits;
}

static double entropy_octets(const struct bench *b)
{
	double bits = 0, values = 0;

	for (uint32_t i = 0; i < b->columns; i++) {
		double least = column_entropy(&b->column[i], LAST);

		for (unsigned p = LAST + 1; p < PREDICTORS; p++)
			least = fmin(least, column_entropy(&b->column[i], p));
		bits += least;
		values += (double)b->column[i].values;
	}
	return bits / 8 / values;
}

static const char *const part_names[PARTS] = {
	[LISTS] = "lists", [GROUPS] = "read groups",
	[HEADERS] = "columns' names", [QUALITY] = "quality",
	[DATA] = "encoding 0", [DATA + 1] = "encoding 1",
	[DATA + 2] = "encoding 2", [DATA + 3] = "encoding 3",
	[FRAME] = "framing",
};

static void parts_print(const struct bench *b, double values)
{
	for (unsigned i = 0; i < PARTS; i++)
		if (b->part[0][i] + b->part[1][i] > 0)
			printf("wire: %-16s %.4f octets a value in difference "
			       "batches, %.4f in references\n",
			       part_names[i] ? part_names[i] : "others",
			       (double)b->part[0][i] / values,
			       (double)b->part[1][i] / values);
}

static int cost_order(const void *left, const void *right)
{
	const struct quantity_cost *a = left, *b = right;

	return a->octets < b->octets ? 1 : a->octets > b->octets ? -1 : 0;
}

/* The dearest ones. */
static void quantities_print(struct bench *b, double values)
{
	qsort(b->cost, UINT16_MAX + 1, sizeof(b->cost[0]), cost_order);
	for (unsigned i = 0; i < QUANTITIES_SHOWN; i++)
		printf("wire: %-30s %.4f octets a value of all; its own "
		       "values, %.1f %% of all, take %.2f bits each\n",
		       quantity_find(b->cost[i].quantity)->name,
		       (double)b->cost[i].octets / values,
		       100 * (double)b->cost[i].values / values,
		       8 * (double)b->cost[i].octets /
			       (double)b->cost[i].values);
}

/* Each record in a frame of its own, as of a sender that keeps up, in the clear
 * and sealed; and the handshake before them.
 */
static bool sealed_print(const struct bench *b)
{
	unsigned handshake = 2 * ENVELOPE_LEN + NOISE_FIRST_LEN +
			     NOISE_SECOND_LEN;
	double clear = (double)b->clear_octets;
	double factor = (double)(b->sealed_octets + handshake) / clear;

	printf("wire: sealed %.5f x unsealed (reach 1.05): %.0f octets a "
	       "frame in the clear, %.0f sealed, a handshake of %u\n", factor,
	       clear / (double)b->frames,
	       (double)b->sealed_octets / (double)b->frames, handshake);
	return factor <= 1.05;
}

static void others_print(struct bench *b)
{
	struct wire_others *o = &b->others;

	wire_others_fini(o);
	for (unsigned i = 0; i < OTHER_COUNT; i++)
		printf("wire: beside it %-28s %7.3f octets a value, of the "
		       "same %" PRIu64 " values\n",
		       wire_other_name((enum wire_other)i),
		       (double)o->octets[i] / (double)o->values, o->values);
}

/* How it is recorded. */
struct way {
	const char *words;
	bool bounded;
	int64_t span_s;		/* of medium and slow quantities */
};

static bool run(char *scenario, const struct way *way)
{
	static struct bench b;	/* much room */
	struct mono now = clock_mono_now();
	struct encoder_count c;
	double values;

	b = (struct bench){ .has_others = way->bounded };
	bench_open(&b, scenario, way->bounded);
	encoder_pace(b.encoder, CLASS_MEDIUM, way->span_s * NS_PER_S);
	encoder_pace(b.encoder, CLASS_SLOW, way->span_s * NS_PER_S);
	if (wire_others_init(&b.others) < 0)
		abort();
	for (unsigned i = 0; i < TICKS; i++, now.ns += NS_PER_S) {
		b.is_reference = i % REFERENCE_EVERY == 0;
		tick_run(&b, now);
	}
	encoder_count(b.encoder, &c);
	values = (double)c.values;
	printf("wire: %s: %.0f values a tick; of all read %.1f %% change, "
	       "%.1f %% by at least 1 %% of noise; %.0f octets a tick\n",
	       way->words,
	       values / TICKS, 100 * (double)b.changed / (double)b.values,
	       100 * (double)b.noisy / (double)b.values,
	       (double)c.octets / TICKS);
	printf("wire: %.3f octets a value (reach 0.6 with traffic within a "
	       "bound); each series by itself asks for %.3f, exact\n",
	       (double)c.octets / values, entropy_octets(&b));
	parts_print(&b, values);
	quantities_print(&b, values);
	if (way->bounded)
		others_print(&b);
	else
		wire_others_fini(&b.others);
	bench_close(&b);
	return sealed_print(&b) && b.given == c.values;
}

int main(int argc, char **argv)
{
	static char busy[] = "tests/data/scenarios/busy.scenario";
	char *scenario = argc > 1 ? argv[1] : busy;

	static const struct way ways[] = {
		{ "exact", false, 0 },
		{ "traffic within 1/1024", true, 0 },
		{ "exact, medium and slow each 10 s", false, 10 },
		{ "exact, medium and slow each minute", false, 60 },
	};
	bool is_good = true;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		is_good &= run(scenario, &ways[i]);
	return is_good ? 0 : 1;
}
