/* Healthy ports for hundreds of port-years, to count false alarms:
 *
 *   engine_soak YEARS [SEED [hard]]
 *
 * A sample a minute. Every month each port gets another module, so that young
 * baselines are tried too. Prints findings by severity and the rate with its
 * 95 % bound; the exit status is 1 when there was one at warn or above.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/signature/engine.h"
#include "tests/support/port_noise.h"

#define PORTS 64
#define DT_S 60
#define MONTH_TICKS (30 * 24 * 60)
#define YEAR_S 31557600.0

struct tally {
	uint64_t by_severity[SEVERITY_COUNT];	/* findings, by their worst */
	uint64_t records;
	struct {
		char id[FINDING_ID_LEN + 1];
		enum severity worst;
	} last[PORTS];			/* of each port */
};

static void on_finding(void *context, const struct finding *f)
{
	struct tally *t = context;
	uint64_t port = 0;

	t->records++;
	(void)number_parse(f->subject + strlen("Ethernet"), 0, 8 * PORTS,
			   &port);
	port = port / 8 % PORTS;
	if (strcmp(t->last[port].id, f->id) != 0) {
		memcpy(t->last[port].id, f->id, sizeof(f->id));
		t->last[port].worst = (enum severity)0;
	}
	if (f->severity <= t->last[port].worst)
		return;
	t->by_severity[t->last[port].worst] -= t->last[port].worst > 0;
	t->by_severity[f->severity]++;
	t->last[port].worst = f->severity;
	if (f->severity >= SEVERITY_WARN)
		printf("%s %s at %lld s: %s\n", f->subject,
		       severity_name(f->severity),
		       (long long)(f->when.ns / NS_PER_S), f->cause);
}

static struct engine *engine_of(struct tally *tally)
{
	struct port_facts facts;
	struct engine *e;
	uint32_t port;

	if (engine_new(PORTS, "soak", on_finding, tally, &e) < 0)
		return NULL;
	for (unsigned i = 0; i < PORTS; i++) {
		port_noise_facts(i, &facts);
		if (engine_port(e, &facts, &port) < 0)
			return NULL;
	}
	return e;
}

static void month(struct engine *e, uint64_t seed, int64_t first, int hard)
{
	static struct port_noise noise[PORTS];
	static struct inputs k[PORTS];

	memset(k, 0, sizeof(k));
	for (unsigned i = 0; i < PORTS; i++) {
		port_noise_init(&noise[i], seed * PORTS + i, DT_S, DT_S, hard);
		(void)snprintf(k[i].serial, sizeof(k[i].serial), "S%llu",
			       (unsigned long long)seed);
	}
	for (int64_t t = first; t < first + MONTH_TICKS; t++)
		for (unsigned i = 0; i < PORTS; i++) {
			struct wall wall = { t * DT_S * NS_PER_S };

			port_noise_step(&noise[i], (double)(t * DT_S), &k[i]);
			engine_reading(e, i, &k[i], wall);
		}
}

int main(int argc, char **argv)
{
	uint64_t years, seed = 1, loud;
	struct tally tally = { 0 };
	struct engine *e = engine_of(&tally);
	double done = 0;

	if (!e || argc < 2 || number_parse(argv[1], 1, 10000, &years) < 0 ||
	    (argc > 2 && number_parse(argv[2], 1, 1u << 30, &seed) < 0)) {
		(void)fputs("usage: engine_soak YEARS [SEED [hard]]\n", stderr);
		return 64;
	}
	for (int64_t m = 0; done < (double)years; m++) {
		month(e, seed * 1000 + (uint64_t)m, m * MONTH_TICKS + 1,
		      argc > 3);
		done += PORTS * MONTH_TICKS * (double)DT_S / YEAR_S;
	}
	loud = tally.by_severity[SEVERITY_WARN] +
	       tally.by_severity[SEVERITY_CRITICAL];
	printf("%.1f port-years, seed %llu%s: %llu at warn or above, %llu at "
	       "watch only, %llu records; false alarms %.4f a port-year, 95 %% "
	       "bound %.4f\n",
	       done, (unsigned long long)seed, argc > 3 ? ", hard" : "",
	       (unsigned long long)loud,
	       (unsigned long long)tally.by_severity[SEVERITY_WATCH],
	       (unsigned long long)tally.records,
	       (double)loud / done, (3 + 1.6 * (double)loud) / done);
	engine_free(e);
	return loud > 0;
}
