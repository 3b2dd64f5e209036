/* One set of databases (a namespace): its connections, what they name, and the
 * polls that read them. A switch of several ASICs has one each.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/platform.h"
#include "platform/sonic/redis/channel.h"
#include "platform/sonic/redis/commands.h"
#include "platform/sonic/meaning/delay.h"
#include "platform/sonic/meaning/field.h"
#include "platform/sonic/config/followed.h"
#include "platform/sonic/redis/lister.h"
#include "platform/sonic/meaning/tables.h"
#include "platform/sonic/switchdb/topology.h"

#define SENSOR_INTERVAL_NS (60 * NS_PER_S)	/* thermalctld's */
#define NAMESPACE_NAME_MAX 32

struct namespace;
struct hft;

/* What syncd says of a group of counters. */
struct flex_state {
	int64_t interval_ns;
	bool disabled;
	bool known;		/* FLEX_COUNTER_DB has its row */
	int64_t stamp_ns;	/* COUNTERS:TIME_STAMP, monotonic; 0 none */
};

/* One table of one poll: commands for all its objects. */
struct run {
	struct query query;
	struct namespace *namespace;
	uint8_t number;			/* enum table_number */
	struct object_list targets;	/* the n-th command's object */
	bool stale;			/* the list of them is half moved */
	uint64_t merges, generation;	/* of the topology it was built for */
	struct read_group age;		/* of the rows, where one is for all */
	bool repeated;			/* all rows were handed over before */
	bool age_known;
	int64_t age_late_ns;		/* how late the row came it is of */
	int64_t given_stamp_ns;		/* of the rows handed over last */
	unsigned filled;		/* targets that had a row, in front */
	unsigned said;			/* rows with values, last time */
};

enum poll_phase { POLL_IDLE, POLL_HELD, POLL_MAPS, POLL_RUNS, POLL_MORE };

/* One reading of a source, from read() to host->source(). */
struct poll {
	struct namespace *namespace;
	uint8_t source;			/* enum sonic_source */
	uint8_t phase;			/* enum poll_phase */
	bool voided;			/* ids moved under it: begin anew */
	bool starting;			/* in read(), which tells the host */
	unsigned restarts;
	unsigned pending;		/* queries not done */
	uint32_t serial;
	struct mono asked;
	struct wall wall;		/* the same moment */
	struct mono wanted;		/* when the host asked for it */
	struct mono held_until;		/* POLL_HELD: syncd is about to write */
	unsigned rows, empty, errors, bad;
	unsigned dropped;		/* rows of which nothing can be used */
	unsigned lost;			/* objects whose id has no row */
	char lost_first[OBJECT_NAME_MAX];
	char barred[SOURCE_REASON_MAX];	/* a row past all bounds */
	uint64_t barred_until;		/* so many merges of names */
	bool failed;			/* a connection ended */
	bool unread;			/* a table was not asked for */
	bool frozen;			/* who writes the rows has stopped */
	bool loading;			/* Redis reads its own disk: wait */
	int64_t row_interval_ns;	/* seen between two last_update_time */
	char reason[SOURCE_REASON_MAX];	/* the first thing that was wrong */
	int result;			/* of the last reading, for read() */
	struct query guard;		/* time stamps, and the ids again */
	unsigned guard_ports;		/* names whose id is as we know it */
	char guard_name[OBJECT_NAME_MAX];
	size_t guard_len;
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
	MAP_CONFIG_ROWS,
	MAP_COUNT,
};

#define MAP_LISTED_COUNT (MAP_APPL_KEYS - MAP_SENSORS + 1)

