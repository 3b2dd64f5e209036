#include "platform/sonic/switchdb/map_names.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/array.h"
#include "agent/base/clean.h"

#define LONG_NAMES_MAX 256
#define SHOWN_MAX 24	/* of a foreign text */
#define STORAGE_MARK "FSSTATS_SYNC"	/* not a disk: stormond's last save */
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The object of a table's key: the part after the separator, except for tables
 * with just one row.
 */
static const struct {
	const char *table;
	uint8_t map;		/* enum map_query */
	uint8_t kind;		/* enum object_kind */
	const char *row;	/* name of its only row */
} listed[] = {
	{ "PORT", MAP_CONFIG_KEYS, OBJECT_PORT, NULL },
	{ "PORT_TABLE", MAP_APPL_KEYS, OBJECT_PORT, NULL },
	{ "PORTCHANNEL_MEMBER", MAP_CONFIG_KEYS, OBJECT_LAG_MEMBER, NULL },
	{ "TEMPERATURE_INFO", MAP_SENSORS, OBJECT_TEMPERATURE, NULL },
	{ "FAN_INFO", MAP_SENSORS, OBJECT_FAN, NULL },
	{ "PSU_INFO", MAP_SENSORS, OBJECT_PSU, NULL },
	{ "PSU_FAN_INFO", MAP_SENSORS, OBJECT_PSU_FAN, NULL },
	{ "VOLTAGE_INFO", MAP_SENSORS, OBJECT_VOLTAGE, NULL },
	{ "CURRENT_INFO", MAP_SENSORS, OBJECT_CURRENT, NULL },
	{ "LIQUID_COOLING_INFO", MAP_SENSORS, OBJECT_LEAK, NULL },
	{ "STORAGE_INFO", MAP_SENSORS, OBJECT_STORAGE, NULL },
	{ "ASIC_TEMPERATURE_INFO", MAP_SENSORS, OBJECT_ASIC, "ASIC" },
	{ "CHASSIS_MODULE_TABLE", MAP_SENSORS, OBJECT_CARD, NULL },
	{ "CHASSIS_MIDPLANE_TABLE", MAP_SENSORS, OBJECT_CARD, NULL },
};

void map_names_patterns(const struct namespace *s, enum map_query m,
			struct lister *l)
{
	char config = namespace_separator(s, DATABASE_CONFIG);
	char appl = namespace_separator(s, DATABASE_APPL);

	if (m == MAP_CONFIG_KEYS) {
		lister_add(l, "PORT%cEthernet*", config);
		lister_add(l, "PORTCHANNEL_MEMBER%c*", config);
	} else if (m == MAP_APPL_KEYS) {
		lister_add(l, "PORT_TABLE%cEthernet*", appl);
	} else {
		lister_add(l, "*_INFO*");
		lister_add(l, "CHASSIS_M*");
	}
}

const char *map_names_full(const struct namespace *s, const char *name)
{
	const struct maps *m = &s->maps;

	for (size_t i = 0; i < m->long_count; i++)
		if (strcmp(m->long_names[i].name, name) == 0)
			return m->long_names[i].full;
	return name;
}

/* They stay: the sensors of a switch do not change their names. */
static bool long_name_keep(struct namespace *s, const struct long_name *n)
{
	struct maps *m = &s->maps;
	struct long_name *list;

	if (map_names_full(s, n->name) != n->name)
		return true;
	if (m->long_count == LONG_NAMES_MAX)
		return false;
	list = array_room(m->long_names, &m->long_cap, m->long_count + 1,
			  sizeof(*list));
	if (!list)
		return false;
	m->long_names = list;
	list[m->long_count++] = *n;
	return true;
}

void map_names_sensor(struct namespace *s, struct name_list *to,
		      const char *name, size_t len)
{
	struct long_name n = { .name = "" };

	if (len < OBJECT_NAME_MAX || len >= LONG_NAME_MAX ||
	    memchr(name, '\0', len)) {
		name_list_add(to, name, len, 0);
		return;
	}
	memcpy(n.full, name, len);
	entity_name_fit(n.name, name, len);
	if (long_name_keep(s, &n))
		name_list_add(to, n.name, strlen(n.name), 0);
	else
		to->bad++;
}

static void name_take(struct namespace *s, enum map_query m, unsigned kind,
		      const char *name, size_t len)
{
	if (kind == OBJECT_STORAGE && len == strlen(STORAGE_MARK) &&
	    memcmp(name, STORAGE_MARK, len) == 0)
		return;
	if (kind == OBJECT_PORT && !name_is_port(name, len))
		return;
	if (m == MAP_SENSORS)
		map_names_sensor(s, &s->maps.found[kind], name, len);
	else
		name_list_add(&s->maps.found[kind], name, len, 0);
	s->maps.config_ports += kind == OBJECT_PORT && m == MAP_CONFIG_KEYS;
}

void map_names_key(struct namespace *s, enum map_query m, char separator,
		   const char *key, size_t len)
{
	const char *end = memchr(key, separator, len);
	size_t table = end ? (size_t)(end - key) : len;

	for (size_t i = 0; i < COUNT(listed); i++) {
		const char *row = listed[i].row;

		if (listed[i].map != m || strlen(listed[i].table) != table ||
		    memcmp(listed[i].table, key, table) != 0)
			continue;
		if (end && !row)
			name_take(s, m, listed[i].kind, end + 1,
				  len - table - 1);
		else if (!end && row)
			name_take(s, m, listed[i].kind, row, strlen(row));
	}
}

