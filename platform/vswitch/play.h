/* What there is to play, each piece at its time: gathers rows for all
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

/* All connections, the host's last. Returns how many. */
#define PLAY_OUTS_MAX (BOX_ASICS_MAX + 1)
unsigned play_outs(struct play *p, struct out *ret[PLAY_OUTS_MAX]);

/* Ports' counters, links that changed, modules that came and went. */
void play_counters(struct play *p);
/* The share of xcvrd's round that is due; slice_ns: until it is asked again.
 * Returns true when a round ends.
 */
bool play_modules(struct play *p, int64_t slice_ns);
/* Counters of queues and priority groups, and the lanes' signals. */
void play_queues(struct play *p);
/* Watermarks and drops. */
void play_peaks(struct play *p);
/* Sensors, fans and supplies. */
void play_chassis(struct play *p);
/* Temperatures of modules alone. */
void play_heat(struct play *p);
/* Scripts that run each two minutes. */
void play_scripts(struct play *p);

/* Everything, from nothing: as after a start of SONiC. */
void play_all(struct play *p);
/* What COUNTERS_DB holds, from nothing. */
void play_counters_db(struct play *p);
/* The maps of COUNTERS_DB alone. */
void play_maps(struct play *p);

/* Empties a database everywhere. */
void play_flush(struct play *p, enum out_db db);
/* What a restart of the services clears: all but the configuration. */
void play_flush_volatile(struct play *p);

/* Takes a port out, as a breakout does, and brings it in with other ids. */
void play_port_stop(struct play *p, struct box_port *port);
void play_port_start(struct play *p, struct box_port *port);
