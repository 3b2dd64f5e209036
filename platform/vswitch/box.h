/* The simulated switch: the plant's state, and what SONiC itself would
 * remember: object ids, times, peaks, running rates. Knows nothing of Redis
 * except that each ASIC has a connection.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/clock.h"
#include "petrel/plant.h"
#include "platform/vswitch/module_flags.h"
#include "platform/vswitch/out.h"

#define BOX_ASICS_MAX 8
#define BOX_GROUPS 8		/* priority groups of a port */
#define BOX_UNICAST 8		/* queues; the rest is multicast */
#define BOX_LOSSLESS 3		/* the lossless priority */
#define BOX_SENSORS_MAX 16
#define BOX_OPERR_COUNT 13	/* causes of PORT_OPERR_TABLE */

enum box_pool {
	POOL_EGRESS_LOSSLESS,
	POOL_EGRESS_LOSSY,
	POOL_INGRESS_LOSSLESS,
	POOL_COUNT,
};

/* How often each part is written. */
struct cadences {
	int64_t counters_ns, queues_ns, watermarks_ns, modules_ns;
	int64_t heat_ns;	/* 0: xcvrd has no thread for it */
};

/* Numbers of events. */
struct totals {
	unsigned long long plays;	/* of the counters */
	unsigned connects, renumbered, flushed, reloads;
};

/* A maximum, over the current interval and longer ones. */
struct peak {
	uint64_t running;	/* since syncd last read and cleared it */
	uint64_t last;		/* what it read then */
	uint64_t periodic, persistent, user;
};

/* Minimum and maximum of a reading since the start. */
struct span {
	bool known;
	double low, high;
};

/* The type of a module, which decides the contents of its rows. */
enum module_form {
	FORM_CMIS,		/* QSFP-DD, OSFP */
	FORM_CMIS_COPPER,	/* flat memory, no monitors */
	FORM_QSFP28,		/* SFF-8636 */
	FORM_QSFP28_COPPER,	/* without monitors; reads as zeros */
	FORM_SFP,		/* SFF-8472 */
};

/* What portsorch remembers of a link. */
struct link_past {
	bool known;
	bool was_up, was_admin_up;	/* as in APPL_DB */
	uint64_t downs;
	int64_t last_up_s, last_down_s;		/* 0: never */
	uint32_t error_count[BOX_OPERR_COUNT];
	int64_t error_s[BOX_OPERR_COUNT];
	unsigned errors_now;	/* bitmap of causes of the last fall */
	int64_t error_any_s;
};

/* Rows that xcvrd writes for a module each time it reads it. */
enum module_row { ROW_SENSOR, ROW_STATUS, ROW_VDM, ROW_PM, MODULE_ROWS };

/* State of a VDM reader between two readings. */
struct vdm_past {
	bool is_posted;			/* fields without a value as well */
	unsigned readings;
	double min[PLANT_LANES_MAX], max[PLANT_LANES_MAX];
	double sum[PLANT_LANES_MAX];
	uint64_t codewords, uncorrectable;	/* at the last reading */
};

/* What orchagent's scripts keep with RATES. */
#define RATES_BINS 16

struct rates {
	unsigned rounds;		/* of the rate script */
	uint64_t last[6];		/* frames and octets at the last one */
	double bps[2], pps[2];		/* received, sent; smoothed */
	double pre_ber_max;
	uint64_t bits_last, bad_last;	/* of FEC */
	uint64_t bins_last[RATES_BINS], corrected_last, uncorrected_last;
	double flr, flr_predicted, r_squared;
};

/* State of the PFC watchdog for a port's lossless queue. */
struct watchdog_past {
	bool is_known, is_stormed;
	uint64_t paused_us, frames, dropped_frames;	/* at the last look */
	uint64_t detected, restored;
	/* Frames since the present or last storm began; of all storms. */
	uint64_t last_sent, last_dropped, sent, dropped;
	int64_t looked_ns;		/* in the plant's time */
};

