/* What a value costs in the core, from the driver's call to its place in the
 * ring: state, detectors, encoding, appending. And how many allocations a
 * round makes once everything is known: none.
 *
 * The load is that of the busy scenario: 64 ports of 8 lanes, about 20,000
 * values a round, a quarter of which change by at least 1 % of noise.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "agent/process/control.h"
#include "agent/process/detect.h"
#include "agent/process/journal.h"

#define PORTS 64
#define LANES 8
#define QUEUES 12
#define COUNTERS 96		/* further ones of a port, mostly still */
#define MOVING 28		/* of them, by 100,000 with 2 % of noise */
#define ROUNDS 1000
#define WARM_UP 130		/* over two reference batches */

/* glibc's own, so that the replacements below can count. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static atomic_ulong allocations;

void *malloc(size_t n)
{
	atomic_fetch_add(&allocations, 1);
	return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	atomic_fetch_add(&allocations, 1);
	return __libc_realloc(p, n);
}

struct bench {
	struct state *state;
	struct engine *engine;
	struct series *series;
	struct journal *journal;
	struct detect *detect;
	struct ring_set rings;
	struct platform_host host, self;
	uint32_t port[PORTS], module[PORTS], lane[PORTS][LANES];
	uint32_t queue[PORTS][QUEUES];
	uint64_t random, values;
	int64_t counter[PORTS][32], size[PORTS][COUNTERS];
};

static const struct platform_source counters = { .name = "counters",
						 .period_ms = 1000 };
static const struct platform_source *const sources[] = { &counters, NULL };
static const struct platform_driver driver = { .name = "bench",
					       .sources = sources };
static const struct platform_driver self = { .name = "petrel",
					     .sources = sources };

static int64_t cpu_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static uint32_t draw(struct bench *b)
{
	b->random = b->random * UINT64_C(6364136223846793005) +
		    1442695040888963407;
	return (uint32_t)(b->random >> 33);
}

static void emit_nothing(void *context, const struct finding *f)
{
	(void)context;
	(void)f;
}

static size_t findings_none(void *context, const struct finding **ret)
{
	(void)context;
	*ret = NULL;
	return 0;
}

static uint32_t entity(struct bench *b, enum entity_kind kind, uint32_t parent,
		       const char *name, unsigned number)
{
	struct entity_key key = { .kind = kind, .parent = parent,
				  .number = number };
	uint32_t id = 0;

	(void)snprintf(key.name, sizeof(key.name), "%s", name);
	if (b->host.entity(b->host.context, &key, &id) < 0)
		abort();
	return id;
}

static void port_make(struct bench *b, unsigned n)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "Ethernet%u", n * 8);
	b->port[n] = entity(b, ENTITY_PORT, ENTITY_NONE, text, 0);
	b->module[n] = entity(b, ENTITY_MODULE, ENTITY_NONE, "", n);
	(void)snprintf(text, sizeof(text), "%u", n);
	b->host.attribute(b->host.context, b->port[n], ATTRIBUTE_MODULE, text);
	b->host.attribute(b->host.context, b->port[n], ATTRIBUTE_LANE_COUNT,
			  "8");
	b->host.attribute(b->host.context, b->port[n], ATTRIBUTE_MEDIA, "DR8");
	b->host.attribute(b->host.context, b->port[n], ATTRIBUTE_FEC, "rs544");
	for (unsigned i = 0; i < LANES; i++)
		b->lane[n][i] = entity(b, ENTITY_LANE, b->module[n], "", i + 1);
	for (unsigned i = 0; i < QUEUES; i++)
		b->queue[n][i] = entity(b, ENTITY_QUEUE, b->port[n], "", i);
}

static void give(struct bench *b, enum quantity q, unsigned index, int64_t v)
{
	b->host.sample(b->host.context, q, index, v, QUALITY_GOOD);
	b->values++;
}

/* Octets, frames, corrected bits and low bins move; the rest stands still. */
static void port_counters(struct bench *b, unsigned n)
{
	static const enum quantity moving[] = {
		Q_IF_IN_OCTETS, Q_IF_OUT_OCTETS, Q_IF_IN_UCAST_FRAMES,
		Q_IF_OUT_UCAST_FRAMES, Q_FEC_CORRECTED_BITS,
		Q_FEC_CORRECTED_CODEWORDS, Q_FEC_SYMBOL_ERRORS,
	};

	for (unsigned i = 0; i < sizeof(moving) / sizeof(moving[0]); i++) {
		b->counter[n][i] += 20000000 + draw(b) % 400000;
		give(b, moving[i], 0, b->counter[n][i]);
	}
	for (unsigned i = 0; i < 17; i++) {
		b->counter[n][i + 10] += i < 5 ? draw(b) % 5000 >> i : 0;
		give(b, Q_FEC_CODEWORD_ERRORS, i, b->counter[n][i + 10]);
	}
	give(b, Q_OPER_STATUS, 0, OPER_UP);
	give(b, Q_SPEED_MBPS, 0, 800000);
	for (unsigned i = 0; i < COUNTERS; i++) {
		if (i < MOVING)
			b->size[n][i] += 100000 + draw(b) % 2000;
		give(b, Q_ETHER_IN_SIZE_FRAMES, i, b->size[n][i]);
	}
}

