/* Modules: TRANSCEIVER_INFO makes the entity, the other TRANSCEIVER_ tables
 * give its readings.
 *
 * xcvrd writes the information for every sub-port of a cage, the readings for
 * the first only: the first row of a cage in a poll counts, the others repeat
 * it. Another vendor, part or serial number is another module.
 */
#include <stdio.h>
#include <string.h>

#include "petrel/module.h"
#include "platform/sonic/meaning/judge.h"
#include "platform/sonic/meaning/media.h"
#include "platform/sonic/switchdb/namespace.h"
#include "platform/sonic/meaning/text.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
/* When all modules vanish at once it is xcvrd that went, unless it lasts. */
#define ALL_GONE_HOLD_NS (120 * NS_PER_S)

static bool cage_first(const struct poll *p, const struct run *r,
		       struct cage *c)
{
	if (cage_row(c, r->number)->polled == p->serial)
		return false;
	cage_row(c, r->number)->polled = p->serial;
	return true;
}

static void module_attribute(const struct namespace *s, const struct cage *c,
			     enum attribute which, const char *text)
{
	s->host->attribute(s->host->context, c->module, which, text);
}

static void module_attributes(const struct namespace *s, const struct cage *c,
			      const struct row *row)
{
	static const struct {
		uint8_t text, otherwise;
		uint8_t attribute;
	} map[] = {
		{ MODULE_TEXT_VENDOR, MODULE_TEXT_VENDOR, ATTRIBUTE_VENDOR },
		{ MODULE_TEXT_PART, MODULE_TEXT_PART, ATTRIBUTE_PART },
		{ MODULE_TEXT_REVISION, MODULE_TEXT_REVISION_OLD,
		  ATTRIBUTE_REVISION },
		{ MODULE_TEXT_SERIAL, MODULE_TEXT_SERIAL, ATTRIBUTE_SERIAL },
		{ MODULE_TEXT_OUI, MODULE_TEXT_OUI, ATTRIBUTE_OUI },
		{ MODULE_TEXT_DATE, MODULE_TEXT_DATE, ATTRIBUTE_DATE },
		{ MODULE_TEXT_CONNECTOR, MODULE_TEXT_CONNECTOR,
		  ATTRIBUTE_CONNECTOR },
		{ MODULE_TEXT_TYPE_SHORT, MODULE_TEXT_TYPE,
		  ATTRIBUTE_FORM_FACTOR },
		{ MODULE_TEXT_POWER_CLASS, MODULE_TEXT_POWER_CLASS,
		  ATTRIBUTE_POWER_CLASS },
		{ MODULE_TEXT_TECHNOLOGY, MODULE_TEXT_TECHNOLOGY,
		  ATTRIBUTE_TECHNOLOGY },
		{ MODULE_TEXT_APPLICATIONS, MODULE_TEXT_APPLICATIONS,
		  ATTRIBUTE_APPLICATIONS },
		{ MODULE_TEXT_REVISION_OLD, MODULE_TEXT_REVISION_OLD,
		  ATTRIBUTE_HARDWARE },
	};
	const char *cable = row->text[MODULE_TEXT_CABLE_TYPE];

	for (size_t i = 0; i < COUNT(map); i++) {
		const char *text = row->text[map[i].text];

		module_attribute(s, c, (enum attribute)map[i].attribute,
				 text[0] ? text : row->text[map[i].otherwise]);
	}
	if (row->text[MODULE_TEXT_CMIS][0]) {
		char standard[ATTRIBUTE_TEXT_MAX];

		(void)snprintf(standard, sizeof(standard), "CMIS %.40s",
			       row->text[MODULE_TEXT_CMIS]);
		module_attribute(s, c, ATTRIBUTE_STANDARD, standard);
	}
	/* For a fibre module it is the reach, in this or that unit. */
	if (strncmp(cable, "Length Cable Assembly", 21) == 0)
		module_attribute(s, c, ATTRIBUTE_CABLE_LENGTH,
				 row->text[MODULE_TEXT_CABLE_LENGTH]);
}

