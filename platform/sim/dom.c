#include "platform/sim/dom.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "platform/bus/bus.h"
#include "platform/bus/readings.h"
#include "platform/sim/eeprom.h"

#define READS_MAX 24u
#define PLANS_MAX 8u
#define KINDS_MAX 16u		/* more than there are media */
/* Coherent PM as well: the plant owns the modules. */
#define EACH_TIME (MODULE_MONITORS | MODULE_VDM | MODULE_PM | MODULE_FLAGS)
#define NOW_AND_THEN (MODULE_IDENTITY | MODULE_THRESHOLDS | MODULE_STATUS | \
		      MODULE_CONTROLS)
#define LATCHED ((unsigned)MODULE_FLAGS)

/* Reads for modules of one kind, which all have the same pages. */
struct read_plan {
	char media[sizeof(((struct plant_port_facts *)NULL)->media)];
	unsigned lanes;
	unsigned each_count, rest_count;
	struct module_read each[READS_MAX], rest[READS_MAX];
};

struct dom {
	unsigned plans;
	struct read_plan plan[KINDS_MAX];
	struct eeprom eeprom;
	struct module_image image;
	struct readings readings;
	struct access_log *log;
	struct bus bus;			/* instance: the eeprom above */
};

/* The ports that share the current module. */
struct module_ports {
	struct publish_port *port;
	size_t ports;
};

static int memory_read(void *instance, unsigned bank, unsigned page,
		       unsigned offset, void *ret, size_t n, struct diag *d)
{
	if (!eeprom_read(instance, bank, page, offset, ret, n))
		return diag_set(d, -EOPNOTSUPP, "no bank %u of page %02xh",
				bank, page);
	return 0;
}

_Static_assert(EEPROM_LOWER == MODULE_LOWER, "one number for lower memory");

static const struct module_bus memory_bus = {
	.abi = 1,
	.size = sizeof(struct module_bus),
	.name = "sim",
	.read = memory_read,
};

struct dom *dom_new(void)
{
	struct dom *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->log = access_log_open();
	d->bus = (struct bus){ .table = &memory_bus, .instance = &d->eeprom,
			       .env = { .root_fd = -1, .owner = true,
					.log = d->log },
			       .where = "plant" };
	return d;
}

void dom_free(struct dom *d)
{
	if (!d)
		return;
	access_log_close(d->log);
	free(d);
}

static void octets_read(struct dom *d, const struct module_read *r)
{
	uint8_t octets[MODULE_PAGE_LEN];

	if (bus_read(&d->bus, r, octets, NULL) == 0)
		(void)module_image_put(&d->image, r->bank, r->page, r->offset,
				       octets, r->len);	/* it has the room */
}

/* Plans and reads until nothing is missing; returns the number of reads. */
static unsigned image_plan(struct dom *d, unsigned parts,
			   struct module_read read[READS_MAX])
{
	unsigned count = 0, n = 1;

	for (unsigned i = 0; i < PLANS_MAX && n > 0; i++) {
		n = (unsigned)module_plan(&d->image, parts, true, &read[count],
					  READS_MAX - count);
		for (unsigned k = 0; k < n; k++)
			octets_read(d, &read[count++]);
	}
	return count;
}

/* Planned once per medium; the last slot serves all that do not fit. */
static void image_fill(struct dom *d, const struct module_ports *l, bool rest)
{
	const struct plant_port_facts *f = &l->port[0].facts;
	unsigned lanes = f->lanes * (unsigned)l->ports, i = 0;
	struct read_plan *p;

	d->image.count = 0;
	while (i < d->plans && (strcmp(d->plan[i].media, f->media) != 0 ||
				d->plan[i].lanes != lanes))
		i++;
	p = &d->plan[i < KINDS_MAX ? i : KINDS_MAX - 1];
	if (i == d->plans) {
		d->plans += d->plans < KINDS_MAX;
		memcpy(p->media, f->media, sizeof(p->media));
		p->lanes = lanes;
		p->each_count = image_plan(d, EACH_TIME, p->each);
		p->rest_count = image_plan(d, NOW_AND_THEN, p->rest);
		return;
	}
	for (i = 0; i < p->each_count; i++)
		octets_read(d, &p->each[i]);
	for (i = 0; rest && i < p->rest_count; i++)
		octets_read(d, &p->rest[i]);
}

static uint32_t entity_of(void *context, unsigned lane)
{
	const struct module_ports *l = context;

	for (size_t i = 0; i < l->ports && lane > 0; i++) {
		const struct plant_port_facts *f = &l->port[i].facts;

		if (lane >= f->first_lane && lane < f->first_lane + f->lanes)
			return l->port[i].lane[lane - f->first_lane];
	}
	return lane == 0 ? l->port[0].module : ENTITY_NONE;
}

/* Keeps only the flags that say why a link is down; the others follow from the
 * readings and the thresholds, and would double the values.
 */
static void flags_trim(struct readings *r, unsigned first)
{
	unsigned kept = first;

	for (unsigned i = first; i < r->count; i++)
		if (r->value[i].quantity == Q_LANE_RX_LOS ||
		    r->value[i].quantity == Q_LANE_TX_FAULT)
			r->value[kept++] = r->value[i];
	r->count = kept;
}

/* Values that are read together are a part. Implausible ones are absent. */
static void image_decode(struct dom *d, unsigned parts)
{
	struct module_sink sink = readings_begin(&d->readings);
	unsigned others;

	(void)module_decode(&d->image, parts & ~LATCHED, &sink, NULL);
	others = d->readings.count;
	if (parts & LATCHED)
		(void)module_decode(&d->image, LATCHED, &sink, NULL);
	flags_trim(&d->readings, others);
	readings_judge(&d->readings, parts);
}

void dom_tell(struct dom *d, const struct platform_host *host,
	      const struct plant *plant, struct publish_port *port,
	      size_t first, size_t ports, struct dom_parts parts,
	      const struct read_group *age)
{
	struct module_ports lanes = { &port[first], ports };
	struct read_group rest = *age;

	if (!eeprom_write_plant(plant, first, &d->eeprom))
		return;
	(void)eeprom_read(&d->eeprom, 0, EEPROM_LOWER, 0, &d->bus.identifier,
			  1);		/* all modules have it */
	image_fill(d, &lanes, parts.rest);
	if (parts.each) {
		image_decode(d, EACH_TIME);
		readings_give(&d->readings, host, SOURCE_DOM, entity_of,
			      &lanes, age, &port[first].given[0]);
	}
	if (!parts.rest)
		return;
	rest.part = 1;
	image_decode(d, NOW_AND_THEN);
	readings_give(&d->readings, host, SOURCE_DOM, entity_of, &lanes,
		      &rest, &port[first].given[1]);
	/* The medium's name comes from the scenario instead. */
	d->readings.text[ATTRIBUTE_MEDIA][0] = '\0';
	if (lanes.port[0].module != ENTITY_NONE)
		readings_give_texts(&d->readings, host, lanes.port[0].module);
}
