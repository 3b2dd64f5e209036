/* What replay from own batches costs: the records that the core wrote, decoded
 * and given to the detectors.
 *
 * usage: bench_replay [--quick]
 *
 * 64 healthy ports, 1 s apart: counters, all bins of the histogram, eight
 * queues and priorities, DOM each 60 s. They go through the state and the
 * encoder into batches, 1e7 different port-samples; these are played ten times,
 * each time into new detectors. All times are of the processor; decoding is
 * timed in a pass of its own, and the detectors are what remains. --quick: a
 * tenth of the port-samples, twice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/record/decode.h"
#include "agent/record/encode.h"
#include "agent/signature/engine.h"
#include "agent/state/state.h"
#include "tests/support/port_noise.h"

#define PORTS 64u
#define LANES 4u
#define QUEUES 8u
#define ABREAST 8u		/* ports whose readings are in the cache */
#define ALL_ABREAST UINT64_C(0xff)
#define VALID_WORDS ((INPUT_COUNT + 63) / 64)
#define TICKS 156250u		/* of 64 port-samples: 1e7 */
#define PASSES 10u
#define QUICK_TICKS 15625u
#define QUICK_PASSES 2u
#define SOURCE_PORTS 0u
#define SOURCE_MODULES 1u
#define ENTITIES_MAX 4096u
#define TARGET_NS 400
#define WALL_NS INT64_C(1760000000000000000)

struct stored {
	size_t at, len;		/* in the octets */
	uint16_t flags;
};

struct store {
	uint8_t *octets;
	size_t used, cap;
	struct stored *record;
	size_t count, record_cap;
};

/* Where a value of a port comes from, and goes to. */
struct wire_input {
	uint32_t entity;
	uint16_t quantity, index, input;
};

/* Whose an entity is. */
struct place {
	uint16_t port;
	uint8_t number;		/* lane, queue or priority, from 0 */
};

/* Inputs of all ports, as a batch has them: what was read last. */
struct columns {
	uint64_t has[INPUT_COUNT], is_new[INPUT_COUNT];	/* a bit a port */
	int64_t taken_ns[INPUT_COUNT];	/* here all ports are read at once */
	int64_t value[INPUT_COUNT][PORTS];
};

struct bench {
	struct state *state;
	struct platform_host host;
	struct encoder *encoder;
	struct store store;
	uint32_t layout;
	uint64_t written;		/* values */
	struct port_noise noise[PORTS];
	struct inputs made[PORTS];
	struct wire_input plan[PORTS][INPUT_COUNT];
	unsigned plan_count[PORTS];
	struct place place[ENTITIES_MAX];
	uint16_t input[UINT16_MAX + 1];	/* plus 1, of the first index */
	/* Of a pass. */
	struct engine *engine;		/* NULL: decoded only */
	struct mono batch;		/* the one that is open; ns 0: none */
	struct mono counted, looked;	/* counters and modules, in it */
	struct columns columns;
	struct inputs read[ABREAST];
	uint32_t number[PORTS];
	uint64_t values;
	unsigned findings;
};

static const struct platform_source ports_source = { .name = "ports",
						     .period_ms = 1000 };
static const struct platform_source modules_source = { .name = "modules",
						       .period_ms = 60000 };
static const struct platform_source *const sources[] = { &ports_source,
							 &modules_source,
							 NULL };
static const struct platform_driver driver = { .name = "bench",
					       .sources = sources };

static void need(bool is_so, const char *what)
{
	if (is_so)
		return;
	(void)fprintf(stderr, "bench_replay: %s\n", what);
	exit(1);
}

static int64_t cpu_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* --- writing ------------------------------------------------------------- */

static int record_put(void *context, enum stream stream, enum record_kind kind,
		      uint16_t flags, const void *payload, size_t len)
{
	struct store *s = context;

	(void)stream;
	(void)kind;
	if (s->used + len > s->cap) {
		s->cap = 2 * s->cap + len;
		s->octets = realloc(s->octets, s->cap);
	}
	if (s->count == s->record_cap) {
		s->record_cap = 2 * s->record_cap + 1;
		s->record = reallocarray(s->record, s->record_cap,
					 sizeof(*s->record));
	}
	need(s->octets && s->record, "out of memory");
	memcpy(s->octets + s->used, payload, len);
	s->record[s->count++] = (struct stored){ s->used, len, flags };
	s->used += len;
	return 0;
}

