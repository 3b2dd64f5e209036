/* Sensors, fans and supplies of the switch: STATE_DB, written by pmon. The
 * cards of a chassis: their state in STATE_DB, and the sensors that each card
 * writes into CHASSIS_STATE_DB under its slot.
 *
 *   rows of cards, keys of CHASSIS_STATE_DB --all there--> rows of sensors
 *
 * CHASSIS_STATE_DB has a server of its own, on the supervisor. A line card
 * knows its name but has no socket to it: the supervisor's agent reports its
 * contents, and this one the card's own sensors, from STATE_DB. Nothing else
 * waits for that server.
 */
#include "platform/sonic/meaning/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "agent/base/number.h"
#include "agent/base/path.h"
#include "platform/sonic/meaning/counters.h"
#include "platform/sonic/meaning/text.h"
#include "platform/sonic/poll/age.h"
#include "platform/sonic/poll/run.h"
#include "platform/sonic/switchdb/map_names.h"

#define FLAG(name, quantity) { name, quantity, 0, 0, FIELD_BOOL, 1 }
#define LIMITS(quantity, scale)						\
	VALUE("critical_high_threshold", quantity, 0, scale),		\
	VALUE("high_threshold", quantity, 1, scale),			\
	VALUE("low_threshold", quantity, 2, scale),			\
	VALUE("critical_low_threshold", quantity, 3, scale)
#define STAMP FIELD_AS_TEXT("timestamp", TEXT_UPDATED)
#define PART_TEXTS							\
	FIELD_ATTRIBUTE("model", 1, ATTRIBUTE_PART),			\
	FIELD_ATTRIBUTE("serial", 2, ATTRIBUTE_SERIAL),			\
	FIELD_ATTRIBUTE("revision", 3, ATTRIBUTE_REVISION)
#define POINT(n) VALUE("temperature_" #n, Q_SENSOR_TEMP_POINT_MC, n, 1000)
#define FAN(name, quantity) { name, quantity, 0, 0, FIELD_FAN, 10000 }
#define HEAT(name) { name, Q_SENSOR_TEMP_MC, 0, 0, FIELD_HEAT, 1000 }
#define FAN_RPM { "", Q_SENSOR_FAN_RPM, 0, 0, FIELD_FAN, 1 }
#define VALUE(name, quantity, index, scale)				\
	{ name, quantity, index, 0, FIELD_SCALED, scale }

static const struct field temperature[] = {
	STAMP,
	HEAT("temperature"),
	LIMITS(Q_SENSOR_TEMP_THRESHOLD_MC, 1000),
	VALUE("minimum_temperature", Q_SENSOR_TEMP_SEEN_MC, 0, 1000),
	VALUE("maximum_temperature", Q_SENSOR_TEMP_SEEN_MC, 1, 1000),
	FLAG("warning_status", Q_SENSOR_WARNING),
};

static const struct field fan[] = {
	STAMP,
	FAN("speed", Q_FAN_SPEED_PPM),
	FAN_RPM,
	FAN("speed_target", Q_FAN_TARGET_PPM),
	VALUE("speed_tolerance", Q_FAN_TOLERANCE_PPM, 0, 10000),
	FLAG("is_under_speed", Q_FAN_UNDER_SPEED),
	FLAG("is_over_speed", Q_FAN_OVER_SPEED),
	FLAG("presence", Q_SENSOR_PRESENT),
	FLAG("status", Q_SENSOR_WELL),
	PART_TEXTS,
};

/* Volts, amperes, watts; older platforms write the first three names, newer
 * ones both. Output is what a supply delivers.
 */
