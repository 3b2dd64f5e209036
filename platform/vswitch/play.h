/* All parts of the simulation, each played at its time: gathers rows for all
 * connections and sends nothing. Owns the switch.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/clock.h"
#include "platform/vswitch/box.h"
#include "platform/vswitch/groups.h"
#include "platform/vswitch/stats.h"

struct play {
	struct box box;
	struct cadences cadences;
	struct totals totals;
	size_t next_module;
	int64_t round_ns;		/* when this round of xcvrd began */
};

/* All connections, the host's last. Returns their number. */
#define PLAY_OUTS_MAX (BOX_ASICS_MAX + 1)
unsigned play_outs(struct play *p, struct out *ret[PLAY_OUTS_MAX]);

/* Ports' counters, changed links, plugged and removed modules. */
void play_counters(struct play *p);
/* The part of xcvrd's round that is due; slice_ns: until the next call. Returns
 * true when a round ends.
 */
bool play_modules(struct play *p, int64_t slice_ns);
/* Counters of queues and priority groups, and the lanes' signals. */
void play_queues(struct play *p);
/* Watermarks and drops. */
void play_peaks(struct play *p);
/* Sensors, fans and supplies. */
void play_chassis(struct play *p);
/* Only temperatures of modules. */
void play_heat(struct play *p);
/* Scripts that run every two minutes. */
void play_scripts(struct play *p);

/* Everything, from the start: as after a start of SONiC. */
void play_all(struct play *p);
/* The contents of COUNTERS_DB, from the start. */
void play_counters_db(struct play *p);
/* Only the maps of COUNTERS_DB. */
void play_maps(struct play *p);

/* Empties a database in all namespaces. */
void play_flush(struct play *p, enum out_db db);
/* Empties what a restart of the services clears: all but the configuration. */
void play_flush_volatile(struct play *p);

/* Removes a port, as in a breakout, and adds it with other ids. */
void play_port_stop(struct play *p, struct box_port *port);
void play_port_start(struct play *p, struct box_port *port);