/* Ethernet200_line and Ethernet200_system: the two sides of its gearbox. */
static void gearbox_take(struct namespace *s, const char *name, size_t len,
			 uint64_t oid)
{
	static const struct {
		const char *end;
		enum object_kind kind;
	} sides[] = {
		{ "_system", OBJECT_GEARBOX_SYSTEM },
		{ "_line", OBJECT_GEARBOX_LINE },
	};

	for (size_t i = 0; i < COUNT(sides); i++) {
		size_t n = strlen(sides[i].end);

		if (len > n && memcmp(name + len - n, sides[i].end, n) == 0)
			name_list_add(&s->maps.found[sides[i].kind], name,
				      len - n, oid);
	}
}

/* "Linecard1|Asic0|Ethernet4:3" is a queue towards that system port. */
static void voq_take(struct maps *maps, const char *name, size_t len,
		     uint64_t oid)
{
	const char *colon = memrchr(name, ':', len);

	if (!colon)
		return;
	name_list_add(&maps->found[OBJECT_VOQ], name, len, oid);
	name_list_add(&maps->found[OBJECT_SYSTEM_PORT], name,
		      (size_t)(colon - name), 0);
}

/* Some tools write it without "oid:". */
static int chip_id(const char *text, size_t len, uint64_t *ret)
{
	char whole[OBJECT_NAME_MAX];
	int n = snprintf(whole, sizeof(whole), "oid:%.*s",
			 len < 24 ? (int)len : 24, text);

	return oid_parse(text, len, ret) == 0 ? 0 :
	       oid_parse(whole, (size_t)n, ret);
}

static void id_take(struct namespace *s, enum map_query m, unsigned kind,
		    uint64_t oid)
{
	struct maps *maps = &s->maps;

	if (m == MAP_GEARBOXES)
		gearbox_take(s, maps->name, maps->name_len, oid);
	else if (m == MAP_VOQS)
		voq_take(maps, maps->name, maps->name_len, oid);
	else if (m == MAP_CHIP)
		name_list_add(&maps->found[OBJECT_CHIP], "chip", 4, oid);
	else
		name_list_add(&maps->found[kind], maps->name, maps->name_len,
			      oid);
}

/* Notes a text that is not an id. */
static void oid_note(struct maps *m, const char *map, const char *text,
		     size_t len)
{
	char shown[SHOWN_MAX], name[OBJECT_NAME_MAX];

	if (m->implausible[0])
		return;
	clean_octets(shown, sizeof(shown), text, len);
	clean_octets(name, sizeof(name), m->name, m->name_len);
	(void)snprintf(m->implausible, sizeof(m->implausible),
		       "%s: %s has '%s', not an object id",
		       map, name, shown);
}

void map_names_pair(struct namespace *s, enum map_query m, const char *map,
		    unsigned kind, const char *text, size_t len)
{
	struct maps *maps = &s->maps;
	uint64_t oid;

	if (m == MAP_QUEUE_TYPES) {	/* oid to type: the type is its name */
		if (oid_parse(maps->name, maps->name_len, &oid) == 0)
			name_list_add(&maps->types, text, len, oid);
		return;
	}
	/* The chip's id is the only field that is no user-defined statistic. */
	if (m == MAP_CHIP && (maps->name_len != 9 ||
			      memcmp(maps->name, "SWITCH_ID", 9) != 0))
		return;
	if (m < MAP_POOLS && !name_is_port(maps->name, maps->name_len))
		return;		/* the CPU's port, a LAG */
	if (m == MAP_CHIP ? chip_id(text, len, &oid) < 0 :
			    oid_parse(text, len, &oid) < 0)
		oid_note(maps, map, text, len);
	else
		id_take(s, m, kind, oid);
}

void map_names_keep_sensors(struct namespace *s)
{
	for (unsigned k = OBJECT_TEMPERATURE; k <= OBJECT_CARD; k++) {
		const struct object_set *set = &s->topology.set[k];

		for (size_t i = 0; i < set->count; i++)
			name_list_add(&s->maps.found[k], set->list[i].name,
				      strlen(set->list[i].name), 0);
	}
}

void map_names_twins(struct maps *m, struct name_list *l)
{
	const char *one, *other;
	char a[OBJECT_NAME_MAX], b[OBJECT_NAME_MAX];

	if (m->implausible[0] || !name_list_twins(l, &one, &other))
		return;
	clean_octets(a, sizeof(a), one, strlen(one));
	clean_octets(b, sizeof(b), other, strlen(other));
	(void)snprintf(m->implausible, sizeof(m->implausible),
		       "%.47s and %.47s share an object id: the owner of "
		       "the counters is not known",
		       a, b);
}

void map_names_room(char note[static SOURCE_REASON_MAX], const char *of,
		    size_t most, const struct name_list *l)
{
	if (!note[0] && l->bad > 0)
		(void)snprintf(note, SOURCE_REASON_MAX,
			       "%u names of %s are "
			       "left out: longer than %zu octets, or too many",
			       l->bad, of, most - 1);
}

void map_names_ports(struct maps *m, struct name_list *ports)
{
	if (ports->count <= PORTS_MAX)
		return;
	m->cut = true;
	(void)snprintf(m->implausible, sizeof(m->implausible),
		       "%zu ports are named: only "
		       "the first %d are read",
		       ports->count, PORTS_MAX);
	ports->count = PORTS_MAX;
}
