/* What a scenario says, as plain data: the switch, its ports, its faults. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "platform/sim/faults.h"
#include "platform/sim/media.h"

struct range {
	double low, high;
};

/* What one port has of its own. */
struct scenario_port {
	const struct media *media;
	char fec[8];
	char group[32];
	struct range load;		/* share of the line rate */
	struct range ber_log10;		/* of its healthy lanes */
};

struct scenario {
	char name[32];
	unsigned ports, lanes, breakout, step, queues, group_size;
	uint64_t seed, speed_bps;
	int64_t tick_ns, dom_ns, phase_ns;
	double ambient_c, swing_k, drift;
	struct scenario_port base;	/* of ports that say nothing else */
	bool ports_made;		/* the switch line is over */
	struct scenario_port port[FAULT_PORTS_MAX];
	struct planted *fault;
	size_t fault_count;
};
