#include "petrel/module.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/names.h"
#include "petrel/link.h"
#include "petrel/quantity.h"

/* Both directions between a value and its word. */
#define WORDS(prefix, type, ...)					\
	static const char *const prefix##_words[] = { __VA_ARGS__ };	\
	const char *prefix##_name(enum type value)			\
	{								\
		return names_get(prefix##_words,			\
				 sizeof(prefix##_words) /		\
				 sizeof(prefix##_words[0]), value);	\
	}								\
	int prefix##_parse(const char *word)				\
	{								\
		return names_parse(prefix##_words,			\
				   sizeof(prefix##_words) /		\
				   sizeof(prefix##_words[0]), word);	\
	}

WORDS(module_state, module_state,
      [MODULE_LOW_PWR] = "ModuleLowPwr",
      [MODULE_PWR_UP] = "ModulePwrUp",
      [MODULE_READY] = "ModuleReady",
      [MODULE_PWR_DN] = "ModulePwrDn",
      [MODULE_FAULT] = "ModuleFault")

WORDS(module_fault_cause, module_fault_cause,
      [MODULE_FAULT_NONE] = "No Fault detected",
      [MODULE_FAULT_TEC_RUNAWAY] = "TEC runaway",
      [MODULE_FAULT_DATA_MEMORY] = "Data memory corrupted",
      [MODULE_FAULT_PROGRAM_MEMORY] = "Program memory corrupted")

WORDS(data_path_state, data_path_state,
      [DATA_PATH_DEACTIVATED] = "DataPathDeactivated",
      [DATA_PATH_INIT] = "DataPathInit",
      [DATA_PATH_DEINIT] = "DataPathDeinit",
      [DATA_PATH_ACTIVATED] = "DataPathActivated",
      [DATA_PATH_TX_TURN_ON] = "DataPathTxTurnOn",
      [DATA_PATH_TX_TURN_OFF] = "DataPathTxTurnOff",
      [DATA_PATH_INITIALIZED] = "DataPathInitialized")

WORDS(lane_config_status, lane_config_status,
      [LANE_CONFIG_UNDEFINED] = "ConfigUndefined",
      [LANE_CONFIG_SUCCESS] = "ConfigSuccess",
      [LANE_CONFIG_REJECTED] = "ConfigRejected",
      [LANE_CONFIG_REJECTED_INVALID_APPSEL] = "ConfigRejectedInvalidAppSel",
      [LANE_CONFIG_REJECTED_INVALID_DATA_PATH] =
	      "ConfigRejectedInvalidDataPath",
      [LANE_CONFIG_REJECTED_INVALID_SI] = "ConfigRejectedInvalidSI",
      [LANE_CONFIG_REJECTED_LANES_IN_USE] = "ConfigRejectedLanesInUse",
      [LANE_CONFIG_REJECTED_PARTIAL_DATA_PATH] =
	      "ConfigRejectedPartialDataPath",
      [LANE_CONFIG_IN_PROGRESS] = "ConfigInProgress")

WORDS(xcvr_state, xcvr_state,
      [XCVR_UNKNOWN] = "UNKNOWN",
      [XCVR_INSERTED] = "INSERTED",
      [XCVR_DP_PRE_INIT_CHECK] = "DP_PRE_INIT_CHECK",
      [XCVR_DP_DEINIT] = "DP_DEINIT",
      [XCVR_AP_CONFIGURED] = "AP_CONFIGURED",
      [XCVR_DP_ACTIVATION] = "DP_ACTIVATION",
      [XCVR_DP_INIT] = "DP_INIT",
      [XCVR_DP_TXON] = "DP_TXON",
      [XCVR_READY] = "READY",
      [XCVR_REMOVED] = "REMOVED",
      [XCVR_FAILED] = "FAILED")

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
	       status <= LANE_CONFIG_REJECTED_PARTIAL_DATA_PATH;
}

/* Of the quantities that are enumerations. */
const char *quantity_word(enum quantity q, int64_t value)
{
	unsigned v = value < 0 || value > UINT8_MAX ? UINT8_MAX :
						      (unsigned)value;

	switch (q) {
	case Q_OPER_STATUS:
	case Q_NETDEV_OPER_STATUS:
	case Q_GEARBOX_SYSTEM_OPER_STATUS:
	case Q_GEARBOX_LINE_OPER_STATUS:
	case Q_FABRIC_OPER_STATUS:
		return oper_status_name((enum oper_status)v);
	case Q_FEC_MODE:
		return fec_mode_name((enum fec_mode)v);
	case Q_DOWN_REASON:
		return down_reason_name((enum down_reason)v);
	case Q_LINK_TRAINING_STATUS:
		return training_status_name((enum training_status)v);
	case Q_MODULE_STATE:
		return module_state_name((enum module_state)v);
	case Q_MODULE_FAULT_CAUSE:
		return module_fault_cause_name((enum module_fault_cause)v);
	case Q_MODULE_XCVR_STATE:
		return xcvr_state_name((enum xcvr_state)v);
	case Q_LANE_DATA_PATH_STATE:
		return data_path_state_name((enum data_path_state)v);
	case Q_LANE_CONFIG_STATUS:
		return lane_config_status_name((enum lane_config_status)v);
	default:
		return NULL;
	}
}
