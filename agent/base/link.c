#include "petrel/link.h"

#include <errno.h>
#include <string.h>

#include "agent/base/names.h"

#define LANE_MBPS_KP4 50000	/* PAM4 lanes use RS(544,514); clause 91, 119 */

const char *oper_status_name(enum oper_status status)
{
	static const char *const names[] = {
		[OPER_UP] = "up",
		[OPER_DOWN] = "down",
		[OPER_TESTING] = "testing",
		[OPER_UNKNOWN] = "unknown",
		[OPER_DORMANT] = "dormant",
		[OPER_NOT_PRESENT] = "not-present",
		[OPER_LOWER_LAYER_DOWN] = "lower-layer-down",
	};

	return names_get(names, sizeof(names) / sizeof(names[0]), status);
}

static const char *const fec_modes[FEC_MODE_COUNT] = {
	[FEC_NONE] = "none",   [FEC_FC] = "fc",	      [FEC_RS528] = "rs528",
	[FEC_RS544] = "rs544", [FEC_RS272] = "rs272", [FEC_AUTO] = "auto",
};

const char *fec_mode_name(enum fec_mode mode)
{
	return names_get(fec_modes, FEC_MODE_COUNT, mode);
}

int fec_mode_parse(const char *word, unsigned lane_mbps)
{
	if (strcmp(word, "rs") == 0)
		return lane_mbps >= LANE_MBPS_KP4 ? FEC_RS544 : FEC_RS528;
	return names_parse(fec_modes, FEC_MODE_COUNT, word);
}

const char *down_reason_name(enum down_reason reason)
{
	static const char *const names[DOWN_REASON_COUNT] = {
		[DOWN_UNKNOWN] = "unknown",
		[DOWN_ADMIN] = "admin_down",
		[DOWN_NO_MODULE] = "no_module",
		[DOWN_RX_LOS] = "rx_los",
		[DOWN_TX_FAULT] = "tx_fault",
		[DOWN_TX_DISABLED] = "tx_disabled",
		[DOWN_NO_CARRIER] = "no_carrier",
		[DOWN_TRAINING] = "link_training",
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

	return names_get(names, DOWN_REASON_COUNT, reason);
}

const char *training_status_name(enum training_status status)
{
	static const char *const names[TRAINING_STATUS_COUNT] = {
		[TRAINING_OFF] = "off",
		[TRAINING_ON] = "on",
		[TRAINING_NOT_TRAINED] = "not_trained",
		[TRAINING_TRAINED] = "trained",
		[TRAINING_FRAME_LOCK] = "frame_lock",
		[TRAINING_SNR_LOW] = "snr_low",
		[TRAINING_TIMEOUT] = "timeout",
	};

	return names_get(names, TRAINING_STATUS_COUNT, status);
}
