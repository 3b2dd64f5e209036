/* The parts of the switch in its databases: ports, queues, groups and pools
 * with their object ids, and the cages with their modules.
 *
 * syncd assigns object ids, which change when the configuration is reloaded;
 * the name stays, and so does the entity. An object that is no longer named is
 * not read any more, but its entity stays for a while: a reload removes all
 * names for some seconds. If CONFIG_DB says that it is complete, a port that it
 * does not name is removed at once: it was broken out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/entity.h"
#include "petrel/platform.h"
#include "platform/sonic/meaning/table.h"

/* Lists of names with object ids. */

#define OBJECT_NAME_MAX ENTITY_NAME_MAX	/* with a NUL */
#define LONG_NAME_MAX 96		/* of a sensor; a key has room for it */
#define OBJECTS_MAX 65536		/* of one kind */

/* The contents of a map of names: one reply to HGETALL or KEYS. */
struct name_list {
	struct named {
		char name[OBJECT_NAME_MAX];
		uint64_t oid;
	} *list;
	size_t count, cap;
	unsigned bad;			/* entries with a bad name or id */
};

/* Empty again. */
void name_list_free(struct name_list *l);
/* A name that is too long counts as bad. */
void name_list_add(struct name_list *l, const char *name, size_t len,
		   uint64_t oid);
/* Sorts by name and removes duplicates; keeps the id of whichever has one. */
void name_list_sort(struct name_list *l);

/* Two names of one id; false if each has its own. Changes the order. */
bool name_list_twins(struct name_list *l, const char **ret_one,
		     const char **ret_other);

/* True for a port: Ethernet0, Ethernet-BP4; not the CPU's, not a LAG. */
bool name_is_port(const char *name, size_t len);

/* "oid:0x1000000000012" as a number; -EINVAL if it has another form. */
int oid_parse(const char *text, size_t len, uint64_t *ret);

#define OBJECT_HOLD_NS (120 * NS_PER_S)	/* not named for so long: gone */
#define PORTS_MAX 4096			/* more than any switch has */
#define CAGES_MAX 1024
#define LINK_NUMBERS_MAX 16		/* of a port's row */

#define CAGE_ROWS_MAX 48		/* tables of a module */
#define CAGE_ROW_INFO 0 /* the first of them: TRANSCEIVER_INFO */

/* The row of such a table, as last passed on. */
struct cage_row {
	uint32_t polled;		/* serial of the last poll to see it */
	uint64_t stamp;			/* hash of its values */
	struct mono given;		/* when it was passed on */
	int64_t updated_s;		/* its last_update_time */
	uint64_t parts;			/* parts with values */
};

/* A physical slot and the module in it. */
struct cage {
	uint32_t number;
	uint32_t module;		/* handle; ENTITY_NONE when empty */
	uint32_t lane[MODULE_LANES_MAX + 1];	/* handles, from 1 */
	bool known;			/* its table has been read */
	unsigned host_lanes, media_lanes;	/* advertised; 0 unknown */
	bool copper;			/* usually without monitors */
	uint64_t identity;		/* hash of vendor, part and serial */
	struct cage_row row[CAGE_ROWS_MAX];
	char firmware[32];		/* running version; empty unknown */
	uint8_t rx_los, tx_fault;	/* bit n: lane n + 1 */
	struct mono flags_at;		/* when the flags were read; 0 never */
};

/* What was last reported for a port, to report changes. */
enum said_number { SAID_SPEED, SAID_MTU, SAID_ADMIN, SAID_LANES, SAID_COUNT };

struct port_said {
	bool known;
	int64_t number[SAID_COUNT];	/* -1 unknown */
	char fec[12];
};

/* Values of a port's row that are passed on unchanged. */
struct link_numbers {
	unsigned count;
	uint16_t quantity[LINK_NUMBERS_MAX];
	uint8_t index[LINK_NUMBERS_MAX];
	int64_t value[LINK_NUMBERS_MAX];
};

/* State of a link, for the ports poll. */
/* A setting of a port, and its last change. */
struct port_setting {
	int64_t value, before;		/* -1 unknown */
	struct mono changed;		/* ns 0: not, or it is as before */
};

