/* Why something is wrong, as a number: the causes that a finding can name, each
 * with a word for programs and the actions that help, best first. The detector
 * writes the sentence for people (struct finding). The numbers are on the wire:
 * never changed, never used again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define FINDING_ACTIONS_MAX 5

enum action {
	ACTION_OBSERVE = 1,
	ACTION_CLEAN_NEAR, ACTION_CLEAN_FAR,
	ACTION_RESEAT_NEAR, ACTION_RESEAT_FAR,
	ACTION_REPLACE_CABLE, ACTION_REPLACE_NEAR, ACTION_REPLACE_FAR,
	ACTION_FIX_AIRFLOW, ACTION_FIX_CONFIG, ACTION_CHECK_PEER,
	ACTION_COUNT,
};

/* How the cable plugs into the modules, as SFF-8024 table 4-3 has it. */
enum connector {
	CONNECTOR_UNKNOWN,	/* taken for one of fibres */
	CONNECTOR_FIBRE,
	CONNECTOR_ONE_FIBRE,	/* all lanes on one, a wavelength each */
	CONNECTOR_FIXED,	/* "no separable connector": DAC, AEC, AOC */
	CONNECTOR_RJ45,
	CONNECTOR_COUNT,
};

enum cause_id {
	/* Errors grew, by what else was seen. */
	CAUSE_NOT_LOSS = 1, CAUSE_LIGHT_NOT_READ_SINCE, CAUSE_LIGHT_NOT_READ,
	CAUSE_MORE_THAN_ONE_FITS,
	CAUSE_DIRTY_CONNECTOR, CAUSE_BENT_FIBRE, CAUSE_FAR_LASER_FADES,
	CAUSE_MODULE_HOT, CAUSE_WEAK_LANE, CAUSE_COPPER_WORN,
	CAUSE_ERROR_BURSTS, CAUSE_BAD_CONTACT,
	/* Of a module. */
	CAUSE_LASER_BIAS_RISES, CAUSE_LASER_POWER_FALLS, CAUSE_LANE_DIFFERS,
	CAUSE_READINGS_IMPOSSIBLE, CAUSE_READINGS_MISSED, CAUSE_MODULE_CHANGED,
	/* Of something that ports share. */
	CAUSE_SHARED_ERRORS, CAUSE_SHARED_FALLS,
	CAUSE_FAN, CAUSE_SENSOR_TEMPERATURE, CAUSE_SUPPLY,
	CAUSE_SENSOR_VOLTAGE, CAUSE_SENSOR_CURRENT, CAUSE_WARM_AIR,
	/* Of a link that is down or flaps. */
	CAUSE_LINK_FALLS_AGAIN, CAUSE_NO_MODULE, CAUSE_NO_LIGHT,
	CAUSE_LOW_LIGHT, CAUSE_LIGHT_AS_USUAL, CAUSE_TX_FAULT,
	CAUSE_TX_DISABLED, CAUSE_NO_CARRIER, CAUSE_TRAINING,
	CAUSE_LOCAL_FAULT, CAUSE_REMOTE_FAULT, CAUSE_FEC_SYNC_LOST,
	CAUSE_FEC_NOT_ALIGNED, CAUSE_SYMBOL_ERRORS, CAUSE_BIT_ERRORS,
	CAUSE_FRAME_CHECKSUMS, CAUSE_CELL_CHECKSUMS, CAUSE_CELL_SIZE,
	CAUSE_CELLS_OUT_OF_STEP, CAUSE_CODE_GROUPS, CAUSE_NO_SIGNAL,
	CAUSE_FAR_END_UNREACHABLE, CAUSE_PEER_DOWN, CAUSE_NOT_SHOWN,
	CAUSE_FEC_MISMATCH, CAUSE_SPEED_MISMATCH, CAUSE_MODULE_STATE_FAILED,
	CAUSE_SHUT_HERE,
	CAUSE_SWITCH_SILENT,		/* the collector's */
	CAUSE_PREEXISTING,		/* errors present when first seen */
	CAUSE_LANE_ERRORS,		/* one lane alone has errors */
	CAUSE_FOLLOWS_TRAFFIC,		/* errors come and go with it */
	CAUSE_READINGS_STILL,		/* of a module, all the same */
	CAUSE_BURSTS_TOGETHER,		/* of errors, on many ports at once */
	CAUSE_SHARED_MODULE,		/* errors of the ports of one */
	CAUSE_COUNT,
};

/* Why something that was seen is not a fault (petrel findings --benign). */
enum benign_id {
	BENIGN_LOAD_HEAT = 1,
	BENIGN_WARM_UP,
	BENIGN_RESTART,
	BENIGN_COUNTERS_CLEARED,
	BENIGN_PEER,
	BENIGN_RACK,
	BENIGN_COUNT,
};

/* What was seen, and the unit of its size. */
enum symptom {
	SYMPTOM_ERRORS = 1,		/* growth in decades */
	SYMPTOM_FALLS,			/* number of links */
	SYMPTOM_COUNTERS,		/* ports with new counters */
	SYMPTOM_COUNT,
};

/* The word, such as load_heat or errors_grew: lower-case, fixed; NULL outside
 * the enumeration.
 */
const char *benign_name(enum benign_id benign);
const char *symptom_name(enum symptom symptom);
/* Why it is not a fault: a sentence without the full stop. */
const char *benign_words(enum benign_id benign);

/* The word (no_light): lower-case, fixed; NULL outside the enumeration. */
const char *cause_name(enum cause_id cause);

/* The actions that help, best first: try the second if the first did not help.
 * Returns their number.
 */
size_t cause_actions(enum cause_id cause, const enum action **ret);

/* Is one lane at fault, and are the others well? */
bool cause_is_of_lane(enum cause_id cause);
