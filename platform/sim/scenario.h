/* A parsed scenario: the switch, and its faults; and the keys of the statements
 * "switch" and "port", one row each.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/diag.h"
#include "platform/sim/fault_table.h"

#define SCENARIO_PREFIX "Ethernet"	/* of a port's name */

struct media;

/* Properties of one port. */
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
	struct scenario_port base;	/* of ports without a statement */
	bool ports_made;		/* the switch line is complete */
	struct scenario_port port[FAULT_PORTS_MAX];
	struct planted *fault;
	size_t fault_count;
};

/* The healthy switch of an empty scenario; NULL if memory runs out. */
struct scenario *scenario_new(void);
/* NULL is allowed. */
void scenario_free(struct scenario *s);

enum scenario_statement { SCENARIO_SWITCH, SCENARIO_PORT, SCENARIO_STATEMENTS };

/* One key, for the manual. */
struct scenario_key_info {
	const char *name, *written, *help;
};

/* Row n of a statement's keys; NULL after the last. */
const struct scenario_key_info *scenario_key(enum scenario_statement statement,
					     size_t n);

/* Reads "key=value" into object: a struct scenario for "switch", a struct
 * scenario_port for "port". -EINVAL with the nearest key in d.
 */
int scenario_key_set(enum scenario_statement statement, void *object,
		     const char *word, struct diag *d);
