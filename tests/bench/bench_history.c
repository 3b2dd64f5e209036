/* What a look back over 15 minutes of one quantity costs: all records of the
 * busy scenario, read for that quantity alone, beside reading all of them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/record/decode.h"
#include "agent/record/encode.h"
#include "agent/state/state.h"
#include "petrel/quantity.h"
#include "platform/sim/sim.h"

#define TICKS 900u
#define ROUNDS 5u

struct kept {
	uint16_t flags;
	size_t len;
	uint8_t *payload;
};

struct bench {
	struct state *state;
	struct platform_host host;
	void *sim;
	struct encoder *encoder;
	struct kept *kept;
	size_t count;
	uint64_t octets, values;
};

static const char *option(void *context, const char *key)
{
	return strcmp(key, "scenario") == 0 ? context : NULL;
}

static int put(void *context, enum stream stream, enum record_kind kind,
	       uint16_t flags, const void *payload, size_t len)
{
	struct bench *b = context;
	struct kept *k;

	(void)stream;
	(void)kind;
	b->kept = realloc(b->kept, (b->count + 1) * sizeof(*b->kept));
	k = &b->kept[b->count++];
	*k = (struct kept){ flags, len, malloc(len) };
	memcpy(k->payload, payload, len);
	b->octets += len + RECORD_HEADER_LEN;
	return 0;
}

static void bench_open(struct bench *b, char *scenario)
{
	static const struct encoder_limits limits = {
		.slots = 65536, .columns = 4096, .lists = 4096,
		.entities = 16384 };
	struct state_limits state = { .entities = 16384, .slots = 65536 };
	struct state_observer observer = { 0 };
	struct record_sink sink = { .context = b, .put = put };
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
	    encoder_new(&limits, &sink, &b->encoder) < 0) {
		fprintf(stderr, "bench_history: %s\n", d.text);
		exit(1);
	}
	encoder_bound_traffic(b->encoder, true);
}

static void tick_run(struct bench *b, struct mono now, uint32_t tick)
{
	const struct sample_column *columns;
	const struct group_column *groups;
	struct diag d;
	size_t n, n_groups;

	state_tick(b->state, now);
	for (unsigned i = 0; sim_driver.sources[i]; i++) {
		const struct platform_source *s = sim_driver.sources[i];

		if (!s->blocks && s->read && s->period_ms > 0 &&
		    tick * 1000 % s->period_ms == 0)
			while (s->read(b->sim, now, &d) == -ENODATA)
				;
	}
	n = state_columns(b->state, &columns);
	n_groups = state_groups(b->state, &groups);
	if (encoder_batch(b->encoder, now, state_tick_number(b->state), 1,
			  columns, n, groups, n_groups) < 0)
		abort();
}

static int give(void *context, const struct decoded_column *c)
{
	struct bench *b = context;

	b->values += c->count;
	return 0;
}

static void records_read(struct bench *b, struct decoder *d)
{
	b->values = 0;
	for (size_t i = 0; i < b->count; i++)
		if (decoder_batch(d, b->kept[i].flags, b->kept[i].payload,
				  b->kept[i].len, give, b, NULL) < 0)
			abort();
}

/* 0: of all. Returns the least time of some. */
static double ms_of(struct bench *b, uint16_t quantity, unsigned *ret_times)
{
	double least = 1e9;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct mono begin = clock_mono_now();
		struct decoder *d;
		double ms;

		if (decoder_new(&d) < 0)
			exit(1);
		if (quantity)
			decoder_want(d, quantity);
		*ret_times = 0;
		do {
			records_read(b, d);
			++*ret_times;
		} while (decoder_wants_more(d));
		decoder_free(d);
		ms = (double)mono_diff_ns(clock_mono_now(), begin) / 1e6;
		if (ms < least)
			least = ms;
	}
	return least;
}

int main(int argc, char **argv)
{
	static char busy[] = "tests/data/scenarios/busy.scenario";
	static const uint16_t asked[] = {
		0, Q_IF_IN_OCTETS, Q_FEC_CORRECTED_CODEWORDS,
		Q_LANE_RX_POWER_PW, Q_QUEUE_WATERMARK_OCTETS,
	};
	struct bench b = { .count = 0 };
	struct mono now = clock_mono_now();

	bench_open(&b, argc > 1 ? argv[1] : busy);
	for (uint32_t t = 0; t < TICKS; t++, now.ns += NS_PER_S)
		tick_run(&b, now, t);
	printf("history: 15 minutes are %zu records, %.1f MB\n", b.count,
	       (double)b.octets / 1e6);
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		const struct quantity_info *q = quantity_find(asked[i]);
		unsigned times;
		double ms = ms_of(&b, asked[i], &times);

		printf("history: %-24s %7.2f ms, %ju values, read %u times\n",
		       q ? q->name : "all", ms, (uintmax_t)b.values, times);
	}
	return 0;
}
