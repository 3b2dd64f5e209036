/* Groups of flex counters: their settings in CONFIG_DB and FLEX_COUNTER_DB,
 * the maps that orchagent writes, and syncd's time stamps.
 */
#pragma once

#include "platform/vswitch/box.h"

/* The intervals that groups may have. */
enum cadence { CADENCE_COUNTERS, CADENCE_QUEUES, CADENCE_WATERMARKS,
	       CADENCE_COUNT };

/* The settings of all groups. */
void groups_settings(struct box *b);
/* COUNTERS_PORT_NAME_MAP and the like. */
void groups_maps(struct box *b);
/* COUNTERS:TIME_STAMP for the groups of a cadence: read just now. */
void groups_stamp(struct box *b, enum cadence which);
/* Removes a port from the maps. */
void groups_forget(const struct box_port *p);
