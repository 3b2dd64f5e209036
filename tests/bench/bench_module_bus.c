/* What one steady tick reads of a module: transactions and octets by standard,
 * the time that this takes on I2C for a whole switch, and what asking and
 * understanding costs in CPU.
 *
 * Bus time is reckoned, not measured: at 400 kHz an octet takes nine clocks.
 * A transaction has three octets of its own (address, offset, address again)
 * and its start and stop; one of a page has optoe's selects before and behind
 * it besides, of four octets each. What a kernel's cages take is measured by
 * the campaign's module_bed.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "petrel/clock.h"
#include "petrel/plant.h"
#include "platform/bus/readings.h"
#include "platform/module/module.h"
#include "platform/sim/eeprom.h"

#define TICK_PARTS (MODULE_MONITORS | MODULE_STATUS)
#define FIXED_PARTS (MODULE_IDENTITY | MODULE_THRESHOLDS | \
		     MODULE_VDM_THRESHOLDS)
#define READS_MAX 32u
#define PLANS_MAX 8
#define ROUNDS 20000
#define MODULES 64
#define I2C_HZ 400000.0
#define CLOCKS_OF_OCTET 9
#define OCTETS_OF_TRANSACTION 3
#define OCTETS_OF_SELECT 4
#define CLOCKS_OF_ENDS 3
#define TRANSACTIONS_MOST 3
#define OCTETS_MOST 160

static const struct kind {
	const char *name, *scenario;
} kinds[] = {
	{ "CMIS, 8 lanes", "switch ports=1 speed=800G lanes=8 media=DR8\n" },
	{ "SFF-8636, 4 lanes",
	  "switch ports=1 speed=100G lanes=4 media=SR4 fec=rs528\n" },
	{ "SFF-8472", "switch ports=1 speed=25G lanes=1 media=FR1 "
	  "fec=rs528\n" },
};

struct cost {
	unsigned transactions, octets, clocks;
};

static void read_count(const struct module_read *r, struct cost *c)
{
	unsigned octets = r->len + OCTETS_OF_TRANSACTION;

	c->transactions++;
	c->octets += r->len;
	c->clocks += octets * CLOCKS_OF_OCTET + CLOCKS_OF_ENDS;
	if (r->page != MODULE_LOWER && r->page != 0)
		c->clocks += 2 * (OCTETS_OF_SELECT * CLOCKS_OF_OCTET +
				  CLOCKS_OF_ENDS);
}

/* Reads what the plan wants of parts, as the driver does. */
static void image_fill(const struct eeprom *e, unsigned parts,
		       struct module_image *m, struct cost *c)
{
	struct module_read read[READS_MAX];
	uint8_t octets[MODULE_PAGE_LEN];
	size_t n = 1;

	for (int plan = 0; plan < PLANS_MAX && n > 0; plan++) {
		n = module_plan(m, parts, false, read, READS_MAX);
		for (size_t i = 0; i < n; i++) {
			read_count(&read[i], c);
			if (eeprom_read(e, read[i].bank, read[i].page,
					read[i].offset, octets, read[i].len))
				(void)module_image_put(m, read[i].bank,
						       read[i].page,
						       read[i].offset, octets,
						       read[i].len);
		}
	}
}

static double cpu_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double tick_cost_us(const struct eeprom *e,
			   const struct module_image *fixed,
			   struct readings *scratch)
{
	struct module_image m;
	struct cost ignored = { 0 };
	double begin = cpu_us();

	for (int i = 0; i < ROUNDS; i++) {
		struct module_sink sink = readings_begin(scratch);

		m = *fixed;
		image_fill(e, TICK_PARTS, &m, &ignored);
		(void)module_decode(&m, TICK_PARTS, &sink, NULL);
	}
	return (cpu_us() - begin) / ROUNDS;
}

static bool kind_measure(const struct kind *k, struct readings *scratch)
{
	struct plant *p = NULL;
	struct diag d = { "" };
	struct eeprom e;
	struct module_image fixed = { 0 }, m;
	struct cost first = { 0 }, tick = { 0 };

	if (plant_open(k->scenario, strlen(k->scenario), "bench", &p, &d) < 0) {
		printf("%s\n", d.text);
		return false;
	}
	(void)eeprom_write_plant(p, 0, &e);
	image_fill(&e, FIXED_PARTS, &fixed, &first);
	module_image_forget(&fixed, MODULE_ALL_PARTS & ~FIXED_PARTS);
	m = fixed;
	image_fill(&e, TICK_PARTS, &m, &tick);
	printf("%-18s once: %2u transactions, %4u octets; each tick: %u "
	       "transactions, %3u octets, %.2f ms of bus; %.1f us of CPU\n",
	       k->name, first.transactions, first.octets, tick.transactions,
	       tick.octets, tick.clocks / I2C_HZ * 1e3,
	       tick_cost_us(&e, &fixed, scratch));
	printf("%-18s %d modules on one 400 kHz bus: %.3f s of bus a tick\n",
	       "", MODULES, MODULES * tick.clocks / I2C_HZ);
	plant_close(p);
	return tick.transactions <= TRANSACTIONS_MOST &&
		tick.octets <= OCTETS_MOST;
}

int main(void)
{
	struct readings *scratch = calloc(1, sizeof(*scratch));
	bool ok = scratch != NULL;

	for (size_t i = 0; ok && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		ok = kind_measure(&kinds[i], scratch);
	printf("%s: at most %d transactions and %d octets a tick\n",
	       ok ? "reached" : "MISSED", TRANSACTIONS_MOST, OCTETS_MOST);
	free(scratch);
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