static void module_event(const struct poll *p, const struct cage *c,
			 enum platform_event what, const char *serial)
{
	const struct platform_host *host = p->namespace->host;

	host->event(host->context, c->module, what, c->number, p->asked,
		    serial);
}

static void module_leave(const struct poll *p, struct cage *c)
{
	if (c->module == ENTITY_NONE)
		return;
	module_event(p, c, EVENT_MODULE_REMOVED, NULL);
	topology_module_gone(&p->namespace->topology, c);
}

static void module_enter(const struct poll *p, struct cage *c,
			 uint64_t identity, const char *serial)
{
	struct namespace *s = p->namespace;
	struct entity_key key = { .kind = ENTITY_MODULE,
				  .parent = s->topology.parent,
				  .number = c->number };
	bool was_known = c->known;

	if (s->host->entity(s->host->context, &key, &c->module) < 0) {
		c->module = ENTITY_NONE;
		return;
	}
	c->identity = identity;
	for (size_t i = 0; i < CAGE_TABLES; i++)
		c->row[i].parts = 0;
	if (was_known)		/* else it was there before us */
		module_event(p, c, EVENT_MODULE_INSERTED, serial);
}

static unsigned lanes_of(const struct run *r, const struct row *row,
			 enum quantity which)
{
	int64_t lanes;

	if (!row_value(row, &r->namespace->index[r->number], which, &lanes) ||
	    lanes < 1 || lanes > MODULE_LANES_MAX)
		return 0;
	return (unsigned)lanes;
}

static uint64_t identity_of(const struct row *row)
{
	static const enum module_text parts[] = {
		MODULE_TEXT_VENDOR, MODULE_TEXT_PART, MODULE_TEXT_SERIAL,
	};
	uint64_t hash = 0;

	for (size_t i = 0; i < COUNT(parts); i++)
		hash = text_hash(hash, row->text[parts[i]],
				 strlen(row->text[parts[i]]) + 1);
	return hash;
}

struct module_parts {
	const struct namespace *namespace;
	struct cage *cage;
};

/* Part 0 is the module, 1 to 8 its lanes. */
static uint32_t module_entity(void *context, unsigned part)
{
	struct module_parts *parts = context;
	struct cage *c = parts->cage;
	const struct platform_host *host = parts->namespace->host;
	struct entity_key key = { .kind = ENTITY_LANE, .parent = c->module,
				  .number = part };

	if (part == 0)
		return c->module;
	if (c->lane[part] == ENTITY_NONE &&
	    host->entity(host->context, &key, &c->lane[part]) < 0)
		c->lane[part] = ENTITY_NONE;
	return c->lane[part];
}

/* The numbers among the information, of a coherent module say. */
static void info_emit(const struct poll *p, const struct run *r, struct cage *c,
		      const struct row *row)
{
	struct module_parts parts = { r->namespace, c };
	struct row_target to = {
		.host = r->namespace->host,
		.source = p->source,
		.entity = module_entity,
		.context = &parts,
		.quality = QUALITY_GOOD,
		.age = { .taken = p->asked, .part = r->number },
	};

	(void)row_emit(row, &r->namespace->index[r->number], &to);
}

static void firmware_tell(const struct namespace *s, const struct cage *c,
			  const char *active, const char *spare)
{
	module_attribute(s, c, ATTRIBUTE_FIRMWARE, active);
	module_attribute(s, c, ATTRIBUTE_INACTIVE_FIRMWARE, spare);
}

/* By the words of media_guess(). */
static bool is_copper(const char *media)
{
	return strcmp(media, "DAC") == 0 || strcmp(media, "AEC") == 0 ||
	       strcmp(media, "BASE-T") == 0;
}

