/* One set of databases (a namespace): its connections, its objects, and the
 * polls that read them. A switch of several ASICs has one each.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/platform.h"
#include "platform/sonic/config/following.h"
#include "platform/sonic/meaning/delay.h"
#include "platform/sonic/poll/reading.h"
#include "platform/sonic/redis/channel.h"
#include "platform/sonic/redis/lister.h"
#include "platform/sonic/switchdb/topology.h"

#define SENSOR_INTERVAL_NS (60 * NS_PER_S)	/* thermalctld's */
#define TABLES_MAX 128

struct hft;

/* A group of syncd's counters. */
struct flex_state {
	int64_t interval_ns;
	bool disabled;
	bool known;		/* FLEX_COUNTER_DB has its row */
	bool wrong;		/* that row is not a hash */
	int64_t stamp_ns;	/* COUNTERS:TIME_STAMP, monotonic; 0 none */
};

enum map_query {
	MAP_PORTS,
	MAP_QUEUES,
	MAP_QUEUE_TYPES,
	MAP_GROUPS,
	MAP_POOLS,
	MAP_VOQS,
	MAP_FABRIC_PORTS,
	MAP_CHIP,
	MAP_GEARBOXES,
	MAP_SENSORS,		/* keys: these three */
	MAP_CONFIG_KEYS,
	MAP_APPL_KEYS,
	MAP_READY,
	MAP_FLEX,
	MAP_CONFIG_ROWS,	/* these two come second */
	MAP_TYPES,
	MAP_COUNT,
};

#define MAP_LISTED_COUNT (MAP_APPL_KEYS - MAP_SENSORS + 1)
#define MAP_NAMES_COUNT MAP_SENSORS	/* the first ones are hashes of names */
#define KEY_TYPE_MAX 12

/* Reads names and ids, then the ports' configuration. */
/* A sensor's name in its key, where entities have no room for it. */
struct long_name {
	char name[OBJECT_NAME_MAX];	/* made to fit */
	char full[LONG_NAME_MAX];
};

struct maps {
	struct redis_query query[MAP_COUNT];
	struct name_list found[OBJECT_KIND_COUNT];
	struct name_list types;		/* of queues, by their ids */
	size_t config_ports;		/* with a key in CONFIG_DB */
	struct lister lister[MAP_LISTED_COUNT];	/* from MAP_SENSORS on */
	char name[OBJECT_NAME_MAX];	/* the pair's name, before its value */
	size_t name_len;
	struct object_list config;	/* the ports of MAP_CONFIG_ROWS */
	unsigned pending;
	bool running, known;
	bool stale;			/* ids changed: read them at once */
	bool missed;			/* an id had no row: read them soon */
	bool complete;			/* no query failed */
	bool refused;			/* Redis answered with an error */
	bool ready;			/* CONFIG_DB says that it is complete */
	bool cut;			/* ports were dropped: PORTS_MAX */
	struct field_index config_index;	/* of MAP_CONFIG_ROWS */
	void (*done)(struct namespace *s);	/* called when all is read */
	uint64_t connects;		/* of COUNTERS_DB, at that time */
	uint64_t generation;		/* of the topology, at that time */
	long long size[MAP_COUNT];	/* names of a map; -1 unknown */
	struct mono at;			/* when they were last read */
	struct mono sensors_at;		/* when sensors were; ns 0 never */
	char reason[SOURCE_REASON_MAX];
	char implausible[SOURCE_REASON_MAX];	/* of names and ids */
	char unfit[SOURCE_REASON_MAX];		/* the same of sensors */
	char rows_wrong[SOURCE_REASON_MAX];	/* of CONFIG_DB */
	uint32_t wrong;			/* bit n: that map is not a hash … */
	char type[MAP_NAMES_COUNT][KEY_TYPE_MAX];	/* … but this; or "" */
	struct long_name *long_names;
	size_t long_count, long_cap;
};

/* The sensors of the cards of a chassis. */
struct chassis {
	struct lister lister;
	struct name_list found[OBJECT_KIND_COUNT];
	bool listed;			/* all keys have arrived */
};

/* Reports a source's state in this set of databases, to combine it with the
 * other sets.
 */
typedef void namespace_told_fn(struct namespace *s, enum sonic_source source,
			       enum source_state state, int64_t interval_ns,
			       const char *reason);

struct namespace {
	const struct platform_host *host;
	namespace_told_fn *told;
	void *owner;			/* for told() */
	char name[NAMESPACE_NAME_MAX];	/* asic0; empty: the host's */
	char config[DATABASE_PATH_MAX];	/* its database_config.json */
	int root_fd;			/* borrowed */
	const char *socket;		/* the operator's, or NULL */
	char switch_type[16];		/* DEVICE_METADATA; "": ordinary */
	bool has_serial, has_mac;	/* CHASSIS_INFO, DEVICE_METADATA */
	struct databases databases;
	bool databases_known;		/* read from the file */
	char databases_reason[SOURCE_REASON_MAX];	/* why not */
	struct mono databases_check;	/* when to look again */
	struct channel channel[DATABASE_COUNT];
	struct topology topology;
	struct delays delays;		/* of queues that the database has */
	struct flex_state flex[FLEX_GROUP_COUNT];
	struct maps maps;
	struct poll poll[SONIC_SOURCE_COUNT];
	struct run run[TABLES_MAX];
	unsigned run_count;
	struct following following;
	struct chassis chassis;
	struct hft *hft;		/* its stream; its creator frees it */
	struct mono wake, wake_until;	/* polls_wake(); ns 0: not */
	struct mono modules_missing;	/* since when there are none at all */
	bool modules_back;		/* some of them are back */
	struct row row[DATABASE_COUNT];	/* the reply being read there */
};

/* The separator between table and key in one of its databases. */
static inline char namespace_separator(const struct namespace *s,
				       enum database_name name)
{
	return s->databases.of[name].separator;
}

/* Finds the databases, when due; a change ends the connections. Returns -EINVAL
 * with d if the file is wrong.
 */
int namespace_databases(struct namespace *s, struct mono now, struct diag *d);
