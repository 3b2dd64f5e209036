#include "petrel/module.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/names.h"

const char *reading_fault_name(enum reading_fault fault)
{
	static const char *const words[READING_FAULT_COUNT] = {
		[FAULT_ALL_ONES] = "all ones",
		[FAULT_LEAST] = "least value",
		[FAULT_ZERO] = "all zeroes",
		[FAULT_CODE] = "no such code",
		[FAULT_NOT_SWITCHED] = "page not switched",
		[FAULT_CHECKSUM] = "checksum",
		[FAULT_RANGE] = "out of range",
		[FAULT_NOT_FINITE] = "not finite",
	};

	return names_get(words, READING_FAULT_COUNT, fault);
}

const char *reading_of_name(enum reading_of part)
{
	static const char *const words[READING_OF_COUNT] = {
		[READING_OF_IDENTITY] = "identity",
		[READING_OF_THRESHOLDS] = "thresholds",
		[READING_OF_MONITORS] = "monitors",
		[READING_OF_CONTROLS] = "controls",
		[READING_OF_VDM] = "vdm",
		[READING_OF_FLAGS] = "flags",
		[READING_OF_STATES] = "states",
	};

	return names_get(words, READING_OF_COUNT, part);
}

void reading_faults_text(int64_t bits, char *ret, size_t cap)
{
	ret[0] = '\0';
	for (unsigned i = 0; i < READING_FAULT_COUNT; i++) {
		const char *word = reading_fault_name((enum reading_fault)i);
		size_t len = strlen(ret);

		if (bits >> i & 1)
			(void)snprintf(ret + len, cap - len, "%s%s",
				       len ? ", " : "", word);
	}
}

bool lane_config_is_rejected(int64_t status)
{
	return status >= LANE_CONFIG_REJECTED &&
	       status < LANE_CONFIG_STATUS_COUNT &&
	       status != LANE_CONFIG_IN_PROGRESS;
}

unsigned data_path_distance(int64_t state)
{
	static const uint8_t distances[DATA_PATH_STATE_COUNT] = {
		DATA_PATH_STATE_COUNT,
		[DATA_PATH_TX_TURN_ON] = 1,
		[DATA_PATH_INITIALIZED] = 2,
		[DATA_PATH_TX_TURN_OFF] = 3,
		[DATA_PATH_INIT] = 4,
		[DATA_PATH_DEINIT] = 5,
		[DATA_PATH_DEACTIVATED] = 6,
	};

	return state >= 0 && state < DATA_PATH_STATE_COUNT ?
	       distances[state] : DATA_PATH_STATE_COUNT;
}

enum quantity module_thresholds_of(unsigned quantity)
{
	switch (quantity) {
	case Q_LANE_RX_POWER_PW:
		return Q_MODULE_RX_POWER_THRESHOLD_PW;
	case Q_LANE_TX_POWER_PW:
		return Q_MODULE_TX_POWER_THRESHOLD_PW;
	case Q_LANE_TX_BIAS_UA:
		return Q_MODULE_TX_BIAS_THRESHOLD_UA;
	case Q_MODULE_TEMP_MC:
		return Q_MODULE_TEMP_THRESHOLD_MC;
	case Q_MODULE_VCC_UV:
		return Q_MODULE_VCC_THRESHOLD_UV;
	default:
		return 0;
	}
}