static const struct field psu[] = {
	STAMP,
	VALUE("voltage", Q_SENSOR_VOLTAGE_UV, 0, 1000000),
	VALUE("current", Q_SENSOR_CURRENT_UA, 0, 1000000),
	VALUE("power", Q_SENSOR_POWER_UW, 0, 1000000),
	VALUE("output_voltage", Q_SENSOR_VOLTAGE_UV, 0, 1000000),
	VALUE("output_current", Q_SENSOR_CURRENT_UA, 0, 1000000),
	VALUE("output_power", Q_SENSOR_POWER_UW, 0, 1000000),
	VALUE("input_voltage", Q_SUPPLY_INPUT_VOLTAGE_UV, 0, 1000000),
	VALUE("input_current", Q_SUPPLY_INPUT_CURRENT_UA, 0, 1000000),
	HEAT("temp"),
	VALUE("temp_threshold", Q_SENSOR_TEMP_THRESHOLD_MC, 1, 1000),
	VALUE("voltage_max_threshold", Q_SENSOR_VOLTAGE_THRESHOLD_UV, 1,
	      1000000),
	VALUE("voltage_min_threshold", Q_SENSOR_VOLTAGE_THRESHOLD_UV, 2,
	      1000000),
	VALUE("power_critical_threshold", Q_SENSOR_POWER_THRESHOLD_UW, 0,
	      1000000),
	VALUE("power_warning_suppress_threshold", Q_SENSOR_POWER_THRESHOLD_UW,
	      1, 1000000),
	VALUE("max_power", Q_SENSOR_POWER_THRESHOLD_UW, 2, 1000000),
	FLAG("power_overload", Q_SUPPLY_OVERLOAD),
	FLAG("presence", Q_SENSOR_PRESENT),
	FLAG("status", Q_SENSOR_WELL),
	PART_TEXTS,
};

/* Old platforms have a separate table for the fans of supplies. */
static const struct field psu_fan[] = {
	FAN("speed", Q_FAN_SPEED_PPM),
	FAN_RPM,
	FLAG("presence", Q_SENSOR_PRESENT),
	FLAG("status", Q_SENSOR_WELL),
};

enum { ELECTRIC_UNIT = TEXT_UPDATED + 1 };	/* field and text */

/* In millionths of the unit that the row names: unit_settle(). */
static const struct field voltage[] = {
	STAMP,
	FIELD_AS_TEXT("unit", ELECTRIC_UNIT),
	VALUE("voltage", Q_SENSOR_VOLTAGE_UV, 0, 1000000),
	LIMITS(Q_SENSOR_VOLTAGE_THRESHOLD_UV, 1000000),
	VALUE("minimum_voltage", Q_SENSOR_VOLTAGE_SEEN_UV, 0, 1000000),
	VALUE("maximum_voltage", Q_SENSOR_VOLTAGE_SEEN_UV, 1, 1000000),
	FLAG("warning_status", Q_SENSOR_WARNING),
};

static const struct field current[] = {
	STAMP,
	FIELD_AS_TEXT("unit", ELECTRIC_UNIT),
	VALUE("current", Q_SENSOR_CURRENT_UA, 0, 1000000),
	LIMITS(Q_SENSOR_CURRENT_THRESHOLD_UA, 1000000),
	VALUE("minimum_current", Q_SENSOR_CURRENT_SEEN_UA, 0, 1000000),
	VALUE("maximum_current", Q_SENSOR_CURRENT_SEEN_UA, 1, 1000000),
	FLAG("warning_status", Q_SENSOR_WARNING),
};

/* A sensor that cannot say whether it is wet does not count as dry. */
static const struct field leak[] = {
	STAMP,
	{ "leak_status", Q_LEAK_DETECTED, 0, 0, FIELD_WORD, WORDS_LEAK },
	{ "leaking", Q_LEAK_DETECTED, 0, 0, FIELD_WORD, WORDS_LEAK },
	{ "leak_sensor_status", Q_SENSOR_WELL, 0, 0, FIELD_WORD,
	  WORDS_LEAK_SENSOR },
};

/* From stormond: percent, and counts since the disk is in use. */
static const struct field storage[] = {
	HEAT("temperature"),
	VALUE("health", Q_STORAGE_HEALTH_PPM, 0, 10000),
	{ "disk_io_reads", Q_STORAGE_ACCESSES, 0, 0, FIELD_COUNTER, 1 },
	{ "disk_io_writes", Q_STORAGE_ACCESSES, 1, 0, FIELD_COUNTER, 1 },
	{ "total_fsio_reads", Q_STORAGE_ACCESSES, 2, 0, FIELD_COUNTER, 1 },
	{ "total_fsio_writes", Q_STORAGE_ACCESSES, 3, 0, FIELD_COUNTER, 1 },
	VALUE("reserved_blocks", Q_STORAGE_RESERVED_BLOCKS, 0, 1),
	FIELD_ATTRIBUTE("device_model", 1, ATTRIBUTE_PART),
	FIELD_ATTRIBUTE("serial", 2, ATTRIBUTE_SERIAL),
	FIELD_ATTRIBUTE("firmware", 3, ATTRIBUTE_REVISION),
};