void modules_info_row(struct poll *p, struct run *r, struct object *o,
		      const struct row *row)
{
	struct cage *c = o->port->cage;
	struct namespace *s = r->namespace;
	uint64_t identity = identity_of(row);
	unsigned host_lanes = lanes_of(r, row, Q_MODULE_HOST_LANES);
	unsigned media_lanes = lanes_of(r, row, Q_MODULE_MEDIA_LANES);

	if (!cage_first(p, r, c))
		return;
	if (c->module != ENTITY_NONE && c->identity != identity)
		module_leave(p, c);
	if (c->module == ENTITY_NONE)
		module_enter(p, c, identity, row->text[MODULE_TEXT_SERIAL]);
	c->known = true;
	if (c->module == ENTITY_NONE)
		return;
	module_attributes(s, c, row);
	info_emit(p, r, c, row);
	if (row->text[MODULE_TEXT_FIRMWARE_OLD][0])
		firmware_tell(s, c, row->text[MODULE_TEXT_FIRMWARE_OLD],
			      row->text[MODULE_TEXT_FIRMWARE_SPARE_OLD]);
	c->copper = is_copper(media_guess(row->text));
	module_attribute(s, c, ATTRIBUTE_MEDIA, media_guess(row->text));
	if (c->host_lanes != host_lanes || c->media_lanes != media_lanes) {
		c->host_lanes = host_lanes;
		c->media_lanes = media_lanes;
		s->topology.lanes_stale = true;
	}
}

void modules_firmware_row(struct poll *p, struct run *r, struct object *o,
			  const struct row *row)
{
	struct cage *c = o->port->cage;

	if (c->module == ENTITY_NONE || row->texts == 0 ||
	    !cage_first(p, r, c))
		return;
	firmware_tell(r->namespace, c, row->text[FIRMWARE_TEXT_ACTIVE],
		      row->text[FIRMWARE_TEXT_SPARE]);
	changes_firmware(r->namespace, c, row->text[FIRMWARE_TEXT_ACTIVE],
			 p->asked);
}

/* Tells each port whether its cage holds a module. */
static void presence_emit(struct poll *p)
{
	const struct platform_host *host = p->namespace->host;
	const struct object_set *ports =
		&p->namespace->topology.set[OBJECT_PORT];
	struct read_group age = { .taken = p->asked,
				  .part = TABLE_MODULE_INFO };

	for (size_t i = 0; i < ports->count; i++) {
		const struct object *o = &ports->list[i];
		const struct cage *c = o->port->cage;

		if (!c || !c->known || o->handle == ENTITY_NONE)
			continue;
		host->group(host->context, p->source, o->handle, &age);
		host->sample(host->context, Q_MODULE_PRESENT, 0,
			     c->module != ENTITY_NONE, QUALITY_GOOD);
	}
}

/* xcvrd that begins anew takes all rows away, and writes them again one by
 * one, as it reads the modules: until then none of them is gone.
 */
static bool modules_held(struct poll *p, unsigned seen, unsigned missing)
{
	struct namespace *s = p->namespace;
	bool held;

	if (seen == 0 && missing > 0 && s->modules_missing.ns == 0)
		s->modules_missing = p->asked;
	held = s->modules_missing.ns &&
	       p->asked.ns - s->modules_missing.ns < ALL_GONE_HOLD_NS;
	if (held && seen > 0 && !s->modules_back)
		changes_service(s, "xcvrd", "TRANSCEIVER_INFO of all modules "
				"went and came back", p->asked);
	s->modules_back = held && seen > 0;
	if (missing == 0 || !held)
		s->modules_missing.ns = 0;
	return held;
}

static bool cage_seen(const struct poll *p, struct cage *c)
{
	return cage_row(c, TABLE_MODULE_INFO)->polled == p->serial;
}

void modules_end(struct poll *p)
{
	struct topology *t = &p->namespace->topology;
	unsigned seen = 0, missing = 0;
	bool held;

	for (size_t i = 0; i < t->cage_count; i++) {
		seen += cage_seen(p, t->cages[i]);
		missing += !cage_seen(p, t->cages[i]) &&
			   t->cages[i]->module != ENTITY_NONE;
	}
	held = modules_held(p, seen, missing);
	if (held && seen == 0) {
		p->rows = 0;	/* what else is left of them says nothing */
		poll_note(p, "STATE_DB lost TRANSCEIVER_INFO of all modules at "
			  "once: is xcvrd running?");
		return;
	}
	for (size_t i = 0; i < t->cage_count; i++) {
		if (!cage_seen(p, t->cages[i]) && !held)
			module_leave(p, t->cages[i]);
		t->cages[i]->known = true;
	}
	presence_emit(p);
	if (t->lanes_stale)
		topology_lanes(t);
}