/* Reading what there is: names and ids, then the ports' configuration. */
struct maps {
	struct query query[MAP_COUNT];
	struct name_list found[MAP_COUNT];
	struct name_list others[OBJECT_KIND_COUNT];	/* gearboxes, sensors */
	struct commands commands[MAP_COUNT];
	struct lister lister[MAP_LISTED_COUNT];	/* from MAP_SENSORS on */
	char name[OBJECT_NAME_MAX];	/* the pair's name, till its value */
	size_t name_len;
	struct object_list config;	/* the ports of MAP_CONFIG_ROWS */
	unsigned pending;
	bool running, known;
	bool stale;			/* ids moved: read them at once */
	bool missed;			/* an id had no row: read them soon */
	bool complete;			/* no query failed */
	bool refused;			/* Redis answered with an error */
	bool ready;			/* CONFIG_DB says that it is whole */
	bool cut;			/* ports were left out: PORTS_MAX */
	uint64_t connects;		/* of COUNTERS_DB, at that time */
	uint64_t generation;		/* of the topology, at that time */
	long long size[MAP_COUNT];	/* names of a map; -1 unknown */
	struct mono at;			/* when they were asked for last */
	struct mono sensors_at;		/* when those were; ns 0 never */
	char reason[SOURCE_REASON_MAX];
	char amiss[SOURCE_REASON_MAX];	/* what is odd about the names */
};

/* Which sensors the cards of a chassis have. */
struct chassis {
	struct lister lister;
	struct name_list found[OBJECT_KIND_COUNT];
	bool listed;			/* all keys came */
};

/* A source's state in this set of databases: it tells whoever puts
 * the sets together.
 */
typedef void namespace_told_fn(struct namespace *s, enum sonic_source source,
			   enum source_state state, int64_t interval_ns,
			   const char *reason);

struct namespace {
	const struct platform_host *host;
	namespace_told_fn *told;
	void *owner;			/* who made it; told() knows it */
	char name[NAMESPACE_NAME_MAX];	/* asic0; empty: the host's */
	char config[DATABASE_PATH_MAX];	/* its database_config.json */
	int root_fd;			/* borrowed */
	const char *socket;		/* the operator's, or NULL */
	char switch_type[16];		/* DEVICE_METADATA; "": ordinary */
	bool has_serial, has_mac;	/* CHASSIS_INFO, DEVICE_METADATA do */
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
	struct run run[TABLE_COUNT];
	struct settings settings;
	struct chassis chassis;
	struct hft *hft;		/* its stream; whoever made it frees */
	struct mono wake, wake_until;	/* namespace_wake(); ns 0: not */
	struct mono modules_missing;	/* since when there was none at all */
	bool modules_back;		/* some of them are there again */
	struct field_index index[TABLE_COUNT];
	struct row row[DATABASE_COUNT];	/* the reply that comes in there */
};

/* What a namespace is made with; all is kept by reference but the texts. */
struct namespace_env {
	const struct platform_host *host;
	namespace_told_fn *told;
	void *owner;
	int root_fd, epoll_fd;
	const char *socket;		/* the operator's word, or NULL */
	const char *name, *config;
	uint32_t parent;		/* the ASIC's entity, or ENTITY_NONE */
};

/* *s is all zero, and must stay where it is. -ENOMEM; namespace_fini() in
 * any case.
 */
int namespace_init(struct namespace *s, const struct namespace_env *env);
/* Ends the connections and releases everything; the host is told nothing. */
void namespace_fini(struct namespace *s);

/* Looks where the databases are, when it is time to; a change ends the
 * connections. Returns -EINVAL with d when the file is wrong.
 */
int namespace_databases(struct namespace *s, struct mono now, struct diag *d);

/* Other names came: sources that have nothing are asked again at once, and for
 * some seconds, as their rows are written after the names.
 */
void namespace_names_came(struct namespace *s);
/* Does so, when it is time to. */
void namespace_wake(struct namespace *s, struct mono now);

/* --- maps.c --------------------------------------------------------------- */

/* Once, with the namespace. */
void maps_init(struct namespace *s);
/* Releases what was read. */
void maps_fini(struct namespace *s);
/* Names and ids are old, or known to be wrong. */
bool maps_due(const struct namespace *s, struct mono now);
/* Asks; poll_maps_done() is called when all is read, at once if nothing could
 * be asked.
 */
