/* Modules: TRANSCEIVER_INFO creates the entity; module_values.c has its
 * readings.
 *
 * xcvrd writes the information for every sub-port of a cage, the readings for
 * the first only: the first row of a cage in a poll counts, the others repeat
 * it. Another vendor, part or serial number is another module.
 */
#include "platform/sonic/meaning/tables.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "agent/base/hash.h"
#include "platform/sonic/config/switch_changes.h"
#include "platform/sonic/meaning/text.h"
#include "platform/sonic/poll/run.h"
#include "platform/sonic/switchdb/cages.h"
#include "platform/sonic/switchdb/namespace.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
/* If all modules disappear at once, xcvrd has stopped, unless it lasts. */
#define ALL_GONE_HOLD_NS (120 * NS_PER_S)
#define QSFP_LANES 4			/* of the host */

enum module_text {	/* of TRANSCEIVER_INFO */
	MODULE_TEXT_TYPE,
	MODULE_TEXT_TYPE_SHORT,
	MODULE_TEXT_VENDOR,
	MODULE_TEXT_PART,
	MODULE_TEXT_REVISION,
	MODULE_TEXT_REVISION_OLD,
	MODULE_TEXT_SERIAL,
	MODULE_TEXT_OUI,
	MODULE_TEXT_DATE,
	MODULE_TEXT_CONNECTOR,
	MODULE_TEXT_CABLE_TYPE,
	MODULE_TEXT_CABLE_LENGTH,
	MODULE_TEXT_TECHNOLOGY,
	MODULE_TEXT_APPLICATIONS,
	MODULE_TEXT_POWER_CLASS,
	MODULE_TEXT_CMIS,
	MODULE_TEXT_FIRMWARE_OLD,
	MODULE_TEXT_FIRMWARE_SPARE_OLD,
};

enum { FIRMWARE_TEXT_ACTIVE, FIRMWARE_TEXT_SPARE };

#define LANE_INFO(n)							\
	{ "active_apsel_hostlane" #n, Q_LANE_APPLICATION, 0, n,		\
	  FIELD_SCALED, 1 }