static uint64_t record_sequence(void *context, enum stream stream)
{
	(void)stream;
	return ((struct store *)context)->count + 1;
}

static uint32_t entity(struct bench *b, enum entity_kind kind, uint32_t parent,
		       unsigned number, unsigned port, unsigned which)
{
	struct entity_key key = { .kind = kind, .parent = parent,
				  .number = number };
	uint32_t id = 0;

	if (kind == ENTITY_PORT)
		(void)snprintf(key.name, sizeof(key.name), "Ethernet%u",
			       8 * port);
	need(b->host.entity(b->host.context, &key, &id) == 0 &&
	     id < ENTITIES_MAX, "an entity was refused");
	b->place[id] = (struct place){ (uint16_t)port, (uint8_t)which };
	return id;
}

/* The inputs of one entity; each row's first one has the row's own index. */
static void plan_add(struct bench *b, unsigned port, uint32_t id,
		     enum input_owner owner, unsigned which)
{
	bool is_many = owner != OWNER_PORT && owner != OWNER_MODULE;
	const struct input_row *rows;
	size_t count;

	rows = input_rows(&count);
	for (size_t i = 0; i < count; i++) {
		unsigned n = is_many ? which : 0;
		unsigned end = is_many ? which + 1 : rows[i].count;

		if (!rows[i].quantity || !rows[i].key || rows[i].owner != owner)
			continue;
		b->input[rows[i].quantity] =
			(uint16_t)(rows[i].first - rows[i].index + 1);
		for (; n < end && n < rows[i].count; n++)
			b->plan[port][b->plan_count[port]++] =
				(struct wire_input){
					id, rows[i].quantity,
					(uint16_t)(rows[i].index +
						   (is_many ? 0 : n)),
					(uint16_t)(rows[i].first + n) };
	}
}

static void port_make(struct bench *b, unsigned n)
{
	uint32_t port = entity(b, ENTITY_PORT, ENTITY_NONE, 0, n, 0);
	uint32_t module = entity(b, ENTITY_MODULE, ENTITY_NONE, n, n, 0);

	plan_add(b, n, port, OWNER_PORT, 0);
	for (unsigned i = 0; i < QUEUES; i++) {
		plan_add(b, n, entity(b, ENTITY_QUEUE, port, i, n, i),
			 OWNER_QUEUE, i);
		plan_add(b, n, entity(b, ENTITY_PRIORITY, port, i, n, i),
			 OWNER_PRIORITY, i);
	}
	plan_add(b, n, module, OWNER_MODULE, 0);
	for (unsigned i = 0; i < LANES; i++)
		plan_add(b, n, entity(b, ENTITY_LANE, module, i + 1, n, i),
			 OWNER_LANE, i);
	port_noise_init(&b->noise[n], n + 1, 1, 60, 0);
	b->noise[n].phase = 0;	/* the day warms all ports at once */
}

static bool is_of_module(unsigned input)
{
	return input >= INPUT_TEMP_MC && input <= INPUT_RX_PW_LAST;
}

/* What was read of a port, each entity's together. */
static void port_give(struct bench *b, unsigned n)
{
	const struct inputs *k = &b->made[n];
	uint32_t open = ENTITY_NONE;

	for (unsigned i = 0; i < b->plan_count[n]; i++) {
		const struct wire_input *w = &b->plan[n][i];
		bool module = is_of_module(w->input);
		struct read_group age = { .taken = module ? k->dom_t : k->t };

		if (!inputs_has(k, w->input) || (module && !k->dom_new))
			continue;
		if (w->entity != open)
			b->host.group(b->host.context, module ? SOURCE_MODULES :
				      SOURCE_PORTS, w->entity, &age);
		open = w->entity;
		b->host.sample(b->host.context, (enum quantity)w->quantity,
			       w->index, k->value[w->input], QUALITY_GOOD);
		b->written++;
	}
}

