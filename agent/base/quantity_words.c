/* The words of enumerated quantities: as RFC 2863, SONiC and xcvrd write them;
 * the words of a module's fault are ours, because xcvrd's are sentences.
 */
#include "petrel/quantity.h"

#include <string.h>

#include "agent/base/names.h"
#include "petrel/card.h"
#include "petrel/link.h"
#include "petrel/module.h"

#define LANE_MBPS_KP4 50000	/* PAM4 lanes use RS(544,514); clause 91, 119 */

static const char *const oper_statuses[] = {
	[OPER_UP] = "up",
	[OPER_DOWN] = "down",
	[OPER_TESTING] = "testing",
	[OPER_UNKNOWN] = "unknown",
	[OPER_DORMANT] = "dormant",
	[OPER_NOT_PRESENT] = "not-present",
	[OPER_LOWER_LAYER_DOWN] = "lower-layer-down",
};

static const char *const fec_modes[] = {
	[FEC_NONE] = "none",   [FEC_FC] = "fc",	      [FEC_RS528] = "rs528",
	[FEC_RS544] = "rs544", [FEC_RS272] = "rs272", [FEC_AUTO] = "auto",
};

static const char *const down_reasons[] = {
	[DOWN_UNKNOWN] = "unknown",
	[DOWN_ADMIN] = "admin_down",
	[DOWN_NO_MODULE] = "no_module",
	[DOWN_RX_LOS] = "rx_los",
	[DOWN_TX_FAULT] = "tx_fault",
	[DOWN_TX_DISABLED] = "tx_disabled",
	[DOWN_NO_CARRIER] = "no_carrier",
	[DOWN_TRAINING] = "link_training",
	[DOWN_MODULE_STATE] = "module_state_failed",
	[DOWN_FEC_MISMATCH] = "fec_mismatch",
	[DOWN_SPEED_MISMATCH] = "speed_mismatch",
	[DOWN_MAC_LOCAL_FAULT] = "mac_local_fault",
	[DOWN_MAC_REMOTE_FAULT] = "mac_remote_fault",
	[DOWN_FEC_SYNC_LOSS] = "fec_sync_loss",
	[DOWN_FEC_ALIGNMENT_LOSS] = "fec_alignment_loss",
	[DOWN_HIGH_SER] = "high_ser_error",
	[DOWN_HIGH_BER] = "high_ber_error",
	[DOWN_CRC_RATE] = "crc_rate",
	[DOWN_DATA_UNIT_CRC] = "data_unit_crc_error",
	[DOWN_DATA_UNIT_SIZE] = "data_unit_size",
	[DOWN_DATA_UNIT_MISALIGNMENT] = "data_unit_misalignment_error",
	[DOWN_CODE_GROUP] = "code_group_error",
	[DOWN_SIGNAL_LOCAL] = "signal_local_error",
	[DOWN_NO_RX_REACHABILITY] = "no_rx_reachability",
};

static const char *const training_statuses[] = {
	[TRAINING_OFF] = "off",
	[TRAINING_ON] = "on",
	[TRAINING_NOT_TRAINED] = "not_trained",
	[TRAINING_TRAINED] = "trained",
	[TRAINING_FRAME_LOCK] = "frame_lock",
	[TRAINING_SNR_LOW] = "snr_low",
	[TRAINING_TIMEOUT] = "timeout",
};

static const char *const module_states[] = {
	[MODULE_LOW_PWR] = "ModuleLowPwr",
	[MODULE_PWR_UP] = "ModulePwrUp",
	[MODULE_READY] = "ModuleReady",
	[MODULE_PWR_DN] = "ModulePwrDn",
	[MODULE_FAULT] = "ModuleFault",
};

static const char *const module_fault_causes[] = {
	[MODULE_FAULT_NONE] = "No Fault detected",
	[MODULE_FAULT_TEC_RUNAWAY] = "TEC runaway",
	[MODULE_FAULT_DATA_MEMORY] = "Data memory corrupted",
	[MODULE_FAULT_PROGRAM_MEMORY] = "Program memory corrupted",
	[MODULE_FAULT_TRANSMITTER] = "Transmitter fault",
	[MODULE_FAULT_RECEIVER] = "Receiver fault",
	[MODULE_FAULT_TEMPERATURE] = "Temperature related fault",
};

