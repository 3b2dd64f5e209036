/* Which tables are followed, and what a change in each of them is. */
#include "platform/sonic/config/followed.h"

#include <string.h>
#include <strings.h>

#include "petrel/platform.h"
#include "platform/sonic/switchdb/database.h"

#define SETTING(name)							\
	{ .table = name, .database = DATABASE_CONFIG,			\
	  .event = EVENT_SETTING_CHANGED }

/* thresholds.c tells what follows from these. */
#define DERIVED(name)							\
	{ .table = name, .database = DATABASE_CONFIG, .derive = true,	\
	  .event = EVENT_SETTING_CHANGED }

static const struct followed tables[] = {
	SETTING("PORT"),
	SETTING("BREAKOUT_CFG"),
	SETTING("PORTCHANNEL"),
	SETTING("PORTCHANNEL_MEMBER"),
	SETTING("BUFFER_POOL"),
	DERIVED("BUFFER_PROFILE"),
	DERIVED("BUFFER_PG"),
	DERIVED("BUFFER_QUEUE"),
	SETTING("BUFFER_PORT_INGRESS_PROFILE_LIST"),
	SETTING("BUFFER_PORT_EGRESS_PROFILE_LIST"),
	SETTING("DEFAULT_LOSSLESS_BUFFER_PARAMETER"),
	SETTING("LOSSLESS_TRAFFIC_PATTERN"),
	SETTING("CABLE_LENGTH"),
	DERIVED("WRED_PROFILE"),
	SETTING("SCHEDULER"),
	DERIVED("QUEUE"),
	SETTING("PORT_QOS_MAP"),
	SETTING("DSCP_TO_TC_MAP"),
	SETTING("DOT1P_TO_TC_MAP"),
	SETTING("TC_TO_QUEUE_MAP"),
	SETTING("TC_TO_PRIORITY_GROUP_MAP"),
	SETTING("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"),
	SETTING("MAP_PFC_PRIORITY_TO_QUEUE"),
	SETTING("PFC_WD"),
	SETTING("FLEX_COUNTER_TABLE"),
	SETTING("HIGH_FREQUENCY_TELEMETRY_PROFILE"),
	SETTING("HIGH_FREQUENCY_TELEMETRY_GROUP"),
	SETTING("DEVICE_METADATA"),
	SETTING("DEVICE_NEIGHBOR"),
	DERIVED("DEVICE_NEIGHBOR_METADATA"),
	SETTING("FEATURE"),
	SETTING("CHASSIS_MODULE"),
	{ .table = "BGP_DEVICE_GLOBAL", .database = DATABASE_CONFIG,
	  .event = EVENT_TSA_CHANGED, .fields = { "tsa_enabled" } },
	{ .table = "NEIGH_STATE_TABLE", .database = DATABASE_STATE,
	  .event = EVENT_BGP_CHANGED, .key_only = true,
	  .fields = { "state" } },
	{ .table = "CHASSIS_MODULE_TABLE", .database = DATABASE_STATE,
	  .event = EVENT_CARD_CHANGED, .key_only = true,
	  .fields = { "oper_status" } },
	{ .table = "CHASSIS_MIDPLANE_TABLE", .database = DATABASE_STATE,
	  .event = EVENT_CARD_CHANGED, .fields = { "access" } },
	/* Written whenever a container is started or stopped. */
	{ .table = "FEATURE", .database = DATABASE_STATE,
	  .event = EVENT_SERVICE_RESTARTED, .key_only = true,
	  .first_only = true, .fields = { "system_state", "update_time" } },
	{ .table = "WARM_RESTART_ENABLE_TABLE", .database = DATABASE_STATE,
	  .event = EVENT_SETTING_CHANGED, .fields = { "enable" } },
	{ .table = "FAST_RESTART_ENABLE_TABLE", .database = DATABASE_STATE,
	  .event = EVENT_SETTING_CHANGED, .fields = { "enable" } },
	{ .table = "WARM_RESTART_TABLE", .database = DATABASE_STATE,
	  .fields = { "state" } },
};
_Static_assert(sizeof(tables) / sizeof(tables[0]) <= FOLLOWED_TABLES_MAX,
	       "each table has its beginning");

size_t followed_tables(const struct followed **ret)
{
	*ret = tables;
	return sizeof(tables) / sizeof(tables[0]);
}

int followed_find(uint8_t database, char separator, const char *key,
		  size_t len)
{
	const char *end = memchr(key, separator, len);
	size_t name = end ? (size_t)(end - key) : 0;

	for (size_t i = 0; name && i < sizeof(tables) / sizeof(tables[0]); i++)
		if (tables[i].database == database &&
		    strncmp(tables[i].table, key, name) == 0 &&
		    tables[i].table[name] == '\0')
			return (int)i;
	return -1;
}

/* None of the tables has such a field today; one of tomorrow may. */
bool followed_is_secret(const char *field)
{
	static const char *const words[] = {
		"pass", "secret", "community", "private", "auth", "_key",
		"token", "cert",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasestr(field, words[i]))
			return true;
	return false;
}