static void batch_write(struct bench *b)
{
	const struct sample_column *columns;
	const struct group_column *groups;
	size_t column_count, group_count;
	struct mono now = b->made[0].t;

	column_count = state_columns(b->state, &columns);
	group_count = state_groups(b->state, &groups);
	if (b->layout != state_layout(b->state))
		encoder_want_reference(b->encoder);
	b->layout = state_layout(b->state);
	need(encoder_batch(b->encoder, now, state_tick_number(b->state), 1,
			   columns, column_count, groups, group_count) == 0,
	     "a batch was refused");
}

static void batches_write(struct bench *b, unsigned ticks)
{
	for (unsigned t = 1; t <= ticks; t++) {
		for (unsigned n = 0; n < PORTS; n++)
			port_noise_step(&b->noise[n], t, &b->made[n]);
		state_tick(b->state, b->made[0].t);
		for (unsigned n = 0; n < PORTS; n++)
			port_give(b, n);
		batch_write(b);
	}
}

/* --- reading ------------------------------------------------------------- */

/* An input of ABREAST ports, from one on. Of a module it is shown again. True:
 * it is shown of all of them, and the caller says so.
 */
static bool input_read(const struct columns *c, unsigned i, unsigned first,
		       struct inputs *k)
{
	uint64_t shown = (is_of_module(i) ? c->has[i] : c->is_new[i]) >> first;
	bool all = (shown & ALL_ABREAST) == ALL_ABREAST;

	for (unsigned n = 0; n < ABREAST; n++) {
		if (!all && !(shown >> n & 1))
			continue;
		if (!all)
			inputs_set(&k[n], i, 0);
		k[n].value[i] = c->value[i][first + n];
		k[n].taken_ns[i] = c->taken_ns[i];
	}
	return all;
}

/* What is new of the ports' counters, or of their modules: a bit a port. */
static uint64_t news_of(const struct columns *c, bool module,
			struct mono *taken)
{
	uint64_t news = 0;

	for (unsigned i = 0; i < INPUT_COUNT; i++) {
		if (!c->is_new[i] || is_of_module(i) != module)
			continue;
		news |= c->is_new[i];
		taken->ns = c->taken_ns[i];
	}
	return news;
}

static void ports_judge(struct bench *b, unsigned first, uint64_t counters,
			uint64_t modules)
{
	struct wall wall = { WALL_NS + b->batch.ns };
	struct inputs *k = b->read;
	uint64_t valid[VALID_WORDS] = { 0 };	/* of all of them */

	for (unsigned n = 0; n < ABREAST; n++) {
		memset(k[n].valid, 0, sizeof(k[n].valid));
		k[n].counters_new = counters >> (first + n) & 1;
		k[n].dom_new = modules >> (first + n) & 1;
		k[n].t = b->counted;
		k[n].dom_t = b->looked;
	}
	for (unsigned i = 0; i < INPUT_COUNT; i++)
		if (b->columns.has[i] && input_read(&b->columns, i, first, k))
			valid[i / 64] |= UINT64_C(1) << (i % 64);
	for (unsigned n = 0; n < ABREAST; n++)
		for (unsigned i = 0; i < VALID_WORDS; i++)
			k[n].valid[i] |= valid[i];
	for (unsigned n = 0; b->engine && n < ABREAST; n++)
		engine_reading(b->engine, b->number[first + n], &k[n], wall);
}

/* A batch is a tick: its ports' readings, then what compares them. */
static void batch_judge(struct bench *b)
{
	struct wall wall = { WALL_NS + b->batch.ns };
	uint64_t counters, modules;

	if (b->batch.ns == 0)
		return;
	b->counted = b->batch;
	counters = news_of(&b->columns, false, &b->counted);
	modules = news_of(&b->columns, true, &b->looked);
	for (unsigned i = 0; i < INPUT_COUNT; i++)
		b->columns.has[i] |= b->columns.is_new[i];
	for (unsigned n = 0; n < PORTS; n += ABREAST)
		ports_judge(b, n, counters, modules);
	if (b->engine)
		engine_tick(b->engine, b->batch, wall);
	memset(b->columns.is_new, 0, sizeof(b->columns.is_new));
}

