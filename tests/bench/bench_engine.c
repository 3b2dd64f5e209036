/* What a reading of a port costs in the detectors: the 1 Hz path.
 *
 * 64 healthy ports with counters, all bins of the histogram, eight queues and
 * priorities, and DOM each 60 s. The mean has the ends of all windows in it
 * and is of processor time; p99 is of single readings. The clocks' own cost is
 * taken off. Only engine_reading() and engine_tick() are timed.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "agent/signature/engine.h"
#include "tests/support/port_noise.h"

#define PORTS 64
#define TICKS 20000
#define TARGET_NS 60
#define TARGET_P99_NS 1000
#define SINGLES 200000
#define CLOCK_LOOKS 1001

static void on_finding(void *context, const struct finding *f)
{
	(void)f;
	++*(unsigned *)context;
}

static int64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	(void)clock_gettime(clock, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* What it costs to look at a clock, in the middle. */
static double clock_cost(clockid_t clock)
{
	static double ns[CLOCK_LOOKS];

	for (unsigned i = 0; i < CLOCK_LOOKS; i++) {
		int64_t begin = now_ns(clock);

		ns[i] = (double)(now_ns(clock) - begin);
	}
	qsort(ns, CLOCK_LOOKS, sizeof(ns[0]), compare);
	return ns[CLOCK_LOOKS / 2];
}

/* Allocated on the heap at this moment. */
static size_t heap_octets(void)
{
	return mallinfo2().uordblks;
}

/* Single readings, each timed, of the ticks that follow. */
static double single_p99(struct engine *e, struct port_noise *noise,
			 struct inputs *k, int tick)
{
	static double ns[SINGLES];

	for (unsigned n = 0; n < SINGLES; n++) {
		unsigned i = n % PORTS;
		struct wall wall = { (tick + (int)(n / PORTS)) * NS_PER_S };
		int64_t begin;

		port_noise_step(&noise[i], tick + n / PORTS, &k[i]);
		begin = now_ns(CLOCK_MONOTONIC);
		engine_reading(e, i, &k[i], wall);
		ns[n] = (double)(now_ns(CLOCK_MONOTONIC) - begin);
		if (i == PORTS - 1)
			engine_tick(e, k[0].t, wall);
	}
	qsort(ns, SINGLES, sizeof(ns[0]), compare);
	return ns[SINGLES * 99 / 100] - clock_cost(CLOCK_MONOTONIC);
}

static void tick_time(struct engine *e, struct port_noise *noise,
		      struct inputs *k, int tick, double *ret)
{
	struct wall wall = { tick * NS_PER_S };
	int64_t begin;

	for (unsigned i = 0; i < PORTS; i++)
		port_noise_step(&noise[i], tick, &k[i]);
	begin = now_ns(CLOCK_THREAD_CPUTIME_ID);
	for (unsigned i = 0; i < PORTS; i++)
		engine_reading(e, i, &k[i], wall);
	engine_tick(e, k[0].t, wall);
	*ret = (double)(now_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / PORTS;
}

int main(void)
{
	static double ns[TICKS];
	static struct port_noise noise[PORTS];
	static struct inputs k[PORTS];
	struct port_facts facts;
	struct engine *e;
	unsigned findings = 0;
	double sum = 0, clock;
	uint32_t port;
	size_t before, with_ports, after, at_end;

	before = heap_octets();
	if (engine_new(PORTS, "bench", on_finding, &findings, &e) < 0)
		return 1;
	after = heap_octets();
	for (unsigned i = 0; i < PORTS; i++) {
		port_noise_init(&noise[i], i + 1, 1, 60, 0);
		port_noise_facts(i, &facts);
		if (engine_port(e, &facts, &port) < 0)
			return 1;
	}
	with_ports = heap_octets();
	for (int t = 0; t < TICKS; t++)
		tick_time(e, noise, k, t + 1, &ns[t]);
	at_end = heap_octets();
	printf("state a port: %zu octets (target 4096); findings' room a port: "
	       "%zu, untouched while there are none\n",
	       (with_ports - after) / PORTS, (after - before) / PORTS);
	printf("allocations in %d ticks: %s\n", TICKS,
	       at_end == with_ports ? "0" : "some");
	for (int t = 0; t < TICKS; t++)
		sum += ns[t];
	clock = clock_cost(CLOCK_THREAD_CPUTIME_ID) / PORTS;
	qsort(ns, TICKS, sizeof(ns[0]), compare);
	printf("detectors, ns a port-sample: mean %.0f (target %d), median "
	       "%.0f, p99 %.0f (target %d); findings %u\n", sum / TICKS - clock,
	       TARGET_NS, ns[TICKS / 2] - clock,
	       single_p99(e, noise, k, TICKS + 1), TARGET_P99_NS, findings);
	printf("the clock's own cost, ns a port-sample, taken off: %.1f\n",
	       clock);
	engine_free(e);
	return 0;
}
