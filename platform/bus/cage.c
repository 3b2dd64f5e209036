#include "platform/bus/cage.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/driver.h"

#define BACK_OFF_NS NS_PER_S
#define BACK_OFF_MAX_NS (300 * NS_PER_S)
#define EMPTY_MAX_NS (2 * NS_PER_S)	/* longest back-off of an empty cage */
#define IDENTITY_NS (60 * NS_PER_S)
/* Parts that change: they are not kept. */
#define FRESH_PARTS (MODULE_MONITORS | MODULE_STATUS | MODULE_FLAGS | \
		     MODULE_VDM | MODULE_PM | MODULE_CONTROLS)

/* The parts that each source reports: what one read gives of them is one group
 * of an entity.
 */
static const unsigned source_parts[BUS_SOURCE_COUNT] = {
	[BUS_SOURCE_MODULES] = MODULE_THRESHOLDS | MODULE_VDM_THRESHOLDS |
			       MODULE_CONTROLS,
	[BUS_SOURCE_DOM] = MODULE_MONITORS | MODULE_STATUS,
	[BUS_SOURCE_VDM] = MODULE_VDM | MODULE_PM,
	[BUS_SOURCE_FLAGS] = MODULE_FLAGS,
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Parts that are read together; the index is the part of a read group. */
static const unsigned read_parts[CAGE_READ_PARTS] = {
	MODULE_IDENTITY, CAGE_FIXED_PARTS, MODULE_CONTROLS,
	MODULE_MONITORS | MODULE_STATUS, MODULE_VDM | MODULE_PM, MODULE_FLAGS,
};

void cage_begin(struct module_cage *c, const struct map_cage *place,
		const struct platform_host *host)
{
	memset(c, 0, sizeof(*c));
	c->place = place;
	c->host = host;
	c->due = MODULE_IDENTITY;
	for (unsigned i = 0; i < place->port_count; i++) {
		struct entity_key key = { .kind = ENTITY_PORT };

		memcpy(key.name, place->port[i], sizeof(key.name));
		if (host->entity(host->context, &key, &c->port[i]) < 0)
			continue;	/* no room: the host reported it */
		driver_number(host, c->port[i], ATTRIBUTE_MODULE,
			      place->number);
	}
}

void cage_image(const struct module_cage *c, unsigned parts,
		struct module_image *ret)
{
	if (parts & MODULE_IDENTITY)
		ret->count = 0;
	else
		*ret = c->fixed;
}

static uint32_t cage_entity(void *context, unsigned lane)
{
	struct module_cage *c = context;
	bool is_path = lane > MODULE_PATH;
	struct entity_key key = {
		.kind = is_path ? ENTITY_DATA_PATH : ENTITY_LANE,
		.parent = c->module, .number = lane % MODULE_PATH };
	uint32_t *entity = &(is_path ? c->path : c->lane)[key.number];

	if (lane == 0)
		return c->module;
	if (*entity == ENTITY_NONE &&
	    c->host->entity(c->host->context, &key, entity) < 0)
		*entity = ENTITY_NONE;	/* the host reported it */
	return *entity;
}

void cage_leave(struct module_cage *c, struct mono now)
{
	const struct platform_host *host = c->host;

	if (c->module != ENTITY_NONE) {
		host->event(host->context, c->module, EVENT_MODULE_REMOVED,
			    c->place->number, now, NULL);
		host->gone(host->context, c->module);
	}
	c->module = ENTITY_NONE;
	memset(c->lane, 0, sizeof(c->lane));
	memset(c->path, 0, sizeof(c->path));
	c->fixed.count = 0;
	c->due = MODULE_IDENTITY;
}

/* Compares vendor, part and serial number: page 0 from its first octet. */
static bool is_same_module(const struct module_image *a,
			   const struct module_image *b)
{
	uint8_t one[MODULE_PAGE_LEN], other[MODULE_PAGE_LEN];
	unsigned same = 0;

	for (unsigned i = 0; i < MODULE_PAGE_LEN; i++) {
		if (module_image_get(a, 0, 0, MODULE_PAGE_LEN + i, &one[i],
				     1) < 0 ||
		    module_image_get(b, 0, 0, MODULE_PAGE_LEN + i, &other[i],
				     1) < 0)
			continue;
		if (one[i] != other[i])
			return false;
		same++;
	}
	return same > 0;
}

static void cage_enter(struct module_cage *c, const struct module_image *m,
		       const struct readings *said, struct mono now)
{
	const struct platform_host *host = c->host;
	struct entity_key key = { .kind = ENTITY_MODULE,
				  .number = c->place->number };

	if (host->entity(host->context, &key, &c->module) < 0) {
		c->module = ENTITY_NONE;
		return;		/* no room: the host reported it */
	}
	memset(c->given, 0, sizeof(c->given));
	c->fixed = *m;
	module_image_forget(&c->fixed, FRESH_PARTS);
	c->due = CAGE_FIXED_PARTS | MODULE_MONITORS | MODULE_STATUS |
		MODULE_CONTROLS | MODULE_VDM | MODULE_PM;
	if (c->was_asked)		/* else it was there before Petrel */
		host->event(host->context, c->module, EVENT_MODULE_INSERTED,
			    c->place->number, now,
			    said->text[ATTRIBUTE_SERIAL]);
}

static void identity_take(struct module_cage *c, const struct module_image *m,
			  struct readings *scratch,
			  const struct read_group *age)
{
	struct module_sink sink = readings_begin(scratch);
	struct diag d = { "" };
	int rc = module_decode(m, MODULE_IDENTITY, &sink, &d);

	if (c->module != ENTITY_NONE && !is_same_module(&c->fixed, m))
		cage_leave(c, age->taken);
	if (c->module == ENTITY_NONE)
		cage_enter(c, m, scratch, age->taken);
	c->was_asked = true;
	c->identity_due.ns = age->taken.ns + IDENTITY_NS;
	if (c->module == ENTITY_NONE)
		return;
	readings_give_texts(scratch, c->host, c->module);
	readings_judge(scratch, MODULE_IDENTITY);
	readings_give(scratch, c->host, BUS_SOURCE_MODULES, cage_entity, c,
		      age, &c->given[0]);
	c->is_known = rc == 0;
	if (!c->is_known)	/* unreadable; d says why */
		c->due = 0;
	(void)snprintf(c->reason, sizeof(c->reason), "%s",
		       rc < 0 ? d.text : scratch->doubt);
}

static void parts_take(struct module_cage *c, enum bus_source source,
		       unsigned parts, const struct module_image *m,
		       struct readings *scratch, const struct read_group *age)
{
	struct module_sink sink = readings_begin(scratch);
	struct read_group own = *age;

	if (module_decode(m, parts, &sink, NULL) < 0)
		return;
	while (!(read_parts[own.part] & parts))
		own.part++;
	readings_judge(scratch, parts);
	readings_give(scratch, c->host, source, cage_entity, c, &own,
		      &c->given[own.part]);
	if (scratch->doubts > 0 && c->reason[0] == '\0')
		(void)snprintf(c->reason, sizeof(c->reason), "%s",
			       scratch->doubt);
}

void cage_take(struct module_cage *c, unsigned parts,
	       const struct module_image *m, struct readings *scratch,
	       const struct read_group *age)
{
	c->failures = 0;
	c->again.ns = 0;
	c->reason[0] = '\0';
	if (parts & MODULE_IDENTITY) {
		identity_take(c, m, scratch, age);
		return;
	}
	if (c->module == ENTITY_NONE)
		return;
	if (parts & CAGE_FIXED_PARTS) {
		c->fixed = *m;
		module_image_forget(&c->fixed, FRESH_PARTS);
	}
	for (unsigned i = 0; i < BUS_SOURCE_COUNT; i++)
		for (unsigned n = 0; n < COUNT(read_parts); n++)
			if (parts & source_parts[i] & read_parts[n])
				parts_take(c, (enum bus_source)i,
					   parts & source_parts[i] &
						   read_parts[n],
					   m, scratch, age);
}

static int64_t back_off_ns(const struct module_cage *c, int64_t max)
{
	int64_t wait = BACK_OFF_NS;

	for (unsigned i = 1; i < c->failures && wait < max; i++)
		wait *= 2;
	return wait < max ? wait : max;
}

void cage_failed(struct module_cage *c, int err, const char *reason,
		 struct mono now)
{
	/* Some drivers return EIO for an empty cage; others have no module to
	 * ask, only a port.
	 */
	bool is_empty = err == -ENXIO ||
		(c->module == ENTITY_NONE &&
		 (err == -EIO || err == -EOPNOTSUPP));
	int64_t most = is_empty && err != -EOPNOTSUPP ? EMPTY_MAX_NS :
							BACK_OFF_MAX_NS;

	if (err == -ENXIO)
		cage_leave(c, now);
	c->failures++;
	c->again.ns = now.ns + back_off_ns(c, most);
	/* When it answers again, it may be another module. */
	c->due |= MODULE_IDENTITY;
	c->was_asked = true;
	(void)snprintf(c->reason, sizeof(c->reason), "%s",
		       is_empty ? "" : reason);
}