void maps_start(struct namespace *s, struct mono now);

/* --- map_keys.c ----------------------------------------------------------- */

/* What KEYS is asked for, of one of the three. */
void map_keys_patterns(const struct namespace *s, enum map_query m,
		       struct lister *l);
/* Adds what a key names to the lists of the maps. */
void map_keys_take(struct namespace *s, enum map_query m, char separator,
		   const char *key, size_t len);

/* Adds a pair, whose name is kept in the maps, to the list that it is for. */
void map_pair_take(struct namespace *s, enum map_query m, uint64_t oid);
/* The chip's id; -EINVAL when it is none. */
int map_chip_id(const char *text, size_t len, uint64_t *ret);
/* That name is the one of the chip. */
bool map_is_chip(const struct maps *maps);

/* --- amiss.c -------------------------------------------------------------- */

/* Keeps the first thing that is odd: a text that is no id, one id of two names,
 * names without room, too many ports (the last in the order of names are left
 * out).
 */
void amiss_oid(struct maps *m, const char *map, const char *text, size_t len);
void amiss_twins(struct maps *m, struct name_list *l);
void amiss_names(struct maps *m, const char *of, const struct name_list *l);
void amiss_ports(struct maps *m, struct name_list *ports);
/* Adds it to what is told of a source. by_ids: it reads by these names. */
void amiss_note(struct poll *p, bool by_ids);
/* Leaves the row alone that no bounds hold: all others of its database come
 * over the same connection, which it ends.
 */
void amiss_row(struct poll *p, struct run *r, struct object *o);
/* Adds that objects have no row: it may come yet. */
void amiss_note_lost(struct poll *p);

/* --- poll.c --------------------------------------------------------------- */

/* Once, with the namespace. Returns -ENOMEM. */
int polls_init(struct namespace *s);
/* Releases commands and lists. */
void polls_fini(struct namespace *s);
/* The read hook of a source. */
int poll_read(struct namespace *s, enum sonic_source source, struct mono now,
	      struct diag *d);