static const struct field module_info[] = {
	FIELD_AS_TEXT("type", MODULE_TEXT_TYPE),
	FIELD_AS_TEXT("type_abbrv_name", MODULE_TEXT_TYPE_SHORT),
	FIELD_ATTRIBUTE("manufacturer", MODULE_TEXT_VENDOR, ATTRIBUTE_VENDOR),
	FIELD_ATTRIBUTE("model", MODULE_TEXT_PART, ATTRIBUTE_PART),
	FIELD_AS_TEXT("vendor_rev", MODULE_TEXT_REVISION),
	FIELD_ATTRIBUTE("hardware_rev", MODULE_TEXT_REVISION_OLD,
			ATTRIBUTE_HARDWARE),
	/* As in xcvrd of 2019 and before. */
	FIELD_ATTRIBUTE("manufacturename", MODULE_TEXT_VENDOR,
			ATTRIBUTE_VENDOR),
	FIELD_ATTRIBUTE("modelname", MODULE_TEXT_PART, ATTRIBUTE_PART),
	FIELD_ATTRIBUTE("serialnum", MODULE_TEXT_SERIAL, ATTRIBUTE_SERIAL),
	FIELD_ATTRIBUTE("hardwarerev", MODULE_TEXT_REVISION_OLD,
			ATTRIBUTE_HARDWARE),
	FIELD_ATTRIBUTE("Connector", MODULE_TEXT_CONNECTOR,
			ATTRIBUTE_CONNECTOR),
	FIELD_ATTRIBUTE("serial", MODULE_TEXT_SERIAL, ATTRIBUTE_SERIAL),
	FIELD_ATTRIBUTE("vendor_oui", MODULE_TEXT_OUI, ATTRIBUTE_OUI),
	FIELD_ATTRIBUTE("vendor_date", MODULE_TEXT_DATE, ATTRIBUTE_DATE),
	FIELD_ATTRIBUTE("connector", MODULE_TEXT_CONNECTOR,
			ATTRIBUTE_CONNECTOR),
	FIELD_AS_TEXT("cable_type", MODULE_TEXT_CABLE_TYPE),
	FIELD_AS_TEXT("cable_length", MODULE_TEXT_CABLE_LENGTH),
	{ "specification_compliance", 0, 0, 0, FIELD_LONG_TEXT, 0 },
	FIELD_ATTRIBUTE("media_interface_technology", MODULE_TEXT_TECHNOLOGY,
			ATTRIBUTE_TECHNOLOGY),
	FIELD_ATTRIBUTE("application_advertisement", MODULE_TEXT_APPLICATIONS,
			ATTRIBUTE_APPLICATIONS),
	{ "host_lane_count", Q_MODULE_HOST_LANES, 0, 0, FIELD_SCALED, 1 },
	{ "media_lane_count", Q_MODULE_MEDIA_LANES, 0, 0, FIELD_SCALED, 1 },
	FIELD_ATTRIBUTE("ext_identifier", MODULE_TEXT_POWER_CLASS,
			ATTRIBUTE_POWER_CLASS),
	FIELD_AS_TEXT("cmis_rev", MODULE_TEXT_CMIS),
	{ "vdm_supported", Q_MODULE_VDM_SUPPORTED, 0, 0, FIELD_BOOL, 1 },
	FIELD_AS_TEXT("active_firmware", MODULE_TEXT_FIRMWARE_OLD),
	FIELD_AS_TEXT("inactive_firmware", MODULE_TEXT_FIRMWARE_SPARE_OLD),
	{ "supported_max_tx_power", Q_MODULE_TX_POWER_MAX_PW, 0, 0, FIELD_DBM,
	  1 },
	{ "supported_min_tx_power", Q_MODULE_TX_POWER_MIN_PW, 0, 0, FIELD_DBM,
	  1 },
	{ "supported_max_laser_freq", Q_MODULE_LASER_FREQUENCY_MAX_GHZ, 0, 0,
	  FIELD_SCALED, 1 },
	{ "supported_min_laser_freq", Q_MODULE_LASER_FREQUENCY_MIN_GHZ, 0, 0,
	  FIELD_SCALED, 1 },
	FIELD_LANES_OF(LANE_INFO),
};

static const struct field module_firmware[] = {
	FIELD_AS_TEXT("active_firmware", FIRMWARE_TEXT_ACTIVE),
	FIELD_AS_TEXT("inactive_firmware", FIRMWARE_TEXT_SPARE),
};

/* "0": the cage is empty; else a module is in it, with bits for its faults. */
static const struct field module_plugged[] = { FIELD_AS_TEXT("status", 0) };

/* --- type of medium ------------------------------------------------------- */

/* The first word found, in this order, decides. Python's repr() writes the
 * tables, from whatever the platform knows, so only words are searched for.
 */
static const struct {
	const char *word;
	const char *media;
} words[] = {
	{ "linear active", "ACC" },
	{ "active_copper", "AEC" },	{ "Active copper", "AEC" },
	{ "active equalizers", "AEC" },
	{ "ACC", "ACC" },		{ "Copper Active", "ACC" },
	{ "Copper cable", "DAC" },	{ "passive_copper", "DAC" },
	{ "Passive Cable", "DAC" },	{ "Active Cable", "AOC" },
	{ "active_cable", "AOC" },	{ "AOC", "AOC" },
	{ "RJ45", "BASE-T" },		{ "BASE-T", "BASE-T" },
	{ "CR8", "DAC" },		{ "CR4", "DAC" },
	{ "CR2", "DAC" },		{ "BASE-CR", "DAC" },
	{ "400ZR", "ZR" },		{ "ZR", "ZR" },
	{ "DR8", "DR8" },		{ "DR4", "DR4" },
	{ "FR8", "FR8" },		{ "FR4", "FR4" },
	{ "LR8", "LR8" },		{ "LR4", "LR4" },
	{ "SR8", "SR8" },		{ "SR4", "SR4" },
	{ "VR8", "VR8" },		{ "VR4", "VR4" },
	{ "ER8", "ER8" },		{ "ER4", "ER4" },
	{ "PSM4", "PSM4" },		{ "CWDM4", "CWDM4" },
	{ "CLR4", "CLR4" },		{ "SWDM4", "SWDM4" },
	{ "4WDM", "4WDM" },		{ "SR2", "SR2" },
	{ "DR2", "DR2" },		{ "VR2", "VR2" },
	{ "DR", "DR" },			{ "FR", "FR" },
	{ "LR", "LR" },			{ "SR", "SR" },
	{ "VR", "VR" },			{ "ER", "ER" },
	{ "LRM", "LRM" },		{ "LX", "LX" },
	{ "SX", "SX" },			{ "ZX", "ZX" },
};

