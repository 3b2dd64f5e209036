/* Groups of flex counters: their settings in CONFIG_DB and FLEX_COUNTER_DB,
 * the maps that orchagent writes, and syncd's time stamps.
 */
#pragma once

#include <stdint.h>

struct box;
struct box_port;

/* The intervals of the cadences. */
struct cadences {
	int64_t counters_ns, queues_ns, watermarks_ns, modules_ns;
	int64_t heat_ns;	/* 0: xcvrd has no thread for it */
};

/* The intervals that groups may have. */
enum cadence { CADENCE_COUNTERS, CADENCE_QUEUES, CADENCE_WATERMARKS,
	       CADENCE_COUNT };

/* The interval of a cadence. */
int64_t cadence_ns(const struct cadences *c, enum cadence which);

/* The settings of all groups. */
void groups_settings(struct box *b, const struct cadences *c);
/* COUNTERS_PORT_NAME_MAP and the like. */
void groups_maps(struct box *b);
/* COUNTERS:TIME_STAMP for the groups of a cadence: read just now. */
void groups_stamp(struct box *b, enum cadence which, int64_t mono_ns);
/* Removes a port from the maps. */
void groups_forget(const struct box_port *p);
