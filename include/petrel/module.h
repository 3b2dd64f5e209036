/* Values of the module quantities that are enumerations. Numbers are those of
 * CMIS where it has them, and are on the wire: never changed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "petrel/quantity.h"

enum module_state {	/* Q_MODULE_STATE; CMIS 00h:3 bits 3 to 1 */
	MODULE_LOW_PWR = 1,
	MODULE_PWR_UP = 2,
	MODULE_READY = 3,
	MODULE_PWR_DN = 4,
	MODULE_FAULT = 5,
	MODULE_STATE_COUNT,
};

enum module_fault_cause {	/* Q_MODULE_FAULT_CAUSE; CMIS 00h:41 */
	MODULE_FAULT_NONE = 0,
	MODULE_FAULT_TEC_RUNAWAY = 1,
	MODULE_FAULT_DATA_MEMORY = 2,
	MODULE_FAULT_PROGRAM_MEMORY = 3,
	MODULE_FAULT_TRANSMITTER = 4,
	MODULE_FAULT_RECEIVER = 5,
	MODULE_FAULT_TEMPERATURE = 6,
	MODULE_FAULT_CAUSE_COUNT,
};

enum data_path_state {	/* Q_LANE_DATA_PATH_STATE; CMIS 11h:128 to 131 */
	DATA_PATH_DEACTIVATED = 1,
	DATA_PATH_INIT = 2,
	DATA_PATH_DEINIT = 3,
	DATA_PATH_ACTIVATED = 4,
	DATA_PATH_TX_TURN_ON = 5,
	DATA_PATH_TX_TURN_OFF = 6,
	DATA_PATH_INITIALIZED = 7,
	DATA_PATH_STATE_COUNT,
};

enum lane_config_status {	/* Q_LANE_CONFIG_STATUS; CMIS 11h:202 to 205 */
	LANE_CONFIG_UNDEFINED = 0,
	LANE_CONFIG_SUCCESS = 1,
	LANE_CONFIG_REJECTED = 2,
	LANE_CONFIG_REJECTED_INVALID_APPSEL = 3,
	LANE_CONFIG_REJECTED_INVALID_DATA_PATH = 4,
	LANE_CONFIG_REJECTED_INVALID_SI = 5,
	LANE_CONFIG_REJECTED_LANES_IN_USE = 6,
	LANE_CONFIG_REJECTED_PARTIAL_DATA_PATH = 7,
	LANE_CONFIG_IN_PROGRESS = 12,
	LANE_CONFIG_REJECTED_CUSTOM = 13,	/* to 15: a vendor's */
	LANE_CONFIG_STATUS_COUNT = 16,
};

enum xcvr_state {	/* Q_MODULE_XCVR_STATE; SONiC TRANSCEIVER_STATUS_SW */
	XCVR_UNKNOWN = 0,
	XCVR_INSERTED,
	XCVR_DP_PRE_INIT_CHECK,
	XCVR_DP_DEINIT,
	XCVR_AP_CONFIGURED,
	XCVR_DP_ACTIVATION,
	XCVR_DP_INIT,
	XCVR_DP_TXON,
	XCVR_READY,
	XCVR_REMOVED,
	XCVR_FAILED,
	XCVR_STATE_COUNT,
};

enum reading_fault {	/* bits of Q_MODULE_READING_FAULTS, Q_LANE_… */
	FAULT_ALL_ONES = 0,	/* as on an undriven bus */
	FAULT_LEAST = 1,	/* 0x8000: not a value in its format */
	FAULT_ZERO = 2,		/* blank, where 0 is impossible */
	FAULT_CODE = 3,		/* a code that the standard does not have */
	FAULT_NOT_SWITCHED = 4,	/* the page repeats page 00h */
	FAULT_CHECKSUM = 5,
	FAULT_RANGE = 6,	/* beyond physics or arithmetic */
	FAULT_NOT_FINITE = 7,	/* infinite, or not a number */
	READING_FAULT_COUNT,
};

enum reading_of {	/* index of the same: a part of the memory */
	READING_OF_IDENTITY,
	READING_OF_THRESHOLDS,
	READING_OF_MONITORS,
	READING_OF_CONTROLS,
	READING_OF_VDM,		/* and performance of a coherent module */
	READING_OF_FLAGS,
	READING_OF_STATES,	/* of the module, its lanes and data paths */
	READING_OF_COUNT,
};

/* Bounds of plausible readings: no module works outside these temperatures or
 * supply voltages. Bias is bounded only by the register, and so is light in
 * 0.1 uW; in 0.01 dBm, or as constants give it, it can be any number.
 */
#define MODULE_HEAT_LEAST_MC (-60000)
#define MODULE_HEAT_MOST_MC 126000
#define MODULE_SUPPLY_LEAST_UV 1000000
#define MODULE_SUPPLY_MOST_UV 6000000
#define MODULE_LIGHT_MOST_PW INT64_C(1000000000000)	/* 1 W */

/* A lane that sends less is dark, even if its laser leaks some light. */
#define LANE_LIT_LEAST_PW 10000000

/* True if the module rejected its host's configuration. */
bool lane_config_is_rejected(int64_t status);

/* How far a data path is from carrying traffic, for enum data_path_state: 0 if
 * it is activated, most if it is deactivated or has no state of the standard.
 */
unsigned data_path_distance(int64_t state);

/* The quantity of the module's thresholds for what it measures, by index: high
 * alarm, low alarm, high warning, low warning; 0: it has none.
 */
enum quantity module_thresholds_of(unsigned quantity);
#define MODULE_EDGES 4u

/* A word for people, such as "checksum"; NULL outside. */
const char *reading_fault_name(enum reading_fault fault);
const char *reading_of_name(enum reading_of part);
/* "all ones, checksum": the words of the bits that are set; "" for none. */
void reading_faults_text(int64_t bits, char *ret, size_t cap);