/* Inside a longer run of capitals it is another word: the LR of XLPPI's
 * neighbours, the ER of POWER; but not after 10G, or 10GE.
 */
static bool word_at(const char *text, const char *at, const char *word)
{
	const char *end = at + strlen(word);

	if (!isupper((unsigned char)word[0]) || strchr(word, ' '))
		return true;
	if (at > text && isupper((unsigned char)at[-1]) &&
	    !strchr("EG", at[-1]))
		return false;
	return !isalnum((unsigned char)*end) || isdigit((unsigned char)*end);
}

static bool text_has(const char *text, const char *word)
{
	const char *at = text;

	while ((at = strstr(at, word))) {
		if (word_at(text, at, word))
			return true;
		at++;
	}
	return false;
}

static const char *words_media(const char *text)
{
	for (size_t w = 0; w < COUNT(words); w++)
		if (text_has(text, words[w].word))
			return words[w].media;
	return "";
}

/* In Python's dictionary of all codes; "": it is not there. */
static const char *extended_code(const char *text)
{
	const char *extended = strstr(text, "Extended Specification");

	return extended ? extended : "";
}

/* The extended code says most. */
static const char *compliance_media(const char *text)
{
	const char *media = words_media(extended_code(text));

	return media[0] ? media : words_media(text);
}

/* 100G on one wavelength: DR, FR1, LR1, not SR4, nor 4 x 10GBASE-SR. */
static bool is_of_one_wavelength(const struct row *row)
{
	const char *code = extended_code(row->long_text);

	return strstr(code, "100G") && strlen(words_media(code)) == 2;
}

/* DR4, FR4, SR4 …, DAC, AEC, AOC, BASE-T; "" if the words do not say. */
static const char *media_guess(const struct row *row)
{
	const char *const guesses[] = {
		words_media(row->text[MODULE_TEXT_TECHNOLOGY]),
		compliance_media(row->long_text),
		words_media(row->text[MODULE_TEXT_APPLICATIONS]),
		words_media(row->text[MODULE_TEXT_TYPE]),
	};

	for (size_t i = 0; i < COUNT(guesses); i++)
		if (guesses[i][0])
			return guesses[i];
	return "";
}

/* --- identity ------------------------------------------------------------- */

static void module_attribute(const struct namespace *s, const struct cage *c,
			     enum attribute which, const char *text)
{
	s->host->attribute(s->host->context, c->module, which, text);
}

static void module_attributes(const struct run *r, const struct cage *c,
			      const struct row *row)
{
	const struct namespace *s = r->namespace;
	const char *revision = row->text[MODULE_TEXT_REVISION];
	const char *type = row->text[MODULE_TEXT_TYPE_SHORT];
	const char *cable = row->text[MODULE_TEXT_CABLE_TYPE];

	row_attributes(row, &r->index, s->host, c->module, true);
	module_attribute(s, c, ATTRIBUTE_REVISION, revision[0] ? revision :
			 row->text[MODULE_TEXT_REVISION_OLD]);
	module_attribute(s, c, ATTRIBUTE_FORM_FACTOR, type[0] ? type :
			 row->text[MODULE_TEXT_TYPE]);
	if (row->text[MODULE_TEXT_CMIS][0]) {
		char standard[ATTRIBUTE_TEXT_MAX];

		(void)snprintf(standard, sizeof(standard), "CMIS %.40s",
			       row->text[MODULE_TEXT_CMIS]);
		module_attribute(s, c, ATTRIBUTE_STANDARD, standard);
	}
	/* For a fibre module it is the reach, in varying units. */
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
	cages_module_gone(&p->namespace->topology, c);
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
	for (size_t i = 0; i < CAGE_ROWS_MAX; i++)
		c->row[i].parts = 0;
	if (was_known)		/* else it was there before Petrel */
		module_event(p, c, EVENT_MODULE_INSERTED, serial);
}