static const struct field asic_temperature[] = {
	HEAT("maximum_temperature"),
	VALUE("average_temperature", Q_SENSOR_TEMP_AVERAGE_MC, 0, 1000),
	POINT(0), POINT(1), POINT(2), POINT(3), POINT(4), POINT(5), POINT(6),
	POINT(7), POINT(8), POINT(9), POINT(10), POINT(11), POINT(12),
	POINT(13), POINT(14), POINT(15),
};

/* Most platforms have mV and mA, and a row without a unit is in these. */
static const struct {
	const char *word;
	int64_t divisor;	/* of millionths of it, to uV and uA */
} units[] = {
	{ "", 1000 }, { "mV", 1000 }, { "mA", 1000 },
	{ "V", 1 }, { "A", 1 }, { "Volts", 1 }, { "Amps", 1 },
	{ "uV", 1000000 }, { "uA", 1000000 },
};

static int64_t unit_divisor(const char *word)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcasecmp(units[i].word, word) == 0)
			return units[i].divisor;
	return 0;
}

/* The values of a row in a unit that is not known mean nothing. */
static void unit_settle(struct row *row, const struct field_index *x)
{
	int64_t divisor = unit_divisor(row->text[ELECTRIC_UNIT]);

	for (unsigned i = 0; i < x->count; i++) {
		if (x->fields[i].form != FIELD_SCALED || !row_has(row, i))
			continue;
		if (divisor > 0)
			row->value[i] = number_scale(row->value[i], 1, divisor);
		else
			row_refuse(row, i, &x->fields[ELECTRIC_UNIT],
				   row->text[ELECTRIC_UNIT]);
	}
}

#define SENSOR(name_, object_, fields_)					\
	ROW(name_, SONIC_SENSORS, DATABASE_STATE, object_),		\
	FIELDS(fields_), .whole = true, .optional = true,		\
	.take = sensor_row
/* Rows that a card of a chassis shares, under its slot. */
#define OF_SLOT(name_, object_, fields_)				\
	ROW(name_, SONIC_CHASSIS, DATABASE_CHASSIS_STATE, object_),	\
	FIELDS(fields_), .whole = true, .optional = true, .late = true,	\
	.key = KEY_SLOT, .take = card_sensor_row

/* A temperature, fan, supply, voltage, current or leak. */
static void sensor_row(struct poll *p, struct run *r, struct object *o,
		       const struct row *row)
{
	const struct platform_host *host = r->namespace->host;
	struct read_group age = { .window_ns = 0 };

	host->attribute(host->context, o->handle, ATTRIBUTE_LABEL,
			r->table->name);
	row_attributes(row, &r->index, host, o->handle, false);
	if (!age_of_sensor(p, o, row, &r->index, &age))
		(void)counters_row_aged(p, r, o, row, &age);
}

/* A sensor that a card itself reports. */
static void card_sensor_row(struct poll *p, struct run *r, struct object *o,
			    const struct row *row)
{
	const struct platform_host *host = r->namespace->host;
	char slot[OBJECT_NAME_MAX];

	(void)snprintf(slot, sizeof(slot), "%.*s",
		       (int)strcspn(o->name, "|:"), o->name);
	host->attribute(host->context, o->handle, ATTRIBUTE_SLOT, slot);
	sensor_row(p, r, o, row);
}

/* --- the cards of a chassis ----------------------------------------------- */

#define SLOT_MAX 999
#define NO_ADDRESS "0.0.0.0"			/* chassisd's for none */
#define CARDS_PERIOD_NS (10 * NS_PER_S)		/* chassisd's */

/* The kind of sensor in a table, by the start of its name. */
static const struct {
	const char *table;
	enum object_kind kind;
} slot_tables[] = {
	{ "TEMPERATURE_INFO_", OBJECT_CARD_TEMPERATURE },
	{ "VOLTAGE_INFO_", OBJECT_CARD_VOLTAGE },
	{ "CURRENT_INFO_", OBJECT_CARD_CURRENT },
};

#define SLOT_TABLES (sizeof(slot_tables) / sizeof(slot_tables[0]))

enum { CARD_TEXT_SLOT, CARD_TEXT_ADDRESS };