static const char *const data_path_states[] = {
	[DATA_PATH_DEACTIVATED] = "DataPathDeactivated",
	[DATA_PATH_INIT] = "DataPathInit",
	[DATA_PATH_DEINIT] = "DataPathDeinit",
	[DATA_PATH_ACTIVATED] = "DataPathActivated",
	[DATA_PATH_TX_TURN_ON] = "DataPathTxTurnOn",
	[DATA_PATH_TX_TURN_OFF] = "DataPathTxTurnOff",
	[DATA_PATH_INITIALIZED] = "DataPathInitialized",
};

static const char *const lane_config_statuses[] = {
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
	[LANE_CONFIG_REJECTED_PARTIAL_DATA_PATH + 1 ...
	 LANE_CONFIG_IN_PROGRESS - 1] = "ConfigRejectedOther",
	[LANE_CONFIG_IN_PROGRESS] = "ConfigInProgress",
	[LANE_CONFIG_REJECTED_CUSTOM ...
	 LANE_CONFIG_STATUS_COUNT - 1] = "ConfigRejectedCustom",
};

static const char *const xcvr_states[] = {
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
	[XCVR_FAILED] = "FAILED",
};

/* As in ModuleBase of sonic-platform-common. */
static const char *const card_states[] = {
	[CARD_EMPTY] = "Empty",	  [CARD_OFFLINE] = "Offline",
	[CARD_POWERED_DOWN] = "PoweredDown",
	[CARD_PRESENT] = "Present", [CARD_FAULT] = "Fault",
	[CARD_ONLINE] = "Online",
};

#define WORDS(of) (of), sizeof(of) / sizeof((of)[0])

static const struct quantity_words {
	enum quantity quantity;
	const char *const *words;
	size_t count;
} rows[] = {
	{ Q_OPER_STATUS, WORDS(oper_statuses) },
	{ Q_NETDEV_OPER_STATUS, WORDS(oper_statuses) },
	{ Q_GEARBOX_SYSTEM_OPER_STATUS, WORDS(oper_statuses) },
	{ Q_GEARBOX_LINE_OPER_STATUS, WORDS(oper_statuses) },
	{ Q_FABRIC_OPER_STATUS, WORDS(oper_statuses) },
	{ Q_FEC_MODE, WORDS(fec_modes) },
	{ Q_DOWN_REASON, WORDS(down_reasons) },
	{ Q_LINK_TRAINING_STATUS, WORDS(training_statuses) },
	{ Q_MODULE_STATE, WORDS(module_states) },
	{ Q_MODULE_FAULT_CAUSE, WORDS(module_fault_causes) },
	{ Q_MODULE_XCVR_STATE, WORDS(xcvr_states) },
	{ Q_LANE_DATA_PATH_STATE, WORDS(data_path_states) },
	{ Q_LANE_CONFIG_STATUS, WORDS(lane_config_statuses) },
	{ Q_CARD_STATE, WORDS(card_states) },
};

static const struct quantity_words *words_of(enum quantity q)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].quantity == q)
			return &rows[i];
	return NULL;
}

const char *quantity_word(enum quantity q, int64_t value)
{
	const struct quantity_words *w = words_of(q);

	return w && value >= 0 && value < (int64_t)w->count ? w->words[value] :
							      NULL;
}

/* As SONiC spells some of them; read, never written. */
static const struct {
	const char *word;
	enum quantity quantity;
	int value;
} spellings[] = {
	{ "TEC runawawy", Q_MODULE_FAULT_CAUSE, MODULE_FAULT_TEC_RUNAWAY },
	{ "ConfigRejectedLaneInUse", Q_LANE_CONFIG_STATUS,
	  LANE_CONFIG_REJECTED_LANES_IN_USE },
};

int quantity_word_value(enum quantity q, const char *word)
{
	const struct quantity_words *w = words_of(q);

	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++)
		if (spellings[i].quantity == q &&
		    strcmp(spellings[i].word, word) == 0)
			return spellings[i].value;
	return names_parse(w ? w->words : NULL, w ? w->count : 0, word);
}

int fec_mode_parse(const char *word, uint64_t mbps, unsigned lanes)
{
	bool is_kp4 = mbps >= FEC_KP4_ONLY_MBPS ||
		      (lanes > 0 && mbps / lanes >= LANE_MBPS_KP4);

	if (strcmp(word, "rs") == 0)
		return is_kp4 ? FEC_RS544 : FEC_RS528;
	return quantity_word_value(Q_FEC_MODE, word);
}