struct box_port {
	struct plant_port_facts facts;
	unsigned asic;
	struct out *out;		/* of its chip */
	unsigned serdes;	/* its first lane on the chip */
	unsigned cage_lanes;		/* of all ports in its cage, … */
	unsigned cage_ports;		/* … and their number */
	unsigned subport;		/* 0: not a breakout, else from 1 */
	enum module_form form;
	bool stopped;			/* removed by command */
	struct plant_port now;		/* at the plant's last step */
	struct plant_port base;		/* counters before a restart */
	struct plant_port shown;	/* port counters as in COUNTERS_DB */
	struct plant_queue queue_shown[PLANT_QUEUES_MAX];
	struct plant_queue queue_base[PLANT_QUEUES_MAX];
	uint64_t oid;
	uint64_t queue_oid[PLANT_QUEUES_MAX], group_oid[BOX_GROUPS];
	struct peak queue_peak[PLANT_QUEUES_MAX];
	struct peak group_peak[BOX_GROUPS], group_xoff[BOX_GROUPS];
	struct link_past link;
	struct rates rates;
	struct watchdog_past watchdog;
	/* The module, kept with the first port of its cage: */
	char serial[17];		/* in TRANSCEIVER_INFO; "" none */
	struct flag_set *flags;		/* the box's */
	uint8_t flags_due;		/* looks until they are read */
	struct vdm_past vdm;
	struct out_seen seen[MODULE_ROWS], memory_seen;
};

/* A namespace: a chip with its own databases. */
struct box_asic {
	struct out out;
	uint64_t next_oid;
	uint64_t cpu_oid;
	uint64_t pool_oid[POOL_COUNT];
	struct peak pool_peak[POOL_COUNT];
	struct span core_mv, core_ma;	/* its supply */
};

struct box {
	struct plant *plant;		/* owned */
	size_t port_count;
	struct box_port *port;		/* owned */
	struct flag_set *flags;		/* owned; one a port */
	unsigned asic_count;
	struct box_asic asic[BOX_ASICS_MAX];
	struct out *host;		/* chassis and platform; asic 0's if
					 * there is one chip */
	struct out host_out;
	double speed;			/* plant seconds per second */
	struct mono start, now;
	uint32_t generation;		/* of object ids, from 1 */
	bool has_voqs;			/* a VOQ switch is simulated */
	bool booting;			/* all ports wait for the switch */
	int64_t boot_s, started_s;	/* switch, services; wall clock */
	struct span sensor_seen[BOX_SENSORS_MAX];
	int root_fd;			/* for the modules' memory; -1 none */
	bool memory_failed;		/* and reported */
	struct cadences cadences;
	struct totals totals;
	size_t next_module;		/* in this round of xcvrd, … */
	int64_t round_ns;		/* … and when it began */
};

/* Reads the scenario and distributes the ports over the ASICs. */
int box_open(struct box *b, const char *scenario, unsigned asic_count,
	     struct diag *d);
/* Releases it and its contents; ends connections. */
void box_close(struct box *b);

/* Advances the plant to a time and looks at every port. */
void box_advance(struct box *b, struct mono now);
/* The same, to now on all clocks. */
void box_look(struct box *b);
/* Sets the time in rows gathered from here on. */
void box_set_second(struct box *b, int64_t unix_s);

/* Gives everything new object ids, like a restarted orchagent: an id of one
 * port now belongs to another.
 */
void box_renumber(struct box *b);
/* The same for one port. */
void box_renumber_port(struct box *b, struct box_port *p);

/* From now on counters are shown as if they had started at 0 here. */
void box_counters_restart(struct box *b);
/* From now on they are shown as the plant has them. */
void box_counters_keep(struct box *b);

/* The port after p (NULL: the first) that is not removed; NULL at the end. */
struct box_port *box_next(const struct box *b, const struct box_port *p);

/* Readings exist for the first sub-port of a cage only. */
bool box_is_first(const struct box_port *p);

/* The port with that name, or NULL. */
struct box_port *box_find(const struct box *b, const char *name);
