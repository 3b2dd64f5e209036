/* The table of faults that can be planted, and their keys. The manual prints a
 * row's text of keys ("loss=3dB lanes=1"), and the parser reads from it the
 * allowed keys and their defaults.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "petrel/diag.h"
#include "petrel/plant.h"
#include "platform/sim/values.h"

#define FAULT_PORTS_MAX 1024u
#define FAULT_LINE_MAX sizeof(((struct plant_fault *)0)->line)
#define FAULT_WHERE_MAX sizeof(((struct plant_fault *)0)->where)

enum fault_kind {
	FAULT_FEC_GROWTH, FAULT_COPPER_GROWTH, FAULT_DIRTY, FAULT_BEND,
	FAULT_TX_DECAY, FAULT_FAR_DECAY, FAULT_HOT, FAULT_FAN, FAULT_LOOSE,
	FAULT_BURST, FAULT_GROUP, FAULT_FLAP, FAULT_DOWN, FAULT_SHUT,
	FAULT_PULL, FAULT_SWAP, FAULT_BAD_DOM, FAULT_FREEZE_DOM,
	FAULT_MICROBURST,
	FAULT_ECN, FAULT_PFC_STORM, FAULT_MISSING, FAULT_RESET_COUNTERS,
	FAULT_WRAP, FAULT_LOAD_PHASE, FAULT_DIURNAL, FAULT_REBOOT,
	FAULT_COUNT,
};

enum fault_key {
	KEY_FOR, KEY_RAMP, KEY_LOSS, KEY_LANES, KEY_TO, KEY_BIAS, KEY_RISE,
	KEY_COUNT, KEY_EVERY, KEY_LAST, KEY_DECADES, KEY_REASON, KEY_GAP,
	KEY_SHARE, KEY_RATE, KEY_TAIL, KEY_PEAK, KEY_PRIORITY, KEY_DROOP,
	KEY_BITS, KEY_LEFT, KEY_LOAD, KEY_SWING, KEY_PERIOD,
	FAULT_KEY_COUNT,
};

/* Indices of the words of "reason" and "bits". */
enum fault_reason { REASON_LIGHT, REASON_REMOTE };
enum fault_bits { BITS_64, BITS_32 };

enum fault_needs { NEEDS_NOTHING, NEEDS_LIGHT, NEEDS_COPPER, NEEDS_MODULE };

/* What the physics needs to know about a row, besides its texts. */
struct fault_nature {
	enum fault_needs needs;
	bool of_module;		/* affects all ports of the module */
	bool at_once;		/* an edge: ends in the step that it begins */
	bool counts;		/* active in the step that it ends in, too */
};

/* A planted fault: one statement, parsed and checked. */
struct planted {
	enum fault_kind kind;
	unsigned line;
	int64_t start_ns, end_ns;	/* end INT64_MAX: never ends */
	unsigned lane;			/* from 1; 0: not given */
	double value[FAULT_KEY_COUNT];
	uint64_t ports[FAULT_PORTS_MAX / 64];
	char where[64];
	char text[160];
};

static inline bool planted_on(const struct planted *f, size_t port)
{
	return f->ports[port / 64] >> (port % 64) & 1;
}

/* The kind with that name; -EINVAL with the nearest name in d. */
int fault_find(const char *name, struct diag *d);
/* What the physics needs to know about a kind. */
const struct fault_nature *fault_nature(enum fault_kind kind);

/* Sets every key of the row to its default. */
void fault_defaults(enum fault_kind kind, double value[FAULT_KEY_COUNT]);

/* Reads "key=value" for a fault. -EINVAL with the nearest key in d. */
int fault_key_parse(enum fault_kind kind, const char *word,
		    double value[FAULT_KEY_COUNT], struct diag *d);

/* A key for the manual: name, form, effect. */
struct fault_key_info {
	const char *name;
	enum value_unit unit;
	double min, max;
	const char *help;
};

/* The row of a key. */
const struct fault_key_info *fault_key_info(enum fault_key key);