static void round_give(struct bench *b, int64_t t)
{
	struct read_group age = { .taken = { t } };

	for (unsigned n = 0; n < PORTS; n++) {
		b->host.group(b->host.context, 0, b->port[n], &age);
		port_counters(b, n);
		for (unsigned i = 0; i < QUEUES; i++) {
			b->host.group(b->host.context, 0, b->queue[n][i], &age);
			for (unsigned q = 0; q < 7; q++)
				give(b, Q_QUEUE_FRAMES + q, 0,
				     q < 2 && i < 6 ?
				     t / 1000 + draw(b) % 1000 : 4);
		}
		b->host.group(b->host.context, 0, b->module[n], &age);
		give(b, Q_MODULE_TEMP_MC, 0, 45000 + draw(b) % 100);
		give(b, Q_MODULE_VCC_UV, 0, 3300000);
		for (unsigned i = 0; i < LANES; i++) {
			b->host.group(b->host.context, 0, b->lane[n][i], &age);
			give(b, Q_LANE_RX_POWER_PW, 0,
			     700000000 + draw(b) % 9000000);
			give(b, Q_LANE_TX_POWER_PW, 0,
			     900000000 + draw(b) % 9000000);
			give(b, Q_LANE_TX_BIAS_UA, 0, 60000 + draw(b) % 600);
			for (unsigned q = 0; q < 8; q++)
				give(b, Q_LANE_RX_LOS, q, 0);
		}
	}
}

static void bench_make(struct bench *b, int dir_fd)
{
	struct state_limits limits = { .entities = 16384, .slots = 65536 };
	struct state_observer observer = { 0 };
	size_t bytes[STREAM_COUNT] = { 1u << 19, 2u << 20, 12u << 20 };
	struct diag d = { "" };
	unsigned first;
	static const struct control_identity identity = { .id = "bench" };
	struct journal_env journal = { .identity = &identity, .slots = 65536,
				       .entities = 16384,
				       .findings = findings_none };
	struct detect_env detect;

	if (ring_set_open(dir_fd, bytes, 4711, &b->rings, &d) < 0 ||
	    state_new(&limits, &observer, &b->state) < 0 ||
	    state_driver_add(b->state, &driver, &first, &b->host) < 0 ||
	    state_driver_add(b->state, &self, &first, &b->self) < 0 ||
	    engine_new(PORTS, "bench", emit_nothing, NULL, &b->engine) < 0 ||
	    series_new(PORTS, 900, &b->series) < 0) {
		fprintf(stderr, "bench_core: %s\n", d.text);
		exit(1);
	}
	journal.rings = &b->rings;
	journal.state = b->state;
	journal.event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	detect = (struct detect_env){ .state = b->state, .engine = b->engine,
				      .series = b->series, .host = &b->self };
	if (journal_new(&journal, &b->journal) < 0 ||
	    detect_new(&detect, &b->detect) < 0)
		exit(1);
	for (unsigned n = 0; n < PORTS; n++)
		port_make(b, n);
}