static const struct field card[] = {
	FIELD_ATTRIBUTE("desc", 2, ATTRIBUTE_DESCRIPTION),
	FIELD_ATTRIBUTE("slot", CARD_TEXT_SLOT, ATTRIBUTE_SLOT),
	FIELD_ATTRIBUTE("serial", 3, ATTRIBUTE_SERIAL),
	{ "oper_status", Q_CARD_STATE, 0, 0, FIELD_WORD, WORDS_CARD },
	{ "num_asics", Q_CARD_CHIPS, 0, 0, FIELD_SCALED, 1 },
};

static const struct field card_midplane[] = {
	{ "access", Q_CARD_REACHABLE, 0, 0, FIELD_BOOL, 1 },
	FIELD_AS_TEXT("ip_address", CARD_TEXT_ADDRESS),
};

static const struct field card_host[] = {
	FIELD_ATTRIBUTE("hostname", 2, ATTRIBUTE_ALIAS),
};

/* --- rows ----------------------------------------------------------------- */

static void part_row(struct poll *p, struct run *r, struct object *o,
		     const struct row *row)
{
	const struct platform_host *host = r->namespace->host;
	const char *address = row->text[CARD_TEXT_ADDRESS];
	const struct read_group age = {
		.taken = { p->asked.ns - CARDS_PERIOD_NS / 2 },
		.uncertainty_ns = CARDS_PERIOD_NS / 2 };

	row_attributes(row, &r->index, host, o->handle, false);
	if (address[0] && strcmp(address, NO_ADDRESS) != 0)
		host->attribute(host->context, o->handle, ATTRIBUTE_ADDRESS,
				address);
	(void)counters_row_aged(p, r, o, row, &age);
}

/* A card: its state, place and chips. */
static void card_row(struct poll *p, struct run *r, struct object *o,
		     const struct row *row)
{
	const struct platform_host *host = r->namespace->host;
	const char *slot = row->text[CARD_TEXT_SLOT];
	uint64_t number;

	host->attribute(host->context, o->handle, ATTRIBUTE_LABEL,
			r->table->name);
	o->own_slot = 0;
	if (strncmp(o->name, "SUPERVISOR", 10) == 0 &&
	    number_parse(slot, 0, SLOT_MAX, &number) == 0)
		o->own_slot = 1 + (uint32_t)number;
	part_row(p, r, o, row);
}

/* --- listing of sensors --------------------------------------------------- */

/* TEMPERATURE_INFO_3|CPU: keeps the part after the table's name. */
static void slot_key(struct lister *l, const char *text, size_t len)
{
	const struct poll *p = l->context;

	for (size_t i = 0; i < SLOT_TABLES; i++) {
		size_t table = strlen(slot_tables[i].table);

		if (len > table &&
		    memcmp(text, slot_tables[i].table, table) == 0)
			map_names_sensor(p->namespace,
					 &p->namespace->chassis.found[
						 slot_tables[i].kind],
					 text + table, len - table);
	}
}

static void slot_done(struct lister *l, int rc)
{
	struct poll *p = l->context;

	p->namespace->chassis.listed = rc == 0;
	if (rc < 0)
		note_first(p, "%.150s", l->reason);
	p->errors += rc == -EPROTO || rc == -E2BIG;
	p->query_done(p, rc == -ENODATA ? l->reason : NULL);
}

static const struct lister_ops slot_ops = {
	.key = slot_key,
	.done = slot_done,
};

static void keys_ask(struct poll *p)
{
	struct lister *l = &p->namespace->chassis.lister;

	lister_begin(l, &slot_ops, p);
	for (size_t i = 0; i < SLOT_TABLES; i++)
		lister_add(l, "%s*", slot_tables[i].table);
	p->pending++;
	lister_ask(l, &p->namespace->channel[DATABASE_CHASSIS_STATE],
		   LISTER_KEYS_MAX, p->asked);
}

/* A line card has the name of the database, but no socket. */
static bool is_remote(const struct namespace *s)
{
	const struct channel *c = &s->channel[DATABASE_CHASSIS_STATE];
	int fd;

	if (c->connects > 0)
		return false;
	fd = path_open(s->root_fd, c->database.socket, O_PATH);
	if (fd < 0)
		return fd == -ENOENT || fd == -ENOTDIR;
	close(fd);
	return false;
}

void chassis_ask(struct poll *p)
{
	struct namespace *s = p->namespace;

	s->chassis.listed = false;
	chassis_fini(&s->chassis);
	if (!s->databases.of[DATABASE_CHASSIS_STATE].known)
		return;
	if (is_remote(s)) {
		note_first(p,
			   "%.100s is not here: the agent on the supervisor "
			   "reports all cards",
			   s->channel[DATABASE_CHASSIS_STATE].database.socket);
		return;
	}
	keys_ask(p);
}