/* --- readings ------------------------------------------------------------- */

/* The flags are kept, for the cause of a link that is down. */
static void flags_keep(const struct run *r, const struct poll *p,
		       struct cage *c, const struct row *row)
{
	const struct field_index *x = &r->namespace->index[r->number];

	for (unsigned i = 0; i < x->count; i++) {
		const struct field *f = &x->fields[i];
		unsigned what = field_quantity(x, f);	/* not its changes */
		uint8_t *flags = what == Q_LANE_RX_LOS ? &c->rx_los :
				 what == Q_LANE_TX_FAULT ? &c->tx_fault : NULL;
		uint8_t bit = (uint8_t)(1u << ((f->part - 1u) & 7));

		if (!flags || !row_has(row, i))
			continue;
		*flags = row->value[i] ? *flags | bit :
					 *flags & (uint8_t)~bit;
		c->flags_at = p->asked;
	}
}

/* The reading_of whose faults a table tells; -1: none of its own. */
static int reading_of(enum table_number table)
{
	switch (table) {
	case TABLE_MODULE_DOM:
		return READING_OF_MONITORS;
	case TABLE_MODULE_THRESHOLDS:
	case TABLE_MODULE_OLD_THRESHOLDS:
		return READING_OF_THRESHOLDS;
	case TABLE_MODULE_STATUS:
		return READING_OF_STATES;
	case TABLE_VDM_OLD_VALUES:
	case TABLE_VDM_VALUES:
		return READING_OF_VDM;
	default:
		return -1;
	}
}

/* What cannot be so is told as such, and is no value. A copper cable that has
 * no monitors has nothing that could be wrong with them.
 */
static void row_judge(const struct run *r, const struct cage *c,
		      const struct row *row, struct judged *judged,
		      struct row_target *to)
{
	int index = reading_of(r->number);

	if (index < 0 || (to->quality == QUALITY_IMPLAUSIBLE && c->copper))
		return;
	judge_row(row, &r->namespace->index[r->number],
		  index != READING_OF_THRESHOLDS, judged);
	if (to->quality == QUALITY_IMPLAUSIBLE)
		judged->fault[0] |= 1u << FAULT_ZERO;
	to->judged = judged;
	to->judged_index = (unsigned)index;
}

/* A supply of 0 V is a module without monitors (a copper cable): its zeros
 * and all-ones are no readings.
 */
static enum sample_quality row_quality(const struct run *r,
				       const struct row *row)
{
	int64_t vcc_uv;

	if (row_value(row, &r->namespace->index[r->number], Q_MODULE_VCC_UV,
		      &vcc_uv) && vcc_uv <= 0)
		return QUALITY_IMPLAUSIBLE;
	return QUALITY_GOOD;
}

void modules_sample_row(struct poll *p, struct run *r, struct object *o,
			const struct row *row)
{
	struct cage *c = o->port->cage;
	struct module_parts parts = { r->namespace, c };
	struct row_target to = {
		.host = r->namespace->host,
		.source = p->source,
		.entity = module_entity,
		.context = &parts,
		.quality = row_quality(r, row),
	};
	struct judged judged;

	if (c->module == ENTITY_NONE && c->known && row->values > 0)
		poll_drop(p, o, "values of a module, but TRANSCEIVER_INFO has "
			  "none there");
	/* Its module is not known yet: the row comes again. */
	if (c->module == ENTITY_NONE || !cage_first(p, r, c))
		return;
	flags_keep(r, p, c, row);
	if (age_of_row(r, p, c, row, &to.age))
		return;
	to.age.part = r->number;
	to.parts = &cage_row(c, r->number)->parts;
	row_judge(r, c, row, &judged, &to);
	(void)row_emit(row, &r->namespace->index[r->number], &to);
}