static unsigned lanes_of(const struct run *r, const struct row *row,
			 enum quantity which)
{
	int64_t lanes;

	if (!row_value(row, &r->index, which, &lanes) ||
	    lanes < 1 || lanes > MODULE_LANES_TOLD_MAX)
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
		hash = hash_octets(hash, row->text[parts[i]],
				 strlen(row->text[parts[i]]) + 1);
	return hash;
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
	       strcmp(media, "ACC") == 0 ||
	       strcmp(media, "BASE-T") == 0;
}

/* Reports a module, or another one in its place. */
static void info_row(struct poll *p, struct run *r, struct object *o,
		     const struct row *row)
{
	struct cage *c = o->port->cage;
	struct namespace *s = r->namespace;
	uint64_t identity = identity_of(row);
	unsigned host_lanes = lanes_of(r, row, Q_MODULE_HOST_LANES);
	unsigned media_lanes = lanes_of(r, row, Q_MODULE_MEDIA_LANES);

	if (!module_values_first(p, r, c))
		return;
	if (c->module != ENTITY_NONE && c->identity != identity)
		module_leave(p, c);
	if (c->module == ENTITY_NONE)
		module_enter(p, c, identity, row->text[MODULE_TEXT_SERIAL]);
	c->known = true;
	if (c->module == ENTITY_NONE)
		return;
	module_attributes(r, c, row);
	/* Numbers in the information, such as those of a coherent module. */
	module_values_emit(p, r, c, row);
	if (row->text[MODULE_TEXT_FIRMWARE_OLD][0])
		firmware_tell(s, c, row->text[MODULE_TEXT_FIRMWARE_OLD],
			      row->text[MODULE_TEXT_FIRMWARE_SPARE_OLD]);
	if (!media_lanes && is_of_one_wavelength(row)) {
		host_lanes = QSFP_LANES;
		media_lanes = 1;
	}
	c->copper = is_copper(media_guess(row));
	module_attribute(s, c, ATTRIBUTE_MEDIA, media_guess(row));
	if (c->host_lanes != host_lanes || c->media_lanes != media_lanes) {
		c->host_lanes = host_lanes;
		c->media_lanes = media_lanes;
		s->topology.lanes_stale = true;
	}
}

/* The version running in a module. */
static void firmware_row(struct poll *p, struct run *r, struct object *o,
			 const struct row *row)
{
	struct cage *c = o->port->cage;

	if (c->module == ENTITY_NONE || row->texts == 0 ||
	    !module_values_first(p, r, c))
		return;
	firmware_tell(r->namespace, c, row->text[FIRMWARE_TEXT_ACTIVE],
		      row->text[FIRMWARE_TEXT_SPARE]);
	changes_firmware(r->namespace, c, row->text[FIRMWARE_TEXT_ACTIVE],
			 p->asked);
}

static void plugged_row(struct poll *p, struct run *r, struct object *o,
			const struct row *row)
{
	(void)r;
	o->port->link.plugged = strcmp(row->text[0], "0") != 0;
	o->port->link.plugged_seen = p->serial;
}

const char *modules_unneeded(const struct topology *t)
{
	const struct object_set *ports = &t->set[OBJECT_PORT];
	bool caged = false;

	for (size_t i = 0; i < ports->count; i++) {
		const struct port *port = ports->list[i].port;

		caged |= port->cage != NULL;
		if (port->cage && (port->cage->module != ENTITY_NONE ||
				   port->link.plugged != 0))
			return NULL;
	}
	/* Else a chip inside the switch. */
	return caged ? "no module is plugged in" : "";
}

