/* A port that a test plays: says what its readings show, second by second,
 * and remembers what the engine said.
 */
#pragma once

#include <stdbool.h>
#include "agent/signature/engine.h"

#define PLAY_SAID_MAX 64
#define PLAY_PORTS_MAX 16	/* of its engine */

struct play {
	struct engine *engine;
	uint32_t port;
	struct port_facts facts;
	struct inputs k;
	double t_s, period_s;
	/* What the next readings show. */
	double log_ber, temp_c, rx_dbm[PORT_LANES_MAX];
	bool up, no_dom, no_fec, stands;	/* FEC counters stand still */
	unsigned times, n;		/* … but for each so many-th reading */
	double bits, clean, corrected;
	uint64_t downs;
	/* What was said. */
	unsigned count;
	struct finding said[PLAY_SAID_MAX];
};

/* A healthy optical 400G port: 1e-7, 50 degrees, up. */
void play_init(struct play *p, double period_s);
void play_fini(struct play *p);
/* Readings for so many seconds. */
void play_for(struct play *p, double seconds);
/* The same while log_ber moves to another level in a straight line. */
void play_ramp(struct play *p, double seconds, double log_ber);
/* One reading, as p->k stands after what is played into it. */
void play_once(struct play *p);
/* The link falls for so many seconds, and comes back. */
void play_drop(struct play *p, double seconds);

/* How often a signature was said in that state (0: any). */
unsigned play_said(const struct play *p, enum signature signature,
		   enum finding_state state);
/* The last that was said of it, NULL when nothing was. */
const struct finding *play_last(const struct play *p,
				enum signature signature);