struct port_link {
	bool in_appl;			/* APPL_DB has its row */
	uint32_t seen;			/* serial of the last poll to see it */
	bool new_config;		/* values of CONFIG_DB not given yet */
	int64_t oper, admin;		/* -1 unknown */
	int64_t speed_mbps, mtu_octets, training;	/* -1 unknown */
	int64_t last_down_s;		/* UTC; 0 unknown */
	int64_t error_reason;		/* of PORT_OPERR_TABLE; 0 none */
	int64_t last_oper;		/* of the poll before; -1 unknown */
	int64_t autoneg;			/* -1 unknown */
	int64_t tx_ready;			/* of STATE_DB; -1 unknown */
	struct link_numbers numbers, state_numbers;	/* of the two rows */
	int64_t agreed_mbps;		/* by autonegotiation; -1 unknown */
	bool phy_dark, phy_unlocked;	/* of a lane of the chip, at phy_at */
	struct mono phy_at;		/* PORT_PHY_ATTR was read; ns 0 never */
	struct port_setting set_fec, set_mbps;
	struct mono down;		/* oper became down; ns 0 not so far */
	int64_t xcvr_state;		/* enum xcvr_state; -1 unknown */
	int64_t plugged;	/* xcvrd finds a module, or not; -1 unknown … */
	uint32_t plugged_seen;		/* … and the poll that told it */
	char fec[12], state_fec[12];	/* as written; empty unknown */
	struct port_said said;
};

/* The other end of a link; empty: unknown. */
struct peer {
	char name[ATTRIBUTE_TEXT_MAX], port[ATTRIBUTE_TEXT_MAX];
};

/* A row as it was last read. */
struct last_row {
	uint64_t stamp;			/* hash of its values; 0: never read */
	struct mono read;		/* a sensor's; of counters: when they
					 * last changed */
};

struct port {
	struct cage *cage;		/* of the topology; NULL unknown */
	unsigned subport;		/* from 1; 0: no breakout */
	unsigned lanes;			/* electrical; 0 unknown */
	unsigned line_lanes;		/* its gearbox's, to the module; 0 */
	unsigned first_serdes;		/* its lowest lane on the chip */
	unsigned first_host;		/* on its module, from 1; 0 unknown */
	bool shares;			/* its cage has other ports, too */
	uint32_t priority[PORT_PRIORITIES_MAX];	/* handles */
	bool dying;			/* being removed */
	struct peer heard, expected;	/* by LLDP, by the configuration */
	char peer[ATTRIBUTE_TEXT_MAX];	/* as last reported */
	char gearbox[16], core[16];	/* numbers; empty: unknown */
	struct port_link link;
	struct last_row drops;		/* of its buffers: also the COUNTERS */
};

struct object {
	char name[OBJECT_NAME_MAX];
	uint64_t oid;			/* 0: none now */
	uint64_t last_oid;		/* that it has, or had; 0: none yet */
	uint32_t handle;		/* ENTITY_NONE: the host has no room */
	uint32_t parent;		/* owner's handle, for a part */
	struct last_row last;		/* of a sensor, or of counters */
	uint32_t number;		/* of a queue or group in its port */
	uint32_t own_slot;		/* 1 + the slot of a supervisor; 0 */
	struct port *port;		/* itself, its owner; NULL for a pool */
	struct mono missing;		/* not named since; ns 0: named */
	/* An unreadable row is skipped for this many merges. */
	const struct table *barred;
	uint64_t barred_until;
};

struct object_set {
	struct object *list;		/* sorted by name */
	struct object *other;		/* the last one, until it is known to be
					 * unused */
	size_t count;
};

struct object_list {
	struct object **list;
	size_t count, cap;
};

struct topology {
	const struct platform_host *host;
	uint32_t parent;		/* the ASIC; ENTITY_NONE: the switch */
	struct object_set set[OBJECT_KIND_COUNT];
	struct cage *cages[CAGES_MAX];	/* in order of arrival */
	size_t cage_count;
	struct object_list ports;	/* by cage, to compute lanes */
	uint64_t merges;		/* grows with each new list */
	uint64_t generation;		/* grows when names or ids change */
	unsigned renumbered;		/* objects whose id changed */
	bool lanes_stale;		/* call cages_lanes() */
	bool settled;			/* CONFIG_DB is complete: a port that is
					 * not named is gone */
};

/* Makes room for want pointers. False: no memory, and no change. */
bool object_list_room(struct object_list *l, size_t want);

/* host is kept by reference. */
void topology_init(struct topology *t, const struct platform_host *host,
		   uint32_t parent);
/* Releases everything, without reporting entities as gone. */
void topology_fini(struct topology *t);

/* Takes over new lists: ports first, then the others. found is sorted.
 * complete: objects that are not in found are gone. On -ENOMEM the list stays
 * as it was.
 */
int topology_merge(struct topology *t, enum object_kind kind,
		   const struct name_list *found, bool complete,
		   struct mono now);
/* Forgets the ids of a kind, whose objects stay: nothing is read by them. */
void topology_forget_ids(struct topology *t, enum object_kind kind);
/* Call after all kinds were merged: removes ports that are gone. cages_lanes()
 * is next.
 */
void topology_merged(struct topology *t);

/* By name; NULL if there is none. */
struct object *topology_find(const struct topology *t, enum object_kind kind,
			     const char *name);

/* Objects of a kind that a table is read for, in *ret (room for max). For
 * modules they are sorted by cage, the first sub-port first.
 */
size_t topology_targets(const struct topology *t, const struct table *table,
			struct object **ret, size_t max);