/* One tick, and what each stage of it took. */
static void round_run(struct bench *b, int64_t t, int64_t spent[3])
{
	int64_t at[4];

	state_tick(b->state, (struct mono){ t });
	at[0] = cpu_ns();
	round_give(b, t);
	at[1] = cpu_ns();
	detect_tick(b->detect, (struct mono){ t },
		    (struct wall){ INT64_C(1760000000000000000) + t });
	at[2] = cpu_ns();
	journal_tick(b->journal, (struct mono){ t });
	at[3] = cpu_ns();
	for (unsigned i = 0; i < 3; i++)
		spent[i] += at[i + 1] - at[i];
}

/* What the load itself costs: the same draws into a host that does nothing. */
static void sample_nothing(void *context, enum quantity quantity,
			   unsigned index, int64_t value,
			   enum sample_quality quality)
{
	(void)context;
	(void)quantity;
	(void)index;
	(void)value;
	(void)quality;
}

static void group_nothing(void *context, unsigned source, uint32_t handle,
			  const struct read_group *age)
{
	(void)context;
	(void)source;
	(void)handle;
	(void)age;
}

static int64_t load_cost(struct bench *b, int64_t t)
{
	struct platform_host was = b->host;
	int64_t begin;

	b->host.sample = sample_nothing;
	b->host.group = group_nothing;
	begin = cpu_ns();
	for (unsigned i = 0; i < 100; i++)
		round_give(b, t);
	begin = cpu_ns() - begin;
	b->host = was;
	return begin / 100;
}

static void paths_remove(const char *path)
{
	static const char *const names[] = { "findings.ring", "states.ring",
					     "samples.ring" };
	char name[64];

	for (size_t i = 0; i < STREAM_COUNT; i++) {
		(void)snprintf(name, sizeof(name), "%s/%s", path, names[i]);
		(void)unlink(name);
	}
	(void)rmdir(path);
}

int main(void)
{
	char path[] = "/tmp/petrel-bench.XXXXXX";
	struct bench *b = __libc_calloc(1, sizeof(*b));
	int64_t spent[3] = { 0 }, t = NS_PER_S, load;
	struct encoder_count before, after;
	unsigned long allocated;
	uint64_t values;
	double per_value = 0;
	static const char *const stages[] = { "state", "detectors",
					      "record and ring" };

	if (!b || !mkdtemp(path))
		return 1;
	b->random = 1;
	bench_make(b, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	for (unsigned i = 0; i < WARM_UP; i++, t += NS_PER_S)
		round_run(b, t, spent);
	memset(spent, 0, sizeof(spent));
	encoder_count(journal_encoder(b->journal), &before);
	values = b->values;
	allocated = atomic_load(&allocations);
	for (unsigned i = 0; i < ROUNDS; i++, t += NS_PER_S)
		round_run(b, t, spent);
	allocated = atomic_load(&allocations) - allocated;
	values = (b->values - values) / ROUNDS;
	encoder_count(journal_encoder(b->journal), &after);
	load = load_cost(b, t);
	spent[0] -= load * ROUNDS;
	for (unsigned i = 0; i < 3; i++) {
		double ns = (double)spent[i] / ROUNDS / (double)values;

		printf("%-16s %6.1f ns a value\n", stages[i], ns);
		per_value += ns;
	}
	printf("%-16s %6.1f ns a value (reach <= 150), %llu values a round\n",
	       "reply to ring", per_value, (unsigned long long)values);
	printf("%-16s %6.3f octets a value, %.0f %% of the values changed\n",
	       "record", (double)(after.octets - before.octets) /
	       (double)(after.values - before.values),
	       100.0 * (double)(after.changed - before.changed) /
	       (double)(after.values - before.values));
	printf("%-16s %lu in %d rounds (reach 0)\n", "allocations", allocated,
	       ROUNDS);
	ring_set_close(&b->rings);
	paths_remove(path);
	return allocated == 0 ? 0 : 1;
}