/* Values to their inputs and ports. */
static int column_take(void *context, const struct decoded_column *from)
{
	struct bench *b = context;
	struct columns *c = &b->columns;
	unsigned first = b->input[from->quantity] - 1u + from->index;

	if (from->batch.ns != b->batch.ns) {
		batch_judge(b);
		b->batch = from->batch;
	}
	for (uint32_t row = 0; row < from->count; row++) {
		struct place p = b->place[from->entity[row]];
		unsigned i = first + p.number;

		c->is_new[i] |= UINT64_C(1) << p.port;
		c->taken_ns[i] = from->taken_ns[row];
		c->value[i][p.port] = from->value[row];
	}
	b->values += from->count;
	return 0;
}

static void on_finding(void *context, const struct finding *f)
{
	(void)f;
	++*(unsigned *)context;
}

static void engine_make(struct bench *b)
{
	struct port_facts facts;

	need(engine_new(PORTS, "bench", on_finding, &b->findings,
			&b->engine) == 0, "out of memory");
	for (unsigned n = 0; n < PORTS; n++) {
		port_noise_facts(n, &facts);
		need(engine_port(b->engine, &facts, &b->number[n]) == 0,
		     "a port was refused");
	}
}

/* All batches once. Returns what it took. */
static int64_t pass(struct bench *b, bool judged)
{
	struct decoder *d;
	struct diag diag = { "" };
	int64_t begin;

	memset(&b->columns, 0, sizeof(b->columns));
	b->values = 0;
	b->batch.ns = 0;
	if (judged)
		engine_make(b);
	need(decoder_new(&d) == 0, "out of memory");
	begin = cpu_ns();
	for (size_t i = 0; i < b->store.count; i++) {
		const struct stored *r = &b->store.record[i];

		need(decoder_batch(d, r->flags, b->store.octets + r->at, r->len,
				   column_take, b, &diag) == 0, diag.text);
	}
	batch_judge(b);
	begin = cpu_ns() - begin;
	decoder_free(d);
	engine_free(b->engine);
	b->engine = NULL;
	return begin;
}

static void bench_make(struct bench *b)
{
	static const struct state_limits limits = { .entities = ENTITIES_MAX,
						    .slots = 65536 };
	static const struct encoder_limits room = {
		.slots = 65536, .columns = 1024, .lists = 1024,
		.entities = ENTITIES_MAX };
	static const struct state_observer observer = { 0 };
	struct record_sink sink = { &b->store, record_put, record_sequence };
	unsigned first;

	need(state_new(&limits, &observer, &b->state) == 0 &&
	     state_driver_add(b->state, &driver, &first, &b->host) == 0 &&
	     encoder_new(&room, &sink, &b->encoder) == 0, "out of memory");
	for (unsigned n = 0; n < PORTS; n++)
		port_make(b, n);
}

static void bench_free(struct bench *b)
{
	encoder_free(b->encoder);
	state_free(b->state);
	free(b->store.octets);
	free(b->store.record);
	free(b);
}

int main(int argc, char **argv)
{
	bool quick = argc == 2 && strcmp(argv[1], "--quick") == 0;
	unsigned ticks = quick ? QUICK_TICKS : TICKS;
	unsigned passes = quick ? QUICK_PASSES : PASSES;
	struct bench *b = calloc(1, sizeof(*b));
	double distinct = (double)ticks * PORTS, decode_ns, all_ns = 0;

	need(b != NULL && (quick || argc == 1), "usage: bench_replay "
						"[--quick]");
	bench_make(b);
	batches_write(b, ticks);
	printf("replay: %.0e different port-samples of %.1f values, %.1f "
	       "octets each\n", distinct, (double)b->written / distinct,
	       (double)b->store.used / distinct);
	decode_ns = (double)pass(b, false) / distinct;
	need(b->values == b->written, "values are missing");
	for (unsigned i = 0; i < passes; i++)
		all_ns += (double)pass(b, true) / distinct / passes;
	printf("replay: over %.0e, ns a port-sample: decoding %.0f, detectors "
	       "%.0f, together %.0f (target %d); changes of findings a pass "
	       "%u\n",
	       distinct * passes, decode_ns, all_ns - decode_ns, all_ns,
	       TARGET_NS, b->findings / passes);
	bench_free(b);
	return all_ns > 0 ? 0 : 1;
}
