/* Values of the port quantities that are enumerations. The numbers are on the
 * wire: never changed, never used again.
 */
#pragma once

#include <stdint.h>

enum oper_status {	/* Q_OPER_STATUS; RFC 2863, ifOperStatus */
	OPER_UP = 1,
	OPER_DOWN = 2,
	OPER_TESTING = 3,
	OPER_UNKNOWN = 4,
	OPER_DORMANT = 5,
	OPER_NOT_PRESENT = 6,
	OPER_LOWER_LAYER_DOWN = 7,
};

enum fec_mode {		/* Q_FEC_MODE */
	FEC_NONE = 0,
	FEC_FC = 1,	/* BASE-R, IEEE 802.3 clause 74 */
	FEC_RS528 = 2,	/* RS(528,514) "KR4", clause 91 */
	FEC_RS544 = 3,	/* RS(544,514) "KP4", clauses 91, 119 */
	FEC_RS272 = 4,	/* RS(272,258), low latency */
	FEC_AUTO = 5,	/* requested; the outcome is not known yet */
	FEC_MODE_COUNT,
};

/* Q_DOWN_REASON: the one cause that the sources show. The first twelve bits
 * of SAI's sai_port_error_status_t keep their order from DOWN_MAC_LOCAL_FAULT.
 */
enum down_reason {
	DOWN_UNKNOWN = 0,
	DOWN_ADMIN,		/* shut down by configuration */
	DOWN_NO_MODULE,
	DOWN_RX_LOS,		/* no light from the far end */
	DOWN_TX_FAULT,		/* our own laser */
	DOWN_TX_DISABLED,
	DOWN_NO_CARRIER,
	DOWN_TRAINING,		/* link training did not finish */
	DOWN_MODULE_STATE,	/* the module's own start failed */
	DOWN_FEC_MISMATCH,	/* the ends use different FEC */
	DOWN_SPEED_MISMATCH,	/* … or speeds */
	DOWN_MAC_LOCAL_FAULT = 16,
	DOWN_MAC_REMOTE_FAULT,
	DOWN_FEC_SYNC_LOSS,
	DOWN_FEC_ALIGNMENT_LOSS,
	DOWN_HIGH_SER,
	DOWN_HIGH_BER,
	DOWN_CRC_RATE,
	DOWN_DATA_UNIT_CRC,
	DOWN_DATA_UNIT_SIZE,
	DOWN_DATA_UNIT_MISALIGNMENT,
	DOWN_CODE_GROUP,
	DOWN_SIGNAL_LOCAL,
	DOWN_NO_RX_REACHABILITY,
	DOWN_REASON_COUNT,
};

/* Q_LINK_TRAINING_STATUS; in SONiC link_training_status. */
enum training_status {
	TRAINING_OFF,
	TRAINING_ON,
	TRAINING_NOT_TRAINED,
	TRAINING_TRAINED,
	TRAINING_FRAME_LOCK,
	TRAINING_SNR_LOW,
	TRAINING_TIMEOUT,
	TRAINING_STATUS_COUNT,
};

/* From this speed on RS always means RS(544,514): clauses 116, 119, 161. */
#define FEC_KP4_ONLY_MBPS 200000

/* The mode of a word, or a negative errno; also as SONiC writes it: none, fc,
 * rs, auto ("rs" gives FEC_RS544 from FEC_KP4_ONLY_MBPS or 50 Gb/s a lane on,
 * else FEC_RS528). lanes 0: not known.
 */
int fec_mode_parse(const char *word, uint64_t mbps, unsigned lanes);
