/* A scenario read and checked: what the switch is, and what befalls it.
 *
 * Owns the text's meaning and none of the physics. The grammar stands in
 * petrel/plant.h and petrel-scenario(5).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"
#include "platform/sim/faults.h"
#include "platform/sim/media.h"

#define SCENARIO_OCTETS_MAX (1u << 20)
#define SCENARIO_FAULTS_MAX 4096u

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

/* Reads text; d names file, line and nearest word. -EINVAL, -EFBIG, -ENOMEM.
 */
int scenario_read(const char *text, size_t len, const char *file,
		  struct scenario **ret, struct diag *d);
/* NULL is allowed. */
void scenario_free(struct scenario *s);