/* Asks what was held back while syncd wrote, and until when that is. */
void polls_wake(struct namespace *s, struct mono now);
struct mono polls_deadline(const struct namespace *s);
/* Starts the polls that waited for the maps. */
void poll_maps_done(struct namespace *s);
/* Keeps the first sentence of what is wrong in a reading. */
void poll_note(struct poll *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A row that nothing was taken of; why: the first of them is told. */
void poll_drop(struct poll *p, const struct object *o, const char *why);
/* Adds a sentence to those of a reading, while they fit. */
void poll_add(struct poll *p, const char *text);
/* Asks a run's query as part of a poll that goes on. */
void poll_ask(struct poll *p, struct run *r);
/* One query of a poll is done; reason: why it failed. */
void poll_query_done(struct poll *p, const char *reason);
/* Asks for the tables of a poll: those that are late, or the others. */
void poll_tables_ask(struct poll *p, bool late);
/* Lists the objects that a run is for. False: no memory. */
bool run_targets(struct run *r);

/* --- guard.c -------------------------------------------------------------- */

/* Asks for time stamps and ids, and how many names the maps have, before a poll
 * of counters. False: the database cannot be asked.
 */
bool guard_ask(struct poll *p);

/* --- settings.c, settings_tell.c, settings_hear.c ------------------------- */

/* Once, with the namespace. epoll_fd: where the watches go. */
void settings_init(struct namespace *s, int epoll_fd);
/* Ends the watches and releases all rows. */
void settings_fini(struct namespace *s);
/* The read hook of SONIC_CHANGES; as poll_read(). */
int settings_poll(struct namespace *s, struct mono now, struct diag *d);
/* Reads what was heard of, when it is time to. */
void settings_check(struct namespace *s, struct mono now);
/* When settings_check() is wanted. */
struct mono settings_deadline(const struct namespace *s);
/* Listens where the databases are now. A connection that was lost may have
 * missed something.
 */
void settings_listen(struct namespace *s, struct mono now);
/* Reads all rows, or those that were heard of; told() is called at its end. */
void settings_start(struct namespace *s, bool full, struct mono now);
static inline char settings_separator(const struct settings_side *side)
{
	return side->namespace->databases.of[side->database].separator;
}
/* A row differs from what it was: a row_changed_fn; context: its side. */
void settings_row_changed(void *context, const struct kept_row *row,
			  const char *field, const char *from,
			  const char *to);
/* An event that is of all of the namespace. */
void settings_tell(struct namespace *s, enum platform_event what,
		   const char *item, const char *from, const char *to);
/* What was too much to be told one by one, and what is so for the switch. */
void settings_tell_rest(struct namespace *s);

/* --- thresholds.c --------------------------------------------------------- */

/* Tells what follows from rows of CONFIG_DB, when they changed, or were all
 * read: limits of queues and groups, and what the peers are.
 */
void thresholds_give(struct namespace *s);

/* --- changes.c ------------------------------------------------------------ */

/* Tells what is other than before: speed, MTU, FEC, lanes, admin state. */
void changes_port(struct poll *p, const struct object *o);
/* The version that runs in a module, "" for unknown. */
void changes_firmware(const struct namespace *s, struct cage *c,
		      const char *version, struct mono when);
/* A part of SONiC began anew; how: what shows it. */
void changes_service(const struct namespace *s, const char *name,
		     const char *how, struct mono when);
/* Why the switch was last started, as it wrote it down; once. */
void changes_reboot(const struct namespace *s);

/* --- age.c ---------------------------------------------------------------- */

/* How long after it was asked the answer that is being read came. */
int64_t age_late_ns(const struct run *r, const struct poll *p);
/* How long until syncd has written what it is about to write, or writes now, as
 * its stamps tell; 0 where it is far from that. Rows that are read meanwhile
 * are of one bulk read or of the next.
 */
int64_t age_hold_ns(const struct namespace *s, enum sonic_source source,
		    struct mono now);
/* The age that all rows of an AGE_FLEX run share; true when they were handed
 * over before.
 */
bool age_of_flex(struct run *r, const struct poll *p, struct read_group *ret);
/* The age of a row of a module's table; true when it is a repeat. */
bool age_of_row(struct run *r, struct poll *p, struct cage *c,
		const struct row *row, struct read_group *ret);
/* The age of a sensor's row; true when it is a repeat. */
bool age_of_sensor(const struct poll *p, struct object *o,
		   const struct row *row, const struct field_index *x,
		   struct read_group *ret);
/* Notes when syncd does not write, or has stopped to. */
void age_check(struct namespace *s, struct poll *p);

/* --- limits.c ------------------------------------------------------------- */

/* Notes what the switch's settings hide of this source, where nothing worse is
 * noted.
 */
void limits_note(struct poll *p);

/* --- what a row means: counters.c, ports.c, modules.c --------------------- */

/* Hands an object's row over, with its port's priorities. */
void counters_row(struct poll *p, struct run *r, struct object *o,
		  const struct row *row);
/* The entity of a part of an object: itself, or (from 1) a port's priority,
 * made known when it is first needed. ENTITY_NONE: there is none, or no room.
 */
uint32_t counters_entity_of(struct namespace *s, uint32_t handle,
			    struct port *port, unsigned part);

/* --- and system.c, sensors.c, neighbors.c --- */

/* A pool's size, with what kind of pool it is. */
void system_pool_row(struct poll *p, struct run *r, struct object *o,
		     const struct row *row);
/* How the PFC watchdog is set on a port. */
void system_pfcwd_row(struct poll *p, struct run *r, struct object *o,
		      const struct row *row);
/* Which of a port's priorities are lossless. */
void system_qos_row(struct poll *p, struct run *r, struct object *o,
		    const struct row *row);
/* Which gearbox a port shares with others. */
void system_gearbox_row(struct poll *p, struct run *r, struct object *o,
			const struct row *row);
/* The switch's own name, kind and place. */
void system_switch_row(struct poll *p, struct run *r, struct object *o,
		       const struct row *row);
/* What stands on its label: serial number and MAC. */
void system_chassis_row(struct poll *p, struct run *r, struct object *o,
			const struct row *row);
/* Nobody says which there are: those that are known stay. */
void sensors_keep(struct namespace *s);
/* A temperature, fan, supply, voltage, current or leak. */
void sensors_row(struct poll *p, struct run *r, struct object *o,
		 const struct row *row);
/* A card: its state, place and chips; whether it answers; who it is. */
void chassis_card_row(struct poll *p, struct run *r, struct object *o,
		      const struct row *row);
void chassis_part_row(struct poll *p, struct run *r, struct object *o,
		      const struct row *row);
/* A reading of what a card itself says. */
void chassis_sensor_row(struct poll *p, struct run *r, struct object *o,
			const struct row *row);
/* Asks which sensors the cards have; all else of the poll goes on beside. */
void chassis_ask(struct poll *p);
/* All of that is there. True: the sensors are asked, and it comes here again.
 */
bool chassis_end(struct poll *p);
/* Releases what was read. */
void chassis_fini(struct namespace *s);
/* A link between chips: whether it is up or isolated, and who is behind it. */
void fabric_state_row(struct poll *p, struct run *r, struct object *o,
		      const struct row *row);
/* What the chip dropped because it was damaged. */
void fabric_drops_row(struct poll *p, struct run *r, struct object *o,
		      const struct row *row);
/* The peer that LLDP hears, and the one that the configuration expects; both
 * are kept until neighbors_end().
 */
void neighbors_lldp_row(struct poll *p, struct run *r, struct object *o,
			const struct row *row);
void neighbors_expected_row(struct poll *p, struct run *r, struct object *o,
			    const struct row *row);
/* Whether a port takes part in its LAG. */
void neighbors_lag_row(struct poll *p, struct run *r, struct object *o,
		       const struct row *row);
/* What CONFIG_DB says of the peers themselves. */
void neighbors_describe(const struct namespace *s);
/* All rows are there: LLDP wins. */
void neighbors_end(struct poll *p);
/* These keep what they read until ports_end(). */
void ports_appl_row(struct poll *p, struct run *r, struct object *o,
		    const struct row *row);
/* Link training, and the FEC that is in force. */
void ports_state_row(struct poll *p, struct run *r, struct object *o,
		     const struct row *row);
/* The newest cause that the chip gave for a link that is down. */
void ports_error_row(struct poll *p, struct run *r, struct object *o,
		     const struct row *row);
/* Signal and lock of the chip's lanes; kept for the cause of a link down. */
void ports_phy_row(struct poll *p, struct run *r, struct object *o,
		   const struct row *row);
/* How far xcvrd has brought the port's module up, and what holds it back. */
void ports_xcvr_row(struct poll *p, struct run *r, struct object *o,
		    const struct row *row);
/* A port's row of CONFIG_DB: its place, and all else till APPL_DB has it. */
void ports_config_row(struct namespace *s, struct object *o,
		      const struct row *row);
/* All rows are there. True: more was asked, and it comes here again. */
bool ports_end(struct poll *p);
/* Makes a module known, or another one in its place. */
void modules_info_row(struct poll *p, struct run *r, struct object *o,
		      const struct row *row);
/* The version that runs in a module. */
void modules_firmware_row(struct poll *p, struct run *r, struct object *o,
			  const struct row *row);
/* Hands readings, thresholds or flags of a module and its lanes over. */
void modules_sample_row(struct poll *p, struct run *r, struct object *o,
			const struct row *row);
/* All modules are told: those that were not are gone. */
void modules_end(struct poll *p);