const char *monitors_unneeded(const struct topology *t)
{
	bool copper = false;

	for (size_t i = 0; i < t->cage_count; i++) {
		if (t->cages[i]->module == ENTITY_NONE)
			continue;
		if (!t->cages[i]->copper)
			return NULL;
		copper = true;
	}
	return copper ? "only copper is plugged in, which has no monitors" :
			modules_unneeded(t);
}

/* Reports for each port whether its cage holds a module. */
static void presence_emit(struct poll *p)
{
	const struct platform_host *host = p->namespace->host;
	const struct object_set *ports =
		&p->namespace->topology.set[OBJECT_PORT];
	struct read_group age = { .taken = p->asked };

	for (size_t i = 0; i < ports->count; i++) {
		const struct object *o = &ports->list[i];
		const struct cage *c = o->port->cage;
		struct port_link *l = &o->port->link;

		if (l->plugged_seen != p->serial)
			l->plugged = -1;
		if (!c || !c->known || o->handle == ENTITY_NONE)
			continue;
		host->group(host->context, p->source, o->handle, &age);
		host->sample(host->context, Q_MODULE_PRESENT, 0,
			     c->module != ENTITY_NONE || l->plugged > 0,
			     QUALITY_GOOD);
	}
}

/* When xcvrd restarts it removes all rows, and writes them again one by one as
 * it reads the modules: until then no module counts as gone.
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
		changes_tell(s, EVENT_SERVICE_RESTARTED, p->asked, "xcvrd", "",
			     "TRANSCEIVER_INFO of all modules was removed and "
			     "came back");
	s->modules_back = held && seen > 0;
	if (missing == 0 || !held)
		s->modules_missing.ns = 0;
	return held;
}

static bool cage_seen(const struct poll *p, struct cage *c)
{
	return c->row[CAGE_ROW_INFO].polled == p->serial;
}

bool modules_end(struct poll *p)
{
	struct topology *t = &p->namespace->topology;
	unsigned seen = 0, missing = 0;
	bool held;

	if (p->unread)
		return false;	/* if not asked for, it is not gone */
	for (size_t i = 0; i < t->cage_count; i++) {
		seen += cage_seen(p, t->cages[i]);
		missing += !cage_seen(p, t->cages[i]) &&
			   t->cages[i]->module != ENTITY_NONE;
	}
	held = modules_held(p, seen, missing);
	if (seen == 0)
		p->rows = 0;	/* the remaining rows mean nothing */
	if (held && seen == 0) {
		note_first(p,
			   "STATE_DB lost TRANSCEIVER_INFO of all modules at "
			   "once: is xcvrd running?");
		return false;
	}
	for (size_t i = 0; i < t->cage_count; i++) {
		if (!cage_seen(p, t->cages[i]) && !held)
			module_leave(p, t->cages[i]);
		t->cages[i]->known = true;
	}
	presence_emit(p);
	if (t->lanes_stale)
		cages_lanes(t);
	return false;
}

static const struct table tables[] = {
	{ MODULE("TRANSCEIVER_INFO", SONIC_TRANSCEIVERS, AGE_NOW),
	  FIELDS(module_info), .whole = true, .take = info_row },
	{ MODULE("TRANSCEIVER_FIRMWARE_INFO", SONIC_TRANSCEIVERS, AGE_NOW),
	  FIELDS(module_firmware), .optional = true, .take = firmware_row },
	{ ROW("TRANSCEIVER_STATUS_SW", SONIC_TRANSCEIVERS, DATABASE_STATE,
	      OBJECT_PORT),
	  FIELDS(module_plugged), .optional = true, .sparse = true,
	  .take = plugged_row },
	/* Images before 2024-11 keep it in the status table. */
	{ ROW("TRANSCEIVER_STATUS", SONIC_TRANSCEIVERS, DATABASE_STATE,
	      OBJECT_PORT),
	  FIELDS(module_plugged), .optional = true, .sparse = true,
	  .take = plugged_row },
};

const struct table_list modules_tables = TABLE_LIST(tables);
