#include "tests/support/odd_switch.h"

#include <fnmatch.h>
#include <string.h>

#include "platform/sonic/meaning/tables.h"

#define ODD_FIELDS 48		/* names and values of one row */

/* Hashes that are not one of the driver's tables: names and values in turn. */
static const struct odd_hash {
	const char *key;
	const char *pair[9];
} hashes[] = {
	{ "COUNTERS_PORT_NAME_MAP",
	  { "Ethernet0", "oid:0x1", "Ethernet4", "oid:0x2" } },
	{ "COUNTERS_QUEUE_NAME_MAP",
	  { "Ethernet0:0", "oid:0x10", "Ethernet0:3", "oid:0x11" } },
	{ "COUNTERS_QUEUE_TYPE_MAP",
	  { "oid:0x10", "SAI_QUEUE_TYPE_UNICAST", "oid:0x11",
	    "SAI_QUEUE_TYPE_MULTICAST" } },
	{ "COUNTERS_PG_NAME_MAP",
	  { "Ethernet0:3", "oid:0x20", "Ethernet4:4", "oid:0x21" } },
	{ "COUNTERS_BUFFER_POOL_NAME_MAP", { "egress_lossless", "oid:0x30" } },
	{ "COUNTERS:oid:0x10", { "SAI_QUEUE_STAT_DROPPED_PACKETS", "1" } },
	{ "PETREL|agent", { "log_level", "info" } },
	{ "PETREL|push", { "collector@", "tcp://127.0.0.1:1" } },
	{ "PETREL_AGENT|findings", { "abcdefghijkl", "warn" } },
	{ "DEVICE_METADATA|localhost",
	  { "hostname", "leaf", "type", "LeafRouter" } },
	{ "BUFFER_PROFILE|a", { "size", "1000", "dynamic_th", "1" } },
	{ "BUFFER_PG|Ethernet0|3-4", { "profile", "a" } },
	{ "BUFFER_QUEUE|Ethernet0|3", { "profile", "a" } },
	{ "QUEUE|Ethernet0|3", { "wred_profile", "w" } },
	{ "WRED_PROFILE|w", { "green_max_threshold", "1000" } },
	{ "BGP_DEVICE_GLOBAL|STATE", { "tsa_enabled", "false" } },
	{ "FEATURE|bgp", { "system_state", "up", "auth_key", "x" } },
	{ "NEIGH_STATE_TABLE|10.0.0.1", { "state", "Established" } },
};

static const struct {
	unsigned database;
	const char *key;
} keys[] = {
	{ DATABASE_CONFIG, "PORT|Ethernet0" },
	{ DATABASE_CONFIG, "PORT|Ethernet4" },
	{ DATABASE_CONFIG, "DEVICE_METADATA|localhost" },
	{ DATABASE_CONFIG, "BUFFER_PROFILE|a" },
	{ DATABASE_CONFIG, "BUFFER_PG|Ethernet0|3-4" },
	{ DATABASE_CONFIG, "BUFFER_QUEUE|Ethernet0|3" },
	{ DATABASE_CONFIG, "QUEUE|Ethernet0|3" },
	{ DATABASE_CONFIG, "WRED_PROFILE|w" },
	{ DATABASE_CONFIG, "BGP_DEVICE_GLOBAL|STATE" },
	{ DATABASE_CONFIG, "CONFIG_DB_INITIALIZED" },
	{ DATABASE_APPL, "PORT_TABLE:Ethernet0" },
	{ DATABASE_APPL, "PORT_TABLE:Ethernet4" },
	{ DATABASE_STATE, "TEMPERATURE_INFO|CPU" },
	{ DATABASE_STATE, "FAN_INFO|fan1" },
	{ DATABASE_STATE, "PSU_INFO|PSU 1" },
	{ DATABASE_STATE, "CHASSIS_MODULE_TABLE|LINE-CARD0" },
	{ DATABASE_STATE, "FEATURE|bgp" },
	{ DATABASE_STATE, "NEIGH_STATE_TABLE|10.0.0.1" },
	{ DATABASE_STATE, "HIGH_FREQUENCY_TELEMETRY_SESSION_TABLE|p|PORT" },
};

/* SONiC's numbers of those databases. */
static unsigned database_of(unsigned number)
{
	static const struct {
		unsigned number, database;
	} all[] = {
		{ 0, DATABASE_APPL }, { 2, DATABASE_COUNTERS },
		{ 4, DATABASE_CONFIG }, { 6, DATABASE_STATE },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].number == number)
			return all[i].database;
	return DATABASE_COUNT;
}

const char *odd_switch_value(const char *key, const char *field)
{
	static const struct {
		const char *field, *value;
	} all[] = {
		{ "lanes", "0,1,2,3" }, { "alias", "etp1" },
		{ "subport", "0" }, { "oper_status", "up" },
		{ "admin_status", "up" }, { "fec", "rs" },
		{ "speed", "400000" }, { "POLL_INTERVAL", "1000" },
		{ "FLEX_COUNTER_STATUS", "enable" }, { "type", "QSFP-DD" },
		{ "temperature", "45.5" }, { "stream_status", "enabled" },
		{ "object_names", "Ethernet0" }, { "object_ids", "1" },
		{ "slot", "1" }, { "lldp_rem_sys_name", "spine" },
	};

	if (strcmp(field, "index") == 0)
		return key + strlen(key) - 1;	/* 0 and 4 */
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].field[0] == field[0] &&
		    strcmp(all[i].field, field) == 0)
			return all[i].value;
	return strstr(field, "power") ? "-1.5" : "1";
}

static size_t table_row(const struct table *t, const char *key,
			const char *ret[static 2 * ODD_PAIRS_MAX])
{
	size_t n = 0;

	for (unsigned i = 0; i < t->fields.count && n < ODD_FIELDS; i++) {
		const char *name = t->fields.list[i].name;

		if (!name[0])
			continue;
		ret[n++] = name;
		ret[n++] = odd_switch_value(key, name);
	}
	return n;
}

size_t odd_switch_row(unsigned database, const char *key,
		      const char *ret[static 2 * ODD_PAIRS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < sizeof(hashes) / sizeof(hashes[0]); i++)
		if (strcmp(hashes[i].key, key) == 0) {
			while (hashes[i].pair[n]) {
				ret[n] = hashes[i].pair[n];
				n++;
			}
			return n;
		}
	for (unsigned i = 0; i < tables_count(); i++) {
		const struct table *t = table_get(i);
		size_t len = strlen(t->name);

		if (strncmp(key, t->name, len) == 0 && key[len] &&
		    strchr(":|", key[len]) &&
		    (t->database == database_of(database) ||
		     database_of(database) == DATABASE_COUNT))
			return table_row(t, key, ret);
	}
	return 0;
}

size_t odd_switch_keys(unsigned database, const char *pattern,
		       const char *ret[static ODD_PAIRS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].database == database_of(database) &&
		    fnmatch(pattern, keys[i].key, 0) == 0)
			ret[n++] = keys[i].key;
	return n;
}