/* The supervisor has its own shared rows in STATE_DB as well. */
static bool is_own(const struct namespace *s, const char *name)
{
	const struct object_set *cards = &s->topology.set[OBJECT_CARD];
	uint64_t slot;

	if (number_parse_n(name, strcspn(name, "|:"), 0, SLOT_MAX, &slot) < 0)
		return false;
	for (size_t i = 0; i < cards->count; i++)
		if (cards->list[i].own_slot == 1 + slot)
			return true;
	return false;
}

static void own_drop(const struct namespace *s, struct name_list *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->count; i++)
		if (!is_own(s, l->list[i].name))
			l->list[kept++] = l->list[i];
	l->count = kept;
}

/* Merging restarts all polls under way: only do it for new names. */
static bool is_news(const struct object_set *set, const struct name_list *l)
{
	if (set->count != l->count)
		return true;
	for (size_t i = 0; i < l->count; i++)
		if (set->list[i].missing.ns != 0 ||
		    strcmp(set->list[i].name, l->list[i].name) != 0)
			return true;
	return false;
}

static void sensors_merge(struct poll *p)
{
	struct namespace *s = p->namespace;

	for (size_t i = 0; i < SLOT_TABLES; i++) {
		enum object_kind kind = slot_tables[i].kind;
		struct name_list *l = &s->chassis.found[kind];

		own_drop(s, l);
		name_list_sort(l);
		if (!is_news(&s->topology.set[kind], l))
			continue;
		if (topology_merge(&s->topology, kind, l, true, p->asked) < 0)
			note_first(p, "out of memory");
	}
}

bool chassis_end(struct poll *p)
{
	if (p->phase != POLL_RUNS || !p->namespace->chassis.listed)
		return false;
	sensors_merge(p);
	return true;
}

void chassis_fini(struct chassis *c)
{
	for (size_t i = 0; i < SLOT_TABLES; i++)
		name_list_free(&c->found[slot_tables[i].kind]);
}

/* --- tables --------------------------------------------------------------- */

static const struct table tables[] = {
	{ SENSOR("TEMPERATURE_INFO", OBJECT_TEMPERATURE, temperature) },
	{ SENSOR("FAN_INFO", OBJECT_FAN, fan) },
	{ SENSOR("PSU_INFO", OBJECT_PSU, psu) },
	{ SENSOR("PSU_FAN_INFO", OBJECT_PSU_FAN, psu_fan) },
	{ SENSOR("VOLTAGE_INFO", OBJECT_VOLTAGE, voltage),
	  .settle = unit_settle },
	{ SENSOR("CURRENT_INFO", OBJECT_CURRENT, current),
	  .settle = unit_settle },
	{ SENSOR("LIQUID_COOLING_INFO", OBJECT_LEAK, leak) },
	{ SENSOR("STORAGE_INFO", OBJECT_STORAGE, storage) },
	{ SENSOR("ASIC_TEMPERATURE_INFO", OBJECT_ASIC, asic_temperature),
	  .key = KEY_FIXED },
	{ OF_SLOT("TEMPERATURE_INFO", OBJECT_CARD_TEMPERATURE, temperature) },
	{ OF_SLOT("VOLTAGE_INFO", OBJECT_CARD_VOLTAGE, voltage),
	  .settle = unit_settle },
	{ OF_SLOT("CURRENT_INFO", OBJECT_CARD_CURRENT, current),
	  .settle = unit_settle },
	{ ROW("CHASSIS_MODULE_TABLE", SONIC_CHASSIS, DATABASE_STATE,
	      OBJECT_CARD),
	  FIELDS(card), .whole = true, .optional = true, .take = card_row },
	{ ROW("CHASSIS_MIDPLANE_TABLE", SONIC_CHASSIS, DATABASE_STATE,
	      OBJECT_CARD),
	  FIELDS(card_midplane), .optional = true, .take = part_row },
	{ ROW("CHASSIS_MODULE_TABLE", SONIC_CHASSIS, DATABASE_CHASSIS_STATE,
	      OBJECT_CARD),
	  FIELDS(card_host), .optional = true, .late = true,
	  .take = part_row },
};

const struct table_list sensors_tables = TABLE_LIST(tables);
